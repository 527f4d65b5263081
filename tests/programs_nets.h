/* Networks of images: each layer takes what one before it gives, and nothing fixes how many images there are.
 * They run with other batch sizes to the end, and have layers in a row that stay in bytes in an int8 copy. */
#ifndef PROGRAMS_NETS_H
#define PROGRAMS_NETS_H

/* A layer by its row and numbers. */
static int pg_net_layer(pg_maker *M, const char *name, int x, const char *format, ...)
{
    va_list args;
    pg_step s;
    if (x == PG_NOTHING || M->P->nlayer == PG_LAYERS) return PG_NOTHING;
    memset(&s, 0, sizeof s);
    s.kind = PG_LAYER_CALL;
    s.dtype = hy_dtype_of(M->F, pg_made(M, x));
    snprintf(s.op, sizeof s.op, "%s", name);
    va_start(args, format);
    vsnprintf(s.attrs, sizeof s.attrs, format, args);
    va_end(args);
    s.n = 1;
    s.in[0] = x;
    return pg_keep_layer(M, &s);
}
/* An operator on two values. */
static int pg_net_join(pg_maker *M, const char *op, int a, int b, const char *attrs)
{
    hy_array *x[2];
    pg_step s;
    if (a == PG_NOTHING || b == PG_NOTHING) return PG_NOTHING;
    memset(&s, 0, sizeof s);
    snprintf(s.op, sizeof s.op, "%s", op);
    snprintf(s.attrs, sizeof s.attrs, "%s", attrs);
    s.n = 2;
    s.in[0] = a;
    s.in[1] = b;
    x[0] = pg_made(M, a);
    x[1] = pg_made(M, b);
    return pg_show(M, pg_keep_step(M, &s, hy_apply(M->F, op, 2, x, attrs)));
}
static int pg_net_op(pg_maker *M, const char *op, int x, const char *attrs)
{
    return pg_show(M, pg_glue(M, x, op, "%s", attrs));
}

static int pg_net_conv(pg_maker *M, int x, int channels, int stride)
{
    const hy_shape in = pg_made(M, x)->t.type.shape;
    const int kernel = 1 + 2 * pg_choose(M, "kernel", 0, 2), given = (int)in.dim[1];
    int groups = 1;
    if (!pg_choose(M, "groups", 0, 5)) groups = given % 2 || pg_choose(M, "depthwise", 0, 2) ? given : 2;
    if (channels % groups) channels = groups;
    if (kernel == 3 && groups == 1 && (channels % 16 == 0 || given % 16 == 0)) M->P->squares = 1;
    return pg_net_layer(M, "conv", x, "%d %d %d %d %d 1 %d %d %d", in.ndim - 2, channels, kernel, stride,
                        kernel / 2, groups, pg_choose(M, "act", 0, 3) ? 1 : pg_choose(M, "other act", 0, 4),
                        pg_choose(M, "bias", 0, 3) == 0);
}
static int pg_net_pool(pg_maker *M, int x)
{
    const hy_shape in = pg_made(M, x)->t.type.shape;
    const int size = 2 + pg_choose(M, "size", 0, 2), stride = 1 + pg_choose(M, "stride", 0, 2);
    int d;
    for (d = 2; d < in.ndim; d++) if (in.dim[d] < size) return PG_NOTHING;
    return pg_net_layer(M, "pool", x, "%d %d %d %d %d %d %d", pg_choose(M, "average", 0, 3) == 0, in.ndim - 2,
                        size, stride, pg_choose(M, "padding", 0, size / 2 + 1), pg_choose(M, "ceil", 0, 2),
                        pg_choose(M, "border", 0, 2));
}
static int pg_net_norm(pg_maker *M, int x)
{
    const int channels = (int)pg_made(M, x)->t.type.shape.dim[1];
    switch (pg_choose(M, "norm", 0, 6)) {
    case 0: return pg_net_layer(M, "group_norm", x, "%d", channels % 2 ? channels : 2);
    case 1: return pg_net_layer(M, "instance_norm", x, "%d", pg_choose(M, "scale", 0, 2));
    case 2: return pg_net_layer(M, "layer_norm", x, "0 0");
    default: return pg_net_layer(M, "batch_norm", x, "1 %d 0 0", pg_choose(M, "centre", 0, 4) == 0);
    }
}
/* What has a size of its own, or moves pixels and channels about. */
static int pg_net_resize(pg_maker *M, int x)
{
    static const char *const ops[] = { "upsampling", "bilinear_resize", "adaptive_avg_pooling", "lrn", "pad",
                                       "depth_to_space", "space_to_depth", "l2_normalization" };
    static const char *const attrs[] = { "scale=2 sample_type=nearest", "height=5 width=4",
        "output_size=(3,2)", "nsize=3", "mode=edge pad_width=(0,0,0,0,1,0,0,1)", "block_size=2",
        "block_size=2", "mode=channel" };
    const hy_shape in = pg_made(M, x)->t.type.shape;
    const int which = pg_choose(M, "resize", 0, 8);
    if (in.ndim != 4 || (!which && in.dim[2] * in.dim[3] > 20)) return PG_NOTHING;
    return pg_net_op(M, ops[which], x, attrs[which]);
}
/* With an earlier value: a sum where the types are alike, or channels side by side; else with a layer's. */
static int pg_net_meet(pg_maker *M, int x)
{
    static const char *const ops[] = { "elemwise_add", "elemwise_add", "add", "maximum" };
    const hy_type t = pg_made(M, x)->t.type;
    const int sums = pg_choose(M, "sum", 0, 3) != 0, first = M->nseen ? pg_choose(M, "from", 0, M->nseen) : 0;
    int i, d, y = PG_NOTHING;
    for (i = 0; i < M->nseen && y == PG_NOTHING; i++) {
        const int ref = M->seen[(first + i) % M->nseen];
        const hy_type *o = &pg_made(M, ref)->t.type;
        if (ref == x || o->dtype != t.dtype || o->shape.ndim != t.shape.ndim) continue;
        for (d = 0; d < t.shape.ndim; d++)
            if (o->shape.dim[d] != t.shape.dim[d] && (d != 1 || sums)) break;
        if (d == t.shape.ndim) y = ref;
    }
    if (y == PG_NOTHING) y = pg_net_conv(M, x, (int)t.shape.dim[1], 1);
    if (!sums) return pg_net_join(M, "concat", x, y, "dim=1");
    return pg_net_join(M, ops[pg_choose(M, "joins", 0, 4)], x, y, "");
}

