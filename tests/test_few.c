/* Convolutions of few filters over planes, which compiled programs make with places side by side, perhaps with
 * relu and max pooling of 2 x 2 in the same job. Against sums in doubles, for all remainders of lines, borders,
 * odd channels and filters; threads give the same bits; NaN goes where pooling takes it. */
#include "modes.h"

typedef struct few_case {
    int images, channels, filters, side[2], kernel[2], pad[2], dilate[2], relu, pool, no_bias, few;
} few_case;

/* few: 1 if it is to become that job, with pooling in it; 2 if with pooling apart. */
static const few_case few_cases[] = {
    {1, 1, 6, {28, 28}, {5, 5}, {0, 0}, {1, 1}, 1, 1, 0, 1},
    {2, 6, 16, {12, 12}, {5, 5}, {0, 0}, {1, 1}, 1, 1, 0, 1},
    {16, 1, 6, {28, 28}, {5, 5}, {2, 2}, {1, 1}, 1, 1, 0, 1},
    {1, 3, 5, {11, 21}, {3, 3}, {1, 1}, {1, 1}, 0, 1, 0, 1},
    {1, 3, 7, {10, 27}, {3, 2}, {1, 0}, {1, 1}, 1, 1, 1, 1},
    {3, 5, 3, {9, 19}, {2, 4}, {0, 2}, {2, 1}, 1, 0, 0, 1},
    {1, 2, 2, {3, 17}, {3, 3}, {1, 3}, {1, 1}, 0, 0, 1, 1},
    {1, 17, 13, {7, 33}, {3, 3}, {1, 1}, {1, 2}, 1, 1, 0, 1},
    {1, 113, 4, {40, 24}, {3, 3}, {1, 1}, {1, 1}, 0, 1, 0, 1},
    {1, 1, 8, {90, 130}, {3, 3}, {1, 1}, {1, 1}, 1, 1, 0, 1},
    {1, 2, 9, {91, 131}, {5, 3}, {0, 0}, {1, 1}, 1, 0, 0, 1},
    {1, 1, 4, {8, 12}, {5, 5}, {0, 0}, {1, 1}, 0, 1, 0, 1},
    {1, 1, 4, {2, 40}, {3, 3}, {1, 1}, {1, 1}, 0, 1, 0, 1},
    {1, 1, 4, {1, 40}, {1, 9}, {0, 4}, {1, 1}, 1, 0, 0, 1},
    {1, 2, 6, {12, 16}, {3, 3}, {1, 1}, {1, 1}, 2, 1, 0, 1},
    {1, 2, 6, {12, 16}, {3, 3}, {1, 1}, {1, 1}, 1, 2, 0, 2},
    {1, 2, 1, {12, 16}, {3, 3}, {1, 1}, {1, 1}, 1, 1, 0, 0},
    {1, 1024, 6, {9, 9}, {1, 2}, {0, 0}, {1, 1}, 1, 0, 0, 0}
};
enum { FEW_NAN = 1000 };


typedef struct few_net { hy_block base; const few_case *c; hy_array *weight, *bias; } few_net;

static hy_array *few_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    const few_net *net = (const few_net *)self;
    const few_case *c = net->c;
    hy_convolution_opt o;
    hy_pooling_opt p;
    memset(&o, 0, sizeof o);
    memset(&p, 0, sizeof p);
    o.pad = HY_INTS(c->pad[0], c->pad[1]);
    o.dilate = HY_INTS(c->dilate[0], c->dilate[1]);
    o.no_bias = c->no_bias;
    x = hy_convolution(F, x, net->weight, net->bias, HY_INTS(c->kernel[0], c->kernel[1]), c->filters, &o);
    if (c->relu == 1) x = hy_relu(F, x);
    p.stride = HY_INTS(c->pool == 2 ? 1 : 2, 2);
    if (c->pool) x = hy_pooling(F, x, HY_INTS(2, 2), &p);
    return c->relu == 2 ? hy_clip(F, x, -0.5, 0.5) : x;
}

/* One result of the convolution, with relu. */
static double few_sum(const few_case *c, const float *x, const float *w, const float *b, int f, int row, int col)
{
    double sum = b ? b[f] : 0;
    int ch, i, j;
    for (ch = 0; ch < c->channels; ch++)
        for (i = 0; i < c->kernel[0]; i++)
            for (j = 0; j < c->kernel[1]; j++) {
                int y = row - c->pad[0] + i * c->dilate[0], z = col - c->pad[1] + j * c->dilate[1];
                if (y < 0 || y >= c->side[0] || z < 0 || z >= c->side[1]) continue;
                sum += (double)x[(ch * c->side[0] + y) * c->side[1] + z] *
                       (double)w[((f * c->channels + ch) * c->kernel[0] + i) * c->kernel[1] + j];
            }
    return c->relu == 1 && sum < 0 ? 0 : sum;
}

