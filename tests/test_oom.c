/* Proves that running out of memory is an ordinary error: whole programs are run with an allocator that gives
 * n blocks and then none (or refuses just one), for n = 0, 1, 2, ... until the program succeeds. */

typedef struct oom_meter { long left, blocks; int once; } oom_meter;      /* once: only one call fails */

static void *oom_alloc(void *user, size_t bytes)
{
    oom_meter *meter = (oom_meter *)user;
    int give = (meter->once ? meter->left != 0 : meter->left > 0) && bytes < (size_t)1 << 30;
    void *block = give ? malloc(bytes) : NULL;
    meter->left--;
    meter->blocks += block != NULL;
    return block;
}

static void oom_free(void *user, void *block)
{
    ((oom_meter *)user)->blocks--;
    free(block);
}

typedef int (*oom_program)(hy_frame *F);                /* is the result right? */

static hy_frame *oom_open(oom_meter *meter, long blocks, int once, int threads)
{
    hy_desc desc;
    memset(&desc, 0, sizeof desc);
    memset(meter, 0, sizeof *meter);
    meter->left = blocks;
    meter->once = once;
    desc.threads = threads;
    desc.allocator.alloc_fn = oom_alloc;
    desc.allocator.free_fn = oom_free;
    desc.allocator.user_data = meter;
    return hy_open(&desc);
}

/* When memory is back and the error cleared, the frame is as good as new: the same program runs in it. */
static void oom_recover(hy_frame *F, oom_meter *meter, oom_program program, long n)
{
    meter->left = 1000000;
    hy_clear(F);
    if (!CHECK(program(F) && !hy_error(F)))
        printf("    run again after block %ld: %s\n", n, hy_error(F) ? hy_error(F) : "wrong results");
    hy_clear(F);
}

/* Valgrind, which takes fifty times as long, sees every fifth block behind the first fifty; the sanitizers see all. */
static long oom_stride = 1;             /* for programs of thousands of blocks */
static void oom_walk_once(oom_program program, int once, int threads)
{
    oom_meter meter;
    long n, stride = getenv("TEST_UNDER_VALGRIND") ? 5 * oom_stride : oom_stride;
    int done = 0;
    for (n = 0; n < 20000 && !done && !test_broken; n += n < 50 ? 1 : stride) {
        hy_frame *F = oom_open(&meter, n, once, threads);
        if (F) {
            int right = program(F);
            done = meter.left >= 0;
            if (done) {
                if (!CHECK(right && !hy_error(F))) printf("    %s\n", hy_error(F));
            } else if (hy_error(F)) {
                if (!CHECK(hy_error_code(F) == HY_ERROR_MEMORY && strstr(hy_error(F), "out of memory")))
                    printf("    block %ld: %s\n", n, hy_error(F));
                oom_recover(F, &meter, program, n);
            } else if (!CHECK(right))                   /* it did without that block */
                printf("    block %ld: no error, wrong results\n", n);
            hy_close(F);
        } else CHECK(meter.left < 0);
        if (!CHECK(meter.blocks == 0)) printf("    block %ld: %ld blocks not given back\n", n, meter.blocks);
    }
    CHECK(done && n > 5);
}

static void oom_walk(oom_program program, int threads)
{
    oom_walk_once(program, 0, threads);
    oom_walk_once(program, 1, threads);
}

/* --- the programs --- */
static int oom_near(double a, double b) { return fabs(a - b) <= 1e-4 * (1 + fabs(b)); }

static int oom_arithmetic(hy_frame *F)
{
    hy_array *x, *y = NULL;
    int i;
    for (i = 0; i < 3; i++) {
        hy_begin(F);
        x = hy_add(F, hy_arange(F, 0, 300, 1), hy_ones(F, HY_SHAPE(300)));
        x = hy_sort(F, hy_softmax(F, hy_reshape(F, x, HY_INTS(3, 100), NULL), 1, NULL), 1, NULL);
        y = hy_keep(F, hy_sum(F, hy_dot(F, x, hy_ones(F, HY_SHAPE(100, 7)), NULL), HY_ALL, NULL));
        hy_end(F);
    }
    return oom_near(hy_item(F, y), 21);
}

static int oom_views_and_text(hy_frame *F)
{
    char text[256];
    hy_array *x = hy_reshape(F, hy_arange(F, 0, 6, 1), HY_INTS(2, 3), NULL), *v, *copy;
    v = hy_view_transpose(F, hy_view_slice(F, x, 1, 0, 2, 1), HY_AXES(1, 0));
    hy_fill(F, hy_view_index(F, v, 0, 1), 9);
    copy = hy_copy(F, v);
    hy_add_to(F, v, copy);
    hy_add_to(F, x, hy_view_slice(F, x, 0, HY_NONE, HY_NONE, -1));
    hy_set_value(F, x, 5, 0, 0);
    text[0] = 0;
    hy_text(F, v, text, sizeof text);
    return strstr(text, "36") && hy_value(F, x, 0, 0) == 5;
}

static int oom_groups(hy_frame *F)
{
    hy_array *x[40], *g, *parts;
    int i;
    for (i = 0; i < 40; i++) x[i] = hy_full(F, HY_SHAPE(2, 3), i);
    g = hy_concat(F, hy_group_of(F, 40, x), 0);
    parts = hy_split(F, g, 20, 0, NULL);
    hy_keep(F, parts);
    hy_begin(F);
    parts = hy_return(F, hy_group(F, hy_get(F, parts, 3), hy_add_n(F, hy_group_of(F, 40, x))));
    hy_end(F);
    return hy_count(F, parts) == 2 && hy_value(F, hy_get(F, parts, 1), 0, 0) == 780;
}

