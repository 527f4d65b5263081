/* A generator of random programs: each is a function of its number, is run line by line and in other ways,
 * and must give the same each time: the same bits, or as near as rounding promises; the same error, if it is
 * wrong on purpose.
 *     cc -O1 tests/programs.c -o programs -lm -lpthread
 *     ./programs --from 0 --to 1000           those programs; the exit code is 1 if any failed
 *     ./programs --way bound --from 0 ...     this way for all of them, beside the first three
 *     ./programs --digest --to 1000           a hash of each program, as data
 *     ./programs --results --to 1000          a hash of what each gives line by line, exact and compiled, and
 *                                             of its errors; "product" where sums of products are in it
 *     ./programs --mark                       are the first 300 what they were?
 *     ./programs --print 17                   the program as text
 *     ./programs --table --to 100000          how often each operator went each way
 *     ./programs --cells --to 100000          that as numbers, of which files are added up by
 *     ./programs --merge FILES                what several processes went, as one table
 *     ./programs --known ...                  faults that are known count, too
 *     ./programs --whole ...                  what fails is not made smaller and printed as C
 *     ./programs --text ...                   what fails is made smaller and printed as text
 *     ./programs --c 17                       the program as C, to be compiled beside hybrid.h
 *     ./programs --plant sigmoid --to 200     an operator that is off by one in graphs: is it found, and
 *                                             made as small as it can be?
 *     ./programs --hunt ...                   each number is printed first; the first failure, or a minute
 *                                             of work for one program, is the end: see mutants.sh */
#define HYBRID_PARALLEL_NS 0
#define HYBRID_CHUNK 64
#define HYBRID_SOURCE
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#define HYBRID_ONNX_IMPLEMENTATION
#include "../tools/onnx.h"
#ifdef HY__POSIX_FILES
#include <sys/resource.h>
#include <sys/time.h>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <float.h>
#include <signal.h>
#include <stdarg.h>
#include <time.h>
#include <unistd.h>
#include "test.h"
#include "ref.h"
#include "ops_ref.c"
#include "test_ops.c"
#include "programs_layers.h"
#include "programs_data.h"
#include "programs_len.h"
#include "programs_ops.h"
#include "programs_run.h"
#include "programs_draw.h"
#include "programs_ways.h"
#include "programs_more.h"

/* --- text --- */
static void pg_print_body(const pg_program *P, int body, int indent)
{
    static const char *const kinds[] = { "", "foreach", "while", "cond", "child", "layer", "sized" };
    const pg_body *b = &P->body[body];
    int i, k;
    for (i = 0; i < b->n; i++) {
        const pg_step *s = &P->step[b->step[i]];
        printf("%*sv%d", indent, "", s->out);
        if (s->nout > 1) printf("..%d", s->out + s->nout - 1);
        printf(" = %s(", pg_bodies(s) ? kinds[s->kind] : s->op);
        for (k = 0; k < s->n; k++)
            printf("%s%c%d", k ? ", " : "", s->in[k] < 0 ? 'p' : 'v', s->in[k] < 0 ? ~s->in[k] : s->in[k]);
        for (k = 0; k < s->nstate; k++)
            printf("%s%c%d", k ? ", " : "; ", s->state[k] < 0 ? 'p' : 'v',
                   s->state[k] < 0 ? ~s->state[k] : s->state[k]);
        printf(") %s", s->attrs);
        if (s->kind == PG_LEN) printf("; sizes");
        if (s->kind == PG_LAYER_CALL) printf(" layer %d, %s", s->layer, hy_dtype_name(s->dtype));
        if (s->kind == PG_WHILE) printf("limit %d by %g", s->limit, s->by);
        printf("\n");
        for (k = 0; k < pg_bodies(s); k++) {
            printf("%*s  of v%d..:\n", indent, "", P->body[s->body[k]].arg);
            pg_print_body(P, s->body[k], indent + 4);
        }
    }
    printf("%*sgives", indent, "");
    for (k = 0; k < b->nout; k++)
        printf(" %c%d", b->out[k] < 0 ? 'p' : 'v', b->out[k] < 0 ? ~b->out[k] : b->out[k]);
    if (b->nstate) printf("; states");
    for (k = 0; k < b->nstate; k++)
        printf(" %c%d", b->state[k] < 0 ? 'p' : 'v', b->state[k] < 0 ? ~b->state[k] : b->state[k]);
    printf("\n");
}
static void pg_print(const pg_program *P)
{
    static const char *const kinds[] = { "input", "parameter", "statistic", "array from outside" };
    static const char *const domains[] = { "", "int", "perm", "bool", "aux" };
    char text[128];
    int k, d;
    printf("program %llu%s:\n", (unsigned long long)P->number, P->wrong ? " (wrong on purpose)" : "");
    printf("  gradients of order %d, of outputs %x%s, adding %x; %s; fault %d\n", P->order, P->heads & 15,
           P->own ? " with weights" : "", P->adds, pg_optimisers[P->optimiser], P->fault);
    for (k = 0; k < P->nleaf; k++) {
        if (P->leaf[k].kind == PG_GONE) continue;
        pg_shape_text(P->leaf[k].shape, text, sizeof text);
        printf("  p%d: %s %s %s %s[%g,%g]", k, kinds[P->leaf[k].kind], hy_dtype_name(P->leaf[k].dtype),
               text, domains[P->leaf[k].domain.kind], P->leaf[k].domain.low, P->leaf[k].domain.high);
        for (d = 0; d < P->leaf[k].shape.ndim; d++)
            if (P->leaf[k].size[d]) printf(", dim %d is size %d", d, P->leaf[k].size[d]);
        printf("\n");
    }
    for (k = 0; k < P->nset; k++)
        printf("%s(%d,%d,%d)", k ? " " : "  sizes ", P->set[k][0], P->set[k][1], P->set[k][2]);
    if (P->nset) printf("\n");
    pg_print_body(P, 0, 2);
}

