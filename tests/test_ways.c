/* Every way that a convolution goes: a row names data, window and what comes behind, and the way that is
 * due line by line and compiled. Each row is run with one thread and three on instruction sets in turns, line
 * by line, compiled, compiled with exact, compiled while it is recorded, and operator by operator in memory
 * that ends where its arrays end; forward and back it is compared with plain sums in doubles, written here
 * from the definition, once for each row. */
#include <math.h>

enum { WAY_LAYERS = 3, WAY_VALUES = 3 * WAY_LAYERS + 2 };
enum { WAY_PLAIN, WAY_RELU, WAY_CLIP, WAY_SIX, WAY_ADD, WAY_ADD_LEFT, WAY_ADD_RELU, WAY_TWICE, WAY_POOL,
       WAY_POOL_CLIP, WAY_RELU_POOL, WAY_RELU_POOL_ONE, WAY_SILU, WAY_HARD_SWISH, WAY_GELU, WAY_ADD_SILU };
static const char *const way_ends[] = { "plain", "relu", "clip", "six", "add", "left", "add_relu", "twice", "pool",
                                         "pool_clip", "relu_pool", "relu_pool_one", "silu", "hard_swish", "gelu",
                                         "add_silu" };

/* Sizes have three dims, the first ones 1 where there are fewer. */
typedef struct way_layer {
    int filters, groups, each, transposed, no_bias, end, kernel[3], stride[3], dilate[3], pad[3], adj[3];
    int differs, far[3];                /* padding behind each dim, if it is not that in front */
} way_layer;
typedef struct way_row {
    int dims, images, channels, size[3], last, layers;
    hy_dtype dtype;
    way_layer layer[WAY_LAYERS];
} way_row;

/* --- the table's words --- *
 * (images)x(channels)x(sizes) of the data, then for each convolution, behind a ; from the second one on: filters,
 * or xN for N filters of each channel alone, kNxN, and where they are not 1 or 0 s, d, p, e (padding behind,
 * where it is not that of p), a (adj), g for groups; t if it is transposed, nobias, and what comes behind it. last,
 * f64, f16, bf16 for all. A number may be a range
 * such as 1..70: the row is run with each. */
static const char *way_number(const char *s, int turn, int *turns, int *to)
{
    char *end;
    *to = (int)strtol(s, &end, 10);
    if (end[0] != '.') return end;
    *turns = (int)strtol(end + 2, &end, 10) - *to + 1;
    *to += turn;
    return end;
}

static const char *way_numbers(const char *s, int turn, int *turns, int *list, int *n)
{
    for (*n = 0; *n < 5; s++) {
        s = way_number(s, turn, turns, &list[(*n)++]);
        if (*s != 'x') break;
    }
    return s;
}

/* For each dim, the same in all if it is given once; the dims in front have `other`. */
static const char *way_sizes(const char *s, int turn, int *turns, int dims, int other, int *to)
{
    int list[5], n, d;
    s = way_numbers(s, turn, turns, list, &n);
    for (d = 0; d < 3; d++) to[d] = d < 3 - dims ? other : list[n == 1 ? 0 : d - (3 - dims)];
    return s;
}

static int way_end(const char *s, size_t n)
{
    int k;
    for (k = 0; k < (int)(sizeof way_ends / sizeof *way_ends); k++)
        if (strlen(way_ends[k]) == n && !strncmp(way_ends[k], s, n)) return k;
    return -1;
}

static void way_layer_new(way_row *r)
{
    way_layer *l = &r->layer[r->layers++];
    int d;
    memset(l, 0, sizeof *l);
    l->groups = 1;
    for (d = 0; d < 3; d++) l->kernel[d] = l->stride[d] = l->dilate[d] = 1;
}

static const char *way_word(const char *s, int turn, int *turns, way_row *r)
{
    way_layer *l = &r->layer[r->layers - 1];
    const size_t n = strcspn(s, " ");
    if (*s == ';') { way_layer_new(r); return s + 1; }
    if (way_end(s, n) >= 0) { l->end = way_end(s, n); return s + n; }
    if (!strncmp(s, "last", n)) { r->last = 1; return s + n; }
    if (!strncmp(s, "nobias", n)) { l->no_bias = 1; return s + n; }
    if (!strncmp(s, "f64", n)) { r->dtype = HY_F64; return s + n; }
    if (!strncmp(s, "f16", n)) { r->dtype = HY_F16; return s + n; }
    if (!strncmp(s, "bf16", n)) { r->dtype = HY_BF16; return s + n; }
    switch (*s) {
    case 'k': return way_sizes(s + 1, turn, turns, r->dims, 1, l->kernel);
    case 's': return way_sizes(s + 1, turn, turns, r->dims, 1, l->stride);
    case 'd': return way_sizes(s + 1, turn, turns, r->dims, 1, l->dilate);
    case 'p': return way_sizes(s + 1, turn, turns, r->dims, 0, l->pad);
    case 'e': l->differs = 1; return way_sizes(s + 1, turn, turns, r->dims, 0, l->far);
    case 'a': return way_sizes(s + 1, turn, turns, r->dims, 0, l->adj);
    case 'g': return way_number(s + 1, turn, turns, &l->groups);
    case 'x': return way_number(s + 1, turn, turns, &l->each);
    case 't': l->transposed = 1; return s + 1;
    default: return way_number(s, turn, turns, &l->filters);
    }
}

/* How many turns a row has; r is the one of number `turn`. */
static int way_read(const char *s, int turn, way_row *r)
{
    int turns = 1, list[5], n, k, channels;
    memset(r, 0, sizeof *r);
    s = way_numbers(s, turn, &turns, list, &n);
    r->dtype = HY_F32;
    r->dims = n - 2;
    r->images = list[0];
    r->channels = channels = list[1];
    for (k = 0; k < 3; k++) r->size[k] = k < 3 - r->dims ? 1 : list[k - (3 - r->dims) + 2];
    way_layer_new(r);
    while (*s) {
        const char *from = s;
        if (*s == ' ') { s++; continue; }
        s = way_word(s, turn, &turns, r);
        if (!CHECK(s > from)) break;
    }
    for (k = 0; k < r->layers; k++) {
        way_layer *l = &r->layer[k];
        if (!l->differs) memcpy(l->far, l->pad, sizeof l->far);
        if (l->each) { l->groups = channels; l->filters = channels * l->each; }
        channels = l->filters;
    }
    return turns;
}

/* --- plain sums --- */
static TEST_HOT int way_places(const int *size) { return size[0] * size[1] * size[2]; }

/* The sides of a window: convolution goes from the fine one to the coarse one, transposed back. */
static void way_out_size(const way_layer *l, const int *in, int *out)
{
    int d;
    for (d = 0; d < 3; d++) {
        const int extent = (l->kernel[d] - 1) * l->dilate[d] + 1;
        out[d] = l->transposed ? (in[d] - 1) * l->stride[d] + extent - l->pad[d] - l->far[d] + l->adj[d]
                               : (in[d] + l->pad[d] + l->far[d] - extent) / l->stride[d] + 1;
    }
}

/* The fine place that a coarse one meets with a tap; -1: none. */
static TEST_HOT int way_fine(const way_layer *l, const int *fine, const int *coarse, int place, int tap)
{
    int d, at[3], q[3], k[3];
    for (d = 2; d >= 0; d--) {
        q[d] = place % coarse[d];
        k[d] = tap % l->kernel[d];
        place /= coarse[d];
        tap /= l->kernel[d];
        at[d] = q[d] * l->stride[d] + k[d] * l->dilate[d] - l->pad[d];
        if (at[d] < 0 || at[d] >= fine[d]) return -1;
    }
    return (at[0] * fine[1] + at[1]) * fine[2] + at[2];
}

/* Sums go fastest over filters that lie side by side: data and results as (images, places, channels), weights as
 * (taps, groups, channels, filters) of a group; [1] of each is what errors are measured by. */
typedef struct way_turned {
    int images, groups, channels, filters, in, out;
    double *x[2], *w[2], *y[2], *dx[2], *dw[2];
} way_turned;

static TEST_HOT double *way_turn(const double *v, const plain_images *t)
{
    const int places = way_places(t->size);
    double *to = (double *)malloc(((size_t)images_count(t) + 1) * sizeof *to);
    int n, c, p;
    for (n = 0; n < t->n; n++)
        for (c = 0; c < t->c; c++)
            for (p = 0; p < places; p++) to[(n * places + p) * t->c + c] = *v++;
    return to;
}

/* Adds what was turned to what it was turned from. */
static TEST_HOT void way_turn_back(double *v, const plain_images *t, double *turned)
{
    const int places = way_places(t->size);
    int n, c, p;
    for (n = 0; n < t->n && turned; n++)
        for (c = 0; c < t->c; c++)
            for (p = 0; p < places; p++) *v++ += turned[(n * places + p) * t->c + c];
    free(turned);
}

/* A copy of weights in the order of sums, or, back, what lies in that order added to them. */
static TEST_HOT double *way_turn_weights(const way_layer *l, double *v, const plain_images *w, const way_turned *s,
                                         double *turned)
{
    const int taps = way_places(w->size), cg = s->channels, fg = s->filters;
    double *to = turned ? turned : (double *)malloc(((size_t)images_count(w) + 1) * sizeof *to);
    int tap, g, c, f, i = 0;
    for (tap = 0; tap < taps; tap++)
        for (g = 0; g < s->groups; g++)
            for (c = 0; c < cg; c++)
                for (f = 0; f < fg; f++, i++) {
                    const int at = l->transposed ? ((g * cg + c) * fg + f) * taps + tap
                                                 : ((g * fg + f) * cg + c) * taps + tap;
                    if (turned) v[at] += to[i];
                    else to[i] = v[at];
                }
    if (!turned) return to;
    free(turned);
    return NULL;
}

/* What one tap does between two places: y += w x, or with y of the same kind, dx += w y and dw += x y. */
static TEST_HOT void way_meet(const way_turned *s, int tap, int from, int to, int back)
{
    const int cg = s->channels, fg = s->filters;
    int n, g, c, f, k;
    for (n = 0; n < s->images; n++)
        for (g = 0; g < s->groups; g++)
            for (k = 0; k < 2; k++) {
                const int a = ((n * s->in + from) * s->groups + g) * cg, i = (tap * s->groups + g) * cg * fg;
                const double *x = s->x[k] + a, *w = s->w[k] + i;
                double *restrict y = s->y[k] + ((n * s->out + to) * s->groups + g) * fg;
                double *restrict dx = back ? s->dx[k] + a : NULL, *restrict dw = back ? s->dw[k] + i : NULL;
                for (c = 0; c < cg; c++, w += fg) {
                    const double by = x[c];
                    double sum = 0;
                    if (!back) { for (f = 0; f < fg; f++) y[f] += by * w[f]; continue; }
                    for (f = 0; f < fg; f++) sum += w[f] * y[f];
                    for (f = 0; f < fg; f++) dw[f] += by * y[f];
                    dx[c] += sum;
                    dw += fg;
                }
            }
}

/* Forward y is added to; back dx and dw are, and y is the gradient. differs: only these places of x count. */
static TEST_HOT void way_walk(const way_layer *l, const plain_images *x, const plain_images *w, plain_images *y,
                              const char *differs, plain_images *dx, plain_images *dw)
{
    const int *fine = l->transposed ? y->size : x->size, *coarse = l->transposed ? x->size : y->size;
    const int taps = way_places(w->size), back = dx != NULL;
    way_turned s;
    int place, tap, at, k;
    memset(&s, 0, sizeof s);
    s.images = x->n;
    s.groups = l->groups;
    s.channels = x->c / l->groups;
    s.filters = y->c / l->groups;
    s.in = way_places(x->size);
    s.out = way_places(y->size);
    for (k = 0; k < 2; k++) {
        s.x[k] = way_turn(k ? x->most : x->v, x);
        s.w[k] = way_turn_weights(l, k ? w->most : w->v, w, &s, NULL);
        s.y[k] = back ? way_turn(k ? y->most : y->v, y) : (double *)calloc((size_t)images_count(y) + 1, sizeof *y->v);
        if (back) s.dx[k] = (double *)calloc((size_t)images_count(x) + 1, sizeof *x->v);
        if (back) s.dw[k] = (double *)calloc((size_t)images_count(w) + 1, sizeof *w->v);
    }
    for (place = 0; place < way_places(coarse); place++)
        for (tap = 0; tap < taps; tap++) {
            at = way_fine(l, fine, coarse, place, tap);
            if (at < 0 || (differs && !differs[l->transposed ? place : at])) continue;
            way_meet(&s, tap, l->transposed ? place : at, l->transposed ? at : place, back);
        }
    for (k = 0; k < 2; k++) {
        free(s.x[k]);
        free(s.w[k]);
        if (!back) { way_turn_back(k ? y->most : y->v, y, s.y[k]); continue; }
        free(s.y[k]);
        way_turn_back(k ? dx->most : dx->v, dx, s.dx[k]);
        way_turn_weights(l, k ? dw->most : dw->v, dw, &s, s.dw[k]);
    }
}

static plain_images way_convolve(const way_layer *l, const plain_images *x, const plain_images *w, const plain_images *b)
{
    int size[3], i;
    plain_images y;
    way_out_size(l, x->size, size);
    y = images_room(x->n, l->filters, size);
    way_walk(l, x, w, &y, NULL, NULL, NULL);
    for (i = 0; i < images_count(&y) && b; i++) {
        const int f = i / way_places(y.size) % y.c;
        y.v[i] += b->v[f];
        y.most[i] += fabs(b->v[f]);
    }
    return y;
}

/* The largest of 2 x 2, NaN before all; `down` rows further each time. */
static TEST_HOT void way_pool(plain_images *y, int down)
{
    int size[3] = { 1, 0, 0 }, i, k;
    plain_images to;
    size[1] = (y->size[1] - 2) / down + 1;
    size[2] = y->size[2] / 2;
    to = images_room(y->n, y->c, size);
    for (i = 0; i < images_count(&to); i++) {
        const int plane = i / size[2] / size[1], row = i / size[2] % size[1] * down, col = i % size[2] * 2;
        to.v[i] = -HUGE_VAL;
        for (k = 0; k < 4; k++) {
            const int at = (plane * y->size[1] + row + k / 2) * y->size[2] + col + k % 2;
            if (to.v[i] == to.v[i] && !(y->v[at] <= to.v[i])) to.v[i] = y->v[at];
            if (!(y->most[at] <= to.most[i])) to.most[i] = y->most[at];
        }
    }
    free(y->v);
    *y = to;
}

static void way_limit(plain_images *y, double low, double high)
{
    int i;
    for (i = 0; i < images_count(y); i++) {
        if (y->v[i] < low) y->v[i] = low;
        if (y->v[i] > high) y->v[i] = high;
    }
}

static double way_function(int end, double v)
{
    switch (end) {
    case WAY_SILU: case WAY_ADD_SILU: return v / (1 + exp(-v));
    case WAY_HARD_SWISH: return v * (v < -3 ? 0 : v > 3 ? 1 : v / 6 + .5);
    case WAY_GELU: return v == -HUGE_VAL ? 0 : v * .5 * erfc(-v * sqrt(.5));
    default: return v;
    }
}

static void way_finish(plain_images *y, int end, const plain_images *two)
{
    const int adds = end == WAY_ADD || end == WAY_ADD_LEFT || end == WAY_ADD_RELU || end == WAY_ADD_SILU;
    int i;
    for (i = 0; i < images_count(y) && (adds || end == WAY_TWICE); i++) {
        y->v[i] += adds ? two->v[i] : y->v[i];
        y->most[i] += adds ? two->most[i] : y->most[i];
    }
    if (end == WAY_RELU || end == WAY_ADD_RELU || end == WAY_RELU_POOL || end == WAY_RELU_POOL_ONE)
        way_limit(y, 0, HUGE_VAL);
    if (end == WAY_CLIP) way_limit(y, -.25, .5);
    if (end == WAY_SIX) way_limit(y, 0, 6);
    if (end == WAY_POOL || end == WAY_POOL_CLIP || end == WAY_RELU_POOL) way_pool(y, 2);
    if (end == WAY_RELU_POOL_ONE) way_pool(y, 1);
    if (end == WAY_POOL_CLIP) way_limit(y, -.25, .5);
    for (i = 0; i < images_count(y); i++) y->v[i] = way_function(end, y->v[i]);     /* slopes of up to 1.5 */
    for (i = 0; i < images_count(y) && end >= WAY_SILU; i++) y->most[i] *= 1.5;
}

