/* Hostile files. One target for each reader:
 *     params, npy, zip, safetensors   any bytes as arrays
 *     idx, cifar, csv, records, indexed   any bytes as a data set; states: as what a trainer saved
 *     symbol    any bytes as model-symbol.json; what is accepted must come back the same when written and read
 *     model     any bytes as one file of program and parameters
 *     onnx      any bytes as an ONNX file
 *     graph     bytes as choices that make up a program, mostly a valid one, with hostile attributes in it
 *     source    the same, written as C source too (with -DHYBRID_SOURCE), compiled by tcc, or by cc, and run
 * What the last three load is run on inputs of several shapes, line by line and as a compiled program, which
 * must give the same bits, and through its gradient.
 * A run must neither crash nor take longer than FUZZ_SECONDS, keep memory, or take more than 128 MB. With
 * libFuzzer:
 *     clang -g -O1 -fsanitize=fuzzer,address,undefined tests/fuzz.c -o fuzz -lm -lpthread
 *     FUZZ=symbol ./fuzz -timeout=20 -max_len=16384 -dict=WORDS CORPUS tests/seeds/symbol
 * Without it any compiler will do, and the program changes its own seeds (from the library's writers), in the
 * same way each time, or reads files (as AFL calls it), or prints the words that it puts in, for -dict:
 *     cc -DFUZZ_ALONE tests/fuzz.c -o fuzz -lm -lpthread         (-DFUZZ_THREADS=5 -DHYBRID_PARALLEL_NS=0)
 *     ./fuzz symbol [RUNS [FIRST]]      ./fuzz symbol FILE...      ./fuzz symbol seeds FOLDER
 *     ./fuzz symbol words               ./fuzz symbol input NUMBER      (what a run is given) */
#define HYBRID_IMPLEMENTATION
#ifndef FUZZ_THREADS                    /* more: with -DHYBRID_PARALLEL_NS=0 they share what is small, too */
#define FUZZ_THREADS 1
#define HYBRID_NO_THREADS
#endif
#include "../hybrid.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *fuzz_onnx_alloc(size_t bytes) { return bytes > (128u << 20) ? NULL : malloc(bytes); }
#define HY_ONNX_MALLOC(bytes) fuzz_onnx_alloc(bytes)
#define HY_ONNX_FREE(block)   free(block)
#define HYBRID_ONNX_IMPLEMENTATION
#include "../tools/onnx.h"
#ifndef FUZZ_SECONDS
#define FUZZ_SECONDS 20
#endif

static hy_frame *fuzz_frame;
static long fuzz_called;                /* networks that ran */
static int fuzz_skip;                   /* this one shall not: reading is much faster than running */
static int fuzz_as_source;              /* what ran is written as C source, too */

/* --- memory with an end --- */
static void *fuzz_alloc(void *user, size_t bytes)
{
    size_t used = fuzz_frame ? hy_memory_use(fuzz_frame).bytes : 0;
    (void)user;
    return bytes > (128u << 20) || used + bytes > (128u << 20) ? NULL : malloc(bytes);
}

static void fuzz_free(void *user, void *p) { (void)user; free(p); }

static hy_frame *fuzz_open(void)
{
    hy_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.threads = FUZZ_THREADS;
    desc.allocator.alloc_fn = fuzz_alloc;
    desc.allocator.free_fn = fuzz_free;
    return hy_open(&desc);
}

/* --- arrays --- */
static int fuzz_arrays(hy_frame *F, const char *data, size_t size)     /* were they accepted? */
{
    hy_load_from(F, data, size, size & 1);
    return !hy_error(F);
}

/* Several types and shapes. */
static hy_array *fuzz_saved(hy_frame *F, hy_format format)
{
    static const char *const name[] = { "arg:a", "aux:b", "c.d", "e" };
    hy_array *at[4];
    hy_arrays all;
    at[0] = hy_arange(F, 0, 6, 1);
    at[1] = hy_cast(F, hy_reshape(F, at[0], HY_INTS(2, 3), NULL), HY_I8);
    at[2] = hy_scalar(F, 3);
    at[3] = hy_cast(F, at[0], HY_BOOL);
    all.n = format == HY_FORMAT_NPY ? 1 : 4;
    all.at = at;
    all.name = name;
    return hy_save_to(F, format, all);
}

static hy_array *fuzz_npy_seed(hy_frame *F, int k) { return k ? NULL : fuzz_saved(F, HY_FORMAT_NPY); }
static hy_array *fuzz_safe_seed(hy_frame *F, int k) { return k ? NULL : fuzz_saved(F, HY_FORMAT_SAFETENSORS); }

/* A file as it is; NULL if it is not here. */
static hy_array *fuzz_file(hy_frame *F, const char *name)
{
    FILE *f = fopen(name, "rb");
    char text[1 << 14];
    size_t n = f ? fread(text, 1, sizeof text, f) : 0;
    if (f) fclose(f);
    return n ? hy_from(F, HY_SHAPE((int64_t)n), HY_U8, text) : NULL;
}

static hy_array *fuzz_zip_seed(hy_frame *F, int k)
{
    return k ? k == 1 ? fuzz_file(F, "tests/golden/mxnet/zip64.npz") : NULL : fuzz_saved(F, HY_FORMAT_NPZ);
}

static char *fuzz_u32(char *to, uint32_t v)
{
    int i;
    for (i = 0; i < 4; i++) *to++ = (char)(v >> 8 * i & 255);
    return to;
}

/* A .params of one array without a name, in words. */
static hy_array *fuzz_words(hy_frame *F, int n, const uint32_t *word)
{
    char text[512], *to = text;
    int i;
    to = fuzz_u32(fuzz_u32(fuzz_u32(fuzz_u32(fuzz_u32(fuzz_u32(to, 0x112), 0), 0), 0), 1), 0);
    for (i = 0; i < n; i++) to = fuzz_u32(to, word[i]);
    to = fuzz_u32(fuzz_u32(to, 0), 0);
    return hy_from(F, HY_SHAPE(to - text), HY_U8, text);
}

static hy_array *fuzz_params_seed(hy_frame *F, int k)   /* of all ages, dense and sparse */
{
    static const uint32_t v0[] = { 2, 1, 2, 1, 0, 0, 7, 8 };
    static const uint32_t v1[] = { 0xF993FAC8u, 2, 1, 0, 2, 0, 1, 0, 0, 7, 8 };
    static const uint32_t v2[] = { 0xF993FAC9u, 0, 2, 1, 0, 2, 0, 1, 0, 0, 7, 8 };
    static const uint32_t rows[] = { 0xF993FAC9u, 1, 2, 1, 0, 2, 0, 2, 4, 0, 2, 0, 1, 0, 0, 6, 1, 1, 0, 7, 8, 3, 0 };
    static const uint32_t csr[] = { 0xF993FAC9u, 2, 1, 1, 0, 2, 2, 0, 3, 0, 1, 0, 0, 6, 1, 3, 0, 6, 1, 1, 0, 7,
                                    0, 0, 1, 0, 1, 0, 2, 0 };
    switch (k) {
    case 0: return fuzz_saved(F, HY_FORMAT_PARAMS);
    case 1: return fuzz_words(F, 8, v0);
    case 2: return fuzz_words(F, 11, v1);
    case 3: return fuzz_words(F, 12, v2);
    case 4: return fuzz_words(F, 23, rows);
    case 5: return fuzz_words(F, 30, csr);
    default: return NULL;
    }
}

/* --- words: of the library's own table of operators, and others that readers know --- */
enum { FUZZ_WORDS = 6000 };
typedef struct fuzz_words_of { const char *at[FUZZ_WORDS]; int n; } fuzz_words_of;
static fuzz_words_of fuzz_text_words, fuzz_byte_words;