/* A hash of the program as data. */
static uint64_t pg_digest(const pg_program *P)
{
    uint64_t h = 1;
    int i, k;
#define PG_ADD(v) (h = pg_mix(h * 31 + (uint64_t)(v)))
    for (i = 0; i < P->nleaf; i++) {
        const pg_leaf *l = &P->leaf[i];
        PG_ADD(l->kind); PG_ADD(l->dtype); PG_ADD(l->odd); PG_ADD(l->shape.ndim); PG_ADD(l->domain.kind);
        for (k = 0; k < l->shape.ndim; k++) PG_ADD(l->shape.dim[k]);
        PG_ADD((int64_t)(l->domain.low * 1000)); PG_ADD((int64_t)(l->domain.high * 1000));
    }
    for (i = 0; i < P->nbody; i++) {
        const pg_body *b = &P->body[i];
        PG_ADD(b->arg);
        for (k = 0; k < b->n; k++) PG_ADD(b->step[k]);
        for (k = 0; k < b->nout; k++) PG_ADD(b->out[k]);
        for (k = 0; k < b->nstate; k++) PG_ADD(b->state[k]);
    }
    for (i = 0; i < P->nstep; i++) {
        const pg_step *s = &P->step[i];
        PG_ADD(s->kind);
        PG_ADD(s->owner);
        PG_ADD(s->layer);
        PG_ADD(s->dtype);
        PG_ADD(pg_word(s->op));
        PG_ADD(pg_word(s->attrs));
        PG_ADD(s->limit);
        PG_ADD((int64_t)(s->by * 2));
        PG_ADD(s->out);
        for (k = 0; k < s->n; k++) PG_ADD(s->in[k]);
        for (k = 0; k < s->nstate; k++) PG_ADD(s->state[k]);
    }
    PG_ADD(P->order);
    PG_ADD(P->adds);
    PG_ADD(P->heads);
    PG_ADD(P->own);
    PG_ADD(P->optimiser);
    PG_ADD(P->fault);
#undef PG_ADD
    return h;
}

/* What the first of them are, as one number. If it is another, old numbers mean other programs than they
 * did: something that is new must be listed as born later, see pg_born. A mend of the library may bring
 * that about, too, if it takes what it refused while a program was drawn; then the new number goes here. */
enum { PG_MARKED = 300 };
static const uint64_t pg_marked = UINT64_C(0x7e52f22d1b6e5d2e);
static int pg_check_mark(void)
{
    static pg_program P;
    hy_desc desc;
    hy_frame *F;
    uint64_t number, mark = 1;
    memset(&desc, 0, sizeof desc);
    desc.threads = 1;
    desc.isa = HY_ISA_BASE;
    F = hy_open(&desc);
    for (number = 0; number < PG_MARKED; number++)
        mark = pg_mix(mark * 31 + (pg_draw(F, number, &P) ? pg_digest(&P) : 0));
    hy_close(F);
    printf("the first %d programs are %s: %016llx\n", PG_MARKED,
           mark == pg_marked ? "those that they were" : "others than they were", (unsigned long long)mark);
    return mark != pg_marked;
}

/* --- comparing --- */
static double pg_element(const pg_item *a, int64_t i)
{
    return hy__load((const char *)a->data + i * (int64_t)hy_dtype_size(a->type.dtype), a->type.dtype);
}
/* The same bits, but for which NaN it is. -1, or where not. zeros: -0 is 0; 2: and NaN, too, for 0 times
 * infinity. */
static int64_t pg_differs(const pg_item *a, const pg_item *b, int zeros)
{
    int64_t i, n = pg_elements(&a->type.shape);
    size_t size = hy_dtype_size(a->type.dtype);
    if (!memcmp(a->data, b->data, (size_t)n * size)) return -1;
    for (i = 0; i < n; i++) {
        double x, y;
        if (!memcmp((char *)a->data + (size_t)i * size, (char *)b->data + (size_t)i * size, size)) continue;
        if (!hy__floating(a->type.dtype)) return i;
        x = pg_element(a, i);
        y = pg_element(b, i);
        if ((x != x && y != y) || (zeros && x == 0 && (y == 0 || (zeros > 1 && y != y)))) continue;
        return i;
    }
    return -1;
}
static const pg_item *pg_named(const pg_result *R, const char *name)
{
    int i;
    for (i = 0; i < R->n; i++) if (!strcmp(R->item[i].name, name)) return &R->item[i];
    return NULL;
}

static int pg_silent;                   /* while a program is made smaller */
static void pg_say(const char *format, ...)
{
    va_list args;
    if (pg_silent) return;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
}

#include "programs_near.h"
static pg_result pg_line, pg_other;

/* An error without what may differ: the name of a node before the operator ("operator net0_relu0, relu:
 * ..." is "operator relu: ..."), and where it was met (" [in net0, called at ...]"). */
