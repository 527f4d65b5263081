/* Layers: shapes by formula, parameter names and shapes as MXNet's, values against the operator or a plain
 * loop, imperative = hybridized. Then containers, recurrent layers and cells, initialisers, errors. */
#ifndef HYBRID_NO_THREADS
#include <pthread.h>
#endif

static hy_array *lay_input(hy_frame *F, hy_shape shape) { return hy_normal(F, shape, 0, 1); }

/* Largest difference of two arrays of one shape; a large number where the shapes differ. */
static double lay_distance(hy_frame *F, hy_array *a, hy_array *b)
{
    hy_shape s = hy_shape_of(F, a), t = hy_shape_of(F, b);
    int64_t i, n = hy_size(F, a);
    double *p, *q, worst = 0;
    if (!a || !b || !hy__same_shape(&s, &t)) return 1e9;
    p = (double *)malloc((size_t)(n + 1) * 2 * sizeof *p);
    q = p + n + 1;
    hy_to(F, a, HY_F64, p, (size_t)n * sizeof *p);
    hy_to(F, b, HY_F64, q, (size_t)n * sizeof *q);
    for (i = 0; i < n; i++) if (!(fabs(p[i] - q[i]) <= worst)) worst = fabs(p[i] - q[i]);
    free(p);
    return worst;
}

static void lay_ok(hy_frame *F, const char *what, const char *file, int line)
{
    if (!test_check(!hy_error(F), what, file, line)) printf("    %s\n", hy_error(F));
    hy_clear(F);
}
#define LAY_OK(F) lay_ok(F, "no error", __FILE__, __LINE__)
#define LAY_NEAR(F, a, b, tolerance) test_check_near(lay_distance(F, a, b), 0, tolerance, __FILE__, __LINE__)
#define LAY_SHAPE(F, x, ...) \
    do { hy_shape got_ = hy_shape_of(F, x), want_ = HY_SHAPE(__VA_ARGS__); \
         CHECK(hy__same_shape(&got_, &want_)); } while (0)

static void lay_expect(hy_frame *F, hy_error_t code, const char *part, const char *file, int line)
{
    const char *text = hy_error(F);
    if (!test_check(hy_error_code(F) == code, hy_error_name(code), file, line) ||
        !test_check(text && strstr(text, part), part, file, line)) printf("    %s\n", text ? text : "none");
    hy_clear(F);
}
#define LAY_EXPECT(F, code, part) lay_expect(F, code, part, __FILE__, __LINE__)

/* "dense0_weight (4,3) dense0_bias (4,)" */
static const char *lay_params(hy_frame *F, hy_block *block, char *text, size_t bytes)
{
    hy_params all = hy_collect_params(F, block, NULL);
    hy__line line = hy__line_in(text, bytes);
    int i;
    for (i = 0; i < all.n; i++) {
        hy_shape s = hy_param_shape(F, all.at[i]);
        hy__say(&line, "%s%s %z", i ? " " : "", hy_name_of(F, all.at[i]), &s);
    }
    return text;
}
#define LAY_PARAMS(F, block, want) \
    do { char text_[1024]; CHECK_STR(lay_params(F, block, text_, sizeof text_), want); } while (0)

static const char *lay_describe(hy_block *block, char *text, size_t bytes)
{
    text[0] = 0;
    if (block && block->describe) block->describe(block, text, bytes);
    return text;
}
#define LAY_DESCRIBE(block, want) \
    do { char text_[512]; CHECK_STR(lay_describe(block, text_, sizeof text_), want); } while (0)

/* Gradients of all parameters for a loss, line by line and compiled: the same, and the same random numbers. */
#ifndef HYBRID_NO_TRAIN
static void lay_gradients(hy_frame *F, hy_block *block, hy_array *x, const char *file, int line)
{
    hy_params all = hy_collect_params(F, block, NULL);
    hy_array *first[32], *loss, *y;
    hy_hybridize_opt off;
    int round, i;
    memset(&off, 0, sizeof off);
    for (round = 0; round < 2; round++) {
        off.inactive = !round;
        hy_hybridize(F, block, &off);
        hy_seed(F, 5);
        hy_record(F);
        y = hy_call(F, block, x);
        loss = hy_sum(F, hy_square(F, hy_get(F, y, 0)), HY_ALL, NULL);
        for (i = 1; i < hy_count(F, y); i++) loss = hy_add(F, loss, hy_sum(F, hy_get(F, y, i), HY_ALL, NULL));
        hy_pause(F);
        hy_backward(F, loss, NULL);
        for (i = 0; i < all.n && i < 32; i++) {
            hy_array *grad = hy__param_of(all.at[i])->req ? hy_grad_of(F, all.at[i]) : NULL;
            if (!round) first[i] = grad ? hy_copy(F, grad) : NULL;
            else if (grad) test_check_near(lay_distance(F, first[i], grad), 0, 2e-4, file, line);
        }
    }
}
#endif

/* Runs the block line by line, then compiled: the same. Gives the first result. */
static hy_array *lay_both(hy_frame *F, hy_block *block, hy_array *x, const char *file, int line)
{
    hy_hybridize_opt off;
    hy_array *y, *z;
    int i, n;
    y = hy_call(F, block, x);
    hy_hybridize(F, block, NULL);
    z = hy_call(F, block, x);
    n = hy_count(F, y);
    test_check(n == hy_count(F, z), "as many outputs compiled", file, line);
    for (i = 0; i < n && !hy_error(F); i++)
        test_check_near(lay_distance(F, hy_get(F, y, i), hy_get(F, z, i)), 0, 1e-5, file, line);
    lay_ok(F, "runs both ways", file, line);
#ifndef HYBRID_NO_TRAIN
    if (hy_collect_params(F, block, NULL).n) lay_gradients(F, block, x, file, line);
#endif
    memset(&off, 0, sizeof off);
    off.inactive = 1;
    hy_hybridize(F, block, &off);
    lay_ok(F, "gradients both ways", file, line);
    return y;
}
/* The same for a block compiled before its first call, when its sizes are still open. */
static hy_array *lay_ready(hy_frame *F, hy_block *block, hy_array *x, const char *file, int line)
{
    hy_initialize(F, block, NULL);
    return lay_both(F, block, x, file, line);
}
#define LAY_RUN(F, block, x) lay_ready(F, block, x, __FILE__, __LINE__)
#define LAY_BOTH(F, block, x) lay_both(F, block, x, __FILE__, __LINE__)

/* --- dense and the like --- */
static void lay_dense(void)
{
    hy_frame *F = hy_open(NULL);
    hy_nn_dense_opt opt;
    hy_block *d = hy_nn_dense(F, 5, NULL);
    hy_array *x = lay_input(F, HY_SHAPE(2, 3, 4)), *y;
    LAY_DESCRIBE(d, "None -> 5, linear");
    y = LAY_RUN(F, d, x);
    LAY_SHAPE(F, y, 2, 5);
    LAY_PARAMS(F, d, "dense0_weight (5,12) dense0_bias (5,)");
    LAY_DESCRIBE(d, "12 -> 5, linear");
    LAY_NEAR(F, y, hy_fully_connected(F, x, hy_param(F, d, "weight"), hy_param(F, d, "bias"), 5, NULL), 0);
    CHECK(hy_value(F, hy_param(F, d, "bias"), 2) == 0);
    memset(&opt, 0, sizeof opt);
    opt.no_flatten = 1;
    opt.no_bias = 1;
    opt.activation = "tanh";
    opt.in_units = 4;
    opt.weight_initializer = hy_init_constant(0.5);
    d = hy_nn_dense(F, 6, &opt);
    y = LAY_RUN(F, d, x);
    LAY_SHAPE(F, y, 2, 3, 6);
    LAY_PARAMS(F, d, "dense1_weight (6,4)");
    LAY_DESCRIBE(d, "4 -> 6, Activation(tanh)");
    CHECK_NEAR(hy_value(F, y, 1, 2, 3),
               tanh(0.5 * (hy_value(F, x, 1, 2, 0) + hy_value(F, x, 1, 2, 1) + hy_value(F, x, 1, 2, 2) +
                           hy_value(F, x, 1, 2, 3))), 1e-6);
    LAY_OK(F);
    hy_close(F);
}

static void lay_node_names(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_nn_dense_opt opt;
    hy_block *d, *e;
    hy_array *y, *x;
    hy_var_opt var;
    memset(&opt, 0, sizeof opt);
    opt.activation = "tanh";
    opt.in_units = 10;
    opt.no_flatten = 1;
    d = hy_set_prefix(F, hy_nn_dense(F, 128, &opt), "test_");
    memset(&var, 0, sizeof var);
    var.shaped = 1;
    var.shape = HY_SHAPE(2, 3, 10);
    x = hy_var(S, "data", &var);
    y = hy_call(S, d, x);
    CHECK_STR(hy_name_of(S, y), "test_tanh_fwd");
    LAY_PARAMS(F, d, "test_weight (128,10) test_bias (128,)");
    CHECK(hy_dim(S, y, 2) == 128);
    opt.activation = "relu";
    opt.in_units = 30;
    opt.no_flatten = 0;
    e = hy_set_prefix(F, hy_nn_dense(F, 128, &opt), "test2_");
    var.shape = HY_SHAPE(17, 2, 5, 3);
    y = hy_call(S, e, hy_var(S, "data2", &var));
    CHECK_STR(hy_name_of(S, y), "test2_relu_fwd");
    CHECK(hy_dim(S, y, 0) == 17 && hy_dim(S, y, 1) == 128);
    e = hy_nn_swish(F, 1);
    y = hy_call(S, e, x);
    CHECK_STR(hy_name_of(S, y), "swish0__mul0");
    CHECK_STR(hy_name_of(S, hy_call(S, hy_nn_layer_norm(F, NULL), x)), "layernorm0_layernorm0");
    CHECK_STR(hy_name_of(S, hy_call(S, hy_nn_flatten(F), x)), "flatten0_flatten0");
    CHECK_STR(hy_name_of(S, hy_call(S, hy_nn_activation(F, "relu"), x)), "relu0_fwd");
    CHECK_STR(hy_name_of(S, hy_call(S, hy_nn_dropout(F, 0.5, NULL), x)), "dropout0_fwd");
    CHECK_STR(hy_name_of(S, hy_call(S, hy_nn_elu(F, 1), x)), "elu0_leakyrelu0");
    LAY_OK(S);
    LAY_OK(F);
    hy_close(S);
    hy_close(F);
}

static void lay_embedding_dropout_flatten(void)
{
    hy_frame *F = hy_open(NULL);
    const float ids[] = { 0, 3, 9, -1 };
    hy_nn_dropout_opt axes;
    hy_block *e = hy_nn_embedding(F, 5, 3, NULL), *d;
    hy_array *x = hy_floats(F, HY_SHAPE(2, 2), ids), *y, *w;
    int i, same = 1;
    y = LAY_RUN(F, e, x);
    LAY_SHAPE(F, y, 2, 2, 3);
    LAY_DESCRIBE(e, "5 -> 3, float32");
    LAY_PARAMS(F, e, "embedding0_weight (5,3)");
    w = hy_param(F, e, "weight");
    CHECK(hy_value(F, y, 0, 1, 2) == hy_value(F, w, 3, 2));
    CHECK(hy_value(F, y, 1, 0, 1) == hy_value(F, w, 4, 1));         /* out of range: clipped */
    CHECK(hy_value(F, y, 1, 1, 0) == hy_value(F, w, 0, 0));
    x = lay_input(F, HY_SHAPE(3));
    LAY_SHAPE(F, LAY_RUN(F, hy_nn_flatten(F), x), 3, 1);
    x = hy_ones(F, HY_SHAPE(8, 6));
    d = hy_nn_dropout(F, 0.5, NULL);
    LAY_DESCRIBE(d, "p = 0.5, axes=()");
    LAY_NEAR(F, LAY_BOTH(F, d, x), x, 0);
    memset(&axes, 0, sizeof axes);
    axes.axes = HY_AXES(1);
    d = hy_nn_dropout(F, 0.5, &axes);
    LAY_DESCRIBE(d, "p = 0.5, axes=(1,)");
#ifndef HYBRID_NO_TRAIN
    hy_set_training(F, 1);
    y = hy_call(F, d, x);
    for (i = 0; i < 48; i++) same &= hy_value(F, y, i / 6, i % 6) == hy_value(F, y, i / 6, 0);
    CHECK(same);
    LAY_NEAR(F, hy_call(F, hy_nn_dropout(F, 0, NULL), x), x, 0);
    hy_set_training(F, 0);
#else
    (void)i; (void)same;
#endif
    LAY_OK(F);
    hy_close(F);
}

