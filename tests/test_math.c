/* Fast functions against those of the C library in double, over all exponents of f32 and on every instruction set:
 * how far off they are, in units of the last place, and that the bits are the same everywhere. */
#include "test.h"

enum { MATH_PER_EXPONENT = 23 };

static double math_sigmoid(double x) { return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x)); }
static double math_softrelu(double x) { return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)); }
static double math_mish(double x) { return x * tanh(math_softrelu(x)); }
static double math_gelu(double x) { return x == -HUGE_VAL ? 0 : 0.5 * x * erfc(-x * 0.70710678118654752); }
static double math_square(double x) { return x * x; }
static double math_reciprocal(double x) { return 1 / x; }
static double math_root(double x) { return pow(x, 0.5); }
static double math_rsqrt(double x) { return 1 / sqrt(x); }
static double math_half_five(double x) { return pow(x, 2.5); }

static hy_array *math_gelu_op(hy_frame *F, hy_array *x) { return hy_leaky_relu(F, x, HY_LEAKY_GELU, NULL); }
static hy_array *math_square_op(hy_frame *F, hy_array *x) { return hy_power_scalar(F, x, 2); }
static hy_array *math_reciprocal_op(hy_frame *F, hy_array *x) { return hy_power_scalar(F, x, -1); }
static hy_array *math_root_op(hy_frame *F, hy_array *x) { return hy_power_scalar(F, x, 0.5); }
static hy_array *math_half_five_op(hy_frame *F, hy_array *x) { return hy_power_scalar(F, x, 2.5); }

/* slack: what is allowed beside `ulps` of the result, in units of 2^-24 |x|; 0 but for gelu's small values. within: the
 * largest |x| that is looked at, 0: all. */
static const struct math_row {
    const char *name;
    hy_array *(*op)(hy_frame *F, hy_array *x);
    double (*exact)(double x);
    double ulps, slack, within;
} math_rows[] = {
    { "exp", hy_exp, exp, 1.5, 0, 0 },
    { "expm1", hy_expm1, expm1, 2, 0, 0 },
    { "log", hy_log, log, 1.5, 0, 0 },
    { "log1p", hy_log1p, log1p, 2, 0, 0 },
    { "sigmoid", hy_sigmoid, math_sigmoid, 2.5, 0, 0 },
    { "tanh", hy_tanh, tanh, 2.5, 0, 0 },
    { "erf", hy_erf, erf, 2.5, 0, 0 },
    { "gelu", math_gelu_op, math_gelu, 2.5, 1, 0 },
    { "softrelu", hy_softrelu, math_softrelu, 2.5, 0, 0 },
    { "mish", hy_mish, math_mish, 3.5, 0, 0 },
    { "sinh", hy_sinh, sinh, 2.5, 0, 0 },
    { "cosh", hy_cosh, cosh, 2.5, 0, 0 },
    { "sin", hy_sin, sin, 2.5, 0, 1e6 },
    { "cos", hy_cos, cos, 2.5, 0, 1e6 },
    { "tan", hy_tan, tan, 3.5, 0, 1e6 },
    { "arctan", hy_arctan, atan, 2, 0, 0 },
    { "rsqrt", hy_rsqrt, math_rsqrt, 1.5, 0, 0 },
    { "cbrt", hy_cbrt, cbrt, 1.5, 0, 0 },
    { "gammaln", hy_gammaln, lgamma, 1.5, 0, 0 },
    { "power 2", math_square_op, math_square, 0.5, 0, 0 },
    { "power -1", math_reciprocal_op, math_reciprocal, 0.5, 0, 0 },
    { "power 0.5", math_root_op, math_root, 0.5, 0, 0 },
    { "power 2.5", math_half_five_op, math_half_five, 1.5, 0, 0 }
};

