/* What the turns of a loop need of its data alone is computed for all of them in one product before it. */
typedef struct { hy_block base; hy_block *cell, *words; int which; } ahead_net;

static hy_array *ahead_turn(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    ahead_net *net = (ahead_net *)user;
    hy_array *y;
    if (net->which == 1) x = hy_call(F, net->words, x);         /* x: indices */
    if (net->which == 2) x = hy_relu(F, hy_mul_scalar(F, x, 2));
    y = hy_call(F, net->cell, hy_group(F, x, hy_get(F, s, 0), hy_get(F, s, 1)));
    return hy_group(F, hy_get(F, y, 0), hy_group(F, hy_get(F, y, 1), hy_get(F, y, 2)));
}

/* The output of a turn depends on the data alone. */
static hy_array *ahead_map(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    hy_array *y = hy_call(F, ((ahead_net *)user)->words, x);
    return hy_group(F, hy_group(F, y, hy_tanh(F, y)), hy_add_scalar(F, s, 1));
}

static hy_array *ahead_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    ahead_net *net = (ahead_net *)self;
    hy_array *y, *s;
    if (net->which == 3) y = hy_foreach(F, ahead_map, x, hy_zeros(F, HY_SHAPE(1)), net);
    else {
        s = hy_zeros(F, HY_SHAPE(2, 5));
        y = hy_foreach(F, ahead_turn, x, hy_group(F, s, hy_ones_like(F, s)), net);
    }
    return hy_group(F, hy_get(F, hy_get(F, y, 0), 0), hy_sum(F, hy_get(F, hy_get(F, y, 1), 0), HY_ALL, NULL));
}

static hy_array *ahead_input(hy_frame *F, int which, int turns)
{
    hy_array *x = hy_reshape(F, hy_arange(F, 0, turns * (which == 1 ? 2 : 6), 1),
                             which == 1 ? HY_INTS(turns, 2) : HY_INTS(turns, 2, 3), NULL);
    return which == 1 ? hy_mod_scalar(F, x, 7) : hy_sin(F, x);
}

static ahead_net *ahead_new(hy_frame *F, int which)
{
    ahead_net *net = HY_BLOCK_NEW(F, ahead_net, ahead_forward);
    if (!net) return NULL;
    net->which = which;
    if (which != 3) net->cell = hy_add_child(F, &net->base, "cell", hy_rnn_lstm_cell(F, 5, NULL));
    if (which == 1) net->words = hy_add_child(F, &net->base, "words", hy_nn_embedding(F, 7, 3, NULL));
    if (which == 3) net->words = hy_add_child(F, &net->base, "words", hy_nn_dense(F, 4, NULL));
    hy_initialize(F, &net->base, NULL);
    return net;
}

/* Loss, and gradients if grad has room for them. */
static double ahead_loss(hy_frame *F, ahead_net *net, hy_array *x, hy_array **grad)
{
    hy_array *y, *loss;
    hy_params all;
    int i;
    if (grad) hy_record(F);
    y = hy_call(F, &net->base, x);
    loss = hy_sum(F, hy_square(F, hy_get(F, y, 0)), HY_ALL, NULL);
#ifndef HYBRID_NO_TRAIN
    if (grad) {
        hy_backward(F, loss, NULL);
        hy_pause(F);
        all = hy_collect_params(F, &net->base, NULL);
        for (i = 0; i < all.n && i < 8; i++)
            grad[i] = hy_grad_of(F, all.at[i]) ? hy_identity(F, hy_grad_of(F, all.at[i])) : NULL;
    }
#endif
    (void)all; (void)i;
    return hy_error(F) ? -1 : hy_value_of(F, loss, HY_SHAPE(0));
}

static int ahead_near(hy_frame *F, hy_array *a, hy_array *b)
{
    int i, n = a && b ? (int)hy_size(F, a) : -1;
    if (n < 0 || hy_size(F, b) != n) return a == b;
    for (i = 0; i < n; i++) {
        double d = control_at(F, a, i) - control_at(F, b, i);
        if (!(d < 1e-5 && d > -1e-5)) return 0;
    }
    return 1;
}

