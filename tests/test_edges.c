/* Where operators meet the edges of their types, and windows that are far wider than their data. */

static hy_array *edge_whole(hy_frame *F, hy_dtype dtype, int n, double a, double b, double c)
{
    double v[3];
    v[0] = a;
    v[1] = b;
    v[2] = c;
    return hy_cast(F, hy_from(F, HY_SHAPE(n), HY_F64, v), dtype);
}

/* Comparisons of integers with numbers are those of their values. */
static void edge_compare(void)
{
    const double numbers[] = { -0.5, 0, 0.5, 1.5, -1e300, 1e300, 127.5, -128.5, 2147483647.5, -2147483648.5,
                                      9.3e18, -9.3e18, (double)INFINITY, -(double)INFINITY };
    static const char types[] = { HY_I8, HY_U8, HY_I32, HY_I64, HY_BOOL };
    hy_frame *F = hy_open(NULL);
    size_t t, k;
    int i;
    for (t = 0; t < sizeof types; t++)
        for (k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            double s = numbers[k];
            hy_array *x, *y[6];
            hy_begin(F);
            x = edge_whole(F, (hy_dtype)types[t], 3, types[t] == HY_U8 ? 200 : -1, 0, 1);
            y[0] = hy_lesser_scalar(F, x, s);
            y[1] = hy_lesser_equal_scalar(F, x, s);
            y[2] = hy_greater_scalar(F, x, s);
            y[3] = hy_greater_equal_scalar(F, x, s);
            y[4] = hy_equal_scalar(F, x, s);
            y[5] = hy_not_equal_scalar(F, x, s);
            for (i = 0; i < 3; i++) {
                double v = hy_value(F, x, i);
                CHECK(hy_value(F, y[0], i) == (v < s));
                CHECK(hy_value(F, y[1], i) == (v <= s));
                CHECK(hy_value(F, y[2], i) == (v > s));
                CHECK(hy_value(F, y[3], i) == (v >= s));
                CHECK(hy_value(F, y[4], i) == (v == s));
                CHECK(hy_value(F, y[5], i) == (v != s));
            }
            CHECK(!hy_error(F));
            hy_end(F);
        }
    {
        hy_array *x = edge_whole(F, HY_I32, 3, -1, 0, 1), *nan = hy_not_equal_scalar(F, x, (double)NAN);
        CHECK(hy_value(F, nan, 0) == 1 && hy_value(F, hy_lesser_scalar(F, x, (double)NAN), 0) == 0);
        CHECK(hy_value(F, hy_greater_equal_scalar(F, x, (double)NAN), 2) == 0);
        CHECK(hy_value(F, hy_logical_and_scalar(F, x, 0.5), 0) == 1);
        CHECK(!hy_mul_scalar(F, x, 0.5) && strstr(hy_error(F), "0.5 is no int32"));
        hy_clear(F);
        CHECK(!hy_add_scalar(F, x, 1e10) && hy_error_code(F) == HY_ERROR_DTYPE);
        hy_clear(F);
    }
    hy_close(F);
}

/* Rows put in one place: the last has stayed, and the gradient is its own. */
static void edge_index_copy(void)
{
    hy_frame *F = hy_open(NULL);
    static const float at[] = { 1, 0, 1, 1 };
    hy_array *index = hy_from(F, HY_SHAPE(4), HY_F32, at), *old = hy_zeros(F, HY_SHAPE(3, 2)), *rows, *y, *g;
    rows = hy_uniform(F, HY_SHAPE(4, 2), -1, 1);
    hy_attach_grad(F, old, HY_GRAD_WRITE);
    hy_attach_grad(F, rows, HY_GRAD_WRITE);
    hy_record(F);
    y = hy_index_copy(F, old, index, rows);
    hy_pause(F);
    hy_backward(F, y, NULL);
    g = hy_grad_of(F, rows);
    CHECK(hy_value(F, g, 0, 0) == 0 && hy_value(F, g, 1, 1) == 1 && hy_value(F, g, 2, 0) == 0 && hy_value(F, g, 3, 0) == 1);
    g = hy_grad_of(F, old);
    CHECK(hy_value(F, g, 0, 0) == 0 && hy_value(F, g, 1, 0) == 0 && hy_value(F, g, 2, 0) == 1);
    CHECK(hy_value(F, y, 1, 0) == hy_value(F, rows, 3, 0));
    CHECK(hy_close(F) == 0);
}

static void edge_ranges(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x, *in[1];
    double least = 0, most = 0;
    int i;
    x = hy_uniform(F, HY_SHAPE(1000), -3e38, 3e38);
    for (i = 0; i < 1000; i++) {
        double v = hy_value(F, x, i);
        CHECK(v >= -3e38f && v < 3e38f);
        if (v < least) least = v;
        if (v > most) most = v;
    }
    CHECK(least < -2.5e38 && most > 2.5e38);
    x = hy_apply(F, "random_uniform", 0, in, "shape=(100,) low=-1.5e308 high=1.5e308 dtype=float64");
    for (i = 0; i < 100; i++) CHECK(fabs(hy_value(F, x, i)) < 1.5e308);
    CHECK(hy_value(F, x, 0) != hy_value(F, x, 1));
    CHECK(!hy_uniform(F, HY_SHAPE(2), -1e39, 0) && strstr(hy_error(F), "no float32"));
    hy_clear(F);
    x = hy_apply(F, "_arange", 0, in, "start=9007199254740992 stop=9007199254740996 dtype=int64");
    for (i = 0; i < 4; i++) CHECK(((const int64_t *)hy_data(F, x))[i] == INT64_C(9007199254740992) + i);
    x = hy_apply(F, "_arange", 0, in, "start=5 stop=-4 step=-3 repeat=2 dtype=int32");
    CHECK(hy_size(F, x) == 6 && hy_value(F, x, 1) == 5 && hy_value(F, x, 5) == -1);
    CHECK(hy_close(F) == 0);
}

/* Is v better than w, which stands earlier? */
static int edge_beats(double v, double w, int least)
{
    return (least ? v < w : v > w) || (v != v && w == w);
}

/* Lines of several tiles, many equal, some NaN or infinite, of any type, along either axis: argmax, argmin, argsort
 * and topk beside plain loops. */
