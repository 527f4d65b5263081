/* Compiled programs are kept, within bounds, and shared between frames and threads. Numbers in brackets are
 * behaviours of the MXNet dossier, section 8. */

/* --- the cache is bounded --- */
static void cache_is_bounded(void)                           /* [81] */
{
    hy_frame *F = tb_open(2);
    hy_block *net = tb_mlp(F);
    hy_hybridize_opt opt;
    size_t warm = 0;
    int round, i;
    memset(&opt, 0, sizeof opt);
    opt.cache = 3;
    opt.off = HY_PASS_SIZES;
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, &opt);
    for (round = 0; round < 6; round++) {
        for (i = 1; i <= 10; i++) {
            hy_begin(F);
            CHECK(hy_call(F, net, hy_ones(F, HY_SHAPE(i, 6))) != NULL);
            CHECK(hy_cache_info(F, net).programs <= 3);
            hy_end(F);
        }
        hy_trim(F);
        if (round == 2) warm = hy_memory_use(F).bytes;
    }
    CHECK(hy_memory_use(F).bytes <= warm);
    CHECK(hy_cache_info(F, net).traces == 1 && hy_cache_info(F, net).misses == 60);
    opt.cache = 0;                      /* by default memory is the bound: forty small programs stay */
    hy_hybridize(F, net, &opt);
    for (round = 0; round < 3; round++)
        for (i = 1; i <= 40; i++) CHECK(hy_call(F, net, hy_ones(F, HY_SHAPE(i, 6))) != NULL);
    CHECK(hy_cache_info(F, net).programs == 40 && hy_cache_info(F, net).misses == 60 + 40);
    CHECK(hy_cache_info(F, net).hits == 80);
    OK(F);
    CHECK(hy_close(F) == 0);
}

static int cache_missed(hy_frame *F, hy_block *net, int n)
{
    int before = (int)hy_cache_info(F, net).misses;
    hy_call(F, net, hy_ones(F, HY_SHAPE(n, 6)));
    return (int)hy_cache_info(F, net).misses - before;
}

/* Who was used longest ago goes, however often the others were used in between. */
static void cache_order_of_use(void)
{
    int last;
    for (last = 1; last <= 2; last++) {
        hy_frame *F = tb_open(2);
        hy_block *net = tb_mlp(F);
        hy_hybridize_opt opt;
        int i;
        memset(&opt, 0, sizeof opt);
        opt.cache = 2;
        opt.off = HY_PASS_SIZES;
        hy_initialize(F, net, NULL);
        hy_hybridize(F, net, &opt);
        CHECK(cache_missed(F, net, 1) && cache_missed(F, net, 2));
        for (i = 0; i < 4; i++) CHECK(!cache_missed(F, net, 2 - (i + last) % 2));
        CHECK(cache_missed(F, net, 3));
        CHECK(!cache_missed(F, net, 2 - (3 + last) % 2));               /* the latest of the two */
        CHECK(cache_missed(F, net, 2 - (2 + last) % 2));
        OK(F);
        CHECK(hy_close(F) == 0);
    }
}

/* A program that was just made is not what goes when the others are bound. */
static void cache_beside_a_binding(void)
{
    hy_frame *F = tb_open(2);
    hy_block *net = tb_mlp(F);
    hy_array *x = hy_ones(F, HY_SHAPE(2, 6));
    hy_hybridize_opt opt;
    hy_plan_info p;
    char *memory;
    memset(&opt, 0, sizeof opt);
    opt.cache = 1;
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, &opt);
    p = hy_plan(F, net, x);
    memory = (char *)malloc(p.total);
    CHECK(!hy_bind(F, net, x, memory, p.total));
    CHECK(cache_missed(F, net, 3) && !cache_missed(F, net, 3) && !cache_missed(F, net, 3));
    CHECK(!cache_missed(F, net, 2) && !cache_missed(F, net, 3));
    OK(F);
    CHECK(hy_close(F) == 0);
    free(memory);
}

/* Even one that is larger than all programs may be stays until another comes. */
static hy_array *cache_large_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_softmax(F, hy_reverse(F, x, HY_AXES(0)), -1, NULL);
}

