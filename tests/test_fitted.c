/* What hy_fit leaves: a network that can be exported, epochs among which no NaN is the best; and what the user's
 * functions may not do while it, or something else, is at work. */

/* --- a fitted network is exported --- */
static int fitted_sample(void *user, int64_t i, uint64_t random, const void *const *in, void *const *out)
{
    float *x = (float *)out[0], sum = 0;
    int k;
    (void)user; (void)random; (void)in;
    for (k = 0; k < 6; k++) sum += x[k] = sinf((float)i * 1.7f + (float)k);
    *(float *)out[1] = sum;
    return 0;
}
static const hy_type fitted_types[2] = { { HY_F32, { 1, { 6 } } }, { HY_F32, { 0, { 0 } } } };

/* Another graph in training, other numbers for every shape: both are asked for by name. */
typedef struct fitted_asking { hy_block base; hy_block *dense; int shape; } fitted_asking;
static hy_array *fitted_asks(hy_frame *F, hy_block *self, hy_array *x)
{
    fitted_asking *b = (fitted_asking *)(void *)self;
    x = hy_call(F, b->dense, x);
    if (b->shape) x = hy_div_scalar(F, x, (double)hy_dim(F, x, 1));
    return hy_is_training(F) ? hy_mul_scalar(F, x, 2) : x;
}

enum { FITTED_PLAIN, FITTED_ASKS, FITTED_ASKS_SHAPE, FITTED_RECOMPUTE, FITTED_CHILDREN, FITTED_LATER, FITTED_NETS };
static hy_block *fitted_net(hy_frame *F, int which)
{
    hy_block *net = which == FITTED_CHILDREN ? hy_nn_sequential(F) : hy_nn_hybrid_sequential(F), *hidden;
    hy_nn_dense_opt relu;
    memset(&relu, 0, sizeof relu);
    relu.activation = "relu";
    if (which == FITTED_ASKS || which == FITTED_ASKS_SHAPE) {
        fitted_asking *b = HY_BLOCK_NEW(F, fitted_asking, fitted_asks);
        b->dense = hy_add_child(F, &b->base, "dense", hy_nn_dense(F, 8, &relu));
        b->shape = which == FITTED_ASKS_SHAPE;
        hidden = &b->base;
    } else {
        hidden = hy_nn_hybrid_sequential(F);
        hy_append(F, hidden, hy_nn_dense(F, 8, &relu), hy_nn_batch_norm(F, NULL), hy_nn_dropout(F, 0.3, NULL));
    }
    hy_append(F, net, hidden, hy_nn_dense(F, 1, NULL));
    hy_initialize(F, net, NULL);
    if (which == FITTED_RECOMPUTE) hy_set_recompute(F, hidden, 1);
    if (which == FITTED_CHILDREN) hy_hybridize(F, hidden, NULL);
    else if (which != FITTED_LATER) hy_hybridize(F, net, NULL);
    return net;
}

/* The same numbers as the block itself gives, not in training. */
static void fitted_same(hy_frame *F, hy_block *block, hy_block *read, hy_array *x)
{
    hy_array *a = hy_call(F, block, x), *b = read ? hy_call(F, read, x) : NULL;
    int64_t i, n = a ? hy_size(F, a) : 0;
    if (!CHECK(n > 0 && b && hy_size(F, b) == n)) { printf("    %s\n", hy_error(F) ? hy_error(F) : ""); return; }
    for (i = 0; i < n; i++)
        CHECK_NEAR(((const float *)hy_data(F, b))[i], (double)((const float *)hy_data(F, a))[i], 1e-5);
}

