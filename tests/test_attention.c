/* Attention: as one operator, written out, and made of that by a pass. */

typedef struct attention_case { int64_t samples, heads, queries, keys, part, each; int mask; } attention_case;
enum { ATTENTION_PLAIN, ATTENTION_ALL, ATTENTION_ROWS, ATTENTION_KEYS };        /* what the mask is broadcast along */

static hy_array *attention_mask(hy_frame *F, const attention_case *c)
{
    switch (c->mask) {
    case ATTENTION_ALL:  return hy_normal(F, HY_SHAPE(c->samples * c->heads, c->queries, c->keys), 0, 1);
    case ATTENTION_ROWS: return hy_normal(F, HY_SHAPE(c->queries, c->keys), 0, 1);
    case ATTENTION_KEYS: return hy_normal(F, HY_SHAPE(c->samples * c->heads, 1, c->keys), 0, 1);
    default: return NULL;
    }
}

/* group(q, k, v[, mask]), the heads among the samples */
static hy_array *attention_inputs(hy_frame *F, const attention_case *c)
{
    const int64_t n = c->samples * c->heads;
    hy_array *x[4];
    x[0] = hy_normal(F, HY_SHAPE(n, c->queries, c->part), 0, 1);
    x[1] = hy_normal(F, HY_SHAPE(n, c->keys, c->part), 0, 1);
    x[2] = hy_normal(F, HY_SHAPE(n, c->keys, c->each), 0, 1);
    x[3] = attention_mask(F, c);
    return hy_group_of(F, 3 + (x[3] != NULL), x);
}

static hy_array *attention_written(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_batch_dot_opt turned = { 0 };
    hy_array *s;
    (void)self;
    turned.transpose_b = 1;
    s = hy_mul_scalar(F, hy_batch_dot(F, hy_get(F, x, 0), hy_get(F, x, 1), &turned), 0.3);
    if (hy_count(F, x) > 3) s = hy_add(F, hy_get(F, x, 3), s);
    return hy_batch_dot(F, hy_dropout(F, hy_softmax(F, s, -1, NULL), 0.5, NULL), hy_get(F, x, 2), NULL);
}

static hy_array *attention_torch(hy_frame *F, hy_block *self, hy_array *x)      /* keys turned round, a division */
{
    hy_array *s;
    (void)self;
    s = hy_linalg_gemm2(F, hy_get(F, x, 0), hy_transpose(F, hy_get(F, x, 1), HY_AXES(0, 2, 1)), NULL);
    s = hy_div_scalar(F, s, 8);
    if (hy_count(F, x) > 3) s = hy_add(F, s, hy_get(F, x, 3));
    return hy_linalg_gemm2(F, hy_softmax(F, s, -1, NULL), hy_get(F, x, 2), NULL);
}

/* Keys turned by swap_axes: of their last two axes, or of others, then they are turned the way attention has them. */
static hy_array *attention_swapped(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *s = hy_swap_axes(F, hy_get(F, x, 1), -1, -2);
    (void)self;
    s = hy_softmax(F, hy_batch_dot(F, hy_get(F, x, 0), s, NULL), -1, NULL);
    return hy_batch_dot(F, s, hy_get(F, x, 2), NULL);
}

static hy_array *attention_misled(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *s = hy_swap_axes(F, hy_get(F, x, 1), 0, 1);
    (void)self;
    s = hy_softmax(F, hy_batch_dot(F, hy_get(F, x, 0), s, NULL), -1, NULL);
    return hy_batch_dot(F, s, hy_get(F, x, 2), NULL);
}

static int attention_same(hy_frame *F, hy_array *a, hy_array *b)
{
    if (!a || !b || hy_size(F, a) != hy_size(F, b)) return 0;
    return !hy_size(F, a) || !memcmp(hy_data(F, a), hy_data(F, b), (size_t)hy__bytes(&a->t.type));
}

static double attention_far(hy_frame *F, hy_array *a, hy_array *b)
{
    if (!hy_size(F, a)) return 0;
    return hy_item(F, hy_max(F, hy_abs(F, hy_cast(F, hy_sub(F, a, b), HY_F64)), HY_ALL, NULL));
}

static int attention_count(hy_frame *F, hy_block *block, hy_array *x, int exact)
{
    hy_optimize_opt opt = { 0 };
    hy_graph *g;
    hy_node node;
    int i, n = 0;
    opt.exact = exact;
    g = hy_optimize(F, hy_graph_of(F, block), x, &opt);
    for (i = 0; !hy_graph_node(g, i, &node); i++) n += node.op && !strcmp(node.op->name, "attention");
    hy_graph_free(F, g);
    return n;
}

