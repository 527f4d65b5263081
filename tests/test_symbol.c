/* Graphs in files: MXNet's numpy interface, what only MXNet has, what a file says beside the graph, what hostile
 * files ask for. Broken files are in test_save.c, whose helpers are used. */

#define SYMBOL_HEAD "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []}"
#define SYMBOL_TAIL(heads) "], \"arg_nodes\": [0], \"heads\": [" heads "], \"attrs\": {\"mxnet_version\": [\"int\", 10901]}}"
#define SYMBOL_OP(op, attrs) ", {\"op\": \"" op "\", \"name\": \"x\", \"attrs\": {" attrs "}, \"inputs\": [[0, 0, 0]]}"

static hy_graph *symbol_read(hy_frame *F, const char *text) { return hy_symbol_from(F, text, strlen(text)); }

static const char *symbol_text(hy_frame *F, hy_graph *g)
{
    hy_array *x = hy_symbol_to(F, g);
    return x ? (const char *)hy_data(F, x) : "";
}

/* What reading says, with a frame that stays usable; NULL: nothing is wrong. */
static int symbol_says(hy_frame *F, const char *text, const char *says)
{
    hy_graph *g = symbol_read(F, text);
    int ok = g ? !says : says && hy_error(F) && strstr(hy_error(F), says);
    if (!ok) printf("    wanted: %s\n    got:    %s\n", says ? says : "no error", hy_error(F) ? hy_error(F) : "no error");
    hy_clear(F);
    hy_graph_free(F, g);
    return ok;
}

/* Networks of MXNet's numpy interface: shapes and types too, line by line, compiled, and once more exported. */
static void symbol_numpy(void)
{
    static const char *const names[] = { "np_reduce", "np_shape", "np_attention" };
    char file[200];
    int i, k, round;
    for (i = 0; i < 3; i++) {
        hy_frame *F = hy_open(NULL);
        hy_arrays want, params;
        hy_block *net;
        hy_array *y, *text;
        sprintf(file, "%s%s.npz", save_dir, names[i]);
        want = hy_load(F, file);
        sprintf(file, "%s%s", save_dir, names[i]);
        net = hy_import(F, file, 0);
        for (round = 0; round < 3 && !hy_error(F); round++) {
            if (round == 1) hy_hybridize(F, net, NULL);
            if (round == 2) {
                CHECK(!hy_export_to(F, net, NULL, &text, &params) && strstr((const char *)hy_data(F, text), "is_np_shape"));
                net = hy_import_from(F, symbol_read(F, (const char *)hy_data(F, text)), &params, NULL);
            }
            y = hy_call(F, net, want.at[0]);
            CHECK(hy_count(F, y) == want.n - 1);
            for (k = 1; y && k < want.n; k++) {
                hy_array *got = hy_count(F, y) == 1 ? y : hy_get(F, y, k - 1);
                if (!CHECK(hy_dtype_of(F, got) == hy_dtype_of(F, want.at[k]) &&
                           hy__same_shape(&got->t.type.shape, &want.at[k]->t.type.shape) &&
                           save_error(F, got, want.at[k]) < 1e-5)) printf("    %s, output %d\n", names[i], k - 1);
            }
        }
        if (!CHECK(!hy_error(F))) printf("    %s: %s\n", names[i], hy_error(F));
        CHECK(hy_close(F) == 0);
    }
}

