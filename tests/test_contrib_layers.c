/* Layers and cells of gluon.contrib: against loops, dense cells or operators, in every way that a block goes: line by
 * line, hybridized, exact, saved and loaded, exported and read again, unrolled, in a loop of a graph. */
#if !defined(HYBRID_NO_RNN) && !defined(HYBRID_NO_VISION)

/* All outputs of a net the same in all ways. Gives those of line by line. */
static hy_array *contrib_ways(hy_frame *F, hy_block *net, hy_array *x)
{
    hy_array *due = hy_call(F, net, x), *bytes, *y;
    hy_block *other;
    hy_hybridize_opt exact = { 0 };
    int way, i;
    exact.exact = 1;
    for (way = 0; way < 6 && !hy_error(F); way++) {
        other = net;
        if (way < 2) hy_hybridize(F, net, way ? &exact : NULL);
        else if (way < 4) {
            bytes = hy_save_model_to(F, net, x);
            other = hy_load_model_from(F, hy_data(F, bytes), (size_t)hy_size(F, bytes), 0);
        } else {
            hy_export(F, net, "contrib", 0);
            other = hy_import(F, "contrib", 0);
        }
        if (other && way % 2) hy_hybridize(F, other, &exact);
        y = hy_call(F, other, x);
        CHECK(hy_count(F, y) == hy_count(F, due));
        for (i = 0; i < hy_count(F, due); i++) LAY_NEAR(F, hy_get(F, y, i), hy_get(F, due, i), 2e-6);
        if (other != net) hy_block_free(F, other);
    }
    remove("contrib-symbol.json");
    remove("contrib-0000.params");
    LAY_OK(F);
    return due;
}

static void contrib_shuffle(void)
{
    static const int64_t factor[3][3] = { { 3 }, { 2, 3 }, { 3, 1, 2 } };
    hy_frame *F = hy_open(NULL);
    hy_block *(*const make[])(hy_frame *, hy_ints) = { hy_nn_pixel_shuffle1d, hy_nn_pixel_shuffle2d, hy_nn_pixel_shuffle3d };
    const char *const says[] = { "3", "(2, 3)", "(3, 1, 2)" };
    int dims, d;
    for (dims = 1; dims <= 3; dims++) {
        hy_ints f = { 0 };
        hy_shape s;
        hy_block *net;
        hy_array *x, *y;
        int64_t all = 1, i, right = 0;
        f.n = dims;
        for (d = 0; d < dims; d++) all *= f.v[d] = factor[dims - 1][d];
        s.ndim = dims + 2;
        s.dim[0] = 2;
        s.dim[1] = 2 * all;
        for (d = 0; d < dims; d++) s.dim[d + 2] = d + 2;
        x = lay_input(F, s);
        net = make[dims - 1](F, f);
        LAY_DESCRIBE(net, says[dims - 1]);
        y = contrib_ways(F, net, x);
        for (i = 0; i < hy_size(F, x); i++) {           /* place p f + k of channel c was place p of channel c f + k */
            int64_t rest = i, at[5], from[3], part[3], channel, k = 0, place = 0;
            for (d = dims - 1; d >= 0; d--) {
                int64_t wide = s.dim[d + 2] * f.v[d];
                at[d] = rest % wide;
                rest /= wide;
                from[d] = at[d] / f.v[d];
                part[d] = at[d] % f.v[d];
            }
            channel = rest % 2;
            for (d = 0; d < dims; d++) k = k * f.v[d] + part[d];
            for (d = 0; d < dims; d++) place = place * s.dim[d + 2] + from[d];
            place += ((rest / 2) * s.dim[1] + channel * all + k) * (hy_size(F, x) / (2 * s.dim[1]));
            right += ((const float *)hy_data(F, y))[i] == ((const float *)hy_data(F, x))[place];
        }
        CHECK(right == hy_size(F, x));
    }
    CHECK(hy_call(F, hy_nn_pixel_shuffle2d(F, HY_INTS(2)), hy_ones(F, HY_SHAPE(1, 8, 2, 3))) != NULL);
    LAY_OK(F);
    hy_call(F, hy_nn_pixel_shuffle2d(F, HY_INTS(2)), hy_ones(F, HY_SHAPE(1, 6, 2, 3)));
    LAY_EXPECT(F, HY_ERROR_SHAPE, "PixelShuffle2D: 6 channels are not a multiple of 4");
    hy_call(F, hy_nn_pixel_shuffle1d(F, HY_INTS(2)), hy_ones(F, HY_SHAPE(1, 6, 2, 3)));
    LAY_EXPECT(F, HY_ERROR_SHAPE, "PixelShuffle1D: data (1,6,2,3) have 4 dims, where 3 are due");
    CHECK(!hy_nn_pixel_shuffle3d(F, HY_INTS(2, 0, 1)));
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "PixelShuffle3D: factor is 0");
    CHECK(!hy_nn_pixel_shuffle2d(F, HY_INTS(1, 2, 3)));
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "PixelShuffle2D: factor has 3 numbers, where 1 or 2 are due");
    CHECK(hy_close(F) == 0);
}

