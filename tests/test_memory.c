/* More programs that run out of memory at every block in turn (see test_oom.c): compiled networks with many inputs and
 * outputs, neighbours that go backward as one, loops, copies in int8, trainers, files of each kind. */

typedef hy_array *(*memory_forward)(hy_frame *F, hy_block *self, hy_array *x);

static hy_block *memory_block(hy_frame *F, memory_forward forward)
{
    hy_block *b = hy_block_new(F, sizeof *b, "own", forward, 1);
    hy_init ones = hy_init_ones();
    if (!b) return NULL;
    hy_add_param(F, b, "weight", HY_SHAPE(1), NULL);
    hy_initialize(F, b, &ones);
    return b;
}

static double memory_sum(hy_frame *F, hy_array *x)
{
    double sum = 0;
    int i, n = hy_count(F, x);
    hy_begin(F);
    for (i = 0; i < n; i++) sum += (i + 1) * hy_item(F, hy_sum(F, hy_get(F, x, i), HY_ALL, NULL));
    hy_end(F);
    return hy_error(F) ? 0 : sum;
}

#ifndef HYBRID_NO_TRAIN
enum { MEMORY_MANY = 20 };
static hy_array *memory_many_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *w = hy_param(F, self, "weight"), *y[MEMORY_MANY];
    int i;
    for (i = 0; i < MEMORY_MANY; i++)
        y[i] = hy_mul(F, hy_get(F, x, i), hy_add(F, w, hy_get(F, x, (i + 1) % MEMORY_MANY)));
    return hy_group_of(F, MEMORY_MANY, y);
}

/* dy_i / dx_i = w + x_(i+1), dy_i / dx_(i+1) = x_i */
static int memory_many(hy_frame *F)
{
    hy_block *net = memory_block(F, memory_many_forward);
    hy_array *x[MEMORY_MANY], *y;
    int i, hybrid, right = 1;
    for (i = 0; i < MEMORY_MANY; i++) {
        x[i] = hy_full(F, HY_SHAPE(2), i + 1);
        hy_attach_grad(F, x[i], HY_GRAD_WRITE);
    }
    for (hybrid = 0; hybrid < 2 && right; hybrid++) {
        if (hybrid) hy_hybridize(F, net, NULL);
        hy_begin(F);
        hy_record(F);
        y = hy_call(F, net, hy_group_of(F, MEMORY_MANY, x));
        hy_pause(F);
        hy_backward(F, y, NULL);
        right &= hy_value(F, hy_get(F, y, 3), 1) == 4 * (1 + 5) && hy_value(F, hy_grad_of(F, x[3]), 1) == 1 + 5 + 3;
        right &= hy_value(F, hy_grad_of(F, hy_param(F, net, "weight")), 0) == MEMORY_MANY * (MEMORY_MANY + 1);
        hy_end(F);
    }
    hy_block_free(F, net);
    return right;
}

static hy_block *memory_net(hy_frame *F)
{
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_nn_dense_opt relu;
    hy_init ones = hy_init_constant(.5);
    memset(&relu, 0, sizeof relu);
    relu.activation = "relu";
    hy_append(F, net, hy_nn_dense(F, 3, &relu), hy_nn_dense(F, 2, NULL));
    hy_initialize(F, net, &ones);
    return net;
}

