/* Hybridized blocks: the same results, one trace for many calls, what binds a trace, arguments and results in
 * groups, what forward may not do, sharing between threads. Numbers in brackets are behaviours of the MXNet
 * dossier, section 8. */

static hy_block *hybridize_one(hy_frame *F, const char *kind, hy_forward_fn forward)
{
    hy_block *b = tb_block(F, kind, forward);
    hy_hybridize(F, b, NULL);
    return b;
}

/* conv(6) batchnorm relu flatten dense(5) */
static hy_block *hybridize_conv_net(hy_frame *F)
{
    hy_block *net = tb_chain(F);
    hy_name_scope(F, net);
    hy_add_child(F, net, NULL, tb_conv(F, 6, -1));
    hy_add_child(F, net, NULL, tb_norm(F));
    hy_add_child(F, net, NULL, tb_block(F, "relu", tb_relu_forward));
    hy_add_child(F, net, NULL, tb_block(F, "flatten", tb_flatten_forward));
    hy_add_child(F, net, NULL, tb_dense(F, 5, -1));
    hy_name_scope_end(F);
    return net;
}

/* --- the same results --- */
static void hybridize_equals_line_by_line(void)                        /* [18] [24] */
{
    hy_frame *F = tb_open(2);
    hy_block *net = hybridize_conv_net(F);
    hy_array *x = tb_ramp(F, HY_SHAPE(2, 3, 6, 6)), *y, *z;
    hy_hybridize_opt opt;
    memset(&opt, 0, sizeof opt);
    hy_initialize(F, net, NULL);
    y = hy_call(F, net, x);
    hy_hybridize(F, net, NULL);
    z = hy_call(F, net, x);
    CHECK(z != y && tb_close(F, z, y) && tb_close(F, hy_call(F, net, x), y));
    opt.exact = 1;
    hy_hybridize(F, net, &opt);
    CHECK(tb_same(F, hy_call(F, net, x), y));           /* the same bits */
    CHECK(tb_same(F, hy_call(F, net, x), y));
    opt.off = HY_PASS_ALL;
    hy_hybridize(F, net, &opt);
    CHECK(tb_same(F, hy_call(F, net, x), y));
    memset(&opt, 0, sizeof opt);
    opt.inactive = 1;
    hy_hybridize(F, net, &opt);
    tb_runs = 0;
    CHECK(tb_same(F, hy_call(F, net, x), y) && tb_runs == 6);
    CHECK(tb_same(F, hy_call(F, net, x), y) && tb_runs == 12);         /* line by line again */
    OK(F);
    CHECK(hy_close(F) == 0);
}

static void hybridize_runs_forward_once(void)
{
    hy_frame *F = tb_open(2);
    hy_block *net = tb_mlp(F);
    hy_cache_stats s;
    int i;
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    tb_runs = 0;
    for (i = 0; i < 5; i++) CHECK(hy_call(F, net, tb_ramp(F, HY_SHAPE(2, 6))) != NULL);
    CHECK(tb_runs == 4);                /* the net and its three children, once each */
    s = hy_cache_info(F, net);
    CHECK(s.traces == 1 && s.misses == 1 && s.hits == 4 && s.programs == 1 && s.bytes > 0 &&
            s.constants == 0);
    CHECK_STR(s.bound, "");
    CHECK(s.reason[0] != 0);
    for (i = 1; i < 4; i++) {           /* other batch sizes too */
        hy_array *x = tb_ramp(F, HY_SHAPE(2 + i, 6)), *y = hy_call(F, net, x);
        CHECK_STR(y ? tb_shape(F, y) : NULL, i == 1 ? "(3,4)" : i == 2 ? "(4,4)" : "(5,4)");
    }
    CHECK(tb_runs == 4);
    s = hy_cache_info(F, net);
    CHECK(s.traces == 1 && s.misses == 2 && s.hits == 6 && s.programs == 2 && s.resizes == 3 && !s.fixed[0]);
    CHECK(strstr(s.reason, "(3,6)") && strstr(s.reason, "(2,6)"));     /* what changed */
    hy_call(F, net, tb_ramp(F, HY_SHAPE(2, 6)));
    CHECK(hy_cache_info(F, net).hits == 7);
    OK(F);
    CHECK(hy_close(F) == 0);
}

static void hybridize_follows_parameters(void)
{
    hy_frame *F = tb_open(2);
    hy_block *net = tb_mlp(F);
    hy_array *x = tb_ramp(F, HY_SHAPE(2, 6)), *y;
    hy_init half = tb_constant(0.5);
    int runs;
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    hy_call(F, net, x);
    runs = tb_runs;
    hy_set_param(F, hy_param(F, net, "last.weight"), hy_zeros(F, HY_SHAPE(4, 8)));
    hy_set_param(F, hy_param(F, net, "last.bias"), hy_arange(F, 0, 4, 1));
    y = hy_call(F, net, x);
    CHECK(hy_value(F, y, 1, 3) == 3 && hy_value(F, y, 0, 2) == 2);
    hy_fill(F, hy_param(F, net, "last.bias"), 7);
    CHECK(hy_value(F, hy_call(F, net, x), 1, 3) == 7);
    ((float *)hy_write(F, hy_param(F, net, "last.bias")))[3] = 8;
    CHECK(hy_value(F, hy_call(F, net, x), 1, 3) == 8);
    hy_reinitialize(F, net, &half);
    /* 8 * 3 * .5 + 0 */
    CHECK_NEAR(hy_value(F, hy_call(F, net, hy_ones(F, HY_SHAPE(2, 6))), 0, 0), 12, 1e-5);
    CHECK(tb_runs == runs && hy_cache_info(F, net).traces == 1);
    OK(F);
    CHECK(hy_close(F) == 0);
}

static void hybridize_results_do_not_share_memory(void)
{
    hy_frame *F = tb_open(2);
    hy_block *net = tb_mlp(F);
    hy_array *x = tb_ramp(F, HY_SHAPE(2, 6)), *y[5], *copy[5];
    int i;
    hy_initialize(F, net, NULL);
    for (i = 0; i < 5; i++) copy[i] = hy_call(F, net, hy_add_scalar(F, x, i));
    hy_hybridize(F, net, NULL);
    for (i = 0; i < 5; i++) y[i] = hy_call(F, net, hy_add_scalar(F, x, i));
    for (i = 0; i < 5; i++) CHECK(tb_close(F, y[i], copy[i]));
    OK(F);
    hy_begin(F);
    y[0] = hy_keep(F, hy_call(F, net, x));
    y[1] = hy_call(F, net, x);
    hy_end(F);
    CHECK(tb_close(F, y[0], copy[0]));
    hy_relu(F, y[1]);
    ERR(F, HY_ERROR_STATE, "used after its hy_end");
    hy_fill(F, y[0], 0);                /* results are the caller's */
    CHECK(tb_close(F, hy_call(F, net, x), copy[0]));
    OK(F);
    hy_block_free(F, net);
    CHECK(tb_close(F, y[2], copy[2]));  /* and live on without the block */
    OK(F);
    CHECK(hy_close(F) == 0);
}

