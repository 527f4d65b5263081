/* cc -O2 examples/export.c -o export -lm -lpthread && ./export
 *
 * A network leaves the program: as the two files that MXNet 1.x reads, and as one file. Both come back as blocks
 * that are called like any other, and the pair runs for a batch size that it was never traced for.
 */
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#include <stdio.h>
#include <string.h>

static hy_block *make_net(hy_frame *F)
{
    hy_nn_dense_opt relu = { 0 };
    hy_block *net = hy_nn_hybrid_sequential(F);
    relu.activation = "relu";
    hy_append(F, net, hy_nn_dense(F, 256, &relu), hy_nn_dense(F, 128, &relu), hy_nn_dense(F, 2, NULL));
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    return net;
}

static int same(hy_frame *F, hy_array *a, hy_array *b)
{
    const void *p = hy_data(F, a), *q = hy_data(F, b);
    return p && q && hy_size(F, a) == hy_size(F, b) && !memcmp(p, q, (size_t)hy_size(F, a) * sizeof(float));
}

int main(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *one = hy_normal(F, HY_SHAPE(1, 512), 0, 1), *many = hy_normal(F, HY_SHAPE(16, 512), 0, 1), *y;
    hy_block *net = make_net(F), *pair, *single;

    y = hy_call(F, net, one);                   /* traced: now there is a program to export */
    hy_export(F, net, "my_mlp", 0);             /* my_mlp-symbol.json and my_mlp-0000.params */
    hy_save_model(F, net, "my_mlp.hybrid");     /* both in one */

    pair = hy_import(F, "my_mlp", 0);
    single = hy_load_model(F, "my_mlp.hybrid");
    hy_hybridize(F, pair, NULL);
    hy_hybridize(F, single, NULL);

    printf("%.4f %.4f\n", hy_value(F, y, 0, 0), hy_value(F, y, 0, 1));   /* the last digits: the processor's */
    printf("the pair gives the same: %s\n", same(F, y, hy_call(F, pair, one)) ? "yes" : "no");
    printf("the single file: %s\n", same(F, y, hy_call(F, single, one)) ? "yes" : "no");
    printf("for 16 at once: %s\n", same(F, hy_call(F, net, many), hy_call(F, pair, many)) ? "yes" : "no");

    hy_load_parameters(F, make_net(F), "my_mlp-0000.params", NULL);     /* these names are another net's */
    printf("%s\n", hy_error(F));
    hy_clear(F);
    return hy_close(F);
}