/* Steps of a network and its loss, each compiled by itself: their gradients run as one. */
static double memory_lesson(hy_frame *F, int hybrid, int again)
{
    hy_block *net = memory_net(F), *loss = hy_loss_l2(F, NULL);
    hy_trainer *T = hy_trainer_new(F, net, hy_optim_adam(NULL), NULL);
    hy_array *l, *x = hy_ones(F, HY_SHAPE(2, 2)), *label = hy_zeros(F, HY_SHAPE(2, 2));
    double last = 0;
    int i;
    if (hybrid) { hy_hybridize(F, net, NULL); hy_hybridize(F, loss, NULL); }
    if (again) hy_set_recompute(F, net, 1);
    for (i = 0; i < 2; i++) {
        hy_begin(F);
        hy_record(F);
        l = hy_call(F, loss, hy_group(F, hy_call(F, net, x), label));
        hy_pause(F);
        hy_backward(F, l, NULL);
        hy_step(F, T, 2);
        last = memory_sum(F, l);
        hy_end(F);
    }
    hy_trainer_free(F, T);
    hy_block_free(F, loss);
    hy_block_free(F, net);
    return last;
}
static int memory_joint(hy_frame *F) { return oom_near(memory_lesson(F, 1, 0), 2.2245987); }
static int memory_again(hy_frame *F) { return oom_near(memory_lesson(F, 1, 1), 2.2245987); }
static int memory_plain(hy_frame *F) { return oom_near(memory_lesson(F, 0, 0), 2.2245987); }

/* --- loops --- */
static hy_array *memory_turn(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    hy_array *w = hy_param(F, (hy_block *)user, "weight");
    s = hy_add(F, hy_mul(F, s, w), x);
    return hy_group(F, hy_square(F, s), s);
}
static hy_array *memory_less(hy_frame *F, hy_array *x, void *user)
{
    (void)user;
    return hy_lesser_scalar(F, x, 10);
}
static hy_array *memory_double(hy_frame *F, hy_array *x, void *user)
{
    x = hy_mul_scalar(F, x, 2);
    return hy_group(F, hy_mul(F, x, hy_param(F, (hy_block *)user, "weight")), x);
}
static hy_array *memory_then(hy_frame *F, hy_array *x, void *user)
{
    return hy_mul(F, x, hy_param(F, (hy_block *)user, "weight"));
}
static hy_array *memory_loops_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *y = hy_foreach(F, memory_turn, x, hy_zeros(F, HY_SHAPE(1)), self), *s = hy_get(F, y, 1);
    hy_array *z = hy_while_loop(F, memory_less, memory_double, hy_sum(F, x, HY_ALL, NULL), 5, self);
    return hy_group(F, hy_get(F, y, 0), hy_cond(F, hy_greater_scalar(F, s, 0), memory_then, memory_then, s, self),
                    hy_get(F, z, 0), hy_get(F, z, 1));
}

/* 1, 2, 3: states 1, 3, 6; outputs 1, 9, 36; 6, 12. */
static int memory_loops_of(hy_frame *F, hy_block *net, hy_array *x)
{
    return oom_near(memory_sum(F, hy_call(F, net, x)), 46 + 2 * 6 + 3 * 12 + 4 * 12);
}
static int memory_loops(hy_frame *F)
{
    hy_block *net = memory_block(F, memory_loops_forward);
    hy_array *x = hy_reshape(F, hy_arange(F, 1, 4, 1), HY_INTS(3, 1), NULL), *y;
    int hybrid, right = 1;
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    for (hybrid = 0; hybrid < 2 && right; hybrid++) {
        if (hybrid) hy_hybridize(F, net, NULL);
        right &= memory_loops_of(F, net, x);
        hy_begin(F);
        hy_record(F);
        y = hy_call(F, net, x);
        hy_pause(F);
        hy_backward(F, hy_group(F, hy_get(F, y, 0), hy_get(F, y, 1)), NULL);
        right &= hy_value(F, hy_grad_of(F, x), 2, 0) == 2 * 6 + 1;
        hy_end(F);
    }
    hy_block_free(F, net);
    return right;
}

static int memory_second(hy_frame *F)          /* the gradient of 4 x (w + 1)... of a compiled block, twice */
{
    hy_block *net = memory_net(F);
    hy_array *x = hy_ones(F, HY_SHAPE(2, 2)), *y, *g;
    hy_grad_opt graph;
    int right;
    memset(&graph, 0, sizeof graph);
    graph.create_graph = 1;
    hy_hybridize(F, net, NULL);
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_begin(F);
    hy_record(F);
    y = hy_call(F, net, hy_square(F, x));
    g = hy_grad(F, y, x, &graph);
    hy_pause(F);
    hy_backward(F, g, NULL);
    right = oom_near(hy_value(F, hy_grad_of(F, x), 0, 0), 3);
    hy_end(F);
    hy_block_free(F, net);
    return right;
}