static int pg_net_step(pg_maker *M, int x)
{
    static const int channels[] = { 4, 4, 8, 8, 16, 3, 6, 5 };
    const int w = pg_choose(M, "network step", 0, 12);
    if (w < 5)
        return pg_net_conv(M, x, channels[pg_choose(M, "channels", 0, 8)], 1 + !pg_choose(M, "stride", 0, 5));
    if (w == 5) return pg_net_pool(M, x);
    if (w == 6) return pg_net_norm(M, x);
    if (w == 7)
        return pg_net_layer(M, "activation", x, "%d",
                            pg_choose(M, "relu", 0, 2) ? 1 : 1 + pg_choose(M, "which act", 0, 13));
    if (w == 8) return pg_net_resize(M, x);
    if (w < 11) return pg_net_meet(M, x);
    return pg_choose(M, "dropped", 0, 2) || hy_size(M->F, pg_made(M, x)) > 400
        ? pg_net_layer(M, "dropout", x, "2")
        : pg_net_layer(M, "deconv", x, "%d 4 2 2 0 1 1 %d 0", hy_ndim(M->F, pg_made(M, x)) - 2,
                       pg_choose(M, "act", 0, 2));
}
/* What classifiers end with. */
static int pg_net_end(pg_maker *M, int x)
{
    const int dims = (int)hy_ndim(M->F, pg_made(M, x)) - 2, way = pg_choose(M, "end", 0, 5);
    if (way == 0) return x;
    if (way > 2) x = pg_net_layer(M, "pool", x, "%d %d", way == 3 ? 3 : 2, dims);
    if (way == 2) x = pg_net_layer(M, "dense", x, "%d 1", 4 + 4 * pg_choose(M, "wide", 0, 4));
    return pg_net_layer(M, "dense", x, "%d 0 %d", 3 + pg_choose(M, "units", 0, 8),
                        pg_choose(M, "bare", 0, 4) == 0);
}

static void pg_draw_network(pg_maker *M)
{
    static const hy_dtype types[] = { HY_F32, HY_F32, HY_F32, HY_F32, HY_F32, HY_F64, HY_F16, HY_BF16 };
    static const int images[] = { 1, 2, 2, 3, 3, 5, 16 };
    const uint64_t place = M->place;
    hy_shape s = { 4, { 0, 0, 0, 0 } };
    int i, y, x, n = 2 + pg_choose(M, "network", 1, 6), d;
    s.dim[0] = images[pg_choose(M, "images", 0, 7)];
    s.dim[1] = 1 + pg_choose(M, "channels", 0, 8);
    for (d = 2; d < 4; d++) s.dim[d] = 3 + pg_choose(M, "pixels", d, s.dim[0] > 5 ? 3 : 5);
    if (!pg_choose(M, "line", 0, 6)) s.ndim = 3;
    x = pg_add_leaf(M, PG_INPUT, types[pg_choose(M, "network type", 0, 8)], s, &pg_plain);
    for (i = 0; i < n && x != PG_NOTHING; i++) {
        M->place = pg_mix(place + (uint64_t)i + 1);
        y = pg_net_step(M, x);
        if (y != PG_NOTHING) x = y;
    }
    M->place = pg_mix(place + 100);
    if (x != PG_NOTHING) pg_net_end(M, x);
    M->place = place;
    M->P->network = 1;
}
#endif