static void symbol_numpy_errors(void)
{
    static const struct { const char *text, *says; } cases[] = {
#define SYMBOL_ONE(op, attrs) SYMBOL_HEAD SYMBOL_OP(op, attrs) SYMBOL_TAIL("[1, 0, 0]")
        { SYMBOL_ONE("_np_squeeze", "\"axis\": \"(0, 1\""), "node 'x': _squeeze: Invalid Parameter format for axis" },
        { SYMBOL_ONE("_np_sum", "\"axis\": \"(0, 1\""), "node 'x': sum: Invalid Parameter format for axis" },
        { SYMBOL_ONE("_np_sum", "\"axis\": \"(1, 0)\", \"dtype\": \"float64\""), NULL },
        { SYMBOL_ONE("_np_sum", "\"initial\": \"3\""), "initial of _np_sum cannot be '3'" },
        { SYMBOL_ONE("_np_sum", "\"colour\": \"red\""), "colour of _np_sum cannot be 'red'" },
        { SYMBOL_ONE("_np_sum", "\"dtype\": \"float33\""), "node 'x': cast: Invalid" },
        { SYMBOL_ONE("_npi_std", "\"ddof\": \"0.5\""), "ddof of _npi_std cannot be '0.5'" },
        { SYMBOL_ONE("_np_reshape", ""), "newshape of _np_reshape cannot be 'None'" },
        { SYMBOL_ONE("_np_reshape", "\"newshape\": \"(-2, 3)\""), "cannot be '(-2, 3)'" },
        { SYMBOL_ONE("_np_reshape", "\"newshape\": \"(0, 3)\""), NULL },
        { SYMBOL_ONE("_np_reshape", "\"newshape\": \"(0, -1)\""), "cannot be '(0, -1)'" },
        { SYMBOL_ONE("_npi_broadcast_to", "\"shape\": \"(2, -1)\""), "shape of _npi_broadcast_to cannot be '(2, -1)'" },
        { SYMBOL_ONE("_npi_broadcast_to", ""), "shape of _npi_broadcast_to cannot be 'None'" },
        { SYMBOL_ONE("_np_reshape", "\"newshape\": \"(3,)\", \"order\": \"F\""), "order of _np_reshape cannot be 'F'" },
        { SYMBOL_ONE("_npx_reshape", "\"newshape\": \"(-7, 3)\""), "cannot be '(-7, 3)'" },
        { SYMBOL_ONE("_npx_reshape", "\"newshape\": \"(-4, -3)\""), "cannot be '(-4, -3)'" },
        { SYMBOL_ONE("_npx_reshape", "\"newshape\": \"(-6, 1, 2)\", \"reverse\": \"True\""), "cannot be '(-6, 1, 2)'" },
        { SYMBOL_ONE("_np_moveaxis", "\"source\": \"0\", \"destination\": \"-2\""), "destination of _np_moveaxis cannot be '-2'" },
        { SYMBOL_ONE("_np_moveaxis", "\"source\": \"0\", \"destination\": \"99999999\""), "cannot be '99999999'" },
        { SYMBOL_ONE("_np_moveaxis", "\"source\": \"2\", \"destination\": \"2\""), NULL },
        { SYMBOL_ONE("_np_roll", "\"shift\": \"(1, 2)\""), "shift of _np_roll cannot be '(1, 2)'" },
        { SYMBOL_ONE("_np_roll", "\"shift\": \"0\""), NULL },
        { SYMBOL_ONE("_npi_tensordot_int_axes", ""), "1 inputs, 2 are due" },
        { SYMBOL_ONE("_npi_kron", ""), "not registered: _npi_kron of node x" },
        { SYMBOL_ONE("_npi_einsum", "\"subscripts\": \"ij->ii\""), "subscripts of _npi_einsum cannot be 'ij->ii'" },
        { SYMBOL_ONE("_npi_einsum", "\"subscripts\": \"ij->k\""), "subscripts of _npi_einsum cannot be 'ij->k'" },
        { SYMBOL_ONE("_npi_einsum", "\"subscripts\": \"i,j->i\""), "subscripts of _npi_einsum cannot be 'i,j->i'" },
        { SYMBOL_ONE("_npi_einsum", "\"subscripts\": \"...i->i\""), "subscripts of _npi_einsum cannot be '...i->i'" },
        { SYMBOL_ONE("_npi_einsum", "\"subscripts\": \"abcdefghi\""), "subscripts of _npi_einsum cannot be" },
        { SYMBOL_ONE("_npi_diff", "\"n\": \"-1\""), "n of _npi_diff cannot be '-1'" },
        { SYMBOL_ONE("_npi_norm", "\"flag\": \"2\", \"ord\": \"two\""), "ord of _npi_norm cannot be 'two'" },
        { SYMBOL_ONE("_npi_norm", "\"flag\": \"large\", \"axis\": \"0\", \"ord\": \"0\""), "Invalid Parameter format for flag" },
        { SYMBOL_ONE("_npi_pinv", ""), "not registered: _npi_pinv" },
        { SYMBOL_ONE("_npx_gamma", ""), NULL } };
    hy_frame *F = hy_open(NULL);
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) CHECK(symbol_says(F, cases[i].text, cases[i].says));
    CHECK(hy_close(F) == 0);
}

