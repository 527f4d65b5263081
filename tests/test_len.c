/* Sizes that forward asks for by hy_len_of: one trace for all of them, with the numbers of line by line; what ends with
 * its trace, what is no size; files of ONNX whose shapes are computed. */

typedef struct { hy_block base; hy_len first; int what; } len_block;

/* x: (b, t, 6), y: (1, t). Rows counted, sizes as data, reshaping there and back, repeated to sizes. */
static hy_array *len_forward(hy_frame *F, hy_block *self, hy_array *both)
{
    hy_array *x = hy_get(F, both, 0), *y = hy_get(F, both, 1), *at, *z;
    hy_len b = hy_len_of(F, x, 0), t = hy_len_of(F, x, 1), more = hy_len_add(F, t, hy_len_is(1)), to[4];
    (void)self;
    to[0] = b;
    to[1] = t;
    to[2] = hy_len_is(2);
    to[3] = hy_len_div(F, hy_len_of(F, x, -1), hy_len_is(2));
    z = hy_transpose(F, hy_len_reshape(F, x, 4, to), HY_AXES(0, 2, 1, 3));
    to[0] = hy_len_mul(F, b, hy_len_is(2));
    to[1] = hy_len_mul(F, t, hy_len_is(3));
    z = hy_sum(F, hy_len_reshape(F, z, 2, to), HY_AXES(0), NULL);
    at = hy_add(F, hy_len_arange(F, hy_len_add(F, more, t)), hy_len_array(F, hy_len_sub(F, more, b)));
    to[0] = b;
    to[1] = t;
    y = hy_len_broadcast_to(F, y, 2, to);
    return hy_group(F, z, at, y, hy_len_array(F, hy_len_mul(F, b, t)));
}

static hy_array *len_input(hy_frame *F, int b, int t, int at)
{
    hy_array *x = hy_sin(F, hy_mul_scalar(F, hy_arange(F, 0, (double)b * t * 6, 1), 0.37 + at));
    return hy_group(F, hy_reshape(F, x, HY_INTS(b, t, 6), NULL), hy_reshape(F, hy_arange(F, 0, t, 1), HY_INTS(1, t), NULL));
}

static void len_takes_on(int threads)
{
    hy_frame *F = tb_threads(threads);
    hy_block *net = tb_block(F, "len", len_forward), *lines = tb_block(F, "lines", len_forward);
    hy_cache_stats s;
    uint64_t seed = 5;
    int i, k;
    hy_hybridize(F, net, NULL);
    for (i = 0; i < 80; i++) {
        const int b = 1 + (int)(sized_next(&seed) % 5), t = 1 + (int)(sized_next(&seed) % 40);
        hy_array *x, *y, *z;
        hy_begin(F);
        x = len_input(F, b, t, i);
        y = hy_call(F, net, x);
        z = hy_call(F, lines, x);
        for (k = 0; k < 4; k++)
            if (!CHECK(passes_same(F, hy_get(F, y, k), hy_get(F, z, k)))) printf("    (%d,%d), result %d\n", b, t, k);
        hy_end(F);
    }
    s = hy_cache_info(F, net);
    if (!CHECK(s.traces <= 4 && s.resizes > 30)) printf("    %d traces, %d resizes: %s\n", (int)s.traces, (int)s.resizes, s.fixed[0] ? s.fixed : s.bound);
    OK(F);
    CHECK(hy_close(F) == 0);
}
static void len_takes_on_sizes(void) { len_takes_on(1); len_takes_on(3); }

