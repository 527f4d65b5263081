/* A batch norm behind a convolution: its scale goes into the filters as they are laid out, in each of the orders that there are. Beside
 * what runs line by line, and again after a parameter was written. And windows that lie flat in three dims. */
#include "modes.h"

typedef struct folded_case { int channels, filters, kernel, stride, groups, last, biased; } folded_case;

static const folded_case folded_cases[] = {
    {16, 80, 3, 1, 1, 1, 1}, {20, 70, 1, 1, 1, 1, 0}, {3, 17, 5, 2, 1, 0, 1},  {24, 24, 3, 1, 24, 1, 1}, {40, 40, 5, 2, 40, 0, 0},
    {64, 2, 1, 1, 1, 1, 1},  {48, 96, 3, 1, 3, 1, 1}, {64, 64, 3, 1, 1, 0, 1}, {64, 144, 3, 1, 1, 1, 0}, {64, 128, 3, 2, 1, 1, 1}
};

static float *folded_run(const folded_case *c, int threads, int compiled, int64_t *n)
{
    hy_desc desc;
    hy_frame *F;
    hy_block *net;
    hy_array *x, *y;
    hy_params all;
    hy_nn_conv_opt o;
    hy_nn_batch_norm_opt norm;
    int i, turn, gammas = 0;
    memset(&desc, 0, sizeof desc);
    memset(&o, 0, sizeof o);
    memset(&norm, 0, sizeof norm);
    desc.threads = threads;
    F = hy_open(&desc);
    hy_seed(F, 12);
    o.strides = HY_INTS(c->stride, c->stride);
    o.padding = HY_INTS(c->kernel / 2, c->kernel / 2);
    o.groups = c->groups;
    o.layout = c->last ? HY_LAYOUT_NHWC : HY_LAYOUT_NCHW;
    o.no_bias = !c->biased;
    o.bias_initializer = hy_init_uniform(1);
    norm.axis = c->last ? 3 : 1;
    net = hy_nn_sequential(F);
    hy_add_child(F, net, NULL, hy_nn_conv2d(F, c->filters, HY_INTS(c->kernel, c->kernel), &o));
    hy_add_child(F, net, NULL, hy_nn_batch_norm(F, &norm));
    x = hy_normal(F, c->last ? HY_SHAPE(2, 19, 21, c->channels) : HY_SHAPE(2, c->channels, 19, 21), 0, 0.1);
    hy_initialize(F, net, NULL);
    hy_call(F, net, x);
    all = hy_collect_params(F, net, NULL);
    if (compiled) hy_hybridize(F, net, NULL);
    for (y = NULL, turn = 0; turn < 2; turn++) {        /* the second time with other norms */
        for (i = 0; i < all.n; i++) {
            hy_array *p = all.at[i];
            if (hy_shape_of(F, p).ndim == 1) hy_assign(F, p, hy_uniform(F, hy_shape_of(F, p), 0.5, 1.5));
            gammas += strstr(hy_param_path(F, net, p), "gamma") != NULL;
        }
        y = hy_call(F, net, x);
    }
    CHECK(gammas == 2 && y != NULL);
    return modes_take(F, y, n);
}

static void folded_compare(void)
{
    size_t k;
    for (k = 0; k < sizeof folded_cases / sizeof *folded_cases; k++) {
        const folded_case *c = &folded_cases[k];
        int64_t n, m, l;
        float *plain = folded_run(c, 1, 0, &n), *fast = folded_run(c, 1, 1, &m), *again = folded_run(c, 3, 1, &l);
        modes_compare(plain, n, fast, m, again, l);
    }
}

/* --- windows of one plane in three dims --- */
typedef struct flat_case { int turned, channels, kernel, stride, pad, side; } flat_case;
static const flat_case flat_cases[] = {
    {0, 64, 3, 1, 1, 32}, {0, 64, 3, 2, 1, 33}, {0, 3, 7, 2, 3, 64}, {0, 2, 6, 2, 2, 64}, {0, 64, 5, 1, 2, 20}, {1, 64, 6, 2, 2, 20}
};

static float *flat_run(const flat_case *c, int threads, int compiled, int64_t *n)
{
    hy_desc desc;
    hy_frame *F;
    hy_block *net;
    hy_array *x;
    hy_nn_conv_opt o;
    memset(&desc, 0, sizeof desc);
    memset(&o, 0, sizeof o);
    desc.threads = threads;
    F = hy_open(&desc);
    hy_seed(F, 13);
    o.strides = HY_INTS(1, c->stride, c->stride);
    o.padding = HY_INTS(0, c->pad, c->pad);
    net = (c->turned ? hy_nn_conv3d_transpose : hy_nn_conv3d)(F, 64, HY_INTS(1, c->kernel, c->kernel), &o);
    x = hy_normal(F, HY_SHAPE(2, c->channels, 1, c->side, c->side), 0, 0.1);
    hy_initialize(F, net, NULL);
    if (compiled) hy_hybridize(F, net, NULL);
    return modes_take(F, hy_call(F, net, x), n);
}

static void flat_compare(void)
{
    size_t k;
    for (k = 0; k < sizeof flat_cases / sizeof *flat_cases; k++) {
        const flat_case *c = &flat_cases[k];
        int64_t n, m, l;
        float *plain = flat_run(c, 1, 0, &n), *fast = flat_run(c, 1, 1, &m), *again = flat_run(c, 3, 1, &l);
        modes_compare(plain, n, fast, m, again, l);
    }
}

/* One channel per group, and a plane of results in front that meets nothing but padding. */
static void flat_in_front(void)
{
    static const int64_t widths[] = { 3, 9, 17 };
    int isa, w;
    for (isa = HY_ISA_BASE; isa <= HY_ISA_AVX512; isa++)
        for (w = 0; w < 3; w++) {
            hy_desc desc;
            hy_frame *F;
            hy_convolution_opt o;
            hy_array *y;
            int64_t i;
            memset(&desc, 0, sizeof desc);
            memset(&o, 0, sizeof o);
            desc.isa = isa;
            F = hy_open(&desc);
            o.pad = HY_INTS(1, 1, 1);
            o.stride = HY_INTS(3, 1, 1);
            o.num_group = 2;
            o.no_bias = 1;
            y = hy_convolution(F, hy_ones(F, HY_SHAPE(1, 2, 1, 5, widths[w])), hy_ones(F, HY_SHAPE(2, 1, 1, 3, 3)), NULL, HY_INTS(1, 3, 3), 2, &o);
            CHECK(hy_size(F, y) == 10 * widths[w]);
            for (i = 0; i < hy_size(F, y); i++) if (((const float *)hy_data(F, y))[i] != 0) break;
            CHECK(i == hy_size(F, y));
            hy_close(F);
        }
}

static void test_folded(void)
{
    RUN(folded_compare);
    RUN(flat_compare);
    RUN(flat_in_front);
}
