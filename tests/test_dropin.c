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
            dropin_quiet(F, "softmax", "axis=1 temperature=0.5", HY_F16, HY_SHAPE(2, 7, width[w]));
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

/* A convolution, norms, a loss of ten classes, backward and two optimisers; attention; an LSTM; halves. (tcc copies
 * floats by converting them to integers, too.) */
#if !defined(__TINYC__) && !defined(HYBRID_NO_TRAIN) && !defined(HYBRID_NO_RNN) && !defined(HYBRID_NO_VISION)
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
#if !defined(__TINYC__) && !defined(HYBRID_NO_TRAIN) && !defined(HYBRID_NO_RNN) && !defined(HYBRID_NO_VISION)
    RUN(dropin_learning_raises_nothing);
    RUN(dropin_sequences_raise_nothing);
#endif
}
#else
static void test_dropin_traps(void) { }
#endif

/* --- rounding modes: threads of the pool and of a host compute as the caller does --- */
#if !defined(HYBRID_NO_THREADS) && defined(FE_UPWARD) && !defined(_WIN32)
static void dropin_results(hy_frame *F, int mode, thread_result *to)
{
    hy_array *x, *w;
    hy_begin(F);
    hy_seed(F, 3);
    x = hy_normal(F, HY_SHAPE(40, 30), 0, 1);
    w = hy_normal(F, HY_SHAPE(30, 50), 0, 1);
    fesetround(mode);
    thread_keep_result(F, thread_work(F, x, w), to);
    CHECK(fegetround() == mode);
    fesetround(FE_TONEAREST);
    CHECK_STR(hy_error(F), NULL);
    hy_end(F);
}

/* Elements that the caller's mode rounds up. */
static int dropin_rounded_up(hy_frame *F, int mode)
{
    enum { N = 5000 };
    hy_array *y;
    const float *v;
    int i, n = 0;
    hy_begin(F);
    fesetround(mode);
    y = hy_add_scalar(F, hy_ones(F, HY_SHAPE(N)), 1e-12);
    fesetround(FE_TONEAREST);
    v = (const float *)hy_data(F, y);
    for (i = 0; v && i < N; i++) n += v[i] > 1;
    hy_end(F);
    return n;
}

static void dropin_for(void *user, int64_t n, void (*fn)(void *arg, int64_t i, int worker), void *arg)
{
    const int mode = fegetround();
    int64_t i;
    (void)user;
    for (i = 0; i < n; i++) {           /* as a host's worker would: it knows nothing of the caller's mode */
        fesetround(FE_TONEAREST);
        fn(arg, i, (int)(i % 3));
        CHECK(fegetround() == FE_TONEAREST);
    }
    fesetround(mode);
}

static void dropin_thread_modes(void)
{
    static const int mode[] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST };
    static thread_result want, got;
    hy_frame *one = thread_open(1), *many = thread_open(4), *host;
    hy_desc desc;
    int k, turn, up;
    memset(&desc, 0, sizeof desc);
    desc.threads = 3;
    desc.parallel_for = dropin_for;
    host = hy_open(&desc);
    dropin_rounded_up(many, FE_TONEAREST);      /* the pool's threads begin in another mode */
    for (k = 0; k < 5; k++) {
        dropin_results(one, mode[k], &want);
        dropin_results(host, mode[k], &got);
        CHECK(thread_same(&want, &got));
        up = dropin_rounded_up(one, mode[k]);
        CHECK(up == (mode[k] == FE_UPWARD ? 5000 : 0));
        for (turn = 0; turn < 20; turn++) {
            dropin_results(many, mode[k], &got);
            CHECK(thread_same(&want, &got));
            CHECK(dropin_rounded_up(many, mode[k]) == up);
        }
    }
    CHECK(hy_close(host) == 0);
    CHECK(hy_close(many) == 0);
    CHECK(hy_close(one) == 0);
}

#if defined(__SSE__)
/* Denormals count as 0 where the caller says so, in every thread. */
static void dropin_thread_denormals(void)
{
    enum { N = 5000 };
    hy_frame *F = thread_open(4);
    const unsigned own = __builtin_ia32_stmxcsr();
    int flush, turn, i, n;
    for (flush = 0; flush < 2; flush++)
        for (turn = 0; turn < 20; turn++) {
            const float *v;
            hy_array *x, *y;
            hy_begin(F);
            __builtin_ia32_ldmxcsr(own & ~0x8040u);     /* gcc's -ffast-math begins with 0x8040 */
            x = hy_full(F, HY_SHAPE(N), 1e-39);
            __builtin_ia32_ldmxcsr(flush ? own | 0x8040 : own & ~0x8040u);
            y = hy_mul(F, x, hy_ones(F, HY_SHAPE(N)));
            __builtin_ia32_ldmxcsr(own);
            v = (const float *)hy_data(F, y);
            for (i = n = 0; v && i < N; i++) n += (hy__bits_f32(v[i]) & 0x7fffffffu) == 0;
            CHECK(n == (flush ? N : 0));
            hy_end(F);
        }
    CHECK(hy_close(F) == 0);
}
#endif

