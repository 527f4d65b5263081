/* What a run learns: gradients of all orders, and a step of training with them. */
#ifndef PROGRAMS_LEARN_H
#define PROGRAMS_LEARN_H

/* What output i weighs in the loss: its elements from 0.5 to 1.5. */
static hy_array *pg_weights(hy_frame *F, hy_array *o, int i)
{
    int64_t n = pg_elements(&o->t.type.shape), k;
    double *w = (double *)malloc((size_t)(n + 1) * sizeof *w);
    hy_array *x;
    for (k = 0; k < n; k++) w[k] = 0.5 + (double)((k * 7 + i) % 11) / 11;
    x = hy_cast(F, hy_from(F, o->t.type.shape, HY_F64, w), o->t.type.dtype);
    free(w);
    return x;
}

/* What is known of gradients: all on the way counts. */
static pg_fact pg_gradient_fact(const pg_program *P)
{
    pg_fact f = { 0, 0, HY_F64 };
    int i;
    for (i = 0; i < P->nleaf; i++) f.coarse = pg_coarser(f.coarse, P->leaf[i].dtype);
    for (i = 0; i < P->nvalue; i++) f.coarse = pg_coarser(f.coarse, P->fact[i].coarse);
    return f;
}

/* A step of training with those gradients, and what the parameters are then. */
static void pg_train(const pg_job *J)
{
    pg_fact fact = pg_gradient_fact(J->P);
    hy_optim_opt o;
    hy_trainer_opt opt;
    hy_trainer *T;
    int k;
    memset(&o, 0, sizeof o);
    memset(&opt, 0, sizeof opt);
    hy_begin(J->F);
    o.learning_rate = 0.125;
    o.momentum = 0.5;
    opt.ignore_stale_grad = 1;
    if (J->P->number % 2 == 0) fact.rough = 15;         /* adam makes much of what is nearly 0 */
    T = hy_trainer_new(J->F, J->block, J->P->number % 2 ? hy_optim_sgd(&o) : hy_optim_adam(&o), &opt);
    hy_step(J->F, T, 2);
    if (hy_error_code(J->F) == HY_ERROR_MEMORY) pg_fail(J->F, J->R, "step");
    hy_clear(J->F);                                     /* there may be nothing to train */
    for (k = 0; k < J->P->nleaf && !hy_error(J->F); k++)
        if (J->P->leaf[k].kind == PG_PARAM) pg_note(J->F, J->R, "stepped", k, pg_param_of(J, k), fact, 2);
    hy_trainer_free(J->F, T);
    hy_clear(J->F);
    hy_end(J->F);
}

/* Outputs, gradients of inputs and parameters, and running statistics. */
static void pg_call_recorded(const pg_job *J, const char *name)
{
    pg_fact fact = pg_gradient_fact(J->P);
    hy_array *at[PG_LEAVES], *heads[PG_OUT], *weights[PG_OUT], *x, *y;
    hy_backward_opt opt;
    int i, n = 0, k;
    if (J->R->error[0]) return;
    memset(&opt, 0, sizeof opt);
    hy_begin(J->F);
    x = pg_inputs(J->F, J->P, J->way, 0, at);
    for (i = 0; i < pg_input_count(J->P); i++)
        if (hy__floating(hy_dtype_of(J->F, at[i]))) hy_attach_grad(J->F, at[i], HY_GRAD_WRITE);
    hy_record(J->F);
    y = pg_invoke(J, x);
    hy_pause(J->F);
    pg_note_outputs(J, name, y);
    for (i = 0; y && i < J->P->body[0].nout; i++) {
        hy_array *o = hy_get(J->F, y, i);
        if (!o || !hy__floating(o->t.type.dtype) || !o->tape) continue;
        J->R->heads |= 1u << i;
        if (!(pg_heads >> i & 1)) continue;
        weights[n] = pg_weights(J->F, o, i);
        heads[n++] = o;
    }
    if (n && !hy_error(J->F)) {
        hy_array *all = hy_group_of(J->F, n, heads);
        opt.head_grads = hy_group_of(J->F, n, weights);
        hy_backward(J->F, all, &opt);
        pg_fail(J->F, J->R, "gradient");
    }
    for (i = 0; n && i < pg_input_count(J->P) && !hy_error(J->F); i++)
        if (hy__floating(hy_dtype_of(J->F, at[i])))
            pg_note(J->F, J->R, "input gradient", i, hy_grad_of(J->F, at[i]), fact, 2);
    for (k = 0; n && k < J->P->nleaf && !hy_error(J->F); k++)
        if (J->P->leaf[k].kind == PG_PARAM) {
            hy_array *p = pg_param_of(J, k);
            if (p) pg_note(J->F, J->R, "gradient", k, hy_grad_of(J->F, p), fact, 2);
        }
    pg_note_statistics(J, "recorded statistic");
    hy_end(J->F);
}

/* Two calls recorded together; of the first the gradient twice, of the other once, added up. */
static void pg_call_twice(const pg_job *J)
{
    static const pg_fact rough = { 15, 0, HY_F16 };
    hy_array *at[PG_LEAVES], *heads[2][PG_OUT], *weights[2][PG_OUT], *x, *y[2], *p;
    hy_backward_opt opt;
    int i, k, c, n[2] = { 0, 0 }, inputs = pg_input_count(J->P);
    if (J->R->error[0]) return;
    memset(&opt, 0, sizeof opt);
    hy_begin(J->F);
    x = pg_inputs(J->F, J->P, J->way, 0, at);
    for (i = 0; i < inputs; i++) if (hy__floating(hy_dtype_of(J->F, at[i]))) hy_attach_grad(J->F, at[i], HY_GRAD_ADD);
    hy_set_grad_req(J->F, J->block, NULL, HY_GRAD_ADD);
    hy_record(J->F);
    for (c = 0; c < 2; c++) y[c] = pg_invoke(J, x);
    hy_pause(J->F);
    for (c = 0; c < 2; c++) {
        pg_note_outputs(J, c ? "recorded again" : "recorded", y[c]);
        for (i = 0; y[c] && i < J->P->body[0].nout; i++) {
            hy_array *o = hy_get(J->F, y[c], i);
            if (!o || !hy__floating(o->t.type.dtype) || !o->tape || !(pg_heads >> i & 1)) continue;
            weights[c][n[c]] = pg_weights(J->F, o, i);
            heads[c][n[c]++] = o;
        }
    }
    for (c = 0; c < 3 && n[0] && n[1] && !hy_error(J->F); c++) {
        opt.head_grads = hy_group_of(J->F, n[c / 2], weights[c / 2]);
        opt.retain_graph = c == 0;
        hy_backward(J->F, hy_group_of(J->F, n[c / 2], heads[c / 2]), &opt);
        pg_fail(J->F, J->R, "gradient");
    }
    for (i = 0; n[0] && n[1] && i < inputs && !hy_error(J->F); i++)
        if (hy__floating(hy_dtype_of(J->F, at[i]))) pg_note(J->F, J->R, "input gradient", i, hy_grad_of(J->F, at[i]), rough, 2);
    for (k = 0; n[0] && n[1] && k < J->P->nleaf && !hy_error(J->F); k++)
        if (J->P->leaf[k].kind == PG_PARAM && (p = pg_param_of(J, k)) != NULL)
            pg_note(J->F, J->R, "gradient", k, hy_grad_of(J->F, p), rough, 2);
    pg_note_statistics(J, "recorded statistic");
    hy_end(J->F);
}
#endif
