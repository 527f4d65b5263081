/* The ways in which a program is run, and what comes of it. */
#ifndef PROGRAMS_WAYS_H
#define PROGRAMS_WAYS_H
#include <pthread.h>

/* --- what a run gives: named numbers, or an error --- */
enum { PG_ITEMS = 400, PG_NAME = 80 };
typedef struct pg_item {
    char name[PG_NAME + 12];
    hy_type type;
    void *data;
    pg_fact fact;
    int whole;
} pg_item;
typedef struct pg_result {
    int     n;
    pg_item item[PG_ITEMS];
    char    error[2048], where[24];     /* and at which call it came */
    hy_error_t code;
    unsigned heads;                     /* outputs that have a gradient */
    int64_t steps;                      /* allocations of a step of training after three */
    int64_t kept, calls;  /* blocks that were not given back; allocations of a call that came before */
    int64_t taken;                      /* allocations in all */
    const pg_program *P;  /* what ran: less than was asked for, where a writer refuses some of it */
    char    misuse[2048];               /* the error of a call that is wrong on purpose */
    char    wider[2048];                /* the error of the call with another batch size */
    int     skipped;                    /* nothing ran: why, pg_skip has counted */
    int     still;                      /* a pair: what changes statistics for no output is left out */
} pg_result;

static void pg_forget(pg_result *R)
{
    while (R->n > 0) free(R->item[--R->n].data);
}

static void pg_note(hy_frame *F, pg_result *R, const char *name, int k, hy_array *x, pg_fact fact,
                    int gradient)
{
    pg_item *item = &R->item[R->n];
    const void *from;
    size_t bytes;
    if (!x || hy_error(F) || R->n == PG_ITEMS) return;
    item->type = x->t.type;
    bytes = (size_t)hy_size(F, x) * hy_dtype_size(item->type.dtype);
    item->data = malloc(bytes + 1);
    from = bytes ? hy_data(F, x) : NULL;
    if (bytes && !from) {               /* an input that is given back, with strides */
        hy_clear(F);
        from = hy_data(F, hy_copy(F, x));
    }
    if (from) memcpy(item->data, from, bytes);
    item->fact = fact;
    item->whole = gradient;
    snprintf(item->name, sizeof item->name, "%s %d", name, k);
    R->n++;
}

static const char pg_does_not_hold[] = "what is asked does not hold: ";  /* an error in any way */

static void pg_fail(hy_frame *F, pg_result *R, const char *where)
{
    if (!hy_error(F) || R->error[0]) return;
    snprintf(R->error, sizeof R->error, "%s", hy_error(F));
    snprintf(R->where, sizeof R->where, "%s", where);
    R->code = hy_error_code(F);
}

/* --- ways --- */
enum {
    PG_HYBRID = 1,
    PG_EXACT = 2,
    PG_BOUND = 4,
    PG_OFF = 8,
    PG_STATIC = 16,
    PG_LOADED = 32,
    PG_PAIR = 64,
    PG_STRIDED = 128,
    PG_HOST = 256,
    PG_RECOMPUTE = 512,
    PG_CHILDREN = 1024,
    PG_WIDE = 2048,
    PG_SYMBOL = 4096,
    PG_FORKS = 8192,
    PG_STARVED = 16384,
    PG_SOURCE = 1 << 15,
    PG_JIT = 1 << 16,
    PG_INT8 = 1 << 17,
    PG_ONNX = 1 << 18,
    PG_BATCH = 1 << 19,
    PG_TWICE = 1 << 21,
    PG_WALK = 1 << 22,
    PG_BRIEF = 1 << 23,                 /* two calls, no gradients */
    PG_ROUGH = 1 << 24,                 /* elementary functions may round otherwise */
    PG_LATER = 1 << 25,                 /* not drawn by programs below PG_SECOND */
    PG_LOOSE = 1 << 20                  /* rounding may differ */
};
/* Ways in which a program of several sizes is called with its first: what is written may be tied to them. */
enum { PG_ONE_SIZE = PG_LOADED | PG_PAIR | PG_SYMBOL | PG_INT8 | PG_ONNX | PG_SOURCE | PG_STARVED | PG_WALK |
                      PG_BATCH | PG_TWICE };
