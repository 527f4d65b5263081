/* Ways that leave the library and come back: C source, the jit, ONNX, int8, symbols; other sizes; memory
 * that ends. And what a run is. */
#ifndef PROGRAMS_MORE_H
#define PROGRAMS_MORE_H
#ifdef HY__POSIX_FILES
#include <dlfcn.h>
#include <spawn.h>
#include <sys/wait.h>
extern char **environ;
#endif

/* --- what writers refuse --- */
enum { PG_REASONS = 400 };
typedef struct pg_reason { char text[100]; int way; long count; } pg_reason;
static pg_reason pg_reasons[PG_REASONS];
static long pg_refused[HY_OP_COUNT][PG_WAYS];  /* how often an operator had to be left out of a way */
static void pg_count_reason(const pg_way *way, const char *text, size_t n)
{
    int i, w = way >= pg_ways && way < pg_ways + PG_WAYS ? (int)(way - pg_ways) : 0;
    if (n >= sizeof pg_reasons->text) n = sizeof pg_reasons->text - 1;
    for (i = 0; i < PG_REASONS - 1 && pg_reasons[i].count; i++)
        if (pg_reasons[i].way == w && !strncmp(pg_reasons[i].text, text, n) && !pg_reasons[i].text[n]) break;
    if (!pg_reasons[i].count) {
        memcpy(pg_reasons[i].text, text, n);
        pg_reasons[i].text[n] = 0;
        pg_reasons[i].way = w;
    }
    pg_reasons[i].count++;
}
static void pg_skip(const pg_way *way, pg_result *R, const char *why)
{
    pg_count_reason(way, why, strlen(why));
    R->skipped = 1;
}
/* "onnx: what cannot run here: op 'node': why; op: why", or be written, or "hy_export_c: no C source is
 * written for: op, op". */
static void pg_count_reasons(const pg_way *way, const char *text)
{
    const char *item = strstr(text, "onnx: ") ? strstr(text, "what cannot ") : NULL, *end, *why, *type;
    if (strstr(text, "no C source is written for")) {
        pg_count_reason(way, "operators without C source", 26);
        return;
    }
    if (strstr(text, "no name in files")) {
        pg_count_reason(way, "operators that have no name in files", 36);
        return;
    }
    if (!item) { pg_count_reason(way, text, strcspn(text, "'0123456789")); return; }
    for (item = strstr(item, ": ") + 2; *item; item = *end ? end + 2 : end) {
        end = strstr(item, "; ");
        if (!end) end = item + strlen(item);
        why = item + strcspn(item, ":");
        type = strstr(why, " takes no ");
        if (type && type < end) pg_count_reason(way, "a type that its operator does not take", 38);
        else if (why < end && (*end || strlen(text) < 1800))
            pg_count_reason(way, why + 2, (size_t)(end - why - 2));
        else pg_count_reason(way, "others, whose list is cut off", 29);
    }
}

static void pg_need(int ref, char *value, char *leaf)
{
    if (ref < 0) leaf[~ref] = 1;
    else if (ref < PG_VALUES) value[ref] = 1;
}
/* What no output needs goes: steps of the body, from the last, and what their bodies need counts. */
static void pg_drop_dead(pg_program *P, int body, char *value, char *leaf)
{
    pg_body *b = &P->body[body];
    int i, k, n;
    for (k = 0; k < b->nout; k++) pg_need(b->out[k], value, leaf);
    for (k = 0; k < b->nstate; k++) pg_need(b->state[k], value, leaf);
    for (i = b->n - 1; i >= 0; i--) {
        pg_step *s = &P->step[b->step[i]];
        int used = 0;
        for (k = 0; k < s->nout; k++) used |= value[s->out + k];
        if (!used) { b->step[i] = -1; continue; }
        for (k = 0; k < s->n; k++) pg_need(s->in[k], value, leaf);
        for (k = 0; k < s->nstate; k++) pg_need(s->state[k], value, leaf);
        for (k = 0; k < pg_bodies(s); k++) pg_drop_dead(P, s->body[k], value, leaf);
    }
    for (i = n = 0; i < b->n; i++) if (b->step[i] >= 0) b->step[n++] = b->step[i];
    b->n = n;
}
static void pg_tidy(pg_program *P)
{
    char value[PG_VALUES], leaf[PG_LEAVES];
    int k, first = -1, inputs = 0;
    memset(value, 0, sizeof value);
    memset(leaf, 0, sizeof leaf);
    pg_drop_dead(P, 0, value, leaf);
    for (k = 0; k < P->nleaf; k++) {
        if (P->leaf[k].kind == PG_INPUT && first < 0) first = k;
        if (leaf[k]) inputs += P->leaf[k].kind == PG_INPUT;
    }
    for (k = 0; k < P->nleaf; k++) if (!leaf[k] && (inputs || k != first)) P->leaf[k].kind = PG_GONE;
}

