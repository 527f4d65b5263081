/* ONNX files that are written here, message by message: large ones, small ones that ask for much, single nodes. */
typedef struct onnx_text { char *at; size_t n, room; } onnx_text;

static void onnx_add(onnx_text *t, const void *bytes, size_t n)
{
    if (t->n + n > t->room) t->at = (char *)realloc(t->at, t->room = 2 * (t->n + n));
    if (n) memcpy(t->at + t->n, bytes, n);
    t->n += n;
}

static void onnx_varint(onnx_text *t, size_t v)
{
    unsigned char c;
    for (; v > 127; v >>= 7) { c = (unsigned char)(v | 128); onnx_add(t, &c, 1); }
    c = (unsigned char)v;
    onnx_add(t, &c, 1);
}

static void onnx_field(onnx_text *t, int number, const void *bytes, size_t n)
{
    onnx_varint(t, (size_t)number << 3 | 2);
    onnx_varint(t, n);
    onnx_add(t, bytes, n);
}

static void onnx_string(onnx_text *t, int number, const char *s) { onnx_field(t, number, s, strlen(s)); }

/* What was written becomes a field of another message. */
static void onnx_close_into(onnx_text *to, int number, onnx_text *t)
{
    onnx_field(to, number, t->at, t->n);
    t->n = 0;
}

/* field: 1 in a graph, 7 in a function */
static void onnx_node_of(onnx_text *to, int field, const char *op, const char *domain, const char *in, const char *out)
{
    onnx_text n = { NULL, 0, 0 };
    onnx_string(&n, 1, in);
    onnx_string(&n, 2, out);
    onnx_string(&n, 4, op);
    onnx_string(&n, 7, domain);
    onnx_close_into(to, field, &n);
    free(n.at);
}

/* An input (11) or output (12) of those sizes, of ONNX's type 1 (float) or another. */
static void onnx_typed_value(onnx_text *graph, int field, const char *name, int type, int n, const int *dims)
{
    onnx_text v = { NULL, 0, 0 }, shape = { NULL, 0, 0 }, dim = { NULL, 0, 0 }, t = { NULL, 0, 0 };
    int i;
    for (i = 0; i < n; i++) {
        onnx_add(&dim, "\x08", 1);
        onnx_varint(&dim, (size_t)dims[i]);
        onnx_close_into(&shape, 1, &dim);
    }
    onnx_add(&t, "\x08", 1);
    onnx_varint(&t, (size_t)type);
    onnx_close_into(&t, 2, &shape);
    onnx_close_into(&dim, 1, &t);
    onnx_string(&v, 1, name);
    onnx_close_into(&v, 2, &dim);
    onnx_close_into(graph, field, &v);
    free(v.at);
    free(shape.at);
    free(dim.at);
    free(t.at);
}

static void onnx_value_of(onnx_text *graph, int field, const char *name)
{
    static const int one[] = { 1 };
    onnx_typed_value(graph, field, name, 1, 1, one);
}

/* Opset 17 beside functions; the block, or NULL with the frame's error. */
static hy_block *onnx_model_of(hy_frame *F, onnx_text *graph, onnx_text *functions)
{
    onnx_text m = { NULL, 0, 0 };
    hy_block *net;
    onnx_field(&m, 8, "\x10\x11", 2);
    onnx_close_into(&m, 7, graph);
    if (functions) onnx_add(&m, functions->at, functions->n);
    net = hy_onnx_from(F, m.at, m.n, NULL);
    free(m.at);
    free(graph->at);
    return net;
}

/* Nodes that nobody reads, one behind the other. */
static void onnx_long_chain(void)
{
    hy_frame *F = hy_open(NULL);
    onnx_text g = { NULL, 0, 0 };
    char in[32], out[32];
    hy_block *net;
    int i;
    for (i = 0; i < 100000; i++) {
        sprintf(in, "x%d", i);
        sprintf(out, "x%d", i + 1);
        onnx_node_of(&g, 1, "Relu", "", in, out);
    }
    onnx_value_of(&g, 11, "x0");
    onnx_value_of(&g, 12, "x1");
    net = onnx_model_of(F, &g, NULL);
    CHECK(net && hy_size(F, hy_call(F, net, hy_ones(F, HY_SHAPE(1)))) == 1);
    CHECK(!hy_error(F));
    hy_close(F);
}

static void onnx_many_inputs(void)
{
    enum { MANY = 60000 };
    hy_frame *F = hy_open(NULL);
    onnx_text g = { NULL, 0, 0 };
    char name[32];
    const char *found = "";
    hy_block *net;
    int i;
    for (i = 0; i < MANY; i++) {
        sprintf(name, "x%d", i);
        onnx_value_of(&g, 11, name);
    }
    onnx_node_of(&g, 1, "Relu", "", "x7", "y");
    onnx_value_of(&g, 12, "y");
    net = onnx_model_of(F, &g, NULL);
    for (i = 0; net && !hy_onnx_input(net, i, &found, NULL); i++) {}
    CHECK(i == MANY);
    CHECK_STR(found, "x59999");
    CHECK(hy_onnx_input(net, -1, NULL, NULL) && hy_onnx_input(net, MANY, NULL, NULL));
    hy_close(F);
}

/* Names whose hashes end in the same bits. */
static void onnx_names_of_one_hash(void)
{
    hy_frame *F = hy_open(NULL);
    onnx_text g = { NULL, 0, 0 };
    char in[32] = "x", out[32];
    int i, number = 0;
    for (i = 0; i < 1500; i++) {
        do sprintf(out, "n%d", number++);
        while (onnx__hash(0, out) & 4095);
        onnx_node_of(&g, 1, "Relu", "", in, out);
        strcpy(in, out);
    }
    onnx_value_of(&g, 11, "x");
    onnx_value_of(&g, 12, in);
    CHECK(!onnx_model_of(F, &g, NULL));
    CHECK(hy_error(F) && strstr(hy_error(F), "each other's way"));
    hy_clear(F);
    hy_close(F);
}

