/* What lives how long: running statistics, parameters on trial, bindings, graphs, frames, scopes. */

/* --- running statistics: compiled programs change them as forward does line by line --- */
typedef struct life_net { hy_block base; hy_block *bn; hy_array *mean; int kind; } life_net;

static hy_array *life_statistics(hy_frame *F, hy_block *self, hy_array *x)
{
    life_net *n = (life_net *)self;
    hy_array *a, *b, *m;
    switch (n->kind) {
    case 0: hy_call(F, n->bn, x); return hy_mul_scalar(F, x, 2);        /* the result is not used */
    case 1:                             /* twice, the second one first in the result */
        a = hy_call(F, n->bn, x);
        b = hy_call(F, n->bn, hy_mul_scalar(F, x, 3));
        return hy_sub(F, b, a);
    case 2:                             /* read after the update ... */
        a = hy_call(F, n->bn, x);
        m = hy_mul_scalar(F, n->mean, 1.5);
        return hy_group(F, m, a);
    case 3:                             /* ... and before it */
        m = hy_mul_scalar(F, n->mean, 1.5);
        a = hy_call(F, n->bn, x);
        return hy_group(F, a, m);
    case 4:                             /* the same expression before, between and after */
        m = hy_add_scalar(F, n->mean, 1);
        a = hy_call(F, n->bn, x);
        b = hy_add_scalar(F, n->mean, 1);
        a = hy_call(F, n->bn, a);
        return hy_group(F, a, m, b, hy_add_scalar(F, n->mean, 1));
    case 5:                             /* through what leaves its input as it is, and reshapes of reshapes */
        m = hy_reshape(F, hy_mul_scalar(F, n->mean, 1), HY_INTS(1, 2), NULL);
        b = hy_reshape(F, hy_reshape(F, n->mean, HY_INTS(2, 1), NULL), HY_INTS(1, 2), NULL);
        a = hy_call(F, n->bn, x);
        return hy_group(F, hy_relu(F, hy_add(F, a, m)), b);
    case 6:                             /* around what values decide */
        a = hy_call(F, n->bn, x);
        m = hy_mul_scalar(F, n->mean, 1.5);
        b = hy_boolean_mask(F, a, hy_greater_scalar(F, hy_sum(F, x, HY_AXES(1), NULL), 4), 0);
        b = hy_call(F, n->bn, hy_mul_scalar(F, b, 2));
        return hy_group(F, b, m, hy_add_scalar(F, n->mean, 1));
    case 7:                             /* ready before, but in its turn after it */
        m = hy_boolean_mask(F, x, hy_greater_scalar(F, hy_sum(F, x, HY_AXES(1), NULL), 4), 0);
        a = hy_call(F, n->bn, m);
        b = hy_call(F, n->bn, x);
        return hy_group(F, b, hy_relu(F, hy_add_scalar(F, hy_square(F, n->mean), 1)), a);
    default:                            /* a chain that would be fused around it */
        m = hy_relu(F, hy_add_scalar(F, hy_square(F, n->mean), 1));
        a = hy_relu(F, hy_square(F, hy_call(F, n->bn, x)));
        b = hy_relu(F, hy_add_scalar(F, hy_square(F, n->mean), 1));
        return hy_add(F, hy_add(F, a, m), b);
    }
}

enum { LIFE_KINDS = 9 };
static life_net *life_statistics_net(hy_frame *F, int kind)
{
    life_net *n = HY_BLOCK_NEW(F, life_net, life_statistics);
    hy_nn_batch_norm_opt opt;
    memset(&opt, 0, sizeof opt);
    opt.in_channels = 2;
    n->kind = kind;
    n->bn = hy_add_child(F, &n->base, "bn", hy_nn_batch_norm(F, &opt));
    n->mean = hy_param(F, n->bn, "running_mean");
    hy_initialize(F, &n->base, NULL);
    return n;
}

static int life_same(hy_frame *F, hy_array *a, hy_array *b)
{
    int i, n = hy_count(F, a);
    if (n != hy_count(F, b)) return 0;
    for (i = 0; i < n; i++) {
        hy_array *u = hy_get(F, a, i), *v = hy_get(F, b, i);
        if (hy_size(F, u) != hy_size(F, v) ||
            memcmp(hy_data(F, u), hy_data(F, v), (size_t)hy_size(F, u) * sizeof(float))) return 0;
    }
    return !hy_error(F);
}