static void test_fitted_exports(void)
{
    int which, last, validation;
    for (which = 0; which < FITTED_NETS; which++)
        for (last = 0; last < 2; last++)
            for (validation = 0; validation < 2; validation++) {
                hy_frame *F = hy_open(NULL);
                hy_block *net = fitted_net(F, which), *what = net, *read;
                hy_trainer *T = hy_trainer_new(F, net, hy_optim_adam(NULL), NULL);
                hy_dataset *D = hy_dataset_of(F, last ? 18 : 16, 2, fitted_types, fitted_sample, NULL);
                hy_loader *L = hy_loader_new(F, D, 4, NULL);
                hy_array *x = hy_normal(F, HY_SHAPE(3, 6), 0, 1), *bytes, *symbol = NULL;
                hy_arrays params;
                hy_fit_opt o;
                memset(&o, 0, sizeof o);
                o.epochs = 2;
                o.progress = -1;
                CHECK(hy_fit(F, net, hy_loss_l2(F, NULL), T, L, validation ? L : NULL, &o).n == 2);
                if (which == FITTED_LATER) hy_hybridize(F, net, NULL);
                if (which == FITTED_CHILDREN) what = hy_child(F, net, 0);
                bytes = hy_save_model_to(F, what, NULL);
                if (!CHECK(bytes)) printf("    net %d: %s\n", which, hy_error(F));
                read = bytes ? hy_load_model_from(F, hy_data(F, bytes), (size_t)hy_size(F, bytes), 0) : NULL;
                fitted_same(F, what, read, x);
                CHECK(hy_export_to(F, what, NULL, &symbol, &params) == 0 && symbol && params.n > 0);
                CHECK(hy_graph_of(F, what) != NULL);
                CHECK_STR(hy_error(F), NULL);
                CHECK(hy_close(F) == 0);
            }
}

/* What else asks for a graph, or a plan, right after hy_fit. */
static void test_fitted_goes_on(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = fitted_net(F, FITTED_PLAIN), *small, *read;
    hy_trainer *T = hy_trainer_new(F, net, hy_optim_adam(NULL), NULL);
    hy_loader *L = hy_loader_new(F, hy_dataset_of(F, 10, 2, fitted_types, fitted_sample, NULL), 4, NULL);
    hy_array *x = hy_normal(F, HY_SHAPE(3, 6), 0, 1), *bytes;
    CHECK(hy_graph_of(F, net) == NULL && strstr(hy_error(F), "Please first call hy_hybridize"));
    hy_clear(F);
    CHECK(hy_fit(F, net, hy_loss_l2(F, NULL), T, L, NULL, NULL).n == 1);
    CHECK(hy_graph_of(F, net) != NULL);
    CHECK(hy_plan(F, net, x).total > 0);
    bytes = hy_onnx_to(F, net, x, 17);
    read = bytes ? hy_onnx_from(F, hy_data(F, bytes), (size_t)hy_size(F, bytes), NULL) : NULL;
    fitted_same(F, net, read, x);
#ifndef HYBRID_NO_STDIO
    CHECK(hy_export_c(F, net, x, "fitted.c", NULL) == 0);
    remove("fitted.c");
#endif
    small = hy_quantize(F, net, x, &quantize_all);
    CHECK(small && hy_call(F, small, x));
    hy_hybridize(F, net, NULL);                 /* its programs go */
    CHECK(hy_save_model_to(F, net, NULL) != NULL);
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);

    F = hy_open(NULL);                          /* what was read keeps its names and learns on */
    net = fitted_net(F, FITTED_PLAIN);
    x = hy_normal(F, HY_SHAPE(3, 6), 0, 1);
    hy_call(F, net, x);
    bytes = hy_save_model_to(F, net, NULL);
    net = hy_load_model_from(F, hy_data(F, bytes), (size_t)hy_size(F, bytes), 0);
    hy_hybridize(F, net, NULL);
    T = hy_trainer_new(F, net, hy_optim_adam(NULL), NULL);
    L = hy_loader_new(F, hy_dataset_of(F, 10, 2, fitted_types, fitted_sample, NULL), 4, NULL);
    CHECK(hy_fit(F, net, hy_loss_l2(F, NULL), T, L, L, NULL).n == 1);
    bytes = hy_save_model_to(F, net, NULL);
    read = bytes ? hy_load_model_from(F, hy_data(F, bytes), (size_t)hy_size(F, bytes), 0) : NULL;
    fitted_same(F, net, read, x);
    CHECK_STR(read ? hy_input_name(F, read, 0) : NULL, hy_input_name(F, net, 0));
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);

    F = hy_open(NULL);                          /* line by line nothing is said, as in Gluon */
    net = fitted_net(F, FITTED_LATER);
    T = hy_trainer_new(F, net, hy_optim_adam(NULL), NULL);
    L = hy_loader_new(F, hy_dataset_of(F, 10, 2, fitted_types, fitted_sample, NULL), 4, NULL);
    CHECK(hy_fit(F, net, hy_loss_l2(F, NULL), T, L, NULL, NULL).n == 1);
    CHECK(!hy_save_model_to(F, net, NULL) && strstr(hy_error(F), "Please first call hy_hybridize"));
    hy_close(F);
}

