/* Loops and branches where they meet the rest: what is captured, states of any shape, gradients. */
static hy_array *loops_positive(hy_frame *F, hy_array *x, void *user)
{
    (void)user;
    x = hy_reshape(F, x, HY_INTS(-1), NULL);
    return hy_boolean_mask(F, x, hy_greater_scalar(F, x, 0), 0);
}

static hy_array *loops_mask_body(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    int which = *(const int *)user;
    hy_array *y = loops_positive(F, x, NULL);
    if (which == 0) return hy_group(F, NULL, hy_add(F, s, hy_sum(F, y, HY_ALL, NULL)));
    return which == 1 ? hy_group(F, y, s) : hy_group(F, NULL, y);
}

static hy_array *loops_mask_outer(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    int which = 1;
    (void)user;
    return hy_foreach(F, loops_mask_body, hy_expand_dims(F, x, 0), s, &which);
}

static hy_array *loops_mask(hy_frame *F, hy_block *b, hy_array *x)
{
    int which = *(const int *)(const void *)(b + 1);
    hy_array *s = which == 2 ? hy_ones(F, HY_SHAPE(2)) : hy_zeros(F, HY_SHAPE(1));
    if (which == 3) return hy_cond(F, hy_sum(F, x, HY_ALL, NULL), loops_positive, loops_positive, x, NULL);
    s = hy_foreach(F, which == 4 ? loops_mask_outer : loops_mask_body, x, s, &which);
    return which == 1 || which == 4 ? hy_get(F, s, 0) : hy_get(F, s, 1);
}

/* Where values decide a shape in a body the error names that operator, however deep it stands. */
static void test_loops_undecided(void)
{
    int which, way;
    for (which = 0; which < 5; which++)
        for (way = 0; way < 3; way++) {
            hy_frame *F = hy_open(NULL);
            hy_block *net = hy_block_new(F, sizeof(hy_block) + sizeof(int), "net", loops_mask, 1);
            hy_array *x = hy_ones(F, HY_SHAPE(3, 2));
            *(int *)(void *)(net + 1) = which;
            if (way) hy_hybridize(F, net, NULL);
#ifndef HYBRID_NO_TRAIN
            if (way == 2) { hy_attach_grad(F, x, HY_GRAD_WRITE); hy_record(F); }
#endif
            hy_call(F, net, x);
            if (way) ERR(F, HY_ERROR_UNSUPPORTED, "values decide the shape of net0__contrib_boolean_mask0");
            OK(F);
            CHECK(!hy_close(F));
        }
}

/* Bodies that meet bad data: an index, in the second turn or (early) in the first; a matrix that is the same in
 * all turns and has no root, behind the index if both are bad. */
typedef struct loops_bad { int which; hy_array *matrix; } loops_bad;
static hy_array *loops_bad_index(hy_frame *F, hy_array *x)
{
    return hy_gather_nd(F, hy_ones(F, HY_SHAPE(3)), hy_reshape(F, x, HY_INTS(1, 1), NULL));
}
static hy_array *loops_bad_root(hy_frame *F, const loops_bad *l)
{
    return hy_sum(F, hy_linalg_potrf(F, hy_mul_scalar(F, l->matrix, -1)), HY_ALL, NULL);
}
static hy_array *loops_bad_body(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    const loops_bad *l = (const loops_bad *)user;
    hy_array *y = l->which == 1 ? x : loops_bad_index(F, x);
    if (l->which == 1 || l->which == 2) y = hy_add(F, y, loops_bad_root(F, l));
    return hy_group(F, y, hy_add(F, s, y));
}
static hy_array *loops_bad_step(hy_frame *F, hy_array *s, void *user)
{
    return hy_group(F, NULL, hy_add(F, s, hy_ones(F, HY_SHAPE(1))));
    (void)user;
}
static hy_array *loops_bad_asks(hy_frame *F, hy_array *s, void *user)
{
    const loops_bad *l = (const loops_bad *)user;
    hy_array *y = loops_bad_index(F, hy_mul_scalar(F, s, 2));
    return hy_lesser_scalar(F, l->which == 4 ? hy_add(F, y, loops_bad_root(F, l)) : y, 100);
}
static hy_array *loops_bad_branch(hy_frame *F, hy_array *x, void *user)
{
    loops_bad l = *(loops_bad *)user;
    hy_array *y;
    if (l.which == 5) return loops_bad_index(F, x);
    if (l.which == 6) return hy_reshape(F, loops_bad_root(F, &l), HY_INTS(1), NULL);
    l.which = 0;
    y = hy_foreach(F, loops_bad_body, hy_reshape(F, x, HY_INTS(1, 1), NULL), hy_zeros(F, HY_SHAPE(1)), &l);
    return hy_get(F, y, 1);
}
static hy_array *loops_bad_outer(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    hy_array *y = hy_cond(F, hy_greater_scalar(F, x, 0), loops_bad_branch, loops_bad_branch, x, user);
    return hy_group(F, NULL, hy_add(F, s, y));
}
static hy_array *loops_bad_forward(hy_frame *F, hy_block *b, hy_array *x)
{
    loops_bad l;
    hy_array *zero = hy_zeros(F, HY_SHAPE(1));
    l.which = *(const int *)(const void *)(b + 1);
    l.matrix = hy_mul(F, hy_eye(F, 2, 2, 0), hy_slice_axis(F, x, 0, 0, 1));
    if (l.which == 3 || l.which == 4) return hy_get(F, hy_while_loop(F, loops_bad_asks, loops_bad_step, zero, 5, &l), 1);
    if (l.which == 5 || l.which == 6)
        return hy_cond(F, hy_sum(F, x, HY_ALL, NULL), loops_bad_branch, loops_bad_branch,
                       hy_slice_axis(F, x, 0, 1, 2), &l);
    return hy_get(F, hy_foreach(F, l.which == 7 ? loops_bad_outer : loops_bad_body, x, zero, &l), 1);
}

