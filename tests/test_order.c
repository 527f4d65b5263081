/* Contributions to a gradient add in the order of the program: the same bits line by line, compiled, of children compiled alone, of
 * what is computed again, and loaded. */
#ifndef HYBRID_NO_TRAIN
typedef struct { hy_block base; hy_block *child[2]; hy_array *weight; int kind; } order_net;

/* Two gradients from one operator, and one from outside. */
static hy_array *order_given_out(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_group(F, hy_cast(F, hy_sort(F, hy_mod(F, x, x), -1, NULL), hy_dtype_of(F, x)), x);
}

/* Of two inputs, which may be one; a weight that is used three times. One operator a line: C leaves open which of two in one list
 * of arguments comes first, and a file has them from left to right. */
static hy_array *order_pair(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *a = hy_get(F, x, 0), *b = hy_get(F, x, 1), *w = ((order_net *)self)->weight, *y, *t, *e;
    y = hy_sin(F, a);
    y = hy_mul(F, y, hy_mul(F, b, w));
    t = hy_mul(F, hy_tanh(F, a), w);
    e = hy_exp(F, b);
    y = hy_add(F, y, hy_mul(F, t, e));
    return hy_group(F, hy_mul(F, y, w), b, a, y, y);
}

/* Children in a row over the same input, which is used before, between and behind them. */
static hy_array *order_family(hy_frame *F, hy_block *self, hy_array *x)
{
    order_net *n = (order_net *)self;
    hy_array *y = hy_call(F, n->child[0], hy_group(F, x, hy_square(F, x))), *z;
    z = hy_mul(F, hy_get(F, y, 0), x);
    y = hy_add(F, z, hy_mul(F, hy_get(F, y, 3), hy_get(F, y, 4)));
    z = hy_call(F, n->child[1], hy_group(F, x, x));
    z = hy_mul(F, hy_mul(F, hy_get(F, z, 0), hy_get(F, z, 1)), hy_get(F, z, 2));
    y = hy_mul(F, y, hy_cos(F, x));
    return hy_group(F, hy_add(F, y, hy_mul(F, z, ((order_net *)n->child[0])->weight)), x);
}

static hy_block *order_made(hy_frame *F, int kind, hy_dtype dtype)
{
    static hy_array *(*const forward[])(hy_frame *, hy_block *, hy_array *) = { order_given_out, order_pair, order_pair, order_family };
    order_net *n = (order_net *)hy_block_new(F, sizeof *n, "net", forward[kind], 1);
    hy_param_opt first = { 0 };
    int k;
    first.init = hy_init_uniform(.9);
    for (k = 0; kind == 3 && k < 2; k++) n->child[k] = hy_add_child(F, &n->base, k ? "two" : "one", order_made(F, 1, HY_F32));
    if (kind == 1 || kind == 2) n->weight = hy_add_param(F, &n->base, "weight", HY_SHAPE(9), &first);
    hy_initialize(F, &n->base, NULL);
    if (dtype != HY_F32) hy_cast_block(F, &n->base, dtype);
    return &n->base;
}

enum { ORDER_LINES, ORDER_COMPILED, ORDER_CHILDREN, ORDER_AGAIN, ORDER_COMPILED_AGAIN, ORDER_ALL_AGAIN, ORDER_LOADED,
       ORDER_LOADED_COMPILED, ORDER_WAYS };

