/* Programs that take on the sizes of their calls: in any order of sizes, through one network, every bit is that
 * of a program which was compiled for just that size. */

enum { RESIZE_SIZES = 13 };
static const int resize_sizes[RESIZE_SIZES] = { 0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 64 };

/* A network of test_sized.c, with the parameters of another. */
static sized_block *resize_lines(hy_frame *F, int seed, const sized_block *like)
{
    sized_block *b = HY_BLOCK_NEW(F, sized_block, sized_forward);
    b->seed = (uint64_t)seed;
    b->steps = 1 + seed % 9;
    b->weight = like ? like->weight : hy_keep(F, hy_random_normal(F, HY_SHAPE(SIZED_WIDTH, SIZED_WIDTH), 0, 0.5, NULL));
    b->bias = like ? like->bias : hy_keep(F, hy_random_normal(F, HY_SHAPE(SIZED_WIDTH), 0, 1, NULL));
    b->row = like ? like->row : hy_keep(F, hy_random_normal(F, HY_SHAPE(SIZED_WIDTH), 0, 1, NULL));
    return b;
}

/* The same hybridized. */
static sized_block *resize_net(hy_frame *F, int seed, const sized_block *like, const hy_hybridize_opt *opt)
{
    sized_block *b = resize_lines(F, seed, like);
    hy_hybridize(F, &b->base, opt);
    return b;
}

/* The next of all sizes in an order that the seed gives; each comes twice. */
static void resize_order(uint64_t *seed, int *order)
{
    int i;
    for (i = 0; i < 2 * RESIZE_SIZES; i++) order[i] = resize_sizes[i % RESIZE_SIZES];
    for (i = 2 * RESIZE_SIZES - 1; i > 0; i--) {
        int k = (int)(sized_next(seed) % (uint32_t)(i + 1)), was = order[i];
        order[i] = order[k];
        order[k] = was;
    }
}

static int resize_networks(hy_frame *F, int from, int to)
{
    int seed, i, order[2 * RESIZE_SIZES], resizes = 0;
    for (seed = from; seed < to; seed++) {
        hy_hybridize_opt own, fixed;
        uint64_t s = (uint64_t)seed;
        sized_block *b, *fresh;
        memset(&own, 0, sizeof own);
        own.exact = seed & 1;
        fixed = own;
        fixed.off = HY_PASS_SIZES;
        b = resize_net(F, seed, NULL, &own);
        fresh = resize_net(F, seed, b, &fixed);
        resize_order(&s, order);
        for (i = 0; i < 2 * RESIZE_SIZES; i++) {
            hy_array *x, *y, *want;
            int refused;
            hy_begin(F);
            x = sized_input(F, order[i], i);
            y = hy_call(F, &b->base, x);
            refused = hy_error(F) != NULL;      /* a slice of nothing */
            hy_clear(F);
            want = hy_call(F, &fresh->base, x);
            CHECK(refused == (hy_error(F) != NULL));
            hy_clear(F);
            if (!CHECK(refused || passes_same(F, y, want))) printf("    network %d, %d rows\n", seed, order[i]);
            hy_end(F);
        }
        CHECK(hy_cache_info(F, &fresh->base).resizes == 0);
        resizes += (int)hy_cache_info(F, &b->base).resizes;
        hy_block_free(F, &b->base);
        hy_block_free(F, &fresh->base);
    }
    return resizes;
}

static void resize_gives_the_bits_of_fresh_programs(void)
{
    hy_frame *F = tb_threads(1), *G = tb_threads(3);
    int n = resize_networks(F, 0, 150);
    if (!CHECK(n > 800)) printf("    %d calls were resized\n", n);
    CHECK(resize_networks(G, 150, 180) > 100);
    OK(F);
    OK(G);
    CHECK(hy_close(F) == 0 && hy_close(G) == 0);
}

/* --- two sizes that change, (b, t, 8) --- */
static hy_array *resize_two_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    sized_block *b = (sized_block *)(void *)self;
    hy_fully_connected_opt apart;
    hy_batch_dot_opt turned;
    hy_array *y;
    memset(&apart, 0, sizeof apart);
    memset(&turned, 0, sizeof turned);
    apart.no_flatten = 1;
    turned.transpose_b = 1;
    x = hy_relu(F, hy_fully_connected(F, x, b->weight, b->bias, SIZED_WIDTH, &apart));
    y = hy_softmax(F, hy_mul_scalar(F, hy_batch_dot(F, x, x, &turned), 0.35), -1, NULL);
    x = hy_layer_norm(F, hy_add(F, x, hy_batch_dot(F, y, x, NULL)), b->row, b->bias, NULL);
    return hy_group(F, hy_mean(F, x, HY_AXES(1), NULL), x);
}

static hy_array *resize_two_input(hy_frame *F, int b, int t, int at)
{
    hy_array *x = hy_arange(F, 0, (double)b * t * SIZED_WIDTH, 1);
    x = hy_sin(F, hy_mul_scalar(F, x, 0.37 + at));
    return hy_reshape(F, x, HY_INTS(b, t, SIZED_WIDTH), NULL);
}

static sized_block *resize_two(hy_frame *F, const sized_block *like, int off)
{
    hy_hybridize_opt opt;
    sized_block *b;
    memset(&opt, 0, sizeof opt);
    opt.off = off;
    b = resize_net(F, 0, like, &opt);
    b->base.forward = resize_two_forward;
    return b;
}