/* due: what it is compared with, where that is not line by line. column: in the table. Of the ways with a
 * weight each program goes four, by its number; those with `one_in` are gone by one program in so many,
 * and count among the four. */
typedef struct pg_way {
    const char *name;
    int flags, threads, isa, weight, one_in;
    const char *column;
    const struct pg_way *due;
} pg_way;
static const pg_way
    pg_due_brief = { "line, two calls", PG_BRIEF, 1, 0, 0, 0, "", NULL },
    pg_due_needed = { "line, what is needed", 0, 1, 0, 0, 0, "", NULL },
    pg_due_walk = { "line, as far as a walk goes", PG_WALK, 1, 0, 0, 0, "", NULL },
    pg_due_batch = { "line, two sizes", PG_BATCH, 1, 0, 0, 0, "", NULL },
    pg_due_twice = { "line, recorded twice", PG_TWICE, 1, 0, 0, 0, "", NULL },
    pg_due_int8  = { "line, in int8", PG_INT8 | PG_BRIEF, 1, 0, 0, 0, "", NULL };
static const pg_way pg_ways[] = {
    /* the first three always, others as the number says; only ever add */
    { "line", 0, 1, 0, 0, 0, "line", NULL },
    { "exact", PG_HYBRID | PG_EXACT, 1, 0, 0, 0, "exact", NULL },
    { "default", PG_HYBRID | PG_LOOSE, 1, 0, 0, 0, "default", NULL },
    { "bound", PG_HYBRID | PG_EXACT | PG_BOUND, 1, 0, 4, 0, "bound", NULL },
    { "line3", 0, 3, 0, 2, 0, "threads3", NULL },
    { "exact3", PG_HYBRID | PG_EXACT, 3, 0, 2, 0, "threads3", NULL },
    { "default7", PG_HYBRID | PG_LOOSE, 7, 0, 2, 0, "threads7", NULL },
    { "host", PG_HYBRID | PG_EXACT | PG_HOST, 4, 0, 4, 0, "host", NULL },
    { "strided", PG_HYBRID | PG_EXACT | PG_STRIDED, 1, 0, 4, 0, "strided", NULL },
    { "passes", PG_HYBRID | PG_EXACT | PG_OFF, 1, 0, 4, 0, "passes", NULL },
    { "static", PG_HYBRID | PG_EXACT | PG_STATIC, 1, 0, 4, 0, "static", NULL },
    { "recompute", PG_RECOMPUTE, 1, 0, 2, 0, "recompute", NULL },
    { "recompute_exact", PG_HYBRID | PG_EXACT | PG_RECOMPUTE, 1, 0, 2, 0, "recompute", NULL },
    { "loaded", PG_LOADED, 1, 0, 2, 0, "loaded", NULL },
    { "loaded_exact", PG_HYBRID | PG_EXACT | PG_LOADED, 1, 0, 2, 0, "loaded", NULL },
    { "pair", PG_PAIR, 1, 0, 2, 0, "pair", NULL },
    { "pair_exact", PG_HYBRID | PG_EXACT | PG_PAIR, 1, 0, 2, 0, "pair", NULL },
    { "children", PG_CHILDREN | PG_EXACT, 1, 0, 16, 0, "children", NULL },
    { "base", PG_HYBRID | PG_LOOSE, 1, HY_ISA_BASE, 4, 0, "base", NULL },
    { "avx2", PG_LOOSE, 1, HY_ISA_AVX2, 4, 0, "avx2", NULL },
    { "bound7", PG_HYBRID | PG_LOOSE | PG_BOUND, 7, 0, 2, 0, "threads7", NULL },
    { "forks", PG_HYBRID | PG_EXACT | PG_FORKS, 3, 0, 4, 0, "forks", NULL },
    { "starved", PG_HYBRID | PG_EXACT | PG_STARVED, 1, 0, 2, 0, "starved", NULL },
    { "starved_line", PG_STARVED, 1, 0, 2, 0, "starved", NULL },
    { "avx512", PG_HYBRID | PG_LOOSE, 1, HY_ISA_AVX512, 4, 0, "avx512", NULL },
    { "symbol", PG_SYMBOL | PG_LOOSE, 1, 0, 4, 0, "symbol", &pg_due_needed },
    { "batch", PG_HYBRID | PG_EXACT | PG_BATCH, 1, 0, 5, 0, "batch", &pg_due_batch },
    { "twice", PG_HYBRID | PG_EXACT | PG_TWICE, 1, 0, 4, 0, "twice", &pg_due_twice },
    { "onnx", PG_ONNX | PG_BRIEF | PG_LOOSE | PG_ROUGH, 1, 0, 8, 0, "onnx", &pg_due_brief },
    { "int8", PG_HYBRID | PG_EXACT | PG_INT8 | PG_BRIEF, 1, 0, 2, 0, "int8", &pg_due_int8 },
    { "int8_bound7", PG_HYBRID | PG_EXACT | PG_INT8 | PG_BRIEF | PG_BOUND, 7, 0, 2, 0, "int8", &pg_due_int8 },
    { "int8_loaded", PG_HYBRID | PG_EXACT | PG_INT8 | PG_BRIEF | PG_LOADED, 1, 0, 1, 0, "int8",
      &pg_due_int8 },
    { "c", PG_SOURCE | PG_BRIEF | PG_LOOSE | PG_ROUGH, 1, 0, 0, 10, "c", &pg_due_brief },
    { "jit", PG_HYBRID | PG_JIT | PG_BRIEF | PG_LOOSE | PG_ROUGH, 1, 0, 0, 40, "jit", &pg_due_brief },
    { "int8_c", PG_SOURCE | PG_INT8 | PG_BRIEF | PG_LOOSE | PG_ROUGH, 1, 0, 0, 100, "int8", &pg_due_int8 },
    { "walk", PG_HYBRID | PG_EXACT | PG_STARVED | PG_WALK, 1, 0, 0, 1000, "starved", &pg_due_walk },
    { "passes_default", PG_HYBRID | PG_LOOSE | PG_OFF | PG_LATER, 1, 0, 4, 0, "passes", NULL },
    { "bound_batch", PG_HYBRID | PG_EXACT | PG_BATCH | PG_BOUND | PG_LATER, 1, 0, 3, 0, "bound",
      &pg_due_batch },
};
enum { PG_WAYS = sizeof pg_ways / sizeof *pg_ways };
static const pg_way pg_wide_way = { "f64", PG_WIDE, 1, 0, 0, 0, "", NULL };