/* How many layers a body calls. */
static int pg_count_layers(const pg_program *P, int body)
{
    const pg_body *b = &P->body[body];
    int i, k, n = 0;
    for (i = 0; i < b->n; i++) {
        const pg_step *s = &P->step[b->step[i]];
        n += s->kind == PG_LAYER_CALL;
        for (k = 0; k < pg_bodies(s); k++) n += pg_count_layers(P, s->body[k]);
    }
    return n;
}
/* A layer whose result nobody takes is in no graph, which then does not say how large its parameters are:
 * a call line by line does. */
static void pg_settle(const pg_job *J)
{
    static pg_program needed;
    hy_array *at[PG_LEAVES];
    if (!J->block || J->P->wrong || !J->P->nlayer || hy_error(J->F)) return;
    needed = *J->P;
    pg_tidy(&needed);
    if (pg_count_layers(&needed, 0) == pg_count_layers(J->P, 0) && !(J->P->children && J->P->nlayer)) return;
    hy_begin(J->F);
    hy_call(J->F, J->block, pg_inputs(J->F, J->P, J->way, 0, at));
    if (hy_error_code(J->F) != HY_ERROR_MEMORY) hy_clear(J->F);  /* the calls that count say it again */
    hy_end(J->F);
}

static int pg_word_in(const char *text, const char *word)
{
    size_t n = strlen(word);
    const char *at = text;
#define PG_LETTER(c) (((c) | 32) >= 'a' && ((c) | 32) <= 'z') || ((c) >= '0' && (c) <= '9') || (c) == '_'
    for (; (at = strstr(at, word)) != NULL; at++)
        if (!((at > text && (PG_LETTER(at[-1]))) || (PG_LETTER(at[n])))) return 1;
#undef PG_LETTER
    return 0;
}

/* Marks what an error names, and what comes of that. 1 if a step of the body is marked. */
typedef struct pg_taint {
    hy_frame *F;
    const pg_program *P;
    const char *error;
    int way, named;
    char bad[PG_VALUES];
} pg_taint;
static int pg_mark(pg_taint *T, int body)
{
    static const char *const kinds[] = { "", "foreach", "while_loop", "cond", "", "" };
    const pg_body *b = &T->P->body[body];
    int i, k, any = 0;
    for (i = 0; i < b->n; i++) {
        const pg_step *s = &T->P->step[b->step[i]];
        const hy_op *op = s->kind == PG_OP ? hy_op_find(T->F, s->op) : NULL;
        int bad = 0;
        hy_clear(T->F);
        if (op && pg_word_in(T->error, op->name)) {
            T->named = bad = 1;
            if ((op->flags >> HY__NUMBER_SHIFT) < HY_OP_COUNT)
                pg_refused[op->flags >> HY__NUMBER_SHIFT][T->way]++;
        } else if (pg_bodies(s) && *kinds[s->kind] && strstr(T->error, kinds[s->kind])) T->named = bad = 1;
        for (k = 0; k < s->n; k++) bad |= s->in[k] >= 0 && T->bad[s->in[k]];
        for (k = 0; k < s->nstate; k++) bad |= s->state[k] >= 0 && T->bad[s->state[k]];
        for (k = 0; k < pg_bodies(s); k++) bad |= pg_mark(T, s->body[k]);
        for (k = 0; k < s->nout; k++) T->bad[s->out + k] = (char)bad;
        any |= bad;
    }
    return any;
}

/* Is there a loop or branch in the body, or in those of child blocks? */
static int pg_has_loop(const pg_program *P, int body)
{
    const pg_body *b = &P->body[body];
    int i, some = 0;
    for (i = 0; i < b->n && !some; i++) {
        const pg_step *s = &P->step[b->step[i]];
        some = s->kind == PG_CHILD ? pg_has_loop(P, s->body[0]) : pg_bodies(s) > 0;
    }
    return some;
}
static void pg_look_for_bodies(pg_program *P)
{
    const pg_body *b = &P->body[0];
    int i;
    P->loops = pg_has_loop(P, 0);
    for (P->children = i = 0; i < b->n; i++) P->children |= P->step[b->step[i]].kind == PG_CHILD;
}
/* The program without what an error names: its outputs are the last values that need none of it. Where it
 * names nothing that is known, the first half. 0: nothing is left. */
