/* Blocks whose values are computed a second time for the gradient: the same numbers in less memory. */
#ifndef HYBRID_NO_TRAIN
/* Four stages of four layers, half of them with a batch norm, perhaps with dropout. */
static hy_block *recompute_net(hy_frame *F, int wide, int again, int drop)
{
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_nn_dense_opt tanh_opt = { 0 };
    hy_init first = hy_init_uniform(.6);
    int i, k;
    tanh_opt.activation = "tanh";
    for (i = 0; i < 4; i++) {
        hy_block *stage = hy_nn_hybrid_sequential(F);
        for (k = 0; k < 4; k++) {
            hy_append(F, stage, hy_nn_dense(F, wide, &tanh_opt));
            if (k == 1) hy_append(F, stage, hy_nn_batch_norm(F, NULL));
            if (k == 2 && drop) hy_append(F, stage, hy_nn_dropout(F, .5, NULL));
        }
        if (again) hy_set_recompute(F, stage, 1);
        hy_append(F, net, stage);
    }
    hy_append(F, net, hy_nn_dense(F, 1, NULL));
    hy_initialize(F, net, &first);
    return net;
}

/* One step: the loss; every gradient and statistic into out[], n of them. */
static double recompute_step(hy_frame *F, hy_block *net, hy_array *x, hy_array **out, int *n)
{
    hy_array *loss;
    hy_params all;
    int i;
    hy_record(F);
    loss = hy_mean(F, hy_square(F, hy_call(F, net, x)), HY_ALL, NULL);
    hy_backward(F, loss, NULL);
    hy_pause(F);
    all = hy_collect_params(F, net, NULL);
    for (i = 0; i < all.n && i < *n; i++)
        out[i] = hy_copy(F, hy_grad_req_of(F, all.at[i]) ? hy_grad_of(F, all.at[i]) : all.at[i]);
    *n = i;
    return hy_error(F) ? -1 : hy_value_of(F, loss, HY_SHAPE(0));
}

static hy_array *recompute_input(hy_frame *F, int rows, int wide)
{
    return hy_sin(F, hy_reshape(F, hy_arange(F, 0, rows * wide, 1), HY_INTS(rows, wide), NULL));
}

static int recompute_near(hy_frame *F, hy_array *a, hy_frame *G, hy_array *b)
{
    int i, n = (int)hy_size(F, a);
    for (i = 0; i < n; i++) {
        double u = control_at(F, a, i), v = control_at(G, b, i);
        if (!(u - v < 1e-5 && v - u < 1e-5)) return 0;
    }
    return 1;
}

/* hybrid: 0 line by line, 1 the whole network hybridized. */
static void test_recompute_values(void)
{
    int hybrid, threads, step, i;
    for (hybrid = 0; hybrid < 2; hybrid++) for (threads = 1; threads < 4; threads += 2) {
        hy_frame *F = control_open(threads), *G = control_open(threads);
        hy_block *a = recompute_net(F, 6, 0, 0), *b = recompute_net(G, 6, 1, 0);
        if (hybrid) { hy_hybridize(F, a, NULL); hy_hybridize(G, b, NULL); }
        for (step = 0; step < 3; step++) {
            hy_array *u[80] = { NULL }, *v[80] = { NULL };
            int n = 80, m = 80;
            double want = recompute_step(F, a, recompute_input(F, 5 + step % 2, 6), u, &n);
            double got = recompute_step(G, b, recompute_input(G, 5 + step % 2, 6), v, &m);
            CHECK_NEAR(got, want, 1e-5);
            CHECK(n == m && n == 50);
            for (i = 0; i < n && i < m; i++)
                if (!CHECK(recompute_near(F, u[i], G, v[i]))) printf("    %d: %d, %d\n", hybrid, step, i);
            CHECK(recompute_near(F, hy_call(F, a, recompute_input(F, 4, 6)),
                                 G, hy_call(G, b, recompute_input(G, 4, 6))));
        }
        CHECK_STR(hy_error(F), NULL);
        CHECK_STR(hy_error(G), NULL);
        CHECK(hy_close(F) == 0 && hy_close(G) == 0);
    }
}

/* The gradient of y = dropout(w) is the mask, so y = w dy where both were drawn by the same numbers. */
static hy_array *recompute_mask(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_dropout(F, x, .5, NULL);
}

