/* Calls of a hybridized network for an emulator that writes down every instruction: those between the last two visits
 * of next_call are a call's. Arguments: widths of the layers. */
#define HYBRID_OPS(X) X(fully_connected) X(activation) X(random_uniform)
#define HYBRID_NO_TRAIN
#define HYBRID_NO_IO
#define HYBRID_NO_RNN
#define HYBRID_NO_VISION
#define HYBRID_NO_THREADS
#define HYBRID_NO_INT8
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#include <stdlib.h>

__attribute__((noinline)) void next_call(hy_frame *F) { hy_begin(F); }

int main(int argc, char **argv)
{
    int widths[8] = { 4, 16, 2 }, layers = 3, i;
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_nn_dense_opt relu = { 0 };
    hy_array *x;
    if (argc > 2) for (layers = 0; layers + 1 < argc && layers < 8; layers++) widths[layers] = atoi(argv[layers + 1]);
    relu.activation = "relu";
    for (i = 1; i < layers; i++) hy_append(F, net, hy_nn_dense(F, widths[i], i + 1 < layers ? &relu : NULL));
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    x = hy_uniform(F, HY_SHAPE(1, widths[0]), -1, 1);
    for (i = 0; i < 7; i++) {
        next_call(F);
        hy_call(F, net, x);
        hy_end(F);
    }
    return hy_close(F);
}
