/* Networks of images take on other batches: in any order of batches, through one network, every bit is that of a
 * program which was compiled for just that batch. */

enum { IMAGES_VALUES = 12, IMAGES_ARRAYS = 64 };
typedef struct images_block {
    hy_block  base;
    uint64_t  seed;
    int       steps, arrays;
    hy_array *array[IMAGES_ARRAYS];             /* parameters in the order of their use, made line by line */
} images_block;
typedef struct images_walk { images_block *b; uint64_t seed; int arrays; } images_walk;

static int images_draw(images_walk *W, int n) { return (int)(sized_next(&W->seed) % (uint32_t)n); }

static hy_array *images_array(hy_frame *F, images_walk *W, hy_shape shape, double scale)
{
    images_block *b = W->b;
    if (W->arrays == b->arrays && b->arrays < IMAGES_ARRAYS)
        b->array[b->arrays++] = hy_keep(F, shape.ndim > 1 ? hy_normal(F, shape, 0, scale)
                                                          : hy_uniform(F, shape, 0.1, scale));
    return b->array[W->arrays++];
}

static hy_array *images_convolution(hy_frame *F, images_walk *W, hy_array *x)
{
    static const int filters[] = { 1, 3, 8, 16, 16, 32, 48 }, kernels[] = { 1, 1, 3, 3, 3, 4, 5, 7 };
    const int channels = hy_dim(F, x, 1), kind = images_draw(W, 6), k = kernels[images_draw(W, 8)];
    int n = filters[images_draw(W, 7)], groups = 1;
    hy_convolution_opt o;
    hy_array *w;
    memset(&o, 0, sizeof o);
    if (kind == 0) groups = n = channels;
    if (kind == 1 && channels % 2 == 0 && n % 2 == 0) groups = 2;
    o.num_group = groups;
    if (images_draw(W, 3) == 0) o.stride = HY_INTS(2, 2);
    if (images_draw(W, 3) || hy_dim(F, x, 2) < k || hy_dim(F, x, 3) < k) o.pad = HY_INTS(k / 2, k / 2);
    o.no_bias = images_draw(W, 2);
    w = images_array(F, W, HY_SHAPE(n, channels / groups, k, k), 1.0 / (k * (channels / groups + 1)));
    return hy_convolution(F, x, w, o.no_bias ? NULL : images_array(F, W, HY_SHAPE(n), 1), HY_INTS(k, k), n, &o);
}

static hy_array *images_pooling(hy_frame *F, images_walk *W, hy_array *x)
{
    hy_pooling_opt o;
    memset(&o, 0, sizeof o);
    o.pool_type = images_draw(W, 2) ? HY_POOL_AVG : HY_POOL_MAX;
    o.stride = HY_INTS(1 + images_draw(W, 2), 1);
    o.pad = HY_INTS(1, 1);
    return hy_pooling(F, x, HY_INTS(3, 3), &o);
}

/* Numbers per channel that the means of x decide, as squeeze and excitation has them. */
static hy_array *images_excite(hy_frame *F, images_walk *W, hy_array *x)
{
    hy_convolution_opt o;
    hy_pooling_opt whole;
    const int channels = hy_dim(F, x, 1);
    hy_array *y;
    memset(&o, 0, sizeof o);
    memset(&whole, 0, sizeof whole);
    whole.pool_type = HY_POOL_AVG;
    whole.global_pool = 1;
    o.no_bias = 1;
    y = hy_pooling(F, x, HY_INTS(1, 1), &whole);
    y = hy_convolution(F, y, images_array(F, W, HY_SHAPE(8, channels, 1, 1), 0.2), NULL, HY_INTS(1, 1), 8, &o);
    y = hy_convolution(F, hy_relu(F, y), images_array(F, W, HY_SHAPE(channels, 8, 1, 1), 0.2), NULL, HY_INTS(1, 1),
                       channels, &o);
    return hy_mul(F, x, hy_sigmoid(F, y));
}

static hy_array *images_normalise(hy_frame *F, images_walk *W, hy_array *x)
{
    const int channels = hy_dim(F, x, 1), what = images_draw(W, 4);
    hy_array *v[4];
    hy_group_norm_opt o;
    int i;
    memset(&o, 0, sizeof o);
    for (i = 0; i < 4; i++) v[i] = images_array(F, W, HY_SHAPE(channels), 1);
    if (what > 1) return hy_get(F, hy_batch_norm(F, x, v[0], v[1], v[2], v[3], NULL), 0);
    o.num_groups = channels % 2 ? 1 : 2;
    return what ? hy_instance_norm(F, x, v[0], v[1], NULL)
                : hy_get(F, hy_group_norm(F, x, images_array(F, W, HY_SHAPE(o.num_groups), 1),
                                          images_array(F, W, HY_SHAPE(o.num_groups), 1), &o), 0);
}

