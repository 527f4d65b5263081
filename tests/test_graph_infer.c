/* Inference over graphs, in every direction and in part. Numbers in brackets are behaviours of the MXNet
 * dossier, section 8. Shapes are written as in test_infer.c. */

static void graph_infers_a_perceptron(void)                            /* [66] [65] */
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *x = graph_var(S, "data");
    hy_graph *g;
    x = hy_activation(S, graph_fc(S, x, "fc1", 1000), HY_ACT_RELU);
    g = hy_compile(S, graph_fc(S, x, "fc2", 10));
    CHECK_STR(graph_names(g, HY_NAMES_INPUTS), "data,fc1_weight,fc1_bias,fc2_weight,fc2_bias");
    CHECK_STR(graph_names(g, HY_NAMES_OUTPUTS), "fc2_output");
    CHECK(graph_infer(F, g, "(100,100)", "") == 0);     /* shapes all known, types none */
    CHECK_STR(graph_shapes(g), "(100,100) (1000,100) (1000) (10,1000) (10) -> (100,10)");
    graph_in[0].dtype = HY_F32;
    CHECK(hy_graph_infer(F, g, graph_in, graph_out) == 1);
    CHECK(graph_in[4].dtype == HY_F32 && graph_out[0].dtype == HY_F32);
    CHECK(graph_infer(F, g, "(100,100) (1,100)", "") == -1);
    CHECK(hy_error(F) && strstr(hy_error(F), "fc1") && strstr(hy_error(F), "(100,100)"));
    ERR(F, HY_ERROR_SHAPE, "(1,100)");
    CHECK(graph_infer(F, g, "?", "") == 0);             /* nothing given: the little that is known */
    CHECK_STR(graph_shapes(g), "? (1000,?) (1000) (10,1000) (10) -> (?,10)");
    OK(F);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void graph_infers_types_through_a_cast(void)                    /* [63] */
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *x = hy_cast(S, graph_var(S, "data"), HY_F32);
    hy_graph *g;
    x = graph_fc(S, x, "fc1", 128);
    g = hy_compile(S, hy_softmax_output(S, x, graph_var(S, "label"), NULL));
    CHECK_STR(graph_names(g, HY_NAMES_INPUTS), "data,fc1_weight,fc1_bias,label");
    graph_infer(F, g, "(8,4)", "");
    graph_in[0].dtype = HY_F16;
    CHECK(hy_graph_infer(F, g, graph_in, graph_out) == 1);
    CHECK(graph_in[0].dtype == HY_F16 && graph_in[1].dtype == HY_F32 && graph_in[2].dtype == HY_F32);
    CHECK(graph_in[3].dtype == HY_F32 && graph_out[0].dtype == HY_F32);
    CHECK(graph_infer(F, g, "?", "") == 0);
    CHECK(graph_in[0].dtype == HY_DTYPE_NONE && graph_in[1].dtype == HY_F32 && graph_out[0].dtype == HY_F32);
    OK(F);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void graph_infers_in_part(void)                                 /* [64] */
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *x, *h;
    hy_graph *g;
    x = graph_fc(S, graph_var(S, "data"), "x2h", 128);
    h = graph_fc(S, graph_var(S, "prev"), "h2h", 128);
    g = hy_compile(S, hy_activation(S, hy_elemwise_add(S, x, h), HY_ACT_RELU));
    CHECK_STR(graph_names(g, HY_NAMES_INPUTS), "data,x2h_weight,x2h_bias,prev,h2h_weight,h2h_bias");
    CHECK(graph_infer(F, g, "(10,64)", "") == 0);
    CHECK_STR(graph_shapes(g), "(10,64) (128,64) (128) ? (128,?) (128) -> (10,128)");
    graph_infer(F, g, "(10,64) ? ? (10,128)", "");
    CHECK_STR(graph_shapes(g), "(10,64) (128,64) (128) (10,128) (128,128) (128) -> (10,128)");
    OK(F);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void graph_declared_shape_is_the_default(void)                  /* [64] */
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_graph *g = hy_compile(S, hy_relu(S, graph_typed(S, "x", HY_F32, "(2,3)")));
    CHECK(graph_infer(F, g, "?", "") == 1);
    CHECK_STR(graph_shapes(g), "(2,3) -> (2,3)");
    CHECK(graph_out[0].dtype == HY_F32);
    CHECK(graph_infer(F, g, "(5,7)", "") == 1);
    CHECK_STR(graph_shapes(g), "(5,7) -> (5,7)");
    CHECK(graph_infer(F, g, "(?,7)", "") == 1);         /* what is not given stays as declared */
    CHECK_STR(graph_shapes(g), "(2,7) -> (2,7)");
    CHECK(graph_infer(F, g, "(?,?,7)", "") == 0);
    CHECK_STR(graph_shapes(g), "(?,?,7) -> (?,?,7)");
    CHECK(hy_graph_infer(F, g, NULL, graph_out) == 1);  /* nothing given, nothing wanted back */
    CHECK(hy_graph_infer(F, g, NULL, NULL) == 1);
    CHECK(hy_graph_infer(F, NULL, NULL, NULL) == -1);
    ERR(F, HY_ERROR_ARGUMENT, "graph is NULL");
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void graph_unknown_stays_unknown(void)                          /* [65] */
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_graph *g = hy_compile(S, hy_sin(S, graph_var(S, "x")));
    CHECK(graph_infer(F, g, "?", "") == 0);
    CHECK_STR(graph_shapes(g), "? -> ?");
    CHECK(graph_infer(F, g, "(?,3)", "") == 0);
    CHECK_STR(graph_shapes(g), "(?,3) -> (?,3)");
    OK(F);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

