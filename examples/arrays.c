/* cc -O2 examples/arrays.c -o arrays -lm -lpthread        Arrays, operators and a gradient, line by line. */
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#include <stdio.h>

int main(void)
{
    static const float numbers[] = { 1, 2, 3, 4, 5, 6 };
    hy_frame *F = hy_open(NULL);
    hy_array *a = hy_floats(F, HY_SHAPE(2, 3), numbers);
    hy_array *row = hy_arange(F, 10, 40, 10);
    hy_array *x, *y;

    hy_print(F, a);
    hy_print(F, hy_add(F, a, row));                             /* shapes broadcast, as in NumPy */
    hy_print(F, hy_sum(F, a, HY_AXES(0), NULL));
    hy_print(F, hy_dot(F, a, hy_transpose(F, a, HY_ALL), NULL));
    printf("a[1, -1] is %g\n", hy_value(F, a, 1, -1));

    x = hy_linspace(F, -1, 1, 5);                               /* y = x^3, dy/dx = 3 x^2 */
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_record(F);
    y = hy_mul(F, x, hy_square(F, x));
    hy_pause(F);
    hy_backward(F, y, NULL);
    hy_print(F, hy_grad_of(F, x));

    hy_add(F, a, y);                                            /* a mistake: it stays in the frame */
    printf("%s\n", hy_error(F));
    hy_clear(F);
    return hy_close(F);
}
