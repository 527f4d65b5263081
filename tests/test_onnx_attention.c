/* Attention of ONNX Runtime (com.microsoft), one node a file: Attention, MultiHeadAttention, GroupQueryAttention and
 * RotaryEmbedding against their definitions in doubles, line by line and compiled, and what does not fit by name. */
enum { MA_MOST = 4096 };
typedef struct ma_case {
    ms_case *c;
    int B, N, K, T, S, D, E;            /* batch, heads, those of keys, queries, keys, numbers of a key and of a value */
    double q[MA_MOST], k[MA_MOST], v[MA_MOST];          /* (B,N,T,D), (B,K,S,D), (B,K,S,E) */
    double bias[MA_MOST];               /* (B,N,T,S), -HUGE_VAL: hidden */
    double sink[16], scale, softcap;
    int sunk;
} ma_case;

static ma_case *ma_begin(uint32_t seed)
{
    ma_case *m = (ma_case *)calloc(1, sizeof *m);
    m->c = ms_begin(seed);
    return m;
}
static void ma_end(ma_case *m) { ms_end(m->c); free(m); }

/* Input i of any shape, random. */
static const float *ma_draw(ma_case *m, int i, hy_shape s)
{
    const float *v;
    int n = 1, k;
    for (k = 0; k < s.ndim; k++) n *= (int)s.dim[k];
    v = ms_draw(m->c, i, n, 0, 0);
    m->c->in[i] = hy_floats(m->c->F, s, v);
    return v;
}
static void ma_whole(ma_case *m, int i, hy_shape s, const int32_t *v)
{
    m->c->in[i] = hy_from(m->c->F, s, HY_I32, v);
    if (m->c->inputs <= i) m->c->inputs = i + 1;
}
/* Element (b, h, t, d) of heads side by side, (B,T,heads D), as one apart. */
static void ma_apart(double *to, const float *x, int B, int heads, int T, int D, int line, int from)
{
    int b, h, t, d;
    for (b = 0; b < B; b++) for (h = 0; h < heads; h++) for (t = 0; t < T; t++) for (d = 0; d < D; d++)
        to[((b * heads + h) * T + t) * D + d] = x[(b * T + t) * line + from + h * D + d];
}
/* Row t of P old rows, or of n new ones behind them. */
static void ma_behind(double *to, const float *past, const double *rows, int groups, int P, int n, int D)
{
    int g, t, d;
    for (g = 0; g < groups; g++) for (t = 0; t < P + n; t++) for (d = 0; d < D; d++)
        to[(g * (P + n) + t) * D + d] = t < P ? past[(g * P + t) * D + d] : rows[(g * n + t - P) * D + d];
}

