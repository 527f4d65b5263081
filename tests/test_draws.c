/* Random numbers: what is compiled, saved, loaded, computed again draws what the program line by line draws, and what draws nothing
 * takes no number. */

static hy_array *draws_two(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *u = hy_uniform_like(F, x, 0, 1), *n = hy_normal_like(F, x, 0, 1);
    (void)self;
    return hy_group(F, n, u);
}

static hy_array *draws_turn(hy_frame *F, hy_array *x, hy_array *state, void *user)
{
    hy_array *n = hy_normal_like(F, state, 0, 1), *k = hy_dropout(F, x, .5, NULL);
    (void)user;
    state = hy_add(F, hy_add(F, state, k), n);
    return hy_group(F, hy_mul(F, hy_uniform_like(F, state, 0, 1), state), state);
}

/* Of every kind, some of them unused, in another order than the outputs reach them. */
static hy_array *draws_all(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *u = hy_uniform_like(F, x, 0, 1), *n = hy_normal_like(F, x, 0, 1), *y, *z, *m;
    hy_leaky_relu_opt slopes = { 0 };
    (void)self;
    hy_exponential_like(F, x, 1);
    hy_dropout(F, x, .5, NULL);
    z = hy_dropout(F, hy_dropout(F, x, 0, NULL), .5, NULL);
    y = hy_foreach(F, draws_turn, x, hy_zeros(F, HY_SHAPE(3)), NULL);
    z = hy_leaky_relu(F, hy_negative(F, z), HY_LEAKY_ELU, &slopes);
    m = hy_sample_multinomial(F, hy_softmax(F, n, -1, NULL), HY_SHAPE(2), NULL);
    z = hy_leaky_relu(F, z, HY_LEAKY_RRELU, &slopes);
    return hy_group(F, hy_cast(F, m, HY_F32), z, n, u, hy_get(F, y, 0), hy_shuffle(F, x));
}

/* What a call gives, and what is drawn next. n numbers at most. */
static int draws_take(hy_frame *F, hy_block *net, int training, float *to, int n)
{
    hy_array *x = hy_reshape(F, hy_arange(F, 1, 7, 1), HY_INTS(2, 3), NULL), *y;
    int i, k, at = 0;
    hy_set_training(F, training);
    hy_seed(F, 7);
    for (k = 0; k < 2; k++) {
        y = hy_call(F, net, x);
        for (i = 0; i < hy_count(F, y); i++) {
            hy_array *one = hy_get(F, y, i);
            int size = (int)hy_size(F, one);
            if (hy_error(F) || at + size + 1 > n) return -1;
            memcpy(to + at, hy_data(F, one), (size_t)size * sizeof *to);
            at += size;
        }
    }
    to[at++] = (float)hy_item(F, hy_uniform(F, HY_SHAPE(1), 0, 1));
    hy_set_training(F, 0);
    return hy_error(F) ? -1 : at;
}

/* As the block itself does, line by line: hybridized, bound or not, loaded from one file, from a pair, saved anew. */
static void draws_same(hy_array *(*forward)(hy_frame *, hy_block *, hy_array *))
{
    enum { MOST = 400 };
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_block_new(F, sizeof(hy_block), "net", forward, 1), *other[6];
    hy_array *x = hy_reshape(F, hy_arange(F, 1, 7, 1), HY_INTS(2, 3), NULL), *one, *again;
    float want[MOST], got[MOST];
    int k, training, n;
    one = hy_save_model_to(F, net, x);
    other[0] = hy_load_model_from(F, hy_data(F, one), (size_t)hy_size(F, one), 0);
    other[1] = tb_reloaded(F, net, x, 0);
    again = hy_save_model_to(F, other[1], NULL);
    other[2] = hy_load_model_from(F, hy_data(F, again), (size_t)hy_size(F, again), 0);
    other[3] = hy_block_new(F, sizeof(hy_block), "net", forward, 1);
    other[4] = hy_load_model_from(F, hy_data(F, one), (size_t)hy_size(F, one), 0);
    other[5] = hy_load_model_from(F, hy_data(F, again), (size_t)hy_size(F, again), 0);
    for (k = 3; k < 6; k++) hy_hybridize(F, other[k], NULL);
    for (training = 0; training < 2; training++) {
        n = draws_take(F, net, training, want, MOST);
        CHECK(n > 10);
        for (k = 0; k < 6; k++) {
            CHECK(draws_take(F, other[k], training, got, MOST) == n);
            if (n > 0 && !CHECK(!memcmp(want, got, (size_t)n * sizeof *want))) printf("way %d, training %d\n", k, training);
        }
    }
    CHECK(!hy_error(F));
    CHECK(hy_close(F) == 0);
}

