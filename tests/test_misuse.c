/* Training, metrics, data: what absurd, hostile or merely unusual use is told, and that nothing is lost by it. */
#include <signal.h>

static void misuse_told(hy_frame *F, const char *part)
{
    const char *said = hy_error(F);
    if (!CHECK(said && strstr(said, part))) printf("    \"%s\" lacks \"%s\"\n", said ? said : "(no error)", part);
    hy_clear(F);
}
static hy_block *misuse_net(hy_frame *F)
{
    hy_block *net = hy_nn_dense(F, 1, NULL);
    hy_init ones = hy_init_ones();
    hy_initialize(F, net, &ones);
    return net;
}
static void misuse_train(hy_frame *F, hy_block *net, hy_trainer *T, double value)
{
    hy_array *y;
    hy_record(F);
    y = hy_sum(F, hy_call(F, net, hy_full(F, HY_SHAPE(2, 3), value)), HY_ALL, NULL);
    hy_pause(F);
    hy_backward(F, y, NULL);
    hy_step(F, T, 2);
}
static double misuse_weight(hy_frame *F, hy_block *net, const char *path)
{
    return hy_value(F, hy_param(F, net, path), 0, 0);
}

/* --- trainers --- */
static void misuse_update(const hy_update *u, int64_t from, int64_t n, void *w, const void *g, void *const *s)
{
    (void)u; (void)from; (void)n; (void)w; (void)g; (void)s;
}
/* What newcomers give first: nothing, and files of another kind. */
static void test_misuse_nothing(void)
{
    hy_frame *F = hy_open(NULL);
    CHECK(!hy_append(F, hy_nn_sequential(F), hy_nn_dense(F, 2, NULL), NULL));
    CHECK_STR(hy_error(F), "hy_append: block 1 of 2 is NULL: was its function given what it takes?");
    hy_clear(F);
#if !defined(HYBRID_NO_TRAIN) && !defined(HYBRID_NO_IO)
    CHECK(!hy_dataset_arrays(F, NULL));
    CHECK_STR(hy_error(F), "hy_dataset_arrays: the array is NULL");
    hy_clear(F);
#endif
#if !defined(HYBRID_NO_IO) && !defined(HYBRID_NO_STDIO)
    CHECK(!hy_import(F, "net.onnx", 0));
    CHECK_STR(hy_error(F), "hy_import: net.onnx: hy_onnx_load of tools/onnx.h reads .onnx");
    hy_clear(F);
    CHECK(!hy_import(F, "net.hybrid", 0));
    CHECK_STR(hy_error(F), "hy_import: net.hybrid: hy_load_model reads what is in one file");
    hy_clear(F);
#endif
    CHECK(!hy_close(F));
}

/* An operator of one's own whose record is not told, and one that says nothing of a stage's items. */
static int misuse_runs;
static void misuse_run(const hy_job *job, hy_run *now, int stage, int64_t item, void *scratch, void *shared)
{
    (void)stage; (void)scratch; (void)shared;
    ((float *)now->data[job->nin])[item] = 2 * ((const float *)now->data[0])[item];
    misuse_runs++;
}
static int misuse_bind(hy_job *job)
{
    job->run = misuse_run;
    job->stages = 4;
    job->items[0] = 6;
    return 0;
}
static void test_misuse_operator(void)
{
    static const hy_arg one[] = { { "data", HY_ARG_ONE }, { NULL, HY_ARG_ONE } };
    static const hy_attr width[] = { { "width", "width", HY_ATTR_real, 1, 8, 1, "" },
                                     { NULL, NULL, HY_ATTR_flag, 0, 0, 0, NULL } };
    hy_frame *F = hy_open(NULL);
    hy_op op;
    hy_array *x = hy_ones(F, HY_SHAPE(2, 3)), *y;
    memset(&op, 0, sizeof op);
    op.name = "misused";
    op.in = op.out = one;
    op.attr = width;
    op.record = 8;
    op.infer = hy_infer_pointwise;
    op.bind = misuse_bind;
    CHECK(hy_register(F, &op));
    CHECK_STR(hy_error(F), "hy_register: width of misused stands at byte 8, of a record of 8: is `record` the size of "
              "the struct?");
    hy_clear(F);
    op.record = 16;
    op.name = "";
    CHECK(hy_register(F, &op) && strstr(hy_error(F), "hy_register: '' is no name"));
    hy_clear(F);
    CHECK(!hy_op_find(F, ""));
    op.name = "misused";
    CHECK(!hy_register(F, &op));
    misuse_runs = 0;
    y = hy_apply(F, "misused", 1, &x, "");
    CHECK(misuse_runs == 6 && y && hy_value(F, y, 1, 2) == 2);
    CHECK(!hy_close(F));
}

