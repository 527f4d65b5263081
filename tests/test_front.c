/* What newcomers met: imported networks without layers, plans of nothing, lists that ended in silence. */

static void front_imported_layers(void)
{
    static char text[20000];
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_import(F, "tests/golden/mxnet/bn", 0), *both = hy_nn_hybrid_sequential(F);
    size_t n = hy_block_text(F, net, text, sizeof text);
    CHECK(n == strlen(text));
    CHECK(strstr(text, "SymbolBlock(\n  (conv2_fwd): convolution(kernel=(3, 3), num_filter=4, ") == text);
    CHECK(strstr(text, "\n  (relu0_fwd): activation(act_type=relu)\n") != NULL);
    CHECK_STR(text + n - 4, ")\n)\n");
    hy_append(F, both, hy_nn_dense(F, 3, NULL), hy_import(F, "tests/golden/mxnet/lstm", 0));
    n = hy_block_text(F, both, text, sizeof text);      /* more than one guess of its length */
    CHECK(n > 600 && n == strlen(text));
    CHECK(strstr(text, "\n  (1): SymbolBlock(\n    (lstm0_reshape0): reshape(shape=(-1,))\n    (") != NULL);
    CHECK_STR(text + n - 8, ")\n  )\n)\n");
    CHECK(hy_close(F) == 0);
}

static hy_array *front_masked(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_relu(F, hy_boolean_mask(F, hy_square(F, x), hy_greater_scalar(F, hy_sum(F, x, HY_AXES(1), NULL), 0), 0));
}

static void front_log(void *user, int level, int code, const char *text)
{
    (void)code;
    if (level == HY_LOG_WARNING) snprintf((char *)user, 512, "%s", text);
}

static void front_plan_of_values(void)
{
    char said[512] = "";
    hy_desc desc;
    hy_frame *F;
    hy_block *net;
    hy_plan_info info;
    memset(&desc, 0, sizeof desc);
    desc.log_fn = front_log;
    desc.log_user = said;
    F = hy_open(&desc);
    net = hy_block_new(F, sizeof(hy_block), "Masked", front_masked, 1);
    hy_hybridize(F, net, NULL);
    info = hy_plan(F, net, hy_ones(F, HY_SHAPE(4, 3)));
    CHECK(info.dynamic && !info.total);
    CHECK(strstr(said, "hy_plan: an operator's values decide shapes") == said);
    CHECK(hy_close(F) == 0);
}

/* A list that outlives its bracket holds nothing but an error, whatever memory is used for meanwhile. */
static void front_list_is_over(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_dense(F, 4, NULL);
    hy_params early, list, again;
    int i;
    hy_initialize(F, net, NULL);
    hy_call(F, net, hy_ones(F, HY_SHAPE(1, 3)));
    early = hy_collect_params(F, net, NULL);
    hy_begin(F);
    list = hy_collect_params(F, net, NULL);
    CHECK(list.n == 2 && list.at[0] == early.at[0]);
    hy_end(F);
    for (i = 1; i < 200; i++) hy_ones(F, HY_SHAPE(i));
    CHECK(hy_ndim(F, early.at[0]) == 2 && !hy_error(F));
    CHECK(hy_ndim(F, list.at[0]) == 0);
    CHECK(hy_error(F) && strstr(hy_error(F), "the list of hy_collect_params is used after its hy_end"));
    hy_clear(F);
    CHECK(hy_square(F, list.at[1]) == NULL && hy_error_code(F) == HY_ERROR_STATE);
    hy_clear(F);
    for (i = 0; i < 100; i++) {                         /* one list's memory serves the next */
        size_t used = hy_memory_use(F).bytes;
        hy_begin(F);
        again = hy_collect_params(F, net, NULL);
        CHECK(again.at == list.at && again.at[1] == early.at[1]);
        hy_end(F);
        CHECK(hy_memory_use(F).bytes == used || i == 0);
    }
    CHECK(hy_close(F) == 0);
}

/* Inputs that are rare stand among the options. */
static void front_rare_inputs(void)
{
    static const float ends[] = { 1, 3 };
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_ones(F, HY_SHAPE(2, 4)), *y;
    hy_softmax_opt opt = { 0 };
    CHECK(hy_value(F, hy_softmax(F, x, -1, NULL), 1, 3) == 0.25);
    opt.length = hy_floats(F, HY_SHAPE(2), ends);
    CHECK(hy_value(F, hy_softmax(F, x, -1, &opt), 1, 3) == 0.25);      /* nothing asks for it */
    opt.use_length = 1;
    y = hy_softmax(F, x, -1, &opt);
    CHECK(hy_value(F, y, 0, 0) == 1 && hy_value(F, y, 1, 3) == 0);
    CHECK_NEAR(hy_value(F, y, 1, 2), 1 / 3.0, 1e-6);
    opt.length = NULL;
    CHECK(!hy_softmax(F, x, -1, &opt) && hy_error(F));
    CHECK_STR(hy_error(F), "softmax: input length is NULL");
    hy_clear(F);
    CHECK(hy_close(F) == 0);
}

static void test_front(void)
{
    RUN(front_rare_inputs);
    RUN(front_imported_layers);
    RUN(front_plan_of_values);
    RUN(front_list_is_over);
}