static const char *pg_plain_error(const char *from, char *to, int bare)
{
    const char *mark = strstr(from, "operator "), *comma, *colon;
    char *end;
    strcpy(to, from);
    /* behind that name */
    if (strstr(from, ": Mutation target")) strcpy(to, strstr(from, ": Mutation target"));
    else if (mark) {
        mark += 9;
        colon = strchr(mark, ':');
        comma = strchr(mark, ',');
        if (bare && colon) strcpy(to, colon + 2);
        else if (comma && colon && comma < colon) strcpy(to + (mark - from), comma + 2);
    }
    if ((end = strstr(to, " [in ")) != NULL) *end = 0;
    if ((end = strstr(to, ", not the result of ")) != NULL) *end = 0;
    if (bare && (end = strstr(to, " (")) != NULL) *end = 0;
    return to;
}
static const char pg_changes_what[] = "Mutation target can only be Variable";
static int pg_same_error(const char *a, const char *b, int bare)
{
    static char text[2][2048];
    /* they name what computes it by its node */
    if (strstr(a, pg_changes_what) && strstr(b, pg_changes_what)) return 1;
    return !strcmp(pg_plain_error(a, text[0], bare), pg_plain_error(b, text[1], bare));
}

/* What an error says behind the name of who says it is within the other. */
static int pg_same_message(const char *a, const char *b)
{
    static char text[2048];
    const char *colon = strstr(pg_plain_error(a, text, 0), " was already run")
                            ? strstr(text, " was already run")
                            : strstr(text, ": ");
    char *node = colon ? strstr(text, " the result of ") : NULL;
    if (node) *node = 0;
    return colon && strstr(b, colon) != NULL;
}

/* Programs that fail, whose causes are known or not found yet: they are passed over, so that others show. To
 * be emptied. */
static const unsigned long long pg_known_numbers[] = {
    ~0ull,                              /* none: no program has this number */
};
static long pg_known_met;
static int pg_known_count;             /* --known: they are failures like others */
static int pg_known(const pg_program *P)
{
    size_t i = 0;
    while (i < sizeof pg_known_numbers / sizeof *pg_known_numbers && pg_known_numbers[i] != P->number) i++;
    if (pg_known_count || i == sizeof pg_known_numbers / sizeof *pg_known_numbers) return 0;
    pg_known_met++;
    return 1;
}

static int pg_loop_is_wrong(const pg_program *P)        /* what is wrong is the last */
{
    const pg_body *b = &P->body[0];
    const pg_step *s = &P->step[b->step[b->n - 1]];
    return pg_bodies(s) && s->kind != PG_CHILD;
}

/* Of several steps that fail a graph may meet another one first: of the same operator's kind of error; one
 * that lacks a gradient beside one that fails in it; or one of a later call, where no result needs what
 * failed before. */
static int pg_meets_another(const pg_way *way)
{
    static const char *const calls[] = { "building", "first", "gradient", "second", "set by hand", "training",
                                         "recorded" };
    int i, at = -1, later = -1;
    if (!pg_line.error[0] || !pg_other.error[0]) return 0;
    for (i = 0; i < (int)(sizeof calls / sizeof *calls); i++) {
        if (!strcmp(calls[i], pg_line.where)) at = i;
        if (!strcmp(calls[i], pg_other.where)) later = i;
    }
    if (at >= 0 && later > at) return (way->flags & (PG_HYBRID | PG_CHILDREN | PG_SYMBOL)) != 0;
    if (strcmp(pg_line.where, pg_other.where)) return 0;
    return pg_same_error(pg_line.error, pg_other.error, 1) ||
           (!strcmp(pg_line.where, "gradient") && (strstr(pg_line.error, "has no gradient") != NULL) !=
                                                      (strstr(pg_other.error, "has no gradient") != NULL));
}

/* Where another way may say less, or more, than line by line: by the manual. */
static int pg_error_is_excused(const pg_program *P, const pg_way *way)
{
    if (way->flags & (PG_LOADED | PG_PAIR)) {
        if (P->unsaved && strstr(pg_other.error, "no name in files")) return 1;
        if (P->wrong) return 1;                         /* said by whoever traces it for the file */
        /* a loop is one operator there: it has a gradient if anything that it is given has one */
        if (P->loops && !pg_line.error[0] && strstr(pg_other.error, "a matrix is singular") &&
            strcmp(pg_other.where, "first") && strcmp(pg_other.where, "second")) return 1;
        if ((way->flags & PG_PAIR) && strstr(pg_other.error, "hy_export: MXNet has no ")) return 1;
    }
    /* in words of its own */
    if ((way->flags & (PG_SOURCE | PG_JIT | PG_ONNX)) && pg_line.error[0] && pg_other.error[0])
        return !P->wrong;
    if ((way->flags & PG_RECOMPUTE) && P->dynamic && strstr(pg_other.error, "values decide the shape of"))
        return 1;
    /* of a branch that is not taken; or of several that fail: a graph finds it before any value */
    if ((!pg_line.error[0] ? P->loops : !strcmp(pg_line.where, "gradient")) &&
        !strcmp(pg_other.where, "gradient") && strstr(pg_other.error, "has no gradient")) return 1;
    if (P->wrong && strstr(pg_line.error, "a matrix is") && pg_other.error[0]) return 1;
    if (P->order == 2 && strstr(pg_other.error, "has no gradient")) return 1;  /* of what is not asked for */
    /* by a turn, or as a whole */
    if (P->wrong && pg_line.error[0] && pg_other.error[0] && pg_loop_is_wrong(P)) return 1;
    /* what is wrong goes on; a loop that has no turn fails as a whole, before that */
    if (P->wrong && P->loops && pg_same_error(pg_line.error, pg_other.error, 1)) return 1;
    /* of a recurrent layer whose data has wrong dims: the parameters that it misses, or its operator */
    if (P->wrong && strstr(pg_line.error, "Deferred initialization failed") &&
        strstr(pg_other.error, "Shape inconsistent")) return 1;
    /* "hy_cond: ...", the name of a node; of a statistic whose value is needed: the operator that would write
     * it, or its own name */
    if ((P->wrong || strstr(pg_line.error, "a recorded backward still needs")) &&
        pg_same_message(pg_line.error, pg_other.error)) return 1;
    if (pg_line.error[0] && !pg_other.error[0]) return !P->wrong;      /* nobody needs what failed */
    if (!strcmp(pg_line.where, pg_other.where) && !strcmp(pg_line.where, "gradient") &&
        pg_line.code == pg_other.code)
        return 1;
    return !P->wrong && pg_meets_another(way);
}

