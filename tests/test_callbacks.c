/* What functions of the user's may not do to what is at work while they run: an error that names them, and all is
 * as it was. */
enum { CALLBACK_EACH, CALLBACK_REDUCE, CALLBACK_METRIC, CALLBACK_FORWARD, CALLBACK_SAMPLE, CALLBACK_MAP, CALLBACKS };
static const char *const callback_names[] = { "`each` of hy_fit", "`reduce` of the trainer", "the function of a metric",
                                              "forward", "the function of a dataset", "the function of a dataset" };
typedef struct callback_run {
    hy_frame *F;
    hy_block *net, *loss;
    hy_trainer *T;
    hy_loader *train, *test;
    hy_dataset *data, *below;
    hy_metric *M, *part;
    int where, deed, calls, at;
} callback_run;
static callback_run callback;

static int callback_each(hy_frame *F, const hy_epoch *e, void *user);

/* One deed: what its error says, or NULL if it may be done. */
static const char *callback_does(hy_frame *F, callback_run *c)
{
    hy_fit_opt o;
    memset(&o, 0, sizeof o);
    o.progress = -1;
    switch (c->deed) {
    case 0: CHECK(hy_close(F) == HY_ERROR_STATE); return "must not close";
    case 1: hy_trainer_free(F, c->T); return "must not free it";
    case 2: hy_block_free(F, c->net); return "must not free it";
    case 3: hy_block_free(F, c->loss); return c->where == CALLBACK_FORWARD ? "must not free" : "must not free it";
    case 4: hy_loader_free(F, c->train); return "must not free it";
    case 5: hy_loader_free(F, c->test); return "must not free it";
    case 6: hy_dataset_free(F, c->data); return "must not free it";
    case 7: hy_dataset_free(F, c->below); return "must not free it";
    case 8: hy_metric_free(F, c->M); return "must not free it";
    case 9: hy_end(F); return "there is no open hy_begin";
    case 10: hy_next(F, c->train); return c->where == CALLBACK_EACH ? NULL : "must not use it";
    case 11: hy_loader_rewind(F, c->train); return c->where == CALLBACK_EACH ? NULL : "must not use it";
    case 12: hy_set_grad_req(F, c->net, NULL, HY_GRAD_NULL); return "must not change it";
    case 13: hy_cast_block(F, c->net, HY_F64); return "must not change it";
    case 14: hy_step(F, c->T, 1); return "must not use it";
    case 15: hy_attach_grad(F, hy_param(F, c->net, "0.weight"), HY_GRAD_ADD); return "must not change it";
    case 16: hy_set_trainer_states(F, c->T, hy_trainer_states(F, c->T)); return "must not use it";
    case 17: hy_fit(F, c->net, c->loss, c->T, c->train, NULL, &o); return "must not use it";
    case 18: hy_share_params(F, c->net, c->net); hy_raise(F, HY_ERROR_USER, "mine"); return "mine";
    case 19: hy_begin(F); hy_begin(F); return NULL;
    default: hy_record(F); return hy__is_symbolic(F) ? "records nothing" : NULL;
    }
}
/* The first 12 are for all, the next for `reduce`; what only records or brackets is for those that have F. */
static int callback_fits(int where, int deed)
{
    if (where >= CALLBACK_SAMPLE) return deed < 9 || deed == 10 || deed == 11;
    return deed < 12 || deed > 17 || where == CALLBACK_REDUCE || (deed == 17 && where == CALLBACK_METRIC);
}
static void callback_now(hy_frame *F)
{
    callback_run *c = &callback;
    const char *said;
    if (c->calls++ != c->at || hy_error(F)) return;
    said = callback_does(F, c);
    if (!CHECK(said ? hy_error(F) && strstr(hy_error(F), said) : !hy_error(F)) ||
        (said && c->deed != 18 && c->deed != 20 && (c->deed != 9 || F->within) && !CHECK(strstr(hy_error(F), callback_names[c->where]) != NULL)))
        printf("    %s, deed %d: %s\n", callback_names[c->where], c->deed, hy_error(F) ? hy_error(F) : "no error");
}

