/* Every operator that a file can bring is a function of the front, too: its row's, or one that this list names. Those
 * that are several operators give what the file's gives, line by line and compiled, with its gradient. */
static const struct { const char *file, *call; } prototypes_of[] = {
    { "_npi_copysign", "hy_copysign" }, { "_npi_copysign_scalar", "hy_copysign" }, { "_npi_rcopysign_scalar", "hy_copysign" },
    { "_npi_ldexp", "hy_ldexp" }, { "_npi_ldexp_scalar", "hy_ldexp" }, { "_npi_rldexp_scalar", "hy_ldexp" },
    { "_npi_around", "hy_around" }, { "_npi_nan_to_num", "hy_nan_to_num" }, { "_npi_isposinf", "hy_isposinf" },
    { "_npi_isneginf", "hy_isneginf" }, { "_npi_where_scalar2", "hy_where" }, { "_npi_bitwise_and", "hy_logical_and" },
    { "_npi_bitwise_or", "hy_logical_or" }, { "_npi_bitwise_xor", "hy_logical_xor" }, { "_npi_bitwise_not", "hy_logical_not" },
    { "_npi_pad", "hy_pad" }, { "_npi_broadcast_to", "hy_broadcast_to" }, { "_npi_true_divide", "hy_div" },
    { "_npi_true_divide_scalar", "hy_div_scalar" }, { "_npi_rtrue_divide_scalar", "hy_rdiv_scalar" },
    { "_np_dot", "hy_dot" }, { "_np_diagonal", "hy_diag" }, { "_np_trace", "hy_trace" }, { "_np_diagflat", "hy_diag" },
    { "_npi_identity", "hy_eye" }, { "_npi_rot90", "hy_rot90" }, { "_npi_ediff1d", "hy_ediff1d" }, { "_npi_eye", "hy_eye" },
    { "_arange", "hy_arange" }, { "_npi_det", "hy_linalg_det" }, { "_linalg_det", "hy_linalg_det" },
    { "_linalg_slogdet", "hy_linalg_slogdet" }, { "_npi_concatenate", "hy_concat" }, { "_npi_normal", "hy_random_normal" },
    { "_npi_uniform", "hy_random_uniform" }, { "_npi_exponential", "hy_random_exponential" }, { "_npi_gamma", "hy_random_gamma" },
    { "_npi_gumbel", "hy_random_gumbel" }, { "_npi_bernoulli", "hy_random_bernoulli" }, { "_linalg_gemm", "hy_linalg_gemm" },
    { "_linalg_syrk", "hy_linalg_syrk" }, { "_linalg_trmm", "hy_linalg_trmm" }, { "_linalg_potrf", "hy_linalg_potrf" },
    { "linalg_potrf", "hy_linalg_potrf" }, { "_npi_cholesky", "hy_linalg_potrf" }, { "_linalg_potri", "hy_linalg_potri" },
    { "_linalg_makediag", "hy_linalg_makediag" }, { "_linalg_extractdiag", "hy_linalg_extractdiag" },
    { "_linalg_sumlogdiag", "hy_linalg_sumlogdiag" }, { "_contrib_quadratic", "hy_quadratic" },
    { "_contrib_round_ste", "hy_round_ste" }, { "_contrib_sign_ste", "hy_sign_ste" }, { "SVMOutput", "hy_svm_output" },
    { "_ravel_multi_index", "hy_ravel_multi_index" }, { "_unravel_index", "hy_unravel_index" },
    { "_contrib_div_sqrt_dim", "hy_div_sqrt_dim" },
    { "_contrib_interleaved_matmul_selfatt_qk", "hy_interleaved_matmul_selfatt_qk" },
    { "_contrib_interleaved_matmul_selfatt_valatt", "hy_interleaved_matmul_selfatt_valatt" },
    { "_contrib_interleaved_matmul_encdec_qk", "hy_interleaved_matmul_encdec_qk" },
    { "_contrib_interleaved_matmul_encdec_valatt", "hy_interleaved_matmul_encdec_valatt" },
    { "_contrib_box_decode", "hy_box_decode" }, { "UpSampling", "hy_upsampling_bilinear" },
    /* of NumPy's names, without the _npi_ or _np_ in front */
    { "sum", "hy_sum" }, { "mean", "hy_mean" }, { "prod", "hy_prod" }, { "product", "hy_prod" }, { "max", "hy_max" },
    { "min", "hy_min" }, { "amax", "hy_max" }, { "amin", "hy_min" }, { "argmax", "hy_argmax" }, { "argmin", "hy_argmin" },
    { "var", "hy_variance" }, { "std", "hy_std_deviation" }, { "reshape", "hy_reshape" }, { "where_lscalar", "hy_where" },
    { "where_rscalar", "hy_where" }, { "full_like", "hy_full_like" }, { "tensordot_int_axes", "hy_tensordot" },
    { "_npi_lcm_scalar", "hy_lcm" }, { "all_finite", "hy_all_finite" }, { "tensordot", "hy_tensordot" }, { "moveaxis", "hy_moveaxis" }, { "roll", "hy_roll" }, { "sometrue", "hy_any" },
    { "any", "hy_any" }, { "all", "hy_all" }, { "isnan", "hy_isnan" }, { "isinf", "hy_isinf" }, { "isfinite", "hy_isfinite" },
    { "diff", "hy_differences" }, { "norm", "hy_norm" }, { "einsum", "hy_einsum" },
    /* loops */
    { "_foreach", "hy_foreach" }, { "_while_loop", "hy_while_loop" }, { "_cond", "hy_cond" },
};

