/* Proves that types flow: forward, backward from known outputs, through whole graphs, into clear
 * contradictions. Shapes are written "(2,?,3)"; "?" alone is a shape of which nothing is known. Where the
 * shapes belong to the behaviour of a layer (numbers refer to section 8 of the MXNet dossier), a few values
 * are proven beside them. */

/* --- shapes as text --- */
static hy_shape infer_shape(const char **text)
{
    hy_shape s = hy__no_shape();
    const char *p = *text;
    char *end;
    while (*p == ' ') p++;
    if (*p == '?') { *text = p + 1; return s; }
    for (s.ndim = 0, p++; *p != ')'; p += *p == ',') {
        s.dim[s.ndim++] = *p == '?' ? -1 : strtoll(p, &end, 10);
        p = *p == '?' ? p + 1 : end;
    }
    *text = p + 1;
    return s;
}

static void infer_put(char *text, size_t bytes, const hy_shape *s)
{
    size_t n = strlen(text);
    int d;
    if (s->ndim < 0) { snprintf(text + n, bytes - n, "?"); return; }
    for (d = 0; d < s->ndim || d == 0; d++) {
        n = strlen(text);
        if (d < s->ndim && s->dim[d] >= 0)
            snprintf(text + n, bytes - n, "%s%d", d ? "," : "(", (int)s->dim[d]);
        else snprintf(text + n, bytes - n, "%s%s", d ? "," : "(", s->ndim ? "?" : "");
    }
    n = strlen(text);
    snprintf(text + n, bytes - n, ")");
}

/* --- one operator: infer("Flatten", "", "(2,3,4)", "?") gives "(2,3,4) -> (2,12)" or the error --- */
static const char *infer_run(const char *name, const char *attrs, const char *in, const char *out,
                             const hy_dtype *dtypes)
{
    static char text[512];
    union { double align[128]; char bytes[1]; } record;
    hy_frame *F = hy_open(NULL);
    const hy_op *op = hy_op_find(F, name);
    char room[512], *key, *value;
    hy__call c;
    hy_type given[16];
    uint64_t seen = 0;
    int i, nin = 0;
    memset(&given, 0, sizeof given);
    text[0] = 0;
    for (; strpbrk(in, "?("); nin++) given[nin].shape = infer_shape(&in);
    for (i = 0; dtypes && i < nin; i++) given[i].dtype = dtypes[i];
    hy__record_clear(op, &record);
    while ((attrs = hy__next_attribute(attrs, room, sizeof room, &key, &value)) != NULL)
        hy__parse_attribute(F, op, &record, key, value, &seen);
    if (!hy_error(F) && hy__check_count(F, op, nin, &record) && !hy__call_open(F, &c, op, nin, &record)) {
        memcpy(c.type, given, (size_t)nin * sizeof *given);
        for (i = 0; i < c.nout && strpbrk(out, "?("); i++) c.type[nin + i].shape = infer_shape(&out);
        hy__infer_call(F, &c, op, &record, NULL);
        for (i = 0; i < nin + c.nout; i++) {
            if (i >= nin && c.hidden[i - nin]) continue;
            if (i) strcat(text, i == nin ? " -> " : " ");
            if (dtypes) strcat(text, hy_dtype_name(c.type[i].dtype));
            else infer_put(text, sizeof text, &c.type[i].shape);
        }
        hy__call_close(F, &c);
    }
    if (hy_error(F)) snprintf(text, sizeof text, "%s", hy_error(F));
    hy_close(F);
    return text;
}

static const char *infer(const char *name, const char *attrs, const char *in, const char *out)
{
    return infer_run(name, attrs, in, out, NULL);
}

static void infer_clash(const char *name, const char *attrs, const char *in, const char *out, const char *a,
                        const char *b)
{
    const char *text = infer(name, attrs, in, out);
    if (!CHECK(strstr(text, a) && strstr(text, b)))
        printf("    %s: \"%s\" should name %s and %s\n", name, text, a, b);
}

/* --- a whole graph: every node's infer, over and over, until nothing is learnt --- */
static hy_array *infer_var(hy_frame *S, const char *shape)
{
    hy_var_opt opt;
    memset(&opt, 0, sizeof opt);
    opt.shaped = 1;
    opt.shape = infer_shape(&shape);
    return hy_var(S, "v", &opt);
}

static int infer_learn(hy_type *to, const hy_type *from)
{
    int news = to->dtype != from->dtype || !hy__same_shape(&to->shape, &from->shape);
    *to = *from;
    return news;
}

static void infer_everything(hy_frame *S)
{
    hy__nodes *store = hy__store_of(S);
    int i, k, news = 1;
    while (news && !hy_error(S))
        for (news = i = 0; i < store->n; i++) {
            hy__node *node = store->node[i];
            hy__call c;
            if (!node->op || hy__call_open(S, &c, node->op, node->nin, node->record)) continue;
            for (k = 0; k < node->nin; k++) c.type[k] = node->in[k].node->type[node->in[k].output];
            memcpy(c.type + node->nin, node->type, (size_t)node->nout * sizeof *node->type);
            if (!hy__infer_call(S, &c, node->op, node->record, NULL)) {
                for (k = 0; k < node->nin; k++)
                    news |= infer_learn(&node->in[k].node->type[node->in[k].output], &c.type[k]);
                for (k = 0; k < node->nout; k++) news |= infer_learn(&node->type[k], &c.type[node->nin + k]);
            }
            hy__call_close(S, &c);
        }
}

static const char *infer_of(hy_frame *S, hy_array *x)
{
    static char text[256];
    text[0] = 0;
    infer_everything(S);
    if (hy_error(S)) return hy_error(S);
    infer_put(text, sizeof text, &x->node->type[x->output].shape);
    return text;
}

