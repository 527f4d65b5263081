/* Compiled convolutions have their channels last inside: layout pass, prepared filters, tails, squares. What they
 * give is compared with plain loops in double precision, written here. */
#include <math.h>

enum { LAY_DIMS = 3, LAY_STEPS = 16 };

static uint32_t lay_seed;

static int lay_next(int n)              /* 0 ... n - 1 */
{
    lay_seed = lay_seed * 1664525u + 1013904223u;
    return (int)((lay_seed >> 10) % (uint32_t)n);
}
static int lay_pick(const char *from) { return from[lay_next((int)strlen(from))] - '0'; }
static float lay_number(void) { return (float)(lay_next(2001) - 1000) / 1000; }

/* --- plain values: images, channels, three dims of space (the first ones 1) --- */
typedef struct lay_value {
    int     n, c, size[LAY_DIMS];
    double *v, *most;                   /* numbers, and what their errors are measured by */
} lay_value;

static int lay_places(const lay_value *t) { return t->size[0] * t->size[1] * t->size[2]; }
static int lay_count(const lay_value *t) { return t->n * t->c * lay_places(t); }

static lay_value lay_room(int n, int c, const int *size)
{
    lay_value t;
    int i;
    t.n = n;
    t.c = c;
    memcpy(t.size, size, sizeof t.size);
    t.v = (double *)calloc((size_t)lay_count(&t) * 2 + 1, sizeof *t.v);
    t.most = t.v + lay_count(&t);
    for (i = 0; i < 2 * lay_count(&t); i++) t.v[i] = 0;
    return t;
}

static void lay_set_most(lay_value *t)
{
    int i;
    for (i = 0; i < lay_count(t); i++) t->most[i] = fabs(t->v[i]);
}

static lay_value lay_random(int n, int c, const int *size)
{
    lay_value t = lay_room(n, c, size);
    int i;
    for (i = 0; i < lay_count(&t); i++) t.v[i] = lay_number();
    lay_set_most(&t);
    return t;
}

/* --- a window --- */
typedef struct lay_window {
    int dims, filters, groups;
    int kernel[LAY_DIMS], stride[LAY_DIMS], dilate[LAY_DIMS], pad[LAY_DIMS];
    int bias, last;                     /* last: the program itself has channels last */
} lay_window;

static lay_window lay_window_of(int dims, int filters, int kernel)
{
    lay_window w;
    int d;
    memset(&w, 0, sizeof w);
    w.dims = dims;
    w.filters = filters;
    w.groups = 1;
    for (d = 0; d < LAY_DIMS; d++) {
        w.kernel[d] = d < LAY_DIMS - dims ? 1 : kernel;
        w.stride[d] = w.dilate[d] = 1;
    }
    return w;
}

static int lay_out_size(const lay_window *w, int d, int fine)
{
    return (fine + 2 * w->pad[d] - (w->kernel[d] - 1) * w->dilate[d] - 1) / w->stride[d] + 1;
}
static int lay_fits(const lay_window *w, const int *fine)
{
    int d;
    for (d = 0; d < LAY_DIMS; d++)
        if (fine[d] + 2 * w->pad[d] < (w->kernel[d] - 1) * w->dilate[d] + 1) return 0;
    return 1;
}