/* --- gradients: where an exact way may round them otherwise --- *
 * By the manual: an array that enters a loop or branch in two ways; a state, an input or an array from
 * outside that a turn or branch gives as its output, an array from outside as its state; states of a loop
 * over no rows; what a turn gives three times, as state and output; what a while loop begins with that is
 * used after it, too. */
typedef struct pg_uses { const pg_program *P; int value[PG_VALUES], leaf[PG_LEAVES], twice; } pg_uses;
static int pg_slopes(const pg_program *P, int ref)      /* may it have a gradient? */
{
    if (ref >= 0) return hy__floating(P->type[ref].dtype);
    return hy__floating(P->leaf[~ref].dtype) &&
           (P->leaf[~ref].kind == PG_INPUT || P->leaf[~ref].kind == PG_PARAM);
}
static int pg_within(const pg_program *P, int body, int ref);
/* How many turns a foreach has. */
static int64_t pg_rows(const pg_program *P, const pg_step *s)
{
    const hy_shape *rows;
    if (s->n < 1) return 1;
    rows = s->in[0] < 0 ? &P->leaf[~s->in[0]].shape : &P->type[s->in[0]].shape;
    return rows->ndim ? rows->dim[0] : 1;
}
/* What a child block is given is what it was called with, and what it, or a layer that does nothing, gives
 * of that is the same; so is a state that no turn changes, or that each turn takes from outside. */
