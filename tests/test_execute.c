/* Programs, plans and executors: what runs compiled gives the bits of what runs line by line, in memory whose
 * plan holds what it promises. After test_oom.c, whose walk is used here. */

static int exec_run(hy_frame *F, hy_graph *g, hy_array *const *in, hy_array **out, const hy__mode *mode, int limit,
                    hy__lookup *lookup)
{
    hy__graph_rec rec;
    rec.mode = *mode;
    rec.limit = limit;
    rec.lookup = lookup;
    return hy__graph_execute(F, g, in, out, &rec);
}

typedef struct exec_case { hy_frame *F; hy_graph *graph; hy_array *in[3], *out[8]; uint32_t seed; } exec_case;

static hy_frame *exec_open(int threads)
{
    hy_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.threads = threads;
    return hy_open(&desc);
}

static int exec_random(uint32_t *seed, int below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (int)((*seed >> 8) % (uint32_t)below);
}

/* Values come in three shapes: (6,8), (48,) and (8,6). */
enum { EXEC_MOST = 40, EXEC_HEADS = 4 };
static hy_array *exec_other_shape(hy_frame *F, hy_array *x, int *shape, int to)
{
    int from = *shape;
    *shape = to;
    if (from == to) return hy_identity(F, x);
    if (from + to == 2 && from != 1) return hy_transpose(F, x, HY_AXES(1, 0));
    return to == 1 ? hy_reshape(F, x, HY_INTS(48), NULL) : to == 0 ? hy_reshape(F, x, HY_INTS(6, 8), NULL)
        : hy_reshape(F, x, HY_INTS(8, 6), NULL);
}

static hy_array *exec_one_input(hy_frame *F, hy_array *x, int which)
{
    hy_array *y;
    switch (which) {
    case 0: return hy_relu(F, x);
    case 1: return hy_square(F, x);
    case 2: return hy_tanh(F, x);
    case 3: return hy_sigmoid(F, x);
    case 4: return hy_add_scalar(F, x, 0.5);
    case 5: y = hy_expand_dims(F, x, 0); return hy_squeeze(F, y, HY_INTS(0));
    case 6: return hy_softmax(F, x, -1, NULL);
    default: y = hy_sum(F, x, HY_ALL, NULL); return hy_mul(F, x, hy_tanh(F, y));
    }
}

/* A program decided by a seed: the same whatever F does with operators. */
static hy_array *exec_program(hy_frame *F, hy_array *const *in, uint32_t seed, int nodes)
{
    hy_array *pool[EXEC_MOST], *head[EXEC_HEADS], *a, *b;
    int shape[EXEC_MOST], n, i, heads;
    for (n = 0; n < 3; n++) { pool[n] = in[n]; shape[n] = 0; }
    for (; n < nodes; n++) {
        int x = exec_random(&seed, n), y = exec_random(&seed, n), what = exec_random(&seed, 16);
        if (exec_random(&seed, 2)) x = n - 1;
        shape[n] = shape[x];
        if (what < 8) pool[n] = exec_one_input(F, pool[x], what);
        else if (what < 11) pool[n] = exec_other_shape(F, pool[x], &shape[n], exec_random(&seed, 3));
        else if (what == 11) {
            a = hy_split(F, pool[x], 2, 0, NULL);
            b = hy_get(F, a, 1);
            pool[n] = hy_concat(F, hy_group(F, b, hy_get(F, a, 0)), 0);
        } else {
            int as = shape[y];
            b = as == shape[x] ? pool[y] : exec_other_shape(F, pool[y], &as, shape[x]);
            pool[n] = what == 12 ? hy_add(F, pool[x], b) : what == 13 ? hy_mul(F, pool[x], hy_tanh(F, b))
                : what == 14 ? hy_sub(F, b, pool[x]) : hy_maximum(F, pool[x], b);
        }
    }
    heads = 1 + exec_random(&seed, EXEC_HEADS);
    head[0] = pool[n - 1];
    for (i = 1; i < heads; i++) head[i] = pool[exec_random(&seed, n)];
    return hy_group_of(F, heads, head);
}

static hy_graph *exec_graph(hy_frame *F, uint32_t seed, int nodes)
{
    hy_frame *S = hy_symbolic(F);
    hy_array *in[3];
    hy_graph *g;
    in[0] = hy_var(S, "a", NULL);
    in[1] = hy_var(S, "b", NULL);
    in[2] = hy_var(S, "c", NULL);
    g = hy_compile(S, exec_program(S, in, seed, nodes));
    if (!CHECK(!hy_error(S))) printf("    %s\n", hy_error(S));
    hy_close(S);
    return g;
}

static void exec_inputs(hy_frame *F, hy_array **in)
{
    int i, k;
    for (i = 0; i < 3; i++) {
        float v[48];
        for (k = 0; k < 48; k++) v[k] = (float)((k * 37 + i * 11) % 29 - 14) / 9;
        in[i] = hy_floats(F, HY_SHAPE(6, 8), v);
    }
}

static hy__mode exec_mode(int off)
{
    hy__mode mode;
    memset(&mode, 0, sizeof mode);
    mode.exact = 1;
    mode.off = off;
    return mode;
}

static int exec_same(hy_frame *F, hy_array *a, hy_array *b)
{
    a = hy_copy(F, a);
    b = hy_copy(F, b);
    return a && b && hy__same_type(&a->t.type, &b->t.type) &&
           !memcmp(a->t.data, b->t.data, (size_t)hy__bytes(&a->t.type));
}

static const int exec_offs[] = { 0, HY_PASS_INPLACE, HY_PASS_REUSE, HY_PASS_PARALLEL,
                                 HY_PASS_FUSE | HY_PASS_ALGEBRA,
                                 HY_PASS_FUSE | HY_PASS_CSE | HY_PASS_INPLACE, HY_PASS_ALL };
enum { EXEC_OFFS = (int)(sizeof exec_offs / sizeof *exec_offs) };

/* --- the plan --- */
typedef struct exec_life { int value, from, to, step, reader; } exec_life;

/* Lives, worked out again from the steps alone. */
static int exec_lives(const hy__plan *p, exec_life *life)
{
    int i, k, n, v;
    for (v = n = 0; v < p->values; v++) {
        if (p->spot[v].where != HY__AT_ARENA || p->spot[v].root != v) continue;
        life[n].value = v;
        life[n].from = life[n].to = life[n].step = -1;
        life[n].reader = -1;
        for (i = p->early; i < p->steps; i++) {
            const hy__step *s = &p->step[i];
            for (k = 0; k < s->nin + s->nout; k++) {
                if (p->spot[p->tensor[s->tensor + k]].root != v) continue;
                if (k >= s->nin) { life[n].from = s->batch; life[n].step = i; }
                if (s->batch == life[n].to && life[n].reader != i) life[n].reader = -1;
                else if (s->batch >= life[n].to) { life[n].to = s->batch; life[n].reader = i; }
            }
        }
        CHECK(life[n].step >= 0);
        n++;
    }
    return n;
}

/* b is written over a by the one step that still needs a. */
static int exec_in_place(const hy__plan *p, const exec_life *a, const exec_life *b)
{
    const hy__step *s = &p->step[b->step];
    return a->reader == b->step && a->to == b->from && (s->op->flags & HY_OP_INPLACE) &&
           p->spot[p->tensor[s->tensor]].root == a->value &&
           hy__bytes(p->spot[a->value].type) == hy__bytes(p->spot[b->value].type);
}

static void exec_check_plan(const hy__plan *p, int off)
{
    exec_life life[8 * EXEC_MOST];
    int i, k, n = exec_lives(p, life);
    for (i = 0; i < n; i++)
        for (k = 0; k < i; k++) {
            const hy__spot *a = &p->spot[life[i].value], *b = &p->spot[life[k].value];
            int apart = a->offset + (size_t)hy__bytes(a->type) <= b->offset ||
                        b->offset + (size_t)hy__bytes(b->type) <= a->offset;
            int meet = life[i].from <= life[k].to && life[k].from <= life[i].to;
            if (!apart && meet)
                CHECK(!(off & HY_PASS_INPLACE) &&
                      (exec_in_place(p, &life[i], &life[k]) || exec_in_place(p, &life[k], &life[i])));
            if (off & HY_PASS_REUSE) CHECK(apart);
        }
    for (i = 0; i < n; i++) {
        CHECK(p->spot[life[i].value].offset % 64 == 0);
        CHECK(p->spot[life[i].value].offset + (size_t)hy__bytes(p->spot[life[i].value].type) <= p->arena);
    }
    CHECK(p->arena <= p->unplanned);
    for (i = p->early; i < p->steps; i++)               /* what a step reads, an earlier batch wrote */
        for (k = 0; k < p->step[i].nin; k++) {
            const hy__spot *s = &p->spot[p->spot[p->tensor[p->step[i].tensor + k]].root];
            if (s->where == HY__AT_ARENA || s->where == HY__AT_HEAD)
                CHECK(p->step[s->step].batch < p->step[i].batch);
        }
}

static void exec_plan_of_random_graphs(void)
{
    hy_frame *F[2];
    size_t planned = 0, unplanned = 0;
    int f, side_by_side = 0, over = 0;
    uint32_t seed;
    F[0] = exec_open(1);
    F[1] = exec_open(4);
    for (f = 0; f < 2; f++)
        for (seed = 1; seed <= 60; seed++) {
            hy_graph *g = exec_graph(F[f], seed, 10 + (int)seed % 30);
            hy_array *in[3];
            int o, i;
            hy_begin(F[f]);
            exec_inputs(F[f], in);
            for (o = 0; o < EXEC_OFFS; o++) {
                hy__mode mode = exec_mode(exec_offs[o]);
                hy__program *p = hy__program_for(F[f], g, in, &mode, 0, NULL);
                if (!CHECK(p && !p->dynamic)) printf("    seed %d: %s\n", (int)seed, hy_error(F[f]));
                if (!p) break;
                exec_check_plan(&p->plan, mode.off);
                planned += p->plan.arena;
                unplanned += p->plan.unplanned;
                for (i = p->plan.early + 1; i < p->plan.steps; i++)
                    side_by_side += p->plan.step[i].batch == p->plan.step[i - 1].batch;
                for (i = 0; i < p->plan.values; i++) over += p->plan.spot[i].block != i;
                CHECK(f || !side_by_side);
                hy__program_drop(p);
            }
            hy_end(F[f]);
            hy_graph_free(F[f], g);
        }
    if (!CHECK((side_by_side > 20 || hy_threads(F[1]) == 1) && over > 20 && planned < unplanned / 3 * 2))
        printf("    %d side by side, %d over inputs, %ld of %ld bytes\n", side_by_side, over, (long)planned,
               (long)unplanned);
    CHECK(hy_close(F[0]) == 0);
    CHECK(hy_close(F[1]) == 0);
}

static size_t exec_sum(const hy_plan_info *info)
{
    return info->record + info->packed + info->activations + info->outputs + info->shared + info->scratch;
}

