/* Programs made up at random: line by line and compiled in many ways they give the same. Every program is a
 * function of its number, so a failure can be run again: ./all random_net prints it. */
typedef struct random_net {
    hy_block base;
    uint32_t seed;
    int      steps, norm;               /* norm: running statistics are written and read */
    hy_array *weight, *row, *outside, *gamma, *beta, *mean, *var;
} random_net;

static uint32_t random_net_next(uint32_t *state, uint32_t n)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 12) % n;
}

static hy_array *random_net_norm(hy_frame *F, random_net *net, hy_array *a)
{
    return hy_get(F, hy_batch_norm(F, a, net->gamma, net->beta, net->mean, net->var, NULL), 0);
}

/* One step on a and b, which are (4,4); the result is (4,4) and stays small. */
static hy_array *random_net_step(hy_frame *F, random_net *net, uint32_t *state, hy_array *a, hy_array *b)
{
    hy_fully_connected_opt no;
    hy_reduce_opt keep;
    memset(&no, 0, sizeof no);
    memset(&keep, 0, sizeof keep);
    no.no_bias = 1;
    keep.keepdims = 1;
    switch (random_net_next(state, net->norm ? 44 : 34)) {
    case 0: return hy_tanh(F, hy_add(F, a, b));
    case 1: return hy_sub(F, hy_sigmoid(F, a), b);
    case 2: return hy_mul(F, hy_tanh(F, a), b);
    case 3: return hy_maximum(F, a, b);
    case 4: return hy_relu(F, a);
    case 5: return hy_abs(F, hy_negative(F, a));
    case 6: return hy_mul_scalar(F, a, 1);
    case 7: return hy_add_scalar(F, hy_mul_scalar(F, a, 0.5), 0);
    case 8: return hy_add_scalar(F, hy_sub_scalar(F, a, 0.25), 0.25);
    case 9: return hy_transpose(F, a, HY_AXES(1, 0));
    case 10: return hy_transpose(F, hy_transpose(F, a, HY_AXES(1, 0)), HY_AXES(1, 0));
    case 11: return hy_reshape(F, hy_reshape(F, a, HY_INTS(2, 8), NULL), HY_INTS(4, -1), NULL);
    case 12: return hy_softmax(F, a, (int)random_net_next(state, 2), NULL);
    case 13: return hy_add(F, a, hy_mean(F, b, HY_AXES(0), &keep));
    case 14: return hy_sub(F, a, hy_mean(F, a, HY_AXES(1), &keep));
    case 15: return hy_tanh(F, hy_fully_connected(F, a, net->weight, NULL, 4, &no));
    case 16: return hy_tanh(F, hy_add(F, a, net->row));
    case 17: return hy_tanh(F, hy_add(F, a, net->outside));
    case 18: return hy_slice_axis(F, hy_concat(F, hy_group(F, a, b), 0), 0, 2, 6);
    case 19: return hy_concat(F, hy_split(F, a, 2, 1, NULL), 1);
    case 20: return hy_get(F, hy_split(F, hy_concat(F, hy_group(F, a, b), 1), 2, 1, NULL), 1);
    case 21: return hy_add(F, a, hy_full(F, HY_SHAPE(4), 0.125));
    case 22: return hy_mul(F, a, hy_mul(F, hy_full(F, HY_SHAPE(1), 0.5), hy_full(F, HY_SHAPE(1), 2)));
    case 23: return hy_tanh(F, hy_dot(F, a, b, NULL));
    case 24: return hy_cast(F, hy_cast(F, a, HY_F64), HY_F32);
    case 25: return hy_where(F, hy_greater(F, a, b), a, b);
    case 26: return hy_clip(F, a, -0.5, 0.5);
    case 27: return hy_dropout(F, a, 0.5, NULL);        /* inference: nothing */
    case 28: return hy_add(F, a, hy_uniform(F, HY_SHAPE(4, 4), -0.1, 0.1));
    case 29: return hy_sort(F, a, 1, NULL);
    case 30: return hy_broadcast_to(F, hy_slice_axis(F, a, 0, 1, 2), HY_INTS(4, 4));
    case 31: return hy_tanh(F, hy_add_n(F, hy_group(F, a, b, a)));
    case 32: return hy_flatten(F, hy_expand_dims(F, a, 1));
    case 34: case 35: case 36: return hy_tanh(F, random_net_norm(F, net, a));
    case 37: random_net_norm(F, net, b); return hy_relu(F, a);          /* for its statistics alone */
    case 38: return hy_tanh(F, hy_add(F, a, net->mean));
    case 39: return hy_tanh(F, hy_mul(F, a, hy_sqrt(F, hy_add_scalar(F, net->var, 1))));
    case 40: return hy_add(F, a, hy_mul_scalar(F, net->mean, 1));
    case 41: return hy_add(F, a, hy_reshape(F, hy_reshape(F, net->mean, HY_INTS(2, 2), NULL), HY_INTS(1, 4), NULL));
    case 42: return hy_sub(F, a, hy_transpose(F, hy_expand_dims(F, net->var, 1), HY_AXES(1, 0)));
    default: return hy_identity(F, a);
    }
}

