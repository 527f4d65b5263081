/* Proves that a hybridized block has the gradients of the same code run line by line: through compiled
 * graphs, of any order, with parameters, running statistics and chance. */
#ifdef HYBRID_NO_TRAIN
static void test_hybrid_grad(void) { }
#else

/* --- every operator of the table, as a block --- */
typedef struct hgrad_op { hy_block base; const char *name, *attrs; int wrapped; unsigned reals; } hgrad_op;

static hy_array *hgrad_op_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hgrad_op *b = (hgrad_op *)(void *)self;
    hy_array *in[REF_MAX], *y, *out[REF_MAX];
    int i, n = hy_count(F, x);
    for (i = 0; i < n; i++) {
        in[i] = hy_get(F, x, i);
        if (b->wrapped && (b->reals >> i & 1)) in[i] = hy_add_scalar(F, in[i], 0);
    }
    y = hy_apply(F, b->name, n, in, b->attrs);
    n = y ? hy_count(F, y) : 0;
    if (!b->wrapped || n > REF_MAX) return y;
    for (i = 0; i < n; i++) out[i] = hy_square(F, hy_get(F, y, i));
    return n == 1 ? out[0] : hy_group_of(F, n, out);
}

/* Heads whose gradients can be asked for, or NULL. */
static hy_array *hgrad_heads(hy_frame *F, hy_array *y)
{
    hy_array *head[REF_MAX];
    int i, n = 0;
    for (i = 0; y && i < hy_count(F, y) && n < REF_MAX; i++) {
        hy_array *h = hy_get(F, y, i);
        if (hy__floating(h->t.type.dtype) && h->tape) head[n++] = h;
    }
    return n ? hy_group_of(F, n, head) : NULL;
}

/* Gradients of first or second order of one case, or NULL (with an error, or because there are none). */
static hy_array *hgrad_once(hy_frame *F, hgrad_op *b, hy_array *x, hy_array *reals, int training, int order)
{
    hy_array *y, *h, *g;
    hy_grad_opt opt;
    int i, n = hy_count(F, reals);
    memset(&opt, 0, sizeof opt);
    opt.create_graph = order > 1;
    for (i = 0; i < n; i++) hy_attach_grad(F, hy_get(F, reals, i), HY_GRAD_WRITE);
    hy_seed(F, 7);
    hy__set_recording(F, 1);
    hy_set_training(F, training);
    y = hy_call(F, &b->base, x);
    h = hgrad_heads(F, y);
    if (h) opt.head_grads = hy__weights_like(F, h);
    g = h ? hy_grad(F, h, reals, &opt) : NULL;
    if (g && order > 1) {
        h = hgrad_heads(F, g);
        memset(&opt, 0, sizeof opt);
        if (h) opt.head_grads = hy__weights_like(F, h);
        g = h ? hy_grad(F, h, reals, &opt) : NULL;
    }
    hy__set_recording(F, 0);
    hy_set_training(F, 0);
    return g;
}

static double hgrad_distance(hy_frame *F, hy_array *a, hy_array *b)
{
    double worst = 0;
    int i;
    int64_t k;
    if (!a || !b || hy_count(F, a) != hy_count(F, b)) return 1e9;
    for (i = 0; i < hy_count(F, a); i++) {
        hy_array *p = hy_cast(F, hy_get(F, a, i), HY_F64), *q = hy_cast(F, hy_get(F, b, i), HY_F64);
        const double *u = (const double *)hy_data(F, p), *v = (const double *)hy_data(F, q);
        if (!u || !v || hy_size(F, p) != hy_size(F, q)) return 1e9;
        for (k = 0; k < hy_size(F, p); k++) {
            double d = fabs(u[k] - v[k]) / (1 + fabs(v[k]));
            if (u[k] != u[k] && v[k] != v[k]) continue;
            if (!(d <= worst)) worst = d == d ? d : 1e9;
        }
    }
    return worst;
}

static void hgrad_case(hy_frame *F, const ops_row *row, const char *text, int wrapped, int order)
{
    ops_case c;
    ops_inputs in;
    hgrad_op *b = HY_BLOCK_NEW(F, hgrad_op, hgrad_op_forward);
    hy_hybridize_opt exact;
    hy_array *reals[REF_MAX], *want, *got, *x;
    hy_error_t code;
    int i, n = 0;
    double d;
    memset(&exact, 0, sizeof exact);
    exact.exact = 1;
    ops_open_case(&c, text);
    hy_begin(F);
    in = ops_arrays(F, hy_op_at(F, row->number), &c, ops_usual(row), 0);
    b->name = row->name;
    b->attrs = c.attrs;
    b->wrapped = wrapped;
    for (i = 0; i < in.n; i++)
        if (c.input[i].kind == OPS_REAL && hy__floating(in.x[i]->t.type.dtype)) {
            reals[n++] = in.x[i];
            b->reals |= 1u << i;
        }
    if (n) {
        x = hy_group_of(F, in.n, in.x);
        want = hgrad_once(F, b, x, hy_group_of(F, n, reals), c.ref.training, order);
        code = hy_error_code(F);
        hy_clear(F);
        hy_hybridize(F, &b->base, &exact);
        got = hgrad_once(F, b, x, hy_group_of(F, n, reals), c.ref.training, order);
        if (!CHECK(hy_error_code(F) == code)) printf("    %s, was %s\n", hy_error(F), hy_error_name(code));
        hy_clear(F);
        CHECK((want != NULL) == (got != NULL));
        d = want && got ? hgrad_distance(F, got, want) : 0;
        if (!CHECK(d < 1e-5)) printf("    order %d is off by %g\n", order, d);
    }
    hy_end(F);
    hy_block_free(F, &b->base);
    ops_close_case(&c);
}

static void hgrad_every_operator(void)
{
    hy_desc desc;
    hy_frame *F;
    size_t i;
    int k, v;
    memset(&desc, 0, sizeof desc);
    desc.threads = 1;
    F = hy_open(&desc);
    for (i = 0; i < sizeof ops_rows / sizeof *ops_rows; i++)
        for (k = 0; ops_rows[i].ref->cases[k]; k++)
            for (v = 0; v < 4; v++) {
                int broken = test_broken;
                hgrad_case(F, &ops_rows[i], ops_rows[i].ref->cases[k], v & 1, 1 + (v >> 1));
                if (test_broken > broken)
                    printf("    %s %s, %s, order %d\n", ops_rows[i].name, ops_rows[i].ref->cases[k],
                           v & 1 ? "wrapped" : "plain", 1 + (v >> 1));
            }
    CHECK(!hy_error(F));
    hy_close(F);
}

/* --- a network with everything: convolution, running statistics, chance, shapes that come late --- */
typedef struct hgrad_net {
    hy_block  base;
    hy_array *w1, *b1, *gamma, *beta, *mean, *var, *w2, *b2, *w3;
    int       traced;
} hgrad_net;

static hy_array *hgrad_net_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hgrad_net *n = (hgrad_net *)(void *)self;
    hy_fully_connected_opt plain;
    memset(&plain, 0, sizeof plain);
    plain.no_bias = 1;
    n->traced++;
    x = hy_convolution(F, x, n->w1, n->b1, HY_INTS(3, 3), 4, NULL);
    x = hy_batch_norm(F, x, n->gamma, n->beta, n->mean, n->var, NULL);
    x = hy_pooling(F, hy_relu(F, x), HY_INTS(2, 2), NULL);
    x = hy_tanh(F, hy_fully_connected(F, x, n->w2, n->b2, 6, NULL));
    x = hy_dropout(F, x, 0.3, NULL);
    return hy_fully_connected(F, x, n->w3, NULL, 3, &plain);
}

static hgrad_net *hgrad_net_new(hy_frame *F)
{
    hgrad_net *n = HY_BLOCK_NEW(F, hgrad_net, hgrad_net_forward);
    hy_param_opt opt;
    if (!n) return NULL;
    memset(&opt, 0, sizeof opt);
    n->w1 = hy_add_param(F, &n->base, "w1", HY_SHAPE(4, -1, 3, 3), NULL);
    n->b1 = hy_add_param(F, &n->base, "b1", HY_SHAPE(4), NULL);
    opt.init = hy_init_constant(1.5);
    n->gamma = hy_add_param(F, &n->base, "gamma", HY_SHAPE(4), &opt);
    n->beta = hy_add_param(F, &n->base, "beta", HY_SHAPE(4), NULL);
    opt.aux = 1;
    opt.init = hy_init_zeros();
    n->mean = hy_add_param(F, &n->base, "mean", HY_SHAPE(4), &opt);
    opt.init = hy_init_ones();
    n->var = hy_add_param(F, &n->base, "var", HY_SHAPE(4), &opt);
    n->w2 = hy_add_param(F, &n->base, "w2", HY_SHAPE(6, -1), NULL);
    n->b2 = hy_add_param(F, &n->base, "b2", HY_SHAPE(6), NULL);
    n->w3 = hy_add_param(F, &n->base, "w3", HY_SHAPE(3, 6), NULL);
    return n;
}

static hy_array *hgrad_image(hy_frame *F, int batch)
{
    float v[4 * 2 * 6 * 6];
    int i;
    for (i = 0; i < batch * 72; i++) v[i] = (float)((i * 37 + 11) % 101) / 50 - 1;
    return hy_floats(F, HY_SHAPE(batch, 2, 6, 6), v);
}

static hy_hybridize_opt hgrad_opt(int exact)
{
    hy_hybridize_opt opt;
    memset(&opt, 0, sizeof opt);
    opt.exact = exact;
    return opt;
}

