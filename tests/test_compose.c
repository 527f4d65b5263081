/* Graphs made of graphs, internals, what blocks tell about themselves, plans. Numbers in brackets are
 * behaviours of the MXNet dossier, section 8. */

/* NAME_act = relu(NAME = FC(data)) with variables data, NAME_weight, NAME_bias */
static hy_graph *compose_layer(hy_frame *S, const char *name, int units)
{
    char act[64];
    snprintf(act, sizeof act, "%s_act", name);
    return hy_compile(S, hy_named(S, hy_relu(S, graph_fc(S, graph_var(S, "data"), name, units)), act));
}

static void compose_by_name(void)                                      /* [60] */
{
    hy_frame *F = tb_open(0), *S = hy_symbolic(F), *T = hy_symbolic(F);
    hy_graph *one = compose_layer(S, "fc1", 10), *two = compose_layer(T, "fc2", 5), *net;
    const char *data = "data", *both[2];
    hy_array *x, *y, *values[2];
    x = hy_compose(T, one, 0, NULL, NULL);              /* a copy, with variables of its own */
    net = hy_compile(T, hy_compose(T, two, 1, &data, &x));
    CHECK_STR(graph_names(net, HY_NAMES_INPUTS), "data,fc1_weight,fc1_bias,fc2_weight,fc2_bias");
    CHECK_STR(graph_names(net, HY_NAMES_OUTPUTS), "fc2_act_output");
    graph_infer(F, net, "(3,4)", "");
    CHECK_STR(graph_shapes(net), "(3,4) (10,4) (10) (5,10) (5) -> (3,5)");
    OK(T);
    both[0] = "fc2_weight";             /* any variable, any order */
    both[1] = "data";
    values[0] = graph_var(T, "w");
    values[1] = hy_full(F, HY_SHAPE(1, 2), 3);          /* an array becomes a constant */
    y = hy_compose(T, two, 2, both, values);
    net = hy_compile(T, y);
    CHECK_STR(graph_names(net, HY_NAMES_INPUTS), "w,fc2_bias");
    OK(T);
    both[0] = "dat";
    CHECK(!hy_compose(T, two, 1, both, values));
    CHECK(hy_error(T) && strstr(hy_error(T), "Candidate arguments") && strstr(hy_error(T), "fc2_weight"));
    ERR(T, HY_ERROR_UNKNOWN, "Keyword argument name dat not found");
    CHECK(!hy_compose(F, two, 0, NULL, NULL));
    CHECK(hy_error_code(F) != HY_ERROR_OK);
    hy_clear(F);
    CHECK(!hy_compose(T, NULL, 0, NULL, NULL));
    CHECK(hy_error_code(T) != HY_ERROR_OK);
    hy_clear(T);
    hy_close(S);
    hy_close(T);
    CHECK(hy_close(F) == 0);
}

