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
                                  -3.4e38f, 88.8f, -104, 1.5f, 2.5f, -2.5f, 8388609, 16777217, 67108865, -20, 9.1f };
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
#endif

static void test_source_numbers(void)
{
#ifdef HYBRID_HAS_SOURCE
    if (!getenv("TEST_UNDER_VALGRIND")) RUN(test_source_numbers_agree);     /* as test_source_jit */
#endif
}
