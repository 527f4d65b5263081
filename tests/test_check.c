/* Proves hy_check: silent where a program is what its forward says; what tracing froze, it names. */

#include <stdio.h>
#include <unistd.h>

static hy_frame *check_open(void)
{
    hy_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.threads = 2;
    return hy_open(&desc);
}

/* Runs hy_check and takes what it prints. */
static char check_text[4096];
static int check_run(hy_frame *F, hy_block *block, hy_array *x)
{
    FILE *file = tmpfile();
    int was, found;
    size_t n;
    fflush(stdout);
    was = dup(1);
    dup2(fileno(file), 1);
    found = hy_check(F, block, x);
    fflush(stdout);
    dup2(was, 1);
    close(was);
    rewind(file);
    n = fread(check_text, 1, sizeof check_text - 1, file);
    check_text[n] = 0;
    fclose(file);
    return found;
}

static void check_close(hy_frame *F)
{
    if (!CHECK(!hy_error(F))) printf("    %s\n", hy_error(F));
    hy_close(F);
}

static void check_says(const char *what, int line)
{
    if (!test_check(strstr(check_text, what) != NULL, what, __FILE__, line)) printf("    %s\n", check_text);
}
#define CHECK_SAYS(what) check_says(what, __LINE__)

/* --- a block that does as it is told --- */
typedef struct check_net {
    hy_block  base;
    hy_array *w, *gamma, *beta, *mean, *var;
    int       way, calls;
    double    factor;
} check_net;

static hy_array *check_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    check_net *n = (check_net *)(void *)self;
    hy_array *y, *z = hy_get(F, x, 0);
    n->calls++;
    y = hy_mul_scalar(F, hy_mul(F, z, n->w), n->factor);
    y = hy_batch_norm(F, y, n->gamma, n->beta, n->mean, n->var, NULL);
    y = hy_dropout(F, hy_tanh(F, y), 0.5, NULL);
    if (n->way == 1) y = hy_relu(F, y);                 /* a switch that C code throws */
    if (n->way == 2 && n->calls & 1) y = hy_sigmoid(F, y);      /* something else every time */
    if (n->way == 3 && !strcmp(hy_mode(F), "ndarray") && hy_value(F, z, 0, 0) < 0) y = hy_negative(F, y);
    if (n->way == 4) y = hy_mul(F, y, hy_full(F, HY_SHAPE(3), n->calls));
    if (n->way == 5) y = hy_add(F, y, hy_uniform(F, HY_SHAPE(3), 0, 1));
    if (n->way == 6) hy_exp(F, y);                      /* nobody needs it */
    if (n->way == 7 && !strcmp(hy_mode(F), "symbol")) y = hy_square(F, y);
    if (n->way == 8) return hy_group(F, y, n->w);       /* an output that nobody computes */
    return hy_count(F, x) > 1 ? hy_group(F, y, hy_add_scalar(F, hy_get(F, x, 1), 1)) : y;
}

static check_net *check_net_new(hy_frame *F)
{
    check_net *n = HY_BLOCK_NEW(F, check_net, check_forward);
    hy_param_opt opt;
    memset(&opt, 0, sizeof opt);
    if (!n) return NULL;
    n->factor = 2;
    n->w = hy_add_param(F, &n->base, "w", HY_SHAPE(3), NULL);
    n->gamma = hy_add_param(F, &n->base, "gamma", HY_SHAPE(-1), NULL);
    n->beta = hy_add_param(F, &n->base, "beta", HY_SHAPE(-1), NULL);
    opt.aux = 1;
    opt.init = hy_init_ones();
    n->mean = hy_add_param(F, &n->base, "mean", HY_SHAPE(-1), &opt);
    n->var = hy_add_param(F, &n->base, "var", HY_SHAPE(-1), &opt);
    hy_initialize(F, &n->base, NULL);
    return n;
}

static void check_silent(void)
{
    hy_frame *F = check_open();
    check_net *n = check_net_new(F);
    hy_array *x = hy_floats(F, HY_SHAPE(2, 3), (const float[]){ 1, 2, 3, 4, 5, 6 }), *before, *after;
    int way;
    CHECK(check_run(F, &n->base, x) == 0);              /* before it was ever compiled */
    for (way = 0; way < 9; way++) {
        hy_cache_stats was, now;
        if (way == 2 || way == 3 || way == 4 || way == 7) continue;
        n->way = way;
        hy_hybridize(F, &n->base, NULL);
        if (!CHECK(check_run(F, &n->base, x) == 0)) printf("    %d: %s\n", way, check_text);
        hy_call(F, &n->base, x);
        was = hy_cache_info(F, &n->base);
        CHECK(check_run(F, &n->base, x) == 0);
        CHECK(check_run(F, &n->base, hy_group(F, x, hy_ones(F, HY_SHAPE(4)))) == 0);
        now = hy_cache_info(F, &n->base);
        CHECK(was.traces == now.traces && was.hits == now.hits && was.programs == now.programs);
        CHECK_STR(check_text, "");
    }
    hy_seed(F, 3);
    before = hy_uniform(F, HY_SHAPE(4), 0, 1);
    hy_seed(F, 3);
    CHECK(check_run(F, &n->base, x) == 0);
    after = hy_uniform(F, HY_SHAPE(4), 0, 1);           /* the random numbers go on as if nothing had been */
    CHECK(hy_value(F, before, 1) == hy_value(F, after, 1));
    CHECK(hy_value(F, n->mean, 0) == 1);
    check_close(F);
}

