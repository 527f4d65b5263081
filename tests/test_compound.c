/* Operators of files that are several of ours: what MXNet 1.9.1 gives for inputs that a formula fills. */

typedef struct compound_case { const char *op, *attrs; int np; double add; const char *in, *out, *values; } compound_case;
static const compound_case compound_cases[] = {
    { "_npi_copysign", "", 1, 0, "(2,3) (2,3)", "(2,3)",
      "-1, 0.75, 0.25, -1.5, 0.5, 0.5" },
    { "_npi_copysign_scalar", "\"scalar\": \"-2\"", 1, 0, "(4)", "(4)",
      "-1, -0.75, -0.25, -1.5" },
    { "_npi_rcopysign_scalar", "\"scalar\": \"-3\"", 1, 0, "(4)", "(4)",
      "-3, 3, -3, 3" },
    { "_npi_det", "", 1, 0, "(2,2)", "()",
      "-1.3125" },
    { "_npi_ldexp", "", 1, 0, "(4) (4)", "(4)",
      "-0.8408964, 2.12132, -0.3535534, 1.06066" },
    { "_npi_ldexp_scalar", "\"scalar\": \"3.0\"", 1, 0, "(4)", "(4)",
      "-8, 6, -2, 12" },
    { "_npi_rldexp_scalar", "\"scalar\": \"3.0\"", 1, 0, "(4)", "(4)",
      "1.5, 5.045379, 2.522689, 8.485281" },
    { "_npi_around", "\"decimals\": \"0\"", 1, 0, "(11)", "(11)",
      "-1, 1, -0, 2, 0, 0, 1, 0, -1, 1, 0" },
    { "_npi_around", "\"decimals\": \"1\"", 1, 0.13, "(6)", "(6)",
      "-0.9, 0.9, -0.1, 1.6, 0.6, -0.4" },
    { "_npi_around", "\"decimals\": \"-1\"", 1, 33, "(6)", "(6)",
      "30, 30, 30, 30, 30, 30" },
    { "_npi_where_scalar2", "\"x\": \"1.5\", \"y\": \"-2\"", 1, 0, "(8)", "(8)",
      "1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5" },
    { "_npi_pad", "\"pad_width\": \"((1, 1), (2, 1))\", \"mode\": \"constant\"", 1, 0, "(2,3)", "(4,6)",
      "0, 0, 0, 0, 0, 0, 0, 0, -1, 0.75, -0.25, 0, 0, 0, 1.5, 0.5, -0.5, 0, 0, 0, 0, 0, 0, 0" },
    { "_npi_pad", "\"pad_width\": \"((1, 1), (2, 1))\", \"mode\": \"edge\"", 1, 0, "(2,3)", "(4,6)",
      "-1, -1, -1, 0.75, -0.25, -0.25, -1, -1, -1, 0.75, -0.25, -0.25, 1.5, 1.5, 1.5, 0.5, -0.5, -0.5, 1.5, 1.5, 1.5, 0.5, -0.5, -0.5" },
    { "_npi_pad", "\"pad_width\": \"((1, 1), (2, 1))\", \"mode\": \"reflect\"", 1, 0, "(2,3)", "(4,6)",
      "-0.5, 0.5, 1.5, 0.5, -0.5, 0.5, -0.25, 0.75, -1, 0.75, -0.25, 0.75, -0.5, 0.5, 1.5, 0.5, -0.5, 0.5, -0.25, "
      "0.75, -1, 0.75, -0.25, 0.75" },
    { "_np_diag", "\"k\": \"1\"", 1, 0, "(2)", "(3,3)",
      "0, -1, 0, 0, 0, 0.75, 0, 0, 0" },
    { "_np_dot", "", 1, 0, "(3) (3)", "()",
      "1.25" },
    { "_np_dot", "", 1, 0, "(2,3) (3)", "(2)",
      "1.25, 0.125" },
    { "_np_dot", "", 1, 0, "(3) (3,2)", "(2)",
      "0.3125, -1.9375" },
    { "_np_dot", "", 1, 0, "(2,3) (3,2)", "(2,2)",
      "0.3125, -1.9375, -0.75, 1.875" },
    { "_np_dot", "", 1, 0, "(2,3) (3,3,2)", "(2,3,2)",
      "0.3125, -1.9375, 0.5625, -1.6875, -1.9375, 0.625, -0.75, 1.875, -1.5, 1.125, 1.875, 1.75" },
    { "_np_dot", "", 1, 0, "(3) (2,3,2)", "(2,2)",
      "0.3125, -1.9375, 0.5625, -1.6875" },
    { "_np_dot", "", 1, 0, "(2,1,3) (2,2,3,1)", "(2,1,2,2,1)",
      "1.25, 1.375, 1.5, 1.625, 0.125, -0.25, -0.625, -1" },
    { "_np_diagonal", "\"offset\": \"1\"", 1, 0, "(3,3)", "(2)",
      "0.75, -0.5" },
    { "_np_trace", "", 1, 0, "(3,3)", "()",
      "-1.25" },
    { "_np_trace", "\"offset\": \"1\", \"axis1\": \"1\", \"axis2\": \"2\"", 1, 0, "(2,2,3)", "(2)",
      "0.25, -0.75" },
    { "_np_diagflat", "\"k\": \"1\"", 1, 0, "(2,2)", "(5,5)",
      "0, -1, 0, 0, 0, 0, 0, 0.75, 0, 0, 0, 0, 0, -0.25, 0, 0, 0, 0, 0, 1.5, 0, 0, 0, 0, 0" },
    { "_npi_std", "\"axis\": \"()\"", 1, 0, "(2)", "(2)",
      "0, 0" },
    { "_linalg_makediag", "", 0, 0, "(2)", "(2,2)",
      "-1, 0, 0, 0.75" },
    { "_linalg_makediag", "\"offset\": \"1\"", 0, 0, "(1,2)", "(1,3,3)",
      "0, -1, 0, 0, 0, 0.75, 0, 0, 0" },
    { "_linalg_makediag", "\"offset\": \"-2\"", 0, 0, "(1)", "(3,3)",
      "0, 0, 0, 0, 0, 0, -1, 0, 0" },
    { "SVMOutput", "\"margin\": \"2\"", 0, 0, "(2,2) (2)", "(2,2)",
      "-1, 0.75, -0.25, 1.5" },
    { "_npi_concatenate", "\"axis\": \"None\", \"num_args\": \"2\"", 1, 0, "(2,1) (1,3)", "(5)",
      "-1, 0.75, -0.25, 1.5, 0.5" },
    { "_npi_concatenate", "\"axis\": \"0\", \"num_args\": \"2\"", 1, 0, "(1,2) (1,2)", "(2,2)",
      "-1, 0.75, -0.25, 1.5" },
    { "_npi_rot90", "\"k\": \"0\", \"axes\": \"(0, 1)\"", 1, 0, "(2,3)", "(2,3)",
      "-1, 0.75, -0.25, 1.5, 0.5, -0.5" },
    { "_npi_rot90", "\"k\": \"1\", \"axes\": \"(0, 1)\"", 1, 0, "(2,3)", "(3,2)",
      "-0.25, -0.5, 0.75, 0.5, -1, 1.5" },
    { "_npi_rot90", "\"k\": \"2\", \"axes\": \"(0, 1)\"", 1, 0, "(2,3)", "(2,3)",
      "-0.5, 0.5, 1.5, -0.25, 0.75, -1" },
    { "_npi_rot90", "\"k\": \"3\", \"axes\": \"(0, 1)\"", 1, 0, "(2,3)", "(3,2)",
      "1.5, -1, 0.5, 0.75, -0.5, -0.25" },
    { "_npi_rot90", "\"k\": \"-1\", \"axes\": \"(0, 1)\"", 1, 0, "(2,3)", "(3,2)",
      "1.5, -1, 0.5, 0.75, -0.5, -0.25" },
    { "_npi_ediff1d", "", 1, 0, "(2,3)", "(5)",
      "1.75, -1, 1.75, -1, -1" },
    { "_npi_average", "\"axis\": \"1\", \"weighted\": \"False\"", 1, 0, "(2,3)", "(2)",
      "-0.1666667, 0.5" },
    { "_npi_average", "\"axis\": \"-1\"", 1, 2, "(2,3) (2,3)", "(2)",
      "2.032258, 2.392857" },
    { "_npi_average", "\"axis\": \"None\"", 1, 2, "(2,3) (2,3)", "()",
      "2.20339" },
    { "_linalg_gemm", "\"alpha\": \"2\", \"beta\": \"0.5\"", 0, 0, "(2,3) (3,2) (2,2)", "(2,2)",
      "0.875, -4.125, -0.875, 3.875" },
    { "_linalg_syrk", "\"alpha\": \"2\"", 0, 0, "(2,3)", "(2,2)",
      "3.25, -2, -2, 5.5" },
    { "_linalg_syrk", "\"transpose\": \"True\"", 0, 0, "(2,3)", "(3,3)",
      "3.25, 0, -0.5, 0, 0.8125, -0.4375, -0.5, -0.4375, 0.3125" },
    { "_linalg_trmm", "\"alpha\": \"2\"", 0, 0, "(2,2) (2,3)", "(2,3)",
      "0.5, -3, -1, -1.375, 3, 0.5" },
    { "_linalg_trmm", "\"rightside\": \"True\", \"transpose\": \"True\", \"lower\": \"False\"", 0, 0, "(2,2) (3,2)", "(3,2)",
      "1.375, 2.25, -0.875, -0.75, -1.0625, 0.375" },
    { "_linalg_potri", "", 0, 0, "(2,2)", "(2,2)",
      "1.027778, -0.1111111, -0.1111111, 0.4444445" },
    { "_linalg_extractdiag", "\"offset\": \"1\"", 0, 0, "(2,3,3)", "(2,2)",
      "0.75, -0.5, 0, 1.5" },
    { "_linalg_sumlogdiag", "", 0, 2, "(2,2)", "(1)",
      "1.252763" },
    { "_contrib_quadratic", "\"a\": \"1\", \"b\": \"2\", \"c\": \"3\"", 0, 0, "(4)", "(4)",
      "2, 5.0625, 2.5625, 8.25" },
    { "_contrib_round_ste", "", 0, 0, "(6)", "(6)",
      "-1, 1, -0, 2, 1, -1" },
    { "_contrib_sign_ste", "", 0, 0, "(6)", "(6)",
      "-1, 1, -1, 1, 1, -1" },
    { "_contrib_div_sqrt_dim", "", 0, 0, "(2,3)", "(2,3)",
      "-0.5773503, 0.4330127, -0.1443376, 0.8660254, 0.2886751, -0.2886751" },
    { "_contrib_interleaved_matmul_selfatt_qk", "\"heads\": \"2\"", 0, 0, "(2,1,12)", "(2,2,2)",
      "0.9722718, -0.7954951, -0.3977475, 0.7071068, -0.4861359, 0.8838835, -0.6629126, 0.1767767" },
    { "_contrib_interleaved_matmul_selfatt_valatt", "\"heads\": \"2\"", 0, 0, "(2,1,12) (2,2,2)", "(2,1,4)",
      "-0.875, 2, -0.25, -1.0625, 0.5, -0.875, -1, 1.5" },
    { "_contrib_interleaved_matmul_encdec_qk", "\"heads\": \"2\"", 0, 0, "(2,1,4) (3,1,8)", "(2,2,3)",
      "0.9722718, -0.5303301, -0.5745242, -0.6187184, 0.3535534, 0.3535534, 0.04419417, 0.265165, 0.9722718, 1.149048, "
      "1.414214, -0.7513009" },
    { "_contrib_interleaved_matmul_encdec_valatt", "\"heads\": \"2\"", 0, 0, "(3,1,8) (2,2,3)", "(2,1,4)",
      "0.1875, -2.25, 0.5625, 0.3125, 0.1875, -2.1875, 0.125, -0.0625" },
    { "_contrib_box_decode", "", 0, 0, "(1,2,4) (1,2,4)", "(1,2,4)",
      "-0.9447002, 2.245422, -0.5552998, 0.004577756, 2.183878, -0.8920127, -0.4338785, 0.3920127" },
    { "_contrib_box_decode", "\"std0\": \"0.1\", \"std1\": \"0.2\", \"std2\": \"0.3\", \"std3\": \"0.4\", \"clip\": \"0.25\", \"format\": \"corner\"", 0, 0, "(1,2,4) (1,2,4)", "(1,2,4)",
      "-0.2979038, 1.484025, 0.3979038, -1.084025, 1.434025, 0.1355609, -1.134025, 0.9644392" },
    { "UpSampling", "\"scale\": \"2\", \"sample_type\": \"bilinear\", \"num_filter\": \"2\", \"num_args\": \"2\"", 0, 0, "(1,2,2,2) (2,1,4,4)", "(1,2,4,4)",
      "-0.25, 1.6875, -0.8125, -0.5625, 0.625, -1.25, 1.875, 1.3125, -0.5625, 3.6875, -0.75, -1.5, 0.25, -0.1875, "
      "-1.4375, 1.125, 0.375, 0.375, 0.375, 0.125, -1.1875, 1.6875, 0.1875, -0.375, 1.4375, -0.1875, 1.0625, -0.0625, "
      "-0.625, 1.6875, 0.1875, 0.3125" },
    { "UpSampling", "\"scale\": \"3\", \"sample_type\": \"bilinear\", \"num_filter\": \"1\", \"num_args\": \"2\"", 0, 0, "(1,1,1,2) (1,1,5,5)", "(1,1,3,6)",
      "0.75, -1, 0.1875, 0.4375, 0.75, 0, 0.25, -1.5, 0.0625, 0.3125, 1.125, 0.375, -0.25, 0.75, -0.0625, 0.1875, -0.5625, 0.75" },
    { "_npi_var", "\"axis\": \"1\", \"ddof\": \"1\"", 1, 0, "(2,3)", "(2)",
      "0.7708333, 1" },
    { "_npi_std", "\"axis\": \"None\", \"ddof\": \"2\"", 1, 0, "(2,3)", "()",
      "1.025711" },
    { "_npi_var", "\"axis\": \"(0, 1)\", \"ddof\": \"1\"", 1, 0, "(2,3)", "()",
      "0.8416667" },
    { "_npi_pad", "\"pad_width\": \"((1, 0), (2, 1))\", \"mode\": \"symmetric\"", 1, 0, "(2,3)", "(3,6)",
      "0.75, -1, -1, 0.75, -0.25, -0.25, 0.75, -1, -1, 0.75, -0.25, -0.25, 0.5, 1.5, 1.5, 0.5, -0.5, -0.5" },
    { "_npi_pad", "\"pad_width\": \"((1, 0), (2, 1))\", \"mode\": \"maximum\"", 1, 0, "(2,3)", "(3,6)",
      "1.5, 1.5, 1.5, 0.75, -0.25, 1.5, 0.75, 0.75, -1, 0.75, -0.25, 0.75, 1.5, 1.5, 1.5, 0.5, -0.5, 1.5" },
    { "_npi_pad", "\"pad_width\": \"((1, 0), (2, 1))\", \"mode\": \"minimum\"", 1, 0, "(2,3)", "(3,6)",
      "-1, -1, -1, 0.5, -0.5, -1, -1, -1, -1, 0.75, -0.25, -1, -0.5, -0.5, 1.5, 0.5, -0.5, -0.5" },
    { "_np_roll", "\"shift\": \"5\", \"axis\": \"0\"", 1, 0, "(2,3)", "(2,3)",
      "1.5, 0.5, -0.5, -1, 0.75, -0.25" },
    { "_np_roll", "\"shift\": \"-9\", \"axis\": \"1\"", 1, 0, "(2,3)", "(2,3)",
      "-1, 0.75, -0.25, 1.5, 0.5, -0.5" },
    { "_np_roll", "\"shift\": \"(1, -2)\", \"axis\": \"(1, 0)\"", 1, 0, "(2,3)", "(2,3)",
      "-0.25, -1, 0.75, -0.5, 1.5, 0.5" },
    { "_np_roll", "\"shift\": \"1\", \"axis\": \"(0, 1)\"", 1, 0, "(2,3)", "(2,3)",
      "-0.5, 1.5, 0.5, -0.25, -1, 0.75" },
    { "_np_roll", "\"shift\": \"8\", \"axis\": \"None\"", 1, 0, "(2,3)", "(2,3)",
      "0.5, -0.5, -1, 0.75, -0.25, 1.5" },
    { "_npi_tensordot_int_axes", "\"axes\": \"0\"", 1, 0, "(2,2) (2)", "(2,2,2)",
      "0.25, -1.5, -0.1875, 1.125, 0.0625, -0.375, -0.375, 2.25" },
    { "_npi_tensordot_int_axes", "\"axes\": \"2\"", 1, 0, "(2,3,2) (3,2,2)", "(2,2)",
      "-1.1875, -0.8125, -2.625, 2.8125" },
    { "_npi_tensordot_int_axes", "\"axes\": \"2\"", 1, 0, "(2,3) (2,3)", "()",
      "1" },
    { "_npi_tensordot_int_axes", "\"axes\": \"1\"", 1, 0, "(3) (3)", "()",
      "1.25" },
    { "_npi_tensordot", "\"a_axes_summed\": \"(-1,)\", \"b_axes_summed\": \"(0,)\"", 1, 0, "(3) (3)", "()",
      "1.25" },
    { "_npi_tensordot", "\"a_axes_summed\": \"(0, 1)\", \"b_axes_summed\": \"(1, 0)\"", 1, 0, "(2,3) (3,2)", "()",
      "2.1875" },
    { "_npi_tensordot", "\"a_axes_summed\": \"(2, 0)\", \"b_axes_summed\": \"(0, 1)\"", 1, 0, "(2,2,3) (3,2,2)", "(2,2)",
      "1.0625, -1.25, 0, 2.625" },
    { "_npi_tensordot", "\"a_axes_summed\": \"(-2, -1)\", \"b_axes_summed\": \"(-1, -3)\"", 1, 0, "(2,2,3) (3,2,2)", "(2,2)",
      "4.0625, -1.375, 2.5, -0.375" },
    { "_npi_tensordot", "\"a_axes_summed\": \"(0,)\", \"b_axes_summed\": \"(-1,)\"", 1, 0, "(3) (3)", "()",
      "1.25" },
    { "_npi_det", "", 1, 2, "(2,2)", "()",
      "-1.3125" },
    { "_npi_det", "", 1, 2, "(2,2,2)", "(2)",
      "-1.3125, 0.7499999" },
    { "_linalg_det", "", 0, 2, "(2,2)", "(1)",
      "-1.3125" },
};

