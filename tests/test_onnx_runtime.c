/* Operators of ONNX Runtime (com.microsoft), one node a file: against their definitions in doubles, line by line and
 * compiled, and what does not fit by name. */
enum { MS_MOST = 17, MS_OUTPUTS = 4, MS_NUMBERS = 4096 };
typedef struct ms_case {
    hy_frame  *F;
    onnx_text  node;                    /* its attributes */
    hy_array  *in[MS_MOST];             /* NULL: left out */
    int        inputs, outputs;
    uint32_t   seed;
    double     want[MS_OUTPUTS][MS_NUMBERS];     /* by output */
    int        count[MS_OUTPUTS];
} ms_case;

static double ms_random(ms_case *c)     /* from -1 to 1 */
{
    c->seed = c->seed * 1664525u + 1013904223u;
    return (double)(c->seed >> 8) / 8388608.0 - 1;
}
static int ms_size(ms_case *c, int low, int high)
{
    return low + (int)((ms_random(c) + 1) / 2 * (high - low + 0.999));
}
/* Input i of that shape (ended by 0), random. */
static const float *ms_draw(ms_case *c, int i, int a, int b, int d)
{
    static float keep[MS_MOST][MS_NUMBERS];
    hy_shape s = d ? HY_SHAPE(a, b, d) : b ? HY_SHAPE(a, b) : HY_SHAPE(a);
    int k, n = a * (b ? b : 1) * (d ? d : 1);
    for (k = 0; k < n; k++) keep[i][k] = (float)(2 * ms_random(c));
    c->in[i] = hy_floats(c->F, s, keep[i]);
    if (c->inputs <= i) c->inputs = i + 1;
    return keep[i];
}
static void ms_float_of(ms_case *c, const char *name, float v)
{
    onnx_text attr = { NULL, 0, 0 };
    onnx_string(&attr, 1, name);
    onnx_add(&attr, "\x15", 1);
    onnx_add(&attr, &v, 4);
    onnx_close_into(&c->node, 5, &attr);
    free(attr.at);
}
static void ms_floats_of(ms_case *c, const char *name, int n, const float *v)
{
    onnx_text attr = { NULL, 0, 0 };
    onnx_string(&attr, 1, name);
    onnx_field(&attr, 7, v, (size_t)n * 4);
    onnx_close_into(&c->node, 5, &attr);
    free(attr.at);
}

/* The network of the node. */
static hy_block *ms_net(ms_case *c, const char *op)
{
    static const char *const names[MS_MOST] = { "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l",
        "m", "n", "o", "p", "q" };
    static const char *const outs[MS_OUTPUTS] = { "y", "z", "w", "v" };
    onnx_text g = { NULL, 0, 0 };
    hy_block *net;
    int i, k, dims[HY_MAX_DIM];
    for (i = 0; i < c->inputs; i++) {
        onnx_string(&c->node, 1, c->in[i] ? names[i] : "");
        if (!c->in[i]) continue;
        for (k = 0; k < hy_ndim(c->F, c->in[i]); k++) dims[k] = (int)hy_dim(c->F, c->in[i], k);
        onnx_typed_value(&g, 11, names[i], onnx__kind_of(hy_dtype_of(c->F, c->in[i])), k, dims);
    }
    for (i = 0; i < c->outputs; i++) onnx_string(&c->node, 2, c->count[i] ? outs[i] : "");
    onnx_string(&c->node, 4, op);
    onnx_string(&c->node, 7, "com.microsoft");
    onnx_close_into(&g, 1, &c->node);
    for (i = 0; i < c->outputs; i++) if (c->count[i]) onnx_typed_value(&g, 12, outs[i], 1, 0, NULL);
    net = onnx_model_of(c->F, &g, NULL);
    free(c->node.at);
    memset(&c->node, 0, sizeof c->node);
    return net;
}
static hy_array *ms_inputs(ms_case *c)
{
    hy_array *given[MS_MOST];
    int i, n = 0;
    for (i = 0; i < c->inputs; i++) if (c->in[i]) given[n++] = c->in[i];
    return n == 1 ? given[0] : hy_group_of(c->F, n, given);
}