static hy_array *random_net_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    random_net *net = (random_net *)(void *)self;
    uint32_t state = net->seed * 2654435761u + 12345;
    hy_array *value[64], *out[3];
    int n = 2, i;
    value[0] = hy_get(F, x, 0);
    value[1] = hy_get(F, x, 1);
    tb_runs++;
    for (i = 0; i < net->steps; i++, n++) {
        uint32_t near = (uint32_t)(n < 6 ? n : 6);
        hy_array *a = value[n - 1 - (int)random_net_next(&state, near)];
        value[n] = random_net_step(F, net, &state, a, value[random_net_next(&state, (uint32_t)n)]);
    }
    out[0] = value[n - 1];
    out[1] = value[random_net_next(&state, (uint32_t)n)];
    out[2] = hy_sum(F, value[n - 2], HY_AXES(0), NULL);
    return hy_group_of(F, 3, out);
}

static hy_block *random_net_new(hy_frame *F, int number)
{
    random_net *net = (random_net *)(void *)hy_block_new(F, sizeof *net, "random", random_net_forward, 1);
    net->seed = (uint32_t)number;
    net->steps = 3 + number % 40;
    net->weight = hy_add_param(F, &net->base, "weight", HY_SHAPE(4, -1), NULL);
    net->row = hy_add_param(F, &net->base, "row", HY_SHAPE(4), NULL);
    net->outside = hy_keep(F, tb_ramp(F, HY_SHAPE(4, 4)));
    return &net->base;
}

/* The results of three calls, the second after parameters and the outside constant changed. */
static void random_net_run(hy_frame *F, random_net *net, hy_array *x, hy_array **result)
{
    hy_array *w = net->weight, *c = net->outside;
    int i, k;
    hy_seed(F, 7);
    for (i = 0; i < 3; i++) {
        hy_array *y;
        if (hy_param_ready(F, w)) hy_fill(F, w, 0.125 * i);
        hy_fill(F, net->row, 0.25 - i);
        hy_fill(F, c, 0.5 * i);
        y = hy_call(F, &net->base, x);
        for (k = 0; k < 3; k++) result[3 * i + k] = y ? hy_get(F, y, k) : NULL;
    }
}

static void random_net_check(int number)
{
    static const struct { int off, exact, same; } way[] = {
        { HY_PASS_ALL, 0, 1 }, { 0, 1, 1 }, { 0, 0, 0 }, { HY_PASS_FUSE, 1, 1 },
            { HY_PASS_ALL & ~HY_PASS_FUSE, 1, 1 },
        { HY_PASS_REUSE | HY_PASS_INPLACE, 0, 0 }, { HY_PASS_ALL & ~(HY_PASS_REUSE | HY_PASS_INPLACE), 0,
            1 } };
    hy_frame *F = tb_open(5);
    hy_block *net = random_net_new(F, number);
    hy_array *want[9], *got[9], *x = hy_group(F, tb_ramp(F, HY_SHAPE(4, 4)), hy_sin(F, tb_ramp(F, HY_SHAPE(4,
            4))));
    size_t i;
    int k;
    hy_initialize(F, net, NULL);
    random_net_run(F, (random_net *)(void *)net, x, want);             /* settles the deferred shape */
    random_net_run(F, (random_net *)(void *)net, x, want);
    OK(F);
    for (i = 0; i < sizeof way / sizeof *way && !test_broken; i++) {
        hy_hybridize_opt opt;
        memset(&opt, 0, sizeof opt);
        opt.off = way[i].off;
        opt.exact = way[i].exact;
        hy_hybridize(F, net, &opt);
        tb_runs = 0;
        random_net_run(F, (random_net *)(void *)net, x, got);
        OK(F);
        CHECK(tb_runs == 1);
        for (k = 0; k < 9; k++)
            if (!CHECK(way[i].same ? tb_same(F, got[k], want[k]) : tb_close(F, got[k], want[k]))) {
                char text[4000];
                printf("    program %d, off %d, exact %d: call %d, result %d\n", number, way[i].off,
                        way[i].exact, k / 3,
                       k % 3);
                hy_graph_text(hy_graph_of(F, net), HY_FORM_LINES, text, sizeof text);
                printf("%s", text);
                break;
            }
    }
    CHECK(hy_close(F) == 0);
}