static void cache_of_one_large_program(void)
{
    hy_frame *F = tb_open(2);
    hy_block *net = tb_block(F, "large", cache_large_forward);
    int64_t n = HYBRID_PROGRAM_BYTES / 4;
    int i;
    hy_hybridize(F, net, NULL);
    for (i = 0; i < 6; i++) {
        hy_begin(F);
        CHECK(hy_call(F, net, hy_ones(F, HY_SHAPE(n / 16 + i / 3, 16))) != NULL);
        CHECK(hy_cache_info(F, net).programs == 1 && hy_cache_info(F, net).misses == 1 + i / 3);
        hy_end(F);
    }
    OK(F);
    CHECK(hy_close(F) == 0);
}

static void cache_bound_traces_are_bounded_too(void)
{
    hy_frame *F = tb_open(2);
    hy_block *b = tb_block(F, "mean", hybridize_asks_batch);
    hy_hybridize_opt opt;
    size_t warm = 0;
    int round, i;
    memset(&opt, 0, sizeof opt);
    opt.cache = 3;
    hy_hybridize(F, b, &opt);
    for (round = 0; round < 8; round++) {
        for (i = 1; i <= 10; i++) {
            hy_begin(F);
            CHECK(hy_value(F, hy_call(F, b, hy_full(F, HY_SHAPE(i, 2), 5)), 0) == 5);
            hy_end(F);
        }
        hy_trim(F);
        if (round == 2) warm = hy_memory_use(F).bytes;
    }
    CHECK(hy_memory_use(F).bytes <= warm + 1000);
    tb_runs = 0;                        /* the one used longest ago goes first */
    for (i = 0; i < 2; i++) hy_call(F, b, hy_full(F, HY_SHAPE(20 + i, 2), 5));
    CHECK(tb_runs == 2);
    for (i = 0; i < 6; i++) {
        hy_call(F, b, hy_full(F, HY_SHAPE(20, 2), 5));
        hy_call(F, b, hy_full(F, HY_SHAPE(30 + i, 2), 5));
    }
    CHECK(tb_runs == 2 + 6);
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* What a size keeps is counted, so that sizes which come once do not add up without end. */
static void cache_traces_count_their_bytes(void)
{
    hy_frame *F = tb_open(1);
    hy_block *b = tb_block(F, "mean", hybridize_asks_batch);
    hy_cache_stats few, many;
    size_t none, held;
    int i;
    hy_hybridize(F, b, NULL);
    for (i = 1; i <= 20; i++) {
        hy_begin(F);
        hy_call(F, b, hy_full(F, HY_SHAPE(i, 2), 5));
        hy_end(F);
        if (i == 10) none = hy_memory_use(F).bytes;
        if (i == 10) few = hy_cache_info(F, b);
    }
    many = hy_cache_info(F, b);
    held = hy_memory_use(F).bytes - none;
    CHECK(many.programs == 20 && many.bytes - few.bytes > held * 3 / 4 && many.bytes - few.bytes <= held);
    for (; i <= 1000; i++) {
        hy_begin(F);
        CHECK(hy_value(F, hy_call(F, b, hy_full(F, HY_SHAPE(i, 2), 5)), 0) == 5);
        hy_end(F);
    }
    many = hy_cache_info(F, b);
    CHECK(many.programs > 20 && many.programs < 800 && many.traces == 1000);
    CHECK(many.bytes <= HYBRID_PROGRAM_BYTES + 65536);
    CHECK(hy_memory_use(F).bytes - none < HYBRID_PROGRAM_BYTES * 3 / 2);
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* The trace that memory was bound for stays, however many come after it. */
static void cache_keeps_a_bound_trace(void)
{
    hy_frame *F = tb_open(1);
    hy_block *b = tb_block(F, "mean", hybridize_asks_batch);
    hy_array *x = hy_full(F, HY_SHAPE(3, 2), 5);
    hy_plan_info p;
    char *memory;
    int i;
    hy_hybridize(F, b, NULL);
    p = hy_plan(F, b, x);
    memory = (char *)malloc(p.total);
    CHECK(!hy_bind(F, b, x, memory, p.total));
    for (i = 4; i < 1000; i++) {
        hy_begin(F);
        hy_call(F, b, hy_full(F, HY_SHAPE(i, 2), 5));
        hy_end(F);
    }
    CHECK(hy_cache_info(F, b).programs < 800);
    tb_runs = 0;
    hy_begin(F);
    CHECK(hy_value(F, hy_call(F, b, x), 0) == 5 && !tb_runs);
    hy_end(F);
    OK(F);
    CHECK(hy_close(F) == 0);
    free(memory);
}

static void cache_steady_calls_allocate_nothing(void)
{
    hy_frame *F = tb_open(2);
    hy_block *net = hybridize_conv_net(F);
    hy_array *x = hy_keep(F, tb_ramp(F, HY_SHAPE(2, 3, 6, 6)));
    int64_t before = 0;
    int i;
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    for (i = 0; i < 20; i++) {
        hy_begin(F);
        CHECK(hy_call(F, net, x) != NULL);
        hy_end(F);
        if (i == 4) before = hy_memory_use(F).calls;
    }
    CHECK(hy_memory_use(F).calls == before);
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* --- forks --- */
static void cache_forks_share_graphs(void)
{
    hy_frame *F = tb_open(2), *fork;
    hy_block *net = tb_mlp(F);
    hy_array *x = hy_keep(F, tb_ramp(F, HY_SHAPE(2, 6))), *y;
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    y = hy_call(F, net, x);
    fork = hy_fork(F);
    tb_runs = 0;
    CHECK(tb_same(F, hy_call(fork, net, x), y) && tb_runs == 0);
    CHECK(hy_cache_info(F, net).traces == 1);
    OK(fork);
    hy_close(fork);
    fork = hy_fork(F);                  /* the first call may come from a fork that closes */
    net = tb_mlp(F);
    hy_initialize(fork, net, NULL);
    hy_hybridize(fork, net, NULL);
    CHECK(hy_call(fork, net, x) != NULL);
    OK(fork);
    hy_close(fork);
    CHECK(hy_call(F, net, x) != NULL && hy_cache_info(F, net).traces == 1);
    OK(F);
    CHECK(hy_close(F) == 0);
}

#ifndef HYBRID_NO_THREADS
typedef struct cache_job { pthread_t thread; hy_frame *F; hy_block *net; hy_array *x[3],
        *want[3]; int wrong; int64_t *ready; } cache_job;

static void *cache_calls(void *arg)
{
    cache_job *job = (cache_job *)arg;
    int i;
    for (i = 0; i < 60; i++) {
        hy_begin(job->F);
        job->wrong += !tb_same(job->F, hy_call(job->F, job->net, job->x[i % 3]), job->want[i % 3]);
        hy_end(job->F);
    }
    return NULL;
}

/* [79] One hybridized block, four threads, three batch sizes, a race to trace it: the same bits for all. */
static void cache_threads_call_one_block(void)
{
    int mode, i, k;
    for (mode = 0; mode < 3; mode++) {
        hy_desc desc;
        hy_frame *F;
        hy_block *net, *twin;
        cache_job job[4];
        hy_hybridize_opt opt;
        memset(&desc, 0, sizeof desc);
        desc.threads = 2;
        F = hy_open(&desc);
        net = hybridize_conv_net(F);
        twin = hybridize_conv_net(F);
        memset(&opt, 0, sizeof opt);
        opt.static_alloc = mode > 0;
        opt.static_shape = mode > 1;
        hy_share_params(F, twin, net);
        hy_initialize(F, net, NULL);
        hy_hybridize(F, net, &opt);
        hy_hybridize(F, twin, &opt);
        memset(job, 0, sizeof job);
        for (k = 0; k < 3; k++) {
            job[0].x[k] = hy_keep(F, tb_ramp(F, HY_SHAPE(1 + k, 3, 6, 5)));
            job[0].want[k] = hy_keep(F, hy_call(F, twin, job[0].x[k]));
        }
        for (i = 0; i < 4; i++) {
            if (i) job[i] = job[0];
            job[i].F = hy_fork(F);
            job[i].net = net;
        }
        for (i = 0; i < 4; i++) pthread_create(&job[i].thread, NULL, cache_calls, &job[i]);
        for (i = 0; i < 4; i++) {
            pthread_join(job[i].thread, NULL);
            CHECK(job[i].wrong == 0);
            if (!CHECK(hy_close(job[i].F) == 0)) printf("    a fork failed\n");
        }
        CHECK(hy_cache_info(F, net).traces == 1);
        OK(F);
        CHECK(hy_close(F) == 0);
    }
}
#endif

#ifndef HYBRID_NO_THREADS
/* Four threads call one block with more shapes than its cache holds: programs, and for a trace that is bound
 * to its shapes traces too, are made and thrown away while others run them. */
typedef struct cache_small_job { pthread_t thread; hy_frame *F; hy_block *net, *bound; int number,
        wrong; } cache_small_job;

static void *cache_small_calls(void *arg)
{
    cache_small_job *job = (cache_small_job *)arg;
    uint32_t state = (uint32_t)job->number;
    int i;
    for (i = 0; i < 150; i++) {
        int n = 1 + (int)tb_draw(&state, 6);
        hy_array *x, *y;
        hy_begin(job->F);
        x = hy_full(job->F, HY_SHAPE(n, 3), 2);
        y = hy_call(job->F, job->bound, x);
        job->wrong += !y || hy_value(job->F, y, 2) != 2;
        y = hy_call(job->F, job->net, x);
        job->wrong += !y || hy_dim(job->F, y, 0) != n || fabs(hy_value(job->F, y, n - 1,
                3) - (8 * (2 * 3 * .5) * .5)) > 1e-4;
        hy_end(job->F);
    }
    return NULL;
}

static void cache_threads_share_a_small_one(void)
{
    hy_desc desc;
    hy_frame *F;
    hy_block *net, *bound;
    hy_hybridize_opt opt;
    hy_init half = tb_constant(0.5);
    cache_small_job job[4];
    int i;
    memset(&desc, 0, sizeof desc);
    desc.threads = 2;
    F = hy_open(&desc);
    net = tb_mlp(F);
    bound = tb_block(F, "mean", hybridize_asks_batch);
    memset(&opt, 0, sizeof opt);
    opt.cache = 2;
    hy_initialize(F, net, &half);
    hy_hybridize(F, net, &opt);
    hy_hybridize(F, bound, &opt);
    hy_call(F, net, hy_ones(F, HY_SHAPE(1, 3)));
    for (i = 0; i < 4; i++) {
        job[i].F = hy_fork(F);
        job[i].net = net;
        job[i].bound = bound;
        job[i].number = i;
        job[i].wrong = 0;
    }
    for (i = 0; i < 4; i++) pthread_create(&job[i].thread, NULL, cache_small_calls, &job[i]);
    for (i = 0; i < 4; i++) {
        pthread_join(job[i].thread, NULL);
        CHECK(job[i].wrong == 0);
        if (!CHECK(!hy_error(job[i].F))) printf("    %s\n", hy_error(job[i].F));
        hy_close(job[i].F);
    }
    CHECK(hy_cache_info(F, net).programs <= 2 && hy_cache_info(F, net).traces == 1);
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* Between their calls the block changes: the first of them throws away what the others remember. */
static void *cache_few_calls(void *arg)
{
    cache_job *job = (cache_job *)arg;
    int i;
    HY__ADD(job->ready, 1);
    while (HY__LOAD(job->ready) % 4) continue;
    for (i = 0; i < 6; i++) {
        hy_begin(job->F);
        job->wrong += !tb_same(job->F, hy_call(job->F, job->net, job->x[0]), job->want[0]);
        hy_end(job->F);
    }
    return NULL;
}

static void cache_threads_call_a_changed_one(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_dense(F, 4, NULL);
    hy_init half = tb_constant(0.5);
    cache_job job[4];
    int64_t ready = 0;
    int i, round;
    memset(job, 0, sizeof job);
    hy_initialize(F, net, &half);
    job[0].x[0] = tb_ramp(F, HY_SHAPE(2, 3));
    job[0].want[0] = hy_call(F, net, job[0].x[0]);
    for (i = 0; i < 4; i++) {
        if (i) job[i] = job[0];
        job[i].F = hy_fork(F);
        job[i].net = net;
        job[i].ready = &ready;
    }
    for (round = 0; round < 20; round++) {
        hy_hybridize(F, net, NULL);
        for (i = 0; i < 4; i++) pthread_create(&job[i].thread, NULL, cache_few_calls, &job[i]);
        for (i = 0; i < 4; i++) pthread_join(job[i].thread, NULL);
    }
    for (i = 0; i < 4; i++) {
        CHECK(job[i].wrong == 0);
        CHECK(hy_close(job[i].F) == 0);
    }
    OK(F);
    CHECK(hy_close(F) == 0);
}
#endif

static void test_cache(void)
{
    RUN(cache_is_bounded);
    RUN(cache_order_of_use);
    RUN(cache_beside_a_binding);
    RUN(cache_of_one_large_program);
    RUN(cache_bound_traces_are_bounded_too);
    RUN(cache_traces_count_their_bytes);
    RUN(cache_keeps_a_bound_trace);
    RUN(cache_steady_calls_allocate_nothing);
    RUN(cache_forks_share_graphs);
#ifndef HYBRID_NO_THREADS
    RUN(cache_threads_call_one_block);
    RUN(cache_threads_share_a_small_one);
    RUN(cache_threads_call_a_changed_one);
#endif
}
