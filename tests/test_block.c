/* Blocks line by line: names, children, lifetimes, hooks. Numbers in brackets are behaviours of
 * the MXNet dossier, section 8. Compiled blocks are in test_hybridize.c. */

/* Full names of the parameters that match: "dense0_weight,dense0_bias". */
static const char *block_params(hy_frame *F, hy_block *net, const char *pattern)
{
    static char text[4][1024];
    static int turn;
    char *to = text[turn++ & 3];
    hy_params p;
    int i;
    to[0] = 0;
    hy_begin(F);
    p = hy_collect_params(F, net, pattern);
    for (i = 0; i < p.n; i++)
        snprintf(to + strlen(to), 1024 - strlen(to), i ? ",%s" : "%s", hy_name_of(F, p.at[i]));
    hy_end(F);
    return to;
}

/* --- names --- */
static void block_prefix_is_alias_and_number(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *a = hy_block_new(F, sizeof *a, "hybrid_net", tb_relu_forward, 1);
    hy_block *b = hy_block_new(F, sizeof *b, "HybridNet", tb_relu_forward, 1);
    hy_block *c = tb_dense(F, 2, 2), *d = hy_set_alias(F, tb_dense(F, 2, 2), "head");
    CHECK_STR(hy_block_prefix(F, a), "hybridnet0_");
    CHECK_STR(hy_block_name(F, a), "hybridnet0");
    CHECK_STR(hy_block_prefix(F, b), "hybridnet1_");
    CHECK_STR(block_params(F, c, NULL), "dense0_weight,dense0_bias");
    CHECK_STR(hy_block_name(F, d), "head0");
    CHECK_STR(a->kind, "hybrid_net");
    OK(F);
    CHECK(hy_close(F) == 0);
}

static void block_scope_counts_for_itself(void)                        /* [9] */
{
    hy_frame *F = hy_open(NULL);
    hy_block *outside = tb_dense(F, 2, 2), *net = tb_chain(F);
    CHECK_STR(hy_block_prefix(F, outside), "dense0_");
    hy_name_scope(F, net);
    hy_add_child(F, net, NULL, tb_dense(F, 2, 2));
    hy_add_child(F, net, NULL, tb_dense(F, 2, 2));
    hy_add_child(F, net, NULL, tb_conv(F, 2, 2));
    hy_name_scope_end(F);
    hy_add_child(F, net, NULL, tb_dense(F, 2, 2));      /* no scope: a global name */
    hy_name_scope(F, net);              /* counting goes on */
    hy_add_child(F, net, NULL, tb_dense(F, 2, 2));
    hy_name_scope_end(F);
    CHECK_STR(block_params(F, net, ".*weight"),
            "chain0_dense0_weight,chain0_dense1_weight,chain0_conv0_weight,"
              "dense1_weight,chain0_dense2_weight");
    CHECK(hy_length(F, net) == 5);
    CHECK_STR(hy_child_name(F, net, 3), "3");
    CHECK_STR(hy_block_prefix(F, tb_chain(F)), "chain1_");
    OK(F);
    hy_name_scope_end(F);
    ERR(F, HY_ERROR_STATE, "hy_name_scope_end");
    CHECK(hy_close(F) == 0);
}

static void block_scopes_nest(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = tb_chain(F), *inner;
    hy_name_scope(F, net);
    inner = hy_add_child(F, net, "features", tb_chain(F));
    hy_name_scope(F, inner);
    hy_add_child(F, inner, NULL, tb_dense(F, 2, 2));
    hy_name_scope_end(F);
    hy_add_child(F, net, "output", tb_dense(F, 2, 2));
    hy_name_scope_end(F);
    CHECK_STR(block_params(F, net, NULL), "chain0_chain0_dense0_weight,chain0_chain0_dense0_bias,"
              "chain0_dense0_weight,chain0_dense0_bias");
    CHECK(hy_param(F, net, "features.0.weight") == hy_collect_params(F, net, ".*chain0_dense0_weight").at[0]);
    CHECK_STR(hy_param_path(F, net, hy_param(F, net, "output.bias")), "output.bias");
    OK(F);
    CHECK(hy_close(F) == 0);
}

