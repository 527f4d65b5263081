/* What may be asked of a network besides its calls: texts, names, parameters, graphs, plans, hooks. What
 * is asked must be the same in all ways, or hold by itself. */
#ifndef PROGRAMS_ASKS_H
#define PROGRAMS_ASKS_H

static void pg_note_number(const pg_job *J, const char *name, int k, double number)
{
    static const pg_fact fact = { 0, HY_F64 };
    pg_note(J->F, J->R, name, k, hy_from(J->F, HY_SHAPE(1), HY_F64, &number), fact, 2);
}
static void pg_note_text(const pg_job *J, const char *name, int k, const char *text)
{
    pg_note_number(J, name, k, text ? (double)(pg_word(text) >> 12) : 0);
}
static void pg_holds(const pg_job *J, int ok, const char *what)
{
    if (ok || J->R->error[0] || hy_error(J->F)) return;
    snprintf(J->R->error, sizeof J->R->error, "%s%s", pg_does_not_hold, what);
    J->R->code = HY_ERROR_STATE;
}

#include "programs_holds.h"

/* --- parameters --- */
/* A pattern of a part that comes several times: it fits "pgnet0_p12", but not "pgnet0_dense0_weight". */
static void pg_ask_repeated(const pg_job *J, hy_params all)
{
    hy_params some;
    int i, k, turn;
    if (J->P->number < PG_THIRD) return;
    for (turn = 0; turn < 2; turn++) {
        some = hy_collect_params(J->F, J->block, turn ? "(pg|net|[0-9]|_|p)+$" : "(pg|net|[0-9]|_|p)*p1?$");
        for (i = 0; i < all.n && !hy_error(J->F); i++) {
            const char *name = hy_name_of(J->F, all.at[i]), *end = name + strlen(name);
            int fits = name + strspn(name, "pgnet0123456789_") == end;
            if (!turn) fits &= end[-1] == 'p' || (end[-1] == '1' && end[-2] == 'p');
            for (k = 0; k < some.n && some.at[k] != all.at[i]; k++) continue;
            pg_holds(J, fits == (k < some.n),
                     "a pattern of repeated parts finds the parameters that it fits, and no others");
        }
    }
}
static void pg_ask_params(const pg_job *J)
{
    hy_params all = hy_collect_params(J->F, J->block, NULL),
              some = hy_collect_params(J->F, J->block, ".*(p[1-3]|w[a-z]+t)$");
    int i, k, n = 0;
    pg_ask_repeated(J, all);
    for (i = 0; i < all.n && !hy_error(J->F); i++) {
        hy_array *p = all.at[i];
        const char *name = hy_name_of(J->F, p), *path = hy_param_path(J->F, J->block, p);
        size_t length = strlen(name);
        int own = length > 2 && name[length - 2] == 'p' && name[length - 1] >= '1' && name[length - 1] <= '3';
        own |= length > 6 && !strcmp(name + length - 6, "weight");
        for (k = 0; k < some.n && some.at[k] != p; k++) continue;
        pg_holds(J, own == (k < some.n), "a pattern finds the parameters that it fits, and no others");
        n += k < some.n;
        pg_note_text(J, "path", i, path);
        if (path) pg_holds(J, hy_param(J->F, J->block, path) == p, "a parameter is where its path says");
        hy_set_mult(J->F, p, 0.5 + i, 2);
        pg_holds(J, hy_lr_mult(J->F, p) == 0.5 + i && hy_wd_mult(J->F, p) == 2,
                 "multipliers are as they were set");
    }
    pg_holds(J, n == some.n, "a pattern finds parameters of the block");
    hy_set_grad_req(J->F, J->block, ".*p1$", HY_GRAD_NULL);
    for (i = 0; i < all.n && !hy_error(J->F); i++)
        pg_note_number(J, "request", i, hy_grad_req_of(J->F, all.at[i]));
    hy_zero_grad(J->F, J->block);
    for (i = 0; i < all.n && !hy_error(J->F); i++) {
        hy_array *g = hy_param_ready(J->F, all.at[i]) && hy_grad_req_of(J->F, all.at[i])
                          ? hy_grad_of(J->F, all.at[i])
                          : NULL;
        if (g && hy_size(J->F, g))
            pg_holds(J, hy__load(hy_data(J->F, g), hy_dtype_of(J->F, g)) == 0,
                     "a gradient that was made 0 is 0");
    }
}

