/* The gradients of every operator where it stands in a branch, in a loop or in a block that is computed again: the same
 * bits, or the same error, compiled as line by line; and those of operators without a row of cases, in all ways. */
#ifdef HYBRID_NO_TRAIN
static void test_op_ways(void) { }
#else
enum { WAYS_PLAIN, WAYS_TAKEN, WAYS_OTHER, WAYS_LOOP, WAYS_AGAIN, WAYS_PLACES };
static const char *const ways_places[] = { "alone", "in a branch", "in a branch that is not taken", "in a loop", "computed again" };

/* Numbers of a whole type come out of casts of reals, and go into some, so that gradients pass. */
typedef struct ways_block {
    hy_block    base;
    hy_block   *child;                  /* is computed again */
    const char *op, *attrs;
    int         place, n, outs;
    hy_dtype    type[REF_MAX];
    hy_array   *in[REF_MAX];
    hy_type     out[REF_MAX];
} ways_block;

static hy_array *ways_op(hy_frame *F, ways_block *b, hy_array *x)
{
    hy_array *in[REF_MAX], *y, *out[REF_MAX];
    int i, n = hy_count(F, x), m;
    for (i = 0; i < n; i++) {
        in[i] = hy_get(F, x, i);
        if (in[i] && hy_dtype_of(F, in[i]) != b->type[i]) in[i] = hy_cast(F, in[i], b->type[i]);
    }
    y = hy_apply(F, b->op, n, in, b->attrs);
    m = y ? hy_count(F, y) : 0;
    if (m > REF_MAX) m = REF_MAX;
    for (i = 0; i < m; i++) {
        out[i] = hy_get(F, y, i);
        if (!hy__floating(hy_dtype_of(F, out[i]))) out[i] = hy_cast(F, out[i], HY_F32);
    }
    return m ? hy_group_of(F, m, out) : NULL;
}
static hy_array *ways_this(hy_frame *F, hy_array *x, void *user) { return ways_op(F, (ways_block *)user, x); }
static hy_array *ways_another(hy_frame *F, hy_array *x, void *user)
{
    ways_block *b = (ways_block *)user;
    hy_array *out[REF_MAX];
    int i;
    (void)x;
    for (i = 0; i < b->outs; i++) out[i] = hy_cast(F, hy_ones(F, b->out[i].shape), b->out[i].dtype);
    return hy_group_of(F, b->outs, out);
}
static hy_array *ways_turn(hy_frame *F, hy_array *x, hy_array *states, void *user)
{
    ways_block *b = (ways_block *)user;
    (void)x;
    (void)states;
    return hy_group(F, ways_op(F, b, hy_group_of(F, b->n, b->in)), NULL);
}
static hy_array *ways_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    ways_block *b = (ways_block *)(void *)self;
    hy_array *flags = hy_get(F, x, 0), *flag = hy_slice_axis(F, flags, 0, 0, 1), *in;
    int i;
    b->n = hy_count(F, x) - 1;
    for (i = 0; i < b->n; i++) b->in[i] = hy_get(F, x, i + 1);
    in = hy_group_of(F, b->n, b->in);
    switch (b->place) {
    case WAYS_TAKEN: return hy_cond(F, flag, ways_this, ways_another, in, b);
    case WAYS_OTHER: return hy_cond(F, flag, ways_another, ways_this, in, b);
    case WAYS_LOOP:  return hy_get(F, hy_foreach(F, ways_turn, flags, NULL, b), 0);
    case WAYS_AGAIN: return hy_call(F, b->child, x);
    default:         return ways_op(F, b, in);
    }
}

static void ways_again(hy_frame *F, ways_block *b)
{
    ways_block *child = HY_BLOCK_NEW(F, ways_block, ways_forward);
    hy_block base = child->base;
    *child = *b;
    child->base = base;
    b->place = WAYS_AGAIN;
    b->child = &child->base;
    hy_add_child(F, &b->base, NULL, &child->base);
    hy_set_recompute(F, &child->base, 1);
}

/* Gradients of the first or second order, and what was said. */
typedef struct ways_result { hy_array *g; hy_error_t code; char error[1024]; } ways_result;
static ways_result ways_once(hy_frame *F, hy_block *block, hy_array *x, hy_array *reals, int training, int order)
{
    static ways_result r;
    hy_grad_opt opt;
    hy_array *h;
    char *end;
    int i, k;
    for (i = 0; i < hy_count(F, reals); i++) hy_attach_grad(F, hy_get(F, reals, i), HY_GRAD_WRITE);
    hy_seed(F, 7);
    hy__set_recording(F, 1);
    hy_set_training(F, training);
    r.g = hy_call(F, block, x);
    for (k = 0; k < order && r.g; k++) {
        memset(&opt, 0, sizeof opt);
        opt.create_graph = k + 1 < order;
        h = hgrad_heads(F, r.g);
        if (h) opt.head_grads = hy__weights_like(F, h);
        r.g = h ? hy_grad(F, h, reals, &opt) : NULL;
    }
    hy__set_recording(F, 0);
    hy_set_training(F, 0);
    r.code = hy_error_code(F);
    snprintf(r.error, sizeof r.error, "%s", hy_error(F) ? hy_error(F) : "");
    if ((end = strstr(r.error, " [in ")) != NULL) *end = 0;
    hy_clear(F);
    return r;
}

