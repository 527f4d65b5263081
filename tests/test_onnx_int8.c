/* Quantised ONNX files: products whose scales and zero points stand in the file become int8 operators. The same
 * nodes with a scale that is an input are worked out one by one; results are a step apart at most. */
#if !defined(HYBRID_NO_INT8) && !defined(HYBRID_NO_IO) && !defined(HYBRID_NO_VISION)
enum { OI_MOST = 12, OI_NUMBERS = 20000 };
typedef struct oi_tensor {
    char  name[24];
    int   kind, n, ndim, dims[4], given;        /* given: an input of the network */
    float f[OI_NUMBERS];
} oi_tensor;
typedef struct oi_model {
    onnx_text graph;
    oi_tensor t[OI_MOST];
    int       tensors;
    uint32_t  seed;
} oi_model;

static double oi_random(oi_model *m)            /* from 0 to 1 */
{
    m->seed = m->seed * 1664525u + 1013904223u;
    return (double)(m->seed >> 8) / 16777216.0;
}
static int oi_size(oi_model *m, int low, int high) { return low + (int)(oi_random(m) * (high - low + 1)); }

static oi_tensor *oi_add(oi_model *m, const char *name, int kind, int ndim, const int *dims, double low, double high)
{
    oi_tensor *t = &m->t[m->tensors++];
    int i;
    memset(t, 0, sizeof *t - sizeof t->f);
    strcpy(t->name, name);
    t->kind = kind;
    t->ndim = ndim;
    for (t->n = 1, i = 0; i < ndim; i++) t->n *= t->dims[i] = dims[i];
    for (i = 0; i < t->n; i++) {
        t->f[i] = (float)(low + oi_random(m) * (high - low));
        if (kind != 1) t->f[i] = floorf(t->f[i]);
    }
    return t;
}
static oi_tensor *oi_one(oi_model *m, const char *name, int kind, double v)
{
    oi_tensor *t = oi_add(m, name, kind, 0, NULL, 0, 0);
    t->f[0] = (float)v;
    return t;
}

static void oi_bytes(const oi_tensor *t, onnx_text *to)
{
    int i;
    for (i = 0; i < t->n; i++) {
        int32_t whole = (int32_t)t->f[i];
        if (t->kind == 1) onnx_add(to, &t->f[i], 4);
        else onnx_add(to, &whole, t->kind == 6 ? 4 : 1);
    }
}

/* op(inputs) -> out, with attributes; "" is an input left out. */
static void oi_node(oi_model *m, const char *op, const char *inputs, const char *outs, onnx_text *attrs)
{
    onnx_text n = { NULL, 0, 0 };
    char name[32];
    int which, k;
    const char *s;
    for (which = 0; which < 2; which++)
        for (s = which ? outs : inputs; s; s = strchr(s, ' ') ? strchr(s, ' ') + 1 : NULL) {
            for (k = 0; s[k] && s[k] != ' ' && k < 31; k++) name[k] = s[k];
            name[k] = 0;
            onnx_string(&n, 1 + which, strcmp(name, "-") ? name : "");
        }
    onnx_string(&n, 4, op);
    if (strstr(op, "QLinear") == op && strcmp(op, "QLinearConv") && strcmp(op, "QLinearMatMul"))
        onnx_string(&n, 7, "com.microsoft");
    if (attrs && attrs->n) onnx_add(&n, attrs->at, attrs->n);
    onnx_close_into(&m->graph, 1, &n);
    free(n.at);
}

static hy_block *oi_net(hy_frame *F, oi_model *m, int open)
{
    onnx_text g = { NULL, 0, 0 }, t = { NULL, 0, 0 }, raw = { NULL, 0, 0 };
    hy_block *net;
    int i, k;
    onnx_add(&g, m->graph.at, m->graph.n);
    for (i = 0; i < m->tensors; i++) {
        const oi_tensor *o = &m->t[i];
        if (o->given & (open ? 3 : 1)) { onnx_typed_value(&g, 11, o->name, o->kind, o->ndim, o->dims); continue; }
        for (k = 0; k < o->ndim; k++) { onnx_add(&t, "\x08", 1); onnx_varint(&t, (size_t)o->dims[k]); }
        onnx_add(&t, "\x10", 1);
        onnx_varint(&t, (size_t)o->kind);
        onnx_string(&t, 8, o->name);
        oi_bytes(o, &raw);
        onnx_close_into(&t, 9, &raw);
        onnx_close_into(&g, 5, &t);
    }
    onnx_typed_value(&g, 12, "y", 1, 0, NULL);
    net = onnx_model_of(F, &g, NULL);
    free(t.at);
    free(raw.at);
    return net;
}

static hy_array *oi_inputs(hy_frame *F, oi_model *m, int open)
{
    hy_array *given[OI_MOST];
    int i, k, n = 0;
    for (i = 0; i < m->tensors; i++) {
        const oi_tensor *t = &m->t[i];
        hy_shape s;
        if (!(t->given & (open ? 3 : 1))) continue;
        s.ndim = t->ndim;
        for (k = 0; k < t->ndim; k++) s.dim[k] = t->dims[k];
        given[n] = hy_from(F, s, HY_F32, t->f);
        if (t->kind != 1) given[n] = hy_cast(F, given[n], t->kind == 2 ? HY_U8 : HY_I8);
        n++;
    }
    return n == 1 ? given[0] : hy_group_of(F, n, given);
}
static hy_array *oi_call(hy_frame *F, hy_block *net, oi_model *m, int open)
{
    return hy_call(F, net, oi_inputs(F, m, open));
}

