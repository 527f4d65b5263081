/* A random program as plain data: leaves (inputs, parameters, running statistics, arrays from outside) and bodies
 * of steps. A step is an operator by name with its attributes as text, a loop, a branch or a child block.
 * Every value has one number in the whole program, whichever body makes it; leaf k is the number ~k. */
#ifndef PROGRAMS_DATA_H
#define PROGRAMS_DATA_H

enum { PG_VALUES = 400, PG_LEAVES = 40, PG_BODIES = 10, PG_STEPS = 120, PG_IN = 10, PG_OUT = 6 };
enum { PG_NOTHING = 100000 };                           /* a place that holds no value */

typedef enum pg_leaf_kind { PG_INPUT, PG_PARAM, PG_AUX, PG_CONST, PG_GONE } pg_leaf_kind;
typedef struct pg_leaf {
    pg_leaf_kind kind;
    hy_dtype     dtype;
    hy_shape     shape;
    ops_input    domain;
} pg_leaf;

typedef enum pg_kind { PG_OP, PG_FOREACH, PG_WHILE, PG_COND, PG_CHILD } pg_kind;
typedef struct pg_step {
    pg_kind kind;
    char    op[48], attrs[256];
    int     n, in[PG_IN];               /* what it takes: of a loop the data */
    int     nstate, state[PG_OUT];      /* of loops; of a branch its inputs */
    int     body[2];
    int     limit;                      /* of a while loop: turns; counts[0] < by goes on */
    double  by;
    int     out, nout;                  /* values out, out + 1, ... */
} pg_step;

typedef struct pg_body {
    int arg, narg;                      /* the values that its caller fills in */
    int n, step[PG_STEPS];              /* in pg_program.step */
    int nout, out[PG_OUT], nstate, state[PG_OUT];
} pg_body;

/* What is known of a value besides its type. Bit 0: default passes may round it otherwise; bit 1: and a step was
 * taken on such a value (a comparison, an index), so that anything may come of it; 2 and 3: the same where any
 * elementary function may round otherwise. coarse: the least precise type on its way. */
typedef struct pg_fact { unsigned char rough, used; hy_dtype coarse; } pg_fact;

typedef struct pg_program {
    uint64_t number;
    int      nleaf, nbody, nstep, nvalue;
    pg_leaf  leaf[PG_LEAVES];
    pg_body  body[PG_BODIES];           /* the first is the program */
    pg_step  step[PG_STEPS];
    pg_fact  fact[PG_VALUES];
    hy_type  type[PG_VALUES];           /* of each value */
    int      wrong;                     /* on purpose */
    int      random, dynamic, trains, loops, unsaved, children;        /* what is in it */
} pg_program;

/* --- choices --- *
 * A choice is a function of the program's number, of the place where it is made (the ordinal of the step that is
 * being drawn, and which one it is) and of a word that says what is chosen; there is no stream that a new kind of
 * choice could shift. Operators and their cases are chosen by name: of all that may come, that whose name's hash
 * with the place is the largest. New rows of the table would still win some places of old programs; so numbers are
 * in eras of PG_ERA, and programs of an era know the operators listed as born in it or before: see pg_born. */
enum { PG_ERA = 100000000 };

static uint64_t pg_mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}
static uint64_t pg_word(const char *s)
{
    uint64_t h = UINT64_C(14695981039346656037);
    for (; *s; s++) h = (h ^ (unsigned char)*s) * UINT64_C(1099511628211);
    return pg_mix(h);
}

/* Operators that came after the generator, and their era: a new row goes here, with the era after the last. */
static const struct { const char *name; int era; } pg_born[] = { { "", 0 } };

static int pg_era_of(const char *name)
{
    size_t i;
    for (i = 0; i < sizeof pg_born / sizeof *pg_born; i++) if (!strcmp(pg_born[i].name, name)) return pg_born[i].era;
    return 0;
}

