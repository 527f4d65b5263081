/* Ready-made layers, blocks made of them, and losses, as a program has them: a row is a function that
 * makes one from a few whole numbers, and cases of inputs and numbers: "(2,5) | 4 1". The text of a
 * function is compiled here and printed into programs as C, so the two cannot differ. Rows and cases are
 * chosen by the hashes of their names and texts, as operators are; one that is added goes into pg_born,
 * too. */
#ifndef PROGRAMS_LAYERS_H
#define PROGRAMS_LAYERS_H

#define PG_TEXT(name, ...) __VA_ARGS__ static const char pg_text_##name[] = #__VA_ARGS__;
#define PG_LAYER(name, ...) \
    static hy_block *pg_layer_##name(hy_frame *F, const int *a) { __VA_ARGS__ } \
    static const char pg_text_##name[] = #__VA_ARGS__;

/* What several of them need: names of activations, a block that adds its input, one that unrolls a cell. */
PG_TEXT(layers,
    static const char *layer_act(int k)
    {
        static const char *const names[] = { NULL, "relu", "sigmoid", "tanh", "softrelu", "softsign",
            "log_sigmoid", "mish" };
        return names[k];
    }
    typedef struct layer_own { hy_block base; hy_block *inner; int length; } layer_own;
    static hy_array *own_add(hy_frame *F, hy_block *self, hy_array *x)
    {
        return hy_add(F, x, hy_call(F, ((layer_own *)(void *)self)->inner, x));
    }
    static hy_array *own_twice(hy_frame *F, hy_block *self, hy_array *x)
    {
        hy_block *inner = ((layer_own *)(void *)self)->inner;
        hy_array *y = hy_call(F, inner, x);
        return hy_group(F, hy_tanh(F, y), hy_mean(F, hy_call(F, inner, hy_tanh(F, x)), HY_AXES(0), NULL));
    }
    static hy_array *own_unroll(hy_frame *F, hy_block *self, hy_array *x)
    {
        layer_own *own = (layer_own *)(void *)self;
        return hy_rnn_unroll(F, own->inner, own->length, x, NULL, NULL);
    }
    static hy_block *layer_around(hy_frame *F, hy_forward_fn forward, hy_block *inner, int length)
    {
        layer_own *own = HY_BLOCK_NEW(F, layer_own, forward);
        if (!own || !inner) return NULL;
        own->length = length;
        own->inner = hy_add_child(F, &own->base, "inner", inner);
        return &own->base;
    }
)

/* units, activation, no_bias, no_flatten */
PG_LAYER(dense,
    hy_nn_dense_opt o = { 0 };
    o.activation = layer_act(a[1]); o.no_bias = a[2]; o.no_flatten = a[3];
    return hy_nn_dense(F, a[0], &o);
)
static const char *const pg_dense_cases[] = { "(2,5) | 4",      "(3,2,4) | 3 1", "(2,3,4) | 5 3 0 1",
                                              "(7,4) | 1 0 1",  "(1,17) | 33 2", "(4,1,3) | 2 7 1 1",
                                              "(16,16) | 16 1", "(0,3) | 2",     NULL };

/* dims, channels, kernel, stride, padding, dilation, groups, activation, no_bias */
PG_LAYER(conv,
    hy_nn_conv_opt o = { 0 };
    o.strides = HY_INTS(a[3]); o.padding = HY_INTS(a[4]); o.dilation = HY_INTS(a[5]); o.groups = a[6];
    o.activation = layer_act(a[7]); o.no_bias = a[8];
    return (a[0] == 1 ? hy_nn_conv1d : a[0] == 2 ? hy_nn_conv2d : hy_nn_conv3d)(F, a[1], HY_INTS(a[2]), &o);
)
static const char *const pg_conv_cases[] = {
    "(2,3,8) | 1 4 3 1 1 1 1 0 0",   "(1,4,6) | 1 4 3 1 0 2 2 1 1",     "(2,3,6,5) | 2 4 3 1 1 1 1 1 0",
    "(1,4,7,7) | 2 4 3 2 1 1 4 0 1", "(1,8,5,6) | 2 8 1 1 0 1 1 3 0",   "(2,2,6,6) | 2 3 5 1 2 1 1 1 0",
    "(1,4,6,6) | 2 6 3 1 2 2 2 0 0", "(1,2,3,4,4) | 3 2 3 1 1 1 1 1 0", NULL
};

