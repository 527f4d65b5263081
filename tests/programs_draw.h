/* Programs drawn: loops, branches, child blocks, what is wrong on purpose, and the whole. */
#ifndef PROGRAMS_DRAW_H
#define PROGRAMS_DRAW_H

/* --- drawing loops, branches and children --- */
static const ops_input pg_plain = { OPS_REAL, -2, 2 };

static int pg_open_body(pg_maker *M)
{
    if (M->P->nbody == PG_BODIES) return -1;
    memset(&M->P->body[M->P->nbody], 0, sizeof M->P->body[0]);
    M->P->body[M->P->nbody].arg = M->P->nvalue;
    return M->P->nbody++;
}
/* A value that the body's caller fills in; x: what it is like while the body is drawn. */
static int pg_argument(pg_maker *M, int body, hy_array *x, int like)
{
    if (!x || M->P->nvalue == PG_VALUES || hy_error(M->F)) { hy_clear(M->F); return 0; }
    M->v[M->P->nvalue] = x;
    M->P->fact[M->P->nvalue].used = 0;
    M->P->fact[M->P->nvalue].coarse = pg_coarse_of(M, like);
    M->P->type[M->P->nvalue] = x->t.type;
    M->P->body[body].narg++;
    M->seen[M->nseen++] = M->P->nvalue++;
    return 1;
}
static hy_array *pg_row_of(hy_frame *F, hy_array *x)
{
    hy_shape s = hy_shape_of(F, x), row = s;
    int d;
    if (s.ndim == 1) row.dim[0] = 1;
    else for (row.ndim--, d = 0; d < row.ndim; d++) row.dim[d] = s.dim[d + 1];
    if (!s.dim[0]) return hy_cast(F, hy_zeros(F, row), hy_dtype_of(F, x));
    return hy_copy(F, hy_view_reshape(F, hy_slice_axis(F, x, 0, 0, 1), row));
}
static void pg_draw_steps(pg_maker *M, int n);

/* A value of the body that has the type of x: an own one, made to fit. */
static int pg_len_alike(pg_maker *M, int ref, hy_array *x);
static int pg_len_one(pg_maker *M);
static int pg_draw_len(pg_maker *M);
static int pg_alike(pg_maker *M, hy_array *x, const char *what, int k)
{
    int from = pg_pick(M, what, k), ref;
    if (from == PG_NOTHING) return from;
    if (M->sized) return pg_len_alike(M, from, x);
    ref = pg_fit_shape(M, from, hy_shape_of(M->F, x));
    if (ref == PG_NOTHING || hy_dtype_of(M->F, pg_made(M, ref)) == hy_dtype_of(M->F, x)) return ref;
    return pg_fit(M, ref, hy_dtype_of(M->F, x), hy_shape_of(M->F, x), &pg_plain);
}

typedef struct pg_place { int body, nseen, depth, owner, seen[PG_VALUES]; } pg_place;
static pg_place pg_enter(pg_maker *M, int body)
{
    pg_place old;
    old.body = M->body;
    old.nseen = M->nseen;
    old.depth = M->depth;
    old.owner = M->owner;
    memcpy(old.seen, M->seen, sizeof old.seen);
    M->body = body;
    M->depth++;
    return old;
}
static void pg_leave(pg_maker *M, pg_place old)
{
    M->body = old.body;
    M->nseen = old.nseen;
    M->depth = old.depth;
    M->owner = old.owner;
    memcpy(M->seen, old.seen, sizeof old.seen);
}

/* A value that is none of these, mostly: where one array goes two ways its gradient may add in another
 * order. */
static int pg_pick_apart(pg_maker *M, const char *what, int i, const int *refs, int n)
{
    int k, tries, ref = PG_NOTHING;
    for (tries = 0; tries < 4; tries++) {
        ref = pg_pick(M, what, i + 16 * tries);
        for (k = 0; k < n && refs[k] != ref; k++) continue;
        if (k == n) break;
    }
    return ref;
}
/* A first state of a loop; at times of as many dims as there may be. */
static int pg_first_state(pg_maker *M, pg_step *s, int i)
{
    hy_shape have, wide;
    int d, ref = pg_pick_apart(M, "first state", i, s->state, i);
    if (ref == PG_NOTHING || M->sized || pg_choose(M, "wide", i, 10)) return ref;
    have = hy_shape_of(M->F, pg_made(M, ref));
    wide = have;
    for (wide.ndim = HY_MAX_DIM, d = 0; d < HY_MAX_DIM; d++)
        wide.dim[d] = d < HY_MAX_DIM - have.ndim ? 1 : have.dim[d - HY_MAX_DIM + have.ndim];
    return pg_reshaped(M, ref, wide);
}
/* In half of the bodies what the states begin with is not seen. */
static void pg_hide_states(pg_maker *M, const pg_step *s)
{
    int i, k, n = 0;
    if (pg_choose(M, "hide", 0, 2)) return;
    for (i = 0; i < M->nseen; i++) {
        for (k = 0; k < s->nstate && s->state[k] != M->seen[i]; k++) continue;
        if (k == s->nstate) M->seen[n++] = M->seen[i];
    }
    M->nseen = n;
}

