/* Programs for several sizes drawn: inputs whose dims are symbols, steps that hold for all of their values,
 * and what any program has behind a step that fixes the shape again. */
#ifndef PROGRAMS_SIZES_H
#define PROGRAMS_SIZES_H

static pg_walk pg_walk_elsewhere(const pg_maker *M, hy_len *kept)
{
    pg_walk W = pg_walk_of(M);
    int k;
    for (k = 0; k < PG_SIZES; k++) kept[k] = hy_len_is(M->P->set[1][k]);
    W.v = (hy_array **)M->other;
    W.leaf = (hy_array **)M->other_leaf;
    W.kept = kept;
    return W;
}
/* A program whose dims are those of a set. */
static void pg_resize(pg_program *P, const pg_program *from, int set)
{
    int k, d;
    *P = *from;
    for (k = 0; k < P->nleaf; k++)
        for (d = 0; d < P->leaf[k].shape.ndim; d++)
            if (P->leaf[k].size[d]) P->leaf[k].shape.dim[d] = P->set[set][P->leaf[k].size[d] - 1];
}

/* Does a step run with the second set of sizes, too? Some may fail there; what comes then is not asked. */
static int pg_holds_elsewhere(pg_maker *M, pg_step *s)
{
    static pg_program wide;
    enum { PG_MOST = 1500 };
    hy_len kept[PG_SIZES];
    pg_walk W = pg_walk_elsewhere(M, kept);
    hy_array *y;
    int i, many = 0, fails;
    if (M->depth || M->lost) return 1;
    pg_resize(&wide, M->P, 1);
    for (i = 0; i < M->P->nleaf; i++)
        if (!M->other_leaf[i]) M->other_leaf[i] = pg_leaf_array(M->F, &wide, i, 0, wide.leaf[i].dtype);
    y = pg_run_step(M->F, &W, s);
    fails = !y || hy_error(M->F);
    for (i = 0; i < s->nout && !fails; i++) {
        M->other[s->out + i] = s->nout == 1 && !y->count ? y : hy_get(M->F, y, i);
        many |= hy_size(M->F, M->v[s->out + i]) > PG_MOST || hy_size(M->F, M->other[s->out + i]) > PG_MOST;
        fails |= !M->other[s->out + i] || hy_error(M->F);
    }
    hy_clear(M->F);
    if (many || (fails && pg_choose(M, "fails elsewhere", M->P->nvalue, 24))) return 0;
    M->lost |= fails;
    return 1;
}

/* --- steps --- */
static int pg_keep_len(pg_maker *M, const char *name, int n, const int *refs)
{
    hy_len kept[PG_SIZES];
    pg_walk W = pg_walk_of(M);
    pg_step s;
    int i, at;
    memset(&s, 0, sizeof s);
    s.kind = PG_LEN;
    snprintf(s.op, sizeof s.op, "%s", name);
    for (at = i = 0; i < 3; i++)
        at += snprintf(s.attrs + at, sizeof s.attrs - (size_t)at, "%d ", pg_choose(M, name, i, 64));
    snprintf(s.attrs + at, sizeof s.attrs - (size_t)at, "%d", !M->depth && pg_choose(M, "kept", 0, 2));
    s.n = n;
    for (i = 0; i < n; i++) if ((s.in[i] = refs[i]) == PG_NOTHING) return PG_NOTHING;
    for (i = 0; i < PG_SIZES; i++) kept[i] = hy_len_is(M->P->set[0][i]);
    W.kept = kept;
    return pg_keep_step(M, &s, pg_run_step(M->F, &W, &s));
}
/* A value with the dims and type of another: in a body, and elsewhere. */
static int pg_len_alike(pg_maker *M, int ref, hy_array *x)
{
    int refs[2], i;
    refs[0] = ref;
    refs[1] = PG_NOTHING;
    for (i = M->nseen - 1; i >= 0 && refs[1] == PG_NOTHING; i--)
        if (pg_made(M, M->seen[i]) == x) refs[1] = M->seen[i];
    if (refs[1] == PG_NOTHING) return refs[1];
    ref = pg_keep_len(M, "like", 2, refs);
    if (ref == PG_NOTHING || hy_dtype_of(M->F, pg_made(M, ref)) == hy_dtype_of(M->F, x)) return ref;
    return pg_glue(M, ref, "cast", "dtype=%s", hy_dtype_name(hy_dtype_of(M->F, x)));
}
static int pg_len_real(pg_maker *M, int ref)
{
    if (ref == PG_NOTHING || hy__floating(hy_dtype_of(M->F, pg_made(M, ref)))) return ref;
    return pg_glue(M, ref, "cast", "dtype=float32");
}
static int pg_len_one(pg_maker *M)
{
    int ref = pg_len_real(M, pg_pick(M, "one", 0));
    return pg_keep_len(M, "one", 1, &ref);
}