/* --- the best epoch --- */
static double fitted_weight(hy_frame *F, hy_block *net)
{
    double w[6] = { 0, 0, 0, 0, 0, 0 };
    hy_to(F, hy_param(F, net, "weight"), HY_F64, w, sizeof w);
    return w[0] + w[1];
}

/* A NaN is never the best: the checkpoint of a good run stays. */
static void test_fitted_nan_is_never_best(void)
{
    static const char file[] = "fitted_best.params";
    double good = 0;
    int run, k;
    for (run = 0; run < 4; run++) {             /* good; NaN in the data; a last step that makes NaN; inf */
        hy_frame *F = hy_open(NULL);
        hy_block *net = hy_nn_dense(F, 1, NULL);
        hy_array *x, *y;
        hy_loader *L, *V;
        hy_optim_opt s;
        hy_fit_opt o;
        hy_history h;
        memset(&s, 0, sizeof s);
        memset(&o, 0, sizeof o);
        hy_initialize(F, net, NULL);
        x = hy_normal(F, HY_SHAPE(32, 4), 0, 1);
        y = hy_sum(F, x, HY_AXES(1), NULL);
        V = hy_loader_new(F, hy_dataset_arrays(F, hy_group(F, hy_copy(F, x), hy_copy(F, y))), 8, NULL);
        if (run == 1) hy_set_value(F, x, strtod("nan", NULL), 7, 2);
        for (k = 0; run == 2 && k < 3; k++) hy_set_value(F, x, 3e38, k, 0);     /* the loss is still a number */
        if (run == 3) hy_set_value(F, y, HUGE_VAL, 0);
        L = hy_loader_new(F, hy_dataset_arrays(F, hy_group(F, x, y)), run == 2 ? 32 : 8, NULL);
        s.learning_rate = 0.1;
        o.epochs = 3;
        o.patience = run ? 2 : 0;
        o.progress = -1;
        o.checkpoint = file;
        if (run) hy_load_parameters(F, net, file, NULL);
        h = hy_fit(F, net, run == 2 ? hy_loss_l1(F, NULL) : hy_loss_l2(F, NULL),
                   hy_trainer_new(F, net, hy_optim_sgd(&s), NULL), L, run == 2 ? NULL : run ? L : V, &o);
        CHECK(h.n == (run ? 2 : 3));            /* patience counts epochs without a number */
        if (run == 2) CHECK(h.n && h.at[0].loss - h.at[0].loss == 0 && !h.at[0].best && h.at[0].not_finite == 1);
        if (!run) CHECK(h.n && h.at[0].best && h.at[2].best);
        for (k = 0; run == 1 && k < h.n; k++)
            CHECK(!h.at[k].best && h.at[k].not_finite > 0 && h.at[k].loss != h.at[k].loss);
        for (k = 0; run == 3 && k < h.n; k++) CHECK(!h.at[k].best);
        hy_load_parameters(F, net, file, NULL);
        if (!run) good = fitted_weight(F, net);
        CHECK(fitted_weight(F, net) == good);
        CHECK(good > 1);
        CHECK_STR(hy_error(F), NULL);
        CHECK(hy_close(F) == 0);
    }
    remove(file);
}