/* What comes out: (B,T,heads E), into output 0. */
static void ma_wanted(ma_case *m)
{
    int b, h, t, s, e, own;
    for (b = 0; b < m->B; b++) for (h = 0; h < m->N; h++) for (t = 0; t < m->T; t++) {
        const double *q = m->q + ((b * m->N + h) * m->T + t) * m->D;
        double p[64], top = m->sunk ? m->sink[h] : -HUGE_VAL, sum = 0, *y = m->c->want[0] + (b * m->T + t) * m->N * m->E + h * m->E;
        own = b * m->K + h / (m->N / m->K);
        for (s = 0; s < m->S; s++) {
            p[s] = 0;
            for (e = 0; e < m->D; e++) p[s] += q[e] * m->k[(own * m->S + s) * m->D + e];
            p[s] *= m->scale != 0 ? m->scale : 1 / sqrt((double)m->D);
            if (m->softcap > 0) p[s] = m->softcap * tanh(p[s] / m->softcap);
            p[s] += m->bias[((b * m->N + h) * m->T + t) * m->S + s];
            top = fmax(top, p[s]);
        }
        for (s = 0; s < m->S; s++) sum += p[s] = exp(p[s] - top);
        if (m->sunk) sum += exp(m->sink[h] - top);
        for (e = 0; e < m->E; e++) y[e] = 0;
        for (s = 0; s < m->S; s++) for (e = 0; e < m->E; e++) y[e] += p[s] / sum * m->v[(own * m->S + s) * m->E + e];
    }
    m->c->count[0] = m->B * m->T * m->N * m->E;
}
/* Adds to the scores of sample b (all: -1), query t and key s. */
static void ma_score(ma_case *m, int b, int t, int s, double v)
{
    int i, h;
    for (i = b < 0 ? 0 : b; i < (b < 0 ? m->B : b + 1); i++)
        for (h = 0; h < m->N; h++) m->bias[((i * m->N + h) * m->T + t) * m->S + s] += v;
}
static void ma_causal(ma_case *m, int past)
{
    int t, s;
    for (t = 0; t < m->T; t++) for (s = past + t + 1; s < m->S; s++) ma_score(m, -1, t, s, -HUGE_VAL);
}
/* A mask as input i: 1 ends, 2 ends and beginnings, 3 a number a key, 4 one for each query, too. */
static void ma_mask(ma_case *m, int i, int kind, double fill)
{
    static int32_t v[512];
    const int n = kind == 1 ? m->B : kind == 2 ? 2 * m->B : kind == 3 ? m->B * m->S : m->B * m->T * m->S;
    int k, b, t, s;
    for (k = 0; k < n; k++) v[k] = kind > 2 ? ms_random(m->c) > 0 : k < m->B ? ms_size(m->c, 1, m->S) : ms_size(m->c, 0, v[k - m->B] - 1);
    ma_whole(m, i, kind < 3 ? HY_SHAPE(n) : kind == 3 ? HY_SHAPE(m->B, m->S) : HY_SHAPE(m->B, m->T, m->S), v);
    for (b = 0; b < m->B; b++) for (t = 0; t < m->T; t++) for (s = 0; s < m->S; s++)
        if (kind == 4 ? !v[(b * m->T + t) * m->S + s] : kind == 3 ? !v[b * m->S + s] : s >= v[b] || (kind == 2 && s < v[m->B + b]))
            ma_score(m, b, t, s, fill);
}
/* What is added to scores as input i, of one sample or head or of all; the last `keys` of them. */
static void ma_added(ma_case *m, int i, int samples, int heads)
{
    const float *v = ma_draw(m, i, HY_SHAPE(samples, heads, m->T, m->S));
    int b, h, k;
    for (b = 0; b < m->B; b++) for (h = 0; h < m->N; h++) for (k = 0; k < m->T * m->S; k++)
        m->bias[(b * m->N + h) * m->T * m->S + k] += v[((samples > 1 ? b : 0) * heads + (heads > 1 ? h : 0)) * m->T * m->S + k];
}

/* (T pairs) of `heads` turned by tables of `half` columns; the place of query t of sample b: at[b * T + t]. */
static void ma_turn(double *x, int B, int heads, int T, int D, int half, int pairs, const int *at, const float *c, const float *sn)
{
    int b, h, t, i;
    for (b = 0; b < B; b++) for (h = 0; h < heads; h++) for (t = 0; t < T; t++) for (i = 0; i < half; i++) {
        double *y = x + ((b * heads + h) * T + t) * D;
        const int j = pairs ? 2 * i : i, k = pairs ? j + 1 : i + half, row = at[b * T + t] * half + i;
        const double re = y[j], im = y[k];
        y[j] = re * c[row] - im * sn[row];
        y[k] = re * sn[row] + im * c[row];
    }
}

static void onnx_runtime_rotary(void)
{
    int way;
    for (way = 0; way < 16; way++) {
        ma_case *m = ma_begin(900 + (uint32_t)way);
        const int apart = way & 1, pairs = way >> 1 & 1, part = way >> 2 & 1, one = way >> 3, B = 2, N = 3, T = 4, D = 8, most = 9;
        const int half = part ? 3 : D / 2;
        static int64_t given[8];
        const float *x, *c, *s;
        int at[8], b, t, h, d;
        x = ma_draw(m, 0, apart ? HY_SHAPE(B, N, T, D) : HY_SHAPE(B, T, N * D));
        for (t = 0; t < B * T; t++) at[t] = (int)(given[t] = one ? 3 : ms_size(m->c, 0, most - 1));
        m->c->in[1] = hy_from(m->c->F, one ? HY_SHAPE(1) : HY_SHAPE(B, T), HY_I64, given);
        for (t = 0; one && t < B * T; t++) at[t] += t % T;
        c = ma_draw(m, 2, HY_SHAPE(most, half));
        s = ma_draw(m, 3, HY_SHAPE(most, half));
        if (pairs) onnx_int_of(&m->c->node, "interleaved", 1);
        if (part) onnx_int_of(&m->c->node, "rotary_embedding_dim", 2 * half);
        if (part || way % 3) onnx_int_of(&m->c->node, "num_heads", N);
        if (apart) for (d = 0; d < B * N * T * D; d++) m->q[d] = x[d];
        else ma_apart(m->q, x, B, N, T, D, N * D, 0);
        ma_turn(m->q, B, N, T, D, half, pairs, at, c, s);
        for (b = 0; b < B; b++) for (h = 0; h < N; h++) for (t = 0; t < T; t++) for (d = 0; d < D; d++)
            m->c->want[0][apart ? ((b * N + h) * T + t) * D + d : (b * T + t) * N * D + h * D + d] = m->q[((b * N + h) * T + t) * D + d];
        m->c->count[0] = B * N * T * D;
        ms_gives(m->c, "RotaryEmbedding", 1e-6);
        ma_end(m);
    }
}