static void check_frozen_branch(void)
{
    hy_frame *F = check_open();
    check_net *n = check_net_new(F);
    hy_array *x = hy_floats(F, HY_SHAPE(2, 3), (const float[]){ 1, 2, 3, 4, 5, 6 });
    hy_hybridize(F, &n->base, NULL);
    hy_call(F, &n->base, x);
    n->way = 1;                                         /* the graph in use is from before */
    CHECK(check_run(F, &n->base, x) == 1);
    CHECK_SAYS("the graph in use lacks checknet0_relu0 (relu): a branch of forward was frozen");
    n->way = 0;
    n->factor = 3;
    CHECK(check_run(F, &n->base, x) == 1);
    CHECK_SAYS("the graph in use differs at checknet0__mulscalar0: mul_scalar, now checknet0__mulscalar0 "
               "(mul_scalar): its attributes were frozen");
    n->factor = 2;
    n->way = 2;
    CHECK(check_run(F, &n->base, x) > 0);
    CHECK_SAYS("traced twice");
    n->way = 4;
    CHECK(check_run(F, &n->base, x) > 0);
    CHECK_SAYS("its attributes were frozen");
    n->way = 0;
    CHECK(check_run(F, &n->base, x) == 0);
    check_close(F);
}

static void check_values_decide(void)
{
    hy_frame *F = check_open();
    check_net *n = check_net_new(F);
    hy_array *x = hy_floats(F, HY_SHAPE(2, 3), (const float[]){ 1, 2, 3, 4, 5, 6 });
    n->way = 3;
    CHECK(check_run(F, &n->base, x) == 1);
    CHECK_SAYS("inputs times -0.75: operator 6 of forward is negative, of the graph none");
    n->way = 7;
    CHECK(check_run(F, &n->base, x) > 1);
    CHECK_SAYS("these inputs: forward ends, the graph goes on with checknet0_square0 (square)");
    check_close(F);
}

/* An operator that says it may write over its input, and may not. */
static void check_reverse(const hy_job *job, hy_run *now, int stage, int64_t item, void *scratch, void *shared)
{
    const float *x = (const float *)now->data[0];
    float *y = (float *)now->data[job->nin];
    int i;
    (void)stage; (void)item; (void)scratch; (void)shared;
    for (i = 0; i < 64; i++) y[i] = x[63 - i];
}
static int check_reverse_bind(hy_job *job)
{
    job->run = check_reverse;
    job->stages = 1;
    job->items[0] = 1;
    return 0;
}
static hy_array *check_reversing(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    x = hy_tanh(F, x);
    return hy_softmax(F, hy_emit(F, hy_op_find(F, "liar"), 1, &x, NULL), -1, NULL);
}
static void check_names_the_pass(void)
{
    static const hy_arg one[] = { { "data", HY_ARG_ONE }, { NULL, HY_ARG_ONE } };
    static hy_op op;
    hy_frame *F = check_open();
    hy_block *b;
    op.name = "liar";
    op.doc = "backwards";
    op.in = op.out = one;
    op.flags = HY_OP_INPLACE;
    op.infer = hy_infer_pointwise;
    op.bind = check_reverse_bind;
    CHECK(hy_register(F, &op) == 0);
    b = hy_block_new(F, sizeof(hy_block), "liar", check_reversing, 1);
    CHECK(check_run(F, b, hy_linspace(F, -1, 1, 64)) == 1);
    CHECK_SAYS("hy_check: liar0: optimised, output 0 (liar0_softmax0) is");
    check_run(F, b, hy_linspace(F, -1, 1, 64));
    CHECK_SAYS("off: not without pass inplace");
    check_close(F);
}

static void check_errors(void)
{
    hy_frame *F = check_open();
    check_net *n = check_net_new(F);
    hy_array *x = hy_ones(F, HY_SHAPE(2, 4));
    hy_record(F);
    CHECK(check_run(F, &n->base, x) == -1);
    CHECK(hy_error_code(F) == HY_ERROR_SHAPE && hy_is_recording(F) && hy_is_training(F));
    hy_clear(F);
    hy_pause(F);
    CHECK(check_run(F, &n->base, NULL) == -1);
    hy_clear(F);
    CHECK(check_run(F, NULL, x) == -1);
    hy_clear(F);
    CHECK(check_run(F, &n->base, hy_ones(F, HY_SHAPE(2, 3))) == 0);
    check_close(F);
}

