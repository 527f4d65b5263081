/* cc -O2 tools/bench.c -o bench -lm -lpthread
 *
 * The benchmark of hybrid.h: networks, layers and products, each line by line and compiled, for several
 * numbers of threads. Before anything is timed its result is compared with plain loops in double precision,
 * which stand here too and share nothing with the library but the weights; what is wrong is not timed, and
 * the program ends with 1. `bench --help` tells the options.
 */
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#define HYBRID_ONNX_IMPLEMENTATION
#include "onnx.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef _WIN32
#include <io.h>
#define stderr_is_terminal() _isatty(2)
#else
#include <unistd.h>
#define stderr_is_terminal() isatty(2)
#endif

enum { FINE, WRONG, MISUSED };          /* what the program ends with */
enum { LINE_BY_LINE, COMPILED, MODES };
enum { MOST_THREADS = 16, MOST_ROUNDS = 99, MOST_FILTERS = 32, MOST_EXPECTED = 32, MOST_STEPS = 32 };
static const char *const mode_name[MODES] = { "line by line", "compiled" };
static const char *const mode_peer[MODES] = { "hybrid.h-eager", "hybrid.h-compiled" };

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

#ifdef __GNUC__
#define LIKE_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define LIKE_PRINTF(text, first)
#endif

LIKE_PRINTF(2, 3) static void fail(int code, const char *format, ...)
{
    va_list args;
    fflush(stdout);
    fprintf(stderr, "bench: ");
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\n");
    exit(code);
}

/* Memory that is cleared, and stays until forget(pieces as it was before): what references compute with. */
typedef struct piece { struct piece *before; double first; } piece;
static piece *pieces;

static double *numbers(int64_t n)
{
    piece *p = (piece *)calloc(1, sizeof *p + (size_t)n * sizeof(double));
    if (!p) fail(WRONG, "out of memory");
    p->before = pieces;
    pieces = p;
    return &p->first;
}

static void forget(const piece *until)
{
    while (pieces != until) {
        piece *before = pieces->before;
        free(pieces);
        pieces = before;
    }
}

/* MARK: - what is timed ---------------------------------------------------------------------------------
 *
 * A kind of work is a network, its input, what one call of it is, and the same in plain loops. A workload is
 * a kind with sizes. A trial is a workload that stands in a frame of its own, in one mode, ready to be
 * called.
 */
typedef struct reference reference;
typedef struct trial trial;

typedef struct kind {
    hy_block *(*network)(hy_frame *F, const int *size);
    hy_array *(*input)(hy_frame *F, const int *size);
    void      (*compute)(reference *R, const int *size);        /* says what is expected */
    hy_array *(*once)(trial *t);        /* what is timed */
    hy_array *(*result)(trial *t);      /* to be compared, after once; NULL: what once gave */
} kind;

typedef struct workload {
    const char *group, *name;
    const kind *what;
    int         size[7];
    double      flops;                  /* of one call; 0: a rate would say nothing */
    double      bytes;                  /* that a call must at least move, where that is what limits it */
    double      tolerance;              /* 0: 1e-4 of the largest value of the result */
    int         slow_to_check;          /* quick runs compare with the first trial instead */
    int         in_seconds;             /* shown in seconds, as in the book */
} workload;

struct trial {
    const workload *work;
    int       mode, threads;
    hy_frame *F;
    hy_block *net;
    hy_array *x;
    hy_params params;
    hy_trainer *trainer;                /* of a training step: made by the first one */
    hy_parallel_for loop;               /* instead of the library's threads, with ... */
    void     *loop_user;                /* ... this */
    size_t    held;                     /* bytes that the library held at most, until the first result */
    float     answer[2];                /* of a start-up */
};

/* MARK: - networks --------------------------------------------------------------------------------------
 *
 * Their weights are drawn so that values neither vanish nor grow on their way, and biases, norms and running
 * statistics are no zeros and ones, or a layer that left them out would look right.
 */
static void draw_around_one(hy_frame *F, const hy_init *init, const char *name, hy_array *x)
{
    (void)init;
    (void)name;
    hy_assign(F, x, hy_uniform(F, hy_shape_of(F, x), 0.5, 1.5));
}

static hy_init around_one(void)
{
    hy_init init = { 0 };
    init.fn = draw_around_one;
    init.name = "around_one";
    return init;
}

/* uniform, with variance 2 / inputs */
static hy_init for_relu(void)
{
    hy_xavier_opt o = { 0 };
    o.factor_type = HY_FACTOR_IN;
    o.magnitude = 6;
    return hy_init_xavier(&o);
}

static hy_block *dense_of(hy_frame *F, int inputs, int units, const char *activation)
{
    hy_nn_dense_opt o = { 0 };
    o.in_units = inputs;
    o.activation = activation;
    o.bias_initializer = hy_init_uniform(0.1);
    return hy_nn_dense(F, units, &o);
}

static hy_block *dense(hy_frame *F, int units, const char *activation)
{
    return dense_of(F, 0, units, activation);
}

/* On the last axis alone. */
static hy_block *project(hy_frame *F, int units)
{
    hy_nn_dense_opt o = { 0 };
    o.no_flatten = 1;
    o.bias_initializer = hy_init_uniform(0.1);
    return hy_nn_dense(F, units, &o);
}

static hy_block *conv(hy_frame *F, int channels, int kernel, int stride, int pad, int groups, int bias,
                      const char *activation)
{
    hy_nn_conv_opt o = { 0 };
    o.strides = HY_INTS(stride);
    o.padding = HY_INTS(pad);
    o.groups = groups;
    o.no_bias = !bias;
    o.bias_initializer = hy_init_uniform(0.1);
    o.activation = activation;
    return hy_nn_conv2d(F, channels, HY_INTS(kernel), &o);
}

static hy_block *max_pool(hy_frame *F, int window, int stride, int pad)
{
    hy_nn_pool_opt o = { 0 };
    o.strides = HY_INTS(stride);
    o.padding = HY_INTS(pad);
    return hy_nn_max_pool2d(F, HY_INTS(window), &o);
}

static hy_block *batch_norm(hy_frame *F)
{
    hy_nn_batch_norm_opt o = { 0 };
    o.gamma_initializer = o.running_variance_initializer = around_one();
    o.beta_initializer = o.running_mean_initializer = hy_init_uniform(0.2);
    return hy_nn_batch_norm(F, &o);
}

static hy_block *layer_norm(hy_frame *F)
{
    hy_nn_layer_norm_opt o = { 0 };
    o.gamma_initializer = around_one();
    o.beta_initializer = hy_init_uniform(0.2);
    return hy_nn_layer_norm(F, &o);
}

static hy_array *gelu(hy_frame *F, hy_array *x) { return hy_leaky_relu(F, x, HY_LEAKY_GELU, NULL); }
static hy_array *image(hy_frame *F, int n, int channels, int side)
{
    return hy_normal(F, HY_SHAPE(n, channels, side, side), 0, 1);
}

/* --- MLP: batch, type --- */
static hy_block *mlp_network(hy_frame *F, const int *size)
{
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_append(F, net, dense_of(F, 512, 256, "relu"), dense_of(F, 256, 128, "relu"),
              dense_of(F, 128, 2, NULL));
    if (size[1]) hy_cast_block(F, net, (hy_dtype)size[1]);
    return net;
}

static hy_array *mlp_input(hy_frame *F, const int *size)
{
    hy_array *x = hy_normal(F, HY_SHAPE(size[0], 512), 0, 1);
    return size[1] ? hy_cast(F, x, (hy_dtype)size[1]) : x;
}

/* --- LeNet: batch --- */
static hy_block *lenet_network(hy_frame *F, const int *size)
{
    hy_block *net = hy_nn_hybrid_sequential(F);
    (void)size;
    return hy_append(F, net, conv(F, 6, 5, 1, 0, 1, 1, "relu"), max_pool(F, 2, 2, 0),
                     conv(F, 16, 5, 1, 0, 1, 1, "relu"), max_pool(F, 2, 2, 0),
                     dense(F, 120, "relu"), dense(F, 84, "relu"), dense(F, 10, NULL));
}

static hy_array *lenet_input(hy_frame *F, const int *size) { return image(F, size[0], 1, 28); }

static hy_array *photo_input(hy_frame *F, const int *size) { return image(F, 1, 3, size[0]); }

/* --- what the networks of today are made of --- */
static hy_array *relu(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_relu(F, x);
}

static hy_array *relu6(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_clip(F, x, 0, 6);
}

static hy_array *hard_sigmoid(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_hard_sigmoid_opt o = { 0 };
    (void)self;
    o.alpha = 1 / 6.0;
    return hy_hard_sigmoid(F, x, &o);
}

static hy_array *hard_swish(hy_frame *F, hy_block *self, hy_array *x)
{
    return hy_mul(F, x, hard_sigmoid(F, self, x));
}

static hy_array *logistic(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_sigmoid(F, x);
}

static hy_array *silu(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_mul(F, x, hy_sigmoid(F, x));
}

/* With batch norm; fn is an activation, or NULL. */
static hy_block *conv_norm(hy_frame *F, int channels, int kernel, int stride, int groups, hy_forward_fn fn)
{
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_append(F, net, conv(F, channels, kernel, stride, kernel / 2, groups, 0, NULL), batch_norm(F));
    return fn ? hy_append(F, net, hy_nn_hybrid_lambda(F, fn, "activation")) : net;
}

/* What body makes of x, and x, which may go through a convolution. */
typedef struct { hy_block base; hy_block *body, *skip; } added;

static hy_array *added_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    added *a = (added *)self;
    hy_array *y = hy_call(F, a->body, x);
    return hy_add(F, y, a->skip ? hy_call(F, a->skip, x) : x);
}

static hy_block *added_new(hy_frame *F, hy_block *body, hy_block *skip)
{
    added *a = HY_BLOCK_NEW(F, added, added_forward);
    if (!a) return NULL;
    a->body = hy_add_child(F, &a->base, "body", body);
    if (skip) a->skip = hy_add_child(F, &a->base, "skip", skip);
    return &a->base;
}

/* Channels weighed by what all places of the image say of them. */
typedef struct { hy_block base; hy_block *narrow, *wide; hy_forward_fn inner, outer; } squeezing;

static hy_array *squeezing_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    squeezing *q = (squeezing *)self;
    hy_reduce_opt keep = { 1, 0 };
    hy_array *s = hy_mean(F, x, HY_INTS(2, 3), &keep);
    s = q->inner(F, self, hy_call(F, q->narrow, s));
    return hy_mul(F, x, q->outer(F, self, hy_call(F, q->wide, s)));
}

static hy_block *squeezing_new(hy_frame *F, int channels, int narrow, hy_forward_fn inner, hy_forward_fn outer)
{
    squeezing *q = HY_BLOCK_NEW(F, squeezing, squeezing_forward);
    if (!q) return NULL;
    q->narrow = hy_add_child(F, &q->base, "narrow", conv(F, narrow, 1, 1, 0, 1, 1, NULL));
    q->wide = hy_add_child(F, &q->base, "wide", conv(F, channels, 1, 1, 0, 1, 1, NULL));
    q->inner = inner;
    q->outer = outer;
    return &q->base;
}

/* --- ResNet-18 and ResNet-50: side of the image --- */
static const int deep_rows[] = { 3, 4, 6, 3 };

/* Two blocks' values added, then relu. */
static hy_block *joined_new(hy_frame *F, hy_block *body, hy_block *skip)
{
    return hy_append(F, hy_nn_hybrid_sequential(F), added_new(F, body, skip), hy_nn_activation(F, "relu"));
}

static hy_block *residual_new(hy_frame *F, int channels, int stride, int widens)
{
    hy_block *body = hy_nn_hybrid_sequential(F);
    hy_append(F, body, conv_norm(F, channels, 3, stride, 1, relu), conv_norm(F, channels, 3, 1, 1, NULL));
    return joined_new(F, body, widens ? conv_norm(F, channels, 1, stride, 1, NULL) : NULL);
}

static hy_block *bottleneck_new(hy_frame *F, int inner, int stride, int widens)
{
    hy_block *body = hy_nn_hybrid_sequential(F);
    hy_append(F, body, conv_norm(F, inner, 1, 1, 1, relu), conv_norm(F, inner, 3, stride, 1, relu),
              conv_norm(F, 4 * inner, 1, 1, 1, NULL));
    return joined_new(F, body, widens ? conv_norm(F, 4 * inner, 1, stride, 1, NULL) : NULL);
}

static hy_block *resnet_network(hy_frame *F, const int *size)
{
    hy_block *net = hy_nn_hybrid_sequential(F);
    int i;
    (void)size;
    hy_append(F, net, conv_norm(F, 64, 7, 2, 1, relu), max_pool(F, 3, 2, 1));
    for (i = 0; i < 4; i++)
        hy_append(F, net, residual_new(F, 64 << i, i ? 2 : 1, i > 0), residual_new(F, 64 << i, 1, 0));
    return hy_append(F, net, hy_nn_global_avg_pool2d(F, NULL), dense(F, 1000, NULL));
}

static hy_block *deep_network(hy_frame *F, const int *size)
{
    hy_block *net = hy_nn_hybrid_sequential(F);
    int i, k;
    (void)size;
    hy_append(F, net, conv_norm(F, 64, 7, 2, 1, relu), max_pool(F, 3, 2, 1));
    for (i = 0; i < COUNT(deep_rows); i++)
        for (k = 0; k < deep_rows[i]; k++)
            hy_append(F, net, bottleneck_new(F, 64 << i, i && !k ? 2 : 1, !k));
    return hy_append(F, net, hy_nn_global_avg_pool2d(F, NULL), dense(F, 1000, NULL));
}

/* --- MobileNetV2, MobileNetV3-large, EfficientNet-B0: side of the image --- */
enum { PLAIN, SMOOTH };
typedef struct mobile_row { int kernel, inner, channels, stride, squeezed, smooth; } mobile_row;
typedef struct mobile {
    int         first, last, hidden;    /* channels; hidden: of a dense layer before the scores, or 0 */
    hy_forward_fn fn[2], inner, outer;    /* PLAIN and SMOOTH; inside of what squeezes */
    double    (*plain[2])(double x), (*plain_inner)(double x), (*plain_outer)(double x);
    mobile_row  row[17];
} mobile;

static double plain_relu(double x) { return x > 0 ? x : 0; }
static double plain_relu6(double x) { return x < 0 ? 0 : x > 6 ? 6 : x; }
static double plain_hard_sigmoid(double x) { return x < -3 ? 0 : x > 3 ? 1 : x / 6 + 0.5; }
static double plain_hard_swish(double x) { return x * plain_hard_sigmoid(x); }
static double plain_sigmoid(double x) { return 1 / (1 + exp(-x)); }
static double plain_silu(double x) { return x * plain_sigmoid(x); }

static const mobile mobile_v2 = { 32, 1280, 0, { relu6, relu6 }, NULL, NULL,
    { plain_relu6, plain_relu6 }, NULL, NULL,
    { { 3, 32, 16, 1, 0, 0 }, { 3, 96, 24, 2, 0, 0 }, { 3, 144, 24, 1, 0, 0 }, { 3, 144, 32, 2, 0, 0 },
      { 3, 192, 32, 1, 0, 0 }, { 3, 192, 32, 1, 0, 0 }, { 3, 192, 64, 2, 0, 0 }, { 3, 384, 64, 1, 0, 0 },
      { 3, 384, 64, 1, 0, 0 }, { 3, 384, 64, 1, 0, 0 }, { 3, 384, 96, 1, 0, 0 }, { 3, 576, 96, 1, 0, 0 },
      { 3, 576, 96, 1, 0, 0 }, { 3, 576, 160, 2, 0, 0 }, { 3, 960, 160, 1, 0, 0 },
      { 3, 960, 160, 1, 0, 0 }, { 3, 960, 320, 1, 0, 0 } } };
static const mobile mobile_v3 = { 16, 960, 1280, { relu, hard_swish }, relu, hard_sigmoid,
    { plain_relu, plain_hard_swish }, plain_relu, plain_hard_sigmoid,
    { { 3, 16, 16, 1, 0, 0 }, { 3, 64, 24, 2, 0, 0 }, { 3, 72, 24, 1, 0, 0 }, { 5, 72, 40, 2, 24, 0 },
      { 5, 120, 40, 1, 32, 0 }, { 5, 120, 40, 1, 32, 0 }, { 3, 240, 80, 2, 0, 1 }, { 3, 200, 80, 1, 0, 1 },
      { 3, 184, 80, 1, 0, 1 }, { 3, 184, 80, 1, 0, 1 }, { 3, 480, 112, 1, 120, 1 },
      { 3, 672, 112, 1, 168, 1 }, { 5, 672, 160, 2, 168, 1 }, { 5, 960, 160, 1, 240, 1 },
      { 5, 960, 160, 1, 240, 1 } } };