static void lay_activations(void)
{
    hy_frame *F = hy_open(NULL);
    static const char *const names[] = { "relu", "sigmoid", "tanh", "softrelu", "softsign", "log_sigmoid", "mish" };
    const float v[] = { -1, 0, 2 };
    hy_nn_prelu_opt opt;
    hy_array *x = hy_floats(F, HY_SHAPE(1, 3), v), *y;
    hy_block *b;
    int i;
    for (i = 0; i < 7; i++) {
        b = hy_nn_activation(F, names[i]);
        LAY_DESCRIBE(b, names[i]);
        LAY_NEAR(F, LAY_BOTH(F, b, x), hy_activation(F, x, i), 0);
    }
    y = LAY_BOTH(F, hy_nn_leaky_relu(F, 0.1), x);
    CHECK_NEAR(hy_value(F, y, 0, 0), -0.1, 1e-7);
    CHECK(hy_value(F, y, 0, 2) == 2);
    CHECK(hy_value(F, LAY_BOTH(F, hy_nn_leaky_relu(F, 0), x), 0, 0) == 0);
    LAY_DESCRIBE(hy_nn_leaky_relu(F, 0.1), "0.1");
    CHECK_NEAR(hy_value(F, LAY_BOTH(F, hy_nn_elu(F, 2), x), 0, 0), 2 * expm1(-1), 1e-6);
    CHECK_NEAR(hy_value(F, LAY_BOTH(F, hy_nn_selu(F), x), 0, 0), 1.0507009873554805 * 1.6732632423543772 * expm1(-1),
               1e-6);
    CHECK_NEAR(hy_value(F, LAY_BOTH(F, hy_nn_gelu(F), x), 0, 2), 2 * 0.5 * (1 + erf(2 / sqrt(2))), 1e-5);
    CHECK_NEAR(hy_value(F, LAY_BOTH(F, hy_nn_swish(F, 1), x), 0, 2), 2 / (1 + exp(-2)), 1e-6);
    CHECK_NEAR(hy_value(F, LAY_BOTH(F, hy_nn_swish(F, 3), x), 0, 0), -1 / (1 + exp(3)), 1e-6);
    b = hy_nn_prelu(F, NULL);
    y = LAY_RUN(F, b, x);
    CHECK(hy_value(F, y, 0, 0) == -0.25);
    LAY_PARAMS(F, b, "prelu0_alpha (1,)");
    memset(&opt, 0, sizeof opt);
    opt.in_channels = 3;
    opt.alpha_initializer = hy_init_constant(0.5);
    b = hy_nn_prelu(F, &opt);
    y = LAY_RUN(F, b, x);
    CHECK(hy_value(F, y, 0, 0) == -0.5 && hy_value(F, y, 0, 2) == 2);
    LAY_PARAMS(F, b, "prelu1_alpha (3,)");
    LAY_OK(F);
    hy_close(F);
}

/* --- normalisation --- */
static void lay_batch_norm(void)
{
    hy_frame *F = hy_open(NULL);
    hy_nn_batch_norm_opt opt;
    hy_block *b = hy_nn_batch_norm(F, NULL);
    hy_array *x = lay_input(F, HY_SHAPE(4, 3, 5)), *y;
    LAY_DESCRIBE(b, "axis=1, eps=1e-05, momentum=0.9, fix_gamma=False, use_global_stats=False, in_channels=None");
    y = LAY_RUN(F, b, x);
    LAY_PARAMS(F, b, "batchnorm0_gamma (3,) batchnorm0_beta (3,) batchnorm0_running_mean (3,) "
               "batchnorm0_running_var (3,)");
    LAY_NEAR(F, y, hy_mul_scalar(F, x, 1 / sqrt(1 + 1e-5)), 1e-5);
    memset(&opt, 0, sizeof opt);
    opt.axis = -1;
    opt.no_scale = 1;
    opt.in_channels = 5;
    opt.gamma_initializer = hy_init_constant(3);
    opt.epsilon = 1e-3;
    b = hy_nn_batch_norm(F, &opt);
    y = LAY_RUN(F, b, x);
    LAY_DESCRIBE(b, "axis=-1, eps=0.001, momentum=0.9, fix_gamma=True, use_global_stats=False, in_channels=5");
    LAY_NEAR(F, y, hy_mul_scalar(F, x, 1 / sqrt(1 + 1e-3)), 1e-5);      /* gamma counts as 1 */
#ifndef HYBRID_NO_TRAIN
    {
        hy_array *mean, *var, *m, *loss;
        b = hy_nn_batch_norm(F, NULL);
        hy_initialize(F, b, NULL);
        hy_record(F);
        y = hy_call(F, b, x);
        loss = hy_sum(F, y, HY_ALL, NULL);
        hy_pause(F);
        hy_backward(F, loss, NULL);
        m = hy_moments(F, x, HY_AXES(0, 2), NULL);
        mean = hy_param(F, b, "running_mean");
        var = hy_param(F, b, "running_var");
        LAY_NEAR(F, mean, hy_mul_scalar(F, hy_get(F, m, 0), 0.1), 1e-6);
        LAY_NEAR(F, var, hy_add_scalar(F, hy_mul_scalar(F, hy_get(F, m, 1), 0.1), 0.9), 1e-5);
        CHECK(hy_grad_of(F, hy_param(F, b, "gamma")) != NULL);
        LAY_OK(F);
        memset(&opt, 0, sizeof opt);
        opt.use_global_stats = 1;
        b = hy_nn_batch_norm(F, &opt);
        hy_initialize(F, b, NULL);
        hy_set_training(F, 1);
        LAY_NEAR(F, hy_call(F, b, x), hy_mul_scalar(F, x, 1 / sqrt(1 + 1e-5)), 1e-5);
        hy_set_training(F, 0);
    }
#endif
    hy_cast_block(F, b, HY_F16);
    CHECK(hy_dtype_of(F, hy_param(F, b, "gamma")) == HY_F32);
    LAY_OK(F);
    hy_close(F);
}

static void lay_other_norms(void)
{
    hy_frame *F = hy_open(NULL);
    hy_nn_layer_norm_opt layer;
    hy_nn_instance_norm_opt instance;
    hy_nn_group_norm_opt group;
    hy_layer_norm_opt op;
    hy_group_norm_opt gop;
    hy_instance_norm_opt iop;
    hy_array *x = lay_input(F, HY_SHAPE(2, 6, 5)), *y;
    hy_block *b = hy_nn_layer_norm(F, NULL);
    LAY_DESCRIBE(b, "eps=1e-05, axis=-1, center=True, scale=True, in_channels=None");
    y = LAY_RUN(F, b, x);
    LAY_PARAMS(F, b, "layernorm0_gamma (5,) layernorm0_beta (5,)");
    LAY_NEAR(F, y, hy_layer_norm(F, x, hy_ones(F, HY_SHAPE(5)), hy_zeros(F, HY_SHAPE(5)), NULL), 0);
    memset(&layer, 0, sizeof layer);
    layer.axis = HY_ZERO;
    layer.epsilon = HY_ZERO;
    layer.gamma_initializer = hy_init_constant(2);
    b = hy_nn_layer_norm(F, &layer);
    y = LAY_RUN(F, b, x);
    memset(&op, 0, sizeof op);
    op.axis = HY_ZERO;
    op.eps = HY_ZERO;
    LAY_NEAR(F, y, hy_layer_norm(F, x, hy_full(F, HY_SHAPE(2), 2), hy_zeros(F, HY_SHAPE(2)), &op), 0);
    LAY_DESCRIBE(b, "eps=0.0, axis=0, center=True, scale=True, in_channels=2");
    memset(&layer, 0, sizeof layer);
    layer.in_channels = 7;                      /* wrong: an error in both modes */
    b = hy_nn_layer_norm(F, &layer);
    hy_initialize(F, b, NULL);
    CHECK(!hy_call(F, b, x));
    LAY_EXPECT(F, HY_ERROR_SHAPE, "layer_norm");
    hy_hybridize(F, b, NULL);
    CHECK(!hy_call(F, b, x));
    LAY_EXPECT(F, HY_ERROR_SHAPE, "layer_norm");
    memset(&group, 0, sizeof group);
    group.beta_initializer = hy_init_ones();
    b = hy_nn_group_norm(F, 3, &group);
    y = LAY_RUN(F, b, x);
    LAY_PARAMS(F, b, "groupnorm0_gamma (3,) groupnorm0_beta (3,)");
    LAY_DESCRIBE(b, "eps=1e-05, num_groups=3, center=True, scale=True");
    memset(&gop, 0, sizeof gop);
    gop.num_groups = 3;
    LAY_NEAR(F, y, hy_group_norm(F, x, hy_ones(F, HY_SHAPE(3)), hy_ones(F, HY_SHAPE(3)), &gop), 0);
    b = hy_nn_instance_norm(F, NULL);
    y = LAY_RUN(F, b, x);
    LAY_PARAMS(F, b, "instancenorm0_gamma (6,) instancenorm0_beta (6,)");
    LAY_DESCRIBE(b, "eps=1e-05, axis=1, center=True, scale=False, in_channels=6");
    iop.eps = 1e-5;
    LAY_NEAR(F, y, hy_instance_norm(F, x, hy_ones(F, HY_SHAPE(6)), hy_zeros(F, HY_SHAPE(6)), &iop), 0);
    memset(&instance, 0, sizeof instance);
    instance.axis = 2;
    b = hy_nn_instance_norm(F, &instance);
    y = LAY_RUN(F, b, hy_swap_axes(F, x, 1, 2));
    LAY_NEAR(F, hy_swap_axes(F, y, 1, 2),
             hy_instance_norm(F, x, hy_ones(F, HY_SHAPE(6)), hy_zeros(F, HY_SHAPE(6)), &iop), 1e-6);
    LAY_OK(F);
    hy_close(F);
}

/* --- convolution and pooling --- */
#ifndef HYBRID_NO_VISION
static void lay_conv(void)
{
    hy_frame *F = hy_open(NULL);
    hy_nn_conv_opt opt;
    hy_convolution_opt op;
    hy_block *c = hy_nn_conv2d(F, 6, HY_INTS(5), NULL);
    hy_array *x = lay_input(F, HY_SHAPE(2, 1, 9, 8)), *y;
    LAY_DESCRIBE(c, "None -> 6, kernel_size=(5, 5), stride=(1, 1)");
    y = LAY_RUN(F, c, x);
    LAY_SHAPE(F, y, 2, 6, 5, 4);
    LAY_PARAMS(F, c, "conv0_weight (6,1,5,5) conv0_bias (6,)");
    LAY_DESCRIBE(c, "1 -> 6, kernel_size=(5, 5), stride=(1, 1)");
    LAY_NEAR(F, y, hy_convolution(F, x, hy_param(F, c, "weight"), hy_param(F, c, "bias"), HY_INTS(5, 5), 6, NULL), 0);
    memset(&opt, 0, sizeof opt);
    opt.strides = HY_INTS(2);
    opt.padding = HY_INTS(1, 2);
    opt.dilation = HY_INTS(2);
    opt.groups = 2;
    opt.no_bias = 1;
    opt.activation = "relu";
    c = hy_nn_conv2d(F, 6, HY_INTS(3, 2), &opt);
    x = lay_input(F, HY_SHAPE(2, 4, 9, 8));
    y = LAY_RUN(F, c, x);
    LAY_SHAPE(F, y, 2, 6, (9 + 2 - 5) / 2 + 1, (8 + 4 - 3) / 2 + 1);
    LAY_PARAMS(F, c, "conv1_weight (6,2,3,2)");
    LAY_DESCRIBE(c, "4 -> 6, kernel_size=(3, 2), stride=(2, 2), padding=(1, 2), dilation=(2, 2), groups=2, "
                 "bias=False, Activation(relu)");
    memset(&op, 0, sizeof op);
    op.stride = op.dilate = HY_INTS(2, 2);
    op.pad = HY_INTS(1, 2);
    op.num_group = 2;
    op.no_bias = 1;
    LAY_NEAR(F, y, hy_relu(F, hy_convolution(F, x, hy_param(F, c, "weight"), NULL, HY_INTS(3, 2), 6, &op)), 1e-6);
    memset(&opt, 0, sizeof opt);
    opt.in_channels = 3;
    y = LAY_RUN(F, hy_nn_conv1d(F, 2, HY_INTS(4), &opt), lay_input(F, HY_SHAPE(5, 3, 7)));
    LAY_SHAPE(F, y, 5, 2, 4);
    c = hy_nn_conv3d(F, 2, HY_INTS(2), NULL);
    y = LAY_RUN(F, c, lay_input(F, HY_SHAPE(1, 3, 4, 5, 6)));
    LAY_SHAPE(F, y, 1, 2, 3, 4, 5);
    LAY_PARAMS(F, c, "conv3_weight (2,3,2,2,2) conv3_bias (2,)");
    LAY_OK(F);
    hy_close(F);
}

