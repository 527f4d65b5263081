/* ONNX files as networks: own cases against ONNX Runtime's results, broken files, no memory. */
static long onnx_blocks, onnx_left = -1;        /* onnx_left: so many allocations succeed; -1: all */

static void *onnx_test_alloc(size_t bytes)
{
    void *p = onnx_left ? malloc(bytes) : NULL;
    if (onnx_left > 0) onnx_left--;
    onnx_blocks += p != NULL;
    return p;
}

static void onnx_test_free(void *p)
{
    onnx_blocks -= p != NULL;
    free(p);
}

#define HY_ONNX_MALLOC(bytes) onnx_test_alloc(bytes)
#define HY_ONNX_FREE(p)       onnx_test_free(p)
#define HYBRID_ONNX_IMPLEMENTATION
#include "../tools/onnx.h"
#include "onnx_case.h"

static const char *const onnx_own[] = {
    "net", "outside", "function", "flow", "values", "lstm", "branch", "loop", "scan", "sequence", "apart" };
enum { ONNX_OWN = (int)(sizeof onnx_own / sizeof *onnx_own) };

static void onnx_own_cases(void)
{
    static onnx_case c;
    int i, compiled;
    for (i = 0; i < ONNX_OWN; i++)
        for (compiled = 0; compiled < 2; compiled++) {
            const char *why;
            sprintf(c.folder, "tests/golden/onnx/%s", onnx_own[i]);
            if (!CHECK(onnx_read_case(&c))) return;
            why = onnx_run_case(&c, compiled);
            if (!CHECK(!why))
                printf("    %s, %s: %s\n", onnx_own[i], compiled ? "compiled" : "line by line", why);
        }
    CHECK(onnx_blocks == 0);
}

static unsigned char *onnx_bytes_of(const char *name, size_t *n)
{
    static unsigned char data[20000];
    char path[200];
    FILE *f;
    sprintf(path, "tests/golden/onnx/%s/model.onnx", name);
    f = fopen(path, "rb");
    *n = f ? fread(data, 1, sizeof data, f) : 0;
    if (f) fclose(f);
    return data;
}

/* Cut short or with one byte changed: an error or a network, nothing else, and no memory stays. */
static void onnx_broken(void)
{
    int i;
    for (i = 0; i < ONNX_OWN; i++) {
        size_t n, k;
        unsigned char *data = onnx_bytes_of(onnx_own[i], &n);
        hy_frame *F = hy_open(NULL);
        CHECK(n > 0);
        for (k = 0; k < 2 * n; k++) {
            unsigned char *copy = (unsigned char *)malloc(n);
            hy_block *net;
            memcpy(copy, data, n);
            if (k >= n) copy[k - n] ^= (unsigned char)(1 << k % 8);
            net = hy_onnx_from(F, copy, k < n ? k : n, "tests/golden/onnx/outside/");
            CHECK((net == NULL) == (hy_error(F) != NULL));
            hy_clear(F);
            hy_block_free(F, net);
            free(copy);
        }
        hy_close(F);
    }
    CHECK(onnx_blocks == 0);
}

static int onnx_program(hy_frame *F)
{
    size_t n;
    unsigned char *data = onnx_bytes_of("net", &n);
    hy_block *net = hy_onnx_from(F, data, n, NULL);
    hy_array *y;
    int fine;
    hy_begin(F);
    if (net) hy_hybridize(F, net, NULL);
    y = net ? hy_call(F, net, hy_ones(F, HY_SHAPE(2, 2, 6, 6))) : NULL;
    fine = y && hy_size(F, y) == 6;
    hy_end(F);
    hy_block_free(F, net);
    return fine;
}

static void onnx_without_memory(void)
{
    long n;
    int done = 0;
    oom_walk(onnx_program, 1);
    for (n = 0; n < 1000 && !done; n++) {
        hy_frame *F = hy_open(NULL);
        onnx_left = n;
        CHECK(onnx_program(F) || hy_error_code(F) == HY_ERROR_MEMORY);
        done = onnx_left > 0;
        onnx_left = -1;
        hy_clear(F);
        CHECK(onnx_program(F));
        hy_close(F);
    }
    CHECK(done && onnx_blocks == 0);
}

