/* cc -O1 tests/onnx_sizes.c -o onnx_sizes -lm -lpthread && ./onnx_sizes FOLDER [part of a name] [list]
 *
 * Runs the cases of a folder, as tests/onnx.c does, at sizes that are not their own: all dims of inputs that have one
 * size, and each dim alone, become two others. Where that runs line by line, programs that take on sizes must give
 * the bits of those compiled for each; where it does not, they must fail, too. A line for each case that does
 * otherwise; with "list" also one for each whose size was not taken on, and why. Then how many there were.
 */
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#define HYBRID_ONNX_IMPLEMENTATION
#include "../tools/onnx.h"
#include "onnx_case.h"
#include "onnx_names.h"

typedef struct { int cases, tried, open, taken, wrong, list; } sizes_count;

/* The numbers of an array, again and again, in another shape. */
static hy_array *sizes_filled(hy_frame *F, hy_array *x, hy_shape shape)
{
    const size_t each = hy_dtype_size(hy_dtype_of(F, x)), had = each * (size_t)hy_size(F, x);
    hy_array *y = hy_cast(F, hy_zeros(F, shape), hy_dtype_of(F, x));
    char *to = (char *)hy_write(F, y);
    const char *from = (const char *)hy_data(F, x);
    size_t i, bytes = each * (size_t)hy_size(F, y);
    for (i = 0; to && from && had && i < bytes; i += each) memcpy(to + i, from + i % had, each);
    return y;
}

/* The inputs of a case where dims of `from`, all or the one of input `only` at place d, are `to`. */
static hy_array *sizes_inputs(hy_frame *F, int n, hy_array *const *own, int64_t from, int only, int at, int64_t to)
{
    hy_array *in[ONNX_MOST];
    int i, d;
    for (i = 0; i < n; i++) {
        hy_shape shape;
        int changes = 0;
        in[i] = own[i];
        if (!own[i]) continue;
        shape = hy_shape_of(F, own[i]);
        for (d = 0; d < shape.ndim; d++)
            if (shape.dim[d] == from && (only < 0 || (only == i && at == d))) { shape.dim[d] = to; changes = 1; }
        if (changes) in[i] = sizes_filled(F, own[i], shape);
    }
    return n == 1 ? in[0] : hy_group_of(F, n, in);
}

static int sizes_same(hy_frame *F, hy_array *a, hy_array *b)
{
    int i, n = hy_count(F, a);
    if (!a || !b || n != hy_count(F, b)) return 0;
    for (i = 0; i < n; i++) {
        hy_array *x = n > 1 ? hy_get(F, a, i) : a, *y = n > 1 ? hy_get(F, b, i) : b;
        if (!x != !y) return 0;
        if (x && (!onnx__same_shape(hy_shape_of(F, x), hy_shape_of(F, y)) || hy_dtype_of(F, x) != hy_dtype_of(F, y) ||
                  memcmp(hy_data(F, x), hy_data(F, y), (size_t)hy_size(F, x) * hy_dtype_size(hy_dtype_of(F, x))))) return 0;
    }
    return 1;
}

/* A network of the case, whose inputs may have any sizes. way 0: line by line, 1: a program a size, 2: sized. */
static hy_block *sizes_net(hy_frame *F, const onnx_case *c, int way)
{
    char path[1200];
    hy_hybridize_opt opt = { 0 };
    hy_block *net;
    hy_type type;
    int i, d;
    snprintf(path, sizeof path, "%s/model.onnx", c->folder);
    net = hy_onnx_load(F, path);
    for (i = 0; net && !hy_onnx_input(net, i, NULL, &type); i++) {
        for (d = 0; d < type.shape.ndim; d++) type.shape.dim[d] = -1;
        hy_onnx_set_input(net, i, type.shape);
    }
    opt.off = way == 1 ? HY_PASS_SIZES : 0;
    if (net && way) hy_hybridize(F, net, &opt);
    return net;
}