static int oom_many_scopes(hy_frame *F)
{
    hy_array *outside = hy_full(F, HY_SHAPE(2), 7), *x = outside;
    int depth, ok;
    for (depth = 0; depth < 40; depth++) {
        hy_begin(F);
        x = hy_add_scalar(F, x, 1);
    }
    for (depth = 0; depth < 40; depth++) {
        x = hy_return(F, x);
        hy_end(F);
    }
    ok = hy_value(F, x, 0) == 47;
    CHECK(outside == NULL || outside->state == HY__LIVE);       /* brackets stay in step whatever failed */
    return ok;
}

#ifndef HYBRID_NO_TRAIN
static int oom_gradients(hy_frame *F)
{
    hy_array *x = hy_reshape(F, hy_arange(F, 1, 7, 1), HY_INTS(2, 3), NULL);
    hy_array *w = hy_full(F, HY_SHAPE(4, 3), .5), *y, *g;
    hy_grad_opt graph;
    memset(&graph, 0, sizeof graph);
    graph.create_graph = 1;
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_attach_grad(F, w, HY_GRAD_ADD);
    hy_begin(F);
    hy_record(F);
    y = hy_sum(F, hy_square(F, hy_fully_connected(F, x, w, hy_zeros(F, HY_SHAPE(4)), 4, NULL)), HY_ALL, NULL);
    g = hy_grad(F, y, hy_group(F, x, w), &graph);
    y = hy_sum(F, hy_mul(F, hy_get(F, g, 0), hy_get(F, hy_split(F, hy_get(F, g, 0), 1, 1, NULL), 0)), HY_ALL,
               NULL);
    hy_pause(F);
    hy_backward(F, y, NULL);                            /* y = s1^2 + s2^2, g = 2 s, 3 per row */
    hy_end(F);
    return oom_near(hy_value(F, hy_grad_of(F, x), 1, 2), 24.0 * 15);
}

/* Norms of halves compute in floats: what is cast for them may not come, in gradients of gradients too. */
static int oom_norms_of_halves(hy_frame *F)
{
    hy_grad_opt graph;
    hy_array *x = hy_cast(F, hy_reshape(F, hy_arange(F, 0, 12, 1), HY_INTS(2, 3, 2), NULL), HY_BF16), *ones, *y, *g;
    hy_array *channels = hy_ones(F, HY_SHAPE(3)), *rows = hy_cast(F, hy_ones(F, HY_SHAPE(2)), HY_BF16);
    hy_array *mean = hy_zeros_like(F, channels), *var = hy_ones_like(F, channels);
    memset(&graph, 0, sizeof graph);
    graph.create_graph = 1;
    ones = hy_ones_like(F, x);
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_record(F);
    y = hy_batch_norm(F, x, channels, channels, mean, var, NULL);
    y = hy_mul(F, y, hy_layer_norm(F, x, rows, rows, NULL));
    g = hy_grad(F, hy_mul(F, y, ones), x, &graph);
    g = hy_grad(F, hy_square(F, g), x, NULL);
    hy_pause(F);
    return g && hy_size(F, g) == 12 && hy_item(F, hy_sum(F, hy_cast(F, hy_abs(F, g), HY_F32), HY_ALL, NULL)) < 1e6;
}

/* The gradient of whole numbers is computed in reals, for which there may be no room. */
static int oom_moments_of_whole(hy_frame *F)
{
    hy_array *x = hy_reshape(F, hy_arange(F, 1, 7, 1), HY_INTS(2, 3), NULL), *y;
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_record(F);
    y = hy_moments(F, hy_cast(F, hy_mul_scalar(F, x, 4), HY_I32), HY_AXES(1), NULL);
    y = hy_add(F, hy_cast(F, hy_get(F, y, 0), HY_F32), hy_cast(F, hy_get(F, y, 1), HY_F32));
    y = hy_mul_scalar(F, y, 9);
    hy_pause(F);
    hy_backward(F, y, NULL);
    return oom_near(hy_value(F, hy_grad_of(F, x), 1, 2), 4 * (3 + 6 * 4));
}

static hy_array *oom_cube(hy_frame *F, hy_array *x, void *user)
{
    (void)user;
    return hy_mul(F, x, hy_square(F, x));
}

static int oom_gradient_check(hy_frame *F)
{
    return hy_check_grad(F, oom_cube, NULL, hy_cast(F, hy_ones(F, HY_SHAPE(2)), HY_F64), 1e-4) < 1e-6;
}

static int oom_training(hy_frame *F)
{
    hy_array *w = hy_full(F, HY_SHAPE(3), 1), *x = hy_ones(F, HY_SHAPE(5, 3)), *loss;
    int i;
    hy_attach_grad(F, w, HY_GRAD_WRITE);
    for (i = 0; i < 3; i++) {
        hy_begin(F);
        hy_record(F);
        loss = hy_mean(F, hy_square(F, hy_dot(F, hy_dropout(F, x, 0, NULL), w, NULL)), HY_ALL, NULL);
        hy_pause(F);
        hy_backward(F, loss, NULL);
        hy_sub_from(F, w, hy_mul_scalar(F, hy_grad_of(F, w), 1.0 / 12));
        hy_end(F);
    }
    return oom_near(hy_value(F, w, 0), 0.125);
}
#endif

