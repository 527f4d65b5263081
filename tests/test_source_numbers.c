/* Elementary functions in C source against those of the library: all kinds of floats, ends and NaN included. */
#ifdef HYBRID_HAS_SOURCE
#define NUMBERS_OP(id, ...) HY_OP_##id,
static const int numbers_ops[] = { HY_UNARY_OPS(NUMBERS_OP) };
enum { NUMBERS_OPS = (int)(sizeof numbers_ops / sizeof *numbers_ops), NUMBERS = 6000 };

static hy_array *numbers_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *y[NUMBERS_OPS];
    int i;
    (void)self;
    for (i = 0; i < NUMBERS_OPS; i++) y[i] = hy_emit(F, F->root->ops[numbers_ops[i]], 1, &x, NULL);
    return hy_group_of(F, NUMBERS_OPS, y);
}

static int numbers_near(int op, float x, float got, float want)
{
    int turns = op == HY_OP_sin || op == HY_OP_cos || op == HY_OP_tan;
    if (op == HY_OP_erfinv || op == HY_OP_gamma || op == HY_OP_gammaln || op == HY_OP_digamma || op == HY_OP_trigamma)
        return 1;                                       /* of libm, or iterated */
    if (got != got || want != want) return got != got && want != want;
    if (turns && fabsf(x) > 1e5f) return 1;             /* there the last bits of a product in doubles decide */
    return got == want || fabsf(got - want) <= 1e-6f * fabsf(want) + (turns ? 1e-6f : 2e-38f);
}

static void numbers_log(void *user, int level, int code, const char *text)
{
    (void)code;
    if (level != HY_LOG_WARNING || !strstr(text, "jit: ")) return;
    puts(text);
    ++*(int *)user;
}

static void test_source_numbers_agree(void)
{
    const float ends[] = { 0, -0.0f, 1, -1, .5f, -.5f, INFINITY, -INFINITY, NAN, 1e-45f, -1e-45f, 1.2e-38f, 3.4e38f,
                                  -3.4e38f, 88.8f, -104, 1.5f, 2.5f, -2.5f, 8388609, 16777217.f, 67108865.f, -20, 9.1f };
    static float value[NUMBERS];
    hy_desc desc = { 0 };
    hy_frame *F;
    hy_hybridize_opt jit = { 0 };
    hy_block *b;
    hy_array *x, *plain, *built;
    uint32_t bits = 12345;
    int i, k, wrong = 0, warnings = 0;
    desc.log_fn = numbers_log;
    desc.log_user = &warnings;
    F = hy_open(&desc);
    b = HY_BLOCK_NEW(F, hy_block, numbers_forward);
    for (i = 0; i < NUMBERS; i++) {
        bits = bits * 1664525u + 1013904223u;
        value[i] = i % 2 ? hy__f32_of_bits(bits) : (float)((int32_t)bits >> 8) / 1e6f;
        if (i < (int)(sizeof ends / sizeof *ends)) value[i] = ends[i];
    }
    x = hy_floats(F, HY_SHAPE(NUMBERS), value);
    plain = hy_call(F, b, x);
    jit.jit = 1;
    hy_hybridize(F, b, &jit);
    built = hy_call(F, b, x);
    for (k = 0; k < NUMBERS_OPS && built; k++) {
        const float *want = (const float *)hy_data(F, hy_get(F, plain, k));
        const float *got = (const float *)hy_data(F, hy_get(F, built, k));
        for (i = 0; i < NUMBERS && want && got; i++) {
            if (numbers_near(numbers_ops[k], value[i], got[i], want[i])) continue;
            if (wrong++ < 20)
                printf("    %s of %.9g is %.9g, in C source %.9g\n", F->root->ops[numbers_ops[k]]->name, (double)value[i],
                       (double)want[i], (double)got[i]);
        }
    }
    if (!system("command -v cc > /dev/null 2>&1")) CHECK(!warnings);
    CHECK(wrong == 0);
    CHECK_STR(hy_error(F), NULL);
    hy_close(F);
}

