/* The library itself on a microcontroller: two dense layers of a HYBRID_OPS build, in one block of memory, against
 * plain loops. Says "firmware: right", and how much memory it took at most. */
#define HYBRID_OPS(X) X(fully_connected) X(activation) X(random_uniform)
#define HYBRID_NO_TEXT
#define HYBRID_PASSES HY_PASS_REUSE
#define HYBRID_TYPES (1 << HY_F32)
#define HYBRID_MAX_DIM 4
#define HYBRID_IMPLEMENTATION
#include "switches.h"
#include "hybrid.h"
#include <stdio.h>

static double block[6000];

static double away(hy_frame *F, hy_array *y, const float *want)
{
    double most = 0;
    int i;
    for (i = 0; i < 2; i++) {
        double d = fabs(hy_value(F, y, 0, i) - want[i]);
        if (!(d <= most)) most = d;
    }
    return most;
}

int main(void)
{
    hy_desc desc;
    hy_frame *F;
    hy_block *net, *hidden, *output;
    hy_array *x, *y;
    hy_nn_dense_opt relu;
    const float *in, *w, *v;
    float want[2] = { 0, 0 };
    double line, graph;
    int i, k;
    memset(&desc, 0, sizeof desc);
    memset(&relu, 0, sizeof relu);
    desc.memory = block;
    desc.memory_bytes = sizeof block;
    relu.activation = "relu";
    F = hy_open(&desc);
    net = hy_nn_hybrid_sequential(F);
    hidden = hy_nn_dense(F, 16, &relu);
    output = hy_nn_dense(F, 2, NULL);
    hy_append(F, net, hidden, output);
    hy_initialize(F, net, NULL);
    x = hy_uniform(F, HY_SHAPE(1, 4), -1, 1);
    y = hy_call(F, net, x);
    in = (const float *)hy_data(F, x);
    w = (const float *)hy_data(F, hy_param(F, hidden, "weight"));
    v = (const float *)hy_data(F, hy_param(F, output, "weight"));
    for (i = 0; w && v && i < 16; i++) {
        float sum = 0;
        for (k = 0; k < 4; k++) sum += w[4 * i + k] * in[k];
        for (k = 0; sum > 0 && k < 2; k++) want[k] += v[16 * k + i] * sum;
    }
    line = away(F, y, want);
    hy_hybridize(F, net, NULL);
    for (i = 0; i < 3; i++) y = hy_call(F, net, x);
    graph = away(F, y, want);
    if (hy_error(F)) printf("%s\n", hy_error(F));
    else printf("%.6f %.6f, %ld KB\n", want[0], want[1], (long)((hy_memory_use(F).peak + 1023) / 1024));
    printf("firmware: %s\n", !hy_error(F) && want[0] != 0 && line < 1e-6 && graph < 1e-6 ? "right" : "wrong");
    return hy_close(F);
}