static void onnx_runtime_attention(void)
{
    int way;
    for (way = 0; way < 20; way++) {
        ma_case *m = ma_begin(940 + (uint32_t)way);
        const int kind = way % 5, B = m->B = 2, N = m->N = m->K = 3, T = m->T = 4, D = m->D = ms_size(m->c, 2, 6), in = 5;
        const int P = way % 3 ? 0 : 3, E = m->E = P || way % 2 ? D : 4, line = N * (2 * D + E), most = way % 4 == 3;
        static float whole[MS_NUMBERS], past[2][512];
        double rows[2][512];
        const float *x, *w, *b, *p;
        int i, k, o;
        m->S = T + P;
        onnx_int_of(&m->c->node, "num_heads", N);
        x = ma_draw(m, 0, HY_SHAPE(B, T, in));
        w = ma_draw(m, 1, HY_SHAPE(in, line));
        b = way % 7 ? ma_draw(m, 2, HY_SHAPE(line)) : NULL;
        for (i = 0; i < B * T; i++) for (o = 0; o < line; o++) {
            double sum = b ? b[o] : 0;
            for (k = 0; k < in; k++) sum += x[i * in + k] * (double)w[k * line + o];
            whole[i * line + o] = (float)sum;
        }
        ma_apart(m->q, whole, B, N, T, D, line, 0);
        ma_apart(rows[0], whole, B, N, T, D, line, N * D);
        ma_apart(rows[1], whole, B, N, T, E, line, 2 * N * D);
        if (P) {
            p = ma_draw(m, 4, HY_SHAPE(2, B, N, P, D));
            for (k = 0; k < 2; k++) memcpy(past[k], p + k * B * N * P * D, sizeof(float) * (size_t)(B * N * P * D));
        }
        ma_behind(m->k, past[0], rows[0], B * N, P, T, D);
        ma_behind(m->v, past[1], rows[1], B * N, P, T, E);
        if (E != D) {
            const int64_t sizes[3] = { N * D, N * D, N * E };
            onnx_ints_of(&m->c->node, "qkv_hidden_sizes", 3, sizes);
        }
        if (kind) ma_mask(m, 3, kind, most ? -7.5 : -10000);
        if (most) ms_float_of(m->c, "mask_filter_value", -7.5f);
        if (way % 4 == 2) ma_added(m, 5, way % 8 == 2 ? 1 : B, way % 3 ? 1 : N);
        if (way % 2) { onnx_int_of(&m->c->node, "unidirectional", 1); ma_causal(m, P); }
        if (way % 5 == 4) ms_float_of(m->c, "scale", (float)(m->scale = 0.375));
        ma_wanted(m);
        if (P) {
            m->c->outputs = 2;
            for (k = 0; k < B * N * m->S * D; k++) { m->c->want[1][k] = m->k[k]; m->c->want[1][B * N * m->S * D + k] = m->v[k]; }
            m->c->count[1] = 2 * B * N * m->S * D;
        }
        ms_gives(m->c, "Attention", kind && !most ? 3e-3 : 2e-5);       /* scores of -10000 have few places left */
        ma_end(m);
    }
}

