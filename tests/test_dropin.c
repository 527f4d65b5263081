/* The library in a host that has its own ideas: rounding modes and flushed denormals, traps, fork, short enums. */
#include <fenv.h>

/* --- exceptions: ordinary numbers raise none that a host may trap --- */
#if defined(FE_INVALID) && defined(FE_DIVBYZERO) && defined(FE_OVERFLOW)
enum { DROPIN_RAISED = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW };

static hy_frame *dropin_open(int isa, int threads)
{
    hy_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.isa = isa;
    desc.threads = threads;
    desc.seed = 11;
    return hy_open(&desc);
}

static void dropin_quiet(hy_frame *F, const char *op, const char *options, hy_dtype dtype, hy_shape shape)
{
    hy_array *x;
    hy_begin(F);
    x = hy_cast(F, hy_uniform(F, shape, 0.1, 0.9), dtype);
    feclearexcept(FE_ALL_EXCEPT);
    hy_apply(F, op, 1, &x, options);
    if (!CHECK(!fetestexcept(DROPIN_RAISED)))
        printf("%s of %s raises %d\n", op, hy_dtype_name(dtype), fetestexcept(DROPIN_RAISED));
    CHECK_STR(hy_error(F), NULL);
    hy_end(F);
}

static void dropin_raises_nothing(void)
{
    static const char *const op[] = {
        "relu", "exp", "log", "sigmoid", "tanh", "sqrt", "erf", "sin", "tan", "softsign", "mish", "log1p",
        "expm1", "rsqrt", "cbrt", "gammaln", "gamma", "softmax", "log_softmax", "softmin", "round", "rint", "floor",
        "sign", "argmax", "max", "mean", "square", "reciprocal", "arctan", "sinh", "cosh", "softrelu", "hard_sigmoid",
        "rcbrt", "log2", "log10", "arcsinh", "digamma", "erfinv", "sort", "topk", "norm"
    };
    static const int64_t width[] = { 1, 10, 13, 32, 300 };
    int isa, k, w;
    for (isa = HY_ISA_BASE; isa <= HY_ISA_AVX512; isa++) {
        hy_frame *F = dropin_open(isa, 1);
        for (k = 0; k < (int)(sizeof op / sizeof *op); k++)
            for (w = 0; w < 5; w++) {
                dropin_quiet(F, op[k], "", HY_F32, HY_SHAPE(5, width[w]));
                dropin_quiet(F, op[k], "", HY_F64, HY_SHAPE(5, width[w]));
            }
        for (w = 0; w < 5; w++) {
            dropin_quiet(F, "softmax", "axis=0", HY_F32, HY_SHAPE(5, width[w]));
            dropin_quiet(F, "log_softmax", "axis=0", HY_F64, HY_SHAPE(width[w], 3));
            dropin_quiet(F, "softmax", "axis=1,temperature=0.5", HY_F16, HY_SHAPE(2, 7, width[w]));
        }
        CHECK(hy_close(F) == 0);
    }
}

/* Masks of attention: -infinity beside ordinary numbers. */
static void dropin_masks_raise_nothing(void)
{
    int isa, i;
    for (isa = HY_ISA_BASE; isa <= HY_ISA_AVX512; isa++) {
        hy_frame *F = dropin_open(isa, 1);
        hy_array *x = hy_uniform(F, HY_SHAPE(3, 40), -1, 1), *y;
        for (i = 0; i < 20; i++) hy_set_value(F, x, -HUGE_VAL, 1, 2 * i);
        feclearexcept(FE_ALL_EXCEPT);
        y = hy_softmax(F, x, -1, NULL);
        CHECK(!fetestexcept(DROPIN_RAISED));
        CHECK_NEAR(hy_item(F, hy_sum(F, y, HY_ALL, NULL)), 3, 1e-6);
        CHECK(hy_value(F, y, 1, 4) == 0);
        CHECK(hy_close(F) == 0);
    }
}