static const char *const fuzz_numbers[] = {
    "0", "1", "2", "3", "-1", "-2", "5", "16", "255", "65536", "2147483647", "-2147483648", "2147483648",
    "4611686018427387904", "9223372036854775807", "-9223372036854775808", "18446744073709551616", "0.5",
    "-0.0", "1e-300", "1e30", "1e400", "nan", "inf", "None", "True", "()", "(0, 0)", "(1, 1)", "(2, 3)",
    "(-1, -1)", "(2147483647, 2147483647)", "(0, 4294967296, 4294967296)", "(1, 1, 1, 1, 1, 1, 1, 1, 1)" };
enum { FUZZ_NUMBERS = sizeof fuzz_numbers / sizeof *fuzz_numbers };

/* Each of "one|other", once. */
static void fuzz_word(fuzz_words_of *w, const char *words, size_t n)
{
    char *copy;
    size_t k;
    int i;
    for (; words && n; words += k, n -= k) {
        for (k = 0; k < n && words[k] != '|'; k++) continue;
        for (i = 0; i < w->n && (strncmp(w->at[i], words, k) || w->at[i][k]); i++) continue;
        if (i == w->n && i < FUZZ_WORDS && k) {
            copy = (char *)malloc(k + 1);       /* for as long as the program runs */
            memcpy(copy, words, k);
            copy[k] = 0;
            w->at[w->n++] = copy;
        }
        if (k < n) k++;
    }
}

static void fuzz_learn(hy_frame *F)
{
    static const char text[] =
        "nodes|op|null|name|inputs|attrs|attr|param|subgraphs|arg_nodes|heads|node_row_ptr|mxnet_version|"
        "backward_source_id|is_np_shape|int|str|data|label|softmax_label|__shape__|__dtype__|__init__|"
        "__lr_mult__|__wd_mult__|__storage_type__|_foreach|_while_loop|_cond|_weight|_bias|_gamma|"
        "_running_mean|float32|float64|float16|bfloat16|int8|uint8|int32|int64|bool|NCHW|NHWC|None|True|"
        "False|\\u0000|\\ud800|\\\"";
    static const char bytes[] =
        "\x93NUMPY|descr|fortran_order|shape|<f4|>f8|<f2|b1|V2|True|False|), }|PK\1\2|PK\3\4|PK\5\6|PK\6\6|"
        "PK\6\7|dtype|data_offsets|__metadata__|F32|F64|BF16|BOOL|I64|U64|arg:|aux:|\xff\xff\xff\x7f|"
        "\xff\xff\xff\xff\xff\xff\xff\x7f|\xc8\xfa\x93\xf9|\xc9\xfa\x93\xf9";
    const hy_op *op;
    const hy_attr *a;
    int i;
    fuzz_word(&fuzz_byte_words, bytes, sizeof bytes - 1);
    for (i = 0; i < FUZZ_NUMBERS; i++) fuzz_word(&fuzz_byte_words, fuzz_numbers[i], strlen(fuzz_numbers[i]));
    fuzz_word(&fuzz_text_words, text, sizeof text - 1);
    for (i = 0; i < FUZZ_NUMBERS; i++) fuzz_word(&fuzz_text_words, fuzz_numbers[i], strlen(fuzz_numbers[i]));
    for (i = 0; (op = hy_op_at(F, i)) != NULL; i++) {
        fuzz_word(&fuzz_text_words, op->name, strlen(op->name));
        if (op->mxnet) fuzz_word(&fuzz_text_words, op->mxnet, strlen(op->mxnet));
        if (op->aliases) fuzz_word(&fuzz_text_words, op->aliases, strlen(op->aliases));
        for (a = op->attr; a && a->name; a++) {
            fuzz_word(&fuzz_text_words, a->mxnet, strlen(a->mxnet));
            if (a->kind == HY_ATTR_enum) fuzz_word(&fuzz_text_words, a->doc, strcspn(a->doc, ":"));
        }
    }
}

/* --- running what was read --- */

/* How many elements a window of the graph covers: what a call costs above what it holds. */
static double fuzz_window(hy_graph *g)
{
    double most = 1, n;
    hy_node node;
    const hy_attr *a;
    int i, k;
    for (i = 0; !hy_graph_node(g, i, &node); i++)
        for (a = node.record ? node.op->attr : NULL; a && a->name; a++) {
            const hy_ints *v = (const hy_ints *)(const void *)((const char *)node.record + a->offset);
            if (strcmp(a->mxnet, "kernel")) continue;
            for (n = 1, k = 0; k < v->n; k++) n *= (double)v->v[k];
            if (n > most) most = n;
        }
    return most;
}

static int fuzz_same_values(hy_frame *F, hy_array *a, hy_array *b)
{
    hy_dtype dtype = hy_dtype_of(F, a);
    hy_shape s = hy_shape_of(F, a), t = hy_shape_of(F, b);
    const char *p, *q;
    int64_t i, n = hy_size(F, a);
    if (hy_error(F) || dtype != hy_dtype_of(F, b) || s.ndim != t.ndim) return 0;
    for (i = 0; i < s.ndim; i++) if (s.dim[i] != t.dim[i]) return 0;
    p = (const char *)hy_data(F, a);
    q = (const char *)hy_data(F, b);
    if (!n || !memcmp(p, q, (size_t)n * hy_dtype_size(dtype))) return 1;
    if (dtype >= HY_I8) return 0;
    a = hy_reshape(F, hy_cast(F, a, HY_F64), HY_INTS(-1), NULL);        /* which NaN it is does not count */
    b = hy_reshape(F, hy_cast(F, b, HY_F64), HY_INTS(-1), NULL);
    for (i = 0; i < n && !hy_error(F); i++) {
        double x = hy_value(F, a, i), y = hy_value(F, b, i);
        if (x != y && (x == x || y == y)) return 0;
    }
    return 1;
}

/* Both ways of running gave the same, or both an error. Memory may end in one only, a graph may learn from
 * those that use a value what line by line cannot be inferred, and what it does not need cannot fail. */
static void fuzz_compare(hy_frame *F, hy_array *line, const char *said, hy_error_t code, hy_array *y)
{
    int i, n;
    if (code == HY_ERROR_MEMORY || hy_error_code(F) == HY_ERROR_MEMORY) return;
    if (code && strstr(said, "cannot be inferred")) return;
    if (code && strstr(said, "a matrix is ") && !hy_error(F)) return;      /* whose inverse nobody needs */
    if (code && strstr(said, "is not supported here") && !hy_error(F)) return;  /* nor this result */
    if (code && strstr(said, "an index is out of range") && !hy_error(F)) return;       /* nor what stands there */
    if (code && strstr(said, "operator _sample_") && !hy_error(F)) return;      /* nor numbers whose shape is all */
    if (code && strstr(said, "operator batch_norm") && !hy_error(F)) return;    /* nor what only keeps statistics */
    if (!code != !hy_error(F)) {
        fprintf(stderr, "line by line: %s\ncompiled: %s\n", code ? said : "fine",
                hy_error(F) ? hy_error(F) : "fine");
        abort();
    }
    if (code) return;
    n = hy_count(F, line);
    for (i = 0; i < n; i++) {
        hy_array *a = n == 1 ? line : hy_get(F, line, i), *b = n == 1 ? y : hy_get(F, y, i);
        if (!a && !b) continue;
        if (hy_count(F, y) == n && fuzz_same_values(F, a, b)) continue;
        if (hy_error_code(F) == HY_ERROR_MEMORY) return;
        fprintf(stderr, "output %d of %d differs between line by line and compiled\n", i, n);
        abort();
    }
}

static void fuzz_gradient(hy_frame *F, hy_block *block, hy_array *x)
{
    hy_array *y, *loss = NULL;
    int i;
    hy_record(F);
    y = hy_call(F, block, x);
    for (i = 0; i < hy_count(F, y); i++) {
        hy_array *part = hy_count(F, y) == 1 ? y : hy_get(F, y, i);
        if (!part || hy_dtype_of(F, part) >= HY_I8) continue;
        part = hy_sum(F, hy_cast(F, part, HY_F32), HY_ALL, NULL);
        loss = loss ? hy_add(F, loss, part) : part;
    }
    hy_pause(F);
    if (loss) hy_backward(F, loss, NULL);
    hy_clear(F);
}

