/* Where values lie is "cpu(0)" in every mode, so that the book's test of a context runs in every mode. */
static int context_asked, context_right;

static hy_array *context_double(hy_frame *F, hy_array *x)
{
    const char *context = hy_context_of(F, x);
    context_asked++;
    context_right += context && !strcmp(context, "cpu(0)");
    return hy_mul_scalar(F, x, 2);
}

static hy_array *context_forward(hy_frame *F, hy_block *block, hy_array *x)
{
    (void)block;
    return context_double(F, x);
}

static hy_array *context_turn(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    (void)user;
    s = hy_add(F, context_double(F, x), context_double(F, s));
    return hy_group(F, s, s);
}

static hy_array *context_branch(hy_frame *F, hy_array *x, void *user) { (void)user; return context_double(F, x); }

static hy_array *context_loops(hy_frame *F, hy_block *block, hy_array *x)
{
    hy_array *y = hy_get(F, hy_foreach(F, context_turn, x, hy_zeros(F, HY_SHAPE(1)), NULL), 1);
    (void)block;
    return hy_cond(F, y, context_branch, context_branch, y, NULL);
}

static void context_everywhere(void)
{
    hy_forward_fn forward[] = { context_forward, context_loops };
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *x = hy_ones(F, HY_SHAPE(3)), *dead;
    hy_block *net;
    hy_var_opt shaped = { 0 };
    int i, way;
    shaped.shaped = 1;
    shaped.shape = HY_SHAPE(3);
    context_asked = context_right = 0;
    for (i = 0; i < 2; i++)
        for (way = 0; way < 4; way++) {         /* line by line, hybridized, recorded, in a symbolic frame */
            net = hy_nn_hybrid_lambda(F, forward[i], NULL);
            if (way & 1) hy_hybridize(F, net, NULL);
#ifndef HYBRID_NO_TRAIN
            if (way == 2) { hy_attach_grad(F, x, HY_GRAD_WRITE); hy_record(F); }
#endif
            if (way < 3) CHECK_NEAR(hy_value(F, hy_call(F, net, x), 0), i ? 28 : 2, 0);
            else CHECK(hy_call(S, net, hy_var(S, i ? "rows" : "data", i ? &shaped : NULL)) != NULL);
#ifndef HYBRID_NO_TRAIN
            if (way == 2) hy_pause(F);
#endif
        }
    CHECK(context_asked >= 4 * 3 && context_right == context_asked && !hy_error(F) && !hy_error(S));
    hy_begin(F);
    dead = hy_ones(F, HY_SHAPE(1));
    hy_end(F);
    CHECK_STR(hy_context_of(F, dead), "cpu(0)");        /* an error, and yet text */
    CHECK(hy_error(F) && strstr(hy_error(F), "hy_context_of"));
    CHECK_STR(hy_context_of(F, x), "cpu(0)");
    CHECK_STR(hy_context_of(F, NULL), "cpu(0)");
    CHECK_STR(hy_context_of(NULL, x), "cpu(0)");
    hy_close(S);
    hy_close(F);
}

static void test_context(void) { RUN(context_everywhere); }