/* The number of results that are off; NaN must be where the reference has it. */
static int few_off(const few_case *c, const float *x, const float *w, const float *b, const float *y, int64_t n)
{
    const int down = c->pool == 1 ? 2 : 1, across = c->pool ? 2 : 1, most = c->pool ? 2 : 1;
    const int high = c->side[0] + 2 * c->pad[0] - (c->kernel[0] - 1) * c->dilate[0];
    const int wide = c->side[1] + 2 * c->pad[1] - (c->kernel[1] - 1) * c->dilate[1];
    const int rows = (high - most) / down + 1, cols = (wide - most) / across + 1;
    int image, f, row, col, i, bad = 0;
    if (n != (int64_t)c->images * c->filters * rows * cols) return -1;
    for (image = 0; image < c->images; image++, x += c->channels * c->side[0] * c->side[1])
        for (f = 0; f < c->filters; f++)
            for (row = 0; row < rows; row++)
                for (col = 0; col < cols; col++, y++) {
                    double best = -HUGE_VAL;
                    for (i = 0; i < most * most; i++) {
                        double v = few_sum(c, x, w, b, f, row * down + i / most, col * across + i % most);
                        if (v != v || v > best) best = v;
                        if (v != v) break;
                    }
                    if (c->relu == 2 && best == best) best = best < -0.5 ? -0.5 : best > 0.5 ? 0.5 : best;
                    bad += best != best ? *y == *y : !(*y == best || fabs(*y - best) <= 2e-5 * (1 + fabs(best)));
                }
    return bad;
}

/* 1: the job, 2: the job and pooling apart, 0: otherwise. */
static int few_way(hy_frame *F, hy_block *net, hy_array *x)
{
    hy_graph *g = hy_planned(F, net, x);
    hy_node node;
    int i, way = 0, pool = 0;
    for (i = 0; i < hy_graph_count(g); i++) {
        if (hy_graph_node(g, i, &node) || !node.op) continue;
        way |= node.op == &hy__few_op;
        pool |= hy__op_number(node.op) == HY_OP_pooling;
    }
    return way + (way && pool);
}

/* Compiled results, to be freed. */
static float *few_run(const few_case *c, int threads, int nan, int64_t *n)
{
    hy_desc desc;
    hy_frame *F;
    few_net *net;
    hy_array *x, *y;
    int off;
    memset(&desc, 0, sizeof desc);
    desc.threads = threads;
    F = hy_open(&desc);
    hy_seed(F, 7);
    net = HY_BLOCK_NEW(F, few_net, few_forward);
    net->c = c;
    net->weight = hy_add_param(F, &net->base, "w", HY_SHAPE(c->filters, c->channels, c->kernel[0], c->kernel[1]), NULL);
    if (!c->no_bias) net->bias = hy_add_param(F, &net->base, "b", HY_SHAPE(c->filters), NULL);
    {
        hy_init some = hy_init_uniform(1);
        hy_initialize(F, &net->base, &some);
    }
    x = hy_normal(F, HY_SHAPE(c->images, c->channels, c->side[0], c->side[1]), 0, 1);
    if (nan) {
        float *v = (float *)hy_write(F, x);
        v[c->side[1] * (c->side[0] / 2) + c->side[1] / 2] = NAN;
        v[hy_size(F, x) - 1] = HUGE_VALF;
    }
    hy_hybridize(F, &net->base, NULL);
    y = hy_call(F, &net->base, x);
    CHECK(!hy_error(F));
    off = few_off(c, (const float *)hy_data(F, x), (const float *)hy_data(F, net->weight),
                  net->bias ? (const float *)hy_data(F, net->bias) : NULL, (const float *)hy_data(F, y),
                  hy_size(F, y));
    if (!CHECK(off == 0)) printf("    few: %d off, case %d\n", off, (int)(c - few_cases));
    if (HY__SIMD && !CHECK(few_way(F, &net->base, x) == c->few))
        printf("    few: another way, case %d\n", (int)(c - few_cases));
    return modes_take(F, y, n);
}

static void few_filters(void)
{
    size_t k;
    for (k = 0; k < sizeof few_cases / sizeof *few_cases; k++) {
        int64_t n, m;
        float *one = few_run(&few_cases[k], 1, 0, &n), *three = few_run(&few_cases[k], 3, 0, &m);
        CHECK(n > 0 && n == m && !memcmp(one, three, (size_t)n * sizeof *one));
        free(one);
        free(three);
        free(few_run(&few_cases[k], 1, 1, &n));
    }
}

static void test_few(void) { RUN(few_filters); }