static void onnx_runtime_multi_head(void)
{
    int way;
    for (way = 0; way < 24; way++) {
        ma_case *m = ma_begin(980 + (uint32_t)way);
        const int form = way % 4 ? 0 : way / 4 % 4;     /* apart, keys apart, all packed, keys and values packed */
        const int B = m->B = 2, N = m->N = m->K = 2, D = m->D = ms_size(m->c, 2, 6), E = m->E = form > 1 || way % 3 ? D : 3;
        const int T = m->T = way % 6 == 5 ? 1 : 4, P = !form && way % 3 == 1 ? 3 : 0, L = form == 2 || way % 2 ? T : 5, kind = way / 2 % 4;
        const int low = way % 8 == 6, begins = kind == 2;
        float past[2][512];
        double rows[2][512];
        const float *x, *b = NULL;
        int i, k;
        m->S = L + P;
        onnx_int_of(&m->c->node, "num_heads", N);
        x = ma_draw(m, 0, form == 2 ? HY_SHAPE(B, T, N, 3, D) : HY_SHAPE(B, T, N * D));
        if (form == 2) for (i = 0; i < B * N * T * D; i++) {
            const int d = i % D, t = i / D % T, h = i / D / T % N, s = i / D / T / N;
            const float *at = x + (((s * T + t) * N + h) * 3) * D + d;
            m->q[i] = at[0]; rows[0][i] = at[D]; rows[1][i] = at[2 * D];
        } else ma_apart(m->q, x, B, N, T, D, N * D, 0);
        if (form == 3) {
            x = ma_draw(m, 1, HY_SHAPE(B, L, N, 2, D));
            for (i = 0; i < B * N * L * D; i++) {
                const float *at = x + (((i / D / L / N * L + i / D % L) * N + i / D / L % N) * 2) * D + i % D;
                rows[0][i] = at[0]; rows[1][i] = at[D];
            }
        }
        for (k = 0; k < 2 && form < 2; k++) {
            const int size = k ? E : D;
            x = ma_draw(m, 1 + k, form ? HY_SHAPE(B, N, L, size) : HY_SHAPE(B, L, N * size));
            if (form) for (i = 0; i < B * N * L * size; i++) rows[k][i] = x[i];
            else ma_apart(rows[k], x, B, N, L, size, N * size, 0);
            if (P) memcpy(past[k], ma_draw(m, 6 + k, HY_SHAPE(B, N, P, size)), sizeof(float) * (size_t)(B * N * P * size));
        }
        if (way % 2) b = ma_draw(m, 3, HY_SHAPE(N * (2 * D + E)));
        for (i = 0; b && i < B * N * T * D; i++) m->q[i] += b[i / D / T % N * D + i % D];
        for (i = 0; b && form != 1 && i < B * N * L * D; i++) rows[0][i] += b[N * D + i / D / L % N * D + i % D];
        for (i = 0; b && form != 1 && i < B * N * L * E; i++) rows[1][i] += b[2 * N * D + i / E / L % N * E + i % E];
        ma_behind(m->k, past[0], rows[0], B * N, P, L, D);
        ma_behind(m->v, past[1], rows[1], B * N, P, L, E);
        if (kind) ma_mask(m, 4, begins ? 4 : kind, low ? -7.5 : -10000);
        if (low) ms_float_of(m->c, "mask_filter_value", -7.5f);
        if (way % 5 == 2) ma_added(m, 5, way % 2 ? 1 : B, way % 3 ? 1 : N);
        if (way % 3 == 1 && (L == T || T == 1)) {
            onnx_int_of(&m->c->node, "unidirectional", 1);
            if (T > 1) ma_causal(m, P);
        }
        if (way % 7 == 4) ms_float_of(m->c, "scale", (float)(m->scale = 0.375));
        ma_wanted(m);
        if (P) {
            m->c->outputs = 3;
            memcpy(m->c->want[1], m->k, sizeof(double) * (size_t)(m->c->count[1] = B * N * m->S * D));
            memcpy(m->c->want[2], m->v, sizeof(double) * (size_t)(m->c->count[2] = B * N * m->S * E));
        }
        ms_gives(m->c, "MultiHeadAttention", kind && !low ? 3e-3 : 2e-5);
        ma_end(m);
    }
}

/* A cache: none yet, one that grows, one of a fixed size with rows in it, one without. What is not specified (rows
 * behind a sample's end) is wanted as NaN, which no difference is found to. */
