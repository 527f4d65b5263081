/* cc -O2 examples/later.c -o later -lm -lpthread
 * A game at 60 frames a second asks a network that takes longer than a frame. hy_later returns at once; the answer is
 * taken some frames later, when it is there. Runs twice: on the library's own thread, and on a job system of the
 * game's; before it, 1,000 products are begun and waited for. `./later quick` plays 200 frames instead of 10,000,
 * `./later cost` none. What all that takes goes to stderr.
 */
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --- the game's jobs: one thread, and a queue --- */
typedef struct jobs {
    pthread_mutex_t lock;
    pthread_cond_t  change;
    pthread_t       thread;
    struct { void (*fn)(void *arg); void *arg; } job[16];
    int             n, stop;
} jobs;

static void *jobs_main(void *argument)
{
    jobs *j = (jobs *)argument;
    pthread_mutex_lock(&j->lock);
    while (!j->stop || j->n) {
        if (!j->n) { pthread_cond_wait(&j->change, &j->lock); continue; }
        {
            void (*fn)(void *arg) = j->job[0].fn;
            void *arg = j->job[0].arg;
            memmove(j->job, j->job + 1, (size_t)--j->n * sizeof *j->job);
            pthread_mutex_unlock(&j->lock);
            fn(arg);
            pthread_mutex_lock(&j->lock);
        }
    }
    pthread_mutex_unlock(&j->lock);
    return NULL;
}

static int jobs_start(void *user, void (*fn)(void *arg), void *arg)     /* hy_desc.start */
{
    jobs *j = (jobs *)user;
    int full;
    pthread_mutex_lock(&j->lock);
    full = j->n == 16;
    if (!full) { j->job[j->n].fn = fn; j->job[j->n++].arg = arg; }
    pthread_cond_signal(&j->change);
    pthread_mutex_unlock(&j->lock);
    return full;                        /* then the library makes the call at once */
}

