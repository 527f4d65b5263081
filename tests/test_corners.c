/* Shapes and types at which a quicker way must stand back, or was once taken wrongly. */

/* A window in the border in front of the first plane sees nothing. */
static void corners_border(void)
{
    hy_frame *F = hy_open(NULL);
    hy_nn_conv_opt o = { 0 };
    hy_block *net;
    hy_array *x = hy_normal(F, HY_SHAPE(1, 32, 1, 16, 16), 0, 1), *y, *z;
    o.no_bias = 1;
    o.strides = HY_INTS(3, 1, 1);
    o.padding = HY_INTS(1, 1, 1);
    net = hy_nn_conv3d(F, 32, HY_INTS(1, 3, 3), &o);
    hy_initialize(F, net, NULL);
    y = hy_call(F, net, x);
    hy_hybridize(F, net, NULL);
    z = hy_call(F, net, x);
    CHECK(!hy_error(F) && hy_item(F, hy_max(F, hy_abs(F, y), HY_ALL, NULL)) == 0);
    CHECK(hy_item(F, hy_max(F, hy_abs(F, z), HY_ALL, NULL)) == 0);
    CHECK(!hy_close(F));
}

/* What lies between far taps takes no memory. */
static void corners_far(void)
{
    hy_frame *F = hy_open(NULL);
    hy_nn_conv_opt o = { 0 };
    hy_block *net;
    hy_array *x = hy_normal(F, HY_SHAPE(1, 8, 4, 16), 0, 1), *y;
    hy_plan_info plan;
    o.dilation = HY_INTS(1 << 20, 1);
    o.padding = HY_INTS(1 << 20, 0);
    net = hy_nn_conv2d(F, 4, HY_INTS(3, 1), &o);
    hy_initialize(F, net, NULL);
    y = hy_call(F, net, x);
    hy_hybridize(F, net, NULL);
    plan = hy_plan(F, net, x);
    CHECK(!hy_error(F) && plan.total < (1 << 20));
    CHECK(hy_item(F, hy_max(F, hy_abs(F, hy_sub(F, y, hy_call(F, net, x))), HY_ALL, NULL)) < 1e-6);
    CHECK(!hy_close(F));
}

/* Sums of windows of bytes end at the type's limits, whether or not a window is the whole plane. */
static void corners_sums(void)
{
    hy_frame *F = hy_open(NULL);
    int across;
    for (across = 4; across < 6; across++) {
        hy_array *x = hy_cast(F, hy_full(F, HY_SHAPE(1, 1, 4, across), 100), HY_I8);
        hy_pooling_opt o = { 0 };
        o.pool_type = HY_POOL_SUM;
        CHECK(hy_item(F, hy_pooling(F, x, HY_INTS(4, across), &o)) == 127);
    }
    CHECK(!hy_close(F));
}

/* Norms of integers: as real numbers, and as integers. */
static void corners_norms(void)
{
    static const hy_dtype from[] = { HY_I8, HY_U8, HY_I32, HY_I64 }, to[] = { HY_F32, HY_F64, HY_I32 };
    static const double v[] = { 3, 4, 0, 12 };
    hy_frame *F = hy_open(NULL);
    int i, k, ord;
    for (i = 0; i < 4; i++) for (k = 0; k < 3; k++) for (ord = 1; ord < 3; ord++) {
        hy_array *x = hy_cast(F, hy_from(F, HY_SHAPE(4), HY_F64, v), from[i]);
        hy_norm_opt o = { 0 };
        o.ord = ord;
        o.out_dtype = to[k];
        if (!CHECK(hy_item(F, hy_norm(F, x, HY_ALL, &o)) == (ord == 1 ? 19 : 13))) printf("    %d, %d\n", i, k);
    }
    CHECK(!hy_close(F));
}

/* Zeros keep their sign; one factor alone is no size. */
static void corners_of_norms_and_sizes(void)
{
    const float minus[] = { -0.0f, 1, 2, -0.0f };
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_floats(F, HY_SHAPE(1, 4), minus), *y = hy_l2_normalization(F, x, NULL);
    hy_bilinear_resize_opt high;
    CHECK(y && signbit(hy_value(F, y, 0, 0)) && signbit(hy_value(F, y, 0, 3)));
    memset(&high, 0, sizeof high);
    high.scale_height = 2;
    CHECK(!hy_bilinear_resize(F, hy_ones(F, HY_SHAPE(1, 1, 2, 2)), NULL, 1, 1, &high));
    CHECK(hy_error_code(F) == HY_ERROR_ARGUMENT && strstr(hy_error(F), "scale_width"));
    hy_clear(F);
    CHECK(isnan(hy_item(F, hy_sign(F, hy_full(F, HY_SHAPE(1), NAN)))));
    CHECK(!hy_close(F));
}

