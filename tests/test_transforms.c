/* Transforms of images: as blocks, alone and in a row, compiled, in files, and in the workers of a loader. */
#ifndef HYBRID_NO_VISION
static hy_array *transforms_image(hy_frame *F, int64_t n, int64_t h, int64_t w)         /* n 0: (H,W,C) */
{
    hy_array *x = hy_cast(F, hy_randint(F, HY_SHAPE(n ? n : 1, h, w, 3), 0, 256), HY_U8);
    return n ? x : hy_reshape(F, x, HY_INTS(h, w, 3), NULL);
}
static int transforms_same(hy_frame *F, hy_array *a, hy_array *b)
{
    size_t n;
    if (!CHECK(a && b)) { printf("    %s\n", hy_error(F)); return 0; }
    if (!CHECK(hy_dtype_of(F, a) == hy_dtype_of(F, b) && hy_size(F, a) == hy_size(F, b))) return 0;
    n = (size_t)hy_size(F, a) * hy_dtype_size(hy_dtype_of(F, a));
    return CHECK(hy_ndim(F, a) == hy_ndim(F, b)) && CHECK(!memcmp(hy_data(F, a), hy_data(F, b), n));
}
static void transforms_shape(hy_frame *F, hy_array *x, const char *want)
{
    char text[80] = "";
    int d, n = 0;
    for (d = 0; x && d < hy_ndim(F, x); d++) n += sprintf(text + n, "%s%d", d ? "," : "", (int)hy_dim(F, x, d));
    CHECK_STR(text, want);
}

static hy_block *transforms_row(hy_frame *F)
{
    hy_block *net = hy_nn_hybrid_sequential(F);
    return hy_append(F, net, hy_nn_resize(F, HY_INTS(16, 12), NULL), hy_nn_center_crop(F, HY_INTS(8), NULL),
                     hy_nn_to_tensor(F), hy_nn_normalize(F, HY_REALS(0.5, 0.25, 0), HY_REALS(0.5, 1, 2)),
                     hy_nn_cast(F, HY_F64));
}
/* One after the other, of bytes: what they make by hand, compiled, bound, and several images at once. */
static void transforms_in_a_row(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = transforms_row(F);
    hy_array *x = transforms_image(F, 0, 20, 31), *many = transforms_image(F, 3, 20, 31), *y, *z, *all;
    hy_plan_info plan;
    void *room;
    y = hy_call(F, net, x);
    transforms_shape(F, y, "3,8,8");
    CHECK(hy_dtype_of(F, y) == HY_F64);
    z = hy_image_crop(F, hy_image_resize(F, x, HY_INTS(16, 12), NULL), 4, 2, 8, 8);
    CHECK_NEAR(hy_value(F, y, 0, 3, 5), (hy_value(F, z, 3, 5, 0) / 255 - 0.5) / 0.5, 1e-6);
    CHECK_NEAR(hy_value(F, y, 2, 7, 0), hy_value(F, z, 7, 0, 2) / 255 / 2, 1e-6);
    all = hy_call(F, net, many);
    transforms_shape(F, all, "3,3,8,8");
    z = hy_reshape(F, hy_slice_axis(F, many, 0, 1, 2), HY_INTS(20, 31, 3), NULL);
    z = hy_call(F, net, z);
    transforms_same(F, z, hy_reshape(F, hy_slice_axis(F, all, 0, 1, 2), HY_INTS(3, 8, 8), NULL));
    hy_hybridize(F, net, NULL);
    transforms_same(F, y, hy_call(F, net, x));
    transforms_same(F, all, hy_call(F, net, many));
    plan = hy_plan(F, net, x);
    room = malloc(plan.total + 64);
    CHECK(room && !hy_bind(F, net, x, room, plan.total + 64));
    transforms_same(F, y, hy_call(F, net, x));
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
    free(room);
}