static char *prototypes_front(void)
{
    FILE *file = fopen("tests/../hybrid.h", "rb");
    size_t most = 16 << 20, n;
    char *text = (char *)malloc(most), *from, *to;
    if (!CHECK(file != NULL) || !CHECK(text != NULL)) { free(text); return NULL; }
    n = fread(text, 1, most - 1, file);
    fclose(file);
    text[n] = 0;
    from = strstr(text, " >>operators ---");
    to = from ? strstr(from, " >>cpp ---") : NULL;
    if (!CHECK(to != NULL)) { free(text); return NULL; }
    *to = 0;
    memmove(text, from, strlen(from) + 1);
    return text;
}
static int prototypes_has(const char *front, const char *call)
{
    char line[160];
    snprintf(line, sizeof line, "*%s(hy_frame *F", call);
    return strstr(front, line) != NULL;
}
static void prototypes_file(hy_frame *F, const char *front, const char *name)
{
    const size_t n = sizeof prototypes_of / sizeof *prototypes_of;
    size_t i;
    if (hy_op_find(F, name)) return;                    /* a row's name, of whose prototypes this is asked */
    for (i = 0; i < n && strcmp(prototypes_of[i].file, name); i++) continue;
    if (!CHECK(i < n))
        printf("    files bring %s: add { \"%s\", \"hy_...\" } to prototypes_of in tests/test_prototypes.c, and the function\n"
               "    to hybrid.h behind hy_einsum, if no other does it\n", name, name);
    else if (!CHECK(prototypes_has(front, prototypes_of[i].call)))
        printf("    %s, as files have %s, is no function of the front of hybrid.h\n", prototypes_of[i].call, name);
}
static void prototypes_all(void)
{
    hy_frame *F = hy_open(NULL);
    const hy_op *op;
    char *front = prototypes_front(), call[160];
    int k;
    size_t i;
    for (k = 0; front && (op = hy_op_at(F, k)) != NULL; k++) {
        snprintf(call, sizeof call, "hy_%s", op->name);
        if (!CHECK(prototypes_has(front, call))) printf("    %s has no prototype in >>operators\n", call);
    }
#ifndef HYBRID_NO_IO
    for (i = 0; front && i < sizeof hy__compounds / sizeof *hy__compounds; i++) prototypes_file(F, front, hy__compounds[i].name);
    for (i = 0; front && i < sizeof hy__numpy_ops / sizeof *hy__numpy_ops; i++) prototypes_file(F, front, hy__numpy_ops[i].name);
#endif
    for (i = 0; front && i < sizeof prototypes_of / sizeof *prototypes_of; i++)
        CHECK(prototypes_has(front, prototypes_of[i].call));
    free(front);
    CHECK(hy_close(F) == 0);
}