/* The same call in a buffer of just the size that hy_plan tells, which must last as long as the block. */
static void fuzz_bound(hy_frame *F, hy_block *block, hy_array *x, size_t bytes, hy_array *line)
{
    static char *room;
    free(room);
    room = (char *)malloc(bytes + 64);
    if (!room) return;
    hy_seed(F, 8);
    hy_begin(F);
    if (!hy_bind(F, block, x, room + (64 - (uintptr_t)room % 64), bytes))
        fuzz_compare(F, line, "", HY_ERROR_OK, hy_call(F, block, x));
    else if (hy_error_code(F) != HY_ERROR_MEMORY) {
        fprintf(stderr, "bound: %s\n", hy_error(F));
        abort();
    }
    hy_end(F);
    hy_clear(F);
}

#ifdef HYBRID_SOURCE
/* The program as C source: it compiles, and gives what was recorded. tcc is quick, but takes no NaN for a constant. */
static void fuzz_source(hy_frame *F, hy_block *block, hy_array *x)
{
    static const char *const compilers[] = { "tcc -w -DFUZZED_TEST -run fuzzed.c > fuzzed.log 2>&1",
        "cc -w -O0 -DFUZZED_TEST fuzzed.c -o fuzzed.out -lm > fuzzed.log 2>&1 && ./fuzzed.out > fuzzed.log 2>&1" };
    int i = 0, broken;
    hy_begin(F);
    broken = hy_export_c(F, block, x, "fuzzed.c", NULL);
    if (broken && hy_error_code(F) != HY_ERROR_MEMORY && !strstr(hy_error(F), "no C source is written for")) {
        fprintf(stderr, "as C source: %s\n", hy_error(F));
        abort();
    }
    hy_end(F);
    hy_clear(F);
    if (broken) return;
    while (i < 2 && system(compilers[i])) i++;
    if (i < 2) return;
    fputs("fuzzed.c is wrong: see fuzzed.log\n", stderr);
    if (system("tail -4 fuzzed.log >&2")) fputs("which is not there\n", stderr);
    abort();
}
#endif

/* Calls on inputs of one shape; nonzero if it ran. */
static int fuzz_call_shape(hy_frame *F, hy_block *block, int inputs, hy_shape shape, int gradient)
{
    static char said[2048];
    hy_hybridize_opt exact = { 0 }, off = { 0 };
    hy_array *x[8], *all, *y;
    hy_plan_info plan;
    hy_error_t code;
    int i, ran;
    hy_seed(F, 7);
    for (i = 0; i < inputs; i++) x[i] = hy_uniform(F, shape, 0, 2);
    all = inputs == 1 ? x[0] : hy_group_of(F, inputs, x);
    exact.exact = off.inactive = 1;
    hy_hybridize(F, block, &exact);
    plan = hy_plan(F, block, all);
    if (hy_error(F)) { hy_clear(F); return 0; }
    if (plan.unplanned + plan.outputs + plan.packed > (1 << 20) ||
        fuzz_window(hy_graph_of(F, block)) * (double)(plan.unplanned + plan.outputs) > 4e7) return 0;
    hy_seed(F, 8);
    hy_hybridize(F, block, &off);
    y = hy_call(F, block, all);
    code = hy_error_code(F);
    sprintf(said, "%.2000s", hy_error(F) ? hy_error(F) : "");
    ran = !code;
    hy_clear(F);
    hy_hybridize(F, block, &exact);
    hy_seed(F, 8);
    fuzz_compare(F, y, said, code, hy_call(F, block, all));
    hy_clear(F);
    if (ran && !plan.dynamic) fuzz_bound(F, block, all, plan.total, y);
#ifdef HYBRID_SOURCE
    if (ran && !plan.dynamic && fuzz_as_source) fuzz_source(F, block, all);
#endif
    if (gradient) fuzz_gradient(F, block, all);         /* which moves running statistics */
    return ran;
}

static void fuzz_call(hy_frame *F, hy_block *block, size_t salt)
{
    static const hy_shape shapes[] = { { 2, { 2, 3 } }, { 4, { 1, 3, 8, 8 } }, { 3, { 5, 2, 3 } }, { 1, { 4 } },
                                       { 3, { 1, 3, 7 } }, { 0, { 0 } } };
    int i, n = 0, most = (int)(sizeof shapes / sizeof *shapes);
    while (block && n < 9 && hy_input_name(F, block, n)) n++;
    if (!block || n > 8 || !n || fuzz_skip) return;
    hy_initialize(F, block, NULL);
    hy_clear(F);
    for (i = 0; i < most; i++) {
        int ran;
        hy_begin(F);
        ran = fuzz_call_shape(F, block, n, shapes[i], (salt & 3) == 0);
        hy_end(F);
        fuzz_called += ran;
        if (ran) break;
    }
}

/* --- graphs --- */
static hy_block *fuzz_net(hy_frame *F, int k)
{
    hy_nn_dense_opt relu = { 0 };
    hy_nn_conv_opt padded = { 0 };
    hy_rnn_layer_opt both = { 0 };
    hy_block *net = hy_nn_hybrid_sequential(F);
    relu.activation = "relu";
    padded.padding = HY_INTS(1, 1);
    padded.activation = "tanh";
    both.bidirectional = 1;
    both.num_layers = 2;
    switch (k) {
    case 0:
        hy_append(F, net, hy_nn_dense(F, 2, &relu), hy_nn_batch_norm(F, NULL), hy_nn_dropout(F, 0.5, NULL),
                  hy_nn_dense(F, 1, NULL));
        break;
    case 1:
        hy_append(F, net, hy_nn_conv2d(F, 4, HY_INTS(3, 3), &padded), hy_nn_batch_norm(F, NULL),
                  hy_nn_max_pool2d(F, HY_INTS(2, 2), NULL), hy_nn_conv2d_transpose(F, 2, HY_INTS(2, 2), NULL),
                  hy_nn_global_avg_pool2d(F, NULL), hy_nn_flatten(F), hy_nn_hybrid_lambda_op(F, "softmax"));
        break;
    case 2:
        hy_append(F, net, hy_nn_embedding(F, 5, 3, NULL), hy_nn_layer_norm(F, NULL), hy_nn_gelu(F),
                  hy_nn_prelu(F, NULL), hy_nn_hybrid_lambda_op(F, "log_softmax"));
        break;
    case 3:
        hy_append(F, net, hy_rnn_lstm(F, 2, &both), hy_rnn_gru(F, 2, NULL), hy_nn_instance_norm(F, NULL),
                  hy_nn_swish(F, 1));
        break;
    case 4:
        hy_append(F, net, hy_nn_conv1d(F, 2, HY_INTS(2), NULL), hy_nn_avg_pool1d(F, HY_INTS(2), NULL),
                  hy_nn_group_norm(F, 2, NULL), hy_nn_selu(F));
        break;
    default: return NULL;
    }
    hy_initialize(F, net, NULL);
    return net;
}

static hy_array *fuzz_net_input(hy_frame *F, int k)
{
    return hy_ones(F, k == 1 ? HY_SHAPE(1, 3, 8, 8) : k == 3 ? HY_SHAPE(5, 2, 3) : k == 4 ? HY_SHAPE(1, 3, 7)
                      : HY_SHAPE(2, 3));
}

static int fuzz_nodes(hy_graph *g)
{
    hy_node node;
    int n = 0;
    while (!hy_graph_node(g, n, &node)) n++;
    return n;
}

static hy_graph *fuzz_again(hy_frame *F, hy_array *text)
{
    return text ? hy_symbol_from(F, (const char *)hy_data(F, text), (size_t)hy_size(F, text)) : NULL;
}

/* Written, read and written again it is the same. A Pad that the first text has beside an operator finds its place
 * in the order when it is read, and keeps it from then on. */
