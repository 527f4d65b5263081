/* Arrays: making, reading, writing, views, casts, text, random numbers. FAILS and FINE stand in test_frame.c,
 * included before. */
#include <limits.h>
#include <math.h>
#include <unistd.h>

/* An array has these elements, in order. */
#define ARRAY_IS(F, x, ...) array_is(F, x, (int)(sizeof((double[]){ __VA_ARGS__ }) / sizeof(double)), \
                                     (const double[]){ __VA_ARGS__ }, __FILE__, __LINE__)
/* ... this text. */
#define ARRAY_TEXT(F, x, want) array_text(F, x, want, __FILE__, __LINE__)
/* ... this type and these dims. */
#define ARRAY_TYPE(F, x, dtype, ...) array_type(F, x, dtype, HY_SHAPE(__VA_ARGS__), __FILE__, __LINE__)

static const hy_dtype array_dtypes[] = {
    HY_F32, HY_F64, HY_F16, HY_BF16, HY_I8, HY_U8, HY_I32, HY_I64, HY_BOOL
};
enum { ARRAY_DTYPES = sizeof array_dtypes / sizeof *array_dtypes };

static void array_is(hy_frame *F, hy_array *x, int n, const double *want, const char *file, int line)
{
    double got[64];
    int i;
    frame_fine(F, file, line);
    if (!test_check(hy_size(F, x) == n, "the size", file, line)) { hy_clear(F); return; }
    test_check(hy_to(F, x, HY_F64, got, sizeof got) == (size_t)n * sizeof *got, "bytes of hy_to", file, line);
    for (i = 0; i < n; i++)
        if (!isnan(want[i]) || !isnan(got[i])) test_check_near(got[i], want[i], 0, file, line);
}

static void array_text(hy_frame *F, hy_array *x, const char *want, const char *file, int line)
{
    char text[4096];
    size_t length = hy_text(F, x, text, sizeof text);
    frame_fine(F, file, line);
    test_check_text(text, want, file, line);
    test_check(length == strlen(want), "the length given by hy_text", file, line);
}

static void array_type(hy_frame *F, hy_array *x, hy_dtype dtype, hy_shape shape, const char *file, int line)
{
    hy_shape got = hy_shape_of(F, x);
    int i, same = got.ndim == shape.ndim;
    for (i = 0; same && i < got.ndim; i++) same = got.dim[i] == shape.dim[i];
    test_check(same, "the shape", file, line);
    test_check_text(hy_dtype_name(hy_dtype_of(F, x)), hy_dtype_name(dtype), file, line);
}

/* --- making --- */
static void array_from_copies_every_type(void)
{
    const double value[4] = { 0, 1, 2, 100 };
    hy_frame *F = hy_open(NULL);
    int t, i;
    for (t = 0; t < ARRAY_DTYPES; t++) {
        hy_dtype dtype = array_dtypes[t];
        hy_array *x = hy_cast(F, hy_from(F, HY_SHAPE(2, 2), HY_F64, value), dtype), *y;
        char room[4 * sizeof(double)];
        ARRAY_TYPE(F, x, dtype, 2, 2);
        CHECK(hy_to(F, x, dtype, room, sizeof room) == 4 * hy_dtype_size(dtype));
        y = hy_from(F, HY_SHAPE(2, 2), dtype, room);
        memset(room, 1, sizeof room);
        for (i = 0; i < 4; i++)
            CHECK(hy_value(F, y, i / 2, i % 2) == (dtype == HY_BOOL ? value[i] != 0 : value[i]));
        CHECK(!hy_error(F));
    }
    CHECK(hy_close(F) == 0);
}

static void array_dtypes_have_sizes_and_names(void)
{
    static const int size[] = { 4, 8, 2, 2, 1, 1, 4, 8, 1 };
    static const char *name[] = {
        "float32", "float64", "float16", "bfloat16", "int8", "uint8", "int32", "int64", "bool"
    };
    int t;
    for (t = 0; t < ARRAY_DTYPES; t++) {
        CHECK(hy_dtype_size(array_dtypes[t]) == (size_t)size[t]);
        CHECK_STR(hy_dtype_name(array_dtypes[t]), name[t]);
    }
    CHECK(hy_dtype_size((hy_dtype)77) == 0 && hy_dtype_name((hy_dtype)77) && hy_dtype_name((hy_dtype)-1));
}

static void array_borrow_shares_memory(void)
{
    float mine[4] = { 1, 2, 3, 4 };
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_borrow(F, HY_SHAPE(4), HY_F32, mine);
    CHECK(hy_data(F, x) == mine);
    hy_set_value(F, x, 9, 1);
    CHECK(mine[1] == 9);
    mine[2] = 7;
    hy_touch(F, x);
    ARRAY_IS(F, x, 1, 9, 7, 4);
    hy_free(F, x);
    CHECK(mine[3] == 4);
    CHECK(hy_close(F) == 0);
}

static void array_makers_give_their_values(void)
{
    hy_frame *F = hy_open(NULL);
    ARRAY_IS(F, hy_zeros(F, HY_SHAPE(3)), 0, 0, 0);
    ARRAY_IS(F, hy_ones(F, HY_SHAPE(2, 1)), 1, 1);
    ARRAY_IS(F, hy_full(F, HY_SHAPE(2), -2.5), -2.5, -2.5);
    ARRAY_IS(F, hy_scalar(F, 4), 4);
    ARRAY_IS(F, hy_arange(F, 0, 5, 1), 0, 1, 2, 3, 4);
    ARRAY_IS(F, hy_arange(F, 1, 2, 0.25), 1, 1.25, 1.5, 1.75);
    ARRAY_IS(F, hy_arange(F, 10, 0, -3), 10, 7, 4, 1);
    CHECK(hy_size(F, hy_arange(F, 0, 1, 0.3)) == 4);
    ARRAY_IS(F, hy_linspace(F, 0, 1, 5), 0, 0.25, 0.5, 0.75, 1);
    ARRAY_IS(F, hy_linspace(F, 3, 4, 1), 3);
    ARRAY_IS(F, hy_logspace(F, 0, 3, 4, 2), 1, 2, 4, 8);
    ARRAY_IS(F, hy_logspace(F, 2, 9, 1, 10), 100);
    ARRAY_IS(F, hy_linspace(F, 2, -2, 3), 2, 0, -2);
    CHECK(hy_size(F, hy_linspace(F, 0, 1, 0)) == 0);
    ARRAY_IS(F, hy_eye(F, 2, 3, 0), 1, 0, 0, 0, 1, 0);
    ARRAY_IS(F, hy_eye(F, 2, 3, 1), 0, 1, 0, 0, 0, 1);
    ARRAY_IS(F, hy_eye(F, 3, 2, -1), 0, 0, 1, 0, 0, 1);
    ARRAY_IS(F, hy_eye(F, 2, 2, 5), 0, 0, 0, 0);
    ARRAY_TYPE(F, hy_eye(F, 2, 0, 0), HY_F32, 2, 2);
    ARRAY_TYPE(F, hy_zeros(F, HY_SHAPE(2, 3)), HY_F32, 2, 3);
    CHECK_STR(hy_context_of(F, hy_zeros(F, HY_SHAPE(1))), "cpu(0)");
    FINE(F);
    CHECK(hy_close(F) == 0);
}

static void array_bad_ranges_are_errors(void)
{
    hy_frame *F = hy_open(NULL);
    CHECK(!hy_arange(F, 0, 10, 0));
    FAILS(F, HY_ERROR_ARGUMENT, "arange");
    CHECK(!hy_arange(F, 0, 1e300, 1));
    CHECK(hy_error(F) && strstr(hy_error(F), "arange"));
    hy_clear(F);
    CHECK(!hy_arange(F, 0, NAN, 1));
    FAILS(F, HY_ERROR_ARGUMENT, "arange");
    CHECK(!hy_arange(F, 0, INFINITY, 1));
    CHECK(hy_error(F) && strstr(hy_error(F), "arange"));
    hy_clear(F);
    CHECK(!hy_logspace(F, 0, 1, -1, 10));
    FAILS(F, HY_ERROR_ARGUMENT, "num is -1");
    CHECK(!hy_linspace(F, 0, 1, -1));
    FAILS(F, HY_ERROR_ARGUMENT, "linspace");
    CHECK(!hy_eye(F, -3, 2, 0));
    CHECK(hy_error(F) && strstr(hy_error(F), "eye"));
    hy_clear(F);
    CHECK(hy_close(F) == 0);
}

