/* Operators one by one: called with several sizes, through one network, each gives the bits of a program compiled for
 * its sizes and the error of a call line by line; and one program takes on all of the sizes, or as many as stand here. */

/* Shapes: f numbers around 0, p above it, i places 0 and 1 as f32, k as i64, w as i32, u bytes, t truths, s square
 * matrices that have an inverse; b and t are sizes that change, a number stays. A weight keeps its shape. */
typedef struct { const char *op, *attrs, *shapes; int programs; } resize_op_row;
static const resize_op_row resize_op_rows[] = {
    { "sort", "axis=0", "f b t" }, { "sort", "axis=1 is_ascend=False", "f b t 4" }, { "sort", "axis=None", "f b t" },
    { "sort", NULL, "w b t" }, { "sort", NULL, "f t" }, { "argsort", "axis=0", "f b t" }, { "argsort", "axis=None dtype=int32", "f b t" },
    { "argsort", "axis=-1 dtype=uint8", "f b t" }, { "topk", "axis=1 k=2", "f b t 4" }, { "topk", "axis=0 k=2 ret_typ=both", "f t b" },
    { "topk", "axis=-1 k=0 ret_typ=value", "f b t" }, { "topk", "axis=1 k=3 ret_typ=mask", "f b t" }, { "topk", "axis=None k=4", "f b t" },
    { "topk", "axis=1 k=4 ret_typ=value", "f t 4" }, { "argmax", "axis=1", "f b t 4" }, { "argmax", "axis=0 keepdims=True", "f b t" },
    { "argmax", NULL, "f b t" }, { "argmin", "axis=-1", "w b t" }, { "argmin", "axis=1", "u b t" }, { "argmax_channel", NULL, "f b t 4" },
    { "pick", "axis=1", "f b t;i b" }, { "pick", "axis=1 keepdims=True", "f b t 4;i b 1 4" }, { "pick", "axis=0", "f 4 b t;k b t" },
    { "pick", "axis=-1 mode=wrap", "f b 10;k b" }, { "pick", "axis=1 keepdims=True", "f b t;i b 4" }, { "batch_take", NULL, "f b t;w b" },
    { "one_hot", "depth=6", "i b t" }, { "one_hot", "depth=3 dtype=int8 on_value=5", "k b" }, { "norm", "axis=1", "f b t 4" },
    { "norm", "ord=1 axis=(0,2) keepdims=True", "f b t 4" }, { "norm", NULL, "f b t" }, { "moments", "axes=(0,)", "f b t" },
    { "moments", "axes=(1,2) keepdims=True", "f b t 4" }, { "_np_norm", "ord=2 axis=(-1,) flag=0", "f b t" },
    { "_np_norm", "ord=inf axis=(0,1)", "f b t 4" }, { "_average", "axis=(1,)", "f b t;p t" }, { "_average", NULL, "f b t;p b t" },
    { "gather_nd", NULL, "f b t 4;k 2 10" }, { "gather_nd", NULL, "f 4 10;k 2 b t" }, { "gather_nd", NULL, "f b 4 t;i 1 b" },
    { "scatter_nd", "shape=(4,10)", "f b;k 2 b" }, { "scatter_nd", "shape=(4,)", "f b t;k 1 b t" }, { "cumsum", "axis=None", "f b t" },
    { "index_copy", NULL, "f b t;k 2;f 2 t" }, { "index_copy", NULL, "f 10 t;k b;f b t" }, { "put_rows", "axis=1", "f b 10 t;f b 1 t;k 1" },
    { "sequence_mask", "use_sequence_length=True value=-1", "f t b 4;i b" }, { "sequence_mask", "use_sequence_length=True axis=1", "f b t;i b" },
    { "sequence_last", NULL, "f t b 4" }, { "sequence_last", "use_sequence_length=True axis=1", "f b t;i b" },
    { "sequence_reverse", NULL, "f t b" }, { "sequence_reverse", "use_sequence_length=True", "f t b 4;i b" },
    { "linalg_inverse", NULL, "s b 4 4" }, { "linalg_det", NULL, "s b 4 4" }, { "linalg_slogdet", NULL, "s t b 4 4" },
    { "linalg_inverse", NULL, "s t t" }, { "linalg_potrf", NULL, "s b t t" }, { "linalg_trsm", NULL, "s b 4 4;f b 4 t" }, { "tril", "k=1", "f b t 4" },
    { "tril", NULL, "f t" }, { "triu", "k=-1", "f t b" }, { "diag", "k=-2", "f t" }, { "diag", "axis1=1 axis2=2", "f b t t" }, { "diag", NULL, "f b t", 9 }, { "_np_matmul", NULL, "f b t 4;f 4 10" },
    { "_np_matmul", NULL, "f t;f t 4" }, { "_np_matmul", NULL, "f b 4 t;f b t 10" }, { "_np_matmul", NULL, "f b t;f t" },
    { "_np_where", NULL, "t b 1;f b t;f t" }, { "_np_where", NULL, "t b t;f 1;f b 1" }, { "_np_where", NULL, "t t;f b t;f b t" },
    { "softmax_activation", NULL, "f b t" }, { "softmax_activation", "mode=channel", "f b t 4" }, { "softmax_output", NULL, "f b t;i b" },
    { "linear_regression_output", NULL, "f b t;f b t" }, { "logistic_regression_output", NULL, "f b 1;f b" },
    { "softmax_cross_entropy", NULL, "f b t;i b" }, { "ctc_loss", NULL, "f t b 4;i b 3" }, { "_real", NULL, "w b t" },
    { "_beside_number", "real=True", "w b t" }, { "amp_cast", "dtype=float16", "f b t" }, { "reshape_like", NULL, "f b t 4;f b t 4" },
    { "reshape_like", "lhs_begin=1 lhs_end=2 rhs_begin=0 rhs_end=1", "f b t 4;f t 10" }, { "_squeeze", NULL, "f b 1 t" },
    { "vstack", "num_args=2", "f b t;f 4 t" }, { "vstack", "num_args=2", "f t;f b t" }, { "hstack", "num_args=2", "f b t;f b 4" },
    { "hstack", "num_args=2", "f t;f b" }, { "dstack", "num_args=2", "f b t;f b t" }, { "column_stack", "num_args=2", "f b;f b t" },
    { "split_v2", "indices=(0,2) axis=1", "f b 10 t" }, { "split_v2", "indices=(0,) sections=2 axis=1", "f b 4 t" }, { "_hsplit", "indices=(0,3)", "f b 10 t" },
    { "slice_like", "axes=(0,)", "f 40 t;f b 4", 3 }, { "slice_like", NULL, "f 40 40;f b t" }, { "slice_like", "axes=(1,)", "f b t;f 3 2", 3 },
    { "pad", "mode=constant pad_width=(1,0,0,3) constant_value=2", "f b t" }, { "pad", "mode=reflect pad_width=(0,0,0,0,1,2,1,1)", "f b 4 t 10" },
    { "pad", "mode=edge pad_width=(0,0,0,0,1,2,2,1)", "f b 4 t 10" }, { "pad", "mode=edge pad_width=(0,0,0,0,3,0)", "f b 4 t" },
    { "slice_axis", "axis=1 begin=1 end=None", "f b t 4", 3 }, { "slice_axis", "axis=1 begin=0 end=-1", "f b t", 3 }, { "slice_axis", "axis=0 begin=-2 end=None", "f b t", 9 },
    { "slice_axis", "axis=1 begin=1 end=4", "f b t", 3 }, { "slice_axis", "axis=1 begin=-3 end=-1", "f 4 t b", 3 }, { "slice_axis", "axis=0 begin=0 end=1", "f b t" },
    { "slice", "begin=(None,1) end=(None,None)", "f b t", 3 }, { "slice", "begin=(0,-4) end=(2,None)", "f b t", 3 }, { "slice", "begin=(None,0) end=(None,6)", "f b t", 4 },
    { "slice", "begin=(None,) end=(None,) step=(-1,)", "f b t" }, { "slice", "begin=(None,0) end=(None,None) step=(1,2)", "f b t", 3 },
    { "slice", "begin=(None,1) end=(None,-1) step=(1,3)", "f b t", 6 }, { "slice", "begin=(1,1) end=(-1,-2)", "f b t", 10 }, { "slice", "begin=(1,) end=(9000000000000000000,)", "f b t", 3 },
    { "slice_assign", "begin=(-1,) end=(None,)", "f b t;f 1 t" },
    { "broadcast_axis", "axis=(1,) size=(3,)", "f b 1 t" }, { "slice_assign", "begin=(None,1) end=(None,3)", "f b 10 t;f b 2 t" },
    { "slice_assign_scalar", "begin=(0,) end=(2,) scalar=3", "f 10 t b" }, { "index_array", NULL, "f b t" }, { "index_array", "axes=(1,)", "f b t" },
    { "atleast_1d", "num_args=1", "f b" }, { "atleast_2d", "num_args=2", "f t;f b t" }, { "atleast_3d", "num_args=1", "f b t" },
    { "allclose", NULL, "f b t;f b t" }, { "histogram", "bin_cnt=5 range=(-1,1)", "f b t" }, { "histogram", NULL, "f b t;i 2" },
    { "box_nms", "topk=5", "p b t 6" }, { "box_iou", NULL, "p b 4;p t 4" }, { "bipartite_matching", "threshold=0.1", "p b t" },
    { "box_encode", NULL, "p b t;i b t;p b t 4;p b 10 4;p 4;p 4" }, { "multibox_prior", "sizes=(0.5,0.2)", "f 1 4 b t" },
    { "multibox_detection", NULL, "p b 3 10;f b 40;p 1 10 4" }, { "roi_pooling", "pooled_size=(2,2) spatial_scale=1", "f b 4 10 10;i t 5" },
    { "roi_align", "pooled_size=(2,2) spatial_scale=1", "f b 4 10 10;i t 5" }, { "crop", "h_w=(4,5) offset=(1,2)", "f b 4 10 10" },
    { "grid_generator", "transform_type=affine target_shape=(4,5)", "f b 6" }, { "bilinear_sampler", NULL, "f b 4 10 10;f b 2 6 6" },
    { "spatial_transformer", "target_shape=(4,5)", "f b 4 10 10;f b 6" }, { "im2col", "kernel=(3,3)", "f b 4 10 10" },
    { "col2im", "kernel=(3,3) output_size=(10,10)", "f b 36 64" }, { "image_to_tensor", NULL, "u b t 10 4" },
    { "deformable_convolution", "kernel=(3,3) num_filter=4 no_bias=True", "f b 4 10 10;f b 18 8 8;f 4 4 3 3" },
    { "image_normalize", "mean=(0.5,0.1,0.2,0.3) std=(1,2,3,4)", "f b 4 t 10" }, { "image_flip_left_right", NULL, "f b t 10 4" },
    { "matmul_nbits", "K=32 N=24 bits=4 block_size=16 no_bias=True", "f b t 32;u 24 2 8;f 24 2" },
    { "matmul_nbits", "K=64 N=40 bits=8 block_size=32 no_bias=True", "f b 64;u 40 2 32;p 40 2" },
    { "uniform_like", "low=-1 high=2", "f b t" }, { "normal_like", NULL, "f b t" }, { "shuffle", NULL, "f b t" }, { "sample_multinomial", "shape=(3,)", "p b t" },
};