#ifndef HYBRID_NO_IO
#define PROTO(name, ...) static hy_array *proto_##name(hy_frame *F, hy_array **in) { (void)in; return __VA_ARGS__; }
static hy_array *proto_gemm(hy_frame *F, hy_array **in)
{
    hy_linalg_gemm_opt o;
    memset(&o, 0, sizeof o);
    o.alpha = 2;
    o.beta = 0.5;
    o.transpose_b = 1;
    return hy_linalg_gemm(F, in[0], in[1], in[2], &o);
}
static hy_array *proto_trmm(hy_frame *F, hy_array **in)
{
    hy_linalg_trmm_opt o;
    memset(&o, 0, sizeof o);
    o.rightside = o.transpose = o.upper = 1;
    o.alpha = 2;
    return hy_linalg_trmm(F, in[0], in[1], &o);
}
static hy_array *proto_box(hy_frame *F, hy_array **in)
{
    hy_box_decode_opt o;
    memset(&o, 0, sizeof o);
    o.std0 = 0.1; o.std1 = 0.2; o.std2 = 0.3; o.std3 = 0.4;
    o.clip = 0.25;
    o.corner = 1;
    return hy_box_decode(F, in[0], in[1], &o);
}
static hy_array *proto_svm_linear(hy_frame *F, hy_array **in)
{
    hy_svm_output_opt o;
    memset(&o, 0, sizeof o);
    o.use_linear = 1;
    o.margin = 0.5;
    o.regularization_coefficient = 2;
    return hy_svm_output(F, in[0], in[1], &o);
}
static hy_array *proto_variance(hy_frame *F, hy_array **in)
{
    hy_variance_opt o;
    memset(&o, 0, sizeof o);
    o.ddof = o.keepdims = 1;
    return hy_variance(F, in[0], HY_AXES(0, 2), &o);
}
static hy_array *proto_lists(hy_frame *F, hy_array **in)
{
    hy_tensordot_opt o;
    memset(&o, 0, sizeof o);
    o.a_axes = HY_INTS(0, -1);
    o.b_axes = HY_INTS(1, 0);
    return hy_tensordot(F, in[0], in[1], 0, &o);
}
static hy_array *proto_nan(hy_frame *F, hy_array **in)
{
    hy_nan_to_num_opt o;
    hy_array *x = hy_div(F, hy_add_scalar(F, in[0], -0.5), hy_floor(F, hy_abs(F, in[0])));
    memset(&o, 0, sizeof o);
    o.nan = 7;
    o.posinf = HY_ZERO;
    return hy_nan_to_num(F, x, &o);
}
PROTO(potri, hy_linalg_potri(F, in[0], 1))
PROTO(potri_lower, hy_linalg_potri(F, in[0], 0))
PROTO(gemm_plain, hy_linalg_gemm(F, in[0], in[1], in[2], NULL))
PROTO(trmm_plain, hy_linalg_trmm(F, in[0], in[1], NULL))
PROTO(syrk, hy_linalg_syrk(F, in[0], 0, 2))
PROTO(syrk_turned, hy_linalg_syrk(F, in[0], 1, 1))
PROTO(makediag, hy_linalg_makediag(F, in[0], -2))
PROTO(makediag_0, hy_linalg_makediag(F, in[0], 0))
PROTO(extractdiag, hy_linalg_extractdiag(F, in[0], 1))
PROTO(sumlogdiag, hy_linalg_sumlogdiag(F, in[0]))
PROTO(trace, hy_trace(F, in[0], 1, 2, 0))
PROTO(dot_axes, hy_tensordot(F, in[0], in[1], 2, NULL))
PROTO(self_qk, hy_interleaved_matmul_selfatt_qk(F, in[0], 2))
PROTO(self_va, hy_interleaved_matmul_selfatt_valatt(F, in[0], in[1], 2))
PROTO(encdec_qk, hy_interleaved_matmul_encdec_qk(F, in[0], in[1], 2))
PROTO(encdec_va, hy_interleaved_matmul_encdec_valatt(F, in[0], in[1], 2))
PROTO(sqrt_dim, hy_div_sqrt_dim(F, in[0]))
PROTO(box_plain, hy_box_decode(F, in[0], in[1], NULL))
PROTO(svm, hy_svm_output(F, in[0], in[1], NULL))
PROTO(ravel, hy_ravel_multi_index(F, in[0], HY_INTS(4, 5, 6)))
PROTO(unravel, hy_unravel_index(F, in[0], HY_INTS(2, 2)))
PROTO(quadratic, hy_quadratic(F, in[0], 1, 2, 3))
PROTO(round_ste, hy_round_ste(F, in[0]))
PROTO(sign_ste, hy_sign_ste(F, in[0]))
PROTO(copysign, hy_copysign(F, in[0], in[1]))
PROTO(ldexp, hy_ldexp(F, in[0], in[1]))
PROTO(around, hy_around(F, in[0], 1))
PROTO(around_0, hy_around(F, in[0], 0))
PROTO(around_tens, hy_around(F, in[0], -1))
PROTO(isnan, hy_isnan(F, in[0]))
PROTO(isinf, hy_isinf(F, in[0]))
PROTO(isfinite, hy_isfinite(F, in[0]))
PROTO(isposinf, hy_isposinf(F, in[0]))
PROTO(isneginf, hy_isneginf(F, in[0]))
PROTO(std, hy_std_deviation(F, in[0], HY_AXES(1), NULL))
PROTO(any, hy_any(F, in[0], HY_AXES(1), 0))
PROTO(all, hy_all(F, in[0], HY_AXES(0), 1))
PROTO(full, hy_full_like(F, in[0], 2.5))
PROTO(move, hy_moveaxis(F, in[0], 0, 2))
PROTO(move_back, hy_moveaxis(F, in[0], -1, -3))
PROTO(roll, hy_roll(F, in[0], -4, 1))
PROTO(diff, hy_differences(F, in[0], 2, -1))
PROTO(ediff, hy_ediff1d(F, in[0]))
PROTO(rot, hy_rot90(F, in[0], 3, 0, 1))
PROTO(rot_1, hy_rot90(F, in[0], -3, 2, 0))
PROTO(rot_2, hy_rot90(F, in[0], 2, 0, 1))
PROTO(gumbel, hy_random_gumbel(F, HY_SHAPE(5), 1, 3))
PROTO(bernoulli, hy_random_bernoulli(F, HY_SHAPE(50), 0.25))
PROTO(upsampling, hy_upsampling_bilinear(F, in[0], in[1], 2, 2))