static int compound_shape(const char **s, hy_shape *shape)      /* "(2,3)": 0 at the end of the text */
{
    char *end;
    while (**s == ' ') (*s)++;
    if (**s != '(') return 0;
    memset(shape, 0, sizeof *shape);
    for ((*s)++; **s != ')'; *s = end + (*end == ',')) shape->dim[shape->ndim++] = strtol(*s, &end, 10);
    (*s)++;
    return 1;
}

/* A graph of one operator. */
static void compound_text(char *to, const char *op, const char *attrs, int inputs, int np)
{
    int k;
    to += sprintf(to, "{\"nodes\": [");
    for (k = 0; k < inputs; k++) to += sprintf(to, "{\"op\": \"null\", \"name\": \"x%d\", \"inputs\": []}, ", k);
    to += sprintf(to, "{\"op\": \"%s\", \"name\": \"y\", \"attrs\": {%s}, \"inputs\": [", op, attrs);
    for (k = 0; k < inputs; k++) to += sprintf(to, "%s[%d, 0, 0]", k ? ", " : "", k);
    to += sprintf(to, "]}], \"arg_nodes\": [");
    for (k = 0; k < inputs; k++) to += sprintf(to, "%s%d", k ? ", " : "", k);
    sprintf(to, "], \"heads\": [[%d, 0, 0]], \"attrs\": {\"mxnet_version\": [\"int\", 10901], \"is_np_shape\": [\"int\", %d]}}", inputs, np);
}