/* The largest and the least of nothing are the ends of the type. */
static void corners_of_nothing(void)
{
    static const hy_dtype types[] = { HY_I8, HY_U8, HY_I32, HY_I64, HY_BOOL, HY_F32, HY_F16 };
    const double least[] = { -128, 0, -2147483648.0, -9223372036854775808.0, 0, -HUGE_VAL, -HUGE_VAL };
    const double largest[] = { 127, 255, 2147483647.0, 9223372036854775807.0, 1, HUGE_VAL, HUGE_VAL };
    hy_frame *F = hy_open(NULL);
    int i, axis;
    for (i = 0; i < 7; i++) for (axis = 0; axis < 2; axis++) {
        hy_array *x = hy_cast(F, axis ? hy_zeros(F, HY_SHAPE(3, 0)) : hy_zeros(F, HY_SHAPE(0, 3)), types[i]);
        CHECK(hy_value(F, hy_max(F, x, HY_AXES(axis), NULL), 2) == least[i]);
        CHECK(hy_value(F, hy_min(F, x, HY_AXES(axis), NULL), 2) == largest[i]);
        CHECK(hy_item(F, hy_max(F, x, HY_ALL, NULL)) == least[i]);
    }
    CHECK(!hy_close(F));
}

/* What counts for nothing may be infinite: pixels beside those of a result, data of a batch norm by running
 * statistics. */
static void corners_of_infinities(void)
{
    const float v[] = { 1, HUGE_VALF, 2, 3, NAN, 4 };
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_floats(F, HY_SHAPE(1, 1, 2, 3), v), *y, *ones = hy_ones(F, HY_SHAPE(2)), *data, *wide;
    hy_batch_norm_opt o;
    int i, k;
    y = hy_bilinear_resize(F, x, NULL, 2, 3, NULL);
    for (i = 0; i < 6; i++)
        CHECK(hy_value(F, y, 0, 0, i / 3, i % 3) == v[i] || (i == 4 && isnan(hy_value(F, y, 0, 0, 1, 1))));
    memset(&o, 0, sizeof o);
    o.use_global_stats = 1;
    o.learn_gamma = 1;
    o.axis = -1;
    wide = hy_reshape(F, x, HY_INTS(3, 2), NULL);
    for (k = 0; k < 4; k++) {           /* channels last and not, of floats and halves */
        data = hy_cast(F, k % 2 ? hy_view_transpose(F, wide, HY_AXES(1, 0)) : wide, k / 2 ? HY_F16 : HY_F32);
        o.axis = k % 2 ? HY_ZERO : -1;
        hy_attach_grad(F, data, HY_GRAD_WRITE);
        hy_record(F);
        y = hy_batch_norm(F, data, hy_full(F, HY_SHAPE(2), 3), ones, ones, hy_full(F, HY_SHAPE(2), 4), &o);
        hy_pause(F);
        hy_backward(F, y, NULL);
        for (i = 0; i < 6; i++)
            CHECK(fabs(hy_value(F, hy_reshape(F, hy_grad_of(F, data), HY_INTS(-1), NULL), i) - 1.5) < 1e-2);
    }
    CHECK(!hy_close(F));
}

/* At the outer edge of what the border reaches, slopes are those further in, as in MXNet. */
static void corners_of_samples(void)
{
    const float v[] = { 2, 0, 0, 0, 0 }, at[] = { -1.5f, 0 };       /* a pixel left of the first */
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_floats(F, HY_SHAPE(1, 1, 1, 5), v), *grid = hy_floats(F, HY_SHAPE(1, 2, 1, 1), at), *y;
    hy_attach_grad(F, grid, HY_GRAD_WRITE);
    hy_record(F);
    y = hy_bilinear_sampler(F, x, grid);
    hy_pause(F);
    hy_backward(F, y, NULL);
    CHECK(hy_item(F, y) == 0 && hy_value(F, hy_grad_of(F, grid), 0, 0, 0, 0) == 4);
    CHECK(!hy_close(F));
}

