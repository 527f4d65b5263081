/* cc -O2 examples/imperative.c -o imperative -lm -lpthread
 *
 * Imperative programming: every line computes when it is reached. e, f and g are arrays with values, to be
 * printed or looked at in a debugger. symbolic.c has the same function as a program that is compiled. */
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#include <stdio.h>

static hy_array *add(hy_frame *F, hy_array *a, hy_array *b)
{
    return hy_add(F, a, b);
}

static hy_array *fancy_func(hy_frame *F, hy_array *a, hy_array *b, hy_array *c, hy_array *d)
{
    hy_array *e = add(F, a, b);
    hy_array *f = add(F, c, d);
    hy_array *g = add(F, e, f);
    return g;
}

int main(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *sum = fancy_func(F, hy_scalar(F, 1), hy_scalar(F, 2), hy_scalar(F, 3), hy_scalar(F, 4));

    printf("%g\n", hy_item(F, sum));
    if (hy_error(F)) fprintf(stderr, "%s\n", hy_error(F));
    return hy_close(F);
}