static void lay_conv_channels_last(void)
{
    hy_frame *F = hy_open(NULL);
    hy_nn_conv_opt opt;
    hy_block *c;
    hy_array *x = lay_input(F, HY_SHAPE(2, 7, 6, 4)), *y, *w;
    memset(&opt, 0, sizeof opt);
    opt.layout = HY_LAYOUT_NHWC;
    opt.groups = 2;
    c = hy_nn_conv2d(F, 6, HY_INTS(3), &opt);
    y = LAY_RUN(F, c, x);
    LAY_SHAPE(F, y, 2, 5, 4, 6);
    LAY_PARAMS(F, c, "conv0_weight (6,3,3,2) conv0_bias (6,)");
    LAY_DESCRIBE(c, "4 -> 6, kernel_size=(3, 3), stride=(1, 1), groups=2");
    w = hy_transpose(F, hy_param(F, c, "weight"), HY_AXES(0, 3, 1, 2));
    {
        hy_convolution_opt op;
        hy_array *first = hy_transpose(F, x, HY_AXES(0, 3, 1, 2));
        memset(&op, 0, sizeof op);
        op.num_group = 2;
        first = hy_convolution(F, first, w, hy_param(F, c, "bias"), HY_INTS(3, 3), 6, &op);
        LAY_NEAR(F, y, hy_transpose(F, first, HY_AXES(0, 2, 3, 1)), 1e-5);
    }
    LAY_OK(F);
    hy_close(F);
}

static void lay_conv_transpose(void)
{
    hy_frame *F = hy_open(NULL);
    hy_nn_conv_opt opt;
    hy_deconvolution_opt op;
    hy_block *c;
    hy_array *x = lay_input(F, HY_SHAPE(2, 4, 5, 6)), *y;
    memset(&opt, 0, sizeof opt);
    opt.strides = HY_INTS(2);
    opt.padding = HY_INTS(1);
    opt.output_padding = HY_INTS(1, 0);
    opt.groups = 2;
    c = hy_nn_conv2d_transpose(F, 6, HY_INTS(3), &opt);
    LAY_DESCRIBE(c, "None -> 6, kernel_size=(3, 3), stride=(2, 2), padding=(1, 1), output_padding=(1, 0), groups=2");
    y = LAY_RUN(F, c, x);
    LAY_SHAPE(F, y, 2, 6, 2 * 4 + 3 - 2 + 1, 2 * 5 + 3 - 2);
    LAY_PARAMS(F, c, "conv0_weight (4,3,3,3) conv0_bias (6,)");
    memset(&op, 0, sizeof op);
    op.stride = HY_INTS(2, 2);
    op.pad = HY_INTS(1, 1);
    op.adj = HY_INTS(1, 0);
    op.num_group = 2;
    op.use_bias = 1;
    LAY_NEAR(F, y, hy_deconvolution(F, x, hy_param(F, c, "weight"), hy_param(F, c, "bias"), HY_INTS(3, 3), 6, &op), 0);
    y = LAY_RUN(F, hy_nn_conv1d_transpose(F, 3, HY_INTS(4), NULL), lay_input(F, HY_SHAPE(1, 2, 5)));
    LAY_SHAPE(F, y, 1, 3, 8);
    y = LAY_RUN(F, hy_nn_conv3d_transpose(F, 3, HY_INTS(2), NULL), lay_input(F, HY_SHAPE(1, 2, 3, 4, 5)));
    LAY_SHAPE(F, y, 1, 3, 4, 5, 6);
    LAY_OK(F);
    hy_close(F);
}

static void lay_pooling(void)
{
    hy_frame *F = hy_open(NULL);
    hy_nn_pool_opt opt;
    hy_pooling_opt op;
    hy_block *p = hy_nn_max_pool2d(F, HY_INTS(2), NULL);
    hy_array *x = lay_input(F, HY_SHAPE(2, 3, 10, 9)), *y;
    LAY_DESCRIBE(p, "size=(2, 2), stride=(2, 2), padding=(0, 0), ceil_mode=False, global_pool=False, "
                 "pool_type=max, layout=NCHW");
    LAY_SHAPE(F, LAY_BOTH(F, p, x), 2, 3, 5, 4);
    CHECK_STR(hy_block_name(F, p), "pool0");
    memset(&opt, 0, sizeof opt);
    LAY_SHAPE(F, LAY_BOTH(F, hy_nn_max_pool1d(F, HY_INTS(3), &opt), lay_input(F, HY_SHAPE(1, 1, 10))), 1, 1, 3);
    opt.ceil_mode = 1;
    LAY_SHAPE(F, LAY_BOTH(F, hy_nn_max_pool1d(F, HY_INTS(3), &opt), lay_input(F, HY_SHAPE(1, 1, 10))), 1, 1, 4);
    LAY_SHAPE(F, LAY_BOTH(F, hy_nn_avg_pool1d(F, HY_INTS(3), &opt), lay_input(F, HY_SHAPE(1, 1, 10))), 1, 1, 4);
    memset(&opt, 0, sizeof opt);
    opt.padding = HY_INTS(1);
    opt.strides = HY_INTS(2, 1);
    y = LAY_BOTH(F, hy_nn_avg_pool2d(F, HY_INTS(3), &opt), hy_ones(F, HY_SHAPE(1, 1, 5, 5)));
    LAY_SHAPE(F, y, 1, 1, 3, 5);
    CHECK_NEAR(hy_value(F, y, 0, 0, 0, 0), 4.0 / 9, 1e-6);
    opt.no_count_include_pad = 1;
    y = LAY_BOTH(F, hy_nn_avg_pool2d(F, HY_INTS(3), &opt), hy_ones(F, HY_SHAPE(1, 1, 5, 5)));
    CHECK_NEAR(hy_value(F, y, 0, 0, 0, 0), 1, 1e-6);
    p = hy_nn_global_avg_pool2d(F, NULL);
    LAY_DESCRIBE(p, "size=(1, 1), stride=(1, 1), padding=(0, 0), ceil_mode=True, global_pool=True, "
                 "pool_type=avg, layout=NCHW");
    y = LAY_BOTH(F, p, x);
    LAY_SHAPE(F, y, 2, 3, 1, 1);
    LAY_NEAR(F, hy_reshape(F, y, HY_INTS(2, 3), NULL), hy_mean(F, x, HY_AXES(2, 3), NULL), 1e-6);
    LAY_SHAPE(F, LAY_BOTH(F, hy_nn_global_max_pool1d(F, NULL), lay_input(F, HY_SHAPE(2, 3, 4))), 2, 3, 1);
    LAY_SHAPE(F, LAY_BOTH(F, hy_nn_global_avg_pool3d(F, NULL), lay_input(F, HY_SHAPE(2, 3, 4, 2, 2))), 2, 3, 1, 1, 1);
    y = LAY_BOTH(F, hy_nn_max_pool3d(F, HY_EMPTY, NULL), lay_input(F, HY_SHAPE(1, 1, 4, 4, 6)));
    LAY_SHAPE(F, y, 1, 1, 2, 2, 3);
    memset(&opt, 0, sizeof opt);
    opt.layout = HY_LAYOUT_NHWC;
    p = hy_nn_max_pool2d(F, HY_INTS(2), &opt);
    y = LAY_BOTH(F, p, hy_transpose(F, x, HY_AXES(0, 2, 3, 1)));
    LAY_SHAPE(F, y, 2, 5, 4, 3);
    memset(&op, 0, sizeof op);
    op.stride = HY_INTS(2, 2);
    LAY_NEAR(F, hy_transpose(F, y, HY_AXES(0, 3, 1, 2)), hy_pooling(F, x, HY_INTS(2, 2), &op), 0);
    LAY_OK(F);
    hy_close(F);
}

/* Padding behind that is not that before: layers of both kinds, transposed ones too. */
static void lay_padding_behind(void)
{
    hy_frame *F = hy_open(NULL);
    hy_nn_conv_opt opt;
    hy_nn_pool_opt pool;
    hy_convolution_opt op;
    hy_pooling_opt of;
    hy_array *x = lay_input(F, HY_SHAPE(2, 3, 8, 9)), *y;
    hy_block *c, *p;
    memset(&opt, 0, sizeof opt);
    memset(&pool, 0, sizeof pool);
    memset(&op, 0, sizeof op);
    memset(&of, 0, sizeof of);
    opt.strides = pool.strides = HY_INTS(2);
    opt.padding_end = HY_INTS(1);
    c = hy_nn_conv2d(F, 4, HY_INTS(3), &opt);
    y = LAY_RUN(F, c, x);
    LAY_SHAPE(F, y, 2, 4, 4, 4);
    LAY_DESCRIBE(c, "3 -> 4, kernel_size=(3, 3), stride=(2, 2), padding_end=(1, 1)");
    op.stride = HY_INTS(2, 2);
    op.pad_end = HY_INTS(1, 1);
    LAY_NEAR(F, y, hy_convolution(F, x, hy_param(F, c, "weight"), hy_param(F, c, "bias"), HY_INTS(3, 3), 4, &op), 0);
    opt.padding = HY_INTS(1, 2);
    opt.padding_end = HY_INTS(0);
    y = LAY_RUN(F, hy_nn_conv2d(F, 4, HY_INTS(3), &opt), x);
    LAY_SHAPE(F, y, 2, 4, 4, 5);
    LAY_SHAPE(F, LAY_RUN(F, hy_nn_conv2d_transpose(F, 4, HY_INTS(3), &opt), x), 2, 4, 7 * 2 + 3 - 1, 8 * 2 + 3 - 2);
    pool.padding_end = HY_INTS(0, 1);
    pool.padding = HY_INTS(1, 0);
    p = hy_nn_avg_pool2d(F, HY_INTS(3), &pool);
    y = LAY_RUN(F, p, x);
    LAY_SHAPE(F, y, 2, 3, 4, 4);
    LAY_DESCRIBE(p, "size=(3, 3), stride=(2, 2), padding=(1, 0), padding_end=(0, 1), ceil_mode=False, global_pool=False, "
                 "pool_type=avg, layout=NCHW");
    of.pool_type = HY_POOL_AVG;
    of.stride = HY_INTS(2, 2);
    of.pad = HY_INTS(1, 0);
    of.pad_end = HY_INTS(0, 1);
    LAY_NEAR(F, y, hy_pooling(F, x, HY_INTS(3, 3), &of), 0);
    LAY_OK(F);
    opt.padding_end = HY_INTS(1, 2, 3);
    CHECK(!hy_nn_conv2d(F, 4, HY_INTS(3), &opt) && strstr(hy_error(F), "padding_end has 3 numbers, where 1 or 2 are due"));
    hy_clear(F);
    op.pad_end = HY_INTS(-1, 0);
    CHECK(!hy_convolution(F, x, hy_param(F, c, "weight"), hy_param(F, c, "bias"), HY_INTS(3, 3), 4, &op) &&
          strstr(hy_error(F), "pad_end must lie in 0 to"));
    hy_clear(F);
    hy_close(F);
}

static void lay_deferred_network(void)
{
    hy_frame *F = hy_open(NULL);
    hy_nn_conv_opt opt;
    hy_block *net = hy_nn_hybrid_sequential(F);
    memset(&opt, 0, sizeof opt);
    opt.padding = HY_INTS(1);
    hy_append(F, net, hy_nn_conv2d(F, 64, HY_INTS(2), &opt), hy_nn_batch_norm(F, NULL), hy_nn_dense(F, 10, NULL));
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    LAY_SHAPE(F, hy_call(F, net, hy_ones(F, HY_SHAPE(2, 3, 5, 7))), 2, 10);
    CHECK(hy_param_shape(F, hy_param(F, net, "0.weight")).dim[1] == 3);
    CHECK(hy_param_shape(F, hy_param(F, net, "1.gamma")).dim[0] == 64);
    CHECK(hy_param_shape(F, hy_param(F, net, "2.weight")).dim[1] == 3072);
    LAY_OK(F);
    hy_close(F);
}