typedef hy_array *(*proto_fn)(hy_frame *F, hy_array **in);
static const struct proto_case { const char *op, *attrs; double add; const char *in; proto_fn call; } proto_cases[] = {
    { "_linalg_gemm", "\"alpha\": \"2\", \"beta\": \"0.5\", \"transpose_b\": \"True\"", 0, "(2,3) (2,3) (2,2)", proto_gemm },
    { "_linalg_gemm", "", 0, "(4,2,3) (4,3,2) (4,2,2)", proto_gemm_plain },
    { "_linalg_trmm", "\"alpha\": \"2\", \"rightside\": \"True\", \"transpose\": \"True\", \"lower\": \"False\"", 0, "(2,2) (3,2)", proto_trmm },
    { "_linalg_trmm", "", 0, "(2,2) (2,3)", proto_trmm_plain },
    { "_linalg_syrk", "\"alpha\": \"2\"", 0, "(2,3)", proto_syrk }, { "_linalg_syrk", "\"transpose\": \"True\"", 0, "(2,3)", proto_syrk_turned },
    { "_linalg_potri", "\"lower\": \"False\"", 2, "(3,2,2)", proto_potri }, { "_linalg_potri", "", 2, "(2,2)", proto_potri_lower },
    { "_linalg_makediag", "\"offset\": \"-2\"", 0, "(2,3)", proto_makediag }, { "_linalg_makediag", "", 0, "(2,3)", proto_makediag_0 },
    { "_linalg_extractdiag", "\"offset\": \"1\"", 0, "(2,3,3)", proto_extractdiag },
    { "_linalg_sumlogdiag", "", 2, "(4,2,2)", proto_sumlogdiag },
    { "_np_trace", "\"offset\": \"1\", \"axis1\": \"2\", \"axis2\": \"0\"", 0, "(3,4,4)", proto_trace },
    { "_npi_tensordot_int_axes", "\"axes\": \"2\"", 0, "(2,3,4) (3,4,5)", proto_dot_axes },
    { "_npi_tensordot", "\"a_axes_summed\": \"(0, 2)\", \"b_axes_summed\": \"(1, 0)\"", 0, "(2,3,4) (4,2,5)", proto_lists },
    { "_contrib_interleaved_matmul_selfatt_qk", "\"heads\": \"2\"", 0, "(2,1,12)", proto_self_qk },
    { "_contrib_interleaved_matmul_selfatt_valatt", "\"heads\": \"2\"", 0, "(2,1,12) (2,2,2)", proto_self_va },
    { "_contrib_interleaved_matmul_encdec_qk", "\"heads\": \"2\"", 0, "(2,1,4) (3,1,8)", proto_encdec_qk },
    { "_contrib_interleaved_matmul_encdec_valatt", "\"heads\": \"2\"", 0, "(3,1,8) (2,2,3)", proto_encdec_va },
    { "_contrib_div_sqrt_dim", "", 0, "(2,3)", proto_sqrt_dim },
    { "_contrib_box_decode", "\"std0\": \"0.1\", \"std1\": \"0.2\", \"std2\": \"0.3\", \"std3\": \"0.4\", \"clip\": \"0.25\", "
      "\"format\": \"corner\"", 0, "(1,2,4) (1,2,4)", proto_box },
    { "_contrib_box_decode", "", 0, "(1,2,4) (1,2,4)", proto_box_plain },
    { "SVMOutput", "", 0, "(2,4) (2)", proto_svm },
    { "SVMOutput", "\"use_linear\": \"True\", \"margin\": \"0.5\", \"regularization_coefficient\": \"2\"", 0, "(2,4) (2)", proto_svm_linear },
    { "_ravel_multi_index", "\"shape\": \"(4, 5, 6)\"", 1, "(3,2)", proto_ravel },
    { "_unravel_index", "\"shape\": \"(2, 2)\"", 1, "(2)", proto_unravel },
    { "_contrib_quadratic", "\"a\": \"1\", \"b\": \"2\", \"c\": \"3\"", 0, "(4)", proto_quadratic },
    { "_contrib_round_ste", "", 0, "(6)", proto_round_ste }, { "_contrib_sign_ste", "", 0, "(6)", proto_sign_ste },
    { "_npi_copysign", "", 0, "(2,3) (2,3)", proto_copysign }, { "_npi_ldexp", "", 0, "(4) (4)", proto_ldexp },
    { "_npi_around", "\"decimals\": \"1\"", 0.13, "(6)", proto_around }, { "_npi_around", "", 0, "(11)", proto_around_0 },
    { "_npi_around", "\"decimals\": \"-1\"", 33.3, "(6)", proto_around_tens },
    { "_np_isnan", "", 0, "(4)", proto_isnan }, { "_np_isinf", "", 0, "(4)", proto_isinf },
    { "_np_isfinite", "", 0, "(4)", proto_isfinite }, { "_npi_isposinf", "", 0, "(4)", proto_isposinf },
    { "_npi_isneginf", "", 0, "(4)", proto_isneginf },
    { "_npi_var", "\"axis\": \"(0, 2)\", \"ddof\": \"1\", \"keepdims\": \"True\"", 0, "(2,3,4)", proto_variance },
    { "_npi_std", "\"axis\": \"1\"", 0, "(2,3)", proto_std },
    { "_np_any", "\"axis\": \"1\"", 0, "(2,5)", proto_any }, { "_np_all", "\"axis\": \"0\", \"keepdims\": \"True\"", 0, "(2,5)", proto_all },
    { "_npi_full_like", "\"fill_value\": \"2.5\"", 0, "(2,3)", proto_full },
    { "_np_moveaxis", "\"source\": \"0\", \"destination\": \"2\"", 0, "(2,3,4)", proto_move },
    { "_np_moveaxis", "\"source\": \"-1\", \"destination\": \"-3\"", 0, "(2,3,4)", proto_move_back },
    { "_np_roll", "\"shift\": \"-4\", \"axis\": \"1\"", 0, "(2,3)", proto_roll },
    { "_npi_diff", "\"n\": \"2\", \"axis\": \"-1\"", 0, "(2,5)", proto_diff }, { "_npi_ediff1d", "", 0, "(2,3)", proto_ediff },
    { "_npi_rot90", "\"k\": \"3\", \"axes\": \"(0, 1)\"", 0, "(2,3,2)", proto_rot },
    { "_npi_rot90", "\"k\": \"1\", \"axes\": \"(2, 0)\"", 0, "(2,3,2)", proto_rot_1 },
    { "_npi_rot90", "\"k\": \"2\"", 0, "(2,3,2)", proto_rot_2 },
    { "_npi_gumbel", "\"loc\": \"1\", \"scale\": \"3\", \"size\": \"(5,)\"", 0, "", proto_gumbel },
    { "_npi_bernoulli", "\"prob\": \"0.25\", \"size\": \"(50,)\"", 0, "", proto_bernoulli },
    { "UpSampling", "\"scale\": \"2\", \"sample_type\": \"bilinear\", \"num_filter\": \"2\", \"num_args\": \"2\"", 0,
      "(1,2,2,2) (2,1,4,4)", proto_upsampling },
};

