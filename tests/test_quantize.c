/* hy_quantize: what becomes int8 and what does not, thresholds of known data, the same bits everywhere, files, what
 * is refused. The operators themselves have references in ops_ref.c. */
#if !defined(HYBRID_NO_INT8) && !defined(HYBRID_NO_IO) && !defined(HYBRID_NO_VISION)

static int quantize_same(hy_frame *F, hy_array *a, hy_array *b)
{
    return a && b && hy_size(F, a) == hy_size(F, b) && hy_dtype_of(F, a) == HY_F32 &&
           !memcmp(hy_data(F, a), hy_data(F, b), (size_t)hy_size(F, a) * sizeof(float));
}

static const hy_quantize_opt quantize_all = { 0, NULL, NULL, NULL, NULL, 1, NULL };     /* small as the layers are */

static hy_array *quantize_noise(hy_frame *F, hy_shape shape)       /* the same in every frame */
{
    hy_seed(F, 11);
    return hy_normal(F, shape, 0, 1);
}

/* Convolutions with all that may stand behind them, an odd one, dense layers. */
static hy_block *quantize_net(hy_frame *F)
{
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_nn_conv_opt relu = { 0 }, grouped = { 0 }, deep = { 0 }, plain = { 0 };
    hy_nn_dense_opt dense = { 0 };
    hy_init init = hy_init_xavier(NULL);
    relu.activation = dense.activation = "relu";
    grouped.groups = 2;
    grouped.padding = HY_INTS(1, 1);
    deep.groups = 12;
    plain.no_bias = 1;
    plain.strides = HY_INTS(2, 2);
    hy_append(F, net, hy_nn_conv2d(F, 8, HY_INTS(3, 3), &relu), hy_nn_conv2d(F, 12, HY_INTS(3, 3), &grouped),
              hy_nn_batch_norm(F, NULL), hy_nn_activation(F, "relu"), hy_nn_conv2d(F, 12, HY_INTS(3, 3), &deep),
              hy_nn_conv2d(F, 17, HY_INTS(2, 2), &plain), hy_nn_batch_norm(F, NULL), hy_nn_dense(F, 20, &dense),
              hy_nn_dense(F, 5, NULL));
    hy_seed(F, 5);
    hy_initialize(F, net, &init);
    return net;
}

static hy_array *quantize_images(hy_frame *F) { return quantize_noise(F, HY_SHAPE(6, 3, 12, 13)); }

static int quantize_ops(hy_frame *F, hy_block *net, const char *name)
{
    hy_graph *g;
    hy_node node;
    int i, n = 0;
    g = hy_graph_of(F, net);
    for (i = 0; g && !hy_graph_node(g, i, &node); i++) n += node.op && !strcmp(node.op->name, name);
    return n;
}

static void quantize_network(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = quantize_net(F), *small, *again;
    hy_array *x = quantize_images(F), *y, *z, *file;
    hy_quantize_report report;
    hy_quantize_opt opt = quantize_all;
    char text[4000];
    opt.report = &report;
    hy_call(F, net, x);
    small = hy_quantize(F, net, x, &opt);
    if (!CHECK(small && !hy_error(F))) { printf("    %s\n", hy_error(F)); hy_close(F); return; }
    CHECK(report.layers == 6 && report.left == 0 && report.same > 0.8);
    y = hy_call(F, net, x);
    z = hy_call(F, small, x);
    CHECK(report.largest > 0 && report.largest < 0.1 && report.mean < report.largest);
    CHECK_NEAR(hy_item(F, hy_max(F, hy_abs(F, hy_sub(F, y, z)), HY_ALL, NULL)), report.largest, 1e-6);
    CHECK_NEAR(hy_item(F, hy_mean(F, hy_abs(F, hy_sub(F, y, z)), HY_ALL, NULL)), report.mean, 1e-6);
    hy_hybridize(F, small, NULL);
    CHECK(quantize_same(F, hy_call(F, small, x), z));
    CHECK(quantize_ops(F, small, "int8_convolution") == 4 && quantize_ops(F, small, "int8_dense") == 2);
    CHECK(quantize_ops(F, small, "batch_norm") == 0 && quantize_ops(F, small, "activation") == 0);
    CHECK(hy_block_text(F, small, text, sizeof text) && strstr(text, "int8_dense"));
    file = hy_save_model_to(F, small, NULL);
    again = file ? hy_load_model_from(F, hy_data(F, file), (size_t)hy_size(F, file), 0) : NULL;
    if (CHECK(again)) CHECK(quantize_same(F, hy_call(F, again, x), z));
    hy_block_free(F, net);              /* the copy has parameters of its own */
    hy_reinitialize(F, quantize_net(F), NULL);
    CHECK(quantize_same(F, hy_call(F, small, x), z));
    z = hy_keep(F, z);
    hy_block_free(F, small);
    if (again) CHECK(quantize_same(F, hy_call(F, again, x), z));
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
}

/* Padding that differs before and behind stays so: the copy has it, and gives what the net gives. */
static void quantize_padding_behind(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_hybrid_sequential(F), *small;
    hy_nn_conv_opt first = { 0 }, grouped = { 0 };
    hy_nn_pool_opt pool = { 0 };
    hy_array *x = quantize_noise(F, HY_SHAPE(6, 3, 12, 13)), *y, *z;
    double most;
    first.strides = HY_INTS(2);
    first.padding_end = HY_INTS(1);
    first.activation = "relu";
    grouped.groups = 2;
    grouped.padding = HY_INTS(1, 2);
    grouped.padding_end = HY_INTS(0);
    pool.padding_end = HY_INTS(1);
    hy_append(F, net, hy_nn_conv2d(F, 8, HY_INTS(3), &first), hy_nn_max_pool2d(F, HY_INTS(2), &pool),
              hy_nn_conv2d(F, 12, HY_INTS(3), &grouped));
    hy_seed(F, 5);
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    y = hy_call(F, net, x);
    small = hy_quantize(F, net, x, &quantize_all);
    if (small) hy_hybridize(F, small, NULL);
    z = small ? hy_call(F, small, x) : NULL;
    if (CHECK(z && hy_size(F, z) == hy_size(F, y))) {
        most = hy_item(F, hy_max(F, hy_abs(F, y), HY_ALL, NULL));
        CHECK(hy_item(F, hy_max(F, hy_abs(F, hy_sub(F, y, z)), HY_ALL, NULL)) < 0.05 * most);
        CHECK_NEAR(quantize_ops(F, small, "int8_convolution"), 2, 0);
        CHECK_NEAR(quantize_ops(F, small, "pad"), 0, 0);
    }
    CHECK_STR(hy_error(F), NULL);
    hy_close(F);
}

/* Where each channel is by itself, in one, two and three dims, rows of the kernel by fours, channels first and last:
 * with weights that are whole numbers and data that are, too, results are those of f32. */
static void quantize_deep(void)
{
    static const struct { int n, kernel[3], last, stride; } c[] = {
        { 1, { 5 }, 0, 2 }, { 2, { 3, 3 }, 0, 1 }, { 2, { 5, 2 }, 0, 2 }, { 2, { 7, 1 }, 1, 1 }, { 3, { 2, 5, 3 }, 0, 1 } };
    int i, d;
    for (i = 0; i < (int)(sizeof c / sizeof *c); i++) {
        hy_frame *F = hy_open(NULL);
        hy_shape data = HY_SHAPE(2, 19), weight = HY_SHAPE(19);
        hy_ints kernel = HY_INTS(1);
        hy_array *x, *y, *z = NULL, *w;
        hy_block *net, *small;
        data.ndim = weight.ndim = c[i].n + 2;
        weight.dim[1] = data.dim[c[i].last ? c[i].n + 1 : 1] = 1;
        kernel.n = c[i].n;
        for (d = 0; d < c[i].n; d++) {
            kernel.v[d] = c[i].kernel[d];
            data.dim[d + (c[i].last ? 1 : 2)] = 9;
            weight.dim[d + (c[i].last ? 1 : 2)] = c[i].kernel[d];
        }
        data.dim[c[i].last ? c[i].n + 1 : 1] = 19;
        if (c[i].last) weight.dim[c[i].n + 1] = 1;
        {
            hy_nn_conv_opt o = { 0 };
            o.groups = 19;
            o.strides = HY_INTS(c[i].stride);
            if (c[i].last) o.layout = HY_LAYOUT_NHWC;
            net = c[i].n == 1 ? hy_nn_conv1d(F, 19, kernel, &o) : c[i].n == 2 ? hy_nn_conv2d(F, 19, kernel, &o)
                : hy_nn_conv3d(F, 19, kernel, &o);
        }
        hy_seed(F, 3);
        hy_initialize(F, net, NULL);
        x = hy_round(F, hy_uniform(F, data, -127, 127));
        ((float *)hy_write(F, x))[0] = 127;
        hy_call(F, net, x);
        w = hy_round(F, hy_uniform(F, weight, -126, 126));
        for (d = 0; d < 19; d++) ((float *)hy_write(F, w))[d * (hy_size(F, w) / 19)] = 127;
        hy_assign(F, hy_param(F, net, "weight"), w);
        y = hy_call(F, net, x);
        small = hy_quantize(F, net, x, &quantize_all);
        if (small) z = hy_call(F, small, x);
        if (!CHECK(z && quantize_same(F, y, z))) printf("    case %d\n", i);
        if (small) hy_hybridize(F, small, NULL);
        if (z) CHECK(quantize_same(F, hy_call(F, small, x), z));
        CHECK(small && quantize_ops(F, small, "int8_convolution") == 1);
        CHECK_STR(hy_error(F), NULL);
        hy_close(F);
    }
}

/* --- where int8 is slower --- */
/* The rows of the table, each at its ends. */
static void quantize_costs(void)
{
    static const struct { int dense, taps, outs, channels, groups, bytes, slower; } c[] = {
        { 1, 1, 8, 511, 1, 0, 1 }, { 1, 1, 8, 512, 1, 0, 0 }, { 1, 1, 9, 63, 1, 0, 1 }, { 1, 1, 9, 64, 1, 0, 0 },
        { 1, 1, 8, 15, 1, 1, 1 }, { 1, 1, 8, 16, 1, 1, 0 }, { 0, 1, 63, 100000, 1, 0, 1 }, { 0, 1, 64, 63, 1, 0, 1 },
        { 0, 1, 64, 64, 1, 0, 0 }, { 0, 1, 8, 16, 1, 1, 0 }, { 0, 1, 64, 15, 1, 1, 1 }, { 0, 9, 8, 14, 1, 0, 1 },
        { 0, 9, 8, 15, 1, 0, 0 }, { 0, 9, 15, 7, 1, 0, 1 }, { 0, 9, 15, 8, 1, 0, 0 }, { 0, 9, 16, 2, 1, 0, 1 },
        { 0, 9, 16, 3, 1, 0, 0 }, { 0, 1, 64, 512, 2, 0, 1 }, { 0, 1, 64, 512, 2, 1, 1 }, { 0, 9, 16, 16, 2, 0, 0 },
        { 0, 25, 16, 1, 1, 0, 1 }, { 0, 25, 8, 1, 1, 1, 0 } };
    hy__int8_reading r;
    int i;
    for (i = 0; i < (int)(sizeof c / sizeof *c); i++) {
        memset(&r, 0, sizeof r);
        r.dense = c[i].dense;
        r.taps = c[i].taps;
        r.outs = c[i].outs;
        r.channels = c[i].channels;
        r.groups = c[i].groups;
        if (!CHECK(hy__int8_is_slower(&r, c[i].bytes) == c[i].slower)) printf("    case %d\n", i);
    }
    r.high = 3;                         /* each channel by itself */
    CHECK(hy__int8_is_slower(&r, 0) && hy__int8_is_slower(&r, 1));
}