static void ms_gives(ms_case *c, const char *op, double within)
{
    hy_frame *F = c->F;
    hy_block *net = ms_net(c, op);
    hy_array *y, *x = ms_inputs(c);
    static float got[MS_NUMBERS];
    int turn, i, k, at, n;
    for (i = n = 0; i < c->outputs; i++) n += c->count[i] > 0;
    for (turn = 0; net && turn < 2; turn++) {
        if (turn) hy_hybridize(F, net, NULL);
        y = hy_call(F, net, x);
        for (i = at = 0; y && i < c->outputs; i++) {
            hy_array *one = n == 1 ? y : hy_get(F, y, at);
            double worst = 0;
            if (!c->count[i]) continue;
            at++;
            if (!CHECK(hy_size(F, one) == c->count[i])) { printf("    %s: output %d\n", op, i); continue; }
            hy_to(F, one, HY_F32, got, sizeof got);
            for (k = 0; k < c->count[i]; k++)
                worst = fmax(worst, fabs(got[k] - c->want[i][k]) / (1 + fabs(c->want[i][k])));
            if (!CHECK(worst <= within)) printf("    %s, output %d, compiled %d: off by %g\n", op, i, turn, worst);
        }
    }
    if (!CHECK(net && !hy_error(F))) printf("    %s: %s\n", op, hy_error(F) ? hy_error(F) : "no network");
    hy_clear(F);
}
/* The network is refused, when it is read or called, with a message that contains `says`. */
static void ms_refused(ms_case *c, const char *op, const char *says)
{
    hy_block *net = ms_net(c, op);
    if (net) hy_call(c->F, net, ms_inputs(c));
    if (!CHECK(hy_error(c->F) && strstr(hy_error(c->F), op) && strstr(hy_error(c->F), says)))
        printf("    %s: '%s', not '%s'\n", op, hy_error(c->F) ? hy_error(c->F) : "no error", says);
    hy_clear(c->F);
    c->inputs = 0;
    memset(c->in, 0, sizeof c->in);
}
static ms_case *ms_begin(uint32_t seed)
{
    ms_case *c = (ms_case *)calloc(1, sizeof *c);
    c->F = hy_open(NULL);
    c->seed = seed;
    c->outputs = 1;
    return c;
}
static void ms_end(ms_case *c) { hy_close(c->F); free(c); }

static double ms_gelu(double x) { return x / 2 * (1 + erf(x / sqrt(2))); }
static double ms_gelu_tanh(double x) { return x / 2 * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))); }

static void onnx_runtime_gelus(void)
{
    int which, i;
    for (which = 0; which < 6; which++) {       /* with a bias, and without */
        static const char *const ops[] = { "BiasGelu", "FastGelu", "FastGelu", "QuickGelu", "QuickGelu", "Gelu" };
        ms_case *c = ms_begin(7 + (uint32_t)which);
        int rows = ms_size(c, 1, 3), n = ms_size(c, 1, 20), biased = which < 2;
        const float *x = ms_draw(c, 0, 2, rows, n), *b = biased ? ms_draw(c, 1, n, 0, 0) : NULL;
        float alpha = which == 4 ? 0.7f : 1.702f;
        if (which == 4) ms_float_of(c, "alpha", alpha);
        for (i = 0; i < 2 * rows * n; i++) {
            double v = x[i] + (b ? b[i % n] : 0);
            c->want[0][i] = !which || which == 5 ? ms_gelu(v) : which < 3 ? ms_gelu_tanh(v) : v / (1 + exp(-alpha * v));
        }
        c->count[0] = i;
        ms_gives(c, ops[which], 1e-6);
        ms_end(c);
    }
}

/* Every choice of transposed operands and batches; (2, 3) batches of M x K by K x N. */
static void onnx_runtime_products(void)
{
    int way, l, m, n, k;
    for (way = 0; way < 16; way++) {
        ms_case *c = ms_begin(70 + (uint32_t)way);
        int ta = way & 1, tb = way >> 1 & 1, ba = way >> 2 & 1, bb = way >> 3 & 1, L = 3, M = 4, N = 5, K = 2;
        int ra = ta ? K : M, ca = ta ? M : K, rb = tb ? N : K, cb = tb ? K : N;
        const float *a = ba ? ms_draw(c, 0, ra, L, ca) : ms_draw(c, 0, L, ra, ca);
        const float *b = bb ? ms_draw(c, 1, rb, L, cb) : ms_draw(c, 1, L, rb, cb);
        onnx_int_of(&c->node, "transA", ta);
        onnx_int_of(&c->node, "transB", tb);
        onnx_int_of(&c->node, "transBatchA", ba);
        onnx_int_of(&c->node, "transBatchB", bb);
        ms_float_of(c, "alpha", 0.5f);
        for (l = 0; l < L; l++)
            for (m = 0; m < M; m++)
                for (n = 0; n < N; n++) {
                    double sum = 0;
                    for (k = 0; k < K; k++) {
                        int i = ta ? k : m, j = ta ? m : k, p = tb ? n : k, q = tb ? k : n;
                        sum += (double)a[ba ? (i * L + l) * ca + j : (l * ra + i) * ca + j] *
                            b[bb ? (p * L + l) * cb + q : (l * rb + p) * cb + q];
                    }
                    c->want[0][(l * M + m) * N + n] = sum / 2;
                }
        c->count[0] = L * M * N;
        ms_gives(c, "FusedMatMul", 1e-6);
        ms_end(c);
    }
}

static double ms_follow(int which, double x)
{
    switch (which) {
    case 0: return x > 0 ? x : 0;
    case 1: return tanh(x);
    case 2: return x > 0 ? x : 0.25 * x;
    case 3: return fmin(fmax(0.25 * x + 0.5, 0), 1);
    case 4: return 0.5 * (x > 0 ? x : 0.25 * expm1(x));
    default: return fmin(fmax(x, 0.25), 0.5);
    }
}
static void ms_follow_of(ms_case *c, int which, int list)
{
    static const char *const names[] = { "Relu", "Tanh", "LeakyRelu", "HardSigmoid", "Selu", "Clip" };
    static const float numbers[] = { 0.25f, 0.5f };
    onnx_text_of(&c->node, "activation", names[which]);
    if (which < 2) return;
    if (list) { ms_floats_of(c, "activation_params", which == 2 ? 1 : 2, numbers); return; }
    ms_float_of(c, "activation_alpha", 0.25f);
    if (which > 2) ms_float_of(c, which == 4 ? "activation_gamma" : "activation_beta", 0.5f);
}

