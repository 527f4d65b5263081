/* cc -O2 examples/limitations.c -o limitations -lm -lpthread
 *
 * What forward cannot do while it is traced: each time the error, then the way round it. Operators always
 * work; reading, writing and asking about values that do not exist yet do not. See also control_flow.c. */
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#include <stdio.h>
#include <string.h>

enum {
    ELEMENT, SLICE, PICK, BY_DTYPE, BY_ARGUMENT, BY_CONTEXT, BY_SHAPE, RESHAPE, RESHAPE_LIKE, SET_ITEM, WHERE,
    ADD_TO, ASSIGN, ADD
};
typedef struct { hy_block base; int way, half; } attempt;

static hy_array *forward(hy_frame *F, hy_block *block, hy_array *x)
{
    static const float last_two[] = { 0, 1, 1 };
    attempt *self = (attempt *)block;
    hy_array *value;
    switch (self->way) {

    /* x[0, 0] would have to be known now. A slice, or one element per row, is taken when the program runs. */
    case ELEMENT: return hy_add_scalar(F, x, hy_value(F, x, 0, 0));
    case SLICE:   return hy_slice(F, x, HY_INTS(0, 0), HY_INTS(1, 1), NULL);
    case PICK:    return hy_pick(F, x, hy_slice_axis(F, hy_zeros_like(F, x), 1, 0, 1), 1, NULL);

    /* A symbol may have no type yet. What depends on it becomes an argument of the constructor: two nets. */
    case BY_DTYPE:    return hy_dtype_of(F, x) == HY_F16 ? x : hy_mul_scalar(F, x, 2);
    case BY_ARGUMENT: return self->half ? x : hy_mul_scalar(F, x, 2);

    /* Where values lie may be asked: there is no place but this. */
    case BY_CONTEXT:  return !strcmp(hy_context_of(F, x), "cpu(0)") ? hy_mul_scalar(F, x, 2) : x;

    /* Nor a shape. Reshape has codes: 0 for "as it is", -1 for "what is left". */
    case BY_SHAPE:     return hy_mul_scalar(F, x, (double)hy_dim(F, x, 0));
    case RESHAPE:      return hy_reshape(F, x, HY_INTS(0, 0, -1), NULL);
    case RESHAPE_LIKE: return hy_reshape_like(F, hy_reshape(F, x, HY_INTS(0, 0, -1), NULL), x, NULL);

    /* Nothing can be written into a symbol: choose between old and new instead. */
    case SET_ITEM: hy_set_value(F, x, 2, 0); return x;
    case WHERE:    value = hy_mul_scalar(F, hy_ones_like(F, x), 2);
                   return hy_where(F, hy_floats(F, HY_SHAPE(3), last_two), x, value);

    /* The same with a += b and a[:] = a + b. Write a = a + b. */
    case ADD_TO: hy_add_to(F, x, x); return x;
    case ASSIGN: hy_assign(F, x, hy_add(F, x, x)); return x;
    case ADD:    x = hy_add(F, x, x); return x;
    }
    return x;
}

/* The book's HybridNet; what it reads in its first line is there only when it runs line by line. */
typedef struct { hy_block base; hy_block *hidden, *output; int reads; } hybrid_net;

static hy_array *hybrid_net_forward(hy_frame *F, hy_block *block, hy_array *x)
{
    hybrid_net *self = (hybrid_net *)block;
    if (self->reads) hy_data(F, x);
    x = hy_relu(F, hy_call(F, self->hidden, x));
    return hy_call(F, self->output, x);
}

/* The values, or of many only the shape; or the error. */
static void show(hy_frame *F, const char *what, hy_array *x)
{
    int d;
    printf("%s: ", what);
    if (hy_error(F)) printf("%s\n", hy_error(F));
    else if (!strcmp(hy_mode(F), "symbol") || hy_size(F, x) < 10) hy_print(F, x);
    else {
        printf("shape");
        for (d = 0; d < hy_ndim(F, x); d++) printf(" %d", (int)hy_dim(F, x, d));
        printf("\n");
    }
    hy_clear(F);                        /* the error is forgotten, all goes on */
}

static hy_block *attempt_new(hy_frame *F, int way, int half)
{
    attempt *self = HY_BLOCK_NEW(F, attempt, forward);
    if (!self) return NULL;
    self->way = way;
    self->half = half;
    return &self->base;
}

/* Hybridized, and over a variable of which nothing is known. */
static void hybrid(hy_frame *F, const char *what, int way, hy_array *x)
{
    hy_block *block = attempt_new(F, way, hy_dtype_of(F, x) == HY_F16);
    hy_hybridize(F, block, NULL);
    show(F, what, hy_call(F, block, x));
}

static void symbolic(hy_frame *F, const char *what, int way)
{
    hy_frame *S = hy_symbolic(F);
    show(S, what, hy_call(S, attempt_new(F, way, 0), hy_var(S, "data", NULL)));
    hy_close(S);
}

static void reading_net(hy_frame *F, hy_array *x)
{
    hybrid_net *net = HY_BLOCK_NEW(F, hybrid_net, hybrid_net_forward);
    hy_init ones = hy_init_ones();
    if (!net) return;
    net->hidden = hy_add_child(F, &net->base, "hidden", hy_nn_dense(F, 10, NULL));
    net->output = hy_add_child(F, &net->base, "output", hy_nn_dense(F, 2, NULL));
    hy_initialize(F, &net->base, &ones);
    net->reads = 1;
    show(F, "line by line", hy_call(F, &net->base, x));
    hy_hybridize(F, &net->base, NULL);
    show(F, "hybridized", hy_call(F, &net->base, x));
    net->reads = 0;
    show(F, "without the line", hy_call(F, &net->base, x));
}

int main(void)
{
    static const float numbers[] = { 1, 2, 3, 4 };
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_floats(F, HY_SHAPE(3), numbers), *square = hy_floats(F, HY_SHAPE(2, 2), numbers);
    hy_array *deep = hy_zeros(F, HY_SHAPE(2, 3, 4, 5));

    hybrid(F, "x[0, 0]", ELEMENT, square);
    hybrid(F, "slice", SLICE, square);
    hybrid(F, "pick", PICK, square);
    symbolic(F, "dtype", BY_DTYPE);
    hybrid(F, "one net", BY_ARGUMENT, x);
    hybrid(F, "other net", BY_ARGUMENT, hy_cast(F, x, HY_F16));
    hybrid(F, "context", BY_CONTEXT, x);
    symbolic(F, "shape", BY_SHAPE);
    hybrid(F, "reshape", RESHAPE, deep);
    hybrid(F, "reshape_like", RESHAPE_LIKE, deep);
    symbolic(F, "over a variable", RESHAPE_LIKE);
    hybrid(F, "x[0] = 2", SET_ITEM, x);
    hybrid(F, "where", WHERE, x);
    reading_net(F, square);
    hybrid(F, "a += b", ADD_TO, x);
    hybrid(F, "a[:] = a + b", ASSIGN, x);
    hybrid(F, "a = a + b", ADD, x);
    return hy_close(F);
}