enum { GQ_NONE, GQ_GROWS, GQ_FIXED, GQ_FRESH };
static void gq_case(int way, int mode)
{
    ma_case *m = ma_begin(1020 + 7 * (uint32_t)way);
    const int K = m->K = 1 + way % 2, N = m->N = K * (1 + way % 3), D = m->D = m->E = 8, T = m->T = way % 4 == 3 ? 1 : 3;
    const int B = m->B = mode == GQ_NONE || mode == GQ_FRESH || T == 1 ? 1 + way % 2 : 1, packed = way % 5 == 2, turns = way % 3 != 1, pairs = way & 1;
    const int P = mode == GQ_NONE ? 0 : mode == GQ_GROWS ? 4 : mode == GQ_FIXED ? 4 + T : 2 + T, rows = mode == GQ_GROWS ? P + T : mode == GQ_NONE ? T : P;
    const int first = mode == GQ_NONE || mode == GQ_FRESH, total = first ? T : mode == GQ_GROWS ? P + T : P - 1;
    const int window = way % 7 == 4 ? 2 : 0, all = way % 11 == 9 && !window, line = (packed ? N + 2 * K : N) * D, half = way % 2 ? 4 : 2, bias = way % 4 == 2;
    const int32_t totals[1] = { total };
    static float past[2][1024];
    double fresh[2][1024];
    const float *q, *k, *v, *c, *s;
    int at[16], begin[2], i, b, t, j;
    int32_t ends[2];
    q = ma_draw(m, 0, HY_SHAPE(B, T, line));
    k = packed ? q : ma_draw(m, 1, HY_SHAPE(B, T, K * D));
    v = packed ? q : ma_draw(m, 2, HY_SHAPE(B, T, K * D));
    ma_apart(m->q, q, B, N, T, D, line, 0);
    ma_apart(fresh[0], k, B, K, T, D, packed ? line : K * D, packed ? N * D : 0);
    ma_apart(fresh[1], v, B, K, T, D, packed ? line : K * D, packed ? (N + K) * D : 0);
    for (i = 0; P && i < 2; i++) memcpy(past[i], ma_draw(m, 3 + i, HY_SHAPE(B, K, P, D)), sizeof(float) * (size_t)(B * K * P * D));
    for (b = 0; b < B; b++) {
        ends[b] = total - 1 - (b > 0 && (T > 1 || !first) && way % 3 != 0);         /* the second sample is shorter */
        begin[b] = first ? 0 : ends[b] + 1 - T;
        for (t = 0; t < T; t++) at[b * T + t] = begin[b] + t;
    }
    ma_whole(m, 5, HY_SHAPE(B), ends);
    ma_whole(m, 6, way & 1 ? HY_SHAPE(1) : HY_SCALAR, totals);
    onnx_int_of(&m->c->node, "num_heads", N);
    onnx_int_of(&m->c->node, "kv_num_heads", K);
    if (turns) {
        c = ma_draw(m, 7, HY_SHAPE(rows + 2, half));
        s = ma_draw(m, 8, HY_SHAPE(rows + 2, half));
        ma_turn(m->q, B, N, T, D, half, pairs, at, c, s);
        ma_turn(fresh[0], B, K, T, D, half, pairs, at, c, s);
        onnx_int_of(&m->c->node, "do_rotary", 1);
        if (pairs) onnx_int_of(&m->c->node, "rotary_interleaved", 1);
        if (way % 6 == 0) {
            int64_t places[16];
            for (t = 0; t < B * T; t++) places[t] = at[t];
            m->c->in[9] = hy_from(m->c->F, HY_SHAPE(B, T), HY_I64, places);
            m->c->inputs = 10;
        }
    }
    m->S = total;
    if (bias) ma_added(m, 10, way % 8 == 2 ? 1 : B, way % 3 ? N : 1);
    for (b = 0; b < B; b++) for (t = 0; t < T; t++) for (j = 0; j < total; j++)
        if (all ? j > ends[b] : j > begin[b] + t || (window && j <= begin[b] + t - window)) ma_score(m, b, t, j, -HUGE_VAL);
    for (i = 0; i < 2; i++) for (b = 0; b < B * K; b++) for (t = 0; t < total; t++) for (j = 0; j < D; j++) {
        const int own = t - begin[b / K], there = own >= 0 && own < T;
        (i ? m->v : m->k)[(b * total + t) * D + j] = there ? fresh[i][(b * T + own) * D + j] : t < P ? past[i][(b * P + t) * D + j] : 0;
    }
    if (window) onnx_int_of(&m->c->node, "local_window_size", window);
    if (all) onnx_int_of(&m->c->node, "causal", 0);
    if (way % 9 == 5) ms_float_of(m->c, "softcap", (float)(m->softcap = 1.5));
    if (way % 9 == 8) { m->sunk = 1; onnx_int_of(&m->c->node, "smooth_softmax", 1); }
    if (way % 9 == 1 || way % 18 == 5) {
        const float *sink = ma_draw(m, 11, HY_SHAPE(N));
        for (m->sunk = 1, i = 0; i < N; i++) m->sink[i] = sink[i];
    }
    ma_wanted(m);
    for (b = 0; b < B; b++) for (t = 0; t < T; t++) for (j = 0; j < N * D && begin[b] + t > ends[b]; j++)
        m->c->want[0][(b * T + t) * N * D + j] = NAN;
    m->c->outputs = 3;
    for (i = 0; i < 2; i++) {
        m->c->count[1 + i] = B * K * rows * D;
        for (b = 0; b < B * K; b++) for (t = 0; t < rows; t++) for (j = 0; j < D; j++)
            m->c->want[1 + i][(b * rows + t) * D + j] = t <= ends[b / K] ? (i ? m->v : m->k)[(b * total + t) * D + j] : NAN;
    }
    ms_gives(m->c, "GroupQueryAttention", 1e-5);
    if (test_broken) printf("    way %d, mode %d\n", way, mode);
    ma_end(m);
}
static void onnx_runtime_group_query(void)
{
    int way, mode;
    for (way = 0; way < 36; way++) for (mode = GQ_NONE; mode <= GQ_FRESH; mode++) gq_case(way, mode);
}