static void test_recompute_draws(void)
{
    int hybrid, k, i;
    for (hybrid = 0; hybrid < 2; hybrid++) {
        hy_frame *F = control_open(2);
        hy_block *net = hy_block_new(F, sizeof(hy_block), "mask", recompute_mask, 1);
        hy_array *x = hy_ones(F, HY_SHAPE(300)), *y, *was = NULL;
        hy_set_recompute(F, net, 1);
        if (hybrid) hy_hybridize(F, net, NULL);
        hy_attach_grad(F, x, HY_GRAD_WRITE);
        for (k = 0; k < 2; k++) {
            int kept = 0, same = 0;
            hy_record(F);
            y = hy_call(F, net, x);
            hy_random_uniform(F, HY_SHAPE(3), 0, 1, NULL);
            hy_backward(F, y, NULL);
            hy_pause(F);
            CHECK(control_same(F, y, hy_grad_of(F, x)));
            for (i = 0; i < 300; i++) {
                kept += control_at(F, y, i) != 0;
                same += was && control_at(F, y, i) == control_at(F, was, i);
            }
            CHECK(kept > 100 && kept < 200 && same < 220);
            was = y;
        }
        CHECK_STR(hy_error(F), NULL);
        CHECK(hy_close(F) == 0);
    }
}

/* Held at most, by the arrays of one step in steady state. */
static size_t recompute_peak(int again, int hybrid)
{
    hy_frame *F = control_open(1);
    hy_block *net = recompute_net(F, 32, again, 0);
    hy_array *x = recompute_input(F, 1000, 32), *none[1];
    size_t peak = 0;
    int step, n;
    if (hybrid) hy_hybridize(F, net, NULL);
    for (step = 0; step < 3; step++) {
        hy_begin(F);
        hy_trim(F);
        n = 0;
        hy_memory_mark(F);
        recompute_step(F, net, x, none, &n);
        peak = hy_memory_use(F).peak;
        hy_end(F);
    }
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
    return peak;
}

static void test_recompute_memory(void)
{
    int hybrid;
    for (hybrid = 0; hybrid < 2; hybrid++) {
        size_t whole = recompute_peak(0, hybrid), less = recompute_peak(1, hybrid);
        if (!CHECK(less < whole * 7 / 10)) printf("    %d: %zu of %zu bytes\n", hybrid, less, whole);
    }
}

/* Second order, a group of inputs with None, blocks within blocks, what is refused. */
static hy_array *recompute_pair(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *a = hy_get(F, x, 0), *b = hy_get(F, x, 2);
    (void)self;
    return hy_group(F, hy_mul(F, hy_square(F, a), b), a);
}

static void test_recompute_edges(void)
{
    hy_frame *F = control_open(1);
    hy_block *net = hy_block_new(F, sizeof(hy_block), "pair", recompute_pair, 1);
    hy_block *plain = hy_block_new(F, sizeof(hy_block), "plain", recompute_pair, 0);
    hy_array *a = hy_arange(F, 1, 4, 1), *b = hy_arange(F, 2, 5, 1), *y, *g;
    hy_grad_opt again = { 0 };
    again.create_graph = 1;
    hy_set_recompute(F, net, 1);
    hy_attach_grad(F, a, HY_GRAD_WRITE);
    hy_attach_grad(F, b, HY_GRAD_WRITE);
    hy_record(F);
    y = hy_call(F, net, hy_group(F, a, NULL, b));
    g = hy_grad(F, hy_get(F, y, 0), a, &again);                 /* 2 a b */
    hy_backward(F, g, NULL);
    hy_pause(F);
    CHECK_NEAR(control_at(F, g, 2), 2 * 3 * 4, 1e-6);
    CHECK_NEAR(control_at(F, hy_grad_of(F, a), 2), 2 * 4, 1e-6);
    CHECK_NEAR(control_at(F, hy_grad_of(F, b), 2), 2 * 3, 1e-6);
    CHECK(control_same(F, hy_get(F, y, 1), a));
    CHECK_STR(hy_error(F), NULL);
    hy_set_recompute(F, plain, 1);
    CHECK_STR(hy_error(F), "hy_set_recompute: plain is no hybrid block: its forward cannot be traced");
    hy_clear(F);
    hy_set_recompute(F, NULL, 1);
    CHECK(hy_error(F) != NULL);
    hy_clear(F);
    hy_set_recompute(F, net, 0);
    hy_record(F);
    y = hy_call(F, net, hy_group(F, a, NULL, b));
    hy_backward(F, hy_get(F, y, 0), NULL);
    hy_pause(F);
    CHECK_NEAR(control_at(F, hy_grad_of(F, a), 2), 2 * 3 * 4, 1e-6);
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
}