typedef struct { hy_block base; const resize_op_row *row; int mixed; } resize_op_block;
static hy_array *resize_op_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    resize_op_block *b = (resize_op_block *)(void *)self;
    hy_array *in[6], *y, *out[4];
    int i, n = hy_count(F, x), m;
    for (i = 0; i < n; i++) {
        in[i] = hy_get(F, x, i);
        if (!i && b->mixed && hy_dtype_of(F, in[i]) == HY_F32) in[i] = hy_abs(F, hy_mul_scalar(F, in[i], -0.5));
    }
    y = hy_apply(F, b->row->op, n, in, b->row->attrs);
    m = y ? hy_count(F, y) : 0;
    for (i = 0; i < m && i < 4; i++) {
        out[i] = m > 1 ? hy_get(F, y, i) : y;
        if (b->mixed && hy_dtype_of(F, out[i]) == HY_F32) out[i] = hy_add_scalar(F, hy_mul_scalar(F, out[i], 2), 1);
    }
    return m ? hy_group_of(F, m, out) : NULL;
}

/* An input of a row at these sizes; *text goes behind it. */
static hy_array *resize_op_input(hy_frame *F, const char **text, int b, int t, int seed)
{
    static const char kinds[] = "fpikwuts";
    static const hy_dtype types[] = { HY_F32, HY_F32, HY_F32, HY_I64, HY_I32, HY_U8, HY_BOOL, HY_F32 };
    const char kind = **text;
    hy_shape shape = HY_SCALAR;
    hy_ints to;
    hy_array *x;
    for (++*text; **text && **text != ';';) {
        char *end = NULL;
        if (**text == ' ') { ++*text; continue; }
        if (**text == 'b' || **text == 't') shape.dim[shape.ndim++] = *(*text)++ == 'b' ? b : t;
        else { shape.dim[shape.ndim++] = strtol(*text, &end, 10); *text = end; }
    }
    if (**text) ++*text;
    x = hy_sin(F, hy_mul_scalar(F, hy_arange(F, 1, 1 + (double)hy__size(&shape), 1), 0.7 + seed));
    to.n = shape.ndim;
    memcpy(to.v, shape.dim, sizeof shape.dim);
    x = hy_reshape(F, x, to, NULL);
    if (kind == 'p') x = hy_add_scalar(F, hy_mul_scalar(F, x, 0.45), 0.5);
    if (strchr("ikwt", kind)) x = hy_greater_scalar(F, x, 0);
    if (kind == 'u') x = hy_mul_scalar(F, hy_add_scalar(F, x, 1), 120);
    if (kind == 's') {                  /* all of a line but one are small */
        hy_array *one = hy_eye(F, shape.dim[shape.ndim - 1], shape.dim[shape.ndim - 1], 0);
        x = hy_mul_scalar(F, hy_add(F, x, hy_swap_axes(F, x, shape.ndim - 1, shape.ndim - 2)), 0.01);
        x = hy_add(F, x, one);
    }
    return hy_cast(F, x, types[strchr(kinds, kind) - kinds]);
}