static int callback_sample(void *user, int64_t i, uint64_t random, const void *const *in, void *const *out)
{
    float *x = (float *)out[0];
    int k;
    (void)user; (void)random; (void)in;
    for (k = 0; k < 6; k++) x[k] = sinf((float)i * 1.7f + (float)k);
    *(float *)out[1] = x[0] * x[1] > 0;
    if (callback.where == CALLBACK_SAMPLE) callback_now(callback.F);
    return 0;
}
static int callback_map(void *user, int64_t i, uint64_t random, const void *const *in, void *const *out)
{
    (void)user; (void)i; (void)random;
    memcpy(out[0], in[0], 6 * sizeof(float));
    memcpy(out[1], in[1], sizeof(float));
    if (callback.where == CALLBACK_MAP) callback_now(callback.F);
    return 0;
}
static int callback_each(hy_frame *F, const hy_epoch *e, void *user)
{
    (void)e; (void)user;
    if (callback.where == CALLBACK_EACH) callback_now(F);
    return 0;
}
static void callback_reduce(hy_frame *F, int n, hy_array *const *grads, void *user)
{
    (void)n; (void)grads; (void)user;
    if (callback.where == CALLBACK_REDUCE) callback_now(F);
}
static void callback_metric(hy_frame *F, hy_array *label, hy_array *prediction, double *sum, double *count, void *user)
{
    (void)label; (void)prediction; (void)user;
    *sum += 1;
    *count += 1;
    if (callback.where == CALLBACK_METRIC) callback_now(F);
}
static hy_array *callback_loss(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *p = hy_get(F, x, 0), *off = hy_sub(F, hy_reshape_like(F, hy_get(F, x, 1), p, NULL), p);
    (void)self;
    if (callback.where == CALLBACK_FORWARD) callback_now(F);
    return hy_mean(F, hy_square(F, off), HY_AXES(1), NULL);
}

static void callback_open(callback_run *c, int hybrid, int threads)
{
    static const hy_type types[2] = { { HY_F32, { 1, { 6 } } }, { HY_F32, { 0, { 0 } } } };
    hy_desc desc;
    hy_trainer_opt t;
    hy_nn_dense_opt relu;
    hy_metric *parts[2];
    memset(&desc, 0, sizeof desc);
    memset(&t, 0, sizeof t);
    memset(&relu, 0, sizeof relu);
    desc.threads = threads;
    relu.activation = "relu";
    t.reduce = callback_reduce;
    c->F = hy_open(&desc);
    c->net = hy_nn_hybrid_sequential(c->F);
    hy_append(c->F, c->net, hy_nn_dense(c->F, 10, &relu), hy_nn_batch_norm(c->F, NULL), hy_nn_dense(c->F, 1, NULL));
    c->loss = hy_nn_hybrid_lambda(c->F, callback_loss, "loss");
    hy_initialize(c->F, c->net, NULL);
    c->T = hy_trainer_new(c->F, c->net, hy_optim_adam(NULL), &t);
    c->below = hy_dataset_of(c->F, 50, 2, types, callback_sample, NULL);
    c->data = hy_dataset_map(c->F, c->below, 2, types, callback_map, NULL);
    c->train = hy_loader_new(c->F, c->data, 8, NULL);
    c->test = hy_loader_new(c->F, c->data, 8, NULL);
    parts[0] = hy_metric_custom(c->F, callback_metric, NULL, NULL);
    parts[1] = hy_metric_mae(c->F, NULL);
    c->part = parts[0];
    c->M = hy_metric_composite(c->F, 2, parts);
    if (hybrid) hy_hybridize(c->F, c->net, NULL);
}