static void contrib_deformable(void)
{
    hy_frame *F = hy_open(NULL);
    hy_nn_deformable_convolution_opt o = { 0 };
    hy_nn_conv_opt c = { 0 };
    hy_deformable_convolution_opt d = { 0 };
    hy_block *net, *plain;
    hy_array *x = lay_input(F, HY_SHAPE(2, 4, 6, 7)), *y, *offset;
    o.padding = c.padding = d.pad = HY_INTS(1, 1);
    o.num_deformable_group = d.num_deformable_group = 2;
    o.groups = c.groups = d.num_group = 2;
    o.activation = c.activation = "relu";
    net = hy_nn_deformable_convolution(F, 6, HY_INTS(3), &o);
    plain = hy_nn_conv2d(F, 6, HY_INTS(3), &c);
    hy_initialize(F, net, NULL);
    hy_initialize(F, plain, NULL);
    y = contrib_ways(F, net, x);
    hy_call(F, plain, x);
    hy_set_param(F, hy_param(F, plain, "weight"), hy_param(F, net, "deformable_conv_weight"));
    LAY_NEAR(F, y, hy_call(F, plain, x), 2e-6);         /* offsets begin as zeros */
    LAY_DESCRIBE(net, "4 -> 6, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1), groups=2, Activation(relu)");
    LAY_SHAPE(F, hy_param(F, net, "offset_weight"), 36, 2, 3, 3);
    LAY_SHAPE(F, hy_param(F, net, "offset_bias"), 36);
    LAY_SHAPE(F, hy_param(F, net, "deformable_conv_weight"), 6, 2, 3, 3);
    LAY_SHAPE(F, hy_param(F, net, "deformable_conv_bias"), 6);
    hy_set_param(F, hy_param(F, net, "offset_weight"), lay_input(F, HY_SHAPE(36, 2, 3, 3)));
    hy_set_param(F, hy_param(F, net, "offset_bias"), lay_input(F, HY_SHAPE(36)));
    c.no_bias = 0;
    offset = hy_convolution(F, x, hy_param(F, net, "offset_weight"), hy_param(F, net, "offset_bias"), HY_INTS(3, 3), 36,
                            &(hy_convolution_opt){ .pad = HY_INTS(1, 1), .num_group = 2 });
    y = hy_deformable_convolution(F, x, offset, hy_param(F, net, "deformable_conv_weight"),
                                  hy_param(F, net, "deformable_conv_bias"), HY_INTS(3, 3), 6, &d);
    LAY_NEAR(F, contrib_ways(F, net, x), hy_relu(F, y), 2e-5);
    o.layout = HY_LAYOUT_NHWC;
    CHECK(!hy_nn_deformable_convolution(F, 6, HY_INTS(3), &o));
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "DeformableConvolution: layout NHWC");
    o.layout = 0;
    o.in_channels = 3;
    CHECK(!hy_nn_deformable_convolution(F, 6, HY_INTS(3), &o));
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "DeformableConvolution: 3 channels");
    o.in_channels = 0;
    o.num_deformable_group = -1;
    CHECK(!hy_nn_deformable_convolution(F, 6, HY_INTS(3), &o));
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "num_deformable_group is -1");
    CHECK(hy_close(F) == 0);
}

