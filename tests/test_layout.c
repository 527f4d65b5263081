/* Compiled convolutions have their channels last inside: the layout pass, prepared filters, tails, and how far off
 * squares may be. What they give is compared with plain loops in double precision, written here; each way of a
 * convolution alone is a row of test_ways.c. */
#include <math.h>

enum { LAST_DIMS = 3, LAST_STEPS = 16 };

static uint32_t last_seed;

static int last_next(int n)              /* 0 ... n - 1 */
{
    last_seed = last_seed * 1664525u + 1013904223u;
    return (int)((last_seed >> 10) % (uint32_t)n);
}
static int last_pick(const char *from) { return from[last_next((int)strlen(from))] - '0'; }
static float last_number(void) { return (float)(last_next(2001) - 1000) / 1000; }

/* --- plain values: images, channels, three dims of space (the first ones 1) --- */
typedef struct plain_images {
    int     n, c, size[LAST_DIMS];
    double *v, *most;                   /* numbers, and what their errors are measured by */
} plain_images;

static TEST_HOT int last_places(const plain_images *t) { return t->size[0] * t->size[1] * t->size[2]; }
static TEST_HOT int images_count(const plain_images *t) { return t->n * t->c * last_places(t); }

static plain_images images_room(int n, int c, const int *size)
{
    plain_images t;
    t.n = n;
    t.c = c;
    memcpy(t.size, size, sizeof t.size);
    t.v = (double *)calloc((size_t)images_count(&t) * 2 + 1, sizeof *t.v);
    t.most = t.v + images_count(&t);
    return t;
}

static void images_set_most(plain_images *t)
{
    int i;
    for (i = 0; i < images_count(t); i++) t->most[i] = fabs(t->v[i]);
}

static plain_images last_random(int n, int c, const int *size)
{
    plain_images t = images_room(n, c, size);
    int i;
    for (i = 0; i < images_count(&t); i++) t.v[i] = last_number();
    images_set_most(&t);
    return t;
}

/* --- a window --- */
typedef struct last_window {
    int dims, filters, groups;
    int kernel[LAST_DIMS], stride[LAST_DIMS], dilate[LAST_DIMS], pad[LAST_DIMS];
    int bias, last;                     /* last: the program itself has channels last */
} last_window;

static last_window last_window_of(int dims, int filters, int kernel)
{
    last_window w;
    int d;
    memset(&w, 0, sizeof w);
    w.dims = dims;
    w.filters = filters;
    w.groups = 1;
    for (d = 0; d < LAST_DIMS; d++) {
        w.kernel[d] = d < LAST_DIMS - dims ? 1 : kernel;
        w.stride[d] = w.dilate[d] = 1;
    }
    return w;
}

static int last_out_size(const last_window *w, int d, int fine)
{
    return (fine + 2 * w->pad[d] - (w->kernel[d] - 1) * w->dilate[d] - 1) / w->stride[d] + 1;
}
static int last_fits(const last_window *w, const int *fine)
{
    int d;
    for (d = 0; d < LAST_DIMS; d++)
        if (fine[d] + 2 * w->pad[d] < (w->kernel[d] - 1) * w->dilate[d] + 1) return 0;
    return 1;
}

/* y = x * weight + bias; weight (filters, channels / groups, taps). */
static TEST_HOT plain_images last_convolve(const last_window *w, const plain_images *x, const float *weight, const float *bias)
{
    int size[LAST_DIMS], d, n, f, p, c, tap, channels = x->c / w->groups;
    int taps = w->kernel[0] * w->kernel[1] * w->kernel[2], from = last_places(x), places;
    plain_images y;
    for (d = 0; d < LAST_DIMS; d++) size[d] = last_out_size(w, d, x->size[d]);
    y = images_room(x->n, w->filters, size);
    places = last_places(&y);
    for (p = 0; p < places; p++)
        for (tap = 0; tap < taps; tap++) {
            int at[LAST_DIMS], inside = 1, place;
            at[2] = p % size[2] * w->stride[2] + tap % w->kernel[2] * w->dilate[2] - w->pad[2];
            at[1] = p / size[2] % size[1] * w->stride[1] + tap / w->kernel[2] % w->kernel[1] * w->dilate[1] - w->pad[1];
            at[0] = p / size[2] / size[1] * w->stride[0] + tap / w->kernel[2] / w->kernel[1] * w->dilate[0] - w->pad[0];
            for (d = 0; d < LAST_DIMS; d++) inside = inside && at[d] >= 0 && at[d] < x->size[d];
            if (!inside) continue;
            place = (at[0] * x->size[1] + at[1]) * x->size[2] + at[2];
            for (n = 0; n < x->n; n++)
                for (f = 0; f < w->filters; f++) {
                    const double *v = x->v + (n * x->c + f / (w->filters / w->groups) * channels) * from + place;
                    const double *most = x->most + (v - x->v);
                    const float *k = weight + f * channels * taps + tap;
                    int to = (n * w->filters + f) * places + p;
                    double sum = 0, total = 0;
                    for (c = 0; c < channels; c++) {
                        sum += k[c * taps] * v[c * from];
                        total += fabs((double)k[c * taps]) * most[c * from];
                    }
                    y.v[to] += sum;
                    y.most[to] += total;
                }
        }
    for (n = 0; n < x->n && bias; n++)
        for (f = 0; f < w->filters; f++)
            for (p = 0; p < places; p++) {
                y.v[(n * w->filters + f) * places + p] += bias[f];
                y.most[(n * w->filters + f) * places + p] += fabs((double)bias[f]);
            }
    return y;
}

/* --- arrays of the library from plain values, and compared with them --- */
static hy_shape images_shape(const plain_images *t, int dims, int last)
{
    hy_shape s;
    int d;
    memset(&s, 0, sizeof s);
    s.ndim = dims + 2;
    s.dim[0] = t->n;
    s.dim[last ? dims + 1 : 1] = t->c;
    for (d = 0; d < dims; d++) s.dim[d + 2 - last] = t->size[LAST_DIMS - dims + d];
    return s;
}

/* Where element i lies when channels are last. */
static int last_place(const plain_images *t, int i, int last)
{
    int places = last_places(t), p = i % places, c = i / places % t->c, n = i / places / t->c;
    return last ? (n * places + p) * t->c + c : i;
}

static hy_array *last_array(hy_frame *F, const plain_images *t, int dims, int last)
{
    hy_array *a = hy_zeros(F, images_shape(t, dims, last));
    float *v = (float *)hy_write(F, a);
    int i;
    for (i = 0; i < images_count(t) && v; i++) v[last_place(t, i, last)] = (float)t->v[i];
    return a;
}

/* The largest error in units of what may be expected: less than 1 is right. */
static double last_error(hy_frame *F, hy_array *got, const plain_images *want, int dims, int last, double unit)
{
    hy_shape s = images_shape(want, dims, last);
    const float *v = got ? (const float *)hy_data(F, got) : NULL;
    double worst = 0, most = 0, error;
    int i;
    if (!v || !hy__same_shape(&got->t.type.shape, &s) || got->t.type.dtype != HY_F32) return 1e9;
    for (i = 0; i < images_count(want); i++) if (want->most[i] > most) most = want->most[i];
    for (i = 0; i < images_count(want); i++) {
        error = fabs(v[last_place(want, i, last)] - want->v[i]) / (unit * (want->most[i] + .2 * most) + 1e-30);
        if (!(error <= worst)) worst = error;
    }
    return worst;
}

static int last_same(hy_frame *F, hy_array *a, hy_array *b)      /* bit for bit, groups one by one */
{
    int i, n = a && b ? hy_count(F, a) : 0, same = n > 0 && n == hy_count(F, b);
    for (i = 0; i < n && same; i++) same = tb_same(F, hy_get(F, a, i), hy_get(F, b, i));
    return same;
}

/* --- one convolution --- */
typedef struct last_one {
    hy_block   base;
    last_window w;
    hy_array  *weight, *bias;
} last_one;

static hy_ints last_ints(const int *v, int dims)
{
    hy_ints a;
    int d;
    memset(&a, 0, sizeof a);
    a.n = dims;
    for (d = 0; d < dims; d++) a.v[d] = v[LAST_DIMS - dims + d];
    return a;
}

static hy_array *last_convolution(hy_frame *F, const last_window *w, hy_array *x, hy_array *weight, hy_array *bias)
{
    hy_convolution_opt o;
    memset(&o, 0, sizeof o);
    o.stride = last_ints(w->stride, w->dims);
    o.dilate = last_ints(w->dilate, w->dims);
    o.pad = last_ints(w->pad, w->dims);
    o.num_group = w->groups;
    o.no_bias = !w->bias;
    if (w->last) o.layout = HY_LAYOUT_NWC + w->dims - 1;
    return hy_convolution(F, x, weight, w->bias ? bias : NULL, last_ints(w->kernel, w->dims), w->filters, &o);
}

static hy_array *last_one_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    last_one *net = (last_one *)(void *)self;
    return last_convolution(F, &net->w, x, net->weight, net->bias);
}