/* --- frames whose memory is counted --- */
typedef struct pg_memory {
    int64_t held, taken, fails_at;
    uint64_t turn;
    int still, fill;                    /* what memory holds that nobody has written */
    int started;                        /* calls that a host was given */
    char said[2048];
} pg_memory;
static void *pg_alloc(void *user, size_t bytes)
{
    pg_memory *m = (pg_memory *)user;
    void *p;
    if (HY__ADD(&m->taken, 1) == m->fails_at) return NULL;
    p = malloc(bytes);
    if (p) HY__ADD(&m->held, 1);
    return p ? memset(p, m->fill, bytes) : NULL;
}
static void pg_release(void *user, void *p)
{
    if (p) HY__ADD(&((pg_memory *)user)->held, -1);
    free(p);
}
/* A host's loop: in an order that changes with each. */
static void pg_host_for(void *user, int64_t n, hy_item_fn fn, void *arg)
{
    pg_memory *m = (pg_memory *)user;
    uint64_t turn = pg_mix(++m->turn);
    int64_t at = n > 0 ? (int64_t)(turn >> 1) % n : 0, by = n > 1 ? 1 + (int64_t)(turn >> 20) % (n - 1) : 1,
            a, b, i;
    for (;; by = 1) {  /* all places come if step and number have no divisor */
        for (a = by, b = n; b > 0; ) { int64_t rest = a % b; a = b; b = rest; }
        if (a == 1 || by == 1) break;
    }
    for (i = 0; i < n; i++, at = (at + by) % n) fn(arg, at, (int)((uint64_t)(i + (int64_t)turn) % 4));
}
static void pg_log(void *user, int level, int code, const char *text)
{
    pg_memory *m = (pg_memory *)user;
    (void)code;
    if (level == HY_LOG_WARNING && !strncmp(text, "jit: ", 5)) snprintf(m->said, sizeof m->said, "%s", text);
    m->still |= level == HY_LOG_WARNING && strstr(text, "calls that only change running statistics") != NULL;
}
/* A host that is given calls: makes them at once, does not want them, or both. */
static int pg_host_start(void *user, void (*fn)(void *arg), void *arg)
{
    pg_memory *m = (pg_memory *)user;
    const int what = m->started++ % 3;
    if (what != 1) fn(arg);
    return what != 0;
}
static hy_frame *pg_open(const pg_way *way, pg_memory *memory)
{
    hy_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.threads = way->threads;
    desc.isa = way->isa;
    desc.allocator.alloc_fn = pg_alloc;
    desc.allocator.free_fn = pg_release;
    desc.allocator.user_data = memory;
    if (way->flags & PG_HOST) {
        desc.parallel_for = pg_host_for;
        desc.start = pg_host_start;
        desc.parallel_user = desc.start_user = memory;
    }
    if (way->flags & (PG_JIT | PG_PAIR)) { desc.log_fn = pg_log; desc.log_user = memory; }
    return hy_open(&desc);
}

