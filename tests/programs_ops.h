/* Operators drawn: a row of the table, a case of it, a type, and shapes of its own where the operator
 * takes any. */
#ifndef PROGRAMS_OPS_H
#define PROGRAMS_OPS_H

/* Cases of rows that ops_ref.c proves through others. _rnn_grad has none: it takes what rnn wrote for it,
 * and is met in gradients of rnn. */
static const char *const pg_cases_sampler_grad[] = { "(2,3,3,4) (2,3,4,5) (2,2,3,4)[-0.9,0.9]",
    "(1,1,5,2) (1,1,3,3) (1,2,5,2)[-1.7,1.7]", NULL };
static const char *const pg_cases_ctc_grad[] = { "(4,2,3) (2) (4,2,3) (2,2)int[1,2]",
                                                 "(5,3,4) (3) (5,3,4) (3,2)int[0,3]", NULL };
static const char *const pg_cases_ctc_rate[] = { "(4,2,3) (2,2)int[1,2] (4,2,3)",
                                                 "(5,1,4) (1,3)int[1,3] (5,1,4)", NULL };
static const struct { const char *name; const char *const *cases; } pg_more_cases[] = {
    { "_bilinear_sampler_grad", pg_cases_sampler_grad }, { "_ctc_loss_grad", pg_cases_ctc_grad },
    { "_ctc_loss_rate", pg_cases_ctc_rate },
};
static const char *const *pg_cases_of(const ops_row *row)
{
    size_t i;
    for (i = 0; i < sizeof pg_more_cases / sizeof *pg_more_cases; i++)
        if (!strcmp(pg_more_cases[i].name, row->name)) return pg_more_cases[i].cases;
    return row->ref->cases;
}

static int pg_listed(const char *name, const char *names)      /* " one other " */
{
    char spaced[64];
    snprintf(spaced, sizeof spaced, " %s ", name);
    return strstr(names, spaced) != NULL;
}
/* Rows that few programs would have else: they have no gradient, so that who asks for one fails, or take what
 * seldom fits. They are drawn so many times as often where no gradient is asked. */
static const struct { const char *name; int times; } pg_often[] = {
    { "_bilinear_sampler_grad", 6 }, { "_ctc_loss_rate", 5 }, { "_deformable_col2im", 5 },
    { "_np_norm_grad", 6 },
    { "batch_norm_relu", 2 }, { "boolean_mask", 3 }, { "image_random_color_jitter", 2 },
    { "image_random_hue", 4 }, { "image_random_resized_crop", 3 }, { "int8_convolution", 3 },
    { "int8_dense", 5 }, { "matmul_nbits", 4 }, { "nonzero", 3 }, { "trigamma", 6 }, { "unique", 4 },
};
static int pg_how_often(const char *name)
{
    size_t i;
    for (i = 0; i < sizeof pg_often / sizeof *pg_often; i++)
        if (!strcmp(pg_often[i].name, name)) return pg_often[i].times;
    return 1;
}
static const ops_row *pg_choose_row(pg_maker *M)
{
    const ops_row *best = NULL;
    uint64_t most = 0, place = pg_hash(M, "row", 0), h, again;
    size_t i;
    int k;
    static uint64_t word[HY_OP_COUNT];
    static int often[HY_OP_COUNT];
    for (i = 0; i < sizeof ops_rows / sizeof *ops_rows; i++) {
        if (!word[i]) {
            word[i] = pg_word(ops_rows[i].name);
            often[i] = pg_how_often(ops_rows[i].name);
        }
        h = pg_mix(place ^ word[i]);
        for (k = M->P->heads ? 1 : often[i]; k > 1; k--) {
            again = pg_mix(place ^ (word[i] + (uint64_t)k));
            if (again > h) h = again;
        }
        if (h < most || !pg_cases_of(&ops_rows[i])[0] || !pg_is_born(M->P, ops_rows[i].name, NULL)) continue;
        most = h;
        best = &ops_rows[i];
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
        if (strchr(have, c) && !(row->number == HY_OP_cast && ops_whole_case(text) == hy__floating(dtype)))
            return dtype;
    }
    return ops_usual(row);
}

/* --- shapes of its own --- */
static int pg_has(const pg_program *P, const char *names)       /* an operator of these */
{
    int i;
    for (i = 0; i < P->nstep; i++)
        if (P->step[i].kind == PG_OP && pg_listed(P->step[i].op, names)) return 1;
    return 0;
}