/* --- values --- */
static void infer_values(hy_frame *F, hy_array *x, int n, const double *want, double tolerance)
{
    double got[64];
    int i;
    if (!CHECK(x && hy_size(F, x) == n)) {
        if (hy_error(F)) printf("    %s\n", hy_error(F));
        hy_clear(F);
        return;
    }
    hy_to(F, x, HY_F64, got, sizeof got);
    for (i = 0; i < n; i++) CHECK_NEAR(got[i], want[i], tolerance);
}
#define INFER_VALUES(F, x, tolerance, ...) \
    do { const double want_[] = { __VA_ARGS__ }; \
         infer_values(F, x, (int)(sizeof want_ / sizeof *want_), want_, tolerance); } while (0)

static hy_array *infer_apply(hy_frame *F, const char *name, const char *attrs, hy_array *a, hy_array *b,
                             hy_array *c)
{
    hy_array *in[3];
    in[0] = a;
    in[1] = b;
    in[2] = c;
    return hy_apply(F, name, c ? 3 : b ? 2 : 1, in, attrs);
}

/* --- convolution and pooling --- */
static void infer_convolution_by_formula(void)          /* 44 */
{
    CHECK_STR(infer("Convolution", "kernel=(3,) num_filter=16", "(4,3,10) ? ?", "?"),
              "(4,3,10) (16,3,3) (16) -> (4,16,8)");
    CHECK_STR(infer("Convolution", "kernel=(3,3) num_filter=16 stride=(2,2)", "(4,3,10,11) ? ?", "?"),
              "(4,3,10,11) (16,3,3,3) (16) -> (4,16,4,5)");
    CHECK_STR(infer("Convolution", "kernel=(3,3) num_filter=16 pad=(1,2)", "(4,3,10,11) ? ?", "?"),
              "(4,3,10,11) (16,3,3,3) (16) -> (4,16,10,13)");
    CHECK_STR(infer("Convolution", "kernel=(3,3) num_filter=16 dilate=(2,3)", "(4,3,10,11) ? ?", "?"),
              "(4,3,10,11) (16,3,3,3) (16) -> (4,16,6,5)");
    CHECK_STR(infer("Convolution", "kernel=(1,8,4) num_filter=16", "(4,3,10,10,10) ? ?", "?"),
              "(4,3,10,10,10) (16,3,1,8,4) (16) -> (4,16,10,3,7)");
    CHECK_STR(infer("Convolution", "kernel=(5,) num_filter=4 stride=(3,) pad=(2,) dilate=(2,)",
                    "(1,2,20) ? ?", "?"),
              "(1,2,20) (4,2,5) (4) -> (1,4,6)");
    infer_clash("Convolution", "kernel=(1,) num_filter=1073741824 num_group=1073741824 no_bias=True",
                "? (0,68719476735,1)", "?", "inconsistent", "(?,1152921504606846976,?)");
}

static void infer_convolution_groups_and_layouts(void)  /* 44 */
{
    CHECK_STR(infer("Convolution", "kernel=(3,3) num_filter=8 num_group=4 no_bias=True", "(1,12,8,8) ?", "?"),
              "(1,12,8,8) (8,3,3,3) -> (1,8,6,6)");
    CHECK_STR(infer("Convolution", "kernel=(3,3) num_filter=16 layout=NHWC no_bias=True", "(4,10,11,3) ?",
                    "?"),
              "(4,10,11,3) (16,3,3,3) -> (4,8,9,16)");
    CHECK_STR(infer("Convolution", "kernel=(5,) num_filter=16 layout=NWC no_bias=True", "(4,10,6) ?", "?"),
              "(4,10,6) (16,5,6) -> (4,6,16)");
    CHECK_STR(infer("Convolution", "kernel=(2,3,4) num_filter=6 layout=NDHWC num_group=2", "(1,5,6,7,4) ? ?",
                    "?"),
              "(1,5,6,7,4) (6,2,3,4,2) (6) -> (1,4,4,4,6)");
}

static void infer_deconvolution_by_formula(void)        /* 45: no bias unless no_bias=False */
{
    CHECK_STR(infer("Deconvolution", "kernel=(3,3) num_filter=16", "(4,3,10,11) ?", "?"),
              "(4,3,10,11) (3,16,3,3) -> (4,16,12,13)");
    CHECK_STR(infer("Deconvolution", "kernel=(3,) num_filter=16 no_bias=False", "(4,3,10) ? ?", "?"),
              "(4,3,10) (3,16,3) (16) -> (4,16,12)");
    CHECK_STR(infer("Deconvolution", "kernel=(4,4) num_filter=6 stride=(2,2) pad=(1,1) adj=(1,1) num_group=2",
                    "(1,4,5,5) ?", "?"),
              "(1,4,5,5) (4,3,4,4) -> (1,6,11,11)");
    CHECK_STR(infer("Deconvolution", "kernel=(4,4) num_filter=6 stride=(2,2) target_shape=(9,10)",
                    "(1,4,5,5) ?", "?"),
              "(1,4,5,5) (4,6,4,4) -> (1,6,9,10)");
    /* of a target, too, adj must be smaller than the stride, and nothing reaches no target */
    infer_clash("Deconvolution", "kernel=(3,3) num_filter=2 num_group=2 target_shape=(6,6)", "(1,2,5,5) ?", "?",
                "adj 1", "stride 1");
    infer_clash("Deconvolution", "kernel=(5,3) num_filter=1 stride=(2,2) target_shape=(2,8)", "(1,1,0,4) ?", "?",
                "too big target", "(1,1,0,4)");
    CHECK_STR(infer("Deconvolution", "kernel=(5,3) num_filter=1 stride=(2,2) adj=(9,9) target_shape=(2,8)",
                    "(1,1,?,?) ?", "?"),
              "(1,1,?,?) (1,1,5,3) -> (1,1,2,8)");
}

