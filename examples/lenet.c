/* cc -O2 examples/lenet.c -o lenet -lm -lpthread
 *
 * LeNet, with a parameter of its own beside its layers. Sizes that depend on the input are found in the first
 * call, which is also when those parameters get their values. */
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#include <stdio.h>

typedef struct {
    hy_block base;
    hy_block *conv1, *pool1, *conv2, *pool2, *fc1, *fc2;
    hy_array *fc3_weight;
} net;

static hy_array *forward(hy_frame *F, hy_block *block, hy_array *x)
{
    net *self = (net *)block;
    hy_dot_opt turned = { 0 };
    turned.transpose_b = 1;
    hy_print(F, x);
    x = hy_call(F, self->pool1, hy_relu(F, hy_call(F, self->conv1, x)));
    x = hy_call(F, self->pool2, hy_relu(F, hy_call(F, self->conv2, x)));
    x = hy_reshape(F, x, HY_INTS(0, -1), NULL);     /* 0: as it is; -1: what is left */
    x = hy_relu(F, hy_call(F, self->fc1, x));
    x = hy_relu(F, hy_call(F, self->fc2, x));
    return hy_dot(F, x, self->fc3_weight, &turned);
}

static hy_block *net_new(hy_frame *F)
{
    net *self = HY_BLOCK_NEW(F, net, forward);
    hy_block *base = (hy_block *)self;
    if (!self) return NULL;
    hy_name_scope(F, base);             /* names begin with net0_ */
    self->conv1 = hy_add_child(F, base, "conv1", hy_nn_conv2d(F, 6, HY_INTS(5), NULL));
    self->pool1 = hy_add_child(F, base, "pool1", hy_nn_max_pool2d(F, HY_INTS(2), NULL));
    self->conv2 = hy_add_child(F, base, "conv2", hy_nn_conv2d(F, 16, HY_INTS(5), NULL));
    self->pool2 = hy_add_child(F, base, "pool2", hy_nn_max_pool2d(F, HY_INTS(2), NULL));
    self->fc1 = hy_add_child(F, base, "fc1", hy_nn_dense(F, 120, NULL));
    self->fc2 = hy_add_child(F, base, "fc2", hy_nn_dense(F, 84, NULL));
    self->fc3_weight = hy_add_param(F, base, "fc3_weight", HY_SHAPE(10, 84), NULL);
    hy_name_scope_end(F);
    return base;
}

static void run(hy_frame *F, const char *how, hy_block *lenet, hy_array *x)
{
    hy_array *y = hy_call(F, lenet, x);
    printf("%s: (%d,%d), it begins %.3f %.3f %.3f\n", how, (int)hy_dim(F, y, 0), (int)hy_dim(F, y, 1),
           hy_value(F, y, 0, 0), hy_value(F, y, 0, 1), hy_value(F, y, 0, 2));
}

int main(void)
{
    hy_frame *F = hy_open(NULL);
    hy_hybridize_opt fixed = { 0 };
    hy_plan_info plan;
    hy_params params;
    hy_block *lenet;
    hy_array *x;
    int i;

    hy_seed(F, 42);
    lenet = net_new(F);
    hy_initialize(F, lenet, NULL);
    x = hy_cast(F, hy_randint(F, HY_SHAPE(16, 1, 28, 28), 0, 256), HY_F32);     /* grey pixels */

    run(F, "line by line", lenet, x);   /* prints x */
    run(F, "again", lenet, x);          /* prints x */
    hy_hybridize(F, lenet, NULL);
    run(F, "hybridized", lenet, x);     /* prints <Symbol data> */
    run(F, "again", lenet, x);          /* prints nothing */
    fixed.static_alloc = 1;
    hy_hybridize(F, lenet, &fixed);     /* and anew with other options */
    run(F, "static_alloc", lenet, x);
    fixed.static_shape = 1;
    hy_hybridize(F, lenet, &fixed);
    run(F, "static_shape", lenet, x);

    plan = hy_plan(F, lenet, x);
    printf("activations: %d bytes, planned: %d\n", (int)plan.unplanned, (int)plan.activations);
    params = hy_collect_params(F, lenet, NULL);
    for (i = 0; i < params.n; i++) printf("%s\n", hy_name_of(F, params.at[i]));
    hy_summary(F, lenet, x);            /* traces once more, for the shapes */

    if (hy_error(F)) fprintf(stderr, "%s\n", hy_error(F));
    return hy_close(F);
}
