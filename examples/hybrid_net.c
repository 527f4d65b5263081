/* cc -O2 examples/hybrid_net.c -o hybrid_net -lm -lpthread
 *
 * A network of one's own: a struct that begins with hy_block, and a forward. What forward prints tells when
 * it runs, and over what: values in every call, until hy_hybridize; then symbols, once; then no more. */
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#include <stdio.h>
#include <string.h>

typedef struct { hy_block base; hy_block *hidden, *output; const char *const *label; } hybrid_net;

static hy_array *forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hybrid_net *net = (hybrid_net *)self;
    printf("%s %s\n", net->label[0], hy_mode(F));
    printf("%s ", net->label[1]);
    hy_print(F, x);
    x = hy_relu(F, hy_call(F, net->hidden, x));
    printf("%s ", net->label[2]);
    hy_print(F, x);
    return hy_call(F, net->output, x);
}

static hy_block *hybrid_net_new(hy_frame *F, int hidden, const char *const *label)
{
    hybrid_net *net = HY_BLOCK_NEW(F, hybrid_net, forward);
    if (!net) return NULL;
    net->hidden = hy_add_child(F, &net->base, "hidden", hy_nn_dense(F, hidden, NULL));
    net->output = hy_add_child(F, &net->base, "output", hy_nn_dense(F, 2, NULL));
    net->label = label;
    return &net->base;
}

static int same(hy_frame *F, hy_array *y, hy_array *z)
{
    char a[100] = "", b[100] = "";
    hy_text(F, y, a, sizeof a);
    hy_text(F, z, b, sizeof b);
    return !strcmp(a, b);
}

static int variant(int hidden, const float *input, int n, const char *const *label)
{
    hy_frame *F = hy_open(NULL);
    hy_init normal = hy_init_normal(1);
    hy_block *net = hybrid_net_new(F, hidden, label);
    hy_array *x = hy_floats(F, HY_SHAPE(1, n), input), *y[4];
    int i, equal = 1;

    hy_initialize(F, net, &normal);
    for (i = 0; i < 4; i++) {
        if (i == 2) hy_hybridize(F, net, NULL);
        y[i] = hy_call(F, net, x);
        equal &= same(F, y[i], y[0]);
        printf("-- call %d: %.4f %.4f\n", i + 1, hy_value(F, y[i], 0, 0), hy_value(F, y[i], 0, 1));
    }
    printf("-- all equal: %s\n\n", equal ? "yes" : "no");
    if (hy_error(F)) fprintf(stderr, "%s\n", hy_error(F));
    return hy_close(F);
}

int main(void)
{
    static const char *const a[] = { "F:", "x:", "hidden:" };
    static const char *const b[] = { "module F:", "value  x:", "result  :" };
    static const float x[] = { 0, 1, -2, 0 };       /* two products each: the same digits everywhere */
    return variant(10, x, 4, a) || variant(4, x, 3, b);
}