/* The middle: of a large image a part of it, of a small one the largest of that shape, enlarged. */
static void transforms_middle(void)
{
    static const struct { int high, wide, x, y, w, h; } of[] = {
        { 20, 31, 8, 6, 14, 7 }, { 20, 10, 0, 7, 10, 5 }, { 5, 31, 10, 0, 10, 5 }, { 3, 4, 0, 0, 4, 2 }, { 7, 14, 0, 0, 14, 7 } };
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_center_crop(F, HY_INTS(14, 7), NULL);
    hy_nn_crop_resize_opt o = { 0 };
    size_t i;
    o.size = HY_INTS(14, 7);
    for (i = 0; i < sizeof of / sizeof *of; i++) {
        hy_array *x = transforms_image(F, 0, of[i].high, of[i].wide), *y = hy_call(F, net, x);
        transforms_shape(F, y, "7,14,3");
        transforms_same(F, y, hy_call(F, hy_nn_crop_resize(F, of[i].x, of[i].y, of[i].w, of[i].h, &o), x));
    }
    hy_hybridize(F, net, NULL);
    for (i = 0; i < sizeof of / sizeof *of; i++)
        transforms_shape(F, hy_call(F, net, transforms_image(F, 2, of[i].high, of[i].wide)), "2,7,14,3");
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
}

/* Bytes of four pixels, resized: numbers by hand. */
static void transforms_resize(void)
{
    static const unsigned char bytes[4] = { 10, 20, 30, 45 };
    static const int linear[16] = { 10, 13, 18, 20, 15, 18, 23, 26, 25, 28, 35, 39, 30, 34, 41, 45 };
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_from(F, HY_SHAPE(2, 2, 1), HY_U8, bytes), *y = hy_image_resize(F, x, HY_INTS(4), NULL);
    hy_image_resize_opt o = { 0 };
    int i;
    for (i = 0; i < 16; i++) CHECK_NEAR(hy_value(F, y, i / 4, i % 4, 0), linear[i], 0);
    o.interp = HY_INTERP_NEAREST;
    y = hy_image_resize(F, x, HY_INTS(3, 4), &o);
    for (i = 0; i < 12; i++) CHECK_NEAR(hy_value(F, y, i / 3, i % 3, 0), bytes[i / 6 * 2 + (i % 3 == 2)], 0);
    o.interp = 0;
    o.keep_ratio = 1;
    transforms_shape(F, hy_image_resize(F, transforms_image(F, 0, 20, 30), HY_INTS(8), &o), "8,12,3");
    transforms_shape(F, hy_image_resize(F, transforms_image(F, 0, 30, 20), HY_INTS(8), &o), "12,8,3");
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
}

/* Bytes of four pixels by a factor that is certain: what MXNet 1.9.1 gives, but for a step where it rounds. */
static void transforms_by_factors(void)
{
    static const unsigned char bytes[12] = { 12, 200, 77, 255, 3, 90, 40, 41, 39, 130, 160, 250 };
    static const struct { const char *op; double by; int want[12]; } of[] = {
        { "image_random_brightness", 1.3, { 15, 255, 100, 255, 3, 116, 52, 53, 50, 169, 208, 255 } },
        { "image_random_contrast", 0.7, { 39, 171, 85, 209, 33, 94, 59, 60, 58, 122, 143, 206 } },
        { "image_random_contrast", 1.6, { 0, 255, 60, 255, 0, 81, 1, 2, 0, 145, 193, 255 } },
        { "image_random_saturation", 0.4, { 10, 85, 36, 108, 7, 42, 18, 19, 18, 69, 81, 117 } },
        { "image_random_saturation", 1.5, { 13, 255, 111, 255, 0, 129, 57, 59, 56, 180, 225, 255 } },
        { "image_random_hue", 1.15, { 11, 153, 200, 255, 142, 3, 39, 41, 39, 208, 129, 250 } },
        { "image_random_hue", 0.6, { 200, 11, 22, 3, 190, 255, 41, 39, 40, 207, 250, 129 } },
        { "image_adjust_lighting", 0, { 0, 190, 69, 243, 0, 82, 28, 31, 31, 118, 150, 242 } } };
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_from(F, HY_SHAPE(2, 2, 3), HY_U8, bytes), *y;
    char attrs[80];
    size_t k;
    int i;
    for (k = 0; k < sizeof of / sizeof *of; k++) {
        sprintf(attrs, "min_factor=%g max_factor=%g", of[k].by, of[k].by);
        y = hy_apply(F, of[k].op, 1, &x, of[k].by != 0 ? attrs : "alpha=(0.3,-0.5,0.2)");
        for (i = 0; i < 12 && y; i++)
            if (!CHECK_NEAR(hy_value(F, y, i / 6, i / 3 % 2, i % 3), of[k].want[i], 1)) printf("    %s, %d\n", of[k].op, i);
    }
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
}