/* Parameters chosen by pattern; names by prefix. */
static void lay_names(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_set_prefix(F, hy_nn_hybrid_sequential(F), "test_");
    hy_nn_dense_opt opt;
    hy_params some;
    memset(&opt, 0, sizeof opt);
    opt.activation = "relu";
    hy_name_scope(F, net);
    hy_append(F, net, hy_nn_conv2d(F, 10, HY_INTS(3), NULL), hy_nn_dense(F, 10, &opt));
    hy_name_scope_end(F);
    LAY_PARAMS(F, net, "test_conv0_weight (10,?,3,3) test_conv0_bias (10,) test_dense0_weight (10,?) "
               "test_dense0_bias (10,)");
    some = hy_collect_params(F, net, ".*weight");
    CHECK(some.n == 2);
    some = hy_collect_params(F, net, "test_conv0_bias|test_dense0_bias");
    CHECK(some.n == 2 && !strcmp(hy_name_of(F, some.at[1]), "test_dense0_bias"));
    LAY_OK(F);
    hy_close(F);
}
#endif

/* --- containers --- */
static hy_array *lay_twice(hy_frame *F, hy_block *self, hy_array *x) { (void)self; return hy_mul_scalar(F, x, 2); }

static void lay_containers(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_sequential(F), *part, *mix, *empty;
    hy_array *x = lay_input(F, HY_SHAPE(3, 4)), *y;
    hy_append(F, net, hy_nn_dense(F, 8, NULL), hy_nn_dropout(F, 0.5, NULL), hy_nn_dense(F, 6, NULL),
              hy_nn_lambda(F, lay_twice, "twice"));
    CHECK(hy_length(F, net) == 4);
    CHECK_STR(hy_child_name(F, net, 3), "3");
    y = LAY_RUN(F, net, x);
    LAY_SHAPE(F, y, 3, 6);
    LAY_PARAMS(F, net, "dense0_weight (8,4) dense0_bias (8,) dense1_weight (6,8) dense1_bias (6,)");
    LAY_DESCRIBE(hy_child(F, net, -1), "twice");
    part = hy_children_of(F, net, 1, 3);
    CHECK(hy_length(F, part) == 2);
    CHECK(hy_child(F, part, 0) == hy_child(F, net, 1) && hy_child(F, part, -1) == hy_child(F, net, 2));
    CHECK_STR(hy_block_prefix(F, part), hy_block_prefix(F, net));
    CHECK_STR(part->kind, "Sequential");
    CHECK_STR(hy_child_name(F, part, 0), "0");
    LAY_SHAPE(F, hy_call(F, part, lay_input(F, HY_SHAPE(1, 8))), 1, 6);
    CHECK(hy_length(F, hy_children_of(F, net, -2, HY_NONE)) == 2);
    CHECK(hy_length(F, hy_children_of(F, net, 3, 99)) == 1);
    CHECK(hy_length(F, hy_children_of(F, net, 3, 1)) == 0);
    hy_block_free(F, part);
    LAY_NEAR(F, hy_call(F, net, x), y, 0);      /* the children were shared */
    empty = hy_nn_hybrid_sequential(F);
    LAY_NEAR(F, LAY_BOTH(F, empty, x), x, 0);
    LAY_NEAR(F, LAY_BOTH(F, hy_nn_identity(F), x), x, 0);
    mix = hy_nn_hybrid_concurrent(F, -1);
    hy_append(F, mix, hy_nn_identity(F), hy_nn_activation(F, "tanh"), hy_nn_dense(F, 2, NULL));
    y = LAY_RUN(F, mix, x);
    LAY_SHAPE(F, y, 3, 10);
    LAY_NEAR(F, hy_slice_axis(F, y, 1, 4, 8), hy_tanh(F, x), 0);
    mix = hy_append(F, hy_nn_concurrent(F, 0), hy_nn_identity(F), hy_nn_lambda_op(F, "tanh"));
    LAY_SHAPE(F, LAY_BOTH(F, mix, x), 6, 4);
    LAY_OK(F);
    CHECK(!hy_call(F, hy_nn_concurrent(F, 0), x));
    LAY_EXPECT(F, HY_ERROR_STATE, "there are no children");
    CHECK(!hy_append(F, hy_nn_hybrid_sequential(F), hy_nn_lambda_op(F, "tanh")));
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "must also be HybridBlock");
    CHECK(!hy_child(F, net, 4));
    LAY_EXPECT(F, HY_ERROR_INDEX, "index 4");
    CHECK(!hy_children_of(F, hy_nn_flatten(F), 0, 1));
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "Flatten is no container");
    hy_close(F);
}

/* A network in another type, as a whole. */
static void lay_cast(void)
{
    static const hy_dtype types[] = { HY_F64, HY_F16, HY_BF16 };
    int i;
    for (i = 0; i < 3; i++) {
        hy_frame *F = hy_open(NULL);
        hy_block *net = hy_nn_hybrid_sequential(F), *words = hy_nn_embedding(F, 6, 3, NULL);
        const float ids[] = { 1, 5 };
        hy_array *x = hy_cast(F, lay_input(F, HY_SHAPE(4, 5)), types[i]);
        hy_append(F, net, hy_nn_dense(F, 6, NULL), hy_nn_layer_norm(F, NULL), hy_nn_batch_norm(F, NULL),
                  hy_nn_prelu(F, NULL), hy_nn_dropout(F, 0.5, NULL), hy_nn_dense(F, 2, NULL));
        hy_cast_block(F, net, types[i]);
        hy_cast_block(F, words, types[i]);
        hy_initialize(F, net, NULL);
        hy_initialize(F, words, NULL);
        CHECK(hy_dtype_of(F, hy_call(F, net, x)) == types[i]);
        hy_hybridize(F, net, NULL);
        CHECK(hy_dtype_of(F, hy_call(F, net, x)) == types[i]);
        CHECK(hy_dtype_of(F, hy_call(F, words, hy_floats(F, HY_SHAPE(2), ids))) == types[i]);
#ifndef HYBRID_NO_RNN
        {
            hy_block *cell = hy_rnn_lstm_cell(F, 3, NULL);
            hy_cast_block(F, cell, types[i]);
            hy_initialize(F, cell, NULL);
            CHECK(hy_dtype_of(F, hy_get(F, hy_rnn_unroll(F, cell, 1, hy_expand_dims(F, x, 1), NULL, NULL), 2)) ==
                  types[i]);
        }
#endif
        LAY_OK(F);
        hy_close(F);
    }
}

/* Frames of several threads share a network. */
#ifndef HYBRID_NO_THREADS
typedef struct lay_worker { hy_frame *F; hy_block *net; hy_array *x; float want[64]; int wrong; } lay_worker;
static void *lay_work(void *arg)
{
    lay_worker *w = (lay_worker *)arg;
    float got[64];
    int i;
    for (i = 0; i < 50; i++) {
        hy_begin(w->F);
        hy_to(w->F, hy_call(w->F, w->net, w->x), HY_F32, got, sizeof got);
        w->wrong += memcmp(got, w->want, (size_t)hy_size(w->F, w->x) * sizeof *got / 2) != 0;
        hy_end(w->F);
    }
    w->wrong += hy_error(w->F) != NULL;
    return NULL;
}
static void lay_threads(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_array *x = hy_keep(F, lay_input(F, HY_SHAPE(3, 2, 4)));
    lay_worker worker[3];
    pthread_t thread[3];
    int i, round;
#ifndef HYBRID_NO_RNN
    hy_append(F, net, hy_rnn_gru(F, 4, NULL));
#endif
    hy_append(F, net, hy_nn_dense(F, 4, NULL), hy_nn_batch_norm(F, NULL), hy_nn_activation(F, "relu"));
    hy_initialize(F, net, NULL);
    hy_call(F, net, x);
    for (round = 0; round < 2; round++) {       /* line by line, then compiled by whoever comes first */
        if (round) hy_hybridize(F, net, NULL);
        memset(worker, 0, sizeof worker);
        hy_to(F, hy_call(F, net, x), HY_F32, worker[0].want, sizeof worker[0].want);
        if (round) hy_hybridize(F, net, NULL);
        for (i = 0; i < 3; i++) {
            if (i) worker[i] = worker[0];
            worker[i].net = net;
            worker[i].x = x;
        }
        for (i = 0; i < 3; i++) worker[i].F = hy_fork(F);
        for (i = 0; i < 3; i++) CHECK(!pthread_create(&thread[i], NULL, lay_work, &worker[i]));
        for (i = 0; i < 3; i++) {
            pthread_join(thread[i], NULL);
            CHECK(!worker[i].wrong);
            hy_close(worker[i].F);
        }
    }
    LAY_OK(F);
    hy_close(F);
}
#endif

static void lay_lambda(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = lay_input(F, HY_SHAPE(2, 3)), *want = hy_tanh(F, x), *pair = hy_group(F, x, want);
    LAY_NEAR(F, LAY_BOTH(F, hy_nn_lambda_op(F, "tanh"), x), want, 0);
    LAY_NEAR(F, LAY_BOTH(F, hy_nn_hybrid_lambda_op(F, "tanh"), x), want, 0);
    LAY_NEAR(F, LAY_BOTH(F, hy_nn_activation(F, "tanh"), x), want, 0);
    LAY_NEAR(F, LAY_BOTH(F, hy_nn_hybrid_lambda_op(F, "broadcast_add"), pair), hy_add(F, x, want), 0);
    LAY_NEAR(F, LAY_BOTH(F, hy_nn_hybrid_lambda(F, lay_twice, NULL), x), hy_mul_scalar(F, x, 2), 0);
    LAY_DESCRIBE(hy_nn_hybrid_lambda(F, lay_twice, NULL), "<lambda>");
    LAY_DESCRIBE(hy_nn_lambda_op(F, "tanh"), "tanh");
    LAY_OK(F);
    CHECK(!hy_nn_lambda_op(F, "tangent"));
    LAY_EXPECT(F, HY_ERROR_UNKNOWN, "Operator tangent is not registered");
    CHECK(!hy_nn_hybrid_lambda(F, NULL, "x"));
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "the function is NULL");
    hy_close(F);
}

static void lay_sequential_on_a_variable(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_nn_dense_opt opt;
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_graph *g;
    int n = 0;
    memset(&opt, 0, sizeof opt);
    opt.activation = "tanh";
    opt.in_units = 10;
    opt.no_flatten = 1;
    hy_append(F, net, hy_nn_dense(F, 128, &opt), hy_nn_dropout(F, 0.5, NULL));
    opt.in_units = 256;
    opt.no_flatten = 0;
    hy_append(F, net, hy_nn_dense(F, 64, &opt));
    opt.activation = NULL;
    opt.in_units = 64;
    hy_append(F, net, hy_nn_dense(F, 32, &opt), hy_nn_activation(F, "relu"));
    g = hy_compile(S, hy_call(S, net, hy_var(S, "data", NULL)));
    while (hy_graph_name(g, HY_NAMES_ARGUMENTS, n)) n++;
    CHECK(n == 7);
    LAY_OK(S);
    hy_initialize(F, net, NULL);
    LAY_SHAPE(F, LAY_BOTH(F, net, hy_zeros(F, HY_SHAPE(32, 2, 10))), 32, 32);
    LAY_OK(F);
    hy_close(S);
    hy_close(F);
}

/* --- initialisers --- */
static hy_array *lay_drawn(hy_frame *F, hy_shape shape, hy_init init)
{
    hy_block *b = hy_block_new(F, sizeof *b, "Holder", lay_twice, 1);
    hy_array *p = hy_add_param(F, b, "w", shape, NULL);
    hy_initialize(F, b, &init);
    return p;
}

static void lay_statistics(hy_frame *F, hy_array *x, double mean, double deviation, double most, int line)
{
    double sum = 0, squares = 0, largest = 0;
    int64_t i, n = hy_size(F, x);
    const float *v = (const float *)hy_data(F, x);
    for (i = 0; v && i < n; i++) {
        sum += v[i];
        squares += (double)v[i] * v[i];
        if (fabs(v[i]) > largest) largest = fabs(v[i]);
    }
    test_check_near(sum / (double)n, mean, 4 * deviation / sqrt((double)n), __FILE__, line);
    test_check_near(sqrt(squares / (double)n), deviation, 0.05 * deviation, __FILE__, line);
    if (most > 0) test_check(largest <= most && largest > 0.98 * most, "the range is filled", __FILE__, line);
}

