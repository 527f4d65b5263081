/* Proves the bookkeeping of gradients: what is recorded, held, summed, refused and let go. That each
 * operator's gradient is right is proven in test_ops.c. */
#ifdef HYBRID_NO_TRAIN
static void test_autograd(void) { }
#else

/* --- an allocator that counts --- */
typedef struct grad_ledger { long blocks; size_t calls; } grad_ledger;

static void *grad_alloc(void *user, size_t bytes)
{
    grad_ledger *ledger = (grad_ledger *)user;
    ledger->blocks++;
    ledger->calls++;
    return malloc(bytes);
}

static void grad_free(void *user, void *block)
{
    ((grad_ledger *)user)->blocks--;
    free(block);
}

static hy_frame *grad_open(grad_ledger *ledger)
{
    hy_desc desc;
    memset(&desc, 0, sizeof desc);
    memset(ledger, 0, sizeof *ledger);
    desc.threads = 1;
    desc.allocator.alloc_fn = grad_alloc;
    desc.allocator.free_fn = grad_free;
    desc.allocator.user_data = ledger;
    return hy_open(&desc);
}

/* Closes; every block must have come back and no error may stand. */
static void grad_close(hy_frame *F, const grad_ledger *ledger)
{
    if (!CHECK(!hy_error(F))) printf("    %s\n", hy_error(F));
    hy_close(F);
    CHECK(ledger->blocks == 0);
}

static hy_array *grad_leaf(hy_frame *F, int n, const float *v)
{
    hy_array *x = hy_floats(F, HY_SHAPE(n), v);
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    return x;
}
#define GRAD_LEAF(F, ...) grad_leaf(F, HY__NARGS(__VA_ARGS__), (const float[]){ __VA_ARGS__ })

static void grad_values(hy_frame *F, hy_array *x, int n, const double *want, int line)
{
    double got[64];
    int i;
    if (!test_check(x && hy_size(F, x) == n, "an array of this size", __FILE__, line)) return;
    hy_to(F, x, HY_F64, got, sizeof got);
    for (i = 0; i < n; i++) test_check_near(got[i], want[i], 1e-5 * (1 + fabs(want[i])), __FILE__, line);
}
#define GRAD_VALUES(F, x, ...) \
    grad_values(F, x, HY__NARGS(__VA_ARGS__), (const double[]){ __VA_ARGS__ }, __LINE__)

static void grad_expect(hy_frame *F, hy_error_t code, const char *remedy, int line)
{
    const char *text = hy_error(F);
    if (!test_check(hy_error_code(F) == code, hy_error_name(code), __FILE__, line) ||
        !test_check(text && strstr(text, remedy), remedy, __FILE__, line))
        printf("    %s\n", text ? text : "no error");
    hy_clear(F);
}
#define GRAD_EXPECT(F, code, remedy) grad_expect(F, code, remedy, __LINE__)

static hy_backward_opt grad_retain(void)
{
    hy_backward_opt opt;
    memset(&opt, 0, sizeof opt);
    opt.retain_graph = 1;
    return opt;
}

static hy_grad_opt grad_create_graph(void)
{
    hy_grad_opt opt;
    memset(&opt, 0, sizeof opt);
    opt.create_graph = 1;
    return opt;
}

/* --- requests --- */
static void grad_write_add_and_null(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hy_array *x = GRAD_LEAF(F, 1, 2), *y;
    int i;
    for (i = 0; i < 2; i++) {
        hy_record(F);
        y = hy_square(F, x);
        hy_pause(F);
        hy_backward(F, y, NULL);
    }
    GRAD_VALUES(F, hy_grad_of(F, x), 2, 4);
    hy_attach_grad(F, x, HY_GRAD_ADD);
    GRAD_VALUES(F, hy_grad_of(F, x), 0, 0);
    for (i = 0; i < 3; i++) {
        hy_record(F);
        y = hy_square(F, x);
        hy_pause(F);
        hy_backward(F, y, NULL);
    }
    GRAD_VALUES(F, hy_grad_of(F, x), 6, 12);
    hy_attach_grad(F, x, HY_GRAD_NULL);
    hy_record(F);
    y = hy_square(F, x);
    hy_pause(F);
    hy_backward(F, y, NULL);
    GRAD_EXPECT(F, HY_ERROR_GRADIENT, "hy_attach_grad");
    hy_grad_of(F, x);
    GRAD_EXPECT(F, HY_ERROR_GRADIENT, "hy_attach_grad");
    grad_close(F, &ledger);
}