typedef struct quantize_told { hy_frame *F; char text[2000]; } quantize_told;
static void quantize_tell(hy_frame *F, const char *layer, const char *why, void *user)
{
    quantize_told *told = (quantize_told *)user;
    size_t n = strlen(told->text);
    CHECK(F == told->F);
    snprintf(told->text + n, sizeof told->text - n, "%s: %s\n", layer, why ? why : "int8");
}

static hy_block *quantize_uneven(hy_frame *F)
{
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_nn_conv_opt relu = { 0 }, deep = { 0 }, grouped = { 0 }, thin = { 0 };
    relu.activation = deep.activation = "relu";
    deep.groups = 12;
    grouped.groups = 2;
    thin.groups = 4;
    deep.padding = grouped.padding = thin.padding = HY_INTS(1, 1);
    hy_append(F, net, hy_nn_conv2d(F, 64, HY_INTS(3, 3), &relu), hy_nn_conv2d(F, 12, HY_INTS(1, 1), &relu),
              hy_nn_conv2d(F, 12, HY_INTS(3, 3), &deep), hy_nn_conv2d(F, 16, HY_INTS(1, 1), &relu),
              hy_nn_conv2d(F, 16, HY_INTS(3, 3), &grouped), hy_nn_conv2d(F, 8, HY_INTS(1, 1), NULL),
              hy_nn_conv2d(F, 8, HY_INTS(3, 3), &thin), hy_nn_dense(F, 40, NULL), hy_nn_dense(F, 10, NULL),
              hy_nn_dense(F, 9, NULL), hy_nn_dense(F, 3, NULL));
    hy_seed(F, 5);
    hy_initialize(F, net, NULL);
    return net;
}

/* What the table leaves in f32, why, and that `all` takes it. */
static void quantize_slower(void)
{
    static const char *const due =
        "conv0_fwd: int8\n"
        "conv1_fwd: int8\n"
        "conv2_fwd: each channel is by itself, int8 would be slower\n"
        "conv3_fwd: its sums have 12 terms, for 16 filters: int8 would be slower\n"
        "conv4_fwd: its sums have 72 terms, for 8 filters a group: int8 would be slower\n"
        "conv5_fwd: its sums have 16 terms, for 8 filters: int8 would be slower\n"
        "conv6_fwd: its groups have 2 channels\n"
        "dense0_fwd: int8\n"
        "dense1_fwd: int8\n"
        "dense2_fwd: skip names it\n"
        "dense3_fwd: its sums have 9 terms, for 3 filters: int8 would be slower\n";
    hy_frame *F = hy_open(NULL);
    hy_block *net = quantize_uneven(F);
    hy_array *x = quantize_noise(F, HY_SHAPE(2, 3, 8, 8));
    hy_quantize_report report;
    hy_quantize_opt opt = { 0 };
    static quantize_told told;
    opt.report = &report;
    opt.skip = "dense2";
    opt.tell = quantize_tell;
    opt.user = &told;
    told.F = F;
    told.text[0] = 0;
    CHECK(hy_quantize(F, net, x, &opt) && report.layers == 4 && report.left == 7);
    CHECK_STR(told.text, due);
    opt.all = 1;
    opt.skip = NULL;
    told.text[0] = 0;
    CHECK(hy_quantize(F, net, x, &opt) && report.layers == 10 && report.left == 1);
    CHECK(strstr(told.text, "conv6_fwd: its groups have 2 channels\n") && !strstr(told.text, "slower"));
    net = hy_nn_dense(F, 3, NULL);              /* nothing is left */
    hy_initialize(F, net, NULL);
    opt.all = 0;
    CHECK(hy_quantize(F, net, hy_ones(F, HY_SHAPE(2, 4)), &opt) && report.layers == 0 && report.left == 1);
    net = hy_nn_hybrid_sequential(F);           /* zeros tell nothing */
    hy_append(F, net, hy_nn_dense(F, 70, NULL), hy_nn_activation(F, "relu"), hy_nn_dense(F, 20, NULL));
    hy_initialize(F, net, NULL);
    hy_call(F, net, hy_ones(F, HY_SHAPE(2, 64)));
    hy_assign(F, hy_param(F, hy_child(F, net, 0), "weight"), hy_zeros(F, HY_SHAPE(70, 64)));
    told.text[0] = 0;
    CHECK(hy_quantize(F, net, hy_ones(F, HY_SHAPE(2, 64)), &opt) && report.layers == 1 && report.left == 1);
    CHECK(strstr(told.text, "_fwd: the samples give it nothing but zeros\n"));
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
}

static int quantize_mixed(hy_frame *F, hy_block *net)
{
    return quantize_ops(F, net, "int8_convolution") == 2 && quantize_ops(F, net, "int8_dense") == 2 &&
           quantize_ops(F, net, "convolution") == 5 && quantize_ops(F, net, "fully_connected") == 2;
}

static int quantize_is_kept(hy_frame *F, hy_block *net, hy_array *x, hy_array *y)
{
    if (!net) return 0;
    hy_hybridize(F, net, NULL);
    return quantize_same(F, hy_call(F, net, x), y) && quantize_mixed(F, net);
}

/* What was decided is what the file says, whichever it is; the network's bits do not hang on who loads it. */
static void quantize_kept(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = quantize_uneven(F), *small, *again;
    hy_array *x = quantize_noise(F, HY_SHAPE(2, 3, 8, 8)), *y, *file;
    small = hy_quantize(F, net, x, NULL);
    if (small) hy_hybridize(F, small, NULL);
    y = small ? hy_call(F, small, x) : NULL;
    if (!CHECK(y && quantize_mixed(F, small))) { hy_close(F); return; }
    file = hy_save_model_to(F, small, NULL);
    again = file ? hy_load_model_from(F, hy_data(F, file), (size_t)hy_size(F, file), 0) : NULL;
    CHECK(quantize_is_kept(F, again, x, y));
#ifndef HYBRID_NO_STDIO
    CHECK(!hy_export(F, small, "quantize_kept", 0));
    again = hy_import(F, "quantize_kept", 0);
    CHECK(quantize_is_kept(F, again, x, y));
    remove("quantize_kept-symbol.json");
    remove("quantize_kept-0000.params");
#endif
    again = hy_quantize(F, small, x, NULL);     /* once more: as it is */
    CHECK(quantize_is_kept(F, again, x, y));
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
}

/* --- data of 8 bits: sums of (x - zero) w, exactly; results a step away at most --- */
typedef struct quantize_case {
    int n, c, h, w, filters, groups, k, stride, dilate, pad, last, relu, bias, zero, out_zero, deep;
    hy_dtype data, out;
    double out_scale;
} quantize_case;

static void quantize_draw(hy_frame *F, quantize_case *t)
{
    static const hy_dtype outs[] = { HY_F32, HY_U8, HY_I8, HY_I32 };
    double r[16];
    int i;
    for (i = 0; i < 16; i++) r[i] = hy_item(F, hy_uniform(F, HY_SHAPE(1), 0, 1));
    t->groups = r[0] < 0.7 ? 1 : 2;
    t->n = 1 + (int)(r[1] * 2);
    t->c = t->groups * (1 + (int)(r[2] * 9));
    t->filters = t->groups * (1 + (int)(r[3] * 40));
    t->deep = 0;
    t->k = 1 + (int)(r[4] * 3);
    t->stride = 1 + (int)(r[5] * 2);
    t->dilate = r[6] < 0.7 ? 1 : 2;
    t->pad = (int)(r[7] * 3);
    t->h = 5 + (int)(r[8] * 6);
    t->w = 5 + (int)(r[8] * 60) % 7;
    t->last = r[9] < 0.5;
    t->relu = r[10] < 0.3;
    t->bias = r[10] > 0.2;
    t->data = r[11] < 0.5 ? HY_U8 : HY_I8;
    t->zero = (int)(r[12] * 256) - (t->data == HY_I8 ? 128 : 0);
    t->out = outs[(int)(r[13] * 4)];
    t->out_zero = t->out == HY_F32 || t->out == HY_I32 ? 0 : (int)(r[14] * 256) - (t->out == HY_I8 ? 128 : 0);
    t->out_scale = 0.02 + r[15];
}

/* What kernels of 16 bits take by squares; extremes for every fifth. */
static void quantize_draw_square(hy_frame *F, quantize_case *t)
{
    quantize_draw(F, t);
    t->c = t->groups * 16 * (1 + t->c % 4);
    t->filters = t->groups * (16 + t->filters % 23);
    t->k = 3;
    t->stride = t->dilate = 1;
    t->h = 6 + t->h % 7 * 2 + t->pad % 2;
    t->w += 1;
}
/* Each channel by itself: groups of kernel rows, one plane or lines between the padding. */
static void quantize_draw_deep(hy_frame *F, quantize_case *t, int number)
{
    quantize_draw(F, t);
    t->deep = 1;
    t->c = t->groups = t->filters = 2 + t->filters % 45;
    t->k = 1 + number % 6;
    t->stride = 1 + number / 6 % 3;
    t->pad = t->pad * t->k / 2;
    t->h += t->dilate * (t->k - 1);
    t->w += t->dilate * (t->k - 1) + number % 17;
}
static void quantize_extremes(const quantize_case *t, hy_array *const *in)
{
    int64_t i;
    for (i = 0; i < in[0]->t.type.shape.dim[0] * t->c * t->h * t->w; i++)
        ((unsigned char *)in[0]->t.data)[i] = (unsigned char)(i % 7 == 6 ? 128 : t->data == HY_U8 ? 255 : 127);
    for (i = 0; i < hy__size(&in[1]->t.type.shape); i++) ((signed char *)in[1]->t.data)[i] = i % 11 == 10 ? 127 : -128;
}