/* What is not taken, or does not fit: each change of a node that is right. */
static void ma_refused(const char *op, int which, const char *says)
{
    static const int32_t few[4] = { 3, 3, 3, 3 }, much[1] = { 9 }, four[1] = { 4 };
    const int rotary = *op == 'R', whole = *op == 'A', grouped = *op == 'G';
    ma_case *m = ma_begin(1300 + (uint32_t)which);
    onnx_text *n = &m->c->node;
    hy_frame *F = m->c->F;
    m->c->count[0] = 1;
    if (rotary) {
        const int64_t at[1] = { which == 2 ? 7 : 1 };
        ma_draw(m, 0, which == 3 ? HY_SHAPE(2, 3) : HY_SHAPE(2, 3, which == 4 ? 7 : 8));
        m->c->in[1] = which == 5 ? NULL : hy_from(F, which == 6 ? HY_SCALAR : HY_SHAPE(1), HY_I64, at);
        ma_draw(m, 2, HY_SHAPE(9, which == 7 ? 3 : 2));
        ma_draw(m, 3, HY_SHAPE(9, 2));
        if (which < 8) onnx_int_of(n, "num_heads", 2);
        if (which == 8) onnx_int_of(n, "rotary_embedding_dim", 4);
        if (which == 9) ms_float_of(m->c, "scale", 2);
        if (which == 10) onnx_int_of(n, "is_packed_batching", 1);
    } else if (whole) {
        const int64_t sizes[3] = { 4, which == 1 ? 3 : 4, 4 }, longer[3] = { 4, 4, 6 };
        ma_draw(m, 0, HY_SHAPE(2, 3, 5));
        ma_draw(m, 1, which == 2 ? HY_SHAPE(4, 12) : HY_SHAPE(5, 12));
        if (which == 3) ma_draw(m, 2, HY_SHAPE(11));
        if (which == 4) ma_whole(m, 3, HY_SHAPE(3), few);
        if (which == 5) ma_draw(m, 4, HY_SHAPE(2, 2, 2, 3, 3));
        if (which == 6) ma_draw(m, 5, HY_SHAPE(1, 2, 3, 4));
        if (which == 7) ma_whole(m, 6, HY_SHAPE(1), few);
        if (which != 8) onnx_int_of(n, "num_heads", which == 9 ? 5 : 2);
        if (which == 1) onnx_ints_of(n, "qkv_hidden_sizes", 3, sizes);
        if (which == 10) onnx_ints_of(n, "qkv_hidden_sizes", 3, longer);
        if (which == 11) onnx_int_of(n, "do_rotary", 1);
        if (which == 12) onnx_int_of(n, "past_present_share_buffer", 1);
        if (which == 13) { m->c->in[1] = NULL; m->c->inputs = 1; }
    } else if (!grouped) {
        ma_draw(m, 0, HY_SHAPE(2, 3, 4));
        ma_draw(m, 1, which == 1 ? HY_SHAPE(2, 3, 6) : HY_SHAPE(2, which == 2 ? 5 : 3, 4));
        ma_draw(m, 2, which == 3 ? HY_SHAPE(2, 4, 4) : HY_SHAPE(2, which == 2 ? 5 : 3, 4));
        if (which == 4) ma_draw(m, 3, HY_SHAPE(13));
        if (which == 5) ma_whole(m, 4, HY_SHAPE(4), few);
        if (which == 6) ma_draw(m, 5, HY_SHAPE(3, 1, 3, 3));
        if (which == 7 || which == 8) ma_draw(m, 6, HY_SHAPE(2, 2, 1, 2));
        if (which == 8) ma_draw(m, 7, HY_SHAPE(2, 2, 1, 3));
        if (which == 9) ma_whole(m, 8, HY_SHAPE(1), few);
        if (which == 10) ma_whole(m, 9, HY_SHAPE(1), few);
        if (which != 11) onnx_int_of(n, "num_heads", which == 12 ? 3 : 2);
        if (which == 2) onnx_int_of(n, "unidirectional", 1);
        if (which == 13) { m->c->outputs = 4; m->c->count[0] = m->c->count[3] = 1; }
        if (which == 14) m->c->inputs = 2;
        if (which == 15) m->c->in[1] = NULL;
    } else {
        ma_draw(m, 0, HY_SHAPE(1, 3, which == 1 ? 30 : 32));
        ma_draw(m, 1, HY_SHAPE(1, which == 2 ? 4 : 3, 16));
        ma_draw(m, 2, HY_SHAPE(1, 3, 16));
        ma_draw(m, 3, HY_SHAPE(1, 2, 1, which == 3 ? 7 : 8));
        ma_draw(m, 4, HY_SHAPE(1, which == 4 ? 1 : 2, which == 26 ? 2 : 1, 8));
        ma_whole(m, 5, which == 5 ? HY_SHAPE(2) : HY_SHAPE(1), which == 6 ? four : few);
        ma_whole(m, 6, HY_SHAPE(1), which == 7 ? much : four);
        if (which == 8) ma_draw(m, 7, HY_SHAPE(9, 4));
        if (which == 9) ma_draw(m, 10, HY_SHAPE(1, 1, 3, 5));
        if (which == 10) ma_draw(m, 11, HY_SHAPE(3));
        if (which == 11) ma_draw(m, 12, HY_SHAPE(1));
        if (which == 12) ma_draw(m, 14, HY_SHAPE(8));
        if (which == 13) ma_whole(m, 16, HY_SHAPE(1), few);
        if (which != 14) onnx_int_of(n, "num_heads", 4);
        if (which != 15) onnx_int_of(n, "kv_num_heads", which == 16 ? 3 : 2);
        if (which == 8) onnx_int_of(n, "do_rotary", 1);
        if (which == 17) onnx_int_of(n, "local_window_size", -3);
        if (which == 18) onnx_int_of(n, "sliding_window_cache", 1);
        if (which == 19) onnx_int_of(n, "kv_cache_bit_width", 8);
        if (which == 20) onnx_text_of(n, "k_quant_type", "PER_TENSOR");
        if (which == 21) onnx_int_of(n, "qk_output", 1);
        if (which == 22) m->c->in[2] = NULL;
        if (which == 23) m->c->in[4] = NULL;
        if (which == 24) m->c->in[6] = NULL;
        if (which == 25) ms_float_of(m->c, "softcap", -1);
    }
    ms_refused(m->c, op, says);
    ma_end(m);
}