/* Every exponent with both signs, the ends of its mantissas and some between; zeros, infinities and NaN. */
static hy_array *math_values(hy_frame *F)
{
    int64_t n = 256 * 2 * MATH_PER_EXPONENT, i;
    uint32_t *bits = (uint32_t *)malloc((size_t)n * 4), random = 12345, end[3] = { 0, 1, 0x7fffff };
    hy_array *x;
    for (i = 0; i < n; i++) {
        uint32_t k = (uint32_t)(i % MATH_PER_EXPONENT), where = (uint32_t)(i / MATH_PER_EXPONENT);
        random = random * 1664525u + 1013904223u;
        bits[i] = where << 23 | (k < 3 ? end[k] : random >> 9);
    }
    x = hy_from(F, HY_SHAPE(n), HY_F32, bits);
    free(bits);
    return x;
}

static double math_ulp(double r)
{
    int e;
    frexp(r, &e);
    return ldexp(1, e < -125 ? -149 : e - 24);
}

/* How far y is off, over what is allowed. */
static double math_error(const struct math_row *row, float x, float y)
{
    double r = row->exact((double)x), allowed, most = 3.4028235677973366e38;    /* rounds to infinity from here */
    if (row->within && fabs((double)x) > row->within) return 0;
    if (r != r || y != y) return r != r && y != y ? 0 : 1e9;
    if (fabs(r) >= most || fabs((double)y) > 3.4028234663852886e38)
        return (double)y == r || fabs(r) > most * (1 - 3e-7) ? 0 : 1e9;
    allowed = row->ulps * math_ulp(r) + row->slack * fabs((double)x) * 5.9604644775390625e-8;
    if (math_ulp(r) == ldexp(1, -149)) allowed += fabs((double)x) * ldexp(1, -149);  /* a factor was denormal */
    return fabs((double)y - r) / allowed;
}

static void math_stays_within_its_bounds(void)
{
    hy_desc desc;
    int isa, k;
    int64_t i;
    memset(&desc, 0, sizeof desc);
    desc.threads = 1;
    for (k = 0; k < (int)(sizeof math_rows / sizeof math_rows[0]); k++) {
        uint32_t *first = NULL;
        for (isa = HY_ISA_BASE; isa <= HY_ISA_AVX512; isa++) {
            const struct math_row *row = &math_rows[k];
            hy_frame *F;
            hy_array *x, *y;
            const float *in, *out;
            double worst = 0, e;
            int64_t n, at = 0, differ = 0;
            desc.isa = isa;
            F = hy_open(&desc);
            if (hy_isa(F) != isa) { hy_close(F); continue; }
            x = math_values(F);
            y = row->op(F, x);
            n = hy_size(F, x);
            in = (const float *)hy_data(F, x);
            out = (const float *)hy_data(F, y);
            if (!first) {
                first = (uint32_t *)malloc((size_t)n * 4);
                memcpy(first, out, (size_t)n * 4);
                for (i = 0; i < n; i++) if ((e = math_error(row, in[i], out[i])) > worst) { worst = e; at = i; }
                if (!CHECK(worst <= 1))
                    printf("%s: %.2f of what is allowed at %.9g: %.9g, not %.9g\n", row->name, worst,
                           (double)in[at], (double)out[at], row->exact((double)in[at]));
                if (getenv("MATH_SHOW")) printf("%-10s %.3f at %.9g\n", row->name, worst, (double)in[at]);
            }
            for (i = 0; i < n; i++) differ += out[i] == out[i] && memcmp(&first[i], &out[i], 4);
            if (!CHECK(differ == 0)) printf("%s: %d of %d differ on set %d\n", row->name, (int)differ, (int)n, isa);
            CHECK(hy_close(F) == 0);
        }
        free(first);
    }
}

/* Functions of doubles that do not ask the C library. */
static long double math_sigmoid_wide(long double x) { return x < 0 ? expl(x) / (1 + expl(x)) : 1 / (1 + expl(-x)); }
static const struct math_wide {
    const char *name;
    hy_array *(*op)(hy_frame *F, hy_array *x);
    long double (*exact)(long double x);
    double ulps;
} math_wides[] = {
    { "exp", hy_exp, expl, 1.5 },
    { "log", hy_log, logl, 2.5 },
    { "tanh", hy_tanh, tanhl, 3 },
    { "sigmoid", hy_sigmoid, math_sigmoid_wide, 3 }
};
enum { MATH_WIDE = 4096 * 5 + 8000 };

