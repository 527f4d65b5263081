/* Proves that threads change nothing but time: the pool, a host's own job system, forks and separate roots.
 * Run it under ThreadSanitizer too. Every name contains "thread". */
#ifdef HYBRID_NO_THREADS
static void test_threads(void) { }
#else
#include <pthread.h>
#include <time.h>

static hy_frame *thread_open(int threads)
{
    hy_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.threads = threads;
    desc.seed = 5;
    return hy_open(&desc);
}

static void thread_nap(long milliseconds)
{
    struct timespec t;
    t.tv_sec = 0;
    t.tv_nsec = milliseconds * 1000000;
    nanosleep(&t, NULL);
}

/* A bit of everything that splits into items in its own way. */
static hy_array *thread_work(hy_frame *F, hy_array *x, hy_array *w)
{
    hy_array *y = hy_dot(F, x, w, NULL), *z;
    y = hy_add(F, y, hy_mean(F, y, HY_AXES(0), NULL));
    z = hy_softmax(F, hy_tanh(F, y), 1, NULL);
    y = hy_sub(F, y, hy_mul(F, z, hy_normal(F, hy_shape_of(F, y), 0, 1)));
    y = hy_add(F, y, hy_sum(F, hy_transpose(F, y, HY_AXES(1, 0)), HY_ALL, NULL));
    return hy_sort(F, hy_take(F, y, hy_argmax(F, y, 1, NULL), 1, NULL), 0, NULL);
}

typedef struct thread_result { size_t bytes; float v[4096]; } thread_result;

static void thread_keep_result(hy_frame *F, hy_array *y, thread_result *to)
{
    memset(to, 0, sizeof *to);
    to->bytes = hy_to(F, y, HY_F32, to->v, sizeof to->v);
}

static int thread_same(const thread_result *a, const thread_result *b)
{
    return a->bytes && a->bytes == b->bytes && !memcmp(a->v, b->v, a->bytes);
}

/* One whole program in a root of its own. */
static void thread_program(int threads, hy_parallel_for parallel_for, void *user, thread_result *to)
{
    hy_desc desc;
    hy_frame *F;
    memset(&desc, 0, sizeof desc);
    desc.threads = threads;
    desc.seed = 5;
    desc.parallel_for = parallel_for;
    desc.parallel_user = user;
    F = hy_open(&desc);
    thread_keep_result(F, thread_work(F, hy_normal(F, HY_SHAPE(40, 30), 0, 1),
                                      hy_normal(F, HY_SHAPE(30, 50), 0, 1)), to);
    if (!CHECK(hy_close(F) == 0)) printf("    the program failed\n");
}

/* --- the pool --- */
static void thread_pool_starts_lazily(void)
{
    hy_frame *F = thread_open(4);
    CHECK(hy_threads(F) == 4);
    CHECK(F->root->pool && F->root->pool->started == 0);
    hy_add(F, hy_ones(F, HY_SHAPE(2)), hy_ones(F, HY_SHAPE(2)));        /* one item: not worth a thread */
    CHECK(F->root->pool->started == 0);
    hy_add(F, hy_ones(F, HY_SHAPE(100000)), hy_ones(F, HY_SHAPE(100000)));
    CHECK(F->root->pool->started == 3);
    CHECK(hy_close(F) == 0);
    F = thread_open(1);
    CHECK(hy_threads(F) == 1 && !F->root->pool);
    CHECK(hy_close(F) == 0);
}

static void thread_results_equal_one_thread(void)
{
    static thread_result one, many;
    int threads;
    thread_program(1, NULL, NULL, &one);
    for (threads = 2; threads <= 9; threads++) {
        thread_program(threads, NULL, NULL, &many);
        CHECK(thread_same(&one, &many));
    }
}

static void thread_many_regions_in_a_row(void)
{
    hy_frame *F = thread_open(4);
    hy_array *x = hy_zeros(F, HY_SHAPE(1000)), *one = hy_ones(F, HY_SHAPE(1000));
    int i;
    for (i = 0; i < 3000; i++) hy_add_to(F, x, one);
    CHECK(hy_item(F, hy_min(F, x, HY_ALL, NULL)) == 3000 && hy_item(F, hy_max(F, x, HY_ALL, NULL)) == 3000);
    CHECK(hy_close(F) == 0);
}