static int oom_symbols(hy_frame *F)
{
    hy_frame *S = hy_symbolic(F);
    hy_array *x, *w, *y;
    hy_graph *g;
    int right = 0, i;
    if (!S) return 0;
    x = hy_var(S, "x", NULL);
    w = hy_var(S, "w", NULL);
    y = hy_fully_connected(S, x, w, hy_var(S, "b", NULL), 4, NULL);
    for (i = 0; i < 20; i++) y = hy_add_scalar(S, y, i);
    g = hy_compile(S, hy_group(S, y, hy_relu(S, y)));
    for (i = 1; i <= 2 && g; i++) {
        y = hy_graph_run(F, g, hy_group(F, hy_ones(F, HY_SHAPE(i, 3)), hy_ones(F, HY_SHAPE(4, 3)),
                                        hy_ones(F, HY_SHAPE(4))));
        right = y && hy_value(F, hy_get(F, y, 1), 0, 0) == 194;
    }
    hy_graph_free(F, g);
    if (hy_error(S)) hy_raise(F, hy_error_code(S), hy_error(S));
    hy_close(S);
    return right;
}

static void oom_twice_run(const hy_job *job, hy_run *now, int stage, int64_t item, void *scratch, void *shared)
{
    float *room = (float *)scratch;
    (void)stage; (void)shared;
    room[0] = 2 * ((const float *)now->data[0])[item];
    ((float *)now->data[job->nin])[item] = room[0];
}

static int oom_twice_bind(hy_job *job)
{
    job->run = oom_twice_run;
    job->stages = 1;
    job->items[0] = hy__size(&job->out[0].type.shape);
    job->scratch = 100000;
    return 0;
}

static int oom_register(hy_frame *F)
{
    static const hy_arg in[] = { { "x", HY_ARG_ONE }, { NULL, HY_ARG_ONE } };
    static const hy_arg out[] = { { "y", HY_ARG_ONE }, { NULL, HY_ARG_ONE } };
    static const char *const names[] = { "oom_a", "oom_b", "oom_c", "oom_d", "oom_e", "oom_f" };
    static hy_op ops[6];
    hy_array *x = hy_ones(F, HY_SHAPE(3));
    int i;
    for (i = 0; i < 6; i++) {
        memset(&ops[i], 0, sizeof ops[i]);
        ops[i].name = names[i];
        ops[i].aliases = "oom_one|oom_two";
        if (i) ops[i].aliases = NULL;
        ops[i].in = in;
        ops[i].out = out;
        ops[i].infer = hy_infer_pointwise;
        ops[i].bind = oom_twice_bind;
        if (!hy_op_find(F, names[i])) hy_register(F, &ops[i]);         /* there, when run again */
        x = hy_apply(F, names[i], 1, &x, NULL);
    }
    return hy_value(F, x, 0) == 64;
}

/* An operator that could not be registered is not there, nor is a name of it, and may come again. */
static void oom_register_all_or_nothing(void)
{
    enum { OPS = 800 };
    static const hy_arg one[] = { { "x", HY_ARG_ONE }, { NULL, HY_ARG_ONE } };
    static hy_op ops[OPS];
    static char names[OPS][2][16];
    int i, failed = 0;
    oom_meter meter;
    hy_frame *F = oom_open(&meter, 1000000, 1, 1);
    for (i = 0; i < OPS; i++) {
        sprintf(names[i][0], "oom_own%d", i);
        sprintf(names[i][1], "_oom_own%d", i);
        memset(&ops[i], 0, sizeof ops[i]);
        ops[i].name = names[i][0];
        ops[i].mxnet = names[i][1];
        ops[i].in = ops[i].out = one;
        ops[i].infer = hy_infer_pointwise;
        ops[i].bind = oom_twice_bind;
        for (meter.left = 0; hy_register(F, &ops[i]); meter.left = ++failed % 3) {
            CHECK(hy_error_code(F) == HY_ERROR_MEMORY);
            CHECK(!hy_op_find(F, names[i][0]) && !hy_op_find(F, names[i][1]));
            meter.left = 1000000;
            hy_clear(F);
        }
        meter.left = 1000000;
        CHECK(hy_op_find(F, names[i][0]) == &ops[i] && hy_op_find(F, names[i][1]) == &ops[i]);
    }
    CHECK(failed > 2);
    CHECK(!hy_close(F) && !meter.blocks);
}

static int oom_fork(hy_frame *F)
{
    hy_array *x = hy_keep(F, hy_full(F, HY_SHAPE(100), 3)), *y;
    hy_frame *fork[3];
    int i, right = 1;
    for (i = 0; i < 3; i++) fork[i] = hy_fork(F);
    for (i = 0; i < 3 && fork[i]; i++) {
        y = hy_sum(fork[i], hy_square(fork[i], x), HY_ALL, NULL);
        right &= y && hy_item(fork[i], y) == 900;
        if (hy_error(fork[i])) hy_raise(F, hy_error_code(fork[i]), hy_error(fork[i]));
    }
    for (i = 0; i < 3; i++) hy_close(fork[i]);
    return right && fork[2];
}

/* --- programs with blocks --- */
static hy_block *oom_net(hy_frame *F)
{
    hy_nn_dense_opt relu;
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_init ones = hy_init_ones();
    memset(&relu, 0, sizeof relu);
    relu.activation = "relu";
    hy_append(F, net, hy_nn_dense(F, 3, &relu), hy_nn_batch_norm(F, NULL), hy_nn_dense(F, 2, NULL));
    hy_initialize(F, net, &ones);
    return net;
}