static void test_callbacks_of_fit(void)
{
    int hybrid, where, deed;
    for (hybrid = 0; hybrid < 2; hybrid++)
        for (where = 0; where < CALLBACKS; where++)
            for (deed = 0; deed < 21; deed++) {
                callback_run *c = &callback;
                hy_fit_opt o;
                hy_history h;
                int fails;
                if (!callback_fits(where, deed)) continue;
                memset(c, 0, sizeof *c);
                memset(&o, 0, sizeof o);
                c->where = -1;
                callback_open(c, hybrid, 1);
                c->where = where;
                c->deed = deed;
                c->at = where == CALLBACK_EACH ? 1 : where == CALLBACK_FORWARD && hybrid ? 0 : 2;
                o.epochs = 3;
                o.metric = c->M;
                o.progress = -1;
                o.each = callback_each;
                hy_begin(c->F);
                h = hy_fit(c->F, c->net, c->loss, c->T, c->train, c->test, &o);
                fails = hy_error(c->F) != NULL;
                if (!CHECK(c->calls > c->at)) printf("    %s was not called\n", callback_names[where]);
                CHECK(fails ? h.n == 0 : h.n == 3);
                hy_clear(c->F);
                c->where = -1;          /* all is as it was */
                o.epochs = 1;
                CHECK(!hy_is_recording(c->F) && !hy_is_training(c->F));
                h = hy_fit(c->F, c->net, c->loss, c->T, c->train, c->test, &o);
                if (!CHECK(h.n == 1 && h.at[0].samples == 50))
                    printf("    after %s, deed %d: %s\n", callback_names[where], deed, hy_error(c->F));
                hy_end(c->F);
                hy_trainer_free(c->F, c->T);            /* nothing is held any more */
                hy_metric_free(c->F, c->part);
                hy_metric_free(c->F, c->M);
                hy_loader_free(c->F, c->train);
                hy_loader_free(c->F, c->test);
                hy_dataset_free(c->F, c->data);
                hy_dataset_free(c->F, c->below);
                hy_block_free(c->F, c->loss);
                hy_block_free(c->F, c->net);
                CHECK_STR(hy_error(c->F), NULL);
                CHECK(hy_close(c->F) == 0);
            }
}

/* Nor do they free a part of what is at work. */
static int callback_each_part(hy_frame *F, const hy_epoch *e, void *user)
{
    (void)e;
    hy_block_free(F, (hy_block *)user);
    return 0;
}
static void callback_visit_part(hy_frame *F, hy_block *block, void *user)
{
    ++*(int *)user;
    if (hy_length(F, block) == 0) hy_block_free(F, block);
}
static void test_callbacks_free_no_part(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_sequential(F), *loss = hy_loss_l2(F, NULL), *first;
    hy_dataset *D = hy_dataset_arrays(F, hy_group(F, hy_ones(F, HY_SHAPE(8, 3)), hy_ones(F, HY_SHAPE(8, 1))));
    hy_trainer *T;
    hy_fit_opt o;
    int seen = 0;
    memset(&o, 0, sizeof o);
    o.epochs = 2;
    o.progress = -1;
    o.each = callback_each_part;
    o.user = first = hy_add_child(F, net, NULL, hy_nn_dense(F, 4, NULL));
    hy_add_child(F, net, NULL, hy_nn_dense(F, 1, NULL));
    hy_initialize(F, net, NULL);
    T = hy_trainer_new(F, net, hy_optim_sgd(NULL), NULL);
    CHECK(hy_fit(F, net, loss, T, hy_loader_new(F, D, 4, NULL), NULL, &o).n == 0);
    CHECK(hy_error(F) && strstr(hy_error(F), "`each` of hy_fit must not free it"));
    hy_clear(F);
    hy_visit(F, net, callback_visit_part, &seen);
    CHECK(seen == 1 && hy_error(F) && strstr(hy_error(F), "the function of hy_visit must not free it"));
    hy_clear(F);
    CHECK(hy_length(F, net) == 2 && hy_child(F, net, 0) == first);
    hy_block_free(F, first);            /* nothing is held any more */
    CHECK(hy_length(F, net) == 1);
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
}