/* --- drawing: every step that is drawn is run at once, which tells the types of what it gives --- */
typedef struct pg_maker {
    pg_program *P;
    hy_frame   *F;
    uint64_t    place;
    hy_array   *v[PG_VALUES], *leaf[PG_LEAVES];
    int         nseen, seen[PG_VALUES]; /* values that may be taken here */
    int         fresh;                  /* the first of them that this body made */
    int         body, depth;
} pg_maker;

static uint64_t pg_hash(const pg_maker *M, const char *what, int k)
{
    return pg_mix(pg_mix(M->P->number * UINT64_C(0x9e3779b97f4a7c15) + M->place) ^ pg_word(what) ^ (uint64_t)k << 40);
}
static int pg_choose(const pg_maker *M, const char *what, int k, int n)
{
    return n > 1 ? (int)((pg_hash(M, what, k) >> 20) % (uint64_t)n) : 0;
}

static hy_array *pg_made(const pg_maker *M, int ref) { return ref < 0 ? M->leaf[~ref] : M->v[ref]; }

/* The numbers of a leaf: those of the second set differ from those of the first. */
static hy_array *pg_leaf_array(hy_frame *F, const pg_program *P, int k, int set, hy_dtype dtype)
{
    const pg_leaf *leaf = &P->leaf[k];
    ref_tensor t;
    uint64_t seed = pg_mix(P->number * 977 + (uint64_t)k * 31 + (uint64_t)set * 7919 + 1);
    hy_array *x;
    int d;
    memset(&t, 0, sizeof t);
    t.ndim = leaf->shape.ndim;
    for (t.size = 1, d = 0; d < t.ndim; d++) t.size *= t.dim[d] = leaf->shape.dim[d];
    ops_fill(&t, &leaf->domain, &seed);
    x = hy_cast(F, hy_from(F, leaf->shape, HY_F64, t.v), dtype);
    free(t.v);
    return x;
}

static int pg_same_type(const hy_type *a, hy_dtype dtype, const hy_shape *shape)
{
    return a->dtype == dtype && hy__same_shape(&a->shape, shape);
}

static int pg_add_leaf(pg_maker *M, pg_leaf_kind kind, hy_dtype dtype, hy_shape shape, const ops_input *domain)
{
    pg_program *P = M->P;
    pg_leaf *leaf = &P->leaf[P->nleaf];
    int k, same = 0, last = -1;
    for (k = 0; k < P->nleaf; k++) {                    /* one that is there serves two, at times */
        const pg_leaf *l = &P->leaf[k];
        if (l->kind == kind && l->dtype == dtype && hy__same_shape(&l->shape, &shape) &&
            !memcmp(&l->domain, domain, sizeof *domain)) { same++; last = k; }
    }
    if (same && (kind != PG_AUX) && (pg_choose(M, "share", P->nleaf, 2) || P->nleaf == PG_LEAVES)) return ~last;
    if (P->nleaf == PG_LEAVES) return PG_NOTHING;
    memset(leaf, 0, sizeof *leaf);
    leaf->kind = kind;
    leaf->dtype = dtype;
    leaf->shape = shape;
    leaf->domain = *domain;
    M->leaf[P->nleaf] = pg_leaf_array(M->F, P, P->nleaf, 0, dtype);
    return ~P->nleaf++;
}

static pg_fact pg_fact_of(const pg_maker *M, int ref)
{
    pg_fact none = { 0, 0, HY_F64 };
    if (ref >= 0) return M->P->fact[ref];
    none.coarse = hy__floating(M->P->leaf[~ref].dtype) ? M->P->leaf[~ref].dtype : HY_F64;
    return none;
}

/* The less precise of two. */
static hy_dtype pg_coarser(hy_dtype a, hy_dtype b)
{
    if (!hy__floating(a)) return b;
    if (!hy__floating(b)) return a;
    return hy__traits[a].epsilon > hy__traits[b].epsilon ? a : b;
}

/* Where a small change of the input may make a large one of the output. */
static int pg_jumps(const ops_row *row)
{
    static const char list[] = " mod mod_scalar rmod_scalar elemwise_mod where sort topk box_nms clip maximum minimum "
        "max min pooling pick roi_pooling multibox_detection ";
    char name[64];
    if (!row) return 1;
    snprintf(name, sizeof name, " %s ", row->name);
    return row->ref->gradient == REF_ZERO || row->ref->gradient == REF_NO_GRADIENT || strstr(list, name) != NULL;
}