/* Operators that take any size. %d: an axis, the number of which is the place's. */
static int pg_draw_free_op(pg_maker *M, int x)
{
    static const char *const ops[] = {
        "tanh ", "sin ", "abs ", "square ", "sigmoid ", "relu ", "clip a_min=-1 a_max=1.5", "ones_like ",
        "softmax axis=%d", "log_softmax axis=%d", "softmax axis=-1", "cumsum axis=%d", "reverse axis=%d",
        "repeat repeats=2 axis=%d", "expand_dims axis=%d", "expand_dims axis=0", "sum axis=%d keepdims=True",
        "mean axis=%d keepdims=True", "max axis=%d keepdims=True", "sum axis=%d", "mean axis=%d",
        "max axis=%d", "reshape shape=(0,-1)", "reshape shape=(-3,-2)", "reshape shape=(-1,)", "identity ",
        "reshape shape=(-2,1)", "reshape shape=(-1,1,0) reverse=True", "flatten ", "transpose ",
        "slice_axis axis=%d begin=0 end=2", "swap_axes dim1=0 dim2=%d", "tile reps=(2,1)", "squeeze ",
        "zeros_like ", "stack axis=%d num_args=1", "concat dim=%d", "shape_array ", "size_array ",
        "arange_like axis=%d", "cast dtype=float64", "stop_gradient ", "min axis=%d", "prod axis=%d",
        /* which tie a trace to numbers */
        "argsort axis=%d", "sort axis=%d", "slice_axis axis=%d begin=-2 end=None",
        "slice_axis axis=%d begin=0 end=-1", "slice_axis axis=%d begin=1 end=None",
        "slice begin=(0,) end=(None,) step=(2,)", "slice begin=(None,) end=(None,) step=(-1,)",
        "argmax axis=%d", "topk axis=%d k=2 ret_typ=value", "l2_normalization mode=instance", "norm axis=%d",
        "argmin axis=%d keepdims=True", "pad mode=constant pad_width=(0,0,0,0,1,0,0,1)",
    };
    const int ndim = hy_ndim(M->F, pg_made(M, x));
    const int ties = 13, n = (int)(sizeof ops / sizeof *ops) - (M->sized > 1 ? ties : 0);
    const char *op = ops[pg_choose(M, "free", 0, n)], *space = strchr(op, ' ');
    char name[48], format[64];
    snprintf(name, sizeof name, "%.*s", (int)(space - op), op);
    snprintf(format, sizeof format, "%s", space + 1);
    if (!ndim && strchr(format, '%')) return PG_NOTHING;
    return pg_glue(M, x, name, format, pg_choose(M, "free axis", 0, ndim));
}
/* Two values: side by side, their sum or product. */
static int pg_draw_free_pair(pg_maker *M, int x, int y)
{
    static const char *const ops[] = { "add", "mul", "sub", "maximum", "elemwise_add", "broadcast_like",
                                       "slice_like", "elemwise_mul", "hypot", "reshape_like" };
    const int which = pg_choose(M, "pair", 0, 14);
    char attrs[16] = "";
    hy_array *in[2];
    pg_step s;
    memset(&s, 0, sizeof s);
    if (which > 9) snprintf(attrs, sizeof attrs, "dim=%d", pg_choose(M, "pair axis", 0, 3));
    snprintf(s.op, sizeof s.op, "%s", which > 9 ? which > 11 ? "extend" : "concat" : ops[which]);
    if (which > 11) snprintf(attrs, sizeof attrs, "axis=%d", pg_choose(M, "pair axis", 0, 3));
    snprintf(s.attrs, sizeof s.attrs, "%s", attrs);
    s.n = 2;
    in[0] = pg_made(M, s.in[0] = x);
    in[1] = pg_made(M, s.in[1] = y);
    return pg_keep_step(M, &s, hy_apply(M->F, s.op, 2, in, s.attrs));
}
static int pg_draw_free_layer(pg_maker *M, int x)
{
    switch (pg_choose(M, "sized layer", 0, 7)) {
    case 0: case 1: return pg_net_layer(M, "dense", x, "%d %d 0 1", 2 + pg_choose(M, "units", 0, 5),
                                        pg_choose(M, "act", 0, 4));
    case 2: return pg_net_layer(M, "layer_norm", x, "0 0");
    case 3: return pg_net_layer(M, "dropout", x, "2");
    case 4: return pg_net_layer(M, "recurrent", x, "%d 3 1 0 %d 0 0", pg_choose(M, "cell", 0, 3),
                                pg_choose(M, "layout", 0, 2));
    case 5: return pg_net_layer(M, "conv", x, "%d 4 1 1 0 1 1 1 0", (int)hy_ndim(M->F, pg_made(M, x)) - 2);
    default: return pg_net_layer(M, "batch_norm", x, "1 0 0 0");
    }
}