static int quantize_whole(hy_array *x, int64_t i)
{
    return x->t.type.dtype == HY_U8 ? ((const unsigned char *)x->t.data)[i]
        : ((const signed char *)x->t.data)[i];
}

static hy_array *quantize_dice(hy_frame *F, hy_shape s, hy_dtype d)
{
    hy_array *x = hy_uniform(F, s, d == HY_U8 ? 0 : -128, d == HY_U8 ? 256 : 128);
    return hy__packed_array(F, hy_cast(F, hy_floor(F, x), d));
}

/* Result (image, filter, y, x) as the formula says it. */
static double quantize_said(const quantize_case *t, hy_array *const *in, int image, int f, int y, int x)
{
    const int many = t->filters / t->groups, wide = t->c / t->groups, joined = t->dilate == 1 ? t->k : 1;
    const int steps = (wide * joined + 3) / 4, panels = (many + 15) / 16;
    double sum = 0, v;
    int i, j, c;
    for (i = 0; i < t->k; i++)
        for (j = 0; j < t->k; j++)
            for (c = 0; c < wide; c++) {
                int py = y * t->stride + i * t->dilate - t->pad, px = x * t->stride + j * t->dilate - t->pad;
                int ch = f / many * wide + c, tap = i * t->k + j, at = tap % joined * wide + c;
                int64_t step = tap / joined * steps + at / 4, all = (int64_t)(t->k * t->k / joined) * steps;
                int64_t deep = ((int64_t)f / 16 * ((t->k + 3) / 4 * t->k) + i / 4 * t->k + j) * 64 + f % 16 * 4 + i % 4;
                int64_t w = t->deep ? deep : ((f / many * panels + f % many / 16) * all + step) * 64 + f % many % 16 * 4 + at % 4;
                if (py < 0 || py >= t->h || px < 0 || px >= t->w) continue;
                sum += (quantize_whole(in[0], t->last ? ((image * t->h + py) * t->w + px) * t->c + ch
                                       : ((image * t->c + ch) * t->h + py) * t->w + px) - t->zero) *
                    quantize_whole(in[1], w);
            }
    if (t->out == HY_I32) return sum;
    v = sum * (double)((const float *)in[2]->t.data)[f] + (t->bias ? (double)((const float *)in[3]->t.data)[f] : 0);
    if (t->relu && v < 0) v = 0;
    if (t->out == HY_F32) return v;
    v = rint(v / t->out_scale) + t->out_zero;
    return fmin(fmax(v, t->out == HY_I8 ? -128 : 0), t->out == HY_I8 ? 127 : 255);
}

static void quantize_made(hy_frame *F, const quantize_case *t, hy_array **in)
{
    const int many = t->filters / t->groups, wide = t->c / t->groups, joined = t->dilate == 1 ? t->k : 1;
    const int rows = t->k * t->k / joined;
    int64_t i;
    in[0] = quantize_dice(F, t->last ? HY_SHAPE(t->n, t->h, t->w, t->c) : HY_SHAPE(t->n, t->c, t->h, t->w), t->data);
    in[2] = hy_uniform(F, HY_SHAPE(t->filters), 0.0001, 0.001);
    in[3] = hy_uniform(F, HY_SHAPE(t->filters), -3, 3);
    if (t->deep) {                                      /* what fills rows up is none, whatever it is */
        in[1] = quantize_dice(F, HY_SHAPE((t->c + 15) / 16, (t->k + 3) / 4 * t->k, 16, 4), HY_I8);
        return;
    }
    in[1] = quantize_dice(F, HY_SHAPE(t->groups * ((many + 15) / 16), rows * ((wide * joined + 3) / 4), 16, 4), HY_I8);
    for (i = 0; i < hy_size(F, in[1]); i++)             /* what fills steps up is 0 */
        if (i / 64 % ((wide * joined + 3) / 4) * 4 + i % 4 >= wide * joined) ((signed char *)in[1]->t.data)[i] = 0;
}

static hy_array *quantize_run(hy_frame *F, const quantize_case *t, hy_array *const *in)
{
    hy_int8_convolution_opt opt;
    memset(&opt, 0, sizeof opt);
    opt.stride = HY_INTS(t->stride, t->stride);
    opt.dilate = HY_INTS(t->dilate, t->dilate);
    opt.pad = HY_INTS(t->pad, t->pad);
    opt.num_group = t->groups;
    opt.layout = t->last ? HY_LAYOUT_NHWC : HY_LAYOUT_NCHW;
    opt.relu = t->relu;
    opt.no_bias = !t->bias;
    opt.zero = t->zero;
    opt.out_zero = t->out_zero;
    opt.out_scale = t->out_scale;
    opt.out_dtype = t->out;
    return hy_int8_convolution(F, in[0], in[1], in[2], t->bias ? in[3] : NULL, HY_INTS(t->k, t->k), t->filters, 1,
                               &opt);
}

static void quantize_compared(hy_frame *F, const quantize_case *t, hy_array *const *in, hy_array *y)
{
    const int h = (int)hy_dim(F, y, t->last ? 1 : 2), w = (int)hy_dim(F, y, t->last ? 2 : 3);
    double worst = 0;
    int image, f, i, j;
    for (image = 0; image < t->n; image++)
        for (f = 0; f < t->filters; f++)
            for (i = 0; i < h; i++)
                for (j = 0; j < w; j++) {
                    int64_t at = t->last ? ((image * h + i) * w + j) * t->filters + f
                        : ((image * t->filters + f) * h + i) * w + j;
                    double want = quantize_said(t, in, image, f, i, j), off = fabs(hy__number_at(&y->t, at) - want);
                    if (t->out == HY_F32) off /= 1e-5 * (1 + fabs(want));
                    if (t->out == HY_I32 && off > 0) off = 9;
                    if (off > worst) worst = off;
                }
    if (!CHECK(worst <= 1))
        printf("    %d images of %d %dx%d, %d filters, %d groups, kernel %d, %s to %s: off by %g\n", t->n, t->c, t->h,
               t->w, t->filters, t->groups, t->k, hy_dtype_name(t->data), hy_dtype_name(t->out), worst);
}

static void quantize_eight_bits(void)
{
    int number, isa;
    for (number = 0; number < 300; number++) {
        static unsigned char first[1 << 18];
        size_t bytes = 0;
        for (isa = HY_ISA_AVX512; isa >= HY_ISA_BASE; isa--) {
            hy_desc desc;
            hy_frame *F;
            quantize_case t;
            hy_array *in[4], *y;
            memset(&desc, 0, sizeof desc);
            desc.isa = isa;
            desc.threads = 1 + (number + isa) % 3;
            F = hy_open(&desc);
            hy_seed(F, 100 + number);
            if (number < 120) quantize_draw(F, &t);
            else if (number < 160) quantize_draw_square(F, &t);
            else quantize_draw_deep(F, &t, number);
            quantize_made(F, &t, in);
            if (number >= 120 && number % 5 == 0) quantize_extremes(&t, in);
            y = quantize_run(F, &t, in);
            if (!CHECK(y && !hy_error(F))) { printf("    %s\n", hy_error(F)); hy_close(F); return; }
            if (!bytes) {
                quantize_compared(F, &t, in, y);
                bytes = (size_t)hy_size(F, y) * hy_dtype_size(t.out);
                CHECK(bytes <= sizeof first);
                memcpy(first, hy_data(F, y), bytes);
            } else CHECK(!memcmp(first, hy_data(F, y), bytes));
            hy_close(F);
        }
    }
}

/* Planes of images of three dims lie between those that a kernel of one plane reads: each image begins where it does. */
static void quantize_deep_images(void)
{
    static int32_t first[1 << 14];
    int number, isa;
    for (number = 0; number < 4; number++)
        for (isa = HY_ISA_BASE; isa <= HY_ISA_AVX512; isa++) {
            const int padded = number & 1, groups = 1 + number / 2;
            hy_int8_convolution_opt opt;
            hy_desc desc;
            hy_frame *F;
            hy_array *x, *w, *y;
            memset(&opt, 0, sizeof opt);
            memset(&desc, 0, sizeof desc);
            desc.isa = isa;
            F = hy_open(&desc);
            hy_seed(F, number);
            x = quantize_dice(F, HY_SHAPE(2, 16 * groups, 2, 8, 8), HY_I8);
            w = quantize_dice(F, HY_SHAPE(groups, 36, 16, 4), HY_I8);
            opt.no_bias = 1;
            opt.out_dtype = HY_I32;
            opt.zero = 3;
            opt.num_group = groups;
            opt.stride = HY_INTS(4, 1, 1);
            opt.pad = HY_INTS(padded, 1, 1);
            y = hy_int8_convolution(F, x, w, hy_ones(F, HY_SHAPE(16 * groups)), NULL, HY_INTS(1, 3, 3), 16 * groups, 1, &opt);
            if (CHECK(y && hy_size(F, y) * (int64_t)sizeof *first <= (int64_t)sizeof first)) {
                const size_t bytes = (size_t)hy_size(F, y) * sizeof *first;
                if (isa == HY_ISA_BASE) memcpy(first, hy_data(F, y), bytes);
                else CHECK(!memcmp(first, hy_data(F, y), bytes));
            } else printf("    %s\n", hy_error(F));
            hy_close(F);
        }
}

/* Nothing times what is below 0 is 0 without a sign, in whole vectors and behind them. */
static void quantize_products_of_nothing(void)
{
    unsigned char a[20] = { 0 }, b[20];
    int isa, i;
    memset(b, 253, sizeof b);
    for (isa = HY_ISA_BASE; isa <= HY_ISA_AVX512; isa++) {
        hy_int8_add_opt opt;
        hy_desc desc;
        hy_frame *F;
        hy_array *y;
        memset(&opt, 0, sizeof opt);
        memset(&desc, 0, sizeof desc);
        desc.isa = isa;
        F = hy_open(&desc);
        opt.multiply = 1;
        y = hy_int8_add(F, hy_borrow(F, HY_SHAPE(20), HY_I8, a), hy_borrow(F, HY_SHAPE(20), HY_I8, b), 0.5, 0.5, &opt);
        for (i = 0; y && i < 20; i++) CHECK(((const uint32_t *)hy_data(F, y))[i] == 0);
        CHECK(!hy_error(F));
        hy_close(F);
    }
}