static void block_prefix_can_be_given(void)                            /* [6] */
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_set_prefix(F, tb_chain(F), "test_"), *odd = hy_set_prefix(F, tb_dense(F, 2, 2), "x");
    hy_block *child;
    hy_name_scope(F, net);
    hy_add_child(F, net, NULL, tb_conv(F, 10, -1));
    hy_add_child(F, net, NULL, tb_dense(F, 10, -1));
    hy_name_scope_end(F);
    CHECK_STR(block_params(F, net, NULL),
            "test_conv0_weight,test_conv0_bias,test_dense0_weight,test_dense0_bias");
    CHECK_STR(block_params(F, net, ".*weight"), "test_conv0_weight,test_dense0_weight");
    CHECK_STR(block_params(F, net, "test_conv0_bias|test_dense0_bias"), "test_conv0_bias,test_dense0_bias");
    CHECK_STR(hy_block_name(F, net), "test");
    CHECK_STR(hy_block_name(F, odd), "x");
    CHECK_STR(block_params(F, odd, NULL), "xweight,xbias");
    hy_name_scope(F, net);              /* inside, the scope's prefix stands before */
    child = hy_add_child(F, net, "own", hy_set_prefix(F, tb_dense(F, 2, 2), "own_"));
    hy_name_scope_end(F);
    CHECK_STR(hy_block_prefix(F, child), "test_own_");
    OK(F);
    CHECK(!hy_set_prefix(F, net, "late_"));
    ERR(F, HY_ERROR_STATE, "already");
    CHECK(!hy_set_prefix(F, odd, NULL));
    CHECK(hy_error(F) != NULL);
    hy_clear(F);
    CHECK(hy_close(F) == 0);
}

static void block_empty_prefix_is_transparent(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = tb_chain(F), *flat;
    hy_name_scope(F, net);
    flat = hy_add_child(F, net, "flat", hy_set_prefix(F, tb_chain(F), ""));
    hy_name_scope(F, flat);
    hy_add_child(F, flat, NULL, tb_dense(F, 2, 2));
    hy_name_scope_end(F);
    hy_add_child(F, net, "last", tb_dense(F, 2, 2));
    hy_name_scope_end(F);
    CHECK_STR(block_params(F, net, ".*weight"), "chain0_dense0_weight,chain0_dense1_weight");
    OK(F);
    CHECK(hy_close(F) == 0);
}

static void block_numbers_belong_to_the_frame(void)                    /* [80] */
{
    hy_frame *F = hy_open(NULL), *fork = hy_fork(F);
    CHECK_STR(hy_block_name(F, tb_dense(F, 1, 1)), "dense0");
    CHECK_STR(hy_block_name(fork, tb_dense(fork, 1, 1)), "dense0");
    CHECK_STR(hy_block_name(F, tb_dense(F, 1, 1)), "dense1");
    CHECK(hy_close(fork) == 0);
    CHECK(hy_close(F) == 0);
}

static void block_two_parameters_of_one_name_are_an_error(void)        /* section 6: collect_params */
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = tb_chain(F);
    hy_add_child(F, net, NULL, hy_set_prefix(F, tb_dense(F, 2, 2), "same_"));
    hy_add_child(F, net, NULL, hy_set_prefix(F, tb_dense(F, 2, 2), "same_"));
    hy_collect_params(F, net, NULL);
    ERR(F, HY_ERROR_ARGUMENT, "same_weight");
    CHECK(hy_close(F) == 0);
}

/* --- children --- */
static void block_children_are_listed_and_replaced(void)               /* [25] in part */
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = tb_chain(F), *a = tb_dense(F, 1, 1), *b = tb_dense(F, 2, 1), *c = tb_dense(F, 3, 1);
    CHECK(hy_length(F, net) == 0);
    CHECK(hy_add_child(F, net, "a", a) == a && hy_add_child(F, net, NULL, b) == b);
    CHECK(hy_length(F, net) == 2 && hy_child(F, net, 0) == a && hy_child(F, net, -1) == b);
    CHECK_STR(hy_child_name(F, net, 1), "1");
    CHECK_STR(hy_child_name(F, net, -2), "a");
    hy_add_child(F, net, "a", c);       /* in place of a */
    CHECK(hy_length(F, net) == 2 && hy_child(F, net, 0) == c && hy_child(F, net, 1) == b);
    CHECK(hy_add_child(F, net, "a", c) == c);           /* in place of itself: its owner stays */
    CHECK(hy_length(F, net) == 2 && c->core->parent == net && !net->core->child[0].shared);
    OK(F);
    CHECK(!hy_child(F, net, 2));
    ERR(F, HY_ERROR_INDEX, "2");
    CHECK(!hy_child(F, net, -3));
    ERR(F, HY_ERROR_INDEX, "-3");
    CHECK(!hy_child_name(F, net, 2));
    ERR(F, HY_ERROR_INDEX, "hy_child");
    CHECK(!hy_add_child(F, net, "self", net));
    ERR(F, HY_ERROR_ARGUMENT, "contain itself");
    CHECK(!hy_add_child(F, b, "up", net));
    ERR(F, HY_ERROR_ARGUMENT, "contain itself");
    CHECK(!hy_add_child(F, net, "none", NULL));
    CHECK(hy_error(F) && strstr(hy_error(F), "NULL"));
    hy_clear(F);
    CHECK(hy_length(F, net) == 2);
    CHECK(hy_close(F) == 0);
}

