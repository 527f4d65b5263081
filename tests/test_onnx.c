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
    "net", "outside", "function", "flow", "values", "lstm", "branch", "loop", "scan", "sequence", "apart",
    "attention14", "attention18", "curves", "narrow", "flex", "trees", "places", "detector", "added", "chosen" };
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

static int onnx_comes_back(hy_frame *F, hy_block *net, hy_array *x, hy_array *y, int opset)
{
    hy_array *bytes = hy_onnx_to(F, net, x, opset);
    hy_block *again = bytes ? hy_onnx_from(F, hy_data(F, bytes), (size_t)hy_size(F, bytes), NULL) : NULL;
    int k, n = hy_count(F, y), same = again != NULL;
    x = again ? hy_call(F, again, x) : NULL;
    for (k = 0; k < (n > 1 ? n : 1) && same; k++) {
        hy_array *a = n > 1 ? hy_get(F, x, k) : x, *b = n > 1 ? hy_get(F, y, k) : y;
        same = onnx__same_shape(hy_shape_of(F, a), hy_shape_of(F, b)) &&
            hy_item(F, hy_norm(F, hy_sub(F, a, b), HY_ALL, NULL)) < 1e-4;
    }
    return same;
}

/* From opset 20 on gelu is one operator, so that its small numbers keep all their digits; before that it is written as
 * 1 + erf, which has few of them left. */
static void onnx_gelu_written(void)
{
    static const hy_dtype types[] = { HY_F32, HY_F64, HY_F16, HY_BF16 };
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_gelu(F), *again;
    size_t k;
    int opset, i;
    for (k = 0; k < 4; k++)
        for (opset = 19; opset < 23; opset++) {
            hy_array *x = hy_cast(F, hy_arange(F, -5, 5, 0.25), types[k]), *y = hy_call(F, net, x), *bytes, *z;
            bytes = hy_onnx_to(F, net, x, opset);
            again = bytes ? hy_onnx_from(F, hy_data(F, bytes), (size_t)hy_size(F, bytes), NULL) : NULL;
            z = again ? hy_call(F, again, x) : NULL;
            if (!CHECK(z && hy_dtype_of(F, z) == types[k] && hy_size(F, z) == 40)) break;
            for (i = 0; i < 40; i++) {
                double due = hy_value(F, y, i), least = opset < 20 ? types[k] < HY_F16 ? 1e-6 : 0.04 : 0;
                CHECK(fabs(hy_value(F, z, i) - due) <= least);
            }
        }
    if (!CHECK(!hy_error(F))) printf("    %s\n", hy_error(F));
    hy_close(F);
}

/* Written and read again: layers of every kind that is written. */
static void onnx_written(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_nn_conv_opt conv = { 0 };
    hy_nn_pool_opt pool = { 0 };
    hy_rnn_layer_opt both = { 0 };
    hy_array *x = hy_uniform(F, HY_SHAPE(2, 3, 9, 9), -1, 1), *y;
    int opset;
    conv.padding = HY_INTS(1, 1);
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
    for (opset = 13; opset < 23; opset++) CHECK(onnx_comes_back(F, net, x, y, opset));
    both.bidirectional = 1;
    net = hy_rnn_lstm(F, 5, &both);
    x = hy_uniform(F, HY_SHAPE(4, 2, 3), -1, 1);
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    y = hy_call(F, net, x);
    CHECK(onnx_comes_back(F, net, x, y, 0));
    if (!CHECK(!hy_error(F))) printf("    %s\n", hy_error(F));
    CHECK(!hy_onnx_to(F, net, x, 99) && hy_error_code(F) == HY_ERROR_ARGUMENT);
    hy_close(F);
    CHECK(onnx_blocks == 0);
}

/* A block that is called twice has nodes of one name, which in ONNX are values of one name. */
typedef struct onnx_twice { hy_block base; hy_block *dense; } onnx_twice;
static hy_array *onnx_twice_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_block *dense = ((onnx_twice *)(void *)self)->dense;
    hy_array *y = hy_call(F, dense, x);
    return hy_group(F, hy_tanh(F, y), hy_call(F, dense, hy_tanh(F, x)), hy_call(F, dense, hy_relu(F, x)));
}
static void onnx_written_twice(void)
{
    hy_frame *F = hy_open(NULL);
    onnx_twice *net = HY_BLOCK_NEW(F, onnx_twice, onnx_twice_forward);
    hy_array *x = hy_uniform(F, HY_SHAPE(2, 4), -1, 1);
    net->dense = hy_add_child(F, &net->base, "dense", hy_nn_dense(F, 3, NULL));
    hy_initialize(F, &net->base, NULL);
    CHECK(onnx_comes_back(F, &net->base, x, hy_call(F, &net->base, x), 0));
    if (!CHECK(!hy_error(F))) printf("    %s\n", hy_error(F));
    hy_close(F);
    CHECK(onnx_blocks == 0);
}

