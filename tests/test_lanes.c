/* Pooling over lines of values, and programs that lay 16 images side by side. Kernels are compared with the same operators
 * in doubles, which have other loops; compiled training with line by line, where images lie one after another. */
#include <math.h>

static uint32_t lanes_seed;
static int lanes_next(int n)
{
    lanes_seed = lanes_seed * 1664525u + 1013904223u;
    return (int)((lanes_seed >> 10) % (uint32_t)n);
}

/* --- kernels --- */
typedef struct lanes_case {
    int images, channels, size[2], lanes, kernel[2], stride[2], pad[2], end[2], smooth, full;
} lanes_case;

static lanes_case lanes_draw(void)
{
    lanes_case c;
    int d;
    do {
        c.images = 1 + lanes_next(3);
        c.channels = 1 + lanes_next(11);
        c.lanes = 16 * (1 + lanes_next(2));
        c.smooth = lanes_next(2);
        c.full = lanes_next(2);
        for (d = 0; d < 2; d++) {
            c.size[d] = 1 + lanes_next(9);
            c.kernel[d] = 1 + lanes_next(4);
            c.stride[d] = 1 + lanes_next(3);
            c.pad[d] = lanes_next(c.kernel[d]);
            c.end[d] = lanes_next(2) ? c.pad[d] : lanes_next(c.kernel[d]);
        }
    } while (c.size[0] + c.pad[0] + c.end[0] < c.kernel[0] || c.size[1] + c.pad[1] + c.end[1] < c.kernel[1]);
    return c;
}

/* Values are made in f32, so that both types see the same ones; smooth: few are alike. */
static hy_array *lanes_input(hy_frame *F, hy_shape shape, hy_dtype dtype, int smooth)
{
    hy_array *x = hy_normal(F, shape, 0, 1);
    return hy_cast(F, smooth ? x : hy_round(F, x), dtype);
}

/* The result, then the gradient of the data. */
static void lanes_run(hy_frame *F, const lanes_case *c, hy_dtype dtype, hy_array **out)
{
    hy_array *x;
    hy_backward_opt back;
    hy_pooling_opt o;
    memset(&back, 0, sizeof back);
    memset(&o, 0, sizeof o);
    hy_seed(F, 11);
    x = lanes_input(F, HY_SHAPE(c->images, c->channels, c->size[0], c->size[1], c->lanes), dtype, c->smooth);
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_record(F);
    o.stride = HY_INTS(c->stride[0], c->stride[1], 1);
    o.pad = HY_INTS(c->pad[0], c->pad[1], 0);
    o.pad_end = HY_INTS(c->end[0], c->end[1], 0);
    o.convention = c->full ? HY_CONVENTION_FULL : HY_CONVENTION_VALID;
    out[0] = hy_pooling(F, x, HY_INTS(c->kernel[0], c->kernel[1], 1), &o);
    hy_pause(F);
    back.head_grads = out[0] ? lanes_input(F, hy_shape_of(F, out[0]), dtype, 1) : NULL;
    hy_backward(F, out[0], &back);
    out[1] = hy_grad_of(F, x);
}

static void lanes_near(hy_frame *F, hy_array *x, hy_array *want, double tolerance)
{
    int64_t i, n = want ? hy_size(F, want) : 0;
    double most = 0, worst = 0;
    if (!CHECK(x && want && hy_size(F, x) == n) || !CHECK(!hy_error(F))) return;
    for (i = 0; i < n; i++) {
        double a = hy_dtype_of(F, x) == HY_F64 ? ((const double *)hy_data(F, x))[i] : ((const float *)hy_data(F, x))[i];
        double b = hy_dtype_of(F, want) == HY_F64 ? ((const double *)hy_data(F, want))[i]
                                                  : ((const float *)hy_data(F, want))[i];
        if (fabs(b) > most) most = fabs(b);
        if (!(fabs(a - b) <= worst) && !(a == b)) worst = fabs(a - b);
    }
    CHECK(worst <= tolerance * (most + 1));
}

