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
    hy_array *y = hy_softmax(F, x, -1, warm);
    hy_array *z = hy_concat(F, hy_group(F, x, y), 0);
    double total = hy_item(F, hy_sum(F, hy_sum(F, z, HY_AXES(1), keep), HY_ALL, NULL));
    bool ok = total > 11.99 && total < 12.01;
    hy::value a(F, x), w(F, hy_full(F, HY_SHAPE(2), -2)), b(F, y);
    hy_array *formula = relu(a * w + 20 - b / 4 + 3 / (1 - -a)) * 0.5;
    hy_array *spelt = hy_mul_scalar(F, hy_relu(F, hy_add(F,
        hy_sub(F, hy_add_scalar(F, hy_mul(F, a, w), 20), hy_div_scalar(F, b, 4)),
        hy_rdiv_scalar(F, hy_rsub_scalar(F, hy_negative(F, a), 1), 3))), 0.5);
    ok = ok && hy_item(F, hy_sum(F, hy_not_equal(F, formula, spelt), HY_ALL, NULL)) == 0 && hy_size(F, formula) == 4;
    return hy_close(F) || !ok;
}