PG_LAYER(deconv,
    hy_nn_conv_opt o = { 0 };
    o.strides = HY_INTS(a[3]); o.padding = HY_INTS(a[4]); o.dilation = HY_INTS(a[5]); o.groups = a[6];
    o.activation = layer_act(a[7]); o.no_bias = a[8];
    return (a[0] == 1 ? hy_nn_conv1d_transpose : a[0] == 2 ? hy_nn_conv2d_transpose
        : hy_nn_conv3d_transpose)(F, a[1], HY_INTS(a[2]), &o);
)
static const char *const pg_deconv_cases[] = { "(2,3,5) | 1 4 3 2 1 1 1 0 0", "(1,3,4,4) | 2 2 3 2 1 1 1 1 0",
    "(2,4,3,5) | 2 4 2 1 0 1 2 0 1", "(1,2,2,3,3) | 3 2 2 2 0 1 1 0 0", "(1,4,3,3) | 2 4 4 2 1 1 1 0 0",
    "(2,5,4) | 1 9 6 2 2 1 1 1 0", NULL };

/* 0 max, 1 avg, 2 global max, 3 global avg; dims, size, stride, padding, ceil_mode, no_count_include_pad */
PG_LAYER(pool,
    typedef hy_block *(*window)(hy_frame *, hy_ints, const hy_nn_pool_opt *);
    typedef hy_block *(*whole)(hy_frame *, const hy_nn_pool_opt *);
    static const window windows[] = { hy_nn_max_pool1d, hy_nn_max_pool2d, hy_nn_max_pool3d, hy_nn_avg_pool1d,
        hy_nn_avg_pool2d, hy_nn_avg_pool3d };
    static const whole wholes[] = { hy_nn_global_max_pool1d, hy_nn_global_max_pool2d, hy_nn_global_max_pool3d,
        hy_nn_global_avg_pool1d, hy_nn_global_avg_pool2d, hy_nn_global_avg_pool3d };
    hy_nn_pool_opt o = { 0 };
    if (a[0] > 1) return wholes[3 * a[0] - 7 + a[1]](F, NULL);
    o.strides = HY_INTS(a[3]); o.padding = HY_INTS(a[4]); o.ceil_mode = a[5]; o.no_count_include_pad = a[6];
    return windows[3 * a[0] - 1 + a[1]](F, HY_INTS(a[2]), &o);
)
static const char *const pg_pool_cases[] = { "(2,3,8) | 0 1 2 2 0 0 0",
                                             "(2,3,7) | 1 1 3 2 1 1 1",
                                             "(1,3,6,6) | 0 2 2 2 0 0 0",
                                             "(2,2,7,5) | 0 2 3 2 1 1 0",
                                             "(1,4,6,5) | 1 2 3 1 1 0 1",
                                             "(1,2,5,5) | 1 2 2 2 1 1 0",
                                             "(1,2,4,4,4) | 0 3 2 2 0 0 0",
                                             "(1,2,3,4,4) | 1 3 2 1 0 0 0",
                                             "(2,3,5) | 2 1",
                                             "(2,3,4,5) | 2 2",
                                             "(2,3,5) | 3 1",
                                             "(2,3,4,5) | 3 2",
                                             "(1,2,3,2,3) | 3 3",
                                             "(1,2,3,2,3) | 2 3",
                                             NULL };

/* axis, no_center, no_scale, use_global_stats */
PG_LAYER(batch_norm,
    hy_nn_batch_norm_opt o = { 0 };
    o.axis = a[0]; o.no_center = a[1]; o.no_scale = a[2]; o.use_global_stats = a[3];
    return hy_nn_batch_norm(F, &o);
)
static const char *const pg_batch_norm_cases[] = {
    "(3,4)", "(2,3,4)", "(2,3,4,5)", "(2,4,3) | 2", "(3,4) | 0 1 1", "(4,3,2) | 0 0 0 1", "(1,2,2,2,3)", NULL
};

PG_LAYER(layer_norm,
    hy_nn_layer_norm_opt o = { 0 };
    o.no_center = a[0]; o.no_scale = a[1];
    return hy_nn_layer_norm(F, &o);
)
static const char *const pg_layer_norm_cases[] = { "(3,4)", "(2,3,17)", "(5,1,8) | 1 0", "(2,2,2,6) | 1 1",
                                                   NULL };

