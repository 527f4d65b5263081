/* Hostile files. One target for each reader:
 *     params, npy, zip, safetensors   any bytes as arrays
 *     symbol    any bytes as model-symbol.json; what is accepted must come back the same when written and read
 *     model     any bytes as one file of program and parameters; what loads is run
 * A run must neither crash nor hang, keep memory, or take more than 128 MB. With libFuzzer:
 *     clang -g -O1 -fsanitize=fuzzer,address,undefined tests/fuzz.c -o fuzz -lm -lpthread
 *     FUZZ=symbol ./fuzz -max_len=16384 CORPUS tests/seeds/symbol
 * Without it any compiler will do, and the program changes its own seeds (from the library's writers), in the
 * same way each time, or reads files (as AFL calls it):
 *     cc -DFUZZ_ALONE tests/fuzz.c -o fuzz -lm -lpthread
 *     ./fuzz symbol [RUNS [FIRST]]        ./fuzz symbol FILE...        ./fuzz symbol seeds FOLDER */
#define HYBRID_IMPLEMENTATION
#define HYBRID_NO_THREADS
#define HYBRID_NO_SIMD
#include "../hybrid.h"
#include <stdio.h>

static hy_frame *fuzz_frame;

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
    desc.threads = 1;
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

/* --- graphs --- */
static hy_block *fuzz_net(hy_frame *F)
{
    hy_nn_dense_opt relu = { 0 };
    hy_block *net = hy_nn_hybrid_sequential(F);
    relu.activation = "relu";
    hy_append(F, net, hy_nn_dense(F, 2, &relu), hy_nn_batch_norm(F, NULL), hy_nn_dropout(F, 0.5, NULL),
              hy_nn_dense(F, 1, NULL));
    hy_initialize(F, net, NULL);
    return net;
}

static int fuzz_symbol(hy_frame *F, const char *data, size_t size)
{
    hy_graph *g = hy_symbol_from(F, data, size), *again;
    hy_array *a, *b;
    hy_block *net;
    if (!g) return hy_error(F) && strstr(hy_error(F), "control flow cannot run yet");   /* well formed */
    a = hy_symbol_to(F, g);
    again = a ? hy_symbol_from(F, (const char *)hy_data(F, a), (size_t)hy_size(F, a)) : NULL;
    b = again ? hy_symbol_to(F, again) : NULL;
    if (b && (hy_size(F, a) != hy_size(F, b) || memcmp(hy_data(F, a), hy_data(F, b), (size_t)hy_size(F, a)))) abort();
    hy_clear(F);
    net = hy_nn_symbol_block(F, g, NULL);
    hy_clear(F);
    hy_block_free(F, net);
    hy_graph_free(F, g);
    hy_graph_free(F, again);
    return 1;
}

#define FUZZ_HEAD "{\"nodes\":[{\"op\":\"null\",\"name\":\"x\",\"inputs\":[]},"
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
        FUZZ_HEAD "{\"op\":\"_foreach\",\"name\":\"f\",\"inputs\":[[0,0,0]],\"subgraphs\":[" FUZZ_HEAD "{\"op\":\"relu\",\"name\":\"r\","
        "\"inputs\":[[0,0,0]]}],\"arg_nodes\":[0],\"node_row_ptr\":[0,1,2],\"heads\":[[1,0,0]]}]}],\"arg_nodes\":[0],\"heads\":[[1,0,0]]}"
    };
    hy_array *text = NULL;
    if (!k) hy_export_to(F, fuzz_net(F), hy_ones(F, HY_SHAPE(2, 3)), &text, NULL);
    else if (k <= (int)(sizeof texts / sizeof *texts)) text = hy_from(F, HY_SHAPE((int64_t)strlen(texts[k - 1])), HY_U8, texts[k - 1]);
    return text;
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
    if (net) hy_call(F, net, hy_ones(F, HY_SHAPE(2, 3)));
    hy_clear(F);
    hy_block_free(F, net);
    free(copy);
    return net != NULL;
}

static hy_array *fuzz_model_seed(hy_frame *F, int k)
{
    return k ? NULL : hy_save_model_to(F, fuzz_net(F), hy_ones(F, HY_SHAPE(2, 3)));
}

/* --- one run --- */
static const struct fuzz_target {
    const char *name;
    int       (*run)(hy_frame *F, const char *data, size_t size);
    hy_array *(*seed)(hy_frame *F, int k);              /* NULL: no more */
} fuzz_targets[] = {
    { "params", fuzz_arrays, fuzz_params_seed }, { "npy", fuzz_arrays, fuzz_npy_seed }, { "zip", fuzz_arrays, fuzz_zip_seed },
    { "safetensors", fuzz_arrays, fuzz_safe_seed }, { "symbol", fuzz_symbol, fuzz_symbol_seed }, { "model", fuzz_model, fuzz_model_seed } };

