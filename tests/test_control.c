/* Loops and branches: line by line, hybridized, and what is said of bad ones. */
typedef struct { hy_block base; hy_block *cell; int calls, which; double by; } control_net;

static hy_array *control_sum(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    (void)user;
    s = hy_add(F, x, s);
    return hy_group(F, s, s);
}

static hy_array *control_below(hy_frame *F, hy_array *v, void *user)
{
    return hy_lesser_equal_scalar(F, hy_get(F, v, 0), ((control_net *)user)->by);
}

static hy_array *control_count(hy_frame *F, hy_array *v, void *user)
{
    hy_array *i = hy_get(F, v, 0), *s = hy_get(F, v, 1);
    (void)user;
    return hy_group(F, hy_mul_scalar(F, i, 2), hy_group(F, hy_add_scalar(F, i, 1), hy_add(F, s, i)));
}

static hy_array *control_then(hy_frame *F, hy_array *x, void *user)
{
    ((control_net *)user)->calls++;
    return hy_call(F, ((control_net *)user)->cell, x);
}

static hy_array *control_else(hy_frame *F, hy_array *x, void *user)
{
    return hy_sub_scalar(F, hy_call(F, ((control_net *)user)->cell, x), 1);
}

/* A recurrent step with a layer, noise, and a value from outside. */
static hy_array *control_step(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    control_net *net = (control_net *)user;
    net->calls++;
    s = hy_tanh(F, hy_add(F, hy_call(F, net->cell, x), s));
    return hy_group(F, hy_dropout(F, s, .5, NULL), s);
}

/* Each row of a matrix is summed up by a loop of its own. */
static hy_array *control_rows(hy_frame *F, hy_array *row, hy_array *s, void *user)
{
    hy_array *y = hy_foreach(F, control_sum, row, hy_zeros_like(F, s), user);
    return hy_group(F, hy_get(F, y, 0), hy_add(F, s, hy_get(F, y, 1)));
}

static hy_array *control_small(hy_frame *F, hy_array *v, void *user)
{
    (void)user;
    return hy_lesser_scalar(F, hy_get(F, v, 0), 30);
}

static hy_array *control_grow(hy_frame *F, hy_array *v, void *user)
{
    hy_array *a = hy_get(F, v, 0), *x = hy_get(F, v, 1);
    (void)user;
    return hy_group(F, hy_mul(F, a, hy_cos(F, x)), hy_group(F, hy_mul_scalar(F, a, 2), hy_sin(F, hy_mul(F, x, a))));
}

static hy_array *control_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    control_net *net = (control_net *)self;
    hy_array *one, *zero;
    net->calls += net->which < 3;
    switch (net->which) {
    case 0:
        return hy_foreach(F, control_sum, x, hy_zeros(F, HY_SHAPE(1)), net);
    case 1:
        one = hy_ones_like(F, hy_mean(F, x, HY_ALL, NULL));
        zero = hy_zeros_like(F, one);
        return hy_while_loop(F, control_below, control_count, hy_group(F, one, zero), 8, net);
    case 2:
        return hy_cond(F, hy_greater_scalar(F, hy_mean(F, x, HY_ALL, NULL), 0), control_then, control_else, x, net);
    case 3:
        return hy_foreach(F, control_step, hy_expand_dims(F, x, 1), hy_zeros(F, HY_SHAPE(1, 3)), net);
    case 5:                             /* how often is decided by the values */
        one = hy_exp(F, hy_mean(F, hy_square(F, x), HY_ALL, NULL));
        return hy_while_loop(F, control_small, control_grow, hy_group(F, one, x), 9, net);
    default:
        return hy_foreach(F, control_rows, x, hy_zeros(F, HY_SHAPE(1)), net);
    }
}

static control_net *control_new(hy_frame *F, int which)
{
    control_net *net = HY_BLOCK_NEW(F, control_net, control_forward);
    if (!net) return NULL;
    net->which = which;
    net->by = 5;
    net->cell = hy_add_child(F, &net->base, "cell", hy_nn_dense(F, 3, NULL));
    hy_initialize(F, &net->base, NULL);
    return net;
}

static hy_frame *control_open(int threads)
{
    hy_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.threads = threads;
    return hy_open(&desc);
}

static double control_at(hy_frame *F, hy_array *x, int i)
{
    hy_shape at = HY_SCALAR;
    hy_shape all = hy_shape_of(F, x);
    int d;
    at.ndim = all.ndim;
    for (d = all.ndim - 1; d >= 0; d--) { at.dim[d] = i % all.dim[d]; i /= (int)all.dim[d]; }
    return hy_value_of(F, x, at);
}

/* The same bits everywhere? */
static int control_same(hy_frame *F, hy_array *a, hy_array *b)
{
    int i;
    if (!a || !b || hy_count(F, a) != hy_count(F, b)) return 0;
    if (a->count) {
        for (i = 0; i < a->count; i++) if (!control_same(F, a->item[i], b->item[i])) return 0;
        return 1;
    }
    if (!hy__same_type(&a->t.type, &b->t.type)) return 0;
    return !memcmp(hy_data(F, a), hy_data(F, b), (size_t)hy__bytes(&a->t.type));
}