/* --- the same by the library --- */
typedef struct way_net { hy_block base; const way_row *row; int ends; hy_array *weight[3], *bias[3]; } way_net;

static hy_ints way_ints(const int *v, int dims)
{
    hy_ints a;
    int d;
    memset(&a, 0, sizeof a);
    a.n = dims;
    for (d = 0; d < dims; d++) a.v[d] = v[3 - dims + d];
    return a;
}

static hy_array *way_emit(hy_frame *F, const way_row *r, const way_layer *l, hy_array *x, hy_array *w, hy_array *b)
{
    const int layout = r->last ? HY_LAYOUT_NWC + r->dims - 1 : HY_LAYOUT_NONE;
    hy_convolution_opt o;
    hy_deconvolution_opt t;
    memset(&o, 0, sizeof o);
    memset(&t, 0, sizeof t);
    o.stride = t.stride = way_ints(l->stride, r->dims);
    o.dilate = t.dilate = way_ints(l->dilate, r->dims);
    o.pad = t.pad = way_ints(l->pad, r->dims);
    if (l->differs) o.pad_end = t.pad_end = way_ints(l->far, r->dims);
    t.adj = way_ints(l->adj, r->dims);
    o.num_group = t.num_group = l->groups;
    o.layout = t.layout = layout;
    o.no_bias = l->no_bias;
    t.use_bias = !l->no_bias;
    if (l->transposed) return hy_deconvolution(F, x, w, b, way_ints(l->kernel, r->dims), l->filters, &t);
    return hy_convolution(F, x, w, b, way_ints(l->kernel, r->dims), l->filters, &o);
}

static hy_array *way_end_of(hy_frame *F, int end, hy_array *y, hy_array *two)
{
    hy_hard_sigmoid_opt hard = { 0 };
    hy_pooling_opt p;
    memset(&p, 0, sizeof p);
    p.stride = HY_INTS(end == WAY_RELU_POOL_ONE ? 1 : 2, 2);
    switch (end) {
    case WAY_RELU: return hy_relu(F, y);
    case WAY_CLIP: return hy_clip(F, y, -.25, .5);
    case WAY_SIX: return hy_clip(F, y, 0, 6);
    case WAY_ADD: return hy_add(F, y, two);
    case WAY_ADD_LEFT: return hy_add(F, two, y);
    case WAY_ADD_RELU: return hy_relu(F, hy_add(F, y, two));
    case WAY_TWICE: return hy_add(F, y, y);
    case WAY_POOL: return hy_pooling(F, y, HY_INTS(2, 2), &p);
    case WAY_POOL_CLIP: return hy_clip(F, hy_pooling(F, y, HY_INTS(2, 2), &p), -.25, .5);
    case WAY_RELU_POOL: case WAY_RELU_POOL_ONE: return hy_pooling(F, hy_relu(F, y), HY_INTS(2, 2), &p);
    case WAY_SILU: return hy_mul(F, y, hy_sigmoid(F, y));
    case WAY_HARD_SWISH: hard.alpha = 1. / 6; hard.beta = .5; return hy_mul(F, hy_hard_sigmoid(F, y, &hard), y);
    case WAY_GELU: return hy_leaky_relu(F, y, HY_LEAKY_GELU, NULL);
    case WAY_ADD_SILU: y = hy_add(F, y, two); return hy_mul(F, y, hy_sigmoid(F, y));
    default: return y;
    }
}

static hy_array *way_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    way_net *net = (way_net *)(void *)self;
    const way_row *r = net->row;
    hy_array *two = hy_count(F, x) == 2 ? hy_get(F, x, 1) : NULL, *y = two ? hy_get(F, x, 0) : x;
    int k;
    for (k = 0; k < r->layers; k++) {
        y = way_emit(F, r, &r->layer[k], y, net->weight[k], net->bias[k]);
        if (net->ends) y = way_end_of(F, r->layer[k].end, y, two);
    }
    return y;
}

/* (n, c, places) as it lies, perhaps with channels last. */
static TEST_HOT int way_at(const plain_images *t, int i, int last)
{
    const int places = way_places(t->size), p = i % places, c = i / places % t->c, n = i / places / t->c;
    return last ? (n * places + p) * t->c + c : i;
}

static TEST_HOT hy_array *way_array(hy_frame *F, const plain_images *t, hy_shape shape, int last, hy_dtype dtype)
{
    hy_array *a = hy_zeros(F, shape);
    float *v = (float *)hy_write(F, a);
    int i;
    for (i = 0; i < images_count(t) && v; i++) v[way_at(t, i, last)] = (float)t->v[i];
    return hy_cast(F, a, dtype);
}

/* --- a case: a row's numbers, and what is due --- */
typedef struct way_case {
    const way_row *row;
    const char *text;
    plain_images data, two, weight[WAY_LAYERS], bias[WAY_LAYERS], y, odd;
    plain_images plain[WAY_LAYERS], ended[WAY_LAYERS];     /* of each convolution, and with what comes behind it */
    plain_images dy, dx, dw, db;
    uint32_t seed;
    double unit;
    int bits;                           /* results are compared with those of another frame, not with sums */
    int lines;                          /* line by line, and exact, too */
} way_case;

static TEST_HOT double way_draw(way_case *c)
{
    c->seed = c->seed * 1664525u + 1013904223u;
    return ((double)(c->seed >> 10) * 2 / 4194303 - 1);
}

/* Numbers that the type has; 16 bits in steps that all of them have. */
static TEST_HOT plain_images way_random(way_case *c, int n, int channels, const int *size)
{
    plain_images t = images_room(n, channels, size);
    int i;
    for (i = 0; i < images_count(&t); i++) {
        t.v[i] = (float)way_draw(c);
        if (c->row->dtype != HY_F32) t.v[i] = floor(t.v[i] * 64) / 64;
    }
    images_set_most(&t);
    return t;
}

static plain_images way_copy(const plain_images *x)
{
    plain_images y = images_room(x->n, x->c, x->size);
    memcpy(y.v, x->v, (size_t)images_count(x) * 2 * sizeof *x->v);
    return y;
}

static void way_chain(way_case *c)
{
    const plain_images *x = &c->data;
    int k;
    for (k = 0; k < c->row->layers; k++) {
        const way_layer *l = &c->row->layer[k];
        c->plain[k] = way_convolve(l, x, &c->weight[k], l->no_bias ? NULL : &c->bias[k]);
        c->ended[k] = way_copy(&c->plain[k]);
        way_finish(&c->ended[k], l->end, &c->two);
        x = &c->ended[k];
    }
    c->y = c->ended[k - 1];
}

/* What other data than x changes in y: places where there is a difference meet the window with that. */
static TEST_HOT void way_change(const way_layer *l, const plain_images *x, const plain_images *other,
                                const plain_images *w, plain_images *y)
{
    const int places = way_places(x->size);
    plain_images d = images_room(x->n, x->c, x->size);
    char *differs = (char *)calloc((size_t)places + 1, 1);
    int i;
    for (i = 0; i < images_count(x); i++)
        if (other->v[i] != x->v[i]) { d.v[i] = other->v[i] - x->v[i]; differs[i % places] = 1; }
    way_walk(l, &d, w, y, differs, NULL, NULL);
    free(differs);
    free(d.v);
}

/* The results of data that has numbers which are none. */
static plain_images way_odd_chain(const way_case *c)
{
    const plain_images *x = &c->data;
    plain_images other = c->odd, y;
    int k;
    for (k = 0; k < c->row->layers; k++) {
        y = way_copy(&c->plain[k]);
        way_change(&c->row->layer[k], x, &other, &c->weight[k], &y);
        if (k) free(other.v);
        way_finish(&y, c->row->layer[k].end, &c->two);
        x = &c->ended[k];
        other = y;
    }
    return other;
}

static int way_odd_from(const way_case *c) { return images_count(&c->data) / 3; }

/* Another copy of x with infinity and NaN in places. */
static void way_spoil(const way_case *c, double *v)
{
    v[way_odd_from(c)] = NAN;
    v[images_count(&c->data) - 1] = HUGE_VAL;
}

/* Products of a convolution. Gradients of large ones take long, and go the ways of small ones. */
enum { WAY_WORK = 4000000 };
static int way_work(const way_case *c)
{
    const way_layer *l = &c->row->layer[0];
    return way_places(l->kernel) * (l->transposed ? images_count(&c->data) * l->filters / l->groups
                                                  : images_count(&c->y) * c->data.c / l->groups);
}

static void way_backwards(way_case *c)
{
    const way_layer *l = &c->row->layer[0];
    int i;
    c->dy = way_random(c, c->plain[0].n, c->plain[0].c, c->plain[0].size);
    c->dx = images_room(c->data.n, c->data.c, c->data.size);
    c->dw = images_room(c->weight[0].n, c->weight[0].c, c->weight[0].size);
    c->db = images_room(1, l->filters, c->bias[0].size);
    way_walk(l, &c->data, &c->weight[0], &c->dy, NULL, &c->dx, &c->dw);
    for (i = 0; i < images_count(&c->dy); i++) {
        const int f = i / way_places(c->dy.size) % c->dy.c;
        c->db.v[f] += c->dy.v[i];
        c->db.most[f] += c->dy.most[i];
    }
}

static int way_case_new(way_case *c, const way_row *r, const char *text, uint32_t seed)
{
    static const int one[3] = { 1, 1, 1 };
    int k, d, channels = r->channels, size[3];
    memset(c, 0, sizeof *c);
    c->row = r;
    c->text = text;
    c->seed = seed;
    c->unit = r->dtype == HY_F64 ? 1e-14 : r->dtype == HY_F16 ? 2e-3 : r->dtype == HY_BF16 ? 2e-2 : 2e-6;
    memcpy(size, r->size, sizeof size);
    for (k = 0; k < r->layers; k++) {
        way_out_size(&r->layer[k], size, size);
        for (d = 0; d < 3; d++) if (size[d] < 1) return 0;
    }
    c->data = way_random(c, r->images, r->channels, r->size);
    for (k = 0; k < r->layers; k++) {
        const way_layer *l = &r->layer[k];
        c->weight[k] = l->transposed ? way_random(c, channels, l->filters / l->groups, l->kernel)
                                     : way_random(c, l->filters, channels / l->groups, l->kernel);
        c->bias[k] = way_random(c, 1, l->filters, one);
        channels = l->filters;
    }
    c->two = way_random(c, r->images, channels, size);
    way_chain(c);
    c->odd = images_room(r->images, r->channels, r->size);
    memcpy(c->odd.v, c->data.v, (size_t)images_count(&c->data) * sizeof *c->data.v);
    way_spoil(c, c->odd.v);
    if (r->layers > 1 || r->dtype == HY_F16 || r->dtype == HY_BF16 || way_work(c) > WAY_WORK) return 1;
    way_backwards(c);
    return 1;
}

static void way_case_free(way_case *c)
{
    int k;
    for (k = 0; k < c->row->layers; k++) {
        free(c->weight[k].v);
        free(c->bias[k].v);
        free(c->plain[k].v);
        free(c->ended[k].v);
    }
    free(c->data.v);
    free(c->two.v);
    free(c->odd.v);
    free(c->dy.v);
    free(c->dx.v);
    free(c->dw.v);
    free(c->db.v);
}

static hy_array *way_param(hy_frame *F, way_net *net, const char *name, hy_array *value)
{
    hy_param_opt o;
    hy_array *p;
    memset(&o, 0, sizeof o);
    o.dtype = hy_dtype_of(F, value);
    p = hy_add_param(F, &net->base, name, hy_shape_of(F, value), &o);
    hy_initialize(F, &net->base, NULL);
    hy_assign(F, p, value);
    return p;
}

static way_net *way_net_new(hy_frame *F, const way_case *c)
{
    way_net *net = (way_net *)(void *)hy_block_new(F, sizeof *net, "ways", way_forward, 1);
    const way_row *r = c->row;
    char name[16];
    int k;
    net->row = r;
    for (k = 0; k < r->layers; k++) {
        snprintf(name, sizeof name, "w%d", k);
        net->weight[k] = way_param(F, net, name, way_array(F, &c->weight[k], images_shape(&c->weight[k], r->dims, r->last),
                                                             r->last, r->dtype));
        if (r->layer[k].no_bias) continue;
        snprintf(name, sizeof name, "b%d", k);
        net->bias[k] = way_param(F, net, name, way_array(F, &c->bias[k], HY_SHAPE(r->layer[k].filters), 0, r->dtype));
    }
    return net;
}

/* Data, and what is added to the last results if that is so. */
static hy_array *way_inputs(hy_frame *F, const way_case *c, const way_net *net, const plain_images *data)
{
    const way_row *r = c->row;
    const int end = r->layer[r->layers - 1].end;
    hy_array *x = way_array(F, data, images_shape(data, r->dims, r->last), r->last, r->dtype);
    if (!net->ends || (end != WAY_ADD && end != WAY_ADD_LEFT && end != WAY_ADD_RELU &&
                       end != WAY_ADD_SILU)) return x;
    return hy_group(F, x, way_array(F, &c->two, images_shape(&c->two, r->dims, r->last), r->last, r->dtype));
}

/* The largest error in units of what may be expected: 1 at most is right. */
static TEST_HOT double way_error(hy_frame *F, hy_array *got, const plain_images *want, hy_shape s, int last, double unit)
{
    hy_array *wide = got ? hy_cast(F, got, HY_F64) : NULL;
    const double *v = wide ? (const double *)hy_data(F, wide) : NULL;
    double worst = 0, most = 0, error;
    int i;
    hy_shape have;
    if (!v) return 1e9;
    have = hy_shape_of(F, got);
    if (have.ndim != s.ndim || memcmp(have.dim, s.dim, sizeof *s.dim * (size_t)s.ndim)) return 1e9;
    for (i = 0; i < images_count(want); i++) if (want->most[i] > most) most = want->most[i];
    for (i = 0; i < images_count(want); i++) {
        error = fabs(v[way_at(want, i, last)] - want->v[i]) / (unit * (want->most[i] + .2 * most) + 1e-30);
        if (!(error <= worst)) worst = error;
    }
    return worst;
}

static void way_say(hy_frame *F, const way_case *c, const char *what, double error)
{
    printf("    %s: %s, instructions %d: %g%s%s\n", c->text, what, (int)hy_isa(F), error, hy_error(F) ? ", " : "",
           hy_error(F) ? hy_error(F) : "");
    hy_clear(F);
}

static void way_right(hy_frame *F, const way_case *c, const char *what, hy_array *got, const plain_images *want, int last,
                       int whole, double unit)
{
    hy_shape s;
    double error;
    if (c->bits) return;
    s = whole ? images_shape(want, c->row->dims, last) : HY_SHAPE(want->c);
    error = way_error(F, got, want, s, last, unit);
    if (!CHECK(error <= 1 && !hy_error(F))) way_say(F, c, what, error);
}

/* --- which way --- */
/* A job of this node alone, in arrays as they are meant to lie. 0, or -1 if it has none. */
static int way_bind(hy_frame *F, const hy__node *node, hy_tensor *t, hy_job *job)
{
    int k;
    memset(job, 0, sizeof *job);
    for (k = 0; k < node->nin + node->nout; k++) {
        memset(&t[k], 0, sizeof t[k]);
        t[k].type = k < node->nin ? *hy__edge_type(&node->in[k]) : node->type[k - node->nin];
        hy__pack_strides(&t[k]);
    }
    job->op = node->op;
    job->attr = node->record;
    job->kernels = F->root->kernels;
    job->nin = node->nin;
    job->nout = node->nout;
    job->in = t;
    job->out = t + node->nin;
    return node->op->bind && !node->nsub ? node->op->bind(job) : -1;
}

