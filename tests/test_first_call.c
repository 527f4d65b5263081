/* Threads that come at the same time: the first call of a network whose parameters have no shapes and no
 * values yet, and forks that open and close side by side. Run it under ThreadSanitizer too. Every name
 * contains "thread". */
#ifdef HYBRID_NO_THREADS
static void test_first_call(void) { }
#else
#include <pthread.h>
#if defined(__SANITIZE_THREAD__)
#define FIRST_SLOW 1                    /* a race is seen in the first few rounds, and rounds take long */
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FIRST_SLOW 1
#endif
#endif
#ifndef FIRST_SLOW
#define FIRST_SLOW 0
#endif
enum { FIRST_THREADS = 4, FIRST_LAYERS = 20 };

/* --- all wait until all are there --- */
typedef struct first_gate { pthread_mutex_t lock; pthread_cond_t open; int here, passed; } first_gate;

static void first_wait(first_gate *g)
{
    int turn;
    pthread_mutex_lock(&g->lock);
    turn = g->passed;
    if (++g->here == FIRST_THREADS + 1) {
        g->here = 0;
        g->passed++;
        pthread_cond_broadcast(&g->open);
    }
    while (g->passed == turn) pthread_cond_wait(&g->open, &g->lock);
    pthread_mutex_unlock(&g->lock);
}

/* --- the first call --- */
typedef struct first_race {
    hy_frame  *F;
    hy_block  *net;
    int        stop, columns;           /* of the inputs */
    first_gate gate;
} first_race;
typedef struct first_runner {
    first_race *race;
    hy_frame   *F;
    int         id;
    double      got[3];
    char        error[200];
} first_runner;

/* The first of the outputs for a batch of n equal rows: the same for any n. */
static double first_call(hy_frame *F, const first_race *race, int64_t n)
{
    double v;
    hy_begin(F);
    v = hy_value(F, hy_call(F, race->net, hy_full(F, HY_SHAPE(n, race->columns), 0.5)), 0, 0);
    hy_end(F);
    return v;
}

/* What may be asked meanwhile: the answer is the one from before or the one from after. */
static int first_ask(hy_frame *F, hy_block *net)
{
    hy_params all;
    char text[4096];
    int i, wrong = 0;
    hy_begin(F);
    all = hy_collect_params(F, net, NULL);
    for (i = 0; i < all.n; i++) {
        int ready = hy_param_ready(F, all.at[i]);
        hy_shape shape = hy_param_shape(F, all.at[i]);
        wrong += ready && shape.dim[shape.ndim - 1] < 1;
    }
    hy_block_text(F, net, text, sizeof text);
    hy_end(F);
    return wrong;
}

static void *first_run(void *user)
{
    first_runner *r = (first_runner *)user;
    int k;
    for (;;) {
        first_wait(&r->race->gate);
        if (r->race->stop) return NULL;
        if (r->id & 1 && first_ask(r->F, r->race->net)) hy_raise(r->F, HY_ERROR_STATE, "ready without a shape");
        for (k = 0; k < 3; k++) r->got[k] = first_call(r->F, r->race, 1 + (r->id + k) % 3);
        if (hy_error(r->F)) snprintf(r->error, sizeof r->error, "%s", hy_error(r->F));
        hy_clear(r->F);
        first_wait(&r->race->gate);
    }
}

static hy_block *first_built(hy_frame *F)
{
    hy_nn_dense_opt relu;
    hy_block *net = hy_nn_hybrid_sequential(F);
    memset(&relu, 0, sizeof relu);
    relu.activation = "relu";
    hy_append(F, net, hy_nn_dense(F, 6, &relu), hy_nn_batch_norm(F, NULL), hy_nn_dense(F, 3, NULL));
    return net;
}

#ifndef HYBRID_NO_IO
static hy_graph *first_graph(hy_frame *F)       /* layer after layer, no shape known */
{
    char text[FIRST_LAYERS * 200 + 300], *to = text;
    int i;
    to += sprintf(to, "{\"nodes\":[{\"op\":\"null\",\"name\":\"data\",\"inputs\":[]}");
    for (i = 0; i < FIRST_LAYERS; i++)
        to += sprintf(to, ",{\"op\":\"null\",\"name\":\"w%d\",\"inputs\":[]},"
                      "{\"op\":\"FullyConnected\",\"name\":\"f%d\","
                      "\"attrs\":{\"num_hidden\":\"6\",\"no_bias\":\"True\"},\"inputs\":[[%d,0,0],[%d,0,0]]}",
                      i, i, 2 * i, 2 * i + 1);
    to += sprintf(to, "],\"arg_nodes\":[0],\"heads\":[[%d,0,0]],"
                  "\"attrs\":{\"mxnet_version\":[\"int\",10901]}}", 2 * FIRST_LAYERS);
    return hy_symbol_from(F, text, (size_t)(to - text));
}
#endif