/* [70]: here -1 is unknown, 0 is zero */
static void graph_zero_is_a_size(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *x = graph_var(S, "x"), *w = graph_typed(S, "w", HY_F32, "(128,?)"), *y;
    hy_graph *g;
    y = hy_fully_connected(S, x, w, graph_var(S, "b"), 128, NULL);
    g = hy_compile(S, y);
    graph_infer(F, g, "(10,784)", "");
    CHECK_STR(graph_shapes(g), "(10,784) (128,784) (128) -> (10,128)");
    graph_infer(F, g, "(0,784)", "");
    CHECK_STR(graph_shapes(g), "(0,784) (128,784) (128) -> (0,128)");
    OK(F);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

/* One row: variables with shapes, an expression of them, what must come out. */
typedef hy_array *(*graph_make)(hy_frame *S, hy_array *a, hy_array *b);

static void graph_infer_row(graph_make make, const char *a, const char *b, const char *want)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    char both[128];
    hy_array *x = graph_var(S, "a"), *y = graph_var(S, "b");
    hy_graph *g = hy_compile(S, make(S, x, y));
    snprintf(both, sizeof both, "%s %s", a, b);
    CHECK_STR(graph_names(g, HY_NAMES_INPUTS), "a,b");
    if (!CHECK(graph_infer(F, g, both, "") >= 0)) printf("    %s: %s\n", both, hy_error(F));
    CHECK_STR(graph_shapes(g), want);
    hy_clear(F);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static hy_array *graph_make_add(hy_frame *S, hy_array *a, hy_array *b) { return hy_elemwise_add(S, a, b); }
static hy_array *graph_make_fc(hy_frame *S, hy_array *a, hy_array *b)
{
    hy_fully_connected_opt no;
    memset(&no, 0, sizeof no);
    no.no_bias = 1;
    return hy_elemwise_add(S, hy_fully_connected(S, a, hy_ones(S, HY_SHAPE(21, 10)), NULL, 21, &no), b);
}
static hy_array *graph_make_split1(hy_frame *S, hy_array *a, hy_array *b)
{
    hy_split_opt squeeze;
    memset(&squeeze, 0, sizeof squeeze);
    squeeze.squeeze_axis = 1;
    return hy_elemwise_add(S, hy_get(S, hy_split(S, a, 10, 1, &squeeze), 1), b);
}
static hy_array *graph_make_split3(hy_frame *S, hy_array *a, hy_array *b)
{
    return hy_elemwise_add(S, hy_get(S, hy_split(S, a, 3, 1, NULL), 1), b);
}
static hy_array *graph_make_conv(hy_frame *S, hy_array *a, hy_array *b)
{
    hy_convolution_opt opt;
    memset(&opt, 0, sizeof opt);
    opt.pad = HY_INTS(1, 1);
    opt.no_bias = 1;
    return hy_elemwise_add(S, hy_convolution(S, a, hy_ones(S, HY_SHAPE(21, 10, 3, 3)), NULL, HY_INTS(3, 3),
            21, &opt),
                           b);
}
static hy_array *graph_make_dot(hy_frame *S, hy_array *a, hy_array *b) { return hy_dot(S, a, b, NULL); }
static hy_array *graph_make_batch_dot(hy_frame *S, hy_array *a, hy_array *b) { return hy_batch_dot(S, a, b,
        NULL); }
static hy_array *graph_make_concat(hy_frame *S, hy_array *a, hy_array *b)
{
    return hy_group(S, hy_concat(S, hy_group(S, a, b), 1), a);
}

static void graph_infers_backward(void)                                /* [67] [68] */
{
    graph_infer_row(graph_make_add, "(?,10)", "(12,?)", "(12,10) (12,10) -> (12,10)");
    graph_infer_row(graph_make_fc, "(?,10)", "(5,?)", "(5,10) (5,21) -> (5,21)");
    graph_infer_row(graph_make_split1, "(?,10)", "(5)", "(5,10) (5) -> (5)");
    graph_infer_row(graph_make_split3, "(?,15,?)", "(3,5,2)", "(3,15,2) (3,5,2) -> (3,5,2)");
    graph_infer_row(graph_make_conv, "(?,10,?,?)", "(5,21,32,32)",
            "(5,10,32,32) (5,21,32,32) -> (5,21,32,32)");
    graph_infer_row(graph_make_concat, "(?,10)", "(2,5)", "(2,10) (2,5) -> (2,15) (2,10)");
    graph_infer_row(graph_make_dot, "(?,3,4)", "(4,5)", "(?,3,4) (4,5) -> (?,3,5)");
    graph_infer_row(graph_make_batch_dot, "(?,3,4)", "(?,4,5)", "(?,3,4) (?,4,5) -> (?,3,5)");
}

static void graph_infers_embedding_without_a_batch(void)               /* [68] */
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *x = graph_var(S, "x");
    hy_graph *g = hy_compile(S, hy_embedding(S, x, graph_var(S, "w"), 7, 10, NULL));
    graph_infer(F, g, "(?,5)", "");
    CHECK_STR(graph_shapes(g), "(?,5) (7,10) -> (?,5,10)");
    OK(F);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void graph_weight_from_its_twin(void)                           /* [67] */
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *x = graph_var(S, "data"), *w = graph_var(S, "w"), *like = graph_var(S, "like"), *in[2], *y;
    hy_fully_connected_opt no;
    hy_graph *g;
    memset(&no, 0, sizeof no);
    no.no_bias = 1;
    in[0] = w;
    in[1] = like;
    w = hy_apply(S, "_identity_with_attr_like_rhs", 2, in, NULL);
    y = hy_fully_connected(S, x, w, NULL, 11, &no);
    g = hy_compile(S, y);
    graph_infer(F, g, "(7,100)", "");
    CHECK_STR(graph_shapes(g), "(7,100) (11,100) (11,100) -> (7,11)");
    OK(F);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

/* Types that are none: refused before anything reads them. */
static void graph_infer_looks_at_what_is_given(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_graph *g = hy_compile(S, hy_dot(S, graph_var(S, "a"), graph_var(S, "b"), NULL));
    hy_type in[2], out;
    memset(in, 0, sizeof in);
    in[0].shape.ndim = in[1].shape.ndim = HY_MAX_DIM + 1;
    CHECK(hy_graph_infer(F, g, in, NULL) == -1);
    ERR(F, HY_ERROR_SHAPE, "hy_graph_infer: 9 dims");
    in[0].shape = HY_SHAPE(2, -5);
    CHECK(hy_graph_infer(F, g, in, NULL) == -1);
    ERR(F, HY_ERROR_SHAPE, "hy_graph_infer");
    in[0].shape = HY_SHAPE((int64_t)1 << 40, (int64_t)1 << 40);     /* of any size */
    in[1].shape = HY_SHAPE((int64_t)1 << 40, 3);
    CHECK(hy_graph_infer(F, g, in, &out) >= 0 && out.shape.dim[0] == (int64_t)1 << 40 && out.shape.dim[1] == 3);
    OK(F);
    in[0].shape = HY_SHAPE(2, 3);
    in[0].dtype = (hy_dtype)77;
    CHECK(hy_graph_infer(F, g, in, NULL) == -1);
    ERR(F, HY_ERROR_DTYPE, "77 is no dtype");
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void test_graph_infer(void)
{
    RUN(graph_infer_looks_at_what_is_given);
    RUN(graph_infers_a_perceptron);
    RUN(graph_infers_types_through_a_cast);
    RUN(graph_infers_in_part);
    RUN(graph_declared_shape_is_the_default);
    RUN(graph_unknown_stays_unknown);
    RUN(graph_zero_is_a_size);
    RUN(graph_infers_backward);
    RUN(graph_infers_embedding_without_a_batch);
    RUN(graph_weight_from_its_twin);
}