static int pg_cut(hy_frame *F, const pg_program *P, const pg_way *way, const char *error, pg_program *Q)
{
    static pg_taint T;
    pg_body *b;
    int i, k, n, least;
    memset(&T, 0, sizeof T);
    T.F = F;
    T.P = P;
    T.error = error;
    T.way = way >= pg_ways && way < pg_ways + PG_WAYS ? (int)(way - pg_ways) : 0;
    pg_mark(&T, 0);
    *Q = *P;
    b = &Q->body[0];
    n = T.named ? b->n : b->n / 2;
    least = b->nout = 0;
    for (i = n - 1; i >= 0 && b->nout < 3; i--) {
        const pg_step *s = &P->step[b->step[i]];
        for (k = 0; k < s->nout && b->nout < 3; k++) {
            if (T.bad[s->out + k] || (least && pg_mix(P->number * 64 + (uint64_t)i) >> 9 & 1)) continue;
            b->out[b->nout++] = s->out + k;
            least = 1;
        }
    }
    if (!b->nout) return 0;
    pg_tidy(Q);
    pg_look_for_bodies(Q);
    return 1;
}

/* --- C source --- */
static const char *pg_file(const char *ending)          /* in the folder for such, by the process */
{
    static char name[8][256];
    static int turn;
    const char *home = getenv("TMPDIR");
    turn = (turn + 1) % 8;
    snprintf(name[turn], sizeof name[0], "%.200s/programs_%ld%s", home && *home ? home : "/tmp",
             (long)HY__PROCESS, ending);
    return name[turn];
}
#ifdef HY__POSIX_FILES
static int pg_spawn(const char *const *args)  /* what comes of it; -1 where there is no such program */
{
    posix_spawn_file_actions_t quiet;
    pid_t child;
    int status = -1, failed, k;
    posix_spawn_file_actions_init(&quiet);
    for (k = 0; k < 3; k++) posix_spawn_file_actions_addopen(&quiet, k, "/dev/null", O_RDWR, 0);
    failed = posix_spawnp(&child, args[0], &quiet, NULL, (char *const *)(uintptr_t)args, environ);
    posix_spawn_file_actions_destroy(&quiet);
    if (failed) return -1;
    while (waitpid(child, &status, 0) < 0) if (errno != EINTR) return -1;
    return status == 127 << 8 ? -1 : status;
}
static int pg_have(const char *compiler)
{
    const char *args[3];
    args[0] = compiler;
    args[1] = "-v";
    args[2] = NULL;
    return pg_spawn(args) == 0;
}
static int pg_has_tcc(void)
{
    static int known;                                   /* 1: no, 2: yes */
    if (known) return known == 2;
    known = test_may_load_code() && pg_have("tcc") ? 2 : 1;
    if (known == 2) setenv("HYBRID_CC", "tcc", 0);      /* for the jit */
    return known == 2;
}
/* Where tcc refuses constants that are no number, the other one shows whether that was all. */
static int pg_compile(const char *source, const char *library)
{
    const char *args[] = { "tcc", "-w", "-shared", "-o", library, source, "-lm", NULL };
    const char *slow[] = { "cc", "-w", "-O0", "-fPIC", "-shared", "-o", library, source, "-lm", NULL };
    int status = pg_spawn(args);
    return status ? pg_spawn(slow) : 0;
}

