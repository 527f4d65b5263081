/* hy_quantize: what becomes int8 and what does not, thresholds of known data, the same bits everywhere, files, what
 * is refused. The operators themselves have references in ops_ref.c. */
#if !defined(HYBRID_NO_INT8) && !defined(HYBRID_NO_IO) && !defined(HYBRID_NO_VISION)

static int quantize_same(hy_frame *F, hy_array *a, hy_array *b)
{
    return a && b && hy_size(F, a) == hy_size(F, b) && hy_dtype_of(F, a) == HY_F32 &&
           !memcmp(hy_data(F, a), hy_data(F, b), (size_t)hy_size(F, a) * sizeof(float));
}

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
    hy_quantize_opt opt = { 0 };
    char text[4000];
    opt.report = &report;
    hy_call(F, net, x);
    small = hy_quantize(F, net, x, &opt);
    if (!CHECK(small && !hy_error(F))) { printf("    %s\n", hy_error(F)); hy_close(F); return; }
    CHECK(report.layers == 5 && report.left == 1 && report.same > 0.8);
    y = hy_call(F, net, x);
    z = hy_call(F, small, x);
    CHECK(report.largest > 0 && report.largest < 0.1 && report.mean < report.largest);
    CHECK_NEAR(hy_item(F, hy_max(F, hy_abs(F, hy_sub(F, y, z)), HY_ALL, NULL)), report.largest, 1e-6);
    CHECK_NEAR(hy_item(F, hy_mean(F, hy_abs(F, hy_sub(F, y, z)), HY_ALL, NULL)), report.mean, 1e-6);
    hy_hybridize(F, small, NULL);
    CHECK(quantize_same(F, hy_call(F, small, x), z));
    CHECK(quantize_ops(F, small, "int8_convolution") == 3 && quantize_ops(F, small, "int8_dense") == 2);
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
    small = hy_quantize(F, net, x, NULL);
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
            hy_quantize_opt opt = { 0 };
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
    hy_quantize_opt opt = { 0 };
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
    small = hy_quantize(F, net, x, NULL);
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
    hy_quantize_opt opt = { 0 };
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
    CHECK(!hy_quantize(F, net, NULL, NULL) && hy_error_code(F) == HY_ERROR_ARGUMENT);
    hy_clear(F);
    CHECK(!hy_quantize(F, NULL, x, NULL) && hy_error_code(F) == HY_ERROR_ARGUMENT);
    hy_clear(F);
    CHECK(!hy_quantize(F, plain, x, NULL) && strstr(hy_error(F), "only a hybrid block"));
    hy_clear(F);
    hy_set_value(F, bad, HUGE_VAL, 2, 2);
    CHECK(!hy_quantize(F, net, hy_group(F, x, bad), NULL) && strstr(hy_error(F), "gets inf from batch 1"));
    hy_clear(F);
    hy_set_value(F, bad, HUGE_VAL - HUGE_VAL, 2, 2);
    CHECK(!hy_quantize(F, net, bad, NULL) && strstr(hy_error(F), "nan from batch 0"));
    hy_clear(F);
    CHECK(!hy_quantize(F, net, hy_group(F, x, hy_ones(F, HY_SHAPE(2, 3))), NULL) && hy_error_code(F) == HY_ERROR_SHAPE);
    hy_clear(F);
#ifndef HYBRID_NO_TRAIN
    hy_record(F);
    CHECK(!hy_quantize(F, net, x, NULL) && strstr(hy_error(F), "not while recording"));
    hy_pause(F);
    hy_clear(F);
#endif
    w = hy_param(F, net, "weight");
    hy_set_value(F, w, HUGE_VAL, 1, 1);
    CHECK(!hy_quantize(F, net, x, NULL) && strstr(hy_error(F), "has a weight that is not finite"));
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
        small = hy_quantize(F, &n->base, samples, NULL);
        hy_hybridize(F, small, NULL);
        hy_call(F, small, batch[0]);
        for (k = 0; small && !hy_graph_node(hy_graph_of(F, small), k, &node); k++)
            if (node.op && !strcmp(node.op->name, "int8_dense")) most = ((const hy__int8_dense_rec *)node.record)->threshold;
        CHECK_NEAR(most, many ? many : 1, 0);           /* the largest number of all batches */
        if (!CHECK(!hy_error(F))) printf("    %d inputs, %d, %d: %s\n", inputs, called, many, hy_error(F));
        hy_clear(F);
        if (inputs == 1) CHECK(!hy_quantize(F, &n->base, hy_group(F, batch[0], NULL), NULL) && hy_error(F));
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
    small = hy_quantize(F, &n->base, x, NULL);
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
        small = hy_quantize(F, &n->base, x, NULL);
        z = small ? hy_call(F, small, x) : NULL;
        if (CHECK(z && hy_dtype_of(F, hy_get(F, z, 0)) == HY_I64))
            CHECK(hy_item(F, hy_max(F, hy_get(F, z, 0), HY_ALL, NULL)) == (times > 1 ? 2 * times : 1));
        if (z) CHECK_NEAR(hy_value(F, hy_get(F, z, 1), 1, 2), hy_value(F, hy_get(F, y, 1), 1, 2), 0.05 * times);
        CHECK_STR(hy_error(F), NULL);
        CHECK(!hy_close(F));
    }
}

/* Neither a batch nor batches: what is wrong with either. */
static void quantize_no_samples(void)
{
    hy_frame *F = hy_open(NULL);
    quantize_inputs_net *n = HY_BLOCK_NEW(F, quantize_inputs_net, quantize_inputs_forward);
    n->inputs = 2;
    n->dense = hy_add_child(F, &n->base, "d", hy_nn_dense(F, 4, NULL));
    hy_initialize(F, &n->base, NULL);
    CHECK(!hy_quantize(F, &n->base, hy_group(F, hy_ones(F, HY_SHAPE(2, 7)), hy_ones(F, HY_SHAPE(3, 5))), NULL));
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
        hy_quantize_opt opt = { 0 };
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
    hy_quantize_opt opt = { 0 };
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
    small = hy_quantize(F, &n->base, hy_group_of(F, 2, batch), NULL);
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
            hy_quantize_opt opt = { 0 };
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
    RUN(quantize_bits);
    RUN(quantize_thresholds);
    RUN(quantize_channels);
    RUN(quantize_kinds);
    RUN(quantize_refusals);
    RUN(quantize_inputs);
    RUN(quantize_twice);
    RUN(quantize_branches);
    RUN(quantize_no_samples);
    RUN(quantize_of_nothing);
    RUN(quantize_tells);
    RUN(quantize_memory);
}
#else
static void test_quantize(void) { }
#endif