static void test_ahead_values(void)
{
    int which, turns, threads;
    for (which = 0; which < 4; which++) for (threads = 1; threads < 4; threads += 2) {
        hy_frame *F = control_open(threads);
        ahead_net *net = ahead_new(F, which);
        hy_hybridize_opt exact = { 0 }, plain = { 0 };
        exact.exact = 1;
        plain.inactive = 1;
        for (turns = 3; turns < 6; turns++) {
            hy_array *x = ahead_input(F, which, turns), *y, *z, *e, *g[8] = { NULL }, *h[8] = { NULL };
            double want, got;
            int i;
            hy_hybridize(F, &net->base, &plain);
            y = hy_call(F, &net->base, x);
            want = ahead_loss(F, net, x, g);
            hy_hybridize(F, &net->base, &exact);
            e = hy_call(F, &net->base, x);
            CHECK(control_same(F, y, e));
            hy_hybridize(F, &net->base, NULL);
            z = hy_call(F, &net->base, x);
            got = ahead_loss(F, net, x, h);
            CHECK(ahead_near(F, hy_get(F, y, 0), hy_get(F, z, 0)) && ahead_near(F, hy_get(F, y, 1), hy_get(F, z, 1)));
            CHECK_NEAR(got, want, 1e-5 * want);
            for (i = 0; i < 8; i++) CHECK(ahead_near(F, g[i], h[i]));
        }
        CHECK_STR(hy_error(F), NULL);
        CHECK(hy_close(F) == 0);
    }
}

/* Which programs have the product in front of the loop? */
static int ahead_moved(hy_frame *F, ahead_net *net, hy_array *x, int off, int exact)
{
    hy_optimize_opt opt = { 0 };
    hy_graph *g;
    char text[6000], *loop;
    opt.off = off;
    opt.exact = exact;
    hy_hybridize(F, &net->base, NULL);
    hy_call(F, &net->base, x);
    g = hy_optimize(F, hy_graph_of(F, &net->base), x, &opt);
    if (!CHECK(g && hy_graph_text(g, HY_FORM_LINES, text, sizeof text) < sizeof text)) return -1;
    loop = strstr(text, "_foreach(");
    if (!CHECK(loop != NULL)) return -1;
    *loop = 0;
    return strstr(text, "fully_connected(") != NULL;
}

static void test_ahead_graph(void)
{
    hy_frame *F = control_open(1);
    int which;
    for (which = 0; which < 4; which++) {
        ahead_net *net = ahead_new(F, which);
        hy_array *x = ahead_input(F, which, 4);
        CHECK(ahead_moved(F, net, x, 0, 0) == 1);
        CHECK(ahead_moved(F, net, x, HY_PASS_AHEAD, 0) == 0);
        CHECK(ahead_moved(F, net, x, 0, 1) == 0);
        CHECK(hy_check(F, &net->base, x) == 0);
    }
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
}

/* Data of one axis, weights that change from turn to turn, a product of the state: nothing moves. */
static hy_array *ahead_stays_turn(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    (void)user;
    s = hy_dot(F, s, hy_mul(F, hy_ones(F, HY_SHAPE(2, 2)), x), NULL);
    return hy_group(F, NULL, s);
}

static hy_array *ahead_stays(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_get(F, hy_foreach(F, ahead_stays_turn, x, hy_ones(F, HY_SHAPE(2, 2)), NULL), 1);
}

static void test_ahead_stays(void)
{
    hy_frame *F = control_open(1);
    hy_block *net = hy_block_new(F, sizeof(hy_block), "stays", ahead_stays, 1);
    hy_array *x = hy_arange(F, 1, 4, 1), *y = hy_call(F, net, x), *z;
    hy_hybridize(F, net, NULL);
    z = hy_call(F, net, x);
    CHECK(control_same(F, y, z));
    CHECK_NEAR(control_at(F, z, 0), 48, 0);
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
}

/* Products of data of more than two dims: those of their last axis move, others stay. */
enum { AHEAD_DOT, AHEAD_DOT_TURNED, AHEAD_DENSE_LAST, AHEAD_DENSE_FLAT, AHEAD_DOT_CUBE, AHEAD_DOT_FIRST, AHEAD_KINDS };
typedef struct { hy_array *weight; int kind; } ahead_product;

static hy_array *ahead_dims_turn(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    const ahead_product *of = (const ahead_product *)user;
    hy_fully_connected_opt dense = { 0 };
    hy_dot_opt dot = { 0 };
    dense.no_bias = 1;
    dense.no_flatten = of->kind == AHEAD_DENSE_LAST;
    dot.transpose_a = of->kind == AHEAD_DOT_FIRST;
    dot.transpose_b = of->kind == AHEAD_DOT_TURNED;
    if (of->kind == AHEAD_DENSE_LAST || of->kind == AHEAD_DENSE_FLAT)
        x = hy_fully_connected(F, x, of->weight, NULL, 5, &dense);
    else x = hy_dot(F, x, of->weight, &dot);
    return hy_group(F, x, hy_add(F, s, hy_sum(F, x, HY_ALL, NULL)));
}

static hy_array *ahead_dims(hy_frame *F, hy_block *self, hy_array *x)
{
    ahead_product of;
    of.kind = ((ahead_net *)self)->which;
    of.weight = hy_get(F, x, 1);
    return hy_foreach(F, ahead_dims_turn, hy_get(F, x, 0), hy_zeros(F, HY_SHAPE(1)), &of);
}