/* Line by line, hybridized, and with other lengths: the same numbers, and the C functions run once more only. */
static void test_control_modes(void)
{
    int which, threads, k;
    for (which = 0; which < 6; which++)
        for (threads = 1; threads < 4; threads += 2) {
            hy_frame *F = control_open(threads);
            control_net *net = control_new(F, which);
            int rows = which ? 4 : 3, calls;
            hy_array *x[3], *y[3];
            for (k = 0; k < 3; k++) {
                x[k] = which == 0 ? hy_arange(F, 1, rows + 1 + k, 1) : hy_normal(F, HY_SHAPE(rows + k, 2), k - 1, 1);
                hy_seed(F, 7);
                hy_set_training(F, 1);
                y[k] = hy_call(F, &net->base, x[k]);
            }
            hy_hybridize(F, &net->base, NULL);
            for (k = 0; k < 3; k++) {
                hy_seed(F, 7);
                if (k) calls = net->calls;
                CHECK(control_same(F, y[k], hy_call(F, &net->base, x[k])));
                CHECK(!k || calls == net->calls);
            }
            CHECK_STR(hy_error(F), NULL);
            CHECK(hy_close(F) == 0);
        }
}

/* Branches and bodies that give what is outside as it is, one of them only. */
typedef struct { hy_block base; hy_array *own, *outside; int way; } control_given;
static hy_array *control_give(hy_frame *F, hy_array *x, void *user)
{
    (void)F;
    return ((control_given *)user)->way & 1 ? ((control_given *)user)->outside : x;
}
static hy_array *control_give_own(hy_frame *F, hy_array *x, void *user)
{
    (void)F;
    return ((control_given *)user)->way & 2 ? ((control_given *)user)->own : x;
}
static hy_array *control_give_both(hy_frame *F, hy_array *v, void *user)
{
    control_given *net = (control_given *)user;
    return hy_group(F, net->outside, hy_group(F, hy_add_scalar(F, hy_get(F, v, 0), 1), net->own));
}
static hy_array *control_twice(hy_frame *F, hy_array *v, void *user)
{
    (void)user;
    return hy_lesser_scalar(F, hy_get(F, v, 0), 2);
}
static hy_array *control_given_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    control_given *net = (control_given *)self;
    net->outside = hy_mul_scalar(F, x, 3);
    if (net->way == 4)
        return hy_while_loop(F, control_twice, control_give_both,
                             hy_group(F, hy_zeros(F, HY_SHAPE(1)), hy_square(F, x)), 3, net);
    return hy_cond(F, hy_greater_scalar(F, hy_sum(F, x, HY_ALL, NULL), 0), control_give, control_give_own,
                   hy_square(F, x), net);
}

static void test_control_given(void)
{
    static const float numbers[] = { .5f, 1, 2, -.5f, -1, -2 };
    hy_array *y[2];
    int way, k, mode;
    for (way = 0; way < 5; way++) {
        hy_frame *F = hy_open(NULL);
        control_given *net = HY_BLOCK_NEW(F, control_given, control_given_forward);
        net->own = hy_add_param(F, &net->base, "own", HY_SHAPE(3), NULL);
        net->way = way;
        hy_initialize(F, &net->base, NULL);
        for (k = 0; k < 2; k++) {
            for (mode = 0; mode < 2; mode++) {
                hy_array *x = hy_floats(F, HY_SHAPE(3), numbers + 3 * k), *loss;
                hy_hybridize_opt opt;
                memset(&opt, 0, sizeof opt);
                opt.inactive = !mode;
                hy_hybridize(F, &net->base, &opt);
                hy_zero_grad(F, &net->base);
                hy_attach_grad(F, x, HY_GRAD_WRITE);
                hy_record(F);
                y[mode] = hy_call(F, &net->base, x);
                loss = hy_add(F, hy_square(F, x), hy_square(F, net->own));
                if (way < 4) loss = hy_add(F, loss, y[mode]);
                else loss = hy_add(F, loss, hy_add(F, hy_sum(F, hy_get(F, y[mode], 0), HY_AXES(0), NULL),
                                                   hy_get(F, hy_get(F, y[mode], 1), 1)));
                hy_pause(F);
                hy_backward(F, loss, NULL);
                y[mode] = hy_group(F, y[mode], hy_copy(F, hy_grad_of(F, x)), hy_copy(F, hy_grad_of(F, net->own)));
            }
            CHECK_STR(hy_error(F), NULL);
            CHECK(control_same(F, y[0], y[1]));
        }
        CHECK(hy_close(F) == 0);
    }
}