static void onnx_runtime_followed(void)
{
    int which, i, j, k;
    for (which = 0; which < 6; which++) {
        ms_case *c = ms_begin(170 + (uint32_t)which);
        const float *a = ms_draw(c, 0, 3, 4, 0), *b = ms_draw(c, 1, 4, 5, 0), *d = ms_draw(c, 2, 5, 0, 0), *x, *w, *z;
        ms_follow_of(c, which, 0);
        ms_float_of(c, "beta", 2);
        for (i = 0; i < 3; i++)
            for (j = 0; j < 5; j++) {
                double sum = 2 * (double)d[j];
                for (k = 0; k < 4; k++) sum += (double)a[i * 4 + k] * b[k * 5 + j];
                c->want[0][i * 5 + j] = ms_follow(which, sum);
            }
        c->count[0] = 15;
        ms_gives(c, "FusedGemm", 1e-6);
        x = ms_draw(c, 0, 1, 2, 6);             /* a convolution in one dim, kernel 3, 1 before and 2 behind */
        w = ms_draw(c, 1, 2, 2, 3);
        b = ms_draw(c, 2, 2, 0, 0);
        z = ms_draw(c, 3, 1, 2, 7);
        ms_follow_of(c, which, 1);
        { static const int64_t pads[] = { 1, 2 }; onnx_ints_of(&c->node, "pads", 2, pads); }
        for (i = 0; i < 2; i++)
            for (j = 0; j < 7; j++) {
                double sum = (double)b[i] + z[i * 7 + j];
                for (k = 0; k < 6; k++) {
                    int at = j + k % 3 - 1;
                    if (at >= 0 && at < 6) sum += (double)x[k / 3 * 6 + at] * w[i * 6 + k];
                }
                c->want[0][i * 7 + j] = ms_follow(which, sum);
            }
        c->count[0] = 14;
        ms_gives(c, "FusedConv", 1e-6);
        ms_end(c);
    }
}

/* skip: of the whole shape, of one sample, without a batch; gamma, beta and bias or some of them. */
static void onnx_runtime_skips(void)
{
    int way, i, k;
    for (way = 0; way < 12; way++) {
        ms_case *c = ms_begin(270 + (uint32_t)way);
        int simple = way & 1, kind = way / 2 % 3, biased = way / 6, B = 2, S = 3, H = ms_size(c, 2, 19);
        const float *x = ms_draw(c, 0, B, S, H), *g, *beta, *bias;
        const float *s = kind == 2 ? ms_draw(c, 1, S, H, 0) : ms_draw(c, 1, kind ? 1 : B, S, H);
        g = ms_draw(c, 2, H, 0, 0);
        beta = !simple && !biased ? ms_draw(c, 3, H, 0, 0) : NULL;
        bias = biased ? ms_draw(c, simple ? 3 : 4, H, 0, 0) : NULL;
        ms_float_of(c, "epsilon", 0.01f);
        for (i = 0; i < B * S; i++) {
            double *sum = c->want[0] + i * H, mean = 0, var = 0;
            for (k = 0; k < H; k++) {
                sum[k] = x[i * H + k] + (double)s[(kind ? i % S : i) * H + k] + (bias ? bias[k] : 0);
                c->want[2][i * H + k] = sum[k];
                mean += sum[k] / H;
            }
            if (simple) mean = 0;
            for (k = 0; k < H; k++) var += (sum[k] - mean) * (sum[k] - mean) / H;
            for (k = 0; k < H; k++) sum[k] = (sum[k] - mean) / sqrt(var + 0.01f) * g[k] + (beta ? beta[k] : 0);
        }
        c->count[0] = B * S * H;
        ms_gives(c, simple ? "SkipSimplifiedLayerNormalization" : "SkipLayerNormalization", 3e-6);
        ms_end(c);
    }
}