#ifndef HYBRID_NO_RNN
static int memory_cells(hy_frame *F)
{
    hy_block *net = hy_rnn_sequential_cell(F);
    hy_array *x = hy_ones(F, HY_SHAPE(1, 2, 2)), *y;
    hy_init zeros = hy_init_zeros();
    int right;
    hy_append(F, net, hy_rnn_lstm_cell(F, 2, NULL), hy_rnn_residual_cell(F, hy_rnn_gru_cell(F, 2, NULL)));
    hy_initialize(F, net, &zeros);
    hy_hybridize(F, net, NULL);
    hy_record(F);
    y = hy_rnn_unroll(F, net, 2, x, NULL, NULL);
    hy_pause(F);
    hy_backward(F, hy_get(F, y, 0), NULL);
    right = hy_count(F, y) == 4 && hy_value(F, hy_get(F, y, 0), 0, 0, 0) == 0;
    hy_block_free(F, net);
    return right;
}
#endif

/* --- data and learning --- */
static int memory_fit(hy_frame *F)
{
    hy_block *net = memory_net(F), *loss = hy_loss_l2(F, NULL);
    hy_trainer *T = hy_trainer_new(F, net, hy_optim_sgd(NULL), NULL);
    hy_dataset *D = hy_dataset_arrays(F, hy_group(F, hy_ones(F, HY_SHAPE(5, 2)), hy_zeros(F, HY_SHAPE(5, 2))));
    hy_loader *L = hy_loader_new(F, D, 2, NULL);
    hy_metric *M = hy_metric_mse(F, NULL);
    hy_fit_opt o;
    hy_history h;
    int right;
    memset(&o, 0, sizeof o);
    o.epochs = 2;
    o.metric = M;
    o.progress = -1;
    hy_hybridize(F, net, NULL);
    h = hy_fit(F, net, loss, T, L, NULL, &o);
    right = h.n == 2 && h.at[1].loss < h.at[0].loss && h.at[1].samples == 5;
    hy_metric_free(F, M);
    hy_loader_free(F, L);
    hy_dataset_free(F, D);
    hy_trainer_free(F, T);
    hy_block_free(F, loss);
    hy_block_free(F, net);
    return right;
}

#ifndef HYBRID_NO_IO
static int memory_states(hy_frame *F)
{
    hy_block *net = memory_net(F);
    hy_trainer *T = hy_trainer_new(F, net, hy_optim_adam(NULL), NULL);
    hy_array *y, *bytes;
    hy_arrays all;
    int right;
    hy_record(F);
    y = hy_call(F, net, hy_ones(F, HY_SHAPE(1, 2)));
    hy_pause(F);
    hy_backward(F, y, NULL);
    hy_step(F, T, 1);
    all = hy_trainer_states(F, T);
    bytes = hy_save_to(F, HY_FORMAT_NPZ, all);
    all = hy_load_from(F, hy_data(F, bytes), bytes ? (size_t)hy_size(F, bytes) : 0, 1);
    right = !hy_set_trainer_states(F, T, all) && all.n > 4;
    hy_trainer_free(F, T);
    hy_block_free(F, net);
    return right;
}

static int memory_tables(hy_frame *F)
{
    static const char csv[] = "1,2,3\n4,5,6\n7,8,9\n1e-3,.25,1\n";
    static const unsigned char idx[] = { 0, 0, 8, 1, 0, 0, 0, 3, 1, 2, 3 };
    hy_array *x = hy_csv_from(F, csv, sizeof csv - 1, NULL), *y = hy_idx_from(F, idx, sizeof idx);
    return hy_value(F, x, 2, 1) == 8 && hy_value(F, x, 3, 1) == .25 && hy_value(F, y, 2) == 3;
}
#endif
#endif

