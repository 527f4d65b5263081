/* Programs that take on other sizes: an executor is bound again for types that the test gives, in the memory it has,
 * and must give every bit of a program that was compiled for these sizes. */

enum { SIZED_VALUES = 24, SIZED_WIDTH = 8, SIZED_MOST = 64 };
typedef struct sized_block {
    hy_block  base;
    uint64_t  seed;
    int       steps;
    hy_array *weight, *bias, *row;
} sized_block;

static uint32_t sized_next(uint64_t *s)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*s >> 33);
}

/* One more value of two that are (n, 8) and have as many rows. */
static hy_array *sized_step(hy_frame *F, const sized_block *b, int what, hy_array *x, hy_array *y)
{
    hy_fully_connected_opt dense;
    hy_batch_dot_opt turned;
    memset(&dense, 0, sizeof dense);
    memset(&turned, 0, sizeof turned);
    turned.transpose_b = 1;
    switch (what) {
    case 0: return hy_relu(F, x);
    case 1: return hy_add(F, x, y);
    case 2: return hy_mul(F, x, b->row);
    case 3: return hy_fully_connected(F, x, b->weight, b->bias, SIZED_WIDTH, &dense);
    case 4: return hy_softmax(F, x, -1, NULL);
    case 5: return hy_sub(F, x, hy_mean(F, x, HY_AXES(0), NULL));
    case 6: return hy_slice_axis(F, hy_concat(F, hy_group(F, x, y), 0), 0, 1, HY_NONE);
    case 7: return hy_reverse(F, x, HY_AXES(0));
    case 8: return hy_transpose(F, hy_tanh(F, hy_transpose(F, x, HY_AXES(1, 0))), HY_AXES(1, 0));
    case 9: return hy_cumsum(F, x, 0, NULL);
    case 10:                            /* attention, written out */
        x = hy_expand_dims(F, x, 0);
        y = hy_expand_dims(F, y, 0);
        y = hy_batch_dot(F, hy_softmax(F, hy_batch_dot(F, x, y, &turned), -1, NULL), y, NULL);
        return hy_reshape(F, y, HY_INTS(-1, SIZED_WIDTH), NULL);
    case 11: return hy_layer_norm(F, x, b->bias, b->row, NULL);
    case 12: return hy_get(F, hy_split(F, hy_concat(F, hy_group(F, x, y), 1), 2, 1, NULL), 1);
    case 13: return hy_erf(F, hy_sub(F, y, x));
    case 14: return hy_where(F, hy_greater(F, x, y), x, y);
    case 15:                            /* parts of what has no size, each where it lies */
        y = hy_expand_dims(F, hy_mean(F, y, HY_AXES(0), NULL), 0);
        y = hy_split(F, hy_concat(F, hy_group(F, y, hy_tanh(F, y), hy_sin(F, y), hy_cos(F, y)), 1), 2, 1, NULL);
        y = hy_slice_axis(F, hy_get(F, y, 1), 1, 0, SIZED_WIDTH);
        return hy_add(F, hy_concat(F, hy_group(F, hy_slice_axis(F, x, 1, 0, 3), hy_slice_axis(F, x, 1, 3, HY_NONE)), 1), y);
    case 16: return hy_add_scalar(F, hy_mul_scalar(F, x, 0.5), 0.25);
    case 17: return hy_mean(F, hy_stack(F, hy_group(F, x, y), 1), HY_AXES(1), NULL);
    default: return hy_take(F, x, hy_mul_scalar(F, hy_mean(F, y, HY_AXES(1), NULL), 3), 0, NULL);
    }
}

static hy_array *sized_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    sized_block *b = (sized_block *)(void *)self;
    uint64_t s = b->seed;
    hy_array *value[SIZED_VALUES], *out[2];
    int rows[SIZED_VALUES], n = 1, i, k;        /* rows: equal numbers stand for as many rows */
    value[0] = x;
    rows[0] = 0;
    for (i = 0; i < b->steps; i++) {
        int at = (int)(sized_next(&s) % (uint32_t)n), beside = (int)(sized_next(&s) % (uint32_t)n);
        int what = (int)(sized_next(&s) % 19);
        if (rows[beside] != rows[at]) beside = at;
        rows[n] = what == 6 ? n : rows[at];
        value[n] = sized_step(F, b, what, value[at], value[beside]);
        n++;
    }
    for (k = 0; k < 2; k++) out[k] = value[n - 1 - (k && n > 2)];
    return hy_group_of(F, n > 2 ? 2 : 1, out);
}

/* --- two programs of the same shape --- */
/* The type of each value of p's plan and the record of each node as q has them. 0: the programs differ in more than
 * sizes. */