static void pg_note_facts(pg_maker *M, const pg_step *s, const hy_op *op, int jumps)
{
    pg_fact f = { 0, 0, HY_F64 };
    int i;
    for (i = 0; i < s->n + s->nstate; i++) {
        pg_fact g = pg_fact_of(M, i < s->n ? s->in[i] : s->state[i - s->n]);
        f.rough |= g.rough;
        f.coarse = pg_coarser(f.coarse, g.coarse);
    }
    if (jumps && (f.rough & 1)) f.rough |= 2;
    if (jumps && (f.rough & 4)) f.rough |= 8;
    if (!op) f.rough |= 5;                              /* a loop: who knows what is in it */
    else {
        if (!(op->flags & (HY_OP_POINTWISE | HY_OP_VIEW)) && (op->flags & HY_OP_MOVES) != HY_OP_MOVES) f.rough |= 1;
        if (!(op->flags & HY_OP_VIEW) && (op->flags & HY_OP_MOVES) != HY_OP_MOVES) f.rough |= 4;
    }
    for (i = 0; i < s->nout; i++) {
        pg_fact g = f;
        g.coarse = pg_coarser(g.coarse, hy_dtype_of(M->F, M->v[s->out + i]));
        M->P->fact[s->out + i] = g;
    }
}

/* A step that was drawn: run it, and keep it if it ran. The first of its values, or PG_NOTHING. */
typedef struct pg_walk pg_walk;
static hy_array *pg_run_step(hy_frame *F, const pg_walk *W, const pg_step *s);

static int pg_keep_step(pg_maker *M, pg_step *s, const hy_op *op, int jumps, hy_array *y)
{
    pg_program *P = M->P;
    pg_body *b = &P->body[M->body];
    int i;
    if (!y || hy_error(M->F)) { hy_clear(M->F); return PG_NOTHING; }
    s->nout = hy_count(M->F, y);
    if (s->nout < 1 || s->nout > 24 || P->nvalue + s->nout > PG_VALUES || P->nstep == PG_STEPS) return PG_NOTHING;
    s->out = P->nvalue;
    for (i = 0; i < s->nout; i++) {
        M->v[s->out + i] = s->nout == 1 && !y->count ? y : hy_get(M->F, y, i);
        if (!M->v[s->out + i] || hy_error(M->F)) { hy_clear(M->F); return PG_NOTHING; }
        P->type[s->out + i] = M->v[s->out + i]->t.type;
    }
    for (i = 0; i < s->n; i++) if (s->in[i] >= 0 && s->in[i] < PG_VALUES) P->fact[s->in[i]].used = 1;
    P->nvalue += s->nout;
    pg_note_facts(M, s, op, jumps);
    b->step[b->n++] = P->nstep;
    P->step[P->nstep++] = *s;
    return s->out;
}

/* One operator on one value, to make it fit. */
static int pg_glue(pg_maker *M, int ref, int jumps, const char *op, const char *format, ...)
{
    pg_step s;
    va_list args;
    hy_array *x = pg_made(M, ref);
    memset(&s, 0, sizeof s);
    snprintf(s.op, sizeof s.op, "%s", op);
    va_start(args, format);
    vsnprintf(s.attrs, sizeof s.attrs, format, args);
    va_end(args);
    s.n = 1;
    s.in[0] = ref;
    return pg_keep_step(M, &s, hy_op_find(M->F, op), jumps, hy_apply(M->F, op, 1, &x, s.attrs));
}

static void pg_shape_text(hy_shape s, char *text, size_t n)
{
    size_t at = 0;
    int d;
    at += (size_t)snprintf(text, n, "(");
    for (d = 0; d < s.ndim; d++) at += (size_t)snprintf(text + at, n - at, "%d%s", (int)s.dim[d], s.ndim == 1 || d < s.ndim - 1 ? "," : "");
    snprintf(text + at, n - at, ")");
}
static int64_t pg_elements(const hy_shape *s)
{
    int64_t n = 1;
    int d;
    for (d = 0; d < s->ndim; d++) n *= s->dim[d];
    return n;
}

