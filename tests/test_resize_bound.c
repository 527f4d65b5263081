/* A buffer that hy_bind got for the largest inputs serves smaller ones, too: with the bits of programs compiled for
 * them, results in the buffer, and no memory of its own once it has met other sizes. */

typedef struct {
    hy_frame    *F;
    sized_block *b, *fresh;
    char        *buffer;
    size_t       bytes;
} bound_case;

enum { BOUND_B = 12, BOUND_T = 31 };
static void bound_open(bound_case *c, int threads)
{
    hy_array *most;
    hy_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.threads = threads;
    c->F = hy_open(&desc);
    c->b = resize_two(c->F, NULL, 0);
    c->fresh = resize_two(c->F, c->b, HY_PASS_SIZES);
    most = resize_two_input(c->F, BOUND_B, BOUND_T, 0);
    hy_call(c->F, &c->b->base, resize_two_input(c->F, 4, 5, 0));        /* in memory of its own */
    c->bytes = hy_plan(c->F, &c->b->base, most).total;
    c->buffer = (char *)malloc(c->bytes);
    CHECK(c->buffer && !hy_bind(c->F, &c->b->base, most, c->buffer, c->bytes));
}

static void bound_close(bound_case *c)
{
    OK(c->F);
    CHECK(hy_close(c->F) == 0);
    free(c->buffer);
}

/* Calls both networks. Returns whether the results lie in the buffer. */
static int bound_call(bound_case *c, int b, int t, int at)
{
    hy_array *x, *y, *want;
    const char *data;
    int inside;
    hy_begin(c->F);
    x = resize_two_input(c->F, b, t, at);
    want = hy_call(c->F, &c->fresh->base, x);
    y = hy_call(c->F, &c->b->base, x);
    if (!CHECK(passes_same(c->F, y, want))) printf("    (%d,%d): %s\n", b, t, hy_error(c->F) ? hy_error(c->F) : "others");
    data = (const char *)hy_data(c->F, hy_get(c->F, y, 1));
    inside = data >= c->buffer && data < c->buffer + c->bytes;
    data = (const char *)hy_data(c->F, hy_get(c->F, y, 0));
    CHECK(inside == (data >= c->buffer && data < c->buffer + c->bytes));
    hy_end(c->F);
    return inside;
}

static void bound_serves_smaller_sizes(void)
{
    static const int all[] = { 1, 3, 7 };
    int which, i;
    for (which = 0; which < 3; which++) {
        bound_case c;
        uint64_t seed = 3;
        bound_open(&c, all[which]);
        CHECK(bound_call(&c, 4, 5, 1));                 /* met before it was bound */
        for (i = 0; i < 120; i++) {
            const int b = 2 + (int)(sized_next(&seed) % (BOUND_B - 1)), t = 2 + (int)(sized_next(&seed) % (BOUND_T - 1));
            const int inside = bound_call(&c, b, t, i);
            if (!CHECK(inside || t == SIZED_WIDTH)) printf("    (%d,%d)\n", b, t);    /* as many as the width: in another way */
        }
        CHECK(bound_call(&c, BOUND_B, BOUND_T, i));
        CHECK(!bound_call(&c, BOUND_B, BOUND_T + 1, i) && !bound_call(&c, BOUND_B + 1, 2, i));     /* larger */
        CHECK(!bound_call(&c, BOUND_B, 1, i) && !bound_call(&c, 40, 2, i));
        CHECK(bound_call(&c, BOUND_B, BOUND_T, i) && bound_call(&c, 3, 4, i));
        CHECK(hy_cache_info(c.F, &c.b->base).resizes > 100);
        bound_close(&c);
    }
}

static void bound_sizes_allocate_nothing(void)
{
    bound_case c;
    hy_array *x[6];
    int64_t calls = 0;
    int i, round;
    bound_open(&c, 1);
    for (i = 0; i < 6; i++) x[i] = resize_two_input(c.F, BOUND_B - 2 * i, BOUND_T - 5 * i, i);
    for (round = 0; round < 4; round++) {
        if (round == 2) calls = c.F->root->heap.calls;
        for (i = 0; i < 6; i++) {
            hy_begin(c.F);
            CHECK(hy_call(c.F, &c.b->base, x[i]) != NULL);
            hy_end(c.F);
        }
    }
    CHECK(c.F->root->heap.calls == calls);
    bound_close(&c);
}

