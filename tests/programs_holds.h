/* What holds for any program: asked of each way alone, so that a fault that all share is seen, too. */
#ifndef PROGRAMS_HOLDS_H
#define PROGRAMS_HOLDS_H

/* The same type and bits, but for which NaN it is. */
static int pg_array_alike(hy_frame *F, hy_array *a, hy_array *b)
{
    const char *p = a ? (const char *)hy_data(F, a) : NULL, *q = b ? (const char *)hy_data(F, b) : NULL;
    hy_dtype dtype = p && q ? hy_dtype_of(F, a) : HY_F32;
    size_t size = hy_dtype_size(dtype), i, n;
    hy_shape shape;
    if (!a && !b) return 1;             /* of a loop without turns whose body fails */
    if (!p || !q) return 0;
    shape = hy_shape_of(F, b);
    if (!pg_same_type(&a->t.type, hy_dtype_of(F, b), &shape)) return 0;
    n = (size_t)hy_size(F, a);
    for (i = 0; i < n; i++, p += size, q += size) {
        double x, y;
        if (!memcmp(p, q, size)) continue;
        x = hy__load(p, dtype);
        y = hy__load(q, dtype);
        if (x == x || y == y) return 0;
    }
    return 1;
}
static int pg_arrays_alike(hy_frame *F, int n, hy_array *a, hy_array *b)
{
    int i;
    for (i = 0; i < n; i++) if (!pg_array_alike(F, hy_get(F, a, i), hy_get(F, b, i))) return 0;
    return 1;
}

/* --- gradients --- */
/* Whatever gets a gradient, with a request for each. */
static int pg_request_all(const pg_job *J, hy_array *const *at, hy_array **of)
{
    hy_grad_req req = J->P->number % 32 < 16 ? HY_GRAD_ADD : HY_GRAD_WRITE;
    hy_params all = hy_collect_params(J->F, J->block, NULL);
    int i, n = 0;
    for (i = 0; i < pg_input_count(J->P); i++) {
        if (!pg_learns(J, at[i])) continue;
        hy_attach_grad(J->F, at[i], (J->P->number / 32 + (uint64_t)i) % 3 ? HY_GRAD_WRITE : HY_GRAD_ADD);
        of[n++] = at[i];
    }
    hy_set_grad_req(J->F, J->block, NULL, req);
    for (i = 0; i < all.n && n < PG_ITEMS; i++)
        if (hy_param_ready(J->F, all.at[i]) && pg_learns(J, all.at[i]) && hy_grad_req_of(J->F, all.at[i]))
            of[n++] = all.at[i];
    hy_zero_grad(J->F, J->block);
    return n;
}
/* The gradient of one call, asked for twice: what is written is the same, what adds is twice that, whatever
 * is written into another gradient. Of programs without statistics, which the call would change. */
static void pg_ask_gradient_again(const pg_job *J)
{
    static hy_array *of[PG_ITEMS], *once[PG_ITEMS];
    hy_array *at[PG_LEAVES], *x, *y, *g, *weight[PG_OUT];
    unsigned heads = J->R->heads;
    hy_backward_opt opt;
    pg_asked asked;
    int i, n, turn;
    if (J->P->trains) return;
    memset(&opt, 0, sizeof opt);
    hy_begin(J->F);
    x = pg_inputs(J->F, J->P, J->way, 0, at);
    n = pg_request_all(J, at, of);
    hy_record(J->F);
    y = pg_invoke(J, x);
    hy_pause(J->F);
    asked = pg_ask(J, y);
    opt.head_grads = asked.weights;
    opt.retain_graph = 1;
    for (i = 0; i < asked.n && J->P->own; i++) weight[i] = hy_copy(J->F, hy_get(J->F, asked.weights, i));
    for (turn = 0; turn < 2 && asked.n && !hy_error(J->F); turn++) {
        hy_backward(J->F, asked.heads, &opt);
        for (i = 0; i < n && !turn; i++) once[i] = hy_copy(J->F, hy_grad_of(J->F, of[i]));
    }
    for (i = 0; i < n && asked.n && !hy_error(J->F); i++, hy_fill(J->F, g, 7)) {
        g = hy_grad_of(J->F, of[i]);
        if (hy_grad_req_of(J->F, of[i]) == HY_GRAD_ADD)
            pg_holds(J, pg_array_alike(J->F, g, hy_add(J->F, once[i], once[i])),
                     "a gradient that adds is twice that after two times");
        else pg_holds(J, pg_array_alike(J->F, g, once[i]), "a gradient that is written is the same again");
    }
    for (i = 0; i < asked.n && J->P->own && !hy_error(J->F); i++)
        pg_holds(J, pg_array_alike(J->F, weight[i], hy_get(J->F, asked.weights, i)),
                 "gradients that are given stay as they are");
    hy_clear(J->F);                     /* there may be no gradient */
    J->R->heads = heads;
    hy_end(J->F);
}

