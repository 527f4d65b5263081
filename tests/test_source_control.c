/* Loops and branches as C source: written, built, run and compared with the compiled program; bodies that nest, share
 * weights, give what they were given, and hold nothing; machine code of them. */
typedef struct { hy_block base; hy_block *cell; int which; } inloop_net;

static hy_array *inloop_step(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    hy_block *cell = ((inloop_net *)user)->cell;
    s = hy_tanh(F, hy_add(F, hy_call(F, cell, x), hy_call(F, cell, s)));
    return hy_group(F, hy_group(F, s, hy_mul_scalar(F, x, 2)), s);
}

/* Two states that change places, and one that stays; no output. */
static hy_array *inloop_swap(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    (void)user;
    return hy_group(F, NULL, hy_group(F, hy_get(F, s, 1), hy_add(F, hy_get(F, s, 0), x), hy_get(F, s, 2)));
}

/* No data is read: what is outside decides, the same in all turns. */
static hy_array *inloop_same(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    hy_array **outside = (hy_array **)user;
    hy_array *same = hy_softmax(F, hy_dot(F, outside[0], outside[1], NULL), -1, NULL);
    (void)x;
    return hy_group(F, same, hy_add(F, s, same));
}

static hy_array *inloop_few(hy_frame *F, hy_array *v, void *user)
{
    (void)user;
    return hy_lesser_scalar(F, hy_cast(F, hy_get(F, v, 0), HY_F16), 4);
}

static hy_array *inloop_negate(hy_frame *F, hy_array *x, void *user) { (void)user; return hy_negative(F, x); }
static hy_array *inloop_itself(hy_frame *F, hy_array *x, void *user) { (void)F; (void)user; return x; }

static hy_array *inloop_empty(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    hy_array *none = hy_get(F, s, 0);
    (void)user;
    return hy_group(F, hy_group(F, x, hy_sum(F, x, HY_AXES(0), NULL)), hy_group(F, hy_get(F, s, 1), hy_add(F, none, x)));
}

/* A loop whose turns branch, each of which has a loop. */
static hy_array *inloop_inner(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    (void)user;
    s = hy_add(F, s, hy_square(F, x));
    return hy_group(F, s, s);
}

static hy_array *inloop_looped(hy_frame *F, hy_array *x, void *user)
{
    hy_array *y = hy_foreach(F, inloop_inner, x, hy_zeros(F, HY_SHAPE(4)), user);
    return hy_mul(F, hy_get(F, y, 0), hy_get(F, y, 1));
}

static hy_array *inloop_branch(hy_frame *F, hy_array *v, void *user)
{
    hy_array *i = hy_get(F, v, 0), *x = hy_get(F, v, 1);
    hy_array *even = hy_equal_scalar(F, hy_mod_scalar(F, i, 2), 0);
    x = hy_cond(F, even, inloop_looped, inloop_negate, x, user);
    return hy_group(F, hy_group(F, x, hy_mean(F, x, HY_ALL, NULL)), hy_group(F, hy_add_scalar(F, i, 1), x));
}

static hy_array *inloop_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    inloop_net *net = (inloop_net *)self;
    hy_array *zeros = hy_zeros(F, HY_SHAPE(1, 4)), *outside[2], *y;
    switch (net->which) {
    case 0:                             /* a product of each turn; weights of the cell are used twice */
        return hy_foreach(F, inloop_step, hy_expand_dims(F, x, 1), zeros, net);
    case 1:                             /* the last states alone */
        y = hy_foreach(F, inloop_swap, x, hy_group(F, hy_zeros(F, HY_SHAPE(4)), hy_ones(F, HY_SHAPE(4)), hy_ones(F, HY_SHAPE(2))), net);
        return hy_get(F, y, 1);
    case 2:
        outside[0] = x;
        outside[1] = hy_transpose(F, x, HY_INTS(1, 0));
        return hy_foreach(F, inloop_same, x, hy_zeros(F, HY_SHAPE(5, 5)), outside);
    case 3:                             /* fewer turns than there is room for */
        return hy_while_loop(F, inloop_few, inloop_branch, hy_group(F, hy_zeros(F, HY_SHAPE(1)), hy_mul_scalar(F, x, .3)), 7, net);
    case 4:                             /* a branch that gives what it got; an outer value of its own */
        y = hy_cond(F, hy_lesser_scalar(F, hy_sum(F, x, HY_ALL, NULL), 1e9), inloop_itself, inloop_negate, x, net);
        return hy_group(F, y, hy_cond(F, hy_cast(F, hy_sum(F, x, HY_ALL, NULL), HY_BOOL), inloop_negate, inloop_itself, x, net));
    case 6:                             /* states that hold nothing, and an output of theirs */
        y = hy_slice_axis(F, x, 1, 0, 0);
        return hy_foreach(F, inloop_empty, hy_mul_scalar(F, y, 2), hy_group(F, y, y), net);
    default:                            /* halves, and the last row only */
        y = hy_foreach(F, inloop_inner, hy_cast(F, x, HY_F16), hy_cast(F, hy_zeros(F, HY_SHAPE(4)), HY_F16), net);
        return hy_get(F, y, 1);
    }
}