/* One set of results lies there, whatever their sizes. */
static void bound_sizes_wait_for_results(void)
{
    bound_case c;
    hy_array *held;
    bound_open(&c, 1);
    hy_begin(c.F);
    held = hy_keep(c.F, hy_get(c.F, hy_call(c.F, &c.b->base, resize_two_input(c.F, 3, 7, 0)), 1));
    CHECK(!hy_call(c.F, &c.b->base, resize_two_input(c.F, 5, 6, 0)) && strstr(hy_error(c.F), "still held"));
    hy_clear(c.F);
    hy_end(c.F);
    hy_free(c.F, held);
    CHECK(bound_call(&c, 5, 6, 0));
    bound_close(&c);
}

/* Rows times the width, which forward asks for. */
static hy_array *bound_asks_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_mul_scalar(F, hy_relu(F, x), (double)hy_dim(F, x, 1));
}

/* The first call may be of smaller sizes, also where forward asks for those that stay. */
static void bound_sizes_come_first(void)
{
    static char buffer[1 << 14];
    hy_frame *F = tb_threads(1);
    hy_block *net = tb_block(F, "asks", bound_asks_forward);
    hy_array *y;
    hy_hybridize(F, net, NULL);
    CHECK(!hy_bind(F, net, hy_ones(F, HY_SHAPE(20, 3)), buffer, sizeof buffer));
    y = hy_call(F, net, hy_ones(F, HY_SHAPE(7, 3)));
    CHECK((const char *)hy_data(F, y) >= buffer && (const char *)hy_data(F, y) < buffer + sizeof buffer);
    CHECK(hy_dim(F, y, 0) == 7 && hy_value(F, y, 6, 2) == 3 && hy_cache_info(F, net).traces == 1);
    CHECK(hy_cache_info(F, net).resizes == 1 && hy_cache_info(F, net).misses == 0);
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* What ends the program does not end the binding for smaller inputs. */
static void bound_sizes_survive(void)
{
    int k;
    for (k = 0; k < 3; k++) {
        bound_case c;
        hy_hybridize_opt opt = { 0 };
        bound_open(&c, 1);
        CHECK(bound_call(&c, 5, 9, 0));
        if (k == 1) hy_hybridize(c.F, &c.b->base, NULL);        /* all traces go */
        opt.off = HY_PASS_FUSE;
        if (k == 2) hy_hybridize(c.F, &c.b->base, &opt);
        CHECK(bound_call(&c, 4, 6, 0) && bound_call(&c, BOUND_B, BOUND_T, 0) && bound_call(&c, 5, 9, 0));
        bound_close(&c);
    }
}

/* Whichever allocation fails: the buffer serves the sizes before, and later the new ones. */
static void bound_sizes_without_memory(void)
{
    int fail, failed = 1;
    for (fail = 0; failed && fail < 300; fail++) {
        bound_case c;
        hy_array *x;
        bound_open(&c, 1);
        x = resize_two_input(c.F, 3, 7, 0);
        hy_trim(c.F);
        resize_out.alloc_fn = c.F->root->heap.use.alloc_fn;
        resize_out.left = fail;
        c.F->root->heap.use.alloc_fn = resize_alloc;
        hy_begin(c.F);
        hy_call(c.F, &c.b->base, x);
        hy_end(c.F);
        c.F->root->heap.use.alloc_fn = resize_out.alloc_fn;
        failed = hy_error(c.F) != NULL;
        if (failed) CHECK(hy_error_code(c.F) == HY_ERROR_MEMORY);
        hy_clear(c.F);
        CHECK(bound_call(&c, BOUND_B, BOUND_T, 0) && bound_call(&c, 3, 7, 0));
        bound_close(&c);
    }
    CHECK(!failed && fail > 3);
}

static void test_resize_bound(void)
{
    RUN(bound_serves_smaller_sizes);
    RUN(bound_sizes_allocate_nothing);
    RUN(bound_sizes_wait_for_results);
    RUN(bound_sizes_come_first);
    RUN(bound_sizes_survive);
    RUN(bound_sizes_without_memory);
}