static void hybridize_static_options(void)                             /* [37] */
{
    static const int batch[] = { 4, 2, 4, 7, 2, 2 };
    int mode, i;
    for (mode = 0; mode < 3; mode++) {
        hy_frame *F = tb_open(2);
        hy_block *net = hybridize_conv_net(F);
        hy_array *x[6], *y[6];
        hy_hybridize_opt opt;
        memset(&opt, 0, sizeof opt);
        opt.static_alloc = mode > 0;
        opt.static_shape = mode > 1;
        hy_initialize(F, net, NULL);
        for (i = 0; i < 6; i++) x[i] = tb_ramp(F, HY_SHAPE(batch[i], 3, 5, 4));
        for (i = 0; i < 6; i++) y[i] = hy_call(F, net, x[i]);
        hy_hybridize(F, net, &opt);
        for (i = 0; i < 6; i++) CHECK(tb_close(F, hy_call(F, net, x[i]), y[i]));
        if (mode == 2) CHECK(hy_cache_info(F, net).programs == 1);
        OK(F);
        CHECK(hy_close(F) == 0);
    }
}

static void hybridize_bad_options(void)                                /* section 6 */
{
    hy_frame *F = tb_open(2);
    hy_block *net = tb_mlp(F);
    hy_hybridize_opt opt;
    memset(&opt, 0, sizeof opt);
    opt.static_shape = 1;
    hy_hybridize(F, net, &opt);
    ERR(F, HY_ERROR_ARGUMENT, "static_alloc must be True when static_shape is True");
    opt.static_shape = 0;
    opt.cache = -1;
    hy_hybridize(F, net, &opt);
    ERR(F, HY_ERROR_ARGUMENT, "cache");
    CHECK(!hy_graph_of(F, net));
    ERR(F, HY_ERROR_STATE, "hy_hybridize");
    CHECK(hy_cache_info(F, net).traces == 0);
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* --- simple graphs --- */
static hy_array *hybridize_add_two(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_add(F, hy_get(F, x, 0), hy_get(F, x, 1));
}

static void hybridize_pass_through_and_sum(void)                       /* [40] */
{
    int mode, i;
    for (mode = 0; mode < 3; mode++) {
        hy_frame *F = tb_open(2);
        hy_block *id = tb_chain(F), *sum = tb_block(F, "sum", hybridize_add_two);
        hy_array *x = tb_ramp(F, HY_SHAPE(3, 4)), *y;
        hy_hybridize_opt opt;
        memset(&opt, 0, sizeof opt);
        opt.static_alloc = mode > 0;
        opt.static_shape = mode > 1;
        hy_hybridize(F, id, &opt);
        hy_hybridize(F, sum, &opt);
        for (i = 0; i < 5; i++) {
            y = hy_call(F, id, x);
            CHECK(tb_same(F, y, x));
            y = hy_call(F, sum, hy_group(F, x, y));
            CHECK(tb_same(F, y, hy_mul_scalar(F, x, 2)));
            y = hy_call(F, sum, hy_group(F, y, y));     /* one array in two places */
            CHECK(tb_same(F, y, hy_mul_scalar(F, x, 4)));
        }
        OK(F);
        CHECK(hy_close(F) == 0);
    }
}

static hy_array *hybridize_gives_param(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *w = hy_param(F, self, "w");
    return hy_group(F, w, x, w, hy_relu(F, w));
}

static void hybridize_gives_parameters_and_twice_the_same(void)
{
    hy_frame *F = tb_open(2);
    hy_block *b = tb_block(F, "give", hybridize_gives_param);
    hy_array *w = hy_add_param(F, b, "w", HY_SHAPE(3), NULL), *x = hy_ones(F, HY_SHAPE(2)), *y;
    int i;
    hy_initialize(F, b, NULL);
    hy_hybridize(F, b, NULL);
    for (i = 0; i < 2; i++) {
        y = hy_call(F, b, x);
        CHECK(y && hy_count(F, y) == 4 && tb_same(F, hy_get(F, y, 0), w) && tb_same(F, hy_get(F, y, 2), w));
        CHECK(tb_same(F, hy_get(F, y, 1), x) && tb_same(F, hy_get(F, y, 3), hy_relu(F, w)));
    }
    OK(F);
    CHECK(hy_close(F) == 0);
}

static hy_array *hybridize_random(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_dropout_opt always;
    (void)self;
    memset(&always, 0, sizeof always);
    always.mode = HY_DROP_ALWAYS;
    x = hy_add(F, x, hy_normal(F, HY_SHAPE(3, 4), 0, 1));
    x = hy_dropout(F, x, 0.5, &always);
    return hy_add(F, x, hy_uniform(F, HY_SHAPE(3, 4), 0, 1));
}

static void hybridize_draws_as_line_by_line(void)
{
    hy_frame *F = tb_open(2);
    hy_block *b = tb_block(F, "noise", hybridize_random);
    hy_array *x = tb_ramp(F, HY_SHAPE(3, 4)), *y[3], *after;
    int i;
    hy_seed(F, 4);
    for (i = 0; i < 3; i++) y[i] = hy_call(F, b, x);
    after = hy_uniform(F, HY_SHAPE(3), 0, 1);
    CHECK(!tb_same(F, y[0], y[1]));     /* every call draws anew */
    hy_hybridize(F, b, NULL);
    hy_seed(F, 4);
    for (i = 0; i < 3; i++) CHECK(tb_close(F, hy_call(F, b, x), y[i]));
    CHECK(tb_same(F, hy_uniform(F, HY_SHAPE(3), 0, 1), after));
    OK(F);
    CHECK(hy_close(F) == 0);
}

static hy_array *hybridize_masks(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    x = hy_boolean_mask(F, hy_get(F, x, 0), hy_get(F, x, 1), 0);
    return hy_add_scalar(F, hy_mul_scalar(F, x, 2), 1);
}

static void hybridize_values_may_decide_shapes(void)                   /* [58] values */
{
    hy_frame *F = tb_open(2);
    hy_block *b = hybridize_one(F, "mask", hybridize_masks);
    hy_array *x = tb_ramp(F, HY_SHAPE(4, 2)), *y;
    static const float first[] = { 0, 1, 1, 0 }, second[] = { 1, 1, 0, 1 };
    y = hy_call(F, b, hy_group(F, x, hy_floats(F, HY_SHAPE(4), first)));
    CHECK_STR(y ? tb_shape(F, y) : NULL, "(2,2)");
    y = hy_call(F, b, hy_group(F, x, hy_floats(F, HY_SHAPE(4), second)));
    CHECK_STR(y ? tb_shape(F, y) : NULL, "(3,2)");
    CHECK_NEAR(hy_value(F, y, 2, 1), 3, 1e-6);
    CHECK(hy_cache_info(F, b).traces == 1);
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* What else the program tells of such a shape may be wrong: that there is nothing of it, too. */
static hy_array *hybridize_counts(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *m = hy_get(F, x, 0), *with = hy_get(F, x, 1), *y;
    y = hy_elemwise_add(F, hy_boolean_mask(F, m, m, 0), with);
    if (self->kind[0] == 'u') y = hy_elemwise_add(F, hy_unique(F, m, HY_NONE, NULL), with);
    if (self->kind[0] == 'n')
        y = hy_elemwise_add(F, hy_cast(F, hy_nonzero(F, m), HY_F32), hy_expand_dims(F, with, 1));
    return y;
}

static void hybridize_values_must_fit_shapes(void)
{
    static const char *const kind[] = { "mask", "unique", "nonzero" };
    hy_frame *F = tb_open(2);
    int i, k, n;
    for (i = 0; i < 3; i++) {
        hy_block *b = hybridize_one(F, kind[i], hybridize_counts);
        for (k = 0; k < 2; k++)
            for (n = 0; n < 4; n++) {
                hy_array *y = hy_call(F, b, hy_group(F, hy_ones(F, HY_SHAPE(3 - k)), hy_ones(F, HY_SHAPE(n))));
                CHECK(!y == (n != (i == 1 ? 1 : 3 - k)) && !hy_error(F) == !!y);
                hy_clear(F);
            }
        CHECK(hy_cache_info(F, b).traces == 1);
    }
    CHECK(hy_close(F) == 0);
}

static void hybridize_takes_views_and_other_types(void)
{
    hy_frame *F = tb_open(2);
    hy_block *b = hybridize_one(F, "sum", hybridize_add_two);
    hy_array *x = tb_ramp(F, HY_SHAPE(3, 4)), *t = hy_view_transpose(F, x, HY_AXES(1, 0)), *y;
    CHECK(tb_same(F, hy_call(F, b, hy_group(F, t, t)), hy_mul_scalar(F, t, 2)));
    y = hy_cast(F, x, HY_F64);
    CHECK(tb_same(F, hy_call(F, b, hy_group(F, y, y)), hy_add(F, y, y)));
    y = hy_cast(F, hy_mul_scalar(F, x, 10), HY_I32);
    CHECK(tb_same(F, hy_call(F, b, hy_group(F, y, y)), hy_add(F, y, y)));
    y = hy_scalar(F, 3);                /* no dims, and broadcasting, as line by line */
    CHECK(hy_value(F, hy_call(F, b, hy_group(F, x, y)), 2, 3) == 4);
    y = hy_zeros(F, HY_SHAPE(0, 4));
    CHECK_STR(tb_shape(F, hy_call(F, b, hy_group(F, y, y))), "(0,4)");
    CHECK(hy_cache_info(F, b).traces == 1);
    OK(F);
    CHECK(!hy_call(F, b, hy_group(F, x, hy_cast(F, x, HY_I32))));      /* no promotion, in both modes */
    CHECK(hy_error(F) && strstr(hy_error(F), "_plus0") && strstr(hy_error(F), "sum0"));
    ERR(F, HY_ERROR_DTYPE, "int32");
    CHECK(!hy_call(F, b, hy_group(F, x, hy_ones(F, HY_SHAPE(3, 5)))));
    CHECK(hy_error(F) && strstr(hy_error(F), "_plus0") && strstr(hy_error(F), "(3,4)"));
    ERR(F, HY_ERROR_SHAPE, "(3,5)");
    CHECK(tb_same(F, hy_call(F, b, hy_group(F, x, x)), hy_mul_scalar(F, x, 2)));
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* --- arguments and results in groups --- */
static hy_array *hybridize_maybe(hy_frame *F, hy_block *self, hy_array *x)     /* a, b: each may be None */
{
    hy_array *a = hy_get(F, x, 0), *b = hy_count(F, x) > 1 ? hy_get(F, x, 1) : NULL;
    (void)self;
    tb_runs++;
    if (!a) return hy_mul_scalar(F, b, 2);
    return b ? hy_add(F, a, b) : hy_add_scalar(F, a, 100);
}

/* What forward counts, or takes from the end, is not left out. */
static hy_array *hybridize_times_count(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_mul_scalar(F, hy_get(F, x, 0), hy_count(F, x));
}

static hy_array *hybridize_from_the_end(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *last = hy_get(F, x, -1);
    (void)self;
    return last ? last : hy_mul_scalar(F, hy_get(F, x, 0), 5);
}

static hy_array *hybridize_turn(hy_frame *F, hy_array *x, hy_array *state, void *user)
{
    (void)user;
    return hy_group(F, hy_mul_scalar(F, hy_get(F, x, 0), hy_count(F, x)), state);
}

static hy_array *hybridize_counts_in_turns(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *y = hy_foreach(F, hybridize_turn, x, hy_zeros(F, HY_SHAPE(1)), NULL);
    (void)self;
    return y ? hy_get(F, y, 0) : NULL;
}

static hy_array *hybridize_gives_back(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_group(F, x, hy_get(F, x, 0));
}

/* A shape that is due: refused in any mode; what is open is taken on, and the first real question stands in hy_cache_info. */
static hy_array *hybridize_expects(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    if (!hy_expect_shape(F, x, HY_SHAPE(-1, 3), "x")) return NULL;
    return hy_mul_scalar(F, x, 2);
}

static hy_array *hybridize_expects_and_asks(hy_frame *F, hy_block *self, hy_array *x)
{
    return hy_add_scalar(F, hybridize_expects(F, self, x), hy_dim(F, x, 0));
}

static void hybridize_expected_shapes(void)
{
    hy_forward_fn const forward[] = { hybridize_expects, hybridize_expects_and_asks };
    int k, i, hybrid;
    for (k = 0; k < 2; k++)
        for (hybrid = 0; hybrid < 2; hybrid++) {
            hy_frame *F = tb_open(2);
            hy_block *b = tb_block(F, "due", forward[k]);
            if (hybrid) hy_hybridize(F, b, NULL);
            for (i = 2; i < 7; i++)
                CHECK(hy_value(F, hy_call(F, b, hy_ones(F, HY_SHAPE(i, 3))), i - 1, 2) == (k ? 2 + i : 2));
            OK(F);
            CHECK(!hy_call(F, b, hy_ones(F, HY_SHAPE(3, 2))));
            ERR(F, HY_ERROR_SHAPE, "x is (3,2): dim 1 is 2, not 3");
            CHECK(!hy_call(F, b, hy_ones(F, HY_SHAPE(3))));
            ERR(F, HY_ERROR_SHAPE, "x has 1 dims, not 2");
            if (hybrid) {
                CHECK(hy_cache_info(F, b).traces == (k ? 5 : 1));
                CHECK(strstr(hy_cache_info(F, b).bound, k ? "hy_dim" : "hy_expect_shape"));
            }
            CHECK(hy_close(F) == 0);
        }
}

static void hybridize_counted_inputs(void)
{
    hy_forward_fn const forward[] = { hybridize_times_count, hybridize_from_the_end, hybridize_counts_in_turns,
                                      hybridize_gives_back };
    int k, i, downwards;
    for (k = 0; k < 4; k++)
        for (downwards = 0; downwards < 2; downwards++) {
            hy_frame *F = tb_open(2);
            hy_block *lines = tb_block(F, "lines", forward[k]), *b = tb_block(F, "counts", forward[k]);
            hy_array *in[3] = { NULL, NULL, NULL };
            in[0] = hy_full(F, HY_SHAPE(2, 1), 3);
            hy_hybridize(F, b, NULL);
            for (i = 0; i < 6; i++) {
                hy_array *x = hy_group_of(F, downwards ? 3 - i % 3 : 1 + i % 3, in);
                hy_array *y = hy_call(F, b, x), *z = hy_call(F, lines, x);
                if (k < 3) CHECK(tb_same(F, y, z));
                else CHECK(y && z && hy_count(F, hy_get(F, y, 0)) == hy_count(F, hy_get(F, z, 0)));
            }
            OK(F);
            CHECK(hy_cache_info(F, b).traces == 3);
            CHECK(hy_close(F) == 0);
        }
}

static void hybridize_optional_inputs(void)                            /* [20] */
{
    int hybrid, i;
    for (hybrid = 0; hybrid < 2; hybrid++) {
        hy_frame *F = tb_open(2);
        hy_block *b = tb_block(F, "maybe", hybridize_maybe);
        hy_array *x = hy_full(F, HY_SHAPE(2), 3), *none = NULL;
        if (hybrid) hy_hybridize(F, b, NULL);
        for (i = 0; i < 2; i++) {
            CHECK(hy_value(F, hy_call(F, b, hy_group(F, none, x)), 0) == 6);
            CHECK(hy_value(F, hy_call(F, b, hy_group(F, x, x)), 0) == 6);
            CHECK(hy_value(F, hy_call(F, b, hy_group(F, x, none)), 0) == 103);
            CHECK(hy_value(F, hy_call(F, b, x), 1) == 103);            /* left out or None: no difference */
            CHECK(hy_value(F, hy_call(F, b, hy_group(F, x)), 1) == 103);
        }
        OK(F);
        if (hybrid) CHECK(hy_cache_info(F, b).traces == 4);             /* forward may count: (x, None) are two */
        CHECK(!hy_call(F, b, hy_group(F, none, none)));
        ERR(F, HY_ERROR_ARGUMENT, hybrid ? "there must be one NDArray or one Symbol in the input" : "NULL");
        CHECK(hy_close(F) == 0);
    }
}

/* (a, (b, c)) -> ((a+b, c), a, None) */
static hy_array *hybridize_nested(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *a = hy_get(F, x, 0), *bc = hy_get(F, x, 1), *none = NULL;
    hy_array *sum = hy_add(F, a, hy_get(F, bc, 0));
    (void)self;
    return hy_group(F, hy_group(F, sum, hy_get(F, bc, 1)), a, none);
}

static void hybridize_keeps_nested_structure(void)                     /* [21] */
{
    int hybrid, i;
    for (hybrid = 0; hybrid < 2; hybrid++) {
        hy_frame *F = tb_open(2);
        hy_block *b = tb_block(F, "nested", hybridize_nested);
        hy_array *one = hy_full(F, HY_SHAPE(2), 1), *two = hy_full(F, HY_SHAPE(2), 2), *y;
        if (hybrid) hy_hybridize(F, b, NULL);
        for (i = 0; i < 2; i++) {
            y = hy_call(F, b, hy_group(F, one, hy_group(F, two, one)));
            CHECK(hy_count(F, y) == 3 && hy_count(F, hy_get(F, y, 0)) == 2);
            CHECK(hy_value(F, hy_get(F, hy_get(F, y, 0), 0), 0) == 3);
            CHECK(hy_value(F, hy_get(F, hy_get(F, y, 0), 1), 0) == 1 && hy_value(F, hy_get(F, y, 1), 0) == 1);
            CHECK(hy_get(F, y, 2) == NULL);
        }
        OK(F);
        /* another structure: traced anew, and fails as such */
        CHECK(!hy_call(F, b, hy_group(F, one, two)));
        ERR(F, HY_ERROR_INDEX, "hy_get");
        CHECK(hy_call(F, b, hy_group(F, one, hy_group(F, two, one))) != NULL);
        OK(F);
        CHECK(hy_close(F) == 0);
    }
}

static void hybridize_names_its_arguments(void)                        /* 1.4 */
{
    hy_frame *F = tb_open(2);
    hy_block *b = hybridize_one(F, "maybe", hybridize_maybe), *net = tb_mlp(F);
    hy_array *x = hy_ones(F, HY_SHAPE(2)), *none = NULL;
    CHECK(hy_call(F, b, hy_group(F, none, x)) != NULL);
    CHECK_STR(graph_names(hy_graph_of(F, b), HY_NAMES_INTERNALS), "data,maybe0__mulscalar0_output");
    CHECK(hy_call(F, b, hy_group(F, x, x)) != NULL);
    CHECK_STR(graph_names(hy_graph_of(F, b), HY_NAMES_VARIABLES), "data0,data1");
    CHECK_STR(graph_names(hy_graph_of(F, b), HY_NAMES_OUTPUTS), "maybe0__plus0_output");
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    hy_call(F, net, hy_ones(F, HY_SHAPE(1, 3)));
    CHECK_STR(graph_names(hy_graph_of(F, net), HY_NAMES_INPUTS),
              "data,chain0_dense0_weight,chain0_dense0_bias,chain0_dense1_weight,chain0_dense1_bias");
    CHECK(strstr(graph_names(hy_graph_of(F, net), HY_NAMES_INTERNALS),
                 "chain0_dense0_fullyconnected0_output,chain0_relu0_relu0_output,chain0_dense1_weight"));
    OK(F);
    CHECK(hy_close(F) == 0);
}

static hy_array *hybridize_two_orders(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *a, *b;
    if (self->describe) { b = hy_relu(F, hy_exp(F, x)); a = hy_relu(F, x); }
    else { a = hy_relu(F, x); b = hy_relu(F, hy_exp(F, x)); }
    return hy_sub(F, a, b);
}

static void hybridize_describe(const hy_block *self, char *text, size_t bytes)
{
    (void)self;
    if (bytes) text[0] = 0;
}

static void hybridize_names_do_not_depend_on_order(void)
{
    hy_frame *F = tb_open(2);
    hy_block *a = hy_set_prefix(F, hybridize_one(F, "order", hybridize_two_orders), "o_");
    hy_block *b = hy_set_prefix(F, hybridize_one(F, "order", hybridize_two_orders), "o_");
    b->describe = hybridize_describe;
    hy_call(F, a, hy_ones(F, HY_SHAPE(2)));
    hy_call(F, b, hy_ones(F, HY_SHAPE(2)));
    CHECK_STR(graph_names(hy_graph_of(F, a), HY_NAMES_INTERNALS),
              "data,o_relu0_output,o_exp0_output,o_relu1_output,o__minus0_output");
    CHECK_STR(graph_names(hy_graph_of(F, b), HY_NAMES_INTERNALS),
              graph_names(hy_graph_of(F, a), HY_NAMES_INTERNALS));
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* --- unused things are warned about --- */
static hy_array *hybridize_uses_first(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_relu(F, hy_get(F, x, 0));
}

static void hybridize_warns_of_what_is_unused(void)                    /* [22] */
{
    tb_log log;
    hy_frame *F = tb_open_log(&log);
    hy_block *b = hybridize_one(F, "first", hybridize_uses_first);
    hy_array *x = hy_full(F, HY_SHAPE(2), 3);
    CHECK(hy_value(F, hy_call(F, b, hy_group(F, x, hy_ones(F, HY_SHAPE(7)))), 1) == 3);
    CHECK(log.warnings == 1 && strstr(log.text, "1-th input") && strstr(log.text, "not used"));
    CHECK(hy_value(F, hy_call(F, b, hy_group(F, x, hy_ones(F, HY_SHAPE(9)))), 1) == 3);
    CHECK(log.warnings == 1);           /* said once */
    hy_add_param(F, b, "idle", HY_SHAPE(2), NULL);      /* a parameter makes it trace anew */
    hy_initialize(F, b, NULL);
    CHECK(hy_value(F, hy_call(F, b, x), 1) == 3);
    CHECK(log.warnings == 2 && strstr(log.text, "first0_idle") && strstr(log.text, "not used"));
    b = tb_block(F, "second", hybridize_uses_first);
    hy_add_param(F, b, "deferred", HY_SHAPE(-1), NULL); /* where MXNet fails */
    hy_initialize(F, b, NULL);
    hy_hybridize(F, b, NULL);
    CHECK(hy_value(F, hy_call(F, b, x), 1) == 3);
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* --- what makes it trace anew --- */
static hy_array *hybridize_asks_batch(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    tb_runs++;
    if (hy_ndim(F, x) > 3) return NULL;         /* binds less than what comes */
    return hy_div_scalar(F, hy_sum(F, x, HY_AXES(0), NULL), (double)hy_dim(F, x, 0));
}

static void hybridize_trace_that_asks_is_bound(void)
{
    hy_frame *F = tb_open(2);
    hy_block *net = tb_chain(F), *b = tb_block(F, "mean", hybridize_asks_batch);
    hy_array *x = hy_full(F, HY_SHAPE(4, 3), 2);
    hy_cache_stats s;
    hy_add_child(F, net, "average", b);
    hy_hybridize(F, net, NULL);
    CHECK(hy_value(F, hy_call(F, net, x), 0) == 2);
    tb_runs = 0;
    CHECK(hy_value(F, hy_call(F, net, x), 0) == 2 && tb_runs == 0);
    s = hy_cache_info(F, net);
    CHECK(strstr(s.bound, "hy_dim of data") && strstr(s.bound, "chain0.average"));
    CHECK(hy_value(F, hy_call(F, net, hy_full(F, HY_SHAPE(8, 3), 2)), 0) == 2);        /* not 4 */
    CHECK(tb_runs > 0);
    s = hy_cache_info(F, net);
    CHECK(s.traces == 2 && strstr(s.reason, "(8,3)") && strstr(s.reason, "(4,3)") && strstr(s.reason,
            "hy_dim"));
    tb_runs = 0;
    CHECK(hy_value(F, hy_call(F, net, x), 0) == 2);     /* both are kept */
    CHECK(hy_value(F, hy_call(F, net, hy_full(F, HY_SHAPE(8, 3), 2)), 0) == 2);
    CHECK(tb_runs == 0 && hy_cache_info(F, net).traces == 2);
    CHECK(hy_dtype_of(F, hy_call(F, net, hy_cast(F, x, HY_F64))) == HY_F64);   /* types were not asked for */
    CHECK(hy_cache_info(F, net).traces == 2);
    OK(F);
    CHECK(hy_close(F) == 0);
}

#ifndef HYBRID_NO_TRAIN
static hy_array *hybridize_asks_mode(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_add_scalar(F, x, hy_is_training(F) ? 100 : 1);
}

static void hybridize_trace_that_asks_for_training(void)
{
    hy_frame *F = tb_open(2);
    hy_block *b = hybridize_one(F, "mode", hybridize_asks_mode);
    hy_array *x = hy_zeros(F, HY_SHAPE(2));
    int i;
    for (i = 0; i < 2; i++) {
        hy_set_training(F, 0);
        CHECK(hy_item(F, hy_max(F, hy_call(F, b, x), HY_ALL, NULL)) == 1);
        hy_set_training(F, 1);
        CHECK(hy_item(F, hy_max(F, hy_call(F, b, x), HY_ALL, NULL)) == 100);
    }
    CHECK(hy_cache_info(F, b).traces == 2 && strstr(hy_cache_info(F, b).reason, "training"));
    hy_set_training(F, 0);
    OK(F);
    CHECK(hy_close(F) == 0);
}
#endif

static void hybridize_change_below_is_seen(void)                       /* [23], and 1.5 the other way */
{
    hy_frame *F = tb_open(2);
    hy_block *net = tb_chain(F), *inner = tb_chain(F);
    hy_array *x = hy_ones(F, HY_SHAPE(2, 3, 5));
    hy_add_child(F, net, "inner", inner);
    hy_add_child(F, inner, "fc1", tb_dense_of(F, 10, -1, 0));
    hy_add_child(F, inner, "fc2", tb_dense_of(F, 10, -1, 0));
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    CHECK_STR(tb_shape(F, hy_call(F, net, x)), "(2,3,10)");
    hy_add_child(F, inner, "flat", tb_block(F, "flatten", tb_flatten_forward));
    CHECK_STR(tb_shape(F, hy_call(F, net, x)), "(2,30)");              /* a grandchild, added later */
    hy_block_free(F, hy_child(F, inner, 2));
    CHECK_STR(tb_shape(F, hy_call(F, net, x)), "(2,3,10)");
    hy_add_child(F, inner, "fc2", tb_dense(F, 10, -1));
    CHECK(!hy_call(F, net, x));
    ERR(F, HY_ERROR_STATE, "has not been initialized");
    hy_initialize(F, net, NULL);
    CHECK_STR(tb_shape(F, hy_call(F, net, x)), "(2,10)");
    CHECK(hy_cache_info(F, net).programs >= 1);
    OK(F);
    CHECK(hy_close(F) == 0);
}

static void hybridize_plain_parent_compiles_children(void)             /* [19] 1.2 */
{
    hy_frame *F = tb_open(2);
    hy_block *seq = hy_block_new(F, sizeof *seq, "seq", tb_chain_forward, 0), *a = tb_mlp(F);
    hy_array *x = tb_ramp(F, HY_SHAPE(2, 6)), *y;
    hy_add_child(F, seq, NULL, a);
    hy_add_child(F, seq, NULL, hy_block_new(F, sizeof *seq, "plain", tb_relu_forward, 0));
    hy_initialize(F, seq, NULL);
    y = hy_call(F, seq, x);
    hy_hybridize(F, seq, NULL);
    hy_call(F, seq, x);
    tb_runs = 0;
    CHECK(tb_close(F, hy_call(F, seq, x), y));
    CHECK(tb_runs == 2);                /* the plain ones; the net inside is compiled */
    CHECK(hy_cache_info(F, a).traces == 1 && hy_cache_info(F, seq).traces == 0);
    OK(F);
    CHECK(hy_close(F) == 0);
}

static void hybridize_hooks_run_when_traced(void)                      /* [27] */
{
    tb_log log;
    hy_frame *F = tb_open_log(&log);
    hy_block *net = tb_mlp(F);
    hy_array *x = tb_ramp(F, HY_SHAPE(2, 6));
    block_hooked h;
    memset(&h, 0, sizeof h);
    hy_add_hook(F, hy_child(F, net, 1), HY_HOOK_AFTER, block_hook, &h);
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    CHECK(log.warnings == 1 && strstr(log.text, "hook"));
    hy_call(F, net, x);
    hy_call(F, net, x);
    CHECK(h.after == 1);
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* A compiled call of one array goes a short way when nothing has changed: here something has. */
static void hybridize_short_way_is_left(void)
{
    hy_frame *F = tb_open(3), *other = tb_open(3);
    hy_block *net = tb_block(F, "relu", tb_relu_forward), *dense = tb_dense(F, 3, 3);
    hy_array *x = tb_ramp(F, HY_SHAPE(3, 3)), *turned = hy_view_transpose(F, x, HY_ALL), *y, *dead;
    hy_array *want = hy_relu(F, hy_copy(F, turned)), *w = hy_param(F, dense, "weight");
    int i;
    hy_hybridize(F, net, NULL);
    for (i = 0; i < 3; i++) CHECK(tb_same(F, hy_call(F, net, x), hy_relu(F, x)));
    CHECK(tb_same(F, hy_call(F, net, turned), want));                   /* strided */
    CHECK(!hy_call(F, net, w));                                         /* without values */
    ERR(F, HY_ERROR_STATE, "initialize");
    CHECK(!hy_call(F, net, hy_ones(other, HY_SHAPE(3, 3))));            /* of another hy_open */
    CHECK(hy_error(F) != NULL);
    hy_clear(F);
    hy_begin(F);
    dead = hy_ones(F, HY_SHAPE(3, 3));
    hy_end(F);
    CHECK(!hy_call(F, net, dead));
    CHECK(hy_error(F) != NULL);
    hy_clear(F);
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_record(F);
    hy_set_training(F, 0);                                              /* the program is the same */
    y = hy_call(F, net, x);
    hy_pause(F);
    hy_backward(F, y, NULL);
    CHECK(hy_value(F, hy_grad_of(F, x), 2, 2) == 1 && hy_value(F, hy_grad_of(F, x), 0, 0) == 0);
    OK(F);
    hy_close(other);
    CHECK(hy_close(F) == 0);
}

/* The shortest way of all: the executor that served the last call with this number serves the next one, too. */
static int hybridize_goes_on(hy_frame *F, hy_block *b) { return hy__cached_call_find(F, b->core->traces.number) != NULL; }

static hy_array *hybridize_affine(hy_frame *F, hy_block *self, hy_array *x)
{
    return hy_relu(F, hy_add(F, hy_mul(F, x, hy_param(F, self, "w")), x));
}

static void hybridize_like_last_is_left(void)
{
    hy_frame *F = tb_open(3), *fork = hy_fork(F);
    hy_block *net = tb_block(F, "affine", hybridize_affine);
    hy_array *w = hy_add_param(F, net, "w", HY_SHAPE(1), NULL), *x = tb_ramp(F, HY_SHAPE(3, 3)), *wide, *y;
    hy_hybridize_opt opt;
    double k = 1;
    int i, round;
    int64_t hits;
    memset(&opt, 0, sizeof opt);
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    wide = hy_ones(F, HY_SHAPE(2, 5));
    for (round = 0; round < 6; round++) {
        if (round == 4) { opt.off = HY_PASS_PROLOGUE; hy_hybridize(F, net, &opt); }
        CHECK(!round || round == 4 || hybridize_goes_on(F, net));
        hy_set_value(F, w, k = round - 2, 0);
        CHECK(!hybridize_goes_on(F, net));              /* something was written */
        for (i = 0; i < 3; i++) {
            y = hy_call(F, net, x);
            CHECK(tb_same(F, y, hy_relu(F, hy_mul_scalar(F, x, k + 1))));
        }
        CHECK(hybridize_goes_on(F, net));
        hits = hy_cache_info(F, net).hits;
        for (i = 0; i < 5; i++) hy_call(F, net, x);
        CHECK(hy_cache_info(F, net).hits == hits + 5);
        for (i = 0; i < 3; i++) {                       /* shapes in turn */
            CHECK(hy_value(F, hy_call(F, net, wide), 1, 4) == (k > -1 ? k + 1 : 0));
            CHECK(tb_same(F, hy_call(F, net, x), hy_relu(F, hy_mul_scalar(F, x, k + 1))));
            CHECK(hy_value(fork, hy_call(fork, net, wide), 1, 4) == (k > -1 ? k + 1 : 0));
        }
    }
    y = hy_call(F, net, x);                             /* results do not share memory */
    CHECK(hy_call(F, net, x)->t.data != y->t.data);
    hy_set_training(F, 1);
    CHECK(tb_same(F, hy_call(F, net, x), y));
    hy_block_free(F, net);
    net = hybridize_one(F, "relu", tb_relu_forward);
    for (i = 0; i < 3; i++) CHECK(tb_same(F, hy_call(F, net, x), hy_relu(F, x)));
    OK(F);
    OK(fork);
    hy_close(fork);
    CHECK(hy_close(F) == 0);
}

typedef struct hybridize_scaled { hy_block base; double by; } hybridize_scaled;
static hy_array *hybridize_scale(hy_frame *F, hy_block *self, hy_array *x)
{
    return hy_mul_scalar(F, x, ((hybridize_scaled *)self)->by);
}

/* More blocks than there are places at first; some go, others come. */
static void hybridize_many_like_last(void)
{
    hy_frame *F = tb_open(3);
    hy_block *b[100];
    hy_array *x = tb_ramp(F, HY_SHAPE(2, 2));
    int i, round;
    for (i = 0; i < 100; i++) b[i] = NULL;
    for (round = 0; round < 8; round++) {
        for (i = 0; i < 100; i++) {
            if (b[i] && (i + round) % 3) continue;
            if (b[i]) hy_block_free(F, b[i]);
            b[i] = hy_block_new(F, sizeof(hybridize_scaled), "scaled", hybridize_scale, 1);
            ((hybridize_scaled *)b[i])->by = i + 1000 * round;
            hy_hybridize(F, b[i], NULL);
            hy_call(F, b[i], x);
        }
        for (i = 0; i < 300; i++) {
            hy_begin(F);
            CHECK(hy_value(F, hy_call(F, b[i % 100], x), 1, 1) ==
                  hy_value(F, x, 1, 1) * ((hybridize_scaled *)b[i % 100])->by);
            CHECK(i < 100 || hybridize_goes_on(F, b[i % 100]));
            hy_end(F);
        }
    }
    OK(F);
    CHECK(hy_close(F) == 0);
}

static hy_array *hybridize_pick(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_take_opt opt;
    memset(&opt, 0, sizeof opt);
    opt.mode = HY_INDEX_RAISE;
    (void)self;
    return hy_take(F, hy_full(F, HY_SHAPE(4), 7), x, 0, &opt);
}

/* Groups come and go on the shortest way, too: an input read in many places, one read nowhere, results in turn. */
static hy_array *hybridize_shared(hy_frame *F, hy_block *self, hy_array *g)
{
    hy_array *a = hy_get(F, g, 0), *b = hy_get(F, g, 1), *c = hy_get(F, g, 2), *d = hy_softmax(F, a, -1, NULL);
    (void)self;
    return hy_group(F, hy_dot(F, d, a, NULL), hy_add(F, hy_mul(F, a, b), c), hy_dot(F, a, a, NULL));
}

/* A call compiled and one line by line: the same group. */
static int hybridize_group_same(hy_frame *F, hy_block *b, hy_block *plain, hy_array *x)
{
    hy_array *y = hy_call(F, b, x), *z = hy_call(F, plain, x);
    int i, same = y && z && y->count == z->count;
    for (i = 0; same && i < hy_count(F, z); i++) same = tb_same(F, hy_get(F, y, i), hy_get(F, z, i));
    return same;
}

static void hybridize_groups_like_last(void)
{
    hy_frame *F = tb_open(3), *fork = hy_fork(F), *other = tb_open(3);
    hy_block *net = hybridize_one(F, "shared", hybridize_shared), *plain = tb_block(F, "plain", hybridize_shared);
    hy_array *a = tb_ramp(F, HY_SHAPE(3, 3)), *b = hy_full(F, HY_SHAPE(3, 3), 3), *c = hy_relu(F, a), *u = hy_ones(F, HY_SHAPE(2)), *g, *h;
    hy_array *turned = hy_view_transpose(F, a, HY_AXES(1, 0)), *w = hy_add_param(F, net, "w", HY_SHAPE(3, 3), NULL), *wide[3];
    hy_array *dead;
    int i, k;
    int64_t hits;
    hy_initialize(F, net, NULL);
    g = hy_group(F, a, b, c, u);
    for (i = 0; i < 4; i++) {
        CHECK(hybridize_group_same(F, net, plain, g));
        CHECK(i < 1 || hybridize_goes_on(F, net));
    }
    hits = hy_cache_info(F, net).hits;
    for (i = 0; i < 5; i++) hy_call(F, net, g);
    CHECK(hy_cache_info(F, net).hits == hits + 5);
    for (k = 0; k < 3; k++) {                           /* other arrays, the same one twice, in turn */
        CHECK(hybridize_group_same(F, net, plain, hy_group(F, b, a, a, u)));
        CHECK(hybridize_group_same(F, net, plain, hy_group(F, c, c, c, u)));
        CHECK(hybridize_group_same(F, net, plain, hy_group(F, turned, a, turned, u)));
        CHECK(hybridize_group_same(F, net, plain, hy_group(F, a, w, w, u)));
        CHECK(hybridize_group_same(fork, net, plain, hy_group(fork, b, c, a, u)));
        CHECK(hybridize_group_same(F, net, plain, hy_group(F, a, b, c, hy_ones(F, HY_SHAPE(3)))));
        for (i = 0; i < 3; i++) wide[i] = hy_full(F, HY_SHAPE(4, 4), i + k);
        for (i = 0; i < 2; i++)
            CHECK(hybridize_group_same(F, net, plain, hy_group(F, wide[0], wide[1], wide[2], u)));
    }
    g = hy_group(F, a, b, c, u);
    for (i = 0; i < 3; i++) hy_call(F, net, g);
    CHECK(hybridize_goes_on(F, net));
    h = hy_call(F, net, g);                             /* results do not share memory, or live on */
    CHECK(hy_get(F, hy_call(F, net, g), 1)->t.data != hy_get(F, h, 1)->t.data);
    hy_begin(F);
    h = hy_return(F, hy_call(F, net, g));
    hy_end(F);
    CHECK(tb_same(F, hy_get(F, h, 1), hy_get(F, hy_call(F, plain, g), 1)));
    h = hy_call(F, net, g);
    hy_free(F, h);
    OK(F);
    CHECK(!hy_call(F, net, hy_group(F, a, b, NULL, u)));                /* None */
    CHECK(hy_error(F) != NULL);
    hy_clear(F);
    hy_begin(F);
    dead = hy_ones(F, HY_SHAPE(3, 3));
    h = hy_keep(F, hy_group(F, a, b, c, u));
    h->item[1] = dead;
    hy_end(F);
    CHECK(!hy_call(F, net, h));
    CHECK(hy_error(F) != NULL);
    hy_clear(F);
    h->item[1] = hy_ones(other, HY_SHAPE(3, 3));
    CHECK(!hy_call(F, net, h));
    CHECK(hy_error(F) != NULL);
    hy_clear(F);
    CHECK(hybridize_group_same(F, net, plain, hy_group(F, a, b, c, u)));
    OK(F);
    OK(fork);
    hy_close(other);
    hy_close(fork);
    CHECK(hy_close(F) == 0);
}

/* A group of one is that array, a result that is one stays one; groups in groups and None go around. */
static hy_array *hybridize_wrapped(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_group_of(F, 1, (x = hy_exp(F, hy_get(F, x, 0)), &x));
}
static hy_array *hybridize_deep(hy_frame *F, hy_block *self, hy_array *g)
{
    hy_array *inner = hy_get(F, g, 1);
    (void)self;
    if (!inner || !inner->count) return hy_exp(F, hy_get(F, g, 0));
    return hy_group(F, hy_add(F, hy_get(F, g, 0), hy_get(F, inner, 0)), hy_group(F, hy_exp(F, hy_get(F, inner, 1)), NULL));
}

static void hybridize_groups_of_one_and_of_groups(void)
{
    hy_frame *F = tb_open(3);
    hy_block *one = hybridize_one(F, "one", hybridize_wrapped), *deep = hybridize_one(F, "deep", hybridize_deep);
    hy_block *relu = hybridize_one(F, "relu", tb_relu_forward);
    hy_array *x = tb_ramp(F, HY_SHAPE(2, 3)), *y;
    int i;
    for (i = 0; i < 4; i++) {
        y = hy_call(F, one, i & 1 ? hy_group_of(F, 1, &x) : x);
        CHECK(y && y->count == 1 && tb_same(F, hy_get(F, y, 0), hy_exp(F, x)));
        CHECK(i < 1 || hybridize_goes_on(F, one));
        CHECK(tb_same(F, hy_call(F, relu, x), hy_relu(F, x)));
        y = hy_call(F, deep, hy_group(F, x, hy_group(F, x, x)));
        CHECK(y && y->count == 2 && y->item[1]->count == 2 && !y->item[1]->item[1]);
        CHECK(tb_same(F, hy_get(F, y, 0), hy_add(F, x, x)));
        CHECK(tb_same(F, y->item[1]->item[0], hy_exp(F, x)));
        CHECK(!hybridize_goes_on(F, deep));
        CHECK(tb_same(F, hy_call(F, deep, hy_group(F, x, NULL)), hy_exp(F, x)));
    }
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* hy_check calls forward although the compiled call could go on. */
static void hybridize_like_last_is_checked(void)
{
    hy_frame *F = tb_open(3);
    hy_block *relu = hybridize_one(F, "relu", tb_relu_forward), *net = hybridize_one(F, "shared", hybridize_shared);
    hy_array *x = tb_ramp(F, HY_SHAPE(3, 3)), *g = hy_group(F, x, x, x, x);
    int i;
    for (i = 0; i < 3; i++) CHECK(hy_call(F, relu, x) && hy_call(F, net, g));
    CHECK(hybridize_goes_on(F, relu) && hybridize_goes_on(F, net));
    CHECK(hy_check(F, relu, x) == 0);
    CHECK(hy_check(F, net, g) == 0);
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* What is drawn, and what is drawn afterwards, does not depend on the way: also where dropout does nothing. */
static hy_array *hybridize_noisy(hy_frame *F, hy_block *self, hy_array *g)
{
    hy_array *x = hy_get(F, g, 0);
    (void)self;
    x = hy_dropout(F, hy_add(F, hy_uniform_like(F, x, 0, 1), x), 0.5, NULL);
    return hy_group(F, hy_normal_like(F, x, 0, 1), hy_mul(F, x, hy_get(F, g, 1)));
}
static hy_array *hybridize_dropped(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_relu(F, hy_dropout(F, x, 0.5, NULL));
}

static void hybridize_draws_like_last(void)
{
    hy_frame *F = tb_open(2);
    hy_forward_fn forward[] = { hybridize_noisy, hybridize_dropped };
    hy_array *x = tb_ramp(F, HY_SHAPE(3, 4)), *g = hy_group(F, x, x), *y[6], *after[6], *z;
    int i, k;
    for (k = 0; k < 4; k++) {
        hy_block *b = tb_block(F, "noise", forward[k & 1]);
        hy_set_training(F, k >> 1);
        hy_seed(F, 4);
        for (i = 0; i < 6; i++) {
            y[i] = hy_call(F, b, k & 1 ? x : g);
            after[i] = hy_uniform(F, HY_SHAPE(3), 0, 1);
        }
        hy_hybridize(F, b, NULL);
        hy_seed(F, 4);
        for (i = 0; i < 6; i++) {
            z = hy_call(F, b, k & 1 ? x : g);
            CHECK(tb_same(F, hy_get(F, z, 0), hy_get(F, y[i], 0)) && tb_same(F, hy_get(F, z, -1), hy_get(F, y[i], -1)));
            CHECK(i < 1 || hybridize_goes_on(F, b));
            CHECK(tb_same(F, hy_uniform(F, HY_SHAPE(3), 0, 1), after[i]));
        }
    }
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* Bad data, met on the shortest way, are told as on the long one. */
static void hybridize_like_last_meets_bad_data(void)
{
    hy_frame *F = tb_open(3);
    hy_block *net = hybridize_one(F, "pick", hybridize_pick);
    hy_array *x = hy_zeros(F, HY_SHAPE(2));
    int i;
    for (i = 0; i < 3; i++) CHECK(hy_value(F, hy_call(F, net, x), 1) == 7);
    CHECK(hybridize_goes_on(F, net));
    for (i = 0; i < 2; i++) {
        hy_set_value(F, x, 9, 1);
        CHECK(!hy_call(F, net, x));
        CHECK(hy_error(F) && strstr(hy_error(F), "[in pick"));
        hy_clear(F);
        hy_set_value(F, x, 2, 1);
        CHECK(hy_value(F, hy_call(F, net, x), 1) == 7);
    }
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* An initialiser may call blocks: line by line, since a trace may wait for the one who gives values. */
static hy_block *hybridize_inner;
static void hybridize_init_calls(hy_frame *F, const hy_init *init, const char *name, hy_array *x)
{
    (void)init; (void)name;
    hy_assign(F, x, hy_call(F, hybridize_inner, hy_full(F, x->t.type.shape, 3)));
}

static void hybridize_initialiser_calls_a_block(void)
{
    hy_frame *F = tb_open(3);
    hy_block *net = tb_block(F, "affine", hybridize_affine);
    hy_param_opt opt;
    hy_array *x = tb_ramp(F, HY_SHAPE(3, 3));
    int i;
    memset(&opt, 0, sizeof opt);
    opt.init.fn = hybridize_init_calls;
    hy_add_param(F, net, "w", HY_SHAPE(1), &opt);
    hybridize_inner = hybridize_one(F, "relu", tb_relu_forward);
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    for (i = 0; i < 3; i++) CHECK(tb_same(F, hy_call(F, net, x), hy_relu(F, hy_mul_scalar(F, x, 4))));
    CHECK(hy_cache_info(F, hybridize_inner).traces == 0);
    OK(F);
    CHECK(hy_close(F) == 0);
}

#ifndef HYBRID_NO_THREADS
/* Another thread in a frame whose call is under way is told so. */
static void *hybridize_intrude(void *frame)
{
    hy_frame *F = (hy_frame *)frame;
    hy_call(F, hybridize_inner, hy_ones(F, HY_SHAPE(2)));
    return NULL;
}
static hy_array *hybridize_visited(hy_frame *F, hy_block *self, hy_array *x)
{
    pthread_t other;
    (void)self;
    x = hy_relu(F, x);
    if (!pthread_create(&other, NULL, hybridize_intrude, F)) pthread_join(other, NULL);
    return x;
}
static void hybridize_two_threads_in_one_frame(void)
{
    hy_frame *F = tb_open(3);
    hy_block *net = tb_block(F, "visited", hybridize_visited);
    hybridize_inner = hybridize_one(F, "relu", tb_relu_forward);
    hy_call(F, net, hy_ones(F, HY_SHAPE(2)));
    CHECK(hy_error(F) && strstr(hy_error(F), "another thread") && strstr(hy_error(F), "hy_fork"));
    hy_clear(F);
    hybridize_intrude(F);
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* A thread goes on calling one block while another one, which it called before, is freed. */
typedef struct hybridize_caller { hy_frame *F; hy_block *b; int stop, wrong; } hybridize_caller;
static void *hybridize_call_on(void *arg)
{
    hybridize_caller *c = (hybridize_caller *)arg;
    while (!HY__LOAD(&c->stop)) {
        hy_begin(c->F);
        c->wrong |= hy_item(c->F, hy_call(c->F, c->b, hy_full(c->F, HY_SHAPE(1), 3))) != 3;
        hy_end(c->F);
    }
    return NULL;
}
static void hybridize_threads_free_other_blocks(void)
{
    hy_frame *F = tb_open(3);
    hybridize_caller c;
    int i, k, round;
    memset(&c, 0, sizeof c);
    c.F = hy_fork(F);
    c.b = hybridize_one(F, "relu", tb_relu_forward);
    for (round = 0; round < 10; round++) {
        hy_block *gone[20];
        pthread_t thread;
        hy_begin(F);
        for (i = 0; i < 20; i++) {
            gone[i] = hybridize_one(F, "relu", tb_relu_forward);
            for (k = 0; k < 3; k++) hy_call(c.F, gone[i], hy_ones(c.F, HY_SHAPE(1)));
        }
        c.stop = 0;
        if (CHECK(!pthread_create(&thread, NULL, hybridize_call_on, &c))) {
            for (i = 0; i < 20; i++) hy_block_free(F, gone[i]);
            HY__STORE(&c.stop, 1);
            pthread_join(thread, NULL);
        }
        hy_end(F);
    }
    CHECK(!c.wrong);
    OK(F);
    OK(c.F);
    hy_close(c.F);
    CHECK(hy_close(F) == 0);
}
#endif

static void test_hybridize(void)
{
    RUN(hybridize_like_last_is_left);
    RUN(hybridize_many_like_last);
    RUN(hybridize_groups_like_last);
    RUN(hybridize_groups_of_one_and_of_groups);
    RUN(hybridize_draws_like_last);
    RUN(hybridize_like_last_is_checked);
    RUN(hybridize_like_last_meets_bad_data);
    RUN(hybridize_initialiser_calls_a_block);
#ifndef HYBRID_NO_THREADS
    RUN(hybridize_two_threads_in_one_frame);
    RUN(hybridize_threads_free_other_blocks);
#endif
    RUN(hybridize_short_way_is_left);
    RUN(hybridize_equals_line_by_line);
    RUN(hybridize_runs_forward_once);
    RUN(hybridize_follows_parameters);
    RUN(hybridize_results_do_not_share_memory);
    RUN(hybridize_static_options);
    RUN(hybridize_bad_options);
    RUN(hybridize_pass_through_and_sum);
    RUN(hybridize_gives_parameters_and_twice_the_same);
    RUN(hybridize_draws_as_line_by_line);
    RUN(hybridize_values_may_decide_shapes);
    RUN(hybridize_values_must_fit_shapes);
    RUN(hybridize_takes_views_and_other_types);
    RUN(hybridize_counted_inputs);
    RUN(hybridize_expected_shapes);
    RUN(hybridize_optional_inputs);
    RUN(hybridize_keeps_nested_structure);
    RUN(hybridize_names_its_arguments);
    RUN(hybridize_names_do_not_depend_on_order);
    RUN(hybridize_warns_of_what_is_unused);
    RUN(hybridize_trace_that_asks_is_bound);
#ifndef HYBRID_NO_TRAIN
    RUN(hybridize_trace_that_asks_for_training);
#endif
    RUN(hybridize_change_below_is_seen);
    RUN(hybridize_plain_parent_compiles_children);
    RUN(hybridize_hooks_run_when_traced);
}
