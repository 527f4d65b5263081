/* Matrices: Cholesky of what is positive definite, each operator against the others, gradients through all of them, what has no inverse. */

/* Of a batch of matrices B: the triangle of A = B B^T + I, A^-1 + L^-1 B, det L, log det A. */
static hy_array *linalg_all(hy_frame *F, hy_array *b, void *user)
{
    hy_linalg_gemm2_opt turned = { 0, 1, 0, 0 };
    hy_array *a = hy_linalg_gemm2(F, b, b, &turned), *l;
    a = hy_add(F, a, hy_cast(F, (hy_array *)user, HY_F64));
    l = hy_linalg_potrf(F, a);
    return hy_group(F, l, hy_add(F, hy_linalg_inverse(F, a), hy_linalg_trsm(F, l, b, NULL)), hy_linalg_det(F, l),
                    hy_get(F, hy_linalg_slogdet(F, a), 1));
}
static hy_array *linalg_forward(hy_frame *F, hy_block *self, hy_array *b) { (void)self; return linalg_all(F, b, hy_eye(F, 4, 4, 0)); }

static hy_array *linalg_matrices(hy_frame *F) { return hy_cast(F, hy_uniform(F, HY_SHAPE(3, 4, 4), -1, 1), HY_F64); }

static void test_linalg_values(void)
{
    hy_frame *F = hy_open(NULL);
    hy_linalg_gemm2_opt turned = { 0, 1, 0, 0 };
    hy_array *one = hy_cast(F, hy_eye(F, 4, 4, 0), HY_F64), *b = linalg_matrices(F), *a, *l, *d, *s;
    a = hy_add(F, hy_linalg_gemm2(F, b, b, &turned), one);
    l = hy_linalg_potrf(F, a);
    d = hy_linalg_det(F, l);
    s = hy_linalg_slogdet(F, a);
    CHECK_NEAR(hy_item(F, hy_max(F, hy_abs(F, hy_sub(F, hy_linalg_gemm2(F, l, l, &turned), a)), HY_ALL, NULL)), 0, 1e-13);
    CHECK_NEAR(hy_item(F, hy_max(F, hy_abs(F, hy_triu(F, l, 1)), HY_ALL, NULL)), 0, 0);
    CHECK_NEAR(hy_item(F, hy_max(F, hy_abs(F, hy_sub(F, hy_linalg_gemm2(F, a, hy_linalg_inverse(F, a), NULL), one)), HY_ALL, NULL)),
               0, 1e-12);
    CHECK_NEAR(hy_item(F, hy_max(F, hy_abs(F, hy_sub(F, hy_log(F, hy_square(F, d)), hy_get(F, s, 1))), HY_ALL, NULL)), 0, 1e-12);
    CHECK(hy_item(F, hy_min(F, hy_get(F, s, 0), HY_ALL, NULL)) == 1);
    CHECK(!hy_error(F));
    CHECK(hy_close(F) == 0);
}

#ifndef HYBRID_NO_TRAIN
static void test_linalg_gradients(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = HY_BLOCK_NEW(F, hy_block, linalg_forward);
    hy_array *b = linalg_matrices(F), *y, *z;
    CHECK(hy_check_grad(F, linalg_all, hy_eye(F, 4, 4, 0), b, 1e-5) < 1e-7);
    y = hy_call(F, net, b);
    hy_hybridize(F, net, NULL);
    hy_call(F, net, b);
    z = hy_call(F, net, b);
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(hy_item(F, hy_max(F, hy_abs(F, hy_sub(F, hy_get(F, y, i), hy_get(F, z, i))), HY_ALL, NULL)), 0, 1e-13);
    CHECK(!hy_error(F));
    CHECK(hy_close(F) == 0);
}

/* A determinant of 0 has a gradient of 0, as in MXNet, and the matrices beside it have theirs: here A^-T, times the
 * determinant or not. */
