/* A hybridized training step: at most three runs of programs, and nothing asked of the allocator. */
#ifndef HYBRID_NO_TRAIN
typedef struct { hy_block base; hy_block *net, *loss; } step_lesson;

static hy_array *step_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    step_lesson *l = (step_lesson *)self;
    return hy_call(F, l->loss, hy_group(F, hy_call(F, l->net, hy_get(F, x, 0)), hy_get(F, x, 1)));
}

static void *step_alloc(void *user, size_t bytes) { ++*(long *)user; return malloc(bytes); }
static void step_free(void *user, void *block) { (void)user; free(block); }

/* together: network and loss are one block. */
static void step_train(int together, int threads, hy_optim optim, int again)
{
    hy_desc desc;
    hy_frame *F;
    hy_block *net, *loss;
    step_lesson *lesson;
    hy_nn_dense_opt relu = { 0 };
    hy_array *x, *labels, *y;
    hy_trainer *T;
    hy_event e;
    long asked = 0, before = 0;
    int step, i, runs = 0, others = 0;
    memset(&desc, 0, sizeof desc);
    desc.threads = threads;
    desc.allocator.alloc_fn = step_alloc;
    desc.allocator.free_fn = step_free;
    desc.allocator.user_data = &asked;
    F = hy_open(&desc);
    net = hy_nn_hybrid_sequential(F);
    loss = hy_loss_softmax_ce(F, NULL);
    lesson = HY_BLOCK_NEW(F, step_lesson, step_forward);
    relu.activation = "relu";
    hy_append(F, net, hy_nn_dense(F, 16, &relu), hy_nn_batch_norm(F, NULL), hy_nn_dropout(F, .5, NULL),
              hy_nn_dense(F, 4, NULL));
    if (again) hy_set_recompute(F, net, 1);
    lesson->net = hy_add_child(F, &lesson->base, "net", net);
    lesson->loss = hy_add_child(F, &lesson->base, "loss", loss);
    hy_initialize(F, net, NULL);
    hy_hybridize(F, &lesson->base, NULL);
    x = hy_keep(F, hy_normal(F, HY_SHAPE(12, 5), 0, 1));
    labels = hy_keep(F, hy_mod_scalar(F, hy_arange(F, 0, 12, 1), 4));
    T = hy_trainer_new(F, net, optim, NULL);
    for (step = 0; step < 14; step++) {
        before = asked;
        if (step == 13) hy_profile(F, "");
        hy_begin(F);
        hy_record(F);
        y = together ? hy_call(F, &lesson->base, hy_group(F, x, labels))
            : hy_call(F, loss, hy_group(F, hy_call(F, net, x), labels));
        hy_backward(F, y, NULL);
        hy_pause(F);
        hy_step(F, T, 12);
        hy_end(F);
        if (step >= 6 && step < 13) CHECK_NEAR((double)asked, (double)before, 0);
    }
    hy_profile(F, NULL);
    for (i = 0; !hy_profile_event(F, i, &e); i++) {
        runs += e.kind == HY_EVENT_CALL;
        others += e.kind != HY_EVENT_CALL && e.kind != HY_EVENT_JOB;
    }
    CHECK_NEAR(runs, together ? 2 : 3, 0);
    CHECK_NEAR(others, 1, 0);           /* the ones that backward begins with; updates are no program */
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
}

static void test_step_allocates_nothing(void)
{
    int together, threads;
    for (together = 0; together < 2; together++) for (threads = 1; threads < 4; threads += 2) {
        step_train(together, threads, hy_optim_adam(NULL), 0);
        step_train(together, threads, hy_optim_sgd(NULL), 0);
        step_train(together, threads, hy_optim_lamb(NULL), 1);
    }
}
#endif

static void test_step(void)
{
#ifndef HYBRID_NO_TRAIN
    RUN(test_step_allocates_nothing);
#endif
}