/* (b, t, 6) as rows and back, as heads and back, and with what a sum of sizes is in the middle: one program says all. */
static hy_array *len_splits_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_len b = hy_len_of(F, x, 0), t = hy_len_of(F, x, 1), to[5];
    hy_array *y, *z;
    (void)self;
    to[0] = hy_len_mul(F, b, t);
    to[1] = hy_len_is(6);
    y = hy_sin(F, hy_len_reshape(F, x, 2, to));
    to[0] = b;
    to[1] = t;
    to[2] = hy_len_is(2);
    to[3] = hy_len_is(3);
    y = hy_len_reshape(F, y, 4, to);
    z = hy_concat(F, hy_group(F, x, hy_slice_axis(F, x, 1, 0, 1)), 1);
    to[0] = hy_len_mul(F, b, hy_len_add(F, t, hy_len_is(1)));
    to[1] = hy_len_is(6);
    z = hy_cos(F, hy_len_reshape(F, z, 2, to));
    to[0] = hy_len_is(2);
    to[1] = b;
    to[2] = hy_len_is(3);
    to[3] = hy_len_add(F, t, hy_len_is(1));
    z = hy_len_reshape(F, z, 4, to);
    to[0] = hy_len_is(1);
    to[1] = b;
    to[2] = t;
    x = hy_len_reshape(F, hy_sum(F, x, HY_AXES(2), NULL), 3, to);
    to[0] = hy_len_is(1);
    to[1] = t;
    to[2] = b;
    x = hy_len_reshape(F, x, 3, to);
    x = hy_len_reshape(F, hy_tanh(F, x), 2, to + 1);
    return hy_group(F, hy_transpose(F, y, HY_AXES(0, 2, 1, 3)), z, x);
}

static void len_splits_products(void)
{
    hy_frame *F = tb_threads(1);
    hy_block *net = tb_block(F, "splits", len_splits_forward), *lines = tb_block(F, "lines", len_splits_forward);
    hy_cache_stats s;
    uint64_t seed = 8;
    int i, k;
    hy_hybridize(F, net, NULL);
    for (i = 0; i < 60; i++) {
        const int b = 2 + (int)(sized_next(&seed) % 5), t = 8 + (int)(sized_next(&seed) % 40);
        hy_array *x, *y, *z;
        hy_begin(F);
        x = hy_get(F, len_input(F, b, t, i), 0);
        y = hy_call(F, net, x);
        z = hy_call(F, lines, x);
        for (k = 0; k < 3; k++)
            if (!CHECK(passes_same(F, hy_get(F, y, k), hy_get(F, z, k)))) printf("    (%d,%d), result %d\n", b, t, k);
        hy_end(F);
    }
    s = hy_cache_info(F, net);
    if (!CHECK(s.traces == 1 && s.programs <= 4 && s.resizes > 40))
        printf("    %d traces, %d programs, %d resizes: %s %s\n", (int)s.traces, s.programs, (int)s.resizes, s.fixed, s.bound);
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* Asks once and keeps what it got, or does with it what cannot be. */
static hy_array *len_wrong_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    len_block *b = (len_block *)(void *)self;
    hy_len to[2];
    int64_t n;
    if (!b->what) b->first = hy_len_of(F, x, 0);
    to[0] = b->first;
    to[1] = hy_len_is(-3);
    if (b->what == 2) return hy_len_reshape(F, x, 2, to);
    if (b->what == 3) return hy_len_arange(F, hy_len_sub(F, hy_len_is(2), b->first));
    if (b->what == 4) return hy_len_array(F, hy_len_div(F, b->first, hy_len_is(0)));
    if (b->what == 5) { to[1] = hy_len_is(0); return hy_len_reshape(F, x, 2, to); }
    if (b->what == 6) return hy_len_reshape(F, x, 9, to);
    n = hy_len_value(F, b->first);
    return hy_mul_scalar(F, x, (double)n);
}