/* --- blocks --- */
typedef struct pg_heard { const pg_job *J; int before, after, visited, recording; uint64_t names; } pg_heard;
static void pg_hear_before(hy_frame *F, hy_block *block, hy_array *x, hy_array *y, void *user)
{
    pg_heard *h = (pg_heard *)user;
    (void)block;
    h->before += x != NULL && !y;
    h->recording += hy_is_recording(F) + 2 * hy_is_training(F);
}
static void pg_hear_after(hy_frame *F, hy_block *block, hy_array *x, hy_array *y, void *user)
{
    pg_heard *h = (pg_heard *)user;
    (void)F; (void)block; (void)x;
    h->after += y != NULL;
}
static void pg_visited(hy_frame *F, hy_block *block, void *user)
{
    pg_heard *h = (pg_heard *)user;
    int i;
    h->visited++;
    h->names = pg_mix(h->names * 31 + pg_word(hy_block_name(F, block)));
    h->names = pg_mix(h->names * 31 + pg_word(hy_block_prefix(F, block)));
    for (i = 0; i < hy_length(F, block); i++)
        h->names = pg_mix(h->names * 31 + pg_word(hy_child_name(F, block, i)));
}
static void pg_ask_block(const pg_job *J, hy_array *x)
{
    static char text[1 << 16];
    pg_heard h;
    int hook[2], turn;
    memset(&h, 0, sizeof h);
    hy_visit(J->F, J->block, pg_visited, &h);
    pg_note_number(J, "blocks", 0, h.visited);
    pg_note_number(J, "names of blocks", 0, (double)(h.names >> 12));
    hy_block_text(J->F, J->block, text, sizeof text);
    if (!J->P->loops || !strstr(text, "None"))          /* a graph knows sizes of idle layers */
        pg_note_text(J, "text of the block", 0, text);
    pg_ask_text(J, text, sizeof text);
    if (!J->P->random && !J->P->loops) {
        hy_summary_text(J->F, J->block, x, text, sizeof text);
        pg_note_text(J, "summary", 0, text);
    }
    hy_seed(J->F, 7);                   /* ways have called it before, some more often */
    hook[0] = hy_add_hook(J->F, J->block, HY_HOOK_BEFORE, pg_hear_before, &h);
    hook[1] = hy_add_hook(J->F, J->block, HY_HOOK_AFTER, pg_hear_after, &h);
    for (turn = 0; turn < 3 && !hy_error(J->F); turn++) {
        hy_begin(J->F);
        if (turn == 1) hy_record(J->F);
        hy_call(J->F, J->block, x);
        if (turn == 1) hy_pause(J->F);
        hy_end(J->F);
        if (turn < 2) hy_remove_hook(J->F, J->block, hook[turn]);
    }
    if (J->way->flags & (PG_HYBRID | PG_RECOMPUTE)) return;     /* whose forward does not run each time */
    pg_note_number(J, "hooks before", 0, h.before);
    pg_note_number(J, "hooks after", 0, h.after);
    pg_note_number(J, "what hooks see", 0, h.recording);
}