static void test_misuse_optimisers(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = misuse_net(F);
    hy_optim unnamed;
    hy_optim_opt o = { 0 };
    hy_schedule_opt so = { 0 };
    hy_schedule s;
    hy_trainer *T;
    memset(&unnamed, 0, sizeof unnamed);
    unnamed.update = misuse_update;
    T = hy_trainer_new(F, net, unnamed, NULL);
    misuse_train(F, net, T, 1);
    CHECK(!hy_set_trainer_states(F, T, hy_trainer_states(F, T)) && !hy_error(F));
    o.begin_num_update = INT64_MAX;
    CHECK(!hy_trainer_new(F, net, hy_optim_sgd(&o), NULL));
    misuse_told(F, "too large");
    so.factor = 1 - 1e-15;
    s = hy_schedule_factor(1, &so);
    CHECK_NEAR(hy_schedule_at(&s, INT64_MAX), 1e-8, 0);         /* at once, and not after years */
    CHECK_NEAR(hy_schedule_at(&s, INT64_MIN), 0.01, 0);
    so.factor = 0.9999;
    s = hy_schedule_factor(1, &so);
    CHECK_NEAR(hy_schedule_at(&s, 10002) / hy_schedule_at(&s, 10001), 0.9999, 1e-12);
    hy_close(F);
}

static void test_misuse_states(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = misuse_net(F);
    hy_optim_opt o = { 0 };
    hy_trainer *T, *fresh;
    hy_arrays s, none;
    hy_array *gone[3] = { NULL, NULL, NULL };
    const char *names[3] = { "optimizer", "trainer", "updates" };
    double before, step;
    o.learning_rate = 0.1;
    o.momentum = 0.9;
    T = hy_trainer_new(F, net, hy_optim_sgd(&o), NULL);
    fresh = hy_trainer_new(F, net, hy_optim_sgd(&o), NULL);
    misuse_train(F, net, T, 1);
    s = hy_trainer_states(F, T);        /* after one step: what comes later does not change it */
    before = misuse_weight(F, net, "weight");
    misuse_train(F, net, T, 1);
    step = misuse_weight(F, net, "weight") - before;
    misuse_train(F, net, T, 1);
    CHECK(!hy_set_trainer_states(F, T, s));
    before = misuse_weight(F, net, "weight");
    misuse_train(F, net, T, 1);
    CHECK_NEAR(misuse_weight(F, net, "weight") - before, step, 1e-6);
    CHECK(!hy_set_trainer_states(F, T, hy_trainer_states(F, fresh)));   /* its momentum is gone, too */
    before = misuse_weight(F, net, "weight");
    misuse_train(F, net, T, 1);
    CHECK_NEAR(misuse_weight(F, net, "weight") - before, -0.1, 1e-6);

    hy_set_value(F, hy_array_named(F, s, "updates"), -3, 0);
    CHECK(hy_set_trainer_states(F, T, s));
    misuse_told(F, "-3 updates of Parameter");
    hy_set_value(F, hy_array_named(F, s, "updates"), 9.2e18, 0);
    CHECK(hy_set_trainer_states(F, T, s));
    misuse_told(F, "updates of Parameter");
    hy_set_value(F, hy_array_named(F, s, "updates"), 1, 0);
    hy_set_value(F, hy_array_named(F, s, "trainer"), HUGE_VAL, 2);
    CHECK(hy_set_trainer_states(F, T, s));
    misuse_told(F, "numbers that no trainer has");
    none.n = 3;
    none.at = gone;
    none.name = names;
    CHECK(hy_set_trainer_states(F, T, none));
    misuse_told(F, "no array 'optimizer'");
    names[0] = NULL;
    CHECK(hy_set_trainer_states(F, T, none));
    misuse_told(F, "the name of array 0 is NULL");
    CHECK_NEAR(hy_num_update(F, T), 1, 0);
    hy_close(F);
}

/* Names longer than any buffer. */
static void test_misuse_long_paths(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = misuse_net(F), *outer = hy_nn_sequential(F);
    hy_trainer *T;
    char name[1500];
    hy_arrays s;
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = 0;
    hy_add_child(F, outer, name, net);
    T = hy_trainer_new(F, outer, hy_optim_adam(NULL), NULL);
    misuse_train(F, outer, T, 1);
    s = hy_trainer_states(F, T);
    CHECK(s.n == 7 && strlen(s.name[3]) == strlen(name) + strlen(".weight.state0"));
    CHECK(!hy_set_trainer_states(F, T, s) && !hy_error(F));
    hy_close(F);
}

