/* Every operator over sizes 0, 1, 2, those around the widths of vectors and tiles, in each place of its inputs: the
 * dims of the cases in ops_ref.c change one at a time, or two, as far as inference agrees. The job runs twice, items
 * forward over memory full of 0xAB and backward over memory full of NaN: both must leave the same bits in every
 * output and touch nothing beside it; then the result is compared with the reference. */

enum { SIZES_GUARD = 64, SIZES_MOST = 16000 };          /* bytes; of all arguments */
typedef struct sizes_change { int input, dim[2]; int64_t size[2]; int n; } sizes_change;
typedef struct sizes_run {
    hy_frame *F;
    const ops_row *row;
    const hy_op *op;
    void *record;
    long run;
    hy_type seen[64][REF_MAX];          /* shapes that this case had already */
    int nseen;
    double *aux[REF_MAX];               /* running statistics after the call */
} sizes_run;

/* --- memory that tells who wrote where --- */
static char *sizes_alloc(size_t bytes, int fill)
{
    char *p = (char *)malloc(bytes + 2 * SIZES_GUARD);
    memset(p, 0x5c, SIZES_GUARD);
    memset(p + SIZES_GUARD, fill, bytes);
    memset(p + SIZES_GUARD + bytes, 0x5c, SIZES_GUARD);
    return p + SIZES_GUARD;
}
static int sizes_free(char *p, size_t bytes)            /* 0 when the guards were hurt */
{
    int i, whole = 1;
    for (i = 0; i < SIZES_GUARD; i++) whole &= p[i - SIZES_GUARD] == 0x5c && p[bytes + (size_t)i] == 0x5c;
    free(p - SIZES_GUARD);
    return whole;
}

/* --- which shapes --- */
static int sizes_same_shapes(const hy_type *a, const hy_type *b, int n)
{
    int i;
    for (i = 0; i < n; i++) if (!hy__same_shape(&a[i].shape, &b[i].shape)) return 0;
    return 1;
}

/* The change to the named dims, and 1: to nothing else; 2: what inference makes of the other inputs; 3: to every dim
 * of that size. 0 when it does not fit. */
static int sizes_apply(const sizes_run *s, hy__call *call, const ops_case *c, const hy_dtype *types, const sizes_change *change,
                       int how)
{
    int i, d, k, nin = c->ref.nin;
    for (i = 0; i < nin; i++) {
        const ref_tensor *t = &c->ref.in[i];
        call->type[i].dtype = types[i];
        call->type[i].shape = ops_shape(t);
        if (how == 2 && i != change->input) call->type[i].shape = hy__no_shape();
        for (d = 0; d < t->ndim; d++)
            for (k = 0; k < change->n; k++)
                if (i == change->input && d == change->dim[k]) call->type[i].shape.dim[d] = change->size[k];
                else if (how == 3 && t->dim[d] == c->ref.in[change->input].dim[change->dim[k]])
                    call->type[i].shape.dim[d] = change->size[k];
    }
    for (i = nin; i < nin + call->nout; i++) { call->type[i].dtype = HY_DTYPE_NONE; call->type[i].shape.ndim = -1; }
    if (hy__infer_call(s->F, call, s->op, s->record, NULL)) { hy_clear(s->F); return 0; }
    for (i = 0; i < nin; i++) {
        if (!hy__shape_known(&call->type[i].shape) || call->type[i].shape.ndim != c->ref.in[i].ndim) return 0;
        if (c->input[i].kind == OPS_PERM && hy__size(&call->type[i].shape) != c->ref.in[i].size) return 0;
    }
    return 1;
}

/* The inputs of that shape; whole numbers are all `low` when they are indices that went astray before. */
static void sizes_fill(ops_case *c, const hy__call *call, int tame)
{
    int i, d;
    uint64_t seed = c->seed;
    for (i = 0; i < c->ref.nin; i++) {
        ref_tensor *t = &c->ref.in[i];
        ops_input in = c->input[i];
        t->size = 1;
        for (d = 0; d < t->ndim; d++) t->size *= t->dim[d] = call->type[i].shape.dim[d];
        if (tame && in.kind == OPS_INT) { in.low = in.low > 0 ? in.low : 0; in.high = in.low; }
        free(t->v);
        ops_fill(t, &in, &seed);
    }
    ref_int8_trim(&c->ref);
}

