/* ONNX files as they are given: nodes in any order, indices out of range, data that is missing beside the file, sizes
 * that are open; and files that are written. */

/* A node of several inputs, "a b c", with one attribute: a number, or (text) a word; name NULL: with none. */
static void onnx_node_with(onnx_text *g, const char *op, const char *in, const char *out, const char *name, int number,
                           const char *text)
{
    onnx_text n = { NULL, 0, 0 }, a = { NULL, 0, 0 };
    for (; *in; in += *in == ' ') {
        size_t k = strcspn(in, " ");
        onnx_field(&n, 1, in, k);
        in += k;
    }
    onnx_string(&n, 2, out);
    onnx_string(&n, 3, out);
    onnx_string(&n, 4, op);
    if (name) {
        onnx_string(&a, 1, name);
        if (text) onnx_string(&a, 4, text);
        else onnx_add(&a, "\x18", 1);
        if (!text) onnx_varint(&a, (size_t)number);
        onnx_add(&a, text ? "\xa0\x01\x03" : "\xa0\x01\x02", 3);
        onnx_close_into(&n, 5, &a);
    }
    onnx_close_into(g, 1, &n);
    free(n.at);
    free(a.at);
}

/* Numbers of 64 bits as an initializer. */
static void onnx_whole_numbers(onnx_text *g, const char *name, int rank, const int *dims, const int64_t *v)
{
    onnx_text t = { NULL, 0, 0 };
    int64_t count = 1;
    int i;
    for (i = 0; i < rank; i++) {
        onnx_add(&t, "\x08", 1);
        onnx_varint(&t, (size_t)dims[i]);
        count *= dims[i];
    }
    onnx_add(&t, "\x10\x07", 2);
    onnx_string(&t, 8, name);
    onnx_field(&t, 9, v, (size_t)count * sizeof *v);
    onnx_close_into(g, 5, &t);
    free(t.at);
}

/* --- the order of nodes --- */
/* The nodes of y = relu(-|x|) and one that nobody reads, each at its place of the order. */
static hy_block *onnx_shuffled(hy_frame *F, const char *order, int circle)
{
    static const int two[] = { 2 };
    onnx_text g = { NULL, 0, 0 };
    for (; *order; order++) {
        if (*order == 'a') onnx_node_with(&g, "Abs", circle ? "c" : "x", "a", NULL, 0, NULL);
        if (*order == 'b') onnx_node_with(&g, "Neg", "a", "b", NULL, 0, NULL);
        if (*order == 'c') onnx_node_with(&g, "Exp", "b", "c", NULL, 0, NULL);
        if (*order == 'y') onnx_node_with(&g, "Add", "c a", "y", NULL, 0, NULL);
    }
    onnx_typed_value(&g, 11, "x", 1, 1, two);
    onnx_typed_value(&g, 12, "y", 1, 1, two);
    return onnx_model_of(F, &g, NULL);
}

static void onnx_any_order(void)
{
    static const char *const orders[] = { "abcy", "ycba", "bayc", "cyab", "yabc" };
    static const float v[] = { -1, 2 };
    hy_frame *F = hy_open(NULL);
    hy_block *net;
    int i, compiled;
    for (i = 0; i < 5; i++) {
        net = onnx_shuffled(F, orders[i], 0);
        for (compiled = 0; net && compiled < 2; compiled++) {
            hy_array *y;
            if (compiled) hy_hybridize(F, net, NULL);
            y = hy_call(F, net, hy_floats(F, HY_SHAPE(2), v));
            CHECK_NEAR(hy_value(F, y, 0), exp(-1.0) + 1, 1e-6);
            CHECK_NEAR(hy_value(F, y, 1), exp(-2.0) + 2, 1e-6);
        }
        if (!CHECK(net && !hy_error(F))) printf("    %s: %s\n", orders[i], hy_error(F));
        hy_clear(F);
        net = onnx_shuffled(F, orders[i], 1);
        CHECK(!net && hy_error(F) && strstr(hy_error(F), "it reads what is made of its own result"));
        CHECK(hy_error(F) && !strstr(hy_error(F), "'y'"));     /* which only follows from it */
        hy_clear(F);
    }
    hy_close(F);
}

