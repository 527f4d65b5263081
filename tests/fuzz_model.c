/* Any bytes as one file of program and parameters; what loads is run. Checksums are made right first, or little
 * would be reached: see fuzz.h. */
#include "fuzz.h"
static void fuzz_sums(hy_frame *F, char *data, size_t size)
{
    hy__input all, part;
    hy__zip z;
    int i, k;
    hy__memory_input(&all, F, data, size, 0);
    if (hy__zip_open(&all, &z)) return;
    for (i = 0; i < 16 && z.left; i++) {
        uint64_t entry = z.at;
        char *name = hy__zip_entry(&all, &z, &part);
        uint32_t sum;
        hy__free(&F->root->heap, name);
        if (name) continue;
        if (!strstr(hy_error(F), "checksum")) return;
        hy_clear(F);
        sum = hy__crc_add(&z.crc, 0, data + part.base, (size_t)part.bytes);
        for (k = 0; k < 4; k++) data[entry + 16 + (uint64_t)k] = (char)(sum >> 8 * k & 255);
    }
}

static void fuzz_one(hy_frame *F, const char *data, size_t size)
{
    char *copy = (char *)malloc(size + 1);
    hy_block *net;
    hy_array *y;
    memcpy(copy, data, size);
    fuzz_sums(F, copy, size);
    hy_clear(F);
    net = hy_load_model_from(F, copy, size, size & 1);
    y = net ? hy_call(F, net, hy_ones(F, HY_SHAPE(2, 3))) : NULL;
    (void)y;
    hy_clear(F);
    hy_block_free(F, net);
    free(copy);
}

static hy_array *fuzz_seed(hy_frame *F, int k)
{
    return k ? NULL : hy_save_model_to(F, fuzz_net(F), hy_ones(F, HY_SHAPE(2, 3)));
}
