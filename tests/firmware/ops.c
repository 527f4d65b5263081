/* Operators whose options are enums, on a microcontroller whose compiler makes enums as short as can be. Says
 * "firmware: right". */
#define HYBRID_OPS(X) X(cast) X(relu) X(one_hot) X(argsort) X(topk) X(softmax) X(sum) X(transpose) X(sequence_mask) X(_arange)
#define HYBRID_IMPLEMENTATION
#include "switches.h"
#include "hybrid.h"
#include <stdio.h>

static double block[24000];
static const float v[6] = { 3.5f, -1, 2, 6, 5, 4 }, lengths[2] = { 1, 2 };

int main(void)
{
    hy_desc desc;
    hy_frame *F;
    hy_array *x, *y;
    hy_one_hot_opt one;
    hy_topk_opt top;
    hy_sequence_mask_opt mask;
    int right;
    memset(&desc, 0, sizeof desc);
    memset(&one, 0, sizeof one);
    memset(&top, 0, sizeof top);
    memset(&mask, 0, sizeof mask);
    desc.memory = block;
    desc.memory_bytes = sizeof block;
    F = hy_open(&desc);
    x = hy_floats(F, HY_SHAPE(3, 2), v);
    y = hy_cast(F, hy_relu(F, x), HY_I32);
    right = hy_dtype_of(F, y) == HY_I32 && hy_value(F, y, 0, 0) == 3 && hy_value(F, y, 0, 1) == 0;
    right &= hy_dtype_of(F, hy_cast(F, x, HY_F16)) == HY_F16;
    one.dtype = HY_I64;
    y = hy_one_hot(F, hy_arange(F, 0, 3, 1), 4, &one);
    right &= hy_dtype_of(F, y) == HY_I64 && hy_value(F, y, 2, 2) == 1 && hy_value(F, y, 2, 3) == 0;
    right &= hy_dtype_of(F, hy_one_hot(F, hy_arange(F, 0, 3, 1), 4, NULL)) == HY_F32;
    y = hy_argsort(F, x, 0, NULL);
    right &= hy_dtype_of(F, y) == HY_F32 && hy_value(F, y, 0, 0) == 1 && hy_value(F, y, 2, 1) == 1;
    top.ret_typ = HY_TOPK_VALUE;
    right &= hy_value(F, hy_topk(F, x, 1, 1, &top), 1, 0) == 6;
    mask.use_sequence_length = 1;
    mask.value = -1;
    y = hy_sequence_mask(F, x, hy_floats(F, HY_SHAPE(2), lengths), &mask);
    right &= hy_value(F, y, 1, 0) == -1 && hy_value(F, y, 1, 1) == 6;
    y = hy_sum(F, hy_transpose(F, hy_softmax(F, x, 1, NULL), HY_ALL), HY_AXES(0), NULL);
    right &= fabs(hy_value(F, y, 2) - 1) < 1e-6;
    if (hy_error(F)) printf("%s\n", hy_error(F));
    printf("sizeof(hy_dtype) %d, %ld KB\nfirmware: %s\n", (int)sizeof(hy_dtype),
           (long)((hy_memory_use(F).peak + 1023) / 1024), right && !hy_error(F) ? "right" : "wrong");
    return hy_close(F);
}