/* Every exponent with both signs, then what lies evenly within +-750, +-3 and next to 1; an odd number of them. */
static hy_array *math_wide_values(hy_frame *F)
{
    static double x[MATH_WIDE + 7];
    uint64_t random = 12345, bits;
    int i;
    for (i = 0; i < MATH_WIDE + 7; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        bits = (uint64_t)(i / 5) << 52 | (i % 5 == 0 ? 0 : i % 5 == 1 ? 1 : random >> 12);
        if (i < 4096 * 5) memcpy(&x[i], &bits, sizeof bits);
        else x[i] = ((double)(random >> 11) / 4503599627370496.0 - 1) * (i % 3 == 0 ? 750 : i % 3 == 1 ? 3 : 0.5) +
                    (i % 3 == 2);
    }
    return hy_from(F, HY_SHAPE(MATH_WIDE + 7), HY_F64, x);
}

static void math_doubles_stay_within_their_bounds(void)
{
    static double first[MATH_WIDE + 7];
    hy_desc desc;
    int isa, k, i, at, differ, begun;
    memset(&desc, 0, sizeof desc);
    desc.threads = 1;
    for (k = 0; k < (int)(sizeof math_wides / sizeof math_wides[0]); k++)
        for (begun = 0, isa = HY_ISA_BASE; isa <= HY_ISA_AVX512; isa++) {
            const struct math_wide *row = &math_wides[k];
            const double *in, *out;
            double worst = 0;
            hy_frame *F;
            hy_array *x, *y;
            desc.isa = isa;
            F = hy_open(&desc);
            if (hy_isa(F) != isa) { hy_close(F); continue; }
            x = math_wide_values(F);
            y = row->op(F, x);
            in = (const double *)hy_data(F, x);
            out = (const double *)hy_data(F, y);
            for (at = i = differ = 0; i < MATH_WIDE + 7; i++) {
                long double want = row->exact((long double)in[i]);
                double r = (double)want, unit, e;
                if (begun) differ += out[i] == out[i] && memcmp(&first[i], &out[i], 8);
                if (r != r || out[i] != out[i]) e = r != r && out[i] != out[i] ? 0 : 1e9;
                else if (r - r != 0 || out[i] - out[i] != 0) e = out[i] == r ? 0 : 1e9;
                else {
                    int exponent;
                    frexp(r, &exponent);
                    unit = ldexp(1, exponent < -1021 ? -1074 : exponent - 53);
                    e = (double)fabsl(out[i] - want) / unit;
                }
                if (e > worst) { worst = e; at = i; }
            }
            if (!begun) memcpy(first, out, sizeof first);
            begun = 1;
            if (!CHECK(worst <= row->ulps)) printf("%s of doubles: %.2f units at %.17g\n", row->name, worst, in[at]);
            if (!CHECK(!differ)) printf("%s of doubles: %d differ on set %d\n", row->name, differ, isa);
            for (i = 1; i < 40; i += 6) {                /* few of them */
                y = row->op(F, hy_slice_axis(F, x, 0, 5000, 5000 + i));
                CHECK(!memcmp(hy_data(F, y), first + 5000, (size_t)i * 8));
            }
            CHECK(hy_close(F) == 0);
        }
}

/* x mod y is exact, for quotients of any size. */
static void math_mod_is_exact(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = math_values(F), *y, *r, *s;
    int64_t n = hy_size(F, x), turn, i, wrong = 0;
    float *to;
    for (turn = 1; turn < n; turn += 997) {
        const float *a = (const float *)hy_data(F, x), *b, *got, *single;
        hy_begin(F);
        y = hy_copy(F, x);
        to = (float *)hy_write(F, y);
        for (i = 0; i < n; i++) to[i] = a[(i + turn) % n];
        r = hy_mod(F, x, y);
        s = hy_mod_scalar(F, x, (double)a[turn]);
        b = (const float *)hy_data(F, y);
        got = (const float *)hy_data(F, r);
        single = (const float *)hy_data(F, s);
        for (i = 0; i < n; i++) {
            float want = (float)hy__mod_f64((double)a[i], (double)b[i]);
            float other = (float)hy__mod_f64((double)a[i], (double)a[turn]);
            wrong += want == want ? got[i] != want : got[i] == got[i];
            wrong += other == other ? single[i] != other : single[i] == single[i];
        }
        hy_end(F);
    }
    CHECK(wrong == 0);
    CHECK(hy_close(F) == 0);
}