static void edge_long_lines(void)
{
    static const hy_dtype dtypes[] = { HY_F32, HY_F64, HY_F16, HY_I32, HY_I64, HY_U8 };
    static const int lengths[] = { 1, 2, 15, 16, 17, 64, 97, 255, 256, 257, 700, 1100 };
    hy_frame *F = hy_open(NULL);
    int k, d, axis, i, j, kind;
    uint32_t random = 7;
    for (k = 0; k < (int)(sizeof lengths / sizeof lengths[0]); k++)
        for (d = 0; d < (int)(sizeof dtypes / sizeof dtypes[0]); d++)
            for (kind = 0; kind < 3; kind++)
                for (axis = 0; axis < 2; axis++) {
                    const int n = lengths[k], floats = d < 3;
                    const double *v, *most, *least, *order, *first;
                    hy_array *x, *xs;
                    float *values;
                    hy_begin(F);
                    x = hy_zeros(F, HY_SHAPE(2, n));
                    values = (float *)hy_write(F, x);
                    for (i = 0; i < 2 * n; i++) {
                        random = random * 1664525u + 1013904223u;
                        values[i] = (float)(random >> 16) / (kind ? 65536 : 1) * (kind ? 4 : 0.0018f);
                        if (kind == 2 && floats && random >> 10 & 1) values[i] = -(float)HUGE_VAL;
                        if (kind == 1 && floats && (random >> 8) % 300 == 0) values[i] = (float)NAN;
                    }
                    x = hy_cast(F, x, dtypes[d]);
                    xs = axis ? x : hy_transpose(F, x, HY_ALL);
                    v = (const double *)hy_data(F, hy_cast(F, x, HY_F64));
                    most = (const double *)hy_data(F, hy_cast(F, hy_argmax(F, xs, axis, NULL), HY_F64));
                    least = (const double *)hy_data(F, hy_cast(F, hy_argmin(F, xs, axis, NULL), HY_F64));
                    order = (const double *)hy_data(F, axis ? hy_cast(F, hy_argsort(F, xs, 1, NULL), HY_F64)
                        : hy_transpose(F, hy_cast(F, hy_argsort(F, xs, 0, NULL), HY_F64), HY_ALL));
                    first = (const double *)hy_data(F, hy_cast(F, hy_topk(F, x, 1, n < 5 ? 1 : 5, NULL), HY_F64));
                    for (j = 0; j < 2; j++, v += n, order += n) {
                        const int wanted = n < 5 ? 1 : 5;
                        int best = 0, worst = 0, wrong = 0;
                        for (i = 1; i < n; i++) {
                            const double a = v[(int)order[i - 1]], b = v[(int)order[i]];
                            if (edge_beats(v[i], v[best], 0)) best = i;
                            if (edge_beats(v[i], v[worst], 1)) worst = i;
                            wrong += a != a ? b == b : a > b || (a == b && order[i - 1] > order[i]);
                        }
                        wrong += most[j] != best || least[j] != worst;
                        for (i = 0; i < wanted; i++) {
                            const double a = v[(int)first[j * wanted + i]], b = v[(int)order[n - 1 - i]];
                            wrong += a != b && (a == a || b == b);
                        }
                        if (!CHECK(wrong == 0)) printf("type %d, %d values, kind %d, axis %d\n", (int)dtypes[d], n,
                                                       kind, axis);
                    }
                    hy_end(F);
                }
    CHECK(hy_close(F) == 0);
}

/* Sums, products, squares and extremes of lines and columns of every length against sums in order; each instruction
   set has the same bits. */
static hy_array *edge_fold(hy_frame *F, hy_array *x, int kind, int axis)
{
    hy_ints axes = HY_AXES(axis);
    return kind == 0 ? hy_sum(F, x, axes, NULL) : kind == 1 ? hy_prod(F, x, axes, NULL)
         : kind == 2 ? hy_norm(F, x, axes, NULL) : kind == 3 ? hy_max(F, x, axes, NULL)
         : kind == 4 ? hy_min(F, x, axes, NULL) : hy_mean(F, x, axes, NULL);
}
static double edge_folded(const double *v, int n, int step, int kind)
{
    double y = kind == 1 ? 1 : kind == 3 ? -HUGE_VAL : kind == 4 ? HUGE_VAL : 0;
    int i;
    for (i = 0; i < n; i++, v += step)
        y = kind == 1 ? y * *v : kind == 2 ? y + *v * *v : kind == 3 ? (*v > y ? *v : y)
          : kind == 4 ? (*v < y ? *v : y) : y + *v;
    return kind == 2 ? sqrt(y) : kind == 5 ? y / n : y;
}
static void edge_folds(void)
{
    static const hy_dtype dtypes[] = { HY_F32, HY_F64, HY_F16, HY_I32 };
    static const int lengths[] = { 1, 3, 8, 15, 16, 17, 31, 33, 63, 64, 65, 95, 97, 129, 200, 301 };
    hy_desc desc;
    hy_frame *frame[3];
    int d, k, kind, axis, isa, i, j, wrong = 0;
    memset(&desc, 0, sizeof desc);
    for (isa = 0; isa < 3; isa++) {
        desc.isa = HY_ISA_BASE + isa;
        frame[isa] = hy_open(&desc);
    }
    for (d = 0; d < 4; d++) for (k = 0; k < (int)(sizeof lengths / sizeof lengths[0]); k++)
        for (axis = 0; axis < 2; axis++) for (kind = 0; kind < 6; kind++) {
            const int n = lengths[k], others = 19, whole = d == 3, exact = kind == 3 || kind == 4 || (whole && kind == 0);
            const double *first = NULL, tolerance = exact ? 0 : whole ? 1.0 : d == 2 ? 2e-3 : d == 1 ? 1e-13 : 1e-6;
            if (whole && (kind == 1 || kind == 2)) continue;    /* products wrap round, roots are cut */
            for (isa = 0; isa < 3; isa++) {
                hy_frame *F = frame[isa];
                hy_array *x;
                float *values;
                const double *v, *y;
                hy_begin(F);
                x = axis ? hy_zeros(F, HY_SHAPE(others, n)) : hy_zeros(F, HY_SHAPE(n, others));
                values = (float *)hy_write(F, x);
                for (i = 0; i < n * others; i++)
                    values[i] = whole ? (float)(i * 7919 % 2001 - 1000) : 1 + (float)(i * 7919 % 2001 - 1000) * 2e-5f;
                x = hy_cast(F, x, dtypes[d]);
                v = (const double *)hy_data(F, hy_cast(F, x, HY_F64));
                y = (const double *)hy_data(F, hy_cast(F, edge_fold(F, x, kind, axis), HY_F64));
                for (j = 0; j < others && y && v; j++) {
                    const double right = edge_folded(v + (axis ? j * n : j), n, axis ? 1 : others, kind);
                    wrong += !(fabs(y[j] - right) <= tolerance * (whole ? 1 : fabs(right)));
                    wrong += first && memcmp(first + j, y + j, sizeof *y) != 0;
                }
                wrong += !y || !v;
                if (!isa) first = y;
                else hy_end(F);
                if (isa == 2) hy_end(frame[0]);
            }
        }
    CHECK(wrong == 0);
    for (isa = 0; isa < 3; isa++) CHECK(hy_close(frame[isa]) == 0);
}