static hy_block *transforms_random(hy_frame *F)
{
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_nn_random_resized_crop_opt o;
    memset(&o, 0, sizeof o);
    o.scale = HY_REALS(0.3, 0.9);
    return hy_append(F, net, hy_nn_random_resized_crop(F, HY_INTS(9, 8), &o), hy_nn_random_flip_left_right(F),
                     hy_nn_random_flip_top_bottom(F), hy_nn_random_brightness(F, 0.3), hy_nn_random_contrast(F, 0.3),
                     hy_nn_random_saturation(F, 0.3), hy_nn_random_hue(F, 0.1), hy_nn_random_color_jitter(F, 0.1, 0.2, 0.3, 0.1),
                     hy_nn_random_lighting(F, 0.1), hy_nn_to_tensor(F));
}
/* A seed makes the same line by line, compiled, in training or not, on any number of threads; images differ. */
static void transforms_draws(void)
{
    double first[3] = { 0 };
    int threads, seed;
    for (threads = 1; threads < 4; threads += 2) {
        hy_frame *F = control_open(threads);
        hy_block *plain = transforms_random(F), *net = transforms_random(F);
        hy_array *one, *x;
        hy_seed(F, 9);
        one = transforms_image(F, 1, 20, 17);
        x = hy_concat(F, hy_group(F, one, one, transforms_image(F, 40, 20, 17)), 0);
        hy_hybridize(F, net, NULL);
        for (seed = 0; seed < 3; seed++) {
            hy_array *y, *z, *t;
            hy_seed(F, (uint64_t)seed);
            y = hy_call(F, plain, x);
            hy_seed(F, (uint64_t)seed);
            z = hy_call(F, net, x);
            transforms_shape(F, y, "42,3,8,9");
            transforms_same(F, y, z);
            hy_set_training(F, 1);
            hy_seed(F, (uint64_t)seed);
            t = hy_call(F, net, x);
            hy_set_training(F, 0);
            transforms_same(F, y, t);
            z = hy_sum(F, hy_abs(F, hy_sub(F, hy_slice_axis(F, y, 0, 0, 1), hy_slice_axis(F, y, 0, 1, 2))), HY_ALL, NULL);
            CHECK(hy_item(F, z) > 1);
            if (threads == 1) first[seed] = hy_item(F, hy_sum(F, y, HY_ALL, NULL));
            else CHECK_NEAR(hy_item(F, hy_sum(F, y, HY_ALL, NULL)), first[seed], 0);
        }
        CHECK(first[0] != first[1] && first[1] != first[2]);
        CHECK_STR(hy_error(F), NULL);
        CHECK(hy_close(F) == 0);
    }
}