/* A branch that reads what a later node makes. */
static void onnx_branch_before_its_maker(void)
{
    hy_frame *F = hy_open(NULL);
    onnx_text g = { NULL, 0, 0 }, n = { NULL, 0, 0 }, a = { NULL, 0, 0 }, body = { NULL, 0, 0 };
    hy_block *net;
    hy_array *c, *y;
    int k;
    onnx_string(&n, 1, "c");
    onnx_string(&n, 2, "y");
    onnx_string(&n, 4, "If");
    for (k = 0; k < 2; k++) {
        onnx_node_with(&body, k ? "Neg" : "Exp", "a", k ? "e" : "t", NULL, 0, NULL);
        onnx_value_of(&body, 12, k ? "e" : "t");
        onnx_string(&a, 1, k ? "else_branch" : "then_branch");
        onnx_close_into(&a, 6, &body);
        onnx_add(&a, "\xa0\x01\x05", 3);
        onnx_close_into(&n, 5, &a);
    }
    onnx_close_into(&g, 1, &n);
    onnx_node_with(&g, "Abs", "x", "a", NULL, 0, NULL);
    onnx_value_of(&g, 11, "x");
    onnx_typed_value(&g, 11, "c", 9, 0, NULL);
    onnx_value_of(&g, 12, "y");
    net = onnx_model_of(F, &g, NULL);
    c = hy_cast(F, hy_ones(F, HY_SCALAR), HY_BOOL);
    y = net ? hy_call(F, net, hy_group(F, hy_full(F, HY_SHAPE(1), -2), c)) : NULL;
    if (!CHECK(y && !hy_error(F))) printf("    %s\n", hy_error(F));
    else CHECK_NEAR(hy_item(F, y), exp(2.0), 1e-5);
    free(n.at);
    free(a.at);
    free(body.at);
    hy_clear(F);
    hy_close(F);
}

/* --- indices --- */
typedef struct onnx_indexed {
    const char *op, *in, *attr;
    int         number;
    const char *text;
    int         data[2], index[2], more[2];     /* sizes; what is scattered, if anything */
    int         places[2], axes;        /* that numbers of the index choose from, by turns */
} onnx_indexed;

/* fixed: the numbers stand in the file. */
static hy_array *onnx_index_once(hy_frame *F, const onnx_indexed *c, const int64_t *v, int fixed, int compiled)
{
    onnx_text g = { NULL, 0, 0 };
    hy_array *in[3];
    hy_block *net;
    int n = 0;
    onnx_node_with(&g, c->op, c->in, "y", c->attr, c->number, c->text);
    onnx_typed_value(&g, 11, "x", 1, 2, c->data);
    if (fixed) onnx_whole_numbers(&g, "i", 2, c->index, v);
    else onnx_typed_value(&g, 11, "i", 7, 2, c->index);
    if (c->more[0]) onnx_typed_value(&g, 11, "u", 1, 2, c->more);
    onnx_typed_value(&g, 12, "y", 1, 0, NULL);
    net = onnx_model_of(F, &g, NULL);
    in[n++] = hy_reshape(F, hy_arange(F, 0, c->data[0] * c->data[1], 1), HY_INTS(c->data[0], c->data[1]), NULL);
    if (!fixed) in[n++] = hy_from(F, HY_SHAPE(c->index[0], c->index[1]), HY_I64, v);
    if (c->more[0]) in[n++] = hy_full(F, HY_SHAPE(c->more[0], c->more[1]), 100);
    if (net && compiled) hy_hybridize(F, net, NULL);
    return net ? hy_call(F, net, hy_group_of(F, n, in)) : NULL;
}