/* Saved and loaded it gives the same bytes. */
static int oi_saved(hy_frame *F, hy_block *net, oi_model *m, int open, hy_array *y)
{
    hy_array *x = oi_inputs(F, m, open), *file = hy_save_model_to(F, net, x), *again;
    hy_block *loaded = file ? hy_load_model_from(F, hy_data(F, file), (size_t)hy_size(F, file), 0) : NULL;
    if (!loaded) return 0;
    again = hy_call(F, loaded, x);
    return again && hy_dtype_of(F, again) == hy_dtype_of(F, y) && hy_size(F, again) == hy_size(F, y) &&
           !memcmp(hy_data(F, again), hy_data(F, y), (size_t)hy_size(F, y) * hy_dtype_size(hy_dtype_of(F, y)));
}

/* Written as ONNX and read again it gives the same within one step; of floats, of their data's. */
static int oi_written(hy_frame *F, hy_block *net, oi_model *m, hy_array *y, double slack)
{
    hy_array *x = oi_inputs(F, m, 0), *file = hy_onnx_to(F, net, x, 17), *again;
    hy_block *loaded = file ? hy_onnx_from(F, hy_data(F, file), (size_t)hy_size(F, file), NULL) : NULL;
    static float a[OI_NUMBERS], b[OI_NUMBERS];
    double worst = 0;
    int k;
    again = loaded ? hy_call(F, loaded, x) : NULL;
    if (!again || hy_dtype_of(F, again) != hy_dtype_of(F, y) || hy_size(F, again) != hy_size(F, y)) return 0;
    hy_to(F, again, HY_F32, a, sizeof a);
    hy_to(F, y, HY_F32, b, sizeof b);
    for (k = 0; k < hy_size(F, y); k++) worst = fmax(worst, fabs((double)a[k] - (double)b[k]));
    return worst <= slack;
}

/* What is worked out one by one beside what is an int8 operator, line by line and compiled. */
static void oi_same(oi_model *m, const char *what, int due)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = oi_net(F, m, 0), *other = oi_net(F, m, 1);
    hy_array *a, *b;
    int turn, k, ops = 0;
    static float x[OI_NUMBERS], y[OI_NUMBERS];
    for (turn = 0; turn < 2 && net && other; turn++) {
        double worst = 0, largest = 0;
        if (turn) hy_hybridize(F, net, NULL);
        a = oi_call(F, net, m, 0);
        b = oi_call(F, other, m, 1);
        if (!CHECK(a && b && hy_dtype_of(F, a) == hy_dtype_of(F, b) && hy_size(F, a) == hy_size(F, b) &&
                   hy_size(F, a) <= OI_NUMBERS)) break;
        hy_to(F, a, HY_F32, x, sizeof x);
        hy_to(F, b, HY_F32, y, sizeof y);
        for (k = 0; k < hy_size(F, a); k++) largest = fmax(largest, fabs(y[k]));
        for (k = 0; k < hy_size(F, a); k++) worst = fmax(worst, fabs((double)x[k] - (double)y[k]));
        if (!CHECK(worst <= (hy_dtype_of(F, a) == HY_F32 ? 1e-5 * largest + 1e-6 : 1)))
            printf("    %s, compiled %d: off by %g of %g\n", what, turn, worst, largest);
        if (turn && !CHECK(oi_saved(F, net, m, 0, a) && oi_saved(F, other, m, 1, b))) printf("    %s: saved\n", what);
        if (turn && !CHECK(oi_written(F, net, m, a, hy_dtype_of(F, a) == HY_F32 ? 1e-5 * largest + 1e-6 : 1)))
            printf("    %s: written as ONNX: %s\n", what, hy_error(F) ? hy_error(F) : "other numbers");
        if (turn) ops = quantize_ops(F, net, "int8_dense") + quantize_ops(F, net, "int8_convolution");
        if (turn && due >= 0 && !CHECK(ops == due)) printf("    %s: %d int8 operators\n", what, ops);
    }
    if (!CHECK(net && other && !hy_error(F))) printf("    %s: %s\n", what, hy_error(F) ? hy_error(F) : "no network");
    hy_clear(F);
    hy_close(F);
}

static void oi_open(oi_model *m, uint32_t seed)
{
    memset(&m->graph, 0, sizeof m->graph);
    m->tensors = 0;
    m->seed = seed * 2654435761u + 7;
}

static void oi_window(oi_model *m, onnx_text *attrs, int k, int groups)
{
    int64_t v[4];
    int pad = oi_size(m, 0, k - 1), i;
    const char *names[] = { "pads", "strides", "dilations" };
    int last[] = { pad, oi_size(m, 1, 2), oi_size(m, 1, 2) };
    for (i = 0; i < 3; i++) {
        onnx_text a = { NULL, 0, 0 };
        int d;
        for (d = 0; d < 4; d++) v[d] = last[i];
        onnx_string(&a, 1, names[i]);
        for (d = 0; d < (i ? 2 : 4); d++) { onnx_add(&a, "\x40", 1); onnx_varint(&a, (size_t)v[d]); }
        onnx_close_into(attrs, 5, &a);
        free(a.at);
    }
    onnx_int_of(attrs, "group", groups);
}