/* An error without the name of a node and where it was met. */
static const char *loops_plain(const char *error, char *to)
{
    const char *comma = strchr(error, ','), *colon = strchr(error, ':');
    char *end;
    to[0] = 0;
    if (comma && comma < colon) strcpy(to, "Error in operator");
    strcat(to, comma && comma < colon ? comma + 1 : error);
    if ((end = strstr(to, " [in ")) != NULL) *end = 0;
    return to;
}

/* What values make wrong in a body is said of the operator in it, as line by line, whoever runs the body. */
static void test_loops_bad_data(void)
{
    static const char *const due[8] = { "gather_nd", "potrf", "gather_nd", "gather_nd", "potrf", "gather_nd", "potrf",
                                        "gather_nd" };
    static const float good[2] = { 1, 2 }, late[2] = { 1, 7 }, soon[2] = { 7, 1 };
    char said[2][1024];
    int which, way, again;
    for (which = 0; which < 8; which++)
        for (way = 0; way < 5; way++) {
            hy_frame *F = hy_open(NULL);
            hy_block *net = hy_block_new(F, sizeof(hy_block) + sizeof(int), "net", loops_bad_forward, 1);
            hy_array *x = hy_from(F, HY_SHAPE(2), HY_F32, which == 2 ? soon : late);
            *(int *)(void *)(net + 1) = which;
#ifndef HYBRID_NO_IO
            if (way > 2) {
                hy_array *file = hy_save_model_to(F, net, hy_from(F, HY_SHAPE(2), HY_F32, good));
                net = hy_load_model_from(F, hy_data(F, file), (size_t)hy_size(F, file), 0);
            }
#endif
            if (way == 1 || way == 4) hy_hybridize(F, net, NULL);
            if (way == 2) { hy_hybridize_opt opt; memset(&opt, 0, sizeof opt); opt.exact = 1; hy_hybridize(F, net, &opt); }
            OK(F);
            for (again = 0; again < 2; again++) {       /* an executor that is there says it, too */
                hy_call(F, net, x);
                CHECK(hy_error_code(F) == HY_ERROR_INDEX);
                CHECK(strstr(hy_error(F) ? hy_error(F) : "", due[which]) != NULL);
                if (hy_error(F)) loops_plain(hy_error(F), said[way > 0]);
                if (way) CHECK_STR(said[1], said[0]);
                hy_clear(F);
            }
            CHECK(!hy_close(F));
        }
}

/* A layer whose result nobody takes has parameters of known size, as line by line: in one branch, the other, both,
 * in a loop, by itself. */
typedef struct { hy_block base; hy_block *dense; int which; } loops_unused_net;
static hy_array *loops_unused_layer(hy_frame *F, hy_array *x, void *user)
{
    return hy_call(F, ((loops_unused_net *)user)->dense, x) ? x : NULL;
}
static hy_array *loops_unused_other(hy_frame *F, hy_array *x, void *user) { (void)F; (void)user; return x; }
static hy_array *loops_unused_turn(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    loops_unused_layer(F, hy_expand_dims(F, x, 0), user);
    return hy_group(F, x, s);
}
static hy_array *loops_unused_forward(hy_frame *F, hy_block *b, hy_array *x)
{
    loops_unused_net *n = (loops_unused_net *)(void *)b;
    if (n->which == 4) return loops_unused_layer(F, x, n);
    if (n->which == 3) return hy_get(F, hy_foreach(F, loops_unused_turn, x, hy_zeros(F, HY_SHAPE(1)), n), 0);
    return hy_cond(F, hy_sum(F, x, HY_ALL, NULL), n->which == 1 ? loops_unused_other : loops_unused_layer,
                   n->which == 0 ? loops_unused_other : loops_unused_layer, x, n);
}
static void test_loops_unused(void)
{
    int which, hybrid;
    for (which = 0; which < 5; which++)
        for (hybrid = 0; hybrid < 3; hybrid++) {
            hy_frame *F = hy_open(NULL);
            loops_unused_net *n = HY_BLOCK_NEW(F, loops_unused_net, loops_unused_forward);
            double first;
            n->which = which;
            n->dense = hy_add_child(F, &n->base, "dense", hy_nn_dense(F, 3, NULL));
            hy_initialize(F, &n->base, NULL);
            if (hybrid == 1) hy_hybridize(F, &n->base, NULL);
            if (hybrid == 2) hy_set_recompute(F, &n->base, 1);
            hy_seed(F, 3);
            CHECK(hy_size(F, hy_call(F, &n->base, hy_ones(F, HY_SHAPE(2, 4)))) == 8);
            if (hybrid == 1 || which != 1) {
                CHECK(hy_size(F, hy_param(F, n->dense, "weight")) == 12);
                first = hy_value(F, hy_param(F, n->dense, "weight"), 0, 0);
                CHECK(first != 0 && fabs(first) <= 0.07);
            }
            CHECK_STR(hy_error(F), NULL);
            CHECK(!hy_close(F));
        }
}