/* --- graphs --- */
/* A plan may be walked: jobs in batches that do not go back, values that lie in the arena. */
static void pg_ask_plan(const pg_job *J, hy_graph *planned, const hy_plan_info *info)
{
    hy_plan_value v[64];
    hy_plan_job job;
    hy_node node;
    int i, k, n = 0, batch = -1;
    for (i = 0; !hy_plan_job_at(planned, i, &job); i++) {
        pg_holds(J, job.packed ? job.batch < 0 : job.batch >= batch,
                 "batches of a plan come one after another");
        pg_holds(J, job.shared <= info->shared, "a job's memory is that of the plan");
        if (!job.packed) batch = job.batch;
    }
    for (i = 0; !hy_graph_node(planned, i, &node); i++)
        for (k = 0; n < 64 && !hy_plan_value_at(planned, i, k, &v[n]); k++)
            n += v[n].place == HY_PLACE_ARENA && v[n].bytes > 0;
    for (i = 0; i < n; i++)
        pg_holds(J, v[i].offset + v[i].bytes <= info->activations, "values lie in the arena");
}
static void pg_note_graph(const pg_job *J, hy_graph *g, hy_array *x, int k)
{
    const pg_body *b = &J->P->body[0];
    hy_array *y;
    int i;
    hy_seed(J->F, 7);
    y = g ? hy_graph_run(J->F, g, x) : hy_call(J->F, J->block, x);
    for (i = 0; y && i < b->nout; i++) {
        char name[24];
        snprintf(name, sizeof name, "graph %d, output", k);
        /* graphs do not run exactly */
        pg_note(J->F, J->R, name, i, hy_get(J->F, y, i), J->P->fact[b->out[i]], 4);
    }
}
/* The graph of the network, the same optimised, and composed once more. Line by line: calls. */
static void pg_ask_graph(const pg_job *J, hy_array *x)
{
    hy_graph *g = J->way->flags & PG_HYBRID ? hy_graph_of(J->F, J->block) : NULL, *other, *planned;
    hy_optimize_opt opt;
    hy_var_opt type;
    hy_plan_info info;
    hy_frame *S;
    hy_array *y, *var[PG_LEAVES];
    const char *name[PG_LEAVES], *used;
    char text[512];
    int i, k, n;
    memset(&opt, 0, sizeof opt);
    opt.exact = 1;
    pg_note_graph(J, g, x, 0);
    if (!g || hy_error(J->F)) { pg_note_graph(J, NULL, x, 1); pg_note_graph(J, NULL, x, 2); return; }
    pg_holds(J, hy_graph_heads(g) >= J->P->body[0].nout, "a graph has the program's outputs");
    pg_holds(J, hy_graph_text(g, HY_FORM_LINES, text, sizeof text) > 0, "a graph has a text");
    n = (int)hy_plan_text(J->F, J->block, x, text, sizeof text);
    pg_holds(J, n > 0 || hy_error(J->F), "a plan has a text");
    other = hy_optimize(J->F, g, x, &opt);
    if (other) pg_note_graph(J, other, x, 1);
    if (other) hy_graph_free(J->F, other);
    S = hy_symbolic(J->F);
    for (k = n = 0; S && k < PG_LEAVES && (name[n] = hy_graph_name(g, HY_NAMES_VARIABLES, k)) != NULL; k++) {
        hy_array *of = hy_get(J->F, x, k);
        memset(&type, 0, sizeof type);
        type.shape = hy_shape_of(J->F, of);
        type.dtype = hy_dtype_of(J->F, of);
        type.shaped = 1;
        var[n] = hy_var(S, name[n], &type);
        for (i = 0; (used = hy_graph_name(g, HY_NAMES_INPUTS, i)) != NULL && strcmp(used, name[n]); i++)
            continue;
        n += used != NULL;  /* others may not be named, and are inputs all the same */
    }
    y = S ? hy_compose(S, g, n, name, var) : NULL;
    other = y ? hy_compile(S, y) : NULL;
    pg_fail(S, J->R, "composing");
    pg_ask_names(J, g, S, n ? var[0] : NULL);
    if (other) pg_note_graph(J, other, x, 2);
    if (other) {
        info = hy_graph_plan(J->F, other, x);
        pg_holds(J,
                 info.total ==
                     info.record + info.packed + info.activations + info.outputs + info.shared + info.scratch,
                 "the parts of a graph's plan are its total");
        planned = info.dynamic ? NULL : hy_graph_planned(J->F, other, x);
        if (planned) { pg_ask_plan(J, planned, &info); hy_graph_free(J->F, planned); }
        hy_graph_free(J->F, other);
    }
    if (S) hy_close(S);
}

/* --- the rest --- */
static hy_array *pg_checked(hy_frame *F, hy_array *x, void *user) { return hy_call(F, (hy_block *)user, x); }

