/* The tests that a machine of another kind runs, under an emulator or without a Unix: every operator, files,
 * threads, what systems do differently. Arguments as in all.c. */
#define HYBRID_PARALLEL_NS 0
#define HYBRID_CHUNK 64
#define HY__ZIP_MOST 1000
#define HY__STREAM_BYTES 500
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#include "test.h"
#include "ref.h"
#include "ops_ref.c"
#include "test_ops.c"
#ifndef HYBRID_NO_THREADS
#include "test_threads.c"
#endif
#include "test_oom.c"
#include "test_blocks.h"
#include "test_save.c"
#include "test_machines.c"
#include "test_quantize.c"

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 4096);
    if (ops_lack_references()) return 1;
    test_ask(argc > 1 ? argv[1] : NULL);
    test_machines();
#ifndef HYBRID_NO_THREADS
    test_threads();
#endif
    test_save();
    test_ops();
    test_quantize();
    printf("%d passed, %d failed\n", test_passed, test_failed);
    return test_failed != 0;
}
