/* Gamma, Poisson, negative binomial and multinomial numbers: moments, the same bits for any number of threads, bad parameters. */

/* Mean and variance lie within five deviations of what they should be. */
static void random_moments(hy_frame *F, hy_array *x, double mean, double variance)
{
    hy_array *m = hy_moments(F, hy_cast(F, x, HY_F64), HY_ALL, NULL);
    double n = (double)hy_size(F, x);
    CHECK_NEAR(hy_item(F, hy_get(F, m, 0)), mean, 5 * sqrt(variance / n) + 1e-12);
    CHECK_NEAR(hy_item(F, hy_get(F, m, 1)), variance, variance * 0.12 + 1e-12);
    CHECK(!hy_error(F));
}

static void test_random_moments(void)
{
    hy_frame *F = hy_open(NULL);
    hy_shape s = HY_SHAPE(20000);
    hy_seed(F, 3);
    random_moments(F, hy_random_gamma(F, s, 0.5, 2, NULL), 1, 2);
    random_moments(F, hy_random_gamma(F, s, 9, 0.5, NULL), 4.5, 2.25);
    random_moments(F, hy__sample_gamma(F, hy_full(F, s, 4), hy_full(F, s, 0.5), HY_SCALAR, NULL), 2, 1);
    random_moments(F, hy__sample_gamma(F, hy_full(F, HY_SHAPE(1), 0.5), hy_full(F, HY_SHAPE(1), 2), s, NULL), 1, 2);
    random_moments(F, hy_random_poisson(F, s, 0.25, NULL), 0.25, 0.25);
    random_moments(F, hy_random_poisson(F, s, 9.5, NULL), 9.5, 9.5);
    random_moments(F, hy_random_poisson(F, s, 10.5, NULL), 10.5, 10.5);
    random_moments(F, hy_random_poisson(F, s, 4000, NULL), 4000, 4000);
    random_moments(F, hy_random_poisson(F, s, 0, NULL), 0, 0);
    random_moments(F, hy_random_negative_binomial(F, s, 3, 0.4, NULL), 4.5, 11.25);
    random_moments(F, hy_random_general_negative_binomial(F, s, 5, 0.3, NULL), 5, 12.5);
    random_moments(F, hy_random_general_negative_binomial(F, s, 5, 0, NULL), 5, 5);
    random_moments(F, hy_random_general_negative_binomial(F, s, 5, 1e-310, NULL), 5, 5);
    CHECK(hy_item(F, hy_min(F, hy_random_gamma(F, s, 0.01, 1, NULL), HY_ALL, NULL)) >= 0);
    CHECK(hy_close(F) == 0);
}

/* Shares of the classes are their probabilities; those of chance 0 are never drawn. */
static void test_random_multinomial(void)
{
    static const float p[] = { 0, 0.5f, 0.2f, 0, 0.3f, 0, 2, 0, 6, 0 };
    hy_frame *F = hy_open(NULL);
    hy_sample_multinomial_opt both = { 1, 0 };
    hy_array *x = hy_from(F, HY_SHAPE(2, 5), HY_F32, p), *y, *share, *loss;
    hy_seed(F, 11);
    y = hy_sample_multinomial(F, x, HY_SHAPE(8000), &both);
    CHECK(hy_shape_of(F, hy_get(F, y, 0)).ndim == 2 && hy_dtype_of(F, hy_get(F, y, 0)) == HY_I32);
    share = hy_mean(F, hy_one_hot(F, hy_get(F, y, 0), 5, NULL), HY_AXES(1), NULL);
    for (int i = 0; i < 10; i++) {
        double want = p[i] / (i < 5 ? 1.0 : 8.0), got = hy_item(F, hy_reshape(F, hy_slice(F, hy_reshape(F, share, HY_INTS(-1), NULL),
                                                                HY_INTS(i), HY_INTS(i + 1), NULL), HY_INTS(1), NULL));
        CHECK_NEAR(got, want, want > 0 ? 0.03 : 0);
    }
    CHECK_NEAR(hy_item(F, hy_max(F, hy_get(F, y, 1), HY_ALL, NULL)), log(0.75), 1e-6);
    CHECK(hy_ndim(F, hy_sample_multinomial(F, hy_copy(F, hy_view_slice(F, x, 0, 0, 1, 1)), HY_SCALAR, NULL)) == 1);
#ifndef HYBRID_NO_TRAIN
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_record(F);
    y = hy_sample_multinomial(F, x, HY_SHAPE(3), &both);
    loss = hy_sum(F, hy_get(F, y, 1), HY_ALL, NULL);
    hy_pause(F);
    hy_backward(F, loss, NULL);
    CHECK_NEAR(hy_item(F, hy_sum(F, hy_mul(F, hy_grad_of(F, x), x), HY_ALL, NULL)), 6, 1e-5);
    CHECK_NEAR(hy_item(F, hy_sum(F, hy_where(F, hy_equal_scalar(F, x, 0), hy_grad_of(F, x), hy_zeros_like(F, x)), HY_ALL, NULL)), 0, 0);
    x = hy_full(F, HY_SHAPE(3), 0.25);                  /* no draws, no gradient */
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_record(F);
    loss = hy_get(F, hy_sample_multinomial(F, x, HY_SHAPE(0), &both), 1);
    hy_pause(F);
    hy_backward(F, loss, NULL);
    CHECK(!hy_error(F));
    CHECK_NEAR(hy_item(F, hy_sum(F, hy_abs(F, hy_grad_of(F, x)), HY_ALL, NULL)), 0, 0);
#else
    (void)loss;
#endif
    CHECK(!hy_error(F));
    CHECK(hy_close(F) == 0);
}