static int pg_handed(const pg_program *P, const pg_step *s, int ref)
{
    const pg_body *b = &P->body[s->body[0]];
    int k = ref - s->out, arg = ref - b->arg;
    if (s->kind == PG_OP) return ref;
    if (s->kind == PG_LAYER_CALL && !strcmp(s->op, "plain") && *s->attrs == '1')
        return k == 0 ? s->in[0] : ref;
    if (s->kind == PG_LAYER_CALL && !strcmp(s->op, "cell") && k == 1) return s->out;    /* its state */
    if (s->kind == PG_CHILD && arg >= 0 && arg < b->narg && arg < s->n) return s->in[arg];
    if (k < 0 || k >= s->nout) return ref;
    if (s->kind == PG_CHILD) return b->out[k];
    k -= b->nout;
    if ((s->kind != PG_FOREACH && s->kind != PG_WHILE) || k < 0) return ref;
    if (s->kind == PG_FOREACH ? pg_rows(P, s) == 0 : s->by < 0) return s->state[k];     /* it has no turn */
    arg = b->state[k] - b->arg;
    if (arg >= 0 && arg < b->narg)
        return arg == k + (s->kind == PG_FOREACH ? s->n : 0) ? s->state[k] : ref;
    return pg_within(P, s->body[0], b->state[k]) ? ref : b->state[k];
}
static int pg_given(const pg_program *P, int ref)
{
    int i, to;
    for (i = P->nstep - 1; i >= 0 && ref >= 0 && ref < PG_VALUES; i--) {
        to = pg_handed(P, &P->step[i], ref);
        if (to != ref) { ref = to; i = P->nstep; }
    }
    return ref;
}
static void pg_use(pg_uses *U, int given)
{
    int ref = pg_given(U->P, given), *n = ref < 0 ? &U->leaf[~ref] : ref < PG_VALUES ? &U->value[ref] : NULL;
    if (n && pg_slopes(U->P, ref)) U->twice |= ++*n > 1;
}
static int pg_makes(const pg_program *P, const pg_step *s, int ref)
{
    int k;
    if (ref >= s->out && ref < s->out + s->nout) return 1;
    for (k = 0; k < pg_bodies(s); k++) if (pg_within(P, s->body[k], ref)) return 1;
    return 0;
}
static int pg_within(const pg_program *P, int body, int ref)    /* is it made there, or given to it? */
{
    const pg_body *b = &P->body[body];
    int i, made = ref >= b->arg && ref < b->arg + b->narg;
    for (i = 0; i < b->n && !made; i++) made = pg_makes(P, &P->step[b->step[i]], ref);
    return made;
}
static void pg_capture(const pg_program *P, int top, int ref, char *value, char *leaf)
{
    if (ref >= 0 && (ref >= PG_VALUES || pg_within(P, top, ref))) return;
    ref = pg_given(P, ref);
    if (ref < 0) leaf[~ref] = 1;
    else if (ref < PG_VALUES) value[ref] = 1;
}
/* What a body takes from outside of `top`, once each. */
static void pg_captures(const pg_program *P, int top, int body, char *value, char *leaf)
{
    const pg_body *b = &P->body[body];
    int i, k, ref;
    for (i = 0; i < b->n; i++) {
        const pg_step *s = &P->step[b->step[i]];
        for (k = 0; k < s->n + s->nstate; k++) {
            ref = k < s->n ? s->in[k] : s->state[k - s->n];
            pg_capture(P, top, ref, value, leaf);
        }
        for (k = 0; k < pg_bodies(s); k++) pg_captures(P, top, s->body[k], value, leaf);
    }
    for (k = 0; k < b->nout + b->nstate; k++) {
        ref = k < b->nout ? b->out[k] : b->state[k - b->nout];
        pg_capture(P, top, ref, value, leaf);
    }
}
/* Does a child block within the body give what it is given? */
static int pg_hands_on(const pg_program *P, int body)
{
    const pg_body *b = &P->body[body], *c;
    int i, k;
    for (i = 0; i < b->n; i++) {
        const pg_step *s = &P->step[b->step[i]];
        c = &P->body[s->body[0]];
        for (k = 0; s->kind == PG_CHILD && k < c->nout; k++)
            if (c->out[k] < 0 || (c->out[k] >= c->arg && c->out[k] < c->arg + c->narg)) return 1;
        for (k = 0; k < pg_bodies(s); k++) if (pg_hands_on(P, s->body[k])) return 1;
    }
    return 0;
}
/* The same as far as the body goes: what it is given itself is not looked into. */
static int pg_given_within(const pg_program *P, int body, int ref)
{
    const pg_body *b = &P->body[body];
    int i, to;
    for (i = P->nstep - 1; i >= 0 && ref >= 0 && ref < PG_VALUES; i--) {
        if (ref >= b->arg && ref < b->arg + b->narg) break;
        to = pg_handed(P, &P->step[i], ref);
        if (to != ref) { ref = to; i = P->nstep; }
    }
    return ref;
}
/* Does a turn give one value three times, as state and output? What uses the last state comes first. */
static int pg_gives_thrice(const pg_program *P, const pg_step *s)
{
    const pg_body *b = &P->body[s->body[0]];
    int i, k, n, ref;
    for (i = 0; i < b->nstate; i++) {
        ref = pg_given_within(P, s->body[0], b->state[i]);
        for (k = n = 0; k < b->nout + b->nstate; k++)
            n += pg_given_within(P, s->body[0], k < b->nout ? b->out[k] : b->state[k - b->nout]) == ref;
        if (n > 2 && pg_slopes(P, ref)) return 1;
    }
    return 0;
}
static int pg_loop_tangles(const pg_program *P, const pg_step *s)
{
    static pg_uses U;
    int i, k;
    memset(&U, 0, sizeof U);
    U.P = P;
    for (k = 0; k < s->n && s->kind == PG_FOREACH; k++) pg_use(&U, s->in[k]);
    for (k = 0; k < s->nstate; k++) pg_use(&U, s->state[k]);
    for (k = 0; k < (s->kind == PG_COND ? 2 : 1); k++) {
        const pg_body *b = &P->body[s->body[k]];
        char value[PG_VALUES], leaf[PG_LEAVES];
        memset(value, 0, sizeof value);
        memset(leaf, 0, sizeof leaf);
        pg_captures(P, s->body[k], s->body[k], value, leaf);
        U.twice |= pg_hands_on(P, s->body[k]);
        for (i = 0; i < PG_VALUES; i++) if (value[i] && U.value[i]) U.twice = 1;
        for (i = 0; i < PG_LEAVES; i++) if (leaf[i] && U.leaf[i]) U.twice = 1;
        for (i = 0; i < b->nout + b->nstate; i++) {
            int ref = i < b->nout ? b->out[i] : b->state[i - b->nout];
            int given = pg_given_within(P, s->body[k], ref);
            if (!pg_slopes(P, ref)) continue;
            if (!pg_within(P, s->body[k], given) || given < 0) U.twice = 1;
            if (i < b->nout && given >= b->arg && given < b->arg + b->narg) U.twice = 1;
        }
        if (s->kind == PG_FOREACH && pg_rows(P, s) == 0)
            for (i = 0; i < s->nstate; i++) U.twice |= pg_slopes(P, s->state[i]);
    }
    return U.twice || pg_gives_thrice(P, s);
}
static int pg_tangles(const pg_program *P)
{
    int i, k, j, ref;
    for (i = 0; i < P->nstep; i++) {
        const pg_step *s = &P->step[i], *t;
        if (!pg_bodies(s) || s->kind == PG_CHILD) continue;
        if (pg_loop_tangles(P, s)) return 1;
        for (k = 0; s->kind == PG_WHILE && k < s->nstate; k++) {
            if (!pg_slopes(P, s->state[k])) continue;
            for (t = s + 1; t < P->step + P->nstep; t++)
                for (j = 0; j < t->n + t->nstate; j++) {
                    ref = j < t->n ? t->in[j] : t->state[j - t->n];
                    if (ref == s->state[k]) return 1;
                }
            for (j = 0; j < P->body[0].nout; j++) if (P->body[0].out[j] == s->state[k]) return 1;
        }
    }
    return 0;
}

/* Is there a branch, or a loop that may have no turn? Then 0 may stand where no gradient comes: -0 + 0. */
static int pg_asks(const pg_program *P)
{
    int i;
    for (i = 0; i < P->nstep; i++) if (P->step[i].kind == PG_WHILE || P->step[i].kind == PG_COND) return 1;
    return 0;
}

/* What a step of training makes differs in a network that was loaded: arrays from outside are parameters
 * there, and what a layer does not learn is not in the file. Parameters come in the order of the file, which
 * counts where they draw, or change what the next one goes by. */
static int pg_learns_more(const pg_program *P, const pg_way *way, const pg_item *a)
{
    int k, more = P->nlayer;
    for (k = 0; k < P->nleaf; k++) more += P->leaf[k].kind == PG_CONST;
    if (pg_listed(pg_optimisers[P->optimiser], " sgld nadam "))
        for (k = 0; k < P->nleaf; k++) more += P->leaf[k].kind == PG_PARAM;
    return (way->flags & (PG_LOADED | PG_PAIR)) && more &&
           (!strncmp(a->name, "stepped", 7) || !strncmp(a->name, "after", 5));
}