/* Axes that go must have size 1; all may go; none is an answer, too. */
static void symbol_axes(void)
{
    static const struct { const char *text; hy_shape in, out; double first; } cases[] = {
        { SYMBOL_ONE("_np_sum", "\"axis\": \"(0, -1)\""), { 3, { 2, 3, 2 } }, { 1, { 3 } }, 4 },
        { SYMBOL_ONE("_np_sum", "\"axis\": \"(-2, -1)\""), { 3, { 2, 3, 2 } }, { 1, { 2 } }, 6 },
        { SYMBOL_ONE("_np_sum", "\"axis\": \"-1\""), { 1, { 5 } }, { 0, { 0 } }, 5 },
        { SYMBOL_ONE("_np_sum", "\"axis\": \"()\""), { 2, { 2, 3 } }, { 2, { 2, 3 } }, 1 },
        { SYMBOL_ONE("_npi_var", "\"axis\": \"()\""), { 1, { 2 } }, { 1, { 2 } }, 0 },
        { SYMBOL_ONE("_np_squeeze", "\"axis\": \"0\""), { 1, { 1 } }, { 0, { 0 } }, 1 },
        { SYMBOL_ONE("_np_squeeze", "\"axis\": \"(0, -1)\""), { 3, { 1, 3, 1 } }, { 1, { 3 } }, 1 },
        { SYMBOL_ONE("_np_squeeze", "\"axis\": \"(0, 1)\""), { 3, { 2, 3, 4 } }, { -1, { 0 } }, 0 },
        { SYMBOL_ONE("_np_squeeze", "\"axis\": \"-2\""), { 1, { 1 } }, { -1, { 0 } }, 0 },
        { SYMBOL_ONE("_np_squeeze", "\"axis\": \"1\""), { 1, { 1 } }, { -1, { 0 } }, 0 },
        { SYMBOL_ONE("_np_squeeze", "\"axis\": \"99\""), { 1, { 1 } }, { -1, { 0 } }, 0 },
        { SYMBOL_ONE("_np_squeeze", "\"axis\": \"None\""), { 3, { 1, 1, 1 } }, { 0, { 0 } }, 1 },
        { SYMBOL_ONE("_np_squeeze", "\"axis\": \"()\""), { 3, { 1, 1, 1 } }, { 3, { 1, 1, 1 } }, 1 },
        { SYMBOL_ONE("_np_squeeze", "\"axis\": \"-1\""), { 0, { 0 } }, { 0, { 0 } }, 1 },
        { SYMBOL_ONE("_np_squeeze", "\"axis\": \"(0, -1)\""), { 0, { 0 } }, { -1, { 0 } }, 0 },
        { SYMBOL_ONE("_npi_einsum", "\"subscripts\": \"ijk->ki\""), { 3, { 2, 3, 4 } }, { 2, { 4, 2 } }, 3 },
        { SYMBOL_ONE("_npi_einsum", "\"subscripts\": \"ij->\""), { 2, { 2, 3 } }, { 0, { 0 } }, 6 },
        { SYMBOL_ONE("_npi_einsum", "\"subscripts\": \"ji\""), { 2, { 2, 3 } }, { 2, { 3, 2 } }, 1 },
        { SYMBOL_ONE("_npi_diff", "\"n\": \"2\""), { 2, { 2, 5 } }, { 2, { 2, 3 } }, 0 },
        { SYMBOL_ONE("_npi_norm", "\"flag\": \"-2\""), { 2, { 2, 2 } }, { 0, { 0 } }, 2 },
        { SYMBOL_ONE("_npi_norm", "\"flag\": \"-1\", \"ord\": \"1\", \"axis\": \"(1,)\""), { 2, { 2, 3 } }, { 1, { 2 } }, 3 },
        { SYMBOL_ONE("_npx_reshape", "\"newshape\": \"(-3, -2, -3)\""), { 3, { 1, 3, 1 } }, { 1, { 3 } }, 1 },
        { SYMBOL_ONE("_npx_reshape", "\"newshape\": \"(-2, -3, -2)\""), { 3, { 3, 2, 2 } }, { -1, { 0 } }, 0 } };
    hy_frame *F = hy_open(NULL);
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        hy_graph *g = symbol_read(F, cases[i].text);
        hy_array *y = hy_graph_run(F, g, hy_ones(F, cases[i].in));
        if (!CHECK(cases[i].out.ndim < 0 ? !y && hy_error(F) && strstr(hy_error(F), "x")
                   : y && hy__same_shape(&y->t.type.shape, &cases[i].out) && ((const float *)hy_data(F, y))[0] == cases[i].first))
            printf("    %s\n    %s\n", cases[i].text, hy_error(F) ? hy_error(F) : "no error");
        hy_clear(F);
    }
    CHECK(hy_close(F) == 0);
}

/* Behaviour 70: a size that is not known is 0 in files, or -1 where 0 is a size. */
static void symbol_np_shape(void)
{
#define SYMBOL_FC(size, attrs) SYMBOL_HEAD ", {\"op\": \"null\", \"name\": \"w\", \"attrs\": {\"__shape__\": \"(128, " size ")\"}, " \
    "\"inputs\": []}, {\"op\": \"null\", \"name\": \"b\", \"inputs\": []}, {\"op\": \"FullyConnected\", \"name\": \"fc\", " \
    "\"attrs\": {\"num_hidden\": \"128\"}, \"inputs\": [[0, 0, 0], [1, 0, 0], [2, 0, 0]]}], \"arg_nodes\": [0, 1, 2], " \
    "\"heads\": [[3, 0, 0]], \"attrs\": {" attrs "\"mxnet_version\": [\"int\", 10600]}}"
    static const char *const texts[] = { SYMBOL_FC("0", ""), SYMBOL_FC("0", "\"is_np_shape\": [\"int\", 0], "),
                                         SYMBOL_FC("-1", "\"is_np_shape\": [\"int\", 1], ") };
    hy_frame *F = hy_open(NULL);
    hy_shape shape = HY_SHAPE(10, 784);
    hy_type in[3], out;
    hy_array *x;
    hy_arrays one;
    int i;
    for (i = 0; i < 3; i++) {
        hy_graph *g = symbol_read(F, texts[i]), *again;
        const char *text = symbol_text(F, g);
        memset(in, 0, sizeof in);
        in[0].shape = shape;
        in[0].dtype = HY_F32;
        in[1].shape.ndim = in[2].shape.ndim = -1;
        CHECK(g && hy_graph_infer(F, g, in, &out) == 1);
        CHECK(in[1].shape.ndim == 2 && in[1].shape.dim[0] == 128 && in[1].shape.dim[1] == 784);
        CHECK(in[2].shape.ndim == 1 && in[2].shape.dim[0] == 128 && out.shape.dim[0] == 10 && out.shape.dim[1] == 128);
        CHECK((strstr(text, "\"is_np_shape\": [\"int\", 1]") != NULL) == (i == 2));
        CHECK(strstr(text, i == 2 ? "(128, -1)" : "(128, 0)") != NULL);
        again = symbol_read(F, text);
        CHECK_STR(symbol_text(F, again), text);
    }
    CHECK(symbol_says(F, SYMBOL_FC("0", "\"is_np_shape\": [\"int\", 1], "), NULL));     /* no elements, then */
    CHECK(symbol_says(F, SYMBOL_FC("0", "\"is_np_shape\": [\"int\", 2], "), "whole number from 0 to 1"));
    x = hy_scalar(F, 3);                /* () is one of the shapes that ask for it, in the arrays too */
    one.n = 1;
    one.at = &x;
    one.name = NULL;
    one = hy_load_from(F, hy_data(F, hy_save_to(F, HY_FORMAT_PARAMS, one)), (size_t)hy_size(F, hy_save_to(F, HY_FORMAT_PARAMS, one)), 0);
    CHECK(one.n == 1 && hy_ndim(F, one.at[0]) == 0 && hy_item(F, one.at[0]) == 3);
    CHECK(hy_close(F) == 0);
}

