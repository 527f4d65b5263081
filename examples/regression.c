/* cc -O2 examples/regression.c -o regression -lm -lpthread     Linear regression by gradient descent. */
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#include <stdio.h>

int main(void)
{
    static const float slope[] = { 2.0f, -3.4f };
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_normal(F, HY_SHAPE(1000, 2), 0, 1);
    hy_array *noise = hy_normal(F, HY_SHAPE(1000), 0, 0.01);
    hy_array *y = hy_add(F, hy_add_scalar(F, hy_dot(F, x, hy_floats(F, HY_SHAPE(2), slope), NULL), 4.2), noise);
    hy_array *w = hy_zeros(F, HY_SHAPE(2)), *b = hy_zeros(F, HY_SHAPE(1));
    int epoch;

    hy_attach_grad(F, w, HY_GRAD_WRITE);
    hy_attach_grad(F, b, HY_GRAD_WRITE);
    for (epoch = 1; epoch <= 50; epoch++) {
        hy_array *guess, *loss;
        hy_begin(F);                                    /* what is made in here dies at hy_end */
        hy_record(F);
        guess = hy_add(F, hy_dot(F, x, w, NULL), b);
        loss = hy_mean(F, hy_square(F, hy_sub(F, guess, y)), HY_ALL, NULL);
        hy_pause(F);
        hy_backward(F, loss, NULL);
        hy_sub_from(F, w, hy_mul_scalar(F, hy_grad_of(F, w), 0.1));
        hy_sub_from(F, b, hy_mul_scalar(F, hy_grad_of(F, b), 0.1));
        if (epoch % 10 == 0) printf("epoch %d, loss %f\n", epoch, hy_item(F, loss));
        hy_end(F);
    }
    printf("w is %.2f %.2f, b is %.2f\n", hy_value(F, w, 0), hy_value(F, w, 1), hy_value(F, b, 0));
    if (hy_error(F)) fprintf(stderr, "%s\n", hy_error(F));
    return hy_close(F);
}