/* arctan2 is the angle to 2.5 units of its last place, with the zeros, corners and NaN of C, on every set the same. */
static void math_arctan2_is_the_angle(void)
{
    uint32_t *first = NULL;
    int isa;
    for (isa = HY_ISA_BASE; isa <= HY_ISA_AVX512; isa++) {
        hy_desc desc;
        hy_frame *F;
        hy_array *x, *y, *r;
        int64_t n, turn, i, wrong = 0, differ = 0, k = 0;
        memset(&desc, 0, sizeof desc);
        desc.isa = isa;
        F = hy_open(&desc);
        if (hy_isa(F) != isa) { hy_close(F); continue; }
        x = math_values(F);
        n = hy_size(F, x);
        if (!first) first = (uint32_t *)malloc((size_t)(n * 30) * 4);
        for (turn = 0; turn < n; turn += n / 29, k++) {
            const float *a = (const float *)hy_data(F, x), *b, *got;
            float *to;
            hy_begin(F);
            y = hy_copy(F, x);
            to = (float *)hy_write(F, y);
            for (i = 0; i < n; i++) to[i] = a[(i + turn) % n];
            r = hy_arctan2(F, x, y);
            b = (const float *)hy_data(F, y);
            got = (const float *)hy_data(F, r);
            for (i = 0; i < n; i++) {
                const double want = atan2((double)a[i], (double)b[i]), off = fabs((double)got[i] - want);
                if (want != want || got[i] != got[i]) wrong += want == want || got[i] == got[i];
                else wrong += off > 2.5 * math_ulp(want) || (want == 0 && !signbit(got[i]) != !signbit(want));
                if (isa > HY_ISA_BASE) differ += got[i] == got[i] && memcmp(&first[k * n + i], &got[i], 4);
            }
            if (isa == HY_ISA_BASE) memcpy(first + k * n, got, (size_t)n * 4);
            hy_end(F);
        }
        if (!CHECK(wrong == 0)) printf("arctan2: %d wrong on set %d\n", (int)wrong, isa);
        if (!CHECK(differ == 0)) printf("arctan2: %d differ on set %d\n", (int)differ, isa);
        CHECK(hy_close(F) == 0);
    }
    free(first);
}

/* Every half and back, and every f32 of a few exponents to halves: the bits of the plain formulas, whatever the
 * processor does it with, at any length. */
static void math_halves_have_the_bits_of_the_formulas(void)
{
    hy_frame *F = hy_open(NULL);
    uint16_t *half = (uint16_t *)malloc(65536 * 2);
    hy_array *x = math_values(F), *wide, *back;
    int64_t n = hy_size(F, x), i, wrong = 0;
    const float *in = (const float *)hy_data(F, x);
    const uint16_t *f16 = (const uint16_t *)hy_data(F, hy_cast(F, x, HY_F16));
    const uint16_t *bf16 = (const uint16_t *)hy_data(F, hy_cast(F, x, HY_BF16));
    for (i = 0; i < n; i++) wrong += f16[i] != hy__f32_to_f16(in[i]) || bf16[i] != hy__f32_to_bf16(in[i]);
    CHECK(wrong == 0);
    for (i = 0; i < 65536; i++) half[i] = (uint16_t)i;
    for (n = 65536; n > 65536 - 20; n--) {
        wide = hy_cast(F, hy_from(F, HY_SHAPE(n), HY_F16, half), HY_F32);
        back = hy_cast(F, wide, HY_F16);
        in = (const float *)hy_data(F, wide);
        f16 = (const uint16_t *)hy_data(F, back);
        for (i = 0; i < n; i++) {
            float formula = hy__f16_to_f32(half[i]);
            wrong += memcmp(&formula, &in[i], 4) != 0;
            wrong += f16[i] != hy__f32_to_f16(in[i]) || (in[i] == in[i] && f16[i] != half[i]);
        }
    }
    CHECK(wrong == 0);
    free(half);
    CHECK(hy_close(F) == 0);
}

