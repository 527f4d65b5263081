/* cc -O2 examples/zoo.c -o zoo -lm -lpthread
 * Famous convolutional networks in a few lines each, run line by line and hybridized, compared and timed.
 * `./zoo full` takes their real widths and images of 224 x 224. zoo_sequence.c has networks for sequences.
 */
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#include <stdio.h>
#include <string.h>

#define ROW(F, ...) hy_append(F, hy_nn_hybrid_sequential(F), __VA_ARGS__)
static int shrink = 8;                                  /* widths are divided by it */

static hy_block *conv(hy_frame *F, int channels, int kernel, int stride, int pad, const char *activation)
{
    hy_nn_conv_opt o = {0};
    o.strides = HY_INTS(stride);
    o.padding = HY_INTS(pad);
    o.activation = activation;
    return hy_nn_conv2d(F, channels / shrink, HY_INTS(kernel), &o);
}

static hy_block *pool(hy_frame *F, int window, int pad)
{
    hy_nn_pool_opt o = {0};
    o.strides = HY_INTS(2);
    o.padding = HY_INTS(pad);
    return hy_nn_max_pool2d(F, HY_INTS(window), &o);
}

static hy_block *norm(hy_frame *F) { return ROW(F, hy_nn_batch_norm(F, NULL), hy_nn_activation(F, "relu")); }

/* What AlexNet and VGG end in. */
static hy_block *classifier(hy_frame *F)
{
    hy_nn_dense_opt o = {0};
    o.activation = "relu";
    return ROW(F, hy_nn_dense(F, 4096 / shrink, &o), hy_nn_dropout(F, 0.5, NULL),
               hy_nn_dense(F, 4096 / shrink, &o), hy_nn_dropout(F, 0.5, NULL), hy_nn_dense(F, 10, NULL));
}

static hy_block *alexnet(hy_frame *F)
{
    return ROW(F, conv(F, 96, 11, 4, 0, "relu"), pool(F, 3, 0), conv(F, 256, 5, 1, 2, "relu"), pool(F, 3, 0),
               conv(F, 384, 3, 1, 1, "relu"), conv(F, 384, 3, 1, 1, "relu"), conv(F, 256, 3, 1, 1, "relu"),
               pool(F, 3, 0), classifier(F));
}

static hy_block *vgg11(hy_frame *F)
{
    static const int widths[] = { 64, 0, 128, 0, 256, 256, 0, 512, 512, 0, 512, 512, 0 };   /* 0 pools */
    hy_block *net = hy_nn_hybrid_sequential(F);
    size_t i;
    for (i = 0; i < sizeof widths / sizeof *widths; i++)
        hy_append(F, net, widths[i] ? conv(F, widths[i], 3, 1, 1, "relu") : pool(F, 2, 0));
    return hy_append(F, net, classifier(F));
}

static hy_block *nin_block(hy_frame *F, int channels, int kernel, int stride, int pad)
{
    return ROW(F, conv(F, channels, kernel, stride, pad, "relu"), conv(F, channels, 1, 1, 0, "relu"),
               conv(F, channels, 1, 1, 0, "relu"));
}

static hy_block *nin(hy_frame *F)
{
    return ROW(F, nin_block(F, 96, 11, 4, 0), pool(F, 3, 0), nin_block(F, 256, 5, 1, 2), pool(F, 3, 0),
               nin_block(F, 384, 3, 1, 1), pool(F, 3, 0), hy_nn_dropout(F, 0.5, NULL),
               nin_block(F, 10 * shrink, 3, 1, 1), hy_nn_global_avg_pool2d(F, NULL), hy_nn_flatten(F));
}

typedef struct { hy_block base; hy_block *body, *skip; } residual;
static hy_array *residual_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    residual *r = (residual *)self;
    return hy_relu(F, hy_add(F, hy_call(F, r->body, x), hy_call(F, r->skip, x)));
}

