/* cc -O2 examples/train_to_c.c -o train_to_c -lm -lpthread
 *
 * Trains a small network, writes it as model.c, then has the system's compiler build and run that: one C file
 * without this library computes the same. */
#define HYBRID_IMPLEMENTATION
#define HYBRID_SOURCE
#include "../hybrid.h"
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 512 };

/* Points of a square, and in which of three rings around the middle each lies. */
static void make_data(hy_frame *F, hy_array **x, hy_array **label)
{
    hy_array *radius;
    *x = hy_uniform(F, HY_SHAPE(POINTS, 2), -1, 1);
    radius = hy_sqrt(F, hy_sum(F, hy_square(F, *x), HY_AXES(1), NULL));
    *label = hy_add(F, hy_greater_scalar(F, radius, 0.5), hy_greater_scalar(F, radius, 0.85));
}

static double accuracy(hy_frame *F, hy_block *net, hy_array *x, hy_array *label)
{
    hy_array *guess = hy_argmax(F, hy_call(F, net, x), 1, NULL);
    return hy_item(F, hy_mean(F, hy_equal(F, guess, label), HY_ALL, NULL));
}

int main(void)
{
    hy_desc desc = { 0 };
    hy_nn_dense_opt tanh_layer = { 0 };
    hy_frame *F;
    hy_block *net;
    hy_array *x, *label;
    hy_optim_opt adam = { 0 };
    hy_trainer *trainer;
    int step;

    desc.seed = 1;
    F = hy_open(&desc);
    net = hy_nn_hybrid_sequential(F);
    tanh_layer.activation = "tanh";
    hy_append(F, net, hy_nn_dense(F, 16, &tanh_layer), hy_nn_dense(F, 16, &tanh_layer), hy_nn_dense(F, 3, NULL));
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    make_data(F, &x, &label);
    adam.learning_rate = 0.02;
    trainer = hy_trainer_new(F, net, hy_optim_adam(&adam), NULL);
    for (step = 0; step < 150; step++) {
        hy_array *loss;
        hy_begin(F);
        hy_record(F);
        loss = hy_softmax_cross_entropy(F, hy_call(F, net, x), label);
        hy_pause(F);
        hy_backward(F, loss, NULL);
        hy_step(F, trainer, POINTS);
        hy_end(F);
    }
    printf("trained: %s\n", accuracy(F, net, x, label) > 0.9 ? "more than 90 % are right" : "that failed");

    hy_export_c(F, net, hy_uniform(F, HY_SHAPE(4, 2), -1, 1), "model.c", NULL);
    if (hy_error(F)) fprintf(stderr, "%s\n", hy_error(F));
    else if (system("cc -O2 -DMODEL_TEST model.c -o model_test -lm")) puts("no compiler is here to try model.c");
    else puts(system("./model_test > model_test.log") ? "model.c computes something else" : "model.c computes the same");
    return hy_close(F);
}