/* --- the block --- */
static hy_array *pg_child_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    pg_net *net = (pg_net *)(void *)self;
    const pg_body *b = &net->P->body[net->body];
    hy_array *v[PG_VALUES];
    pg_walk W;
    memset(v, 0, sizeof v);
    memset(&W, 0, sizeof W);
    W.P = net->P;
    W.v = v;
    W.leaf = net->top->leaf;
    W.layer = net->top->layer;
    W.wide = net->top->wide;
    W.net = net->top;
    pg_unpack(F, x, b->narg, v + b->arg);
    pg_run_body(F, &W, net->body);
    return pg_pack(F, &W, b->nout, b->out);
}
/* What each symbol is, by the first dim that has it. */
static const hy_len *pg_keep_sizes(hy_frame *F, const pg_program *P, hy_array *const *leaf, hy_len *kept)
{
    int i, k, d;
    if (!P->nset) return NULL;
    for (i = 0; i < PG_SIZES; i++) {
        kept[i] = hy_len_is(P->set[0][i]);
        for (k = P->nleaf - 1; k >= 0; k--)
            for (d = P->leaf[k].shape.ndim - 1; d >= 0; d--)
                if (P->leaf[k].kind == PG_INPUT && P->leaf[k].size[d] == i + 1)
                    kept[i] = hy_len_of(F, leaf[k], d);
    }
    return kept;
}
static hy_array *pg_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    pg_net *net = (pg_net *)(void *)self;
    const pg_body *b = &net->P->body[0];
    hy_array *v[PG_VALUES], *leaf[PG_LEAVES];
    hy_len kept[PG_SIZES];
    pg_walk W;
    int k, n = 0;
    memset(v, 0, sizeof v);
    memset(&W, 0, sizeof W);
    W.P = net->P;
    W.v = v;
    W.leaf = leaf;
    W.layer = net->layer;
    W.wide = net->wide;
    W.net = net;
    for (k = 0; k < net->P->nleaf; k++)
        leaf[k] = net->P->leaf[k].kind == PG_INPUT ? hy_get(F, x, n++) : net->leaf[k];
    W.kept = pg_keep_sizes(F, net->P, leaf, kept);
    pg_run_body(F, &W, 0);
    return pg_pack(F, &W, b->nout, b->out);
}

static hy_dtype pg_leaf_dtype(const pg_leaf *leaf, int wide)
{
    return wide && hy__floating(leaf->dtype) ? HY_F64 : leaf->dtype;
}
static pg_net *pg_build_child(hy_frame *F, const pg_program *P, pg_net *net, pg_net *owner, int body)
{
    pg_net *child = HY_BLOCK_NEW(F, pg_net, pg_child_forward);
    if (!child) return NULL;
    child->P = P;
    child->body = body;
    child->top = net;
    hy_add_child(F, &owner->base, NULL, &child->base);
    return child;
}
/* The child blocks and layers that a body calls, as children of the block whose body that is. 0, or no
 * memory. */