static int pg_reshaped(pg_maker *M, int ref, hy_shape to)
{
    char text[128];
    hy_type t = pg_made(M, ref)->t.type;
    if (hy__same_shape(&t.shape, &to)) return ref;
    pg_shape_text(to, text, sizeof text);
    return pg_glue(M, ref, 0, "reshape", "shape=%s", text);
}

/* The elements of a value in another shape: some of them, or all of them several times. */
static int pg_fit_shape(pg_maker *M, int ref, hy_shape to)
{
    hy_shape from = pg_made(M, ref)->t.type.shape, line;
    int64_t m = pg_elements(&from), n = pg_elements(&to), begin = 0;
    char text[128];
    if (hy__same_shape(&from, &to)) return ref;
    if (!m || !n) return PG_NOTHING;
    if (m == 1 && n > 1 && pg_choose(M, "broadcast", ref, 2)) {
        line = to;
        for (int d = 0; d < to.ndim; d++) line.dim[d] = 1;
        ref = pg_reshaped(M, ref, line);
        pg_shape_text(to, text, sizeof text);
        return ref == PG_NOTHING ? ref : pg_glue(M, ref, 0, "broadcast_to", "shape=%s", text);
    }
    if (m == n) return pg_reshaped(M, ref, to);
    line.ndim = 1;
    line.dim[0] = m;
    ref = pg_reshaped(M, ref, line);
    if (m < n && ref != PG_NOTHING) {
        ref = pg_glue(M, ref, 0, "tile", "reps=(%d,)", (int)((n + m - 1) / m));
        m = (n + m - 1) / m * m;
    }
    if (ref == PG_NOTHING) return ref;
    if (m > n) {
        begin = pg_choose(M, "begin", ref, (int)(m - n + 1));
        ref = pg_glue(M, ref, 0, "slice_axis", "axis=0 begin=%d end=%d", (int)begin, (int)(begin + n));
    }
    return ref == PG_NOTHING ? ref : pg_reshaped(M, ref, to);
}

/* The least and the largest number of a value; 0 if one is none, or there are none. */
static int pg_range(pg_maker *M, int ref, double *low, double *high)
{
    hy_array *x = pg_made(M, ref);
    int64_t n = hy_size(M->F, x), i;
    const char *data = (const char *)hy_data(M->F, x);
    hy_dtype dtype = hy_dtype_of(M->F, x);
    *low = HUGE_VAL;
    *high = -HUGE_VAL;
    for (i = 0; i < n && data; i++) {
        double v = hy__load(data + i * (int64_t)hy_dtype_size(dtype), dtype);
        if (!(fabs(v) < 1e30)) return 0;
        if (v < *low) *low = v;
        if (v > *high) *high = v;
    }
    return n > 0;
}