#ifndef HYBRID_NO_TRAIN
/* A layer in a branch that is not taken, which no backward has reached: a step that leaves stale gradients out
 * makes of the other the same, whether the size of that layer is known yet or not. */
static void test_loops_unreached(void)
{
    double made[3];
    int hybrid;
    for (hybrid = 0; hybrid < 3; hybrid++) {
        hy_frame *F = hy_open(NULL);
        loops_unused_net *n = HY_BLOCK_NEW(F, loops_unused_net, loops_unused_forward);
        hy_block *seq = hy_nn_hybrid_sequential(F), *dense = hy_nn_dense(F, 4, NULL);
        hy_init one = hy_init_constant(1);
        hy_trainer_opt opt;
        hy_trainer *T;
        hy_array *y;
        memset(&opt, 0, sizeof opt);
        n->which = 1;
        n->dense = hy_add_child(F, &n->base, "dense", hy_nn_dense(F, 3, NULL));
        hy_append(F, seq, dense, &n->base);
        hy_initialize(F, seq, &one);
        if (hybrid) hy_hybridize(F, hybrid == 1 ? seq : dense, NULL);
        opt.ignore_stale_grad = hybrid < 2;
        T = hy_trainer_new(F, seq, hy_optim_sgd(NULL), &opt);
        hy_record(F);
        y = hy_call(F, seq, hy_ones(F, HY_SHAPE(2, 4)));
        hy_pause(F);
        hy_backward(F, y, NULL);
        CHECK((hy_step(F, T, 1) == HY_STEP_MADE) == (hybrid < 2));
        if (hybrid == 2) CHECK(strstr(hy_error(F), "was deferred") != NULL);
        hy_clear(F);
        made[hybrid] = hy_value(F, hy_param(F, dense, "weight"), 0, 0);
        CHECK(!hy_close(F));
    }
    CHECK(made[0] < 1 && made[0] == made[1] && made[2] == 1);
}
#endif

/* A state that a turn gives another shape or type: in each mode the same is said, with and without a turn. */
static hy_array *loops_changed(hy_frame *F, hy_array *s, const void *user)
{
    s = hy_reshape(F, s, HY_INTS(1, 1), NULL);
    return *(const int *)user % 2 ? hy_cast(F, s, HY_F16) : s;
}
static hy_array *loops_changing_body(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    (void)x;
    return hy_group(F, NULL, loops_changed(F, s, user));
}
static hy_array *loops_changing_asks(hy_frame *F, hy_array *s, void *user)
{
    return hy_lesser_scalar(F, hy_sum(F, s, HY_ALL, NULL), *(const int *)user < 4 ? 3 : -1);
}
static hy_array *loops_changing_step(hy_frame *F, hy_array *s, void *user)
{
    return hy_group(F, s, loops_changed(F, s, user));
}
static hy_array *loops_changing(hy_frame *F, hy_block *b, hy_array *x)
{
    int *which = (int *)(void *)(b + 1);
    hy_array *s = hy_zeros(F, HY_SHAPE(1));
    if (*which < 2) return hy_get(F, hy_foreach(F, loops_changing_body, x, s, which), 1);
    return hy_get(F, hy_while_loop(F, loops_changing_asks, loops_changing_step, s, 3, which), 1);
}
static void test_loops_changing_state(void)
{
    int which, turns, hybrid;
    for (which = 0; which < 6; which++)                 /* foreach, while, while without a turn */
        for (turns = 0; turns < 3; turns++)
            for (hybrid = 0; hybrid < 2; hybrid++) {
                hy_frame *F = hy_open(NULL);
                hy_block *net = hy_block_new(F, sizeof(hy_block) + sizeof(int), "net", loops_changing, 1);
                *(int *)(void *)(net + 1) = which;
                if (hybrid) hy_hybridize(F, net, NULL);
                hy_call(F, net, hy_ones(F, HY_SHAPE(turns)));
                CHECK(hy_error_code(F) == HY_ERROR_SHAPE);
                CHECK(hy_error(F) && strstr(hy_error(F), which < 2 ? "hy_foreach: state 0 is (1,) float32 before a turn"
                                                                   : "hy_while_loop: state 0 is (1,) float32 before a turn") == hy_error(F));
                hy_clear(F);
                CHECK(!hy_close(F));
            }
}