/* The n-th piece of memory is not there, whatever the file holds: an error, or the right results. */
static void onnx_cases_without_memory(void)
{
    static onnx_case c;
    int i;
    long n;
    for (i = 0; i < ONNX_OWN; i++) {
        const char *why = "";
        sprintf(c.folder, "tests/golden/onnx/%s", onnx_own[i]);
        if (!CHECK(onnx_read_case(&c))) return;
        for (n = 0; n < 3000 && why; n++) {
            onnx_left = n;
            why = onnx_run_case(&c, (int)(n & 1));
            if (!CHECK(!why || strstr(why, "memory"))) printf("    %s, %ld: %s\n", onnx_own[i], n, why);
            CHECK(onnx_blocks == 0);
        }
        onnx_left = -1;
        CHECK(!why);
    }
}

/* A block like any other: its parameters have gradients, it is saved, it gives a graph under the file's names. */
static void onnx_like_any_other(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_onnx_load(F, "tests/golden/onnx/net/model.onnx"), *again;
    hy_array *x = hy_uniform(F, HY_SHAPE(2, 2, 6, 6), -1, 1), *y, *w;
    hy_arrays values;
    hy_graph *graph;
    hy_type type;
    const char *name;
    CHECK(!hy_onnx_input(net, 0, &name, &type) && !strcmp(name, "x") && type.dtype == HY_F32 &&
          type.shape.dim[0] == -1);
    CHECK(!hy_onnx_output(net, 0, &name, &type) && !strcmp(name, "y") && type.shape.dim[1] == 3);
    CHECK(hy_onnx_input(net, 1, NULL, NULL) == -1 && hy_onnx_input(NULL, 0, NULL, NULL) == -1);
    CHECK((w = hy_param(F, net, "dw")) != NULL);
    hy_hybridize(F, net, NULL);
    hy_record(F);
    y = hy_call(F, net, x);
    hy_backward(F, hy_sum(F, y, HY_ALL, NULL), NULL);
    hy_pause(F);
    CHECK(hy_grad_of(F, w) && hy_item(F, hy_norm(F, hy_grad_of(F, w), HY_ALL, NULL)) > 0);
    y = hy_call(F, net, x);
    type.dtype = HY_F32;
    type.shape = HY_SHAPE(2, 2, 6, 6);
    graph = hy_onnx_graph(F, net, &type, &values);
    CHECK_STR(hy_graph_name(graph, HY_NAMES_OUTPUTS, 0), "y_output");
    again = hy_import_from(F, graph, &values, NULL);
    CHECK(again && hy_item(F, hy_norm(F, hy_sub(F, hy_call(F, again, x), y), HY_ALL, NULL)) < 1e-4);
    again = hy_load_model_from(F, hy_data(F, hy_save_model_to(F, again, NULL)),
                               (size_t)hy_size(F, hy_save_model_to(F, again, NULL)), 0);
    CHECK(again && hy_item(F, hy_norm(F, hy_sub(F, hy_call(F, again, x), y), HY_ALL, NULL)) < 1e-4);
    if (!CHECK(!hy_error(F))) printf("    %s\n", hy_error(F));
    hy_close(F);
}