/* Sizes of nothing: 0 becomes 0, which is no scale of 0. */
static hy_array *onnx_larger_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_apply(F, "upsampling", 1, &x, "scale=2 sample_type=nearest");
}
static void onnx_written_empty(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = HY_BLOCK_NEW(F, hy_block, onnx_larger_forward);
    hy_array *x = hy_zeros(F, HY_SHAPE(0, 2, 3, 3)), *y = hy_call(F, net, x);
    CHECK(hy_dim(F, y, 0) == 0 && hy_dim(F, y, 3) == 6 && onnx_comes_back(F, net, x, y, 0));
    if (!CHECK(!hy_error(F))) printf("    %s\n", hy_error(F));
    hy_close(F);
}

/* Windows as columns and back: 1 to 3 dims, steps, spacing, borders. */
static hy_array *onnx_columns_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_im2col_opt o = { 0 };
    hy_col2im_opt back = { 0 };
    (void)self;
    if (hy_ndim(F, x) == 3) return hy_im2col(F, x, HY_INTS(3), NULL);
    o.stride = back.stride = HY_INTS(2, 1);
    o.dilate = back.dilate = HY_INTS(1, 2);
    o.pad = back.pad = HY_INTS(1, 0);
    x = hy_im2col(F, x, HY_INTS(3, 2), &o);
    return hy_group(F, x, hy_col2im(F, x, HY_INTS(5, 6), HY_INTS(3, 2), &back));
}
static void onnx_written_columns(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = HY_BLOCK_NEW(F, hy_block, onnx_columns_forward);
    hy_block *flat = HY_BLOCK_NEW(F, hy_block, onnx_columns_forward);
    hy_array *x = hy_random_normal(F, HY_SHAPE(2, 3, 5, 6), 0, 1, NULL), *line = hy_ones(F, HY_SHAPE(2, 3, 7));
    float *v = (float *)hy_write(F, line);
    v[5] = 7;
    CHECK(onnx_comes_back(F, net, x, hy_call(F, net, x), 18));
    if (!CHECK(!hy_error(F))) printf("    %s\n", hy_error(F));
    CHECK(!hy_onnx_to(F, net, x, 17) && hy_error(F) && strstr(hy_error(F), "opset 18"));
    hy_clear(F);
    CHECK(onnx_comes_back(F, flat, line, hy_call(F, flat, line), 13));
    if (!CHECK(!hy_error(F))) printf("    %s\n", hy_error(F));
    hy_close(F);
}

/* group(data, offset, weight): taps beside their places, on the borders and behind them. */
static hy_array *onnx_deformed_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_deformable_convolution_opt o = { 0 };
    const int twice = hy_dim(F, hy_get(F, x, 1), 1) > 12;
    (void)self;
    o.stride = HY_INTS(1, 2);
    o.pad = HY_INTS(1, 0);
    o.dilate = HY_INTS(2, 1);
    o.no_bias = 1;
    o.num_group = o.num_deformable_group = 1 + twice;
    return hy_deformable_convolution(F, hy_get(F, x, 0), hy_get(F, x, 1), hy_get(F, x, 2), NULL, HY_INTS(2, 3), 4,
                                     &o);
}
static void onnx_written_deformed(void)
{
    hy_frame *F = hy_open(NULL);
    int twice;
    for (twice = 0; twice < 2; twice++) {
        hy_block *net = HY_BLOCK_NEW(F, hy_block, onnx_deformed_forward);
        hy_array *x = hy_group(F, hy_random_normal(F, HY_SHAPE(2, 4, 6, 7), 0, 1, NULL),
                               hy_random_normal(F, HY_SHAPE(2, twice ? 24 : 12, 6, 3), 0, 2, NULL),
                               hy_random_normal(F, HY_SHAPE(4, twice ? 2 : 4, 2, 3), 0, 1, NULL));
        float *v = (float *)hy_write(F, hy_get(F, x, 1));
        v[0] = 6.5f;                    /* behind the last pixel, within the border, before the first */
        v[1] = 6;
        v[2] = 0.75f;
        CHECK(onnx_comes_back(F, net, x, hy_call(F, net, x), 19 + 3 * twice));
        if (!CHECK(!hy_error(F))) printf("    %s\n", hy_error(F));
        CHECK(!hy_onnx_to(F, net, x, 18) && hy_error(F) && strstr(hy_error(F), "DeformConv, which comes with"));
        hy_clear(F);
    }
    hy_close(F);
}

