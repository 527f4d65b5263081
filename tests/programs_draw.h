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
    M->P->fact[M->P->nvalue] = pg_fact_of(M, like);
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
static int pg_alike(pg_maker *M, hy_array *x, const char *what, int k)
{
    int from = pg_pick(M, what, k), ref;
    if (from == PG_NOTHING) return from;
    ref = pg_fit_shape(M, from, hy_shape_of(M->F, x));
    if (ref == PG_NOTHING || hy_dtype_of(M->F, pg_made(M, ref)) == hy_dtype_of(M->F, x)) return ref;
    return pg_fit(M, ref, hy_dtype_of(M->F, x), hy_shape_of(M->F, x), &pg_plain);
}

typedef struct pg_place { int body, nseen, fresh; } pg_place;
static pg_place pg_enter(pg_maker *M, int body)
{
    pg_place old;
    old.body = M->body;
    old.nseen = M->nseen;
    old.fresh = M->fresh;
    M->body = body;
    M->depth++;
    return old;
}
static void pg_leave(pg_maker *M, pg_place old)
{
    M->body = old.body;
    M->nseen = old.nseen;
    M->fresh = old.fresh;
    M->depth--;
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
        int k = pg_pick(M, "output", i);
        if (k == PG_NOTHING || hy_ndim(M->F, pg_made(M, k)) > 7) return 0;
        b->out[b->nout++] = k;
    }
    return 1;
}

static int pg_keep_control(pg_maker *M, pg_step *s)
{
    pg_walk W;
    int i, out;
    memset(&W, 0, sizeof W);
    W.P = M->P;
    W.v = M->v;
    W.leaf = M->leaf;
    out = pg_keep_step(M, s, NULL, 1, pg_run_step(M->F, &W, s));
    if (out == PG_NOTHING) return out;
    M->P->loops |= s->kind != PG_CHILD;
    M->P->children |= s->kind == PG_CHILD;
    for (i = 0; i < M->P->step[M->P->nstep - 1].nout; i++) M->seen[M->nseen++] = out + i;
    return out;
}

static int pg_draw_foreach(pg_maker *M)
{
    pg_step s;
    pg_place old;
    hy_shape rows = { 2, { 0, 2 } };
    int i, body, ok = 1;
    memset(&s, 0, sizeof s);
    s.kind = PG_FOREACH;
    s.n = 1 + (pg_choose(M, "more", 0, 4) == 0);
    s.nstate = pg_choose(M, "states", 0, 3);
    rows.dim[0] = pg_choose(M, "turns", 0, 5);
    for (i = 0; i < s.n; i++) {
        int k = pg_pick(M, "data", i);
        hy_shape have;
        if (k != PG_NOTHING) have = hy_shape_of(M->F, pg_made(M, k));
        if (k == PG_NOTHING || have.ndim < 1 || have.dim[0] > 4 || (i && have.dim[0] != rows.dim[0]))
            k = pg_input(M, i, HY_F32, rows, &pg_plain);
        if (k == PG_NOTHING) return k;
        s.in[i] = k;
        rows.dim[0] = hy_dim(M->F, pg_made(M, k), 0);
    }
    for (i = 0; i < s.nstate; i++) if ((s.state[i] = pg_pick(M, "first state", i)) == PG_NOTHING) return PG_NOTHING;
    if ((body = pg_open_body(M)) < 0) return PG_NOTHING;
    s.body[0] = body;
    old = pg_enter(M, body);
    for (i = 0; i < s.n; i++) ok &= pg_argument(M, body, pg_row_of(M->F, pg_made(M, s.in[i])), s.in[i]);
    for (i = 0; i < s.nstate; i++) ok &= pg_argument(M, body, pg_made(M, s.state[i]), s.state[i]);
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
    for (i = 1; i < s.nstate; i++) if ((s.state[i] = pg_pick(M, "first state", i)) == PG_NOTHING) return PG_NOTHING;
    if ((body = pg_open_body(M)) < 0) return PG_NOTHING;
    s.body[0] = body;
    old = pg_enter(M, body);
    for (i = 0; i < s.nstate; i++) ok &= pg_argument(M, body, pg_made(M, s.state[i]), s.state[i]);
    if (ok) pg_draw_steps(M, 1 + pg_choose(M, "length", 0, 4));
    count = ok ? pg_glue(M, M->P->body[body].arg, 0, "_plus_scalar", "scalar=1") : PG_NOTHING;
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
    k = pg_input(M, 0, HY_F32, one, &pg_plain);
    if (k != PG_NOTHING) k = pg_glue(M, k, 1, "_greater_scalar", "scalar=%g", pg_choose(M, "by", 0, 3) - 1.0);
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
    int i, body, ok = 1, n, saved[PG_VALUES];
    memset(&s, 0, sizeof s);
    s.kind = PG_CHILD;
    s.n = 1 + pg_choose(M, "inputs", 0, 2);
    for (i = 0; i < s.n; i++) if ((s.in[i] = pg_pick(M, "input", i)) == PG_NOTHING) return PG_NOTHING;
    if ((body = pg_open_body(M)) < 0) return PG_NOTHING;
    s.body[0] = body;
    old = pg_enter(M, body);
    memcpy(saved, M->seen, sizeof saved);
    M->nseen = 0;                                       /* a block sees what it is given, and its parameters */
    M->depth = 100;
    for (i = 0; i < s.n; i++) ok &= pg_argument(M, body, pg_made(M, s.in[i]), s.in[i]);
    if (ok) pg_draw_steps(M, 1 + pg_choose(M, "length", 0, 4));
    n = 1 + pg_choose(M, "outputs", 0, 2);
    for (i = 0; i < n && ok; i++) {
        int k = pg_pick(M, "output", i);
        if (k == PG_NOTHING) ok = 0;
        else M->P->body[body].out[M->P->body[body].nout++] = k;
    }
    memcpy(M->seen, saved, sizeof saved);
    M->depth = 1;
    pg_leave(M, old);
    return ok ? pg_keep_control(M, &s) : PG_NOTHING;
}