static const mobile efficient = { 32, 1280, 0, { silu, silu }, silu, logistic,
    { plain_silu, plain_silu }, plain_silu, plain_sigmoid,
    { { 3, 32, 16, 1, 8, 1 }, { 3, 96, 24, 2, 4, 1 }, { 3, 144, 24, 1, 6, 1 }, { 5, 144, 40, 2, 6, 1 },
      { 5, 240, 40, 1, 10, 1 }, { 3, 240, 80, 2, 10, 1 }, { 3, 480, 80, 1, 20, 1 }, { 3, 480, 80, 1, 20, 1 },
      { 5, 480, 112, 1, 20, 1 }, { 5, 672, 112, 1, 28, 1 }, { 5, 672, 112, 1, 28, 1 },
      { 5, 672, 192, 2, 28, 1 }, { 5, 1152, 192, 1, 48, 1 }, { 5, 1152, 192, 1, 48, 1 },
      { 5, 1152, 192, 1, 48, 1 }, { 3, 1152, 320, 1, 48, 1 } } };

static hy_block *inverted_new(hy_frame *F, const mobile *m, const mobile_row *row, int inputs)
{
    hy_block *body = hy_nn_hybrid_sequential(F);
    hy_forward_fn fn = m->fn[row->smooth];
    if (row->inner != inputs) hy_append(F, body, conv_norm(F, row->inner, 1, 1, 1, fn));
    hy_append(F, body, conv_norm(F, row->inner, row->kernel, row->stride, row->inner, fn));
    if (row->squeezed) hy_append(F, body, squeezing_new(F, row->inner, row->squeezed, m->inner, m->outer));
    hy_append(F, body, conv_norm(F, row->channels, 1, 1, 1, NULL));
    return row->stride == 1 && inputs == row->channels ? added_new(F, body, NULL) : body;
}

static hy_block *mobile_of(hy_frame *F, const mobile *m)
{
    hy_block *net = hy_nn_hybrid_sequential(F);
    int i, inputs = m->first;
    hy_append(F, net, conv_norm(F, m->first, 3, 2, 1, m->fn[SMOOTH]));
    for (i = 0; i < COUNT(m->row) && m->row[i].kernel; inputs = m->row[i++].channels)
        hy_append(F, net, inverted_new(F, m, &m->row[i], inputs));
    hy_append(F, net, conv_norm(F, m->last, 1, 1, 1, m->fn[SMOOTH]), hy_nn_global_avg_pool2d(F, NULL));
    if (m->hidden)
        hy_append(F, net, dense(F, m->hidden, NULL), hy_nn_hybrid_lambda(F, m->fn[SMOOTH], "activation"));
    return hy_append(F, net, dense(F, 1000, NULL));
}

static hy_block *mobile_network(hy_frame *F, const int *size)
{
    (void)size;
    return mobile_of(F, &mobile_v2);
}

static hy_block *mobile_v3_network(hy_frame *F, const int *size)
{
    (void)size;
    return mobile_of(F, &mobile_v3);
}

static hy_block *efficient_network(hy_frame *F, const int *size)
{
    (void)size;
    return mobile_of(F, &efficient);
}

/* --- ConvNeXt-T: side of the image --- */
static const struct { int times, channels; } next_rows[] = { { 3, 96 }, { 3, 192 }, { 9, 384 }, { 3, 768 } };

/* (1,c,h,w) -> (1,h,w,c), and back */
static hy_array *places(hy_frame *F, hy_array *x) { return hy_transpose(F, x, HY_AXES(0, 2, 3, 1)); }
static hy_array *planes(hy_frame *F, hy_array *x) { return hy_transpose(F, x, HY_AXES(0, 3, 1, 2)); }

/* A layer norm over channels. */
static hy_array *norm_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    return planes(F, hy_call(F, ((added *)self)->body, places(F, x)));
}

static hy_block *channel_norm(hy_frame *F)
{
    added *a = HY_BLOCK_NEW(F, added, norm_forward);
    if (!a) return NULL;
    a->body = hy_add_child(F, &a->base, "norm", layer_norm(F));
    return &a->base;
}

typedef struct { hy_block base; hy_array *scale; hy_block *around, *norm, *inner, *outer; } next_block;

static hy_array *next_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    next_block *b = (next_block *)self;
    hy_array *y = hy_call(F, b->norm, places(F, hy_call(F, b->around, x)));
    y = hy_call(F, b->outer, gelu(F, hy_call(F, b->inner, y)));
    return hy_add(F, x, planes(F, hy_mul(F, y, b->scale)));
}

static hy_block *next_new(hy_frame *F, int channels)
{
    next_block *b = HY_BLOCK_NEW(F, next_block, next_forward);
    hy_param_opt scale = { HY_F32, around_one(), 0, 0, 0, 0 };
    if (!b) return NULL;
    b->scale = hy_add_param(F, &b->base, "scale", HY_SHAPE(channels), &scale);
    b->around = hy_add_child(F, &b->base, "around", conv(F, channels, 7, 1, 3, channels, 1, NULL));
    b->norm = hy_add_child(F, &b->base, "norm", layer_norm(F));
    b->inner = hy_add_child(F, &b->base, "inner", project(F, 4 * channels));
    b->outer = hy_add_child(F, &b->base, "outer", project(F, channels));
    return &b->base;
}

static hy_block *next_network(hy_frame *F, const int *size)
{
    hy_block *net = hy_nn_hybrid_sequential(F);
    int i, k;
    (void)size;
    for (i = 0; i < COUNT(next_rows); i++) {
        int channels = next_rows[i].channels;
        if (i) hy_append(F, net, channel_norm(F), conv(F, channels, 2, 2, 0, 1, 1, NULL));
        else hy_append(F, net, conv(F, channels, 4, 4, 0, 1, 1, NULL), channel_norm(F));
        for (k = 0; k < next_rows[i].times; k++) hy_append(F, net, next_new(F, channels));
    }
    return hy_append(F, net, hy_nn_global_avg_pool2d(F, NULL), hy_nn_flatten(F), layer_norm(F),
                     dense(F, 1000, NULL));
}

/* --- U-Net: side of the image, channels of its largest images --- */
enum { FLOORS = 4 };
typedef struct { hy_block base; hy_block *down[FLOORS], *up[FLOORS - 1], *beside[FLOORS - 1], *last; } unet;

static hy_block *two_convs(hy_frame *F, int channels)
{
    hy_block *net = hy_nn_hybrid_sequential(F);
    return hy_append(F, net, conv_norm(F, channels, 3, 1, 1, relu), conv_norm(F, channels, 3, 1, 1, relu));
}

static hy_array *unet_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    unet *u = (unet *)self;
    hy_pooling_opt half = { 0 };
    hy_array *left[FLOORS];
    int i;
    half.stride = HY_INTS(2, 2);
    for (i = 0; i < FLOORS; i++) {
        if (i) x = hy_pooling(F, x, HY_INTS(2, 2), &half);
        x = left[i] = hy_call(F, u->down[i], x);
    }
    for (i = FLOORS - 2; i >= 0; i--)
        x = hy_call(F, u->beside[i], hy_concat(F, hy_group(F, hy_call(F, u->up[i], x), left[i]), 1));
    return hy_call(F, u->last, x);
}

static hy_block *unet_network(hy_frame *F, const int *size)
{
    unet *u = HY_BLOCK_NEW(F, unet, unet_forward);
    hy_nn_conv_opt twice = { 0 };
    int i;
    if (!u) return NULL;
    twice.strides = HY_INTS(2, 2);
    twice.bias_initializer = hy_init_uniform(0.1);
    for (i = 0; i < FLOORS; i++) u->down[i] = hy_add_child(F, &u->base, NULL, two_convs(F, size[1] << i));
    for (i = FLOORS - 2; i >= 0; i--) {
        hy_block *up = hy_nn_conv2d_transpose(F, size[1] << i, HY_INTS(2, 2), &twice);
        u->up[i] = hy_add_child(F, &u->base, NULL, up);
        u->beside[i] = hy_add_child(F, &u->base, NULL, two_convs(F, size[1] << i));
    }
    u->last = hy_add_child(F, &u->base, NULL, conv(F, 2, 1, 1, 0, 1, 1, NULL));
    return &u->base;
}

/* --- fancy: numbers --- */
static hy_array *fancy_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *e = hy_add(F, hy_get(F, x, 0), hy_get(F, x, 1));
    hy_array *f = hy_add(F, hy_get(F, x, 2), hy_get(F, x, 3));
    (void)self;
    return hy_add(F, e, f);
}

static hy_block *fancy_network(hy_frame *F, const int *size)
{
    (void)size;
    return hy_nn_hybrid_lambda(F, fancy_forward, "fancy");
}

static hy_array *four_input(hy_frame *F, const int *size)
{
    hy_array *x[4];
    int i;
    for (i = 0; i < 4; i++) x[i] = hy_normal(F, HY_SHAPE(size[0]), 0, 1);
    return hy_group_of(F, 4, x);
}

/* --- one step of Adam, written with operators: numbers. group(w, gradient, m, v) -> group(w, m, v) --- */
static const double adam_m = 0.9, adam_v = 0.999, adam_rate = 1e-3, adam_small = 1e-8;

static hy_array *adam_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *w = hy_get(F, x, 0), *g = hy_get(F, x, 1), *m = hy_get(F, x, 2), *v = hy_get(F, x, 3), *step;
    (void)self;
    m = hy_add(F, hy_mul_scalar(F, m, adam_m), hy_mul_scalar(F, g, 1 - adam_m));
    v = hy_add(F, hy_mul_scalar(F, v, adam_v), hy_mul_scalar(F, hy_square(F, g), 1 - adam_v));
    step = hy_div(F, hy_mul_scalar(F, m, adam_rate), hy_add_scalar(F, hy_sqrt(F, v), adam_small));
    return hy_group(F, hy_sub(F, w, step), m, v);
}

static hy_block *adam_network(hy_frame *F, const int *size)
{
    (void)size;
    return hy_nn_hybrid_lambda(F, adam_forward, "adam");
}

static hy_array *adam_input(hy_frame *F, const int *size)
{
    hy_array *x = four_input(F, size);
    return hy_group(F, hy_get(F, x, 0), hy_get(F, x, 1), hy_get(F, x, 2), hy_square(F, hy_get(F, x, 3)));
}

/* --- chain: gelu, layer norm, softmax: rows, columns --- */
typedef struct { hy_block base; hy_array *scale, *shift; hy_block *norm; } chain;

static hy_array *chain_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    chain *c = (chain *)self;
    x = gelu(F, hy_add(F, hy_mul(F, x, c->scale), c->shift));
    return hy_softmax(F, hy_call(F, c->norm, x), -1, NULL);
}

static hy_block *chain_network(hy_frame *F, const int *size)
{
    chain *c = HY_BLOCK_NEW(F, chain, chain_forward);
    hy_param_opt scale = { HY_F32, around_one(), 0, 0, 0, 0 };
    hy_param_opt shift = { HY_F32, hy_init_normal(1), 0, 0, 0, 0 };
    if (!c) return NULL;
    c->scale = hy_add_param(F, &c->base, "scale", HY_SHAPE(size[1]), &scale);
    c->shift = hy_add_param(F, &c->base, "shift", HY_SHAPE(size[1]), &shift);
    c->norm = hy_add_child(F, &c->base, "norm", layer_norm(F));
    return &c->base;
}

static hy_array *chain_input(hy_frame *F, const int *size)
{
    return hy_normal(F, HY_SHAPE(size[0], size[1]), 0, 1);
}

/* --- LSTM: steps, width --- */
static hy_block *lstm_network(hy_frame *F, const int *size)
{
    hy_rnn_layer_opt o = { 0 };
    o.i2h_bias_initializer = o.h2h_bias_initializer = hy_init_uniform(0.1);
    return hy_rnn_lstm(F, size[1], &o);
}

static hy_array *lstm_input(hy_frame *F, const int *size)
{
    return hy_normal(F, HY_SHAPE(size[0], 1, size[1]), 0, 1);
}

/* The same as a loop over the steps of a cell. */
typedef struct { hy_block base; hy_block *cell; int width; } looping;

static hy_array *loop_turn(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    hy_array *y = hy_call(F, ((looping *)user)->cell, hy_group(F, x, hy_get(F, s, 0), hy_get(F, s, 1)));
    return hy_group(F, hy_get(F, y, 0), hy_group(F, hy_get(F, y, 1), hy_get(F, y, 2)));
}

static hy_array *loop_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *zeros = hy_zeros(F, HY_SHAPE(1, ((looping *)self)->width));
    return hy_get(F, hy_foreach(F, loop_turn, x, hy_group(F, zeros, zeros), self), 0);
}

static hy_block *loop_network(hy_frame *F, const int *size)
{
    hy_rnn_cell_opt o = { 0 };
    looping *l = HY_BLOCK_NEW(F, looping, loop_forward);
    if (!l) return NULL;
    o.i2h_bias_initializer = o.h2h_bias_initializer = hy_init_uniform(0.1);
    l->width = size[1];
    l->cell = hy_add_child(F, &l->base, "cell", hy_rnn_lstm_cell(F, size[1], &o));
    return &l->base;
}

/* --- a transformer's block: steps, width, heads, inner width --- */
typedef struct {
    hy_block base;
    hy_block *apart, *joined, *norm1, *inner, *outer, *norm2;   /* in the order of their parameters */
    int steps, width, heads, norm_first;
} encoder;

/* (3,heads,steps,part) -> (heads,steps,part) */
static hy_array *third(hy_frame *F, hy_array *x, int i)
{
    return hy_reshape(F, hy_slice_axis(F, x, 0, i, i + 1), HY_INTS(-3, 0, 0), NULL);
}

/* past: group(keys, values) of what came before, which grows by this step; or NULL. */
static hy_array *attention(hy_frame *F, encoder *e, hy_array *x, hy_array **past)
{
    int part = e->width / e->heads;
    hy_batch_dot_opt with_columns = { 0 };
    hy_array *keys, *values, *seen;
    with_columns.transpose_b = 1;
    x = hy_reshape(F, hy_call(F, e->apart, x), HY_INTS(e->steps, 3, e->heads, part), NULL);
    x = hy_transpose(F, x, HY_AXES(1, 2, 0, 3));
    keys = third(F, x, 1);
    values = third(F, x, 2);
    if (past) {
        keys = hy_extend(F, hy_get(F, *past, 0), keys, 1);
        values = hy_extend(F, hy_get(F, *past, 1), values, 1);
        *past = hy_group(F, keys, values);
    }
    seen = hy_mul_scalar(F, hy_batch_dot(F, third(F, x, 0), keys, &with_columns), 1 / sqrt(part));
    x = hy_batch_dot(F, hy_softmax(F, seen, -1, NULL), values, NULL);
    x = hy_reshape(F, hy_transpose(F, x, HY_AXES(1, 0, 2)), HY_INTS(1, e->steps, e->width), NULL);
    return hy_call(F, e->joined, x);
}

static hy_array *perceptron(hy_frame *F, encoder *e, hy_array *x)
{
    return hy_call(F, e->outer, gelu(F, hy_call(F, e->inner, x)));
}

static hy_array *attending(hy_frame *F, encoder *e, hy_array *x, hy_array **past)
{
    if (e->norm_first) {
        x = hy_add(F, x, attention(F, e, hy_call(F, e->norm1, x), past));
        return hy_add(F, x, perceptron(F, e, hy_call(F, e->norm2, x)));
    }
    x = hy_call(F, e->norm1, hy_add(F, x, attention(F, e, x, past)));
    return hy_call(F, e->norm2, hy_add(F, x, perceptron(F, e, x)));
}

static hy_array *encoder_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    return attending(F, (encoder *)self, x, NULL);
}

static hy_block *encoder_new(hy_frame *F, const int *size, int norm_first)
{
    encoder *e = HY_BLOCK_NEW(F, encoder, encoder_forward);
    if (!e) return NULL;
    e->steps = size[0];
    e->width = size[1];
    e->heads = size[2];
    e->norm_first = norm_first;
    e->apart = hy_add_child(F, &e->base, "apart", project(F, 3 * size[1]));
    e->joined = hy_add_child(F, &e->base, "joined", project(F, size[1]));
    e->norm1 = hy_add_child(F, &e->base, "norm1", layer_norm(F));
    e->inner = hy_add_child(F, &e->base, "inner", project(F, size[3]));
    e->outer = hy_add_child(F, &e->base, "outer", project(F, size[1]));
    e->norm2 = hy_add_child(F, &e->base, "norm2", layer_norm(F));
    return &e->base;
}

