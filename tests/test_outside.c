/* Bodies of loops and branches that take several values of one name from outside: written, read, quantised, as C source,
 * bound, in a symbolic frame. */
#if !defined(HYBRID_NO_INT8) && !defined(HYBRID_NO_IO)

typedef struct { hy_block base; hy_block *dense; hy_array *weight, *c[3]; int which; } outside_net;

/* Arrays from outside: constants. */
static hy_array *outside_constants(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    outside_net *n = (outside_net *)user;
    s = hy_add(F, hy_mul(F, s, n->c[0]), hy_mul(F, x, n->c[1]));
    s = hy_sub(F, s, n->c[2]);
    return hy_group(F, hy_mul(F, s, n->weight), s);
}

/* The inner body's own state and the outer one's, the outer row, a constant and a parameter. */
typedef struct { outside_net *net; hy_array *x, *s, *half; } outside_scope;

static hy_array *outside_inner(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    outside_scope *o = (outside_scope *)user;
    s = hy_add(F, hy_mul(F, s, x), hy_mul(F, o->s, o->net->c[1]));
    s = hy_add(F, s, hy_mul(F, hy_sum(F, o->x, HY_AXES(0), NULL), o->half));
    return hy_group(F, hy_add(F, s, o->net->weight), s);
}

static hy_array *outside_then(hy_frame *F, hy_array *x, void *user)
{
    outside_scope *o = (outside_scope *)user;
    return hy_add(F, hy_mul(F, x, o->s), hy_add(F, o->half, o->net->c[0]));
}

static hy_array *outside_else(hy_frame *F, hy_array *x, void *user)
{
    outside_scope *o = (outside_scope *)user;
    return hy_sub(F, hy_mul(F, x, o->net->c[2]), hy_mul(F, o->s, o->net->c[0]));
}

static hy_array *outside_outer(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    outside_scope o;
    hy_array *parts, *y;
    o.net = (outside_net *)user;
    o.x = x;
    parts = hy_split(F, hy_tanh(F, x), 3, 0, NULL);
    o.half = hy_reshape(F, hy_mul(F, hy_get(F, parts, 1), hy_get(F, parts, 2)), HY_INTS(-1), NULL);
    o.s = s;
    y = hy_foreach(F, outside_inner, x, hy_zeros_like(F, s), &o);
    s = hy_add(F, s, hy_get(F, y, 1));
    s = hy_add(F, s, hy_cond(F, hy_lesser_scalar(F, hy_mean(F, x, HY_ALL, NULL), 0), outside_then, outside_else, s, &o));
    return hy_group(F, hy_get(F, y, 0), s);
}

static hy_array *outside_few(hy_frame *F, hy_array *v, void *user)
{
    outside_scope *o = (outside_scope *)user;
    return hy_lesser(F, hy_get(F, v, 0), hy_mul_scalar(F, hy_abs(F, hy_add(F, o->net->c[0], o->net->c[1])), 8));
}

static hy_array *outside_grow(hy_frame *F, hy_array *v, void *user)
{
    outside_scope *o = (outside_scope *)user;
    hy_array *i = hy_get(F, v, 0), *x = hy_get(F, v, 1);
    x = hy_add(F, hy_mul(F, x, hy_get(F, o->x, 0)), hy_get(F, o->x, 1));
    return hy_group(F, x, hy_group(F, hy_add_scalar(F, i, 1.5), hy_mul(F, hy_tanh(F, x), o->net->weight)));
}

static hy_array *outside_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    outside_net *n = (outside_net *)self;
    outside_scope o;
    o.net = n;
    x = hy_call(F, n->dense, x);
    switch (n->which) {
    case 0: return hy_foreach(F, outside_constants, x, n->c[0], n);
    case 1: return hy_foreach(F, outside_outer, hy_reshape(F, x, HY_INTS(-1, 3, 1), NULL), hy_ones(F, HY_SHAPE(1)), n);
    default:                            /* outputs of one operator, in a condition and a step */
        o.x = hy_split(F, x, 2, 0, NULL);
        return hy_while_loop(F, outside_few, outside_grow, hy_group(F, hy_zeros(F, HY_SHAPE(1)), hy_get(F, o.x, 0)), 6, &o);
    }
}

/* which + 3: the parameter has the name of a body's own variable. */
static outside_net *outside_new(hy_frame *F, int which)
{
    outside_net *n = HY_BLOCK_NEW(F, outside_net, outside_forward);
    hy_param_opt opt = { 0 };
    int i;
    if (!n) return NULL;
    n->which = which % 3;
    if (which >= 3) hy_set_prefix(F, &n->base, "");
    opt.init = hy_init_constant(.75);
    n->dense = hy_add_child(F, &n->base, "dense", hy_nn_dense(F, 3, NULL));
    n->weight = hy_add_param(F, &n->base, which >= 3 ? "state0" : "w", HY_SHAPE(n->which == 1 ? 1 : 3), &opt);
    for (i = 0; i < 3; i++) n->c[i] = hy_full(F, HY_SHAPE(n->which ? 1 : 3), .5 - .25 * i);
    hy_initialize(F, &n->base, NULL);
    return n;
}

