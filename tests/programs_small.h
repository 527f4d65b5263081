/* A program that fails is made smaller while it does: fewer outputs, steps, bodies, dims, smaller layers,
 * fewer attributes, plainer numbers. Then it is printed as C. */
#ifndef PROGRAMS_SMALL_H
#define PROGRAMS_SMALL_H
#include "programs_c.h"

static int pg_shrinks = 1;              /* 2: it is printed as text */
static char pg_failed_error[2048];

static char pg_failed_with[2048];       /* the error, if it was one: a smaller program must meet the same */

static int pg_still_fails(const pg_program *P, const pg_way *way)
{
    int fails;
    pg_heads = ~0u;
    pg_run(P, &pg_ways[0], &pg_line);
    pg_heads = pg_line.heads;
    fails = !pg_try_way(P, way) && pg_same_error(pg_other.error, pg_failed_with, 1);
    pg_forget(&pg_line);
    pg_forget(&pg_other);
    pg_forget_nearness();
    return fails;
}

/* Everyone who takes the value takes the other one. */
static void pg_replace(pg_program *P, int ref, int other)
{
    int i, k;
    for (i = 0; i < P->nstep; i++) {
        for (k = 0; k < P->step[i].n; k++) if (P->step[i].in[k] == ref) P->step[i].in[k] = other;
        for (k = 0; k < P->step[i].nstate; k++) if (P->step[i].state[k] == ref) P->step[i].state[k] = other;
    }
    for (i = 1; i < P->nbody; i++) {
        for (k = 0; k < P->body[i].nout; k++) if (P->body[i].out[k] == ref) P->body[i].out[k] = other;
        for (k = 0; k < P->body[i].nstate; k++) if (P->body[i].state[k] == ref) P->body[i].state[k] = other;
    }
}

static int pg_new_input(pg_program *P, const hy_type *type)
{
    pg_leaf *leaf;
    int k;
    for (k = 0; k < P->nleaf && P->leaf[k].kind != PG_GONE; k++) continue;
    if (k == PG_LEAVES) return PG_NOTHING;
    if (k == P->nleaf) P->nleaf++;
    leaf = &P->leaf[k];
    memset(leaf, 0, sizeof *leaf);
    leaf->kind = PG_INPUT;
    leaf->dtype = type->dtype;
    leaf->shape = type->shape;
    leaf->domain = pg_plain;
    return ~k;
}

static int pg_try(pg_program *P, pg_program *smaller, const pg_way *way)
{
    pg_tidy(smaller);
    if (!pg_still_fails(smaller, way)) return 0;
    *P = *smaller;
    return 1;
}

/* One output; values that come from nowhere instead of steps; what was passed on without change. */
static void pg_make_small(pg_program *P, const pg_way *way)
{
    static pg_program Q;
    int i, k, round;
    for (k = P->body[0].nout - 1; k >= 0 && P->body[0].nout > 1; k--) {
        Q = *P;
        Q.body[0].nout--;
        for (i = k; i < Q.body[0].nout; i++) Q.body[0].out[i] = Q.body[0].out[i + 1];
        pg_try(P, &Q, way);
    }
    Q = *P;
    pg_try(P, &Q, way);
    for (round = 0; round < 2; round++)
        for (i = P->nvalue - 1; i >= 0; i--) {
            for (k = 0; k < P->nleaf; k++)              /* a leaf that is there */
                if (P->leaf[k].kind != PG_GONE &&
                    pg_same_type(&P->type[i], P->leaf[k].dtype, &P->leaf[k].shape)) break;
            Q = *P;
            k = k < P->nleaf ? ~k : pg_new_input(&Q, &P->type[i]);
            if (k != PG_NOTHING) pg_replace(&Q, i, k);
            if (memcmp(&Q, P, sizeof Q)) pg_try(P, &Q, way);
        }
}

