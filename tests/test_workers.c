/* Loaders whose batches are made in the background: the same ones, and a clean end whenever it comes. */
#ifndef HYBRID_NO_TRAIN
/* As data_made, but some samples take long. */
static int workers_made(void *user, int64_t i, uint64_t random, const void *const *in, void *const *out)
{
    volatile int k;
    for (k = 0; k < (i % 5 ? 100 : 20000); k++) continue;
    return data_made(user, i, random, in, out);
}

/* Batches of three epochs as numbers, from a loader like this. */
static int workers_epochs(int workers, int prefetch, int last, int threads, double *out, int most)
{
    hy_frame *F = control_open(threads);
    hy_dataset *D = hy_dataset_of(F, 53, 2, data_types, workers_made, NULL);
    hy_dataset *M = hy_dataset_map(F, D, 1, data_types, data_turn, NULL);
    hy_loader_opt o;
    hy_loader *L;
    int e, n = 0;
    int64_t i;
    memset(&o, 0, sizeof o);
    o.num_workers = workers;
    o.prefetch = prefetch;
    o.last_batch = last;
    o.shuffle = 1;
    o.seed = 7;
    L = hy_loader_new(F, M, 10, &o);
    for (e = 0; e < 3; e++) {
        int64_t batches = hy_loader_length(F, L);
        for (;;) {
            hy_array *x;
            hy_begin(F);
            x = hy_next(F, L);
            for (i = 0; x && i < hy_size(F, x) && n < most; i++) out[n++] = control_at(F, x, (int)i);
            hy_end(F);
            if (!x) break;
            out[n++] = -1;
            batches--;
        }
        CHECK(batches == 0);
    }
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
    return n;
}

static void test_workers_same(void)
{
    static double want[500], got[500];
    static const int workers[] = { 1, 3, 8 };
    int last, k, threads;
    for (last = HY_LAST_KEEP; last <= HY_LAST_ROLLOVER; last++) {
        int n = workers_epochs(0, 0, last, 1, want, 480);
        for (k = 0; k < 3; k++) for (threads = 1; threads < 4; threads += 2) {
            CHECK(workers_epochs(workers[k], threads == 1 ? 0 : k + 1, last, threads, got, 480) == n);
            CHECK(!memcmp(want, got, (size_t)n * sizeof *want));
        }
    }
}

/* Freed, rewound, closed, without its dataset: at any time. */
static void test_workers_ends(void)
{
    int how, batches;
    for (how = 0; how < 5; how++) for (batches = 0; batches < 4; batches++) {
        hy_frame *F = control_open(2);
        hy_dataset *D = hy_dataset_of(F, 400, 2, data_types, workers_made, NULL);
        hy_loader_opt o;
        hy_loader *L;
        hy_array *x = NULL;
        int i;
        memset(&o, 0, sizeof o);
        o.num_workers = 2;
        o.prefetch = 5;
        L = hy_loader_new(F, D, 20, &o);
        for (i = 0; i < batches; i++) x = hy_next(F, L);
        if (x) CHECK_NEAR(control_at(F, hy_get(F, x, 0), 0), 20 * (batches - 1), 0);
        if (how == 1) hy_loader_free(F, L);
        if (how == 2) {
            hy_loader_rewind(F, L);
            CHECK_NEAR(control_at(F, hy_get(F, hy_next(F, L), 0), 0), 0, 0);
            CHECK_NEAR(control_at(F, hy_get(F, hy_next(F, L), 0), 0), 20, 0);
        }
        if (how >= 3) hy_dataset_free(F, D);
        if (how == 3) hy_loader_free(F, L);
        if (how == 4) {
            CHECK(!hy_next(F, L));
            train_expect(F, "the loader's dataset was freed");
        }
        CHECK_STR(hy_error(F), NULL);
        CHECK(hy_close(F) == 0);
    }
}