/* What is drawn, over many images alike. */
enum { TRANSFORMS_MANY = 4000 };
static double transforms_share(double low, double high, const double *v)       /* of numbers in [low, high) */
{
    int i, n = 0;
    for (i = 0; i < TRANSFORMS_MANY; i++) n += v[i] >= low && v[i] < high;
    return (double)n / TRANSFORMS_MANY;
}
static const double *transforms_of(hy_frame *F, hy_block *net, hy_array *one, int at)
{
    static double v[TRANSFORMS_MANY];
    hy_array *y = hy_call(F, net, hy_broadcast_to(F, one, HY_INTS(TRANSFORMS_MANY, 4, 5, 3)));
    int i, n = y ? (int)(hy_size(F, y) / TRANSFORMS_MANY) : 0;
    y = hy_reshape(F, y, HY_INTS(TRANSFORMS_MANY, n), NULL);
    for (i = 0; i < TRANSFORMS_MANY && n; i++) v[i] = hy_value(F, y, i, at);
    return v;
}
static void transforms_in_distribution(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_reshape(F, hy_arange(F, 0, 60, 1), HY_INTS(1, 4, 5, 3), NULL), *flat = hy_full(F, HY_SHAPE(1, 4, 5, 3), 100);
    hy_nn_random_resized_crop_opt all = { 0 };
    const double *v = transforms_of(F, hy_nn_random_flip_left_right(F), x, 0);
    hy_seed(F, 3);
    CHECK_NEAR(transforms_share(0, 1, v), 0.5, 0.03);
    CHECK_NEAR(transforms_share(12, 13, v), 0.5, 0.03);
    v = transforms_of(F, hy_nn_random_flip_top_bottom(F), x, 1);
    CHECK_NEAR(transforms_share(1, 2, v), 0.5, 0.03);
    CHECK_NEAR(transforms_share(46, 47, v), 0.5, 0.03);
    v = transforms_of(F, hy_nn_random_brightness(F, 0.5), flat, 7);
    CHECK_NEAR(transforms_share(50, 150.001, v), 1, 0);
    CHECK_NEAR(transforms_share(50, 75, v), 0.25, 0.03);
    CHECK_NEAR(transforms_share(120, 151, v), 0.3, 0.03);
    v = transforms_of(F, hy_nn_random_brightness(F, 3), flat, 7);               /* from 0 on */
    CHECK_NEAR(transforms_share(0, 401, v), 1, 0);
    CHECK_NEAR(transforms_share(0, 100, v), 0.25, 0.03);
    v = transforms_of(F, hy_nn_random_contrast(F, 0.5), flat, 5);               /* all is mean grey */
    CHECK_NEAR(transforms_share(99.99, 100.01, v), 1, 0);
    v = transforms_of(F, hy_nn_random_contrast(F, 0.5), x, 59);                 /* (59 - 29.31) from 0.5 to 1.5 beside it */
    CHECK_NEAR(transforms_share(44.1, 73.9, v), 1, 0);
    CHECK_NEAR(transforms_share(44.1, 59, v), 0.5, 0.03);
    v = transforms_of(F, hy_nn_random_saturation(F, 0.5), flat, 0);             /* 100 a + 11.4 (1 - a) */
    CHECK_NEAR(transforms_share(55.69, 144.31, v), 1, 0);
    CHECK_NEAR(transforms_share(55.69, 77.85, v), 0.25, 0.03);
    v = transforms_of(F, hy_nn_random_lighting(F, 0), flat, 0);
    CHECK_NEAR(transforms_share(99.99, 100.01, v), 1, 0);
    v = transforms_of(F, hy_nn_random_lighting(F, 0.1), flat, 0);               /* deviation 3.167 */
    CHECK_NEAR(transforms_share(0, 100, v), 0.5, 0.03);
    CHECK_NEAR(transforms_share(96.833, 103.167, v), 0.6827, 0.03);
    v = transforms_of(F, hy_nn_random_hue(F, 0), x, 37);                        /* once round the circle */
    CHECK_NEAR(transforms_share(36.99, 37.01, v), 1, 0);
    v = transforms_of(F, hy_nn_random_color_jitter(F, 0, 0, 0, 0), x, 31);
    CHECK_NEAR(transforms_share(31, 31.01, v), 1, 0);
    v = transforms_of(F, hy_nn_random_color_jitter(F, 0.5, 0.5, 0, 0), flat, 3);        /* grey: brightness alone */
    CHECK_NEAR(transforms_share(50, 75, v), 0.25, 0.03);
    all.scale = HY_REALS(1, 1);
    all.ratio = HY_REALS(1.25, 1.25);                                           /* the whole image, always */
    v = transforms_of(F, hy_nn_random_resized_crop(F, HY_INTS(5, 4), &all), x, 22);
    CHECK_NEAR(transforms_share(22, 22.01, v), 1, 0);
    all.scale = HY_REALS(0.05, 0.05);
    all.ratio = HY_REALS(1, 1);                                                 /* one pixel, any of 20 */
    v = transforms_of(F, hy_nn_random_resized_crop(F, HY_INTS(1), &all), x, 0);
    CHECK_NEAR(transforms_share(0, 1, v), 0.05, 0.015);
    CHECK_NEAR(transforms_share(57, 58, v), 0.05, 0.015);
    CHECK_NEAR(transforms_share(24, 25, v), 0.05, 0.015);
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
}