/* What the net gives for ones of shape (n, 2), summed; 0 with an error. */
static double oom_call(hy_frame *F, hy_block *net, int64_t n)
{
    double sum;
    hy_begin(F);
    sum = hy_item(F, hy_sum(F, hy_call(F, net, hy_ones(F, HY_SHAPE(n, 2))), HY_ALL, NULL));
    hy_end(F);
    return hy_error(F) ? 0 : sum;
}
static int oom_due(double sum, int n) { return fabs(sum - 12 * n) < 1e-3 * n; }      /* 2 * 3 * 2 each */

static int oom_layers(hy_frame *F)
{
    hy_block *net = oom_net(F);
    int right = oom_due(oom_call(F, net, 1), 1);
    hy_hybridize(F, net, NULL);
    right &= oom_due(oom_call(F, net, 1), 1);
    right &= oom_due(oom_call(F, net, 2), 2) && oom_due(oom_call(F, net, 1), 1);
    hy_block_free(F, net);
    return right;
}

#ifndef HYBRID_NO_VISION
static int oom_convolution(hy_frame *F)
{
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_init ones = hy_init_ones();
    hy_array *x = hy_ones(F, HY_SHAPE(1, 2, 4, 4));
    int right, hybrid;
    hy_append(F, net, hy_nn_conv2d(F, 3, HY_INTS(3, 3), NULL), hy_nn_batch_norm(F, NULL),
              hy_nn_max_pool2d(F, HY_INTS(2, 2), NULL), hy_nn_flatten(F), hy_nn_activation(F, "relu"));
    hy_initialize(F, net, &ones);
    for (right = 1, hybrid = 0; hybrid < 2; hybrid++) {
        if (hybrid) hy_hybridize(F, net, NULL);
        right &= fabs(hy_item(F, hy_sum(F, hy_call(F, net, x), HY_ALL, NULL)) - 54) < 1e-2;
    }
    hy_block_free(F, net);
    return right;
}
#endif

#ifndef HYBRID_NO_RNN
static int oom_recurrent(hy_frame *F)
{
    hy_block *net = hy_rnn_gru(F, 2, NULL);
    hy_init zeros = hy_init_zeros();
    hy_array *x = hy_ones(F, HY_SHAPE(3, 1, 2)), *y;
    int right = 1, hybrid;
    hy_initialize(F, net, &zeros);
    for (hybrid = 0; hybrid < 2; hybrid++) {
        if (hybrid) hy_hybridize(F, net, NULL);
        y = hy_call(F, net, hy_group(F, x, hy_ones(F, HY_SHAPE(1, 1, 2))));
        right &= hy_count(F, y) == 2 && hy_value(F, hy_get(F, y, 1), 0, 0, 1) == 0.125;    /* halved thrice */
    }
    hy_block_free(F, net);
    return right;
}
#endif

#if !defined(HYBRID_NO_RNN) && !defined(HYBRID_NO_TRAIN)
/* h1 = (x1 + 1) / 2, h2 = (x2 + h1) / 2, y = h1^2 + h2^2. Halves are cast to floats for it. */
static int oom_recurrent_twice_in(hy_frame *F, hy_dtype dtype)
{
    const float half[4] = { .5f, .5f, 0, 0 };
    hy_array *x = hy_cast(F, hy_ones(F, HY_SHAPE(2, 1, 1)), dtype), *y;
    hy_array *w = hy_cast(F, hy_floats(F, HY_SHAPE(4), half), dtype);
    hy_array *state = hy_cast(F, hy_ones(F, HY_SHAPE(1, 1, 1)), dtype);
    hy_grad_opt graph;
    memset(&graph, 0, sizeof graph);
    graph.create_graph = 1;
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_begin(F);
    hy_record(F);
    y = hy_square(F, hy_rnn(F, x, w, state, NULL, NULL, 1, 1, HY_RNN_RELU, NULL));
    y = hy_square(F, hy_grad(F, hy_sum(F, y, HY_ALL, NULL), x, &graph));
    hy_pause(F);
    hy_backward(F, y, NULL);
    hy_end(F);
    return oom_near(hy_value(F, hy_grad_of(F, x), 0, 0, 0), 2.375) &&
           oom_near(hy_value(F, hy_grad_of(F, x), 1, 0, 0), 1.75);
}
static int oom_recurrent_twice(hy_frame *F) { return oom_recurrent_twice_in(F, HY_F32); }
static int oom_recurrent_of_halves(hy_frame *F) { return oom_recurrent_twice_in(F, HY_BF16); }
#endif

/* A block of the program's own, with a bracket that it leaves open where it returns early. */
static hy_array *oom_own_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    hy_begin(F);
    if (hy_error(F)) return NULL;
    x = hy_add_scalar(F, hy_square(F, x), 1);
    if (!x) return NULL;
    x = hy_return(F, x);
    hy_end(F);
    return x;
}

/* Called without a bracket around it: the first that is opened is inside the call. */
static int oom_own_block(hy_frame *F)
{
    hy_block *net = hy_block_new(F, sizeof *net, "own", oom_own_forward, 1);
    hy_array *x = hy_ones(F, HY_SHAPE(2));
    int right = hy_value(F, hy_call(F, net, x), 1) == 2;
    hy_hybridize(F, net, NULL);
    right &= hy_value(F, hy_call(F, net, x), 1) == 2;
    hy_block_free(F, net);
    return right;
}

/* So deep that the room for brackets has to grow in the middle. */
static int oom_deep_block(hy_frame *F)
{
    hy_block *net = hy_nn_identity(F), *outer;
    int i, right;
    for (i = 0; i < 40; i++) {
        outer = hy_nn_hybrid_sequential(F);
        hy_append(F, outer, net);
        net = outer;
    }
    right = hy_value(F, hy_call(F, net, hy_ones(F, HY_SHAPE(2))), 1) == 1;
    hy_block_free(F, net);
    return right;
}

