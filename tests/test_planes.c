/* First layers: convolutions of few channels that lie in planes, which compiled programs copy with a border,
 * and those of one tap, which read and write planes as they lie.
 * Line by line and compiled agree, whatever window, border and rank; one and three threads give the same
 * bits; a large border is not copied. */
#include "modes.h"

typedef struct planes_case {
    int images, channels, filters, n, side[3], kernel[3], stride[3], pad[3], dilate[3], add;
} planes_case;

static const planes_case planes_cases[] = {
    {1, 3, 32, 2, {15, 17}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, 0},
    {2, 3, 64, 2, {23, 30}, {7, 7}, {2, 2}, {3, 3}, {1, 1}, 0},
    {1, 1, 16, 2, {9, 40}, {5, 5}, {1, 1}, {2, 2}, {1, 1}, 0},
    {2, 4, 33, 2, {12, 11}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, 1},
    {1, 2, 70, 2, {10, 13}, {2, 4}, {1, 3}, {0, 2}, {2, 3}, 0},
    {1, 3, 17, 2, {1, 9}, {1, 5}, {1, 1}, {0, 2}, {1, 1}, 1},
    {3, 2, 24, 1, {50}, {9}, {2}, {4}, {1}, 0},
    {1, 1, 16, 1, {7}, {3}, {1}, {1}, {2}, 0},
    {1, 3, 20, 3, {6, 7, 8}, {3, 3, 3}, {1, 2, 1}, {1, 0, 1}, {1, 1, 1}, 0},
    {2, 1, 16, 3, {4, 5, 9}, {2, 3, 3}, {2, 1, 1}, {1, 1, 0}, {1, 1, 1}, 0},
    {1, 3, 16, 2, {2, 2}, {3, 3}, {1, 1}, {9, 9}, {1, 1}, 0},
    {1, 3, 16, 2, {1, 1}, {3, 3}, {1, 1}, {4000, 4000}, {4000, 4000}, 0},
    {1, 4, 130, 2, {8, 9}, {3, 3}, {3, 3}, {1, 0}, {1, 1}, 0},
    {1, 5, 16, 2, {8, 9}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, 1},
    {1, 130, 20, 2, {5, 7}, {1, 1}, {1, 1}, {0, 0}, {1, 1}, 0},    /* one tap: as they lie */
    {2, 1030, 70, 2, {7, 7}, {1, 1}, {1, 1}, {0, 0}, {1, 1}, 0},
    {1, 40, 200, 2, {32, 32}, {1, 1}, {1, 1}, {0, 0}, {1, 1}, 1},
    {1, 150, 300, 2, {31, 36}, {1, 1}, {1, 1}, {0, 0}, {1, 1}, 0}
};

typedef struct planes_net { hy_block base; hy_block *conv; int add; } planes_net;

static hy_array *planes_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    planes_net *net = (planes_net *)self;
    hy_array *y = hy_call(F, net->conv, x);
    if (net->add) y = hy_add(F, y, hy_square(F, y));
    return hy_relu(F, y);
}

static hy_block *planes_new(hy_frame *F, const planes_case *c)
{
    planes_net *net = HY_BLOCK_NEW(F, planes_net, planes_forward);
    hy_nn_conv_opt o;
    hy_ints kernel;
    memset(&o, 0, sizeof o);
    o.bias_initializer = hy_init_uniform(1);
    o.strides = HY_INTS(c->stride[0], c->stride[1], c->stride[2]);
    o.padding = HY_INTS(c->pad[0], c->pad[1], c->pad[2]);
    o.dilation = HY_INTS(c->dilate[0], c->dilate[1], c->dilate[2]);
    o.strides.n = o.padding.n = o.dilation.n = c->n;
    net->add = c->add;
    kernel = HY_INTS(c->kernel[0], c->kernel[1], c->kernel[2]);
    kernel.n = c->n;
    net->conv = hy_add_child(F, &net->base, "conv", c->n == 1 ? hy_nn_conv1d(F, c->filters, kernel, &o)
        : c->n == 2 ? hy_nn_conv2d(F, c->filters, kernel, &o) : hy_nn_conv3d(F, c->filters, kernel, &o));
    return &net->base;
}

static float *planes_run(const planes_case *c, int threads, int compiled, int64_t *n)
{
    hy_shape s;
    hy_desc desc;
    hy_frame *F;
    hy_block *net;
    hy_array *y;
    int d;
    memset(&desc, 0, sizeof desc);
    memset(&s, 0, sizeof s);
    s.ndim = c->n + 2;
    s.dim[0] = c->images;
    s.dim[1] = c->channels;
    for (d = 0; d < c->n; d++) s.dim[d + 2] = c->side[d];
    desc.threads = threads;
    F = hy_open(&desc);
    hy_seed(F, 5);
    net = planes_new(F, c);
    hy_initialize(F, net, NULL);
    if (compiled) hy_hybridize(F, net, NULL);
    y = hy_call(F, net, hy_normal(F, s, 0, 1));
    return modes_take(F, y, n);
}

static void planes_compare(void)
{
    size_t k;
    for (k = 0; k < sizeof planes_cases / sizeof *planes_cases; k++) {
        const planes_case *c = &planes_cases[k];
        int64_t n, m, l;
        float *plain = planes_run(c, 1, 0, &n), *fast = planes_run(c, 1, 1, &m);
        float *again = planes_run(c, 3, 1, &l);
        modes_compare(plain, n, fast, m, again, l);
    }
}

static void test_planes(void) { RUN(planes_compare); }