/* What one training step leaves: loss, gradients of input and parameters, running statistics. */
static hy_array *hgrad_step(hy_frame *F, hgrad_net *n, hy_array *x)
{
    const float label[] = { 0, 2, 1, 1 };
    hy_array *l, *all[16];
    hy_params ps;
    int i, k = 0;
    hy_seed(F, 11);
    hy_record(F);
    l = hy_softmax_cross_entropy(F, hy_call(F, &n->base, x), hy_floats(F, HY_SHAPE(hy_dim(F, x, 0)), label));
    hy_pause(F);
    hy_backward(F, l, NULL);
    all[k++] = hy_copy(F, l);
    all[k++] = hy_copy(F, hy_grad_of(F, x));
    ps = hy_collect_params(F, &n->base, NULL);
    for (i = 0; i < ps.n; i++)
        all[k++] = hy_copy(F, ps.at[i] == n->mean || ps.at[i] == n->var ? ps.at[i] : hy_grad_of(F, ps.at[i]));
    return hy_group_of(F, k, all);
}

static void hgrad_rest(hy_frame *F, hgrad_net *n)
{
    hy_fill(F, n->mean, 0);
    hy_fill(F, n->var, 1);
}

static void hgrad_net_equals_imperative(void)
{
    grad_ledger ledger;
    int exact;
    for (exact = 0; exact < 2; exact++) {
        hy_frame *F = grad_open(&ledger);
        hgrad_net *n = hgrad_net_new(F);
        hy_array *x = hgrad_image(F, 4), *want, *got;
        hy_hybridize_opt opt = hgrad_opt(exact);
        double d;
        int i;
        hy_attach_grad(F, x, HY_GRAD_WRITE);
        hy_initialize(F, &n->base, NULL);
        want = hgrad_step(F, n, x);
        hy_hybridize(F, &n->base, &opt);
        for (i = 0; i < 3; i++) {
            hgrad_rest(F, n);
            n->traced = 0;
            got = hgrad_step(F, n, x);
            CHECK(n->traced == (i == 0));
            d = hgrad_distance(F, got, want);
            if (!CHECK(exact ? d == 0 : d < 1e-5)) printf("    exact %d: off by %g\n", exact, d);
        }
        grad_close(F, &ledger);
    }
}

/* The first call of all runs under recording, when no parameter has a shape yet. */
static void hgrad_deferred_while_recording(void)
{
    grad_ledger ledger;
    int hybrid;
    hy_array *got[2];
    hy_frame *F = grad_open(&ledger);
    for (hybrid = 0; hybrid < 2; hybrid++) {
        hgrad_net *n = hgrad_net_new(F);
        hy_array *x = hgrad_image(F, 2);
        hy_hybridize_opt opt = hgrad_opt(1);
        hy_attach_grad(F, x, HY_GRAD_WRITE);
        hy_seed(F, 11);
        hy_initialize(F, &n->base, NULL);
        if (hybrid) hy_hybridize(F, &n->base, &opt);
        got[hybrid] = hgrad_step(F, n, x);
        CHECK(hy_param_ready(F, n->w2) && hy_param_shape(F, n->w2).dim[1] == 36);
    }
    CHECK(hgrad_distance(F, got[1], got[0]) == 0);
    grad_close(F, &ledger);
}

/* --- small blocks whose forward is given --- */
typedef struct hgrad_fn { hy_block base; hy_array *w, *v; int calls; } hgrad_fn;

static hgrad_fn *hgrad_block(hy_frame *F, hy_forward_fn forward, int size)
{
    hgrad_fn *b = HY_BLOCK_NEW(F, hgrad_fn, forward);
    hy_param_opt opt;
    memset(&opt, 0, sizeof opt);
    opt.init = hy_init_constant(0.5);
    b->w = hy_add_param(F, &b->base, "w", HY_SHAPE(size), &opt);
    b->v = hy_add_param(F, &b->base, "v", HY_SHAPE(size), &opt);
    hy_initialize(F, &b->base, NULL);
    return b;
}

static void hgrad_hybridize(hy_frame *F, hgrad_fn *b)
{
    hy_hybridize_opt opt = hgrad_opt(0);
    hy_hybridize(F, &b->base, &opt);
}

static hy_array *hgrad_scale(hy_frame *F, hy_block *self, hy_array *x)         /* tanh(w x) + v */
{
    hgrad_fn *b = (hgrad_fn *)(void *)self;
    b->calls++;
    return hy_add(F, hy_tanh(F, hy_mul(F, b->w, x)), b->v);
}

static hy_array *hgrad_square_scale(hy_frame *F, hy_block *self, hy_array *x)  /* w x^2 */
{
    hgrad_fn *b = (hgrad_fn *)(void *)self;
    b->calls++;
    return hy_mul(F, b->w, hy_square(F, x));
}

static void hgrad_record_call(hy_frame *F, hgrad_fn *b, hy_array *x, hy_array **y)
{
    hy_record(F);
    *y = hy_call(F, &b->base, x);
    hy_pause(F);
}

/* Behaviours 35 and 36. */
static void hgrad_requests(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hgrad_fn *b = hgrad_block(F, hgrad_square_scale, 2);
    hy_array *x = GRAD_LEAF(F, 1, 2), *y;
    int i;
    hgrad_hybridize(F, b);
    GRAD_VALUES(F, hy_grad_of(F, b->w), 0, 0);          /* asked for before it was ever used */
    hy_set_grad_req(F, &b->base, ".*w", HY_GRAD_ADD);
    for (i = 0; i < 2; i++) {
        hgrad_record_call(F, b, x, &y);
        hy_backward(F, y, NULL);
    }
    GRAD_VALUES(F, hy_grad_of(F, b->w), 2, 8);
    GRAD_VALUES(F, hy_grad_of(F, x), 1, 2);
    hy_zero_grad(F, &b->base);
    GRAD_VALUES(F, hy_grad_of(F, b->w), 0, 0);
    hy_set_grad_req(F, &b->base, ".*w", HY_GRAD_WRITE);
    for (i = 0; i < 2; i++) {
        hgrad_record_call(F, b, x, &y);
        hy_backward(F, y, NULL);
    }
    GRAD_VALUES(F, hy_grad_of(F, b->w), 1, 4);
    hy_set_grad_req(F, &b->base, NULL, HY_GRAD_NULL);
    hgrad_record_call(F, b, x, &y);
    hy_backward(F, y, NULL);
    GRAD_VALUES(F, hy_grad_of(F, x), 1, 2);
    CHECK(!hy_grad_of(F, b->w) && !hy_error(F));        /* so that a loop over parameters may ask */
    CHECK(hy_grad_req_of(F, b->w) == HY_GRAD_NULL && hy_grad_req_of(F, x) == HY_GRAD_WRITE);
    hy_attach_grad(F, x, HY_GRAD_NULL);
    hgrad_record_call(F, b, x, &y);
    hy_backward(F, y, NULL);
    GRAD_EXPECT(F, HY_ERROR_GRADIENT, "hy_attach_grad");
    CHECK(b->calls == 1);
    grad_close(F, &ledger);
}

/* Behaviour 38. */
static void hgrad_two_forwards_then_both_backward(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hgrad_fn *b = hgrad_block(F, hgrad_scale, 2);
    hy_array *x = GRAD_LEAF(F, 1, 2), *z = GRAD_LEAF(F, 3, -1), *y, *u;
    double g[4], v[4] = { 1, 2, 3, -1 };
    int i;
    for (i = 0; i < 4; i++) { double t = tanh(0.5 * v[i]); g[i] = 0.5 * (1 - t * t); }
    hgrad_hybridize(F, b);
    hgrad_record_call(F, b, x, &y);
    hgrad_record_call(F, b, z, &u);
    hy_backward(F, y, NULL);
    GRAD_VALUES(F, hy_grad_of(F, x), g[0], g[1]);
    GRAD_VALUES(F, hy_grad_of(F, b->w), g[0] * 2, g[1] * 4);
    hy_backward(F, u, NULL);
    GRAD_VALUES(F, hy_grad_of(F, z), g[2], g[3]);
    GRAD_VALUES(F, hy_grad_of(F, b->w), g[2] * 6, g[3] * -2);
    GRAD_VALUES(F, y, 0.5 + tanh(0.5), 0.5 + tanh(1));
    hy_backward(F, u, NULL);
    GRAD_EXPECT(F, HY_ERROR_STATE, "retain");
    hy_record(F);                                       /* one call's result goes into another call */
    y = hy_call(F, &b->base, hy_call(F, &b->base, x));
    hy_pause(F);
    hy_backward(F, y, NULL);
    {
        double t = tanh(0.5), o = t + 0.5, s = tanh(0.5 * o);
        CHECK_NEAR(hy_value(F, hy_grad_of(F, x), 0), 0.25 * (1 - t * t) * (1 - s * s), 1e-6);
        CHECK_NEAR(hy_value(F, hy_grad_of(F, b->v), 0), 1 + 0.5 * (1 - s * s), 1e-6);
    }
    grad_close(F, &ledger);
}

/* Behaviours 37 and 39: sizes and modes alternate. */
static void hgrad_shapes_and_modes_alternate(void)
{
    grad_ledger ledger;
    int fixed;
    for (fixed = 0; fixed < 2; fixed++) {
        hy_frame *F = grad_open(&ledger);
        hgrad_net *n = hgrad_net_new(F);
        hy_hybridize_opt opt = hgrad_opt(1);
        hy_array *x[2], *want[2], *still[2];
        const int order[] = { 0, 1, 0, 1, 1, 0 };
        int i;
        opt.static_alloc = opt.static_shape = fixed;
        x[0] = hgrad_image(F, 4);
        x[1] = hgrad_image(F, 2);
        hy_initialize(F, &n->base, NULL);
        for (i = 0; i < 2; i++) {
            hy_attach_grad(F, x[i], HY_GRAD_WRITE);
            want[i] = hgrad_step(F, n, x[i]);
            hgrad_rest(F, n);
            still[i] = hy_call(F, &n->base, x[i]);
        }
        hy_hybridize(F, &n->base, &opt);
        n->traced = 0;
        for (i = 0; i < 6; i++) {
            CHECK(hgrad_distance(F, hgrad_step(F, n, x[order[i]]), want[order[i]]) == 0);
            hgrad_rest(F, n);
            CHECK(hgrad_distance(F, hy_call(F, &n->base, x[order[i]]), still[order[i]]) == 0);
        }
        CHECK(n->traced == 1);
        grad_close(F, &ledger);
    }
}

