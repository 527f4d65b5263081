/* Declarations first, then the same header again with the code; used from a second file too (compile_other.c). */
#include "../hybrid.h"
#include "../hybrid.h"
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#include "../hybrid.h"

int other_file(hy_frame *F);

int main(void)
{
    hy_frame *F = hy_open(NULL);
    float two[2];
    int ok;
    two[0] = 1;
    two[1] = 2;
    ok = hy_item(F, hy_sum(F, hy_floats(F, HY_SHAPE(2), two), HY_ALL, NULL)) == 3;
    ok = ok && other_file(F) == 3;
    return hy_close(F) || !ok;
}