static last_one *last_one_new(hy_frame *F, const last_window *w, int channels, const float *weight,
                              const float *bias)
{
    last_one *net = (last_one *)(void *)hy_block_new(F, sizeof *net, "one", last_one_forward, 1);
    plain_images k = images_room(w->filters, channels / w->groups, w->kernel);
    int i;
    net->w = *w;
    for (i = 0; i < images_count(&k); i++) k.v[i] = weight[i];
    net->weight = last_array(F, &k, w->dims, w->last);
    net->bias = hy_floats(F, HY_SHAPE(w->filters), bias);
    hy_initialize(F, &net->base, NULL);
    free(k.v);
    return net;
}

static float last_weights[300000], last_biases[512];

static void last_draw(int weights, int biases)
{
    int i;
    CHECK(weights <= 300000 && biases <= 512);
    for (i = 0; i < weights; i++) last_weights[i] = last_number();
    for (i = 0; i < biases; i++) last_biases[i] = last_number();
}

static int last_laid, last_squared, last_norms; /* convolutions with channels last inside, by squares; batch norms */

/* Ways by squares, in the data as they lie and in phases. */
static const int last_ways[2][7] = {
    { HY__WAY_DIRECT, HY__WAY_NONE, HY__WAY_SQUARES_2_3, HY__WAY_SQUARES_4_3_HALVED, HY__WAY_SQUARES_4_3,
      HY__WAY_SQUARES_4_4, HY__WAY_SQUARES_3_5 },
    { HY__WAY_BORDERED, HY__WAY_NONE, HY__WAY_PHASES_2_3, HY__WAY_NONE, HY__WAY_PHASES_4_3, HY__WAY_PHASES_4_4,
      HY__WAY_PHASES_3_5 }
};
static int last_squares_of(const hy__convolve_rec *r)
{
    int i;
    for (i = 2; i < 7; i++) if (r->way == last_ways[0][i] || r->way == last_ways[1][i]) return i;
    return 0;
}

static void last_look(hy_frame *F, hy_block *net, hy_array *x)
{
    hy_graph *g = hy_planned(F, net, x);
    hy_node node;
    int i;
    for (i = 0; i < hy_graph_count(g); i++) {
        if (hy_graph_node(g, i, &node) || !node.op) continue;
        last_norms += hy__op_number(node.op) == HY_OP_batch_norm;
        if (node.op != &hy__convolve_op) continue;
        last_laid++;
        last_squared += last_squares_of((const hy__convolve_rec *)g->node[i]->record) != 0;
    }
}

/* The program's one convolution: 2 to 6 by squares, as last_ways counts, 0 directly. */
static int last_way(hy_frame *F, hy_block *net, hy_array *x)
{
    hy_graph *g = hy_planned(F, net, x);
    hy_node node;
    int i;
    for (i = 0; i < hy_graph_count(g); i++)
        if (!hy_graph_node(g, i, &node) && node.op == &hy__convolve_op)
            return last_squares_of((const hy__convolve_rec *)g->node[i]->record);
    return -1;
}

/* --- networks at random: one list of steps is run by the library and by plain loops --- */
enum {
    LAST_CONV, LAST_DEPTH, LAST_STEP_RELU, LAST_STEP_CLIP, LAST_STEP_ADD, LAST_STEP_SCALE, LAST_STEP_SHIFT, LAST_STEP_POOL,
    LAST_STEP_GLOBAL, LAST_STEP_CONCAT, LAST_STEP_NORM, LAST_STEP_TANH, LAST_STEP_GATE, LAST_STEP_ADD_N, LAST_STEP_MASK,
    LAST_STEP_ONE, LAST_STEP_TURN, LAST_STEPS_OF
};
typedef struct last_step {
    int        op, a, b, axis;          /* a, b: values */
    last_window w;
    int        pool, full, exclude;
    hy_array  *weight, *bias, *mean, *var;
} last_step;
typedef struct last_net {
    hy_block base;
    int      dims, steps, middle;
    last_step step[LAST_STEPS];
    hy_array *dense;
} last_net;

static hy_array *last_pool(hy_frame *F, const last_step *s, int dims, hy_array *x)
{
    hy_pooling_opt o;
    memset(&o, 0, sizeof o);
    o.pool_type = s->pool;
    o.global_pool = s->op == LAST_STEP_GLOBAL;
    o.convention = s->full ? HY_CONVENTION_FULL : HY_CONVENTION_VALID;
    o.stride = last_ints(s->w.stride, dims);
    o.pad = last_ints(s->w.pad, dims);
    o.exclude_pad = s->exclude;
    return hy_pooling(F, x, last_ints(s->w.kernel, dims), &o);
}

static hy_array *last_run_step(hy_frame *F, const last_net *net, const last_step *s, hy_array *a, hy_array *b)
{
    hy_reduce_opt keep;
    memset(&keep, 0, sizeof keep);
    keep.keepdims = 1;
    switch (s->op) {
    case LAST_CONV: case LAST_DEPTH: return last_convolution(F, &s->w, a, s->weight, s->bias);
    case LAST_STEP_RELU: return s->axis ? hy_relu(F, a) : hy_activation(F, a, HY_ACT_RELU);
    case LAST_STEP_CLIP: return hy_clip(F, a, -.25, .75);
    case LAST_STEP_ADD: return hy_add(F, a, b);
    case LAST_STEP_SCALE: return hy_mul(F, a, s->weight);
    case LAST_STEP_SHIFT: return hy_add(F, s->weight, a);
    case LAST_STEP_POOL: case LAST_STEP_GLOBAL: return last_pool(F, s, net->dims, a);
    case LAST_STEP_CONCAT: return hy_concat(F, s->axis == 1 ? hy_group(F, a, b, a) : hy_group(F, a, b), s->axis);
    case LAST_STEP_NORM: return hy_get(F, hy_batch_norm(F, a, s->weight, s->bias, s->mean, s->var, NULL), 0);
    case LAST_STEP_TANH: return hy_tanh(F, a);
    case LAST_STEP_GATE: {               /* (n,c,1,...) times everything */
        hy_ints axes = net->dims == 1 ? HY_INTS(2) : net->dims == 2 ? HY_INTS(2, 3) : HY_INTS(2, 3, 4);
        return hy_mul(F, hy_mean(F, a, axes, &keep), a);
    }
    case LAST_STEP_ADD_N: return hy_add_n(F, hy_group(F, a, b, a));
    case LAST_STEP_MASK: return hy_mul(F, a, hy_mean(F, b, HY_INTS(1), &keep));      /* (n,1,...) */
    case LAST_STEP_ONE: return hy_sub(F, a, s->weight);                             /* one number */
    default: {                          /* an operator that does not move */
        hy_ints turn = net->dims == 1 ? HY_INTS(2, 1, 0) : net->dims == 2 ? HY_INTS(2, 1, 0, 3) : HY_INTS(2, 1, 0, 3, 4);
        return hy_transpose(F, hy_relu(F, hy_transpose(F, a, turn)), turn);
    }
    }
}

static hy_array *last_net_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    last_net *net = (last_net *)(void *)self;
    hy_array *value[LAST_STEPS + 1];
    hy_fully_connected_opt no;
    int i;
    memset(&no, 0, sizeof no);
    no.no_bias = 1;
    value[0] = x;
    for (i = 0; i < net->steps; i++)
        value[i + 1] = last_run_step(F, net, &net->step[i], value[net->step[i].a], value[net->step[i].b]);
    return hy_group(F, value[net->steps], value[net->middle],
                    hy_fully_connected(F, hy_flatten(F, value[net->steps]), net->dense, NULL, 3, &no));
}

static plain_images last_copy(const plain_images *x)
{
    plain_images y = images_room(x->n, x->c, x->size);
    memcpy(y.v, x->v, sizeof *y.v * 2 * (size_t)images_count(x));
    return y;
}

