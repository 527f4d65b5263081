/* A program as C that can be pasted into a file beside hybrid.h. */
#ifndef PROGRAMS_C_H
#define PROGRAMS_C_H

static void pg_c_ref(int ref) { printf("%c[%d]", ref < 0 ? 'p' : 'v', ref < 0 ? ~ref : ref); }
static void pg_c_refs(int n, const int *refs)
{
    int i;
    for (i = 0; i < n; i++) { if (i) printf(", "); pg_c_ref(refs[i]); }
}
static void pg_c_group(int n, const int *refs)
{
    if (n < 2) { if (n) pg_c_ref(refs[0]); else printf("NULL"); return; }
    printf("hy_group_of(F, %d, (hy_array *[]){ ", n);
    pg_c_refs(n, refs);
    printf(" })");
}
static void pg_c_unpack(const char *from, int n, int to)
{
    int i;
    for (i = 0; i < n; i++)
        printf(n == 1 ? "    v[%d] = %s;\n" : "    v[%d] = hy_get(F, %s, %d);\n", to + i, from, i);
}

/* --- bodies --- */
static void pg_c_call(const pg_step *s)
{
    int a[PG_NUMBERS];
    pg_layer_numbers(s->attrs, a);
    switch (s->kind) {
    case PG_FOREACH:
        printf("hy_foreach(F, body%d, ", s->body[0]);
        pg_c_group(s->n, s->in);
        printf(", ");
        break;
    case PG_WHILE: printf("hy_while_loop(F, asks%d, turn%d, ", s->body[0], s->body[0]); break;
    case PG_COND:
        printf("hy_cond(F, ");
        pg_c_ref(s->in[0]);
        printf(", branch%d, branch%d, ", s->body[0], s->body[1]);
        break;
    case PG_CHILD:
    case PG_LAYER_CALL:
        printf("hy_call(F, %s[%d], ", s->kind == PG_CHILD ? "child" : "layer",
               s->kind == PG_CHILD ? s->body[0] : s->layer);
        pg_c_group(s->n, s->in);
        printf(");\n");
        return;
    case PG_LEN:
        printf("len_step(F, \"%s\", %d, (hy_array *[]){ ", s->op, s->n);
        pg_c_refs(s->n, s->in);
        printf(" }, (int[%d]){ %d, %d, %d, %d }, kept);\n", PG_NUMBERS, a[0], a[1], a[2], a[3]);
        return;
    default:
        printf("hy_apply(F, \"%s\", %d, (hy_array *[]){ ", s->op, s->n);
        pg_c_refs(s->n, s->in);
        printf("%sNULL }, \"%s\");\n", s->n ? ", " : "", s->attrs);
        return;
    }
    pg_c_group(s->nstate, s->state);
    if (s->kind == PG_WHILE) printf(", %d", s->limit);
    printf(", NULL);\n");
}
static void pg_c_step(const pg_program *P, const pg_step *s)
{
    const pg_body *b = &P->body[s->body[0]];
    printf("    r = ");
    pg_c_call(s);
    if (s->kind != PG_FOREACH && s->kind != PG_WHILE) { pg_c_unpack("r", s->nout, s->out); return; }
    if (b->nout) pg_c_unpack("hy_get(F, r, 0)", b->nout, s->out);
    if (b->nstate) pg_c_unpack("hy_get(F, r, 1)", b->nstate, s->out + b->nout);
}
static void pg_c_head(int body, const pg_step *by)      /* of the function that a body is */
{
    static const char loop[] = "(hy_frame *F, hy_array *x, void *user)";
    if (!by) printf("static hy_array *forward(hy_frame *F, hy_block *self, hy_array *x)\n");
    else if (by->kind == PG_CHILD)
        printf("static hy_array *forward%d(hy_frame *F, hy_block *self, hy_array *x)\n", body);
    else if (by->kind == PG_COND) printf("static hy_array *branch%d%s\n", body, loop);
    else if (by->kind == PG_FOREACH)
        printf("static hy_array *body%d(hy_frame *F, hy_array *x, hy_array *states, void *user)\n", body);
    else {
        printf("static hy_array *asks%d%s\n{\n    (void)user;\n    return hy_lesser_scalar(F, %s, %g);\n}\n",
               body, loop, by->nstate == 1 ? "x" : "hy_get(F, x, 0)", by->by);
        printf("static hy_array *turn%d%s\n", body, loop);
    }
    printf("{\n    hy_array *r = NULL;\n    (void)%s; (void)r;\n",
           !by || by->kind == PG_CHILD ? "self" : "user");
}
static void pg_c_kept(const pg_program *P)              /* as pg_keep_sizes */
{
    int i, k, d;
    for (i = 0; i < PG_SIZES; i++) {
        printf("    kept[%d] = hy_len_is(%d);\n", i, P->set[0][i]);
        for (k = P->nleaf - 1; k >= 0; k--)
            for (d = P->leaf[k].shape.ndim - 1; d >= 0; d--)
                if (P->leaf[k].kind == PG_INPUT && P->leaf[k].size[d] == i + 1)
                    printf("    kept[%d] = hy_len_of(F, p[%d], %d);\n", i, k, d);
    }
}
static void pg_c_body(const pg_program *P, int body, const pg_step *by)
{
    const pg_body *b = &P->body[body];
    int i, k, n = 0;
    for (i = 0; i < b->n; i++) {                        /* functions that it calls stand before it */
        const pg_step *s = &P->step[b->step[i]];
        for (k = 0; k < pg_bodies(s); k++) pg_c_body(P, s->body[k], s);
    }
    pg_c_head(body, by);
    for (i = 0; !by && i < P->nleaf; i++)
        if (P->leaf[i].kind == PG_INPUT) printf("    p[%d] = hy_get(F, x, %d);\n", i, n++);
    if (!by && P->nset) pg_c_kept(P);
    if (by) {
        n = by->kind == PG_FOREACH || by->kind == PG_CHILD ? by->n : by->nstate;
        pg_c_unpack("x", n, b->arg);
        if (by->kind == PG_FOREACH) pg_c_unpack("states", by->nstate, b->arg + n);
    }
    for (i = 0; i < b->n; i++) pg_c_step(P, &P->step[b->step[i]]);
    printf("    return ");
    if (by && (by->kind == PG_FOREACH || by->kind == PG_WHILE)) {
        printf("hy_group(F, ");
        pg_c_group(b->nout, b->out);
        printf(", ");
        pg_c_group(b->nstate, b->state);
        printf(")");
    } else pg_c_group(b->nout, b->out);
    printf(";\n}\n");
}