/* How executors run that wear other sizes than those of their plan, which has stages: 1: alone, 2: in stages. */
static int resize_stages(hy_frame *F)
{
    hy__kept *e;
    int how = 0;
    for (e = hy__table_next(&F->executors, NULL); e; e = hy__table_next(&F->executors, e)) {
        const hy__executor *x = ((hy__holder *)(void *)e)->x;
        if (x && x->worn && x->program->plan.staged.stages) how |= x->staged->stages ? 2 : 1;
    }
    return how;
}

/* Whichever sizes change, also past 32 keys, where attention is another operator. */
static void resize_of_two_sizes(void)
{
    static const int all[] = { 1, 3, 7 };
    int which;
    for (which = 0; which < 3; which++) {
        const int threads = all[which];
        int staged = 0;
        hy_desc desc;
        hy_frame *F;
        sized_block *b, *fresh;
        hy_cache_stats s;
        uint64_t seed = 11;
        int i;
        memset(&desc, 0, sizeof desc);
        desc.threads = threads;
        F = hy_open(&desc);
        b = resize_two(F, NULL, 0);
        fresh = resize_two(F, b, HY_PASS_SIZES);
        for (i = 0; i < 300; i++) {
            int n = 1 + (int)(sized_next(&seed) % 12), t = resize_sizes[1 + sized_next(&seed) % (RESIZE_SIZES - 1)];
            hy_array *x;
            hy_begin(F);
            x = resize_two_input(F, n, t, i);
            if (!CHECK(passes_same(F, hy_call(F, &b->base, x), hy_call(F, &fresh->base, x))))
                printf("    (%d,%d), %d threads\n", n, t, threads);
            staged |= resize_stages(F);
            hy_end(F);
        }
        s = hy_cache_info(F, &b->base);
        if (!CHECK(s.resizes > 150 && s.misses < hy_cache_info(F, &fresh->base).misses / 2))
            printf("    %d resizes, %d programs: %s\n", (int)s.resizes, s.programs, s.fixed);
        CHECK((staged & 2) == (hy_threads(F) > 1 ? 2 : 0));
        OK(F);
        CHECK(hy_close(F) == 0);
    }
}

/* What is not larger than what was planned for takes no memory, once each way of a call was there. */
static void resize_allocates(int threads)
{
    static const int sizes[] = { 64, 33, 2, 16, 7, 31, 8, 3, 17 };
    hy_frame *F = tb_threads(threads);
    sized_block *b = resize_two(F, NULL, 0);
    int64_t calls = 0;
    int round, i;
    hy_array *in[9];
    for (i = 0; i < 9; i++) in[i] = hy_keep(F, resize_two_input(F, sizes[i], 5, i));
    for (round = 0; round < 4; round++) {
        if (round == 2) calls = F->root->heap.calls;
        for (i = 0; i < 9; i++) {
            hy_begin(F);
            CHECK(hy_call(F, &b->base, in[i]) != NULL);
            hy_end(F);
        }
    }
    CHECK(F->root->heap.calls == calls && hy_cache_info(F, &b->base).resizes > 30);
    CHECK(hy_cache_info(F, &b->base).programs == 1);
    OK(F);
    CHECK(hy_close(F) == 0);
}
static void resize_allocates_nothing(void) { resize_allocates(1); resize_allocates(3); }

/* --- memory runs out --- */
static struct { void *(*alloc_fn)(void *, size_t); int left; } resize_out;
static void *resize_alloc(void *user, size_t bytes)
{
    return resize_out.left-- > 0 ? resize_out.alloc_fn(user, bytes) : NULL;
}

/* Whichever allocation fails: the size before still runs, and later the new one. */
static void resize_fails(int threads)
{
    int fail, failed = 1;
    for (fail = 0; failed && fail < 400; fail++) {
        hy_frame *F = tb_threads(threads);
        sized_block *b = resize_two(F, NULL, 0), *fresh = resize_two(F, b, HY_PASS_SIZES);
        hy_array *in[3], *want[3];
        int i;
        for (i = 0; i < 3; i++) {
            in[i] = resize_two_input(F, 2, i == 0 ? 20 : i == 1 ? 12 : 28, i);
            want[i] = hy_call(F, &fresh->base, in[i]);
        }
        CHECK(passes_same(F, hy_call(F, &b->base, in[0]), want[0]));
        hy_trim(F);
        resize_out.alloc_fn = F->root->heap.use.alloc_fn;
        resize_out.left = fail;
        F->root->heap.use.alloc_fn = resize_alloc;
        hy_call(F, &b->base, in[1]);
        if (!hy_error(F)) hy_call(F, &b->base, in[2]);
        F->root->heap.use.alloc_fn = resize_out.alloc_fn;
        failed = hy_error(F) != NULL;
        if (failed) CHECK(hy_error_code(F) == HY_ERROR_MEMORY);
        hy_clear(F);
        for (i = 0; i < 3; i++) CHECK(passes_same(F, hy_call(F, &b->base, in[i]), want[i]));
        CHECK(hy_cache_info(F, &b->base).resizes > 0);
        OK(F);
        CHECK(hy_close(F) == 0);
    }
    CHECK(!failed && fail > 10);
}
static void resize_without_memory(void) { resize_fails(1); resize_fails(3); }