/* A temperature beyond all floats: everything is as likely. */
static void edge_endless_temperature(void)
{
    static const int lengths[] = { 30, 32, 120, 256, 300 };
    hy_frame *F = hy_open(NULL);
    hy_softmax_opt opt;
    hy_softmin_opt least = { 0 };
    const float ends[2] = { 1, HUGE_VALF };
    int k, axis, i, wrong = 0;
    memset(&opt, 0, sizeof opt);
    opt.temperature = 1e300;
    least.temperature = 1e50;                           /* a float's 0, but below it */
    axis = 0;
    CHECK(hy_value(F, hy_softmin(F, hy_floats(F, HY_SHAPE(2), ends), -1, &least), axis) == 1);
    for (k = 0; k < 5; k++) for (axis = 0; axis < 2; axis++) {
        const int n = lengths[k];
        const float *y;
        hy_begin(F);
        y = (const float *)hy_data(F, hy_softmax(F, axis ? hy_ones(F, HY_SHAPE(3, n)) : hy_ones(F, HY_SHAPE(n, 3)), axis, &opt));
        for (i = 0; i < 3 * n && y; i++) wrong += !(fabs(y[i] * n - 1) < 1e-5);
        wrong += !y;
        hy_end(F);
    }
    CHECK(wrong == 0);
    CHECK(hy_close(F) == 0);
}

/* Integers that doubles do not hold: limits leave what is within them, squares may wrap. */
static void edge_wide_integers(void)
{
    static const int64_t v[5] = { 9007199254740993, -9007199254740993, INT64_MAX, INT64_MIN, 5 }, big[1] = { 3037000500 };
    static const int64_t want[5] = { 9007199254740993, -9007199254740993, 1000000000000000000, -100000000000000000, 5 };
    static const int32_t odd[1] = { -16777217 };
    hy_norm_opt real = { 0 };
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_from(F, HY_SHAPE(5), HY_I64, v), *round[6];
    const int64_t *y = (const int64_t *)hy_data(F, hy_clip(F, x, -1e17, 1e18));
    int i, wrong = 0;
    for (i = 0; i < 5; i++) wrong += !y || y[i] != want[i];
    y = (const int64_t *)hy_data(F, hy_clip(F, x, -3.5, HUGE_VAL));
    wrong += !y || y[0] != v[0] || y[1] != -3 || y[2] != INT64_MAX || y[3] != -3 || y[4] != 5;
    y = (const int64_t *)hy_data(F, hy_clip(F, x, NAN, NAN));
    wrong += !y || memcmp(y, v, sizeof v);
    round[0] = hy_round(F, x);
    round[1] = hy_rint(F, x);
    round[2] = hy_ceil(F, x);
    round[3] = hy_floor(F, x);
    round[4] = hy_trunc(F, x);
    round[5] = hy_fix(F, x);
    for (i = 0; i < 6; i++) {                           /* integers are round already */
        y = (const int64_t *)hy_data(F, round[i]);
        wrong += !y || memcmp(y, v, sizeof v);
    }
    CHECK(wrong == 0);
    CHECK(hy_value(F, hy_norm(F, hy_from(F, HY_SHAPE(1), HY_I64, big), HY_ALL, NULL), wrong) == 0);
    real.ord = 2;
    real.out_dtype = HY_F64;                            /* nor do they go through floats on their way to a double */
    CHECK(hy_item(F, hy_norm(F, hy_from(F, HY_SHAPE(1), HY_I64, v), HY_ALL, &real)) == 9007199254740992.0);
    CHECK(hy_item(F, hy_norm(F, hy_from(F, HY_SHAPE(1), HY_I32, odd), HY_ALL, &real)) == 16777217);
    y = (const int64_t *)hy_data(F, hy__pad_grad(F, hy_from(F, HY_SHAPE(1, 3), HY_I64, v + 2), HY_INTS(0, 0, 1, 1), HY_PAD_EDGE));
    CHECK(y && y[0] == 4);                              /* INT64_MAX + INT64_MIN + 5 */
    x = hy__pad_grad(F, hy_cast(F, hy_full(F, HY_SHAPE(1, 3), 100), HY_I8), HY_INTS(0, 0, 1, 1), HY_PAD_EDGE);
    CHECK(hy_value(F, x, 0, 0) == 300 - 256);           /* as all sums of gradients do */
    CHECK(hy_close(F) == 0);
}