/* Plain loops of a window over each channel: the largest number, or the average. */
static plain_images last_plain_pool(const last_step *s, const plain_images *x)
{
    int size[LAST_DIMS], d, i, tap, p, global = s->op == LAST_STEP_GLOBAL;
    int kernel[LAST_DIMS];
    plain_images y;
    for (d = 0; d < LAST_DIMS; d++) {
        int room = x->size[d] + 2 * s->w.pad[d] - s->w.kernel[d];
        kernel[d] = global ? x->size[d] : s->w.kernel[d];
        size[d] = global ? 1 : (room + (s->full ? s->w.stride[d] - 1 : 0)) / s->w.stride[d] + 1;
    }
    y = images_room(x->n, x->c, size);
    for (i = 0; i < images_count(&y); i++) {
        const double *v = x->v + i / last_places(&y) * last_places(x), *most = v + images_count(x);
        double sum = 0, total = 0, best = -HUGE_VAL;
        int n = 0, padded = 0;
        p = i % last_places(&y);
        for (tap = 0; tap < kernel[0] * kernel[1] * kernel[2]; tap++) {
            int at[LAST_DIMS], inside = 1, near = 1, k[LAST_DIMS], o[LAST_DIMS], place;
            k[2] = tap % kernel[2], k[1] = tap / kernel[2] % kernel[1], k[0] = tap / kernel[2] / kernel[1];
            o[2] = p % size[2], o[1] = p / size[2] % size[1], o[0] = p / size[2] / size[1];
            for (d = 0; d < LAST_DIMS; d++) {
                at[d] = o[d] * (global ? 0 : s->w.stride[d]) + k[d] - (global ? 0 : s->w.pad[d]);
                inside = inside && at[d] >= 0 && at[d] < x->size[d];
                near = near && (global || at[d] < x->size[d] + s->w.pad[d]);
            }
            padded += near;
            if (!inside) continue;
            place = (at[0] * x->size[1] + at[1]) * x->size[2] + at[2];
            n++;
            sum += v[place];
            if (v[place] > best) best = v[place];
            if (s->pool == HY_POOL_AVG) total += most[place];
            else if (most[place] > total) total = most[place];
        }
        if (!s->exclude) n = padded;
        y.v[i] = s->pool == HY_POOL_MAX ? best : sum / n;
        y.most[i] = s->pool == HY_POOL_MAX ? total : total / n;
    }
    return y;
}

static plain_images last_plain_concat(const plain_images *const *x, int n, int axis)
{
    int size[LAST_DIMS], k, i, at = 0, before, from, images = 0, channels = 0;
    plain_images y;
    memcpy(size, x[0]->size, sizeof size);
    for (k = 1; k < n && axis > 1; k++) size[axis - 2] += x[k]->size[axis - 2];
    for (k = 0; k < n; k++) {
        images = axis ? x[0]->n : images + x[k]->n;
        channels = axis != 1 ? x[0]->c : channels + x[k]->c;
    }
    y = images_room(images, channels, size);
    for (before = 1, i = 0; i < axis; i++) before *= i == 0 ? y.n : i == 1 ? y.c : size[i - 2];
    for (k = 0; k < n; k++) {
        int run = images_count(x[k]) / before, step = images_count(&y) / before;
        for (i = 0; i < before; i++)
            for (from = 0; from < run; from++) {
                y.v[i * step + at + from] = x[k]->v[i * run + from];
                y.most[i * step + at + from] = x[k]->most[i * run + from];
            }
        at += run;
    }
    return y;
}

/* What is done to each number alone: times `by`, then plus `to`; and to what its error is measured by. */
static void last_affine(double *v, double *most, double by, double most_by, double to)
{
    *v = *v * by + to;
    *most = *most * most_by + fabs(to);
}

static double last_mean(const double *v, int n, int step)
{
    double sum = 0;
    int i;
    for (i = 0; i < n; i++) sum += v[i * step];
    return sum / n;
}

static plain_images last_plain_step(const last_step *s, const plain_images *a, const plain_images *b, const float *weight,
                                const float *bias)
{
    const plain_images *three[3];
    plain_images y;
    int i, places = last_places(a);
    three[0] = three[2] = a;
    three[1] = b;
    if (s->op == LAST_CONV || s->op == LAST_DEPTH) return last_convolve(&s->w, a, weight, s->w.bias ? bias : NULL);
    if (s->op == LAST_STEP_POOL || s->op == LAST_STEP_GLOBAL) return last_plain_pool(s, a);
    if (s->op == LAST_STEP_CONCAT)
        return last_plain_concat(three, s->axis == 1 ? 3 : 2, s->axis > 1 ? s->axis + LAST_DIMS - s->w.dims : s->axis);
    y = last_copy(a);
    for (i = 0; i < images_count(a); i++) {
        double *v = &y.v[i], *most = &y.most[i];
        int c = i / places % a->c, n = i / places / a->c;
        switch (s->op) {
        case LAST_STEP_RELU: case LAST_STEP_TURN: if (*v < 0) *v = 0; break;
        case LAST_STEP_CLIP: *v = *v < -.25 ? -.25 : *v > .75 ? .75 : *v; break;
        case LAST_STEP_ADD: *v += b->v[i]; *most += b->most[i]; break;
        case LAST_STEP_ADD_N: *v = 2 * *v + b->v[i]; *most = 2 * *most + b->most[i]; break;
        case LAST_STEP_SCALE: last_affine(v, most, weight[c], fabs(weight[c]), 0); break;
        case LAST_STEP_SHIFT: last_affine(v, most, 1, 1, weight[c]); break;
        case LAST_STEP_ONE: last_affine(v, most, 1, 1, -weight[0]); break;
        case LAST_STEP_NORM: {               /* gamma and variance 1 */
            double by = 1 / sqrt(1 + 1e-3);
            last_affine(v, most, by, by, bias[c] - by * weight[c]);
            break;
        }
        case LAST_STEP_TANH: *v = tanh(*v); break;
        case LAST_STEP_GATE: {
            int at = i / places * places;
            last_affine(v, most, last_mean(a->v + at, places, 1), 2 * last_mean(a->most + at, places, 1), 0);
            break;
        }
        case LAST_STEP_MASK: {
            int at = n * b->c * places + i % places;
            last_affine(v, most, last_mean(b->v + at, b->c, places), 2 * last_mean(b->most + at, b->c, places), 0);
            break;
        }
        default: break;
        }
    }
    return y;
}

static int last_alike(const plain_images *a, const plain_images *b)
{
    return a->n == b->n && a->c == b->c && !memcmp(a->size, b->size, sizeof a->size);
}

static hy_array *last_draw_one(hy_frame *F, hy_shape shape, float *to, float by)
{
    int i, n = (int)hy__size(&shape);
    for (i = 0; i < n; i++) to[i] = last_number() * by;
    return hy_floats(F, shape, to);
}

/* A step's window and parameters for a value of this form; 0: it cannot be. */
static int last_step_make(hy_frame *F, const last_net *net, last_step *s, const plain_images *a, const plain_images *b)
{
    int dims = net->dims, d, axis;
    hy_shape each = HY_SHAPE(1, a->c, 1, 1, 1), shape;
    each.ndim = dims + 2;
    switch (s->op) {
    case LAST_CONV: case LAST_DEPTH:
        s->w = last_window_of(dims, 1 + last_next(20), last_pick("1333325"));
        if (!last_next(3)) s->w.filters = 16 * last_pick("123");
        if (!last_next(4)) s->w.filters = a->c;
        s->w.bias = last_next(2);
        for (d = LAST_DIMS - dims; d < LAST_DIMS; d++) {
            s->w.pad[d] = last_next(4) ? s->w.kernel[d] / 2 : last_next(3);
            s->w.stride[d] = last_next(5) ? 1 : 2;
        }
        if (s->op == LAST_DEPTH) { s->w.groups = a->c; s->w.filters = a->c * last_pick("1112"); }
        if (!last_fits(&s->w, a->size) || s->w.filters > 200) return 0;
        shape = HY_SHAPE(s->w.filters, a->c / s->w.groups, 1, 1, 1);
        shape.ndim = dims + 2;
        for (d = 0; d < dims; d++) shape.dim[d + 2] = s->w.kernel[LAST_DIMS - dims + d];
        s->weight = last_draw_one(F, shape, last_weights, 1.2f / (float)sqrt((double)hy__size(&shape) / s->w.filters));
        s->bias = last_draw_one(F, HY_SHAPE(s->w.filters), last_biases, .2f);
        return 1;
    case LAST_STEP_ADD: case LAST_STEP_ADD_N: return last_alike(a, b);
    case LAST_STEP_MASK: return a->n == b->n && !memcmp(a->size, b->size, sizeof a->size);
    case LAST_STEP_CONCAT:
        s->axis = last_next(dims + 2);
        s->w.dims = dims;
        axis = s->axis > 1 ? s->axis + LAST_DIMS - dims : s->axis;
        for (d = 0; d < LAST_DIMS + 2; d++)
            if (d != axis && (d == 0 ? a->n != b->n : d == 1 ? a->c != b->c : a->size[d - 2] != b->size[d - 2]))
                return 0;
        return axis == 0 || a->c < 60;
    case LAST_STEP_SCALE:
        for (d = 0; d < dims + 1; d++) shape.dim[d] = d ? 1 : a->c;
        shape.ndim = dims + 1;
        s->weight = last_draw_one(F, shape, last_weights, 1);
        return 1;
    case LAST_STEP_SHIFT: s->weight = last_draw_one(F, each, last_weights, .5f); return 1;
    case LAST_STEP_ONE: s->weight = last_draw_one(F, HY_SHAPE(1), last_weights, .5f); return 1;
    case LAST_STEP_NORM:
        s->mean = last_draw_one(F, HY_SHAPE(a->c), last_weights, .3f);
        s->bias = last_draw_one(F, HY_SHAPE(a->c), last_biases, .3f);
        s->weight = hy_ones(F, HY_SHAPE(a->c));
        s->var = hy_ones(F, HY_SHAPE(a->c));
        return 1;
    case LAST_STEP_POOL: case LAST_STEP_GLOBAL:
        s->w = last_window_of(dims, 1, last_pick("223"));
        s->pool = last_next(2) ? HY_POOL_AVG : HY_POOL_MAX;
        s->full = last_next(2);
        s->exclude = last_next(2);
        for (d = LAST_DIMS - dims; d < LAST_DIMS; d++) {
            s->w.stride[d] = last_pick("122");
            s->w.pad[d] = last_next(2);
            if (a->size[d] + s->w.pad[d] < s->w.kernel[d]) return 0;
            if (s->full && (a->size[d] + 2 * s->w.pad[d] - s->w.kernel[d]) % s->w.stride[d] && s->w.pad[d]) return 0;
        }
        return s->op == LAST_STEP_POOL || last_next(3) == 0;
    default: s->axis = last_next(2); return 1;
    }
}

