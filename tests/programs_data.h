/* A random program as plain data: leaves (inputs, parameters, running statistics, arrays from outside) and
 * bodies of steps. A step is an operator by name with its attributes as text, a layer, a loop, a branch or
 * a child block. Every value has one number in the whole program, whichever body makes it; leaf k is the
 * number ~k. */
#ifndef PROGRAMS_DATA_H
#define PROGRAMS_DATA_H

enum {
    PG_VALUES = 400,
    PG_LEAVES = 40,
    PG_BODIES = 10,
    PG_STEPS = 120,
    PG_LAYERS = 10,
    PG_IN = 10,
    PG_OUT = 6,
    PG_SIZES = 3,                       /* sizes that are symbols, */
    PG_SETS = 10                        /* and what they are in calls */
};
enum { PG_NOTHING = 100000 };                           /* a place that holds no value */

typedef enum pg_leaf_kind { PG_INPUT, PG_PARAM, PG_AUX, PG_CONST, PG_GONE } pg_leaf_kind;
typedef struct pg_leaf {
    pg_leaf_kind kind;
    hy_dtype     dtype;
    hy_shape     shape;
    ops_input    domain;
    int          size[HY_MAX_DIM];      /* a dim's symbol, from 1 on; 0: it stays as it is */
    int          odd;  /* 1: -0, denormals, large numbers among its own; 2: NaN and infinities too;
                        * 3: 0 and -0 */
} pg_leaf;

typedef enum pg_kind { PG_OP, PG_FOREACH, PG_WHILE, PG_COND, PG_CHILD, PG_LAYER_CALL, PG_LEN } pg_kind;
typedef struct pg_step {
    pg_kind kind;
    char    op[48], attrs[256];         /* an operator and its attributes; a layer, or a step of
                                         * programs_len.h, and its numbers */
    int     n, in[PG_IN];               /* what it takes: of a loop the data */
    int     nstate, state[PG_OUT];      /* of loops; of a branch its inputs */
    int     body[2];
    int     limit;                      /* of a while loop: turns; counts[0] < by goes on */
    double  by;
    int     owner;                      /* of a child or layer: the body of the block that it is a child of */
    int     layer;                      /* which one of the program, and its type: */
    hy_dtype dtype;
    int     out, nout;                  /* values out, out + 1, ... */
} pg_step;

static int pg_bodies(const pg_step *s)                   /* how many it has */
{
    return s->kind == PG_OP || s->kind >= PG_LAYER_CALL ? 0 : s->kind == PG_COND ? 2 : 1;
}

typedef struct pg_body {
    int arg, narg;                      /* the values that its caller fills in */
    int n, step[PG_STEPS];              /* in pg_program.step */
    int nout, out[PG_OUT], nstate, state[PG_OUT];
} pg_body;

/* What is known of a value besides its type; coarse: the least precise type on its way. */
typedef struct pg_fact { int used; hy_dtype coarse; } pg_fact;

/* How a right program is called wrongly, between right calls. */
typedef enum pg_fault { PG_NO_FAULT, PG_CALLED_WITH_FEWER, PG_CALLED_WITH_MORE, PG_OTHER_TYPE,
    PG_OTHER_SHAPE, PG_NOT_RECORDED, PG_BACKWARD_TWICE } pg_fault;

typedef struct pg_program {
    uint64_t number;
    int      nleaf, nbody, nstep, nvalue, nlayer;
    pg_leaf  leaf[PG_LEAVES];
    pg_body  body[PG_BODIES];           /* the first is the program */
    pg_step  step[PG_STEPS];
    pg_fact  fact[PG_VALUES];
    hy_type  type[PG_VALUES];           /* of each value */
    int      wrong;                     /* on purpose: a step that is refused */
    int      computed;                  /* ... as it changes what it computes itself */
    pg_fault fault;                     /* on purpose: a call that is */
    int      order, adds;               /* gradients of gradients: 2; leaves whose gradients add: bits */
    int      heads, own;  /* outputs whose gradients are asked for: bits; with weights of our own */
    int      optimiser, odd;
    int      random, dynamic, trains, loops, unsaved, children;        /* what is in it */
    int      network;                   /* it begins with one; 2: that is all */
    int      squares;                   /* ... with a convolution that may go by Winograd's squares */
    int      nset, set[PG_SETS][PG_SIZES];      /* the sizes of its calls; the first are its own */
    int      tidy;                      /* ... and it has no step that no output needs */
} pg_program;