/* What a file says of operators beside their arguments stays with the graph, under MXNet's newest names. */
static void symbol_notes(void)
{
    static const char old[] = SYMBOL_HEAD
        ", {\"op\": \"null\", \"name\": \"w\", \"inputs\": []}, {\"op\": \"FullyConnected\", \"name\": \"fc\", \"attrs\": {\"num_hidden\": "
        "\"2\", \"no_bias\": \"True\", \"ctx_group\": \"dev1\", \"__mine__\": \"\\\"a\\\"\", \"weight_lr_mult\": \"0.5\"}, "
        "\"inputs\": [[0, 0, 0], [1, 0, 0]]}, {\"op\": \"_np_sum\", \"name\": \"sum\", \"attrs\": {\"axis\": \"0\", "
        "\"__mirror_stage__\": \"True\"}, \"inputs\": [[2, 0, 0]]}" SYMBOL_TAIL("[3, 0, 0]");
    hy_frame *F = hy_open(NULL);
    hy_graph *g = symbol_read(F, old), *again;
    char many[6000], *to = many;
    int i, n;
    for (i = 0; i < 2; i++, g = again) {
        CHECK_STR(hy_symbol_note(g, "fc", "__ctx_group__"), "dev1");
        CHECK_STR(hy_symbol_note(g, "fc", "__mine__"), "\"a\"");
        CHECK_STR(hy_symbol_note(g, "w", "__lr_mult__"), "0.5");
        CHECK_STR(hy_symbol_note(g, "sum", "__mirror_stage__"), "True");
        CHECK(!hy_symbol_note(g, "fc", "num_hidden") && !hy_symbol_note(g, "w", "__ctx_group__"));
        again = symbol_read(F, symbol_text(F, g));
        CHECK_STR(symbol_text(F, again), symbol_text(F, g));
    }
    for (n = 64; n < 66; n++) {         /* as many as there is room for, and one more */
        to = many + sprintf(many, "%s", "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"attrs\": {");
        for (i = 0; i < n; i++) to += sprintf(to, "%s\"__k%02d__\": \"%d\"", i ? ", " : "", i, i);
        sprintf(to, "}, \"inputs\": []}%s", SYMBOL_TAIL("[0, 0, 0]"));
        if (n == 65) CHECK(symbol_says(F, many, "node 'data' has more than 64 attributes"));
        else CHECK_STR(hy_symbol_note(symbol_read(F, symbol_text(F, symbol_read(F, many))), "data", "__k63__"), "63");
    }
    CHECK(!hy_error(F));
    CHECK(hy_close(F) == 0);
}