static void block_plain_child_of_a_hybrid_is_an_error(void)            /* [19] */
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = tb_chain(F), *plain = hy_block_new(F, sizeof *plain, "Printer", tb_relu_forward, 0);
    hy_block *seq = hy_block_new(F, sizeof *seq, "seq", tb_chain_forward, 0);
    CHECK(!hy_add_child(F, net, "talk", plain));
    CHECK(hy_error(F) && strstr(hy_error(F), "talk") && strstr(hy_error(F), "Printer"));
    ERR(F, HY_ERROR_ARGUMENT, "Children of HybridBlock must also be HybridBlock");
    CHECK(hy_add_child(F, seq, "talk", plain) == plain);
    hy_add_child(F, seq, NULL, net);
    CHECK(hy_value(F, hy_call(F, seq, hy_full(F, HY_SHAPE(2), -1)), 0) == 0);
    OK(F);
    CHECK(hy_close(F) == 0);
}

typedef struct block_seen { char text[512]; hy_block *stop; } block_seen;
static void block_see(hy_frame *F, hy_block *block, void *user)
{
    block_seen *seen = (block_seen *)user;
    snprintf(seen->text + strlen(seen->text), sizeof seen->text - strlen(seen->text), "%s ", hy_block_name(F,
            block));
    if (block == seen->stop) hy_raise(F, HY_ERROR_USER, "enough");
}

/* A block is freed whose scope of names is open in another frame: that goes on without. */
static void block_scope_of_a_freed_block(void)
{
    hy_frame *F = hy_open(NULL), *G = hy_fork(F);
    hy_block *outer = hy_set_prefix(F, tb_chain(F), "outer_"), *net = tb_chain(F);
    hy_block *b = tb_dense(G, 2, 2), *c = tb_dense(G, 2, 2), *d = tb_dense(G, 2, 2);
    hy_name_scope(G, outer);
    hy_name_scope(G, net);
    hy_block_free(F, net);
    CHECK_STR(hy_block_prefix(G, b), "outer_dense0_");
    hy_block_free(F, outer);
    hy_block_free(G, d);
    CHECK_STR(hy_block_prefix(G, c), "dense0_");
    hy_name_scope_end(G);
    hy_name_scope_end(G);
    OK(G);
    hy_close(G);
    CHECK(hy_close(F) == 0);
}

static void block_visit_order(void)                                    /* [29] */
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_set_prefix(F, tb_chain(F), "test_"), *inner;
    block_seen seen;
    memset(&seen, 0, sizeof seen);
    hy_name_scope(F, net);
    hy_add_child(F, net, NULL, tb_dense(F, 2, 2));
    inner = hy_add_child(F, net, NULL, tb_chain(F));
    hy_name_scope(F, inner);
    hy_add_child(F, inner, NULL, tb_dense(F, 2, 2));
    hy_name_scope_end(F);
    hy_add_child(F, net, NULL, tb_block(F, "dropout", tb_relu_forward));
    hy_name_scope_end(F);
    hy_visit(F, net, block_see, &seen);
    CHECK_STR(seen.text, "test_dense0 test_chain0_dense0 test_chain0 test_dropout0 test ");
    OK(F);
    memset(&seen, 0, sizeof seen);
    seen.stop = inner;
    hy_visit(F, net, block_see, &seen);
    CHECK_STR(seen.text, "test_dense0 test_chain0_dense0 test_chain0 ");
    ERR(F, HY_ERROR_USER, "enough");
    CHECK(hy_close(F) == 0);
}