/* A decoder's step, whose caches grow by parts of what was computed: each result becomes the next input. */
enum { RESIZE_LAYERS = 2, RESIZE_STEPS = 40 };
static hy_array *resize_decode_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *h = hy_get(F, x, 0), *out[1 + 2 * RESIZE_LAYERS];
    int i, k;
    (void)self;
    for (i = 0; i < RESIZE_LAYERS; i++) {
        hy_attention_opt opt = { 0 };
        hy_array *all = hy_concat(F, hy_group(F, h, hy_mul_scalar(F, h, 2), hy_sin(F, h)), 2);
        hy_array *part = hy_split(F, all, 3, 2, NULL);
        for (k = 0; k < 2; k++) {
            hy_array *before = hy_get(F, x, 1 + 2 * i + k), *rows = hy_get(F, part, 1 + k);
            out[1 + 2 * i + k] = i ? hy_extend(F, before, rows, 1) : hy_concat(F, hy_group(F, before, rows), 1);
        }
        opt.heads = 2;
        h = hy_add(F, h, hy_attention(F, hy_get(F, part, 0), out[1 + 2 * i], out[2 + 2 * i], &opt));
    }
    out[0] = h;
    return hy_group_of(F, 1 + 2 * RESIZE_LAYERS, out);
}

static void resize_decode(int threads)
{
    hy_frame *F = tb_threads(threads);
    hy_block *net[3];                                   /* line by line, fixed, sized */
    hy_array *state[3];
    hy_hybridize_opt opt;
    int way, i, n;
    memset(&opt, 0, sizeof opt);
    for (way = 0; way < 3; way++) {
        hy_array *none[2 * RESIZE_LAYERS];
        net[way] = tb_block(F, "decode", resize_decode_forward);
        for (i = 0; i < 2 * RESIZE_LAYERS; i++)
            none[i] = hy_with_room(F, hy_zeros(F, HY_SHAPE(1, 0, 32)), 1, RESIZE_STEPS);
        state[way] = hy_group_of(F, 2 * RESIZE_LAYERS, none);
        opt.off = way == 1 ? HY_PASS_SIZES : 0;
        if (way) hy_hybridize(F, net[way], &opt);
    }
    for (n = 0; n < RESIZE_STEPS; n++) {
        hy_array *in[1 + 2 * RESIZE_LAYERS], *y[3];
        hy_begin(F);
        in[0] = hy_uniform(F, HY_SHAPE(1, 1, 32), -1, 1);
        for (way = 0; way < 3; way++) {
            hy_array *before = state[way];
            for (i = 0; i < 2 * RESIZE_LAYERS; i++) in[1 + i] = hy_get(F, before, i);
            y[way] = hy_call(F, net[way], hy_group_of(F, 1 + 2 * RESIZE_LAYERS, in));
            for (i = 0; i < 2 * RESIZE_LAYERS; i++) in[1 + i] = hy_get(F, y[way], 1 + i);
            state[way] = hy_keep(F, hy_group_of(F, 2 * RESIZE_LAYERS, in + 1));
            hy_free(F, before);
        }
        for (i = 0; i < 1 + 2 * RESIZE_LAYERS; i++) {
            hy_array *line = hy_get(F, y[0], i), *fixed = hy_get(F, y[1], i), *sized = hy_get(F, y[2], i);
            CHECK(hy_item(F, hy_max(F, hy_abs(F, hy_sub(F, line, sized)), HY_ALL, NULL)) < 1e-4);
            CHECK(passes_same(F, fixed, sized));
        }
        hy_end(F);
    }
    CHECK(hy_cache_info(F, net[2]).programs <= 4 && hy_cache_info(F, net[2]).resizes > RESIZE_STEPS / 2);
    OK(F);
    CHECK(hy_close(F) == 0);
}
static void resize_decodes(void) { resize_decode(1); resize_decode(3); }

/* Each operator beside an array that keeps its shape: where another size does not fit it, compiled calls fail as
 * those line by line, and where it does they give the same shapes. */
typedef struct { hy_block base; const char *op; int n, second; hy_array *held; } resize_beside;

static hy_array *resize_beside_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    resize_beside *b = (resize_beside *)self;
    hy_array *in[3];
    int i;
    for (i = 0; i < b->n; i++) in[i] = i == b->second ? x : b->held;
    return hy_apply(F, b->op, b->n, in, NULL);
}

static hy_array *resize_shaped(hy_frame *F, hy_shape shape) { return hy_uniform(F, shape, 0.5, 1.5); }

/* Calls of one more in a dim, and in all (at = ndim), of both networks. */
static int resize_both(hy_frame *F, resize_beside *plain, resize_beside *sized, hy_shape shape)
{
    int at, d, tried = 0;
    for (at = 0; at <= shape.ndim; at++) {
        hy_shape other = shape, got[2];
        int failed[2], way;
        for (d = 0; d < shape.ndim; d++) other.dim[d] += at == d || at == shape.ndim;
        for (way = 0; way < 2; way++) {
            hy_array *y = hy_call(F, way ? &sized->base : &plain->base, resize_shaped(F, other));
            failed[way] = hy_error(F) != NULL;
            got[way] = failed[way] ? HY_SCALAR : hy_shape_of(F, hy_count(F, y) > 1 ? hy_get(F, y, 0) : y);
            hy_clear(F);
        }
        tried++;
        if (!CHECK(failed[0] == failed[1] && hy__same_shape(&got[0], &got[1])))
            printf("    %s of %d, input %d, dim %d: line by line %s\n", plain->op, plain->n, plain->second, at,
                   failed[0] ? "fails" : "does not fail");
    }
    return tried;
}