static void len_of_another_trace(void)
{
    static const char *const says[] = { NULL, "of another trace", "a size of -3", "a size of -5", "gives no size",
                                        "Target shape size", "9 dims" };
    int what, lines;
    for (lines = 0; lines < 2; lines++)
        for (what = 0; what < 7; what++) {
            hy_frame *F = tb_threads(1);
            len_block *b = HY_BLOCK_NEW(F, len_block, len_wrong_forward);
            hy_array *y;
            if (!lines) hy_hybridize(F, &b->base, NULL);
            y = hy_call(F, &b->base, hy_ones(F, HY_SHAPE(7, 3)));
            CHECK(y && hy_value(F, y, 0, 0) == 7);              /* hy_len_value: this trace is one for 7 rows */
            y = hy_call(F, &b->base, hy_ones(F, HY_SHAPE(5, 3)));
            CHECK(y && hy_value(F, y, 0, 0) == 5);
            b->what = what;
            if (what > 1) b->first = hy_len_is(7);
            y = hy_call(F, &b->base, hy_ones(F, HY_SHAPE(9, 3, 1)));
            if (!what) CHECK(y && hy_value(F, y, 0, 0, 0) == 9);
            else if (lines && what == 1) CHECK(y && hy_value(F, y, 0, 0, 0) == 5);      /* there it is a number */
            else if (!CHECK(hy_error(F) && strstr(hy_error(F), says[what])))
                printf("    %d: %s\n", what, hy_error(F) ? hy_error(F) : "no error");
            hy_clear(F);
            b->what = 0;
            CHECK(hy_value(F, hy_call(F, &b->base, hy_ones(F, HY_SHAPE(7, 3))), 0, 0) == 7);
            OK(F);
            CHECK(hy_close(F) == 0);
        }
}

/* --- what is not in the program --- */
static int len_what;
static hy_len len_two[2];

static hy_array *len_body(hy_frame *F, hy_array *row, hy_array *state, void *user)
{
    hy_len n = *(hy_len *)user, to[2];
    hy_array *y = hy_reshape(F, hy_sum(F, row, HY_ALL, NULL), HY_INTS(1, 1), NULL);
    to[0] = hy_len_is(2);
    to[1] = n;
    y = hy_add(F, hy_len_broadcast_to(F, y, 2, to), hy_cast(F, hy_len_arange(F, n), HY_F32));
    y = hy_add(F, y, hy_cast(F, hy_len_array(F, hy_len_add(F, n, hy_len_of(F, row, 0))), HY_F32));
    state = hy_add(F, state, hy_sum(F, y, HY_ALL, NULL));
    return hy_group(F, state, state);
}
static hy_array *len_yes(hy_frame *F, hy_array *x, void *user)
{
    const hy_len *n = (const hy_len *)user;
    hy_len all = hy_len_mul(F, n[0], n[1]);
    return hy_sum(F, hy_len_reshape(F, x, 1, &all), HY_ALL, NULL);
}
static hy_array *len_no(hy_frame *F, hy_array *x, void *user)
{
    return hy_mul_scalar(F, hy_sum(F, x, HY_ALL, NULL), (double)hy_len_value(F, *(hy_len *)user));
}

/* x: (n, 3), y: (m, 3). Nodes that no result reads, bodies of loops and branches, sizes that meet. */
static hy_array *len_apart_forward(hy_frame *F, hy_block *self, hy_array *both)
{
    hy_array *x = hy_get(F, both, 0), *y = hy_get(F, both, 1), *z;
    hy_len n, to[3];
    (void)self;
    switch (len_what) {
    case 0:                             /* the sum is not read: n is m, or an error */
        z = hy_add(F, x, y);
        n = hy_len_of(F, z, 0);
        return hy_len_array(F, hy_len_mul(F, n, hy_len_of(F, y, 0)));
    case 1:
        hy_add(F, x, y);
        to[0] = hy_len_of(F, y, 0);
        to[1] = hy_len_is(3);
        return hy_len_reshape(F, x, 2, to);
    case 2:
        hy_add(F, x, y);
        return hy_len_array(F, hy_len_sub(F, hy_len_of(F, x, 0), hy_len_is(7)));
    case 3:
        n = hy_len_of(F, y, 0);
        z = hy_mul_scalar(F, hy_sum(F, y, HY_ALL, NULL), 0);
        return hy_get(F, hy_foreach(F, len_body, x, z, &n), 1);
    case 4:
        len_two[0] = hy_len_of(F, x, 0);
        len_two[1] = hy_len_of(F, x, 1);
        return hy_cond(F, hy_greater_scalar(F, hy_sum(F, x, HY_ALL, NULL), 0), len_yes, len_no, x, len_two);
    case 5:
        to[0] = hy_len_of(F, x, 0);
        to[1] = hy_len_is(3);
        return hy_len_broadcast_to(F, y, 2, to);
    case 6:
        z = hy_concat(F, hy_group(F, x, y), 0);
        to[0] = hy_len_is(1);
        to[1] = hy_len_add(F, hy_len_of(F, x, 0), hy_len_of(F, y, 0));
        to[2] = hy_len_is(3);
        return hy_len_reshape(F, z, 3, to);
    case 7: return hy_take(F, x, hy_len_arange(F, hy_len_of(F, y, 0)), 0, NULL);
    case 8:
        n = hy_len_mul(F, hy_len_of(F, x, 0), hy_len_of(F, x, 0));
        return hy_len_array(F, hy_len_mul(F, hy_len_mul(F, n, n), hy_len_is((int64_t)1 << 30)));
    }
    z = hy_slice_axis(F, x, 0, 1, HY_NONE);
    return hy_add(F, hy_sum(F, x, HY_ALL, NULL), hy_cast(F, hy_len_array(F, hy_len_of(F, z, 0)), HY_F32));
}

