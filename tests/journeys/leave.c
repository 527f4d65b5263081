/* What users do first: a network is fitted, leaves the program in every way, and comes back in another one.
 *     leave fit NET PREFIX     fits it, writes PREFIX-symbol.json and PREFIX-0000.params, PREFIX.hybrid, PREFIX.c, and the
 *                              same of a copy in int8; what it gives for a batch in PREFIX-is.npz
 *     leave back PREFIX        reads them: line by line, compiled, bound, fewer rows; writes PREFIX.c again
 * NET: mlp, loop, norm or image. */
#define HYBRID_SOURCE
#include "../../hybrid.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 6, SAMPLES = 48 };

/* A recurrent layer of one's own, a turn for each step of (rows, steps, numbers), then a dense one. */
typedef struct { hy_block base; hy_block *in, *again, *out; } looped;

static hy_array *turn(hy_frame *F, hy_array *x, hy_array *state, void *user)
{
    looped *net = (looped *)user;
    state = hy_tanh(F, hy_add(F, hy_call(F, net->in, x), hy_call(F, net->again, state)));
    return hy_group(F, state, state);
}

static hy_array *loop_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    looped *net = (looped *)self;
    hy_array *first = hy_call(F, net->in, hy_reshape(F, hy_slice_axis(F, x, 1, 0, 1), HY_INTS(0, -1), NULL));
    hy_array *all = hy_foreach(F, turn, hy_swap_axes(F, x, 0, 1), hy_zeros_like(F, first), net);
    return hy_call(F, net->out, hy_get(F, all, 1));
}

static hy_block *make_loop(hy_frame *F)
{
    looped *net = HY_BLOCK_NEW(F, looped, loop_forward);
    if (!net) return NULL;
    net->in = hy_add_child(F, &net->base, "in", hy_nn_dense(F, 8, NULL));
    net->again = hy_add_child(F, &net->base, "again", hy_nn_dense(F, 8, NULL));
    net->out = hy_add_child(F, &net->base, "out", hy_nn_dense(F, 3, NULL));
    return &net->base;
}

static hy_block *make(hy_frame *F, const char *kind)
{
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_nn_dense_opt relu = { 0 };
    hy_nn_conv_opt conv = { 0 };
    relu.activation = conv.activation = "relu";
    if (!strcmp(kind, "loop")) return make_loop(F);
    if (!strcmp(kind, "norm"))
        hy_append(F, net, hy_nn_dense(F, 16, NULL), hy_nn_batch_norm(F, NULL), hy_nn_activation(F, "relu"),
                  hy_nn_dropout(F, 0.5, NULL), hy_nn_dense(F, 3, NULL));
    else if (!strcmp(kind, "image"))
        hy_append(F, net, hy_nn_conv2d(F, 8, HY_INTS(3), NULL), hy_nn_batch_norm(F, NULL), hy_nn_activation(F, "relu"),
                  hy_nn_max_pool2d(F, HY_INTS(2), NULL), hy_nn_conv2d(F, 8, HY_INTS(2), &conv), hy_nn_dense(F, 3, NULL));
    else hy_append(F, net, hy_nn_dense(F, 16, &relu), hy_nn_dense(F, 3, NULL));
    return net;
}

static hy_array *make_data(hy_frame *F, const char *kind)
{
    if (!strcmp(kind, "loop")) return hy_uniform(F, HY_SHAPE(SAMPLES, 5, 4), -1, 1);
    if (!strcmp(kind, "image")) return hy_uniform(F, HY_SHAPE(SAMPLES, 1, 8, 8), -1, 1);
    return hy_uniform(F, HY_SHAPE(SAMPLES, 7), -1, 1);
}

static const char *file(const char *prefix, const char *ending)
{
    static char name[16][500];
    static int next;
    next = (next + 1) % 16;
    snprintf(name[next], sizeof name[0], "%s%s", prefix, ending);
    return name[next];
}

static int failed;
static void expect(hy_frame *F, const char *prefix, const char *what, int right)
{
    if (hy_error(F)) printf("FAILED %s: %s: %s\n", prefix, what, hy_error(F));
    else printf("%s %s: %s\n", right ? "ok" : "FAILED", prefix, what);
    if (hy_error(F) || !right) failed = 1;
    hy_clear(F);
}

/* 2 where all bits agree, 1 where it is rounding. */
static int agree(hy_frame *F, hy_array *a, hy_array *b)
{
    const float *p = (const float *)hy_data(F, a), *q = (const float *)hy_data(F, b);
    int64_t n = hy_size(F, a), i;
    int same = 2;
    if (!p || !q || n != hy_size(F, b)) return 0;
    for (i = 0; i < n; i++) {
        float off = p[i] > q[i] ? p[i] - q[i] : q[i] - p[i];
        if (!(off <= 1e-5f + 1e-5f * (p[i] > 0 ? p[i] : -p[i]))) return 0;
        if (off != 0) same = 1;
    }
    return same;
}