/* The worked examples. */
static void test_control_numbers(void)
{
    static const double sums[] = { 1, 3, 6 }, doubles[] = { 2, 4, 6, 8, 10, 0, 0, 0 };
    int mode, i;
    for (mode = 0; mode < 2; mode++) {
        hy_frame *F = hy_open(NULL);
        control_net *sum = control_new(F, 0), *loop = control_new(F, 1);
        hy_array *y;
        if (mode) { hy_hybridize(F, &sum->base, NULL); hy_hybridize(F, &loop->base, NULL); }
        y = hy_call(F, &sum->base, hy_arange(F, 1, 4, 1));
        for (i = 0; i < 3; i++) CHECK_NEAR(control_at(F, hy_get(F, y, 0), i), sums[i], 0);
        CHECK_NEAR(hy_item(F, hy_get(F, y, 1)), 6, 0);
        y = hy_call(F, &loop->base, hy_ones(F, HY_SHAPE(2)));
        for (i = 0; i < 8; i++) CHECK_NEAR(control_at(F, hy_get(F, y, 0), i), doubles[i], 0);
        CHECK_NEAR(hy_item(F, hy_get(F, hy_get(F, y, 1), 0)), 6, 0);
        CHECK_NEAR(hy_item(F, hy_get(F, hy_get(F, y, 1), 1)), 15, 0);
        loop->by = -1;                  /* no turn at all */
        if (mode) hy_hybridize(F, &loop->base, NULL);
        y = hy_call(F, &loop->base, hy_ones(F, HY_SHAPE(2)));
        CHECK(hy_dim(F, hy_get(F, y, 0), 0) == 8 && control_at(F, hy_get(F, y, 0), 0) == 0);
        CHECK_NEAR(hy_item(F, hy_get(F, hy_get(F, y, 1), 0)), 1, 0);
        CHECK_STR(hy_error(F), NULL);
        CHECK(hy_close(F) == 0);
    }
}

#ifndef HYBRID_NO_TRAIN
/* The loss of a call: every output counts. */
static hy_array *control_loss(hy_frame *F, hy_array *y)
{
    hy_array *sum = NULL, *one;
    int i;
    for (i = 0; y && i < hy_count(F, y); i++) {
        hy_array *part = y->count ? y->item[i] : y;
        one = part->count ? control_loss(F, part) : hy_sum(F, hy_square(F, hy_sin(F, part)), HY_ALL, NULL);
        sum = sum ? hy_add(F, sum, one) : one;
    }
    return sum;
}

static double control_far(hy_frame *F, hy_array *a, hy_array *b)
{
    double worst = 0;
    int64_t i, n = a ? hy_size(F, a) : 0;
    if (!a || !b || n != hy_size(F, b)) return HUGE_VAL;
    for (i = 0; i < n; i++) {
        double v = control_at(F, b, (int)i), d = fabs(control_at(F, a, (int)i) - v) / (1 + fabs(v));
        if (!(d <= worst)) worst = d;
    }
    return worst;
}

/* The gradient of each order for x and a weight. */
static void control_grads(hy_frame *F, control_net *net, hy_array *x, hy_array **g, int orders)
{
    hy_array *weight = hy_param(F, net->cell, "weight"), *y;
    hy_grad_opt opt;
    int i;
    memset(&opt, 0, sizeof opt);
    opt.create_graph = 1;
    hy_seed(F, 3);
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_record(F);
    y = control_loss(F, hy_call(F, &net->base, x));
    for (i = 0; i < orders && !hy_error(F); i++) {
        hy_array *both = net->which == 2 || net->which == 3 ? hy_group(F, x, weight) : x, *all;
        all = hy_grad(F, y, both, &opt);
        g[2 * i] = all && all->count ? all->item[0] : all;
        g[2 * i + 1] = all && all->count ? all->item[1] : NULL;
        y = control_loss(F, all);
    }
    hy_pause(F);
}

/* Recorded line by line and compiled: three orders. */
static void test_control_grad(void)
{
    static const int whiches[] = { 0, 2, 3, 4, 5 };
    int k, i, shift;
    for (k = 0; k < 5; k++)
        for (shift = 0; shift < 2; shift++) {
            hy_frame *F = control_open(2);
            control_net *net = control_new(F, whiches[k]);
            hy_array *x = whiches[k] ? hy_normal(F, HY_SHAPE(4, 2), 2 * shift - 1, 1) : hy_arange(F, 1, 4, 1);
            hy_array *a[6] = { NULL }, *b[6] = { NULL };
            control_grads(F, net, x, a, 3);
            CHECK_STR(hy_error(F), NULL);
            hy_hybridize(F, &net->base, NULL);
            control_grads(F, net, x, b, 3);
            CHECK_STR(hy_error(F), NULL);
            for (i = 0; i < 4; i++) if (a[i]) CHECK_NEAR(control_far(F, b[i], a[i]), 0, 1e-5);
            for (; i < 6 && whiches[k] != 5; i++)       /* there numbers of 1e13 stand in a sine */
                if (a[i]) CHECK_NEAR(control_far(F, b[i], a[i]), 0, 1e-3);
            CHECK(hy_close(F) == (int)HY_ERROR_OK);
        }
}
#endif