static void pg_draw_steps(pg_maker *M, int n)
{
    uint64_t place = M->place;
    int i;
    for (i = 0; i < n; i++) {
        int w;
        M->place = pg_mix(place + (uint64_t)i + 1);
        w = pg_choose(M, "kind", 0, 100);
        if (M->depth > 2 || !M->nseen) w = 0;
        if (w < 78 || M->nseen > 300) pg_draw_op(M);
        else if (w < 84) pg_draw_foreach(M);
        else if (w < 89) pg_draw_while(M);
        else if (w < 94) pg_draw_cond(M);
        else if (!M->depth) pg_draw_child(M);
    }
    M->place = place;
}

/* One step is spoilt so that it is refused: it is the last, and an output. */
static void pg_spoil(pg_maker *M)
{
    pg_program *P = M->P;
    pg_body *b = &P->body[0];
    pg_step *s;
    pg_walk W;
    hy_array *y;
    int tries, end = b->n, last;
    memset(&W, 0, sizeof W);
    W.P = P;
    W.v = M->v;
    W.leaf = M->leaf;
    for (tries = 0; tries < 12; tries++) {
        int at = pg_choose(M, "spoil", tries, end), i;
        pg_step old;
        s = &P->step[b->step[at]];
        if (s->kind != PG_OP) continue;
        old = *s;
        switch (pg_choose(M, "how", tries, 5)) {
        case 0: if (s->n) s->n--; break;
        case 1: if (s->n) s->in[pg_choose(M, "which", tries, s->n)] = pg_pick(M, "other", tries); break;
        case 2: if (s->n < PG_IN) { s->in[s->n] = pg_pick(M, "one more", tries); s->n++; } break;
        case 3: snprintf(s->attrs + strlen(s->attrs), sizeof s->attrs - strlen(s->attrs), " axis=9"); break;
        default: for (i = 0; s->attrs[i]; i++) if (s->attrs[i] >= '1' && s->attrs[i] <= '8') { s->attrs[i] = '9'; break; }
        }
        for (i = 0, last = 0; i < s->n; i++) {
            if (s->in[i] == PG_NOTHING) last = 1;
            else if (s->in[i] >= old.out) last = 1;     /* not yet made where this stands */
        }
        y = last ? NULL : pg_run_step(M->F, &W, s);
        if (!last && !y && hy_error(M->F)) {
            hy_clear(M->F);
            s->nout = 1;
            b->n = at + 1;
            b->nout = 1;
            b->out[0] = s->out;
            P->wrong = 1;
            return;
        }
        hy_clear(M->F);
        *s = old;
    }
}

/* The program of a number, 0 where nothing could be drawn. F has one thread and the base instruction set. */
static int pg_draw(hy_frame *F, uint64_t number, pg_program *P)
{
    static pg_maker maker;
    pg_maker *M = &maker;
    pg_body *b = &P->body[0];
    hy_shape two = { 2, { 2, 3 } };
    int i, n;
    memset(P, 0, sizeof *P);
    memset(M, 0, sizeof *M);
    P->number = number;
    P->nbody = 1;
    M->P = P;
    M->F = F;
    hy_begin(F);
    hy_seed(F, number);
    M->place = 1;
    n = 1 + pg_choose(M, "steps", 0, pg_choose(M, "long", 0, 4) ? 6 : 16);
    pg_draw_steps(M, n);
    M->place = 2;
    for (i = P->nvalue - 1; i >= 0 && b->nout < 4; i--) {       /* what nobody takes is an output, mostly */
        int own = 0, k;
        for (k = 0; k < b->n && !own; k++) {
            const pg_step *s = &P->step[b->step[k]];
            own = i >= s->out && i < s->out + s->nout;
        }
        if (own && M->v[i] && (!b->nout || (!P->fact[i].used && pg_choose(M, "out", i, 4)) || !pg_choose(M, "out", i, 8))) b->out[b->nout++] = i;
    }
    for (i = 0; i < P->nleaf && P->leaf[i].kind != PG_INPUT; i++) continue;
    if (i == P->nleaf && (P->nleaf == PG_LEAVES || pg_add_leaf(M, PG_INPUT, HY_F32, two, &pg_plain) == PG_NOTHING)) b->nout = 0;
    if (b->nout && number % 10 == 9) pg_spoil(M);
    hy_end(F);
    hy_clear(F);
    return b->nout > 0;
}
#endif