/* Behaviour 40. */
static hy_array *hgrad_same(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)F; (void)self;
    return x;
}
static hy_array *hgrad_sum_two(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_add(F, hy_get(F, x, 0), hy_get(F, x, 1));
}
static hy_array *hgrad_through(hy_frame *F, hy_block *self, hy_array *x)       /* x, 2 x, w, 2 x */
{
    hgrad_fn *b = (hgrad_fn *)(void *)self;
    hy_array *twice = hy_mul_scalar(F, x, 2);
    return hy_group(F, x, twice, b->w, twice);
}
static void hgrad_pass_through(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hgrad_fn *same = hgrad_block(F, hgrad_same, 1), *sum = hgrad_block(F, hgrad_sum_two, 1);
    hgrad_fn *through = hgrad_block(F, hgrad_through, 2);
    hy_array *x = GRAD_LEAF(F, 1, 2), *z = GRAD_LEAF(F, 3, 4), *y;
    int i, mode;
    for (mode = 0; mode < 3; mode++) {
        hy_hybridize_opt opt = hgrad_opt(0);
        opt.static_alloc = mode > 0;
        opt.static_shape = mode > 1;
        hy_hybridize(F, &same->base, &opt);
        hy_hybridize(F, &sum->base, &opt);
        hy_hybridize(F, &through->base, &opt);
        for (i = 0; i < 5; i++) {
            hgrad_record_call(F, same, x, &y);
            CHECK(hgrad_distance(F, y, x) == 0);
            hy_backward(F, y, NULL);
            GRAD_VALUES(F, hy_grad_of(F, x), 1, 1);
            hy_record(F);
            y = hy_call(F, &same->base, hy_square(F, x));
            hy_pause(F);
            hy_backward(F, y, NULL);
            GRAD_VALUES(F, hy_grad_of(F, x), 2, 4);
            hgrad_record_call(F, sum, hy_group(F, x, z), &y);
            GRAD_VALUES(F, y, 4, 6);
            hy_backward(F, y, NULL);
            GRAD_VALUES(F, hy_grad_of(F, x), 1, 1);
            GRAD_VALUES(F, hy_grad_of(F, z), 1, 1);
            hgrad_record_call(F, sum, hy_group(F, x, x), &y);
            hy_backward(F, y, NULL);
            GRAD_VALUES(F, hy_grad_of(F, x), 2, 2);
            hgrad_record_call(F, through, x, &y);
            GRAD_VALUES(F, hy_get(F, y, 3), 2, 4);
            hy_backward(F, y, NULL);
            GRAD_VALUES(F, hy_grad_of(F, x), 5, 5);
            GRAD_VALUES(F, hy_grad_of(F, through->w), 1, 1);
        }
    }
    grad_close(F, &ledger);
}

/* --- several outputs, some of which have a gradient --- */
static hy_array *hgrad_three(hy_frame *F, hy_block *self, hy_array *x) /* exp(w x), x^2 + v, (x w)^3 */
{
    hgrad_fn *b = (hgrad_fn *)(void *)self;
    hy_array *p = hy_mul(F, b->w, x), *q = hy_add(F, hy_square(F, x), b->v);
    return hy_group(F, hy_exp(F, p), hy_group(F, q, hy_mul(F, hy_square(F, p), p)));
}
static void hgrad_outputs_apart(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hgrad_fn *b = hgrad_block(F, hgrad_three, 2);
    hy_array *x = GRAD_LEAF(F, 1, -2), *y, *head[3], *out[2][8][3];
    hy_backward_opt keep = grad_retain();
    int hybrid, set, i, n;
    for (hybrid = 0; hybrid < 2; hybrid++) {
        if (hybrid) hgrad_hybridize(F, b);
        for (set = 7; set; set--) {
            hgrad_record_call(F, b, x, &y);
            for (i = n = 0; i < 3; i++)
                if (set >> i & 1) head[n++] = i ? hy_get(F, hy_get(F, y, 1), i - 1) : hy_get(F, y, 0);
            hy_zero_grad(F, &b->base);
            hy_backward(F, hy_group_of(F, n, head), &keep);
            hy_backward(F, hy_group_of(F, n, head), &keep);
            out[hybrid][set][0] = hy_copy(F, hy_grad_of(F, x));
            out[hybrid][set][1] = hy_copy(F, hy_grad_of(F, b->w));
            out[hybrid][set][2] = hy_copy(F, hy_grad_of(F, b->v));
        }
    }
    for (set = 1; set < 8; set++)
        for (i = 0; i < 3; i++) CHECK(hgrad_distance(F, out[1][set][i], out[0][set][i]) < 1e-6);
    grad_close(F, &ledger);
}

/* --- any order --- */
static hy_array *hgrad_wave(hy_frame *F, hy_block *self, hy_array *x)          /* sin(w x) exp(x) */
{
    hgrad_fn *b = (hgrad_fn *)(void *)self;
    return hy_mul(F, hy_sin(F, hy_mul(F, b->w, x)), hy_exp(F, x));
}
static void hgrad_any_order(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hgrad_fn *b = hgrad_block(F, hgrad_wave, 2);
    hy_array *x = GRAD_LEAF(F, 0.3f, -1), *y, *g[2][4];
    hy_grad_opt opt = grad_create_graph();
    int hybrid, order, again;
    for (hybrid = 0; hybrid < 2; hybrid++) {
        if (hybrid) hgrad_hybridize(F, b);
        for (again = 0; again < 2; again++) {
            hy_record(F);
            y = hy_call(F, &b->base, x);
            for (order = 0; order < 4; order++) g[hybrid][order] = y = hy_grad(F, y, x, &opt);
            hy_pause(F);
        }
        hy_backward(F, y, NULL);
        CHECK(hy_is_recording(F) == 0);
    }
    for (order = 0; order < 4; order++) CHECK(hgrad_distance(F, g[1][order], g[0][order]) < 1e-5);
    CHECK_NEAR(hy_value(F, hy_grad_of(F, b->w), 0), 0, 1e9);
    grad_close(F, &ledger);
}

static hy_array *hgrad_call_user(hy_frame *F, hy_array *x, void *user)
{
    return hy_call(F, (hy_block *)user, x);
}
static void hgrad_check_grad_through_a_block(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hgrad_fn *b = hgrad_block(F, hgrad_wave, 2);
    hgrad_net *n = hgrad_net_new(F);
    hy_hybridize_opt opt = hgrad_opt(0);
    hy_array *x;
    hy_cast_block(F, &b->base, HY_F64);
    hgrad_hybridize(F, b);
    x = hy_cast(F, hy_floats(F, HY_SHAPE(2), (const float[]){ 1, -2 }), HY_F64);
    CHECK(hy_check_grad(F, hgrad_call_user, b, x, 1e-5) < 1e-6);
    hy_cast_block(F, &n->base, HY_F64);
    hy_initialize(F, &n->base, NULL);
    hy_hybridize(F, &n->base, &opt);
    CHECK(hy_check_grad(F, hgrad_call_user, n, hy_cast(F, hgrad_image(F, 2), HY_F64), 1e-5) < 1e-5);
    grad_close(F, &ledger);
}

/* --- recurrent layers and losses --- */
typedef struct hgrad_lstm { hy_block base; hy_array *w; } hgrad_lstm;
static hy_array *hgrad_lstm_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hgrad_lstm *b = (hgrad_lstm *)(void *)self;
    hy_rnn_opt opt;
    hy_array *y, *s = hy_zeros(F, HY_SHAPE(2, 3, 4));
    memset(&opt, 0, sizeof opt);
    opt.state_outputs = 1;
    opt.p = 0.2;
    y = hy_rnn(F, hy_get(F, x, 0), b->w, s, s, NULL, 4, 2, HY_RNN_LSTM, &opt);
    y = hy_add(F, hy_get(F, y, 0), hy_expand_dims(F, hy_sum(F, hy_get(F, y, 1), HY_AXES(0), NULL), 0));
    return hy_group(F, hy_softmax_output(F, hy_reshape(F, y, HY_INTS(-1, 4), NULL), hy_get(F, x, 1), NULL),
                    hy_softmax(F, y, -1, NULL));
}
static void hgrad_recurrent(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hgrad_lstm *b = HY_BLOCK_NEW(F, hgrad_lstm, hgrad_lstm_forward);
    hy_array *x = hy_normal(F, HY_SHAPE(5, 3, 2), 0, 1), *want[3], *got[3], *y;
    hy_array *label = hy_floor(F, hy_uniform(F, HY_SHAPE(15), 0, 4));
    hy_hybridize_opt opt = hgrad_opt(1);
    int i, heads;
    b->w = hy_add_param(F, &b->base, "w", HY_SHAPE(4 * 4 * (2 + 4 + 4 + 4) + 2 * 2 * 16), NULL);
    hy_initialize(F, &b->base, NULL);
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    for (heads = 1; heads < 4; heads++) {
        for (i = 0; i < 3; i++) {
            hy_array **to = i ? got : want;
            opt.inactive = !i;
            hy_hybridize(F, &b->base, &opt);
            hy_seed(F, 5);
            hy_record(F);
            y = hy_call(F, &b->base, hy_group(F, x, label));
            hy_pause(F);
            hy_backward(F, heads < 3 ? hy_get(F, y, heads - 1) : y, NULL);
            to[0] = hy_copy(F, hy_get(F, y, 0));
            to[1] = hy_copy(F, hy_grad_of(F, x));
            to[2] = hy_copy(F, hy_grad_of(F, b->w));
            if (i) CHECK(hgrad_distance(F, hy_group_of(F, 3, got), hy_group_of(F, 3, want)) == 0);
        }
        opt.inactive = 0;
    }
    grad_close(F, &ledger);
}