/* No gradient is one of zeros. near: of a second gradient, which may add up in another order. */
static int ways_same(hy_frame *F, hy_array *a, hy_array *b, int near)
{
    int i;
    int64_t k;
    for (i = 0; b && i < hy_count(F, b); i++) {
        hy_array *p = a ? hy_get(F, a, i) : NULL, *q = hy_get(F, b, i);
        double most = 1, epsilon = hy__traits[hy_dtype_of(F, q)].epsilon, u, v;
        if (p && !hy__same_type(&p->t.type, &q->t.type)) return 0;
        for (k = 0; p && k < hy_size(F, p); k++) {
            u = fabs(hy__load((const char *)p->t.data + k * (int64_t)hy_dtype_size(p->t.type.dtype), p->t.type.dtype));
            if (u < HUGE_VAL && u > most) most = u;
        }
        for (k = 0; k < hy_size(F, q); k++) {
            u = p ? hy__load((const char *)p->t.data + k * (int64_t)hy_dtype_size(p->t.type.dtype), p->t.type.dtype) : 0;
            v = hy__load((const char *)q->t.data + k * (int64_t)hy_dtype_size(q->t.type.dtype), q->t.type.dtype);
            if (u == v || (u != u && v != v) || (near && fabs(u - v) <= 64 * epsilon * most)) continue;
            return 0;
        }
    }
    return !a || b;
}

static int ways_note_outputs(hy_frame *F, ways_block *b, const ops_inputs *in, const char *attrs, int training)
{
    hy_array *y;
    int i;
    hy_set_training(F, training);
    y = hy_apply(F, b->op, in->n, (hy_array **)(void *)in->x, attrs);
    hy_set_training(F, 0);
    for (i = 0; y && i < hy_count(F, y) && i < REF_MAX; i++) {
        b->out[i] = hy_get(F, y, i)->t.type;
        if (!hy__floating(b->out[i].dtype)) b->out[i].dtype = HY_F32;
        b->outs = i + 1;
    }
    hy_clear(F);
    return y != NULL;
}

static void ways_check(hy_frame *F, ways_block *b, hy_array *x, hy_array *reals, int training)
{
    hy_hybridize_opt exact;
    int order;
    memset(&exact, 0, sizeof exact);
    exact.exact = 1;
    for (order = 1; order < 3; order++) {
        ways_result want, got;
        exact.inactive = 1;
        hy_hybridize(F, &b->base, &exact);
        want = ways_once(F, &b->base, x, reals, training, order);
        exact.inactive = 0;
        hy_hybridize(F, &b->base, &exact);
        got = ways_once(F, &b->base, x, reals, training, order);
        if (!CHECK(got.code == want.code && !strcmp(got.error, want.error)))
            printf("    order %d: %s, was %s\n", order, got.error, want.error);
        if (!CHECK(ways_same(F, want.g, got.g, order > 1))) printf("    order %d differs\n", order);
    }
}

static void ways_case(hy_frame *F, const char *op, int number, const char *text, hy_dtype dtype, int place)
{
    ops_case c;
    ops_inputs in;
    ways_block *b = HY_BLOCK_NEW(F, ways_block, ways_forward);
    hy_array *reals[REF_MAX], *all[REF_MAX + 1];
    int i, n = 0;
    ops_open_case(&c, text);
    hy_begin(F);
    in = ops_arrays(F, hy_op_at(F, number), &c, dtype, 0);
    b->op = op;
    b->attrs = c.attrs;
    b->place = place;
    if (ways_note_outputs(F, b, &in, c.attrs, c.ref.training) || !CHECK(!hy__floating(dtype))) {   /* 2.5 is no int32 */
        all[0] = hy_ones(F, HY_SHAPE(2));
        for (i = 0; i < in.n; i++) {
            hy_array *v = in.x[i];
            b->type[i] = hy_dtype_of(F, v);
            if (c.input[i].kind != OPS_AUX && b->type[i] == dtype && !hy__floating(dtype)) v = hy_cast(F, v, HY_F32);
            if (c.input[i].kind == OPS_REAL && hy__floating(hy_dtype_of(F, v))) reals[n++] = v;
            all[i + 1] = v;
        }
        if (place == WAYS_AGAIN) {
            b->place = WAYS_PLAIN;
            ways_again(F, b);
        }
        if (n) ways_check(F, b, hy_group_of(F, in.n + 1, all), hy_group_of(F, n, reals), c.ref.training);
    }
    hy_end(F);
    hy_block_free(F, &b->base);
    ops_close_case(&c);
}