/* Gradients of products over and of nothing, of three dims, too; a scale and a name that are told as they are. */
static void edge_products_of_nothing(void)
{
    static const hy_shape left[] = { { 3, { 2, 0, 5 } }, { 2, { 0, 5 } }, { 3, { 2, 3, 0 } } };
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    char name[300], text[400];
    int i, dense;
    for (i = 0; i < 3; i++)
        for (dense = 0; dense < 2; dense++) {
            const int64_t k = left[i].dim[left[i].ndim - 1];
            hy_array *x = hy_ones(F, left[i]), *w = hy_ones(F, dense ? HY_SHAPE(4, k) : HY_SHAPE(k, 4)), *b, *y;
            hy_fully_connected_opt opt = { 0 };
            b = hy_ones(F, HY_SHAPE(4));
            opt.no_flatten = 1;
            hy_attach_grad(F, x, HY_GRAD_WRITE);
            hy_attach_grad(F, w, HY_GRAD_WRITE);
            hy_attach_grad(F, b, HY_GRAD_WRITE);
            hy_record(F);
            hy_backward(F, hy_mul_scalar(F, w, 2), NULL);               /* which the next ones overwrite */
            y = dense ? hy_fully_connected(F, x, w, b, 4, &opt) : hy_dot(F, x, w, NULL);
            hy_pause(F);
            hy_backward(F, y, NULL);
            CHECK(!hy_error(F) && hy_size(F, hy_grad_of(F, w)) == 4 * k);
            CHECK(!k || hy_value(F, hy_max(F, hy_abs(F, hy_grad_of(F, w)), HY_ALL, NULL), 0) == 0);
            if (dense) CHECK(hy_value(F, hy_grad_of(F, b), dense) == (i == 2 ? 6 : 0));
            hy_clear(F);
        }
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    CHECK(hy_text(S, hy_var(S, name, NULL), text, sizeof text) == 299 + 10 && text[299 + 8] == '>');
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

/* Rows of a turned plane that begin a power of two apart, ragged in both directions, elements of every size. */
static void edge_turned_planes(void)
{
    static const hy_dtype dtypes[] = { HY_U8, HY_F16, HY_I32, HY_I64 };
    static const int rows[] = { 15, 16, 31, 33, 70 }, cols[] = { 256, 512, 1024, 2048, 4096 };
    hy_frame *F = hy_open(NULL);
    int d, r, c, i, j, wrong = 0;
    for (d = 0; d < 4; d++)
        for (r = 0; r < 5; r++)
            for (c = 0; c < 5; c++) {
                hy_array *x, *y;
                const double *from, *to;
                hy_begin(F);
                x = hy_arange(F, 0, (double)rows[r] * cols[c], 1);
                x = hy_cast(F, hy_reshape(F, hy_mod_scalar(F, x, 241), HY_INTS(cols[c], rows[r]), NULL), dtypes[d]);
                y = hy_transpose(F, x, HY_ALL);
                from = (const double *)hy_data(F, hy_cast(F, x, HY_F64));
                to = (const double *)hy_data(F, hy_cast(F, y, HY_F64));
                for (i = 0; from && to && i < rows[r]; i++)
                    for (j = 0; j < cols[c]; j++) wrong += to[i * cols[c] + j] != from[j * rows[r] + i];
                CHECK(hy_dim(F, y, 0) == rows[r] && from && to);
                hy_end(F);
            }
    CHECK(wrong == 0);
    CHECK(hy_close(F) == 0);
}

/* The size and the sign of -0 are 0, in every type and where a vector is filled. */
static void edge_no_sign(void)
{
    static const hy_dtype types[] = { HY_F32, HY_F64, HY_F16, HY_BF16 };
    hy_frame *F = hy_open(NULL);
    int i, k, wrong = 0;
    for (i = 0; i < 8; i++) {
        hy_array *x = hy_cast(F, hy_full(F, HY_SHAPE(i / 4 ? 50 : 3), -0.0), types[i % 4]), *y = hy_abs(F, x), *z = hy_sign(F, x);
        for (k = 0; k < hy_size(F, x); k++)
            wrong += !signbit(hy_value(F, x, k)) + (signbit(hy_value(F, y, k)) != 0) + (signbit(hy_value(F, z, k)) != 0);
    }
    CHECK(wrong == 0 && isnan(hy_item(F, hy_abs(F, hy_full(F, HY_SHAPE(1), NAN)))));
    CHECK(hy_close(F) == 0);
}

/* NaN is the largest of all in an order, and where argmax points to. */
static void edge_nan(void)
{
    hy_frame *F = hy_open(NULL);
    static const float v[] = { 1, 0, 2 };
    float w[3];
    hy_array *x, *in[1];
    memcpy(w, v, sizeof w);
    w[1] = (float)NAN;
    x = in[0] = hy_from(F, HY_SHAPE(3), HY_F32, w);
    CHECK(hy_item(F, hy_argmax(F, x, 0, NULL)) == 1);
    CHECK(hy_value(F, hy_apply(F, "topk", 1, in, "k=2"), 0) == 1);
    CHECK(hy_value(F, hy_apply(F, "topk", 1, in, "k=2"), 1) == 2);
    CHECK(hy_value(F, hy_apply(F, "topk", 1, in, "k=2 is_ascend=True"), 0) == 0);
    CHECK(hy_value(F, hy_apply(F, "argsort", 1, in, ""), 2) == 1);
    CHECK(hy_value(F, hy_apply(F, "argsort", 1, in, "is_ascend=False"), 0) == 1);
    CHECK(hy_value(F, hy_apply(F, "sort", 1, in, ""), 0) == 1);
    x = hy_apply(F, "sort", 1, in, "is_ascend=False");
    CHECK(hy_value(F, x, 0) != hy_value(F, x, 0) && hy_value(F, x, 1) == 2);
    x = hy_apply(F, "sort", 1, in, "descending=True");          /* the name in C, its sense */
    CHECK(hy_value(F, x, 0) != hy_value(F, x, 0) && hy_value(F, x, 1) == 2);
    CHECK(hy_close(F) == 0);
}

/* A text has one name and the value of that name: MXNet's, where C's flag has the opposite sense. */
static void edge_opposite_flags(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_sort_opt falling;
    hy_graph *g;
    char text[300];
    memset(&falling, 0, sizeof falling);
    falling.descending = 1;
    g = hy_compile(S, hy_sort(S, hy_var(S, "x", NULL), -1, &falling));
    hy_graph_text(g, HY_FORM_LINES, text, sizeof text);
    CHECK(strstr(text, "is_ascend=False") && !strstr(text, "descending"));
    hy_graph_free(F, g);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

/* A window of 20001 x 20001 over 6 x 6 places sees all of them from everywhere, at the price of these: that of
 * 20001 x 20001 nobody waits for. */
static void edge_window(void)
{
    static const char *const kinds[] = { "max", "avg", "sum", "lp" };
    hy_frame *F = hy_open(NULL);
    hy_array *x, *y, *in[1];
    size_t k;
    int i;
    double area = 20001.0 * 20001, sum = 0, squares = 0;
    x = in[0] = hy_cast(F, hy_uniform(F, HY_SHAPE(1, 1, 6, 6), 1, 2), HY_F64);
    for (i = 0; i < 36; i++) { double v = hy_value(F, x, 0, 0, i / 6, i % 6); sum += v; squares += v * v; }
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    for (k = 0; k < 4; k++) {
        char attrs[200];
        double want[4], slope;
        snprintf(attrs, sizeof attrs, "kernel=(20001,20001) pad=(10000,10000) pool_type=%s p_value=2", kinds[k]);
        hy_record(F);
        y = hy_apply(F, "pooling", 1, in, attrs);
        hy_pause(F);
        hy_backward(F, y, NULL);
        want[0] = hy_item(F, hy_max(F, x, HY_ALL, NULL));
        want[1] = sum / area;
        want[2] = sum;
        want[3] = sqrt(squares);
        CHECK(hy_dim(F, y, 2) == 6 && hy_dim(F, y, 3) == 6);
        CHECK_NEAR(hy_value(F, y, 0, 0, 5, 0), want[k], 1e-12 * want[k]);
        slope = hy_item(F, hy_sum(F, hy_grad_of(F, x), HY_ALL, NULL));
        CHECK_NEAR(slope, k == 0 ? 36 : k == 1 ? 36 * 36 / area : k == 2 ? 36 * 36 : 36 * sum / want[3], 1e-9 * 36 * 36);
    }
    CHECK(hy_close(F) == 0);
}

/* Attributes and shapes whose products no integer holds: an error or a result, never an overflow. */
static void edge_sizes(void)
{
    static const char *const rows[][2] = {
        { "tile", "reps=(4611686018427387904,4)" }, { "tile", "reps=(9223372036854775807,2)" },
        { "repeat", "repeats=2147483647" }, { "repeat", "repeats=2147483647 axis=0" },
        { "one_hot", "depth=2147483647" }, { "broadcast_to", "shape=(4611686018427387904,4)" },
        { "broadcast_axis", "axis=0 size=4611686018427387904" },
        { "broadcast_axis", "axis=(0,1) size=(4611686018427387904,4611686018427387904)" },
        { "pad", "mode=constant pad_width=(9223372036854775807,1,9223372036854775807,1)" },
        { "pad", "mode=edge pad_width=(4611686018427387903,4611686018427387903,0,0)" },
        { "upsampling", "scale=2147483647 sample_type=nearest" }, { "space_to_depth", "block_size=2147483647" },
        { "depth_to_space", "block_size=2147483647" }, { "depth_to_space", "block_size=65536" },
        { "slice", "begin=(-9223372036854775807,) end=(9223372036854775807,)" },
        { "slice", "begin=(9223372036854775807,) end=(-9223372036854775807,) step=(-9223372036854775807,)" },
        { "slice_axis", "axis=0 begin=-2147483647 end=2147483647" }, { "reshape", "shape=(4611686018427387904,-1)" },
        { "reshape", "shape=(-4,4611686018427387904,-1,0)" },
        { "reshape", "shape=(4611686018427387904,4611686018427387904,4)" }, { "diag", "k=2147483647" },
        { "diag", "k=-2147483647" }, { "split_v2", "indices=(0,9223372036854775807) axis=0" },
        { "topk", "k=2147483647" }, { "Convolution", "kernel=(16777216,) num_filter=2147483647" },
        { "Deconvolution", "kernel=(16777216,) num_filter=2147483647 stride=(16777216,) adj=(16777215,)" },
        { "Deconvolution", "kernel=(2,2) num_filter=3 target_shape=(9223372036854775807,4)" },
        { "Pooling", "kernel=(16777216,16777216)" },
        { "Pooling", "kernel=(2,2) pad=(16777216,16777216) stride=(1,1)" },
        { "adaptive_avg_pooling", "output_size=(9223372036854775807,9223372036854775807)" },
        { "adaptive_avg_pooling", "output_size=(2147483647,2147483647)" }, { "lrn", "nsize=2147483647" },
        { "FullyConnected", "num_hidden=2147483647" }, { "FullyConnected", "num_hidden=-5" },
        { "Embedding", "input_dim=2147483647 output_dim=2147483647" },
        { "RNN", "state_size=2147483647 num_layers=2147483647 mode=lstm" },
        { "RNN", "state_size=65536 num_layers=65535 mode=lstm bidirectional=True" },
        { "scatter_nd", "shape=(4611686018427387904,4611686018427387904,4)" },
        { "crop", "h_w=(2147483647,2147483647) offset=(2147483647,2147483647)" },
        { "expand_dims", "axis=2147483647" }, { "arange_like", "repeat=2147483647" },
        { "roi_pooling", "pooled_size=(2147483647,2147483647) spatial_scale=1" },
        { "roi_align", "pooled_size=(2147483647,2147483647) spatial_scale=1" },
        { "im2col", "kernel=(16777216,)" }, { "im2col", "kernel=(16777216,16777216) pad=(16777216,16777216)" },
        { "im2col", "kernel=(1,) pad=(16777216,)" }, { "col2im", "output_size=(16777216,) kernel=(4,)" },
        { "col2im", "output_size=(9223372036854775807,4) kernel=(1,1)" },
        { "deformable_convolution", "kernel=(1,1) num_filter=2147483647 num_deformable_group=2147483647" },
        { "deformable_convolution", "kernel=(1024,1024) num_filter=3 pad=(16777216,16777216)" },
        { "deformable_convolution", "kernel=(1,1) num_filter=3 num_deformable_group=16777216 no_bias=True" },
        { "_arange", "start=0 stop=1e18 step=1e-5 repeat=2147483647" }, { "_arange", "start=-1e308 stop=1e308" },
        { "_linspace", "start=0 stop=1 num=9223372036854775807" },
        { "_full", "shape=(4611686018427387904,4) value=1" }, { "_full", "shape=(0,4611686018427387904,4) value=1" },
        { "_zeros", "shape=(9223372036854775807,9223372036854775807)" },
        { "_eye", "N=9223372036854775807 M=9223372036854775807 k=9223372036854775807" },
        { "_eye", "N=3 M=3 k=-9223372036854775807" }, { "random_uniform", "shape=(4611686018427387904,8)" },
        { "random_randint", "low=-9223372036854775807 high=9223372036854775807 shape=(3,)" },
        { "multibox_prior", "" } };
    static const int64_t shapes[][5] = {
        { 2, 3, 4 }, { 4, 1, 2, 3, 4 }, { 1, 5 }, { 2, 0, 7 }, { 3, 2, INT64_C(1) << 35, 3 },
        { 4, 2, 1 << 20, 1 << 20, 1 << 20 }, { 3, INT64_C(1) << 62, INT64_C(1) << 62, 4 }, { 2, INT64_MAX, 2 },
        { 3, 0, INT64_C(1) << 62, INT64_C(1) << 62 }, { 1, INT64_MAX } };
    hy_desc small;
    hy_frame *F, *S;
    size_t i, k;
    int d, m, shaped;
    memset(&small, 0, sizeof small);
    small.memory_bytes = (size_t)24 << 20;              /* what fits the address space does not fit here */
    small.memory = malloc(small.memory_bytes);
    F = hy_open(&small);
    for (i = 0; i < sizeof rows / sizeof *rows; i++)
        for (k = 0; k < sizeof shapes / sizeof *shapes; k++)
            for (shaped = 0; shaped < 2; shaped++)
                for (m = 0; m < 5; m++) {
                    hy_array *in[5], *y;
                    hy_var_opt opt;
                    hy_graph *g;
                    S = hy_symbolic(F);
                    memset(&opt, 0, sizeof opt);
                    opt.shaped = shaped;
                    opt.shape.ndim = (int)shapes[k][0];
                    for (d = 0; d < opt.shape.ndim; d++) opt.shape.dim[d] = shapes[k][d + 1];
                    hy_begin(F);
                    for (d = 0; d < m; d++) in[d] = hy_var(S, "x", d ? NULL : &opt);
                    y = hy_apply(S, rows[i][0], m, in, rows[i][1]);
                    g = y ? hy_compile(S, hy_add_scalar(S, hy_relu(S, y), 1)) : NULL;
                    if (g && k < 4 && m) {
                        for (d = 0; d < m; d++) in[d] = hy_ones(F, opt.shape);
                        hy_graph_run(F, g, m > 1 ? hy_group_of(F, m, in) : in[0]);
                    }
                    hy_graph_free(F, g);
                    hy_close(S);
                    hy_end(F);
                    hy_clear(F);
                }
    {
        hy_array *x = hy_ones(F, HY_SHAPE(1, 2));
        CHECK(!hy_apply(F, "tile", 1, &x, "reps=(4611686018427387904,4)") && strstr(hy_error(F), "too large"));
    }
    hy_close(F);
    free(small.memory);
}

/* Windows as columns, and those that look beside their places: what is wrong is named. */
static void edge_columns_refuse(void)
{
    static const struct { const char *op, *attrs, *says; int64_t shape[3][5]; } rows[] = {
        { "im2col", "kernel=(3,3)", "kernel size exceed input", { { 4, 1, 2, 2, 5 } } },
        { "im2col", "kernel=(3,)", "Shape inconsistent", { { 4, 1, 2, 4, 5 } } },
        { "im2col", "kernel=(2,2) stride=(0,1)", "stride must lie", { { 4, 1, 2, 4, 5 } } },
        { "im2col", "kernel=(2,2,2,2)", "the kernel has 4 dims", { { 4, 1, 2, 4, 5 } } },
        { "im2col", "", "kernel is not presented", { { 4, 1, 2, 4, 5 } } },
        { "col2im", "output_size=(4,5) kernel=(3,3)", "10 rows are not a multiple of 9 taps", { { 3, 1, 10, 6 } } },
        { "col2im", "output_size=(4,5) kernel=(3,3)", "Shape inconsistent", { { 3, 1, 18, 7 } } },
        { "col2im", "output_size=(4,) kernel=(3,3)", "output_size has 1 numbers where 2 are due", { { 3, 1, 18, 6 } } },
        { "col2im", "output_size=(0,5) kernel=(1,1)", "output_size must lie in 1", { { 3, 1, 18, 0 } } },
        { "deformable_convolution", "kernel=(3,) num_filter=4 no_bias=True", "the kernel has 1 dims, where 2 are due",
          { { 3, 1, 2, 5 }, { 3, 1, 6, 3 }, { 3, 4, 2, 3 } } },
        { "deformable_convolution", "kernel=(3,3) num_filter=4 no_bias=True layout=NHWC", "channels stand before the places",
          { { 4, 1, 5, 5, 2 }, { 4, 1, 3, 3, 18 }, { 4, 4, 3, 3, 2 } } },
        { "deformable_convolution", "kernel=(3,3) num_filter=4 no_bias=True", "Shape inconsistent",
          { { 4, 1, 2, 5, 5 }, { 4, 1, 16, 3, 3 }, { 4, 4, 2, 3, 3 } } },
        { "deformable_convolution", "kernel=(3,3) num_filter=4 no_bias=True num_deformable_group=2",
          "3 channels are not a multiple of num_deformable_group 2", { { 4, 1, 3, 5, 5 }, { 4, 1, 36, 3, 3 }, { 4, 4, 3, 3, 3 } } },
        { "deformable_convolution", "kernel=(3,3) num_filter=4 no_bias=True num_group=3",
          "num_filter 4 is not a multiple of num_group 3", { { 4, 1, 3, 5, 5 }, { 4, 1, 18, 3, 3 }, { 4, 4, 1, 3, 3 } } },
        { "deformable_convolution", "kernel=(3,3) num_filter=4 no_bias=True num_deformable_group=0", "num_deformable_group is 0",
          { { 4, 1, 3, 5, 5 }, { 4, 1, 18, 3, 3 }, { 4, 4, 3, 3, 3 } } } };
    hy_frame *F = hy_open(NULL);
    size_t i;
    int k, d;
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        hy_array *in[3];
        for (k = 0; k < 3 && rows[i].shape[k][0]; k++) {
            hy_shape s;
            s.ndim = (int)rows[i].shape[k][0];
            for (d = 0; d < s.ndim; d++) s.dim[d] = rows[i].shape[k][d + 1];
            in[k] = hy_ones(F, s);
        }
        CHECK(!hy_apply(F, rows[i].op, k, in, rows[i].attrs) && strstr(hy_error(F), rows[i].op));
        if (!CHECK(strstr(hy_error(F), rows[i].says) != NULL)) printf("    %s\n", hy_error(F));
        hy_clear(F);
    }
    {
        hy_array *x = hy_cast(F, hy_ones(F, HY_SHAPE(1, 1, 3, 3)), HY_I32);
        CHECK(!hy_im2col(F, x, HY_INTS(2, 2), NULL) && hy_error_code(F) == HY_ERROR_DTYPE);
        hy_clear(F);
    }
    CHECK(hy_close(F) == 0);
}

/* A plane without columns, whose kernel reaches over rows. */
static void edge_nothing_wide(void)
{
    hy_frame *F = hy_open(NULL);
    hy_deconvolution_opt opt;
    hy_array *y;
    memset(&opt, 0, sizeof opt);
    opt.num_group = 4;
    y = hy_deconvolution(F, hy_ones(F, HY_SHAPE(2, 4, 1, 0)), hy_ones(F, HY_SHAPE(4, 1, 2, 1)), NULL, HY_INTS(2, 1), 4,
                         &opt);
    CHECK(y && hy_dim(F, y, 2) == 2 && hy_dim(F, y, 3) == 0 && !hy_error(F));
    CHECK(hy_close(F) == 0);
}

#ifndef HYBRID_NO_TRAIN
/* Norms of halves have gradients where squares of what they norm are none. */
static void edge_wide_halves(void)
{
    static const char *const norm[][2] = { { "LayerNorm", "axis=-1" }, { "LayerNorm", "axis=1" },
        { "GroupNorm", "num_groups=4" }, { "InstanceNorm", "" }, { "L2Normalization", "mode=instance" },
        { "L2Normalization", "mode=channel" } };
    hy_frame *F = hy_open(NULL);
    hy_backward_opt opt;
    size_t i;
    int half, k;
    memset(&opt, 0, sizeof opt);
    for (i = 0; i < sizeof norm / sizeof *norm; i++) {
        const int n = i < 4 ? 3 : 1;
        hy_array *in[2][3], *y, *error;
        hy_seed(F, 3);
        in[0][0] = hy_round(F, hy_normal(F, HY_SHAPE(3, 4, 4), 0, 600));
        opt.head_grads = hy_normal(F, HY_SHAPE(3, 4, 4), 0, 30);
        for (k = 1; k < n; k++) in[0][k] = hy_ones(F, HY_SHAPE(4));
        for (half = 0; half < 2; half++) {
            for (k = 0; k < n; k++) {
                if (half) in[1][k] = hy_cast(F, in[0][k], HY_F16);
                hy_attach_grad(F, in[half][k], HY_GRAD_WRITE);
            }
            if (half) opt.head_grads = hy_cast(F, opt.head_grads, HY_F16);
            hy_record(F);
            y = hy_apply(F, norm[i][0], n, in[half], norm[i][1]);
            hy_pause(F);
            hy_backward(F, hy_get(F, y, 0), &opt);
        }
        for (k = 0; k < n; k++) {
            y = hy_grad_of(F, in[0][k]);
            error = hy_abs(F, hy_sub(F, hy_cast(F, hy_grad_of(F, in[1][k]), HY_F32), y));
            CHECK(hy_item(F, hy_max(F, error, HY_ALL, NULL)) <=
                  .01 * hy_item(F, hy_max(F, hy_abs(F, y), HY_ALL, NULL)));
        }
    }
    CHECK(hy_close(F) == 0);
}

/* Data of no channels have a gradient of no elements, in any order. */
static void edge_no_channels(void)
{
    hy_frame *F = hy_open(NULL);
    hy_deconvolution_opt back;
    hy_grad_opt opt;
    int turned;
    memset(&back, 0, sizeof back);
    memset(&opt, 0, sizeof opt);
    back.use_bias = 1;
    for (turned = 0; turned < 2; turned++) {
        hy_array *x = hy_ones(F, HY_SHAPE(2, 0, 5, 5)), *b = hy_ones(F, HY_SHAPE(4)), *y, *all, *g;
        hy_array *w = hy_ones(F, turned ? HY_SHAPE(0, 4, 3, 3) : HY_SHAPE(4, 0, 3, 3));
        all = hy_group(F, x, w, b);
        hy_attach_grad(F, x, HY_GRAD_WRITE);
        hy_attach_grad(F, w, HY_GRAD_WRITE);
        hy_attach_grad(F, b, HY_GRAD_WRITE);
        hy_record(F);
        y = turned ? hy_deconvolution(F, x, w, b, HY_INTS(3, 3), 4, &back)
                   : hy_convolution(F, x, w, b, HY_INTS(3, 3), 4, NULL);
        opt.create_graph = 1;
        g = hy_grad(F, hy_square(F, y), all, &opt);
        CHECK(hy_item(F, hy_sum(F, hy_get(F, g, 2), HY_ALL, NULL)) == (turned ? 784 : 144));
        opt.create_graph = 0;
        g = hy_grad(F, hy_square(F, hy_get(F, g, 2)), all, &opt);
        hy_pause(F);
        CHECK(!hy_error(F) && hy_dim(F, hy_get(F, g, 0), 1) == 0 && hy_dim(F, hy_get(F, g, 1), !turned) == 0);
        hy_clear(F);
    }
    CHECK(hy_close(F) == 0);
}

/* Of data of no places, and of a slope for each of no channels. */
static void edge_no_places(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_ones(F, HY_SHAPE(2, 3, 4, 0)), *w = hy_ones(F, HY_SHAPE(3, 2, 1, 1)), *in[2], *y;
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_attach_grad(F, w, HY_GRAD_WRITE);
    hy_record(F);
    y = hy_deconvolution(F, x, w, NULL, HY_INTS(1, 1), 2, NULL);
    hy_backward(F, hy_sum(F, y, HY_ALL, NULL), NULL);
    CHECK(!hy_error(F) && hy_item(F, hy_sum(F, hy_abs(F, hy_grad_of(F, w)), HY_ALL, NULL)) == 0);
    hy_pause(F);
    in[0] = hy_ones(F, HY_SHAPE(3, 0, 2));
    in[1] = hy_ones(F, HY_SHAPE(0));
    hy_attach_grad(F, in[0], HY_GRAD_WRITE);
    hy_attach_grad(F, in[1], HY_GRAD_WRITE);
    hy_record(F);
    hy_backward(F, hy_sum(F, hy_apply(F, "leaky_relu", 2, in, "act_type=prelu"), HY_ALL, NULL), NULL);
    CHECK(!hy_error(F) && hy_dim(F, hy_grad_of(F, in[1]), 0) == 0);
    CHECK(hy_close(F) == 0);
}

/* A truth value is a step: flat, whatever stands between it and the number that it becomes. */
static void edge_truth_is_flat(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_random_uniform(F, HY_SHAPE(3, 4), -1, 1, NULL), *y;
    hy_sort_opt o;
    memset(&o, 0, sizeof o);
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_record(F);
    y = hy_cast(F, hy_sort(F, hy_cast(F, x, HY_BOOL), 1, &o), HY_F32);
    hy_backward(F, hy_sum(F, hy_add(F, hy_mul_scalar(F, x, 2), y), HY_ALL, NULL), NULL);
    CHECK(!hy_error(F) && hy_item(F, hy_sum(F, hy_grad_of(F, x), HY_ALL, NULL)) == 24);
    CHECK(hy_close(F) == 0);
}
#endif

/* Results without elements are made at once, however many empty lines there are. */
static void edge_nothing(void)
{
    const int64_t many = (int64_t)1 << 40;
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_empty(F, HY_SHAPE(many, 2, 0), HY_F32), *none = hy_empty(F, HY_SHAPE(1, 0), HY_F32);
    CHECK(hy_apply(F, "sort", 1, &x, NULL) && hy_apply(F, "argsort", 1, &x, NULL));
    CHECK(hy_apply(F, "cumsum", 1, &x, "axis=1") && hy_apply(F, "L2Normalization", 1, &x, "mode=spatial"));
    x = hy_empty(F, HY_SHAPE(many, 0), HY_F32);
    CHECK(hy_shape_of(F, hy_take(F, x, none, 1, NULL)).dim[0] == many);
    x = hy_empty(F, HY_SHAPE(0, many), HY_F32);
    CHECK(hy_shape_of(F, hy_apply(F, "unique", 1, &x, "axis=0")).dim[0] == 0);
    CHECK(!hy_close(F));
}

/* argmax and argmin give places in the type of the data, as in MXNet, where 8 bits do not make that too short. */
static void edge_types_of_places(void)
{
    static const hy_dtype types[] = { HY_F16, HY_F32, HY_F64, HY_I32, HY_I64, HY_I8, HY_U8 };
    hy_frame *F = hy_open(NULL);
    int i, least;
    for (i = 0; i < 7; i++) for (least = 0; least < 2; least++) {
        hy_array *x = hy_cast(F, hy_arange(F, 0, 5, 1), types[i]);
        hy_array *y = least ? hy_argmin(F, x, 0, NULL) : hy_argmax(F, x, 0, NULL);
        CHECK(hy_dtype_of(F, y) == (i < 5 ? types[i] : HY_F32));
        CHECK(hy_item(F, y) == (least ? 0 : 4));
    }
    CHECK(hy_close(F) == 0);
}

/* Labels of a regression need as many samples and numbers as the data; at a tie MXNet's mean absolute error
 * goes down. */
static void edge_labels_laid_out_otherwise(void)
{
    static const struct { int n[3], m[3], ndim, mdim, ok; } cases[] = {
        { { 3, 1, 1 }, { 3 }, 3, 1, 1 }, { { 2, 6 }, { 2, 3, 2 }, 2, 3, 1 }, { { 2, 2, 2 }, { 2, 4 }, 3, 2, 1 },
        { { 2, 6 }, { 3, 2, 2 }, 2, 3, 0 }, { { 3, 2, 1 }, { 3 }, 3, 1, 0 } };
    hy_frame *F = hy_open(NULL);
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        hy_shape a = hy_shape_of(F, hy_zeros(F, HY_SHAPE(1))), b = a;
        hy_array *x, *y;
        int d;
        a.ndim = cases[i].ndim;
        b.ndim = cases[i].mdim;
        for (d = 0; d < 3; d++) { a.dim[d] = cases[i].n[d]; b.dim[d] = cases[i].m[d]; }
        x = hy_ones(F, a);
        hy_attach_grad(F, x, HY_GRAD_WRITE);
        hy_record(F);
        y = hy_mae_regression_output(F, x, hy_ones(F, b), NULL);
        hy_pause(F);
        hy_backward(F, y, NULL);
        if (!cases[i].ok) { CHECK(!y && hy_error_code(F) == HY_ERROR_SHAPE); hy_clear(F); continue; }
        CHECK_NEAR(hy_item(F, hy_sum(F, hy_grad_of(F, x), HY_ALL, NULL)), -(double)a.dim[0], 1e-6);
    }
    CHECK(hy_close(F) == 0);
}