static void grad_nothing_is_recorded_outside(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hy_array *x = GRAD_LEAF(F, 1, 2), *before = hy_square(F, x), *y, *after;
    CHECK(!hy_is_recording(F));
    hy_record(F);
    CHECK(hy_is_recording(F));
    y = hy_mul(F, x, before);                           /* before counts as a constant */
    hy_pause(F);
    after = hy_square(F, y);
    hy_backward(F, y, NULL);
    GRAD_VALUES(F, hy_grad_of(F, x), 1, 4);
    hy_backward(F, after, NULL);
    GRAD_EXPECT(F, HY_ERROR_GRADIENT, "hy_record");
    grad_close(F, &ledger);
}

static void grad_training_follows_recording(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hy_array *x = hy_ones(F, HY_SHAPE(1000)), *y;
    CHECK(!hy_is_training(F));
    y = hy_dropout(F, x, 0.5, NULL);
    CHECK(hy_item(F, hy_sum(F, y, HY_ALL, NULL)) == 1000);
    hy_record(F);
    CHECK(hy_is_training(F));
    y = hy_dropout(F, x, 0.5, NULL);
    CHECK(hy_item(F, hy_max(F, y, HY_ALL, NULL)) == 2 && hy_item(F, hy_min(F, y, HY_ALL, NULL)) == 0);
    hy_set_training(F, 0);
    CHECK(hy_is_recording(F) && !hy_is_training(F));
    y = hy_dropout(F, x, 0.5, NULL);
    CHECK(hy_item(F, hy_sum(F, y, HY_ALL, NULL)) == 1000);
    hy_pause(F);
    CHECK(!hy_is_training(F) && !hy_is_recording(F));
    hy_set_training(F, 1);
    CHECK(hy_is_training(F) && !hy_is_recording(F));
    grad_close(F, &ledger);
}

static void grad_dropout_uses_the_same_mask(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hy_array *x = hy_ones(F, HY_SHAPE(100)), *y;
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_record(F);
    y = hy_dropout(F, x, 0.5, NULL);
    hy_pause(F);
    hy_backward(F, y, NULL);
    CHECK(hy_item(F, hy_max(F, hy_abs(F, hy_sub(F, y, hy_grad_of(F, x))), HY_ALL, NULL)) == 0);
    grad_close(F, &ledger);
}

/* --- heads --- */
static void grad_head_gradients(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hy_array *x = GRAD_LEAF(F, 1, 2, 3), *y;
    hy_backward_opt opt = grad_retain();
    hy_record(F);
    y = hy_square(F, x);
    hy_pause(F);
    opt.head_grads = hy_floats(F, HY_SHAPE(3), (const float[]){ 1, 10, 100 });
    hy_backward(F, y, &opt);
    GRAD_VALUES(F, hy_grad_of(F, x), 2, 40, 600);
    opt.head_grads = hy_ones(F, HY_SHAPE(2));
    hy_backward(F, y, &opt);
    GRAD_EXPECT(F, HY_ERROR_SHAPE, "(3,)");
    opt.head_grads = hy_cast(F, hy_ones(F, HY_SHAPE(3)), HY_F64);
    hy_backward(F, y, &opt);
    GRAD_EXPECT(F, HY_ERROR_SHAPE, "float64");
    opt.head_grads = hy_group(F, x, x);
    hy_backward(F, y, &opt);
    GRAD_EXPECT(F, HY_ERROR_ARGUMENT, "2 head gradients");
    grad_close(F, &ledger);
}

static void grad_several_heads_add_up(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hy_array *x = GRAD_LEAF(F, 1, 2), *a, *b;
    hy_record(F);
    a = hy_square(F, x);
    b = hy_mul_scalar(F, a, 3);                         /* one head lies on the way to another */
    hy_pause(F);
    hy_backward(F, hy_group(F, a, b, a), NULL);
    GRAD_VALUES(F, hy_grad_of(F, x), 10, 20);
    grad_close(F, &ledger);
}

static void grad_of_a_leaf_itself_is_one(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hy_array *x = GRAD_LEAF(F, 5, 6);
    hy_backward(F, x, NULL);
    GRAD_VALUES(F, hy_grad_of(F, x), 1, 1);
    grad_close(F, &ledger);
}

static void grad_twice_needs_retain(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hy_array *x = GRAD_LEAF(F, 1, 2), *y;
    hy_backward_opt keep = grad_retain();
    hy_record(F);
    y = hy_exp(F, hy_square(F, x));
    hy_pause(F);
    hy_backward(F, y, &keep);
    hy_backward(F, y, NULL);
    GRAD_VALUES(F, hy_grad_of(F, x), 2 * exp(1), 4 * exp(4));
    hy_backward(F, y, NULL);
    GRAD_EXPECT(F, HY_ERROR_STATE, "retain");
    hy_record(F);
    y = hy_sum(F, y, HY_ALL, NULL);                     /* built on what is gone */
    hy_pause(F);
    hy_backward(F, y, NULL);
    GRAD_EXPECT(F, HY_ERROR_STATE, "retain");
    grad_close(F, &ledger);
}