static void onnx_runtime_embeddings(void)
{
    int way, i, k;
    for (way = 0; way < 8; way++) {
        static const float word[] = { 3, 0, 1, 4, 4, 2 }, segment[] = { 0, 1, 1, 0, 0, 1 }, place[] = { 5, 0, 2, 1, 1, 3 },
            shown[] = { 1, 1, 0, 1, 0, 0 };
        ms_case *c = ms_begin(370 + (uint32_t)way);
        int segments = way & 1, places = way >> 1 & 1, mask = way >> 2, B = 2, S = 3, H = 7;
        const float *w = ms_draw(c, 2, 5, H, 0), *p = ms_draw(c, 3, 6, H, 0), *s = segments ? ms_draw(c, 4, 2, H, 0) : NULL;
        const float *g = ms_draw(c, 5, H, 0, 0), *b = ms_draw(c, 6, H, 0, 0);
        c->in[0] = hy_cast(c->F, hy_floats(c->F, HY_SHAPE(B, S), word), HY_I32);
        if (segments) c->in[1] = hy_cast(c->F, hy_floats(c->F, HY_SHAPE(B, S), segment), HY_I32);
        if (mask) c->in[7] = hy_cast(c->F, hy_floats(c->F, HY_SHAPE(B, S), shown), HY_I32);
        if (places) c->in[8] = hy_cast(c->F, hy_floats(c->F, HY_SHAPE(B, S), place), HY_I32);
        c->inputs = 9;
        c->outputs = 3;
        for (i = 0; i < B * S; i++) {
            double *sum = c->want[0] + i * H, mean = 0, var = 0;
            for (k = 0; k < H; k++) {
                sum[k] = (double)w[(int)word[i] * H + k] + p[(places ? (int)place[i] : i % S) * H + k];
                if (s) sum[k] += s[(int)segment[i] * H + k];
                c->want[2][i * H + k] = sum[k];
                mean += sum[k] / H;
            }
            for (k = 0; k < H; k++) var += (sum[k] - mean) * (sum[k] - mean) / H;
            for (k = 0; k < H; k++) sum[k] = (sum[k] - mean) / sqrt(var + 1e-12) * g[k] + b[k];
        }
        c->want[1][0] = mask ? 2 : 0;
        c->want[1][1] = mask ? 1 : 0;
        c->count[0] = c->count[2] = B * S * H;
        c->count[1] = B;
        ms_gives(c, "EmbedLayerNormalization", 3e-6);
        ms_end(c);
    }
}

/* --- DynamicQuantizeLSTM --- */
/* The numbers on the nearest of 256 steps of their range, which holds 0. */
static void ms_round(double *v, const double *x, const int *counts, int n)
{
    double low = 0, high = 0, step, zero;
    int i;
    for (i = 0; i < n; i++) if (!counts || counts[i]) { low = fmin(low, x[i]); high = fmax(high, x[i]); }
    step = high > low ? (high - low) / 255 : 1;
    zero = nearbyint(-low / step);
    for (i = 0; i < n; i++) v[i] = (fmin(fmax(nearbyint(x[i] / step) + zero, 0), 255) - zero) * step;
}

enum { MS_T = 6, MS_N = 2, MS_I = 3, MS_H = 2, MS_G = 4 * MS_H };
/* One direction: W and R less their zero points, times their scales. length: NULL, or of each sequence. */
static void ms_lstm(const float *x, double (*w)[MS_G], double (*r)[MS_G], const float *b, const int *length, int backward,
                    double *y)
{
    double xr[MS_T * MS_N * MS_I], in[MS_T * MS_N * MS_I], h[MS_N * MS_H] = { 0 }, c[MS_N * MS_H] = { 0 }, hr[MS_N * MS_H];
    int counts[MS_T * MS_N * MS_I], was[MS_N * MS_H], t, n, i, k, most = 0;
    for (n = 0; n < MS_N; n++) if (length[n] > most) most = length[n];
    for (i = 0; i < MS_T * MS_N * MS_I; i++) { in[i] = x[i]; counts[i] = i / (MS_N * MS_I) < most; }
    for (i = 0; i < MS_N * MS_H; i++) was[i] = 1;
    ms_round(xr, in, counts, MS_T * MS_N * MS_I);
    for (t = 0; t < MS_T; t++) {
        ms_round(hr, h, was, MS_N * MS_H);
        for (n = 0; n < MS_N; n++) {
            int at = backward ? length[n] - 1 - t : t;
            double g[MS_G];
            if (t >= length[n]) {
                for (k = 0; k < MS_H; k++) { was[n * MS_H + k] = 0; y[(t * MS_N + n) * MS_H + k] = 0; }
                continue;
            }
            for (k = 0; k < MS_G; k++) {
                g[k] = (double)b[k] + b[MS_G + k];
                for (i = 0; i < MS_I; i++) g[k] += xr[(at * MS_N + n) * MS_I + i] * w[i][k];
                for (i = 0; i < MS_H; i++) g[k] += hr[n * MS_H + i] * r[i][k];
            }
            for (k = 0; k < MS_H; k++) {        /* input, output, forget, cell */
                double *cell = &c[n * MS_H + k];
                *cell = *cell / (1 + exp(-g[2 * MS_H + k])) + tanh(g[3 * MS_H + k]) / (1 + exp(-g[k]));
                y[(at * MS_N + n) * MS_H + k] = h[n * MS_H + k] = tanh(*cell) / (1 + exp(-g[MS_H + k]));
            }
        }
    }
}

static void ms_weights(ms_case *c, int i, int scale, int rows, int of_gates, double (*w)[MS_G])
{
    uint8_t q[MS_I * MS_G], z[MS_G];
    float s[MS_G];
    int k, n = of_gates ? MS_G : 1;
    for (k = 0; k < rows * MS_G; k++) q[k] = (uint8_t)ms_size(c, 0, 255);
    for (k = 0; k < n; k++) { s[k] = (float)(0.02 + 0.01 * ms_random(c)); z[k] = (uint8_t)ms_size(c, 100, 150); }
    for (k = 0; k < rows * MS_G; k++)
        w[k / MS_G][k % MS_G] = ((double)q[k] - z[of_gates ? k % MS_G : 0]) * s[of_gates ? k % MS_G : 0];
    c->in[i] = hy_from(c->F, HY_SHAPE(1, rows, MS_G), HY_U8, q);
    c->in[scale] = of_gates ? hy_floats(c->F, HY_SHAPE(1, MS_G), s) : hy_floats(c->F, HY_SHAPE(1), s);
    c->in[scale + 1] = hy_from(c->F, of_gates ? HY_SHAPE(1, MS_G) : HY_SHAPE(1), HY_U8, z);
}