static hy_array *len_apart_input(hy_frame *F, int n, int at)
{
    return n ? hy_sin(F, hy_reshape(F, hy_arange(F, at, at + 3.0 * n, 1), HY_INTS(n, 3), NULL)) : hy_zeros(F, HY_SHAPE(0, 3));
}

/* Line by line and compiled: the same numbers, the same gradients, or both refuse. */
static void len_apart(int recorded)
{
    static const int sizes[][2] = { { 3, 3 }, { 5, 5 }, { 5, 6 }, { 2, 7 }, { 7, 2 }, { 1, 4 }, { 4, 1 }, { 6, 3 }, { 0, 3 }, { 3, 0 },
                                    { 1, 1 }, { 9, 8 }, { 0, 0 }, { 40, 40 }, { 300, 300 }, { 5, 5 } };
    for (len_what = 0; len_what < 10; len_what++) {
        hy_frame *F = tb_threads(1);
        hy_block *net[2];
        int i, k;
        net[0] = tb_block(F, "lines", len_apart_forward);
        net[1] = tb_block(F, "net", len_apart_forward);
        hy_hybridize(F, net[1], NULL);
        for (i = 0; i < (int)(sizeof sizes / sizeof *sizes); i++) {
            hy_array *y[2], *dx[2] = { NULL, NULL };
            int failed[2];
            hy_begin(F);
            for (k = 0; k < 2; k++) {
                hy_array *x = len_apart_input(F, sizes[i][0], 1), *z = len_apart_input(F, sizes[i][1], 2);
                if (recorded) { hy_attach_grad(F, x, HY_GRAD_WRITE); hy_record(F); }
                y[k] = hy_call(F, net[k], hy_group(F, x, z));
                if (recorded) hy_pause(F);
                failed[k] = hy_error(F) != NULL;
                if (recorded && y[k] && hy_dtype_of(F, y[k]) == HY_F32 && len_what != 5) { hy_backward(F, y[k], NULL); dx[k] = hy_grad_of(F, x); }
                hy_clear(F);
            }
            if (!CHECK(failed[0] == failed[1] && (failed[0] || passes_same(F, y[0], y[1])))) printf("    %d (%d,%d)\n", len_what, sizes[i][0], sizes[i][1]);
            if (!failed[0] && dx[0] && !CHECK(dx[1] && passes_same(F, dx[0], dx[1]))) printf("    %d (%d,%d): gradient\n", len_what, sizes[i][0], sizes[i][1]);
            hy_clear(F);
            hy_end(F);
        }
        CHECK(hy_cache_info(F, net[1]).traces > 1 || len_what > 7);
        CHECK(hy_close(F) == 0);
    }
}
static void len_apart_from_programs(void) { len_apart(0); len_apart(1); }