static const attention_case attention_cases[] = {
    { 1, 2, 128, 128, 32, 32, 0 }, { 2, 3, 50, 67, 33, 17, 1 }, { 1, 4, 49, 300, 64, 70, 2 }, { 2, 1, 7, 65, 8, 1, 3 },
    { 1, 2, 1, 40, 40, 5, 0 }, { 1, 1, 200, 600, 300, 130, 1 }, { 1, 1, 3, 7, 5, 4, 0 }, { 3, 1, 5, 33, 2, 2, 0 } };
enum { ATTENTION_CASES = sizeof attention_cases / sizeof *attention_cases };

/* The pass finds it, and the bits are those of the operators line by line. */
static void test_attention_written_out(void)
{
    static const hy_forward_fn forward[] = { attention_written, attention_torch };
    hy_frame *F = hy_open(NULL);
    int i, k, wide, thin;
    for (i = 0; i < 2 * ATTENTION_CASES; i++)
        for (wide = 0; wide < 2; wide++) for (k = 0; k < 2; k++) {
            const attention_case *c = &attention_cases[i / 2];
            hy_block *net;
            hy_array *x, *y;
            hy_hybridize_opt opt = { 0 };
            hy_begin(F);
            net = hy_nn_hybrid_lambda(F, forward[i % 2], "attention");
            x = attention_inputs(F, c);
            if (wide) {
                hy_array *in[4];
                int n;
                for (n = 0; n < hy_count(F, x); n++) in[n] = hy_cast(F, hy_get(F, x, n), HY_F64);
                x = hy_group_of(F, n, in);
            }
            y = hy_call(F, net, x);
            opt.exact = k;
            hy_hybridize(F, net, &opt);
            thin = i % 2 && c->queries <= 48;           /* products with keys that were turned round first */
            if (!CHECK(thin && !k ? attention_far(F, y, hy_call(F, net, x)) <= (wide ? 1e-14 : 3e-6)
                                  : attention_same(F, y, hy_call(F, net, x)))) printf("    case %d, %d\n", i, wide);
            thin = k && (thin || c->mask);              /* other bits, so not with `exact` */
#ifdef HYBRID_USE_CBLAS
            thin = 1;                                   /* which makes the products itself */
#endif
            CHECK(attention_count(F, net, x, k) == !thin);
            hy_block_free(F, net);
            hy_end(F);
        }
    CHECK(!hy_error(F));
    hy_close(F);
}

static void test_attention_swapped(void)
{
    static const hy_forward_fn forward[] = { attention_swapped, attention_misled };
    hy_frame *F = hy_open(NULL);
    int i, exact;
    for (i = 0; i < 2; i++) for (exact = 0; exact < 2; exact++) {
        hy_block *net = hy_nn_hybrid_lambda(F, forward[i], "attention");
        hy_hybridize_opt opt = { 0 };
        hy_array *in[3], *x, *y;
        int k;
        for (k = 0; k < 3; k++) in[k] = hy_normal(F, HY_SHAPE(64, 64, 64), 0, 1);
        x = hy_group_of(F, 3, in);
        y = hy_call(F, net, x);
        opt.exact = exact;
        hy_hybridize(F, net, &opt);
        CHECK(attention_same(F, y, hy_call(F, net, x)));
#ifdef HYBRID_USE_CBLAS
        CHECK(attention_count(F, net, x, exact) == 0);
#else
        CHECK(attention_count(F, net, x, exact) == 1);
#endif
    }
    CHECK(!hy_error(F));
    hy_close(F);
}

/* Up to 32 keys softmax adds up otherwise; and what is seen from outside stays. */
static hy_array *attention_looked_at(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_batch_dot_opt turned = { 0 };
    hy_array *p;
    (void)self;
    turned.transpose_b = 1;
    p = hy_softmax(F, hy_batch_dot(F, hy_get(F, x, 0), hy_get(F, x, 1), &turned), -1, NULL);
    return hy_group(F, hy_batch_dot(F, p, hy_get(F, x, 2), NULL), p);
}