static void onnx_runtime_lstm(void)
{
    int way;
    for (way = 0; way < 8; way++) {
        static const int whole[] = { MS_T, MS_T }, parts[] = { 1, 6 };
        static const int32_t given[] = { 1, 6 };
        ms_case *c = ms_begin(470 + (uint32_t)way);
        int of_gates = way & 1, backward = way >> 1 & 1, some = way >> 2;
        double w[MS_I][MS_G], r[MS_I][MS_G];
        const float *x = ms_draw(c, 0, MS_T, MS_N, MS_I), *b = ms_draw(c, 3, 1, 2 * MS_G, 0);
        ms_weights(c, 1, 8, MS_I, of_gates, w);
        ms_weights(c, 2, 10, MS_H, of_gates, r);
        if (some) c->in[4] = hy_from(c->F, HY_SHAPE(MS_N), HY_I32, given);
        c->inputs = 12;
        onnx_int_of(&c->node, "hidden_size", MS_H);
        if (backward) onnx_text_of(&c->node, "direction", "reverse");
        ms_lstm(x, w, r, b, some ? parts : whole, backward, c->want[0]);
        c->count[0] = MS_T * MS_N * MS_H;
        ms_gives(c, "DynamicQuantizeLSTM", 2e-5);
        ms_end(c);
    }
}

/* --- MatMulNBits --- */
enum { NB_IN = 6, NB_WAYS = 7 };
typedef struct nb_case {
    int bits, block, k, n, rows, zeros, indexed, biased;        /* zeros: 1 packed, 2 numbers */
    hy_dtype dtype;
    hy_array *in[NB_IN];
    double *want, *terms;               /* by rows: the product, and the sum of absolute terms */
} nb_case;

static void nb_bytes(hy_frame *F, nb_case *c, int i, uint32_t *seed, hy_shape shape, uint8_t *to)
{
    int64_t k, n = 1;
    for (k = 0; k < shape.ndim; k++) n *= shape.dim[k];
    for (k = 0; k < n; k++) to[k] = (uint8_t)((*seed = *seed * 1664525u + 1013904223u) >> 24);
    c->in[i] = hy_from(F, shape, HY_U8, to);
}
/* Random numbers in the case's type, as that rounds them. */
static void nb_reals(hy_frame *F, nb_case *c, int i, hy_shape shape, double low, double high, double *to)
{
    c->in[i] = hy_cast(F, hy_uniform(F, shape, low, high), c->dtype);
    hy_to(F, c->in[i], HY_F64, to, (size_t)hy_size(F, c->in[i]) * sizeof *to);
}
static int nb_at(const uint8_t *from, int64_t i, int bits)
{
    int k, v = 0;
    for (k = 0; k < bits; k++) v |= (from[(i * bits + k) / 8] >> ((i * bits + k) % 8) & 1) << k;
    return v;
}

/* Inputs, and what they give in doubles. */
static void nb_draw(hy_frame *F, nb_case *c, uint32_t seed)
{
    int blocks = (c->k + c->block - 1) / c->block, bytes = c->block / 8 * c->bits, line = blocks * bytes, i, o, t;
    int packed = (blocks * c->bits + 7) / 8;
    uint8_t *w = (uint8_t *)malloc((size_t)(c->n * line)), *z = (uint8_t *)malloc((size_t)(c->n * packed));
    double *a = (double *)malloc(sizeof *a * (size_t)(c->rows * c->k)), *b = (double *)calloc((size_t)c->n, sizeof *b);
    double *s = (double *)malloc(sizeof *s * (size_t)(c->n * blocks)), *real = (double *)malloc(sizeof *s * (size_t)(c->n * blocks));
    int32_t *g = (int32_t *)malloc(sizeof *g * (size_t)(blocks * c->block));
    hy_seed(F, seed);
    nb_reals(F, c, 0, HY_SHAPE(c->rows, c->k), -1, 1, a);
    nb_bytes(F, c, 1, &seed, HY_SHAPE(c->n, blocks, bytes), w);
    nb_reals(F, c, 2, HY_SHAPE(c->n, blocks), 0.01, 0.02, s);
    if (c->zeros == 1) nb_bytes(F, c, 3, &seed, HY_SHAPE(c->n, packed), z);
    if (c->zeros == 2) nb_reals(F, c, 3, HY_SHAPE(c->n, blocks), 0, (1 << c->bits) - 1, real);
    for (t = 0; t < blocks * c->block; t++) g[t] = c->indexed ? (t * 7 + 3) % blocks : t / c->block;
    if (c->indexed) c->in[4] = hy_from(F, HY_SHAPE(c->indexed == 1 ? c->k : blocks * c->block), HY_I32, g);
    if (c->biased) nb_reals(F, c, 5, HY_SHAPE(c->n), -1, 1, b);
    c->want = (double *)malloc(sizeof *c->want * (size_t)(c->rows * c->n));
    c->terms = (double *)malloc(sizeof *c->terms * (size_t)(c->rows * c->n));
    for (i = 0; i < c->rows; i++)
        for (o = 0; o < c->n; o++) {
            double sum = b[o], all = fabs(b[o]);
            for (t = 0; t < c->k; t++) {
                double zero = c->zeros == 1 ? nb_at(z + o * packed, g[t], c->bits)
                    : c->zeros == 2 ? real[o * blocks + g[t]] : 1 << (c->bits - 1);
                double v = a[i * c->k + t] * (nb_at(w + o * line, t, c->bits) - zero) * s[o * blocks + g[t]];
                sum += v;
                all += fabs(v);
            }
            c->want[i * c->n + o] = sum;
            c->terms[i * c->n + o] = all;
        }
    free(w); free(z); free(a); free(b); free(s); free(real); free(g);
}

