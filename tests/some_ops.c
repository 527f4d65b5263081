/* A build with a few operators: what is listed runs in every mode, what is not says what to add. Prints nothing
   when all is well; tests/compile.sh builds it with and without gradients. */
#define HYBRID_OPS(X) X(fully_connected) X(activation) X(softmax) X(random_uniform) X(random_normal) X(square)
#define HYBRID_IMPLEMENTATION
#include "hybrid.h"
#include <stdio.h>
#include <string.h>

static int bad;
static void expect(hy_frame *F, const char *what, const char *error)
{
    const char *said = hy_error(F);
#ifdef HYBRID_NO_TEXT
    if (error) error = "HYBRID_";       /* names the switch at least */
#endif
    if (error ? said && strstr(said, error) : !said) { hy_clear(F); return; }
    printf("%s: %s\n", what, said ? said : "no error");
    hy_clear(F);
    bad = 1;
}

#ifndef HYBRID_NO_IO
static const char absent[] =
    "{\"nodes\": [{\"op\": \"null\", \"name\": \"x\", \"inputs\": []},"
    "{\"op\": \"Convolution\", \"name\": \"y\", \"attrs\": {\"kernel\": \"(3, 3)\"}, \"inputs\": [[0, 0, 0]]}],"
    "\"arg_nodes\": [0], \"heads\": [[1, 0, 0]]}";
#endif

int main(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_array *x = hy_normal(F, HY_SHAPE(4, 20), 0, 1), *y;
    hy_nn_dense_opt options;
    double line, graph;
    memset(&options, 0, sizeof options);
    options.activation = "relu";
    hy_append(F, net, hy_nn_dense(F, 30, &options), hy_nn_dense(F, 10, NULL));
    hy_initialize(F, net, NULL);
    line = hy_value(F, hy_softmax(F, hy_call(F, net, x), -1, NULL), 1, 2);
    hy_hybridize(F, net, NULL);
    graph = hy_value(F, hy_softmax(F, hy_call(F, net, x), -1, NULL), 1, 2);
    expect(F, "a network", NULL);
    if (!(line > 0 && line < 1 && line - graph < 1e-6 && graph - line < 1e-6)) {
        printf("%g, compiled %g\n", line, graph);
        bad = 1;
    }
    hy_add(F, x, hy_mul_scalar(F, hy_tanh(F, x), 2));
    hy_square(F, x);
    expect(F, "what they are made of", NULL);
    hy_sin(F, x);
    expect(F, "an operator", "sin: not in this build: add X(sin) to HYBRID_OPS");
    hy_concat(F, hy_group(F, x, x), 1);
    expect(F, "one of many inputs", "add X(concat) to HYBRID_OPS");
    hy_apply(F, "_eye", 0, NULL, "N=3");
    expect(F, "one without inputs", "add X(_eye) to HYBRID_OPS");
    hy_apply(F, "SoftmaxOutput", 1, &x, "grad_scale=2");
    expect(F, "by MXNet's name", "add X(softmax_output) to HYBRID_OPS");
    hy_apply(F, "max_axis", 1, &x, NULL);
    expect(F, "by another name", "max: not in this build: add X(max) to HYBRID_OPS");
    hy_emit(F, hy_op_find(F, "sin"), 1, &x, NULL);
    expect(F, "by address", "not in this build");
    if (hy_op_find(F, "NULL") || hy_op_find(F, "") || hy_op_find(F, "sine")) printf("found what is nowhere\n");
    hy_cast(F, x, HY_F16);
#ifdef HYBRID_NO_TRAIN
    expect(F, "a cast", "add X(cast) to HYBRID_OPS");
#else                                   /* gradients of 16-bit numbers are made of it */
    expect(F, "a cast", HYBRID_TYPES & 1 << HY_F16 ? NULL : "HYBRID_TYPES lacks it");
#endif
    if (HYBRID_TYPES == 1 << HY_F32) {
        hy_empty(F, HY_SHAPE(2), HY_I8);
        expect(F, "a type", "int8: not in this build: HYBRID_TYPES lacks it");
    }
#ifndef HYBRID_NO_IO
    hy_symbol_from(F, absent, sizeof absent - 1);
    expect(F, "from a file", "add X(convolution) to HYBRID_OPS");
#endif
#ifndef HYBRID_NO_TRAIN
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_record(F);
    y = hy_square(F, hy_call(F, net, x));
    hy_pause(F);
    hy_backward(F, y, NULL);
    expect(F, "a gradient", NULL);
    hy_record(F);
    y = hy_softmax(F, x, -1, NULL);
    hy_pause(F);
    hy_backward(F, y, NULL);
    expect(F, "another gradient", NULL);
#else
    (void)y;
#endif
#ifdef HYBRID_NO_TEXT
    {
        char text[100];
        hy_graph_text(hy_graph_of(F, net), HY_FORM_LINES, text, sizeof text);
        if (strcmp(text, "hy_graph_text: not in this build (HYBRID_NO_TEXT)")) { printf("%s\n", text); bad = 1; }
        hy_profile(F, "");
        expect(F, "a profile", "");
        hy_summary(F, net, x);
        expect(F, "a summary", "");
        hy_add(F, x, hy_reshape(F, x, HY_INTS(-1), NULL));
        if (hy_error_code(F) != HY_ERROR_SHAPE) { printf("no error for shapes\n"); bad = 1; }
        expect(F, "shapes", "");
    }
#endif
    hy_close(F);
    return bad;
}