static void test_attention_left_alone(void)
{
    static const attention_case few = { 1, 2, 20, 9, 4, 4, 1 };
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_hybrid_lambda(F, attention_written, "attention");
    hy_array *x = attention_inputs(F, &few), *y = hy_call(F, net, x);
    hy_hybridize_opt opt = { 0 };
    opt.exact = 1;
    hy_hybridize(F, net, &opt);
    CHECK(attention_same(F, y, hy_call(F, net, x)));
    CHECK(attention_count(F, net, x, 1) == 0);
    x = attention_inputs(F, &attention_cases[1]);               /* C source has both products */
    CHECK(!hy_export_c(F, net, x, "attention.c", NULL));
    remove("attention.c");
    net = hy_nn_hybrid_lambda(F, attention_looked_at, "attention");
    hy_hybridize(F, net, NULL);
    hy_call(F, net, x);
    CHECK(attention_count(F, net, x, 0) == 0);
    CHECK(!hy_error(F));
    hy_close(F);
}

/* Ways of writing, and near misses from ATTENTION_MISS on. */
enum { ATTENTION_MISS = 10, ATTENTION_WAYS = 21 };
static int attention_way;

static hy_array *attention_all_of(hy_frame *F, double v, hy_array *like)
{
    return hy_reshape(F, hy_cast(F, hy_scalar(F, v), hy_dtype_of(F, like)), HY_INTS(1, 1, 1, 1), NULL);
}
static hy_array *attention_all(hy_frame *F, double v, hy_array *like)
{
    return hy_broadcast_to(F, attention_all_of(F, v, like), HY_INTS(2, 3, 20, 40));
}

static hy_array *attention_ways(hy_frame *F, hy_block *self, hy_array *x)
{
    const int way = attention_way, heads = way == 8 || way == 9;
    hy_array *q = hy_get(F, x, 0), *k = hy_get(F, x, 1), *v = hy_get(F, x, 2), *m = hy_get(F, x, 3), *p, *s, *low;
    hy_array *cond = hy_cast(F, hy_greater_scalar(F, m, 0), HY_BOOL), *hidden, *also = NULL, *first;
    hy_dtype dtype = hy_dtype_of(F, q);
    (void)self;
    if (heads) {                                        /* (B, T, heads D) whose heads are taken apart */
        q = hy_transpose(F, hy_reshape(F, q, HY_INTS(2, 20, 3, 8), NULL), HY_AXES(0, 2, 1, 3));
        k = hy_transpose(F, hy_reshape(F, k, HY_INTS(2, 40, 3, 8), NULL), HY_AXES(0, 2, 3, 1));
        v = hy_transpose(F, hy_reshape(F, v, HY_INTS(2, 40, 3, 8), NULL), HY_AXES(0, 2, 1, 3));
    } else k = hy_transpose(F, way == 1 ? hy_mul_scalar(F, k, 0.7) : k, HY_AXES(0, 1, 3, 2));
    if (way == 0) k = hy_mul_scalar(F, hy_mul(F, attention_all_of(F, 0.5, k), k), 0.6);
    q = way == 1 ? hy_div_scalar(F, q, 3) : way == 20 ? hy_add_scalar(F, q, 0.1) : hy_mul_scalar(F, q, 0.5);
    s = hy_linalg_gemm2(F, q, k, NULL);
    first = s;
    low = attention_all(F, way % 2 ? -HUGE_VAL : way == 10 ? -10 : -3e38, s);
    hidden = hy_cast(F, hy_reshape(F, hy_logical_not(F, cond), HY_INTS(1, 1, 20, 40), NULL), HY_BOOL);
    hidden = hy_broadcast_to(F, hidden, HY_INTS(2, 3, 20, 40));
    cond = hy_broadcast_to(F, hy_reshape(F, cond, HY_INTS(1, 1, 20, 40), NULL), HY_INTS(2, 3, 20, 40));
    if (way == 2 || way == 3 || way == 10) s = hy_where(F, cond, s, low);
    if (way == 4) s = hy_where(F, hidden, low, s);
    if (way == 5) s = hy_where(F, hidden, low, s);
    if (way == 11) s = hy_where(F, hy_cast(F, cond, dtype), s, low);            /* a condition of numbers */
    if (way == 6) {                                     /* a bias, then a mask in 5 dims */
        s = hy_reshape(F, hy_add(F, s, m), HY_INTS(1, 2, 3, 20, 40), NULL);
        s = hy_reshape(F, hy_add(F, s, hy_reshape(F, hy_sin(F, m), HY_INTS(1, 1, 1, 20, 40), NULL)), HY_INTS(2, 3, 20, 40), NULL);
    }
    if (way == 17) {                                    /* other axes together */
        s = hy_reshape(F, s, HY_INTS(6, 20, 40), NULL);
        s = hy_reshape(F, hy_add(F, s, hy_reshape(F, m, HY_INTS(1, 20, 40), NULL)), HY_INTS(2, 3, 20, 40), NULL);
    }
    if (way == 7 || way == 9 || way == 14 || way == 15 || way == 18)
        s = hy_add(F, s, hy_where(F, cond, attention_all(F, 0, s), attention_all(F, -HUGE_VAL, s)));
    if (way == 16) also = s;
    if (way == 12) { hy_softmax_opt warm = { 0 }; warm.temperature = 2; p = hy_softmax(F, s, -1, &warm); }
    else p = hy_softmax(F, s, way == 13 ? 2 : -1, NULL);
    if (way == 7 || way == 9 || way == 15 || way == 19)
        p = hy_where(F, hy_cast(F, hy_not_equal(F, p, p), HY_BOOL), attention_all(F, way == 15, p), p);
    if (way == 14) p = hy_where(F, hy_cast(F, hy_not_equal(F, p, first), HY_BOOL), attention_all(F, 0, p), p);
    if (way == 18) also = p;
    p = hy_linalg_gemm2(F, p, v, NULL);
    if (heads) p = hy_reshape(F, hy_transpose(F, p, HY_AXES(0, 2, 1, 3)), HY_INTS(2, 20, 24), NULL);
    return hy_group(F, p, also ? also : hy_add_scalar(F, m, 1));
}