/* --- copies in int8 --- */
#if !defined(HYBRID_NO_INT8) && !defined(HYBRID_NO_VISION)
static int memory_quantize(hy_frame *F)
{
    hy_block *net = hy_nn_hybrid_sequential(F), *small;
    hy_quantize_report report;
    hy_quantize_opt o;
    hy_init init = hy_init_constant(.25);
    hy_array *x = hy_reshape(F, hy_arange(F, 0, 64, 1), HY_INTS(1, 4, 4, 4), NULL);
    int right;
    memset(&o, 0, sizeof o);
    memset(&report, 0, sizeof report);
    o.report = &report;
    o.entropy = o.all = 1;
    hy_append(F, net, hy_nn_conv2d(F, 4, HY_INTS(3, 3), NULL), hy_nn_batch_norm(F, NULL),
              hy_nn_activation(F, "relu"), hy_nn_dense(F, 2, NULL));
    hy_initialize(F, net, &init);
    small = hy_quantize(F, net, x, &o);
    right = hy_count(F, hy_call(F, small, x)) == 1 && report.layers == 2;
    hy_block_free(F, small);
    hy_block_free(F, net);
    return right;
}
#endif

/* --- graphs and files --- */
static int memory_compose(hy_frame *F)
{
    hy_frame *S = hy_symbolic(F);
    static const char *const names[] = { "x" };
    hy_array *x, *w, *b, *y, *in, *inner;
    hy_graph *g, *h, *o, *p;
    char text[2000];
    int right;
    if (!S) return 0;
    x = hy_var(S, "x", NULL);
    w = hy_var(S, "w", NULL);                           /* inputs come in the order in which these are made */
    b = hy_var(S, "b", NULL);
    y = hy_relu(S, hy_add_scalar(S, hy_fully_connected(S, x, w, b, 2, NULL), 1));
    g = hy_compile(S, y);
    inner = hy_internals(S, y);
    y = hy_square(S, hy_var(S, "z", NULL));
    h = hy_compile(S, hy_compose(S, g, 1, names, &y));
    in = hy_group(F, hy_ones(F, HY_SHAPE(3, 2)), hy_full(F, HY_SHAPE(2, 2), 2), hy_ones(F, HY_SHAPE(2)));
    o = g && h ? hy_optimize(F, g, in, NULL) : NULL;
    p = o ? hy_graph_planned(F, g, in) : NULL;
    if (hy_error(S)) hy_raise(F, hy_error_code(S), hy_error(S));
    right = hy_count(S, inner) >= 4 && hy_graph_count(o) > 0 && hy_graph_plan(F, g, in).total > 0;
    if (g && hy_graph_text(g, HY_FORM_LINES, text, sizeof text) < 10)          /* it has no frame to tell */
        hy_raise(F, HY_ERROR_MEMORY, "out of memory: no text");
    right &= hy_graph_heads(h) == 1;
    hy_graph_free(F, p);
    hy_graph_free(F, o);
    hy_graph_free(F, h);
    hy_graph_free(F, g);
    if (hy_error(S)) hy_raise(F, hy_error_code(S), hy_error(S));
    hy_close(S);
    return right;
}