/* Of planes as they lie: what the job runs. */
static const char *way_name_planes(hy_frame *F, const hy__node *node)
{
    hy_tensor t[8];
    hy_job job;
    const hy__conv *v = (const hy__conv *)(const void *)&job.plan;
    if (way_bind(F, node, t, &job)) return "none";
    if (job.run == hy__run_depthwise_lines) return "lines";
    if (job.run == hy__run_depthwise) return "taps";
    if (job.run != hy__run_conv) return "batch_lanes";
    if (v->direction == HY__CONV_FINE) return "back";
    if (v->way == HY__WAY_POINT) return "product";
    return v->way == HY__WAY_TILES ? "tiles" : v->shared ? "shared" : "columns";
}

static const char *way_name(hy_frame *F, const hy__node *node)
{
    const hy__convolve_rec *r = (const hy__convolve_rec *)node->record;
    const int number = hy__op_number(node->op);
    if (node->op == &hy__few_op) return ((const hy__convolve_rec *)node->record)->pool ? "few_pool" : "few";
    if (node->op == &hy__chain_op) return ((const hy__chain_rec *)node->record)->filters ? "chain3" : "chain";
    if (node->op == &hy__limited_op || number == HY_OP_convolution || number == HY_OP_deconvolution)
        return way_name_planes(F, node);
    if (node->op != &hy__convolve_op) return NULL;
    switch (r->way) {
    case HY__WAY_THIN: return "thin";
    case HY__WAY_DEPTH: case HY__WAY_TRIO: return "deep";
    case HY__WAY_PLAIN: case HY__WAY_DIRECT: return "direct";
    case HY__WAY_FLAT: return "flat";
    case HY__WAY_BORDERED: return "border";
    case HY__WAY_SQUARES_2_3: case HY__WAY_PHASES_2_3: return "squares2";
    case HY__WAY_SQUARES_4_3_HALVED: return "squares3";
    case HY__WAY_SQUARES_4_3: case HY__WAY_PHASES_4_3: return "squares4";
    case HY__WAY_SQUARES_4_4: case HY__WAY_PHASES_4_4: return "squares5";
    case HY__WAY_SQUARES_3_5: case HY__WAY_PHASES_3_5: return "squares6";
    default: return hy__conv_ways[r->way].name;
    }
}

/* The ways of a program's convolutions, one after the other. */
static void way_list(hy_frame *F, const hy_graph *g, char *to, size_t room)
{
    int i;
    *to = 0;
    for (i = 0; g && i < g->n; i++) {
        const char *name = g->node[i]->op ? way_name(F, g->node[i]) : NULL;
        if (name) snprintf(to + strlen(to), room - strlen(to), "%s%s", *to ? "+" : "", name);
    }
}

/* --- operator by operator, in memory that ends where it must --- */
static void *way_exactly(size_t bytes)         /* every bit set: NaN */
{
    void *v = malloc(bytes ? bytes : 1);
    memset(v, 255, bytes);
    return v;
}

/* All items, last one first, each in scratch that holds nothing useful. */
static void way_run(hy_job *job, void **data)
{
    hy_run now;
    int64_t item;
    int stage;
    void *shared = way_exactly(job->shared);
    memset(&now, 0, sizeof now);
    now.job = job;
    now.data = data;
    for (stage = 0; stage < job->stages; stage++)
        for (item = job->items[stage] - 1; item >= 0; item--) {
            void *scratch = way_exactly(job->scratch);
            job->run(job, &now, stage, item, scratch, shared);
            free(scratch);
        }
    free(shared);
    CHECK(!now.fault);
}

static size_t way_bytes(const hy_type *t) { return (size_t)hy__size(&t->shape) * hy_dtype_size(t->dtype); }

/* A variable's numbers, as a copy. */
static void *way_variable(hy_frame *F, hy_graph *g, int i, hy_array *x)
{
    hy_node node;
    void *to = way_exactly(way_bytes(&g->node[i]->type[0]));
    hy_array *from;
    int k = 0;
    if (!CHECK(!hy_graph_node(g, i, &node))) return to;
    while (!node.array && g->var[k] != g->node[i]) k++;
    from = node.array ? node.array : hy_count(F, x) > 1 ? hy_get(F, x, k) : x;
    if (CHECK(from && (size_t)hy_size(F, from) * hy_dtype_size(hy_dtype_of(F, from)) == way_bytes(&g->node[i]->type[0])))
        memcpy(to, hy_data(F, from), way_bytes(&g->node[i]->type[0]));
    return to;
}

static int way_place(const hy_graph *g, const hy__node *node)
{
    int i;
    for (i = 0; i < g->n; i++) if (g->node[i] == node) return i;
    return -1;
}

/* The program's result has the bits of its operators run alone. */
static void way_guard(hy_frame *F, const way_case *c, hy_graph *g, hy_array *x, hy_array *want)
{
    void *value[64], *data[10];
    int i, k, last = -1, n = g ? g->n : 0;
    if (!CHECK(n > 0 && n <= 64)) return;
    for (i = 0; i < n; i++) if (g->node[i]->op && (g->node[i]->nsub || g->node[i]->nout != 1)) return;
    for (i = 0; i < n; i++) {
        const hy__node *node = g->node[i];
        hy_tensor t[10];
        hy_job job;
        if (!node->op) { value[i] = way_variable(F, g, i, x); continue; }
        value[i] = way_exactly(way_bytes(&node->type[0]));
        for (k = 0; k < node->nin; k++) data[k] = value[way_place(g, node->in[k].node)];
        data[k] = value[i];
        if (!CHECK(way_bind(F, node, t, &job) == 0)) continue;
        if (job.run) way_run(&job, data);
        else memcpy(data[k], data[0], way_bytes(&node->type[0]));
    }
    last = way_place(g, g->head[0].node);
    if (!CHECK(want && way_bytes(&g->node[last]->type[0]) == (size_t)hy_size(F, want) *
               hy_dtype_size(hy_dtype_of(F, want)) &&
               !memcmp(value[last], hy_data(F, want), way_bytes(&g->node[last]->type[0]))))
        way_say(F, c, "operators alone have other bits", 0);
    for (i = 0; i < n; i++) free(value[i]);
}

/* --- a row --- */
enum { WAY_RESULTS = 12 };     /* plain, exact, compiled, odd, then y and gradients line by line, and compiled */

static void way_grads(hy_frame *F, const way_case *c, way_net *net, const char *what, hy_array **out)
{
    const way_row *r = c->row;
    hy_array *x = way_inputs(F, c, net, &c->data), *y, *dy = way_array(F, &c->dy, images_shape(&c->dy, r->dims, r->last),
                                                                          r->last, r->dtype);
    hy_backward_opt back;
    memset(&back, 0, sizeof back);
    back.head_grads = dy;
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_record(F);
    y = hy_call(F, &net->base, x);
    hy_pause(F);
    hy_backward(F, y, &back);
    out[0] = y;
    out[1] = hy_grad_of(F, x);
    out[2] = hy_copy(F, hy_grad_of(F, net->weight[0]));
    out[3] = net->bias[0] ? hy_copy(F, hy_grad_of(F, net->bias[0])) : NULL;
    way_right(F, c, what, y, &c->plain[0], r->last, 1, c->unit);
    way_right(F, c, "gradient of data", out[1], &c->dx, r->last, 1, 2 * c->unit);
    way_right(F, c, "gradient of weights", out[2], &c->dw, r->last, 1, 2 * c->unit);
    if (out[3]) way_right(F, c, "gradient of bias", out[3], &c->db, 0, 0, 2 * c->unit);
}

/* NaN and infinity are where sums have them; what does not meet them has the bits that it has without. */
static TEST_HOT void way_odd(hy_frame *F, const way_case *c, hy_array *got, hy_array *clean, const plain_images *odd)
{
    const float *p = got ? (const float *)hy_data(F, got) : NULL, *q = clean ? (const float *)hy_data(F, clean) : NULL;
    int i;
    for (i = 0; i < images_count(odd) && p && q; i++) {
        const int at = way_at(odd, i, c->row->last);
        const double v = odd->v[i];
        if (!CHECK(v != v ? p[at] != p[at] : fabs(v) > 1e30 ? p[at] == (float)v : v == c->y.v[i] ? p[at] == q[at]
                                                                   : fabs(p[at] - v) <= 1e-4 * (1 + fabs(v)))) {
            way_say(F, c, "numbers that are none", p[at]);
            return;
        }
    }
}

/* Is it one of those that are due, with a | between them? Only the word behind the space, if that is all that is
 * known. */
static int way_is_due(const char *due, const char *way)
{
    const int word = !strchr(way, ' ');
    const size_t n = strlen(way);
    for (; *due; due += strcspn(due, "|"), due += *due == '|') {
        if (word && due[strcspn(due, " |")] == ' ') due += strcspn(due, " ") + 1;
        if (strcspn(due, "|") == n && !strncmp(due, way, n)) return 1;
    }
    return 0;
}

/* Line by line and exact, which are the same; the way of the latter, and a space. */
static void way_exact(hy_frame *F, const way_case *c, way_net *net, hy_array *x, hy_array **out, char *way, size_t room)
{
    hy_hybridize_opt opt;
    memset(&opt, 0, sizeof opt);
    opt.inactive = 1;
    hy_hybridize(F, &net->base, &opt);
    out[0] = hy_call(F, &net->base, x);
    way_right(F, c, "line by line", out[0], &c->y, c->row->last, 1, c->unit);
    memset(&opt, 0, sizeof opt);
    opt.exact = 1;
    hy_hybridize(F, &net->base, &opt);
    out[1] = hy_call(F, &net->base, x);
    if (!CHECK(last_same(F, out[0], out[1]))) way_say(F, c, "exact has other bits", 0);
    if (c->bits) return;
    way_list(F, hy_planned(F, &net->base, x), way, room);
    snprintf(way + strlen(way), room - strlen(way), " ");
}

/* Compiled, and with numbers that are none; not by squares, where NaN spread within one. */
static void way_compiled(hy_frame *F, const way_case *c, way_net *net, const char *due, const plain_images *odd,
                          hy_array **out)
{
    const way_row *r = c->row;
    hy_array *x = (net->ends = 1, way_inputs(F, c, net, &c->data));
    char both[200] = "", *way;
    hy_graph *g;
    double unit;
    if (c->lines) way_exact(F, c, net, x, out, both, sizeof both);
    hy_hybridize(F, &net->base, NULL);
    out[2] = hy_call(F, &net->base, x);
    if (r->dtype == HY_F32) out[3] = hy_call(F, &net->base, way_inputs(F, c, net, &c->odd));
    if (c->bits) return;
    g = hy_planned(F, &net->base, x);
    way = both + strlen(both);
    way_list(F, g, way, sizeof both - strlen(both));
    unit = strstr(way, "squares") ? (c->unit < 1e-5 ? 1e-5 : c->unit) : r->layers > 1 ? 2 * c->unit : c->unit;
    way_right(F, c, "compiled", out[2], &c->y, r->last, 1, unit);
    if (due && HY__SIMD && !CHECK(way_is_due(due, both))) printf("    %s: %s, due was %s, instructions %d\n", c->text, both,
                                                              due, (int)hy_isa(F));
    way_guard(F, c, g, x, out[2]);
    if (out[3] && !strstr(way, "squares")) way_odd(F, c, out[3], out[2], odd);
}

/* All results of one frame; those that are NULL were not asked for. */
static void way_frame(hy_frame *F, const way_case *c, const char *due, const plain_images *odd, hy_array **out)
{
    way_net *net = way_net_new(F, c);
    memset(out, 0, WAY_RESULTS * sizeof *out);
    if (c->dy.v) {
        if (c->lines) way_grads(F, c, net, "line by line, recorded", out + 4);
        hy_hybridize(F, &net->base, NULL);
        way_grads(F, c, net, "compiled, recorded", out + 8);
    }
    way_compiled(F, c, net, due, odd, out);
    hy_block_free(F, &net->base);
}

typedef struct way_frames { hy_frame *one[8], *three[8]; int n; } way_frames;

static void way_open(way_frames *f)
{
    hy_desc desc;
    int isa;
    memset(f, 0, sizeof *f);
    memset(&desc, 0, sizeof desc);
    for (isa = HY_ISA_BASE; isa <= HY_ISA_AVX512; isa++) {
        desc.isa = isa;
        desc.threads = 1;
        f->one[f->n] = hy_open(&desc);
        desc.threads = 3;
        f->three[f->n] = hy_open(&desc);
        if (hy_isa(f->one[f->n]) == isa) { f->n++; continue; }
        hy_close(f->one[f->n]);
        hy_close(f->three[f->n]);
    }
}

static void way_close(way_frames *f)
{
    int i;
    for (i = 0; i < f->n; i++) CHECK(hy_close(f->one[i]) == 0 && hy_close(f->three[i]) == 0);
}

/* Results of three threads have the bits of those of one. */
static void way_compare(hy_frame *F, hy_frame *G, const way_case *c, hy_array *const *one, hy_array *const *three)
{
    int k;
    for (k = 0; k < WAY_RESULTS; k++)
        if (!CHECK(!one[k] == !three[k])) way_say(F, c, "a result lacks", k);
        else if (one[k] && !CHECK(hy_size(F, one[k]) == hy_size(G, three[k]) &&
                                  !memcmp(hy_data(F, one[k]), hy_data(G, three[k]), (size_t)hy_size(F, one[k]) *
                                          hy_dtype_size(c->row->dtype)))) way_say(F, c, "three threads", k);
}

/* Which cases go which way, so that over a table's rows each way meets all instructions and both numbers of
 * threads, and these each other, see way_rounds_meet: case c of its way leaves out one set of instructions of n, if
 * there are three, and runs with another one on three threads, too; of many cases in a row every second one does.
 * A negative c leaves out none. */
enum { WAY_ONE = 1, WAY_THREE = 2, WAY_LINES = 4 };     /* with one thread, with three, line by line and exact */
static int way_round(int c, int turns, int isa, int n)
{
    const int at = (c + 3 * n + isa) % n;
    if (n > 2 && at == n - 1 && c >= 0) return 0;
    return at ? WAY_ONE : (turns > 1 && c / n % 2) ? WAY_ONE | WAY_LINES : WAY_ONE | WAY_THREE | WAY_LINES;
}

/* base, other: the ways that are due with few instructions and with AVX2 or more; NULL: not asked. */
static void way_one(way_frames *f, int number, const char *text, int turn, int turns, const char *base, const char *other)
{
    way_row r;
    way_case c;
    plain_images odd;
    int i;
    way_read(text, turn, &r);
    if (!way_case_new(&c, &r, text, 77u + (uint32_t)turn)) { way_case_free(&c); return; }
    odd = way_odd_chain(&c);
    for (i = 0; i < f->n; i++) {
        hy_frame *F = f->one[i], *G = f->three[i];
        hy_array *one[WAY_RESULTS], *three[WAY_RESULTS];
        const int round = way_round(number + turn, turns, i, f->n);
        if (!round) continue;
        hy_begin(F);
        c.bits = 0;
        c.lines = round & WAY_LINES;
        way_frame(F, &c, hy_isa(F) >= HY_ISA_AVX2 ? other : base, &odd, one);
        if (round & WAY_THREE) {
            hy_begin(G);
            c.bits = 1;
            way_frame(G, &c, NULL, NULL, three);
            way_compare(F, G, &c, one, three);
            hy_end(G);
        }
        hy_end(F);
    }
    free(odd.v);
    way_case_free(&c);
}