/* Outside of hy_call a graph has numbers, and the mode of the latest call; a size asked after an error is none. */
static hy_array *len_mode_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *k = hy_cast(F, hy_len_array(F, hy_len_of(F, x, 0)), HY_F32);
    (void)self;
    return hy_is_training(F) ? hy_exp(F, hy_mul(F, x, k)) : hy_mul(F, x, k);
}
static void len_graphs_outside(void)
{
    hy_frame *F = tb_threads(1);
    hy_block *net = tb_block(F, "net", len_mode_forward);
    hy_array *x = hy_ones(F, HY_SHAPE(3));
    char text[1000];
    hy_hybridize(F, net, NULL);
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_record(F);
    hy_call(F, net, x);
    hy_pause(F);
    hy_graph_text(hy_graph_of(F, net), HY_FORM_LINES, text, sizeof text);
    CHECK(strstr(text, "exp(") && strstr(text, "value=3"));
    hy_call(F, net, hy_ones(F, HY_SHAPE(5)));
    hy_graph_text(hy_graph_of(F, net), HY_FORM_LINES, text, sizeof text);
    CHECK(!strstr(text, "exp(") && strstr(text, "value=5"));
    hy_graph_text(hy_graph_of(F, net), HY_FORM_LINES, text, sizeof text);
    CHECK(!strstr(text, "exp(") && strstr(text, "value=5"));
    CHECK(hy_value(F, hy_call(F, net, hy_ones(F, HY_SHAPE(4))), 0) == 4 && hy_cache_info(F, net).resizes == 1);
    OK(F);
    hy_raise(F, HY_ERROR_ARGUMENT, "on purpose");
    CHECK(!hy_len_value(F, hy_len_is(7)) && !hy_len_array(F, hy_len_is(7)) && !hy_len_value(F, hy_len_of(F, x, 0)));
    hy_clear(F);
    CHECK(hy_close(F) == 0);
}

/* x: (n, 3), summed and repeated n times. */
static hy_array *len_saved_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_len to[2];
    (void)self;
    to[0] = hy_len_of(F, x, 0);
    to[1] = hy_len_is(3);
    return hy_len_broadcast_to(F, hy_sum(F, x, HY_AXES(0), NULL), 2, to);
}

/* Files and graphs outside are of the latest call, and take nothing from the calls that follow: a buffer that was
 * bound before serves them as before. */