/* Every kernel that this processor has, also those that it does not choose: sums of products, exactly. */
static void quantize_kernel(const hy__int8_isa *isa, const char *name)
{
    enum { steps = 9, stretches = 3, numbers = 4 * steps * stretches, panel = steps * stretches * 64 };
    static unsigned char x[14 * numbers];
    static signed char w[2 * panel], data[2 * 14 * numbers], wide[2 * panel];
    static int32_t y[14 * 32];
    int64_t shift[stretches];
    hy__int8_tile t;
    int many, kernel, zero, i, j, k, wrong = 0;
    for (i = 0; i < (int)sizeof x; i++) x[i] = (unsigned char)(i * 2654435761u >> 13 | (i % 5 ? 0 : 255));
    for (i = 0; i < (int)sizeof w; i++) w[i] = (signed char)((int)(i * 2246822519u >> 21) % 128 * (i % 3 ? 1 : -1));
    for (i = 0; i < 20; i++) { w[i] = -127; w[20 + i] = 127; }
    for (zero = 0; zero < 256; zero += 51)
        for (many = 0; many < 2; many++)
            for (kernel = 0; kernel < 3 && isa->tile[many][kernel]; kernel++) {
                const int spread = many && isa->spread, rows = isa->rows[kernel];
                const int cols = many && !spread ? isa->cols : HY__INT8_PANEL;
                isa->take(data, x, (int64_t)sizeof x, 0, zero);
                memset(&t, 0, sizeof t);
                t.zero = isa->bytes == 2 ? 0 : zero - (isa->flip ? 0 : 128);
                t.kind = 2;
                t.stretches = stretches;
                t.steps = steps;
                t.next = panel;
                t.shift = shift;
                for (i = 0; i < stretches; i++) shift[i] = (int64_t)i * 4 * steps * isa->bytes;
                for (i = 0; i < rows; i++) t.from[i] = data + (int64_t)i * numbers * isa->bytes;
                for (j = 0; j < cols && t.zero; j += HY__INT8_PANEL)
                    isa->total(t.extra + j, w + j / HY__INT8_PANEL * panel, steps * stretches, t.zero);
                t.weight = w;
                if (spread) { isa->spread(wide, w, steps * stretches); t.weight = wide; }
                isa->tile[many][kernel](&t, y, cols);
                for (i = 0; i < rows; i++)
                    for (j = 0; j < cols; j++) {
                        int32_t sum = 0;
                        for (k = 0; k < numbers; k++)
                            sum += (x[i * numbers + k] - zero) * w[j / 16 * panel + k / 4 * 64 + j % 16 * 4 + k % 4];
                        wrong += sum != y[i * cols + j];
                    }
            }
    if (!CHECK(!wrong)) printf("    %s: %d are wrong\n", name, wrong);
}
/* One square of four results, from data and weights of words: as plain sums have them. */
static void quantize_square(const hy__int8_isa *isa)
{
    enum { deep = 48, panel = 16 * deep, step = panel + 32 };
    static int16_t x[16][deep], taps[9 * panel], values[16 * 7 * deep], weight[16 * step];
    static int32_t sums[16 * 7 * 16], y[64];
    const int16_t *from[16];
    const int64_t to[4] = { 48, 32, 16, 0 };
    hy__int8_tile t;
    int i, j, k, m, rows, wrong = 0;
    for (i = 0; i < 16 * deep; i++) x[i / deep][i % deep] = (int16_t)((int)(i * 2654435761u >> 13) % 511 - 255);
    for (i = 0; i < 9 * panel; i++) taps[i] = (int16_t)((int)(i * 2246822519u >> 21) % 256 - 128);
    for (m = 0; m < 16; m++) from[m] = x[m];
    isa->squares->weight(weight, step, taps, panel);
    memset(&t, 0, sizeof t);
    t.kind = 2;
    for (rows = 1; rows < 8; rows += 6) {               /* the last row: by itself, or behind a whole tile */
        isa->squares->in(values + (rows - 1) * deep, 7 * deep, from, deep);
        for (m = 0; m < 16; m++)
            isa->squares->sum(sums + m * 7 * 16, values + m * 7 * deep, weight + m * step, deep, rows);
        isa->squares->out(&t, sums + (rows - 1) * 16, 7 * 16, y, to);
        for (i = 0; i < 4; i++)
            for (j = 0; j < 16; j++) {
                int32_t sum = 0;
                for (k = 0; k < 9 * deep; k++) {
                    const int at = (i / 2 + k / deep / 3) * 4 + i % 2 + k / deep % 3, c = k % deep;
                    sum += x[at][c] * taps[k / deep * panel + (c / 2 * 16 + j) * 2 + c % 2];
                }
                wrong += sum != y[to[i] + j];
            }
    }
    CHECK(!wrong);
}
static void quantize_kernels(void)
{
#ifdef HY__ARM_DOT
    quantize_kernel(&hy__int8_kernels_base, "NEON");
    if (HY__ARM_DOT) quantize_kernel(&hy__int8_kernels_f64, "dot products");
#else
    quantize_kernel(&hy__int8_plain, "plain");
#ifdef HY__TARGET_AVX2
    if (hy__isa_of_machine() >= HY_ISA_AVX2) {
        quantize_kernel(&hy__int8_kernels_avx2, "AVX2");
        quantize_square(&hy__int8_kernels_avx2);
#if HY__AVX_VNNI
        if (hy__has_avx_vnni()) quantize_kernel(&hy__int8_kernels_vnni, "AVX-VNNI");
#endif
    }
    if (hy__isa_of_machine() >= HY_ISA_AVX512 && HY__CPU_HAS(avx512vnni))
        quantize_kernel(&hy__int8_kernels_avx512, "AVX-512");
#endif
#endif
}

/* What is wrong with numbers of 8 bits is said. */
static void quantize_eight_refused(void)
{
    const struct { double scale; int zero, out_zero; hy_dtype data, out; const char *text; } bad[] = {
        { 0, 0, 0, HY_U8, HY_U8, "out_scale is 0" }, { -1, 0, 0, HY_U8, HY_U8, "out_scale is -1" },
        { HUGE_VAL, 0, 0, HY_U8, HY_U8, "out_scale is inf" }, { 1, 256, 0, HY_U8, HY_U8, "zero" },
        { 1, -1, 0, HY_U8, HY_U8, "zero" }, { 1, 128, 0, HY_I8, HY_U8, "zero" }, { 1, 0, -1, HY_U8, HY_U8, "out_zero" },
        { 1, 0, 128, HY_U8, HY_I8, "out_zero" }, { 1, 0, 0, HY_U8, HY_F64, "out_dtype float64" },
        { 1, 0, 0, HY_I64, HY_U8, "int64" } };
    size_t i;
    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        hy_frame *F = hy_open(NULL);
        hy_int8_dense_opt opt;
        memset(&opt, 0, sizeof opt);
        opt.zero = bad[i].zero;
        opt.out_zero = bad[i].out_zero;
        opt.out_scale = bad[i].scale ? bad[i].scale : HY_ZERO;
        opt.out_dtype = bad[i].out;
        opt.no_bias = 1;
        hy_int8_dense(F, hy_cast(F, hy_zeros(F, HY_SHAPE(2, 4)), bad[i].data),
                      hy_cast(F, hy_zeros(F, HY_SHAPE(1, 1, 16, 4)), HY_I8),
                      hy_ones(F, HY_SHAPE(3)), NULL, 3, 1, &opt);
        if (!CHECK(hy_error(F) && strstr(hy_error(F), bad[i].text))) printf("    %d: %s\n", (int)i, hy_error(F));
        hy_clear(F);
        hy_close(F);
    }
}

/* One result on every instruction set and for any number of threads. */
static void quantize_bits(void)
{
    static float first[30];
    int isa, threads, runs = 0;
    for (isa = HY_ISA_BASE; isa <= HY_ISA_AVX512; isa++)
        for (threads = 1; threads < 5; threads += 3) {
            hy_desc desc;
            hy_frame *F;
            hy_block *net;
            hy_array *x, *y;
            hy_quantize_opt opt = quantize_all;
            memset(&desc, 0, sizeof desc);
            desc.isa = HY_ISA_BASE;
            desc.threads = threads;
            F = hy_open(&desc);
            net = quantize_net(F);
            x = quantize_images(F);
            opt.entropy = 1;
            net = hy_quantize(F, net, x, &opt);
            y = hy_save_model_to(F, net, NULL);
            desc.isa = isa;
            {
                hy_frame *G = hy_open(&desc);
                if (hy_isa(G) == isa && CHECK(y)) {
                    net = hy_load_model_from(G, hy_data(F, y), (size_t)hy_size(F, y), 0);
                    hy_hybridize(G, net, NULL);
                    y = hy_call(G, net, quantize_images(G));
                    if (CHECK(y && hy_size(G, y) == 30) && !runs++) memcpy(first, hy_data(G, y), sizeof first);
                    if (y) CHECK(!memcmp(first, hy_data(G, y), sizeof first));
                }
                CHECK(hy_close(G) == 0);
            }
            CHECK(hy_close(F) == 0);
        }
    CHECK(runs >= 2);
}

/* The threshold of the only layer, from these numbers. */
static double quantize_threshold(hy_frame *F, hy_array *x, int entropy)
{
    hy_block *net = hy_nn_dense(F, 3, NULL), *small;
    hy_quantize_opt opt = quantize_all;
    hy_graph *g;
    hy_node node;
    double threshold = 0;
    int i;
    opt.entropy = entropy;
    hy_initialize(F, net, NULL);
    small = hy_quantize(F, net, x, &opt);
    if (!small) return -1;
    hy_hybridize(F, small, NULL);
    hy_call(F, small, x->count ? hy_get(F, x, 0) : x);
    g = hy_graph_of(F, small);
    for (i = 0; g && !hy_graph_node(g, i, &node); i++)
        if (node.op && !strcmp(node.op->name, "int8_dense"))
            threshold = ((const hy__int8_dense_rec *)node.record)->threshold;
    return threshold;
}

static void quantize_thresholds(void)
{
    static const float few[6] = { 1103.5f / 2048, 0.75f, 0.875f, -0.625f, -0.8f, 1 };   /* the end of 69 sixteens */
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_uniform(F, HY_SHAPE(1000, 16), -1, 1), *y = hy_normal(F, HY_SHAPE(1000, 16), 0, 1);
    hy_set_value(F, x, -3.5, 0, 0);
    CHECK(quantize_threshold(F, x, 0) == 3.5);
    CHECK(quantize_threshold(F, hy_group(F, hy_mul_scalar(F, x, 0.5), x, x), 0) == 3.5);
    CHECK(quantize_threshold(F, hy_group(F, hy_zeros(F, HY_SHAPE(4, 16)), x), 0) == 3.5);
    hy_set_value(F, x, 100, 0, 0);      /* one number far out is cut, and a bell's tails are */
    CHECK_NEAR(quantize_threshold(F, x, 1), 6.25, 1e-6);
    hy_set_value(F, y, 40, 0, 0);
    CHECK(quantize_threshold(F, y, 0) == 40);
    CHECK(quantize_threshold(F, y, 1) < 12);
    x = hy_uniform(F, HY_SHAPE(1000, 16), -1, 1);
    CHECK(quantize_threshold(F, x, 1) > 0.9);                   /* nothing to cut */
    x = hy_from(F, HY_SHAPE(2, 3), HY_F32, few);                /* nor where one would be left */
    CHECK(quantize_threshold(F, x, 1) == 1);
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
}