static void write_floats(hy_frame *F, const char *name, hy_array *x)
{
    FILE *f = fopen(name, "wb");
    const void *data = hy_data(F, x);
    if (f && data) fwrite(data, sizeof(float), (size_t)hy_size(F, x), f);
    if (f) fclose(f);
}

/* All ways out, and what it gives. */
static void leave(hy_frame *F, hy_block *net, hy_array *x, const char *prefix)
{
    hy_array *y, *both[2];
    const char *names[2] = { "x", "y" };
    hy_arrays is;
    hy_export_c_opt opt = { 0 };
    expect(F, prefix, "exported", !hy_export(F, net, prefix, 0));
    expect(F, prefix, "saved", !hy_save_model(F, net, file(prefix, ".hybrid")));
    opt.prefix = "net";
    opt.header = file(prefix, ".h");
    expect(F, prefix, "written as C", !hy_export_c(F, net, x, file(prefix, ".c"), &opt));
    y = hy_call(F, net, x);
    both[0] = x;
    both[1] = y;
    is.n = 2;
    is.at = both;
    is.name = names;
    hy_save(F, file(prefix, "-is.npz"), is);
    write_floats(F, file(prefix, ".in"), x);
    write_floats(F, file(prefix, ".out"), y);
    expect(F, prefix, "its numbers are kept", y != NULL);
}

static int fit(const char *kind, const char *prefix)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = make(F, kind), *small;
    hy_array *x = make_data(F, kind), *few = hy_slice_axis(F, x, 0, 0, ROWS);
    hy_array *label = hy_randint(F, HY_SHAPE(SAMPLES), 0, 3);
    hy_loader *batches = hy_loader_new(F, hy_dataset_arrays(F, hy_group(F, x, label)), 8, NULL);
    hy_optim_opt sgd = { 0 };
    hy_quantize_report report;
    hy_quantize_opt opt = { 0 };

    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    hy_fit(F, net, hy_loss_softmax_ce(F, NULL), hy_trainer_new(F, net, hy_optim_sgd(&sgd), NULL), batches, NULL, NULL);
    leave(F, net, few, prefix);
    opt.report = &report;
    opt.all = 1;
    small = hy_quantize(F, net, x, &opt);
    expect(F, prefix, "in int8", small && report.layers > 0);
    hy_hybridize(F, small, NULL);
    hy_call(F, small, few);
    leave(F, small, few, file(prefix, "_int8"));
    hy_close(F);
    return failed;
}

static void back_as(hy_frame *F, hy_block *net, hy_array *x, hy_array *y, const char *prefix, const char *how)
{
    int whole = strstr(prefix, "_int8") != NULL;
    hy_array *few = hy_slice_axis(F, x, 0, 0, 2), *of_few = hy_slice_axis(F, y, 0, 0, 2), *got;
    hy_export_c_opt opt = { 0 };
    size_t bytes;
    void *memory;
    expect(F, prefix, file(how, ", line by line"), agree(F, hy_call(F, net, x), y) > whole);
    hy_hybridize(F, net, NULL);
    got = hy_call(F, net, x);
    expect(F, prefix, file(how, ", compiled: the same bits"), agree(F, got, y) == 2);
    expect(F, prefix, file(how, ", two rows"), agree(F, hy_call(F, net, few), of_few) > whole);
    bytes = hy_plan(F, net, x).total;
    memory = malloc(bytes);
    expect(F, prefix, file(how, ", bound"), !hy_bind(F, net, x, memory, bytes));
    hy_begin(F);                                /* its buffer has room for one set of results */
    expect(F, prefix, file(how, ", bound: the same bits"), agree(F, hy_call(F, net, x), y) == 2);
    hy_end(F);
    opt.prefix = "net";
    expect(F, prefix, file(how, ", written as C"), !hy_export_c(F, net, x, file(prefix, file(how, ".c")), &opt));
    hy_block_free(F, net);
    free(memory);
}

static int back(const char *prefix)
{
    hy_frame *F = hy_open(NULL);
    hy_arrays both = hy_load(F, file(prefix, "-is.npz"));
    expect(F, prefix, "its numbers are there", both.n == 2);
    if (failed) return 1;
    back_as(F, hy_import(F, prefix, 0), both.at[0], both.at[1], prefix, "_pair");
    back_as(F, hy_load_model(F, file(prefix, ".hybrid")), both.at[0], both.at[1], prefix, "_single");
    hy_close(F);
    return failed;
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "fit")) return fit(argv[2], argv[3]);
    if (argc == 3 && !strcmp(argv[1], "back")) return back(argv[2]);
    return 2;
}