/* --- one run --- */
typedef struct sizes_memory { char *data[REF_MAX + 16]; size_t bytes[REF_MAX + 16]; int n; } sizes_memory;

static char *sizes_take(sizes_memory *m, size_t bytes, int fill)
{
    m->bytes[m->n] = bytes;
    return m->data[m->n++] = sizes_alloc(bytes, fill);
}
static void sizes_drop(sizes_memory *m)
{
    int whole = 1;
    while (m->n-- > 0) whole &= sizes_free(m->data[m->n], m->bytes[m->n]);
    CHECK(whole);
}

/* Inputs, outputs, plan, scratch, all full of `fill`; then the items, from the last one if so. 0: refused; -1: a fault. */
static int sizes_job(const sizes_run *s, hy__call *call, const ops_case *c, sizes_memory *m, int fill, int backward)
{
    hy_job job;
    hy_run now;
    int i, stage, total = call->nin + call->nout;
    int64_t k;
    char *shared, *scratch[2];
    for (i = 0; i < total; i++) {
        hy_tensor *t = &call->tensor[i];
        t->type = call->type[i];
        hy__pack_strides(t);
        t->data = sizes_take(m, (size_t)hy__bytes(&t->type), fill);
        for (k = 0; i < call->nin && k < c->ref.in[i].size; k++) 
            hy__store((char *)t->data + k * hy__traits[t->type.dtype].size, t->type.dtype, c->ref.in[i].v[k]);
    }
    memset(&job, fill, sizeof job);
    if (hy__bind_job(s->F, &job, s->op, s->record, call)) { hy_clear(s->F); return 0; }
    for (i = 0; i < total; i++) call->data[i] = call->tensor[i].data;
    hy__run_open(&now, &job, call->data, s->F->seed, s->F->stream);
    shared = sizes_take(m, job.shared, fill);
    for (i = 0; i < 2; i++) scratch[i] = sizes_take(m, job.scratch, fill);
    for (stage = 0; stage < job.stages; stage++)
        for (k = 0; k < job.items[stage]; k++)
            job.run(&job, &now, stage, backward ? job.items[stage] - 1 - k : k, scratch[k & 1], shared);
    return now.fault ? -1 : 1;
}

/* Back into the reference's inputs, as they were rounded; those of AUX as they were before. */
static void sizes_round(ops_case *c, const hy__call *call)
{
    int i;
    int64_t k;
    for (i = 0; i < c->ref.nin; i++)
        for (k = 0; k < c->ref.in[i].size; k++) {
            double v = c->ref.in[i].v[k];
            char one[8];
            hy__store(one, call->type[i].dtype, v);
            c->ref.in[i].v[k] = hy__load(one, call->type[i].dtype);
        }
}

static void sizes_say(const sizes_run *s, const hy__call *call, const ops_case *c)
{
    char text[512];
    hy__line line = hy__line_open(text, sizeof text);
    int i;
    for (i = 0; i < call->nin; i++) { hy__put_shape(&line, &call->type[i].shape); hy__puts(&line, " "); }
    printf("    %s %s| %s (%s, isa %d)\n", s->row->name, text, c->attrs, hy_dtype_name(call->type[0].dtype), hy_isa(s->F));
}

/* The reference's outputs and new running statistics, for all instruction sets. */
static void sizes_expect(sizes_run *s, const hy__call *call, ops_case *c)
{
    int i;
    int64_t elements = 0;
    for (i = call->nin; i < call->nin + call->nout; i++) elements += hy__size(&call->type[i].shape);
    for (i = 0; i < c->ref.nout; i++) free(c->ref.out[i].v);
    c->ref.nout = 0;
    for (i = 0; i < c->ref.nin; i++) {
        size_t bytes = ((size_t)c->ref.in[i].size + 1) * sizeof(double);
        s->aux[i] = (double *)malloc(bytes);
        memcpy(s->aux[i], c->ref.in[i].v, bytes - sizeof(double));
    }
    if (s->row->ref->fn && elements) s->row->ref->fn(&c->ref);
    for (i = 0; i < c->ref.nin; i++) {
        double *before = s->aux[i];
        s->aux[i] = c->ref.in[i].v;
        c->ref.in[i].v = before;
    }
}