static void ways_row(hy_frame *F, const ops_row *row, hy_dtype dtype)
{
    int k, place;
    if (hy_op_at(F, row->number)->flags & HY_OP_DYNAMIC) return;
    for (k = 0; row->ref->cases[k]; k++)
        for (place = WAYS_TAKEN; place < WAYS_PLACES; place++) {
            int broken = test_broken;
            if (dtype != HY_F32 && place != WAYS_OTHER && place != WAYS_LOOP) continue;
            if (row->number == HY_OP_cast && ops_whole_case(row->ref->cases[k]) == hy__floating(dtype)) continue;
            ways_case(F, row->name, row->number, row->ref->cases[k], dtype, place);
            if (test_broken > broken)
                printf("    %s %s, %s, %s\n", row->name, row->ref->cases[k], hy_dtype_name(dtype), ways_places[place]);
        }
}

static void ways_every_operator(char letter)
{
    hy_desc desc;
    size_t i;
    memset(&desc, 0, sizeof desc);
    desc.threads = 1;
    for (i = 0; i < sizeof ops_rows / sizeof *ops_rows; i++) {
        hy_frame *F;
        if (!strchr(ops_rows[i].ref->dtypes, letter)) continue;
        F = hy_open(&desc);
        ways_row(F, &ops_rows[i], (hy_dtype)(strchr(ops_letters, letter) - ops_letters));
        CHECK(!hy_error(F) && hy_close(F) == 0);
    }
}
static void ways_of_floats(void) { ways_every_operator('f'); }
static void ways_of_16_bits(void) { ways_every_operator('b'); }
static void ways_of_whole_numbers(void) { ways_every_operator('i'); }

/* --- operators that other tests reach through gradients alone --- */
typedef struct ways_rare { const char *name; int op; const char *text; } ways_rare;
static const ways_rare ways_rares[] = {
#ifndef HYBRID_NO_VISION
    { "_bilinear_sampler_grad", HY_OP__bilinear_sampler_grad, "(2,3,2,3) (2,3,4,5) (2,2,2,3)[-0.9,0.9]" },
#endif
    { "_ctc_loss_grad", HY_OP__ctc_loss_grad, "(4,2,3) (2) (4,2,3) (2,2)int[1,2]" },
    { "_ctc_loss_grad", HY_OP__ctc_loss_grad,
      "(5,3,3) (3) (5,3,3) (3,2)int[1,2] (3)int[4,5] (3)int[0,2] | use_data_lengths=True use_label_lengths=True" },
    { "_ctc_loss_rate", HY_OP__ctc_loss_rate, "(4,2,3) (2,2)int[1,2] (4,2,3)" },
    { "_ctc_loss_rate", HY_OP__ctc_loss_rate, "(6,2,3) (2,3)int[2,2] (2)int[2,3] (6,2,3) | blank_label=last use_label_lengths=True" },
#ifndef HYBRID_NO_RNN
    { "_rnn_grad", HY_OP__rnn_grad, "(3,2,2) (3,2,3) (14)[-0.5,0.5] (1,2,2) (3,2,2)[-0.9,0.9] (12)[-0.9,0.9] | state_size=2 "
      "num_layers=1 mode=rnn_tanh" },
    { "_rnn_grad", HY_OP__rnn_grad, "(3,2,2) (3,2,3) (56)[-0.5,0.5] (1,2,2) (1,2,2) (3,2,2)[-0.9,0.9] (60)[-0.9,0.9] | state_size=2 "
      "num_layers=1 mode=lstm" },
    { "_rnn_grad", HY_OP__rnn_grad, "(3,2,2) (1,2,2) (3,2,3) (42)[-0.5,0.5] (1,2,2) (2)int[1,3] (3,2,2)[-0.9,0.9] (48)[-0.9,0.9] | "
      "state_size=2 num_layers=1 mode=gru state_outputs=True use_sequence_length=True" },
#endif
};

