/* Operators that are written out in others and become one when a program is compiled: each way of writing, and
 * near misses, which stay as they are to the bit. */

typedef struct written_case { hy_frame *S; hy_array *x, *y, *g, *b, *also; } written_case;       /* also: a second output */
typedef hy_array *(*written_fn)(written_case *c, int how, int miss);

/* x / 2 (1 + erf(x / sqrt(2))), in several orders. */
static hy_array *written_gelu(written_case *c, int how, int miss)
{
    hy_frame *S = c->S;
    hy_array *x = c->x, *z, *e, *o, *of = miss == 1 ? c->y : x;
    const double said = hy_dtype_of(S, x) == HY_F64 ? 1.4142135623730951 : 1.4142135381698608;
    const double root = miss == 2 ? 1.41422 : said, half = miss == 3 ? 0.5001 : 0.5;
    z = how % 2 ? hy_mul_scalar(S, of, 1 / root) : hy_div_scalar(S, of, root);
    e = miss == 4 ? hy_tanh(S, z) : miss == 5 ? hy_erf(S, hy_negative(S, z)) : hy_erf(S, z);
    o = miss == 6 ? hy_rsub_scalar(S, e, 1) : hy_add_scalar(S, e, miss == 7 ? 1.001 : 1);
    if (miss == 8) c->also = e;
    if (miss == 9) c->also = hy_exp(S, o);
    if (miss == 10) return hy_mul_scalar(S, hy_mul(S, c->y, o), half);
    if (miss == 11) return hy_mul_scalar(S, hy_mul(S, hy_expand_dims(S, hy_slice_axis(S, x, 0, 0, 1), 0), o), half);
    switch (how % 4) {
    case 0:  return hy_mul_scalar(S, hy_mul(S, x, o), half);
    case 1:  return hy_mul(S, hy_mul_scalar(S, x, half), o);
    case 2:  return hy_mul(S, hy_div_scalar(S, o, 1 / half), x);
    default: return hy_div_scalar(S, hy_mul(S, o, x), 1 / half);
    }
}

/* x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), in several orders. */
static hy_array *written_tanh(written_case *c, int how, int miss)
{
    hy_frame *S = c->S;
    hy_array *x = c->x, *cube, *u, *o, *of = miss == 1 ? c->y : x;
    const double small = miss == 2 ? 0.0447 : 0.044715, root = miss == 3 ? 0.79 : 0.7978845608028654;
    cube = how % 3 == 0 ? hy_power_scalar(S, of, miss == 4 ? 4 : 3) : how % 3 == 1 ? hy_mul(S, of, hy_square(S, of))
                                                                              : hy_mul(S, hy_mul(S, of, of), of);
    if (miss == 4 && how % 3) cube = hy_mul(S, cube, of);
    if (how < 3) u = hy_mul_scalar(S, hy_add(S, miss == 5 ? hy_mul_scalar(S, x, 2) : x, hy_mul_scalar(S, cube, small)), root);
    else {
        cube = miss == 4 ? hy_power_scalar(S, of, 3) : hy_square(S, of);
        u = hy_add_scalar(S, hy_mul_scalar(S, cube, small), miss == 5 ? 2 : 1);
        u = hy_mul(S, hy_mul_scalar(S, x, root), u);
    }
    if (miss == 6) u = hy_negative(S, u);
    if (miss == 7) c->also = u;
    o = hy_add_scalar(S, miss == 8 ? hy_erf(S, u) : hy_tanh(S, u), miss == 9 ? 0.9 : 1);
    if (miss == 10) return hy_mul(S, x, o);
    return how % 2 ? hy_mul(S, hy_mul_scalar(S, x, 0.5), o) : hy_mul_scalar(S, hy_mul(S, x, o), 0.5);
}

/* x tanh(log(1 + exp(x))) */
static hy_array *written_mish(written_case *c, int how, int miss)
{
    hy_frame *S = c->S;
    hy_array *x = c->x, *of = miss == 1 ? c->y : x, *s = how < 2 ? hy_softrelu(S, of) : hy_activation(S, of, HY_ACT_SOFTRELU), *t;
    if (miss == 2) s = hy_sigmoid(S, x);
    if (miss == 3) c->also = s;
    if (miss == 4) s = hy_mul_scalar(S, s, 1.01);
    t = miss == 5 ? hy_erf(S, s) : how == 2 ? hy_activation(S, s, HY_ACT_TANH) : hy_tanh(S, s);
    if (miss == 6) t = hy_tanh(S, t);
    if (miss == 7) c->also = t;
    if (miss == 8) return hy_mul(S, hy_mul_scalar(S, x, 2), t);
    if (miss == 9) return hy_add(S, x, t);
    if (miss == 10) return hy_mul(S, c->y, t);
    return how % 2 ? hy_mul(S, t, x) : hy_mul(S, x, t);
}