/* Makes a network step by step, with what plain loops give for each step. */
static last_net *last_net_new(hy_frame *F, int dims, plain_images *value)
{
    last_net *net = (last_net *)(void *)hy_block_new(F, sizeof *net, "net", last_net_forward, 1);
    int wanted = 3 + last_next(LAST_STEPS - 3), tries, n = 0;
    net->dims = dims;
    for (tries = 0; tries < 400 && n < wanted; tries++) {
        last_step *s = &net->step[n];
        memset(s, 0, sizeof *s);
        s->op = n == 0 || !last_next(4) ? LAST_CONV : last_next(LAST_STEPS_OF);
        s->a = last_next(3) ? n : last_next(n + 1);
        s->b = last_next(n + 1);
        if (!last_step_make(F, net, s, &value[s->a], &value[s->b])) continue;
        value[n + 1] = last_plain_step(s, &value[s->a], &value[s->b], last_weights, last_biases);
        n++;
        if (images_count(&value[n]) > 40000) break;
    }
    net->steps = n;
    net->middle = last_next(n + 1);
    return net;
}

/* The dense head: the last value times a weight. */
static plain_images last_plain_dense(const plain_images *x, const float *weight, int rows)
{
    static const int one[LAST_DIMS] = { 1, 1, 1 };
    plain_images y = images_room(x->n, rows, one);
    int k = images_count(x) / x->n, i, j;
    for (i = 0; i < x->n * rows; i++)
        for (j = 0; j < k; j++) {
            y.v[i] += weight[i % rows * k + j] * x->v[i / rows * k + j];
            y.most[i] += fabs(weight[i % rows * k + j]) * x->most[i / rows * k + j];
        }
    return y;
}

static float last_dense[3 * 130000];

static double last_net_error(hy_frame *F, const last_net *net, hy_array *got, const plain_images *value, const plain_images *dense)
{
    double last, middle, flat;
    hy_array *head = got ? hy_get(F, got, 2) : NULL;
    if (!head) return 1e9;
    last = last_error(F, hy_get(F, got, 0), &value[net->steps], net->dims, 0, 1e-5);
    middle = last_error(F, hy_get(F, got, 1), &value[net->middle], net->dims, 0, 1e-5);
    flat = last_error(F, hy_reshape(F, head, HY_INTS(-1, 3, 1), NULL), dense, 1, 0, 1e-5);
    return last > middle ? last > flat ? last : flat : middle > flat ? middle : flat;
}

static void last_net_try(int number, int dims)
{
    static const struct { int off, exact; } way[] = { { 0, 0 }, { HY_PASS_LAYOUT, 0 }, { 0, 1 }, { HY_PASS_FUSE, 0 },
        { HY_PASS_REUSE | HY_PASS_INPLACE, 0 }, { HY_PASS_ALL & ~HY_PASS_LAYOUT, 0 } };
    hy_frame *F = tb_open(3);
    plain_images value[LAST_STEPS + 1], dense;
    int size[LAST_DIMS], d, i;
    size_t k;
    last_net *net;
    hy_array *x, *plain, *got;
    double error;
    last_seed = (uint32_t)number * 2654435761u + 77;
    for (d = 0; d < LAST_DIMS; d++) size[d] = d < LAST_DIMS - dims ? 1 : 1 + last_next(dims == 3 ? 5 : 12);
    value[0] = last_random(1 + last_next(3), last_next(3) ? 1 + last_next(9) : 16, size);
    net = last_net_new(F, dims, value);
    net->dense = last_draw_one(F, HY_SHAPE(3, images_count(&value[net->steps]) / value[net->steps].n), last_dense, .1f);
    dense = last_plain_dense(&value[net->steps], last_dense, 3);
    x = last_array(F, &value[0], dims, 0);
    hy_initialize(F, &net->base, NULL);
    plain = hy_call(F, &net->base, x);
    error = last_net_error(F, net, plain, value, &dense);
    if (!OK(F) || !CHECK(error <= 1)) {
        printf("    net %d, line by line, error %g:", number, error);
        for (i = 0; i < net->steps; i++)
            printf(" %d=%d(%d,%d)", i + 1, net->step[i].op, net->step[i].a, net->step[i].b);
        printf(", middle %d\n", net->middle);
    }
    for (k = 0; k < sizeof way / sizeof *way && !test_broken; k++) {
        hy_hybridize_opt opt;
        memset(&opt, 0, sizeof opt);
        opt.off = way[k].off;
        opt.exact = way[k].exact;
        hy_hybridize(F, &net->base, &opt);
        got = hy_call(F, &net->base, x);
        error = last_net_error(F, net, got, value, &dense);
        if (!OK(F) || !CHECK(error <= 1) || !CHECK(!opt.exact || last_same(F, got, plain)))
            printf("    net %d, way %d, error %g\n", number, (int)k, error);
        else if (!k) last_look(F, &net->base, x);
        CHECK(last_same(F, hy_call(F, &net->base, x), got));
    }
    for (i = 0; i <= net->steps; i++) free(value[i].v);
    free(dense.v);
    CHECK(hy_close(F) == 0);
}

static void last_nets(void)
{
    int i;
    last_laid = 0;
    for (i = 0; i < 120 && !test_broken; i++) last_net_try(i, i % 7 == 5 ? 3 : i % 7 == 3 ? 1 : 2);
    CHECK(test_broken || last_laid > 120);
}

/* --- squares --- */
/* |A| |S| |A^T| for a matrix of so many rows and columns; S is (columns,columns), step elements apart. */
static void last_around(const double *a, int rows, int cols, const double *s, double *to)
{
    double half[81];
    int i, j, k;
    for (i = 0; i < rows; i++)
        for (j = 0; j < cols; j++)
            for (half[i * cols + j] = 0, k = 0; k < cols; k++)
                half[i * cols + j] += fabs(a[i * cols + k]) * fabs(s[k * cols + j]);
    for (i = 0; i < rows; i++)
        for (j = 0; j < rows; j++)
            for (to[i * rows + j] = 0, k = 0; k < cols; k++)
                to[i * rows + j] += half[i * cols + k] * fabs(a[j * cols + k]);
}

/* Squares of 7 x 7 from 7 points, the last one infinity: B^T has the coefficients of the product of all x - other
 * points, twice; A^T their powers; G those powers over the values of the products. */
static void last_seven(int out, double *in, double *filter, double *back)
{
    static const double point[6] = { 0, 1, -1, 2, -2, .5 };
    const int taps = 8 - out;
    int i, j, k;
    for (i = 0; i < 7; i++) {
        double all[8] = { 2 }, value = 2;
        for (j = 0; j < 6; j++) {
            if (j == i) continue;
            value *= point[i % 6] - point[j];
            for (k = 6; k >= 0; k--) all[k] = (k ? all[k - 1] : 0) - point[j] * all[k];
        }
        for (k = 0; k < 7; k++) in[i * 7 + k] = all[k];
        for (k = 0; k < taps; k++) filter[i * taps + k] = i < 6 ? pow(point[i], k) / value : k == taps - 1 ? .5 : 0;
        for (k = 0; k < out; k++) back[k * 7 + i] = i < 6 ? pow(point[i], k) : k == out - 1;
    }
}

/* With a border of zeros. */
static plain_images last_bordered(const last_window *w, const plain_images *x)
{
    int size[LAST_DIMS] = { 1, 1, 1 }, i;
    plain_images to;
    for (i = 1; i < LAST_DIMS; i++) size[i] = x->size[i] + 2 * w->pad[i];
    to = images_room(x->n, x->c, size);
    for (i = 0; i < images_count(x); i++) {
        const int line = i / x->size[2], c = line / x->size[1];
        to.v[(c * size[1] + line % x->size[1] + w->pad[1]) * size[2] + i % x->size[2] + w->pad[2]] = x->v[i];
    }
    return to;
}

/* A place of a plane, of phases if halves: 0 outside. */
static double last_at(const plain_images *x, int n, int c, int y, int z, int halves)
{
    const int phase = c / x->c, py = halves ? 2 * y + phase / 2 : y, px = halves ? 2 * z + phase % 2 : z;
    return py < 0 || px < 0 || py >= x->size[1] || px >= x->size[2] ? 0
        : x->v[((n * x->c + c % x->c) * x->size[1] + py) * x->size[2] + px];
}