/* A function of one constant; 15 more that each call the one before twice: 2^15 copies of the constant. */
static void onnx_functions_that_double(void)
{
    enum { LEVELS = 16, COPIED = 5000 };
    hy_frame *F = hy_open(NULL);
    onnx_text all = { NULL, 0, 0 }, f = { NULL, 0, 0 }, node = { NULL, 0, 0 }, attr = { NULL, 0, 0 }, t = { NULL, 0, 0 };
    onnx_text g = { NULL, 0, 0 };
    static float zeros[COPIED];
    char name[32], before[32];
    int i;
    for (i = 0; i < LEVELS; i++) {
        sprintf(before, "L%d", i - 1);
        sprintf(name, "L%d", i);
        onnx_string(&f, 1, name);
        onnx_string(&f, 4, "a");
        onnx_string(&f, 5, "b");
        if (!i) {
            onnx_add(&t, "\x08\x88\x27\x10\x01", 5);            /* dims 5000, float */
            onnx_field(&t, 9, zeros, sizeof zeros);
            onnx_string(&attr, 1, "value");
            onnx_close_into(&attr, 5, &t);
            onnx_string(&node, 2, "w");
            onnx_string(&node, 4, "Constant");
            onnx_close_into(&node, 5, &attr);
            onnx_close_into(&f, 7, &node);
            onnx_node_of(&f, 7, "Relu", "", "w", "b");
        } else {
            onnx_node_of(&f, 7, before, "f", "a", "m");
            onnx_node_of(&f, 7, before, "f", "m", "b");
        }
        onnx_string(&f, 10, "f");
        onnx_close_into(&all, 25, &f);
    }
    onnx_node_of(&g, 1, name, "f", "x", "y");
    onnx_value_of(&g, 11, "x");
    onnx_value_of(&g, 12, "y");
    CHECK(!onnx_model_of(F, &g, &all));
    CHECK(hy_error(F) && strstr(hy_error(F), "64 times its own bytes"));
    hy_clear(F);
    free(all.at);
    free(f.at);
    free(node.at);
    free(attr.at);
    free(t.at);
    hy_close(F);
}

/* One node of inputs a, b, c ...; how many lines its graph has. */
static int onnx_lines(const char *op, int n, const int *type, const int (*dims)[4], const char *attr, size_t bytes)
{
    static const char *const names[] = { "a", "b", "c", "d", "e" };
    hy_frame *F = hy_open(NULL);
    onnx_text g = { NULL, 0, 0 }, node = { NULL, 0, 0 };
    hy_block *net;
    hy_graph *graph;
    char text[4000] = "";
    int i, k, lines = 0;
    for (i = 0; i < n; i++) {
        for (k = 0; k < 4 && dims[i][k]; k++) {}
        onnx_typed_value(&g, 11, names[i], type[i], k, dims[i]);
        onnx_string(&node, 1, names[i]);
    }
    onnx_string(&node, 2, "y");
    onnx_string(&node, 4, op);
    if (bytes) onnx_field(&node, 5, attr, bytes);
    onnx_close_into(&g, 1, &node);
    onnx_typed_value(&g, 12, "y", 1, 0, NULL);
    net = onnx_model_of(F, &g, NULL);
    graph = net ? hy_onnx_graph(F, net, NULL, NULL) : NULL;
    if (graph) hy_graph_text(graph, HY_FORM_LINES, text, sizeof text);
    if (!CHECK(!hy_error(F))) printf("    %s: %s\n", op, hy_error(F));
    for (i = 0; text[i]; i++) lines += text[i] == '\n';
    hy_clear(F);
    free(node.at);
    hy_close(F);
    return lines - 1;                           /* print(y) */
}

/* An attribute of whole numbers. */
static void onnx_ints_of(onnx_text *node, const char *name, int n, const int64_t *v)
{
    onnx_text attr = { NULL, 0, 0 }, ints = { NULL, 0, 0 };
    while (n-- > 0) onnx_varint(&ints, (size_t)*v++);
    onnx_string(&attr, 1, name);
    onnx_close_into(&attr, 8, &ints);
    onnx_close_into(node, 5, &attr);
    free(attr.at);
    free(ints.at);
}

static void onnx_text_of(onnx_text *node, const char *name, const char *v)
{
    onnx_text attr = { NULL, 0, 0 };
    onnx_string(&attr, 1, name);
    onnx_string(&attr, 4, v);
    onnx_close_into(node, 5, &attr);
    free(attr.at);
}

/* One node, whose attributes are in `node`, on a, b and c. */
static void onnx_gives(onnx_text *node, const char *op, hy_frame *F, int n, hy_array *const *in, int count, const float *want)
{
    static const char *const names[] = { "a", "b", "c" };
    onnx_text g = { NULL, 0, 0 };
    hy_block *net;
    hy_array *y;
    int i, k, dims[HY_MAX_DIM];
    for (i = 0; i < n; i++) {
        for (k = 0; k < hy_ndim(F, in[i]); k++) dims[k] = (int)hy_dim(F, in[i], k);
        onnx_typed_value(&g, 11, names[i], onnx__kind_of(hy_dtype_of(F, in[i])), k, dims);
        onnx_string(node, 1, names[i]);
    }
    onnx_string(node, 2, "y");
    onnx_string(node, 4, op);
    onnx_close_into(&g, 1, node);
    onnx_typed_value(&g, 12, "y", 1, 0, NULL);
    net = onnx_model_of(F, &g, NULL);
    y = net ? hy_call(F, net, n > 1 ? hy_group_of(F, n, in) : in[0]) : NULL;
    if (!CHECK(y && !hy_error(F) && hy_size(F, y) == count && hy_ndim(F, y) == hy_ndim(F, in[0])))
        printf("    %s: %s\n", op, hy_error(F) ? hy_error(F) : "a shape");
    for (i = 0; y && i < count && hy_size(F, y) == count; i++)
        CHECK_NEAR(hy_item(F, hy_slice_axis(F, hy_reshape(F, y, HY_INTS(-1), NULL), 0, i, i + 1)), want[i], 1e-5);
    hy_clear(F);
    free(node->at);
    node->at = NULL;
    node->room = 0;
}