static void grad_two_forwards_then_both_backward(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hy_array *x = GRAD_LEAF(F, 1, 2), *a, *b;
    hy_record(F);
    a = hy_exp(F, x);
    b = hy_square(F, x);
    hy_pause(F);
    hy_backward(F, a, NULL);
    GRAD_VALUES(F, hy_grad_of(F, x), exp(1), exp(2));
    hy_backward(F, b, NULL);
    GRAD_VALUES(F, hy_grad_of(F, x), 2, 4);
    grad_close(F, &ledger);
}

/* --- how gradients meet --- */
static void grad_inputs_shared_by_many_calls(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hy_array *x = GRAD_LEAF(F, 1, 2), *y, *z;
    int i;
    hy_record(F);
    y = hy_mul(F, x, x);
    for (i = 0; i < 10; i++) y = hy_add(F, y, hy_mul_scalar(F, x, i));
    z = hy_add_n(F, hy_group(F, x, x, x));
    y = hy_add(F, y, z);
    hy_pause(F);
    hy_backward(F, y, NULL);
    GRAD_VALUES(F, hy_grad_of(F, x), 2 + 45 + 3, 4 + 45 + 3);
    hy_record(F);
    y = hy_dot(F, x, x, NULL);
    hy_pause(F);
    hy_backward(F, y, NULL);
    GRAD_VALUES(F, hy_grad_of(F, x), 2, 4);
    grad_close(F, &ledger);
}

static void grad_of_some_outputs_only(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hy_array *x = GRAD_LEAF(F, 1, 2, 3, 4, 5, 6), *parts, *y;
    hy_record(F);
    parts = hy_split(F, x, 3, 0, NULL);
    y = hy_square(F, hy_get(F, parts, 1));
    hy_pause(F);
    hy_backward(F, y, NULL);
    GRAD_VALUES(F, hy_grad_of(F, x), 0, 0, 6, 8, 0, 0);
    hy_record(F);
    parts = hy_split(F, x, 3, 0, NULL);
    hy_pause(F);
    hy_backward(F, parts, NULL);
    GRAD_VALUES(F, hy_grad_of(F, x), 1, 1, 1, 1, 1, 1);
    grad_close(F, &ledger);
}

static void grad_broadcasting_sums_back(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hy_array *a = hy_ones(F, HY_SHAPE(2, 1)), *b = hy_full(F, HY_SHAPE(3), 2), *c = hy_scalar(F, 5), *y;
    hy_attach_grad(F, a, HY_GRAD_WRITE);
    hy_attach_grad(F, b, HY_GRAD_WRITE);
    hy_attach_grad(F, c, HY_GRAD_WRITE);
    hy_record(F);
    y = hy_sub(F, hy_mul(F, a, b), c);
    hy_pause(F);
    hy_backward(F, y, NULL);
    GRAD_VALUES(F, hy_grad_of(F, a), 6, 6);
    GRAD_VALUES(F, hy_grad_of(F, b), 2, 2, 2);
    GRAD_VALUES(F, hy_grad_of(F, c), -6);
    CHECK(hy_ndim(F, hy_grad_of(F, a)) == 2 && hy_ndim(F, hy_grad_of(F, c)) == 0);
    grad_close(F, &ledger);
}

static void grad_block_grad_stops(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hy_array *x = GRAD_LEAF(F, 1, 2), *y;
    hy_record(F);
    y = hy_mul(F, x, hy_block_grad(F, hy_square(F, x)));
    hy_pause(F);
    hy_backward(F, y, NULL);
    GRAD_VALUES(F, hy_grad_of(F, x), 1, 4);
    grad_close(F, &ledger);
}

static void grad_in_double_and_half(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    const hy_dtype dtypes[] = { HY_F64, HY_F16, HY_BF16 };
    int i;
    for (i = 0; i < 3; i++) {
        hy_array *x = hy_cast(F, hy_full(F, HY_SHAPE(2), 3), dtypes[i]), *y;
        hy_attach_grad(F, x, HY_GRAD_WRITE);
        hy_record(F);
        y = hy_cast(F, hy_square(F, x), HY_F32);
        hy_pause(F);
        hy_backward(F, y, NULL);
        GRAD_VALUES(F, hy_grad_of(F, x), 6, 6);
        CHECK(hy_dtype_of(F, hy_grad_of(F, x)) == dtypes[i]);
    }
    grad_close(F, &ledger);
}

