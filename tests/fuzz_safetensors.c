/* Any bytes as arrays (safetensors): see fuzz.h. */
#include "fuzz.h"
static void fuzz_one(hy_frame *F, const char *data, size_t size) { hy_load_from(F, data, size, size & 1); }
static hy_array *fuzz_seed(hy_frame *F, int k) { return k ? NULL : fuzz_arrays(F, HY_FORMAT_SAFETENSORS); }