static hy_array *compound_input(hy_frame *F, hy_shape shape, int k, double add)
{
    hy_array *x = hy_zeros(F, shape);
    float *v = (float *)hy_write(F, x);
    int64_t i, n = hy__size(&shape);
    for (i = 0; i < n; i++) v[i] = (float)((double)((i * 7 + k * 3) % 11) * 0.25 - 1 + add);
    return x;
}

static void compound_values(void)
{
    size_t i;
    for (i = 0; i < sizeof compound_cases / sizeof *compound_cases; i++) {
        const compound_case *c = &compound_cases[i];
        hy_frame *F = hy_open(NULL);
        hy_array *in[4], *y;
        hy_shape shape;
        const char *s = c->in;
        char text[2000];
        int n = 0, ok = 1;
        hy_graph *g;
        while (compound_shape(&s, &shape)) { in[n] = compound_input(F, shape, n, c->add); n++; }
        compound_text(text, c->op, c->attrs, n, c->np);
        g = symbol_read(F, text);
        y = hy_graph_run(F, g, n == 1 ? in[0] : hy_group_of(F, n, in));
        s = c->out;
        compound_shape(&s, &shape);
        ok = y && hy__same_shape(&y->t.type.shape, &shape);
        s = c->values;
        for (int64_t k = 0; ok && k < hy__size(&shape); k++) {
            char *end;
            double want = strtod(s, &end), got = ((const float *)hy_data(F, y))[k];
            ok = fabs(got - want) <= 2e-6 * (1 + fabs(want));
            if (!ok) printf("    element %d is %.7g, want %.7g\n", (int)k, got, want);
            s = end + (*end == ',');
        }
        if (!CHECK(ok)) printf("    %s {%s}: %s\n", c->op, c->attrs, hy_error(F) ? hy_error(F) : "no error");
        hy_graph_free(F, g);
        CHECK(hy_close(F) == 0);
    }
}