/* --- choices --- *
 * A choice is a function of the program's number, of the place where it is made (the ordinal of the step
 * that is being drawn, and which one it is) and of a word that says what is chosen; there is no stream
 * that a new kind of choice could shift. Operators and their cases are chosen by name: of all that may
 * come, that whose name's hash with the place is the largest. New rows of the table, and new cases of a
 * row, would still win some places of old programs, so they are listed with the number from which they are
 * drawn: see pg_born. Nothing is chosen by digits that another compiler or processor may round otherwise:
 * ranges have margins, and numbers in attributes are coarse. */
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

/* Operators and layers that came after the generator, and the number of the first program that may draw
 * them; with a text it is one case of a row, without a name each case that has the text in it. What is new
 * goes here, with a number above all that were run before. */
static const struct { const char *name, *text; uint64_t from; } pg_born[] = {
    { "deconv", "(1,4,3,3) | 2 4 4 2 1 1 1 0 0", 5000000 },
    { "deconv", "(2,5,4) | 1 9 6 2 2 1 1 1 0", 5000000 },
    { NULL, " pad_end=", 7000000 },
    { "slice_assign", NULL, 8000000 }, { "slice_assign_scalar", NULL, 8000000 }, { "lcm", NULL, 8000000 },
    { "index_array", NULL, 8000000 }, { "_logspace", NULL, 8000000 },
    { "insert", NULL, 8100000 }, { "insert_slice", NULL, 8100000 },
    { "insert_tensor", NULL, 8100000 }, { "atleast_1d", NULL, 8100000 }, { "atleast_2d", NULL, 8100000 },
    { "atleast_3d", NULL, 8100000 }, { "allclose", NULL, 8100000 },
    { "histogram", NULL, 8200000 }, { "box_encode", NULL, 8200000 }, { "bipartite_matching", NULL, 8200000 },
    { "gradient_multiplier", NULL, 8000000 },
    { "im2col", NULL, 8000000 }, { "col2im", NULL, 8000000 }, { "deformable_convolution", NULL, 8000000 },
    { "_deformable_im2col", NULL, 8000000 }, { "_deformable_col2im", NULL, 8000000 },
    { "pixel_shuffle", NULL, 8000000 }, { "deformable", NULL, 8000000 }, { "conv_cell", NULL, 8000000 },
    { "masked_cell", NULL, 8000000 },
    { "matmul_nbits", NULL, 8000000 },
    { "image_to_tensor", NULL, 8000000 },
    { "image_normalize", NULL, 8000000 },
    { "image_resize", NULL, 8000000 },
    { "_image_resize_grad", NULL, 8000000 },
    { "image_crop", NULL, 8000000 },
    { "image_flip_left_right", NULL, 8000000 },
    { "image_flip_top_bottom", NULL, 8000000 },
    { "image_random_flip_left_right", NULL, 8000000 },
    { "image_random_flip_top_bottom", NULL, 8000000 },
    { "image_random_resized_crop", NULL, 8000000 },
    { "image_random_brightness", NULL, 8000000 },
    { "image_random_contrast", NULL, 8000000 },
    { "image_random_saturation", NULL, 8000000 },
    { "image_random_hue", NULL, 8000000 },
    { "image_random_color_jitter", NULL, 8000000 },
    { "image_adjust_lighting", NULL, 8000000 },
    { "image_random_lighting", NULL, 8000000 },
    { "extend", NULL, 9000000 }, { "round_even", NULL, 9000000 },
    { "int8_table", NULL, 9000000 }, { "int8_add", NULL, 9000000 },
    { NULL, " own_range=", 9000000 },
    { NULL, " out_scale=", 9000000 },
    { "put_rows", NULL, 9500000 },
    { NULL, "use_length=True causal", 9500000 },
    { NULL, "heads=2 use_length=True", 9500000 },
    { NULL, "use_mask=True use_length", 9500000 },
    { "transforms", NULL, 10000000 },
    { NULL, "num_group=5 threshold=2", 10500000 },
    { NULL, "num_group=37 threshold", 10500000 },
    { NULL, "num_group=32 threshold", 10500000 },
    { NULL, "num_group=20 threshold", 10500000 },
    { NULL, "num_filter=3 num_group=3 threshold", 10500000 },
    { NULL, "num_group=17 threshold", 10500000 },
};

