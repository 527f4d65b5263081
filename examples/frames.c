/* cc -O2 examples/frames.c -o frames -lm -lpthread
 *     ./frames                 some frames, as fast as they go, and the first of them as frames.ppm
 *     ./frames show            in the terminal (80 columns, colours), 60 frames a second; Ctrl-C ends it
 *     ./frames 10000           10,000 frames at 60 a second: how long a frame takes, at worst too
 * A living texture in a game: a network gives the colour of each point from its place and the time. It runs in
 * the game's own thread and in one block of memory: nothing is allocated, and no other thread is woken.
 */
#define _DEFAULT_SOURCE                 /* nanosleep, in strict C too */
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WIDE = 80, HIGH = 48, POINTS = WIDE * HIGH, RATE = 60, MOST = 100000 };

static void *count_alloc(void *calls, size_t bytes) { ++*(int *)calls; return malloc(bytes); }
static void count_free(void *calls, void *block) { ++*(int *)calls; free(block); }

static hy_block *painter(hy_frame *F)
{
    hy_block *net = hy_append(F, hy_nn_hybrid_sequential(F), hy_nn_dense(F, 24, NULL), hy_nn_activation(F, "tanh"),
                              hy_nn_dense(F, 24, NULL), hy_nn_activation(F, "tanh"),
                              hy_nn_dense(F, 24, NULL), hy_nn_activation(F, "tanh"),
                              hy_nn_dense(F, 3, NULL), hy_nn_activation(F, "sigmoid"));
    hy_init large = hy_init_normal(0.9);                /* no training: large random weights paint well */
    hy_seed(F, 8);
    hy_initialize(F, net, &large);
    hy_hybridize(F, net, NULL);
    return net;
}

/* What the network sees of each point: its place, how far out it is, and the time going round. */
static void look(float *see, int frame)
{
    int i;
    for (i = 0; i < POINTS; i++, see += 5) {
        float x = 3.0f * ((float)(i % WIDE) / WIDE - 0.5f), y = 2.0f * ((float)(i / WIDE) / HIGH - 0.5f);
        see[0] = x;
        see[1] = y;
        see[2] = sqrtf(x * x + y * y);
        see[3] = sinf(0.02f * (float)frame);
        see[4] = cosf(0.02f * (float)frame);
    }
}

static int shade(float v) { return (int)(255 * v + 0.5f); }

static void save(const char *file, const float *colour)
{
    FILE *out = fopen(file, "wb");
    int i;
    if (!out) return;
    fprintf(out, "P6\n%d %d\n255\n", WIDE, HIGH);
    for (i = 0; i < 3 * POINTS; i++) putc(shade(colour[i]), out);
    fclose(out);
}

/* Two points in a character: the upper half block in one colour, on the other. */
static void show(const float *colour)
{
    static char screen[POINTS / 2 * 48 + HIGH * 8 + 16];
    char *to = screen + sprintf(screen, "\033[H");
    int x, y;
    for (y = 0; y < HIGH; y += 2) {
        for (x = 0; x < WIDE; x++) {
            const float *a = colour + 3 * (y * WIDE + x), *b = a + 3 * WIDE;
            to += sprintf(to, "\033[38;2;%d;%d;%dm\033[48;2;%d;%d;%dm\xe2\x96\x80", shade(a[0]), shade(a[1]), shade(a[2]),
                          shade(b[0]), shade(b[1]), shade(b[2]));
        }
        to += sprintf(to, "\033[0m\n");
    }
    fwrite(screen, 1, (size_t)(to - screen), stdout);
    fflush(stdout);
}

static void wait_until(double when)
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
    return x < y ? -1 : x > y;
}

static void report(double *took, int n)
{
    int i, late = 0;
    for (i = 0; i < n; i++) late += took[i] > 1.0 / RATE;
    qsort(took, (size_t)n, sizeof *took, by_size);
    printf("a frame takes %.2f ms; 99.9 of 100 take less than %.2f ms; the longest %.2f ms; %d of %d later than %.1f ms\n",
           took[n / 2] * 1e3, took[(int)(0.999 * n)] * 1e3, took[n - 1] * 1e3, late, n, 1e3 / RATE);
}

int main(int argc, char **argv)
{
    static double took[MOST];
    int showing = argc > 1 && !strcmp(argv[1], "show"), paced = argc > 1, calls = 0, before, i;
    int frames = showing ? MOST : paced ? atoi(argv[1]) : 60;
    hy_desc desc = { 0 };
    hy_plan_info plan;
    hy_array *points, *colour;
    hy_block *net;
    hy_frame *F;
    void *buffer;
    double start;
    desc.threads = 1;
    desc.allocator.alloc_fn = count_alloc;
    desc.allocator.free_fn = count_free;
    desc.allocator.user_data = &calls;
    F = hy_open(&desc);
    net = painter(F);
    points = hy_zeros(F, HY_SHAPE(POINTS, 5));
    plan = hy_plan(F, net, points);
    buffer = malloc(plan.total);
    hy_bind(F, net, points, buffer, plan.total);
    if (frames < 1 || frames > MOST) frames = MOST;
    before = calls;
    start = hy_seconds();
    for (i = 0; i < frames && !hy_error(F); i++) {
        double began = hy_seconds();
        hy_begin(F);
        look((float *)hy_write(F, points), i);
        colour = hy_call(F, net, points);
        if (colour && showing) show((const float *)hy_data(F, colour));
        if (colour && !paced && !i) save("frames.ppm", (const float *)hy_data(F, colour));
        hy_end(F);
        took[i] = hy_seconds() - began;
        if (paced) wait_until(start + (i + 1) / (double)RATE);
    }
    printf("%d frames of %d x %d points\n", i, WIDE, HIGH);
    printf("allocator calls among them: %d; threads: %d\n", calls - before, hy_threads(F));
    if (paced && i) report(took, i);
    if (hy_error(F)) fprintf(stderr, "%s\n", hy_error(F));
    i = hy_close(F);
    free(buffer);
    return i;
}