static void random_net_modes_agree(void)
{
    int number;
    for (number = 0; number < 400 && !test_broken; number++) random_net_check(number);
}

/* The same in training, with running statistics: results, statistics and gradients of three steps. */
static void random_net_train(hy_frame *F, random_net *net, hy_array *x, int record, hy_array **result)
{
    int i;
    hy_seed(F, 7);
    hy_fill(F, net->mean, 0.25);
    hy_fill(F, net->var, 1);
    for (i = 0; i < 3; i++) {
        hy_array *y;
        hy_fill(F, net->row, 0.25 - i);
        if (record) hy_record(F); else hy_set_training(F, 1);
        y = hy_call(F, &net->base, x);
        if (record) hy_pause(F); else hy_set_training(F, 0);
        result[6 * i] = y ? hy_get(F, y, 0) : NULL;
        result[6 * i + 1] = y ? hy_get(F, y, 1) : NULL;
        result[6 * i + 2] = y ? hy_get(F, y, 2) : NULL;
        if (record && y) hy_backward(F, result[6 * i + 2], NULL);
        result[6 * i + 3] = hy_copy(F, net->mean);
        result[6 * i + 4] = hy_copy(F, net->var);
        result[6 * i + 5] = record ? hy_copy(F, hy_grad_of(F, hy_get(F, x, 0))) : hy_copy(F, net->mean);
    }
}

static void random_net_check_training(int number)
{
    static const struct { int off, exact, record; } way[] = {
        { 0, 1, 0 }, { HY_PASS_ALL, 0, 0 }, { 0, 0, 0 }, { HY_PASS_FUSE, 1, 0 }, { 0, 1, 1 }, { 0, 0, 1 } };
    hy_frame *F = tb_open(5);
    random_net *net = (random_net *)(void *)random_net_new(F, number);
    hy_param_opt aux;
    hy_array *want[2][18], *got[18], *x = hy_group(F, tb_ramp(F, HY_SHAPE(4, 4)),
                                                   hy_sin(F, tb_ramp(F, HY_SHAPE(4, 4))));
    size_t i;
    int k, passive = 0;
    memset(&aux, 0, sizeof aux);
    aux.aux = 1;
    net->norm = 1;
    net->gamma = hy_add_param(F, &net->base, "gamma", HY_SHAPE(4), NULL);
    net->beta = hy_add_param(F, &net->base, "beta", HY_SHAPE(4), NULL);
    net->mean = hy_add_param(F, &net->base, "mean", HY_SHAPE(4), &aux);
    net->var = hy_add_param(F, &net->base, "var", HY_SHAPE(4), &aux);
    hy_initialize(F, &net->base, NULL);
    hy_call(F, &net->base, x);          /* settles the deferred shape */
    hy_attach_grad(F, hy_get(F, x, 0), HY_GRAD_WRITE);
    for (i = 0; i < 2; i++) {
        random_net_train(F, net, x, (int)i, want[i]);
        if (i && hy_error(F) && strstr(hy_error(F), "was not computed from")) passive = 1;
        if (passive) hy_clear(F);
    }
    OK(F);
    for (i = 0; i < sizeof way / sizeof *way && !test_broken; i++) {
        hy_hybridize_opt opt;
        memset(&opt, 0, sizeof opt);
        opt.off = way[i].off;
        opt.exact = way[i].exact;
        if (way[i].record && passive) continue;         /* the result does not depend on the input */
        hy_hybridize(F, &net->base, &opt);
        random_net_train(F, net, x, way[i].record, got);
        OK(F);
        for (k = 0; k < 18; k++) {
            int bits = (way[i].exact || way[i].off) && k % 6 < 5;       /* gradients add up in another order */
            hy_array *due = want[way[i].record][k];
            if (CHECK(bits ? tb_same(F, got[k], due) : tb_close(F, got[k], due))) continue;
            printf("    program %d, off %d, exact %d, record %d: call %d, result %d\n", number, way[i].off,
                   way[i].exact, way[i].record, k / 6, k % 6);
            break;
        }
    }
    CHECK(hy_close(F) == 0);
}

static void random_net_statistics_agree(void)
{
    int number;
    for (number = 0; number < 300 && !test_broken; number++) random_net_check_training(number);
}

static void test_random_net(void)
{
    RUN(random_net_modes_agree);
    RUN(random_net_statistics_agree);
}