static int pg_is_born(const pg_program *P, const char *name, const char *text)
{
    size_t i;
    for (i = 0; i < sizeof pg_born / sizeof *pg_born; i++)
        if (P->number < pg_born[i].from &&
            (!pg_born[i].name ? text && strstr(text, pg_born[i].text) :
             !strcmp(pg_born[i].name, name) &&
                 (!pg_born[i].text || (text && !strcmp(pg_born[i].text, text))))) return 0;
    return 1;
}

/* What came later comes from these numbers on: values set by hand, statistics that others read; results that
 * a loop gives several times, zeros of both signs; programs of which no gradient is asked, rows of the table
 * that would else be seldom (see pg_often), more outputs; programs that are compiled anew for other sizes;
 * networks of images, see programs_nets.h; sizes that forward asks for, see programs_len.h. */
enum {
    PG_SECOND = 1000000,
    PG_THIRD = 5000000,
    PG_FOURTH = 10000000,
    PG_FIFTH = 40000000,
    PG_SIXTH = 50000000,
    PG_SEVENTH = 60000000
};

/* --- drawing: every step that is drawn is run at once, which tells the types of what it gives --- */
typedef struct pg_maker {
    pg_program *P;
    hy_frame   *F;
    uint64_t    place;
    hy_array   *v[PG_VALUES], *leaf[PG_LEAVES];
    hy_block   *layer[PG_LAYERS];
    int         nseen, seen[PG_VALUES]; /* values that may be taken here */
    int         body, depth;
    int         owner;                  /* the body of the child block in which that is, or 0 */
    int         sized, lost;            /* steps are drawn that hold for other sizes, 2: and tie no trace to
                                         * numbers; some did not */
    hy_array   *other[PG_VALUES], *other_leaf[PG_LEAVES];       /* values of the second set of sizes */
} pg_maker;

static uint64_t pg_hash(const pg_maker *M, const char *what, int k)
{
    return pg_mix(pg_mix(M->P->number * UINT64_C(0x9e3779b97f4a7c15) + M->place) ^ pg_word(what) ^
                  (uint64_t)k << 40);
}
static int pg_choose(const pg_maker *M, const char *what, int k, int n)
{
    return n > 1 ? (int)((pg_hash(M, what, k) >> 20) % (uint64_t)n) : 0;
}
/* Of these texts, that which the place chooses: by what it says, not by where it stands. */
static const char *pg_choose_text(const pg_maker *M, const char *what, const char *name,
                                  const char *const *texts)
{
    const char *best = NULL;
    uint64_t most = 0, h;
    for (; *texts; texts++) {
        h = pg_mix(pg_hash(M, what, 0) ^ pg_word(*texts));
        if ((best && h < most) || !pg_is_born(M->P, name, *texts)) continue;
        most = h;
        best = *texts;
    }
    return best;
}

static hy_array *pg_made(const pg_maker *M, int ref) { return ref < 0 ? M->leaf[~ref] : M->v[ref]; }