/* --- what they work with --- */
static void pg_c_fill(const pg_program *P, int k)
{
    const pg_leaf *l = &P->leaf[k];
    int d, kind = l->domain.kind == OPS_AUX ? 0 : (int)l->domain.kind;
    printf(l->shape.ndim ? "fill(F, HY_SHAPE(" : "fill(F, HY_SCALAR");
    for (d = 0; d < l->shape.ndim; d++) printf("%s%d", d ? ", " : "", (int)l->shape.dim[d]);
    printf("%s, (hy_dtype)%d, %d, %g, %g, %d, %lluu)", l->shape.ndim ? ")" : "", (int)l->dtype, kind,
           l->domain.low, l->domain.high, l->odd, (unsigned long long)pg_leaf_seed(P, k, 0));
}
/* The layers that a body calls, and its child blocks: functions that make them (`calls` 0), or calls of
 * those. */
static void pg_c_blocks(const pg_program *P, int body, int calls, char *seen)
{
    const pg_body *b = &P->body[body];
    char owner[24];
    int i, k;
    for (i = 0; i < b->n; i++) {
        const pg_step *s = &P->step[b->step[i]];
        snprintf(owner, sizeof owner, s->owner ? "child[%d]" : "net", s->owner);
        if (s->kind == PG_LAYER_CALL && !calls) {
            k = (int)(pg_layer_named(s->op) - pg_layer_rows);
            if (!seen[k]++)
                printf("static hy_block *layer_%s(hy_frame *F, const int *a)\n{\n    %s\n}\n", s->op,
                       pg_layer_rows[k].text);
        } else if (s->kind == PG_LAYER_CALL) {
            int a[PG_NUMBERS];
            pg_layer_numbers(s->attrs, a);
            printf("    { static const int a[] = { ");
            for (k = 0; k < PG_NUMBERS; k++) printf("%d, ", a[k]);
            printf("}; layer[%d] = hy_add_child(F, %s, NULL, layer_%s(F, a)); }\n", s->layer, owner, s->op);
            if (s->dtype != HY_F32)
                printf("    hy_cast_block(F, layer[%d], (hy_dtype)%d);\n", s->layer, (int)s->dtype);
        } else if (s->kind == PG_CHILD && calls)
            printf("    child[%d] = hy_add_child(F, %s, NULL, hy_block_new(F, sizeof(hy_block), \"child\", "
                   "forward%d, 1));\n", s->body[0], owner, s->body[0]);
        for (k = 0; k < pg_bodies(s); k++) pg_c_blocks(P, s->body[k], calls, seen);
    }
}
static void pg_c_leaves(const pg_program *P)
{
    int k;
    for (k = 0; k < P->nleaf; k++) {
        const pg_leaf *l = &P->leaf[k];
        if (l->kind == PG_PARAM || l->kind == PG_AUX)
            printf("    { hy_param_opt o = { 0 }; o.dtype = (hy_dtype)%d; o.aux = %d;\n"
                   "      p[%d] = hy_add_param(F, net, \"p%d\", hy_shape_of(F, ",
                   (int)l->dtype, l->kind == PG_AUX, k, k);
        else if (l->kind == PG_CONST) printf("    p[%d] = ", k);
        else continue;
        pg_c_fill(P, k);
        printf(l->kind == PG_CONST ? ";\n" : "), &o); }\n");
    }
    printf("    init = hy_init_uniform(0.7);\n    hy_initialize(F, net, &init);\n");
    for (k = 0; k < P->nleaf; k++) {
        if (P->leaf[k].kind != PG_PARAM && P->leaf[k].kind != PG_AUX) continue;
        printf("    hy_set_param(F, p[%d], ", k);
        pg_c_fill(P, k);
        printf(");\n");
    }
}
static void pg_c_calls(const pg_program *P, const char *title)
{
    int k, n = 0;
    printf("    puts(\"%s\");\n    hy_seed(F, 7);\n", title);
    for (k = 0; k < P->nleaf; k++) {
        if (P->leaf[k].kind != PG_INPUT) continue;
        printf("    in[%d] = ", n++);
        pg_c_fill(P, k);
        printf(";\n");
    }
    printf("    x = hy_group_of(F, %d, in);\n    show(F, x, %d);\n", n, n);
}