/* Without auto_pad what is odd goes off the beginning; what output_shape or output_padding add has the bias alone. */
static void onnx_transposed_sizes(void)
{
    static const float data[] = { 1, 2, 3, 4 }, weight[] = { 1, 10, 100 }, bias[] = { 1000 };
    static const float less[] = { 12, 123, 234, 340, 400 }, upper[] = { 1, 12, 123, 234, 340 };
    static const float more[] = { 1001, 1012, 1123, 1234, 1340, 1400, 1000, 1000 };
    static const float padded[] = { 1001, 1010, 1102, 1020, 1203, 1030, 1304, 1040, 1400, 1000 };
    static const int64_t five[] = { 5 }, eight[] = { 8 }, one[] = { 1 }, two[] = { 2 };
    hy_frame *F = hy_open(NULL);
    onnx_text node = { NULL, 0, 0 };
    hy_array *in[3];
    in[0] = hy_floats(F, HY_SHAPE(1, 1, 4), data);
    in[1] = hy_floats(F, HY_SHAPE(1, 1, 3), weight);
    in[2] = hy_floats(F, HY_SHAPE(1), bias);
    onnx_ints_of(&node, "output_shape", 1, five);
    onnx_gives(&node, "ConvTranspose", F, 2, in, 5, less);
    onnx_ints_of(&node, "output_shape", 1, five);
    onnx_text_of(&node, "auto_pad", "SAME_UPPER");
    onnx_gives(&node, "ConvTranspose", F, 2, in, 5, upper);
    onnx_ints_of(&node, "output_shape", 1, eight);
    onnx_gives(&node, "ConvTranspose", F, 3, in, 8, more);
    onnx_ints_of(&node, "output_padding", 1, one);
    onnx_ints_of(&node, "strides", 1, two);
    onnx_gives(&node, "ConvTranspose", F, 3, in, 10, padded);
    hy_close(F);
}

static void onnx_int_of(onnx_text *node, const char *name, int64_t v);

/* Windows whose border differs before and behind are one operator: nothing is copied first, nothing cut off. */
static void onnx_borders_that_differ(void)
{
    static const char behind[] = "\x0a\x04pads\x40\x00\x40\x01\x40\x02\x40\x00";
    static const char same[] = "\x0a\x08" "auto_pad\x22\x0aSAME_UPPER";
    static const int floats[] = { 1, 1 }, image[][4] = { { 1, 2, 7, 8 }, { 3, 2, 3, 2 } };
    static const int turned[][4] = { { 1, 2, 5, 6 }, { 2, 3, 3, 2 } };
    static const float data[] = { 1, 2, 3, 4 };
    static const struct { const char *op; int before, behind, all, n; float want[3]; } pools[] = {
        { "MaxPool", 0, 1, 0, 2, { 3, 4 } }, { "MaxPool", 2, 1, 0, 3, { 1, 3, 4 } },
        { "AveragePool", 0, 1, 1, 2, { 2, 7 / 3.f } }, { "AveragePool", 0, 1, 0, 2, { 2, 3.5f } },
        { "AveragePool", 1, 0, 1, 2, { 1, 3 } }, { "AveragePool", 1, 0, 0, 2, { 1.5f, 3 } },
        { "LpPool", 0, 1, 0, 2, { 3.7416574f, 5 } } };
    static const int64_t three[] = { 3 }, two[] = { 2 };
    size_t k;
    CHECK_NEAR(onnx_lines("Conv", 2, floats, image, behind, sizeof behind - 1), 1, 0);
    CHECK_NEAR(onnx_lines("Conv", 2, floats, image, same, sizeof same - 1), 1, 0);
    CHECK_NEAR(onnx_lines("ConvTranspose", 2, floats, turned, behind, sizeof behind - 1), 1, 0);
    CHECK_NEAR(onnx_lines("ConvTranspose", 2, floats, turned, same, sizeof same - 1), 1, 0);
    for (k = 0; k < sizeof pools / sizeof *pools; k++) {
        hy_frame *F = hy_open(NULL);
        hy_array *x = hy_floats(F, HY_SHAPE(1, 1, 4), data);
        onnx_text node = { NULL, 0, 0 };
        int64_t pads[2];
        pads[0] = pools[k].before;
        pads[1] = pools[k].behind;
        onnx_ints_of(&node, "kernel_shape", 1, three);
        onnx_ints_of(&node, "strides", 1, two);
        onnx_ints_of(&node, "pads", 2, pads);
        if (*pools[k].op == 'A') onnx_int_of(&node, "count_include_pad", pools[k].all);
        onnx_gives(&node, pools[k].op, F, 1, &x, pools[k].n, pools[k].want);
        hy_close(F);
    }
}

static void onnx_int_of(onnx_text *node, const char *name, int64_t v)
{
    onnx_text attr = { NULL, 0, 0 };
    onnx_string(&attr, 1, name);
    onnx_add(&attr, "\x18", 1);
    onnx_varint(&attr, (size_t)v);
    onnx_close_into(node, 5, &attr);
    free(attr.at);
}

/* Remainders of the least integer; with ceil_mode a window that does not fit. */
static void onnx_rests(void)
{
    static const int64_t two[] = { 2 }, three[] = { 3 };
    static const float a[] = { -128, -128, 5, -7, 7, -128 }, b[] = { 100, -128, -128, 3, -3, -1 }, c[] = { -28, 0, 5, -1, 1, 0 };
    static const float row[] = { 3, 9 }, most[] = { 9 };
    hy_frame *F = hy_open(NULL);
    onnx_text node = { NULL, 0, 0 };
    hy_array *in[2];
    in[0] = hy_cast(F, hy_floats(F, HY_SHAPE(6), a), HY_I8);
    in[1] = hy_cast(F, hy_floats(F, HY_SHAPE(6), b), HY_I8);
    onnx_int_of(&node, "fmod", 1);
    onnx_gives(&node, "Mod", F, 2, in, 6, c);
    in[0] = hy_floats(F, HY_SHAPE(1, 1, 2), row);
    onnx_ints_of(&node, "kernel_shape", 1, three);
    onnx_ints_of(&node, "strides", 1, two);
    onnx_int_of(&node, "ceil_mode", 1);
    onnx_gives(&node, "MaxPool", F, 1, in, 1, most);
    hy_close(F);
}