/* The numbers of leaves; kind: 0 reals, 1 whole numbers, 2 a permutation, 3 zeros and ones. */
PG_TEXT(fill,
    static double fill_next(uint64_t *seed)
    {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        return (double)(*seed >> 11) / 9007199254740992.0;
    }
    static double fill_odd(hy_dtype dtype, int odd, int which)
    {
        const double floats[] = { -0.0, 0, 1e-40, -3e-7, 40000, -2049, 16777217, NAN, HUGE_VAL, -HUGE_VAL,
                                  3e38 };
        static const double whole[] = { 127, 0, 100, -128, 32000, -2147483647, 2147483647,
                                        9007199254740991.0 };
        if (odd > 2) return which % 2 ? floats[0] : 0;
        if (dtype <= HY_BF16) return floats[which % (odd > 1 ? 11 : 7)];
        if (dtype == HY_U8) return which % 2 ? 255 : 0;
        return whole[which % (dtype == HY_I8 ? 4 : dtype == HY_I32 ? 7 : 8)];
    }
    static hy_array *fill(hy_frame *F, hy_shape shape, hy_dtype dtype, int kind, double low, double high,
                          int odd, uint64_t seed)
    {
        int64_t i, k, n = 1;
        double *w, u;
        hy_array *x;
        for (i = 0; i < shape.ndim; i++) n *= shape.dim[i];
        w = (double *)malloc((size_t)(n + 1) * sizeof *w);
        for (i = 0; i < n; i++) {
            u = fill_next(&seed);
            w[i] = kind == 1 ? floor(low + u * (high - low + 1)) : kind == 2 ? (double)i : kind == 3 ? u < 0.5
                : low + u * (high - low);
            if (odd && (seed >> 40) % 5 == 0) w[i] = fill_odd(dtype, odd, (int)(seed >> 43) % 88);
        }
        for (i = n - 1; kind == 2 && i > 0; i--) {
            k = (int64_t)(fill_next(&seed) * (double)(i + 1));
            u = w[i];
            w[i] = w[k];
            w[k] = u;
        }
        x = hy_cast(F, hy_from(F, shape, HY_F64, w), dtype);
        free(w);
        return x;
    }
)

/* Of a run in f64 that is shaken: every number that is not whole, times 1 + or - this. */
static double pg_shake;
static uint64_t pg_shake_draw;
static hy_array *pg_shaken(hy_frame *F, hy_array *x)
{
    int64_t n, i;
    const double *from;
    double *w;
    hy_array *by;
    if (pg_shake == 0 || !x || hy_dtype_of(F, x) != HY_F64 || hy_error(F)) return x;
    n = hy_size(F, x);
    from = (const double *)hy_data(F, x);
    w = (double *)malloc((size_t)(n + 1) * sizeof *w);
    for (i = 0; i < n && from; i++) {
        pg_shake_draw += UINT64_C(0x9e3779b97f4a7c15);
        w[i] = from[i] == floor(from[i]) ? 1 : pg_mix(pg_shake_draw) & 1 ? 1 + pg_shake : 1 - pg_shake;
    }
    by = hy_from(F, hy_shape_of(F, x), HY_F64, w);
    free(w);
    return hy_elemwise_mul(F, x, by);
}

/* Of a run that is nudged: numbers of floating types go up or down by about so many units in the last place,
 * but for those of arrays that hold small whole numbers alone, which may be indices, if `all` is not set. In
 * the largest nudges 0 moves by a unit of the largest number beside it: products of tiles mix neighbours. A
 * value that is traced has no numbers yet: of a copy in int8 only inputs and parameters move. */