static void resize_fails_as_line_by_line(void)
{
    static const hy_shape shapes[] = { { 1, { 6 } }, { 2, { 4, 6 } }, { 3, { 2, 4, 6 } }, { 4, { 2, 4, 3, 5 } } };
    hy_frame *F = tb_threads(1);
    const hy_op *op;
    int i, tried = 0;
    for (i = 0; (op = hy_op_at(F, i)) != NULL; i++) {
        int k;
        if (op->flags & (HY_OP_RANDOM | HY_OP_CONTROL)) continue;
        for (k = 0; k < 4 * 4 * 5; k++) {
            const hy_shape shape = shapes[k % 4], held = shapes[k / 4 % 4];
            resize_beside *b[2];
            int way;
            hy_begin(F);
            for (way = 0; way < 2; way++) {
                b[way] = HY_BLOCK_NEW(F, resize_beside, resize_beside_forward);
                b[way]->op = op->name;
                b[way]->n = k / 16 < 2 ? 2 : 3;
                b[way]->second = k / 16 < 2 ? k / 16 : k / 16 - 2;
                b[way]->held = resize_shaped(F, held);
            }
            hy_hybridize(F, &b[1]->base, NULL);
            hy_call(F, &b[0]->base, resize_shaped(F, shape));
            if (!hy_error(F)) {
                hy_call(F, &b[1]->base, resize_shaped(F, shape));
                CHECK(!hy_error(F));
                tried += resize_both(F, b[0], b[1], shape);
            }
            hy_clear(F);
            hy_block_free(F, &b[0]->base);
            hy_block_free(F, &b[1]->base);
            hy_end(F);
        }
    }
    CHECK(tried > 1000);
    CHECK(hy_close(F) == 0);
}

/* What sizes decide, or is asked to be left so, stays fixed and says why. */
/* Operators of several inputs whose shapes must agree: from each set of shapes that fits, one that has a size or
 * two less. What line by line refuses the compiled call refuses, and the other way round. */
typedef struct { hy_block base; const char *op, *attrs; int n; } resize_many;
static hy_array *resize_many_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    resize_many *b = (resize_many *)self;
    hy_array *in[3];
    int i;
    for (i = 0; i < b->n; i++) in[i] = b->n > 1 ? hy_get(F, x, i) : x;
    return hy_apply(F, b->op, b->n, in, b->attrs);
}

static hy_array *resize_many_inputs(hy_frame *F, int n, const hy_shape *shape)
{
    hy_array *in[3];
    int i;
    for (i = 0; i < n; i++) in[i] = resize_shaped(F, shape[i]);
    return hy_group_of(F, n, in);
}

/* One set of shapes and its smaller ones. Returns how many were tried. */
static int resize_fewer(hy_frame *F, const resize_many *like, const hy_shape *shape)
{
    resize_many *line = HY_BLOCK_NEW(F, resize_many, resize_many_forward);
    int a, b, tried = 0;
    line->op = like->op;
    line->attrs = like->attrs;
    line->n = like->n;
    hy_call(F, &line->base, resize_many_inputs(F, like->n, shape));
    for (a = 0; !hy_error(F) && a < like->n * 3; a++)
        for (b = a; b < like->n * 3; b++) {
            resize_many *net;
            hy_shape less[3], got[2];
            hy_array *value[2];
            int way, failed[2], k;
            memcpy(less, shape, (size_t)like->n * sizeof *less);
            if (a % 3 >= less[a / 3].ndim || b % 3 >= less[b / 3].ndim) continue;
            less[a / 3].dim[a % 3]--;
            if (b != a) less[b / 3].dim[b % 3]--;
            hy_begin(F);
            net = HY_BLOCK_NEW(F, resize_many, resize_many_forward);
            net->op = like->op;
            net->attrs = like->attrs;
            net->n = like->n;
            hy_hybridize(F, &net->base, NULL);
            hy_call(F, &net->base, resize_many_inputs(F, like->n, shape));
            OK(F);
            for (way = 0; way < 2; way++) {
                hy_array *y;
                hy_seed(F, 5);
                y = hy_call(F, way ? &net->base : &line->base, resize_many_inputs(F, like->n, less));
                failed[way] = hy_error(F) != NULL;
                value[way] = failed[way] ? NULL : hy_count(F, y) > 1 ? hy_get(F, y, 0) : y;
                got[way] = failed[way] ? HY_SCALAR : hy_shape_of(F, value[way]);
                hy_clear(F);
            }
            if (!CHECK(failed[0] == failed[1] && hy__same_shape(&got[0], &got[1]) &&
                       (failed[0] || !hy_size(F, value[0]) ||
                        hy_item(F, hy_max(F, hy_abs(F, hy_sub(F, hy_cast(F, value[0], HY_F64), hy_cast(F, value[1], HY_F64))), HY_ALL, NULL)) < 1e-4))) {
                printf("    %s(%s): line by line %s:", like->op, like->attrs ? like->attrs : "", failed[0] ? "fails" : "does not fail");
                for (k = 0; k < like->n * 3; k++)
                    if (k % 3 < less[k / 3].ndim)
                        printf(" %d-%d", (int)shape[k / 3].dim[k % 3], (int)(shape[k / 3].dim[k % 3] - less[k / 3].dim[k % 3]));
                printf("\n");
            }
            hy_block_free(F, &net->base);
            hy_end(F);
            tried++;
        }
    hy_clear(F);
    hy_block_free(F, &line->base);
    return tried;
}