/* --- what has other types then --- */
/* The types of all values, as they are line by line. 0: it does not run so. */
static int pg_retype(pg_program *P)
{
    hy_array *v[PG_VALUES], *at[PG_LEAVES];
    hy_len kept[PG_SIZES];
    hy_frame *F = hy_open(NULL);
    pg_net *net = pg_build(F, P, 0);
    pg_walk W;
    int k, n = 0, typed;
    memset(v, 0, sizeof v);
    memset(&W, 0, sizeof W);
    hy_begin(F);
    pg_inputs(F, P, &pg_ways[0], 0, at);
    for (k = 0; k < P->nleaf && net; k++) if (P->leaf[k].kind == PG_INPUT) net->leaf[k] = at[n++];
    W.P = P;
    W.v = v;
    W.leaf = net ? net->leaf : NULL;
    W.layer = net ? net->layer : NULL;
    W.type = P->type;
    if (net) W.kept = pg_keep_sizes(F, P, net->leaf, kept);
    if (net) pg_run_body(F, &W, 0);
    typed = net && !hy_error(F);
    hy_end(F);
    hy_close(F);
    return typed;
}
static int pg_try_retyped(pg_program *P, pg_program *smaller, const pg_way *way)
{
    pg_tidy(smaller);
    return pg_retype(smaller) && pg_try(P, smaller, way);
}

/* Whoever takes what a step gives takes what it is given instead, whatever the types. */
static int pg_pass_step(pg_program *P, const pg_step *s, int from, const pg_way *way)
{
    static pg_program Q;
    int k, j;
    Q = *P;
    for (k = 0; k < s->nout; k++) {
        pg_replace(&Q, s->out + k, from);
        for (j = 0; j < Q.body[0].nout && from >= 0; j++)
            if (Q.body[0].out[j] == s->out + k) Q.body[0].out[j] = from;
    }
    return memcmp(&Q, P, sizeof Q) && pg_try_retyped(P, &Q, way);
}
static void pg_pass_by(pg_program *P, const pg_way *way)
{
    int i, k, passed;
    for (i = P->nstep - 1; i >= 0; i--) {
        const pg_step *s = &P->step[i];
        for (passed = k = 0; k < s->n + s->nstate && !passed; k++)
            passed = pg_pass_step(P, s, k < s->n ? s->in[k] : s->state[k - s->n], way);
    }
}

/* Attributes that can be left out: each of those of an operator, "name=value" behind one another. */
static void pg_drop_attributes(pg_program *P, const pg_way *way)
{
    static pg_program Q;
    int i;
    for (i = 0; i < P->nstep; i++) {
        char *from = P->step[i].attrs, *end;
        while (P->step[i].kind == PG_OP && *from) {
            size_t at = (size_t)(from - P->step[i].attrs), n = strcspn(from, " ");
            Q = *P;
            end = Q.step[i].attrs + at;
            memmove(end, end + n + (end[n] == ' '), strlen(end + n + (end[n] == ' ')) + 1);
            if (!pg_try_retyped(P, &Q, way)) from += n + (from[n] == ' ');
        }
    }
}

/* --- bodies --- */
/* The steps of a body instead of the step of the program that has it. alone: they are the end of the
 * program, and what the body was given is input; else the body is a branch or a child block. */
static int pg_splice(pg_program *P, int at, int which, int alone)
{
    pg_body *b = &P->body[0];
    const pg_step s = P->step[b->step[at]];
    const pg_body *c = &P->body[s.body[which]];
    const int *given = s.kind == PG_CHILD ? s.in : s.state;
    int i, k, ref;
    if (b->n + c->n > PG_STEPS || (!alone && s.kind != PG_CHILD && s.kind != PG_COND)) return 0;
    for (k = 0; k < c->narg; k++) {
        ref = alone ? pg_new_input(P, &P->type[c->arg + k]) : given[k];
        if (ref == PG_NOTHING) return 0;
        pg_replace(P, c->arg + k, ref);
    }
    if (alone) b->n = at + 1;
    memmove(b->step + at + c->n, b->step + at + 1, (size_t)(b->n - at - 1) * sizeof *b->step);
    memcpy(b->step + at, c->step, (size_t)c->n * sizeof *b->step);
    b->n += c->n - 1;
    for (i = 0; i < P->nstep; i++)
        if (s.kind == PG_CHILD && P->step[i].owner == s.body[0]) P->step[i].owner = s.owner;
    if (alone) b->nout = 0;
    for (k = 0; k < c->nout + c->nstate && alone; k++) {
        ref = k < c->nout ? c->out[k] : c->state[k - c->nout];
        if (ref >= 0 && b->nout < PG_OUT) b->out[b->nout++] = ref;
    }
    for (k = 0; k < s.nout && !alone; k++) {
        pg_replace(P, s.out + k, c->out[k]);
        for (i = 0; i < b->nout; i++) if (b->out[i] == s.out + k) b->out[i] = c->out[k];
    }
    for (i = 0; i < b->nout; i++) if (b->out[i] < 0) return 0;
    pg_look_for_bodies(P);
    return b->nout > 0;
}
/* 1 if a body is gone. */
static int pg_drop_body(pg_program *P, const pg_way *way)
{
    static pg_program Q;
    int at, k, alone;
    for (at = 0; at < P->body[0].n; at++)
        for (k = 0; k < pg_bodies(&P->step[P->body[0].step[at]]); k++)
            for (alone = 0; alone < 2; alone++) {
                Q = *P;
                if (pg_splice(&Q, at, k, alone) && pg_try_retyped(P, &Q, way)) return 1;
            }
    return 0;
}