/* With a network behind it, in MXNet's files and in one of its own: the same numbers, the same draws. */
#ifndef HYBRID_NO_IO
static void transforms_in_files(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_hybrid_sequential(F), *back;
    hy_array *x, *y, *symbol = NULL;
    hy_arrays params;
    int random;
    for (random = 0; random < 2; random++) {
        net = hy_nn_hybrid_sequential(F);
        if (random) hy_append(F, net, transforms_random(F), hy_nn_dense(F, 4, NULL));
        else
            hy_append(F, net, hy_nn_resize(F, HY_INTS(16, 12), NULL), hy_nn_center_crop(F, HY_INTS(8), NULL), hy_nn_to_tensor(F),
                      hy_nn_normalize(F, HY_REALS(0.5), HY_REALS(0.5, 1, 2)), hy_nn_conv2d(F, 4, HY_INTS(3), NULL));
        hy_initialize(F, net, NULL);
        hy_hybridize(F, net, NULL);
        x = transforms_image(F, 2, 20, 31);
        hy_seed(F, 4);
        y = hy_call(F, net, x);
        CHECK(!hy_export_to(F, net, NULL, &symbol, &params));
        if (!random) CHECK(symbol && strstr((const char *)hy_data(F, symbol), "\"_image_normalize\""));
        back = hy_import_from(F, hy_symbol_from(F, (const char *)hy_data(F, symbol), (size_t)hy_size(F, symbol)), &params, NULL);
        hy_seed(F, 4);
        transforms_same(F, y, hy_call(F, back, x));
#ifndef HYBRID_NO_STDIO
        CHECK(!hy_save_model(F, net, "transforms.model"));
        back = hy_load_model(F, "transforms.model");
        hy_seed(F, 4);
        transforms_same(F, y, hy_call(F, back, x));
        remove("transforms.model");
#endif
    }
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
}
#endif