#ifndef HYBRID_NO_IO
/* Written as MXNet has it, and as a model in one file; what is read gives the same, and is written the same. */
static void test_control_files(void)
{
    int which, k;
    for (which = 0; which < 6; which++) {
        hy_frame *F = control_open(1);
        control_net *net = control_new(F, which);
        hy_array *x = which ? hy_normal(F, HY_SHAPE(4, 2), .5, 1) : hy_arange(F, 1, 4, 1), *y, *json, *model, *again;
        hy_block *read;
        hy_arrays params;
        hy__flat out, got;
        hy_hybridize(F, &net->base, NULL);
        y = hy_call(F, &net->base, x);
        CHECK(!hy_export_to(F, &net->base, NULL, &json, &params));
        model = hy_save_model_to(F, &net->base, NULL);
        again = hy_symbol_to(F, hy_symbol_from(F, (const char *)hy_data(F, json), (size_t)hy_size(F, json)));
        CHECK(control_same(F, json, again));
        for (k = 0; k < 2; k++) {
            hy_graph *g = k ? NULL : hy_symbol_from(F, (const char *)hy_data(F, json), (size_t)hy_size(F, json));
            read = k ? hy_load_model_from(F, hy_data(F, model), (size_t)hy_size(F, model), 0)
                : hy_import_from(F, g, &params, NULL);
            again = hy_call(F, read, x);
            if (!CHECK(again && !hy_error(F))) break;
            hy__flat_open(F, &out, y, "");
            hy__flat_open(F, &got, again, "");
            CHECK(control_same(F, hy_group_of(F, out.n, out.at), hy_group_of(F, got.n, got.at)));
            hy__flat_close(F, &out);
            hy__flat_close(F, &got);
        }
        CHECK_STR(hy_error(F), NULL);
        CHECK(hy_close(F) == 0);
    }
}
#endif

#ifndef HYBRID_NO_IO
/* What no branch reads may be an input of a condition in a file, and the file of values may have it. */
static void test_control_idle(void)
{
    static const char text[] =
        "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []},"
        "{\"op\": \"sum\", \"name\": \"sum0\", \"inputs\": [[0, 0, 0]]},"
        "{\"op\": \"null\", \"name\": \"idle\", \"inputs\": []},"
        "{\"op\": \"_cond\", \"name\": \"cond0\", \"attrs\": {"
        "\"cond_input_locs\": \"[0]\", \"num_args\": \"6\", \"then_input_locs\": \"[1]\", "
        "\"else_input_locs\": \"[1]\", \"num_outputs\": \"1\"},"
        "\"inputs\": [[1, 0, 0], [0, 0, 0], [2, 0, 0]], \"subgraphs\": ["
        "{\"nodes\": [{\"op\": \"null\", \"name\": \"p\", \"inputs\": []},"
        "{\"op\": \"_copy\", \"name\": \"q\", \"inputs\": [[0, 0, 0]]}],"
        "\"arg_nodes\": [0], \"heads\": [[1, 0, 0]]},"
        "{\"nodes\": [{\"op\": \"null\", \"name\": \"a\", \"inputs\": []},"
        "{\"op\": \"tanh\", \"name\": \"t\", \"inputs\": [[0, 0, 0]]}],"
        "\"arg_nodes\": [0], \"heads\": [[1, 0, 0]]},"
        "{\"nodes\": [{\"op\": \"null\", \"name\": \"a\", \"inputs\": []},"
        "{\"op\": \"relu\", \"name\": \"r\", \"inputs\": [[0, 0, 0]]}],"
        "\"arg_nodes\": [0], \"heads\": [[1, 0, 0]]}]}],"
        "\"arg_nodes\": [0, 2], \"heads\": [[3, 0, 0]]}";
    static const char *const name[] = { "arg:idle" };
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_ones(F, HY_SHAPE(2, 3)), *value = hy_ones(F, HY_SHAPE(3));
    hy_arrays params;
    hy_block *net;
    int k;
    params.n = 1;
    params.at = &value;
    params.name = name;
    net = hy_import_from(F, hy_symbol_from(F, text, sizeof text - 1), &params, NULL);
    for (k = 0; k < 2; k++) {
        CHECK(control_same(F, hy_tanh(F, x), hy_call(F, net, x)));
        OK(F);
        hy_hybridize(F, net, NULL);
    }
    CHECK(hy_close(F) == 0);
}
#endif

/* A body with batch norm: its statistics go on turn by turn, in training too. */
typedef struct { hy_block base; hy_block *norm; } control_normal;

static hy_array *control_norm_step(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    x = hy_call(F, ((control_normal *)user)->norm, hy_mul(F, x, s));
    return hy_group(F, x, hy_tanh(F, hy_add(F, s, x)));
}

static hy_array *control_norm_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    return hy_get(F, hy_foreach(F, control_norm_step, x, hy_ones(F, HY_SHAPE(3, 2)), self), 0);
}

static void test_control_statistics(void)
{
    hy_array *y[2], *mean[2], *dx[2], *loss = NULL;
    hy_frame *F = control_open(2);
    hy_array *x = hy_normal(F, HY_SHAPE(4, 3, 2), 1, 2);
    int mode, k;
    for (mode = 0; mode < 2; mode++) {
        control_normal *net = HY_BLOCK_NEW(F, control_normal, control_norm_forward);
        net->norm = hy_add_child(F, &net->base, "norm", hy_nn_batch_norm(F, NULL));
        hy_initialize(F, &net->base, NULL);
        if (mode) hy_hybridize(F, &net->base, NULL);
        dx[mode] = NULL;
        for (k = 0; k < 2; k++) {
#ifndef HYBRID_NO_TRAIN
            hy_attach_grad(F, x, HY_GRAD_WRITE);
            hy_record(F);
            y[mode] = hy_call(F, &net->base, x);
            loss = hy_square(F, y[mode]);
            hy_pause(F);
            hy_backward(F, loss, NULL);
            dx[mode] = hy_copy(F, hy_grad_of(F, x));
#else
            hy_set_training(F, 1);
            y[mode] = hy_call(F, &net->base, x);
#endif
        }
        mean[mode] = hy_copy(F, hy_param(F, net->norm, "running_mean"));
        CHECK_STR(hy_error(F), NULL);
    }
    CHECK(control_same(F, y[0], y[1]));
    CHECK(control_same(F, mean[0], mean[1]));
    CHECK(hy_value(F, mean[1], 0) != 0 && !loss == !dx[0]);
#ifndef HYBRID_NO_TRAIN
    CHECK_NEAR(control_far(F, dx[1], dx[0]), 0, 1e-5);
#endif
    CHECK(hy_close(F) == 0);
}

