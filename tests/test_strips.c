/* A convolution, one of one channel per group that alone reads it, perhaps one of single places behind: compiled programs make them
 * line by line in one job. Every kind of each, odd sizes, edges of bands and of the ring, several images, beside what runs line by
 * line; the same bits for several threads. */
#include "modes.h"

typedef struct strips_case {
    int images, side[2], data, kernel, front_stride;    /* of the first convolution; 3 data channels lie in planes */
    int channels, stride[2], pad[2], filters, adds, biased, jobs;
} strips_case;

static const strips_case strips_cases[] = {
    {1, {57, 61}, 16, 1, 1, 80, {1, 1}, {1, 1}, 0, 0, 1, 1},    {2, {40, 53}, 24, 1, 1, 128, {1, 1}, {1, 1}, 24, 1, 1, 1},
    {1, {113, 111}, 16, 1, 1, 24, {2, 2}, {1, 1}, 24, 0, 1, 1}, {1, {84, 30}, 20, 1, 1, 108, {1, 1}, {1, 1}, 20, 1, 0, 1},
    {1, {29, 200}, 8, 1, 1, 100, {2, 1}, {1, 1}, 33, 0, 1, 1},  {1, {64, 64}, 8, 1, 1, 72, {1, 2}, {0, 0}, 40, 0, 0, 1},
    {1, {30, 64}, 16, 1, 1, 144, {1, 1}, {1, 0}, 16, 0, 1, 1},  {1, {57, 64}, 16, 1, 1, 96, {2, 2}, {0, 1}, 70, 0, 1, 1},
    {1, {225, 223}, 3, 3, 2, 32, {1, 1}, {1, 1}, 16, 0, 1, 2},  {2, {150, 161}, 3, 3, 2, 48, {2, 2}, {1, 1}, 0, 0, 1, 2},
    {1, {118, 130}, 3, 5, 1, 18, {1, 1}, {1, 1}, 17, 0, 1, 2},  {1, {62, 66}, 17, 3, 1, 65, {1, 1}, {1, 1}, 17, 1, 1, 1},
    {1, {12, 500}, 16, 1, 1, 48, {1, 1}, {1, 1}, 16, 1, 1, 1},  {1, {9000, 4}, 8, 1, 1, 16, {2, 2}, {1, 1}, 16, 0, 1, 1}
};

typedef struct strips_net { hy_block base; hy_block *part[3]; const strips_case *of; } strips_net;

static hy_array *strips_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    strips_net *net = (strips_net *)self;
    hy_array *front = hy_relu(F, hy_call(F, net->part[0], x)), *y;
    y = hy_clip(F, hy_call(F, net->part[1], front), 0, 6);
    if (net->part[2]) y = hy_call(F, net->part[2], y);
    return net->of->adds ? hy_add(F, y, x) : y;
}

static hy_block *strips_part(hy_frame *F, const strips_case *c, int k)
{
    const int kernel = k == 0 ? c->kernel : k == 1 ? 3 : 1, d = k == 1;
    hy_nn_conv_opt o;
    memset(&o, 0, sizeof o);
    o.strides = k == 0 ? HY_INTS(c->front_stride, c->front_stride) : d ? HY_INTS(c->stride[0], c->stride[1]) : HY_INTS(1, 1);
    o.padding = k == 0 ? HY_INTS(c->kernel / 2, c->kernel / 2) : d ? HY_INTS(c->pad[0], c->pad[1]) : HY_INTS(0, 0);
    if (d) o.groups = c->channels;
    o.layout = c->data == 3 ? HY_LAYOUT_NCHW : HY_LAYOUT_NHWC;
    o.no_bias = !c->biased;
    o.bias_initializer = hy_init_uniform(1);
    return hy_nn_conv2d(F, k == 2 ? c->filters : c->channels, HY_INTS(kernel, kernel), &o);
}

/* The results in mode `compiled`, for the caller to free. */
static float *strips_run(const strips_case *c, int threads, int compiled, int64_t *n)
{
    static const char *const names[] = { "front", "deep", "back" };
    hy_desc desc;
    hy_frame *F;
    strips_net *net;
    hy_array *x, *y;
    int k;
    memset(&desc, 0, sizeof desc);
    desc.threads = threads;
    F = hy_open(&desc);
    hy_seed(F, 11);
    net = HY_BLOCK_NEW(F, strips_net, strips_forward);
    net->of = c;
    for (k = 0; k < 2 + (c->filters > 0); k++)
        net->part[k] = hy_add_child(F, &net->base, names[k], strips_part(F, c, k));
    x = c->data == 3 ? hy_normal(F, HY_SHAPE(c->images, 3, c->side[0], c->side[1]), 0, 1)
                     : hy_normal(F, HY_SHAPE(c->images, c->side[0], c->side[1], c->data), 0, 1);
    hy_initialize(F, &net->base, NULL);
    if (compiled) hy_hybridize(F, &net->base, NULL);
    y = hy_call(F, &net->base, x);
#if HY__SIMD
    if (compiled) {
        const int jobs = hy_plan(F, &net->base, x).jobs;
        if (jobs != c->jobs) printf("strips: %d jobs, %d are due (%d x %d)\n", jobs, c->jobs, c->side[0], c->side[1]);
        CHECK(jobs == c->jobs);
    }
#endif
    return modes_take(F, y, n);
}

static void strips_compare(void)
{
    size_t k;
    for (k = 0; k < sizeof strips_cases / sizeof *strips_cases; k++) {
        const strips_case *c = &strips_cases[k];
        int64_t n, m, l;
        float *plain = strips_run(c, 1, 0, &n), *fast = strips_run(c, 1, 1, &m), *again = strips_run(c, 3, 1, &l);
        modes_compare(plain, n, fast, m, again, l);
    }
}

static void test_strips(void) { RUN(strips_compare); }