static hy_block *encoder_network(hy_frame *F, const int *size) { return encoder_new(F, size, 0); }

/* size[4] of them. */
static hy_block *encoders_new(hy_frame *F, const int *size, int norm_first)
{
    hy_block *blocks = hy_nn_hybrid_sequential(F);
    int i;
    for (i = 0; i < size[4]; i++) hy_append(F, blocks, encoder_new(F, size, norm_first));
    return blocks;
}

static hy_array *encoder_input(hy_frame *F, const int *size)
{
    return hy_normal(F, HY_SHAPE(1, size[0], size[1]), 0, 1);
}

/* --- ViT: steps (patches and one of the image), width, heads, inner width, blocks, side of a patch --- */
typedef struct { hy_block base; hy_array *whole, *place; hy_block *patches, *blocks, *scores; } vit;

static hy_array *vit_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    vit *v = (vit *)self;
    x = hy_reshape(F, hy_call(F, v->patches, x), HY_INTS(0, 0, -1), NULL);
    x = hy_concat(F, hy_group(F, v->whole, hy_transpose(F, x, HY_AXES(0, 2, 1))), 1);
    x = hy_call(F, v->blocks, hy_add(F, x, v->place));
    return hy_call(F, v->scores, hy_slice_axis(F, x, 1, 0, 1));
}

static hy_block *vit_network(hy_frame *F, const int *size)
{
    vit *v = HY_BLOCK_NEW(F, vit, vit_forward);
    hy_param_opt drawn = { HY_F32, hy_init_normal(1), 0, 0, 0, 0 };
    if (!v) return NULL;
    v->whole = hy_add_param(F, &v->base, "whole", HY_SHAPE(1, 1, size[1]), &drawn);
    v->place = hy_add_param(F, &v->base, "place", HY_SHAPE(1, size[0], size[1]), &drawn);
    v->patches = hy_add_child(F, &v->base, "patches", conv(F, size[1], size[5], size[5], 0, 1, 1, NULL));
    v->blocks = hy_add_child(F, &v->base, "blocks", hy_append(F, encoders_new(F, size, 1), layer_norm(F)));
    v->scores = hy_add_child(F, &v->base, "scores", dense(F, 1000, NULL));
    return &v->base;
}

static hy_array *vit_input(hy_frame *F, const int *size)
{
    int side = size[5] * (int)(sqrt(size[0] - 1) + 0.5);
    return image(F, 1, 3, side);
}

/* --- BERT: steps, width, heads, inner width, blocks, words --- */
typedef struct { hy_block base; hy_array *place; hy_block *words, *norm, *blocks; } bert;

static hy_array *bert_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    bert *b = (bert *)self;
    x = hy_add(F, hy_call(F, b->words, x), b->place);
    return hy_call(F, b->blocks, hy_call(F, b->norm, x));
}

static hy_block *bert_network(hy_frame *F, const int *size)
{
    bert *b = HY_BLOCK_NEW(F, bert, bert_forward);
    hy_param_opt drawn = { HY_F32, hy_init_normal(1), 0, 0, 0, 0 };
    if (!b) return NULL;
    b->place = hy_add_param(F, &b->base, "place", HY_SHAPE(1, size[0], size[1]), &drawn);
    b->words = hy_add_child(F, &b->base, "words", hy_nn_embedding(F, size[5], size[1], NULL));
    b->norm = hy_add_child(F, &b->base, "norm", layer_norm(F));
    b->blocks = hy_add_child(F, &b->base, "blocks", encoders_new(F, size, 0));
    return &b->base;
}

static hy_array *bert_input(hy_frame *F, const int *size)
{
    return hy_randint(F, HY_SHAPE(1, size[0]), 0, size[5]);
}

/* --- a decoder's step: 1, width, heads, inner width, blocks, words, words before. group(word, keys, values,
 *     ... of each block) -> group(scores, the same with this word's) --- */
enum { MOST_BLOCKS = 12 };
typedef struct { hy_block base; hy_block *words, *block[MOST_BLOCKS], *norm, *scores; int blocks; } decoder;

static hy_array *decoder_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    decoder *d = (decoder *)self;
    hy_array *y = hy_call(F, d->words, hy_get(F, x, 0)), *all[2 * MOST_BLOCKS + 1];
    int i;
    for (i = 0; i < d->blocks; i++) {
        hy_array *past = hy_group(F, hy_get(F, x, 2 * i + 1), hy_get(F, x, 2 * i + 2));
        y = attending(F, (encoder *)d->block[i], y, &past);
        all[2 * i + 1] = hy_get(F, past, 0);
        all[2 * i + 2] = hy_get(F, past, 1);
    }
    all[0] = hy_call(F, d->scores, hy_call(F, d->norm, y));
    return hy_group_of(F, 2 * d->blocks + 1, all);
}

static hy_block *decoder_network(hy_frame *F, const int *size)
{
    decoder *d = HY_BLOCK_NEW(F, decoder, decoder_forward);
    int i;
    if (!d) return NULL;
    d->blocks = size[4];
    d->words = hy_add_child(F, &d->base, "words", hy_nn_embedding(F, size[5], size[1], NULL));
    for (i = 0; i < d->blocks; i++) d->block[i] = hy_add_child(F, &d->base, NULL, encoder_new(F, size, 1));
    d->norm = hy_add_child(F, &d->base, "norm", layer_norm(F));
    d->scores = hy_add_child(F, &d->base, "scores", dense(F, size[5], NULL));
    return &d->base;
}

static hy_array *decoder_input(hy_frame *F, const int *size)
{
    hy_array *x[2 * MOST_BLOCKS + 1];
    int i;
    x[0] = hy_randint(F, HY_SHAPE(1, size[0]), 0, size[5]);
    for (i = 1; i < 2 * size[4] + 1; i++)
        x[i] = hy_normal(F, HY_SHAPE(size[2], size[6], size[1] / size[2]), 0, 1);
    return hy_group_of(F, 2 * size[4] + 1, x);
}

/* --- one convolution with bias and relu: side, inputs, channels, kernel, stride, pad, groups --- */
static hy_block *conv_network(hy_frame *F, const int *size)
{
    hy_block *layer = conv(F, size[2], size[3], size[4], size[5], size[6], 1, "relu");
    return hy_append(F, hy_nn_hybrid_sequential(F), layer);
}

static hy_array *conv_input(hy_frame *F, const int *size) { return image(F, 1, size[1], size[0]); }

/* --- a product of square matrices: side --- */
static hy_array *gemm_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_dot(F, hy_get(F, x, 0), hy_get(F, x, 1), NULL);
}

static hy_block *gemm_network(hy_frame *F, const int *size)
{
    (void)size;
    return hy_nn_hybrid_lambda(F, gemm_forward, "gemm");
}

static hy_array *gemm_input(hy_frame *F, const int *size)
{
    hy_array *a = hy_normal(F, HY_SHAPE(size[0], size[0]), 0, 1);
    return hy_group(F, a, hy_normal(F, HY_SHAPE(size[0], size[0]), 0, 1));
}

/* --- training: group(x, labels) -> the loss, summed over the batch --- */
static const double learning_rate = 0.01;

static hy_array *loss_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *y = hy_call(F, ((added *)self)->body, hy_get(F, x, 0));
    return hy_softmax_cross_entropy(F, y, hy_get(F, x, 1));
}

static hy_block *with_loss(hy_frame *F, hy_block *net)
{
    added *a = HY_BLOCK_NEW(F, added, loss_forward);
    if (!a) return NULL;
    a->body = hy_add_child(F, &a->base, "body", net);
    return &a->base;
}

static hy_array *with_labels(hy_frame *F, hy_array *x, int n, int classes)
{
    return hy_group(F, x, hy_cast(F, hy_randint(F, HY_SHAPE(n), 0, classes), HY_F32));
}

static hy_block *train_mlp_network(hy_frame *F, const int *size)
{
    return with_loss(F, mlp_network(F, size));
}

static hy_array *train_mlp_input(hy_frame *F, const int *size)
{
    return with_labels(F, mlp_input(F, size), size[0], 2);
}

static hy_block *train_lenet_network(hy_frame *F, const int *size)
{
    return with_loss(F, lenet_network(F, size));
}

static hy_array *train_lenet_input(hy_frame *F, const int *size)
{
    return with_labels(F, lenet_input(F, size), size[0], 10);
}

/* MARK: - one trial ----------------------------------------------------------------------------------- */

static void check_error(const trial *t)
{
    if (hy_error(t->F)) fail(WRONG, "%s, %s: %s", t->work->name, mode_name[t->mode], hy_error(t->F));
}

static void open_trial(trial *t)
{
    const int *size = t->work->size;
    hy_init init = for_relu();
    hy_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.threads = t->threads;
    desc.parallel_for = t->loop;
    desc.parallel_user = t->loop_user;
    t->F = hy_open(&desc);
    if (!t->F) fail(WRONG, "out of memory");
    if (hy_threads(t->F) != t->threads) fail(MISUSED, "there are no %d threads here", t->threads);
    t->net = t->work->what->network(t->F, size);
    t->x = t->work->what->input(t->F, size);
    hy_initialize(t->F, t->net, &init);
    if (t->mode == COMPILED) hy_hybridize(t->F, t->net, NULL);
    check_error(t);
}

static void close_trial(trial *t)
{
    check_error(t);
    hy_close(t->F);
}

static hy_array *one_call(trial *t) { return hy_call(t->F, t->net, t->x); }

/* It finds shapes, draws weights and compiles. */
static void first_call(trial *t)
{
    hy_begin(t->F);
    one_call(t);
    hy_end(t->F);
    t->held = hy_memory_use(t->F).peak;
    t->params = hy_collect_params(t->F, t->net, NULL);
    check_error(t);
}

static hy_array *thousand_calls(trial *t)
{
    int i;
    for (i = 0; i < 1000; i++) {
        hy_begin(t->F);
        one_call(t);
        hy_end(t->F);
    }
    return NULL;
}

/* From nothing to the first result, and back. */
static hy_array *start_up(trial *t)
{
    trial fresh = *t;
    open_trial(&fresh);
    hy_to(fresh.F, one_call(&fresh), HY_F32, t->answer, sizeof t->answer);
    t->held = hy_memory_use(fresh.F).peak;
    close_trial(&fresh);
    return NULL;
}

static hy_array *start_up_result(trial *t)
{
    return hy_floats(t->F, HY_SHAPE(1, COUNT(t->answer)), t->answer);
}

static hy_array *train_step(trial *t)
{
    hy_frame *F = t->F;
    int64_t batch = hy_dim(F, hy_get(F, t->x, 0), 0);
    hy_optim_opt o = { 0 };
    hy_array *loss;
    o.learning_rate = learning_rate;
    if (!t->trainer) t->trainer = hy_trainer_new(F, t->net, hy_optim_sgd(&o), NULL);
    hy_record(F);
    loss = hy_call(F, t->net, t->x);
    hy_pause(F);
    hy_backward(F, loss, NULL);
    hy_step(F, t->trainer, (double)batch);
    return loss;
}

/* Gradients and what they have made of the weights. */
static hy_array *train_result(trial *t)
{
    hy_array *y[MOST_EXPECTED];
    int i, n = t->params.n;
    for (i = 0; i < n; i++) {
        y[i] = hy_grad_of(t->F, t->params.at[i]);
        y[n + i] = t->params.at[i];
    }
    return hy_group_of(t->F, 2 * n, y);
}

/* MARK: - references ------------------------------------------------------------------------------------
 *
 * Plain loops in double precision. Layers take the network's parameters in the order in which it has them.
 * Those that training needs leave a step behind, and backward walks the steps from the last to the first.
 */
typedef struct tensor { int n, c, h, w; double *v; } tensor;    /* a matrix has n rows of c */

typedef struct layer {
    tensor  x, y;
    double *w, *b, *dw, *db;
    int     kernel, stride, pad, groups;
    void  (*back)(const struct layer *l, double *dy, double *dx);
} layer;

typedef struct expected { int64_t n; const double *v; } expected;

struct reference {
    const trial *t;
    int      taken;                     /* parameters so far */
    double  *weight[MOST_EXPECTED], *grad[MOST_EXPECTED];       /* of them, while training */
    layer    step[MOST_STEPS];
    int      steps, training;
    expected result[MOST_EXPECTED];
    int      results;
};

static int area(tensor x) { return x.h * x.w; }
static int64_t length(tensor x) { return (int64_t)x.n * x.c * area(x); }

static tensor tensor_at(double *v, int n, int c, int h, int w)
{
    tensor x;
    x.n = n;
    x.c = c;
    x.h = h;
    x.w = w;
    x.v = v;
    return x;
}

static tensor tensor_of(int n, int c, int h, int w)
{
    return tensor_at(numbers((int64_t)n * c * h * w), n, c, h, w);
}

static tensor matrix_of(int rows, int columns) { return tensor_of(rows, columns, 1, 1); }

/* The values of an array, in double. */
static double *values_of(hy_frame *F, hy_array *x)
{
    size_t bytes = (size_t)hy_size(F, x) * sizeof(double);
    double *v = numbers(hy_size(F, x));
    hy_to(F, x, HY_F64, v, bytes);
    return v;
}

static tensor input(reference *R, int i, int n, int c, int h, int w)
{
    hy_frame *F = R->t->F;
    hy_array *x = hy_count(F, R->t->x) > 1 ? hy_get(F, R->t->x, i) : R->t->x;
    tensor y = tensor_at(values_of(F, x), n, c, h, w);
    if (hy_size(F, x) != length(y)) fail(WRONG, "%s: its input has another size", R->t->work->name);
    return y;
}

static double *parameter(reference *R, int64_t n)
{
    hy_frame *F = R->t->F;
    hy_array *p = R->taken < R->t->params.n ? R->t->params.at[R->taken] : NULL;
    double *v;
    if (!p || hy_size(F, p) != n)
        fail(WRONG, "%s: parameter %d has another size", R->t->work->name, R->taken);
    v = values_of(F, p);
    if (R->training) {
        R->weight[R->taken] = v;
        R->grad[R->taken] = numbers(n);
    }
    R->taken++;
    return v;
}

static void expect(reference *R, int64_t n, const double *v)
{
    if (R->results == MOST_EXPECTED) fail(WRONG, "%s: too many results", R->t->work->name);
    R->result[R->results].n = n;
    R->result[R->results++].v = v;
}

static void expect_tensor(reference *R, tensor x) { expect(R, length(x), x.v); }

/* A parameter of the step, and where its gradient goes. */
static double *step_parameter(reference *R, int64_t n, double **gradient)
{
    double *v = parameter(R, n);
    *gradient = R->training ? R->grad[R->taken - 1] : NULL;
    return v;
}

static void leave_step(reference *R, layer l, void (*back)(const layer *, double *, double *))
{
    if (!R->training) return;
    if (R->steps == MOST_STEPS) fail(WRONG, "%s: too many layers", R->t->work->name);
    l.back = back;
    R->step[R->steps++] = l;
}

/* What is left of a side behind a sliding window. */
static int slid(int side, int window, int stride, int pad) { return (side + 2 * pad - window) / stride + 1; }

/* --- convolution: one walk over rows of taps, three things to do with a row of n values --- */
typedef void (*row_fn)(double *x, double *w, double *y, int n, int stride);

static void row_forward(double *x, double *w, double *y, int n, int stride)
{
    int i;
    for (i = 0; i < n; i++) y[i] += *w * x[i * stride];
}

static void row_data(double *dx, double *w, double *dy, int n, int stride)
{
    int i;
    for (i = 0; i < n; i++) dx[i * stride] += *w * dy[i];
}

static void row_weight(double *x, double *dw, double *dy, int n, int stride)
{
    int i;
    for (i = 0; i < n; i++) *dw += x[i * stride] * dy[i];
}