typedef struct pg_library {
    void *handle;
    int (*run)(void **p);
    int (*room)(void);
    char *weights;
} pg_library;
static char *pg_read_file(const char *name)
{
    FILE *f = fopen(name, "rb");
    char *bytes = NULL;
    long n;
    if (!f) return NULL;
    fseek(f, 0, SEEK_END);
    n = ftell(f);
    rewind(f);
    bytes = (char *)malloc((size_t)n + 1);
    if (fread(bytes, 1, (size_t)n, f) != (size_t)n) { free(bytes); bytes = NULL; }
    fclose(f);
    return bytes;
}
/* Behind what the library wrote: a function that takes everything as pointers. */
static int pg_append_call(const char *name, int pointers)
{
    FILE *f = fopen(name, "ab");
    int i;
    if (!f) return -1;
    fprintf(f, "\nint pg_call(void **p) { return drawn_run(");
    for (i = 0; i < pointers; i++) fprintf(f, i ? ", p[%d]" : "p[%d]", i);
    fprintf(f, "); }\nint pg_room(void) { return DRAWN_WORKSPACE; }\n");
    return fclose(f);
}
static void pg_fail_with(pg_result *R, const char *text)
{
    snprintf(R->error, sizeof R->error, "%s", text);
    R->code = HY_ERROR_STATE;
}
static void pg_open_library(const pg_job *J, pg_library *lib, const char *source, const char *library,
                            const char *weights, int pointers)
{
    void *symbol[2];
    if (weights && !(lib->weights = pg_read_file(weights))) {
        pg_fail_with(J->R, "no file of weights is written");
        return;
    }
    if (pg_append_call(source, pointers)) { pg_fail_with(J->R, "no C source is written"); return; }
    if (pg_compile(source, library)) { pg_fail_with(J->R, "the C source does not compile"); return; }
    lib->handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!lib->handle) { pg_fail_with(J->R, dlerror()); return; }
    symbol[0] = dlsym(lib->handle, "pg_call");
    symbol[1] = dlsym(lib->handle, "pg_room");
    memcpy(&lib->run, &symbol[0], sizeof symbol[0]);
    memcpy(&lib->room, &symbol[1], sizeof symbol[1]);
}
/* A call of what was compiled: results as those of the call of the network. */
static void pg_call_library(const pg_job *J, const pg_library *lib, const char *name, int set)
{
    const pg_body *b = &J->P->body[0];
    hy_array *at[PG_LEAVES], *y;
    char *room[PG_OUT + 1];
    void *p[PG_LEAVES + PG_OUT + 2];
    size_t bytes[PG_OUT + 1];
    int i, k, n, code;
    if (J->R->error[0]) return;
    hy_begin(J->F);
    pg_inputs(J->F, J->P, J->way, set, at);
    n = pg_input_count(J->P);
    for (i = 0; i < n; i++) p[i] = (void *)(uintptr_t)hy_data(J->F, at[i]);
    for (i = 0; i <= b->nout; i++) {
        const hy_type *t = i < b->nout ? &J->P->type[b->out[i]] : NULL;
        bytes[i] = t ? (size_t)pg_elements(&t->shape) * hy_dtype_size(t->dtype) : (size_t)lib->room();
        room[i] = (char *)malloc(bytes[i] + PG_GUARD);
        memset(room[i], 0x5a, bytes[i] + PG_GUARD);
        p[n++] = room[i];
    }
    p[n] = lib->weights;
    code = lib->run(p);
    if (code)
        pg_fail_with(J->R, code == -2 ? "an index, label or region is none" : "the C source gives an error");
    for (i = 0; i <= b->nout; i++)
        for (k = 0; k < PG_GUARD; k++)
            if (room[i][bytes[i] + (size_t)k] != 0x5a)
                pg_fail_with(J->R, "bytes behind what the C source writes were written");
    for (i = 0; i < b->nout && !J->R->error[0]; i++) {
        y = hy_from(J->F, J->P->type[b->out[i]].shape, J->P->type[b->out[i]].dtype, room[i]);
        pg_note(J->F, J->R, name, i, y, J->P->fact[b->out[i]], 0);
    }
    for (i = 0; i <= b->nout; i++) free(room[i]);
    hy_end(J->F);
}
/* As a file or three. The text of what is refused, or "". */
static void pg_through_source(const pg_job *J, char *refused, size_t n)
{
    const char *source = pg_file(".c"), *library = pg_file(".so"), *header = pg_file(".h"),
               *weights = pg_file(".bin");
    hy_array *at[PG_LEAVES];
    hy_export_c_opt opt;
    pg_library lib;
    int how = (int)((pg_mix(J->P->number + 29) >> 9) % 4), failed;
    memset(&lib, 0, sizeof lib);
    memset(&opt, 0, sizeof opt);
    opt.prefix = "drawn";
    opt.no_test = 1;
    if (how == 1) opt.header = header;
    if (how == 2) opt.weights = weights;
    hy_begin(J->F);
    failed = hy_export_c(J->F, J->block, pg_inputs(J->F, J->P, J->way, 0, at), source, &opt);
    if (failed && hy_error_code(J->F) == HY_ERROR_UNSUPPORTED) {
        snprintf(refused, n, "%s", hy_error(J->F));
        hy_clear(J->F);
    } else pg_fail(J->F, J->R, "as C source");
    hy_end(J->F);
    if (!failed) {
        pg_open_library(J, &lib, source, library, opt.weights,
                        pg_input_count(J->P) + J->P->body[0].nout + 1 + (how == 2));
        pg_call_library(J, &lib, "first", 0);
        pg_call_library(J, &lib, "second", 1);
    }
    if (lib.handle) dlclose(lib.handle);
    free(lib.weights);
    remove(source);
    remove(library);
    if (opt.header) remove(header);
    if (opt.weights) remove(weights);
}
#else
static int pg_has_tcc(void) { return 0; }
static void pg_through_source(const pg_job *J, char *refused, size_t n) { (void)J; (void)refused; (void)n; }
#endif