/* Random numbers and masks of odd lengths are the same on every instruction set. */
static void math_random_is_the_same_everywhere(void)
{
    static const int64_t lengths[] = { 1, 3, 31, 257, 1531, 70001 };
    hy_dropout_opt always;
    hy_desc desc;
    int isa, i, k, wrong = 0;
    memset(&desc, 0, sizeof desc);
    memset(&always, 0, sizeof always);
    always.mode = HY_DROP_ALWAYS;
    desc.seed = 11;
    for (i = 0; i < 6; i++)
        for (isa = HY_ISA_AVX2; isa <= HY_ISA_AVX512; isa++) {
            hy_frame *F[2];
            hy_array *y[2][4];
            for (k = 0; k < 2; k++) {
                desc.isa = k ? isa : HY_ISA_BASE;
                F[k] = hy_open(&desc);
                y[k][0] = hy_uniform(F[k], HY_SHAPE(lengths[i]), -1, 3);
                y[k][1] = hy_normal(F[k], HY_SHAPE(lengths[i]), 1, 2);
                y[k][2] = hy_random_exponential(F[k], HY_SHAPE(lengths[i]), 2, NULL);
                y[k][3] = hy_dropout(F[k], y[k][0], 0.3, &always);
            }
            for (k = 0; k < 4; k++)
                wrong += memcmp(hy_data(F[0], y[0][k]), hy_data(F[1], y[1][k]), (size_t)lengths[i] * 4) != 0;
            CHECK(hy_close(F[0]) == 0);
            CHECK(hy_close(F[1]) == 0);
        }
    CHECK(wrong == 0);
}

/* Rows of few elements, with rows, columns and single values spread over them. */
static void math_short_rows(void)
{
    hy_frame *F = hy_open(NULL);
    int64_t rows = 37, wide, i, j, wrong = 0;
    for (wide = 1; wide < 70; wide += wide < 5 ? 1 : 11) {
        hy_array *x = hy_normal(F, HY_SHAPE(2, rows, wide), 0, 1), *row = hy_normal(F, HY_SHAPE(wide), 0, 1);
        hy_array *column = hy_normal(F, HY_SHAPE(rows, 1), 0, 1), *both = hy_normal(F, HY_SHAPE(2, 1, wide), 0, 1);
        const float *a = (const float *)hy_data(F, x), *b = (const float *)hy_data(F, row);
        const float *c = (const float *)hy_data(F, column), *d = (const float *)hy_data(F, both);
        const float *s = (const float *)hy_data(F, hy_add(F, x, row));
        const float *t = (const float *)hy_data(F, hy_sub(F, column, x));
        const float *u = (const float *)hy_data(F, hy_mul(F, x, both));
        const float *v = (const float *)hy_data(F, hy_add(F, column, row));
        for (i = 0; i < 2 * rows; i++)
            for (j = 0; j < wide; j++) {
                int64_t at = i * wide + j;
                wrong += s[at] != a[at] + b[j] || t[at] != c[i % rows] - a[at];
                wrong += u[at] != a[at] * d[i / rows * wide + j];
                if (i < rows) wrong += v[at] != c[i] + b[j];
            }
    }
    CHECK(wrong == 0);
    CHECK(hy_close(F) == 0);
}

/* Softmax of lines and of columns, of all lengths around those that kernels take at once, some values far below
 * the largest: as in doubles, and the same bits on every instruction set. */