static hy_array *linalg_two_forward(hy_frame *F, hy_block *self, hy_array *a)
{
    (void)self;
    return hy_group(F, hy_linalg_det(F, a), hy_get(F, hy_linalg_slogdet(F, a), 1));
}
static void test_linalg_singular(void)
{
    static const double both[] = { 1, 2, 2, 4, 1, 2, 3, 4 }, inverse[] = { -2, 1.5, 1, -0.5 };
    hy_frame *F = hy_open(NULL);
    hy_block *net = HY_BLOCK_NEW(F, hy_block, linalg_two_forward);
    hy_array *a = hy_from(F, HY_SHAPE(2, 2, 2), HY_F64, both), *g;
    int compiled, which, i;
    hy_attach_grad(F, a, HY_GRAD_WRITE);
    for (compiled = 0; compiled < 2; compiled++)
        for (which = 0; which < 2; which++) {
            if (compiled) hy_hybridize(F, net, NULL);
            hy_record(F);
            g = hy_get(F, hy_call(F, net, a), which);
            hy_pause(F);
            hy_backward(F, g, NULL);
            g = hy_grad_of(F, a);
            for (i = 0; i < 4; i++) {
                CHECK(hy_value(F, g, 0, i / 2, i % 2) == 0);
                CHECK_NEAR(hy_value(F, g, 1, i / 2, i % 2), inverse[i] * (which ? 1 : -2), 1e-14);
            }
        }
    a = hy_ones(F, HY_SHAPE(2, 2));
    hy_attach_grad(F, a, HY_GRAD_WRITE);
    hy_record(F);
    g = hy_linalg_det(F, a);
    hy_pause(F);
    hy_backward(F, g, NULL);
    CHECK(hy_item(F, hy_max(F, hy_abs(F, hy_grad_of(F, a)), HY_ALL, NULL)) == 0);
    CHECK(!hy_error(F));
    CHECK(hy_close(F) == 0);
}
#endif

static void test_linalg_errors(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *one = hy_eye(F, 2, 2, 0);
    hy_linalg_potrf(F, hy_negative(F, one));
    FAILS(F, HY_ERROR_INDEX, "a matrix is not positive definite");
    hy_linalg_potrf(F, hy_full(F, HY_SHAPE(2, 2), NAN));
    FAILS(F, HY_ERROR_INDEX, "a matrix is not positive definite");
    hy_linalg_inverse(F, hy_ones(F, HY_SHAPE(3, 2, 2)));
    FAILS(F, HY_ERROR_INDEX, "a matrix is singular");
    hy_linalg_inverse(F, hy_ones(F, HY_SHAPE(2, 3)));
    FAILS(F, HY_ERROR_SHAPE, "linalg_inverse");
    hy_linalg_det(F, hy_ones(F, HY_SHAPE(4)));
    FAILS(F, HY_ERROR_SHAPE, "(4,) has no matrices: two dims at least");
    hy_tril(F, hy_scalar(F, 1), 0);
    FAILS(F, HY_ERROR_SHAPE, "() has no");
    hy_linalg_trsm(F, one, hy_ones(F, HY_SHAPE(3, 2)), NULL);
    FAILS(F, HY_ERROR_SHAPE, "linalg_trsm");
    hy_linalg_slogdet(F, hy_cast(F, one, HY_I32));
    FAILS(F, HY_ERROR_DTYPE, "is not supported here");
    CHECK_NEAR(hy_item(F, hy_linalg_det(F, hy_ones(F, HY_SHAPE(2, 2)))), 0, 0);
    CHECK(hy_item(F, hy_get(F, hy_linalg_slogdet(F, hy_ones(F, HY_SHAPE(2, 2))), 1)) == -HUGE_VAL);
    CHECK_NEAR(hy_item(F, hy_linalg_det(F, hy_zeros(F, HY_SHAPE(0, 0)))), 1, 0);
    CHECK(!hy_error(F));
    CHECK(hy_close(F) == 0);
}

static void test_linalg(void)
{
    RUN(test_linalg_values);
#ifndef HYBRID_NO_TRAIN
    RUN(test_linalg_gradients);
    RUN(test_linalg_singular);
#endif
    RUN(test_linalg_errors);
}