static void fuzz_written(hy_frame *F, hy_graph *g)
{
    hy_array *a = hy_symbol_to(F, g), *b;
    hy_graph *again = fuzz_again(F, a), *beside = NULL;
    if (again && fuzz_nodes(again) > fuzz_nodes(g)) {
        beside = again;
        a = hy_symbol_to(F, beside);
        again = fuzz_again(F, a);
    }
    b = again ? hy_symbol_to(F, again) : NULL;
    if (b && !fuzz_same_values(F, a, b)) {
        fprintf(stderr, "written, read and written again it is another:\n%.*s\n%.*s\n", (int)hy_size(F, a),
                (const char *)hy_data(F, a), (int)hy_size(F, b), (const char *)hy_data(F, b));
        abort();
    }
    hy_graph_free(F, beside);
    hy_graph_free(F, again);
    hy_clear(F);
}

static int fuzz_symbol(hy_frame *F, const char *data, size_t size)
{
    hy_graph *g = hy_symbol_from(F, data, size);
    hy_block *net;
    if (!g) return 0;
    fuzz_written(F, g);
    net = hy_nn_symbol_block(F, g, NULL);
    hy_clear(F);
    fuzz_call(F, net, size);
    hy_block_free(F, net);
    hy_graph_free(F, g);
    return 1;
}

#define FUZZ_HEAD "{\"nodes\":[{\"op\":\"null\",\"name\":\"x\",\"inputs\":[]},"
#define FUZZ_BODY FUZZ_HEAD "{\"op\":\"relu\",\"name\":\"r\",\"inputs\":[[0,0,0]]}],\"arg_nodes\":[0]," \
    "\"node_row_ptr\":[0,1,2],\"heads\":[[1,0,0]]}"
#define FUZZ_FLOW(op, attrs, bodies) FUZZ_HEAD \
    "{\"op\":\"" op "\",\"name\":\"f\",\"attrs\":{" attrs "},\"inputs\":[[0,0,0]],\"subgraphs\":[" bodies "]}]," \
    "\"arg_nodes\":[0],\"heads\":[[1,0,0]]}"
static hy_array *fuzz_symbol_seed(hy_frame *F, int k)
{
    static const char *const texts[] = {
        "{\"nodes\":[{\"op\":\"null\",\"param\":{},\"name\":\"x\",\"inputs\":[],\"backward_source_id\":-1,\"attr\":{"
        "\"lr_mult\":\"0.2\"}},{\"op\":\"null\",\"name\":\"g\",\"inputs\":[]},{\"op\":\"null\",\"name\":\"b\",\"inputs\":[]},{\"op\":"
        "\"BatchNorm\",\"param\":{\"eps\":\"0.001\"},\"name\":\"bn\",\"inputs\":[[0,0],[1,0],[2,0]],\"attr\":{\"data_lr_mult\":\"2\"}},"
        "{\"op\":\"SliceChannel\",\"name\":\"s\",\"attr\":{\"num_outputs\":\"2\"},\"inputs\":[[3,0]]},{\"op\":\"Reshape\",\"name\":\"r\","
        "\"param\":{\"target_shape\":\"(0,2)\"},\"inputs\":[[4,1]]}],\"arg_nodes\":[0,1,2],\"heads\":[[5,0],[4,0]]}",
        FUZZ_HEAD "{\"op\":\"_np_sum\",\"name\":\"a\",\"attrs\":{\"axis\":\"(0, 1)\",\"__k__\":\"v\"},\"inputs\":[[0,0,0]]},{\"op\":"
        "\"_npx_reshape\",\"name\":\"b\",\"attrs\":{\"newshape\":\"(-3, -6, 2, -1, -5)\"},\"inputs\":[[0,0,0]]},{\"op\":\"_npi_std\","
        "\"name\":\"c\",\"attrs\":{\"axis\":\"None\"},\"inputs\":[[0,0,0]]},{\"op\":\"_np_moveaxis\",\"name\":\"d\",\"attrs\":{\"source\":"
        "\"0\",\"destination\":\"-1\"},\"inputs\":[[0,0,0]]},{\"op\":\"_np_roll\",\"name\":\"e\",\"attrs\":{\"shift\":\"2\"},\"inputs\":"
        "[[0,0,0]]},{\"op\":\"_npi_where_lscalar\",\"name\":\"f\",\"attrs\":{\"scalar\":\"2.5\"},\"inputs\":[[0,0,0],[0,0,0]]},{\"op\":"
        "\"_npi_greater\",\"name\":\"g\",\"inputs\":[[0,0,0],[1,0,0]]}],\"arg_nodes\":[0],\"heads\":[[2,0,0],[3,0,0],[4,0,0],[5,0,0],"
        "[6,0,0],[7,0,0]],\"attrs\":{\"is_np_shape\":[\"int\",1],\"inputs\":[\"str\",\"x\"],\"mxnet_version\":[\"int\",10901]}}",
        FUZZ_FLOW("_foreach", "\"in_data_locs\":\"[0]\",\"in_state_locs\":\"[]\",\"remain_locs\":\"[]\"", FUZZ_BODY),
        FUZZ_FLOW("_while_loop", "\"cond_input_locs\":\"[0]\",\"func_input_locs\":\"[0]\",\"func_var_locs\":\"[0]\","
                  "\"max_iterations\":\"3\",\"num_out_data\":\"0\"", FUZZ_BODY "," FUZZ_BODY),
        FUZZ_FLOW("_cond", "\"cond_input_locs\":\"[0]\",\"then_input_locs\":\"[0]\",\"else_input_locs\":\"[0]\"",
                  FUZZ_BODY "," FUZZ_BODY "," FUZZ_BODY),
        FUZZ_HEAD "{\"op\":\"_npi_pad\",\"name\":\"a\",\"attrs\":{\"pad_width\":\"((1, 2), (0, 1))\",\"mode\":\"edge\"},\"inputs\":"
        "[[0,0,0]]},{\"op\":\"_npi_einsum\",\"name\":\"b\",\"attrs\":{\"subscripts\":\"ij,ik,jj->kj\"},\"inputs\":[[0,0,0],[0,0,0],"
        "[0,0,0]]},{\"op\":\"_npi_rot90\",\"name\":\"c\",\"attrs\":{\"k\":\"3\",\"axes\":\"(0, 1)\"},\"inputs\":[[1,0,0]]},{\"op\":"
        "\"_unravel_index\",\"name\":\"d\",\"attrs\":{\"shape\":\"(2, 3, 4)\"},\"inputs\":[[0,0,0]]},{\"op\":\"_np_trace\",\"name\":"
        "\"e\",\"attrs\":{\"offset\":\"1\"},\"inputs\":[[0,0,0]]},{\"op\":\"_contrib_interleaved_matmul_selfatt_qk\",\"name\":\"f\","
        "\"attrs\":{\"heads\":\"2\"},\"inputs\":[[0,0,0]]},{\"op\":\"_npi_unique\",\"name\":\"g\",\"attrs\":{\"axis\":\"0\","
        "\"return_inverse\":\"True\"},\"inputs\":[[0,0,0]]}],\"arg_nodes\":[0],\"heads\":[[2,0,0],[3,0,0],[4,0,0],[5,0,0],[7,0,0],"
        "[7,1,0]],\"attrs\":{\"is_np_shape\":[\"int\",1],\"mxnet_version\":[\"int\",10901]}}"
    };
    hy_array *text = NULL;
    hy_block *net = fuzz_net(F, k);
    int i;
    for (i = 0; !net && fuzz_net(F, i); i++) k--;       /* nets, then texts */
    if (net) hy_export_to(F, net, fuzz_net_input(F, k), &text, NULL);
    else if (k < (int)(sizeof texts / sizeof *texts))
        text = hy_from(F, HY_SHAPE((int64_t)strlen(texts[k])), HY_U8, texts[k]);
    return text;
}