static void lay_init_random(void)
{
    hy_frame *F = hy_open(NULL);
    hy_xavier_opt opt;
    hy_array *a, *b;
    lay_statistics(F, lay_drawn(F, HY_SHAPE(50, 60), hy_init_uniform(0)), 0, 0.07 / sqrt(3), 0.07, __LINE__);
    lay_statistics(F, lay_drawn(F, HY_SHAPE(50, 60), hy_init_uniform(2)), 0, 2 / sqrt(3), 2, __LINE__);
    lay_statistics(F, lay_drawn(F, HY_SHAPE(50, 60), hy_init_normal(0)), 0, 0.01, 0, __LINE__);
    lay_statistics(F, lay_drawn(F, HY_SHAPE(50, 60), hy_init_normal(3)), 0, 3, 0, __LINE__);
    lay_statistics(F, lay_drawn(F, HY_SHAPE(50, 20, 3), hy_init_xavier(NULL)), 0,
                   sqrt(3 / 105.0) / sqrt(3), sqrt(3 / 105.0), __LINE__);
    memset(&opt, 0, sizeof opt);
    opt.factor_type = HY_FACTOR_IN;
    opt.magnitude = 2;
    opt.rnd_type = HY_RND_GAUSSIAN;
    lay_statistics(F, lay_drawn(F, HY_SHAPE(50, 20, 3), hy_init_xavier(&opt)), 0, sqrt(2 / 60.0), 0, __LINE__);
    opt.factor_type = HY_FACTOR_OUT;
    opt.rnd_type = HY_RND_UNIFORM;
    lay_statistics(F, lay_drawn(F, HY_SHAPE(50, 20, 3), hy_init_xavier(&opt)), 0, sqrt(2 / 150.0) / sqrt(3),
                   sqrt(2 / 150.0), __LINE__);
    lay_statistics(F, lay_drawn(F, HY_SHAPE(50, 60), hy_init_msra_prelu(HY_FACTOR_AVG, 0.25)), 0,
                   sqrt(2 / (1 + 0.0625) / 55), 0, __LINE__);
    LAY_OK(F);
    lay_drawn(F, HY_SHAPE(5), hy_init_xavier(NULL));
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "Xavier initializer cannot be applied to vector w");
    a = lay_drawn(F, HY_SHAPE(4, 4), hy_init_normal(1));        /* seed and name alone decide */
    hy_normal(F, HY_SHAPE(7), 0, 1);
    b = lay_drawn(F, HY_SHAPE(4, 4), hy_init_normal(1));
    LAY_NEAR(F, a, b, 0);
    LAY_OK(F);
    hy_close(F);
}

static void lay_init_exact(void)
{
    hy_frame *F = hy_open(NULL);
    const double triangle[4] = { 0.25, 0.75, 0.75, 0.25 };
    hy_array *x = lay_drawn(F, HY_SHAPE(2, 1, 4, 4), hy_init_bilinear());
    int i, j, right = 1;
    for (i = 0; i < 4; i++)
        for (j = 0; j < 4; j++) right &= hy_value(F, x, 1, 0, i, j) == triangle[i] * triangle[j];
    CHECK(right);
    x = lay_drawn(F, HY_SHAPE(8), hy_init_lstm_bias(1.5));
    for (i = 0; i < 8; i++) CHECK(hy_value(F, x, i) == (i == 2 || i == 3 ? 1.5 : 0));
    CHECK(hy_value(F, lay_drawn(F, HY_SHAPE(3), hy_init_zeros()), 1) == 0);
    CHECK(hy_value(F, lay_drawn(F, HY_SHAPE(3), hy_init_ones()), 1) == 1);
    CHECK(hy_value(F, lay_drawn(F, HY_SHAPE(3), hy_init_constant(-2)), 2) == -2);
    LAY_OK(F);
    lay_drawn(F, HY_SHAPE(8), hy_init_bilinear());
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "where 4 dims are due");
    hy_close(F);
}

static void lay_right_angles(hy_frame *F, hy_array *x, int64_t rows, int64_t columns, double scale)
{
    hy_dot_opt turned;
    hy_array *m = hy_reshape(F, x, HY_INTS(rows, columns), NULL), *product;
    memset(&turned, 0, sizeof turned);
    turned.transpose_a = rows > columns;
    turned.transpose_b = !turned.transpose_a;
    product = hy_dot(F, m, m, &turned);
    LAY_NEAR(F, product, hy_mul_scalar(F, hy_eye(F, rows < columns ? rows : columns, 0, 0), scale * scale), 1e-5);
}

static void lay_init_orthogonal(void)
{
    hy_frame *F = hy_open(NULL);
    lay_right_angles(F, lay_drawn(F, HY_SHAPE(6, 20), hy_init_orthogonal(0, 0)), 6, 20, 1.414);
    lay_right_angles(F, lay_drawn(F, HY_SHAPE(20, 6), hy_init_orthogonal(0, 1)), 20, 6, 1.414);
    lay_right_angles(F, lay_drawn(F, HY_SHAPE(16, 16), hy_init_orthogonal(1, 0)), 16, 16, 1);
    lay_right_angles(F, lay_drawn(F, HY_SHAPE(8, 2, 3), hy_init_orthogonal(2, 1)), 8, 6, 2);
    lay_right_angles(F, lay_drawn(F, HY_SHAPE(1, 1), hy_init_orthogonal(1, 1)), 1, 1, 1);
    CHECK(hy_size(F, lay_drawn(F, HY_SHAPE(0, 3), hy_init_orthogonal(1, 1))) == 0);
    {                                   /* vectors that depend on each other become unit vectors */
        double v[8] = { 1, 1, 1, 1, 0, 0, 0, 0 };
        CHECK(hy__orthogonalise(v, 0, v, 4));
        memcpy(v + 4, v, 4 * sizeof *v);
        CHECK(!hy__orthogonalise(v, 1, v + 4, 4));
    }
    LAY_OK(F);
    hy_close(F);
}

static void lay_init_by_name(void)
{
    hy_frame *F = hy_open(NULL);
    const float v[] = { 1, 2, 3, 4, 5, 6 };
    hy_init_entry some[2], mixed[2];
    hy_init rest = hy_init_constant(7), load;
    hy_nn_dense_opt opt;
    hy_block *net = hy_nn_hybrid_sequential(F);
    memset(&opt, 0, sizeof opt);
    opt.in_units = 3;
    hy_append(F, net, hy_nn_dense(F, 2, &opt));
    opt.in_units = 2;
    hy_append(F, net, hy_nn_dense(F, 2, &opt));
    memset(some, 0, sizeof some);
    some[0].name = "arg:0.weight";
    some[0].value = hy_floats(F, HY_SHAPE(2, 3), v);
    load = hy_init_load(some, 1, &rest);
    hy_initialize(F, net, &load);
    CHECK(hy_value(F, hy_param(F, net, "0.weight"), 1, 2) == 6);
    CHECK(hy_value(F, hy_param(F, net, "1.weight"), 1, 1) == 7);
    CHECK(hy_value(F, hy_param(F, net, "1.bias"), 1) == 0);     /* its own initialiser goes before */
    load = hy_init_load(some, 1, NULL);
    hy_reinitialize(F, net, &load);
    LAY_EXPECT(F, HY_ERROR_UNKNOWN, "Cannot Initialize 1.weight");
    some[0].name = "1.weight";
    load = hy_init_load(some, 1, &rest);
    hy_reinitialize(F, net, &load);
    LAY_EXPECT(F, HY_ERROR_SHAPE, "Shape mismatch, target (2,2) vs loaded (2,3)");
    memset(mixed, 0, sizeof mixed);
    mixed[0].name = "0\\..*";
    mixed[0].init = hy_init_constant(3);
    mixed[1].name = ".*weight";
    mixed[1].init = hy_init_constant(4);
    load = hy_init_mixed(mixed, 2);
    hy_reinitialize(F, net, &load);
    CHECK(hy_value(F, hy_param(F, net, "0.weight"), 1, 2) == 3);
    CHECK(hy_value(F, hy_param(F, net, "1.weight"), 0, 1) == 4);
    LAY_OK(F);
    load = hy_init_mixed(mixed, 1);
    hy_reinitialize(F, net, &load);
    LAY_EXPECT(F, HY_ERROR_UNKNOWN, "Parameter name 1.weight did not match any pattern");
    hy_close(F);
}

#define LAY_TEXT(init, want) \
    do { char text_[512]; hy_init init_ = init; text_[0] = 0; hy__init_text(&init_, text_, sizeof text_); \
         CHECK_STR(text_, want); } while (0)

static void lay_init_text(void)
{
    hy_xavier_opt opt;
    hy_init inner;
    memset(&opt, 0, sizeof opt);
    LAY_TEXT(hy_init_zeros(), "zeros");
    LAY_TEXT(hy_init_ones(), "ones");
    LAY_TEXT(hy_init_constant(1), "[\"constant\", {\"value\": 1}]");
    LAY_TEXT(hy_init_constant(0.25), "[\"constant\", {\"value\": 0.25}]");
    LAY_TEXT(hy_init_uniform(0), "[\"uniform\", {\"scale\": 0.07}]");
    LAY_TEXT(hy_init_normal(0), "[\"normal\", {\"sigma\": 0.01}]");
    LAY_TEXT(hy_init_orthogonal(0, 0), "[\"orthogonal\", {\"scale\": 1.414, \"rand_type\": \"uniform\"}]");
    LAY_TEXT(hy_init_xavier(NULL),
             "[\"xavier\", {\"rnd_type\": \"uniform\", \"factor_type\": \"avg\", \"magnitude\": 3}]");
    opt.rnd_type = HY_RND_GAUSSIAN;
    opt.factor_type = HY_FACTOR_IN;
    opt.magnitude = 2.34;
    LAY_TEXT(hy_init_xavier(&opt),
             "[\"xavier\", {\"rnd_type\": \"gaussian\", \"factor_type\": \"in\", \"magnitude\": 2.34}]");
    LAY_TEXT(hy_init_msra_prelu(HY_FACTOR_OUT, 0.25), "[\"msraprelu\", {\"factor_type\": \"out\", \"slope\": 0.25}]");
    LAY_TEXT(hy_init_bilinear(), "[\"bilinear\", {}]");
    LAY_TEXT(hy_init_lstm_bias(1), "[\"lstmbias\", {\"forget_bias\": 1.0}]");
    inner = hy_init_uniform(0.5);
    LAY_TEXT(hy_init_fused_rnn(&inner, HY_RNN_LSTM, 5, 2, 1, 1),
             "[\"fusedrnn\", {\"init\": \"[\\\"uniform\\\", {\\\"scale\\\": 0.5}]\", \"num_hidden\": 5, "
             "\"num_layers\": 2, \"mode\": \"lstm\", \"bidirectional\": true, \"forget_bias\": 1.0}]");
    LAY_TEXT(hy_init_fused_rnn(NULL, HY_RNN_GRU, 5, 1, 0, 1),
             "[\"fusedrnn\", {\"init\": null, \"num_hidden\": 5, \"num_layers\": 1, \"mode\": \"gru\", "
             "\"bidirectional\": false, \"forget_bias\": 1.0}]");
    LAY_TEXT(hy_init_mixed(NULL, 0), "");
}

/* --- recurrent layers and cells --- */
#ifndef HYBRID_NO_RNN
/* Gives a cell the parameters of a layer's direction. */
static void lay_like_layer(hy_frame *F, hy_block *cell, hy_block *layer, const char *lead)
{
    static const char *const names[] = { "i2h_weight", "h2h_weight", "i2h_bias", "h2h_bias" };
    char path[64];
    int k;
    for (k = 0; k < 4; k++) {
        sprintf(path, "%s_%s", lead, names[k]);
        hy_set_param(F, hy_param(F, cell, names[k]), hy_param(F, layer, path));
    }
}

typedef hy_block *(*lay_cell_fn)(hy_frame *F, int hidden, const hy_rnn_cell_opt *opt);
typedef hy_block *(*lay_layer_fn)(hy_frame *F, int hidden, const hy_rnn_layer_opt *opt);