/* y = x * weight + bias; weight (filters, channels / groups, taps). */
static lay_value lay_convolve(const lay_window *w, const lay_value *x, const float *weight, const float *bias)
{
    int size[LAY_DIMS], d, n, f, p, c, tap, channels = x->c / w->groups;
    int taps = w->kernel[0] * w->kernel[1] * w->kernel[2], from = lay_places(x), places;
    lay_value y;
    for (d = 0; d < LAY_DIMS; d++) size[d] = lay_out_size(w, d, x->size[d]);
    y = lay_room(x->n, w->filters, size);
    places = lay_places(&y);
    for (p = 0; p < places; p++)
        for (tap = 0; tap < taps; tap++) {
            int at[LAY_DIMS], inside = 1, place;
            at[2] = p % size[2] * w->stride[2] + tap % w->kernel[2] * w->dilate[2] - w->pad[2];
            at[1] = p / size[2] % size[1] * w->stride[1] + tap / w->kernel[2] % w->kernel[1] * w->dilate[1] - w->pad[1];
            at[0] = p / size[2] / size[1] * w->stride[0] + tap / w->kernel[2] / w->kernel[1] * w->dilate[0] - w->pad[0];
            for (d = 0; d < LAY_DIMS; d++) inside = inside && at[d] >= 0 && at[d] < x->size[d];
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
static hy_shape lay_shape(const lay_value *t, int dims, int last)
{
    hy_shape s;
    int d;
    memset(&s, 0, sizeof s);
    s.ndim = dims + 2;
    s.dim[0] = t->n;
    s.dim[last ? dims + 1 : 1] = t->c;
    for (d = 0; d < dims; d++) s.dim[d + 2 - last] = t->size[LAY_DIMS - dims + d];
    return s;
}

/* Where element i lies when channels are last. */
static int lay_place(const lay_value *t, int i, int last)
{
    int places = lay_places(t), p = i % places, c = i / places % t->c, n = i / places / t->c;
    return last ? (n * places + p) * t->c + c : i;
}

static hy_array *lay_array(hy_frame *F, const lay_value *t, int dims, int last)
{
    hy_array *a = hy_zeros(F, lay_shape(t, dims, last));
    float *v = (float *)hy_write(F, a);
    int i;
    for (i = 0; i < lay_count(t) && v; i++) v[lay_place(t, i, last)] = (float)t->v[i];
    return a;
}

/* The largest error in units of what may be expected: less than 1 is right. */
static double lay_error(hy_frame *F, hy_array *got, const lay_value *want, int dims, int last, double unit)
{
    hy_shape s = lay_shape(want, dims, last);
    const float *v = got ? (const float *)hy_data(F, got) : NULL;
    double worst = 0, most = 0, error;
    int i;
    if (!v || !hy__same_shape(&got->t.type.shape, &s) || got->t.type.dtype != HY_F32) return 1e9;
    for (i = 0; i < lay_count(want); i++) if (want->most[i] > most) most = want->most[i];
    for (i = 0; i < lay_count(want); i++) {
        error = fabs(v[lay_place(want, i, last)] - want->v[i]) / (unit * (want->most[i] + .2 * most) + 1e-30);
        if (!(error <= worst)) worst = error;
    }
    return worst;
}

static int lay_same(hy_frame *F, hy_array *a, hy_array *b)      /* bit for bit, groups one by one */
{
    int i, n = a && b ? hy_count(F, a) : 0, same = n > 0 && n == hy_count(F, b);
    for (i = 0; i < n && same; i++) same = tb_same(F, hy_get(F, a, i), hy_get(F, b, i));
    return same;
}

/* --- one convolution, and what a program may do with it --- */
enum { LAY_ALONE, LAY_RELU, LAY_CLIP, LAY_ADD, LAY_ADD_LEFT, LAY_ADD_RELU, LAY_TWICE, LAY_ENDS };
typedef struct lay_one {
    hy_block   base;
    lay_window w;
    int        end;
    hy_array  *weight, *bias;
} lay_one;

static hy_ints lay_ints(const int *v, int dims)
{
    hy_ints a;
    int d;
    memset(&a, 0, sizeof a);
    a.n = dims;
    for (d = 0; d < dims; d++) a.v[d] = v[LAY_DIMS - dims + d];
    return a;
}

static hy_array *lay_convolution(hy_frame *F, const lay_window *w, hy_array *x, hy_array *weight, hy_array *bias)
{
    hy_convolution_opt o;
    memset(&o, 0, sizeof o);
    o.stride = lay_ints(w->stride, w->dims);
    o.dilate = lay_ints(w->dilate, w->dims);
    o.pad = lay_ints(w->pad, w->dims);
    o.num_group = w->groups;
    o.no_bias = !w->bias;
    if (w->last) o.layout = HY_LAYOUT_NWC + w->dims - 1;
    return hy_convolution(F, x, weight, w->bias ? bias : NULL, lay_ints(w->kernel, w->dims), w->filters, &o);
}

static hy_array *lay_one_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    lay_one *net = (lay_one *)(void *)self;
    hy_array *two = hy_count(F, x) == 2 ? hy_get(F, x, 1) : NULL;
    hy_array *y = lay_convolution(F, &net->w, two ? hy_get(F, x, 0) : x, net->weight, net->bias);
    switch (net->end) {
    case LAY_RELU: return hy_relu(F, y);
    case LAY_CLIP: return hy_clip(F, y, -.25, .5);
    case LAY_ADD: return hy_add(F, y, two);
    case LAY_ADD_LEFT: return hy_add(F, two, y);
    case LAY_ADD_RELU: return hy_relu(F, hy_add(F, y, two));
    case LAY_TWICE: return hy_add(F, y, y);
    default: return y;
    }
}

static lay_one *lay_one_new(hy_frame *F, const lay_window *w, int channels, int end, const float *weight,
                            const float *bias)
{
    lay_one *net = (lay_one *)(void *)hy_block_new(F, sizeof *net, "one", lay_one_forward, 1);
    lay_value k = lay_room(w->filters, channels / w->groups, w->kernel);
    int i;
    net->w = *w;
    net->end = end;
    for (i = 0; i < lay_count(&k); i++) k.v[i] = weight[i];
    net->weight = lay_array(F, &k, w->dims, w->last);
    net->bias = hy_floats(F, HY_SHAPE(w->filters), bias);
    hy_initialize(F, &net->base, NULL);
    free(k.v);
    return net;
}

static void lay_end(lay_value *y, int end, const lay_value *two)
{
    int i;
    for (i = 0; i < lay_count(y); i++) {
        double *v = &y->v[i];
        if (end == LAY_ADD || end == LAY_ADD_LEFT || end == LAY_ADD_RELU) {
            *v += two->v[i];
            y->most[i] += two->most[i];
        }
        if (end == LAY_TWICE) { *v *= 2; y->most[i] *= 2; }
        if ((end == LAY_RELU || end == LAY_ADD_RELU) && *v < 0) *v = 0;
        if (end == LAY_CLIP && *v < -.25) *v = -.25;
        if (end == LAY_CLIP && *v > .5) *v = .5;
    }
}

static float lay_weights[300000], lay_biases[512];

static void lay_draw(int weights, int biases)
{
    int i;
    CHECK(weights <= 300000 && biases <= 512);
    for (i = 0; i < weights; i++) lay_weights[i] = lay_number();
    for (i = 0; i < biases; i++) lay_biases[i] = lay_number();
}

static void lay_say(const lay_window *w, int end, const lay_value *x, double error)
{
    printf("    error %g: (%d,%d,%d,%d,%d) kernel (%d,%d,%d) stride (%d,%d,%d) dilate (%d,%d,%d) pad (%d,%d,%d)"
           " filters %d groups %d bias %d last %d dims %d end %d\n", error, x->n, x->c, x->size[0], x->size[1],
           x->size[2], w->kernel[0], w->kernel[1], w->kernel[2], w->stride[0], w->stride[1], w->stride[2],
           w->dilate[0], w->dilate[1], w->dilate[2], w->pad[0], w->pad[1], w->pad[2], w->filters, w->groups, w->bias,
           w->last, w->dims, end);
}

static int lay_laid, lay_squared;       /* convolutions with channels last inside, those by squares */

static void lay_look(hy_frame *F, hy_block *net, hy_array *x)
{
    hy_graph *g = hy_planned(F, net, x);
    hy_node node;
    int i;
    for (i = 0; i < hy_graph_count(g); i++) {
        if (hy_graph_node(g, i, &node) || !node.op || node.op != &hy__convolve_op) continue;
        lay_laid++;
        lay_squared += ((const hy__convolve_rec *)g->node[i]->record)->squares != 0;
    }
}

/* Compiled, twice, and line by line: all as plain loops have it. Gives the compiled result's error. */
static double lay_try(hy_frame *F, const lay_window *w, int n, int channels, const int *size, int end)
{
    lay_value x, y, two;
    lay_one *net;
    hy_array *in, *other = NULL, *got;
    double error, again, plain;
    int taps = w->kernel[0] * w->kernel[1] * w->kernel[2];
    lay_draw(w->filters * channels / w->groups * taps, w->filters);
    hy_begin(F);
    x = lay_random(n, channels, size);
    y = lay_convolve(w, &x, lay_weights, w->bias ? lay_biases : NULL);
    two = lay_random(y.n, y.c, y.size);
    lay_end(&y, end, &two);
    net = lay_one_new(F, w, channels, end, lay_weights, lay_biases);
    in = lay_array(F, &x, w->dims, w->last);
    if (end == LAY_ADD || end == LAY_ADD_LEFT || end == LAY_ADD_RELU) {
        other = lay_array(F, &two, w->dims, w->last);
        in = hy_group(F, in, other);
    }
    plain = lay_error(F, hy_call(F, &net->base, in), &y, w->dims, w->last, 2e-6);
    hy_hybridize(F, &net->base, NULL);
    got = hy_call(F, &net->base, in);
    error = lay_error(F, got, &y, w->dims, w->last, 2e-6);
    lay_look(F, &net->base, in);
    again = lay_error(F, hy_call(F, &net->base, in), &y, w->dims, w->last, 2e-6);
    if (!OK(F) || !CHECK(plain <= 1 && error <= 1 && again == error)) lay_say(w, end, &x, error);
    hy_block_free(F, &net->base);
    hy_end(F);
    free(x.v);
    free(y.v);
    free(two.v);
    return error;
}

/* --- shapes --- */
static void lay_pads_strides(int d, lay_window *w, int odd)
{
    w->stride[d] = lay_pick("1112233");
    w->dilate[d] = lay_pick("11112");
    w->pad[d] = lay_pick("0011233");
    if (odd) w->kernel[d] = lay_pick("11223345");
}

static int lay_channels(void)
{
    static const int some[] = { 48, 64, 80, 130 };
    return lay_next(8) ? 1 + lay_next(35) : some[lay_next(4)];
}

/* Shapes at random; a kernel never asks for more than a test's time. */
static void lay_many(int dims, int times, int end)
{
    hy_frame *F = tb_open(1);
    int i, d, size[LAY_DIMS] = { 1, 1, 1 };
    lay_laid = 0;
    for (i = 0; i < times && !test_broken; i++) {
        int channels = dims == 3 ? 1 + lay_next(24) : lay_channels(), filters = 1 + lay_next(70), n = lay_pick("11123");
        lay_window w = lay_window_of(dims, filters, lay_pick("11233345"));
        w.bias = lay_next(2);
        w.last = !lay_next(4);
        for (d = LAY_DIMS - dims; d < LAY_DIMS; d++) {
            size[d] = 1 + lay_next(dims == 1 ? 40 : dims == 2 ? 16 : 6);
            lay_pads_strides(d, &w, !lay_next(3));
        }
        if (lay_next(5) == 0) {                                     /* groups, up to one channel each */
            w.groups = lay_pick("234");
            if (lay_next(2)) w.groups = channels;
            channels = w.groups == channels ? channels : channels / 2 * w.groups + w.groups;
            if (channels > 150) channels = w.groups;
            w.filters = w.groups * (w.groups > 4 ? lay_pick("1112") : 1 + lay_next(20));
        }
        if (!lay_fits(&w, size)) continue;
        lay_try(F, &w, n, channels, size, end < 0 ? lay_next(LAY_ENDS) : end);
    }
    CHECK(test_broken || lay_laid > times / 3);
    CHECK(hy_close(F) == 0);
}

static void lay_1d(void) { lay_seed = 1; lay_many(1, 250, -1); }
static void lay_2d(void) { lay_seed = 2; lay_many(2, 250, -1); }
static void lay_3d(void) { lay_seed = 3; lay_many(3, 120, -1); }

/* One dim at a time through everything. */
static void lay_sweep(void)
{
    hy_frame *F = tb_open(1);
    int i, size[LAY_DIMS] = { 1, 5, 4 };
    lay_seed = 4;
    for (i = 1; i <= 70 && !test_broken; i++) {                     /* filters: lanes, tiles, panels */
        lay_window w = lay_window_of(2, i, 2);
        w.bias = i & 1;
        lay_try(F, &w, 1, 3, size, i % LAY_ENDS);
    }
    for (i = 1; i <= 35 && !test_broken; i++) {                     /* channels */
        lay_window w = lay_window_of(2, 17, 3);
        w.pad[1] = w.pad[2] = 1;
        lay_try(F, &w, 1, i, size, i % LAY_ENDS);
    }
    for (i = 1; i <= 70 && !test_broken; i++) {                     /* one channel per group */
        lay_window w = lay_window_of(2, i, 3);
        w.groups = i;
        w.pad[1] = w.pad[2] = i % 3;
        w.bias = i & 1;
        lay_try(F, &w, 1 + i % 2, i, size, i % LAY_ENDS);
    }
    for (i = 1; i <= 26 && !test_broken; i++) {                     /* places: one tile, two, some rows of them */
        lay_window w = lay_window_of(2, 5, 2);
        int d;
        for (d = 1; d < LAY_DIMS; d++) {
            int one[LAY_DIMS] = { 1, 2, 2 };
            one[d] = i + 1;
            lay_try(F, &w, 1, 4, one, i % LAY_ENDS);
            one[3 - d] = 3 + i % 4;
            w.pad[d] = i % 2;
            lay_try(F, &w, 2, 2, one, i % LAY_ENDS);
        }
    }
    for (i = 1; i <= 26 && !test_broken; i++) {                     /* the same, one channel per group */
        lay_window w = lay_window_of(1, 20, 3);
        int one[LAY_DIMS] = { 1, 1, 1 };
        one[2] = i;
        w.groups = 20;
        w.pad[2] = 2;
        w.dilate[2] = 1 + i % 2;
        lay_try(F, &w, 1, 20, one, i % LAY_ENDS);
    }
    CHECK(hy_close(F) == 0);
}

/* Windows that are long, flat, even, larger than the data; more steps than one visit takes. */
static void lay_windows(void)
{
    static const struct { int kernel[LAY_DIMS], pad[LAY_DIMS], size[LAY_DIMS], channels; } some[] = {
        { { 1, 1, 7 }, { 0, 0, 3 }, { 1, 6, 9 }, 5 }, { { 1, 7, 1 }, { 0, 3, 0 }, { 1, 9, 5 }, 5 },
        { { 1, 2, 4 }, { 0, 1, 2 }, { 1, 7, 7 }, 6 }, { { 1, 1, 1 }, { 0, 3, 3 }, { 1, 3, 3 }, 9 },
        { { 1, 5, 5 }, { 0, 3, 3 }, { 1, 1, 1 }, 7 }, { { 1, 2, 2 }, { 0, 3, 3 }, { 1, 2, 1 }, 7 },
        { { 1, 3, 3 }, { 0, 1, 1 }, { 1, 6, 6 }, 300 }, { { 1, 2, 3 }, { 0, 1, 1 }, { 1, 5, 5 }, 700 },
        { { 1, 1, 2 }, { 0, 0, 1 }, { 1, 3, 4 }, 2100 }, { { 1, 3, 3 }, { 0, 1, 1 }, { 1, 3, 4 }, 1030 },
        { { 1, 1, 1 }, { 0, 0, 0 }, { 1, 3, 4 }, 4500 }, { { 1, 5, 5 }, { 0, 2, 2 }, { 1, 7, 7 }, 130 },
        { { 3, 3, 3 }, { 1, 1, 1 }, { 3, 4, 5 }, 33 }, { { 2, 1, 3 }, { 2, 0, 1 }, { 3, 4, 5 }, 16 },
        { { 1, 3, 3 }, { 0, 1, 1 }, { 4, 7, 7 }, 16 }, { { 1, 3, 3 }, { 2, 1, 1 }, { 1, 7, 7 }, 32 } };
    hy_frame *F = tb_open(1);
    size_t i;
    int last, end, d;
    lay_seed = 5;
    for (i = 0; i < sizeof some / sizeof *some; i++)
        for (last = 0; last < 2; last++)
            for (end = last; end < LAY_ENDS && !test_broken; end += some[i].channels > 200 ? 5 : 3) {
                lay_window w = lay_window_of(3, some[i].channels > 200 ? 7 : 16 + 16 * last, 1);
                w.bias = end & 1;
                w.last = last;
                if (some[i].kernel[0] + some[i].size[0] == 2 && !some[i].pad[0]) w.dims = 2;
                memcpy(w.kernel, some[i].kernel, sizeof w.kernel);
                memcpy(w.pad, some[i].pad, sizeof w.pad);
                lay_try(F, &w, 1 + end % 2, some[i].channels, some[i].size, end);
                for (d = 1; d < LAY_DIMS; d++) w.stride[d] = w.kernel[d] > 1 ? 2 : 1;
                lay_try(F, &w, 1, some[i].channels, some[i].size, end);
                for (d = 1; d < LAY_DIMS; d++) w.stride[d] = 1, w.dilate[d] = 2;
                if (lay_fits(&w, some[i].size)) lay_try(F, &w, 1, some[i].channels, some[i].size, end);
            }
    CHECK(hy_close(F) == 0);
}

/* --- networks at random: one list of steps is run by the library and by plain loops --- */
enum {
    LAY_CONV, LAY_DEPTH, LAY_STEP_RELU, LAY_STEP_CLIP, LAY_STEP_ADD, LAY_STEP_SCALE, LAY_STEP_SHIFT, LAY_STEP_POOL,
    LAY_STEP_GLOBAL, LAY_STEP_CONCAT, LAY_STEP_NORM, LAY_STEP_TANH, LAY_STEP_GATE, LAY_STEP_ADD_N, LAY_STEP_MASK,
    LAY_STEP_ONE, LAY_STEP_TURN, LAY_STEPS_OF
};
typedef struct lay_step {
    int        op, a, b, axis;          /* a, b: values */
    lay_window w;
    int        pool, full, exclude;
    hy_array  *weight, *bias, *mean, *var;
} lay_step;
typedef struct lay_net {
    hy_block base;
    int      dims, steps, middle;
    lay_step step[LAY_STEPS];
    hy_array *dense;
} lay_net;

static hy_array *lay_pool(hy_frame *F, const lay_step *s, int dims, hy_array *x)
{
    hy_pooling_opt o;
    memset(&o, 0, sizeof o);
    o.pool_type = s->pool;
    o.global_pool = s->op == LAY_STEP_GLOBAL;
    o.convention = s->full ? HY_CONVENTION_FULL : HY_CONVENTION_VALID;
    o.stride = lay_ints(s->w.stride, dims);
    o.pad = lay_ints(s->w.pad, dims);
    o.exclude_pad = s->exclude;
    return hy_pooling(F, x, lay_ints(s->w.kernel, dims), &o);
}

static hy_array *lay_run_step(hy_frame *F, const lay_net *net, const lay_step *s, hy_array *a, hy_array *b)
{
    hy_reduce_opt keep;
    memset(&keep, 0, sizeof keep);
    keep.keepdims = 1;
    switch (s->op) {
    case LAY_CONV: case LAY_DEPTH: return lay_convolution(F, &s->w, a, s->weight, s->bias);
    case LAY_STEP_RELU: return s->axis ? hy_relu(F, a) : hy_activation(F, a, HY_ACT_RELU);
    case LAY_STEP_CLIP: return hy_clip(F, a, -.25, .75);
    case LAY_STEP_ADD: return hy_add(F, a, b);
    case LAY_STEP_SCALE: return hy_mul(F, a, s->weight);
    case LAY_STEP_SHIFT: return hy_add(F, s->weight, a);
    case LAY_STEP_POOL: case LAY_STEP_GLOBAL: return lay_pool(F, s, net->dims, a);
    case LAY_STEP_CONCAT: return hy_concat(F, s->axis == 1 ? hy_group(F, a, b, a) : hy_group(F, a, b), s->axis);
    case LAY_STEP_NORM: return hy_get(F, hy_batch_norm(F, a, s->weight, s->bias, s->mean, s->var, NULL), 0);
    case LAY_STEP_TANH: return hy_tanh(F, a);
    case LAY_STEP_GATE: {               /* (n,c,1,...) times everything */
        hy_ints axes = net->dims == 1 ? HY_INTS(2) : net->dims == 2 ? HY_INTS(2, 3) : HY_INTS(2, 3, 4);
        return hy_mul(F, hy_mean(F, a, axes, &keep), a);
    }
    case LAY_STEP_ADD_N: return hy_add_n(F, hy_group(F, a, b, a));
    case LAY_STEP_MASK: return hy_mul(F, a, hy_mean(F, b, HY_INTS(1), &keep));      /* (n,1,...) */
    case LAY_STEP_ONE: return hy_sub(F, a, s->weight);                             /* one number */
    default: {                          /* an operator that does not move */
        hy_ints turn = net->dims == 1 ? HY_INTS(2, 1, 0) : net->dims == 2 ? HY_INTS(2, 1, 0, 3) : HY_INTS(2, 1, 0, 3, 4);
        return hy_transpose(F, hy_relu(F, hy_transpose(F, a, turn)), turn);
    }
    }
}

static hy_array *lay_net_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    lay_net *net = (lay_net *)(void *)self;
    hy_array *value[LAY_STEPS + 1];
    hy_fully_connected_opt no;
    int i;
    memset(&no, 0, sizeof no);
    no.no_bias = 1;
    value[0] = x;
    for (i = 0; i < net->steps; i++)
        value[i + 1] = lay_run_step(F, net, &net->step[i], value[net->step[i].a], value[net->step[i].b]);
    return hy_group(F, value[net->steps], value[net->middle],
                    hy_fully_connected(F, hy_flatten(F, value[net->steps]), net->dense, NULL, 3, &no));
}