#ifndef HYBRID_NO_IO
/* A file never holds it: a network that was called in training alone is traced once more, outside of it. */
static void test_recompute_export(void)
{
    hy_frame *F = control_open(1);
    hy_block *net = recompute_net(F, 3, 1, 0), *read;
    hy_array *x = recompute_input(F, 4, 3), *none[1], *bytes;
    int n = 0;
    hy_hybridize(F, net, NULL);
    recompute_step(F, net, x, none, &n);
    CHECK(hy_check(F, net, x) == 0);
    bytes = hy_save_model_to(F, net, NULL);
    read = bytes ? hy_load_model_from(F, hy_data(F, bytes), (size_t)hy_size(F, bytes), 0) : NULL;
    CHECK(read && life_same(F, hy_call(F, read, x), hy_call(F, net, x)));
    CHECK(hy_save_model_to(F, net, NULL) != NULL);
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
}
#endif

static int recompute_oom(hy_frame *F)
{
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_array *none[1];
    int n = 0;
    if (!net) return 0;
    hy_append(F, net, hy_nn_dense(F, 2, NULL), hy_nn_batch_norm(F, NULL), hy_nn_dropout(F, .5, NULL));
    hy_initialize(F, net, NULL);
    hy_set_recompute(F, net, 1);
    recompute_step(F, net, recompute_input(F, 3, 2), none, &n);
    return hy_error(F) == NULL;
}

static void test_recompute_oom(void) { oom_walk(recompute_oom, 1); }

/* --- gradients of gradients: the same bits as if nothing was computed again --- */
static hy_array *second_loss(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_group(F, hy_make_loss(F, hy_sin(F, x), NULL), x);
}

static hy_array *second_whole(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_sinh(F, hy_cast(F, hy_cast(F, x, HY_I64), hy_dtype_of(F, x)));
}

/* Uses its input often, draws, has statistics and a block within that is computed again, too. */
static hy_array *second_much(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *y = hy_tanh(F, hy_call(F, hy_child(F, self, 0), hy_mul(F, x, x)));
    y = hy_mul(F, hy_dropout(F, y, .3, NULL), hy_exp(F, hy_sin(F, x)));
    return hy_group(F, hy_add(F, hy_mul(F, y, x), hy_sin(F, y)), y, hy_mul(F, y, hy_cos(F, x)));
}

static hy_array *second_turn(hy_frame *F, hy_array *x, hy_array *state, void *user)
{
    state = hy_get(F, hy_call(F, (hy_block *)user, hy_add(F, state, x)), 0);
    return hy_group(F, hy_mul(F, state, x), state);
}

/* Such a block in a loop. */
static hy_array *second_turns(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *rows = hy_reshape(F, x, HY_INTS(2, 4), NULL);
    hy_array *y = hy_foreach(F, second_turn, rows, hy_reshape(F, hy_slice_axis(F, rows, 0, 0, 1), HY_INTS(4), NULL), hy_child(F, self, 0));
    return hy_group(F, hy_get(F, y, 0), hy_get(F, y, 1));
}

static hy_array *second_inner(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_mul(F, hy_sin(F, x), hy_dropout(F, hy_exp(F, hy_mul_scalar(F, x, -.5)), .3, NULL));
}

enum { SECOND_KINDS = 4, SECOND_ROOM = 64 };
static hy_block *second_net(hy_frame *F, int kind, int again, int hybrid)
{
    static hy_array *(*const forward[])(hy_frame *, hy_block *, hy_array *) = { second_loss, second_whole, second_much, second_turns };
    hy_block *net = hy_block_new(F, sizeof(hy_block), "net", forward[kind], 1), *inner = NULL;
    hy_hybridize_opt exact = { 0 };
    if (kind == 2) {
        inner = hy_nn_hybrid_sequential(F);
        hy_append(F, inner, hy_block_new(F, sizeof(hy_block), "inner", second_inner, 1), hy_nn_batch_norm(F, NULL));
    } else if (kind == 3) inner = hy_block_new(F, sizeof(hy_block), "turn", second_loss, 1);
    if (inner) hy_add_child(F, net, "inner", inner);
    hy_initialize(F, net, NULL);
    exact.exact = 1;
    if (again && inner) hy_set_recompute(F, inner, 1);
    if (again > 1) hy_set_recompute(F, net, 1);
    if (hybrid) hy_hybridize(F, net, &exact);
    return net;
}