/* A bidirectional layer of two against cells with the same parameters. */
static void lay_fused_equals_cells_of(lay_layer_fn new_layer, lay_cell_fn new_cell, const char *act, int line)
{
    hy_frame *F = hy_open(NULL);
    hy_rnn_layer_opt opt;
    hy_rnn_cell_opt of_cell;
    hy_rnn_unroll_opt time_first;
    hy_block *layer, *cells = hy_rnn_sequential_cell(F), *cell[4];
    hy_array *x = lay_input(F, HY_SHAPE(7, 3, 5)), *y, *z, *state, *begin;
    static const char *const lead[] = { "l0", "r0", "l1", "r1" };
    hy_init bias = hy_init_uniform(0.5);
    int i, n;
    memset(&opt, 0, sizeof opt);
    opt.num_layers = 2;
    opt.bidirectional = 1;
    opt.activation = act;
    opt.i2h_bias_initializer = opt.h2h_bias_initializer = opt.i2h_weight_initializer = bias;
    memset(&of_cell, 0, sizeof of_cell);
    of_cell.activation = act;
    layer = new_layer(F, 4, &opt);
    y = LAY_RUN(F, layer, x);
    LAY_SHAPE(F, y, 7, 3, 8);
    for (i = 0; i < 4; i++) {
        cell[i] = new_cell(F, 4, &of_cell);
        hy_initialize(F, cell[i], NULL);
        lay_like_layer(F, cell[i], layer, lead[i]);
    }
    hy_append(F, cells, hy_rnn_bidirectional_cell(F, cell[0], cell[1]), hy_rnn_bidirectional_cell(F, cell[2], cell[3]));
    memset(&time_first, 0, sizeof time_first);
    time_first.layout = HY_LAYOUT_TNC;
    z = hy_rnn_unroll(F, cells, 7, x, NULL, &time_first);
    test_check_near(lay_distance(F, hy_get(F, z, 0), y), 0, 1e-5, __FILE__, line);
    n = new_layer == hy_rnn_lstm ? 2 : 1;
    test_check(hy_count(F, z) == 1 + 4 * n, "outputs and every state", __FILE__, line);
    begin = hy_rnn_begin_state(F, layer, 3);            /* (L D, N, H) */
    state = hy_call(F, layer, n == 2 ? hy_group(F, x, hy_get(F, begin, 0), hy_get(F, begin, 1))
                    : hy_group(F, x, hy_get(F, begin, 0)));
    test_check_near(lay_distance(F, hy_get(F, state, 0), y), 0, 1e-6, __FILE__, line);
    for (i = 0; i < 4 * n; i++)
        test_check_near(lay_distance(F, hy_get(F, z, 1 + i),
                                     hy_reshape(F, hy_slice_axis(F, hy_get(F, state, 1 + i % n), 0, i / n, i / n + 1),
                                                HY_INTS(3, 4), NULL)), 0, 1e-5, __FILE__, line);
    lay_ok(F, "fused = cells", __FILE__, line);
    hy_close(F);
}
static void lay_fused_equals_cells(void)
{
    lay_fused_equals_cells_of(hy_rnn_rnn, hy_rnn_rnn_cell, "tanh", __LINE__);
    lay_fused_equals_cells_of(hy_rnn_rnn, hy_rnn_rnn_cell, "relu", __LINE__);
    lay_fused_equals_cells_of(hy_rnn_lstm, hy_rnn_lstm_cell, NULL, __LINE__);
    lay_fused_equals_cells_of(hy_rnn_gru, hy_rnn_gru_cell, NULL, __LINE__);
}

static void lay_rnn_layers(void)
{
    hy_frame *F = hy_open(NULL);
    hy_rnn_layer_opt opt;
    hy_block *b = hy_rnn_lstm(F, 4, NULL);
    hy_array *x = lay_input(F, HY_SHAPE(5, 2, 3)), *y, *z, *s;
    int64_t traces;
    LAY_DESCRIBE(b, "None -> 4, TNC");
    hy_initialize(F, b, NULL);
    hy_hybridize(F, b, NULL);                   /* compiled first: sizes are found while tracing */
    y = hy_call(F, b, x);
    LAY_OK(F);
    LAY_SHAPE(F, y, 5, 2, 4);
    LAY_PARAMS(F, b, "lstm0_l0_i2h_weight (16,3) lstm0_l0_h2h_weight (16,4) lstm0_l0_i2h_bias (16,) "
               "lstm0_l0_h2h_bias (16,)");
    LAY_NEAR(F, LAY_BOTH(F, b, x), y, 1e-6);
    hy_hybridize(F, b, NULL);                   /* another batch: the same trace */
    hy_call(F, b, x);
    traces = hy_cache_info(F, b).traces;
    CHECK(hy_dim(F, hy_call(F, b, lay_input(F, HY_SHAPE(5, 7, 3))), 1) == 7);
    CHECK(hy_dim(F, hy_call(F, b, lay_input(F, HY_SHAPE(2, 7, 3))), 0) == 2);
    CHECK(hy_cache_info(F, b).traces == traces);
    LAY_OK(F);
    memset(&opt, 0, sizeof opt);
    opt.num_layers = 2;
    opt.bidirectional = 1;
    opt.layout = HY_LAYOUT_NTC;
    opt.dropout = 0.5;
    opt.input_size = 3;
    b = hy_rnn_gru(F, 4, &opt);
    LAY_DESCRIBE(b, "3 -> 4, NTC, num_layers=2, dropout=0.5, bidirectional");
    LAY_PARAMS(F, b, "gru0_l0_i2h_weight (12,3) gru0_l0_h2h_weight (12,4) gru0_l0_i2h_bias (12,) "
               "gru0_l0_h2h_bias (12,) gru0_r0_i2h_weight (12,3) gru0_r0_h2h_weight (12,4) gru0_r0_i2h_bias (12,) "
               "gru0_r0_h2h_bias (12,) gru0_l1_i2h_weight (12,8) gru0_l1_h2h_weight (12,4) gru0_l1_i2h_bias (12,) "
               "gru0_l1_h2h_bias (12,) gru0_r1_i2h_weight (12,8) gru0_r1_h2h_weight (12,4) gru0_r1_i2h_bias (12,) "
               "gru0_r1_h2h_bias (12,)");
    x = hy_swap_axes(F, x, 0, 1);
    y = LAY_RUN(F, b, x);
    LAY_SHAPE(F, y, 2, 5, 8);
    s = hy_rnn_begin_state(F, b, 2);
    CHECK(hy_count(F, s) == 1);
    LAY_SHAPE(F, hy_get(F, s, 0), 4, 2, 4);
    z = LAY_BOTH(F, b, hy_group(F, x, hy_get(F, s, 0)));
    CHECK(hy_count(F, z) == 2);
    LAY_NEAR(F, hy_get(F, z, 0), y, 1e-6);
    LAY_SHAPE(F, hy_get(F, z, 1), 4, 2, 4);
    CHECK(!hy_call(F, b, hy_group(F, x, x, x)));
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "the number of states is 2, where 1 is due");
    CHECK(!hy_call(F, b, lay_input(F, HY_SHAPE(2, 5, 9))));
    hy_clear(F);
    b = hy_rnn_rnn(F, 4, NULL);                 /* relu */
    y = LAY_RUN(F, b, lay_input(F, HY_SHAPE(3, 2, 5)));
    CHECK(hy_item(F, hy_min(F, y, HY_ALL, NULL)) >= 0);
    CHECK_STR(hy_block_name(F, b), "rnn0");
    hy_cast_block(F, b, HY_F16);
    y = hy_call(F, b, hy_cast(F, lay_input(F, HY_SHAPE(3, 2, 5)), HY_F16));
    CHECK(hy_dtype_of(F, y) == HY_F16);
    LAY_OK(F);
    hy_close(F);
}

static void lay_rnn_lengths(void)
{
    hy_frame *F = hy_open(NULL);
    hy_rnn_layer_opt opt;
    const float v[] = { 2, 4 };
    hy_block *b;
    hy_array *x = lay_input(F, HY_SHAPE(2, 4, 3)), *lengths = hy_floats(F, HY_SHAPE(2), v), *y, *z, *s;
    memset(&opt, 0, sizeof opt);
    opt.layout = HY_LAYOUT_NTC;
    opt.use_sequence_length = 1;
    opt.bidirectional = 1;
    b = hy_rnn_lstm(F, 5, &opt);
    y = LAY_RUN(F, b, hy_group(F, x, lengths));
    LAY_SHAPE(F, y, 2, 4, 10);
    CHECK(hy_value(F, y, 0, 1, 0) != 0 && hy_value(F, y, 0, 2, 0) == 0 && hy_value(F, y, 1, 3, 9) != 0);
    s = hy_rnn_begin_state(F, b, 2);
    z = LAY_BOTH(F, b, hy_group(F, x, hy_get(F, s, 0), hy_get(F, s, 1), lengths));
    CHECK(hy_count(F, z) == 3);
    LAY_NEAR(F, hy_get(F, z, 0), y, 1e-6);
    CHECK(!hy_call(F, b, x));
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "the number of states and lengths is 0, where 3 is due");
    opt.num_layers = 1 << 20;
    CHECK(!hy_rnn_lstm(F, 5, &opt));
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "num_layers is 1048576");
    CHECK(!hy_rnn_gru_cell(F, 2000000000, NULL));
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "which is too large");
    hy_close(F);
}

/* A network may unroll a cell; traced, its program is for any batch. */
typedef struct lay_unroller { hy_block base; hy_block *cell; } lay_unroller;
static hy_array *lay_unroller_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    return hy_rnn_unroll(F, ((lay_unroller *)self)->cell, 4, x, NULL, NULL);
}

static void lay_unrolled_in_a_network(void)
{
    hy_frame *F = hy_open(NULL);
    lay_unroller *net = HY_BLOCK_NEW(F, lay_unroller, lay_unroller_forward);
    hy_block *row = hy_rnn_sequential_cell(F);
    hy_array *x = lay_input(F, HY_SHAPE(3, 4, 5)), *y, *z;
    hy_graph *graph;
    int64_t traces;
    int i, k, same = 0, steps = 0;
    hy_append(F, row, hy_rnn_lstm_cell(F, 6, NULL), hy_rnn_dropout_cell(F, 0.3, NULL),
              hy_rnn_residual_cell(F, hy_rnn_gru_cell(F, 6, NULL)));
    net->cell = hy_add_child(F, &net->base, "cell", row);
    y = LAY_RUN(F, &net->base, x);
    CHECK(hy_count(F, y) == 4);
    LAY_SHAPE(F, hy_get(F, y, 0), 3, 4, 6);
    hy_hybridize(F, &net->base, NULL);
    hy_call(F, &net->base, x);
    traces = hy_cache_info(F, &net->base).traces;
    graph = hy_graph_of(F, &net->base);
    for (i = 0; i < hy_graph_count(graph); i++) {       /* the steps have names of their own */
        hy_node node, other;
        hy_graph_node(graph, i, &node);
        steps += strstr(node.name, "gru0_t3_") != NULL;
        for (k = 0; k < i; k++) {
            hy_graph_node(graph, k, &other);
            same += !strcmp(node.name, other.name);
        }
    }
    CHECK(!same && steps > 5);
    z = hy_call(F, &net->base, lay_input(F, HY_SHAPE(8, 4, 5)));
    LAY_SHAPE(F, hy_get(F, z, 3), 8, 6);
    CHECK(hy_cache_info(F, &net->base).traces == traces);
    CHECK_STR(hy_param_path(F, &net->base, hy_param(F, row, "2.base_cell.h2h_bias")), "cell.2.base_cell.h2h_bias");
    LAY_OK(F);
    hy_close(F);
}