static void thread_pool_wakes_after_sleep(void)
{
    hy_frame *F = thread_open(4);
    int i;
    for (i = 0; i < 5; i++) {
        hy_array *x;
        hy_begin(F);
        x = hy_add_scalar(F, hy_ones(F, HY_SHAPE(1000000)), i);
        CHECK(hy_item(F, hy_min(F, x, HY_ALL, NULL)) == 1 + i);
        hy_end(F);
        thread_nap(20);
    }
    CHECK(hy_close(F) == 0);
}

static void thread_close_right_after_work(void)
{
    int i;
    for (i = 0; i < 50; i++) {
        hy_frame *F = thread_open(4);
        hy_array *x = hy_ones(F, HY_SHAPE(1000 + 64 * i));
        hy_exp(F, x);
        CHECK(hy_close(F) == 0);
    }
}

static void thread_busy_pool_runs_alone(void)
{
    hy_frame *F = thread_open(4);
    hy_array *x = hy_ones(F, HY_SHAPE(10000)), *y;
    int started = F->root->pool->started;
    HY__STORE(&F->root->pool->busy, 1);                 /* as if another fork had it */
    y = hy_add_scalar(F, x, 1);
    HY__STORE(&F->root->pool->busy, 0);
    CHECK(F->root->pool->started == started);
    CHECK(hy_item(F, hy_min(F, y, HY_ALL, NULL)) == 2 && hy_item(F, hy_max(F, y, HY_ALL, NULL)) == 2);
    CHECK(hy_close(F) == 0);
}

/* --- a host's job system --- */
typedef struct thread_host { int calls; int64_t items; } thread_host;
typedef struct thread_share {
    void (*fn)(void *arg, int64_t i, int worker);
    void   *arg;
    int64_t n;
    int     worker;
} thread_share;

static void *thread_host_main(void *arg)
{
    thread_share *s = (thread_share *)arg;
    int64_t i;
    for (i = s->n - 1 - s->worker; i >= 0; i -= 3) s->fn(s->arg, i, s->worker);
    return NULL;
}

static void thread_host_for(void *user, int64_t n, void (*fn)(void *arg, int64_t i, int worker), void *arg)
{
    thread_host *host = (thread_host *)user;
    pthread_t thread[3];
    thread_share share[3];
    int t, real[3];
    host->calls++;
    host->items += n;
    for (t = 0; t < 3; t++) {
        share[t].fn = fn;
        share[t].arg = arg;
        share[t].n = n;
        share[t].worker = t;
        real[t] = !pthread_create(&thread[t], NULL, thread_host_main, &share[t]);
        if (!real[t]) thread_host_main(&share[t]);
    }
    for (t = 0; t < 3; t++) if (real[t]) pthread_join(thread[t], NULL);
}

static void thread_host_parallel_for(void)
{
    static thread_result one, hosted;
    thread_host host = { 0, 0 };
    hy_desc desc;
    hy_frame *F;
    thread_program(1, NULL, NULL, &one);
    thread_program(3, thread_host_for, &host, &hosted);
    CHECK(thread_same(&one, &hosted));
    CHECK(host.calls > 5 && host.items > 50);
    memset(&desc, 0, sizeof desc);
    desc.threads = 3;
    desc.parallel_for = thread_host_for;
    desc.parallel_user = &host;
    F = hy_open(&desc);
    CHECK(!F->root->pool);                              /* no threads of the library's own */
    hy_close(F);
}

/* More workers than hy_desc.threads said: an error, whatever ran, and nothing is written where nothing is. */
static void thread_stray_for(void *user, int64_t n, void (*fn)(void *arg, int64_t i, int worker), void *arg)
{
    int64_t i;
    (void)user;
    for (i = 0; i < n; i++) fn(arg, i, (int)(i % 5) - 1);
}
static void thread_host_strays(void)
{
    static float zeros[10000];
    hy_desc desc;
    hy_frame *F;
    hy_block *net;
    hy_array *x;
    int compiled;
    memset(&desc, 0, sizeof desc);
    desc.threads = 2;
    desc.parallel_for = thread_stray_for;
    F = hy_open(&desc);
    net = hy_nn_dense(F, 300, NULL);
    hy_initialize(F, net, NULL);
    x = hy_floats(F, HY_SHAPE(100, 100), zeros);        /* copied: no work for the host */
    CHECK(x && !hy_error(F));
    for (compiled = 0; compiled < 2; compiled++) {
        if (compiled) hy_hybridize(F, net, NULL);
        hy_softmax(F, hy_call(F, net, hy_dot(F, x, x, NULL)), -1, NULL);
        if (CHECK(hy_error(F))) CHECK(strstr(hy_error(F), "set hy_desc.threads"));
        hy_clear(F);
    }
    hy_close(F);
}