/* A user's operator has a word of formulas as its name. */
static void compound_beside_a_user(void)
{
    static hy_op op;
    hy_frame *F = hy_open(NULL);
    hy_graph *g;
    hy_array *x, *y;
    char text[2000];
    op = *hy_op_find(F, "negative");
    op.name = "drop";
    op.mxnet = op.aliases = NULL;
    CHECK(hy_register(F, &op) == 0);
    compound_text(text, "_np_trace", "", 1, 0);
    g = symbol_read(F, text);
    x = compound_input(F, HY_SHAPE(3, 3), 0, 0);
    y = hy_graph_run(F, g, x);
    CHECK(y && hy_item(F, y) == hy_value(F, x, 0, 0) + hy_value(F, x, 1, 1) + hy_value(F, x, 2, 2));
    hy_graph_free(F, g);
    CHECK(hy_close(F) == 0);
}

static void compound_errors(void)
{
    static const struct { const char *op, *attrs; int inputs; const char *says; } cases[] = {
        { "_npi_pad", "\"pad_width\": \"((1, 1),)\", \"mode\": \"wrap\"", 1, "node 'y': mode of _npi_pad cannot be 'wrap'" },
        { "_npi_pad", "\"pad_width\": \"((1, -1),)\", \"mode\": \"symmetric\"", 1, "pad_width of _npi_pad cannot be" },
        { "_npi_pad", "\"pad_width\": \"((1, 1, 2),)\", \"mode\": \"maximum\"", 1, "pad_width of _npi_pad cannot be" },
        { "_np_roll", "\"shift\": \"(1, 2)\", \"axis\": \"0\"", 1, "shift of _np_roll cannot be '(1, 2)'" },
        { "_np_roll", "\"axis\": \"0\"", 1, "shift of _np_roll cannot be 'None'" },
        { "_npi_tensordot", "\"a_axes_summed\": \"(0, -1)\", \"b_axes_summed\": \"(0, 1)\"", 2, "axes of _npi_tensordot" },
        { "_npi_tensordot", "\"a_axes_summed\": \"(0,)\", \"b_axes_summed\": \"(0, 1)\"", 2, "axes of _npi_tensordot" },
        { "_npi_tensordot_int_axes", "\"axes\": \"9\"", 2, "axes of _npi_tensordot_int_axes cannot be '9'" },
        { "_npi_var", "\"axis\": \"0\", \"ddof\": \"x\"", 1, "ddof of _npi_var cannot be 'x'" },
        { "_npi_pad", "\"pad_width\": \"((\", \"mode\": \"edge\"", 1, "pad_width of _npi_pad cannot be '(('" },
        { "_npi_pad", "\"pad_width\": \"((1, x),)\", \"mode\": \"edge\"", 1, "pad_width" },
        { "_linalg_gemm", "\"alpha\": \"abc\"", 3, "alpha of _linalg_gemm cannot be 'abc'" },
        { "_linalg_syrk", "\"alpha\": \"abc\"", 1, "alpha of _linalg_syrk cannot be 'abc'" },
        { "_linalg_trmm", "\"alpha\": \"abc\"", 2, "alpha of _linalg_trmm cannot be 'abc'" },
        { "_npi_around", "\"decimals\": \"x\"", 1, "decimals of _npi_around cannot be 'x'" },
        { "_npi_around", "\"decimals\": \"0.5\"", 1, "decimals of _npi_around cannot be '0.5'" },
        { "_npi_around", "\"colour\": \"red\"", 1, "colour of _npi_around cannot be 'red'" },
        { "_npi_copysign", "", 1, "node 'y': 1 inputs, 2 are due" },
        { "_npi_rot90", "\"axes\": \"(0, 1, 2)\"", 1, "axes of _npi_rot90 cannot be '(0, 1, 2)'" },
        { "_npi_identity", "\"shape\": \"(2, 3)\"", 0, "shape of _npi_identity cannot be '(2, 3)'" },
        { "_npi_average", "\"returned\": \"True\"", 1, "node 'y': input weights is missing" },
        { "_npi_normal", "\"loc\": \"0\", \"scale\": \"1\", \"size\": \"(2,)\"", 1, "size beside inputs of _npi_normal" },
        { "_npi_bernoulli", "\"logit\": \"0.5\"", 0, "logit of _npi_bernoulli cannot be '0.5'" },
        { "_linalg_gemm", "\"axis\": \"last\"", 3, "axis of _linalg_gemm cannot be 'last'" },
        { "_unravel_index", "", 1, "shape of _unravel_index cannot be '()'" },
        { "_contrib_box_decode", "\"format\": \"oval\"", 2, "format of _contrib_box_decode cannot be 'oval'" },
        { "_contrib_interleaved_matmul_selfatt_qk", "\"heads\": \"many\"", 1, "heads of _contrib_interleaved_matmul_selfatt_qk" },
        { "UpSampling", "\"sample_type\": \"bilinear\", \"num_filter\": \"1\"", 2, "scale of UpSampling cannot be 'None'" },
        { "UpSampling", "\"scale\": \"2147483647\", \"sample_type\": \"bilinear\"", 2, "cannot be '2147483647'" },
        { "_npi_gcd", "", 2, "operators that are not registered: _npi_gcd of node y" } };
    hy_frame *F = hy_open(NULL);
    char text[2000];
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        compound_text(text, cases[i].op, cases[i].attrs, cases[i].inputs, 1);
        CHECK(symbol_says(F, text, cases[i].says));
    }
    CHECK(hy_close(F) == 0);
}