/* x min(6, max(0, x + 3)) / 6 */
static hy_array *written_hard_swish(written_case *c, int how, int miss)
{
    hy_frame *S = c->S;
    hy_array *x = c->x, *s = hy_add_scalar(S, miss == 1 ? c->y : x, miss == 2 ? 2.9 : 3);
    const double six = miss == 3 ? 6.1 : 6;
    if (miss == 4) s = hy_mul_scalar(S, s, 2);
    if (miss == 5) c->also = s;
    s = hy_clip(S, s, miss == 6 ? -1 : 0, miss == 7 ? 5 : 6);
    if (miss == 8) c->also = s;
    if (miss == 9) return hy_mul(S, x, s);
    if (miss == 10) return hy_div_scalar(S, hy_mul(S, c->b, s), six);
    return how ? hy_mul(S, hy_div_scalar(S, s, six), x) : hy_div_scalar(S, hy_mul(S, x, s), six);
}

/* (x - mean) / sqrt(mean of its square + eps) g + b along axis `how / 4`, counted from behind where it is the last. */
static hy_array *written_norm(written_case *c, int how, int miss)
{
    hy_frame *S = c->S;
    hy_reduce_opt keep = { 1, 0 };
    const int axis = how / 4 == 2 ? -1 : how / 4, other = how / 4 ? 0 : 1;
    hy_array *x = c->x, *g = c->g, *b = c->b, *d, *q, *v, *r;
    d = hy_sub(S, x, hy_mean(S, miss == 1 ? c->y : x, miss == 2 ? HY_AXES(other) : HY_AXES(axis), &keep));
    q = how % 4 == 0 ? hy_square(S, d) : how % 4 == 1 ? hy_power_scalar(S, d, 2) : hy_mul(S, d, miss == 3 ? x : d);
    if (miss == 3 && how % 4 < 2) q = hy_square(S, x);
    if (miss == 4) q = hy_abs(S, d);
    v = miss == 5 ? hy_mean(S, q, HY_AXES(0, 1), &keep) : hy_mean(S, q, miss == 6 ? HY_AXES(other) : HY_AXES(axis), &keep);
    if (miss == 7) v = hy_mul_scalar(S, v, 1.25);
    if (miss == 8) c->also = v;
    if (miss == 9) c->also = d;
    if (miss != 10) v = hy_add_scalar(S, v, 1e-5);
    if (miss == 11) g = hy_reshape(S, c->g, how / 4 == 1 ? HY_INTS(-1, 1, 1) : HY_INTS(1, -1, 1), NULL);
    if (miss == 12) b = c->y;
    if (how % 4 < 2) r = hy_mul(S, hy_div(S, d, how % 4 ? hy_power_scalar(S, v, 0.5) : hy_sqrt(S, v)), g);
    else r = hy_mul(S, hy_mul(S, d, how % 4 == 2 ? hy_rsqrt(S, v) : hy_power_scalar(S, v, -0.5)), g);
    if (miss == 13) r = hy_mul_scalar(S, r, 1.01);
    return how % 2 ? hy_add(S, b, r) : hy_add(S, r, b);
}

static const struct written_row { const char *what, *op; written_fn fn; int ways, misses; } written_rows[] = {
    { "gelu", "leaky_relu", written_gelu, 4, 11 }, { "gelu by tanh", "sigmoid", written_tanh, 6, 10 },
    { "mish", "mish", written_mish, 4, 10 }, { "hard swish", "hard_sigmoid", written_hard_swish, 2, 10 },
    { "layer norm", "layer_norm", written_norm, 12, 13 } };

/* One way of writing: the operator comes of it, or of a near miss none, and the values are those of the formula, which
 * f64 computes as it is written. */
