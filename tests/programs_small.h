/* A program that fails is made smaller while it does: fewer outputs, steps, layers, attributes. Then it is
 * printed as C. */
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
            pg_leaf *leaf = &Q.leaf[P->nleaf];
            for (k = 0; k < P->nleaf && !pg_same_type(&P->type[i], P->leaf[k].dtype, &P->leaf[k].shape); k++)
                continue;
            Q = *P;
            if (k < P->nleaf && Q.leaf[k].kind != PG_GONE) pg_replace(&Q, i, ~k);  /* a leaf that is there */
            else if (P->nleaf < PG_LEAVES) {
                leaf->kind = PG_INPUT;
                leaf->dtype = P->type[i].dtype;
                leaf->shape = P->type[i].shape;
                leaf->domain = pg_plain;
                pg_replace(&Q, i, ~Q.nleaf++);
            }
            if (memcmp(&Q, P, sizeof Q)) pg_try(P, &Q, way);
        }
}

/* Does it still have the types that it says? Line by line. */
static int pg_is_typed(const pg_program *P)
{
    const pg_item *y;
    int i, typed;
    char name[24];
    pg_heads = ~0u;
    pg_run(P, &pg_due_brief, &pg_line);
    typed = !pg_line.error[0];
    for (i = 0; i < P->body[0].nout && typed; i++) {
        const hy_type *t = P->body[0].out[i] < 0 ? NULL : &P->type[P->body[0].out[i]];
        snprintf(name, sizeof name, "first %d", i);
        y = pg_named(&pg_line, name);
        typed = y && (!t || pg_same_type(&y->type, t->dtype, &t->shape));
    }
    pg_forget(&pg_line);
    return typed;
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
            if (!pg_is_typed(&Q) || !pg_try(P, &Q, way)) from += n + (from[n] == ' ');
        }
    }
}

static void pg_shrink(const pg_program *P, const pg_way *way)
{
    static pg_program small;
    small = *P;
    pg_silent = 1;
    snprintf(pg_failed_with, sizeof pg_failed_with, "%s", pg_failed_error);
    if (pg_still_fails(&small, way)) {
        pg_make_small(&small, way);
        if (!small.wrong) pg_drop_attributes(&small, way);
    }
    pg_silent = 0;
    pg_still_fails(&small, way);                        /* says what is wrong with it */
    if (pg_shrinks > 1) pg_print(&small); else pg_print_c(&small, way);
}
#endif