/* A net that gives a cell's steps: unrolled, or in a loop of the graph. */
typedef struct contrib_steps { hy_block base; hy_block *cell; int loop; } contrib_steps;
static hy_array *contrib_turn(hy_frame *F, hy_array *item, hy_array *states, void *user)
{
    hy_array *in[6], *y;
    int i, n = hy_count(F, states);
    in[0] = item;
    for (i = 0; i < n; i++) in[i + 1] = hy_get(F, states, i);
    y = hy_call(F, (hy_block *)user, hy_group_of(F, n + 1, in));
    for (i = 0; i < n; i++) in[i + 1] = hy_get(F, y, i + 1);
    return hy_group(F, hy_get(F, y, 0), n > 1 ? hy_group_of(F, n, in + 1) : in[1]);
}
static hy_array *contrib_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    contrib_steps *s = (contrib_steps *)(void *)self;
    hy_rnn_unroll_opt o = { 0 };
    hy_array *states[7], *y;
    int i, n = hy_count(F, x) - 1;
    o.layout = HY_LAYOUT_TNC;
    for (i = 0; i < n; i++) states[i] = hy_get(F, x, i + 1);
    if (!s->loop) return hy_rnn_unroll(F, s->cell, 4, hy_get(F, x, 0), n ? hy_group_of(F, n, states) : NULL, &o);
    y = hy_foreach(F, contrib_turn, hy_get(F, x, 0), n > 1 ? hy_group_of(F, n, states) : states[0], s->cell);
    for (i = 0; i < n; i++) states[i + 1] = hy_get(F, hy_get(F, y, 1), i);
    states[0] = hy_get(F, y, 0);
    return hy_group_of(F, n + 1, states);
}
static hy_block *contrib_net(hy_frame *F, hy_block *cell, int loop)
{
    contrib_steps *s = HY_BLOCK_NEW(F, contrib_steps, contrib_forward);
    s->loop = loop;
    s->cell = hy_add_child(F, &s->base, "cell", cell);
    return &s->base;
}
/* x and the cell's first states. */
static hy_array *contrib_inputs(hy_frame *F, hy_block *cell, hy_array *x)
{
    hy_array *s = hy_rnn_begin_state(F, cell, 2), *in[6];
    int i, n = hy_count(F, s);
    in[0] = x;
    for (i = 0; i < n; i++) in[i + 1] = hy_get(F, s, i);
    return hy_group_of(F, n + 1, in);
}
/* Unrolled and in a loop it is what steps by hand give. */
static void contrib_sequence(hy_frame *F, hy_block *(*make)(hy_frame *), hy_array *x)
{
    hy_block *cell = make(F), *net;
    hy_array *in, *y, *state[6], *all[4], *due;
    int loop, t, i, n;
    hy_initialize(F, cell, NULL);
    hy_call(F, contrib_net(F, cell, 0), x);             /* finds the sizes */
    in = contrib_inputs(F, cell, x);
    n = hy_count(F, in) - 1;
    for (i = 0; i < n; i++) state[i] = hy_get(F, in, i + 1);
    for (t = 0; t < 4; t++) {
        hy_array *item = hy_reshape(F, hy_slice_axis(F, x, 0, t, t + 1), HY_INTS(-3, -2), NULL);
        y = contrib_turn(F, item, n > 1 ? hy_group_of(F, n, state) : state[0], cell);
        all[t] = hy_get(F, y, 0);
        for (i = 0; i < n; i++) state[i] = hy_get(F, hy_get(F, y, 1), i);
    }
    due = hy_stack(F, hy_group_of(F, 4, all), 0);
    for (loop = 0; loop < 2; loop++) {
        net = contrib_net(F, make(F), loop);
        hy_initialize(F, net, NULL);
        hy_hybridize(F, net, NULL);
        hy_call(F, net, in);
        {
            hy_params to = hy_collect_params(F, net, NULL), from = hy_collect_params(F, cell, NULL);
            CHECK(to.n == from.n);
            for (i = 0; i < to.n && i < from.n; i++) hy_set_param(F, to.at[i], from.at[i]);
        }
        hy_hybridize(F, net, &(hy_hybridize_opt){ .inactive = 1 });
        y = contrib_ways(F, net, in);
        LAY_NEAR(F, hy_get(F, y, 0), due, 2e-6);
        for (i = 0; i < n; i++) LAY_NEAR(F, hy_get(F, y, i + 1), state[i], 2e-6);
    }
    LAY_OK(F);
}