/* A name scope, patterns, texts, a parameter by its path. */
static int oom_names(hy_frame *F)
{
    hy_block *net = hy_nn_hybrid_sequential(F), *inner = hy_nn_hybrid_sequential(F);
    hy_params found;
    char text[512] = "";
    int right;
    hy_name_scope(F, net);
    hy_append(F, inner, hy_nn_dense(F, 2, NULL), hy_nn_dense(F, 2, NULL));
    hy_append(F, net, inner, hy_nn_dense(F, 2, NULL));
    hy_name_scope_end(F);
    hy_initialize(F, net, NULL);
    found = hy_collect_params(F, net, ".*weight");
    hy_block_text(F, net, text, sizeof text);
    hy_call(F, net, hy_ones(F, HY_SHAPE(1, 2)));
    right = found.n == 3 && strstr(text, "Dense") && hy_param(F, net, "0.1.bias") != NULL;
    hy_block_free(F, net);
    return right;
}

#ifndef HYBRID_NO_TRAIN
/* Two steps by hand, line by line or hybridized. Batch norm makes rows of -1 and of 1 of the two that come
 * in, so that the first outputs are -3 and 3, and the first loss is 9. */
static void oom_steps(hy_frame *F, int hybrid, double *first, double *last)
{
    hy_block *net = oom_net(F);
    hy_params all;
    hy_array *loss, *x;
    int i, k;
    if (hybrid) hy_hybridize(F, net, NULL);
    for (i = 0; i < 2; i++) {
        hy_begin(F);
        x = hy_reshape(F, hy_arange(F, 0, 4, 1), HY_INTS(2, 2), NULL);
        hy_record(F);
        loss = hy_mean(F, hy_square(F, hy_call(F, net, x)), HY_ALL, NULL);
        hy_pause(F);
        hy_backward(F, loss, NULL);
        *(i ? last : first) = hy_item(F, loss);
        all = hy_collect_params(F, net, ".*(weight|bias|gamma|beta)");
        for (k = 0; k < all.n; k++)
            hy_sub_from(F, all.at[k], hy_mul_scalar(F, hy_grad_of(F, all.at[k]), 0.01));
        hy_end(F);
    }
    hy_block_free(F, net);
}
static int oom_net_training(hy_frame *F)
{
    double first[2] = { 0, 0 }, last[2] = { 0, 0 };
    oom_steps(F, 0, &first[0], &last[0]);
    oom_steps(F, 1, &first[1], &last[1]);
    return fabs(first[0] - 9) < 1e-3 && fabs(first[1] - 9) < 1e-3 && last[0] > 1 && last[0] < 8 &&
           fabs(last[0] - last[1]) < 1e-4;
}
#endif

/* The buffer goes before the frame does: nothing of the frame may lie in it any longer. */
static int oom_bind(hy_frame *F)
{
    hy_block *net = oom_net(F);
    hy_array *x = hy_keep(F, hy_ones(F, HY_SHAPE(2, 2)));
    hy_plan_info plan;
    char *buffer;
    int right = 0;
    oom_call(F, net, 2);
    hy_hybridize(F, net, NULL);
    plan = hy_plan(F, net, x);
    buffer = (char *)malloc(plan.total + 1);
    buffer[plan.total] = 42;
    if (!hy_bind(F, net, x, buffer, plan.total))
        right = oom_due(oom_call(F, net, 2), 2) && oom_due(oom_call(F, net, 1), 1);
    CHECK(buffer[plan.total] == 42);
    hy_free(F, x);
    hy_block_free(F, net);
    memset(buffer, 0, plan.total);
    free(buffer);
    return right;
}

#ifndef HYBRID_NO_VISION
/* So with a convolution that batch norm is folded into: its weights are packed in the buffer. */
static int oom_bind_folded(hy_frame *F)
{
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_array *x = hy_keep(F, hy_ones(F, HY_SHAPE(1, 2, 4, 4)));
    hy_init ones = hy_init_ones();
    hy_plan_info plan;
    char *buffer;
    int right = 0;
    hy_append(F, net, hy_nn_conv2d(F, 3, HY_INTS(3, 3), NULL), hy_nn_batch_norm(F, NULL));
    hy_initialize(F, net, &ones);
    hy_hybridize(F, net, NULL);
    plan = hy_plan(F, net, x);
    buffer = (char *)malloc(plan.total + 1);
    if (!hy_bind(F, net, x, buffer, plan.total))
        right = fabs(hy_item(F, hy_sum(F, hy_call(F, net, x), HY_ALL, NULL)) - 216) < 1e-1;
    hy_free(F, x);
    hy_block_free(F, net);
    memset(buffer, 0, plan.total);
    free(buffer);
    return right;
}
#endif

static int oom_profile(hy_frame *F)
{
    hy_block *net = oom_net(F);
    hy_event event;
    int n = 0, right;
    hy_hybridize(F, net, NULL);
    hy_profile(F, "");
    right = oom_due(oom_call(F, net, 1), 1);
    hy_profile(F, NULL);
    while (!hy_profile_event(F, n, &event)) n++;
#ifndef HYBRID_NO_IO
    if (!hy_error(F)) right &= hy_size(F, hy_profile_to(F)) > 100;
#endif
    hy_block_free(F, net);
    return right;                       /* events may be lost, and are then counted as lost */
}