static void onnx_runtime_attention_refused(void)
{
    static const char *const rotary[] = { NULL, NULL, "out of range", "3 or 4 dims is due, not of 2", "2 heads of 7",
        "input 1, position_ids, is due", "position_ids, does not fit", "do not fit heads of 4", "attribute num_heads is due",
        "scale is not taken", "attribute is_packed_batching is not taken" };
    static const char *const whole[] = { NULL, "2 heads of 3 columns", "weights (width, columns) are due",
        "bias, is no vector of 12", "input 3, mask_index, does not fit", "input 4, past, does not fit",
        "input 5, attention_bias, does not fit", "input 6, past_sequence_length, is not taken", "attribute num_heads is due",
        "5 heads of 4 columns", "qkv_hidden_sizes do not fit", "attribute do_rotary is not taken",
        "attribute past_present_share_buffer is not taken", "input 1, weights, is due" };
    static const char *const multi[] = { NULL, "do not fit one another", "unidirectional: 3 queries beside 5 keys",
        "do not fit one another", "bias, is no vector of 12", "input 4, key_padding_mask, does not fit",
        "input 5, attention_bias, does not fit", "past_key and past_value go together", "input 7, past_value, does not fit",
        "past_sequence_length, is not taken", "cache_indirection, is not taken", "attribute num_heads is due",
        "do not fit one another, or 3 heads", "output 3, qk, is not made", "without a value", "input 1, key, is due" };
    static const char *const grouped[] = { NULL, "do not fit the query", "key and value of (1,3,16) are due",
        "input 3, past_key, does not fit", "input 4, past_value, does not fit", "seqlens_k, has no 1 numbers",
        "seqlens_k is 4", "total_sequence_length is 9 with 1 rows before 3", "input 8, sin_cache, is due",
        "input 10, attention_bias, does not fit", "head_sink, is no vector of 4", "input 12, k_scale, is not taken",
        "input 14, q_norm_weight, is not taken", "input 16, query_seqlens, is not taken", "attribute num_heads is due",
        "attribute kv_num_heads is due", "4 heads that share 3", "local_window_size of -3",
        "attribute sliding_window_cache is not taken", "attribute kv_cache_bit_width is not taken",
        "attribute k_quant_type is not taken", "attribute qk_output is not taken", "key and value go together",
        "input 4, past_value, is due", "total_sequence_length, is due", "softcap of -1", "input 4, past_value, does not fit" };
    int i;
    for (i = 2; i < (int)(sizeof rotary / sizeof *rotary); i++) ma_refused("RotaryEmbedding", i, rotary[i]);
    for (i = 1; i < (int)(sizeof whole / sizeof *whole); i++) ma_refused("Attention", i, whole[i]);
    for (i = 1; i < (int)(sizeof multi / sizeof *multi); i++) ma_refused("MultiHeadAttention", i, multi[i]);
    for (i = 1; i < (int)(sizeof grouped / sizeof *grouped); i++) ma_refused("GroupQueryAttention", i, grouped[i]);
}