static void onnx_index_case(const onnx_indexed *c)
{
    int64_t v[16], low, high;
    int n = c->index[0] * c->index[1], at, turn, way;
    for (turn = 0; turn < 4; turn++) {          /* the last place, the first from the end; one behind, one before */
        double first = 0;
        for (way = 0; way < 4; way++) {
            hy_frame *F = hy_open(NULL);
            hy_array *y;
            for (at = 0; at < n; at++) v[at] = at % c->places[at % c->axes];
            low = -c->places[(n - 1) % c->axes];
            high = c->places[(n - 1) % c->axes] - 1;
            v[n - 1] = turn == 0 ? high : turn == 1 ? low : turn == 2 ? high + 1 : low - 1;
            y = onnx_index_once(F, c, v, way & 1, way >> 1);
            if (y) hy_data(F, y);
            if (turn < 2 ? hy_error(F) != NULL : !hy_error(F) || !strstr(hy_error(F), "out of range")) {
                CHECK(0);
                printf("    %s %d, %s: %s\n", c->op, way, turn < 2 ? "refused" : "taken", hy_error(F));
            }
            if (turn < 2 && y) {
                double sum = hy_item(F, hy_sum(F, hy_mul(F, y, y), HY_ALL, NULL));
                if (!way) first = sum;
                CHECK_NEAR(sum, first, 0);
            }
            hy_clear(F);
            hy_close(F);
        }
    }
}

static void onnx_indices(void)
{
    static const onnx_indexed cases[] = {
        { "Gather", "x i", "axis", 0, NULL, { 3, 4 }, { 2, 2 }, { 0, 0 }, { 3, 3 }, 1 },
        { "Gather", "x i", "axis", 1, NULL, { 3, 4 }, { 1, 3 }, { 0, 0 }, { 4, 4 }, 1 },
        { "GatherElements", "x i", "axis", 1, NULL, { 3, 4 }, { 3, 2 }, { 0, 0 }, { 4, 4 }, 1 },
        { "GatherElements", "x i", "axis", 0, NULL, { 3, 4 }, { 2, 4 }, { 0, 0 }, { 3, 3 }, 1 },
        { "GatherND", "x i", NULL, 0, NULL, { 3, 4 }, { 3, 2 }, { 0, 0 }, { 3, 4 }, 2 },
        { "ScatterElements", "x i u", "axis", 1, NULL, { 3, 4 }, { 3, 2 }, { 3, 2 }, { 4, 4 }, 1 },
        { "ScatterElements", "x i u", "reduction", 0, "add", { 3, 4 }, { 2, 4 }, { 2, 4 }, { 3, 3 }, 1 },
        { "ScatterElements", "x i u", "reduction", 0, "mul", { 3, 4 }, { 2, 4 }, { 2, 4 }, { 3, 3 }, 1 },
        { "ScatterND", "x i u", NULL, 0, NULL, { 3, 4 }, { 2, 1 }, { 2, 4 }, { 3, 3 }, 1 },
        { "ScatterND", "x i u", "reduction", 0, "add", { 3, 4 }, { 2, 1 }, { 2, 4 }, { 3, 3 }, 1 } };
    size_t k;
    for (k = 0; k < sizeof cases / sizeof *cases; k++) onnx_index_case(&cases[k]);
}

/* --- data beside the file --- */
static void onnx_data_missing(void)
{
    static const char *const places[] = { "nowhere.bin", "", "../up.bin" };
    hy_frame *F = hy_open(NULL);
    int k;
    for (k = 0; k < 3; k++) {
        onnx_text g = { NULL, 0, 0 }, t = { NULL, 0, 0 }, e = { NULL, 0, 0 };
        onnx_add(&t, "\x08\x64\x10\x01", 4);
        onnx_string(&t, 8, "weight");
        if (*places[k]) {
            onnx_string(&e, 1, "location");
            onnx_string(&e, 2, places[k]);
            onnx_close_into(&t, 13, &e);
        }
        onnx_add(&t, "\x70\x01", 2);
        onnx_close_into(&g, 5, &t);
        onnx_node_with(&g, "Add", "x weight", "y", NULL, 0, NULL);
        onnx_value_of(&g, 11, "x");
        onnx_value_of(&g, 12, "y");
        CHECK(!onnx_model_of(F, &g, NULL));
        if (!CHECK(hy_error(F) && strstr(hy_error(F), "the data of tensor 'weight' is not in file") &&
                   strstr(hy_error(F), places[k]))) printf("    %s\n", hy_error(F));
        hy_clear(F);
        free(t.at);
        free(e.at);
    }
    hy_close(F);
}