static int pg_build_body(hy_frame *F, const pg_program *P, pg_net *net, int body)
{
    const pg_body *b = &P->body[body];
    int i, k;
    for (i = 0; i < b->n; i++) {
        const pg_step *s = &P->step[b->step[i]];
        pg_net *owner = s->owner ? net->child[s->owner] : net;
        if (s->kind == PG_CHILD && !net->child[s->body[0]])
            if (!(net->child[s->body[0]] = pg_build_child(F, P, net, owner, s->body[0]))) return -1;
        if (s->kind == PG_LAYER_CALL && !net->layer[s->layer]) {
            net->layer[s->layer] = pg_layer_new(F, s->op, s->attrs, net->wide ? HY_F64 : s->dtype);
            if (!net->layer[s->layer]) return -1;
            hy_add_child(F, &owner->base, NULL, net->layer[s->layer]);
        }
        for (k = 0; k < pg_bodies(s); k++) if (pg_build_body(F, P, net, s->body[k])) return -1;
    }
    return 0;
}
static pg_net *pg_build(hy_frame *F, const pg_program *P, int wide)
{
    pg_net *net = HY_BLOCK_NEW(F, pg_net, pg_forward);
    hy_init init = pg_start();
    int k;
    if (!net) return NULL;
    net->P = P;
    net->wide = wide;
    net->top = net;
    for (k = 0; k < P->nleaf; k++) {
        const pg_leaf *leaf = &P->leaf[k];
        hy_param_opt opt;
        char name[16];
        memset(&opt, 0, sizeof opt);
        snprintf(name, sizeof name, "p%d", k);
        opt.dtype = pg_leaf_dtype(leaf, wide);
        opt.aux = leaf->kind == PG_AUX;
        if (leaf->kind == PG_PARAM || leaf->kind == PG_AUX)
            net->leaf[k] = hy_add_param(F, &net->base, name, leaf->shape, &opt);
        else if (leaf->kind == PG_CONST) net->leaf[k] = hy_keep(F, pg_leaf_array(F, P, k, 0, opt.dtype));
    }
    if (pg_build_body(F, P, net, 0)) return NULL;
    if (wide && pg_written_out) hy_visit(F, &net->base, pg_write_out, NULL);
    hy_initialize(F, &net->base, &init);
    for (k = 0; k < P->nleaf; k++)
        if (P->leaf[k].kind == PG_PARAM || P->leaf[k].kind == PG_AUX)
            hy_set_param(F, net->leaf[k], pg_leaf_array(F, P, k, 0, pg_leaf_dtype(&P->leaf[k], wide)));
    return net;
}

static hy_array *pg_strided(hy_frame *F, hy_array *x)
{
    hy_shape s = hy_shape_of(F, x);
    hy_array *wide;
    if (s.ndim < 1) return x;                   /* no dims; no array, where memory ended */
    s.dim[s.ndim - 1] *= 2;
    wide = hy_empty(F, s, hy_dtype_of(F, x));
    hy_fill(F, wide, 1);
    wide = hy_view_slice(F, wide, -1, 0, HY_NONE, 2);
    hy_assign(F, wide, x);
    return wide;
}
/* The inputs as a group; NULL without any. at: each, where it is asked for. */
static hy_array *pg_inputs(hy_frame *F, const pg_program *P, const pg_way *way, int set, hy_array **at)
{
    int k, n = 0;
    for (k = 0; k < P->nleaf; k++) {
        if (P->leaf[k].kind != PG_INPUT) continue;
        at[n] = pg_leaf_array(F, P, k, set, pg_leaf_dtype(&P->leaf[k], way->flags & PG_WIDE));
        if (way->flags & PG_STRIDED) at[n] = pg_strided(F, at[n]);
        n++;
    }
    return n ? hy_group_of(F, n, at) : NULL;
}
static int pg_input_count(const pg_program *P)
{
    int k, n = 0;
    for (k = 0; k < P->nleaf; k++) n += P->leaf[k].kind == PG_INPUT;
    return n;
}

/* --- the calls of a run --- */
static unsigned pg_heads;  /* outputs that have a gradient line by line, to which all ways keep */

typedef struct pg_job {
    hy_frame *F;
    hy_block *block;
    const pg_program *P;
    const pg_way *way;
    pg_result *R;
    pg_net   *net;
    hy_graph *graph;                    /* made in a symbolic frame; it runs instead of the block */
    pg_memory *memory;
    int       lane, counts;             /* bound for tickets; what a call takes of memory is counted */
    int       second;                   /* of two frames at once */
} pg_job;

