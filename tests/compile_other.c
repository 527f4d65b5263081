/* A second translation unit: declarations only. */
#include "../hybrid.h"

int other_file(hy_frame *F);
int other_file(hy_frame *F)
{
    hy_array *x = hy_arange(F, 0, 3, 1);
    return (int)hy_item(F, hy_sum(F, x, HY_AXES(0), NULL));
}