static void test_ahead_dims(void)
{
    static const hy_ints weight[AHEAD_KINDS] = { { 2, { 4, 5 } }, { 2, { 5, 4 } }, { 2, { 5, 4 } }, { 2, { 5, 12 } },
                                                 { 3, { 4, 2, 3 } }, { 2, { 2, 5 } } };
    int kind;
    for (kind = 0; kind < AHEAD_KINDS; kind++) {
        hy_frame *F = control_open(1);
        ahead_net *net = HY_BLOCK_NEW(F, ahead_net, ahead_dims);
        hy_array *x = hy_sin(F, hy_reshape(F, hy_arange(F, 0, 96, 1), HY_INTS(4, 2, 3, 4), NULL)), *y, *z;
        hy_array *w = hy_cos(F, hy_reshape(F, hy_arange(F, 0, 60, 1), HY_INTS(-1), NULL));
        hy_hybridize_opt exact = { 0 };
        hy_graph *g;
        char text[4000], *loop;
        int i, n = 1;
        for (i = 0; i < weight[kind].n; i++) n *= (int)weight[kind].v[i];
        x = hy_group(F, x, hy_reshape(F, hy_slice_axis(F, w, 0, 0, n), weight[kind], NULL));
        net->which = kind;
        y = hy_call(F, &net->base, x);
        exact.exact = 1;
        hy_hybridize(F, &net->base, &exact);
        z = hy_call(F, &net->base, x);
        CHECK(control_same(F, y, z));
        hy_hybridize(F, &net->base, NULL);
        z = hy_call(F, &net->base, x);
        CHECK(ahead_near(F, hy_get(F, y, 0), hy_get(F, z, 0)) && ahead_near(F, hy_get(F, y, 1), hy_get(F, z, 1)));
        g = hy_optimize(F, hy_graph_of(F, &net->base), x, NULL);
        CHECK(g && hy_graph_text(g, HY_FORM_LINES, text, sizeof text) < sizeof text);
        loop = g ? strstr(text, "_foreach(") : NULL;
        if (CHECK(loop != NULL)) {
            *loop = 0;
            i = strstr(text, "dot(") || strstr(text, "fully_connected(");
            if (!CHECK(i == (kind < AHEAD_DENSE_FLAT))) printf("    kind %d\n", kind);
        }
        CHECK_STR(hy_error(F), NULL);
        CHECK(hy_close(F) == 0);
    }
}

#ifndef HYBRID_NO_IO
/* What the pass has made can be written and read like any graph. */
static void test_ahead_file(void)
{
    hy_frame *F = control_open(1);
    ahead_net *net = ahead_new(F, 0);
    hy_array *x = ahead_input(F, 0, 4), *file, *y, *z, *in[8];
    hy_params all;
    hy_graph *g, *again;
    const char *name;
    int i, k, states = 0;
    hy_hybridize(F, &net->base, NULL);
    y = hy_call(F, &net->base, x);
    g = hy_optimize(F, hy_graph_of(F, &net->base), x, NULL);
    file = hy_symbol_to(F, g);
    again = hy_symbol_from(F, (const char *)hy_data(F, file), (size_t)hy_size(F, file));
    all = hy_collect_params(F, &net->base, NULL);
    if (!CHECK(again != NULL && all.n == 4)) return;
    for (i = 0; i < 8 && (name = hy_graph_name(again, HY_NAMES_VARIABLES, i)) != NULL; i++) {
        in[i] = NULL;
        for (k = 0; k < all.n; k++) if (!strcmp(hy_name_of(F, all.at[k]), name)) in[i] = all.at[k];
        if (!in[i]) in[i] = strcmp(name, "data") ? hy_full(F, HY_SHAPE(2, 5), states++) : x;
    }
    z = hy_graph_run(F, again, hy_group_of(F, i, in));
    CHECK(ahead_near(F, hy_get(F, y, 0), hy_get(F, z, 0)));
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
}
#endif

static int ahead_oom(hy_frame *F)
{
    ahead_net *net = ahead_new(F, 1);
    hy_array *x = ahead_input(F, 1, 3), *y;
    if (!net) return 0;
    hy_hybridize(F, &net->base, NULL);
    y = hy_call(F, &net->base, x);
    return y != NULL && hy_error(F) == NULL;
}

static void test_ahead_memory(void) { oom_walk(ahead_oom, 1); }

static void test_ahead(void)
{
    RUN(test_ahead_values);
    RUN(test_ahead_graph);
    RUN(test_ahead_stays);
    RUN(test_ahead_dims);
#ifndef HYBRID_NO_IO
    RUN(test_ahead_file);
#endif
    RUN(test_ahead_memory);
}
