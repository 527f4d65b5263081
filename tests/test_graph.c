/* Symbols and graphs: names, order, programs as text, errors; test_graph_infer.c has inference. Numbers in
 * brackets are behaviours of the MXNet dossier, section 8. */

/* --- helpers --- */
static hy_array *graph_var(hy_frame *S, const char *name) { return hy_var(S, name, NULL); }

/* graph_typed(S, "x", HY_F32, "(2,?)"); "?" alone: no shape is declared. */
static hy_array *graph_typed(hy_frame *S, const char *name, hy_dtype dtype, const char *shape)
{
    hy_var_opt opt;
    memset(&opt, 0, sizeof opt);
    opt.dtype = dtype;
    opt.shaped = *shape == '(';
    if (opt.shaped) opt.shape = infer_shape(&shape);
    return hy_var(S, name, &opt);
}

/* Infers from shapes "(2,3) ? (4)" of the inputs, in the graph's order; 16 of each at most. */
static hy_type graph_in[16], graph_out[16];
static int graph_infer(hy_frame *F, hy_graph *g, const char *in, const char *out)
{
    int i;
    memset(graph_in, 0, sizeof graph_in);
    memset(graph_out, 0, sizeof graph_out);
    for (i = 0; i < 16; i++) graph_in[i].shape.ndim = graph_out[i].shape.ndim = -1;
    for (i = 0; strpbrk(in, "?("); i++) graph_in[i].shape = infer_shape(&in);
    (void)out;
    return hy_graph_infer(F, g, graph_in, graph_out);
}

/* All inputs, then all outputs: "(2,3) (4) -> (2,4)". */
static const char *graph_shapes(hy_graph *g)
{
    static char text[1024];
    int i;
    text[0] = 0;
    for (i = 0; hy_graph_name(g, HY_NAMES_INPUTS, i) && i < 16; i++) {
        if (i) strcat(text, " ");
        infer_put(text, sizeof text, &graph_in[i].shape);
    }
    strcat(text, " ->");
    for (i = 0; i < hy_graph_heads(g) && i < 16; i++) {
        strcat(text, " ");
        infer_put(text, sizeof text, &graph_out[i].shape);
    }
    return text;
}

/* Names of one kind: "a,b,c". */
static const char *graph_names(hy_graph *g, hy_names which)
{
    static char text[4][2048];
    static int turn;
    char *to = text[turn++ & 3];
    const char *name;
    int i;
    to[0] = 0;
    for (i = 0; (name = hy_graph_name(g, which, i)) != NULL; i++)
        snprintf(to + strlen(to), 2048 - strlen(to), i ? ",%s" : "%s", name);
    return to;
}

static const char *graph_text(hy_graph *g, hy_form form)
{
    static char text[2][8192];
    char *to = text[form == HY_FORM_INLINE];
    size_t n = hy_graph_text(g, form, to, sizeof text[0]);
    CHECK(n == strlen(to) || n >= sizeof text[0]);
    return to;
}

static hy_array *graph_fc(hy_frame *S, hy_array *x, const char *name, int units)
{
    char text[64];
    hy_array *w, *b;
    snprintf(text, sizeof text, "%s_weight", name);
    w = graph_var(S, text);
    snprintf(text, sizeof text, "%s_bias", name);
    b = graph_var(S, text);
    return hy_named(S, hy_fully_connected(S, x, w, b, units, NULL), name);
}