#ifndef HYBRID_NO_TRAIN
static hy_array *loops_times(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    (void)s;
    return hy_group(F, hy_mul(F, x, (hy_array *)user), NULL);
}

static hy_array *loops_swap(hy_frame *F, hy_array *v, void *user)
{
    (void)user;
    return hy_group(F, hy_get(F, v, 1), v);
}

/* The third of three parts that a recorded operator gave; all of it is 3. */
static hy_array *loops_part(hy_frame *F)
{
    hy_array *x = hy_full(F, HY_SHAPE(4, 6), 3), *part;
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_record(F);
    part = hy_get(F, hy_split(F, x, 3, 1, NULL), 2);
    hy_pause(F);
    return part;
}

/* An array that is output 2 of a recorded operator is one value where it is captured: in a symbolic frame,
 * and where a loop without a turn is traced for the types of its outputs. */
static void test_loops_captured(void)
{
    hy_frame *F = hy_open(NULL), *S;
    hy_array *part = loops_part(F), *y;
    hy_graph *g;
    S = hy_symbolic(F);
    y = hy_add(S, hy_var(S, "v", NULL), part);
    OK(S);
    CHECK(y && y->node->in[1].output == 0);
    g = hy_compile(S, y);
    y = hy_graph_run(F, g, hy_ones(F, HY_SHAPE(4, 2)));
    OK(F);
    CHECK(y && hy_value(F, y, 3, 1) == 4);
    CHECK(!hy_close(S));
    hy_record(F);
    y = hy_get(F, hy_foreach(F, loops_times, hy_empty(F, HY_SHAPE(0, 2), HY_F32), NULL, part), 0);
    OK(F);
    CHECK(y && hy_ndim(F, y) == 3 && hy_dim(F, y, 0) == 0 && hy_dim(F, y, 1) == 4 && hy_dim(F, y, 2) == 2);
    y = hy_while_loop(F, control_never, loops_swap, hy_group(F, hy_zeros(F, HY_SHAPE(1)), part), 5, NULL);
    hy_pause(F);
    OK(F);
    CHECK(y && hy_dim(F, hy_get(F, y, 0), 0) == 5 && hy_value(F, hy_get(F, y, 0), 4, 3, 1) == 0);
    CHECK(hy_value(F, hy_get(F, hy_get(F, y, 1), 1), 3, 1) == 3);
    CHECK(!hy_close(F));
}

/* One net: a parameter, which forward, and what is known of it. */
typedef struct { hy_block base; hy_array *w; } loops_net;
typedef hy_array *(*loops_forward)(hy_frame *F, hy_block *b, hy_array *x);
typedef struct loops_case {
    loops_forward forward;
    int           dims;                 /* of the parameter: of shape (), (2,), (1, ..., 1, 2) */
    double        value;                /* of its elements */
    double        y, dw, dx[6];         /* the first element of the result; gradients of the sum of results */
} loops_case;

static hy_array *loops_scalar_body(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    (void)user;
    s = hy_tanh(F, hy_add(F, s, hy_sum(F, hy_mul(F, x, s), HY_ALL, NULL)));
    s = hy_reshape(F, s, HY_EMPTY, NULL);
    return hy_group(F, s, s);
}

static hy_array *loops_scalar(hy_frame *F, hy_block *b, hy_array *x)
{
    return hy_get(F, hy_foreach(F, loops_scalar_body, x, ((loops_net *)b)->w, NULL), 1);
}

static hy_array *loops_pick_body(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    (void)user; (void)s;
    return hy_group(F, hy_take(F, hy_square(F, x), hy_scalar(F, 1), 0, NULL), NULL);
}

static hy_array *loops_pick(hy_frame *F, hy_block *b, hy_array *x)
{
    (void)b;
    return hy_get(F, hy_foreach(F, loops_pick_body, x, NULL, NULL), 0);
}

static hy_array *loops_wide_body(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    (void)user;
    return hy_group(F, NULL, hy_mul(F, s, x));
}

static hy_array *loops_wide(hy_frame *F, hy_block *b, hy_array *x)
{
    return hy_get(F, hy_foreach(F, loops_wide_body, x, ((loops_net *)b)->w, NULL), 1);
}

static hy_array *loops_wide_below(hy_frame *F, hy_array *v, void *user)
{
    (void)user;
    return hy_lesser_scalar(F, hy_get(F, v, 0), 2.5);
}

static hy_array *loops_wide_step(hy_frame *F, hy_array *v, void *user)
{
    return hy_group(F, NULL, hy_group(F, hy_add_scalar(F, hy_get(F, v, 0), 1),
                                      hy_mul(F, hy_get(F, v, 1), (hy_array *)user)));
}