/* Is the call made by another thread, as hy_later has it? One program in four, where there are threads. */
static int pg_comes_later(const pg_job *J)
{
    const int other = PG_FORKS | PG_STARVED | PG_RECOMPUTE | PG_JIT | (J->lane ? 0 : PG_BOUND);
    return !J->graph && J->way->threads > 1 && (J->way->flags & PG_HYBRID) && !(J->way->flags & other) &&
           J->P->number % 4 == 1 && !J->P->wrong && !J->F->recording && !J->F->training;
}
/* The call as a ticket: alone, beside one that nobody wants, or beside some that are waited for in turn. The
 * random numbers that these take are drawn again. */
static hy_array *pg_call_later(const pg_job *J, hy_array *x)
{
    const int way = J->counts || J->lane ? 0 : (int)(J->P->number / 4 % 4);
    hy_ticket *t = hy_later(J->F, J->block, x), *more[3];
    const uint64_t stream = J->F->stream;
    hy_array *y;
    int i;
    for (i = 0; i < way; i++) more[i] = hy_later(J->F, J->block, x);
    J->F->stream = stream;
    if (way == 1) hy_drop(J->F, more[0]);
    if (way > 1) hy_wait(J->F, more[1]);
    if (way == 3) { hy_ready(J->F, more[2]); hy_drop(J->F, more[2]); }
    y = hy_wait(J->F, t);
    if (!way || hy_error(J->F)) return y;       /* hy_close ends what is left */
    hy_wait_all(J->F);                          /* what nobody wants reads its inputs, too */
    hy_clear(J->F);
    return y;
}

/* x: the inputs, as pg_inputs gives them. */
static hy_array *pg_invoke(const pg_job *J, hy_array *x)
{
    hy_array *all[PG_LEAVES];
    int k, n = 0, inputs = 0;
    pg_spoil_stack(J->memory->fill);
    if (pg_comes_later(J)) return pg_call_later(J, x);
    if (!J->graph) return hy_call(J->F, J->block, x);
    for (k = 0; k < J->P->nleaf; k++) {
        if (J->P->leaf[k].kind == PG_INPUT) all[n++] = hy_get(J->F, x, inputs++);
        else if (J->P->leaf[k].kind != PG_GONE) all[n++] = J->net->leaf[k];
    }
    return hy_graph_run(J->F, J->graph, n == 1 ? all[0] : hy_group_of(J->F, n, all));
}

static void pg_note_outputs(const pg_job *J, const char *name, hy_array *y)
{
    const pg_body *b = &J->P->body[0];
    int i;
    for (i = 0; y && i < b->nout; i++)
        pg_note(J->F, J->R, name, i, hy_get(J->F, y, i), J->P->fact[b->out[i]], 0);
    pg_fail(J->F, J->R, name);
}
/* What is known of gradients: all on the way counts. */
static pg_fact pg_gradient_fact(const pg_program *P)
{
    pg_fact f = { 0, HY_F64 };
    int i;
    for (i = 0; i < P->nleaf; i++) f.coarse = pg_coarser(f.coarse, P->leaf[i].dtype);
    for (i = 0; i < P->nvalue; i++) f.coarse = pg_coarser(f.coarse, P->fact[i].coarse);
    return f;
}
/* Something of a parameter, by its name. */
static void pg_note_param(const pg_job *J, const char *what, hy_array *param, hy_array *x, int whole)
{
    pg_fact fact = pg_gradient_fact(J->P);
    const char *full = hy_name_of(J->F, param);
    char name[PG_NAME];
    snprintf(name, sizeof name, "%s of %s", what, full ? full : "?");
    if (x && full) pg_note(J->F, J->R, name, 0, x, fact, whole);
}
static void pg_note_statistics(const pg_job *J, const char *name)
{
    hy_params all = hy_collect_params(J->F, J->block, NULL);
    int k;
    for (k = 0; k < all.n && !hy_error(J->F); k++)
        if (hy_param_ready(J->F, all.at[k]) && all.at[k]->param && all.at[k]->param->aux)
            pg_note_param(J, name, all.at[k], all.at[k], 1);
}
static void pg_call(const pg_job *J, const char *name, int set, int training)
{
    hy_array *at[PG_LEAVES];
    if (J->R->error[0]) return;
    hy_begin(J->F);
    hy_set_training(J->F, training);
    pg_note_outputs(J, name, pg_invoke(J, pg_inputs(J->F, J->P, J->way, set, at)));
    hy_set_training(J->F, 0);
    if (training) pg_note_statistics(J, "statistic");
    hy_end(J->F);
}