static void infer_pooling_conventions(void)             /* 46 */
{
    CHECK_STR(infer("Pooling", "kernel=(3,3) stride=(3,3)", "(2,2,10,10)", "?"), "(2,2,10,10) -> (2,2,3,3)");
    CHECK_STR(infer("Pooling", "kernel=(3,3) stride=(3,3) pooling_convention=full", "(2,2,10,10)", "?"),
              "(2,2,10,10) -> (2,2,4,4)");
    CHECK_STR(infer("Pooling", "kernel=(3,) stride=(3,) pool_type=avg pooling_convention=full", "(2,2,10)",
                    "?"),
              "(2,2,10) -> (2,2,4)");
    CHECK_STR(infer("Pooling", "global_pool=True pool_type=avg", "(2,5,10,7)", "?"),
              "(2,5,10,7) -> (2,5,1,1)");
    CHECK_STR(infer("Pooling", "global_pool=True kernel=(99,99)", "(2,5,10,7)", "?"),
              "(2,5,10,7) -> (2,5,1,1)");
}

static void infer_average_counts_padding_or_not(void)   /* 47 */
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_ones(F, HY_SHAPE(1, 1, 2, 2));
    INFER_VALUES(F, infer_apply(F, "Pooling", "kernel=(2,2) pool_type=avg pad=(1,1)", x, NULL, NULL), 1e-6,
                 .25, .5, .25, .5, 1, .5, .25, .5, .25);
    INFER_VALUES(F, infer_apply(F, "Pooling", "kernel=(2,2) pool_type=avg pad=(1,1) count_include_pad=False",
                                x, NULL, NULL),
                 1e-6, 1, 1, 1, 1, 1, 1, 1, 1, 1);
    CHECK(hy_close(F) == 0);
}

/* --- layers --- */
static void infer_flatten_and_embedding(void)           /* 48 */
{
    hy_frame *F = hy_open(NULL);
    hy_array *w, *i;
    CHECK_STR(infer("Flatten", "", "(3)", "?"), "(3) -> (3,1)");
    CHECK_STR(infer("Flatten", "", "(2,3,4)", "?"), "(2,3,4) -> (2,12)");
    CHECK_STR(infer("Embedding", "input_dim=4 output_dim=10", "(?,5) ?", "?"), "(?,5) (4,10) -> (?,5,10)");
    w = hy_reshape(F, hy_arange(F, 0, 6, 1), HY_INTS(3, 2), NULL);
    i = hy_floats(F, HY_SHAPE(4), (const float[]){ -7, 0, 2, 99 });
    INFER_VALUES(F, hy_embedding(F, i, w, 3, 2, NULL), 0, 0, 1, 0, 1, 4, 5, 4, 5);
    CHECK(hy_close(F) == 0);
}

static void infer_activation_constants(void)            /* 49 */
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_floats(F, HY_SHAPE(1, 2), (const float[]){ -1, 1 });
    hy_array *all = hy_floats(F, HY_SHAPE(1), (const float[]){ .25f });
    hy_array *each = hy_floats(F, HY_SHAPE(2), (const float[]){ .25f, .5f });
    hy_array *m = hy_floats(F, HY_SHAPE(1, 2, 1), (const float[]){ -1, -1 });
    hy_leaky_relu_opt prelu = { 0 };
    CHECK_STR(infer("LeakyReLU", "act_type=prelu", "(2,3,4) (3)", "?"), "(2,3,4) (3) -> (2,3,4)");
    CHECK_STR(infer("LeakyReLU", "act_type=prelu", "(2,3,4) (1)", "?"), "(2,3,4) (1) -> (2,3,4)");
    prelu.gamma = all;
    INFER_VALUES(F, hy_leaky_relu(F, x, HY_LEAKY_PRELU, &prelu), 1e-6, -.25, 1);
    prelu.gamma = each;
    INFER_VALUES(F, hy_leaky_relu(F, m, HY_LEAKY_PRELU, &prelu), 1e-6, -.25, -.5);
    INFER_VALUES(F, infer_apply(F, "LeakyReLU", "act_type=elu slope=1.0", x, NULL, NULL), 1e-6, expm1(-1), 1);
    INFER_VALUES(F, infer_apply(F, "LeakyReLU", "act_type=selu", x, NULL, NULL), 1e-6,
                 1.0507009873554805 * 1.6732632423543772 * expm1(-1), 1.0507009873554805);
    INFER_VALUES(F, infer_apply(F, "LeakyReLU", "act_type=gelu", x, NULL, NULL), 1e-6, -0.15865525393,
                 0.84134474607);
    INFER_VALUES(F, hy_mul(F, x, hy_sigmoid(F, x)), 1e-6, -0.26894142137, 0.73105857863);       /* swish */
    CHECK(hy_close(F) == 0);
}

static void infer_batch_norm_vectors_and_axis(void)     /* 50 */
{
    CHECK_STR(infer("BatchNorm", "", "(2,3,4,5) ? ? ? ?", "?"), "(2,3,4,5) (3) (3) (3) (3) -> (2,3,4,5)");
    CHECK_STR(infer("BatchNorm", "axis=-1", "(2,3,4,5) ? ? ? ?", "?"),
              "(2,3,4,5) (5) (5) (5) (5) -> (2,3,4,5)");
    CHECK_STR(infer("BatchNorm", "", "(2,?,4) (7) ? ? ?", "?"), "(2,7,4) (7) (7) (7) (7) -> (2,7,4)");
    infer_clash("BatchNorm", "", "(2,3,4,5) (4) ? ? ?", "?", "(2,3,4,5)", "(4,)");
    infer_clash("LayerNorm", "", "(2,3,5) (4) ?", "?", "(2,3,5)", "(4,)");
}

