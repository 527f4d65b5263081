/* Row kernels at ragged sizes: one below, at and above every block of theirs. Plain references in doubles, and the same
 * bits for every instruction set and number of threads. */
static const int rows_sizes[] = {1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 49, 63, 64, 65, 127, 128, 129, 255, 256, 257, 700};
enum { ROWS_SIZES = (int)(sizeof rows_sizes / sizeof *rows_sizes), ROWS_MOST = 5 * 700 * 3 };

static void rows_fill(float *v, int n, uint32_t state)
{
    for (int i = 0; i < n; i++) v[i] = (float)(int)tb_draw(&state, 20001) / 5000 - 2;
}

/* Every operator here is a case of one function, so that it can be asked of every frame. */
enum { ROWS_SUM, ROWS_MEAN, ROWS_MAX, ROWS_MIN, ROWS_NORM, ROWS_VAR, ROWS_SOFTMAX, ROWS_LOG_SOFTMAX, ROWS_LAYER_NORM, ROWS_OPS };
static hy_array *rows_op(hy_frame *F, int op, hy_array *x, int axis)
{
    hy_ints axes = HY_AXES(axis);
    hy_shape n = HY_SHAPE(hy_dim(F, x, axis));
    hy_layer_norm_opt norm;
    memset(&norm, 0, sizeof norm);
    norm.axis = axis == 0 ? HY_ZERO : axis;
    switch (op) {
    case ROWS_SUM:         return hy_sum(F, x, axes, NULL);
    case ROWS_MEAN:        return hy_mean(F, x, axes, NULL);
    case ROWS_MAX:         return hy_max(F, x, axes, NULL);
    case ROWS_MIN:         return hy_min(F, x, axes, NULL);
    case ROWS_NORM:        return hy_norm(F, x, axes, NULL);
    case ROWS_VAR:         return hy_get(F, hy_moments(F, x, axes, NULL), 1);
    case ROWS_SOFTMAX:     return hy_softmax(F, x, axis, NULL);
    case ROWS_LOG_SOFTMAX: return hy_log_softmax(F, x, axis, NULL);
    default:               return hy_get(F, hy_layer_norm(F, x, hy_ones(F, n), hy_zeros(F, n), &norm), 0);
    }
}

/* Element i of the line of n values v[0], v[step] ...; reductions have one element. */
static double rows_want(int op, const float *v, int n, int step, int i)
{
    double sum = 0, square = 0, most = v[0], least = v[0], all = 0, mean, var = 0;
    int k;
    for (k = 0; k < n; k++) {
        double x = v[k * step];
        sum += x;
        square += x * x;
        if (x > most) most = x;
        if (x < least) least = x;
    }
    for (mean = sum / n, k = 0; k < n; k++) {
        var += (v[k * step] - mean) * (v[k * step] - mean) / n;
        all += exp(v[k * step] - most);
    }
    switch (op) {
    case ROWS_SUM:         return sum;
    case ROWS_MEAN:        return mean;
    case ROWS_MAX:         return most;
    case ROWS_MIN:         return least;
    case ROWS_NORM:        return sqrt(square);
    case ROWS_VAR:         return var;
    case ROWS_SOFTMAX:     return exp(v[i * step] - most) / all;
    case ROWS_LOG_SOFTMAX: return v[i * step] - most - log(all);
    default:               return (v[i * step] - mean) / sqrt(var + 1e-5);
    }
}

static int rows_same(hy_frame *F, hy_array *x, hy_frame *G, hy_array *y)
{
    if (!CHECK(x && y && hy_size(F, x) == hy_size(G, y))) return 0;
    return CHECK(!memcmp(hy_data(F, x), hy_data(G, y), (size_t)hy_size(F, x) * hy_dtype_size(hy_dtype_of(F, x))));
}