/* --- sizes --- */
/* In a text of attributes or of a layer: every number that is `from` becomes `to`; tuples: within ( ). */
static void pg_renumber(char *text, size_t room, int from, int to, int tuples)
{
    char was[256], *end;
    const char *at = was;
    size_t n = 0;
    int deep = 0;
    snprintf(was, sizeof was, "%s", text);
    while (*at && n + 16 < room) {
        int word = at > was && (strchr("_.", at[-1]) || (at[-1] | 32) >= 'a');
        long number = *at >= '0' && *at <= '9' ? strtol(at, &end, 10) : -1;
        deep += (*at == '(') - (*at == ')');
        if (number == from && !word && *end != '.' && (deep || !tuples)) {
            n += (size_t)snprintf(text + n, room - n, "%d", to);
            at = end;
        } else do text[n++] = *at++; while (number >= 0 && at < end);
    }
    text[n] = 0;
}
static void pg_renumber_all(pg_program *P, int from, int to, int tuples)
{
    int i;
    for (i = 0; i < P->nstep; i++)
        pg_renumber(P->step[i].attrs, sizeof P->step[i].attrs, from, to, tuples);
}
/* All dims of a size get another; texts 1: tuples in attributes, too; 2: all numbers of attributes. */
static int pg_shrink_size(pg_program *P, int from, int to, int texts, const pg_way *way)
{
    static pg_program Q;
    int k, d, any = 0;
    Q = *P;
    for (k = 0; k < P->nleaf; k++)
        for (d = 0; d < P->leaf[k].shape.ndim && P->leaf[k].kind != PG_GONE; d++)
            if (P->leaf[k].shape.dim[d] == from) { Q.leaf[k].shape.dim[d] = to; any = 1; }
    if (!any) return 0;
    if (texts) pg_renumber_all(&Q, from, to, texts == 1);
    return pg_try_retyped(P, &Q, way);
}
/* One dim of a leaf: smaller, or, where it is 1, gone. */
static void pg_shrink_dim(pg_program *P, int leaf, int d, const pg_way *way)
{
    static pg_program Q;
    hy_shape *s = &Q.leaf[leaf].shape;
    int to;
    for (to = 1; to < 3 && to < P->leaf[leaf].shape.dim[d]; to++) {
        Q = *P;
        s->dim[d] = to;
        if (pg_try_retyped(P, &Q, way)) break;
    }
    if (P->leaf[leaf].shape.dim[d] != 1) return;
    Q = *P;
    for (s->ndim--; d < s->ndim; d++) s->dim[d] = s->dim[d + 1];
    pg_try_retyped(P, &Q, way);
}
static void pg_shrink_dims(pg_program *P, const pg_way *way)
{
    int from, to, texts, k, d, done;
    for (from = 210; from > 1; from--)
        for (done = 0, to = 1; to < from && !done; to = to < 3 ? to + 1 : from)
            for (texts = 0; texts < 3 && !done; texts++) done = pg_shrink_size(P, from, to, texts, way);
    for (k = 0; k < P->nleaf; k++)
        for (d = P->leaf[k].shape.ndim - 1; d >= 0 && P->leaf[k].kind != PG_GONE; d--)
            pg_shrink_dim(P, k, d, way);
}
/* The numbers of a layer: 1 or half instead; 0, but for the pools, which count dims from 1. */
static void pg_shrink_layers(pg_program *P, const pg_way *way)
{
    static pg_program Q;
    int i, k, n, at, a[PG_NUMBERS], to[3];
    for (i = 0; i < P->nstep; i++)
        for (k = 0; k < PG_NUMBERS && P->step[i].kind == PG_LAYER_CALL; k++) {
            pg_layer_numbers(P->step[i].attrs, a);
            to[0] = strcmp(P->step[i].op, "pool") ? 0 : 1;
            to[1] = 1;
            to[2] = a[k] / 2;
            for (n = 0; n < 3; n++) {
                int number = a[k], j;
                char *text = Q.step[i].attrs;
                if (to[n] >= number) continue;
                Q = *P;
                a[k] = to[n];
                for (j = at = 0; j < PG_NUMBERS; j++) at += sprintf(text + at, j ? " %d" : "%d", a[j]);
                a[k] = number;
                if (pg_try_retyped(P, &Q, way)) break;
            }
        }
}