/* --- sizes that are open --- */
static hy_block *onnx_open_net(hy_frame *F, int cut)
{
    static const int open[] = { -1, 4 };
    static const int64_t zero[] = { 0 }, one[] = { 1 };
    static const int single[] = { 1 };
    onnx_text g = { NULL, 0, 0 };
    onnx_node_with(&g, "Relu", "x", "a", NULL, 0, NULL);
    if (cut) {                                  /* its first row to the last but one */
        onnx_whole_numbers(&g, "zero", 1, single, zero);
        onnx_whole_numbers(&g, "one", 1, single, one);
        onnx_node_with(&g, "Shape", "x", "s", NULL, 0, NULL);
        onnx_node_with(&g, "Gather", "s zero", "n", NULL, 0, NULL);
        onnx_node_with(&g, "Sub", "n one", "m", NULL, 0, NULL);
        onnx_node_with(&g, "Slice", "a zero m zero", "y", NULL, 0, NULL);
    } else onnx_node_with(&g, "Neg", "a", "y", NULL, 0, NULL);
    onnx_typed_value(&g, 11, "x", 1, 2, open);
    onnx_typed_value(&g, 12, "y", 1, 2, open);
    return onnx_model_of(F, &g, NULL);
}

static void onnx_open_sizes(void)
{
    hy_frame *F = hy_open(NULL);
    hy_type three = { HY_F32, { 2, { 3, 4 } } };
    hy_block *net = onnx_open_net(F, 0), *block;
    hy_arrays values;
    hy_graph *graph;
    int n;
    graph = hy_onnx_graph(F, net, NULL, &values);
    block = graph ? hy_import_from(F, graph, &values, NULL) : NULL;
    for (n = 1; block && n < 300; n += 100)
        CHECK(hy_dim(F, hy_call(F, block, hy_ones(F, HY_SHAPE(n, 4))), 0) == n);
    if (!CHECK(block && !hy_error(F))) printf("    %s\n", hy_error(F));
    net = onnx_open_net(F, 1);
    CHECK(!hy_onnx_graph(F, net, NULL, &values));
    CHECK(hy_error(F) && strstr(hy_error(F), "hangs on sizes that are open: x (?,4)"));
    hy_clear(F);
    graph = hy_onnx_graph(F, net, &three, &values);
    block = graph ? hy_import_from(F, graph, &values, NULL) : NULL;
    CHECK(block && hy_dim(F, hy_call(F, block, hy_ones(F, HY_SHAPE(3, 4))), 0) == 2);
    CHECK(!hy_error(F));
    hy_close(F);
}

/* A length n of x that something is decided by: ops before y, as "op|inputs|output"; whole numbers named by values.
 * Sizes that are tried have one answer, and others another. */
typedef struct { const char *node[6]; int stays; } onnx_open_choice;