/* Gradients where MXNet's are not those of the formula: copysign at 0, box_decode. */
static void compound_gradients(void)
{
    static const float size[] = { 0, 0, -1, 2 }, sign[] = { 1, -1, 3, -3 }, due[] = { 1, -1, -1, -1 };
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_floats(F, HY_SHAPE(4), size), *y, *box = compound_input(F, HY_SHAPE(1, 2, 4), 0, 0);
    char text[2000];
    compound_text(text, "_npi_copysign", "", 2, 1);
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_record(F);
    y = hy_graph_run(F, symbol_read(F, text), hy_group(F, x, hy_floats(F, HY_SHAPE(4), sign)));
    hy_pause(F);
    hy_backward(F, y, NULL);
    CHECK(y && !memcmp(hy_data(F, hy_grad_of(F, x)), due, sizeof due));
    compound_text(text, "_contrib_box_decode", "", 2, 0);
    hy_attach_grad(F, box, HY_GRAD_WRITE);
    hy_record(F);
    y = hy_graph_run(F, symbol_read(F, text), hy_group(F, box, box));
    hy_backward(F, hy_add_n(F, hy_group(F, y, box)), NULL);
    hy_pause(F);
    CHECK_NEAR(hy_item(F, hy_sum(F, hy_grad_of(F, box), HY_ALL, NULL)), 8, 0);
    compound_text(text, "SVMOutput", "\"regularization_coefficient\": \"2\"", 2, 0);
    x = hy_full(F, HY_SHAPE(1, 4), 0.5);
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_record(F);
    y = hy_graph_run(F, symbol_read(F, text), hy_group(F, x, hy_full(F, HY_SHAPE(1), 3)));
    hy_backward(F, y, NULL);
    hy_pause(F);
    CHECK(y && hy_value(F, hy_grad_of(F, x), 0, 0) == 6 && hy_value(F, hy_grad_of(F, x), 0, 3) == -2);
    CHECK(!hy_error(F));
    CHECK(hy_close(F) == 0);
}