static void math_softmax_of_any_length(void)
{
    static const int64_t widths[] = { 1, 7, 8, 31, 32, 33, 70 };
    hy_desc desc;
    int isa, log_too, k;
    int64_t n, i, j, wrong = 0;
    memset(&desc, 0, sizeof desc);
    for (k = 0; k < 7; k++)
        for (n = 1; n < (k ? 40 : 600); n += k || n < 70 ? 1 : 23)
            for (log_too = 0; log_too < 2; log_too++) {
                int64_t w = widths[k], all = 2 * n * w;
                float *from = (float *)malloc((size_t)all * 4), *first = NULL;
                for (i = 0; i < all; i++) from[i] = (float)((i * 7919 + n) % 1009) / 40 - (i % 89 ? 0.0f : 90.0f);
                for (isa = HY_ISA_BASE; isa <= HY_ISA_AVX512; isa++) {
                    hy_frame *F;
                    hy_array *x, *y;
                    const float *out;
                    desc.isa = isa;
                    F = hy_open(&desc);
                    x = hy_from(F, HY_SHAPE(2, n, w), HY_F32, from);
                    y = log_too ? hy_log_softmax(F, x, 1, NULL) : hy_softmax(F, x, 1, NULL);
                    out = (const float *)hy_data(F, y);
                    if (first) wrong += memcmp(first, out, (size_t)all * 4) != 0;
                    else memcpy(first = (float *)malloc((size_t)all * 4), out, (size_t)all * 4);
                    CHECK(hy_close(F) == 0);
                }
                for (j = 0; j < 2 * w; j++) {
                    const int64_t at = j / w * n * w + j % w;
                    double most = -HUGE_VAL, sum = 0;
                    for (i = 0; i < n; i++) most = fmax(most, (double)from[at + i * w]);
                    for (i = 0; i < n; i++) sum += exp((double)from[at + i * w] - most);
                    for (i = 0; i < n; i++) {
                        double v = (double)from[at + i * w] - most, y = (double)first[at + i * w];
                        if (log_too) wrong += !(fabs(y - (v - log(sum))) < 2e-6 + 2e-7 * fabs(v));
                        else wrong += !(fabs(y * sum / exp(v) - 1) < 4e-7 + 6e-8 * fabs(v) || exp(v) < 1e-37);
                    }
                }
                free(from);
                free(first);
            }
    CHECK(wrong == 0);
}

static void math_whole_numbers_saturate(void)
{
    const float from[] = { 0.0f, -0.5f, 1.9f, -1.9f, 127.5f, 128, -128.9f, -129, 255.9f, 256, 2147483520.0f,
                                  2147483648.0f, -2147483648.0f, -3e9f, 1e30f, -1e30f, NAN, INFINITY, -INFINITY };
    static const hy_dtype to[] = { HY_I8, HY_U8, HY_I32, HY_I64 };
    static const double low[] = { -128, 0, -2147483648.0, -9223372036854775808.0 };
    static const double high[] = { 127, 255, 2147483647.0, 9223372036854775808.0 };
    hy_frame *F = hy_open(NULL);
    int n = (int)(sizeof from / sizeof from[0]), i, k;
    hy_array *x = hy_floats(F, HY_SHAPE(n), from);
    for (k = 0; k < 4; k++) {
        hy_array *y = hy_cast(F, hy_cast(F, x, to[k]), HY_F64);
        for (i = 0; i < n; i++) {
            double v = from[i] != from[i] ? 0 : trunc((double)from[i]);
            v = v < low[k] ? low[k] : v > high[k] ? high[k] : v;
            CHECK(((const double *)hy_data(F, y))[i] == v);
        }
    }
    CHECK(hy_close(F) == 0);
}

static void test_math(void)
{
    RUN(math_stays_within_its_bounds);
    RUN(math_doubles_stay_within_their_bounds);
    RUN(math_mod_is_exact);
    RUN(math_arctan2_is_the_angle);
    RUN(math_halves_have_the_bits_of_the_formulas);
    RUN(math_random_is_the_same_everywhere);
    RUN(math_short_rows);
    RUN(math_softmax_of_any_length);
    RUN(math_whole_numbers_saturate);
}