/* Channels of zeros, and a weight beside whose largest number the others vanish. */
static void quantize_channels(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_dense(F, 3, NULL), *small;
    hy_array *x, *y;
    static const float weight[12] = { 0, 0, 0, 0, 1e30f, 1, 1, 1, 1e-42f, 0, 1e-42f, 0 }, bias[3] = { 1, 2, 3 };
    static const float data[4] = { 1, -1, 0.5f, 1 };
    x = hy_from(F, HY_SHAPE(1, 4), HY_F32, data);
    hy_initialize(F, net, NULL);
    hy_call(F, net, x);
    hy_assign(F, hy_param(F, net, "weight"), hy_from(F, HY_SHAPE(3, 4), HY_F32, weight));
    hy_assign(F, hy_param(F, net, "bias"), hy_from(F, HY_SHAPE(3), HY_F32, bias));
    small = hy_quantize(F, net, x, &quantize_all);
    y = small ? hy_call(F, small, x) : NULL;
    if (CHECK(y)) {
        CHECK(hy_value(F, y, 0, 0) == 1 && hy_value(F, y, 0, 2) == 3);
        CHECK_NEAR(hy_value(F, y, 0, 1), 1e30, 1e24);
    }
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
}

static hy_array *quantize_two(hy_frame *F, hy_block *self, hy_array *x)
{
    x = hy_concat(F, hy_group(F, hy_get(F, x, 0), hy_get(F, x, 1)), 1);
    return hy_group(F, hy_call(F, hy_child(F, self, 0), x), hy_call(F, hy_child(F, self, 1), x));
}

/* Several inputs and outputs; indices as input; what is skipped; nothing to do. */
static void quantize_kinds(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_block_new(F, sizeof(hy_block), "two", quantize_two, 1), *small, *words;
    hy_array *x = quantize_noise(F, HY_SHAPE(5, 7)), *y = quantize_noise(F, HY_SHAPE(5, 2)), *z;
    hy_quantize_report report;
    hy_quantize_opt opt = quantize_all;
    opt.report = &report;
    hy_add_child(F, net, NULL, hy_nn_dense(F, 4, NULL));
    hy_add_child(F, net, NULL, hy_nn_dense(F, 40, NULL));
    hy_initialize(F, net, NULL);
    small = hy_quantize(F, net, hy_group(F, hy_group(F, x, y)), &opt);
    CHECK(small && report.layers == 2 && report.left == 0 && report.largest < 0.02);
    opt.skip = "two0_dense0, dense1";
    if (small) CHECK(hy_count(F, hy_call(F, small, hy_group(F, x, y))) == 2);
    z = hy_group(F, hy_group(F, x, y), hy_group(F, y, x));
    opt.skip = "dense1";
    small = hy_quantize(F, net, z, &opt);
    CHECK(small && report.layers == 1 && report.left == 1 && report.same <= 1);
    opt.skip = "dense0, dense1";
    small = hy_quantize(F, net, z, &opt);
    CHECK(small && report.layers == 0 && report.left == 2 && report.largest == 0 && report.same == 1);
    opt.skip = "dense";
    CHECK(!hy_quantize(F, net, z, &opt) && strstr(hy_error(F), "no layer is called 'dense'; there are "));
    hy_clear(F);
    opt.skip = NULL;
    CHECK(hy_quantize(F, net, hy_group(F, x, y), &opt) && report.layers == 2);
    words = hy_nn_hybrid_sequential(F);
    hy_append(F, words, hy_nn_embedding(F, 9, 8, NULL), hy_nn_dense(F, 3, NULL));
    hy_initialize(F, words, NULL);
    small = hy_quantize(F, words, hy_cast(F, hy_arange(F, 0, 9, 1), HY_I32), &opt);
    CHECK(small && report.layers == 1);
    words = hy_nn_activation(F, "tanh");
    small = hy_quantize(F, words, x, &opt);
    CHECK(small && report.layers == 0 && report.left == 0);
    if (small) CHECK(quantize_same(F, hy_call(F, small, x), hy_tanh(F, x)));
    words = hy_nn_dense(F, 3, NULL);
    hy_cast_block(F, words, HY_F64);
    hy_initialize(F, words, NULL);
    small = hy_quantize(F, words, hy_cast(F, x, HY_F64), &opt);
    CHECK(small && report.layers == 0 && report.left == 1);
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
}

static hy_array *quantize_plain(hy_frame *F, hy_block *self, hy_array *x) { (void)self; return hy_relu(F, x); }

static void quantize_refusals(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_dense(F, 3, NULL), *plain = hy_block_new(F, sizeof(hy_block), "plain", quantize_plain, 0);
    hy_array *x = quantize_noise(F, HY_SHAPE(5, 7)), *bad = hy_copy(F, x), *w;
    hy_initialize(F, net, NULL);
    CHECK(!hy_quantize(NULL, net, x, NULL));
    CHECK(!hy_quantize(F, net, NULL, &quantize_all) && hy_error_code(F) == HY_ERROR_ARGUMENT);
    hy_clear(F);
    CHECK(!hy_quantize(F, NULL, x, &quantize_all) && hy_error_code(F) == HY_ERROR_ARGUMENT);
    hy_clear(F);
    CHECK(!hy_quantize(F, plain, x, &quantize_all) && strstr(hy_error(F), "only a hybrid block"));
    hy_clear(F);
    hy_set_value(F, bad, HUGE_VAL, 2, 2);
    CHECK(!hy_quantize(F, net, hy_group(F, x, bad), &quantize_all) && strstr(hy_error(F), "gets inf from batch 1"));
    hy_clear(F);
    hy_set_value(F, bad, HUGE_VAL - HUGE_VAL, 2, 2);
    CHECK(!hy_quantize(F, net, bad, &quantize_all) && strstr(hy_error(F), "nan from batch 0"));
    hy_clear(F);
    CHECK(!hy_quantize(F, net, hy_group(F, x, hy_ones(F, HY_SHAPE(2, 3))), &quantize_all) && hy_error_code(F) == HY_ERROR_SHAPE);
    hy_clear(F);
#ifndef HYBRID_NO_TRAIN
    hy_record(F);
    CHECK(!hy_quantize(F, net, x, &quantize_all) && strstr(hy_error(F), "not while recording"));
    hy_pause(F);
    hy_clear(F);
#endif
    w = hy_param(F, net, "weight");
    hy_set_value(F, w, HUGE_VAL, 1, 1);
    CHECK(!hy_quantize(F, net, x, &quantize_all) && strstr(hy_error(F), "has a weight that is not finite"));
    hy_clear(F);
    CHECK(hy_close(F) == 0);
}

/* Samples as hy_call takes them, or groups of those, of networks with one, two and three inputs, called or not. */
typedef struct { hy_block base; hy_block *dense; int inputs; } quantize_inputs_net;

static hy_array *quantize_inputs_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    quantize_inputs_net *n = (quantize_inputs_net *)self;
    hy_array *more;
    if (n->inputs == 1) return hy_call(F, n->dense, x);
    more = hy_get(F, x, 1);
    if (n->inputs == 3) more = hy_mul(F, hy_get(F, more, 0), hy_get(F, more, 1));
    return hy_add(F, hy_call(F, n->dense, hy_get(F, x, 0)), more);
}

static hy_array *quantize_batch(hy_frame *F, int inputs, double by)
{
    hy_array *x = hy_full(F, HY_SHAPE(2, 3), by), *y = hy_ones(F, HY_SHAPE(2, 4));
    return inputs == 1 ? x : inputs == 2 ? hy_group(F, x, y) : hy_group(F, x, hy_group(F, y, y));
}

static void quantize_inputs(void)
{
    int inputs, called, many, k;
    for (inputs = 1; inputs <= 3; inputs++) for (called = 0; called < 3; called++) for (many = 0; many < 4; many++) {
        hy_frame *F = hy_open(NULL);
        quantize_inputs_net *n = HY_BLOCK_NEW(F, quantize_inputs_net, quantize_inputs_forward);
        hy_array *batch[3], *samples;
        hy_block *small;
        hy_node node;
        double most = 0;
        for (k = 0; k < 3; k++) batch[k] = quantize_batch(F, inputs, k + 1);
        samples = many ? hy_group_of(F, many, batch) : batch[0];
        n->inputs = inputs;
        n->dense = hy_add_child(F, &n->base, "d", hy_nn_dense(F, 4, NULL));
        hy_initialize(F, &n->base, NULL);
        if (called == 2) hy_hybridize(F, &n->base, NULL);
        if (called) hy_call(F, &n->base, batch[0]);
        small = hy_quantize(F, &n->base, samples, &quantize_all);
        hy_hybridize(F, small, NULL);
        hy_call(F, small, batch[0]);
        for (k = 0; small && !hy_graph_node(hy_graph_of(F, small), k, &node); k++)
            if (node.op && !strcmp(node.op->name, "int8_dense")) most = ((const hy__int8_dense_rec *)node.record)->threshold;
        CHECK_NEAR(most, many ? many : 1, 0);           /* the largest number of all batches */
        if (!CHECK(!hy_error(F))) printf("    %d inputs, %d, %d: %s\n", inputs, called, many, hy_error(F));
        hy_clear(F);
        if (inputs == 1) CHECK(!hy_quantize(F, &n->base, hy_group(F, batch[0], NULL), &quantize_all) && hy_error(F));
        hy_close(F);
    }
}

/* A layer that is called twice is two in int8, each with a threshold of its own. */
static hy_array *quantize_twice_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_block *dense = ((quantize_inputs_net *)self)->dense;
    return hy_call(F, dense, hy_mul_scalar(F, hy_call(F, dense, x), 8));
}
static void quantize_twice(void)
{
    hy_frame *F = hy_open(NULL);
    quantize_inputs_net *n = HY_BLOCK_NEW(F, quantize_inputs_net, quantize_twice_forward);
    hy_array *x = hy_linspace(F, -1, 1, 12), *y, *z, *file;
    hy_block *small, *again;
    int i;
    n->dense = hy_add_child(F, &n->base, "d", hy_nn_dense(F, 4, NULL));
    hy_initialize(F, &n->base, NULL);
    hy_set_param(F, hy_param(F, n->dense, "weight"), hy_reshape(F, hy_linspace(F, 1, -1, 16), HY_INTS(4, 4), NULL));
    x = hy_reshape(F, x, HY_INTS(3, 4), NULL);
    small = hy_quantize(F, &n->base, x, &quantize_all);
    if (!CHECK(small && !hy_error(F))) printf("    %s\n", hy_error(F));
    y = hy_call(F, &n->base, x);
    z = hy_call(F, small, x);
    for (i = 0; i < 12 && z; i++) CHECK_NEAR(hy_value(F, z, i / 4, i % 4), hy_value(F, y, i / 4, i % 4), 0.4);
    hy_hybridize(F, small, NULL);
    file = hy_save_model_to(F, small, x);
    again = file ? hy_load_model_from(F, hy_data(F, file), (size_t)hy_size(F, file), 0) : NULL;
    y = hy_call(F, again, x);
    z = hy_call(F, small, x);
    CHECK(y && z && !memcmp(hy_data(F, y), hy_data(F, z), 12 * sizeof(float)));
    CHECK(!hy_close(F));
}

