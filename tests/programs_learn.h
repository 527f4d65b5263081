/* What a run learns: gradients of all orders, and a step of training with them. */
#ifndef PROGRAMS_LEARN_H
#define PROGRAMS_LEARN_H

/* What output i weighs in the loss: its elements from 0.5 to 1.5, some of them less than 0. */
static hy_array *pg_weights(hy_frame *F, const pg_program *P, hy_array *o, int i)
{
    int64_t n = o ? pg_elements(&o->t.type.shape) : 0, k;
    double *w;
    hy_array *x;
    if (!o) return NULL;                                /* no memory */
    w = (double *)malloc((size_t)(n + 1) * sizeof *w);
    for (k = 0; k < n; k++) w[k] = 0.5 + (double)((k * 7 + i) % 11) / 11;
    for (k = i % 3; k < n && P->number >= PG_THIRD; k += 3) w[k] = -w[k];
    x = hy_cast(F, hy_from(F, o->t.type.shape, HY_F64, w), o->t.type.dtype);
    free(w);
    return x;
}

/* --- what gradients are asked for, and of what --- */
static int pg_learns(const pg_job *J, hy_array *x) { return x && hy__floating(hy_dtype_of(J->F, x)); }

/* Inputs get gradients, some of which add; and so do some of the parameters. */
static void pg_attach(const pg_job *J, hy_array *const *at)
{
    int i;
    for (i = 0; i < pg_input_count(J->P); i++)
        if (pg_learns(J, at[i]))
            hy_attach_grad(J->F, at[i], J->P->adds >> i & 1 ? HY_GRAD_ADD : HY_GRAD_WRITE);
    if (J->P->adds >> 19 & 1) hy_set_grad_req(J->F, J->block, NULL, HY_GRAD_ADD);
}
/* The outputs that have a gradient and are asked for, as groups; 0 if there is none. */
typedef struct pg_asked { int n; hy_array *heads, *weights; } pg_asked;
static pg_asked pg_ask(const pg_job *J, hy_array *y)
{
    hy_array *heads[PG_OUT], *weights[PG_OUT], *o;
    pg_asked r = { 0, NULL, NULL };
    int i;
    for (i = 0; y && i < J->P->body[0].nout; i++) {
        o = hy_get(J->F, y, i);
        if (!pg_learns(J, o) || !o->tape) continue;
        J->R->heads |= 1u << i;
        if (!(pg_heads >> i & 1) || !(J->P->heads >> i & 1)) continue;
        weights[r.n] = pg_nudged(J->F, pg_weights(J->F, J->P, o, i), 1);
        heads[r.n++] = o;
    }
    if (!r.n || hy_error(J->F)) return r;
    r.heads = hy_group_of(J->F, r.n, heads);
    if (J->P->own) r.weights = hy_group_of(J->F, r.n, weights);
    return r;
}
static void pg_note_gradients(const pg_job *J, const char *name, hy_array *const *at)
{
    pg_fact fact = pg_gradient_fact(J->P);
    hy_params all;
    int i;
    for (i = 0; i < pg_input_count(J->P) && !hy_error(J->F); i++)
        if (pg_learns(J, at[i])) pg_note(J->F, J->R, name, i, hy_grad_of(J->F, at[i]), fact, 2);
    all = hy_collect_params(J->F, J->block, NULL);
    for (i = 0; i < all.n && !hy_error(J->F); i++)
        if (!(J->way->flags & PG_SYMBOL) || hy_param_ready(J->F, all.at[i]))  /* no head needs the others */
            pg_note_param(J, name, all.at[i], hy_grad_of(J->F, all.at[i]), 2);
}

/* Two calls recorded together; of the first the gradient twice, of the other once, added up. */
static void pg_call_twice(const pg_job *J)
{
    hy_array *at[PG_LEAVES], *x, *y[2];
    pg_asked asked[2];
    hy_backward_opt opt;
    int i, c;
    if (J->R->error[0]) return;
    memset(&opt, 0, sizeof opt);
    hy_begin(J->F);
    x = pg_inputs(J->F, J->P, J->way, 0, at);
    for (i = 0; i < pg_input_count(J->P); i++)
        if (pg_learns(J, at[i])) hy_attach_grad(J->F, at[i], HY_GRAD_ADD);
    hy_set_grad_req(J->F, J->block, NULL, HY_GRAD_ADD);
    hy_record(J->F);
    for (c = 0; c < 2; c++) y[c] = pg_invoke(J, x);
    hy_pause(J->F);
    for (c = 0; c < 2; c++) {
        pg_note_outputs(J, c ? "recorded again" : "recorded", y[c]);
        asked[c] = pg_ask(J, y[c]);
    }
    for (c = 0; c < 3 && asked[0].n && asked[1].n && !hy_error(J->F); c++) {
        opt.head_grads = asked[c / 2].weights;
        opt.retain_graph = c == 0;
        hy_backward(J->F, asked[c / 2].heads, &opt);
        pg_fail(J->F, J->R, "gradient");
    }
    if (asked[0].n && asked[1].n && !hy_error(J->F)) pg_note_gradients(J, "gradient", at);
    pg_note_statistics(J, "recorded statistic");
    hy_end(J->F);
}