static void array_sizes_of_zero_are_legal(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_zeros(F, HY_SHAPE(0, 3)), *y = hy_from(F, HY_SHAPE(2, 0), HY_I32, NULL);
    float room[1] = { 5 };
    CHECK(hy_size(F, x) == 0 && hy_ndim(F, x) == 2 && hy_dim(F, x, 1) == 3 && hy_dim(F, x, -2) == 0);
    CHECK(hy_size(F, y) == 0);
    ARRAY_TYPE(F, hy_add(F, x, hy_ones(F, HY_SHAPE(3))), HY_F32, 0, 3);
    ARRAY_TYPE(F, hy_relu(F, x), HY_F32, 0, 3);
    ARRAY_TYPE(F, hy_cast(F, y, HY_F16), HY_F16, 2, 0);
    ARRAY_TYPE(F, hy_view_transpose(F, x, HY_ALL), HY_F32, 3, 0);
    ARRAY_TYPE(F, hy_view_slice(F, hy_ones(F, HY_SHAPE(4)), 0, 3, 1, 1), HY_F32, 0);
    ARRAY_TYPE(F, hy_uniform(F, HY_SHAPE(0), 0, 1), HY_F32, 0);
    ARRAY_TYPE(F, hy_shuffle(F, x), HY_F32, 0, 3);
    ARRAY_IS(F, hy_sum(F, x, HY_ALL, NULL), 0);
    ARRAY_IS(F, hy_sum(F, x, HY_AXES(0), NULL), 0, 0, 0);
    hy_fill(F, x, 1);
    hy_assign(F, x, hy_ones(F, HY_SHAPE(3)));
    hy_add_to(F, x, x);
    CHECK(hy_to(F, x, HY_F32, room, 0) == 0 && room[0] == 5);
    FINE(F);
    CHECK(hy_close(F) == 0);
}

static void array_scalars_have_no_dims(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_scalar(F, 3), *y = hy_full(F, HY_SCALAR, 4);
    CHECK(hy_ndim(F, x) == 0 && hy_size(F, x) == 1 && hy_item(F, x) == 3);
    CHECK(hy_value_of(F, x, HY_SCALAR) == 3);
    hy_set_value_of(F, x, HY_SCALAR, 5);
    CHECK(hy_item(F, hy_add(F, x, y)) == 9 && hy_ndim(F, hy_add(F, x, y)) == 0);
    ARRAY_TYPE(F, hy_add(F, x, hy_ones(F, HY_SHAPE(2, 2))), HY_F32, 2, 2);
    ARRAY_IS(F, hy_view_reshape(F, x, HY_SHAPE(1, 1)), 5);
    CHECK(hy_ndim(F, hy_view_index(F, hy_ones(F, HY_SHAPE(2)), 0, 0)) == 0);
    FINE(F);
    hy_dim(F, x, 0);
    FAILS(F, HY_ERROR_INDEX, "hy_dim");
    CHECK(hy_close(F) == 0);
}

static void array_has_at_most_eight_dims(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_ones(F, HY_SHAPE(1, 2, 1, 2, 1, 2, 1, 2)), *sum;
    hy_shape nine = { 9, { 1, 1, 1, 1, 1, 1, 1, 1 } }, minus = { -1, { 0 } };
    hy_set_value(F, x, 5, 0, 1, 0, 1, 0, 1, 0, 1);
    sum = hy_sum(F, hy_view_transpose(F, hy_add(F, x, x), HY_ALL), HY_ALL, NULL);
    CHECK(hy_item(F, sum) == 40 && hy_value(F, x, -1, -1, -1, -1, -1, -1, -1, -1) == 5);
    FINE(F);
    CHECK(!hy_zeros(F, nine));
    FAILS(F, HY_ERROR_SHAPE, "9 dims");
    CHECK(!hy_empty(F, nine, HY_F32));
    FAILS(F, HY_ERROR_SHAPE, "9 dims");
    CHECK(!hy_from(F, nine, HY_F32, "data"));
    FAILS(F, HY_ERROR_SHAPE, "9 dims");
    CHECK(!hy_view_reshape(F, hy_ones(F, HY_SHAPE(1)), nine));
    FAILS(F, HY_ERROR_SHAPE, "9 dims");
    CHECK(!hy_zeros(F, minus));
    FAILS(F, HY_ERROR_SHAPE, "");
    CHECK(!hy_expand_dims(F, x, 0));
    FAILS(F, HY_ERROR_SHAPE, "expand_dims");
    CHECK(hy_close(F) == 0);
}

static void array_bad_shapes_and_types_are_errors(void)
{
    const int64_t huge = INT64_MAX;
    hy_frame *F = hy_open(NULL);
    char data[8] = "";
    CHECK(!hy_zeros(F, HY_SHAPE(2, -3)));
    FAILS(F, HY_ERROR_SHAPE, "negative");
    CHECK(!hy_empty(F, HY_SHAPE(-1), HY_F32));
    FAILS(F, HY_ERROR_SHAPE, "negative");
    CHECK(!hy_from(F, HY_SHAPE(INT64_MIN), HY_F32, data));
    FAILS(F, HY_ERROR_SHAPE, "negative");
    CHECK(!hy_empty(F, HY_SHAPE(huge, huge, huge), HY_F64));
    FAILS(F, HY_ERROR_SHAPE, "too large");
    CHECK(!hy_zeros(F, HY_SHAPE(huge / 4 + 1)));
    FAILS(F, HY_ERROR_SHAPE, "too large");
    CHECK(!hy_uniform(F, HY_SHAPE((int64_t)1 << 32, (int64_t)1 << 32), 0, 1));
    FAILS(F, HY_ERROR_SHAPE, "too large");
    CHECK(!hy_borrow(F, HY_SHAPE(huge, 8), HY_I8, data));
    FAILS(F, HY_ERROR_SHAPE, "too large");
    CHECK(!hy_empty(F, HY_SHAPE(2), (hy_dtype)77));
    FAILS(F, HY_ERROR_DTYPE, "77");
    CHECK(!hy_empty(F, HY_SHAPE(2), HY_DTYPE_NONE));
    FAILS(F, HY_ERROR_DTYPE, "hy_empty");
    CHECK(!hy_cast(F, hy_ones(F, HY_SHAPE(2)), (hy_dtype)-4));
    CHECK(hy_error(F) && strstr(hy_error(F), "cast"));
    hy_clear(F);
    CHECK(!hy_from(F, HY_SHAPE(2), HY_F32, NULL));
    FAILS(F, HY_ERROR_ARGUMENT, "hy_from");
    CHECK(!hy_borrow(F, HY_SHAPE(2), HY_F32, NULL));
    FAILS(F, HY_ERROR_ARGUMENT, "hy_borrow");
    CHECK(hy_close(F) == 0);
}

/* --- values --- */
static void array_value_reads_with_negative_indices(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_view_reshape(F, hy_arange(F, 0, 24, 1), HY_SHAPE(2, 3, 4));
    CHECK(hy_value(F, x, 1, 2, 3) == 23 && hy_value(F, x, -1, -1, -1) == 23);
    CHECK(hy_value(F, x, -2, -3, -4) == 0 && hy_value(F, x, 0, -1, 0) == 8);
    FINE(F);
    CHECK(hy_value(F, x, 2, 0, 0) == 0);
    FAILS(F, HY_ERROR_INDEX, "(2,3,4)");
    CHECK(hy_value(F, x, 0, -4, 0) == 0);
    FAILS(F, HY_ERROR_INDEX, "-4");
    CHECK(hy_value(F, x, INT64_MIN, 0, 0) == 0);
    FAILS(F, HY_ERROR_INDEX, "hy_value");
    CHECK(hy_value(F, x, 0, 0, INT64_MAX) == 0);
    FAILS(F, HY_ERROR_INDEX, "hy_value");
    CHECK(hy_value(F, x, 0, 0) == 0);
    FAILS(F, HY_ERROR_INDEX, "(2,3,4)");
    CHECK(hy_value(F, x, 0, 0, 0, 0) == 0);
    FAILS(F, HY_ERROR_INDEX, "hy_value");
    CHECK(hy_item(F, x) == 0);
    FAILS(F, HY_ERROR_SHAPE, "hy_item");
    CHECK(hy_dim(F, x, -1) == 4 && hy_dim(F, x, -3) == 2);
    hy_dim(F, x, 3);
    FAILS(F, HY_ERROR_INDEX, "hy_dim");
    hy_dim(F, x, -4);
    FAILS(F, HY_ERROR_INDEX, "hy_dim");
    CHECK(hy_close(F) == 0);
}

static void array_set_value_writes_one_element(void)
{
    const float three[3] = { 1, 2, 3 };
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_floats(F, HY_SHAPE(3), three), *y;
    hy_set_value(F, x, 2, 0);
    ARRAY_IS(F, x, 2, 2, 3);
    ARRAY_TEXT(F, x, "[2. 2. 3.]\n<NDArray (3,) float32>\n");
    hy_set_value(F, x, 8, -1);
    ARRAY_IS(F, x, 2, 2, 8);
    hy_set_value(F, x, 1, 3);
    FAILS(F, HY_ERROR_INDEX, "hy_set_value");
    hy_set_value(F, x, 1, 0, 0);
    FAILS(F, HY_ERROR_INDEX, "hy_set_value");
    ARRAY_IS(F, x, 2, 2, 8);
    y = hy_cast(F, x, HY_I8);
    hy_set_value(F, y, 300, 0);
    hy_set_value(F, y, -1.9, 1);
    hy_set_value(F, y, NAN, 2);
    ARRAY_IS(F, y, 127, -1, 0);
    CHECK(hy_close(F) == 0);
}

