/* cc -O2 examples/mlp.c -o mlp -lm -lpthread
 *
 * A multilayer perceptron of ready-made layers, line by line and hybridized: the same result, sooner.
 * `mlp gluon` words the benchmark as Gluon's own documentation does. Where there is a C compiler, the same
 * program as machine code of its own comes third. */
#define HYBRID_IMPLEMENTATION
#define HYBRID_SOURCE
#include "../hybrid.h"
#include <stdio.h>
#include <string.h>

/* A factory: every call makes a network anew, with names of its own. */
static hy_block *get_net(hy_frame *F)
{
    hy_nn_dense_opt relu = { 0 };
    hy_block *net = hy_nn_hybrid_sequential(F);
    relu.activation = "relu";
    hy_append(F, net, hy_nn_dense(F, 256, &relu), hy_nn_dense(F, 128, &relu), hy_nn_dense(F, 2, NULL));
    hy_initialize(F, net, NULL);
    return net;
}

/* The same with activations that are layers; its parameters are those of `like`. */
static hy_block *get_twin(hy_frame *F, hy_block *like)
{
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_params from, to;
    int i;
    hy_append(F, net, hy_nn_dense(F, 256, NULL), hy_nn_activation(F, "relu"),
              hy_nn_dense(F, 128, NULL), hy_nn_activation(F, "relu"), hy_nn_dense(F, 2, NULL));
    from = hy_collect_params(F, like, NULL);
    to = hy_collect_params(F, net, NULL);
    for (i = 0; i < to.n; i++) hy_set_param(F, to.at[i], from.at[i]);
    return net;
}

/* Four digits; the very last ones depend on the processor. */
static void show(hy_frame *F, hy_array *y)
{
    printf("[[%.4f %.4f]]\n", hy_value(F, y, 0, 0), hy_value(F, y, 0, 1));
}

/* To rounding: a compiled product may take its sums in another order. */
static int same(hy_frame *F, hy_array *y, hy_array *z)
{
    return hy_item(F, hy_max(F, hy_abs(F, hy_sub(F, y, z)), HY_ALL, NULL)) < 1e-6;
}

static void benchmark(hy_frame *F, hy_block *net, hy_array *x, const char *description)
{
    hy_watch watch = hy_watch_start();
    int i;
    for (i = 0; i < 1000; i++) {
        hy_begin(F);
        hy_call(F, net, x);
        hy_end(F);
    }
    hy_wait_all(F);
    hy_watch_stop(watch, description);
}

int main(int argc, char **argv)
{
    int gluon = argc > 1 && !strcmp(argv[1], "gluon");
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *x = hy_normal(F, HY_SHAPE(1, 512), 0, 1), *y, *z;
    hy_block *net = get_net(F), *second, *twin;
    hy_hybridize_opt jit = { 0 };

    y = hy_call(F, net, x);
    show(F, y);
    hy_hybridize(F, net, NULL);
    z = hy_call(F, net, x);
    show(F, z);
    printf("hybridized, the same: %s\n", same(F, y, z) ? "yes" : "no");

    second = get_net(F);
    benchmark(F, second, x, gluon ? "before hybridizing" : "Without hybridization");
    hy_hybridize(F, second, NULL);
    benchmark(F, second, x, gluon ? "after hybridizing" : "With hybridization");
    jit.jit = 1;
    hy_hybridize(F, second, &jit);
    hy_call(F, second, x);                  /* compiled here, not in the loop */
    benchmark(F, second, x, gluon ? "after jit_compile" : "With jit_compile");
    hy_print(S, hy_call(S, second, hy_var(S, "data", NULL)));

    twin = get_twin(F, net);
    printf("activations apart, the same: %s\n", same(F, y, hy_call(F, twin, x)) ? "yes" : "no");
    hy_hybridize(F, twin, NULL);
    printf("and hybridized: %s\n", same(F, y, hy_call(F, twin, x)) ? "yes" : "no");

    if (hy_error(S)) hy_raise(F, hy_error_code(S), hy_error(S));
    if (hy_error(F)) fprintf(stderr, "%s\n", hy_error(F));
    hy_close(S);
    return hy_close(F);
}