#ifndef HYBRID_NO_TRAIN
static void infer_batch_norm_statistics(void)           /* 50 */
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_floats(F, HY_SHAPE(2, 1), (const float[]){ 1, 3 }), *gamma = hy_full(F, HY_SHAPE(1), 5);
    hy_array *beta = hy_zeros(F, HY_SHAPE(1)), *mean = hy_zeros(F, HY_SHAPE(1));
    hy_array *var = hy_ones(F, HY_SHAPE(1)), *y;
    hy_batch_norm_opt opt = { 0 };
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_record(F);
    y = hy_batch_norm(F, x, gamma, beta, mean, var, NULL);
    hy_pause(F);
    hy_backward(F, y, NULL);
    INFER_VALUES(F, y, 1e-3, -1, 1);                    /* fix_gamma: gamma counts as 1 */
    INFER_VALUES(F, mean, 1e-6, 0.9 * 0 + 0.1 * 2);
    INFER_VALUES(F, var, 1e-6, 0.9 * 1 + 0.1 * 1);
    opt.use_global_stats = 1;
    hy_record(F);
    y = hy_batch_norm(F, x, gamma, beta, mean, var, &opt);
    hy_pause(F);
    INFER_VALUES(F, y, 1e-3, 0.8 / sqrt(1.001), 2.8 / sqrt(1.001));
    INFER_VALUES(F, mean, 1e-6, 0.2);
    CHECK(hy_close(F) == 0);
}
#endif

/* --- recurrent: the fused operator against cells made of fully_connected --- */
static hy_array *infer_piece(hy_frame *F, hy_array *parameters, int *at, int rows, int columns)
{
    hy_array *piece = hy_slice_axis(F, parameters, 0, *at, *at + rows * columns);
    *at += rows * columns;
    return columns > 1 ? hy_reshape(F, piece, HY_INTS(rows, columns), NULL) : piece;
}

static hy_array *infer_gate(hy_frame *F, hy_array *x, int i, int size)
{
    return hy_slice_axis(F, x, 1, i * size, (i + 1) * size);
}

static hy_array *infer_cell(hy_frame *F, int mode, hy_array *i2h, hy_array *h2h, hy_array *h, hy_array **c,
                            int size)
{
    hy_array *g = hy_add(F, i2h, h2h), *r, *z, *n;
    if (mode == HY_RNN_RELU) return hy_relu(F, g);
    if (mode == HY_RNN_TANH) return hy_tanh(F, g);
    if (mode == HY_RNN_LSTM) {
        *c = hy_add(F, hy_mul(F, hy_sigmoid(F, infer_gate(F, g, 1, size)), *c),
                    hy_mul(F, hy_sigmoid(F, infer_gate(F, g, 0, size)),
                           hy_tanh(F, infer_gate(F, g, 2, size))));
        return hy_mul(F, hy_sigmoid(F, infer_gate(F, g, 3, size)), hy_tanh(F, *c));
    }
    r = hy_sigmoid(F, infer_gate(F, g, 0, size));
    z = hy_sigmoid(F, infer_gate(F, g, 1, size));
    n = hy_tanh(F, hy_add(F, infer_gate(F, i2h, 2, size), hy_mul(F, r, infer_gate(F, h2h, 2, size))));
    return hy_add(F, hy_mul(F, hy_rsub_scalar(F, z, 1), n), hy_mul(F, z, h));
}

static void infer_rnn_mode(int mode, int gates)
{
    enum { T = 3, N = 2, I = 4, H = 5, L = 2 };
    hy_frame *F = hy_open(NULL);
    int layer, t, at = 0, size = gates * H * (I + H + 2) + gates * H * (H + H + 2);
    hy_array *x = hy_normal(F, HY_SHAPE(T, N, I), 0, 1), *p = hy_uniform(F, HY_SHAPE(size), -.5, .5);
    hy_array *h0 = hy_normal(F, HY_SHAPE(L, N, H), 0, 1), *c0 = hy_normal(F, HY_SHAPE(L, N, H), 0, 1), *y;
    hy_array *plain;
    hy_array *w[L][2], *b[L][2], *step[T];
    hy_rnn_opt opt = { 0 };
    for (layer = 0; layer < L; layer++) {
        w[layer][0] = infer_piece(F, p, &at, gates * H, layer ? H : I);
        w[layer][1] = infer_piece(F, p, &at, gates * H, H);
    }
    for (layer = 0; layer < 2 * L; layer++) b[layer / 2][layer % 2] = infer_piece(F, p, &at, gates * H, 1);
    CHECK(at == size);
    for (t = 0; t < T; t++) step[t] = hy_reshape(F, hy_slice_axis(F, x, 0, t, t + 1), HY_INTS(N, I), NULL);
    for (layer = 0; layer < L; layer++) {
        hy_array *h = hy_reshape(F, hy_slice_axis(F, h0, 0, layer, layer + 1), HY_INTS(N, H), NULL);
        hy_array *c = hy_reshape(F, hy_slice_axis(F, c0, 0, layer, layer + 1), HY_INTS(N, H), NULL);
        for (t = 0; t < T; t++) {
            hy_array *i2h = hy_fully_connected(F, step[t], w[layer][0], b[layer][0], gates * H, NULL);
            hy_array *h2h = hy_fully_connected(F, h, w[layer][1], b[layer][1], gates * H, NULL);
            step[t] = h = infer_cell(F, mode, i2h, h2h, h, &c, H);
        }
    }
    y = hy_rnn(F, x, p, h0, mode == HY_RNN_LSTM ? c0 : NULL, NULL, H, L, mode, NULL);
    CHECK(hy_count(F, y) == 1);
    CHECK_NEAR(hy_item(F, hy_max(F, hy_abs(F, hy_sub(F, y, hy_stack(F, hy_group_of(F, T, step), 0))), HY_ALL,
                                 NULL)), 0, 1e-5);
    opt.state_outputs = 1;
    plain = hy_rnn(F, x, p, h0, mode == HY_RNN_LSTM ? c0 : NULL, NULL, H, L, mode, &opt);
    CHECK(hy_count(F, plain) == (mode == HY_RNN_LSTM ? 3 : 2));
    if (!CHECK(!hy_error(F))) printf("    %s\n", hy_error(F));
    hy_close(F);
}