/* --- programs out of choices --- */
enum { FUZZ_TEXT = 1 << 16, FUZZ_NODES = 12 };
typedef struct fuzz_maker {
    hy_frame   *F;
    const unsigned char *at, *end;      /* choices that are left */
    char        text[FUZZ_TEXT];
    size_t      n;
    int         node, ops;              /* nodes so far; operators that the library has */
    int         values, drawn[FUZZ_NODES + 2], outputs[FUZZ_NODES + 2];        /* for others to use */
} fuzz_maker;

static int fuzz_pick(fuzz_maker *M, int n)
{
    int v = M->at < M->end ? *M->at++ : 0;
    if (n > 256) v = v << 8 | (M->at < M->end ? *M->at++ : 0);
    return v % n;
}

static void fuzz_put(fuzz_maker *M, const char *format, ...)
{
    va_list args;
    int n;
    va_start(args, format);
    n = vsnprintf(M->text + M->n, FUZZ_TEXT - M->n, format, args);
    va_end(args);
    M->n += n > 0 && (size_t)n < FUZZ_TEXT - M->n ? (size_t)n : 0;
}

/* A node that others may use. */
static void fuzz_made(fuzz_maker *M, int outputs)
{
    M->outputs[M->values] = outputs;
    M->drawn[M->values++] = M->node++;
}

/* The value of an attribute: one in eight is hostile. */
static void fuzz_put_value(fuzz_maker *M, const hy_attr *a)
{
    static const char *const types[] = { "float32", "float64", "float16", "bfloat16", "int8", "uint8",
                                         "int32", "int64", "bool", "None" };
    int i, n, words;
    const char *s;
    if (!fuzz_pick(M, 8)) { fuzz_put(M, "%s", fuzz_numbers[fuzz_pick(M, FUZZ_NUMBERS)]); return; }
    switch (a->kind) {
    case HY_ATTR_flag: case HY_ATTR_inv: fuzz_put(M, fuzz_pick(M, 2) ? "True" : "False"); break;
    case HY_ATTR_int: case HY_ATTR_oint: case HY_ATTR_i64: fuzz_put(M, "%d", fuzz_pick(M, 7) - 2); break;
    case HY_ATTR_real: fuzz_put(M, "%g", (fuzz_pick(M, 9) - 3) / 4.0); break;
    case HY_ATTR_dtype: fuzz_put(M, "%s", types[fuzz_pick(M, 10)]); break;
    case HY_ATTR_enum:
        for (words = 1, s = a->doc; *s && *s != ':'; s++) words += *s == '|';
        for (n = fuzz_pick(M, words), s = a->doc; n; s++) n -= *s == '|';
        fuzz_put(M, "%.*s", (int)strcspn(s, "|:"), s);
        break;
    default:
        n = fuzz_pick(M, 5);
        fuzz_put(M, "(");
        for (i = 0; i < n; i++) fuzz_put(M, i ? ", %d" : "%d", fuzz_pick(M, 5) - (fuzz_pick(M, 4) == 0));
        fuzz_put(M, n == 1 ? ",)" : ")");
    }
}

/* One operator: new variables for what it alone uses stand before it. */
static void fuzz_put_node(fuzz_maker *M, int number)
{
    const hy_op *op = hy_op_at(M->F, fuzz_pick(M, M->ops));
    int from[16], output[16], n = 0, i, k, some, given = 0, outputs;
    const hy_attr *a;
    if (op->name[0] == '_' && !op->mxnet) return;       /* internal ones appear in no file */
    for (i = 0; op->in[i].name && n < 12; i++) {
        some = op->in[i].kind == HY_ARG_LIST ? 1 + fuzz_pick(M, 3)
                                             : op->in[i].kind == HY_ARG_OPT || op->in[i].kind == HY_ARG_RARE ? fuzz_pick(M, 2) : 1;
        for (k = 0; k < some; k++, n++) {
            int fresh = op->in[i].kind == HY_ARG_AUX || (i && fuzz_pick(M, 2));
            if (fresh) {
                fuzz_put(M, ",{\"op\":\"null\",\"name\":\"n%d_%s\",\"inputs\":[]}", number, op->in[i].name);
                from[n] = M->node++;
                output[n] = 0;
            } else {
                int at = fuzz_pick(M, 3) ? M->values - 1 : fuzz_pick(M, M->values);
                from[n] = M->drawn[at];
                output[n] = fuzz_pick(M, 16) ? fuzz_pick(M, M->outputs[at]) : fuzz_pick(M, 3);
            }
        }
    }
    fuzz_put(M, ",{\"op\":\"%s\",\"name\":\"n%d\",\"attrs\":{", op->mxnet ? op->mxnet : op->name, number);
    for (a = op->attr; a && a->name; a++) {
        if (a->missing != HY_REQUIRED ? fuzz_pick(M, 3) : !fuzz_pick(M, 32)) continue;
        fuzz_put(M, "%s\"%s\":\"", given++ ? "," : "", a->mxnet);
        fuzz_put_value(M, a);
        fuzz_put(M, "\"");
    }
    fuzz_put(M, "},\"inputs\":[");
    for (i = 0; i < n; i++) fuzz_put(M, "%s[%d,%d,0]", i ? "," : "", from[i], output[i]);
    fuzz_put(M, "]}");
    for (outputs = 0; op->out[outputs].name && op->out[outputs].kind == HY_ARG_ONE; outputs++) continue;
    fuzz_made(M, outputs ? outputs : 1);
}

static const char *fuzz_make(hy_frame *F, const char *data, size_t size)
{
    static fuzz_maker M;
    int i, nodes, heads;
    memset(&M, 0, sizeof M);
    M.F = F;
    M.at = (const unsigned char *)data;
    M.end = M.at + size;
    while (hy_op_at(F, M.ops)) M.ops++;
    fuzz_put(&M, "{\"nodes\":[{\"op\":\"null\",\"name\":\"data\",\"inputs\":[]}");
    fuzz_made(&M, 1);
    if (!fuzz_pick(&M, 4)) {
        fuzz_put(&M, ",{\"op\":\"null\",\"name\":\"data2\",\"inputs\":[]}");
        fuzz_made(&M, 1);
    }
    nodes = 1 + fuzz_pick(&M, fuzz_pick(&M, 4) ? 3 : FUZZ_NODES);
    for (i = 0; i < nodes; i++) fuzz_put_node(&M, i);
    heads = fuzz_pick(&M, 4) ? 1 : 1 + fuzz_pick(&M, 3);
    fuzz_put(&M, "],\"arg_nodes\":[0],\"heads\":[[%d,0,0]", M.drawn[M.values - 1]);
    for (i = 1; i < heads; i++) fuzz_put(&M, ",[%d,0,0]", M.drawn[fuzz_pick(&M, M.values)]);
    fuzz_put(&M, "],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}");
    return M.text;
}

static int fuzz_graph(hy_frame *F, const char *data, size_t size)
{
    const char *text = fuzz_make(F, data, size);
    return fuzz_symbol(F, text, strlen(text));
}

static hy_array *fuzz_graph_seed(hy_frame *F, int k)
{
    int64_t sizes[] = { 20, 40, 80 };
    hy_array *x;
    if (k > 2) return NULL;
    hy_seed(F, (uint64_t)k);
    x = hy_cast(F, hy_uniform(F, HY_SHAPE(sizes[k]), 0, 256), HY_U8);
    return x;
}

/* --- models: their checksums are made right first, or little would be reached --- */
static void fuzz_sums(hy_frame *F, char *data, size_t size)
{
    hy__input all, part;
    hy__zip z;
    char *name;
    int i, k;
    hy__memory_input(&all, F, data, size, 0);
    if (hy__zip_open(&all, &z)) return;
    for (i = 0; i < 16 && z.left; i++) {
        uint64_t entry = z.at;
        uint32_t sum;
        name = hy__zip_entry(&all, &z, &part);
        if (!name) return;
        hy__free(&F->root->heap, name);
        sum = hy__crc_add(&z.crc, 0, data + part.base, (size_t)part.bytes);
        for (k = 0; k < 4; k++) data[entry + 16 + (uint64_t)k] = (char)(sum >> 8 * k & 255);
    }
}