/* Gradients of gradients of the fused operator, dropout between layers included; inputs are data, parameters and
 * perhaps the first states. */
typedef struct hgrad_fused { hy_block base; int mode, layers, directions, units, states, order; } hgrad_fused;
static hy_array *hgrad_fused_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hgrad_fused *b = (hgrad_fused *)(void *)self;
    hy_array *state[2] = { NULL, NULL };
    hy_rnn_opt opt;
    int k, lstm = b->mode == HY_RNN_LSTM;
    memset(&opt, 0, sizeof opt);
    opt.bidirectional = b->directions > 1;
    opt.state_outputs = b->states;
    opt.p = 0.4;
    for (k = 0; k <= lstm; k++)
        state[k] = b->states ? hy_get(F, x, 2 + k)
                 : hy_cast(F, hy_zeros(F, HY_SHAPE(b->layers * b->directions, 2, b->units)), HY_F64);
    return hy_rnn(F, hy_get(F, x, 0), hy_get(F, x, 1), state[0], state[1], NULL, b->units, b->layers, b->mode, &opt);
}
static hgrad_fused *hgrad_fused_new(hy_frame *F, int mode, int layers, int directions, int units, int states)
{
    hgrad_fused *b = HY_BLOCK_NEW(F, hgrad_fused, hgrad_fused_forward);
    b->mode = mode;
    b->layers = layers;
    b->directions = directions;
    b->units = units;
    b->states = states;
    b->order = 1;
    return b;
}
static hy_array *hgrad_fused_inputs(hy_frame *F, const hgrad_fused *b)
{
    int D = b->directions, H = b->units, lstm = b->mode == HY_RNN_LSTM, k;
    int gates = H * (lstm ? 4 : b->mode == HY_RNN_GRU ? 3 : 1);
    int parameters = D * gates * (2 + H + 2) + (b->layers - 1) * D * gates * (D * H + H + 2);
    hy_array *x[4];
    x[0] = hy_normal(F, HY_SHAPE(3, 2, 2), 0, 1);
    x[1] = hy_normal(F, HY_SHAPE(parameters), 0, 0.5);
    for (k = 2; k < 4; k++) x[k] = hy_normal(F, HY_SHAPE(b->layers * D, 2, H), 0, 1);
    for (k = 0; k < 4; k++) x[k] = hy_cast(F, x[k], HY_F64);
    return hy_group_of(F, b->states ? 3 + lstm : 2, x);
}
/* The gradient of that order. Where it does not depend on x, it still counts as computed from it. */
static hy_array *hgrad_fused_slope(hy_frame *F, hy_array *x, void *user)
{
    hgrad_fused *b = (hgrad_fused *)user;
    hy_grad_opt opt = grad_create_graph();
    hy_array *y, *part[4];
    int recording = hy_is_recording(F), training = hy_is_training(F), i, k, n = hy_count(F, x);
    for (i = 0; i < n; i++) if (!hy_get(F, x, i)->tape) hy_attach_grad(F, hy_get(F, x, i), HY_GRAD_WRITE);
    hy_seed(F, 7);
    hy__set_recording(F, 1);
    hy_set_training(F, 1);
    y = hy_call(F, &b->base, x);
    for (k = 0; k < b->order; k++) {
        opt.head_grads = hy__weights_like(F, y);
        y = hy_grad(F, y, x, &opt);
        for (i = 0; i < n; i++)
            part[i] = hy_add(F, hy_get(F, y, i), hy_mul_scalar(F, hy_get(F, x, i), 0));
        y = hy_group_of(F, n, part);
    }
    hy__set_recording(F, recording);
    hy_set_training(F, training);
    return y;
}
static void hgrad_recurrent_twice(void)
{
    int k, order;
    for (k = 0; k < 32; k++) {          /* mode, layers, directions, states */
        grad_ledger ledger;
        hy_frame *F = grad_open(&ledger);
        hgrad_fused *b = hgrad_fused_new(F, k >> 3, 1 + (k >> 2 & 1), 1 + (k >> 1 & 1), 1 + (k >> 2 & 1), k & 1);
        hy_array *x = hgrad_fused_inputs(F, b), *want;
        hy_hybridize_opt opt = hgrad_opt(1);
        double error = hy_check_grad(F, hgrad_fused_slope, b, x, 1e-5);
        if (!CHECK(error < 1e-6)) printf("    case %d is off by %g: %s\n", k, error, hy_error(F));
        for (order = 2; order < 4; order++) {
            b->order = order;
            want = hgrad_fused_slope(F, x, b);
            opt.inactive = 0;
            hy_hybridize(F, &b->base, &opt);
            if (!CHECK(hgrad_distance(F, hgrad_fused_slope(F, x, b), want) < 1e-10)) printf("    case %d\n", k);
            opt.inactive = 1;
            hy_hybridize(F, &b->base, &opt);
        }
        grad_close(F, &ledger);
    }
}
static void hgrad_recurrent_thrice(void)
{
    int mode;
    for (mode = HY_RNN_TANH; mode <= HY_RNN_GRU; mode++) {
        grad_ledger ledger;
        hy_frame *F = grad_open(&ledger);
        hgrad_fused *b = hgrad_fused_new(F, mode, 1, 1, 1, 1);
        b->order = 2;
        CHECK(hy_check_grad(F, hgrad_fused_slope, b, hgrad_fused_inputs(F, b), 1e-5) < 1e-6);
        grad_close(F, &ledger);
    }
}
/* No steps, no samples, no numbers in a sample: states pass, or nothing does. */
static void hgrad_recurrent_twice_of_nothing(void)
{
    static const int size[3][3] = { { 0, 2, 2 }, { 3, 0, 2 }, { 3, 2, 0 } };
    int k, i;
    for (k = 0; k < 3; k++) {
        grad_ledger ledger;
        hy_frame *F = grad_open(&ledger);
        hgrad_fused *b = hgrad_fused_new(F, HY_RNN_LSTM, 1, 1, 2, 1);
        const int *s = size[k];
        hy_array *x[4], *g;
        x[0] = hy_normal(F, HY_SHAPE(s[0], s[1], s[2]), 0, 1);
        x[1] = hy_normal(F, HY_SHAPE(8 * (s[2] + 4)), 0, 1);
        for (i = 2; i < 4; i++) x[i] = hy_normal(F, HY_SHAPE(1, s[1], 2), 0, 1);
        for (i = 0; i < 4; i++) x[i] = hy_cast(F, x[i], HY_F64);
        b->order = 2;
        g = hgrad_fused_slope(F, hy_group_of(F, 4, x), b);
        CHECK(!hy_error(F) && hy_count(F, g) == 4);
        for (i = 0; i < 4; i++) CHECK(hy_size(F, hy_get(F, g, i)) == hy_size(F, x[i]));
        grad_close(F, &ledger);
    }
}

/* --- values that decide shapes: behaviour 58 --- */
static hy_array *hgrad_masked(hy_frame *F, hy_block *self, hy_array *x)
{
    hgrad_fn *b = (hgrad_fn *)(void *)self;
    hy_array *y = hy_mul(F, hy_get(F, x, 0), b->w);
    y = hy_boolean_mask(F, hy_dropout(F, y, 0.5, NULL), hy_get(F, x, 1), 0);
    return hy_square(F, hy_dropout(F, y, 0.1, NULL));
}
static void hgrad_dynamic(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hgrad_fn *b = hgrad_block(F, hgrad_masked, 3);
    hy_array *x = hy_normal(F, HY_SHAPE(6, 3), 0, 1), *want[3], *got[3], *y, *mask;
    const float pick[2][6] = { { 1, 0, 1, 1, 0, 1 }, { 0, 0, 1, 0, 0, 0 } };
    int i, m;
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    for (m = 0; m < 2; m++) {
        mask = hy_floats(F, HY_SHAPE(6), pick[m]);
        for (i = 0; i < 3; i++) {
            hy_array **to = i ? got : want;
            hy_hybridize_opt opt = hgrad_opt(0);
            opt.static_alloc = 1;
            opt.inactive = !i;
            hy_hybridize(F, &b->base, &opt);
            hy_seed(F, 3);
            hgrad_record_call(F, b, hy_group(F, x, mask), &y);
            hy_backward(F, y, NULL);
            to[0] = hy_copy(F, y);
            to[1] = hy_copy(F, hy_grad_of(F, x));
            to[2] = hy_copy(F, hy_grad_of(F, b->w));
            if (i) CHECK(hgrad_distance(F, hy_group_of(F, 3, got), hy_group_of(F, 3, want)) < 1e-6);
        }
    }
    grad_close(F, &ledger);
}

/* What is made of such a value may be of no use to anybody, and still change a statistic. */
typedef struct hgrad_aside { hy_block base; hy_block *norm; } hgrad_aside;
static hy_array *hgrad_aside_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *mask = hy_greater_scalar(F, hy_sum(F, x, HY_AXES(1), NULL), 0);
    x = hy_boolean_mask(F, x, mask, 0);
    hy_call(F, ((hgrad_aside *)(void *)self)->norm, hy_sin(F, x));
    return x;
}
static void hgrad_dynamic_aside(void)
{
    double mean[2], slope[2];
    int hybrid;
    for (hybrid = 0; hybrid < 2; hybrid++) {
        grad_ledger ledger;
        hy_frame *F = grad_open(&ledger);
        hgrad_aside *b = HY_BLOCK_NEW(F, hgrad_aside, hgrad_aside_forward);
        hy_array *x = hy_normal(F, HY_SHAPE(6, 3), 1, 1), *y;
        b->norm = hy_add_child(F, &b->base, "norm", hy_nn_batch_norm(F, NULL));
        hy_initialize(F, &b->base, NULL);
        hy_call(F, &b->base, x);
        if (hybrid) hy_hybridize(F, &b->base, NULL);
        hy_attach_grad(F, x, HY_GRAD_WRITE);
        hy_record(F);
        y = hy_call(F, &b->base, x);
        hy_pause(F);
        hy_backward(F, y, NULL);
        CHECK_STR(hy_error(F), NULL);
        mean[hybrid] = hy_value(F, hy_param(F, &b->base, "norm.running_mean"), 0);
        slope[hybrid] = hy_value(F, hy_grad_of(F, x), 0, 0);
        grad_close(F, &ledger);
    }
    CHECK(mean[0] && mean[0] == mean[1] && slope[0] == slope[1]);
}

