/* Parameters: initial values, deferred shapes, sharing, casts, lists by regular expressions. Numbers in
 * brackets are behaviours of the MXNet dossier, section 8. */
#include <time.h>

static const char *param_shape(hy_frame *F, hy_array *param)           /* of a parameter: "(10,?)" */
{
    static char text[4][128];
    static int turn;
    hy_shape s = hy_param_shape(F, param);
    char *to = text[turn++ & 3];
    to[0] = 0;
    infer_put(to, 128, &s);
    return to;
}

/* --- values --- */
static void param_values_before_initialize_are_an_error(void)          /* [2] */
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_set_prefix(F, tb_dense(F, 3, 2), "net_"), *late = tb_dense(F, 3, -1);
    hy_array *w = hy_param(F, net, "weight"), *v;
    CHECK_STR(hy_name_of(F, w), "net_weight");                         /* [1] [3] */
    CHECK_STR(param_shape(F, w), "(3,2)");
    CHECK(!hy_param_ready(F, w) && !hy_data(F, w));
    CHECK(hy_error(F) && strstr(hy_error(F), "net_weight"));
    ERR(F, HY_ERROR_STATE, "has not been initialized");
    CHECK(!hy_call(F, net, hy_ones(F, HY_SHAPE(1, 2))));
    CHECK(hy_error(F) && strstr(hy_error(F), "net_weight"));
    ERR(F, HY_ERROR_STATE, "has not been initialized");
    hy_initialize(F, net, NULL);
    CHECK(hy_param_ready(F, w) && hy_data(F, w) && hy_size(F, w) == 6);
    OK(F);
    hy_initialize(F, late, NULL);
    v = hy_param(F, late, "weight");
    CHECK_STR(param_shape(F, v), "(3,?)");
    CHECK(!hy_param_ready(F, v) && !hy_data(F, v));
    ERR(F, HY_ERROR_STATE, "deferred");
    CHECK(hy_dim(F, v, 1) == 0);
    ERR(F, HY_ERROR_STATE, "deferred");
    CHECK(!hy_param(F, net, "weights"));
    ERR(F, HY_ERROR_UNKNOWN, "weights");
    CHECK(!hy_param_path(F, net, hy_ones(F, HY_SHAPE(1))));
    ERR(F, HY_ERROR_ARGUMENT, "no parameter");
    CHECK(hy_close(F) == 0);
}

static void param_parameter_names_are_once(void)                       /* [10] */
{
    hy_frame *F = hy_open(NULL);
    hy_block *b = tb_chain(F);
    CHECK(hy_add_param(F, b, "w", HY_SHAPE(1), NULL) != NULL);
    CHECK(!hy_add_param(F, b, "w", HY_SHAPE(1), NULL));
    ERR(F, HY_ERROR_ARGUMENT, "Overriding Parameter attribute w");
    CHECK(!hy_add_param(F, b, NULL, HY_SHAPE(1), NULL));
    CHECK(hy_error(F) != NULL);
    hy_clear(F);
    CHECK(!hy_add_param(F, b, "v", HY_SHAPE(-2), NULL));
    CHECK(hy_error(F) != NULL);
    hy_clear(F);
    CHECK_STR(block_params(F, b, NULL), "chain0_w");
    CHECK(hy_close(F) == 0);
}

static void param_initial_values_follow_the_rules(void)                /* [12] in part, 1.7 */
{
    hy_frame *F = tb_open(3);
    hy_block *net = tb_chain(F), *norm = hy_add_child(F, net, "norm", tb_norm(F));
    hy_array *own, *plain, *x;
    hy_param_opt opt;
    hy_init seven = tb_constant(7), nine = tb_constant(9);
    memset(&opt, 0, sizeof opt);
    opt.init = nine;
    own = hy_add_param(F, net, "own", HY_SHAPE(2), &opt);
    plain = hy_add_param(F, net, "bias", HY_SHAPE(2), NULL);           /* suffixes mean nothing here */
    hy_initialize(F, net, &seven);
    CHECK(hy_value(F, own, 0) == 9);
    CHECK(hy_value(F, plain, 1) == 7);
    x = hy_call(F, net, hy_ones(F, HY_SHAPE(2, 5, 3)));
    CHECK(x && hy_value(F, hy_param(F, net, "norm.gamma"), 4) == 1 && hy_value(F, hy_param(F, net,
            "norm.beta"), 4) == 0);
    CHECK(hy_value(F, hy_param(F, net, "norm.running_mean"), 0) == 0);
    CHECK(hy_value(F, hy_param(F, net, "norm.running_var"), 0) == 1);
    net = tb_dense(F, 100, 100);
    hy_initialize(F, net, NULL);        /* uniform(0.07) */
    x = hy_abs(F, hy_param(F, net, "weight"));
    CHECK(hy_item(F, hy_max(F, x, HY_ALL, NULL)) <= 0.07f && hy_item(F, hy_max(F, x, HY_ALL, NULL)) > 0.069);
    CHECK_NEAR(hy_item(F, hy_mean(F, x, HY_ALL, NULL)), 0.035, 0.001);
    hy_set_init(F, plain, &nine);
    hy_reinitialize(F, hy_child(F, tb_chain(F), 0), NULL);
    hy_clear(F);
    CHECK(norm != NULL);
    CHECK(hy_close(F) == 0);
}

/* Two networks that share parameters are gone through by two threads: neither hides from the other what is shared,
 * so that each parameter is looked at once in each walk. */
#ifndef HYBRID_NO_THREADS
enum { PARAM_SHARED = 40, PARAM_WALKS = 1000 };
typedef struct param_walker { hy_frame *F; hy_block *net; int *arrived; } param_walker;
static void param_count_warning(void *user, int level, int code, const char *text)
{
    (void)code; (void)text;
    if (level == HY_LOG_WARNING) HY__ADD((int *)user, 1);
}
static void *param_walk_often(void *user)
{
    param_walker *w = (param_walker *)user;
    int i;
    HY__ADD(w->arrived, 1);
    while (HY__LOAD(w->arrived) < 2) continue;
    for (i = 0; i < PARAM_WALKS; i++) hy_initialize(w->F, w->net, NULL);
    return NULL;
}
#endif

static void param_shared_are_initialized_by_two_threads(void)
{
#ifndef HYBRID_NO_THREADS
    hy_desc desc;
    hy_frame *F;
    hy_block *first = NULL;
    param_walker w[2];
    pthread_t thread;
    int i, k, arrived = 0, warnings = 0;
    memset(&desc, 0, sizeof desc);
    desc.log_fn = param_count_warning;
    desc.log_user = &warnings;
    F = hy_open(&desc);
    for (i = 0; i < 2; i++) {
        w[i].net = tb_chain(F);
        w[i].arrived = &arrived;
        for (k = 0; k < PARAM_SHARED; k++) {
            hy_block *b = hy_add_child(F, w[i].net, NULL, tb_dense(F, 2, 2));
            if (first) hy_share_params(F, b, first);
            else first = b;
        }
        hy_initialize(F, w[i].net, NULL);
    }
    CHECK(warnings == 2);               /* weight and bias had values when the second network came */
    for (i = 0; i < 2; i++) w[i].F = hy_fork(F);
    CHECK(!pthread_create(&thread, NULL, param_walk_often, &w[1]));
    param_walk_often(&w[0]);
    pthread_join(thread, NULL);
    CHECK(warnings == 2 + 2 * 2 * PARAM_WALKS);
    for (i = 0; i < 2; i++) CHECK(!hy_error(w[i].F) && !hy_close(w[i].F));
    OK(F);
    CHECK(hy_close(F) == 0);
#endif
}