/* Written and read again: layers of every kind that is written. */
static void onnx_written(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_hybrid_sequential(F), *again;
    hy_nn_conv_opt conv = { 0 };
    hy_nn_pool_opt pool = { 0 };
    hy_rnn_layer_opt both = { 0 };
    hy_array *x = hy_uniform(F, HY_SHAPE(2, 3, 9, 9), -1, 1), *bytes, *y;
    int opset;
    conv.pad = HY_INTS(1, 1);
    conv.activation = "relu";
    pool.ceil_mode = 1;
    hy_append(F, net, hy_nn_conv2d(F, 4, HY_INTS(3, 3), &conv), hy_nn_batch_norm(F, NULL),
              hy_nn_max_pool2d(F, HY_INTS(2, 2), &pool),
              hy_nn_leaky_relu(F, 0.1), hy_nn_conv2d_transpose(F, 3, HY_INTS(3, 3), NULL), hy_nn_gelu(F),
                  hy_nn_instance_norm(F, NULL),
              hy_nn_dense(F, 6, NULL), hy_nn_prelu(F, NULL), hy_nn_elu(F, 1), hy_nn_dropout(F, 0.5, NULL),
                  hy_nn_dense(F, 3, NULL));
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    y = hy_call(F, net, x);
    for (opset = 13; opset < 23; opset++) {
        bytes = hy_onnx_to(F, net, x, opset);
        again = bytes ? hy_onnx_from(F, hy_data(F, bytes), (size_t)hy_size(F, bytes), NULL) : NULL;
        CHECK(again && hy_item(F, hy_norm(F, hy_sub(F, hy_call(F, again, x), y), HY_ALL, NULL)) < 1e-4);
    }
    both.bidirectional = 1;
    net = hy_rnn_lstm(F, 5, &both);
    x = hy_uniform(F, HY_SHAPE(4, 2, 3), -1, 1);
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    y = hy_call(F, net, x);
    bytes = hy_onnx_to(F, net, x, 0);
    again = bytes ? hy_onnx_from(F, hy_data(F, bytes), (size_t)hy_size(F, bytes), NULL) : NULL;
    CHECK(again && hy_item(F, hy_norm(F, hy_sub(F, hy_call(F, again, x), y), HY_ALL, NULL)) < 1e-4);
    if (!CHECK(!hy_error(F))) printf("    %s\n", hy_error(F));
    CHECK(!hy_onnx_to(F, net, x, 99) && hy_error_code(F) == HY_ERROR_ARGUMENT);
    hy_close(F);
    CHECK(onnx_blocks == 0);
}

/* A branch that values choose is a part of the program, also of a saved one. */
static void onnx_kept(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_onnx_load(F, "tests/golden/onnx/branch/model.onnx"), *again;
    hy_arrays values;
    hy_graph *graph = hy_onnx_graph(F, net, NULL, &values);
    hy_array *bytes;
    int i;
    bytes = hy_save_model_to(F, hy_import_from(F, graph, &values, NULL), NULL);
    again = bytes ? hy_load_model_from(F, hy_data(F, bytes), (size_t)hy_size(F, bytes), 0) : NULL;
    hy_hybridize(F, again, NULL);
    for (i = 0; i < 8; i++) {
        hy_array *x = hy_uniform(F, HY_SHAPE(2, 3), i % 2 ? -2 : -0.5, i % 4 < 2 ? 0.5 : 2);
        CHECK(again && hy_item(F, hy_norm(F, hy_sub(F, hy_call(F, net, x), hy_call(F, again, x)), HY_ALL, NULL)) < 1e-5);
    }
    if (!CHECK(!hy_error(F))) printf("    %s\n", hy_error(F));
    hy_close(F);
    CHECK(onnx_blocks == 0);
}

/* A border, layer norm and gelu that a file writes apart are an operator each. */
static void onnx_fused(void)
{
    hy_frame *F = hy_open(NULL);
    hy_graph *graph = hy_onnx_graph(F, hy_onnx_load(F, "tests/golden/onnx/apart/model.onnx"), NULL, NULL);
    char text[4000] = "";
    if (graph) hy_graph_text(graph, HY_FORM_LINES, text, sizeof text);
    CHECK(strstr(text, "layer_norm(") && strstr(text, "act_type=gelu"));
    CHECK(!strstr(text, "erf") && !strstr(text, "sqrt") && !strstr(text, "mean(") && !strstr(text, "take("));
    CHECK(!hy_error(F));
    hy_close(F);
    CHECK(onnx_blocks == 0);
}

static void test_onnx(void)
{
    RUN(onnx_fused);
    RUN(onnx_kept);
    RUN(onnx_written);
    RUN(onnx_own_cases);
    RUN(onnx_broken);
    RUN(onnx_without_memory);
    RUN(onnx_cases_without_memory);
    RUN(onnx_like_any_other);
}