/* --- texts --- */
static size_t pg_said;
static void pg_describes(const hy_block *self, char *text, size_t bytes)
{
    size_t i;
    (void)self;
    for (i = 0; i < pg_said && i + 1 < bytes; i++) text[i] = (char)('a' + i % 26);
    text[i] = 0;
}
/* The text of a block names it and its children, and has all that the block says of itself. */
static void pg_ask_text(const pg_job *J, char *text, size_t room)
{
    static char due[8192];
    int i;
    pg_holds(J, strstr(text, J->block->kind) == text, "the text of a block begins with its kind");
    for (i = 0; i < hy_length(J->F, J->block); i++) {
        snprintf(due, sizeof due, "(%s): %s(", hy_child_name(J->F, J->block, i),
                 hy_child(J->F, J->block, i)->kind);
        pg_holds(J, strstr(text, due) != NULL, "the text of a block names its children");
    }
    pg_said = 509 + J->P->number / 4 % 6 + J->P->number / 24 % 2 * 3600;
    pg_describes(J->block, due, sizeof due);
    J->block->describe = pg_describes;
    hy_block_text(J->F, J->block, text, room);
    J->block->describe = NULL;
    pg_holds(J, strstr(text, due) != NULL, "the text of a block has all that it says of itself");
}
/* A graph's text is as long as is said; a name that it has not is no variable. */
static void pg_ask_names(const pg_job *J, hy_graph *g, hy_frame *S, hy_array *value)
{
    static char text[1 << 16];
    static const char *const none = "nothing is named so";
    pg_holds(J, hy_graph_text(g, HY_FORM_LINES, text, sizeof text) == strlen(text) ||
                    strlen(text) == sizeof text - 1,
             "the text of a graph is as long as it says");
    if (!S || hy_error(S) || !value) return;
    hy_compose(S, g, 1, &none, &value);
    pg_holds(J, hy_error(S) && strstr(hy_error(S), none),
             "a graph is not composed by a name that it has not");
    hy_clear(S);
}

/* --- reasons --- */
static void pg_call_in(const pg_job *J, hy_array *x, int training)
{
    hy_begin(J->F);
    hy_set_training(J->F, training);
    hy_call(J->F, J->block, x);
    hy_set_training(J->F, 0);
    hy_end(J->F);
}
/* Why a compiled block is compiled again; of programs without statistics, which training changes. */
static void pg_ask_reasons(const pg_job *J, hy_array *x)
{
    hy_hybridize_opt opt;
    int turn, first = (int)(J->P->number / 16 % 2);
    if (!(J->way->flags & PG_HYBRID) || J->way->flags & (PG_BOUND | PG_RECOMPUTE) || J->P->trains) return;
    memset(&opt, 0, sizeof opt);
    opt.exact = 1;
    hy_hybridize(J->F, J->block, &opt);
    for (turn = 0; turn < 2 && !hy_error(J->F); turn++) {
        pg_call_in(J, x, turn != first);
        pg_holds(J,
                 !strcmp(hy_cache_info(J->F, J->block).reason,
                         !turn ? "first call" : first ? "inference" : "training"),
                 "a compiled block says why it was compiled");
    }
    hy_clear(J->F);
}

/* --- parameters that several have --- */
/* Do the parameters of a block that shares lie where those of the other do? */
static int pg_same_places(const pg_job *J, hy_block *from, hy_block *sharer)
{
    hy_params all = hy_collect_params(J->F, from, NULL), its = hy_collect_params(J->F, sharer, NULL);
    int i;
    for (i = 0; i < all.n && i < its.n && !hy_error(J->F); i++)
        if (hy_param_ready(J->F, all.at[i]) && hy_data(J->F, all.at[i]) != hy_data(J->F, its.at[i])) return 0;
    return all.n == its.n;
}
/* Two networks share the parameters of a third before these have sizes and follow when its type changes. */
static void pg_ask_sharers(const pg_job *J)
{
    hy_array *at[PG_LEAVES], *x = pg_inputs(J->F, J->P, J->way, 0, at), *y[3];
    pg_net *net[3];
    int i, turn;
    if (J->P->random) return;
    for (i = 0; i < 3; i++) {
        net[i] = pg_build(J->F, J->P, 0);
        if (!net[i]) return;
        if (i) hy_share_params(J->F, &net[i]->base, &net[0]->base);
    }
    for (turn = 0; turn < 2 && !hy_error(J->F); turn++) {
        if (turn) hy_cast_block(J->F, &net[0]->base, HY_F64);
        for (i = 1; i < 3; i++)
            pg_holds(J, pg_same_places(J, &net[0]->base, &net[i]->base),
                     "who shares parameters has their places");
        for (i = 0; i < 3; i++) y[i] = hy_call(J->F, &net[i]->base, x);
        for (i = 1; i < 3 && !hy_error(J->F); i++)
            pg_holds(J, pg_arrays_alike(J->F, J->P->body[0].nout, y[0], y[i]),
                     "who shares parameters gives the same");
    }
    hy_clear(J->F);                     /* of types that do not go together */
    for (i = 3; i-- > 0; ) hy_block_free(J->F, &net[i]->base);
}

/* --- times --- */
/* What is timed lies within the call that it is part of, and is busy on no more threads than there are. */
static void pg_ask_times(const pg_job *J)
{
    const double least = 1e-7;          /* rounding */
    static hy_event call[16];           /* there are two */
    hy_event e;
    int i, k, calls = 0;
    for (i = 0; calls < 16 && !hy_profile_event(J->F, i, &call[calls]); i++)
        calls += call[calls].kind == HY_EVENT_CALL;
    pg_holds(J, calls < 16, "a call is timed once");
    for (i = 0; !hy_profile_event(J->F, i, &e); i++) {
        if (e.kind != HY_EVENT_JOB) continue;
        pg_holds(J, e.busy >= 0 && e.busy <= e.seconds * hy_threads(J->F) + least,
                 "a job is busy while it is timed");
        for (k = 0; k < calls; k++)
            if (call[k].call == e.call)
                pg_holds(J, e.start >= call[k].start - least &&
                                e.start + e.seconds <= call[k].start + call[k].seconds + least,
                         "a job is timed within its call");
    }
}
#endif