enum { PG_MOST_NUDGED = 16 };
static int pg_nudge;
static uint64_t pg_nudge_draw;
static int pg_overflows;                /* has it met numbers whose product is none in their type? */
static const double pg_root_of_largest[] = { 0, 1.8e19, 1.3e154, 255, 1.8e19 };
static double pg_next_nudge(void)       /* in units */
{
    double by;
    pg_nudge_draw += UINT64_C(0x9e3779b97f4a7c15);
    by = (double)(pg_mix(pg_nudge_draw) >> 11) / 9007199254740992.0 * 2 - 1;
    return pg_nudge > 1 ? by * pg_nudge : by < 0 ? -1 : 1;
}
static hy_array *pg_nudged(hy_frame *F, hy_array *x, int all)
{
    hy_dtype dtype = x ? hy_dtype_of(F, x) : HY_I32;
    int64_t n, i, whole = 0;
    const double *from;
    double *times, *plus, unit, most = 0;
    hy_array *y;
    if (!pg_nudge || !x || x->node || hy_error(F) || !hy__floating(dtype)) return x;
    n = hy_size(F, x);
    y = hy_cast(F, x, HY_F64);
    from = y ? (const double *)hy_data(F, y) : NULL;
    times = (double *)malloc((size_t)(2 * n + 1) * sizeof *times);
    plus = times + n;
    unit = hy__traits[dtype].epsilon;
    for (i = 0; i < n && from; i++) {
        times[i] = 1 + pg_next_nudge() * unit;
        whole += from[i] == floor(from[i]) && fabs(from[i]) < 100;
        pg_overflows |= !(fabs(from[i]) < pg_root_of_largest[dtype]);
        if (fabs(from[i]) > most && fabs(from[i]) <= DBL_MAX) most = fabs(from[i]);
    }
    for (i = 0; i < n && from; i++)
        plus[i] = from[i] == 0 ? pg_next_nudge() / PG_MOST_NUDGED * most * unit : 0;
    if ((whole < n || all) && from) {
        x = hy_elemwise_mul(F, x, hy_cast(F, hy_from(F, hy_shape_of(F, x), HY_F64, times), dtype));
        if (pg_nudge == PG_MOST_NUDGED)
            x = hy_elemwise_add(F, x, hy_cast(F, hy_from(F, hy_shape_of(F, x), HY_F64, plus), dtype));
    }
    free(times);
    return x;
}

static uint64_t pg_leaf_seed(const pg_program *P, int k, int set)
{
    return pg_mix(P->number * 977 + (uint64_t)k * 31 + (uint64_t)set * 7919 + 1);
}
/* The numbers of a leaf: those of the second set differ from those of the first. */
static hy_array *pg_leaf_array(hy_frame *F, const pg_program *P, int k, int set, hy_dtype dtype)
{
    const pg_leaf *l = &P->leaf[k];
    int kind = l->domain.kind == OPS_AUX ? 0 : (int)l->domain.kind;
    hy_array *x =
        fill(F, l->shape, l->dtype, kind, l->domain.low, l->domain.high, l->odd, pg_leaf_seed(P, k, set));
    if (kind == 0) x = pg_nudged(F, x, 1);
    return pg_shaken(F, dtype == l->dtype ? x : hy_cast(F, x, dtype));
}

static int pg_same_type(const hy_type *a, hy_dtype dtype, const hy_shape *shape)
{
    return a->dtype == dtype && hy__same_shape(&a->shape, shape);
}

static int pg_add_leaf(pg_maker *M, pg_leaf_kind kind, hy_dtype dtype, hy_shape shape,
                       const ops_input *domain)
{
    pg_program *P = M->P;
    pg_leaf *leaf = &P->leaf[P->nleaf];
    int k, same = 0, last = -1;
    for (k = 0; k < P->nleaf; k++) {                    /* one that is there serves two, at times */
        const pg_leaf *l = &P->leaf[k];
        int d, sized = 0;
        for (d = 0; d < l->shape.ndim; d++) sized |= l->size[d];
        if (!sized && l->kind == kind && l->dtype == dtype && hy__same_shape(&l->shape, &shape) &&
            !memcmp(&l->domain, domain, sizeof *domain)) { same++; last = k; }
    }
    if (same && kind != PG_AUX && (pg_choose(M, "share", P->nleaf, 2) || P->nleaf == PG_LEAVES)) return ~last;
    if (P->nleaf == PG_LEAVES) return PG_NOTHING;
    memset(leaf, 0, sizeof *leaf);
    leaf->kind = kind;
    leaf->dtype = dtype;
    leaf->shape = shape;
    leaf->domain = *domain;
    if (P->odd && domain->kind == OPS_REAL && domain->low == -2 && domain->high == 2 && dtype != HY_BOOL &&
        pg_choose(M, "odd", P->nleaf, 3)) leaf->odd = P->odd;
    else if (P->number >= PG_THIRD && domain->kind == OPS_REAL && domain->low < 0 && domain->high > 0 &&
             !pg_choose(M, "zeros", P->nleaf, 5)) leaf->odd = 3;
    M->leaf[P->nleaf] = pg_leaf_array(M->F, P, P->nleaf, 0, dtype);
    return ~P->nleaf++;
}