static int fuzz_model(hy_frame *F, const char *data, size_t size)
{
    char *copy = (char *)malloc(size + 1);
    hy_block *net;
    memcpy(copy, data, size);
    fuzz_sums(F, copy, size);
    hy_clear(F);
    net = hy_load_model_from(F, copy, size, size & 1);
    hy_clear(F);
    fuzz_call(F, net, size);
    hy_block_free(F, net);
    free(copy);
    return net != NULL;
}

static hy_array *fuzz_model_seed(hy_frame *F, int k)
{
    hy_block *net = fuzz_net(F, k);
    return net ? hy_save_model_to(F, net, fuzz_net_input(F, k)) : NULL;
}

/* --- data sets and a trainer's states --- */
static int fuzz_idx(hy_frame *F, const char *data, size_t size) { return hy_idx_from(F, data, size) != NULL; }
static int fuzz_cifar(hy_frame *F, const char *data, size_t size)
{
    return hy_cifar_as_from(F, data, size, size & 1 ? 10 : 100, size & 2 ? HY_LAYOUT_NHWC : HY_LAYOUT_NCHW) != NULL;
}
static int fuzz_csv(hy_frame *F, const char *data, size_t size)
{
    hy_csv_opt opt;
    memset(&opt, 0, sizeof opt);
    opt.delimiter = size & 1 ? ';' : ',';
    opt.dtype = size & 2 ? HY_I32 : HY_F32;
    return hy_csv_from(F, data, size, &opt) != NULL;
}
static int fuzz_records(hy_frame *F, const char *data, size_t size)
{
    hy_type type = { HY_U8, { 1, { 4 } } };
    return hy_records_from(F, data, size, type) != NULL;
}
/* What stands before the first 0 is the index. */
static int fuzz_indexed(hy_frame *F, const char *data, size_t size)
{
    hy_type type = { HY_U8, { 1, { 4 } } };
    size_t n = 0, i;
    hy_dataset *D;
    while (n < size && data[n]) n++;
    if (n == size) return 0;
    D = hy_dataset_records_from(F, data + n + 1, size - n - 1, n ? data : NULL, n, type);
    for (i = 0; D && (int64_t)i < hy_dataset_length(F, D) && i < 4; i++) {
        hy_dataset_get(F, D, (int64_t)i);
        hy_clear(F);
    }
    hy_dataset_free(F, D);
    return D != NULL;
}
static hy_array *fuzz_bytes(hy_frame *F, int k, const void *data, size_t size)
{
    return k ? NULL : hy_from(F, HY_SHAPE((int64_t)size), HY_U8, data);
}
static hy_array *fuzz_idx_seed(hy_frame *F, int k)
{
    static const unsigned char idx[] = { 0, 0, 0x0c, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 1, 2, 3, 255, 254, 0, 9 };
    return fuzz_bytes(F, k, idx, sizeof idx);
}
static hy_array *fuzz_cifar_seed(hy_frame *F, int k)
{
    static const unsigned char cifar[3074] = { 3, 7 };
    return k > 1 ? NULL : fuzz_bytes(F, 0, cifar, sizeof cifar - (size_t)(k == 0));
}
static hy_array *fuzz_csv_seed(hy_frame *F, int k)
{
    static const char comma[] = "1,2.5,-3e4\n0.125, 7 ,nan\r\n1,2,3\n", semicolon[] = "1;2\n3;4\n5;6";
    return k > 1 ? NULL : k ? fuzz_bytes(F, 0, semicolon, 11) : fuzz_bytes(F, 0, comma, sizeof comma - 1);
}
static hy_array *fuzz_records_seed(hy_frame *F, int k)
{
    static const uint32_t word[] = { 0xced7230a, 28, 0, 0x3f800000, 1, 0, 0, 0, 0x04030201, 0xced7230a,
                                     1u << 29 | 24, 0, 0, 2, 0, 0, 0, 0xced7230a, 3u << 29 };
    char text[sizeof word], *to = text;
    size_t i;
    for (i = 0; i < sizeof word / sizeof *word; i++) to = fuzz_u32(to, word[i]);
    return fuzz_bytes(F, k, text, sizeof text);
}
static hy_array *fuzz_indexed_seed(hy_frame *F, int k)
{
    static const char index[] = "0\t36\n1 0\n";
    hy_array *x = fuzz_records_seed(F, 0);
    char text[400];
    size_t n = x ? (size_t)hy_size(F, x) : 0;
    if (!x || k > 1) return NULL;
    memcpy(text, index, sizeof index);
    memcpy(text + sizeof index, hy_data(F, x), n);
    return k ? fuzz_bytes(F, 0, text + sizeof index - 1, 1 + n) : fuzz_bytes(F, 0, text, sizeof index + n);
}
/* A network of one parameter and its trainer, after a step. */
static hy_trainer *fuzz_trainer(hy_frame *F, hy_block **net)
{
    hy_nn_dense_opt opt;
    hy_trainer *T;
    hy_array *y;
    memset(&opt, 0, sizeof opt);
    opt.in_units = 3;
    *net = hy_nn_dense(F, 2, &opt);
    hy_initialize(F, *net, NULL);
    T = hy_trainer_new(F, *net, hy_optim_adam(NULL), NULL);
    hy_record(F);
    y = hy_call(F, *net, hy_ones(F, HY_SHAPE(1, 3)));
    hy_pause(F);
    hy_backward(F, y, NULL);
    hy_step(F, T, 1);
    return T;
}
static int fuzz_states(hy_frame *F, const char *data, size_t size)
{
    hy_block *net;
    hy_trainer *T = fuzz_trainer(F, &net);
    int refused = hy_set_trainer_states(F, T, hy_load_from(F, data, size, size & 1));
    hy_clear(F);
    hy_trainer_free(F, T);
    hy_block_free(F, net);
    return !refused;
}
static hy_array *fuzz_states_seed(hy_frame *F, int k)
{
    hy_block *net;
    return k ? NULL : hy_save_to(F, HY_FORMAT_PARAMS, hy_trainer_states(F, fuzz_trainer(F, &net)));
}

/* --- networks of ONNX files --- */
/* A program that keeps an If or a Loop also compiles what no call takes; what is wrong there is said then. */
static int fuzz_onnx_keeps(const hy_block *block)
{
    const onnx__net *net = (const onnx__net *)block;
    const onnx__node *n;
    int b;
    if (net->inner) net = net->inner;
    for (b = 0; b < net->model.bodies; b++)
        for (n = net->model.body[b].first; n; n = n->next) if (n->kept) return 1;
    return 0;
}

static void fuzz_onnx_call(hy_frame *F, hy_block *block, int inputs)
{
    hy_array *x[8], *all, *y;
    hy_hybridize_opt exact = { 0 };
    hy_type type;
    char said[2048];
    hy_error_t code;
    int i, k;
    for (i = 0; !hy_onnx_input(block, i, NULL, &type); i++) {
        double n = 1;
        if (type.shape.ndim < 0) type.shape.ndim = 0;
        for (k = 0; k < type.shape.ndim; k++) {
            if (type.shape.dim[k] < 0) type.shape.dim[k] = 2;
            n *= (double)type.shape.dim[k];
        }
        if (n > 4096) return;
        x[i] = hy_cast(F, hy_uniform(F, type.shape, 0, 3), type.dtype);
    }
    all = inputs == 1 ? x[0] : inputs ? hy_group_of(F, inputs, x) : hy_scalar(F, 0);
    y = hy_call(F, block, all);
    code = hy_error_code(F);
    sprintf(said, "%.2000s", hy_error(F) ? hy_error(F) : "");
    fuzz_called += !code;
    hy_clear(F);
    if (code) return;
    exact.exact = 1;
    hy_hybridize(F, block, &exact);
    all = hy_call(F, block, all);
    if (!hy_error(F) || !fuzz_onnx_keeps(block)) fuzz_compare(F, y, said, code, all);
}