/* A product whose right operand is declared a matrix stays one node; gradients pass where axes moved. */
static void compound_dot(void)
{
    static const char matrix[] = "{\"nodes\": [{\"op\": \"null\", \"name\": \"x\", \"inputs\": []}, {\"op\": \"null\", "
        "\"name\": \"w\", \"attrs\": {\"__shape__\": \"(3, -1)\"}, \"inputs\": []}, {\"op\": \"_np_dot\", \"name\": \"y\", "
        "\"inputs\": [[0, 0, 0], [1, 0, 0]]}], \"arg_nodes\": [0, 1], \"heads\": [[2, 0, 0]], "
        "\"attrs\": {\"mxnet_version\": [\"int\", 10901], \"is_np_shape\": [\"int\", 1]}}";
    static const float due[] = { -0.25f, -0.25f, 1.5f, 1.5f, 0.5f, 0.5f, -0.25f, -0.25f, 1.5f, 1.5f, 0.5f, 0.5f };
    hy_frame *F = hy_open(NULL);
    hy_graph *g = symbol_read(F, matrix);
    hy_array *a = compound_input(F, HY_SHAPE(3), 1, 0), *b = compound_input(F, HY_SHAPE(2, 3, 2), 0, 0), *y;
    char text[2000];
    CHECK(hy_graph_count(g) == 3);
    y = hy_graph_run(F, g, hy_group(F, compound_input(F, HY_SHAPE(2, 3), 0, 0), compound_input(F, HY_SHAPE(3, 2), 1, 0)));
    CHECK_NEAR(hy_value(F, y, 1, 1), 1.875, 0);
    compound_text(text, "_np_dot", "", 2, 1);
    hy_attach_grad(F, b, HY_GRAD_WRITE);
    hy_record(F);
    y = hy_graph_run(F, symbol_read(F, text), hy_group(F, a, b));
    hy_pause(F);
    hy_backward(F, y, NULL);
    CHECK(y && !memcmp(hy_data(F, hy_grad_of(F, b)), due, sizeof due));
    CHECK(!hy_error(F));
    CHECK(hy_close(F) == 0);
}