/* A convolution, norms, a loss of ten classes, backward and two optimisers; attention; an LSTM; halves. */
#if !defined(HYBRID_NO_TRAIN) && !defined(HYBRID_NO_RNN) && !defined(HYBRID_NO_VISION)
static hy_block *dropin_net(hy_frame *F)
{
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_append(F, net, hy_nn_conv2d(F, 8, HY_INTS(3, 3), NULL), hy_nn_batch_norm(F, NULL),
              hy_nn_max_pool2d(F, HY_INTS(2, 2), NULL), hy_nn_flatten(F), hy_nn_dense(F, 33, NULL),
              hy_nn_gelu(F), hy_nn_dense(F, 10, NULL));
    return net;
}

static void dropin_step(hy_frame *F, hy_block *net, hy_trainer *T, hy_array *x, hy_array *label)
{
    hy_array *loss;
    hy_begin(F);
    hy_record(F);
    loss = hy_softmax_cross_entropy(F, hy_call(F, net, x), label);
    hy_pause(F);
    hy_backward(F, loss, NULL);
    hy_step(F, T, 4);
    hy_end(F);
    CHECK(!fetestexcept(DROPIN_RAISED));
}

static void dropin_learning_raises_nothing(void)
{
    static const float labels[4] = { 1, 2, 3, 9 };
    int adam, turn;
    for (adam = 0; adam < 2; adam++) {
        hy_frame *F = dropin_open(HY_ISA_AUTO, 1);
        hy_array *x = hy_normal(F, HY_SHAPE(4, 3, 12, 12), 0, 1), *label = hy_floats(F, HY_SHAPE(4), labels);
        hy_block *net = dropin_net(F);
        hy_trainer *T;
        feclearexcept(FE_ALL_EXCEPT);
        hy_initialize(F, net, NULL);
        hy_call(F, net, x);
        CHECK(!fetestexcept(DROPIN_RAISED));
        T = hy_trainer_new(F, net, adam ? hy_optim_adam(NULL) : hy_optim_sgd(NULL), NULL);
        for (turn = 0; turn < 2; turn++) dropin_step(F, net, T, x, label);
        hy_hybridize(F, net, NULL);
        for (turn = 0; turn < 2; turn++) dropin_step(F, net, T, x, label);
        hy_call(F, net, x);
        hy_cast(F, hy_cast(F, x, HY_F16), HY_F32);
        CHECK(!fetestexcept(DROPIN_RAISED));
        CHECK_STR(hy_error(F), NULL);
        CHECK(hy_close(F) == 0);
    }
}

static void dropin_sequences_raise_nothing(void)
{
    hy_frame *F = dropin_open(HY_ISA_AUTO, 1);
    hy_array *x = hy_uniform(F, HY_SHAPE(5, 2, 7), 0, 1), *q = hy_uniform(F, HY_SHAPE(2, 5, 8), 0, 1);
    hy_block *lstm = hy_rnn_lstm(F, 16, NULL);
    feclearexcept(FE_ALL_EXCEPT);
    hy_initialize(F, lstm, NULL);
    hy_call(F, lstm, x);
    hy_hybridize(F, lstm, NULL);
    hy_call(F, lstm, x);
    CHECK(!fetestexcept(DROPIN_RAISED));
    hy_batch_dot(F, hy_softmax(F, hy_batch_dot(F, q, hy_transpose(F, q, HY_AXES(0, 2, 1)), NULL), -1, NULL), q, NULL);
    CHECK(!fetestexcept(DROPIN_RAISED));
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
}
#endif

static void test_dropin_traps(void)
{
    RUN(dropin_raises_nothing);
    RUN(dropin_masks_raise_nothing);
#if !defined(HYBRID_NO_TRAIN) && !defined(HYBRID_NO_RNN) && !defined(HYBRID_NO_VISION)
    RUN(dropin_learning_raises_nothing);
    RUN(dropin_sequences_raise_nothing);
#endif
}
#else
static void test_dropin_traps(void) { }
#endif

static void test_dropin(void)
{
    test_dropin_traps();
}