static hy_array *loops_wide_while(hy_frame *F, hy_block *b, hy_array *x)
{
    hy_array *v = hy_group(F, hy_zeros(F, HY_SHAPE(1)), ((loops_net *)b)->w);
    return hy_get(F, hy_get(F, hy_while_loop(F, loops_wide_below, loops_wide_step, v, 9,
                                             hy_slice_axis(F, x, 0, 1, 2)), 1), 1);
}

static hy_array *loops_root_body(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    (void)user;
    return hy_group(F, hy_mul_scalar(F, x, 2), hy_sqrt(F, s));
}

/* A state that no result needs: its root at 0 gets no gradient, not 0 times infinity. */
static hy_array *loops_root(hy_frame *F, hy_block *b, hy_array *x)
{
    hy_array *w = ((loops_net *)b)->w;
    return hy_add(F, hy_get(F, hy_foreach(F, loops_root_body, x, w, NULL), 0), w);
}

static hy_array *loops_loss_body(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    (void)user; (void)s;
    return hy_group(F, NULL, hy_make_loss(F, x, NULL));
}

/* A gradient begins in the turn whose result is used. */
static hy_array *loops_loss(hy_frame *F, hy_block *b, hy_array *x)
{
    return hy_get(F, hy_foreach(F, loops_loss_body, x, ((loops_net *)b)->w, NULL), 1);
}

static hy_array *loops_delay_body(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    (void)user;
    return hy_group(F, NULL, hy_group(F, hy_square(F, x), hy_sqrt(F, hy_get(F, s, 0))));
}

/* The last turn but one gives the result; a root of 0 is in the first turn only. */
static hy_array *loops_delay(hy_frame *F, hy_block *b, hy_array *x)
{
    hy_array *w = ((loops_net *)b)->w;
    return hy_get(F, hy_get(F, hy_foreach(F, loops_delay_body, x, hy_group(F, w, w), NULL), 1), 1);
}

static hy_array *loops_then(hy_frame *F, hy_array *v, void *user)
{
    (void)user;
    return hy_group(F, hy_mul_scalar(F, hy_get(F, v, 0), 3), hy_sqrt(F, hy_get(F, v, 1)));
}

static hy_array *loops_else(hy_frame *F, hy_array *v, void *user)
{
    (void)user;
    return hy_group(F, hy_get(F, v, 0), hy_get(F, v, 1));
}

/* The same of a branch. */
static hy_array *loops_branch(hy_frame *F, hy_block *b, hy_array *x)
{
    hy_array *w = ((loops_net *)b)->w, *v = hy_group(F, x, w);
    v = hy_cond(F, hy_greater_scalar(F, hy_sum(F, x, HY_ALL, NULL), 0), loops_then, loops_else, v, NULL);
    return hy_add(F, hy_get(F, v, 0), w);
}

static hy_array *loops_inner_body(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    hy_array *w = (hy_array *)user;
    s = hy_tanh(F, hy_add(F, hy_mul(F, s, w), hy_mul(F, hy_mul(F, w, w), x)));
    return hy_group(F, s, s);
}

static hy_array *loops_outer_body(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    hy_array *y = hy_foreach(F, loops_inner_body, hy_expand_dims(F, x, 1), s, user);
    return hy_group(F, hy_get(F, y, 0), hy_mul(F, hy_get(F, y, 1), s));
}

/* One within another, with a parameter from outside and a state that is an output, too. */
static hy_array *loops_nested(hy_frame *F, hy_block *b, hy_array *x)
{
    hy_array *w = ((loops_net *)b)->w, *y = hy_foreach(F, loops_outer_body, x, hy_mul_scalar(F, w, 2), w);
    y = hy_add(F, hy_sum(F, hy_get(F, y, 0), HY_INTS(0, 1), NULL), hy_get(F, y, 1));
    return hy_mul(F, y, w);
}

static hy_array *loops_whole_body(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    (void)user;
    return hy_group(F, NULL, hy_add(F, s, x));
}

static hy_array *loops_whole_then(hy_frame *F, hy_array *v, void *user)
{
    (void)user;
    return hy_cast(F, hy_get(F, v, 1), hy_dtype_of(F, hy_get(F, v, 0)));
}

static hy_array *loops_whole_else(hy_frame *F, hy_array *v, void *user)
{
    (void)user;
    return hy_get(F, v, 0);
}

/* Whole numbers hand gradients on, in loops and branches, too. */
static hy_array *loops_whole(hy_frame *F, hy_block *b, hy_array *x)
{
    hy_array *w = ((loops_net *)b)->w, *rows = hy_cast(F, hy_mul_scalar(F, x, 4), HY_I32), *s;
    s = hy_foreach(F, loops_whole_body, rows, hy_cast(F, hy_mul_scalar(F, w, 2), HY_I32), NULL);
    s = hy_cond(F, hy_greater_scalar(F, hy_sum(F, x, HY_ALL, NULL), 0), loops_whole_then, loops_whole_else,
                hy_group(F, w, hy_get(F, s, 1)), NULL);
    return hy_mul(F, s, w);
}