/* Two gradients one after the other, what is drawn then, and statistics; how many numbers. twice: the first one is taken again. */
static int second_run(hy_frame *F, int kind, hy_dtype dtype, int again, int hybrid, int twice, double *to)
{
    hy_block *net = second_net(F, kind, again, hybrid);
    hy_array *x, *z, *y = NULL, *g = NULL;
    hy_grad_opt o = { 0 };
    hy_params ps = hy_collect_params(F, net, NULL);
    int i, n = 0, k;
    o.create_graph = 1;
    hy_cast_block(F, net, dtype);
    x = hy_cast(F, hy_linspace(F, 0.1, 1, kind < 2 ? 4 : 8), dtype);
    if (kind == 2) x = hy_reshape(F, x, HY_INTS(4, 2), NULL);
    x = hy_copy(F, x);
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_seed(F, 4);
    hy_record(F);
    z = hy_call(F, net, x);
    for (i = 0; i < hy_count(F, z); i++) {
        hy_array *sum = hy_sum(F, hy_tanh(F, hy_get(F, z, i)), HY_ALL, NULL);
        y = y ? hy_add(F, y, sum) : sum;
    }
    for (k = 0; k < 1 + twice; k++) g = hy_grad(F, y, x, &o);
    for (i = 0; i < (int)hy_size(F, x) && g; i++) to[n++] = hy_value_of(F, hy_reshape(F, g, HY_INTS(-1), NULL), HY_SHAPE(i));
    y = hy_sum(F, hy_tanh(F, g), HY_ALL, NULL);
    hy_pause(F);
    hy_backward(F, y, NULL);
    g = hy_reshape(F, hy_cast(F, hy_grad_of(F, x), HY_F64), HY_INTS(-1), NULL);
    for (i = 0; i < (int)hy_size(F, x) && g; i++) to[n++] = hy_value(F, g, i);
    to[n++] = hy_item(F, hy_uniform(F, HY_SHAPE(1), 0, 1));
    for (i = 0; i < ps.n; i++)
        to[n++] = hy_item(F, hy_sum(F, hy_cast(F, ps.at[i], HY_F64), HY_ALL, NULL));
    return n;
}

static void test_recompute_twice(void)
{
    static const double loss[] = { -0.021610, -0.112511, -0.305314, -0.660407 };
    static const hy_dtype types[] = { HY_F32, HY_F16, HY_BF16, HY_F64 };
    int kind, hybrid, again, twice, t, i, n, m;
    for (kind = 0; kind < SECOND_KINDS; kind++)
        for (t = 0; t < 4; t++)
            for (hybrid = 0; hybrid < 2; hybrid++)
                for (twice = 0; twice < 2; twice++) {
                    double want[SECOND_ROOM], got[SECOND_ROOM];
                    for (again = 0; again < 3; again++) {
                        hy_frame *F;
                        if (kind == 3 && !hybrid && again == 2) continue;       /* the loop is compiled then */
                        F = hy_open(NULL);
                        m = second_run(F, kind, types[t], again, hybrid, twice, again ? got : want);
                        CHECK_STR(hy_error(F), NULL);
                        CHECK(hy_close(F) == 0);
                        if (!again) n = m;
                        if (again && !CHECK(n == m && !memcmp(want, got, (size_t)n * sizeof *want)))
                            printf("    kind %d, type %d, hybrid %d, again %d, twice %d\n", kind, (int)types[t], hybrid, again, twice);
                    }
                    for (i = 0; i < 4 && !kind && !t; i++) CHECK_NEAR(want[4 + i], loss[i], 1e-6);
                    for (i = 0; i < 4 && kind == 1; i++) CHECK_NEAR(want[4 + i], 0, 0);
                }
}

/* Statistics that are read behind the batch norm that changes them, whose own result has no gradient: when the
 * block, the branch or a turn is computed again, they are changed there, too, beginning with what they were
 * then. ways: 1 computed again, 2 hybridized; 4 times where: see the forward; from 20 on what is read is no copy. */