static void transforms_refused(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = transforms_image(F, 0, 4, 5);
    hy_nn_resize_opt cubic = { 0 };
    hy_nn_random_resized_crop_opt o = { 0 };
    cubic.interpolation = 2;
    o.scale = HY_REALS(0.5, 0.2);
#define REFUSED(made, text) do { CHECK(!(made)); train_expect(F, text); } while (0)
    REFUSED(hy_nn_resize(F, HY_INTS(0), NULL), "hy_nn_resize: the height is 0, where at least 1 is due");
    REFUSED(hy_nn_resize(F, HY_INTS(5, -1), NULL), "hy_nn_resize: the height is -1");
    REFUSED(hy_nn_resize(F, HY_INTS(5, 5, 5), NULL), "hy_nn_resize: size has 3 numbers");
    REFUSED(hy_nn_resize(F, HY_INTS(5), &cubic), "hy_nn_resize: interp is 2 (bicubic): only 0 (nearest) and 1 (bilinear)");
    REFUSED(hy_nn_center_crop(F, HY_INTS(0, 5), NULL), "hy_nn_center_crop: width of the result is 0");
    REFUSED(hy_nn_center_crop(F, HY_INTS(5), &cubic), "hy_nn_center_crop: interpolation is 2");
    REFUSED(hy_nn_crop_resize(F, 0, 0, 0, 3, NULL), "hy_nn_crop_resize: width is 0");
    REFUSED(hy_nn_crop_resize(F, -1, 0, 2, 3, NULL), "hy_nn_crop_resize: x is -1");
    REFUSED(hy_call(F, hy_nn_crop_resize(F, 3, 0, 3, 2, NULL), x), "a window of width 3 and height 2 from x 3 and y 0 on leaves the "
            "image, (4,5,3)");
    REFUSED(hy_nn_random_resized_crop(F, HY_INTS(5, 0), NULL), "hy_nn_random_resized_crop: the height is 0");
    REFUSED(hy_nn_random_resized_crop(F, HY_INTS(5), &o), "hy_nn_random_resized_crop: area needs two numbers above 0");
    REFUSED(hy_nn_normalize(F, HY_REALS(0), HY_REALS(1, 0, 1)), "hy_nn_normalize: std holds 0.0, by which nothing can be divided");
    REFUSED(hy_call(F, hy_nn_normalize(F, HY_REALS(0), HY_REALS(1, 2)), hy_ones(F, HY_SHAPE(3, 4, 5))), "std has 2 numbers");
    REFUSED(hy_call(F, hy_nn_normalize(F, HY_REALS(1, 2, 3), HY_REALS(1)), hy_ones(F, HY_SHAPE(2, 4, 5))), "mean has 3 numbers");
    REFUSED(hy_call(F, hy_nn_to_tensor(F), hy_ones(F, HY_SHAPE(3, 4))), "an image (H,W,C) or several (N,H,W,C) are due");
    REFUSED(hy_call(F, hy_nn_resize(F, HY_INTS(3), NULL), hy_cast(F, x, HY_I32)), "hy_cast to uint8 or float32 first");
    REFUSED(hy_nn_random_brightness(F, -1), "hy_nn_random_brightness: -1");
    REFUSED(hy_nn_random_color_jitter(F, 0, 0, -0.1, 0), "brightness, contrast, saturation and hue must be at least 0");
    REFUSED(hy_nn_random_lighting(F, -1), "alpha_std must be at least 0");
    REFUSED(hy_call(F, hy_nn_random_hue(F, 0.1), hy_ones(F, HY_SHAPE(4, 5, 2))), "3 channels, or 1, stand last");
    REFUSED(hy_nn_cast(F, HY_DTYPE_NONE), "hy_nn_cast: 0 is no dtype");
#ifndef HYBRID_NO_TRAIN
    {
        hy_dataset *D = hy_dataset_arrays(F, transforms_image(F, 3, 4, 5)), *M;
        hy_block *net = hy_nn_crop_resize(F, 0, 0, 9, 9, NULL);
        REFUSED(hy_dataset_transform_first(F, D, NULL), "the block is NULL");
        REFUSED(hy_dataset_transform_first(F, D, net), "hy_dataset_transform_first: Error in operator");
        hy_block_free(F, net);
        net = hy_nn_to_tensor(F);
        M = hy_dataset_transform_first(F, D, net);
        CHECK(hy_dataset_get(F, M, 2) != NULL);
        hy_block_free(F, net);
        REFUSED(hy_dataset_get(F, M, 2), "or the block of a transform");
        hy_dataset_free(F, M);
        CHECK_STR(hy_error(F), NULL);
    }
#endif
#undef REFUSED
    CHECK(hy_close(F) == 0);
}