/* Threads make, compile, lend and free networks of their own, each in its frame. */
#ifndef HYBRID_NO_THREADS
static void *param_come_and_go(void *user)
{
    hy_frame *F = (hy_frame *)user;
    hy_init half = tb_constant(0.5);
    int i;
    for (i = 0; i < 40; i++) {
        hy_block *net = tb_mlp(F);
        hy_begin(F);
        hy_initialize(F, net, &half);
        hy_hybridize(F, net, NULL);
        hy_call(F, net, hy_ones(F, HY_SHAPE(2, 3)));
        if (i % 3) hy_graph_of(F, net);
        hy_block_free(F, net);
        hy_end(F);
    }
    return NULL;
}
#endif

static void param_blocks_come_and_go_in_threads(void)
{
#ifndef HYBRID_NO_THREADS
    hy_frame *F = tb_open(1), *fork[3];
    pthread_t thread[3];
    int i;
    for (i = 0; i < 3; i++) {
        fork[i] = hy_fork(F);
        CHECK(!pthread_create(&thread[i], NULL, param_come_and_go, fork[i]));
    }
    for (i = 0; i < 3; i++) {
        pthread_join(thread[i], NULL);
        CHECK(!hy_error(fork[i]) && !hy_close(fork[i]));
    }
    CHECK(!F->root->blocks && !F->root->graphs);
    CHECK(hy_close(F) == 0);
#endif
}

/* Values that an operator found outside of any call stay, whatever call fails later; drawing them anew, also in the
 * call that found them, is no second time that they are found. */
static hy_array *param_draws_anew(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_block *layer = hy_child(F, self, 0);
    hy_init half = tb_constant(0.5);
    hy_call(F, layer, x);
    hy_reinitialize(F, layer, &half);
    return hy_call(F, layer, x);
}