/* Calls of the allocator by a trainer of so many layers: to make it, and to take its states back. */
static void misuse_layers(int layers, int64_t *made, int64_t *loaded)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_sequential(F);
    hy_trainer *T;
    hy_optim_opt o = { 0 };
    hy_array *y;
    hy_arrays s;
    int i;
    o.momentum = 0.9;
    for (i = 0; i < layers; i++) hy_append(F, net, hy_nn_dense(F, 1, NULL));
    *made = -hy_memory_use(F).calls;
    T = hy_trainer_new(F, net, hy_optim_sgd(&o), NULL);
    *made += hy_memory_use(F).calls;
    hy_initialize(F, net, NULL);
    hy_record(F);
    y = hy_call(F, net, hy_ones(F, HY_SHAPE(1, 1)));
    hy_pause(F);
    hy_backward(F, y, NULL);
    hy_step(F, T, 1);
    s = hy_trainer_states(F, T);
    *loaded = -hy_memory_use(F).calls;
    CHECK(s.n == 3 + 2 * layers && !hy_set_trainer_states(F, T, s));
    *loaded += hy_memory_use(F).calls;
    CHECK(hy_close(F) == 0);
}

/* Twice the layers, twice the work of the allocator; where names were compared each with each, 50,000 would not end. */
static void test_misuse_many_layers(void)
{
    int64_t made[2], loaded[2];
    misuse_layers(1500, &made[0], &loaded[0]);
    misuse_layers(3000, &made[1], &loaded[1]);
    CHECK(made[1] < 2.2 * made[0] + 100 && loaded[1] < 2.2 * loaded[0] + 100);
    if (!getenv("TEST_UNDER_VALGRIND")) misuse_layers(50000, &made[0], &loaded[0]);
}

static void test_misuse_loss_scale(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = misuse_net(F);
    hy_trainer_opt o = { 0 };
    hy_trainer *T;
    hy_array *numbers;
    hy_arrays s;
    int k;
    o.loss_scale = 8388608;
    T = hy_trainer_new(F, net, hy_optim_sgd(NULL), &o);
    for (k = 0; k < 3; k++) {
        misuse_train(F, net, T, 0);
        s = hy_trainer_states(F, T);
        numbers = hy_array_named(F, s, "trainer");
        hy_set_value(F, numbers, 1999, 3);
        CHECK(!hy_set_trainer_states(F, T, s));
    }
    CHECK_NEAR(hy_loss_scale(F, T), 16777216, 0);       /* and no further: it would be infinite in the end */
    hy_close(F);
}

/* --- metrics --- */
static int misuse_calls;
static void misuse_metric(hy_frame *F, hy_array *label, hy_array *p, double *sum, double *count, void *user)
{
    (void)F; (void)label; (void)p; (void)user;
    *sum += ++misuse_calls < 2 ? (double)NAN : 1;
    *count += 1;
}
static void test_misuse_composites(void)
{
    hy_frame *F = hy_open(NULL);
    hy_metric *a = hy_metric_accuracy(F, NULL), *b = hy_metric_mae(F, NULL), *twice[2], *M;
    hy_array *x = hy_ones(F, HY_SHAPE(2));
    twice[0] = twice[1] = a;
    CHECK(!hy_metric_composite(F, 2, twice));
    misuse_told(F, "part of a composite already");
    twice[1] = b;
    M = hy_metric_composite(F, 2, twice);
    CHECK(M && !hy_metric_composite(F, 1, &a));
    misuse_told(F, "part of a composite already");
    CHECK(!hy_metric_composite(F, 1, &M));
    misuse_told(F, "made of several");
    hy_metric_free(F, a);               /* a part that goes leaves the others */
    CHECK(hy_metric_count(F, M) == 1 && hy_metric_at(F, M, 0) == b);
    hy_metric_update(F, M, x, x);
    CHECK_NEAR(hy_metric_get(F, M), 0, 0);
    hy_metric_free(F, b);
    CHECK(hy_metric_count(F, M) == 0);
    hy_metric_update(F, M, x, x);
    hy_metric_reset(F, M);
    CHECK(hy_metric_get(F, M) != hy_metric_get(F, M) && !hy_error(F));
    hy_metric_free(F, M);
    hy_close(F);
}

