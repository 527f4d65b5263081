/* hy_einsum against loops over all letters: line by line, compiled, from a file, and its gradient. */

typedef struct einsum_case { const char *subscripts, *shapes; } einsum_case;
static const einsum_case einsum_cases[] = {
    { "ij,jk->ik", "(2,3) (3,4)" }, { "ij,jk", "(2,3) (3,4)" }, { "ij,kj->ki", "(2,3) (4,3)" }, { "i,i->", "(5) (5)" },
    { "i,j->ij", "(3) (4)" }, { "ij->ji", "(2,3)" }, { "ij->", "(2,3)" }, { "ba", "(2,3)" }, { "ijk->k", "(2,3,4)" },
    { "bij,bjk->bik", "(2,3,4) (2,4,5)" }, { "bhqd,bhkd->bhqk", "(2,2,3,4) (2,2,5,4)" }, { "bqhd,bkhd->bhqk", "(2,3,2,4) (2,5,2,4)" },
    { "ijk,jil->kl", "(2,3,4) (3,2,5)" }, { "ij,kl->", "(2,3) (4,2)" }, { "ij,i->ji", "(2,3) (2)" }, { "aij,bj->a", "(2,3,4) (5,4)" },
    { "ii", "(3,3)" }, { "ii->i", "(3,3)" }, { "iij->ij", "(2,2,3)" }, { "iji->j", "(2,3,2)" }, { "iii->i", "(3,3,3)" }, { "aabb->ba", "(2,2,3,3)" },
    { "ii,ij->j", "(2,2) (2,3)" }, { "ij,jk,kl->il", "(2,3) (3,4) (4,5)" }, { "ij,jk,kl,lm->im", "(2,3) (3,2) (2,3) (3,2)" },
    { "i,j,k->kij", "(2) (3) (4)" }, { "ij,ij,ij->i", "(2,3) (2,3) (2,3)" }, { "a,ab,abc->c", "(2) (2,3) (2,3,4)" }, { ",i->i", "() (3)" },
    { "ij, jk -> ik", "(0,3) (3,2)" }, { "ij,jk->ik", "(2,0) (0,3)" }, { "A,a->aA", "(2) (3)" } };

/* Every tuple of letters once. */
static void einsum_reference(hy_frame *F, const char *s, int n, hy_array *const *in, double *y, hy_shape *shape)
{
    char term[8][16] = { "" }, result[64] = "", letters[64] = "";
    int64_t size[128] = { 0 }, at[128] = { 0 }, total = 1, many = 1;
    int k = 0, i, arrow = 0, d, comes[128] = { 0 };
    for (; *s; s++)
        if (*s == ',') k++;
        else if (*s == '-') { arrow = 1; s++; }
        else if (*s != ' ') {
            char one[2] = { *s, 0 };
            strcat(arrow ? result : term[k], one);
            if (!arrow) comes[(int)*s]++;
            if (!strchr(letters, *s)) strcat(letters, one);
        }
    for (i = 'A'; i <= 'z' && !arrow; i++) if (comes[i] == 1) { char one[2] = { (char)i, 0 }; strcat(result, one); }
    for (k = 0; k < n; k++) for (d = 0; term[k][d]; d++) size[(int)term[k][d]] = hy_shape_of(F, in[k]).dim[d];
    for (i = 0; letters[i]; i++) many *= size[(int)letters[i]];
    for (shape->ndim = 0; result[shape->ndim]; shape->ndim++) total *= shape->dim[shape->ndim] = size[(int)result[shape->ndim]];
    for (i = 0; i < total; i++) y[i] = 0;
    for (int64_t m = 0; m < many; m++) {
        int64_t left = m, place;
        double v = 1;
        for (i = 0; letters[i]; i++) { at[(int)letters[i]] = left % size[(int)letters[i]]; left /= size[(int)letters[i]]; }
        for (k = 0; k < n; k++) {
            for (place = d = 0; term[k][d]; d++) place = place * size[(int)term[k][d]] + at[(int)term[k][d]];
            v *= ((const double *)hy_data(F, in[k]))[place];
        }
        for (place = d = 0; result[d]; d++) place = place * size[(int)result[d]] + at[(int)result[d]];
        y[place] += v;
    }
}

static hy_array *einsum_of(hy_frame *F, hy_array *x, void *subscripts) { return hy_einsum(F, (const char *)subscripts, x); }