/* A child that is there already is no second one; one more is called by another name. */
static void pg_ask_children(const pg_job *J)
{
    int n = hy_length(J->F, J->block);
    hy_block *child = n ? hy_child(J->F, J->block, 0) : NULL;
    if (!child) return;
    hy_add_child(J->F, J->block, hy_child_name(J->F, J->block, 0), child);
    pg_holds(J, hy_length(J->F, J->block) == n, "a child that is added again is one child");
    hy_add_child(J->F, J->block, "again", child);
    pg_holds(J, hy_length(J->F, J->block) == n + 1, "a child under another name is one more");
    pg_note_number(J, "parameters", 0, hy_collect_params(J->F, J->block, NULL).n);
}

/* --- other modes --- */
static void pg_note_mode(const pg_job *J, int set, int k)
{
    hy_array *at[PG_LEAVES];
    const pg_body *b = &J->P->body[0];
    char name[24];
    hy_array *y;
    int i;
    snprintf(name, sizeof name, "mode %d, output", k);
    hy_seed(J->F, 7);
    y = hy_call(J->F, J->block, pg_inputs(J->F, J->P, J->way, set, at));
    pg_note_number(J, "mode, error", k, (double)hy_error_code(J->F));
    hy_clear(J->F);
    for (i = 0; y && i < b->nout; i++)
        pg_note(J->F, J->R, name, i, hy_get(J->F, y, i), J->P->fact[b->out[i]], 2);
}
/* Compiled anew by other passes, line by line again, with room for one program, in other types. Line by line
 * these are calls. */
static void pg_ask_modes(const pg_job *J)
{
    hy_hybridize_opt opt;
    int k;
    if (!(J->way->flags & PG_EXACT) && J->way->flags & PG_HYBRID) return;
    for (k = 0; k < 5 && !hy_error(J->F); k++) {
        memset(&opt, 0, sizeof opt);
        opt.exact = 1;
        opt.off = k ? 0 : HY_PASS_ALL;
        opt.inactive = k == 1;
        opt.cache = 1;
        if ((J->way->flags & PG_HYBRID) && k < 3) hy_hybridize(J->F, J->block, &opt);
        pg_note_mode(J, k == 3, k);
    }
    hy_cast_block(J->F, J->block, HY_F64);
    pg_note_mode(J, 0, k);
}

/* Parameters whose sizes are open get their numbers before they have them. */
static void pg_say_early(const pg_job *J, hy_block *other)
{
    hy_params from = hy_collect_params(J->F, J->block, NULL), to = hy_collect_params(J->F, other, NULL);
    int i;
    for (i = 0; i < from.n && i < to.n && !hy_error(J->F); i++)
        if (hy_param_ready(J->F, from.at[i]) && !hy_param_ready(J->F, to.at[i]))
            hy_set_param(J->F, to.at[i], hy_copy(J->F, from.at[i]));
    hy_clear(J->F);
}
/* Another network of the same program that has the same parameters, some of which were set before. */
static void pg_ask_twin(const pg_job *J)
{
    hy_array *at[PG_LEAVES];
    const pg_body *b = &J->P->body[0];
    pg_net *twin = pg_build(J->F, J->P, 0);
    hy_array *y;
    int i;
    if (!twin) return;
    pg_say_early(J, &twin->base);
    hy_share_params(J->F, &twin->base, J->block);
    hy_seed(J->F, 7);
    y = hy_error(J->F) ? NULL : hy_call(J->F, &twin->base, pg_inputs(J->F, J->P, J->way, 0, at));
    for (i = 0; y && i < b->nout && !J->P->random; i++)  /* whose names choose what is drawn */
        pg_note(J->F, J->R, "twin", i, hy_get(J->F, y, i), J->P->fact[b->out[i]], 2);
    pg_note_number(J, "twin, error", 0, (double)hy_error_code(J->F));
    hy_clear(J->F);
    hy_block_free(J->F, &twin->base);
}