/* How large rounding errors of the way by squares can be at all: those of channels products and their sums, and
 * of the 17 or 21 operations that a number meets while it is turned, times what all of them may add up to. */
static void last_squares_bound(int way, const last_window *w, const plain_images *x, const plain_images *y, double *most)
{
    static const int outs[] = { 0, 0, 2, 4, 4, 4, 3 }, all_taps[] = { 0, 0, 3, 3, 3, 4, 5 };
    const int out = outs[way], taps = all_taps[way], halves = w->kernel[1] != taps, channels = x->c << 2 * halves;
    double in7[49], filter7[35], back7[28];
    static const double in2[] = { 1, 0, -1, 0, 0, 1, 1, 0, 0, -1, 1, 0, 0, 1, 0, -1 };
    static const double in4[] = { 4, 0, -5, 0, 1, 0, 0, -4, -4, 1, 1, 0, 0, 4, -4, -1, 1, 0,
                                  0, -2, -1, 2, 1, 0, 0, 2, -1, -2, 1, 0, 0, 4, 0, -5, 0, 1 };
    static const double in9[] = { 2, 0, -1, 0, -2, 0, 1, 0, 0,  0, 1, 0, 0, 0, 0, 0, 0, 0,  0, 0, -2, 0, -1, 0, 1, 0, 0,
                                  0, 0, 0, 1, 0, 0, 0, 0, 0,  0, 0, 2, 0, -3, 0, 1, 0, 0,  0, 0, 0, 0, 0, 1, 0, 0, 0,
                                  0, 0, -1, 0, 0, 0, 1, 0, 0,  0, 0, 0, 0, 0, 0, 0, 1, 0,  0, 0, 2, 0, -1, 0, -2, 0, 1 };
    static const double filter9[] = { 1 / 2., 0, 0, 0, 1, 0, 1 / 2., 0, 1 / 2., 0, 1, 0, 1 / 6., 0, 1 / 6., 0, 1, 0,
                                      1 / 6., 0, 1 / 3., 0, 1, 0, 0, 0, 1 };
    static const double out9[] = { 1, 1, 1, 0, 1, 0, 1, 0, 0,  0, 0, 1, 1, -1, 0, 2, 0, 0,
                                   0, 0, 1, 0, 1, 1, 4, 0, 0,  0, 0, 1, 0, -1, 0, 8, 1, 1 };
    static const double filter2[] = { 1, 0, 0, .5, .5, .5, .5, -.5, .5, 0, 0, 1 };
    static const double filter4[] = { 1 / 4., 0, 0, 1 / 6., 1 / 6., 1 / 6., 1 / 6., 1 / 6., 1 / 6.,
                                      1 / 24., 1 / 12., 1 / 6., 1 / 24., 1 / 12., 1 / 6., 0, 0, 1 };
    static const double out2[] = { 1, 1, 1, 0, 0, 1, -1, -1 };
    static const double out4[] = { 1, 1, 1, 1, 1, 0, 0, 1, -1, 2, -2, 0, 0, 1, 1, 4, 4, 0, 0, 1, -1, 8, -8, 1 };
    const double *in = way > 4 ? in7 : way == 2 ? in2 : way == 3 ? in9 : in4;
    const double *back = way > 4 ? back7 : way == 2 ? out2 : way == 3 ? out9 : out4;
    const double *filter = way > 4 ? filter7 : way == 2 ? filter2 : way == 3 ? filter9 : filter4;
    int side = way > 4 ? 7 : way == 3 ? 9 : out + 2, stride = halves ? 1 : w->stride[1], n, f, c, i, j, r, q;
    double *weights, *turned;
    plain_images padded = last_bordered(w, x), kernels = images_room(w->filters, x->c, w->kernel);
    for (i = 0; i < images_count(&kernels); i++) kernels.v[i] = last_weights[i];
    if (way > 4) last_seven(out, in7, filter7, back7);
    weights = (double *)malloc((size_t)(y->c + 1) * channels * side * side * sizeof *weights);
    turned = weights + y->c * channels * side * side;       /* one for each channel: all filters see the same */
    for (f = 0; f < y->c * channels; f++) {
        double window[25];
        for (i = 0; i < taps * taps; i++)
            window[i] = last_at(&kernels, f / channels, f % channels, i / taps, i % taps, halves);
        last_around(filter, side, taps, window, weights + f * side * side);
    }
    for (n = 0; n < x->n; n++)
        for (r = 0; r < y->size[1]; r += out)
            for (q = 0; q < y->size[2]; q += out) {
                for (c = 0; c < channels; c++) {
                    double d[81];
                    for (i = 0; i < side * side; i++)
                        d[i] = last_at(&padded, n, c, r * stride + i / side, q * stride + i % side, halves);
                    last_around(in, side, side, d, turned + c * side * side);
                }
                for (f = 0; f < y->c; f++) {
                    double sum[81] = { 0 }, all[16];
                    const double *weight = weights + f * channels * side * side;
                    for (c = 0; c < channels; c++, weight += side * side)
                        for (i = 0; i < side * side; i++) sum[i] += turned[c * side * side + i] * weight[i];
                    last_around(back, out, side, sum, all);
                    for (i = 0; i < out && r + i < y->size[1]; i++)
                        for (j = 0; j < out && q + j < y->size[2]; j++)
                            most[((n * y->c + f) * y->size[1] + r + i) * y->size[2] + q + j] =
                                all[i * out + j] * (channels + (way > 4 ? 21 : 17)) / 16777216.;
                }
            }
    free(weights);
    free(padded.v);
    free(kernels.v);
}

/* Errors stay within what they can be, and near what they usually are. Gives the way that was taken. */
static int last_squares_bounded(hy_frame *F, int number)
{
    const int other = number < 36 ? 0 : 4 + number % 7;
    last_window w = last_window_of(2, 16, other ? other : 3);
    int size[LAST_DIMS] = { 1, 1, 1 }, channels = 16 << number % 3, k, way;
    plain_images x, y;
    double *bound, worst = 0, sums = 0;
    last_one *net;
    hy_array *in;
    const float *got;
    w.pad[1] = w.pad[2] = number % 2;
    w.filters = 32 << number % 2;
    size[1] = number % 4 > 1 ? 9 + last_next(8) : 5 + last_next(4);  /* large ones go by squares of 4 */
    size[2] = number % 4 > 1 ? 9 + last_next(8) : 5 + last_next(4) - number % 2;
    if (number % 6 > 3) {
        w.stride[1] = w.stride[2] = 2;
        w.filters = 64;
        size[1] = 19 + last_next(8);
        size[2] = 19 + last_next(8);
    }
    if (other) {
        const int halves = other > 5 || (other == 5 && number % 2);
        for (k = 1; k < LAST_DIMS; k++) {
            w.stride[k] = 1 + halves;
            w.pad[k] = last_next(4);
            size[k] = halves ? 28 + last_next(12) : 9 + last_next(8);
        }
        channels = halves ? 1 + number % 4 : 16 << number % 2;
        w.filters = 64;
    }
    last_draw(w.filters * channels * 9, w.filters);
    hy_begin(F);
    x = last_random(1, channels, size);
    for (k = 0; k < images_count(&x) && number % 5 == 0; k++) x.v[k] = last_next(9) ? 0 : (float)(1000 * x.v[k]);
    images_set_most(&x);
    y = last_convolve(&w, &x, last_weights, NULL);
    net = last_one_new(F, &w, channels, last_weights, last_biases);
    in = last_array(F, &x, 2, 0);
    hy_hybridize(F, &net->base, NULL);
    got = (const float *)hy_data(F, hy_call(F, &net->base, in));
    way = last_way(F, &net->base, in);
    bound = (double *)calloc((size_t)images_count(&y), sizeof *bound);
    if (way > 0) last_squares_bound(way, &w, &x, &y, bound);
    for (k = 0; k < images_count(&y) && way > 0 && CHECK(got != NULL); k++) {
        double off = fabs(got[k] - y.v[k]);
        if (off > worst) worst = off;
        if (y.most[k] > sums) sums = y.most[k];
        if (CHECK(off <= bound[k])) continue;
        printf("    squares of %d, %d channels, error %g, bound %g\n", way, channels, off, bound[k]);
        break;
    }
    CHECK(worst <= sums * (way >= 4 ? 80 : way == 3 ? 30 : 8) / 16777216);     /* usual are 26, 9 and 2 */
    hy_block_free(F, &net->base);
    hy_end(F);
    free(bound);
    free(x.v);
    free(y.v);
    return way > 0 ? way : 0;
}

/* All ways by squares. */
static void last_squares(void)
{
    hy_frame *F = tb_open(1);
    int i, seen[7] = { 0 };
    last_seed = 6;
    for (i = 0; i < 78 && !test_broken; i++) seen[last_squares_bounded(F, i)]++;
    CHECK(test_broken || !HY__SIMD || (seen[2] > 2 && seen[3] > 2 && seen[4] > 2 && seen[5] > 2 && seen[6] > 2));
    CHECK(hy_close(F) == 0);
}