/* The less precise of two. */
static hy_dtype pg_coarser(hy_dtype a, hy_dtype b)
{
    if (!hy__floating(a)) return b;
    if (!hy__floating(b)) return a;
    return hy__traits[a].epsilon > hy__traits[b].epsilon ? a : b;
}
static hy_dtype pg_coarse_of(const pg_maker *M, int ref)
{
    return ref >= 0 ? M->P->fact[ref].coarse : pg_coarser(HY_F64, M->P->leaf[~ref].dtype);
}

/* A step that was drawn: run it, and keep it if it ran. The first of its values, or PG_NOTHING. */
typedef struct pg_walk pg_walk;
static hy_array *pg_run_step(hy_frame *F, const pg_walk *W, const pg_step *s);

static int pg_holds_elsewhere(pg_maker *M, pg_step *s);
static int pg_keep_step(pg_maker *M, pg_step *s, hy_array *y)
{
    pg_program *P = M->P;
    pg_body *b = &P->body[M->body];
    hy_dtype coarse = s->kind == PG_LAYER_CALL ? s->dtype : HY_F64;
    int i;
    if (!y || hy_error(M->F)) { hy_clear(M->F); return PG_NOTHING; }
    s->nout = hy_count(M->F, y);
    if (s->nout < 1 || s->nout > 24 || P->nvalue + s->nout > PG_VALUES || P->nstep == PG_STEPS)
        return PG_NOTHING;
    s->out = P->nvalue;
    for (i = 0; i < s->nout; i++) {
        M->v[s->out + i] = s->nout == 1 && !y->count ? y : hy_get(M->F, y, i);
        if (!M->v[s->out + i] || hy_error(M->F)) { hy_clear(M->F); return PG_NOTHING; }
        P->type[s->out + i] = M->v[s->out + i]->t.type;
    }
    if (P->nset && !pg_holds_elsewhere(M, s)) return PG_NOTHING;
    for (i = 0; i < s->n + s->nstate; i++) {
        int ref = i < s->n ? s->in[i] : s->state[i - s->n];
        if (ref >= 0) P->fact[ref].used = 1;
        coarse = pg_coarser(coarse, pg_coarse_of(M, ref));
    }
    for (i = 0; i < s->nout; i++) P->fact[s->out + i].coarse = pg_coarser(coarse, P->type[s->out + i].dtype);
    P->nvalue += s->nout;
    b->step[b->n++] = P->nstep;
    P->step[P->nstep++] = *s;
    return s->out;
}

/* One operator on one value, to make it fit. */
static int pg_glue(pg_maker *M, int ref, const char *op, const char *format, ...)
{
    pg_step s;
    va_list args;
    hy_array *x;
    if (ref == PG_NOTHING) return ref;
    x = pg_made(M, ref);
    memset(&s, 0, sizeof s);
    snprintf(s.op, sizeof s.op, "%s", op);
    va_start(args, format);
    vsnprintf(s.attrs, sizeof s.attrs, format, args);
    va_end(args);
    s.n = 1;
    s.in[0] = ref;
    return pg_keep_step(M, &s, hy_apply(M->F, op, 1, &x, s.attrs));
}
/* A number for an attribute: eighths, so that the last digits of a result do not reach it. */
static double pg_coarse_number(double x) { return rint(x * 8) / 8; }

static void pg_shape_text(hy_shape s, char *text, size_t n)
{
    size_t at = 0;
    int d;
    at += (size_t)snprintf(text, n, "(");
    for (d = 0; d < s.ndim; d++)
        at += (size_t)snprintf(text + at, n - at, "%d%s", (int)s.dim[d],
                               s.ndim == 1 || d < s.ndim - 1 ? "," : "");
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
    hy_type t;
    if (ref == PG_NOTHING) return ref;
    t = pg_made(M, ref)->t.type;
    if (hy__same_shape(&t.shape, &to)) return ref;
    pg_shape_text(to, text, sizeof text);
    return pg_glue(M, ref, "reshape", "shape=%s", text);
}