/* One of the outputs several times; or what is a state, too. Their gradients add. */
static void pg_give_again(pg_maker *M, pg_body *b)
{
    int i, k, n = 1 + pg_choose(M, "how often again", 0, 3);
    if (!b->nout && !b->nstate && (M->owner || M->P->number >= PG_FOURTH)) return;  /* there is none */
    for (i = 0; i < n && b->nout < PG_OUT - 1; i++) {
        k = b->nstate && (!b->nout || !pg_choose(M, "a state again", i, 4))
            ? b->state[pg_choose(M, "which state again", i, b->nstate)]
            : b->out[pg_choose(M, "which again", i, b->nout)];
        if (hy_ndim(M->F, pg_made(M, k)) < HY_MAX_DIM) b->out[b->nout++] = k;
    }
}
/* Outputs of a loop's body; and its states, like those that it was given. */
static int pg_draw_results(pg_maker *M, pg_step *s, int body, int first)
{
    pg_body *b = &M->P->body[body];
    int i, n = pg_choose(M, "outputs", 0, 3);
    for (i = first; i < s->nstate; i++) {
        int k = pg_alike(M, M->v[b->arg + s->n * (s->kind == PG_FOREACH) + i], "state", i);
        if (k == PG_NOTHING) return 0;
        b->state[i] = k;
    }
    b->nstate = s->nstate;
    if (!n && !b->nstate) n = 1;
    for (i = 0; i < n; i++) {
        int k = pg_pick(M, "output", i), own = M->nseen;
        while (own && M->seen[own - 1] >= b->arg + b->narg) own--;      /* what the body made */
        if (own < M->nseen && pg_choose(M, "own", i, 4))
            k = M->seen[own + pg_choose(M, "own output", i, M->nseen - own)];
        if (k == PG_NOTHING) return 0;
        if (hy_ndim(M->F, pg_made(M, k)) < HY_MAX_DIM) b->out[b->nout++] = k;
    }
    if (M->P->number >= PG_THIRD && !pg_choose(M, "again", 0, 4)) pg_give_again(M, b);
    return 1;
}

static pg_walk pg_walk_of(const pg_maker *M)
{
    pg_walk W;
    memset(&W, 0, sizeof W);
    W.P = M->P;
    W.v = (hy_array **)M->v;
    W.leaf = (hy_array **)M->leaf;
    W.layer = M->layer;
    return W;
}
/* What a loop gives three times is used three ways, so that three gradients arrive. */
static void pg_join_again(pg_maker *M, const pg_step *loop)
{
    static const char *const ops[] = { "sin", "tanh", "square" };
    const pg_body *b = &M->P->body[loop->body[0]];
    hy_array *x[3];
    pg_step s;
    int i, k, n;
    memset(&s, 0, sizeof s);
    for (i = 0; i + 2 < b->nout && M->P->number >= PG_THIRD && s.n < 3; i++)
        for (s.n = 0, k = i; k < b->nout && s.n < 3; k++)
            if (b->out[k] == b->out[i]) s.in[s.n++] = loop->out + k;
    if (s.n < 3 || !hy__floating(hy_dtype_of(M->F, pg_made(M, s.in[0])))) return;
    for (n = 0; n < 3; n++) {
        s.in[n] = pg_glue(M, s.in[n], ops[n], "%s", "");
        if (s.in[n] == PG_NOTHING) return;
        x[n] = pg_made(M, s.in[n]);
    }
    strcpy(s.op, "concat");
    strcpy(s.attrs, "dim=0");
    k = pg_keep_step(M, &s, hy_apply(M->F, s.op, 3, x, s.attrs));
    if (k != PG_NOTHING) pg_show(M, k);
}
static int pg_keep_control(pg_maker *M, pg_step *s)
{
    pg_walk W = pg_walk_of(M);
    int out = pg_keep_step(M, s, pg_run_step(M->F, &W, s));
    if (out == PG_NOTHING) return out;
    M->P->loops |= s->kind != PG_CHILD;
    M->P->children |= s->kind == PG_CHILD;
    pg_show(M, out);
    if (s->kind == PG_FOREACH || s->kind == PG_WHILE) pg_join_again(M, s);
    return out;
}