static void array_fill_and_write_reach_every_element(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_empty(F, HY_SHAPE(2, 3), HY_I32), *y = hy_empty(F, HY_SHAPE(2), HY_U8);
    int32_t *p;
    hy_fill(F, x, 7);
    ARRAY_IS(F, x, 7, 7, 7, 7, 7, 7);
    p = (int32_t *)hy_write(F, x);
    if (CHECK(p != NULL)) p[5] = -1;
    ARRAY_IS(F, x, 7, 7, 7, 7, 7, -1);
    hy_fill(F, y, -5);
    ARRAY_IS(F, y, 0, 0);
    hy_fill(F, hy_view_slice(F, x, 1, 0, HY_NONE, 2), 0);
    ARRAY_IS(F, x, 0, 7, 0, 0, 7, 0);
    CHECK(hy_close(F) == 0);
}

static void array_assign_broadcasts(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_zeros(F, HY_SHAPE(2, 3));
    hy_assign(F, x, hy_scalar(F, 4));
    ARRAY_IS(F, x, 4, 4, 4, 4, 4, 4);
    hy_assign(F, x, hy_arange(F, 0, 3, 1));
    ARRAY_IS(F, x, 0, 1, 2, 0, 1, 2);
    hy_assign(F, x, hy_view_reshape(F, hy_arange(F, 5, 7, 1), HY_SHAPE(2, 1)));
    ARRAY_IS(F, x, 5, 5, 5, 6, 6, 6);
    hy_assign(F, x, hy_arange(F, 0, 2, 1));
    FAILS(F, HY_ERROR_SHAPE, "(2,3)");
    hy_assign(F, x, hy_zeros(F, HY_SHAPE(1, 2, 3, 4)));
    FAILS(F, HY_ERROR_SHAPE, "hy_assign");
    hy_assign(F, x, NULL);
    FAILS(F, HY_ERROR_ARGUMENT, "hy_assign");
    ARRAY_IS(F, x, 5, 5, 5, 6, 6, 6);
    CHECK(hy_close(F) == 0);
}

static void array_assign_may_overlap(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_arange(F, 0, 6, 1), *m = hy_view_reshape(F, hy_arange(F, 0, 9, 1), HY_SHAPE(3, 3)), *big;
    double sum = 0;
    int i;
    hy_assign(F, hy_view_slice(F, x, 0, 1, 6, 1), hy_view_slice(F, x, 0, 0, 5, 1));
    ARRAY_IS(F, x, 0, 0, 1, 2, 3, 4);
    hy_assign(F, hy_view_slice(F, x, 0, 0, 5, 1), hy_view_slice(F, x, 0, 1, 6, 1));
    ARRAY_IS(F, x, 0, 1, 2, 3, 4, 4);
    hy_assign(F, x, hy_view_slice(F, x, 0, HY_NONE, HY_NONE, -1));
    ARRAY_IS(F, x, 4, 4, 3, 2, 1, 0);
    hy_assign(F, x, hy_view_slice(F, x, 0, 2, 3, 1));
    ARRAY_IS(F, x, 3, 3, 3, 3, 3, 3);
    hy_assign(F, m, hy_view_transpose(F, m, HY_ALL));
    ARRAY_IS(F, m, 0, 3, 6, 1, 4, 7, 2, 5, 8);
    hy_assign(F, m, hy_view_index(F, m, 0, 1));
    ARRAY_IS(F, m, 1, 4, 7, 1, 4, 7, 1, 4, 7);
    big = hy_arange(F, 0, 5000, 1);             /* in many parallel pieces */
    hy_assign(F, hy_view_slice(F, big, 0, 1, 5000, 1), hy_view_slice(F, big, 0, 0, 4999, 1));
    for (i = 0; i < 5000; i++) sum += hy_value(F, big, i) == (i ? i - 1 : 0);
    CHECK(sum == 5000);
    CHECK(hy_close(F) == 0);
}

static void array_arithmetic_in_place(void)
{
    const float four[4] = { 1, 2, 3, 4 };
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_floats(F, HY_SHAPE(2, 2), four), *row = hy_arange(F, 1, 3, 1), *i;
    hy_add_to(F, x, row);
    ARRAY_IS(F, x, 2, 4, 4, 6);
    hy_mul_by(F, x, row);
    ARRAY_IS(F, x, 2, 8, 4, 12);
    hy_sub_from(F, x, hy_scalar(F, 2));
    ARRAY_IS(F, x, 0, 6, 2, 10);
    hy_div_by(F, x, row);
    ARRAY_IS(F, x, 0, 3, 2, 5);
    hy_add_to(F, x, x);
    ARRAY_IS(F, x, 0, 6, 4, 10);
    hy_mul_by(F, x, x);
    ARRAY_IS(F, x, 0, 36, 16, 100);
    hy_sub_from(F, x, hy_view_transpose(F, x, HY_ALL));
    ARRAY_IS(F, x, 0, 20, -20, 0);
    hy_add_to(F, hy_view_index(F, x, 1, 0), hy_view_index(F, x, 1, 1));
    ARRAY_IS(F, x, 20, 20, -20, 0);
    hy_sub_from(F, x, x);
    ARRAY_IS(F, x, 0, 0, 0, 0);
    hy_div_by(F, x, x);
    ARRAY_IS(F, x, NAN, NAN, NAN, NAN);
    i = hy_cast(F, row, HY_I32);
    hy_div_by(F, i, hy_zeros_like(F, i));
    ARRAY_IS(F, i, 0, 0);
    CHECK(hy_close(F) == 0);
}

static void array_in_place_refuses_other_types_and_shapes(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_ones(F, HY_SHAPE(2)), *i = hy_cast(F, x, HY_I32);
    hy_add_to(F, x, i);
    FAILS(F, HY_ERROR_DTYPE, "int32");
    hy_div_by(F, i, x);
    FAILS(F, HY_ERROR_DTYPE, "float32");
    hy_mul_by(F, x, hy_ones(F, HY_SHAPE(3)));
    FAILS(F, HY_ERROR_SHAPE, "hy_mul_by");
    hy_sub_from(F, x, hy_ones(F, HY_SHAPE(2, 2)));
    FAILS(F, HY_ERROR_SHAPE, "hy_sub_from");
    hy_add_to(F, x, NULL);
    FAILS(F, HY_ERROR_ARGUMENT, "hy_add_to");
    ARRAY_IS(F, x, 1, 1);
    CHECK(hy_close(F) == 0);
}

static void array_to_never_writes_past_the_buffer(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_arange(F, 0, 4, 1);
    unsigned char room[20];
    memset(room, 0xee, sizeof room);
    CHECK(hy_to(F, x, HY_F32, room, 15) == 0);
    CHECK(hy_error(F) && strstr(hy_error(F), "16"));
    FAILS(F, HY_ERROR_ARGUMENT, "hy_to");
    CHECK(hy_to(F, x, HY_F64, room, 16) == 0);
    FAILS(F, HY_ERROR_ARGUMENT, "hy_to");
    CHECK(hy_to(F, x, HY_F32, NULL, 0) == 0);
    FAILS(F, HY_ERROR_ARGUMENT, "hy_to");
    CHECK(hy_to(F, x, HY_F32, room, 16) == 16 && room[16] == 0xee);
    CHECK(hy_to(F, x, HY_I8, room, 4) == 4 && room[3] == 3);
    x = hy_view_slice(F, x, 0, HY_NONE, HY_NONE, -2);
    CHECK(hy_to(F, x, HY_U8, room, 2) == 2 && room[0] == 3 && room[1] == 1);
    FINE(F);
    CHECK(hy_to(F, x, HY_DTYPE_NONE, room, sizeof room) == 0);
    FAILS(F, HY_ERROR_DTYPE, "hy_to");
    CHECK(hy_close(F) == 0);
}