/* --- operators that have no gradient --- */
static hy_array *hgrad_stops(hy_frame *F, hy_block *self, hy_array *x) /* argmax stops, trigamma refuses */
{
    (void)self;
    return hy_group(F, hy_argmax(F, x, 0, NULL), hy_trigamma(F, x), hy_square(F, x), hy_block_grad(F, x));
}
static void hgrad_no_gradient(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hgrad_fn *b = hgrad_block(F, hgrad_stops, 1);
    hy_array *x = GRAD_LEAF(F, 1, 3), *y;
    hy_backward_opt opt;
    int hybrid;
    memset(&opt, 0, sizeof opt);
    opt.retain_graph = 1;
    for (hybrid = 0; hybrid < 2; hybrid++) {
        if (hybrid) hgrad_hybridize(F, b);
        hgrad_record_call(F, b, x, &y);
        CHECK(!hy_error(F));
        hy_backward(F, hy_get(F, y, 2), &opt);          /* a compiled block is one call */
        GRAD_VALUES(F, hy_grad_of(F, x), 2, 6);
        hy_backward(F, hy_get(F, y, 1), NULL);
        GRAD_EXPECT(F, HY_ERROR_GRADIENT, "non-differentiable");
        hy_backward(F, hy_get(F, y, 0), NULL);
        GRAD_EXPECT(F, HY_ERROR_GRADIENT, "hy_attach_grad");
        hgrad_record_call(F, b, x, &y);                 /* beside another head it counts for nothing */
        hy_fill(F, hy_grad_of(F, x), 0);
        hy_backward(F, hy_group(F, hy_get(F, y, 0), hy_get(F, y, 2)), NULL);
        GRAD_VALUES(F, hy_grad_of(F, x), 2, 6);
    }
    grad_close(F, &ledger);
}

/* --- operators of one's own: what they are given, and what they may give back --- */
/* y = a m + b n, where the programs given along have m and n nodes. */
static void hgrad_nodes_run(const hy_job *job, hy_run *now, int stage, int64_t item, void *scratch,
                            void *shared)
{
    const float *a = (const float *)now->data[0], *b = (const float *)now->data[1];
    float *y = (float *)now->data[job->nin];
    (void)stage; (void)scratch; (void)shared;
    y[item] = a[item] * (float)hy_graph_count(job->sub[0]) + b[item] * (float)hy_graph_count(job->sub[1]);
}
static int hgrad_nodes_bind(hy_job *job)
{
    if (job->nsub != 2) return -1;
    job->run = hgrad_nodes_run;
    job->stages = 1;
    job->items[0] = hy__size(&job->out[0].type.shape);
    return 0;
}
static int hgrad_nodes_grad(hy_frame *F, hy_diff *D)
{
    int i;
    if (D->nsub != 2) return -1;
    for (i = 0; i < 2; i++)
        if (D->want[i]) D->dx[i] = hy_mul_scalar(F, D->dy[0], hy_graph_count(D->sub[i]));
    return 0;
}

static const hy_arg hgrad_nodes_in[] = { { "a", HY_ARG_ONE }, { "b", HY_ARG_ONE }, { NULL, HY_ARG_ONE } };
static hy_op hgrad_nodes_op(const char *name)
{
    hy_op op = grad_cube_op();
    op.name = name;
    op.in = hgrad_nodes_in;
    op.bind = hgrad_nodes_bind;
    op.grad = hgrad_nodes_grad;
    return op;
}

static hy_graph *hgrad_sub[2];
static hy_array *hgrad_nodes(hy_frame *F, hy_block *self, hy_array *x)
{
    hgrad_fn *b = (hgrad_fn *)(void *)self;
    hy_array *in[2];
    in[0] = hy_square(F, x);
    in[1] = b->w;
    return F->emit(F, hy_op_find(F, "test_nodes"), 2, in, NULL, 2, hgrad_sub);
}

static void hgrad_sub_graphs(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger), *S = hy_symbolic(F);
    hy_op op = hgrad_nodes_op("test_nodes");
    hgrad_fn *b = hgrad_block(F, hgrad_nodes, 2);
    hy_array *x = GRAD_LEAF(F, 1, 3), *y[3], *s = hy_var(S, "s", NULL);
    int i;
    CHECK(!hy_register(F, &op));
    hgrad_sub[0] = hy_compile(S, hy_relu(S, s));
    hgrad_sub[1] = hy_compile(S, hy_exp(S, hy_sin(S, hy_negative(S, s))));
    hgrad_record_call(F, b, x, &y[0]);
    hy_backward(F, y[0], NULL);
    GRAD_VALUES(F, y[0], 4, 20);
    GRAD_VALUES(F, hy_grad_of(F, x), 4, 12);
    GRAD_VALUES(F, hy_grad_of(F, b->w), 4, 4);
    hgrad_record_call(F, b, x, &y[1]);
    hgrad_hybridize(F, b);
    hgrad_record_call(F, b, x, &y[2]);
    for (i = 0; i < 2; i++) hy_graph_free(F, hgrad_sub[i]);     /* recorded calls hold them */
    hy_close(S);
    for (i = 1; i < 3; i++) {
        hy_fill(F, hy_grad_of(F, x), 0);
        hy_fill(F, hy_grad_of(F, b->w), 0);
        hy_backward(F, y[i], NULL);
        GRAD_VALUES(F, y[i], 4, 20);
        GRAD_VALUES(F, hy_grad_of(F, x), 4, 12);
        GRAD_VALUES(F, hy_grad_of(F, b->w), 4, 4);
    }
    grad_close(F, &ledger);
}

/* A gradient that is an array from elsewhere: a graph cannot have it, so the call runs line by line. */
static hy_array *hgrad_slope;
static int hgrad_slope_grad(hy_frame *F, hy_diff *D)
{
    (void)F;
    D->dx[0] = hgrad_slope;
    return 0;
}
static hy_array *hgrad_cube(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_emit(F, hy_op_find(F, "test_slope"), 1, &x, NULL);
}
static void hgrad_given_gradient(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hy_op op = grad_cube_op();
    hgrad_fn *b = hgrad_block(F, hgrad_cube, 1);
    hy_array *x = hy_cast(F, hy_floats(F, HY_SHAPE(2), (const float[]){ 1, 2 }), HY_F64), *y;
    int hybrid;
    op.name = "test_slope";
    op.grad = hgrad_slope_grad;
    CHECK(!hy_register(F, &op));
    hgrad_slope = hy_keep(F, hy_cast(F, hy_floats(F, HY_SHAPE(2), (const float[]){ 5, 7 }), HY_F64));
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    for (hybrid = 0; hybrid < 2; hybrid++) {
        if (hybrid) hgrad_hybridize(F, b);
        hgrad_record_call(F, b, x, &y);
        hy_backward(F, y, NULL);
        GRAD_VALUES(F, y, 1, 8);
        GRAD_VALUES(F, hy_grad_of(F, x), 5, 7);
    }
    grad_close(F, &ledger);
}

/* A running statistic whose old value the gradient would need. */
static hy_array *hgrad_spoils(hy_frame *F, hy_block *self, hy_array *x)
{
    hgrad_net *n = (hgrad_net *)(void *)self;
    return hy_batch_norm(F, hy_mul(F, x, n->mean), n->gamma, n->beta, n->mean, n->var, NULL);
}
static void hgrad_spoilt_statistic(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hgrad_net *n = hgrad_net_new(F);
    hy_array *x = hy_ones(F, HY_SHAPE(2, 4)), *y;
    hy_hybridize_opt opt = hgrad_opt(0);
    n->base.forward = hgrad_spoils;
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_initialize(F, &n->base, NULL);
    hy_hybridize(F, &n->base, &opt);
    hy_record(F);
    hy_call(F, &n->base, x);
    hy_pause(F);
    GRAD_EXPECT(F, HY_ERROR_STATE, "use a hy_copy");
    hy_record(F);
    hy_set_training(F, 0);
    y = hy_call(F, &n->base, x);                        /* does not write it */
    hy_pause(F);
    hy_backward(F, y, NULL);
    GRAD_VALUES(F, hy_grad_of(F, x), 0, 0, 0, 0, 0, 0, 0, 0);
    grad_close(F, &ledger);
}

/* --- parameters that two blocks share --- */
static void hgrad_shared_parameters(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hgrad_fn *a = hgrad_block(F, hgrad_square_scale, 2), *b = HY_BLOCK_NEW(F, hgrad_fn, hgrad_square_scale);
    hy_array *x = hy_floats(F, HY_SHAPE(2), (const float[]){ 1, 2 }), *y;
    int hybrid;
    b->w = hy_add_param(F, &b->base, "w", HY_SHAPE(2), NULL);
    b->v = hy_add_param(F, &b->base, "v", HY_SHAPE(2), NULL);
    hy_share_params(F, &b->base, &a->base);
    for (hybrid = 0; hybrid < 2; hybrid++) {
        if (hybrid) { hgrad_hybridize(F, a); hgrad_hybridize(F, b); }
        hy_record(F);
        y = hy_add(F, hy_call(F, &b->base, x), hy_call(F, &a->base, hy_mul_scalar(F, x, 2)));
        hy_pause(F);
        hy_backward(F, y, NULL);
        GRAD_VALUES(F, hy_grad_of(F, a->w), 5, 20);
        GRAD_VALUES(F, hy_grad_of(F, b->w), 5, 20);
        hy_set_grad_req(F, &a->base, NULL, HY_GRAD_NULL);
        hy_set_grad_req(F, &a->base, NULL, HY_GRAD_WRITE);
        GRAD_VALUES(F, hy_grad_of(F, b->w), 0, 0);
    }
    grad_close(F, &ledger);
}