static hy_block *onnx_open_chosen(hy_frame *F, const onnx_open_choice *c)
{
    static const char *const names[] = { "0", "1", "32", "190", "500", "5000", "-200", "-1", "most" };
    static const int64_t values[] = { 0, 1, 32, 190, 500, 5000, -200, -1, INT64_MAX };
    static const int single[] = { 1 }, open[] = { -1 };
    onnx_text g = { NULL, 0, 0 };
    char op[32], in[64], out[32];
    int i;
    for (i = 0; i < 9; i++) onnx_whole_numbers(&g, names[i], 1, single, &values[i]);
    onnx_node_with(&g, "Shape", "x", "n", NULL, 0, NULL);
    for (i = 0; i < 6 && c->node[i]; i++) {
        sscanf(c->node[i], "%31[^|]|%63[^|]|%31s", op, in, out);
        onnx_node_with(&g, op, in, out, strcmp(op, "Cast") ? NULL : "to", *out == 'b' ? 9 : *out == 'i' ? 6 : *out == 'l' ? 7 : 1, NULL);
    }
    onnx_typed_value(&g, 11, "x", 1, 1, open);
    onnx_typed_value(&g, 12, "y", 1, 1, open);
    return onnx_model_of(F, &g, NULL);
}

static void onnx_open_choices(void)
{
    static const onnx_open_choice cases[] = {
        { { "Min|n 500|m", "Slice|x 0 m 0|y" }, 0 },
        { { "Min|190 n|m", "Slice|x 0 m 0|y" }, 0 },
        { { "Clip|n 1 5000|m", "Slice|x 0 m 0|y" }, 0 },
        { { "Max|n 1|m", "Slice|x 0 m 0|y" }, 0 },
        { { "Less|n 5000|q", "Where|q n 500|m", "Slice|x 0 m 0|y" }, 0 },
        { { "Equal|n 190|q", "Cast|q|f", "Add|x f|y" }, 0 },
        { { "Greater|n 5000|q", "Cast|q|f", "Add|x f|y" }, 0 },
        { { "LessOrEqual|n 5000|q", "Cast|q|f", "Add|x f|y" }, 0 },
        { { "Div|n 5000|d", "Cast|d|f", "Add|x f|y" }, 0 },
        { { "Mod|n 32|r", "Cast|r|f", "Add|x f|y" }, 0 },
        { { "Sub|n 5000|d", "Sign|d|r", "Cast|r|f", "Add|x f|y" }, 0 },
        { { "Cast|n|f", "Cast|5000|g", "Div|f g|h", "Floor|h|r", "Add|x r|y" }, 0 },
        { { "Sub|n 190|d", "Cast|d|b", "Cast|b|f", "Add|x f|y" }, 0 },
        { { "Slice|x 0 5000 0|y" }, 0 },
        { { "Slice|x -200 most 0|a", "Neg|a|y" }, 0 },
        { { "Slice|x 0 most 0|a", "Neg|a|y" }, 1 },
        { { "Equal|n -1|q", "Where|q 1 n|m", "Expand|x m|a", "Neg|a|y" }, 1 },  /* -1 stands for a size that stays */
        { { "Mul|n 32|m", "Sub|m m|d", "Cast|d|f", "Add|x f|y" }, 1 },
        { { "Reshape|x n|a", "Neg|a|y" }, 1 }
    };
    hy_frame *F = hy_open(NULL);
    hy_type known = { HY_F32, { 1, { 700 } } };
    int i;
    for (i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        hy_block *net = onnx_open_chosen(F, &cases[i]), *again;
        hy_array *x = hy_normal(F, HY_SHAPE(700), 0, 1), *y, *z;
        hy_arrays values;
        hy_graph *graph = hy_onnx_graph(F, net, NULL, &values);
        const char *why = hy_error(F);
        if (!CHECK(cases[i].stays ? graph && !why
                                  : why && strstr(why, "hangs on sizes that are open: x (?,)") != NULL))
            printf("    %s: %s\n", cases[i].node[0], why ? why : "it stays open");
        hy_clear(F);
        if (!cases[i].stays) graph = hy_onnx_graph(F, net, &known, &values);
        again = graph ? hy_import_from(F, graph, &values, NULL) : NULL;
        y = net ? hy_call(F, net, x) : NULL;
        z = again ? hy_call(F, again, x) : NULL;
        CHECK(y && z && hy_size(F, y) == hy_size(F, z) &&
              !memcmp(hy_data(F, y), hy_data(F, z), sizeof(float) * (size_t)hy_size(F, y)));
        if (!CHECK(!hy_error(F))) printf("    %s: %s\n", cases[i].node[0], hy_error(F));
        hy_clear(F);
    }
    hy_close(F);
}