static void resize_refuses_as_line_by_line(void)
{
    static const hy_shape shapes[] = { { 1, { 4 } }, { 1, { 6 } }, { 2, { 4, 6 } }, { 2, { 6, 4 } }, { 2, { 4, 4 } }, { 2, { 4, 24 } },
                                       { 3, { 2, 4, 6 } }, { 3, { 2, 6, 4 } }, { 3, { 6, 2, 4 } } };
    static const struct { const char *op, *attrs; } with[] = {
        { "fully_connected", "num_hidden=4" }, { "fully_connected", "num_hidden=4 no_bias=True" },
        { "fully_connected", "num_hidden=4 flatten=False" }, { "fully_connected", "num_hidden=4 no_bias=True flatten=False" },
        { "dot", "transpose_a=True" }, { "dot", "transpose_b=True" }, { "batch_dot", "transpose_a=True" }, { "batch_dot", "transpose_b=True" },
        { "attention", "heads=2" }, { "embedding", "input_dim=4 output_dim=6" }, { "concat", "dim=0 num_args=2" },
        { "concat", "dim=1 num_args=2" }, { "concat", "dim=1 num_args=3" }, { "stack", "num_args=2" }, { "take", "axis=1" } };
    const int count = (int)(sizeof shapes / sizeof *shapes), more = (int)(sizeof with / sizeof *with);
    hy_frame *F = tb_threads(1);
    const hy_op *op;
    int i, tried = 0;
    for (i = 0; i < more || hy_op_at(F, i - more) != NULL; i++) {
        resize_many like;
        int n, k, pick, before = tried;
        op = i < more ? hy_op_find(F, with[i].op) : hy_op_at(F, i - more);
        if (op->flags & (HY_OP_RANDOM | HY_OP_CONTROL) || !(op->flags & (HY_OP_SIZES | HY_OP_BATCH))) continue;
        if (!strcmp(op->name, "histogram")) continue;   /* asks for bins that ascend */
        like.op = op->name;
        like.attrs = i < more ? with[i].attrs : NULL;
        for (n = 2; n <= 3; n++)
            for (pick = 0; pick < (n > 2 ? count * count * count : count * count); pick++) {
                hy_shape shape[3];
                for (k = 0; k < n; k++) shape[k] = shapes[k == 0 ? pick % count : k == 1 ? pick / count % count : pick / count / count];
                like.n = n;
                hy_begin(F);
                tried += resize_fewer(F, &like, shape);
                hy_end(F);
            }
        if (i < more && !CHECK(tried > before)) printf("    %s(%s) fits no shapes\n", like.op, like.attrs);
    }
    if (!CHECK(tried > 6000)) printf("    %d\n", tried);
    OK(F);
    CHECK(hy_close(F) == 0);
}

static hy_array *resize_fixed_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_insert(F, x, hy_ones(F, HY_SHAPE(1)), 1, 0);
}
static void resize_says_what_is_fixed(void)
{
    hy_frame *F = tb_threads(1);
    hy_hybridize_opt opt;
    hy_block *net = tb_block(F, "inserts", resize_fixed_forward);
    hy_cache_stats s;
    sized_block *b = resize_two(F, NULL, 0);
    int i;
    memset(&opt, 0, sizeof opt);
    hy_hybridize(F, net, NULL);
    for (i = 2; i < 8; i++) hy_call(F, net, sized_input(F, i, i));
    s = hy_cache_info(F, net);
    CHECK(s.programs == 6 && s.resizes == 0 && strstr(s.fixed, "insert") && strstr(s.fixed, "sizes"));
    opt.static_alloc = opt.static_shape = 1;
    hy_hybridize(F, &b->base, &opt);
    for (i = 2; i < 8; i++) hy_call(F, &b->base, resize_two_input(F, 2, i, i));
    s = hy_cache_info(F, &b->base);
    CHECK(s.programs == 1 && s.resizes == 0 && s.misses == 6 && !s.fixed[0]);
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* --- traces that asked for sizes --- */
/* A random network whose steps ask for dims of what they made, which the results show. */
static hy_array *resize_asking_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    sized_block *b = (sized_block *)(void *)self;
    uint64_t s = b->seed;
    int i;
    tb_runs++;
    for (i = 0; i < b->steps; i++) {
        hy_array *y = sized_step(F, b, (int)(sized_next(&s) % 19), x, x);
        switch (sized_next(&s) % 6) {
        case 0: y = hy_mul_scalar(F, y, (double)hy_dim(F, y, 1)); break;
        case 1: y = hy_mul_scalar(F, y, (double)hy_shape_of(F, hy_mean(F, y, HY_AXES(0), NULL)).dim[0]); break;
        case 2: y = hy_add_scalar(F, y, hy_ndim(F, y)); break;
        case 3: if (b->seed % 3 == 0) y = hy_mul_scalar(F, y, 1 + (double)hy_dim(F, y, 0)); break;
        case 4: if (b->seed % 5 == 0) y = hy_add_scalar(F, y, (double)hy_size(F, x)); break;
        default: break;
        }
        x = y;
    }
    return hy_mul_scalar(F, x, (double)hy_dim(F, x, -1));
}