static void infer_rnn_equals_unrolled_cells(void)       /* 51 */
{
    infer_rnn_mode(HY_RNN_RELU, 1);
    infer_rnn_mode(HY_RNN_TANH, 1);
    infer_rnn_mode(HY_RNN_LSTM, 4);
    infer_rnn_mode(HY_RNN_GRU, 3);
}

static void infer_rnn_parameter_count(void)
{
    CHECK_STR(infer("RNN", "state_size=5 num_layers=2 mode=lstm state_outputs=True", "(3,2,4) ? ? ?",
                    "? ? ?"),
              "(3,2,4) (460) (2,2,5) (2,2,5) -> (3,2,5) (2,2,5) (2,2,5)");
    CHECK_STR(infer("RNN", "state_size=5 num_layers=1 mode=gru bidirectional=True", "(3,2,4) ? ?", "?"),
              "(3,2,4) (330) (2,2,5) -> (3,2,10)");
}

/* --- reshape --- */
typedef struct infer_reshape_vector { const char *attrs, *from, *to; } infer_reshape_vector;
static const infer_reshape_vector infer_reshape_vectors[] = {
    { "shape=(0,-1)",               "(2,3,5,5)",  "(2,75)" },
    { "shape=(0,-1,0)",             "(5,3,4,5)",  "(5,15,4)" },
    { "shape=(6,1,-2)",             "(2,3,5,6)",  "(6,1,5,6)" },
    { "shape=(-3,-3)",              "(2,3,5,6)",  "(6,30)" },
    { "shape=(-4,16,-1)",           "(64)",       "(16,4)" },
    { "shape=(-4,16,-1,-2)",        "(64,1,2,3)", "(16,4,1,2,3)" },
    { "shape=(0,-1) reverse=True",  "(2,3,5,5)",  "(5,30)" },
    { "shape=(-2,1,30) reverse=True", "(2,3,5,6)",  "(2,3,1,30)" },
    { "shape=(-2,-1,16,-4) reverse=True", "(1,2,3,64)", "(1,2,3,4,16)" },
    { NULL, NULL, NULL }
};

static void infer_reshape_forward(void)                 /* 52 */
{
    const infer_reshape_vector *v;
    char want[128];
    for (v = infer_reshape_vectors; v->attrs; v++) {
        snprintf(want, sizeof want, "%s -> %s", v->from, v->to);
        CHECK_STR(infer("Reshape", v->attrs, v->from, "?"), want);
    }
}

static void infer_reshape_each_dim_back(void)           /* 52 */
{
    const infer_reshape_vector *v;
    char want[128], from[64];
    int d;
    for (v = infer_reshape_vectors; v->attrs; v++) {
        const char *text = v->from;
        hy_shape s = infer_shape(&text);
        snprintf(want, sizeof want, "%s -> %s", v->from, v->to);
        for (d = 0; d < s.ndim; d++) {
            hy_shape holed = s;
            holed.dim[d] = -1;
            from[0] = 0;
            infer_put(from, sizeof from, &holed);
            if (strcmp(infer("Reshape", v->attrs, from, v->to), want))
                printf("    %s of %s: dim %d\n", v->attrs, v->from, d);
            CHECK_STR(infer("Reshape", v->attrs, from, v->to), want);
        }
    }
}

static void infer_reshape_through_a_sum(void)           /* 52: an addition fixes the output */
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *x = infer_var(S, "(2,?,5,5)"), *y = hy_reshape(S, x, HY_INTS(0, -1), NULL);
    hy_elemwise_add(S, y, infer_var(S, "(2,75)"));
    CHECK_STR(infer_of(S, x), "(2,3,5,5)");
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void infer_reshape_refuses_another_count(void)
{
    infer_clash("Reshape", "shape=(4,2)", "(2,3)", "?", "(2,3)", "(4,2)");
    infer_clash("Reshape", "shape=(4,-1)", "(2,3)", "?", "(2,3)", "(4,?)");
    infer_clash("Reshape", "shape=(0,-1)", "(2,3)", "(3,2)", "(3,2)", "(2,3)");
}

/* --- indexing and sequences --- */
static void infer_topk_and_argsort(void)                /* 53 */
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_floats(F, HY_SHAPE(1, 4), (const float[]){ 2, 7, 7, 1 }), *both;
    INFER_VALUES(F, infer_apply(F, "topk", "k=2", x, NULL, NULL), 0, 1, 2);
    INFER_VALUES(F, infer_apply(F, "topk", "k=2 ret_typ=value", x, NULL, NULL), 0, 7, 7);
    INFER_VALUES(F, infer_apply(F, "topk", "k=1 ret_typ=mask", x, NULL, NULL), 0, 0, 1, 0, 0);
    both = infer_apply(F, "topk", "k=3 ret_typ=both is_ascend=True", x, NULL, NULL);
    INFER_VALUES(F, hy_get(F, both, 0), 0, 1, 2, 7);
    INFER_VALUES(F, hy_get(F, both, 1), 0, 3, 0, 1);
    CHECK(hy_dtype_of(F, infer_apply(F, "argsort", "", x, NULL, NULL)) == HY_F32);
    CHECK(hy_dtype_of(F, infer_apply(F, "argsort", "dtype=int32", x, NULL, NULL)) == HY_I32);
    CHECK(hy_dtype_of(F, infer_apply(F, "topk", "k=1 dtype=int64", x, NULL, NULL)) == HY_I64);
    CHECK_STR(infer("topk", "k=2 axis=0 ret_typ=both", "(5,3)", "? ?"), "(5,3) -> (2,3) (2,3)");
    CHECK_STR(infer("topk", "k=0", "(5,3)", "?"), "(5,3) -> (5,3)");
    CHECK(hy_close(F) == 0);
}

