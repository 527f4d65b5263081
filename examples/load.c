/* cc -O2 examples/load.c -o load -lm -lpthread && ./load tests/golden/mxnet/bn
 *
 * A network that another program saved: the pair PREFIX-symbol.json and PREFIX-0000.params, here one that MXNet 1.9
 * wrote. Input and expected output come from .npy files that lie beside it. The network runs line by line, then
 * compiled, in a buffer of exactly the bytes that it asks for.
 */
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#include <stdio.h>
#include <stdlib.h>

static hy_array *load_array(hy_frame *F, const char *prefix, const char *ending)
{
    char file[500];
    hy_arrays found;
    snprintf(file, sizeof file, "%s-%s.npy", prefix, ending);
    found = hy_load(F, file);
    return found.n ? found.at[0] : NULL;
}

static void compare(hy_frame *F, const char *how, hy_array *y, hy_array *want)
{
    double off = hy_item(F, hy_max(F, hy_abs(F, hy_sub(F, y, want)), HY_ALL, NULL));
    if (!hy_error(F)) printf("%s: %s\n", how, off < 1e-5 ? "as MXNet computed" : "something else");
}

int main(int argc, char **argv)
{
    const char *prefix = argc > 1 ? argv[1] : "tests/golden/mxnet/bn";
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_import(F, prefix, 0);
    hy_array *x = load_array(F, prefix, "in0"), *want = load_array(F, prefix, "out0");
    hy_plan_info plan;
    void *buffer;
    int failed;
    char layers[4000];

    hy_block_text(F, net, layers, sizeof layers);
    printf("%s", hy_error(F) ? "" : layers);
    compare(F, "line by line", hy_call(F, net, x), want);
    hy_hybridize(F, net, NULL);
    plan = hy_plan(F, net, x);
    buffer = malloc(plan.total);
    hy_bind(F, net, x, buffer, plan.total);
    compare(F, "compiled, in a buffer of its own", hy_call(F, net, x), want);
    if (hy_error(F)) fprintf(stderr, "%s\n", hy_error(F));
    failed = hy_close(F);
    free(buffer);
    return failed;
}