/* Whole numbers that a double cannot hold. */
static void corners_of_large_whole_numbers(void)
{
    const int64_t large = ((int64_t)1 << 53) + 1;
    int64_t v[12] = { 0 };
    hy_pooling_opt o = { 0 };
    hy_frame *F = hy_open(NULL);
    hy_array *y;
    int i, last;
    for (last = 0; last < 2; last++) {
        for (i = 0; i < 12; i++) v[i] = large + i * i % 7 - 12 * (i % 5 == 0);
        o.layout = last ? HY_LAYOUT_NWC : HY_LAYOUT_NCW;
        o.pad = HY_INTS(1);
        y = hy_pooling(F, hy_from(F, last ? HY_SHAPE(1, 6, 2) : HY_SHAPE(2, 1, 6), HY_I64, v), HY_INTS(3), &o);
        for (i = 0; i < hy_size(F, y); i++) {           /* windows of places -1, 0, 1 ... of rows of 6 */
            int row = last ? i % 2 : i / 6, place = last ? i / 2 : i % 6, k;
            int64_t most = INT64_MIN;
            for (k = place - 1; k < place + 2; k++) if (k >= 0 && k < 6) {
                int64_t at = v[last ? 2 * k + row : 6 * row + k];
                if (at > most) most = at;
            }
            CHECK(((const int64_t *)hy_data(F, y))[i] == most);
        }
        CHECK(hy_size(F, y) == 12);
    }
    CHECK(!hy_close(F));
}

/* Sizes of images that are resized by factors are MXNet's, which multiplies floats. */
static void corners_of_resized_sizes(void)
{
    static const int from[] = { 85, 50, 150, 101, 100, 101 }, to[] = { 220, 104, 207, 234, 203, 53 };
    static const double scale[] = { 2.6, 2.1, 1.38, 2.34, 2.03, 0.53 };
    hy_bilinear_resize_opt o = { 0 };
    hy_frame *F = hy_open(NULL);
    hy_array *x;
    int i;
    for (i = 0; i < 6; i++) {
        o.mode = i < 3 ? HY_RESIZE_SIZE : HY_RESIZE_ODD_SCALE;
        o.scale_height = o.scale_width = scale[i];
        x = hy_zeros(F, HY_SHAPE(1, 1, from[i], from[i]));
        x = hy_bilinear_resize(F, x, NULL, 1, 1, &o);
        CHECK(hy_dim(F, x, 2) == to[i] && hy_dim(F, x, 3) == to[i]);
    }
    CHECK(!hy_close(F));
}

/* Two anchors that overlap a label by a fifth: which one takes it hangs on rounding, which is MXNet's. */
static void corners_of_anchors_that_tie(void)
{
    const float anchor[] = { 0.4f, 0, 0.5f, 0.4f, 0.5f, 0.2f, 0.9f, 0.3f }, label[] = { 1, 0.3f, 0.1f, 0.7f, 0.3f };
    hy_frame *F = hy_open(NULL);
    hy_array *y = hy_multibox_target(F, hy_floats(F, HY_SHAPE(1, 2, 4), anchor),
                                     hy_floats(F, HY_SHAPE(1, 1, 5), label), hy_zeros(F, HY_SHAPE(1, 2, 2)), NULL);
    y = hy_get(F, y, 2);
    CHECK(hy_value(F, y, 0, 0) == 2 && hy_value(F, y, 0, 1) == 0);
    CHECK(!hy_close(F));
}

/* Anchors are MXNet's to the last bit. */
static void corners_of_anchors(void)
{
    static const float mxnet[] = { -0.0699999928f, -0.00333333015f, 0.00500001013f, 0.0716666728f, 0.195000008f,
                                   -0.0202081427f, -0.0737496465f, 0.220208168f };
    static const int at[] = { 0, 1, 4, 5, 6, 8, 9, 10 };
    hy_multibox_prior_opt o = { 0 };
    hy_frame *F = hy_open(NULL);
    const float *y;
    int i;
    o.offsets = HY_REALS(0.5, 0.3);
    y = (const float *)hy_data(F, hy_multibox_prior(F, hy_zeros(F, HY_SHAPE(1, 1, 3, 3)), HY_REALS(0.34, 0.19),
                                                    HY_REALS(1, 0.5, 3), &o));
    for (i = 0; i < 8; i++) CHECK(y && y[at[i]] == mxnet[i]);
    CHECK(!hy_close(F));
}

static void test_corners(void)
{
    RUN(corners_of_anchors);
    RUN(corners_of_anchors_that_tie);
    RUN(corners_of_resized_sizes);
    RUN(corners_of_large_whole_numbers);
    RUN(corners_of_infinities);
    RUN(corners_of_samples);
    RUN(corners_of_nothing);
    RUN(corners_of_norms_and_sizes);
    RUN(corners_border);
    RUN(corners_far);
    RUN(corners_sums);
    RUN(corners_norms);
}