static void infer_pick_and_take_modes(void)             /* 53 */
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_reshape(F, hy_arange(F, 0, 6, 1), HY_INTS(2, 3), NULL);
    hy_array *i = hy_floats(F, HY_SHAPE(2), (const float[]){ -1, 4 });
    INFER_VALUES(F, infer_apply(F, "pick", "", x, i, NULL), 0, 0, 5);
    INFER_VALUES(F, infer_apply(F, "pick", "mode=wrap", x, i, NULL), 0, 2, 4);
    INFER_VALUES(F, infer_apply(F, "take", "axis=1", x, i, NULL), 0, 0, 2, 3, 5);
    INFER_VALUES(F, infer_apply(F, "take", "axis=1 mode=wrap", x, i, NULL), 0, 2, 1, 5, 4);
    CHECK(!infer_apply(F, "take", "axis=1 mode=raise", x, i, NULL) && hy_error_code(F) == HY_ERROR_INDEX);
    hy_clear(F);
    CHECK_STR(infer("pick", "axis=1 keepdims=True", "(2,3,4) ?", "?"), "(2,3,4) (2,1,4) -> (2,1,4)");
    CHECK_STR(infer("take", "axis=1", "(2,3,4) (5,6)", "?"), "(2,3,4) (5,6) -> (2,5,6,4)");
    CHECK(hy_close(F) == 0);
}

static void infer_sequences(void)                       /* 54 */
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_reshape(F, hy_arange(F, 1, 7, 1), HY_INTS(3, 2), NULL);
    hy_array *n = hy_floats(F, HY_SHAPE(2), (const float[]){ 1, 2 });
    INFER_VALUES(F, infer_apply(F, "SequenceMask", "", x, NULL, NULL), 0, 1, 2, 3, 4, 5, 6);
    INFER_VALUES(F, infer_apply(F, "SequenceMask", "use_sequence_length=True value=-1", x, n, NULL), 0, 1, 2,
                 -1, 4, -1, -1);
    INFER_VALUES(F, infer_apply(F, "SequenceLast", "", x, NULL, NULL), 0, 5, 6);
    INFER_VALUES(F, infer_apply(F, "SequenceLast", "use_sequence_length=True", x, n, NULL), 0, 1, 4);
    INFER_VALUES(F, infer_apply(F, "SequenceReverse", "", x, NULL, NULL), 0, 5, 6, 3, 4, 1, 2);
    INFER_VALUES(F, infer_apply(F, "SequenceReverse", "use_sequence_length=True", x, n, NULL), 0, 1, 4, 3, 2,
                 5, 6);
    CHECK_STR(infer("SequenceMask", "use_sequence_length=True axis=1", "(4,3,2) ?", "?"),
              "(4,3,2) (4) -> (4,3,2)");
    CHECK_STR(infer("SequenceLast", "use_sequence_length=True", "(4,3,2) ?", "?"), "(4,3,2) (3) -> (3,2)");
    CHECK(hy_close(F) == 0);
}

/* --- whole graphs --- */
static hy_array *infer_mlp2(hy_frame *S, const char *data, const char *weight1, hy_array **w)
{
    hy_array *x;
    w[0] = infer_var(S, weight1);
    w[1] = infer_var(S, "?");
    w[2] = infer_var(S, "?");
    w[3] = infer_var(S, "?");
    x = hy_fully_connected(S, infer_var(S, data), w[0], w[1], 1000, NULL);
    return hy_fully_connected(S, hy_activation(S, x, HY_ACT_RELU), w[2], w[3], 10, NULL);
}

static void infer_mlp_contradiction(void)               /* 65 */
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *w[4], *lone;
    CHECK(!infer_mlp2(S, "(100,100)", "(1,100)", w));
    CHECK(hy_error_code(S) == HY_ERROR_SHAPE);
    CHECK(strstr(hy_error(S), "(1,100)") && strstr(hy_error(S), "(1000,"));
    hy_close(S);
    S = hy_symbolic(F);
    lone = hy_sin(S, infer_var(S, "?"));
    CHECK_STR(infer_of(S, lone), "?");
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void infer_mlp(void)                             /* 66 */
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *w[4], *y = infer_mlp2(S, "(100,100)", "?", w);
    CHECK_STR(infer_of(S, y), "(100,10)");
    CHECK_STR(infer_of(S, w[0]), "(1000,100)");
    CHECK_STR(infer_of(S, w[1]), "(1000)");
    CHECK_STR(infer_of(S, w[2]), "(10,1000)");
    CHECK_STR(infer_of(S, w[3]), "(10)");
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void infer_back_through_a_sum(void)              /* 67 */
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *a = infer_var(S, "(?,10)"), *b = infer_var(S, "(12,?)"), *c = infer_var(S, "(5,?)");
    hy_array *d = infer_var(S, "(?,10)");
    hy_elemwise_add(S, a, b);
    CHECK_STR(infer_of(S, a), "(12,10)");
    CHECK_STR(infer_of(S, b), "(12,10)");
    hy_elemwise_add(S, hy_fully_connected(S, d, infer_var(S, "?"), infer_var(S, "?"), 21, NULL), c);
    CHECK_STR(infer_of(S, d), "(5,10)");
    CHECK_STR(infer_of(S, c), "(5,21)");
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void infer_weight_through_identity_like(void)    /* 67 */
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *w = infer_var(S, "?"), *shifted = hy_add(S, w, infer_var(S, "(1)"));
    hy_fully_connected_opt opt = { 0 };
    opt.no_bias = 1;
    hy_fully_connected(S, infer_var(S, "(7,100)"), hy_identity_like(S, shifted, w), NULL, 11, &opt);
    CHECK_STR(infer_of(S, w), "(11,100)");
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void infer_back_through_split(void)              /* 68 */
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *a = infer_var(S, "(?,10)"), *b = infer_var(S, "(?,15,?)");
    hy_split_opt opt = { 0 };
    opt.squeeze_axis = 1;
    hy_elemwise_add(S, hy_get(S, hy_split(S, a, 10, 1, &opt), 1), infer_var(S, "(5)"));
    CHECK_STR(infer_of(S, a), "(5,10)");
    hy_elemwise_add(S, hy_get(S, hy_split(S, b, 3, 1, NULL), 1), infer_var(S, "(3,5,2)"));
    CHECK_STR(infer_of(S, b), "(3,15,2)");
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void infer_back_through_convolution(void)        /* 68 */
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *a = infer_var(S, "(?,10,?,?)"), *y;
    hy_convolution_opt opt = { 0 };
    opt.pad = HY_INTS(1, 1);
    y = hy_convolution(S, a, infer_var(S, "?"), infer_var(S, "?"), HY_INTS(3, 3), 21, &opt);
    hy_elemwise_add(S, y, infer_var(S, "(5,21,32,32)"));
    CHECK_STR(infer_of(S, a), "(5,10,32,32)");
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void infer_back_through_concat(void)             /* 68 */
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *a = infer_var(S, "(?,10)"), *b = infer_var(S, "(?,5)"), *c = infer_var(S, "(2,?)");
    hy_elemwise_add(S, hy_concat(S, hy_group(S, a, b), 1), c);
    CHECK_STR(infer_of(S, a), "(2,10)");
    CHECK_STR(infer_of(S, b), "(2,5)");
    CHECK_STR(infer_of(S, c), "(2,15)");
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void infer_products_with_unknown_dims(void)      /* 68 */
{
    CHECK_STR(infer("dot", "", "(?,3,4) (4,5)", "?"), "(?,3,4) (4,5) -> (?,3,5)");
    CHECK_STR(infer("dot", "", "(2,?) (4,5)", "?"), "(2,4) (4,5) -> (2,5)");
    CHECK_STR(infer("batch_dot", "", "(?,3,4) (?,4,5)", "?"), "(?,3,4) (?,4,5) -> (?,3,5)");
    CHECK_STR(infer("batch_dot", "", "(?,3,4) (7,?,5)", "?"), "(7,3,4) (7,4,5) -> (7,3,5)");
    CHECK_STR(infer("FullyConnected", "num_hidden=21", "(?,10) ? ?", "(5,21)"),
              "(5,10) (21,10) (21) -> (5,21)");
    CHECK_STR(infer("FullyConnected", "num_hidden=4 flatten=False", "(2,3,10) ? ?", "?"),
              "(2,3,10) (4,10) (4) -> (2,3,4)");
}

