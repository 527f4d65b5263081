/* Writes of recorded values: what is assigned keeps its history, and where it could not, that is an error. */
static void written_expect(hy_frame *F, const char *part)
{
    const char *error = hy_error(F);
    if (!CHECK(error && strstr(error, part))) printf("    want \"%s\", got \"%s\"\n", part, error ? error : "(none)");
    hy_clear(F);
}

/* d(sum of (2 w)^2) / dw = 8 w, whatever lies between: as MXNet 1.9.1 has it for x[:] = 2 * w. */
static void test_written_assign(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *w = hy_arange(F, 1, 4, 1), *rows = hy_zeros(F, HY_SHAPE(2, 3)), *wide = NULL, *x, *y;
    int turn;
    hy_attach_grad(F, w, HY_GRAD_WRITE);
    x = hy_zeros(F, HY_SHAPE(3));
    for (turn = 0; turn < 3; turn++) {                  /* the same array again, after backward has run */
        hy_record(F);
        hy_assign(F, x, hy_mul_scalar(F, w, 2));
        y = hy_square(F, x);
        hy_pause(F);
        hy_backward(F, y, NULL);
        CHECK_NEAR(hy_value(F, x, 2), 6, 0);
        CHECK_NEAR(hy_value(F, hy_grad_of(F, w), 2), 24, 0);
    }
    wide = hy_cast(F, rows, HY_F64);
    hy_record(F);
    hy_assign(F, wide, hy_mul_scalar(F, w, 2));         /* two rows of another type: twice the gradient */
    y = hy_square(F, wide);
    hy_pause(F);
    hy_backward(F, y, NULL);
    CHECK_NEAR(hy_value(F, wide, 1, 1), 4, 0);
    CHECK_NEAR(hy_value(F, hy_grad_of(F, w), 1), 32, 0);
    hy_record(F);
    hy_assign(F, rows, hy_block_grad(F, hy_mul_scalar(F, w, 2)));
    y = hy_mul(F, rows, w);
    hy_pause(F);
    hy_backward(F, y, NULL);
    CHECK_NEAR(hy_value(F, hy_grad_of(F, w), 2), 12, 0);
    if (!CHECK(!hy_error(F))) puts(hy_error(F));
    CHECK(hy_close(F) == 0);
}

static void test_written_errors(void)
{
    static const char *const lost = "has a gradient, which would be lost";
    hy_frame *F = hy_open(NULL);
    hy_block *net;
    hy_array *w = hy_arange(F, 1, 4, 1), *x = hy_zeros(F, HY_SHAPE(3)), *whole = hy_zeros(F, HY_SHAPE(2, 3)), *row;
    hy_nn_dense_opt opt;
    memset(&opt, 0, sizeof opt);
    opt.in_units = 1;
    net = hy_nn_dense(F, 3, &opt);
    hy_initialize(F, net, NULL);
    hy_attach_grad(F, w, HY_GRAD_WRITE);
    row = hy_view_index(F, whole, 0, 1);
    hy_record(F);
    hy_add_to(F, x, w);
    written_expect(F, lost);
    hy_sub_from(F, x, w);
    written_expect(F, lost);
    hy_mul_by(F, x, hy_square(F, w));
    written_expect(F, lost);
    hy_div_by(F, x, w);
    written_expect(F, "write a = a + b");
    hy_assign(F, row, w);                               /* the whole would not know of it */
    written_expect(F, lost);
    hy_assign(F, hy_param(F, net, "bias"), w);
    CHECK(hy_error(F) != NULL);
    hy_clear(F);
    hy_assign(F, x, w);
    hy_assign(F, x, hy_square(F, w));                   /* backward still has to come */
    written_expect(F, "part of a recorded computation");
    hy_pause(F);
    hy_add_to(F, whole, w);                             /* not recorded: numbers, nothing else */
    CHECK_NEAR(hy_value(F, whole, 1, 2), 3, 0);
    CHECK_NEAR(hy_value(F, x, 2), 3, 0);
    if (!CHECK(!hy_error(F))) puts(hy_error(F));
    CHECK(hy_close(F) == 0);
}

static int written_oom_program(hy_frame *F)
{
    hy_array *w = hy_arange(F, 1, 4, 1), *x = hy_zeros(F, HY_SHAPE(2, 3)), *y;
    hy_attach_grad(F, w, HY_GRAD_WRITE);
    hy_record(F);
    hy_assign(F, x, hy_square(F, w));
    y = hy_square(F, x);
    hy_pause(F);
    hy_backward(F, y, NULL);
    return hy_value(F, hy_grad_of(F, w), 1) == 64 && !hy_error(F);
}
static void test_written_oom(void) { oom_walk(written_oom_program, 1); }

static void test_written(void)
{
    RUN(test_written_assign);
    RUN(test_written_errors);
    RUN(test_written_oom);
}