static void test_misuse_metrics(void)
{
    static const float label[] = { 0, 1, 0, 1 }, guess[] = { 0, 1, 1, 1 }, wrong[] = { 0, 0, 0, -1 };
    static const float truth[] = { 0, 1, 2, 2 };
    hy_frame *F = hy_open(NULL);
    hy_metric *pcc = hy_metric_pcc(F, NULL), *top = hy_metric_top_k(F, 1, NULL);
    hy_metric *custom = hy_metric_custom(F, misuse_metric, NULL, NULL);
    hy_array *a = hy_floats(F, HY_SHAPE(4), label), *p = hy_floats(F, HY_SHAPE(4), guess), *many;
    double before;
    hy_metric_update(F, pcc, a, p);
    before = hy_metric_get(F, pcc);
    hy_metric_update(F, pcc, hy_floats(F, HY_SHAPE(4), wrong), p);      /* fails in the middle */
    misuse_told(F, "sample 3 has the label -1");
    CHECK_NEAR(hy_metric_get(F, pcc), before, 0);
    CHECK_NEAR(hy_metric_global(F, pcc), before, 0);
    many = hy_zeros(F, HY_SHAPE(1, 50000));
    hy_set_value(F, many, 1, 0, 49999);
    hy_metric_update(F, pcc, hy_zeros(F, HY_SHAPE(1)), many);
    misuse_told(F, "4096 classes");
    many = hy_arange(F, 0, 1000, 1);    /* its matrix grows by leaps */
    hy_metric_update(F, pcc, many, many);
    CHECK(hy_metric_get(F, pcc) > 0.9);
    hy_metric_update(F, top, hy_floats(F, HY_SHAPE(4), truth), hy_full(F, HY_SHAPE(4, 3), NAN));
    CHECK_NEAR(hy_metric_get(F, top), 0.25, 0);         /* of equals the first: not all are right */
    misuse_calls = 0;
    hy_metric_update(F, custom, a, p);
    CHECK(misuse_calls == 1);
    hy_close(F);
}

/* --- data --- */
static int misuse_sample(void *user, int64_t i, uint64_t random, const void *const *in, void *const *out)
{
    (void)user;
    *(float *)out[0] = in ? 2 * *(const float *)in[0] : (float)i;
    if (in) *(float *)out[0] += (float)(random >> 40);
    return i == 7;
}
static void test_misuse_datasets(void)
{
    hy_frame *F = hy_open(NULL);
    hy_type type = { HY_F32, { 0, { 0 } } }, deep, wide;
    hy_dataset *D = hy_dataset_of(F, 10, 1, &type, misuse_sample, NULL), *M = hy_dataset_map(F, D, 1, &type,
                                                                                       misuse_sample, NULL);
    hy_loader *L = hy_loader_new(F, M, 3, NULL), *one;
    hy_array *batch;
    int i;
    memset(&deep, 0, sizeof deep);
    deep.dtype = HY_F32;
    deep.shape.ndim = HY_MAX_DIM;
    for (i = 0; i < HY_MAX_DIM; i++) deep.shape.dim[i] = 1;
    CHECK(!hy_dataset_of(F, 4, 1, &deep, misuse_sample, NULL));
    misuse_told(F, "samples of 8 dims");
    CHECK(!hy_dataset_of(F, INT64_MAX, 1, &type, misuse_sample, NULL));
    misuse_told(F, "samples of");
    wide = type;
    wide.shape = HY_SHAPE((int64_t)1 << 57);
    one = hy_loader_new(F, hy_dataset_of(F, 10, 1, &wide, misuse_sample, NULL), 64, NULL);
    CHECK(!one);
    misuse_told(F, "too large to be addressed");
    batch = hy_next(F, L);              /* a sample alone is what it is in a batch */
    for (i = 0; i < 3; i++)
        CHECK_NEAR(hy_value(F, hy_dataset_get(F, M, i), 0), hy_value(F, batch, i), 0);
    CHECK(!hy_dataset_get(F, M, 7));
    misuse_told(F, "could not make sample 7");
    hy_dataset_free(F, D);
    CHECK(!hy_next(F, L));
    misuse_told(F, "or one below it");
    CHECK(!hy_dataset_get(F, M, 0));
    misuse_told(F, "was freed");
    hy_close(F);
}

static void test_misuse_csv(void)
{
    static const char table[] = " 1 2  3\n4 5 6 \r\n", holes[] = "1 2\n3\n";
    hy_frame *F = hy_open(NULL);
    hy_csv_opt o = { 0 };
    hy_array *x;
    o.delimiter = ' ';
    x = hy_csv_from(F, table, sizeof table - 1, &o);
    CHECK(x && hy_dim(F, x, 0) == 2 && hy_dim(F, x, 1) == 3);
    CHECK_NEAR(hy_value(F, x, 1, 2), 6, 0);
    CHECK(!hy_csv_from(F, holes, sizeof holes - 1, &o));
    misuse_told(F, "another number of columns");
    hy_close(F);
}