/* Input `name` becomes an initializer. */
static void nb_tensor(hy_frame *F, onnx_text *graph, const char *name, hy_array *x)
{
    onnx_text t = { NULL, 0, 0 };
    hy_shape s = hy_shape_of(F, x);
    int k;
    for (k = 0; k < s.ndim; k++) { onnx_add(&t, "\x08", 1); onnx_varint(&t, (size_t)s.dim[k]); }
    onnx_add(&t, "\x10", 1);
    onnx_varint(&t, (size_t)onnx__kind_of(hy_dtype_of(F, x)));
    onnx_string(&t, 8, name);
    onnx_field(&t, 9, hy_data(F, x), (size_t)hy_size(F, x) * hy_dtype_size(hy_dtype_of(F, x)));
    onnx_close_into(graph, 5, &t);
    free(t.at);
}

static hy_block *nb_net(hy_frame *F, const nb_case *c, size_t *bytes)
{
    static const char *const names[NB_IN] = { "A", "B", "scales", "zeros", "g_idx", "bias" };
    onnx_text g = { NULL, 0, 0 }, node = { NULL, 0, 0 };
    int dims[2], i;
    dims[0] = c->rows;
    dims[1] = c->k;
    for (i = 0; i < NB_IN; i++) onnx_string(&node, 1, c->in[i] ? names[i] : "");
    for (i = 1; i < NB_IN; i++) if (c->in[i]) nb_tensor(F, &g, names[i], c->in[i]);
    onnx_string(&node, 2, "y");
    onnx_string(&node, 4, "MatMulNBits");
    onnx_string(&node, 7, "com.microsoft");
    onnx_int_of(&node, "K", c->k);
    onnx_int_of(&node, "N", c->n);
    if (c->bits != 4) onnx_int_of(&node, "bits", c->bits);
    onnx_int_of(&node, "block_size", c->block);
    onnx_int_of(&node, "accuracy_level", 1);
    onnx_close_into(&g, 1, &node);
    onnx_typed_value(&g, 11, "A", onnx__kind_of(c->dtype), 2, dims);
    onnx_typed_value(&g, 12, "y", onnx__kind_of(c->dtype), 0, NULL);
    free(node.at);
    if (bytes) *bytes = g.n;
    return onnx_model_of(F, &g, NULL);
}

/* 2^-18 of the sum of absolute terms; halves are two units off besides. */
static void nb_right(hy_frame *F, const nb_case *c, hy_array *y, const char *way, double *keep, int first)
{
    double got[MS_NUMBERS], unit = c->dtype == HY_F16 ? 1.0 / 1024 : c->dtype == HY_BF16 ? 1.0 / 128 : 0;
    int i, n = c->rows * c->n;
    if (!CHECK(y && hy_dtype_of(F, y) == c->dtype && hy_size(F, y) == n)) {
        printf("    %s: %s\n", way, hy_error(F) ? hy_error(F) : "another type or size");
        hy_clear(F);
        return;
    }
    hy_to(F, y, HY_F64, got, sizeof got);
    for (i = 0; i < n && fabs(got[i] - c->want[i]) <= 1.0 / 262144 * c->terms[i] + 2 * unit * fabs(c->want[i]); i++) {}
    if (!CHECK(i == n)) printf("    %s, bits %d: %g, want %g\n", way, c->bits, got[i], c->want[i]);
    if (first) memcpy(keep, got, sizeof got);
    else if (!CHECK(!memcmp(keep, got, sizeof *got * (size_t)n))) printf("    %s, bits %d: other bits\n", way, c->bits);
}

/* Line by line, compiled, bound, saved as a single file and as ONNX. */
static void nb_ways(hy_frame *F, nb_case *c, double *keep, int first)
{
    static double room[1 << 15];
    hy_block *net = nb_net(F, c, NULL), *again;
    hy_array *saved;
    nb_right(F, c, net ? hy_call(F, net, c->in[0]) : NULL, "line by line", keep, first);
    if (!net) return;
    hy_hybridize(F, net, NULL);
    nb_right(F, c, hy_call(F, net, c->in[0]), "compiled", keep, 0);
    saved = hy_save_model_to(F, net, NULL);
    again = saved ? hy_load_model_from(F, hy_data(F, saved), (size_t)hy_size(F, saved), 0) : NULL;
    nb_right(F, c, again ? hy_call(F, again, c->in[0]) : NULL, "saved", keep, 0);
    if (again) hy_hybridize(F, again, NULL);
    if (again && CHECK(!hy_bind(F, again, c->in[0], room, sizeof room)))
        nb_right(F, c, hy_call(F, again, c->in[0]), "bound", keep, 0);
    hy_block_free(F, again);
    saved = hy_onnx_to(F, net, c->in[0], 17);
    again = saved ? hy_onnx_from(F, hy_data(F, saved), (size_t)hy_size(F, saved), NULL) : NULL;
    nb_right(F, c, again ? hy_call(F, again, c->in[0]) : NULL, "ONNX", keep, 0);
    if (!CHECK(!hy_error(F))) printf("    %s\n", hy_error(F));
    hy_clear(F);
}

