/* A host of its own kind, and few operators: tests/dropin.sh builds this with what hosts are compiled with (-ffast-math,
 * -fshort-enums ...). Numbers are those of IEEE, options arrive, nothing raises, a child of fork goes on. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#define HYBRID_OPS(X) X(exp) X(tanh) X(sigmoid) X(erf) X(softmax) X(log_softmax) X(log) X(relu) X(max) X(cast) X(round) \
    X(rint) X(dot) X(sum) X(one_hot) X(argsort) X(sequence_mask) X(topk) X(add_scalar) X(sqrt) X(_full) X(_ones)
#define HYBRID_NO_TRAIN
#define HYBRID_NO_RNN
#define HYBRID_NO_VISION
#define HYBRID_NO_INT8
#define HYBRID_NO_IO
#define HYBRID_PARALLEL_NS 0
#define HYBRID_CHUNK 64
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#include <fenv.h>
#include <stdio.h>
#if defined(__unix__) && !defined(HYBRID_NO_THREADS)
#include <sys/wait.h>
#endif

static int wrong;

/* Bits, since this file may be compiled to take no NaN for one. */
static unsigned bits_of(hy_frame *F, hy_array *y, int i)
{
    unsigned b = 0;
    const float *v = (const float *)hy_data(F, y);
    if (v) memcpy(&b, v + i, sizeof b);
    return b;
}
static void need(int ok, const char *what)
{
    if (ok) return;
    wrong++;
    printf("wrong: %s\n", what);
}
static int near(double got, double want) { return got > want - 2e-6 && got < want + 2e-6; }

static void numbers(hy_frame *F)
{
    static const float v[4] = { -2.5f, -0.3f, 0.4f, 1.7f };
    static const double tanhs[4] = { -.986614298, -.291312612, .379948962, .935409071 };
    static const double exps[4] = { .082084999, .740818221, 1.491824698, 5.473947392 };
    static const double erfs[4] = { -.999593048, -.328626759, .428392355, .983790459 };
    hy_array *x = hy_floats(F, HY_SHAPE(4), v), *e = hy_exp(F, x), *t = hy_tanh(F, x), *s = hy_sigmoid(F, x);
    hy_array *r = hy_erf(F, x), *m = hy_softmax(F, x, -1, NULL);
    int i;
    for (i = 0; i < 4; i++) {
        need(near(hy_value(F, e, i), exps[i]), "exp");
        need(near(hy_value(F, t, i), tanhs[i]), "tanh");
        need(near(hy_value(F, s, i), exps[i] / (1 + exps[i])), "sigmoid");
        need(near(hy_value(F, r, i), erfs[i]), "erf");
        need(near(hy_value(F, m, i), exps[i] / 7.78867531), "softmax");
    }
}

static void specials(hy_frame *F)
{
    static const unsigned in[4] = { 0x7fc00000, 0xff800000, 0x80000000, 0x40200000 };  /* NaN, -inf, -0, 2.5 */
    float v[4];
    hy_array *x, *y;
    memcpy(v, in, sizeof v);
    x = hy_floats(F, HY_SHAPE(4), v);
    y = hy_relu(F, x);
    need((bits_of(F, y, 0) & 0x7fffffff) > 0x7f800000 && bits_of(F, y, 1) == 0, "relu of NaN and -inf");
    y = hy_round(F, x);
    need((bits_of(F, y, 0) & 0x7fffffff) > 0x7f800000 && bits_of(F, y, 1) == in[1], "round of NaN and -inf");
    need(bits_of(F, y, 2) == in[2] && bits_of(F, y, 3) == 0x40400000, "round of -0 and 2.5");
    need((bits_of(F, hy_max(F, x, HY_ALL, NULL), 0) & 0x7fffffff) > 0x7f800000, "max of NaN");
    need(bits_of(F, hy_sqrt(F, hy_scalar(F, HUGE_VAL)), 0) == 0x7f800000, "sqrt of inf");
    need(bits_of(F, hy_exp(F, x), 1) == 0 && bits_of(F, hy_log(F, hy_scalar(F, 0)), 0) == in[1], "exp(-inf), log(0)");
    y = hy_cast(F, x, HY_I32);
    need(hy_value(F, y, 0) == 0 && hy_value(F, y, 1) == -2147483648.0, "casts");
}