/* Two nets from the same values: one line by line, one compiled in some way; both in training. */
static void life_compare(int kind, int exact, int off, int record, int threads)
{
    hy_desc desc;
    hy_frame *F;
    life_net *plain, *fast;
    hy_hybridize_opt opt;
    float d[] = { 1, 2, 3, 5, 8, 13 };
    hy_array *x, *y[2];
    int i, k;
    memset(&desc, 0, sizeof desc);
    desc.threads = threads;
    F = hy_open(&desc);
    plain = life_statistics_net(F, kind);
    fast = life_statistics_net(F, kind);
    x = hy_floats(F, HY_SHAPE(3, 2), d);
    memset(&opt, 0, sizeof opt);
    opt.exact = exact;
    opt.off = off;
    hy_hybridize(F, &fast->base, &opt);
    for (i = 0; i < 3; i++) {
        for (k = 0; k < 2; k++) {
            if (record) { hy_attach_grad(F, x, HY_GRAD_WRITE); hy_record(F); } else hy_set_training(F, 1);
            y[k] = hy_call(F, k ? &fast->base : &plain->base, x);
            if (record) { hy_pause(F); hy_backward(F, hy_get(F, y[k], kind == 2), NULL); }
            else hy_set_training(F, 0);
        }
        if (!CHECK(life_same(F, y[0], y[1]) && life_same(F, plain->mean, fast->mean)))
            printf("    kind %d exact %d off %d record %d threads %d call %d: %s\n", kind, exact, off, record,
                   threads, i, hy_error(F) ? hy_error(F) : "other numbers");
    }
    CHECK(hy_check(F, &fast->base, x) == 0);
    OK(F);
    CHECK(hy_close(F) == 0);
}

static void life_running_statistics(void)
{
    int kind;
    for (kind = 0; kind < LIFE_KINDS; kind++) {
        life_compare(kind, 1, 0, 0, 1);
        life_compare(kind, 0, 0, 0, 2);
        life_compare(kind, 0, HY_PASS_ALL, 0, 1);
        life_compare(kind, 1, 0, 1, 1);
        life_compare(kind, 0, 0, 1, 2);
    }
}

/* Exported and read again, a program still changes them in the order in which it was written. */
static void life_statistics_in_files(void)
{
    int kind, k;
    for (kind = 0; kind < LIFE_KINDS; kind++) {
        hy_frame *F = tb_open(1);
        life_net *n = life_statistics_net(F, kind);
        float d[] = { 1, 2, 3, 5, 8, 13 };
        hy_array *x = hy_floats(F, HY_SHAPE(3, 2), d), *text, *y;
        hy_block *again[2];
        hy_hybridize(F, &n->base, NULL);
        hy_call(F, &n->base, x);
        text = hy_save_model_to(F, &n->base, NULL);
        for (k = 0; k < 2; k++) {
            again[k] = hy_load_model_from(F, hy_data(F, text), (size_t)hy_size(F, text), 0);
            if (k) hy_hybridize(F, again[k], NULL);
        }
        hy_set_training(F, 1);
        hy_hybridize_opt off;
        memset(&off, 0, sizeof off);
        off.inactive = 1;
        hy_hybridize(F, &n->base, &off);
        y = hy_call(F, &n->base, x);
        for (k = 0; k < 2; k++) {
            hy_array *mean = NULL, *z = hy_call(F, again[k], x);
            hy_params p = hy_collect_params(F, again[k], ".*running_mean");
            if (p.n) mean = p.at[0];
            if (!CHECK(p.n == 1 && life_same(F, y, z) && life_same(F, n->mean, mean)))
                printf("    kind %d, %s: %s\n", kind, k ? "compiled" : "line by line",
                       hy_error(F) ? hy_error(F) : "other numbers");
        }
        OK(F);
        CHECK(hy_close(F) == 0);
    }
}