enum { PG_HAS_SECOND = 1 << 30 };
/* Of the gradient of all inputs: the sum of its squares, weighted. Recorded, so that it has a gradient
 * itself. */
static hy_array *pg_second(const pg_job *J, hy_array *const *at, const pg_asked *asked)
{
    hy_array *wanted[PG_LEAVES], *g, *y = NULL, *d, *w;
    hy_grad_opt opt;
    int i, n = 0;
    memset(&opt, 0, sizeof opt);
    opt.create_graph = 1;
    opt.head_grads = asked->weights;
    for (i = 0; i < pg_input_count(J->P); i++) if (pg_learns(J, at[i])) wanted[n++] = at[i];
    if (!n) return NULL;
    g = hy_grad(J->F, asked->heads, n == 1 ? wanted[0] : hy_group_of(J->F, n, wanted), &opt);
    for (i = 0; g && i < n; i++) {
        d = n == 1 ? g : hy_get(J->F, g, i);
        w = hy_cast(J->F, pg_weights(J->F, J->P, d, i), HY_F64);
        d = hy_sum(J->F, hy_mul(J->F, hy_cast(J->F, d, HY_F64), w), HY_ALL, NULL);
        d = hy_square(J->F, d);
        y = y ? hy_add(J->F, y, d) : d;
    }
    return y;
}

/* Outputs, gradients of inputs and parameters, and running statistics: of one call, or of two that add. */
static void pg_call_recorded(const pg_job *J, const char *name)
{
    hy_array *at[PG_LEAVES], *x, *y, *twice = NULL;
    hy_backward_opt opt;
    pg_asked asked;
    int turn, linear;
    if (J->R->error[0]) return;
    memset(&opt, 0, sizeof opt);
    hy_begin(J->F);
    x = pg_inputs(J->F, J->P, J->way, 0, at);
    pg_attach(J, at);
    for (turn = 0; turn < (J->P->adds ? 2 : 1) && !hy_error(J->F); turn++) {
        hy_record(J->F);
        y = pg_invoke(J, x);
        asked = pg_ask(J, y);
        if (J->P->order == 2 && asked.n && !hy_error(J->F)) twice = pg_second(J, at, &asked);
        if (twice && twice->tape) J->R->heads |= PG_HAS_SECOND;
        linear = J->P->order == 2 && asked.n && !(J->R->heads & PG_HAS_SECOND);
        if (!(pg_heads & PG_HAS_SECOND) || linear) twice = NULL;
        hy_pause(J->F);
        if (!turn) pg_note_outputs(J, name, y);
        /* it is 0, which no graph knows */
        if (!asked.n || (linear && pg_heads != ~0u && (pg_heads & PG_HAS_SECOND))) continue;
        opt.head_grads = twice ? NULL : asked.weights;
        hy_backward(J->F, twice ? twice : asked.heads, &opt);
    }
    pg_fail(J->F, J->R, "gradient");
    if (asked.n && !hy_error(J->F)) pg_note_gradients(J, "gradient", at);
    pg_note_statistics(J, "recorded statistic");
    hy_end(J->F);
}

/* --- called wrongly, between right calls --- */
static hy_array *pg_wrong_inputs(const pg_job *J, hy_array **at)
{
    int n = pg_input_count(J->P);
    pg_inputs(J->F, J->P, J->way, 0, at);
    switch (J->P->fault) {
    case PG_CALLED_WITH_MORE: at[n++] = at[0]; break;
    case PG_CALLED_WITH_FEWER: if (n > 1) n--; else at[n++] = at[0]; break;
    case PG_OTHER_TYPE:
        at[0] = hy_cast(J->F, at[0], hy_dtype_of(J->F, at[0]) == HY_I32 ? HY_F64 : HY_I32);
        break;
    case PG_OTHER_SHAPE:
        if (hy_ndim(J->F, at[0]) < HYBRID_MAX_DIM) at[0] = hy_expand_dims(J->F, at[0], 0);
        break;
    default: break;
    }
    return hy_group_of(J->F, n, at);
}
/* What the wrong call says is kept; then a right one must do as if there had been none. */
static void pg_call_wrongly(const pg_job *J)
{
    hy_array *at[PG_LEAVES + 1], *x, *y;
    uint64_t stream = J->F->stream;
    pg_asked asked;
    int i, backward = J->P->fault == PG_NOT_RECORDED || J->P->fault == PG_BACKWARD_TWICE;
    if (J->R->error[0] || !J->P->fault) return;
    hy_begin(J->F);
    x = pg_wrong_inputs(J, at);
    if (J->P->fault == PG_BACKWARD_TWICE) {
        for (i = 0; i < pg_input_count(J->P); i++)
            if (pg_learns(J, at[i])) hy_attach_grad(J->F, at[i], HY_GRAD_WRITE);
        hy_record(J->F);
    }
    y = hy_call(J->F, J->block, x);
    hy_pause(J->F);
    asked = pg_ask(J, y);
    for (i = 0; i < 2 && backward && (asked.n || J->P->fault == PG_NOT_RECORDED); i++)
        hy_backward(J->F, asked.n ? asked.heads : y, NULL);
    snprintf(J->R->misuse, sizeof J->R->misuse, "%s", hy_error(J->F) ? hy_error(J->F) : "");
    hy_clear(J->F);
    hy_end(J->F);
    hy_seed(J->F, 7);
    pg_call(J, "right again", 0, 0);
    J->F->stream = stream;                              /* other ways may have made no such call */
}