/* --- threads --- */
static void last_backwards(void *user, int64_t n, hy_item_fn fn, void *arg)
{
    ++*(int *)user;
    while (n-- > 0) fn(arg, n, (int)(n % 3));
}

typedef struct last_tower {              /* all the ways there are, one after the other */
    hy_block  base;
    hy_array *first, *second, *deep, *grouped, *point, *bias;
    hy_dtype  dtype;
    int       extra;                    /* the weight of the last one is computed from parameters */
} last_tower;

static hy_array *last_conv_of(hy_frame *F, hy_array *x, hy_array *w, hy_array *bias, int filters, int kernel, int groups)
{
    last_window o = last_window_of(2, filters, kernel);
    o.pad[1] = o.pad[2] = kernel / 2;
    o.groups = groups;
    o.bias = bias != NULL;
    return last_convolution(F, &o, x, w, bias);
}

static hy_array *last_tower_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    last_tower *t = (last_tower *)(void *)self;
    hy_array *a = hy_relu(F, last_conv_of(F, x, t->first, t->bias, 32, 5, 1)), *b, *c;
    b = hy_relu(F, hy_add(F, last_conv_of(F, a, t->second, t->bias, 32, 3, 1), a));
    c = hy_clip(F, last_conv_of(F, b, t->deep, t->bias, 32, 3, 32), 0, 6);
    c = hy_add(F, b, last_conv_of(F, c, t->grouped, NULL, 32, 3, 2));
    return hy_group(F, last_conv_of(F, c, t->extra ? hy_mul_scalar(F, t->point, 2) : t->point, NULL, 40, 1, 1), b);
}

static hy_array *last_tower_param(hy_frame *F, last_tower *t, const char *name, hy_shape shape)
{
    hy_param_opt o;
    memset(&o, 0, sizeof o);
    o.dtype = t->dtype;
    return hy_add_param(F, &t->base, name, shape, &o);
}

static last_tower *last_tower_new(hy_frame *F, hy_dtype dtype)
{
    last_tower *t = (last_tower *)(void *)hy_block_new(F, sizeof *t, "tower", last_tower_forward, 1);
    t->dtype = dtype;
    t->first = last_tower_param(F, t, "first", HY_SHAPE(32, 3, 5, 5));
    t->second = last_tower_param(F, t, "second", HY_SHAPE(32, 32, 3, 3));
    t->deep = last_tower_param(F, t, "deep", HY_SHAPE(32, 1, 3, 3));
    t->grouped = last_tower_param(F, t, "grouped", HY_SHAPE(32, 16, 3, 3));
    t->point = last_tower_param(F, t, "point", HY_SHAPE(40, 32, 1, 1));
    t->bias = last_tower_param(F, t, "bias", HY_SHAPE(32));
    hy_initialize(F, &t->base, NULL);
    return t;
}

static hy_array *last_wave(hy_frame *F, hy_shape shape, double by)       /* smooth, not symmetric */
{
    return hy_sin(F, hy_mul_scalar(F, tb_ramp(F, shape), by));
}

static void last_threads(void)
{
    static float want[2 * 40 * 30 * 26];
    static const int threads[] = { 1, 2, 3, 7, 3 };
    int k, calls = 0;
    for (k = 0; k < 5; k++) {
        hy_desc desc;
        hy_frame *F;
        last_tower *t;
        hy_array *x, *y;
        memset(&desc, 0, sizeof desc);
        desc.threads = threads[k];
        desc.seed = 4;
        if (k == 4) { desc.parallel_for = last_backwards; desc.parallel_user = &calls; }
        F = hy_open(&desc);
        t = last_tower_new(F, HY_F32);
        hy_hybridize(F, &t->base, NULL);
        x = last_wave(F, HY_SHAPE(2, 3, 30, 26), 70);
        y = hy_get(F, hy_call(F, &t->base, x), 0);
        if (k == 0) memcpy(want, hy_data(F, y), sizeof want);
        CHECK(y && hy_size(F, y) == 2 * 40 * 30 * 26 && !memcmp(want, hy_data(F, y), sizeof want));
        y = hy_get(F, hy_call(F, &t->base, x), 0);
        CHECK(y && !memcmp(want, hy_data(F, y), sizeof want));
        last_laid = 0;
        last_look(F, &t->base, x);
        CHECK(last_laid == 5);
        CHECK(k < 4 || calls > 5);
        CHECK(hy_close(F) == 0);
    }
}

/* --- parameters, batches, frames, options --- */
static double last_far(hy_frame *F, hy_array *a, hy_array *b)            /* largest difference over largest value */
{
    hy_array *error = hy_max(F, hy_abs(F, hy_sub(F, a, b)), HY_ALL, NULL);
    double far = hy_item(F, error);
    return hy_error(F) ? 1e9 : far / (hy_item(F, hy_max(F, hy_abs(F, b), HY_ALL, NULL)) + 1e-30);
}

/* Line by line and compiled are alike in both results. */
static int last_agrees(hy_frame *F, last_tower *t, hy_array *x, int off, int exact)
{
    hy_hybridize_opt opt, plain;
    hy_array *want, *got, *again;
    int same;
    memset(&opt, 0, sizeof opt);
    memset(&plain, 0, sizeof plain);
    opt.off = off;
    opt.exact = exact;
    hy_hybridize(F, &t->base, &opt);
    got = hy_call(F, &t->base, x);
    again = hy_call(F, &t->base, x);
    plain.inactive = 1;
    hy_hybridize(F, &t->base, &plain);
    want = hy_call(F, &t->base, x);
    same = last_same(F, got, again) && last_far(F, hy_get(F, got, 0), hy_get(F, want, 0)) < 1e-5 &&
           last_far(F, hy_get(F, got, 1), hy_get(F, want, 1)) < 1e-5;
    return OK(F) && same && (!exact || last_same(F, got, want));
}

static void last_parameters(void)
{
    hy_frame *F = tb_open(6), *G;
    last_tower *t = last_tower_new(F, HY_F32);
    hy_array *x = last_wave(F, HY_SHAPE(2, 3, 9, 7), 20), *old, *now, *all[6];
    size_t packed;
    int i;
    all[0] = t->first, all[1] = t->second, all[2] = t->deep, all[3] = t->grouped, all[4] = t->point, all[5] = t->bias;
    CHECK(last_agrees(F, t, x, 0, 0) && last_agrees(F, t, x, 0, 1) && last_agrees(F, t, x, HY_PASS_LAYOUT, 0));
    CHECK(last_agrees(F, t, x, HY_PASS_PROLOGUE, 0) && last_agrees(F, t, x, HY_PASS_FUSE, 0));
    t->extra = 1;
    CHECK(last_agrees(F, t, x, 0, 0));
    hy_hybridize(F, &t->base, NULL);
    old = hy_call(F, &t->base, x);
    packed = hy_plan(F, &t->base, x).packed;
    CHECK(packed >= sizeof(float) * (32 * 75 + 32 * 32 * 9 + 32 * 9 + 32 * 16 * 9 + 40 * 32));
    CHECK(packed < sizeof(float) * (64 * 75 + 64 * 32 * 36 + 32 * 9 + 2 * 64 * 16 * 9 + 2 * 64 * 32) + 4096);
    for (i = 0; i < 6; i++) {                           /* prepared filters are made again */
        hy_array *y;
        hy_assign(F, all[i], hy_mul_scalar(F, hy_sin(F, hy_add_scalar(F, all[i], i)), .1));
        now = hy_call(F, &t->base, x);
        CHECK(OK(F) && !last_same(F, old, now));
        old = now;
        y = last_tower_forward(F, &t->base, x);
        CHECK(OK(F) && last_far(F, hy_get(F, now, 0), hy_get(F, y, 0)) < 1e-5);
    }
    G = hy_fork(F);
    CHECK(last_same(F, hy_call(G, &t->base, x), now));
    CHECK(hy_close(G) == 0);
    for (i = 1; i <= 4; i++) {                          /* programs of several sizes, one set of parameters */
        hy_array *z = last_wave(F, HY_SHAPE(i, 3, 4 + 3 * i, 11 - i), 20), *y = hy_call(F, &t->base, z);
        CHECK(y && last_far(F, hy_get(F, y, 0), hy_get(F, last_tower_forward(F, &t->base, z), 0)) < 1e-5);
    }
    CHECK(last_same(F, hy_call(F, &t->base, x), now));
    CHECK(hy_check(F, &t->base, x) == 0 && OK(F));
    CHECK(hy_close(F) == 0);
}