/* --- ONNX --- */
static hy_block *pg_through_onnx(const pg_job *J, char *refused, size_t n)
{
    hy_array *at[PG_LEAVES], *x = pg_inputs(J->F, J->P, J->way, 0, at), *bytes = NULL;
    const char *file = J->P->number % 4 ? NULL : pg_file(".onnx");
    int opset = 13 + (int)((pg_mix(J->P->number + 23) >> 9) % 10), failed = 0;
    hy_block *again = NULL;
    if (file) failed = hy_onnx_save(J->F, J->block, x, file, opset);
    else failed = (bytes = hy_onnx_to(J->F, J->block, x, opset)) == NULL;
    if (failed && hy_error_code(J->F) != HY_ERROR_MEMORY) {
        snprintf(refused, n, "%s", hy_error(J->F));
        hy_clear(J->F);
        return NULL;
    }
    if (!failed)
        again = file ? hy_onnx_load(J->F, file)
                     : hy_onnx_from(J->F, hy_data(J->F, bytes), (size_t)hy_size(J->F, bytes), NULL);
    pg_fail(J->F, J->R, "as ONNX");
    if (file) remove(file);
    return again;
}

/* --- symbols --- */
static hy_graph *pg_through_symbols(const pg_job *J)
{
    const pg_program *P = J->P;
    hy_array *v[PG_VALUES], *leaf[PG_LEAVES];
    hy_len kept[PG_SIZES];
    hy_frame *S = hy_symbolic(J->F);
    hy_graph *g;
    pg_walk W;
    int k;
    if (!S) return NULL;
    memset(v, 0, sizeof v);
    memset(&W, 0, sizeof W);
    W.P = P;
    W.v = v;
    W.leaf = leaf;
    W.layer = J->net->layer;
    for (k = 0; k < P->nleaf; k++) {
        hy_var_opt opt;
        char name[16];
        memset(&opt, 0, sizeof opt);
        snprintf(name, sizeof name, "p%d", k);
        opt.shape = P->leaf[k].shape;
        if (P->network > 1 && !P->wrong && P->leaf[k].kind == PG_INPUT) opt.shape.dim[0] = -1;      /* open */
        opt.dtype = P->leaf[k].dtype;
        opt.shaped = 1;
        opt.aux = P->leaf[k].kind == PG_AUX;
        leaf[k] = P->leaf[k].kind == PG_GONE ? NULL : hy_var(S, name, &opt);
    }
    W.kept = pg_keep_sizes(S, P, leaf, kept);
    pg_run_body(S, &W, 0);
    g = hy_compile(S, pg_pack(S, &W, P->body[0].nout, P->body[0].out));
    pg_fail(S, J->R, "symbols");
    hy_close(S);
    return g;
}

/* --- int8 --- */
static long pg_int8_layers, pg_int8_copies;
static hy_block *pg_in_int8(const pg_job *J)
{
    hy_array *at[PG_LEAVES];
    hy_quantize_opt opt;
    hy_quantize_report report;
    hy_block *copy;
    memset(&opt, 0, sizeof opt);
    memset(&report, 0, sizeof report);
    opt.entropy = J->P->number % 3 == 0;
    opt.report = &report;
    opt.all = J->P->number % 5 != 0;    /* few of these layers are large enough to be faster */
    copy = hy_quantize(J->F, J->block, pg_inputs(J->F, J->P, J->way, 0, at), &opt);
    pg_int8_copies++;
    pg_int8_layers += report.layers;
    return copy;
}

/* --- other sizes, and the first again --- */
static void pg_call_wider(const pg_job *J)
{
    uint64_t stream = J->F->stream;
    pg_job W = *J;
    if (J->R->error[0]) return;
    W.P = pg_wider(J->P);
    pg_call(&W, "wider", 0, 0);
    snprintf(J->R->wider, sizeof J->R->wider, "%s", J->R->error);
    J->R->error[0] = J->R->where[0] = 0;
    J->R->code = HY_ERROR_OK;
    hy_clear(J->F);
    hy_seed(J->F, 7);
    pg_call(J, "again", 0, 0);
    J->F->stream = stream;
}