/* Options, a plan that suffices, forks and hy_check. */
static void test_control_places(void)
{
    static const int offs[] = { 0, HY_PASS_FUSE, HY_PASS_PROLOGUE, HY_PASS_REUSE | HY_PASS_INPLACE, HY_PASS_ALL };
    int which, k;
    for (which = 0; which < 6; which++)
        for (k = 0; k < 5; k++) {
            hy_frame *F = control_open(3), *fork;
            control_net *net = control_new(F, which);
            hy_array *x = which ? hy_normal(F, HY_SHAPE(4, 2), .5, 1) : hy_arange(F, 1, 4, 1), *y, *z;
            hy_hybridize_opt opt;
            hy_plan_info info;
            void *memory;
            memset(&opt, 0, sizeof opt);
            opt.off = offs[k];
            opt.exact = k == 1;
            y = hy_call(F, &net->base, x);
            if (!k) CHECK(hy_check(F, &net->base, x) == 0);
            hy_hybridize(F, &net->base, &opt);
            CHECK(control_same(F, y, hy_call(F, &net->base, x)));
            hy_keep(F, x);
            fork = hy_fork(F);
            hy_begin(fork);
            CHECK(control_same(fork, y, hy_call(fork, &net->base, x)));
            hy_end(fork);
            CHECK(hy_close(fork) == 0);
            info = hy_plan(F, &net->base, x);
            CHECK(!info.dynamic && info.total > 0);
            memory = malloc(info.total);
            CHECK(!hy_bind(F, &net->base, x, memory, info.total));
            hy_begin(F);
            z = hy_call(F, &net->base, x);
            CHECK(control_same(F, y, z));
            hy_end(F);
            hy_begin(F);
            CHECK(control_same(F, y, hy_call(F, &net->base, x)));
            hy_end(F);
            CHECK_STR(hy_error(F), NULL);
            CHECK(hy_close(F) == 0);
            free(memory);
        }
}

/* What is wrong is said, line by line and traced, and the frame goes on. */
static hy_array *control_grows(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    (void)user;
    return hy_group(F, x, hy_concat(F, hy_group(F, s, s), 0));
}
static hy_array *control_lacks(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    (void)user; (void)s;
    return hy_group(F, x, NULL);
}
static hy_array *control_alone(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    (void)user; (void)s;
    return hy_identity(F, x);
}
static hy_array *control_two(hy_frame *F, hy_array *x, void *user) { (void)user; return hy_group(F, x, x); }
static hy_array *control_one(hy_frame *F, hy_array *x, void *user) { (void)user; return hy_identity(F, x); }
static hy_array *control_long(hy_frame *F, hy_array *x, void *user)
{
    (void)user;
    return hy_concat(F, hy_group(F, x, x), 0);
}

static void test_control_errors(void)
{
    static const char *const says[] = {
        "state 0 is (2,) float32 before a turn and (4,) float32 after it", "the states are x before a turn and n",
        "the body must return hy_group(F, outputs, states)", "there is no data to go along",
        "data 1 has 2 rows, others have 3", "max_iterations should be specified", "there are no loop variables",
        "the condition is (3,): one number is due", "the branches differ: output 0 is (3,) float32 and (6,)",
        "the first branch returns (xx), the second x", "the body is NULL", "data 0 is a single number" };
    int mode, i;
    for (mode = 0; mode < 2; mode++) {
        hy_frame *F = hy_open(NULL), *S = mode ? hy_symbolic(F) : F;
        hy_array *x, *s, *p, *one;
        for (i = 0; i < 12; i++) {
            if (!mode && (i == 8 || i == 9)) continue;          /* only one branch runs */
            x = mode ? hy_zeros(S, HY_SHAPE(3)) : hy_ones(S, HY_SHAPE(3));
            s = hy_zeros(S, HY_SHAPE(2));
            p = hy_zeros(S, HY_SHAPE(3));
            one = hy_ones(S, HY_SHAPE(1));
            switch (i) {
            case 0: hy_foreach(S, control_grows, x, s, NULL); break;
            case 1: hy_foreach(S, control_lacks, x, s, NULL); break;
            case 2: hy_foreach(S, control_alone, x, s, NULL); break;
            case 3: hy_foreach(S, control_sum, NULL, s, NULL); break;
            case 4: hy_foreach(S, control_sum, hy_group(S, x, s), s, NULL); break;
            case 5: hy_while_loop(S, control_one, control_two, s, 0, NULL); break;
            case 6: hy_while_loop(S, control_one, control_two, NULL, 5, NULL); break;
            case 7: hy_cond(S, p, control_one, control_one, x, NULL); break;
            case 8: hy_cond(S, one, control_one, control_long, x, NULL); break;
            case 9: hy_cond(S, one, control_two, control_one, x, NULL); break;
            case 10: hy_foreach(S, NULL, x, s, NULL); break;
            default: hy_foreach(S, control_sum, hy_reshape(S, one, HY_INTS(0), NULL) ? hy_scalar(F, 1) : x, s, NULL);
            }
            if (!CHECK(hy_error(S) && strstr(hy_error(S), says[i]))) printf("%d %d: %s\n", mode, i, hy_error(S));
            hy_clear(S);
        }
        if (mode) hy_close(S);
        CHECK(hy_close(F) == 0);
    }
}

