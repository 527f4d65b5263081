/* 3 x 3 windows, one channel per group, on planes as they lie: every height and width around the kernels' vectors and bands, data in
 * blocks of their exact size, beside plain loops in doubles; forward and back, one or two results of a plane. The
 * middle plane is all infinity, which must not reach its neighbours. The same bits for several threads. */
#include "modes.h"

enum { LINES_PLANES = 3, LINES_MOST = 34 };

static double lines_want(const float *x, int height, int width, int row, int column, const float *w, int back)
{
    double sum = 0;
    int t;
    for (t = 0; t < 9; t++) {
        const int y = row + t / 3 - 1, at = column + t % 3 - 1;
        if (y < 0 || y >= height || at < 0 || at >= width) continue;
        sum += (double)x[y * width + at] * (double)w[back ? 8 - t : t];
    }
    return sum;
}

static float *lines_numbers(int n, uint32_t state)
{
    float *v = (float *)malloc((size_t)n * sizeof *v);
    int i;
    for (i = 0; v && i < n; i++) v[i] = (float)(int)tb_draw(&state, 2001) / 500 - 2;
    return v;
}

static hy_array *lines_run(hy_frame *F, int height, int width, int each, int back, float *x, float *w, float *bias)
{
    hy_array *data = hy_borrow(F, HY_SHAPE(1, LINES_PLANES, height, width), HY_F32, x);
    hy_array *weight = hy_borrow(F, HY_SHAPE(LINES_PLANES * each, 1, 3, 3), HY_F32, w);
    hy_array *shift = hy_borrow(F, HY_SHAPE(LINES_PLANES * each), HY_F32, bias);
    hy_convolution_opt o;
    hy_deconvolution_opt to;
    memset(&o, 0, sizeof o);
    memset(&to, 0, sizeof to);
    o.pad = to.pad = HY_INTS(1, 1);
    o.num_group = to.num_group = LINES_PLANES;
    to.use_bias = 1;
    if (back) return hy_deconvolution(F, data, weight, shift, HY_INTS(3, 3), LINES_PLANES, &to);
    return hy_convolution(F, data, weight, shift, HY_INTS(3, 3), LINES_PLANES * each, &o);
}

static int lines_right(const float *y, int height, int width, int each, int back, const float *x, const float *w,
                       const float *bias)
{
    int i, n = height * width;
    for (i = 0; i < LINES_PLANES * each * n; i++) {
        const int filter = i / n, plane = filter / each;
        double want = lines_want(x + plane * n, height, width, i % n / width, i % width, w + filter * 9, back);
        want += (double)bias[filter];
        if (plane != 1 && !(fabs((double)y[i] - want) <= 1e-5 * (1 + fabs(want)))) return 0;
    }
    return 1;
}

static void lines_case(hy_frame *F, hy_frame *many, int height, int width, int each, int back)
{
    const int n = LINES_PLANES * height * width;
    float *x = lines_numbers(n, 5), *w = lines_numbers(LINES_PLANES * each * 9, 7), *bias = lines_numbers(LINES_PLANES * each, 9);
    hy_array *one, *all;
    int i;
    for (i = n / LINES_PLANES; i < 2 * n / LINES_PLANES; i++) x[i] = HUGE_VALF;
    hy_begin(F);
    hy_begin(many);
    one = lines_run(F, height, width, each, back, x, w, bias);
    all = lines_run(many, height, width, each, back, x, w, bias);
    CHECK(hy_data(F, one) && lines_right((const float *)hy_data(F, one), height, width, each, back, x, w, bias));
    CHECK(hy_data(F, one) && hy_data(many, all) &&
          !memcmp(hy_data(F, one), hy_data(many, all), (size_t)(n * each) * sizeof *x));
    hy_end(F);
    hy_end(many);
    free(x);
    free(w);
    free(bias);
}

static void lines_compare(void)
{
    int isa;
    int height, width;
    for (isa = HY_ISA_BASE; isa <= HY_ISA_AVX512; isa++) {
        hy_desc desc;
        hy_frame *F, *many;
        memset(&desc, 0, sizeof desc);
        desc.isa = isa;
        desc.threads = 1;
        F = hy_open(&desc);
        desc.threads = 3;
        many = hy_open(&desc);
        for (height = 1; height < 12; height++)
            for (width = 1; width <= LINES_MOST; width++) {
                lines_case(F, many, height, width, 1, 0);
                if (height % 4 == 1) lines_case(F, many, height, width, 2, 0);
                if (height % 4 == 2) lines_case(F, many, height, width, 1, 1);
            }
        CHECK(hy_close(F) == 0 && hy_close(many) == 0);
    }
}

/* A compiled convolution that stands alone has its channels last inside and first in its result: blocks of places and filters of
 * every size turn round, limited or not, in one visit or several. */
typedef struct turned_case { int channels, filters, groups, side[2], kernel, stride, relu; } turned_case;
static const turned_case turned_cases[] = {
    {3, 64, 1, {23, 31}, 7, 2, 1},     {3, 17, 1, {9, 8}, 3, 1, 0},       {16, 40, 1, {11, 5}, 3, 2, 1},
    {256, 300, 1, {7, 7}, 1, 1, 1},    {300, 200, 1, {13, 3}, 1, 1, 0},   {257, 65, 1, {6, 9}, 3, 2, 1},
    {24, 48, 3, {10, 33}, 3, 2, 0},    {32, 64, 4, {5, 112}, 5, 1, 1},    {1, 20, 1, {16, 16}, 5, 1, 1},
    {600, 33, 1, {4, 4}, 2, 1, 1},     {8, 16, 1, {1, 200}, 3, 1, 1},     {64, 130, 1, {56, 2}, 3, 2, 1},
    {1, 6, 1, {28, 28}, 5, 1, 1}
};