static void block_count(hy_frame *F, hy_block *block, void *user)
{
    (void)F; (void)block;
    ++*(int *)user;
}

static void block_deep_nests_are_no_crash(void)
{
    hy_frame *F = tb_open(0);
    hy_block *top = tb_chain(F), *net = top;
    block_seen seen;
    int i;
    for (i = 0; i < 40; i++) net = hy_add_child(F, net, "in", tb_chain(F));
    hy_add_child(F, net, "in", tb_dense(F, 2, 2));
    memset(&seen, 0, sizeof seen);
    hy_initialize(F, top, NULL);
    CHECK(hy_call(F, top, hy_ones(F, HY_SHAPE(1, 2))) != NULL);
    CHECK(hy_collect_params(F, top, NULL).n == 2);
    hy_visit(F, top, block_see, &seen);
    OK(F);
    for (i = 0; i < 60; i++) {
        hy_block *up = tb_chain(F);
        hy_add_child(F, up, "in", top);
        top = up;
    }
    i = 0;
    hy_visit(F, top, block_count, &i);
    CHECK(i == 102);
    CHECK(hy_collect_params(F, top, NULL).n == 2);
    OK(F);
    hy_block_free(F, top);
    CHECK(hy_close(F) == 0);
}

static void block_of_another_root_is_an_error(void)
{
    hy_frame *F = hy_open(NULL), *G = hy_open(NULL);
    hy_block *net = tb_dense(F, 2, 2);
    CHECK(!hy_call(G, net, hy_ones(G, HY_SHAPE(1, 2))));
    ERR(G, HY_ERROR_ARGUMENT, "another hy_open");
    CHECK(!hy_add_child(G, tb_chain(G), NULL, net));
    ERR(G, HY_ERROR_ARGUMENT, "another hy_open");
    hy_initialize(G, net, NULL);
    ERR(G, HY_ERROR_ARGUMENT, "another hy_open");
    hy_hybridize(G, NULL, NULL);
    ERR(G, HY_ERROR_ARGUMENT, "block is NULL");
    CHECK(!hy_call(G, NULL, hy_ones(G, HY_SHAPE(1, 2))));
    ERR(G, HY_ERROR_ARGUMENT, "NULL");
    CHECK(!hy_call(F, net, NULL));
    ERR(F, HY_ERROR_ARGUMENT, "NULL");
    CHECK(!hy_block_new(F, 4, "small", tb_relu_forward, 1));
    ERR(F, HY_ERROR_ARGUMENT, "hy_block_new");
    CHECK(!hy_block_new(F, sizeof(hy_block), "dead", NULL, 1));
    ERR(F, HY_ERROR_ARGUMENT, "forward");
    hy_close(G);
    CHECK(hy_close(F) == 0);
}

static void block_null_frame_is_harmless(void)
{
    hy_params p = hy_collect_params(NULL, NULL, NULL);
    CHECK(p.n == 0 && !tb_dense(NULL, 1, 1) && !hy_call(NULL, NULL, NULL) && !hy_add_child(NULL, NULL, NULL,
            NULL));
    hy_initialize(NULL, NULL, NULL);
    hy_hybridize(NULL, NULL, NULL);
    hy_block_free(NULL, NULL);
    hy_visit(NULL, NULL, NULL, NULL);
    hy_name_scope(NULL, NULL);
    hy_name_scope_end(NULL);
    CHECK(!hy_param(NULL, NULL, NULL) && hy_length(NULL, NULL) == 0 && !hy_block_prefix(NULL, NULL));
    CHECK(hy_cache_info(NULL, NULL).traces == 0 && !hy_graph_of(NULL, NULL));
}

/* --- freeing --- */
static int block_freed;
static void block_count_free(hy_block *self) { (void)self; block_freed++; }