static const struct { const char *text, *base, *other; } way_rows[] = {
    /* one channel per group, channels last: edges of tiles, chunks and bands */
    { "1x1x5x6 x1 k3 p1 last relu", "taps direct", "taps direct" },
    { "1x3x7x7 x1 k3 p1 last relu", "taps deep", "taps deep" },
    { "2x4x9x1 x1 k3x1 p1x0 last add_relu", "taps deep", "taps deep" },
    { "1x7x4x9 x1 k3 s2 p1 last relu", "taps deep", "taps deep" },
    { "1x8x6x5 x1 k3 p1 last add_relu", "taps deep", "taps deep" },
    { "2x15x11x13 x1 k3 p1 last relu", "taps deep", "taps deep" },
    { "1x16x3x14 x1 k3 p1 last add_relu", "taps deep", "taps deep" },
    { "1x17x20x8 x1 k3 s2 p1 last relu", "taps deep", "taps deep" },
    { "2x31x10x15 x1 k5 p2 last relu", "taps deep|taps slide", "taps deep|taps slide" },
    { "1x4x9x7 x1 k5 p2 last", "taps deep|taps slide", "taps deep|taps slide" },
    { "1x16x11x1..30 x1 k5 p2 last relu", "taps deep|taps slide", "taps deep|taps slide" },
    { "2x9x8x11 x1 k7 p3 last relu", "taps deep|taps slide", "taps deep|taps slide" },
    { "1x24x7x7 x1 k7 p3 last add_relu", "taps deep|taps slide", "taps deep|taps slide" },
    { "1x17x12x15 x1 k5 s2 p2 last relu", "taps deep|taps slide", "taps deep|taps slide" },
    { "1x33x9x40 x1 k5 s1x2 p0x4 last", "taps deep|taps slide", "taps deep|taps slide" },
    { "2x20x20x9 x1 k7 s3x1 p6x5 last relu", "taps deep|taps slide", "taps deep|taps slide" },
    { "1x40x3x50 x1 k5 s2 p4 last relu", "taps deep|taps slide", "taps deep|taps slide" },
    { "1x130x6x8 x1 k7 s1x2 p3 last relu", "taps deep", "taps deep" },
    { "1x6x33x35 x1 k7 p3", "taps taps", "taps taps|taps slide" },
    { "1x32x29x30 x1 k3 s2 p1 last relu", "taps deep", "taps deep" },
    { "1x33x8x16 x1 k3 last relu", "taps deep", "taps deep" },
    { "1x48x9x17 x1 k3 d2 p1 last relu", "taps deep", "taps deep" },
    { "1x63x7x18 x1 k5x3 s3x2 p2x1 last relu", "taps deep", "taps deep" },
    { "2x64x17x7 x1 k3 p1 last add_relu", "taps deep", "taps deep" },
    { "1x65x6x19 x1 k3 s1x3 p1 last relu", "taps deep", "taps deep" },
    { "1x79x14x14 x1 k3 p1 last relu", "taps deep", "taps deep" },
    { "1x80x14x20 x1 k3 s2x1 p1 last relu", "taps deep", "taps deep" },
    { "1x100x5x21 x1 k1x3 p0x1 last add_relu", "taps deep", "taps deep" },
    { "1x127x12x12 x1 k3 p1 last relu", "taps deep", "taps deep" },
    { "1x128x9x22 x1 k3 d2x1 p2 last relu", "taps deep", "taps deep" },
    { "1x144x13x10 x1 k3 p1 last add_relu", "taps deep", "taps deep" },
    { "1x129x4x4 x1 k3 p1 last relu", "taps deep", "taps deep" },
    { "2x16x2x2 x1 k3 p2 last relu", "taps deep", "taps deep" },
    { "1x16x3x3 x1 k3 s9 p5 last relu", "taps deep", "taps deep" },
    { "1x16x4x240 x1 k3 p1 last add_relu", "taps deep", "taps deep" },
    { "1x96x5x230 x1 k3 s2 p1 last relu", "taps deep", "taps deep" },
    { "1x16x1x1 x1 k3 d9000 p9000 last add_relu", "columns deep", "columns deep" },
    /* visits to sums whose taps only meet padding: all but one, all of a line's, none */
    { "1x700x4x5 17 k3 d5 p5 relu", "columns direct", "columns direct" },
    { "1x720x7x9 20 k3 d4x3 p4x3 add_relu", "columns direct", "columns direct" },
    { "2x690x3x8 16 k3x2 s2x1 d2x7 p2x6", "columns direct", "columns direct" },
    { "1x2100x1x3 18 k1x3 d1x3 p0x5 nobias", "columns direct", "columns direct" },
    { "1x700x2x3x2 16 k3x2x3 d3x1x2 p3x0x2 relu", "columns direct", "columns direct" },
    /* planes by lines of 3 x 3: every width around vectors, heights around bands; and those by taps */
    { "1x3x1x1..34 x1 k3 p1", "lines deep|taps deep", "lines deep|taps deep" },
    { "1x3x1x1..34 x2 k3 p1 relu", "lines lines|taps taps", "lines lines|taps taps" },
    { "1x3x2x1..34 x1 k3 p1", "lines deep|lines lines|taps deep", "lines deep|lines lines|taps deep" },
    { "1x3x2x1..34 t x1 k3 p1", "lines lines|taps taps", "lines lines|taps taps" },
    { "1x3x3x1..34 x1 k3 p1", "lines deep|lines lines|taps deep", "lines deep|lines lines|taps deep" },
    { "1x3x4x1..34 x1 k3 p1", "lines deep|lines lines|taps deep", "lines deep|lines lines|taps deep" },
    { "1x3x5x1..34 x1 k3 p1", "lines deep|lines lines|taps deep", "lines deep|lines lines|taps deep" },
    { "1x3x5x1..34 x2 k3 p1 relu", "lines lines|taps taps", "lines lines|taps taps" },
    { "1x3x6x1..34 x1 k3 p1", "lines deep|lines lines|taps deep", "lines deep|lines lines|taps deep" },
    { "1x3x6x1..34 t x1 k3 p1", "lines lines|taps taps", "lines lines|taps taps" },
    { "1x3x7x1..34 x1 k3 p1", "lines deep|lines lines|taps deep", "lines deep|lines lines|taps deep" },
    { "1x3x8x1..34 x1 k3 p1", "lines deep|lines lines|taps deep", "lines deep|lines lines|taps deep" },
    { "1x3x9x1..34 x1 k3 p1", "lines deep|lines lines|taps deep", "lines deep|lines lines|taps deep" },
    { "1x3x9x1..34 x2 k3 p1 relu", "lines lines|taps taps", "lines lines|taps taps" },
    { "1x3x10x1..34 x1 k3 p1", "lines deep|lines lines|taps deep", "lines deep|lines lines|taps deep" },
    { "1x3x10x1..34 t x1 k3 p1", "lines lines|taps taps", "lines lines|taps taps" },
    { "1x3x11x1..34 x1 k3 p1", "lines deep|lines lines|taps deep", "lines deep|lines lines|taps deep" },
    { "2x2x14x1..50 x1 k3 p1 nobias", "lines deep|lines lines|taps deep",
      "lines deep|lines lines|taps deep" },
    { "2x2x33x1..50 x1 k3 p1 nobias", "lines lines|taps deep|taps taps",
      "lines lines|taps deep|taps taps" },
    { "1x3x1x1..42 x1 k3 s2 p1 relu", "lines deep|taps deep", "lines deep|taps deep" },
    { "1x3x2x1..42 x1 k3 s2 p1 relu", "lines deep|taps deep", "lines deep|taps deep" },
    { "1x3x5x1..42 x1 k3 s2 p1 relu", "lines deep|taps deep", "lines deep|taps deep" },
    { "1x3x8x1..42 x1 k3 s2 p1 relu", "lines deep|taps deep", "lines deep|taps deep" },
    { "1x3x15x1..42 x1 k3 s2 p1 relu", "lines deep|taps deep", "lines deep|taps deep" },
    { "1x3x34x1..42 x1 k3 s2 p1 relu", "lines deep|lines lines|taps deep",
      "lines deep|lines lines|taps deep" },
    { "1x2x7x35..84 x1 k3 s2 p1", "lines deep", "lines deep" },
    { "1x2x4x35..84 x1 k3 s2 p1 nobias", "lines deep", "lines deep" },
    { "1x70x3x9..17 x1 k3 s2 p1 relu", "lines deep", "lines deep" },
    { "2x70x4x5..21 x1 k3 p1", "lines deep|lines lines", "lines deep|lines lines" },
    { "1x4x40x41 x1 k3 s2 p1 relu", "lines lines", "lines lines" },
    { "1x4x12x15 x2 k3 p1 relu", "lines lines", "lines lines" },
    { "1x3x12x37 x3 k5 p2 relu", "taps taps", "taps taps" },
    { "2x5x9x8 x1 k3x5 p1x2", "taps deep", "taps deep" },
    { "1x2x90x40 x1 k5 p2", "taps taps", "taps taps" },
    { "1x3x9x8 x2 k3 s3x2 d2x1 p2x1", "taps taps", "taps taps" },
    { "1x2x1x9x10 x1 k1x3x3 p0x1x1", "lines deep", "lines deep" },
    { "1x2x4x5x6 x1 k3x2x3 s2x1x2 p1x1x0", "taps deep", "taps deep" },
    { "1x2x1x5x17 x1 k1x3x3 s3x1x1 p1", "taps deep", "taps deep" },
    { "1x3x50 x1 k3 s2 p1", "taps deep", "taps deep" },
    { "2x4x33 x3 k9 p4 d2", "taps taps", "taps taps" },
    { "1x2x1x1 x1 k3 d90 p90", "tiles deep", "columns deep" },
    { "1x1x5x6 x4 k3 p1 add", "lines few", "lines lines" },
    { "2x3x8x9 x2 k3 p1 twice", "lines lines", "lines lines" },
    { "1x3x7x9 t x1 k3 s2 p1 a1", "back back", "back back" },
    { "1x2x6x7 t x2 k4x3 p2x1 nobias", "back back", "back back" },
    { "2x6x9x8 x1 k3 p1 f64", "taps taps", "taps taps" },
    { "1x3x12x9 x1 k5 p2 f16", "taps deep", "taps deep" },
    { "1x3x12x9 x1 k3 p1 bf16", "taps lines", "taps lines" },
    /* few filters, places side by side, pooled in the job or behind it */
    { "1x1x28x28 6 k5 relu_pool", "taps few_pool", "taps few_pool" },
    { "2x6x12x12 16 k5 relu_pool", "columns few_pool", "tiles few_pool" },
    { "16x1x28x28 6 k5 p2 relu_pool", "taps few_pool", "taps few_pool" },
    { "1x3x11x21 5 k3 p1 pool", "tiles few_pool", "tiles few_pool" },
    { "1x3x10x27 7 k3x2 p1x0 nobias relu_pool", "columns few_pool", "columns few_pool" },
    { "3x5x9x19 3 k2x4 d2x1 p0x2 relu", "tiles few", "columns few|tiles few" },
    { "1x2x3x17 2 k3 p1x3 nobias", "tiles few", "columns few|tiles few" },
    { "1x17x7x33 13 k3 d1x2 p1 relu_pool", "columns few_pool", "tiles few_pool" },
    { "1x113x40x24 4 k3 p1 pool", "columns few_pool", "columns few_pool|shared few_pool" },
    { "1x1x90x130 8 k3 p1 relu_pool", "lines few_pool", "lines few_pool" },
    { "1x2x91x131 9 k5x3 relu", "columns few", "tiles few" },
    { "1x1x8x12 4 k5 pool", "taps few_pool", "taps few_pool" },
    { "1x1x2x40 4 k3 p1 pool", "lines few_pool", "lines few_pool" },
    { "1x1x1x40 4 k1x9 p0x4 relu", "taps few", "taps few" },
    { "1x2x12x16 6 k3 p1 pool_clip", "tiles few_pool", "tiles few_pool" },
    { "1x2x12x16 6 k3 p1 relu_pool_one", "tiles few", "tiles few" },
    { "1x2x12x16 1 k3 p1 relu_pool", "tiles tiles", "columns columns" },
    { "1x1024x9x9 6 k1x2 relu", "shared shared", "shared shared" },
    { "1x2x9x1..40 5 k3 p1 relu", "tiles few|tiles tiles", "tiles few|tiles tiles" },
    { "1x3x1..9x16 2..2 k2", NULL, NULL },
    { "1x2x6x24 1..17 k3x2 p1 pool", "columns border|columns columns|columns few_pool",
      "columns border|columns columns|columns few_pool" },
    { "1x1..20x5x16 9 k3 p1", "columns few|lines few", "lines few|tiles few" },
    { "1x1x30x300 4 k5 p2 relu_pool", "taps few_pool", "taps few_pool" },
    { "2x1x70x17 3 k3 clip", "taps few", "taps few" },
    /* chains: a convolution, one of one channel per group, perhaps one of single places */
    { "1x16x57x61 80 k1 relu ; x1 k3 p1 six last", "product+taps chain", "product+taps chain" },
    { "2x24x40x53 128 k1 relu ; x1 k3 p1 six ; 24 k1 add last", "product+taps+product chain3",
      "product+taps+product chain3" },
    { "1x16x113x111 24 k1 relu ; x1 k3 s2 p1 six ; 24 k1 last", "product+taps+product chain3",
      "product+taps+product chain3" },
    { "1x20x84x30 108 k1 nobias relu ; x1 k3 p1 nobias six ; 20 k1 nobias add last",
      "product+taps+product chain3", "product+taps+product chain3" },
    { "1x8x29x200 100 k1 relu ; x1 k3 s2x1 p1 six ; 33 k1 last", "product+taps+product chain3",
      "product+taps+product chain3" },
    { "1x8x64x64 72 k1 nobias relu ; x1 k3 s1x2 nobias six ; 40 k1 nobias last",
      "product+taps+product chain3", "product+taps+product chain3" },
    { "1x16x30x64 144 k1 relu ; x1 k3 p1x0 six ; 16 k1 last", "product+taps+product chain3",
      "product+taps+product chain3" },
    { "1x16x57x64 96 k1 relu ; x1 k3 s2 p0x1 six ; 70 k1 last", "product+taps+product chain3",
      "product+taps+product chain3" },
    { "2x3x150x161 48 k3 s2 p1 relu ; x1 k3 s2 p1 six", "columns+lines chain", "columns+lines chain" },
    { "1x3x225x223 32 k3 s2 p1 relu ; x1 k3 p1 six ; 16 k1", "columns+lines+product chain+direct",
      "columns+lines+product chain+direct" },
    { "1x3x118x130 18 k5 p2 relu ; x1 k3 p1 six ; 17 k1", "columns+lines+product chain+direct",
      "columns+lines+product chain+direct|tiles+lines+product chain+direct" },
    { "1x17x62x66 65 k3 p1 relu ; x1 k3 p1 six ; 17 k1 add last", "columns+taps+product chain3",
      "columns+taps+product chain3" },
    { "1x16x12x500 48 k1 relu ; x1 k3 p1 six ; 16 k1 add last", "product+taps+product chain3",
      "product+taps+product chain3" },
    { "1x8x9000x4 16 k1 relu ; x1 k3 s2 p1 six ; 16 k1 last", "product+taps+product chain3",
      "product+taps+product chain3" },
    /* few channels in planes, copied with a border or not; single places as they lie */
    { "1x3x15x17 32 k3 s2 p1 relu", "columns border", "columns border|tiles border" },
    { "2x3x23x30 64 k7 s2 p3 relu", "columns squares5", "columns squares5|tiles squares5" },
    { "1x1x9x40 16 k5 p2 relu", "taps few", "taps few" },
    { "2x4x12x11 33 k3 p1 twice", "columns border", "columns border|tiles border" },
    { "1x2x10x13 70 k2x4 s1x3 d2x3 p0x2 relu", "columns border", "columns border" },
    { "1x3x1x9 17 k1x5 p0x2 twice", "columns border", "columns border|tiles border" },
    { "3x2x50 24 k9 s2 p4 relu", "columns border", "columns border|tiles border" },
    { "1x1x7 16 k3 d2 p1 relu", "taps border", "taps border" },
    { "1x3x6x7x8 20 k3 s1x2x1 p1x0x1 relu", "columns border", "columns border|tiles border" },
    { "2x1x4x5x9 16 k2x3x3 s2x1x1 p1x1x0 relu", "taps direct", "taps direct" },
    { "1x3x2x2 16 k3 p9 relu", "columns few", "tiles direct" },
    { "1x3x1x1 16 k3 d4000 p4000 relu", "columns direct", "columns direct" },
    { "1x4x8x9 130 k3 s3 p1x0 relu", "columns border", "columns border|shared border" },
    { "1x5x8x9 16 k3 p1 twice", "columns direct", "tiles direct" },
    { "1x130x5x7 20 k1 relu", "product product", "product product" },
    { "2x1030x7x7 70 k1 relu", "product product", "product product" },
    { "1x40x32x32 200 k1 twice", "product product", "product product" },
    { "1x150x19x27 300 k1 relu", "product product", "product product" },
    /* results that turn round: channels last inside, first outside */
    { "2x3x23x31 64 k7 s2 p3 relu", "columns squares5", "columns squares5|tiles squares5" },
    { "2x3x9x8 17 k3 p1", "columns border", "columns border|tiles border" },
    { "2x16x11x5 40 k3 s2 p1 relu", "columns direct", "columns direct|tiles direct" },
    { "2x256x7x7 300 k1 relu", "product product", "product product" },
    { "2x300x13x3 200 k1", "product product", "product product" },
    { "2x257x6x9 65 k3 s2 p1 relu", "shared direct", "shared direct" },
    /* groups of few filters: vectors of them, bands, lines of a copy, its border */
    { "1x16x9x30 16 k3 p1 g2 add_relu", "tiles grouped", "tiles grouped" },
    { "2x40x7x7 40 k3 p1 g5 relu", "tiles grouped", "tiles grouped" },
    { "1x16x9x30 16 k3 p1 g4 relu", "columns grouped|tiles grouped", "columns grouped|tiles grouped" },
    { "2x24x7x9 30 k3 s2 p1 g6 add", "columns grouped|tiles grouped", "columns grouped|tiles grouped" },
    { "1x8x5x6 14 k5 p2 g2 last clip", "columns grouped|tiles grouped", "columns grouped|tiles grouped" },
    { "1x24x57x29 24 k3 s2 p1 g3", "tiles grouped", "tiles grouped" },
    { "1x36x6x6 39 k3 p1 g3 last clip", "columns grouped", "tiles grouped" },
    { "1x18x5x9 22 k3 d2x3 p2x3 g2 add", "columns grouped", "tiles grouped" },
    { "2x80x20x23 32 k5x3 p2x1 g2 relu", "columns grouped", "columns grouped" },
    { "1x16x3x4x5 16 k2x3x3 p1 s1x2x1 d2x1x1 g2 nobias", "tiles grouped", "tiles grouped" },
    { "1x16x1x1 16 k3 d9000 p9000 g2", "columns direct", "columns direct" },
    { "1x32x9x8 40 k3 p1 g2 relu", "columns direct", "columns direct|tiles direct" },
    { "2x24x10x33 48 k3 s2 p1 g3", "columns grouped", "tiles grouped" },
    { "1x32x5x112 64 k5 p2 g4 relu", "columns grouped", "tiles grouped" },
    { "2x1x16x16 20 k5 p2 relu", "taps border", "taps border" },
    { "2x600x4x4 33 k2 p1 relu", "shared direct", "shared direct" },
    { "2x8x1x200 16 k3 p1 relu", "columns few", "tiles few" },
    { "2x64x56x2 130 k3 s2 p1 relu", "shared direct", "shared direct" },
    { "2x1x28x28 6 k5 p2 relu", "taps few", "taps few" },
    /* channels first inside, with limits in the job */
    { "2x3x9x11 7 k1 relu", "product product", "product product" },
    { "2x16x13x29 24 k1 relu", "product product", "product product" },
    { "2x5x4x3 130 k1 relu", "product product", "product product" },
    { "2x64x23x23 70 k1 relu", "product product", "product product" },
    { "2x530x5x9 12 k1 relu", "product product", "product product" },
    { "2x40x1x1 45 k1 relu", "product product", "product product" },
    { "2x17x50x50 9 k1 relu", "product product", "product product" },
    { "2x12x9x10 300 k1 g3 relu", "product product", "product product" },
    { "2x1x7x70 1 k1 relu", "product product", "product product" },
    { "2x6x15x14 6 k3 p1 g6 relu", "lines lines", "lines lines" },
    { "2x5x70x9 5 k3 p1 g5 relu", "lines lines", "lines lines" },
    { "2x3x11x16 3 k3 p1 g3 relu", "lines lines", "lines lines" },
    { "2x2x33x35 2 k3 p1 g2 relu", "lines lines", "lines lines" },
    { "2x7x14x5 7 k3 p1 g7 relu", "lines lines", "lines lines" },
    { "2x4x40x41 4 k3 s2 p1 g4 relu", "lines lines", "lines lines" },
    { "2x4x12x15 8 k3 p1 g4 relu", "lines lines", "lines lines" },
    { "2x3x12x37 9 k5 p2 g3 relu", "taps taps", "taps taps" },
    { "2x3x20x20 6 k3 p1 relu", "tiles few", "tiles few" },
    { "2x40x9x30 8 k3 s2 p1 relu", "columns columns", "columns columns|shared shared" },
    { "2x20x30x17 3 k3 p1 relu", "tiles few", "shared few|tiles few" },
    /* 16 images side by side */
    { "1x5x21x40x16 7 k3x3x1", "columns columns", "batch_lanes batch_lanes" },
    { "2x5x22x33x16 18 k3x2x1 s2x1x1 p1x1x0", "columns direct", "batch_lanes batch_lanes" },
    { "1x5x23x26x16 1 k2x3x1 d2x2x1 p1x2x0", "columns columns", "batch_lanes batch_lanes" },
    { "1x5x24x19x16 11 k4x4x1 s3x3x1 p3x3x0", "columns columns", "batch_lanes batch_lanes" },
    { "1x1..11x6x7x16 4 k3x3x1 p1x1x0", "columns columns|taps taps", "batch_lanes batch_lanes" },
    { "2x3x5x6x32 1..18 k3x2x1 p1x0x0 nobias", "columns border|columns columns", "batch_lanes batch_lanes" },
    { "1x3x1..9x5x16 5 k3x3x1 p1x1x0", "columns columns", "batch_lanes batch_lanes" },
    { "1x2x7x1..9x16 6 k2x3x1 s2x2x1 p1x2x0", "columns columns", "batch_lanes batch_lanes" },
    { "3x4x9x8x16 9 k1x1x1", "product product", "product product" },
    { "1x2x8x8x48 3 k4x3x1 s1x3x1 d2x1x1 p3x0x0 relu", "columns columns", "batch_lanes batch_lanes" },
    { "1x6x30x16 5 k3x1 p1x0", "columns few", "batch_lanes few" },
    { "2x7x5x5x16 5 k2x2x1 twice", "columns columns", "batch_lanes batch_lanes" },
    { "1x2x6x5x16 t 5 k3x3x1 s2x1x1 p1x1x0 a1x0x0", "back back", "batch_lanes batch_lanes" },
    /* one dim at a time through everything */
    { "1x3x5x4 1..70 k2", "columns columns|columns flat", "columns columns|columns flat" },
    { "1x3x5x4 1..70 k2 last relu nobias", "columns direct", "columns direct" },
    { "1x1..35x5x4 17 k3 p1 add_relu", "columns direct|lines direct",
      "columns direct|lines direct|tiles direct" },
    { "1x1..35x5x4 17 k3 p1 last clip", "columns direct|taps direct",
      "columns direct|taps direct|tiles direct" },
    { "1x1..70x5x4 x1 k3 p1 last add", "taps deep|taps direct", "taps deep|taps direct" },
    { "2x1..70x5x4 x1 k3 p2 nobias clip", "taps deep|taps taps", "taps deep|taps taps" },
    { "1x1..70x5x4 x1 k3 last left", "taps deep|taps direct", "taps deep|taps direct" },
    { "1x4x2..27x2 5 k2 relu", "columns columns", "columns columns" },
    { "1x4x2x2..27 5 k2 twice", "columns columns|columns few", "columns columns|columns few" },
    { "2x2x2..27x4 5 k2 p1x0 last add", "columns direct", "columns direct" },
    { "2x2x5x2..27 5 k2 p0x1 last add_relu", "columns direct", "columns direct" },
    { "1x5x2x6..60 16 k1 last relu", "product direct", "product direct" },
    { "1x5x2x6..60 24 k2 add", "columns direct", "columns direct" },
    { "1x5x2x6..60 64 k2 last add", "columns direct", "columns direct" },
    { "1x5x2x6..60 13 k1 clip", "product product", "product product" },
    { "1x5x2x6..60 70 k2 nobias", "columns direct", "columns direct" },
    { "1x20x1..26 x1 k3 p2 d2 relu", "taps deep", "taps deep" },
    { "1x20x1..26 x1 k3 p2 last", "taps deep", "taps deep" },
    { "1x15..20x7x9 1..1 k1", "product product", "product product" },
    { "1x17x5x8 1..5 k1 last add", "product direct|product thin", "product direct|product thin" },
    { "2x33x7x6 1..5 k1 last relu nobias", "product direct|product thin", "product direct|product thin" },
    { "1x100x11x9 4 k1 last", "product thin", "product thin" },
    { "1x64x19x22 3 k1 last clip", "product thin", "product thin" },
    { "1x16x9x9 16 g1..1 k1 add", "product product", "product product" },
    /* windows that are long, flat, even, larger than the data; more steps than one visit takes */
    { "1x5x6x9 16 k1x7 p0x3 relu", "columns direct", "tiles direct" },
    { "1x5x6x9 32 k1x7 p0x3 last add_relu", "columns direct", "columns direct|tiles direct" },
    { "1x5x6x9 16 k1x7 s2 p0x3 twice nobias", "columns direct", "tiles direct" },
    { "1x5x6x9 32 k1x7 d2 p0x3 last clip", "columns direct", "columns direct|tiles direct" },
    { "2x5x9x5 16 k7x1 p3x0 relu", "columns direct", "columns direct" },
    { "2x5x9x5 32 k7x1 p3x0 last add_relu", "columns direct", "columns direct" },
    { "2x5x9x5 16 k7x1 s2 p3x0 twice nobias", "columns direct", "columns direct" },
    { "2x5x9x5 32 k7x1 d2 p3x0 last clip", "columns direct", "columns direct" },
    { "1x6x7x7 16 k2x4 p1x2 relu", "columns few", "tiles few" },
    { "1x6x7x7 32 k2x4 p1x2 last add_relu", "columns direct", "columns direct|tiles direct" },
    { "1x6x7x7 16 k2x4 s2 p1x2 twice nobias", "columns direct", "tiles direct" },
    { "1x6x7x7 32 k2x4 d2 p1x2 last clip", "columns direct", "columns direct|tiles direct" },
    { "2x9x3x3 16 k1 p3 relu", "columns columns", "columns columns" },
    { "2x9x3x3 32 k1 p3 last add_relu", "columns direct", "columns direct" },
    { "2x9x3x3 16 k1 s2 p3 twice nobias", "columns columns", "columns columns" },
    { "2x9x3x3 32 k1 d2 p3 last clip", "columns direct", "columns direct" },
    { "1x7x1x1 16 k5 p3 relu", "columns direct", "tiles direct" },
    { "1x7x1x1 32 k5 p3 last add_relu", "columns direct", "columns direct|tiles direct" },
    { "1x7x1x1 16 k5 s2 p3 twice nobias", "columns direct", "tiles direct" },
    { "1x7x1x1 32 k5 d2 p3 last clip", NULL, NULL },
    { "1x7x2x1 16 k2 p3 relu", "columns direct", "columns direct" },
    { "1x7x2x1 32 k2 p3 last add_relu", "columns direct", "columns direct" },
    { "1x7x2x1 16 k2 s2 p3 twice nobias", "columns direct", "columns direct" },
    { "1x7x2x1 32 k2 d2 p3 last clip", "columns direct", "columns direct" },
    { "1x300x6x6 7 k3 p1 relu", "columns columns", "columns columns" },
    { "1x300x6x6 7 k3 p1 last add", "columns direct", "columns direct" },
    { "1x300x6x6 21 k3 s2 p1 last", "columns direct", "columns direct" },
    { "2x700x5x5 7 k2x3 p1 relu", "columns columns", "columns columns" },
    { "2x700x5x5 7 k2x3 p1 last add", "columns direct", "columns direct" },
    { "2x700x5x5 21 k2x3 s2 p1 last", "columns direct", "columns direct" },
    { "1x2100x3x4 7 k1x2 p0x1 relu", "columns columns", "columns columns" },
    { "1x2100x3x4 7 k1x2 p0x1 last add", "columns direct", "columns direct" },
    { "1x2100x3x4 21 k1x2 s2 p0x1 last", "columns direct", "columns direct" },
    { "1x1030x3x4 7 k3 p1 relu", "columns columns", "columns columns" },
    { "1x1030x3x4 7 k3 p1 last add", "columns direct", "columns direct" },
    { "1x1030x3x4 21 k3 s2 p1 last", "columns direct", "columns direct" },
    { "1x4500x3x4 7 k1 p0 relu", "product product", "product product" },
    { "1x4500x3x4 7 k1 p0 last add", "product direct", "product direct" },
    { "1x4500x3x4 21 k1 s2 p0 last", "columns direct", "columns direct" },
    { "1x130x7x7 7 k5 p2 relu", "columns columns", "columns columns" },
    { "1x130x7x7 7 k5 p2 last add", "columns direct", "columns direct" },
    { "1x130x7x7 21 k5 s2 p2 last", "columns direct", "columns direct" },
    { "1x33x3x4x5 16 k3 p1 add", "columns direct", "columns direct" },
    { "2x33x3x4x5 32 k3 p1 last relu", "shared direct", "shared direct" },
    { "1x16x3x4x5 16 k2x1x3 p2x0x1 s1x2x2", "columns direct", "tiles direct" },
    { "1x16x3x4x5 32 k2x1x3 p2x0x1 last clip", "columns direct|shared direct", "shared direct|tiles direct|columns direct" },
    { "1x16x4x7x7 16 k1x3x3 p0x1x1 relu", "columns direct", "tiles direct" },
    { "2x32x1x7x7 32 k1x3x3 p2x1x1 last add_relu", "columns direct", "columns direct|shared direct" },
    { "1x32x1x24x24 64 k1x3x3 p0x1x1", "columns squares4", "columns squares4|shared squares4" },
    { "1x32x1x25x25 64 k1x3x3 s1x2x2 p0x1x1", "columns direct", "shared direct" },
    { "1x3x1x40x40 64 k1x7x7 s1x2x2 p0x3x3", "columns squares5", "columns squares5|tiles squares5" },
    { "1x32x1x16x16 64 k1x5x5 p0x2x2", "columns squares6", "shared squares6" },
    /* groups */
    { "1x6x9x8 12 g2 k3 p1 relu", "tiles tiles", "tiles tiles" },
    { "2x24x10x11 48 g3 k3 s2 p1 last", "columns grouped", "tiles grouped" },
    { "1x12x7x9 40 g4 k2 last add_relu", "columns grouped", "columns grouped" },
    { "1x9x6x14 27 g3 k3x1 p1x0 clip", "columns grouped", "columns grouped" },
    { "1x6x5x6 6 g3 k3 last", "tiles tiles", "columns columns|tiles tiles" },
    { "2x32x6x7 64 g4 k5 p2", "columns grouped", "tiles grouped" },
    { "1x6x9 10 g2 k3 p1 d2 left", "tiles tiles", "tiles tiles" },
    { "1x6x3x4x5 18 g2 k2 p1 nobias", "columns grouped", "columns grouped" },
    { "1x8x9x9 16 g2 k1 s2 add", "columns columns", "columns columns" },
    { "1x9x8x7 9 g3 k3 p1 f64", "columns columns", "columns columns" },
    { "1x8x10x9 16 g2 k3 p1 f16 relu", "tiles grouped", "tiles grouped" },
    /* Winograd's squares: remainders in both dims, paddings, panels of filters, windows of 3 to 10,
     * phases of a stride of 2 */
    { "2x16x12x7 32 k3 p2x1 last ", "columns squares4", "columns squares4|shared squares4|tiles squares4" },
    { "1x16x6x13 32 k3 nobias relu", "columns squares4", "columns squares4|tiles squares4" },
    { "1x16x10x6 80 k3 p1x2 clip", "shared squares4", "shared squares4" },
    { "2x48x6x3 32 k3 p2x0 nobias add", "columns direct", "columns direct|shared direct" },
    { "1x16x5x9 80 k3 last left", "columns squares4", "columns squares4|shared squares4" },
    { "1x16x12x10 16 k3 nobias add_relu", "columns squares4", "tiles squares4" },
    { "2x32x6x6 32 k3 twice", "columns squares4", "columns squares4|shared squares4" },
    { "1x16x6x11 32 k3 p2 nobias ", "columns squares4", "columns squares4|shared squares4|tiles squares4" },
    { "1x16x14x6 32 k3 p1 last relu", "columns squares4", "shared squares4|tiles squares4|columns squares4" },
    { "2x16x9x5 32 k3 p0x1 nobias clip", "columns squares4", "columns squares4|tiles squares4" },
    { "1x32x7x12 16 k3 p2x0 add", "columns squares4", "columns squares4|shared squares4" },
    { "1x32x7x8 32 k3 p1 nobias left", "columns squares4", "shared squares4" },
    { "2x16x10x10 32 k3 p2x0 last add_relu", "columns squares4", "columns squares4|shared squares4|tiles squares4" },
    { "1x16x3x14 80 k3 p1 nobias twice", "shared squares4", "columns squares4|shared squares4" },
    { "1x16x9x8 32 k3 p1x2 ", "columns squares4", "shared squares4|tiles squares4|columns squares4" },
    { "2x16x3x14 16 k3 p0x2 nobias relu", "columns direct", "tiles direct" },
    { "1x32x6x10 80 k3 p1x2 last clip", "shared squares4", "shared squares4" },
    { "1x32x7x10 32 k3 p0x2 nobias add", "shared squares4", "shared squares4" },
    { "2x32x3x9 80 k3 left", "columns direct", "columns direct|shared direct" },
    { "1x32x12x8 80 k3 p0x1 nobias add_relu", "shared squares4", "shared squares4" },
    { "1x32x4x7 32 k3 p2x1 last twice", "shared squares4|columns squares4", "columns squares4|shared squares4" },
    { "2x32x4x13 32 k3 p0x2 nobias ", "columns squares2", "columns squares2|shared squares2" },
    { "1x48x5x14 16 k3 relu", "columns squares4", "columns squares4" },
    { "1x32x6x14 32 k3 p2x1 nobias clip", "shared squares4", "shared squares4" },
    { "2x16x13x9 32 k3 last add", "columns squares4", "columns squares4|shared squares4|tiles squares4" },
    { "1x16x8x6 32 k3 p0x2 nobias left", "columns squares4", "columns squares4|tiles squares4" },
    { "1x16x4x5 16 k3 p1 add_relu", "columns direct", "tiles direct" },
    { "2x16x9x7 80 k3 p0x1 nobias twice", "shared squares4", "shared squares4" },
    { "1x32x10x10 32 k3 p2 last ", "shared squares4", "shared squares4" },
    { "1x16x7x7 16 k3 p1 nobias relu", "columns squares4", "tiles squares4" },
    { "2x48x9x11 32 k3 p0x2 clip", "columns squares4", "shared squares4" },
    { "1x32x5x4 16 k3 p1 nobias add", "columns squares2", "columns squares2" },
    { "1x16x8x14 32 k3 p2 last left", "columns squares4", "shared squares4|tiles squares4" },
    { "2x32x8x11 32 k3 p2 nobias add_relu", "columns squares4", "shared squares4" },
    { "1x32x7x14 32 k3 p2x1 twice", "shared squares4", "shared squares4" },
    { "1x32x12x3 32 k3 p1x2 nobias ", "shared squares4", "shared squares4" },
    { "1x32x28x22 64 k3 s2 p1 last relu", "columns squares3", "shared squares3" },
    { "1x32x23x22 80 k3 s2 p2x1 clip", "shared squares3", "shared squares3" },
    { "1x32x23x20 96 k3 s2 p2x1 add", "shared direct", "shared direct" },
    { "1x16x23x26 64 k3 s2 p0x2 left", "columns direct", "shared direct|tiles direct" },
    { "1x16x21x23 80 k3 s2 p1 last add_relu", "shared squares3", "shared squares3" },
    { "1x16x29x28 96 k3 s2 p2x1 twice", "columns squares3", "shared squares3" },
    { "1x32x27x30 64 k3 s2 p2 ", "columns squares3", "shared squares3" },
    { "1x32x22x27 80 k3 s2 p2 relu", "columns squares3", "shared squares3" },
    { "1x32x29x18 96 k3 s2 last clip", "shared squares3", "shared squares3" },
    { "1x16x27x28 64 k3 s2 add", "columns direct", "shared direct|tiles direct" },
    { "2x16x18x8 32 k4 p3x1 left", "columns squares5", "columns squares5|tiles squares5" },
    { "1x1x14x170 96 k6 s2 p2x1 add_relu", "taps squares4", "taps squares4" },
    { "1x2x28x12 48 k7 s2 p3 twice", "columns squares5", "columns squares5|tiles squares5" },
    { "1x16x15x19 32 k5 p4x0 last ", "columns squares6", "shared squares6" },
    { "2x2x35x24 96 k9 s2 p0x2 relu", "columns squares6", "shared squares6" },
    { "1x3x27x17 16 k10 s2 p4x2 clip", "columns squares6", "columns squares6|shared squares6" },
    { "1x16x16x17 48 k4 p2x0 add", "columns squares5", "shared squares5|tiles squares5" },
    { "1x3x28x19 96 k6 s2 p2x1 left", "shared squares4", "shared squares4" },
    { "2x4x29x31 96 k7 s2 p4x2 add_relu", "columns squares5", "columns squares5|shared squares5" },
    { "1x16x11x11 96 k5 p4x3 last twice", "columns squares6", "shared squares6" },
    { "1x2x17x32 16 k9 s2 p0x2 ", "columns squares6", "tiles squares6" },
    { "1x4x17x170 32 k10 s2 p4 relu", "columns squares6", "columns squares6|shared squares6" },
    { "2x16x13x18 96 k4 p4x3 clip", "columns squares5", "columns squares5|shared squares5" },
    { "1x4x17x25 96 k6 s2 p2x3 add", "shared squares4", "shared squares4" },
    { "1x4x16x30 48 k7 s2 p4x2 left", "shared squares5", "shared squares5|tiles squares5" },
    { "1x16x16x13 48 k5 p3x0 last add_relu", "columns squares6", "shared squares6" },
    { "2x3x28x22 16 k9 s2 p1x3 twice", "columns squares6", "tiles squares6" },
    { "1x1x35x33 48 k10 s2 p3x1 ", "taps squares6", "taps squares6" },
    { "1x16x8x10 96 k4 p3x0 relu", "shared squares5", "shared squares5" },
    { "1x3x17x25 96 k6 s2 p0x1 clip", "shared squares4", "shared squares4" },
    { "2x3x15x20 96 k7 s2 p2x3 add", "shared squares5", "shared squares5" },
    { "1x16x9x170 16 k5 p4x0 last left", "columns squares6", "columns squares6" },
    { "1x2x22x22 48 k9 s2 p4x2 add_relu", "shared squares6", "shared squares6|tiles squares6" },
    { "1x1x28x25 32 k10 s2 p2x4 twice", "taps squares6", "taps squares6" },
    { "2x16x8x8 96 k4 p2x4 ", "columns squares5", "shared squares5" },
    { "1x1x31x27 96 k6 s2 p1x0 relu", "taps squares4", "taps squares4" },
    { "1x112x9x9 32 k3 p1", "shared squares4", "shared squares4" },
    { "1x176x6x7 64 k3 p1 last", "shared squares2", "shared squares2" },
    { "1x112x20x20 64 k3 s2 p1 last relu", "shared squares3", "shared squares3" },
    { "1x16x40x9 32 k3 p1 add", "columns squares4", "columns squares4|tiles squares4" },
    { "1x64x7x7 64 k3 p1 relu", "shared squares4", "shared squares4" },
    { "1x32x14x14 64 k3 p1 left", "columns squares4", "shared squares4" },
    { "1x16x8x8 32 k3 p1 f16", "columns squares4", "columns squares4|tiles squares4" },
    { "1x16x8x8 32 k3 p1 f64", "columns columns", "columns columns" },
    /* transposed: as a convolution of all phases, or back */
    { "1x19x2x4 t 13 k2x3 s1 p1", "back back", "back back" },
    { "2x13x3x5 t 15 k6x8 s2 p2 relu", "back direct", "back direct" },
    { "1x17x4x6 t 19 k3x6 s3 p1", "back direct", "back direct" },
    { "2x13x5x7 t 5 k8x12 s4 p2 a3 relu", "back back", "back back" },
    { "1x14x6x8 t 18 k1x2 s1", "back direct", "back direct" },
    { "2x6x7x4 t 8 k2x4 s2 p1 relu", "back direct", "back direct" },
    { "1x4x8x5 t 11 k6x9 s3", "back direct", "back direct" },
    { "2x16x2x6 t 16 k12x16 s4 p1 relu", "back direct", "back direct" },
    { "1x11x3x7 t 20 k1x2 s1", "back direct", "back direct" },
    { "2x13x4x8 t 15 k6x8 s2 relu", "back direct", "back direct" },
    { "1x9x5x4 t 14 k3x6 s3 a2", "back back", "back back" },
    { "2x5x6x5 t 18 k4x8 s4 a1 relu", "back back", "back back" },
    { "1x12x7x6 t 2 k1x2 s1", "back back", "back back" },
    { "2x16x8x7 t 20 k6x8 s2 p2 relu", "back direct", "back direct" },
    { "1x6x2x8 t 11 k3x6 s3 a1", "back back", "back back" },
    { "2x19x3x4 t 12 k12x16 s4 p2 a3 relu", "back back", "back back" },
    { "1x8x4x5 t 10 k3x4 s1 p1", "back back", "back back" },
    { "2x12x5x6 t 3 k2x4 s2 p1 relu", "back back", "back back" },
    { "1x13x6x7 t 17 k9x12 s3 a1", "back back", "back back" },
    { "2x18x7x8 t 13 k4x8 s4 a2 relu", "back back", "back back" },
    { "1x16x5x7 t 8 k4 s2 p1", "back direct", "back direct" },
    { "2x4x3x5 t 4 k2 s2", "back direct", "back direct" },
    { "1x16x5x6 t 8 k3 s2 p1 a1", "back back", "back back" },
    { "1x6x4x5 t 9 k3x2 d2 p1 last", "back back", "back back" },
    { "2x4x3x4x3 t 6 k2 s2x1x2 g2", "back back", "back back" },
    { "1x5x9 t 7 k5 s3 p2 a1 relu", "back back", "back back" },
    { "1x8x6x6 t 6 k3 f64", "back back", "back back" },
    { "1x3x6x6 t 16 k4 s2 p1", "back back", "back back" },
    { "1x4x6x6 t 3 k4 s2 p1", "back back", "back back" },
    { "1x4x6x6 t 4 k4 s2 p1", "back direct", "back direct" },
    /* padding that is not the same before and behind */
    { "1x16x14x14 x1 k3 s2 e1 last relu", "taps deep", "taps deep" },
    { "2x17x9x12 x1 k3 p1x0 e0x1 last add_relu", "taps deep", "taps deep" },
    { "1x33x8x16 x1 k3 p0x1 e2x0 last", "taps deep", "taps deep" },
    { "1x16x7x8 x1 k3 p1 e3 last relu", "taps deep", "taps deep" },
    { "1x16x7x15 x1 k3 s2 p1 e2 last", "taps deep", "taps deep" },
    { "1x20x6x9 x1 k5x3 s2x1 p1x2 e3x0 last relu", "taps deep", "taps deep" },
    { "1x48x9x17 x1 k3 d2 p1 e3 last clip", "taps deep", "taps deep" },
    { "1x4x2x9x10 x1 k1x3x3 s2x1x1 p0x1x1 e1x0x1 last", "taps deep", "taps deep" },
    { "1x16x1x9x10 x1 k1x3x3 p0x1x1 e2x1x1 last", "taps deep", "taps deep" },
    { "1x3x7x2..20 x1 k3 p1 e0 relu", "taps deep", "taps deep" },
    { "1x3x8x2..20 x2 k3 s2 e1 relu", "taps taps", "taps taps" },
    { "1x3x8x2..20 x2 k3 s2 p1 e0 relu", "lines lines|taps taps", "lines lines|taps taps" },
    { "1x3x6x1..20 x2 k3 e1x2 nobias", "taps taps", "taps taps" },
    { "1x3x6x9 t x1 k3 p1 e0", "taps taps", "taps taps" },
    { "1x3x6x9 t x1 k3 e2", "taps taps", "taps taps" },
    { "2x3x6x9 t x2 k3 s2 e1 relu", "back back", "back back" },
    { "1x2x4x5x6 x1 k3x2x3 s2x1x2 p1x0x0 e0x1x2", "taps deep", "taps deep" },
    { "1x2x1x9x10 x1 k1x3x3 p0x1x1 e1x1x1", "taps deep", "taps deep" },
    { "1x3x50 x1 k3 s2 e1", "taps deep", "taps deep" },
    { "1x3x11x21 5 k3 p1 e0 pool", "tiles few_pool", "tiles few_pool" },
    { "1x3x11x21 5 k3 e1x2 relu", "tiles few", "tiles few" },
    { "3x5x9x19 3 k2x4 d2x1 p0x2 e1x0 relu", "tiles few", "columns few|tiles few" },
    { "1x1x28x28 6 k5 p2x0 e0x4 relu_pool", "taps few_pool", "taps few_pool" },
    { "1x1x90x130 8 k3 e1 relu_pool", "taps few_pool", "taps few_pool" },
    { "1x16x57x61 80 k1 relu ; x1 k3 p1 e0 six last", "product+taps chain", "product+taps chain" },
    { "1x16x57x61 80 k1 relu ; x1 k3 p1 e2 six last", "product+taps direct+deep", "product+taps direct+deep" },
    { "1x16x113x111 24 k1 relu ; x1 k3 s2 e1 six ; 24 k1 last", "product+taps+product chain3",
      "product+taps+product chain3" },
    { "1x8x29x200 100 k1 relu ; x1 k3 s2x1 p1x0 e0x1 six ; 33 k1 last", "product+taps+product chain3",
      "product+taps+product chain3" },
    { "1x3x225x223 32 k3 s2 e1 relu ; x1 k3 p1 six ; 16 k1", "columns+lines+product chain+direct",
      "columns+lines+product chain+direct" },
    { "2x3x150x161 48 k3 s2 e1 relu ; x1 k3 s2 e1 six", "columns+taps chain", "columns+taps chain" },
    { "1x17x66x68 65 k3 p1x0 e0x1 relu ; x1 k3 e1 six ; 17 k1 last", "columns+taps+product chain3",
      "columns+taps+product chain3" },
    { "1x3x15x17 32 k3 s2 e1 relu", "columns border", "columns border|tiles border" },
    { "2x3x23x30 64 k7 s2 p2 e3 relu", "columns squares5", "columns squares5|tiles squares5" },
    { "2x4x12x11 33 k3 p1x0 e0x1 twice", "columns border", "columns border|tiles border" },
    { "1x2x10x13 70 k2x4 s1x3 d2x3 p0x2 e1x0 relu", "columns border", "columns border" },
    { "3x2x50 24 k9 s2 p4 e1 relu", "columns border", "columns border|tiles border" },
    { "1x3x6x7x8 20 k3 s1x2x1 p1x0x1 e0x1x2 relu", "columns border", "columns border|tiles border" },
    { "1x3x28x19 96 k6 s2 p2x1 e1x2 left", "shared squares4", "shared squares4" },
    { "1x3x5x4 20 k2 e1", "columns border", "columns border" },
    { "1x5x8x9 16 k3 p1 e0 twice", "columns few", "tiles few" },
    { "1x5x6x9 32 k1x7 p0x3 e1x0 last add_relu", "columns direct", "columns direct|tiles direct" },
    { "2x24x10x33 48 k3 s2 e1 g3", "columns grouped", "tiles grouped" },
    { "1x33x3x4x5 16 k3 p1x0x1 e0x2x0 add", "columns direct", "columns direct" },
    { "2x700x5x5 21 k2x3 s2 p0x1 e1x2 last", "columns direct", "columns direct" },
    { "1x2100x3x4 7 k1x2 e0x1 last add", "columns direct", "columns direct" },
    { "2x9x3x3 32 k1 e3 last add_relu", "columns direct", "columns direct" },
    { "2x9x3x3 16 k1 e1 relu", "columns columns", "columns columns" },
    { "1x300x6x6 7 k3 p1 e0 relu", "columns columns", "columns columns" },
    { "1x6x9x8 12 g2 k3 p0x2 e1x0 relu", "tiles tiles", "tiles tiles" },
    { "1x8x5x2 4 g2 k3 p0x1 e2x0", "tiles tiles", "columns columns|tiles tiles" },
    { "1x2x3x17 2 k3 p1x3 e0 nobias", "tiles few", "columns few|tiles few" },
    { "1x9x8x7 9 g3 k3 p1 e2 f64", "columns columns", "columns columns" },
    { "1x8x10x9 16 g2 k3 e1 f16 relu", "tiles grouped", "tiles grouped" },
    { "2x16x12x7 32 k3 p0x1 e2x0 last", "columns squares4", "columns squares4|shared squares4|tiles squares4" },
    { "1x32x28x22 64 k3 s2 e1 last relu", "columns squares3", "shared squares3" },
    { "1x16x15x19 32 k5 p4x0 e0x4 last", "columns squares6", "shared squares6" },
    { "2x16x18x8 32 k4 p1 e2 left", "columns squares5", "shared squares5|tiles squares5" },
    { "1x64x7x7 64 k3 p1x0 e0x2 relu", "shared squares4", "shared squares4" },
    { "2x32x4x13 32 k3 p0x2 e1x0 nobias", "columns squares4", "shared squares4|columns squares4" },
    { "1x5x21x40x16 7 k3x3x1 p1x0x0 e0x2x0", "columns columns", "batch_lanes batch_lanes" },
    { "2x5x22x33x16 18 k3x2x1 s2x1x1 e1x1x0", "columns direct", "batch_lanes batch_lanes" },
    { "1x5x23x26x16 1 k2x3x1 d2x2x1 p1x0x0 e0x3x0", "columns columns", "batch_lanes batch_lanes" },
    { "1x3x5x6x16 4 k3x3x1 e0x0x1", "columns columns", "columns columns" },
    { "1x6x30x16 5 k3x1 p1x0 e2x0", "columns few", "batch_lanes few" },
    { "1x2x6x5x16 t 5 k3x3x1 s2x1x1 p1x0x0 e0x2x0 a1x0x0", "back back", "batch_lanes batch_lanes" },
    { "2x13x3x5 t 15 k6x8 s2 p2 e1 relu", "back direct", "back direct" },
    { "1x17x4x6 t 19 k3x6 s3 p1x0 e0x3", "back direct", "back direct" },
    { "1x16x5x7 t 8 k4 s2 p1 e0", "back direct", "back direct" },
    { "1x16x5x7 t 8 k4 s2 e1", "back direct", "back direct" },
    { "1x16x5x6 t 8 k3 s2 p1 e0", "back back", "back back" },
    { "1x6x4x5 t 9 k3x2 d2 p1x0 e2x1 last", "back back", "back back" },
    { "1x8x6x6 t 6 k3 p0x1 e1x0 f64", "back back", "back back" },
    /* drawn */
    { "1x12x37 44 k1 s2 d2 p1 nobias add", "columns columns", "columns columns" },
    { "2x10x4 32 g2 k2 s2 p3 add_relu", "columns grouped", "columns grouped" },
    { "1x25x40 38 k3 p3 nobias twice", "columns direct", "columns direct|tiles direct" },
    { "1x24x26 28 k1 add", "product product", "product product" },
    { "1x23x40 61 k3", "columns direct", "columns direct|tiles direct" },
    { "3x64x17 20 k1 s3 p3 last add", "columns direct", "columns direct" },
    { "1x19x13 21 k1 p2 nobias relu", "columns columns", "columns columns" },
    { "2x30x11 9 k2 d2 p1", "columns columns", "columns columns" },
    { "1x6x32 32 k1 p1 last relu", "columns direct", "columns direct" },
    { "3x12x15 25 k1 s3 last twice", "columns direct", "columns direct" },
    { "3x14x23 57 k4 s2 p2 add_relu", "columns direct", "columns direct|tiles direct" },
    { "1x29x31 18 k1 s3 p1 last add", "columns direct", "columns direct" },
    { "3x16x16 55 k5 s2 nobias", "columns direct", "columns direct|tiles direct" },
    { "3x3x1 15 g3 k3 s3 p2 last add_relu", "taps grouped", "taps grouped" },
    { "3x28x9 49 k3 p1 nobias", "columns direct", "columns direct|tiles direct" },
    { "1x2x4 34 g2 k2 p2 nobias clip", "taps direct", "taps direct" },
    { "1x13x38 2 k2 p2 add", "columns columns", "columns columns" },
    { "1x28x29 43 k3 s2 left", "columns direct", "columns direct|tiles direct" },
    { "1x31x27 14 k1 d2 nobias add", "product product", "product product" },
    { "1x14x36 26 k5 s3 p1 last left", "columns direct", "columns direct|tiles direct" },
    { "1x32x16 19 k4 relu", "columns direct", "columns direct|tiles direct" },
    { "3x64x6 69 k3 s2", "columns direct", "columns direct|shared direct" },
    { "3x21x25 40 k5 s2 p1 twice", "columns direct", "columns direct|tiles direct" },
    { "1x27x19 67 k1 p2 nobias", "columns columns", "columns columns" },
    { "1x18x6 10 k3 s2 d2 p2 left", "columns columns", "tiles tiles" },
    { "3x6x28 44 k4 p3 add", "columns direct", "columns direct|tiles direct" },
    { "1x21x14 32 k3 s3 p3", "columns direct", "columns direct|tiles direct" },
    { "3x27x37 9 k5 nobias clip", "columns columns", "tiles tiles" },
    { "1x27x27 43 k1 d2 p2 relu", "columns columns", "columns columns" },
    { "1x21x4 43 k1 p3 nobias add_relu", "columns columns", "columns columns" },
    { "1x12x8 60 g4 k1 p2 nobias add_relu", "columns columns", "columns columns" },
    { "1x2x14 26 g2 k3 p3 nobias", "taps grouped", "taps grouped" },
    { "1x8x32 17 k3 s2 p1 last twice", "columns direct", "columns direct|tiles direct" },
    { "2x15x10 42 g3 k3 s2 p2 nobias last left", "columns grouped", "tiles grouped" },
    { "1x28x18 54 k3 d2 p1 twice", "columns direct", "columns direct|tiles direct" },
    { "1x48x6 46 k3 s3 nobias twice", "columns direct", "columns direct|tiles direct" },
    { "1x34x29 28 k1 s2 p1 nobias last", "columns direct", "columns direct" },
    { "1x4x2 22 g2 k3 p1 twice", "columns grouped", "tiles grouped" },
    { "1x13x26 48 k3 p1 last twice", "columns direct", "columns direct|tiles direct" },
    { "2x11x3 10 k2 s2 p3 nobias relu", "columns columns", "columns columns" },
    { "3x22x36 38 k1 p3 nobias clip", "columns columns", "columns columns" },
    { "3x80x9 31 k1 s2 nobias last", "columns direct", "columns direct" },
    { "3x4x40 52 g4 k3 d2 nobias last left", "taps grouped", "taps grouped" },
    { "1x64x24 14 k5 s2 d2 p2 nobias twice", "columns columns", "columns columns" },
    { "1x11x14 58 k5 p2 nobias relu", "columns direct", "columns direct|tiles direct" },
    { "1x14x37 22 g2 k3 clip", "columns grouped", "tiles grouped" },
    { "1x64x17 19 k3 p3 nobias twice", "columns direct", "columns direct|tiles direct" },
    { "1x6x9x2 38 g2 k1 s1x2 d2x1 p3 nobias last add", "columns direct", "columns direct" },
    { "3x80x12x2 29 k1 s2 p0x3 nobias last add_relu", "columns direct", "columns direct" },
    { "1x18x8x5 40 k3x5 p1", "columns direct", "columns direct|shared direct" },
    { "2x4x10x9 28 g2 k2 d2x1 p2x1 nobias left", "columns grouped", "columns grouped" },
    { "2x35x9x13 22 k3 s1x2 p1 nobias add_relu", "columns direct", "columns direct" },
    { "1x8x5x2 4 g2 k3 p0x1", "tiles tiles", "columns columns|tiles tiles" },
    { "1x25x10x9 32 k4 d1x2 p1x3 left", "shared direct", "shared direct" },
    { "1x9x13x12 25 k2x3 s1x3 p1x2 nobias relu", "columns direct", "columns direct|tiles direct" },
    { "1x11x10x8 58 k2 d1x2 p1x3 last relu", "columns direct", "columns direct" },
    { "3x64x10x5 63 k3x2 s2x1 p1x3 nobias twice", "columns direct", "shared direct" },
    { "1x48x14x7 21 k3 s3 d2x1 p1x3 nobias last relu", "columns direct", "columns direct" },
    { "2x32x13x8 69 k2x1 p0x3 add_relu", "columns direct", "columns direct|shared direct" },
    { "3x15x10x9 48 k4 s2x1 d1x2 p3x0 nobias last add", "columns direct", "columns direct|tiles direct" },
    { "1x1x8x8 14 k4 s1x2 p3 nobias", "taps taps", "taps taps" },
    { "2x4x3x13 50 k1 s2x1 p1 nobias last clip", "columns direct", "columns direct" },
    { "1x30x14x4 35 k3 s3x2 d2x1 p3x0 nobias add_relu", "columns direct", "columns direct|shared direct" },
    { "1x3x12x10 47 k3 s3x1 p0x2 nobias last add_relu", "columns direct", "columns direct|tiles direct" },
    { "1x80x8x3 42 k1x3 s3x1 d1x2 p1 nobias add", "columns direct", "columns direct|tiles direct" },
    { "1x80x8x5 3 k1 s1x3 d2x1 nobias last", "columns direct", "columns direct" },
    { "1x10x14x13 32 g2 k1 s2 d1x2 p0x3 nobias add", "columns columns", "columns columns" },
    { "3x9x8x10 30 g3 k1 s2x1 p2x1 nobias last relu", "columns direct", "columns direct" },
    { "1x23x14x4 12 k3 p3 nobias last add_relu", "columns direct", "tiles direct" },
    { "2x29x2x3 52 k1 p1x2", "columns columns", "columns columns" },
    { "3x12x2x10 45 g3 k1x3 s2x1 p3x0 nobias add_relu", "columns grouped", "tiles grouped" },
    { "3x22x8x14 60 k3x5 s1x3 d2x1 p0x1 nobias add_relu", "columns direct",
      "columns direct|shared direct" },
    { "2x21x10x9 20 k3x4 p0x3 last twice", "columns direct", "columns direct|tiles direct" },
    { "2x22x1x1 48 k1x3 p3 nobias clip", "columns direct", "columns direct|tiles direct" },
    { "1x27x7x3 40 k3 s1x3 p1x3 add", "columns direct", "columns direct|tiles direct" },
    { "1x32x1x8 44 g4 k1x2 d1x2 p1x0 nobias clip", "columns grouped", "columns grouped" },
    { "2x8x3x11 16 g2 k1 s2x1 p2x1 add_relu", "columns columns", "columns columns" },
    { "3x35x8x9 45 k1 s1x2 d1x2 p0x3 nobias twice", "columns columns", "columns columns" },
    { "1x31x8x9 18 k5 s1x2 d1x2 p3x0 left", "columns direct", "columns direct" },
    { "1x2x7x14 21 k3 s2x1 d2x1 p0x2 nobias add", "columns border", "columns border|tiles border" },
    { "2x48x3x7 51 k4 s1x3 d1x2 p2x0 nobias left", "columns direct", "shared direct" },
    { "2x12x12x14 21 k3 s2x3 d2x1 p1x3 nobias add", "columns direct", "columns direct|tiles direct" },
    { "2x34x8x8 60 k3x2 p3x1", "columns direct", "shared direct" },
    { "1x32x14x13 15 k1 p1x3 nobias relu", "columns columns", "columns columns" },
    { "1x80x13x10 42 k5x1 d2x1 p1 add_relu", "shared direct", "shared direct" },
    { "1x80x6x7 62 k3x4 p0x1 twice", "shared direct", "shared direct" },
    { "1x10x3x1 41 k3 p1x3 nobias last twice", "columns direct", "columns direct|tiles direct" },
    { "3x7x8x3 40 k2 s2x3 p0x1 add", "columns direct", "columns direct" },
    { "1x80x9x13 13 k4x1 s1x2 d1x2 p2x1 left", "columns columns", "columns columns|shared shared" },
    { "2x32x8x5 30 k1 s1x2 d2 p1x3", "columns columns", "columns columns" },
    { "3x12x14x14 55 k3x2 s2x1 d2x1 nobias add", "columns direct", "columns direct" },
    { "1x24x6x13 45 k4 s1x2 p1x3 last clip", "shared direct", "shared direct" },
    { "3x3x10x8 33 g3 k1 p0x2 relu", "taps taps", "taps taps" },
    { "2x27x6x3 40 k5x3 p1x0 left", "columns direct", "columns direct|shared direct" },
    { "1x32x7x8 61 k3 s2 d1x2 last add_relu", "columns direct", "columns direct|shared direct" },
    { "3x14x3x4x1 2 k2x3x3 s2x1x2 p2x3x1 nobias clip", "tiles tiles", "columns columns|tiles tiles" },
    { "2x3x5x5x2 18 g3 k1 s2x1x2 d2x1x1 p0x1x1 nobias", "taps taps", "taps taps" },
    { "1x4x3x3x2 16 g4 k4x1x2 s1x3x1 p1x3x0 left", "taps grouped", "taps grouped" },
    { "2x3x5x3x5 36 k2x4x3 s1x2x1 p0x1x2 nobias add", "columns direct", "columns direct|tiles direct" },
    { "1x13x1x5x1 28 k3 s3x2x2 p1x3x3 clip", "columns direct", "columns direct|shared direct" },
    { "3x1x4x2x5 27 k2x1x2 s1x2x1 p3x1x1 nobias last add", "taps direct", "taps direct" },
    { "3x3x1x3x3 22 k3 s2x3x2 p3x0x1 nobias last relu", "columns direct", "columns direct|tiles direct" },
    { "1x6x1x3x3 24 g3 k3x1x1 s2x1x2 d2x1x2 p3x3x2 nobias twice", "columns grouped", "columns grouped" },
    { "1x4x5x5x5 24 g4 k3x2x1 s2x2x1 d2x1x1 p1x1x3 nobias relu", "taps grouped", "taps grouped" },
    { "1x3x4x3x5 31 k3 s1x2x2 p0x0x3 nobias add", "columns direct", "columns direct|tiles direct" },
    { "1x7x2x2x3 34 k3x2x4 s2 p1x3x3 clip", "columns direct", "columns direct|tiles direct" },
    { "2x4x4x1x5 23 k2 s1x2x1 p0x3x1 nobias relu", "columns direct", "columns direct" },
    { "2x11x2x4x5 4 k1x3x3 s1x1x3 p1x1x3 add", "tiles tiles", "tiles tiles" },
    { "1x11x5x5x3 8 k3 s1x2x1 d1x2x1 p0x3x3 last add_relu", "columns direct",
      "columns direct|shared direct" },
    { "1x6x2x3x3 26 k1x2x1 d1x2x1 p1x2x3 nobias add", "columns direct", "columns direct" },
    { "3x4x3x1x2 25 k2 s3x1x1 d1x1x2 p1x3x1 twice", "columns direct", "columns direct" },
    { "1x4x3x5x4 4 g2 k1x2x3 s1x3x1 d1x1x2 p1 relu", "tiles tiles", "columns columns|tiles tiles" },
    { "1x13x3x2x4 15 k3x2x1 s2x1x2 d1x2x1 p0x1x3 clip", "columns columns", "columns columns" },
    { "3x4x2x2x4 20 g4 k3 s1x3x1 p3x2x1 nobias left", "taps grouped", "taps grouped" },
    /* functions of what an item has stored */
    { "1x1x5x6 x1 k3 p1 last silu", "taps direct", "taps direct" },
    { "1x3x7x7 x1 k3 p1 last hard_swish", "taps deep", "taps deep" },
    { "2x31x10x15 x1 k5 p2 last gelu", "taps deep|taps slide", "taps deep|taps slide" },
    { "1x6x33x35 x1 k7 p3 add_silu", "taps taps", "taps taps|taps slide" },
    { "1x16x1x1 x1 k3 d9000 p9000 last silu", "columns deep", "columns deep" },
    { "1x700x4x5 17 k3 d5 p5 hard_swish", "columns direct", "columns direct" },
    { "1x4x40x41 x1 k3 s2 p1 gelu", "lines lines", "lines lines" },
    { "1x3x12x37 x3 k5 p2 add_silu", "taps taps", "taps taps" },
    { "2x5x9x8 x1 k3x5 p1x2 silu", "taps deep", "taps deep" },
    { "1x2x1x9x10 x1 k1x3x3 p0x1x1 hard_swish", "lines deep", "lines deep" },
    { "1x2x1x1 x1 k3 d90 p90 gelu", "tiles deep", "columns deep" },
    { "1x1x5x6 x4 k3 p1 add_silu", "lines few", "lines lines" },
    { "1x3x7x9 t x1 k3 s2 p1 a1 silu", "back back", "back back" },
    { "3x5x9x19 3 k2x4 d2x1 p0x2 hard_swish", "tiles few", "columns few|tiles few" },
    { "1x2x91x131 9 k5x3 gelu", "columns few", "tiles few" },
    { "1x1x1x40 4 k1x9 p0x4 add_silu", "taps few", "taps few" },
    { "1x1024x9x9 6 k1x2 silu", "shared shared", "shared shared" },
    { "1x3x15x17 32 k3 s2 p1 hard_swish", "columns border", "columns border|tiles border" },
    { "2x3x23x30 64 k7 s2 p3 gelu", "columns squares5", "columns squares5|tiles squares5" },
    { "1x2x10x13 70 k2x4 s1x3 d2x3 p0x2 add_silu", "columns border", "columns border" },
    { "1x1x7 16 k3 d2 p1 silu", "taps border", "taps border" },
    { "2x1x4x5x9 16 k2x3x3 s2x1x1 p1x1x0 hard_swish", "taps direct", "taps direct" },
    { "1x3x2x2 16 k3 p9 gelu", "columns few", "tiles direct" },
    { "1x4x8x9 130 k3 s3 p1x0 add_silu", "columns border", "columns border|shared border" },
    { "1x130x5x7 20 k1 silu", "product product", "product product" },
    { "2x16x11x5 40 k3 s2 p1 hard_swish", "columns direct", "columns direct|tiles direct" },
    { "2x257x6x9 65 k3 s2 p1 gelu", "shared direct", "shared direct" },
    { "1x16x9x30 16 k3 p1 g2 add_silu", "tiles grouped", "tiles grouped" },
    { "2x40x7x7 40 k3 p1 g5 silu", "tiles grouped", "tiles grouped" },
    { "1x16x9x30 16 k3 p1 g4 hard_swish", "columns grouped|tiles grouped", "columns grouped|tiles grouped" },
    { "2x80x20x23 32 k5x3 p2x1 g2 gelu", "columns grouped", "columns grouped" },
    { "1x32x9x8 40 k3 p1 g2 add_silu", "columns direct", "columns direct|tiles direct" },
    { "2x3x20x20 6 k3 p1 silu", "tiles few", "tiles few" },
    { "2x40x9x30 8 k3 s2 p1 hard_swish", "columns columns", "columns columns|shared shared" },
    { "2x20x30x17 3 k3 p1 gelu", "tiles few", "shared few|tiles few" },
    { "1x5x21x40x16 7 k3x3x1 add_silu", "columns columns", "batch_lanes batch_lanes" },
    { "2x5x22x33x16 18 k3x2x1 s2x1x1 p1x1x0 silu", "columns direct", "batch_lanes batch_lanes" },
    { "1x6x30x16 5 k3x1 p1x0 hard_swish", "columns few", "batch_lanes few" },
    { "1x2x6x5x16 t 5 k3x3x1 s2x1x1 p1x1x0 a1x0x0 gelu", "back back", "batch_lanes batch_lanes" },
    { "1x100x11x9 4 k1 last add_silu", "product thin", "product thin" },
    { "1x5x6x9 32 k1x7 p0x3 last silu", "columns direct", "columns direct|tiles direct" },
    { "2x5x9x5 32 k7x1 p3x0 last hard_swish", "columns direct", "columns direct" },
    { "2x9x3x3 16 k1 p3 gelu", "columns columns", "columns columns" },
    { "1x4500x3x4 7 k1 p0 last add_silu", "product direct", "product direct" },
    { "2x33x3x4x5 32 k3 p1 last silu", "shared direct", "shared direct" },
    { "2x32x1x7x7 32 k1x3x3 p2x1x1 last hard_swish", "columns direct", "columns direct|shared direct" },
    { "1x32x1x24x24 64 k1x3x3 p0x1x1 gelu", "columns squares4", "columns squares4|shared squares4" },
    { "1x32x1x25x25 64 k1x3x3 s1x2x2 p0x1x1 add_silu", "columns direct", "shared direct" },
    { "1x32x1x16x16 64 k1x5x5 p0x2x2 silu", "columns squares6", "shared squares6" },
    { "1x6x9x8 12 g2 k3 p1 hard_swish", "tiles tiles", "tiles tiles" },
    { "2x24x10x11 48 g3 k3 s2 p1 last gelu", "columns grouped", "tiles grouped" },
    { "1x12x7x9 40 g4 k2 last add_silu", "columns grouped", "columns grouped" },
    { "1x6x5x6 6 g3 k3 last silu", "tiles tiles", "columns columns|tiles tiles" },
    { "2x16x12x7 32 k3 p2x1 last  hard_swish", "columns squares4", "columns squares4|shared squares4|tiles squares4" },
    { "1x16x6x13 32 k3 nobias gelu", "columns squares4", "columns squares4|tiles squares4" },
    { "2x48x6x3 32 k3 p2x0 nobias add_silu", "columns direct", "columns direct|shared direct" },
    { "1x16x12x10 16 k3 nobias silu", "columns squares4", "tiles squares4" },
    { "1x16x6x11 32 k3 p2 nobias  hard_swish", "columns squares4", "columns squares4|shared squares4|tiles squares4" },
    { "1x16x14x6 32 k3 p1 last gelu", "columns squares4", "shared squares4|tiles squares4|columns squares4" },
    { "1x16x9x8 32 k3 p1x2  add_silu", "columns squares4|shared squares4", "shared squares4|tiles squares4|columns squares4" },
    { "1x32x7x10 32 k3 p0x2 nobias silu", "shared squares4", "shared squares4" },
    { "2x32x4x13 32 k3 p0x2 nobias  hard_swish", "columns squares2", "columns squares2|shared squares2" },
    { "1x48x5x14 16 k3 gelu", "columns squares4", "columns squares4" },
    { "1x32x10x10 32 k3 p2 last  add_silu", "shared squares4", "shared squares4" },
    { "1x32x5x4 16 k3 p1 nobias silu", "columns squares2", "columns squares2" },
    { "2x32x8x11 32 k3 p2 nobias hard_swish", "columns squares4", "shared squares4" },
    { "1x32x28x22 64 k3 s2 p1 last gelu", "columns squares3", "shared squares3" },
    { "1x16x21x23 80 k3 s2 p1 last add_silu", "shared squares3", "shared squares3" },
    { "1x32x27x30 64 k3 s2 p2  silu", "columns squares3", "shared squares3" },
    { "1x16x27x28 64 k3 s2 hard_swish", "columns direct", "shared direct|tiles direct" },
    { "1x1x14x170 96 k6 s2 p2x1 gelu", "taps squares4", "taps squares4" },
    { "1x16x15x19 32 k5 p4x0 last  add_silu", "columns squares6", "shared squares6" },
    { "1x16x16x17 48 k4 p2x0 silu", "columns squares5", "shared squares5|tiles squares5" },
    { "2x4x29x31 96 k7 s2 p4x2 hard_swish", "columns squares5", "columns squares5|shared squares5" },
    { "1x2x17x32 16 k9 s2 p0x2  gelu", "columns squares6", "tiles squares6" },
    { "1x4x17x170 32 k10 s2 p4 add_silu", "columns squares6", "columns squares6|shared squares6" },
    { "1x1x35x33 48 k10 s2 p3x1  silu", "taps squares6", "taps squares6" },
    { "1x16x8x10 96 k4 p3x0 hard_swish", "shared squares5", "shared squares5" },
    { "1x2x22x22 48 k9 s2 p4x2 gelu", "shared squares6", "shared squares6|tiles squares6" },
    { "2x16x8x8 96 k4 p2x4  add_silu", "columns squares5", "shared squares5" },
    { "1x176x6x7 64 k3 p1 last silu", "shared squares2", "shared squares2" },
    { "2x13x3x5 t 15 k6x8 s2 p2 hard_swish", "back direct", "back direct" },
    { "1x6x4x5 t 9 k3x2 d2 p1 last gelu", "back back", "back back" },
    { "1x8x5x2 4 g2 k3 p0x1 e2x0 add_silu", "tiles tiles", "columns columns|tiles tiles" },
    { "2x32x4x13 32 k3 p0x2 e1x0 nobias silu", "columns squares4|shared squares4", "shared squares4|columns squares4" },
    { "3x3x1 15 g3 k3 s3 p2 last hard_swish", "taps grouped", "taps grouped" },
    { "1x2x14 26 g2 k3 p3 nobias gelu", "taps grouped", "taps grouped" },
    { "1x23x14x4 12 k3 p3 nobias last add_silu", "columns direct", "tiles direct" },
};