/* --- the game --- */
static void sleep_until(double when)
{
    double left = when - hy_seconds();
    struct timespec t;
    if (left <= 0) return;
    t.tv_sec = (time_t)left;
    t.tv_nsec = (long)((left - (double)t.tv_sec) * 1e9);
    nanosleep(&t, NULL);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A stack of dense layers, so deep that a call takes about 30 ms. */
static hy_block *slow_network(hy_frame *F, hy_array *x, int quick)
{
    const int width = quick ? 256 : 1024, most = quick ? 8 : 400;
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_nn_dense_opt relu = { 0 };
    double took = 0;
    int layers = 0;
    relu.activation = "relu";
    while (took < 0.03 && layers < most) {
        int i;
        for (i = 0; i < 4; i++) hy_append(F, net, hy_nn_dense(F, width, &relu));
        hy_initialize(F, net, NULL);
        hy_hybridize(F, net, NULL);
        hy_call(F, net, x);
        took = -hy_seconds();
        hy_call(F, net, x);
        took += hy_seconds();
        layers += 4;
    }
    fprintf(stderr, "%d layers, %.1f ms a call\n", layers, 1e3 * took);
    return net;
}

static void play(const char *who, jobs *host, int frames, int quick)
{
    hy_desc desc = { 0 };
    hy_frame *F;
    hy_block *net;
    hy_ticket *ticket = NULL;
    hy_array *x, *y;
    double *spent = (double *)calloc((size_t)frames, sizeof *spent), next, due[8];
    int i, answers = 0, right = 0, asked = 0;
    desc.threads = 2;
    if (host) { desc.start = jobs_start; desc.start_user = host; }
    F = hy_open(&desc);
    x = hy_zeros(F, HY_SHAPE(8, 256));
    net = slow_network(F, x, quick);
    for (i = 0; i < 8; i++) {           /* what the answers have to be, by plain calls */
        hy_fill(F, x, 0.125 * (i + 1));
        due[i] = hy_value(F, hy_call(F, net, x), 0, 0);
    }
    next = hy_seconds();
    for (i = 0; i < frames && !hy_error(F); i++) {
        double from = hy_seconds();
        hy_begin(F);
        if (!ticket) {
            hy_fill(F, x, 0.125 * (asked++ % 8 + 1));
            ticket = hy_later(F, net, x);
        } else if (hy_ready(F, ticket)) {
            y = hy_wait(F, ticket);
            ticket = NULL;
            right += hy_value(F, y, 0, 0) == due[answers++ % 8];
        }
        hy_end(F);
        spent[i] = hy_seconds() - from;
        next += quick ? 0.001 : 1.0 / 60;
        sleep_until(next);              /* here the game draws */
    }
    hy_wait_all(F);
    qsort(spent, (size_t)frames, sizeof *spent, by_size);
    fprintf(stderr, "%s: %d answers in %d frames; a frame's calls took %.1f us at the median, %.1f at 99 %%, %.1f at 99.9 %%\n",
            who, answers, frames, 1e6 * spent[frames / 2], 1e6 * spent[frames * 99 / 100], 1e6 * spent[frames * 999 / 1000]);
    printf("%s: %s\n", who, answers > 0 && right == answers ? "every answer is that of a plain call" : "an answer is wrong");
    if (hy_error(F)) printf("%s\n", hy_error(F));
    hy_close(F);
    free(spent);
}

/* --- 1,000 products: waited for one by one, and all at the end --- */
static hy_array *square(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_sum(F, hy_dot(F, x, x, NULL), HY_ALL, NULL);
}

static void products(int n)
{
    hy_desc desc = { 0 };
    hy_hybridize_opt one = { 0 };
    hy_frame *F;
    hy_block *net;
    hy_array *x;
    hy_ticket *last = NULL;
    double due, took[3];
    int i, way, right = 1;
    desc.threads = 2;
    one.threads = 1;                    /* each product on one core */
    F = hy_open(&desc);
    net = hy_nn_hybrid_lambda(F, square, "square");
    hy_hybridize(F, net, &one);
    x = hy_normal(F, HY_SHAPE(256, 256), 0, 1);
    due = hy_item(F, hy_call(F, net, x));
    for (way = 0; way < 6; way++) {     /* the first three warm up */
        hy_begin(F);
        took[way % 3] = -hy_seconds();
        for (i = 0; i < n; i++) {
            hy_begin(F);
            if (way % 3 == 0) hy_call(F, net, x);
            else last = hy_later(F, net, x);
            if (way % 3 == 1) right &= hy_item(F, hy_wait(F, last)) == due;
            hy_end(F);
        }
        if (way % 3 == 2) right &= hy_item(F, hy_wait(F, last)) == due;
        hy_wait_all(F);
        took[way % 3] += hy_seconds();
        hy_end(F);
    }
    fprintf(stderr, "%d products: %.1f ms by plain calls, %.1f waiting for each, %.1f waiting at the end\n", n,
            1e3 * took[0], 1e3 * took[1], 1e3 * took[2]);
    printf("%d products: %s\n", n, right ? "every one is that of a plain call" : "one is wrong");
    if (hy_error(F)) printf("%s\n", hy_error(F));
    hy_close(F);
}

/* --- what a call costs its caller, beside one signal to a thread that sleeps --- */
static void nap(void)
{
    struct timespec t = { 0, 3000000 };
    nanosleep(&t, NULL);
}

/* A thread that has just worked sleeps on a core of its own, as the library's do; to wake one that never did
 * anything costs a fifth of that. */
static void work(void *arg)
{
    double until = hy_seconds() + 1e-3;
    (void)arg;
    while (hy_seconds() < until) {}
}

static void cost(int n)
{
    hy_desc desc = { 0 };
    hy_hybridize_opt one = { 0 };
    hy_frame *F;
    hy_block *net, *slow;
    hy_array *x, *wide;
    hy_ticket *t, *other;
    jobs idle;
    double *signal = (double *)calloc((size_t)n, sizeof *signal), *later = (double *)calloc((size_t)n, sizeof *later);
    double calls = 1e9, tickets = 1e9, took;
    int i;
    memset(&idle, 0, sizeof idle);
    pthread_mutex_init(&idle.lock, NULL);
    pthread_cond_init(&idle.change, NULL);
    if (pthread_create(&idle.thread, NULL, jobs_main, &idle)) return;
    desc.threads = 2;
    one.threads = 1;
    F = hy_open(&desc);
    x = hy_ones(F, HY_SHAPE(1, 16));
    net = hy_nn_dense(F, 16, NULL);
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, &one);
    hy_call(F, net, x);
    for (i = 0; i < n; i++) {
        jobs_start(&idle, work, NULL);
        nap();
        signal[i] = -hy_seconds();
        pthread_cond_signal(&idle.change);
        signal[i] += hy_seconds();
        nap();
        hy_begin(F);
        later[i] = -hy_seconds();
        t = hy_later(F, net, x);
        later[i] += hy_seconds();
        hy_wait(F, t);
        hy_end(F);
    }
    slow = hy_nn_dense(F, 1024, NULL);
    wide = hy_ones(F, HY_SHAPE(64, 1024));
    hy_initialize(F, slow, NULL);
    hy_hybridize(F, slow, &one);
    for (i = 0; i < n / 10 + 5; i++) {  /* the least of some */
        hy_begin(F);
        took = -hy_seconds();
        hy_call(F, slow, wide);
        hy_call(F, slow, wide);
        took += hy_seconds();
        if (took < calls) calls = took;
        took = -hy_seconds();
        t = hy_later(F, slow, wide);
        other = hy_later(F, slow, wide);
        hy_wait(F, t);
        hy_wait(F, other);
        took += hy_seconds();
        if (took < tickets) tickets = took;
        hy_end(F);
    }
    qsort(signal, (size_t)n, sizeof *signal, by_size);
    qsort(later, (size_t)n, sizeof *later, by_size);
    fprintf(stderr, "hy_later %.1f us at the median, %.1f at 90 %%; pthread_cond_signal %.1f and %.1f\n"
            "two tickets took %.2f of two calls (%.0f us)\n", 1e6 * later[n / 2], 1e6 * later[n * 9 / 10],
            1e6 * signal[n / 2], 1e6 * signal[n * 9 / 10], tickets / calls, 1e6 * calls);
    if (hy_error(F)) printf("%s\n", hy_error(F));
    hy_close(F);
    pthread_mutex_lock(&idle.lock);
    idle.stop = 1;
    pthread_cond_signal(&idle.change);
    pthread_mutex_unlock(&idle.lock);
    pthread_join(idle.thread, NULL);
    free(signal);
    free(later);
}

int main(int argc, char **argv)
{
    const int quick = argc > 1 && !strcmp(argv[1], "quick"), frames = quick ? 200 : 10000;
    jobs host;
    products(quick ? 50 : 1000);
    cost(quick ? 20 : 1000);
    if (argc > 1 && !strcmp(argv[1], "cost")) return 0;
    memset(&host, 0, sizeof host);
    pthread_mutex_init(&host.lock, NULL);
    pthread_cond_init(&host.change, NULL);
    if (pthread_create(&host.thread, NULL, jobs_main, &host)) return 1;
    play("the library's thread", NULL, frames, quick);
    play("the game's jobs", &host, frames, quick);
    pthread_mutex_lock(&host.lock);
    host.stop = 1;
    pthread_cond_signal(&host.change);
    pthread_mutex_unlock(&host.lock);
    pthread_join(host.thread, NULL);
    return 0;
}