static hy_block *residual_new(hy_frame *F, int channels, int stride, int widens)
{
    residual *r = HY_BLOCK_NEW(F, residual, residual_forward);
    hy_block *skip = widens ? conv(F, channels, 1, stride, 0, NULL) : hy_nn_identity(F);
    hy_block *body = ROW(F, conv(F, channels, 3, stride, 1, NULL), norm(F), conv(F, channels, 3, 1, 1, NULL),
                         hy_nn_batch_norm(F, NULL));
    if (!r) return NULL;
    r->body = hy_add_child(F, &r->base, "body", body);
    r->skip = hy_add_child(F, &r->base, "skip", skip);
    return &r->base;
}

static hy_block *resnet18(hy_frame *F)
{
    hy_block *net = ROW(F, conv(F, 64, 7, 2, 3, NULL), norm(F), pool(F, 3, 1));
    int i;
    for (i = 0; i < 4; i++)
        hy_append(F, net, residual_new(F, 64 << i, i ? 2 : 1, i > 0), residual_new(F, 64 << i, 1, 0));
    return hy_append(F, net, hy_nn_global_avg_pool2d(F, NULL), hy_nn_dense(F, 10, NULL));
}

static hy_block *densenet(hy_frame *F)
{
    hy_block *net = ROW(F, conv(F, 64, 7, 2, 3, NULL), norm(F), pool(F, 3, 1));
    int channels = 64, i, k;
    for (i = 0; i < 4; i++) {
        if (i) hy_append(F, net, norm(F), conv(F, channels /= 2, 1, 1, 0, NULL),
                         hy_nn_avg_pool2d(F, HY_INTS(2), NULL));
        for (k = 0; k < 4; k++, channels += 32)         /* what came in, and 32 channels made of it */
            hy_append(F, net, hy_append(F, hy_nn_hybrid_concurrent(F, 1), hy_nn_identity(F),
                                        ROW(F, norm(F), conv(F, 32, 3, 1, 1, NULL))));
    }
    return hy_append(F, net, norm(F), hy_nn_global_avg_pool2d(F, NULL), hy_nn_dense(F, 10, NULL));
}

static void visit(hy_frame *F, const char *name, hy_block *net, hy_array *x)
{
    hy_init xavier = hy_init_xavier(NULL);
    hy_array *y[2], *apart;
    int i;
    hy_begin(F);
    hy_initialize(F, net, &xavier);
    hy_set_training(F, 1);
    hy_call(F, net, x);                                 /* batch norm meets some statistics */
    hy_set_training(F, 0);
    printf("%s\n", name);
    for (i = 0; i < 2; i++) {
        hy_watch watch;
        if (i) hy_hybridize(F, net, NULL);
        hy_call(F, net, x);                             /* the first call traces */
        watch = hy_watch_start();
        y[i] = hy_call(F, net, x);
        hy_watch_stop(watch, i ? "    hybridized" : "    line by line");
    }
    apart = hy_div(F, hy_norm(F, hy_sub(F, y[0], y[1]), HY_ALL, NULL), hy_norm(F, y[0], HY_ALL, NULL));
    printf("    same within 1e-5: %s\n", hy_item(F, apart) <= 1e-5 && !hy_error(F) ? "yes" : "no");
    hy_end(F);
    hy_block_free(F, net);
}

int main(int argc, char **argv)
{
    int full = argc > 1 && !strcmp(argv[1], "full");
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_normal(F, full ? HY_SHAPE(1, 3, 224, 224) : HY_SHAPE(1, 3, 96, 96), 0, 1);
    if (full) shrink = 1;
    visit(F, "AlexNet", alexnet(F), x);
    visit(F, "VGG-11", vgg11(F), x);
    visit(F, "NiN", nin(F), x);
    visit(F, "ResNet-18", resnet18(F), x);
    visit(F, "DenseNet", densenet(F), x);
    if (hy_error(F)) fprintf(stderr, "%s\n", hy_error(F));
    return hy_close(F);
}