static void sizes_compare(const sizes_run *s, const hy__call *call, const ops_case *c)
{
    int i, out = 0;
    for (i = 0; i < call->nout; i++) {
        const hy_tensor *t = &call->tensor[call->nin + i];
        if (call->hidden[i] || out >= c->ref.nout) continue;
        ops_compare_data(t->data, &t->type, &c->ref.out[out++], s->row->ref->tolerance + 1e-6,
                         call->type[0].dtype, 16);
    }
    for (i = 0; i < c->ref.nin; i++) {
        ref_tensor want = c->ref.in[i];
        want.v = s->aux[i];
        if (c->input[i].kind == OPS_AUX) ops_compare_data(call->tensor[i].data, &call->type[i], &want, 1e-5, call->type[0].dtype, 0);
    }
}

/* Hidden outputs that nobody reads whole: indices that topk was asked for have no gradient, and what an rnn keeps for its
 * own has gaps behind the ends of short sequences. */
static int sizes_unused(const sizes_run *s, const hy__call *call, int i)
{
    const hy_op *op = s->op;
    if (i < call->nin || !call->hidden[i - call->nin]) return 0;
    if (!strcmp(op->name, "rnn")) return ((const hy__rnn_rec *)s->record)->use_sequence_length;
    return s->row->number == HY_OP_topk && ((const hy__topk_rec *)s->record)->ret_typ == HY_TOPK_INDICES;
}

/* Both runs on one instruction set. */
static void sizes_twice(const sizes_run *s, hy__call *call, const ops_case *c)
{
    sizes_memory a, b;
    int i, before = test_broken, n = call->nin + call->nout;
    a.n = b.n = 0;
    CHECK(sizes_job(s, call, c, &b, 0xff, 1) > 0);
    CHECK(sizes_job(s, call, c, &a, 0xab, 0) > 0);
    for (i = 0; i < n && test_broken == before; i++)
        if (!sizes_unused(s, call, i) && !CHECK(!memcmp(a.data[i], b.data[i], a.bytes[i])))
            printf("    %s %d depends on what lay there\n", i < call->nin ? "input" : "output", i < call->nin ? i : i - call->nin);
    if (test_broken == before) sizes_compare(s, call, c);
    sizes_drop(&a);
    sizes_drop(&b);
    if (test_broken > before) sizes_say(s, call, c);
}

/* Can it run? With indices inside, if those drawn are not. */
static int sizes_possible(const sizes_run *s, hy__call *call, ops_case *c)
{
    int tame, ok = -1;
    for (tame = 0; tame < 2 && ok < 0; tame++) {
        sizes_memory m;
        m.n = 0;
        sizes_fill(c, call, tame);
        ok = sizes_job(s, call, c, &m, 0xab, 0);
        sizes_drop(&m);
    }
    return ok > 0;
}

static int sizes_new(sizes_run *s, const hy__call *call)
{
    int i;
    int64_t work = 0;
    for (i = 0; i < call->nin + call->nout; i++) {
        int64_t bytes = hy__bytes(&call->type[i]);
        if (!hy__types_known(&call->type[i], 1) || bytes < 0 || (work += bytes) > SIZES_MOST) return 0;
    }
    for (i = 0; i < s->nseen; i++) if (sizes_same_shapes(s->seen[i], call->type, call->nin)) return 0;
    memcpy(s->seen[s->nseen < 64 ? s->nseen++ : 63], call->type, (size_t)call->nin * sizeof *call->type);
    return 1;
}