static const char pg_c_show[] =
    "/* Results and gradients, as far as there are any. */\n"
    "static void show(hy_frame *F, hy_array *x, int n)\n{\n"
    "    hy_array *y = hy_call(F, net, x);\n"
    "    int i;\n"
    "    for (i = 0; i < hy_count(F, y); i++) hy_print(F, hy_get(F, y, i));\n"
    "    for (i = 0; i < n; i++)\n"
    "        if (hy_dtype_of(F, hy_get(F, x, i)) <= HY_BF16)\n"
    "            hy_attach_grad(F, hy_get(F, x, i), HY_GRAD_WRITE);\n"
    "    hy_record(F);\n"
    "    y = hy_call(F, net, x);\n"
    "    hy_pause(F);\n"
    "    hy_backward(F, y, NULL);\n"
    "    for (i = 0; i < n; i++)\n"
    "        if (hy_dtype_of(F, hy_get(F, x, i)) <= HY_BF16) hy_print(F, hy_grad_of(F, hy_get(F, x, i)));\n"
    "    if (hy_error(F)) puts(hy_error(F));\n"
    "    hy_clear(F);\n}\n";

/* What is done to the network between the two times that it is shown. */
static void pg_c_way(const pg_program *P, const pg_way *way)
{
    if (way->flags & (PG_LOADED | PG_PAIR))
        printf("    { hy_array *file = hy_save_model_to(F, net, x);\n"
               "      net = hy_load_model_from(F, hy_data(F, file), (size_t)hy_size(F, file), 0); }\n");
    printf("    opt.exact = %d;\n", (way->flags & PG_EXACT) != 0);
    if (way->flags & PG_OFF)
        printf("    opt.off = %d;\n", (int)(pg_mix(P->number + 5) >> 9) & (HY_PASS_SIZES - 1));
    if (way->flags & PG_HYBRID) printf("    hy_hybridize(F, net, &opt);\n");
    if (way->flags & PG_CHILDREN)
        printf("    for (i = 0; i < hy_length(F, net); i++) hy_hybridize(F, hy_child(F, net, i), &opt);\n");
    if (way->flags & PG_RECOMPUTE) printf("    hy_set_recompute(F, net, 1);\n");
    if (way->flags & PG_BOUND)
        printf("    { size_t n = hy_plan(F, net, x).total;\n      char *room = (char *)malloc(n + 64);\n"
               "      hy_bind(F, net, x, room + (64 - (uintptr_t)room %% 64), n); }\n");
}
static void pg_print_c(const pg_program *P, const pg_way *way)
{
    char seen[PG_LAYER_ROWS] = { 0 };
    printf(
        "/* Program %llu: line by line, and way %s (%d threads). Gradients are those of all outputs. */\n"
        "#define HYBRID_IMPLEMENTATION\n#include \"hybrid.h\"\n"
        "#include <math.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
        "#include <string.h>\n"
        "static hy_array *p[%d], *v[%d];\nstatic hy_block *net, *child[%d], *layer[%d];\n",
        (unsigned long long)P->number, way->name, way->threads, PG_LEAVES, PG_VALUES, PG_BODIES, PG_LAYERS);
    printf("%s\n%s", pg_text_fill, pg_c_show);
    if (pg_count_layers(P, 0)) printf("%s\n", pg_text_layers);
    if (P->nset) printf("static hy_len kept[%d];\n%s\n", PG_SIZES, pg_text_len);
    pg_c_blocks(P, 0, 0, seen);
    pg_c_body(P, 0, NULL);
    printf(
        "int main(void)\n{\n    hy_desc desc = { 0 };\n    hy_hybridize_opt opt = { 0 };\n"
        "    hy_frame *F;\n    hy_init init;\n    hy_array *in[%d], *x;\n    int i = 0;\n"
        "    desc.threads = %d;\n    desc.isa = %d;\n    F = hy_open(&desc);\n"
        "    net = hy_block_new(F, sizeof(hy_block), \"net\", forward, 1);\n",
        PG_LEAVES, way->threads, way->isa);
    pg_c_blocks(P, 0, 1, seen);
    pg_c_leaves(P);
    pg_c_calls(P, "line by line");
    pg_c_way(P, way);
    pg_c_calls(P, way->name);
    printf("    return (i & 0) | hy_close(F);\n}\n");
}
#endif