/* --- memory that ended: it goes on afterwards --- */
static void pg_revive(pg_job *J)
{
    hy_init init = pg_start();
    int k, built = strcmp(J->R->where, "building") && J->net;
    if (!built && J->P->nlayer) return;  /* layers that are made again have other names, so other numbers */
    hy_clear(J->F);
    pg_forget(J->R);
    J->R->error[0] = J->R->where[0] = 0;
    J->R->code = HY_ERROR_OK;
    hy_begin(J->F);
    hy_seed(J->F, 7);
    if (!built) {
        J->net = pg_build(J->F, J->P, 0);
        J->block = J->net ? &J->net->base : NULL;
        pg_set_ways(J);
    } else {
        hy_reinitialize(J->F, &J->net->base, &init);
        for (k = 0; k < J->P->nleaf; k++)
            if (J->P->leaf[k].kind == PG_PARAM || J->P->leaf[k].kind == PG_AUX)
                hy_set_param(J->F, J->net->leaf[k], pg_leaf_array(J->F, J->P, k, 0, J->P->leaf[k].dtype));
    }
    pg_fail(J->F, J->R, "after memory ended");
    hy_end(J->F);
    hy_seed(J->F, 7);
    if (!J->R->error[0]) pg_call(J, "first", 0, 0);
}

/* --- a run --- */
/* allocations of those runs: one of as many fails later */
static int64_t pg_exact_taken = 1000, pg_line_taken = 1000;
static int64_t pg_fails_at;             /* in a walk: that one */
static pg_program pg_cut_program;

/* Networks of other kinds made of the block: those of a way. */
static void pg_change(pg_job *J, char *refused, size_t n)
{
    if (!J->block || J->P->wrong > 1) return;
    if (J->way->flags & PG_INT8) J->block = pg_in_int8(J);
    if (J->block && (J->way->flags & (PG_LOADED | PG_PAIR)))
        J->block = pg_reloaded(J->F, J->P, J->way, J->block);
    if (!J->block && !J->P->wrong && hy_error(J->F) && strstr(hy_error(J->F), "no name in files")) {
        snprintf(refused, n, "%s", hy_error(J->F));
        hy_clear(J->F);
    }
    if (J->block && (J->way->flags & PG_ONNX)) J->block = pg_through_onnx(J, refused, n);
    if (J->block && (J->way->flags & PG_SYMBOL)) J->graph = pg_through_symbols(J);
    if (J->way->flags & PG_ONNX && !J->R->error[0] && J->block && J->P->number % 3) {
        hy_hybridize_opt opt;
        memset(&opt, 0, sizeof opt);
        opt.exact = J->P->number % 3 == 1;
        hy_hybridize(J->F, J->block, &opt);
    }
}

#include "programs_asks.h"
#include "programs_calls.h"

/* --- values set by hand --- */
/* Does a layer have it? */
static int pg_is_layers(const pg_job *J, hy_array *param)
{
    int k;
    for (k = 0; k < J->P->nleaf && J->net->leaf[k] != param; k++) continue;
    return k == J->P->nleaf && pg_learns(J, param);
}
/* Line by line a layer of a branch that no call has taken so far has no values yet, compiled it has: then
 * what layers have stays, in all ways. Line by line is the first of them. */
static int pg_some_unmet;
static void pg_look_for_unmet(const pg_job *J, const hy_params *all)
{
    int i;
    if (J->way != pg_ways) return;
    for (i = pg_some_unmet = 0; i < all->n; i++)
        pg_some_unmet |= pg_is_layers(J, all->at[i]) && !hy_param_ready(J->F, all->at[i]);
}
/* What no head needs has no values in a graph of symbols. */
static int pg_is_reached(const pg_job *J, hy_array *param)
{
    return !(J->way->flags & PG_SYMBOL) || hy_param_ready(J->F, param);
}
/* Parameters, statistics and arrays from outside get the numbers of a set, what layers have is multiplied. */
static void pg_set_by_hand(const pg_job *J, int set, double times)
{
    hy_params all = hy_collect_params(J->F, J->block, NULL);
    int i, k;
    hy_begin(J->F);
    if (set) pg_look_for_unmet(J, &all);
    for (i = 0; i < all.n && !hy_error(J->F); i++)
        if (pg_is_layers(J, all.at[i]) && !pg_some_unmet && pg_is_reached(J, all.at[i]))
            hy_assign(J->F, all.at[i], hy_mul_scalar(J->F, all.at[i], times));
    for (k = 0; k < J->P->nleaf && !hy_error(J->F); k++) {
        const pg_leaf *l = &J->P->leaf[k];
        hy_array *x;
        if (l->kind == PG_INPUT || l->kind == PG_GONE) continue;
        x = pg_leaf_array(J->F, J->P, k, set, pg_leaf_dtype(l, J->way->flags & PG_WIDE));
        if (l->kind != PG_CONST && J->P->number % 2) hy_set_param(J->F, J->net->leaf[k], x);
        else hy_assign(J->F, J->net->leaf[k], x);
    }
    pg_fail(J->F, J->R, "setting by hand");
    hy_end(J->F);
}
/* Of every fourth program of the second million: a call sees what was set, and no compiled block is traced
 * again. What a captured array is set to ends a binding, which is an error. */