#ifndef HYBRID_NO_TRAIN
/* Two epochs of batches of transformed images and their labels as numbers. */
static int transforms_epochs(int workers, int threads, int compiled, hy_parallel_for host, float *out, int most)
{
    hy_desc desc;
    hy_frame *F;
    hy_block *net;
    hy_dataset *D;
    hy_loader_opt o;
    hy_loader *L;
    hy_array *x;
    int e, n = 0;
    memset(&desc, 0, sizeof desc);
    memset(&o, 0, sizeof o);
    desc.threads = threads;
    desc.parallel_for = host;
    F = hy_open(&desc);
    net = transforms_random(F);
    hy_seed(F, 2);
    D = hy_dataset_arrays(F, hy_group(F, transforms_image(F, 37, 20, 17), hy_arange(F, 0, 37, 1)));
    if (compiled) hy_hybridize(F, net, NULL);
    D = hy_dataset_transform_first(F, D, net);
    o.num_workers = workers;
    o.shuffle = 1;
    o.seed = 7;
    L = hy_loader_new(F, D, 10, &o);
    for (e = 0; e < 2; e++)
        for (;;) {
            int64_t size;
            hy_begin(F);
            x = hy_next(F, L);
            size = x ? hy_size(F, hy_get(F, x, 0)) : 0;
            if (x && e == 0 && !n) transforms_shape(F, hy_get(F, x, 0), "10,3,8,9");
            if (x && n + size < most) {
                memcpy(out + n, hy_data(F, hy_get(F, x, 0)), (size_t)size * sizeof *out);
                n += (int)size;
                out[n++] = (float)hy_value(F, hy_get(F, x, 1), 0);
            }
            hy_end(F);
            if (!x) break;
        }
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
    return n;
}
/* A host that cannot be entered again while it is at work. */
static int transforms_host_busy;
static void transforms_host(void *user, int64_t n, void (*item)(void *arg, int64_t i, int worker), void *arg)
{
    int64_t i;
    (void)user;
    CHECK(!transforms_host_busy);
    transforms_host_busy = 1;
    for (i = 0; i < n; i++) item(arg, i, 0);
    transforms_host_busy = 0;
}
static void transforms_in_workers(void)
{
    enum { MOST = 2 * 37 * 3 * 8 * 9 + 100 };
    static float want[MOST], got[MOST];
    static const int workers[] = { 0, 1, 3, 8 };
    int k, threads, n = transforms_epochs(0, 1, 0, NULL, want, MOST);
    CHECK(n == 2 * 37 * 3 * 8 * 9 + 8);
    for (k = 0; k < 4; k++)
        for (threads = 1; threads < 4; threads += 2) {
            CHECK(transforms_epochs(workers[k], threads, (threads + k) % 2, NULL, got, MOST) == n);
            CHECK(!memcmp(want, got, (size_t)n * sizeof *want));
        }
    CHECK(transforms_epochs(0, 2, 0, transforms_host, got, MOST) == n && !memcmp(want, got, (size_t)n * sizeof *want));
    CHECK(memcmp(want, want + n / 2, (size_t)(n / 2) * sizeof *want));          /* epochs differ */
}