/* form 0: QLinear, 1: Quantize and Dequantize around it, 2: DynamicQuantizeLinear before it */
static void oi_draw(oi_model *m, uint32_t seed, int conv, int form, int *due)
{
    onnx_text attrs = { NULL, 0, 0 }, axis = { NULL, 0, 0 }, to = { NULL, 0, 0 };
    int kind, groups, many, channels, k = 1, n, filters, size[4], zero, over, wdims[4], even;
    oi_open(m, seed);
    kind = form == 2 ? 1 : 2 + (oi_random(m) < 0.3);
    groups = conv && oi_random(m) < 0.3 ? 2 : 1;
    many = oi_size(m, 1, 20);
    channels = oi_size(m, 1, 9);
    n = oi_size(m, 1, 2);
    if (groups > 1 && oi_random(m) < 0.6) {                     /* each channel by itself */
        groups = oi_size(m, 2, 37);
        channels = 1;
        many = oi_size(m, 1, 4) / 4 + 1;
    }
    filters = many * groups;
    over = form != 2 || !conv ? oi_random(m) < 0.5 : 0;         /* a scale for each filter */
    even = oi_random(m) < 0.5;                                 /* weights without sign, 128 stands for 0 */
    zero = oi_size(m, 0, 255) - (kind == 3 ? 128 : 0);
    if (conv) k = oi_size(m, 1, 5);
    size[0] = n;
    size[1] = conv ? channels * groups : channels + 3;
    size[2] = size[3] = oi_size(m, 6, 9) + (k > 3 ? 3 : 0);
    if (!conv) size[2] = channels * 3;
    wdims[0] = conv ? filters : size[2];
    wdims[1] = conv ? channels : filters;
    wdims[2] = wdims[3] = k;
    oi_add(m, "x", kind, conv ? 4 : 3, size, kind == 1 ? -2 : kind == 2 ? 0 : -128, kind == 1 ? 3 : kind == 2 ? 256 : 128)
        ->given = 1;
    if (form != 2) {
        oi_one(m, "xs", 1, 0.01 + 0.02 * oi_random(m))->given = 2;
        oi_one(m, "xz", kind, zero);
    }
    oi_add(m, "w", even ? 2 : 3, conv ? 4 : 2, wdims, even ? 0 : -128, even ? 256 : 128);
    oi_add(m, "ws", 1, over, &filters, 0.005, 0.02);
    if (form == 2) m->t[m->tensors - 1].given = 2;              /* so that it is not known */
    oi_add(m, "wz", even ? 2 : 3, over, &filters, even ? 128 : 0, even ? 128 : 0);
    *due = groups > 1 && channels < 4 && (channels > 1 || many > 1) ? 0 : 1;
    if (conv) oi_window(m, &attrs, k, groups);
    if (form < 2) {
        oi_one(m, "ys", 1, 0.02 + 0.1 * oi_random(m));
        oi_one(m, "yz", oi_random(m) < 0.5 ? 2 : 3, oi_size(m, 0, 100));
    }
    if (form == 0) {
        if (conv) oi_add(m, "b", 6, 1, &filters, -1000, 1000);
        oi_node(m, conv ? "QLinearConv" : "QLinearMatMul", conv ? "x xs xz w ws wz ys yz b" : "x xs xz w ws wz ys yz",
                "y", &attrs);
    } else if (form == 1) {
        const int relu = oi_random(m) < 0.3, open = oi_random(m) < 0.3;
        onnx_int_of(&axis, "axis", conv ? 0 : 1);
        if (conv) oi_add(m, "b", 1, 1, &filters, -1, 1);
        oi_node(m, "DequantizeLinear", "x xs xz", "xf", NULL);
        oi_node(m, "DequantizeLinear", "w ws wz", "wf", &axis);
        oi_node(m, conv ? "Conv" : "MatMul", conv ? "xf wf b" : "xf wf", relu ? "r" : open ? "y" : "c", &attrs);
        if (relu) oi_node(m, "Relu", "r", open ? "y" : "c", NULL);
        if (!open) oi_node(m, "QuantizeLinear", "c ys yz", "y", NULL);
    } else {
        onnx_int_of(&to, "to", 1);
        oi_node(m, "DynamicQuantizeLinear", "x", "xq xs xz", NULL);
        oi_node(m, conv ? "ConvInteger" : "MatMulInteger", "xq w xz wz", "i", &attrs);
        oi_node(m, "Cast", "i", "c", &to);
        oi_node(m, "Mul", "xs ws", "s", NULL);
        oi_node(m, "Mul", "c s", conv ? "y" : "p", NULL);
        if (!conv) {
            oi_add(m, "b", 1, 1, &filters, -1, 1);
            oi_node(m, "Add", "p b", "q", NULL);
            oi_node(m, "Relu", "q", "y", NULL);
        }
    }
    free(attrs.at);
    free(axis.at);
    free(to.at);
}

static void onnx_int8_products(void)
{
    static oi_model m;
    int number, form, conv, due;
    char what[64];
    for (form = 0; form < 3; form++)
        for (conv = 0; conv < 2; conv++)
            for (number = 0; number < 40; number++) {
                oi_draw(&m, (uint32_t)(number + 100 * form + 1000 * conv), conv, form, &due);
                snprintf(what, sizeof what, "form %d, conv %d, number %d", form, conv, number);
                oi_same(&m, what, due);
                free(m.graph.at);
            }
}