/* The numbers of a value brought into a domain. */
static int pg_fit_domain(pg_maker *M, int ref, const ops_input *in, hy_dtype dtype)
{
    double low, high, span = in->high - in->low;
    int64_t n = hy_size(M->F, pg_made(M, ref));
    if (!pg_range(M, ref, &low, &high)) return PG_NOTHING;
    if (in->kind == OPS_REAL && low >= in->low && high <= in->high) return ref;
    if (in->kind == OPS_REAL && in->low == -2 && in->high == 2 && low > -50 && high < 50 && pg_choose(M, "loose", ref, 3)) return ref;
    if (!hy__floating(hy_dtype_of(M->F, pg_made(M, ref)))) {
        if (in->kind == OPS_REAL && !hy__floating(dtype))
            return pg_glue(M, ref, 0, "clip", "a_min=%g a_max=%g", ceil(in->low), floor(in->high));
        ref = pg_glue(M, ref, 0, "cast", "dtype=float32");
    }
    if (ref == PG_NOTHING) return ref;
    switch (in->kind) {
    case OPS_BOOL: return pg_glue(M, ref, 1, "_greater_scalar", "scalar=%g", (low + high) / 2);
    case OPS_PERM:
        return n == hy_size(M->F, pg_made(M, ref)) && hy_ndim(M->F, pg_made(M, ref)) == 1
            ? pg_glue(M, ref, 1, "argsort", "dtype=float32") : PG_NOTHING;
    case OPS_INT:
        ref = pg_glue(M, ref, 0, "sin", "%s", "");
        if (ref != PG_NOTHING) ref = pg_glue(M, ref, 0, "_mul_scalar", "scalar=%g", (span + 1) / 2);
        if (ref != PG_NOTHING) ref = pg_glue(M, ref, 0, "_plus_scalar", "scalar=%g", (in->low + in->high + 1) / 2);
        if (ref != PG_NOTHING) ref = pg_glue(M, ref, 1, "floor", "%s", "");
        return ref == PG_NOTHING ? ref : pg_glue(M, ref, 0, "clip", "a_min=%g a_max=%g", in->low, in->high);
    default:
        if (pg_choose(M, "clipped", ref, 2)) return pg_glue(M, ref, 1, "clip", "a_min=%g a_max=%g", in->low, in->high);
        ref = pg_glue(M, ref, 0, "sigmoid", "%s", "");
        if (ref != PG_NOTHING) ref = pg_glue(M, ref, 0, "_mul_scalar", "scalar=%g", span);
        return ref == PG_NOTHING || in->low == 0 ? ref : pg_glue(M, ref, 0, "_plus_scalar", "scalar=%g", in->low);
    }
}

static const char *pg_type_name(hy_dtype dtype) { return hy_dtype_name(dtype); }

/* A value made to fit a place: shape, numbers, type. */
static int pg_fit(pg_maker *M, int ref, hy_dtype dtype, hy_shape shape, const ops_input *domain)
{
    ref = pg_fit_shape(M, ref, shape);
    if (ref != PG_NOTHING) ref = pg_fit_domain(M, ref, domain, dtype);
    if (ref == PG_NOTHING || hy_dtype_of(M->F, pg_made(M, ref)) == dtype) return ref;
    return pg_glue(M, ref, !hy__floating(dtype), "cast", "dtype=%s", pg_type_name(dtype));
}

/* A value that may be taken here, mostly one of the last. */
static int pg_pick(pg_maker *M, const char *what, int k)
{
    int near = M->nseen < 6 ? M->nseen : 6;
    if (!M->nseen) return PG_NOTHING;
    if (pg_choose(M, what, 1000 + k, 3)) return M->seen[M->nseen - 1 - pg_choose(M, what, k, near)];
    return M->seen[pg_choose(M, what, k, M->nseen)];
}

static int pg_new_leaf(pg_maker *M, int i, hy_dtype dtype, hy_shape shape, const ops_input *in)
{
    int w = pg_choose(M, "leaf", i, 10);
    pg_leaf_kind kind = PG_INPUT;
    if (in->kind == OPS_AUX) kind = PG_AUX;
    else if (i && w < 6 && in->kind == OPS_REAL && hy__floating(dtype)) kind = PG_PARAM;
    else if (w == 9 || M->depth >= 100) kind = PG_CONST;        /* a child block is not given the inputs */
    return pg_add_leaf(M, kind, dtype, shape, in);
}