typedef struct recompute_reader { hy_block base; hy_array *gamma, *mean, *var, *w; int where, plainly; } recompute_reader;
static hy_array *recompute_read(hy_frame *F, hy_array *x, void *user)
{
    recompute_reader *r = (recompute_reader *)user;
    hy_array *y = hy_floor(F, hy_batch_norm(F, x, r->gamma, r->gamma, r->mean, r->var, NULL));
    return hy_add(F, y, hy_mul(F, hy_square(F, hy_add(F, x, r->w)),
                               r->plainly ? r->mean : hy_copy(F, r->mean)));
}
static hy_array *recompute_not_read(hy_frame *F, hy_array *x, void *user) { (void)user; return hy_square(F, x); }
static hy_array *recompute_each(hy_frame *F, hy_array *x, hy_array *state, void *user)
{
    x = recompute_read(F, hy_mul(F, x, hy_add_scalar(F, state, .5)), user);
    return hy_group(F, x, hy_tanh(F, hy_add(F, state, x)));
}
static hy_array *recompute_goes_on(hy_frame *F, hy_array *x, void *user)
{
    (void)user;
    return hy_lesser_scalar(F, hy_get(F, x, 0), 3);
}
static hy_array *recompute_goes(hy_frame *F, hy_array *x, void *user)
{
    hy_array *next = recompute_read(F, hy_mul_scalar(F, hy_get(F, x, 1), .5), user);
    return hy_group(F, next, hy_group(F, hy_add_scalar(F, hy_get(F, x, 0), 1), next));
}
static hy_array *recompute_turns(hy_frame *F, hy_array *x, void *user)
{
    x = hy_reshape(F, x, HY_INTS(3, 2, 2), NULL);
    return hy_get(F, hy_foreach(F, recompute_each, x, hy_full(F, HY_SHAPE(2, 2), .25), user), 0);
}
static hy_array *recompute_reader_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    recompute_reader *r = (recompute_reader *)(void *)self;
    switch (r->where) {
    case 0: return recompute_read(F, x, r);
    case 1: break;
    case 2: return recompute_turns(F, x, r);
    case 3:
        x = hy_group(F, hy_zeros(F, HY_SHAPE(1)), x);
        return hy_get(F, hy_get(F, hy_while_loop(F, recompute_goes_on, recompute_goes, x, 5, r), 1), 1);
    default: return hy_cond(F, hy_ones(F, HY_SHAPE(1)), recompute_turns, recompute_turns, x, r);
    }
    return hy_cond(F, hy_ones(F, HY_SHAPE(1)), recompute_read, recompute_not_read, x, r);
}
static void recompute_reader_params(hy_frame *F, recompute_reader *r)
{
    hy_param_opt opt = { 0 };
    r->w = hy_add_param(F, &r->base, "w", HY_SHAPE(2), &opt);
    r->gamma = hy_add_param(F, &r->base, "gamma", HY_SHAPE(2), &opt);
    opt.aux = 1;
    r->mean = hy_add_param(F, &r->base, "mean", HY_SHAPE(2), &opt);
    r->var = hy_add_param(F, &r->base, "var", HY_SHAPE(2), &opt);
}
static void recompute_reader_run(hy_frame *F, int ways, double *to)
{
    recompute_reader *r = HY_BLOCK_NEW(F, recompute_reader, recompute_reader_forward);
    hy_init init = hy_init_ones();
    hy_array *x = hy_reshape(F, hy_arange(F, 1, 13, 1), HY_INTS(6, 2), NULL), *y;
    int i;
    recompute_reader_params(F, r);
    r->where = (ways >> 2) % 5;
    r->plainly = ways >= 20;
    hy_initialize(F, &r->base, &init);
    if (ways & 2) { hy_hybridize_opt exact = { 0 }; exact.exact = 1; hy_hybridize(F, &r->base, &exact); }
    if (ways & 1) hy_set_recompute(F, &r->base, 1);
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    for (i = 0; i < 2; i++) {
        hy_record(F);
        y = hy_call(F, &r->base, x);
        hy_pause(F);
        hy_backward(F, y, NULL);
    }
    for (i = 0; i < 12; i++) to[i] = control_at(F, hy_grad_of(F, x), i);
    for (i = 0; i < 2; i++) to[12 + i] = control_at(F, hy_grad_of(F, r->w), i);
    for (i = 0; i < 2; i++) to[14 + i] = control_at(F, r->mean, i);
    CHECK_STR(hy_error(F), NULL);
}
static void test_recompute_statistics(void)
{
    int ways, i;
    for (ways = 0; ways < 24; ways++) {
        hy_frame *F = control_open(1), *G = control_open(1);
        double want[16], got[16];
        recompute_reader_run(F, ways & ~3, want);
        recompute_reader_run(G, ways, got);
        for (i = 0; i < 16; i++)
            if (!CHECK(got[i] == want[i])) printf("    %d: %d: %g, due %g\n", ways, i, got[i], want[i]);
        CHECK(hy_close(F) == 0 && hy_close(G) == 0);
    }
}