/* Images of sizes of their own: what becomes of one size is stacked, what does not is told sample by sample. */
static int transforms_of_sizes(void *user, int64_t i, uint64_t random, const hy_part *in, hy_part *out)
{
    int64_t k;
    (void)user; (void)random; (void)in;
    out[0].type.shape.dim[0] = 4 + i;
    out[0].type.shape.dim[1] = 9 - i;
    for (k = 0; out[0].data && k < (4 + i) * (9 - i) * 3; k++) ((unsigned char *)out[0].data)[k] = (unsigned char)(7 * k);
    return 0;
}
static void transforms_of_own_sizes(void)
{
    static const hy_type type = { HY_U8, { 3, { -1, -1, 3 } } };
    hy_frame *F = hy_open(NULL);
    hy_dataset *D = hy_dataset_of_parts(F, 5, 1, &type, transforms_of_sizes, NULL);
    hy_loader_opt o = { 0 };
    o.num_workers = 2;
    transforms_shape(F, hy_dataset_get(F, hy_dataset_transform_first(F, D, hy_nn_to_tensor(F)), 2), "1,3,6,7");
    D = hy_dataset_transform_first(F, D, transforms_row(F));
    transforms_shape(F, hy_next(F, hy_loader_new(F, D, 5, &o)), "5,3,8,8");
    CHECK_STR(hy_error(F), NULL);
    D = hy_dataset_of_parts(F, 5, 1, &type, transforms_of_sizes, NULL);
    D = hy_dataset_transform_first(F, D, hy_nn_crop_resize(F, 0, 0, 6, 4, NULL));       /* the last one is 5 wide */
    CHECK(hy_dataset_get(F, D, 3) != NULL && !hy_dataset_get(F, D, 4));
    train_expect(F, "could not make sample 4: Error in operator");
    CHECK(!hy_next(F, hy_loader_new(F, D, 5, &o)));
    train_expect(F, "leaves the image, (8,5,3)");
    CHECK(hy_close(F) == 0);
}

/* Batches come from memory that is used again. */
static void transforms_no_allocation(void)
{
    hy_frame *F = control_open(1);
    hy_block *net = transforms_random(F);
    hy_dataset *D = hy_dataset_arrays(F, transforms_image(F, 64, 20, 17));
    hy_loader *L;
    int64_t calls = 0;
    int e;
    hy_hybridize(F, net, NULL);
    L = hy_loader_new(F, hy_dataset_transform_first(F, D, net), 8, NULL);
    for (e = 0; e < 6; e++) {
        hy_array *x;
        if (e == 3) calls = hy_memory_use(F).calls;
        do { hy_begin(F); x = hy_next(F, L); hy_end(F); } while (x);
    }
    CHECK(hy_memory_use(F).calls == calls);
    CHECK_STR(hy_error(F), NULL);
    CHECK(hy_close(F) == 0);
}

static int transforms_oom_program(hy_frame *F)
{
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_dataset *D, *M;
    hy_loader *L;
    hy_array *x;
    double v;
    hy_append(F, net, hy_nn_center_crop(F, HY_INTS(3), NULL), hy_nn_random_flip_left_right(F), hy_nn_to_tensor(F));
    hy_hybridize(F, net, NULL);
    D = hy_dataset_arrays(F, hy_cast(F, hy_full(F, HY_SHAPE(6, 4, 5, 3), 51), HY_U8));
    M = hy_dataset_transform_first(F, D, net);
    L = hy_loader_new(F, M, 4, NULL);
    x = hy_next(F, L);
    v = x ? control_at(F, x, 50) : 0;
    hy_loader_free(F, L);
    hy_dataset_free(F, M);
    hy_dataset_free(F, D);
    return v > 0.1999 && v < 0.2001 && !hy_error(F);
}
static void transforms_oom(void) { oom_walk(transforms_oom_program, 1); }
#endif
#endif

static void test_transforms(void)
{
#ifndef HYBRID_NO_VISION
    RUN(transforms_in_a_row);
    RUN(transforms_middle);
    RUN(transforms_resize);
    RUN(transforms_by_factors);
    RUN(transforms_draws);
    RUN(transforms_in_distribution);
#ifndef HYBRID_NO_IO
    RUN(transforms_in_files);
#endif
    RUN(transforms_refused);
#ifndef HYBRID_NO_TRAIN
    RUN(transforms_in_workers);
    RUN(transforms_of_own_sizes);
    RUN(transforms_no_allocation);
    RUN(transforms_oom);
#endif
#endif
}