/* clip bounds the gates of an LSTM, not its cell: three steps whose gates are all 0.5 then. */
static void onnx_clipped_gates(void)
{
    static const float steps[] = { 9, 9, 9 }, weights[] = { 1, 1, 1, 1 }, last[] = { 0.324500330f };
    hy_frame *F = hy_open(NULL);
    onnx_text node = { NULL, 0, 0 };
    hy_array *in[3];
    in[0] = hy_floats(F, HY_SHAPE(3, 1, 1), steps);
    in[1] = in[2] = hy_floats(F, HY_SHAPE(1, 4, 1), weights);
    onnx_int_of(&node, "hidden_size", 1);
    onnx_field(&node, 5, "\x0a\x04" "clip\x15\0\0\0\x3f\xa0\x01\x01", 14);       /* 0.5 */
    onnx_string(&node, 2, "");                  /* all steps: not wanted */
    onnx_gives(&node, "LSTM", F, 3, in, 1, last);
    hy_close(F);
}

/* Rows of one dim; taps of a cubic beyond the border, each of which is the border's. */
static void onnx_ends_of_rows(void)
{
    static const float row[] = { 1, 5, 2 }, hot[] = { 0, 1, 0 }, places[] = { -1, 0 }, cubic[] = { 0.625f };
    hy_frame *F = hy_open(NULL);
    onnx_text node = { NULL, 0, 0 };
    hy_array *in[2];
    in[0] = hy_floats(F, HY_SHAPE(3), row);
    onnx_gives(&node, "Hardmax", F, 1, in, 3, hot);
    in[0] = hy_floats(F, HY_SHAPE(1, 1, 1, 3), row);
    in[1] = hy_floats(F, HY_SHAPE(1, 1, 1, 2), places);
    onnx_text_of(&node, "mode", "bicubic");
    onnx_text_of(&node, "padding_mode", "border");
    onnx_gives(&node, "GridSample", F, 2, in, 1, cubic);
    hy_close(F);
}

/* Numbers as large as there are, as sizes, places and counts: b is input 1, of two int64; HannWindow's is a NaN. */
static void onnx_large_numbers(void)
{
    static const struct { const char *op; int64_t b[2]; const char *says; } cases[] = {
        { "Split", { 1, INT64_MAX }, "parts of 4 elements" }, { "Pad", { INT64_MAX, INT64_MAX }, "" },
        { "TfIdfVectorizer", { INT64_MAX, INT64_MAX }, "n-grams of whole numbers are due" }, { "HannWindow", { 0, 0 }, "a window of" },
        { "Slice", { INT64_MIN, INT64_MAX }, "" }, { "Tile", { INT64_MAX, INT64_MAX }, "" }, { "Expand", { INT64_MIN, INT64_MAX }, "" },
        { "Reshape", { INT64_MIN, INT64_MAX }, "a size of" }, { "CenterCropPad", { INT64_MIN, 0 }, NULL } };
    static const int four[] = { 4 };
    static const int64_t none[] = { 0 }, one[] = { 1 };
    size_t k;
    for (k = 0; k < sizeof cases / sizeof *cases; k++) {
        hy_frame *F = hy_open(NULL);
        onnx_text g = { NULL, 0, 0 }, node = { NULL, 0, 0 }, t = { NULL, 0, 0 };
        int window = !strcmp(cases[k].op, "HannWindow"), grams = !strcmp(cases[k].op, "TfIdfVectorizer"), i;
        unsigned char raw[16];
        hy_block *net;
        onnx_add(&t, window ? "\x10\x01" : "\x08\x02\x10\x07", window ? 2 : 4);      /* float; or sizes 2, int64 */
        onnx_string(&t, 8, "b");
        for (i = 0; i < 16; i++) raw[i] = (unsigned char)((uint64_t)cases[k].b[i / 8] >> i % 8 * 8);
        onnx_field(&t, 9, window ? (const void *)"\0\0\xc0\x7f" : raw, window ? 4 : 16);
        onnx_close_into(&g, 5, &t);
        if (!window) onnx_string(&node, 1, "a");
        if (!grams) onnx_string(&node, 1, "b");
        if (!strcmp(cases[k].op, "Slice")) onnx_string(&node, 1, "b");
        onnx_string(&node, 2, "y");
        if (!strcmp(cases[k].op, "Split")) onnx_string(&node, 2, "z");
        onnx_string(&node, 4, cases[k].op);
        if (grams) {
            onnx_ints_of(&node, "ngram_counts", 1, none);
            onnx_ints_of(&node, "pool_int64s", 1, one);
            onnx_ints_of(&node, "ngram_indexes", 1, cases[k].b);
        }
        onnx_close_into(&g, 1, &node);
        onnx_typed_value(&g, 11, "a", 1, 1, four);
        onnx_typed_value(&g, 12, "y", 1, 0, NULL);
        net = onnx_model_of(F, &g, NULL);
        if (net) hy_call(F, net, hy_ones(F, HY_SHAPE(4)));
        if (!CHECK(cases[k].says ? hy_error(F) && strstr(hy_error(F), cases[k].says) : !hy_error(F)))
            printf("    %s: %s\n", cases[k].op, hy_error(F) ? hy_error(F) : "no error");
        hy_clear(F);
        free(node.at);
        free(t.at);
        hy_close(F);
    }
}

/* What -1 stands for beside a size of 0 is not known, whether the 0 is written or copied; copied, a size may be another. */
static void onnx_rest_beside_none(void)
{
    static const struct { int64_t to[2]; int dims[2], written, refused; } cases[] = {
        { { 0, -1 }, { 0, 3 }, 0, 1 }, { { -1, 0 }, { 0, 3 }, 0, 0 }, { { 0, -1 }, { 3, 0 }, 0, 0 }, { { -1, 0 }, { 3, 0 }, 0, 1 },
        { { 0, -1 }, { 2, 3 }, 0, 0 }, { { 0, -1 }, { 0, 3 }, 1, 1 }, { { -1, 0 }, { 0, 3 }, 1, 1 }, { { 0, 7 }, { 0, 3 }, 1, 0 } };
    size_t k;
    int compiled;
    for (k = 0; k < sizeof cases / sizeof *cases; k++)
        for (compiled = 0; compiled < 2; compiled++) {
            hy_frame *F = hy_open(NULL);
            onnx_text g = { NULL, 0, 0 }, node = { NULL, 0, 0 }, t = { NULL, 0, 0 };
            unsigned char raw[16];
            hy_block *net;
            hy_array *y = NULL;
            int i;
            onnx_add(&t, "\x08\x02\x10\x07", 4);
            onnx_string(&t, 8, "to");
            for (i = 0; i < 16; i++) raw[i] = (unsigned char)((uint64_t)cases[k].to[i / 8] >> i % 8 * 8);
            onnx_field(&t, 9, raw, 16);
            onnx_close_into(&g, 5, &t);
            onnx_string(&node, 1, "x");
            onnx_string(&node, 1, "to");
            onnx_string(&node, 2, "y");
            onnx_string(&node, 4, "Reshape");
            if (cases[k].written) onnx_int_of(&node, "allowzero", 1);
            onnx_close_into(&g, 1, &node);
            onnx_typed_value(&g, 11, "x", 1, 2, cases[k].dims);
            onnx_typed_value(&g, 12, "y", 1, 0, NULL);
            net = onnx_model_of(F, &g, NULL);
            if (net && compiled) hy_hybridize(F, net, NULL);
            if (net) y = hy_call(F, net, hy_ones(F, HY_SHAPE(cases[k].dims[0], cases[k].dims[1])));
            if (!CHECK(cases[k].refused ? hy_error(F) && strstr(hy_error(F), "-1 beside one of 0") : y && !hy_error(F)))
                printf("    case %d: %s\n", (int)k, hy_error(F) ? hy_error(F) : "no error");
            hy_clear(F);
            hy_close(F);
            free(node.at);
            free(t.at);
        }
}