static void infer_backward_of_shape_operators(void)
{
    CHECK_STR(infer("transpose", "axes=(2,0,1)", "?", "(4,2,3)"), "(2,3,4) -> (4,2,3)");
    CHECK_STR(infer("SwapAxis", "dim1=0 dim2=2", "(?,3,?)", "(4,?,2)"), "(2,3,4) -> (4,3,2)");
    CHECK_STR(infer("expand_dims", "axis=1", "?", "(2,1,3)"), "(2,3) -> (2,1,3)");
    CHECK_STR(infer("Concat", "dim=0", "(2,3) (?,?)", "(7,3)"), "(2,3) (5,3) -> (7,3)");
    CHECK_STR(infer("stack", "axis=1", "(2,?) (?,3)", "?"), "(2,3) (2,3) -> (2,2,3)");
    CHECK_STR(infer("add_n", "", "(2,?) (?,3) ?", "?"), "(2,3) (2,3) (2,3) -> (2,3)");
    CHECK_STR(infer("relu", "", "?", "(2,3)"), "(2,3) -> (2,3)");
}

static void infer_reductions(void)
{
    CHECK_STR(infer("sum", "", "(2,3,4)", "?"), "(2,3,4) -> (1)");
    CHECK_STR(infer("sum", "axis=(0,2) keepdims=True", "(2,3,4)", "?"), "(2,3,4) -> (1,3,1)");
    CHECK_STR(infer("sum", "axis=1 exclude=True", "(2,3,4)", "?"), "(2,3,4) -> (3)");
    CHECK_STR(infer("mean", "axis=-1", "(?,3,4)", "?"), "(?,3,4) -> (?,3)");
}

/* --- contradictions --- */
static void infer_clashes_name_both_shapes(void)
{
    infer_clash("broadcast_add", "", "(2,3) (4,3)", "?", "(2,3)", "(4,3)");
    infer_clash("elemwise_add", "", "(2,3) (3,2)", "?", "(2,3)", "(3,2)");
    infer_clash("elemwise_add", "", "(2,3) (2,3,1)", "?", "(2,3)", "(2,3,1)");
    infer_clash("add_n", "", "(2,3) (2,3) (2,4)", "?", "(2,3)", "(2,4)");
    infer_clash("dot", "", "(2,3) (4,5)", "?", "(2,3)", "(4,5)");
    infer_clash("batch_dot", "", "(2,3,4) (5,4,6)", "?", "(2,3,4)", "(5,4,6)");
    infer_clash("FullyConnected", "num_hidden=4 no_bias=True", "(2,3) (4,5)", "?", "(2,3)", "(4,5)");
    infer_clash("Convolution", "kernel=(3,3) num_filter=4 no_bias=True", "(1,3,8,8) (4,5,3,3)", "?",
                "(1,3,8,8)", "(4,5,3,3)");
    infer_clash("Concat", "dim=1", "(2,3) (4,3)", "?", "(2,3)", "(4,3)");
    infer_clash("stack", "", "(2,3) (4,3)", "?", "(2,3)", "(4,3)");
    infer_clash("where", "", "(2,3) (2,3) (2,4)", "?", "(2,3)", "(2,4)");
    infer_clash("broadcast_to", "shape=(4,3)", "(2,3)", "?", "(2,3)", "4");
    infer_clash("Embedding", "input_dim=4 output_dim=10", "(2) (4,11)", "?", "(4,10)", "(4,11)");
    infer_clash("LinearRegressionOutput", "", "(2,3) (2,4)", "?", "(2,3)", "(2,4)");
}