/* (outer, n, inner) along axis 1, or rows of n. */
static void rows_check(ops_frames *f, int op, int outer, int n, int inner)
{
    static float v[ROWS_MOST];
    hy_frame *F = f->one[0], *other[6];
    hy_shape shape = inner == 1 ? HY_SHAPE(outer, n) : HY_SHAPE(outer, n, inner);
    int count = 0, line, i, wide = op >= ROWS_SOFTMAX;
    hy_array *y, *z;
    for (i = 1; i < f->ones; i++) other[count++] = f->one[i];
    other[count++] = f->four;
    rows_fill(v, outer * n * inner, (uint32_t)(n * 31 + op));
    hy_begin(F);
    y = rows_op(F, op, hy_from(F, shape, HY_F32, v), 1);
    for (line = 0; line < outer * inner && CHECK(y != NULL); line++)
        for (i = 0; i < (wide ? n : 1); i++) {
            const float *from = v + line / inner * n * inner + line % inner;
            double got = ((const float *)hy_data(F, y))[wide ? (line / inner * n + i) * inner + line % inner : line];
            double want = rows_want(op, from, n, inner, i);
            CHECK_NEAR(got, want, 4e-6 * (1 + fabs(want)));
        }
    for (i = 0; i < count; i++) {
        hy_begin(other[i]);
        z = rows_op(other[i], op, hy_from(other[i], shape, HY_F32, v), 1);
        rows_same(F, y, other[i], z);
        hy_end(other[i]);
    }
    hy_end(F);
}
static void rows_at_ragged_sizes(void)
{
    ops_frames f;
    int op, i;
    ops_open_frames(&f);
    for (op = 0; op < ROWS_OPS; op++)
        for (i = 0; i < ROWS_SIZES; i++) {
            rows_check(&f, op, 5, rows_sizes[i], 1);
            rows_check(&f, op, 1, rows_sizes[i], 1);
            rows_check(&f, op, 2, rows_sizes[i], 3);
            if (rows_sizes[i] < 300) rows_check(&f, op, 2, 9, rows_sizes[i]);
        }
    ops_close_frames(&f);
}

/* A NaN anywhere in a line or column is its largest and its least. */
static void rows_keep_nans(void)
{
    ops_frames f;
    static float v[2 * 140];
    int isa, i, n = 140;
    ops_open_frames(&f);
    for (isa = 0; isa < f.ones; isa++)
        for (i = 0; i < n; i++) {
            hy_frame *F = f.one[isa];
            hy_array *x, *column;
            rows_fill(v, 2 * n, 5);
            v[i] = NAN;
            hy_begin(F);
            x = hy_from(F, HY_SHAPE(2, n), HY_F32, v);
            CHECK(isnan(hy_value(F, hy_max(F, x, HY_AXES(1), NULL), 0)) && isnan(hy_value(F, hy_min(F, x, HY_AXES(1), NULL), 0)));
            CHECK(!isnan(hy_value(F, hy_max(F, x, HY_AXES(1), NULL), 1)));
            column = hy_max(F, x, HY_AXES(0), NULL);
            CHECK(isnan(hy_value(F, column, i)) && !isnan(hy_value(F, column, (i + 1) % n)));
            hy_end(F);
        }
    ops_close_frames(&f);
}

static void rows_of_integers(void)
{
    hy_frame *F = hy_open(NULL);
    static int32_t v[3 * 700];
    int i, k, n;
    for (i = 0; i < 3 * 700; i++) v[i] = (int32_t)((uint32_t)i * 2654435761u);
    for (k = 0; k < ROWS_SIZES; k++) {
        int64_t sum = 0, most = INT64_MIN, least = INT64_MAX;
        hy_array *x;
        n = rows_sizes[k];
        hy_begin(F);
        x = hy_from(F, HY_SHAPE(3, n), HY_I32, v);
        for (i = 0; i < n; i++) {
            sum += v[n + i];
            if (v[n + i] > most) most = v[n + i];
            if (v[n + i] < least) least = v[n + i];
        }
        CHECK(((const int32_t *)hy_data(F, hy_sum(F, x, HY_AXES(1), NULL)))[1] == (int32_t)sum);
        CHECK(((const int32_t *)hy_data(F, hy_max(F, x, HY_AXES(1), NULL)))[1] == most);
        CHECK(((const int32_t *)hy_data(F, hy_min(F, x, HY_AXES(1), NULL)))[1] == least);
        hy_end(F);
    }
    CHECK(hy_close(F) == 0);
}

/* --- pooling, forward and back, against plain loops; both layouts give the same bits --- */
typedef struct rows_pool { int type, h, w, kernel, stride, pad, exclude, end; } rows_pool;    /* end: padding behind */
enum { ROWS_C = 19 };