static void test_draws_loaded(void)
{
    draws_same(draws_two);
    draws_same(draws_all);
}

/* The first of the numbers drawn after seed 7 that a call left. */
static int draws_taken(hy_frame *F, float next)
{
    int k;
    hy_seed(F, 7);
    for (k = 0; k < 20; k++) if ((float)hy_item(F, hy_uniform(F, HY_SHAPE(1), 0, 1)) == next) return k;
    return -1;
}

#define DRAWS_TAKES(n, call) \
    do { hy_seed(F, 7); call; CHECK(draws_taken(F, (float)hy_item(F, hy_uniform(F, HY_SHAPE(1), 0, 1))) == (n)); } while (0)

/* What draws nothing takes no number: dropout in inference or of 0, slopes that are no chance, one recurrent layer. */
static void test_draws_nothing(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_ones(F, HY_SHAPE(2, 3)), *seq = hy_ones(F, HY_SHAPE(2, 1, 3)), *state[2], *w[2];
    hy_dropout_opt always = { 0 };
    hy_rnn_opt shares = { 0 };
    int training, k, layers;
    always.mode = HY_DROP_ALWAYS;
    for (k = 0; k < 2; k++) {
        state[k] = hy_zeros(F, HY_SHAPE(k + 1, 1, 3));
        w[k] = hy_full(F, HY_SHAPE(24 * (k + 1)), .1);
    }
    for (training = 0; training < 2; training++) {
        hy_set_training(F, training);
        DRAWS_TAKES(training, hy_dropout(F, x, .5, NULL));
        DRAWS_TAKES(0, hy_dropout(F, x, 0, NULL));
        DRAWS_TAKES(1, hy_dropout(F, x, .5, &always));
        for (k = 0; k < 3; k++) DRAWS_TAKES(training * 3, { for (layers = 0; layers < 3; layers++) hy_dropout(F, x, .5, NULL); });
        DRAWS_TAKES(training, hy_leaky_relu(F, x, HY_LEAKY_RRELU, NULL));
        DRAWS_TAKES(0, hy_leaky_relu(F, x, HY_LEAKY_LEAKY, NULL));
        DRAWS_TAKES(0, hy_leaky_relu(F, x, HY_LEAKY_GELU, NULL));
        for (layers = 1; layers <= 2; layers++)
            for (k = 0; k < 2; k++) {
                shares.p = k * .5;
                DRAWS_TAKES(training && k && layers == 2,
                            hy_rnn(F, seq, w[layers - 1], state[layers - 1], NULL, NULL, 3, layers, HY_RNN_TANH, &shares));
            }
    }
    CHECK(!hy_error(F));
    CHECK(hy_close(F) == 0);
}

/* A file that does not say what is drawn: every random operator takes a number, in the order of the file. */
static void test_draws_of_old_files(void)
{
    static const char text[] = "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []}, "
        "{\"op\": \"Dropout\", \"name\": \"drop\", \"attrs\": {\"p\": \"0.5\"}, \"inputs\": [[0, 0, 0]]}, "
        "{\"op\": \"_random_uniform_like\", \"name\": \"u\", \"inputs\": [[1, 0, 0]]}], \"arg_nodes\": [0], "
        "\"heads\": [[2, 0, 0]], \"attrs\": {%s\"mxnet_version\": [\"int\", 10901]}}";
    static const char *const says[] = { "", "\"draws\": [\"str\", \"0,0 0,1 1,2\"], ", "\"draws\": [\"str\", \"4,4 2,1 9,9\"], " };
    static const int drawn[] = { 1, 0, 2 }, taken[] = { 2, 1, 9 };
    static const char *const wrong[] = { "\"draws\": 3, ", "\"draws\": [\"str\", \"0,0 0,1\"], ", "\"draws\": [\"str\", \"0,0 0,1 1,2 3,4\"], ",
        "\"draws\": [\"str\", \"0,0 0,x 1,2\"], ", "\"draws\": [\"str\", \"0,0 0,-1 1,2\"], ", "\"draws\": [\"str\", \"\"], ",
        "\"draws\": [\"str\", \"0,0 3,3 1,2\"], ", "\"draws\": [\"str\", \"0,0 0,99999999999 1,2\"], " };
    char file[700];
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_ones(F, HY_SHAPE(1));
    hy_arrays none = { 0 };
    int i, hybrid;
    for (i = 0; i < 3; i++)
        for (hybrid = 0; hybrid < 2; hybrid++) {
            hy_block *net;
            snprintf(file, sizeof file, text, says[i]);
            net = hy_import_from(F, hy_symbol_from(F, file, strlen(file)), &none, NULL);
            if (hybrid) hy_hybridize(F, net, NULL);
            hy_seed(F, 7);
            x = hy_call(F, net, x);
            CHECK(draws_taken(F, (float)hy_item(F, x)) == drawn[i]);
            DRAWS_TAKES(taken[i], hy_call(F, net, x));
        }
    for (i = 0; i < 8; i++) {
        snprintf(file, sizeof file, text, wrong[i]);
        CHECK(!hy_symbol_from(F, file, strlen(file)));
        CHECK(hy_error_code(F) == HY_ERROR_FORMAT);
        hy_clear(F);
    }
    CHECK(hy_close(F) == 0);
}