/* No loop: a parameter whose gradient reads its shape alone; in second order no gradient arrives there. */
static hy_array *loops_shape_alone(hy_frame *F, hy_block *b, hy_array *x)
{
    hy_array *w = ((loops_net *)b)->w;
    w = hy_reshape(F, hy_sum(F, w, HY_ALL, NULL), HY_EMPTY, NULL);
    return hy_add(F, hy_mul_scalar(F, w, .125), hy_square(F, x));
}

static const loops_case loops_cases[] = {
    { loops_scalar, 0, .5, 0.994789815712, 0.000880536413767,
      { 0.000146756068961, 0.000146756068961, 0.000490061314564, 0.000490061314564, 0.0103025914748,
        0.0103025914748 } },
    { loops_pick, 1, 0, 1, 0, { 0, 2, 0, 2, 0, 2 } },
    { loops_wide, 8, 2, 2, 1, { 2, 2, 2, 2, 2, 2 } },
    { loops_wide_while, 8, 2, 2, 1, { 0, 0, 6, 6, 0, 0 } },
    { loops_root, 1, 0, 2, 3, { 2, 2, 2, 2, 2, 2 } },
    { loops_loss, 1, 0, 1, 0, { 0, 0, 0, 0, 1, 1 } },
    { loops_delay, 1, 0, 1, 0, { 0, 0, 1, 1, 0, 0 } },
    { loops_branch, 1, 0, 3, 3, { 3, 3, 3, 3, 3, 3 } },
    { loops_whole, 1, 2, 32, 20, { 8, 8, 8, 8, 8, 8 } },
    { loops_shape_alone, 3, .5, 1.125, .75, { 2, 2, 2, 2, 2, 2 } },
    { loops_nested, 1, .75, 4.627541165119, 13.109650375566,
      { 0.167438300405, 0.619623477094, 0.221355585031, 0.5711708258, 0.278635502799, 0.516250682929 } }
};

static hy_shape loops_shape(int dims)
{
    hy_shape s = HY_SCALAR;
    int d;
    s.ndim = dims;
    for (d = 0; d < dims; d++) s.dim[d] = d + 1 < dims ? 1 : 2;
    return s;
}

/* Result, gradients of the parameter and of x, and those of the sum of their squares. */
static void loops_run(hy_frame *F, loops_net *net, hy_array *x, hy_array **g, int orders)
{
    hy_grad_opt again;
    hy_array *y, *both, *got;
    int i;
    memset(&again, 0, sizeof again);
    again.create_graph = 1;
    again.retain_graph = 1;
    for (i = 0; i < 5; i++) g[i] = NULL;
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_record(F);
    y = g[0] = hy_call(F, &net->base, x);
    both = hy_group(F, net->w, x);
    for (i = 0; i < orders && y; i++) {
        got = hy_grad(F, y, both, &again);
        if (!got) break;
        g[1 + 2 * i] = hy_get(F, got, 0);
        g[2 + 2 * i] = hy_get(F, got, 1);
        y = hy_sum(F, hy_square(F, g[2]), HY_ALL, NULL);
        y = hy_add(F, hy_sum(F, hy_square(F, g[1]), HY_ALL, NULL), y);
    }
    hy_pause(F);
}

static loops_net *loops_new(hy_frame *F, const loops_case *c, hy_dtype dtype)
{
    loops_net *net = HY_BLOCK_NEW(F, loops_net, c->forward);
    hy_shape shape = loops_shape(c->dims);
    if (!net) return NULL;
    net->w = hy_add_param(F, &net->base, "w", shape, NULL);
    hy_initialize(F, &net->base, NULL);
    hy_set_param(F, net->w, hy_full(F, shape, c->value));
    if (dtype != HY_F32) hy_cast_block(F, &net->base, dtype);
    return net;
}

/* One case in one type: line by line, compiled, compiled exactly. */
static void loops_ways(const loops_case *c, hy_dtype dtype)
{
    double near = dtype == HY_F64 ? 1e-8 : dtype == HY_F32 ? 2e-5 : 2e-2;
    int way, i;
    hy_frame *F = control_open(2);
    loops_net *net = loops_new(F, c, dtype);
    hy_array *x = hy_cast(F, hy_ones(F, HY_SHAPE(3, 2)), dtype), *due[5], *got[5];
    hy_hybridize_opt opt;
    memset(&opt, 0, sizeof opt);
    loops_run(F, net, x, due, 2);
    OK(F);
    CHECK(due[4] && fabs(control_at(F, due[0], 0) - c->y) < near);
    CHECK(due[4] && fabs(control_at(F, due[1], 0) - c->dw) < near);
    for (i = 0; i < 6 && due[4]; i++) CHECK_NEAR(control_at(F, due[2], i), c->dx[i], near);
    for (way = 0; way < 2; way++) {
        opt.exact = way;
        hy_hybridize(F, &net->base, &opt);
        loops_run(F, net, x, got, 2);
        OK(F);
        for (i = 0; i < 5; i++)
            if (!CHECK(i < 3 ? control_same(F, due[i], got[i]) : control_far(F, got[i], due[i]) < near))
                printf("    case %d, %s, %s, value %d\n", (int)(c - loops_cases), hy_dtype_name(dtype),
                       way ? "exact" : "compiled", i);
    }
    CHECK(!hy_close(F));
}

