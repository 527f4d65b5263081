// The header in C++: implementation, references for options, groups in braces.
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"

int main()
{
    hy_frame *F = hy_open(NULL);
    float numbers[] = {1, 2, 3, 4};
    hy_array *x = hy_floats(F, HY_SHAPE(2, 2), numbers);
    hy_softmax_opt warm = {};
    warm.temperature = 2;
    hy_reduce_opt keep = {};
    keep.keepdims = 1;
    hy_array *y = hy_softmax(F, x, NULL, -1, warm);
    hy_array *z = hy_concat(F, hy_group(F, x, y), 0);
    double total = hy_item(F, hy_sum(F, hy_sum(F, z, HY_AXES(1), keep), HY_ALL, NULL));
    bool ok = total > 11.99 && total < 12.01;
    return hy_close(F) || !ok;
}