/* --- hy_grad --- */
static void grad_returned_instead_of_stored(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hy_array *a = GRAD_LEAF(F, 1, 2), *b = GRAD_LEAF(F, 3, 4), *far = GRAD_LEAF(F, 7, 8, 9), *y, *middle, *g;
    hy_record(F);
    middle = hy_mul(F, a, b);
    y = hy_square(F, middle);
    hy_pause(F);
    g = hy_grad(F, y, hy_group(F, a, b, middle, far, a), NULL);
    CHECK(hy_count(F, g) == 5);
    GRAD_VALUES(F, hy_get(F, g, 0), 2 * 3 * 3, 2 * 8 * 4);
    GRAD_VALUES(F, hy_get(F, g, 1), 2 * 3 * 1, 2 * 8 * 2);
    GRAD_VALUES(F, hy_get(F, g, 2), 6, 16);
    GRAD_VALUES(F, hy_get(F, g, 3), 0, 0, 0);           /* not reached */
    GRAD_VALUES(F, hy_get(F, g, 4), 2 * 3 * 3, 2 * 8 * 4);
    GRAD_VALUES(F, hy_grad_of(F, a), 0, 0);             /* untouched */
    hy_record(F);
    y = hy_square(F, a);
    hy_pause(F);
    hy_grad(F, y, hy_ones(F, HY_SHAPE(2)), NULL);
    GRAD_EXPECT(F, HY_ERROR_GRADIENT, "hy_attach_grad");
    grad_close(F, &ledger);
}

static void grad_second_and_third_order(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hy_array *x = GRAD_LEAF(F, 1, 2, -3), *y, *first, *second, *third;
    hy_grad_opt graph = grad_create_graph();
    hy_record(F);
    y = hy_mul(F, hy_mul(F, x, x), x);
    first = hy_grad(F, y, x, &graph);
    second = hy_grad(F, first, x, &graph);
    third = hy_grad(F, second, x, &graph);
    CHECK(hy_is_recording(F));
    hy_pause(F);
    GRAD_VALUES(F, first, 3, 12, 27);
    GRAD_VALUES(F, second, 6, 12, -18);
    GRAD_VALUES(F, third, 6, 6, 6);
    hy_backward(F, second, NULL);
    GRAD_VALUES(F, hy_grad_of(F, x), 6, 6, 6);
    grad_close(F, &ledger);
}

static void grad_second_order_through_sums_and_broadcasts(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hy_array *x = hy_reshape(F, hy_arange(F, 1, 5, 1), HY_INTS(2, 2), NULL), *b = GRAD_LEAF(F, 1, 2), *y, *g;
    hy_grad_opt graph = grad_create_graph();
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_record(F);
    y = hy_add(F, hy_mean(F, hy_square(F, hy_sum(F, hy_square(F, x), HY_AXES(1), NULL)), HY_ALL, NULL),
               hy_sum(F, hy_mul(F, hy_add(F, x, b), hy_square(F, b)), HY_ALL, NULL));
    g = hy_grad(F, y, hy_group(F, x, b), &graph);       /* (r1^2 + r2^2) / 2, r row sums of x^2: dx = 2 r x */
    y = hy_add(F, hy_sum(F, hy_get(F, g, 0), HY_ALL, NULL), hy_sum(F, hy_get(F, g, 1), HY_ALL, NULL));
    hy_pause(F);
    GRAD_VALUES(F, hy_get(F, g, 0), 2 * 5 + 1, 4 * 5 + 4, 6 * 25 + 1, 8 * 25 + 4);
    GRAD_VALUES(F, hy_get(F, g, 1), 2 * 1 * 4 + 6, 2 * 2 * 6 + 24);     /* 2 b sum(x) + 2 * 3 b^2 */
    hy_backward(F, y, NULL);                            /* 2 r + 4 x sum(row), and 2 b for each of x */
    GRAD_VALUES(F, hy_grad_of(F, x), 10 + 4 * 3 + 2, 10 + 8 * 3 + 4, 50 + 12 * 7 + 2, 50 + 16 * 7 + 4);
    GRAD_VALUES(F, hy_grad_of(F, b), 2 * 2 * 1 + 2 * 4 + 12, 2 * 2 * 2 + 2 * 6 + 24);
    grad_close(F, &ledger);
}

static void grad_graphs_of_gradients_leak_nothing(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hy_array *x = GRAD_LEAF(F, 2, 3), *g;
    hy_grad_opt graph = grad_create_graph();
    size_t warm = 0;
    int i;
    for (i = 0; i < 50; i++) {
        hy_begin(F);
        hy_record(F);
        g = hy_grad(F, hy_square(F, hy_square(F, x)), x, &graph);
        g = hy_grad(F, g, x, &graph);                   /* 12 x^2, never run backward */
        hy_pause(F);
        GRAD_VALUES(F, g, 48, 108);
        hy_end(F);
        if (i == 9) warm = hy_memory_use(F).bytes;
    }
    CHECK(hy_memory_use(F).bytes <= warm);
    hy_fill(F, x, 0);                                   /* nothing holds it any more */
    grad_close(F, &ledger);
}