/* Other batches by the same trace, with the bytes of programs that were compiled for them. */
static void onnx_int8_batches(void)
{
    static const int more[] = { 0, 2, 1, 3, 2 };
    static oi_model m;
    int form, conv, number, due, k, n, traces = 0, models = 0;
    for (form = 0; form < 3; form++)
        for (conv = 0; conv < 2; conv++)
            for (number = 0; number < 10; number++) {
                hy_frame *F = tb_threads(1);
                hy_hybridize_opt opt = { 0 };
                hy_block *net, *fresh;
                int own;
                oi_draw(&m, (uint32_t)(number + 100 * form + 1000 * conv), conv, form, &due);
                own = m.t[0].dims[0];
                m.t[0].dims[0] = -1;
                net = oi_net(F, &m, 0);
                fresh = oi_net(F, &m, 0);
                hy_hybridize(F, net, NULL);
                opt.off = HY_PASS_SIZES;
                hy_hybridize(F, fresh, &opt);
                for (k = 0; k < 5; k++) {
                    hy_array *y, *z;
                    hy_begin(F);
                    m.t[0].dims[0] = own + 1 + more[k];
                    for (m.t[0].n = n = 1; n <= m.t[0].ndim; n++) m.t[0].n *= m.t[0].dims[n - 1];
                    y = oi_call(F, net, &m, 0);
                    z = oi_call(F, fresh, &m, 0);
                    if (!CHECK(y && z && passes_same(F, y, z)))
                        printf("    form %d, conv %d, number %d, batch %d: %s\n", form, conv, number, m.t[0].dims[0],
                               hy_error(F) ? hy_error(F) : "other bytes");
                    hy_end(F);
                }
                traces += (int)hy_cache_info(F, net).traces;
                models++;
                OK(F);
                hy_close(F);
                free(m.graph.at);
            }
    if (!CHECK(traces == models)) printf("    %d traces of %d models\n", traces, models);
}

/* What stands between products: an operator, its second operand, in which form; how many operators of ours. */
static void onnx_int8_between(void)
{
    static const struct { const char *op; int second, table, add; } ops[] = {  /* second: 1 alike, 2 one number, 3 of channels */
        { "Relu", 0, 1, 0 }, { "HardSwish", 0, 1, 0 }, { "Sigmoid", 0, 1, 0 }, { "LeakyRelu", 0, 1, 0 }, { "Tanh", 0, 1, 0 },
        { "Add", 1, 0, 1 }, { "Mul", 1, 0, 1 }, { "Add", 3, 0, 1 }, { "Mul", 3, 0, 1 }, { "Add", 4, 0, 1 },
        { "Add", 2, 1, 0 }, { "Sub", 2, 1, 0 }, { "Div", 2, 1, 0 }, { "Sub", 1, 0, 0 }, { "Concat", 1, -1, 0 },
        { "MaxPool", 0, 1, 0 }, { "Flatten", 0, 1, 0 }, { "Transpose", 0, 1, 0 }, { "Identity", 0, 1, 0 } };
    static oi_model m;
    size_t i;
    int number;
    for (i = 0; i < sizeof ops / sizeof *ops; i++)
        for (number = 0; number < 6; number++) {
            onnx_text attrs = { NULL, 0, 0 };
            const int kind = 2 + number % 2, second = ops[i].second, chain = number % 3 == 2 && ops[i].table == 1 && second != 1;
            int size[4] = { 2, 3, 5, 4 }, wide[4] = { 1, 3, 1, 1 }, k;
            char what[64];
            hy_frame *F = hy_open(NULL);
            hy_block *net;
            oi_open(&m, (uint32_t)(number + 100 * i));
            oi_add(&m, "x", kind, 4, size, kind == 2 ? 0 : -128, kind == 2 ? 256 : 128)->given = 1;
            oi_one(&m, "xs", 1, 0.01 + 0.02 * oi_random(&m))->given = 2;
            oi_one(&m, "xz", kind, oi_size(&m, 0, 100));
            oi_node(&m, "DequantizeLinear", "x xs xz", "xf", NULL);
            if (second == 1 || second > 2) {
                oi_add(&m, "b", kind, 4, second == 3 ? wide : size, 0, 128)->given = 1;
                if (second == 4) oi_add(&m, "c", kind, 2, size + 2, 0, 128)->given = 1;
                oi_one(&m, "bs", 1, 0.01 + 0.02 * oi_random(&m));
                oi_one(&m, "bz", kind, oi_size(&m, 0, 100));
                oi_node(&m, "DequantizeLinear", second == 4 ? "c bs bz" : "b bs bz", "bf", NULL);
            } else if (second) oi_one(&m, "bf", 1, 0.5 + oi_random(&m));
            if (!strcmp(ops[i].op, "Concat")) onnx_int_of(&attrs, "axis", 1);
            if (!strcmp(ops[i].op, "MaxPool")) {
                onnx_text a = { NULL, 0, 0 };
                onnx_string(&a, 1, "kernel_shape");
                onnx_add(&a, "\x40\x02\x40\x02", 4);
                onnx_close_into(&attrs, 5, &a);
                free(a.at);
            }
            oi_node(&m, ops[i].op, second ? "xf bf" : "xf", chain ? "e" : "f", &attrs);
            if (chain) oi_node(&m, "Sigmoid", "e", "f", NULL);
            oi_one(&m, "ys", 1, 0.004 + 0.1 * oi_random(&m));
            oi_one(&m, "yz", number < 3 ? 2 : 3, oi_size(&m, 0, 100));
            oi_node(&m, "QuantizeLinear", "f ys yz", "y", NULL);
            snprintf(what, sizeof what, "%s %d, number %d", ops[i].op, second, number);
            oi_same(&m, what, -1);
            net = oi_net(F, &m, 0);
            hy_hybridize(F, net, NULL);
            oi_call(F, net, &m, 0);
            k = quantize_ops(F, net, "int8_table");
            if (!chain && ops[i].table >= 0 && !CHECK(k == ops[i].table)) printf("    %s: %d tables\n", what, k);
            k = quantize_ops(F, net, "int8_add");
            if (!CHECK(k == ops[i].add)) printf("    %s: %d sums\n", what, k);
            hy_close(F);
            free(m.graph.at);
            free(attrs.at);
        }
}