/* One shape, in one type, on these frames. */
static void sizes_shape(ops_frames *f, sizes_run *s, ops_case *c, hy__call *call)
{
    int isa, i;
    if (!sizes_new(s, call)) return;
    for (isa = 0; isa < (call->type[0].dtype == HY_F32 ? f->ones : 1); isa++) {
        s->F = f->one[f->ones - 1 - isa];
        hy_set_training(s->F, c->ref.training);
        hy_seed(s->F, 7);
        if (!isa) {
            if (!sizes_possible(s, call, c)) return;
            sizes_round(c, call);
            sizes_expect(s, call, c);
            s->run++;
        }
        sizes_twice(s, call, c);
        hy_set_training(s->F, 0);
    }
    for (i = 0; i < c->ref.nin; i++) free(s->aux[i]);
}

static void sizes_change_to(ops_frames *f, sizes_run *s, ops_case *c, const ops_case *as_given, const hy_dtype *types,
                            const sizes_change *change)
{
    hy__call call;
    int how;
    for (how = 1; how <= 3; how++) {
        s->F = f->one[f->ones - 1];
        if (hy__call_open(s->F, &call, s->op, c->ref.nin, s->record)) return;
        if (sizes_apply(s, &call, as_given, types, change, how)) sizes_shape(f, s, c, &call);
        hy__call_close(s->F, &call);
    }
}

/* Each dim of each input in turn, and pairs of them of one input. */
static void sizes_case(ops_frames *f, sizes_run *s, const char *text, hy_dtype dtype)
{
    static const int single[] = { 0, 1, 2, 9, 17, 65, 255, 256, 257 }, pairs[] = { 0, 9, 33 };
    ops_case given, work;
    hy_dtype types[REF_MAX];
    sizes_change change;
    union { double align[HY__RECORD_MAX / 8]; char bytes[1]; } record;
    int d, e, k;
    char room[512], *key, *value;
    const char *at;
    uint64_t seen = 0;
    ops_open_case(&given, text);
    for (d = 0; d < given.ref.nin; d++)
        if (!given.ref.in[d].size) { ops_close_case(&given); return; }      /* such cases do not bound their values */
    ops_open_case(&work, text);
    s->F = f->one[f->ones - 1];
    s->record = &record;
    s->nseen = 0;
    hy__record_clear(s->op, &record);
    for (at = given.attrs; (at = hy__next_attribute(at, room, sizeof room, &key, &value)) != NULL; )
        hy__parse_attribute(s->F, s->op, &record, key, value, &seen);
    ops_types(s->F, s->op, &given, dtype, types);
    hy_clear(s->F);
    for (change.input = 0; change.input < given.ref.nin; change.input++)
        for (d = 0; d < given.ref.in[change.input].ndim; d++) {
            change.dim[0] = d;
            change.n = 1;
            for (k = 0; k < (int)(sizeof single / sizeof *single); k++) {
                change.size[0] = single[k];
                sizes_change_to(f, s, &work, &given, types, &change);
            }
            change.n = 2;
            change.size[0] = 1;
            for (e = 0; e < given.ref.in[change.input].ndim; e++)
                for (k = 0; e != d && k < (int)(sizeof pairs / sizeof *pairs); k++) {
                    change.dim[1] = e;
                    change.size[1] = pairs[k];
                    sizes_change_to(f, s, &work, &given, types, &change);
                }
        }
    ops_close_case(&given);
    ops_close_case(&work);
}

static void test_sizes(void)
{
    ops_frames f;
    size_t i;
    int k, t;
    ops_open_frames(&f);
    for (i = 0; i < sizeof ops_rows / sizeof *ops_rows; i++) {
        const ref_op *ref = ops_rows[i].ref;
        sizes_run s;
        char name[64];
        snprintf(name, sizeof name, "sizes %s", ops_rows[i].name);
        if (!test_wanted(name)) continue;
        memset(&s, 0, sizeof s);
        s.row = &ops_rows[i];
        s.op = hy_op_at(f.one[0], ops_rows[i].number);
        test_begin();
        for (k = 0; ref->cases[k]; k++)
            for (t = 0; ref->dtypes[t] && t < 1; t++)
                sizes_case(&f, &s, ref->cases[k], (hy_dtype)(strchr(ops_letters, ref->dtypes[t]) - ops_letters));
        CHECK(s.run > 0 || !s.op->in[0].name || (s.op->flags & HY_OP_DYNAMIC) || !ref->fn);
        test_end(name);
    }
    ops_close_frames(&f);
}