static void compose_computes_the_same(void)                            /* [61] without files */
{
    hy_frame *F = tb_open(3), *S = hy_symbolic(F);
    hy_block *net = hybridize_conv_net(F);
    hy_array *x = tb_ramp(F, HY_SHAPE(2, 3, 5, 5)), *y, *v;
    hy_graph *g, *again;
    const char *data = "data";
    hy_initialize(F, net, NULL);
    y = hy_call(F, net, x);
    hy_hybridize(F, net, NULL);
    hy_call(F, net, x);
    g = hy_graph_of(F, net);
    v = graph_var(S, "data");
    again = hy_compile(S, hy_compose(S, g, 1, &data, &v));
    CHECK_STR(graph_names(again, HY_NAMES_INTERNALS), graph_names(g, HY_NAMES_INTERNALS));
    CHECK_STR(graph_names(again, HY_NAMES_AUX),
            "chain0_batchnorm0_running_mean,chain0_batchnorm0_running_var");
    CHECK(tb_close(F, hy_graph_run(F, again, x), y));
    hy_fill(F, hy_param(F, net, "4.bias"), 5);          /* parameters stay parameters */
    CHECK(tb_close(F, hy_graph_run(F, again, x), hy_add_scalar(F, y, 5)));
    OK(F);
    OK(S);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void compose_keeps_random_operators_in_step(void)
{
    hy_frame *F = tb_open(3), *S = hy_symbolic(F);
    hy_block *b = tb_block(F, "noise", hybridize_random);
    hy_array *x = tb_ramp(F, HY_SHAPE(3, 4)), *y, *v = graph_var(S, "data");
    const char *data = "data";
    hy_graph *g;
    y = (hy_seed(F, 8), hy_call(F, b, x));
    hy_hybridize(F, b, NULL);
    hy_call(F, b, x);
    g = hy_compile(S, hy_compose(S, hy_graph_of(F, b), 1, &data, &v));
    hy_seed(F, 8);
    CHECK(tb_close(F, hy_graph_run(F, g, x), y));
    OK(F);
    OK(S);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void compose_internals_are_found_by_name(void)                  /* [62] */
{
    hy_frame *F = tb_open(0), *S = hy_symbolic(F);
    hy_array *x = graph_fc(S, graph_var(S, "data"), "fc1", 4), *all, *y;
    hy_graph *g;
    x = hy_split(S, graph_fc(S, hy_relu(S, x), "fc2", 6), 3, 1, NULL);
    all = hy_internals(S, hy_get(S, x, 1));
    CHECK(hy_count(S, all) == 11);
    y = hy_output_named(S, all, "fc1_output");
    g = hy_compile(S, y);
    CHECK_STR(graph_names(g, HY_NAMES_ARGUMENTS), "data,fc1_weight,fc1_bias");
    CHECK_STR(graph_names(g, HY_NAMES_OUTPUTS), "fc1_output");
    CHECK(hy_output_named(S, all, "fc1_weight") != NULL);              /* a variable by its bare name */
    y = hy_output_named(S, all, "slicechannel0_output2");
    CHECK(y != NULL);
    OK(S);
    CHECK(!hy_output_named(S, all, "fc3_output"));
    ERR(S, HY_ERROR_UNKNOWN, "Cannot find output that matches name fc3_output");
    y = hy_named(S, hy_relu(S, x = graph_var(S, "v")), "twin");
    y = hy_named(S, hy_exp(S, y), "twin");
    CHECK(!hy_output_named(S, hy_internals(S, y), "twin_output"));     /* 1.1 */
    ERR(S, HY_ERROR_ARGUMENT, "multiple outputs with name");
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void compose_internals_run(void)                                /* [31] in part */
{
    hy_frame *F = tb_open(0), *S = hy_symbolic(F);
    hy_block *net = tb_mlp(F);
    hy_array *x = tb_ramp(F, HY_SHAPE(16, 10)), *y, *all;
    hy_graph *g;
    hy_initialize(F, net, NULL);
    y = hy_call(F, net, x);
    all = hy_internals(S, hy_call(S, net, graph_var(S, "data")));
    CHECK(hy_count(S, all) == 8);
    g = hy_compile(S, all);
    CHECK(hy_graph_heads(g) == 8);
    all = hy_graph_run(F, g, x);
    CHECK(hy_count(F, all) == 8 && tb_close(F, hy_get(F, all, 7), y) && tb_same(F, hy_get(F, all, 0), x));
    OK(S);
    OK(F);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

/* --- what blocks tell --- */
static void compose_describe(const hy_block *self, char *text, size_t bytes)
{
    snprintf(text, bytes, "%d units", ((const tb_dense_block *)(const void *)self)->units);
}

static void compose_block_text(void)                                   /* 1.2 repr */
{
    hy_frame *F = tb_open(0);
    hy_block *net = tb_chain(F), *inner = hy_add_child(F, net, "features", tb_chain(F));
    hy_block *fc = hy_add_child(F, inner, NULL, tb_dense(F, 3, 2));
    char text[256], small[8];
    size_t n;
    fc->describe = compose_describe;
    hy_add_child(F, net, "act", tb_block(F, "relu", tb_relu_forward));
    n = hy_block_text(F, net, text, sizeof text);
    CHECK_STR(text, "chain(\n  (features): chain(\n    (0): dense(3 units)\n  )\n  (act): relu()\n)\n");
    CHECK(n == strlen(text));
    memset(small, 42, sizeof small);
    CHECK(hy_block_text(F, net, small, 7) == n && hy_block_text(F, net, NULL, 0) == n);
    CHECK_STR(small, "chain(");
    CHECK(small[7] == 42);
    OK(F);
    CHECK(hy_block_text(F, NULL, text, sizeof text) == 0);
    CHECK(hy_error(F) != NULL);
    hy_clear(F);
    CHECK(hy_close(F) == 0);
}

/* As deep as blocks go: each line says where it stands. */
static void compose_block_text_deep(void)
{
    enum { DEPTH = 200 };
    hy_frame *F = tb_open(0);
    hy_block *top = tb_chain(F), *net = top;
    static char text[(2 * DEPTH + 20) * 2 * DEPTH];
    char want[32];
    const char *line = text;
    int i, indent, level;
    for (i = 1; i < DEPTH; i++) net = hy_add_child(F, net, "in", tb_chain(F));
    hy_add_child(F, net, "end", tb_dense(F, 3, 2));
    CHECK(hy_block_text(F, top, text, sizeof text) == strlen(text) && strlen(text) < sizeof text - 1);
    for (i = 0; i <= 2 * DEPTH; i++) {
        level = i <= DEPTH ? i : 2 * DEPTH - i;
        indent = (int)strspn(line, " ");
        sprintf(want, "%s%s\n", !i ? "" : i < DEPTH ? "(in): " : i == DEPTH ? "(end): " : ")",
                i < DEPTH ? "chain(" : i == DEPTH ? "dense()" : "");
        if (!CHECK(indent == 2 * level && !strncmp(line + indent, want, strlen(want)))) break;
        line += (size_t)indent + strlen(want);
    }
    CHECK(!*line);
    OK(F);
    CHECK(hy_close(F) == 0);
}

static void compose_summary_counts(void)                               /* [30] */
{
    int hybrid;
    for (hybrid = 0; hybrid < 2; hybrid++) {            /* where MXNet refuses, ours tells the same */
        hy_frame *F = tb_open(0);
        hy_block *net = tb_chain(F), *one = tb_dense(F, 4, 4);
        hy_array *x = hy_ones(F, HY_SHAPE(2, 6)), *y;
        char text[4096];
        hy_add_child(F, net, NULL, tb_dense(F, 4, -1));
        hy_add_child(F, net, NULL, tb_norm(F));
        hy_add_child(F, net, NULL, one);
        hy_add_child(F, net, NULL, one);
        hy_initialize(F, net, NULL);
        if (hybrid) hy_hybridize(F, net, NULL);
        y = hy_call(F, net, x);
        CHECK(hy_summary_text(F, net, x, text, sizeof text) == strlen(text));
        CHECK(strstr(text, "Layer (type)") && strstr(text, "Output Shape") && strstr(text, "Param #"));
        CHECK(strstr(text, "dense-1 ") && strstr(text, "(2,4)"));
        CHECK(strstr(text, "Total params: 84\n"));      /* 28 + 16 + 20 + 20 */
        CHECK(strstr(text, "Trainable params: 76\n") && strstr(text, "Non-trainable params: 8\n"));
        CHECK(strstr(text, "Shared params in forward computation graph: 20\n"));
        CHECK(strstr(text, "Unique parameters in model: 64\n"));
        tb_runs = 0;
        /* nothing is left behind */
        CHECK(tb_same(F, hy_call(F, net, x), y) && tb_runs == (hybrid ? 0 : 5));
        OK(F);
        hy_summary_text(F, net, hy_ones(F, HY_SHAPE(2, 7)), text, sizeof text);
        ERR(F, HY_ERROR_SHAPE, "(2,7)");
        CHECK(tb_same(F, hy_call(F, net, x), y));
        OK(F);
        CHECK(hy_close(F) == 0);
    }
}

/* --- memory known before --- */
static void compose_plan_adds_up(void)
{
    hy_frame *F = tb_open(0);
    hy_block *net = hybridize_conv_net(F);
    hy_array *x = hy_ones(F, HY_SHAPE(2, 3, 8, 8));
    hy_plan_info p, q;
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    p = hy_plan(F, net, x);
    CHECK(p.total == p.record + p.packed + p.activations + p.outputs + p.shared + p.scratch);
    CHECK(p.values > 0 && p.jobs > 0 && p.dynamic == 0 && p.activations <= p.unplanned);
    hy_call(F, net, x);
    q = hy_plan(F, net, x);
    CHECK(q.total == p.total);
    CHECK(hy_plan(F, net, hy_ones(F, HY_SHAPE(4, 3, 8, 8))).outputs >= p.outputs);
    OK(F);
    CHECK(hy_close(F) == 0);
}

static void compose_bind_takes_nothing_else(void)
{
    hy_frame *F = tb_open(0);
    hy_block *net = hybridize_conv_net(F);
    hy_array *x = hy_keep(F, tb_ramp(F, HY_SHAPE(2, 3, 8, 8))), *y;
    int64_t calls = 0;
    size_t bytes;
    char *buffer;
    int i;
    hy_initialize(F, net, NULL);
    y = hy_keep(F, hy_call(F, net, x));
    hy_hybridize(F, net, NULL);
    bytes = hy_plan(F, net, x).total;
    buffer = (char *)malloc(bytes);
    CHECK(hy_bind(F, net, x, buffer, bytes / 2) != 0);
    CHECK(hy_error_code(F) != HY_ERROR_OK);
    hy_clear(F);
    CHECK(hy_bind(F, net, x, buffer, bytes) == 0);
    for (i = 0; i < 10; i++) {
        hy_begin(F);
        CHECK(tb_close(F, hy_call(F, net, x), y));
        hy_end(F);
        if (i == 2) calls = hy_memory_use(F).calls;
    }
    CHECK(hy_memory_use(F).calls == calls);
    OK(F);
    CHECK(hy_close(F) == 0);
    free(buffer);
}

/* --- what is printed --- */
static int compose_stdout = -1;
static FILE *compose_file;
static void compose_listen(void)        /* from here stdout goes to a file ... */
{
    fflush(stdout);
    compose_file = tmpfile();
    compose_stdout = dup(1);
    if (compose_file) dup2(fileno(compose_file), 1);
}

static const char *compose_heard(void)  /* ... to here: what was printed */
{
    static char text[100000];
    size_t n = 0;
    fflush(stdout);
    dup2(compose_stdout, 1);
    close(compose_stdout);
    if (compose_file) {
        rewind(compose_file);
        n = fread(text, 1, sizeof text - 1, compose_file);
        fclose(compose_file);
    }
    text[n] = 0;
    return text;
}

static hy_array *compose_prints(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    printf("forward runs\n");
    x = hy_relu(F, x);
    hy_print(F, x);
    return hy_add_scalar(F, x, 1);
}

static void compose_printing_shows_when_forward_runs(void)
{
    hy_frame *F = tb_open(0);
    hy_block *b = tb_block(F, "prints", compose_prints);
    int i;
    compose_listen();
    hy_call(F, b, hy_ones(F, HY_SHAPE(1)));
    CHECK_STR(compose_heard(), "forward runs\n[1.]\n<NDArray (1,) float32>\n");
    hy_hybridize(F, b, NULL);
    compose_listen();
    for (i = 1; i < 5; i++) hy_call(F, b, hy_ones(F, HY_SHAPE(i)));
    CHECK_STR(compose_heard(), "forward runs\n<Symbol prints0_relu0>\n");
    OK(F);
    CHECK(hy_close(F) == 0);
}

static void compose_passes_are_printed(void)
{
    hy_frame *F = tb_open(0);
    hy_block *net = hybridize_conv_net(F);
    hy_hybridize_opt opt;
    const char *text;
    memset(&opt, 0, sizeof opt);
    opt.print = 1;
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, &opt);
    compose_listen();
    hy_call(F, net, hy_ones(F, HY_SHAPE(2, 3, 4, 4)));
    text = compose_heard();
    CHECK(strstr(text, "# before ") && strstr(text, "# after ") && strstr(text, "batch_norm("));
    CHECK(strstr(text, "print(chain0_dense0_fullyconnected0)"));
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* --- hy_check --- */
static hy_array *compose_frozen(hy_frame *F, hy_block *self, hy_array *x)
{
    static int calls;
    tb_dense_block *b = (tb_dense_block *)(void *)self;
    calls++;
    x = hy_relu(F, x);
    if (b->units == 1) return hy_add_scalar(F, x, calls);              /* a number that C computes */
    if (b->units == 2 && calls & 1) return hy_exp(F, x);               /* a branch that C takes */
    return hy_tanh(F, x);
}

static void compose_check_finds_what_is_frozen(void)
{
    hy_frame *F = tb_open(0);
    hy_array *x = tb_ramp(F, HY_SHAPE(2, 3, 6, 6)), *y;
    hy_block *good = hybridize_conv_net(F);
    int what;
    hy_initialize(F, good, NULL);
    y = hy_call(F, good, x);
    CHECK(hy_check(F, good, x) == 0);
    hy_hybridize(F, good, NULL);
    CHECK(hy_check(F, good, x) == 0);
    CHECK(tb_close(F, hy_call(F, good, x), y));
    OK(F);
    for (what = 0; what < 3; what++) {
        tb_dense_block *b = (tb_dense_block *)(void *)hy_block_new(F, sizeof *b, "frozen", compose_frozen, 1);
        const char *text;
        int found;
        b->units = what;
        compose_listen();
        found = hy_check(F, &b->base, x);
        text = compose_heard();
        if (!CHECK(what ? found > 0 && strstr(text,
                "hy_check: frozen") : found == 0)) printf("    %d: %d\n%s", what, found, text);
        hy_block_free(F, &b->base);
        OK(F);
    }
    CHECK(hy_check(F, good, hy_ones(F, HY_SHAPE(2, 4, 6, 6))) == -1);
    ERR(F, HY_ERROR_SHAPE, "(2,4,6,6)");
    CHECK(hy_close(F) == 0);
}

/* A program of steps that its number draws: values are (4,4) and stay small. */
typedef struct compose_drawn {
    hy_block base;
    uint32_t number;
    hy_array *weight, *row, *outside;
} compose_drawn;

static hy_array *compose_drawn_step(hy_frame *F, compose_drawn *net, uint32_t which, hy_array *a, hy_array *b)
{
    hy_fully_connected_opt no;
    hy_reduce_opt keep;
    memset(&no, 0, sizeof no);
    memset(&keep, 0, sizeof keep);
    no.no_bias = 1;
    keep.keepdims = 1;
    switch (which) {
    case 0: return hy_sub(F, hy_sigmoid(F, a), b);
    case 1: return hy_add_scalar(F, hy_mul_scalar(F, a, 0.5), 0);
    case 2: return hy_transpose(F, hy_transpose(F, a, HY_AXES(1, 0)), HY_AXES(1, 0));
    case 3: return hy_reshape(F, hy_reshape(F, a, HY_INTS(2, 8), NULL), HY_INTS(4, -1), NULL);
    case 4: return hy_softmax(F, a, 1, NULL);
    case 5: return hy_add(F, a, hy_mean(F, b, HY_AXES(0), &keep));
    case 6: return hy_tanh(F, hy_fully_connected(F, a, net->weight, NULL, 4, &no));
    case 7: return hy_tanh(F, hy_add(F, a, net->row));
    case 8: return hy_tanh(F, hy_add(F, a, net->outside));
    case 9: return hy_slice_axis(F, hy_concat(F, hy_group(F, a, b), 0), 0, 2, 6);
    case 10: return hy_get(F, hy_split(F, hy_concat(F, hy_group(F, a, b), 1), 2, 1, NULL), 1);
    case 11: return hy_mul(F, a, hy_mul(F, hy_full(F, HY_SHAPE(1), 0.5), hy_full(F, HY_SHAPE(1), 2)));
    case 12: return hy_cast(F, hy_cast(F, a, HY_F64), HY_F32);
    case 13: return hy_where(F, hy_greater(F, a, b), a, b);
    case 14: return hy_dropout(F, a, 0.5, NULL);        /* inference: nothing */
    case 15: return hy_add(F, a, hy_uniform(F, HY_SHAPE(4, 4), -0.1, 0.1));
    case 16: return hy_broadcast_to(F, hy_slice_axis(F, a, 0, 1, 2), HY_INTS(4, 4));
    default: return hy_identity(F, a);
    }
}
static hy_array *compose_drawn_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    compose_drawn *net = (compose_drawn *)(void *)self;
    uint32_t state = net->number * 2654435761u + 12345;
    hy_array *value[64], *out[3];
    uint32_t n = 2, steps = 3 + net->number % 40;
    value[0] = hy_get(F, x, 0);
    value[1] = hy_get(F, x, 1);
    for (; n < 2 + steps; n++) {
        hy_array *a = value[n - 1 - tb_draw(&state, n < 6 ? n : 6)];
        value[n] = compose_drawn_step(F, net, tb_draw(&state, 18), a, value[tb_draw(&state, n)]);
    }
    out[0] = value[n - 1];
    out[1] = value[tb_draw(&state, n)];
    out[2] = hy_sum(F, value[n - 2], HY_AXES(0), NULL);
    return hy_group_of(F, 3, out);
}
static hy_block *compose_drawn_new(hy_frame *F, int number)
{
    compose_drawn *net = HY_BLOCK_NEW(F, compose_drawn, compose_drawn_forward);
    net->number = (uint32_t)number;
    net->weight = hy_add_param(F, &net->base, "weight", HY_SHAPE(4, -1), NULL);
    net->row = hy_add_param(F, &net->base, "row", HY_SHAPE(4), NULL);
    net->outside = hy_keep(F, tb_ramp(F, HY_SHAPE(4, 4)));
    return &net->base;
}

static void compose_check_of_random_programs(void)
{
    int number;
    for (number = 0; number < 60 && !test_broken; number++) {
        hy_frame *F = tb_open(5);
        hy_block *net = compose_drawn_new(F, number);
        const char *text;
        int found;
        hy_array *x = hy_group(F, tb_ramp(F, HY_SHAPE(4, 4)), hy_sin(F, tb_ramp(F, HY_SHAPE(4, 4))));
        hy_initialize(F, net, NULL);
        compose_listen();
        found = hy_check(F, net, x);
        text = compose_heard();
        if (!CHECK(found == 0)) printf("    program %d: %d\n%s", number, found, text);
        OK(F);
        CHECK(hy_close(F) == 0);
    }
}

static int compose_oom(hy_frame *F)
{
    hy_frame *S = hy_symbolic(F);
    hy_block *net = tb_mlp(F);
    hy_array *x, *all;
    hy_graph *g, *h;
    char text[2000];
    const char *data = "data";
    int right = 0;
    if (!S) return 0;
    if (net) hy_initialize(F, net, NULL);
    if (net) hy_call(F, net, hy_ones(F, HY_SHAPE(1, 3)));
    if (net && !hy_error(F)) {
        g = hy_compile(S, hy_call(S, net, graph_var(S, "data")));
        x = hy_relu(S, graph_var(S, "in"));
        x = hy_compose(S, g, 1, &data, &x);
        all = hy_internals(S, x);
        h = hy_compile(S, hy_output_named(S, all, "relu0_output"));
        hy_graph_text(h, HY_FORM_LINES, text, sizeof text);            /* has no frame for an error */
        right = h && hy_summary_text(F, net, hy_ones(F, HY_SHAPE(1, 3)), text, sizeof text) > 100 &&
                hy_block_text(F, net, text, sizeof text) > 20;
        hy_graph_free(F, h);
    }
    if (hy_error(S)) hy_raise(F, hy_error_code(S), hy_error(S));
    hy_close(S);
    return right;
}

static int compose_oom_check_plan_bind(hy_frame *F)
{
    hy_block *net = tb_mlp(F);
    hy_array *x = hy_ones(F, HY_SHAPE(2, 3));
    hy_plan_info p;
    char *buffer;
    int right;
    if (!net) return 0;
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    right = hy_check(F, net, x) == 0;
    p = hy_plan(F, net, x);
    buffer = hy_error(F) ? NULL : (char *)malloc(p.total);
    if (!buffer) return 0;
    hy_begin(F);                        /* results lie in the buffer, too */
    right = right && hy_bind(F, net, x, buffer, p.total) == 0 && hy_call(F, net, x) != NULL;
    hy_end(F);
    hy_cast_block(F, net, HY_F64);
    right = right && hy_call(F, net, hy_cast(F, x, HY_F64)) != NULL;
    hy_block_free(F, net);
    hy_trim(F);
    free(buffer);
    return right && !hy_error(F);
}

#ifndef HYBRID_NO_TRAIN
static int compose_oom_recorded(hy_frame *F)
{
    hy_block *net = hybridize_conv_net(F);
    int i, right = 0;
    if (!net) return 0;
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    for (i = 0; i < 2; i++) {
        hy_array *y;
        hy_begin(F);
        hy_record(F);
        y = hy_sum(F, hy_call(F, net, hy_ones(F, HY_SHAPE(2, 2, 3, 3))), HY_ALL, NULL);
        hy_pause(F);
        hy_backward(F, y, NULL);
        right = !hy_error(F) && hy_grad_of(F, hy_param(F, net, "4.weight")) != NULL;
        hy_end(F);
    }
    return right;
}
static void compose_walk_recorded(void) { oom_walk(compose_oom_recorded, 1); }
#endif
static void compose_walk_check_plan_bind(void) { oom_walk(compose_oom_check_plan_bind, 1); }
static void compose_walk(void) { oom_walk(compose_oom, 1); }

static void test_compose(void)
{
    RUN(compose_by_name);
    RUN(compose_computes_the_same);
    RUN(compose_keeps_random_operators_in_step);
    RUN(compose_internals_are_found_by_name);
    RUN(compose_internals_run);
    RUN(compose_block_text);
    RUN(compose_block_text_deep);
    RUN(compose_summary_counts);
    RUN(compose_plan_adds_up);
    RUN(compose_bind_takes_nothing_else);
    RUN(compose_printing_shows_when_forward_runs);
    RUN(compose_passes_are_printed);
    RUN(compose_check_finds_what_is_frozen);
    RUN(compose_check_of_random_programs);
    RUN(compose_walk);
    RUN(compose_walk_check_plan_bind);
#ifndef HYBRID_NO_TRAIN
    RUN(compose_walk_recorded);
#endif
}