/* --- views --- */
static void array_views_look_where_they_should(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_arange(F, 0, 6, 1), *m = hy_view_reshape(F, x, HY_SHAPE(2, 3));
    ARRAY_IS(F, hy_view_slice(F, x, 0, 1, 5, 2), 1, 3);
    ARRAY_IS(F, hy_view_slice(F, x, 0, HY_NONE, HY_NONE, -1), 5, 4, 3, 2, 1, 0);
    ARRAY_IS(F, hy_view_slice(F, x, 0, 4, 0, -2), 4, 2);
    ARRAY_IS(F, hy_view_slice(F, x, 0, -2, 100, 1), 4, 5);
    ARRAY_IS(F, hy_view_slice(F, x, 0, -100, 2, 1), 0, 1);
    ARRAY_IS(F, hy_view_slice(F, x, 0, 100, HY_NONE, -4), 5, 1);
    ARRAY_IS(F, hy_view_slice(F, x, 0, 0, 6, INT64_MAX), 0);
    ARRAY_IS(F, hy_view_slice(F, x, 0, 5, HY_NONE, INT64_MIN), 5);
    ARRAY_IS(F, hy_view_slice(F, m, -1, 0, 2, 1), 0, 1, 3, 4);
    ARRAY_IS(F, hy_view_index(F, m, 0, -1), 3, 4, 5);
    ARRAY_IS(F, hy_view_index(F, m, 1, 1), 1, 4);
    ARRAY_IS(F, hy_view_transpose(F, m, HY_ALL), 0, 3, 1, 4, 2, 5);
    ARRAY_IS(F, hy_view_transpose(F, m, HY_AXES(-1, 0)), 0, 3, 1, 4, 2, 5);
    ARRAY_IS(F, hy_view_slice(F, hy_view_transpose(F, m, HY_ALL), 0, HY_NONE, HY_NONE, -2), 2, 5, 0, 3);
    ARRAY_TYPE(F, hy_view_index(F, m, 0, 0), HY_F32, 3);
    ARRAY_TYPE(F, hy_view_transpose(F, m, HY_ALL), HY_F32, 3, 2);
    CHECK(hy_data(F, m) == hy_data(F, x));
    FINE(F);
    CHECK(hy_close(F) == 0);
}

static void array_views_feed_operators(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *m = hy_view_reshape(F, hy_arange(F, 0, 6, 1), HY_SHAPE(2, 3));
    hy_array *t = hy_view_transpose(F, m, HY_ALL);
    ARRAY_IS(F, hy_add_scalar(F, t, 1), 1, 4, 2, 5, 3, 6);
    ARRAY_IS(F, hy_sum(F, t, HY_AXES(0), NULL), 3, 12);
    ARRAY_IS(F, hy_dot(F, m, t, NULL), 5, 14, 14, 50);
    ARRAY_IS(F, hy_copy(F, hy_view_slice(F, t, 0, HY_NONE, HY_NONE, -1)), 2, 5, 1, 4, 0, 3);
    ARRAY_IS(F, hy_cast(F, t, HY_I32), 0, 3, 1, 4, 2, 5);
    CHECK(hy_value(F, t, 2, 0) == 2);
    CHECK(hy_close(F) == 0);
}

static void array_writes_go_through_views(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_zeros(F, HY_SHAPE(2, 3)), *last = hy_view_index(F, x, 1, -1);
    hy_array *flip = hy_view_slice(F, x, 1, HY_NONE, HY_NONE, -1);
    hy_fill(F, last, 1);
    ARRAY_IS(F, x, 0, 0, 1, 0, 0, 1);
    hy_set_value(F, flip, 7, 0, 2);
    ARRAY_IS(F, x, 7, 0, 1, 0, 0, 1);
    hy_assign(F, hy_view_transpose(F, x, HY_ALL), hy_arange(F, 3, 5, 1));
    ARRAY_IS(F, x, 3, 3, 3, 4, 4, 4);
    hy_mul_by(F, hy_view_index(F, flip, 0, 0), hy_arange(F, 1, 4, 1));
    ARRAY_IS(F, x, 9, 6, 3, 4, 4, 4);
    ARRAY_IS(F, last, 3, 4);
    ARRAY_IS(F, hy_copy(F, last), 3, 4);
    hy_fill(F, hy_copy(F, last), 0);
    ARRAY_IS(F, last, 3, 4);
    CHECK(hy_close(F) == 0);
}

static void array_strided_view_has_no_packed_data(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_arange(F, 0, 8, 1), *view = hy_view_slice(F, x, 0, 0, 8, 2);
    const float *p;
    CHECK(!hy_data(F, view));
    FAILS(F, HY_ERROR_ARGUMENT, "hy_copy");
    CHECK(!hy_write(F, view));
    FAILS(F, HY_ERROR_ARGUMENT, "hy_write");
    CHECK(!hy_view_reshape(F, view, HY_SHAPE(2, 2)));
    FAILS(F, HY_ERROR_SHAPE, "packed");
    p = (const float *)hy_data(F, hy_view_slice(F, x, 0, 2, 5, 1));
    CHECK(p && p[0] == 2);
    p = (const float *)hy_data(F, hy_copy(F, view));
    CHECK(p && p[3] == 6);
    CHECK(hy_close(F) == 0);
}

static void array_bad_views_are_errors(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *m = hy_zeros(F, HY_SHAPE(2, 3));
    CHECK(!hy_view_slice(F, m, 0, 0, 2, 0));
    FAILS(F, HY_ERROR_INDEX, "step 0");
    CHECK(!hy_view_slice(F, m, 2, 0, 2, 1));
    FAILS(F, HY_ERROR_INDEX, "axis 2");
    CHECK(!hy_view_slice(F, m, -3, 0, 2, 1));
    FAILS(F, HY_ERROR_INDEX, "axis -3");
    CHECK(!hy_view_index(F, m, 0, 2));
    FAILS(F, HY_ERROR_INDEX, "hy_view_index");
    CHECK(!hy_view_index(F, m, 5, 0));
    FAILS(F, HY_ERROR_INDEX, "hy_view_index");
    CHECK(!hy_view_transpose(F, m, HY_AXES(0, 0)));
    FAILS(F, HY_ERROR_ARGUMENT, "hy_view_transpose");
    CHECK(!hy_view_transpose(F, m, HY_AXES(0)));
    FAILS(F, HY_ERROR_ARGUMENT, "hy_view_transpose");
    CHECK(!hy_view_reshape(F, m, HY_SHAPE(4, 2)));
    FAILS(F, HY_ERROR_SHAPE, "(4,2)");
    CHECK(hy_close(F) == 0);
}

/* --- casts --- */
static void array_float_to_int_saturates(void)
{
    const double from[] = {
        3.9, -3.9, 300, -300, 3e9, -3e9, 1e30, -1e30, INFINITY, -INFINITY, NAN, -0.0
    };
    static const hy_dtype source[] = { HY_F32, HY_F64, HY_BF16 };
    hy_frame *F = hy_open(NULL);
    unsigned s;
    for (s = 0; s < 3; s++) {
        hy_array *x = hy_cast(F, hy_from(F, HY_SHAPE(12), HY_F64, from), source[s]), *wide;
        const int64_t *p;
        ARRAY_IS(F, hy_cast(F, x, HY_I8), 3, -3, 127, -128, 127, -128, 127, -128, 127, -128, 0, 0);
        ARRAY_IS(F, hy_cast(F, x, HY_U8), 3, 0, 255, 0, 255, 0, 255, 0, 255, 0, 0, 0);
        hy_assign(F, hy_view_slice(F, x, 0, 2, 4, 1), hy_zeros_like(F, hy_view_slice(F, x, 0, 2, 4, 1)));
        ARRAY_IS(F, hy_cast(F, x, HY_I32), 3, -3, 0, 0,
                 INT_MAX, INT_MIN, INT_MAX, INT_MIN, INT_MAX, INT_MIN, 0, 0);
        wide = hy_cast(F, x, HY_I64);
        p = (const int64_t *)hy_data(F, wide);
        CHECK(p && p[6] == INT64_MAX && p[7] == INT64_MIN && p[8] == INT64_MAX && p[9] == INT64_MIN);
        CHECK(p && p[0] == 3 && p[1] == -3 && p[10] == 0 && p[11] == 0);
    }
    CHECK(hy_close(F) == 0);
}

static void array_float_to_int_at_the_edges(void)
{
    static const double from[] = { 2147483647.9, -2147483648.9, 9223372036854774784.0, 255.9, -0.9, 127.99 };
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_from(F, HY_SHAPE(6), HY_F64, from);
    const int64_t *p;
    ARRAY_IS(F, hy_cast(F, x, HY_I32), INT_MAX, INT_MIN, INT_MAX, 255, 0, 127);
    ARRAY_IS(F, hy_cast(F, x, HY_U8), 255, 0, 255, 255, 0, 127);
    p = (const int64_t *)hy_data(F, hy_cast(F, x, HY_I64));
    CHECK(p && p[0] == 2147483647 && p[1] == -2147483648LL && p[2] == 9223372036854774784LL);
    ARRAY_IS(F, hy_cast(F, hy_full(F, HY_SHAPE(1), 2147483648.0), HY_I32), INT_MAX);
    ARRAY_IS(F, hy_cast(F, hy_full(F, HY_SHAPE(1), 2147483520.0), HY_I32), 2147483520.0);
    CHECK(hy_close(F) == 0);
}