static void test_workers_errors(void)
{
    hy_frame *F = control_open(1);
    int64_t bad = 37;
    hy_dataset *D = hy_dataset_of(F, 60, 2, data_types, data_made, &bad);
    hy_loader_opt o;
    hy_loader *L;
    int i;
    memset(&o, 0, sizeof o);
    o.num_workers = 65;
    CHECK(!hy_loader_new(F, D, 5, &o));
    train_expect(F, "num_workers 65");
    o.num_workers = -1;
    CHECK(!hy_loader_new(F, D, 5, &o));
    train_expect(F, "num_workers -1");
    o.num_workers = 3;
    L = hy_loader_new(F, D, 5, &o);
    for (i = 0; i < 7; i++) CHECK(hy_next(F, L) != NULL);
    CHECK(!hy_next(F, L));
    train_expect(F, "could not make sample 37");
    bad = -1;
    CHECK_NEAR(control_at(F, hy_get(F, hy_next(F, L), 0), 0), 35, 0);           /* once it can be made, it goes on */
    for (i = 0; i < 4; i++) CHECK(hy_next(F, L) != NULL);
    CHECK(!hy_next(F, L) && !hy_error(F));
    CHECK(hy_close(F) == 0);
}

/* Batches come from memory that is used again. */
static void test_workers_no_allocation(void)
{
    hy_frame *F = control_open(1);
    hy_dataset *D = hy_dataset_of(F, 64, 2, data_types, data_made, NULL);
    hy_loader_opt o;
    hy_loader *L;
    int64_t calls = 0;
    int e;
    memset(&o, 0, sizeof o);
    o.num_workers = 2;
    o.shuffle = 1;
    L = hy_loader_new(F, D, 8, &o);
    for (e = 0; e < 6; e++) {
        hy_array *x;
        if (e == 3) calls = hy_memory_use(F).calls;
        do { hy_begin(F); x = hy_next(F, L); hy_end(F); } while (x);
    }
    CHECK(hy_memory_use(F).calls == calls);
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
}

#ifndef HYBRID_NO_THREADS
/* Frames of one hy_open load and free at the same time: each asks whether it is one of the other's workers, which
 * begin meanwhile. */
static void *workers_loads(void *user)
{
    hy_frame *F = (hy_frame *)user;
    hy_loader_opt o;
    int i;
    memset(&o, 0, sizeof o);
    o.num_workers = 3;
    for (i = 0; i < 20; i++) {
        hy_dataset *D = hy_dataset_of(F, 10, 2, data_types, data_made, NULL);
        hy_loader *L = hy_loader_new(F, D, 4, &o);
        hy_begin(F);
        CHECK(hy_next(F, L) != NULL);
        hy_end(F);
        hy_loader_free(F, L);
        hy_dataset_free(F, D);
    }
    return NULL;
}
static void test_workers_frames_thread(void)
{
    hy_frame *F = control_open(1), *G = hy_fork(F);
    pthread_t thread;
    if (!CHECK(G && !pthread_create(&thread, NULL, workers_loads, G))) return;
    workers_loads(F);
    pthread_join(thread, NULL);
    CHECK_STR(hy_error(F), NULL);
    CHECK_STR(hy_error(G), NULL);
    CHECK(hy_close(G) == 0);
    CHECK(hy_close(F) == 0);
}
#endif

static int workers_oom(hy_frame *F)
{
    hy_dataset *D = hy_dataset_of(F, 10, 2, data_types, data_made, NULL);
    hy_loader_opt o;
    hy_loader *L;
    hy_array *x = NULL;
    int ok;
    memset(&o, 0, sizeof o);
    o.num_workers = 1;
    L = D ? hy_loader_new(F, D, 4, &o) : NULL;
    if (L) hy_next(F, L);
    if (L) x = hy_next(F, L);
    ok = x && control_at(F, hy_get(F, x, 0), 0) == 4;
    if (L) hy_loader_free(F, L);
    if (D) hy_dataset_free(F, D);
    return ok && !hy_error(F);
}

static void test_workers_oom(void) { oom_walk(workers_oom, 1); }
#endif

static void test_workers(void)
{
#ifndef HYBRID_NO_TRAIN
    RUN(test_workers_same);
    RUN(test_workers_ends);
    RUN(test_workers_errors);
    RUN(test_workers_no_allocation);
    RUN(test_workers_oom);
#ifndef HYBRID_NO_THREADS
    RUN(test_workers_frames_thread);
#endif
#endif
}