/* What language models are made of takes few nodes. */
static void onnx_short_chains(void)
{
    static const int floats[] = { 1, 1, 1, 1 }, places[] = { 1, 1, 1, 7 };
    static const int norm[][4] = { { 2, 3, 8, 0 }, { 8, 0, 0, 0 } };
    static const int rotary[][4] = { { 2, 3, 8, 0 }, { 5, 2, 0, 0 }, { 5, 2, 0, 0 }, { 2, 3, 0, 0 } };
    static const int masked[] = { 1, 1, 1, 9 };
    static const int apart[][4] = { { 2, 4, 3, 8 }, { 2, 2, 5, 8 }, { 2, 2, 5, 6 }, { 3, 5, 0, 0 } };
    static const char heads[] = "\x0a\x09num_heads\x18\x02\xa0\x01\x02";
    CHECK_NEAR(onnx_lines("LayerNormalization", 2, floats, norm, NULL, 0), 2, 0);
    CHECK_NEAR(onnx_lines("RMSNormalization", 2, floats, norm, NULL, 0), 5, 0);
    CHECK_NEAR(onnx_lines("SimplifiedLayerNormalization", 2, floats, norm, NULL, 0), 5, 0);
    CHECK_NEAR(onnx_lines("Attention", 3, floats, apart, NULL, 0), 1, 0);
    CHECK_NEAR(onnx_lines("Attention", 4, masked, apart, NULL, 0), 1, 0);
    CHECK_NEAR(onnx_lines("RotaryEmbedding", 4, places, rotary, heads, sizeof heads - 1), 15, 0);
}

/* A Scan whose state grows is no Scan, line by line or compiled, unrolled (3 steps) or not (20); nor is one that goes
 * along -2^31 inputs. */
static void onnx_scan_that_grows(void)
{
    int k;
    for (k = 0; k < 5; k++) {
        hy_frame *F = hy_open(NULL);
        onnx_text add = { NULL, 0, 0 }, body = { NULL, 0, 0 }, attr = { NULL, 0, 0 }, node = { NULL, 0, 0 }, g = { NULL, 0, 0 };
        const int rows = k & 1 ? 20 : 3, sizes[2] = { rows, 3 };
        hy_block *net;
        onnx_string(&add, 1, "s");
        onnx_string(&add, 1, "x");
        onnx_string(&add, 2, "t");
        onnx_string(&add, 4, "Add");
        onnx_close_into(&body, 1, &add);
        onnx_value_of(&body, 11, "s");
        onnx_value_of(&body, 11, "x");
        onnx_value_of(&body, 12, "t");
        onnx_string(&node, 1, "begin");
        onnx_string(&node, 1, "rows");
        onnx_string(&node, 2, "end");
        onnx_string(&node, 4, "Scan");
        onnx_string(&attr, 1, "body");
        onnx_close_into(&attr, 6, &body);
        onnx_add(&attr, "\xa0\x01\x05", 3);            /* a graph */
        onnx_close_into(&node, 5, &attr);
        onnx_string(&attr, 1, "num_scan_inputs");
        onnx_add(&attr, "\x18", 1);
        onnx_varint(&attr, k < 4 ? 1 : (size_t)(int64_t)INT32_MIN);
        onnx_add(&attr, "\xa0\x01\x02", 3);            /* a whole number */
        onnx_close_into(&node, 5, &attr);
        onnx_close_into(&g, 1, &node);
        onnx_value_of(&g, 11, "begin");
        onnx_typed_value(&g, 11, "rows", 1, 2, sizes);
        onnx_value_of(&g, 12, "end");
        net = onnx_model_of(F, &g, NULL);
        if (net && k > 1) hy_hybridize(F, net, NULL);
        CHECK(net && !hy_call(F, net, hy_group(F, hy_ones(F, HY_SHAPE(1)), hy_ones(F, HY_SHAPE(rows, 3)))));
        CHECK(hy_error(F) && strstr(hy_error(F), k < 4 ? "state 0" : "do not fit"));
        hy_clear(F);
        hy_close(F);
        free(add.at);
        free(body.at);
        free(attr.at);
        free(node.at);
    }
}

/* One operator of hybrid.h, written; its inputs are -7, -6 ... in such shapes, in a group even if it is one. */
typedef struct onnx_one { hy_block base; const char *op, *attrs; } onnx_one;

static hy_array *onnx_one_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    onnx_one *b = (onnx_one *)(void *)self;
    hy_array *in[3] = { NULL, NULL, NULL };
    int i, n = hy_count(F, x);
    for (i = 0; i < n && i < 3; i++) in[i] = hy_get(F, x, i);
    return hy_apply(F, b->op, n, in, b->attrs);
}

