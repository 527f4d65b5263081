/* Every test, in one program. Small chunks and no threshold, so that even small arrays take the parallel way. */
#define HYBRID_PARALLEL_NS 0
#define HYBRID_CHUNK 64
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#include "test.h"
#include "ref.h"
#include "ops_ref.c"
#include "test_ops.c"
#include "test_frame.c"
#include "test_array.c"
#include "test_infer.c"
#include "test_autograd.c"
#include "test_threads.c"
#include "test_oom.c"

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    test_filter = argc > 1 ? argv[1] : NULL;
    test_frame();
    test_array();
    test_infer();
    test_autograd();
    test_threads();
    test_oom();
    test_ops();
    printf("%d passed, %d failed\n", test_passed, test_failed);
    return test_failed != 0;
}