static int fuzz_onnx(hy_frame *F, const char *data, size_t size)
{
    hy_block *block = hy_onnx_from(F, data, size, NULL);
    int n = 0;
    if (!block) return 0;
    while (n < 9 && !hy_onnx_input(block, n, NULL, NULL)) n++;
    hy_begin(F);
    if (n < 9 && !fuzz_skip) fuzz_onnx_call(F, block, n);
    hy_clear(F);
    hy_end(F);
    hy_block_free(F, block);
    return 1;
}

/* The project's own files: there is no writer to make them. */
static hy_array *fuzz_onnx_seed(hy_frame *F, int k)
{
    static const char *const names[] = {
        "net", "function", "flow", "values", "lstm", "branch", "loop", "scan", "sequence", "apart" };
    char path[100], data[20000];
    size_t n;
    FILE *f;
    if (k >= (int)(sizeof names / sizeof *names)) return NULL;
    sprintf(path, "tests/golden/onnx/%s/model.onnx", names[k]);
    f = fopen(path, "rb");
    if (!f) { hy_raise(F, HY_ERROR_FILE, "tests/golden/onnx is not here: run this beside tests"); return NULL; }
    n = fread(data, 1, sizeof data, f);
    fclose(f);
    return hy_from(F, HY_SHAPE((int64_t)n), HY_U8, data);
}

/* --- one run --- */
static const struct fuzz_target {
    const char *name;
    int       (*run)(hy_frame *F, const char *data, size_t size);
    hy_array *(*seed)(hy_frame *F, int k);              /* NULL: no more */
    int         each;                   /* with how many inputs, on the average, a network runs once */
} fuzz_targets[] = {
    { "params", fuzz_arrays, fuzz_params_seed, 1 }, { "npy", fuzz_arrays, fuzz_npy_seed, 1 },
    { "zip", fuzz_arrays, fuzz_zip_seed, 1 }, { "safetensors", fuzz_arrays, fuzz_safe_seed, 1 },
    { "idx", fuzz_idx, fuzz_idx_seed, 1 }, { "cifar", fuzz_cifar, fuzz_cifar_seed, 1 },
    { "csv", fuzz_csv, fuzz_csv_seed, 1 }, { "records", fuzz_records, fuzz_records_seed, 1 },
    { "indexed", fuzz_indexed, fuzz_indexed_seed, 1 },
    { "states", fuzz_states, fuzz_states_seed, 1 },
    { "symbol", fuzz_symbol, fuzz_symbol_seed, 2 }, { "model", fuzz_model, fuzz_model_seed, 5 },
#ifdef HYBRID_SOURCE
    { "source", fuzz_graph, fuzz_graph_seed, 1 },
#endif
    { "graph", fuzz_graph, fuzz_graph_seed, 2 }, { "onnx", fuzz_onnx, fuzz_onnx_seed, 8 } };

static const struct fuzz_target *fuzz_find(const char *name)
{
    size_t i;
    for (i = 0; name && i < sizeof fuzz_targets / sizeof *fuzz_targets; i++)
        if (!strcmp(fuzz_targets[i].name, name)) {
            fuzz_as_source = !strcmp(name, "source");
            return &fuzz_targets[i];
        }
    fputs("which target? params npy zip safetensors idx cifar csv records indexed states symbol model graph source onnx\n", stderr);
    exit(2);
}

static int fuzz_run(const struct fuzz_target *target, const char *data, size_t size)
{
    static size_t first, runs;
    size_t now;
    int accepted;
    if (!fuzz_frame) { fuzz_frame = fuzz_open(); first = runs = 0; }
    hy_begin(fuzz_frame);
    accepted = target->run(fuzz_frame, data, size);
    hy_clear(fuzz_frame);
    hy_end(fuzz_frame);
    hy_trim(fuzz_frame);
    now = hy_memory_use(fuzz_frame).bytes;
    if (target->run == fuzz_onnx && now > 4u << 20) {   /* a frame keeps the scratch of its largest operator */
        hy_close(fuzz_frame);
        fuzz_frame = NULL;
        return accepted;
    }
    if (++runs == 200) first = now;
    if (runs > 200 && now > first + (4u << 20)) {
        fprintf(stderr, "%s: memory stays: %lu bytes\n", target->name, (unsigned long)now);
        abort();
    }
    return accepted;
}

#ifndef FUZZ_ALONE
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static const struct fuzz_target *target;
    if (!target) target = fuzz_find(getenv("FUZZ"));
    fuzz_run(target, (const char *)data, size);
    return 0;
}
#else
static const struct fuzz_target *fuzz_target_now;
static long fuzz_number;                /* of the run */
static uint64_t fuzz_state;
static uint32_t fuzz_draw(uint32_t n)
{
    fuzz_state ^= fuzz_state << 13;
    fuzz_state ^= fuzz_state >> 7;
    fuzz_state ^= fuzz_state << 17;
    return (uint32_t)(fuzz_state >> 20) % n;
}

/* --- what goes wrong is told with the way to see it again --- */
#if !defined(_WIN32)
#include <signal.h>
#include <unistd.h>
static void fuzz_tell(const char *what)
{
    char text[200];
    const char *name = fuzz_target_now->name;
    int n = snprintf(text, sizeof text, "%s %s; again: ./fuzz %s 1 %ld\n", name, what, name, fuzz_number);
    if (n > 0 && write(2, text, (size_t)n) < 0) _exit(4);
}
static void fuzz_late(int number) { (void)number; fuzz_tell("takes too long"); _exit(3); }
static void fuzz_died(int number) { fuzz_tell("died"); signal(number, SIG_DFL); raise(number); }
#ifdef __GNUC__
void __sanitizer_set_death_callback(void (*fn)(void)) __attribute__((weak));
static void fuzz_condemned(void) { fuzz_tell("died"); }
#endif
static void fuzz_watch(void)
{
    signal(SIGALRM, fuzz_late);
    signal(SIGABRT, fuzz_died);
    signal(SIGFPE, fuzz_died);
#ifdef __GNUC__
    if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(fuzz_condemned);
    else
#endif
    signal(SIGSEGV, fuzz_died);
}
#else
static unsigned alarm(unsigned seconds) { return seconds; }
static void fuzz_watch(void) { }
#endif

/* A word in place of a quoted one, of the same length if nothing may move. */
static size_t fuzz_change_word(unsigned char *data, size_t size, size_t room, size_t at, int fixed)
{
    const fuzz_words_of *w = &fuzz_text_words;
    const char *word;
    size_t from, to, n, tries;
    for (from = at; from < size && data[from] != '"'; from++) continue;
    for (to = ++from; to < size && data[to] != '"'; to++) continue;
    if (to >= size) return size;
    for (tries = 0; tries < 50; tries++) {
        word = fuzz_draw(4) ? w->at[fuzz_draw((uint32_t)w->n)] : fuzz_numbers[fuzz_draw(FUZZ_NUMBERS)];
        n = strlen(word);
        if (fixed ? n == to - from : size - (to - from) + n <= room) break;
    }
    if (tries == 50) return size;
    memmove(data + from + n, data + to, size - to);
    memcpy(data + from, word, n);
    return size - (to - from) + n;
}

/* A few changes: bits, bytes of interest, words, pieces moved, cut off or doubled. text: JSON is in it;
 * fixed: in a place that it must not outgrow. */