PG_LAYER(group_norm, return hy_nn_group_norm(F, a[0], NULL);)
static const char *const pg_group_norm_cases[] = { "(2,4,3) | 2", "(3,6,2,2) | 3", "(1,4,5) | 1", "(2,4) | 4",
                                                   NULL };

PG_LAYER(instance_norm,
    hy_nn_instance_norm_opt o = { 0 };
    o.scale = a[0];
    return hy_nn_instance_norm(F, &o);
)
static const char *const pg_instance_norm_cases[] = { "(2,3,5)", "(2,2,3,4) | 1", NULL };

PG_LAYER(embedding, return hy_nn_embedding(F, a[0], a[1], NULL);)
static const char *const pg_embedding_cases[] = { "(5)int[0,6] | 7 4", "(2,3)int[0,9] | 10 3",
                                                  "(0,2)int[0,3] | 4 2", "(2,1,4)int[-1,12] | 11 1", NULL };

PG_LAYER(dropout,
    hy_nn_dropout_opt o = { 0 };
    if (a[1]) o.axes = HY_INTS(a[1] - 1);
    return hy_nn_dropout(F, a[0] / 8.0, &o);
)
static const char *const pg_dropout_cases[] = { "(4,6) | 4",     "(3,5,2) | 2 1", "(7) | 7",
                                                "(2,3,4) | 4 3", "(3) | 0",       NULL };

/* 1 to 7 by name, then leaky_relu, elu, selu, gelu, swish, prelu */
PG_LAYER(activation,
    switch (a[0]) {
    case 8: return hy_nn_leaky_relu(F, 0.25);
    case 9: return hy_nn_elu(F, 0.5);
    case 10: return hy_nn_selu(F);
    case 11: return hy_nn_gelu(F);
    case 12: return hy_nn_swish(F, 1.5);
    case 13: return hy_nn_prelu(F, NULL);
    default: return hy_nn_activation(F, layer_act(a[0]));
    }
)
static const char *const pg_activation_cases[] = {
    "(3,4) | 1", "(2,3,3) | 2", "(5) | 3",    "(2,2) | 4",  "(67) | 5",     "(3,3) | 6",    "(2,5) | 7",
    "(3,4) | 8", "(4,2) | 9",   "(2,9) | 10", "(3,6) | 11", "(2,3,2) | 12", "(2,3,2) | 13", NULL
};

/* 0 flatten, 1 identity, or an operator by name */
PG_LAYER(plain,
    return a[0] == 0 ? hy_nn_flatten(F) : a[0] == 1 ? hy_nn_identity(F) : 
        hy_nn_hybrid_lambda_op(F, a[0] == 2 ? "square" : a[0] == 3 ? "relu" : "softmax");
)
static const char *const pg_plain_cases[] = { "(2,3,4) | 0", "(3,3) | 1", "(2,5) | 2",
                                              "(4,4) | 3",   "(3,5) | 4", NULL };

/* 0 dense, norm, dense; 1 conv, norm, relu, pool; 2 dense, dropout, dense; 3 side by side; 4 x + dense(x);
 * 5 a block that is called twice; 6 layer norm, gelu; 7 sequentials in each other */
PG_LAYER(blocks,
    hy_nn_dense_opt flat = { 0 };
    hy_nn_conv_opt around = { 0 };
    hy_block *net;
    flat.no_flatten = 1;
    around.padding = HY_INTS(1); around.no_bias = 1;
    switch (a[0]) {
    case 0: net = hy_nn_hybrid_sequential(F);
        return hy_append(F, net, hy_nn_dense(F, a[1], NULL), hy_nn_batch_norm(F, NULL),
                         hy_nn_activation(F, "relu"), hy_nn_dense(F, 3, NULL));
    case 1: net = hy_nn_hybrid_sequential(F);
        return hy_append(F, net, hy_nn_conv2d(F, a[1], HY_INTS(3), &around), hy_nn_batch_norm(F, NULL),
            hy_nn_activation(F, "relu"), hy_nn_max_pool2d(F, HY_INTS(2), NULL), hy_nn_flatten(F));
    case 2: net = hy_nn_hybrid_sequential(F);
        return hy_append(F, net, hy_nn_dense(F, a[1], NULL), hy_nn_dropout(F, 0.5, NULL),
                         hy_nn_dense(F, 2, NULL));
    case 3: net = hy_nn_hybrid_concurrent(F, 1);
        return hy_append(F, net, hy_nn_dense(F, a[1], NULL), hy_nn_dense(F, 2, NULL), hy_nn_flatten(F));
    case 4: return layer_around(F, own_add, hy_nn_dense(F, a[1], &flat), 0);
    case 5: return layer_around(F, own_twice, hy_nn_dense(F, a[1], NULL), 0);
    case 6: net = hy_nn_hybrid_sequential(F);
        return hy_append(F, net, hy_nn_layer_norm(F, NULL), hy_nn_dense(F, a[1], &flat), hy_nn_gelu(F));
    default: net = hy_nn_hybrid_sequential(F);
        return hy_append(F, hy_nn_hybrid_sequential(F),
                         hy_append(F, net, hy_nn_dense(F, a[1], &flat), hy_nn_swish(F, 0.5)),
                         layer_around(F, own_add, hy_nn_layer_norm(F, NULL), 0));
    }
)
static const char *const pg_blocks_cases[] = { "(3,5) | 0 4", "(2,2,6,6) | 1 3", "(4,3) | 2 5", "(2,3) | 3 4",
    "(2,3,4) | 4 4", "(3,4) | 5 2", "(2,3,6) | 6 5", "(3,4) | 7 4", NULL };