static const struct fuzz_target *fuzz_find(const char *name)
{
    size_t i;
    for (i = 0; name && i < sizeof fuzz_targets / sizeof *fuzz_targets; i++)
        if (!strcmp(fuzz_targets[i].name, name)) return &fuzz_targets[i];
    fputs("which target? params npy zip safetensors symbol model\n", stderr);
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
static uint64_t fuzz_state;
static uint32_t fuzz_draw(uint32_t n)
{
    fuzz_state ^= fuzz_state << 13;
    fuzz_state ^= fuzz_state >> 7;
    fuzz_state ^= fuzz_state << 17;
    return (uint32_t)(fuzz_state >> 20) % n;
}

/* A few changes: bits, bytes of interest, pieces moved, cut off or doubled. */
static size_t fuzz_change(unsigned char *data, size_t size, size_t room)
{
    static const unsigned char special[] = { 0, 1, 0xff, 0x7f, 0x80, '"', '{', '[', ']', ',', '9', '-', '\\', '(' };
    uint32_t times = 1 + fuzz_draw(6), at, to, n;
    while (times-- && size > 1) {
        at = fuzz_draw((uint32_t)size);
        n = 1 + fuzz_draw(8);
        if (n > size - at) n = (uint32_t)(size - at);
        switch (fuzz_draw(7)) {
        case 0: data[at] ^= (unsigned char)(1u << fuzz_draw(8)); break;
        case 1: data[at] = special[fuzz_draw(sizeof special)]; break;
        case 2: memset(data + at, special[fuzz_draw(5)], n); break;
        case 3: data[at] = (unsigned char)fuzz_draw(256); break;
        case 4: to = fuzz_draw((uint32_t)size); if (to + n <= size) memmove(data + to, data + at, n); break;
        case 5: size = fuzz_draw(8) ? size : at; break;
        default:
            if (size + n > room) break;
            memmove(data + at + n, data + at, size - at);
            size += n;
        }
    }
    return size;
}

/* Seeds, copied out of the frame that made them. */
enum { FUZZ_SEEDS = 16, FUZZ_ROOM = 64 };
static int fuzz_seeds(const struct fuzz_target *target, unsigned char **seed, size_t *size)
{
    hy_frame *F = fuzz_open();
    hy_array *x;
    int n = 0;
    for (; n < FUZZ_SEEDS && (x = target->seed(F, n)) != NULL; n++) {
        size[n] = (size_t)hy_size(F, x);
        seed[n] = (unsigned char *)malloc(size[n]);
        memcpy(seed[n], hy_data(F, x), size[n]);
    }
    if (hy_error(F)) { fputs(hy_error(F), stderr); exit(2); }
    hy_close(F);
    return n;
}

static void fuzz_many(const struct fuzz_target *target, long runs, long first)
{
    unsigned char *seed[FUZZ_SEEDS], *work;
    size_t size[FUZZ_SEEDS], n;
    int seeds = fuzz_seeds(target, seed, size), k;
    long i, accepted = 0;
    fuzz_state = 0x9e3779b97f4a7c15u + (uint64_t)first * 977;
    for (i = 0; i < runs; i++) {
        unsigned char *exact;           /* so that sanitizers see its end */
        k = (int)(i % seeds);
        work = (unsigned char *)malloc(size[k] + FUZZ_ROOM);
        memcpy(work, seed[k], size[k]);
        n = i < seeds ? size[k] : fuzz_change(work, size[k], size[k] + FUZZ_ROOM);
        exact = (unsigned char *)malloc(n ? n : 1);
        memcpy(exact, work, n);
        free(work);
        if (fuzz_run(target, (const char *)exact, n)) accepted++;
        else if (i < seeds) { fprintf(stderr, "%s: seed %d is refused\n", target->name, k); exit(1); }
        free(exact);
    }
    while (seeds) free(seed[--seeds]);
    printf("%s: %ld runs, %ld accepted\n", target->name, runs, accepted);
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

static void fuzz_read(const struct fuzz_target *target, const char *path)
{
    FILE *f = fopen(path, "rb");
    long n = f && !fseek(f, 0, SEEK_END) ? ftell(f) : -1;
    char *data = n < 0 ? NULL : (char *)malloc(n ? (size_t)n : 1);
    if (data) rewind(f);
    if (!data || fread(data, 1, (size_t)n, f) != (size_t)n) { fputs(path, stderr); exit(2); }
    fclose(f);
    fuzz_run(target, data, (size_t)n);
    free(data);
}

int main(int argc, char **argv)
{
    const struct fuzz_target *target = fuzz_find(argc > 1 ? argv[1] : NULL);
    long runs = argc > 2 ? atol(argv[2]) : 20000;
    int i;
    if (argc == 4 && !strcmp(argv[2], "seeds")) fuzz_write_seeds(target, argv[3]);
    else if (runs > 0) fuzz_many(target, runs, argc > 3 ? atol(argv[3]) : 1);
    else for (i = 2; i < argc; i++) fuzz_read(target, argv[i]);
    if (fuzz_frame) hy_close(fuzz_frame);
    return 0;
}
#endif