/* MXNet's pair of files has no calls that nothing reads, nor values for them: it could not be loaded there. */
static void life_unread_call_is_not_exported(void)
{
    tb_log log;
    hy_frame *F = tb_open_log(&log);
    life_net *n = life_statistics_net(F, 0);
    hy_array *x = hy_ones(F, HY_SHAPE(3, 2)), *symbol = NULL;
    hy_arrays params;
    hy_hybridize(F, &n->base, NULL);
    hy_call(F, &n->base, x);
    CHECK(!hy_export_to(F, &n->base, NULL, &symbol, &params) && symbol && !params.n);
    CHECK(symbol && !strstr((const char *)hy_data(F, symbol), "BatchNorm"));
    CHECK(strstr(log.text, "hy_save_model keeps them") != NULL);
    CHECK(!hy_export_to(F, life_statistics_net(F, 1)->bn, x, &symbol, &params) && params.n == 4);
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* hy_check finds a program that leaves other statistics: here one whose graph has lost its call. */
static void life_check_sees_statistics(void)
{
    hy_frame *F = tb_open(1);
    life_net *n = life_statistics_net(F, 0);
    hy_array *x = hy_full(F, HY_SHAPE(3, 2), 2), *y;
    char text[1000];
    hy_hybridize(F, &n->base, NULL);
    hy_call(F, &n->base, x);
    CHECK(hy_check_text(F, &n->base, x, text, sizeof text) == 0);
    y = hy_copy(F, n->mean);
    hy_check(F, &n->base, x);
    CHECK(life_same(F, y, n->mean));    /* it leaves them as they were */
    n->kind = 2;                        /* forward is another now: line by line the statistic is read */
    CHECK(hy_check_text(F, &n->base, x, text, sizeof text) > 0);
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* Statistics that are arrays from outside: another view of one changes with it. */
typedef struct life_captured { hy_block base; hy_array *mean, *var, *view; int kind; } life_captured;
static hy_array *life_captured_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    life_captured *n = (life_captured *)self;
    hy_array *one = hy_ones(F, HY_SHAPE(2)), *y, *r;
    r = n->kind ? hy_mul_scalar(F, n->view, 1.5) : NULL;
    y = hy_batch_norm(F, x, one, one, n->mean, n->var, NULL);
    if (!n->kind) r = hy_mul_scalar(F, n->view, 1.5);
    return hy_group(F, y, r);
}

static void life_views_of_statistics(void)
{
    int kind, call;
    for (kind = 0; kind < 2; kind++) {
        hy_frame *F = tb_open(1);
        life_captured *n[2];
        hy_array *x = tb_ramp(F, HY_SHAPE(4, 2)), *y[2];
        int i;
        for (i = 0; i < 2; i++) {
            n[i] = HY_BLOCK_NEW(F, life_captured, life_captured_forward);
            n[i]->kind = kind;
            n[i]->mean = hy_ones(F, HY_SHAPE(2));
            n[i]->var = hy_ones(F, HY_SHAPE(2));
            n[i]->view = hy_view_reshape(F, n[i]->mean, HY_SHAPE(1, 2));
        }
        hy_hybridize(F, &n[1]->base, NULL);
        hy_set_training(F, 1);
        for (call = 0; call < 3; call++) {
            for (i = 0; i < 2; i++) y[i] = hy_call(F, &n[i]->base, x);
            CHECK(life_same(F, y[0], y[1]) && life_same(F, n[0]->mean, n[1]->mean));
        }
        OK(F);
        CHECK(hy_close(F) == 0);
    }
}

/* What a recorded backward needs of a statistic is its value from before: that is said, line by line as compiled. */
static hy_array *life_scaled_by_mean(hy_frame *F, hy_block *self, hy_array *x)
{
    life_net *n = (life_net *)self;
    hy_array *y = hy_mul(F, x, n->kind ? hy_copy(F, n->mean) : n->mean);
    return hy_add(F, y, hy_call(F, n->bn, x));
}

static void life_statistic_still_needed(void)
{
    int hybrid, copied;
    for (hybrid = 0; hybrid < 2; hybrid++)
        for (copied = 0; copied < 2; copied++) {
            hy_frame *F = tb_open(1);
            life_net *n = life_statistics_net(F, copied);
            hy_array *x = tb_ramp(F, HY_SHAPE(4, 2)), *y;
            n->base.forward = life_scaled_by_mean;
            if (hybrid) hy_hybridize(F, &n->base, NULL);
            hy_attach_grad(F, x, HY_GRAD_WRITE);
            hy_record(F);
            y = hy_call(F, &n->base, x);
            hy_pause(F);
            if (y) hy_backward(F, y, NULL);
            if (copied) OK(F);
            else CHECK(hy_error(F) && strstr(hy_error(F), "backward"));
            hy_clear(F);
            hy_close(F);
        }
}

/* A trace asked for the type of a parameter that it shares: a cast where that one came from ends the trace. */
typedef struct life_typed { hy_block base; hy_array *w; } life_typed;
static hy_array *life_typed_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *w = ((life_typed *)self)->w;
    return hy_mul(F, hy_cast(F, x, hy_dtype_of(F, w)), w);
}

static life_typed *life_typed_new(hy_frame *F)
{
    life_typed *n = HY_BLOCK_NEW(F, life_typed, life_typed_forward);
    n->w = hy_add_param(F, &n->base, "w", HY_SHAPE(3), NULL);
    return n;
}

static void life_cast_of_what_is_shared(void)
{
    int way;
    for (way = 0; way < 3; way++) {
        hy_frame *F = tb_open(1);
        life_typed *a = life_typed_new(F), *b = life_typed_new(F);
        hy_array *x = hy_ones(F, HY_SHAPE(3)), *w = hy_ones(F, HY_SHAPE(3));
        const char *name = "w";
        hy_load_opt opt;
        hy_arrays one;
        memset(&opt, 0, sizeof opt);
        opt.saved_dtype = 1;
        hy_share_params(F, &b->base, &a->base);
        hy_initialize(F, &a->base, NULL);
        hy_hybridize(F, &b->base, NULL);
        CHECK(hy_dtype_of(F, hy_call(F, &b->base, x)) == HY_F32);
        w = hy_cast(F, w, HY_F64);
        one.n = 1;
        one.at = &w;
        one.name = &name;
        if (way == 2) hy_set_parameters(F, &a->base, one, &opt);
        else hy_cast_block(F, way ? &b->base : &a->base, HY_F64);       /* from either side */
        CHECK(hy_dtype_of(F, hy_call(F, &b->base, x)) == HY_F64);
        CHECK(hy_dtype_of(F, a->w) == HY_F64);
        OK(F);
        CHECK(hy_close(F) == 0);
    }
}

