/* A running statistic is something that a call can change: a parameter, an input, an array from outside. One that forward
 * computes is refused in MXNet's words however forward runs, in graphs, in files. */
typedef struct { hy_block base; hy_array *mean, *var, *kept; int which; } target_net;

static hy_array *target_norm(hy_frame *F, hy_array *x, hy_array *mean, hy_array *var)
{
    hy_array *o = hy_ones(F, HY_SHAPE(3));
    return hy_batch_norm(F, x, o, o, mean, var, NULL);
}

static hy_array *target_branch(hy_frame *F, hy_array *x, void *user)
{
    (void)user;
    return target_norm(F, hy_get(F, x, 0), hy_get(F, x, 1), hy_get(F, x, 2));
}

static hy_array *target_leave(hy_frame *F, hy_array *x, void *user) { (void)user; return hy_get(F, x, 0); }

static hy_array *target_turn(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    (void)user;
    return hy_group(F, target_norm(F, x, hy_get(F, s, 0), hy_get(F, s, 1)), s);
}

static hy_array *target_row(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    target_net *n = (target_net *)user;
    return hy_group(F, target_norm(F, hy_reshape(F, x, HY_INTS(1, -1), NULL), x, n->var), s);
}

static hy_array *target_made(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    static const float some[] = { 1, 2, 3 };
    target_net *n = (target_net *)user;
    return hy_group(F, target_norm(F, hy_reshape(F, x, HY_INTS(1, -1), NULL), hy_floats(F, HY_SHAPE(3), some), n->var), s);
}

/* 0 to 3 are right, what follows computes the mean. */
static hy_array *target_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    static const float some[] = { 1, 2, 3 };
    target_net *n = (target_net *)self;
    hy_array *mean = hy_mul_scalar(F, hy_mean(F, x, HY_AXES(0), NULL), 1.5), *yes = hy_greater_scalar(F, hy_mean(F, x, HY_ALL, NULL), 0);
    hy_array *one = hy_reshape(F, x, HY_INTS(1, 2, 3), NULL);
    switch (n->which) {
    case 0: return target_norm(F, x, n->mean, n->var);
    case 1: return target_norm(F, x, n->kept, n->var);
    case 2: return hy_cond(F, yes, target_branch, target_leave, hy_group(F, x, n->mean, n->var), n);
    case 3: return hy_get(F, hy_foreach(F, target_turn, one, hy_group(F, n->mean, n->var), n), 0);
    case 4: return target_norm(F, x, mean, n->var);
    case 5: return target_norm(F, x, n->mean, hy_ones(F, HY_SHAPE(3)));
    case 6: return target_norm(F, x, hy_floats(F, HY_SHAPE(3), some), n->var);
    case 7: return hy_cond(F, yes, target_branch, target_leave, hy_group(F, x, mean, n->var), n);
    case 8: return hy_get(F, hy_foreach(F, target_turn, one, hy_group(F, mean, n->var), n), 0);
    case 9: return hy_get(F, hy_foreach(F, target_row, x, hy_zeros(F, HY_SHAPE(1)), n), 0);
    default: return hy_get(F, hy_foreach(F, target_made, x, hy_zeros(F, HY_SHAPE(1)), n), 0);
    }
}

static target_net *target_new(hy_frame *F, int which)
{
    target_net *n = HY_BLOCK_NEW(F, target_net, target_forward);
    hy_param_opt opt = { 0 };
    opt.aux = 1;
    opt.init = hy_init_ones();
    n->mean = hy_add_param(F, &n->base, "mean", HY_SHAPE(3), &opt);
    n->var = hy_add_param(F, &n->base, "var", HY_SHAPE(3), &opt);
    n->kept = hy_keep(F, hy_ones(F, HY_SHAPE(3)));
    n->which = which;
    hy_initialize(F, &n->base, NULL);
    return n;
}