/* 0 rnn, 1 lstm, 2 gru; hidden, layers, bidirectional, layout - TNC, dropout, use_sequence_length */
PG_LAYER(recurrent,
    hy_rnn_layer_opt o = { 0 };
    o.num_layers = a[2]; o.bidirectional = a[3]; o.layout = HY_LAYOUT_TNC + a[4]; o.dropout = a[5] / 4.0;
    o.use_sequence_length = a[6];
    return (a[0] == 0 ? hy_rnn_rnn : a[0] == 1 ? hy_rnn_lstm : hy_rnn_gru)(F, a[1], &o);
)
static const char *const pg_recurrent_cases[] = { "(3,2,4) | 0 3 1 0 0 0 0",
                                                  "(4,2,3) | 1 3 1 0 0 0 0",
                                                  "(3,2,3) | 2 4 1 0 0 0 0",
                                                  "(2,4,3) | 1 2 2 1 1 0 0",
                                                  "(3,2,2) | 2 3 2 0 0 2 0",
                                                  "(4,1,3) (2,1,3) | 0 3 1 1 0 0 0",
                                                  "(3,2,4) (1,2,3) (1,2,3) | 1 3 1 0 0 0 0",
                                                  "(3,2,3) (2,2,2) | 2 2 2 0 0 0 0",
                                                  "(4,3,2) (3)int[1,4] | 1 2 1 0 0 0 1",
                                                  NULL };

/* 0 rnn, 1 lstm, 2 gru, 3 two in a row, 4 residual, 5 zoneout, 6 dropout; hidden */
PG_LAYER(cell,
    switch (a[0]) {
    case 0: return hy_rnn_rnn_cell(F, a[1], NULL);
    case 1: return hy_rnn_lstm_cell(F, a[1], NULL);
    case 2: return hy_rnn_gru_cell(F, a[1], NULL);
    case 3:
        return hy_append(F, hy_rnn_sequential_cell(F), hy_rnn_rnn_cell(F, 2, NULL),
                         hy_rnn_gru_cell(F, a[1], NULL));
    case 4: return hy_rnn_residual_cell(F, hy_rnn_rnn_cell(F, a[1], NULL));
    case 5: return hy_rnn_zoneout_cell(F, hy_rnn_gru_cell(F, a[1], NULL), 0, 0.5);
    default: return hy_rnn_dropout_cell(F, 0.5, NULL);
    }
)
static const char *const pg_cell_cases[] = { "(2,3) (2,4) | 0 4", "(2,3) (2,3) (2,3) | 1 3",
                                             "(3,2) (3,4) | 2 4", "(2,3) (2,2) (2,3) | 3 3",
                                             "(2,3) (2,3) | 4 3", "(2,2) (2,3) | 5 3",
                                             "(3,4) | 6",         NULL };