/* A row (1, 3) times weights, which a graph may do for all rows before the loop. */
static void pg_draw_product(pg_maker *M, int row, int units)
{
    hy_array *x[2];
    pg_step s;
    memset(&s, 0, sizeof s);
    strcpy(s.op, "fully_connected");
    snprintf(s.attrs, sizeof s.attrs, "num_hidden=%d no_bias=True", units);
    s.n = 2;
    s.in[0] = row;
    s.in[1] = pg_add_leaf(M, M->owner ? PG_CONST : PG_PARAM, HY_F32, hy__shape2(units, 3), &pg_plain);
    if (s.in[1] == PG_NOTHING) return;
    x[0] = pg_made(M, row);
    x[1] = pg_made(M, s.in[1]);
    pg_show(M, pg_keep_step(M, &s, hy_apply(M->F, s.op, 2, x, s.attrs)));
}
static int pg_draw_foreach(pg_maker *M)
{
    pg_step s;
    pg_place old;
    hy_shape rows = { 2, { 0, 2 } }, lines = { 3, { 0, 1, 3 } };
    int i, body, ok = 1, product = 0;
    memset(&s, 0, sizeof s);
    s.kind = PG_FOREACH;
    s.n = 1 + (pg_choose(M, "more", 0, 4) == 0);
    s.nstate = pg_choose(M, "states", 0, 3);
    rows.dim[0] = pg_choose(M, "turns", 0, 8);
    if (M->P->number >= PG_THIRD && !pg_choose(M, "product", 0, 5))
        product = pg_choose(M, "units", 0, 4) + 1;
    for (i = 0; i < s.n; i++) {
        int k = rows.dim[0] ? pg_pick(M, "data", i) : PG_NOTHING;
        hy_shape have;
        if (k != PG_NOTHING) have = hy_shape_of(M->F, pg_made(M, k));
        lines.dim[0] = rows.dim[0];
        if (product && !i) k = pg_new_leaf(M, i, HY_F32, lines, &pg_plain);
        else if (k == PG_NOTHING || have.ndim < 1 || have.dim[0] > 4 || (i && have.dim[0] != rows.dim[0]))
            k = pg_input(M, i, HY_F32, rows, &pg_plain);
        if (k == PG_NOTHING) return k;
        s.in[i] = k;
        rows.dim[0] = hy_dim(M->F, pg_made(M, k), 0);
    }
    for (i = 0; i < s.nstate; i++)
        if ((s.state[i] = pg_first_state(M, &s, i)) == PG_NOTHING) return PG_NOTHING;
    if ((body = pg_open_body(M)) < 0) return PG_NOTHING;
    s.body[0] = body;
    old = pg_enter(M, body);
    pg_hide_states(M, &s);
    for (i = 0; i < s.n; i++) ok &= pg_argument(M, body, pg_row_of(M->F, pg_made(M, s.in[i])), s.in[i]);
    for (i = 0; i < s.nstate; i++) ok &= pg_argument(M, body, pg_made(M, s.state[i]), s.state[i]);
    if (ok && product) pg_draw_product(M, M->P->body[body].arg, product);
    if (ok) pg_draw_steps(M, 1 + pg_choose(M, "length", 0, 4));
    ok = ok && pg_draw_results(M, &s, body, 0);
    pg_leave(M, old);
    return ok ? pg_keep_control(M, &s) : PG_NOTHING;
}