static void grad_of_many_variables(void)
{
    enum { N = 40 };
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hy_array *x[N], *y, *g;
    int i;
    for (i = 0; i < N; i++) x[i] = GRAD_LEAF(F, (float)i);
    hy_record(F);
    y = hy_add_n(F, hy_group_of(F, N, x));
    y = hy_square(F, y);
    hy_pause(F);
    g = hy_grad(F, y, hy_group_of(F, N, x), NULL);
    CHECK(hy_count(F, g) == N);
    for (i = 0; i < N; i++) GRAD_VALUES(F, hy_get(F, g, i), 2.0 * N * (N - 1) / 2);
    grad_close(F, &ledger);
}

/* --- what is still needed must not change --- */
static void grad_pinned_arrays_refuse_writes(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hy_array *x = GRAD_LEAF(F, 1, 2), *one = hy_ones(F, HY_SHAPE(2)), *y;
    hy_record(F);
    y = hy_square(F, x);
    hy_pause(F);
    hy_fill(F, x, 0);
    GRAD_EXPECT(F, HY_ERROR_STATE, "hy_backward");
    hy_set_value(F, x, 9, 0);
    GRAD_EXPECT(F, HY_ERROR_STATE, "hy_copy");
    hy_add_to(F, x, one);
    GRAD_EXPECT(F, HY_ERROR_STATE, "hy_backward");
    hy_assign(F, x, one);
    GRAD_EXPECT(F, HY_ERROR_STATE, "hy_backward");
    CHECK(!hy_write(F, x));
    GRAD_EXPECT(F, HY_ERROR_STATE, "hy_backward");
    hy_fill(F, hy_view_slice(F, x, 0, 0, 1, 1), 0);
    GRAD_EXPECT(F, HY_ERROR_STATE, "hy_backward");
    hy_backward(F, y, NULL);
    GRAD_VALUES(F, hy_grad_of(F, x), 2, 4);
    hy_sub_from(F, x, hy_grad_of(F, x));                /* now it may */
    GRAD_VALUES(F, x, -1, -2);
    grad_close(F, &ledger);
}

static void grad_pins_go_with_the_result(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hy_array *x = GRAD_LEAF(F, 1, 2), *y, *z;
    hy_begin(F);
    hy_record(F);
    y = hy_square(F, x);
    z = hy_exp(F, y);
    hy_pause(F);
    hy_free(F, y);
    hy_fill(F, x, 0);
    GRAD_EXPECT(F, HY_ERROR_STATE, "hy_backward");      /* z still needs it */
    hy_free(F, z);
    hy_fill(F, x, 3);
    hy_end(F);
    GRAD_VALUES(F, x, 3, 3);
    hy_record(F);
    y = hy_add(F, x, x);                                /* a sum needs no values */
    hy_pause(F);
    hy_fill(F, x, 4);
    hy_backward(F, y, NULL);
    GRAD_VALUES(F, hy_grad_of(F, x), 2, 2);
    grad_close(F, &ledger);
}

static void grad_views_are_refused_while_recording(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hy_array *x = GRAD_LEAF(F, 1, 2);
    hy_record(F);
    CHECK(!hy_view_slice(F, x, 0, 0, 1, 1));
    GRAD_EXPECT(F, HY_ERROR_GRADIENT, "slice");
    hy_pause(F);
    grad_close(F, &ledger);
}

/* A call that keeps only shapes must not look at values: here they are gone before backward runs. */
static void grad_of_a_strided_input_that_is_gone(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hy_array *x = GRAD_LEAF(F, 1, 2), *wide, *view, *y;
    hy_begin(F);
    wide = hy_ones(F, HY_SHAPE(512, 1024));
    view = hy_view_transpose(F, wide, HY_AXES(1, 0));
    hy_attach_grad(F, view, HY_GRAD_WRITE);
    hy_record(F);
    y = hy_add(F, hy_mean(F, hy_sum(F, view, HY_AXES(0), NULL), HY_ALL, NULL), hy_sum(F, x, HY_ALL, NULL));
    hy_pause(F);
    y = hy_return(F, y);
    hy_end(F);
    hy_trim(F);
    hy_backward(F, y, NULL);
    GRAD_VALUES(F, hy_grad_of(F, x), 1, 1);
    grad_close(F, &ledger);
}