/* --- operators --- */
static const ops_row *pg_choose_row(pg_maker *M)
{
    const ops_row *best = NULL;
    uint64_t most = 0;
    int era = (int)(M->P->number / PG_ERA);
    size_t i;
    static uint64_t word[HY_OP_COUNT];
    for (i = 0; i < sizeof ops_rows / sizeof *ops_rows; i++) {
        uint64_t h;
        if (!word[i]) word[i] = pg_word(ops_rows[i].name);
        h = pg_mix(pg_hash(M, "row", 0) ^ word[i]);
        if (h < most || !ops_rows[i].ref->cases[0] || pg_era_of(ops_rows[i].name) > era) continue;
        most = h;
        best = &ops_rows[i];
    }
    return best;
}
static const char *pg_choose_case(pg_maker *M, const ops_row *row)
{
    const char *best = NULL;
    uint64_t most = 0;
    int k;
    for (k = 0; row->ref->cases[k]; k++) {
        uint64_t h = pg_mix(pg_hash(M, "case", 0) ^ pg_word(row->ref->cases[k]));
        if (best && h < most) continue;
        most = h;
        best = row->ref->cases[k];
    }
    return best;
}
static hy_dtype pg_choose_dtype(pg_maker *M, const ops_row *row, const char *text)
{
    static const char likely[] = "ffffffffffddhhbculio";
    const char *have = row->ref->dtypes;
    int k;
    for (k = 0; k < 6; k++) {
        char c = likely[pg_choose(M, "dtype", k, (int)sizeof likely - 1)];
        hy_dtype dtype = (hy_dtype)(strchr(ops_letters, c) - ops_letters);
        if (strchr(have, c) && !(row->number == HY_OP_cast && ops_whole_case(text) == hy__floating(dtype))) return dtype;
    }
    return ops_usual(row);
}

/* What input i of a step is: an earlier value that is made to fit, or a leaf. */
static int pg_input(pg_maker *M, int i, hy_dtype dtype, hy_shape shape, const ops_input *in)
{
    int ref = PG_NOTHING;
    if (in->kind != OPS_AUX && M->nseen && pg_choose(M, "from", i, 100) < (i ? 40 : 88)) {
        int from = pg_pick(M, "value", i);
        if (from != PG_NOTHING) ref = pg_fit(M, from, dtype, shape, in);
    }
    return ref != PG_NOTHING ? ref : pg_new_leaf(M, i, dtype, shape, in);
}

static int pg_draw_op(pg_maker *M)
{
    const ops_row *row = pg_choose_row(M);
    const hy_op *op = hy_op_at(M->F, row->number);
    const char *text = pg_choose_case(M, row);
    hy_dtype dtype = pg_choose_dtype(M, row, text), types[REF_MAX] = { HY_DTYPE_NONE };
    hy_array *x[PG_IN];
    ops_case c;
    pg_step s;
    int i, ok = 1, out;
    if ((op->flags & HY_OP_DYNAMIC) && (M->depth || pg_choose(M, "dynamic", 0, 6))) return PG_NOTHING;
    ops_open_case(&c, text);
    memset(&s, 0, sizeof s);
    snprintf(s.op, sizeof s.op, "%s", row->name);
    snprintf(s.attrs, sizeof s.attrs, "%s", c.attrs);
    s.n = c.ref.nin;
    ops_types(M->F, op, &c, dtype, types);
    hy_clear(M->F);
    for (i = 0; i < s.n && ok; i++) {
        ops_input in = c.input[i];
        if (in.kind == OPS_AUX && M->depth) ok = 0;
        else if (!types[i]) ok = 0;
        else s.in[i] = pg_input(M, i, types[i], ops_shape(&c.ref.in[i]), &in);
        if (s.in[i] == PG_NOTHING) ok = 0;
    }
    ops_close_case(&c);
    if (!ok) return PG_NOTHING;
    for (i = 0; i < s.n; i++) x[i] = pg_made(M, s.in[i]);
    out = pg_keep_step(M, &s, op, pg_jumps(row), hy_apply(M->F, s.op, s.n, x, s.attrs));
    if (out == PG_NOTHING) return out;
    M->P->random |= (op->flags & HY_OP_RANDOM) != 0;
    M->P->trains |= (op->flags & HY_OP_TRAIN) != 0;
    M->P->dynamic |= (op->flags & HY_OP_DYNAMIC) != 0;
    M->P->unsaved |= op->name[0] == '_' && !op->mxnet;
    if (!(op->flags & HY_OP_DYNAMIC))                   /* whose shape is no other's to build on */
        for (i = 0; i < M->P->step[M->P->nstep - 1].nout; i++) M->seen[M->nseen++] = out + i;
    return out;
}
#endif