static int sized_take(const hy__program *p, const hy__program *q, hy_type *type, void **record)
{
    const hy_graph *a = p->graph, *b = q->graph;
    int i, k;
    if (p->dynamic || q->dynamic || a->n != b->n || a->heads != b->heads || p->plan.values != q->plan.values) return 0;
    for (i = 0; i < a->n; i++) {
        const hy__node *x = a->node[i], *y = b->node[i];
        if (x->op != y->op || x->nin != y->nin || x->nout != y->nout || x->param != y->param || x->early != y->early)
            return 0;
        for (k = 0; k < x->nin; k++)
            if (a->place[x->in[k].node->number] != b->place[y->in[k].node->number] || x->in[k].output != y->in[k].output)
                return 0;
        if ((x->held != NULL) != (y->held != NULL)) return 0;
        if (x->held && (!hy__same_layout(&x->constant, &y->constant) || !hy__packed(&x->constant) ||
                        memcmp(x->constant.data, y->constant.data, (size_t)hy__bytes(&x->constant.type)))) return 0;
        record[x->number] = x->record;
        if (x->op == &hy__fused_op) {
            const hy_graph *s = x->sub[0], *t = y->sub[0];
            if (s->store->n != t->store->n) return 0;
            for (k = 0; k < s->store->n; k++)
                if (s->store->node[k]->op != t->store->node[k]->op ||
                    (s->store->node[k]->op && !hy__same_record(s->store->node[k]->op, s->store->node[k]->record,
                                                               t->store->node[k]->record))) return 0;
        } else if (x->op && x->op->record && !hy__same_record(x->op, x->record, y->record)) {
            if (x->early) return 0;
            record[x->number] = y->record;
        }
        for (k = 0; k < x->nout; k++) type[p->plan.first[i] + k] = y->type[k];
    }
    for (i = 0; i < a->heads; i++)
        if (a->place[a->head[i].node->number] != b->place[b->head[i].node->number] || a->head[i].output != b->head[i].output)
            return 0;
    return 1;
}

/* The frame's executor for inputs of a type, or NULL. */
static hy__executor *sized_executor(hy_frame *F, const hy_type *input)
{
    hy__kept *e = hy__table_next(&F->executors, NULL);
    for (; e; e = hy__table_next(&F->executors, e)) {
        hy__holder *h = (hy__holder *)(void *)e;
        if (h->x && h->program->inputs == 1 && hy__same_type(&h->program->input[0], input)) return h->x;
    }
    return NULL;
}

static hy_array *sized_input(hy_frame *F, int n, int at)
{
    float v[SIZED_MOST * SIZED_WIDTH];
    int i;
    for (i = 0; i < n * SIZED_WIDTH; i++) v[i] = (float)((i * 37 + at * 11) % 101 - 50) / 64;
    return hy_from(F, HY_SHAPE(n, SIZED_WIDTH), HY_F32, v);
}

/* Runs the executor as it is. */
static int sized_gives(hy_frame *F, hy__executor *x, hy_array *in, hy_array *want)
{
    hy_array *out[2], *y;
    int n = hy_count(F, want);
    y = hy__executor_run(F, x, &in, out) ? NULL : hy_group_of(F, n, out);
    return y && passes_same(F, y, want);
}

/* Calls the network with a program that is for these sizes. */
static hy_array *sized_fresh(hy_frame *F, sized_block *b, hy_array *in)
{
    hy_plan(F, &b->base, in);
    return hy_call(F, &b->base, in);
}

typedef struct sized_counts { int turned, refused, other; } sized_counts;

static void sized_network(hy_frame *F, sized_block *b, int exact, sized_counts *c)
{
    static const int sizes[] = { 7, 33, 2, 16, 64, 31, 8, 3, 17, 32, 15, 48 };
    hy_hybridize_opt opt;
    hy_type top, type[512];
    void *record[512];
    hy__executor *x;
    int i, got;
    memset(&opt, 0, sizeof opt);
    opt.exact = exact;
    hy_hybridize(F, &b->base, &opt);
    hy_begin(F);
    top = sized_input(F, SIZED_MOST, 0)->t.type;
    if (!CHECK(hy_call(F, &b->base, sized_input(F, SIZED_MOST, 0)) != NULL)) puts(hy_error(F));
    x = sized_executor(F, &top);
    if (!CHECK(x && x->program->plan.values < 512 && x->program->graph->store->n < 512)) { hy_end(F); return; }
    for (i = 0; i < (int)(sizeof sizes / sizeof *sizes); i++) {
        hy_array *in = sized_input(F, sizes[i], i), *want = sized_fresh(F, b, in);
        hy__executor *own = sized_executor(F, &in->t.type);
        int64_t calls = F->root->heap.calls;
        const hy__face *last = x->face[HY__FACES - 1];
        const char *wider = x->wider;
        if (!CHECK(own && own != NULL)) break;
        if (!sized_take(x->program, own->program, type, record)) { c->other++; continue; }
        got = hy__executor_resize(F, x, &in->t.type, type, record);
        if (!CHECK(got >= 0)) { puts(hy_error(F)); hy_clear(F); }
        if (got <= 0) { c->refused++; continue; }
        c->turned++;
        if (last && x->wider == wider) CHECK(F->root->heap.calls == calls);
        if (!CHECK(sized_gives(F, x, in, want)))
            printf("    network %d, %d rows after others, exact %d\n", (int)b->seed, sizes[i], exact);
        hy__executor_wear(x, NULL);     /* and what it was made for */
        in = sized_input(F, SIZED_MOST, i);
        CHECK(sized_gives(F, x, in, hy_call(F, &b->base, in)));
    }
    OK(F);
    hy_end(F);
}