typedef struct proto_block { hy_block base; proto_fn call; } proto_block;
static hy_array *proto_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *in[4];
    int i;
    for (i = 0; i < hy_count(F, x); i++) in[i] = hy_get(F, x, i);
    return ((proto_block *)self)->call(F, in);
}
/* All numbers of y, and of the gradient of its sum by x behind them. */
static int proto_numbers(hy_frame *F, hy_array *y, hy_array *x, int recorded, double *to)
{
    int64_t i;
    int n = 0;
    for (i = 0; y && i < hy_size(F, y) && n < 200; i++) to[n++] = control_at(F, y, (int)i);
    if (recorded && x && y) hy_backward(F, y, NULL);
    if (hy_error(F) && strstr(hy_error(F), "was not computed from an array with")) { hy_clear(F); return n; }
    for (i = 0; recorded && x && y && i < hy_size(F, x) && n < 400; i++) to[n++] = control_at(F, hy_grad_of(F, x), (int)i);
    return n;
}
static hy_array *proto_run(hy_frame *F, int way, const struct proto_case *c, hy_block *net, hy_array **in, int n)
{
    static char text[2000];
    hy_seed(F, 5);
    if (way) return net && n ? hy_call(F, net, n == 1 ? in[0] : hy_group_of(F, n, in)) : c->call(F, in);
    compound_text(text, c->op, c->attrs, n, 1);
    return hy_graph_run(F, symbol_read(F, text), n < 2 ? in[0] : hy_group_of(F, n, in));
}
static void prototypes_values(void)
{
    size_t i;
    for (i = 0; i < sizeof proto_cases / sizeof *proto_cases; i++) {
        const struct proto_case *c = &proto_cases[i];
        double got[3][400];
        int n[3], way, k, same = 1;
        for (way = 0; way < 3; way++) {                 /* the file's, line by line, compiled */
            hy_frame *F = hy_open(NULL);
            hy_array *in[4] = { NULL };
            proto_block *net = (proto_block *)(void *)hy_block_new(F, sizeof *net, "Proto", proto_forward, 1);
            const char *s = c->in;
            hy_shape shape;
            int inputs = 0;
            net->call = c->call;
            if (way == 2) hy_hybridize(F, &net->base, NULL);
            while (compound_shape(&s, &shape)) { in[inputs] = compound_input(F, shape, inputs, c->add); inputs++; }
            if (in[0]) hy_attach_grad(F, in[0], HY_GRAD_WRITE);
            hy_record(F);
            n[way] = proto_numbers(F, proto_run(F, way, c, way ? &net->base : NULL, in, inputs), in[0], 1, got[way]);
            hy_pause(F);
            if (!CHECK(!hy_error(F))) printf("    %s, way %d: %s\n", c->op, way, hy_error(F));
            hy_close(F);
        }
        same = n[0] > 0 && n[1] == n[0] && n[2] == n[0];
        for (k = 0; same && k < n[0]; k++)
            for (way = 1; way < 3; way++) same &= fabs(got[way][k] - got[0][k]) <= 2e-6 * (1 + fabs(got[0][k]));
        if (!CHECK(same)) printf("    %s {%s}: %d, %d, %d numbers; at %d %g, %g, %g\n", c->op, c->attrs, n[0], n[1], n[2], k - 1,
                                 got[0][k ? k - 1 : 0], got[1][k ? k - 1 : 0], got[2][k ? k - 1 : 0]);
    }
}