static size_t fuzz_change(unsigned char *data, size_t size, size_t room, int text, int fixed)
{
    static const unsigned char special[] = { 0, 1, 0xff, 0x7f, 0x80, '"', '{', '[', ']', ',', '9', '-', '\\',
                                             '(' };
    const fuzz_words_of *w = text ? &fuzz_text_words : &fuzz_byte_words;
    uint32_t times = 1 + fuzz_draw(text ? 3 : 6), at, to, n;
    const char *word;
    while (times-- && size > 1) {
        at = fuzz_draw((uint32_t)size);
        n = 1 + fuzz_draw(8);
        if (n > size - at) n = (uint32_t)(size - at);
        switch (fuzz_draw(text ? 14 : 9)) {
        case 0: data[at] ^= (unsigned char)(1u << fuzz_draw(8)); break;
        case 1: data[at] = special[fuzz_draw(sizeof special)]; break;
        case 2: memset(data + at, special[fuzz_draw(5)], n); break;
        case 3: data[at] = (unsigned char)fuzz_draw(256); break;
        case 4: to = fuzz_draw((uint32_t)size); if (to + n <= size) memmove(data + to, data + at, n); break;
        case 5: size = fuzz_draw(8) ? size : at; break;
        case 6:
            if (size + n > room) break;
            memmove(data + at + n, data + at, size - at);
            size += n;
            break;
        case 7: case 8:
            word = w->at[fuzz_draw((uint32_t)w->n)];
            n = (uint32_t)strlen(word);
            if (n <= size - at) memcpy(data + at, word, n);
            break;
        case 9: case 10:
            while (at < size && !isdigit(data[at])) at++;
            for (; at < size && isdigit(data[at]); at++) data[at] = (unsigned char)('0' + fuzz_draw(10));
            break;
        default: size = fuzz_change_word(data, size, room, at, fixed);
        }
    }
    return size;
}

/* Seeds, copied out of the frame that made them. */
enum { FUZZ_SEEDS = 16, FUZZ_ROOM = 256 };
static int fuzz_seeds(const struct fuzz_target *target, unsigned char **seed, size_t *size)
{
    hy_frame *F = fuzz_open();
    hy_array *x;
    int n = 0;
    fuzz_learn(F);
    for (; n < FUZZ_SEEDS && (x = target->seed(F, n)) != NULL; n++) {
        size[n] = (size_t)hy_size(F, x);
        seed[n] = (unsigned char *)malloc(size[n]);
        memcpy(seed[n], hy_data(F, x), size[n]);
    }
    if (hy_error(F)) { fputs(hy_error(F), stderr); exit(2); }
    hy_close(F);
    return n;
}

typedef struct fuzz_seed_list {
    unsigned char *at[FUZZ_SEEDS];
    size_t         size[FUZZ_SEEDS];
    int            n;
} fuzz_seed_list;

/* What a run is given, which follows from its number alone: the first are the seeds as they are. A copy of
 * the exact size, so that sanitizers see its end. */
static unsigned char *fuzz_input(const struct fuzz_target *target, const fuzz_seed_list *seeds, size_t *size)
{
    int k = (int)(fuzz_number % seeds->n), model = target->run == fuzz_model;
    int choices = target->run == fuzz_graph;
    size_t n = seeds->size[k], i;
    unsigned char *work = (unsigned char *)malloc(n + FUZZ_ROOM), *exact;
    memcpy(work, seeds->at[k], n);
    fuzz_state = 0x9e3779b97f4a7c15u * (uint64_t)(fuzz_number + 1);
    if (choices) for (i = 0; i < n; i++) work[i] = (unsigned char)fuzz_draw(256);
    else if (fuzz_number >= seeds->n)
        n = fuzz_change(work, n, n + FUZZ_ROOM, model || target->run == fuzz_symbol, model);
    exact = (unsigned char *)malloc(n ? n : 1);
    memcpy(exact, work, n);
    free(work);
    *size = n;
    return exact;
}

static void fuzz_print_input(const struct fuzz_target *target, long number)
{
    fuzz_seed_list seeds;
    unsigned char *data;
    size_t n;
    seeds.n = fuzz_seeds(target, seeds.at, seeds.size);
    fuzz_number = number;
    data = fuzz_input(target, &seeds, &n);
    fuzz_frame = fuzz_open();
    if (target->run == fuzz_graph) puts(fuzz_make(fuzz_frame, (const char *)data, n));
    else fwrite(data, 1, n, stdout);
    free(data);
    while (seeds.n) free(seeds.at[--seeds.n]);
}

static void fuzz_many(const struct fuzz_target *target, long runs, long first)
{
    fuzz_seed_list seeds;
    unsigned char *data;
    long accepted = 0;
    size_t n;
    seeds.n = fuzz_seeds(target, seeds.at, seeds.size);
    for (fuzz_number = first; fuzz_number < first + runs; fuzz_number++) {
        data = fuzz_input(target, &seeds, &n);
        fuzz_skip = (int)fuzz_draw((uint32_t)target->each) > 0;
        alarm(FUZZ_SECONDS);
        if (fuzz_run(target, (const char *)data, n)) accepted++;
        else if (fuzz_number < seeds.n && target->run != fuzz_graph) {
            fprintf(stderr, "%s: seed %ld is refused\n", target->name, fuzz_number);
            exit(1);
        }
        free(data);
    }
    alarm(0);
    while (seeds.n) free(seeds.at[--seeds.n]);
    printf("%s: %ld runs, %ld accepted, %ld networks ran\n", target->name, runs, accepted, fuzz_called);
    if (runs >= 1000 && accepted < runs / 100) {
        fputs("hardly any is accepted: the seeds or the changes are no good\n", stderr);
        exit(1);
    }
}

static void fuzz_write_seeds(const struct fuzz_target *target, const char *folder)
{
    unsigned char *seed[FUZZ_SEEDS];
    size_t size[FUZZ_SEEDS];
    int seeds = fuzz_seeds(target, seed, size);
    char path[1000];
    while (seeds--) {
        FILE *f;
        sprintf(path, "%.900s/%s%d", folder, target->name, seeds);
        f = fopen(path, "wb");
        if (!f || fwrite(seed[seeds], 1, size[seeds], f) != size[seeds]) { fputs(path, stderr); exit(2); }
        fclose(f);
        free(seed[seeds]);
    }
}

/* For -dict of libFuzzer. */
static void fuzz_print_words(const struct fuzz_target *target)
{
    int text = target->run == fuzz_symbol || target->run == fuzz_model, i;
    const fuzz_words_of *w = text ? &fuzz_text_words : &fuzz_byte_words;
    hy_frame *F = fuzz_open();
    const char *s;
    fuzz_learn(F);
    hy_close(F);
    for (i = 0; i < w->n; i++) {
        putchar('"');
        for (s = w->at[i]; *s; s++) {
            if (isalnum((unsigned char)*s) || strchr("_(),.- ", *s)) putchar(*s);
            else printf("\\x%02x", (unsigned char)*s);
        }
        puts("\"");
    }
}

static void fuzz_read(const struct fuzz_target *target, const char *path)
{
    FILE *f = fopen(path, "rb");
    long n = f && !fseek(f, 0, SEEK_END) ? ftell(f) : -1;
    char *data = n < 0 ? NULL : (char *)malloc(n ? (size_t)n : 1);
    if (data) rewind(f);
    if (!data || fread(data, 1, (size_t)n, f) != (size_t)n) { fputs(path, stderr); exit(2); }
    fclose(f);
    alarm(FUZZ_SECONDS);
    fuzz_run(target, data, (size_t)n);
    free(data);
}

int main(int argc, char **argv)
{
    const struct fuzz_target *target = fuzz_find(argc > 1 ? argv[1] : NULL);
    long runs = argc > 2 ? atol(argv[2]) : 20000;
    int i;
    fuzz_target_now = target;
    fuzz_watch();
    if (argc == 4 && !strcmp(argv[2], "seeds")) fuzz_write_seeds(target, argv[3]);
    else if (argc == 4 && !strcmp(argv[2], "input")) fuzz_print_input(target, atol(argv[3]));
    else if (argc == 3 && !strcmp(argv[2], "words")) fuzz_print_words(target);
    else if (runs > 0) fuzz_many(target, runs, argc > 3 ? atol(argv[3]) : 0);
    else for (i = 2; i < argc; i++) fuzz_read(target, argv[i]);
    if (fuzz_frame) hy_close(fuzz_frame);
    return 0;
}
#endif