/* The text of a program has bodies behind the node that runs them. */
static void test_control_text(void)
{
    static const char want[] =
        "rows = _foreach(x, s, data=1, states=1, outputs=1)\n"
        "    turn(item0, state0):\n"
        "        zeros_like0 = zeros_like(state0)\n"
        "        _foreach0 = _foreach(item0, zeros_like0, data=1, states=1, outputs=1)\n"
        "            turn(item0, state0):\n"
        "                _plus0 = item0 + state0\n"
        "                return _plus0, _plus0\n"
        "        _plus0 = state0 + _foreach0.1\n"
        "        return _foreach0.0, _plus0\n"
        "print(rows.0, rows.1)\n";
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *y = hy_foreach(S, control_rows, hy_var(S, "x", NULL), hy_var(S, "s", NULL), NULL);
    char text[2000];
    hy_graph *g;
    hy_named(S, hy_get(S, y, 0), "rows");
    g = hy_compile(S, hy_group(S, hy_get(S, y, 0), hy_get(S, y, 1)));
    hy_graph_text(g, HY_FORM_LINES, text, sizeof text);
    CHECK_STR(text, want);
    CHECK_STR(hy_error(S), NULL);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

/* Memory runs out: a loop within a loop, compiled and backward; a branch, written and read. */
static int control_oom_loop(hy_frame *F)
{
    control_net *net = control_new(F, 4);
    hy_array *x = hy_reshape(F, hy_arange(F, 1, 5, 1), HY_INTS(2, 2), NULL), *y;
    if (!net) return 0;
    hy_hybridize(F, &net->base, NULL);
#ifndef HYBRID_NO_TRAIN
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_record(F);
    y = hy_call(F, &net->base, x);
    hy_backward(F, control_loss(F, y), NULL);
    hy_pause(F);
#else
    y = hy_call(F, &net->base, x);
#endif
    return y != NULL && hy_error(F) == NULL;
}

#ifndef HYBRID_NO_IO
static int control_oom_file(hy_frame *F)
{
    control_net *net = control_new(F, 2);
    hy_array *x = hy_ones(F, HY_SHAPE(1, 2)), *file;
    if (!net) return 0;
    file = hy_save_model_to(F, &net->base, x);
    if (!file) return 0;
    x = hy_call(F, hy_load_model_from(F, hy_data(F, file), (size_t)hy_size(F, file), 0), x);
    return x != NULL && hy_error(F) == NULL;
}
#endif

static void test_control_memory(void)
{
    oom_walk(control_oom_loop, 1);
#ifndef HYBRID_NO_IO
    oom_walk(control_oom_file, 1);
#endif
}

/* States that change places: a delay line. */
static hy_array *control_delay(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    (void)user;
    x = hy_add_scalar(F, x, 0);
    return hy_group(F, hy_get(F, s, 2), hy_group(F, x, hy_get(F, s, 0), hy_get(F, s, 1)));
}

static hy_array *control_swap(hy_frame *F, hy_array *v, void *user)
{
    (void)user;
    return hy_group(F, NULL, hy_group(F, hy_add_scalar(F, hy_get(F, v, 0), 1), hy_get(F, v, 2),
                                      hy_get(F, v, 1)));
}

static hy_array *control_places_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *zero = hy_zeros(F, HY_SHAPE(2)), *one = hy_ones(F, HY_SHAPE(2)), *two = hy_add(F, one, one);
    hy_array *y = hy_foreach(F, control_delay, x, hy_group(F, zero, one, two), NULL), *s, *z;
    s = hy_group(F, hy_zeros(F, HY_SHAPE(1)), one, two);
    z = hy_get(F, hy_while_loop(F, control_below, control_swap, s, 9, self), 1);
    s = hy_get(F, y, 1);
    return hy_concat(F, hy_group(F, hy_reshape(F, hy_get(F, y, 0), HY_INTS(-1), NULL), hy_get(F, s, 0),
                                 hy_get(F, s, 2), hy_get(F, z, 1)), 0);
}