#include "programs_learn.h"

/* Passes that are left out. Without HY_PASS_SIZES each batch size has a program of its own, so half of the
 * programs that are called with two go without some, too. */
static int pg_passes_off(const pg_job *J)
{
    const uint64_t draw = pg_mix(J->P->number + 5) >> 9;
    const int later = J->P->number >= PG_FIFTH, batch = later && (J->way->flags & PG_BATCH) && draw >> 20 & 1;
    if (!(J->way->flags & PG_OFF) && !batch) return 0;
    return (int)draw & (later ? HY_PASS_ALL : HY_PASS_SIZES - 1);
}
static void pg_set_ways(const pg_job *J)
{
    hy_hybridize_opt opt;
    int i;
    memset(&opt, 0, sizeof opt);
    opt.exact = (J->way->flags & PG_EXACT) != 0;
    opt.off = pg_passes_off(J);
    opt.jit = (J->way->flags & PG_JIT) != 0;
    if (J->way->flags & PG_STATIC) opt.static_alloc = opt.static_shape = 1;
    if (J->way->flags & PG_HYBRID) hy_hybridize(J->F, J->block, &opt);
    if (J->way->flags & PG_RECOMPUTE) hy_set_recompute(J->F, J->block, 1);
    if (J->way->flags & PG_CHILDREN)
        for (i = 0; i < hy_length(J->F, J->block); i++) hy_hybridize(J->F, hy_child(J->F, J->block, i), &opt);
}

/* The block written and read: one file, or a pair. */
static hy_block *pg_reloaded(hy_frame *F, const pg_program *P, const pg_way *way, hy_block *block)
{
    hy_array *at[PG_LEAVES], *x = pg_inputs(F, P, way, 0, at), *text, *file;
    hy_arrays params;
    if (way->flags & PG_LOADED) {
        file = hy_save_model_to(F, block, x);
        return file ? hy_load_model_from(F, hy_data(F, file), (size_t)hy_size(F, file), 0) : NULL;
    }
    if (hy_export_to(F, block, x, &text, &params)) return NULL;
    return hy_import_from(F, hy_symbol_from(F, (const char *)hy_data(F, text), (size_t)hy_size(F, text)),
                          &params, NULL);
}

/* The program with another batch size. */
static const pg_program *pg_wider(const pg_program *P)
{
    static pg_program wide;
    const int twice = (int)((pg_mix(P->number + 31) >> 9) % 2);
    int64_t batch = -1;
    int k;
    wide = *P;
    for (k = 0; k < wide.nleaf; k++) {
        pg_leaf *l = &wide.leaf[k];
        if (l->kind != PG_INPUT || !l->shape.ndim) continue;
        if (batch < 0) batch = l->shape.dim[0];
        if (l->shape.dim[0] == batch) l->shape.dim[0] = twice ? 2 * batch : batch + 1;
    }
    return &wide;
}