static inloop_net *inloop_new(hy_frame *F, int which)
{
    hy_nn_dense_opt rows = { 0 };
    inloop_net *net = HY_BLOCK_NEW(F, inloop_net, inloop_forward);
    rows.no_flatten = 1;
    net->which = which;
    net->cell = hy_add_child(F, &net->base, "cell", hy_nn_dense(F, 4, &rows));
    hy_initialize(F, &net->base, NULL);
    return net;
}

static void inloop_export(hy_frame *F, hy_block *net, hy_array *x, int apart)
{
    hy_export_c_opt opt = { 0 };
    opt.weights = apart ? "source_turns.weights" : NULL;
    CHECK(!hy_export_c(F, net, x, "source_turns.c", &opt));
    ops_complain(F, "control");
    if (!source_compiler()) return;
    if (!apart) CHECK(source_runs("-DSOURCE_TURNS_TEST source_turns.c"));
    else {
        CHECK(!system("sed 's/argc > 1 ? fopen(argv.1./1 ? fopen(\"source_turns.weights\"/' source_turns.c > source_given.c"));
        CHECK(source_runs("-DSOURCE_TURNS_TEST source_given.c"));
    }
}

static void test_source_turns(void)
{
    int which, apart;
    for (which = 0; which < 7; which++)
        for (apart = 0; apart < 2; apart++) {
            hy_frame *F = hy_open(NULL);
            inloop_net *net = inloop_new(F, which);
            inloop_export(F, &net->base, hy_normal(F, HY_SHAPE(5, 4), 0, 1), apart);
            CHECK(hy_close(F) == 0);
        }
}

/* The nets of the tests in process. */
static void test_source_control(void)
{
    int which, sign;
    hy_frame *idle = hy_open(NULL);
    inloop_export(idle, HY_BLOCK_NEW(idle, hy_block, control_idle_forward), hy_arange(idle, 0, 5, 1), 0);
    CHECK(hy_close(idle) == 0);
    for (which = 0; which < 6; which++)
        for (sign = -1; sign < 2; sign += 2) {
            hy_frame *F = hy_open(NULL);
            control_net *net = control_new(F, which);
            net->by = sign < 0 ? -1 : 5;
            inloop_export(F, &net->base, which ? hy_normal(F, HY_SHAPE(4, 2), sign, 1) : hy_arange(F, 1, 4, 1), 0);
            CHECK(hy_close(F) == 0);
        }
}

/* Weights that both branches, or the condition and the turn, read are in the file once. */
static void test_source_turns_share(void)
{
    hy_frame *F = hy_open(NULL);
    control_net *net = control_new(F, 2);
    hy_export_c_opt opt = { 0 };
    char text[200];
    FILE *file;
    long weights = 0;
    opt.weights = "source_turns.weights";
    CHECK(!hy_export_c(F, &net->base, hy_ones(F, HY_SHAPE(1, 64)), "source_turns.c", &opt));
    file = fopen("source_turns.c", "r");
    while (file && fgets(text, sizeof text, file)) if (strstr(text, "_WEIGHTS ")) sscanf(text, "#define SOURCE_TURNS_WEIGHTS %ld", &weights);
    if (file) fclose(file);
    CHECK(weights >= 3 * 64 * 4 && weights < 2 * 3 * 64 * 4);
    CHECK(hy_close(F) == 0);
}