/* What is written gives the same when it is read, or is refused in such words. */
static void onnx_one_written(const char *op, const char *attrs, hy_dtype d, const int (*dims)[4], int opset, const char *says)
{
    hy_frame *F = hy_open(NULL);
    onnx_one *b = HY_BLOCK_NEW(F, onnx_one, onnx_one_forward);
    hy_array *in[3] = { NULL, NULL, NULL }, *x, *y;
    int i, n;
    b->op = op;
    b->attrs = attrs;
    for (n = 0; n < 3 && dims[n][0]; n++) {
        hy_shape s;
        int64_t size = 1;
        for (s.ndim = 0; s.ndim < 4 && dims[n][s.ndim]; s.ndim++) size *= s.dim[s.ndim] = dims[n][s.ndim];
        x = hy_arange(F, -7, -7 + (double)size, 1);
        in[n] = hy_cast(F, hy_reshape_like(F, x, hy_zeros(F, s), NULL), d);
    }
    x = hy_group_of(F, n, in);
    hy_hybridize(F, &b->base, NULL);
    y = hy_call(F, &b->base, x);
    if (says) CHECK(y && !hy_onnx_to(F, &b->base, x, opset) && hy_error(F) && strstr(hy_error(F), says));
    else {
        hy_array *bytes = hy_onnx_to(F, &b->base, x, opset), *z = NULL;
        hy_block *net = bytes ? hy_onnx_from(F, hy_data(F, bytes), (size_t)hy_size(F, bytes), NULL) : NULL;
        if (net) z = hy_call(F, net, x);
        for (i = 0; CHECK(z && hy_count(F, z) == hy_count(F, y)) && i < hy_count(F, y); i++) {
            hy_array *got = hy_get(F, z, i), *want = hy_get(F, y, i);
            CHECK(hy_dtype_of(F, got) == hy_dtype_of(F, want) && onnx__same_shape(hy_shape_of(F, got), hy_shape_of(F, want)));
            CHECK(hy_item(F, hy_norm(F, hy_cast(F, hy_sub(F, got, want), HY_F32), HY_ALL, NULL)) < 1e-4);
        }
    }
    if (test_broken) printf("    %s %s: %s\n", op, attrs, hy_error(F) ? hy_error(F) : "no error");
    hy_clear(F);
    hy_close(F);
}

static void onnx_operators_written(void)
{
    static const struct { const char *op, *attrs; hy_dtype d; int dims[3][4], opset; const char *says; } cases[] = {
        { "relu", "", HY_F32, { { 12 } }, 17, NULL }, { "take", "mode=wrap", HY_F32, { { 4, 3 }, { 14 } }, 17, NULL },
        { "where", "", HY_F32, { { 9 }, { 9, 2 }, { 9, 2 } }, 17, NULL },
        { "fully_connected", "num_hidden=4", HY_F32, { { 2, 3 }, { 4, 3 }, { 4, 1 } }, 17, NULL },
        { "softmax", "dtype=float64", HY_F32, { { 3, 4 } }, 17, NULL }, { "softmax", "dtype=float16", HY_F32, { { 3, 4 } }, 17, NULL },
        { "not_equal_scalar", "scalar=-5", HY_I32, { { 12 } }, 17, NULL }, { "logical_not", "", HY_F32, { { 12 } }, 17, NULL },
        { "greater_equal_scalar", "scalar=0.5", HY_F32, { { 12 } }, 17, NULL },
        { "greater_equal_scalar", "scalar=0.5", HY_I32, { { 12 } }, 17, "with a fraction" },
        { "maximum_scalar", "scalar=300", HY_I8, { { 12 } }, 17, "its type does not hold" },
        { "mod_scalar", "scalar=3", HY_I32, { { 12 } }, 17, NULL }, { "mod", "", HY_F32, { { 12 }, { 12 } }, 17, "of floats" },
        { "exp", "", HY_I32, { { 12 } }, 17, "Exp takes no int32 in opset 17" },
        { "activation", "act_type=softrelu", HY_BF16, { { 12 } }, 17, "Softplus takes no bfloat16 in opset 17" },
        { "activation", "act_type=softrelu", HY_BF16, { { 12 } }, 22, NULL }, { "relu", "", HY_I32, { { 12 } }, 14, NULL },
        { "relu", "", HY_I32, { { 12 } }, 13, "Relu takes no int32 in opset 13" },
        { "add", "", HY_BOOL, { { 12 }, { 12 } }, 17, "Add takes no bool" },
        { "add_n", "", HY_I64, { { 12 }, { 12 } }, 17, "Sum takes no int64" },
        { "layer_norm", "output_mean_var=True", HY_F32, { { 2, 3 }, { 3 }, { 3 } }, 17, "more than its first result" },
        { "dropout", "mode=always", HY_F32, { { 12 } }, 17, "mode always" },
        { "clip", "a_min=1 a_max=-1", HY_F32, { { 12 } }, 17, "a_min above a_max" },
        { "pooling", "kernel=(1,) stride=(4,) pooling_convention=full", HY_F32, { { 1, 1, 3 } }, 17, "behind the data" },
        { "pooling", "kernel=(3,) stride=(2,) pooling_convention=full", HY_F32, { { 1, 1, 6 } }, 17, NULL },
        { "convolution", "kernel=(3,) num_filter=1 no_bias=True pad_end=(2,)", HY_F32, { { 1, 2, 7 }, { 1, 2, 3 } }, 17, NULL },
        { "convolution", "kernel=(3,) num_filter=1 no_bias=True stride=(2,) pad=(2,) pad_end=(0,)", HY_F32,
          { { 1, 2, 7 }, { 1, 2, 3 } }, 17, NULL },
        { "deconvolution", "kernel=(3,) num_filter=2 stride=(2,) pad=(1,) pad_end=(0,) adj=(1,)", HY_F32,
          { { 1, 2, 5 }, { 2, 2, 3 } }, 17, NULL },
        { "pooling", "kernel=(3,) stride=(2,) pad_end=(1,)", HY_F32, { { 1, 1, 6 } }, 17, NULL },
        { "pooling", "kernel=(3,) stride=(2,) pad=(1,) pad_end=(0,) pool_type=avg", HY_F32, { { 1, 1, 6 } }, 17, NULL },
        { "pooling", "kernel=(3,) stride=(2,) pad_end=(2,) pool_type=avg count_include_pad=False", HY_F32, { { 1, 1, 6 } },
          17, NULL },
        { "slice_axis", "axis=0 begin=1 end=1", HY_F32, { { 12 } }, 13, NULL } };
    size_t k;
    for (k = 0; k < sizeof cases / sizeof *cases; k++)
        onnx_one_written(cases[k].op, cases[k].attrs, cases[k].d, cases[k].dims, cases[k].opset, cases[k].says);
}