static void resize_of_traces_that_ask(void)
{
    hy_frame *F = tb_threads(1);
    int seed, i, order[2 * RESIZE_SIZES], resizes = 0, open = 0;
    for (seed = 0; seed < 120; seed++) {
        hy_hybridize_opt opt = { 0 };
        uint64_t s = (uint64_t)seed;
        sized_block *b, *line;
        opt.exact = 1;
        b = resize_net(F, seed, NULL, &opt);
        line = resize_lines(F, seed, b);
        b->base.forward = line->base.forward = resize_asking_forward;
            resize_order(&s, order);
        tb_runs = 0;
        for (i = 0; i < 2 * RESIZE_SIZES; i++) {
            hy_array *x, *y;
            int refused;
            hy_begin(F);
            x = sized_input(F, order[i], i);
            y = hy_call(F, &b->base, x);
            refused = hy_error(F) != NULL;
            hy_clear(F);
            x = hy_call(F, &line->base, x);
            tb_runs--;
            CHECK(refused == (hy_error(F) != NULL));
            hy_clear(F);
            if (!CHECK(refused || passes_same(F, y, x))) printf("    network %d, %d rows\n", seed, order[i]);
            hy_end(F);
        }
        resizes += (int)hy_cache_info(F, &b->base).resizes;
        open += hy_cache_info(F, &b->base).traces < 6;
        hy_block_free(F, &b->base);
        hy_block_free(F, &line->base);
    }
    if (!CHECK(resizes > 200 && open > 15)) printf("    %d resizes, %d networks\n", resizes, open);
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* Heads and their size are read off a value inside; what they are read for keeps batch and length free. */
static hy_array *resize_heads_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    sized_block *b = (sized_block *)(void *)self;
    hy_fully_connected_opt apart = { 0 };
    hy_attention_opt opt = { 0 };
    int64_t width;
    tb_runs++;
    apart.no_flatten = 1;
    x = hy_fully_connected(F, x, b->weight, b->bias, SIZED_WIDTH, &apart);
    width = hy_dim(F, x, 2);
    opt.heads = (int)width / 4;
    x = hy_attention(F, x, x, x, &opt);
    return hy_reshape(F, x, HY_INTS(0, 0, width / 4, 4), NULL);
}

static hy_array *resize_length_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    tb_runs++;
    x = hy_relu(F, hy_concat(F, hy_group(F, x, x), 1));
    return hy_div_scalar(F, hy_sum(F, x, HY_AXES(1), NULL), (double)hy_dim(F, x, 1));
}

/* Of what no result reads nothing is known for other sizes. */
static hy_array *resize_unread_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    tb_runs++;
    return hy_mul_scalar(F, x, (double)hy_dim(F, hy_concat(F, hy_group(F, x, x), 1), 1));
}