/* Two states that change places for more turns than have loops of their own, and a third without a use. */
static hy_array *loops_turned_body(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    hy_array *a = hy_get(F, s, 0), *b = hy_get(F, s, 1);
    (void)user;
    return hy_group(F, NULL, hy_group(F, hy_mul(F, b, hy_square(F, x)), hy_tanh(F, a), hy_get(F, s, 2)));
}

static hy_array *loops_turned(hy_frame *F, hy_block *b, hy_array *x)
{
    hy_array *w = ((loops_net *)b)->w, *rows = hy_tile(F, x, HY_INTS(4, 1));
    hy_array *first = hy_group(F, hy_mul_scalar(F, w, 3), hy_add_scalar(F, w, .5), hy_sqrt(F, w));
    return hy_mul(F, hy_get(F, hy_get(F, hy_foreach(F, loops_turned_body, rows, first, NULL), 1), 0), w);
}

/* Loops that have no turn: what is known when they are compiled, and what is not. */
static hy_array *loops_idle(hy_frame *F, hy_block *b, hy_array *x)
{
    hy_array *w = ((loops_net *)b)->w, *none = hy_slice_axis(F, x, 0, 0, 0), *v, *y;
    v = hy_group(F, hy_full(F, HY_SHAPE(1), 5), hy_mul(F, w, hy_square(F, w)));
    y = hy_get(F, hy_foreach(F, loops_wide_body, none, hy_square(F, w), NULL), 1);
    v = hy_get(F, hy_while_loop(F, loops_wide_below, loops_wide_step, v, 3, w), 1);
    return hy_add(F, y, hy_get(F, v, 1));
}

/* Operators with a gradient of their own, from turn to turn: in second order each is asked in the turns whose
 * own gradient is read, and in no other. */
static hy_array *loops_own_body(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    (void)user;
    return hy_group(F, NULL, hy_logistic_regression_output(F, hy_mul(F, s, hy_square(F, s)), x, NULL));
}

static hy_array *loops_own(hy_frame *F, hy_block *b, hy_array *x)
{
    hy_array *rows = hy_tile(F, x, HY_INTS(4, 1));
    return hy_get(F, hy_foreach(F, loops_own_body, rows, ((loops_net *)b)->w, NULL), 1);
}

static hy_array *loops_own_step(hy_frame *F, hy_array *s, void *user)
{
    hy_array *n = hy_get(F, s, 0), *y = hy_get(F, s, 1);
    y = hy_get(F, hy_softmax_output(F, hy_mul(F, y, hy_square(F, y)), (hy_array *)user, NULL), 0);
    return hy_group(F, NULL, hy_group(F, hy_add_scalar(F, n, 1), y));
}

static hy_array *loops_own_while(hy_frame *F, hy_block *b, hy_array *x)
{
    hy_array *w = hy_mul(F, hy_square(F, x), ((loops_net *)b)->w);
    hy_array *labels = hy_slice_axis(F, hy_mul_scalar(F, w, 0), 1, 0, 1);
    w = hy_group(F, hy_zeros(F, HY_SHAPE(1)), w);
    return hy_get(F, hy_get(F, hy_while_loop(F, loops_wide_below, loops_own_step, w, 9,
                                             hy_reshape(F, labels, HY_INTS(3), NULL)), 1), 1);
}

static void test_loops_turns(void)
{
    static const loops_case cases[] = {
        { loops_turned, 1, .75, 0, 0, { 0 } }, { loops_idle, 1, -2, 0, 0, { 0 } },
        { loops_own, 1, .75, 0, 0, { 0 } }, { loops_own_while, 1, .75, 0, 0, { 0 } } };
    int which, way, i;
    for (which = 0; which < (int)(sizeof cases / sizeof *cases); which++)
        for (way = 1; way < 3; way++) {
            hy_frame *F = control_open(2);
            loops_net *net = loops_new(F, &cases[which], HY_F64);
            hy_array *x = hy_cast(F, hy_reshape(F, hy_arange(F, 1, 7, 1), HY_INTS(3, 2), NULL), HY_F64);
            hy_array *due[5], *got[5];
            hy_hybridize_opt opt;
            memset(&opt, 0, sizeof opt);
            opt.exact = way == 2;
            x = hy_mul_scalar(F, x, .25);
            loops_run(F, net, x, due, 2);
            hy_hybridize(F, &net->base, &opt);
            loops_run(F, net, x, got, 2);
            OK(F);
            for (i = 0; i < 5; i++)
                CHECK(i < 3 ? control_same(F, due[i], got[i]) : control_far(F, got[i], due[i]) < 1e-9);
            CHECK(which != 1 || control_at(F, got[1], 0) == 8); /* of w^2 + w^3 at -2 */
            CHECK(!hy_close(F));
        }
}