/* A part of a composite metric, from its own function; a metric that is asked outside of hy_fit. */
static void callback_part(hy_frame *F, hy_array *label, hy_array *prediction, double *sum, double *count, void *user)
{
    (void)label; (void)sum; (void)count;
    hy_metric_free(F, *(hy_metric **)user);
    hy_free(F, prediction);
}
static void test_callbacks_of_metrics(void)
{
    hy_frame *F = hy_open(NULL);
    hy_metric *part, *M;
    hy_array *x = hy_ones(F, HY_SHAPE(3));
    part = hy_metric_custom(F, callback_part, &part, NULL);
    M = hy_metric_composite(F, 1, &part);
    hy_metric_update(F, M, x, x);
    train_expect(F, "hy_metric_update is at work with this metric: the function of a metric must not free it");
    CHECK(hy_metric_count(F, M) == 1 && hy_value(F, x, 0) == 1);
    hy_metric_free(F, M);
    CHECK(hy_close(F) == 0);
}

#ifndef HYBRID_NO_THREADS
/* A worker of a loader cannot wait for itself: neither the loader nor its datasets go, and nothing hangs. */
static struct {
    hy_frame *F, *own;
    hy_loader *L;
    hy_dataset *data;
    uintptr_t asker;
    int deed, tried, told;
} callback_worker;
static int callback_in_background(void *user, int64_t i, uint64_t random, const void *const *in, void *const *out)
{
    (void)user; (void)random; (void)in;
    *(float *)out[0] = (float)i;
    if (hy__this_thread() == callback_worker.asker) {   /* who asks for a batch helps: a worker shall be first */
        int turn;
        for (turn = 0; turn < 100000 && !HY__LOAD(&callback_worker.tried); turn++) usleep(100);
        return 0;
    }
    if (HY__ADD(&callback_worker.tried, 1) > 1) return 0;
    callback_worker.own = hy_fork(callback_worker.F);
    if (callback_worker.deed == 0) hy_loader_free(callback_worker.own, callback_worker.L);
    else if (callback_worker.deed == 1) hy_dataset_free(callback_worker.own, callback_worker.data);
    if (callback_worker.deed < 2)
        callback_worker.told += hy_error(callback_worker.own) &&
            strstr(hy_error(callback_worker.own), "the function of a dataset must not free") != NULL;
    else {                              /* a frame of one's own is */
        callback_worker.told += hy_close(callback_worker.own) == 0;
        callback_worker.own = NULL;
    }
    return 0;
}
static void test_callbacks_of_workers(void)
{
    static const hy_type type = { HY_F32, { 0, { 0 } } };
    int deed, batches;
    for (deed = 0; deed < 3; deed++) {
        hy_frame *F = hy_open(NULL);
        hy_loader_opt o;
        hy_array *x;
        memset(&o, 0, sizeof o);
        memset(&callback_worker, 0, sizeof callback_worker);
        o.num_workers = 2;
        o.prefetch = 8;
        callback_worker.F = F;
        callback_worker.asker = hy__this_thread();
        callback_worker.deed = deed;
        callback_worker.data = hy_dataset_of(F, 40, 1, &type, callback_in_background, NULL);
        callback_worker.L = hy_loader_new(F, callback_worker.data, 4, &o);
        for (batches = 0; (x = hy_next(F, callback_worker.L)) != NULL; batches++)
            CHECK(hy_value(F, x, 3) == 4 * batches + 3);
        CHECK(batches == 10 && callback_worker.tried > 0 && callback_worker.told == 1);
        if (callback_worker.own) hy_close(callback_worker.own);
        hy_loader_free(F, callback_worker.L);
        hy_dataset_free(F, callback_worker.data);
        CHECK_STR(hy_error(F), NULL);
        CHECK(hy_close(F) == 0);
    }
}
#endif