/* The values are those of f64 line by line; with `exact`, and of what is none, every bit stays. */
static void test_attention_ways(void)
{
    hy_frame *F = hy_open(NULL);
    int k;
    for (attention_way = 0; attention_way < ATTENTION_WAYS; attention_way++) {
        const int way = attention_way, heads = way == 8 || way == 9, none = way >= ATTENTION_MISS && way != 20;
        hy_array *in[4], *wide[4], *want, *plain, *got, *x;
        hy_block *net;
        hy_hybridize_opt opt = { 0 };
        hy_begin(F);
        net = hy_nn_hybrid_lambda(F, attention_ways, "attention");
        in[0] = hy_normal(F, heads ? HY_SHAPE(2, 20, 24) : HY_SHAPE(2, 3, 20, 8), 0, 1);
        in[1] = hy_normal(F, heads ? HY_SHAPE(2, 40, 24) : HY_SHAPE(2, 3, 40, 8), 0, 1);
        in[2] = hy_normal(F, heads ? HY_SHAPE(2, 40, 24) : HY_SHAPE(2, 3, 40, 8), 0, 1);
        in[3] = hy_normal(F, HY_SHAPE(20, 40), 0, 1);
        for (k = 0; k < 40; k++)                        /* the first row hides everything where that is a number */
            if (way == 2 || way == 7 || way == 9) hy_set_value(F, in[3], -1, 0, k);
            else hy_set_value(F, in[3], 1, k % 20, k % 40);
        for (k = 0; k < 4; k++) wide[k] = hy_cast(F, in[k], HY_F64);
        x = hy_group_of(F, 4, in);
        want = hy_call(F, net, hy_group_of(F, 4, wide));
        plain = hy_call(F, net, x);
        opt.exact = 1;
        hy_hybridize(F, net, &opt);
        got = hy_call(F, net, x);
        CHECK(attention_same(F, hy_get(F, got, 0), hy_get(F, plain, 0)));
        hy_hybridize(F, net, NULL);
        got = hy_call(F, net, x);
        if (none) CHECK(attention_same(F, hy_get(F, got, 0), hy_get(F, plain, 0)));
        else if (!CHECK(attention_far(F, hy_cast(F, hy_get(F, got, 0), HY_F64), hy_get(F, want, 0)) <= 2e-6))
            printf("    way %d is %g off\n", way, attention_far(F, hy_cast(F, hy_get(F, got, 0), HY_F64), hy_get(F, want, 0)));
#ifndef HYBRID_USE_CBLAS
        if (!CHECK(attention_count(F, net, x, 0) == !none)) printf("    way %d\n", way);
#endif
        hy_block_free(F, net);
        hy_end(F);
        if (!CHECK(!hy_error(F))) printf("    way %d: %s\n", way, hy_error(F));
    }
    hy_close(F);
}

/* Heads of keys and values that two queries share, repeated as llama is exported, by repeat, and apart only after; and
 * near misses from GROUPED_MISS on: other axes, orders and values, one of the two, or the copies are seen from outside.
 * These are attention, too, of heads that are repeated before. */