static hy_array *inloop_drawn(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    (void)user;
    return hy_group(F, hy_add(F, x, hy_uniform_like(F, x, 0, 1)), s);
}
static hy_array *inloop_refused(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_mul(F, hy_normal_like(F, x, 0, 1), hy_get(F, hy_foreach(F, inloop_drawn, x, NULL, NULL), 0));
}

static void test_source_turns_errors(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_ones(F, HY_SHAPE(3, 2));
    source_fails(F, hy_block_new(F, sizeof(hy_block), "refused", inloop_refused, 1), x, "bad.c", NULL,
                 "no C source is written for: normal_like, uniform_like");
    CHECK(hy_close(F) == 0);
}

/* An index that is none: -2 from the program, also in a loop, and an error from machine code. */
static hy_array *inloop_take(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    hy_take_opt raise = { 0 };
    raise.mode = HY_INDEX_RAISE;
    return hy_group(F, hy_take(F, *(hy_array **)user, x, 0, &raise), s);
}

static hy_array *inloop_indexed(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *table = hy_arange(F, 0, 6, 1);
    hy_array *y = hy_get(F, hy_foreach(F, inloop_take, x, NULL, &table), 0);
    (void)self;
    return hy_add(F, y, hy_gather_nd(F, table, hy_reshape(F, hy_negative(F, x), HY_INTS(1, 3, 1), NULL)));
}

static void test_source_nowhere(void)
{
    static const char program[] =
        "#include \"source_nowhere.c\"\nint main(void)\n{\n    float x[3] = { 1, 2, 5 }, y[3];\n"
        "    if (source_nowhere_run(x, y, 0) || y[0] != 6 || y[1] != 6 || y[2] != 6) return 1;\n"
        "    x[1] = 6;\n    return source_nowhere_run(x, y, 0) != -2;\n}\n";
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_block_new(F, sizeof(hy_block), "nowhere */ bad", inloop_indexed, 1);
    hy_hybridize_opt jit = { 0 };
    FILE *file;
    jit.jit = 1;
    CHECK(!hy_export_c(F, net, hy_ones(F, HY_SHAPE(3)), "source_nowhere.c", NULL));
    ops_complain(F, "nowhere");
    file = fopen("source_given.c", "w");
    fputs(program, file);
    fclose(file);
    if (source_compiler()) CHECK(source_runs("source_given.c"));
    hy_hybridize(F, net, &jit);
    CHECK(hy_call(F, net, hy_ones(F, HY_SHAPE(3))) != NULL);
    CHECK(hy_call(F, net, hy_full(F, HY_SHAPE(3), 6)) == NULL && hy_error_code(F) == HY_ERROR_INDEX);
    CHECK(hy_close(F) != 0);
}

/* Inputs that are called as macros, functions, keywords and each other are; a title that would end its comment. */
static void test_source_names(void)
{
    static const char *const names[] = {
        "class", "STEP", "WORKSPACE", "memcpy", "a b", "a_b", "A_b", "a/*b", "out0", "given0", "due", "NAN", "y_packed", "x", "X",
        "b_SIZE", "run", "expf", "_", "9", "tanhf", "uint8_t", "linux", "restrict", "static", "\303\244", "ws", "name", "y", "plus0",
        "_Bool", "__asm__", "fault", "OUT1" };
    enum { N = sizeof names / sizeof *names };
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *given[N], *s = NULL, *two[2];
    hy_export_c_opt opt = { 0 };
    hy_var_opt var = { 0 };
    hy_graph *g;
    hy__c w;
    int i;
    var.shaped = 1;
    var.shape = HY_SHAPE(2, 3);
    for (i = 0; i < N; i++) {
        hy_array *x = hy_var(S, names[i], &var);
        given[i] = hy_full(F, HY_SHAPE(2, 3), i);
        s = s ? hy_tanh(S, hy_add(S, s, x)) : x;
    }
    two[0] = s;
    two[1] = hy_exp(S, s);
    g = hy_compile(S, hy_group_of(S, 2, two));
    CHECK(g != NULL);
    opt.prefix = "A";
    CHECK(!hy__c_open(&w, F, g, given, "a */ int x; /*\n\\", "source_turns.c", &opt) && !hy__c_to_files(&w, "source_turns.c", &opt));
    hy__c_close(&w);
    ops_complain(F, "names");
    if (source_compiler()) CHECK(source_runs("-DA_TEST source_turns.c"));
    hy_graph_free(F, g);
    hy_close(S);
    hy_close(F);
}