/* 0 rnn, 1 lstm, 2 gru, 3 both ways; hidden, length */
PG_LAYER(unroll,
    hy_block *cell = a[0] == 0 ? hy_rnn_rnn_cell(F, a[1], NULL) : a[0] == 1 ? hy_rnn_lstm_cell(F, a[1], NULL)
        : a[0] == 2 ? hy_rnn_gru_cell(F, a[1], NULL)
        : hy_rnn_bidirectional_cell(F, hy_rnn_rnn_cell(F, a[1], NULL), hy_rnn_rnn_cell(F, a[1], NULL));
    return layer_around(F, own_unroll, cell, a[2]);
)
static const char *const pg_unroll_cases[] = { "(2,3,2) | 0 3 3", "(2,2,3) | 1 2 2", "(1,3,2) | 2 3 3",
                                               "(2,3,2) | 3 2 3", NULL };

/* factors per dim */
PG_LAYER(pixel_shuffle,
    hy_ints f = HY_INTS(a[1], a[2], a[3]);
    f.n = a[0];
    return (a[0] == 1 ? hy_nn_pixel_shuffle1d : a[0] == 2 ? hy_nn_pixel_shuffle2d
        : hy_nn_pixel_shuffle3d)(F, f);
)
static const char *const pg_pixel_shuffle_cases[] = { "(2,6,3) | 1 2", "(1,6,2,3) | 2 3 2",
                                                      "(2,4,3,1) | 2 2 2", "(1,12,2,1,2) | 3 2 3 1",
                                                      "(0,4,2) | 1 4", NULL };

/* channels, kernel, stride, padding, dilation, groups, groups of offsets, activation, no_bias */
PG_LAYER(deformable,
    hy_nn_deformable_convolution_opt o = { 0 };
    o.strides = HY_INTS(a[2]); o.padding = HY_INTS(a[3]); o.dilation = HY_INTS(a[4]); o.groups = a[5];
    o.num_deformable_group = a[6]; o.activation = layer_act(a[7]); o.no_bias = o.no_offset_bias = a[8];
    o.offset_weight_initializer = hy_init_uniform(0.25); o.offset_bias_initializer = hy_init_uniform(0.5);
    return hy_nn_deformable_convolution(F, a[0], HY_INTS(a[1]), &o);
)
static const char *const pg_deformable_cases[] = { "(2,3,5,6) | 4 3 1 1 1 1 1 0 0",
                                                   "(1,4,7,6) | 4 2 2 0 2 2 2 1 0",
                                                   "(2,2,4,4) | 3 1 1 0 1 1 2 3 1", NULL };

/* 0 rnn, 1 lstm, 2 gru; hidden channels, steps (0: the cell itself), input channels, height, width (0: one
 * dim), activation, channels last */
PG_LAYER(conv_cell,
    hy_rnn_conv_cell_opt o = { 0 };
    hy_shape s = HY_SHAPE(a[3], a[4], a[5]);
    hy_block *cell;
    if (!a[5]) s.ndim = 2;
    if (a[7]) { s.dim[0] = a[4]; s.dim[1] = a[5]; s.dim[2] = a[3]; o.conv_layout = HY_LAYOUT_NHWC; }
    o.i2h_pad = HY_INTS(1); o.activation = layer_act(a[6]);
    cell = (a[0] == 0 ? hy_rnn_conv_rnn_cell : a[0] == 1 ? hy_rnn_conv_lstm_cell
        : hy_rnn_conv_gru_cell)(F, s, a[1], HY_INTS(3), HY_INTS(3), &o);
    return a[2] ? layer_around(F, own_unroll, cell, a[2]) : cell;
)
static const char *const pg_conv_cell_cases[] = { "(2,2,5) (2,3,5) | 0 3 0 2 5 0 1",
                                                  "(1,2,3,4) (1,2,3,4) (1,2,3,4) | 1 2 0 2 3 4",
                                                  "(2,1,4,3) (2,2,4,3) | 2 2 0 1 4 3",
                                                  "(1,2,2,3,4) | 1 2 2 2 3 4", "(2,3,1,6) | 2 2 3 1 6",
                                                  "(1,2,4,4,2) | 2 3 2 2 4 4 2 1", NULL };

/* 0 lstmp, 1 and 2 masks in rnn and lstm, 3 masks around two in a row; hidden, steps (0: the cell itself),
 * what is dropped of inputs, states and outputs in quarters, projection */