/* Windows that end and are padded by the rest of a division, behind one that has no result for a size of 1. */
static void onnx_open_windows(void)
{
    static const int open[] = { 1, 1, -1, 8 }, weight[] = { 1, 1, 3, 1 };
    static const int64_t three[] = { 3, 1 }, two[] = { 2, 2 };
    int k;
    for (k = 0; k < 3; k++) {
        hy_frame *F = hy_open(NULL);
        onnx_text g = { NULL, 0, 0 }, n = { NULL, 0, 0 };
        hy_graph *graph;
        onnx_node_with(&g, "Conv", "x w", "a", NULL, 0, NULL);
        onnx_string(&n, 1, "a");
        onnx_string(&n, 2, "y");
        onnx_string(&n, 4, "MaxPool");
        onnx_ints_of(&n, "kernel_shape", 2, three);
        onnx_ints_of(&n, "strides", 2, two);
        if (k == 1) onnx_text_of(&n, "auto_pad", "SAME_UPPER");
        if (k == 2) onnx_add(&n, "\x2a\x0d\x0a\x09" "ceil_mode\x18\x01", 15);
        onnx_close_into(&g, 1, &n);
        onnx_typed_value(&g, 11, "x", 1, 4, open);
        onnx_typed_value(&g, 11, "w", 1, 4, weight);
        onnx_typed_value(&g, 12, "y", 1, 4, open);
        free(n.at);
        graph = hy_onnx_graph(F, onnx_model_of(F, &g, NULL), NULL, NULL);
        if (!CHECK(k ? hy_error(F) && strstr(hy_error(F), "hangs on sizes that are open: x (1,1,?,8)") : graph != NULL))
            printf("    %d: %s\n", k, hy_error(F) ? hy_error(F) : "it stays open");
        hy_clear(F);
        hy_close(F);
    }
}

static int onnx_open_program(hy_frame *F)
{
    hy_block *net = onnx_open_net(F, 0);
    hy_graph *graph;
    hy_begin(F);
    graph = net ? hy_onnx_graph(F, net, NULL, NULL) : NULL;
    hy_end(F);
    hy_graph_free(F, graph);
    hy_block_free(F, net);
    return graph != NULL;
}

static void onnx_open_without_memory(void)
{
    long n;
    int done = 0;
    for (n = 0; n < 1000 && !done; n++) {
        hy_frame *F = hy_open(NULL);
        onnx_left = n;
        CHECK(onnx_open_program(F) || hy_error_code(F) == HY_ERROR_MEMORY);
        done = onnx_left > 0;
        onnx_left = -1;
        hy_clear(F);
        CHECK(onnx_open_program(F));
        hy_close(F);
    }
    CHECK(done && onnx_blocks == 0);
    oom_walk(onnx_open_program, 1);
}