static void array_int_casts_wrap(void)
{
    static const int32_t from[] = { 300, -1, 128, -129, 65536 + 7 };
    static const int64_t big[] = { ((int64_t)1 << 32) + 5, INT64_MIN, -1, ((int64_t)1 << 31) };
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_from(F, HY_SHAPE(5), HY_I32, from), *y = hy_from(F, HY_SHAPE(4), HY_I64, big);
    ARRAY_IS(F, hy_cast(F, x, HY_I8), 44, -1, -128, 127, 7);
    ARRAY_IS(F, hy_cast(F, x, HY_U8), 44, 255, 128, 127, 7);
    ARRAY_IS(F, hy_cast(F, y, HY_I32), 5, 0, -1, INT_MIN);
    ARRAY_IS(F, hy_cast(F, y, HY_U8), 5, 0, 255, 0);
    ARRAY_IS(F, hy_cast(F, hy_cast(F, x, HY_U8), HY_I8), 44, -1, -128, 127, 7);
    ARRAY_IS(F, hy_cast(F, hy_cast(F, x, HY_I8), HY_I64), 44, -1, -128, 127, 7);
    CHECK(hy_close(F) == 0);
}

static void array_int_to_float_rounds_once(void)
{
    static const int64_t from[] = { 16777217, 16777219, (1LL << 60) + (1LL << 36) + 1, INT64_MAX };
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_from(F, HY_SHAPE(4), HY_I64, from);
    if (!getenv("TEST_UNDER_VALGRIND"))         /* which rounds such a conversion twice itself */
        ARRAY_IS(F, hy_cast(F, x, HY_F32), 16777216, 16777220, 1152921642045800448.0, 9223372036854775808.0);
    ARRAY_IS(F, hy_cast(F, x, HY_F64), 16777217, 16777219, 1152921573326323712.0, 9223372036854775808.0);
    ARRAY_IS(F, hy_cast(F, x, HY_F16), INFINITY, INFINITY, INFINITY, INFINITY);
    CHECK(hy_close(F) == 0);
}

static void array_bool_is_whether_not_zero(void)
{
    static const int32_t from[] = { 0, 1, 256, -1, 65536 };
    static const float real[] = { 0.0f, -0.0f, 0.5f, -2.0f, 1e-40f };
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_cast(F, hy_from(F, HY_SHAPE(5), HY_I32, from), HY_BOOL);
    ARRAY_IS(F, x, 0, 1, 1, 1, 1);
    ARRAY_IS(F, hy_cast(F, hy_floats(F, HY_SHAPE(5), real), HY_BOOL), 0, 0, 1, 1, 1);
    ARRAY_IS(F, hy_cast(F, x, HY_F16), 0, 1, 1, 1, 1);
    CHECK(hy_close(F) == 0);
}

static void array_half_rounds_to_nearest_even(void)
{
    static const double from[] = { 1 + 0x1p-11, 1 + 0x3p-11, 1 + 0x1p-11 + 0x1p-20, 65519.996, 65520, -1e9,
                                   0x1p-24, 0x1p-25, 0x1.000002p-25, 0x1.8p-24, 0x1.ffcp-15, -0x1p-26 };
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_cast(F, hy_cast(F, hy_from(F, HY_SHAPE(12), HY_F64, from), HY_F32), HY_F16);
    ARRAY_IS(F, x, 1, 1 + 0x1p-9, 1 + 0x1p-10, 65504, INFINITY, -INFINITY,
             0x1p-24, 0, 0x1p-24, 0x1p-23, 0x1p-14, -0.0);
    ARRAY_IS(F, hy_cast(F, hy_full(F, HY_SHAPE(1), NAN), HY_F16), NAN);
    CHECK(hy_close(F) == 0);
}

static void array_half_from_double_rounds_once(void)
{
    static const double from[] = { 1 + 0x1p-11 + 0x1p-30, 1 + 0x3p-11 - 0x1p-30, 0x1p-25 + 0x1p-60 };
    static const double wide[] = { 1 + 0x1p-8 + 0x1p-40, 1 + 0x3p-8 - 0x1p-40, -1 - 0x1p-8 - 0x1p-50 };
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_from(F, HY_SHAPE(3), HY_F64, from), *y = hy_from(F, HY_SHAPE(3), HY_F64, wide);
    ARRAY_IS(F, hy_cast(F, x, HY_F16), 1 + 0x1p-10, 1 + 0x1p-10, 0x1p-24);
    ARRAY_IS(F, hy_cast(F, y, HY_BF16), 1 + 0x1p-7, 1 + 0x1p-7, -1 - 0x1p-7);
    CHECK(hy_close(F) == 0);
}

static void array_bfloat_rounds_to_nearest_even(void)
{
    static const double from[] = { 1 + 0x1p-8, 1 + 0x3p-8, 1 + 0x1p-8 + 0x1p-20, 3.4028235e38, -0x1.fefp127,
                                   0x1p-133, 0x1p-134, 0x1.8p-133, INFINITY };
    static const uint32_t nan[] = { 0x7f800001u, 0xffffffffu };    /* not to be rounded to infinity */
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_cast(F, hy_cast(F, hy_from(F, HY_SHAPE(9), HY_F64, from), HY_F32), HY_BF16);
    ARRAY_IS(F, x, 1, 1 + 0x1p-6, 1 + 0x1p-7, INFINITY, -0x1.fep127, 0x1p-133, 0, 0x1p-132, INFINITY);
    ARRAY_IS(F, hy_cast(F, hy_from(F, HY_SHAPE(2), HY_F32, nan), HY_BF16), NAN, NAN);
    CHECK(hy_close(F) == 0);
}

static void array_every_half_survives_float(void)
{
    static const hy_dtype half[] = { HY_F16, HY_BF16 };
    static const int infinite[] = { 0x7c00, 0x7f80 };
    hy_frame *F = hy_open(NULL);
    uint16_t *all = (uint16_t *)malloc(65536 * sizeof *all);
    int h, i, wrong;
    for (i = 0; all && i < 65536; i++) all[i] = (uint16_t)i;
    for (h = 0; all && h < 2; h++) {
        hy_array *x = hy_from(F, HY_SHAPE(65536), half[h], all);
        hy_array *wide = hy_cast(F, x, HY_F32), *back = hy_cast(F, wide, half[h]);
        hy_array *again = hy_cast(F, hy_cast(F, x, HY_F64), half[h]);
        const uint16_t *b = (const uint16_t *)hy_data(F, back), *a = (const uint16_t *)hy_data(F, again);
        const float *f = (const float *)hy_data(F, wide);
        for (i = wrong = 0; a && b && f && i < 65536; i++)
            wrong += isnan(f[i]) ? (b[i] & 0x7fff) <= infinite[h] : b[i] != i || a[i] != i;
        CHECK(a && b && f && wrong == 0);
    }
    free(all);
    FINE(F);
    CHECK(hy_close(F) == 0);
}

/* --- text, in NumPy's layout --- */
static void array_text_of_floats(void)
{
    static const float first[] = { 0.01641375f, 0, 0, 0 }, three[] = { 1, 2, 3 };
    const float minus[] = { -1.5f, 2.25f, -0.0f }, odd[] = { NAN, INFINITY, -INFINITY, 1.5f };
    static const float wide[] = { 1e-10f, 1, 1e10f }, big[] = { 1e8f, 1 }, third[] = { 1.0f / 3, 2, 1000.5f };
    static const float ends[] = { 3.4028235e38f, 1e-45f };
    static const double twice[] = { 1 / 3.0, 2 / 3.0 };
    hy_frame *F = hy_open(NULL);
    ARRAY_TEXT(F, hy_floats(F, HY_SHAPE(1, 4), first),
               "[[0.01641375 0.         0.         0.        ]]\n<NDArray (1,4) float32>\n");
    ARRAY_TEXT(F, hy_floats(F, HY_SHAPE(3), three), "[1. 2. 3.]\n<NDArray (3,) float32>\n");
    ARRAY_TEXT(F, hy_floats(F, HY_SHAPE(3), minus), "[-1.5   2.25 -0.  ]\n<NDArray (3,) float32>\n");
    ARRAY_TEXT(F, hy_floats(F, HY_SHAPE(4), odd), "[ nan  inf -inf  1.5]\n<NDArray (4,) float32>\n");
    ARRAY_TEXT(F, hy_floats(F, HY_SHAPE(1), odd), "[nan]\n<NDArray (1,) float32>\n");
    ARRAY_TEXT(F, hy_floats(F, HY_SHAPE(3), wide), "[1.e-10 1.e+00 1.e+10]\n<NDArray (3,) float32>\n");
    ARRAY_TEXT(F, hy_floats(F, HY_SHAPE(2), big), "[1.e+08 1.e+00]\n<NDArray (2,) float32>\n");
    ARRAY_TEXT(F, hy_floats(F, HY_SHAPE(3), third),
               "[3.3333334e-01 2.0000000e+00 1.0005000e+03]\n<NDArray (3,) float32>\n");
    ARRAY_TEXT(F, hy_floats(F, HY_SHAPE(2), ends), "[3.4028235e+38 1.4012985e-45]\n<NDArray (2,) float32>\n");
    ARRAY_TEXT(F, hy_from(F, HY_SHAPE(2), HY_F64, twice),
               "[0.33333333 0.66666667]\n<NDArray (2,) float64>\n");
    ARRAY_TEXT(F, hy_cast(F, hy_floats(F, HY_SHAPE(3), three), HY_BF16),
               "[1. 2. 3.]\n<NDArray (3,) bfloat16>\n");
    ARRAY_TEXT(F, hy_cast(F, hy_full(F, HY_SHAPE(1), 0.1), HY_F16), "[0.1]\n<NDArray (1,) float16>\n");
    CHECK(hy_close(F) == 0);
}