/* --- roots and forks --- */
typedef struct thread_job { pthread_t thread; hy_frame *F; hy_array *x,
                           *w; int number; thread_result result; } thread_job;

static void *thread_own_root(void *arg)
{
    thread_job *job = (thread_job *)arg;
    int i;
    for (i = 0; i < 10; i++) {
        hy_frame *F = thread_open(3);
        thread_keep_result(F, thread_work(F, hy_normal(F, HY_SHAPE(40, 30), 0, 1),
                                          hy_normal(F, HY_SHAPE(30, 50), 0, 1)),
                           &job->result);
        hy_close(F);
    }
    return NULL;
}

static void thread_two_roots(void)
{
    static thread_job job[2];
    static thread_result alone;
    int i;
    thread_program(1, NULL, NULL, &alone);
    for (i = 0; i < 2; i++) pthread_create(&job[i].thread, NULL, thread_own_root, &job[i]);
    for (i = 0; i < 2; i++) pthread_join(job[i].thread, NULL);
    for (i = 0; i < 2; i++) CHECK(thread_same(&job[i].result, &alone));
}

static void thread_run_forks(thread_job *job, int n, void *(*fn)(void *))
{
    int i;
    for (i = 0; i < n; i++) job[i].number = i;
    for (i = 0; i < n; i++) pthread_create(&job[i].thread, NULL, fn, &job[i]);
    for (i = 0; i < n; i++) pthread_join(job[i].thread, NULL);
}

static void *thread_fork_computes(void *arg)
{
    thread_job *job = (thread_job *)arg;
    int i;
    for (i = 0; i < 20; i++) {
        hy_begin(job->F);
        hy_seed(job->F, 9);
        thread_keep_result(job->F, thread_work(job->F, job->x, job->w), &job->result);
        hy_end(job->F);
    }
    return NULL;
}

static void thread_forks_share_inputs(void)
{
    static thread_job job[4];
    static thread_result alone;
    hy_frame *F = thread_open(4);
    hy_array *x = hy_keep(F, hy_normal(F, HY_SHAPE(40, 30), 0, 1));
    hy_array *w = hy_keep(F, hy_normal(F, HY_SHAPE(30, 50), 0, 1));
    int i;
    for (i = 0; i < 4; i++) {
        job[i].F = hy_fork(F);
        job[i].x = x;
        job[i].w = w;
    }
    hy_seed(F, 9);
    thread_keep_result(F, thread_work(F, x, w), &alone);
    thread_run_forks(job, 4, thread_fork_computes);
    for (i = 0; i < 4; i++) {
        CHECK(thread_same(&job[i].result, &alone));
        CHECK(hy_close(job[i].F) == 0);
    }
    CHECK(hy_close(F) == 0);
}

static void *thread_fork_opens_and_closes(void *arg)
{
    thread_job *job = (thread_job *)arg;
    int i;
    for (i = 0; i < 50; i++) {
        hy_frame *F = hy_fork(job->F);
        hy_array *y = hy_add(F, job->x, hy_full(F, HY_SHAPE(30), job->number));
        thread_keep_result(F, y, &job->result);
        hy_close(F);
    }
    hy_close(job->F);
    return NULL;
}

static void thread_forks_come_and_go(void)
{
    static thread_job job[4];
    hy_frame *F = thread_open(2);
    hy_array *x = hy_keep(F, hy_ones(F, HY_SHAPE(40, 30)));
    int i;
    for (i = 0; i < 4; i++) {
        job[i].F = hy_fork(F);
        job[i].x = x;
    }
    thread_run_forks(job, 4, thread_fork_opens_and_closes);
    for (i = 0; i < 4; i++) {
        CHECK(job[i].result.bytes == 1200 * sizeof(float));
        CHECK(job[i].result.v[1199] == (float)(1 + i));
    }
    CHECK(hy_close(F) == 0);
}

static void *thread_fork_outlives_its_root(void *arg)
{
    thread_job *job = (thread_job *)arg;
    thread_nap(5);
    thread_keep_result(job->F, hy_ones(job->F, HY_SHAPE(1000)), &job->result);
    hy_close(job->F);
    return NULL;
}

static void thread_fork_closes_last(void)
{
    static thread_job job;
    hy_frame *F = thread_open(2);
    job.F = hy_fork(F);
    pthread_create(&job.thread, NULL, thread_fork_outlives_its_root, &job);
    CHECK(hy_close(F) == 0);
    pthread_join(job.thread, NULL);
    CHECK(job.result.v[999] == 1);
}