/* --- convolutional cells --- */
static hy_block *contrib_conv(hy_frame *F, int mode, hy_shape s, int kernel, int layout, hy_block *act)
{
    hy_rnn_conv_cell_opt o = { 0 };
    o.conv_layout = layout;
    o.i2h_pad = HY_INTS(kernel / 2);
    o.activation_block = act;
    o.i2h_bias_initializer = o.h2h_bias_initializer = hy_init_uniform(0.5);
    return (mode == 0 ? hy_rnn_conv_rnn_cell : mode == 1 ? hy_rnn_conv_lstm_cell : hy_rnn_conv_gru_cell)(
        F, s, 5, HY_INTS(kernel), HY_INTS(kernel), &o);
}
/* Of one tap it is the dense cell at every place; with channels last it is the same. */
static void contrib_conv_cells(void)
{
    hy_frame *F = hy_open(NULL);
    const char *const names[] = { "i2h_weight", "h2h_weight", "i2h_bias", "h2h_bias" };
    int mode, k, i;
    for (mode = 0; mode < 3; mode++) {
        hy_block *cell = contrib_conv(F, mode, HY_SHAPE(3, 2, 4), 1, 0, NULL);
        hy_block *wide = contrib_conv(F, mode, HY_SHAPE(3, 2, 4), 3, 0, NULL);
        hy_block *last = contrib_conv(F, mode, HY_SHAPE(2, 4, 3), 3, HY_LAYOUT_NHWC, NULL);
        hy_block *dense = (mode == 0 ? hy_rnn_rnn_cell : mode == 1 ? hy_rnn_lstm_cell : hy_rnn_gru_cell)(F, 5, NULL);
        hy_array *in[3], *flat[3], *turned[3], *y, *z;
        int n = 1 + hy_count(F, hy_rnn_begin_state(F, cell, 2));
        in[0] = lay_input(F, HY_SHAPE(2, 3, 2, 4));
        for (i = 1; i < n; i++) in[i] = lay_input(F, HY_SHAPE(2, 5, 2, 4));
        for (i = 0; i < n; i++) turned[i] = hy_transpose(F, in[i], HY_AXES(0, 2, 3, 1));
        for (i = 0; i < n; i++) flat[i] = hy_reshape(F, turned[i], HY_INTS(16, -1), NULL);
        hy_initialize(F, cell, NULL);
        hy_initialize(F, wide, NULL);
        hy_initialize(F, last, NULL);
        hy_initialize(F, dense, NULL);
        hy_call(F, dense, hy_group_of(F, n, flat));
        y = contrib_ways(F, cell, hy_group_of(F, n, in));
        for (k = 0; k < 4; k++)
            hy_set_param(F, hy_param(F, dense, names[k]), hy_reshape_like(F, hy_param(F, cell, names[k]), hy_param(F, dense, names[k]), NULL));
        z = hy_call(F, dense, hy_group_of(F, n, flat));
        for (i = 0; i < n; i++) {
            hy_array *places = hy_reshape(F, hy_transpose(F, hy_get(F, y, i), HY_AXES(0, 2, 3, 1)), HY_INTS(16, -1), NULL);
            LAY_NEAR(F, places, hy_get(F, z, i), 2e-6);
        }
        for (k = 0; k < 4; k++)
            hy_set_param(F, hy_param(F, last, names[k]), k > 1 ? hy_param(F, wide, names[k])
                : hy_transpose(F, hy_param(F, wide, names[k]), HY_AXES(0, 2, 3, 1)));
        y = contrib_ways(F, wide, hy_group_of(F, n, in));
        z = contrib_ways(F, last, hy_group_of(F, n, turned));
        for (i = 0; i < n; i++) LAY_NEAR(F, hy_transpose(F, hy_get(F, y, i), HY_AXES(0, 2, 3, 1)), hy_get(F, z, i), 4e-6);
        LAY_OK(F);
    }
    LAY_DESCRIBE(contrib_conv(F, 1, HY_SHAPE(3, 2, 4), 3, 0, NULL), "3 -> 20, tanh, NCHW");
    CHECK(hy_close(F) == 0);
}
static hy_block *contrib_of_1d(hy_frame *F) { return contrib_conv(F, 0, HY_SHAPE(3, 6), 3, 0, hy_nn_leaky_relu(F, 0.25)); }
static hy_block *contrib_of_2d(hy_frame *F) { return contrib_conv(F, 1, HY_SHAPE(3, 2, 3), 3, 0, NULL); }
static hy_block *contrib_of_3d(hy_frame *F) { return contrib_conv(F, 2, HY_SHAPE(0, 2, 3, 2), 1, 0, NULL); }
static void contrib_conv_sequences(void)
{
    hy_frame *F = hy_open(NULL);
    hy_rnn_conv_cell_opt o = { 0 };
    contrib_sequence(F, contrib_of_1d, lay_input(F, HY_SHAPE(4, 2, 3, 6)));
    contrib_sequence(F, contrib_of_2d, lay_input(F, HY_SHAPE(4, 2, 3, 2, 3)));
    contrib_sequence(F, contrib_of_3d, lay_input(F, HY_SHAPE(4, 2, 2, 2, 3, 2)));
    CHECK(!hy_rnn_conv_rnn_cell(F, HY_SHAPE(3, 4, 5), 2, HY_INTS(3), HY_INTS(2), NULL));
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "Conv2DRNNCell: h2h_kernel 2 is even");
    CHECK(!hy_rnn_conv_lstm_cell(F, HY_SHAPE(3, 4), 2, HY_INTS(5), HY_INTS(3), NULL));
    LAY_EXPECT(F, HY_ERROR_SHAPE, "Conv1DLSTMCell: i2h_kernel is larger than input_shape (3,4)");
    CHECK(!hy_rnn_conv_gru_cell(F, HY_SHAPE(3), 2, HY_INTS(1), HY_INTS(1), NULL));
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "Conv1DGRUCell: input_shape has 1 dims");
    CHECK(!hy_rnn_conv_gru_cell(F, HY_SHAPE(3, 0), 2, HY_INTS(1), HY_INTS(1), NULL));
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "Conv1DGRUCell: input_shape is 0");
    o.conv_layout = HY_LAYOUT_NCHW;
    CHECK(!hy_rnn_conv_gru_cell(F, HY_SHAPE(3, 4), 2, HY_INTS(1), HY_INTS(1), &o));
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "Conv1DGRUCell: layout");
    o.conv_layout = 0;
    o.activation = "nonsense";
    CHECK(!hy_rnn_conv_gru_cell(F, HY_SHAPE(3, 4), 2, HY_INTS(1), HY_INTS(1), &o));
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "Conv1DGRUCell");
    CHECK(!hy_rnn_conv_gru_cell(F, HY_SHAPE(3, 4), 0, HY_INTS(1), HY_INTS(1), NULL));
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "Conv1DGRUCell: hidden_channels is 0");
    CHECK(hy_close(F) == 0);
}

