/* A leaf takes its gradient's memory instead of a copy where nobody can tell: whoever holds an array sees what he would see
 * if it were copied. */
static hy_array *handover_leaf(hy_frame *F, double value, hy_grad_req req)
{
    hy_array *x = hy_keep(F, hy_full(F, HY_SHAPE(300), value));
    hy_attach_grad(F, x, req);
    return x;
}

/* scale * (a + b), whose gradient is one array for both. */
static void handover_back(hy_frame *F, hy_array *a, hy_array *b, double scale, hy_array *head_grad)
{
    hy_backward_opt o = { 0 };
    hy_array *y;
    o.head_grads = head_grad;
    hy_record(F);
    y = hy_add(F, a, b);
    if (scale != 1) y = hy_mul_scalar(F, y, scale);
    hy_pause(F);
    hy_backward(F, y, &o);
}

static void handover_shared(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *a = handover_leaf(F, 1, HY_GRAD_WRITE), *b = handover_leaf(F, 2, HY_GRAD_WRITE);
    hy_array *sum = handover_leaf(F, 3, HY_GRAD_ADD), *held;
    hy_begin(F);
    handover_back(F, a, b, 5, NULL);
    CHECK_NEAR(hy_value(F, hy_grad_of(F, a), 299), 5, 0);
    hy_end(F);
    hy_fill(F, hy_grad_of(F, a), 7);                    /* theirs apart: one is written */
    CHECK_NEAR(hy_value(F, hy_grad_of(F, b), 0), 5, 0);
    held = hy_keep(F, hy_grad_of(F, a));                /* a handle from before shows what comes after */
    handover_back(F, a, b, 3, NULL);
    CHECK_NEAR(hy_value(F, held, 299), 3, 0);
    CHECK(hy_data(F, held) == hy_data(F, hy_grad_of(F, a)));
    handover_back(F, sum, b, 2, NULL);
    handover_back(F, sum, b, 4, NULL);
    CHECK_NEAR(hy_value(F, hy_grad_of(F, sum), 10), 6, 0);
    CHECK_NEAR(hy_value(F, hy_grad_of(F, b), 10), 4, 0);
    CHECK_NEAR(hy_value(F, held, 0), 3, 0);
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
}

/* Head gradients stay the caller's, wherever they were made; so does the loss, when its gradient is kept. */
static void handover_heads(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *a = handover_leaf(F, 1, HY_GRAD_WRITE), *b = handover_leaf(F, 2, HY_GRAD_WRITE);
    hy_array *far = hy_keep(F, hy_full(F, HY_SHAPE(300), 8)), *near;
    handover_back(F, a, b, 1, far);
    hy_fill(F, hy_grad_of(F, a), 1);
    CHECK_NEAR(hy_value(F, far, 5), 8, 0);
    CHECK_NEAR(hy_value(F, hy_grad_of(F, b), 5), 8, 0);
    hy_begin(F);
    near = hy_full(F, HY_SHAPE(300), 9);
    handover_back(F, a, b, 1, near);
    hy_fill(F, near, 0);
    CHECK_NEAR(hy_value(F, hy_grad_of(F, a), 5), 9, 0);
    hy_end(F);
    hy_free(F, a);                                      /* the leaf goes, and its memory with it */
    CHECK_NEAR(hy_value(F, hy_grad_of(F, b), 299), 9, 0);
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
}

static void test_handover(void)
{
    RUN(handover_shared);
    RUN(handover_heads);
}