/* One plane of outputs and one of inputs, and the taps between them. */
static void walk_plane(const layer *l, row_fn row, double *x, double *w, double *y)
{
    int ky, kx, oy;
    for (ky = 0; ky < l->kernel; ky++)
        for (kx = 0; kx < l->kernel; kx++) {
            int begin = 0, end = l->y.w;
            while (begin < end && begin * l->stride + kx - l->pad < 0) begin++;
            while (end > begin && (end - 1) * l->stride + kx - l->pad >= l->x.w) end--;
            for (oy = 0; oy < l->y.h; oy++) {
                int iy = oy * l->stride + ky - l->pad;
                if (iy < 0 || iy >= l->x.h) continue;
                row(x + iy * l->x.w + begin * l->stride + kx - l->pad, w + ky * l->kernel + kx,
                    y + oy * l->y.w + begin, end - begin, l->stride);
            }
        }
}

static void walk_conv(const layer *l, row_fn row, double *x, double *w, double *y)
{
    int n, o, i, inputs = l->x.c / l->groups, outputs = l->y.c / l->groups, taps = l->kernel * l->kernel;
    for (n = 0; n < l->x.n; n++)
        for (o = 0; o < l->y.c; o++)
            for (i = 0; i < inputs; i++)
                walk_plane(l, row, x + (n * l->x.c + o / outputs * inputs + i) * (int64_t)area(l->x),
                           w + (o * inputs + i) * (int64_t)taps, y + (n * l->y.c + o) * (int64_t)area(l->y));
}

static void conv_back(const layer *l, double *dy, double *dx)
{
    int64_t i;
    walk_conv(l, row_data, dx, l->w, dy);
    walk_conv(l, row_weight, l->x.v, l->dw, dy);
    for (i = 0; i < length(l->y); i++) l->db[i / area(l->y) % l->y.c] += dy[i];
}

static tensor ref_conv(reference *R, tensor x, int channels, int kernel, int stride, int pad, int groups,
                       int bias)
{
    layer l = { 0 };
    int64_t i;
    l.x = x;
    l.y = tensor_of(x.n, channels, slid(x.h, kernel, stride, pad), slid(x.w, kernel, stride, pad));
    l.kernel = kernel;
    l.stride = stride;
    l.pad = pad;
    l.groups = groups;
    l.w = step_parameter(R, (int64_t)channels * (x.c / groups) * kernel * kernel, &l.dw);
    if (bias) l.b = step_parameter(R, channels, &l.db);
    for (i = 0; bias && i < length(l.y); i++) l.y.v[i] = l.b[i / area(l.y) % channels];
    walk_conv(&l, row_forward, x.v, l.w, l.y.v);
    leave_step(R, l, conv_back);
    return l.y;
}

/* --- pooling --- */
/* Where the largest value of a window lies in its plane: the first of equals. */
static int largest(const layer *l, const double *plane, int oy, int ox)
{
    int ky, kx, best = -1;
    for (ky = 0; ky < l->kernel; ky++)
        for (kx = 0; kx < l->kernel; kx++) {
            int y = oy * l->stride + ky - l->pad, x = ox * l->stride + kx - l->pad;
            if (y < 0 || y >= l->x.h || x < 0 || x >= l->x.w) continue;
            if (best < 0 || plane[y * l->x.w + x] > plane[best]) best = y * l->x.w + x;
        }
    return best;
}

static int64_t pooled(const layer *l, int64_t i)
{
    int64_t plane = i / area(l->y) * area(l->x);
    int at = (int)(i % area(l->y));
    return plane + largest(l, l->x.v + plane, at / l->y.w, at % l->y.w);
}

static void max_pool_back(const layer *l, double *dy, double *dx)
{
    int64_t i;
    for (i = 0; i < length(l->y); i++) dx[pooled(l, i)] += dy[i];
}

static tensor ref_max_pool(reference *R, tensor x, int window, int stride, int pad)
{
    layer l = { 0 };
    int64_t i;
    l.x = x;
    l.y = tensor_of(x.n, x.c, slid(x.h, window, stride, pad), slid(x.w, window, stride, pad));
    l.kernel = window;
    l.stride = stride;
    l.pad = pad;
    for (i = 0; i < length(l.y); i++) l.y.v[i] = x.v[pooled(&l, i)];
    leave_step(R, l, max_pool_back);
    return l.y;
}

static tensor ref_global_average(tensor x)
{
    tensor y = matrix_of(x.n, x.c);
    int64_t i;
    for (i = 0; i < length(x); i++) y.v[i / area(x)] += x.v[i] / area(x);
    return y;
}

/* --- dense: rows of everything but n --- */
static void dense_back(const layer *l, double *dy, double *dx)
{
    int64_t inputs = length(l->x) / l->x.n, k;
    int n, u;
    for (n = 0; n < l->x.n; n++)
        for (u = 0; u < l->y.c; u++) {
            double g = dy[n * l->y.c + u];
            for (k = 0; k < inputs; k++) {
                dx[n * inputs + k] += g * l->w[u * inputs + k];
                l->dw[u * inputs + k] += g * l->x.v[n * inputs + k];
            }
            l->db[u] += g;
        }
}

static tensor ref_dense(reference *R, tensor x, int units)
{
    layer l = { 0 };
    int64_t inputs = length(x) / x.n, k;
    int n, u;
    l.x = x;
    l.y = matrix_of(x.n, units);
    l.w = step_parameter(R, units * inputs, &l.dw);
    l.b = step_parameter(R, units, &l.db);
    for (n = 0; n < x.n; n++)
        for (u = 0; u < units; u++) {
            double sum = l.b[u];
            for (k = 0; k < inputs; k++) sum += l.w[u * inputs + k] * x.v[n * inputs + k];
            l.y.v[n * units + u] = sum;
        }
    leave_step(R, l, dense_back);
    return l.y;
}

/* --- one value from one value --- */
static void relu_back(const layer *l, double *dy, double *dx)
{
    int64_t i;
    for (i = 0; i < length(l->x); i++) dx[i] += l->x.v[i] > 0 ? dy[i] : 0;
}

static tensor ref_relu(reference *R, tensor x)
{
    layer l = { 0 };
    int64_t i;
    l.x = x;
    l.y = tensor_of(x.n, x.c, x.h, x.w);
    for (i = 0; i < length(x); i++) l.y.v[i] = x.v[i] > 0 ? x.v[i] : 0;
    leave_step(R, l, relu_back);
    return l.y;
}

static tensor ref_each(tensor x, double (*fn)(double x))
{
    int64_t i;
    for (i = 0; fn && i < length(x); i++) x.v[i] = fn(x.v[i]);
    return x;
}

static tensor ref_gelu(tensor x)
{
    int64_t i;
    for (i = 0; i < length(x); i++) x.v[i] *= 0.5 * (1 + erf(x.v[i] / sqrt(2)));
    return x;
}

static tensor ref_add(tensor x, tensor y)
{
    tensor z = tensor_of(x.n, x.c, x.h, x.w);
    int64_t i;
    for (i = 0; i < length(x); i++) z.v[i] = x.v[i] + y.v[i];
    return z;
}

/* --- normalisation --- */
static const double small_variance = 1e-5;

static tensor ref_batch_norm(reference *R, tensor x)
{
    const double *gamma = parameter(R, x.c), *beta = parameter(R, x.c);
    const double *mean = parameter(R, x.c), *variance = parameter(R, x.c);
    int64_t i;
    for (i = 0; i < length(x); i++) {
        int c = (int)(i / area(x) % x.c);
        x.v[i] = (x.v[i] - mean[c]) / sqrt(variance[c] + small_variance) * gamma[c] + beta[c];
    }
    return x;
}

static tensor ref_layer_norm(reference *R, tensor x)
{
    const double *gamma = parameter(R, x.c), *beta = parameter(R, x.c);
    int n, c;
    for (n = 0; n < x.n; n++) {
        double *row = x.v + (int64_t)n * x.c, mean = 0, variance = 0;
        for (c = 0; c < x.c; c++) mean += row[c] / x.c;
        for (c = 0; c < x.c; c++) variance += (row[c] - mean) * (row[c] - mean) / x.c;
        for (c = 0; c < x.c; c++)
            row[c] = (row[c] - mean) / sqrt(variance + small_variance) * gamma[c] + beta[c];
    }
    return x;
}

static tensor ref_softmax(tensor x)
{
    int n, c;
    for (n = 0; n < x.n; n++) {
        double *row = x.v + (int64_t)n * x.c, most = row[0], sum = 0;
        for (c = 1; c < x.c; c++) if (row[c] > most) most = row[c];
        for (c = 0; c < x.c; c++) sum += row[c] = exp(row[c] - most);
        for (c = 0; c < x.c; c++) row[c] /= sum;
    }
    return x;
}

/* --- networks --- */
static tensor ref_mlp(reference *R, tensor x)
{
    x = ref_relu(R, ref_dense(R, x, 256));
    x = ref_relu(R, ref_dense(R, x, 128));
    return ref_dense(R, x, 2);
}

static tensor ref_lenet(reference *R, tensor x)
{
    x = ref_max_pool(R, ref_relu(R, ref_conv(R, x, 6, 5, 1, 0, 1, 1)), 2, 2, 0);
    x = ref_max_pool(R, ref_relu(R, ref_conv(R, x, 16, 5, 1, 0, 1, 1)), 2, 2, 0);
    x = ref_relu(R, ref_dense(R, x, 120));
    x = ref_relu(R, ref_dense(R, x, 84));
    return ref_dense(R, x, 10);
}

static void compute_mlp(reference *R, const int *size)
{
    expect_tensor(R, ref_mlp(R, input(R, 0, size[0], 512, 1, 1)));
}

static void compute_lenet(reference *R, const int *size)
{
    expect_tensor(R, ref_lenet(R, input(R, 0, size[0], 1, 28, 28)));
}

static tensor ref_conv_norm(reference *R, tensor x, int channels, int kernel, int stride, int groups,
                            double (*fn)(double x))
{
    return ref_each(ref_batch_norm(R, ref_conv(R, x, channels, kernel, stride, kernel / 2, groups, 0)), fn);
}

static tensor ref_residual(reference *R, tensor x, int channels, int stride, int widens)
{
    tensor y = ref_conv_norm(R, x, channels, 3, stride, 1, plain_relu);
    y = ref_conv_norm(R, y, channels, 3, 1, 1, NULL);
    if (widens) x = ref_conv_norm(R, x, channels, 1, stride, 1, NULL);
    return ref_each(ref_add(x, y), plain_relu);
}

static void compute_resnet(reference *R, const int *size)
{
    tensor x = ref_conv_norm(R, input(R, 0, 1, 3, size[0], size[0]), 64, 7, 2, 1, plain_relu);
    int i;
    x = ref_max_pool(R, x, 3, 2, 1);
    for (i = 0; i < 4; i++) {
        x = ref_residual(R, x, 64 << i, i ? 2 : 1, i > 0);
        x = ref_residual(R, x, 64 << i, 1, 0);
    }
    expect_tensor(R, ref_dense(R, ref_global_average(x), 1000));
}

static tensor ref_bottleneck(reference *R, tensor x, int inner, int stride, int widens)
{
    tensor y = ref_conv_norm(R, x, inner, 1, 1, 1, plain_relu);
    y = ref_conv_norm(R, y, inner, 3, stride, 1, plain_relu);
    y = ref_conv_norm(R, y, 4 * inner, 1, 1, 1, NULL);
    if (widens) x = ref_conv_norm(R, x, 4 * inner, 1, stride, 1, NULL);
    return ref_each(ref_add(x, y), plain_relu);
}

static void compute_deep(reference *R, const int *size)
{
    tensor x = ref_conv_norm(R, input(R, 0, 1, 3, size[0], size[0]), 64, 7, 2, 1, plain_relu);
    int i, k;
    x = ref_max_pool(R, x, 3, 2, 1);
    for (i = 0; i < COUNT(deep_rows); i++)
        for (k = 0; k < deep_rows[i]; k++) x = ref_bottleneck(R, x, 64 << i, i && !k ? 2 : 1, !k);
    expect_tensor(R, ref_dense(R, ref_global_average(x), 1000));
}

static tensor ref_squeezing(reference *R, const mobile *m, tensor x, int narrow)
{
    tensor s = ref_each(ref_dense(R, ref_global_average(x), narrow), m->plain_inner);
    int64_t i;
    s = ref_each(ref_dense(R, s, x.c), m->plain_outer);
    for (i = 0; i < length(x); i++) x.v[i] *= s.v[i / area(x)];
    return x;
}

static tensor ref_inverted(reference *R, const mobile *m, const mobile_row *row, tensor x)
{
    double (*fn)(double x) = m->plain[row->smooth];
    tensor y = x;
    if (row->inner != x.c) y = ref_conv_norm(R, y, row->inner, 1, 1, 1, fn);
    y = ref_conv_norm(R, y, row->inner, row->kernel, row->stride, row->inner, fn);
    if (row->squeezed) y = ref_squeezing(R, m, y, row->squeezed);
    y = ref_conv_norm(R, y, row->channels, 1, 1, 1, NULL);
    return row->stride == 1 && x.c == row->channels ? ref_add(x, y) : y;
}

static void ref_mobile(reference *R, const mobile *m, int side)
{
    tensor x = ref_conv_norm(R, input(R, 0, 1, 3, side, side), m->first, 3, 2, 1, m->plain[SMOOTH]);
    int i;
    for (i = 0; i < COUNT(m->row) && m->row[i].kernel; i++) x = ref_inverted(R, m, &m->row[i], x);
    x = ref_global_average(ref_conv_norm(R, x, m->last, 1, 1, 1, m->plain[SMOOTH]));
    if (m->hidden) x = ref_each(ref_dense(R, x, m->hidden), m->plain[SMOOTH]);
    expect_tensor(R, ref_dense(R, x, 1000));
}

static void compute_mobile(reference *R, const int *size) { ref_mobile(R, &mobile_v2, size[0]); }
static void compute_mobile_v3(reference *R, const int *size) { ref_mobile(R, &mobile_v3, size[0]); }
static void compute_efficient(reference *R, const int *size) { ref_mobile(R, &efficient, size[0]); }

/* One row of channels a place, and back. */
static tensor ref_places(tensor x)
{
    tensor y = matrix_of(area(x), x.c);
    int64_t i;
    for (i = 0; i < length(x); i++) y.v[i % area(x) * x.c + i / area(x)] = x.v[i];
    return y;
}

static tensor ref_planes(tensor x, int h, int w)
{
    tensor y = tensor_of(1, x.c, h, w);
    int64_t i;
    for (i = 0; i < length(y); i++) y.v[i] = x.v[i % area(y) * x.c + i / area(y)];
    return y;
}

static tensor ref_channel_norm(reference *R, tensor x)
{
    return ref_planes(ref_layer_norm(R, ref_places(x)), x.h, x.w);
}

static tensor ref_next(reference *R, tensor x)
{
    const double *scale = parameter(R, x.c);
    tensor y = ref_layer_norm(R, ref_places(ref_conv(R, x, x.c, 7, 1, 3, x.c, 1)));
    int64_t i;
    y = ref_dense(R, ref_gelu(ref_dense(R, y, 4 * x.c)), x.c);
    for (i = 0; i < length(y); i++) y.v[i] *= scale[i % y.c];
    return ref_add(x, ref_planes(y, x.h, x.w));
}

static void compute_next(reference *R, const int *size)
{
    tensor x = input(R, 0, 1, 3, size[0], size[0]);
    int i, k;
    for (i = 0; i < COUNT(next_rows); i++) {
        if (i) x = ref_channel_norm(R, x);
        x = ref_conv(R, x, next_rows[i].channels, i ? 2 : 4, i ? 2 : 4, 0, 1, 1);
        if (!i) x = ref_channel_norm(R, x);
        for (k = 0; k < next_rows[i].times; k++) x = ref_next(R, x);
    }
    expect_tensor(R, ref_dense(R, ref_layer_norm(R, ref_global_average(x)), 1000));
}

static tensor ref_two_convs(reference *R, tensor x, int channels)
{
    x = ref_conv_norm(R, x, channels, 3, 1, 1, plain_relu);
    return ref_conv_norm(R, x, channels, 3, 1, 1, plain_relu);
}

/* Each place becomes a square of four; the channels of `left` stand behind. */
static tensor ref_doubled(reference *R, tensor x, tensor left)
{
    const double *w = parameter(R, (int64_t)x.c * left.c * 4), *bias = parameter(R, left.c);
    tensor y = tensor_of(1, 2 * left.c, left.h, left.w);
    int o, i, at;
    for (o = 0; o < left.c; o++)
        for (at = 0; at < area(y); at++) {
            int row = at / y.w, column = at % y.w, tap = row % 2 * 2 + column % 2;
            double sum = bias[o];
            for (i = 0; i < x.c; i++)
                sum += x.v[i * area(x) + row / 2 * x.w + column / 2] * w[(i * left.c + o) * 4 + tap];
            y.v[o * area(y) + at] = sum;
        }
    memcpy(y.v + length(left), left.v, (size_t)length(left) * sizeof(double));
    return y;
}