/* Behaviour 20: optional inputs. */
static hy_array *hgrad_optional(hy_frame *F, hy_block *self, hy_array *x)
{
    hgrad_fn *b = (hgrad_fn *)(void *)self;
    hy_array *p = hy_get(F, x, 0), *q = hy_count(F, x) > 1 ? hy_get(F, x, 1) : NULL;
    if (p) p = hy_mul(F, p, b->w);
    if (q) q = hy_square(F, q);
    return p && q ? hy_add(F, p, q) : p ? p : q;
}
static void hgrad_optional_inputs(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hgrad_fn *b = hgrad_block(F, hgrad_optional, 2);
    hy_array *x = GRAD_LEAF(F, 1, 2), *z = GRAD_LEAF(F, 3, 4), *y;
    int i;
    hgrad_hybridize(F, b);
    for (i = 0; i < 4; i++) {
        hgrad_record_call(F, b, hy_group(F, x, z), &y);
        hy_backward(F, y, NULL);
        GRAD_VALUES(F, hy_grad_of(F, x), .5, .5);
        GRAD_VALUES(F, hy_grad_of(F, z), 6, 8);
        hgrad_record_call(F, b, hy_group(F, NULL, z), &y);
        hy_backward(F, y, NULL);
        GRAD_VALUES(F, hy_grad_of(F, z), 6, 8);
        hgrad_record_call(F, b, i & 1 ? x : hy_group(F, x, NULL), &y);
        hy_backward(F, y, NULL);
        GRAD_VALUES(F, hy_grad_of(F, b->w), 1, 2);
    }
    grad_close(F, &ledger);
}

/* Behaviour 69: sharing common work changes no gradient. */
static hy_array *hgrad_common(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *a = hy_get(F, x, 0), *b = hy_get(F, x, 1), *d;
    (void)self;
    d = hy_add_scalar(F, a, 1);
    d = hy_group(F, hy_add(F, hy_mul(F, a, d), b), hy_add(F, hy_mul(F, a, hy_add_scalar(F, a, 1)), b),
                 hy_add(F, hy_add(F, a, b), hy_add(F, a, b)));
    return d;
}
static void hgrad_common_work(void)
{
    static const hy_dtype types[] = { HY_F16, HY_F32, HY_F64 };
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    int t, req, i, round;
    for (t = 0; t < 3; t++) for (req = HY_GRAD_WRITE; req <= HY_GRAD_ADD; req++) {
        hgrad_fn *b = hgrad_block(F, hgrad_common, 1);
        hy_array *x[2], *y, *g[2][2];
        for (i = 0; i < 2; i++) x[i] = hy_cast(F, hy_full(F, HY_SHAPE(3), 2 + i), types[t]);
        for (i = 0; i < 2; i++) {
            if (i) hgrad_hybridize(F, b);
            hy_attach_grad(F, x[0], (hy_grad_req)req);
            hy_attach_grad(F, x[1], (hy_grad_req)req);
            for (round = 0; round < 2; round++) {
                hgrad_record_call(F, b, hy_group(F, x[0], x[1]), &y);
                hy_backward(F, y, NULL);
            }
            g[i][0] = hy_copy(F, hy_grad_of(F, x[0]));
            g[i][1] = hy_copy(F, hy_grad_of(F, x[1]));
        }
        CHECK(hgrad_distance(F, hy_group_of(F, 2, g[1]), hy_group_of(F, 2, g[0])) == 0);
        CHECK(hy_value(F, g[0][0], 0) == (req == HY_GRAD_ADD ? 24 : 12));
    }
    grad_close(F, &ledger);
}

/* --- what must not go wrong around it --- */
static hy_array *hgrad_fails(hy_frame *F, hy_block *self, hy_array *x)
{
    hgrad_fn *b = (hgrad_fn *)(void *)self;
    return hy_square(F, hy_mul(F, x, b->w));
}
static void hgrad_failures_leave_it_usable(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hgrad_fn *b = hgrad_block(F, hgrad_fails, 2);
    hy_array *x = GRAD_LEAF(F, 1, 2), *z = GRAD_LEAF(F, 1, 2, 3), *y, *g;
    hy_backward_opt opt;
    memset(&opt, 0, sizeof opt);
    hgrad_hybridize(F, b);
    hgrad_record_call(F, b, z, &y);
    CHECK(!y);
    GRAD_EXPECT(F, HY_ERROR_SHAPE, "(3,)");
    hgrad_record_call(F, b, x, &y);
    opt.head_grads = hy_ones(F, HY_SHAPE(3));
    hy_backward(F, y, &opt);
    GRAD_EXPECT(F, HY_ERROR_SHAPE, "(3,)");
    hy_fill(F, b->w, 1);
    GRAD_EXPECT(F, HY_ERROR_STATE, "");                 /* backward still needs it */
    hgrad_record_call(F, b, x, &y);
    g = hy_grad(F, y, hy_group(F, x, b->w), NULL);      /* not what was attached */
    GRAD_VALUES(F, hy_get(F, g, 0), .5, 1);
    GRAD_VALUES(F, hy_get(F, g, 1), 1, 4);
    GRAD_VALUES(F, hy_grad_of(F, x), 0, 0);
    grad_close(F, &ledger);
}

/* An array that forward captures is pinned like an input, until backward has read it. */
static hy_array *hgrad_captured;
static hy_array *hgrad_captures(hy_frame *F, hy_block *self, hy_array *x)
{
    hgrad_fn *b = (hgrad_fn *)(void *)self;
    hy_array *all = hy_view_slice(F, hgrad_captured, 0, 0, HY_NONE, 1);
    return hy_mul(F, hy_mul(F, x, hgrad_captured), hy_add(F, b->w, all));
}
static void hgrad_captured_arrays(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hgrad_fn *b = hgrad_block(F, hgrad_captures, 2);
    hy_array *x = GRAD_LEAF(F, 1, 2), *y, *g, *wide = GRAD_LEAF(F, 3, 0, 5, 0);
    hy_grad_opt opt = grad_create_graph();
    int hybrid;
    hy_attach_grad(F, wide, HY_GRAD_NULL);
    hgrad_captured = hy_view_slice(F, wide, 0, 0, HY_NONE, 2);          /* every second one */
    for (hybrid = 0; hybrid < 2; hybrid++) {
        if (hybrid) hgrad_hybridize(F, b);
        hgrad_record_call(F, b, x, &y);
        hy_fill(F, wide, 7);
        GRAD_EXPECT(F, HY_ERROR_STATE, "backward");
        hy_backward(F, y, NULL);
        GRAD_VALUES(F, hy_grad_of(F, x), 10.5, 27.5);
        GRAD_VALUES(F, hy_grad_of(F, b->w), 3, 10);
        hy_record(F);
        g = hy_grad(F, hy_call(F, &b->base, x), b->w, &opt);
        hy_pause(F);
        hy_backward(F, g, NULL);
        GRAD_VALUES(F, hy_grad_of(F, x), 3, 5);
        hy_mul_by(F, wide, hy_full(F, HY_SHAPE(4), 2));
        hgrad_record_call(F, b, x, &y);                 /* the graph reads what it is now */
        hy_backward(F, y, NULL);
        GRAD_VALUES(F, hy_grad_of(F, b->w), 6, 20);
        hy_mul_by(F, wide, hy_full(F, HY_SHAPE(4), 0.5));
    }
    grad_close(F, &ledger);
}

/* The block goes, or is hybridized anew, while a tape still needs its graph. */
static void hgrad_tape_outlives_graph(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hgrad_fn *b = hgrad_block(F, hgrad_scale, 2);
    hy_array *x = GRAD_LEAF(F, 1, 2), *y, *u;
    double t = tanh(0.5), s = tanh(1);
    hgrad_hybridize(F, b);
    hgrad_record_call(F, b, x, &y);
    hgrad_hybridize(F, b);
    hgrad_record_call(F, b, x, &u);
    hy_backward(F, y, NULL);
    GRAD_VALUES(F, hy_grad_of(F, x), .5 * (1 - t * t), .5 * (1 - s * s));
    hy_keep(F, u);
    hy_block_free(F, &b->base);
    hy_backward(F, u, NULL);
    GRAD_VALUES(F, hy_grad_of(F, x), .5 * (1 - t * t), .5 * (1 - s * s));
    grad_close(F, &ledger);
}

/* --- a training loop takes nothing from the allocator once it is warm, and traces once --- */
static void hgrad_steady(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hgrad_net *n = hgrad_net_new(F);
    hy_hybridize_opt opt = hgrad_opt(0);
    hy_array *x = hgrad_image(F, 4), *label = hy_floats(F, HY_SHAPE(4), (const float[]){ 0, 2, 1, 1 }), *l;
    hy_params ps;
    size_t calls = 0, held = 0;
    double first = 0, last = 0;
    int i, k;
    hy_initialize(F, &n->base, NULL);
    hy_hybridize(F, &n->base, &opt);
    ps = hy_collect_params(F, &n->base, NULL);
    for (i = 0; i < 40; i++) {
        if (i == 8) { calls = ledger.calls; held = hy_memory_use(F).bytes; }
        hy_begin(F);
        hy_record(F);
        l = hy_softmax_cross_entropy(F, hy_call(F, &n->base, x), label);
        hy_pause(F);
        hy_backward(F, l, NULL);
        for (k = 0; k < ps.n; k++)
            if (ps.at[k] != n->mean && ps.at[k] != n->var)
                hy_sub_from(F, ps.at[k], hy_mul_scalar(F, hy_grad_of(F, ps.at[k]), 0.02));
        last = hy_item(F, l);
        if (!i) first = last;
        hy_end(F);
    }
    CHECK(last < 0.5 * first);
    CHECK(n->traced == 1);
    CHECK(ledger.calls == calls && hy_memory_use(F).bytes == held);
    grad_close(F, &ledger);
}