/* A graph put into another draws its numbers where it stands. */
static void test_draws_composed(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *x = hy_var(S, "x", NULL), *u, *n, *y, *in = hy_ones(F, HY_SHAPE(2));
    hy_graph *part, *whole;
    const char *name = "x";
    float want[4];
    u = hy_uniform_like(S, x, 0, 1);
    n = hy_normal_like(S, x, 0, 1);
    part = hy_compile(S, hy_group(S, n, u));
    hy_seed(F, 7);
    y = hy_graph_run(F, part, in);
    want[0] = (float)hy_value(F, hy_get(F, y, 0), 0);
    want[1] = (float)hy_value(F, hy_get(F, y, 1), 0);
    y = hy_graph_run(F, part, in);
    want[2] = (float)hy_value(F, hy_get(F, y, 0), 0);
    want[3] = (float)hy_value(F, hy_get(F, y, 1), 0);
    {
        hy_frame *T = hy_symbolic(F);
        hy_array *v = hy_var(T, "x", NULL), *a = hy_compose(T, part, 1, &name, &v), *b = hy_compose(T, part, 1, &name, &v);
        whole = hy_compile(T, hy_group(T, hy_get(T, b, 1), hy_get(T, a, 1), hy_get(T, b, 0), hy_get(T, a, 0)));
        hy_seed(F, 7);
        y = hy_graph_run(F, whole, in);
    }
    CHECK((float)hy_value(F, hy_get(F, y, 3), 0) == want[0] && (float)hy_value(F, hy_get(F, y, 1), 0) == want[1]);
    CHECK((float)hy_value(F, hy_get(F, y, 2), 0) == want[2] && (float)hy_value(F, hy_get(F, y, 0), 0) == want[3]);
    CHECK(!hy_error(F));
    CHECK(hy_close(F) == 0);
}

#ifndef HYBRID_NO_TRAIN
/* What is computed a second time changes no number drawn: neither there nor behind it. */
static void test_draws_recomputed(void)
{
    float want[8], got[8], drop[2][12];
    int i, k;
    for (i = 0; i < 8; i++) {
        hy_frame *F = hy_open(NULL);
        hy_block *net = hy_nn_hybrid_sequential(F), *first = hy_nn_hybrid_sequential(F);
        hy_array *x = hy_ones(F, HY_SHAPE(1, 3)), *y;
        hy_append(F, first, hy_nn_dense(F, 4, NULL));
        if (i & 4) hy_append(F, first, hy_nn_dropout(F, .3, NULL));
        hy_append(F, net, first, hy_nn_dropout(F, .5, NULL));
        hy_initialize(F, net, NULL);
        if (i & 1) hy_hybridize(F, net, NULL);
        if (i & 2) hy_set_recompute(F, first, 1);
        hy_call(F, net, x);
        hy_attach_grad(F, x, HY_GRAD_WRITE);
        hy_seed(F, 1);
        hy_record(F);
        y = hy_call(F, net, x);
        hy_pause(F);
        hy_backward(F, y, NULL);
        for (k = 0; k < 4; k++) (i & 3 ? got : want)[k] = (float)hy_value(F, y, 0, k);
        for (k = 0; k < 3; k++) (i & 3 ? got : want)[k + 4] = (float)hy_value(F, hy_grad_of(F, x), 0, k);
        (i & 3 ? got : want)[7] = (float)hy_item(F, hy_uniform(F, HY_SHAPE(1), 0, 1));
        for (k = 0; k < 8 && i & 3; k++) CHECK_NEAR(got[k], want[k], k == 7 ? 0 : 1e-7);
        if (i == 0) for (k = 0; k < 4; k++) CHECK_NEAR(want[k], 0, 0);
        if (!(i & 3)) memcpy(drop[i >> 2], want, sizeof want);
        CHECK(!hy_error(F));
        CHECK(hy_close(F) == 0);
    }
    CHECK(drop[0][7] != drop[1][7]);
}
/* A loop, a branch in it and a block in that draw, some or all of them: which is a bit each. */
typedef struct draws_nest { int which; hy_block *inner; } draws_nest;
static hy_array *draws_inner(hy_frame *F, hy_block *b, hy_array *x)
{
    (void)b;
    return hy_mul(F, hy_sin(F, x), hy_dropout(F, x, .4, NULL));
}