/* Round after round with a new network, for half a second at most. */
static void first_rounds(int imported, int hybrid)
{
    first_race race;
    first_runner runner[FIRST_THREADS];
    pthread_t thread[FIRST_THREADS];
    hy_graph *g = NULL;
    double begun = hy_seconds(), due;
    int i, k, round;
    (void)imported;
    memset(&race, 0, sizeof race);
    memset(runner, 0, sizeof runner);
    pthread_mutex_init(&race.gate.lock, NULL);
    pthread_cond_init(&race.gate.open, NULL);
    race.F = thread_open(2);
    race.columns = 5;
#ifndef HYBRID_NO_IO
    if (imported) g = first_graph(race.F);
#endif
    for (i = 0; i < FIRST_THREADS; i++) {
        runner[i].race = &race;
        runner[i].id = i;
        runner[i].F = hy_fork(race.F);
        pthread_create(&thread[i], NULL, first_run, &runner[i]);
    }
    for (round = 0; round < (FIRST_SLOW ? 30 : 3000) && hy_seconds() - begun < 0.5 && !test_broken; round++) {
        hy_begin(race.F);
        race.net = g ? hy_nn_symbol_block(race.F, g, "data") : first_built(race.F);
        hy_initialize(race.F, race.net, NULL);
        if (hybrid) hy_hybridize(race.F, race.net, NULL);
        CHECK(!hy_error(race.F));
        first_wait(&race.gate);
        first_wait(&race.gate);
        due = first_call(race.F, &race, 2);
        for (i = 0; i < FIRST_THREADS; i++) {
            if (!CHECK(!runner[i].error[0]))
                printf("    round %d, thread %d: %s\n", round, i, runner[i].error);
            for (k = 0; k < 3 && !runner[i].error[0]; k++) CHECK_NEAR(runner[i].got[k], due, 1e-6);
        }
        hy_block_free(race.F, race.net);
        hy_end(race.F);
    }
    CHECK(round > 0);
    race.stop = 1;
    first_wait(&race.gate);
    for (i = 0; i < FIRST_THREADS; i++) {
        pthread_join(thread[i], NULL);
        hy_close(runner[i].F);
    }
    CHECK(hy_close(race.F) == 0);
    pthread_cond_destroy(&race.gate.open);
    pthread_mutex_destroy(&race.gate.lock);
}

static void threads_first_call(void) { first_rounds(0, 0); }
static void threads_first_call_hybridized(void) { first_rounds(0, 1); }
#ifndef HYBRID_NO_IO
static void threads_first_call_imported(void) { first_rounds(1, 0); }
static void threads_first_call_imported_hybridized(void) { first_rounds(1, 1); }
#endif

/* --- two forks at a time, over and over, by two threads: what is held settles --- */
typedef struct first_forker { hy_frame *F; int pairs, done; size_t settled, most; } first_forker;

static void *first_fork(void *user)
{
    first_forker *f = (first_forker *)user;
    for (; f->done < f->pairs; f->done++) {
        hy_frame *a = hy_fork(f->F), *b = hy_fork(f->F);
        size_t now = hy_memory_use(f->F).bytes;
        hy_ones(a, HY_SHAPE(4));
        hy_ones(b, HY_SHAPE(4));
        if (hy_close(a) || hy_close(b)) return NULL;
        if (now > f->most) f->most = now;
        if (f->done < 200) f->settled = f->most;
        else if (now > f->settled + (1 << 20)) return NULL;     /* it grows: no need to see it all */
    }
    return NULL;
}

static void threads_fork_and_close(void)
{
    first_forker f[2];
    pthread_t thread[2];
    hy_frame *F = thread_open(1);
    int i;
    memset(f, 0, sizeof f);
    for (i = 0; i < 2; i++) {
        f[i].F = hy_fork(F);
        f[i].pairs = FIRST_SLOW || getenv("TEST_UNDER_VALGRIND") ? 2000 : 100000;
        pthread_create(&thread[i], NULL, first_fork, &f[i]);
    }
    for (i = 0; i < 2; i++) {
        pthread_join(thread[i], NULL);
        if (!CHECK(f[i].done == f[i].pairs))
            printf("    %d pairs: %lu bytes\n", f[i].done, (unsigned long)f[i].most);
        hy_close(f[i].F);
    }
    CHECK(hy_close(F) == 0);
}

static void test_first_call(void)
{
    RUN(threads_first_call);
    RUN(threads_first_call_hybridized);
#ifndef HYBRID_NO_IO
    RUN(threads_first_call_imported);
    RUN(threads_first_call_imported_hybridized);
#endif
    RUN(threads_fork_and_close);
}
#endif