static void onnx_runtime_nbits(void)
{
    static const hy_dtype types[] = { HY_F32, HY_F32, HY_F16, HY_BF16 };
    static double keep[MS_NUMBERS];
    int way, threads;
    for (way = 0; way < 28; way++)
        for (threads = 1; threads <= 4; threads += 3) {
            nb_case c;
            hy_desc desc;
            hy_frame *F;
            memset(&c, 0, sizeof c);
            memset(&desc, 0, sizeof desc);
            desc.threads = threads;
            F = hy_open(&desc);
            c.bits = 2 + way % 7;
            c.block = 16 << way % 4;
            c.k = 30 + 29 * (way % 5);
            c.n = 5 + 13 * (way % 3);
            c.rows = way % 6 ? 1 + way % 3 : 70;
            c.zeros = way % 3;
            c.indexed = way % 4 == 3 ? 1 + way / 4 % 2 : 0;
            c.biased = way % 2;
            c.dtype = types[way / 7];
            nb_draw(F, &c, 570 + (uint32_t)way);
            nb_ways(F, &c, keep, threads == 1);
            free(c.want);
            free(c.terms);
            CHECK(hy_close(F) == 0);
        }
}

/* Weights stay packed: what a compiled call holds, parameters and all, is hardly more than the file. */
static void onnx_runtime_nbits_stay_packed(void)
{
    static const int bits[] = { 2, 4, 8 };
    int i;
    for (i = 0; i < 3; i++) {
        hy_frame *F = hy_open(NULL);
        nb_case c;
        hy_block *net;
        hy_plan_info plan;
        size_t bytes = 0, held;
        memset(&c, 0, sizeof c);
        c.bits = bits[i];
        c.block = 32;
        c.k = 4096;
        c.n = 1024;
        c.rows = 1;
        c.zeros = 1;
        c.dtype = HY_F32;
        nb_draw(F, &c, 3);
        net = nb_net(F, &c, &bytes);
        if (net) hy_hybridize(F, net, NULL);
        plan = hy_plan(F, net, c.in[0]);
        held = plan.total + plan.parameters;
        printf("    %d bits: %d bytes in the file, %d planned: %.3f\n", c.bits, (int)bytes, (int)held, (double)held / (double)bytes);
        CHECK(net && plan.parameters > 1024 * 4096 / 8 * (size_t)c.bits && (double)held <= 1.2 * (double)bytes);
        free(c.want);
        free(c.terms);
        CHECK(hy_close(F) == 0);
    }
}

/* A weight of which a size is 0 is none: the bias is what comes. */
static void onnx_runtime_nbits_omitted(void)
{
    static const uint8_t none[1] = { 0 };
    ms_case *c = ms_begin(8);
    const float *bias;
    int i;
    ms_draw(c, 0, 2, 3, 20);
    c->in[1] = hy_from(c->F, HY_SHAPE(5, 0, 8), HY_U8, none);
    c->in[2] = hy_zeros(c->F, HY_SHAPE(0));
    bias = ms_draw(c, 5, 5, 0, 0);
    onnx_int_of(&c->node, "K", 20);
    onnx_int_of(&c->node, "N", 5);
    onnx_int_of(&c->node, "block_size", 16);
    for (i = 0; i < 30; i++) c->want[0][i] = bias[i % 5];
    c->count[0] = 30;
    ms_gives(c, "MatMulNBits", 0);
    ms_end(c);
}