PG_LAYER(masked_cell,
    hy_rnn_variational_dropout_cell_opt o = { 0 };
    hy_block *cell;
    o.drop_inputs = a[3] / 4.0; o.drop_states = a[4] / 4.0; o.drop_outputs = a[5] / 4.0;
    cell = a[0] == 0 ? hy_rnn_lstmp_cell(F, a[1], a[6], NULL) : a[0] == 1 ? hy_rnn_rnn_cell(F, a[1], NULL)
        : hy_rnn_lstm_cell(F, a[1], NULL);
    if (a[0] == 3)
        cell = hy_append(F, hy_rnn_sequential_cell(F), hy_rnn_gru_cell(F, 2, NULL), cell);
    if (a[0]) cell = hy_rnn_variational_dropout_cell(F, cell, &o);
    return a[2] ? layer_around(F, own_unroll, cell, a[2]) : cell;
)
static const char *const pg_masked_cell_cases[] = { "(2,3) (2,2) (2,4) | 0 4 0 0 0 0 2",
                                                    "(2,3,3) | 0 3 3 0 0 0 2", "(2,3) (2,4) | 1 4 0",
                                                    "(2,3) (2,4) (2,3)bool (2,4)bool (2,4) | 1 4 0 2 1 2",
                                                    "(2,3,4) | 1 3 3 2 0 2", "(2,2,3) | 2 3 2 1 2 0",
                                                    "(1,3,2) | 3 3 3 1 1 1", NULL };

/* Images of bytes: which row of transforms, and a type that comes last */
PG_LAYER(transforms,
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_nn_resize_opt nearest = { 0 };
    hy_nn_crop_resize_opt part = { 0 };
    nearest.interpolation = HY_INTERP_NEAREST; nearest.keep_ratio = a[2]; part.size = HY_INTS(3, 4);
    hy_append(F, net, hy_nn_cast(F, HY_U8));
    if (a[0] == 0)
        hy_append(F, net, hy_nn_resize(F, HY_INTS(5, 4), NULL), hy_nn_center_crop(F, HY_INTS(3), NULL));
    if (a[0] == 1) hy_append(F, net, hy_nn_random_resized_crop(F, HY_INTS(4, 3), NULL),
                             hy_nn_random_flip_left_right(F), hy_nn_random_flip_top_bottom(F));
    if (a[0] == 2) hy_append(F, net, hy_nn_random_brightness(F, 0.4), hy_nn_random_contrast(F, 0.4),
                             hy_nn_random_saturation(F, 0.4), hy_nn_random_hue(F, 0.1));
    if (a[0] == 3) hy_append(F, net, hy_nn_random_color_jitter(F, 0.3, 0.3, 0.3, 0.1),
                             hy_nn_random_lighting(F, 0.1));
    if (a[0] == 4)
        hy_append(F, net, hy_nn_crop_resize(F, 1, 0, 2, 3, &part), hy_nn_resize(F, HY_INTS(6), &nearest));
    hy_append(F, net, hy_nn_to_tensor(F),
              hy_nn_normalize(F, HY_REALS(0.5, 0.25, 0.75), HY_REALS(0.5, 1, 2)));
    return a[1] ? hy_append(F, net, hy_nn_cast(F, a[1] == 1 ? HY_F64 : HY_BF16)) : net;
)
static const char *const pg_transforms_cases[] = { "(6,5,3)int[0,255] | 0",     "(2,4,7,3)int[0,255] | 0 1",
                                                   "(5,4,3)int[0,255] | 1 2",   "(3,4,4,3)int[0,255] | 1",
                                                   "(4,3,3)int[0,255] | 2",     "(2,3,3,3)int[0,255] | 2 1",
                                                   "(3,5,3)int[0,255] | 3",     "(2,4,3,3)int[0,255] | 3 2",
                                                   "(4,4,3)int[0,255] | 4",
                                                   "(2,3,4,3)int[0,255] | 4 0 1", NULL };

/* which, weight in quarters, and an option of each */
PG_LAYER(loss, typedef hy_block *(*maker)(hy_frame *, const hy_loss_opt *);
         static const maker makers[] = { hy_loss_l1, hy_loss_l2, hy_loss_softmax_ce, hy_loss_sigmoid_bce,
                                         hy_loss_kl_div, hy_loss_huber, hy_loss_hinge, hy_loss_squared_hinge,
                                         hy_loss_logistic, hy_loss_triplet, hy_loss_poisson_nll,
                                         hy_loss_cosine_embedding, hy_loss_sdml, hy_loss_ctc };
         hy_loss_opt o = { 0 }; o.weight = a[1] / 4.0; o.no_sparse_label = a[2] & 1;
         o.from_logits = a[2] >> 1 & 1; o.no_from_logits = a[2] >> 2 & 1; o.from_sigmoid = a[2] >> 3 & 1;
         o.compute_full = a[2] >> 4 & 1; o.label_format = a[2] >> 5 & 1; o.batch_axis = a[2] >> 6 & 1;
         return makers[a[0]](F, &o);)