/* where(isnan(x), number, x), x of 8 bits, is x, as far as dims are known; and what is nearly that. */
static void onnx_int8_never_nan(void)
{
    static const struct { const char *in; int ndim, dim, soft, wheres; } cases[] = {
        { "n c f", 0, 0, 0, 0 }, { "n c f", 0, 0, 1, 0 }, { "n c f", 1, 1, 1, 0 }, { "n c f", 1, 1, 0, 1 },
        { "n c f", 1, 4, 1, 1 }, { "n f c", 0, 0, 0, 1 }, { "n c e", 0, 0, 0, 1 } };
    static oi_model m;
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int size[4] = { 2, 3, 5, 4 };
        char what[32];
        hy_frame *F = hy_open(NULL);
        hy_block *net;
        oi_open(&m, (uint32_t)i);
        oi_add(&m, "x", 2, 4, size, 0, 256)->given = 1;
        oi_one(&m, "xs", 1, 0.02)->given = 2;
        oi_one(&m, "xz", 2, 7);
        oi_one(&m, "ss", 1, 1 / 255.0);
        oi_one(&m, "sz", 2, 0);
        oi_add(&m, "c", 1, cases[i].ndim, &cases[i].dim, -1, 1);
        oi_node(&m, "DequantizeLinear", "x xs xz", cases[i].soft ? "xf" : "f", NULL);
        if (cases[i].soft) {
            oi_node(&m, "Softmax", "xf", "s", NULL);
            oi_node(&m, "QuantizeLinear", "s ss sz", "q", NULL);
            oi_node(&m, "DequantizeLinear", "q ss sz", "f", NULL);
        }
        oi_node(&m, "IsNaN", "f", "n", NULL);
        oi_node(&m, "Neg", "f", "e", NULL);
        oi_node(&m, "Where", cases[i].in, "w", NULL);
        oi_one(&m, "ys", 1, 0.01);
        oi_one(&m, "yz", 2, 100);
        oi_node(&m, "QuantizeLinear", "w ys yz", "y", NULL);
        snprintf(what, sizeof what, "never NaN, number %d", (int)i);
        oi_same(&m, what, -1);
        net = oi_net(F, &m, 0);
        hy_hybridize(F, net, NULL);
        oi_call(F, net, &m, 0);
        if (!CHECK(quantize_ops(F, net, "where") == cases[i].wheres))
            printf("    %s: %d of where\n", what, quantize_ops(F, net, "where"));
        CHECK(hy_close(F) == 0);
        free(m.graph.at);
    }
}

/* Of a hybrid network's own name a file has nothing. */
/* What hy_quantize made, of floats, is written with its weights as the file has them, and is int8 again. */
static void onnx_int8_written(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = quantize_net(F), *small, *again;
    hy_array *x = quantize_images(F), *y, *z, *file;
    double most;
    hy_call(F, net, x);
    small = hy_quantize(F, net, x, &quantize_all);
    y = small ? hy_call(F, small, x) : NULL;
    file = y ? hy_onnx_to(F, small, x, 17) : NULL;
    again = file ? hy_onnx_from(F, hy_data(F, file), (size_t)hy_size(F, file), NULL) : NULL;
    if (again) hy_hybridize(F, again, NULL);
    z = again ? hy_call(F, again, x) : NULL;
    if (CHECK(z && hy_size(F, z) == hy_size(F, y))) {
        most = hy_item(F, hy_max(F, hy_abs(F, y), HY_ALL, NULL));
        CHECK(hy_item(F, hy_max(F, hy_abs(F, hy_sub(F, y, z)), HY_ALL, NULL)) < 0.02 * most);
        CHECK(quantize_ops(F, again, "int8_convolution") == 4 && quantize_ops(F, again, "int8_dense") == 2);
        CHECK(hy_size(F, file) < 1.5 * (double)hy_size(F, hy_save_model_to(F, small, x)));  /* no weight is there twice */
    }
    CHECK_STR(hy_error(F), NULL);
    hy_clear(F);
    hy_close(F);
}