/* --- a step of training with those gradients --- */
static const char *const pg_optimisers[] = { "sgd",    "nag",     "adam",         "adamw",    "adamax",
                                             "nadam",  "adagrad", "groupadagrad", "adadelta", "rmsprop",
                                             "ftrl",   "ftml",    "lamb",         "lars",     "lbsgd",
                                             "signum", "sgld",    "dcasgd" };

/* Others make as much of a gradient that is nearly 0 as of a large one. */
static int pg_steps_evenly(const pg_job *J)
{
    static const char even[] = " sgd nag dcasgd ";
    return pg_listed(pg_optimisers[J->P->optimiser], even);
}

static hy_trainer *pg_trainer(const pg_job *J)
{
    hy_optim_opt o;
    hy_trainer_opt opt;
    memset(&o, 0, sizeof o);
    memset(&opt, 0, sizeof opt);
    o.learning_rate = 0.125;
    o.momentum = 0.5;
    o.wd = J->P->number % 4 ? 0 : 0.01;
    opt.ignore_stale_grad = 1;
    return hy_trainer_new(J->F, J->block, hy_optim_named(pg_optimisers[J->P->optimiser], &o), &opt);
}
static void pg_train(const pg_job *J)
{
    hy_trainer *T;
    hy_params all;
    int k;
    hy_begin(J->F);
    T = pg_trainer(J);
    hy_step(J->F, T, 2);
    if (hy_error_code(J->F) == HY_ERROR_MEMORY) pg_fail(J->F, J->R, "step");
    hy_clear(J->F);                                     /* there may be nothing to train */
    all = hy_collect_params(J->F, J->block, NULL);
    for (k = 0; k < all.n && !hy_error(J->F); k++)
        if (hy_param_ready(J->F, all.at[k]))
            pg_note_param(J, "stepped", all.at[k], all.at[k], pg_steps_evenly(J) ? 2 : 3);
    hy_trainer_free(J->F, T);
    hy_clear(J->F);
    hy_end(J->F);
    k = J->R->n;
    pg_call(J, "after the step", 0, 0);                 /* with the new parameters */
    for (; k < J->R->n; k++) {
        J->R->item[k].whole = pg_steps_evenly(J) ? 2 : 3;
        J->R->item[k].fact = pg_gradient_fact(J->P);
    }
}

/* A branch is compiled when it is taken for the first time, and what decides may be drawn, or learnt. */
static int pg_branches(const pg_program *P)
{
    int i, some = 0;
    for (i = 0; i < P->nstep; i++) some |= P->step[i].kind == PG_COND;
    return some;
}

/* How many blocks of memory a step takes that comes after three others: recorded call, gradients, updates. If
 * that may have taken another branch than they did, eight in a row that take none are good for it. */
static void pg_count_steps(const pg_job *J)
{
    hy_array *at[PG_LEAVES], *x, *y, *loss[PG_OUT];
    hy_trainer *T;
    int64_t before = 0;
    int i, k, n, most = 4, none = 0;
    hy_begin(J->F);
    T = pg_trainer(J);
    x = pg_inputs(J->F, J->P, J->way, 0, at);
    for (i = 0; i < most && none < 8 && !hy_error(J->F); i++) {
        before = hy_memory_use(J->F).calls;
        hy_begin(J->F);
        hy_record(J->F);
        y = pg_invoke(J, x);
        hy_pause(J->F);
        for (k = n = 0; y && k < J->P->body[0].nout; k++)
            if (J->R->heads & pg_heads & J->P->heads & (1u << k)) loss[n++] = hy_get(J->F, y, k);
        if (n) hy_backward(J->F, hy_group_of(J->F, n, loss), NULL);
        hy_step(J->F, T, 2);
        hy_end(J->F);
        J->R->steps = hy_error(J->F) ? 0 : hy_memory_use(J->F).calls - before;
        none = J->R->steps ? 0 : none + 1;
        if (i == 3 && J->R->steps && pg_branches(J->P)) most = 48;
    }
    hy_clear(J->F);                                     /* other draws may fail */
    if (T) hy_trainer_free(J->F, T);
    hy_end(J->F);
}
#endif