static int einsum_right(hy_frame *F, hy_array *y, const double *want, const hy_shape *shape)
{
    int ok = y && hy__same_shape(&y->t.type.shape, shape);
    for (int64_t i = 0; ok && i < hy__size(shape); i++)
        ok = fabs(((const double *)hy_data(F, y))[i] - want[i]) <= 1e-12 * (1 + fabs(want[i]));
    return ok;
}

static void einsum_values(void)
{
    double want[400];
    char text[2000], attrs[100];
    size_t i;
    for (i = 0; i < sizeof einsum_cases / sizeof *einsum_cases; i++) {
        const einsum_case *c = &einsum_cases[i];
        hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
        hy_array *in[4], *var[4], *x;
        hy_graph *g;
        hy_shape shape;
        const char *s = c->shapes;
        int n = 0, ok;
        while (compound_shape(&s, &shape)) {
            hy_var_opt o = { 0 };
            o.dtype = HY_F64;
            o.shaped = 1;
            o.shape = shape;
            in[n] = hy_cast(F, hy_uniform(F, shape, -1, 1), HY_F64);
            var[n++] = hy_var(S, "x", &o);
        }
        x = hy_group_of(F, n, in);
        einsum_reference(F, c->subscripts, n, in, want, &shape);
        ok = einsum_right(F, hy_einsum(F, c->subscripts, x), want, &shape);
        g = hy_compile(S, hy_einsum(S, c->subscripts, hy_group_of(S, n, var)));
        ok = ok && einsum_right(F, hy_graph_run(F, g, x), want, &shape);
        sprintf(attrs, "\"subscripts\": \"%s\", \"num_args\": \"%d\"", c->subscripts, n);
        compound_text(text, "_npi_einsum", attrs, n, 1);
        ok = ok && einsum_right(F, hy_graph_run(F, symbol_read(F, text), n == 1 ? in[0] : x), want, &shape);
#ifndef HYBRID_NO_TRAIN
        if (hy__size(&x->item[0]->t.type.shape) && hy__size(&shape))
            ok = ok && hy_check_grad(F, einsum_of, (void *)(uintptr_t)c->subscripts, n == 1 ? in[0] : x, 1e-5) < 1e-6;
#endif
        if (!CHECK(ok)) printf("    %s %s: %s %s\n", c->subscripts, c->shapes, hy_error(F) ? hy_error(F) : "", hy_error(S) ? hy_error(S) : "");
        CHECK(hy_close(S) == 0);
        CHECK(hy_close(F) == 0);
    }
}

static void einsum_errors(void)
{
    static const struct { const char *subscripts; int inputs; const char *says; } cases[] = {
        { "ij,jk->ik", 1, "'ij,jk->ik' is no sum of products of 1 inputs" }, { "ij", 2, "is no sum of products of 2" }, { NULL, 1, "'NULL'" },
        { "i.->i", 1, "is no sum" }, { "ij->ik", 1, "is no sum" }, { "ij->ii", 1, "is no sum" }, { "ij->i->j", 1, "is no sum" },
        { "...j->j", 1, "is no sum" }, { "abcdefghi", 1, "is no sum" }, { "ijk->i", 1, "input 0 has shape (2,3), and 'ijk->i' has 3 letters" },
        { "ij,ji->", 2, "do not broadcast" }, { "ii", 1, "hape" } };
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_ones(F, HY_SHAPE(2, 3)), *wide = hy_ones(F, HY_SHAPE(1, 1, 1, 1, 1));
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        hy_array *y = hy_einsum(F, cases[i].subscripts, cases[i].inputs == 1 ? x : hy_group(F, x, x));
        if (!CHECK(!strcmp(cases[i].says, "hape") || (!y && hy_error(F) && strstr(hy_error(F), cases[i].says))))
            printf("    %s: %s\n", cases[i].subscripts, hy_error(F) ? hy_error(F) : "no error");
        hy_clear(F);
    }
    CHECK(!hy_einsum(F, "abcde,fghij->", NULL) && !hy_einsum(NULL, "i", x));
    CHECK(!hy_einsum(F, "abcde,fghij->abcdefgh", hy_group(F, wide, wide)) || !hy_error(F));
    CHECK(!hy_einsum(F, "abcde,fghij,aj->bcdefghi", hy_group(F, wide, wide, hy_ones(F, HY_SHAPE(1, 1)))));
    FAILS(F, HY_ERROR_UNSUPPORTED, "takes products of more than 8 dims");
    CHECK(hy_close(F) == 0);
}

static void test_einsum(void)
{
    RUN(einsum_values);
    RUN(einsum_errors);
}