/* Sequences of 1 and 3 steps: what MXNet 1.9.1 gives. */
static hy_array *lay_valid_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_rnn_unroll_opt opt;
    memset(&opt, 0, sizeof opt);
    opt.layout = HY_LAYOUT_TNC;
    opt.valid_length = hy_get(F, x, 1);
    return hy_rnn_unroll(F, ((lay_unroller *)self)->cell, 3, hy_get(F, x, 0), NULL, &opt);
}
static void lay_sequences_end(void)
{
    static const float out[] = { -0.6578521f, 0.2791335f, -0.424926f, -0.7537354f, 0.3138731f, -0.4403367f, 0, 0, 0,
        -0.4296757f, 0.09397171f, -0.5785421f, 0, 0, 0, -0.5009809f, 0.1414067f, -0.4172173f };
    static const float h[] = { 0.1327496f, -0.1764044f, 0.120824f, -0.255856f };
    static const float c[] = { 0.2124805f, -0.4483644f, 0.191395f, -0.63509f }, back[] = { -0.1431064f, -0.09729736f };
    static const float last[] = { -0.7906017f, 0.4555379f, -0.2818196f, -0.6218048f, 0.3972628f, -0.2708696f };
    static const float grad[] = { -0.310054f, 0.3219546f, -0.1787707f, -0.1137585f, 0, 0, -0.1355383f, -0.00344127f,
        0, 0, -0.2768624f, 0.4038227f };
    static const float lengths[] = { 1, 3 };
    hy_frame *F = hy_open(NULL);
    lay_unroller *net = HY_BLOCK_NEW(F, lay_unroller, lay_valid_forward);
    hy_block *row = hy_rnn_sequential_cell(F), *l = hy_rnn_lstm_cell(F, 2, NULL), *r = hy_rnn_gru_cell(F, 1, NULL);
    hy_array *x = hy_zeros(F, HY_SHAPE(3, 2, 2)), *in = hy_group(F, x, hy_floats(F, HY_SHAPE(2), lengths)), *y, *loss;
    hy_params p;
    int i, k, mode;
    hy_append(F, row, hy_rnn_bidirectional_cell(F, l, r), hy_rnn_residual_cell(F, hy_rnn_rnn_cell(F, 3, NULL)));
    net->cell = hy_add_child(F, &net->base, "cell", row);
    for (i = 0; i < 12; i++) ((float *)hy_write(F, x))[i] = (float)(i * 5 % 7) * 0.25f - 0.75f;
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_initialize(F, &net->base, NULL);
    hy_call(F, &net->base, in);                         /* gives shapes to all */
    p = hy_collect_params(F, &net->base, NULL);
    for (k = 0; k < p.n; k++) {
        float *w = (float *)hy_write(F, p.at[k]);
        for (i = 0; i < hy_size(F, p.at[k]); i++) w[i] = (float)(i * 7 % 11 * 0.1 - 0.5);
    }
    for (mode = 0; mode < 2; mode++) {
        if (mode) hy_hybridize(F, &net->base, NULL);
        hy_record(F);
        y = hy_call(F, &net->base, in);
        CHECK(hy_count(F, y) == 5);
        LAY_NEAR(F, hy_get(F, y, 0), hy_floats(F, HY_SHAPE(3, 2, 3), out), 2e-6);
        LAY_NEAR(F, hy_get(F, y, 1), hy_floats(F, HY_SHAPE(2, 2), h), 2e-6);
        LAY_NEAR(F, hy_get(F, y, 2), hy_floats(F, HY_SHAPE(2, 2), c), 2e-6);
        LAY_NEAR(F, hy_get(F, y, 3), hy_floats(F, HY_SHAPE(2, 1), back), 2e-6);
        LAY_NEAR(F, hy_get(F, y, 4), hy_floats(F, HY_SHAPE(2, 3), last), 2e-6);
        loss = hy_sum(F, hy_get(F, y, 0), HY_ALL, NULL);
        for (i = 1; i < 5; i++) loss = hy_add(F, loss, hy_sum(F, hy_square(F, hy_get(F, y, i)), HY_ALL, NULL));
        hy_pause(F);
        hy_backward(F, loss, NULL);
        LAY_NEAR(F, hy_grad_of(F, x), hy_floats(F, HY_SHAPE(3, 2, 2), grad), 2e-6);
    }
    LAY_OK(F);
    hy_close(F);
}

/* Symbols without shapes: everything follows when the program runs. */
static void lay_unrolled_symbols(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_rnn_cell_opt opt;
    hy_block *cell, *layer;
    hy_array *x = lay_input(F, HY_SHAPE(2, 3, 5)), *y, *z;
    hy_graph *g;
    memset(&opt, 0, sizeof opt);
    opt.input_size = 5;
    cell = hy_rnn_bidirectional_cell(F, hy_rnn_lstm_cell(F, 4, &opt), hy_rnn_gru_cell(F, 4, &opt));
    layer = hy_rnn_gru(F, 3, &opt);
    hy_initialize(F, cell, NULL);
    hy_initialize(F, layer, NULL);
    y = hy_rnn_unroll(S, cell, 3, hy_var(S, "data", NULL), NULL, NULL);
    g = hy_compile(S, y);
    LAY_OK(S);
    z = hy_graph_run(F, g, x);
    y = hy_rnn_unroll(F, cell, 3, x, NULL, NULL);
    CHECK(hy_count(F, z) == 4 && hy_count(F, y) == 4);
    LAY_NEAR(F, hy_get(F, z, 0), hy_get(F, y, 0), 1e-6);
    LAY_NEAR(F, hy_get(F, z, 3), hy_get(F, y, 3), 1e-6);
    g = hy_compile(S, hy_call(S, layer, hy_var(S, "other", NULL)));
    LAY_OK(S);
    LAY_NEAR(F, hy_graph_run(F, g, hy_group(F, x, x)), hy_call(F, layer, x), 1e-6);
    LAY_OK(F);
    hy_close(S);
    hy_close(F);
}

static void lay_cells(void)
{
    int k;
    hy_frame *F = hy_open(NULL);
    hy_block *rnn = hy_rnn_rnn_cell(F, 4, NULL), *lstm = hy_rnn_lstm_cell(F, 4, NULL), *row, *bi;
    hy_array *x = lay_input(F, HY_SHAPE(2, 3)), *s, *y, *z;
    hy_rnn_unroll_opt opt;
    hy_initialize(F, rnn, NULL);
    s = hy_rnn_begin_state(F, rnn, 2);
    y = LAY_BOTH(F, rnn, hy_group(F, x, hy_get(F, s, 0)));
    LAY_SHAPE(F, hy_get(F, y, 0), 2, 4);
    CHECK(hy_count(F, y) == 2);
    LAY_NEAR(F, hy_get(F, y, 0), hy_get(F, y, 1), 0);
    LAY_NEAR(F, hy_get(F, y, 0), hy_tanh(F, hy_fully_connected(F, x, hy_param(F, rnn, "i2h_weight"),
             hy_param(F, rnn, "i2h_bias"), 4, NULL)), 1e-6);
    LAY_DESCRIBE(rnn, "3 -> 4, tanh");
    LAY_PARAMS(F, rnn, "rnn0_i2h_weight (4,3) rnn0_h2h_weight (4,4) rnn0_i2h_bias (4,) rnn0_h2h_bias (4,)");
    LAY_DESCRIBE(lstm, "None -> 16");
    bi = hy_rnn_bidirectional_cell(F, lstm, hy_rnn_gru_cell(F, 5, NULL));
    LAY_DESCRIBE(bi, "forward=LSTMCell(None -> 16), backward=GRUCell(None -> 15)");
    hy_initialize(F, bi, NULL);
    memset(&opt, 0, sizeof opt);
    opt.no_merge_outputs = 1;
    z = hy_rnn_unroll(F, bi, 2, hy_group(F, x, x), NULL, &opt);
    CHECK(hy_count(F, z) == 2 + 3);
    LAY_SHAPE(F, hy_get(F, z, 1), 2, 9);
    LAY_SHAPE(F, hy_get(F, z, 4), 2, 5);
    LAY_OK(F);
    CHECK(!hy_call(F, bi, hy_group(F, x, x, x, x)));
    LAY_EXPECT(F, HY_ERROR_STATE, "cannot be stepped");
    CHECK(!hy_call(F, rnn, x));
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "RNNCell: the number of states is 0, where 1 is due");
    CHECK(!hy_rnn_unroll(F, rnn, 3, hy_group(F, x, x), NULL, NULL));
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "3 steps of a group of 2");
    CHECK(!hy_rnn_unroll(F, hy_rnn_lstm(F, 4, NULL), 2, hy_group(F, x, x), NULL, NULL));
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "takes whole sequences");
    CHECK(!hy_rnn_begin_state(F, hy_nn_flatten(F), 2));
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "the states of such a block are not known");
    row = hy_append(F, hy_rnn_sequential_cell(F), hy_rnn_rnn_cell(F, 4, NULL), hy_rnn_gru_cell(F, 3, NULL));
    hy_initialize(F, row, NULL);
    s = hy_rnn_begin_state(F, row, 2);
    CHECK(hy_count(F, s) == 2);
    y = LAY_BOTH(F, row, hy_group(F, x, hy_get(F, s, 0), hy_get(F, s, 1)));
    LAY_SHAPE(F, hy_get(F, y, 0), 2, 3);
    z = hy_rnn_unroll(F, row, 1, hy_reshape(F, x, HY_INTS(2, 1, 3), NULL), s, NULL);
    LAY_NEAR(F, hy_reshape(F, hy_get(F, z, 0), HY_INTS(2, 3), NULL), hy_get(F, y, 0), 1e-6);
    CHECK(!hy_call(F, row, hy_group(F, x, x)));
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "the number of states is 1, where 2 is due");
    for (k = 0; k < 2; k++) {                               /* line by line, then compiled */
        hy_block *cell = hy_rnn_dropout_cell(F, 0.5, NULL);
        if (k) hy_hybridize(F, cell, NULL);
        CHECK(!hy_call(F, cell, hy_group(F, x, x)));
        LAY_EXPECT(F, HY_ERROR_ARGUMENT, "DropoutCell: the number of states is 1, where 0 is due");
        CHECK(hy_call(F, cell, x) != NULL);
    }
    hy_close(F);
}

/* A cell of the program's own: known states are given. */
static hy_array *lay_sum_cell(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *sum = hy_add(F, hy_get(F, x, 0), hy_get(F, x, 1));
    (void)self;
    return hy_group(F, sum, sum);
}

static void lay_own_cell(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *cell = hy_block_new(F, sizeof *cell, "LSTMCell", lay_sum_cell, 1);
    hy_array *x = lay_input(F, HY_SHAPE(2, 6, 3)), *y;
    y = hy_rnn_unroll(F, cell, 6, x, hy_zeros(F, HY_SHAPE(2, 3)), NULL);
    LAY_NEAR(F, hy_get(F, y, 1), hy_sum(F, x, HY_AXES(1), NULL), 1e-5);
    LAY_SHAPE(F, hy_get(F, y, 0), 2, 6, 3);
    LAY_OK(F);
    CHECK(!hy_rnn_unroll(F, cell, 6, x, NULL, NULL));
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "give them to hy_rnn_unroll");
    hy_close(F);
}

static void lay_zoneout(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *plain = hy_rnn_lstm_cell(F, 40, NULL), *z = hy_rnn_zoneout_cell(F, plain, 0.5, 0.25);
    hy_array *x = lay_input(F, HY_SHAPE(2, 3, 5)), *a, *b, *s;
    LAY_DESCRIBE(z, "p_out=0.5, p_state=0.25, LSTMCell(None -> 160)");
    hy_initialize(F, z, NULL);
    s = hy_rnn_begin_state(F, z, 2);
    CHECK(hy_count(F, s) == 3);
    a = hy_rnn_unroll(F, plain, 3, x, NULL, NULL);
    b = hy_rnn_unroll(F, z, 3, x, s, NULL);             /* nothing happens in inference */
    LAY_NEAR(F, hy_get(F, a, 0), hy_get(F, b, 0), 0);
    LAY_OK(F);
#ifndef HYBRID_NO_TRAIN
    {
        int i, kept = 0, old = 0;
        hy_set_training(F, 1);
        b = hy_rnn_unroll(F, z, 1, hy_slice_axis(F, x, 1, 0, 1), s, NULL);
        hy_set_training(F, 0);
        for (i = 0; i < 80; i++) {
            double first = hy_value(F, hy_get(F, a, 0), i / 40, 0, i % 40);
            kept += hy_value(F, hy_get(F, b, 0), i / 40, 0, i % 40) == first;
            old += hy_value(F, hy_get(F, b, 0), i / 40, 0, i % 40) == 0;
        }
        CHECK(kept + old == 80 && kept > 20 && old > 20);
        LAY_NEAR(F, hy_get(F, b, 3), hy_reshape(F, hy_get(F, b, 0), HY_INTS(2, 40), NULL), 0);
        LAY_OK(F);
    }
#endif
    hy_close(F);
}