static void nb_refused(int which, const char *says)
{
    static const uint8_t bytes[256] = { 0 };
    static const float index[20] = { 0, 1, 7 };
    ms_case *c = ms_begin(10 + (uint32_t)which);
    c->count[0] = 1;
    ms_draw(c, 0, 2, which == 1 ? 21 : 20, 0);
    c->in[1] = hy_from(c->F, which == 2 ? HY_SHAPE(5, 2, 9) : which == 3 ? HY_SHAPE(5, 1, 16) : which == 4 ? HY_SHAPE(80)
                       : HY_SHAPE(5, 2, 8), HY_U8, bytes);
    if (which == 5) c->in[1] = hy_cast(c->F, c->in[1], HY_I8);
    ms_draw(c, 2, 5, which == 6 ? 3 : 2, 0);
    if (which == 7) c->in[3] = hy_from(c->F, HY_SHAPE(5, 2), HY_U8, bytes);
    if (which == 8) c->in[3] = hy_zeros(c->F, HY_SHAPE(5, 1));
    if (which == 9) c->in[3] = hy_cast(c->F, hy_zeros(c->F, HY_SHAPE(5, 2)), HY_F16);
    if (which == 10) c->in[4] = hy_cast(c->F, hy_zeros(c->F, HY_SHAPE(21)), HY_I32);
    if (which == 11) c->in[4] = hy_cast(c->F, hy_floats(c->F, HY_SHAPE(20), index), HY_I32);
    if (which == 12) ms_draw(c, 5, 6, 0, 0);
    c->inputs = which == 12 ? 6 : which > 9 && which < 12 ? 5 : which > 6 && which < 10 ? 4 : 3;
    onnx_int_of(&c->node, "K", which == 13 ? 0 : 20);
    if (which != 14) onnx_int_of(&c->node, "N", 5);
    onnx_int_of(&c->node, "block_size", which == 15 ? 8 : which == 16 ? 24 : 16);
    onnx_int_of(&c->node, "bits", which == 17 ? 1 : which == 18 ? 9 : 4);
    if (which == 19) onnx_int_of(&c->node, "weight_prepacked", 1);
    if (which == 20) onnx_int_of(&c->node, "accuracy_level", 5);
    if (which == 21) c->in[0] = hy_cast(c->F, c->in[0], HY_F64);
    if (which == 22) { c->in[2] = NULL; c->inputs = 2; }
    ms_refused(c, "MatMulNBits", says);
    ms_end(c);
}

static void onnx_runtime_nbits_refused(void)
{
    static const char *const says[] = { NULL, "input 0, A, has no rows of 20 numbers", "(5,2,8) is due", "(5,2,8) is due",
        "(5,2,8) is due", "input 1, B, is not uint8", "input 2, scales, does not fit: (5,2) is due",
        "input 3, zero_points, does not fit: (5,1) is due", "input 3, zero_points, does not fit: (5,2) is due", "zero_points",
        "input 4, g_idx, does not fit: 20 numbers", "g_idx names a block that is not there", "input 5, bias, does not fit",
        "K is 0", "attribute N is due", "block_size is 8", "block_size is 24: a power of two", "bits is 1: a number from 2 to 8",
        "bits is 9", "weight_prepacked is 1", "accuracy_level is 5", "float64", "input 2, scales, is due" };
    int i;
    for (i = 1; i < (int)(sizeof says / sizeof *says); i++) nb_refused(i, says[i]);
}

static void onnx_runtime_refused(void)
{
    ms_case *c = ms_begin(9);
    c->count[0] = 1;
    ms_draw(c, 0, 2, 3, 4);
    ms_refused(c, "BiasGelu", "input 1, B, is due");
    ms_draw(c, 0, 2, 3, 4);
    ms_draw(c, 1, 3, 0, 0);
    ms_refused(c, "BiasGelu", "input 1, B, is no vector of 4 numbers");
    ms_draw(c, 0, 2, 3, 4);
    ms_draw(c, 1, 1, 4, 0);
    ms_refused(c, "FastGelu", "input 1, bias, is no vector of 4 numbers");
    ms_draw(c, 0, 2, 3, 0);
    ms_draw(c, 1, 3, 2, 0);
    onnx_text_of(&c->node, "activation", "Riddle");
    ms_refused(c, "FusedGemm", "activation Riddle");
    ms_draw(c, 0, 2, 3, 0);
    ms_draw(c, 1, 3, 2, 0);
    onnx_text_of(&c->node, "activation", "LeakyRelu");
    ms_refused(c, "FusedGemm", "activation LeakyRelu takes 1 number");
    ms_draw(c, 0, 2, 3, 4);
    ms_draw(c, 1, 2, 2, 4);
    ms_draw(c, 2, 4, 0, 0);
    ms_refused(c, "SkipLayerNormalization", "skip does not fit");
    ms_draw(c, 0, 2, 3, 4);
    ms_draw(c, 1, 2, 3, 4);
    ms_refused(c, "SkipSimplifiedLayerNormalization", "input 2, gamma, is due");
    ms_draw(c, 0, 3, 0, 0);
    ms_draw(c, 1, 3, 0, 0);
    ms_draw(c, 2, 3, 0, 0);
    ms_refused(c, "SkipLayerNormalization", "2 or 3 dims");
    ms_draw(c, 0, 1, 2, 3);
    ms_draw(c, 1, 1, 3, 8);
    ms_draw(c, 2, 1, 2, 8);
    ms_draw(c, 8, 5, 0, 0);
    ms_draw(c, 10, 1, 0, 0);
    onnx_int_of(&c->node, "hidden_size", 2);
    ms_refused(c, "DynamicQuantizeLSTM", "input 8 does not fit the weights");
    ms_draw(c, 0, 2, 3, 4);
    ms_refused(c, "NoSuchThing", "com.microsoft");
    ms_end(c);
}

static void test_onnx_runtime(void)
{
    RUN(onnx_runtime_gelus);
    RUN(onnx_runtime_products);
    RUN(onnx_runtime_followed);
    RUN(onnx_runtime_skips);
    RUN(onnx_runtime_embeddings);
    RUN(onnx_runtime_lstm);
    RUN(onnx_runtime_nbits);
    RUN(onnx_runtime_nbits_stay_packed);
    RUN(onnx_runtime_nbits_omitted);
    RUN(onnx_runtime_nbits_refused);
    RUN(onnx_runtime_refused);
}
