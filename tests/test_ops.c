#ifndef TEST_OPS_C
#define TEST_OPS_C
/* Proves every row of the operator table against its reference in ops_ref.c: values in every type and on every
 * instruction set, gradients against difference quotients, imperative = traced, 1 thread = 4, strided = packed,
 * the whole = its two halves where it splits,
 * records that print and parse back. */

typedef struct ops_row { int number; const char *name; const ref_op *ref; } ops_row;
#define OPS_ONE(name, ...) { HY_OP_##name, #name, &ref_##name },
#define OPS_BINARY(name, ...) OPS_ONE(name, 0) { HY_OP_elemwise_##name, "elemwise_" #name, &ref_elemwise_##name }, \
    { HY_OP_##name##_scalar, #name "_scalar", &ref_##name##_scalar },
#define OPS_RSCALAR(name, ...) { HY_OP_r##name##_scalar, "r" #name "_scalar", &ref_r##name##_scalar },
static const ops_row ops_rows[] = {
    HY_UNARY_OPS(OPS_ONE) HY_BINARY_OPS(OPS_BINARY) HY_RSCALAR_OPS(OPS_RSCALAR) HY_REDUCE_OPS(OPS_ONE)
    HY_OPS(OPS_ONE, OPS_ONE)
};

/* How many rows have no reference: the lines to add are printed. No test runs then, since all of them walk the rows. */
static int ops_lack_references(void)
{
    size_t i;
    int missing = 0;
    for (i = 0; i < sizeof ops_rows / sizeof *ops_rows; i++) {
        const char *name = ops_rows[i].name;
        const hy_op *op = hy__builtin(ops_rows[i].number);
        if (ops_rows[i].ref->cases) continue;
        missing++;
        printf("%s is an operator without a reference. Add to tests/ops_ref.c\n", name);
        if (op->in == hy__one_in && op->out == hy__one_out && !op->attr)
            printf("    REFA_UNARY(%s, REFA_FLOATS, REF_TRUE, 2e-6, \"\", \"[-9,9]\", the same of a double x, by libm)\n", name);
        else
            printf("    static void refa_%s(ref_case *c) { double *y = refa_like(c, 0, &c->in[0]); ... }\n"
                   "    static const char *const cases_%s[] = { \"(3,4) | attribute=2\", \"(2,1,3)[0,9]\", \"(0,3)\", NULL };\n"
                   "    static const ref_op ref_%s = { REFA_FLOATS, refa_%s, REF_TRUE, NULL, 2e-6, cases_%s };\n",
                   name, name, name, name, name);
    }
    return missing;
}

/* --- a case: "(2,3)[0,1] (4)int[0,5] | axis=1 @training" --- */
typedef enum ops_kind { OPS_REAL, OPS_INT, OPS_PERM, OPS_BOOL, OPS_AUX } ops_kind;
typedef struct ops_input { ops_kind kind; double low, high; } ops_input;
typedef struct ops_case {
    ref_case  ref;
    ops_input input[REF_MAX];
    char      attrs[256];
    uint64_t  seed;
} ops_case;

static double ops_random(uint64_t *seed)                /* [0, 1) */
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

static void ops_fill(ref_tensor *t, const ops_input *in, uint64_t *seed)
{
    int64_t i;
    t->v = (double *)malloc((size_t)(t->size ? t->size : 1) * sizeof *t->v);
    for (i = 0; i < t->size; i++) {
        double u = ops_random(seed);
        switch (in->kind) {
        case OPS_INT:  t->v[i] = floor(in->low + u * (in->high - in->low + 1)); break;
        case OPS_BOOL: t->v[i] = u < 0.5; break;
        case OPS_PERM: t->v[i] = (double)i; break;
        default:       t->v[i] = in->low + u * (in->high - in->low);
        }
    }
    if (in->kind == OPS_PERM)
        for (i = t->size - 1; i > 0; i--) {
            int64_t k = (int64_t)(ops_random(seed) * (double)(i + 1));
            double swap = t->v[i];
            t->v[i] = t->v[k];
            t->v[k] = swap;
        }
}

static const char *ops_parse_input(const char *s, ref_tensor *t, ops_input *in)
{
    char *end;
    t->ndim = 0;
    t->size = 1;
    for (s++; *s != ')'; s = *end == ',' ? end + 1 : end) {
        t->dim[t->ndim] = strtol(s, &end, 10);
        t->size *= t->dim[t->ndim++];
    }
    s++;
    in->kind = !strncmp(s, "int", 3) ? OPS_INT : !strncmp(s, "perm", 4) ? OPS_PERM : !strncmp(s, "bool", 4) ? OPS_BOOL
             : !strncmp(s, "aux", 3) ? OPS_AUX : OPS_REAL;
    s += strspn(s, "intpermboolaux");
    in->low = in->kind == OPS_REAL ? -2 : 0;
    in->high = in->kind == OPS_REAL ? 2 : 1;
    if (*s == '[') {
        in->low = strtod(s + 1, &end);
        in->high = strtod(end + 1, &end);
        s = end + 1;
    }
    return s;
}

static void ops_open_case(ops_case *c, const char *text)
{
    const char *s = text, *mark;
    char *training;
    memset(c, 0, sizeof *c);
    c->seed = 88172645463325252u;
    for (; *s; s++) c->seed = c->seed * 31 + (unsigned char)*s;
    for (s = text; *s && *s != '|'; ) {
        if (*s != '(') { s++; continue; }
        s = ops_parse_input(s, &c->ref.in[c->ref.nin], &c->input[c->ref.nin]);
        ops_fill(&c->ref.in[c->ref.nin], &c->input[c->ref.nin], &c->seed);
        c->ref.nin++;
    }
    mark = strchr(text, '|');
    for (s = mark ? mark + 1 : ""; *s == ' '; s++) continue;
    strncpy(c->attrs, s, sizeof c->attrs - 1);
    training = strstr(c->attrs, "@training");
    if (training) { memset(training, ' ', 9); c->ref.training = 1; }
    c->ref.attrs = c->attrs;
    ref_int8_trim(&c->ref);
}

static void ops_close_case(ops_case *c)
{
    int i;
    for (i = 0; i < c->ref.nin; i++) free(c->ref.in[i].v);
    for (i = 0; i < c->ref.nout; i++) free(c->ref.out[i].v);
}

/* --- arrays for a case --- */
static const char ops_letters[] = "?fdhbcuilo";

static hy_shape ops_shape(const ref_tensor *t)
{
    hy_shape s;
    int d;
    s.ndim = t->ndim;
    for (d = 0; d < t->ndim; d++) s.dim[d] = t->dim[d];
    return s;
}

/* Which type each input has when the first has this one: as inference says, else its own or plain f32 indices. */
static void ops_types(hy_frame *F, const hy_op *op, const ops_case *c, hy_dtype dtype, hy_dtype *types)
{
    union { double align[128]; char bytes[1]; } record;
    hy__call call;
    hy_infer I;
    int i, whole = dtype == HY_I32 || dtype == HY_I64 || hy__floating(dtype);
    char room[512], *key, *value;
    const char *s = c->attrs;
    uint64_t seen = 0;
    hy__record_clear(op, &record);
    while ((s = hy__next_attribute(s, room, sizeof room, &key, &value)) != NULL)
        hy__parse_attribute(F, op, &record, key, value, &seen);
    memset(&I, 0, sizeof I);
    if (hy__call_open(F, &call, op, c->ref.nin, &record)) return;
    for (i = 0; i < c->ref.nin; i++) {
        call.type[i].dtype = i ? HY_DTYPE_NONE : dtype;
        call.type[i].shape = ops_shape(&c->ref.in[i]);
    }
    hy__infer_call(F, &call, op, &record, NULL);
    for (i = 0; i < c->ref.nin; i++) {
        types[i] = call.type[i].dtype;
        if (i && !strcmp(op->name, "embedding")) types[i] = dtype;     /* its dtype attribute is only a fallback */
        if (!types[i]) types[i] = c->input[i].kind == OPS_REAL || whole ? dtype : HY_F32;
    }
    hy__call_close(F, &call);
}

/* An input in its type; strided ones lie in every second place of a larger array. */
static hy_array *ops_array(hy_frame *F, const ref_tensor *t, hy_dtype dtype, int strided)
{
    hy_shape shape = ops_shape(t);
    hy_array *x = hy_from(F, shape, HY_F64, t->v), *wide;
    x = hy_cast(F, x, dtype);
    if (!strided || !shape.ndim || !x) return x;
    shape.dim[shape.ndim - 1] *= 2;
    wide = hy_empty(F, shape, dtype);
    hy_fill(F, wide, 1);
    wide = hy_view_slice(F, wide, -1, 0, HY_NONE, 2);
    hy_assign(F, wide, x);
    return wide;
}

typedef struct ops_inputs { int n; hy_array *x[REF_MAX]; } ops_inputs;

static ops_inputs ops_arrays(hy_frame *F, const hy_op *op, const ops_case *c, hy_dtype dtype, int strided)
{
    ops_inputs in;
    hy_dtype types[REF_MAX];
    int i;
    ops_types(F, op, c, dtype, types);
    in.n = c->ref.nin;
    for (i = 0; i < in.n; i++) in.x[i] = ops_array(F, &c->ref.in[i], types[i], strided && c->input[i].kind != OPS_AUX);
    return in;
}

/* Reads arrays back into the reference's inputs, so that both start from the same rounded numbers. */
static void ops_round_inputs(hy_frame *F, const ops_inputs *in, ops_case *c)
{
    int i;
    for (i = 0; i < in->n; i++)
        hy_to(F, in->x[i], HY_F64, c->ref.in[i].v, (size_t)c->ref.in[i].size * sizeof(double));
}

static int ops_same_bits(hy_frame *F, hy_array *a, hy_array *b)
{
    int i, n = hy_count(F, a);
    if (!a || !b || n != hy_count(F, b)) return 0;
    for (i = 0; i < n; i++) {
        hy_array *x = hy_get(F, a, i), *y = hy_get(F, b, i);
        if (!hy__same_shape(&x->t.type.shape, &y->t.type.shape) || x->t.type.dtype != y->t.type.dtype ||
            !hy_data(x->frame, x) || !hy_data(y->frame, y) || memcmp(x->t.data, y->t.data, (size_t)hy__bytes(&x->t.type))) return 0;
    }
    return 1;
}

/* --- values --- */
static double ops_expected(double v, hy_dtype dtype)
{
    double rounded;
    if (!hy__floating(dtype)) return dtype == HY_BOOL ? v != 0 : trunc(v);
    hy__store(&rounded, dtype, v);
    return hy__load(&rounded, dtype);
}

/* from: the type of the inputs, whose precision bounds that of the result. The allowance is relative to the largest
 * number, or to `least` where sums cancel. */
static int ops_compare_data(const void *data, const hy_type *type, const ref_tensor *want, double tolerance, hy_dtype from,
                            double least)
{
    double largest = least, epsilon = 0, got = 0, allowed;
    hy_shape shape = ops_shape(want);
    hy_dtype dtype = type->dtype;
    int64_t i, bad = -1;
    if (!CHECK(hy__same_shape(&type->shape, &shape))) {
        printf("    %d dims, first %d; want %d, first %d\n", type->shape.ndim, (int)type->shape.dim[0], shape.ndim,
               (int)shape.dim[0]);
        return 0;
    }
    for (i = 0; i < want->size; i++) if (fabs(want->v[i]) < HUGE_VAL && fabs(want->v[i]) > largest) largest = fabs(want->v[i]);
    if (hy__floating(dtype)) epsilon = hy__traits[dtype].epsilon;
    if (hy__floating(dtype) && hy__traits[from].epsilon > epsilon) epsilon = hy__traits[from].epsilon;
    allowed = tolerance * largest * (epsilon / hy__traits[HY_F32].epsilon);
    if (tolerance > 0 && epsilon > hy__traits[HY_F32].epsilon) allowed += largest * epsilon;
    for (i = 0; i < want->size && bad < 0; i++) {
        double w = ops_expected(want->v[i], dtype);
        got = hy__load((const char *)data + i * hy__traits[dtype].size, dtype);
        if (got != w && !(got != got && w != w) && !(fabs(got - w) <= allowed)) bad = i;
    }
    if (!CHECK(bad < 0)) printf("    element %d is %.9g, want %.9g (largest %.3g, %s)\n", (int)bad, got, want->v[bad],
                                largest, hy_dtype_name(dtype));
    return bad < 0;
}
static void ops_compare(hy_frame *F, hy_array *y, const ref_tensor *want, double tolerance, hy_dtype from)
{
    if (CHECK(y)) ops_compare_data(hy_data(F, y), &y->t.type, want, tolerance, from, 0);
}

static void ops_complain(hy_frame *F, const char *where)
{
    if (!hy_error(F)) return;
    CHECK(!"the operator runs");
    printf("    %s: %s\n", where, hy_error(F));
    hy_clear(F);
}

/* Integers and a number that is none: arithmetic on them is an error. */
static int ops_mixes(const hy_op *op, const ops_case *c, hy_dtype dtype)
{
    double v = ref_num(&c->ref, "scalar", 0);
    return op->attr == hy__scalar_attr && op->member < HY__BINARY_equal && !hy__floating(dtype) && v != floor(v);
}

/* One case in one type on one machine's worth of threads and instruction set. */
static void ops_check_values(hy_frame *F, const ops_row *row, const char *text, hy_dtype dtype)
{
    const hy_op *op = hy_op_at(F, row->number);
    ops_case c;
    ops_inputs in, again;
    hy_array *y, *z;
    int i;
    ops_open_case(&c, text);
    hy_begin(F);
    hy_set_training(F, c.ref.training);
    in = ops_arrays(F, op, &c, dtype, 0);
    ops_round_inputs(F, &in, &c);
    hy_seed(F, 7);
    y = hy_apply(F, row->name, in.n, in.x, c.attrs);
    if (ops_mixes(op, &c, dtype)) {
        CHECK(!y && hy_error_code(F) == HY_ERROR_DTYPE && strstr(hy_error(F), "cast the array"));
        hy_clear(F);
    }
    ops_complain(F, "values");
    if (y && row->ref->fn) {
        row->ref->fn(&c.ref);
        if (c.ref.nout && CHECK(hy_count(F, y) == c.ref.nout))         /* none: the numbers are random */
            for (i = 0; i < c.ref.nout; i++) ops_compare(F, hy_get(F, y, i), &c.ref.out[i], row->ref->tolerance, dtype);
        for (i = 0; i < in.n; i++) if (c.input[i].kind == OPS_AUX) ops_compare(F, in.x[i], &c.ref.in[i], 1e-5, dtype);
    }
    if (y) {
        ops_case fresh;
        ops_open_case(&fresh, text);
        again = ops_arrays(F, op, &fresh, dtype, 1);
        hy_seed(F, 7);
        z = hy_apply(F, row->name, again.n, again.x, c.attrs);
        ops_complain(F, "strided");
        CHECK(ops_same_bits(F, y, z));
        ops_close_case(&fresh);
    }
    hy_set_training(F, 0);
    hy_end(F);
    ops_complain(F, "values");
    ops_close_case(&c);
}

/* f32, or what comes first of the types of whole numbers that are all an operator takes. */
static hy_dtype ops_usual(const ops_row *row)
{
    return strchr(row->ref->dtypes, 'f') ? HY_F32 : (hy_dtype)(strchr(ops_letters, row->ref->dtypes[0]) - ops_letters);
}

/* Imperative = traced, with shapes given and without. */
static void ops_check_trace(hy_frame *F, const ops_row *row, const char *text)
{
    const hy_op *op = hy_op_at(F, row->number);
    ops_case c;
    ops_inputs in;
    hy_array *y, *z, *var[REF_MAX], *s;
    hy_frame *S = hy_symbolic(F);
    hy_graph *g;
    int i, shaped;
    ops_open_case(&c, text);
    hy_begin(F);
    hy_set_training(F, c.ref.training);
    in = ops_arrays(F, op, &c, ops_usual(row), 0);
    hy_seed(F, 7);
    y = hy_apply(F, row->name, in.n, in.x, c.attrs);
    for (shaped = 0; shaped < 2 && in.n; shaped++) {
        in = ops_arrays(F, op, &c, ops_usual(row), 0);
        for (i = 0; i < in.n; i++) {
            hy_var_opt opt;
            memset(&opt, 0, sizeof opt);
            opt.shaped = 1;
            opt.shape = hy_shape_of(F, in.x[i]);
            opt.dtype = hy_dtype_of(F, in.x[i]);
            var[i] = hy_var(S, "x", shaped ? &opt : NULL);
        }
        s = hy_apply(S, row->name, in.n, var, c.attrs);
        ops_complain(S, shaped ? "traced with shapes" : "traced without shapes");
        g = s ? hy_compile(S, s) : NULL;
        hy_seed(F, 7);
        z = g ? hy_graph_run(F, g, hy_group_of(F, in.n, in.x)) : NULL;
        ops_complain(F, "traced");
        CHECK(ops_same_bits(F, y, z));
        hy_graph_free(F, g);
        hy_close(S);
        S = hy_symbolic(F);
    }
    hy_close(S);
    hy_set_training(F, 0);
    hy_end(F);
    ops_close_case(&c);
}

/* What split says about slicing along `axis`: fills in which input goes with it. 0 when it says no. */
static int ops_split(hy_frame *F, const hy_op *op, const ops_case *c, const ops_inputs *in, int axis, int *axes)
{
    union { double align[HY__RECORD_MAX / 8]; char bytes[1]; } record;
    hy__call call;
    hy_job job;
    hy_slicing s;
    char room[512], *key, *value;
    const char *text = c->attrs;
    uint64_t seen = 0;
    int i, yes = 0;
    hy__record_clear(op, &record);
    while ((text = hy__next_attribute(text, room, sizeof room, &key, &value)) != NULL)
        hy__parse_attribute(F, op, &record, key, value, &seen);
    if (hy__call_open(F, &call, op, in->n, &record)) return 0;
    for (i = 0; i < in->n; i++) { call.type[i] = in->x[i]->t.type; call.tensor[i] = in->x[i]->t; }
    if (!hy__infer_call(F, &call, op, &record, NULL)) {
        for (i = in->n; i < in->n + call.nout; i++) {
            call.tensor[i].type = call.type[i];
            call.tensor[i].data = NULL;
            hy__pack_strides(&call.tensor[i]);
        }
        for (i = 0; i < in->n; i++) axes[i] = -1;
        s.axis = axes;
        if (!hy__bind_job(F, &job, op, &record, &call)) yes = op->split(&job, axis, &s);
    }
    hy__call_close(F, &call);
    return yes;
}

/* A call that falls apart along an axis gives the same in two parts. */
static void ops_check_split(hy_frame *F, const ops_row *row, const char *text)
{
    const hy_op *op = hy_op_at(F, row->number);
    ops_case c;
    ops_inputs in, half;
    hy_array *y;
    int axis, i, part, axes[REF_MAX];
    if (!op->split || (op->flags & HY_OP_RANDOM)) return;
    ops_open_case(&c, text);
    hy_begin(F);
    in = ops_arrays(F, op, &c, ops_usual(row), 0);
    y = hy_get(F, hy_apply(F, row->name, in.n, in.x, c.attrs), 0);
    for (axis = 0; y && axis < hy_ndim(F, y); axis++) {
        int64_t n = hy_dim(F, y, axis);
        if (n < 2 || !ops_split(F, op, &c, &in, axis, axes)) continue;
        for (part = 0; part < 2; part++) {
            int64_t low = part ? n / 2 : 0, high = part ? n : n / 2;
            hy_array *z, *want = hy_slice_axis(F, y, axis, (int)low, (int)high), *error;
            half = in;
            for (i = 0; i < in.n; i++)
                if (axes[i] >= 0 && CHECK(axes[i] < hy_ndim(F, in.x[i])) && CHECK(hy_dim(F, in.x[i], axes[i]) == n))
                    half.x[i] = hy_slice_axis(F, in.x[i], axes[i], (int)low, (int)high);
            z = hy_get(F, hy_apply(F, row->name, half.n, half.x, c.attrs), 0);
            ops_complain(F, "split");
            if (!z || !CHECK(hy__same_shape(&z->t.type.shape, &want->t.type.shape)) || !hy_size(F, z)) continue;
            error = hy_max(F, hy_abs(F, hy_sub(F, hy_cast(F, z, HY_F32), hy_cast(F, want, HY_F32))), HY_ALL, NULL);
            if (!CHECK(!(hy_item(F, hy_reshape(F, error, HY_INTS(1), NULL)) > 1e-5)))
                printf("    split along axis %d, part %d\n", axis, part);
        }
    }
    hy_end(F);
    ops_complain(F, "split");
    ops_close_case(&c);
}

/* Records print, parse back, and print the same. */
static void ops_check_record(hy_frame *F, const ops_row *row, const char *text)
{
    union { double align[128]; char bytes[1024]; } a, b;
    const hy_op *op = hy_op_at(F, row->number);
    const hy_attr *attr;
    ops_case c;
    char room[512], *key, *value, printed[256], again[256];
    const char *s;
    uint64_t seen = 0;
    hy__line line;
    ops_open_case(&c, text);
    hy__record_clear(op, &a);
    hy__record_clear(op, &b);
    for (s = c.attrs; (s = hy__next_attribute(s, room, sizeof room, &key, &value)) != NULL; )
        CHECK(!hy__parse_attribute(F, op, &a, key, value, &seen));
    for (attr = op->attr; attr && attr->name; attr++) {
        line.text = printed;
        line.cap = sizeof printed;
        line.n = 0;
        printed[0] = again[0] = 0;
        hy__print_value(attr, &a, &line);
        CHECK(hy__parse_value(attr, &b, printed));
        line.text = again;
        line.n = 0;
        hy__print_value(attr, &b, &line);
        CHECK_STR(again, printed);
    }
    ops_close_case(&c);
}

/* --- gradients --- */
typedef struct ops_call { const char *name, *attrs; ops_inputs in; int real[REF_MAX], reals; } ops_call;

/* The operator as a function of its differentiable inputs. */
static hy_array *ops_function(hy_frame *F, hy_array *x, void *user)
{
    ops_call *call = (ops_call *)user;
    ops_inputs in = call->in;
    int i;
    for (i = 0; i < call->reals; i++) in.x[call->real[i]] = hy_get(F, x, i);
    hy_set_training(F, call->in.n >= 0 ? hy_is_training(F) : 0);
    return hy_apply(F, call->name, in.n, in.x, call->attrs);
}

static int ops_all_floating(hy_frame *F, hy_array *y)
{
    int i, all = y != NULL;
    for (i = 0; all && i < hy_count(F, y); i++) all = hy__floating(hy_get(F, y, i)->t.type.dtype);
    return all;
}

static void ops_check_declared(hy_frame *F, const ops_row *row, ops_case *c, ops_call *call, hy_array *x)
{
    const double *dy[REF_MAX];
    double *dx[REF_MAX];
    hy_array *y, *heads[REF_MAX];
    hy_backward_opt opt;
    int i, n;
    int64_t k;
    memset(&opt, 0, sizeof opt);
    for (i = 0; i < call->reals; i++) hy_attach_grad(F, hy_get(F, x, i), HY_GRAD_WRITE);
    hy_record(F);
    hy_set_training(F, c->ref.training);
    y = ops_function(F, x, call);
    hy_pause(F);
    n = hy_count(F, y);
    row->ref->fn(&c->ref);
    for (i = 0; i < n; i++) {
        double *w = (double *)malloc((size_t)(c->ref.out[i].size + 1) * sizeof *w);
        for (k = 0; k < c->ref.out[i].size; k++) w[k] = 0.5 + (double)((k * 7 + i) % 11) / 11;
        heads[i] = hy_from(F, hy_shape_of(F, hy_get(F, y, i)), HY_F64, w);
        dy[i] = w;
    }
    opt.head_grads = hy_group_of(F, n, heads);
    hy_backward(F, y, &opt);
    ops_complain(F, "declared gradient");
    for (i = 0; i < c->ref.nin; i++) dx[i] = (double *)calloc((size_t)c->ref.in[i].size + 1, sizeof **dx);
    row->ref->declared(&c->ref, dy, dx);
    for (i = 0; i < call->reals; i++) {
        ref_tensor want = c->ref.in[call->real[i]];
        want.v = dx[call->real[i]];
        ops_compare(F, hy_grad_of(F, hy_get(F, x, i)), &want, 1e3, HY_F64);
    }
    for (i = 0; i < n; i++) free((void *)dy[i]);
    for (i = 0; i < c->ref.nin; i++) free(dx[i]);
}

/* The gradient of a gradient, where its operators have one. */
static hy_array *ops_slope(hy_frame *F, hy_array *x, void *user)
{
    hy_grad_opt opt;
    hy_array *y, *g, *part[REF_MAX];
    int recording = hy_is_recording(F), training = hy_is_training(F), i;
    memset(&opt, 0, sizeof opt);
    opt.create_graph = 1;
    for (i = 0; i < hy_count(F, x); i++)
        if (!hy_get(F, x, i)->tape) hy_attach_grad(F, hy_get(F, x, i), HY_GRAD_WRITE);
    hy__set_recording(F, 1);
    y = ops_function(F, x, user);
    if (y) opt.head_grads = hy__weights_like(F, y);
    g = y ? hy_grad(F, y, x, &opt) : NULL;
    for (i = 0; i < hy_count(F, x); i++)                /* some do not depend on x, which would be an error */
        part[i] = hy_add(F, hy_get(F, g, i), hy_mul_scalar(F, hy_get(F, x, i), 0));
    g = g ? hy_group_of(F, hy_count(F, x), part) : NULL;
    hy__set_recording(F, recording);
    hy_set_training(F, training);
    return g;
}

/* A large case is moved along a few directions, of which each element is in one: what is wrong in it shows there. */
enum { OPS_MANY = 400, OPS_DIRECTIONS = 61 };
typedef struct ops_moved { hy_function fn; void *user; hy_array *x, *direction[REF_MAX], *sign[REF_MAX]; } ops_moved;

static hy_array *ops_along(hy_frame *F, hy_array *far, void *user)
{
    const ops_moved *m = (const ops_moved *)user;
    hy_array *x[REF_MAX];
    int i;
    for (i = 0; i < hy_count(F, m->x); i++)
        x[i] = hy_add(F, hy_get(F, m->x, i), hy_mul(F, hy_take(F, hy_get(F, far, 0), m->direction[i], 0, NULL), m->sign[i]));
    return m->fn(F, hy_group_of(F, hy_count(F, m->x), x), m->user);
}

static double ops_check_grad(hy_frame *F, hy_function fn, void *user, hy_array *x)
{
    ops_moved m;
    hy_array *far;
    uint64_t seed = 11;
    int64_t k, all = 0;
    int i;
    for (i = 0; i < hy_count(F, x); i++) all += hy_size(F, hy_get(F, x, i));
    if (all < OPS_MANY) return hy_check_grad(F, fn, user, x, 1e-5);
    m.fn = fn;
    m.user = user;
    m.x = x;
    for (i = 0; i < hy_count(F, x); i++) {
        hy_array *a = hy_get(F, x, i);
        double *sign = (double *)malloc((size_t)(hy_size(F, a) + 1) * sizeof *sign);
        int32_t *direction = (int32_t *)malloc((size_t)(hy_size(F, a) + 1) * sizeof *direction);
        for (k = 0; k < hy_size(F, a); k++) {
            direction[k] = (int32_t)((k + 7 * i) % OPS_DIRECTIONS);
            sign[k] = ops_random(&seed) < 0.5 ? -1 : 1;
        }
        m.sign[i] = hy_cast(F, hy_from(F, hy_shape_of(F, a), HY_F64, sign), hy_dtype_of(F, a));
        m.direction[i] = hy_from(F, hy_shape_of(F, a), HY_I32, direction);
        free(sign);
        free(direction);
    }
    far = hy_zeros(F, HY_SHAPE(OPS_DIRECTIONS));
    far = hy_cast(F, far, hy_dtype_of(F, hy_get(F, x, 0)));
    return hy_check_grad(F, ops_along, &m, far, 1e-5);
}

static void ops_check_second(hy_frame *F, ops_call *call, hy_array *x)
{
    double error;
    int i;
    if (!strcmp(call->name, "box_nms")) return;         /* its order jumps */
    for (i = 0; i < call->reals; i++) hy_attach_grad(F, hy_get(F, x, i), HY_GRAD_NULL);
    error = ops_check_grad(F, ops_slope, call, x);
    if (hy_error_code(F) == HY_ERROR_GRADIENT &&
        strstr("digamma bilinear_sampler spatial_transformer _np_norm deformable_convolution _deformable_im2col", call->name)) {
        hy_clear(F);
        hy_pause(F);
        error = 0;
    }
    ops_complain(F, "second gradient");
    if (!CHECK(error < 1e-4)) printf("    second gradient is off by %g\n", error);
}

static void ops_check_gradient(hy_frame *F, const ops_row *row, const char *text)
{
    const hy_op *op = hy_op_at(F, row->number);
    ops_case c;
    ops_call call;
    hy_array *x, *y, *reals[REF_MAX];
    int narrow = strchr(row->ref->dtypes, 'f') && !strchr(row->ref->dtypes, 'd');
    hy_dtype dtype = !strpbrk(row->ref->dtypes, "fdhb") ? ops_usual(row) : narrow ? HY_F32 : HY_F64;   /* as exact as there is */
    double error;
    int i;
    ops_open_case(&c, text);
    memset(&call, 0, sizeof call);
    call.name = row->name;
    call.attrs = c.attrs;
    hy_begin(F);
    call.in = ops_arrays(F, op, &c, dtype, 0);
    for (i = 0; i < call.in.n; i++) {
        if (!call.in.x[i] || c.input[i].kind == OPS_INT || c.input[i].kind == OPS_PERM || c.input[i].kind == OPS_BOOL ||
            c.input[i].kind == OPS_AUX || !hy__floating(call.in.x[i]->t.type.dtype)) continue;
        reals[call.reals] = call.in.x[i];
        call.real[call.reals++] = i;
    }
    x = call.reals ? hy_group_of(F, call.reals, reals) : NULL;
    hy_seed(F, 7);
    y = x ? ops_function(F, x, &call) : NULL;
    ops_complain(F, "gradient");
    if (x && ops_all_floating(F, y) && hy_get(F, y, 0)->t.type.dtype == dtype) switch (row->ref->gradient) {
    case REF_TRUE:
        error = ops_check_grad(F, ops_function, &call, x);
        ops_complain(F, "gradient");
        if (!CHECK(error < 2e-5)) printf("    gradient is off by %g\n", error);
        ops_check_second(F, &call, x);
        break;
    case REF_DECLARED:
        ops_check_declared(F, row, &c, &call, x);
        ops_check_second(F, &call, x);
        break;
    case REF_ELSEWHERE: break;
    case REF_NO_GRADIENT: {
        hy_attach_grad(F, reals[0], HY_GRAD_WRITE);
        hy_record(F);
        y = ops_function(F, x, &call);
        hy_pause(F);
        if (y && hy_get(F, y, 0)->tape) {
            hy_backward(F, y, NULL);
            CHECK(hy_error_code(F) == HY_ERROR_GRADIENT);
            hy_clear(F);
        }
        break;
    }
    default:
        for (i = 0; i < call.reals; i++) hy_attach_grad(F, reals[i], HY_GRAD_WRITE);
        hy_record(F);
        y = ops_function(F, x, &call);
        hy_pause(F);
        if (y && hy_get(F, y, 0)->tape) {
            int64_t k;
            hy_backward(F, y, NULL);
            ops_complain(F, "zero gradient");
            for (k = 0; k < hy_size(F, reals[0]); k++) CHECK(((const double *)hy_data(F, hy_grad_of(F, reals[0])))[k] == 0);
        }
    }
    hy_end(F);
    ops_complain(F, "gradient");
    ops_close_case(&c);
}

/* --- a build of a few operators has what these and their gradients are made of: nothing else is asked for --- */
static unsigned char ops_built[HY_OP_COUNT][HY_OP_COUNT];      /* with the operator of this row: that of this column */
static int ops_second;                                         /* of gradients of gradients all may be asked for */
static unsigned char ops_asked[HY_OP_COUNT][HY_OP_COUNT];      /* ... asked for it, calling or deriving */
static const ops_row *ops_asker;                               /* NULL: whoever asks may have what he likes */
static hy__emit_fn ops_below;

static void ops_list_built(void)
{
    int i, k;
#define OPS_BASIS(op) for (i = 0; i < HY_OP_COUNT; i++) ops_built[i][HY_OP_##op] = 1;
#define OPS_NEEDS(op, needed) ops_built[HY_OP_##op][HY_OP_##needed] = 1;
    HY__BASIS_RUN(OPS_BASIS) HY__BASIS_TRAIN(OPS_BASIS)
    HY__NEEDS_RUN(OPS_NEEDS) HY__NEEDS_TRAIN(OPS_NEEDS) HY__NEEDS_RNN(OPS_NEEDS) HY__NEEDS_VISION(OPS_NEEDS)
    for (k = 0; k < HY_OP_COUNT; k++) ops_built[k][k] = 1;
}

static hy_array *ops_watch(hy_frame *F, const hy_op *op, int n, hy_array *const *in, const void *record, int nsub,
                           hy_graph *const *sub)
{
    const int number = (int)(op->flags >> HY__NUMBER_SHIFT);
    if (ops_asker && number < HY_OP_COUNT && hy__ops[number] == op && !ops_asked[ops_asker->number][number]++ &&
        !ops_second && !CHECK(ops_built[ops_asker->number][number]))
        printf("    its gradient asks for more; add to HY__NEEDS_TRAIN in >>frame: N(%s, %s)\n", ops_asker->name, op->name);
    return ops_below(F, op, n, in, record, nsub, sub);
}

static void ops_check_needs(hy_frame *F, const ops_row *row, const char *text)
{
    ops_case c;
    ops_inputs in;
    hy_array *y;
    hy_backward_opt opt;
    hy_grad_opt twice;
    hy_array *real[16];
    int i, reals = 0, tracked = 0;
    if (row->name[0] == '_') return;                    /* gradients of gradients may ask for more */
    memset(&opt, 0, sizeof opt);
    memset(&twice, 0, sizeof twice);
    ops_open_case(&c, text);
    hy_begin(F);
    in = ops_arrays(F, hy_op_at(F, row->number), &c, ops_usual(row), 0);
    for (i = 0; i < in.n; i++)
        if (in.x[i] && c.input[i].kind == OPS_REAL && hy__floating(in.x[i]->t.type.dtype))
            hy_attach_grad(F, real[reals++] = in.x[i], HY_GRAD_WRITE);
    ops_below = F->emit_below;
    F->emit_below = ops_watch;
    ops_asker = row;
    hy_record(F);
    hy_set_training(F, c.ref.training);
    y = hy_apply(F, row->name, in.n, in.x, c.attrs);
    ops_asker = NULL;
    for (i = 0; y && i < hy_count(F, y); i++) tracked |= hy_get(F, y, i)->tape != NULL;
    if (tracked) opt.head_grads = hy__weights_like(F, y);
    ops_asker = row;
    for (i = 0; opt.head_grads && i < hy_count(F, y); i++)
        hy_attach_grad(F, hy_get(F, opt.head_grads, i), HY_GRAD_WRITE);
    twice.head_grads = opt.head_grads;
    twice.create_graph = opt.retain_graph = 1;
    if (tracked) hy_backward(F, y, &opt);
    hy_clear(F);                                        /* some have no gradient */
    ops_second = 1;
    y = tracked ? hy_grad(F, y, hy_group_of(F, reals, real), &twice) : NULL;
    for (i = tracked = 0; y && i < hy_count(F, y); i++) tracked |= hy_get(F, y, i)->tape != NULL;
    if (tracked) hy_backward(F, y, NULL);
    ops_second = 0;
    ops_asker = NULL;
    F->emit_below = ops_below;
    hy_clear(F);
    hy_pause(F);
    hy_end(F);
    ops_close_case(&c);
}

/* Each pair of HY__NEEDS_TRAIN and its kin is asked for by a case of its row, and nothing else is. */
static void ops_gradients_ask_for_what_is_listed(void)
{
    hy_frame *F = hy_open(NULL);
    size_t i;
    int k;
    memset(ops_asked, 0, sizeof ops_asked);
    for (i = 0; i < sizeof ops_rows / sizeof *ops_rows; i++)
        for (k = 0; ops_rows[i].ref->cases[k]; k++) ops_check_needs(F, &ops_rows[i], ops_rows[i].ref->cases[k]);
#define OPS_IDLE(op, needed) \
    if (#op[0] != '_' && !CHECK(ops_asked[HY_OP_##op][HY_OP_##needed])) \
        printf("    no gradient asks for it; take out of HY__NEEDS_x in >>frame: N(%s, %s)\n", #op, #needed);
#define OPS_LENT(op, needed) ops_asked[HY_OP_##op][HY_OP_##needed] = 1;        /* loops, not gradients */
    HY__NEEDS_IMAGES(OPS_LENT)
    HY__NEEDS_TRAIN(OPS_IDLE) HY__NEEDS_VISION(OPS_IDLE)
    CHECK(hy_close(F) == 0);
}

/* --- frames: every instruction set with one thread, the best with four, and a host's own loop --- */
static void ops_backwards_for(void *user, int64_t n, void (*fn)(void *arg, int64_t i, int worker), void *arg)
{
    (void)user;
    while (n-- > 0) fn(arg, n, (int)(n % 3));
}

typedef struct ops_frames { hy_frame *one[5], *four, *host; int ones; } ops_frames;

static void ops_open_frames(ops_frames *f)
{
    hy_desc desc;
    int isa;
    memset(f, 0, sizeof *f);
    memset(&desc, 0, sizeof desc);
    desc.threads = 1;
    for (isa = HY_ISA_BASE; isa <= HY_ISA_AVX512_BF16; isa++) {
        desc.isa = isa;
        f->one[f->ones] = hy_open(&desc);
        if (hy_isa(f->one[f->ones]) == isa) f->ones++;
        else hy_close(f->one[f->ones]);
    }
    desc.isa = hy_isa(f->one[f->ones - 1]);
    desc.threads = 4;
    f->four = hy_open(&desc);
    desc.threads = 3;
    desc.parallel_for = ops_backwards_for;
    f->host = hy_open(&desc);
}

static void ops_close_frames(ops_frames *f)
{
    int i;
    for (i = 0; i < f->ones; i++) CHECK(hy_close(f->one[i]) == 0);
    CHECK(hy_close(f->four) == 0);
    CHECK(hy_close(f->host) == 0);
}

/* Results of one, four and a host's threads. */
static void ops_check_threads(ops_frames *f, const ops_row *row, const char *text)
{
    hy_frame *frame[3], *F;
    hy_array *y[3];
    ops_case c;
    int i;
    frame[0] = f->one[f->ones - 1];
    frame[1] = f->four;
    frame[2] = f->host;
    for (i = 0; i < 3; i++) {
        ops_inputs in;
        F = frame[i];
        ops_open_case(&c, text);
        hy_begin(F);
        hy_seed(F, 7);
        hy_set_training(F, c.ref.training);
        in = ops_arrays(F, hy_op_at(F, row->number), &c, ops_usual(row), 0);
        y[i] = hy_apply(F, row->name, in.n, in.x, c.attrs);
        hy_set_training(F, 0);
        ops_complain(F, "threads");
        ops_close_case(&c);
    }
    CHECK(ops_same_bits(frame[0], y[0], y[1]));
    CHECK(ops_same_bits(frame[0], y[0], y[2]));
    for (i = 0; i < 3; i++) hy_end(frame[i]);
}

/* Does the first input hold whole numbers? A cast wraps between integers and saturates from floats. */
static int ops_whole_case(const char *text)
{
    const char *kind = strchr(text, ')');
    return kind && (kind[1] == 'i' || kind[1] == 'b' || kind[1] == 'p');
}

static void ops_test_case(ops_frames *f, const ops_row *row, const char *text)
{
    char name[512];
    int i, isa;
    snprintf(name, sizeof name, "%s %s", row->name, text);
    test_begin();
    for (i = 0; row->ref->dtypes[i]; i++) {
        hy_dtype dtype = (hy_dtype)(strchr(ops_letters, row->ref->dtypes[i]) - ops_letters);
        if (row->number == HY_OP_cast && ops_whole_case(text) == hy__floating(dtype)) continue;
        for (isa = 0; isa < (dtype == HY_F32 || !strncmp(row->name, "int8_", 5) ? f->ones : 1); isa++)
            ops_check_values(f->one[f->ones - 1 - isa], row, text, dtype);
    }
    ops_check_trace(f->one[f->ones - 1], row, text);
    ops_check_threads(f, row, text);
    ops_check_split(f->one[f->ones - 1], row, text);
    ops_check_record(f->one[0], row, text);
    ops_check_gradient(f->one[f->ones - 1], row, text);
    test_end(name);
}

static void ops_test_table(void)
{
    hy_frame *F = hy_open(NULL);
    int i, k, mxnet = 0;
    for (i = 0; i < HY_OP_COUNT; i++) {
        const hy_op *op = hy_op_at(F, i);
        const hy_attr *a;
        CHECK(op->doc && op->doc[0]);
        CHECK(hy_op_find(F, op->name) == op);
        CHECK(!op->mxnet || hy_op_find(F, op->mxnet));
        CHECK(op->record <= HY__RECORD_MAX);
        mxnet += op->mxnet != NULL;
        for (k = 0; k < i; k++) CHECK(strcmp(hy_op_at(F, k)->name, op->name) != 0);
        for (a = op->attr; a && a->name; a++) {
            CHECK(a->doc && a->doc[0]);
            if (a->option && a->missing == 0) continue;
            CHECK(!a->option || a->kind == HY_ATTR_real || a->kind == HY_ATTR_int || a->kind == HY_ATTR_oint ||
                  a->kind == HY_ATTR_i64 || a->kind == HY_ATTR_dtype);
        }
    }
    CHECK(hy_op_at(F, HY_OP_COUNT) == NULL);
    CHECK(mxnet >= 200);
    hy_close(F);
}

/* --- what detectors end with: what cannot be right is refused, and what files may hold does no harm --- */
static void ops_test_box_errors(void)
{
    static const char *const wrong[][2] = {
        { "coord_start=3", "coord_start is 3 of 6 columns" }, { "coord_start=-1", "coord_start is -1" },
        { "score_index=4", "score_index is 4, but of 6 columns 2 to 5 are coordinates" },
        { "score_index=6", "score_index is 6" }, { "id_index=2", "id_index is 2" },
        { "id_index=1", "id_index and score_index are both 1" }, { "in_format=middle", "corner|center" } };
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_ones(F, HY_SHAPE(3, 6)), *rois = hy_zeros(F, HY_SHAPE(1, 5));
    hy_array *image = hy_ones(F, HY_SHAPE(1, 2, 3, 3)), *in[3];
    size_t i;
    {   /* a shape whose boxes cannot be counted, while nothing is made */
        hy_frame *S = hy_symbolic(F);
        hy_var_opt huge = { 0 };
        hy_array *data;
        huge.shape = HY_SHAPE(1, 1, INT64_C(0x7fffffff), INT64_C(0x7fffffff));
        huge.shaped = 1;
        data = hy_var(S, "data", &huge);
        hy_apply(S, "_contrib_MultiBoxPrior", 1, &data, "sizes=(0.5,0.2) ratios=(1,2,3)");
        CHECK(hy_error(S) && strstr(hy_error(S), "too large"));
        hy_clear(S);
        hy_close(S);
    }
    for (i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK(!hy_apply(F, "_contrib_box_non_maximum_suppression", 1, &x, wrong[i][0]));
        if (!CHECK(hy_error(F) && strstr(hy_error(F), wrong[i][1]))) printf("    %s: %s\n", wrong[i][0], hy_error(F));
        hy_clear(F);
    }
    in[0] = image;
    in[1] = rois;
    hy_apply(F, "_contrib_ROIAlign", 2, in, "pooled_size=(2,2) spatial_scale=1 aligned=True");
    CHECK(hy_error(F) && strstr(hy_error(F), "a region has no height or width"));
    hy_clear(F);
    hy_apply(F, "ROIPooling", 2, in, "pooled_size=(2,) spatial_scale=1");
    CHECK(hy_error(F) && strstr(hy_error(F), "pooled_size must be a height and a width"));
    hy_clear(F);
    in[0] = hy_ones(F, HY_SHAPE(1, 3, 4));
    in[1] = hy_ones(F, HY_SHAPE(1, 16));
    in[2] = hy_ones(F, HY_SHAPE(1, 4, 4));
    hy_apply(F, "_contrib_MultiBoxDetection", 3, in, "variances=(0.1,0.1)");
    CHECK(hy_error(F) && strstr(hy_error(F), "variances has 2 numbers where 4 are due"));
    hy_clear(F);
    hy_apply(F, "_contrib_MultiBoxPrior", 1, &image, "steps=(0.1,-1)");
    CHECK(hy_error(F) && strstr(hy_error(F), "only one of the steps is given"));
    hy_clear(F);
    hy_apply(F, "_contrib_MultiBoxPrior", 1, &image, "sizes=(0.1,b)");
    CHECK(hy_error(F) && strstr(hy_error(F), "Invalid Parameter format for sizes"));
    hy_clear(F);
    hy_close(F);
}

/* Infinite, enormous and undefined numbers as boxes, scores and regions. */
static void ops_test_box_extremes(void)
{
    static const float odd[] = { 0, 1, -1, 0.5f, 3e9f, -3e9f, 1e30f, -1e30f };
    hy_frame *F = hy_open(NULL);
    float v[60], w[40];
    int i, round, extra = (int)(sizeof odd / sizeof *odd);
    uint64_t seed = 3;
    for (round = 0; round < 200; round++) {
        hy_array *boxes, *rois, *image, *in[3];
        hy_begin(F);
        for (i = 0; i < 60; i++) {
            int k = (int)(ops_random(&seed) * (extra + 2));
            v[i] = k < extra ? odd[k] : k == extra ? (float)HUGE_VAL : (float)NAN;
        }
        for (i = 0; i < 40; i++) w[i] = i % 5 ? v[i] : (float)(round % 3);
        boxes = hy_from(F, HY_SHAPE(10, 6), HY_F32, v);
        rois = hy_from(F, HY_SHAPE(8, 5), HY_F32, round % 4 ? w : v);
        image = hy_ones(F, HY_SHAPE(2, 4, 3, 5));
        CHECK(hy_apply(F, "box_nms", 1, &boxes, round & 1 ? "id_index=0" : "id_index=0 in_format=center out_format=corner"));
        in[0] = in[1] = hy_from(F, HY_SHAPE(15, 4), HY_F32, v);
        CHECK(hy_apply(F, "box_iou", 2, in, ""));
        in[0] = hy_from(F, HY_SHAPE(1, 3, 5), HY_F32, v);
        in[1] = hy_from(F, HY_SHAPE(1, 20), HY_F32, v + 15);
        in[2] = hy_from(F, HY_SHAPE(1, 5, 4), HY_F32, v + 35);
        CHECK(hy_apply(F, "multibox_detection", 3, in, ""));
        in[0] = image;
        in[1] = rois;
        CHECK(hy_apply(F, "roi_pooling", 2, in, "pooled_size=(2,3) spatial_scale=0.5"));
        CHECK(hy_apply(F, "roi_align", 2, in, "pooled_size=(2,3) spatial_scale=0.5"));
        CHECK(hy_apply(F, "roi_align", 2, in, "pooled_size=(2,2) spatial_scale=1 position_sensitive=True sample_ratio=2"));
        ops_complain(F, "extremes");
        hy_end(F);
    }
    CHECK(hy_close(F) == 0);
}

static void test_ops(void)
{
    ops_frames f;
    size_t i;
    int k;
    ops_list_built();
    RUN(ops_test_table);
    RUN(ops_gradients_ask_for_what_is_listed);
    RUN(ops_test_box_errors);
    RUN(ops_test_box_extremes);
    ops_open_frames(&f);
    for (i = 0; i < sizeof ops_rows / sizeof *ops_rows; i++) {
        char name[64];
        snprintf(name, sizeof name, "ops %s", ops_rows[i].name);
        if (!test_wanted(name)) continue;
        for (k = 0; ops_rows[i].ref->cases[k]; k++) ops_test_case(&f, &ops_rows[i], ops_rows[i].ref->cases[k]);
    }
    ops_close_frames(&f);
}
#endif