static void lay_init_fused(void)
{
    hy_frame *F = hy_open(NULL);
    hy_init inner = hy_init_constant(3);
    int64_t i, n = 2 * 4 * 5 * (3 + 5 + 2) + 2 * 4 * 5 * (10 + 5 + 2), weights = n - 2 * 2 * 2 * 20;
    hy_array *x = lay_drawn(F, HY_SHAPE(n), hy_init_fused_rnn(&inner, HY_RNN_LSTM, 5, 2, 1, 1.5));
    const float *v = (const float *)hy_data(F, x);
    int right = v != NULL;
    for (i = 0; right && i < n; i++)
        right &= v[i] == (i < weights ? 3 : (i - weights) % 20 / 5 == 1 ? 1.5f : 0);
    CHECK(right);
    inner = hy_init_xavier(NULL);               /* the parts are matrices */
    lay_drawn(F, HY_SHAPE(n), hy_init_fused_rnn(&inner, HY_RNN_LSTM, 5, 2, 1, 1.5));
    LAY_OK(F);
    lay_drawn(F, HY_SHAPE(n + 1), hy_init_fused_rnn(&inner, HY_RNN_LSTM, 5, 2, 1, 1.5));
    LAY_EXPECT(F, HY_ERROR_SHAPE, "does not hold 2 layers of 5");
    hy_close(F);
}

#ifndef HYBRID_NO_TRAIN
static void lay_rnn_gradient(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *layer = hy_rnn_lstm(F, 3, NULL), *cell = hy_rnn_lstm_cell(F, 3, NULL);
    hy_array *x = lay_input(F, HY_SHAPE(4, 2, 5)), *loss, *a, *b;
    hy_rnn_unroll_opt opt;
    hy_initialize(F, layer, NULL);
    hy_initialize(F, cell, NULL);
    hy_call(F, layer, x);
    lay_like_layer(F, cell, layer, "l0");
    hy_record(F);
    loss = hy_sum(F, hy_square(F, hy_call(F, layer, x)), HY_ALL, NULL);
    hy_pause(F);
    hy_backward(F, loss, NULL);
    memset(&opt, 0, sizeof opt);
    opt.layout = HY_LAYOUT_TNC;
    hy_record(F);
    loss = hy_sum(F, hy_square(F, hy_get(F, hy_rnn_unroll(F, cell, 4, x, NULL, &opt), 0)), HY_ALL, NULL);
    hy_pause(F);
    hy_backward(F, loss, NULL);
    a = hy_grad_of(F, hy_param(F, layer, "l0_h2h_weight"));
    b = hy_grad_of(F, hy_param(F, cell, "h2h_weight"));
    LAY_NEAR(F, a, b, 1e-5);
    CHECK(hy_item(F, hy_max(F, hy_abs(F, a), HY_ALL, NULL)) > 0);
    LAY_OK(F);
    hy_close(F);
}
#endif
#endif

/* --- errors --- */
static void lay_bad_arguments(void)
{
    hy_frame *F = hy_open(NULL);
    hy_nn_dense_opt opt;
    CHECK(!hy_nn_dense(F, 0, NULL));
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "hy_nn_dense: units is 0, where at least 1 is due");
    memset(&opt, 0, sizeof opt);
    opt.activation = "relo";
    CHECK(!hy_nn_dense(F, 1, &opt));
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "activation 'relo' is none of relu|sigmoid");
    opt.activation = "linear";
    CHECK(hy_nn_dense(F, 1, &opt) != NULL);
    LAY_OK(F);
    CHECK(!hy_nn_activation(F, NULL));
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "there is nothing to apply");
    CHECK(!hy_nn_dropout(F, 1.5, NULL));
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "rate is 1.5");
    CHECK(!hy_nn_embedding(F, 3, -1, NULL));
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "output_dim is -1");
    CHECK(!hy_nn_leaky_relu(F, -1));
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "slope -1.0 is below 0");
    CHECK(!hy_nn_group_norm(F, 0, NULL));
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "num_groups is 0");
#ifndef HYBRID_NO_VISION
    {
        hy_nn_conv_opt conv;
        hy_nn_pool_opt pool;
        memset(&conv, 0, sizeof conv);
        memset(&pool, 0, sizeof pool);
        CHECK(!hy_nn_conv2d(F, 6, HY_INTS(1, 2, 3), NULL));
        LAY_EXPECT(F, HY_ERROR_ARGUMENT, "Conv2D: kernel_size has 3 numbers, where 1 or 2 are due");
        CHECK(!hy_nn_conv2d(F, 0, HY_INTS(1), NULL));
        LAY_EXPECT(F, HY_ERROR_ARGUMENT, "Conv2D: channels is 0");
        CHECK(!hy_nn_conv2d(F, 1, HY_EMPTY, NULL));
        LAY_EXPECT(F, HY_ERROR_ARGUMENT, "Conv2D: kernel_size has no number");
        CHECK(!hy_nn_conv2d(F, 1, HY_INTS(0), NULL));
        LAY_EXPECT(F, HY_ERROR_ARGUMENT, "kernel_size is 0, where at least 1 is due");
        conv.groups = 4;
        CHECK(!hy_nn_conv1d(F, 6, HY_INTS(3), &conv));
        LAY_EXPECT(F, HY_ERROR_ARGUMENT, "6 channels are not a multiple of groups 4");
        conv.groups = 0;
        conv.layout = HY_LAYOUT_NCDHW;
        CHECK(!hy_nn_conv1d(F, 6, HY_INTS(3), &conv));
        LAY_EXPECT(F, HY_ERROR_ARGUMENT, "is none for 1 dims");
        conv.layout = 0;
        conv.output_padding = HY_INTS(1);
        CHECK(!hy_nn_conv1d(F, 6, HY_INTS(3), &conv));
        LAY_EXPECT(F, HY_ERROR_ARGUMENT, "only transposed convolutions");
        pool.strides = HY_INTS(0);
        CHECK(!hy_nn_max_pool3d(F, HY_INTS(2), &pool));
        LAY_EXPECT(F, HY_ERROR_ARGUMENT, "MaxPool3D: strides is 0");
    }
#endif
#ifndef HYBRID_NO_RNN
    {
        hy_rnn_layer_opt rnn;
        memset(&rnn, 0, sizeof rnn);
        CHECK(!hy_rnn_lstm(F, 0, NULL));
        LAY_EXPECT(F, HY_ERROR_ARGUMENT, "LSTM: hidden_size is 0");
        rnn.activation = "sigmoid";
        CHECK(!hy_rnn_rnn(F, 3, &rnn));
        LAY_EXPECT(F, HY_ERROR_ARGUMENT, "neither relu nor tanh");
        rnn.activation = NULL;
        rnn.layout = HY_LAYOUT_NCHW;
        CHECK(!hy_rnn_gru(F, 3, &rnn));
        LAY_EXPECT(F, HY_ERROR_ARGUMENT, "neither HY_LAYOUT_TNC nor HY_LAYOUT_NTC");
        CHECK(!hy_rnn_zoneout_cell(F, hy_rnn_gru_cell(F, 3, NULL), 2, 0));
        LAY_EXPECT(F, HY_ERROR_ARGUMENT, "zoneout_outputs is 2.0");
        CHECK(!hy_rnn_bidirectional_cell(F, NULL, NULL));
        LAY_EXPECT(F, HY_ERROR_ARGUMENT, "NULL");
    }
#endif
    hy_raise(F, HY_ERROR_USER, "stands");       /* with an error standing all is silent and NULL */
    CHECK(!hy_nn_dense(F, 3, NULL) && !hy_append(F, NULL, NULL) && !hy_nn_hybrid_sequential(F));
    LAY_EXPECT(F, HY_ERROR_USER, "stands");
    CHECK(!hy_nn_dense(NULL, 3, NULL) && !hy_nn_lambda_op(NULL, "tanh"));
    hy_close(F);
}

/* Every allocation fails in turn; nothing leaks and the frame goes on. */
typedef struct lay_scarce { long blocks, left; } lay_scarce;
static void *lay_alloc(void *user, size_t bytes)
{
    lay_scarce *s = (lay_scarce *)user;
    void *p = s->left-- == 0 ? NULL : malloc(bytes);
    s->blocks += p != NULL;
    return p;
}
static void lay_release(void *user, void *block) { ((lay_scarce *)user)->blocks--; free(block); }

static void lay_build_and_run(hy_frame *F)
{
    hy_block *net = hy_nn_hybrid_sequential(F), *row = NULL;
    hy_nn_dense_opt opt;
    hy_init init = hy_init_orthogonal(0, 0);
    memset(&opt, 0, sizeof opt);
    opt.activation = "relu";
    hy_append(F, net, hy_nn_dense(F, 4, &opt), hy_nn_batch_norm(F, NULL), hy_nn_hybrid_lambda_op(F, "tanh"));
    hy_initialize(F, net, &init);
    hy_call(F, net, hy_ones(F, HY_SHAPE(2, 3)));
    hy_children_of(F, net, 0, 2);
#ifndef HYBRID_NO_RNN
    row = hy_rnn_lstm(F, 3, NULL);
    hy_initialize(F, row, NULL);
    hy_call(F, row, hy_ones(F, HY_SHAPE(2, 3, 4)));
    row = hy_append(F, hy_rnn_sequential_cell(F), hy_rnn_bidirectional_cell(F, hy_rnn_gru_cell(F, 2, NULL),
                    hy_rnn_rnn_cell(F, 2, NULL)), hy_rnn_residual_cell(F, hy_rnn_lstm_cell(F, 4, NULL)));
    hy_initialize(F, row, NULL);
    hy_rnn_unroll(F, row, 2, hy_ones(F, HY_SHAPE(2, 2, 3)), NULL, NULL);
#endif
    (void)row;
}

static void lay_out_of_memory(void)
{
    long n;
    for (n = 0; n < 3000; n++) {
        lay_scarce scarce;
        hy_desc desc;
        hy_frame *F;
        int failed;
        memset(&desc, 0, sizeof desc);
        scarce.blocks = 0;
        scarce.left = n;
        desc.threads = 1;
        desc.allocator.alloc_fn = lay_alloc;
        desc.allocator.free_fn = lay_release;
        desc.allocator.user_data = &scarce;
        F = hy_open(&desc);
        if (F) lay_build_and_run(F);
        failed = scarce.left < 0;
        if (F) {
            CHECK(!hy_error(F) || hy_error_code(F) == HY_ERROR_MEMORY);
            hy_clear(F);
            CHECK(hy_item(F, hy_sum(F, hy_ones(F, HY_SHAPE(3)), HY_ALL, NULL)) == 3);
            hy_close(F);
        }
        CHECK(scarce.blocks == 0);
        if (!failed) break;
        if (test_broken) { printf("    at allocation %ld\n", n); break; }
    }
    CHECK(n > 100 && n < 3000);
}

static void test_layers(void)
{
    RUN(lay_dense);
    RUN(lay_node_names);
    RUN(lay_embedding_dropout_flatten);
    RUN(lay_activations);
    RUN(lay_batch_norm);
    RUN(lay_other_norms);
#ifndef HYBRID_NO_VISION
    RUN(lay_conv);
    RUN(lay_conv_channels_last);
    RUN(lay_conv_transpose);
    RUN(lay_pooling);
    RUN(lay_padding_behind);
    RUN(lay_deferred_network);
    RUN(lay_names);
#endif
    RUN(lay_containers);
    RUN(lay_lambda);
    RUN(lay_cast);
#ifndef HYBRID_NO_THREADS
    RUN(lay_threads);
#endif
    RUN(lay_sequential_on_a_variable);
    RUN(lay_init_random);
    RUN(lay_init_exact);
    RUN(lay_init_orthogonal);
    RUN(lay_init_by_name);
    RUN(lay_init_text);
#ifndef HYBRID_NO_RNN
    RUN(lay_fused_equals_cells);
    RUN(lay_rnn_layers);
    RUN(lay_rnn_lengths);
    RUN(lay_unrolled_in_a_network);
    RUN(lay_sequences_end);
    RUN(lay_unrolled_symbols);
    RUN(lay_cells);
    RUN(lay_own_cell);
    RUN(lay_zoneout);
    RUN(lay_init_fused);
#ifndef HYBRID_NO_TRAIN
    RUN(lay_rnn_gradient);
#endif
#endif
    RUN(lay_bad_arguments);
    RUN(lay_out_of_memory);
}