static int oom_net_fork(hy_frame *F)
{
    hy_block *net = oom_net(F);
    hy_frame *fork[2];
    int i, right = 1;
    hy_hybridize(F, net, NULL);
    for (i = 0; i < 2; i++) {
        fork[i] = hy_fork(F);
        if (!fork[i]) { right = 0; continue; }
        right &= oom_due(oom_call(fork[i], net, i + 1), i + 1);
        if (hy_error(fork[i])) hy_raise(F, hy_error_code(fork[i]), hy_error(fork[i]));
    }
    for (i = 0; i < 2; i++) hy_close(fork[i]);
    right &= oom_due(oom_call(F, net, 1), 1);
    hy_block_free(F, net);
    return right;
}

/* --- programs with files --- */
#ifndef HYBRID_NO_IO
static int oom_formats(hy_frame *F)
{
    static const char *const name[] = { "a", "b" };
    static const hy_format formats[] = { HY_FORMAT_PARAMS, HY_FORMAT_NPY, HY_FORMAT_NPZ,
                                         HY_FORMAT_SAFETENSORS };
    hy_array *at[2], *bytes;
    hy_arrays all, back;
    int i, right = 1;
    at[0] = hy_arange(F, 0, 6, 1);
    at[1] = hy_cast(F, hy_reshape(F, at[0], HY_INTS(2, 3), NULL), HY_I32);
    all.at = at;
    all.name = name;
    for (i = 0; i < 4; i++) {
        hy_begin(F);
        all.n = formats[i] == HY_FORMAT_NPY ? 1 : 2;
        bytes = hy_save_to(F, formats[i], all);
        back = hy_load_from(F, hy_data(F, bytes), bytes ? (size_t)hy_size(F, bytes) : 0, i & 1);
        right &= back.n == all.n && hy_value(F, back.at[0], 5) == 5;
        right &= all.n == 1 || (back.n == 2 && hy_value(F, hy_array_named(F, back, "b"), 1, 2) == 5);
        hy_end(F);
    }
    return right;
}

static int oom_export(hy_frame *F)
{
    hy_block *net = oom_net(F), *back;
    hy_array *symbol = NULL;
    hy_arrays params = { 0, NULL, NULL };
    hy_graph *g;
    int right;
    hy_export_to(F, net, hy_ones(F, HY_SHAPE(1, 2)), &symbol, &params);
    g = hy_symbol_from(F, (const char *)hy_data(F, symbol), symbol ? (size_t)hy_size(F, symbol) : 0);
    back = hy_import_from(F, g, &params, NULL);
    right = oom_due(oom_call(F, back, 2), 2);
    hy_block_free(F, back);
    hy_graph_free(F, g);
    hy_block_free(F, net);
    return right;
}

static int oom_model(hy_frame *F)
{
    hy_block *net = oom_net(F), *back;
    hy_array *bytes = hy_save_model_to(F, net, hy_ones(F, HY_SHAPE(1, 2)));
    int right, borrow;
    for (right = 1, borrow = 0; borrow < 2; borrow++) {
        back = hy_load_model_from(F, hy_data(F, bytes), bytes ? (size_t)hy_size(F, bytes) : 0, borrow);
        right &= oom_due(oom_call(F, back, 2), 2);
        hy_block_free(F, back);
    }
    hy_block_free(F, net);
    return right;
}

#ifndef HYBRID_NO_STDIO
static int oom_files(hy_frame *F)
{
    hy_block *net = oom_net(F), *other = oom_net(F), *pair, *single;
    hy_init zeros = hy_init_zeros();
    int right = oom_due(oom_call(F, net, 1), 1);
    hy_reinitialize(F, other, &zeros);
    hy_save_parameters(F, net, "oom_test.params", NULL);
    hy_load_parameters(F, other, "oom_test.params", NULL);
    right &= oom_due(oom_call(F, other, 1), 1);
    hy_hybridize(F, net, NULL);
    oom_call(F, net, 1);
    hy_export(F, net, "oom_test", 0);
    hy_save_model(F, net, "oom_test.model");
    pair = hy_import(F, "oom_test", 0);
    single = hy_load_model(F, "oom_test.model");
    right &= oom_due(oom_call(F, pair, 1), 1) && oom_due(oom_call(F, single, 1), 1);
    hy_block_free(F, single);
    hy_block_free(F, pair);
    hy_block_free(F, other);
    hy_block_free(F, net);
    return right;
}

/* What a failed save leaves behind is the old file, or none. */
static void oom_walk_files(void)
{
    static const char *const made[] = { "oom_test.params", "oom_test-symbol.json", "oom_test-0000.params",
                                        "oom_test.model" };
    int i;
    oom_walk(oom_files, 1);
    for (i = 0; i < 4; i++) CHECK(!remove(made[i]));
}
#endif
static void oom_walk_formats(void) { oom_walk(oom_formats, 1); }
static void oom_walk_export(void) { oom_walk(oom_export, 1); }
static void oom_walk_model(void) { oom_walk(oom_model, 1); }
#endif