static void written_out_of(const struct written_row *row, int how, int miss, hy_dtype dtype)
{
    hy_frame *F = hy_open(NULL);
    hy_var_opt opt = { { 0 }, 1, HY_F32, 0 };
    hy_array *in[4], *wide[4], *heads, *got, *want, *exact;
    const int norm = row->fn == written_norm, axis = norm ? how / 4 : 2;
    hy_graph *g, *o, *w;
    written_case c;
    hy_optimize_opt how_far = { 0 };
    int k;
    c.S = hy_symbolic(F);
    c.also = NULL;
    opt.shape = HY_SHAPE(5, 5, 5);
    opt.dtype = dtype;
    c.x = hy_var(c.S, "x", &opt);
    c.y = hy_var(c.S, "y", &opt);
    opt.shape = axis == 0 ? HY_SHAPE(5, 1, 1) : axis == 1 ? HY_SHAPE(1, 5, 1) : HY_SHAPE(5);
    c.g = hy_var(c.S, "g", &opt);
    c.b = hy_var(c.S, "b", &opt);
    for (k = 0; k < 4; k++) {
        wide[k] = hy_normal(F, k < 2 ? HY_SHAPE(5, 5, 5) : opt.shape, 0.3, 1.5);
        in[k] = hy_cast(F, wide[k], dtype);
        wide[k] = hy_cast(F, in[k], HY_F64);
    }
    heads = row->fn(&c, how, miss);
    heads = hy_group(c.S, heads, c.also ? c.also : hy_add(c.S, hy_add(c.S, c.x, c.y), hy_add(c.S, c.g, c.b)));
    g = hy_compile(c.S, heads);
    how_far.off = HY_PASS_ALL & ~(HY_PASS_ATTENTION | HY_PASS_CSE);
    o = g ? hy_optimize(F, g, hy_group_of(F, 4, in), &how_far) : NULL;
    if (!CHECK(o != NULL)) printf("    %s, way %d, miss %d: %s %s\n", row->what, how, miss, hy_error(F) ? hy_error(F) : "",
                                  hy_error(c.S) ? hy_error(c.S) : "");
    if (o && !CHECK((passes_named(o, row->op) == 1) == !miss)) printf("    %s, way %d, miss %d\n", row->what, how, miss);
    got = passes_plain(F, o, hy_group_of(F, 4, in));
    exact = passes_plain(F, g, hy_group_of(F, 4, in));
    if (miss) CHECK(passes_same(F, got, exact));
    else {
        const double most = dtype == HY_F64 ? 1e-14 : dtype == HY_F32 ? 2e-6 : 4e-3;
        want = NULL;
        w = hy_compile(c.S, heads);
        for (k = 0; w && k < w->vars; k++) w->var[k]->constant.type.dtype = HY_F64;
        want = passes_plain(F, w, hy_group_of(F, 4, wide));
        if (CHECK(got && want) &&
            !CHECK(passes_distance(F, hy_cast(F, hy_get(F, got, 0), HY_F64), hy_get(F, want, 0)) <= most))
            printf("    %s, way %d\n", row->what, how);
        how_far.exact = 1;                      /* nothing changes in exact mode */
        CHECK(passes_named(hy_optimize(F, g, hy_group_of(F, 4, in), &how_far), row->op) == 0);
        how_far.exact = 0;
        how_far.training = 1;                   /* nor where gradients are asked for */
        CHECK(passes_named(hy_optimize(F, g, hy_group_of(F, 4, in), &how_far), row->op) == 0);
    }
    if (hy_error(F)) printf("    %s, way %d, miss %d: %s\n", row->what, how, miss, hy_error(F));
    CHECK(!hy_error(F));
    hy_close(c.S);
    CHECK(hy_close(F) == 0);
}

static void written_out_forms(void)
{
    static const hy_dtype types[] = { HY_F32, HY_F64, HY_F16 };
    size_t r;
    int how, k;
    for (r = 0; r < sizeof written_rows / sizeof *written_rows; r++)
        for (how = 0; how < written_rows[r].ways; how++)
            for (k = 0; k < 3; k++) written_out_of(&written_rows[r], how, 0, types[k]);
}

static void written_out_misses(void)
{
    size_t r;
    int how, miss;
    for (r = 0; r < sizeof written_rows / sizeof *written_rows; r++)
        for (miss = 1; miss <= written_rows[r].misses; miss++)
            for (how = 0; how < written_rows[r].ways; how++) written_out_of(&written_rows[r], how, miss, HY_F32);
}

static void test_written_out(void)
{
    RUN(written_out_forms);
    RUN(written_out_misses);
}
