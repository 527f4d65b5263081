/* cc -O2 examples/control_flow.c -o control_flow -lm -lpthread
 *
 * `for` and `if` of C happen while forward is traced; a program keeps hy_foreach, hy_while_loop and hy_cond. */
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

/* A body runs once for each row of x: the program holds it once, whatever the length. */
static hy_array *add(hy_frame *F, hy_array *row, hy_array *sum, void *user)
{
    (void)user;
    sum = hy_add(F, sum, row);
    return hy_group(F, sum, sum);               /* what this turn gives, and the state for the next one */
}

static hy_array *running_sum(hy_frame *F, hy_block *block, hy_array *x)
{
    (void)block;
    return hy_get(F, hy_foreach(F, add, x, hy_zeros(F, HY_SHAPE(1)), NULL), 0);
}

/* A loop that values end: i goes up to 5, s is the sum. */
static hy_array *at_most_5(hy_frame *F, hy_array *i_s, void *user)
{
    (void)user;
    return hy_lesser_equal_scalar(F, hy_get(F, i_s, 0), 5);
}

static hy_array *count(hy_frame *F, hy_array *i_s, void *user)
{
    hy_array *i = hy_get(F, i_s, 0), *s = hy_get(F, i_s, 1);
    (void)user;
    return hy_group(F, NULL, hy_group(F, hy_add_scalar(F, i, 1), hy_add(F, s, i)));
}

static hy_array *sum_to_5(hy_frame *F, hy_block *block, hy_array *i)
{
    (void)block;
    i = hy_group(F, i, hy_zeros_like(F, i));
    return hy_get(F, hy_while_loop(F, at_most_5, count, i, 100, NULL), 1);
}

/* A branch on a value. */
static hy_array *doubled(hy_frame *F, hy_array *x, void *user) { (void)user; return hy_mul_scalar(F, x, 2); }
static hy_array *negated(hy_frame *F, hy_array *x, void *user) { (void)user; return hy_negative(F, x); }

static hy_array *by_mean(hy_frame *F, hy_block *block, hy_array *x)
{
    (void)block;
    return hy_cond(F, hy_greater_scalar(F, hy_mean(F, x, HY_ALL, NULL), 0), doubled, negated, x, NULL);
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

    block = hybrid(F, running_sum);
    run(F, "foreach", block, x);
    run(F, "foreach", block, longer);
    hy_graph_text(hy_graph_of(F, block), HY_FORM_LINES, text, sizeof text);
    printf("traced %d time\n%s\n", (int)hy_cache_info(F, block).traces, text);
    run(F, "while_loop", hybrid(F, sum_to_5), hy_ones(F, HY_SHAPE(1)));
    block = hybrid(F, by_mean);
    run(F, "cond", block, longer);
    run(F, "cond", block, hy_negative(F, longer));
    return hy_close(F);
}