/* --- products by blocks: sums of small whole numbers, exact in any order --- */
static float edge_left(int64_t i, int64_t p) { return (float)((i * 7 + p * 3 + i * p) % 7 - 3); }
static float edge_right(int64_t p, int64_t j) { return (float)((p * 5 + j * 2 + p * j) % 5 - 2); }

/* Matrix (rows, cols) of one of these, turned or not. */
static hy_array *edge_matrix(hy_frame *F, float (*value)(int64_t, int64_t), int64_t rows, int64_t cols,
                             int turned)
{
    const int64_t outer = turned ? cols : rows, inner = turned ? rows : cols;
    float *v = (float *)malloc((size_t)(outer * inner) * sizeof *v);
    hy_array *x = NULL;
    int64_t i, j;
    if (v)
        for (i = 0; i < outer; i++)
            for (j = 0; j < inner; j++) v[i * inner + j] = turned ? value(j, i) : value(i, j);
    if (v) x = hy_copy(F, hy_floats(F, HY_SHAPE(outer, inner), v));
    free(v);
    return x;
}

static void edge_product_checked(hy_frame *F, const int64_t *size, const float *want)
{
    float *got = (float *)malloc((size_t)(size[0] * size[1]) * sizeof *got);
    int turn, doubles;
    for (turn = 0; got && turn < 4; turn++)
        for (doubles = 0; doubles < 2; doubles++) {
            const size_t bytes = (size_t)(size[0] * size[1]) * sizeof *got;
            hy_dot_opt o;
            hy_array *a, *b;
            memset(&o, 0, sizeof o);
            o.transpose_a = turn & 1;
            o.transpose_b = turn >> 1;
            hy_begin(F);
            a = edge_matrix(F, edge_left, size[0], size[2], turn & 1);
            b = edge_matrix(F, edge_right, size[2], size[1], turn >> 1);
            if (doubles) { a = hy_cast(F, a, HY_F64); b = hy_cast(F, b, HY_F64); }
            CHECK(hy_to(F, hy_dot(F, a, b, &o), HY_F32, got, bytes) == bytes);
            CHECK(!hy_error(F) && !memcmp(got, want, bytes));
            hy_end(F);
        }
    CHECK(got != NULL);
    free(got);
}