static void len_saved_of_latest(void)
{
    static char room[1 << 16];
    hy_frame *F = tb_threads(1);
    hy_block *net = tb_block(F, "net", len_saved_forward), *loaded;
    hy_array *x = NULL, *y, *file;
    int n;
    hy_hybridize(F, net, NULL);
    CHECK(!hy_bind(F, net, hy_ones(F, HY_SHAPE(20, 3)), room, sizeof room));
    for (n = 4; n < 10; n++) {
        hy_begin(F);
        x = hy_ones(F, HY_SHAPE(n, 3));
        y = hy_call(F, net, x);
        CHECK((const char *)hy_data(F, y) >= room && (const char *)hy_data(F, y) < room + sizeof room);
        file = n % 2 ? hy_save_model_to(F, net, x) : hy_save_model_to(F, net, NULL);
        loaded = hy_load_model_from(F, hy_data(F, file), (size_t)hy_size(F, file), 0);
        y = hy_call(F, loaded, x);
        if (!CHECK(y && hy_dim(F, y, 0) == n && hy_value(F, y, n - 1, 2) == n)) printf("    saved with %d: %s\n", n, hy_error(F) ? hy_error(F) : "another size");
        hy_clear(F);
        hy_end(F);
    }
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* Of several traces that is the one of the latest call that gave something. */
static hy_array *len_mean_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *w = hy_param(F, self, "w");
    x = hy_dot(F, x, w ? w : x, NULL);
    return hy_div(F, hy_sum(F, x, HY_AXES(0), NULL), hy_cast(F, hy_len_array(F, hy_len_of(F, x, 0)), HY_F32));
}
static void len_saved_of_traces(void)
{
    static const int rows[] = { 5, 1, 8, 0, 3, 1, 6 };
    hy_frame *F = tb_threads(1);
    hy_block *net = tb_block(F, "net", len_mean_forward), *loaded;
    const float one[] = { 1, 0, 0, 1 };
    int k, failed;
    hy_set_param(F, hy_add_param(F, net, "w", HY_SHAPE(2, 2), NULL), hy_from(F, HY_SHAPE(2, 2), HY_F32, one));
    hy_hybridize(F, net, NULL);
    for (k = 0; k < 14; k++) {
        hy_array *x = hy_ones(F, HY_SHAPE(rows[k / 2], 2)), *y, *file;
        if (rows[k / 2]) hy_call(F, net, x);
        if (k % 2) {                                    /* what is refused, or only planned, is no such call */
            hy_call(F, net, hy_ones(F, HY_SHAPE(7, 3)));
            CHECK(hy_error(F));
            hy_clear(F);
            hy_plan(F, net, hy_ones(F, HY_SHAPE(99, 2)));
        }
        if (!rows[k / 2]) x = hy_ones(F, HY_SHAPE(8, 2));
        file = hy_save_model_to(F, net, NULL);
        failed = hy_error(F) != NULL;
        loaded = failed ? NULL : hy_load_model_from(F, hy_data(F, file), (size_t)hy_size(F, file), 0);
        y = loaded ? hy_call(F, loaded, x) : NULL;
        if (!CHECK(y && hy_value(F, y, 0) == 1)) printf("    call %d: %s\n", k, hy_error(F) ? hy_error(F) : "another size");
        hy_clear(F);
        CHECK(hy_value(F, hy_graph_run(F, hy_graph_of(F, net), x), 1) == 1);
    }
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* A size of another root is refused, as is a code that nobody gave. */
static hy_len len_other;
static int len_gives, len_moved;
static hy_array *len_other_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    const hy_len n = hy_len_of(F, x, 1);
    (void)self;
    hy_len_div(F, n, hy_len_of(F, x, 0));
    if (len_gives) len_other = n;
    if (len_moved) { len_other = n; len_other.code -= len_moved; }
    return hy_len_array(F, len_other);
}
static void len_of_others(void)
{
    int k;
    for (k = 0; k < 12; k++) {
        hy_frame *F = tb_threads(1), *G = tb_threads(1);
        hy_block *a = tb_block(F, "net", len_other_forward), *b = tb_block(G, "net", len_other_forward);
        hy_array *y;
        hy_hybridize(F, a, NULL);
        hy_hybridize(G, b, NULL);
        len_gives = 1;
        len_moved = 0;
        CHECK(hy_item(F, hy_call(F, a, hy_ones(F, HY_SHAPE(5, 7)))) == 7);
        len_gives = 0;
        len_moved = k;
        y = hy_call(G, b, hy_ones(G, HY_SHAPE(3, 4)));
        CHECK(k ? !y == (hy_error(G) != NULL) : !y && strstr(hy_error(G), "trace"));
        hy_clear(G);
        OK(F);
        CHECK(hy_close(F) == 0 && hy_close(G) == 0);
    }
}

/* A file is not written from within the forward that it would be of. */
static hy_frame *len_outer;
static hy_array *len_saving_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    CHECK(F == len_outer || (!hy_save_model_to(len_outer, self, NULL) && hy_error(len_outer)));
    hy_clear(len_outer);
    return hy_mul(F, x, hy_cast(F, hy_len_array(F, hy_len_of(F, x, 0)), HY_F32));
}
static void len_saved_within(void)
{
    hy_block *net;
    len_outer = tb_threads(1);
    net = tb_block(len_outer, "net", len_saving_forward);
    hy_hybridize(len_outer, net, NULL);
    CHECK(hy_value(len_outer, hy_call(len_outer, net, hy_ones(len_outer, HY_SHAPE(3, 2))), 0, 0) == 3);
    CHECK(hy_save_model_to(len_outer, net, NULL) != NULL);
    OK(len_outer);
    CHECK(hy_close(len_outer) == 0);
}

