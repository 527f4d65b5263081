/* Calls of one block with several sizes in turn: each as line by line, and as a block that is compiled for
 * just that size. */
#ifndef PROGRAMS_CALLS_H
#define PROGRAMS_CALLS_H

static int64_t pg_differs(const pg_item *a, const pg_item *b, int zeros);

static void pg_call_size(const pg_job *J, const pg_program *P, const char *name, int k)
{
    hy_array *at[PG_LEAVES];
    char text[24];
    pg_job W = *J;
    snprintf(text, sizeof text, "%s %d, output", name, k);
    W.P = P;
    hy_begin(J->F);
    hy_seed(J->F, 7);
    pg_note_outputs(&W, text, pg_invoke(&W, pg_inputs(J->F, P, J->way, 0, at)));
    hy_end(J->F);
}
/* An error of a call is a result like others: line by line says which. */
static void pg_note_refused(const pg_job *J, const char *name, int k)
{
    char text[24];
    snprintf(text, sizeof text, "%s, error", name);
    if (J->R->error[0] && J->R->code == HY_ERROR_MEMORY) return;
    if (J->R->error[0]) snprintf(J->R->wider, sizeof J->R->wider, "%s", J->R->error);
    hy_clear(J->F);
    hy_begin(J->F);
    pg_note_number(J, text, k, J->R->error[0] != 0);
    hy_end(J->F);
    J->R->error[0] = J->R->where[0] = 0;
    J->R->code = HY_ERROR_OK;
}
/* A recorded call, and its gradients. */
static void pg_call_size_recorded(const pg_job *J, const pg_program *P, int k)
{
    hy_array *at[PG_LEAVES], *y;
    hy_backward_opt opt;
    pg_asked asked;
    char text[24];
    pg_job W = *J;
    memset(&opt, 0, sizeof opt);
    W.P = P;
    hy_begin(J->F);
    hy_seed(J->F, 7);
    y = pg_inputs(J->F, P, J->way, 0, at);
    pg_attach(&W, at);
    hy_record(J->F);
    y = pg_invoke(&W, y);
    asked = pg_ask(&W, y);
    hy_pause(J->F);
    snprintf(text, sizeof text, "recorded size %d, output", k);
    pg_note_outputs(&W, text, y);
    if (asked.n && !hy_error(J->F)) {
        opt.head_grads = asked.weights;
        hy_backward(J->F, asked.heads, &opt);
        pg_fail(J->F, J->R, "gradient");
        snprintf(text, sizeof text, "size %d, gradient", k);
        if (!hy_error(J->F)) pg_note_gradients(&W, text, at);
    }
    hy_end(J->F);
}

/* The same bits as a block that is compiled for that size: one that is hybridized anew knows no other. */
static void pg_call_anew(const pg_job *J, const pg_program *P, int k)
{
    const int from = J->R->n;
    char text[24], other[24];
    int i;
    pg_set_ways(J);
    pg_call_size(J, P, "anew", k);
    pg_note_refused(J, "anew", k);
    for (i = from; i < J->R->n; i++) {
        const pg_item *a = &J->R->item[i], *b;
        snprintf(text, sizeof text, "anew %d, output", k);
        if (!strncmp(a->name, "anew, error", 11))
            snprintf(other, sizeof other, "size, error%s", a->name + 11);
        else snprintf(other, sizeof other, "size%s", a->name + 4);
        b = pg_named(J->R, other);
        pg_holds(J, b && pg_same_type(&a->type, b->type.dtype, &b->type.shape) &&
                        pg_differs(a, b, 0) < 0,
                 "a program that took on a size gives what one gives that is compiled for it");
    }
    while (J->R->n > from) free(J->R->item[--J->R->n].data);
}
/* Statistics and gradients are put back: ways that have no such calls go on, too. */
static void pg_call_some_recorded(const pg_job *J, pg_program *P)
{
    hy_params all = hy_collect_params(J->F, J->block, NULL);
    hy_array *before[PG_ITEMS];
    int i, k, aux;
    if (!J->P->heads || J->way->flags & PG_FORKS || J->P->adds >> 19 & 1 || J->R->error[0]) return;
    hy_begin(J->F);
    for (i = 0; i < all.n && i < PG_ITEMS; i++) {
        aux = hy_param_ready(J->F, all.at[i]) && all.at[i]->param && all.at[i]->param->aux;
        before[i] = aux ? hy_copy(J->F, all.at[i]) : NULL;
    }
    for (k = 0; k < J->P->nset; k++) {
        if ((J->P->number + (uint64_t)k) % 3) continue;
        pg_resize(P, J->P, k);
        pg_call_size_recorded(J, P, k);
        pg_note_refused(J, "recorded", k);
    }
    for (i = 0; i < all.n && i < PG_ITEMS; i++) if (before[i]) hy_assign(J->F, all.at[i], before[i]);
    hy_zero_grad(J->F, J->block);
    hy_end(J->F);
}
/* Is there one that was called with just these sizes? */
static int pg_is_again(const pg_program *P, int k)
{
    int i = 0;
    while (i < k && memcmp(P->set[i], P->set[k], sizeof P->set[0])) i++;
    return i < k;
}
static struct { long calls, resizes; } pg_sized;        /* of exact and default ways */
static void pg_call_sizes(const pg_job *J, int backwards)
{
    const int others = PG_BOUND | PG_FORKS | PG_STRIDED | PG_JIT | PG_RECOMPUTE | PG_HOST;
    const int anew = (J->way->flags & PG_HYBRID) && !(J->way->flags & others) && J->way->threads == 1;
    const uint64_t stream = J->F->stream;
    pg_program *P;
    int k, i;
    if (!J->P->nset || J->way->flags & PG_ONE_SIZE || J->R->error[0] || J->P->fault || hy_error(J->F)) return;
    P = (pg_program *)malloc(sizeof *P);
    for (i = 0; i <= J->P->nset; i++) {
        k = i == J->P->nset ? 0 : backwards ? J->P->nset - 1 - i : i;
        if (i == J->P->nset) { pg_resize(P, J->P, 0); pg_call_size(J, P, "again size", 0); break; }
        pg_resize(P, J->P, k);
        pg_call_size(J, P, "size", k);
        pg_note_refused(J, "size", k);
    }
    if (anew) {
        pg_sized.calls += J->P->nset;
        pg_sized.resizes += (long)hy_cache_info(J->F, J->block).resizes;
    }
    for (k = 0; k < J->P->nset && !J->R->error[0] && anew; k++) {
        if (pg_is_again(J->P, k)) continue;
        pg_resize(P, J->P, k);
        pg_call_anew(J, P, k);
    }
    pg_call_some_recorded(J, P);
    pg_resize(P, J->P, 0);
    if (J->way->flags & PG_HYBRID && !(J->way->flags & (PG_BOUND | PG_FORKS))) {
        pg_set_ways(J);                 /* others ask for its graph: that of its own sizes */
        pg_call_size(J, P, "at last", 0);
    }
    free(P);
    J->F->stream = stream;
}
#endif