static void lanes_poolings(void)
{
    ops_frames f;
    int k, i, t;
    ops_open_frames(&f);
    lanes_seed = 6;
    for (k = 0; k < 60; k++) {
        lanes_case c = lanes_draw();
        hy_frame *F;
        if (k < 4) {                            /* rows in several strips */
            c.channels = 5;
            c.lanes = 16;
            c.size[0] = 21 + k;
            c.size[1] = 40 - 7 * k;
        }
        for (t = 0; t < f.ones; t++) {
            hy_array *single[2], *wide[2], *four[2];
            F = f.one[t];
            hy_begin(F);
            lanes_run(F, &c, HY_F32, single);
            lanes_run(F, &c, HY_F64, wide);
            for (i = 0; i < 2; i++) lanes_near(F, single[i], wide[i], 1e-6);
            if (t == f.ones - 1) {              /* the same instruction set, four threads */
                hy_begin(f.four);
                lanes_run(f.four, &c, HY_F32, four);
                for (i = 0; i < 2; i++) rows_same(F, single[i], f.four, four[i]);
                hy_end(f.four);
            }
            hy_end(F);
        }
    }
    ops_close_frames(&f);
}

/* --- programs --- */
typedef struct lanes_net {
    hy_block base;
    hy_block *first, *norm, *second, *dense;
    int kind;
} lanes_net;
static hy_array *lanes_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    lanes_net *net = (lanes_net *)self;
    hy_pooling_opt pool;
    hy_array *y, *z;
    memset(&pool, 0, sizeof pool);
    pool.stride = HY_INTS(2, 2);
    y = hy_call(F, net->first, x);
    if (net->kind & 1) y = hy_call(F, net->norm, y);
    z = hy_relu(F, y);
    if (net->kind & 2) z = hy_add(F, z, hy_tanh(F, y));         /* relu has another reader */
    if (net->kind & 4) pool.pad = HY_INTS(1, 1);
    z = hy_pooling(F, z, net->kind & 4 ? HY_INTS(3, 3) : HY_INTS(2, 2), &pool);
    y = hy_relu(F, hy_call(F, net->second, z));
    if (net->kind & 8) y = hy_concat(F, hy_group(F, hy_flatten(F, y), hy_flatten(F, z)), 1);
    return hy_call(F, net->dense, y);
}

static lanes_net *lanes_net_new(hy_frame *F, int kind)
{
    lanes_net *net = HY_BLOCK_NEW(F, lanes_net, lanes_forward);
    hy_nn_conv_opt o;
    if (!net) return NULL;
    memset(&o, 0, sizeof o);
    net->kind = kind;
    o.padding = HY_INTS(1, 1);
    net->first = hy_add_child(F, &net->base, "first", hy_nn_conv2d(F, 5, HY_INTS(3, 3), &o));
    if (kind & 1) net->norm = hy_add_child(F, &net->base, "norm", hy_nn_batch_norm(F, NULL));
    o.strides = kind & 4 ? HY_INTS(2, 1) : HY_INTS(1, 1);
    net->second = hy_add_child(F, &net->base, "second", hy_nn_conv2d(F, 9, HY_INTS(3, 2), &o));
    net->dense = hy_add_child(F, &net->base, "dense", hy_nn_dense(F, 3, NULL));
    hy_initialize(F, &net->base, NULL);
    return net;
}