/* The same in second order, where nothing but the statistics are read of what changed them. */
static hy_array *recompute_late_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    recompute_reader *r = (recompute_reader *)(void *)self;
    hy_batch_norm(F, x, r->gamma, r->gamma, r->mean, r->var, NULL);
    return hy_sigmoid(F, hy_mul(F, hy_mul(F, r->w, r->w), r->mean));
}
static void test_recompute_late(void)
{
    int ways, i;
    double due[2] = { 0, 0 };
    for (ways = 0; ways < 4; ways++) {
        hy_frame *F = control_open(1);
        recompute_reader *r = HY_BLOCK_NEW(F, recompute_reader, recompute_late_forward);
        hy_init init = hy_init_ones();
        hy_array *x = hy_reshape(F, hy_arange(F, 1, 13, 1), HY_INTS(6, 2), NULL), *y;
        hy_grad_opt again = { 0 };
        again.create_graph = 1;
        recompute_reader_params(F, r);
        hy_initialize(F, &r->base, &init);
        if (ways & 2) hy_hybridize(F, &r->base, NULL);
        if (ways & 1) hy_set_recompute(F, &r->base, 1);
        hy_record(F);
        y = hy_grad(F, hy_call(F, &r->base, x), r->w, &again);
        y = hy_sum(F, hy_square(F, y), HY_ALL, NULL);
        hy_pause(F);
        hy_backward(F, y, NULL);
        for (i = 0; i < 2; i++) {
            double got = control_at(F, hy_grad_of(F, r->w), i);
            if (!ways) due[i] = got;
            CHECK_NEAR(got, due[i], 1e-6);
        }
        CHECK_STR(hy_error(F), NULL);
        CHECK(hy_close(F) == 0);
    }
}

/* What is read before it is changed would be lost: an error, line by line and compiled. */
static hy_array *recompute_early_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    recompute_reader *r = (recompute_reader *)(void *)self;
    hy_array *y = hy_mul(F, x, r->mean);
    return hy_add(F, y, hy_batch_norm(F, x, r->gamma, r->gamma, r->mean, r->var, NULL));
}
static void test_recompute_read_before(void)
{
    int hybrid;
    for (hybrid = 0; hybrid < 2; hybrid++) {
        hy_frame *F = control_open(1);
        recompute_reader *r = HY_BLOCK_NEW(F, recompute_reader, recompute_early_forward);
        hy_init init = hy_init_ones();
        hy_array *x = hy_reshape(F, hy_arange(F, 1, 13, 1), HY_INTS(6, 2), NULL);
        recompute_reader_params(F, r);
        hy_initialize(F, &r->base, &init);
        if (hybrid) hy_hybridize(F, &r->base, NULL);
        hy_attach_grad(F, x, HY_GRAD_WRITE);
        hy_record(F);
        hy_call(F, &r->base, x);
        CHECK(hy_error(F) && strstr(hy_error(F), hybrid ? "still need the value from before" : "still needs the value"));
        hy_clear(F);
        CHECK(hy_close(F) == 0);
    }
}

static int recompute_second_oom(hy_frame *F)
{
    double to[SECOND_ROOM];
    second_run(F, 0, HY_F32, 2, 0, 0, to);
    return hy_error(F) == NULL;
}

static void test_recompute_second_oom(void) { oom_walk(recompute_second_oom, 1); }
#endif

static void test_recompute(void)
{
#ifndef HYBRID_NO_TRAIN
    RUN(test_recompute_values);
    RUN(test_recompute_draws);
    RUN(test_recompute_memory);
    RUN(test_recompute_edges);
#ifndef HYBRID_NO_IO
    RUN(test_recompute_export);
#endif
    RUN(test_recompute_oom);
    RUN(test_recompute_twice);
    RUN(test_recompute_statistics);
    RUN(test_recompute_late);
    RUN(test_recompute_read_before);
    RUN(test_recompute_second_oom);
#endif
}