/* --- files that are written --- */
static void onnx_saved(void)
{
    const char *name = "onnx_saved.onnx";
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_dense(F, 3, NULL), *again;
    hy_array *x = hy_normal(F, HY_SHAPE(2, 4), 0, 1), *y, *z, *bytes;
    FILE *f;
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    y = hy_call(F, net, x);
    CHECK(!hy_onnx_save(F, net, x, name, 0) && !hy_error(F));
    again = hy_onnx_load(F, name);
    z = again ? hy_call(F, again, x) : NULL;
    CHECK(z && hy_item(F, hy_max(F, hy_abs(F, hy_sub(F, y, z)), HY_ALL, NULL)) < 1e-6);
    bytes = hy_onnx_to(F, net, x, 0);
    f = fopen(name, "rb");
    CHECK(f && !fseek(f, 0, SEEK_END) && ftell(f) == (long)hy_size(F, bytes));
    if (f) fclose(f);
    CHECK(hy_onnx_save(F, net, x, name, 99) && hy_error(F) && strstr(hy_error(F), "opsets 13 to 22"));
    hy_clear(F);
    again = hy_onnx_load(F, name);              /* what was there is there */
    CHECK(again && !hy_error(F));
    CHECK(hy_onnx_save(F, net, x, "tests/nowhere/x.onnx", 0) && hy_error(F) &&
          strstr(hy_error(F), "tests/nowhere/x.onnx: the file cannot be made: no such file or folder"));
    hy_clear(F);
    CHECK(hy_onnx_save(F, net, x, NULL, 0) && hy_error(F) &&
          strstr(hy_error(F), "hy_onnx_save: the name of the file is NULL"));
    hy_clear(F);
    CHECK(hy_onnx_save(F, net, NULL, name, 0) && hy_error(F) && strstr(hy_error(F), "the inputs are NULL"));
    hy_clear(F);
    CHECK(hy_save_bytes(F, name, x) && hy_error(F) && strstr(hy_error(F), "u8 is due"));
    hy_clear(F);
    CHECK(hy_save_bytes(F, name, NULL) && hy_error(F));
    hy_clear(F);
    CHECK(!hy_save_bytes(F, name, hy_view_slice(F, bytes, 0, 0, 10, 2)) && !hy_error(F));
    f = fopen(name, "rb");
    CHECK(f && !fseek(f, 0, SEEK_END) && ftell(f) == 5);
    if (f) fclose(f);
    remove(name);
    hy_close(F);
}

/* Sums at places that values choose are saved, loaded and written as other operators are. */
static void onnx_sums_saved(void)
{
    static const int two[] = { 2, 5 }, three[] = { 2, 3 };
    static const int64_t at[] = { 0, 4, -1, 2, 2, -5 };
    hy_frame *F = hy_open(NULL);
    onnx_text g = { NULL, 0, 0 };
    hy_block *net, *again;
    hy_arrays values;
    hy_graph *graph;
    hy_array *in[3], *want, *y;
    onnx_node_with(&g, "ScatterElements", "x i u", "s", "reduction", 0, "add");
    onnx_node_with(&g, "Neg", "s", "y", NULL, 0, NULL);
    onnx_typed_value(&g, 11, "x", 1, 2, two);
    onnx_typed_value(&g, 11, "i", 7, 2, three);
    onnx_typed_value(&g, 11, "u", 1, 2, three);
    onnx_typed_value(&g, 12, "y", 1, 2, two);
    net = onnx_model_of(F, &g, NULL);
    in[0] = hy_normal(F, HY_SHAPE(2, 5), 0, 1);
    in[1] = hy_mod_scalar(F, hy_from(F, HY_SHAPE(2, 3), HY_I64, at), 2);
    in[2] = hy_normal(F, HY_SHAPE(2, 3), 0, 1);
    want = hy_call(F, net, hy_group_of(F, 3, in));
    graph = hy_onnx_graph(F, net, NULL, &values);
    again = graph ? hy_import_from(F, graph, &values, NULL) : NULL;
    CHECK(again && !hy_error(F));
    if (again) hy_hybridize(F, again, NULL);
    y = again ? hy_call(F, again, hy_group_of(F, 3, in)) : NULL;
    CHECK(y && hy_item(F, hy_max(F, hy_abs(F, hy_sub(F, y, want)), HY_ALL, NULL)) == 0);
    if (!CHECK(!hy_error(F))) printf("    %s\n", hy_error(F));
    hy_clear(F);
    hy_close(F);
}

static void test_onnx_given(void)
{
    RUN(onnx_any_order);
    RUN(onnx_branch_before_its_maker);
    RUN(onnx_indices);
    RUN(onnx_data_missing);
    RUN(onnx_open_sizes);
    RUN(onnx_open_choices);
    RUN(onnx_open_windows);
    RUN(onnx_open_without_memory);
    RUN(onnx_saved);
    RUN(onnx_sums_saved);
}