enum { GROUPED_MISS = 4, GROUPED_WAYS = 13 };
static int grouped_way;
static hy_array *grouped_repeated(hy_frame *F, hy_array *x, int way, hy_array **also)
{
    hy_array *wide;
    if (way == 1) return hy_repeat(F, x, 2, 1);
    if (way == 2) return hy_repeat(F, x, 2, -3);
    if (way == 4) return hy_tile(F, x, HY_INTS(1, 2, 1, 1));                    /* 0 1 2 0 1 2, not 0 0 1 1 2 2 */
    if (way == 5) wide = hy_broadcast_to(F, hy_expand_dims(F, x, 1), HY_INTS(2, 2, 3, 40, 8));
    else if (way == 6) return hy_reshape(F, hy_repeat(F, hy_reshape(F, x, HY_INTS(2, 3, 40, 8), NULL), 2, 0), HY_INTS(2, 6, 40, 8), NULL);
    else if (way == 7) return hy_reshape(F, hy_repeat(F, x, 2, 2), HY_INTS(2, 6, 40, 8), NULL);
    else if (way == 8) wide = hy_concat(F, hy_group(F, hy_expand_dims(F, x, 2), hy_expand_dims(F, hy_negative(F, x), 2)), 2);
    else wide = hy_broadcast_to(F, hy_expand_dims(F, x, 2), HY_INTS(2, 3, 2, 40, 8));
    if (way == 9) *also = wide;
    x = hy_reshape(F, wide, HY_INTS(2, 6, 40, 8), NULL);
    if (way == 10) *also = x;
    return way == 12 ? hy_mul_scalar(F, x, 1.5) : x;
}
static hy_array *grouped_ways(hy_frame *F, hy_block *self, hy_array *x)
{
    const int way = grouped_way;
    hy_array *q = hy_get(F, x, 0), *k = hy_get(F, x, 1), *v = hy_get(F, x, 2), *m = hy_get(F, x, 3), *p, *also = NULL;
    (void)self;
    if (way == 3) {
        q = hy_transpose(F, hy_reshape(F, q, HY_INTS(2, 20, 6, 8), NULL), HY_AXES(0, 2, 1, 3));
        k = hy_transpose(F, hy_reshape(F, k, HY_INTS(2, 40, 3, 8), NULL), HY_AXES(0, 2, 1, 3));
        v = hy_transpose(F, hy_reshape(F, v, HY_INTS(2, 40, 3, 8), NULL), HY_AXES(0, 2, 1, 3));
    }
    k = hy_transpose(F, grouped_repeated(F, k, way, &also), HY_AXES(0, 1, 3, 2));
    v = way == 11 ? hy_slice_like(F, hy_concat(F, hy_group(F, v, v), 1), v, HY_AXES(0)) : grouped_repeated(F, v, way, &also);
    p = hy_add(F, hy_mul_scalar(F, hy_linalg_gemm2(F, q, k, NULL), 0.4), m);
    p = hy_linalg_gemm2(F, hy_softmax(F, p, -1, NULL), v, NULL);
    if (way == 3) p = hy_reshape(F, hy_transpose(F, p, HY_AXES(0, 2, 1, 3)), HY_INTS(2, 20, 48), NULL);
    return hy_group(F, p, also ? also : hy_add_scalar(F, m, 1));
}
/* Operators that repeat something, in the compiled graph. */
static int grouped_copies(hy_frame *F, hy_block *block, hy_array *x)
{
    static const char *const names[] = { "repeat", "tile", "broadcast_to", "concat" };
    hy_optimize_opt opt = { 0 };
    hy_graph *g = hy_optimize(F, hy_graph_of(F, block), x, &opt);
    hy_node node;
    int i, k, n = 0;
    for (i = 0; !hy_graph_node(g, i, &node); i++)
        for (k = 0; k < 4; k++) n += node.op && !strcmp(node.op->name, names[k]);
    hy_graph_free(F, g);
    return n;
}

