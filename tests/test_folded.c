/* A batch norm behind a convolution: its scale goes into the filters as they are laid out, in each of the orders that there are. Beside
 * what runs line by line, and again after a parameter was written. */
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
    o.stride = HY_INTS(c->stride, c->stride);
    o.pad = HY_INTS(c->kernel / 2, c->kernel / 2);
    o.groups = c->groups;
    o.layout = c->last ? HY_LAYOUT_NHWC : HY_LAYOUT_NCHW;
    o.no_bias = !c->biased;
    o.bias_init = hy_init_uniform(1);
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

static void test_folded(void) { RUN(folded_compare); }