/* An index whose many lines name one record of many pieces: to go through all pieces for each line would not end. */
static void test_misuse_index(void)
{
    enum { PIECES = 400000, LINES = 400000 };
    static char file[8 * PIECES], index[8 * LINES];
    static const char piece[] = "\x0a\x23\xd7\xce\x00\x00\x00";
    hy_frame *F = hy_open(NULL);
    hy_type type = { HY_F32, { 0, { 0 } } };
    size_t n = 0;
    int i;
    for (i = 0; i < PIECES; i++) {
        memcpy(file + 8 * i, piece, 7);
        file[8 * i + 7] = (char)(i == 0 ? 0x20 : i < PIECES - 1 ? 0x40 : 0x60);
    }
    for (i = 0; i < LINES; i++) n += (size_t)sprintf(index + n, "0 0\n");
    CHECK(!hy_dataset_records_from(F, file, sizeof file, index, n, type));
    CHECK(hy_error(F));
    hy_close(F);
}

/* --- fit --- */
static int misuse_frees(hy_frame *F, const hy_epoch *e, void *block)
{
    (void)e;
    hy_block_free(F, (hy_block *)block);
    return 0;
}
static void test_misuse_fit_frees(void)
{
    int k;
    for (k = 0; k < 4; k++) {
        hy_frame *F = hy_open(NULL);
        hy_block *net = misuse_net(F), *loss = hy_loss_l2(F, NULL);
        hy_trainer *T = hy_trainer_new(F, net, hy_optim_sgd(NULL), NULL);
        hy_array *data = hy_group(F, hy_ones(F, HY_SHAPE(4, 3)), hy_ones(F, HY_SHAPE(4, 1)));
        hy_loader *L = hy_loader_new(F, hy_dataset_arrays(F, data), 4, NULL);
        hy_fit_opt o = { 0 };
        o.epochs = 3;
        o.progress = -1;
        o.each = misuse_frees;
        o.user = k == 0 ? net : k == 1 ? loss : k == 2 ? (hy_block *)(void *)T : (hy_block *)(void *)L;
        CHECK(hy_fit(F, net, loss, T, L, NULL, &o).n == 0);
        misuse_told(F, "`each` of hy_fit must not free it");
        CHECK(hy_fit(F, net, loss, T, L, NULL, NULL).n == 1);   /* all is as it was */
        CHECK(!hy_close(F));
    }
}

static void test_misuse_fit(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = misuse_net(F), *loss = hy_loss_l2(F, NULL);
    hy_trainer *T = hy_trainer_new(F, net, hy_optim_sgd(NULL), NULL);
    hy_array *data = hy_group(F, hy_ones(F, HY_SHAPE(4, 3)), hy_ones(F, HY_SHAPE(4, 1)));
    hy_loader *L = hy_loader_new(F, hy_dataset_arrays(F, data), 4, NULL);
    hy_fit_opt o = { 0 };
    hy_history h;
    misuse_calls = 0;
    o.metric = hy_metric_custom(F, misuse_metric, NULL, NULL);
    o.higher = 1;
    o.epochs = 3;
    o.progress = -1;
    h = hy_fit(F, net, loss, T, L, NULL, &o);
    CHECK(h.n == 3 && h.at[0].metric != h.at[0].metric && h.at[1].best && !h.at[2].best);      /* NaN is beaten */
    o.metric = NULL;
    CHECK(hy_fit(F, net, loss, T, L, NULL, &o).n == 0);
    misuse_told(F, "there is none");
    hy_close(F);
}

/* --- C source: names of hundreds of letters that differ at their ends; more arguments than any line has room for --- */
static void test_misuse_source(void)
{
    enum { N = 160, LETTERS = 5000 };
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    static char name[LETTERS + 1];
    hy_array *x[N], *given[N];
    hy_export_c_opt opt = { 0 };
    hy_var_opt var = { 0 };
    hy_graph *g;
    hy__c w;
    int i;
    var.shaped = 1;
    var.shape = HY_SHAPE(2, 3);
    memset(name, 'n', LETTERS);
    for (i = 0; i < N; i++) {
        hy_array *v;
        name[LETTERS - 1] = (char)('a' + i % 26);
        v = hy_var(S, i < 30 ? name : "v", &var);
        given[i] = hy_full(F, HY_SHAPE(2, 3), i);
        x[i] = hy_named(S, hy_softmax(S, v, -1, NULL), i < 30 ? name : "soft");
    }
    g = hy_compile(S, hy_group(S, hy_exp(S, hy_concat(S, hy_group_of(S, N, x), 1)), x[0],
                               hy_sub_scalar(S, hy_negative(S, x[1]), -0.0)));
    CHECK(g != NULL);
    opt.prefix = "many";
    CHECK(!hy__c_open(&w, F, g, given, "many", "source_many.c", &opt) && !hy__c_to_files(&w, "source_many.c", &opt));
    hy__c_close(&w);
    ops_complain(F, "many");
    if (source_compiler()) CHECK(source_runs("-DMANY_TEST source_many.c"));
    remove("source_many.c");
    hy_graph_free(F, g);
    hy_close(S);
    hy_close(F);
}