static int pg_draw_while(pg_maker *M)
{
    static const ops_input zero = { OPS_REAL, 0, 0 };
    hy_shape one = { 1, { 1 } };
    pg_step s;
    pg_place old;
    int i, body, ok = 1, count;
    memset(&s, 0, sizeof s);
    s.kind = PG_WHILE;
    s.nstate = 1 + pg_choose(M, "states", 0, 3);
    s.limit = 1 + pg_choose(M, "limit", 0, 4);
    s.by = pg_choose(M, "by", 0, 6) - 0.5;
    if ((s.state[0] = pg_add_leaf(M, PG_CONST, HY_F32, one, &zero)) == PG_NOTHING) return PG_NOTHING;
    for (i = 1; i < s.nstate; i++)
        if ((s.state[i] = pg_first_state(M, &s, i)) == PG_NOTHING) return PG_NOTHING;
    if ((body = pg_open_body(M)) < 0) return PG_NOTHING;
    s.body[0] = body;
    old = pg_enter(M, body);
    pg_hide_states(M, &s);
    for (i = 0; i < s.nstate; i++) ok &= pg_argument(M, body, pg_made(M, s.state[i]), s.state[i]);
    if (ok) pg_draw_steps(M, 1 + pg_choose(M, "length", 0, 4));
    count = ok ? pg_glue(M, M->P->body[body].arg, "_plus_scalar", "scalar=1") : PG_NOTHING;
    M->P->body[body].state[0] = count;
    ok = count != PG_NOTHING && pg_draw_results(M, &s, body, 1);
    pg_leave(M, old);
    return ok ? pg_keep_control(M, &s) : PG_NOTHING;
}

static int pg_draw_cond(pg_maker *M)
{
    hy_shape one = { 1, { 1 } };
    pg_step s;
    int i, k, w, body, ok = 1, nout = 1 + pg_choose(M, "outputs", 0, 2), like[2];
    memset(&s, 0, sizeof s);
    s.kind = PG_COND;
    s.n = 1;
    s.nstate = 1 + pg_choose(M, "inputs", 0, 2);
    k = M->sized ? pg_len_one(M) : pg_input(M, 0, HY_F32, one, &pg_plain);
    k = pg_glue(M, k, "_greater_scalar", "scalar=%g", pg_choose(M, "by", 0, 3) - 1.0);
    if (k == PG_NOTHING) return k;
    s.in[0] = k;
    for (i = 0; i < s.nstate; i++) if ((s.state[i] = pg_pick(M, "input", i)) == PG_NOTHING) return PG_NOTHING;
    for (i = 0; i < nout; i++) like[i] = s.state[pg_choose(M, "like", i, s.nstate)];
    for (w = 0; w < 2 && ok; w++) {
        pg_place old;
        if ((body = pg_open_body(M)) < 0) return PG_NOTHING;
        s.body[w] = body;
        old = pg_enter(M, body);
        for (i = 0; i < s.nstate; i++) ok &= pg_argument(M, body, pg_made(M, s.state[i]), s.state[i]);
        if (ok) pg_draw_steps(M, 1 + pg_choose(M, "length", w, 3));
        for (i = 0; i < nout && ok; i++) {
            k = pg_alike(M, pg_made(M, like[i]), "output", i + 4 * w);
            if (k == PG_NOTHING) ok = 0;
            else M->P->body[body].out[M->P->body[body].nout++] = k;
        }
        pg_leave(M, old);
    }
    return ok ? pg_keep_control(M, &s) : PG_NOTHING;
}

static int pg_draw_child(pg_maker *M)
{
    pg_step s;
    pg_place old;
    int i, k, body, ok = 1, n;
    memset(&s, 0, sizeof s);
    s.kind = PG_CHILD;
    s.owner = M->owner;
    s.n = 1 + pg_choose(M, "inputs", 0, 2);
    for (i = 0; i < s.n; i++) if ((s.in[i] = pg_pick(M, "input", i)) == PG_NOTHING) return PG_NOTHING;
    if ((body = pg_open_body(M)) < 0) return PG_NOTHING;
    s.body[0] = body;
    old = pg_enter(M, body);
    M->nseen = 0;  /* a block sees what it is given, and its parameters */
    M->owner = body;
    for (i = 0; i < s.n; i++) ok &= pg_argument(M, body, pg_made(M, s.in[i]), s.in[i]);
    if (ok) pg_draw_steps(M, 1 + pg_choose(M, "length", 0, 4));
    n = 1 + pg_choose(M, "outputs", 0, 2);
    for (i = 0; i < n && ok; i++) {
        k = pg_pick(M, "output", i);
        ok = k != PG_NOTHING;
        if (ok) M->P->body[body].out[M->P->body[body].nout++] = k;
    }
    pg_leave(M, old);
    return ok ? pg_keep_control(M, &s) : PG_NOTHING;
}