/* --- views of parameters --- */
static hy_array *life_view(hy_frame *F, hy_block *self, hy_array *x)
{
    return hy_mul(F, x, hy_view_index(F, ((life_net *)self)->mean, 0, 1));
}

static void life_view_of_a_parameter(void)
{
    int hybrid, grad;
    for (hybrid = 0; hybrid < 2; hybrid++)
        for (grad = 0; grad < 2; grad++) {
            hy_frame *F = tb_open(1);
            life_net *n = HY_BLOCK_NEW(F, life_net, life_view);
            hy_param_opt opt;
            hy_array *x = hy_ones(F, HY_SHAPE(2)), *y;
            memset(&opt, 0, sizeof opt);
            opt.no_grad = !grad;
            n->mean = hy_add_param(F, &n->base, "w", HY_SHAPE(2, 2), &opt);
            hy_initialize(F, &n->base, NULL);
            if (hybrid) hy_hybridize(F, &n->base, NULL);
            hy_attach_grad(F, x, HY_GRAD_WRITE);
            hy_record(F);
            y = hy_call(F, &n->base, x);
            hy_pause(F);
            if (grad) { CHECK(!y && strstr(hy_error(F), "hide this array from the gradient")); hy_clear(F); }
            else {
                hy_init two = tb_constant(2);
                CHECK(y != NULL);
                hy_free(F, y);
                hy_reinitialize(F, &n->base, &two);     /* other memory: the view is of that */
                CHECK(hy_value(F, hy_call(F, &n->base, x), 1) == 2);
                OK(F);
            }
            hy_close(F);
        }
}

/* --- blocks and frames in each other's way --- */
static hy_array *life_frees_itself(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_block_free(F, self);
    return hy_relu(F, x);
}
static hy_array *life_calls_itself(hy_frame *F, hy_block *self, hy_array *x) { return hy_call(F, self, x); }
static hy_array *life_forks(hy_frame *F, hy_block *self, hy_array *x)
{
    life_net *n = (life_net *)self;
    if (!n->kind++) {
        hy_frame *G = hy_fork(F);
        hy_call(G, self, hy_ones(G, HY_SHAPE(2)));
        hy_close(G);
    }
    return hy_relu(F, x);
}
static hy_array *life_checks_itself(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_check(F, self, x);
    return hy_relu(F, x);
}

static void life_forward_misbehaves(void)
{
    static const struct { hy_forward_fn fn; const char *error; } bad[] = {
        { life_frees_itself, "forward must not free its own block" },
        { life_calls_itself, "calls within one another" },
        { life_checks_itself, NULL }, { life_forks, NULL } };
    int i, hybrid;
    for (i = 0; i < 4; i++)
        for (hybrid = 0; hybrid < 2; hybrid++) {
            hy_frame *F = tb_open(1);
            life_net *n = HY_BLOCK_NEW(F, life_net, life_forks);
            hy_array *x = hy_ones(F, HY_SHAPE(2)), *y;
            n->base.forward = bad[i].fn;
            if (hybrid) hy_hybridize(F, &n->base, NULL);
            y = hy_call(F, &n->base, x);
            if (bad[i].error) CHECK(!y && hy_error(F) && strstr(hy_error(F), bad[i].error));
            CHECK(y || hy_error(F));
            hy_clear(F);
            CHECK(hy_value(F, hy_relu(F, x), 1) == 1);
            hy_close(F);
        }
}

static void life_freed_twice(void)
{
    hy_frame *F = tb_open(1), *G = hy_fork(F);
    hy_block *b = hy_nn_dense(F, 2, NULL), *c = hy_nn_dense(F, 2, NULL);
    hy_array *x = hy_ones(F, HY_SHAPE(2, 3));
    hy_graph *g;
    char text[1000];
    hy_block_free(F, c);
    hy_block_free(F, c);
    CHECK(hy_error(F) && strstr(hy_error(F), "freed already"));
    hy_clear(F);
    CHECK(hy_close(G) == 0 && hy_close(G) == HY_ERROR_STATE);
    hy_initialize(F, b, NULL);
    hy_hybridize(F, b, NULL);
    hy_call(F, b, x);
    g = hy_graph_of(F, b);
    hy_graph_free(F, g);                /* the block goes on with it */
    CHECK(hy_call(F, b, x) != NULL);
    g = hy_graph_of(F, b);
    hy_hybridize(F, b, NULL);           /* traced anew: the old one is still the user's */
    CHECK(hy_call(F, b, x) != NULL && hy_graph_of(F, b) != g);
    CHECK(hy_graph_text(g, HY_FORM_LINES, text, sizeof text) > 0 && hy_graph_run(F, g, x) != NULL);
    hy_graph_free(F, g);
    OK(F);
    hy_graph_free(F, g);
    CHECK(hy_error(F) && strstr(hy_error(F), "freed already"));
    hy_clear(F);
    g = hy_graph_of(F, b);
    hy_block_free(F, b);                /* and what was lent of it */
    hy_graph_free(F, g);
    CHECK(hy_error(F) && strstr(hy_error(F), "freed already"));
    hy_clear(F);
    CHECK(hy_close(F) == 0);
}