/* --- fork: the child has none of the threads, whatever is written down --- */
#if !defined(__SANITIZE_THREAD__)
#include <sys/wait.h>
#include <unistd.h>

/* Runs in the child; 0: all was right. */
typedef int (*dropin_child_fn)(hy_frame *F, const thread_result *want, hy_loader *L);

static void dropin_work(hy_frame *F, thread_result *to)
{
    hy_begin(F);
    hy_seed(F, 3);
    thread_keep_result(F, thread_work(F, hy_normal(F, HY_SHAPE(40, 30), 0, 1),
                                      hy_normal(F, HY_SHAPE(30, 50), 0, 1)), to);
    hy_end(F);
}

static int dropin_child_closes(hy_frame *F, const thread_result *want, hy_loader *L)
{
    (void)want; (void)L;
    return hy_close(F) != 0;
}

/* Long enough that it looks which process it is in, and has threads of its own again. */
static int dropin_child_computes(hy_frame *F, const thread_result *want, hy_loader *L)
{
    static thread_result got;
    int turn;
    (void)L;
    for (turn = 0; turn < 40; turn++) {
        dropin_work(F, &got);
        if (!thread_same(want, &got)) return 2;
    }
    if (F->root->pool->owner != (int64_t)getpid()) return 3;
    return hy_close(F) != 0;
}

static int dropin_child_opens(hy_frame *F, const thread_result *want, hy_loader *L)
{
    static thread_result got;
    hy_frame *other = thread_open(4);
    (void)L;
    dropin_work(other, &got);
    if (!thread_same(want, &got)) return 2;
    dropin_work(F, &got);
    if (!thread_same(want, &got)) return 3;
    return hy_close(other) != 0 || hy_close(F) != 0;
}

/* A child of a child. */
static int dropin_child_forks(hy_frame *F, const thread_result *want, hy_loader *L)
{
    int status = 0;
    pid_t child = fork();
    if (!child) _exit(dropin_child_computes(F, want, L));
    if (waitpid(child, &status, 0) != child || status) return 2;
    return dropin_child_computes(F, want, L);
}