static void test_attention_grouped(void)
{
    hy_frame *F = hy_open(NULL);
    int k;
    for (grouped_way = 0; grouped_way < GROUPED_WAYS; grouped_way++) {
        const int way = grouped_way, heads = way == 3, none = way >= GROUPED_MISS;
        hy_array *in[4], *wide[4], *want, *plain, *got, *x;
        hy_block *net;
        hy_hybridize_opt opt = { 0 };
        hy_begin(F);
        net = hy_nn_hybrid_lambda(F, grouped_ways, "attention");
        in[0] = hy_normal(F, heads ? HY_SHAPE(2, 20, 48) : HY_SHAPE(2, 6, 20, 8), 0, 1);
        for (k = 1; k < 3; k++) in[k] = hy_normal(F, heads ? HY_SHAPE(2, 40, 24) : HY_SHAPE(2, 3, 40, 8), 0, 1);
        in[3] = hy_normal(F, HY_SHAPE(20, 40), 0, 1);
        for (k = 0; k < 4; k++) wide[k] = hy_cast(F, in[k], HY_F64);
        x = hy_group_of(F, 4, in);
        want = hy_call(F, net, hy_group_of(F, 4, wide));
        plain = hy_call(F, net, x);
        opt.exact = 1;
        hy_hybridize(F, net, &opt);
        got = hy_call(F, net, x);
        for (k = 0; k < 2; k++) CHECK(attention_same(F, hy_get(F, got, k), hy_get(F, plain, k)));
        hy_hybridize(F, net, NULL);
        got = hy_call(F, net, x);
        CHECK(attention_same(F, hy_get(F, got, 1), hy_get(F, plain, 1)));
        if (!CHECK(attention_far(F, hy_cast(F, hy_get(F, got, 0), HY_F64), hy_get(F, want, 0)) <= 3e-6)) printf("    way %d\n", way);
#ifndef HYBRID_USE_CBLAS
        if (!CHECK(attention_count(F, net, x, 0) == 1 && (grouped_copies(F, net, x) > 0) == none)) printf("    way %d\n", way);
#endif
        hy_block_free(F, net);
        hy_end(F);
        if (!CHECK(!hy_error(F))) printf("    way %d: %s\n", way, hy_error(F));
    }
    hy_close(F);
}

/* What a mask puts far below the rest of its row counts as hidden, to whatever depth (of f32 80, of f64 700); what is
 * not so far counts, and with `exact` all does. A row that is far down as a whole is none. */
static void test_attention_far(void)
{
    static const struct { double far; int gone; } depths[] = { { -70, 0 }, { -95, 1 }, { -100, 1 }, { -1e9, 1 } };
    hy_frame *F = hy_open(NULL);
    int i, k, wide;
    for (i = 0; i < 8; i++) {
        hy_array *in[4], *never, *want, *got, *written, *value;
        hy_block *net = hy_nn_hybrid_lambda(F, attention_written, "attention");
        hy_attention_opt opt = { 0 };
        hy_hybridize_opt exact = { 0 };
        const double far = depths[i / 2].far;
        wide = i % 2;
        hy_begin(F);
        for (k = 0; k < 3; k++) in[k] = hy_normal(F, HY_SHAPE(3, 49, 8), 0, 1);
        value = hy_copy(F, in[2]);
        for (k = 0; k < 8; k++) hy_set_value(F, value, 1e33, 1, 40, k);           /* where e^-70 would be seen */
        in[2] = value;
        never = hy_zeros(F, HY_SHAPE(3, 49, 49));
        in[3] = hy_zeros(F, HY_SHAPE(3, 49, 49));
        for (k = 0; k < 49 * 49; k++) if (k / 49 < 20 && k % 49 > 30) {
            hy_set_value(F, in[3], far, 1, k / 49, k % 49);
            hy_set_value(F, never, -HUGE_VAL, 1, k / 49, k % 49);
        }
        for (k = 0; k < 49; k++) hy_set_value(F, in[3], far, 0, 0, k);            /* far, but all of the row is */
        for (k = 0; k < 49; k++) hy_set_value(F, never, far, 0, 0, k);
        for (k = 0; k < 4 && wide; k++) in[k] = hy_cast(F, in[k], HY_F64);
        if (wide) never = hy_cast(F, never, HY_F64);
        opt.scale = 0.3;
        opt.use_mask = 1;
        opt.mask = hy_expand_dims(F, in[3], 1);
        got = hy_attention(F, in[0], in[1], in[2], &opt);
        opt.mask = hy_expand_dims(F, never, 1);
        want = hy_attention(F, in[0], in[1], in[2], &opt);
        CHECK(attention_same(F, got, want) == (depths[i / 2].gone && (!wide || far < -700)));
        written = hy_call(F, net, hy_group_of(F, 4, in));
        exact.exact = 1;
        hy_hybridize(F, net, &exact);
        CHECK(attention_same(F, written, hy_call(F, net, hy_group_of(F, 4, in))));
        hy_block_free(F, net);
        hy_end(F);
    }
    CHECK(!hy_error(F));
    hy_close(F);
}