/* Does a file write an operator of it as several? Then gradients of gradients add up in another order. */
static int pg_reads_as_several(const pg_program *P)
{
    int i, some = 0;
    for (i = 0; i < P->nstep; i++) some |= strstr(P->step[i].op, "arctan2_scalar") != NULL;
    return some;
}

static int pg_is_of_size(const char *name)              /* of a call with a set of sizes */
{
    return !strncmp(name, "size", 4) || !strncmp(name, "again size", 10) ||
           !strncmp(name, "recorded size", 13) || !strncmp(name, "recorded, error", 15);
}
static int pg_compare_item(const pg_program *P, const pg_way *way, const pg_item *a, int tangles)
{
    const pg_item *b = pg_named(&pg_other, a->name);
    int loose = (way->flags & PG_LOOSE) != 0;
    int64_t at;
    if (pg_learns_more(P, way, a)) return 1;
    if (pg_other.still && strncmp(a->name, "first", 5) && (P->fault || strncmp(a->name, "second", 6)))
        return 1;
    if ((way->flags & PG_STARVED) && P->fault == PG_BACKWARD_TWICE && strncmp(a->name, "first", 5))
        return 1;                       /* it makes no wrong call, which changes statistics and gradients */
    if (a->whole >= 2 && P->odd && pg_asks(P)) return 1;  /* 0 times infinity, where no gradient is due */
    if (!b && !strncmp(a->name, "right again", 11) && !pg_other.misuse[0]) return 1;
    if (!b && ((way->flags & (PG_FORKS | PG_STARVED | PG_LOADED | PG_PAIR)) || a->whole >= 2)) return 1;
    if (!b && (way->flags & PG_BOUND) && !strncmp(a->name, "set by hand", 11)) return 1;
    if (!b && pg_is_of_size(a->name) && (way->flags & PG_ONE_SIZE || P->loops))
        return 1;                       /* no turn, or the other branch */
    if (!b) {
        pg_say(pg_other.wider[0] ? "%s is missing: %s\n" : "%s is missing\n", a->name, pg_other.wider);
        return 0;
    }
    if (!pg_same_type(&a->type, b->type.dtype, &b->type.shape)) {
        if ((loose && pg_size_is_condition(P, a, &b->type)) || pg_known(P)) return 1;
        if (P->loops && a->whole == 2 && !pg_elements(&a->type.shape)) return 1;    /* of no branch taken */
        pg_say("%s has another type\n", a->name);
        return 0;
    }
    if (a->whole == 4 || (a->whole >= 2 && P->dynamic)) loose = 1;  /* sections have an order of their own */
    if (a->whole >= 2 && P->loops && (P->order == 2 || tangles)) loose = 1;
    if (a->whole >= 2 && P->order == 2 && (way->flags & (PG_LOADED | PG_PAIR)) && pg_reads_as_several(P))
        loose = 1;
    if (a->whole >= 2 && P->nset) loose = 1;    /* sizes alike by chance take another way */
    at = pg_differs(a, b, a->whole >= 2 && pg_asks(P) ? 2 : loose);
    if (at < 0 || (loose && a->whole == 3)) return 1;
    if (loose && pg_near(P, a, b, &at)) return 1;
    /* nobody needs what failed; what is not taken does in a graph */
    if (strstr(a->name, ", error") && pg_is_of_size(a->name) &&
        (P->loops || pg_element(a, 0) > pg_element(b, 0))) return 1;
    if (pg_known(P)) return 1;
    pg_say("%s, element %d: %.*g, due %.*g\n", a->name, (int)at, a->type.dtype == HY_F64 ? 17 : 9,
           pg_element(b, at), a->type.dtype == HY_F64 ? 17 : 9, pg_element(a, at));
    return 0;
}

/* Is an output what the program was given? Then no call is on the tape that could be run twice, but where a
 * graph packs an input. */
static int pg_gives_input(const pg_program *P)
{
    int k, some = 0;
    for (k = 0; k < P->body[0].nout; k++) some |= pg_given(P, P->body[0].out[k]) < 0;
    return some;
}

/* With another type or shape several steps may be wrong; a branch that is not taken is only looked at in a
 * graph; what was loaded knows how many inputs it has. */
static int pg_same_misuse(const pg_program *P)
{
    int several = P->fault == PG_OTHER_TYPE || P->fault == PG_OTHER_SHAPE;
    if (strstr(pg_other.misuse, "SymbolBlock: ") && strstr(pg_other.misuse, " inputs are due, "))
        return P->fault == PG_CALLED_WITH_FEWER || P->fault == PG_CALLED_WITH_MORE;
    /* a file knows how many dims; what has its size already is given back as it is */
    if (!pg_line.misuse[0] && P->nset && (P->fault == PG_OTHER_SHAPE || P->fault == PG_BACKWARD_TWICE))
        return 1;
    if (!pg_line.misuse[0]) return P->loops || (P->fault == PG_BACKWARD_TWICE && pg_gives_input(P));
    return several || pg_same_error(pg_line.misuse, pg_other.misuse, 0) ||
           pg_same_message(pg_line.misuse, pg_other.misuse);
}