static void block_free_takes_the_children(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = tb_chain(F), *other = tb_chain(F), *mine = tb_dense(F, 2, 2), *shared = tb_dense(F, 2, 2);
    hy_block *left;
    mine->free_fn = shared->free_fn = net->free_fn = block_count_free;
    hy_add_child(F, other, NULL, shared);
    hy_add_child(F, net, NULL, mine);
    hy_add_child(F, net, NULL, shared); /* the other one had it first */
    block_freed = 0;
    hy_block_free(F, net);
    CHECK(block_freed == 2);
    hy_initialize(F, other, NULL);
    CHECK(hy_call(F, other, hy_ones(F, HY_SHAPE(1, 2))) != NULL);
    left = hy_add_child(F, other, "gone", tb_dense(F, 2, 2));
    hy_block_free(F, left);             /* leaves its parent, too */
    CHECK(hy_length(F, other) == 1);
    CHECK(hy_call(F, other, hy_ones(F, HY_SHAPE(1, 2))) != NULL);
    hy_block_free(F, NULL);
    OK(F);
    CHECK(hy_close(F) == 0);
    CHECK(block_freed == 3);            /* hy_close frees the rest */
}

/* --- lifetimes --- */
static hy_array *block_remembered;
static hy_array *block_forgetful(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    block_remembered = hy_relu(F, x);
    return hy_add_scalar(F, block_remembered, 1);
}

static hy_array *block_unbalanced(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    hy_begin(F);
    hy_begin(F);
    return hy_add_scalar(F, x, 1);      /* two are left open */
}

static hy_array *block_ends_too_often(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    x = hy_add_scalar(F, x, 1);
    hy_end(F);
    hy_end(F);
    return x;
}

static void block_values_of_forward_die_results_live(void)
{
    hy_frame *F = tb_open(1);
    hy_block *b = tb_block(F, "forgetful", block_forgetful), *open = tb_block(F, "open", block_unbalanced);
    hy_block *closes = tb_block(F, "closes", block_ends_too_often), *id = tb_chain(F);
    hy_array *x = hy_full(F, HY_SHAPE(2), 3), *y, *z, *outer;
    y = hy_call(F, b, x);
    CHECK(hy_value(F, y, 0) == 4);
    CHECK(!hy_relu(F, block_remembered));
    ERR(F, HY_ERROR_STATE, "used after its hy_end");
    hy_begin(F);
    outer = hy_ones(F, HY_SHAPE(1));
    z = hy_call(F, open, x);
    CHECK(z && hy_value(F, z, 0) == 4 && hy_item(F, outer) == 1);
    hy_end(F);
    hy_relu(F, z);                      /* its scope was the caller's */
    ERR(F, HY_ERROR_STATE, "used after its hy_end");
    hy_end(F);
    ERR(F, HY_ERROR_STATE, "no open hy_begin");         /* nothing was left open */
    hy_begin(F);
    outer = hy_ones(F, HY_SHAPE(1));
    CHECK(!hy_call(F, closes, x));
    ERR(F, HY_ERROR_STATE, "no open hy_begin");
    CHECK(hy_item(F, outer) == 1);      /* forward cannot close its caller's scopes */
    hy_end(F);
    OK(F);
    CHECK(hy_call(F, id, x) == x || tb_same(F, hy_call(F, id, x), x)); /* a block that gives back its input */
    CHECK(hy_value(F, x, 0) == 3);
    OK(F);
    CHECK(hy_close(F) == 0);
}

static hy_array *block_returns_nothing(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)F; (void)self; (void)x;
    return NULL;
}

static hy_array *block_errs_itself(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    hy_raise(F, HY_ERROR_USER, "not today");
    return x;
}

static void block_errors_of_forward_carry_the_path(void)
{
    int hybrid;
    for (hybrid = 0; hybrid < 2; hybrid++) {
        hy_frame *F = tb_open(1);
        hy_block *net = tb_chain(F), *errs = tb_block(F, "errs", block_errs_itself);
        hy_block *none = tb_block(F, "none", block_returns_nothing);
        hy_array *x = hy_ones(F, HY_SHAPE(2));
        hy_add_child(F, net, "middle", errs);
        if (hybrid) { hy_hybridize(F, net, NULL); hy_hybridize(F, none, NULL); }
        CHECK(!hy_call(F, net, x));
        CHECK(hy_error(F) && strstr(hy_error(F), "chain0.middle"));
        ERR(F, HY_ERROR_USER, "not today");
        CHECK(!hy_call(F, none, x));
        CHECK(hy_error(F) && strstr(hy_error(F), "none0"));            /* in both modes */
        ERR(F, HY_ERROR_ARGUMENT, "forward returned");
        CHECK(hy_value(F, hy_relu(F, x), 0) == 1);
        OK(F);
        CHECK(hy_close(F) == 0);
    }
}