static void oom_walk_layers(void) { oom_walk(oom_layers, 1); }
#ifndef HYBRID_NO_VISION
static void oom_walk_convolution(void) { oom_walk(oom_convolution, 1); }
#endif
#ifndef HYBRID_NO_RNN
static void oom_walk_recurrent(void) { oom_walk(oom_recurrent, 1); }
#ifndef HYBRID_NO_TRAIN
static void oom_walk_recurrent_twice(void) { oom_walk(oom_recurrent_twice, 1); }
static void oom_walk_recurrent_of_halves(void) { oom_walk(oom_recurrent_of_halves, 1); }
#endif
#endif
static void oom_walk_own_block(void) { oom_walk(oom_own_block, 1); }
static void oom_walk_deep_block(void) { oom_walk(oom_deep_block, 1); }
static void oom_walk_names(void) { oom_walk(oom_names, 1); }
static void oom_walk_bind(void) { oom_walk(oom_bind, 1); }
#ifndef HYBRID_NO_VISION
static void oom_walk_bind_folded(void) { oom_walk(oom_bind_folded, 1); }
#endif
static void oom_walk_profile(void) { oom_walk(oom_profile, 1); }
static void oom_walk_net_fork(void) { oom_walk(oom_net_fork, 1); }
#ifndef HYBRID_NO_TRAIN
static void oom_walk_net_training(void) { oom_walk(oom_net_training, 1); }
#endif
static void oom_walk_arithmetic(void) { oom_walk(oom_arithmetic, 1); }
static void oom_walk_with_threads(void) { oom_walk(oom_arithmetic, 3); }
static void oom_walk_views_and_text(void) { oom_walk(oom_views_and_text, 1); }
static void oom_walk_groups(void) { oom_walk(oom_groups, 1); }
static void oom_walk_many_scopes(void) { oom_walk(oom_many_scopes, 1); }
static void oom_walk_symbols(void) { oom_walk(oom_symbols, 1); }
static void oom_walk_register(void) { oom_walk(oom_register, 1); }
static void oom_walk_fork(void) { oom_walk(oom_fork, 1); }
#ifndef HYBRID_NO_TRAIN
static void oom_walk_gradients(void) { oom_walk(oom_gradients, 1); }
static void oom_walk_norms_of_halves(void) { oom_walk(oom_norms_of_halves, 1); }
static void oom_walk_moments_of_whole(void) { oom_walk(oom_moments_of_whole, 1); }
static void oom_walk_gradient_check(void) { oom_walk(oom_gradient_check, 1); }
static void oom_walk_training(void) { oom_walk(oom_training, 1); }
#endif

#ifndef HYBRID_NO_TRAIN
/* Gradients of gradients of each operator, of its first case: one block after another is refused. */
typedef struct oom_op { hy_block base; const ops_row *row; ops_call call; } oom_op;
static hy_array *oom_op_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    ops_call *call = &((oom_op *)(void *)self)->call;
    ops_inputs in = call->in;
    int i;
    for (i = 0; i < in.n; i++) in.x[i] = hy_get(F, x, i);
    return hy_apply(F, call->name, in.n, in.x, call->attrs);
}
static void oom_op_slopes(hy_frame *F, hy_block *block, hy_array *x, hy_array *reals)
{
    hy_array *y, *g = NULL, *squares[REF_MAX];
    hy_grad_opt graph;
    int i, n = 0;
    memset(&graph, 0, sizeof graph);
    graph.create_graph = 1;
    y = block ? hy_call(F, block, x) : NULL;
    if (y) graph.head_grads = hy__weights_like(F, y);
    if (y && !hy_error(F)) g = hy_grad(F, y, reals, &graph);
    for (i = 0; g && i < hy_count(F, g); i++)
        if (hy_get(F, g, i) && hy_get(F, g, i)->tape) squares[n++] = hy_square(F, hy_get(F, g, i));
    hy_pause(F);
    if (n && !hy_error(F)) hy_backward(F, hy_group_of(F, n, squares), NULL);
}
/* Was memory enough? */
static int oom_op_try(const ops_row *row, hy_dtype dtype, int compiled, long left)
{
    oom_meter meter;
    ops_case c;
    hy_frame *F = oom_open(&meter, 1000000, 1, 1);
    oom_op *block = HY_BLOCK_NEW(F, oom_op, oom_op_forward);
    hy_array *reals[REF_MAX];
    int i, n = 0, enough;
    ops_open_case(&c, row->ref->cases[0]);
    block->call.name = row->name;
    block->call.attrs = c.attrs;
    hy_begin(F);
    block->call.in = ops_arrays(F, hy_op_at(F, row->number), &c, dtype, 0);
    for (i = 0; i < block->call.in.n; i++) {
        hy_array *x = block->call.in.x[i];
        if (!x || c.input[i].kind != OPS_REAL || !hy__floating(x->t.type.dtype)) continue;
        hy_attach_grad(F, x, HY_GRAD_WRITE);
        reals[n++] = x;
    }
    if (compiled) hy_hybridize(F, &block->base, NULL);
    hy_clear(F);
    if (n) {
        hy_array *x = hy_group_of(F, block->call.in.n, block->call.in.x), *wanted = hy_group_of(F, n, reals);
        hy_record(F);
        hy_set_training(F, c.ref.training);
        meter.left = left;
        oom_op_slopes(F, &block->base, x, wanted);
    }
    enough = !n || meter.left >= 0;
    meter.left = 1000000;
    hy_clear(F);
    hy_end(F);
    ops_close_case(&c);
    hy_close(F);
    if (!CHECK(meter.blocks == 0)) printf("    %s, block %ld: %ld not given back\n", row->name, left, meter.blocks);
    return enough;
}
/* Of 16 bits, where the operator takes them: they are cast to compute. As a graph only some blocks. */
static void oom_walk_operators_twice(void)
{
    size_t i;
    int compiled;
    long n, stride, slow = getenv("TEST_UNDER_VALGRIND") ? 7 : 1;
    for (i = 0; i < sizeof ops_rows / sizeof *ops_rows; i++) {
        const ref_op *ref = ops_rows[i].ref;
        hy_dtype dtype = strchr(ref->dtypes, ops_letters[HY_BF16]) ? HY_BF16 : HY_F32;
        if (!strchr(ref->dtypes, ops_letters[dtype]) || !ref->cases[0]) continue;
        for (compiled = 0; compiled < 2; compiled++) {
            stride = compiled ? 23 * slow : slow;
            for (n = compiled ? (long)i % stride : 0; n < 5000; n += stride)
                if (oom_op_try(&ops_rows[i], dtype, compiled, n)) break;
            if (!CHECK(n < 5000)) printf("    %s\n", ops_rows[i].name);
        }
    }
}
#endif