/* A layer whose first states are for any batch, in a body: the gradients of a gradient by all parameters. */
typedef struct { hy_block *b; hy_array *x; } loops_layer_at;
static hy_array *loops_layer_body(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    loops_layer_at *at = (loops_layer_at *)user;
    (void)x;
    (void)s;
    return hy_group(F, hy_call(F, hy_child(F, at->b, 0), at->x), NULL);
}

static hy_array *loops_layer(hy_frame *F, hy_block *b, hy_array *x)
{
    loops_layer_at at;
    at.b = b;
    at.x = x;
    return hy_get(F, hy_foreach(F, loops_layer_body, ((loops_net *)b)->w, NULL, &at), 0);
}

static void test_loops_layer(void)
{
    static const loops_case layer = { loops_layer, 1, .75, 0, 0, { 0 } };
    hy_array *due[8];
    hy_frame *F = control_open(2);
    loops_net *net = loops_new(F, &layer, HY_F32);
    hy_array *x = hy_reshape(F, hy_arange(F, 0, 8, 1), HY_INTS(4, 1, 2), NULL);
    int way, i;
    hy_params all;
    hy_add_child(F, &net->base, "layer", hy_rnn_lstm(F, 2, NULL));
    hy_initialize(F, &net->base, NULL);
    x = hy_mul_scalar(F, x, .125);
    for (way = 0; way < 2; way++) {
        hy_grad_opt again;
        hy_array *y;
        memset(&again, 0, sizeof again);
        again.create_graph = 1;
        if (way) hy_hybridize(F, &net->base, NULL);
        hy_attach_grad(F, x, HY_GRAD_WRITE);
        hy_record(F);
        y = hy_grad(F, hy_call(F, &net->base, x), x, &again);
        y = hy_sum(F, hy_square(F, y), HY_ALL, NULL);
        hy_pause(F);
        hy_backward(F, y, NULL);
        OK(F);
        all = hy_collect_params(F, &net->base, NULL);
        CHECK(all.n == 5);
        for (i = 0; i < all.n && i < 7; i++) {
            hy_array *g = hy_copy(F, hy_grad_of(F, all.at[i]));
            if (way) CHECK(control_far(F, g, due[i]) < 1e-5);
            else due[i] = g;
        }
    }
    CHECK(!hy_close(F));
}

#ifndef HYBRID_NO_IO
/* Saved and loaded, and bound to memory of the caller's. */
static void test_loops_places(void)
{
    size_t i;
    for (i = 0; i < sizeof loops_cases / sizeof *loops_cases; i++) {
        hy_frame *F = control_open(1);
        loops_net *net = loops_new(F, &loops_cases[i], HY_F32);
        hy_array *x = hy_ones(F, HY_SHAPE(3, 2)), *due = hy_call(F, &net->base, x), *model;
        hy_plan_info plan;
        hy_block *read;
        void *room;
        hy_hybridize(F, &net->base, NULL);
        CHECK(control_same(F, due, hy_call(F, &net->base, x)));
        model = hy_save_model_to(F, &net->base, x);
        OK(F);
        read = model ? hy_load_model_from(F, hy_data(F, model), (size_t)hy_size(F, model), 0) : NULL;
        CHECK(read && control_same(F, due, hy_call(F, read, x)));
        plan = hy_plan(F, &net->base, x);
        room = malloc(plan.total + 64);
        CHECK(room && !hy_bind(F, &net->base, x, (void *)(((uintptr_t)room + 63) / 64 * 64), plan.total));
        CHECK(control_same(F, due, hy_call(F, &net->base, x)));
        OK(F);
        CHECK(!hy_close(F));
        free(room);
    }
}
#endif

static void test_loops_grad(void)
{
    static const hy_dtype dtypes[] = { HY_F32, HY_F64, HY_F16 };
    size_t i, k;
    for (i = 0; i < sizeof loops_cases / sizeof *loops_cases; i++)
        for (k = 0; k < 3; k++) loops_ways(&loops_cases[i], dtypes[k]);
}
#endif

static void test_loops(void)
{
    RUN(test_loops_undecided);
    RUN(test_loops_bad_data);
    RUN(test_loops_changing_state);
    RUN(test_loops_unused);
#ifndef HYBRID_NO_TRAIN
    RUN(test_loops_unreached);
    RUN(test_loops_captured);
    RUN(test_loops_grad);
    RUN(test_loops_turns);
    RUN(test_loops_layer);
#ifndef HYBRID_NO_IO
    RUN(test_loops_places);
#endif
#endif
}
