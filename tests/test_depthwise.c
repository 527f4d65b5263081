/* One channel per group, channels last, as compiled programs run it: every edge of tiles, chunks and bands, beside what runs line
 * by line, which has other loops; the same bits for several threads. */
#include "modes.h"

typedef struct depthwise_case { int images, channels, side[2], kernel[2], stride[2], pad[2], dilate[2]; } depthwise_case;

static const depthwise_case depthwise_cases[] = {
    {1, 1, {5, 6}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},      {1, 3, {7, 7}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {2, 4, {9, 1}, {3, 1}, {1, 1}, {1, 0}, {1, 1}},      {1, 7, {4, 9}, {3, 3}, {2, 2}, {1, 1}, {1, 1}},
    {1, 8, {6, 5}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},      {2, 15, {11, 13}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {1, 16, {3, 14}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},    {1, 17, {20, 8}, {3, 3}, {2, 2}, {1, 1}, {1, 1}},
    {2, 31, {10, 15}, {5, 5}, {1, 1}, {2, 2}, {1, 1}},   {1, 32, {29, 30}, {3, 3}, {2, 2}, {1, 1}, {1, 1}},
    {1, 33, {8, 16}, {3, 3}, {1, 1}, {0, 0}, {1, 1}},    {1, 48, {9, 17}, {3, 3}, {1, 1}, {1, 1}, {2, 2}},
    {1, 63, {7, 18}, {5, 3}, {3, 2}, {2, 1}, {1, 1}},    {2, 64, {17, 7}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {1, 65, {6, 19}, {3, 3}, {1, 3}, {1, 1}, {1, 1}},    {1, 79, {14, 14}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {1, 80, {14, 20}, {3, 3}, {2, 1}, {1, 1}, {1, 1}},   {1, 100, {5, 21}, {1, 3}, {1, 1}, {0, 1}, {1, 1}},
    {1, 127, {12, 12}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},  {1, 128, {9, 22}, {3, 3}, {1, 1}, {2, 2}, {2, 1}},
    {1, 144, {13, 10}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},  {1, 129, {4, 4}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {2, 16, {2, 2}, {3, 3}, {1, 1}, {2, 2}, {1, 1}},     {1, 16, {3, 3}, {3, 3}, {9, 9}, {5, 5}, {1, 1}},
    {1, 16, {4, 240}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},   {1, 96, {5, 230}, {3, 3}, {2, 2}, {1, 1}, {1, 1}},
    {1, 16, {1, 1}, {3, 3}, {1, 1}, {9000, 9000}, {9000, 9000}}
};

typedef struct depthwise_net { hy_block base; hy_block *conv; int adds; } depthwise_net;

static hy_array *depthwise_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    depthwise_net *net = (depthwise_net *)self;
    hy_array *y = hy_call(F, net->conv, x);
    return hy_relu(F, net->adds ? hy_add(F, y, x) : y);
}

static hy_block *depthwise_new(hy_frame *F, const depthwise_case *c)
{
    depthwise_net *net = HY_BLOCK_NEW(F, depthwise_net, depthwise_forward);
    hy_nn_conv_opt o;
    int d;
    memset(&o, 0, sizeof o);
    o.stride = HY_INTS(c->stride[0], c->stride[1]);
    o.pad = HY_INTS(c->pad[0], c->pad[1]);
    o.dilate = HY_INTS(c->dilate[0], c->dilate[1]);
    o.groups = c->channels;
    o.layout = HY_LAYOUT_NHWC;
    o.bias_init = hy_init_uniform(1);
    net->adds = 1;
    for (d = 0; d < 2; d++)
        if (c->stride[d] != 1 || 2 * c->pad[d] != (c->kernel[d] - 1) * c->dilate[d]) net->adds = 0;
    net->conv = hy_add_child(F, &net->base, "conv",
                             hy_nn_conv2d(F, c->channels, HY_INTS(c->kernel[0], c->kernel[1]), &o));
    return &net->base;
}

/* The results in mode `compiled`, for the caller to free. */
static float *depthwise_run(const depthwise_case *c, int threads, int compiled, int64_t *n)
{
    hy_desc desc;
    hy_frame *F;
    hy_block *net;
    hy_array *x, *y;
    memset(&desc, 0, sizeof desc);
    desc.threads = threads;
    F = hy_open(&desc);
    hy_seed(F, 11);
    net = depthwise_new(F, c);
    x = hy_normal(F, HY_SHAPE(c->images, c->side[0], c->side[1], c->channels), 0, 1);
    hy_initialize(F, net, NULL);
    if (compiled) hy_hybridize(F, net, NULL);
    y = hy_call(F, net, x);
    return modes_take(F, y, n);
}

static void depthwise_compare(void)
{
    size_t k;
    for (k = 0; k < sizeof depthwise_cases / sizeof *depthwise_cases; k++) {
        const depthwise_case *c = &depthwise_cases[k];
        int64_t n, m, l;
        float *plain = depthwise_run(c, 1, 0, &n), *fast = depthwise_run(c, 1, 1, &m);
        float *again = depthwise_run(c, 3, 1, &l);
        modes_compare(plain, n, fast, m, again, l);
    }
}

static void test_depthwise(void) { RUN(depthwise_compare); }