/* The same over one block of memory that is too small, a little larger each time. */
static void oom_walk_one_block(void)
{
    size_t bytes, most = 1 << 22;
    char *memory = (char *)malloc(most);
    int done = 0;
    for (bytes = 0; bytes < most && !done && !test_broken; bytes += 1000) {
        hy_desc desc;
        hy_frame *F;
        memset(&desc, 0, sizeof desc);
        desc.threads = 1;
        desc.memory = memory + 1;
        desc.memory_bytes = bytes;
        memory[1 + bytes] = 42;
        F = hy_open(&desc);
        if (F) {
            done = oom_views_and_text(F) && oom_arithmetic(F) && oom_groups(F);
            CHECK(done ? !hy_error(F) : hy_error_code(F) == HY_ERROR_MEMORY);
            hy_close(F);
        }
        CHECK(memory[1 + bytes] == 42);
    }
    CHECK(done);
    free(memory);
}

static void oom_sizes_that_cannot_be(void)
{
    oom_meter meter;
    hy_frame *F = oom_open(&meter, 1000000, 0, 1);
    int64_t huge = (int64_t)1 << 40;
    CHECK(!hy_ones(F, HY_SHAPE(huge, huge)));
    CHECK(hy_error(F) != NULL);
    hy_clear(F);
    CHECK(!hy_full(F, HY_SHAPE(huge, 16), 1));          /* addressable, but no machine has it */
    CHECK(hy_error(F) != NULL);
    hy_clear(F);
    CHECK(!hy_broadcast_to(F, hy_ones(F, HY_SHAPE(1, 1, 1)), HY_INTS(huge, huge, huge)));
    CHECK(hy_error(F) != NULL);
    oom_recover(F, &meter, oom_arithmetic, 0);
    hy_close(F);
    CHECK(meter.blocks == 0);
}

/* The message has the bytes: what was asked for, and what the frame holds. */
static void oom_bytes(void)
{
    static double memory[16000];
    hy_desc desc = { 0 };
    hy_frame *F;
    long asked = 0, held = 0;
    desc.memory = memory;
    desc.memory_bytes = sizeof memory;
    F = hy_open(&desc);
    CHECK(!hy_full(F, HY_SHAPE(1000, 1000), 1));
    if (CHECK(hy_error(F) && strstr(hy_error(F), "out of memory: ")))
        sscanf(strstr(hy_error(F), "memory: "), "memory: %ld bytes were asked for, %ld are in use", &asked, &held);
    CHECK(asked >= 4000000 && asked < 4500000 && held > 1000 && held < (long)sizeof memory);
    CHECK(held == (long)hy_memory_use(F).bytes);
    CHECK(hy_close(F) == HY_ERROR_MEMORY);
}

static void oom_error_of_no_frame(void)
{
    oom_meter meter;
    hy_frame *F = oom_open(&meter, 0, 0, 1);
    CHECK(!F && meter.blocks == 0);
    CHECK_STR(hy_error(F), "out of memory");
    CHECK(hy_error_code(F) == HY_ERROR_MEMORY);
    CHECK(!hy_add(F, hy_ones(F, HY_SHAPE(2)), NULL));
    hy_begin(F);
    hy_end(F);
    CHECK(hy_close(F) == HY_ERROR_MEMORY);
}

static void test_oom(void)
{
    RUN(oom_walk_arithmetic);
    RUN(oom_walk_with_threads);
    RUN(oom_walk_views_and_text);
    RUN(oom_walk_groups);
    RUN(oom_walk_many_scopes);
    RUN(oom_walk_symbols);
    RUN(oom_walk_register);
    RUN(oom_register_all_or_nothing);
    RUN(oom_walk_fork);
#ifndef HYBRID_NO_TRAIN
    RUN(oom_walk_gradients);
    RUN(oom_walk_gradient_check);
    RUN(oom_walk_norms_of_halves);
    RUN(oom_walk_moments_of_whole);
    RUN(oom_walk_training);
    RUN(oom_walk_net_training);
    RUN(oom_walk_operators_twice);
#endif
    RUN(oom_walk_layers);
#ifndef HYBRID_NO_VISION
    RUN(oom_walk_convolution);
    RUN(oom_walk_bind_folded);
#endif
#ifndef HYBRID_NO_RNN
    RUN(oom_walk_recurrent);
#ifndef HYBRID_NO_TRAIN
    RUN(oom_walk_recurrent_twice);
    RUN(oom_walk_recurrent_of_halves);
#endif
#endif
    RUN(oom_walk_own_block);
    RUN(oom_walk_deep_block);
    RUN(oom_walk_names);
    RUN(oom_walk_bind);
    RUN(oom_walk_profile);
    RUN(oom_walk_net_fork);
#ifndef HYBRID_NO_IO
    RUN(oom_walk_formats);
    RUN(oom_walk_export);
    RUN(oom_walk_model);
#ifndef HYBRID_NO_STDIO
    RUN(oom_walk_files);
#endif
#endif
    RUN(oom_walk_one_block);
    RUN(oom_sizes_that_cannot_be);
    RUN(oom_bytes);
    RUN(oom_error_of_no_frame);
}