/* --- a loop whose body runs that loop --- */
static hy_array *misuse_forever(hy_frame *F, hy_array *x, hy_array *states, void *user)
{
    return hy_foreach(F, misuse_forever, hy_ones_like(F, x), states, user);
}
static void test_misuse_loop(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_ones(F, HY_SHAPE(2));
    CHECK(!hy_foreach(F, misuse_forever, x, x, NULL));
    misuse_told(F, "within one another");
    CHECK_NEAR(hy_item(F, hy_sum(F, x, HY_ALL, NULL)), 2, 0);
    CHECK(!hy_close(F));
}

/* --- int8: little data in more padding than any number can count --- */
static void test_misuse_padding(void)
{
    enum { PAD = (1 << 24) - 4 };
    hy_frame *F = hy_open(NULL);
    hy_int8_convolution_opt o = { 0 };
    hy_array *w = hy_cast(F, hy_ones(F, HY_SHAPE(1, 1, 16, 4)), HY_I8);
    o.no_bias = 1;
    o.layout = HY_LAYOUT_NCDHW;
    o.pad = HY_INTS(PAD, PAD, PAD);
    o.stride = HY_INTS(1 << 24, 1 << 24, 1 << 24);
    CHECK(!hy_int8_convolution(F, hy_ones(F, HY_SHAPE(1, 4, 8, 8, 8)), w, hy_ones(F, HY_SHAPE(16)), NULL, HY_INTS(1, 1, 1), 16, 1, &o));
    misuse_told(F, "padding");
    w = hy_cast(F, hy_ones(F, HY_SHAPE(1, 0, 16, 4)), HY_I8);           /* of no channels: as many places */
    CHECK(!hy_int8_convolution(F, hy_ones(F, HY_SHAPE(1, 0, 8, 8, 8)), w, hy_ones(F, HY_SHAPE(16)), NULL, HY_INTS(1, 1, 1), 16, 1, &o));
    misuse_told(F, "padding");
    o.layout = HY_LAYOUT_NCHW;                                          /* few enough, and nothing to round */
    o.pad = HY_INTS(PAD, PAD);
    o.stride = HY_INTS(1 << 24, 1 << 24);
    CHECK(hy_int8_convolution(F, hy_ones(F, HY_SHAPE(1, 0, 8, 8)), w, hy_ones(F, HY_SHAPE(16)), NULL, HY_INTS(1, 1), 16, 1, &o));
    CHECK(!hy_error(F));
    hy_close(F);
}

/* Lists longer than they can be, words and types that there are none of: refused before anything reads them. */
static void test_misuse_records(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *x = hy_ones(F, HY_SHAPE(1, 1, 2, 2));
    const hy_op *op = hy_op_find(F, "activation");
    hy_dropout_opt drop = { 0 };
    hy_norm_opt norm = { 0 };
    hy_ints many = HY_INTS(0, 1);
    hy_shape wide = HY_SHAPE(1, 1);
    int mode = 99;
    char text[64];
    many.n = 1000;
    wide.ndim = 1000;
    drop.axes = many;
    norm.out_dtype = (hy_dtype)77;
    CHECK(!hy_pad(F, x, many, HY_PAD_CONSTANT, NULL));
    misuse_told(F, "pad_width has 1000 numbers");
    CHECK(!hy_tile(F, x, many));
    misuse_told(F, "reps has 1000 numbers");
    CHECK(!hy_dropout(F, x, 0.5, &drop));
    misuse_told(F, "axes has 1000 numbers");
    CHECK(!hy_split_v2(F, x, many, 3, NULL));
    misuse_told(F, "indices has 1000 numbers");
    CHECK(!hy_tile(S, hy_var(S, "x", NULL), many));
    misuse_told(S, "reps has 1000 numbers");
    CHECK(!hy_zeros(S, wide));
    misuse_told(S, "shape has 1000 dims");
    CHECK(!hy_norm(F, x, HY_ALL, &norm));
    misuse_told(F, "out_dtype 77 is no type");
    CHECK(!hy_pad(F, x, HY_INTS(0, 0, 0, 0, 5, 5, 5, 5), 77, NULL));
    misuse_told(F, "mode is 77");
    CHECK(!hy_activation(F, x, -1));
    misuse_told(F, "act_type is -1");
    CHECK(op && !hy_attr_text(op->attr, &mode, text, sizeof text) && !text[0]);
    if (op) {
        hy_attr rows[66];
        hy_op mine = *op;
        int i;
        memset(rows, 0, sizeof rows);
        for (i = 0; i < 65; i++) rows[i] = op->attr[0];
        mine.name = "of_many_words";
        mine.attr = rows;
        CHECK(hy_register(F, &mine) != 0);
        misuse_told(F, "64 attributes");
    }
    mode = HY_ACT_MISH;
    CHECK(op && hy_attr_text(op->attr, &mode, text, sizeof text) == 4 && !strcmp(text, "mish"));
    hy_close(S);
    hy_close(F);
}