static const char *const pg_loss_cases[] = { "(3,4) (3,4) | 0",
                                             "(2,3) (2,3) (2,1)[0,2] | 0 6",
                                             "(3,4) (3,4) | 1",
                                             "(2,3,2) (2,3,2) | 1 2 64",
                                             "(4,3) (4)int[0,2] | 2",
                                             "(3,4) (3,4)[0,1] | 2 0 1",
                                             "(2,3,4) (2,3)int[0,3] | 2 8",
                                             "(3,4)[-3,-0.5] (3)int[0,3] | 2 0 2",
                                             "(3,4) (3,4)[0,1] | 3",
                                             "(3,4)[0.1,0.9] (3,4)bool | 3 0 8",
                                             "(3,4)[-3,-0.5] (3,4)[0.1,0.9] | 4",
                                             "(3,4) (3,4)[0.1,0.9] | 4 0 4",
                                             "(3,4) (3,4) | 5",
                                             "(3,4) (3,4)[-1,1] | 6",
                                             "(2,5) (2,5)[-1,1] | 7 2",
                                             "(3,4) (3,4)[-1,1] | 8",
                                             "(3,4) (3,4)bool | 8 0 32",
                                             "(3,4) (3,4) (3,4) | 9",
                                             "(3,4) (3,4)[0,4] | 10",
                                             "(3,4)[0.2,3] (3,4)[0,4] | 10 0 20",
                                             "(3,4) (3,4) (3)[1,1] | 11",
                                             "(4,3) (4,3) | 12",
                                             "(2,5,4) (2,2)int[0,2] | 13",
                                             "(3,4,3) (3,2)int[0,1] | 13 2",
                                             NULL };

typedef struct pg_layer_row {
    const char *name;
    hy_block *(*make)(hy_frame *F, const int *a);
    const char *text;
    const char *const *cases;
} pg_layer_row;
#define PG_LAYER_ROW(name) { #name, pg_layer_##name, pg_text_##name, pg_##name##_cases }
static const pg_layer_row pg_layer_rows[] = {
    PG_LAYER_ROW(dense),      PG_LAYER_ROW(conv),       PG_LAYER_ROW(deconv),     PG_LAYER_ROW(pool),
    PG_LAYER_ROW(batch_norm), PG_LAYER_ROW(layer_norm), PG_LAYER_ROW(group_norm), PG_LAYER_ROW(instance_norm),
    PG_LAYER_ROW(embedding),  PG_LAYER_ROW(dropout),    PG_LAYER_ROW(activation), PG_LAYER_ROW(plain),
    PG_LAYER_ROW(blocks),     PG_LAYER_ROW(recurrent),  PG_LAYER_ROW(cell),       PG_LAYER_ROW(unroll),
    PG_LAYER_ROW(loss),       PG_LAYER_ROW(pixel_shuffle),
    PG_LAYER_ROW(deformable), PG_LAYER_ROW(conv_cell),  PG_LAYER_ROW(masked_cell), PG_LAYER_ROW(transforms),
};
enum { PG_LAYER_ROWS = sizeof pg_layer_rows / sizeof *pg_layer_rows, PG_NUMBERS = 10 };

static const pg_layer_row *pg_layer_named(const char *name)
{
    int i;
    for (i = 0; i < PG_LAYER_ROWS; i++) if (!strcmp(pg_layer_rows[i].name, name)) return &pg_layer_rows[i];
    return NULL;
}

/* "4 1" as numbers, 0 behind the last. */
static void pg_layer_numbers(const char *text, int *a)
{
    char *end;
    int i;
    for (i = 0; i < PG_NUMBERS; i++, text = end) a[i] = (int)strtol(text, &end, 10);
}

/* A new one, with parameters of a type. */
static hy_block *pg_layer_new(hy_frame *F, const char *name, const char *numbers, hy_dtype dtype)
{
    int a[PG_NUMBERS];
    hy_block *block;
    pg_layer_numbers(numbers, a);
    block = pg_layer_named(name)->make(F, a);
    if (block && dtype != HY_F32) hy_cast_block(F, block, dtype);
    return block;
}
#endif