/* 1 if the way agrees with line by line. loud: what differs is printed. */
static int pg_agrees(const pg_program *P, const pg_way *way)
{
    int i, tangles;
    if ((way->flags & PG_STARVED) && pg_other.code == HY_ERROR_MEMORY) return !pg_other.kept;
    if (pg_other.kept) { pg_say("%d blocks of memory are lost\n", (int)pg_other.kept); return 0; }
    if (strstr(pg_other.error, pg_does_not_hold)) { pg_say("%s\n", pg_other.error); return 0; }
    if (!pg_same_error(pg_line.error, pg_other.error, 0) && !pg_error_is_excused(P, way)) {
        if (pg_known(P)) return 1;
        pg_say("error at %s: %s\n  due at %s: %s\n", pg_other.where,
               pg_other.error[0] ? pg_other.error : "none", pg_line.where,
               pg_line.error[0] ? pg_line.error : "none");
        return 0;
    }
    if (pg_line.error[0] || pg_other.error[0]) return 1;
    tangles = P->loops && !(way->flags & PG_BRIEF) && pg_tangles(P);
    for (i = 0; i < pg_line.n; i++)
        if (!pg_compare_item(P, way, &pg_line.item[i], tangles)) return 0;
    if (P->fault && pg_other.misuse[0] && !pg_same_misuse(P)) {
        pg_say("called wrongly: %s\n  due: %s\n", pg_other.misuse, pg_line.misuse);
        return 0;
    }
    if (pg_other.calls && !P->dynamic && (way->flags & PG_HYBRID) && !(way->flags & PG_STARVED)) {
        pg_say("a call that came before takes %d blocks of memory\n", (int)pg_other.calls);
        return 0;
    }
    if (pg_other.steps && !pg_known(P)) {
        pg_say("a step of training that came before takes %d blocks of memory\n", (int)pg_other.steps);
        return 0;
    }
    return 1;
}

#include "programs_table.h"
#include "programs_small.h"

/* --- one program --- */
/* What --results prints: two builds of the library whose lines are equal compute the same bits. Addresses,
 * NaNs' signs and the lines of these files, which an error names, are no part of it. */
static int pg_prints_results;
static int pg_sums_products(const pg_program *P)
{
    static const char *const words[] = { "conv", "dot", "fully", "gemm", "matmul", "rnn", "attention",
                                          "einsum", "lin" };
    int i;
    size_t k;
    for (i = 0; i < P->nstep; i++) {
        if (P->step[i].kind == PG_LAYER_CALL) return 1;
        for (k = 0; k < sizeof words / sizeof *words; k++) if (strstr(P->step[i].op, words[k])) return 1;
    }
    return 0;
}
static void pg_print_result(const pg_program *P, const char *way, const pg_result *r)
{
    static char text[2][2048];
    uint64_t h = pg_word(pg_plain_error(r->error, text[0], 0)) +
                 pg_word(pg_plain_error(r->misuse, text[1], 0));
    int64_t k;
    int i;
    if (!pg_prints_results) return;
    for (i = 0; i < r->n; i++) {
        const pg_item *a = &r->item[i];
        h = pg_mix(h * 31 + pg_word(a->name) + (uint64_t)a->type.dtype);
        for (k = 0; k < a->type.shape.ndim; k++) h = pg_mix(h * 31 + (uint64_t)a->type.shape.dim[k]);
        for (k = 0; a->data && k < pg_elements(&a->type.shape); k++) {
            double v = pg_element(a, k);
            uint64_t bits = 0;
            if (v == v) memcpy(&bits, &v, sizeof bits);
            h = pg_mix(h * 31 + bits);
        }
    }
    printf("result %llu %s %016llx%s\n", (unsigned long long)P->number, way, (unsigned long long)h,
           pg_sums_products(P) ? " product" : "");
}

static int pg_check_way(hy_frame *F, const pg_program *P, const pg_way *way)
{
    double start = pg_seconds();
    int ok;
    pg_now_way = way->name;
    ok = pg_try_way(P, way);
    if (pg_tabled && !pg_other.skipped && !P->wrong && !pg_line.error[0] && !pg_other.error[0])
        pg_tabulate(F, pg_other.P, way);
    pg_went[way - pg_ways].programs += !pg_other.skipped;
    pg_went[way - pg_ways].failed += !ok;
    pg_went[way - pg_ways].seconds += pg_seconds() - start;
    if (way < &pg_ways[3]) pg_print_result(P, way->name, &pg_other);
    if (!ok) printf("    program %llu, way %s\n", (unsigned long long)P->number, way->name);
    if (!ok && !pg_failed_way) {
        pg_failed_way = way;
        memcpy(pg_failed_error, pg_other.error, sizeof pg_failed_error);
    }
    pg_forget(&pg_other);
    pg_total.ways++;
    return ok;
}

static void pg_check(hy_frame *F, uint64_t number, const char *asked)
{
    static pg_program P;
    int k, drawn[4], n = 0, ok = 1;
    pg_now = number;
    pg_now_way = "line";
    if (!pg_draw(F, number, &P)) return;
    pg_failed_way = NULL;
    pg_heads = ~0u;
    pg_run(&P, &pg_ways[0], &pg_line);
    pg_heads = pg_line.heads;
    pg_print_result(&P, "line", &pg_line);
    pg_total.programs++;
    if (P.computed && !strstr(pg_line.error, pg_changes_what)) {
        printf("no error: %s\n    program %llu, way line\n", pg_changes_what, (unsigned long long)number);
        ok = 0;
    }
    pg_total.wrong += P.wrong;
    pg_total.loops += P.loops;
    pg_total.random += P.random;
    pg_total.steps += P.nstep;
    pg_total.errors += pg_line.error[0] && !P.wrong;
    if (pg_tabled && !P.wrong && !pg_line.error[0]) pg_tabulate(F, &P, &pg_ways[0]);
    pg_went[0].programs++;
    if (pg_line.kept) {
        printf("%d blocks of memory are lost\n    program %llu, way line\n", (int)pg_line.kept,
               (unsigned long long)number);
        ok = 0;
    }
    if (strstr(pg_line.error, pg_does_not_hold)) {
        printf("%s\n    program %llu, way line\n", pg_line.error, (unsigned long long)number);
        ok = 0;
    }
    for (k = 1; k < 3; k++) ok &= pg_check_way(F, &P, &pg_ways[k]);
    if (asked) {
        for (k = 0; k < PG_WAYS; k++)
            if (!strcmp(pg_ways[k].name, asked)) ok &= pg_check_way(F, &P, &pg_ways[k]);
    } else {
        n = pg_draw_ways(&P, drawn);
        for (k = 0; k < n; k++) ok &= pg_check_way(F, &P, &pg_ways[drawn[k]]);
    }
    pg_total.failed += !ok;
    pg_forget(&pg_line);
    pg_forget_nearness();
    if (pg_failed_way && pg_shrinks) pg_shrink(&P, pg_failed_way);
}

