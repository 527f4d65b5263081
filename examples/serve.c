/* cc -O2 examples/serve.c -o serve -lm -lpthread
 *
 * One hybridized network and four threads that serve it, each with a frame of its own (hy_fork). They share
 * parameters, the traced graph and prepared weights. Every answer has the bits that one thread gives.
 */
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 4, KINDS = 12, ROUNDS = 20, SCORES = 10, IMAGE = 3 * 16 * 16 };

/* A request is one to four images; there are KINDS different ones, and what one thread answers to each. */
static float images[KINDS][4 * IMAGE], answers[KINDS][4 * SCORES];
static int images_in(int kind) { return 1 + kind % 4; }

typedef struct {
    pthread_t thread;
    hy_frame *F;
    hy_block *net;
    int       runs, first, served, different;
} server;

static hy_array *answer(hy_frame *F, hy_block *net, int kind)
{
    return hy_call(F, net, hy_floats(F, HY_SHAPE(images_in(kind), 3, 16, 16), images[kind]));
}

static void *serve(void *argument)
{
    server *s = (server *)argument;
    size_t bytes;
    int i;
    for (i = 0; i < ROUNDS * KINDS; i++) {
        int kind = (s->first + i) % KINDS;
        float scores[4 * SCORES];
        hy_begin(s->F);
        bytes = hy_to(s->F, answer(s->F, s->net, kind), HY_F32, scores, sizeof scores);
        s->different += !bytes || memcmp(scores, answers[kind], bytes) != 0;
        s->served++;
        hy_end(s->F);
    }
    return NULL;
}

/* In a library without threads (HYBRID_NO_THREADS, and always with tcc) servers work one after the other. */
static void start(server *s)
{
#ifndef HYBRID_NO_THREADS
    s->runs = !pthread_create(&s->thread, NULL, serve, s);
#endif
    if (!s->runs) serve(s);
}

int main(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_init xavier = hy_init_xavier(NULL);
    hy_nn_conv_opt o = {0};
    server servers[THREADS];
    int i, served = 0, different = 0;

    o.padding = HY_INTS(1);
    hy_append(F, net, hy_nn_conv2d(F, 16, HY_INTS(3), &o), hy_nn_batch_norm(F, NULL),
              hy_nn_activation(F, "relu"), hy_nn_max_pool2d(F, HY_INTS(2), NULL),
              hy_nn_conv2d(F, 32, HY_INTS(3), &o), hy_nn_activation(F, "relu"),
              hy_nn_global_avg_pool2d(F, NULL), hy_nn_dense(F, SCORES, NULL));
    hy_initialize(F, net, &xavier);
    hy_hybridize(F, net, NULL);
    for (i = 0; i < KINDS; i++) {
        hy_begin(F);
        hy_to(F, hy_normal(F, HY_SHAPE(4 * IMAGE), 0, 1), HY_F32, images[i], sizeof images[i]);
        hy_to(F, answer(F, net, i), HY_F32, answers[i], sizeof answers[i]);
        hy_end(F);
    }

    for (i = 0; i < THREADS; i++) {
        memset(&servers[i], 0, sizeof servers[i]);
        servers[i].F = hy_fork(F);
        servers[i].net = net;
        servers[i].first = 3 * i;
        start(&servers[i]);
    }
    for (i = 0; i < THREADS; i++) {
        if (servers[i].runs) pthread_join(servers[i].thread, NULL);
        served += servers[i].served;
        different += servers[i].different;
        if (hy_error(servers[i].F)) fprintf(stderr, "%s\n", hy_error(servers[i].F));
        hy_close(servers[i].F);
    }
    printf("%d servers, %d requests: %s\n", THREADS, served, different ? "different bits" : "same bits");
    if (hy_error(F)) fprintf(stderr, "%s\n", hy_error(F));
    return hy_close(F);
}