static int check_oom_program(hy_frame *F)
{
    check_net *n = check_net_new(F);
    hy_array *x = hy_ones(F, HY_SHAPE(2, 3));
    if (!n) return 0;
    hy_hybridize(F, &n->base, NULL);
    hy_call(F, &n->base, x);
    return hy_check(F, &n->base, x) == 0 && !hy_error(F);
}
static void check_out_of_memory(void) { oom_walk(check_oom_program, 1); }

/* Sums in another order differ by a unit of what a half can hold. */
static void check_halves(void)
{
    static const hy_dtype types[] = { HY_F16, HY_BF16 };
    hy_frame *F = hy_open(NULL);
    int i, units;
    for (i = 0; i < 2; i++)
        for (units = 64; units <= 256; units *= 2) {
            hy_block *net = hy_nn_hybrid_sequential(F);
            hy_append(F, net, hy_nn_dense(F, units, NULL), hy_nn_dense(F, units, NULL));
            hy_initialize(F, net, NULL);
            hy_cast_block(F, net, types[i]);
            hy_hybridize(F, net, NULL);
            CHECK(hy_check(F, net, hy_cast(F, hy_normal(F, HY_SHAPE(4, 100), 0, 1), types[i])) == 0 && !hy_error(F));
        }
    CHECK(hy_close(F) == 0);
}

/* What is too far is judged by the coarsest numbers on the way, whatever type comes out. */
static int check_judges(hy_frame *F, hy_dtype inside, hy_dtype head, int computes, double far)
{
    hy_frame *S = hy_symbolic(F);
    hy_var_opt opt;
    hy_array *x, *want, *got;
    hy__check C;
    double worst;
    int judged;
    memset(&opt, 0, sizeof opt);
    opt.dtype = HY_F32;
    opt.shaped = 1;
    opt.shape = HY_SHAPE(2);
    x = hy_cast(S, hy_var(S, "x", &opt), inside);
    if (computes) x = hy_relu(S, x);
    memset(&C, 0, sizeof C);
    C.F = F;
    C.g = hy_compile(S, computes ? hy_cast(S, x, head) : x);
    want = hy_cast(F, hy_full(F, HY_SHAPE(2), 100), head);
    got = hy_cast(F, hy_full(F, HY_SHAPE(2), 100 + far), head);
    judged = C.g ? hy__check_heads(&C, &want, &got, &worst) : -2;
    hy_graph_free(F, C.g);
    CHECK(!hy_error(S));
    hy_close(S);
    return judged;
}

static void check_bounds(void)
{
    static const struct { hy_dtype inside, head; int computes; double near, far; } cases[] = {
        { HY_F32, HY_F32, 1, 0.0009, 0.0012 }, { HY_F16, HY_F32, 1, 0.19, 0.21 }, { HY_BF16, HY_F32, 1, 1.5, 1.7 },
        { HY_F16, HY_F16, 1, 0.19, 0.25 }, { HY_U8, HY_F32, 1, 0.77, 0.81 }, { HY_I8, HY_F32, 1, 0.77, 0.81 },
        { HY_U8, HY_U8, 1, 1, 2 }, { HY_U8, HY_U8, 0, 0, 1 }, { HY_I32, HY_I32, 1, 0, 1 },
        { HY_F16, HY_I32, 1, 0, 1 } };
    hy_frame *F = hy_open(NULL);
    size_t k;
    for (k = 0; k < sizeof cases / sizeof *cases; k++) {
        int near_one = check_judges(F, cases[k].inside, cases[k].head, cases[k].computes, cases[k].near);
        int far_one = check_judges(F, cases[k].inside, cases[k].head, cases[k].computes, cases[k].far);
        if (!CHECK(near_one == -1 && far_one == 0)) printf("    case %d: %d, %d\n", (int)k, near_one, far_one);
    }
    CHECK(hy_close(F) == 0);
}

/* A forward that checks its child when it runs line by line. */
typedef struct check_anxious { hy_block base; hy_block *child; } check_anxious;
static hy_array *check_anxious_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    check_anxious *b = (check_anxious *)(void *)self;
    char text[256];
    x = hy_relu(F, x);
    if (!strcmp(hy_mode(F), "ndarray")) CHECK(hy_check_text(F, b->child, x, text, sizeof text) == 0);
    return hy_add_scalar(F, hy_call(F, b->child, x), 1);
}

static void check_within_a_check(void)
{
    hy_frame *F = check_open();
    check_anxious *b = HY_BLOCK_NEW(F, check_anxious, check_anxious_forward);
    b->child = hy_add_child(F, &b->base, "child", hy_nn_dense(F, 3, NULL));
    hy_initialize(F, &b->base, NULL);
    CHECK(check_run(F, &b->base, hy_ones(F, HY_SHAPE(2, 4))) == 0);
    check_close(F);
}

static void test_hy_check(void)
{
    RUN(check_within_a_check);
    RUN(check_silent);
    RUN(check_frozen_branch);
    RUN(check_values_decide);
    RUN(check_names_the_pass);
    RUN(check_halves);
    RUN(check_bounds);
    RUN(check_errors);
    RUN(check_out_of_memory);
}
