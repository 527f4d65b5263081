/* Kernels go by whole steps: what is left over has the bits of a longer array's elements, and nothing behind
 * the result is touched. */
#include "test.h"

static hy_array *whole_pick(hy_frame *F, int op, hy_array *x, hy_array *y)
{
    switch (op) {
    case 0:  return hy_add(F, x, y);
    case 1:  return hy_mod(F, x, y);
    case 2:  return hy_exp(F, x);
    case 3:  return hy_rsub_scalar(F, x, 3);
    case 4:  return hy_greater(F, x, y);
    case 5:  return hy_power(F, hy_abs(F, x), y);
    case 6:  return hy_cast(F, x, HY_F16);
    default: return hy_sqrt(F, hy_abs(F, x));
    }
}

static void whole_steps(void)
{
    static const hy_dtype type[] = { HY_F32, HY_F64, HY_F16 };
    enum { N = 67 };
    hy_frame *F = hy_open(NULL);
    int t, op, n;
    for (t = 0; t < 3; t++) {
        hy_array *x = hy_cast(F, hy_normal(F, HY_SHAPE(N), 0, 2), type[t]);
        hy_array *y = hy_cast(F, hy_uniform(F, HY_SHAPE(N), 1, 2), type[t]);
        for (op = 0; op < 8; op++) {
            hy_array *all = whole_pick(F, op, x, y);
            size_t size = hy_dtype_size(op == 6 ? HY_F16 : type[t]);
            for (n = 1; n < N && !hy_error(F); n++) {
                hy_begin(F);
                hy_array *part = whole_pick(F, op, hy_slice_axis(F, x, 0, 0, n), hy_slice_axis(F, y, 0, 0, n));
                CHECK(part && !memcmp(hy_data(F, part), hy_data(F, all), (size_t)n * size));
                hy_end(F);
            }
        }
    }
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
}

/* Sums over rows: columns that are left over have the bits of the others. */
static void whole_sums(void)
{
    enum { ROWS = 9, N = 37 };
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_normal(F, HY_SHAPE(ROWS, N), 0, 1);
    hy_array *sum = hy_sum(F, x, HY_AXES(0), NULL), *most = hy_max(F, x, HY_AXES(0), NULL);
    int n;
    for (n = 1; n < N && !hy_error(F); n++) {
        hy_array *part = hy_slice_axis(F, x, 1, 0, n);
        CHECK(!memcmp(hy_data(F, hy_sum(F, part, HY_AXES(0), NULL)), hy_data(F, sum), (size_t)n * 4));
        CHECK(!memcmp(hy_data(F, hy_max(F, part, HY_AXES(0), NULL)), hy_data(F, most), (size_t)n * 4));
    }
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
}

static void test_whole(void)
{
    RUN(whole_steps);
    RUN(whole_sums);
}