static hy_array *resize_op_inputs(hy_frame *F, const resize_op_row *row, int b, int t, int seed)
{
    hy_array *in[6];
    const char *text = row->shapes;
    int n = 0;
    while (*text) { in[n] = resize_op_input(F, &text, b, t, n > 1 ? 0 : seed); n++; }
    return hy_group_of(F, n, in);
}

static resize_op_block *resize_op_net(hy_frame *F, const resize_op_row *row, int mixed, int off, int hybrid)
{
    hy_hybridize_opt opt = { 0 };
    resize_op_block *b = HY_BLOCK_NEW(F, resize_op_block, resize_op_forward);
    b->row = row;
    b->mixed = mixed;
    opt.off = off;
    if (hybrid) hy_hybridize(F, &b->base, &opt);
    return b;
}

static void resize_op_sizes(hy_frame *F, const resize_op_row *row, int mixed)
{
    static const int sizes[][2] = { { 3, 7 }, { 5, 12 }, { 2, 8 }, { 9, 15 }, { 5, 2 }, { 6, 33 }, { 3, 7 }, { 2, 3 }, { 8, 70 }, { 17, 5 } };
    resize_op_block *b = resize_op_net(F, row, mixed, 0, 1), *fresh = resize_op_net(F, row, mixed, HY_PASS_SIZES, 1);
    resize_op_block *line = resize_op_net(F, row, mixed, 0, 0);
    hy_cache_stats s;
    int i, way, failed = 0, most = row->programs ? row->programs : 2;      /* the second has more room */
    for (i = 0; i < (int)(sizeof sizes / sizeof *sizes); i++) {
        char text[3][512];
        hy_array *x, *y[3];
        hy_begin(F);
        x = resize_op_inputs(F, row, sizes[i][0], sizes[i][1], i);
        OK(F);
        for (way = 0; way < 3; way++) {
            hy_seed(F, 11);
            y[way] = hy_call(F, &(way == 0 ? line : way == 1 ? fresh : b)->base, x);
            snprintf(text[way], sizeof text[way], "%s", hy_error(F) ? strstr(hy_error(F), ": ") : "");
            if (strstr(text[way], " [in")) *strstr(text[way], " [in") = 0;      /* whose names differ */
            hy_clear(F);
        }
        if (!CHECK(!text[0][0] == !text[2][0] && !strcmp(text[1], text[2])))
            printf("    %s(%s) %s, (%d,%d):\n%s\n%s\n%s\n", row->op, row->attrs ? row->attrs : "", row->shapes, sizes[i][0], sizes[i][1], text[0], text[1], text[2]);
        failed += text[0][0] != 0;
        if (!text[0][0] && !CHECK(passes_same(F, y[1], y[2])))
            printf("    %s(%s) %s, (%d,%d), mixed %d\n", row->op, row->attrs ? row->attrs : "", row->shapes, sizes[i][0], sizes[i][1], mixed);
        hy_end(F);
    }
    CHECK(failed < i / 2);
    s = hy_cache_info(F, &b->base);
    if (!CHECK(s.programs <= most && (s.resizes > 0 || most > 8)))
        printf("    %s(%s) %s: %d programs, %d resizes: %s\n", row->op, row->attrs ? row->attrs : "", row->shapes, s.programs, (int)s.resizes, s.fixed);
    CHECK(hy_cache_info(F, &fresh->base).resizes == 0);
    hy_block_free(F, &b->base);
    hy_block_free(F, &fresh->base);
    hy_block_free(F, &line->base);
}

static void resize_of_each_operator(void)
{
    hy_frame *F = tb_threads(1);
    size_t i;
    int mixed;
    for (i = 0; i < sizeof resize_op_rows / sizeof *resize_op_rows; i++) {
        if (hy_op_find(F, resize_op_rows[i].op)->flags & HY_OP_ABSENT) continue;
        hy_begin(F);
        for (mixed = 0; mixed < 2; mixed++) resize_op_sizes(F, &resize_op_rows[i], mixed);
        hy_end(F);
        OK(F);
        hy_clear(F);
    }
    CHECK(hy_close(F) == 0);
}

static void test_resize_ops(void)
{
    RUN(resize_of_each_operator);
}
