/* cc -O2 examples/control_flow.c -o control_flow -lm -lpthread
 *
 * `for` and `if` in forward are C: they happen while it is traced, and the program is what came of it. */
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#include <stdio.h>

typedef struct { hy_block base; int steps, shifted; } net;

/* A loop leaves as many copies of its body as it has steps; a condition on the block is decided for good. */
static hy_array *forward(hy_frame *F, hy_block *block, hy_array *x)
{
    net *self = (net *)block;
    int i;
    for (i = 0; i < self->steps; i++) x = hy_mul_scalar(F, x, 2);
    if (self->shifted) x = hy_add_scalar(F, x, 1);
    return x;
}

/* A condition on values cannot be decided while there are none. where chooses, element by element. */
static hy_array *if_positive(hy_frame *F, hy_block *block, hy_array *x)
{
    (void)block;
    return hy_item(F, hy_max(F, x, HY_ALL, NULL)) > 0 ? x : hy_zeros_like(F, x);
}

static hy_array *where_positive(hy_frame *F, hy_block *block, hy_array *x)
{
    (void)block;
    return hy_where(F, hy_greater_scalar(F, x, 0), x, hy_zeros_like(F, x));
}

/* A condition on the shape is decided by the shape at hand; another one is a reason to trace again. */
static hy_array *if_long(hy_frame *F, hy_block *block, hy_array *x)
{
    (void)block;
    return hy_dim(F, x, 0) > 3 ? hy_slice_axis(F, x, 0, 0, 3) : x;
}

static void run(hy_frame *F, const char *what, hy_block *block, hy_array *x)
{
    hy_array *y = hy_call(F, block, x);
    printf("%s: ", what);
    if (hy_error(F)) printf("%s\n", hy_error(F));
    else hy_print(F, y);
    hy_clear(F);
}

static hy_block *hybrid(hy_frame *F, hy_forward_fn fn)
{
    hy_block *block = hy_nn_hybrid_lambda(F, fn, "fn");
    hy_hybridize(F, block, NULL);
    return block;
}

int main(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_arange(F, -1, 2, 1), *longer = hy_arange(F, -1, 4, 1);
    net *doubling = HY_BLOCK_NEW(F, net, forward);
    hy_cache_stats cache;
    hy_block *block;
    char text[500] = "";
    if (!doubling) return hy_close(F);

    doubling->steps = 3;
    hy_hybridize(F, &doubling->base, NULL);
    run(F, "for", &doubling->base, x);
    hy_graph_text(hy_graph_of(F, &doubling->base), HY_FORM_LINES, text, sizeof text);
    printf("%s\n", text);

    doubling->steps = 1;
    doubling->shifted = 1;
    run(F, "changed", &doubling->base, x);
    hy_hybridize(F, &doubling->base, NULL);     /* forget the program */
    run(F, "hybridized again", &doubling->base, x);

    run(F, "if value", hybrid(F, if_positive), x);
    run(F, "where", hybrid(F, where_positive), x);

    block = hybrid(F, if_long);
    run(F, "if shape", block, x);
    run(F, "if shape", block, longer);
    run(F, "if shape", block, x);               /* both traces are kept */
    cache = hy_cache_info(F, block);
    printf("traced %d times, then because %s\n", (int)cache.traces, cache.reason);
    return hy_close(F);
}