/* (B, heads, T, D) as (B, T, heads D) */
static hy_array *attention_flat(hy_frame *F, hy_array *x)
{
    return hy_reshape(F, hy_transpose(F, x, HY_AXES(0, 2, 1, 3)), HY_INTS(0, 0, -3), NULL);
}

/* Both layouts, shared keys, masks of bools, causal: the same as with what they stand for. */
static void test_attention_manners(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *q = hy_normal(F, HY_SHAPE(2, 6, 37, 16), 0, 1), *k = hy_normal(F, HY_SHAPE(2, 3, 70, 16), 0, 1);
    hy_array *v = hy_normal(F, HY_SHAPE(2, 3, 70, 24), 0, 1), *y = hy_attention(F, q, k, v, NULL), *z, *mask, *none;
    hy_attention_opt opt = { 0 };
    opt.heads = 6;
    opt.kv_heads = 3;
    z = hy_attention(F, attention_flat(F, q), attention_flat(F, k), attention_flat(F, v), &opt);
    CHECK(attention_same(F, z, attention_flat(F, y)));
    CHECK(attention_same(F, y, hy_attention(F, q, hy_repeat(F, k, 2, 1), hy_repeat(F, v, 2, 1), NULL)));
    memset(&opt, 0, sizeof opt);
    opt.causal = 1;
    opt.past = 33;
    y = hy_attention(F, q, k, v, &opt);
    mask = hy_lesser_equal(F, hy_arange(F, 0, 70, 1), hy_expand_dims(F, hy_arange(F, 33, 70, 1), 1));
    memset(&opt, 0, sizeof opt);
    opt.use_mask = 1;
    opt.mask = hy_cast(F, mask, HY_BOOL);
    CHECK(attention_far(F, y, hy_attention(F, q, k, v, &opt)) < 1e-6);
    opt.mask = hy_log(F, mask);
    CHECK(attention_far(F, y, hy_attention(F, q, k, v, &opt)) < 1e-6);
    none = hy_concat(F, hy_group(F, hy_zeros(F, HY_SHAPE(5, 70)), hy_ones(F, HY_SHAPE(32, 70))), 0);
    opt.mask = hy_cast(F, none, HY_BOOL);                   /* the first five see nothing */
    y = hy_attention(F, q, k, v, &opt);
    CHECK(isnan(hy_item(F, hy_sum(F, hy_slice_axis(F, y, 2, 0, 1), HY_ALL, NULL))));
    CHECK(!isnan(hy_item(F, hy_sum(F, hy_slice_axis(F, y, 2, 5, 37), HY_ALL, NULL))));
    opt.zero_hidden = 1;
    z = hy_attention(F, q, k, v, &opt);
    CHECK(hy_item(F, hy_max(F, hy_abs(F, hy_slice_axis(F, z, 2, 0, 5)), HY_ALL, NULL)) == 0);
    CHECK(attention_same(F, hy_slice_axis(F, z, 2, 5, 37), hy_slice_axis(F, y, 2, 5, 37)));
    CHECK(!hy_error(F));
    hy_close(F);
}

static hy_array *attention_hidden(hy_frame *F, hy_array *x)
{
    hy_attention_opt opt = { 0 };
    opt.heads = 2;
    opt.kv_heads = 1;
    opt.causal = opt.use_mask = opt.zero_hidden = 1;
    opt.mask = hy_cast(F, hy_one_hot(F, hy_arange(F, 1, 5, 1), 4, NULL), HY_BOOL);    /* one key or none */
    return hy_attention(F, hy_get(F, x, 0), hy_get(F, x, 1), hy_get(F, x, 2), &opt);
}

/* Gradients where rows see nothing are 0, of the second order too. */
static void test_attention_gradients(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x[3], *y, *g, *again;
    hy_grad_opt twice = { 0 };
    int i;
    twice.create_graph = 1;
    x[0] = hy_normal(F, HY_SHAPE(1, 4, 6), 0, 1);
    x[1] = hy_normal(F, HY_SHAPE(1, 4, 3), 0, 1);
    x[2] = hy_normal(F, HY_SHAPE(1, 4, 3), 0, 1);
    for (i = 0; i < 3; i++) hy_attach_grad(F, x[i], HY_GRAD_WRITE);
    hy_record(F);
    y = attention_hidden(F, hy_group_of(F, 3, x));
    g = hy_grad(F, hy_sum(F, hy_square(F, y), HY_ALL, NULL), hy_group_of(F, 3, x), &twice);
    again = hy_sum(F, hy_square(F, hy_get(F, g, 2)), HY_ALL, NULL);
    hy_pause(F);
    hy_backward(F, again, NULL);
    for (i = 0; i < 3; i++) {
        CHECK(!isnan(hy_item(F, hy_sum(F, hy_get(F, g, i), HY_ALL, NULL))));
        CHECK(!isnan(hy_item(F, hy_sum(F, hy_grad_of(F, x[i]), HY_ALL, NULL))));
    }
    CHECK(!hy_error(F));
    hy_close(F);
}