/* Line by line a cache grows in place; a compiled call that is given another length than its rows says so. */
static void onnx_runtime_cache_grows(void)
{
    static const int cache[] = { 1, 1, 5, 8 }, one[] = { 1 }, queries[] = { 1, 1, 16 }, keys[] = { 1, 1, 8 };
    static const char *const names[] = { "q", "k", "v", "pk", "pv", "ends", "total" };
    static const int32_t total[] = { 6 }, right[] = { 5 }, wrong[] = { 4 };
    hy_frame *F = hy_open(NULL);
    onnx_text g = { NULL, 0, 0 }, node = { NULL, 0, 0 };
    hy_array *in[6], *x;
    hy_block *net;
    hy_graph *graph;
    char text[4000] = "";
    int i;
    for (i = 0; i < 7; i++) onnx_string(&node, 1, names[i]);
    for (i = 0; i < 3; i++) onnx_string(&node, 2, i == 1 ? "nk" : i ? "nv" : "y");
    onnx_string(&node, 4, "GroupQueryAttention");
    onnx_string(&node, 7, "com.microsoft");
    onnx_int_of(&node, "num_heads", 2);
    onnx_int_of(&node, "kv_num_heads", 1);
    onnx_close_into(&g, 1, &node);
    nb_tensor(F, &g, "total", hy_from(F, HY_SHAPE(1), HY_I32, total));
    onnx_typed_value(&g, 11, "q", 1, 3, queries);
    for (i = 1; i < 3; i++) onnx_typed_value(&g, 11, names[i], 1, 3, keys);
    for (i = 3; i < 5; i++) onnx_typed_value(&g, 11, names[i], 1, 4, cache);
    onnx_typed_value(&g, 11, "ends", 6, 1, one);
    onnx_typed_value(&g, 12, "y", 1, 0, NULL);
    onnx_typed_value(&g, 12, "nk", 1, 0, NULL);
    onnx_typed_value(&g, 12, "nv", 1, 0, NULL);
    net = onnx_model_of(F, &g, NULL);
    graph = net ? hy_onnx_graph(F, net, NULL, NULL) : NULL;
    if (graph) hy_graph_text(graph, HY_FORM_LINES, text, sizeof text);
    CHECK(strstr(text, "attention(") && !strstr(text, "softmax("));
    in[0] = hy_ones(F, HY_SHAPE(1, 1, 16));
    for (i = 1; i < 5; i++) in[i] = i < 3 ? hy_ones(F, HY_SHAPE(1, 1, 8)) : hy_with_room(F, hy_zeros(F, HY_SHAPE(1, 1, 5, 8)), 2, 16);
    in[5] = hy_from(F, HY_SHAPE(1), HY_I32, right);
    x = hy_call(F, net, hy_group_of(F, 6, in));
    for (i = 3; x && i < 5; i++) CHECK(hy_get(F, x, i - 2)->buffer == in[i]->buffer);
    if (net) hy_hybridize(F, net, NULL);
    x = hy_call(F, net, hy_group_of(F, 6, in));
    CHECK(x && hy_count(F, x) == 3 && hy_dim(F, hy_get(F, x, 1), 2) == 6 && !hy_error(F));
    in[5] = hy_from(F, HY_SHAPE(1), HY_I32, wrong);
    CHECK(!hy_call(F, net, hy_group_of(F, 6, in)) && hy_error(F) && strstr(hy_error(F), "out of range"));
    hy_clear(F);
    free(node.at);
    CHECK(!hy_close(F));
}

static void test_onnx_attention(void)
{
    RUN(onnx_runtime_rotary);
    RUN(onnx_runtime_attention);
    RUN(onnx_runtime_multi_head);
    RUN(onnx_runtime_group_query);
    RUN(onnx_runtime_cache_grows);
    RUN(onnx_runtime_attention_refused);
}