/* Loss, then gradients and values of all parameters after two steps, in `sum`, one array after another. */
static int64_t lanes_train(int kind, int threads, int images, const hy_hybridize_opt *opt, int twice, float *sum)
{
    hy_desc desc;
    hy_frame *F;
    lanes_net *net;
    hy_array *x, *loss = NULL;
    hy_params all;
    int64_t n = 0, size;
    int i, step;
    memset(&desc, 0, sizeof desc);
    desc.threads = threads;
    F = hy_open(&desc);
    hy_seed(F, 3);
    net = lanes_net_new(F, kind);
    x = hy_keep(F, hy_normal(F, HY_SHAPE(images, 2, 10, 9), 0, 1));
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    if (opt) hy_hybridize(F, &net->base, opt);
    for (step = 0; step < 2; step++) {
        hy_begin(F);
        hy_record(F);
        loss = hy_sum(F, hy_square(F, hy_call(F, &net->base, x)), HY_ALL, NULL);
        if (twice) {                    /* second order */
            hy_grad_opt o;
            memset(&o, 0, sizeof o);
            o.create_graph = 1;
            loss = hy_sum(F, hy_square(F, hy_grad(F, loss, x, &o)), HY_ALL, NULL);
        }
        hy_pause(F);
        hy_backward(F, loss, NULL);
        hy_end(F);
    }
    all = hy_collect_params(F, &net->base, NULL);
    memcpy(sum, hy_data(F, hy_grad_of(F, x)), (size_t)(n = hy_size(F, x)) * sizeof *sum);
    for (i = 0; i < all.n; i++) {
        hy_array *g = hy_grad_of(F, all.at[i]);
        size = hy_size(F, all.at[i]);
        memcpy(sum + n, hy_data(F, all.at[i]), (size_t)size * sizeof *sum);
        n += size;
        if (!g) continue;
        memcpy(sum + n, hy_data(F, g), (size_t)size * sizeof *sum);
        n += size;
    }
    CHECK(!hy_error(F));
    if (hy_error(F)) printf("%s\n", hy_error(F));
    CHECK(hy_close(F) == 0);
    return n;
}

enum { LANES_VALUES = 32 * 180 + 6000 };
static float lanes_plain[LANES_VALUES], lanes_fast[LANES_VALUES], lanes_again[LANES_VALUES];

static void lanes_compare(int kind, int images, int twice)
{
    static const int threads[] = {2, 3, 7};
    hy_hybridize_opt opt;
    int64_t n, i;
    size_t t;
    double most = 1, worst = 0;
    memset(&opt, 0, sizeof opt);
    n = lanes_train(kind, 1, images, NULL, twice, lanes_plain);
    CHECK(lanes_train(kind, 1, images, &opt, twice, lanes_fast) == n);
    for (i = 0; i < n; i++) {
        if (fabs(lanes_plain[i]) > most) most = fabs(lanes_plain[i]);
        if (!(fabs(lanes_plain[i] - lanes_fast[i]) <= worst)) worst = fabs(lanes_plain[i] - lanes_fast[i]);
    }
    CHECK_NEAR(worst / most, 0, 2e-5);
    for (t = 0; t < sizeof threads / sizeof *threads; t++) {
        CHECK(lanes_train(kind, threads[t], images, &opt, twice, lanes_again) == n);
        CHECK(!memcmp(lanes_fast, lanes_again, (size_t)n * sizeof *lanes_fast));
    }
    opt.exact = 1;
    CHECK(lanes_train(kind, 1, images, &opt, twice, lanes_again) == n);
    if (!twice && !(kind & 10)) CHECK(!memcmp(lanes_plain, lanes_again, (size_t)n * sizeof *lanes_plain));
}

static void lanes_training(void)
{
    int kind;
    for (kind = 0; kind < 16; kind++) lanes_compare(kind, kind % 3 == 2 ? 32 : 16, 0);
    lanes_compare(3, 24, 0);                  /* no multiple of 16: images stay where they are */
}

static void lanes_second_order(void)
{
    lanes_compare(0, 16, 1);
    lanes_compare(6, 16, 1);
}

/* Few channels, nothing recorded. */
static void lanes_inference(void)
{
    int kind, images;
    for (kind = 0; kind < 16; kind++)
        for (images = 16; images <= 32; images += 16) {
            hy_frame *F = hy_open(NULL);
            lanes_net *net = lanes_net_new(F, kind);
            hy_array *x = hy_normal(F, HY_SHAPE(images, 2, 10, 9), 0, 1), *y = hy_call(F, &net->base, x);
            hy_hybridize(F, &net->base, NULL);
            lanes_near(F, hy_call(F, &net->base, x), y, 2e-6);
            CHECK(hy_close(F) == 0);
        }
}

static void test_lanes(void)
{
    RUN(lanes_poolings);
    RUN(lanes_training);
    RUN(lanes_second_order);
    RUN(lanes_inference);
}