/* The elements of a value in another shape: some of them, or all of them several times. */
static int pg_fit_shape(pg_maker *M, int ref, hy_shape to)
{
    hy_shape from = pg_made(M, ref)->t.type.shape, line;
    int64_t m = pg_elements(&from), n = pg_elements(&to), begin = 0;
    char text[128];
    int d;
    if (hy__same_shape(&from, &to)) return ref;
    if (!m || !n) return PG_NOTHING;
    if (m == 1 && n > 1 && pg_choose(M, "broadcast", ref, 2)) {
        line = to;
        for (d = 0; d < to.ndim; d++) line.dim[d] = 1;
        pg_shape_text(to, text, sizeof text);
        return pg_glue(M, pg_reshaped(M, ref, line), "broadcast_to", "shape=%s", text);
    }
    if (m == n) return pg_reshaped(M, ref, to);
    line.ndim = 1;
    line.dim[0] = m;
    ref = pg_reshaped(M, ref, line);
    if (m < n) {
        ref = pg_glue(M, ref, "tile", "reps=(%d,)", (int)((n + m - 1) / m));
        m = (n + m - 1) / m * m;
    }
    if (m > n && ref != PG_NOTHING) {
        begin = pg_choose(M, "begin", ref, (int)(m - n + 1));
        ref = pg_glue(M, ref, "slice_axis", "axis=0 begin=%d end=%d", (int)begin, (int)(begin + n));
    }
    return pg_reshaped(M, ref, to);
}

/* The least and the largest number of a value. 0: there are none; 2: there are others that are not finite. */
static int pg_range(pg_maker *M, int ref, double *low, double *high)
{
    hy_array *x = pg_made(M, ref);
    int64_t n = hy_size(M->F, x), i;
    const char *data = (const char *)hy_data(M->F, x);
    hy_dtype dtype = hy_dtype_of(M->F, x);
    int result = n > 0;
    *low = HUGE_VAL;
    *high = -HUGE_VAL;
    for (i = 0; i < n && data; i++) {
        double v = hy__load(data + i * (int64_t)hy_dtype_size(dtype), dtype);
        if (!(fabs(v) < 1e30)) { result = 2; continue; }
        if (v < *low) *low = v;
        if (v > *high) *high = v;
    }
    return *low <= *high ? result : 0;
}

/* Whole numbers from low to high. */
static int pg_fit_whole(pg_maker *M, int ref, const ops_input *in)
{
    ref = pg_glue(M, ref, "sin", "%s", "");
    ref = pg_glue(M, ref, "_mul_scalar", "scalar=%g", (in->high - in->low + 1) / 2);
    ref = pg_glue(M, ref, "_plus_scalar", "scalar=%g", (in->low + in->high + 1) / 2);
    ref = pg_glue(M, ref, "floor", "%s", "");
    return pg_glue(M, ref, "clip", "a_min=%g a_max=%g", in->low, in->high);
}
/* The numbers of a value brought into a domain. Those that are not finite stay in reals, and go nowhere
 * else. */
static int pg_fit_domain(pg_maker *M, int ref, const ops_input *in, hy_dtype dtype)
{
    double low, high, span = in->high - in->low, margin = 1e-3 * (1 + fabs(in->low) + fabs(in->high));
    int64_t n = hy_size(M->F, pg_made(M, ref));
    int found = pg_range(M, ref, &low, &high);
    if (!found || (found == 2 && in->kind != OPS_REAL)) return PG_NOTHING;
    if (in->kind == OPS_REAL && low >= in->low - margin && high <= in->high + margin) return ref;
    if (in->kind == OPS_REAL && in->low == -2 && in->high == 2 && low > -50 && high < 50 &&
        pg_choose(M, "loose", ref, 3))
        return ref;
    if (!hy__floating(hy_dtype_of(M->F, pg_made(M, ref)))) {
        if (in->kind == OPS_REAL && !hy__floating(dtype))
            return pg_glue(M, ref, "clip", "a_min=%g a_max=%g", ceil(in->low), floor(in->high));
        ref = pg_glue(M, ref, "cast", "dtype=float32");
    }
    switch (in->kind) {
    case OPS_BOOL: return pg_glue(M, ref, "_greater_scalar", "scalar=%g", pg_coarse_number((low + high) / 2));
    case OPS_PERM:
        return ref != PG_NOTHING && n == hy_size(M->F, pg_made(M, ref)) && hy_ndim(M->F, pg_made(M, ref)) == 1
            ? pg_glue(M, ref, "argsort", "dtype=float32") : PG_NOTHING;
    case OPS_INT: return pg_fit_whole(M, ref, in);
    default:
        if (pg_choose(M, "clipped", ref, 2))
            return pg_glue(M, ref, "clip", "a_min=%g a_max=%g", in->low, in->high);
        ref = pg_glue(M, ref, "sigmoid", "%s", "");
        ref = pg_glue(M, ref, "_mul_scalar", "scalar=%g", span);
        return in->low == 0 ? ref : pg_glue(M, ref, "_plus_scalar", "scalar=%g", in->low);
    }
}