static void test_random_threads(void)
{
    hy_array *y[2][3];
    hy_frame *F[2];
    for (int k = 0; k < 2; k++) {
        hy_desc desc = { 0 };
        desc.threads = k ? 3 : 1;
        F[k] = hy_open(&desc);
        hy_seed(F[k], 5);
        y[k][0] = hy_random_gamma(F[k], HY_SHAPE(3001), 0.7, 1, NULL);
        y[k][1] = hy_random_poisson(F[k], HY_SHAPE(3001), 33, NULL);
        y[k][2] = hy_sample_multinomial(F[k], hy_uniform(F[k], HY_SHAPE(500, 7), 0.1, 1), HY_SHAPE(6), NULL);
    }
    for (int i = 0; i < 3; i++) CHECK(!memcmp(hy_data(F[0], y[0][i]), hy_data(F[1], y[1][i]), (size_t)hy_size(F[0], y[0][i]) * 4));
    for (int k = 0; k < 2; k++) CHECK(hy_close(F[k]) == 0);
}

static void test_random_errors(void)
{
    hy_frame *F = hy_open(NULL);
    hy_shape s = HY_SHAPE(2);
    hy_random_gamma(F, s, 0, 1, NULL);
    FAILS(F, HY_ERROR_ARGUMENT, "alpha and beta must be above 0");
    hy__sample_gamma(F, hy_zeros(F, s), hy_ones(F, s), HY_SCALAR, NULL);
    FAILS(F, HY_ERROR_INDEX, "alpha and beta must be above 0");
    hy__sample_gamma(F, hy_ones(F, s), hy_full(F, s, NAN), HY_SCALAR, NULL);
    FAILS(F, HY_ERROR_INDEX, "alpha and beta must be above 0");
    hy__sample_gamma(F, hy_ones(F, s), hy_ones(F, HY_SHAPE(3)), HY_SCALAR, NULL);
    FAILS(F, HY_ERROR_SHAPE, "");
    hy_random_poisson(F, s, -1, NULL);
    FAILS(F, HY_ERROR_ARGUMENT, "lam must be from 0");
    hy_random_poisson(F, s, NAN, NULL);
    FAILS(F, HY_ERROR_ARGUMENT, "lam must be from 0");
    hy_random_negative_binomial(F, s, 0, 0.5, NULL);
    FAILS(F, HY_ERROR_ARGUMENT, "k must be above 0");
    hy_random_general_negative_binomial(F, s, 1, -1, NULL);
    FAILS(F, HY_ERROR_ARGUMENT, "mu and alpha");
    hy_sample_multinomial(F, hy_zeros(F, HY_SHAPE(3)), HY_SCALAR, NULL);
    FAILS(F, HY_ERROR_INDEX, "a probability is negative or no number, or all are 0");
    hy_sample_multinomial(F, hy_full(F, HY_SHAPE(3), -1), HY_SCALAR, NULL);
    FAILS(F, HY_ERROR_INDEX, "a probability is negative or no number, or all are 0");
    hy_sample_multinomial(F, hy_zeros(F, HY_SHAPE(3, 0)), HY_SCALAR, NULL);
    FAILS(F, HY_ERROR_SHAPE, "data has no classes");
    CHECK(hy_close(F) == 0);
}

static void test_random(void)
{
    RUN(test_random_moments);
    RUN(test_random_multinomial);
    RUN(test_random_threads);
    RUN(test_random_errors);
}