/* Doubles keep the old way; 16 bits go the way of f32, unless the bits matter. */
static void last_types(void)
{
    static const hy_dtype types[] = { HY_F64, HY_F16, HY_BF16 };
    static const double most[] = { 0, 4e-3, 4e-2 };
    int k, exact;
    for (k = 0; k < 3; k++)
        for (exact = 0; exact < 2; exact++) {
            hy_frame *F = tb_open(2);
            last_tower *t = last_tower_new(F, types[k]);
            hy_array *x = hy_cast(F, last_wave(F, HY_SHAPE(1, 3, 8, 9), 20), types[k]), *want = hy_call(F, &t->base, x), *got;
            hy_hybridize_opt opt;
            int i;
            memset(&opt, 0, sizeof opt);
            opt.exact = exact;
            hy_hybridize(F, &t->base, &opt);
            last_laid = 0;
            last_look(F, &t->base, x);
            got = hy_call(F, &t->base, x);
            CHECK(OK(F) && last_laid == (k && !exact ? 5 : 0));
            if (!k || exact) CHECK(last_same(F, got, want));
            for (i = 0; i < hy_count(F, want); i++)
                CHECK(hy_dtype_of(F, hy_get(F, got, i)) == types[k] &&
                      last_far(F, hy_get(F, got, i), hy_get(F, want, i)) <= most[k]);
            CHECK(hy_close(F) == 0);
        }
}

/* Half a network in f32 inside: norms are absorbed, what is not of its kind reads 16 bits, results have their type. */
static hy_array *last_halves_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *y = hy_call(F, hy_child(F, self, 0), x), *z = hy_tanh(F, y);
    y = hy_call(F, hy_child(F, self, 1), hy_concat(F, hy_group(F, y, z), 1));
    return hy_group(F, z, hy_call(F, hy_child(F, self, 2), y));
}

static void last_halves(void)
{
    static const hy_dtype types[] = { HY_F16, HY_BF16 };
    int k, i;
    for (k = 0; k < 2; k++) {
        hy_frame *F = tb_open(2);
        hy_block *net = hy_block_new(F, sizeof *net, "halves", last_halves_forward, 1);
        hy_block *first = hy_nn_hybrid_sequential(F), *second = hy_nn_hybrid_sequential(F);
        hy_array *x = last_wave(F, HY_SHAPE(2, 3, 12, 13), 20), *want, *got;
        hy_nn_conv_opt conv;
        memset(&conv, 0, sizeof conv);
        conv.padding = HY_INTS(1, 1);
        hy_append(F, first, hy_nn_conv2d(F, 20, HY_INTS(3, 3), &conv), hy_nn_batch_norm(F, NULL),
                  hy_nn_activation(F, "relu"), hy_nn_max_pool2d(F, HY_INTS(2, 2), NULL));
        hy_append(F, second, hy_nn_conv2d(F, 24, HY_INTS(3, 3), &conv), hy_nn_leaky_relu(F, .1),
                  hy_nn_global_avg_pool2d(F, NULL));
        hy_append(F, net, first, second, hy_nn_dense(F, 10, NULL));
        hy_initialize(F, net, NULL);
        hy_record(F);                                                           /* the norm learns of the data */
        hy_call(F, net, x);
        hy_pause(F);
        hy_cast_block(F, net, types[k]);
        x = hy_cast(F, x, types[k]);
        want = hy_call(F, net, x);
        hy_hybridize(F, net, NULL);
        last_laid = last_norms = 0;
        last_look(F, net, x);
        got = hy_call(F, net, x);
        CHECK(OK(F) && last_laid == 2 && last_norms == 0);
        for (i = 0; i < 2; i++)
            CHECK(hy_dtype_of(F, hy_get(F, got, i)) == types[k] &&
                  last_far(F, hy_get(F, got, i), hy_get(F, want, i)) < (k ? 3e-2 : 4e-3));
        CHECK(hy_close(F) == 0);
    }
}

/* --- numbers that are none --- */
typedef struct last_odd { hy_block base; hy_array *w, *b; int filters, kernel, groups, end; } last_odd;
static hy_array *last_odd_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    last_odd *o = (last_odd *)(void *)self;
    hy_array *y = last_conv_of(F, x, o->w, o->b, o->filters, o->kernel, o->groups);
    switch (o->end) {
    case 1: return hy_relu(F, y);
    case 2: return hy_clip(F, y, -.5, 2);
    case 3: return hy_clip(F, y, -HUGE_VAL, .1);
    case 4: return hy_relu(F, hy_add(F, y, y));
    case 5: return hy_clip(F, hy_add(F, hy_relu(F, y), hy_mul_scalar(F, y, .5)), -.1, HUGE_VAL);
    default: return y;
    }
}

/* NaN and infinities are where line by line has them. Squares are left out: there they spread within a square. */
static void last_not_numbers(void)
{
    static const struct { int channels, filters, kernel, groups; } some[] = {
        { 5, 17, 3, 1 }, { 20, 20, 3, 20 }, { 3, 33, 5, 1 }, { 5, 5, 3, 5 }, { 6, 24, 2, 2 } };
    int k, end, i, what;
    for (k = 0; k < 5; k++)
        for (end = 0; end < 6; end++)
            for (what = 0; what < 3; what++) {
                hy_frame *F = tb_open(2);
                last_odd *o = (last_odd *)(void *)hy_block_new(F, sizeof *o, "odd", last_odd_forward, 1);
                hy_array *x = last_wave(F, HY_SHAPE(2, some[k].channels, 9, 8), 40), *want, *got;
                float *v = (float *)hy_write(F, x);
                const float *p, *q;
                o->filters = some[k].filters;
                o->kernel = some[k].kernel;
                o->groups = some[k].groups;
                o->end = end;
                o->w = last_wave(F, HY_SHAPE(o->filters, some[k].channels / o->groups, o->kernel, o->kernel), 30);
                o->b = last_wave(F, HY_SHAPE(o->filters), 3);
                v[50] = v[700 % (72 * some[k].channels)] = what == 1 ? -HUGE_VALF : HUGE_VALF;
                if (what == 2) v[50] = v[91] = v[0] = NAN;
                want = hy_call(F, &o->base, x);
                hy_hybridize(F, &o->base, NULL);
                got = hy_call(F, &o->base, x);
                p = (const float *)hy_data(F, want);
                q = (const float *)hy_data(F, got);
                for (i = 0; i < hy_size(F, want) && OK(F); i++)
                    if (!CHECK(isnan(p[i]) ? isnan(q[i]) != 0 : isinf(p[i]) ? p[i] == q[i] : fabs(p[i] - q[i]) < 1e-4)) {
                        printf("    case %d end %d what %d, place %d: got %g, want %g\n", k, end, what, i, q[i], p[i]);
                        break;
                    }
                last_laid = 0;
                last_look(F, &o->base, x);
                CHECK(last_laid == (some[k].groups < 3));       /* planes of one channel go by lines as they lie */
                CHECK(hy_close(F) == 0);
            }
}

/* --- nothing at all, and what is not moved --- */
typedef struct last_empty { hy_block base; hy_array *w, *none; int way; } last_empty;
static hy_array *last_empty_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    last_empty *e = (last_empty *)(void *)self;
    hy_array *y = last_conv_of(F, x, e->w, NULL, 5, 3, 1);
    switch (e->way) {
    case 1: return hy_concat(F, hy_group(F, y, hy_relu(F, y), e->none), 1);
    case 2: return hy_mul(F, y, e->none);
    case 3: return hy_concat(F, hy_group(F, y, hy_relu(F, y), e->none), -1);
    default: return y;
    }
}

static void last_nothing(void)
{
    static const struct { int way, n, side, c, h, w; } some[] = {
        { 0, 0, 5, 0, 1, 1 }, { 0, 0, 1, 0, 1, 1 }, { 1, 1, 1, 0, 1, 1 }, { 1, 2, 4, 0, 4, 4 }, { 2, 1, 1, 1, 1, 0 },
        { 2, 1, 1, 5, 0, 1 }, { 2, 2, 4, 5, 4, 0 }, { 3, 1, 1, 5, 1, 0 }, { 3, 2, 4, 5, 4, 0 } };
    size_t k;
    for (k = 0; k < sizeof some / sizeof *some; k++) {
        hy_frame *F = tb_open(2);
        last_empty *e = (last_empty *)(void *)hy_block_new(F, sizeof *e, "empty", last_empty_forward, 1);
        hy_array *x = hy_ones(F, HY_SHAPE(some[k].n, 3, some[k].side, some[k].side)), *want, *got;
        e->way = some[k].way;
        e->w = last_wave(F, HY_SHAPE(5, 3, 3, 3), 30);
        e->none = hy_ones(F, HY_SHAPE(some[k].way == 2 ? 1 : some[k].n, some[k].c, some[k].h, some[k].w));
        want = hy_call(F, &e->base, x);
        if (some[k].way == 2 && some[k].side > 1) { CHECK(hy_error(F) != NULL); hy_clear(F); want = NULL; }
        if (want) {
            CHECK(OK(F));
            hy_hybridize(F, &e->base, NULL);
            got = hy_call(F, &e->base, x);
            if (!CHECK(!hy_error(F))) printf("    case %d: %s\n", (int)k, hy_error(F));
            else CHECK(hy_size(F, want) == hy_size(F, got) &&
                       (!hy_size(F, want) || last_far(F, got, want) < 1e-5));
        }
        hy_clear(F);
        CHECK(hy_close(F) == 0);
    }
}