/* What cannot be is refused. */
static void attention_refused(const char *why, hy_shape q, hy_shape k, hy_shape v, hy_attention_opt opt, int dtype)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x[3];
    x[0] = hy_cast(F, hy_zeros(F, q), (hy_dtype)dtype);
    x[1] = hy_cast(F, hy_zeros(F, k), (hy_dtype)dtype);
    x[2] = hy_cast(F, hy_zeros(F, v), (hy_dtype)dtype);
    if (opt.use_mask) opt.mask = hy_zeros(F, HY_SHAPE(3, 7));
    CHECK(hy_attention(F, x[0], x[1], x[2], &opt) == NULL);
    if (!CHECK(hy_error(F) && strstr(hy_error(F), why))) printf("    %s\n", hy_error(F));
    hy_close(F);
}

static void test_attention_errors(void)
{
    const hy_shape flat = HY_SHAPE(1, 3, 8), other = HY_SHAPE(1, 5, 8), matrix = HY_SHAPE(3, 8), odd = HY_SHAPE(1, 3, 6, 2);
    hy_attention_opt opt = { 0 }, plain = { 0 };
    attention_refused("3 or 4 dims", matrix, matrix, matrix, opt, HY_F32);
    attention_refused("not supported", flat, flat, flat, opt, HY_I32);
    attention_refused("Shape inconsistent", flat, other, flat, opt, HY_F32);
    opt.heads = 3;
    attention_refused("3 heads of 8", flat, flat, flat, opt, HY_F32);
    opt.kv_heads = 2;
    attention_refused("cannot share", flat, flat, flat, opt, HY_F32);
    opt = plain;
    opt.past = -1;
    attention_refused("past is -1", flat, flat, flat, opt, HY_F32);
    opt = plain;
    opt.scale = HUGE_VAL;
    attention_refused("scale is", flat, flat, flat, opt, HY_F32);
    opt = plain;
    attention_refused("cannot share", odd, HY_SHAPE(1, 2, 6, 2), HY_SHAPE(1, 2, 6, 2), opt, HY_F32);
    opt.use_mask = 1;
    attention_refused("a mask of", flat, flat, flat, opt, HY_F32);
}

/* The same bits on one thread and on four, halves and floats. */
static void test_attention_threads(void)
{
    static const hy_dtype types[] = { HY_F32, HY_F64, HY_F16, HY_BF16 };
    int i, k, threads;
    for (i = 0; i < ATTENTION_CASES; i++) for (k = 0; k < 4; k++) {
        char *first = NULL;
        for (threads = 1; threads < 5; threads += 3) {
            const attention_case *c = &attention_cases[i];
            hy_desc desc = { 0 };
            hy_frame *F;
            hy_array *x, *y, *in[3];
            int n;
            desc.threads = threads;
            desc.seed = 7;
            F = hy_open(&desc);
            x = attention_inputs(F, c);
            for (n = 0; n < 3; n++) in[n] = hy_cast(F, hy_get(F, x, n), types[k]);
            y = hy_attention(F, in[0], in[1], in[2], NULL);
            if (CHECK(y != NULL) && !first) {
                first = (char *)malloc((size_t)hy__bytes(&y->t.type));
                memcpy(first, hy_data(F, y), (size_t)hy__bytes(&y->t.type));
            } else if (y) CHECK(!memcmp(first, hy_data(F, y), (size_t)hy__bytes(&y->t.type)));
            hy_close(F);
        }
        free(first);
    }
}

static void test_attention(void)
{
    RUN(test_attention_written_out);
    RUN(test_attention_swapped);
    RUN(test_attention_grouped);
    RUN(test_attention_far);
    RUN(test_attention_ways);
    RUN(test_attention_left_alone);
    RUN(test_attention_manners);
    RUN(test_attention_gradients);
    RUN(test_attention_errors);
    RUN(test_attention_threads);
}