static int pg_draw_len(pg_maker *M)
{
    static const ops_input small = { OPS_REAL, -1, 1 };
    static const char *const one[] = {
        "merge", "merge", "flat", "turn", "turn", "spread", "spread", "lead",
        "ones", "weigh", "weigh", "data", "data", "rows", "rows", "rows", "shifted", "back", "grow", "grow",
        "head", "mask", "shape", "bound", "split", "split", "fold", "bound", "value", "value", "dim", "put",
    };
    const int ties = 9;                 /* the last of these tie a trace to numbers */
    const hy_shape places = { 1, { 7 } };
    int refs[2], w = pg_choose(M, "sized", 0, 100), k;
    if ((refs[0] = pg_pick(M, "sized", 0)) == PG_NOTHING) return PG_NOTHING;
    refs[1] = pg_pick(M, "other", 0);
    if (w < 25) return pg_show(M, pg_draw_free_op(M, refs[0]));
    if ((refs[0] = pg_len_real(M, refs[0])) == PG_NOTHING) return PG_NOTHING;
    if (w < 33) return pg_show(M, pg_draw_free_pair(M, refs[0], refs[1]));
    if (w < 39) return pg_draw_free_layer(M, refs[0]);
    k = (int)(sizeof one / sizeof *one) - (M->sized > 1 ? ties : 0);
    if (w < 84)
        return pg_show(M, pg_keep_len(M, one[pg_choose(M, "which", 0, k)],
                                      1 + (refs[1] >= 0 && pg_choose(M, "two", 0, 3) == 0), refs));
    if ((refs[1] = pg_len_real(M, refs[1])) == PG_NOTHING) return PG_NOTHING;
    if (w < 88) return pg_show(M, pg_keep_len(M, "like", 2, refs));
    if (w < 93) return pg_show(M, pg_keep_len(M, "sum", 2, refs));
    if (w < 96) {                       /* which row of a table belongs to a place */
        refs[1] = pg_add_leaf(M, M->owner ? PG_CONST : PG_PARAM, HY_F32, places, &small);
        return refs[1] == PG_NOTHING ? refs[1] : pg_show(M, pg_keep_len(M, "table", 2, refs));
    }
    k = pg_show(M, pg_keep_len(M, "scores", 1, refs));  /* attention */
    if (k != PG_NOTHING && pg_choose(M, "masked", 0, 3)) k = pg_show(M, pg_keep_len(M, "mask", 1, &k));
    k = pg_net_op(M, "softmax", k, "axis=-1");
    refs[1] = refs[0];
    refs[0] = k;
    return pg_show(M, pg_keep_len(M, "weighted", 2, refs));
}