/* That of an earlier value, or any: 0 to 8 dims of 0 to 7, few elements. */
static hy_shape pg_choose_shape(pg_maker *M)
{
    static const int sizes[] = { 1, 2, 3, 2, 1, 4, 5, 3, 2, 7, 1, 6 };
    int ref = pg_pick(M, "shape of", 0), d, ndim = pg_choose(M, "ndim", 0, HYBRID_MAX_DIM + 1);
    int64_t n = 1;
    hy_shape s;
    if (ref != PG_NOTHING && pg_choose(M, "alike", 0, 5) < 3) return hy_shape_of(M->F, pg_made(M, ref));
    s.ndim = ndim;
    for (d = 0; d < ndim; d++) {
        s.dim[d] = pg_choose(M, "empty", d, 60) ? sizes[pg_choose(M, "dim", d, 12)] : 0;
        if (n * s.dim[d] > 210) s.dim[d] = 1;
        if (s.dim[d]) n *= s.dim[d];
    }
    if (ndim == 1 && pg_choose(M, "long", 0, 3) == 0) s.dim[0] = 60 + pg_choose(M, "length", 0, 80);
    return s;
}
static void pg_set_shape(ref_tensor *t, const hy_shape *s)
{
    int d;
    t->ndim = s->ndim;
    for (d = 0; d < s->ndim; d++) t->dim[d] = s->dim[d];
}
/* A shape that broadcasts to s: leading dims may be missing, others 1. */
static hy_shape pg_narrower(pg_maker *M, const hy_shape *s, int k)
{
    int d, less = pg_choose(M, "fewer dims", k, 3) ? 0 : pg_choose(M, "how many fewer", k, s->ndim + 1);
    hy_shape to;
    to.ndim = s->ndim - less;
    for (d = 0; d < to.ndim; d++) to.dim[d] = pg_choose(M, "one", 16 * k + d, 4) ? s->dim[d + less] : 1;
    return to;
}
/* Some axes as text "(0,2)", in order; at least one. */
static void pg_some_axes(pg_maker *M, int ndim, char *text, size_t n)
{
    unsigned bits = 1u + (unsigned)pg_choose(M, "axes", 0, (1 << ndim) - 1);
    int d, at = snprintf(text, n, "(");
    for (d = 0; d < ndim; d++)
        if (bits >> d & 1) at += snprintf(text + at, n - (size_t)at, "%d,", d);
    snprintf(text + at, n - (size_t)at, ")");
}
static void pg_some_order(pg_maker *M, int ndim, char *text, size_t n)
{
    int order[8], d, k, at = snprintf(text, n, "("), swap;
    for (d = 0; d < ndim; d++) order[d] = d;
    for (d = ndim - 1; d > 0; d--) {
        k = pg_choose(M, "order", d, d + 1);
        swap = order[d];
        order[d] = order[k];
        order[k] = swap;
    }
    for (d = 0; d < ndim; d++) at += snprintf(text + at, n - (size_t)at, "%d,", order[d]);
    snprintf(text + at, n - (size_t)at, ")");
}

