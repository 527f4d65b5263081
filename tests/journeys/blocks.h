/* What the blocks of README.md without a main find: a frame, a network, arrays and files by the names that they use. */
#include "hybrid.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hy_frame *F;
static hy_block *net, *small, *loss, *classifier;
static hy_array *x, *y, *label, *batch0, *batch1, *file;
static hy_trainer *T;
static hy_loader *train, *validation;
static size_t bytes;
static int batch_size, width = 48, height = 40;
static unsigned char pixels[40 * 48 * 3];

static void prepare(void)
{
    hy_optim_opt sgd;
    memset(&sgd, 0, sizeof sgd);
    F = hy_open(NULL);
    net = hy_nn_hybrid_sequential(F);
    hy_append(F, net, hy_nn_dense(F, 16, NULL), hy_nn_dense(F, 2, NULL));
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    batch_size = 2;
    x = hy_uniform(F, HY_SHAPE(2, 2, 6, 6), -1, 1);
    label = hy_randint(F, HY_SHAPE(2), 0, 2);
    batch0 = hy_uniform(F, HY_SHAPE(2, 2, 6, 6), -1, 1);
    batch1 = hy_uniform(F, HY_SHAPE(2, 2, 6, 6), -1, 1);
    y = hy_call(F, net, x);
    hy_export(F, net, "assets/enemy", 0);
    classifier = hy_nn_hybrid_sequential(F);
    hy_append(F, classifier, hy_nn_conv2d(F, 8, HY_INTS(3, 3), NULL), hy_nn_dense(F, 10, NULL));
    hy_initialize(F, classifier, NULL);
    for (batch_size = 0; batch_size < (int)sizeof pixels; batch_size++) pixels[batch_size] = (unsigned char)(batch_size * 7);
    batch_size = 2;
    loss = hy_loss_softmax_ce(F, NULL);
    T = hy_trainer_new(F, net, hy_optim_sgd(&sgd), NULL);
    train = hy_loader_new(F, hy_dataset_arrays(F, hy_group(F, x, label)), 2, NULL);
    validation = hy_loader_new(F, hy_dataset_arrays(F, hy_group(F, x, label)), 2, NULL);
}

static int done(void)
{
    if (hy_error(F)) fprintf(stderr, "%s\n", hy_error(F));
    return hy_close(F);
}