/* --- what else the library calls --- */
enum { CALLED_INIT, CALLED_VISIT, CALLED_CHECK, CALLED_OPTIM, CALLED_DESCRIBE, CALLED_FREE, CALLED_LOG, CALLED };
static const char *const called_names[] = { "an initialiser", "the function of hy_visit",
    "the function of hy_check_grad", "an optimiser", "describe of a block", "free_fn of a block", "log_fn" };
static struct { hy_frame *F; hy_block *net; hy_array *x; int deed, done; char said[200]; } called;
static void called_now(void)
{
    hy_frame *F = called.F;
    if (called.done++) return;
    if (called.deed == 0) CHECK(hy_close(F) == HY_ERROR_STATE);
    else if (called.deed == 1) hy_block_free(F, called.net);
    else if (called.deed == 2) hy_end(F);
    else hy_free(F, called.x);
    if (hy_error(F)) strncpy(called.said, hy_error(F), sizeof called.said - 1);
}
static void called_init(hy_frame *F, const hy_init *init, const char *name, hy_array *x)
{
    (void)init; (void)name;
    called_now();
    hy_assign(F, x, hy_ones(F, hy_shape_of(F, x)));
}
static void called_visit(hy_frame *F, hy_block *block, void *user)
{
    (void)F; (void)user;
    if (block != called.net) called_now();      /* itself it may be */
}
static hy_array *called_check(hy_frame *F, hy_array *x, void *user)
{
    hy_array *y = hy_square(F, x);
    (void)user;
    called_now();
    return y;
}
static void called_begin(hy_update *u) { (void)u; called_now(); }
static void called_describe(const hy_block *self, char *text, size_t bytes)
{
    (void)self;
    strncpy(text, "mine", bytes);
    called_now();
}
static void called_free(hy_block *self) { (void)self; called_now(); }
static void called_log(void *user, int level, int code, const char *text)
{
    (void)user; (void)level; (void)code; (void)text;
    if (called.F) called_now();
}
/* Gets to the point where one of them is called. */
static void called_by(hy_frame *F, int which, hy_block *child)
{
    static const double numbers[3] = { 1, 2, 3 };
    hy_init init = hy_init_zeros();
    hy_optim own;
    hy_trainer *T;
    char text[300];
    init.fn = called_init;
    memset(&own, 0, sizeof own);
    own.update = train_mine;
    own.begin = called_begin;
    own.opt.learning_rate = own.opt.rescale_grad = 1;
    if (which == CALLED_INIT) hy_reinitialize(F, called.net, &init);
    else if (which == CALLED_VISIT) hy_visit(F, called.net, called_visit, NULL);
    else if (which == CALLED_CHECK) {
        called.x = hy_from(F, HY_SHAPE(3), HY_F64, numbers);
        hy_check_grad(F, called_check, NULL, called.x, 1e-3);
    } else if (which == CALLED_OPTIM) {
        T = hy_trainer_new(F, called.net, own, NULL);
        hy_record(F);
        called.x = hy_call(F, called.net, hy_ones(F, HY_SHAPE(2, 4)));
        hy_pause(F);
        hy_backward(F, called.x, NULL);
        hy_step(F, T, 1);
    } else if (which == CALLED_DESCRIBE) {
        child->describe = called_describe;
        hy_block_text(F, called.net, text, sizeof text);
    } else if (which == CALLED_FREE) {
        hy_block *other = hy_nn_flatten(F);
        other->free_fn = called_free;
        hy_block_free(F, other);
    } else hy_raise(F, HY_ERROR_USER, "mine");
}
static void test_callbacks_elsewhere(void)
{
    int which, deed;
    for (which = 0; which < CALLED; which++)
        for (deed = 0; deed < (which == CALLED_CHECK ? 4 : which == CALLED_VISIT ? 3 : 2); deed++) {
            hy_desc desc;
            hy_frame *F;
            hy_block *child;
            hy_init ones = hy_init_ones();
            hy_nn_dense_opt in;
            memset(&desc, 0, sizeof desc);
            memset(&in, 0, sizeof in);
            memset(&called, 0, sizeof called);
            if (which == CALLED_LOG) desc.log_fn = called_log;
            in.in_units = 4;
            F = hy_open(&desc);
            called.net = hy_nn_hybrid_sequential(F);
            child = hy_nn_dense(F, 4, &in);
            hy_append(F, called.net, child);
            hy_initialize(F, called.net, &ones);
            called.deed = deed;
            if (deed == 1 && which >= CALLED_FREE) { CHECK(hy_close(F) == 0); continue; }
            if (which == CALLED_CHECK && deed == 1) { CHECK(hy_close(F) == 0); continue; }
            hy_begin(F);
            called.F = F;
            called_by(F, which, child);
            called.F = NULL;
            CHECK(called.done > 0);
            if (which == CALLED_LOG) CHECK_STR(hy_error(F), "mine");
            else if (!CHECK(deed == 3 ? strstr(called.said, "belongs to the caller") != NULL
                            : strstr(called.said, called_names[which]) != NULL))
                printf("    %s, deed %d: %s\n", called_names[which], deed, called.said);
            hy_clear(F);
            if (which == CALLED_CHECK) CHECK(hy_value(F, called.x, 1) == 2);
            hy_end(F);
            CHECK(hy_call(F, called.net, hy_ones(F, HY_SHAPE(2, 4))) != NULL);
            CHECK_STR(hy_error(F), NULL);
            CHECK(hy_close(F) == 0);
        }
}