/* --- layers --- */
static const pg_layer_row *pg_choose_layer(pg_maker *M)
{
    const pg_layer_row *best = NULL;
    uint64_t most = 0, h;
    int i;
    for (i = 0; i < PG_LAYER_ROWS; i++) {
        const char *name = pg_layer_rows[i].name;
        h = pg_mix(pg_hash(M, "layer", 0) ^ pg_word(name));
        if ((best && h < most) || !pg_is_born(M->P, name, NULL)) continue;
        most = h;
        best = &pg_layer_rows[i];
    }
    return best;
}
static hy_init pg_start(void) { return hy_init_uniform(0.7); }      /* of layers' parameters */

/* The layer that a step describes is made, and kept if it runs. */
static int pg_keep_layer(pg_maker *M, pg_step *s)
{
    hy_init init = pg_start();
    pg_walk W = pg_walk_of(M);
    hy_block *block;
    int out;
    s->layer = M->P->nlayer;
    s->owner = M->owner;
    block = M->layer[s->layer] = pg_layer_new(M->F, s->op, s->attrs, s->dtype);
    hy_initialize(M->F, block, &init);
    out = pg_keep_step(M, s, pg_run_step(M->F, &W, s));
    if (out == PG_NOTHING) { hy_block_free(M->F, block); return out; }
    M->P->nlayer++;
    M->P->trains = M->P->random = 1;
    return pg_show(M, out);
}
static int pg_draw_layer(pg_maker *M)
{
    static const hy_dtype types[] = { HY_F32, HY_F32, HY_F32, HY_F32, HY_F64, HY_F16, HY_BF16 };
    const pg_layer_row *row = pg_choose_layer(M);
    ops_case c;
    pg_step s;
    int i;
    if (M->P->nlayer == PG_LAYERS) return PG_NOTHING;
    memset(&s, 0, sizeof s);
    s.kind = PG_LAYER_CALL;
    s.dtype = types[pg_choose(M, "layer type", 0, 7)];
    ops_open_case(&c, pg_choose_text(M, "layer case", row->name, row->cases));
    snprintf(s.op, sizeof s.op, "%s", row->name);
    snprintf(s.attrs, sizeof s.attrs, "%s", c.attrs);
    s.n = c.ref.nin;
    for (i = 0; i < s.n; i++) {
        hy_dtype dtype = c.input[i].kind != OPS_INT ? s.dtype : pg_choose(M, "index", i, 2) ? HY_F32 : HY_I32;
        s.in[i] = pg_input(M, i, dtype, ops_shape(&c.ref.in[i]), &c.input[i]);
        if (s.in[i] == PG_NOTHING) s.n = 0;
    }
    ops_close_case(&c);
    return s.n ? pg_keep_layer(M, &s) : PG_NOTHING;
}

static void pg_draw_steps(pg_maker *M, int n)
{
    uint64_t place = M->place;
    int i, w;
    for (i = 0; i < n; i++) {
        M->place = pg_mix(place + (uint64_t)i + 1);
        w = pg_choose(M, "kind", 0, 100);
        if (M->nseen > 300) w = 0;
        if (w >= 78 && (M->depth > 2 || !M->nseen)) w = 0;
        if (M->sized && (w < 78 || w >= 96 || (M->sized > 1 && w < 91))) pg_draw_len(M);
        else if (w < 68 || w >= 96) pg_draw_op(M);
        else if (w < 78) pg_draw_layer(M);
        else if (w < 83) pg_draw_foreach(M);
        else if (w < 87) pg_draw_while(M);
        else if (w < 91) pg_draw_cond(M);
        else pg_draw_child(M);
    }
    M->place = place;
}

/* --- wrong on purpose --- */
enum { PG_SPOILINGS = 14 };