static lay_value lay_copy(const lay_value *x)
{
    lay_value y = lay_room(x->n, x->c, x->size);
    memcpy(y.v, x->v, sizeof *y.v * 2 * (size_t)lay_count(x));
    return y;
}

/* Plain loops of a window over each channel: the largest number, or the average. */
static lay_value lay_plain_pool(const lay_step *s, const lay_value *x)
{
    int size[LAY_DIMS], d, i, tap, p, global = s->op == LAY_STEP_GLOBAL;
    int kernel[LAY_DIMS];
    lay_value y;
    for (d = 0; d < LAY_DIMS; d++) {
        int room = x->size[d] + 2 * s->w.pad[d] - s->w.kernel[d];
        kernel[d] = global ? x->size[d] : s->w.kernel[d];
        size[d] = global ? 1 : (room + (s->full ? s->w.stride[d] - 1 : 0)) / s->w.stride[d] + 1;
    }
    y = lay_room(x->n, x->c, size);
    for (i = 0; i < lay_count(&y); i++) {
        const double *v = x->v + i / lay_places(&y) * lay_places(x), *most = v + lay_count(x);
        double sum = 0, total = 0, best = -HUGE_VAL;
        int n = 0, padded = 0;
        p = i % lay_places(&y);
        for (tap = 0; tap < kernel[0] * kernel[1] * kernel[2]; tap++) {
            int at[LAY_DIMS], inside = 1, near = 1, k[LAY_DIMS], o[LAY_DIMS], place;
            k[2] = tap % kernel[2], k[1] = tap / kernel[2] % kernel[1], k[0] = tap / kernel[2] / kernel[1];
            o[2] = p % size[2], o[1] = p / size[2] % size[1], o[0] = p / size[2] / size[1];
            for (d = 0; d < LAY_DIMS; d++) {
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

static lay_value lay_plain_concat(const lay_value *const *x, int n, int axis)
{
    int size[LAY_DIMS], k, i, at = 0, before, from, images = 0, channels = 0;
    lay_value y;
    memcpy(size, x[0]->size, sizeof size);
    for (k = 1; k < n && axis > 1; k++) size[axis - 2] += x[k]->size[axis - 2];
    for (k = 0; k < n; k++) {
        images = axis ? x[0]->n : images + x[k]->n;
        channels = axis != 1 ? x[0]->c : channels + x[k]->c;
    }
    y = lay_room(images, channels, size);
    for (before = 1, i = 0; i < axis; i++) before *= i == 0 ? y.n : i == 1 ? y.c : size[i - 2];
    for (k = 0; k < n; k++) {
        int run = lay_count(x[k]) / before, step = lay_count(&y) / before;
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
static void lay_affine(double *v, double *most, double by, double most_by, double to)
{
    *v = *v * by + to;
    *most = *most * most_by + fabs(to);
}

static double lay_mean(const double *v, int n, int step)
{
    double sum = 0;
    int i;
    for (i = 0; i < n; i++) sum += v[i * step];
    return sum / n;
}

static lay_value lay_plain_step(const lay_step *s, const lay_value *a, const lay_value *b, const float *weight,
                                const float *bias)
{
    const lay_value *three[3];
    lay_value y;
    int i, places = lay_places(a);
    three[0] = three[2] = a;
    three[1] = b;
    if (s->op == LAY_CONV || s->op == LAY_DEPTH) return lay_convolve(&s->w, a, weight, s->w.bias ? bias : NULL);
    if (s->op == LAY_STEP_POOL || s->op == LAY_STEP_GLOBAL) return lay_plain_pool(s, a);
    if (s->op == LAY_STEP_CONCAT)
        return lay_plain_concat(three, s->axis == 1 ? 3 : 2, s->axis > 1 ? s->axis + LAY_DIMS - s->w.dims : s->axis);
    y = lay_copy(a);
    for (i = 0; i < lay_count(a); i++) {
        double *v = &y.v[i], *most = &y.most[i];
        int c = i / places % a->c, n = i / places / a->c;
        switch (s->op) {
        case LAY_STEP_RELU: case LAY_STEP_TURN: if (*v < 0) *v = 0; break;
        case LAY_STEP_CLIP: *v = *v < -.25 ? -.25 : *v > .75 ? .75 : *v; break;
        case LAY_STEP_ADD: *v += b->v[i]; *most += b->most[i]; break;
        case LAY_STEP_ADD_N: *v = 2 * *v + b->v[i]; *most = 2 * *most + b->most[i]; break;
        case LAY_STEP_SCALE: lay_affine(v, most, weight[c], fabs(weight[c]), 0); break;
        case LAY_STEP_SHIFT: lay_affine(v, most, 1, 1, weight[c]); break;
        case LAY_STEP_ONE: lay_affine(v, most, 1, 1, -weight[0]); break;
        case LAY_STEP_NORM: {               /* gamma and variance 1 */
            double by = 1 / sqrt(1 + 1e-3);
            lay_affine(v, most, by, by, bias[c] - by * weight[c]);
            break;
        }
        case LAY_STEP_TANH: *v = tanh(*v); break;
        case LAY_STEP_GATE: {
            int at = i / places * places;
            lay_affine(v, most, lay_mean(a->v + at, places, 1), 2 * lay_mean(a->most + at, places, 1), 0);
            break;
        }
        case LAY_STEP_MASK: {
            int at = n * b->c * places + i % places;
            lay_affine(v, most, lay_mean(b->v + at, b->c, places), 2 * lay_mean(b->most + at, b->c, places), 0);
            break;
        }
        default: break;
        }
    }
    return y;
}

static int lay_alike(const lay_value *a, const lay_value *b)
{
    return a->n == b->n && a->c == b->c && !memcmp(a->size, b->size, sizeof a->size);
}

static hy_array *lay_draw_one(hy_frame *F, hy_shape shape, float *to, float by)
{
    int i, n = (int)hy__size(&shape);
    for (i = 0; i < n; i++) to[i] = lay_number() * by;
    return hy_floats(F, shape, to);
}

/* A step's window and parameters for a value of this form; 0: it cannot be. */
static int lay_step_make(hy_frame *F, const lay_net *net, lay_step *s, const lay_value *a, const lay_value *b)
{
    int dims = net->dims, d, axis;
    hy_shape each = HY_SHAPE(1, a->c, 1, 1, 1), shape;
    each.ndim = dims + 2;
    switch (s->op) {
    case LAY_CONV: case LAY_DEPTH:
        s->w = lay_window_of(dims, 1 + lay_next(20), lay_pick("1333325"));
        if (!lay_next(3)) s->w.filters = 16 * lay_pick("123");
        if (!lay_next(4)) s->w.filters = a->c;
        s->w.bias = lay_next(2);
        for (d = LAY_DIMS - dims; d < LAY_DIMS; d++) {
            s->w.pad[d] = lay_next(4) ? s->w.kernel[d] / 2 : lay_next(3);
            s->w.stride[d] = lay_next(5) ? 1 : 2;
        }
        if (s->op == LAY_DEPTH) { s->w.groups = a->c; s->w.filters = a->c * lay_pick("1112"); }
        if (!lay_fits(&s->w, a->size) || s->w.filters > 200) return 0;
        shape = HY_SHAPE(s->w.filters, a->c / s->w.groups, 1, 1, 1);
        shape.ndim = dims + 2;
        for (d = 0; d < dims; d++) shape.dim[d + 2] = s->w.kernel[LAY_DIMS - dims + d];
        s->weight = lay_draw_one(F, shape, lay_weights, 1.2f / (float)sqrt((double)hy__size(&shape) / s->w.filters));
        s->bias = lay_draw_one(F, HY_SHAPE(s->w.filters), lay_biases, .2f);
        return 1;
    case LAY_STEP_ADD: case LAY_STEP_ADD_N: return lay_alike(a, b);
    case LAY_STEP_MASK: return a->n == b->n && !memcmp(a->size, b->size, sizeof a->size);
    case LAY_STEP_CONCAT:
        s->axis = lay_next(dims + 2);
        s->w.dims = dims;
        axis = s->axis > 1 ? s->axis + LAY_DIMS - dims : s->axis;
        for (d = 0; d < LAY_DIMS + 2; d++)
            if (d != axis && (d == 0 ? a->n != b->n : d == 1 ? a->c != b->c : a->size[d - 2] != b->size[d - 2]))
                return 0;
        return axis == 0 || a->c < 60;
    case LAY_STEP_SCALE:
        for (d = 0; d < dims + 1; d++) shape.dim[d] = d ? 1 : a->c;
        shape.ndim = dims + 1;
        s->weight = lay_draw_one(F, shape, lay_weights, 1);
        return 1;
    case LAY_STEP_SHIFT: s->weight = lay_draw_one(F, each, lay_weights, .5f); return 1;
    case LAY_STEP_ONE: s->weight = lay_draw_one(F, HY_SHAPE(1), lay_weights, .5f); return 1;
    case LAY_STEP_NORM:
        s->mean = lay_draw_one(F, HY_SHAPE(a->c), lay_weights, .3f);
        s->bias = lay_draw_one(F, HY_SHAPE(a->c), lay_biases, .3f);
        s->weight = hy_ones(F, HY_SHAPE(a->c));
        s->var = hy_ones(F, HY_SHAPE(a->c));
        return 1;
    case LAY_STEP_POOL: case LAY_STEP_GLOBAL:
        s->w = lay_window_of(dims, 1, lay_pick("223"));
        s->pool = lay_next(2) ? HY_POOL_AVG : HY_POOL_MAX;
        s->full = lay_next(2);
        s->exclude = lay_next(2);
        for (d = LAY_DIMS - dims; d < LAY_DIMS; d++) {
            s->w.stride[d] = lay_pick("122");
            s->w.pad[d] = lay_next(2);
            if (a->size[d] + s->w.pad[d] < s->w.kernel[d]) return 0;
            if (s->full && (a->size[d] + 2 * s->w.pad[d] - s->w.kernel[d]) % s->w.stride[d] && s->w.pad[d]) return 0;
        }
        return s->op == LAY_STEP_POOL || lay_next(3) == 0;
    default: s->axis = lay_next(2); return 1;
    }
}

/* Makes a network step by step, with what plain loops give for each step. */
static lay_net *lay_net_new(hy_frame *F, int dims, lay_value *value)
{
    lay_net *net = (lay_net *)(void *)hy_block_new(F, sizeof *net, "net", lay_net_forward, 1);
    int wanted = 3 + lay_next(LAY_STEPS - 3), tries, n = 0;
    net->dims = dims;
    for (tries = 0; tries < 400 && n < wanted; tries++) {
        lay_step *s = &net->step[n];
        memset(s, 0, sizeof *s);
        s->op = n == 0 || !lay_next(4) ? LAY_CONV : lay_next(LAY_STEPS_OF);
        s->a = lay_next(3) ? n : lay_next(n + 1);
        s->b = lay_next(n + 1);
        if (!lay_step_make(F, net, s, &value[s->a], &value[s->b])) continue;
        value[n + 1] = lay_plain_step(s, &value[s->a], &value[s->b], lay_weights, lay_biases);
        n++;
        if (lay_count(&value[n]) > 40000) break;
    }
    net->steps = n;
    net->middle = lay_next(n + 1);
    return net;
}

/* The dense head: the last value times a weight. */
static lay_value lay_plain_dense(const lay_value *x, const float *weight, int rows)
{
    static const int one[LAY_DIMS] = { 1, 1, 1 };
    lay_value y = lay_room(x->n, rows, one);
    int k = lay_count(x) / x->n, i, j;
    for (i = 0; i < x->n * rows; i++)
        for (j = 0; j < k; j++) {
            y.v[i] += weight[i % rows * k + j] * x->v[i / rows * k + j];
            y.most[i] += fabs(weight[i % rows * k + j]) * x->most[i / rows * k + j];
        }
    return y;
}

static float lay_dense[3 * 130000];

static double lay_net_error(hy_frame *F, const lay_net *net, hy_array *got, const lay_value *value, const lay_value *dense)
{
    double last, middle, flat;
    hy_array *head = got ? hy_get(F, got, 2) : NULL;
    if (!head) return 1e9;
    last = lay_error(F, hy_get(F, got, 0), &value[net->steps], net->dims, 0, 4e-6);
    middle = lay_error(F, hy_get(F, got, 1), &value[net->middle], net->dims, 0, 4e-6);
    flat = lay_error(F, hy_reshape(F, head, HY_INTS(-1, 3, 1), NULL), dense, 1, 0, 4e-6);
    return last > middle ? last > flat ? last : flat : middle > flat ? middle : flat;
}

static void lay_net_try(int number, int dims)
{
    static const struct { int off, exact; } way[] = { { 0, 0 }, { HY_PASS_LAYOUT, 0 }, { 0, 1 }, { HY_PASS_FUSE, 0 },
        { HY_PASS_REUSE | HY_PASS_INPLACE, 0 }, { HY_PASS_ALL & ~HY_PASS_LAYOUT, 0 } };
    hy_frame *F = tb_open(3);
    lay_value value[LAY_STEPS + 1], dense;
    int size[LAY_DIMS], d, i;
    size_t k;
    lay_net *net;
    hy_array *x, *plain, *got;
    double error;
    lay_seed = (uint32_t)number * 2654435761u + 77;
    for (d = 0; d < LAY_DIMS; d++) size[d] = d < LAY_DIMS - dims ? 1 : 1 + lay_next(dims == 3 ? 5 : 12);
    value[0] = lay_random(1 + lay_next(3), lay_next(3) ? 1 + lay_next(9) : 16, size);
    net = lay_net_new(F, dims, value);
    net->dense = lay_draw_one(F, HY_SHAPE(3, lay_count(&value[net->steps]) / value[net->steps].n), lay_dense, .1f);
    dense = lay_plain_dense(&value[net->steps], lay_dense, 3);
    x = lay_array(F, &value[0], dims, 0);
    hy_initialize(F, &net->base, NULL);
    plain = hy_call(F, &net->base, x);
    error = lay_net_error(F, net, plain, value, &dense);
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
        error = lay_net_error(F, net, got, value, &dense);
        if (!OK(F) || !CHECK(error <= 1) || !CHECK(!opt.exact || lay_same(F, got, plain)))
            printf("    net %d, way %d, error %g\n", number, (int)k, error);
        else if (!k) lay_look(F, &net->base, x);
        CHECK(lay_same(F, hy_call(F, &net->base, x), got));
    }
    for (i = 0; i <= net->steps; i++) free(value[i].v);
    free(dense.v);
    CHECK(hy_close(F) == 0);
}

static void lay_nets(void)
{
    int i;
    lay_laid = 0;
    for (i = 0; i < 150 && !test_broken; i++) lay_net_try(i, i % 7 == 5 ? 3 : i % 7 == 3 ? 1 : 2);
    CHECK(test_broken || lay_laid > 150);
}

/* --- squares --- */
/* |A| |S| |A^T| for a matrix of so many rows and columns; S is (columns,columns), step elements apart. */
static void lay_around(const double *a, int rows, int cols, const double *s, double *to)
{
    int i, j, k, l;
    for (i = 0; i < rows; i++)
        for (j = 0; j < rows; j++)
            for (to[i * rows + j] = 0, k = 0; k < cols; k++)
                for (l = 0; l < cols; l++)
                    to[i * rows + j] += fabs(a[i * cols + k]) * fabs(s[k * cols + l]) * fabs(a[j * cols + l]);
}

/* How large rounding errors of the way by squares can be at all: those of channels products and their sums, and
 * of the 17 operations that a number meets while it is turned, times what all those numbers may add up to. */
static void lay_squares_bound(int out, const lay_window *w, const lay_value *x, const lay_value *y, double *most)
{
    static const double in2[] = { 1, 0, -1, 0, 0, 1, 1, 0, 0, -1, 1, 0, 0, 1, 0, -1 };
    static const double in4[] = { 4, 0, -5, 0, 1, 0, 0, -4, -4, 1, 1, 0, 0, 4, -4, -1, 1, 0,
                                  0, -2, -1, 2, 1, 0, 0, 2, -1, -2, 1, 0, 0, 4, 0, -5, 0, 1 };
    static const double filter2[] = { 1, 0, 0, .5, .5, .5, .5, -.5, .5, 0, 0, 1 };
    static const double filter4[] = { 1 / 4., 0, 0, 1 / 6., 1 / 6., 1 / 6., 1 / 6., 1 / 6., 1 / 6.,
                                      1 / 24., 1 / 12., 1 / 6., 1 / 24., 1 / 12., 1 / 6., 0, 0, 1 };
    static const double out2[] = { 1, 1, 1, 0, 0, 1, -1, -1 };
    static const double out4[] = { 1, 1, 1, 1, 1, 0, 0, 1, -1, 2, -2, 0, 0, 1, 1, 4, 4, 0, 0, 1, -1, 8, -8, 1 };
    const double *in = out == 2 ? in2 : in4, *filter = out == 2 ? filter2 : filter4, *back = out == 2 ? out2 : out4;
    int side = out + 2, n, f, c, i, j, r, q;
    for (n = 0; n < x->n; n++)
        for (r = 0; r < y->size[1]; r += out)
            for (q = 0; q < y->size[2]; q += out)
                for (f = 0; f < y->c; f++) {
                    double sum[36] = { 0 }, d[36], turned[36], window[9], weight[36], all[16];
                    for (c = 0; c < x->c; c++) {
                        for (i = 0; i < side * side; i++) {
                            int py = r + i / side - w->pad[1], px = q + i % side - w->pad[2];
                            d[i] = py < 0 || px < 0 || py >= x->size[1] || px >= x->size[2] ? 0
                                : x->v[((n * x->c + c) * x->size[1] + py) * x->size[2] + px];
                        }
                        for (i = 0; i < 9; i++) window[i] = lay_weights[(f * x->c + c) * 9 + i];
                        lay_around(in, side, side, d, turned);
                        lay_around(filter, side, 3, window, weight);
                        for (i = 0; i < side * side; i++) sum[i] += turned[i] * weight[i];
                    }
                    lay_around(back, out, side, sum, all);
                    for (i = 0; i < out && r + i < y->size[1]; i++)
                        for (j = 0; j < out && q + j < y->size[2]; j++)
                            most[((n * y->c + f) * y->size[1] + r + i) * y->size[2] + q + j] =
                                all[i * out + j] * (x->c + 17) / 16777216.;
                }
}

/* The program's one convolution: 2 or 4 by squares, 0 directly. */
static int lay_way(hy_frame *F, hy_block *net, hy_array *x)
{
    hy_graph *g = hy_planned(F, net, x);
    hy_node node;
    int i;
    for (i = 0; i < hy_graph_count(g); i++)
        if (!hy_graph_node(g, i, &node) && node.op == &hy__convolve_op)
            return ((const hy__convolve_rec *)g->node[i]->record)->squares;
    return -1;
}

/* Every remainder of squares in both dims, paddings, several panels of filters, both ways. */
static void lay_squares(void)
{
    hy_frame *F = tb_open(1);
    int i, seen[5] = { 0 };
    lay_seed = 6;
    for (i = 0; i < 220 && !test_broken; i++) {
        lay_window w = lay_window_of(2, 16 * (1 + lay_next(lay_next(6) ? 2 : 6)), 3);
        int size[LAY_DIMS] = { 1, 1, 1 }, channels = 16 * (1 + lay_next(3)), n = 1 + !lay_next(3), d;
        w.bias = lay_next(2);
        w.last = !lay_next(4);
        for (d = 1; d < LAY_DIMS; d++) {
            w.pad[d] = lay_next(3);
            size[d] = 1 + lay_next(i < 160 ? 9 : 20);
        }
        if (!lay_fits(&w, size)) continue;
        lay_try(F, &w, n, channels, size, lay_next(LAY_ENDS));
    }
    for (i = 0; i < 30 && !test_broken; i++) {
        lay_window w = lay_window_of(2, 16, 3);
        int size[LAY_DIMS] = { 1, 6, 6 }, channels = 16 << i % 3, k, way;
        lay_value x, y;
        double *most;
        lay_one *net;
        hy_array *in;
        const float *got;
        w.pad[1] = w.pad[2] = i % 2;
        size[1] = 3 + lay_next(6);
        size[2] = 3 + lay_next(6);
        lay_draw(16 * channels * 9, 16);
        hy_begin(F);
        x = lay_random(1, channels, size);
        for (k = 0; k < lay_count(&x) && i % 5 == 0; k++) x.v[k] = lay_next(9) ? 0 : 1000 * x.v[k];
        y = lay_convolve(&w, &x, lay_weights, NULL);
        net = lay_one_new(F, &w, channels, LAY_ALONE, lay_weights, lay_biases);
        in = lay_array(F, &x, 2, 0);
        hy_hybridize(F, &net->base, NULL);
        got = (const float *)hy_data(F, hy_call(F, &net->base, in));
        way = lay_way(F, &net->base, in);
        CHECK(way >= 0);
        seen[way > 0 ? way : 0]++;
        most = (double *)calloc((size_t)lay_count(&y), sizeof *most);
        if (way > 0) lay_squares_bound(way, &w, &x, &y, most);
        for (k = 0; k < lay_count(&y) && way > 0 && got; k++)
            if (!CHECK(fabs(got[k] - y.v[k]) <= most[k])) {
                printf("    squares of %d, %d channels, error %g, bound %g\n", way, channels, got[k] - y.v[k], most[k]);
                break;
            }
        hy_block_free(F, &net->base);
        hy_end(F);
        free(most);
        free(x.v);
        free(y.v);
    }
    CHECK(test_broken || !HY__SIMD || (seen[2] > 2 && seen[4] > 2));
    CHECK(hy_close(F) == 0);
}

/* --- threads --- */
static void lay_backwards(void *user, int64_t n, hy_item_fn fn, void *arg)
{
    ++*(int *)user;
    while (n-- > 0) fn(arg, n, (int)(n % 3));
}

static hy_array *lay_tower_forward(hy_frame *F, hy_block *self, hy_array *x);
typedef struct lay_tower {              /* all the ways there are, one after the other */
    hy_block  base;
    hy_array *first, *second, *deep, *grouped, *point, *bias;
    hy_dtype  dtype;
    int       extra;                    /* the weight of the last one is computed from parameters */
} lay_tower;

static hy_array *lay_conv_of(hy_frame *F, hy_array *x, hy_array *w, hy_array *bias, int filters, int kernel, int groups)
{
    lay_window o = lay_window_of(2, filters, kernel);
    o.pad[1] = o.pad[2] = kernel / 2;
    o.groups = groups;
    o.bias = bias != NULL;
    return lay_convolution(F, &o, x, w, bias);
}

static hy_array *lay_tower_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    lay_tower *t = (lay_tower *)(void *)self;
    hy_array *a = hy_relu(F, lay_conv_of(F, x, t->first, t->bias, 32, 5, 1)), *b, *c;
    b = hy_relu(F, hy_add(F, lay_conv_of(F, a, t->second, t->bias, 32, 3, 1), a));
    c = hy_clip(F, lay_conv_of(F, b, t->deep, t->bias, 32, 3, 32), 0, 6);
    c = hy_add(F, b, lay_conv_of(F, c, t->grouped, NULL, 32, 3, 2));
    return hy_group(F, lay_conv_of(F, c, t->extra ? hy_mul_scalar(F, t->point, 2) : t->point, NULL, 40, 1, 1), b);
}

static hy_array *lay_tower_param(hy_frame *F, lay_tower *t, const char *name, hy_shape shape)
{
    hy_param_opt o;
    memset(&o, 0, sizeof o);
    o.dtype = t->dtype;
    return hy_add_param(F, &t->base, name, shape, &o);
}

static lay_tower *lay_tower_new(hy_frame *F, hy_dtype dtype)
{
    lay_tower *t = (lay_tower *)(void *)hy_block_new(F, sizeof *t, "tower", lay_tower_forward, 1);
    t->dtype = dtype;
    t->first = lay_tower_param(F, t, "first", HY_SHAPE(32, 3, 5, 5));
    t->second = lay_tower_param(F, t, "second", HY_SHAPE(32, 32, 3, 3));
    t->deep = lay_tower_param(F, t, "deep", HY_SHAPE(32, 1, 3, 3));
    t->grouped = lay_tower_param(F, t, "grouped", HY_SHAPE(32, 16, 3, 3));
    t->point = lay_tower_param(F, t, "point", HY_SHAPE(40, 32, 1, 1));
    t->bias = lay_tower_param(F, t, "bias", HY_SHAPE(32));
    hy_initialize(F, &t->base, NULL);
    return t;
}

static hy_array *lay_wave(hy_frame *F, hy_shape shape, double by)       /* smooth, not symmetric */
{
    return hy_sin(F, hy_mul_scalar(F, tb_ramp(F, shape), by));
}

static void lay_threads(void)
{
    static float want[2 * 40 * 30 * 26];
    static const int threads[] = { 1, 2, 3, 7, 3 };
    int k, calls = 0;
    for (k = 0; k < 5; k++) {
        hy_desc desc;
        hy_frame *F;
        lay_tower *t;
        hy_array *x, *y;
        memset(&desc, 0, sizeof desc);
        desc.threads = threads[k];
        desc.seed = 4;
        if (k == 4) { desc.parallel_for = lay_backwards; desc.parallel_user = &calls; }
        F = hy_open(&desc);
        t = lay_tower_new(F, HY_F32);
        hy_hybridize(F, &t->base, NULL);
        x = lay_wave(F, HY_SHAPE(2, 3, 30, 26), 70);
        y = hy_get(F, hy_call(F, &t->base, x), 0);
        if (k == 0) memcpy(want, hy_data(F, y), sizeof want);
        CHECK(y && hy_size(F, y) == 2 * 40 * 30 * 26 && !memcmp(want, hy_data(F, y), sizeof want));
        y = hy_get(F, hy_call(F, &t->base, x), 0);
        CHECK(y && !memcmp(want, hy_data(F, y), sizeof want));
        lay_laid = 0;
        lay_look(F, &t->base, x);
        CHECK(lay_laid == 5);
        CHECK(k < 4 || calls > 5);
        CHECK(hy_close(F) == 0);
    }
}

/* --- parameters, batches, frames, options --- */
static double lay_far(hy_frame *F, hy_array *a, hy_array *b)            /* largest difference over largest value */
{
    hy_array *error = hy_max(F, hy_abs(F, hy_sub(F, a, b)), HY_ALL, NULL);
    double far = hy_item(F, error);
    return hy_error(F) ? 1e9 : far / (hy_item(F, hy_max(F, hy_abs(F, b), HY_ALL, NULL)) + 1e-30);
}

/* Line by line and compiled are alike in both results. */
static int lay_agrees(hy_frame *F, lay_tower *t, hy_array *x, int off, int exact)
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
    same = lay_same(F, got, again) && lay_far(F, hy_get(F, got, 0), hy_get(F, want, 0)) < 1e-5 &&
           lay_far(F, hy_get(F, got, 1), hy_get(F, want, 1)) < 1e-5;
    return OK(F) && same && (!exact || lay_same(F, got, want));
}

static void lay_parameters(void)
{
    hy_frame *F = tb_open(6), *G;
    lay_tower *t = lay_tower_new(F, HY_F32);
    hy_array *x = lay_wave(F, HY_SHAPE(2, 3, 9, 7), 20), *old, *now, *all[6];
    size_t packed;
    int i;
    all[0] = t->first, all[1] = t->second, all[2] = t->deep, all[3] = t->grouped, all[4] = t->point, all[5] = t->bias;
    CHECK(lay_agrees(F, t, x, 0, 0) && lay_agrees(F, t, x, 0, 1) && lay_agrees(F, t, x, HY_PASS_LAYOUT, 0));
    CHECK(lay_agrees(F, t, x, HY_PASS_PROLOGUE, 0) && lay_agrees(F, t, x, HY_PASS_FUSE, 0));
    t->extra = 1;
    CHECK(lay_agrees(F, t, x, 0, 0));
    hy_hybridize(F, &t->base, NULL);
    old = hy_call(F, &t->base, x);
    packed = hy_plan(F, &t->base, x).packed;
    CHECK(packed >= sizeof(float) * (32 * 75 + 32 * 32 * 9 + 32 * 9 + 32 * 16 * 9 + 40 * 32));
    CHECK(packed < sizeof(float) * (64 * 75 + 64 * 32 * 36 + 32 * 9 + 2 * 64 * 16 * 9 + 2 * 64 * 32) + 4096);
    for (i = 0; i < 6; i++) {                           /* prepared filters are made again */
        hy_array *y;
        hy_assign(F, all[i], hy_mul_scalar(F, hy_sin(F, hy_add_scalar(F, all[i], i)), .1));
        now = hy_call(F, &t->base, x);
        CHECK(OK(F) && !lay_same(F, old, now));
        old = now;
        y = lay_tower_forward(F, &t->base, x);
        CHECK(OK(F) && lay_far(F, hy_get(F, now, 0), hy_get(F, y, 0)) < 1e-5);
    }
    G = hy_fork(F);
    CHECK(lay_same(F, hy_call(G, &t->base, x), now));
    CHECK(hy_close(G) == 0);
    for (i = 1; i <= 4; i++) {                          /* programs of several sizes, one set of parameters */
        hy_array *z = lay_wave(F, HY_SHAPE(i, 3, 4 + 3 * i, 11 - i), 20), *y = hy_call(F, &t->base, z);
        CHECK(y && lay_far(F, hy_get(F, y, 0), hy_get(F, lay_tower_forward(F, &t->base, z), 0)) < 1e-5);
    }
    CHECK(lay_same(F, hy_call(F, &t->base, x), now));
    CHECK(hy_check(F, &t->base, x) == 0 && OK(F));
    CHECK(hy_close(F) == 0);
}

/* Other types keep the old way. */
static void lay_types(void)
{
    static const hy_dtype types[] = { HY_F64, HY_F16, HY_BF16 };
    int k;
    for (k = 0; k < 3; k++) {
        hy_frame *F = tb_open(2);
        lay_tower *t = lay_tower_new(F, types[k]);
        hy_array *x = hy_cast(F, lay_wave(F, HY_SHAPE(1, 3, 8, 9), 20), types[k]), *want = hy_call(F, &t->base, x);
        hy_hybridize(F, &t->base, NULL);
        lay_laid = 0;
        lay_look(F, &t->base, x);
        CHECK(lay_same(F, hy_call(F, &t->base, x), want) && OK(F) && lay_laid == 0);
        CHECK(hy_close(F) == 0);
    }
}

/* --- numbers that are none --- */
typedef struct lay_odd { hy_block base; hy_array *w, *b; int filters, kernel, groups, end; } lay_odd;
static hy_array *lay_odd_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    lay_odd *o = (lay_odd *)(void *)self;
    hy_array *y = lay_conv_of(F, x, o->w, o->b, o->filters, o->kernel, o->groups);
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
static void lay_not_numbers(void)
{
    static const struct { int channels, filters, kernel, groups; } some[] = {
        { 5, 7, 3, 1 }, { 20, 20, 3, 20 }, { 3, 33, 5, 1 }, { 5, 5, 3, 5 }, { 6, 24, 2, 2 } };
    int k, end, i, what;
    for (k = 0; k < 5; k++)
        for (end = 0; end < 6; end++)
            for (what = 0; what < 3; what++) {
                hy_frame *F = tb_open(2);
                lay_odd *o = (lay_odd *)(void *)hy_block_new(F, sizeof *o, "odd", lay_odd_forward, 1);
                hy_array *x = lay_wave(F, HY_SHAPE(2, some[k].channels, 9, 8), 40), *want, *got;
                float *v = (float *)hy_write(F, x);
                const float *p, *q;
                o->filters = some[k].filters;
                o->kernel = some[k].kernel;
                o->groups = some[k].groups;
                o->end = end;
                o->w = lay_wave(F, HY_SHAPE(o->filters, some[k].channels / o->groups, o->kernel, o->kernel), 30);
                o->b = lay_wave(F, HY_SHAPE(o->filters), 3);
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
                lay_laid = 0;
                lay_look(F, &o->base, x);
                CHECK(lay_laid == 1);
                CHECK(hy_close(F) == 0);
            }
}

/* --- nothing at all, and what is not moved --- */
typedef struct lay_empty { hy_block base; hy_array *w, *none; int way; } lay_empty;
static hy_array *lay_empty_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    lay_empty *e = (lay_empty *)(void *)self;
    hy_array *y = lay_conv_of(F, x, e->w, NULL, 5, 3, 1);
    switch (e->way) {
    case 1: return hy_concat(F, hy_group(F, y, hy_relu(F, y), e->none), 1);
    case 2: return hy_mul(F, y, e->none);
    case 3: return hy_concat(F, hy_group(F, y, hy_relu(F, y), e->none), -1);
    default: return y;
    }
}

static void lay_nothing(void)
{
    static const struct { int way, n, side, c, h, w; } some[] = {
        { 0, 0, 5, 0, 1, 1 }, { 0, 0, 1, 0, 1, 1 }, { 1, 1, 1, 0, 1, 1 }, { 1, 2, 4, 0, 4, 4 }, { 2, 1, 1, 1, 1, 0 },
        { 2, 1, 1, 5, 0, 1 }, { 2, 2, 4, 5, 4, 0 }, { 3, 1, 1, 5, 1, 0 }, { 3, 2, 4, 5, 4, 0 } };
    size_t k;
    for (k = 0; k < sizeof some / sizeof *some; k++) {
        hy_frame *F = tb_open(2);
        lay_empty *e = (lay_empty *)(void *)hy_block_new(F, sizeof *e, "empty", lay_empty_forward, 1);
        hy_array *x = hy_ones(F, HY_SHAPE(some[k].n, 3, some[k].side, some[k].side)), *want, *got;
        e->way = some[k].way;
        e->w = lay_wave(F, HY_SHAPE(5, 3, 3, 3), 30);
        e->none = hy_ones(F, HY_SHAPE(some[k].way == 2 ? 1 : some[k].n, some[k].c, some[k].h, some[k].w));
        want = hy_call(F, &e->base, x);
        if (some[k].way == 2 && some[k].side > 1) { CHECK(hy_error(F) != NULL); hy_clear(F); want = NULL; }
        if (want) {
            CHECK(OK(F));
            hy_hybridize(F, &e->base, NULL);
            got = hy_call(F, &e->base, x);
            if (!CHECK(!hy_error(F))) printf("    case %d: %s\n", (int)k, hy_error(F));
            else CHECK(hy_size(F, want) == hy_size(F, got) &&
                       (!hy_size(F, want) || lay_far(F, got, want) < 1e-5));
        }
        hy_clear(F);
        CHECK(hy_close(F) == 0);
    }
}

static void test_layout(void)
{
    RUN(lay_1d);
    RUN(lay_2d);
    RUN(lay_3d);
    RUN(lay_sweep);
    RUN(lay_windows);
    RUN(lay_nets);
    RUN(lay_squares);
    RUN(lay_threads);
    RUN(lay_parameters);
    RUN(lay_types);
    RUN(lay_not_numbers);
    RUN(lay_nothing);
}