static hy_array *rows_pooled(hy_frame *F, const rows_pool *p, const float *v, int last, hy_array **back)
{
    hy_array *x = hy_from(F, HY_SHAPE(2, ROWS_C, p->h, p->w), HY_F32, v), *y;
    hy_pooling_opt o;
    hy__pooling_grad_opt g;
    memset(&o, 0, sizeof o);
    o.pool_type = p->type;
    o.stride = HY_INTS(p->stride, p->stride);
    o.pad = HY_INTS(p->pad, p->pad);
    if (p->end != p->pad) o.pad_end = HY_INTS(p->end, p->end);
    o.exclude_pad = p->exclude;
    if (last) { o.layout = HY_LAYOUT_NHWC; x = hy_transpose(F, x, HY_AXES(0, 2, 3, 1)); }
    memcpy(&g, &o, sizeof g);
    y = hy_pooling(F, x, HY_INTS(p->kernel, p->kernel), &o);
    *back = hy__pooling_grad(F, hy_mul(F, y, y), x, y, HY_INTS(p->kernel, p->kernel), &g);
    if (!last) return y;
    *back = hy_transpose(F, *back, HY_AXES(0, 3, 1, 2));
    return hy_transpose(F, y, HY_AXES(0, 3, 1, 2));
}

/* Places that count for the average, along one dim. */
static int rows_reach(const rows_pool *p, int from, int size)
{
    int end = from + p->kernel, most = p->exclude ? size : size + p->end;
    return (end < most ? end : most) - (p->exclude && from < 0 ? 0 : from);
}

/* One plane: y, and dx of dy = y y. */
static void rows_pool_want(const rows_pool *p, const float *x, int ow, int windows, double *y, double *dx)
{
    int i, a, place[16], n, best;
    for (i = 0; i < p->h * p->w; i++) dx[i] = 0;
    for (i = 0; i < windows; i++) {
        int top = i / ow * p->stride - p->pad, left = i % ow * p->stride - p->pad;
        double share = p->type == HY_POOL_AVG ? 1.0 / (rows_reach(p, top, p->h) * rows_reach(p, left, p->w)) : 1;
        for (n = a = 0; a < p->kernel * p->kernel; a++) {
            int r = top + a / p->kernel, c = left + a % p->kernel;
            if (r >= 0 && c >= 0 && r < p->h && c < p->w) place[n++] = r * p->w + c;
        }
        for (best = a = 0, y[i] = 0; a < n; a++) {
            y[i] += x[place[a]] * share;
            if (x[place[a]] > x[place[best]]) best = a;
        }
        if (p->type == HY_POOL_MAX) y[i] = x[place[best]];
        for (a = 0; a < n; a++)
            if (p->type != HY_POOL_MAX || a == best) dx[place[a]] += y[i] * y[i] * share;
    }
}

