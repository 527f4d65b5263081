/* A program that fails is made smaller while it does, and printed as C. */
#ifndef PROGRAMS_SMALL_H
#define PROGRAMS_SMALL_H

static int pg_shrinks = 1;
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
            for (k = 0; k < P->nleaf && !pg_same_type(&P->type[i], P->leaf[k].dtype, &P->leaf[k].shape); k++) continue;
            Q = *P;
            if (k < P->nleaf && Q.leaf[k].kind != PG_GONE) pg_replace(&Q, i, ~k);       /* a leaf that is there */
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

/* --- as C --- */
static void pg_c_ref(int ref) { printf("%c[%d]", ref < 0 ? 'p' : 'v', ref < 0 ? ~ref : ref); }
static void pg_c_group(int n, const int *refs)
{
    int i;
    if (!n) { printf("NULL"); return; }
    if (n == 1) { pg_c_ref(refs[0]); return; }
    printf("hy_group_of(F, %d, (hy_array *[]){ ", n);
    for (i = 0; i < n; i++) { if (i) printf(", "); pg_c_ref(refs[i]); }
    printf(" })");
}
static void pg_c_unpack(const char *from, int n, int to)
{
    int i;
    for (i = 0; i < n; i++) printf(n == 1 ? "    v[%d] = %s;\n" : "    v[%d] = hy_get(F, %s, %d);\n", to + i, from, i);
}
static void pg_c_step(const pg_program *P, const pg_step *s)
{
    const pg_body *b = &P->body[s->body[0]];
    int i;
    printf("    r = ");
    switch (s->kind) {
    case PG_FOREACH: printf("hy_foreach(F, body%d, ", s->body[0]); pg_c_group(s->n, s->in); printf(", ");
        pg_c_group(s->nstate, s->state); printf(", NULL);\n"); break;
    case PG_WHILE: printf("hy_while_loop(F, asks%d, turn%d, ", s->body[0], s->body[0]); pg_c_group(s->nstate, s->state);
        printf(", %d, NULL);\n", s->limit); break;
    case PG_COND: printf("hy_cond(F, "); pg_c_ref(s->in[0]); printf(", branch%d, branch%d, ", s->body[0], s->body[1]);
        pg_c_group(s->nstate, s->state); printf(", NULL);\n"); break;
    case PG_CHILD: printf("hy_call(F, child[%d], ", s->body[0]); pg_c_group(s->n, s->in); printf(");\n"); break;
    default:
        printf("hy_apply(F, \"%s\", %d, (hy_array *[]){ ", s->op, s->n);
        for (i = 0; i < s->n; i++) { pg_c_ref(s->in[i]); printf(", "); }
        printf("NULL }, \"%s\");\n", s->attrs);
    }
    if (s->kind != PG_FOREACH && s->kind != PG_WHILE) { pg_c_unpack("r", s->nout, s->out); return; }
    if (b->nout) pg_c_unpack("hy_get(F, r, 0)", b->nout, s->out);
    if (b->nstate) pg_c_unpack("hy_get(F, r, 1)", b->nstate, s->out + b->nout);
}
static void pg_c_body(const pg_program *P, int body, const pg_step *by)
{
    const pg_body *b = &P->body[body];
    int i;
    for (i = 0; i < b->n; i++) {                        /* functions that it calls stand before it */
        const pg_step *s = &P->step[b->step[i]];
        int k;
        for (k = 0; k < pg_bodies(s); k++) pg_c_body(P, s->body[k], s);
    }
    if (!by) printf("static hy_array *forward(hy_frame *F, hy_block *self, hy_array *x)\n{\n    hy_array *r = NULL;\n");
    else switch (by->kind) {
    case PG_FOREACH: printf("static hy_array *body%d(hy_frame *F, hy_array *x, hy_array *states, void *user)\n", body); break;
    case PG_WHILE: printf("static hy_array *asks%d(hy_frame *F, hy_array *x, void *user) { return hy_lesser_scalar(F, %s, %g); }\n"
                          "static hy_array *turn%d(hy_frame *F, hy_array *x, void *user)\n", body,
                          by->nstate == 1 ? "x" : "hy_get(F, x, 0)", by->by, body); break;
    case PG_COND: printf("static hy_array *branch%d(hy_frame *F, hy_array *x, void *user)\n", body); break;
    default: printf("static hy_array *forward%d(hy_frame *F, hy_block *self, hy_array *x)\n", body);
    }
    if (by) printf("{\n    hy_array *r = NULL;\n");
    if (!by) {
        int n = 0;
        for (i = 0; i < P->nleaf; i++) if (P->leaf[i].kind == PG_INPUT) printf("    p[%d] = hy_get(F, x, %d);\n", i, n++);
    } else {
        int n = by->kind == PG_FOREACH || by->kind == PG_CHILD ? by->n : 0;
        pg_c_unpack("x", n ? n : by->nstate, b->arg);
        if (by->kind == PG_FOREACH) pg_c_unpack("states", by->nstate, b->arg + n);
    }
    for (i = 0; i < b->n; i++) pg_c_step(P, &P->step[b->step[i]]);
    printf("    (void)r; return ");
    if (by && (by->kind == PG_FOREACH || by->kind == PG_WHILE)) {
        printf("hy_group(F, "); pg_c_group(b->nout, b->out); printf(", "); pg_c_group(b->nstate, b->state); printf(")");
    } else pg_c_group(b->nout, b->out);
    printf(";\n}\n");
}
static void pg_c_fill(const pg_program *P, int k, int set)
{
    char text[128];
    const pg_leaf *l = &P->leaf[k];
    int d;
    text[0] = 0;
    for (d = 0; d < l->shape.ndim; d++) snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d", d ? ", " : "", (int)l->shape.dim[d]);
    printf(l->shape.ndim ? "fill(F, HY_SHAPE(%s), " : "fill(F, HY_SCALAR, ", text);
    printf("(hy_dtype)%d, %d, %g, %g, %lluu)", (int)l->dtype, (int)l->domain.kind, l->domain.low, l->domain.high,
           (unsigned long long)pg_mix(P->number * 977 + (uint64_t)k * 31 + (uint64_t)set * 7919 + 1));
}
static void pg_c_calls(const pg_program *P, const char *title)
{
    int k, n = 0;
    printf("    puts(\"%s\");\n    hy_seed(F, 7);\n", title);
    for (k = 0; k < P->nleaf; k++) {
        if (P->leaf[k].kind != PG_INPUT) continue;
        printf("    in[%d] = ", n++);
        pg_c_fill(P, k, 0);
        printf(";\n");
    }
    printf("    x = hy_group_of(F, %d, in);\n"
           "    y = hy_call(F, net, x);\n"
           "    for (i = 0; i < hy_count(F, y); i++) hy_print(F, hy_get(F, y, i));\n", n);
    for (k = 0; k < n; k++) printf("    if (hy_dtype_of(F, in[%d]) <= HY_BF16) hy_attach_grad(F, in[%d], HY_GRAD_WRITE);\n", k, k);
    printf("    hy_record(F); y = hy_call(F, net, x); hy_pause(F); hy_backward(F, y, NULL);\n");
    for (k = 0; k < n; k++) printf("    if (hy_dtype_of(F, in[%d]) <= HY_BF16) hy_print(F, hy_grad_of(F, in[%d]));\n", k, k);
    printf("    if (hy_error(F)) puts(hy_error(F));\n    hy_clear(F);\n");
}
static void pg_print_c(const pg_program *P, const pg_way *way)
{
    int k;
    printf("/* Program %llu, made smaller: line by line, and way %s (%d threads). Gradients are those of all outputs. */\n"
           "#define HYBRID_IMPLEMENTATION\n#include \"hybrid.h\"\n#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
           "static hy_array *p[%d], *v[%d];\nstatic hy_block *child[%d];\n"
           "/* kind: 0 reals, 1 whole numbers, 2 a permutation, 3 zeros and ones */\n"
           "static hy_array *fill(hy_frame *F, hy_shape shape, hy_dtype dtype, int kind, double low, double high, uint64_t seed)\n{\n"
           "    double w[4096], u, swap;\n    int i, k, n = 1;\n    for (i = 0; i < shape.ndim; i++) n *= (int)shape.dim[i];\n"
           "#define NEXT (seed = seed * 6364136223846793005u + 1442695040888963407u, (double)(seed >> 11) / 9007199254740992.0)\n"
           "    for (i = 0; i < n; i++) {\n        u = NEXT;\n"
           "        w[i] = kind == 1 ? floor(low + u * (high - low + 1)) : kind == 2 ? i : kind == 3 ? u < 0.5 : low + u * (high - low);\n    }\n"
           "    if (kind == 2) for (i = n - 1; i > 0; i--) { k = (int)(NEXT * (i + 1)); swap = w[i]; w[i] = w[k]; w[k] = swap; }\n"
           "    return hy_cast(F, hy_from(F, shape, HY_F64, w), dtype);\n}\n",
           (unsigned long long)P->number, way->name, way->threads, PG_LEAVES, PG_VALUES, PG_BODIES);
    pg_c_body(P, 0, NULL);
    printf("int main(void)\n{\n    hy_desc desc = { 0 };\n    hy_frame *F;\n    hy_block *net;\n    hy_array *in[%d], *x, *y;\n"
           "    hy_hybridize_opt opt = { 0 };\n    int i;\n    desc.threads = %d;\n    desc.isa = %d;\n    F = hy_open(&desc);\n"
           "    net = hy_block_new(F, sizeof(hy_block), \"net\", forward, 1);\n", PG_LEAVES, way->threads, way->isa);
    for (k = 0; k < P->body[0].n; k++) {
        const pg_step *s = &P->step[P->body[0].step[k]];
        if (s->kind != PG_CHILD) continue;
        printf("    child[%d] = hy_add_child(F, net, NULL, hy_block_new(F, sizeof(hy_block), \"child\", forward%d, 1));\n",
               s->body[0], s->body[0]);
    }
    for (k = 0; k < P->nleaf; k++) {
        const pg_leaf *l = &P->leaf[k];
        if (l->kind == PG_PARAM || l->kind == PG_AUX) {
            printf("    { hy_param_opt o = { 0 }; o.dtype = (hy_dtype)%d; o.aux = %d; x = ", (int)l->dtype, l->kind == PG_AUX);
            pg_c_fill(P, k, 0);
            printf(";\n      p[%d] = hy_add_param(F, net, \"p%d\", hy_shape_of(F, x), &o); hy_initialize(F, net, NULL); hy_set_param(F, p[%d], x); }\n", k, k, k);
        } else if (l->kind == PG_CONST) { printf("    p[%d] = ", k); pg_c_fill(P, k, 0); printf(";\n"); }
    }
    pg_c_calls(P, "line by line");
    if (way->flags & (PG_LOADED | PG_PAIR))
        printf("    y = hy_save_model_to(F, net, x);\n    net = hy_load_model_from(F, hy_data(F, y), (size_t)hy_size(F, y), 0);\n");
    if (way->flags & (PG_HYBRID | PG_CHILDREN)) {
        printf("    opt.exact = %d;\n", (way->flags & PG_EXACT) != 0);
        if (way->flags & PG_OFF) printf("    opt.off = %d;\n", (int)(pg_mix(P->number + 5) >> 9) & HY_PASS_ALL);
        if (way->flags & PG_HYBRID) printf("    hy_hybridize(F, net, &opt);\n");
        else printf("    for (i = 0; i < hy_length(F, net); i++) hy_hybridize(F, hy_child(F, net, i), &opt);\n");
    }
    if (way->flags & PG_RECOMPUTE) printf("    hy_set_recompute(F, net, 1);\n");
    if (way->flags & PG_BOUND)
        printf("    { size_t n = hy_plan(F, net, x).total; char *room = malloc(n + 64);\n"
               "      hy_bind(F, net, x, room + (64 - (uintptr_t)room %% 64), n); }\n");
    pg_c_calls(P, way->name);
    printf("    return hy_close(F);\n}\n");
}

static void pg_shrink(const pg_program *P, const pg_way *way)
{
    static pg_program small;
    small = *P;
    pg_silent = 1;
    snprintf(pg_failed_with, sizeof pg_failed_with, "%s", pg_failed_error);
    if (pg_still_fails(&small, way)) pg_make_small(&small, way);
    pg_silent = 0;
    pg_still_fails(&small, way);                        /* says what is wrong with it */
    if (getenv("PGTEXT")) pg_print(&small); else pg_print_c(&small, way);
}
#endif