/* --- programs that have their channels last, weights that are given or shared --- */
typedef struct last_mixed { hy_block base; hy_array *one, *two, *bias; int way; } last_mixed;

static hy_array *last_user(hy_frame *F, hy_array *x, hy_array *w, hy_array *bias, int stride)
{
    last_window o = last_window_of(2, 16, 3);
    o.pad[1] = o.pad[2] = 1;
    o.stride[1] = o.stride[2] = stride;
    o.last = 1;
    o.bias = bias != NULL;
    return last_convolution(F, &o, x, w, bias);
}

/* x is (n,h,w,16) */
static hy_array *last_mixed_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    last_mixed *m = (last_mixed *)(void *)self;
    hy_array *a, *b, *c, *w = m->one;
    hy_pooling_opt pool;
    memset(&pool, 0, sizeof pool);
    pool.layout = HY_LAYOUT_NHWC;
    if (m->way == 3) { w = hy_get(F, x, 1); x = hy_get(F, x, 0); }
    a = hy_relu(F, last_user(F, x, w, m->bias, 1));
    b = hy_add(F, last_user(F, a, m->one, NULL, 1), a);                  /* the same weight again */
    if (m->way == 1) {                                                  /* there and back */
        c = hy_transpose(F, b, HY_AXES(0, 3, 1, 2));
        c = hy_relu(F, last_conv_of(F, c, m->two, m->bias, 16, 3, 1));
        c = hy_mul(F, c, hy_sigmoid(F, last_conv_of(F, c, m->two, NULL, 16, 3, 1)));
        b = hy_add(F, hy_transpose(F, c, HY_AXES(0, 2, 3, 1)), a);
    }
    if (m->way == 2)                                                    /* as if it had channels first */
        b = hy_add(F, last_user(F, b, m->one, m->bias, 1), last_conv_of(F, a, m->two, m->bias, 16, 3, 1));
    b = hy_pooling(F, b, HY_INTS(2, 2), &pool);
    return hy_group(F, hy_concat(F, hy_group(F, b, hy_tanh(F, b)), 3), last_user(F, b, m->one, m->bias, 2));
}

static void last_mix(void)
{
    int way;
    for (way = 0; way < 4; way++) {
        hy_frame *F = tb_open(2);
        last_mixed *m = (last_mixed *)(void *)hy_block_new(F, sizeof *m, "mixed", last_mixed_forward, 1);
        hy_array *x = last_wave(F, HY_SHAPE(2, 16, 7, 16), 60), *want, *got;
        m->way = way;
        m->one = hy_mul_scalar(F, last_wave(F, HY_SHAPE(16, 3, 3, 16), 300), .1);
        m->two = hy_mul_scalar(F, last_wave(F, HY_SHAPE(16, 16, 3, 3), 500), .1);
        m->bias = last_wave(F, HY_SHAPE(16), 3);
        if (way == 3) x = hy_group(F, x, hy_mul_scalar(F, m->one, 2));
        want = hy_call(F, &m->base, x);
        hy_hybridize(F, &m->base, NULL);
        got = hy_call(F, &m->base, x);
        CHECK(OK(F) && last_far(F, hy_get(F, got, 0), hy_get(F, want, 0)) < 1e-5 &&
              last_far(F, hy_get(F, got, 1), hy_get(F, want, 1)) < 1e-5);
        last_laid = 0;
        last_look(F, &m->base, x);
        CHECK(last_laid == (way == 0 ? 3 : way == 1 ? 5 : way == 2 ? 5 : 2));
        CHECK(last_same(F, hy_call(F, &m->base, x), got) && hy_check(F, &m->base, x) == 0 && OK(F));
        hy_assign(F, m->one, hy_negative(F, m->one));                   /* a constant is written */
        want = last_mixed_forward(F, &m->base, x);
        CHECK(last_far(F, hy_get(F, hy_call(F, &m->base, x), 1), hy_get(F, want, 1)) < 1e-5 && OK(F));
        CHECK(hy_close(F) == 0);
    }
}

/* The limits are inside, unless somebody else wants what there is before them. */
typedef struct limited_net { hy_block base; hy_block *conv; int adds; } limited_net;
static hy_array *limited_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    limited_net *net = (limited_net *)self;
    hy_array *y = hy_call(F, net->conv, x);
    return net->adds ? hy_add(F, hy_relu(F, y), y) : hy_clip(F, y, -0.5, 0.5);
}

static void limited_inside(void)
{
    int adds, i;
    for (adds = 0; adds < 2; adds++) {
        hy_frame *F = hy_open(NULL);
        limited_net *net = HY_BLOCK_NEW(F, limited_net, limited_forward);
        hy_array *x = hy_normal(F, HY_SHAPE(1, 3, 9, 9), 0, 1), *y;
        hy_event e;
        int inside = 0;
        net->adds = adds;
        net->conv = hy_add_child(F, &net->base, "conv", hy_nn_conv2d(F, 5, HY_INTS(1, 1), NULL));
        hy_initialize(F, &net->base, NULL);
        y = hy_call(F, &net->base, x);
        hy_hybridize(F, &net->base, NULL);
        hy_profile(F, "");
        CHECK_NEAR(hy_value(F, hy_max(F, hy_abs(F, hy_sub(F, hy_call(F, &net->base, x), y)), HY_ALL, NULL)), 0, 1e-6);
        hy_profile(F, NULL);
        for (i = 0; !hy_profile_event(F, i, &e); i++)
            inside += e.kind == HY_EVENT_JOB && !strcmp(e.what, "_convolve_planes");
        CHECK(inside == !adds);
        CHECK(hy_close(F) == 0);
    }
}

/* A network that turns its images itself, as ConvNeXt does, turns nothing when it is compiled but what goes in and
 * out; what is added to a product's columns is its bias. */
typedef struct turned_net { hy_block base; hy_block *first, *deep; hy_array *weight, *bias, *scale; } turned_net;
static hy_array *turned_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    turned_net *net = (turned_net *)self;
    hy_array *a = hy_call(F, net->first, x), *t;
    int i;
    for (i = 0; i < 2; i++) {
        t = hy_transpose(F, hy_call(F, net->deep, a), HY_AXES(0, 2, 3, 1));
        t = hy_tanh(F, hy_add(F, net->bias, hy_dot(F, t, net->weight, NULL)));
        a = hy_add(F, a, hy_mul(F, net->scale, hy_transpose(F, t, HY_AXES(0, 3, 1, 2))));
    }
    return a;
}

static void turned_once(void)
{
    int turns = 0, adds = 0, exact, i;
    for (exact = 0; exact < 2; exact++) {
        hy_frame *F = tb_open(2);
        turned_net *net = HY_BLOCK_NEW(F, turned_net, turned_forward);
        hy_array *x = last_wave(F, HY_SHAPE(2, 3, 15, 22), 50), *want, *got;
        hy_nn_conv_opt o = { 0 };
        hy_hybridize_opt h = { 0 };
        hy_event e;
        o.padding = HY_INTS(1, 1);
        net->first = hy_add_child(F, &net->base, "first", hy_nn_conv2d(F, 24, HY_INTS(3, 3), &o));
        o.padding = HY_INTS(3, 3);
        o.groups = 24;
        net->deep = hy_add_child(F, &net->base, "deep", hy_nn_conv2d(F, 24, HY_INTS(7, 7), &o));
        net->weight = hy_mul_scalar(F, last_wave(F, HY_SHAPE(24, 24), 90), .2);
        net->bias = last_wave(F, HY_SHAPE(24), 5);
        net->scale = last_wave(F, HY_SHAPE(24, 1, 1), 7);
        hy_initialize(F, &net->base, NULL);
        want = hy_call(F, &net->base, x);
        h.exact = exact;
        hy_hybridize(F, &net->base, &h);
        got = hy_call(F, &net->base, x);
        CHECK(OK(F) && (exact ? last_same(F, got, want) : last_far(F, got, want) < 1e-5));
        hy_profile(F, "");
        CHECK(last_same(F, hy_call(F, &net->base, x), got));
        hy_profile(F, NULL);
        for (i = 0; !exact && !hy_profile_event(F, i, &e); i++) {
            if (e.kind != HY_EVENT_JOB) continue;
            turns += !strcmp(e.what, "transpose");
            adds += strstr(e.what, "add") && !strncmp(e.shapes, "(24)", 4);
        }
        CHECK(hy_close(F) == 0);
    }
    if (HY__SIMD) CHECK(turns <= 2 && adds == 0);
}

static void test_layout(void)
{
    RUN(last_nets);
    RUN(last_squares);
    RUN(last_threads);
    RUN(last_parameters);
    RUN(last_types);
    RUN(last_halves);
    RUN(last_not_numbers);
    RUN(last_nothing);
    RUN(last_mix);
    RUN(limited_inside);
    RUN(turned_once);
}