/* Least multiples beyond 2^53, which no double holds. */
static hy_array *numbers_lcm(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_lcm(F, hy_get(F, x, 0), hy_get(F, x, 1));
}
static void test_source_numbers_lcm(void)
{
    const int64_t a[] = { 9007199254740993, -4611686018427387905, 6, 0 }, b[] = { 1, 5, -4, 7 };
    const int64_t want[] = { 9007199254740993, 4611686018427387905, 12, 0 };
    hy_frame *F = hy_open(NULL);
    hy_block *net = HY_BLOCK_NEW(F, hy_block, numbers_lcm);
    hy_hybridize_opt jit = { 0 };
    hy_array *y;
    int i;
    hy_begin(F);
    jit.jit = 1;
    hy_hybridize(F, net, &jit);
    y = hy_call(F, net, hy_group(F, hy_from(F, HY_SHAPE(4), HY_I64, a), hy_from(F, HY_SHAPE(4), HY_I64, b)));
    OK(F);
    for (i = 0; i < 4 && y; i++) CHECK(((const int64_t *)hy_data(F, y))[i] == want[i]);
    hy_end(F);
    hy_close(F);
}

/* Small shifts of a grid beside places of it, and a length beyond f32. */
static hy_array *numbers_between(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_l2_normalization_opt channel = { 0 };
    (void)self;
    channel.mode = HY_L2_CHANNEL;
    return hy_group(F, hy_grid_generator(F, hy_get(F, x, 0), HY_GRID_WARP, NULL), hy_l2_normalization(F, hy_get(F, x, 1), &channel));
}
static void test_source_numbers_between(void)
{
    const float shift[] = { 3e-7f, 3e-7f, 3e-7f, -3e-7f, -3e-7f, -3e-7f, -4e-8f, 4e-8f, 4e-8f, 1, -1, 3e-7f,
                            4e-8f, 4e-8f, -3e-7f, 3e-7f, 2, 0 };
    const float large[] = { 3e38f, 1, 3e38f, 2, 3e38f, 4 };
    hy_frame *F = hy_open(NULL);
    hy_block *b = HY_BLOCK_NEW(F, hy_block, numbers_between);
    hy_hybridize_opt jit = { 0 };
    hy_array *x, *plain, *built;
    int i, k;
    hy_begin(F);
    x = hy_group(F, hy_floats(F, HY_SHAPE(1, 2, 3, 3), shift), hy_floats(F, HY_SHAPE(1, 3, 1, 2), large));
    plain = hy_call(F, b, x);
    jit.jit = 1;
    hy_hybridize(F, b, &jit);
    built = hy_call(F, b, x);
    OK(F);
    for (k = 0; k < 2; k++) {
        const float *want = (const float *)hy_data(F, hy_get(F, plain, k));
        const float *got = (const float *)hy_data(F, hy_get(F, built, k));
        for (i = 0; i < (k ? 6 : 18) && want && got; i++) CHECK_NEAR(got[i], want[i], 1e-6 * fabs(want[i]));
    }
    hy_end(F);
    CHECK(!hy_close(F));
}