/* Infinities and what is no number; truths; random numbers of a size, or shaped like what decides them. */
static void compound_others(void)
{
    const float odd[] = { NAN, HUGE_VALF, -HUGE_VALF, 2 };
    static const float tamed[] = { 7, 3.4028235e38f, -5, 2 };
    static const char truths[] = "{\"nodes\": [{\"op\": \"null\", \"name\": \"x\", \"inputs\": []}, {\"op\": \"_npi_isposinf\", "
        "\"name\": \"a\", \"inputs\": [[0, 0, 0]]}, {\"op\": \"_npi_isneginf\", \"name\": \"b\", \"inputs\": [[0, 0, 0]]}, {\"op\": "
        "\"_npi_bitwise_or\", \"name\": \"y\", \"inputs\": [[1, 0, 0], [2, 0, 0]]}], \"arg_nodes\": [0], \"heads\": [[3, 0, 0]], "
        "\"attrs\": {\"mxnet_version\": [\"int\", 10901], \"is_np_shape\": [\"int\", 1]}}";
    static const struct { const char *op, *attrs; int inputs; double mean, spread; } draws[] = {
        { "_npi_normal", "\"loc\": \"2\", \"scale\": \"3\", \"size\": \"(5000,)\"", 0, 2, 3 },
        { "_npi_uniform", "\"low\": \"1\", \"high\": \"4\", \"size\": \"(5000,)\"", 0, 2.5, 0.866 },
        { "_npi_exponential", "\"scale\": \"2\", \"size\": \"(5000,)\"", 0, 2, 2 },
        { "_npi_gamma", "\"shape\": \"4\", \"scale\": \"0.5\", \"size\": \"(5000,)\"", 0, 2, 1 },
        { "_npi_gumbel", "\"loc\": \"1\", \"scale\": \"2\", \"size\": \"(5000,)\"", 0, 2.154, 2.565 },
        { "_npi_bernoulli", "\"prob\": \"0.25\", \"size\": \"(5000,)\"", 0, 0.25, 0.433 },
        { "_npi_bernoulli", "\"is_logit\": \"True\"", 1, 0.731, 0.443 },
        { "_npi_normal", "\"loc\": \"None\", \"scale\": \"2\"", 1, 1, 2 }, { "_npi_normal", "\"loc\": \"3\", \"scale\": \"None\"", 1, 3, 1 },
        { "_npi_uniform", "\"low\": \"None\", \"high\": \"3\"", 1, 2, 0.577 }, { "_npi_uniform", "", 2, 1, 0 } };
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_zeros(F, HY_SHAPE(4)), *y, *many = hy_ones(F, HY_SHAPE(5000));
    static const char twice[] = "{\"nodes\": [{\"op\": \"_npi_exponential\", \"name\": \"a\", \"attrs\": {\"size\": \"(2,)\"}, "
        "\"inputs\": []}, {\"op\": \"_npi_exponential\", \"name\": \"b\", \"attrs\": {\"size\": \"(2,)\"}, \"inputs\": []}], "
        "\"arg_nodes\": [], \"heads\": [[0, 0, 0], [1, 0, 0]], \"attrs\": {\"mxnet_version\": [\"int\", 10901]}}";
    char text[2000];
    size_t i;
    memcpy(hy_write(F, x), odd, sizeof odd);
    compound_text(text, "_npi_nan_to_num", "\"nan\": \"7\", \"posinf\": \"None\", \"neginf\": \"-5\"", 1, 1);
    y = hy_graph_run(F, symbol_read(F, text), x);
    CHECK(y && !memcmp(hy_data(F, y), tamed, sizeof tamed));
    y = hy_graph_run(F, symbol_read(F, truths), x);
    CHECK(y && hy_dtype_of(F, y) == HY_BOOL && !memcmp(hy_data(F, y), "\0\1\1\0", 4));
    y = hy_graph_run(F, symbol_read(F, twice), NULL);   /* each node draws its own */
    CHECK(y && hy_value(F, hy_get(F, y, 0), 0) != hy_value(F, hy_get(F, y, 1), 0));
    for (i = 0; i < sizeof draws / sizeof *draws; i++) {
        compound_text(text, draws[i].op, draws[i].attrs, draws[i].inputs, 1);
        y = hy_graph_run(F, symbol_read(F, text), !draws[i].inputs ? NULL
                         : draws[i].inputs == 1 ? many : hy_group(F, many, many));
        y = y ? hy_moments(F, hy_cast(F, y, HY_F64), HY_ALL, NULL) : NULL;
        if (!CHECK(y != NULL)) { printf("    %s\n", hy_error(F)); hy_clear(F); continue; }
        CHECK_NEAR(hy_item(F, hy_get(F, y, 0)), draws[i].mean, 0.06 * draws[i].spread + 0.003);
        CHECK_NEAR(sqrt(hy_item(F, hy_get(F, y, 1))), draws[i].spread, 0.06 * draws[i].spread + 0.003);
    }
    CHECK(!hy_error(F));
    CHECK(hy_close(F) == 0);
}

static void test_compound(void)
{
    RUN(compound_values);
    RUN(compound_dot);
    RUN(compound_beside_a_user);
    RUN(compound_errors);
    RUN(compound_gradients);
    RUN(compound_others);
}
