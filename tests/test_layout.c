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

static void test_layout(void)
{
    RUN(lay_1d);
    RUN(lay_2d);
    RUN(lay_3d);
    RUN(lay_sweep);
    RUN(lay_windows);
}