/* Types and words among options, which are enums. */
static void options(hy_frame *F)
{
    static const float v[6] = { 3, 1, 2, 6, 5, 4 }, lengths[2] = { 1, 2 };
    hy_array *x = hy_floats(F, HY_SHAPE(3, 2), v), *y;
    hy_one_hot_opt one;
    hy_argsort_opt order;
    hy_sequence_mask_opt mask;
    hy_topk_opt top;
    need(hy_dtype_of(F, hy_cast(F, x, HY_F16)) == HY_F16, "cast to f16");
    memset(&one, 0, sizeof one);
    one.dtype = HY_I32;
    y = hy_one_hot(F, x, 7, &one);
    need(y && hy_dtype_of(F, y) == HY_I32 && hy_value(F, y, 0, 0, 3) == 1, "one_hot as i32");
    need(hy_dtype_of(F, hy_one_hot(F, x, 7, NULL)) == HY_F32, "one_hot as it is");
    memset(&order, 0, sizeof order);
    order.dtype = HY_I64;
    y = hy_argsort(F, x, -1, &order);
    need(y && hy_dtype_of(F, y) == HY_I64 && hy_value(F, y, 0, 0) == 1, "argsort as i64");
    memset(&top, 0, sizeof top);
    top.ret_typ = HY_TOPK_VALUE;
    y = hy_topk(F, x, -1, 1, &top);
    need(y && hy_value(F, y, 2, 0) == 5, "topk's values");
    memset(&mask, 0, sizeof mask);
    mask.use_sequence_length = 1;
    mask.value = -1;
    y = hy_sequence_mask(F, x, hy_floats(F, HY_SHAPE(2), lengths), &mask);
    need(y && hy_value(F, y, 1, 0) == -1 && hy_value(F, y, 1, 1) == 6 && hy_value(F, y, 2, 1) == -1, "sequence_mask");
}

/* -ffast-math lets the compiler of this file forget what is raised. */
static void exceptions(hy_frame *F)
{
#if defined(FE_INVALID) && !defined(__FAST_MATH__) && !defined(__TINYC__)
    int n;
    for (n = 1; n < 70; n += 3) {
        hy_array *x = hy_ones(F, HY_SHAPE(3, n));
        feclearexcept(FE_ALL_EXCEPT);
        hy_softmax(F, x, -1, NULL);
        hy_log_softmax(F, x, 0, NULL);
        need(!fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW), "softmax raises nothing");
    }
#else
    (void)F;
#endif
}

static void modes(void)
{
#if defined(FE_UPWARD) && !defined(HYBRID_NO_THREADS)
    hy_desc desc;
    hy_frame *F;
    int turn, i, n;
    memset(&desc, 0, sizeof desc);
    desc.threads = 4;
    F = hy_open(&desc);
    hy_add_scalar(F, hy_ones(F, HY_SHAPE(5000)), 1e-12);
    for (turn = 0; turn < 10; turn++) {
        hy_array *y;
        fesetround(FE_UPWARD);
        y = hy_add_scalar(F, hy_ones(F, HY_SHAPE(5000)), 1e-12);
        fesetround(FE_TONEAREST);
        for (i = n = 0; i < 5000; i++) n += bits_of(F, y, i) == 0x3f800001;
        need(n == 5000, "threads round as the caller does");
    }
    need(hy_close(F) == 0, "close");
#endif
}

static void forks(void)
{
#if defined(__unix__) && !defined(HYBRID_NO_THREADS)
    hy_desc desc;
    hy_frame *F;
    hy_array *x;
    int status = 0;
    pid_t child;
    memset(&desc, 0, sizeof desc);
    desc.threads = 4;
    F = hy_open(&desc);
    x = hy_full(F, HY_SHAPE(100, 100), 0.5);
    need(hy_item(F, hy_sum(F, hy_dot(F, x, x, NULL), HY_ALL, NULL)) == 250000, "sum");
    child = fork();
    if (!child) {
        int right = 1, k;
        alarm(60);
        for (k = 0; k < 100; k++) right &= hy_item(F, hy_sum(F, hy_dot(F, x, x, NULL), HY_ALL, NULL)) == 250000;
        right &= hy_close(F) == 0;
        F = hy_open(&desc);
        _exit(hy_close(F) || !right);
    }
    need(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status), "a child of fork");
    need(hy_close(F) == 0, "close");
#endif
}

int main(void)
{
    int isa;
    for (isa = HY_ISA_BASE; isa <= HY_ISA_AVX512; isa++) {
        hy_desc desc;
        hy_frame *F;
        memset(&desc, 0, sizeof desc);
        desc.isa = isa;
        F = hy_open(&desc);
        numbers(F);
        specials(F);
        options(F);
        exceptions(F);
        need(!hy_error(F), hy_error(F) ? hy_error(F) : "");
        hy_close(F);
    }
    modes();
    forks();
    return wrong != 0;
}