/* A copy in int8 has nothing left to quantise, and that is said; so it is where no layer ever was. */
static char quantize_warned[200];
static void quantize_log(void *user, int level, int code, const char *text)
{
    (void)user; (void)code;
    if (level == HY_LOG_WARNING) sprintf(quantize_warned, "%.190s", text);
}
static void quantize_again(void)
{
    hy_desc desc = { 0 };
    hy_frame *F;
    hy_block *net, *small, *again;
    hy_array *x, *y;
    desc.log_fn = quantize_log;
    F = hy_open(&desc);
    net = quantize_net(F);
    x = quantize_images(F);
    *quantize_warned = 0;
    hy_call(F, net, x);
    small = hy_quantize(F, net, x, &quantize_all);
    CHECK(small && !*quantize_warned);
    again = hy_quantize(F, small, x, &quantize_all);
    if (!CHECK(again && strstr(quantize_warned, "hy_quantize: it is in int8 already: ")))
        printf("    %s\n", quantize_warned);
    y = hy_call(F, again, x);
    CHECK(y && quantize_same(F, y, hy_call(F, small, x)));
    *quantize_warned = 0;
    net = hy_block_new(F, sizeof(hy_block), "plain", quantize_plain, 1);
    CHECK(hy_quantize(F, net, x, &quantize_all) && strstr(quantize_warned, "there is no layer"));
    CHECK(!hy_close(F));
}

/* A file whose scales are no numbers is refused: the layer, the channel, the number. */
static void quantize_no_scales(void)
{
    const double bad[] = { HUGE_VAL, -HUGE_VAL, HUGE_VAL - HUGE_VAL };
    static const char *const says[] = { "has inf as the scale of channel 1", "has -inf as the", "nan as the scale" };
    hy_frame *F = hy_open(NULL);
    hy_block *net = quantize_net(F), *small;
    hy_array *x = quantize_images(F), *file, *scale = NULL;
    hy_params all;
    int i;
    hy_call(F, net, x);
    small = hy_quantize(F, net, x, &quantize_all);
    all = hy_collect_params(F, small, ".*scale");
    for (i = 0; i < all.n; i++) scale = all.at[i];
    CHECK(small && scale && hy_size(F, scale) > 1);
    for (i = 0; i < 4 && scale; i++) {
        const double whole = hy_value(F, scale, 1);
        if (i < 3) hy_set_value(F, scale, bad[i], 1);
        file = hy_save_model_to(F, small, x);
        CHECK(file && (hy_load_model_from(F, hy_data(F, file), (size_t)hy_size(F, file), 0) != NULL) == (i == 3));
        if (i < 3 && !CHECK(hy_error(F) && strstr(hy_error(F), says[i]))) printf("    %s\n", hy_error(F));
        hy_clear(F);
        hy_set_value(F, scale, whole, 1);
    }
    CHECK(!hy_close(F));
}

/* --- what stays in 8 bits between layers --- */
typedef struct quantize_between_net { hy_block base; hy_block *conv[5], *dense; int turn; } quantize_between_net;

/* What somebody else does with the first result: nothing; what keeps it in f32. */
enum { QUANTIZE_NOTHING, QUANTIZE_GIVEN, QUANTIZE_READ, QUANTIZE_MEANS, QUANTIZE_WIDER, QUANTIZE_BETWEEN };
static const char *const quantize_between_says[QUANTIZE_BETWEEN][2] = {
    { "nothing else", "uuuuuuuu" }, { "it is an output", "ffuuuuuu" }, { "a function reads it", "ffuuuuuu" },
    { "its means are taken", "ffuuuuuu" }, { "the sum is of two shapes", "uuuuufff" } };

static hy_array *quantize_between_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    const quantize_between_net *n = (const quantize_between_net *)self;
    hy_pooling_opt pool = { 0 };
    hy_array *a = hy_relu(F, hy_call(F, n->conv[0], x)), *p, *b, *c, *s, *y;
    pool.stride = pool.pad = HY_INTS(1, 1);
    if (n->turn == QUANTIZE_MEANS) pool.pool_type = HY_POOL_AVG;
    p = hy_named(F, hy_pooling(F, a, HY_INTS(3, 3), &pool), "pooled");
    b = hy_call(F, n->conv[1], p);
    c = hy_relu(F, hy_call(F, n->conv[2], p));
    y = hy_named(F, hy_concat(F, hy_group(F, b, c), 1), "joined");
    s = hy_call(F, n->conv[3], y);
    b = hy_call(F, n->conv[4], y);
    if (n->turn == QUANTIZE_WIDER) b = hy_slice_axis(F, b, 1, 0, 1);
    y = hy_relu(F, hy_add(F, s, b));
    y = hy_call(F, n->dense, hy_named(F, hy_flatten(F, y), "flat"));
    if (n->turn == QUANTIZE_GIVEN) return hy_group(F, y, a);
    return n->turn == QUANTIZE_READ ? hy_group(F, y, hy_tanh(F, a)) : y;
}

/* u: a result is in 8 bits, f: it is not; of the first convolution, the pooling, the two behind it, the join,
 * the two behind that, what the dense layer reads. */
static void quantize_between_text(hy_frame *F, hy_block *net, char *text)
{
    static const char *const names[] = { "conv0", "pooled", "conv1", "conv2", "joined", "conv3", "conv4", "flat" };
    hy_graph *g = hy_graph_of(F, net);
    hy_node node;
    size_t k;
    int i;
    for (k = 0; k < sizeof names / sizeof *names; k++) {
        text[k] = '?';
        for (i = 0; g && !hy_graph_node(g, i, &node); i++)
            if (node.op && strstr(node.name, names[k])) text[k] = node.types[0].dtype == HY_U8 ? 'u' : 'f';
    }
    text[k] = 0;
}

/* Other batches re-size the copy's program, and give what line by line gives. */
static void quantize_batches(hy_frame *F, hy_block *small, hy_block *plain)
{
    int64_t n;
    for (n = 2; n < 9; n++) {
        hy_array *x = quantize_noise(F, HY_SHAPE(n, 3, 9, 11)), *y = hy_call(F, small, x), *z = hy_call(F, plain, x);
        if (y && y->count) { y = hy_get(F, y, 0); z = hy_get(F, z, 0); }
        CHECK(quantize_same(F, y, z));
    }
    CHECK(hy_cache_info(F, small).resizes > 0);
}

static void quantize_between(void)
{
    int turn;
    for (turn = 0; turn < QUANTIZE_BETWEEN; turn++) {
        hy_frame *F = hy_open(NULL);
        quantize_between_net *n = HY_BLOCK_NEW(F, quantize_between_net, quantize_between_forward);
        hy_nn_conv_opt opt = { 0 };
        hy_quantize_opt how = quantize_all;
        hy_quantize_report report;
        hy_array *x = quantize_noise(F, HY_SHAPE(3, 3, 9, 11)), *y, *z, *file;
        hy_block *small, *again;
        char name[3] = "c0", text[16];
        int i;
        opt.padding = HY_INTS(1, 1);
        for (i = 0; i < 5; i++, name[1]++)
            n->conv[i] = hy_add_child(F, &n->base, name, hy_nn_conv2d(F, 8 + 4 * (i & 1 && i < 3),
                                                                      HY_INTS(3, 3), &opt));
        n->dense = hy_add_child(F, &n->base, "d", hy_nn_dense(F, 6, NULL));
        n->turn = turn;
        hy_seed(F, 7);
        hy_initialize(F, &n->base, NULL);
        hy_call(F, &n->base, x);
        how.report = &report;
        how.entropy = turn == QUANTIZE_NOTHING;
        small = hy_quantize(F, &n->base, x, &how);
        if (!CHECK(small)) { printf("    %s\n", hy_error(F)); hy_close(F); continue; }
        CHECK(report.layers == 6 && report.left == 0);
        y = hy_call(F, &n->base, x);
        z = hy_call(F, small, x);
        hy_hybridize(F, small, NULL);
        hy_call(F, small, x);
        quantize_between_text(F, small, text);
        if (!CHECK(!strcmp(text, quantize_between_says[turn][1])))
            printf("    %s: %s\n", quantize_between_says[turn][0], text);
        CHECK_NEAR(quantize_ops(F, small, "int8_add"), turn != QUANTIZE_WIDER, 0);
        if (turn == QUANTIZE_GIVEN || turn == QUANTIZE_READ) {
            CHECK(quantize_same(F, hy_get(F, hy_call(F, small, x), 1), hy_get(F, z, 1)));
            y = hy_get(F, y, 0);
            z = hy_get(F, z, 0);
        } else CHECK(quantize_same(F, hy_call(F, small, x), z));
        CHECK(hy_item(F, hy_max(F, hy_abs(F, hy_sub(F, y, z)), HY_ALL, NULL)) <
              0.06 * hy_item(F, hy_max(F, hy_abs(F, y), HY_ALL, NULL)));
        file = hy_save_model_to(F, small, NULL);
        again = file ? hy_load_model_from(F, hy_data(F, file), (size_t)hy_size(F, file), 0) : NULL;
        y = again ? hy_call(F, again, x) : NULL;
        if (again) quantize_batches(F, small, again);
        CHECK(y && quantize_same(F, hy_count(F, y) ? hy_get(F, y, 0) : y, z));
        CHECK_STR(hy_error(F), NULL);
        CHECK(hy_close(F) == 0);
    }
}

/* y = d(relu(b(h) + c(h))), h = relu(a(x)), each of 12 numbers, as the manual says it, in doubles. */
enum { QUANTIZE_WIDE = 12, QUANTIZE_ROWS = 40 };
typedef struct quantize_sum_net { hy_block base; hy_block *dense[4]; int sides; } quantize_sum_net;  /* relus before it */
static hy_array *quantize_sum_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    const quantize_sum_net *n = (const quantize_sum_net *)self;
    x = hy_relu(F, hy_call(F, n->dense[0], x));
    if (n->sides)
        x = hy_add(F, hy_relu(F, hy_call(F, n->dense[1], x)), hy_relu(F, hy_call(F, n->dense[2], x)));
    else x = hy_relu(F, hy_add(F, hy_call(F, n->dense[1], x), hy_call(F, n->dense[2], x)));
    return hy_call(F, n->dense[3], x);
}