/* Several blocks of rows, columns and k, the last of each cut short; panels packed several at a time; rows
 * that lie 1,024 and 4,096 bytes apart. */
static void edge_product_blocks(void)
{
    static const int64_t sizes[][3] = {
        { 250, 130, 20 }, { 125, 1390, 30 }, { 130, 300, 300 }, { 125, 70, 1024 }, { 130, 256, 33 } };
    int s, isa;
    for (s = 0; s < (int)(sizeof sizes / sizeof *sizes); s++) {
        const int64_t *size = sizes[s];
        float *want = (float *)malloc((size_t)(size[0] * size[1]) * sizeof *want);
        int64_t i, j, p;
        if (!CHECK(want != NULL)) return;
        for (i = 0; i < size[0]; i++)
            for (j = 0; j < size[1]; j++)
                for (p = 0, want[i * size[1] + j] = 0; p < size[2]; p++)
                    want[i * size[1] + j] += edge_left(i, p) * edge_right(p, j);
        for (isa = HY_ISA_BASE; isa <= HY_ISA_AVX512_BF16; isa++) {
            hy_desc desc;
            hy_frame *F;
            memset(&desc, 0, sizeof desc);
            desc.isa = isa;
            desc.threads = isa == HY_ISA_BASE ? 4 : 1;
            F = hy_open(&desc);
            if ((int)hy_isa(F) == isa) edge_product_checked(F, size, want);
            CHECK(hy_close(F) == 0);
        }
        free(want);
    }
}

static void test_edges(void)
{
    RUN(edge_nothing);
    RUN(edge_sizes);
    RUN(edge_columns_refuse);
    RUN(edge_compare);
    RUN(edge_index_copy);
    RUN(edge_ranges);
    RUN(edge_no_sign);
    RUN(edge_nan);
    RUN(edge_long_lines);
    RUN(edge_folds);
    RUN(edge_endless_temperature);
    RUN(edge_wide_integers);
    RUN(edge_products_of_nothing);
    RUN(edge_product_blocks);
    RUN(edge_turned_planes);
    RUN(edge_nothing_wide);
#ifndef HYBRID_NO_TRAIN
    RUN(edge_wide_halves);
    RUN(edge_no_channels);
    RUN(edge_no_places);
    RUN(edge_truth_is_flat);
    RUN(edge_labels_laid_out_otherwise);
    RUN(edge_types_of_places);
#endif
    RUN(edge_opposite_flags);
    RUN(edge_window);
}