static hy_array *outside_bytes(hy_frame *F, hy_block *net) { return hy_save_model_to(F, net, NULL); }

static hy_block *outside_read(hy_frame *F, hy_array *b)
{
    return b ? hy_load_model_from(F, hy_data(F, b), (size_t)hy_size(F, b), 0) : NULL;
}

static void outside_same(hy_frame *F, hy_block *net, hy_array *x, hy_array *want, double off)
{
    hy_array *y = net ? hy_call(F, net, x) : NULL;
    int i;
    if (!CHECK(y && hy_count(F, y) == 3 - (hy_count(F, want) == 2)) && hy_error(F)) printf("    %s\n", hy_error(F));
    for (i = 0; y && i < hy_count(F, want); i++) CHECK(save_error(F, hy_get(F, y, i), hy_get(F, want, i)) < off);
}

/* Flat, as a file has them. */
static hy_array *outside_flat(hy_frame *F, hy_array *y)
{
    hy_array *s = hy_get(F, y, 1);
    return hy_count(F, s) == 1 ? hy_group(F, hy_get(F, y, 0), s)
        : hy_group(F, hy_get(F, y, 0), hy_get(F, s, 0), hy_get(F, s, 1));
}

static void outside_symbolic(hy_frame *F, hy_block *net, hy_array *x, hy_array *want)
{
    hy_frame *S = hy_symbolic(F);
    hy_array *y = outside_flat(S, hy_call(S, net, hy_var(S, "data", NULL))), *text;
    hy_graph *g = hy_compile(S, y), *again;
    CHECK_STR(hy_error(S), NULL);
    text = hy_symbol_to(F, g);
    again = text ? hy_symbol_from(F, (const char *)hy_data(F, text), (size_t)hy_size(F, text)) : NULL;
    CHECK(again && hy_graph_count(again) == hy_graph_count(g));
    y = hy_graph_run(F, g, x);
    CHECK(save_error(F, hy_get(F, y, 1), hy_get(F, want, 1)) < 1e-6);
    hy_close(S);
}

static void outside_bound(hy_frame *F, hy_block *net, hy_array *x, hy_array *want)
{
    hy_plan_info plan = hy_plan(F, net, x);
    void *memory = malloc(plan.total + 1);
    CHECK(memory && !hy_bind(F, net, x, memory, plan.total));
    outside_same(F, net, x, want, 1e-6);
    hy_block_free(F, net);
    free(memory);
}

static void outside_ways(int which)
{
    tb_log log;
    hy_frame *F = tb_open_log(&log);
    outside_net *n = outside_new(F, which);
    hy_array *x = hy_normal(F, HY_SHAPE(4, 5), 0, .5), *want = outside_flat(F, hy_call(F, &n->base, x)), *b, *again;
    hy_block *read, *small;
    hy_hybridize(F, &n->base, NULL);
    CHECK(save_error(F, hy_get(F, outside_flat(F, hy_call(F, &n->base, x)), 0), hy_get(F, want, 0)) < 1e-6);
    b = outside_bytes(F, &n->base);
    read = outside_read(F, b);
    outside_same(F, read, x, want, 1e-6);
    again = read ? outside_bytes(F, read) : NULL;
    CHECK(again && hy_size(F, again) == hy_size(F, b) && !memcmp(hy_data(F, again), hy_data(F, b), (size_t)hy_size(F, b)));
    if (read) hy_hybridize(F, read, NULL);
    outside_same(F, read, x, want, 1e-6);
    outside_same(F, tb_reloaded(F, &n->base, NULL, 0), x, want, 1e-6);
    outside_same(F, tb_reloaded(F, read, NULL, 0), x, want, 1e-6);
    small = hy_quantize(F, &n->base, x, &quantize_all);
    outside_same(F, small, x, want, .05);
    outside_same(F, small ? outside_read(F, outside_bytes(F, small)) : NULL, x, want, .05);
    outside_symbolic(F, &n->base, x, want);
#ifdef HYBRID_SOURCE
    if (read) inloop_export(F, read, x, 0);
#endif
    if (read) outside_bound(F, read, x, want);
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
}

static void outside_names(void)
{
    int which;
    for (which = 0; which < 6; which++) outside_ways(which);
}

/* A file of 0.3.0, whose bodies have two variables of one name, is read. */
static void outside_old(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_load_model(F, "tests/golden/v0.3/outside.hybrid");
    hy_array *x = hy_ones(F, HY_SHAPE(3, 2)), *y = hy_call(F, net, x), *b = outside_bytes(F, net);
    CHECK_NEAR(hy_value(F, y, 2, 0), 8, 0);
    y = hy_call(F, outside_read(F, b), x);
    CHECK_NEAR(hy_value(F, y, 2, 0), 8, 0);
    CHECK_STR(hy_error(F), NULL);
    hy_close(F);
}