static void pg_call_after_hand(const pg_job *J)
{
    const int other = PG_BRIEF | PG_BATCH | PG_WALK | PG_TWICE | PG_STARVED | PG_LOADED | PG_PAIR | PG_BOUND;
    uint64_t stream = J->F->stream;
    int64_t traces;
    if (J->P->number < PG_SECOND || J->P->number % 4 != 1 || J->way->flags & other || J->R->error[0]) return;
    traces = J->way->flags & PG_HYBRID ? hy_cache_info(J->F, J->block).traces : 0;
    pg_set_by_hand(J, 1, 0.5);
    hy_seed(J->F, 7);
    pg_call(J, "set by hand", 0, 0);
    pg_set_by_hand(J, 0, 2);
    if (J->way->flags & PG_HYBRID)
        pg_holds(J, hy_cache_info(J->F, J->block).traces == traces,
                 "what is set by hand needs no other trace");
    J->F->stream = stream;
}

/* Is a step of training to be counted? */
static int pg_trains_on(const pg_job *J)
{
    const int other = PG_BRIEF | PG_BATCH | PG_WALK | PG_STARVED | PG_SYMBOL;
    if (!(J->way->flags & PG_HYBRID) || J->way->flags & other || J->P->dynamic || J->P->order == 2) return 0;
    return !J->R->error[0] && (J->R->heads & pg_heads) && J->P->number % 12 == 3;
}

static void pg_later_calls(pg_job *J)
{
    static const pg_fact sharp = { 0, HY_F64 };
    const int flags = J->way->flags;
    if (flags & PG_BATCH) pg_call_wider(J);
    if (!(flags & (PG_BRIEF | PG_BATCH | PG_WALK | PG_TWICE | PG_STARVED)))
        pg_call_wrongly(J);
    if (flags & PG_TWICE) { pg_call_twice(J); return; }
    if (!(flags & PG_WALK)) pg_call(J, "second", 1, 0);
    pg_call_sizes(J, 0);
    pg_call_after_hand(J);
    if (!(flags & (PG_BRIEF | PG_BATCH))) {
        if (J->P->trains) pg_call(J, "training", 0, 1);
        if (!J->R->error[0]) pg_call_recorded(J, "recorded");
        hy_clear(J->F);
        hy_begin(J->F);
        pg_note(J->F, J->R, "next draw", 0, hy_uniform(J->F, HY_SHAPE(2), 0, 1), sharp, 1);
        hy_end(J->F);
        if (!J->R->error[0] && (J->R->heads & pg_heads) && J->P->number % 3 == 0) pg_train(J);
    }
    if (!J->R->error[0] && (flags & PG_HYBRID)) pg_count_calls(J);
    pg_ask_all(J);
    if (pg_trains_on(J)) pg_count_steps(J);             /* at the end: parameters are others then */
}