/* Shapes and types that are none. */
static void test_misuse_params(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = misuse_net(F);
    hy_param_opt o = { 0 };
    hy_shape shape = HY_SHAPE(2, 3);
    hy_initialize(F, net, NULL);
    shape.ndim = 1000;
    CHECK(!hy_add_param(F, net, "w", shape, NULL));
    misuse_told(F, "1000 dims");
    shape.ndim = -1;
    CHECK(!hy_add_param(F, net, "w", shape, NULL));
    misuse_told(F, "bad shape");
    shape = HY_SHAPE(INT64_MAX / 2, INT64_MAX / 3);
    CHECK(!hy_add_param(F, net, "w", shape, NULL));
    misuse_told(F, "too large");
    CHECK(!hy_add_param(F, net, "w", HY_SHAPE(2, -2), NULL));
    misuse_told(F, "negative");
    o.dtype = (hy_dtype)77;
    CHECK(!hy_add_param(F, net, "w", HY_SHAPE(2), &o));
    misuse_told(F, "77 is no dtype");
    hy_cast_block(F, net, (hy_dtype)99);
    misuse_told(F, "floating point");
    hy_cast_block(F, net, (hy_dtype)-5);
    misuse_told(F, "floating point");
    CHECK(hy_add_param(F, net, "w", HY_SHAPE(2, -1), NULL));
    CHECK(!hy_close(F));
}

/* A recorded call that reads a gradient keeps it from being cleared. */
static void test_misuse_zero_grad(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = misuse_net(F);
    hy_array *x = hy_ones(F, HY_SHAPE(1, 3)), *w, *y, *v = hy_ones(F, HY_SHAPE(1, 3));
    hy_call(F, net, x);
    w = hy_param(F, net, "weight");
    hy_record(F);
    y = hy_call(F, net, x);
    hy_backward(F, y, NULL);
    hy_attach_grad(F, v, HY_GRAD_WRITE);
    y = hy_mul(F, hy_grad_of(F, w), v);
    hy_pause(F);
    hy_zero_grad(F, net);
    misuse_told(F, "hy_zero_grad: a recorded backward still needs the gradient of");
    hy_backward(F, y, NULL);
    CHECK(hy_item(F, hy_sum(F, hy_grad_of(F, v), HY_ALL, NULL)) == 3);
    hy_zero_grad(F, net);
    CHECK(hy_item(F, hy_sum(F, hy_grad_of(F, w), HY_ALL, NULL)) == 0);
    CHECK(!hy_close(F));
}

/* A recorded call that reads a gradient keeps backward from writing another one there; itself it may. */
static void test_misuse_backward_over_gradient(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *w = hy_full(F, HY_SHAPE(3), 2), *v = hy_ones(F, HY_SHAPE(3)), *y, *z;
    hy_backward_opt keep;
    memset(&keep, 0, sizeof keep);
    keep.retain_graph = 1;
    hy_attach_grad(F, w, HY_GRAD_WRITE);
    hy_attach_grad(F, v, HY_GRAD_WRITE);
    hy_record(F);
    hy_backward(F, hy_mul_scalar(F, w, 5), NULL);
    y = hy_mul(F, hy_grad_of(F, w), v);                 /* its gradient is w's, 5 */
    z = hy_mul_scalar(F, w, 7);
    hy_pause(F);
    hy_backward(F, z, NULL);
    misuse_told(F, "hy_backward: a recorded call still needs a gradient");
    CHECK(hy_item(F, hy_sum(F, hy_grad_of(F, w), HY_ALL, NULL)) == 15);
    hy_backward(F, y, NULL);
    CHECK(hy_item(F, hy_sum(F, hy_grad_of(F, v), HY_ALL, NULL)) == 15);
    hy_backward(F, z, NULL);
    CHECK(hy_item(F, hy_sum(F, hy_grad_of(F, w), HY_ALL, NULL)) == 21);
    hy_record(F);
    y = hy_mul(F, hy_grad_of(F, w), w);                 /* writes where it has read */
    hy_pause(F);
    hy_backward(F, y, &keep);
    misuse_told(F, "hy_backward: a recorded call still needs a gradient");
    hy_backward(F, y, NULL);
    CHECK(hy_item(F, hy_sum(F, hy_grad_of(F, w), HY_ALL, NULL)) == 21);
    CHECK(!hy_error(F));
    CHECK(!hy_close(F));
}