#ifndef HYBRID_NO_TRAIN
static hy_array *block_sets_mode(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    hy_set_training(F, 1);
    return hy_dropout(F, x, 0.5, NULL);
}

static void block_mode_set_in_forward_stays_inside(void)
{
    hy_frame *F = tb_open(1);
    hy_block *b = tb_block(F, "mode", block_sets_mode);
    hy_array *x = hy_ones(F, HY_SHAPE(50)), *y = hy_call(F, b, x);
    CHECK(y && hy_item(F, hy_max(F, y, HY_ALL, NULL)) == 2 && !hy_is_training(F));
    OK(F);
    hy_hybridize(F, b, NULL);           /* a compiled call has one mode, its caller's */
    CHECK(!hy_call(F, b, x));
    ERR(F, HY_ERROR_TRACE, "hy_set_training");
    CHECK(hy_close(F) == 0);
}

/* Values that a call gave which failed go with it; a recorded call gives others, of another shape. */
static void block_values_are_given_again(void)
{
    int hybrid;
    for (hybrid = 0; hybrid < 2; hybrid++) {
        hy_frame *F = tb_open(1);
        hy_block *net = tb_chain(F), *dense = hy_nn_dense(F, 3, NULL);
        hy_array *y;
        hy_add_child(F, net, "dense", dense);
        hy_add_child(F, net, "errs", tb_block(F, "errs", block_errs_itself));
        hy_initialize(F, net, NULL);
        if (hybrid) hy_hybridize(F, net, NULL);
        hy_begin(F);
        hy_record(F);
        CHECK(!hy_call(F, net, hy_ones(F, HY_SHAPE(2, 4))));
        hy_pause(F);
        hy_end(F);
        ERR(F, HY_ERROR_USER, "not today");
        hy_record(F);
        y = hy_call(F, dense, hy_ones(F, HY_SHAPE(2, 5)));
        hy_pause(F);
        hy_backward(F, y, NULL);
        CHECK(hy_value(F, hy_grad_of(F, hy_param(F, dense, "weight")), 2, 4) == 2);
        OK(F);
        CHECK(hy_close(F) == 0);
    }
}
#endif

/* --- hooks --- */
typedef struct block_hooked { int before, after; hy_array *x, *y; } block_hooked;
static void block_hook(hy_frame *F, hy_block *block, hy_array *x, hy_array *y, void *user)
{
    block_hooked *h = (block_hooked *)user;
    (void)F; (void)block;
    if (y) h->after++; else h->before++;
    h->x = x;
    h->y = y;
}

static void block_hooks_run_and_go(void)                               /* [27] */
{
    hy_frame *F = tb_open(1);
    hy_block *net = tb_dense(F, 2, 2);
    hy_array *x = hy_ones(F, HY_SHAPE(1, 2)), *y;
    block_hooked h;
    int before, after;
    memset(&h, 0, sizeof h);
    hy_initialize(F, net, NULL);
    before = hy_add_hook(F, net, HY_HOOK_BEFORE, block_hook, &h);
    after = hy_add_hook(F, net, HY_HOOK_AFTER, block_hook, &h);
    y = hy_call(F, net, x);
    CHECK(h.before == 1 && h.after == 1 && h.x == x && h.y == y);
    hy_remove_hook(F, net, after);
    hy_call(F, net, x);
    CHECK(h.before == 2 && h.after == 1);
    hy_remove_hook(F, net, before);
    hy_call(F, net, x);
    CHECK(h.before == 2 && h.after == 1);
    OK(F);
    hy_remove_hook(F, net, before);
    ERR(F, HY_ERROR_UNKNOWN, "hook");
    hy_add_hook(F, net, HY_HOOK_AFTER, NULL, NULL);
    ERR(F, HY_ERROR_ARGUMENT, "hy_add_hook");
    CHECK(hy_close(F) == 0);
}

typedef struct block_once { int id, first, second; } block_once;
static void block_hook_once(hy_frame *F, hy_block *block, hy_array *x, hy_array *y, void *user)
{
    block_once *once = (block_once *)user;
    (void)x; (void)y;
    once->first++;
    hy_remove_hook(F, block, once->id);
}

static void block_hook_second(hy_frame *F, hy_block *block, hy_array *x, hy_array *y, void *user)
{
    (void)F; (void)block; (void)x; (void)y;
    ((block_once *)user)->second++;
}