/* --- the command line --- */
typedef struct pg_asked_for {
    uint64_t from, to;
    const char *way;
    int digest, print, hunt, mark;      /* print 2: as C */
} pg_asked_for;

static void pg_ask_one(pg_asked_for *A, const char *number, int print)
{
    A->from = strtoull(number, NULL, 10);
    A->to = A->from + 1;
    A->print = print;
}
/* 0, or what main returns. */
static int pg_read_options(pg_asked_for *A, int argc, char **argv)
{
    int i;
    for (i = 1; i < argc; i++) {
        const char *o = argv[i], *next = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(o, "--digest")) A->digest = 1;
        else if (!strcmp(o, "--results")) pg_prints_results = 1;
        else if (!strcmp(o, "--mark")) A->mark = 1;
        else if (!strcmp(o, "--table")) pg_tabled = 1;
        else if (!strcmp(o, "--cells")) pg_tabled = 2;
        else if (!strcmp(o, "--known")) pg_known_count = 1;
        else if (!strcmp(o, "--whole")) pg_shrinks = 0;
        else if (!strcmp(o, "--text")) pg_shrinks = 2;
        else if (!strcmp(o, "--hunt")) { A->hunt = 1; pg_shrinks = 0; }
        else if (!strcmp(o, "--merge")) {
            for (pg_tabled = 1, A->from = A->to = 0; i + 1 < argc; i++) if (pg_merge(argv[i + 1])) return 2;
        } else if (next && !strcmp(o, "--from")) { A->from = strtoull(next, NULL, 10); i++; }
        else if (next && !strcmp(o, "--to")) { A->to = strtoull(next, NULL, 10); i++; }
        else if (next && !strcmp(o, "--way")) { A->way = next; i++; }
        else if (next && !strcmp(o, "--plant")) { pg_planted = next; pg_shrinks = 2; i++; }
        else if (next && !strcmp(o, "--c")) { pg_ask_one(A, next, 2); i++; }
        else if (next && !strcmp(o, "--print")) { pg_ask_one(A, next, 1); i++; }
        else { printf("%s: no option %s\n", argv[0], o); return 2; }
    }
    return 0;
}

static void pg_show_program(hy_frame *F, const pg_asked_for *A, uint64_t number)
{
    static pg_program P;
    int there = pg_draw(F, number, &P);
    if (A->print == 2 && there) { pg_print_c(&P, &pg_ways[1]); return; }
    if (A->print) pg_print(&P);
    if (A->digest)
        printf("%llu %016llx\n", (unsigned long long)number,
               there ? (unsigned long long)pg_digest(&P) : 0ull);
}

/* Of work, whoever else works; ten by the clock for what waits for ever. */
static void pg_give_a_minute(void)
{
#ifdef HY__POSIX_FILES
    struct itimerval minute;
    memset(&minute, 0, sizeof minute);
    minute.it_value.tv_sec = 60;
    setitimer(ITIMER_PROF, &minute, NULL);
#endif
    alarm(600);
}

/* 0: the fault that was planted is found, and nothing is left but it. */
static int pg_show_planted(void)
{
    printf("%s is off by one in graphs: %d programs find it; made smaller they have at most %d steps of "
           "%d elements\n", pg_planted, (int)pg_total.failed, pg_most_left.steps, pg_most_left.elements);
    return !pg_total.failed || pg_most_left.steps > 1 || pg_most_left.elements > 1;
}

int main(int argc, char **argv)
{
    pg_asked_for A = { 0, 1000, NULL, 0, 0, 0, 0 };
    uint64_t number;
    hy_desc desc;
    hy_frame *F;
    double start = pg_seconds();
    (void)test_ops;
    (void)ops_lack_references;
    if (pg_read_options(&A, argc, argv)) return 2;
    if (A.mark) return pg_check_mark();
    memset(&desc, 0, sizeof desc);
    desc.threads = 1;
    desc.isa = HY_ISA_BASE;
#ifdef __GLIBC__                        /* a frame's memory is the next one's: no page is asked for again */
    mallopt(M_MMAP_THRESHOLD, 1 << 26);
    mallopt(M_TRIM_THRESHOLD, 1 << 28);
#endif
    F = hy_open(&desc);
    setvbuf(stdout, NULL, _IOLBF, 1 << 12);
    pg_catch();
    for (number = A.from; number < A.to && !(A.hunt && pg_total.failed); number++) {
        if (A.hunt) { printf("%llu\n", (unsigned long long)number); pg_give_a_minute(); }
        if (A.print || A.digest) pg_show_program(F, &A, number);
        if (A.print != 2 && !A.digest) pg_check(F, number, A.way);
    }
    pg_total.seconds += pg_seconds() - start;
    if (pg_tabled == 2) pg_print_cells();
    else if (A.print < 2) {
        if (pg_tabled) pg_print_table(F);
        if (!A.digest) pg_print_ways();
        if (!A.digest) pg_print_total();
    }
    hy_close(F);
    if (pg_planted) return pg_show_planted();
    return pg_total.failed != 0;
}