static void test_control_exchange(void)
{
    static const float due[] = { 2, 2, 1, 1, 0, 0, 0, 1, 2, 3, 8, 9, 4, 5, 2, 2 };
    hy_frame *F = hy_open(NULL);
    control_net *net = HY_BLOCK_NEW(F, control_net, control_places_forward);
    hy_array *x = hy_reshape(F, hy_arange(F, 0, 10, 1), HY_INTS(5, 2), NULL), *y;
    int mode;
    net->by = 4;                                        /* five turns */
    for (mode = 0; mode < 2; mode++) {
        y = hy_call(F, &net->base, x);
        OK(F);
        CHECK(y && hy_size(F, y) == 16 && !memcmp(hy_data(F, y), due, sizeof due));
        hy_hybridize(F, &net->base, NULL);
    }
    CHECK(hy_close(F) == 0);
}

/* A body's brackets are its own: one left open ends with the turn, and none from before ends; nor does the frame. */
static hy_array *control_rude(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    const int how = *(const int *)user;
    if (how == 0) hy_begin(F);
    s = hy_add(F, s, x);
    if (how == 1) hy_end(F);
    if (how == 2) CHECK(hy_close(F) == HY_ERROR_STATE);
    if (how == 3) { hy_begin(F); hy_mul(F, x, x); hy_end(F); }
    return hy_group(F, s, s);
}

static void test_control_brackets(void)
{
    static const char *const said[] = { NULL, "there is no open hy_begin", "must not close its own frame", NULL };
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_arange(F, 0, 5, 1), *y;
    int how;
    for (how = 0; how < 4; how++) {
        hy_begin(F);
        y = hy_foreach(F, control_rude, x, hy_zeros(F, HY_SHAPE(1)), &how);
        if (said[how]) CHECK(!y && hy_error(F) && strstr(hy_error(F), said[how]));
        else CHECK(y && !hy_error(F) && hy_value(F, hy_get(F, y, 1), 0) == 10);
        hy_clear(F);
        hy_end(F);
        CHECK(!hy_error(F));
    }
    hy_end(F);
    CHECK(hy_error(F) && strstr(hy_error(F), "there is no open hy_begin"));
    hy_clear(F);
    CHECK(hy_close(F) == 0);
}

/* A loop whose body gives nothing is none in a graph, but what is wrong in it is wrong: the same group of two None in each
 * mode, without turns, too, and within another loop; a branch that gives nothing is an error, by the same words. */
static hy_array *control_nothing(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    (void)s;
    if (user) hy_reshape(F, x, HY_INTS(7), NULL);
    return hy_group(F, NULL, NULL);
}

static hy_array *control_around_nothing(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    hy_array *y = hy_foreach(F, control_nothing, x, NULL, user);
    CHECK(!y || (hy_count(F, y) == 2 && !hy_get(F, y, 0) && !hy_get(F, y, 1)));
    return s ? hy_group(F, NULL, hy_add(F, s, hy_sum(F, x, HY_ALL, NULL))) : hy_group(F, NULL, NULL);
}

static int control_idle_wrong;
static hy_array *control_idle(hy_frame *F, hy_block *self, hy_array *x)
{
    void *user = control_idle_wrong ? &control_idle_wrong : NULL;
    hy_array *y = hy_foreach(F, control_around_nothing, x, NULL, user), *z;
    (void)self;
    CHECK(!y || (hy_count(F, y) == 2 && !hy_get(F, y, 0) && !hy_get(F, y, 1)));
    z = hy_foreach(F, control_around_nothing, x, hy_zeros(F, HY_SHAPE(1)), user);
    z = hy_add(F, hy_sum(F, x, HY_ALL, NULL), hy_get(F, z, 1));
    return hy_add(F, z, hy_random_uniform(F, HY_SHAPE(1), 0, 1, NULL));     /* loops take a number each */
}

static void test_control_nothing(void)
{
    int wrong, way, rows;
    double due[2];
    for (wrong = 0; wrong < 2; wrong++) for (way = 0; way < 5; way++) for (rows = 0; rows < 4; rows += 3) {
        hy_frame *F = hy_open(NULL);
        hy_block *net = hy_block_new(F, sizeof(hy_block), "idle", control_idle, 1);
        hy_array *x = hy_ones(F, HY_SHAPE(rows, 4, 2)), *y = NULL, *file;
        hy_hybridize_opt opt = { 0 };
        control_idle_wrong = wrong;
        hy_seed(F, 0);
        if (way == 4) CHECK(hy_check(F, net, x) == 0 || wrong);
        else {
            opt.exact = way == 1;
            if (way) hy_hybridize(F, net, &opt);
            y = hy_call(F, net, x);
            if (way == 3 && !wrong) {
                file = hy_save_model_to(F, net, x);
                hy_seed(F, 0);
                y = hy_call(F, hy_load_model_from(F, hy_data(F, file), (size_t)hy_size(F, file), 0), x);
            }
            if (!way) due[rows > 0] = hy_item(F, y);
            if (!wrong) CHECK_NEAR(hy_item(F, y), due[rows > 0], 0);
            if (!wrong) CHECK(hy_item(F, y) > rows * 16 && hy_item(F, y) < rows * 16 + 1);
        }
        if (wrong && (rows || way)) {
            if (!CHECK(hy_error(F) && strstr(hy_error(F), "reshape: "))) printf("    %d %d: %s\n", way, rows, hy_error(F));
        } else CHECK_STR(hy_error(F), NULL);
        hy_clear(F);
        CHECK(hy_close(F) == 0);
    }
}

static hy_array *control_none(hy_frame *F, hy_array *x, void *user)
{
    (void)x;
    return user ? hy_group(F, NULL, NULL) : NULL;
}

