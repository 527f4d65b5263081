/* Programs run: steps as calls of the library, bodies as functions of loops. */
#ifndef PROGRAMS_RUN_H
#define PROGRAMS_RUN_H

typedef struct pg_net pg_net;
struct pg_walk {                        /* one run of a body: where its values are */
    const pg_program *P;
    hy_array        **v, **leaf;
    hy_block *const  *layer;
    int               wide;             /* floats are f64, to see how far rounding goes */
    pg_net           *net;              /* children that are blocks; NULL: they run in place */
    hy_type          *type;             /* of each value, where that is asked for */
    const hy_len     *kept;             /* sizes that were asked for at the begin, where they may be used */
};
typedef struct pg_turn { const pg_walk *W; const pg_step *s; } pg_turn;

struct pg_net {
    hy_block base;
    const pg_program *P;
    int      body, wide;
    pg_net  *top, *child[PG_BODIES];
    hy_array *leaf[PG_LEAVES];          /* of the top; inputs are filled in by its forward */
    hy_block *layer[PG_LAYERS];         /* of the top, too */
};

static hy_array *pg_ref(const pg_walk *W, int ref) { return ref < 0 ? W->leaf[~ref] : W->v[ref]; }

static hy_array *pg_pack(hy_frame *F, const pg_walk *W, int n, const int *refs)
{
    hy_array *x[PG_IN + PG_OUT];
    int i;
    for (i = 0; i < n; i++) x[i] = pg_ref(W, refs[i]);
    return n == 0 ? NULL : n == 1 ? x[0] : hy_group_of(F, n, x);
}
static void pg_unpack(hy_frame *F, hy_array *x, int n, hy_array **to)
{
    int i;
    for (i = 0; i < n; i++) to[i] = n == 1 ? x : hy_get(F, x, i);
}

static void pg_note_types(const pg_walk *W, int from, int n)
{
    int k;
    for (k = from; k < from + n && W->type; k++) if (W->v[k]) W->type[k] = W->v[k]->t.type;
}
static void pg_run_body(hy_frame *F, const pg_walk *W, int body)
{
    const pg_body *b = &W->P->body[body];
    int i, k;
    pg_note_types(W, b->arg, b->narg);
    for (i = 0; i < b->n && !hy_error(F); i++) {
        const pg_step *s = &W->P->step[b->step[i]];
        hy_array *y = pg_run_step(F, W, s);
        for (k = 0; k < s->nout; k++) W->v[s->out + k] = s->nout == 1 ? y : hy_get(F, y, k);
        pg_note_types(W, s->out, s->nout);
    }
}

/* --- what loops call --- */
static hy_array *pg_foreach_turn(hy_frame *F, hy_array *x, hy_array *states, void *user)
{
    const pg_turn *t = (const pg_turn *)user;
    const pg_body *b = &t->W->P->body[t->s->body[0]];
    pg_unpack(F, x, t->s->n, t->W->v + b->arg);
    pg_unpack(F, states, t->s->nstate, t->W->v + b->arg + t->s->n);
    pg_run_body(F, t->W, t->s->body[0]);
    return hy_group(F, pg_pack(F, t->W, b->nout, b->out), pg_pack(F, t->W, b->nstate, b->state));
}
static hy_array *pg_while_asks(hy_frame *F, hy_array *x, void *user)
{
    const pg_turn *t = (const pg_turn *)user;
    return hy_lesser_scalar(F, t->s->nstate == 1 ? x : hy_get(F, x, 0), t->s->by);
}
static hy_array *pg_while_turn(hy_frame *F, hy_array *x, void *user)
{
    const pg_turn *t = (const pg_turn *)user;
    const pg_body *b = &t->W->P->body[t->s->body[0]];
    pg_unpack(F, x, t->s->nstate, t->W->v + b->arg);
    pg_run_body(F, t->W, t->s->body[0]);
    return hy_group(F, pg_pack(F, t->W, b->nout, b->out), pg_pack(F, t->W, b->nstate, b->state));
}
static hy_array *pg_branch(hy_frame *F, hy_array *x, const pg_turn *t, int which)
{
    const pg_body *b = &t->W->P->body[t->s->body[which]];
    pg_unpack(F, x, t->s->nstate, t->W->v + b->arg);
    pg_run_body(F, t->W, t->s->body[which]);
    return pg_pack(F, t->W, b->nout, b->out);
}
static hy_array *pg_then(hy_frame *F, hy_array *x, void *user)
{ return pg_branch(F, x, (const pg_turn *)user, 0); }
static hy_array *pg_else(hy_frame *F, hy_array *x, void *user)
{ return pg_branch(F, x, (const pg_turn *)user, 1); }

/* Outputs and states of a loop as one group. */
static hy_array *pg_flat(hy_frame *F, hy_array *r, int nout, int nstate)
{
    hy_array *x[2 * PG_OUT];
    if (!r) return NULL;
    if (nout) pg_unpack(F, hy_get(F, r, 0), nout, x);
    if (nstate) pg_unpack(F, hy_get(F, r, 1), nstate, x + nout);
    return nout + nstate == 1 ? x[0] : hy_group_of(F, nout + nstate, x);
}