static void block_hook_may_remove_itself(void)
{
    hy_frame *F = tb_open(1);
    hy_block *b = tb_block(F, "relu", tb_relu_forward);
    block_once once;
    int i;
    memset(&once, 0, sizeof once);
    once.id = hy_add_hook(F, b, HY_HOOK_BEFORE, block_hook_once, &once);
    hy_add_hook(F, b, HY_HOOK_BEFORE, block_hook_second, &once);
    for (i = 0; i < 3; i++) hy_call(F, b, hy_ones(F, HY_SHAPE(2)));
    CHECK(once.first == 1 && once.second == 3);
    OK(F);
    CHECK(hy_close(F) == 0);
}

static hy_array *block_innermost(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    while (hy_get(F, x, 0) != x) x = hy_get(F, x, 0);
    return hy_relu(F, x);
}

static void block_groups_nest(void)
{
    int depth, i, hybrid, works[2];
    for (depth = 4; depth <= 12; depth += 8) {
        for (hybrid = 0; hybrid < 2; hybrid++) {
            hy_frame *F = tb_open(1);
            hy_block *b = tb_block(F, "in", block_innermost);
            hy_array *x = hy_full(F, HY_SHAPE(2), 3), *y;
            for (i = 0; i < depth; i++) x = hy_group(F, x);
            if (hybrid) hy_hybridize(F, b, NULL);
            y = hy_call(F, b, x);
            works[hybrid] = y && hy_value(F, y, 1) == 3;
            CHECK(works[hybrid] || hy_error(F));
            hy_close(F);
        }
        CHECK(works[0] == works[1] && (works[0] || depth > 4));        /* the same in both modes */
    }
}

static void block_groups_nested_without_end(void)
{
    hy_frame *F = tb_open(1);
    hy_array *x = hy_ones(F, HY_SHAPE(2)), *deep;
    char text[64];
    int i;
    for (i = 0; i < 100000 && !hy_error(F); i++) {
        deep = hy_group(F, x);
        if (deep) x = deep;
    }
    hy_clear(F);
    CHECK(hy_text(F, x, text, sizeof text) > 0);        /* nothing overflows the stack */
    hy_keep(F, x);
    hy_begin(F);
    hy_return(F, hy_group(F, x));
    hy_end(F);
    hy_clear(F);
    hy_free(F, x);
    CHECK(hy_close(F) == 0);
}

static void block_close_with_an_error_standing(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = tb_mlp(F);
    hy_initialize(F, net, NULL);
    hy_call(F, net, hy_ones(F, HY_SHAPE(2, 3)));
    hy_raise(F, HY_ERROR_USER, "stop");
    CHECK(!hy_call(F, net, NULL) && !tb_dense(F, 1, 1) && !hy_add_child(F, NULL, NULL, NULL));
    CHECK(hy_collect_params(F, net, NULL).n == 0);
    hy_initialize(F, NULL, NULL);
    CHECK(hy_close(F) == HY_ERROR_USER);
}

static void test_block(void)
{
    RUN(block_prefix_is_alias_and_number);
    RUN(block_scope_counts_for_itself);
    RUN(block_scopes_nest);
    RUN(block_prefix_can_be_given);
    RUN(block_empty_prefix_is_transparent);
    RUN(block_numbers_belong_to_the_frame);
    RUN(block_two_parameters_of_one_name_are_an_error);
    RUN(block_children_are_listed_and_replaced);
    RUN(block_plain_child_of_a_hybrid_is_an_error);
    RUN(block_scope_of_a_freed_block);
    RUN(block_visit_order);
    RUN(block_deep_nests_are_no_crash);
    RUN(block_of_another_root_is_an_error);
    RUN(block_null_frame_is_harmless);
    RUN(block_free_takes_the_children);
    RUN(block_values_of_forward_die_results_live);
    RUN(block_errors_of_forward_carry_the_path);
#ifndef HYBRID_NO_TRAIN
    RUN(block_mode_set_in_forward_stays_inside);
    RUN(block_values_are_given_again);
#endif
    RUN(block_hooks_run_and_go);
    RUN(block_hook_may_remove_itself);
    RUN(block_groups_nest);
    RUN(block_groups_nested_without_end);
    RUN(block_close_with_an_error_standing);
}