/* Values at the ends of their types, as C source with their test: built by any compiler, right. */
static hy_array *numbers_own;
static hy_array *numbers_ends(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_cumsum_opt real = { 0 };
    hy_array *whole = hy_get(F, x, 0), *f = hy_get(F, x, 1), *none = hy_get(F, x, 2), *ones, *y[20];
    hy_fully_connected_opt bare = { 0 };
    hy_sequence_mask_opt given = { 0 }, least = { 0 };
    hy_cumsum_opt truth = { 0 };
    hy_pooling_opt sums = { 0 };
    int n = 0;
    (void)self;
    real.dtype = HY_F64;
    truth.dtype = HY_BOOL;
    sums.pool_type = HY_POOL_SUM;
    least.use_sequence_length = 1;
    least.value = -1;
    ones = hy_ones_like(F, whole);
    bare.no_bias = given.use_sequence_length = 1;
    y[n++] = hy_cumsum(F, whole, 0, &real);
    y[n++] = hy_log_sigmoid(F, whole);
    y[n++] = hy_softsign(F, whole);
    y[n++] = hy_dot(F, hy_cast(F, whole, HY_I8), hy_cast(F, whole, HY_I8), NULL);
    y[n++] = hy_fully_connected(F, hy_reshape(F, whole, HY_INTS(1, 6), NULL), hy_reshape(F, whole, HY_INTS(1, 6), NULL), NULL, 1, &bare);
    y[n++] = hy_erfinv(F, hy_mul_scalar(F, f, 0.125));
    y[n++] = hy_rdiv_scalar(F, hy_erfinv(F, f), 1);
    y[n++] = hy_mean(F, none, HY_AXES(0), NULL);
    y[n++] = hy_add(F, f, numbers_own);                /* NaN, both infinities, -0 */
    y[n++] = hy_rdiv_scalar(F, hy_mul(F, f, numbers_own), 2);
    y[n++] = hy_sequence_mask(F, f, hy_slice_axis(F, hy_reshape(F, f, HY_INTS(6), NULL), 0, 4, 5), &given);    /* NaN of them: none */
    y[n++] = hy_min(F, hy_cast(F, none, HY_I8), HY_AXES(0), NULL);
    y[n++] = hy_argsort(F, hy_tile(F, whole, HY_INTS(2)), 0, NULL);
    y[n++] = hy_equal_scalar(F, hy_nansum(F, hy_cast(F, hy_ones_like(F, whole), HY_BOOL), HY_ALL, NULL), 1);
    y[n++] = hy_cumsum(F, hy_mul_scalar(F, ones, 128), 0, &truth);     /* 256 is true, too */
    y[n++] = hy_pooling(F, hy_reshape(F, hy_cast(F, hy_mul_scalar(F, ones, 100), HY_I8), HY_INTS(1, 1, 2, 3), NULL), HY_INTS(2, 2), &sums);
    y[n++] = hy_sequence_mask(F, hy_cast(F, hy_reshape(F, ones, HY_INTS(6, 1), NULL), HY_U8), hy_slice_axis(F, hy_cast(F, ones, HY_F32), 0, 0, 1), &least);
    y[n++] = hy_mod_scalar(F, hy_rint(F, hy_floor(F, whole)), 10);     /* integers are round */
    y[n++] = hy_gather_nd(F, f, hy_cast(F, none, HY_BF16));            /* two tuples of no index: f twice */
    return hy_group_of(F, n, y);
}

static void test_source_numbers_at_the_ends(void)
{
    const int64_t whole[] = { INT64_MIN, INT64_MAX, -1, ((int64_t)1 << 53) + 1, 300, -300 };
    const float f[] = { -0.0f, 0.0f, -0.5f, 0.999f, NAN, 2 }, own[] = { NAN, -INFINITY, INFINITY, -0.0f, 1, 3e38f };
    hy_frame *F = hy_open(NULL);
    hy_block *b = HY_BLOCK_NEW(F, hy_block, numbers_ends);
    hy_array *x = hy_group(F, hy_from(F, HY_SHAPE(6), HY_I64, whole), hy_reshape(F, hy_floats(F, HY_SHAPE(6), f), HY_INTS(6, 1), NULL),
                           hy_zeros(F, HY_SHAPE(0, 2)));
    numbers_own = hy_reshape(F, hy_floats(F, HY_SHAPE(6), own), HY_INTS(6, 1), NULL);
    CHECK(!hy_export_c(F, b, x, "numbers_ends.c", NULL));
    CHECK_STR(hy_error(F), NULL);
    if (source_compiler()) CHECK(source_runs("-DNUMBERS_ENDS_TEST numbers_ends.c"));
    hy_close(F);
    remove("numbers_ends.c");
}

/* What no kernel takes is refused, with machine code, too. */
static hy_array *numbers_refused(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_linalg_det(F, x);
}

static void test_source_numbers_of_types(void)
{
    hy_frame *F = hy_open(NULL);
    hy_hybridize_opt jit = { 0 };
    hy_block *b = HY_BLOCK_NEW(F, hy_block, numbers_refused);
    jit.jit = 1;
    hy_hybridize(F, b, &jit);
    CHECK(!hy_call(F, b, hy_cast(F, hy_ones(F, HY_SHAPE(2, 2)), HY_I32)));
    CHECK(hy_error_code(F) == HY_ERROR_DTYPE);
    hy_clear(F);
    hy_close(F);
}
#endif

static void test_source_numbers(void)
{
#ifdef HYBRID_HAS_SOURCE
    RUN(test_source_numbers_at_the_ends);
    RUN(test_source_numbers_of_types);
    if (test_may_load_code()) RUN(test_source_numbers_between);
    if (test_may_load_code()) RUN(test_source_numbers_agree);
    if (test_may_load_code()) RUN(test_source_numbers_lcm);
#endif
}