static void sized_networks_give_the_bits_of_fresh_ones(void)
{
    hy_frame *F = tb_open(1);
    sized_counts c;
    int i;
    memset(&c, 0, sizeof c);
    for (i = 0; i < 120; i++) {
        sized_block *b = HY_BLOCK_NEW(F, sized_block, sized_forward);
        b->seed = (uint64_t)i;
        b->steps = 2 + i % 11;
        b->weight = hy_keep(F, hy_random_normal(F, HY_SHAPE(SIZED_WIDTH, SIZED_WIDTH), 0, 0.5, NULL));
        b->bias = hy_keep(F, hy_random_normal(F, HY_SHAPE(SIZED_WIDTH), 0, 1, NULL));
        b->row = hy_keep(F, hy_random_normal(F, HY_SHAPE(SIZED_WIDTH), 0, 1, NULL));
        sized_network(F, b, i & 1, &c);
        hy_block_free(F, &b->base);
    }
    CHECK(c.turned > 700);
    if (c.turned <= 700) printf("    %d turned, %d refused, %d are other programs\n", c.turned, c.refused, c.other);
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* A hybridized network of six steps. */
static sized_block *sized_net(hy_frame *F)
{
    sized_block *b = HY_BLOCK_NEW(F, sized_block, sized_forward);
    b->seed = 3;
    b->steps = 6;
    b->weight = hy_ones(F, HY_SHAPE(SIZED_WIDTH, SIZED_WIDTH));
    b->bias = b->row = hy_ones(F, HY_SHAPE(SIZED_WIDTH));
    hy_hybridize(F, &b->base, NULL);
    return b;
}

/* Without memory for other sizes the program still runs at those it wears. */
static void *sized_nothing(void *user, size_t bytes) { (void)user; (void)bytes; return NULL; }
static void sized_keeps_its_size_without_memory(void)
{
    hy_frame *F = tb_open(1);
    sized_block *b = sized_net(F);
    void *(*alloc_fn)(void *, size_t) = F->root->heap.use.alloc_fn;
    hy_array *in[3], *want[3];
    hy__executor *x, *own[3];
    hy_type type[512];
    void *record[512];
    int i;
    for (i = 0; i < 3; i++) {
        in[i] = sized_input(F, 40 - 10 * i, i);
        want[i] = sized_fresh(F, b, in[i]);
        own[i] = sized_executor(F, &in[i]->t.type);
    }
    x = own[0];
    for (i = 1; i < 3; i++) {
        if (!CHECK(x && own[i] && sized_take(x->program, own[i]->program, type, record))) break;
        hy_trim(F);
        F->root->heap.use.alloc_fn = sized_nothing;
        CHECK(hy__executor_resize(F, x, &in[i]->t.type, type, record) == (i == 1 ? -1 : 1));
        F->root->heap.use.alloc_fn = alloc_fn;
        if (i == 1) ERR(F, HY_ERROR_MEMORY, "executor");
        CHECK(sized_gives(F, x, in[i == 1 ? 0 : 2], want[i == 1 ? 0 : 2]));
        CHECK(hy__executor_resize(F, x, &in[i]->t.type, type, record) == 1);
        CHECK(sized_gives(F, x, in[i], want[i]));
        hy__executor_wear(x, NULL);
    }
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* What is larger than the memory was planned for is refused, and nothing is lost. */
static void sized_refuses_what_does_not_fit(void)
{
    hy_frame *F = tb_open(1);
    sized_block *b = sized_net(F);
    hy_array *in[2], *want[2];
    hy__executor *own[2];
    hy_type type[512];
    void *record[512];
    int i;
    for (i = 0; i < 2; i++) {
        in[i] = sized_input(F, i ? 60 : 20, i);
        want[i] = sized_fresh(F, b, in[i]);
        own[i] = sized_executor(F, &in[i]->t.type);
    }
    CHECK(own[0] && own[1] && sized_take(own[0]->program, own[1]->program, type, record));
    CHECK(!hy__executor_resize(F, own[0], &in[1]->t.type, type, record));
    CHECK(sized_gives(F, own[0], in[0], want[0]));
    OK(F);
    CHECK(hy_close(F) == 0);
}

static void test_sized(void)
{
    RUN(sized_keeps_its_size_without_memory);
    RUN(sized_refuses_what_does_not_fit);
    RUN(sized_networks_give_the_bits_of_fresh_ones);
}