/* --- scopes --- */
static void grad_scopes_may_end_before_backward(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hy_array *x = GRAD_LEAF(F, 1, 2), *loss, *g;
    hy_record(F);
    hy_begin(F);
    hy_begin(F);
    loss = hy_return(F, hy_exp(F, hy_square(F, x)));    /* what lies between dies, its values stay */
    hy_end(F);
    loss = hy_return(F, hy_sum(F, loss, HY_ALL, NULL));
    hy_end(F);
    hy_pause(F);
    hy_begin(F);
    hy_backward(F, loss, NULL);
    g = hy_return(F, hy_grad_of(F, x));
    hy_end(F);
    GRAD_VALUES(F, g, 2 * exp(1), 4 * exp(4));
    grad_close(F, &ledger);
}

static void grad_backward_inside_the_scope_of_the_loss(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hy_array *x = GRAD_LEAF(F, 3);
    hy_begin(F);
    hy_record(F);
    hy_backward(F, hy_square(F, x), NULL);              /* while recording, too */
    CHECK(hy_is_recording(F) && hy_is_training(F));
    hy_pause(F);
    hy_end(F);
    GRAD_VALUES(F, hy_grad_of(F, x), 6);
    grad_close(F, &ledger);
}

static void grad_sgd_converges_in_bounded_memory(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hy_array *x = hy_normal(F, HY_SHAPE(64, 3), 0, 1), *w = hy_zeros(F, HY_SHAPE(3)), *loss;
    hy_array *target = hy_dot(F, x, hy_floats(F, HY_SHAPE(3), (const float[]){ 1, -2, 3 }), NULL);
    size_t warm = 0;
    int step;
    hy_attach_grad(F, w, HY_GRAD_WRITE);
    for (step = 0; step < 200; step++) {
        hy_begin(F);
        hy_record(F);
        loss = hy_mean(F, hy_square(F, hy_sub(F, hy_dot(F, x, w, NULL), target)), HY_ALL, NULL);
        hy_pause(F);
        hy_backward(F, loss, NULL);
        hy_sub_from(F, w, hy_mul_scalar(F, hy_grad_of(F, w), 0.1));
        hy_end(F);
        if (step == 9) warm = hy_memory_use(F).bytes;
    }
    CHECK(hy_memory_use(F).bytes <= warm);
    CHECK_NEAR(hy_value(F, w, 0), 1, 1e-4);
    CHECK_NEAR(hy_value(F, w, 1), -2, 1e-4);
    CHECK_NEAR(hy_value(F, w, 2), 3, 1e-4);
    grad_close(F, &ledger);
}

/* --- a hundred thousand calls --- */
enum { GRAD_LONG = 100000 };

static hy_array *grad_chain(hy_frame *F, hy_array *x)
{
    int i;
    for (i = 0; i < GRAD_LONG; i++) x = hy_mul_scalar(F, x, i % 2 ? 2 : 0.5);
    return x;
}

static void grad_long_chain_backward(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hy_array *x = GRAD_LEAF(F, 1, 2), *y;
    hy_record(F);
    y = grad_chain(F, x);
    hy_pause(F);
    hy_backward(F, y, NULL);
    GRAD_VALUES(F, hy_grad_of(F, x), 1, 1);
    grad_close(F, &ledger);
}

static void grad_long_chain_hangs_on_one_handle(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hy_array *x = GRAD_LEAF(F, 1, 2), *y = x, *next;
    int i;
    hy_record(F);
    for (i = 0; i < GRAD_LONG; i++) {                   /* each handle dies, the calls hang on the last one */
        next = hy_keep(F, hy_mul_scalar(F, y, 1));
        if (y != x) hy_free(F, y);
        y = next;
    }
    hy_pause(F);
    hy_free(F, y);
    hy_fill(F, x, 0);
    grad_close(F, &ledger);
}

static void grad_long_chain_without_backward(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hy_array *x = GRAD_LEAF(F, 1, 2);
    hy_begin(F);
    hy_record(F);
    grad_chain(F, x);
    hy_pause(F);
    hy_end(F);
    hy_fill(F, x, 0);
    grad_close(F, &ledger);
}

/* Truths are counted by their sums; the gradient of a truth is one. */
static void grad_running_sums_of_truths(void)
{
    int wide, flat;
    for (wide = 0; wide < 2; wide++)
        for (flat = 0; flat < 2; flat++) {
            grad_ledger ledger;
            hy_frame *F = grad_open(&ledger);
            hy_array *x = GRAD_LEAF(F, 1, 2), *y;
            hy_cumsum_opt opt;
            memset(&opt, 0, sizeof opt);
            if (wide) opt.dtype = HY_F32;
            hy_record(F);
            y = hy_cumsum(F, hy_cast(F, x, HY_BOOL), flat ? HY_NONE : 0, &opt);
            y = hy_cast(F, y, HY_F32);
            hy_pause(F);
            CHECK(hy_value(F, y, 1) == 2);
            hy_backward(F, y, NULL);
            CHECK_STR(hy_error(F), NULL);
            CHECK(hy_value(F, hy_grad_of(F, x), 0) == 1 && hy_value(F, hy_grad_of(F, x), 1) == 1);
            grad_close(F, &ledger);
        }
}