/* To plan, or export, a block within the call of another does not end that call. */
typedef struct { hy_block base; hy_block *inner; } misuse_outer;
static hy_array *misuse_planning(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_block *inner = ((misuse_outer *)self)->inner;
    CHECK(hy_plan(F, inner, x).total > 0);
    hy_block_free(F, self);
    misuse_told(F, "forward must not free its own block");
    hy_export_for(F, inner, x, "misuse_plan", 0);
    remove("misuse_plan-symbol.json");
    remove("misuse_plan-0000.params");
    hy_clear(F);
    hy_block_free(F, self);
    misuse_told(F, "forward must not free its own block");
    return hy_call(F, inner, x);
}
static void test_misuse_plan(void)
{
    hy_frame *F = hy_open(NULL);
    misuse_outer *outer = (misuse_outer *)hy_block_new(F, sizeof *outer, "outer", misuse_planning, 1);
    outer->inner = misuse_net(F);
    hy_hybridize(F, outer->inner, NULL);
    CHECK(hy_item(F, hy_call(F, &outer->base, hy_ones(F, HY_SHAPE(1, 3)))) == 3);
    CHECK(!hy_close(F));
}

/* A frame is not closed by what runs in it; a name that is none is told. */
static hy_frame *misuse_frame;
static hy_array *misuse_closing(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    CHECK(hy_close(misuse_frame ? misuse_frame : F) == HY_ERROR_STATE);
    return hy_add_scalar(F, x, 1);
}
static void test_misuse_close(void)
{
    hy_frame *F, *S;
    hy_array *x;
    hy_graph *g;
    const char *none = NULL;
    int i;
    for (i = 0; i < 3; i++) {           /* line by line, traced, traced and the frame that it is traced for */
        hy_block *net;
        F = hy_open(NULL);
        misuse_frame = i == 2 ? F : NULL;
        net = hy_block_new(F, sizeof *net, "closing", misuse_closing, 1);
        if (i) hy_hybridize(F, net, NULL);
        CHECK(!hy_call(F, net, hy_ones(F, HY_SHAPE(2))));
        misuse_told(F, "forward must not close its own frame");
        CHECK(!hy_close(F));
    }
    F = hy_open(NULL);
    S = hy_symbolic(F);
    x = hy_var(S, "x", NULL);
    g = hy_compile(S, hy_square(S, x));
    CHECK(!hy_compose(S, g, 1, &none, &x));
    misuse_told(S, "hy_compose: names, values or a name is NULL");
    CHECK(!hy_compose(S, g, 1, NULL, NULL));
    misuse_told(S, "hy_compose: names, values or a name is NULL");
    CHECK(!hy_close(S));
    CHECK(!hy_close(F));
}

/* A program that does not wait for its children has machine code, too. */
#ifdef HY__POSIX_FILES
static int misuse_warned;
static void misuse_log(void *user, int level, int code, const char *text)
{
    (void)user; (void)code;
    if (level == HY_LOG_WARNING && strstr(text, "jit")) misuse_warned++;
}
static void test_misuse_jit(void)
{
    hy_desc desc = { 0 };
    hy_hybridize_opt jit = { 0 };
    hy_frame *F;
    hy_block *net;
    void (*before)(int);
    if (!source_compiler()) return;
    desc.log_fn = misuse_log;
    F = hy_open(&desc);
    net = misuse_net(F);
    jit.jit = 1;
    hy_hybridize(F, net, &jit);
    misuse_warned = 0;
    before = signal(SIGCHLD, SIG_IGN);
    CHECK_NEAR(hy_item(F, hy_call(F, net, hy_ones(F, HY_SHAPE(1, 3)))), 3, 1e-6);
    signal(SIGCHLD, before);
    CHECK(!misuse_warned);
    CHECK(!hy_close(F));
}
#endif

static void test_misuse(void)
{
    RUN(test_misuse_nothing);
    RUN(test_misuse_operator);
    RUN(test_misuse_optimisers);
    RUN(test_misuse_states);
    RUN(test_misuse_long_paths);
    RUN(test_misuse_many_layers);
    RUN(test_misuse_loss_scale);
    RUN(test_misuse_composites);
    RUN(test_misuse_metrics);
    RUN(test_misuse_datasets);
    RUN(test_misuse_csv);
    RUN(test_misuse_index);
    RUN(test_misuse_fit);
    RUN(test_misuse_fit_frees);
    RUN(test_misuse_source);
    RUN(test_misuse_padding);
    RUN(test_misuse_records);
    RUN(test_misuse_loop);
    RUN(test_misuse_params);
    RUN(test_misuse_zero_grad);
    RUN(test_misuse_backward_over_gradient);
    RUN(test_misuse_plan);
    RUN(test_misuse_close);
#ifdef HY__POSIX_FILES
    if (test_may_load_code()) RUN(test_misuse_jit);
#endif
}