/* group(q, k, v[, mask]): attention, written out in ONNX's operators. */
static hy_array *onnx_attends(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_attention_opt opt = { 0 };
    const int flat = hy_ndim(F, hy_get(F, x, 0)) == 3, masked = hy_count(F, x) > 3;
    (void)self;
    opt.heads = flat ? 4 : 1;
    opt.kv_heads = flat ? 2 : 0;
    opt.scale = masked ? 0 : 0.7;
    opt.causal = flat;
    opt.past = 1;
    opt.use_mask = opt.zero_hidden = masked;
    if (masked) opt.mask = hy_get(F, x, 3);
    return hy_attention(F, hy_get(F, x, 0), hy_get(F, x, 1), hy_get(F, x, 2), &opt);
}

/* Inputs in the block's order, the unused one, too; shapes of (1,), axes that are none, sizes of 0, places below 0. */
static hy_array *onnx_ends(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *a = hy_get(F, x, 2), *b = hy_get(F, x, 0), *flat = hy_reshape(F, a, HY_INTS(12), NULL), *y[12];
    hy_reduce_opt none = { 0 };
    hy_slice_opt back = { 0 };
    int n = 0;
    (void)self;
    none.exclude = 1;
    back.step = HY_INTS(-2);
    y[n++] = hy_sub(F, hy_exp(F, a), b);
    y[n++] = hy_sum(F, a, HY_AXES(0, -1), &none);
    y[n++] = hy_mean(F, a, HY_AXES(1), &none);
    y[n++] = hy_max(F, a, HY_ALL, &none);
    y[n++] = hy_min(F, flat, HY_AXES(0), NULL);
    y[n++] = hy_argmin(F, flat, 0, NULL);
    y[n++] = hy_slice(F, flat, HY_INTS(-14), HY_INTS(HY_NONE), &back);
    y[n++] = hy_expand_dims(F, hy_slice_axis(F, a, 0, 3, 3), 0);
    y[n++] = hy_slice(F, hy_exp(F, hy_reshape(F, hy_slice_axis(F, flat, 0, 0, 1), HY_EMPTY, NULL)), HY_EMPTY, HY_EMPTY, NULL);
    y[n++] = hy_take(F, a, hy_mul_scalar(F, b, 9), 1, NULL);
    return hy_group_of(F, n, y);
}

static void onnx_ends_written(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_hybrid_lambda(F, onnx_ends, "ends");
    hy_array *in[3], *x, *y;
    int opset;
    in[0] = hy_uniform(F, HY_SHAPE(3, 4), -1, 1);
    in[1] = hy_ones(F, HY_SHAPE(5));
    in[2] = hy_uniform(F, HY_SHAPE(3, 4), -1, 1);
    x = hy_group_of(F, 3, in);
    hy_hybridize(F, net, NULL);
    y = hy_call(F, net, x);
    for (opset = 14; opset < 23; opset++) CHECK(onnx_comes_back(F, net, x, y, opset));
    if (!CHECK(!hy_error(F))) printf("    %s\n", hy_error(F));
    hy_clear(F);
    hy_close(F);
}