/* Steps that are left out, and those with strange gradients, are counted in epochs, in files and on the line. */
static void test_fitted_counts_steps(void)
{
    int clip;
    for (clip = 0; clip < 2; clip++) {
        static char text[60000];
        hy__line line = hy__line_open(text, sizeof text);
        hy__fit shown;
        hy_frame *F;
        hy_block *net;
        hy_array *x, *y;
        hy_trainer_opt t;
        hy_fit_opt o;
        hy_history h;
        FILE *f;
        memset(&shown, 0, sizeof shown);
        memset(&t, 0, sizeof t);
        memset(&o, 0, sizeof o);
        F = shown.F = hy_open(NULL);
        net = hy_nn_dense(F, 1, NULL);
        hy_initialize(F, net, NULL);
        x = hy_normal(F, HY_SHAPE(32, 4), 0, 1);
        y = hy_sum(F, x, HY_AXES(1), NULL);
        hy_set_value(F, x, HUGE_VAL, 9, 1);     /* in the second of four batches */
        t.clip_global_norm = clip;
        o.epochs = 2;
        o.progress = -1;
        o.history = "fitted.csv";
        h = hy_fit(F, net, hy_loss_l2(F, NULL), hy_trainer_new(F, net, hy_optim_sgd(NULL), &t),
                   hy_loader_new(F, hy_dataset_arrays(F, hy_group(F, x, y)), 8, NULL), NULL, &o);
        CHECK(h.n == 2 && h.at[0].left_out == (clip ? 1 : 0) && h.at[1].left_out == (clip ? 1 : 0));
        if (h.n) CHECK(h.at[0].not_finite == (clip ? 0 : 3) && h.at[1].not_finite == (clip ? 0 : 4));
        if (h.n) hy__fit_line(&line, &shown, &h.at[0], NULL);
        CHECK(strstr(text, clip ? " s, steps left out: 1\n" : " s, steps with gradients that are not finite: 3\n"));
        f = fopen("fitted.csv", "rb");
        text[f ? fread(text, 1, sizeof text - 1, f) : 0] = 0;
        if (f) fclose(f);
        remove("fitted.csv");
        CHECK(strstr(text, ",best,left_out,not_finite\n0,") && strstr(text, clip ? ",0,1,0\n" : ",0,0,3\n"));
        CHECK_STR(hy_error(F), NULL);
        CHECK(hy_close(F) == 0);
    }
}

/* --- the axis of the batch --- */
static hy_array *fitted_turn(hy_frame *F, hy_block *self, hy_array *x) { (void)self; return hy_swap_axes(F, x, 0, 1); }
/* Half the square of 1 everywhere: the bias moves by the rate, if a step divides by the samples that there are. */
static void test_fitted_batch_axis(void)
{
    static const int turned[] = { 0, 0, 1, 1, 1, 0 }, of_loss[] = { 0, 1, 0, 0, 1, -2 }, given[] = { 0, 0, 0, 1, 0, -2 };
    static const int samples[] = { 5, 7, 0, 7, 5, 7 };
    int how, hybrid;
    for (how = 0; how < 12; how++) {
        hy_frame *F = hy_open(NULL);
        hy_block *net = hy_nn_hybrid_sequential(F);
        hy_init zero = hy_init_zeros();
        hy_nn_dense_opt flat;
        hy_loss_opt l;
        hy_fit_opt o;
        hy_array *data = hy_group(F, hy_ones(F, HY_SHAPE(5, 7, 3)), hy_negative(F, hy_ones(F, HY_SHAPE(5, 7, 1))));
        hy_loader *L = hy_loader_new(F, hy_dataset_arrays(F, data), 5, NULL);
        hy_history h;
        memset(&flat, 0, sizeof flat);
        memset(&l, 0, sizeof l);
        memset(&o, 0, sizeof o);
        hybrid = how / 6;
        flat.no_flatten = 1;
        hy_append(F, net, hy_nn_dense(F, 1, &flat));
        if (turned[how % 6]) hy_append(F, net, hy_nn_hybrid_lambda(F, fitted_turn, "turn"));
        hy_initialize(F, net, &zero);
        if (hybrid) hy_hybridize(F, net, NULL);
        l.batch_axis = of_loss[how % 6];
        o.progress = -1;
        o.batch_axis = given[how % 6];
        h = hy_fit(F, net, hy_loss_l2(F, &l), hy_trainer_new(F, net, hy_optim_sgd(NULL), NULL), L, NULL, &o);
        if (how % 6 == 2) {
            train_expect(F, "the loss has 7 numbers, as many as axis 1 of the data, which has 5 along axis 0");
            o.batch_axis = 3;
            CHECK(!hy_fit(F, net, hy_loss_l2(F, &l), hy_trainer_new(F, net, hy_optim_sgd(NULL), NULL), L, NULL, &o).n);
            train_expect(F, "axis 3");
        } else {
            CHECK(h.n == 1 && h.at[0].samples == samples[how % 6]);
            CHECK_NEAR(hy_value(F, hy_param(F, net, "0.bias"), 0), -0.01, 1e-8);
        }
        CHECK_STR(hy_error(F), NULL);
        CHECK(hy_close(F) == 0);
    }
}

static void test_fitted(void)
{
    RUN(test_fitted_exports);
    RUN(test_fitted_goes_on);
    RUN(test_fitted_nan_is_never_best);
    RUN(test_fitted_counts_steps);
    RUN(test_fitted_batch_axis);
}