/* A buffer for the largest sizes: those of its other batch, where it takes another. */
typedef struct pg_buffer { char *block, *at; size_t bytes; } pg_buffer;
enum { PG_GUARD = 128 };
static void pg_bind(pg_job *J, pg_buffer *buffer, int lane)
{
    hy_array *at[PG_LEAVES], *x;
    hy_plan_info info;
    size_t i;
    memset(buffer, 0, sizeof *buffer);
    hy_begin(J->F);
    x = pg_inputs(J->F, J->P, J->way, 0, at);
    info = hy_plan(J->F, J->block, x);
    if (J->way->flags & PG_BATCH && !hy_error(J->F)) {  /* weights have the shapes of the first inputs */
        x = pg_inputs(J->F, pg_wider(J->P), J->way, 0, at);
        info = hy_plan(J->F, J->block, x);
    }
    if (J->way->flags & PG_BATCH && hy_error(J->F)) {
        hy_clear(J->F);
        hy_end(J->F);
        return;
    }
    if (info.total !=
        info.record + info.packed + info.activations + info.outputs + info.shared + info.scratch)
        snprintf(J->R->error, sizeof J->R->error, "the plan's parts are not its total");
    if (!hy_error(J->F) && !info.dynamic) {
        buffer->bytes = info.total;
        buffer->block = (char *)malloc(info.total + PG_GUARD + 64);
        buffer->at = buffer->block + (64 - (uintptr_t)buffer->block % 64);
        for (i = 0; i < PG_GUARD; i++) buffer->at[info.total + i] = 0x5a;
        if (!lane) hy_bind(J->F, J->block, x, buffer->at, info.total);
        else J->lane = !hy_bind_lane(J->F, J->block, x, 0, buffer->at, info.total);
    }
    pg_fail(J->F, J->R, "bind");
    hy_end(J->F);
}
static int pg_guard_holds(const pg_buffer *b)
{
    int i;
    for (i = 0; b->at && i < PG_GUARD; i++) if (b->at[b->bytes + (size_t)i] != 0x5a) return 0;
    return 1;
}

/* How many blocks of memory a call takes that came twice before. */
static void pg_count_calls(pg_job *J)
{
    hy_array *at[PG_LEAVES], *x;
    int64_t before = 0;
    int i = 0;
    J->counts = 1;
    hy_begin(J->F);
    x = pg_inputs(J->F, J->P, J->way, 0, at);
    if (pg_comes_later(J)) i = -30;     /* a ticket is used again late */
    for (; i < 4 && !hy_error(J->F); i++) {
        before = hy_memory_use(J->F).calls;
        hy_begin(J->F);
        pg_invoke(J, x);
        hy_end(J->F);
    }
    J->counts = 0;
    J->R->calls = hy_error(J->F) ? 0 : hy_memory_use(J->F).calls - before;     /* other draws may fail */
    hy_end(J->F);
}

/* Two frames at once on two threads: what they give is noted as the first call's, and must be alike. */
static void pg_call_sizes(const pg_job *J, int backwards);
static const pg_item *pg_named(const pg_result *R, const char *name);
static void *pg_fork_calls(void *user)
{
    const pg_job *J = (const pg_job *)user;
    pg_call(J, "first", 0, 0);
    pg_call_sizes(J, J->second);
    return NULL;
}
static void pg_run_forks(const pg_job *J)
{
    static pg_result other;
    pg_job half[2];
    pthread_t thread;
    int i;
    pg_call(J, "first", 0, 0);
    if (J->R->error[0] || J->P->wrong) return;
    for (i = 0; i < 2; i++) { half[i] = *J; half[i].F = hy_fork(J->F); hy_seed(half[i].F, 7); }
    pg_forget(J->R);
    other.n = 0;
    other.error[0] = 0;
    half[1].R = &other;
    half[1].second = 1;                 /* which has the other sizes in another order */
#ifdef HYBRID_NO_THREADS                /* the frames may be of one program, not at once */
    (void)thread;
    for (i = 0; i < 2; i++) pg_fork_calls(&half[i]);
#else
    if (pthread_create(&thread, NULL, pg_fork_calls, &half[1])) return;
    pg_fork_calls(&half[0]);
    pthread_join(thread, NULL);
#endif
    for (i = 0; i < 2; i++) hy_close(half[i].F);
    if (other.error[0] && !J->R->error[0]) {
        snprintf(J->R->error, sizeof J->R->error, "%s", other.error);
        J->R->code = other.code;
    }
    for (i = 0; i < other.n; i++) {
        const pg_item *a = &other.item[i], *b = pg_named(J->R, a->name);
        size_t bytes = (size_t)pg_elements(&a->type.shape) * hy_dtype_size(a->type.dtype);
        if (b && hy__same_shape(&a->type.shape, &b->type.shape) && !memcmp(a->data, b->data, bytes))
            continue;
        snprintf(J->R->error, sizeof J->R->error, "two frames at once differ in output %d", i);
        J->R->code = HY_ERROR_STATE;
    }
    pg_forget(&other);
}

#endif
