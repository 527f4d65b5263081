/* Files that older versions wrote (golden/v0.3, whose make.c says how) give what they gave: read once, compiled, bound,
 * quantised or not, and written and read again. */
#if !defined(HYBRID_NO_INT8) && !defined(HYBRID_NO_IO) && !defined(HYBRID_NO_VISION) && !defined(HYBRID_NO_RNN) && \
    !defined(HYBRID_NO_STDIO)

/* What is written beside a file: inputs as a group, or one array; results in the order of the outputs. */
typedef struct golden_case { hy_array *in, *out[6]; int outs; double off; } golden_case;

static int golden_open(hy_frame *F, golden_case *c, const char *name)
{
    char file[200];
    hy_array *in[6];
    hy_arrays all;
    int i, ins = 0;
    sprintf(file, "tests/golden/v0.3/%s.npz", name);
    all = hy_load(F, file);
    c->outs = 0;
    c->off = strstr(name, "f16") ? 1e-2 : 2e-6;
    for (i = 0; i < all.n; i++)
        if (all.name[i][0] == 'i') in[ins++] = all.at[i];
        else c->out[c->outs++] = all.at[i];
    c->in = ins > 1 ? hy_group_of(F, ins, in) : ins ? in[0] : NULL;
    return CHECK(ins && c->outs && !hy_error(F));
}

static int golden_call(hy_frame *F, hy_block *net, const golden_case *c)
{
    hy_array *y;
    int i, same;
    hy_seed(F, 7);
    y = hy_call(F, net, c->in);
    same = y && hy_count(F, y) == c->outs;
    for (i = 0; i < c->outs && same; i++) {
        hy_array *got = y->count ? hy_get(F, y, i) : y;
        same = hy_dtype_of(F, got) == hy_dtype_of(F, c->out[i]) && save_error(F, got, c->out[i]) < c->off &&
               hy__same_shape(&got->t.type.shape, &c->out[i]->t.type.shape);
    }
    return CHECK(same && !hy_error(F));
}

/* Bound to memory of its own, unless values decide shapes. */
static int golden_bound(hy_frame *F, hy_block *net, const golden_case *c)
{
    hy_plan_info plan = hy_plan(F, net, c->in);
    void *memory = malloc(plan.total + 1);
    int ok = memory && CHECK(!hy_bind(F, net, c->in, memory, plan.total)) && golden_call(F, net, c);
    hy_block_free(F, net);
    free(memory);
    return ok;
}

static void golden_one(const char *name)
{
    tb_log log;
    hy_frame *F = tb_open_log(&log);
    golden_case c;
    hy_block *net, *again;
    char file[200];
    int single = !strstr(name, "_pair"), ok;
    sprintf(file, "tests/golden/v0.3/%s%s", name, single ? ".hybrid" : "");
    net = single ? hy_load_model(F, file) : hy_import(F, file, 0);
    ok = golden_open(F, &c, name) && golden_call(F, net, &c);
    again = tb_reloaded(F, net, NULL, single);
    ok = ok && golden_call(F, again, &c);
    if (again) hy_hybridize(F, again, NULL);
    ok = ok && golden_call(F, again, &c) && golden_call(F, tb_reloaded(F, again, NULL, !single), &c);
    if (net) hy_hybridize(F, net, NULL);
    ok = ok && golden_call(F, net, &c) && golden_bound(F, net, &c);
    if (!ok) printf("    %s: %s\n", name, hy_error(F) ? hy_error(F) : "other results");
    hy_close(F);
}

static void golden_models(void)
{
    static const char *const names[] = {
        "mlp", "mlp_pair", "dropout", "dropout_pair", "conv", "conv_pair", "int8", "int8_pair", "foreach",
        "foreach_pair", "while", "while_pair", "cond", "cond_pair", "nested", "nested_pair", "groups", "groups_pair",
        "noise", "sizes", "lstm", "gru_pair", "embedding", "bf16", "f16_pair" };
    int i;
    for (i = 0; i < (int)(sizeof names / sizeof *names); i++) golden_one(names[i]);
}

/* A model that 0.3.0 would read and draw other numbers from has a version that it refuses (10000000 is the largest it
 * takes), others have MXNet's; in a pair that stands behind, where MXNet finds it. What a later version writes is
 * refused here likewise. */