static float *turned_run(const turned_case *c, int isa, int threads, int compiled, int64_t *n)
{
    hy_desc desc;
    hy_nn_conv_opt o;
    hy_frame *F;
    hy_block *net;
    hy_array *x, *y;
    memset(&desc, 0, sizeof desc);
    memset(&o, 0, sizeof o);
    desc.isa = isa;
    desc.threads = threads;
    F = hy_open(&desc);
    hy_seed(F, 3);
    o.strides = HY_INTS(c->stride, c->stride);
    o.padding = HY_INTS(c->kernel / 2, c->kernel / 2);
    o.groups = c->groups;
    o.bias_initializer = hy_init_uniform(1);
    o.activation = c->relu ? "relu" : NULL;
    net = hy_nn_conv2d(F, c->filters, HY_INTS(c->kernel, c->kernel), &o);
    x = hy_normal(F, HY_SHAPE(2, c->channels, c->side[0], c->side[1]), 0, 1);
    hy_initialize(F, net, NULL);
    if (compiled) hy_hybridize(F, net, NULL);
    y = hy_call(F, net, x);
    return modes_take(F, y, n);
}

/* Line by line, compiled, and with three threads; same: with the same bits in each. */
static void turned_compare_all(const turned_case *c, size_t cases, int same)
{
    const turned_case *end = c + cases;
    for (; c < end; c++) {
        int isa;
        for (isa = HY_ISA_BASE; isa <= HY_ISA_AVX512; isa++) {
            int64_t n, m, l;
            float *plain = turned_run(c, isa, 1, 0, &n), *fast = turned_run(c, isa, 1, 1, &m);
            float *again = turned_run(c, isa, 3, 1, &l);
            if (same) CHECK(n == m && !memcmp(plain, fast, (size_t)n * sizeof *plain));
            modes_compare(plain, n, fast, m, again, l);
        }
    }
}

static void turned_compare(void)
{
    turned_compare_all(turned_cases, sizeof turned_cases / sizeof *turned_cases, 0);
}

/* Convolutions that keep their channels first when compiled have relu inside: the same bits as line by line,
 * whatever way they go: products in one visit or several, of rows or of one column; lines narrower than a
 * vector; shifted planes; tiles. */
static const turned_case limited_cases[] = {
    {3, 7, 1, {9, 11}, 1, 1, 1},       {16, 24, 1, {13, 29}, 1, 1, 1},    {5, 130, 1, {4, 3}, 1, 1, 1},
    {64, 70, 1, {23, 23}, 1, 1, 1},    {530, 12, 1, {5, 9}, 1, 1, 1},     {40, 45, 1, {1, 1}, 1, 1, 1},
    {17, 9, 1, {50, 50}, 1, 1, 1},     {12, 300, 3, {9, 10}, 1, 1, 1},    {1, 1, 1, {7, 70}, 1, 1, 1},
    {6, 6, 6, {15, 14}, 3, 1, 1},      {5, 5, 5, {70, 9}, 3, 1, 1},       {3, 3, 3, {11, 16}, 3, 1, 1},
    {2, 2, 2, {33, 35}, 3, 1, 1},      {7, 7, 7, {14, 5}, 3, 1, 1},       {4, 4, 4, {40, 41}, 3, 2, 1},
    {4, 8, 4, {12, 15}, 3, 1, 1},      {3, 9, 3, {12, 37}, 5, 1, 1},      {3, 6, 1, {20, 20}, 3, 1, 1},
    {40, 8, 1, {9, 30}, 3, 2, 1},      {20, 3, 1, {30, 17}, 3, 1, 1}
};

static void limited_compare(void)
{
    turned_compare_all(limited_cases, sizeof limited_cases / sizeof *limited_cases, 1);
}

/* The limits are inside, unless somebody else wants what there is before them. */
static hy_array *limited_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    depthwise_net *net = (depthwise_net *)self;
    hy_array *y = hy_call(F, net->conv, x);
    return net->adds ? hy_add(F, hy_relu(F, y), y) : hy_clip(F, y, -0.5, 0.5);
}

static void limited_inside(void)
{
    int adds, i;
    for (adds = 0; adds < 2; adds++) {
        hy_frame *F = hy_open(NULL);
        depthwise_net *net = HY_BLOCK_NEW(F, depthwise_net, limited_forward);
        hy_array *x = hy_normal(F, HY_SHAPE(1, 3, 9, 9), 0, 1), *y;
        hy_event e;
        int inside = 0;
        net->adds = adds;
        net->conv = hy_add_child(F, &net->base, "conv", hy_nn_conv2d(F, 5, HY_INTS(1, 1), NULL));
        hy_initialize(F, &net->base, NULL);
        y = hy_call(F, &net->base, x);
        hy_hybridize(F, &net->base, NULL);
        hy_profile(F, "");
        CHECK_NEAR(hy_value(F, hy_max(F, hy_abs(F, hy_sub(F, hy_call(F, &net->base, x), y)), HY_ALL, NULL)), 0, 1e-6);
        hy_profile(F, NULL);
        for (i = 0; !hy_profile_event(F, i, &e); i++)
            inside += e.kind == HY_EVENT_JOB && !strcmp(e.what, "_convolve_planes");
        CHECK(inside == !adds);
        CHECK(hy_close(F) == 0);
    }
}

static void test_lines(void)
{
    RUN(lines_compare);
    RUN(turned_compare);
    RUN(limited_compare);
    RUN(limited_inside);
}
