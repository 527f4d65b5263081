/* Networks called one after the other: backward runs the gradients of two neighbours as one program, and every bit is
 * what hy_grad gives, which runs them one by one. */
#ifndef HYBRID_NO_TRAIN
enum { JOINT_PLAIN, JOINT_CHAIN, JOINT_TWICE, JOINT_BRANCH, JOINT_HEADS, JOINT_MODES, JOINT_AGAIN, JOINT_CASES };

typedef struct {
    hy_block *net, *second, *loss;
    hy_array *x, *labels;
    int what;
} joint_lesson;

static hy_block *joint_net(hy_frame *F, int width)
{
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_nn_dense_opt relu = { 0 };
    relu.activation = "relu";
    hy_append(F, net, hy_nn_dense(F, 16, &relu), hy_nn_batch_norm(F, NULL), hy_nn_dropout(F, .5, NULL),
              hy_nn_dense(F, width, NULL));
    return net;
}

static hy_array *joint_forward(hy_frame *F, joint_lesson *l)
{
    hy_array *y = hy_call(F, l->net, l->x);
    if (l->what == JOINT_CHAIN) y = hy_call(F, l->second, y);
    if (l->what == JOINT_TWICE) y = hy_call(F, l->net, y);              /* its own neighbour */
    if (l->what == JOINT_BRANCH) y = hy_add(F, hy_call(F, l->second, y), y);
    l->labels = l->labels ? l->labels : hy_keep(F, hy_mod_scalar(F, hy_arange(F, 0, 12, 1), 4));
    return hy_call(F, l->loss, hy_group(F, y, l->labels));
}

static int joint_collect(hy_frame *F, hy_block *b, hy_array **to, int n)
{
    hy_params all = hy_collect_params(F, b, NULL);
    int i;
    for (i = 0; i < all.n; i++) if (hy_grad_req_of(F, all.at[i]) != HY_GRAD_NULL) to[n++] = all.at[i];
    return n;
}

/* compiled: how many programs there are after two steps. */
static int joint_run(int what, int threads, int *compiled)
{
    hy_desc desc = { 0 };
    hy_hybridize_opt exact = { 0 };
    hy_frame *F;
    joint_lesson l = { 0 };
    hy_array *p[32], *y, *g, *at[2];
    hy_grad_opt retain = { 0 };
    hy_event e;
    int i, n, step, same = 1;
    desc.threads = threads;
    F = hy_open(&desc);
    l.what = what;
    l.net = joint_net(F, what == JOINT_PLAIN ? 4 : 5);
    l.second = joint_net(F, what == JOINT_CHAIN ? 4 : 5);
    l.loss = hy_loss_softmax_ce(F, NULL);
    if (what == JOINT_AGAIN) hy_set_recompute(F, l.net, 1);
    hy_initialize(F, l.net, NULL);
    hy_initialize(F, l.second, NULL);
    exact.exact = what == JOINT_MODES;
    hy_hybridize(F, l.net, &exact);
    hy_hybridize(F, l.second, NULL);
    hy_hybridize(F, l.loss, NULL);
    l.x = hy_keep(F, hy_normal(F, HY_SHAPE(12, 5), 0, 1));
    retain.retain_graph = 1;
    hy_profile(F, "");
    for (step = 0; step < 3; step++) {
        hy_begin(F);
        hy_record(F);
        y = joint_forward(F, &l);
        if (what == JOINT_HEADS) y = hy_group(F, y, hy_call(F, l.loss, hy_group(F, hy_call(F, l.net, l.x), l.labels)));
        hy_pause(F);
        n = joint_collect(F, l.net, p, 0);
        if (what == JOINT_CHAIN || what == JOINT_BRANCH) n = joint_collect(F, l.second, p, n);
        g = step == 2 ? hy_grad(F, y, hy_group_of(F, n, p), &retain) : NULL;
        hy_backward(F, y, NULL);
        for (i = 0; g && i < n; i++) {
            at[0] = hy_get(F, g, i);
            at[1] = hy_grad_of(F, p[i]);
            same &= hy_size(F, at[0]) == hy_size(F, at[1]) && hy_data(F, at[0]) && hy_data(F, at[1]) &&
                !memcmp(hy_data(F, at[0]), hy_data(F, at[1]), (size_t)hy_size(F, at[0]) * 4);
        }
        hy_end(F);
        if (step != 1) continue;
        hy_profile(F, NULL);
        for (*compiled = i = 0; !hy_profile_event(F, i, &e); i++) *compiled += e.kind == HY_EVENT_COMPILE;
    }
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
    return same;
}