/* The numbers as their nearest steps; least: how many of them lie below 0. */
static void quantize_stepped(double *x, int n, double step, int least, int most)
{
    int i;
    for (i = 0; i < n; i++) {
        double steps = floor(x[i] / step + 0.5);
        x[i] = (steps < least ? least : steps > most ? most : steps) * step;
    }
}
static double quantize_most(const double *x, int n)
{
    double most = 0;
    int i;
    for (i = 0; i < n; i++) most = fabs(x[i]) > most ? fabs(x[i]) : most;
    return most;
}
static void quantize_layer(hy_frame *F, hy_block *layer, const double *x, int rows, double *y, int stepped)
{
    double w[QUANTIZE_WIDE];
    int i, o, k;
    for (o = 0; o < QUANTIZE_WIDE; o++) {
        for (k = 0; k < QUANTIZE_WIDE; k++) w[k] = hy_value(F, hy_param(F, layer, "weight"), o, k);
        if (stepped) quantize_stepped(w, QUANTIZE_WIDE, quantize_most(w, QUANTIZE_WIDE) / 127, -127, 127);
        for (i = 0; i < rows; i++)
            for (y[i * QUANTIZE_WIDE + o] = k = 0; k < QUANTIZE_WIDE; k++)
                y[i * QUANTIZE_WIDE + o] += x[i * QUANTIZE_WIDE + k] * w[k];
    }
}
static void quantize_cut(double *x, int n) { int i; for (i = 0; i < n; i++) x[i] = x[i] > 0 ? x[i] : 0; }

/* stepped: in 8 bits. step: of x, h, b, c, their sum, found when it is not. */
static void quantize_sum_reference(hy_frame *F, const quantize_sum_net *n, double *x, int stepped, double *step,
                                   double *y)
{
    enum { N = QUANTIZE_WIDE * QUANTIZE_ROWS };
    static double h[N], b[N], c[N];
    double *all[5] = { x, h, b, c, b };
    int i, k;
    for (k = 0; k < 5; k++) {
        const int above = k == 1 || k == 4 || (n->sides && k);
        if (k == 1) { quantize_layer(F, n->dense[0], x, QUANTIZE_ROWS, h, stepped); quantize_cut(h, N); }
        if (k == 2) quantize_layer(F, n->dense[1], h, QUANTIZE_ROWS, b, stepped);
        if (k == 3) quantize_layer(F, n->dense[2], h, QUANTIZE_ROWS, c, stepped);
        if (k > 1 && n->sides) quantize_cut(all[k], N);
        if (k == 4) { for (i = 0; i < N; i++) b[i] += c[i]; quantize_cut(b, N); }
        if (!stepped) step[k] = quantize_most(all[k], N) / (above ? 255 : 127);
        else quantize_stepped(all[k], N, step[k], above ? 0 : -127, above ? 255 : 127);
    }
    quantize_layer(F, n->dense[3], b, QUANTIZE_ROWS, y, stepped);
}

/* A sum, behind a relu or of two such: 255 steps from 0 on. */
static void quantize_sum(int sides)
{
    enum { N = QUANTIZE_WIDE * QUANTIZE_ROWS };
    static double numbers[N], due[N], plain[N];
    double step[5], off = 0, apart = 0;
    hy_frame *F = hy_open(NULL);
    quantize_sum_net *n = HY_BLOCK_NEW(F, quantize_sum_net, quantize_sum_forward);
    hy_nn_dense_opt opt = { 0 };
    hy_array *x = quantize_noise(F, HY_SHAPE(QUANTIZE_ROWS, QUANTIZE_WIDE)), *z;
    hy_block *small;
    hy_init init = hy_init_uniform(0.5);
    char name[3] = "d0";
    int i;
    n->sides = sides;
    opt.no_bias = 1;
    for (i = 0; i < 4; i++, name[1]++) n->dense[i] = hy_add_child(F, &n->base, name, hy_nn_dense(F, QUANTIZE_WIDE, &opt));
    hy_seed(F, 3);
    hy_initialize(F, &n->base, &init);
    hy_call(F, &n->base, x);
    small = hy_quantize(F, &n->base, x, &quantize_all);
    z = small ? hy_call(F, small, x) : NULL;
    for (i = 0; i < N; i++) numbers[i] = hy_value(F, x, i / QUANTIZE_WIDE, i % QUANTIZE_WIDE);
    quantize_sum_reference(F, n, numbers, 0, step, plain);
    quantize_sum_reference(F, n, numbers, 1, step, due);
    for (i = 0; i < N && z; i++) {
        const double v = hy_value(F, z, i / QUANTIZE_WIDE, i % QUANTIZE_WIDE);
        off += fabs(v - due[i]);
        apart += fabs(plain[i] - due[i]);
    }
    CHECK(z && apart > 0 && off < 0.01 * apart);        /* some sums lie between two steps */
    if (z && off >= 0.01 * apart) printf("    off %g, where 8 bits are off %g\n", off / N, apart / N);
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
}
static void quantize_sums(void) { quantize_sum(0); quantize_sum(1); }

/* What another place of the network reads, or would make of it, stays f32: a join of small numbers with large
 * ones, results that are not finite, sums whose sides have one row by chance, sums that `skip` names. */
enum { QUANTIZE_JOINED, QUANTIZE_ENDLESS, QUANTIZE_ONE_ROW, QUANTIZE_SKIPPED, QUANTIZE_APART };
typedef struct quantize_apart_net { hy_block base; hy_block *dense[4]; int turn; } quantize_apart_net;
static hy_array *quantize_apart_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    const quantize_apart_net *n = (const quantize_apart_net *)self;
    hy_array *second = n->turn == QUANTIZE_ONE_ROW ? hy_get(F, x, 1) : x, *a, *b;
    if (n->turn == QUANTIZE_ONE_ROW) x = hy_get(F, x, 0);
    a = hy_call(F, n->dense[0], x);
    b = hy_call(F, n->dense[1], second);
    if (n->turn == QUANTIZE_JOINED) {
        b = hy_mul_scalar(F, b, 1e-3);
        b = hy_call(F, n->dense[2], b);
        return hy_group(F, hy_call(F, n->dense[3], hy_concat(F, hy_group(F, a, b), 1)),
                        hy_call(F, n->dense[2], b));
    }
    a = hy_add(F, a, b);
    return n->turn == QUANTIZE_ENDLESS ? hy_tanh(F, a) : hy_call(F, n->dense[3], a);
}
static void quantize_apart(void)
{
    int turn;
    for (turn = 0; turn < QUANTIZE_APART; turn++) {
        hy_frame *F = hy_open(NULL);
        quantize_apart_net *n = HY_BLOCK_NEW(F, quantize_apart_net, quantize_apart_forward);
        const int rows = turn == QUANTIZE_ONE_ROW ? 1 : 3;
        hy_init init = hy_init_uniform(turn == QUANTIZE_ENDLESS ? 3e38 : 0.5);
        hy_quantize_opt opt = quantize_all;
        hy_array *x = quantize_noise(F, HY_SHAPE(rows, 8)), *y, *z;
        hy_block *small;
        char name[3] = "d0";
        int i;
        for (i = 0; i < 4; i++, name[1]++) n->dense[i] = hy_add_child(F, &n->base, name, hy_nn_dense(F, 8, NULL));
        n->turn = turn;
        hy_seed(F, 3);
        hy_initialize(F, &n->base, &init);
        if (turn == QUANTIZE_ONE_ROW) x = hy_group(F, x, quantize_noise(F, HY_SHAPE(1, 8)));
        hy_call(F, &n->base, x);
        if (turn == QUANTIZE_SKIPPED) opt.skip = "plus0";
        small = hy_quantize(F, &n->base, x, &opt);
        if (!CHECK(small)) { printf("    %s\n", hy_error(F)); hy_close(F); continue; }
        if (turn == QUANTIZE_ONE_ROW) x = hy_group(F, hy_get(F, x, 0), hy_mul_scalar(F, quantize_noise(F, HY_SHAPE(5, 8)), 0.3));
        y = hy_call(F, &n->base, x);
        z = hy_call(F, small, x);
        if (turn == QUANTIZE_JOINED) { y = hy_get(F, y, 1); z = hy_get(F, z, 1); }
        hy_hybridize(F, small, NULL);
        hy_call(F, small, x);
        CHECK(z && quantize_ops(F, small, "int8_add") == 0 && hy_size(F, y) == hy_size(F, z));
        if (z && turn != QUANTIZE_ENDLESS)
            CHECK(hy_item(F, hy_max(F, hy_abs(F, hy_sub(F, y, z)), HY_ALL, NULL)) <
                  0.06 * hy_item(F, hy_max(F, hy_abs(F, y), HY_ALL, NULL)));
        CHECK_STR(hy_error(F), NULL);
        CHECK(hy_close(F) == 0);
    }
}

/* A branch that hands on a whole number of an input: the copy in int8 knows its type, too. */
static hy_array *quantize_branch_counts(hy_frame *F, hy_array *x, void *user)
{
    (void)user;
    return hy_cast(F, hy_mul_scalar(F, hy_cast(F, x, HY_F32), 2), HY_I64);
}
static hy_array *quantize_branch_hands_on(hy_frame *F, hy_array *x, void *user)
{
    (void)F;
    (void)user;
    return x;
}
static hy_array *quantize_branch_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *in[2], *picked, *more;
    in[0] = hy_get(F, x, 0);
    in[1] = hy_get(F, x, 1);
    picked = hy_apply(F, "embedding", 2, in, "input_dim=3 output_dim=4");
    more = hy_greater_scalar(F, hy_sum(F, hy_cast(F, picked, HY_F32), HY_ALL, NULL), 1000);
    picked = hy_cond(F, more, quantize_branch_counts, quantize_branch_hands_on, picked, NULL);
    return hy_group(F, picked, hy_call(F, ((quantize_inputs_net *)self)->dense, hy_cast(F, picked, HY_F32)));
}
static void quantize_branches(void)
{
    int times;
    for (times = 1; times < 2000; times += 1000) {
        hy_frame *F = hy_open(NULL);
        quantize_inputs_net *n = HY_BLOCK_NEW(F, quantize_inputs_net, quantize_branch_forward);
        hy_array *x, *y, *z;
        hy_block *small;
        n->dense = hy_add_child(F, &n->base, "d", hy_nn_dense(F, 4, NULL));
        hy_initialize(F, &n->base, NULL);
        x = hy_group(F, hy_cast(F, hy_arange(F, 0, 2, 1), HY_I64),
                     hy_cast(F, hy_full(F, HY_SHAPE(3, 4), times), HY_I64));
        y = hy_call(F, &n->base, x);
        small = hy_quantize(F, &n->base, x, &quantize_all);
        z = small ? hy_call(F, small, x) : NULL;
        if (CHECK(z && hy_dtype_of(F, hy_get(F, z, 0)) == HY_I64))
            CHECK(hy_item(F, hy_max(F, hy_get(F, z, 0), HY_ALL, NULL)) == (times > 1 ? 2 * times : 1));
        if (z) CHECK_NEAR(hy_value(F, hy_get(F, z, 1), 1, 2), hy_value(F, hy_get(F, y, 1), 1, 2), 0.05 * times);
        CHECK_STR(hy_error(F), NULL);
        CHECK(!hy_close(F));
    }
}