/* A value made to fit a place: shape, numbers, type. */
static int pg_fit(pg_maker *M, int ref, hy_dtype dtype, hy_shape shape, const ops_input *domain)
{
    ref = pg_fit_shape(M, ref, shape);
    if (ref != PG_NOTHING) ref = pg_fit_domain(M, ref, domain, dtype);
    if (ref == PG_NOTHING || hy_dtype_of(M->F, pg_made(M, ref)) == dtype) return ref;
    return pg_glue(M, ref, "cast", "dtype=%s", hy_dtype_name(dtype));
}

/* A value that may be taken here, mostly one of the last. */
static int pg_pick(pg_maker *M, const char *what, int k)
{
    int near = M->nseen < 6 ? M->nseen : 6;
    if (!M->nseen) return PG_NOTHING;
    if (pg_choose(M, what, 1000 + k, 3)) return M->seen[M->nseen - 1 - pg_choose(M, what, k, near)];
    return M->seen[pg_choose(M, what, k, M->nseen)];
}
/* The values of a step are there for those that come. */
static int pg_show(pg_maker *M, int out)
{
    int i;
    if (out != PG_NOTHING)
        for (i = 0; i < M->P->step[M->P->nstep - 1].nout; i++) M->seen[M->nseen++] = out + i;
    return out;
}

static int pg_new_leaf(pg_maker *M, int i, hy_dtype dtype, hy_shape shape, const ops_input *in)
{
    int w = pg_choose(M, "leaf", i, 10);
    pg_leaf_kind kind = PG_INPUT;
    if (in->kind == OPS_AUX) kind = PG_AUX;
    else if (i && w < 6 && in->kind == OPS_REAL && hy__floating(dtype)) kind = PG_PARAM;
    else if (w == 9 || M->owner) kind = PG_CONST;       /* a child block is not given the inputs */
    return pg_add_leaf(M, kind, dtype, shape, in);
}

/* A running statistic, which others read beside whoever keeps it. */
static int pg_statistic(pg_maker *M, int i, const ops_input *in)
{
    int k;
    if (M->P->number < PG_SECOND || M->depth || in->kind != OPS_REAL || pg_choose(M, "statistic", i, 6))
        return PG_NOTHING;
    for (k = 0; k < M->P->nleaf; k++) if (M->P->leaf[k].kind == PG_AUX) return ~k;
    return PG_NOTHING;
}

/* What input i of a step is: an earlier value that is made to fit, or a leaf. */
static int pg_input(pg_maker *M, int i, hy_dtype dtype, hy_shape shape, const ops_input *in)
{
    int ref = pg_statistic(M, i, in);
    if (ref != PG_NOTHING) ref = pg_fit(M, ref, dtype, shape, in);
    if (ref != PG_NOTHING) return ref;
    if (in->kind != OPS_AUX && M->nseen && pg_choose(M, "from", i, 100) < (i ? 40 : 88)) {
        int from = pg_pick(M, "value", i);
        if (from != PG_NOTHING) ref = pg_fit(M, from, dtype, shape, in);
    }
    return ref != PG_NOTHING ? ref : pg_new_leaf(M, i, dtype, shape, in);
}

/* What stands where the next calls have their variables. */
static void pg_spoil_stack(int fill)
{
    char room[1 << 16];
    void *(*volatile set)(void *, int, size_t) = memset;
    set(room, fill, sizeof room);
}
#endif
