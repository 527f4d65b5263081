/* cc -O2 examples/train.c -o train -lm -lpthread && ./train
 *
 * Two spirals, told apart: a network with batch norm is trained by a loop over its parameters, compiled. Each step
 * records a call, asks for gradients, moves every parameter that has one. What the step made dies with it.
 */
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#include <math.h>
#include <stdio.h>

enum { POINTS = 200, STEPS = 400 };

static hy_block *make_net(hy_frame *F)
{
    hy_nn_dense_opt tanh_of = { 0 };
    hy_block *net = hy_nn_hybrid_sequential(F);
    tanh_of.activation = "tanh";
    hy_append(F, net, hy_nn_dense(F, 32, &tanh_of), hy_nn_batch_norm(F, NULL),
              hy_nn_dense(F, 32, &tanh_of), hy_nn_dense(F, 2, NULL));
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    return net;
}

/* Point i lies on arm i % 2, which is also its label. */
static void make_data(hy_frame *F, hy_array **x, hy_array **label)
{
    static float at[POINTS][2], arm[POINTS];
    int i;
    for (i = 0; i < POINTS; i++) {
        double along = (double)i / POINTS, turn = 1 + 5 * along + 3.14159265 * (i % 2);
        at[i][0] = (float)(3 * along * cos(turn));
        at[i][1] = (float)(3 * along * sin(turn));
        arm[i] = (float)(i % 2);
    }
    *x = hy_floats(F, HY_SHAPE(POINTS, 2), &at[0][0]);
    *label = hy_floats(F, HY_SHAPE(POINTS), arm);
}

/* Mean of -log p(label). */
static hy_array *cross_entropy(hy_frame *F, hy_array *scores, hy_array *label)
{
    hy_array *right = hy_pick(F, hy_log_softmax(F, scores, -1, NULL), label, 1, NULL);
    return hy_negative(F, hy_mean(F, right, HY_ALL, NULL));
}

/* Running statistics have no gradient; they are written by the call itself. */
static void step(hy_frame *F, hy_params params, double rate)
{
    int i;
    for (i = 0; i < params.n; i++) {
        hy_array *slope = hy_grad_of(F, params.at[i]);
        if (slope) hy_sub_from(F, params.at[i], hy_mul_scalar(F, slope, rate));
    }
}

int main(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = make_net(F);
    hy_array *x, *label, *guess;
    hy_params params;
    int i;

    make_data(F, &x, &label);
    hy_call(F, net, x);                         /* finds the shapes that parameters left open */
    params = hy_collect_params(F, net, NULL);   /* before the loop: such a list lives until its hy_end */
    for (i = 0; i <= STEPS; i++) {
        hy_array *loss;
        hy_begin(F);
        hy_record(F);                           /* what is recorded runs in training mode */
        loss = cross_entropy(F, hy_call(F, net, x), label);
        hy_pause(F);
        hy_backward(F, loss, NULL);
        step(F, params, 0.5);
        if (i % 100 == 0) printf("step %3d, loss %.2f\n", i, hy_item(F, loss));
        hy_end(F);
    }
    guess = hy_argmax(F, hy_call(F, net, x), 1, NULL);
    printf("right: %.0f of %d\n", hy_item(F, hy_sum(F, hy_equal(F, guess, label), HY_ALL, NULL)), POINTS);
    hy_save_parameters(F, net, "spirals.params", NULL);
    if (hy_error(F)) fprintf(stderr, "%s\n", hy_error(F));
    return hy_close(F);
}