static void compute_unet(reference *R, const int *size)
{
    tensor x = input(R, 0, 1, 3, size[0], size[0]), left[FLOORS];
    int i;
    for (i = 0; i < FLOORS; i++) {
        if (i) x = ref_max_pool(R, x, 2, 2, 0);
        x = left[i] = ref_two_convs(R, x, size[1] << i);
    }
    for (i = FLOORS - 2; i >= 0; i--) x = ref_two_convs(R, ref_doubled(R, x, left[i]), size[1] << i);
    expect_tensor(R, ref_conv(R, x, 2, 1, 1, 0, 1, 1));
}

static void compute_fancy(reference *R, const int *size)
{
    tensor sum = matrix_of(1, size[0]);
    int i, k;
    for (k = 0; k < 4; k++) {
        const piece *before = pieces;
        tensor x = input(R, k, 1, size[0], 1, 1);
        for (i = 0; i < size[0]; i++) sum.v[i] += x.v[i];
        forget(before);                 /* ten million numbers of 8 bytes */
    }
    expect_tensor(R, sum);
}

static void compute_adam(reference *R, const int *size)
{
    tensor w = input(R, 0, 1, size[0], 1, 1), g = input(R, 1, 1, size[0], 1, 1);
    tensor m = input(R, 2, 1, size[0], 1, 1), v = input(R, 3, 1, size[0], 1, 1);
    int i;
    for (i = 0; i < size[0]; i++) {
        m.v[i] = adam_m * m.v[i] + (1 - adam_m) * g.v[i];
        v.v[i] = adam_v * v.v[i] + (1 - adam_v) * g.v[i] * g.v[i];
        w.v[i] -= adam_rate * m.v[i] / (sqrt(v.v[i]) + adam_small);
    }
    expect_tensor(R, w);
    expect_tensor(R, m);
    expect_tensor(R, v);
}

static void compute_chain(reference *R, const int *size)
{
    const double *scale = parameter(R, size[1]), *shift = parameter(R, size[1]);
    tensor x = input(R, 0, size[0], size[1], 1, 1);
    int64_t i;
    for (i = 0; i < length(x); i++) x.v[i] = x.v[i] * scale[i % x.c] + shift[i % x.c];
    expect_tensor(R, ref_softmax(ref_layer_norm(R, ref_gelu(x))));
}

/* sums += w x: w has `rows` rows of n */
static void add_product(double *sums, const double *w, const double *x, int rows, int n)
{
    int i, k;
    for (i = 0; i < rows; i++)
        for (k = 0; k < n; k++) sums[i] += w[(int64_t)i * n + k] * x[k];
}

static void compute_lstm(reference *R, const int *size)
{
    int n = size[1], t, i;
    const double *from_x = parameter(R, 4 * n * n), *from_h = parameter(R, 4 * n * n);
    const double *bias_x = parameter(R, 4 * n), *bias_h = parameter(R, 4 * n);
    tensor x = input(R, 0, size[0], n, 1, 1), y = matrix_of(size[0], n);
    double *gate = numbers(4 * n), *cell = numbers(n), *hidden = numbers(n);
    for (t = 0; t < size[0]; t++) {
        for (i = 0; i < 4 * n; i++) gate[i] = bias_x[i] + bias_h[i];
        add_product(gate, from_x, x.v + t * n, 4 * n, n);
        add_product(gate, from_h, hidden, 4 * n, n);
        hidden = y.v + t * n;
        for (i = 0; i < n; i++) {                       /* gates: in, forget, new, out */
            cell[i] = plain_sigmoid(gate[n + i]) * cell[i] + plain_sigmoid(gate[i]) * tanh(gate[2 * n + i]);
            hidden[i] = plain_sigmoid(gate[3 * n + i]) * tanh(cell[i]);
        }
    }
    expect_tensor(R, y);
}

/* Columns [from, from + n) of a matrix. */
static tensor columns_of(tensor x, int from, int n)
{
    tensor y = matrix_of(x.n, n);
    int i;
    for (i = 0; i < x.n; i++)
        memcpy(y.v + (int64_t)i * n, x.v + (int64_t)i * x.c + from, (size_t)n * sizeof(double));
    return y;
}

/* What one head makes of its queries, keys and values: into columns [to, to + part) of y. */
static void ref_head(tensor q, tensor k, tensor v, tensor y, int to)
{
    tensor seen = matrix_of(q.n, k.n);
    int i, j;
    for (i = 0; i < q.n; i++) add_product(seen.v + i * k.n, k.v, q.v + i * q.c, k.n, k.c);
    for (i = 0; i < q.n * k.n; i++) seen.v[i] /= sqrt(q.c);
    ref_softmax(seen);
    for (i = 0; i < q.n * v.c; i++)
        for (j = 0; j < k.n; j++)
            y.v[i / v.c * y.c + to + i % v.c] += seen.v[i / v.c * k.n + j] * v.v[j * v.c + i % v.c];
}

/* Rows of `past`, one for each of them and each head, before the columns of x that hold all heads. */
static tensor ref_grown(tensor past, tensor x, int heads)
{
    int part = x.c / heads, before = past.n / heads, h, t, i;
    tensor y = matrix_of(before + x.n, x.c);
    for (h = 0; h < heads; h++)
        for (t = 0; t < y.n; t++)
            for (i = 0; i < part; i++)
                y.v[t * y.c + h * part + i] = t < before ? past.v[(h * before + t) * part + i]
                                                         : x.v[(t - before) * x.c + h * part + i];
    return y;
}

/* past: keys and values of what came before; NULL: nothing did. */
static tensor ref_attention(reference *R, tensor x, int heads, tensor *past)
{
    int width = x.c, part = width / heads, at;
    tensor all = ref_dense(R, x, 3 * width), y = matrix_of(x.n, width);
    tensor q = columns_of(all, 0, width), k = columns_of(all, width, width);
    tensor v = columns_of(all, 2 * width, width);
    if (past) {
        k = past[0] = ref_grown(past[0], k, heads);
        v = past[1] = ref_grown(past[1], v, heads);
    }
    for (at = 0; at < width; at += part)
        ref_head(columns_of(q, at, part), columns_of(k, at, part), columns_of(v, at, part), y, at);
    return ref_dense(R, y, width);
}

/* Parameters stand in the order of encoder's, whatever is computed first. */
static tensor ref_encoder(reference *R, tensor x, int heads, int inner, int norm_first, tensor *past)
{
    tensor y, z = ref_add(x, matrix_of(x.n, x.c));
    int from = R->taken;
    if (norm_first) {
        R->taken += 4;
        z = ref_layer_norm(R, z);
        R->taken = from;
    }
    y = ref_add(x, ref_attention(R, z, heads, past));
    if (norm_first) {
        R->taken = from + 10;
        z = ref_layer_norm(R, ref_add(y, matrix_of(y.n, y.c)));
        R->taken = from + 6;
    } else z = y = ref_layer_norm(R, y);
    z = ref_add(y, ref_dense(R, ref_gelu(ref_dense(R, z, inner)), x.c));
    if (!norm_first) return ref_layer_norm(R, z);
    R->taken = from + 12;
    return z;
}

static void compute_encoder(reference *R, const int *size)
{
    tensor x = input(R, 0, size[0], size[1], 1, 1);
    expect_tensor(R, ref_encoder(R, x, size[2], size[3], 0, NULL));
}

static void compute_vit(reference *R, const int *size)
{
    const double *whole = parameter(R, size[1]), *place = parameter(R, (int64_t)size[0] * size[1]);
    int side = size[5] * (int)(sqrt(size[0] - 1) + 0.5), i;
    tensor x = input(R, 0, 1, 3, side, side), y = matrix_of(size[0], size[1]);
    x = ref_places(ref_conv(R, x, size[1], size[5], size[5], 0, 1, 1));
    memcpy(y.v, whole, (size_t)y.c * sizeof(double));
    memcpy(y.v + y.c, x.v, (size_t)length(x) * sizeof(double));
    for (i = 0; i < length(y); i++) y.v[i] += place[i];
    for (i = 0; i < size[4]; i++) y = ref_encoder(R, y, size[2], size[3], 1, NULL);
    y = ref_layer_norm(R, y);
    y.n = 1;
    expect_tensor(R, ref_dense(R, y, 1000));
}

/* Rows of a table of `words`. */
static tensor ref_words(reference *R, tensor x, int words, int width)
{
    const double *table = parameter(R, (int64_t)words * width);
    tensor y = matrix_of(x.n, width);
    int i;
    for (i = 0; i < x.n; i++)
        memcpy(y.v + (int64_t)i * width, table + (int64_t)x.v[i] * width, (size_t)width * sizeof(double));
    return y;
}

static void compute_bert(reference *R, const int *size)
{
    const double *place = parameter(R, (int64_t)size[0] * size[1]);
    tensor x = ref_words(R, input(R, 0, size[0], 1, 1, 1), size[5], size[1]);
    int i;
    for (i = 0; i < length(x); i++) x.v[i] += place[i];
    x = ref_layer_norm(R, x);
    for (i = 0; i < size[4]; i++) x = ref_encoder(R, x, size[2], size[3], 0, NULL);
    expect_tensor(R, x);
}

/* What is expected of keys and values has a head's rows together. */
static void expect_heads(reference *R, tensor x, int heads)
{
    tensor y = matrix_of(x.n, x.c);
    int part = x.c / heads, h, t, i;
    for (h = 0; h < heads; h++)
        for (t = 0; t < x.n; t++)
            for (i = 0; i < part; i++) y.v[(h * x.n + t) * part + i] = x.v[t * x.c + h * part + i];
    expect_tensor(R, y);
}

static void compute_decoder(reference *R, const int *size)
{
    int rows = size[2] * size[6], part = size[1] / size[2], i;
    tensor past[2 * MOST_BLOCKS], x = ref_words(R, input(R, 0, size[0], 1, 1, 1), size[5], size[1]);
    for (i = 0; i < size[4]; i++) {
        past[2 * i] = input(R, 2 * i + 1, rows, part, 1, 1);
        past[2 * i + 1] = input(R, 2 * i + 2, rows, part, 1, 1);
        x = ref_encoder(R, x, size[2], size[3], 1, past + 2 * i);
    }
    expect_tensor(R, ref_dense(R, ref_layer_norm(R, x), size[5]));
    for (i = 0; i < 2 * size[4]; i++) expect_heads(R, past[i], size[2]);
}

static void compute_conv(reference *R, const int *size)
{
    tensor x = input(R, 0, 1, size[1], size[0], size[0]);
    expect_tensor(R, ref_relu(R, ref_conv(R, x, size[2], size[3], size[4], size[5], size[6], 1)));
}

/* So many rows of b at a time as stay in the cache. */
static void compute_gemm(reference *R, const int *size)
{
    enum { SOME = 32 };
    int n = size[0], begin, i, j, k;
    tensor a = input(R, 0, n, n, 1, 1), b = input(R, 1, n, n, 1, 1), y = matrix_of(n, n);
    for (begin = 0; begin < n; begin += SOME)
        for (i = 0; i < n; i++)
            for (k = begin; k < n && k < begin + SOME; k++) {
                const double f = a.v[(int64_t)i * n + k], *from = b.v + (int64_t)k * n;
                double *to = y.v + (int64_t)i * n;
                for (j = 0; j < n; j++) to[j] += f * from[j];
            }
    expect_tensor(R, y);
}

/* --- training --- */
/* The scores' gradient goes back through the steps; then weights move. Both are expected. */
static void train(reference *R, tensor scores)
{
    tensor y = matrix_of(scores.n, scores.c), label = input(R, 1, scores.n, 1, 1, 1);
    double *dy = y.v;
    int64_t k;
    int i;
    memcpy(dy, scores.v, (size_t)length(scores) * sizeof *dy);
    ref_softmax(y);
    for (i = 0; i < y.n; i++) dy[i * y.c + (int)label.v[i]] -= 1;
    for (i = R->steps - 1; i >= 0; i--) {
        double *dx = numbers(length(R->step[i].x));
        R->step[i].back(&R->step[i], dy, dx);
        dy = dx;
    }
    for (i = 0; i < R->taken; i++) expect(R, hy_size(R->t->F, R->t->params.at[i]), R->grad[i]);
    for (i = 0; i < R->taken; i++) {
        for (k = 0; k < R->result[i].n; k++) R->weight[i][k] -= learning_rate / y.n * R->grad[i][k];
        expect(R, R->result[i].n, R->weight[i]);
    }
}

static void compute_train_mlp(reference *R, const int *size)
{
    R->training = 1;
    train(R, ref_mlp(R, input(R, 0, size[0], 512, 1, 1)));
}

static void compute_train_lenet(reference *R, const int *size)
{
    R->training = 1;
    train(R, ref_lenet(R, input(R, 0, size[0], 1, 28, 28)));
}

/* MARK: - the workloads ------------------------------------------------------------------------------- */

static const kind mlp = { mlp_network, mlp_input, compute_mlp, .once = one_call };
static const kind book = { mlp_network, mlp_input, compute_mlp, thousand_calls, one_call };
static const kind starting = { mlp_network, mlp_input, compute_mlp, start_up, start_up_result };
static const kind lenet = { lenet_network, lenet_input, compute_lenet, .once = one_call };
static const kind resnet18 = { resnet_network, photo_input, compute_resnet, .once = one_call };
static const kind mobilenet = { mobile_network, photo_input, compute_mobile, .once = one_call };
static const kind resnet50 = { deep_network, photo_input, compute_deep, .once = one_call };
static const kind mobilenet_v3 = { mobile_v3_network, photo_input, compute_mobile_v3, .once = one_call };
static const kind efficientnet = { efficient_network, photo_input, compute_efficient, .once = one_call };
static const kind convnext = { next_network, photo_input, compute_next, .once = one_call };
static const kind segmenting = { unet_network, photo_input, compute_unet, .once = one_call };
static const kind seeing = { vit_network, vit_input, compute_vit, .once = one_call };
static const kind reading = { bert_network, bert_input, compute_bert, .once = one_call };
static const kind decoding = { decoder_network, decoder_input, compute_decoder, .once = one_call };
static const kind fancy = { fancy_network, four_input, compute_fancy, .once = one_call };
static const kind adam = { adam_network, adam_input, compute_adam, .once = one_call };
static const kind gelu_chain = { chain_network, chain_input, compute_chain, .once = one_call };
static const kind lstm = { lstm_network, lstm_input, compute_lstm, .once = one_call };
static const kind loop = { loop_network, lstm_input, compute_lstm, .once = one_call };
static const kind encoding = { encoder_network, encoder_input, compute_encoder, .once = one_call };
static const kind convolving = { conv_network, conv_input, compute_conv, .once = one_call };
static const kind product = { gemm_network, gemm_input, compute_gemm, .once = one_call };
static const kind train_mlp = {
    train_mlp_network, train_mlp_input, compute_train_mlp, train_step, train_result };
static const kind train_lenet = {
    train_lenet_network, train_lenet_input, compute_train_lenet, train_step, train_result };

/* Multiplications and additions of one sample; training does them three times, less the input's gradient. */
#define MLP_FLOPS 328192.0
#define LENET_FLOPS 563280.0
#define TRAIN_MLP_FLOPS (3 * MLP_FLOPS - 2 * 512 * 256)
#define TRAIN_LENET_FLOPS (3 * LENET_FLOPS - 2 * 24 * 24 * 6 * 25)

#define CONV(name, side, inputs, channels, kernel, stride, pad, groups) \
    { convolutions, name, &convolving, { side, inputs, channels, kernel, stride, pad, groups }, \
      .flops = 2.0 * (side / stride) * (side / stride) * channels * (inputs / groups) * kernel * kernel }
#define GEMM(side) \
    { products, "gemm_" #side, &product, { side }, .flops = 2.0 * side * side * side, \
      .slow_to_check = side > 1000 }
#define FANCY(n) { sums, "fancy_" #n, &fancy, { n }, .flops = 3.0 * n, .bytes = 20.0 * n }

static const char mlps[] = "MLP 512-256-128-2", lenets[] = "LeNet", training[] = "Training, batch 64";
static const char large[] = "Whole networks, images of 224 x 224", sequences[] = "Sequences";
static const char texts[] = "Whole networks, 128 words; a word behind 150";
static const char sums[] = "(a + b) + (c + d)", chains[] = "gelu, layer norm, softmax";
static const char convolutions[] = "Convolutions with bias and relu, batch 1";
static const char products[] = "Products of square matrices";