static void thread_fork_has_its_own_errors(void)
{
    hy_frame *F = thread_open(2), *fork = hy_fork(F);
    hy_add(fork, hy_ones(fork, HY_SHAPE(2)), hy_ones(fork, HY_SHAPE(3)));
    CHECK(hy_error(fork) && !hy_error(F));
    CHECK(hy_close(fork) == HY_ERROR_SHAPE);
    CHECK(hy_close(F) == 0);
}

#ifndef HYBRID_NO_TRAIN
static void *thread_fork_records(void *arg)
{
    thread_job *job = (thread_job *)arg;
    hy_frame *F = job->F;
    hy_array *leaf = hy_full(F, HY_SHAPE(30), 1 + job->number), *y;
    int i;
    hy_attach_grad(F, leaf, HY_GRAD_WRITE);
    for (i = 0; i < 20; i++) {
        hy_begin(F);
        hy_record(F);
        y = hy_mul(F, hy_square(F, leaf), job->x);      /* x is held and pinned by four threads at a time */
        hy_pause(F);
        hy_backward(F, y, NULL);
        hy_end(F);
    }
    thread_keep_result(F, hy_grad_of(F, leaf), &job->result);
    return NULL;
}

static void thread_forks_record_on_shared_inputs(void)
{
    static thread_job job[4];
    hy_frame *F = thread_open(2);
    hy_array *x = hy_keep(F, hy_ones(F, HY_SHAPE(40, 30)));
    int i;
    for (i = 0; i < 4; i++) {
        job[i].F = hy_fork(F);
        job[i].x = x;
    }
    thread_run_forks(job, 4, thread_fork_records);
    for (i = 0; i < 4; i++) {
        CHECK(job[i].result.v[29] == (float)(2 * (1 + i) * 40));
        if (!CHECK(hy_close(job[i].F) == 0)) printf("    a fork failed\n");
    }
    hy_fill(F, x, 2);                                   /* nothing pins it any more */
    CHECK(hy_close(F) == 0);
}
#endif

typedef struct thread_graph { hy_frame *F; hy_graph *graph; hy_array *x; int wrong; } thread_graph;

static void *thread_run_graph(void *arg)
{
    thread_graph *t = (thread_graph *)arg;
    int i;
    for (i = 0; i < 20; i++) {
        hy_array *y;
        hy_begin(t->F);
        y = hy_graph_run(t->F, t->graph, t->x);
        t->wrong += !y || hy_value(t->F, y, 0) != 7.5;
        hy_end(t->F);
    }
    return NULL;
}

/* One compiled graph, run by four forks at once: each has an executor of its own. */
static void thread_forks_share_a_graph(void)
{
    hy_frame *F = thread_open(2), *S = hy_symbolic(F);
    hy_graph *graph = hy_compile(S, hy_mul_scalar(S, hy_add_scalar(S, hy_var(S, "x", NULL), 1.5), 3));
    hy_array *x = hy_keep(F, hy_ones(F, HY_SHAPE(1000)));
    pthread_t thread[4];
    thread_graph t[4];
    int i;
    for (i = 0; i < 4; i++) {
        t[i].F = hy_fork(F);
        t[i].graph = graph;
        t[i].x = x;
        t[i].wrong = 0;
        pthread_create(&thread[i], NULL, thread_run_graph, &t[i]);
    }
    for (i = 0; i < 4; i++) {
        pthread_join(thread[i], NULL);
        CHECK(t[i].wrong == 0);
        CHECK(hy_close(t[i].F) == 0);
    }
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void test_threads(void)
{
    RUN(thread_forks_share_a_graph);
    RUN(thread_pool_starts_lazily);
    RUN(thread_results_equal_one_thread);
    RUN(thread_many_regions_in_a_row);
    RUN(thread_pool_wakes_after_sleep);
    RUN(thread_close_right_after_work);
    RUN(thread_busy_pool_runs_alone);
    RUN(thread_host_parallel_for);
    RUN(thread_host_strays);
    RUN(thread_two_roots);
    RUN(thread_forks_share_inputs);
    RUN(thread_forks_come_and_go);
    RUN(thread_fork_closes_last);
    RUN(thread_fork_has_its_own_errors);
#ifndef HYBRID_NO_TRAIN
    RUN(thread_forks_record_on_shared_inputs);
#endif
}
#endif