/* --- frames of several threads --- */
#ifndef HYBRID_NO_THREADS
typedef struct hgrad_worker { hy_frame *F; hgrad_net *n; int right; } hgrad_worker;
static void *hgrad_work(void *user)
{
    hgrad_worker *w = (hgrad_worker *)user;
    hy_array *x = hgrad_image(w->F, 2), *y, *g, *first = NULL;
    int i;
    hy_attach_grad(w->F, x, HY_GRAD_WRITE);
    for (i = 0; i < 20; i++) {
        hy_record(w->F);
        hy_set_training(w->F, 0);
        y = hy_call(w->F, &w->n->base, x);
        hy_pause(w->F);
        g = hy_grad(w->F, y, hy_group(w->F, x, w->n->w1, w->n->w2), NULL);
        if (first && hgrad_distance(w->F, g, first) != 0) w->right = 0;
        first = g;
    }
    if (hy_error(w->F)) w->right = 0;
    return NULL;
}
static void hgrad_threads(void)
{
    hy_desc desc;
    hy_frame *F;
    hgrad_net *n;
    hgrad_worker w[3];
    pthread_t thread[3];
    hy_hybridize_opt opt = hgrad_opt(0);
    int i;
    memset(&desc, 0, sizeof desc);
    desc.threads = 2;
    F = hy_open(&desc);
    n = hgrad_net_new(F);
    hy_initialize(F, &n->base, NULL);
    hy_call(F, &n->base, hgrad_image(F, 2));            /* shapes must be known before frames share it */
    hy_hybridize(F, &n->base, &opt);
    for (i = 0; i < 3; i++) { w[i].F = hy_fork(F); w[i].n = n; w[i].right = 1; }
    for (i = 0; i < 3; i++) pthread_create(&thread[i], NULL, hgrad_work, &w[i]);
    for (i = 0; i < 3; i++) pthread_join(thread[i], NULL);
    for (i = 0; i < 3; i++) {
        if (!CHECK(w[i].right)) printf("    %s\n", hy_error(w[i].F));
        hy_close(w[i].F);
    }
    CHECK(!hy_error(F));
    hy_close(F);
}
#endif

/* --- graphs that a program runs itself --- */
static void hgrad_graph_run(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger), *S = hy_symbolic(F);
    hy_array *x = GRAD_LEAF(F, 1, 2), *y, *s = hy_var(S, "x", NULL), *g;
    hy_grad_opt opt = grad_create_graph();
    hy_graph *cube = hy_compile(S, hy_mul(S, hy_square(S, s), s)), *keep;
    hgrad_net *n = hgrad_net_new(F);
    hgrad_net *twin = hgrad_net_new(F);
    hy_array *image = hgrad_image(F, 2);
    int i;
    hy_exp(S, hy_var(S, "later", NULL));                /* the frame goes on */
    for (i = 0; i < 2; i++) {
        hy_record(F);
        y = hy_graph_run(F, cube, x);
        g = hy_grad(F, y, x, &opt);
        hy_pause(F);
        GRAD_VALUES(F, g, 3, 12);
        hy_backward(F, hy_group(F, y, g), NULL);
        GRAD_VALUES(F, hy_grad_of(F, x), 9, 24);
    }
    hy_record(F);
    y = hy_mul(F, hy_ones(F, HY_SHAPE(4)), hy_sum(F, x, HY_ALL, NULL));
    y = hy_graph_run(F, cube, hy_slice_axis(F, y, 0, 0, 2));
    hy_pause(F);
    hy_graph_free(F, cube);
    hy_backward(F, y, NULL);
    GRAD_VALUES(F, hy_grad_of(F, x), 54, 54);
    hy_close(S);
    S = hy_symbolic(F);                                 /* parameters that have no values yet */
    hy_seed(F, 5);
    hy_initialize(F, &n->base, NULL);
    hy_initialize(F, &twin->base, NULL);
    keep = hy_compile(S, hy_call(S, &n->base, hy_var(S, "data", NULL)));
    hy_record(F);
    hy_seed(F, 6);
    y = hy_graph_run(F, keep, image);
    hy_seed(F, 6);
    g = hy_call(F, &twin->base, image);
    hy_pause(F);
    CHECK(hgrad_distance(F, y, g) < 1e-6);
    hy_backward(F, hy_group(F, y, g), NULL);
    CHECK(hgrad_distance(F, hy_grad_of(F, n->w1), hy_grad_of(F, twin->w1)) < 1e-5);
    if (hy_error(S)) printf("%s\n", hy_error(S));
    hy_graph_free(F, keep);
    hy_close(S);
    grad_close(F, &ledger);
}

/* --- out of memory --- */
static int hgrad_oom_program(hy_frame *F)
{
    hgrad_net *n = hgrad_net_new(F);
    hy_array *x = hgrad_image(F, 2), *y, *g;
    hy_grad_opt opt = grad_create_graph();
    hy_hybridize_opt hybrid = hgrad_opt(0);
    double v;
    if (!n) return 0;
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_initialize(F, &n->base, NULL);
    hy_hybridize(F, &n->base, &hybrid);
    hy_record(F);
    hy_set_training(F, 0);
    y = hy_sum(F, hy_square(F, hy_call(F, &n->base, x)), HY_ALL, NULL);
    hy_pause(F);
    hy_backward(F, y, NULL);
    hy_record(F);
    hy_set_training(F, 0);
    y = hy_call(F, &n->base, x);
    g = hy_grad(F, y, n->w3, &opt);
    hy_pause(F);
    hy_backward(F, g, NULL);
    v = hy_item(F, hy_sum(F, hy_abs(F, hy_grad_of(F, n->w2)), HY_ALL, NULL));
    return !hy_error(F) && v > 0;
}
static void hgrad_out_of_memory(void) { oom_walk(hgrad_oom_program, 1); }

/* An operator without a gradient, for which the others go on the tape one by one, beside a recurrent layer: the
 * zeros with which that begins have the size of the batch, which only the layer tells. */
typedef struct { hy_block base; hy_block *cell; } hgrad_beside_net;
static hy_array *hgrad_beside_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *y = hy_rnn_unroll(F, ((hgrad_beside_net *)(void *)self)->cell, 3, x, NULL, NULL);
    return hy_group(F, hy_get(F, y, 0), hy_trigamma(F, hy_add_scalar(F, hy_abs(F, x), 1)));
}
static void hgrad_zeros_beside(void)
{
    static const char *const cells[2] = { "rnn", "lstm" };
    double got[2];
    int hybrid, head, cell;
    for (cell = 0; cell < 2; cell++)
        for (head = 0; head < 2; head++)
            for (hybrid = 0; hybrid < 2; hybrid++) {
                hy_frame *F = hy_open(NULL);
                hgrad_beside_net *n = HY_BLOCK_NEW(F, hgrad_beside_net, hgrad_beside_forward);
                hy_array *x, *y;
                n->cell = hy_add_child(F, &n->base, cells[cell],
                                       cell ? hy_rnn_lstm_cell(F, 2, NULL) : hy_rnn_rnn_cell(F, 2, NULL));
                hy_seed(F, 5);
                hy_initialize(F, &n->base, NULL);
                if (hybrid) hy_hybridize(F, &n->base, NULL);
                x = hy_normal(F, HY_SHAPE(2, 3, 4), 0, 1);
                hy_attach_grad(F, x, HY_GRAD_WRITE);
                hy_record(F);
                y = hy_call(F, &n->base, x);
                hy_pause(F);
                CHECK_STR(hy_error(F), NULL);
                hy_backward(F, hy_get(F, y, head), NULL);
                if (head) CHECK(hy_error(F) && strstr(hy_error(F), "trigamma: the operator is non-differentiable"));
                else {
                    CHECK_STR(hy_error(F), NULL);
                    got[hybrid] = hy_item(F, hy_sum(F, hy_abs(F, hy_grad_of(F, x)), HY_ALL, NULL));
                    if (hybrid) CHECK(got[0] > 0 && got[0] == got[1]);
                }
                hy_clear(F);
                CHECK(!hy_close(F));
            }
}

/* Two recurrent layers of different batches, one behind the other: the zeros with which they begin are not the same. */
typedef struct { hy_block base; hy_block *cell[2]; } hgrad_behind_net;
static hy_array *hgrad_behind_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hgrad_behind_net *n = (hgrad_behind_net *)(void *)self;
    x = hy_get(F, hy_rnn_unroll(F, n->cell[0], 3, x, NULL, NULL), 0);
    x = hy_reshape(F, x, HY_INTS(1, 3, 4), NULL);
    return hy_get(F, hy_rnn_unroll(F, n->cell[1], 3, x, NULL, NULL), 0);
}
static void hgrad_zeros_of_two(void)
{
    hy_array *got[2];
    hy_hybridize_opt opt;
    hy_frame *F = hy_open(NULL);
    hgrad_behind_net *n = HY_BLOCK_NEW(F, hgrad_behind_net, hgrad_behind_forward);
    hy_array *x = hy_normal(F, HY_SHAPE(2, 3, 4), 0, 1);
    int way;
    memset(&opt, 0, sizeof opt);
    opt.exact = 1;
    for (way = 0; way < 2; way++) n->cell[way] = hy_add_child(F, &n->base, NULL, hy_rnn_rnn_cell(F, 2, NULL));
    hy_initialize(F, &n->base, NULL);
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    for (way = 0; way < 2; way++) {
        if (way) hy_hybridize(F, &n->base, &opt);
        hy_record(F);
        hy_backward(F, hy_call(F, &n->base, x), NULL);
        hy_pause(F);
        CHECK_STR(hy_error(F), NULL);
        got[way] = hy_copy(F, hy_grad_of(F, x));
    }
    CHECK(!hy_error(F) && !memcmp(hy_data(F, got[0]), hy_data(F, got[1]), 24 * sizeof(float)));
    hy_clear(F);
    CHECK(!hy_close(F));
}