/* A text of attributes spoilt. */
static void pg_spoil_text(char *text, int how, size_t n)
{
    char *at;
    switch (how) {
    case 0: snprintf(text + strlen(text), n - strlen(text), " axis=9"); break;
    case 1: if ((at = strpbrk(text, "12345678")) != NULL) *at = '9'; break;
    case 2: snprintf(text + strlen(text), n - strlen(text), " colour=1"); break;
    case 3: if ((at = strchr(text, '=')) != NULL) snprintf(at, n - (size_t)(at - text), "=red"); break;
    default: text[0] = 0;
    }
}
/* A body that gives something else. */
static void pg_spoil_body(pg_maker *M, pg_step *s, int how, int tries)
{
    pg_body *b = &M->P->body[s->body[pg_choose(M, "branch", tries, s->kind == PG_COND ? 2 : 1)]];
    int *refs = b->nstate ? b->state : b->out, *n = b->nstate ? &b->nstate : &b->nout;
    if (how == 0 && *n) --*n;
    else if (how == 1 && *n) refs[pg_choose(M, "which", tries, *n)] = s->n ? s->in[0] : s->state[0];
    else if (*n && *n < PG_OUT) { refs[*n] = refs[0]; ++*n; }
}
static void pg_spoil_step(pg_maker *M, pg_step *s, int how, int tries)
{
    static const char *const types[] = { "int8", "bool", "float64", "int32", "float16" };
    int which = pg_choose(M, "which", tries, s->n ? s->n : 1);
    /* out of range */
    if (how == 13 && s->n) s->in[which] = pg_glue(M, s->in[which], "_plus_scalar", "scalar=1000");
    else if (how > 10 || (how > 7 && s->kind != PG_OP)) {
        if (s->kind == PG_OP) snprintf(s->op, sizeof s->op, "no_such_op");
        else if (s->kind != PG_CHILD && s->kind != PG_LAYER_CALL) pg_spoil_body(M, s, how % 3, tries);
    } else if (how < 5) {
        if (s->kind == PG_OP) pg_spoil_text(s->attrs, how, sizeof s->attrs - 16);
        else if (s->n) s->in[which] = pg_pick(M, "other", tries);
    } else switch (how) {
    case 5: if (s->n > 1 || s->kind == PG_OP) s->n -= s->n > 0; break;
    case 6: if (s->n && s->n < PG_IN) { s->in[s->n] = pg_pick(M, "one more", tries); s->n++; } break;
    case 7: if (s->n) s->in[which] = pg_pick(M, "other", tries); break;
    case 8: if (s->n) s->in[which] = pg_glue(M, s->in[which], "cast", "dtype=%s", types[tries % 5]); break;
    case 9: if (s->n) s->in[which] = pg_glue(M, s->in[which], "expand_dims", "axis=0"); break;
    default: if (s->n) s->in[which] = pg_glue(M, s->in[which], "reshape", "shape=(-1,)");
    }
}
/* One step is spoilt so that it is refused: it is the last, and an output. */
static void pg_spoil(pg_maker *M)
{
    static pg_program was;
    pg_program *P = M->P;
    pg_body *b = &P->body[0];
    pg_walk W = pg_walk_of(M);
    int tries, i;
    was = *P;
    for (tries = 0; tries < 12 && was.body[0].n; tries++) {
        int at = pg_choose(M, "spoil", tries, was.body[0].n), early = 0;
        pg_step s = was.step[was.body[0].step[at]];
        *P = was;
        b->n = at;
        pg_spoil_step(M, &s, pg_choose(M, "how", tries, PG_SPOILINGS), tries);
        for (i = 0; i < s.n; i++)                       /* not yet made where this stands */
            early |= s.in[i] == PG_NOTHING || (s.in[i] >= s.out && s.in[i] < was.nvalue);
        if (early || P->nstep == PG_STEPS) continue;
        if (pg_run_step(M->F, &W, &s) || !hy_error(M->F)) { hy_clear(M->F); continue; }
        hy_clear(M->F);
        s.nout = 1;
        b->step[b->n++] = P->nstep;
        P->step[P->nstep++] = s;
        b->nout = 1;
        b->out[0] = s.out;
        P->wrong = 1;
        return;
    }
    *P = was;
}

#include "programs_nets.h"
#include "programs_sizes.h"