static void sizes_try(const onnx_case *c, const char *name, int64_t from, int only, int at, sizes_count *count)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net[3];
    hy_array *own[ONNX_MOST];
    const char *input;
    char text[3][1500];
    int way, i, k, n = 0, runs = 0, wrong = 0;
    for (way = 0; way < 3; way++) net[way] = sizes_net(F, c, way);
    for (; net[0] && !hy_onnx_input(net[0], n, &input, NULL); n++)
        for (own[n] = NULL, i = 0; i < c->inputs; i++)
            if (c->input_set[i] == 0 && !strcmp(c->name[i], input)) own[n] = onnx_read_array(F, c, c->input[i]);
    for (k = 0; k < 4 && !hy_error(F) && n; k++) {
        const int64_t to = k == 1 ? from + 1 : k == 2 ? from + 3 : from;
        hy_array *x, *y[3];
        hy_begin(F);
        x = sizes_inputs(F, n, own, from, only, at, to);
        for (way = 0; way < 3 && !hy_error(F); way++) {
            hy_seed(F, 7);
            y[way] = hy_call(F, net[way], x);
            snprintf(text[way], sizeof text[way], "%.1400s", hy_error(F) ? hy_error(F) : "");
            hy_clear(F);
        }
        if (k == 1 || k == 2) runs += !*text[0];
        if (!*text[0] != !*text[2] || (!*text[0] && !sizes_same(F, y[1], y[2]))) {
            printf("%s: dims of %d become %d (%d %d): %s, where line by line %s\n", name, (int)from, (int)to, only, at,
                   *text[2] ? text[2] : "other bits than a program of its own", *text[0] ? text[0] : "it runs");
            wrong = 1;
        }
        hy_clear(F);
        hy_end(F);
        if (*text[0]) break;
    }
    if (net[2] && runs == 2) {
        const hy_cache_stats s = hy_cache_info(F, net[2]);
        count->open++;
        count->taken += s.resizes > 0;
        if (count->list && !s.resizes)
            printf("%s: %d (%d %d): %d traces, %d programs: %s %s\n", name, (int)from, only, at, s.traces, s.programs, s.bound, s.fixed);
    }
    count->tried++;
    count->wrong += wrong;
    hy_clear(F);
    hy_close(F);
}

/* All sizes of a case's inputs. */
static void sizes_case(const onnx_case *c, const char *name, sizes_count *count)
{
    hy_shape shape[ONNX_MOST];
    hy_frame *F = hy_open(NULL);
    int i, d, k, e, n = 0;
    hy_block *net = sizes_net(F, c, 0);
    const char *input;
    for (; net && !hy_onnx_input(net, n, &input, NULL); n++)
        for (shape[n].ndim = 0, i = 0; i < c->inputs; i++)
            if (c->input_set[i] == 0 && !strcmp(c->name[i], input)) shape[n] = hy_shape_of(F, onnx_read_array(F, c, c->input[i]));
    hy_close(F);
    for (i = 0; i < n; i++)
        for (d = 0; d < shape[i].ndim; d++) {
            int first = 1, others = 0;
            for (k = 0; k < n; k++)
                for (e = 0; e < shape[k].ndim; e++)
                    if (shape[k].dim[e] == shape[i].dim[d] && (k != i || e != d)) { others++; first &= k > i || (k == i && e > d); }
            if (shape[i].dim[d] < 2) continue;
            if (first) sizes_try(c, name, shape[i].dim[d], -1, 0, count);
            if (others) sizes_try(c, name, shape[i].dim[d], i, d, count);
        }
    count->cases++;
}

int main(int argc, char **argv)
{
    static onnx_case c;
    static char *names[5000];
    const char *folder = argc > 1 ? argv[1] : ".", *part = argc > 2 ? argv[2] : "";
    sizes_count count = { 0 };
    const int n = onnx_case_names(folder, part, names, 5000);
    int i;
    if (n < 0) { printf("%s is no folder\n", folder); return 1; }
    count.list = argc > 3;
    for (i = 0; i < n; i++) {
        snprintf(c.folder, sizeof c.folder, "%s/%s", folder, names[i]);
        if (onnx_read_case(&c)) sizes_case(&c, names[i], &count);
        fflush(stdout);
        free(names[i]);
    }
    printf("%d cases, %d sizes tried, %d of them open: %d taken on, %d wrong\n", count.cases, count.tried, count.open, count.taken, count.wrong);
    return count.wrong != 0;
}