/* --- refusals --- */
static void grad_integers_have_none(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    const hy_dtype dtypes[] = { HY_I8, HY_U8, HY_I32, HY_I64, HY_BOOL };
    int i;
    for (i = 0; i < 5; i++) {
        hy_attach_grad(F, hy_empty(F, HY_SHAPE(2), dtypes[i]), HY_GRAD_WRITE);
        GRAD_EXPECT(F, HY_ERROR_ARGUMENT, "floating point");
    }
    grad_close(F, &ledger);
}

static void grad_error_texts_name_the_remedy(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger), *S;
    hy_array *x = hy_ones(F, HY_SHAPE(2)), *leaf = GRAD_LEAF(F, .5f, .25f), *y;
    hy_backward(F, x, NULL);
    GRAD_EXPECT(F, HY_ERROR_GRADIENT, "hy_attach_grad");
    hy_grad_of(F, x);
    GRAD_EXPECT(F, HY_ERROR_GRADIENT, "hy_attach_grad");
    hy_backward(F, NULL, NULL);
    GRAD_EXPECT(F, HY_ERROR_ARGUMENT, "NULL");
    hy_attach_grad(F, hy_group(F, x, x), HY_GRAD_WRITE);
    GRAD_EXPECT(F, HY_ERROR_ARGUMENT, "hy_get");
    hy_attach_grad(F, x, (hy_grad_req)9);
    GRAD_EXPECT(F, HY_ERROR_ARGUMENT, "request");
    hy_record(F);
    y = hy_trigamma(F, leaf);
    hy_pause(F);
    hy_backward(F, y, NULL);
    GRAD_EXPECT(F, HY_ERROR_GRADIENT, "trigamma");
    S = hy_symbolic(F);
    hy_record(S);
    GRAD_EXPECT(S, HY_ERROR_STATE, "symbolic");
    hy_close(S);
    grad_close(F, &ledger);
}

static void grad_failed_backward_can_be_followed_by_a_good_one(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hy_array *x = GRAD_LEAF(F, 1, 2), *bad, *good;
    hy_record(F);
    bad = hy_mul(F, x, hy_trigamma(F, x));
    good = hy_square(F, x);
    hy_pause(F);
    hy_backward(F, bad, NULL);
    GRAD_EXPECT(F, HY_ERROR_GRADIENT, "trigamma");
    CHECK(!hy_is_recording(F));
    hy_backward(F, good, NULL);
    GRAD_VALUES(F, hy_grad_of(F, x), 2, 4);
    grad_close(F, &ledger);
}

/* --- hy_check_grad, and operators of one's own --- */
static int grad_cube_slope;                             /* what the gradient claims: 3 is right */

static void grad_cube_run(const hy_job *job, hy_run *now, int stage, int64_t item, void *scratch, void *shared)
{
    const double *x = (const double *)now->data[0];
    double *y = (double *)now->data[job->nin];
    (void)stage; (void)scratch; (void)shared;
    y[item] = x[item] * x[item] * x[item];
}

static int grad_cube_bind(hy_job *job)
{
    job->run = grad_cube_run;
    job->stages = 1;
    job->items[0] = hy__size(&job->out[0].type.shape);
    return 0;
}

static int grad_cube_grad(hy_frame *F, hy_diff *D)
{
    D->dx[0] = hy_mul(F, D->dy[0], hy_mul_scalar(F, hy_square(F, D->in[0]), grad_cube_slope));
    return 0;
}

static const hy_arg grad_cube_in[] = { { "x", HY_ARG_ONE }, { NULL, HY_ARG_ONE } };
static const hy_arg grad_cube_out[] = { { "y", HY_ARG_ONE }, { NULL, HY_ARG_ONE } };

static hy_op grad_cube_op(void)
{
    hy_op op;
    memset(&op, 0, sizeof op);
    op.name = "test_cube";
    op.doc = "x * x * x";
    op.in = grad_cube_in;
    op.out = grad_cube_out;
    op.infer = hy_infer_pointwise;
    op.bind = grad_cube_bind;
    op.grad = grad_cube_grad;
    return op;
}

static hy_array *grad_cube(hy_frame *F, hy_array *x, void *user)
{
    return hy_emit(F, (const hy_op *)user, 1, &x, NULL);
}