static void infer_impossible_windows(void)
{
    CHECK(strstr(infer("Convolution", "kernel=(9,9) num_filter=4 no_bias=True", "(1,3,8,8) ?", "?"),
                 "kernel size"));
    CHECK(strstr(infer("Pooling", "kernel=(9,9)", "(1,3,8,8)", "?"), "kernel size"));
    CHECK(strstr(infer("Convolution", "kernel=(3,3) num_filter=4 num_group=3 no_bias=True", "(1,3,8,8) ?",
                       "?"), "group"));
    CHECK(strstr(infer("Convolution", "kernel=(3,3) num_filter=4 num_group=2 no_bias=True", "(1,3,8,8) ?",
                       "?"), "group"));
}

/* --- number types --- */
static void infer_dtypes_do_not_promote(void)
{
    const hy_dtype same[] = { HY_F16, HY_DTYPE_NONE }, clash[] = { HY_F32, HY_F16 };
    CHECK_STR(infer_run("broadcast_add", "", "(2) (2)", "?", same), "float16 float16 -> float16");
    CHECK(strstr(infer_run("broadcast_add", "", "(2) (2)", "?", clash), "Type inconsistent"));
    CHECK(strstr(infer_run("FullyConnected", "num_hidden=2 no_bias=True", "(2,3) ?", "?", clash), "float16"));
}

static void infer_dtypes_of_parameters(void)
{
    const hy_dtype half[] = { HY_F16, HY_DTYPE_NONE, HY_DTYPE_NONE, HY_DTYPE_NONE, HY_DTYPE_NONE };
    const hy_dtype whole[] = { HY_I32 };
    CHECK_STR(infer_run("BatchNorm", "", "(2,3) ? ? ? ?", "?", half),
              "float16 float32 float32 float32 float32 -> float16");
    CHECK_STR(infer_run("FullyConnected", "num_hidden=2", "(2,3) ? ?", "?", half),
              "float16 float16 float16 -> float16");
    CHECK_STR(infer_run("Cast", "dtype=float64", "(2,3)", "?", half), "float16 -> float64");
    CHECK_STR(infer_run("one_hot", "depth=3", "(2)", "?", whole), "int32 -> float32");
    CHECK_STR(infer_run("shape_array", "", "(2,3)", "?", half), "float16 -> int64");
}

/* --- traced programs --- */
static void infer_unused_variable_runs_right(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *a = hy_var(S, "a", NULL), *b = hy_var(S, "b", NULL), *y;
    hy_graph *g = hy_compile(S, hy_add_scalar(S, a, 1));
    (void)b;
    y = hy_graph_run(F, g, hy_group(F, hy_full(F, HY_SHAPE(2), 5), hy_full(F, HY_SHAPE(3), 7)));
    INFER_VALUES(F, y, 0, 6, 6);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void infer_constant_in_a_graph(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *k = hy_floats(F, HY_SHAPE(2, 3), (const float[]){ 1, 2, 3, 4, 5, 6 });
    hy_array *x = hy_var(S, "x", NULL), *y;
    hy_graph *g = hy_compile(S, hy_add(S, x, k));
    y = hy_graph_run(F, g, hy_full(F, HY_SHAPE(1, 1), 10));
    INFER_VALUES(F, y, 0, 11, 12, 13, 14, 15, 16);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void infer_graph_takes_new_shapes(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *x = hy_var(S, "x", NULL);
    hy_graph *g = hy_compile(S, hy_sum(S, x, HY_ALL, NULL));
    INFER_VALUES(F, hy_graph_run(F, g, hy_ones(F, HY_SHAPE(2, 3))), 0, 6);
    INFER_VALUES(F, hy_graph_run(F, g, hy_ones(F, HY_SHAPE(5))), 0, 5);
    CHECK_STR(infer_of(S, x), "?");                     /* a run teaches the symbol nothing */
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void infer_graph_keeps_declared_shapes(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_graph *g = hy_compile(S, hy_sum(S, infer_var(S, "(2,3)"), HY_ALL, NULL));
    CHECK(!hy_graph_run(F, g, hy_ones(F, HY_SHAPE(5))));
    CHECK(hy_error(F) && strstr(hy_error(F), "(2,3)") && strstr(hy_error(F), "(5"));
    hy_close(S);
    hy_close(F);
}

static void test_infer(void)
{
    RUN(infer_convolution_by_formula);
    RUN(infer_convolution_groups_and_layouts);
    RUN(infer_deconvolution_by_formula);
    RUN(infer_pooling_conventions);
    RUN(infer_average_counts_padding_or_not);
    RUN(infer_flatten_and_embedding);
    RUN(infer_activation_constants);
    RUN(infer_batch_norm_vectors_and_axis);
#ifndef HYBRID_NO_TRAIN
    RUN(infer_batch_norm_statistics);
#endif
    RUN(infer_rnn_equals_unrolled_cells);
    RUN(infer_rnn_parameter_count);
    RUN(infer_reshape_forward);
    RUN(infer_reshape_each_dim_back);
    RUN(infer_reshape_through_a_sum);
    RUN(infer_reshape_refuses_another_count);
    RUN(infer_topk_and_argsort);
    RUN(infer_pick_and_take_modes);
    RUN(infer_sequences);
    RUN(infer_mlp_contradiction);
    RUN(infer_mlp);
    RUN(infer_back_through_a_sum);
    RUN(infer_weight_through_identity_like);
    RUN(infer_back_through_split);
    RUN(infer_back_through_convolution);
    RUN(infer_back_through_concat);
    RUN(infer_products_with_unknown_dims);
    RUN(infer_backward_of_shape_operators);
    RUN(infer_reductions);
    RUN(infer_clashes_name_both_shapes);
    RUN(infer_impossible_windows);
    RUN(infer_dtypes_do_not_promote);
    RUN(infer_dtypes_of_parameters);
    RUN(infer_unused_variable_runs_right);
    RUN(infer_constant_in_a_graph);
    RUN(infer_graph_takes_new_shapes);
    RUN(infer_graph_keeps_declared_shapes);
}