static hy_array *onnx_unnamed_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy__sum_like(F, x, hy_slice_axis(F, x, 0, 0, 1));
}

/* Errors that name what is wrong. */
static void onnx_misused(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_dense(F, 3, NULL);
    hy_array *x = hy_ones(F, HY_SHAPE(2, 4));
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    hy_call(F, net, x);
    CHECK(!hy_onnx_to(F, net, NULL, 17) && hy_error(F) && strstr(hy_error(F), "the inputs are NULL"));
    hy_clear(F);
    CHECK(!hy_onnx_load(F, NULL) && hy_error(F) && strstr(hy_error(F), "without a name"));
    hy_clear(F);
    net = hy_block_new(F, sizeof *net, "unnamed", onnx_unnamed_forward, 1);
    CHECK(!hy_onnx_to(F, net, x, 17) && hy_error(F) && strstr(hy_error(F), "hy_onnx_to: operators that have no name in "
          "files: _sum_like of node "));
    hy_clear(F);
    CHECK(!hy_onnx_load(F, "tests/test.h") && hy_error(F) && strstr(hy_error(F), "tests/test.h"));
    hy_clear(F);
    hy_close(F);
}

/* Parameters named as names are made up: by files of MXNet for constants, and here for numbers and parts. */
typedef struct onnx_named { hy_block base; hy_array *held, *ints, *part; } onnx_named;

static hy_array *onnx_named_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    static const float numbers[] = { 5, 7, 9 };
    const onnx_named *b = (const onnx_named *)(const void *)self;
    hy_array *parts;
    x = hy_add(F, hy_mul(F, x, b->held), hy_floats(F, HY_SHAPE(3), numbers));
    parts = hy_split(F, hy_reshape(F, hy_mul(F, x, b->ints), HY_INTS(1, 3), NULL), 3, 1, NULL);
    return hy_add(F, hy_get(F, parts, 1), hy_mul_scalar(F, b->part, 3));
}

static void onnx_names_that_are_taken(void)
{
    hy_frame *F = hy_open(NULL);
    onnx_named *b = HY_BLOCK_NEW(F, onnx_named, onnx_named_forward);
    hy_array *x = hy_ones(F, HY_SHAPE(3)), *y, *text = NULL;
    hy_arrays values;
    hy_block *net;
    hy_set_prefix(F, &b->base, "");
    b->held = hy_add_param(F, &b->base, "constant0", HY_SHAPE(3), NULL);
    b->ints = hy_add_param(F, &b->base, "ints.0", HY_SHAPE(3), NULL);
    b->part = hy_add_param(F, &b->base, "slicechannel0.out1", HY_SHAPE(1), NULL);
    hy_set_param(F, b->held, hy_full(F, HY_SHAPE(3), 2));
    hy_set_param(F, b->ints, hy_full(F, HY_SHAPE(3), 10));
    hy_set_param(F, b->part, hy_full(F, HY_SHAPE(1), 4));
    hy_hybridize(F, &b->base, NULL);
    y = hy_call(F, &b->base, x);
    CHECK_NEAR(hy_item(F, y), 102, 0);
    CHECK(onnx_comes_back(F, &b->base, x, y, 17));
    CHECK(!hy_export_to(F, &b->base, x, &text, &values));
    net = hy_import_from(F, hy_symbol_from(F, (const char *)hy_data(F, text), (size_t)hy_size(F, text)), &values, NULL);
    CHECK(net && hy_item(F, hy_call(F, net, x)) == 102);
    if (!CHECK(!hy_error(F))) printf("    %s\n", hy_error(F));
    hy_clear(F);
    hy_close(F);
}

/* Sizes that a file declares are those of calls, line by line and compiled: it may have numbers that hold for them only. */
static void onnx_declared_sizes(void)
{
    static const int declared[] = { -1, 3 };
    int k;
    for (k = 0; k < 3; k++) {
        hy_frame *F = hy_open(NULL);
        onnx_text g = { NULL, 0, 0 };
        hy_block *net;
        int i;
        onnx_node_of(&g, 1, "Relu", "", "x", "y");
        onnx_typed_value(&g, 11, "x", 1, 2, declared);
        onnx_value_of(&g, 12, "y");
        net = onnx_model_of(F, &g, NULL);
        if (k) hy_hybridize(F, net, NULL);
        for (i = 0; i < 2; i++) {
            CHECK(hy_size(F, hy_call(F, net, hy_ones(F, HY_SHAPE(2, 3)))) == 6);
            if (k == 2) CHECK(hy_size(F, hy_call(F, net, hy_ones(F, HY_SHAPE(5, 3)))) == 15);
            OK(F);
            CHECK(!hy_call(F, net, hy_ones(F, HY_SHAPE(3, 2))));
            ERR(F, HY_ERROR_SHAPE, "is (3,2): dim 1 is 2, not 3");
            CHECK(!hy_call(F, net, hy_ones(F, HY_SHAPE(3))));
            ERR(F, HY_ERROR_SHAPE, "input 'x' (hy_onnx_set_input says if another shape is meant) has 1 dims, not 2");
            CHECK(!hy_call(F, net, hy_cast(F, hy_ones(F, HY_SHAPE(2, 3)), HY_F64)));
            ERR(F, HY_ERROR_DTYPE, "input 'x' is of type float32, not float64");
        }
        CHECK(!hy_onnx_set_input(net, 0, HY_SHAPE(-1, -1)) && hy_onnx_set_input(net, 1, HY_SHAPE(2)) == -1);
        CHECK(hy_onnx_set_input(net, 0, hy__rank(HY_MAX_DIM + 1)) == -1 && hy_onnx_set_input(net, 0, hy__rank(-2)) == -1);
        CHECK(hy_onnx_set_input(net, 0, HY_SHAPE(3, -2)) == -1);
        CHECK(hy_size(F, hy_call(F, net, hy_ones(F, HY_SHAPE(3, 2)))) == 6);
        OK(F);
        CHECK(hy_close(F) == 0);
    }
}

