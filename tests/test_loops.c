/* Loops and branches where they meet the rest: what is captured, states of any shape, gradients. */
#ifndef HYBRID_NO_TRAIN
static hy_array *loops_times(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    (void)s;
    return hy_group(F, hy_mul(F, x, (hy_array *)user), NULL);
}

static hy_array *loops_swap(hy_frame *F, hy_array *v, void *user)
{
    (void)user;
    return hy_group(F, hy_get(F, v, 1), v);
}

/* The third of three parts that a recorded operator gave; all of it is 3. */
static hy_array *loops_part(hy_frame *F)
{
    hy_array *x = hy_full(F, HY_SHAPE(4, 6), 3), *part;
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_record(F);
    part = hy_get(F, hy_split(F, x, 3, 1, NULL), 2);
    hy_pause(F);
    return part;
}

/* An array that is output 2 of a recorded operator is one value where it is captured: in a symbolic frame, and
 * where a loop without a turn is traced for the types of its outputs. */
static void test_loops_captured(void)
{
    hy_frame *F = hy_open(NULL), *S;
    hy_array *part = loops_part(F), *y;
    hy_graph *g;
    S = hy_symbolic(F);
    y = hy_add(S, hy_var(S, "v", NULL), part);
    OK(S);
    CHECK(y && y->node->in[1].output == 0);
    g = hy_compile(S, y);
    y = hy_graph_run(F, g, hy_ones(F, HY_SHAPE(4, 2)));
    OK(F);
    CHECK(y && hy_value(F, y, 3, 1) == 4);
    CHECK(!hy_close(S));
    hy_record(F);
    y = hy_get(F, hy_foreach(F, loops_times, hy_empty(F, HY_SHAPE(0, 2), HY_F32), NULL, part), 0);
    OK(F);
    CHECK(y && hy_ndim(F, y) == 3 && hy_dim(F, y, 0) == 0 && hy_dim(F, y, 1) == 4 && hy_dim(F, y, 2) == 2);
    y = hy_while_loop(F, control_never, loops_swap, hy_group(F, hy_zeros(F, HY_SHAPE(1)), part), 5, NULL);
    hy_pause(F);
    OK(F);
    CHECK(y && hy_dim(F, hy_get(F, y, 0), 0) == 5 && hy_value(F, hy_get(F, y, 0), 4, 3, 1) == 0);
    CHECK(hy_value(F, hy_get(F, hy_get(F, y, 1), 1), 3, 1) == 3);
    CHECK(!hy_close(F));
}
#endif

static void test_loops(void)
{
#ifndef HYBRID_NO_TRAIN
    RUN(test_loops_captured);
#endif
}