/* What hy_quantize left in f32 is f32 in the file, and when it is read. */
static void onnx_int8_left(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = quantize_uneven(F), *small, *again;
    hy_array *x = quantize_noise(F, HY_SHAPE(2, 3, 8, 8)), *y, *z, *file;
    small = hy_quantize(F, net, x, NULL);
    y = small ? hy_call(F, small, x) : NULL;
    file = y ? hy_onnx_to(F, small, x, 17) : NULL;
    again = file ? hy_onnx_from(F, hy_data(F, file), (size_t)hy_size(F, file), NULL) : NULL;
    if (again) hy_hybridize(F, again, NULL);
    z = again ? hy_call(F, again, x) : NULL;
    if (CHECK(z && quantize_mixed(F, again)))
        CHECK(hy_item(F, hy_max(F, hy_abs(F, hy_sub(F, y, z)), HY_ALL, NULL)) <
              0.02 * hy_item(F, hy_max(F, hy_abs(F, y), HY_ALL, NULL)));
    CHECK_STR(hy_error(F), NULL);
    hy_clear(F);
    hy_close(F);
}

/* Data beyond the threshold are cut where the file's QuantizeLinear cuts them: 127 above, 128 below. */
static void onnx_int8_beyond(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_dense(F, 20, NULL), *small, *again;
    hy_array *x = quantize_noise(F, HY_SHAPE(3, 80)), *far = hy_mul_scalar(F, x, 3), *y, *z, *file;
    hy_initialize(F, net, NULL);
    hy_call(F, net, x);
    small = hy_quantize(F, net, x, NULL);
    file = small ? hy_onnx_to(F, small, x, 17) : NULL;
    again = file ? hy_onnx_from(F, hy_data(F, file), (size_t)hy_size(F, file), NULL) : NULL;
    if (again) hy_hybridize(F, again, NULL);
    y = small ? hy_call(F, small, far) : NULL;
    z = again ? hy_call(F, again, far) : NULL;
    if (CHECK(z && quantize_ops(F, again, "int8_dense") == 1))
        CHECK(hy_item(F, hy_max(F, hy_abs(F, hy_sub(F, y, z)), HY_ALL, NULL)) <
              1e-6 * hy_item(F, hy_max(F, hy_abs(F, y), HY_ALL, NULL)));
    CHECK_STR(hy_error(F), NULL);
    hy_clear(F);
    hy_close(F);
}

typedef struct oi_turning { hy_block base; hy_array *weight, *scale; int sums; } oi_turning;
/* A scale below 0 turns the weights of its row, where none of them is -128; sums have no scale. */
static hy_array *onnx_int8_turning(hy_frame *F, hy_block *self, hy_array *x)
{
    const oi_turning *t = (const oi_turning *)(const void *)self;
    static const char *const attrs[] = { "num_hidden=2 threshold=2 no_bias=True", "num_hidden=2 threshold=2 no_bias=True out_dtype=int32" };
    hy_array *in[3];
    in[0] = x;
    in[1] = t->weight;
    in[2] = t->scale;
    return hy_apply(F, "int8_dense", 3, in, attrs[t->sums]);
}
static void onnx_int8_turned(void)
{
    hy_frame *F = hy_open(NULL);
    static const float scales[2] = { 0.5f, -0.25f }, row[4] = { 1, -2, 0.5f, 1.5f };
    signed char weight[64] = { 0 };
    int k, least;
    for (k = 0; k < 8; k++) weight[k] = (signed char)(k * 5 - 16);      /* two rows of four */
    for (k = 0; k < 4; k++) {
        oi_turning *t = HY_BLOCK_NEW(F, oi_turning, onnx_int8_turning);
        hy_array *x = hy_from(F, HY_SHAPE(1, 4), HY_F32, row), *y, *z, *file;
        hy_block *again;
        t->sums = k % 2;
        weight[4] = (signed char)((least = k / 2) ? -128 : 4);
        t->weight = hy_keep(F, hy_from(F, HY_SHAPE(1, 1, 16, 4), HY_I8, weight));
        t->scale = hy_keep(F, hy_from(F, HY_SHAPE(2), HY_F32, scales));
        y = hy_call(F, &t->base, x);
        file = y ? hy_onnx_to(F, &t->base, x, 17) : NULL;
        if (least && !t->sums) {
            CHECK(y && !file && hy_error(F) && strstr(hy_error(F), "a scale below 0 beside a weight of -128"));
            hy_clear(F);
            continue;
        }
        again = file ? hy_onnx_from(F, hy_data(F, file), (size_t)hy_size(F, file), NULL) : NULL;
        z = again ? hy_call(F, again, x) : NULL;
        CHECK(z && hy_value(F, y, 0, 0) * hy_value(F, y, 0, 1) != 0);
        CHECK(z && fabs(hy_value(F, z, 0, 0) - hy_value(F, y, 0, 0)) < 1e-4 && fabs(hy_value(F, z, 0, 1) - hy_value(F, y, 0, 1)) < 1e-4);
    }
    CHECK_STR(hy_error(F), NULL);
    hy_close(F);
}

static void onnx_int8_refused(void)
{
    static oi_model m;
    hy_frame *F = hy_open(NULL);
    hy_block *net;
    onnx_text n = { NULL, 0, 0 };
    int size[1] = { 3 };
    oi_open(&m, 1);
    oi_add(&m, "x", 1, 1, size, 0, 1)->given = 1;
    onnx_node_of(&m.graph, 1, "whole numbers", "hybrid.h", "x", "y");
    net = oi_net(F, &m, 0);
    if (net) oi_call(F, net, &m, 0);
    CHECK(hy_error(F) && strstr(hy_error(F), "whole numbers"));
    hy_clear(F);
    hy_close(F);
    free(m.graph.at);
    free(n.at);
}