static void param_found_outside_of_calls(void)
{
    hy_frame *F = tb_open(1), *S;
    hy_block *layer = tb_dense(F, 3, -1), *other = tb_dense(F, 2, -1);
    hy_block *net = tb_block(F, "net", param_draws_anew);
    hy_array *w = hy_param(F, layer, "weight"), *x = hy_ones(F, HY_SHAPE(2, 4));
    hy_fully_connected_opt opt;
    hy_init half = tb_constant(0.5);
    hy_graph *g;
    memset(&opt, 0, sizeof opt);
    opt.no_bias = 1;
    hy_initialize(F, layer, NULL);
    hy_initialize(F, other, NULL);
    CHECK(hy_fully_connected(F, x, w, NULL, 3, &opt) != NULL);
    hy_set_value(F, w, 5, 0, 0);
    S = hy_symbolic(F);
    g = hy_compile(S, hy_call(S, other, hy_add(S, hy_var(S, "a", NULL), hy_var(S, "b", NULL))));
    hy_close(S);
    CHECK(!hy_graph_run(F, g, hy_group(F, x, hy_ones(F, HY_SHAPE(3, 9)))));
    ERR(F, HY_ERROR_SHAPE, "do not broadcast");
    CHECK(hy_param_ready(F, w) && hy_value(F, w, 0, 0) == 5);
    hy_reinitialize(F, layer, &half);
    CHECK(hy_value(F, hy_call(F, layer, x), 0, 0) == 2);
    hy_add_child(F, net, "layer", tb_dense(F, 3, -1));
    hy_initialize(F, net, NULL);
    CHECK(hy_value(F, hy_call(F, net, x), 0, 0) == 2);
    CHECK(hy_value(F, hy_call(F, net, x), 0, 0) == 2);
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* An initialiser may call anything: modes stay the caller's, and one that asks for its own values is told so. */
static hy_array *param_asked;           /* whose values are drawn */
static void param_init_calls(hy_frame *F, const hy_init *init, const char *name, hy_array *x)
{
    (void)init; (void)name;
    if (param_asked) hy_set_param(F, param_asked, hy_ones(F, HY_SHAPE(3, 4)));
#ifndef HYBRID_NO_TRAIN
    hy_pause(F);
#endif
    hy_fill(F, x, 0.5);
}

static void param_initialisers_misbehave(void)
{
    int hybrid;
    for (hybrid = 0; hybrid < 2; hybrid++) {
        hy_frame *F = tb_open(1);
        hy_block *net = tb_dense(F, 3, -1);
        hy_array *x = hy_ones(F, HY_SHAPE(2, 4)), *y;
        hy_init init;
        memset(&init, 0, sizeof init);
        init.fn = param_init_calls;
        hy_initialize(F, net, &init);
        if (hybrid) hy_hybridize(F, net, NULL);
        param_asked = NULL;
#ifndef HYBRID_NO_TRAIN
        hy_record(F);
        y = hy_call(F, net, x);
        CHECK(hy_is_recording(F) && hy_is_training(F));
        hy_pause(F);
        hy_backward(F, y, NULL);
        CHECK(hy_value(F, hy_grad_of(F, hy_param(F, net, "weight")), 0, 0) == 2);
#endif
        OK(F);
        net = tb_dense(F, 3, -1);
        hy_initialize(F, net, &init);
        if (hybrid) hy_hybridize(F, net, NULL);
        param_asked = hy_param(F, net, "weight");
        y = hy_call(F, net, x);
        CHECK(!y);
        ERR(F, HY_ERROR_STATE, "initialisers within one another");
        CHECK(!hy_param_ready(F, param_asked));
        param_asked = NULL;
        CHECK(hy_call(F, net, x) != NULL);
        OK(F);
        CHECK(hy_close(F) == 0);
    }
}

static void param_initialize_twice_changes_nothing(void)               /* [13] */
{
    tb_log log;
    hy_frame *F = tb_open_log(&log);
    hy_block *net = tb_dense(F, 3, 2);
    hy_init one = tb_constant(1), two = tb_constant(2);
    hy_array *w = hy_param(F, net, "weight");
    hy_initialize(F, net, &one);
    CHECK(hy_value(F, w, 0, 0) == 1 && log.warnings == 0);
    hy_initialize(F, net, &two);
    CHECK(hy_value(F, w, 0, 0) == 1);
    CHECK(log.warnings == 2 && strstr(log.text, "already initialized") && strstr(log.text, "dense0_bias"));
    hy_reinitialize(F, net, &two);
    CHECK(hy_value(F, w, 0, 0) == 2 && log.warnings == 2);
    hy_set_init(F, w, &one);
    hy_reinitialize(F, net, &two);      /* its own comes first */
    CHECK(hy_value(F, w, 0, 0) == 1 && hy_value(F, hy_param(F, net, "bias"), 0) == 0);
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* A function of seed and path: order of making, of calling, other draws and the mode make no difference. */
static hy_array *param_seeded(hy_frame *F, int order, int hybrid)
{
    hy_block *net = tb_chain(F), *a = tb_dense(F, 6, -1), *b = tb_dense(F, 5, 6);
    hy_array *x = hy_ones(F, HY_SHAPE(2, 7));
    if (order) { a = tb_dense(F, 6, -1); hy_normal(F, HY_SHAPE(100), 0, 1); }
    hy_add_child(F, net, "one", a);
    hy_add_child(F, net, "two", b);
    hy_initialize(F, net, NULL);
    if (hybrid) hy_hybridize(F, net, NULL);
    if (order) hy_call(F, a, x);        /* one child before the whole */
    hy_call(F, net, x);
    return hy_concat(F, hy_group(F, hy_reshape(F, hy_param(F, net, "one.weight"), HY_INTS(-1), NULL),
                                 hy_reshape(F, hy_param(F, net, "two.weight"), HY_INTS(-1), NULL)), 0);
}

static void param_initial_values_depend_on_seed_and_path_only(void)
{
    hy_frame *F = tb_open(11), *G = tb_open(12);
    hy_array *first = param_seeded(F, 0, 0);
    CHECK(tb_same(F, first, param_seeded(F, 1, 0)));
    CHECK(tb_same(F, first, param_seeded(F, 0, 1)));
    CHECK(tb_same(F, first, param_seeded(F, 1, 1)));
    CHECK(!tb_same(F, hy_slice_axis(F, first, 0, 0, 30), hy_slice_axis(F, first, 0, 42, 72)));
    hy_seed(F, 99);                     /* the seed that holds at hy_initialize */
    CHECK(!tb_same(F, first, param_seeded(F, 0, 0)));
    hy_seed(F, 11);
    CHECK(tb_same(F, first, param_seeded(F, 0, 1)));
    CHECK(memcmp(hy_data(F, first), hy_data(G, param_seeded(G, 0, 0)), 100) != 0);
    OK(F);
    OK(G);
    hy_close(G);
    CHECK(hy_close(F) == 0);
}

static void param_deferred_shapes_come_from_the_first_call(void)       /* [14] */
{
    int hybrid;
    for (hybrid = 0; hybrid < 2; hybrid++) {
        hy_frame *F = tb_open(1);
        hy_block *net = tb_chain(F);
        hy_array *y;
        hy_add_child(F, net, "conv", tb_conv(F, 64, -1));
        hy_add_child(F, net, "norm", tb_norm(F));
        hy_add_child(F, net, "dense", tb_dense(F, 10, -1));
        hy_initialize(F, net, NULL);
        if (hybrid) hy_hybridize(F, net, NULL);
        tb_runs = 0;
        y = hy_call(F, net, hy_ones(F, HY_SHAPE(2, 3, 5, 7)));
        CHECK(tb_runs == 4);            /* forward of each, once */
        CHECK_STR(y ? tb_shape(F, y) : NULL, "(2,10)");
        CHECK_STR(param_shape(F, hy_param(F, net, "conv.weight")), "(64,3,2,2)");
        CHECK_STR(param_shape(F, hy_param(F, net, "norm.gamma")), "(64)");
        CHECK_STR(param_shape(F, hy_param(F, net, "norm.running_var")), "(64)");
        CHECK_STR(param_shape(F, hy_param(F, net, "dense.weight")), "(10,3072)");
        OK(F);
        CHECK(hy_close(F) == 0);
    }
}

static hy_array *param_fails_late(hy_frame *F, hy_block *self, hy_array *x)
{
    x = hy_call(F, hy_child(F, self, 0), x);
    return hy_add(F, x, hy_ones(F, HY_SHAPE(3)));
}

static void param_shapes_of_a_failed_call_are_taken_back(void)
{
    int hybrid;
    for (hybrid = 0; hybrid < 2; hybrid++) {
        hy_frame *F = tb_open(1);
        hy_block *net = tb_block(F, "bad", param_fails_late);
        hy_array *w;
        hy_add_child(F, net, "fc", tb_dense(F, 4, -1));
        hy_initialize(F, net, NULL);
        if (hybrid) hy_hybridize(F, net, NULL);
        w = hy_param(F, net, "fc.weight");
        CHECK(!hy_call(F, net, hy_ones(F, HY_SHAPE(2, 7))));
        CHECK(hy_error(F) && strstr(hy_error(F), "bad0") && strstr(hy_error(F), "(2,4)"));
        ERR(F, HY_ERROR_SHAPE, "(3,)");
        CHECK_STR(param_shape(F, w), "(4,?)");
        CHECK(!hy_param_ready(F, w));
        /* free for another shape */
        CHECK(hy_call(F, hy_child(F, net, 0), hy_ones(F, HY_SHAPE(2, 9))) != NULL);
        CHECK_STR(param_shape(F, w), "(4,9)");
        CHECK(!hy_call(F, net, hy_ones(F, HY_SHAPE(2, 9))));
        hy_clear(F);
        CHECK(hy_param_ready(F, w));    /* what was there before stays */
        CHECK_STR(param_shape(F, w), "(4,9)");
        CHECK(hy_close(F) == 0);
    }
}

static void param_wrong_shapes_name_param_operator_shapes(void)        /* [42] */
{
    int hybrid;
    for (hybrid = 0; hybrid < 2; hybrid++) {
        hy_frame *F = tb_open(1);
        hy_block *net = tb_chain(F), *conv = hy_add_child(F, net, "features", tb_conv(F, 4, 3));
        hy_initialize(F, net, NULL);
        if (hybrid) hy_hybridize(F, net, NULL);
        CHECK(!hy_call(F, net, hy_ones(F, HY_SHAPE(2, 5, 6, 6))));     /* 5 channels, 3 due */
        CHECK(hy_error(F) && strstr(hy_error(F), "chain0") && strstr(hy_error(F), "features"));
        CHECK(hy_error(F) && strstr(hy_error(F), "convolution") && strstr(hy_error(F), "(4,3,2,2)"));
        CHECK(hy_error(F) && strstr(hy_error(F), "test_blocks.h:"));   /* where it was called */
        ERR(F, HY_ERROR_SHAPE, "(2,5,6,6)");
        CHECK(hy_call(F, net, hy_ones(F, HY_SHAPE(2, 3, 6, 6))) != NULL);
        CHECK(conv != NULL);
        OK(F);
        CHECK(hy_close(F) == 0);
    }
}

static hy_array *block_uses_unknown(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_add(F, x, hy_param(F, self, "any"));
}

static void param_shape_that_cannot_be_inferred(void)                  /* section 6 */
{
    int hybrid;
    for (hybrid = 0; hybrid < 2; hybrid++) {
        hy_frame *F = tb_open(1);
        hy_block *b = hy_set_prefix(F, tb_block(F, "any", block_uses_unknown), "b_");
        hy_add_param(F, b, "any", HY_SHAPE(-1, -1), NULL);             /* broadcasting leaves it open */
        hy_initialize(F, b, NULL);
        if (hybrid) hy_hybridize(F, b, NULL);
        CHECK(!hy_call(F, b, hy_ones(F, HY_SHAPE(2, 3))));
        CHECK(hy_error(F) && strstr(hy_error(F), "b_any"));
        ERR(F, HY_ERROR_SHAPE, "Deferred initialization failed because shape cannot be inferred");
        CHECK(hy_close(F) == 0);
    }
}

/* --- setting, sharing, casting --- */
static int param_drawn;
static void param_draws(hy_frame *F, const hy_init *init, const char *name, hy_array *x)
{
    (void)init;
    (void)name;
    param_drawn++;
    hy_assign(F, x, hy_ones(F, hy_shape_of(F, x)));
}

/* Values that are set are not drawn before. */
static void param_set_draws_nothing(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_dense(F, 2, NULL);
    hy_init init = { 0 };
    init.fn = param_draws;
    hy_initialize(F, net, &init);
    hy_set_param(F, hy_param(F, net, "weight"), hy_full(F, HY_SHAPE(2, 3), 5));
    CHECK(param_drawn == 0);
    CHECK_NEAR(hy_value(F, hy_param(F, net, "weight"), 1, 2), 5, 0);
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
}

static void param_set_param_before_and_after(void)                     /* 1.7 set_data */
{
    hy_frame *F = tb_open(1);
    hy_block *net = tb_dense(F, 2, -1);
    hy_array *w = hy_param(F, net, "weight"), *b = hy_param(F, net, "bias"), *y;
    hy_initialize(F, net, NULL);
    hy_set_param(F, w, tb_ramp(F, HY_SHAPE(2, 3)));     /* deferred: fills the shape */
    CHECK(hy_param_ready(F, w));
    CHECK_STR(param_shape(F, w), "(2,3)");
    hy_set_param(F, b, hy_full(F, HY_SHAPE(2), 10));
    y = hy_call(F, net, hy_ones(F, HY_SHAPE(1, 3)));
    CHECK_NEAR(hy_value(F, y, 0, 0), 10 - 1.8, 1e-5);
    OK(F);
    hy_set_param(F, w, hy_ones(F, HY_SHAPE(3, 2)));
    CHECK(hy_error(F) && strstr(hy_error(F), "(2,3)") && strstr(hy_error(F), "dense0_weight"));
    ERR(F, HY_ERROR_SHAPE, "(3,2)");
    hy_set_param(F, hy_ones(F, HY_SHAPE(1)), b);
    ERR(F, HY_ERROR_ARGUMENT, "no parameter");
    hy_set_param(F, w, NULL);
    ERR(F, HY_ERROR_ARGUMENT, "NULL");
    net = tb_dense(F, 2, -1);           /* never initialized: setting is enough */
    hy_set_param(F, hy_param(F, net, "weight"), hy_ones(F, HY_SHAPE(2, 4)));
    hy_set_param(F, hy_param(F, net, "bias"), hy_zeros(F, HY_SHAPE(2)));
    CHECK(hy_value(F, hy_call(F, net, hy_ones(F, HY_SHAPE(1, 4))), 0, 1) == 4);
    hy_initialize(F, net, NULL);        /* and initialize leaves it alone */
    CHECK(hy_value(F, hy_param(F, net, "weight"), 0, 0) == 1);
    OK(F);
    CHECK(hy_close(F) == 0);
}

static void param_constants_are_fixed(void)
{
    hy_frame *F = tb_open(1);
    hy_block *b = tb_block(F, "plus", block_uses_unknown);
    hy_array *c = hy_add_constant(F, b, "any", hy_arange(F, 0, 3, 1));
    hy_init two = tb_constant(2);
    CHECK(hy_param_ready(F, c) && hy_value(F, c, 2) == 2);
    CHECK_STR(hy_name_of(F, c), "plus0_any");
    hy_initialize(F, b, &two);
    CHECK(hy_value(F, c, 1) == 1);
    hy_reinitialize(F, b, &two);        /* its value is its initialiser */
    CHECK(hy_value(F, c, 1) == 1);
    CHECK(hy_value(F, hy_call(F, b, hy_ones(F, HY_SHAPE(2, 3))), 1, 2) == 3);
    OK(F);
    CHECK(hy_close(F) == 0);
}

static void param_shared_parameters_are_the_same(void)                 /* [5] */
{
    hy_frame *F = tb_open(1);
    hy_block *a = tb_mlp(F), *b = tb_mlp(F), *odd;
    hy_array *x = tb_ramp(F, HY_SHAPE(2, 6));
    hy_init half = tb_constant(0.5);
    CHECK(!tb_same(F, hy_zeros(F, HY_SHAPE(1)), NULL));
    hy_share_params(F, b, a);
    hy_initialize(F, a, &half);
    CHECK(hy_call(F, a, x) != NULL);
    CHECK(tb_same(F, hy_call(F, a, x), hy_call(F, b, x)));
    CHECK_STR(block_params(F, b, ".*weight"), block_params(F, a, ".*weight"));
    hy_fill(F, hy_param(F, a, "first.weight"), 2);
    CHECK(hy_value(F, hy_param(F, b, "first.weight"), 7, 5) == 2);
    hy_fill(F, hy_param(F, b, "first.bias"), 3);        /* from either side */
    CHECK(hy_value(F, hy_param(F, a, "first.bias"), 0) == 3);
    CHECK(tb_same(F, hy_call(F, a, x), hy_call(F, b, x)));
    OK(F);
    odd = tb_chain(F);
    hy_add_child(F, odd, "first", tb_dense(F, 9, 2));
    hy_share_params(F, odd, a);
    CHECK(hy_error(F) && strstr(hy_error(F), "(9,2)"));
    ERR(F, HY_ERROR_SHAPE, "(8,6)");
    hy_block_free(F, a);                /* the rest goes on */
    CHECK(hy_value(F, hy_param(F, b, "first.bias"), 0) == 3);
    CHECK(hy_call(F, b, x) != NULL);
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* What either knows of a shape both know; where they contradict nothing is shared. */
static void param_shared_shapes_meet(void)
{
    hy_frame *F = tb_open(1);
    hy_block *a = tb_dense(F, 3, -1), *b = tb_dense(F, 3, 4), *net = tb_mlp(F), *odd = tb_chain(F);
    hy_array *x = hy_ones(F, HY_SHAPE(2, 4));
    hy_share_params(F, b, a);
    hy_initialize(F, a, NULL);
    CHECK(hy_param_shape(F, hy_param(F, a, "weight")).dim[1] == 4);
    CHECK(!hy_call(F, a, hy_ones(F, HY_SHAPE(2, 5))));
    hy_clear(F);
    CHECK(hy_param_shape(F, hy_param(F, a, "weight")).dim[1] == 4);
    CHECK(tb_same(F, hy_call(F, a, x), hy_call(F, b, x)));
    OK(F);
    hy_add_child(F, odd, "first", tb_dense(F, 8, 6));
    hy_add_child(F, odd, "last", tb_dense(F, 9, -1));
    hy_share_params(F, odd, net);
    ERR(F, HY_ERROR_SHAPE, "(9,?)");
    CHECK(hy_param_shape(F, hy_param(F, net, "first.weight")).dim[1] == -1);
    hy_initialize(F, odd, NULL);        /* its own still */
    CHECK(hy_param_ready(F, hy_param(F, odd, "first.weight")) && !hy_param_ready(F, hy_param(F, net, "first.weight")));
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* Whose parameters were shared is freed: what was said of them still holds. */
static void param_shared_parameters_outlive_their_block(void)
{
    hy_frame *F = tb_open(1);
    hy_block *a = tb_dense(F, 3, -1), *b = tb_dense(F, 3, -1);
    hy_init two = tb_constant(2);
    hy_array *x = hy_ones(F, HY_SHAPE(2, 4)), *w = hy_param(F, b, "weight");
    hy_share_params(F, b, a);
    hy_initialize(F, b, &two);          /* drawn by the first call, which comes later */
    hy_set_mult(F, w, 5, 7);
    hy_set_param(F, hy_param(F, b, "bias"), hy_arange(F, 0, 3, 1));
#ifndef HYBRID_NO_TRAIN
    hy_set_grad_req(F, b, ".*weight", HY_GRAD_NULL);
#endif
    hy_block_free(F, a);
    CHECK(hy_value(F, hy_call(F, b, x), 1, 2) == 10);
    CHECK(hy_lr_mult(F, w) == 5 && hy_wd_mult(F, w) == 7);
#ifndef HYBRID_NO_TRAIN
    CHECK(hy_grad_req_of(F, w) == HY_GRAD_NULL);
    a = tb_dense(F, 3, 4);
    b = tb_dense(F, 3, 4);
    hy_share_params(F, b, a);
    hy_initialize(F, a, &two);
    hy_record(F);
    x = hy_call(F, a, x);
    hy_pause(F);
    hy_backward(F, x, NULL);
    hy_block_free(F, a);
    CHECK(hy_value(F, hy_grad_of(F, hy_param(F, b, "weight")), 1, 2) == 2);
#endif
    OK(F);
    CHECK(hy_close(F) == 0);
}

static void param_shared_child_counts_once(void)                       /* [17] */
{
    hy_frame *F = tb_open(1);
    hy_block *net = tb_chain(F), *one = tb_dense(F, 4, 4);
    hy_array *x = tb_ramp(F, HY_SHAPE(2, 4)), *y;
    hy_add_child(F, net, "a", one);
    hy_add_child(F, net, "b", one);
    hy_initialize(F, net, NULL);
    CHECK_STR(block_params(F, net, NULL), "dense0_weight,dense0_bias");
    CHECK(hy_param(F, net, "a.weight") == hy_param(F, net, "b.weight"));
    y = hy_call(F, one, hy_call(F, one, x));
    CHECK(tb_same(F, hy_call(F, net, x), y));
    hy_hybridize(F, net, NULL);
    CHECK(tb_close(F, hy_call(F, net, x), y));
    OK(F);
    CHECK(hy_close(F) == 0);
}

static void param_cast_changes_parameters_and_results(void)            /* [32] in part */
{
    int hybrid;
    for (hybrid = 0; hybrid < 2; hybrid++) {
        hy_frame *F = tb_open(1);
        hy_block *net = tb_mlp(F);
        hy_array *x = tb_ramp(F, HY_SHAPE(2, 6)), *y, *z, *w;
        hy_initialize(F, net, NULL);
        if (hybrid) hy_hybridize(F, net, NULL);
        y = hy_call(F, net, x);
        w = hy_cast(F, hy_param(F, net, "first.weight"), HY_F64);
        hy_cast_block(F, net, HY_F64);
        CHECK(hy_dtype_of(F, hy_param(F, net, "first.weight")) == HY_F64);
        CHECK(tb_same(F, w, hy_param(F, net, "first.weight")));
        z = hy_call(F, net, hy_cast(F, x, HY_F64));
        CHECK(z && hy_dtype_of(F, z) == HY_F64 && tb_close(F, hy_cast(F, z, HY_F32), y));
        CHECK(!hy_call(F, net, x));     /* f32 data no longer fit */
        CHECK(hy_error(F) && strstr(hy_error(F), "float64"));
        ERR(F, HY_ERROR_DTYPE, "float32");
        hy_cast_block(F, net, HY_I32);
        ERR(F, HY_ERROR_DTYPE, "int32");
        net = tb_mlp(F);                /* before its values are there */
        hy_cast_block(F, net, HY_F64);
        hy_initialize(F, net, NULL);
        z = hy_call(F, net, hy_cast(F, x, HY_F64));
        CHECK(z && hy_dtype_of(F, z) == HY_F64);
        OK(F);
        CHECK(hy_close(F) == 0);
    }
}

static void param_multipliers_are_kept(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *b = tb_chain(F);
    hy_param_opt opt;
    hy_array *w, *v;
    memset(&opt, 0, sizeof opt);
    opt.lr_mult = 2;
    w = hy_add_param(F, b, "w", HY_SHAPE(1), &opt);
    v = hy_add_param(F, b, "v", HY_SHAPE(1), NULL);
    CHECK(hy_lr_mult(F, w) == 2 && hy_wd_mult(F, w) == 1 && hy_lr_mult(F, v) == 1);
    hy_set_mult(F, v, 0, 3);
    CHECK(hy_lr_mult(F, v) == 0 && hy_wd_mult(F, v) == 3);
    OK(F);
    CHECK(hy_close(F) == 0);
}


/* --- lists by regular expression --- */
static int param_matches(hy_frame *F, hy_block *net, const char *pattern)
{
    int n;
    hy_begin(F);
    n = hy_collect_params(F, net, pattern).n;
    hy_end(F);
    return n;
}

/* Does the pattern match the one name that this block's parameter has? */
static int param_match(const char *pattern, const char *name)
{
    hy_frame *F = tb_open(0);
    hy_block *b = hy_set_prefix(F, tb_chain(F), "");
    int n;
    hy_add_param(F, b, name, HY_SHAPE(1), NULL);
    n = param_matches(F, b, pattern);
    OK(F);
    hy_close(F);
    return n;
}

static void param_patterns_match_from_the_beginning(void)
{
    CHECK(param_match("net0_dense0_weight", "net0_dense0_weight"));
    CHECK(param_match("net0", "net0_dense0_weight"));                   /* not anchored at the end */
    CHECK(!param_match("dense0", "net0_dense0_weight"));
    CHECK(param_match("", "net0"));
    CHECK(param_match(".*weight", "net0_dense0_weight"));
    CHECK(param_match(".*weight$", "net0_dense0_weight") && !param_match(".*weigh$", "net0_dense0_weight"));
    CHECK(param_match("^net0", "net0_w") && !param_match(".^net0", "net0_w"));
    CHECK(!param_match("net0_w_", "net0_w"));
    CHECK(param_match("n.t0", "net0_w") && !param_match("net0_w.", "net0_w"));
}

static void param_patterns_alternatives_and_brackets(void)
{
    CHECK(param_match("a|b", "bias") && param_match("a|b|c", "c0") && !param_match("a|b", "c0"));
    CHECK(param_match(".*(weight|bias)$", "net0_bias") && !param_match(".*(weight|bias)$", "net0_gamma"));
    CHECK(param_match("(dense|conv)[0-9]+_(weight|bias)", "conv12_bias"));
    CHECK(!param_match("(dense|conv)[0-9]+_(weight|bias)", "conv_bias"));
    CHECK(param_match("((a|b)c)+d", "acbcacd") && !param_match("((a|b)c)+d", "acbd"));
    CHECK(param_match("(ab)*c", "c") && param_match("(ab)*c", "ababc") && !param_match("(ab)*c$", "abac"));
    CHECK(param_match("(ab)?c", "abc") && param_match("(ab)?c", "c") && !param_match("^(ab)?c", "ababc"));
    CHECK(param_match("(|x)y", "y") && param_match("(x|)y", "xy"));
    CHECK(param_match("|zzz", "anything"));
}

static void param_patterns_classes_and_repeats(void)
{
    CHECK(param_match("[a-c]x", "bx") && !param_match("[a-c]x", "dx"));
    CHECK(param_match("[^a-c]x", "dx") && !param_match("[^a-c]x", "bx"));
    CHECK(param_match("[]a]x", "ax") && param_match("[a-]x", "ax") && !param_match("[a-]x", "bx"));
    CHECK(param_match("[._]x", "_x") && !param_match("[._]x", "ax"));
    CHECK(param_match("conv\\d+_", "conv17_w") && !param_match("conv\\d+_", "conv_w"));
    CHECK(param_match("\\w+$", "net0_w") && param_match("a\\.b", "a.b") && !param_match("a\\.b", "a_b"));
    CHECK(param_match("ab*c", "ac") && param_match("ab*c", "abbbc") && param_match("ab+c", "abc"));
    CHECK(!param_match("ab+c", "ac") && param_match("ab?c", "ac") && !param_match("^ab?c", "abbc"));
    CHECK(param_match("a.*b.*c", "axxbyyc") && !param_match("a.*b.*c", "axxcyyb"));
    CHECK(param_match("[0-9]*$", "2026"));
}

static void param_patterns_of_mxnet(void)                              /* [6] */
{
    hy_frame *F = tb_open(0);
    hy_block *net = hy_set_prefix(F, tb_chain(F), "test_");
    hy_name_scope(F, net);
    hy_add_child(F, net, NULL, tb_conv(F, 10, 3));
    hy_add_child(F, net, NULL, tb_dense(F, 10, 3));
    hy_name_scope_end(F);
    CHECK_STR(block_params(F, net, ".*weight"), "test_conv0_weight,test_dense0_weight");
    CHECK_STR(block_params(F, net, "test_conv0_bias|test_dense0_bias"), "test_conv0_bias,test_dense0_bias");
    CHECK_STR(block_params(F, net, "weight"), "");
    CHECK_STR(block_params(F, net, "test_(?!x)"), "");  /* what is not known matches nothing */
    OK(F);
    CHECK(hy_close(F) == 0);
}

static void param_patterns_long(void)
{
    hy_frame *F = tb_open(0);
    hy_block *b = tb_chain(F);
    char name[400], pattern[20000];
    int i;
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = 0;
    hy_set_prefix(F, b, "");
    hy_add_param(F, b, name, HY_SHAPE(1), NULL);
    hy_add_param(F, b, "last_layer_weight", HY_SHAPE(1), NULL);
    CHECK(param_matches(F, b, name) == 1);              /* 399 characters, one by one */
    pattern[0] = 0;
    for (i = 0; i < 600; i++) snprintf(pattern + strlen(pattern), 32, "layer%d_weight|", i);
    strcat(pattern, "last_layer_weight");               /* 601 names */
    CHECK(param_matches(F, b, pattern) == 1);
    CHECK(param_matches(F, b, "(a|l).*$") == 2);
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* No pattern takes more tries than it may have, and one that would is an error, not a name that fails. */
static void param_patterns_hostile_end(void)
{
    static const char *const hostile[] = {
        "(a*)*b", "(a+)+$", "(a|a)*b", "(a|aa)+b", "((a*)*)*b", "(.*)*(.*)*(.*)*x",
            "a?a?a?a?a?a?a?a?a?a?a?a?aaaaaaaaaaaax",
        ".*.*.*.*.*.*.*.*x", "(()*)*x", "(a*|b*)*c", "(|a)*b", "(a**)*b", "((((((((((", "))))))", "[[[[",
            "[^", "\\", "(\\",
        "*", "+a", "?", "|", "||", "()", "(|)", "[a-", "a|", "^*", "$+", "(*)", "([)]", "(a[b)", "[]" };
    hy_frame *F = tb_open(0);
    hy_block *b = tb_chain(F);
    hy_array *w;
    char name[201];
    size_t i;
    memset(name, 'a', 200);
    name[200] = 0;
    hy_set_prefix(F, b, "");
    w = hy_add_param(F, b, name, HY_SHAPE(1), NULL);
    for (i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        char *exact = (char *)malloc(strlen(hostile[i]) + 1);          /* so that a sanitizer sees its end */
        hy__regex tries = { name, 0 };
        int n, hit;
        strcpy(exact, hostile[i]);
        hit = hy__regex_match(&tries, exact, exact + strlen(exact), name, NULL, 0);
        CHECK(tries.steps <= HY__REGEX_STEPS);
        n = param_matches(F, b, exact);
        CHECK(n == hit && !hy_error(F) == (hit || tries.steps < HY__REGEX_STEPS));
        hy_clear(F);
        free(exact);
    }
    CHECK(param_matches(F, b, "(a|a)*b") == 0);
    CHECK(strstr(hy_error(F), "hy_collect_params: the pattern '(a|a)*b' asks for too many tries"));
    hy_clear(F);
    hy_set_grad_req(F, b, "(a|a)*b", HY_GRAD_NULL);
    CHECK(strstr(hy_error(F), "hy_set_grad_req: the pattern '(a|a)*b'"));
    hy_clear(F);
    CHECK(hy_grad_req_of(F, w) == HY_GRAD_WRITE);
    CHECK(hy_close(F) == 0);
}

static void param_patterns_random(void)
{
    static const char letters[] = "aab_0.*+?|()[]^$\\-dw";
    hy_frame *F = tb_open(0);
    hy_block *b = hy_set_prefix(F, tb_chain(F), "");
    uint32_t random = 1;
    int i, k;
    hy_add_param(F, b, "ab_0aab_dw", HY_SHAPE(1), NULL);
    for (i = 0; i < 20000; i++) {
        int n = (random = random * 1664525u + 1013904223u) >> 28;
        char *pattern = (char *)malloc((size_t)n + 1);
        for (k = 0; k < n; k++)
            pattern[k] = letters[((random = random * 1664525u + 1013904223u) >> 16) % (sizeof letters - 1)];
        pattern[n] = 0;
        k = param_matches(F, b, pattern);
        if (!CHECK(k == 0 || k == 1)) printf("    %s\n", pattern);
        hy_clear(F);                    /* an error of its own would be as good */
        free(pattern);
    }
    CHECK(hy_close(F) == 0);
}

static void param_lists_live_as_arrays_do(void)
{
    hy_frame *F = tb_open(0);
    hy_block *net = tb_chain(F);
    hy_params all, few;
    int i;
    for (i = 0; i < 100; i++) hy_add_child(F, net, NULL, tb_dense(F, 1, 1));
    all = hy_collect_params(F, net, NULL);
    few = hy_collect_params(F, net, ".*bias");
    CHECK(all.n == 200 && few.n == 100 && all.at[199] == few.at[99]);
    for (i = 0; i < 1000; i++) {
        hy_begin(F);
        CHECK(hy_collect_params(F, net, NULL).n == 200);
        hy_end(F);
    }
    CHECK(all.at[0] == hy_param(F, net, "0.weight"));
    CHECK(hy_collect_params(F, net, "none").n == 0);
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* So many that a table finds them. */
static void param_many_names(void)
{
    hy_frame *F = tb_open(0);
    hy_block *b = tb_chain(F);
    char name[16];
    int i, n = 3000;
    for (i = 0; i < n; i++) {
        sprintf(name, "p%d", i);
        hy_add_param(F, b, name, HY_SHAPE(1), NULL);
        if (i == 10 || i == 15 || i == 16 || i == 17 || i == n - 1) {
            OK(F);
            CHECK(!hy_add_param(F, b, name, HY_SHAPE(1), NULL));
            ERR(F, HY_ERROR_ARGUMENT, "Overriding Parameter attribute p");
            CHECK(!hy_add_param(F, b, "p0", HY_SHAPE(1), NULL));
            ERR(F, HY_ERROR_ARGUMENT, "Overriding Parameter attribute p0");
        }
    }
    CHECK(hy_collect_params(F, b, NULL).n == n);
    OK(F);
    CHECK(hy_close(F) == 0);
}

static int param_oom_many(hy_frame *F)
{
    hy_block *b = tb_chain(F);
    char name[16];
    int i;
    for (i = 0; i < 40 && b; i++) {
        sprintf(name, "p%d", i);
        hy_add_param(F, b, name, HY_SHAPE(1), NULL);
        if (!hy_error(F)) continue;
        hy_clear(F);                    /* tried once more, it works or fails for the same reason, never by name */
        if (!hy_add_param(F, b, name, HY_SHAPE(1), NULL)) return 0;
    }
    return b && hy_collect_params(F, b, NULL).n == 40;
}
static void param_oom_many_names(void) { oom_walk(param_oom_many, 1); }

/* --- memory that was lent to be read --- */
static const float param_lent[6] = { 1, 2, 3, 4, 5, 6 };        /* a write would end the program */

static void param_lend(hy_frame *F, hy_array *x)
{
    hy__buffer *b = hy__buffer_borrow(&F->cache, (void *)(uintptr_t)param_lent, sizeof param_lent);
    b->read_only = b->watched = 1;
    hy__buffer_drop(&F->cache, x->buffer);
    x->buffer = b;
    x->t.data = b->data;
    if (x->param) hy__param_sync(F, x->param);
}

static void param_lent_arrays_are_not_written(void)
{
    hy_frame *F = tb_open(0);
    hy_array *x = hy_ones(F, HY_SHAPE(2, 3)), *v;
    param_lend(F, x);
    v = hy_view_index(F, x, 0, 1);
    CHECK(hy_value(F, x, 1, 2) == 6 && hy_item(F, hy_sum(F, x, HY_ALL, NULL)) == 21);
    CHECK(!hy_write(F, x));
    ERR(F, HY_ERROR_STATE, "hy_write: the array lies in memory that was lent to be read");
    hy_fill(F, x, 0);
    ERR(F, HY_ERROR_STATE, "lent to be read");
    hy_fill(F, v, 0);
    ERR(F, HY_ERROR_STATE, "lent to be read");
    hy_assign(F, x, hy_zeros(F, HY_SHAPE(2, 3)));
    ERR(F, HY_ERROR_STATE, "lent to be read");
    hy_set_value(F, x, 7, 0, 0);
    ERR(F, HY_ERROR_STATE, "lent to be read");
    hy_add_to(F, x, x);
    ERR(F, HY_ERROR_STATE, "lent to be read");
    v = hy_copy(F, x);
    hy_add_to(F, v, x);
    CHECK(hy_value(F, v, 1, 2) == 12 && param_lent[5] == 6);
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* A parameter that is written moves to memory of its own; programs follow, shared ones too. */
static void param_lent_parameters_move(void)
{
    hy_frame *F = tb_open(0);
    hy_block *net = tb_dense(F, 2, 3), *other = tb_dense(F, 2, 3);
    hy_array *x = hy_ones(F, HY_SHAPE(1, 3)), *w;
    hy_hybridize_opt opt;
    int i;
    memset(&opt, 0, sizeof opt);
    hy_share_params(F, other, net);
    hy_initialize(F, net, NULL);
    w = hy_param(F, net, "weight");
    for (i = 0; i < 2; i++) {
        if (i) { hy_hybridize(F, net, &opt); hy_hybridize(F, other, &opt); }
        param_lend(F, w);
        HY__ADD(&F->root->epoch, 1);
        CHECK(hy_value(F, hy_call(F, net, x), 0, 1) == 15 && hy_value(F, hy_call(F, other, x), 0, 0) == 6);
        CHECK(w->t.data == (const void *)param_lent);
        hy_add_to(F, w, hy_ones(F, HY_SHAPE(2, 3)));
        CHECK(w->t.data != (const void *)param_lent);
        CHECK(hy_value(F, hy_call(F, net, x), 0, 1) == 18 && hy_value(F, hy_call(F, other, x), 0, 0) == 9);
        param_lend(F, w);
        hy_set_param(F, w, hy_full(F, HY_SHAPE(2, 3), 2));
        CHECK(hy_value(F, hy_call(F, net, x), 0, 1) == 6 && hy_value(F, hy_call(F, other, x), 0, 1) == 6);
        param_lend(F, w);
        hy_reinitialize(F, net, NULL);
        CHECK(fabs(hy_value(F, w, 0, 0)) <= .07);
    }
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* A view that forward makes of one follows as well. */
static hy_array *param_viewing_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    return hy_add(F, x, hy_view_index(F, hy_param(F, self, "table"), 0, 1));
}

static void param_lent_parameters_viewed(void)
{
    hy_frame *F = tb_open(0);
    hy_block *net = HY_BLOCK_NEW(F, hy_block, param_viewing_forward);
    hy_array *x = hy_zeros(F, HY_SHAPE(3)), *w = hy_add_constant(F, net, "table", hy_ones(F, HY_SHAPE(2, 3)));
    int i;
    for (i = 0; i < 2; i++) {
        if (i) hy_hybridize(F, net, NULL);
        param_lend(F, w);
        CHECK(hy_value(F, hy_call(F, net, x), 2) == 6);
        hy_add_to(F, w, hy_ones(F, HY_SHAPE(2, 3)));
        CHECK(hy_value(F, hy_call(F, net, x), 2) == 7);
        hy_add_to(F, w, hy_ones(F, HY_SHAPE(2, 3)));
        CHECK(hy_value(F, hy_call(F, net, x), 2) == 8);
    }
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* Running statistics that training changes. */
static void param_lent_statistics_move(void)
{
    hy_frame *F = tb_open(0);
    hy_array *x = hy_reshape(F, hy_arange(F, 0, 24, 1), HY_INTS(4, 6), NULL), *want = NULL, *mean;
    int i;
    for (i = 0; i < 3; i++) {           /* line by line in memory of its own, then lent, then compiled and lent */
        hy_block *net = tb_norm(F);
        hy_initialize(F, net, NULL);
        hy_call(F, net, x);
        mean = hy_param(F, net, "running_mean");
        if (i) param_lend(F, mean);
        else hy_assign(F, mean, hy_floats(F, HY_SHAPE(6), param_lent));
        if (i == 2) hy_hybridize(F, net, NULL);
        hy_set_training(F, 1);
        hy_call(F, net, x);
        hy_call(F, net, x);
        hy_set_training(F, 0);
        if (!i) want = hy_copy(F, mean);
        CHECK(tb_same(F, hy_copy(F, mean), want) && hy_value(F, mean, 0) != 1);
    }
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* What is tried and given up is no error for the log. */
static int param_log_errors;
static void param_log_fn(void *user, int level, int code, const char *text)
{
    (void)user; (void)code; (void)text;
    param_log_errors += level == HY_LOG_ERROR;
}

static void param_log_hears_only_errors_that_stay(void)
{
    hy_desc desc;
    hy_frame *F;
    memset(&desc, 0, sizeof desc);
    desc.threads = 1;
    desc.log_fn = param_log_fn;
    F = hy_open(&desc);
    param_log_errors = 0;
    hy__try(F);
    hy_dot(F, hy_ones(F, HY_SHAPE(2, 3)), hy_ones(F, HY_SHAPE(4)), NULL);
    hy__try(F);
    hy__try_end(F, 0);
    CHECK(param_log_errors == 0 && hy_error(F));
    hy__try_end(F, 1);
    OK(F);
    hy__try(F);
    hy_dot(F, hy_ones(F, HY_SHAPE(2, 3)), hy_ones(F, HY_SHAPE(4)), NULL);
    hy__try_end(F, 0);
    CHECK(param_log_errors == 1);
    ERR(F, HY_ERROR_SHAPE, "dot");
#ifndef HYBRID_NO_RNN
    {
        hy_block *lstm = hy_rnn_lstm(F, 4, NULL);
        hy_initialize(F, lstm, NULL);
        hy_hybridize(F, lstm, NULL);
        hy_call(F, lstm, hy_ones(F, HY_SHAPE(3, 2, 5)));
        OK(F);
    }
#endif
    CHECK(param_log_errors == 1);
    CHECK(hy_close(F) == 0);
}

/* Blocks made and freed again and again settle; a graph that names a parameter of one never meets another. */
static void param_records_are_used_again(void)
{
    hy_frame *F = tb_open(0);
    hy_array *x = hy_ones(F, HY_SHAPE(2, 3)), *first = NULL;
    hy_graph *kept = NULL;
    size_t bytes = 0;
    int i;
    for (i = 0; i < 300; i++) {
        hy_block *net = tb_mlp(F);
        hy_begin(F);
        hy_initialize(F, net, NULL);
        hy_hybridize(F, net, NULL);
        hy_call(F, net, x);
        if (!i) {
            kept = hy_optimize(F, hy_graph_of(F, net), hy_group(F, x), NULL);
            first = hy_param(F, net, "first.weight");
        }
        hy_block_free(F, net);
        hy_end(F);
        if (i == 1) {
            hy_sum(F, first, HY_ALL, NULL);
            ERR(F, HY_ERROR_STATE, "used after");
        }
        hy_trim(F);
        if (i == 200) bytes = hy_memory_use(F).bytes;
    }
    CHECK(hy_memory_use(F).bytes == bytes);
    CHECK(F->root->gones < 2 * HY__SLAB);
    CHECK(kept && !hy_graph_run(F, kept, x));
    ERR(F, HY_ERROR_STATE, "belonged to a block that was freed");
    hy_graph_free(F, kept);
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* The activation that a layer made goes with it: nothing takes its place, where it would be left behind. */
static void param_activation_of_a_layer_stays(void)
{
    hy_frame *F = tb_open(1);
    hy_nn_dense_opt opt;
    hy_block *layer, *act;
    memset(&opt, 0, sizeof opt);
    opt.activation = "relu";
    layer = hy_nn_dense(F, 2, &opt);
    act = hy_child(F, layer, 0);
    CHECK(hy_add_child(F, layer, hy_child_name(F, layer, 0), act) == act);
    CHECK(!hy_add_child(F, layer, hy_child_name(F, layer, 0), hy_nn_activation(F, "tanh")));
    ERR(F, HY_ERROR_STATE, "hy_add_child: act of Dense is the layer's own");
    CHECK(hy_child(F, layer, 0) == act && hy_length(F, layer) == 1);
    hy_block_free(F, layer);
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* Freeing works when memory is out; a child that was replaced is no longer the block's. */
static void param_blocks_are_freed_without_memory(void)
{
    oom_meter meter;
    hy_frame *F = oom_open(&meter, 1000000, 0, 1);
    hy_block *net = tb_mlp(F), *old = hy_child(F, net, 1);
    hy_array *x = hy_ones(F, HY_SHAPE(2, 3));
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    hy_call(F, net, x);
    hy_add_child(F, net, "act", tb_block(F, "relu", tb_relu_forward));
    OK(F);
    meter.left = 0;
    hy_block_free(F, net);
    OK(F);
    CHECK(F->root->blocks == old && !old->core->next);
    meter.left = 1000000;
    CHECK(hy_value(F, hy_call(F, old, x), 1, 2) == 1);
    OK(F);
    CHECK(hy_close(F) == 0);
    CHECK(meter.blocks == 0);
}

static void test_param(void)
{
    RUN(param_values_before_initialize_are_an_error);
    RUN(param_parameter_names_are_once);
    RUN(param_initial_values_follow_the_rules);
    RUN(param_initialize_twice_changes_nothing);
    RUN(param_shared_are_initialized_by_two_threads);
    RUN(param_blocks_come_and_go_in_threads);
    RUN(param_found_outside_of_calls);
    RUN(param_initialisers_misbehave);
    RUN(param_initial_values_depend_on_seed_and_path_only);
    RUN(param_deferred_shapes_come_from_the_first_call);
    RUN(param_shapes_of_a_failed_call_are_taken_back);
    RUN(param_wrong_shapes_name_param_operator_shapes);
    RUN(param_shape_that_cannot_be_inferred);
    RUN(param_set_param_before_and_after);
    RUN(param_set_draws_nothing);
    RUN(param_constants_are_fixed);
    RUN(param_shared_parameters_are_the_same);
    RUN(param_shared_shapes_meet);
    RUN(param_shared_parameters_outlive_their_block);
    RUN(param_shared_child_counts_once);
    RUN(param_cast_changes_parameters_and_results);
    RUN(param_multipliers_are_kept);
    RUN(param_patterns_match_from_the_beginning);
    RUN(param_patterns_alternatives_and_brackets);
    RUN(param_patterns_classes_and_repeats);
    RUN(param_patterns_of_mxnet);
    RUN(param_patterns_long);
    RUN(param_patterns_hostile_end);
    RUN(param_patterns_random);
    RUN(param_lists_live_as_arrays_do);
    RUN(param_many_names);
    RUN(param_activation_of_a_layer_stays);
    RUN(param_blocks_are_freed_without_memory);
    RUN(param_records_are_used_again);
    RUN(param_oom_many_names);
    RUN(param_lent_arrays_are_not_written);
    RUN(param_lent_parameters_move);
    RUN(param_lent_parameters_viewed);
    RUN(param_lent_statistics_move);
    RUN(param_log_hears_only_errors_that_stay);
}