#if !defined(HYBRID_NO_IO) && !defined(HYBRID_NO_TRAIN)
static int memory_loops_file(hy_frame *F)
{
    hy_block *net = memory_block(F, memory_loops_forward), *back;
    hy_array *x = hy_reshape(F, hy_arange(F, 1, 4, 1), HY_INTS(3, 1), NULL), *symbol = NULL, *bytes;
    hy_arrays params = { 0, NULL, NULL };
    hy_graph *g;
    int right;
    hy_export_to(F, net, x, &symbol, &params);
    g = hy_symbol_from(F, (const char *)hy_data(F, symbol), symbol ? (size_t)hy_size(F, symbol) : 0);
    back = hy_import_from(F, g, &params, NULL);
    right = memory_loops_of(F, back, x);
    hy_block_free(F, back);
    hy_graph_free(F, g);
    bytes = hy_save_model_to(F, net, x);
    back = hy_load_model_from(F, hy_data(F, bytes), bytes ? (size_t)hy_size(F, bytes) : 0, 0);
    right &= memory_loops_of(F, back, x);
    hy_block_free(F, back);
    hy_block_free(F, net);
    return right;
}
#endif

#ifndef HYBRID_NO_IO
static int memory_names(hy_frame *F)            /* more arrays than any small room holds */
{
    static const hy_format formats[] = { HY_FORMAT_PARAMS, HY_FORMAT_NPZ, HY_FORMAT_SAFETENSORS };
    char text[40][8];
    const char *name[40];
    hy_array *at[40], *bytes;
    hy_arrays all, back;
    int i, right = 1;
    for (i = 0; i < 40; i++) {
        name[i] = text[i];
        sprintf(text[i], "n%d", i);
        at[i] = hy_full(F, HY_SHAPE(1 + i % 3), i);
    }
    all.n = 40;
    all.at = at;
    all.name = name;
    for (i = 0; i < 3; i++) {
        hy_begin(F);
        bytes = hy_save_to(F, formats[i], all);
        back = hy_load_from(F, hy_data(F, bytes), bytes ? (size_t)hy_size(F, bytes) : 0, i & 1);
        right &= back.n == 40 && hy_value(F, hy_array_named(F, back, "n33"), 0) == 33;
        hy_end(F);
    }
    return right;
}

/* Operators of MXNet's numpy interface and others that become several of ours. */
static int memory_numpy(hy_frame *F)
{
    static const char json[] = "{\"nodes\":["
        "{\"op\":\"null\",\"name\":\"x\",\"inputs\":[]},"
        "{\"op\":\"_np_sum\",\"name\":\"s\",\"attrs\":{\"axis\":\"(0,)\",\"keepdims\":\"True\"},\"inputs\":[[0,0,0]]},"
        "{\"op\":\"_npi_var\",\"name\":\"v\",\"attrs\":{\"axis\":\"(1,)\"},\"inputs\":[[0,0,0]]},"
        "{\"op\":\"_npi_einsum\",\"name\":\"e\",\"attrs\":{\"num_args\":\"2\",\"subscripts\":\"ij,ij->i\"},"
        "\"inputs\":[[0,0,0],[0,0,0]]},"
        "{\"op\":\"_npi_less_scalar\",\"name\":\"l\",\"attrs\":{\"scalar\":\"1\"},\"inputs\":[[0,0,0]]},"
        "{\"op\":\"_npi_pad\",\"name\":\"p\",\"attrs\":{\"pad_width\":\"((1,1),(0,0))\",\"mode\":\"constant\","
        "\"__note__\":\"kept\"},\"inputs\":[[0,0,0]]},"
        "{\"op\":\"_np_trace\",\"name\":\"t\",\"inputs\":[[0,0,0]]}],"
        "\"arg_nodes\":[0],\"heads\":[[1,0,0],[2,0,0],[3,0,0],[4,0,0],[5,0,0],[6,0,0]],"
        "\"attrs\":{\"mxnet_version\":[\"int\",10901],\"is_np_shape\":[\"int\",1]}}";
    hy_graph *g = hy_symbol_from(F, json, sizeof json - 1);
    hy_array *x = hy_reshape(F, hy_arange(F, 0, 4, 1), HY_INTS(2, 2), NULL), *y = hy_graph_run(F, g, x);
    int right = hy_value(F, hy_get(F, y, 0), 0, 1) == 4 && hy_value(F, hy_get(F, y, 2), 1) == 13 &&
                hy_item(F, hy_get(F, y, 5)) == 3;
    hy_graph_free(F, g);
    return right;
}