static void grad_check_detects_a_wrong_gradient(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hy_op op = grad_cube_op();
    hy_array *x = hy_cast(F, hy_floats(F, HY_SHAPE(3), (const float[]){ 1, -2, 3 }), HY_F64);
    CHECK(!hy_register(F, &op));
    grad_cube_slope = 3;
    CHECK(hy_check_grad(F, grad_cube, &op, x, 1e-4) < 1e-6);
    grad_cube_slope = 2;
    CHECK(hy_check_grad(F, grad_cube, &op, x, 1e-4) > 0.1);
    CHECK(!hy_is_recording(F) && !hy_is_training(F));
    GRAD_VALUES(F, x, 1, -2, 3);                        /* put back */
    grad_close(F, &ledger);
}

static void grad_own_operator_without_gradient_is_a_constant(void)
{
    grad_ledger ledger;
    hy_frame *F = grad_open(&ledger);
    hy_op op = grad_cube_op();
    hy_array *x = hy_cast(F, hy_ones(F, HY_SHAPE(2)), HY_F64), *y;
    op.grad = NULL;
    CHECK(!hy_register(F, &op));
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_record(F);
    y = hy_add(F, x, hy_emit(F, &op, 1, &x, NULL));
    hy_pause(F);
    hy_backward(F, y, NULL);
    GRAD_VALUES(F, hy_grad_of(F, x), 1, 1);
    grad_close(F, &ledger);
}

/* A leaf of another frame is an error before any leaf is written. */
static void grad_leaves_of_another_frame(void)
{
    hy_frame *F = hy_open(NULL), *G = hy_fork(F);
    hy_array *mine = hy_ones(G, HY_SHAPE(2)), *other = hy_keep(F, hy_full(F, HY_SHAPE(2), 3)), *y;
    hy_attach_grad(F, other, HY_GRAD_WRITE);
    hy_attach_grad(G, mine, HY_GRAD_ADD);
    hy_record(G);
    y = hy_mul(G, hy_mul(G, mine, other), mine);
    hy_pause(G);
    hy_backward(G, y, NULL);
    CHECK(hy_error(G) && strstr(hy_error(G), "another frame"));
    hy_clear(G);
    CHECK(hy_value(G, hy_grad_of(G, mine), 0) == 0);
    CHECK(hy_value(G, hy_grad(G, y, mine, NULL), 0) == 6);
    CHECK_STR(hy_error(G), NULL);
    hy_close(G);
    CHECK(hy_close(F) == 0);
}

/* What was lent to be read is not written to get a difference quotient. */
static void grad_check_of_lent_memory(void)
{
    static const float lent[2] = { 1, 2 };              /* a write would end the program */
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_borrow(F, HY_SHAPE(2), HY_F32, (void *)(uintptr_t)lent);
    x->buffer->read_only = 1;
    hy_check_grad(F, grad_cube, NULL, x, 1e-2);
    CHECK(hy_error(F) && strstr(hy_error(F), "hy_check_grad: the array lies in memory that was lent"));
    hy_clear(F);
    CHECK(hy_close(F) == 0);
}

static void test_autograd(void)
{
    RUN(grad_leaves_of_another_frame);
    RUN(grad_check_of_lent_memory);
    RUN(grad_write_add_and_null);
    RUN(grad_nothing_is_recorded_outside);
    RUN(grad_training_follows_recording);
    RUN(grad_dropout_uses_the_same_mask);
    RUN(grad_head_gradients);
    RUN(grad_several_heads_add_up);
    RUN(grad_of_a_leaf_itself_is_one);
    RUN(grad_twice_needs_retain);
    RUN(grad_two_forwards_then_both_backward);
    RUN(grad_inputs_shared_by_many_calls);
    RUN(grad_of_some_outputs_only);
    RUN(grad_broadcasting_sums_back);
    RUN(grad_block_grad_stops);
    RUN(grad_in_double_and_half);
    RUN(grad_returned_instead_of_stored);
    RUN(grad_second_and_third_order);
    RUN(grad_second_order_through_sums_and_broadcasts);
    RUN(grad_graphs_of_gradients_leak_nothing);
    RUN(grad_of_many_variables);
    RUN(grad_pinned_arrays_refuse_writes);
    RUN(grad_pins_go_with_the_result);
    RUN(grad_views_are_refused_while_recording);
    RUN(grad_of_a_strided_input_that_is_gone);
    RUN(grad_scopes_may_end_before_backward);
    RUN(grad_backward_inside_the_scope_of_the_loss);
    RUN(grad_sgd_converges_in_bounded_memory);
    RUN(grad_long_chain_backward);
    RUN(grad_long_chain_hangs_on_one_handle);
    RUN(grad_long_chain_without_backward);
    RUN(grad_running_sums_of_truths);
    RUN(grad_integers_have_none);
    RUN(grad_error_texts_name_the_remedy);
    RUN(grad_failed_backward_can_be_followed_by_a_good_one);
    RUN(grad_check_detects_a_wrong_gradient);
    RUN(grad_own_operator_without_gradient_is_a_constant);
}
#endif