static void resize_asks_for_single_dims(void)
{
    static const struct { hy_array *(*forward)(hy_frame *, hy_block *, hy_array *); int runs; } way[] = {
        { resize_heads_forward, 1 }, { resize_length_forward, 4 }, { resize_unread_forward, 12 } };
    hy_frame *F = tb_threads(2);
    int k, n, t, round;
    for (k = 0; k < 3; k++) {
        sized_block *b = resize_net(F, 0, NULL, NULL), *line = resize_lines(F, 0, b);
        b->base.forward = line->base.forward = way[k].forward;
            tb_runs = 0;
        for (round = 0; round < 2; round++)
            for (n = 2; n < 5; n++)
                for (t = 2; t < 6; t++) {
                    hy_array *x, *y, *want;
                    hy_begin(F);
                    x = resize_two_input(F, n, t, n + t);
                    y = hy_call(F, &b->base, x);
                    want = hy_call(F, &line->base, x);
                    tb_runs--;
                    CHECK(hy_item(F, hy_max(F, hy_abs(F, hy_sub(F, y, want)), HY_ALL, NULL)) < 1e-5);
                    hy_end(F);
                }
        if (!CHECK(tb_runs == way[k].runs)) printf("    %d: %d runs of forward\n", k, tb_runs);
        CHECK(strstr(hy_cache_info(F, &b->base).bound, "hy_dim"));
    }
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* Views that passes make of moves that move nothing: sizes with the same product are other sizes. */
static hy_array *resize_views(hy_frame *F, hy_block *self, hy_array *x)
{
    const hy_reduce_opt keep = { 1, 0 };
    (void)self;
    x = hy_transpose(F, hy_sum(F, x, HY_AXES(2), &keep), HY_AXES(2, 0, 1));     /* (1,a,b) */
    x = hy_sum(F, hy_reshape(F, x, HY_INTS(-3, -2), NULL), HY_AXES(0), &keep);  /* (1,b) */
    return hy_transpose(F, hy_expand_dims(F, x, 2), HY_AXES(2, 1, 0));
}
static void resize_of_views(void)
{
    static const int sizes[][2] = { { 5, 6 }, { 6, 5 }, { 3, 10 }, { 15, 2 }, { 7, 5 }, { 4, 3 }, { 8, 9 }, { 9, 8 } };
    hy_frame *F = tb_open(1);
    hy_block *net = tb_block(F, "net", resize_views), *line = tb_block(F, "line", resize_views);
    int first, k;
    for (first = 0; first < 8; first++) {
        hy_hybridize(F, net, NULL);
        for (k = 0; k < 8; k++) {
            const int *s = sizes[(first + k) % 8];
            hy_array *x, *y, *want;
            hy_begin(F);
            x = hy_random_normal(F, HY_SHAPE(s[0], s[1], 2), 0, 1, NULL);
            y = hy_call(F, net, x);
            want = hy_call(F, line, x);
            CHECK(hy_size(F, y) == s[1] && hy_size(F, want) == s[1]);
            CHECK(hy_item(F, hy_max(F, hy_abs(F, hy_sub(F, y, want)), HY_ALL, NULL)) < 1e-5);
            hy_end(F);
        }
    }
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* A size that happens to be another one's needs no program: (n,8) of 8 rows runs in that of (7,8). */
static hy_array *resize_square(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_add(F, hy_transpose(F, hy_mul_scalar(F, x, 2), HY_AXES(1, 0)), hy_mean(F, hy_tanh(F, x), HY_ALL, NULL));
}
static void resize_of_sizes_that_meet(void)
{
    static const int rows[] = { 5, 7, 8, 6, 8 };
    hy_frame *F = tb_open(1);
    hy_block *net = tb_block(F, "net", resize_square), *line = tb_block(F, "line", resize_square);
    int k;
    hy_hybridize(F, net, NULL);
    for (k = 0; k < 5; k++) {
        hy_array *x = hy_random_normal(F, HY_SHAPE(rows[k], 8), 0, 1, NULL);
        CHECK(hy_item(F, hy_max(F, hy_abs(F, hy_sub(F, hy_call(F, net, x), hy_call(F, line, x))), HY_ALL, NULL)) < 1e-6);
    }
    CHECK(hy_cache_info(F, net).programs == 2);
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* --- a plan as formulas of sizes --- */
/* The number behind "1024*n0 + 32*n0*n1 + 64", for sizes by number; *text goes behind it. */
static double resize_formula(const char **text, const double *size)
{
    double sum = 0, sign = 1;
    for (;;) {
        double term = 1;
        for (;;) {
            char *end = NULL;
            if (**text == 'n') { term *= size[(*text)[1] - '0']; *text += 2; }
            else { term *= strtod(*text, &end); *text = end; }
            if (**text != '*') break;
            ++*text;
        }
        sum += sign * term;
        if (strncmp(*text, " + ", 3) && strncmp(*text, " - ", 3)) return sum;
        sign = (*text)[1] == '-' ? -1 : 1;
        *text += 3;
    }
}

/* What is said of a plan holds for plans of other sizes: values that live at the same time lie beside each other. */
static void resize_plans_are_formulas(void)
{
    hy_frame *F = tb_threads(1);
    static char text[1 << 14];
    int seed, i, formulas = 0;
    for (seed = 0; seed < 60; seed++) {
        sized_block *b = resize_net(F, seed, NULL, NULL);
        const char *at;
        double size[2];
        hy_begin(F);
        if (hy_plan_text(F, &b->base, sized_input(F, 12, 0), text, sizeof text) >= sizeof text || !text[0]) CHECK(!"text");
        at = strstr(text, "activations: ");
        CHECK(at && strstr(text, "outputs: ") && strstr(text, "holds for "));
        size[0] = size[1] = SIZED_WIDTH;
        for (i = 0; at && i < (strstr(text, ": data[0]") ? 3 : 1) && !strstr(text, "alone") && !strchr(text, '?') && !strstr(at, "floor") && !strstr(at, "m(n"); i++) {
            const int rows = i ? i > 1 ? 40 : 13 : 12;
            const hy_plan_info info = hy_plan(F, &b->base, sized_input(F, rows, 0));
            const char *next = at + 13;
            double most = 0;
            if (strstr(text, ": data[0]")) size[0] = rows;           /* n0 is the first */
            if (!strncmp(next, "the largest of ", 15)) next += 15;
            for (;; next += 2) {
                const double sum = resize_formula(&next, size);
                if (sum > most) most = sum;
                if (*next != ',') break;
            }
            if (!CHECK(most <= (double)info.activations && (double)info.activations <= 1.25 * most + 64 * 24))
                printf("    network %d, %d rows: %g, %g planned: %s\n", seed, rows, most, (double)info.activations, text);
            formulas++;
        }
        OK(F);
        hy_end(F);
        hy_block_free(F, &b->base);
    }
    if (!CHECK(formulas > 60)) printf("    %d formulas\n", formulas);
    CHECK(hy_close(F) == 0);
}

/* Its words. */
static void resize_plans_say(void)
{
    hy_frame *F = tb_threads(1);
    hy_block *net = hy_nn_hybrid_sequential(F);
    char text[1024], cut[20];
    size_t n;
    hy_append(F, net, hy_nn_dense(F, 256, NULL));
    hy_append(F, net, hy_nn_activation(F, "relu"));
    hy_append(F, net, hy_nn_dense(F, 10, NULL));
    CHECK(hy_plan_text(F, net, hy_ones(F, HY_SHAPE(64, 512)), text, sizeof text) == 0 && hy_error(F));
    hy_clear(F);
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    n = hy_plan_text(F, net, hy_ones(F, HY_SHAPE(64, 512)), text, sizeof text);
    CHECK(n == strlen(text));
    CHECK(strstr(text, "size n0, here 64: data[0]\n") && strstr(text, "outputs: 40*n0 bytes\n"));
#ifndef HYBRID_USE_CBLAS                /* whose products take no relu along */
    CHECK_STR(text, "size n0, here 64: data[0]\n"
              "relu0_fwd (n0,256) float32: 1024*n0 bytes\n"
              "dense1_fwd (n0,10) float32: 40*n0 bytes of an output\n"
              "activations: 1024*n0 bytes; 65536 are planned here\n"
              "outputs: 40*n0 bytes\n"
              "holds for sizes of 2 and more\n");
#endif
    CHECK(hy_plan_text(F, net, hy_ones(F, HY_SHAPE(64, 512)), cut, sizeof cut) == n && !strcmp(cut, "size n0, here 64: d"));
    CHECK(hy_plan_text(F, net, hy_ones(F, HY_SHAPE(64, 512)), NULL, 0) == n);
    hy_plan_text(F, net, hy_ones(F, HY_SHAPE(1, 512)), text, sizeof text);
    CHECK(strstr(text, "holds for these sizes alone: all its sizes are 0 or 1 or tied to parameters"));
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* Memory for larger sizes stays little, also where results have as much scratch. */
static hy_array *resize_outer(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_dot(F, x, x, NULL);
}
static void resize_plans_little(void)
{
    int k, exact;
    for (exact = 0; exact < 2; exact++) {
        hy_frame *F = tb_threads(1);
        hy_block *net = tb_block(F, "net", resize_outer);
        hy_hybridize_opt opt = { 0 };
        opt.exact = exact;
        hy_hybridize(F, net, &opt);
        for (k = 2; k < 7; k++) {
            hy_begin(F);
            CHECK(hy_call(F, net, hy_cast(F, hy_ones(F, HY_SHAPE(k, k, k, k)), HY_F16)) != NULL);
            CHECK(hy_memory_use(F).bytes < 64 << 20);
            hy_end(F);
        }
        OK(F);
        CHECK(hy_close(F) == 0);
    }
}

/* Formulas longer than a line, and with more terms than are kept. */
static hy_array *resize_long(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *flat[10], *y;
    int i;
    (void)self;
    for (i = 0; i < 10; i++) flat[i] = hy_tanh(F, hy_reshape(F, hy_get(F, x, i), HY_INTS(-1), NULL));
    y = hy_relu(F, hy_concat(F, hy_group_of(F, 10, flat), 0));
    return hy_group(F, hy_dot(F, hy_expand_dims(F, y, 1), hy_expand_dims(F, y, 0), NULL), y);
}
static void resize_plans_long(void)
{
    static char text[1 << 14];
    hy_frame *F = tb_threads(1);
    hy_block *net = tb_block(F, "net", resize_long);
    hy_array *x[10];
    const char *at;
    int i;
    for (i = 0; i < 10; i++) x[i] = hy_ones(F, HY_SHAPE(2 + i, 13 - i));
    hy_hybridize(F, net, NULL);
    CHECK(hy_plan_text(F, net, hy_group_of(F, 10, x), text, sizeof text) < sizeof text);
    CHECK(!strstr(text, "-n") && !strstr(text, ": -") && strstr(text, "? bytes"));
    for (at = text; *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : "") {
        const size_t n = strcspn(at, "\n");
        CHECK(!strncmp(at, "size ", 5) || !strncmp(at, "holds ", 6) || !strncmp(at, "    where", 9) || strstr(at, " bytes"));
        CHECK(at[n] == '\n' && (n < 6 || strncmp(at, "outputs: ", 9) || !strncmp(at + n - 6, " bytes", 6)));
    }
    OK(F);
    CHECK(hy_close(F) == 0);
}

#ifndef HYBRID_NO_THREADS
typedef struct resize_lane { hy_frame *F; sized_block *b; hy_array *in[4], *want[4]; int bad, turn; } resize_lane;
static void *resize_run(void *arg)
{
    resize_lane *w = (resize_lane *)arg;
    int i;
    for (i = 0; i < 200; i++) {
        const int k = (i * (1 + w->turn) + i / 7) % 4;
        hy_begin(w->F);
        w->bad += !passes_same(w->F, hy_call(w->F, &w->b->base, w->in[k]), w->want[k]);
        hy_end(w->F);
    }
    return NULL;
}

/* Frames share programs; each has its own sizes. */
static void resize_in_two_frames(void)
{
    hy_frame *F = tb_threads(3);
    sized_block *b = resize_two(F, NULL, 0), *fresh = resize_two(F, b, HY_PASS_SIZES);
    resize_lane w[2];
    pthread_t thread[2];
    int i, k;
    memset(w, 0, sizeof w);
    for (i = 0; i < 2; i++) {
        w[i].F = hy_fork(F);
        w[i].b = b;
        w[i].turn = i;
        for (k = 0; k < 4; k++) {
            w[i].in[k] = hy_keep(F, resize_two_input(F, 2, 9 + 7 * k, k));
            w[i].want[k] = hy_keep(F, hy_call(F, &fresh->base, w[i].in[k]));
        }
    }
    for (i = 0; i < 2; i++) pthread_create(&thread[i], NULL, resize_run, &w[i]);
    for (i = 0; i < 2; i++) pthread_join(thread[i], NULL);
    for (i = 0; i < 2; i++) { CHECK(!w[i].bad); OK(w[i].F); CHECK(hy_close(w[i].F) == 0); }
    CHECK(hy_cache_info(F, &b->base).resizes > 0);
    OK(F);
    CHECK(hy_close(F) == 0);
}
#endif

static void test_resize(void)
{
    RUN(resize_of_two_sizes);
    RUN(resize_allocates_nothing);
    RUN(resize_without_memory);
    RUN(resize_says_what_is_fixed);
    RUN(resize_fails_as_line_by_line);
    RUN(resize_refuses_as_line_by_line);
    RUN(resize_decodes);
    RUN(resize_asks_for_single_dims);
    RUN(resize_of_traces_that_ask);
    RUN(resize_of_views);
    RUN(resize_of_sizes_that_meet);
    RUN(resize_plans_say);
    RUN(resize_plans_little);
    RUN(resize_plans_long);
    RUN(resize_plans_are_formulas);
#ifndef HYBRID_NO_THREADS
    RUN(resize_in_two_frames);
#endif
    RUN(resize_gives_the_bits_of_fresh_programs);
}