static void test_control_no_branch(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    int k, some = 1;
    for (k = 0; k < 4; k++) {
        hy_frame *G = k & 1 ? S : F;
        hy_array *x = k & 1 ? hy_var(S, "x", NULL) : hy_ones(F, HY_SHAPE(1));
        CHECK(!hy_cond(G, x, control_none, control_none, x, k & 2 ? &some : NULL));
        if (!CHECK(hy_error(G) && strstr(hy_error(G), "hy_cond: the branch returned no array"))) puts(hy_error(G));
        hy_clear(G);
    }
    hy_close(S);
    hy_close(F);
}

/* The log hears once of an error that stays, and not of a trace that was only tried. */
static hy_array *control_reads(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    (void)user;
    hy_value(F, x, 0);
    return hy_group(F, x, s);
}

static void control_log(void *user, int level, int code, const char *text)
{
    (void)code; (void)text;
    if (level == HY_LOG_ERROR) ++*(int *)user;
}

static void test_control_log(void)
{
    hy_desc desc;
    hy_frame *F, *S;
    int errors = 0;
    memset(&desc, 0, sizeof desc);
    desc.log_fn = control_log;
    desc.log_user = &errors;
    F = hy_open(&desc);
    CHECK(hy_foreach(F, control_reads, hy_zeros(F, HY_SHAPE(0, 3)), hy_ones(F, HY_SHAPE(2)), NULL) != NULL);
    CHECK(errors == 0);                 /* no turn: what a trace would say of the outputs is asked in vain */
    S = hy_symbolic(F);
    CHECK(!hy_cond(S, hy_var(S, "x", NULL), control_none, control_none, hy_var(S, "y", NULL), NULL));
    CHECK_STR(hy_error(S), "hy_cond: the branch returned no array");
    CHECK(errors == 1);
    hy_close(S);
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* Loops that run line by line settle to no allocations, too. */
static void test_control_steady(void)
{
    hy_frame *F = hy_open(NULL);
    control_net net;
    hy_array *x = hy_ones(F, HY_SHAPE(9)), *y;
    int64_t calls = 0;
    int i;
    memset(&net, 0, sizeof net);
    net.by = 5;
    for (i = 0; i < 6; i++) {
        if (i == 3) calls = hy_memory_use(F).calls;
        hy_begin(F);
        y = hy_foreach(F, control_sum, x, hy_zeros(F, HY_SHAPE(1)), NULL);
        CHECK(hy_value(F, hy_get(F, y, 1), 0) == 9);
        y = hy_while_loop(F, control_below, control_count, hy_group(F, hy_ones(F, HY_SHAPE(1)),
                                                                    hy_zeros(F, HY_SHAPE(1))), 7, &net);
        CHECK(hy_value(F, hy_get(F, hy_get(F, y, 1), 1), 0) == 15);
        hy_end(F);
    }
    CHECK(hy_memory_use(F).calls == calls);
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* What is the same in all turns is not computed where there is none: line by line, and compiled. */
static hy_array *control_never(hy_frame *F, hy_array *v, void *user)
{
    (void)user;
    return hy_lesser_scalar(F, hy_get(F, v, 0), -1);
}

static hy_array *control_beyond(hy_frame *F, hy_array *v, void *user)
{
    hy_array **outside = (hy_array **)user;
    hy_take_opt raise = { 0 };
    raise.mode = HY_INDEX_RAISE;
    v = hy_add(F, hy_get(F, v, 0), hy_take(F, outside[0], outside[1], 0, &raise));
    return hy_group(F, v, v);
}

static hy_array *control_idle_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *outside[2];
    (void)self;
    outside[0] = x;
    outside[1] = hy_add_scalar(F, hy_slice_axis(F, x, 0, 0, 1), 100);
    return hy_while_loop(F, control_never, control_beyond, hy_group(F, hy_slice_axis(F, x, 0, 1, 2)), 3, outside);
}

static void test_control_no_turns(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = HY_BLOCK_NEW(F, hy_block, control_idle_forward);
    hy_array *x = hy_arange(F, 0, 5, 1), *y;
    int mode;
    for (mode = 0; mode < 2; mode++) {
        y = hy_call(F, net, x);
        OK(F);
        CHECK(y && hy_value(F, hy_get(F, hy_get(F, y, 1), 0), 0) == 1);
        hy_hybridize(F, net, NULL);
    }
    CHECK(hy_close(F) == 0);
}

static void test_control(void)
{
    RUN(test_control_steady);
    RUN(test_control_nothing);
    RUN(test_control_no_branch);
    RUN(test_control_log);
    RUN(test_control_brackets);
    RUN(test_control_text);
    RUN(test_control_modes);
    RUN(test_control_exchange);
    RUN(test_control_no_turns);
    RUN(test_control_given);
    RUN(test_control_numbers);
#ifndef HYBRID_NO_TRAIN
    RUN(test_control_grad);
#endif
#ifndef HYBRID_NO_IO
    RUN(test_control_files);
    RUN(test_control_idle);
#endif
    RUN(test_control_memory);
    RUN(test_control_statistics);
    RUN(test_control_places);
    RUN(test_control_errors);
}