/* A tensor with raw data; its name stands before the numbers or behind them. */
static void onnx_raw_tensor(onnx_text *g, const char *name, int kind, int rows, int columns, const void *raw, size_t n,
                            int behind)
{
    onnx_text t = { NULL, 0, 0 };
    onnx_add(&t, "\x08", 1);
    onnx_varint(&t, (size_t)rows);
    onnx_add(&t, "\x08", 1);
    onnx_varint(&t, (size_t)columns);
    onnx_add(&t, "\x10", 1);
    onnx_varint(&t, (size_t)kind);
    if (!behind) onnx_string(&t, 8, name);
    onnx_field(&t, 9, raw, n);
    if (behind) onnx_string(&t, 8, name);
    onnx_close_into(g, 5, &t);
    free(t.at);
}

static void onnx_write_file(const char *file, const onnx_text *m, size_t n)
{
    FILE *f = fopen(file, "wb");
    CHECK(f && fwrite(m->at, 1, n, f) == n && !fclose(f));
}

/* x [1, 64] times 64 x 128 floats, and 256 x 160 numbers of four bits as floats. */
static void onnx_large_model(onnx_text *m)
{
    static const int line[] = { 1, 64 };
    onnx_text g = { NULL, 0, 0 }, node = { NULL, 0, 0 };
    float *floats = (float *)malloc(64 * 128 * sizeof *floats);
    unsigned char *fours = (unsigned char *)malloc(128 * 160);
    int i;
    for (i = 0; i < 64 * 128; i++) floats[i] = (float)(i * 7 % 31 - 15);
    for (i = 0; i < 128 * 160; i++) fours[i] = (unsigned char)(i * 13);
    onnx_raw_tensor(&g, "w", 1, 64, 128, floats, 64 * 128 * sizeof *floats, 0);
    onnx_raw_tensor(&g, "v", 21, 256, 160, fours, 128 * 160, 1);
    onnx_string(&node, 1, "x");
    onnx_string(&node, 1, "w");
    onnx_string(&node, 2, "y");
    onnx_string(&node, 4, "MatMul");
    onnx_close_into(&g, 1, &node);
    onnx_string(&node, 1, "v");
    onnx_string(&node, 2, "z");
    onnx_string(&node, 4, "Cast");
    onnx_int_of(&node, "to", 1);
    onnx_close_into(&g, 1, &node);
    onnx_typed_value(&g, 11, "x", 1, 2, line);
    onnx_typed_value(&g, 12, "y", 1, 0, NULL);
    onnx_typed_value(&g, 12, "z", 1, 0, NULL);
    onnx_field(m, 8, "\x10\x15", 2);
    onnx_close_into(m, 7, &g);
    free(node.at);
    free(g.at);
    free(floats);
    free(fours);
}

/* Numbers of large tensors are read from a file when they are needed: it gives what its bytes in memory give,
 * whole, cut short anywhere, or with a byte changed. */
static void onnx_large_tensors(void)
{
    static const char file[] = "onnx-large.onnx";
    hy_frame *F = hy_open(NULL);
    onnx_text m = { NULL, 0, 0 };
    hy_block *net[2];
    hy_array *y[2], *x = hy_uniform(F, HY_SHAPE(1, 64), -1, 1);
    char why[300];
    size_t k, n;
    int i;
    onnx_large_model(&m);
    onnx_write_file(file, &m, m.n);
    net[0] = hy_onnx_load(F, file);
    net[1] = hy_onnx_from(F, m.at, m.n, NULL);
    for (i = 0; i < 2; i++) y[i] = net[i] ? hy_call(F, net[i], x) : NULL;
    if (!CHECK(y[0] && y[1] && !hy_error(F))) printf("    %s\n", hy_error(F) ? hy_error(F) : "no network");
    for (i = 0; i < 2 && !hy_error(F); i++) {
        hy_array *a = hy_get(F, y[0], i), *b = hy_get(F, y[1], i);
        CHECK(hy_size(F, a) == (i ? 256 * 160 : 128) && hy_item(F, hy_max(F, hy_abs(F, a), HY_ALL, NULL)) > 1);
        CHECK(!memcmp(hy_data(F, a), hy_data(F, b), (size_t)hy_size(F, a) * sizeof(float)));
    }
    for (i = 0; i < 2; i++) hy_block_free(F, net[i]);
    for (k = 0; k < 300; k++) {                 /* the ends of the file, and all along it */
        const size_t at = k < 60 ? k : k < 160 ? m.n - k + 59 : (k - 160) * m.n / 140;
        n = k % 2 ? at : m.n;
        if (k % 2 == 0) m.at[at] = (char)(m.at[at] ^ 1 << k % 7);
        onnx_write_file(file, &m, n);
        net[0] = hy_onnx_from(F, m.at, n, NULL);
        snprintf(why, sizeof why, "%s", hy_error(F) ? hy_error(F) + strlen("onnx: ") : "");
        hy_clear(F);
        net[1] = hy_onnx_load(F, file);
        CHECK(!net[0] == !net[1] && !hy_error(F) == !*why);
        if (hy_error(F) && n && !CHECK(strstr(hy_error(F), why) != NULL)) printf("    %s\n    %s\n", why, hy_error(F));
        hy_clear(F);
        for (i = 0; i < 2; i++) hy_block_free(F, net[i]);
        if (k % 2 == 0) m.at[at] = (char)(m.at[at] ^ 1 << k % 7);
    }
    remove(file);
    free(m.at);
    CHECK(hy_close(F) == 0 && onnx_blocks == 0);
}

static void test_onnx_built(void)
{
    RUN(onnx_large_tensors);
    RUN(onnx_declared_sizes);
    RUN(onnx_operators_written);
    RUN(onnx_names_that_are_taken);
    RUN(onnx_misused);
    RUN(onnx_scan_that_grows);
    RUN(onnx_short_chains);
    RUN(onnx_long_chain);
    RUN(onnx_many_inputs);
    RUN(onnx_names_of_one_hash);
    RUN(onnx_functions_that_double);
    RUN(onnx_large_numbers);
    RUN(onnx_rest_beside_none);
    RUN(onnx_transposed_sizes);
    RUN(onnx_borders_that_differ);
    RUN(onnx_ends_of_rows);
    RUN(onnx_rests);
    RUN(onnx_clipped_gates);
}