/* --- LSTMPCell: in doubles --- */
static double contrib_sigmoid(double x) { return 1 / (1 + exp(-x)); }
static hy_block *contrib_of_lstmp(hy_frame *F) { return hy_rnn_lstmp_cell(F, 4, 3, NULL); }
static void contrib_lstmp(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *cell = hy_rnn_lstmp_cell(F, 4, 3, NULL);
    hy_array *x = lay_input(F, HY_SHAPE(1, 2)), *r = lay_input(F, HY_SHAPE(1, 3)), *c = lay_input(F, HY_SHAPE(1, 4)), *y, *w[5];
    const char *const names[] = { "i2h_weight", "h2h_weight", "h2r_weight", "i2h_bias", "h2h_bias" };
    double gate[16], h[4], next, sum;
    hy_params params;
    int i, k;
    hy_initialize(F, cell, NULL);
    hy_call(F, cell, hy_group(F, x, r, c));
    params = hy_collect_params(F, cell, NULL);
    CHECK(params.n == 5);
    for (i = 0; i < 5 && i < params.n; i++) {
        CHECK(!strcmp(hy_param_path(F, cell, params.at[i]), names[i]));
        w[i] = lay_input(F, hy_shape_of(F, params.at[i]));
        hy_set_param(F, params.at[i], w[i]);
    }
    LAY_DESCRIBE(cell, "2 -> 16 -> 3");
    y = contrib_ways(F, cell, hy_group(F, x, r, c));
    for (k = 0; k < 16; k++) {
        gate[k] = hy_value(F, w[3], k) + hy_value(F, w[4], k);
        for (i = 0; i < 2; i++) gate[k] += hy_value(F, w[0], k, i) * hy_value(F, x, 0, i);
        for (i = 0; i < 3; i++) gate[k] += hy_value(F, w[1], k, i) * hy_value(F, r, 0, i);
    }
    for (k = 0; k < 4; k++) {
        next = contrib_sigmoid(gate[4 + k]) * hy_value(F, c, 0, k) + contrib_sigmoid(gate[k]) * tanh(gate[8 + k]);
        CHECK_NEAR(hy_value(F, hy_get(F, y, 2), 0, k), next, 1e-5);
        h[k] = contrib_sigmoid(gate[12 + k]) * tanh(next);
    }
    for (i = 0; i < 3; i++) {
        for (sum = k = 0; k < 4; k++) sum += hy_value(F, w[2], i, k) * h[k];
        CHECK_NEAR(hy_value(F, hy_get(F, y, 0), 0, i), sum, 1e-5);
        CHECK(hy_value(F, hy_get(F, y, 1), 0, i) == hy_value(F, hy_get(F, y, 0), 0, i));
    }
    contrib_sequence(F, contrib_of_lstmp, lay_input(F, HY_SHAPE(4, 2, 5)));
    CHECK(hy_count(F, hy_rnn_begin_state(F, hy_rnn_zoneout_cell(F, hy_rnn_lstmp_cell(F, 4, 3, NULL), 0.5, 0), 2)) == 3);
    LAY_SHAPE(F, hy_get(F, hy_rnn_begin_state(F, hy_rnn_zoneout_cell(F, hy_rnn_lstmp_cell(F, 4, 3, NULL), 0.5, 0), 2), 2), 2, 3);
    CHECK(!hy_rnn_lstmp_cell(F, 4, 0, NULL));
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "LSTMPCell: projection_size is 0");
    CHECK(hy_close(F) == 0);
}