/* What is timed: every event is of a kind, each call is there once. */
static void pg_ask_profile(const pg_job *J, hy_array *x)
{
    hy_event e;
    int i, n = 0;
    if (J->P->number < PG_THIRD || J->P->number % 16 != 6 || J->way->flags & PG_BOUND) return;
    hy_profile(J->F, "");
    for (i = 0; i < 2; i++) {
        hy_begin(J->F);
        hy_call(J->F, J->block, x);
        hy_end(J->F);
    }
    hy_profile(J->F, NULL);
    for (i = 0; !hy_profile_event(J->F, i, &e); i++) {
        pg_holds(J, e.kind >= HY_EVENT_CALL && e.kind <= HY_EVENT_TURN, "what is timed is of a kind");
        pg_holds(J, e.name && e.seconds >= 0 && e.start >= 0, "what is timed has a name and a time");
        n += e.kind == HY_EVENT_CALL;
    }
    pg_holds(J, n == 2 || hy_error(J->F), "each call is timed once");
    pg_ask_times(J);
    pg_fail(J->F, J->R, "timing");
}

/* It calls the block as for training where it does not refuse what it is given; statistics are put back. */
static void pg_ask_slopes(const pg_job *J, hy_array *x)
{
    hy_params all = hy_collect_params(J->F, J->block, NULL);
    hy_array *before[PG_ITEMS];
    int i, aux;
    for (i = 0; i < all.n && i < PG_ITEMS; i++) {
        aux = hy_param_ready(J->F, all.at[i]) && all.at[i]->param && all.at[i]->param->aux;
        before[i] = aux ? hy_copy(J->F, all.at[i]) : NULL;
    }
    pg_note_number(J, "gradient checked", 0, hy_check_grad(J->F, pg_checked, J->block, x, 1e-3));
    hy_clear(J->F);                                     /* of what has no gradient */
    for (i = 0; i < all.n && i < PG_ITEMS; i++) if (before[i]) hy_assign(J->F, all.at[i], before[i]);
}

/* Of every fourth program that is right, at the end of a run. */
static void pg_ask_all(const pg_job *J)
{
    const int other = PG_STARVED | PG_FORKS | PG_BRIEF | PG_TWICE | PG_INT8 | PG_ONNX | PG_SYMBOL |
                      PG_LOADED | PG_PAIR | PG_BATCH | PG_SOURCE | PG_JIT | PG_WALK;
    hy_array *at[PG_LEAVES], *x;
    int i, elements = 0;
    if (J->P->nset && (J->way->flags & PG_BOUND)) return;       /* its graph is that of another size */
    if (J->P->number % 4 != 2 || J->P->wrong || J->P->fault || J->P->dynamic || J->way->flags & other ||
        J->R->error[0] || hy_error(J->F))
        return;
    hy_begin(J->F);
    x = pg_inputs(J->F, J->P, J->way, 0, at);
    if (J->way->flags & PG_WIDE) { if (!J->P->random) pg_ask_graph(J, x); hy_end(J->F); return; }
    pg_ask_params(J);
    pg_fail(J->F, J->R, "asking of parameters");
    pg_ask_block(J, x);
    pg_fail(J->F, J->R, "asking of blocks");
    if (!J->P->random) pg_ask_graph(J, x);
    pg_fail(J->F, J->R, "asking of graphs");
    pg_ask_twin(J);
    if (J->P->number % 16 == 14) pg_ask_sharers(J);
    pg_ask_children(J);
    pg_fail(J->F, J->R, "asking of children");
    for (i = 0; i < pg_input_count(J->P); i++) elements += (int)hy_size(J->F, at[i]);
    if (J->P->number % 16 == 2 && elements <= 12 && J->P->nstep < 24 && !J->P->random && !hy_error(J->F))
        pg_ask_slopes(J, x);
    hy_clear(J->F);
    pg_ask_profile(J, x);
    if (J->P->number % 16 == 10) pg_ask_gradient_again(J);
    if (J->P->number % 16 == 6) pg_ask_reasons(J, x);
    if (!J->P->random) pg_ask_modes(J);
    hy_end(J->F);
}
#endif