/* --- the whole --- */
static void pg_draw_rest(pg_maker *M)                   /* what is asked of it */
{
    pg_program *P = M->P;
    M->place = 3;
    P->order = pg_choose(M, "order", 0, 6) ? 1 : 2;
    P->adds = pg_choose(M, "adds", 0, 4) ? 0 : pg_choose(M, "which add", 0, 1 << 20);
    P->heads = pg_choose(M, "heads", 0, 4) ? -1 : 1 + pg_choose(M, "which heads", 0, 15);
    if (P->number >= PG_FOURTH && !pg_choose(M, "no gradients", 0, 3)) P->heads = 0;
    P->own = pg_choose(M, "own weights", 0, 4) != 0;
    P->optimiser = pg_choose(M, "optimiser", 0, 18);
    P->odd = pg_choose(M, "odd numbers", 0, 16);
    P->odd = P->odd == 0 ? 2 : P->odd < 3;
}
/* What nobody takes is an output, mostly. */
static void pg_draw_outputs(pg_maker *M)
{
    pg_program *P = M->P;
    pg_body *b = &P->body[0];
    int i, k, own, most = P->number < PG_FOURTH ? 4 : PG_OUT;
    M->place = 2;
    for (i = P->nvalue - 1; i >= 0 && b->nout < most; i--) {
        for (own = k = 0; k < b->n && !own; k++) {
            const pg_step *s = &P->step[b->step[k]];
            own = i >= s->out && i < s->out + s->nout;
        }
        if (!own || !M->v[i]) continue;
        if (!b->nout || (!P->fact[i].used && (most > 4 || pg_choose(M, "out", i, 4))) ||
            (most == 4 && !pg_choose(M, "out", i, 8)))
            b->out[b->nout++] = i;
    }
}

/* Or a running statistic becomes the result of a call. Nobody is asked whether that is wrong. */
static int pg_spoil_statistic(pg_maker *M)
{
    pg_program *P = M->P;
    pg_body *b = &P->body[0];
    int at, i, k, n = b->n;
    for (at = 0; at < n && P->nstep + 2 <= PG_STEPS && pg_choose(M, "statistic", 0, 2); at++) {
        pg_step s = P->step[b->step[at]];
        for (i = 0; i < s.n && s.kind == PG_OP && (s.in[i] >= 0 || P->leaf[~s.in[i]].kind != PG_AUX); i++)
            continue;
        if (i == s.n || s.kind != PG_OP) continue;
        b->n = at;
        k = pg_glue(M, s.in[i], "_mul_scalar", "scalar=1");
        if (k == PG_NOTHING) { b->n = n; return 0; }
        s.in[i] = k;
        s.nout = 1;
        b->step[b->n++] = P->nstep;
        P->step[P->nstep++] = s;
        b->nout = 1;
        b->out[0] = s.out;
        P->wrong = P->computed = 1;
        return 1;
    }
    return 0;
}

static void pg_tidy(pg_program *P);
/* The program of a number, 0 where nothing could be drawn. F has one thread and the base instruction set. */
static int pg_draw(hy_frame *F, uint64_t number, pg_program *P)
{
    static pg_maker maker;
    pg_maker *M = &maker;
    pg_body *b = &P->body[0];
    hy_shape two = { 2, { 2, 3 } };
    int i;
    memset(P, 0, sizeof *P);
    memset(M, 0, sizeof *M);
    P->number = number;
    P->nbody = 1;
    M->P = P;
    M->F = F;
    hy_begin(F);
    hy_seed(F, number);
    pg_draw_rest(M);
    M->place = 1;
    i = pg_choose(M, "steps", 0, pg_choose(M, "long", 0, 4) ? 6 : 16);
    if (number >= PG_SEVENTH) pg_draw_sized(M, i);
    else if (number >= PG_SIXTH && !pg_choose(M, "network", 0, 3)) pg_draw_network(M);
    if (P->nset) i = 0;
    else if (P->network && P->body[0].n && pg_choose(M, "network", 2, 3)) P->network = 2;
    else pg_draw_steps(M, 1 + (number >= PG_FOURTH) + i);
    pg_draw_outputs(M);
    for (i = 0; i < P->nleaf && P->leaf[i].kind != PG_INPUT; i++) continue;
    if (i == P->nleaf && (i == PG_LEAVES || pg_add_leaf(M, PG_INPUT, HY_F32, two, &pg_plain) == PG_NOTHING))
        b->nout = 0;
    if (P->nset && b->nout && pg_choose(M, "tidy", 0, 3)) { pg_tidy(P); P->tidy = 1; }
    M->place = 4;
    if (b->nout && number % 20 == 9 && !pg_spoil_statistic(M)) pg_spoil(M);
    if (b->nout && number % 20 == 19) P->fault = (pg_fault)(1 + pg_choose(M, "fault", 0, 6));
    for (i = 0; i < P->nlayer; i++) hy_block_free(F, M->layer[i]);
    hy_end(F);
    hy_clear(F);
    return b->nout > 0;
}
#endif