static void dropin_in_child(hy_frame *F, const thread_result *want, hy_loader *L, dropin_child_fn run)
{
    int status = 0;
    pid_t child;
    fflush(stdout);
    child = fork();
    if (!child) {
        alarm(60);
        _exit(run(F, want, L));
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void dropin_thread_fork(void)
{
    static const dropin_child_fn run[] = {
        dropin_child_closes, dropin_child_computes, dropin_child_opens, dropin_child_forks
    };
    static thread_result want, got;
    int k, asleep;
    for (k = 0; k < 4; k++)
        for (asleep = 0; asleep < 2; asleep++) {
            hy_frame *F = thread_open(4);
            dropin_work(F, &want);
            if (asleep) thread_nap(60);
            dropin_in_child(F, &want, NULL, run[k]);
            dropin_work(F, &got);
            CHECK(thread_same(&want, &got));
            CHECK(hy_close(F) == 0);
        }
}

#ifndef HYBRID_NO_TRAIN
/* What is left of an epoch, as one number. */
static double dropin_rest(hy_frame *F, hy_loader *L)
{
    double sum = 0;
    hy_array *x;
    int n = 1;
    hy_begin(F);
    while ((x = hy_next(F, L))) sum += n++ * hy_item(F, hy_sum(F, hy_cast(F, x, HY_F64), HY_ALL, NULL));
    hy_end(F);
    return hy_error(F) ? -1 : sum;
}

static double dropin_due;

static int dropin_child_loads(hy_frame *F, const thread_result *want, hy_loader *L)
{
    (void)want;
    if (dropin_rest(F, L) != dropin_due) return 2;
    hy_loader_rewind(F, L);
    if (!(dropin_rest(F, L) > dropin_due)) return 3;
    return hy_close(F) != 0;
}

/* Batches under way in threads that the child lacks are made again. */
static void dropin_thread_fork_loader(void)
{
    static float v[300];
    hy_frame *F = thread_open(2);
    hy_loader_opt o;
    hy_loader *L;
    int i;
    for (i = 0; i < 300; i++) v[i] = (float)(i + 1);
    memset(&o, 0, sizeof o);
    o.num_workers = 3;
    L = hy_loader_new(F, hy_dataset_arrays(F, hy_floats(F, HY_SHAPE(100, 3), v)), 7, &o);
    for (i = 0; i < 4; i++) hy_next(F, L);
    hy_loader_rewind(F, L);
    for (i = 0; i < 4; i++) hy_next(F, L);
    dropin_due = 0;
    for (i = 4; i < 15; i++) {
        int k, end = i < 14 ? 21 * (i + 1) : 300;
        for (k = 21 * i; k < end; k++) dropin_due += (i - 3) * (double)v[k];
    }
    dropin_in_child(F, NULL, L, dropin_child_loads);
    dropin_in_child(F, NULL, L, dropin_child_closes);
    CHECK(dropin_rest(F, L) == dropin_due);
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
}
#endif
#endif

static void test_dropin_threads(void)
{
    if (!getenv("TEST_UNDER_VALGRIND")) RUN(dropin_thread_modes);         /* which always rounds to nearest */
#if defined(__SSE__)
    if (!getenv("TEST_UNDER_VALGRIND")) RUN(dropin_thread_denormals);     /* and keeps what is tiny */
#endif
#if !defined(__SANITIZE_THREAD__)
    RUN(dropin_thread_fork);
#ifndef HYBRID_NO_TRAIN
    RUN(dropin_thread_fork_loader);
#endif
#endif
}
#else
static void test_dropin_threads(void) { }
#endif

/* --- files: errno is the host's; what cannot be written is said at once --- */
#if !defined(HYBRID_NO_IO) && !defined(HYBRID_NO_STDIO)
#include <errno.h>
static void dropin_errno_stays(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_ones(F, HY_SHAPE(3, 4));
    hy_block *net = hy_nn_dense(F, 2, NULL);
    hy_arrays all;
    memset(&all, 0, sizeof all);
    all.n = 1;
    all.at = &x;
    hy_initialize(F, net, NULL);
    hy_call(F, net, x);
    hy_hybridize(F, net, NULL);
    hy_call(F, net, x);
    errno = 77;
    hy_save(F, "dropin.npy", all);
    CHECK(errno == 77);
    all = hy_load(F, "dropin.npy");
    CHECK(errno == 77 && all.n == 1);
    hy_save_parameters(F, net, "dropin.params", NULL);
    hy_load_parameters(F, net, "dropin.params", NULL);
    hy_save_model(F, net, "dropin.hy");
    hy_load_symbol(F, "dropin.hy");
    CHECK(errno == 77);
    CHECK_STR(hy_error(F), NULL);
    hy_load(F, "no such folder/x.npy");
    CHECK(hy_error_code(F) == HY_ERROR_FILE && errno != 0);
    remove("dropin.npy");
    remove("dropin.params");
    remove("dropin.hy");
    hy_close(F);
}

static void dropin_profile_asks_first(void)
{
    hy_frame *F = hy_open(NULL);
    FILE *f;
    char text[8] = "";
    CHECK(hy_profile(F, "no such folder/trace.json") != 0);
    CHECK(hy_error_code(F) == HY_ERROR_FILE && strstr(hy_error(F), "no such folder/trace.json"));
    hy_clear(F);
    CHECK(hy_profile(F, NULL) != 0);            /* nothing is being timed */
    hy_clear(F);
    f = fopen("dropin.json", "w");              /* what is there stays until the end */
    if (CHECK(f)) { fputs("before", f); fclose(f); }
    CHECK(hy_profile(F, "dropin.json") == 0);
    f = fopen("dropin.json", "r");
    if (CHECK(f)) { CHECK(fgets(text, sizeof text, f) && !strcmp(text, "before")); fclose(f); }
    hy_ones(F, HY_SHAPE(2));
    CHECK(hy_profile(F, NULL) == 0);
    f = fopen("dropin.json", "r");
    if (CHECK(f)) { CHECK(fgets(text, 2, f) && text[0] == '{'); fclose(f); }
    remove("dropin.json");
    CHECK(hy_close(F) == 0);
}
#endif

static void test_dropin(void)
{
    test_dropin_traps();
    test_dropin_threads();
#if !defined(HYBRID_NO_IO) && !defined(HYBRID_NO_STDIO)
    RUN(dropin_errno_stays);
    RUN(dropin_profile_asks_first);
#endif
}