/* ONNX Runtime's operators of 8 bits: the same where a scale is an input as where all are in the file. */
static void onnx_int8_qlinear(void)
{
    static const struct { const char *op; int inputs, table, add; } ops[] = {
        { "QLinearAdd", 2, 0, 1 }, { "QLinearMul", 2, 0, 1 }, { "QLinearSigmoid", 1, 1, 0 }, { "QLinearLeakyRelu", 1, 1, 0 },
        { "QLinearSoftmax", 1, 0, 0 }, { "QLinearAveragePool", 1, 0, 0 }, { "QLinearGlobalAveragePool", 1, 0, 0 },
        { "QLinearConcat", 3, 3, 0 } };
    static oi_model m;
    const int size[4] = { 2, 3, 5, 4 };
    size_t i;
    int number, k;
    for (i = 0; i < sizeof ops / sizeof *ops; i++)
        for (number = 0; number < 4; number++) {
            static const char *const two = "x xs xz x1 x1s x1z ys yz", *const all = "ys yz x xs xz x1 x1s x1z x2 x2s x2z";
            const int kind = 2 + number % 2;
            onnx_text attrs = { NULL, 0, 0 };
            hy_frame *F = hy_open(NULL);
            hy_block *net;
            char what[64];
            oi_open(&m, (uint32_t)(number + 50 * i));
            for (k = 0; k < ops[i].inputs; k++) {
                oi_add(&m, k == 0 ? "x" : k == 1 ? "x1" : "x2", kind, 4, size, kind == 2 ? 0 : -128, kind == 2 ? 256 : 128)
                    ->given = 1;
                oi_one(&m, k == 0 ? "xs" : k == 1 ? "x1s" : "x2s", 1, 0.01 + 0.02 * oi_random(&m))->given = k ? 0 : 2;
                oi_one(&m, k == 0 ? "xz" : k == 1 ? "x1z" : "x2z", kind, oi_size(&m, 0, 100));
            }
            oi_one(&m, "ys", 1, 0.004 + 0.05 * oi_random(&m));
            oi_one(&m, "yz", kind, oi_size(&m, 0, 100));
            if (!strcmp(ops[i].op, "QLinearConcat")) onnx_int_of(&attrs, "axis", 2);
            if (!strcmp(ops[i].op, "QLinearAveragePool")) {
                onnx_text a = { NULL, 0, 0 };
                onnx_string(&a, 1, "kernel_shape");
                onnx_add(&a, "\x40\x02\x40\x03", 4);
                onnx_close_into(&attrs, 5, &a);
                free(a.at);
            }
            oi_node(&m, ops[i].op, ops[i].inputs == 3 ? all : ops[i].inputs == 2 ? two : "x xs xz ys yz", "y", &attrs);
            snprintf(what, sizeof what, "%s, number %d", ops[i].op, number);
            oi_same(&m, what, -1);
            net = oi_net(F, &m, 0);
            hy_hybridize(F, net, NULL);
            oi_call(F, net, &m, 0);
            k = quantize_ops(F, net, "int8_table");
            if (!CHECK(k == ops[i].table)) printf("    %s: %d tables\n", what, k);
            k = quantize_ops(F, net, "int8_add");
            if (!CHECK(k == ops[i].add)) printf("    %s: %d sums\n", what, k);
            hy_clear(F);
            hy_close(F);
            free(m.graph.at);
            free(attrs.at);
        }
}

/* Reads and calls it; what comes of that is the frame's error. */
static void oi_tried(hy_frame *F, oi_model *m, int compiled)
{
    hy_block *net = oi_net(F, m, 0);
    if (net && compiled) hy_hybridize(F, net, NULL);
    if (net) oi_call(F, net, m, 0);
}

/* Scales that are no steps, zero points of another type, an axis that is not there: by name, in either mode. */
static void oi_refuses(int conv, const char *what, double scale, int kind, int axis, const char *says)
{
    static oi_model m;
    const int size[4] = { 1, 2, 5, 5 }, w[4] = { 3, 2, 3, 3 }, three = 3;
    onnx_text along = { NULL, 0, 0 };
    int turn;
    for (turn = 0; turn < 2; turn++) {
        hy_frame *F = hy_open(NULL);
        oi_open(&m, 5);
        oi_add(&m, "x", 2, 4, size, 0, 256)->given = 1;
        oi_one(&m, "xs", 1, scale);
        oi_one(&m, "xz", kind, 3);
        oi_add(&m, "w", 3, 4, w, -128, 128);
        oi_add(&m, "ws", 1, 1, &three, 0.01, 0.02);
        oi_one(&m, "wz", 3, 0);
        oi_one(&m, "ys", 1, 0.1);
        oi_one(&m, "yz", 2, 3);
        if (conv) oi_node(&m, "QLinearConv", "x xs xz w ws wz ys yz", "y", NULL);
        else {
            onnx_int_of(&along, "axis", axis);
            oi_node(&m, "DequantizeLinear", "x xs xz", "f", NULL);
            oi_node(&m, "DequantizeLinear", "w ws", "wf", &along);
            oi_node(&m, "Conv", "f wf", "y", NULL);
            along.n = 0;
        }
        oi_tried(F, &m, turn);
        if (!CHECK(hy_error(F) && strstr(hy_error(F), says)))
            printf("    %s, compiled %d: %s\n", what, turn, hy_error(F) ? hy_error(F) : "no error");
        hy_clear(F);
        hy_close(F);
        free(m.graph.at);
    }
    free(along.at);
}
static void onnx_int8_scales_due(void)
{
    static const double wrong[] = { 0, -0.5, INFINITY, NAN };
    size_t i;
    int conv;
    for (conv = 0; conv < 2; conv++) {
        for (i = 0; i < sizeof wrong / sizeof *wrong; i++)
            oi_refuses(conv, "scale", wrong[i], 2, 0, "input 1, a scale, has");
        oi_refuses(conv, "zero point", 0.1, 3, 0, "a zero point of int8");
    }
    oi_refuses(0, "axis", 0.1, 2, 7, "axis");
    oi_refuses(0, "axis", 0.1, 2, 1, "3 scales or zero points for 2 numbers of axis 1");
}

