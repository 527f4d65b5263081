/* What the fuzz targets share. Each is built by
 *     clang -g -O1 -fsanitize=fuzzer,address,undefined tests/fuzz_X.c -lm -lpthread
 * or, without libFuzzer, by any compiler with -DFUZZ_ALONE: then it changes its own seeds,
 *     ./fuzz_X [runs] [first seed]
 * Seeds are made by the library's own writers. A run must neither crash nor keep memory. */
#define HYBRID_IMPLEMENTATION
#define HYBRID_NO_THREADS
#define HYBRID_NO_SIMD
#include "../hybrid.h"

static hy_frame *fuzz_frame;

static hy_frame *fuzz_open(void)
{
    hy_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.threads = 1;
    return hy_open(&desc);
}

/* Arrays of several types and shapes, in a format. */
static hy_array *fuzz_arrays(hy_frame *F, hy_format format)
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

static void fuzz_one(hy_frame *F, const char *data, size_t size);       /* of each target */
static hy_array *fuzz_seed(hy_frame *F, int k);                         /* NULL: no more */

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static size_t held;
    if (!fuzz_frame) fuzz_frame = fuzz_open();
    hy_begin(fuzz_frame);
    fuzz_one(fuzz_frame, (const char *)data, size);
    hy_clear(fuzz_frame);
    hy_end(fuzz_frame);
    hy_trim(fuzz_frame);
    if (!held) held = hy_memory_use(fuzz_frame).bytes + (1u << 20);
    if (hy_memory_use(fuzz_frame).bytes > held + (16u << 20)) {          /* names of freed blocks stay; little else may */
        hy_close(fuzz_frame);
        fuzz_frame = NULL;
        held = 0;
    }
    return 0;
}

#ifdef FUZZ_ALONE
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
        case 5: size = fuzz_draw(4) ? size : at; break;
        default:
            if (size + n > room) break;
            memmove(data + at + n, data + at, size - at);
            size += n;
        }
    }
    return size;
}

int main(int argc, char **argv)
{
    long runs = argc > 1 ? atol(argv[1]) : 20000, i, seeds = 0, accepted = 0;
    unsigned char *seed[16], *copy;
    size_t size[16], n;
    hy_frame *F = fuzz_open();
    for (; seeds < 16; seeds++) {
        hy_array *x = fuzz_seed(F, (int)seeds);
        if (!x) break;
        size[seeds] = (size_t)hy_size(F, x);
        seed[seeds] = (unsigned char *)malloc(size[seeds] + 1);
        memcpy(seed[seeds], hy_data(F, x), size[seeds]);
    }
    if (hy_error(F)) puts(hy_error(F));
    hy_close(F);
    fuzz_state = 0x9e3779b97f4a7c15u + (uint64_t)(argc > 2 ? atol(argv[2]) : 1) * 977;
    for (i = 0; i < runs; i++) {
        int k = (int)(i % seeds);
        copy = (unsigned char *)malloc(size[k] + 64);
        memcpy(copy, seed[k], size[k]);
        n = i < seeds ? size[k] : fuzz_change(copy, size[k], size[k] + 64);
        copy = (unsigned char *)realloc(copy, n + 1);   /* so that sanitizers see the end (but for one byte) */
        LLVMFuzzerTestOneInput(copy, n);
        free(copy);
    }
    hy_close(fuzz_frame);
    while (seeds) free(seed[--seeds]);
    printf("%ld runs\n", runs);
    (void)accepted;
    return 0;
}
#endif