static void prototypes_numbers(void)
{
    static const float odd[] = { 1, -1, 0, 4 }, zero[] = { 0, 0, 0, 2 };
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_div(F, hy_floats(F, HY_SHAPE(4), odd), hy_floats(F, HY_SHAPE(4), zero)), *y;     /* inf, -inf, NaN, 2 */
    CHECK(hy_value(F, hy_isnan(F, x), 2) == 1 && hy_value(F, hy_isnan(F, x), 0) == 0 && hy_value(F, hy_isinf(F, x), 1) == 1);
    CHECK(hy_value(F, hy_isinf(F, x), 2) == 0 && hy_value(F, hy_isfinite(F, x), 3) == 1 && hy_value(F, hy_isfinite(F, x), 2) == 0);
    CHECK(hy_value(F, hy_isfinite(F, x), 0) == 0 && hy_value(F, hy_isposinf(F, x), 0) == 1 && hy_value(F, hy_isposinf(F, x), 1) == 0);
    CHECK(hy_value(F, hy_isneginf(F, x), 1) == 1 && hy_value(F, hy_isneginf(F, x), 0) == 0);
    CHECK(hy_item(F, hy_all_finite(F, x)) == 0 && hy_item(F, hy_all_finite(F, hy_ones(F, HY_SHAPE(2, 3)))) == 1);
    y = hy_nan_to_num(F, x, NULL);
    CHECK(hy_value(F, y, 0) == 3.4028234663852886e38 && hy_value(F, y, 1) == -3.4028234663852886e38 && hy_value(F, y, 2) == 0);
    CHECK(hy_value(F, y, 3) == 2 && hy_value(F, hy_nan_to_num(F, hy_cast(F, x, HY_F16), NULL), 0) == 65504);
    y = hy_around(F, x, 1);
    CHECK(hy_value(F, y, 0) > 1e38 && hy_value(F, y, 3) == 2);
    y = proto_nan(F, &x);
    CHECK(hy_value(F, y, 0) == 7);      /* inf / inf */
    CHECK(hy_item(F, hy_any(F, hy_empty(F, HY_SHAPE(0), HY_F32), HY_ALL, 0)) == 0);
    CHECK(hy_item(F, hy_all(F, hy_empty(F, HY_SHAPE(0), HY_F32), HY_ALL, 0)) == 1);
    CHECK(!hy_moveaxis(F, x, 0, 1));
    train_expect(F, "hy_moveaxis: source 0, destination 1, of 1 dims");
    CHECK(!hy_differences(F, x, -1, 0));
    train_expect(F, "hy_differences: n is -1");
    CHECK(!hy_tensordot(F, x, x, 2, NULL));
    train_expect(F, "hy_tensordot: as many axes");
    CHECK(!hy_unravel_index(F, x, HY_ALL));
    train_expect(F, "hy_unravel_index: shape has -1 sizes");
    CHECK(!hy_random_bernoulli(F, HY_SHAPE(2), 1.5));
    train_expect(F, "prob is 1.5");
    CHECK(!hy_interleaved_matmul_selfatt_qk(F, hy_ones(F, HY_SHAPE(2, 1, 12)), 0));
    train_expect(F, "heads is 0");
    CHECK(!hy_upsampling_bilinear(F, x, x, 0, 1));
    train_expect(F, "scale is 0");
    CHECK(hy_close(F) == 0);
}
#endif

static void test_prototypes(void)
{
    RUN(prototypes_all);
#ifndef HYBRID_NO_IO
    RUN(prototypes_values);
    RUN(prototypes_numbers);
#endif
}