static hy_array *draws_then(hy_frame *F, hy_array *v, void *user)
{
    const draws_nest *N = (const draws_nest *)user;
    v = hy_call(F, N->inner, v);
    return N->which & 1 ? hy_dropout(F, v, .1, NULL) : v;
}

static hy_array *draws_else(hy_frame *F, hy_array *v, void *user)
{
    (void)user;
    return hy_dropout(F, hy_square(F, v), .5, NULL);
}

static hy_array *draws_nest_turn(hy_frame *F, hy_array *x, hy_array *state, void *user)
{
    const draws_nest *N = (const draws_nest *)user;
    if (N->which & 4) x = hy_dropout(F, x, .3, NULL);
    if (N->which & 2) state = hy_cond(F, hy_sum(F, state, HY_ALL, NULL), draws_then, draws_else, state, user);
    else state = hy_call(F, N->inner, hy_add(F, state, x));
    return hy_group(F, hy_mul(F, state, x), state);
}

static hy_array *draws_nested(hy_frame *F, hy_block *b, hy_array *x)
{
    draws_nest *N = (draws_nest *)(void *)(b + 1);
    hy_array *y, *state = hy_reshape(F, hy_slice_axis(F, x, 0, 0, 1), HY_INTS(4), NULL);
    if (N->which & 8) state = hy_dropout(F, state, .1, NULL);
    y = hy_foreach(F, draws_nest_turn, x, state, N);
    return hy_dropout(F, hy_add(F, hy_get(F, y, 0), hy_get(F, y, 1)), .5, NULL);
}

/* Line by line, compiled, and with the inner block computed again: the same bits, and what is drawn next. */
static void test_draws_within(void)
{
    int which, way, k;
    for (which = 0; which < 16; which++) {
        double want[17], got[17];
        for (way = 0; way < 3; way++) {
            hy_frame *F = hy_open(NULL);
            hy_block *net = hy_block_new(F, sizeof(hy_block) + sizeof(draws_nest), "net", draws_nested, 1);
            draws_nest *N = (draws_nest *)(void *)(net + 1);
            hy_array *y, *g, *x = hy_copy(F, hy_reshape(F, hy_linspace(F, .1, 1.3, 8), HY_INTS(2, 4), NULL));
            hy_hybridize_opt exact = { 0 };
            exact.exact = 1;
            N->which = which;
            N->inner = hy_block_new(F, sizeof(hy_block), "inner", draws_inner, 1);
            hy_add_child(F, net, "inner", N->inner);
            if (way == 2) hy_set_recompute(F, N->inner, 1);
            if (way) hy_hybridize(F, net, &exact);
            hy_attach_grad(F, x, HY_GRAD_WRITE);
            hy_seed(F, 3);
            hy_record(F);
            y = hy_call(F, net, x);
            hy_pause(F);
            hy_backward(F, y, NULL);
            g = hy_grad_of(F, x);
            for (k = 0; k < 8; k++) (way ? got : want)[k] = hy_value(F, y, k / 4, k % 4);
            for (k = 0; k < 8; k++) (way ? got : want)[8 + k] = hy_value(F, g, k / 4, k % 4);
            (way ? got : want)[16] = hy_item(F, hy_uniform(F, HY_SHAPE(1), 0, 1));
            CHECK(!hy_error(F));
            CHECK(hy_close(F) == 0);
            CHECK(!way || !memcmp(want, got, sizeof want));
        }
    }
}
#endif

static void test_draws(void)
{
    RUN(test_draws_loaded);
    RUN(test_draws_nothing);
    RUN(test_draws_of_old_files);
    RUN(test_draws_composed);
#ifndef HYBRID_NO_TRAIN
    RUN(test_draws_recomputed);
    RUN(test_draws_within);
#endif
}