/* --- bindings --- */
static void life_bound_block_goes(void)
{
    hy_frame *F = tb_open(1);
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_array *x = hy_ones(F, HY_SHAPE(1, 3, 8, 8));
    hy_plan_info p;
    char *buffer;
    hy_append(F, net, hy_nn_conv2d(F, 4, HY_INTS(3, 3), NULL), hy_nn_batch_norm(F, NULL));
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    p = hy_plan(F, net, x);
    buffer = (char *)malloc(p.total);
    CHECK(!hy_bind(F, net, x, buffer, p.total));
    hy_begin(F);
    CHECK(hy_call(F, net, x) != NULL);
    hy_end(F);
    hy_block_free(F, net);
    memset(buffer, 0x55, p.total);      /* it is the user's again */
    free(buffer);
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* Another frame's executor goes at the next occasion, too. */
static void life_bound_block_goes_elsewhere(void)
{
    hy_frame *F = tb_open(1), *G = hy_fork(F);
    hy_block *net = hy_nn_dense(F, 4, NULL), *other = hy_nn_dense(F, 4, NULL);
    hy_array *x = hy_ones(G, HY_SHAPE(2, 3));
    hy_plan_info p;
    char *buffer;
    int i;
    for (i = 0; i < 2; i++) {
        hy_initialize(F, i ? other : net, NULL);
        hy_hybridize(F, i ? other : net, NULL);
    }
    p = hy_plan(G, net, x);
    buffer = (char *)malloc(p.total);
    CHECK(!hy_bind(G, net, x, buffer, p.total) && G->executors.n == 1);
    hy_block_free(F, net);
    CHECK(hy_call(G, other, x) != NULL && G->executors.n == 1);
    free(buffer);
    OK(F);
    OK(G);
    CHECK(hy_close(G) == 0 && hy_close(F) == 0);
}

/* What ends a program does not end the binding: the next call moves in again, or says why it cannot. */
static void life_binding_survives(void)
{
    int k;
    for (k = 0; k < 4; k++) {
        hy_frame *F = tb_open(1);
        hy_block *n = hy_nn_hybrid_sequential(F);
        hy_array *x = hy_ones(F, HY_SHAPE(2, 4)), *y;
        hy_plan_info p;
        char *memory;
        const char *at;
        hy_append(F, n, hy_nn_dense(F, 4, NULL));
        hy_initialize(F, n, NULL);
        hy_hybridize(F, n, NULL);
        p = hy_plan(F, n, x);
        memory = (char *)malloc(p.total);
        CHECK(!hy_bind(F, n, x, memory, p.total));
        if (k == 1) hy_hybridize(F, n, NULL);
        if (k == 2) hy_append(F, n, hy_nn_identity(F));
        if (k == 3) { hy_append(F, n, hy_nn_dense(F, 400, NULL)); hy_initialize(F, n, NULL); }
        y = hy_call(F, n, x);
        if (k == 3) CHECK(!y && hy_error(F) && strstr(hy_error(F), "plan and bind anew"));
        else {
            at = (const char *)hy_data(F, y);
            CHECK(at >= memory && at < memory + p.total);
            OK(F);
        }
        hy_close(F);
        free(memory);
    }
}

/* --- scopes, when memory is short --- */
static long life_left = -1;             /* 0: the next allocation is refused, once */
static void *life_alloc(void *user, size_t n) { (void)user; return life_left-- == 0 ? NULL : malloc(n); }
static void life_free(void *user, void *p) { (void)user; free(p); }

static hy_frame *life_open(void)
{
    hy_desc d;
    memset(&d, 0, sizeof d);
    d.threads = 1;
    d.allocator.alloc_fn = life_alloc;
    d.allocator.free_fn = life_free;
    life_left = -1;
    return hy_open(&d);
}

static void life_half_an_allocator(void)
{
    hy_desc d;
    memset(&d, 0, sizeof d);
    d.allocator.alloc_fn = life_alloc;
    CHECK(!hy_open(&d));
    memset(&d, 0, sizeof d);
    d.allocator.free_fn = life_free;
    CHECK(!hy_open(&d));
}

static void life_refused_begin(void)
{
    int n;
    for (n = 0; n < 60; n++) {
        hy_frame *F = life_open();
        hy_block *b = hy_nn_activation(F, "relu");
        hy_array *x = hy_ones(F, HY_SHAPE(3));
        int refused;
        life_left = n;
        hy_call(F, b, x);
        refused = hy_error(F) != NULL;
        life_left = -1;
        hy_clear(F);
        CHECK(hy_value(F, hy_call(F, b, x), 1) == 1);
        OK(F);
        hy_close(F);
        if (!refused) break;
    }
    CHECK(n > 3 && n < 60);
}

/* A scope that memory was refused for is merged with the one around it; nothing else changes. */
static void life_lost_scopes_merge(void)
{
    hy_frame *F = life_open();
    int i;
    hy_begin(F);
    life_left = 0;
    for (i = 0; i < 1000 && !hy_error(F); i++) hy_begin(F);
    life_left = -1;
    CHECK(hy_error_code(F) == HY_ERROR_MEMORY);
    hy_clear(F);
    hy_begin(F);
    CHECK(hy_value(F, hy_relu(F, hy_ones(F, HY_SHAPE(2))), 0) == 1);
    hy_end(F);
    for (; i; i--) hy_end(F);
    hy_end(F);
    OK(F);
    hy_end(F);
    CHECK(hy_error_code(F) == HY_ERROR_STATE);
    hy_close(F);
}

/* --- arguments --- */
static void life_odd_arguments(void)
{
    hy_frame *F = tb_open(1), *S = hy_symbolic(F);
    hy_array *x = hy_ones(F, HY_SHAPE(2)), *g[30];
    int i, level;
#define LIFE_REFUSED(call, words) \
    do { \
        call; \
        CHECK(hy_error(F) && strstr(hy_error(F), words)); \
        hy_clear(F); \
    } while (0)
    LIFE_REFUSED(hy_apply(F, "relu", -3, &x, NULL), "negative");
    LIFE_REFUSED(hy_apply(F, "relu", 1, NULL, NULL), "is NULL");
    LIFE_REFUSED(hy_emit(F, hy_op_find(F, "relu"), -1, &x, NULL), "negative");
    LIFE_REFUSED(hy_group_of(F, 3, NULL), "hy_group");
    LIFE_REFUSED(hy_append_of(F, hy_nn_hybrid_sequential(F), 1, NULL), "NULL");
    LIFE_REFUSED(hy_check_grad(F, NULL, NULL, x, 1e-3), "NULL");
    LIFE_REFUSED(hy_relu(F, hy_var(S, "data", NULL)), "relu: an input is a symbol");
    LIFE_REFUSED(hy_apply(F, "relu", 1, &x, "a=1"), "takes no attributes");
    CHECK(hy_text(F, x, NULL, 100) > 0 && hy_profile_event(F, 0, NULL) == -1);
    hy_defaults(NULL, NULL);
    hy_begin(F);                        /* eight levels of thirty: 30^8 ways to the same array */
    for (i = 0; i < 30; i++) g[i] = hy_ones(F, HY_SHAPE(1));
    for (level = 0; level < 7; level++) { g[0] = hy_group_of(F, 30, g); for (i = 1; i < 30; i++) g[i] = g[0]; }
    hy_return(F, g[0]);
    hy_end(F);
    CHECK(hy_value(F, hy_get(F, hy_get(F, hy_get(F, hy_get(F, hy_get(F, hy_get(F, hy_get(F, g[0], 1), 2), 3), 4),
                                                 5), 6), 29), 0) == 1);
    LIFE_REFUSED(hy_call(F, hy_nn_identity(F), g[0]); hy_hybridize(F, hy_nn_identity(F), NULL);
                 hy_summary(F, hy_nn_identity(F), g[0]), "too many");
    hy_close(S);
    hy_close(F);
}

/* --- forks --- */
static void life_many_forks(void)
{
    hy_frame *F = tb_open(1);
    size_t held = 0;
    int i;
    for (i = 0; i < 2000; i++) {
        hy_frame *a = hy_fork(F), *b = hy_fork(F);
        hy_ones(a, HY_SHAPE(4));
        hy_ones(b, HY_SHAPE(4));
        hy_close(a);
        hy_close(b);
        if (i == 10) held = hy_memory_use(F).bytes;
    }
    CHECK(hy_memory_use(F).bytes == held);
    CHECK(hy_close(F) == 0);
}

/* --- paths without end --- */
static void life_long_paths(void)
{
    hy_frame *F = tb_open(1);
    hy_block *top = hy_nn_hybrid_sequential(F), *at = top, *next;
    char name[40];
    hy_arrays ps;
    int i;
    for (i = 0; i < 100; i++) {
        next = hy_nn_hybrid_sequential(F);
        sprintf(name, "transformer_block_%03d", i);
        hy_add_child(F, at, name, next);
        at = next;
    }
    hy_add_child(F, at, "a", hy_nn_dense(F, 2, NULL));
    hy_add_child(F, at, "b", hy_nn_dense(F, 2, NULL));
    hy_initialize(F, top, NULL);
    CHECK(hy_call(F, top, hy_ones(F, HY_SHAPE(1, 2))) != NULL);
    ps = hy_parameters(F, top, NULL);
    CHECK(ps.n == 4 && strlen(ps.name[0]) == 100 * 22 + strlen("a.weight"));
    CHECK(ps.n == 4 && strcmp(ps.name[0], ps.name[2]) && !strcmp(ps.name[3] + 100 * 22, "b.bias"));
    CHECK(ps.n == 4 && !life_same(F, ps.at[0], ps.at[2]));      /* seeded by whole paths */
    OK(F);
    CHECK(hy_close(F) == 0);
}

#ifndef HYBRID_NO_RNN
/* What a cell or a layer was made of is freed by hand: an error says so. */
static void life_parts_are_freed(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_ones(F, HY_SHAPE(2, 5, 3)), *one = hy_ones(F, HY_SHAPE(2, 3));
    hy_nn_dense_opt relu;
    hy_block *dense;
    char text[200];
    int k;
    for (k = 0; k < 3; k++) {
        hy_block *c = hy_rnn_lstm_cell(F, 3, NULL), *d = hy_rnn_gru_cell(F, 3, NULL);
        hy_block *made = k == 0 ? hy_rnn_residual_cell(F, c) : k == 1 ? hy_rnn_zoneout_cell(F, c, 0.1, 0.1)
                       : hy_rnn_bidirectional_cell(F, c, d);
        hy_initialize(F, made, NULL);
        CHECK(hy_rnn_unroll(F, made, 5, x, NULL, NULL) != NULL);
        hy_block_free(F, c);
        hy_block_text(F, made, text, sizeof text);
        CHECK(strstr(text, "freed") && !hy_error(F));
        CHECK(!hy_rnn_unroll(F, made, 5, x, NULL, NULL));
        CHECK(hy_error_code(F) == HY_ERROR_STATE && strstr(hy_error(F), "freed"));
        hy_clear(F);
        CHECK(k == 2 || !hy_call(F, made, hy_group(F, one, one, one)));
        CHECK(k == 2 || (hy_error_code(F) == HY_ERROR_STATE && strstr(hy_error(F), "freed")));
        hy_clear(F);
    }
    memset(&relu, 0, sizeof relu);
    relu.activation = "relu";
    dense = hy_nn_dense(F, 3, &relu);
    hy_initialize(F, dense, NULL);
    hy_block_free(F, hy_child(F, dense, 0));
    CHECK(hy_error_code(F) == HY_ERROR_STATE && strstr(hy_error(F), "goes with it"));
    hy_clear(F);
    CHECK(hy_call(F, dense, one) != NULL);
    hy_block_free(F, dense);
    CHECK(hy_close(F) == 0);
}
#endif

/* Around pages of 2 MB: of large blocks each byte is there, they lie as vectors want them, and what they leave
 * in front counts for nothing. */
static void life_large_blocks(void)
{
    const size_t page = (size_t)2 << 20, off[] = { 0, 1, 16, 63, 64, 65, 4096 };
    hy_frame *F = hy_open(NULL);
    hy__heap *heap = &F->root->heap;
    size_t i, k, held = heap->held;
    for (i = 0; i < 2 * sizeof off / sizeof *off; i++)
        for (k = 3; k < 6; k++) {
            const size_t bytes = k * page - (i % 2 ? off[i / 2] : 0) + (i % 2 ? 0 : off[i / 2]);
            unsigned char *p = (unsigned char *)hy__alloc(heap, bytes), *next = (unsigned char *)hy__alloc(heap, bytes);
            if (!CHECK(p && next)) break;
            CHECK((uintptr_t)p % HY__GRAIN == 0 && (uintptr_t)next % HY__GRAIN == 0);
            CHECK(heap->held == held + 2 * bytes && hy__bytes_at(p) == bytes);
            memset(p, 1, bytes);
            memset(next, 2, bytes);
            CHECK(p[0] == 1 && p[bytes / 2] == 1 && p[bytes - 1] == 1 && hy__bytes_at(p) == bytes);
            hy__free(heap, p);
            CHECK(next[0] == 2 && next[bytes - 1] == 2 && hy__bytes_at(next) == bytes);
            hy__free(heap, next);
            CHECK(heap->held == held);
        }
    CHECK(!hy__alloc(heap, SIZE_MAX - 64) && !hy__alloc(heap, SIZE_MAX - page) && heap->held == held);
    CHECK(hy_close(F) == 0);
}

/* Blocks of one tract keep their bytes when others go, in whatever order, and nothing is left in the end. What
 * finds no room, and what a host's memory is to give, is no block of a tract. */
static void life_tracts(void)
{
    enum { BLOCKS = 12 };
    const size_t bytes = ((size_t)1 << 20) + 52;
    hy_frame *F = hy_open(NULL);
    hy__heap *heap = &F->root->heap, other = *heap;
    size_t held = heap->held, room = 0;
    unsigned char *at[BLOCKS];
    hy__tract *t;
    int i, k;
    other.use.alloc_fn = NULL;                  /* any that is not libc's */
    CHECK(!hy__tract_open(&other, (size_t)64 << 20) && !hy__tract_open(heap, 4096));
    CHECK(!hy__tract_open(heap, SIZE_MAX - 64) && !hy__tract_take(heap, NULL, 8) && heap->held == held);
    for (i = 0; i < BLOCKS; i++) room += hy__tract_need(bytes);
    t = hy__tract_open(heap, room);
    CHECK(HY__TRACTS == (t != NULL) || sizeof(void *) <= 4);
    for (i = 0; t && i < BLOCKS; i++) {
        at[i] = (unsigned char *)hy__tract_take(heap, t, bytes);
        if (!CHECK(at[i] && (uintptr_t)at[i] % HY__GRAIN == 0 && hy__bytes_at(at[i]) == bytes)) break;
        memset(at[i], i + 1, bytes);
        CHECK(heap->held == held + (size_t)(i + 1) * bytes);
    }
    CHECK(!hy__tract_take(heap, t, 1) && !hy__tract_take(heap, t, SIZE_MAX - 8));
    hy__tract_close(heap, t);                   /* its blocks stay */
    for (i = 0; t && i < BLOCKS; i++) {
        hy__free(heap, at[i * 5 % BLOCKS]);
        for (k = i + 1; k < BLOCKS; k++) {
            const unsigned char *p = at[k * 5 % BLOCKS];
            CHECK(p[0] == k * 5 % BLOCKS + 1 && p[bytes / 2] == p[0] && p[bytes - 1] == p[0]);
            CHECK(hy__bytes_at(p) == bytes);
        }
    }
    CHECK(heap->held == held && hy_close(F) == 0);
}

static double life_apart(hy_frame *F, hy_array *a, hy_array *b)
{
    return hy_item(F, hy_max(F, hy_abs(F, hy_sub(F, a, b)), HY_ALL, NULL));
}

/* Parameters of a tract are drawn again and set, and what was laid out of them comes anew. */
static void life_weights_share_pages(void)
{
    enum { SIDE = 600, LAYERS = 4 };
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_nn_dense_opt open;
    hy_hybridize_opt plain;
    hy_params all;
    hy_array *x, *y;
    int i, turn;
    memset(&open, 0, sizeof open);
    memset(&plain, 0, sizeof plain);
    open.in_units = SIDE;
    plain.inactive = 1;
    for (i = 0; i < LAYERS; i++) hy_append(F, net, hy_nn_dense(F, SIDE, &open));
    hy_initialize(F, net, NULL);
    x = hy_uniform(F, HY_SHAPE(3, SIDE), -1, 1);
    all = hy_collect_params(F, net, ".*weight");
    CHECK(all.n == LAYERS && hy__param_of(all.at[0])->array.buffer->bytes >= (size_t)4 * SIDE * SIDE);
    for (turn = 0; turn < 3 && all.n == LAYERS; turn++) {
        hy_hybridize(F, net, &plain);
        y = hy_call(F, net, x);
        hy_hybridize(F, net, NULL);
        for (i = 0; i < 3; i++) CHECK(life_apart(F, y, hy_call(F, net, x)) < 1e-4);
        if (!turn) { hy_seed(F, 7); hy_reinitialize(F, net, NULL); }
        else hy_set_param(F, all.at[1], hy_uniform(F, HY_SHAPE(SIDE, SIDE), -0.1, 0.1));
        CHECK(life_apart(F, y, hy_call(F, net, x)) > 1e-3);
    }
    CHECK(!hy_error(F));
    hy_block_free(F, net);
    CHECK(hy_close(F) == 0);
}

static void test_lifetime(void)
{
    RUN(life_large_blocks);
    RUN(life_tracts);
    RUN(life_weights_share_pages);
    RUN(life_running_statistics);
    RUN(life_statistics_in_files);
    RUN(life_unread_call_is_not_exported);
    RUN(life_check_sees_statistics);
    RUN(life_views_of_statistics);
    RUN(life_statistic_still_needed);
    RUN(life_cast_of_what_is_shared);
    RUN(life_view_of_a_parameter);
    RUN(life_forward_misbehaves);
    RUN(life_freed_twice);
    RUN(life_bound_block_goes);
    RUN(life_bound_block_goes_elsewhere);
    RUN(life_binding_survives);
    RUN(life_half_an_allocator);
    RUN(life_refused_begin);
    RUN(life_lost_scopes_merge);
    RUN(life_odd_arguments);
    RUN(life_many_forks);
    RUN(life_long_paths);
#ifndef HYBRID_NO_RNN
    RUN(life_parts_are_freed);
#endif
}