/* What an operator would guess of its input's shape (pick: that the labels have all dims) is not what the
 * samples are. */
static hy_array *quantize_pick_turn(hy_frame *F, hy_array *x, hy_array *states, void *user)
{
    hy_pick_opt opt = { 0 };
    (void)states;
    opt.keepdims = 1;
    x = hy_tile(F, hy_reshape(F, x, HY_INTS(1, 3), NULL), HY_INTS(2, 1));
    return hy_group(F, hy_pick(F, x, hy_slice_axis(F, (hy_array *)user, 0, 0, 2), -1, &opt), NULL);
}
static hy_array *quantize_label_turn(hy_frame *F, hy_array *x, hy_array *states, void *user)
{
    (void)states;
    (void)user;
    return hy_group(F, NULL, hy_reshape(F, hy_tile(F, x, HY_INTS(2)), HY_INTS(6), NULL));
}
static hy_array *quantize_pick_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *labels = hy_mul(F, hy_get(F, x, 1), hy_get(F, x, 1)), *rows = hy_ones(F, HY_SHAPE(2, 3)), *y;
    y = hy_get(F, hy_foreach(F, quantize_pick_turn, rows, NULL, labels), 0);
    labels = hy_get(F, hy_foreach(F, quantize_label_turn, rows, labels, NULL), 1);
    return hy_group(F, hy_call(F, ((quantize_inputs_net *)self)->dense, hy_get(F, x, 0)), labels, y);
}
static void quantize_picks(void)
{
    hy_frame *F = hy_open(NULL);
    quantize_inputs_net *n = HY_BLOCK_NEW(F, quantize_inputs_net, quantize_pick_forward);
    hy_array *x, *y, *z;
    hy_block *small;
    n->dense = hy_add_child(F, &n->base, "d", hy_nn_dense(F, 4, NULL));
    hy_initialize(F, &n->base, NULL);
    x = hy_group(F, quantize_noise(F, HY_SHAPE(2, 3)), hy_arange(F, 0, 6, 1));
    y = hy_call(F, &n->base, x);
    small = hy_quantize(F, &n->base, x, &quantize_all);
    z = small ? hy_call(F, small, x) : NULL;
    CHECK_STR(hy_error(F), NULL);
    CHECK(z && quantize_same(F, hy_get(F, y, 1), hy_get(F, z, 1)));
    if (z) CHECK_NEAR(hy_value(F, hy_get(F, z, 0), 1, 0), hy_value(F, hy_get(F, y, 0), 1, 0), 0.05);
    CHECK(!hy_close(F));
}

/* Neither a batch nor batches: what is wrong with either. */
static void quantize_no_samples(void)
{
    hy_frame *F = hy_open(NULL);
    quantize_inputs_net *n = HY_BLOCK_NEW(F, quantize_inputs_net, quantize_inputs_forward);
    n->inputs = 2;
    n->dense = hy_add_child(F, &n->base, "d", hy_nn_dense(F, 4, NULL));
    hy_initialize(F, &n->base, NULL);
    CHECK(!hy_quantize(F, &n->base, hy_group(F, hy_ones(F, HY_SHAPE(2, 7)), hy_ones(F, HY_SHAPE(3, 5))), &quantize_all));
    CHECK(hy_error(F) && strstr(hy_error(F), "are no batch (") && strstr(hy_error(F), "nor batches ("));
    CHECK(hy_error(F) && strstr(hy_error(F), "(3,5)") && strstr(hy_error(F), "hy_get: index 1"));
    hy_close(F);
}

/* No samples, and none that tell how large numbers are, give no copy and no report. */
static void quantize_of_nothing(void)
{
    int called, k;
    for (called = 0; called < 3; called++) for (k = 0; k < 5; k++) {
        hy_frame *F = hy_open(NULL);
        hy_block *net = hy_nn_hybrid_sequential(F), *small;
        hy_nn_dense_opt dense = { 0 };
        hy_quantize_opt opt = quantize_all;
        hy_quantize_report report = { 0 };
        hy_array *zeros = hy_zeros(F, HY_SHAPE(4, 8)), *none = hy_zeros(F, HY_SHAPE(0, 8)), *x, *samples;
        dense.activation = "relu";
        opt.report = &report;
        hy_append(F, net, hy_nn_dense(F, 32, &dense), hy_nn_dense(F, 2, NULL));
        hy_initialize(F, net, NULL);
        x = quantize_noise(F, HY_SHAPE(3, 8));
        if (called == 2) hy_hybridize(F, net, NULL);
        if (called) hy_call(F, net, x);
        samples = k == 0 ? none : k == 1 ? zeros : k == 2 ? hy_group(F, zeros, zeros)
                : k == 3 ? hy_group(F, zeros, x) : x;
        small = hy_quantize(F, net, samples, &opt);
        if (k < 3) {
            CHECK(!small && hy_error(F) && strstr(hy_error(F), "the samples are none, or nothing but zeros"));
            CHECK(report.layers == 0 && report.same == 0);
            hy_clear(F);
            small = hy_quantize(F, net, x, &opt);       /* the network is as it was */
        }
        CHECK(small && report.layers == 2 && report.mean < 0.1);
        CHECK(hy_size(F, hy_call(F, small, x)) == 6);
        if (!CHECK(!hy_error(F))) printf("    %d, %d: %s\n", called, k, hy_error(F));
        hy_clear(F);
        hy_close(F);
    }
}

static int quantize_with_little_memory(hy_frame *F)
{
    hy_block *net = hy_nn_hybrid_sequential(F), *small;
    hy_array *x = quantize_noise(F, HY_SHAPE(2, 3, 5)), *y;
    hy_quantize_report report;
    hy_quantize_opt opt = quantize_all;
    int right;
    opt.entropy = 1;
    opt.report = &report;
    hy_append(F, net, hy_nn_conv1d(F, 4, HY_INTS(3), NULL), hy_nn_batch_norm(F, NULL), hy_nn_dense(F, 3, NULL));
    hy_initialize(F, net, NULL);
    small = hy_quantize(F, net, x, &opt);
    y = small ? hy_call(F, small, x) : NULL;
    right = y && report.layers == 2 && report.largest < 0.1 && hy_size(F, y) == 6;
    hy_block_free(F, small);
    hy_block_free(F, net);
    return right;
}
static int quantize_inputs_with_little_memory(hy_frame *F)
{
    quantize_inputs_net *n = HY_BLOCK_NEW(F, quantize_inputs_net, quantize_inputs_forward);
    hy_array *batch[2], *y;
    hy_block *small;
    int right;
    if (!n) return 0;
    n->inputs = 2;
    n->dense = hy_add_child(F, &n->base, "d", hy_nn_dense(F, 4, NULL));
    hy_initialize(F, &n->base, NULL);
    batch[0] = quantize_batch(F, 2, 1);
    batch[1] = quantize_batch(F, 2, 2);
    small = hy_quantize(F, &n->base, hy_group_of(F, 2, batch), &quantize_all);
    y = small ? hy_call(F, small, batch[0]) : NULL;
    right = y && hy_size(F, y) == 8;
    if (small) hy_block_free(F, small);
    hy_block_free(F, &n->base);
    return right;
}

static void quantize_memory(void)
{
    oom_walk(quantize_with_little_memory, 1);
    oom_walk(quantize_inputs_with_little_memory, 1);
}

/* `each` hears of every batch as often as it is gone through, and ends no bracket of its caller's. */
typedef struct quantize_heard { int calls, rude, sound; double last; } quantize_heard;
static void quantize_each(hy_frame *F, double share, void *user)
{
    quantize_heard *h = (quantize_heard *)user;
    h->calls++;
    h->sound = h->sound && share > h->last && share <= 1;
    h->last = share;
    if (h->rude) hy_end(F);
}
static void quantize_tells(void)
{
    int entropy, reported, rude;
    for (entropy = 0; entropy < 2; entropy++)
        for (reported = 0; reported < 2; reported++) {
            hy_frame *F = hy_open(NULL);
            hy_block *net = quantize_net(F);
            hy_array *x = quantize_images(F), *batches[3];
            hy_quantize_report report;
            hy_quantize_opt opt = quantize_all;
            quantize_heard heard = { 0, 0, 1, 0 };
            int i;
            for (i = 0; i < 3; i++) batches[i] = hy_slice_axis(F, x, 0, i, i + 1);
            opt.entropy = entropy;
            if (reported) opt.report = &report;
            opt.each = quantize_each;
            opt.user = &heard;
            hy_call(F, net, x);
            CHECK(hy_quantize(F, net, hy_group_of(F, 3, batches), &opt) && !hy_error(F));
            CHECK(heard.calls == 3 * (1 + entropy + reported) && heard.sound && heard.last == 1);
            for (rude = 0; rude < 2; rude++) {
                hy_begin(F);
                heard.rude = rude;
                heard.last = 0;
                CHECK((hy_quantize(F, net, hy_group_of(F, 3, batches), &opt) == NULL) == rude);
                CHECK(!rude || (hy_error(F) && strstr(hy_error(F), "there is no open hy_begin")));
                hy_clear(F);
                hy_end(F);
                CHECK(!hy_error(F));
            }
            CHECK(hy_close(F) == 0);
        }
}

static void test_quantize(void)
{
    RUN(quantize_network);
    RUN(quantize_padding_behind);
    RUN(quantize_deep);
    RUN(quantize_costs);
    RUN(quantize_slower);
    RUN(quantize_kept);
    RUN(quantize_kernels);
    RUN(quantize_eight_bits);
    RUN(quantize_products_of_nothing);
    RUN(quantize_deep_images);
    RUN(quantize_eight_refused);
    RUN(quantize_bits);
    RUN(quantize_thresholds);
    RUN(quantize_channels);
    RUN(quantize_kinds);
    RUN(quantize_refusals);
    RUN(quantize_inputs);
    RUN(quantize_twice);
    RUN(quantize_again);
    RUN(quantize_no_scales);
    RUN(quantize_between);
    RUN(quantize_sums);
    RUN(quantize_apart);
    RUN(quantize_branches);
    RUN(quantize_picks);
    RUN(quantize_no_samples);
    RUN(quantize_of_nothing);
    RUN(quantize_tells);
    RUN(quantize_memory);
}
#else
static void test_quantize(void) { }
#endif