static const char *way_due_last(size_t i)
{
    const char *space = way_rows[i].other ? strrchr(way_rows[i].other, ' ') : NULL;
    return space ? space + 1 : "";
}
/* Which one of the rows of its way a row is; negative: there are only one or two. */
static int way_number_of(size_t row)
{
    int before = 0, all = 0;
    size_t i;
    for (i = 0; i < sizeof way_rows / sizeof *way_rows; i++)
        if (!strcmp(way_due_last(i), way_due_last(row))) { all++; before += i < row; }
    return all < 3 ? -3 + before : before;
}

/* Shares of the table, so that several can run at a time. */
enum { WAY_SHARES = 4 };
static void way_share(int share)
{
    way_frames f;
    size_t i;
    way_open(&f);
    for (i = (size_t)share; i < sizeof way_rows / sizeof *way_rows; i += WAY_SHARES) {
        way_row r;
        const int turns = way_read(way_rows[i].text, 0, &r);
        int turn;
        for (turn = 0; turn < turns; turn++)
            way_one(&f, way_number_of(i), way_rows[i].text, turn, turns, way_rows[i].base, way_rows[i].other);
    }
    way_close(&f);
}

/* The table of ways stands in the order of their numbers. */
static void way_table_in_order(void)
{
#define WAY_ROW(way) { HY__WAY_##way, #way }
    static const struct { int number; const char *name; } rows[] = {
        WAY_ROW(NONE), WAY_ROW(COLUMNS), WAY_ROW(POINT), WAY_ROW(TILES), WAY_ROW(TAPS), WAY_ROW(LINES),
        WAY_ROW(LANES), WAY_ROW(IMAGES), WAY_ROW(FEW), WAY_ROW(DEPTH), WAY_ROW(TRIO), WAY_ROW(SLIDE), WAY_ROW(CHAIN),
        WAY_ROW(THIN), WAY_ROW(PLAIN), WAY_ROW(DIRECT), WAY_ROW(GROUPED), WAY_ROW(FLAT), WAY_ROW(BORDERED), WAY_ROW(SQUARES_2_3),
        WAY_ROW(SQUARES_4_3_HALVED), WAY_ROW(SQUARES_4_3), WAY_ROW(SQUARES_4_4), WAY_ROW(SQUARES_3_5),
        WAY_ROW(PHASES_2_3), WAY_ROW(PHASES_4_3), WAY_ROW(PHASES_4_4), WAY_ROW(PHASES_3_5) };
#undef WAY_ROW
    size_t i, k;
    CHECK(sizeof rows / sizeof *rows == HY__WAYS);
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *name = hy__conv_ways[rows[i].number].name;
        for (k = 0; name[k] && (rows[i].name[k] | 32) == (name[k] | 32); k++) continue;
        if (!CHECK(!name[k] && !rows[i].name[k])) printf("    way %s is called %s\n", rows[i].name, name);
    }
}