/* Outputs and gradients into to[]; how many bytes. */
static size_t order_run(int kind, hy_dtype dtype, int way, char *to, size_t most)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = order_made(F, kind, dtype);
    hy_hybridize_opt exact = { 0 };
    hy_array *x, *in, *y, *loss = NULL, *all[24];
    hy_params ps;
    size_t at = 0, bytes;
    int i, n = 0, k;
    exact.exact = 1;
    hy_seed(F, 3);
    x = hy_cast(F, hy_uniform(F, HY_SHAPE(4, 9), .2, 1.5), dtype);
    in = kind == 1 ? hy_group(F, x, hy_copy(F, x)) : kind == 2 ? hy_group(F, x, x) : x;
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    if (kind == 1) hy_attach_grad(F, hy_get(F, in, 1), HY_GRAD_WRITE);
    for (k = 0; kind == 3 && k < 2; k++) {
        if (way == ORDER_CHILDREN) hy_hybridize(F, hy_child(F, net, k), &exact);
        if (way == ORDER_AGAIN || way == ORDER_COMPILED_AGAIN || way == ORDER_ALL_AGAIN) hy_set_recompute(F, hy_child(F, net, k), 1);
    }
    if (way == ORDER_ALL_AGAIN || (kind < 3 && way == ORDER_AGAIN)) hy_set_recompute(F, net, 1);
    if (way >= ORDER_LOADED) {
        hy_array *one = hy_save_model_to(F, net, in);
        net = hy_load_model_from(F, hy_data(F, one), (size_t)hy_size(F, one), 0);
    }
    if (way == ORDER_COMPILED || way == ORDER_COMPILED_AGAIN || way == ORDER_ALL_AGAIN || way == ORDER_LOADED_COMPILED)
        hy_hybridize(F, net, &exact);
    hy_record(F);
    y = hy_call(F, net, in);
    for (i = 0; i < hy_count(F, y); i++) {
        hy_array *sum = hy_sum(F, hy_sin(F, hy_get(F, y, i)), HY_ALL, NULL);
        all[n++] = hy_get(F, y, i);
        loss = loss ? hy_add(F, loss, sum) : sum;
    }
    hy_pause(F);
    hy_backward(F, loss, NULL);
    all[n++] = hy_grad_of(F, x);
    if (kind == 1) all[n++] = hy_grad_of(F, hy_get(F, in, 1));
    ps = hy_collect_params(F, net, NULL);
    for (i = 0; i < ps.n; i++) all[n++] = hy_grad_of(F, ps.at[i]);
    for (i = 0; i < n; i++, at += bytes) {
        bytes = (size_t)hy_size(F, all[i]) * hy_dtype_size(hy_dtype_of(F, all[i]));
        if (!hy_data(F, all[i]) || at + bytes > most) { at = 0; break; }
        memcpy(to + at, hy_data(F, all[i]), bytes);
    }
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
    return at;
}

static void test_order_of_contributions(void)
{
    static const hy_dtype types[] = { HY_BF16, HY_F16, HY_F32, HY_F64 };
    static char want[8192], got[8192];
    int kind, t, way;
    for (kind = 0; kind < 4; kind++)
        for (t = 0; t < 4; t++) {
            size_t bytes = order_run(kind, types[t], ORDER_LINES, want, sizeof want);
            CHECK(bytes > 0);
            for (way = 1; way < ORDER_WAYS; way++) {
                CHECK(order_run(kind, types[t], way, got, sizeof got) == bytes);
                if (!CHECK(!memcmp(want, got, bytes))) printf("    kind %d, type %d, way %d\n", kind, (int)types[t], way);
            }
        }
}

/* What a block that is computed again hands through, gives twice or has no gradient of: nothing is added to it, no loss begins. */
static hy_array *order_through(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *a = hy_get(F, x, 0), *b = hy_get(F, x, 1), *y = hy_floor(F, hy_block_grad(F, b));
    (void)self;
    return hy_group(F, hy_mul(F, a, y), a, y, y);
}

static void test_order_without_gradient(void)
{
    int again, k;
    for (again = 0; again < 2; again++) {
        hy_frame *F = hy_open(NULL);
        hy_block *net = hy_block_new(F, sizeof(hy_block), "net", order_through, 1);
        hy_array *x = hy_floats(F, HY_SHAPE(3), (const float[]){ 1.5f, 2.5f, 3.5f }), *y;
        if (again) hy_set_recompute(F, net, 1);
        hy_attach_grad(F, x, HY_GRAD_WRITE);
        hy_record(F);
        y = hy_call(F, net, hy_group(F, hy_square(F, x), hy_make_loss(F, x, NULL)));
        y = hy_sum(F, hy_add(F, hy_get(F, y, 0), hy_add(F, hy_get(F, y, 1), hy_mul(F, hy_get(F, y, 2), hy_get(F, y, 3)))), HY_ALL, NULL);
        hy_pause(F);
        hy_backward(F, y, NULL);
        for (k = 0; k < 3; k++) CHECK_NEAR(hy_value(F, hy_grad_of(F, x), k), (1.5 + k) * 2 * (k + 1) + (1.5 + k) * 2, 0);
        CHECK_STR(hy_error(F), NULL);
        CHECK(hy_close(F) == 0);
    }
}
#endif

static void test_order(void)
{
#ifndef HYBRID_NO_TRAIN
    RUN(test_order_of_contributions);
    RUN(test_order_without_gradient);
#endif
}