static void array_text_of_whole_numbers_and_bools(void)
{
    static const int32_t six[] = { 1, -20, 300, 4, 5, 6 };
    static const int64_t ends[] = { INT64_MIN, INT64_MAX };
    static const unsigned char bytes[] = { 0, 255 }, bools[] = { 1, 0 }, cube[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    static const signed char small[] = { -128, 127 };
    hy_frame *F = hy_open(NULL);
    ARRAY_TEXT(F, hy_from(F, HY_SHAPE(2, 3), HY_I32, six),
               "[[  1 -20 300]\n [  4   5   6]]\n<NDArray (2,3) int32>\n");
    ARRAY_TEXT(F, hy_from(F, HY_SHAPE(2), HY_I64, ends),
               "[-9223372036854775808  9223372036854775807]\n<NDArray (2,) int64>\n");
    ARRAY_TEXT(F, hy_from(F, HY_SHAPE(2), HY_U8, bytes), "[  0 255]\n<NDArray (2,) uint8>\n");
    ARRAY_TEXT(F, hy_from(F, HY_SHAPE(2), HY_I8, small), "[-128  127]\n<NDArray (2,) int8>\n");
    ARRAY_TEXT(F, hy_from(F, HY_SHAPE(2), HY_BOOL, bools), "[ True False]\n<NDArray (2,) bool>\n");
    ARRAY_TEXT(F, hy_from(F, HY_SHAPE(2, 2, 2), HY_U8, cube),
               "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]\n<NDArray (2,2,2) uint8>\n");
    CHECK(hy_close(F) == 0);
}

static void array_text_of_scalars_and_nothing(void)
{
    hy_frame *F = hy_open(NULL);
    ARRAY_TEXT(F, hy_scalar(F, 3), "3.0\n<NDArray () float32>\n");
    ARRAY_TEXT(F, hy_scalar(F, 1e-10), "1e-10\n<NDArray () float32>\n");
    ARRAY_TEXT(F, hy_scalar(F, NAN), "nan\n<NDArray () float32>\n");
    ARRAY_TEXT(F, hy_cast(F, hy_scalar(F, -7), HY_I64), "-7\n<NDArray () int64>\n");
    ARRAY_TEXT(F, hy_cast(F, hy_scalar(F, 1), HY_BOOL), "True\n<NDArray () bool>\n");
    ARRAY_TEXT(F, hy_cast(F, hy_scalar(F, 0.1), HY_F16), "0.1\n<NDArray () float16>\n");
    ARRAY_TEXT(F, hy_zeros(F, HY_SHAPE(0)), "[]\n<NDArray (0,) float32>\n");
    ARRAY_TEXT(F, hy_zeros(F, HY_SHAPE(2, 0, 3)), "[]\n<NDArray (2,0,3) float32>\n");
    CHECK(hy_close(F) == 0);
}

static void array_text_is_wrapped_and_summarised(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x;
    ARRAY_TEXT(F, hy_arange(F, 0, 30, 1),
               "[ 0.  1.  2.  3.  4.  5.  6.  7.  8.  9. 10. 11. 12. 13. 14. 15. 16. 17.\n"
               " 18. 19. 20. 21. 22. 23. 24. 25. 26. 27. 28. 29.]\n<NDArray (30,) float32>\n");
    ARRAY_TEXT(F, hy_arange(F, 0, 2000, 1),
               "[0.000e+00 1.000e+00 2.000e+00 ... 1.997e+03 1.998e+03 1.999e+03]\n"
               "<NDArray (2000,) float32>\n");
    ARRAY_TEXT(F, hy_cast(F, hy_arange(F, -1, 1100, 1), HY_I64),
               "[  -1    0    1 ... 1097 1098 1099]\n<NDArray (1101,) int64>\n");
    x = hy_cast(F, hy_view_reshape(F, hy_arange(F, 0, 4000, 1), HY_SHAPE(40, 100)), HY_I32);
    ARRAY_TEXT(F, x,
               "[[   0    1    2 ...   97   98   99]\n [ 100  101  102 ...  197  198  199]\n"
               " [ 200  201  202 ...  297  298  299]\n ...\n [3700 3701 3702 ... 3797 3798 3799]\n"
               " [3800 3801 3802 ... 3897 3898 3899]\n [3900 3901 3902 ... 3997 3998 3999]]\n"
               "<NDArray (40,100) int32>\n");
    x = hy_cast(F, hy_view_reshape(F, hy_arange(F, 0, 1200, 1), HY_SHAPE(2, 3, 200)), HY_I32);
    ARRAY_TEXT(F, x,
               "[[[   0    1    2 ...  197  198  199]\n  [ 200  201  202 ...  397  398  399]\n"
               "  [ 400  401  402 ...  597  598  599]]\n\n [[ 600  601  602 ...  797  798  799]\n"
               "  [ 800  801  802 ...  997  998  999]\n  [1000 1001 1002 ... 1197 1198 1199]]]\n"
               "<NDArray (2,3,200) int32>\n");
    CHECK(hy_close(F) == 0);
}

static void array_text_of_views_groups_and_symbols(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *m = hy_view_reshape(F, hy_arange(F, 0, 6, 1), HY_SHAPE(2, 3));
    ARRAY_TEXT(F, hy_view_slice(F, hy_view_transpose(F, m, HY_ALL), 0, HY_NONE, HY_NONE, -1),
               "[[2. 5.]\n [1. 4.]\n [0. 3.]]\n<NDArray (3,2) float32>\n");
    ARRAY_TEXT(F, hy_group(F, hy_scalar(F, 1), hy_ones(F, HY_SHAPE(2))),
               "1.0\n<NDArray () float32>\n[1. 1.]\n<NDArray (2,) float32>\n");
    ARRAY_TEXT(S, hy_var(S, "data", NULL), "<Symbol data>\n");
    CHECK(hy_close(S) == 0);
    CHECK(hy_close(F) == 0);
}

static void array_text_fits_any_buffer(void)
{
    static const char whole[] = "[1. 1.]\n<NDArray (2,) float32>\n";
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_ones(F, HY_SHAPE(2));
    char text[64];
    size_t bytes;
    CHECK(hy_text(F, x, NULL, 0) == sizeof whole - 1);
    for (bytes = 1; bytes <= sizeof whole; bytes++) {
        memset(text, '#', sizeof text);
        CHECK(hy_text(F, x, text, bytes) == sizeof whole - 1);
        CHECK(strlen(text) == bytes - 1 && !strncmp(text, whole, bytes - 1) && text[bytes] == '#');
    }
    CHECK(hy_close(F) == 0);
}

static void array_print_writes_the_text_to_stdout(void)
{
    hy_frame *F = hy_open(NULL);
    char got[128] = "";
    FILE *file = tmpfile();
    int out;
    fflush(stdout);
    out = dup(1);
    if (!file || out < 0 || dup2(fileno(file), 1) < 0) return;
    hy_print(F, hy_ones(F, HY_SHAPE(2, 1)));
    fflush(stdout);
    dup2(out, 1);
    close(out);
    rewind(file);
    got[fread(got, 1, sizeof got - 1, file)] = 0;
    fclose(file);
    CHECK_STR(got, "[[1.]\n [1.]]\n<NDArray (2,1) float32>\n");
    CHECK(hy_close(F) == 0);
}

/* --- random numbers. The words were computed by a program of its own, checked with the published vectors of
 * Random123 (key 0, counter 0: 6627e8d5 e169c58d bc57ac4c 9b00dbd8). --- */
static void array_random_words_are_philox(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_uniform(F, HY_SHAPE(8), 0, 1);
    ARRAY_IS(F, x, 0x6627e8 / 0x1p24, 0xe169c5 / 0x1p24, 0xbc57ac / 0x1p24, 0x9b00db / 0x1p24,
             0xf8e4cc / 0x1p24, 0x5cb200 / 0x1p24, 0xb1a574 / 0x1p24, 0x097eff / 0x1p24);
    ARRAY_IS(F, hy_uniform(F, HY_SHAPE(4), 0, 1),       /* the second call: stream 1 */
             0x844515 / 0x1p24, 0xf08d6e / 0x1p24, 0x0f19c0 / 0x1p24, 0x83f875 / 0x1p24);
    hy_seed(F, 0x123456789abcdef0u);
    ARRAY_IS(F, hy_uniform(F, HY_SHAPE(4), 0, 1),
             0x092c9b / 0x1p24, 0x78384b / 0x1p24, 0xc9fb80 / 0x1p24, 0x2b3be4 / 0x1p24);
    CHECK(hy_close(F) == 0);
}

static void array_random_kinds_read_their_words(void)
{
    static const double normal[8] = { 0.04700499, -1.354675, -0.7775895, 0.09584152,
                                      0.01922458, 0.2365019, 0.7277365, -0.4485146 };
    hy_random_randint_opt wide = { HY_I64 };
    hy_random_uniform_opt twice = { HY_F64 };
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_randint(F, HY_SHAPE(8), -3, 5);
    const int64_t *p;
    int i;
    ARRAY_TYPE(F, x, HY_I32, 8);
    ARRAY_IS(F, x, 4, 1, -1, -3, -1, -1, 0, 0);
    hy_seed(F, 0);
    x = hy_normal(F, HY_SHAPE(8), 0, 1);
    for (i = 0; i < 8; i++) CHECK_NEAR(hy_value(F, x, i), normal[i], 2e-6);
    hy_seed(F, 0);
    p = (const int64_t *)hy_data(F, hy_random_randint(F, HY_SHAPE(4), INT64_MIN, INT64_MAX, &wide));
    CHECK(p && p[0] == 7019358705328580820 && p[1] == 1945796762943335499 && p[2] == -2543969894737326941);
    hy_seed(F, 0);
    x = hy_random_uniform(F, HY_SHAPE(2), 0, 1, &twice);
    ARRAY_IS(F, x, 0.8805202007151613, 0.6054818590836641);
    CHECK(hy_close(F) == 0);
}

static void array_random_repeats_with_the_seed(void)
{
    hy_desc desc = { 0 };
    hy_frame *F, *G;
    int round;
    desc.seed = 42;
    F = hy_open(&desc);
    G = hy_open(NULL);
    hy_uniform(G, HY_SHAPE(3), 0, 1);
    hy_seed(G, 42);
    for (round = 0; round < 3; round++) {
        hy_array *x = hy_normal(F, HY_SHAPE(101), 0, 1), *y = hy_normal(G, HY_SHAPE(101), 0, 1);
        CHECK(hy_data(F, x) && hy_data(G, y) && !memcmp(hy_data(F, x), hy_data(G, y), 101 * sizeof(float)));
    }
    hy_seed(G, 43);
    CHECK(hy_item(F, hy_uniform(F, HY_SHAPE(1), 0, 1)) != hy_item(G, hy_uniform(G, HY_SHAPE(1), 0, 1)));
    CHECK(hy_close(F) == 0);
    CHECK(hy_close(G) == 0);
}

/* Draws of every kind, one after the other, into a row of bytes. */
static void array_draw_all(int threads, char *row)
{
    hy_desc desc = { 0 };
    hy_frame *F;
    hy_array *x[5];
    int i;
    desc.threads = threads;
    desc.seed = 7;
    F = hy_open(&desc);
    x[0] = hy_uniform(F, HY_SHAPE(3001), -1, 1);
    x[1] = hy_normal(F, HY_SHAPE(3001), 1, 2);
    x[2] = hy_cast(F, hy_randint(F, HY_SHAPE(3001), -50, 1000), HY_F32);
    x[3] = hy_shuffle(F, hy_arange(F, 0, 3001, 1));
    x[4] = hy_random_exponential(F, HY_SHAPE(3001), 2, NULL);
    for (i = 0; i < 5; i++) CHECK(hy_to(F, x[i], HY_F32, row + i * 3001 * 4, 3001 * 4) == 3001 * 4);
    FINE(F);
    CHECK(hy_close(F) == 0);
}

static void array_random_is_the_same_for_any_threads(void)
{
    static char one[5 * 3001 * 4], four[5 * 3001 * 4];
    array_draw_all(1, one);
    array_draw_all(4, four);
    CHECK(!memcmp(one, four, sizeof one));
}

static void array_random_longer_draw_begins_alike(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *few = hy_normal(F, HY_SHAPE(7), 0, 1), *many;
    float room[7];
    hy_seed(F, 0);
    many = hy_normal(F, HY_SHAPE(1000), 0, 1);
    CHECK(hy_to(F, few, HY_F32, room, sizeof room) == sizeof room);
    CHECK(hy_data(F, many) && !memcmp(room, hy_data(F, many), sizeof room));
    CHECK(hy_close(F) == 0);
}

static void array_random_calls_differ(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_uniform(F, HY_SHAPE(1000), 0, 1), *y = hy_uniform(F, HY_SHAPE(1000), 0, 1);
    double equal = hy_item(F, hy_sum(F, hy_equal(F, x, y), HY_ALL, NULL));
    hy_array *dx = hy_add_scalar(F, x, -0.5), *dy = hy_add_scalar(F, y, -0.5);
    CHECK(equal < 3);
    CHECK_NEAR(hy_item(F, hy_mean(F, hy_mul(F, dx, dy), HY_ALL, NULL)), 0, 0.0125);       /* 4.7 sigma */
    CHECK(hy_close(F) == 0);
}

static void array_random_moments(void)
{
    enum { N = 40000 };
    hy_frame *F = hy_open(NULL);
    hy_array *u = hy_uniform(F, HY_SHAPE(N), -2, 4), *n = hy_normal(F, HY_SHAPE(N), 3, 2), *d;
    hy_array *e = hy_random_exponential(F, HY_SHAPE(N), 4, NULL), *i = hy_randint(F, HY_SHAPE(N), 0, 6);
    CHECK_NEAR(hy_item(F, hy_mean(F, u, HY_ALL, NULL)), 1, 0.04);
    CHECK(hy_item(F, hy_min(F, u, HY_ALL, NULL)) >= -2 && hy_item(F, hy_max(F, u, HY_ALL, NULL)) < 4);
    CHECK_NEAR(hy_item(F, hy_mean(F, hy_square(F, hy_add_scalar(F, u, -1)), HY_ALL, NULL)), 3, 0.06);
    CHECK_NEAR(hy_item(F, hy_mean(F, n, HY_ALL, NULL)), 3, 0.05);
    d = hy_add_scalar(F, n, -3);
    CHECK_NEAR(hy_item(F, hy_mean(F, hy_square(F, d), HY_ALL, NULL)), 4, 0.13);
    CHECK_NEAR(hy_item(F, hy_mean(F, hy_mul(F, d, hy_square(F, d)), HY_ALL, NULL)), 0, 0.8);
    CHECK_NEAR(hy_item(F, hy_mean(F, hy_square(F, hy_square(F, d)), HY_ALL, NULL)), 48, 4.5);
    CHECK_NEAR(hy_item(F, hy_mean(F, e, HY_ALL, NULL)), 0.25, 0.006);
    CHECK(hy_item(F, hy_min(F, e, HY_ALL, NULL)) >= 0);
    CHECK_NEAR(hy_item(F, hy_mean(F, hy_cast(F, i, HY_F32), HY_ALL, NULL)), 2.5, 0.04);
    CHECK(hy_close(F) == 0);
}

static void array_randint_keeps_its_bounds(void)
{
    static const int64_t bound[][2] = {
        { 0, 1 }, { -1, 0 }, { -5, 5 }, { INT_MAX - 1, INT_MAX }, { INT_MIN, (int64_t)INT_MAX + 1 },
        { INT_MIN, INT_MIN + 3 }, { INT_MAX, (int64_t)INT_MAX + 1 }
    };
    static const int64_t broad[][2] = {
        { INT64_MIN, INT64_MAX }, { INT64_MIN, INT64_MIN + 2 }, { -1, INT64_MAX },
        { INT64_MAX - 3, INT64_MAX }
    };
    hy_random_randint_opt wide = { HY_I64 };
    hy_frame *F = hy_open(NULL);
    unsigned b;
    int i, seen, all;
    for (b = 0; b < sizeof bound / sizeof *bound; b++) {
        hy_array *x = hy_randint(F, HY_SHAPE(500), bound[b][0], bound[b][1]);
        const int32_t *p = (const int32_t *)hy_data(F, x);
        if (!CHECK(p != NULL)) break;
        for (i = 0; i < 500; i++) CHECK(p[i] >= bound[b][0] && p[i] < bound[b][1]);
        for (i = seen = 0; i < 500; i++) if (p[i] - bound[b][0] < 10) seen |= 1 << (p[i] - bound[b][0]);
        all = bound[b][1] - bound[b][0] <= 10 ? (1 << (bound[b][1] - bound[b][0])) - 1 : seen;
        CHECK(seen == all);
    }
    for (b = 0; b < sizeof broad / sizeof *broad; b++) {
        hy_array *x = hy_random_randint(F, HY_SHAPE(500), broad[b][0], broad[b][1], &wide);
        const int64_t *p = (const int64_t *)hy_data(F, x);
        if (!CHECK(p != NULL)) break;
        for (i = 0; i < 500; i++) CHECK(p[i] >= broad[b][0] && p[i] < broad[b][1]);
    }
    FINE(F);
    CHECK(!hy_randint(F, HY_SHAPE(3), 5, 5));
    FAILS(F, HY_ERROR_ARGUMENT, "randint");
    CHECK(!hy_randint(F, HY_SHAPE(3), 5, -5));
    FAILS(F, HY_ERROR_ARGUMENT, "randint");
    CHECK(!hy_randint(F, HY_SHAPE(3), 0, (int64_t)1 << 40));
    FAILS(F, HY_ERROR_ARGUMENT, "int32");
    CHECK(hy_close(F) == 0);
}

static void array_random_bad_arguments_are_errors(void)
{
    hy_frame *F = hy_open(NULL);
    CHECK(!hy_uniform(F, HY_SHAPE(3), 1, 0));
    FAILS(F, HY_ERROR_ARGUMENT, "random_uniform");
    CHECK(!hy_uniform(F, HY_SHAPE(3), 0, NAN));
    FAILS(F, HY_ERROR_ARGUMENT, "random_uniform");
    CHECK(!hy_normal(F, HY_SHAPE(3), 0, -1));
    FAILS(F, HY_ERROR_ARGUMENT, "random_normal");
    CHECK(!hy_random_exponential(F, HY_SHAPE(3), -1, NULL));
    FAILS(F, HY_ERROR_ARGUMENT, "random_exponential");
    ARRAY_IS(F, hy_uniform(F, HY_SHAPE(2), 2, 2), 2, 2);
    ARRAY_IS(F, hy_normal(F, HY_SHAPE(2), 2, 0), 2, 2);
    CHECK(hy_close(F) == 0);
}

static void array_shuffle_is_a_permutation_of_rows(void)
{
    enum { N = 300 };
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_view_reshape(F, hy_arange(F, 0, 2 * N, 1), HY_SHAPE(N, 2)), *y = hy_shuffle(F, x);
    const float *p = (const float *)hy_data(F, y);
    char seen[N] = "";
    int i, moved = 0;
    for (i = 0; p && i < N; i++) {
        int row = (int)p[2 * i] / 2;
        CHECK(p[2 * i] == 2 * row && p[2 * i + 1] == 2 * row + 1 && !seen[row]);
        seen[row] = 1;
        moved += row != i;
    }
    CHECK(p && moved > N / 2);
    CHECK(hy_value(F, x, 17, 1) == 35);
    ARRAY_IS(F, hy_shuffle(F, hy_ones(F, HY_SHAPE(1))), 1);
    CHECK(hy_close(F) == 0);
}

static void array_shuffle_reaches_every_order(void)
{
    hy_frame *F = hy_open(NULL);
    int count[27] = { 0 }, i, orders = 0, least = 600;
    for (i = 0; i < 600; i++) {
        float p[3] = { 0, 0, 0 };
        hy_begin(F);
        hy_to(F, hy_shuffle(F, hy_arange(F, 0, 3, 1)), HY_F32, p, sizeof p);
        hy_end(F);
        count[(int)(9 * p[0] + 3 * p[1] + p[2])]++;
    }
    for (i = 0; i < 27; i++)
        if (count[i]) {
            orders++;
            if (count[i] < least) least = count[i];
        }
    CHECK(orders == 6 && least > 60);           /* 100 each, 4.4 sigma */
    CHECK(hy_close(F) == 0);
}

/* A match that is no box, scores that are no numbers, a histogram of one output; lines put in from C. */
static void array_matched(void)
{
    static const float nan_scores[] = { 1, NAN, 3, 2 };
    hy_frame *F = hy_open(NULL);
    hy_bipartite_matching_opt one = { 0 };
    hy_array *sample = hy_ones(F, HY_SHAPE(1, 2)), *box = hy_reshape(F, hy_arange(F, 0, 8, 1), HY_INTS(1, 2, 4), NULL), *y, *match;
    hy_array *four = hy_ones(F, HY_SHAPE(4));
    match = hy_full(F, HY_SHAPE(1, 2), 1);
    ARRAY_IS(F, hy_get(F, hy_box_encode(F, sample, match, box, box, hy_zeros(F, HY_SHAPE(4)), four), 0), 2, 2, 0, 0, 0, 0, 0, 0);
    CHECK(!hy_box_encode(F, sample, hy_full(F, HY_SHAPE(1, 2), 2), box, box, four, four));
    FAILS(F, HY_ERROR_INDEX, "a match is none of the boxes");
    CHECK(!hy_box_encode(F, sample, match, box, hy_ones(F, HY_SHAPE(2, 2, 4)), four, four));
    FAILS(F, HY_ERROR_SHAPE, "box_encode");
    y = hy_bipartite_matching(F, hy_floats(F, HY_SHAPE(2, 2), nan_scores), 0, NULL);
    ARRAY_IS(F, hy_get(F, y, 0), -1, 0);
    ARRAY_IS(F, hy_get(F, y, 1), 1, -1);
    one.topk = 1;
    y = hy_bipartite_matching(F, hy_eye(F, 3, 3, 0), 0.5, &one);
    ARRAY_IS(F, hy_get(F, y, 0), 0, 1, -1);
    ARRAY_IS(F, hy_insert(F, hy_arange(F, 0, 3, 1), hy_full(F, HY_SHAPE(2), 7), -1, 0), 0, 1, 7, 7, 2);
    ARRAY_IS(F, hy_insert_slice(F, hy_arange(F, 0, 3, 1), hy_full(F, HY_SHAPE(1), 7), HY_NONE, HY_NONE, 2, HY_NONE), 7, 0, 1, 7, 2);
    CHECK(!hy_insert(F, hy_arange(F, 0, 3, 1), four, 4, 0));
    FAILS(F, HY_ERROR_INDEX, "int_ind 4 is out of range for an axis of 3");
    CHECK(!hy_insert_tensor(F, hy_arange(F, 0, 3, 1), hy_ones(F, HY_SHAPE(2)), hy_full(F, HY_SHAPE(2), NAN), 0));
    FAILS(F, HY_ERROR_INDEX, "an index is out of range");
    CHECK(hy_close(F) == 0);
}

static void test_array(void)
{
    RUN(array_matched);
    RUN(array_from_copies_every_type);
    RUN(array_dtypes_have_sizes_and_names);
    RUN(array_borrow_shares_memory);
    RUN(array_makers_give_their_values);
    RUN(array_bad_ranges_are_errors);
    RUN(array_sizes_of_zero_are_legal);
    RUN(array_scalars_have_no_dims);
    RUN(array_has_at_most_eight_dims);
    RUN(array_bad_shapes_and_types_are_errors);
    RUN(array_value_reads_with_negative_indices);
    RUN(array_set_value_writes_one_element);
    RUN(array_fill_and_write_reach_every_element);
    RUN(array_assign_broadcasts);
    RUN(array_assign_may_overlap);
    RUN(array_arithmetic_in_place);
    RUN(array_in_place_refuses_other_types_and_shapes);
    RUN(array_to_never_writes_past_the_buffer);
    RUN(array_views_look_where_they_should);
    RUN(array_views_feed_operators);
    RUN(array_writes_go_through_views);
    RUN(array_strided_view_has_no_packed_data);
    RUN(array_bad_views_are_errors);
    RUN(array_float_to_int_saturates);
    RUN(array_float_to_int_at_the_edges);
    RUN(array_int_casts_wrap);
    RUN(array_int_to_float_rounds_once);
    RUN(array_bool_is_whether_not_zero);
    RUN(array_half_rounds_to_nearest_even);
    RUN(array_half_from_double_rounds_once);
    RUN(array_bfloat_rounds_to_nearest_even);
    RUN(array_every_half_survives_float);
    RUN(array_text_of_floats);
    RUN(array_text_of_whole_numbers_and_bools);
    RUN(array_text_of_scalars_and_nothing);
    RUN(array_text_is_wrapped_and_summarised);
    RUN(array_text_of_views_groups_and_symbols);
    RUN(array_text_fits_any_buffer);
    RUN(array_print_writes_the_text_to_stdout);
    RUN(array_random_words_are_philox);
    RUN(array_random_kinds_read_their_words);
    RUN(array_random_repeats_with_the_seed);
    RUN(array_random_is_the_same_for_any_threads);
    RUN(array_random_longer_draw_begins_alike);
    RUN(array_random_calls_differ);
    RUN(array_random_moments);
    RUN(array_randint_keeps_its_bounds);
    RUN(array_random_bad_arguments_are_errors);
    RUN(array_shuffle_is_a_permutation_of_rows);
    RUN(array_shuffle_reaches_every_order);
}