static void test_joint_same_bits(void)
{
    /* forward of each, and backward; only where neighbours agree in their options and nothing lies between */
    static const int programs[JOINT_CASES] = { 3, 5, 5, 6, 3, 4, 3 };
    int what, threads, compiled;
    for (what = 0; what < JOINT_CASES; what++) for (threads = 1; threads < 4; threads += 2) {
        CHECK(joint_run(what, threads, &compiled));
        if (!CHECK(compiled == programs[what])) printf("    case %d: %d programs\n", what, compiled);
    }
}

/* Networks come and go; the loss stays, with other shapes now and then. */
static void test_joint_others(void)
{
    hy_frame *F = hy_open(NULL);
    joint_lesson l = { 0 };
    int i, k;
    l.loss = hy_loss_softmax_ce(F, NULL);
    hy_hybridize(F, l.loss, NULL);
    for (i = 0; i < 24; i++) {
        hy_trainer *T;
        l.net = joint_net(F, 4 + i % 2);
        hy_initialize(F, l.net, NULL);
        hy_hybridize(F, l.net, NULL);
        T = hy_trainer_new(F, l.net, hy_optim_sgd(NULL), NULL);
        for (k = 0; k < 3; k++) {
            hy_begin(F);
            l.x = hy_normal(F, HY_SHAPE(12, 5 + i / 12), 0, 1);
            hy_record(F);
            hy_backward(F, joint_forward(F, &l), NULL);
            hy_pause(F);
            hy_step(F, T, 12);
            hy_end(F);
        }
        hy_trainer_free(F, T);
        hy_block_free(F, l.net);
    }
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
}

/* Memory that ends at each place in turn: an error, and all of it comes back. */
typedef struct { long left, held; } joint_memory;
static void *joint_alloc(void *user, size_t bytes)
{
    joint_memory *m = (joint_memory *)user;
    if (!m->left) return NULL;
    m->left--;
    m->held++;
    return malloc(bytes);
}
static void joint_free(void *user, void *block) { ((joint_memory *)user)->held -= block != NULL; free(block); }

static void test_joint_oom(void)
{
    long most;
    int failed = 1;
    for (most = 60; failed && most < 20000; most++) {
        hy_desc desc = { 0 };
        joint_memory memory = { 0, 0 };
        joint_lesson l = { 0 };
        hy_frame *F;
        memory.left = most;
        desc.threads = 1;
        desc.allocator.alloc_fn = joint_alloc;
        desc.allocator.free_fn = joint_free;
        desc.allocator.user_data = &memory;
        F = hy_open(&desc);
        if (!F) continue;
        l.loss = hy_loss_softmax_ce(F, NULL);
        l.net = joint_net(F, 4);
        hy_initialize(F, l.net, NULL);
        hy_hybridize(F, l.net, NULL);
        hy_hybridize(F, l.loss, NULL);
        l.x = hy_keep(F, hy_ones(F, HY_SHAPE(12, 5)));
        hy_record(F);
        hy_backward(F, joint_forward(F, &l), NULL);
        hy_pause(F);
        failed = hy_error(F) != NULL;
        if (failed && !CHECK(hy_error_code(F) == HY_ERROR_MEMORY)) puts(hy_error(F));
        hy_close(F);
        CHECK(memory.held == 0);
    }
    CHECK(!failed);
}
#endif

static void test_joint(void)
{
#ifndef HYBRID_NO_TRAIN
    RUN(test_joint_same_bits);
    RUN(test_joint_others);
    RUN(test_joint_oom);
#endif
}