/* hy_check finds results that differ where a trace takes on sizes. */
static int len_how;
static hy_array *len_checked_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    const hy_len n = hy_len_of(F, x, 0);
    (void)self;
    switch (len_how) {
    case 0: return hy_mul(F, x, hy_cast(F, hy_len_array(F, n), HY_F32));
    case 1: return hy_mul_scalar(F, x, (double)n.code);
    case 2: return hy_len_fixed(n) ? hy_mul_scalar(F, x, 2) : x;
    case 3: return hy_len_same(n, hy_len_is(5)) ? hy_reshape(F, x, HY_INTS(-1), NULL) : x;
    default: return hy_len_below(F, n, 6) ? hy_mul_scalar(F, x, 2) : x;
    }
}
static void len_checked(void)
{
    char text[512];
    for (len_how = 0; len_how < 5; len_how++) {
        hy_frame *F = tb_threads(1);
        hy_block *net = tb_block(F, "net", len_checked_forward);
        const int wrong = len_how > 0 && len_how < 4;
        hy_hybridize(F, net, NULL);
        CHECK((hy_check_text(F, net, hy_ones(F, HY_SHAPE(5, 3)), text, sizeof text) > 0) == wrong);
        CHECK(!wrong || strstr(text, "take on sizes"));
        OK(F);
        CHECK(hy_close(F) == 0);
    }
}