/* Means with weights, mirrors, axes moved, determinants apart, sizes of 0; a graph without inputs as a block, written. */
static int memory_numpy_more(hy_frame *F)
{
    static const char json[] = "{\"nodes\":["
        "{\"op\":\"null\",\"name\":\"x\",\"inputs\":[]},"
        "{\"op\":\"_npi_average\",\"name\":\"a\",\"attrs\":{\"axis\":\"1\",\"returned\":\"True\"},\"inputs\":[[0,0,0],[0,0,0]]},"
        "{\"op\":\"_npi_pad\",\"name\":\"p\",\"attrs\":{\"pad_width\":\"((3,0),(0,1))\",\"mode\":\"symmetric\"},\"inputs\":[[0,0,0]]},"
        "{\"op\":\"_np_moveaxis\",\"name\":\"m\",\"attrs\":{\"source\":\"[0, 1]\",\"destination\":\"[1, 0]\"},\"inputs\":[[0,0,0]]},"
        "{\"op\":\"_linalg_slogdet\",\"name\":\"d\",\"inputs\":[[0,0,0]]},"
        "{\"op\":\"_npi_broadcast_to\",\"name\":\"b\",\"attrs\":{\"shape\":\"(0, -2, -2)\"},\"inputs\":[[0,0,0]]},"
        "{\"op\":\"_npi_where\",\"name\":\"w\",\"inputs\":[[0,0,0],[0,0,0],[4,0,0]]}],"
        "\"arg_nodes\":[0],\"heads\":[[1,1,0],[2,0,0],[3,0,0],[4,1,0],[5,0,0],[6,0,0]],"
        "\"attrs\":{\"mxnet_version\":[\"int\",10901],\"is_np_shape\":[\"int\",1]}}";
    static const char alone[] = "{\"nodes\":[{\"op\":\"_arange\",\"name\":\"r\",\"attrs\":{\"start\":\"0\",\"stop\":\"3\"},\"inputs\":[]}],"
        "\"arg_nodes\":[],\"heads\":[[0,0,0]],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}";
    hy_graph *g = hy_symbol_from(F, json, sizeof json - 1), *h = hy_symbol_from(F, alone, sizeof alone - 1);
    hy_array *x = hy_reshape(F, hy_arange(F, 0, 4, 1), HY_INTS(2, 2), NULL), *y = hy_graph_run(F, g, x), *text = NULL;
    hy_block *net = hy_import_from(F, h, NULL, NULL);
    hy_arrays params;
    int right = hy_value(F, hy_get(F, y, 0), 1) == 5 && hy_value(F, hy_get(F, y, 2), 0, 1) == 2 &&
                hy_value(F, hy_get(F, y, 5), 0, 0) == -1;
    right &= hy_value(F, hy_call(F, net, NULL), 2) == 2;
    hy_hybridize(F, net, NULL);
    right &= hy_value(F, hy_call(F, net, NULL), 2) == 2 && !hy_export_to(F, net, NULL, &text, &params);
    hy_block_free(F, net);
    hy_graph_free(F, g);
    hy_graph_free(F, h);
    return right;
}
#endif

/* --- blocks --- */
static int memory_blocks(hy_frame *F)
{
    hy_block *net = oom_net(F), *other = oom_net(F);
    char text[4000] = "";
    hy_array *x = hy_ones(F, HY_SHAPE(1, 2));
    int right = oom_due(oom_call(F, net, 1), 1);
    right &= hy_check_text(F, net, x, text, sizeof text) == 0;
    right &= hy_summary_text(F, net, x, text, sizeof text) > 100 && strstr(text, "Dense") != NULL;
    hy_share_params(F, other, net);
    right &= oom_due(oom_call(F, other, 1), 1);
    hy_cast_block(F, other, HY_F64);
    hy_block_free(F, other);
    hy_block_free(F, net);
    return right;
}