static void onnx_attention_written(void)
{
    static const unsigned char some[5] = { 1, 0, 1, 1, 0 };
    hy_frame *F = hy_open(NULL);
    int kind, opset;
    for (kind = 0; kind < 6; kind++) {
        const int flat = kind < 3, mask = kind % 3;
        hy_block *net = hy_nn_hybrid_lambda(F, onnx_attends, "attends");
        hy_shape s = flat ? HY_SHAPE(2, 5, 12) : HY_SHAPE(2, 4, 5, 3), keys = s;
        hy_array *in[4], *x, *y;
        int i;
        keys.dim[flat ? 2 : 1] /= 2;
        for (i = 0; i < 3; i++) in[i] = hy_normal(F, i ? keys : s, 0, 1);
        in[3] = mask == 2 ? hy_normal(F, HY_SHAPE(4, 5, 5), 0, 1) : hy_from(F, HY_SHAPE(5, 1), HY_BOOL, some);
        x = hy_group_of(F, 3 + (mask != 0), in);
        hy_hybridize(F, net, NULL);
        y = hy_call(F, net, x);
        for (opset = 13; opset < 23; opset++) CHECK(onnx_comes_back(F, net, x, y, opset));
        if (!CHECK(!hy_error(F))) printf("    %d: %s\n", kind, hy_error(F));
        hy_clear(F);
    }
    hy_close(F);
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

/* Values that decide shapes are said, and the nodes behind which shapes hang on values stay outside. */
static void onnx_in_part(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_onnx_load(F, "tests/golden/onnx/values/model.onnx"), *part, *again;
    int64_t to[2] = { 3, 4 };
    hy_array *given[2] = { NULL, NULL }, *x = hy_uniform(F, HY_SHAPE(2, 6), -1, 1), *y, *z;
    hy_arrays values;
    hy_graph *graph;
    const char *name;
    int i;
    CHECK(!hy_onnx_decides(net, 0) && hy_onnx_decides(net, 1) && !hy_onnx_decides(net, 2));
    CHECK(!strncmp(hy_onnx_late(F, net, 0), "NonZero", 7) && !*hy_onnx_late(F, net, 99));
    CHECK(!hy_onnx_graph(F, net, NULL, NULL) && hy_error_code(F) == HY_ERROR_UNSUPPORTED);
    hy_clear(F);
    CHECK(!hy_onnx_part(F, net, NULL) && hy_error_code(F) == HY_ERROR_ARGUMENT);
    hy_clear(F);
    given[1] = x;
    CHECK(!hy_onnx_part(F, net, given) && hy_error_code(F) == HY_ERROR_DTYPE);
    hy_clear(F);
    for (i = 0; i < 2; i++, to[0] = 6, to[1] = 2) {
        given[1] = hy_from(F, HY_SHAPE(2), HY_I64, to);
        part = hy_onnx_part(F, net, given);
        CHECK(!hy_onnx_input(part, 0, &name, NULL) && !strcmp(name, "x") && hy_onnx_input(part, 1, NULL, NULL) == -1);
        graph = hy_onnx_graph(F, part, NULL, &values);
        again = hy_import_from(F, graph, &values, NULL);
        y = hy_call(F, again, x);
        z = hy_call(F, net, hy_group(F, x, given[1]));
        y = hy_count(F, y) > 1 ? hy_get(F, y, 0) : y;
        CHECK(hy_shape_of(F, y).dim[0] == to[0] && hy_item(F, hy_norm(F, hy_sub(F, y, hy_get(F, z, 0)), HY_ALL, NULL)) < 1e-6);
    }
    if (!CHECK(!hy_error(F))) printf("    %s\n", hy_error(F));
    hy_close(F);
    CHECK(onnx_blocks == 0);
}

/* Values that come of the only input decide shapes, but only behind a node that runs line by line in any case: it
 * need not be known, and what stands before is a program, whose outputs may be parameters. */
static void onnx_in_part_for_all(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_onnx_load(F, "tests/golden/onnx/chosen/model.onnx"), *part, *again;
    hy_array *x = hy_uniform(F, HY_SHAPE(6), -1, 1), *y, *z;
    hy_arrays values;
    hy_graph *graph;
    const char *name;
    int i, found = 0;
    CHECK(!hy_onnx_decides(net, 0) && !strncmp(hy_onnx_late(F, net, 0), "NonZero", 7));
    part = hy_onnx_part(F, net, NULL);
    CHECK(!hy_onnx_input(part, 0, &name, NULL) && !strcmp(name, "x") && hy_onnx_input(part, 1, NULL, NULL) == -1);
    graph = hy_onnx_graph(F, part, NULL, &values);
    again = hy_import_from(F, graph, &values, NULL);
    y = hy_call(F, again, x);
    z = hy_get(F, hy_call(F, net, x), 0);
    for (i = 0; i < hy_count(F, y); i++) {
        CHECK(!hy_onnx_output(part, i, &name, NULL));
        if (strcmp(name, "y")) continue;
        found = 1;
        CHECK(hy_item(F, hy_norm(F, hy_sub(F, hy_get(F, y, i), z), HY_ALL, NULL)) < 1e-6);
    }
    CHECK(found && hy_count(F, y) == 3);
    if (!CHECK(!hy_error(F))) printf("    %s\n", hy_error(F));
    hy_close(F);
    CHECK(onnx_blocks == 0);
}

/* The text of a file's graph, with what is written out as one operator. */
static void onnx_optimised(const char *name, char *text, size_t bytes)
{
    hy_frame *F = hy_open(NULL);
    hy_optimize_opt opt = { 0 };
    hy_array *in[4], *x;
    hy_block *net;
    hy_type type;
    const char *input;
    char path[200];
    hy_graph *graph;
    int n;
    opt.off = HY_PASS_ALL & ~(HY_PASS_FOLD | HY_PASS_CSE | HY_PASS_ALGEBRA | HY_PASS_ATTENTION);
    snprintf(path, sizeof path, "tests/golden/onnx/%s/model.onnx", name);
    net = hy_onnx_load(F, path);
    for (n = 0; n < 4 && !hy_onnx_input(net, n, &input, &type); n++) in[n] = hy_cast(F, hy_normal(F, type.shape, 0, 1), type.dtype);
    x = n == 1 ? in[0] : hy_group_of(F, n, in);
    hy_hybridize(F, net, NULL);
    hy_call(F, net, x);
    graph = hy_graph_of(F, net);
    graph = graph ? hy_optimize(F, graph, x, &opt) : NULL;
    *text = 0;
    if (graph) hy_graph_text(graph, HY_FORM_LINES, text, bytes);
    CHECK(graph && !hy_error(F));
    hy_close(F);
    CHECK(onnx_blocks == 0);
}

/* A border, layer norm and gelu that a file writes apart are an operator each. */
static void onnx_fused(void)
{
    char text[4000];
    onnx_optimised("apart", text, sizeof text);
    CHECK(strstr(text, "layer_norm(") && strstr(text, "act_type=gelu"));
    CHECK(!strstr(text, "erf") && !strstr(text, "sqrt") && !strstr(text, "mean(") && !strstr(text, "take("));
}

/* How often a word stands in the graph of a file. */
static int onnx_count(const char *name, const char *word)
{
    char text[8000];
    const char *at = text;
    int n = 0;
    onnx_optimised(name, text, sizeof text);
    for (; (at = strstr(at, word)) != NULL; at++) n++;
    return n;
}

/* Attention as PyTorch's older exporter writes it, for opset 14, and its newer one; gelu by tanh; activations as
 * they were written before they had names. */
static void onnx_fused_more(void)
{
    static const char *const attention[] = { "attention14", "attention18" };
    int i;
    for (i = 0; i < 2; i++) {
        const int apart = i || HY__CBLAS;               /* the newer turns keys behind a view; CBLAS makes its products */
        CHECK_NEAR(onnx_count(attention[i], "attention("), !apart, 0);
        CHECK_NEAR(onnx_count(attention[i], "softmax("), apart, 0);
        CHECK_NEAR(onnx_count(attention[i], "= transpose0 *"), apart, 0);   /* the scale of queries and keys, together */
        CHECK_NEAR(onnx_count(attention[i], "tanh"), 0, 0);
        CHECK_NEAR(onnx_count(attention[i], "power"), 0, 0);
        CHECK_NEAR(onnx_count(attention[i], "sqrt"), 0, 0);
    }
    CHECK_NEAR(onnx_count("curves", "hard_sigmoid("), 2, 0);
    CHECK_NEAR(onnx_count("curves", "mish("), 1, 0);
    CHECK_NEAR(onnx_count("curves", "clip("), 0, 0);
    CHECK_NEAR(onnx_count("curves", "power"), 0, 0);
    CHECK_NEAR(onnx_count("curves", "\n"), 12, 0);
    CHECK(onnx_blocks == 0);
}

static void test_onnx(void)
{
    RUN(onnx_fused_more);
    RUN(onnx_fused);
    RUN(onnx_kept);
    RUN(onnx_in_part);
    RUN(onnx_in_part_for_all);
    RUN(onnx_gelu_written);
    RUN(onnx_written);
    RUN(onnx_written_twice);
    RUN(onnx_written_empty);
    RUN(onnx_written_columns);
    RUN(onnx_written_deformed);
    RUN(onnx_attention_written);
    RUN(onnx_ends_written);
    RUN(onnx_own_cases);
    RUN(onnx_broken);
    RUN(onnx_without_memory);
    RUN(onnx_cases_without_memory);
    RUN(onnx_like_any_other);
}