/* Operators along axes: attributes for the shape. 0 if it has no such axes. */
static int pg_free_axes(pg_maker *M, const char *name, hy_shape *s, ops_case *c)
{
    char list[64];
    int ndim = s->ndim, axis = pg_choose(M, "axis", 0, ndim), n = ndim ? (int)s->dim[axis] : 0;
    char *to = c->attrs;
    if (!ndim || c->ref.nin != 1) return 0;
    to[0] = 0;
    if (pg_listed(name, " sum mean prod nansum nanprod max min ")) {
        pg_some_axes(M, ndim, list, sizeof list);
        snprintf(to, 200, "axis=%s%s%s", list, pg_choose(M, "keepdims", 0, 2) ? " keepdims=True" : "",
                 pg_choose(M, "exclude", 0, 5) ? "" : " exclude=True");
    } else if (!strcmp(name, "transpose")) {
        pg_some_order(M, ndim, list, sizeof list);
        snprintf(to, 200, "axes=%s", list);
    } else if (!strcmp(name, "reverse")) {
        pg_some_axes(M, ndim, list, sizeof list);
        snprintf(to, 200, "axis=%s", list);
    } else if (pg_listed(name, " softmax log_softmax softmin cumsum ")) snprintf(to, 200, "axis=%d", axis);
    else if (!strcmp(name, "expand_dims") && ndim < 8) snprintf(to, 200, "axis=%d", axis);
    else if (!strcmp(name, "slice_axis") && n > 0) {
        int begin = pg_choose(M, "first", 0, n);
        snprintf(to, 200, "axis=%d begin=%d end=%d", axis, begin,
                 begin + 1 + pg_choose(M, "count", 0, n - begin));
    } else if (!strcmp(name, "repeat"))
        snprintf(to, 200, "repeats=%d axis=%d", 1 + pg_choose(M, "times", 0, 3), axis);
    else if (!strcmp(name, "swap_axes"))
        snprintf(to, 200, "dim1=%d dim2=%d", axis, pg_choose(M, "other axis", 0, ndim));
    else return 0;
    return 1;
}
/* The case with another shape, if the operator takes any, for half of the places. */
static void pg_free_case(pg_maker *M, const ops_row *row, const hy_op *op, ops_case *c)
{
    static const char along[] =
        " sum mean prod nansum nanprod max min transpose reverse softmax log_softmax softmin "
        "cumsum expand_dims slice_axis repeat swap_axes ";
    static const char spread[] =
        " add sub mul div mod power maximum minimum hypot arctan2 equal not_equal greater "
        "greater_equal lesser lesser_equal logical_and logical_or logical_xor ";
    hy_shape s, narrow;
    int k;
    if (!pg_choose(M, "as it is", 0, 2)) return;
    s = pg_choose_shape(M);
    if (pg_listed(row->name, along)) {
        if (pg_free_axes(M, row->name, &s, c)) pg_set_shape(&c->ref.in[0], &s);
    } else if (pg_listed(row->name, spread)) {
        for (k = 0; k < 2; k++) {
            narrow = pg_narrower(M, &s, k);
            pg_set_shape(&c->ref.in[k], &narrow);
        }
    } else if (op->flags & HY_OP_POINTWISE && (c->ref.nin == 1 || !strncmp(row->name, "elemwise_", 9)))
        for (k = 0; k < c->ref.nin; k++) pg_set_shape(&c->ref.in[k], &s);
}

static int pg_draw_op(pg_maker *M)
{
    const ops_row *row = pg_choose_row(M);
    const hy_op *op = hy_op_at(M->F, row->number);
    const char *text = pg_choose_text(M, "case", row->name, pg_cases_of(row));
    hy_dtype dtype = pg_choose_dtype(M, row, text), types[REF_MAX] = { HY_DTYPE_NONE };
    hy_array *x[PG_IN];
    ops_case c;
    pg_step s;
    int i, ok = 1, out;
    if ((op->flags & HY_OP_DYNAMIC) && (M->depth || pg_choose(M, "dynamic", 0, 3))) return PG_NOTHING;
    ops_open_case(&c, text);
    pg_free_case(M, row, op, &c);
    memset(&s, 0, sizeof s);
    snprintf(s.op, sizeof s.op, "%s", row->name);
    snprintf(s.attrs, sizeof s.attrs, "%s", c.attrs);
    s.n = c.ref.nin;
    ops_types(M->F, op, &c, dtype, types);
    hy_clear(M->F);
    for (i = 0; i < s.n && ok; i++) {
        ok = types[i] && !(c.input[i].kind == OPS_AUX && M->depth);
        if (ok) s.in[i] = pg_input(M, i, types[i], ops_shape(&c.ref.in[i]), &c.input[i]);
        if (ok && s.in[i] == PG_NOTHING) ok = 0;
    }
    ops_close_case(&c);
    if (!ok) return PG_NOTHING;
    for (i = 0; i < s.n; i++) x[i] = pg_made(M, s.in[i]);
    out = pg_keep_step(M, &s, hy_apply(M->F, s.op, s.n, x, s.attrs));
    if (out == PG_NOTHING) return out;
    M->P->random |= (op->flags & HY_OP_RANDOM) != 0;
    M->P->trains |= (op->flags & HY_OP_TRAIN) != 0;
    M->P->dynamic |= (op->flags & HY_OP_DYNAMIC) != 0;
    M->P->unsaved |= op->name[0] == '_' && !op->mxnet;
    return op->flags & HY_OP_DYNAMIC ? out : pg_show(M, out);   /* its shape is no other's to build on */
}
#endif