/* An initialiser that calls the network it is to give values to: what came first stays; through another frame it
 * would wait for itself. */
static int called_depth;
static void called_nested(hy_frame *F, const hy_init *init, const char *name, hy_array *x)
{
    hy_frame *other = init->choice[0] ? hy_fork(F) : F;
    hy_assign(F, x, hy_ones(F, hy_shape_of(F, x)));
    if (called_depth++) { if (other != F) hy_close(other); return; }
    hy_call(other, called.net, hy_ones(other, HY_SHAPE(2, 4)));
    (void)name;
    if (other == F) return;
    CHECK(hy_error(other) && strstr(hy_error(other), "may call a block through another frame"));
    hy_close(other);
}
static void test_callbacks_nested_init(void)
{
    int how, hybrid;
    for (hybrid = 0; hybrid < 2; hybrid++)
        for (how = 0; how < 2; how++) {
            hy_frame *F = hy_open(NULL);
            hy_init init = hy_init_ones();
            hy_array *y;
            init.fn = called_nested;
            init.choice[0] = how;
            called_depth = 0;
            called.net = hy_nn_dense(F, 3, NULL);
            hy_initialize(F, called.net, &init);
            if (hybrid) hy_hybridize(F, called.net, NULL);
            y = hy_call(F, called.net, hy_ones(F, HY_SHAPE(2, 4)));
            if (!CHECK(y && hy_value(F, y, 1, 2) == 4)) printf("    %s\n", hy_error(F) ? hy_error(F) : "");
            y = hy_call(F, called.net, hy_ones(F, HY_SHAPE(2, 4)));
            CHECK(y && hy_value(F, y, 1, 2) == 4);
            CHECK(hy_close(F) == 0);
        }
}

static void test_callbacks(void)
{
    RUN(test_callbacks_elsewhere);
    RUN(test_callbacks_nested_init);
    RUN(test_callbacks_of_fit);
    RUN(test_callbacks_of_metrics);
    RUN(test_callbacks_free_no_part);
#ifndef HYBRID_NO_THREADS
    RUN(test_callbacks_of_workers);
#endif
}