/* Beside an operator without a gradient a call goes on the tape one by one; what has no inputs takes no memory each
 * time, either. */
static hy_array *hgrad_ones_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_group(F, hy_mul(F, x, hy_ones(F, HY_SHAPE(3))), hy_trigamma(F, x));
}
static void hgrad_ones_beside(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *n = hy_block_new(F, sizeof *n, "ones", hgrad_ones_forward, 1);
    hy_array *x = hy_full(F, HY_SHAPE(3), 2);
    int64_t before = 0;
    int i;
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_hybridize(F, n, NULL);
    for (i = 0; i < 8; i++) {
        if (i == 4) before = hy_memory_use(F).calls;
        hy_begin(F);
        hy_record(F);
        hy_backward(F, hy_get(F, hy_call(F, n, x), 0), NULL);
        hy_pause(F);
        hy_end(F);
    }
    CHECK(hy_memory_use(F).calls == before && hy_value(F, hy_grad_of(F, x), 1) == 1);
    CHECK(!hy_close(F));
}

/* What another output needs is no gradient of 0 for what it does not need: times infinity that is a number nobody
 * asked for. The tape keeps for both outputs what both read; what one alone reads is computed once more. */
static hy_array *hgrad_apart_turn(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    (void)x;
    s = hy_get(F, s, 1);
    return hy_group(F, *(hy_array **)user, hy_group(F, hy_cast(F, s, HY_I32), s));
}
static hy_array *hgrad_apart_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *w = hy_get(F, x, 0), *y = hy_dot(F, hy_get(F, x, 1), hy_get(F, x, 2), NULL);
    (void)self;
    y = hy_foreach(F, hgrad_apart_turn, hy_get(F, x, 3), hy_group(F, hy_cast(F, y, HY_I32), y), &w);
    return hy_group(F, hy_get(F, hy_get(F, y, 1), 0), hy_get(F, y, 0));
}
static void hgrad_apart(void)
{
    const float odd[] = { HUGE_VALF, 2, 3 };
    int hybrid, i;
    for (hybrid = 0; hybrid < 2; hybrid++) {
        hy_frame *F = hy_open(NULL);
        hy_block *n = hy_block_new(F, sizeof *n, "apart", hgrad_apart_forward, 1);
        hy_array *x = hy_group(F, hy_ones(F, HY_SHAPE(1)), hy_ones(F, HY_SHAPE(1, 1)), hy_floats(F, HY_SHAPE(1, 3), odd),
                               hy_ones(F, HY_SHAPE(1)));
        for (i = 0; i < 3; i++) hy_attach_grad(F, hy_get(F, x, i), HY_GRAD_WRITE);
        if (hybrid) hy_hybridize(F, n, NULL);
        hy_record(F);
        hy_backward(F, hy_get(F, hy_call(F, n, x), 1), NULL);
        hy_pause(F);
        CHECK_STR(hy_error(F), NULL);
        CHECK_NEAR(hy_value(F, hy_grad_of(F, hy_get(F, x, 0)), 0), 1, 0);
        CHECK_NEAR(hy_value(F, hy_grad_of(F, hy_get(F, x, 1)), 0, 0), 0, 0);
        CHECK(!hy_close(F));
    }
}

/* An output that has no gradient does not keep the others from being compiled: a loop beside it derives the
 * gradient of its body once. Who asks for the gradient of that output is told. */
static hy_array *hgrad_turn(hy_frame *F, hy_array *x, hy_array *states, void *user)
{
    (void)user;
    states = hy_mul(F, states, hy_tanh(F, x));
    return hy_group(F, states, states);
}
static hy_array *hgrad_loop_beside_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *y = hy_foreach(F, hgrad_turn, x, hy_ones(F, HY_SHAPE(2)), NULL);
    (void)self;
    return hy_group(F, hy_get(F, y, 0), hy_trigamma(F, hy_get(F, y, 1)));
}
static void hgrad_loop_beside(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *n = hy_block_new(F, sizeof *n, "beside", hgrad_loop_beside_forward, 1);
    hy_array *x = hy_normal(F, HY_SHAPE(3, 2), 0, 1), *due = NULL, *y;
    int64_t before = 0;
    int i;
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    for (i = 0; i < 8; i++) {
        if (i == 1) hy_hybridize(F, n, NULL);
        if (i == 4) before = hy_memory_use(F).calls;
        hy_begin(F);
        hy_record(F);
        hy_backward(F, hy_get(F, hy_call(F, n, x), 0), NULL);
        hy_pause(F);
        if (!i) due = hy_return(F, hy_copy(F, hy_grad_of(F, x)));
        hy_end(F);
    }
    CHECK(hy_memory_use(F).calls == before);
    CHECK(hgrad_distance(F, due, hy_grad_of(F, x)) < 1e-6);
    hy_record(F);
    y = hy_call(F, n, x);
    hy_pause(F);
    hy_backward(F, y, NULL);
    CHECK(hy_error(F) && strstr(hy_error(F), "trigamma") && strstr(hy_error(F), "non-differentiable"));
    hy_clear(F);
    CHECK(!hy_close(F));
}

/* The gradient of a gradient reads what the first one did not: a label that is computed from what is learnt has
 * a gradient only there. It is kept, or computed once more; what was drawn is kept. */
static hy_array *hgrad_label_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    const char *name = hy_block_name(F, self);
    hy_array *part = hy_slice_axis(F, hy_get(F, x, 1), 0, 1, 4), *label = hy_tanh(F, hy_smooth_l1(F, part, 1));
    if (!strncmp(name, "drawn", 5)) label = hy_dropout(F, label, 0.5, NULL);
    if (!strncmp(name, "alone", 5)) label = hy_mul_scalar(F, hy_sigmoid(F, part), 4);
    if (!strncmp(name, "nested", 6)) label = hy_linear_regression_output(F, label, hy_sigmoid(F, part), NULL);
    label = hy_linear_regression_output(F, hy_get(F, x, 0), label, NULL);
    return strncmp(name, "kept", 4) ? label : hy_group(F, label, hy_square(F, hy_get(F, x, 1)));
}
static hy_array *hgrad_label_order(hy_frame *F, hy_block *block, hy_array *x, int order)
{
    hy_grad_opt opt;
    hy_array *g;
    memset(&opt, 0, sizeof opt);
    opt.create_graph = 1;
    hy_seed(F, 7);
    hy_record(F);
    g = hy_grad(F, hy_get(F, hy_call(F, block, x), 0), hy_get(F, x, 0), &opt);
    for (; order > 2; order--) g = hy_grad(F, g, hy_get(F, x, 1), &opt);
    hy_pause(F);
    if (g) hy_backward(F, g, NULL);
    return hy_error(F) ? NULL : hy_copy(F, hy_grad_of(F, hy_get(F, x, 1)));
}
static void hgrad_label(void)
{
    static const char *const names[] = { "kept", "drawn", "alone", "nested" };
    hy_hybridize_opt opt;
    int kind, turn, order;
    memset(&opt, 0, sizeof opt);
    opt.exact = 1;
    for (kind = 0; kind < 4; kind++) {
        hy_frame *F = hy_open(NULL);
        hy_block *n = hy_block_new(F, sizeof *n, names[kind], hgrad_label_forward, 1);
        hy_array *x = hy_group(F, hy_normal(F, HY_SHAPE(3), 0, 1), hy_normal(F, HY_SHAPE(6), 0, 1)), *due[4], *got;
        for (turn = 0; turn < 2; turn++) hy_attach_grad(F, hy_get(F, x, turn), HY_GRAD_WRITE);
        for (order = 2; order < 4; order++) due[order] = hgrad_label_order(F, n, x, order);
        hy_hybridize(F, n, &opt);
        for (turn = 0; turn < 4; turn++) {
            order = 2 + (turn & 1);
            got = hgrad_label_order(F, n, x, order);
            if (!CHECK(due[order] && got && !memcmp(hy_data(F, due[order]), hy_data(F, got), 6 * sizeof(float))))
                printf("    %s, order %d: %s\n", names[kind], order, got ? "differs" : hy_error(F));
            hy_clear(F);
        }
        CHECK(hy_close(F) == 0);
    }
}

static void test_hybrid_grad(void)
{
    RUN(hgrad_every_operator);
    RUN(hgrad_net_equals_imperative);
    RUN(hgrad_deferred_while_recording);
    RUN(hgrad_requests);
    RUN(hgrad_two_forwards_then_both_backward);
    RUN(hgrad_shapes_and_modes_alternate);
    RUN(hgrad_pass_through);
    RUN(hgrad_outputs_apart);
    RUN(hgrad_any_order);
    RUN(hgrad_check_grad_through_a_block);
    RUN(hgrad_recurrent);
    RUN(hgrad_recurrent_twice);
    RUN(hgrad_recurrent_thrice);
    RUN(hgrad_recurrent_twice_of_nothing);
    RUN(hgrad_dynamic);
    RUN(hgrad_dynamic_aside);
    RUN(hgrad_no_gradient);
    RUN(hgrad_zeros_beside);
    RUN(hgrad_zeros_of_two);
    RUN(hgrad_ones_beside);
    RUN(hgrad_loop_beside);
    RUN(hgrad_apart);
    RUN(hgrad_label);
    RUN(hgrad_sub_graphs);
    RUN(hgrad_given_gradient);
    RUN(hgrad_spoilt_statistic);
    RUN(hgrad_shared_parameters);
    RUN(hgrad_optional_inputs);
    RUN(hgrad_common_work);
    RUN(hgrad_failures_leave_it_usable);
    RUN(hgrad_captured_arrays);
    RUN(hgrad_tape_outlives_graph);
    RUN(hgrad_steady);
    RUN(hgrad_graph_run);
#ifndef HYBRID_NO_THREADS
    RUN(hgrad_threads);
#endif
    RUN(hgrad_out_of_memory);
}
#endif