static hy_array *golden_drop(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_dropout(F, hy_dropout(F, x, .5, NULL), .5, NULL);
}

static hy_array *golden_unused(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    hy_uniform_like(F, x, 0, 1);
    return hy_dropout(F, x, .5, NULL);
}

static hy_array *golden_turn(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    (void)user;
    hy_uniform_like(F, x, 0, 1);
    return hy_group(F, hy_normal_like(F, x, 0, 1), s);
}

static hy_array *golden_body(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_get(F, hy_foreach(F, golden_turn, x, hy_zeros(F, HY_SHAPE(1)), NULL), 0);
}

static int golden_says(hy_frame *F, hy_array *bytes, const char *words)
{
    const char *text = bytes ? (const char *)hy_data(F, bytes) : "", *end = text + (bytes ? hy_size(F, bytes) : 0);
    size_t n = strlen(words);
    for (; text + n <= end; text++) if (!memcmp(text, words, n)) return 1;
    return 0;
}

static void golden_versions(void)
{
    static const char newer[] = "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []}], \"arg_nodes\": [0], "
                                "\"heads\": [[0, 0, 0]], \"attrs\": {\"mxnet_version\": [\"int\", 20010901]}}";
    hy_forward_fn forward[] = { golden_drop, golden_unused, golden_body };
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_ones(F, HY_SHAPE(2, 3)), *text, *b;
    hy_arrays params;
    int i;
    for (i = 0; i < 3; i++) {
        hy_block *net = hy_nn_hybrid_lambda(F, forward[i], NULL);
        b = hy_save_model_to(F, net, x);
        CHECK(golden_says(F, b, i ? "\"int\", 10010901]" : "\"int\", 10901]"));
        CHECK(b && hy_load_model_from(F, hy_data(F, b), (size_t)hy_size(F, b), 0));
        CHECK(!hy_export_to(F, net, x, &text, &params) && golden_says(F, text, "\"mxnet_version\": [\"int\", 10901]"));
        CHECK(golden_says(F, text, "[\"int\", 10010901], \"mxnet_version\": [\"int\", 10901]") == (i > 0));
        CHECK(hy_import_from(F, hy_symbol_from(F, (const char *)hy_data(F, text), (size_t)hy_size(F, text)), &params, NULL) != NULL);
    }
    CHECK(!hy_symbol_from(F, newer, sizeof newer - 1));
    ERR(F, HY_ERROR_FORMAT, "a newer hybrid.h wrote this than 0.");
    hy_close(F);
}

/* Parameters by path go into a network whose sizes are open; a step after them goes on as the trainer would have. */
#ifndef HYBRID_NO_TRAIN
static void golden_training(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_nn_dense_opt relu = { 0 };
    hy_arrays states, own;
    hy_trainer *T;
    golden_case c;
    relu.activation = "relu";
    hy_append(F, net, hy_nn_dense(F, 6, &relu), hy_nn_dense(F, 5, &relu), hy_nn_dense(F, 2, NULL));
    golden_open(F, &c, "adam");
    hy_load_parameters(F, net, "tests/golden/v0.3/adam.params", NULL);
    T = hy_trainer_new(F, net, hy_optim_adam(NULL), NULL);
    hy_record(F);
    own.n = 0;
    hy_backward(F, hy_sum(F, hy_square(F, hy_call(F, net, c.in)), HY_ALL, NULL), NULL);
    hy_pause(F);
    hy_step(F, T, 4);
    golden_call(F, net, &c);
    own = hy_trainer_states(F, T);
    states = hy_load(F, "tests/golden/v0.3/adam.states");
    CHECK(states.n == own.n && hy_num_update(F, T) == 1);
    CHECK(!hy_load_states(F, T, "tests/golden/v0.3/adam.states") && hy_num_update(F, T) == 1);
    CHECK(!hy_load_parameters(F, net, "tests/golden/v0.3/adam1.params", NULL));
    golden_call(F, net, &c);
    CHECK_STR(hy_error(F), NULL);
    hy_close(F);
}
#endif

static void test_golden(void)
{
    RUN(golden_models);
    RUN(golden_versions);
#ifndef HYBRID_NO_TRAIN
    RUN(golden_training);
#endif
}
#else
static void test_golden(void) { }
#endif