static void pg_clean(const pg_program *P, pg_result *R)
{
    R->n = 0;
    R->error[0] = R->where[0] = R->wider[0] = R->misuse[0] = 0;
    R->code = HY_ERROR_OK;
    R->calls = R->steps = R->kept = 0;
    R->heads = 0;
    R->skipped = R->still = 0;
    R->P = P;
}
/* Where inputs are strided arrays from outside are, too. */
static void pg_stretch(const pg_job *J)
{
    int k;
    for (k = 0; k < J->P->nleaf && J->net && J->way->flags & PG_STRIDED; k++)
        if (J->P->leaf[k].kind == PG_CONST)
            J->net->leaf[k] = hy_keep(J->F, pg_strided(J->F, J->net->leaf[k]));
}
/* refused: what a writer says to this program, if it says something. */
static void pg_run_once(const pg_program *P, const pg_way *way, pg_result *R, char *refused, size_t room)
{
    pg_memory memory;
    pg_buffer buffer = { NULL, NULL, 0 }, lane = { NULL, NULL, 0 };
    pg_job J;
    hy_frame *F;
    memset(&memory, 0, sizeof memory);
    memory.turn = P->number;
    memory.fill = (int)(pg_mix(pg_word(way->name) + P->number) >> 9) & 255;
    if ((way->flags & PG_WALK) && (way->flags & PG_STARVED)) memory.fails_at = pg_fails_at;
    else if (way->flags & PG_STARVED)
        memory.fails_at = 1 + (int64_t)(pg_mix(P->number + 17) >> 8) %
                                  (way->flags & PG_HYBRID ? pg_exact_taken : pg_line_taken);
    F = pg_open(way, &memory);
    pg_clean(P, R);
    refused[0] = 0;
    R->taken = memory.taken;
    if (!F) { R->code = HY_ERROR_MEMORY; strcpy(R->error, "no memory"); R->kept = memory.held; return; }
    memset(&J, 0, sizeof J);
    J.F = F;
    J.P = P;
    J.way = way;
    J.R = R;
    J.memory = &memory;
    if (way->isa && hy_isa(F) != way->isa) pg_skip(way, R, "the processor has no such instructions");
    hy_seed(F, 7);
    J.net = pg_build(F, P, way->flags & PG_WIDE);
    J.block = J.net ? &J.net->base : NULL;
    pg_stretch(&J);
    pg_settle(&J);
    pg_change(&J, refused, room);
    hy_seed(F, 7);
    pg_fail(F, R, "building");
    if (!R->error[0] && !R->skipped && !refused[0]) {
        pg_set_ways(&J);
        if ((way->flags & PG_BOUND) && !P->wrong && !P->dynamic) {
            pg_bind(&J, &buffer, 0);
            if (way->threads > 1 && P->number % 8 == 1 && !R->error[0]) pg_bind(&J, &lane, 1);
        }
        if (way->flags & PG_FORKS) pg_run_forks(&J);
        else if (way->flags & PG_SOURCE) pg_through_source(&J, refused, room);
        else pg_call(&J, "first", 0, 0);
        if (!P->wrong && !(way->flags & (PG_FORKS | PG_SOURCE))) pg_later_calls(&J);
    }
    if ((way->flags & PG_JIT) && memory.said[0]) snprintf(refused, room, "%s", memory.said);
    if ((way->flags & PG_STARVED) && R->code == HY_ERROR_MEMORY) pg_revive(&J);
    if (!pg_guard_holds(&buffer) || !pg_guard_holds(&lane)) {
        snprintf(R->error, sizeof R->error, "bytes behind the buffer were written");
        R->code = HY_ERROR_STATE;
    }
    if (refused[0] && !R->skipped) {
        pg_count_reasons(way, refused);
        if (!pg_cut(F, P, way, refused, &pg_cut_program)) {
            pg_skip(way, R, "nothing is left of the program");
            refused[0] = 0;
        }
    }
    hy_close(F);
    free(buffer.block);
    free(lane.block);
    R->kept = memory.held;
    R->taken = memory.taken;
    R->still = memory.still;
    if (way == &pg_ways[0] && !pg_nudge) pg_line_taken = memory.taken;
    if (way == &pg_ways[1]) pg_exact_taken = memory.taken;
}

static void pg_without_drawn_int8(const pg_program *P, const pg_way *way, pg_result *R)
{
    hy_frame *F = hy_open(NULL);
    pg_count_reason(way, "int8 weights that are drawn, padding and all", 44);
    if (!pg_cut(F, P, way, "int8_dense, int8_convolution", &pg_cut_program))
        pg_skip(way, R, "nothing is left of the program");
    hy_close(F);
}

static void pg_run(const pg_program *P, const pg_way *way, pg_result *R)
{
    static pg_program now;
    char refused[2048];
    int k, tries = 0, compiles = (way->flags & (PG_SOURCE | PG_JIT)) != 0;
    pg_clean(P, R);
    if (P->wrong && (way->flags & (PG_SOURCE | PG_JIT | PG_ONNX))) {
        pg_skip(way, R, "wrong on purpose");
        return;
    }
    if (compiles && !pg_has_tcc()) { pg_skip(way, R, "there is no tcc"); return; }
    if (way->flags & PG_SYMBOL) {  /* a graph of heads: what they do not need is not in it */
        now = *P;
        pg_tidy(&now);
        P = &now;
    }
    if (way->flags & PG_ONNX) {                         /* whose attributes are f32 */
        now = *P;
        for (k = 0; k < PG_VALUES; k++) now.fact[k].coarse = pg_coarser(now.fact[k].coarse, HY_F32);
        P = &now;
    }
    /* which trust that padding of weights is 0 */
    if (compiles && pg_has(P, " int8_dense int8_convolution ")) {
        pg_without_drawn_int8(P, way, R);
        if (R->skipped) return;
        now = pg_cut_program;
        P = &now;
    }
    for (;;) {
        pg_run_once(P, way, R, refused, sizeof refused);
        if (!refused[0]) return;
        pg_forget(R);
        if (++tries == 6) { pg_skip(way, R, "six times refused"); return; }
        now = pg_cut_program;
        P = &now;
    }
}
#endif