/* Memory that ends: names given on tracing and on reading, samples tried as a batch and as batches. */
static int outside_little(hy_frame *F)
{
    hy_array *x = hy_ones(F, HY_SHAPE(3, 2)), *y;
    hy_block *net = hy_load_model(F, "tests/golden/v0.3/outside.hybrid");
    outside_net *n = net ? outside_new(F, 1) : NULL;
    int right;
    net = n && !hy_error(F) ? outside_read(F, hy_save_model_to(F, &n->base, hy_ones(F, HY_SHAPE(2, 5)))) : NULL;
    y = net ? hy_call(F, net, hy_ones(F, HY_SHAPE(2, 5))) : NULL;
    right = y && hy_count(F, y) == 2;
    net = right ? hy_load_model(F, "tests/golden/v0.3/outside.hybrid") : NULL;
    y = net ? hy_call(F, net, x) : NULL;
    return y && hy_value(F, y, 2, 0) == 8;
}

static void outside_memory(void) { oom_walk(outside_little, 1); }

#ifndef HYBRID_NO_TRAIN
/* What has no gradient has none in a network that was loaded: an array from outside and a constant, whatever is asked
 * for; a parameter, and a running statistic that nothing changes, until one is asked for. */
typedef struct { hy_block base; hy_array *weight, *frozen, *constant, *statistic, *given; } outside_still_net;
static hy_array *outside_still_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    outside_still_net *n = (outside_still_net *)(void *)self;
    x = hy_mul(F, hy_mul(F, x, n->weight), hy_apply(F, "trigamma", 1, &n->given, ""));
    x = hy_mul(F, x, hy_add(F, n->statistic, n->statistic));        /* which nothing changes */
    return hy_add(F, hy_mul(F, x, n->constant), hy_add(F, n->frozen, n->given));
}

static void outside_still_step(hy_frame *F, hy_block *net)
{
    hy_optim_opt o;
    hy_trainer *T;
    hy_array *y;
    memset(&o, 0, sizeof o);
    o.learning_rate = 1;
    T = hy_trainer_new(F, net, hy_optim_sgd(&o), NULL);
    hy_record(F);
    y = hy_call(F, net, hy_full(F, HY_SHAPE(2), 3));
    hy_pause(F);
    hy_backward(F, y, NULL);
    hy_step(F, T, 1);
    hy_trainer_free(F, T);
}

/* learns: how many parameters have a gradient now. */
static void outside_still_check(hy_frame *F, hy_block *net, int all, int learns)
{
    hy_params p = hy_collect_params(F, net, NULL);
    float before[8][2], after[8][2];
    int i, req = 0, moved = 0;
    CHECK(p.n == all);
    for (i = 0; i < p.n && i < 8; i++) {
        hy_to(F, p.at[i], HY_F32, before[i], sizeof before[i]);
        req += hy_grad_req_of(F, p.at[i]) != HY_GRAD_NULL;
    }
    outside_still_step(F, net);
    for (i = 0; i < p.n && i < 8; i++) {
        hy_to(F, p.at[i], HY_F32, after[i], sizeof after[i]);
        moved += memcmp(before[i], after[i], sizeof after[i]) != 0;
    }
    CHECK_STR(hy_error(F), NULL);
    CHECK(req == learns && moved == learns);
}

static void outside_still(void)
{
    hy_param_opt frozen, statistic;
    int single, hybrid;
    memset(&frozen, 0, sizeof frozen);
    memset(&statistic, 0, sizeof statistic);
    frozen.no_grad = 1;
    for (single = 0; single < 2; single++)
        for (hybrid = 0; hybrid < 2; hybrid++) {
            hy_frame *F = hy_open(NULL);
            outside_still_net *n = HY_BLOCK_NEW(F, outside_still_net, outside_still_forward);
            hy_array *x = hy_ones(F, HY_SHAPE(2));
            hy_block *net;
            n->weight = hy_add_param(F, &n->base, "weight", HY_SHAPE(2), NULL);
            n->frozen = hy_add_param(F, &n->base, "frozen", HY_SHAPE(2), &frozen);
            n->constant = hy_add_constant(F, &n->base, "constant", hy_full(F, HY_SHAPE(2), 2));
            statistic.aux = 1;
            n->statistic = hy_add_param(F, &n->base, "statistic", HY_SHAPE(2), &statistic);
            n->given = hy_keep(F, hy_full(F, HY_SHAPE(2), 1.5));
            hy_initialize(F, &n->base, NULL);
            outside_still_check(F, &n->base, 4, 1);
            net = tb_reloaded(F, &n->base, x, single);
            if (hybrid) hy_hybridize(F, net, NULL);
            outside_still_check(F, net, 5, 1);
            net = tb_reloaded(F, tb_reloaded(F, net, x, !single), x, single);
            outside_still_check(F, net, 5, 1);
            hy_set_grad_req(F, net, NULL, HY_GRAD_WRITE);
            outside_still_check(F, net, 5, 3);
            net = tb_reloaded(F, net, x, single);      /* that is said, too */
            outside_still_check(F, net, 5, 3);
            CHECK(!hy_close(F));
        }
}
#endif

static void test_outside(void)
{
    RUN(outside_memory);
#ifndef HYBRID_NO_TRAIN
    RUN(outside_still);
#endif
    RUN(outside_names);
    RUN(outside_old);
}
#else
static void test_outside(void) { }
#endif