/* --- what is asked of it --- */
static void pg_ask_less(pg_program *P, const pg_way *way)
{
    static pg_program Q;
    int k, what;
    for (what = 0; what < 7; what++) {
        Q = *P;
        if (what == 0) Q.order = 1;
        if (what == 1) Q.adds = 0;
        if (what == 2) Q.heads = -1;
        if (what == 3) Q.own = 0;
        if (what == 4) Q.optimiser = 0;
        if (what == 6) Q.fault = PG_NO_FAULT;
        for (k = 0; k < P->nleaf && what == 5; k++) Q.leaf[k].odd = 0;
        if (memcmp(&Q, P, sizeof Q)) pg_try(P, &Q, way);
    }
}

/* --- the whole --- */
/* Steps of it that are left, and elements of leaves. */
typedef struct pg_extent { int steps, elements; } pg_extent;
static int pg_steps_of(const pg_program *P, int body)
{
    const pg_body *b = &P->body[body];
    int i, k, n = b->n;
    for (i = 0; i < b->n; i++)
        for (k = 0; k < pg_bodies(&P->step[b->step[i]]); k++)
            n += pg_steps_of(P, P->step[b->step[i]].body[k]);
    return n;
}
static pg_extent pg_extent_of(const pg_program *P)
{
    pg_extent e;
    int k;
    e.steps = pg_steps_of(P, 0);
    for (k = e.elements = 0; k < P->nleaf; k++)
        if (P->leaf[k].kind != PG_GONE) e.elements += (int)pg_elements(&P->leaf[k].shape);
    return e;
}
static void pg_make_smallest(pg_program *P, const pg_way *way)
{
    pg_extent was, now;
    int round;
    pg_ask_less(P, way);
    pg_make_small(P, way);
    for (round = 0; round < 4 && !P->wrong; round++) {
        was = pg_extent_of(P);
        pg_pass_by(P, way);
        while (pg_drop_body(P, way)) pg_make_small(P, way);
        pg_drop_attributes(P, way);
        pg_shrink_dims(P, way);
        pg_shrink_layers(P, way);
        pg_make_small(P, way);
        now = pg_extent_of(P);
        if (was.steps == now.steps && was.elements == now.elements) break;
    }
}

static pg_extent pg_most_left;          /* of programs that were made smaller */

static void pg_shrink(const pg_program *P, const pg_way *way)
{
    static pg_program small;
    pg_extent left;
    small = *P;
    pg_silent = 1;
    snprintf(pg_failed_with, sizeof pg_failed_with, "%s", pg_failed_error);
    if (pg_still_fails(&small, way)) pg_make_smallest(&small, way);
    pg_silent = 0;
    pg_still_fails(&small, way);                        /* says what is wrong with it */
    if (pg_shrinks > 1) pg_print(&small); else pg_print_c(&small, way);
    left = pg_extent_of(&small);
    if (left.steps > pg_most_left.steps) pg_most_left.steps = left.steps;
    if (left.elements > pg_most_left.elements) pg_most_left.elements = left.elements;
}
#endif