/* Control flow: what is malformed is said, bodies included. */
static void symbol_control_flow(void)
{
#define SYMBOL_BODY(inputs, args, heads) "{\"nodes\": [{\"op\": \"null\", \"name\": \"s\", \"inputs\": []}, {\"op\": \"_plus_scalar\", " \
    "\"name\": \"p\", \"attrs\": {\"scalar\": \"1\"}, \"inputs\": [" inputs "]}], \"arg_nodes\": [" args "], \"heads\": [" heads "]}"
#define SYMBOL_FLOW(op, body) SYMBOL_HEAD ", {\"op\": \"" op "\", \"name\": \"f\", \"attrs\": {\"num_args\": \"2\"}, \"inputs\": " \
    "[[0, 0, 0]], \"subgraphs\": [" body "]}" SYMBOL_TAIL("[1, 0, 0]")
#define SYMBOL_PLACES(op, places, body) SYMBOL_HEAD ", {\"op\": \"" op "\", \"name\": \"f\", \"attrs\": {" places "}, \"inputs\": " \
    "[[0, 0, 0]], \"subgraphs\": [" body "]}" SYMBOL_TAIL("[1, 0, 0]")
#define EACH(data, states, rest) "\"in_data_locs\": \"" data "\", \"in_state_locs\": \"" states "\", \"remain_locs\": \"" rest "\""
#define WHILE(cond, func, var) "\"max_iterations\": \"4\", \"cond_input_locs\": \"" cond "\", \"func_input_locs\": \"" func "\", " \
    "\"func_var_locs\": \"" var "\""
#define SYMBOL_GOOD SYMBOL_BODY("[0, 0, 0]", "0", "[1, 0, 0]")
    static const struct { const char *text, *says; } cases[] = {
        { SYMBOL_FLOW("_foreach", SYMBOL_GOOD), "node 'f': in_data_locs is missing" },
        { SYMBOL_FLOW("_foreach", SYMBOL_GOOD ", " SYMBOL_GOOD), "node 'f': its bodies are missing" },
        { SYMBOL_FLOW("_while_loop", SYMBOL_GOOD ", " SYMBOL_GOOD), "max_iterations should be specified" },
        { SYMBOL_PLACES("_foreach", EACH("[3]", "[]", "[]"), SYMBOL_GOOD), "in_data_locs names places that are not there" },
        { SYMBOL_PLACES("_foreach", EACH("[]", "[0]", "[]"), SYMBOL_GOOD), "there is no data to go along" },
        { SYMBOL_PLACES("_foreach", EACH("[0]", "[0]", "[]"), SYMBOL_GOOD), "do not fit its inputs" },
        { SYMBOL_PLACES("_foreach", EACH("[0]", "[]", "[]") ", \"num_out_data\": \"7\"", SYMBOL_GOOD), "other numbers of results" },
        { SYMBOL_PLACES("_while_loop", WHILE("[1]", "[0]", "[0]"), SYMBOL_GOOD ", " SYMBOL_GOOD), "cond_input_locs names places" },
        { SYMBOL_PLACES("_while_loop", WHILE("[0]", "[0]", "[]"), SYMBOL_GOOD ", " SYMBOL_GOOD), "there are no loop variables" },
        { SYMBOL_PLACES("_cond", "\"cond_input_locs\": \"[0]\", \"then_input_locs\": \"[]\", \"else_input_locs\": \"[0]\"",
                        SYMBOL_GOOD ", " SYMBOL_GOOD ", " SYMBOL_GOOD), "do not fit its bodies" },
        { SYMBOL_FLOW("_cond", SYMBOL_FLOW("Foo", SYMBOL_FLOW("Bar", SYMBOL_GOOD))), NULL },
        { SYMBOL_FLOW("_foreach", SYMBOL_BODY("[1, 0, 0]", "0", "[1, 0, 0]")), "node 1 is none that stands before" },
        { SYMBOL_FLOW("_foreach", SYMBOL_BODY("[0, 0, 0]", "2", "[1, 0, 0]")), "whole number from 0 to 1" },
        { SYMBOL_FLOW("_foreach", SYMBOL_BODY("[0, 0, 0]", "0", "[7, 0, 0]")), "node 7 is none that stands before" },
        { SYMBOL_FLOW("_foreach", SYMBOL_BODY("7", "0", "[1, 0, 0]")), "[node, output, version] is due" },
        { SYMBOL_FLOW("_foreach", "{}"), "nodes, arg_nodes and heads" }, { SYMBOL_FLOW("_foreach", "3"), "an object is due" },
        { SYMBOL_FLOW("relu", SYMBOL_GOOD), "operator relu takes no sub-graph" },
        { SYMBOL_FLOW("Foo", "{\"nodes\": [{\"op\": 3}], \"arg_nodes\": [], \"heads\": []}"), "op, name and inputs" },
        { SYMBOL_HEAD ", {\"op\": \"Foo\", \"name\": \"f\", \"inputs\": [], \"subgraphs\": 3}" SYMBOL_TAIL("[1, 0, 0]"), "Foo of node f" },
        { SYMBOL_HEAD ", {\"op\": \"relu\", \"name\": \"f\", \"inputs\": [], \"subgraphs\": 3}" SYMBOL_TAIL("[1, 0, 0]"), "list of graphs" } };
    hy_frame *F = hy_open(NULL);
    char *deep = (char *)malloc(1 << 16), *to = deep;
    size_t i;
    int k;
    for (i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK(symbol_says(F, cases[i].text, cases[i].says ? cases[i].says
                                          : "not registered: Foo of node f, Bar of node f"));
    for (k = 0; k < 200; k++)           /* a graph in a graph in a graph */
        to += sprintf(to, "{\"nodes\": [{\"op\": \"_cond\", \"name\": \"c\", \"inputs\": [], \"subgraphs\": [");
    CHECK(symbol_says(F, deep, "64 deep"));
    free(deep);
    CHECK(hy_close(F) == 0);
}

/* Each operator that is not known once, and how many there are when the room ends. */
static void symbol_unknown(void)
{
    hy_frame *F = hy_open(NULL);
    char *text = (char *)malloc(1 << 16), *to = text;
    int i, kinds;
    for (kinds = 1; kinds <= 40; kinds += 39) {
        to = text + sprintf(text, "%s", SYMBOL_HEAD);
        for (i = 0; i < 40; i++)
            to += sprintf(to, ", {\"op\": \"Foo%d\", \"name\": \"a_rather_long_name_%d\", \"inputs\": []}", i % kinds, i);
        sprintf(to, ", {\"op\": \"Bar\", \"name\": \"b\", \"inputs\": []}%s", SYMBOL_TAIL("[1, 0, 0]"));
        CHECK(symbol_says(F, text, kinds == 1 ? "not registered: Foo0 of node a_rather_long_name_0 and 39 more, Bar of node b"
                          : " nodes more"));
    }
    free(text);
    CHECK(hy_close(F) == 0);
}

/* What is MXNet's is told from what is ours when a graph is written. */
static char symbol_said[1000];
static void symbol_log(void *user, int level, int code, const char *text)
{
    (void)user; (void)code;
    if (level == HY_LOG_WARNING) { strncat(symbol_said, text, 400); strcat(symbol_said, "|"); }
    if (level == HY_LOG_ERROR) strcat(symbol_said, "ERROR|");
}

static void symbol_foreign(void)
{
    hy_desc desc;
    hy_frame *F, *S;
    hy_array *x, *y;
    hy_graph *g;
    memset(&desc, 0, sizeof desc);
    desc.log_fn = symbol_log;
    F = hy_open(&desc);
    S = hy_symbolic(F);
    x = hy_named(S, hy_var(S, "x", NULL), "x");
    symbol_said[0] = 0;
    g = hy_compile(S, hy_tanh(S, hy_activation(S, x, HY_ACT_RELU)));
    CHECK(*symbol_text(F, g) && !*symbol_said);
    g = hy_compile(S, hy_named(S, hy_mish(S, hy_named(S, hy_activation(S, x, HY_ACT_LOG_SIGMOID), "a")), "m"));
    CHECK(*symbol_text(F, g) && strstr(symbol_said, "operator mish of node m") && strstr(symbol_said, "act_type of node a"));
    symbol_said[0] = 0;
    g = hy_compile(S, hy_add(S, x, hy_scalar(S, 2)));
    CHECK(strstr(symbol_text(F, g), "is_np_shape") && strstr(symbol_said, "numpy mode"));
    y = hy__sum_like(S, hy_named(S, hy__sum_like(S, x, x), "one"), x);
    g = hy_compile(S, hy_named(S, y, "two"));
    CHECK(!hy_symbol_to(F, g) && strstr(hy_error(F), "no name in files: _sum_like of node one, _sum_like of node two"));
    hy_clear(F);
    g = hy_compile(S, hy_named(S, hy_tanh(S, x), "caf\xe9"));
    CHECK(!hy_symbol_to(F, g) && strstr(hy_error(F), "no UTF-8"));
    hy_clear(F);
    symbol_said[0] = 0;                 /* an error is told once, with its place */
    CHECK(symbol_says(F, SYMBOL_ONE("Activation", "\"act_type\": \"foo\""), "node 'x'"));
    CHECK_STR(symbol_said, "ERROR|");
    CHECK(!hy_error(S));
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

/* Two operators in one, attributes that MXNet does not look at, outputs without end, multipliers without end. */
static void symbol_odds(void)
{
    hy_frame *F = hy_open(NULL);
    hy_graph *g = symbol_read(F, "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []}, {\"op\": \"null\", \"name\": \"g\", "
        "\"inputs\": []}, {\"op\": \"null\", \"name\": \"b\", \"inputs\": []}, {\"op\": \"null\", \"name\": \"m\", \"inputs\": []}, {\"op\": "
        "\"null\", \"name\": \"v\", \"inputs\": []}, {\"op\": \"_contrib_BatchNormWithReLU\", \"name\": \"bn\", \"attrs\": {\"fix_gamma\": "
        "\"True\"}, \"inputs\": [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0], [4, 0, 0]]}" SYMBOL_TAIL("[5, 0, 0]"));
    hy_block *net = hy_nn_symbol_block(F, g, "data");
    hy_array *x = hy_from(F, HY_SHAPE(1, 2), HY_F32, ((const float[]) { -3, 4 })), *y;
    char *text = (char *)malloc(1 << 20), *to = text;
    int i, k;
    hy_initialize(F, net, NULL);
    y = hy_call(F, net, x);
    CHECK(y && hy_value(F, y, 0, 0) == 0);
    CHECK_NEAR(y ? hy_value(F, y, 0, 1) : 0, 4, 0.1);
    CHECK(symbol_says(F, SYMBOL_HEAD ", {\"op\": \"broadcast_maximum\", \"name\": \"x\", \"attrs\": {\"axis\": \"1\"}, \"inputs\": "
                      "[[0, 0, 0], [0, 0, 0]]}" SYMBOL_TAIL("[1, 0, 0]"), NULL));
    to = text + sprintf(text, "%s", SYMBOL_HEAD);
    for (i = 0; i < 50; i++) to += sprintf(to, SYMBOL_OP("SliceChannel", "\"num_outputs\": \"1000\""));
    sprintf(to, "%s", SYMBOL_TAIL("[1, 0, 0]"));
    CHECK(symbol_says(F, text, "too many outputs"));
    for (i = 1000, k = 0; k < 2; k++, i = 4095 + (int)strlen(text))     /* a head's cast to true or false is one more */
        sprintf(text, SYMBOL_HEAD ", {\"op\": \"SliceChannel\", \"name\": \"x\", \"attrs\": {\"num_outputs\": \"%d\"}, \"inputs\": "
                "[[0, 0, 0]]}, {\"op\": \"_npi_equal\", \"name\": \"e\", \"inputs\": [[0, 0, 0], [0, 0, 0]]}%s", i,
                SYMBOL_TAIL("[2, 0, 0]"));
    CHECK(symbol_says(F, text, "node 'e' has too many outputs"));
    to = text + sprintf(text, "%s, {\"op\": \"add_n\", \"name\": \"x\", \"inputs\": [", SYMBOL_HEAD);
    for (i = 0; i < 5000; i++) to += sprintf(to, "%s[0, 0, 0]", i ? "," : "");
    to += sprintf(to, "], \"attrs\": {\"num_args\": \"5000\"");
    for (i = 0; i < 5000; i++) to += sprintf(to, ", \"x%d_lr_mult\": \"1\"", i);
    sprintf(to, "}}%s", SYMBOL_TAIL("[1, 0, 0]"));
    CHECK(symbol_says(F, text, NULL));
    free(text);
    CHECK(!hy_error(F));
    CHECK(hy_close(F) == 0);
}

/* A classifier without its labels, under a name longer than any that tracing makes: the softmax is over all but the batch. */
static void symbol_without_labels(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_linspace(F, -2, 2, 24), *want, *y;
    char name[400], text[1200];
    hy_block *net;
    int round;
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    sprintf(text, "%s, {\"op\": \"relu\", \"name\": \"%s\", \"inputs\": [[0, 0, 0]]}, {\"op\": \"null\", \"name\": \"softmax_label\", "
            "\"inputs\": []}, {\"op\": \"SoftmaxOutput\", \"name\": \"softmax\", \"inputs\": [[1, 0, 0], [2, 0, 0]]}%s", SYMBOL_HEAD, name,
            SYMBOL_TAIL("[3, 0, 0]"));
    net = hy_import_from(F, symbol_read(F, text), NULL, NULL);
    x = hy_reshape(F, x, HY_INTS(2, 3, 4), NULL);
    want = hy_reshape(F, hy_softmax(F, hy_reshape(F, hy_relu(F, x), HY_INTS(2, 12), NULL), -1, NULL), HY_INTS(2, 3, 4), NULL);
    for (round = 0; round < 2; round++) {
        y = hy_call(F, net, x);
        CHECK(save_error(F, y, want) < 1e-6);
        hy_hybridize(F, net, NULL);
    }
    CHECK(strstr(symbol_text(F, hy_graph_of(F, net)), name));
    CHECK(!hy_error(F));
    CHECK(hy_close(F) == 0);
}

static hy_array *symbol_branch(hy_frame *F, hy_array *x, void *user) { (void)user; return hy_identity(F, x); }

/* What a condition is called may be cut, but not within a letter. */
static void symbol_long_names(void)
{
    hy_frame *F = hy_open(NULL), *S;
    char name[400];
    int shift, i;
    for (shift = 0; shift < 2; shift++) {
        memset(name, 'a', (size_t)shift);
        for (i = shift; i < 390; i += 2) memcpy(name + i, "\xc3\xa9", 3);
        S = hy_symbolic(F);
        CHECK(symbol_says(F, symbol_text(F, hy_compile(S, hy_cond(S, hy_var(S, name, NULL), symbol_branch, symbol_branch,
                                                                  hy_var(S, "x", NULL), NULL))), NULL));
        CHECK(!hy_error(F) && !hy_close(S));
    }
    CHECK(!hy_close(F));
}

/* What MXNet takes for something else, or does not take, is written so that it does; outputs have its names. */
static void symbol_for_mxnet(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *x = hy_var(S, "x", NULL), *y = hy_var(S, "y", NULL);
    hy_rnn_opt states = { 0 };
    hy_graph *g = hy_compile(S, hy_group(S, hy_bilinear_resize(S, x, NULL, 4, 5, NULL), hy_elemwise_arctan2(S, x, y),
                                         hy_proposal(S, x, y, hy_var(S, "info", NULL), NULL)));
    const char *text = symbol_text(F, g);
    CHECK(!strstr(text, "\"scale_height\"") && !strstr(text, "\"scale_width\""));
    CHECK(strstr(text, "\"rpn_min_size\": \"16\"") != NULL);
    CHECK(strstr(text, "\"_npi_arctan2\"") && !strstr(text, "\"_arctan2\""));
    CHECK_STR(symbol_text(F, symbol_read(F, text)), text);
    g = symbol_read(F, SYMBOL_HEAD ", {\"op\": \"_linalg_trmm\", \"name\": \"x\", \"attrs\": {\"lower\": \"False\"}, "
                    "\"inputs\": [[0, 0, 0], [0, 0, 0]]}" SYMBOL_TAIL("[1, 0, 0]"));
    CHECK(strstr(symbol_text(F, g), "_npi_tril") && !strstr(symbol_text(F, g), "_npi_triu"));
    g = symbol_read(F, SYMBOL_HEAD SYMBOL_OP("_npi_broadcast_to", "\"shape\": \"(2, 3)\"") "], \"arg_nodes\": [0], \"heads\": "
                    "[[1, 0, 0]], \"attrs\": {\"mxnet_version\": [\"int\", 10901], \"is_np_shape\": [\"int\", 1]}}");
    CHECK(strstr(symbol_text(F, g), "\"_npi_broadcast_to\"") != NULL);
    CHECK_STR(symbol_text(F, symbol_read(F, symbol_text(F, g))), symbol_text(F, g));
    states.state_outputs = 1;
    x = hy_var(S, "t", NULL);
    g = hy_compile(S, hy_rnn(S, x, hy_var(S, "w", NULL), hy_var(S, "s", NULL), hy_var(S, "c", NULL), NULL, 3, 1,
                             HY_RNN_LSTM, &states));
    CHECK_STR(hy_graph_name(g, HY_NAMES_OUTPUTS, 0), "rnn0_output");
    CHECK_STR(hy_graph_name(g, HY_NAMES_OUTPUTS, 1), "rnn0_state_output");
    CHECK_STR(hy_graph_name(g, HY_NAMES_OUTPUTS, 2), "rnn0_statecell_output");
    CHECK_STR(hy_graph_name(hy_compile(S, hy_sort(S, x, -1, NULL)), HY_NAMES_OUTPUTS, 0), "sort0_output0");
    CHECK(!hy_error(F) && !hy_close(S));
    CHECK(!hy_close(F));
}

/* What mixed precision casts, and what it leaves as it is. */
static void symbol_amp_cast(void)
{
    static const struct { hy_dtype from, to; } cases[] = { { HY_F32, HY_F16 }, { HY_F16, HY_F16 }, { HY_F64, HY_F64 },
                                                           { HY_I32, HY_I32 }, { HY_BOOL, HY_BOOL } };
    hy_frame *F = hy_open(NULL);
    hy_graph *g = symbol_read(F, SYMBOL_HEAD SYMBOL_OP("amp_cast", "\"dtype\": \"float16\"") SYMBOL_TAIL("[1, 0, 0]"));
    size_t i;
    CHECK(strstr(symbol_text(F, g), "\"op\": \"amp_cast\"") != NULL);
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        hy_array *y = hy_graph_run(F, g, hy_cast(F, hy_ones(F, HY_SHAPE(2)), cases[i].from));
        CHECK(y && hy_dtype_of(F, y) == cases[i].to && hy_value(F, y, 1) == 1);
    }
    CHECK(!hy_close(F));
}

static int symbol_oom_read(hy_frame *F)
{
    hy_graph *g = symbol_read(F, SYMBOL_HEAD SYMBOL_OP("_npi_std", "\"axis\": \"(0, 1)\", \"__a__\": \"b\"")
                              SYMBOL_OP("_npx_reshape", "\"newshape\": \"(-3, -2)\"") SYMBOL_OP("_npi_greater_scalar", "\"scalar\": \"1\"")
                              SYMBOL_TAIL("[1, 0, 0], [2, 0, 0], [3, 0, 0]"));
    if (g) g = symbol_read(F, SYMBOL_HEAD SYMBOL_OP("_npi_einsum", "\"subscripts\": \"abc->ca\"") SYMBOL_TAIL("[1, 0, 0]"));
    return g && *symbol_text(F, g) && !hy_error(F);
}

static void symbol_oom(void) { oom_walk(symbol_oom_read, 1); }

/* A batch norm of which the head reads its result only as a label, for the gradient, runs for its statistics. */
static void symbol_statistics(void)
{
    int training, k;
    for (training = 0; training < 2; training++) {
        hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
        hy_array *x = hy_var(S, "x", NULL), *at[4], *in[6], *y;
        static const char *const names[] = { "gamma", "beta", "mean", "var" };
        hy_graph *g;
        for (k = 0; k < 4; k++) at[k] = hy_var(S, names[k], NULL);
        y = hy_batch_norm(S, x, at[0], at[1], at[2], at[3], NULL);
        y = hy_slice_axis(S, hy_reshape(S, y, HY_INTS(6), NULL), 0, 4, 5);
        g = hy_compile(S, hy_linear_regression_output(S, hy_var(S, "p", NULL), y, NULL));
        in[0] = hy_reshape(F, hy_arange(F, 0, 6, 1), HY_INTS(3, 2), NULL);
        for (k = 1; k < 5; k++) in[k] = hy_ones(F, HY_SHAPE(2));
        hy_set_training(F, training);
        in[5] = hy_full(F, HY_SHAPE(1), 7);
        for (k = 0; k < 2; k++) y = hy_graph_run(F, g, hy_group_of(F, 6, in));
        CHECK_NEAR(hy_value(F, in[3], 0), training ? 1.19 : 1, 1e-6);      /* 1, then 1.1: a tenth of 2 */
        CHECK_NEAR(hy_value(F, in[3], 1), training ? 1.38 : 1, 1e-6);
        CHECK_NEAR(hy_value(F, y, 0), 7, 0);
        CHECK_STR(hy_error(F), NULL);
        CHECK_STR(hy_error(S), NULL);
        CHECK(hy_close(S) == 0);
        CHECK(hy_close(F) == 0);
    }
}

static void test_symbol(void)
{
    RUN(symbol_numpy);
    RUN(symbol_numpy_errors);
    RUN(symbol_axes);
    RUN(symbol_np_shape);
    RUN(symbol_notes);
    RUN(symbol_control_flow);
    RUN(symbol_unknown);
    RUN(symbol_foreign);
    RUN(symbol_odds);
    RUN(symbol_without_labels);
    RUN(symbol_long_names);
    RUN(symbol_for_mxnet);
    RUN(symbol_amp_cast);
    RUN(symbol_statistics);
    RUN(symbol_oom);
}