static int memory_letters(hy_frame *F)
{
    hy_array *x = hy_reshape(F, hy_arange(F, 0, 8, 1), HY_INTS(2, 2, 2), NULL), *y = hy_ones(F, HY_SHAPE(2, 2));
    return hy_value(F, hy_einsum(F, "bij,jk,bkl->bil", hy_group(F, x, y, x)), 0, 0, 0) == 2;
}

#if defined(HYBRID_HAS_SOURCE) && !defined(HYBRID_NO_TRAIN)
static int memory_source(hy_frame *F)
{
    hy_block *net = memory_block(F, memory_loops_forward), *dense = oom_net(F);
    hy_array *x = hy_reshape(F, hy_arange(F, 1, 4, 1), HY_INTS(3, 1), NULL);
    hy_export_c_opt o;
    int right;
    memset(&o, 0, sizeof o);
    o.header = "memory_test.h";
    o.weights = "memory_test.weights";
    right = !hy_export_c(F, net, x, "memory_test.c", NULL) &&
            !hy_export_c(F, dense, hy_ones(F, HY_SHAPE(2, 2)), "memory_test.c", &o);
    hy_block_free(F, dense);
    hy_block_free(F, net);
    return right;
}
static void memory_walk_source(void)
{
    oom_walk_once(memory_source, 0, 1);
    CHECK(!remove("memory_test.c") && !remove("memory_test.h") && !remove("memory_test.weights"));
}
#endif

#define MEMORY_WALK(name) static void memory_walk_##name(void) { oom_walk(memory_##name, 1); }
#ifndef HYBRID_NO_TRAIN
MEMORY_WALK(many)
MEMORY_WALK(joint)
MEMORY_WALK(again)
MEMORY_WALK(plain)
MEMORY_WALK(loops)
MEMORY_WALK(second)
MEMORY_WALK(fit)
#ifndef HYBRID_NO_RNN
MEMORY_WALK(cells)
#endif
#ifndef HYBRID_NO_IO
MEMORY_WALK(states)
MEMORY_WALK(tables)
MEMORY_WALK(loops_file)
#endif
#endif
#if !defined(HYBRID_NO_INT8) && !defined(HYBRID_NO_VISION)
MEMORY_WALK(quantize)
#endif
#ifndef HYBRID_NO_IO
MEMORY_WALK(names)
MEMORY_WALK(numpy)
MEMORY_WALK(numpy_more)
#endif
MEMORY_WALK(compose)
MEMORY_WALK(blocks)
MEMORY_WALK(letters)

static void test_memory(void)
{
    oom_stride = 23;
#ifndef HYBRID_NO_TRAIN
    RUN(memory_walk_many);
    RUN(memory_walk_joint);
    RUN(memory_walk_again);
    RUN(memory_walk_plain);
    RUN(memory_walk_loops);
    RUN(memory_walk_second);
    RUN(memory_walk_fit);
#ifndef HYBRID_NO_RNN
    RUN(memory_walk_cells);
#endif
#ifndef HYBRID_NO_IO
    RUN(memory_walk_states);
    RUN(memory_walk_tables);
    RUN(memory_walk_loops_file);
#endif
#endif
#if !defined(HYBRID_NO_INT8) && !defined(HYBRID_NO_VISION)
    RUN(memory_walk_quantize);
#endif
#ifndef HYBRID_NO_IO
    RUN(memory_walk_names);
    RUN(memory_walk_numpy);
    RUN(memory_walk_numpy_more);
#endif
    RUN(memory_walk_compose);
    RUN(memory_walk_blocks);
    RUN(memory_walk_letters);
#if defined(HYBRID_HAS_SOURCE) && !defined(HYBRID_NO_TRAIN)
    oom_stride = 199;
    RUN(memory_walk_source);
#endif
    oom_stride = 1;
}