static hy_array *pg_in_f64(hy_frame *F, hy_array *y)
{
    hy_array *x[32];
    int i, n = hy_count(F, y);
    if (!y || n > 32) return y;
    for (i = 0; i < n; i++) {
        x[i] = hy_get(F, y, i);
        if (hy__floating(hy_dtype_of(F, x[i]))) x[i] = pg_shaken(F, hy_cast(F, x[i], HY_F64));
    }
    return n == 1 ? x[0] : hy_group_of(F, n, x);
}

/* What a step gives, moved if the run is. */
static hy_array *pg_moved(hy_frame *F, const pg_walk *W, hy_array *y, int all)
{
    hy_array *x[32];
    int i, n;
    if (W->wide) return pg_in_f64(F, y);
    n = pg_nudge ? hy_count(F, y) : 0;
    if (!y || n < 1 || n > 32) return y;
    for (i = 0; i < n; i++) x[i] = pg_nudged(F, hy_get(F, y, i), all);
    return n == 1 ? x[0] : hy_group_of(F, n, x);
}

/* A fault on purpose, to see that it is found and made small: this operator is off by one in graphs. */
static const char *pg_planted;

/* Does an operator add up parts of numbers? Then whole numbers that it gives are no indices: another order
 * gives them but for the last bit. */
static int pg_weighs(const char *op)
{
    static const char *const words[] = { "conv", "dot", "fully", "gemm", "matmul", "rnn", "attention",
                                         "einsum", "norm", "softmax", "mean", "resize", "interleaved",
                                         "scores", "weighted" };
    size_t k = 0;
    while (k < sizeof words / sizeof *words && !strstr(op, words[k])) k++;
    return k < sizeof words / sizeof *words;
}

/* Of a run in f64: as files of ONNX have it before opset 20, x / 2 (1 + erf(x / sqrt(2))), whose terms may
 * cancel. */
static int pg_written_out;
static hy_array *pg_written_gelu(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *y = pg_shaken(F, hy_erf(F, hy_mul_scalar(F, x, 0.7071067811865476)));
    (void)self;
    return hy_mul(F, hy_mul_scalar(F, x, 0.5), pg_shaken(F, hy_add_scalar(F, y, 1)));
}
static void pg_write_out(hy_frame *F, hy_block *block, void *user)
{
    (void)F; (void)user;
    if (!strcmp(block->kind, "GELU")) block->forward = pg_written_gelu;
}

static hy_array *pg_run_op(hy_frame *F, const pg_walk *W, const pg_step *s)
{
    hy_array *x[PG_IN], *y;
    int i;
    for (i = 0; i < s->n; i++) x[i] = pg_ref(W, s->in[i]);
    if (W->wide && !strcmp(s->op, "cast") && strstr(s->attrs, "float")) return hy_cast(F, x[0], HY_F64);
    if (W->wide && pg_written_out && !strcmp(s->op, "leaky_relu") && strstr(s->attrs, "act_type=gelu"))
        return pg_shaken(F, pg_written_gelu(F, NULL, x[0]));
    y = hy_apply(F, s->op, s->n, x, s->attrs);
    if (pg_planted && y && y->node && !strcmp(s->op, pg_planted)) y = hy_add_scalar(F, y, 1);
    return pg_nudge || W->wide ? pg_moved(F, W, y, pg_weighs(s->op)) : y;
}

static hy_array *pg_run_len(hy_frame *F, const pg_walk *W, const pg_step *s)
{
    hy_array *x[PG_IN];
    int i, a[PG_NUMBERS];
    pg_layer_numbers(s->attrs, a);
    for (i = 0; i < s->n; i++) x[i] = pg_ref(W, s->in[i]);
    return pg_moved(F, W, len_step(F, s->op, s->n, x, a, W->kept), pg_weighs(s->op));
}

static hy_array *pg_run_step(hy_frame *F, const pg_walk *W, const pg_step *s)
{
    const pg_body *b = &W->P->body[s->body[0]];
    pg_turn t;
    hy_array *r, *one;
    t.W = W;
    t.s = s;
    switch (s->kind) {
    case PG_FOREACH:
        r = hy_foreach(F, pg_foreach_turn, pg_pack(F, W, s->n, s->in), pg_pack(F, W, s->nstate, s->state),
                       &t);
        return pg_flat(F, r, b->nout, b->nstate);
    case PG_WHILE:
        r = hy_while_loop(F, pg_while_asks, pg_while_turn, pg_pack(F, W, s->nstate, s->state), s->limit, &t);
        return pg_flat(F, r, b->nout, b->nstate);
    case PG_COND:
        return hy_cond(F, pg_ref(W, s->in[0]), pg_then, pg_else, pg_pack(F, W, s->nstate, s->state), &t);
    case PG_CHILD:
        one = pg_pack(F, W, s->n, s->in);
        if (W->net && W->net->child[s->body[0]]) return hy_call(F, &W->net->child[s->body[0]]->base, one);
        pg_unpack(F, one, s->n, W->v + b->arg);
        pg_run_body(F, W, s->body[0]);
        return pg_pack(F, W, b->nout, b->out);
    case PG_LAYER_CALL:
        one = pg_pack(F, W, s->n, s->in);               /* beside numbers of its own, which nobody moves */
        if (!W->wide && strcmp(s->op, "embedding")) one = pg_moved(F, W, one, 1);
        return pg_moved(F, W, hy_call(F, W->layer[s->layer], one), 0);
    case PG_LEN: return pg_run_len(F, W, s);
    default: return pg_run_op(F, W, s);
    }
}
#endif