/* Channels in another order, as grouped networks shuffle them. */
static hy_array *images_shuffle(hy_frame *F, hy_array *x)
{
    const int channels = hy_dim(F, x, 1);
    if (channels % 2) return hy_reverse(F, x, HY_AXES(1));
    x = hy_reshape(F, x, HY_INTS(0, -4, 2, channels / 2, -2), NULL);
    x = hy_transpose(F, x, HY_AXES(0, 2, 1, 3, 4));
    return hy_reshape(F, x, HY_INTS(0, -3, -2), NULL);
}

/* One more value of x, beside which y may stand. */
static hy_array *images_step(hy_frame *F, images_walk *W, hy_array *x, hy_array *y)
{
    const int same = hy_dim(F, x, 1) == hy_dim(F, y, 1) && hy_dim(F, x, 2) == hy_dim(F, y, 2) &&
                     hy_dim(F, x, 3) == hy_dim(F, y, 3);
    switch (images_draw(W, 16)) {
    case 0: return hy_relu(F, x);
    case 1: return hy_clip(F, x, 0, 6);
    case 2: return images_pooling(F, W, x);
    case 3: return same ? hy_add(F, x, y) : hy_tanh(F, x);
    case 4: return images_excite(F, W, x);
    case 5: return images_normalise(F, W, x);
    case 6: return same ? hy_concat(F, hy_group(F, x, y), 1) : hy_sin(F, x);
    case 7: return images_shuffle(F, x);
    case 8: return hy_dim(F, x, 2) > 16 ? hy_abs(F, x) : hy_upsampling(F, x, 2, NULL);
    case 9: return hy_pad(F, x, HY_INTS(0, 0, 0, 0, 1, 1, 0, 2), HY_PAD_CONSTANT, NULL);
    default: return images_convolution(F, W, x);
    }
}

/* Gives all values that nothing reads: what is asked of others is not known for other batches. */
static hy_array *images_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    images_walk W;
    hy_array *value[IMAGES_VALUES], *out[IMAGES_VALUES];
    int read[IMAGES_VALUES] = { 0 }, n = 1, i, outs = 0;
    W.b = (images_block *)(void *)self;
    W.seed = W.b->seed;
    W.arrays = 0;
    value[0] = x;
    for (; n <= W.b->steps; n++) {
        const int from = n - 1 - (images_draw(&W, 4) == 0 && n > 1), beside = images_draw(&W, n);
        value[n] = images_step(F, &W, value[from], value[beside]);
        read[from] = 1;
    }
    for (i = 1; i < n; i++) if (!read[i]) out[outs++] = value[i];
    if (images_draw(&W, 2)) return hy_group_of(F, outs, out);
    x = hy_mean(F, hy_reshape(F, value[n - 1], HY_INTS(0, 0, -1), NULL), HY_AXES(2), NULL);
    out[outs - 1] = hy_fully_connected(F, x, images_array(F, &W, HY_SHAPE(10, hy_dim(F, x, 1)), 0.3),
                                       images_array(F, &W, HY_SHAPE(10), 1), 10, NULL);
    return hy_group_of(F, outs, out);
}

static hy_array *images_input(hy_frame *F, images_block *b, int n, int at)
{
    static const int channels[] = { 1, 3, 3, 16, 32 };
    const int side = 5 + (int)(b->seed % 8), c = channels[b->seed % 5];
    hy_array *x = hy_arange(F, 0, (double)n * c * side * side, 1);
    return hy_reshape(F, hy_sin(F, hy_mul_scalar(F, x, 0.37 + at)), HY_INTS(n, c, side, side), NULL);
}

typedef struct images_counts { int calls, resizes, fixed; } images_counts;
static void images_network(hy_frame *F, int seed, images_counts *c)
{
    static const int batches[] = { 7, 2, 16, 3, 5, 8, 1, 17, 4, 12 };
    images_block *b = HY_BLOCK_NEW(F, images_block, images_forward);
    images_block *fresh = HY_BLOCK_NEW(F, images_block, images_forward);
    hy_hybridize_opt opt;
    hy_cache_stats s;
    int i;
    memset(&opt, 0, sizeof opt);
    opt.exact = seed % 5 == 4;
    b->seed = (uint64_t)seed;
    b->steps = 1 + seed % (IMAGES_VALUES - 1);
    hy_begin(F);
    CHECK(hy_call(F, &b->base, images_input(F, b, 2, 0)) != NULL);
    fresh->seed = b->seed;
    fresh->steps = b->steps;
    fresh->arrays = b->arrays;
    memcpy(fresh->array, b->array, sizeof fresh->array);
    hy_hybridize(F, &b->base, &opt);
    opt.off = HY_PASS_SIZES;
    hy_hybridize(F, &fresh->base, &opt);
    hy_end(F);
    for (i = 0; i < (int)(sizeof batches / sizeof *batches); i++) {
        hy_array *x, *y;
        hy_begin(F);
        x = images_input(F, b, batches[i], i);
        y = hy_call(F, &b->base, x);
        if (!CHECK(y && passes_same(F, y, hy_call(F, &fresh->base, x))))
            printf("    network %d, %d images: %s\n", seed, batches[i], hy_error(F) ? hy_error(F) : "");
        hy_end(F);
    }
    s = hy_cache_info(F, &b->base);
    c->calls += i;
    c->resizes += (int)s.resizes;
    c->fixed += s.fixed[0] != 0;
#ifdef IMAGES_SHOW
    printf("network %d: %d programs, %d resizes, %s\n", seed, s.programs, (int)s.resizes, s.fixed);
#endif
    for (i = 0; i < b->arrays; i++) hy_free(F, b->array[i]);
    hy_block_free(F, &b->base);
    hy_block_free(F, &fresh->base);
}