/* The names are those of the result lines of other programs: see --peers. */
static const workload workloads[] = {
    { mlps, "mlp_b1", &mlp, { 1 }, .flops = MLP_FLOPS },
    { mlps, "mlp_b16", &mlp, { 16 }, .flops = 16 * MLP_FLOPS },
    { mlps, "mlp_b64", &mlp, { 64 }, .flops = 64 * MLP_FLOPS },
    { mlps, "mlp_b256", &mlp, { 256 }, .flops = 256 * MLP_FLOPS },
    { mlps, "mlp_b64_f16", &mlp, { 64, HY_F16 }, .flops = 64 * MLP_FLOPS, .tolerance = 5e-3 },
    { mlps, "mlp_b64_bf16", &mlp, { 64, HY_BF16 }, .flops = 64 * MLP_FLOPS, .tolerance = 4e-2 },
    { mlps, "mlp_1000_calls", &book, { 1 }, .in_seconds = 1 },
    { mlps, "mlp_start_up", &starting, { 1 }, .flops = 0 },
    { lenets, "lenet_b1", &lenet, { 1 }, .flops = LENET_FLOPS },
    { lenets, "lenet_b16", &lenet, { 16 }, .flops = 16 * LENET_FLOPS },
    { training, "train_mlp_b64", &train_mlp, { 64 }, .flops = 64 * TRAIN_MLP_FLOPS },
    { training, "train_lenet_b64", &train_lenet, { 64 }, .flops = 64 * TRAIN_LENET_FLOPS },
    { training, "adam_1000000", &adam, { 1000000 }, .bytes = 28e6 },
    { large, "resnet18", &resnet18, { 224 }, .flops = 3.628e9, .slow_to_check = 1 },
    { large, "mobilenetv2", &mobilenet, { 224 }, .flops = 0.6015e9, .slow_to_check = 1 },
    { large, "resnet50", &resnet50, { 224 }, .flops = 8.178e9, .slow_to_check = 1 },
    { large, "mobilenet_v3_large", &mobilenet_v3, { 224 }, .flops = 0.433e9, .slow_to_check = 1 },
    { large, "efficientnet_b0", &efficientnet, { 224 }, .flops = 0.772e9, .slow_to_check = 1 },
    { large, "convnext_tiny", &convnext, { 224 }, .flops = 8.909e9, .slow_to_check = 1 },
    { large, "vit_b_16", &seeing, { 197, 768, 12, 3072, 12, 16 }, .flops = 35.13e9, .slow_to_check = 1 },
    { large, "unet_16", &segmenting, { 224, 16 }, .flops = 3.553e9, .slow_to_check = 1 },
    { texts, "bert_6x384", &reading, { 128, 384, 12, 1536, 6, 4096 }, .flops = 2.87e9, .slow_to_check = 1 },
    { texts, "decoder_6x288", &decoding, { 1, 288, 6, 768, 6, 4096, 150 }, .flops = 12.69e6 },
    { sequences, "lstm_100x128", &lstm, { 100, 128 }, .flops = 26.2e6 },
    { sequences, "lstm_200x128", &lstm, { 200, 128 }, .flops = 52.4e6 },
    { sequences, "lstm_foreach_200x128", &loop, { 200, 128 }, .flops = 52.4e6 },
    { sequences, "encoder_128x256", &encoding, { 128, 256, 4, 1024 }, .flops = 218.1e6 },
    FANCY(4), FANCY(1000), FANCY(1000000), FANCY(10000000),
    { chains, "chain_128x768", &gelu_chain, { 128, 768 }, .flops = 0 },
    CONV("conv3x3_56_64", 56, 64, 64, 3, 1, 1, 1), CONV("conv3x3_28_128", 28, 128, 128, 3, 1, 1, 1),
    CONV("conv3x3_14_256", 14, 256, 256, 3, 1, 1, 1), CONV("conv3x3_7_512", 7, 512, 512, 3, 1, 1, 1),
    CONV("conv1x1_56_64_256", 56, 64, 256, 1, 1, 0, 1),
    CONV("conv1x1_14_256_1024", 14, 256, 1024, 1, 1, 0, 1),
    CONV("conv7x7s2_224_3_64", 224, 3, 64, 7, 2, 3, 1), CONV("dw3x3_112_32", 112, 32, 32, 3, 1, 1, 32),
    CONV("dw3x3_56_144", 56, 144, 144, 3, 1, 1, 144), CONV("dw3x3_14_512", 14, 512, 512, 3, 1, 1, 512),
    GEMM(64), GEMM(128), GEMM(256), GEMM(512), GEMM(1024), GEMM(2048)
};
enum { WORKLOADS = COUNT(workloads) };

/* MARK: - the bench ------------------------------------------------------------------------------------- */

/* Of one workload, mode and number of threads: seconds per call, round by round. */
typedef struct timing {
    double median[MOST_ROUNDS], fast[MOST_ROUNDS];      /* and the 5th percentile */
    int    rounds;
    double off;                         /* from what was expected, in parts of the largest value */
    size_t held;
} timing;

typedef struct peer_line { char workload[40], name[40]; int threads; double seconds; } peer_line;
typedef struct peer { const char *name; double seconds; } peer;       /* NULL: there is none */

typedef struct bench {
    int         thread[MOST_THREADS], threads;
    const char *filter[MOST_FILTERS];
    int         filters, rounds, quick, lines, json;
    double      seconds;                /* per timing and round */
    const char *html, *svg, *peers_file, *onnx;
    int         scale;                  /* thread[] are simulated, with ... */
    double      barrier;                /* ... this between stages; -1: to be measured */
    char        machine[100], date[40];
    const char *isa;
    int         cores, wrong;
    peer_line  *peer;
    int         peers;
    timing      at[WORKLOADS][MOST_THREADS][MODES];
} bench;

static int is_name(const char *s)
{
    int i;
    for (i = 0; i < WORKLOADS; i++)
        if (!strcmp(workloads[i].name, s)) return 1;
    return 0;
}