/* A long chain takes two places of the arena, or one. */
static void exec_plan_of_a_chain(void)
{
    hy_frame *F = exec_open(1), *S = hy_symbolic(F);
    hy_array *x = hy_var(S, "x", NULL), *one = hy_ones(F, HY_SHAPE(10, 10)), *y = x;
    hy__mode mode = exec_mode(HY_PASS_FUSE);
    hy_plan_info info;
    hy_graph *g;
    int i;
    for (i = 0; i < 5000; i++) y = i % 2 ? hy_tanh(S, y) : hy_transpose(S, y, HY_AXES(1, 0));
    g = hy_compile(S, y);
    hy_begin(F);
    info = hy__plan_info(F, g, &one, &mode);
    CHECK(info.jobs == 5000 && info.values == 4999 && info.activations == 2 * 448);
    CHECK(info.unplanned == 4999u * 448);
    mode.off |= HY_PASS_INPLACE;
    info = hy__plan_info(F, g, &one, &mode);
    CHECK(info.activations == 2 * 448);
    mode.off |= HY_PASS_REUSE;
    info = hy__plan_info(F, g, &one, &mode);
    CHECK(info.activations == info.unplanned);
    info = hy_graph_plan(F, g, one);
    CHECK(info.total && info.total == exec_sum(&info));
    hy_end(F);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

/* Softmax and a layer norm of which nobody wants the statistics take their input's place; the same bits. */
static void exec_plan_in_place(void)
{
    hy_frame *F = exec_open(1), *S = hy_symbolic(F);
    hy_array *x = hy_normal(F, HY_SHAPE(10, 70), 0, 1), *w = hy_uniform(F, HY_SHAPE(70), 1, 2), *y[2];
    hy__mode mode = exec_mode(HY_PASS_FUSE);
    hy_plan_info info;
    hy_graph *g;
    int i;
    hy_begin(F);
    for (i = 0; i < 2; i++) {
        hy_frame *G = i ? S : F;
        hy_array *t = hy_tanh(G, i ? hy_var(S, "x", NULL) : x);
        t = hy_softmax(G, hy_layer_norm(G, hy_log_softmax(G, t, -1, NULL), w, w, NULL), -1, NULL);
        y[i] = hy_exp(G, hy_layer_norm(G, t, w, w, NULL));
    }
    g = hy_compile(S, y[1]);
    info = hy__plan_info(F, g, &x, &mode);
    CHECK(info.activations == 2816 && info.unplanned > 4 * 2816);
    CHECK(!memcmp(hy_data(F, hy_graph_run(F, g, x)), hy_data(F, y[0]), 2800));
    mode.off |= HY_PASS_INPLACE;
    CHECK(hy__plan_info(F, g, &x, &mode).activations == 2 * 2816);
    hy_end(F);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

/* What an unrolled network takes in at each step could all be computed first, but that would need memory for
 * all steps. */
static void exec_plan_of_an_unrolled_network(void)
{
    size_t small, large;
    int i, k;
    for (i = 0; i < 2; i++) {
        hy_frame *F = exec_open(i ? 4 : 1), *S = hy_symbolic(F);
        hy_array *w = hy_var(S, "w", NULL), *h = NULL, *x, *in[2];
        hy__mode mode = exec_mode(HY_PASS_FUSE | HY_PASS_CSE);
        hy_graph *g;
        x = hy_var(S, "x", NULL);
        for (k = 0; k < 64; k++) {
            hy_array *y = hy_dot(S, hy_add_scalar(S, x, k), w, NULL);
            h = h ? hy_tanh(S, hy_add(S, h, y)) : y;
        }
        g = hy_compile(S, h);
        in[0] = hy_ones(F, HY_SHAPE(90, 90));
        in[1] = hy_ones(F, HY_SHAPE(2, 90));
        small = hy__plan_info(F, g, in, &mode).activations;
        in[1] = hy_ones(F, HY_SHAPE(90, 90));
        large = hy__plan_info(F, g, in, &mode).activations;
        CHECK(hy_threads(F) == 1 ? small < 10 * 768 : small > 64 * 768);        /* that little may be spent */
        CHECK(large < 10 * 90 * 90 * sizeof(float));
        if (!CHECK(!hy_error(F))) printf("    %s\n", hy_error(F));
        hy_close(S);
        CHECK(hy_close(F) == 0);
    }
}

/* --- values --- */
static void exec_equals_imperative(void)
{
    hy_frame *F[2];
    int f;
    uint32_t seed;
    F[0] = exec_open(1);
    F[1] = exec_open(4);
    for (f = 0; f < 2; f++)
        for (seed = 1; seed <= 60; seed++) {
            hy_graph *g = exec_graph(F[f], seed, 10 + (int)seed % 30);
            hy_array *in[3], *want, *out[EXEC_HEADS], *again[EXEC_HEADS];
            int o, i, n = hy_graph_heads(g);
            hy_begin(F[f]);
            exec_inputs(F[f], in);
            want = exec_program(F[f], in, seed, 10 + (int)seed % 30);
            CHECK(hy_count(F[f], want) == n);
            for (o = 0; o < EXEC_OFFS; o++) {
                hy__mode mode = exec_mode(exec_offs[o]);
                CHECK(!exec_run(F[f], g, in, out, &mode, 0, NULL));
                CHECK(!exec_run(F[f], g, in, again, &mode, 0, NULL));
                for (i = 0; i < n && !hy_error(F[f]); i++)
                    if (!CHECK(exec_same(F[f], out[i], hy_get(F[f], want, i)) &&
                               exec_same(F[f], again[i], out[i])))
                        printf("    seed %d, off %d, head %d\n", (int)seed, mode.off, i);
            }
            if (!CHECK(!hy_error(F[f]))) printf("    %s\n", hy_error(F[f]));
            hy_end(F[f]);
            hy_graph_free(F[f], g);
        }
    CHECK(hy_close(F[0]) == 0);
    CHECK(hy_close(F[1]) == 0);
}

/* Branches of large and small operators. */
static hy_array *exec_branches(hy_frame *F, hy_array *x)
{
    hy_array *y[4], *z;
    int i, k;
    for (i = 0; i < 4; i++) {
        z = hy_mul_scalar(F, x, 0.1 * (i + 1));
        for (k = 0; k < 3; k++) {
            z = hy_dot(F, hy_tanh(F, z), x, NULL);
            z = hy_softmax(F, z, -1, NULL);
            z = hy_sub(F, z, hy_mean(F, z, HY_AXES(0), NULL));
        }
        y[i] = z;
    }
    return hy_concat(F, hy_group_of(F, 4, y), 1);
}

static void exec_backwards(void *user, int64_t n, hy_item_fn fn, void *arg)
{
    ++*(int *)user;
    while (n-- > 0) fn(arg, n, (int)(n % 3));
}

/* One thread, many, and a host that runs everything in the wrong order. */
static void exec_same_bits_for_any_threads(void)
{
    static float want[90 * 360];
    int threads[] = { 1, 2, 4, 8, 3 }, t, calls = 0, i;
    for (t = 0; t < 5; t++) {
        hy_desc desc;
        hy_frame *F, *S;
        hy_array *x, *y;
        hy_graph *g;
        memset(&desc, 0, sizeof desc);
        desc.threads = threads[t];
        if (t == 4) { desc.parallel_for = exec_backwards; desc.parallel_user = &calls; }
        F = hy_open(&desc);
        S = hy_symbolic(F);
        g = hy_compile(S, exec_branches(S, hy_var(S, "x", NULL)));
        x = hy_mul_scalar(F, hy_reshape(F, hy_arange(F, -4050, 4050, 1), HY_INTS(90, 90), NULL), 1e-4);
        for (i = 0; i < 3; i++) {
            hy_begin(F);
            y = hy_graph_run(F, g, x);
            if (t == 0 && i == 0) memcpy(want, hy_data(F, y), sizeof want);
            CHECK(y && !memcmp(want, hy_data(F, y), sizeof want));
            hy_end(F);
        }
        if (t == 4) CHECK(calls > 10);
        hy_close(S);
        CHECK(hy_close(F) == 0);
    }
}

static void exec_thread_limit(void)
{
    hy_frame *F = exec_open(4), *S = hy_symbolic(F);
    hy_graph *g = hy_compile(S, exec_branches(S, hy_var(S, "x", NULL)));
    hy_array *x = hy_full(F, HY_SHAPE(64, 64), .01), *one, *two;
    hy__mode mode = exec_mode(0);
    hy__program *p;
    mode.threads = 1;
    CHECK(!exec_run(F, g, &x, &one, &mode, 0, NULL));
    p = F->recent->program;
    CHECK(p->plan.workers == 1 && p->plan.staged.stages == 0);
    mode.threads = 2;
    CHECK(!exec_run(F, g, &x, &two, &mode, 0, NULL));
    p = F->recent->program;
    CHECK(hy_threads(F) == 1 || (p->plan.workers == 2 && p->plan.staged.stages > 0));
    CHECK(exec_same(F, one, two));
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

/* --- a plan, walked --- */
/* Every value has a place; what lives at the same time does not overlap; jobs follow what they read. */
static void exec_plan_walk(void)
{
    hy_frame *F = tb_open(1);
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_array *x = hy_ones(F, HY_SHAPE(2, 3, 12, 12));
    hy_plan_info info;
    hy_graph *g;
    hy_plan_job job;
    hy_plan_value a, b;
    hy_node node;
    size_t end = 0;
    int i, k, n, o, seen[6] = { 0 }, jobs, place[200], from, output;
    hy_append(F, net, hy_nn_conv2d(F, 4, HY_INTS(3, 3), NULL), hy_nn_batch_norm(F, NULL), hy_nn_activation(F, "relu"),
              hy_nn_flatten(F), hy_nn_dense(F, 8, NULL), hy_nn_activation(F, "tanh"), hy_nn_dense(F, 3, NULL));
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    info = hy_plan(F, net, x);
    g = hy_planned(F, net, x);
    CHECK(g != NULL && hy_plan_job_at(g, -1, &job) == -1 && hy_plan_value_at(g, 0, 9, &a) == -1);
    for (i = 0; i < hy_graph_count(g) && i < 200; i++) place[i] = -1;
    for (jobs = k = 0; !hy_plan_job_at(g, k, &job); k++) {
        jobs += !job.packed;
        place[job.node] = k;
        for (i = 0; (from = hy_graph_input(g, job.node, i, &output)) >= 0; i++) {
            hy_plan_value_at(g, from, output, &a);
            if (a.place == HY_PLACE_ARENA) CHECK(place[a.node] >= 0 && a.from < job.batch && a.to >= job.batch);
        }
    }
    CHECK(jobs == info.jobs);
    for (i = 0; !hy_graph_node(g, i, &node); i++)
        for (o = 0; o < node.outputs; o++) {
            CHECK(!hy_plan_value_at(g, i, o, &a));
            if (a.place < 6) seen[a.place]++;
            if (a.place != HY_PLACE_ARENA) continue;
            if (a.offset + a.bytes > end) end = a.offset + a.bytes;
            for (k = 0; k < i; k++)
                for (n = 0; !hy_plan_value_at(g, k, n, &b); n++)
                    if (b.place == HY_PLACE_ARENA && (b.node != a.node || b.output != a.output) &&
                        a.from <= b.to && b.from <= a.to && a.from != b.to && b.from != a.to)
                        CHECK(a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset);
        }
    CHECK(end <= info.activations && end > 0);
    CHECK(seen[HY_PLACE_INPUT] == 1 && seen[HY_PLACE_OUTPUT] == 1 && seen[HY_PLACE_PACKED] > 0);
    CHECK(hy_plan_job_at(hy_graph_of(F, net), 0, &job) == -1);          /* that one has no plan */
    hy_graph_free(F, g);
    CHECK(!hy_error(F));
    CHECK(hy_close(F) == 0);
}

/* --- heads --- */
static void exec_heads_of_every_kind(void)
{
    hy_frame *F = exec_open(1), *S = hy_symbolic(F);
    hy_array *x = hy_var(S, "x", NULL), *unused, *y, *view, *both, *k, *out[9], *in[2];
    hy_array *constant = hy_keep(F, hy_full(F, HY_SHAPE(3), 5)), *one = hy_ones(F, HY_SHAPE(2, 3));
    hy__mode mode = exec_mode(0);
    hy_graph *g;
    int round, i;
    unused = hy_var(S, "unused", NULL);
    y = hy_add_scalar(S, x, 1);
    view = hy_reshape(S, y, HY_INTS(6), NULL);
    k = hy_add_scalar(S, constant, 0);
    both = hy_mul_scalar(S, y, 3);
    (void)unused;
    g = hy_compile(S, hy_group(S, y, y, x, view, both, hy_reshape(S, x, HY_INTS(3, 2), NULL), k, x, view));
    in[0] = one;
    in[1] = hy_zeros(F, HY_SHAPE(7));
    CHECK(g && g->vars == 2);
    for (round = 0; round < 2; round++) {
        hy_array *before = out[0];
        CHECK(!exec_run(F, g, in, out, &mode, 0, NULL));
        if (!CHECK(!hy_error(F))) printf("    %s\n", hy_error(F));
        CHECK(out[0] == out[1] && out[2] == one && out[7] == one && out[3] == out[8]);
        CHECK(!round || (out[0] != before && out[0]->buffer != before->buffer));        /* both can be held */
        for (i = 0; i < 6; i++) {
            CHECK(hy_value_of(F, out[0], HY_SHAPE(i / 3, i % 3)) == 2 && hy_value(F, out[3], i) == 2);
            CHECK(hy_value_of(F, out[4], HY_SHAPE(i / 3, i % 3)) == 6);
            CHECK(hy_value_of(F, out[5], HY_SHAPE(i / 2, i % 2)) == 1);
        }
        CHECK(hy_ndim(F, out[3]) == 1 && hy_dim(F, out[5], 0) == 3 && hy_value(F, out[6], 2) == 5);
        hy_fill(F, out[5], 9);
        hy_fill(F, out[6], 9);
        CHECK(hy_value(F, one, 1, 1) == 1 && hy_value(F, constant, 1) == 5);
    }
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

/* A fused program of one tile takes a short way; with broadcast or more results, or longer, another: the same bits. */
typedef struct exec_chain { hy_block base; int kind; } exec_chain;
static hy_array *exec_chain_forward(hy_frame *F, hy_block *self, hy_array *g)
{
    hy_array *a = hy_get(F, g, 0), *b = hy_get(F, g, 1), *c = hy_get(F, g, 2), *y;
    int kind = ((exec_chain *)self)->kind;
    if (kind == 0) return hy_add(F, hy_add(F, a, b), hy_add(F, c, a));
    if (kind == 1) return hy_rsub_scalar(F, hy_mul(F, hy_rsub_scalar(F, hy_mul_scalar(F, a, 2), 1), hy_mul(F, b, hy_sub(F, c, b))), 3);
    if (kind == 2) return hy_mul(F, hy_relu(F, hy_sub(F, hy_mul(F, a, a), b)), hy_add(F, hy_mul(F, c, b), hy_mul(F, a, c)));
    y = hy_mul(F, a, b);
    return hy_group(F, y, hy_add(F, y, hy_mul(F, c, a)));
}

static void exec_small_programs(void)
{
    static const int64_t sizes[] = { 1, 2, 3, 4, 7, 16, 17, 33, 64, 1023, 1024, 1025, 2048, 2049 };
    static const hy_dtype types[] = { HY_F32, HY_F64, HY_I32, HY_F16 };
    hy_frame *F = hy_open(NULL);
    int kind, type, size, mode, i, k, n;
    for (kind = 0; kind < 4; kind++) for (type = 0; type < 4; type++) for (mode = 0; mode < 2; mode++) {
        hy_block *b = hy_block_new(F, sizeof(exec_chain), "chain", exec_chain_forward, 1);
        hy_block *plain = hy_block_new(F, sizeof(exec_chain), "chain", exec_chain_forward, 1);
        ((exec_chain *)b)->kind = ((exec_chain *)plain)->kind = kind;
        hy_hybridize(F, b, NULL);
        for (size = 0; size < (int)(sizeof sizes / sizeof *sizes); size++) {
            hy_array *x[3], *g, *y, *z;
            hy_begin(F);
            for (i = 0; i < 3; i++) {
                n = mode && i == 2 ? 1 : (int)sizes[size];              /* one value for all */
                x[i] = hy_cast(F, hy_randint(F, HY_SHAPE(n), -9, 9), types[type]);
            }
            g = hy_group_of(F, 3, x);
            for (k = 0; k < 3; k++) {
                y = hy_call(F, b, g);
                z = hy_call(F, plain, g);
                for (i = 0; i < hy_count(F, z); i++) CHECK(tb_same(F, hy_get(F, y, i), hy_get(F, z, i)));
            }
            hy_end(F);
        }
        hy_block_free(F, b);
        hy_block_free(F, plain);
    }
    OK(F);
    CHECK(hy_close(F) == 0);
}

static void exec_empty_arrays(void)
{
    hy_frame *F = exec_open(4), *S = hy_symbolic(F);
    hy_array *x = hy_var(S, "x", NULL), *y = hy_relu(S, hy_add_scalar(S, x, 1));
    hy_graph *g = hy_compile(S, hy_group(S, y, hy_sum(S, y, HY_AXES(0), NULL),
                                         hy_reshape(S, y, HY_INTS(-1), NULL)));
    int i;
    for (i = 0; i < 3; i++) {
        y = hy_graph_run(F, g, hy_ones(F, HY_SHAPE(i, 3)));
        if (!CHECK(y)) printf("    %s\n", hy_error(F));
        CHECK(hy_dim(F, hy_get(F, y, 0), 0) == i && hy_value(F, hy_get(F, y, 1), 2) == 2 * i);
        CHECK(hy_dim(F, hy_get(F, y, 2), 0) == 3 * i);
    }
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void exec_strided_inputs_and_constants(void)
{
    hy_frame *F = exec_open(1), *S = hy_symbolic(F);
    hy_array *base = hy_keep(F, hy_reshape(F, hy_arange(F, 0, 12, 1), HY_INTS(3, 4), NULL)), *x, *y, *view;
    hy_graph *g;
    view = hy_keep(F, hy_view_transpose(F, base, HY_AXES(1, 0)));
    x = hy_var(S, "x", NULL);
    g = hy_compile(S, hy_group(S, hy_add(S, x, view), hy_cumsum(S, view, HY_NONE, NULL)));
    if (!CHECK(g)) printf("    %s\n", hy_error(S));
    y = hy_graph_run(F, g, view);
    if (!CHECK(y)) printf("    %s\n", hy_error(F));
    CHECK(hy_value(F, hy_get(F, y, 0), 3, 1) == 14 && hy_value(F, hy_get(F, y, 1), 3) == 0 + 4 + 8 + 1);
    hy_set_value(F, base, 100, 1, 0);                   /* captured by reference: a write is seen */
    y = hy_graph_run(F, g, view);
    CHECK(hy_value(F, hy_get(F, y, 0), 0, 1) == 200 && hy_value(F, hy_get(F, y, 1), 3) == 0 + 100 + 8 + 1);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

/* --- programs --- */
static void exec_reasons_and_limit(void)
{
    hy_frame *F = exec_open(1), *S = hy_symbolic(F);
    hy_graph *g = hy_compile(S, hy_add_scalar(S, hy_var(S, "data", NULL), 1));
    hy__mode mode = exec_mode(HY_PASS_SIZES);
    hy_array *x, *y;
    hy__lookup lookup;
    size_t bytes = 0;
    int i, programs = 0;
    x = hy_ones(F, HY_SHAPE(4, 3));
    CHECK(!exec_run(F, g, &x, &y, &mode, 2, &lookup) && !lookup.hit);
    CHECK_STR(lookup.reason, "first call");
    CHECK(!exec_run(F, g, &x, &y, &mode, 2, &lookup) && lookup.hit && !lookup.reason[0]);
    x = hy_ones(F, HY_SHAPE(2, 3));
    CHECK(!exec_run(F, g, &x, &y, &mode, 2, &lookup) && !lookup.hit);
    CHECK_STR(lookup.reason, "data is (2,3) float32, was (4,3) float32");
    mode.training = 1;
    CHECK(!exec_run(F, g, &x, &y, &mode, 2, &lookup) && !lookup.hit);
    CHECK_STR(lookup.reason, "training");
    hy__graph_programs(g, &programs, &bytes);
    CHECK(programs == 2 && bytes > 0);
    for (i = 1; i <= 40; i++) {                         /* the one that is used again and again stays */
        hy_array *z = hy_ones(F, HY_SHAPE(i, 5));
        CHECK(!exec_run(F, g, &z, &y, &mode, 4, &lookup) && !lookup.hit);
        CHECK(!exec_run(F, g, &x, &y, &mode, 4, &lookup) && lookup.hit);
        programs = 0;
        hy__graph_programs(g, &programs, &bytes);
        CHECK(programs <= 4);
    }
    hy_graph_free(F, g);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

/* What a graph and its programs took comes back with it, also when another frame ran it. */
static void exec_memory_comes_back(void)
{
    hy_frame *F = exec_open(1), *S, *fork = hy_fork(F);
    hy_array *x = hy_keep(F, hy_ones(F, HY_SHAPE(200, 200)));
    size_t before = 0, after;
    int i;
    for (i = 0; i < 4; i++) {
        hy_graph *g;
        S = hy_symbolic(F);
        g = hy_compile(S, exec_branches(S, hy_var(S, "x", NULL)));
        hy_begin(F);
        hy_begin(fork);
        if (!CHECK(hy_graph_run(F, g, x) && hy_graph_run(fork, g, x))) printf("    %s\n", hy_error(F));
        hy_end(fork);
        hy_end(F);
        hy_close(S);
        hy_graph_free(F, g);
        hy_trim(F);
        hy_trim(fork);
        after = hy_memory_use(F).bytes;
        if (i == 1) before = after;
        if (i > 1 && !CHECK(after < before + (size_t)(i - 1) * 2000))
            printf("    %ld bytes more\n", (long)(after - before));
    }
    hy_close(fork);
    CHECK(hy_close(F) == 0);
}

static void exec_steady_state_allocates_nothing(void)
{
    int threads;
    for (threads = 1; threads <= 4; threads += 3) {
        hy_frame *F = exec_open(threads), *S = hy_symbolic(F);
        hy_graph *g = hy_compile(S, exec_branches(S, hy_var(S, "x", NULL)));
        hy_array *a = hy_keep(F, hy_ones(F, HY_SHAPE(40, 40))), *b = hy_keep(F, hy_ones(F, HY_SHAPE(20, 20)));
        int64_t calls = 0;
        int i;
        for (i = 0; i < 20; i++) {
            if (i == 3) calls = hy_memory_use(F).calls;
            hy_begin(F);
            CHECK(hy_graph_run(F, g, a) && hy_graph_run(F, g, b) && hy_graph_run(F, g, a));
            hy_end(F);
        }
        CHECK(hy_memory_use(F).calls == calls);
        hy_close(S);
        CHECK(hy_close(F) == 0);
    }
}

/* --- early values --- */
static hy_graph *exec_early_graph(hy_frame *F, hy_array *w)
{
    hy_frame *S = hy_symbolic(F);
    hy_array *x = hy_var(S, "x", NULL), *a, *b;
    hy_graph *g;
    a = hy_transpose(S, hy_mul_scalar(S, w, 2), HY_AXES(1, 0));
    b = hy_reshape(S, hy_exp(S, hy_mul_scalar(S, w, 0)), HY_INTS(-1), NULL);
    g = hy_compile(S, hy_group(S, hy_dot(S, x, a, NULL), hy_sum(S, b, HY_ALL, NULL), hy_add_scalar(S, a, 1)));
    hy_close(S);
    return g;
}

static void exec_early_values_follow_writes(void)
{
    hy_frame *F = exec_open(1);
    hy_array *w = hy_keep(F, hy_ones(F, HY_SHAPE(3, 4))),
             *x = hy_keep(F, hy_ones(F, HY_SHAPE(2, 4))), *out[3];
    hy__mode mode = exec_mode(HY_PASS_FOLD);
    hy_graph *g = exec_early_graph(F, w);
    int64_t calls = 0;
    int i;
    for (i = 0; i < 12; i++) {
        hy_begin(F);
        if (i % 2) hy_fill(F, w, i);
        CHECK(!exec_run(F, g, &x, out, &mode, 0, NULL));
        if (!CHECK(!hy_error(F))) printf("    %s\n", hy_error(F));
        if (i == 0) CHECK(F->recent->program->plan.early > 0);
        CHECK(hy_value(F, out[0], 1, 2) == 8 * (i < 1 ? 1 : (i - 1) / 2 * 2 + 1));
        CHECK(hy_item(F, out[1]) == 12);
        CHECK(hy_value(F, out[2], 3, 1) == 1 + 2 * (i < 1 ? 1 : (i - 1) / 2 * 2 + 1));
        hy_end(F);
        if (i == 5) calls = hy_memory_use(F).calls;
    }
    CHECK(hy_memory_use(F).calls == calls);             /* not even when a parameter changes */
    CHECK(F->root->prepared.n > 0);
    hy_graph_free(F, g);
    CHECK(F->root->prepared.n == 0);
    CHECK(hy_close(F) == 0);
}

/* Folding takes in the values of captured arrays; when one changes, a new program takes the old one's place,
 * and its buffer, or asks for a larger one. */
static void exec_captured_array_changes(void)
{
    hy_frame *F = exec_open(1), *fork = hy_fork(F);
    hy_array *w = hy_keep(F, hy_ones(F, HY_SHAPE(3, 4))),
             *x = hy_keep(F, hy_ones(F, HY_SHAPE(2, 4))), *out[3];
    hy__mode mode = exec_mode(0);
    hy_graph *g = exec_early_graph(F, w);
    hy_plan_info info = hy__plan_info(F, g, &x, &mode);
    char *memory = (char *)malloc(info.total);
    hy__lookup lookup;
    size_t bytes = 0;
    int i, programs = 0, failed;
    CHECK(!hy__graph_bind(F, g, &x, &mode, memory, info.total));
    for (i = 1; i < 5; i++) {
        hy_begin(F);
        hy_fill(F, w, i);
        if (i == 3) {                   /* another frame may see it first */
            hy_begin(fork);
            CHECK(!exec_run(fork, g, &x, out, &mode, 0, NULL) && hy_value(fork, out[0], 1, 2) == 24);
            hy_end(fork);
        }
        failed = exec_run(F, g, &x, out, &mode, 0, &lookup);
        if (!lookup.hit) CHECK_STR(lookup.reason, "a captured array has changed");
        if (failed) {
            CHECK(hy_error(F) && strstr(hy_error(F), "plan and bind anew"));
            hy_clear(F);
            free(memory);
            info = hy__plan_info(F, g, &x, &mode);
            memory = (char *)malloc(info.total);
            CHECK(!hy__graph_bind(F, g, &x, &mode, memory, info.total));
            CHECK(!exec_run(F, g, &x, out, &mode, 0, NULL));
        }
        if (!CHECK(!hy_error(F))) printf("    %s\n", hy_error(F));
        CHECK(hy_value(F, out[0], 1, 2) == 8 * i && hy_value(F, out[2], 3, 1) == 1 + 2 * i);
        CHECK((char *)out[0]->t.data >= memory && (char *)out[0]->t.data < memory + info.total);
        hy_end(F);
    }
    hy__graph_programs(g, &programs, &bytes);
    CHECK(programs == 1);
    CHECK(hy_close(fork) == 0);
    CHECK(hy_close(F) == 0);
    free(memory);
}

/* Two frames and two signatures share what was prepared. */
static void exec_early_values_are_shared(void)
{
    hy_frame *F = exec_open(1), *fork = hy_fork(F);
    hy_array *w = hy_keep(F, hy_ones(F, HY_SHAPE(3, 4))), *x, *out[3];
    hy__mode mode = exec_mode(HY_PASS_FOLD);
    hy_graph *g = exec_early_graph(F, w);
    int i, n[3] = { 0, 0, 0 };
    for (i = 0; i < 3; i++) {
        hy_frame *on = i ? fork : F;
        x = hy_ones(on, HY_SHAPE(i < 2 ? 2 : 5, 4));
        CHECK(!exec_run(on, g, &x, out, &mode, 0, NULL));
        n[i] = F->root->prepared.n;
    }
    CHECK(n[0] > 0 && n[1] == n[0] && n[2] == n[0]);
    hy_close(fork);
    CHECK(hy_close(F) == 0);
}

/* A parameter of a block, changed, given another shape and taken away. */
static hy_array *exec_no_forward(hy_frame *F, hy_block *self, hy_array *x) { (void)F; (void)self; return x; }

static void exec_parameters(void)
{
    hy_frame *F = exec_open(1), *S;
    hy_block *block = hy_block_new(F, sizeof(hy_block), "holder", exec_no_forward, 1);
    hy_array *w = hy_add_param(F, block, "weight", HY_SHAPE(3, 4), NULL), *y, *out[3];
    hy_array *x = hy_ones(F, HY_SHAPE(2, 4));
    hy__mode mode = exec_mode(0);
    hy__lookup lookup;
    hy_graph *g;
    hy_collect_params(F, block, NULL);
    S = hy_symbolic(F);
    y = hy_transpose(S, hy_mul_scalar(S, w, 2), HY_AXES(1, 0));
    y = hy_dot(S, hy_var(S, "x", NULL), y, NULL);
    g = hy_compile(S, hy_group(S, y, hy_identity(S, w)));
    if (!CHECK(g)) printf("    %s\n", hy_error(S));
    CHECK(exec_run(F, g, &x, out, &mode, 0, &lookup) == -1);
    CHECK(hy_error(F) && strstr(hy_error(F), "has not been initialized"));
    hy_clear(F);
    hy_initialize(F, block, NULL);
    hy_fill(F, w, 1);
    CHECK(!exec_run(F, g, &x, out, &mode, 0, &lookup) && hy_value(F, out[1], 2, 3) == 1);
    CHECK(hy_value(F, out[0], 1, 1) == 8 && F->recent->program->plan.early > 0);
    CHECK(!exec_run(F, g, &x, out, &mode, 0, &lookup) && lookup.hit);
    hy_assign(F, w, hy_scalar(F, 3));
    CHECK(!exec_run(F, g, &x, out, &mode, 0, &lookup) && lookup.hit);
    CHECK(hy_value(F, out[0], 1, 1) == 24);
    if (!CHECK(!hy_error(F))) printf("    %s\n", hy_error(F));
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

/* --- jobs kept line by line --- */
/* They are known by their attributes: whatever lies unused in a record counts for nothing. */
static void exec_kept_jobs(void)
{
    hy_frame *F = exec_open(1);
    hy_array *x = hy_keep(F, hy_ones(F, HY_SHAPE(3, 5)));
    const hy_op *op = F->root->ops[HY_OP_sum];
    hy__reduce_rec rec;
    int i, kept = 0;
    for (i = 0; i < 8; i++) {
        hy_begin(F);
        memset(&rec, i, sizeof rec);    /* behind n, between fields */
        rec.axis.n = 1;
        rec.axis.v[0] = 1;
        rec.keepdims = rec.exclude = 0;
        CHECK(hy_value(F, hy_emit(F, op, 1, &x, &rec), 2) == 5);
        if (i == 1) kept = F->bound_jobs.n;
        hy_end(F);
    }
    CHECK(kept == 1 && F->bound_jobs.n == 1);
    CHECK(!hy_error(F));
    CHECK(hy_close(F) == 0);
}

/* --- sizes that cannot be addressed --- */
static void exec_sizes_out_of_reach(void)
{
    hy_frame *F = exec_open(1), *S = hy_symbolic(F);
    hy_array *x = hy_ones(F, HY_SHAPE(4, 4));
    hy_graph *g = hy_compile(S, hy_tile(S, hy_var(S, "x", NULL), HY_INTS(1 << 30, 1 << 30)));
    hy_type in = x->t.type, out;
    CHECK(hy_graph_infer(F, g, &in, &out) == 1 && !hy_error(F));           /* they may be asked about */
    CHECK(out.shape.ndim == 2 && out.shape.dim[0] == (int64_t)1 << 32);
    CHECK(!hy_graph_run(F, g, x) && hy_error(F) && strstr(hy_error(F), "compiled graph"));
    hy_clear(F);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

/* --- running statistics, random numbers, faults --- */
/* What a program in training would change must be something that can change. */
static void exec_statistics_that_cannot_be_written(void)
{
    int k;
    for (k = 0; k < 3; k++) {
        hy_frame *F = exec_open(1), *S = hy_symbolic(F);
        hy_array *one = hy_ones(F, HY_SHAPE(2)), *wide = hy_ones(F, HY_SHAPE(2, 3)), *y;
        hy_array *x = hy_var(S, "x", NULL), *mean = k < 2 ? hy_var(S, "mean", NULL) : hy_view_index(F, wide, 1, 0);
        hy_graph *g;
        if (k == 1) mean = hy_mul_scalar(S, mean, 2);
        g = hy_compile(S, hy_batch_norm(S, x, one, one, mean, one, NULL));
        x = hy_ones(F, HY_SHAPE(4, 2));
        if (k < 2) x = hy_group(F, x, hy_ones(F, HY_SHAPE(2)));
        if (k == 1) CHECK(!g && hy_error(S) && strstr(hy_error(S), "Mutation target can only be Variable"));
        else CHECK(hy_graph_run(F, g, x) != NULL);      /* only training changes them */
        hy_set_training(F, 1);
        y = g ? hy_graph_run(F, g, x) : NULL;
        if (!k) CHECK(y != NULL);
        else if (k == 2) CHECK(!y && hy_error(F) && strstr(hy_error(F), "strided view"));
        hy_clear(F);
        hy_close(S);
        CHECK(hy_close(F) == 0);
    }
}

static hy_array *exec_norm(hy_frame *F, hy_array *const *v)
{
    hy_array *y = hy_batch_norm(F, v[0], v[1], v[2], v[3], v[4], NULL), *z = hy_tanh(F, y);
    return hy_batch_norm(F, z, v[1], v[2], v[3], v[4], NULL);        /* the same statistics once more */
}

static void exec_running_statistics(void)
{
    hy_frame *F = exec_open(4), *S = hy_symbolic(F);
    static const char *const names[] = { "x", "gamma", "beta", "mean", "var" };
    hy_array *v[5], *a[5], *b[5], *y, *out;
    hy__mode mode = exec_mode(0);
    hy_graph *g;
    int i, round;
    for (i = 0; i < 5; i++) v[i] = hy_var(S, names[i], NULL);
    g = hy_compile(S, exec_norm(S, v));
    for (i = 0; i < 5; i++) {
        a[i] = i ? hy_full(F, HY_SHAPE(3), i == 1 || i == 4)
            : hy_reshape(F, hy_arange(F, 0, 60, 1), HY_INTS(20, 3), NULL);
        b[i] = hy_copy(F, a[i]);
    }
    mode.training = 1;
    for (round = 0; round < 3; round++) {
        F->training = 1;
        y = exec_norm(F, a);
        F->training = 0;
        CHECK(!exec_run(F, g, b, &out, &mode, 0, NULL));
        if (!CHECK(!hy_error(F))) printf("    %s\n", hy_error(F));
        CHECK(exec_same(F, out, y) && exec_same(F, a[3], b[3]) && exec_same(F, a[4], b[4]));
        CHECK(hy_value(F, b[3], 0) != 0);
    }
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static hy_array *exec_noise(hy_frame *F, hy_array *x)
{
    hy_array *a = hy_uniform_like(F, x, 0, 1), *b = hy_normal_like(F, x, 0, 1);
    a = hy_add(F, a, b);
    return hy_add(F, a, hy_uniform_like(F, x, 0, 1));
}

static void exec_random_numbers(void)
{
    hy_frame *F = exec_open(4), *S = hy_symbolic(F);
    hy_graph *g = hy_compile(S, exec_noise(S, hy_var(S, "x", NULL)));
    hy_array *x = hy_ones(F, HY_SHAPE(30, 30)), *first[4], *second[4];
    int i;
    hy_seed(F, 7);
    for (i = 0; i < 4; i++) first[i] = exec_noise(F, x);
    hy_seed(F, 7);
    for (i = 0; i < 4; i++) second[i] = i % 2 ? exec_noise(F, x) : hy_graph_run(F, g, x);
    for (i = 0; i < 4; i++) CHECK(exec_same(F, first[i], second[i]));
    if (!CHECK(!hy_error(F))) printf("    %s\n", hy_error(F));
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static hy_array *exec_takes(hy_frame *S, hy_array *x)
{
    hy_array *index = hy_var(S, "index", NULL), *bad = hy_var(S, "bad", NULL), *y[6];
    hy_take_opt opt;
    int i;
    memset(&opt, 0, sizeof opt);
    opt.mode = HY_INDEX_RAISE;
    for (i = 0; i < 6; i++) {
        y[i] = hy_tanh(S, hy_mul_scalar(S, x, i + 1));
        y[i] = hy_take(S, y[i], i >= 2 ? bad : index, 0, &opt);
        hy_named(S, y[i], i == 2 ? "culprit" : i == 3 ? "second" : "other");
    }
    return hy_concat(S, hy_group_of(S, 6, y), 0);
}

/* Whoever runs what, the first node of the graph is blamed; afterwards all is as before. */
static void exec_faults(void)
{
    int threads;
    for (threads = 1; threads <= 4; threads++) {
        hy_frame *F = exec_open(threads), *S = hy_symbolic(F);
        hy_array *x = hy_var(S, "x", NULL);
        hy_graph *g = hy_compile(S, exec_takes(S, x));
        hy_array *one = hy_ones(F, HY_SHAPE(50, 4)), *good = hy_zeros(F, HY_SHAPE(9));
        hy_array *bad = hy_full(F, HY_SHAPE(9), 77);
        int i;
        if (!CHECK(g)) printf("    %s\n", hy_error(S));
        for (i = 0; i < 5; i++) {
            hy_begin(F);
            CHECK(!hy_graph_run(F, g, hy_group(F, one, good, bad)));
            if (!CHECK(hy_error(F) && strstr(hy_error(F), "Error in operator culprit, take: ")))
                printf("    %s\n", hy_error(F));
            hy_clear(F);
            CHECK(hy_graph_run(F, g, hy_group(F, one, good, good)) != NULL);
            hy_end(F);
        }
        hy_close(S);
        CHECK(hy_close(F) == 0);
    }
}

/* --- shapes that values decide --- */
static void exec_dynamic(void)
{
    hy_frame *F = exec_open(1), *S = hy_symbolic(F);
    hy_array *x = hy_var(S, "x", NULL), *m = hy_var(S, "mask", NULL), *z, *one;
    hy_array *y = hy_tanh(S, hy_mul_scalar(S, x, 0));
    hy_graph *g;
    hy_plan_info info;
    int i, k;
    z = hy_boolean_mask(S, hy_add_scalar(S, y, 3), m, 0);
    z = hy_split(S, hy_mul_scalar(S, z, 2), 2, 1, NULL);
    g = hy_compile(S, hy_group(S, hy_get(S, z, 1), y, x, hy_sum(S, hy_get(S, z, 0), HY_ALL, NULL)));
    if (!CHECK(g)) printf("    %s\n", hy_error(S));
    one = hy_keep(F, hy_ones(F, HY_SHAPE(5, 4)));
    for (i = 0; i < 8; i++) {
        int live;
        hy_begin(F);
        m = hy_zeros(F, HY_SHAPE(5));
        for (k = 0; k < i % 6; k++) hy_set_value(F, m, 1, k);
        live = F->live.n;
        y = hy_graph_run(F, g, hy_group(F, one, m));
        if (!CHECK(y)) printf("    %s\n", hy_error(F));
        CHECK(F->live.n <= live + 8);                   /* results and groups, not what lay between */
        CHECK(hy_dim(F, hy_get(F, y, 0), 0) == i % 6 && hy_get(F, y, 2) == one);
        CHECK(hy_item(F, hy_get(F, y, 3)) == i % 6 * 2 * 6);
        hy_end(F);
    }
    hy_begin(F);
    m = hy_ones(F, HY_SHAPE(5));
    info = hy_graph_plan(F, g, hy_group(F, one, m));
    CHECK(info.dynamic && !hy_error(F));
    {
        hy_array *in[2];
        hy__mode mode = exec_mode(0);
        char room[64];
        in[0] = one;
        in[1] = m;
        CHECK(hy__graph_bind(F, g, in, &mode, room, sizeof room) && strstr(hy_error(F), "values decide"));
        hy_clear(F);
    }
    hy_end(F);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

/* What stands between operators that must see values is planned: fused, and with memory of its own. */
typedef struct exec_sections { hy_block base; hy_array *w; int links; } exec_sections;

static hy_array *exec_sections_forward(hy_frame *F, hy_block *self, hy_array *in)
{
    exec_sections *b = (exec_sections *)(void *)self;
    hy_array *x = hy_get(F, in, 0), *m = hy_get(F, in, 1), *first, *sum = NULL, *pair;
    int i;
    first = hy_tanh(F, hy_add_scalar(F, hy_mul(F, x, b->w), 1));
    x = first;
    for (i = 0; i < b->links; i++) {
        pair = hy_split(F, hy_relu(F, hy_add_scalar(F, x, 0.5)), 2, 1, NULL);
        x = hy_boolean_mask(F, hy_concat(F, pair, 1), m, 0);
        m = hy_boolean_mask(F, m, m, 0);
        x = hy_dropout(F, hy_sigmoid(F, hy_mul_scalar(F, hy_mul(F, x, b->w), 2)), 0.25, NULL);
        pair = hy_sum(F, hy_get(F, pair, 1), HY_ALL, NULL);     /* of what was before the cut */
        sum = sum ? hy_add(F, sum, pair) : pair;
    }
    return hy_group(F, x, hy_add(F, hy_sum(F, first, HY_ALL, NULL), sum), m, b->w, first);
}

static exec_sections *exec_sections_block(hy_frame *F, int links)
{
    exec_sections *b = HY_BLOCK_NEW(F, exec_sections, exec_sections_forward);
    hy_param_opt opt;
    memset(&opt, 0, sizeof opt);
    opt.init = hy_init_constant(0.75);
    b->links = links;
    b->w = hy_add_param(F, &b->base, "w", HY_SHAPE(4), &opt);
    hy_initialize(F, &b->base, NULL);
    return b;
}

static void exec_between_values(void)
{
    hy_frame *F = exec_open(2);
    static const int links[] = { 1, 2, 40 };
    int l, i, k, n, train;
    for (l = 0; l < 3; l++) {
        exec_sections *plain = exec_sections_block(F, links[l]), *fast = exec_sections_block(F, links[l]);
        hy_hybridize_opt opt;
        memset(&opt, 0, sizeof opt);
        opt.exact = 1;
        hy_hybridize(F, &fast->base, &opt);
        for (i = 0; i < 8; i++) {
            hy_array *x, *m, *want, *got;
            hy_begin(F);
            train = i >= 4;
            x = hy_uniform(F, HY_SHAPE(6, 4), -1, 1);
            m = hy_zeros(F, HY_SHAPE(6));
            for (k = 0; k < i % 4 * 2; k++) hy_set_value(F, m, 1, k);
            hy_attach_grad(F, x, HY_GRAD_WRITE);
            for (k = 0, want = got = NULL; k < 2; k++) {
                exec_sections *b = k ? fast : plain;
                hy_array *y;
                hy_seed(F, 5);
                if (train) hy_record(F);
                y = hy_call(F, &b->base, hy_group(F, x, m));
                if (train) {
                    hy_array *head = hy_sum(F, hy_get(F, y, 0), HY_ALL, NULL);
                    hy_pause(F);
                    hy_backward(F, hy_group(F, head, hy_get(F, y, 1)), NULL);
                    y = hy_group(F, hy_get(F, y, 0), hy_get(F, y, 1), hy_get(F, y, 2), hy_get(F, y, 3),
                                 hy_copy(F, hy_grad_of(F, x)), hy_copy(F, hy_grad_of(F, b->w)));
                }
                if (k) got = y; else want = y;
            }
            if (!CHECK(!hy_error(F))) { printf("    %s\n", hy_error(F)); hy_clear(F); }
            n = got && want ? hy_count(F, got) : 0;
            CHECK(n == 5 + train);
            for (k = 0; k < n; k++) {
                hy_array *a = hy_get(F, want, k), *b = hy_get(F, got, k);
                double worst = hy_size(F, a) == hy_size(F, b) ? 0 : 9;
                if (!worst && hy_size(F, a))
                    worst = hy_item(F, hy_max(F, hy_abs(F, hy_sub(F, a, b)), HY_ALL, NULL));
                if (!CHECK(worst <= (k < 4 ? 0 : 1e-6))) printf("    links %d, round %d, output %d: %g\n",
                                                                links[l], i, k, worst);
            }
            hy_end(F);
        }
        if (l != 1) continue;
        hy_begin(F);
        {
            hy_array *in = hy_group(F, hy_ones(F, HY_SHAPE(6, 4)), hy_ones(F, HY_SHAPE(6)));
            hy_memory before, after;
            hy_event e;
            hy_profile(F, "");
            hy_call(F, &fast->base, in);
            hy_profile(F, NULL);
            for (i = k = 0; !hy_profile_event(F, i, &e); i++)
                k += e.kind == HY_EVENT_JOB && !strncmp(e.what, "_fused", 6);
            CHECK(k >= 3);                                      /* before, between and behind the cuts */
            before = hy_memory_use(F);
            for (i = 0; i < 50; i++) { hy_begin(F); hy_call(F, &fast->base, in); hy_end(F); }
            after = hy_memory_use(F);
            CHECK(after.bytes == before.bytes && after.calls == before.calls);
        }
        hy_end(F);
    }
    CHECK(hy_close(F) == 0);
}

/* --- weights laid out before --- */
typedef struct exec_dense { hy_block base; hy_array *w, *b; int units, kind, last; } exec_dense;

static hy_array *exec_dense_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    exec_dense *d = (exec_dense *)(void *)self;
    hy_fully_connected_opt full;
    hy_dot_opt dot;
    memset(&full, 0, sizeof full);
    memset(&dot, 0, sizeof dot);
    full.no_flatten = d->last;
    full.no_bias = !d->b;
    dot.transpose_b = d->kind == 2;
    if (d->kind) return hy_dot(F, x, d->w, &dot);
    return hy_fully_connected(F, x, d->w, d->b, d->units, &full);
}

/* kind: 0 fully connected, 1 dot, 2 dot with a transposed weight. */
static exec_dense *exec_dense_block(hy_frame *F, int kind, int units, int depth, hy_dtype dtype)
{
    exec_dense *d = HY_BLOCK_NEW(F, exec_dense, exec_dense_forward);
    hy_param_opt opt;
    memset(&opt, 0, sizeof opt);
    opt.dtype = dtype;
    opt.init = hy_init_uniform(1);
    d->kind = kind;
    d->units = units;
    d->w = hy_add_param(F, &d->base, "w", kind == 1 ? HY_SHAPE(depth, units) : HY_SHAPE(units, depth), &opt);
    if (kind == 0 && units % 3) d->b = hy_add_param(F, &d->base, "b", HY_SHAPE(units), &opt);
    hy_initialize(F, &d->base, NULL);
    return d;
}

/* The largest distance from the product in doubles, in units of what rounding may do. */
static TEST_HOT double exec_dense_error(hy_frame *F, const exec_dense *d, hy_array *x, hy_array *y)
{
    int64_t rows = hy_size(F, y) / d->units, depth = hy_size(F, d->w) / d->units, i, j, k;
    hy_array *a, *w, *b, *c;
    double worst = 0;
    hy_begin(F);
    a = hy_cast(F, x, HY_F64);
    w = hy_cast(F, d->w, HY_F64);
    b = d->b ? hy_cast(F, d->b, HY_F64) : NULL;
    c = hy_cast(F, y, HY_F64);
    for (i = 0; i < rows && !hy_error(F); i++)
        for (j = 0; j < d->units; j++) {
            const double *av = (const double *)hy_data(F, a) + i * depth, *wv = (const double *)hy_data(F, w);
            double sum = b ? ((const double *)hy_data(F, b))[j] : 0, size = 1e-3 + fabs(sum), error;
            for (k = 0; k < depth; k++) {
                double t = av[k] * (d->kind == 1 ? wv[k * d->units + j] : wv[j * depth + k]);
                sum += t;
                size += fabs(t);
            }
            error = fabs(sum - ((const double *)hy_data(F, c))[i * d->units + j]) / size;
            if (!(error <= worst)) worst = error;
        }
    hy_end(F);
    return worst;
}

static void exec_prepared_case(hy_frame *F, int kind, int rows, int units, int depth, hy_dtype dtype, int cut)
{
    static const double most[] = { 3e-6, 2e-3, 1.2e-2 };
    exec_dense *d = exec_dense_block(F, kind, units, depth, dtype);
    hy_hybridize_opt opt;
    hy_array *x, *want, *got;
    double error;
    int exact;
    hy_begin(F);
    d->last = cut && kind == 0;
    x = hy_uniform(F, cut ? (d->last || kind ? HY_SHAPE(rows, 1, depth) : HY_SHAPE(rows, depth, 1))
                          : HY_SHAPE(rows, depth), -1, 1);
    x = hy_cast(F, x, dtype);
    want = hy_call(F, &d->base, x);
    for (exact = 0; exact < 2; exact++) {
        memset(&opt, 0, sizeof opt);
        opt.exact = exact;
        hy_hybridize(F, &d->base, &opt);
        got = hy_call(F, &d->base, x);
        error = got ? exec_dense_error(F, d, x, got) : 9;
        if (!CHECK(error <= most[dtype == HY_F16 ? 1 : dtype == HY_BF16 ? 2 : 0]))
            printf("    kind %d, (%d,%d) x %d, dtype %d, exact %d: %g %s\n", kind, rows, depth, units,
                   (int)dtype, exact, error, hy_error(F) ? hy_error(F) : "");
        if (exact) CHECK(exec_same(F, want, got));
    }
    hy_end(F);
    hy_block_free(F, &d->base);
}

static void exec_prepared_weights(void)
{
    static const int rows[] = { 1, 2, 3, 4, 7, 16, 49, 100 }, units[] = { 5, 15, 16, 33, 63, 64, 65, 130 };
    static const int depths[] = { 1, 2, 15, 17, 300, 513 };
    static const hy_dtype types[] = { HY_F32, HY_F16, HY_BF16 };
    int isa, i, n = 0;
    for (isa = HY_ISA_BASE; isa <= HY_ISA_AVX512_BF16; isa++) {
        hy_desc desc;
        hy_frame *F;
        memset(&desc, 0, sizeof desc);
        desc.isa = isa;
        desc.threads = 1 + isa;
        F = hy_open(&desc);
        for (i = 0; i < 8 * 8 * 6; i++, n++)
            exec_prepared_case(F, n % 3, rows[i % 8], units[i / 8 % 8], depths[i / 64], n % 5 ? HY_F32
                               : types[n / 5 % 3], n % 7 == 0);
        CHECK(hy_close(F) == 0);
    }
}

/* x w^T with more rows than dot products take and fewer than the weight: the product is that of w x^T. */
static void exec_turned_products(void)
{
    static const int rows[] = { 49, 61, 64, 95, 131 }, units[] = { 130, 157, 256 };
    static const int depths[] = { 203, 300, 513 };
    int isa, i;
    for (isa = HY_ISA_BASE; isa <= HY_ISA_AVX512; isa++) {
        hy_desc desc;
        hy_frame *F;
        memset(&desc, 0, sizeof desc);
        desc.isa = isa;
        desc.threads = 1 + isa;
        F = hy_open(&desc);
        for (i = 0; i < 5 * 3 * 3; i += 2)
            exec_prepared_case(F, i % 4 ? 0 : 2, rows[i % 5], units[i / 5 % 3], depths[i / 15],
                               i % 7 == 3 ? HY_F64 : HY_F32, i % 11 == 0);
        CHECK(hy_close(F) == 0);
    }
}

/* Gradients of weights: both operands have the sums' dim first, and blocks of rows and columns are cut. */
static void exec_weight_gradients(void)
{
    static const int rows[] = { 29, 127, 130, 256 }, columns[] = { 509, 512, 600 }, depths[] = { 3, 64, 67 };
    int isa, i;
    for (isa = HY_ISA_BASE; isa <= HY_ISA_AVX512; isa++) {
        hy_desc desc;
        hy_frame *F;
        memset(&desc, 0, sizeof desc);
        desc.isa = isa;
        desc.threads = 1 + isa;
        F = hy_open(&desc);
        for (i = 0; i < 4 * 3 * 3; i++) {
            hy_dot_opt left = { 1, 0 };
            hy_array *a, *b, *got, *want;
            hy_begin(F);
            a = hy_uniform(F, HY_SHAPE(depths[i / 12], rows[i % 4]), -1, 1);
            b = hy_uniform(F, HY_SHAPE(depths[i / 12], columns[i / 4 % 3]), -1, 1);
            got = hy_cast(F, hy_dot(F, a, b, &left), HY_F64);
            a = hy_transpose(F, hy_cast(F, a, HY_F64), HY_AXES(1, 0));
            want = hy_dot(F, a, hy_cast(F, b, HY_F64), NULL);
            CHECK(hy_item(F, hy_max(F, hy_abs(F, hy_sub(F, got, want)), HY_ALL, NULL)) < 1e-5);
            hy_end(F);
        }
        CHECK(hy_close(F) == 0);
    }
}

/* Processors that multiply bf16 in pairs: any operand may be turned, matrices may lie row by row among one another,
   and an odd number of steps has no last pair. */
static hy_array *exec_of_bf16(hy_frame *F, int kind, hy_array *a, hy_array *b, hy_dtype dtype)
{
    hy_dot_opt dot = { kind & 1, kind >> 1 & 1 };
    hy_linalg_gemm2_opt opt;
    memset(&opt, 0, sizeof opt);
    a = hy_cast(F, a, dtype);
    b = hy_cast(F, b, dtype);
    if (kind < 4) return hy_cast(F, hy_dot(F, a, b, &dot), HY_F64);
    opt.transpose_a = kind & 1;
    opt.transpose_b = kind >> 1 & 1;
    opt.axis = kind < 8 ? -2 : -3;
    return hy_cast(F, hy_linalg_gemm2(F, a, b, &opt), HY_F64);
}

static hy_shape exec_pair_shape(int kind, int turned, int rows, int cols)
{
    const int first = turned ? cols : rows, last = turned ? rows : cols;
    hy_shape s;
    memset(&s, 0, sizeof s);
    s.ndim = kind < 4 ? 2 : 3;
    s.dim[0] = kind < 4 || kind > 7 ? first : 3;
    s.dim[1] = kind < 4 ? last : kind > 7 ? 3 : first;
    if (kind >= 4) s.dim[2] = last;
    return s;
}

static void exec_pairs(void)
{
    static const int rows[] = { 1, 2, 6, 13, 49, 100 }, units[] = { 1, 4, 5, 16, 63, 130 }, depths[] = { 1, 2, 7, 32, 66, 1026 };
    hy_frame *F = hy_open(NULL);
    int i, kind;
    for (i = 0; i < 6 * 6 * 6; i++)
        for (kind = i % 4; kind < 12; kind += 4) {
            const int m = rows[i % 6], n = units[i / 6 % 6], k = depths[i / 36];
            hy_array *a, *b, *got, *want;
            double most, error;
            hy_begin(F);
            a = hy_cast(F, hy_uniform(F, exec_pair_shape(kind, kind & 1, m, k), -1, 1), HY_BF16);
            b = hy_cast(F, hy_uniform(F, exec_pair_shape(kind, kind & 2, k, n), -1, 1), HY_BF16);
            got = exec_of_bf16(F, kind, a, b, HY_BF16);
            want = exec_of_bf16(F, kind, a, b, HY_F64);
            most = hy_item(F, hy_max(F, hy_abs(F, want), HY_ALL, NULL)) / 200 + 1e-5;
            error = hy_item(F, hy_max(F, hy_abs(F, hy_sub(F, got, want)), HY_ALL, NULL));
            if (!CHECK(error <= most))
                printf("    kind %d, (%d,%d) x %d: %g %s\n", kind, m, k, n, error, hy_error(F) ? hy_error(F) : "");
            hy_clear(F);
            hy_end(F);
        }
    CHECK(hy_close(F) == 0);
}

/* Sums that are no numbers stay so, and data may begin at any even address. */
static void exec_pairs_of_lent_memory(void)
{
    static uint16_t room[2 * 64 + 1];
    hy_frame *F = hy_open(NULL);
    hy_fully_connected_opt opt;
    hy_array *x, *w, *y;
    int i;
    memset(&opt, 0, sizeof opt);
    opt.no_bias = 1;
    for (i = 0; i < 128; i++) room[1 + i] = 0x3f80;                             /* 1 */
    room[1 + 64 + 5] = 0x7fc0;                                                  /* NaN */
    x = hy_borrow(F, HY_SHAPE(2, 64), HY_BF16, room + 1);
    w = hy_cast(F, hy_mul_scalar(F, hy_ones(F, HY_SHAPE(5, 64)), 3), HY_BF16);
    y = hy_cast(F, hy_fully_connected(F, x, w, NULL, 5, &opt), HY_F32);
    for (i = 0; i < 5; i++) CHECK(hy_value(F, y, 0, i) == 192 && isnan(hy_value(F, y, 1, i)));
    room[1 + 5] = 0x7f80;                                                       /* infinity */
    y = hy_cast(F, hy_fully_connected(F, x, w, NULL, 5, &opt), HY_F32);
    for (i = 0; i < 5; i++) CHECK(isinf(hy_value(F, y, 0, i)));
    CHECK(hy_close(F) == 0);
}

#ifndef HYBRID_NO_RNN
/* Recurrent operators have their weights packed once, for all lengths and sizes of a batch: the same bits. */
typedef struct exec_rnn { hy_block base; hy_array *w; int units, layers, mode; hy_rnn_opt opt; } exec_rnn;
static hy_array *exec_rnn_forward(hy_frame *F, hy_block *self, hy_array *g)
{
    exec_rnn *b = (exec_rnn *)self;
    return hy_rnn(F, hy_get(F, g, 0), b->w, hy_get(F, g, 1), b->mode == HY_RNN_LSTM ? hy_get(F, g, 2) : NULL,
                  b->opt.use_sequence_length ? hy_get(F, g, 3) : NULL, b->units, b->layers, b->mode, &b->opt);
}

static exec_rnn *exec_rnn_new(hy_frame *F, int kind, int input, hy_dtype dtype)
{
    exec_rnn *b = HY_BLOCK_NEW(F, exec_rnn, exec_rnn_forward);
    int project, gates, width, directions, n;
    hy_param_opt opt;
    b->mode = kind % 4;
    b->layers = 1 + kind / 4 % 3;
    b->units = kind % 5 == 4 ? 1 : 3 + 10 * (kind % 5);
    b->opt.bidirectional = kind / 3 % 2;
    b->opt.state_outputs = kind / 2 % 2;
    b->opt.use_sequence_length = kind % 3 == 1;
    b->opt.projection_size = project = b->mode == HY_RNN_LSTM && kind % 8 > 3 ? 7 : 0;
    b->opt.p = 0.5;
    directions = 1 + b->opt.bidirectional;
    width = project ? project : b->units;
    gates = (b->mode == HY_RNN_LSTM ? 4 : b->mode == HY_RNN_GRU ? 3 : 1) * b->units;
    n = directions * (gates * (input + width + 2) + project * b->units);
    n += (b->layers - 1) * directions * (gates * (directions * width + width + 2) + project * b->units);
    memset(&opt, 0, sizeof opt);
    opt.dtype = dtype;
    opt.init = hy_init_uniform(0.5);
    b->w = hy_add_param(F, &b->base, "w", HY_SHAPE(n), &opt);
    hy_initialize(F, &b->base, NULL);
    return b;
}

static hy_array *exec_rnn_inputs(hy_frame *F, const exec_rnn *b, int steps, int batch, int input, hy_dtype dtype)
{
    int states = b->layers * (1 + b->opt.bidirectional);
    hy_array *x[4];
    int i;
    x[0] = hy_uniform(F, HY_SHAPE(steps, batch, input), -1, 1);
    x[1] = hy_uniform(F, HY_SHAPE(states, batch, b->opt.projection_size ? b->opt.projection_size : b->units), -1, 1);
    x[2] = hy_uniform(F, HY_SHAPE(states, batch, b->units), -1, 1);
    for (i = 0; i < 3; i++) x[i] = hy_cast(F, x[i], dtype);
    x[3] = hy_cast(F, hy_randint(F, HY_SHAPE(batch), 1, steps + 1), dtype);
    return hy_group_of(F, 4, x);
}

static void exec_rnn_case(hy_frame *F, int kind, int input, hy_dtype dtype)
{
    static const int steps[] = { 4, 6 }, batches[] = { 1, 3, 4, 26 };
    exec_rnn *b = exec_rnn_new(F, kind, input, dtype);
    hy_array *g[8], *want[8][2], *got;
    int i, round, k;
    hy_begin(F);
    for (i = 0; i < 8; i++) g[i] = exec_rnn_inputs(F, b, steps[i % 2], batches[i / 2], input, dtype);
    for (round = 0; round < 2; round++) {
        for (i = 0; i < 8; i++) want[i][round] = hy_call(F, &b->base, g[i]);
        if (!round) hy_assign(F, b->w, hy_negative(F, b->w));
    }
    hy_assign(F, b->w, hy_negative(F, b->w));
    hy_hybridize(F, &b->base, NULL);
    for (round = 0; round < 2; round++) {
        for (i = 0; i < 16; i++) {
            got = hy_call(F, &b->base, g[i / 2]);
            for (k = 0; k < hy_count(F, want[i / 2][round]); k++)
                if (!CHECK(exec_same(F, hy_get(F, want[i / 2][round], k), hy_get(F, got, k))))
                    printf("    kind %d, (%d,%d,%d), dtype %d: %s\n", kind, steps[i / 2 % 2], batches[i / 4], input,
                           (int)dtype, hy_error(F) ? hy_error(F) : "");
        }
        if (!round) hy_assign(F, b->w, hy_negative(F, b->w));
    }
    hy_end(F);
    hy_block_free(F, &b->base);
}

static void exec_packed_rnn(void)
{
    static const hy_dtype types[] = { HY_F32, HY_F64, HY_F32, HY_F16 };
    static const int inputs[] = { 1, 5, 40 };
    int isa, kind;
    for (isa = HY_ISA_BASE; isa <= HY_ISA_AVX512; isa++) {
        hy_desc desc;
        hy_frame *F;
        memset(&desc, 0, sizeof desc);
        desc.isa = isa;
        desc.threads = isa;
        F = hy_open(&desc);
        for (kind = isa % 2; kind < 24; kind += 2)
            exec_rnn_case(F, kind, inputs[kind % 3], types[(kind / 2 + isa) % 4]);
        OK(F);
        CHECK(hy_close(F) == 0);
    }
}

/* Lengths and batches share what was packed. */
static void exec_packed_rnn_is_shared(void)
{
    hy_frame *F = exec_open(1);
    exec_rnn *b = exec_rnn_new(F, 2, 5, HY_F32);
    hy_array *g;
    int i, n = 0;
    b->opt.use_sequence_length = 0;
    hy_hybridize(F, &b->base, NULL);
    for (i = 0; i < 20; i++) {
        g = exec_rnn_inputs(F, b, 5 + i % 4, 6 + i / 4 * 6, 5, HY_F32);
        hy_call(F, &b->base, g);
        if (i == 0) n = F->root->prepared.n;
#ifndef HYBRID_USE_CBLAS                /* which reads weights as they lie */
        CHECK(n > 0);
#endif
        CHECK(F->root->prepared.n == n);
    }
    OK(F);
    CHECK(hy_close(F) == 0);
}
#endif

/* What is handed out has none: it has a gradient and a form in files, and refuses other inputs. */
static void exec_prepared_stays_inside(void)
{
    hy_frame *F = exec_open(1), *S = hy_symbolic(F);
    exec_dense *d = exec_dense_block(F, 0, 100, 50, HY_F32);
    hy_array *x = hy_ones(F, HY_SHAPE(3, 50)), *y, *text;
    hy_graph *g = hy_compile(S, hy_call(S, &d->base, hy_var(S, "data", NULL))), *o;
    o = hy_optimize(F, g, x, NULL);
    hy_attach_grad(F, d->w, HY_GRAD_WRITE);
    hy_record(F);
    y = hy_graph_run(F, o, x);
    hy_pause(F);
    hy_backward(F, y, NULL);
    CHECK(!hy_error(F) && hy_value(F, hy_grad_of(F, d->w), 0, 0) == 3);
    text = hy_symbol_to(F, o);
    CHECK(text && hy_symbol_from(F, (const char *)hy_data(F, text), (size_t)hy_size(F, text)));
    o = hy_graph_planned(F, g, x);
    CHECK(o && !hy_error(F));
    CHECK(!hy_graph_run(F, o, hy_ones(F, HY_SHAPE(3, 20))) && strstr(hy_error(F), "20"));
    hy_clear(F);
    CHECK(!hy_graph_run(F, o, hy_cast(F, x, HY_F64)) && hy_error(F));
    hy_clear(F);
    CHECK(exec_dense_error(F, d, x, hy_graph_run(F, o, x)) < 1e-6);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

/* Such programs count their sections, and say how they were found. */
static void exec_sections_count(void)
{
    hy_frame *F = exec_open(1);
    int recorded, i;
    for (recorded = 0; recorded < 2; recorded++) {
        exec_sections *b = exec_sections_block(F, 2);
        hy_cache_stats stats;
        hy_hybridize(F, &b->base, NULL);
        for (i = 0; i < 4; i++) {
            hy_begin(F);
            if (recorded) hy_record(F);
            hy_call(F, &b->base, hy_group(F, hy_ones(F, HY_SHAPE(4 + i / 2, 4)), hy_ones(F, HY_SHAPE(4 + i / 2))));
            if (recorded) hy_pause(F);
            hy_end(F);
        }
        stats = hy_cache_info(F, &b->base);
        CHECK(stats.hits == 2 && stats.misses == 2 && stats.programs == 2 && !hy_error(F));
        CHECK(recorded || stats.bytes > 1000);
    }
    CHECK(hy_close(F) == 0);
}

/* The plan counts them, a write renews them, programs for other rows share them, training goes without. */
static void exec_prepared_lives(void)
{
    hy_frame *F = exec_open(2);
    exec_dense *d = exec_dense_block(F, 0, 500, 400, HY_F32);
    size_t pack = (size_t)8 * 64 * 400 * sizeof(float), before, after;
    hy_array *x;
    hy_plan_info info;
    int i;
    hy_hybridize(F, &d->base, NULL);
    hy_begin(F);
    x = hy_uniform(F, HY_SHAPE(20, 400), -1, 1);
    info = hy_plan(F, &d->base, x);
#ifdef HYBRID_USE_CBLAS
    CHECK(info.packed == 0);            /* which reads weights as they lie */
#else
    CHECK(info.packed >= pack && info.packed < pack + 4096);
#endif
    CHECK(exec_dense_error(F, d, x, hy_call(F, &d->base, x)) < 1e-6);
    hy_set_value(F, d->w, 7, 3, 5);
    CHECK(exec_dense_error(F, d, x, hy_call(F, &d->base, x)) < 1e-6);
    before = hy_memory_use(F).bytes;
    for (i = 1; i < 10; i++) {
        hy_begin(F);
        x = hy_uniform(F, HY_SHAPE(i, 400), -1, 1);
        CHECK(exec_dense_error(F, d, x, hy_call(F, &d->base, x)) < 1e-6);
        hy_end(F);
    }
    after = hy_memory_use(F).bytes;
    if (!CHECK(after - before < pack)) printf("    %d bytes more, a weight has %d\n", (int)(after - before), (int)pack);
    hy_record(F);
    x = hy_uniform(F, HY_SHAPE(20, 400), -1, 1);
    CHECK(exec_dense_error(F, d, x, hy_call(F, &d->base, x)) < 1e-6);
    hy_pause(F);
    hy_end(F);
    CHECK(hy_close(F) == 0);
}

/* An executor keeps little for its jobs, and next to nothing for what is computed before the run. */
static void exec_record_is_small(void)
{
    hy_frame *F = exec_open(1);
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_array *x = hy_ones(F, HY_SHAPE(4, 4)), *y;
    hy_plan_info info;
    int i;
    for (i = 0; i < 40; i++) hy_append(F, net, hy_nn_dense(F, 4, NULL), hy_nn_batch_norm(F, NULL));
    hy_initialize(F, net, NULL);
    y = hy_call(F, net, x);
    hy_hybridize(F, net, NULL);
    CHECK(hy_value(F, hy_sub(F, y, hy_call(F, net, x)), 3, 3) < 1e-5);
    info = hy_plan(F, net, x);
    if (!CHECK(info.jobs > 0 && info.record / (size_t)info.jobs < 320))
        printf("    %d bytes for %d jobs\n", (int)info.record, info.jobs);
    CHECK(hy_close(F) == 0);
}

/* --- a user's buffer --- */
static void exec_bound_to_a_buffer(void)
{
    hy_frame *F = exec_open(2);
    hy_array *w = hy_keep(F, hy_ones(F, HY_SHAPE(3, 4))),
             *x = hy_keep(F, hy_ones(F, HY_SHAPE(2, 4))), *out[3], *held;
    hy__mode mode = exec_mode(HY_PASS_FOLD);
    hy_graph *g = exec_early_graph(F, w);
    hy_plan_info info = hy__plan_info(F, g, &x, &mode);
    char *memory = (char *)malloc(info.total + 200), text[32];
    int64_t calls;
    int skip, i;
    CHECK(info.total && info.total == exec_sum(&info));
    for (skip = 0; skip < 64; skip += 9) {
        memset(memory, 42, info.total + 200);
        CHECK(hy__graph_bind(F, g, &x, &mode, memory + skip, info.total - 1) == -1);
        snprintf(text, sizeof text, "%ld are due", (long)info.total);
        CHECK(hy_error(F) && strstr(hy_error(F), text));
        hy_clear(F);
        CHECK(!hy__graph_bind(F, g, &x, &mode, memory + skip, info.total));
        for (i = 1; i < 5; i++) {
            hy_begin(F);
            hy_fill(F, w, i);
            calls = hy_memory_use(F).calls;
            CHECK(!exec_run(F, g, &x, out, &mode, 0, NULL));
            CHECK(hy_memory_use(F).calls == calls);
            if (!CHECK(!hy_error(F))) printf("    %s\n", hy_error(F));
            CHECK(hy_value(F, out[0], 1, 2) == 8 * i && hy_item(F, out[1]) == 12);
            CHECK(hy_value(F, out[2], 3, 1) == 1 + 2 * i);
            CHECK((char *)out[0]->t.data >= memory + skip);
            CHECK((char *)out[0]->t.data < memory + skip + info.total);
            CHECK((char *)F->recent->x >= memory + skip);
            if (i == 3) {
                CHECK(exec_run(F, g, &x, out, &mode, 0, NULL) == -1);
                CHECK(strstr(hy_error(F), "still held"));
                hy_clear(F);
            }
            hy_end(F);
        }
        for (i = 0; i < 200 - skip; i++) CHECK(memory[skip + (int)info.total + i] == 42);
        for (i = 0; i < skip; i++) CHECK(memory[i] == 42);
    }
    hy_begin(F);                                        /* other types, other memory: the bound one stays */
    held = hy_ones(F, HY_SHAPE(5, 4));
    for (i = 0; i < 40; i++) {
        held = hy_ones(F, HY_SHAPE(i + 3, 4));
        CHECK(!exec_run(F, g, &held, out, &mode, 3, NULL));
    }
    CHECK(!exec_run(F, g, &x, out, &mode, 3, NULL) && F->recent->x->bound);
    hy_end(F);
    hy_graph_free(F, g);
    CHECK(hy_close(F) == 0);
    free(memory);
}

/* Not a byte outside, wherever the buffer begins. */
static void exec_bound_random_graphs(void)
{
    hy_frame *F[2];
    int f;
    uint32_t seed;
    F[0] = exec_open(1);
    F[1] = exec_open(4);
    for (f = 0; f < 2; f++)
        for (seed = 100; seed < 130; seed++) {
            hy_graph *g = exec_graph(F[f], seed, 10 + (int)seed % 30);
            hy_array *in[3], *want[EXEC_HEADS], *out[EXEC_HEADS];
            hy__mode mode = exec_mode(exec_offs[seed % EXEC_OFFS]);
            int i, round;
            size_t total, k;
            char *room, *memory;
            hy_begin(F[f]);
            exec_inputs(F[f], in);
            CHECK(!exec_run(F[f], g, in, want, &mode, 0, NULL));
            total = hy__plan_info(F[f], g, in, &mode).total;
            room = (char *)malloc(total + 192);
            memory = room + 65 + ((size_t)(-(intptr_t)room) & 63);      /* the most that aligning can cost */
            memset(room, 42, total + 192);
            CHECK(!hy__graph_bind(F[f], g, in, &mode, memory, total));
            for (round = 0; round < 2; round++) {
                hy_begin(F[f]);
                CHECK(!exec_run(F[f], g, in, out, &mode, 0, NULL));
                for (i = 0; i < hy_graph_heads(g) && !hy_error(F[f]); i++)
                    CHECK(exec_same(F[f], out[i], want[i]));
                hy_end(F[f]);
            }
            for (k = 0; k < total + 192; k++)
                if (room + k < memory || room + k >= memory + total) CHECK(room[k] == 42);
            if (!CHECK(!hy_error(F[f]))) printf("    %s\n", hy_error(F[f]));
            hy_end(F[f]);
            hy_graph_free(F[f], g);
            free(room);
        }
    CHECK(hy_close(F[0]) == 0);
    CHECK(hy_close(F[1]) == 0);
}

/* --- frames at the same time --- */
#ifndef HYBRID_NO_THREADS
typedef struct exec_thread { hy_frame *F; hy_graph *graph; hy_array *x; int wrong; } exec_thread;

static void *exec_thread_main(void *arg)
{
    exec_thread *t = (exec_thread *)arg;
    int i;
    for (i = 0; i < 60; i++) {
        int64_t n = 1 + i % 5;
        hy_array *x, *out[3];
        hy__mode mode = exec_mode(HY_PASS_FOLD);
        hy_begin(t->F);
        x = hy_ones(t->F, HY_SHAPE(n, 4));
        t->wrong += exec_run(t->F, t->graph, &x, out, &mode, 3, NULL) ||
                    hy_value(t->F, out[0], n - 1, 2) != 8;
        t->wrong += hy_item(t->F, out[1]) != 12;
        hy_end(t->F);
    }
    return NULL;
}

static void exec_frames_at_once(void)
{
    hy_frame *F = exec_open(3);
    hy_array *w = hy_keep(F, hy_ones(F, HY_SHAPE(3, 4)));
    hy_graph *g = exec_early_graph(F, w);
    pthread_t thread[4];
    exec_thread t[4];
    int i;
    for (i = 0; i < 4; i++) {
        t[i].F = hy_fork(F);
        t[i].graph = g;
        t[i].wrong = 0;
        pthread_create(&thread[i], NULL, exec_thread_main, &t[i]);
    }
    for (i = 0; i < 4; i++) {
        pthread_join(thread[i], NULL);
        if (!CHECK(t[i].wrong == 0)) printf("    %s\n", hy_error(t[i].F));
        if (i % 2) CHECK(hy_close(t[i].F) == 0);
    }
    hy_graph_free(F, g);
    CHECK(hy_close(t[0].F) == 0);
    CHECK(hy_close(t[2].F) == 0);
    CHECK(hy_close(F) == 0);
}
#endif

/* Steps behind one that met bad data run before the error is said: they read zeros, not what nobody wrote. */
static void exec_behind_bad_data(void)
{
    static const struct { const char *op, *attrs; double a, b; hy_shape first, second; } met[] = {
        { "linalg_inverse", NULL, 0, 0, { 2, { 3, 3 } }, { HY_NONE, { 0 } } },
        { "linalg_potrf", NULL, -1, 0, { 2, { 3, 3 } }, { HY_NONE, { 0 } } },
        { "sample_multinomial", "dtype=float32", -1, 0, { 2, { 2, 4 } }, { HY_NONE, { 0 } } },
        { "_sample_gamma", NULL, -1, 1, { 1, { 3 } }, { 1, { 3 } } },
        { "pick", "mode=raise", 1, 9, { 2, { 3, 4 } }, { 1, { 3 } } },
        { "take", "mode=raise", 1, 9, { 2, { 3, 4 } }, { 1, { 3 } } },
        { "roi_align", "pooled_size=(2,2) spatial_scale=1 aligned=True", 1, 0, { 4, { 1, 3, 4, 4 } }, { 2, { 2, 5 } } } };
    size_t i;
    int threads;
    for (i = 0; i < sizeof met / sizeof *met; i++)
        for (threads = 1; threads < 4; threads += 2) {
            hy_frame *F = exec_open(threads), *S = hy_symbolic(F);
            hy_array *in[2], *y;
            int n = 1 + (met[i].second.ndim >= 0);
            hy_graph *g;
            in[0] = hy_var(S, "a", NULL);
            if (n > 1) in[1] = hy_var(S, "b", NULL);
            y = hy_apply(S, met[i].op, n, in, met[i].attrs);
            g = hy_compile(S, hy_cast(S, hy_add_scalar(S, hy_cast(S, y, HY_F32), 1), HY_BF16));
            in[0] = hy_full(F, met[i].first, met[i].a);
            if (n > 1) in[1] = hy_full(F, met[i].second, met[i].b);
            if (!CHECK(g && !hy_graph_run(F, g, hy_group_of(F, n, in)) && hy_error_code(F) == HY_ERROR_INDEX))
                printf("    %s: %s\n", met[i].op, hy_error(S) ? hy_error(S) : hy_error(F) ? hy_error(F) : "no error");
            hy_clear(F);
            hy_graph_free(F, g);
            CHECK(hy_close(S) == 0 && hy_close(F) == 0);
        }
}

/* --- out of memory --- */
static int exec_oom_program(hy_frame *F)
{
    hy_array *w = hy_keep(F, hy_ones(F, HY_SHAPE(3, 4))), *x, *out[3];
    hy__mode mode = exec_mode(HY_PASS_FOLD);
    hy_graph *g = w ? exec_early_graph(F, w) : NULL;
    int i, right = 0;
    for (i = 1; i <= 3 && g && !hy_error(F); i++) {
        x = hy_ones(F, HY_SHAPE(i, 4));
        if (i == 3) hy_fill(F, w, 2);
        right = x && !exec_run(F, g, &x, out, &mode, 1, NULL) &&
                hy_value(F, out[0], i - 1, 2) == (i == 3 ? 16 : 8);
    }
    hy_graph_free(F, g);
    if (!g) hy_raise(F, HY_ERROR_MEMORY, "out of memory");
    return right;
}
static int exec_oom_dynamic(hy_frame *F)
{
    hy_frame *S = hy_symbolic(F);
    hy_array *x, *m, *y;
    hy_graph *g;
    if (!S) return 0;
    x = hy_var(S, "x", NULL);
    m = hy_var(S, "m", NULL);
    g = hy_compile(S, hy_group(S, hy_mul_scalar(S, hy_boolean_mask(S, hy_tanh(S, x), m, 0), 2), x));
    y = g ? hy_graph_run(F, g, hy_group(F, hy_zeros(F, HY_SHAPE(4, 2)), hy_ones(F, HY_SHAPE(4)))) : NULL;
    hy_graph_free(F, g);
    if (hy_error(S)) hy_raise(F, hy_error_code(S), hy_error(S));
    hy_close(S);
    return y && hy_value(F, hy_get(F, y, 0), 3, 1) == 0;
}
static int exec_oom_bind(hy_frame *F)
{
    static char memory[1 << 16];
    hy_array *w = hy_keep(F, hy_ones(F, HY_SHAPE(3, 4))), *x = hy_ones(F, HY_SHAPE(2, 4)), *out[3];
    hy__mode mode = exec_mode(HY_PASS_FOLD);
    hy_graph *g = w && x ? exec_early_graph(F, w) : NULL;
    int right = g && !hy__graph_bind(F, g, &x, &mode, memory, sizeof memory) &&
                !exec_run(F, g, &x, out, &mode, 1, NULL) && hy_value(F, out[0], 1, 2) == 8;
    hy_graph_free(F, g);
    if (!g) hy_raise(F, HY_ERROR_MEMORY, "out of memory");
    return right;
}
static void exec_oom(void) { oom_walk(exec_oom_program, 1); }
static void exec_oom_values_decide(void) { oom_walk(exec_oom_dynamic, 1); }
static void exec_oom_bound(void) { oom_walk(exec_oom_bind, 2); }

/* Layers that reach one weight, each in its way: by itself, turned, widened, both, with a bias; and near misses from
 * WEIGHTS_MISS on: the other side, two weights, numbers that are not widened. What is packed, in weights. */
enum { WEIGHTS_LAYERS = 8, WEIGHTS_MISS = 6, WEIGHTS_WAYS = 9, WEIGHTS_SIDE = 96 };
typedef struct { hy_block base; hy_array *w, *half, *deep, *other, *bias; int way; } weights_net;

static hy_array *weights_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    const weights_net *n = (const weights_net *)(const void *)self;
    hy_fully_connected_opt opt = { 0 };
    int i;
    for (i = 0; i < WEIGHTS_LAYERS; i++) {
        hy_array *w = n->way == 7 && i & 1 ? n->other : n->w;
        opt.no_bias = !(n->way == 5 && i % 3 == 0);
        switch (n->way) {
        case 1: w = hy_transpose(F, w, HY_AXES(1, 0)); break;
        case 2: w = hy_cast(F, n->half, HY_F32); break;
        case 3: w = hy_swap_axes(F, hy_cast(F, n->half, HY_F32), 0, 1); break;
        case 4: if (i & 1) w = hy_transpose(F, w, HY_AXES(1, 0)); break;
        case 6: if (i & 1) w = hy_transpose(F, w, HY_AXES(1, 0)); break;
        case 8: w = hy_cast(F, n->deep, HY_F32); break;
        default: break;
        }
        if (n->way == 4 ? !(i & 1) : n->way == 0 || n->way == 5)
            x = hy_fully_connected(F, x, w, opt.no_bias ? NULL : n->bias, WEIGHTS_SIDE, &opt);
        else x = hy_dot(F, x, w, NULL);
        x = hy_tanh(F, x);
    }
    return x;
}

static void execute_weights_once(void)
{
    static const double most[WEIGHTS_WAYS] = { 1.1, 1.1, 1.1, 1.1, 1.1, 1.1, 2.1, 2.1, 2.1 };
    const double weight = 2 * 64 * WEIGHTS_SIDE * 4;             /* in panels of 64 columns */
    int way, rows, exact;
    for (way = 0; way < WEIGHTS_WAYS; way++) for (rows = 1; rows < 100; rows += 69) for (exact = 0; exact < 2; exact++) {
        hy_frame *F = hy_open(NULL);
        weights_net *n = HY_BLOCK_NEW(F, weights_net, weights_forward);
        hy_array *x = hy_normal(F, HY_SHAPE(rows, WEIGHTS_SIDE), 0, 1), *y, *z;
        const hy_shape side = HY_SHAPE(WEIGHTS_SIDE, WEIGHTS_SIDE);
        hy_hybridize_opt opt = { 0 };
        hy_param_opt half = { 0 }, deep = { 0 };
        double packed;
        half.dtype = HY_BF16;
        deep.dtype = HY_F64;
        opt.exact = exact;
        n->way = way;
        n->w = hy_add_param(F, &n->base, "w", side, NULL);
        n->other = hy_add_param(F, &n->base, "other", side, NULL);
        n->half = hy_add_param(F, &n->base, "half", side, &half);
        n->deep = hy_add_param(F, &n->base, "deep", side, &deep);
        n->bias = hy_add_param(F, &n->base, "bias", HY_SHAPE(WEIGHTS_SIDE), NULL);
        hy_initialize(F, &n->base, NULL);
        y = hy_call(F, &n->base, x);
        hy_hybridize(F, &n->base, &opt);
        packed = (double)hy_plan(F, &n->base, x).packed / weight;
        z = hy_call(F, &n->base, x);
        CHECK(y && z && hy_item(F, hy_max(F, hy_abs(F, hy_sub(F, y, z)), HY_ALL, NULL)) <= (exact ? 0 : 1e-5));
#ifndef HYBRID_USE_CBLAS
        if (!CHECK(packed <= most[way] && (exact || packed >= (way < WEIGHTS_MISS ? 0.9 : 1.7))))
            printf("    way %d, %d rows, exact %d: %g\n", way, rows, exact, packed);
#endif
        if (!CHECK(!hy_error(F))) printf("    %s\n", hy_error(F));
        hy_set_param(F, n->w, hy_mul_scalar(F, n->w, 2));        /* what changes is laid out anew */
        hy_set_param(F, n->half, hy_mul_scalar(F, n->half, 2));
        z = hy_call(F, &n->base, x);
        opt.inactive = 1;
        hy_hybridize(F, &n->base, &opt);
        y = hy_call(F, &n->base, x);
        CHECK(y && z && hy_item(F, hy_max(F, hy_abs(F, hy_sub(F, y, z)), HY_ALL, NULL)) <= (exact ? 0 : 1e-5));
        CHECK(hy_close(F) == 0);
    }
}

static void test_execute(void)
{
    RUN(execute_weights_once);
    RUN(exec_plan_of_random_graphs);
    RUN(exec_plan_of_a_chain);
    RUN(exec_plan_in_place);
    RUN(exec_plan_of_an_unrolled_network);
    RUN(exec_equals_imperative);
    RUN(exec_same_bits_for_any_threads);
    RUN(exec_plan_walk);
    RUN(exec_thread_limit);
    RUN(exec_heads_of_every_kind);
    RUN(exec_small_programs);
    RUN(exec_empty_arrays);
    RUN(exec_strided_inputs_and_constants);
    RUN(exec_reasons_and_limit);
    RUN(exec_memory_comes_back);
    RUN(exec_steady_state_allocates_nothing);
    RUN(exec_early_values_follow_writes);
    RUN(exec_captured_array_changes);
    RUN(exec_early_values_are_shared);
    RUN(exec_parameters);
    RUN(exec_kept_jobs);
    RUN(exec_sizes_out_of_reach);
    RUN(exec_statistics_that_cannot_be_written);
    RUN(exec_running_statistics);
    RUN(exec_random_numbers);
    RUN(exec_faults);
    RUN(exec_dynamic);
    RUN(exec_between_values);
    RUN(exec_prepared_weights);
    RUN(exec_turned_products);
    RUN(exec_weight_gradients);
    RUN(exec_pairs);
    RUN(exec_pairs_of_lent_memory);
    RUN(exec_prepared_lives);
#ifndef HYBRID_NO_RNN
    RUN(exec_packed_rnn);
    RUN(exec_packed_rnn_is_shared);
#endif
    RUN(exec_prepared_stays_inside);
    RUN(exec_sections_count);
    RUN(exec_record_is_small);
    RUN(exec_bound_to_a_buffer);
    RUN(exec_bound_random_graphs);
#ifndef HYBRID_NO_THREADS
    RUN(exec_frames_at_once);
#endif
    RUN(exec_behind_bad_data);
    RUN(exec_oom);
    RUN(exec_oom_values_decide);
    RUN(exec_oom_bound);
}
