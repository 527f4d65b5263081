/* A model in a second process: cc tests/load_model.c -o load_model -lm -lpthread
 *     ./load_model write DIR   makes networks, runs them, saves them in every form, and what they were given and gave
 *     ./load_model read DIR    loads them in a process that knows nothing of them, and compares to the bit
 *     ./load_model list PREFIX prints an exported pair as examples/read_model.py does */
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#include <stdio.h>
#include <string.h>

enum { NETS = 3 };

static hy_block *make(hy_frame *F, int k)
{
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_nn_dense_opt relu = { 0 };
    hy_nn_conv_opt conv = { 0 };
    relu.activation = conv.activation = "relu";
    if (k == 0) hy_append(F, net, hy_nn_dense(F, 5, &relu), hy_nn_batch_norm(F, NULL), hy_nn_dropout(F, 0.5, NULL),
                          hy_nn_dense(F, 3, NULL));
    if (k == 1) hy_append(F, net, hy_nn_conv2d(F, 4, HY_INTS(3), &conv), hy_nn_max_pool2d(F, HY_INTS(2), NULL),
                          hy_nn_dense(F, 6, NULL));
    if (k == 2) hy_append(F, net, hy_rnn_lstm(F, 4, NULL), hy_nn_dense(F, 2, NULL));
    return net;
}

static hy_array *input(hy_frame *F, int k)
{
    static const hy_shape shape[NETS] = { { 2, { 4, 7 } }, { 4, { 2, 1, 9, 9 } }, { 3, { 3, 2, 5 } } };
    return hy_normal(F, shape[k], 0, 1);
}

static const char *place(const char *dir, int k, const char *ending)
{
    static char path[1000];
    sprintf(path, "%.900s/net%d%s", dir, k, ending);
    return path;
}

static void write_all(hy_frame *F, const char *dir)
{
    static const char *const names[] = { "x", "y" };
    hy_array *at[2];
    hy_arrays all;
    int k;
    for (k = 0; k < NETS; k++) {
        hy_block *net = make(F, k);
        hy_initialize(F, net, NULL);
        hy_hybridize(F, net, NULL);
        at[0] = input(F, k);
        at[1] = hy_call(F, net, at[0]);
        all.n = 2;
        all.at = at;
        all.name = names;
        hy_save(F, place(dir, k, ".npz"), all);
        hy_save_model(F, net, place(dir, k, ".model"));
        hy_export(F, net, place(dir, k, ""), 0);
        hy_save_parameters(F, net, place(dir, k, ".params"), NULL);
        hy_save_parameters(F, net, place(dir, k, ".safetensors"), NULL);
    }
}

static int same(hy_frame *F, const char *what, hy_array *y, hy_array *want)
{
    const void *a = y ? hy_data(F, y) : NULL, *b = a ? hy_data(F, want) : NULL;
    if (b && hy_size(F, y) == hy_size(F, want) && !memcmp(a, b, 4 * (size_t)hy_size(F, y))) return 0;
    printf("%s: %s\n", what, hy_error(F) ? hy_error(F) : "other values");
    return 1;
}

static int read_all(hy_frame *F, const char *dir)
{
    int k, form, bad = 0;
    for (k = 0; k < NETS && !bad; k++) {
        hy_arrays all = hy_load(F, place(dir, k, ".npz"));
        hy_array *x = hy_array_named(F, all, "x"), *y = hy_array_named(F, all, "y");
        for (form = 0; form < 4; form++) {
            static const char *const ending[] = { ".model", "", ".params", ".safetensors" };
            hy_block *net = form == 0 ? hy_load_model(F, place(dir, k, ending[form]))
                : form == 1 ? hy_import(F, place(dir, k, ""), 0) : make(F, k);
            if (form > 1) hy_load_parameters(F, net, place(dir, k, ending[form]), NULL);
            bad += same(F, place(dir, k, ending[form]), hy_call(F, net, x), y);
            hy_hybridize(F, net, NULL);
            bad += same(F, place(dir, k, ending[form]), hy_call(F, net, x), y);
        }
    }
    return bad;
}

/* The sum of an array of a pair, under its name; 0: there is none. */
static int print_array(hy_frame *F, hy_arrays all, const char *name)
{
    char shape[100], *to = shape;
    hy_array *x = NULL;
    double sum = 0;
    int64_t i;
    int d;
    for (d = 0; d < all.n; d++) if (!strcmp(strchr(all.name[d], ':') + 1, name)) x = all.at[d];
    if (!x) return 0;
    for (d = 0; d < hy_ndim(F, x); d++) to += sprintf(to, "%s%d", d ? "x" : "", (int)hy_dim(F, x, d));
    for (i = 0; i < hy_size(F, x); i++) sum += ((const float *)hy_data(F, x))[i];
    printf("%-16s %-12s sum %.4f\n", name, shape, sum);
    return 1;
}

static void list(hy_frame *F, const char *prefix)
{
    char file[1000];
    hy_graph *g;
    hy_arrays all;
    hy_node node, from;
    int i, k, at;
    sprintf(file, "%.900s-symbol.json", prefix);
    g = hy_load_symbol(F, file);
    sprintf(file, "%.900s-0000.params", prefix);
    all = hy_load(F, file);
    for (i = 0; g && !hy_graph_node(g, i, &node); i++) {
        if (print_array(F, all, node.name)) continue;
        printf("%-16s %s", node.name, node.op ? node.op->mxnet : "input\n");
        for (k = 0; node.op && (at = hy_graph_input(g, i, k, NULL)) >= 0 && !hy_graph_node(g, at, &from); k++)
            printf("%s%s", k ? ", " : "(", from.name);
        if (node.op) puts(k ? ")" : "()");
    }
}

int main(int argc, char **argv)
{
    hy_frame *F = hy_open(NULL);
    int bad = 0;
    if (argc == 3 && !strcmp(argv[1], "write")) write_all(F, argv[2]);
    else if (argc == 3 && !strcmp(argv[1], "read")) bad = read_all(F, argv[2]);
    else if (argc == 3 && !strcmp(argv[1], "list")) list(F, argv[2]);
    else bad = puts("load_model write|read DIR, load_model list PREFIX") >= 0;
    if (hy_error(F)) puts(hy_error(F));
    bad += hy_error(F) != NULL;
    return hy_close(F) || bad;
}
