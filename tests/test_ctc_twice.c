/* The gradient of ctc_loss's gradient: differences agree, compiled as line by line, for any number of threads. */
#ifndef HYBRID_NO_TRAIN
typedef struct { hy_block base; int lengths; } ctc_block;

static hy_array *ctc_twice_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_ctc_loss_opt opt = { 0 };
    if (((ctc_block *)self)->lengths) {
        opt.use_data_lengths = opt.use_label_lengths = 1;
        opt.data_lengths = hy_get(F, x, 2);
        opt.label_lengths = hy_get(F, x, 3);
    }
    return hy_ctc_loss(F, hy_mul_scalar(F, hy_get(F, x, 0), 2), hy_get(F, x, 1), &opt);
}

/* x -> the gradient of its loss */
typedef struct { hy_block *block; hy_array *in[4]; } ctc_slope;
static hy_array *ctc_twice_slope(hy_frame *F, hy_array *x, void *user)
{
    ctc_slope *s = (ctc_slope *)user;
    hy_grad_opt opt = { 0 };
    hy_array *y, *g;
    int recording = hy_is_recording(F);
    opt.create_graph = 1;
    s->in[0] = x;
    if (!recording) hy_record(F);
    y = hy_call(F, s->block, hy_group_of(F, 4, s->in));
    opt.head_grads = hy__weights_like(F, y);
    g = hy_grad(F, y, x, &opt);
    if (!recording) hy_pause(F);
    return g;
}

static void ctc_twice(int lengths)
{
    static const float label[] = { 1, 2, 3, 2, 2, 0, 4, 0, 0, 3, 1, 1 }, steps[] = { 6, 5, 0, 6 }, counts[] = { 3, 2, 1, 0 };
    double bits[4][120];
    int threads, compiled, n = 0;
    for (threads = 1; threads < 4; threads += 2) for (compiled = 0; compiled < 2; compiled++, n++) {
        hy_desc desc = { 0 };
        hy_frame *F;
        ctc_block *b;
        ctc_slope s;
        hy_backward_opt opt = { 0 };
        hy_array *x, *g;
        double error;
        desc.threads = threads;
        F = hy_open(&desc);
        b = HY_BLOCK_NEW(F, ctc_block, ctc_twice_forward);
        b->lengths = lengths;
        s.block = &b->base;
        if (compiled) hy_hybridize(F, &b->base, NULL);
        x = hy_cast(F, hy_normal(F, HY_SHAPE(6, 4, 5), 0, 1), HY_F64);
        s.in[1] = hy_floats(F, HY_SHAPE(4, 3), label);
        s.in[2] = hy_floats(F, HY_SHAPE(4), steps);
        s.in[3] = hy_floats(F, HY_SHAPE(4), counts);
        error = hy_check_grad(F, ctc_twice_slope, &s, x, 1e-5);
        if (!CHECK(error < 1e-6)) printf("    off by %g\n", error);
        hy_attach_grad(F, x, HY_GRAD_WRITE);
        hy_record(F);
        g = ctc_twice_slope(F, x, &s);
        opt.head_grads = hy__weights_like(F, g);        /* with ones it is 0: all logits may grow alike */
        hy_backward(F, g, &opt);
        hy_pause(F);
        g = hy_grad_of(F, x);
        CHECK(hy_item(F, hy_sum(F, hy_square(F, g), HY_ALL, NULL)) > 1e-3);
        if (CHECK(g != NULL)) memcpy(bits[n], hy_data(F, g), sizeof bits[n]);
        CHECK(!memcmp(bits[n], bits[0], sizeof bits[n]));
        CHECK_STR(hy_error(F), NULL);
        CHECK(hy_close(F) == 0);
    }
}

/* A third order there is not, and a label that is no class is an error of the second, too. */
static void test_ctc_twice_refuses(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_normal(F, HY_SHAPE(3, 1, 3), 0, 1), *label = hy_full(F, HY_SHAPE(1, 1), 1), *g;
    hy_grad_opt opt = { 0 };
    int i;
    opt.create_graph = 1;
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_record(F);
    for (g = hy_ctc_loss(F, x, label, NULL), i = 0; i < 2; i++) g = hy_grad(F, g, x, &opt);
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_grad(F, g, x, NULL) == NULL && hy_error_code(F) == HY_ERROR_GRADIENT);
    hy_pause(F);
    hy_clear(F);
    hy__ctc_loss_rate(F, x, hy_full(F, HY_SHAPE(1, 1), 9), NULL, NULL, x, NULL);
    CHECK(strstr(hy_error(F), "a label is no class") != NULL);
    hy_close(F);
}

static void test_ctc_twice_agrees(void)
{
    ctc_twice(0);
    ctc_twice(1);
}
#endif

static void test_ctc_twice(void)
{
#ifndef HYBRID_NO_TRAIN
    RUN(test_ctc_twice_agrees);
    RUN(test_ctc_twice_refuses);
#endif
}