/* --- names --- */
static void graph_names_follow_mxnet(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *a = graph_var(S, "a"), *b = graph_var(S, "b"), *x;
    hy_graph *g;
    x = hy_add(S, a, b);
    CHECK_STR(hy_name_of(S, x), "_plus0");
    x = hy_add_scalar(S, x, 1);
    CHECK_STR(hy_name_of(S, x), "_plusscalar0");
    x = hy_mul(S, x, b);
    x = hy_sub(S, x, b);
    x = hy_div(S, x, b);
    x = hy_relu(S, hy_flatten(S, x));
    x = hy_relu(S, x);
    x = hy_mul_scalar(S, x, 2);
    x = hy_fully_connected(S, x, graph_var(S, "w"), graph_var(S, "c"), 3, NULL);
    g = hy_compile(S, x);
    CHECK_STR(graph_names(g, HY_NAMES_INTERNALS),
            "a,b,_plus0_output,_plusscalar0_output,_mul0_output,_minus0_output,"
              "_div0_output,flatten0_output,relu0_output,relu1_output,_mulscalar0_output,w,c,"
              "fullyconnected0_output");
    CHECK_STR(graph_names(g, HY_NAMES_OUTPUTS), "fullyconnected0_output");
    OK(S);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void graph_variables_parameters_statistics_are_listed(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *x = graph_var(S, "x"), *unused = graph_var(S, "unused"), *m, *v, *gamma, *beta;
    hy_var_opt aux;
    hy_graph *g;
    memset(&aux, 0, sizeof aux);
    aux.aux = 1;
    v = hy_var(S, "var", &aux);         /* made in another order than they are used */
    m = hy_var(S, "mean", &aux);
    beta = graph_var(S, "beta");
    gamma = graph_var(S, "gamma");
    g = hy_compile(S, hy_named(S, hy_batch_norm(S, x, gamma, beta, m, v, NULL), "bn"));
    CHECK(unused && g);
    CHECK_STR(graph_names(g, HY_NAMES_VARIABLES), "x,unused,var,mean,beta,gamma");
    CHECK_STR(graph_names(g, HY_NAMES_INPUTS), "x,gamma,beta,mean,var");
    CHECK_STR(graph_names(g, HY_NAMES_ARGUMENTS), "x,gamma,beta");
    CHECK_STR(graph_names(g, HY_NAMES_AUX), "mean,var");
    CHECK_STR(graph_names(g, HY_NAMES_OUTPUTS), "bn_output");
    CHECK_STR(graph_names(g, HY_NAMES_INTERNALS), "x,gamma,beta,mean,var,bn_output");
    CHECK(!hy_graph_name(g, HY_NAMES_AUX, 2) && !hy_graph_name(g, HY_NAMES_OUTPUTS, 1));
    CHECK(!hy_graph_name(g, HY_NAMES_VARIABLES, -1) && !hy_graph_name(g, HY_NAMES_VARIABLES, 6));
    CHECK(!hy_graph_name(g, HY_NAMES_INTERNALS, 6) && !hy_graph_name(NULL, HY_NAMES_OUTPUTS, 0));
    CHECK(!hy_graph_name(g, HY_NAMES_INTERNALS, INT_MAX) && !hy_graph_name(g, HY_NAMES_OUTPUTS, INT_MAX));
    OK(S);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static int graph_bind_nothing(hy_job *job) { (void)job; return 0; }

/* More digits than an int has: the last nine count. */
static void graph_counts_behind_a_long_number(void)
{
    static const hy_arg one[] = { { "data", HY_ARG_ONE }, { NULL, HY_ARG_ONE } };
    static hy_op op;
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *x = graph_var(S, "x");
    op.name = "op99999999999";
    op.in = op.out = one;
    op.infer = hy_infer_pointwise;
    op.bind = graph_bind_nothing;
    CHECK(hy_register(F, &op) == 0);
    x = hy_emit(S, &op, 1, &x, NULL);
    CHECK_STR(graph_names(hy_compile(S, x), HY_NAMES_OUTPUTS), "op9990_output");
    OK(S);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void graph_outputs_of_many_are_numbered(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *parts = hy_split(S, graph_var(S, "x"), 3, 1, NULL);
    hy_graph *g;
    CHECK(hy_count(S, parts) == 3);
    g = hy_compile(S, hy_group(S, hy_get(S, parts, 2), hy_relu(S, hy_get(S, parts, 0))));
    CHECK(hy_graph_heads(g) == 2);
    CHECK_STR(graph_names(g, HY_NAMES_OUTPUTS), "slicechannel0_output2,relu0_output");
    CHECK_STR(graph_names(g, HY_NAMES_INTERNALS),
              "x,slicechannel0_output0,slicechannel0_output1,slicechannel0_output2,relu0_output");
    OK(S);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void graph_numbers_are_settled_from_the_heads(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *x = graph_var(S, "x"), *late, *early;
    hy_graph *g;
    late = hy_relu(S, hy_exp(S, x));
    early = hy_relu(S, x);
    hy_relu(S, early);                  /* in no graph: takes no number away */
    g = hy_compile(S, hy_add(S, hy_relu(S, early), late));
    CHECK_STR(graph_names(g, HY_NAMES_INTERNALS),
            "x,relu0_output,relu1_output,exp0_output,relu2_output,_plus0_output");
    g = hy_compile(S, late);            /* what one graph has settled the next one keeps */
    CHECK_STR(graph_names(g, HY_NAMES_INTERNALS), "x,exp0_output,relu2_output");
    OK(S);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void graph_given_names_stay(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *x = graph_var(S, "x"), *y;
    hy_graph *g;
    y = hy_named(S, hy_relu(S, x), "first");
    CHECK_STR(hy_name_of(S, y), "first");
    y = hy_named(S, hy_relu(S, y), "again");
    y = hy_named(S, y, "second");       /* once more */
    y = hy_relu(S, y);
    CHECK(hy_named(S, x, "input") == x);
    g = hy_compile(S, hy_named(S, y, ""));
    CHECK_STR(graph_names(g, HY_NAMES_INTERNALS), "input,first_output,second_output,_output");
    OK(S);
    CHECK(!hy_named(S, y, NULL));
    ERR(S, HY_ERROR_ARGUMENT, "hy_named");
    /* values have no names; a forward that gives some runs all the same */
    y = hy_ones(F, HY_SHAPE(2));
    CHECK(hy_named(F, y, "n") == y && !hy_name_of(F, y));
    OK(F);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void graph_long_names_are_kept(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    char name[700], output[720];
    hy_graph *g;
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    snprintf(output, sizeof output, "%s_output", name);
    g = hy_compile(S, hy_named(S, hy_relu(S, graph_var(S, name)), name));
    CHECK_STR(hy_graph_name(g, HY_NAMES_VARIABLES, 0), name);
    CHECK_STR(hy_graph_name(g, HY_NAMES_OUTPUTS, 0), output);
    OK(S);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void graph_symbols_print_their_name(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    char text[64];
    hy_array *x = hy_relu(S, graph_var(S, "x"));
    CHECK(hy_text(S, x, text, sizeof text) > 0);
    CHECK_STR(text, "<Symbol relu0>\n");
    OK(S);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

/* --- walking --- */
static void graph_walk_shows_every_node(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *x = graph_typed(S, "x", HY_F32, "(2,3)"), *c = hy_full(F, HY_SHAPE(3), 2), *y;
    hy_graph *g;
    hy_node node;
    int i, output = -1, users = 0;
    y = hy_split(S, hy_mul(S, x, c), 3, 1, NULL);
    g = hy_compile(S, hy_get(S, y, 1));
    CHECK(hy_graph_count(g) == 4 && hy_graph_heads(g) == 1);
    CHECK(hy_graph_head(g, 0, &output) == 3 && output == 1);
    for (i = 0; i < hy_graph_count(g); i++) {
        int k;
        CHECK(hy_graph_node(g, i, &node) == 0);
        for (k = 0; k < node.inputs; k++) {
            CHECK(hy_graph_input(g, i, k, NULL) >= 0 && hy_graph_input(g, i, k, NULL) < i);
            users++;
        }
    }
    CHECK(users == 3);
    hy_graph_node(g, 0, &node);
    CHECK(node.kind == HY_NODE_VARIABLE && !node.op && !strcmp(node.name, "x") && !node.aux);
    hy_graph_node(g, 1, &node);
    CHECK(node.kind == HY_NODE_CONSTANT && node.types[0].shape.ndim == 1 && node.types[0].dtype == HY_F32);
    hy_graph_node(g, 2, &node);
    CHECK(node.kind == HY_NODE_OP && node.op == hy_op_find(F, "mul") && node.inputs == 2 &&
            node.outputs == 1);
    hy_graph_node(g, 3, &node);
    CHECK(node.kind == HY_NODE_OP && node.op == hy_op_find(F, "SliceChannel") && node.outputs == 3 &&
            node.record);
    CHECK(node.types[2].shape.ndim == 2 && node.types[2].shape.dim[1] == 1);
    CHECK(hy_graph_node(g, 4, &node) == -1 && hy_graph_node(g, -1, &node) == -1);
    CHECK(hy_graph_input(g, 3, 1, NULL) == -1 && hy_graph_input(g, 0, 0, NULL) == -1);
    CHECK(hy_graph_head(g, 1, NULL) == -1 && hy_graph_head(NULL, 0, NULL) == -1 && hy_graph_count(NULL) == 0);
    OK(S);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void graph_outlives_its_frame(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_graph *g = hy_compile(S, hy_mul_scalar(S, graph_var(S, "x"), 3)), *h;
    hy_array *y;
    h = hy_compile(S, hy_add(S, graph_var(S, "y"), hy_full(S, HY_SHAPE(2), 1)));
    hy_close(S);
    y = hy_graph_run(F, g, hy_full(F, HY_SHAPE(2), 5));
    CHECK(hy_value(F, y, 1) == 15);
    hy_graph_free(F, g);
    CHECK(hy_value(F, y, 1) == 15);     /* results live on */
    CHECK(h != NULL);                   /* left to hy_close */
    hy_graph_free(F, NULL);
    OK(F);
    CHECK(hy_close(F) == 0);
}

static void graph_run_says_what_is_wrong(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F), *other = hy_open(NULL);
    hy_array *a = graph_var(S, "a"), *x;
    hy_graph *g = hy_compile(S, hy_elemwise_add(S, a, graph_var(S, "b")));
    x = hy_ones(F, HY_SHAPE(2));
    CHECK(!hy_graph_run(F, g, x));      /* two are due */
    CHECK(hy_error_code(F) == HY_ERROR_ARGUMENT);
    ERR(F, HY_ERROR_ARGUMENT, "2");
    CHECK(!hy_graph_run(F, g, hy_group(F, x, x, x)));
    ERR(F, HY_ERROR_ARGUMENT, "3");
    CHECK(!hy_graph_run(F, g, hy_group(F, x, hy_ones(F, HY_SHAPE(3)))));
    CHECK(hy_error(F) && strstr(hy_error(F), "(2,)") && strstr(hy_error(F), "_plus0"));
    ERR(F, HY_ERROR_SHAPE, "(3,)");
    CHECK(!hy_graph_run(F, g, hy_group(F, x, hy_cast(F, x, HY_I32))));
    CHECK(hy_error(F) && strstr(hy_error(F), "float32"));
    ERR(F, HY_ERROR_DTYPE, "int32");
    CHECK(!hy_graph_run(F, g, NULL));
    ERR(F, HY_ERROR_ARGUMENT, "NULL");
    CHECK(!hy_graph_run(F, NULL, x));
    ERR(F, HY_ERROR_ARGUMENT, "graph");
    CHECK(!hy_graph_run(other, g, hy_group(other, hy_ones(other, HY_SHAPE(2)), hy_ones(other, HY_SHAPE(2)))));
    ERR(other, HY_ERROR_ARGUMENT, "another hy_open");
    CHECK(hy_value(F, hy_graph_run(F, g, hy_group(F, x, x)), 1) == 2);
    hy_close(other);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void graph_compile_says_what_is_wrong(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F), *T = hy_symbolic(F);
    hy_array *x = graph_var(S, "x");
    CHECK(!hy_compile(F, hy_ones(F, HY_SHAPE(2))));
    ERR(F, HY_ERROR_STATE, "hy_symbolic");
    CHECK(!hy_compile(T, x));
    ERR(T, HY_ERROR_ARGUMENT, "head 0");
    CHECK(!hy_compile(S, hy_group(S, x, hy_ones(F, HY_SHAPE(2)))));
    ERR(S, HY_ERROR_ARGUMENT, "head 1");
    CHECK(!hy_compile(S, NULL));
    ERR(S, HY_ERROR_ARGUMENT, "NULL");
    CHECK(!hy_var(F, "x", NULL));
    ERR(F, HY_ERROR_ARGUMENT, "hy_symbolic");
    CHECK(!hy_var(S, NULL, NULL));
    ERR(S, HY_ERROR_ARGUMENT, "name");
    CHECK(!hy_relu(T, x));
    ERR(T, HY_ERROR_ARGUMENT, "another symbolic frame");
    CHECK(!hy_relu(F, x));              /* a symbol where values are due */
    CHECK(hy_error_code(F) != HY_ERROR_OK);
    ERR(F, hy_error_code(F), "relu");
    CHECK(!hy_add(S, graph_typed(S, "big", HY_F32, "(1099511627776,1099511627776)"), x));
    CHECK(hy_error_code(S) != HY_ERROR_OK);
    hy_clear(S);
    hy_close(T);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

/* [59] and section 6: a value that is being traced has no values. Each says so and names what to use. */
static void graph_symbols_have_no_values(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *x = graph_typed(S, "x", HY_F32, "(2,3)"), *one = hy_ones(F, HY_SHAPE(1));
    float room[6];
    CHECK(!hy_data(S, x));
    ERR(S, HY_ERROR_TRACE, "hy_data is not implemented for Symbol and only available in NDArray");
    CHECK(!hy_write(S, x));
    ERR(S, HY_ERROR_TRACE, "hy_write");
    hy_item(S, x);
    ERR(S, HY_ERROR_TRACE, "hy_item");
    hy_value(S, x, 0, 0);
    ERR(S, HY_ERROR_TRACE, "use ");
    hy_set_value(S, x, 1, 0, 0);
    ERR(S, HY_ERROR_TRACE, "item assignment");
    hy_to(S, x, HY_F32, room, sizeof room);
    ERR(S, HY_ERROR_TRACE, "hy_to");
    hy_assign(S, x, one);
    ERR(S, HY_ERROR_TRACE, "hy_assign");
    hy_fill(S, x, 1);
    ERR(S, HY_ERROR_TRACE, "hy_fill");
    hy_add_to(S, x, one);
    ERR(S, HY_ERROR_TRACE, "hy_add_to");
    hy_mul_by(S, x, one);
    ERR(S, HY_ERROR_TRACE, "use ");
    hy_touch(S, x);
    ERR(S, HY_ERROR_TRACE, "hy_touch");
    CHECK(!hy_view_index(S, x, 0, 1));
    ERR(S, HY_ERROR_TRACE, "hy_view_index");
    CHECK(!hy_view_slice(S, x, 0, 0, 1, 1));
    ERR(S, HY_ERROR_TRACE, "slice");
    CHECK(!hy_view_transpose(S, x, HY_AXES(1, 0)));
    ERR(S, HY_ERROR_TRACE, "transpose");
    CHECK(!hy_view_reshape(S, x, HY_SHAPE(6)));
    ERR(S, HY_ERROR_TRACE, "reshape");
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void graph_shapes_known_may_be_asked_for(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *x = graph_typed(S, "x", HY_F16, "(2,3)"), *y = graph_var(S, "y"), *z;
    z = hy_relu(S, hy_transpose(S, x, HY_AXES(1, 0)));
    CHECK(hy_ndim(S, z) == 2 && hy_dim(S, z, 0) == 3 && hy_dim(S, z, -1) == 2 && hy_size(S, z) == 6);
    CHECK(hy_dtype_of(S, z) == HY_F16 && hy_count(S, z) == 1);
    CHECK_STR(hy_mode(S), "symbol");
    OK(S);
    hy_dim(S, y, 0);
    ERR(S, HY_ERROR_TRACE, "'Symbol' object has no attribute 'shape'");
    hy_dtype_of(S, y);
    ERR(S, HY_ERROR_TRACE, "y was made without one");
    CHECK(hy_get(S, y, 0) == y && !hy_get(S, y, 1));
    ERR(S, HY_ERROR_INDEX, "hy_get");
    CHECK(!hy_relu(S, hy_split(S, x, 3, 1, NULL)));
    ERR(S, HY_ERROR_ARGUMENT, "group of 3");
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void graph_wrong_counts_are_named(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *x = graph_var(S, "x"), *two[2];
    two[0] = two[1] = x;
    CHECK(!hy_apply(S, "relu", 2, two, NULL));
    ERR(S, HY_ERROR_ARGUMENT, "Operator relu expects 1 inputs, but got 2 instead");
    CHECK(!hy_apply(S, "FullyConnected", 2, two, "num_hidden=3"));
    ERR(S, HY_ERROR_ARGUMENT, "expects 3 inputs, but got 2");
    CHECK(!hy_fully_connected(S, x, x, NULL, 3, NULL));
    ERR(S, HY_ERROR_ARGUMENT, "bias");
    CHECK(!hy_apply(S, "Reluu", 1, two, NULL));
    ERR(S, HY_ERROR_UNKNOWN, "Reluu");
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void graph_contradictions_name_node_operator_shapes(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *a = graph_typed(S, "a", HY_F32, "(2,3)"), *b = graph_typed(S, "b", HY_F32, "(4)");
    CHECK(!hy_add(S, a, b));
    CHECK(hy_error(S) && strstr(hy_error(S), "_plus0") && strstr(hy_error(S), "(2,3)"));
    ERR(S, HY_ERROR_SHAPE, "(4,)");
    CHECK(!hy_mul(S, a, hy_cast(S, a, HY_I32)));
    CHECK(hy_error(S) && strstr(hy_error(S), "_mul0") && strstr(hy_error(S), "float32"));
    ERR(S, HY_ERROR_DTYPE, "int32");
    /* broadcasts, as imperatively */
    CHECK(hy_add(S, a, graph_typed(S, "row", HY_F32, "(3)")) != NULL);
    OK(S);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

/* --- programs as text --- */
static void graph_text_of_the_book(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *a, *b;
    hy_graph *g;
    a = hy_add(S, hy_full(S, HY_SHAPE(1), 1), hy_full(S, HY_SHAPE(1), 2));
    b = hy_add(S, hy_scalar(F, 3), hy_scalar(F, 4));
    g = hy_compile(S, hy_add(S, a, b));
    CHECK(g != NULL);
    g = hy_compile(S, hy_add(S, hy_add(S, hy_scalar(F, 1), hy_scalar(F, 2)), hy_add(S, hy_scalar(F, 3),
                                                                                     hy_scalar(F, 4))));
    CHECK_STR(graph_text(g, HY_FORM_INLINE), "print((1 + 2) + (3 + 4))\n");
    OK(S);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void graph_text_lines(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *x = graph_var(S, "x"), *y;
    hy_graph *g;
    char small[8];
    size_t n;
    y = hy_rsub_scalar(S, hy_div_scalar(S, hy_relu(S, x), 2), 1);
    g = hy_compile(S, hy_group(S, hy_mul(S, y, x), y));
    CHECK_STR(graph_text(g, HY_FORM_LINES), "relu0 = relu(x)\n_divscalar0 = relu0 / 2\n"
              "_rminusscalar0 = 1 - _divscalar0\n_mul0 = _rminusscalar0 * x\nprint(_mul0, _rminusscalar0)\n");
    CHECK_STR(graph_text(g, HY_FORM_INLINE), "_rminusscalar0 = 1 - (relu(x) / 2)\n"
              "print(_rminusscalar0 * x, _rminusscalar0)\n");
    n = hy_graph_text(g, HY_FORM_LINES, NULL, 0);
    CHECK(n == strlen(graph_text(g, HY_FORM_LINES)));
    memset(small, 42, sizeof small);
    CHECK(hy_graph_text(g, HY_FORM_LINES, small, 7) == n);      /* the length needed */
    CHECK_STR(small, "relu0 ");
    CHECK(small[7] == 42);
    CHECK(hy_graph_text(NULL, HY_FORM_LINES, small, sizeof small) == 0);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void graph_text_shows_attributes_and_outputs(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *x = hy_split(S, hy_softmax(S, graph_var(S, "x"), 1, NULL), 2, 1, NULL);
    hy_graph *g = hy_compile(S, hy_add(S, hy_get(S, x, 1), hy_get(S, x, 0)));
    const char *text = graph_text(g, HY_FORM_LINES);
    CHECK(strstr(text, "softmax0 = softmax(x, ") && strstr(text, "axis=1"));
    CHECK(strstr(text, "num_outputs=2"));
    CHECK(strstr(text, "_plus0 = slicechannel0.1 + slicechannel0.0\n"));
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

/* x = x + x, sixty times: written out it would have 2^60 terms. */
static void graph_text_does_not_blow_up(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *x = graph_var(S, "x");
    hy_graph *g;
    int i;
    for (i = 0; i < 60; i++) x = hy_add(S, x, x);
    g = hy_compile(S, x);
    CHECK(hy_graph_text(g, HY_FORM_INLINE, NULL, 0) < 4000);
    CHECK(hy_graph_text(g, HY_FORM_LINES, NULL, 0) < 4000);
    CHECK(strstr(graph_text(g, HY_FORM_INLINE), "_plus1 = _plus0 + _plus0\n"));
    CHECK(strstr(graph_text(g, HY_FORM_INLINE), "print(_plus58 + _plus58)\n"));
    OK(S);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

/* --- depth --- */
static void graph_chain_of_200000_nodes(void)
{
    hy_frame *F = tb_open(0), *S = hy_symbolic(F);
    int i, n = 200000;
    hy_array *x = graph_typed(S, "x", HY_F32, "(2)"), *y;
    hy_graph *g;
    hy_begin(S);
    for (i = 0; i < n; i++) {
        x = hy_add_scalar(S, x, 1);
        if (i % 1000 == 999) { x = hy_return(S, x); hy_end(S); hy_begin(S); }
    }
    x = hy_return(S, x);
    hy_end(S);
    g = hy_compile(S, x);
    CHECK(hy_graph_count(g) == n + 1);
    CHECK_STR(hy_graph_name(g, HY_NAMES_OUTPUTS, 0), "_plusscalar199999_output");
    CHECK(hy_graph_text(g, HY_FORM_INLINE, NULL, 0) > 200000);
    CHECK(hy_graph_text(g, HY_FORM_LINES, NULL, 0) > 200000);
    CHECK(graph_infer(F, g, "?", "") == 1);
    y = hy_graph_run(F, g, hy_zeros(F, HY_SHAPE(2)));
    CHECK(y && hy_value(F, y, 1) == n);
    OK(S);
    OK(F);
    hy_graph_free(F, g);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void graph_close_with_an_error_standing(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_graph *g = hy_compile(S, hy_relu(S, graph_var(S, "x")));
    CHECK(g != NULL);
    hy_raise(S, HY_ERROR_USER, "stop");
    CHECK(!hy_relu(S, NULL) && !hy_compile(S, NULL) && !hy_var(S, "y", NULL) && !hy_named(S, NULL, NULL));
    CHECK(hy_close(S) == HY_ERROR_USER);
    hy_raise(F, HY_ERROR_USER, "stop");
    CHECK(!hy_graph_run(F, g, NULL) && !hy_symbolic(F) && hy_graph_infer(F, g, NULL, NULL) == -1);
    CHECK(hy_close(F) == HY_ERROR_USER);
}

/* Asking goes on where it stopped, whatever was asked in between. */
static void graph_names_in_any_order(void)
{
    enum { N = 20000 };
    hy_frame *F = tb_open(0), *S = hy_symbolic(F);
    hy_array **x = (hy_array **)malloc(N * sizeof *x);
    hy_var_opt aux;
    hy_graph *g;
    char name[24], want[24];
    int i;
    memset(&aux, 0, sizeof aux);
    for (i = 0; i < N; i++) {
        sprintf(name, "v%d", i);
        aux.aux = i % 4 == 3;
        x[i] = hy_var(S, name, &aux);
    }
    g = hy_compile(S, hy_add_n(S, hy_group_of(S, N, x)));
    for (i = 0; i < N; i++) {           /* quadratic, this would take minutes */
        sprintf(want, "v%d", i);
        CHECK_STR(hy_graph_name(g, HY_NAMES_INPUTS, i), want);
        sprintf(want, "v%d", i / 3 * 4 + i % 3);
        if (i < N / 4 * 3) CHECK_STR(hy_graph_name(g, HY_NAMES_ARGUMENTS, i), want);
        sprintf(want, "v%d", 4 * i + 3);
        if (i < N / 4) CHECK_STR(hy_graph_name(g, HY_NAMES_AUX, i), want);
    }
    CHECK(!hy_graph_name(g, HY_NAMES_INPUTS, N) && !hy_graph_name(g, HY_NAMES_AUX, N / 4));
    CHECK_STR(hy_graph_name(g, HY_NAMES_INPUTS, 7), "v7");
    CHECK_STR(hy_graph_name(g, HY_NAMES_INPUTS, 7), "v7");
    CHECK_STR(hy_graph_name(g, HY_NAMES_INPUTS, 3), "v3");
    CHECK_STR(hy_graph_name(g, HY_NAMES_AUX, 0), "v3");
    free(x);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void test_graph(void)
{
    RUN(graph_names_follow_mxnet);
    RUN(graph_variables_parameters_statistics_are_listed);
    RUN(graph_counts_behind_a_long_number);
    RUN(graph_outputs_of_many_are_numbered);
    RUN(graph_numbers_are_settled_from_the_heads);
    RUN(graph_given_names_stay);
    RUN(graph_long_names_are_kept);
    RUN(graph_symbols_print_their_name);
    RUN(graph_walk_shows_every_node);
    RUN(graph_outlives_its_frame);
    RUN(graph_run_says_what_is_wrong);
    RUN(graph_compile_says_what_is_wrong);
    RUN(graph_symbols_have_no_values);
    RUN(graph_shapes_known_may_be_asked_for);
    RUN(graph_wrong_counts_are_named);
    RUN(graph_contradictions_name_node_operator_shapes);
    RUN(graph_text_of_the_book);
    RUN(graph_text_lines);
    RUN(graph_text_shows_attributes_and_outputs);
    RUN(graph_text_does_not_blow_up);
    RUN(graph_chain_of_200000_nodes);
    RUN(graph_close_with_an_error_standing);
    RUN(graph_names_in_any_order);
}
