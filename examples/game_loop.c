/* cc -O2 examples/game_loop.c -o game_loop -lm -lpthread
 * A network inside a game: it runs in the game's own job system and in a buffer of known size, asks for no
 * memory once the game goes, and gives the same bits for any number of workers, which is what replays need.
 */
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the game's jobs: a loop whose items are handed out under a lock --- */
typedef struct jobs {
    pthread_mutex_t lock;
    pthread_cond_t  change;
    pthread_t       thread[8];
    int             workers, started, stop;
    hy_item_fn      fn;
    void           *arg;
    int64_t         next, finished, n;
} jobs;

static void jobs_take(jobs *j, int worker)              /* with the lock held */
{
    while (j->next < j->n) {
        int64_t i = j->next++;
        pthread_mutex_unlock(&j->lock);
        j->fn(j->arg, i, worker);
        pthread_mutex_lock(&j->lock);
        if (++j->finished == j->n) pthread_cond_broadcast(&j->change);
    }
}

static void *jobs_main(void *argument)
{
    jobs *j = (jobs *)argument;
    int worker;
    pthread_mutex_lock(&j->lock);
    worker = ++j->started;                              /* the game's own thread is worker 0 */
    while (!j->stop) {
        pthread_cond_wait(&j->change, &j->lock);
        jobs_take(j, worker);
    }
    pthread_mutex_unlock(&j->lock);
    return NULL;
}

static void jobs_for(void *user, int64_t n, hy_item_fn fn, void *arg)
{
    jobs *j = (jobs *)user;
    pthread_mutex_lock(&j->lock);
    j->fn = fn;
    j->arg = arg;
    j->next = j->finished = 0;
    j->n = n;
    pthread_cond_broadcast(&j->change);
    jobs_take(j, 0);
    while (j->finished < n) pthread_cond_wait(&j->change, &j->lock);
    pthread_mutex_unlock(&j->lock);
}

static void jobs_open(jobs *j, int workers)
{
    memset(j, 0, sizeof *j);
    pthread_mutex_init(&j->lock, NULL);
    pthread_cond_init(&j->change, NULL);
    for (j->workers = 1; j->workers < workers; j->workers++)
        if (pthread_create(&j->thread[j->workers], NULL, jobs_main, j)) break;
}

static void jobs_close(jobs *j)
{
    pthread_mutex_lock(&j->lock);
    j->stop = 1;
    pthread_cond_broadcast(&j->change);
    pthread_mutex_unlock(&j->lock);
    while (--j->workers > 0) pthread_join(j->thread[j->workers], NULL);
}

/* --- the game's allocator, which counts --- */
static void *count_alloc(void *calls, size_t bytes) { ++*(int *)calls; return malloc(bytes); }
static void count_free(void *calls, void *block) { ++*(int *)calls; free(block); }

/* --- the game: a school of fish, each steered by the network --- */
enum { FISH = 200, FRAMES = 60 };
typedef struct { float x, y, vx, vy; } fish;

static uint64_t swim(fish *f, const float *turn, uint64_t hash)
{
    const unsigned char *byte = (const unsigned char *)turn;
    size_t i;
    for (i = 0; i < FISH * 2 * sizeof *turn; i++) hash = (hash ^ byte[i]) * 1099511628211u;
    for (i = 0; i < FISH; i++, f++, turn += 2) {
        f->vx = 0.9f * f->vx + 0.1f * turn[0];
        f->vy = 0.9f * f->vy + 0.1f * turn[1];
        f->x += 0.1f * f->vx;
        f->y += 0.1f * f->vy;
    }
    return hash;
}

static uint64_t play(int workers, int *later)   /* a hash of all outputs; allocator calls after frame 1 */
{
    hy_desc desc = {0};
    hy_frame *F;
    hy_block *net;
    hy_array *school, *turns;
    hy_plan_info plan;
    void *buffer;
    jobs pool;
    uint64_t hash = 1;
    int frame, calls = 0, first = 0;
    jobs_open(&pool, workers);
    desc.threads = pool.workers;
    desc.parallel_for = jobs_for;
    desc.parallel_user = &pool;
    desc.allocator.alloc_fn = count_alloc;
    desc.allocator.free_fn = count_free;
    desc.allocator.user_data = &calls;
    F = hy_open(&desc);
    net = hy_append(F, hy_nn_hybrid_sequential(F), hy_nn_dense(F, 128, NULL), hy_nn_activation(F, "relu"),
                    hy_nn_dense(F, 128, NULL), hy_nn_activation(F, "relu"),
                    hy_nn_dense(F, 2, NULL), hy_nn_activation(F, "tanh"));
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    school = hy_uniform(F, HY_SHAPE(FISH, 4), -1, 1);
    plan = hy_plan(F, net, school);
    buffer = malloc(plan.total);
    hy_bind(F, net, school, buffer, plan.total);        /* exactly what was planned */
    for (frame = 0; frame < FRAMES && !hy_error(F); frame++) {
        if (frame == 1) first = calls;
        hy_begin(F);
        turns = hy_call(F, net, school);
        if (turns) hash = swim((fish *)hy_write(F, school), (const float *)hy_data(F, turns), hash);
        hy_end(F);
    }
    *later = calls - first;
    if (hy_error(F)) fprintf(stderr, "%s\n", hy_error(F));
    if (hy_close(F)) hash = (uint64_t)workers;
    jobs_close(&pool);
    free(buffer);
    return hash;
}

int main(void)
{
    int calls[3];
    uint64_t one = play(1, &calls[0]), two = play(2, &calls[1]), four = play(4, &calls[2]);
    printf("1, 2 and 4 workers: %s\n", one == two && two == four ? "same bits" : "different bits");
    printf("allocator calls after the first frame: %d, %d, %d\n", calls[0], calls[1], calls[2]);
    return 0;
}
