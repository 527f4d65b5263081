/* cc -O2 examples/inception.c -o inception -lm -lpthread
 *
 * GoogLeNet: an Inception block looks at its input through windows of four sizes at once. Blocks side by side
 * are a HybridConcurrent, blocks in a row a HybridSequential; no forward of one's own is needed.
 */
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#include <stdio.h>
#include <string.h>

static hy_block *conv(hy_frame *F, int channels, int kernel, int stride)
{
    hy_nn_conv_opt o = {0};
    o.strides = HY_INTS(stride);
    o.padding = HY_INTS(kernel / 2);
    o.activation = "relu";
    return hy_nn_conv2d(F, channels, HY_INTS(kernel), &o);
}

static hy_block *pool(hy_frame *F, int stride)
{
    hy_nn_pool_opt o = {0};
    o.strides = HY_INTS(stride);
    o.padding = HY_INTS(1);
    return hy_nn_max_pool2d(F, HY_INTS(3), &o);
}

static hy_block *two(hy_frame *F, hy_block *first, hy_block *second)
{
    return hy_append(F, hy_nn_hybrid_sequential(F), first, second);
}

/* Channels of the four paths: 1x1; 1x1 and 3x3; 1x1 and 5x5; pooling and 1x1. */
typedef struct { int one, three_in, three, five_in, five, pooled; } paths;

static hy_block *inception(hy_frame *F, paths c)
{
    return hy_append(F, hy_nn_hybrid_concurrent(F, 1),                  /* joined along the channels */
                     conv(F, c.one, 1, 1),
                     two(F, conv(F, c.three_in, 1, 1), conv(F, c.three, 3, 1)),
                     two(F, conv(F, c.five_in, 1, 1), conv(F, c.five, 5, 1)),
                     two(F, pool(F, 1), conv(F, c.pooled, 1, 1)));
}

static hy_block *googlenet(hy_frame *F)
{
    static const paths table[] = {
        {  64,  96, 128, 16,  32,  32 }, { 128, 128, 192, 32,  96,  64 }, { 0, 0, 0, 0, 0, 0 },
        { 192,  96, 208, 16,  48,  64 }, { 160, 112, 224, 24,  64,  64 }, { 128, 128, 256, 24,  64,  64 },
        { 112, 144, 288, 32,  64,  64 }, { 256, 160, 320, 32, 128, 128 }, { 0, 0, 0, 0, 0, 0 },
        { 256, 160, 320, 32, 128, 128 }, { 384, 192, 384, 48, 128, 128 }
    };
    hy_block *net = hy_nn_hybrid_sequential(F);
    size_t i;
    hy_append(F, net, conv(F, 64, 7, 2), pool(F, 2), conv(F, 64, 1, 1), conv(F, 192, 3, 1), pool(F, 2));
    for (i = 0; i < sizeof table / sizeof *table; i++)                  /* a row of zeros halves the image */
        hy_append(F, net, table[i].one ? inception(F, table[i]) : pool(F, 2));
    return hy_append(F, net, hy_nn_global_avg_pool2d(F, NULL), hy_nn_dense(F, 10, NULL));
}

int main(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = googlenet(F);
    hy_init xavier = hy_init_xavier(NULL);
    hy_hybridize_opt exact = { 0 };
    hy_array *x = hy_normal(F, HY_SHAPE(1, 3, 96, 96), 0, 1), *by_line, *compiled;
    hy_plan_info plan;
    hy_params params;
    char text[1024];
    long long numbers = 0;
    int i;

    hy_initialize(F, net, &xavier);
    by_line = hy_call(F, net, x);                                       /* sizes are found here */
    exact.exact = 1;                                                    /* only what keeps every bit */
    hy_hybridize(F, net, &exact);
    compiled = hy_call(F, net, x);

    hy_block_text(F, hy_child(F, net, 5), text, sizeof text);
    printf("The first of nine Inception blocks:\n%s\n", text);
    params = hy_collect_params(F, net, NULL);
    for (i = 0; i < params.n; i++) numbers += hy_size(F, params.at[i]);
    printf("GoogLeNet has %lld numbers in %d parameters and gives %d scores.\n",
           numbers, params.n, (int)hy_size(F, compiled));
    if (!hy_error(F))
        printf("Hybridized, it gives the same bits: %s\n",
               memcmp(hy_data(F, by_line), hy_data(F, compiled), 10 * sizeof(float)) ? "no" : "yes");
    plan = hy_plan(F, net, x);
    printf("Planned, its activations take less than a quarter of the memory they would take one by one: %s\n",
           plan.activations < plan.unplanned / 4 ? "yes" : "no");
    if (hy_error(F)) fprintf(stderr, "%s\n", hy_error(F));
    return hy_close(F);
}