/* A whole name means that workload alone: mlp_b1 is not mlp_b16. */
static int wanted(const bench *B, const workload *w)
{
    int i;
    for (i = 0; i < B->filters; i++) {
        const char *part = B->filter[i];
        if (is_name(part) ? !strcmp(w->name, part) : strstr(w->name, part) != NULL) return 1;
    }
    return !B->filters;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Sorts them. */
static double median_of(double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, compare_doubles);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* The median of the rounds; 0 when there are none. */
static double middle(const double *rounds, int n)
{
    double v[MOST_ROUNDS];
    memcpy(v, rounds, (size_t)n * sizeof *v);
    return n ? median_of(v, n) : 0;
}

static double seconds_of(const timing *t) { return middle(t->median, t->rounds); }

/* --- checking --- */
/* How far an array is from what is expected, in parts of the largest value; without end for NaN. */
static double distance(const double *y, const expected *e)
{
    double most = 0, apart = 0;
    int64_t i;
    for (i = 0; i < e->n; i++) {
        double d = fabs(y[i] - e->v[i]);
        if (d != d) return HUGE_VAL;
        if (d > apart) apart = d;
        if (fabs(e->v[i]) > most) most = fabs(e->v[i]);
    }
    return apart == 0 ? 0 : apart / most;
}

/* Of all the arrays in y. */
static double distance_of_all(hy_frame *F, hy_array *y, const reference *R)
{
    double off = 0;
    int i, n = hy_count(F, y);
    if (n != R->results) return HUGE_VAL;
    for (i = 0; i < n; i++) {
        hy_array *part = n > 1 ? hy_get(F, y, i) : y;
        const piece *before = pieces;
        double d = HUGE_VAL;
        if (hy_size(F, part) == R->result[i].n) d = distance(values_of(F, part), &R->result[i]);
        if (d > off) off = d;
        forget(before);
    }
    return off;
}

/* What one call gives is compared with plain loops. Where they take seconds and the run is to be quick, the
 * first trial of the workload, line by line, says what is expected of the others. */
static double check_trial(const bench *B, trial *t, reference *R)
{
    const kind *what = t->work->what;
    int slow = B->quick && t->work->slow_to_check;
    hy_array *y;
    double off;
    R->t = t;
    if (!R->results && !slow) what->compute(R, t->work->size);
    hy_begin(t->F);
    y = what->once(t);
    if (what->result) y = what->result(t);
    if (!R->results) expect(R, hy_size(t->F, y), values_of(t->F, y));
    off = distance_of_all(t->F, y, R);
    hy_end(t->F);
    check_error(t);
    return off;
}

/* --- timing --- */
static void call(trial *t)
{
    hy_begin(t->F);
    t->work->what->once(t);
    hy_end(t->F);
}

static double time_calls(trial *t, int n)
{
    double start = hy_seconds();
    int i;
    for (i = 0; i < n; i++) call(t);
    return hy_seconds() - start;
}

enum { MOST_SAMPLES = 20000 };
typedef struct sampling { double v[MOST_SAMPLES]; int n, calls; } sampling;     /* calls per sample */

/* A sample takes at least 100 us. */
static void sampling_begin(sampling *s, trial *t)
{
    double seconds;
    s->n = 0;
    s->calls = 1;
    call(t);
    while ((seconds = time_calls(t, s->calls)) < 100e-6) s->calls *= 2;
    s->calls = (int)(s->calls * 100e-6 / seconds) + 1;
}

/* Samples for 5 ms, at least one, after a call that fetches weights into the caches and wakes threads. */
static void sampling_turn(sampling *s, trial *t)
{
    double until;
    call(t);
    until = hy_seconds() + 5e-3;
    while (s->n < MOST_SAMPLES) {
        s->v[s->n++] = time_calls(t, s->calls) / s->calls;
        if (hy_seconds() >= until) break;
    }
}

static void sampling_end(sampling *s, timing *to)
{
    to->median[to->rounds] = median_of(s->v, s->n);
    to->fast[to->rounds++] = s->v[s->n / 20];
}

static void print_line(const workload *w, int mode, int threads, const timing *t)
{
    double median = t->median[t->rounds - 1], fast = t->fast[t->rounds - 1];
    printf("R\t%s\t%s\t%d\t%.3f\t%.3f\t%.2f\n", w->name, mode_peer[mode], threads, 1e6 * median, 1e6 * fast,
           w->flops / median * 1e-9);
    fflush(stdout);
}

static int is_right(const workload *w, const timing *t)
{
    return t->off <= (w->tolerance > 0 ? w->tolerance : 1e-4);
}

static void start_trial(bench *B, trial *t, int round, timing *to, reference *R)
{
    open_trial(t);
    first_call(t);
    if (!round) {
        to->off = check_trial(B, t, R);
        if (!is_right(t->work, to)) {
            fprintf(stderr, "WRONG %s, %s, %d thread%s: off by %.3g of the largest value\n", t->work->name,
                    mode_name[t->mode], t->threads, t->threads == 1 ? "" : "s", to->off);
            B->wrong++;
        }
    }
    to->held = t->held;
}

/* Both modes take turns, so that what else the machine does meets both. Wrong ones are not timed. */
static void time_trials(const bench *B, trial *t, timing *to)
{
    static sampling s[MODES];
    double until = hy_seconds() + MODES * B->seconds;
    int mode, turns;
    for (mode = 0; mode < MODES; mode++)
        if (is_right(t->work, &to[mode])) sampling_begin(&s[mode], &t[mode]);
    for (turns = 0; turns < 3 || hy_seconds() < until; turns++)
        for (mode = 0; mode < MODES; mode++)
            if (is_right(t->work, &to[mode])) sampling_turn(&s[mode], &t[mode]);
    for (mode = 0; mode < MODES; mode++)
        if (is_right(t->work, &to[mode])) sampling_end(&s[mode], &to[mode]);
}

/* One workload in one round. */
static void visit(bench *B, int at, int round)
{
    static reference R;
    int i, mode;
    memset(&R, 0, sizeof R);
    for (i = 0; i < B->threads; i++) {
        timing *to = B->at[at][i];
        trial t[MODES];
        memset(t, 0, sizeof t);
        for (mode = 0; mode < MODES; mode++) {
            t[mode].work = &workloads[at];
            t[mode].mode = mode;
            t[mode].threads = B->thread[i];
            start_trial(B, &t[mode], round, &to[mode], &R);
        }
        time_trials(B, t, to);
        for (mode = 0; mode < MODES; mode++) {
            if (B->lines && to[mode].rounds) print_line(&workloads[at], mode, B->thread[i], &to[mode]);
            close_trial(&t[mode]);
        }
    }
    forget(NULL);
}

/* --- peers: lines as print_line writes them, or with the number of a round in place of the R --- */
static int same_peer(const peer_line *a, const peer_line *b)
{
    return !strcmp(a->name, b->name) && !strcmp(a->workload, b->workload) && a->threads == b->threads;
}

/* Not this library, and no kernels written by hand for one workload to show what is possible. */
static int is_peer(const peer_line *p)
{
    return strncmp(p->name, "hybrid.h", 8) && strncmp(p->name, "hand-", 5);
}

static void read_peers(bench *B)
{
    static const char form[] = "%*[R0-9]\t%39[^\t]\t%39[^\t]\t%d\t%lf";
    FILE *f = fopen(B->peers_file, "r");
    char text[400];
    int room = 0;
    if (!f) fail(MISUSED, "%s cannot be read", B->peers_file);
    while (fgets(text, sizeof text, f)) {
        peer_line p;
        if (sscanf(text, form, p.workload, p.name, &p.threads, &p.seconds) != 4) continue;
        if (!is_peer(&p) || !(p.seconds > 0)) continue;
        p.seconds *= 1e-6;
        if (B->peers == room) {
            room = 2 * room + 64;
            B->peer = (peer_line *)realloc(B->peer, (size_t)room * sizeof p);
            if (!B->peer) fail(WRONG, "out of memory");
        }
        B->peer[B->peers++] = p;
    }
    fclose(f);
    if (!B->peers) fail(MISUSED, "%s has no line of a peer", B->peers_file);
}

/* The peer whose median over its rounds is least. */
static peer best_peer(const bench *B, const workload *w, int threads)
{
    peer best = { NULL, 0 };
    int i, k;
    for (i = 0; i < B->peers; i++) {
        const peer_line *p = &B->peer[i];
        double v[MOST_ROUNDS], seconds;
        int n = 0;
        if (strcmp(p->workload, w->name) || p->threads != threads) continue;
        for (k = 0; k < B->peers && n < MOST_ROUNDS; k++)
            if (same_peer(p, &B->peer[k])) v[n++] = B->peer[k].seconds;
        seconds = median_of(v, n);
        if (best.name && seconds >= best.seconds) continue;
        best.name = p->name;
        best.seconds = seconds;
    }
    return best;
}

/* --- where this runs --- */
static void look_around(bench *B)
{
    static const char *const isas[] = { "auto", "base", "avx2", "avx512", "avx512_bf16" };
    hy_frame *F = hy_open(NULL);
    FILE *f = fopen("/proc/cpuinfo", "r");
    char text[200];
    time_t now = time(NULL);
    strcpy(B->machine, "unknown processor");
    while (f && fgets(text, sizeof text, f))
        if (sscanf(text, "model name%*[ \t:]%99[^\n]", B->machine) == 1) break;
    if (f) fclose(f);
    if (!F) fail(WRONG, "out of memory");
    B->isa = isas[hy_isa(F)];
    B->cores = hy_threads(F);
    hy_close(F);
    strftime(B->date, sizeof B->date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
}

/* MARK: - results: table, JSON, page -------------------------------------------------------------------- */

/* "8.01 us": three digits and a unit. */
static const char *short_time(double seconds, char *text, size_t bytes)
{
    static const struct { double least; const char *unit; } units[] = {
        { 1, "s" }, { 1e-3, "ms" }, { 1e-6, "us" }, { 0, "ns" } };
    int i = 0;
    double v;
    if (!(seconds > 0)) return strcpy(text, "WRONG");
    while (seconds < units[i].least) i++;
    v = seconds / (i < 3 ? units[i].least : 1e-9);
    snprintf(text, bytes, "%.*f %s", v < 10 ? 2 : v < 100 ? 1 : 0, v, units[i].unit);
    return text;
}

static const char *time_text(const workload *w, double seconds, char *text, size_t bytes)
{
    if (!(seconds > 0) || !w->in_seconds) return short_time(seconds, text, bytes);
    snprintf(text, bytes, "%.4f s", seconds);
    return text;
}

/* "41.0 GF/s", GB/s where memory limits, the memory held where work says nothing; "" if nothing does. */
static const char *rate_text(const workload *w, const timing *t, char *text, size_t bytes)
{
    const char *unit = w->bytes > 0 ? "GB/s" : "GF/s";
    double seconds = seconds_of(t), rate;
    *text = 0;
    if (!(seconds > 0)) return text;
    rate = (w->bytes > 0 ? w->bytes : w->flops) * 1e-9 / seconds;
    if (w->what == &starting) snprintf(text, bytes, "%.2f MiB", (double)t->held / (1 << 20));
    else if (rate > 0) snprintf(text, bytes, "%.*f %s", rate < 100 ? 1 : 0, rate, unit);
    return text;
}

static const char *ratio_text(double a, double b, char *text, size_t bytes)
{
    *text = 0;
    if (a > 0 && b > 0) snprintf(text, bytes, "%.2f", a / b);
    return text;
}

static void print_table(const bench *B)
{
    char a[24], b[24], c[24], d[24], e[24], f[24];
    const char *group = NULL;
    int i, k;
    printf("hybrid.h %s, %s, %s, %d core%s, %s\n", hy_version(), B->machine, B->isa, B->cores,
           B->cores == 1 ? "" : "s", B->date);
    printf("%-20s %7s %12s %10s %10s %10s %6s%s\n", "", "threads", "line by line", "", "compiled", "",
           "ratio", B->peers ? "      peer  best peer (compiled / peer)" : "");
    for (i = 0; i < WORKLOADS; i++) {
        const workload *w = &workloads[i];
        if (!wanted(B, w)) continue;
        if (group != w->group) printf("%s\n", w->group);
        group = w->group;
        for (k = 0; k < B->threads; k++) {
            const timing *t = B->at[i][k];
            double line = seconds_of(&t[LINE_BY_LINE]), compiled = seconds_of(&t[COMPILED]);
            peer p = best_peer(B, w, B->thread[k]);
            printf("%-20s %7d %12s %10s %10s %10s %6s", w->name, B->thread[k],
                   time_text(w, line, a, sizeof a), rate_text(w, &t[LINE_BY_LINE], b, sizeof b),
                   time_text(w, compiled, c, sizeof c), rate_text(w, &t[COMPILED], d, sizeof d),
                   ratio_text(compiled, line, e, sizeof e));
            if (p.name)
                printf(" %10s  %s (%s)", time_text(w, p.seconds, a, sizeof a), p.name,
                       ratio_text(compiled, p.seconds, f, sizeof f));
            printf("\n");
        }
    }
}

/* Text in quotes, for JSON. */
static void json_text(const char *s)
{
    putchar('"');
    for (; *s; s++) {
        if (*s == '"' || *s == '\\') printf("\\%c", *s);
        else if ((unsigned char)*s < ' ') printf("\\u%04x", (unsigned)*s);
        else putchar(*s);
    }
    putchar('"');
}

static void json_result(const bench *B, int at, int k, int mode)
{
    const workload *w = &workloads[at];
    const timing *t = &B->at[at][k][mode];
    double seconds = seconds_of(t), line = seconds_of(&B->at[at][k][LINE_BY_LINE]);
    peer p = best_peer(B, w, B->thread[k]);
    printf("    { \"workload\": \"%s\", \"mode\": \"%s\", \"threads\": %d, ", w->name, mode_name[mode],
           B->thread[k]);
    printf("\"checked\": \"%s\", \"off\": %.3g", B->quick && w->slow_to_check ? "line by line" : "reference",
           t->off > 1e9 ? 1e9 : t->off);
    if (t->rounds) {
        printf(", \"seconds\": %.9g, \"fifth_percentile\": %.9g", seconds, middle(t->fast, t->rounds));
        if (w->flops > 0) printf(", \"gflops\": %.6g", w->flops * 1e-9 / seconds);
        if (w->bytes > 0) printf(", \"gbytes\": %.6g", w->bytes * 1e-9 / seconds);
        if (mode == COMPILED && line > 0) printf(", \"ratio\": %.4g", seconds / line);
        printf(", \"held_bytes\": %.0f", (double)t->held);
        if (p.name) {
            printf(", \"peer\": ");
            json_text(p.name);
            printf(", \"peer_seconds\": %.9g, \"peer_ratio\": %.4g", p.seconds, seconds / p.seconds);
        }
    } else printf(", \"wrong\": true");
    printf(" }");
}

static void print_json(const bench *B)
{
    const char *between = "";
    int i, k, mode;
    printf("{\n  \"library\": \"hybrid.h\", \"version\": \"%s\", \"machine\": ", hy_version());
    json_text(B->machine);
    printf(", \"isa\": \"%s\", \"cores\": %d,\n", B->isa, B->cores);
    printf("  \"date\": \"%s\", \"rounds\": %d, \"quick\": %s,\n  \"results\": [\n", B->date, B->rounds,
           B->quick ? "true" : "false");
    for (i = 0; i < WORKLOADS; i++)
        for (k = 0; wanted(B, &workloads[i]) && k < B->threads; k++)
            for (mode = 0; mode < MODES; mode++, between = ",\n") {
                fputs(between, stdout);
                json_result(B, i, k, mode);
            }
    printf("\n  ]\n}\n");
}

/* --- the page --- */
/* The library's style, and rows of dots: the farther left one is, the faster. */
static const char page_style[] =
    "<style>.row{display:grid;grid-template-columns:9.5rem 1fr 7.8rem;gap:0 .8rem;align-items:center;padding:.22rem 0}"
    ".row>:last-child{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums;font-size:.85rem}"
    ".row>:first-child{font:600 .8rem ui-monospace,monospace}.row small{color:var(--dim);font:inherit;font-weight:400}"
    ".lane{position:relative;height:1.1rem;margin:0 1.4rem;border-right:1px solid var(--rule);"
    "background:repeating-linear-gradient(90deg,var(--rule) 0 1px,#0000 1px var(--decade))}"
    ".lane i,.lane u{position:absolute;top:50%}.lane u{height:2px;margin-top:-1px;background:var(--c)}"
    ".lane i{width:.8rem!important;height:.8rem;margin:-.4rem;border-radius:50%}.lane i.b{border-radius:2px;"
    "rotate:45deg;scale:.85}.axis .lane{background:none;border:0}"
    ".axis small{position:absolute;transform:translateX(-50%);font-size:.75rem;white-space:nowrap}"
    ".key i.c{width:.8em}.key i{border-radius:50%}.key i.b{border-radius:2px;rotate:45deg;scale:.85}"
    "@media(max-width:40rem){.row{grid-template-columns:1fr auto}.row .lane{grid-row:2;grid-column:1/3}"
    ".axis>:not(.lane){display:none}}</style>\n";

static void html_text(FILE *f, const char *s)
{
    for (; *s; s++) {
        if (*s == '<') fputs("&lt;", f);
        else if (*s == '&') fputs("&amp;", f);
        else if (*s == '"') fputs("&quot;", f);
        else putc(*s, f);
    }
}

static double longest_bar(const bench *B, int at)
{
    double longest = 0;
    int k, mode;
    for (k = 0; k < B->threads; k++) {
        peer p = best_peer(B, &workloads[at], B->thread[k]);
        if (p.seconds > longest) longest = p.seconds;
        for (mode = 0; mode < MODES; mode++)
            if (seconds_of(&B->at[at][k][mode]) > longest) longest = seconds_of(&B->at[at][k][mode]);
    }
    return longest;
}

/* Powers of ten between which the times of a group lie. */
typedef struct { int low, high; } decades;
static void in_decades(decades *d, double seconds)
{
    int low = seconds > 0 ? (int)floor(log10(seconds)) : 0;
    if (!(seconds > 0)) return;
    if (low < d->low || d->low > d->high) d->low = low;
    if (low >= d->high) d->high = low + 1;          /* none so far: the lowest of all */
}

static decades decades_of(const bench *B, const char *group)
{
    decades d = { 1, -100 };
    int i, k, mode;
    for (i = 0; i < WORKLOADS; i++)
        for (k = 0; k < B->threads && wanted(B, &workloads[i]) && workloads[i].group == group; k++) {
            for (mode = 0; mode < MODES; mode++) in_decades(&d, seconds_of(&B->at[i][k][mode]));
            in_decades(&d, best_peer(B, &workloads[i], B->thread[k]).seconds);
        }
    return d;
}

static double percent_of(decades d, double seconds) { return 100 * (log10(seconds) - d.low) / (d.high - d.low); }

static void html_axis(FILE *f, decades d)
{
    static const int all[] = { 1, 2, 5 };
    int i, k, each = d.high - d.low > 4 ? 2 : 1;
    fprintf(f, "<div class=\"row axis\"><span></span><div class=\"lane\">");
    for (i = d.low; i <= d.high; i += each)
        for (k = 0; k < (d.high - d.low > 1 || i == d.high ? 1 : 3); k++) {
            double v = all[k] * pow(10, i), unit = v < 0.9999e-6 ? 1e9 : v < 0.9999e-3 ? 1e6 : v < 0.9999 ? 1e3 : 1;
            fprintf(f, "<small style=\"left:%.2f%%\">%.4g %s</small>", percent_of(d, v), v * unit,
                    unit > 1e8 ? "ns" : unit > 1e5 ? "us" : unit > 1 ? "ms" : "s");
        }
    fprintf(f, "</div><span></span></div>\n");
}

static void html_dot(FILE *f, decades d, const char *colour, double seconds)
{
    if (seconds > 0) fprintf(f, "<i class=\"%s\" style=\"left:%.2f%%\"></i>", colour, percent_of(d, seconds));
}

/* A row: name, dots on a line from the fastest to the slowest, time of the compiled one and what it gains. */
static void html_workload(const bench *B, FILE *f, int at, int k, decades d)
{
    const workload *w = &workloads[at];
    const timing *t = B->at[at][k];
    peer p = best_peer(B, w, B->thread[k]);
    double line = seconds_of(&t[LINE_BY_LINE]), compiled = seconds_of(&t[COMPILED]), low = 0, high = 0;
    double all[3];
    char text[24], rate[24];
    int i;
    all[0] = line;
    all[1] = compiled;
    all[2] = p.name ? p.seconds : 0;
    for (i = 0; i < 3; i++) {
        if (all[i] > 0 && (!(low > 0) || all[i] < low)) low = all[i];
        if (all[i] > high) high = all[i];
    }
    fprintf(f, "<div class=\"row\" data-t=\"%s, %d thread%s", w->name, B->thread[k], B->thread[k] == 1 ? "" : "s");
    for (i = 0; i < MODES; i++)
        fprintf(f, "\n%s: %s %s", mode_name[i], short_time(all[i], text, sizeof text),
                rate_text(w, &t[i], rate, sizeof rate));
    if (p.name) {
        fprintf(f, "\n");
        html_text(f, p.name);
        fprintf(f, ": %s", short_time(p.seconds, text, sizeof text));
    }
    fprintf(f, "\"><span>%s", w->name);
    if (B->threads > 1) fprintf(f, " <small>&times;%d</small>", B->thread[k]);
    fprintf(f, "</span><div class=\"lane\" style=\"--decade:%.4f%%\">", 99.99 / (d.high - d.low));
    if (high > 0)
        fprintf(f, "<u style=\"left:%.2f%%;width:%.2f%%\"></u>", percent_of(d, low),
                percent_of(d, high) - percent_of(d, low));
    html_dot(f, d, "c", line);
    html_dot(f, d, "b", all[2]);
    html_dot(f, d, "a", compiled);
    fprintf(f, "</div><span>%s", short_time(compiled, text, sizeof text));
    if (line > 0 && compiled > 0) fprintf(f, " <small>&times; %.3g</small>", line / compiled);
    fprintf(f, "</span></div>\n");
}

/* The geometric mean of what compiling gains, or of how the best of others compares with it. */
static double mean_gain(const bench *B, int others, int *n)
{
    double sum = 0;
    int i, k;
    for (*n = i = 0; i < WORKLOADS; i++)
        for (k = 0; k < B->threads && wanted(B, &workloads[i]); k++) {
            double compiled = seconds_of(&B->at[i][k][COMPILED]), other = seconds_of(&B->at[i][k][LINE_BY_LINE]);
            if (others) other = best_peer(B, &workloads[i], B->thread[k]).seconds;
            if (!(compiled > 0) || !(other > 0)) continue;
            sum += log(other / compiled);
            ++*n;
        }
    return *n ? exp(sum / *n) : 0;
}

static int workloads_of(const bench *B)
{
    int i, n = 0;
    for (i = 0; i < WORKLOADS; i++) n += wanted(B, &workloads[i]);
    return n;
}

static void html_tiles(const bench *B, FILE *f)
{
    double gain;
    int n, others;
    fprintf(f, "<section class=\"all tiles\"><div><strong>%d</strong>workloads</div>", workloads_of(B));
    for (others = 0; others < 2; others++) {
        gain = mean_gain(B, others, &n);
        if (n) fprintf(f, "<div><strong>%.3g &times;</strong>%s, mean of %d</div>", gain,
                       others ? "the speed of the best of others" : "the speed of line by line", n);
    }
    fprintf(f, "<div><strong>%s</strong>instructions</div><div><strong>%d</strong>core%s</div>", B->isa, B->cores,
            B->cores == 1 ? "" : "s");
    fprintf(f, "<div class=\"all key\"><span><i class=\"c\"></i>line by line</span><span><i class=\"a\"></i>compiled"
            "</span>%s</div></section>\n", B->peers_file ? "<span><i class=\"b\"></i>best of others</span>" : "");
}

static void write_page(const bench *B)
{
    const char *checked = B->quick ? "" : " Each result was first compared with plain loops in double.";
    FILE *f = fopen(B->html, "w");
    const char *group = NULL;
    decades d = { 0, 1 };
    int i, k;
    if (!f) fail(MISUSED, "%s cannot be written", B->html);
    fprintf(f, "%s<title>hybrid.h benchmark</title>%s</head><body>\n<h1>hybrid.h benchmark</h1>\n<p>Version %s, ",
            hy_page_text(HY_PAGE_HEAD), page_style, hy_version());
    html_text(f, B->machine);
    fprintf(f, ", %.10s. Time of one call, median of %d round%s; farther left is faster, a step of the grid is ten "
            "times. At the right the compiled one, and how many times the speed of line by line that is.%s</p>\n<main>",
            B->date, B->rounds, B->rounds == 1 ? "" : "s", checked);
    html_tiles(B, f);
    for (i = 0; i < WORKLOADS; i++) {
        if (!wanted(B, &workloads[i])) continue;
        if (group != workloads[i].group) {
            fprintf(f, group ? "</section>\n<section><h2>" : "<section><h2>");
            html_text(f, workloads[i].group);
            fprintf(f, "</h2>\n");
            group = workloads[i].group;
            html_axis(f, d = decades_of(B, group));
        }
        for (k = 0; k < B->threads; k++) html_workload(B, f, i, k, d);
    }
    fprintf(f, "</section></main>\n%s", hy_page_text(HY_PAGE_END));
    if (fclose(f)) fail(WRONG, "%s cannot be written", B->html);
}

/* The same bars as one picture, on one thread: what fits into a README. */
enum { SVG_WIDTH = 760, SVG_LEFT = 150, SVG_BAR = 460, SVG_ROW = 44, SVG_TOP = 64 };

static void svg_bar(FILE *f, const workload *w, int y, const char *colour, double seconds, double longest)
{
    char text[24];
    int width = longest > 0 ? (int)(SVG_BAR * seconds / longest + 0.5) : 0;
    fprintf(f, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"12\" rx=\"2\" fill=\"%s\"/>"
            "<text x=\"%d\" y=\"%d\">%s</text>\n", SVG_LEFT, y, width < 2 ? 2 : width, colour,
            SVG_LEFT + width + 8, y + 10, time_text(w, seconds, text, sizeof text));
}

static void write_picture(const bench *B)
{
    static const char *const colour[MODES + 1] = { "#9aa4b2", "#2f6fde", "#c98a1b" };
    FILE *f = fopen(B->svg, "w");
    int i, mode, y = SVG_TOP, rows = 0;
    if (!f) fail(MISUSED, "%s cannot be written", B->svg);
    for (i = 0; i < WORKLOADS; i++) rows += wanted(B, &workloads[i]);
    fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"Helvetica, "
            "Arial, sans-serif\" font-size=\"11\" fill=\"#1d2126\">\n<rect width=\"100%%\" height=\"100%%\" "
            "fill=\"#fff\"/>\n<text x=\"16\" y=\"24\" font-size=\"15\" font-weight=\"bold\">hybrid.h: time of one "
            "call, shorter is better</text>\n<text x=\"16\" y=\"44\" fill=\"#555\">%s, ", SVG_WIDTH,
            SVG_TOP + rows * SVG_ROW + 8, hy_version());
    html_text(f, B->machine);
    fprintf(f, ", %s, %d thread%s, %.10s; grey: line by line, blue: compiled%s</text>\n", B->isa, B->thread[0],
            B->thread[0] == 1 ? "" : "s", B->date, B->peers_file ? ", orange: the best of others" : "");
    for (i = 0; i < WORKLOADS; i++) {
        const workload *w = &workloads[i];
        double longest = longest_bar(B, i);
        peer p = best_peer(B, w, B->thread[0]);
        if (!wanted(B, w)) continue;
        fprintf(f, "<text x=\"16\" y=\"%d\">%s</text>\n", y + 17, w->name);
        for (mode = 0; mode < MODES; mode++)
            svg_bar(f, w, y + 13 * mode, colour[mode], seconds_of(&B->at[i][0][mode]), longest);
        if (p.name) svg_bar(f, w, y + 13 * MODES, colour[MODES], p.seconds, longest);
        y += SVG_ROW;
    }
    fprintf(f, "</svg>\n");
    if (fclose(f)) fail(WRONG, "%s cannot be written", B->svg);
}

/* MARK: - scale: what more threads than there are would give -----------------------------------------------
 *
 * A call goes through stages, each of so many items; a stage of several is handed to the loop below, which
 * times item by item. From that follows when N workers that take items in order would be done. What no loop
 * gets, runs alone.
 */
enum { MOST_WORKERS = 1024, MOST_STAGES = 4096, BARRIER_LAYERS = 32 };
typedef struct scaling {
    double  clock;                      /* seconds that asking for the time takes */
    double  alone, loops;               /* least of a call outside of loops; this call's within */
    double *item;                       /* least of each, stage by stage */
    int64_t items, room, n[MOST_STAGES];
    int     stages;
} scaling;

/* What a call would take, and of it: in what runs alone, in stages of few items. */
typedef struct prediction { double seconds, alone, few; int stages; } prediction;

static void scaled_stage(void *user, int64_t n, hy_item_fn fn, void *arg)
{
    scaling *s = (scaling *)user;
    const double from = hy_seconds();
    double start = from, now = from;
    int64_t i;
    if (s->stages < MOST_STAGES) s->n[s->stages++] = n;
    else fail(WRONG, "more than %d stages", MOST_STAGES);
    while (s->items + n > s->room) {
        const int64_t room = 2 * s->room + 1024;
        s->item = (double *)realloc(s->item, (size_t)room * sizeof *s->item);
        if (!s->item) fail(WRONG, "out of memory");
        for (; s->room < room; s->room++) s->item[s->room] = 1e9;
    }
    for (i = 0; i < n; i++, start = now) {
        double *least = &s->item[s->items++];
        fn(arg, i, 0);
        now = hy_seconds();
        if (now - start - s->clock < *least) *least = now - start - s->clock;
        if (*least < 0) *least = 0;
    }
    s->loops += now - from + s->clock;
}

static double clock_seconds(void)
{
    const double start = hy_seconds();
    double last = start;
    int i;
    for (i = 0; i < 10000; i++) last = hy_seconds();
    return (last - start) / 10000;
}

static void scaled_call(trial *t, scaling *s)
{
    double alone;
    s->loops = 0;
    s->items = s->stages = 0;
    alone = time_calls(t, 1);
    alone -= s->loops;
    if (alone < s->alone) s->alone = alone;
}

static prediction predict(const scaling *s, int workers, double barrier)
{
    prediction p = { 0, 0, 0, 0 };
    double busy[MOST_WORKERS];
    int64_t i, at = 0;
    int stage, k;
    for (stage = 0; stage < s->stages; stage++) {
        double longest = 0;
        memset(busy, 0, sizeof busy);
        for (i = 0; i < s->n[stage]; i++) {
            int first = 0;
            for (k = 1; k < workers; k++) if (busy[k] < busy[first]) first = k;
            busy[first] += s->item[at++];
            if (busy[first] > longest) longest = busy[first];
        }
        p.seconds += longest + barrier;
        if (s->n[stage] < workers) p.few += longest;
    }
    p.stages = s->stages;
    p.alone = s->alone;
    p.seconds += s->alone;
    return p;
}

/* The least of a call's time by one thread, what is predicted and, where there are so many cores, measured. */
typedef struct scaled { double one, real; prediction by; } scaled;
static scaled scale_trial(const bench *B, const workload *w, int workers, double barrier)
{
    static scaling s;
    trial t[3];
    scaled y = { 1e9, 1e9, { 0, 0, 0, 0 } };
    double *real[3];
    const int trials = workers <= B->cores ? 3 : 2;
    const double until = hy_seconds() + 3 * B->seconds;
    double seconds;
    int i, turns;
    memset(t, 0, sizeof t);
    real[0] = &y.one;
    real[1] = NULL;
    real[2] = &y.real;
    for (i = 0; i < trials; i++) {
        t[i].work = w;
        t[i].mode = COMPILED;
        t[i].threads = i ? workers : 1;
        t[i].loop = i == 1 ? scaled_stage : NULL;
        t[i].loop_user = &s;
        open_trial(&t[i]);
        first_call(&t[i]);
    }
    s.alone = 1e9;
    s.clock = clock_seconds();
    for (i = 0; i < s.room; i++) s.item[i] = 1e9;
    for (turns = 0; turns < 5 || hy_seconds() < until; turns++) {
        for (i = 0; i < trials; i++) {
            call(&t[i]);                /* fetches weights, wakes threads */
            if (i == 1) {
                scaled_call(&t[i], &s);
                continue;
            }
            seconds = time_calls(&t[i], 1);
            if (seconds < *real[i]) *real[i] = seconds;
        }
    }
    for (i = 0; i < trials; i++) close_trial(&t[i]);
    y.by = predict(&s, workers, barrier);
    seconds = predict(&s, 1, 0).seconds;
    if (seconds < y.one) y.one = seconds;
    return y;
}

/* Many small layers, each a stage: what they take beyond what is predicted is barriers. */
static hy_block *barrier_network(hy_frame *F, const int *size)
{
    hy_block *net = hy_nn_hybrid_sequential(F);
    int i;
    for (i = 0; i < BARRIER_LAYERS; i++) hy_append(F, net, dense(F, size[1], "relu"));
    return net;
}

static hy_array *barrier_input(hy_frame *F, const int *size)
{
    return hy_normal(F, HY_SHAPE(size[0], size[1]), 0, 1);
}

static double barrier_seconds(const bench *B)
{
    static const kind layers = { barrier_network, barrier_input, NULL, one_call, NULL };
    static const workload small = { "", "barrier", &layers, { 64, 256 }, 0, 0, 0, 0, 0 };
    const scaled y = scale_trial(B, &small, B->cores, 0);
    const double excess = (y.real - y.by.seconds) / (y.by.stages ? y.by.stages : 1);
    return B->cores > 1 && excess > 0 ? excess : 0;
}

static void print_scale(const bench *B)
{
    const double barrier = B->barrier >= 0 ? B->barrier : barrier_seconds(B);
    char a[24], b[24], c[24];
    int i, k;
    printf("hybrid.h %s, %s, %s, %d core%s, %s\n", hy_version(), B->machine, B->isa, B->cores,
           B->cores == 1 ? "" : "s", B->date);
    printf("compiled, one thread and what more would give: items timed alone, %.3g us from stage to stage\n",
           1e6 * barrier);
    printf("%-20s %7s %10s %10s %6s %10s %7s %6s %6s\n", "", "threads", "one", "predicted", "gain", "measured",
           "stages", "alone", "few");
    for (i = 0; i < WORKLOADS; i++) {
        const workload *w = &workloads[i];
        if (!wanted(B, w) || w->what->once != one_call) continue;
        for (k = 0; k < B->threads; k++) {
            const scaled y = scale_trial(B, w, B->thread[k], barrier);
            printf("%-20s %7d %10s %10s %6.2f %10s %7d %5.0f%% %5.0f%%\n", w->name, B->thread[k],
                   short_time(y.one, a, sizeof a), short_time(y.by.seconds, b, sizeof b), y.one / y.by.seconds,
                   B->thread[k] <= B->cores ? short_time(y.real, c, sizeof c) : "", y.by.stages,
                   100 * y.by.alone / y.by.seconds, 100 * y.by.few / y.by.seconds);
            fflush(stdout);
        }
    }
}

/* MARK: - the command line ------------------------------------------------------------------------------ */

static const char usage[] =
    "usage: bench [NAME OR PART OF ONE ...] [OPTION ...]\n"
    "\n"
    "Times hybrid.h line by line and compiled; each result is checked first. The exit code is 1 when one is\n"
    "wrong, 2 when the command line is.\n"
    "\n"
    "  --threads 1,2     numbers of threads; without it 1 and as many as there are cores\n"
    "  --scale 16        what so many threads would give compiled networks: items are timed alone, and workers\n"
    "                    that take them in order are simulated; alone: the share of what runs in one piece,\n"
    "                    few: of stages with fewer items than threads\n"
    "  --barrier 1.2     microseconds from stage to stage for that, else measured with the cores there are\n"
    "  --rounds 3        rounds over all workloads; medians of them are shown\n"
    "  --seconds 0.3     time for each workload, mode and number of threads in a round\n"
    "  --quick           one round of 0.02 s; what takes plain loops seconds is compared with line by line\n"
    "  --list            the names\n"
    "  --json            results for programs\n"
    "  --lines           one line per result as it comes: R, workload, peer, threads, median us,\n"
    "                    5th percentile us, GFLOP/s, with tabs between\n"
    "  --html FILE       also a page\n"
    "  --svg FILE        also a picture with bars, of the first number of threads\n"
    "  --onnx FOLDER     times nothing, but writes the networks into ONNX files\n"
    "  --peers FILE      such lines of other programs: the best is shown beside ours; names that begin with\n"
    "                    hand- are left out\n"
    "\n"
    "HYBRID_ISA=base, avx2, avx512 or avx512_bf16 in the environment takes these kernels.\n";

static double number_option(const char *name, const char *text, double least, double most)
{
    char *behind;
    double v = strtod(text, &behind);
    if (behind == text || *behind || !(v >= least && v <= most))
        fail(MISUSED, "%s %s: a number from %g to %g is due here", name, text, least, most);
    return v;
}

static void threads_option(bench *B, const char *text)
{
    char *behind;
    do {
        long n = strtol(text, &behind, 10);
        if (behind == text || n < 1 || n > 1024 || B->threads == MOST_THREADS || (*behind && *behind != ','))
            fail(MISUSED, "--threads %s: numbers from 1 on are due here, with commas between", text);
        B->thread[B->threads++] = (int)n;
        text = behind + 1;
    } while (*behind);
}

static void list_workloads(void)
{
    const char *group = NULL;
    int i;
    for (i = 0; i < WORKLOADS; i++) {
        if (group != workloads[i].group) printf("%s\n", workloads[i].group);
        group = workloads[i].group;
        printf("    %s\n", workloads[i].name);
    }
}

/* Better now than when everything has been timed. */
static const char *file_option(const char *file)
{
    FILE *f = fopen(file, "a");
    if (!f) fail(MISUSED, "%s cannot be written", file);
    fclose(f);
    return file;
}

static void value_option(bench *B, const char *name, const char *value)
{
    if (!value) fail(MISUSED, "%s: a value is due here", name);
    if (!strcmp(name, "--threads")) threads_option(B, value);
    else if (!strcmp(name, "--scale")) {
        B->scale = 1;
        threads_option(B, value);
    } else if (!strcmp(name, "--barrier")) B->barrier = 1e-6 * number_option(name, value, 0, 1e6);
    else if (!strcmp(name, "--rounds")) B->rounds = (int)number_option(name, value, 1, MOST_ROUNDS);
    else if (!strcmp(name, "--seconds")) B->seconds = number_option(name, value, 0.001, 3600);
    else if (!strcmp(name, "--html")) B->html = file_option(value);
    else if (!strcmp(name, "--svg")) B->svg = file_option(value);
    else if (!strcmp(name, "--onnx")) B->onnx = value;
    else B->peers_file = value;
}

static void read_options(bench *B, char **word)
{
    static const char with_value[] = "--threads --scale --barrier --rounds --seconds --html --svg --onnx --peers ";
    for (; *word; word++) {
        const char *s = *word, *known = strstr(with_value, s);
        if (strncmp(s, "--", 2)) {
            if (B->filters == MOST_FILTERS) fail(MISUSED, "too many names");
            B->filter[B->filters++] = s;
        } else if (known && known[strlen(s)] == ' ') {
            value_option(B, s, word[1]);
            word++;
        } else if (!strcmp(s, "--quick")) B->quick = 1;
        else if (!strcmp(s, "--json")) B->json = 1;
        else if (!strcmp(s, "--lines")) B->lines = 1;
        else if (!strcmp(s, "--list")) {
            list_workloads();
            exit(FINE);
        } else if (!strcmp(s, "--help")) {
            fputs(usage, stdout);
            exit(FINE);
        } else fail(MISUSED, "no option %s (bench --help)", s);
    }
}

static void fill_in_options(bench *B)
{
    int i, found = 0;
    if (B->scale && (B->json || B->lines || B->html || B->svg)) fail(MISUSED, "--scale prints a table only");
    if (B->json && B->lines) fail(MISUSED, "--json and --lines are not possible together");
    if (!B->rounds) B->rounds = B->quick ? 1 : 3;
    if (!(B->seconds > 0)) B->seconds = B->quick ? 0.02 : 0.3;
    if (!B->threads) {
        B->thread[B->threads++] = 1;
        if (B->cores > 1) B->thread[B->threads++] = B->cores;
    }
    for (i = 0; i < WORKLOADS; i++) found += wanted(B, &workloads[i]);
    if (!found) fail(MISUSED, "no workload has such a name (bench --list)");
    if (B->peers_file) read_peers(B);
}

/* Networks as files, for other programs to be timed with; not steps of training, nor what a start-up takes. */
static void write_files(const bench *B)
{
    char file[1000];
    int i;
    for (i = 0; i < WORKLOADS; i++) {
        trial t = { 0 };
        if (!wanted(B, &workloads[i]) || workloads[i].what->once != one_call) continue;
        if (snprintf(file, sizeof file, "%s/%s.onnx", B->onnx, workloads[i].name) >= (int)sizeof file)
            fail(MISUSED, "--onnx %s: the name is too long", B->onnx);
        t.work = &workloads[i];
        t.threads = 1;
        open_trial(&t);
        first_call(&t);
        if (!hy_onnx_save(t.F, t.net, t.x, file, 0)) printf("%s\n", file);
        else {
            fprintf(stderr, "left out: %s: %s\n", workloads[i].name, hy_error(t.F));
            hy_clear(t.F);
        }
        close_trial(&t);
    }
}

/* A line that the next one overwrites; NULL leaves none. */
static void show_progress(const bench *B, int round, const char *name)
{
    if (B->lines || !stderr_is_terminal()) return;
    if (name) fprintf(stderr, "\rround %d of %d: %-24s", round + 1, B->rounds, name);
    else fprintf(stderr, "\r%50s\r", "");
    fflush(stderr);
}

static void run_rounds(bench *B)
{
    int round, i;
    for (round = 0; round < B->rounds; round++)
        for (i = 0; i < WORKLOADS; i++) {
            if (!wanted(B, &workloads[i])) continue;
            show_progress(B, round, workloads[i].name);
            visit(B, i, round);
        }
    show_progress(B, 0, NULL);
}

int main(int argc, char **argv)
{
    static bench B;
    (void)argc;
    B.barrier = -1;
    read_options(&B, argv + 1);
    look_around(&B);
    fill_in_options(&B);
    if (B.onnx) {
        write_files(&B);
        return FINE;
    }
    if (B.scale) {
        print_scale(&B);
        return FINE;
    }
    run_rounds(&B);
    if (B.json) print_json(&B);
    else if (!B.lines) print_table(&B);
    if (B.html) write_page(&B);
    if (B.svg) write_picture(&B);
    free(B.peer);
    return B.wrong ? WRONG : FINE;
}