static void test_source_turns_jit(void)
{
    int which;
    hy_hybridize_opt jit = { 0 };
    jit.jit = 1;
    for (which = 0; which < 4; which++) {
        hy_desc desc = { 0 };
        hy_frame *F;
        inloop_net *net;
        hy_array *x, *plain, *fast;
        int i, k;
        desc.log_fn = source_log;
        F = hy_open(&desc);
        net = inloop_new(F, which);
        x = hy_normal(F, HY_SHAPE(5, 4), 0, 1);
        source_warnings = 0;
        plain = hy_call(F, &net->base, x);
        hy_hybridize(F, &net->base, &jit);
        for (k = 0; k < 2; k++) {
            fast = hy_call(F, &net->base, x);
            ops_complain(F, "jit of control flow");
            for (i = 0; i < hy_count(F, plain); i++)
                if (!plain->item[i]->count) CHECK_NEAR(source_off(F, plain->item[i], fast->item[i]), 0, 1e-5);
        }
        CHECK(source_warnings == (system("command -v cc > /dev/null 2>&1") != 0));
        CHECK(hy_close(F) == 0);
    }
}

#ifndef HYBRID_NO_TRAIN
/* The gradient of what is recomputed is no loop: it stays as it is beside machine code. */
static hy_array *inloop_square(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_mul(F, x, x);
}

static void test_source_recompute_jit(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_append(F, hy_nn_hybrid_sequential(F), hy_nn_hybrid_lambda(F, inloop_square, "square"));
    hy_array *x = hy_full(F, HY_SHAPE(30, 2), 3);
    hy_hybridize_opt jit = { 0 };
    int i, k;
    jit.jit = 1;
    hy_hybridize(F, net, &jit);
    hy_set_recompute(F, hy_child(F, net, 0), 1);
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    for (k = 0; k < 2; k++) {
        hy_array *y;
        hy_record(F);
        y = hy_call(F, net, x);
        hy_pause(F);
        hy_backward(F, y, NULL);
        ops_complain(F, "jit of what is recomputed");
        for (i = 0; i < 60; i++) CHECK_NEAR(control_at(F, hy_grad_of(F, x), i), 6, 0);
    }
    CHECK(hy_close(F) == 0);
}
#endif

static void test_source_turns_oom(void)
{
    long k;
    int failed = 1;
    for (k = 0; failed && k < 40000; k += k < 200 ? 1 : 17) {
        hy_desc desc = { 0 };
        hy_frame *F;
        desc.allocator.alloc_fn = source_alloc;
        desc.allocator.free_fn = source_free;
        desc.threads = 1;
        source_room = k;
        F = hy_open(&desc);
        if (F) {
            inloop_net *net = HY_BLOCK_NEW(F, inloop_net, inloop_forward);
            if (net) net->which = 3;
            failed = !net || hy_export_c(F, &net->base, hy_ones(F, HY_SHAPE(5, 4)), "source_oom.c", NULL) != 0;
            CHECK(failed == (hy_error(F) != NULL));
            hy_close(F);
        }
        source_room = -1;
        if (!CHECK(source_held == 0)) return;
    }
    CHECK(!failed);
}

static void test_source_loops(void)
{
    RUN(test_source_turns);
    RUN(test_source_control);
    RUN(test_source_turns_share);
    RUN(test_source_turns_errors);
    RUN(test_source_names);
    if (!getenv("TEST_UNDER_VALGRIND")) RUN(test_source_nowhere);
    RUN(test_source_turns_oom);
    if (test_may_load_code()) RUN(test_source_turns_jit);
#ifndef HYBRID_NO_TRAIN
    if (test_may_load_code()) RUN(test_source_recompute_jit);
#endif
}