/* --- the whole --- */
/* Sizes of calls: others, several alike, none, one, many, those of an earlier call. */
static void pg_draw_sets(pg_maker *M, int symbols)
{
    static const int pool[] = { 2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 10, 11 };
    pg_program *P = M->P;
    int i, k, w, which;
    const int alike = !pg_choose(M, "alike", 0, 4);
    P->nset = 3 + pg_choose(M, "sets", 0, PG_SETS - 2);
    for (i = 0; i < P->nset; i++) {
        int *to = P->set[i];
        w = i < 2 ? 0 : pg_choose(M, "set", i, 10);
        which = pg_choose(M, "which size", i, symbols);
        for (k = 0; k < PG_SIZES; k++) to[k] = pool[pg_choose(M, "size", 16 * i + k, 12)];
        for (k = 1; k < PG_SIZES && i == 1; k++) while (to[k] == to[0] || to[k] == to[k - 1]) to[k]++;
        for (k = 0; k < PG_SIZES && i == 0; k++)
            to[k] = alike ? 2 + which : 2 + pg_choose(M, "size", k, 5);
        for (k = 0; k < PG_SIZES && w > 1 && w < 4; k++)    /* the same product */
            to[k] = P->set[0][w == 2 ? (k + 1) % symbols : k];
        if (w == 3 && to[1] % 2 == 0) { to[0] *= 2; to[1] /= 2; }
        if (w == 4) for (k = 0; k < PG_SIZES; k++) to[k] = P->set[pg_choose(M, "size of", i, i)][which];
        if (w == 5) to[which] = 0;
        if (w == 6) to[which] = 1;
        if (w == 7) to[which] = 12 + pg_choose(M, "many", i, 12);
        if (w > 7) memcpy(to, P->set[pg_choose(M, "set of", i, i)], sizeof P->set[0]);
    }
    if (!pg_choose(M, "first", 0, 12)) P->set[0][0] = pg_choose(M, "first", 1, 2);
}
/* An input; like: some dims are those of the first. */
static int pg_add_sized(pg_maker *M, int i, int symbols)
{
    static const ops_input whole = { OPS_INT, 0, 3 };
    static const int sizes[] = { 4, 3, 2, 6, 1, 4 };
    pg_leaf_kind kind = PG_INPUT;
    hy_dtype dtype = pg_choose(M, "sized type", i, 12) ? HY_F32 : HY_F64;
    const pg_leaf *first = &M->P->leaf[0];
    pg_leaf *leaf;
    hy_shape s;
    int d, size[HY_MAX_DIM] = { 0 }, some = 0, ref;
    s.ndim = 1 + pg_choose(M, "sized dims", i, 4);
    if (i && pg_choose(M, "like the first", i, 3)) s.ndim = first->shape.ndim;
    for (d = 0; d < s.ndim; d++) {
        if (pg_choose(M, "a symbol", 16 * i + d, 5) < 3)
            size[d] = 1 + pg_choose(M, "symbol", 16 * i + d, symbols);
        if (i && s.ndim == first->shape.ndim && pg_choose(M, "as there", 16 * i + d, 4))
            size[d] = first->size[d];
        if (d + 1 == s.ndim && !some && !size[d]) size[d] = 1;
        some |= size[d];
        s.dim[d] = size[d] ? M->P->set[0][size[d] - 1] : sizes[pg_choose(M, "sized dim", i ? d : 16 + d, 6)];
        if (i && !size[d] && s.ndim == first->shape.ndim && !first->size[d]) s.dim[d] = first->shape.dim[d];
    }
    ref = pg_add_leaf(M, kind, dtype, s, i && !pg_choose(M, "whole", i, 5) ? &whole : &pg_plain);
    if (ref == PG_NOTHING) return ref;
    leaf = &M->P->leaf[~ref];
    memcpy(leaf->size, size, sizeof size);
    return M->seen[M->nseen++] = ref;
}
static void pg_draw_sized(pg_maker *M, int n)
{
    const uint64_t place = M->place;
    const int symbols = 1 + pg_choose(M, "symbols", 0, PG_SIZES);
    int i, refs[2], leaves = 1 + pg_choose(M, "sized leaves", 0, 3);
    pg_draw_sets(M, symbols);
    for (i = 0; i < leaves; i++) pg_add_sized(M, i, symbols);
    M->sized = 1 + (pg_choose(M, "calm", 0, 5) > 0);
    pg_draw_steps(M, M->sized > 1 ? 2 + n / 3 : 2 + n);
    if (!pg_choose(M, "the rest", 0, 3)) {      /* what any program has, on values of a shape that stays */
        M->place = pg_mix(place + 100);
        refs[0] = pg_len_real(M, pg_pick(M, "fixed", 0));
        refs[1] = M->nseen ? M->seen[M->nseen - 1] : PG_NOTHING;
        i = refs[0] == PG_NOTHING ? refs[0] : pg_keep_len(M, "fixed", 1, refs);
        if (i != PG_NOTHING) {
            M->nseen = 0;
            pg_show(M, i);
            M->sized = 0;
            pg_draw_steps(M, 1 + pg_choose(M, "more", 0, 5));
            M->sized = 2;
            M->place = pg_mix(place + 101);
            refs[0] = pg_len_one(M);
            if (refs[0] != PG_NOTHING && refs[1] != PG_NOTHING && pg_choose(M, "back", 0, 3)) {
                M->seen[M->nseen++] = refs[1];
                pg_show(M, pg_draw_free_pair(M, refs[1], refs[0]));
                M->place = pg_mix(place + 102);
                pg_draw_steps(M, 1 + pg_choose(M, "again", 0, 3));
            }
        }
    }
    M->sized = 0;
    M->place = place;
}
#endif