/* The same of every operator with scales or zero points: one of them is spoilt, by a number or by its type. */
static void oi_spoilt(const char *op, const char *inputs, const char *which, double value, int axis, const char *says)
{
    static oi_model m;
    const int conv = strstr(op, "Conv") != NULL, product = strstr(op, "MatMul") != NULL;
    const int x[4] = { 1, 2, 5, 5 }, filters[4] = { 3, 2, 3, 3 }, flat[2] = { 2, 3 }, turned[2] = { 3, 2 };
    onnx_text along = { NULL, 0, 0 };
    int turn;
    for (turn = 0; turn < 2; turn++) {
        hy_frame *F = hy_open(NULL);
        oi_open(&m, 7);
        oi_add(&m, "x", 2, conv ? 4 : 2, conv ? x : flat, 0, 256)->given = 1;
        oi_add(&m, "w", 3, conv ? 4 : 2, conv ? filters : product ? turned : flat, -128, 128);
        oi_one(&m, "xs", 1, strcmp(which, "xs") ? 0.1 : value);
        oi_one(&m, "ws", 1, strcmp(which, "ws") ? 0.02 : value);
        oi_one(&m, "ys", 1, strcmp(which, "ys") ? 0.3 : value);
        oi_one(&m, "xz", strcmp(which, "xz") ? 2 : 3, 3);
        oi_one(&m, "wz", strcmp(which, "wz") ? 3 : 2, 0);
        oi_one(&m, "yz", 2, 5);
        if (strstr(op, "Concat")) onnx_int_of(&along, "axis", axis);
        oi_node(&m, op, inputs, "y", &along);
        oi_tried(F, &m, turn);
        if (!CHECK(says ? hy_error(F) && strstr(hy_error(F), op) && strstr(hy_error(F), says) : !hy_error(F)))
            printf("    %s, %s of %g, compiled %d: %s\n", op, which, value, turn, hy_error(F) ? hy_error(F) : "no error");
        hy_clear(F);
        hy_close(F);
        free(m.graph.at);
        along.n = 0;
    }
    free(along.at);
}
static void onnx_int8_steps_due(void)
{
    static const double wrong[] = { 0, -0.5, INFINITY, NAN };
    static const char *const two = "x xs xz w ws wz ys yz";
    static const char *const steps[] = { "xs", "ws", "ys" };
    const struct { const char *op, *inputs; } ops[] = {
        { "QLinearConv", two }, { "QLinearMatMul", two }, { "QLinearAdd", two }, { "QLinearMul", two },
        { "QLinearConcat", "ys yz x xs xz w ws wz" }, { "QLinearSigmoid", "x xs xz ys yz" },
        { "ConvInteger", "x w xz wz" }, { "MatMulInteger", "x w xz wz" } };
    size_t k, i, s;
    for (k = 0; k < sizeof ops / sizeof *ops; k++) {
        const char *op = ops[k].op, *in = ops[k].inputs;
        oi_spoilt(op, in, "nothing", 0, 1, NULL);
        for (s = 0; s < 3; s++)
            for (i = 0; strstr(in, steps[s]) && i < sizeof wrong / sizeof *wrong; i++)
                oi_spoilt(op, in, steps[s], wrong[i], 1, "a scale, has");
        oi_spoilt(op, in, "xz", 0, 1, "zero point");
        if (strstr(in, "wz")) oi_spoilt(op, in, "wz", 0, 1, "zero point");
    }
    oi_spoilt("QLinearConcat", ops[4].inputs, "nothing", 0, 2, "axis");
    oi_spoilt("QLinearConcat", ops[4].inputs, "nothing", 0, -3, "axis");
}

static void test_onnx_int8(void)
{
    RUN(onnx_int8_scales_due);
    RUN(onnx_int8_steps_due);
    RUN(onnx_int8_qlinear);
    RUN(onnx_int8_batches);
    RUN(onnx_int8_between);
    RUN(onnx_int8_never_nan);
    RUN(onnx_int8_turned);
    RUN(onnx_int8_refused);
    RUN(onnx_int8_written);
    RUN(onnx_int8_left);
    RUN(onnx_int8_beyond);
    RUN(onnx_int8_products);
}
#else
static void test_onnx_int8(void) { }
#endif