/* Outputs and gradients of one way: 1 has the bits of line by line on one thread. */
enum { RARE_LINE, RARE_THREADS, RARE_EXACT, RARE_EXACT_THREADS, RARE_DEFAULT, RARE_BOUND, RARE_AGAIN, RARE_LOADED, RARE_WAYS };
static void ways_rare_once(const ways_rare *rare, hy_dtype dtype, int place, int way, double *to, int *n, char *error)
{
    hy_desc desc;
    hy_frame *F;
    ops_case c;
    ops_inputs in;
    ways_block *b;
    hy_block *block;
    hy_hybridize_opt opt;
    hy_array *reals[REF_MAX], *all[REF_MAX + 1], *x, *y;
    char *memory = NULL;
    ways_result r;
    int i, k, m = 0, threads = way == RARE_THREADS || way == RARE_EXACT_THREADS;
    memset(&desc, 0, sizeof desc);
    memset(&opt, 0, sizeof opt);
    desc.threads = threads ? 3 : 1;
    F = hy_open(&desc);
    b = HY_BLOCK_NEW(F, ways_block, ways_forward);
    ops_open_case(&c, rare->text);
    in = ops_arrays(F, hy_op_at(F, rare->op), &c, dtype, 0);
    b->op = rare->name;
    b->attrs = c.attrs;
    b->place = place;
    block = &b->base;
    if (!CHECK(ways_note_outputs(F, b, &in, c.attrs, 0))) printf("    %s\n", rare->text);
    all[0] = hy_ones(F, HY_SHAPE(2));
    for (i = 0; i < in.n; i++) {
        b->type[i] = hy_dtype_of(F, all[i + 1] = in.x[i]);
        if (c.input[i].kind == OPS_REAL) reals[m++] = in.x[i];
    }
    x = hy_group_of(F, in.n + 1, all);
    if (way == RARE_AGAIN) ways_again(F, b);
    opt.exact = way != RARE_DEFAULT;
    if (way >= RARE_EXACT && way != RARE_LOADED) hy_hybridize(F, block, &opt);
    if (way == RARE_LOADED) {
        hy_array *file = hy_save_model_to(F, block, x);
        block = file ? hy_load_model_from(F, hy_data(F, file), (size_t)hy_size(F, file), 0) : NULL;
    }
    if (way == RARE_BOUND) {
        hy_plan_info info = hy_plan(F, block, x);
        memory = (char *)malloc(info.total + 64);
        hy_bind(F, block, x, memory + (64 - (uintptr_t)memory % 64), info.total);
    }
    *n = 0;
    snprintf(error, 1024, "%s", hy_error(F) ? hy_error(F) : "");
    if (!error[0]) {
        y = hy_call(F, block, x);
        for (i = 0; y && i < hy_count(F, y); i++) {
            hy_array *v = hy_cast(F, hy_get(F, y, i), HY_F64);
            for (k = 0; k < hy_size(F, v); k++) to[(*n)++] = ((const double *)hy_data(F, v))[k];
        }
        for (k = 1; k < 3; k++) {
            r = ways_once(F, block, x, hy_group_of(F, m, reals), 0, k);
            if (r.error[0]) { snprintf(error, 1024, "%s", r.error); break; }
            for (i = 0; r.g && i < hy_count(F, r.g); i++) {
                hy_array *v = hy_cast(F, hy_get(F, r.g, i), HY_F64);
                int64_t e;
                for (e = 0; e < hy_size(F, v); e++) to[(*n)++] = ((const double *)hy_data(F, v))[e];
            }
        }
    }
    hy_clear(F);
    ops_close_case(&c);
    CHECK(hy_close(F) == 0);
    free(memory);
}

static void ways_of_rare_operators(void)
{
    static const hy_dtype dtypes[] = { HY_F32, HY_F64, HY_BF16 };
    static double due[4096], got[4096];
    static char said[1024], error[1024];
    size_t i, t;
    int place, way, n, m, k;
    for (i = 0; i < sizeof ways_rares / sizeof *ways_rares; i++)
        for (t = 0; t < 3; t++)
            for (place = 0; place < WAYS_AGAIN; place++)
                for (way = 0; way < RARE_WAYS; way++) {
                    double most = 0;
                    ways_rare_once(&ways_rares[i], dtypes[t], place, way, way ? got : due, way ? &m : &n, way ? error : said);
                    if (!way || way == RARE_LOADED) {           /* gradients have no name in files */
                        if (way) CHECK(strstr(error, "no name in files") != NULL);
                        continue;
                    }
                    for (k = 0; k < n; k++) if (fabs(due[k]) > most) most = fabs(due[k]);
                    for (k = 0; k < n && k < m; k++)
                        if (fabs(got[k] - due[k]) > hy__traits[dtypes[t]].epsilon * 16 * most) break;
                    while (m > n && got[m - 1] == 0) m--;                        /* no gradient, or zeros */
                    if (!CHECK(!strcmp(said, error) && n == m && k == n))
                        printf("    %s %s, %s, way %d: %s (%s), %d of %d and %d\n", ways_rares[i].name, hy_dtype_name(dtypes[t]),
                               ways_places[place], way, error, said, k, m, n);
                }
}

static void test_op_ways(void)
{
    RUN(ways_of_floats);
    RUN(ways_of_16_bits);
    RUN(ways_of_whole_numbers);
    RUN(ways_of_rare_operators);
}
#endif
