/* Any bytes as .params, with seeds of the old and the sparse forms too: see fuzz.h. */
#include "fuzz.h"
static void fuzz_one(hy_frame *F, const char *data, size_t size) { hy_load_from(F, data, size, size & 1); }

static char *fuzz_u32(char *to, uint32_t v)
{
    int i;
    for (i = 0; i < 4; i++) *to++ = (char)(v >> 8 * i & 255);
    return to;
}

/* The head of a list of one array without a name, then words. */
static hy_array *fuzz_words(hy_frame *F, int n, const uint32_t *word)
{
    char text[512], *to = text;
    int i;
    to = fuzz_u32(fuzz_u32(fuzz_u32(fuzz_u32(fuzz_u32(fuzz_u32(to, 0x112), 0), 0), 0), 1), 0);
    for (i = 0; i < n; i++) to = fuzz_u32(to, word[i]);
    to = fuzz_u32(fuzz_u32(to, 0), 0);
    return hy_from(F, HY_SHAPE(to - text), HY_U8, text);
}

static hy_array *fuzz_seed(hy_frame *F, int k)
{
    static const uint32_t v0[] = { 2, 1, 2, 1, 0, 0, 7, 8 };
    static const uint32_t v1[] = { 0xF993FAC8u, 2, 1, 0, 2, 0, 1, 0, 0, 7, 8 };
    static const uint32_t rows[] = { 0xF993FAC9u, 1, 2, 1, 0, 2, 0, 2, 4, 0, 2, 0, 1, 0, 0, 6, 1, 1, 0, 7, 8, 3, 0 };
    static const uint32_t csr[] = { 0xF993FAC9u, 2, 1, 1, 0, 2, 2, 0, 3, 0, 1, 0, 0, 6, 1, 3, 0, 6, 1, 1, 0, 7,
                                    0, 0, 1, 0, 1, 0, 2, 0 };
    switch (k) {
    case 0: return fuzz_arrays(F, HY_FORMAT_PARAMS);
    case 1: return fuzz_words(F, 8, v0);
    case 2: return fuzz_words(F, 11, v1);
    case 3: return fuzz_words(F, 23, rows);
    case 4: return fuzz_words(F, 30, csr);
    default: return NULL;
    }
}