/* The rounds of way_round are enough: each way of the table is gone with all instructions, and on three threads;
 * and all instructions come on three threads and line by line. */
enum { WAY_NAMES = 26 };
static void way_rounds_meet(void)
{
    static char name[WAY_NAMES][16];
    int met[WAY_NAMES][3], all[3] = { 0, 0, 0 }, names = 0, turn, turns, k, isa, three;
    size_t i;
    memset(met, 0, sizeof met);
    for (i = 0; i < sizeof way_rows / sizeof *way_rows; i++) {
        const char *due = way_rows[i].other ? strrchr(way_rows[i].other, ' ') : NULL;
        way_row r;
        if (!due) continue;
        turns = way_read(way_rows[i].text, 0, &r);
        for (k = 0; k < names && strcmp(name[k], due + 1); k++) continue;
        if (k == WAY_NAMES) { CHECK(!"room for all ways"); return; }
        if (k == names) snprintf(name[names++], sizeof name[0], "%s", due + 1);
        for (turn = 0; turn < turns; turn++)
            for (isa = 0; isa < 3; isa++) {
                met[k][isa] |= way_round(way_number_of(i) + turn, turns, isa, 3);
                all[isa] |= way_round(way_number_of(i) + turn, turns, isa, 3);
            }
    }
    for (k = 0; k < names; k++) {
        for (isa = three = 0; isa < 3; isa++) {
            three |= met[k][isa] & WAY_THREE;
            if (!CHECK(met[k][isa] & WAY_ONE)) printf("    %s, instructions %d\n", name[k], isa);
        }
        if (!CHECK(three)) printf("    %s on three threads\n", name[k]);
    }
    for (isa = 0; isa < 3; isa++) CHECK(all[isa] == (WAY_ONE | WAY_THREE | WAY_LINES));
}

static void way_share_1(void) { way_share(0); }
static void way_share_2(void) { way_share(1); }
static void way_share_3(void) { way_share(2); }
static void way_share_4(void) { way_share(3); }

static void test_ways(void)
{
    RUN(way_table_in_order);
    RUN(way_rounds_meet);
    RUN(way_share_1);
    RUN(way_share_2);
    RUN(way_share_3);
    RUN(way_share_4);
}