static void rows_pool_check(ops_frames *f, const rows_pool *p)
{
    static float v[2 * ROWS_C * 40 * 40];
    static double y[40 * 40], dx[40 * 40];
    int isa, c, i, last;
    hy_array *got[2], *back[2], *first[2] = {NULL, NULL};
    hy_begin(f->one[0]);
    rows_fill(v, 2 * ROWS_C * p->h * p->w, (uint32_t)(p->w * 7 + p->kernel));
    for (isa = 0; isa <= f->ones; isa++) {
        hy_frame *F = isa == f->ones ? f->four : f->one[isa];
        if (isa) hy_begin(F);
        for (last = 0; last < 2; last++) got[last] = rows_pooled(F, p, v, last, &back[last]);
        if (!isa) { first[0] = got[0]; first[1] = back[0]; }
        else for (i = 0; i < 2; i++) rows_same(f->one[0], first[i], F, i ? back[0] : got[0]);
        if (p->type == HY_POOL_MAX) rows_same(F, got[0], F, got[1]);
        for (c = 0; c < 2 * ROWS_C && !isa && got[0] && got[1] && back[0] && back[1]; c++) {
            int ow = (int)hy_dim(F, got[0], 3), windows = (int)hy_dim(F, got[0], 2) * ow, n = p->h * p->w;
            rows_pool_want(p, v + c * n, ow, windows, y, dx);
            for (last = 0; last < 2; last++) {
                const float *a = (const float *)hy_data(F, got[last]), *b = (const float *)hy_data(F, back[last]);
                for (i = 0; i < windows; i++) CHECK_NEAR(a[c * windows + i], y[i], 2e-6);
                for (i = 0; i < n; i++) CHECK_NEAR(b[c * n + i], dx[i], 1e-6 * (1 + fabs(dx[i])));
            }
        }
        if (isa) hy_end(F);
    }
    hy_end(f->one[0]);
}
static void rows_pool_at_ragged_sizes(void)
{
    static const int widths[] = {1, 2, 3, 7, 8, 15, 16, 17, 33};
    ops_frames f;
    int type, w, kernel, stride, pad, end;
    ops_open_frames(&f);
    for (type = HY_POOL_MAX; type <= HY_POOL_SUM; type++)
        for (w = 0; w < (int)(sizeof widths / sizeof *widths); w++)
            for (kernel = 1; kernel <= 3; kernel++)
                for (stride = 1; stride <= 3; stride++)
                    for (end = 0; end <= kernel / 2; end++) for (pad = 0; pad <= kernel / 2; pad++) {
                        rows_pool p = {0, 4, 0, 0, 0, 0, 0, 0};
                        p.type = type;
                        p.w = widths[w];
                        p.kernel = kernel;
                        p.stride = stride;
                        p.pad = pad;
                        p.end = end;
                        p.exclude = w % 2;
                        if (p.w + pad + end >= kernel) rows_pool_check(&f, &p);
                    }
    ops_close_frames(&f);
}

/* A NaN under a window is its largest, and takes its gradient. */
static void rows_pool_keeps_nans(void)
{
    static float v[2 * ROWS_C * 9 * 9];
    rows_pool p = {HY_POOL_MAX, 9, 9, 3, 2, 1, 0, 1};
    ops_frames f;
    int isa, last, i;
    ops_open_frames(&f);
    rows_fill(v, 2 * ROWS_C * 81, 3);
    v[4 * 9 + 4] = NAN;
    for (isa = 0; isa < f.ones; isa++)
        for (last = 0; last < 2; last++) {
            hy_frame *F = f.one[isa];
            hy_array *back, *y;
            hy_begin(F);
            y = rows_pooled(F, &p, v, last, &back);
            for (i = 0; i < 25; i++) CHECK(isnan(((const float *)hy_data(F, y))[i]) == (i == 12));
            for (i = 0; i < 81; i++) CHECK(isnan(((const float *)hy_data(F, back))[i]) == (i == 40));
            hy_end(F);
        }
    ops_close_frames(&f);
}

/* Squares, strips and what is left of them, for every size of element. */
static void rows_turn(void)
{
    static const hy_dtype types[] = {HY_U8, HY_F16, HY_F32, HY_F64};
    static float v[37 * 70];
    hy_frame *F = hy_open(NULL);
    int t, rows, cols, i;
    for (i = 0; i < 37 * 70; i++) v[i] = (float)(i % 251);
    for (t = 0; t < 4; t++)
        for (rows = 1; rows <= 37; rows += rows < 18 ? 1 : 19)
            for (cols = 1; cols <= 70; cols += cols < 20 ? 1 : 25) {
                hy_array *y;
                const float *got;
                hy_begin(F);
                y = hy_cast(F, hy_from(F, HY_SHAPE(rows, cols), HY_F32, v), types[t]);
                y = hy_cast(F, hy_transpose(F, y, HY_AXES(1, 0)), HY_F32);
                got = (const float *)hy_data(F, y);
                for (i = 0; i < rows * cols && CHECK(got != NULL); i++) CHECK(got[i] == v[i % rows * cols + i / rows]);
                hy_end(F);
            }
    CHECK(hy_close(F) == 0);
}

static void test_rows(void)
{
    RUN(rows_at_ragged_sizes);
    RUN(rows_keep_nans);
    RUN(rows_of_integers);
    RUN(rows_pool_at_ragged_sizes);
    RUN(rows_pool_keeps_nans);
    RUN(rows_turn);
}