static void images_of_other_batches(void)
{
    static const int threads[] = { 1, 3, 7 };
    images_counts c;
    int i, k;
    memset(&c, 0, sizeof c);
    for (k = 0; k < 3; k++) {
        hy_desc desc;
        hy_frame *F;
        memset(&desc, 0, sizeof desc);
        desc.threads = threads[k];
        F = hy_open(&desc);
        for (i = 20 * k; i < 20 * k + 20; i++) images_network(F, i, &c);
        OK(F);
        CHECK(hy_close(F) == 0);
    }
    if (!CHECK(c.resizes > c.calls / 2)) printf("    %d of %d calls were resized, %d networks stay fixed\n", c.resizes,
                                               c.calls, c.fixed);
}

/* Expanded, each channel by itself, projected: one operator where there are vectors, for any batch. */
static hy_array *images_inverted(hy_frame *F, hy_block *self, hy_array *x)
{
    images_walk W;
    hy_convolution_opt o;
    W.b = (images_block *)(void *)self;
    W.arrays = 0;
    memset(&o, 0, sizeof o);
    o.pad = HY_INTS(1, 1);
    x = hy_relu(F, hy_convolution(F, x, images_array(F, &W, HY_SHAPE(32, 3, 3, 3), 0.3), images_array(F, &W, HY_SHAPE(32), 1),
                                  HY_INTS(3, 3), 32, &o));
    o.pad = HY_EMPTY;
    x = hy_convolution(F, x, images_array(F, &W, HY_SHAPE(96, 32, 1, 1), 0.3), images_array(F, &W, HY_SHAPE(96), 1),
                       HY_INTS(1, 1), 96, &o);
    o.num_group = 96;
    o.pad = HY_INTS(1, 1);
    o.stride = HY_INTS(2, 2);
    x = hy_convolution(F, hy_relu(F, x), images_array(F, &W, HY_SHAPE(96, 1, 3, 3), 0.3), images_array(F, &W, HY_SHAPE(96), 1),
                       HY_INTS(3, 3), 96, &o);
    memset(&o, 0, sizeof o);
    return hy_convolution(F, hy_relu(F, x), images_array(F, &W, HY_SHAPE(32, 96, 1, 1), 0.3), images_array(F, &W, HY_SHAPE(32), 1),
                          HY_INTS(1, 1), 32, &o);
}
static void images_of_chains(void)
{
    static const int batches[] = { 3, 2, 1, 4, 2 };
    hy_frame *F = tb_threads(1);
    images_block *b = HY_BLOCK_NEW(F, images_block, images_inverted), *fresh = HY_BLOCK_NEW(F, images_block, images_inverted);
    hy_hybridize_opt opt;
    hy_graph *planned;
    hy_node node;
    int i, chains = 0;
    if (hy_isa(F) < HY_ISA_AVX2) { CHECK(hy_close(F) == 0); return; }
    memset(&opt, 0, sizeof opt);
    hy_call(F, &b->base, hy_ones(F, HY_SHAPE(1, 3, 112, 112)));
    memcpy(fresh->array, b->array, sizeof fresh->array);
    fresh->arrays = b->arrays;
    hy_hybridize(F, &b->base, &opt);
    opt.off = HY_PASS_SIZES;
    hy_hybridize(F, &fresh->base, &opt);
    planned = hy_planned(F, &b->base, hy_ones(F, HY_SHAPE(3, 3, 112, 112)));
    for (i = 0; !hy_graph_node(planned, i, &node); i++) chains += node.op && strstr(node.op->name, "chain") != NULL;
    hy_graph_free(F, planned);
    for (i = 0; i < 5; i++) {
        hy_array *x;
        hy_begin(F);
        x = hy_sin(F, hy_reshape(F, hy_arange(F, 0, batches[i] * 37632.0, 1), HY_INTS(batches[i], 3, 112, 112), NULL));
        CHECK(passes_same(F, hy_call(F, &b->base, x), hy_call(F, &fresh->base, x)));
        hy_end(F);
    }
    if (!CHECK(chains == 1 && hy_cache_info(F, &b->base).resizes >= 2 && !hy_cache_info(F, &b->base).fixed[0]))
        printf("    %d chains, %d resizes, %s\n", chains, (int)hy_cache_info(F, &b->base).resizes, hy_cache_info(F, &b->base).fixed);
    for (i = 0; i < b->arrays; i++) hy_free(F, b->array[i]);
    OK(F);
    CHECK(hy_close(F) == 0);
}

static void test_resize_images(void)
{
    RUN(images_of_chains);
    RUN(images_of_other_batches);
}