/* Errors are of the sizes that were given, also where memory for larger ones would be planned. */
static void len_errors_of_their_sizes(void)
{
    hy_frame *F = tb_threads(1);
    hy_block *net = hy_nn_dense(F, 4, NULL);
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    hy_call(F, net, hy_ones(F, HY_SHAPE(5, 3)));
    OK(F);
    hy_call(F, net, hy_ones(F, HY_SHAPE(7, 2)));
    if (!CHECK(hy_error(F) && strstr(hy_error(F), "(7,2)"))) printf("    %s\n", hy_error(F));
    hy_clear(F);
    hy_call(F, net, hy_ones(F, HY_SHAPE(7, 3)));
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* To no elements: refused where others cannot become it, and on the tape. */
static void len_to_nothing(void)
{
    int lines;
    for (lines = 0; lines < 2; lines++) {
        hy_frame *F = tb_threads(1);
        hy_block *net = tb_block(F, "net", len_saved_forward);
        hy_array *x = hy_ones(F, HY_SHAPE(0, 3)), *y;
        hy_len to[2];
        if (!lines) hy_hybridize(F, net, NULL);
        hy_attach_grad(F, x, HY_GRAD_WRITE);
        hy_record(F);
        y = hy_sum(F, hy_call(F, net, x), HY_ALL, NULL);
        hy_pause(F);
        hy_backward(F, y, NULL);
        CHECK(y && hy_item(F, y) == 0 && hy_size(F, hy_grad_of(F, x)) == 0);
        OK(F);
        to[0] = hy_len_is(0);
        to[1] = hy_len_is(3);
        CHECK(!hy_len_broadcast_to(F, hy_ones(F, HY_SHAPE(5, 3)), 2, to) && strstr(hy_error(F), "cannot become 0"));
        hy_clear(F);
        CHECK(hy_dim(F, hy_len_broadcast_to(F, hy_ones(F, HY_SHAPE(1, 3)), 2, to), 0) == 0);
        CHECK(hy_len_below(F, hy_len_is(4), 5) && !hy_len_below(F, hy_len_is(5), 5));
        OK(F);
        CHECK(hy_close(F) == 0);
    }
}

/* --- shapes that files compute --- */
static void len_files(void)
{
    static const onnx_open_choice cases[] = {
        { { "Reshape|x n|a", "Neg|a|y" }, 1 },
        { { "Mul|n 32|m", "Sub|m m|d", "Cast|d|f", "Add|x f|y" }, 1 },
        { { "Cast|n|f", "Add|x f|y" }, 1 },
        { { "Equal|n -1|q", "Where|q 1 n|m", "Expand|x m|a", "Neg|a|y" }, 1 },
        { { "Slice|x 0 n 0|a", "Neg|a|y" }, 1 },
        { { "Concat|1 n|s", "Reshape|x s|a", "Expand|a s|c", "Reshape|c n|y" }, 1 },
        { { "Identity|n|m", "Reshape|x m|a", "Neg|a|y" }, 1 },
        { { "Cast|n|i", "Cast|i|l", "Expand|x l|a", "Neg|a|y" }, 1 },
        { { "Unsqueeze|x 0|u", "Concat|1 n|s", "Expand|u s|e", "Reshape|e -1|y" }, 1 },
        { { "Unsqueeze|x 0|u", "Concat|32 n|s", "Expand|u s|e", "Reshape|e -1|y" }, 1 },
        { { "Add|n 1|m", "Expand|1 m|e", "Cast|e|f", "ReduceSum|f 0|s", "Add|x s|y" }, 1 },
        { { "Expand|x 32|y" }, 0 },
        { { "Sub|n 32|m", "Sub|m 32|k", "Concat|k n|s", "Reshape|x s|r", "Reshape|r -1|y" }, 0 },
        { { "Sub|0 n|m", "Div|m n|k", "Reshape|x k|y" }, 0 },
        { { "Sub|n 1|m", "Expand|x m|y" }, 0 },
        { { "Mul|n 5000|m", "Mul|m 5000|k", "Mul|k 5000|p", "Cast|p|i", "Cast|i|f", "Add|x f|y" }, 0 },
        { { "Reshape|x -1|a", "Mul|n n|m", "Div|m n|k", "Reshape|a k|y" }, 1 },
        { { "Mul|n n|m", "Mul|m m|k", "Mul|k k|p", "Cast|p|i", "Cast|i|f", "Add|x f|y" }, 0 },
        { { "Sub|n 1|m", "Slice|x 0 m 0|a", "Neg|a|y" }, 0 },
        { { "Min|n 500|m", "Slice|x 0 m 0|y" }, 0 },
        { { "Div|n 32|d", "Cast|d|f", "Add|x f|y" }, 0 } };
    static const int sizes[] = { 700, 3, 40, 64, 41, 2, 1, 501, 90, 64 };
    hy_frame *F = tb_threads(1);
    int i, k;
    for (i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        hy_block *net = onnx_open_chosen(F, &cases[i]), *lines = onnx_open_chosen(F, &cases[i]);
        CHECK(net && lines);
        hy_hybridize(F, net, NULL);
        for (k = 0; k < (int)(sizeof sizes / sizeof *sizes); k++) {
            hy_array *x, *y, *z;
            int failed;
            hy_begin(F);
            x = hy_normal(F, HY_SHAPE(sizes[k]), 0, 1);
            y = hy_call(F, net, x);
            failed = hy_error(F) != NULL;
            hy_clear(F);
            z = hy_call(F, lines, x);
            if (!CHECK(failed == (hy_error(F) != NULL) && (failed || passes_same(F, y, z))))
                printf("    case %d, %d numbers: %s\n", i, sizes[k], hy_error(F) ? hy_error(F) : "others");
            hy_clear(F);
            hy_end(F);
        }
        if (cases[i].stays && !CHECK(hy_cache_info(F, net).traces <= 2))
            printf("    case %d: %d traces: %s\n", i, (int)hy_cache_info(F, net).traces, hy_cache_info(F, net).bound);
    }
    OK(F);
    CHECK(hy_close(F) == 0);
}

static void test_len(void)
{
    RUN(len_takes_on_sizes);
    RUN(len_splits_products);
    RUN(len_of_another_trace);
    RUN(len_apart_from_programs);
    RUN(len_graphs_outside);
    RUN(len_saved_of_latest);
    RUN(len_saved_of_traces);
    RUN(len_of_others);
    RUN(len_checked);
    RUN(len_saved_within);
    RUN(len_errors_of_their_sizes);
    RUN(len_to_nothing);
    RUN(len_files);
}