/* --- VariationalDropoutCell --- */
static hy_block *contrib_of_masks(hy_frame *F)
{
    hy_rnn_variational_dropout_cell_opt o = { 0 };
    o.drop_inputs = 0.25;
    o.drop_states = o.drop_outputs = 0.5;
    return hy_rnn_variational_dropout_cell(F, hy_rnn_lstm_cell(F, 32, NULL), &o);
}
/* What a mask says is what happens: steps of the cell within, on masked inputs and states. */
static void contrib_follow(hy_frame *F, hy_block *cell, hy_array *x, hy_array *y)
{
    hy_array *mask[3], *h = hy_zeros(F, HY_SHAPE(2, 32)), *c = h, *step;
    int t, i, j, kept = 0, dropped = 0;
    for (i = 0; i < 3; i++) mask[i] = hy_relu(F, hy_get(F, y, 3 + i));
    for (i = 0; i < 2; i++)
        for (j = 0; j < 32; j++) {
            double v = hy_value(F, hy_get(F, y, 5), i, j);
            kept += v == 2;
            dropped += v == -1;
        }
    CHECK(kept + dropped == 64 && kept > 12 && dropped > 12);
    for (t = 0; t < 4; t++) {
        hy_array *item = hy_reshape(F, hy_slice_axis(F, x, 0, t, t + 1), HY_INTS(2, 5), NULL);
        step = hy_call(F, hy_child(F, cell, 0), hy_group(F, hy_mul(F, item, mask[0]), hy_mul(F, h, mask[1]), c));
        h = hy_get(F, step, 1);
        c = hy_get(F, step, 2);
        LAY_NEAR(F, hy_mul(F, hy_get(F, step, 0), mask[2]),
                 hy_reshape(F, hy_slice_axis(F, hy_get(F, y, 0), 0, t, t + 1), HY_INTS(2, 32), NULL), 2e-6);
    }
    LAY_NEAR(F, hy_get(F, y, 1), h, 2e-6);
    LAY_NEAR(F, hy_get(F, y, 2), c, 2e-6);
    LAY_OK(F);
}
static void contrib_masks(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *cell = contrib_of_masks(F), *net, *both;
    hy_rnn_variational_dropout_cell_opt o = { 0 };
    hy_array *x = lay_input(F, HY_SHAPE(4, 2, 5)), *in, *y, *other;
    int loop, compiled;
    LAY_DESCRIBE(cell, "p_out = 0.5, p_state = 0.5");
    contrib_sequence(F, contrib_of_masks, x);           /* in inference nothing is dropped */
    hy_initialize(F, cell, NULL);
    hy_rnn_begin_state(F, cell, 2);
    LAY_EXPECT(F, HY_ERROR_STATE, "give it input_size, or call it once");
    hy_call(F, contrib_net(F, cell, 0), x);
    in = contrib_inputs(F, cell, x);
    CHECK(hy_count(F, in) == 6);
#ifndef HYBRID_NO_TRAIN
    hy_set_training(F, 1);
    for (loop = 0; loop < 2; loop++) {
        net = contrib_net(F, cell, loop);
        for (compiled = 0; compiled < 2; compiled++) {
            if (compiled) hy_hybridize(F, net, NULL);
            y = hy_call(F, net, in);
            contrib_follow(F, cell, x, y);
            other = hy_call(F, net, in);                /* another sequence, other masks */
            CHECK(lay_distance(F, hy_get(F, other, 5), hy_get(F, y, 5)) > 1);
            {
                hy_array *again = hy_call(F, net, hy_group(F, x, hy_get(F, in, 1), hy_get(F, in, 2), hy_get(F, y, 3), hy_get(F, y, 4),
                                                           hy_get(F, y, 5)));
                LAY_NEAR(F, hy_get(F, again, 0), hy_get(F, y, 0), 2e-6);        /* the same masks */
            }
        }
        if (!loop) contrib_follow(F, cell, x, hy_call(F, net, x));
    }
    hy_set_training(F, 0);
#endif
    (void)net; (void)y; (void)other; (void)loop; (void)compiled;
    both = hy_rnn_bidirectional_cell(F, hy_rnn_rnn_cell(F, 2, NULL), hy_rnn_rnn_cell(F, 2, NULL));
    o.drop_states = 0.5;
    CHECK(!hy_rnn_variational_dropout_cell(F, both, &o));
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "drop_states in a BidirectionalCell");
    CHECK(!hy_rnn_variational_dropout_cell(F, hy_append(F, hy_rnn_sequential_cell(F), both), &o));
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "drop_states in a BidirectionalCell");
    both = hy_rnn_bidirectional_cell(F, hy_rnn_rnn_cell(F, 2, NULL), hy_rnn_rnn_cell(F, 2, NULL));
    o.drop_states = 0;
    o.drop_inputs = 0.5;
    cell = hy_rnn_variational_dropout_cell(F, both, &o);
    hy_initialize(F, cell, NULL);
    LAY_SHAPE(F, hy_get(F, hy_rnn_unroll(F, cell, 4, hy_swap_axes(F, x, 0, 1), NULL, NULL), 0), 2, 4, 4);
    LAY_OK(F);
    o.drop_inputs = 1.5;
    CHECK(!hy_rnn_variational_dropout_cell(F, hy_rnn_rnn_cell(F, 2, NULL), &o));
    LAY_EXPECT(F, HY_ERROR_ARGUMENT, "drop_inputs is 1.5");
    o.drop_inputs = 0;
    o.drop_states = 0.5;
    cell = hy_rnn_variational_dropout_cell(F, hy_rnn_dropout_cell(F, 0.5, NULL), &o);
    hy_rnn_unroll(F, cell, 4, hy_swap_axes(F, x, 0, 1), NULL, NULL);
    LAY_EXPECT(F, HY_ERROR_STATE, "DropoutCell has no state to drop");
    CHECK(hy_close(F) == 0);
}

static void test_contrib_layers(void)
{
    RUN(contrib_shuffle);
    RUN(contrib_deformable);
    RUN(contrib_conv_cells);
    RUN(contrib_conv_sequences);
    RUN(contrib_lstmp);
    RUN(contrib_masks);
}
#else
static void test_contrib_layers(void) {}
#endif
