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
    o.strides = HY_INTS(c->stride[0], c->stride[1]);
    o.padding = HY_INTS(c->pad[0], c->pad[1]);
    o.dilation = HY_INTS(c->dilate[0], c->dilate[1]);
    o.groups = c->channels;
    o.layout = HY_LAYOUT_NHWC;
    o.bias_initializer = hy_init_uniform(1);
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

/* Planes that lie one after the other, line by line: {images, channels, filters of each}, sides, kernel, stride, pad, dilate. */
typedef struct lone_case { int images, channels, each, side[2], kernel[2], stride[2], pad[2], dilate[2]; } lone_case;

/* What it should be, in double; and of the gradient of x where all of y's is 1 times itself. */
static int64_t lone_out(const lone_case *c, int d)
{
    return (c->side[d] + 2 * c->pad[d] - c->dilate[d] * (c->kernel[d] - 1) - 1) / c->stride[d] + 1;
}

static void lone_expect(const lone_case *c, const float *x, const float *w, const float *b, const float *dy, double *y,
                        double *dx)
{
    const int64_t rows = lone_out(c, 0), cols = lone_out(c, 1), filters = c->channels * c->each;
    int64_t at, n = c->images * filters * rows * cols;
    memset(dx, 0, (size_t)(c->images * c->channels * c->side[0] * c->side[1]) * sizeof *dx);
    for (at = 0; at < n; at++) {
        int64_t col = at % cols, row = at / cols % rows, plane = at / cols / rows, filter = plane % filters, i, j;
        double sum = b ? b[filter] : 0;
        for (i = 0; i < c->kernel[0]; i++) for (j = 0; j < c->kernel[1]; j++) {
            int64_t u = row * c->stride[0] + i * c->dilate[0] - c->pad[0], from;
            int64_t v = col * c->stride[1] + j * c->dilate[1] - c->pad[1];
            double weight = w[(filter * c->kernel[0] + i) * c->kernel[1] + j];
            if (u < 0 || u >= c->side[0] || v < 0 || v >= c->side[1]) continue;
            from = (plane / c->each * c->side[0] + u) * c->side[1] + v;
            sum += weight * x[from];
            dx[from] += weight * dy[at];
        }
        y[at] = sum;
    }
}

/* y and the gradient of x, in one array to be freed. */
static float *lone_run(const lone_case *c, int isa, int threads, int check)
{
    const int64_t filters = c->channels * c->each, rows = lone_out(c, 0), cols = lone_out(c, 1);
    const int64_t n = c->images * filters * rows * cols, m = (int64_t)c->images * c->channels * c->side[0] * c->side[1];
    hy_convolution_opt o;
    hy_desc desc;
    hy_frame *F;
    hy_array *x, *w, *b, *y, *dy, *dx;
    float *got = (float *)calloc((size_t)(n + m), sizeof *got);
    double *want = (double *)calloc((size_t)(n + m), sizeof *want);
    hy_backward_opt back;
    int64_t i;
    memset(&o, 0, sizeof o);
    memset(&back, 0, sizeof back);
    memset(&desc, 0, sizeof desc);
    desc.isa = isa;
    desc.threads = threads;
    F = hy_open(&desc);
    hy_seed(F, 5);
    x = hy_normal(F, HY_SHAPE(c->images, c->channels, c->side[0], c->side[1]), 0, 1);
    w = hy_normal(F, HY_SHAPE(filters, 1, c->kernel[0], c->kernel[1]), 0, 1);
    b = c->side[1] % 2 ? hy_normal(F, HY_SHAPE(filters), 0, 1) : NULL;
    dy = hy_normal(F, HY_SHAPE(c->images, filters, rows, cols), 0, 1);
    o.stride = HY_INTS(c->stride[0], c->stride[1]);
    o.pad = HY_INTS(c->pad[0], c->pad[1]);
    o.dilate = HY_INTS(c->dilate[0], c->dilate[1]);
    o.num_group = c->channels;
    o.no_bias = !b;
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_record(F);
    y = hy_convolution(F, x, w, b, HY_INTS(c->kernel[0], c->kernel[1]), (int)filters, &o);
    hy_pause(F);
    back.head_grads = dy;
    hy_backward(F, y, &back);
    dx = hy_grad_of(F, x);
    CHECK(hy_size(F, y) == n && hy_size(F, dx) == m);
    if (hy_error(F)) printf("%s\n", hy_error(F));
    if (hy_size(F, y) == n && hy_size(F, dx) == m) {
        memcpy(got, hy_data(F, y), (size_t)n * sizeof *got);
        memcpy(got + n, hy_data(F, dx), (size_t)m * sizeof *got);
    }
    if (check) {
        lone_expect(c, (const float *)hy_data(F, x), (const float *)hy_data(F, w), b ? (const float *)hy_data(F, b) : NULL,
                    (const float *)hy_data(F, dy), want, want + n);
        for (i = 0; i < n + m; i++) if (!(fabs(got[i] - want[i]) <= 2e-5)) break;
        if (!CHECK(i == n + m))
            printf("%d x %d, kernel %d x %d, isa %d: at %d of %d + %d: %g, not %g\n", c->side[0], c->side[1], c->kernel[0],
                   c->kernel[1], isa, (int)i, (int)n, (int)m, got[i], want[i]);
    }
    CHECK(hy_close(F) == 0);
    free(want);
    return got;
}

/* Each instruction set beside sums in double, and three threads with the bits of one. */
static void lone_compare(const lone_case *c)
{
    const int64_t n = (int64_t)c->images * c->channels * (c->each * lone_out(c, 0) * lone_out(c, 1) + c->side[0] * c->side[1]);
    int isa;
    for (isa = HY_ISA_BASE; isa <= HY_ISA_AVX512; isa++) {
        float *one = lone_run(c, isa, 1, 1), *three = lone_run(c, isa, 3, 0);
        CHECK(!memcmp(one, three, (size_t)n * sizeof *one));
        free(one);
        free(three);
    }
}

/* 3 x 3 over planes of all widths up to some vectors, low and high; every row and column, or every other. */
static void depthwise_lone(void)
{
    static const int height[] = { 1, 2, 3, 4, 7, 14, 33 };
    int width;
    for (width = 1; width <= 50; width++) {
        lone_case c = {1, 3, 1, {5, 5}, {3, 3}, {1, 1}, {1, 1}, {1, 1}};
        c.images = 1 + width % 2;
        c.each = 1 + (width % 5 == 0);
        c.side[0] = height[width % 7];
        c.side[1] = width;
        lone_compare(&c);
        c.channels = width % 4 ? 2 : 70;
        c.side[0] = height[(width + 3) % 7];
        lone_compare(&c);
        c.stride[0] = c.stride[1] = 2;
        lone_compare(&c);
        c.side[0]++;
        c.side[1] += 34;
        lone_compare(&c);
    }
}

static void test_depthwise(void) { RUN(depthwise_compare); RUN(depthwise_lone); }