static hy_array *target_x(hy_frame *F)
{
    static const float x[] = { 1, 2, 3, 4, 5, 6 };
    return hy_floats(F, HY_SHAPE(2, 3), x);
}

/* In the same words everywhere, but for the name of a node. */
static int target_refused(hy_frame *F, int input)
{
    char words[300];
    const char *said = hy_error(F);
    sprintf(words, "batch_norm: Mutation target can only be Variable: input %d is a running statistic, which the call changes: it "
            "must be a parameter, an input or an array from outside of forward, not the result of a call within", input);
    CHECK(said && strstr(said, "Error in operator ") == said);
    return ERR(F, HY_ERROR_ARGUMENT, words);
}

static void target_ways(int which)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *x = target_x(F), *first = NULL, *y;
    hy_var_opt opt = { 0 };
    int way;
    for (way = 0; way < 4; way++) {             /* line by line and compiled, twice in training */
        target_net *n = target_new(F, which);
        if (way & 1) hy_hybridize(F, &n->base, NULL);
        hy_set_training(F, way >= 2);
        y = hy_call(F, &n->base, x);
        hy_set_training(F, 0);
        if (which > 3) { CHECK(!y && target_refused(F, which == 5 ? 4 : 3)); continue; }
        if (way % 2 == 0) first = y;
        CHECK(save_error(F, y, first) < 1e-6);
        CHECK_NEAR(hy_value(F, which == 1 ? n->kept : n->mean, 2), way < 2 ? 1 : 1.35, 1e-6);
    }
    opt.shaped = 1;
    opt.shape = HY_SHAPE(2, 3);
    y = hy_call(S, &target_new(F, which)->base, hy_var(S, "data", &opt));
    CHECK(which > 3 ? target_refused(S, which == 5 ? 4 : 3) : y != NULL);
#ifndef HYBRID_NO_IO
    y = hy_save_model_to(F, &target_new(F, which)->base, x);
    CHECK(which > 3 ? target_refused(F, which == 5 ? 4 : 3) : y && hy_load_model_from(F, hy_data(F, y), (size_t)hy_size(F, y), 0));
#endif
    CHECK_STR(hy_error(F), NULL);
    hy_close(S);
    hy_close(F);
}

static void target_everywhere(void)
{
    int which;
    for (which = 0; which <= 10; which++) target_ways(which);
}

/* Outside of forward nobody will compile it; a variable replaced by a result is found. */
static void target_elsewhere(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    const char *name = "mean";
    hy_array *x = target_x(F), *y, *v;
    hy_graph *g;
    y = target_norm(F, x, hy_mul_scalar(F, hy_mean(F, x, HY_AXES(0), NULL), 1), hy_ones(F, HY_SHAPE(3)));
    CHECK_NEAR(hy_value(F, y, 0, 0), 1 - 1.5 / sqrt(1 + 1e-3), 1e-6);
    v = hy_var(S, "var", NULL);
    g = hy_compile(S, hy_batch_norm(S, hy_var(S, "x", NULL), v, v, hy_var(S, name, NULL), v, NULL));
    CHECK(hy_compose(S, g, 0, NULL, NULL) != NULL);
    v = hy_mul_scalar(S, hy_var(S, "other", NULL), 2);
    CHECK(!hy_compose(S, g, 1, &name, &v) && target_refused(S, 3));
#ifndef HYBRID_NO_IO
    CHECK(!hy_load_model(F, "tests/golden/v0.3/statistic.hybrid"));             /* 0.3.0 wrote it */
    ERR(F, HY_ERROR_FORMAT, "Mutation target can only be Variable");
    CHECK(!hy_load_model(F, "tests/golden/v0.3/statistic_row.hybrid"));
    ERR(F, HY_ERROR_FORMAT, "Mutation target can only be Variable");
#endif
    hy_close(S);
    hy_close(F);
}

static void test_target(void)
{
    RUN(target_everywhere);
    RUN(target_elsewhere);
}
