/* Programs as C source: every operator's reference cases are written, compiled by the system's compiler and compared
 * with the compiled program; networks likewise, and what is asked for wrongly. */

/* tcc is quickest; else the compiler that HYBRID_CC or `cc` names. NULL: there is none. TEST_SOURCE_CC: another one, with
 * flags, as in "gcc -std=c99 -Wall -Wextra -Wpedantic -Werror" or "g++ -x c++ -std=c++11 ...". */
static const char *source_compiler(void)
{
    static const char *found;
    if (found) return found;
    if (getenv("TEST_SOURCE_CC")) found = getenv("TEST_SOURCE_CC");
    else if (!system("command -v tcc > /dev/null 2>&1")) found = "tcc -w";
    else if (getenv("HYBRID_CC")) found = getenv("HYBRID_CC");
    else if (!system("command -v cc > /dev/null 2>&1")) found = "cc -w -O0";
    return found;
}

static int source_runs(const char *file)
{
    char command[600];
    sprintf(command, "%s -o source.run %s -lm > source.log 2>&1 && ./source.run >> source.log 2>&1", source_compiler(), file);
    if (!system(command)) return 1;
    return system("tail -3 source.log") < -1;
}

/* Operators that have no source: gradients, random numbers, and what values give a shape. */
static int source_is_left_out(const hy_op *op)
{
    static const char *const names[] = { "boolean_mask", "nonzero", "unique", "multibox_target", "proposal", "box_encode", "bipartite_matching",
                                         "_deformable_im2col", "_deformable_col2im", NULL };
    const char *const *s = names;
    size_t n = strlen(op->name);
    if ((op->flags & HY_OP_RANDOM) && strcmp(op->name, "dropout") && strcmp(op->name, "leaky_relu") && strcmp(op->name, "rnn"))
        return 1;                                       /* these three draw in training only */
    for (; *s; s++) if (!strcmp(op->name, *s)) return 1;
    if (!strcmp(op->name, "_gather_nd_grad")) return 0; /* programs of files sum with it */
    return op->name[0] == '_' && n > 5 && (!strcmp(op->name + n - 5, "_grad") || strstr(op->name, "_scale") || strstr(op->name, "_rate") ||
                                           strstr(op->name, "_gather") || strstr(op->name, "_window_sum"));
}

/* Writes a case as PREFIX.c; fixed: all inputs but the first are constants. -1: there is no source for it. */
static int source_case(hy_frame *F, const ops_row *row, const char *text, hy_dtype dtype, int fixed, const char *prefix)
{
    const hy_op *op = hy_op_at(F, row->number);
    hy_frame *S = hy_symbolic(F);
    hy_array *arg[REF_MAX], *given[REF_MAX], *s;
    hy_export_c_opt opt = { 0 };
    ops_inputs in;
    ops_case c;
    hy__c w;
    hy_graph *g = NULL;
    char file[64];
    int i, n = 0, done = 0, vars = 0;
    ops_open_case(&c, text);
    hy_begin(F);
    in = ops_arrays(F, op, &c, dtype, 0);
    for (i = 0; i < in.n; i++) {
        hy_var_opt var = { 0 };
        var.shaped = 1;
        var.shape = hy_shape_of(F, in.x[i]);
        var.dtype = hy_dtype_of(F, in.x[i]);
        arg[i] = fixed && i ? in.x[i] : hy_var(S, "x", &var);
        if (!(fixed && i)) given[vars++] = in.x[i];
    }
    s = c.ref.training || ops_mixes(op, &c, dtype) ? NULL : hy_apply(S, row->name, in.n, arg, c.attrs);
    hy_clear(S);
    g = s ? hy_compile(S, s) : NULL;
    if (g && vars) {
        sprintf(file, "%s.c", prefix);
        opt.prefix = prefix;
        if (!hy__c_open(&w, F, g, given, "a case", file, &opt)) done = !hy__c_to_files(&w, file, &opt);
        hy__c_close(&w);
        n = hy_error_code(F) == HY_ERROR_UNSUPPORTED ? -1 : 0;
        if (n) hy_clear(F);
        ops_complain(F, text);
    }
    hy_graph_free(F, g);
    hy_close(S);
    hy_end(F);
    ops_close_case(&c);
    return n ? n : done;
}

static void source_op(const void *what)
{
    const ops_row *row = (const ops_row *)what;
    hy_frame *F = hy_open(NULL);
    const hy_op *op = hy_op_at(F, row->number);
    const char *letters;
    char prefix[64];
    int k, n = 0, fixed, refused = 0;
    FILE *all = fopen("source.c", "w");
    for (letters = row->ref->dtypes; *letters; letters++)
        for (k = 0; row->ref->cases[k] && (k < 2 || *letters == 'f' || *letters == row->ref->dtypes[0]); k++)
            for (fixed = 0; fixed < 2; fixed++) {
                hy_dtype dtype = (hy_dtype)(strchr(ops_letters, *letters) - ops_letters);
                sprintf(prefix, "case%d", n);
                switch (source_case(F, row, row->ref->cases[k], dtype, fixed, prefix)) {
                case 1:
                    fprintf(all, "#define CASE%d_TEST\n#define main main%d\n#include \"case%d.c\"\n#undef main\n", n, n, n);
                    n++;
                    break;
                case -1: refused++;
                }
            }
    fprintf(all, "int main(void) { return 0");
    for (k = 0; k < n; k++) fprintf(all, " | main%d(0, 0)", k);
    fprintf(all, "; }\n");
    fclose(all);
    if (source_is_left_out(op)) CHECK(n == 0);
    else if (strcmp(op->name, "dropout") && !CHECK(!refused))
        printf("    no source for %s: a row of hy__c_emitters in tools/source.h, or its name into source_is_left_out here\n",
               op->name);
    if (n) CHECK(source_runs("source.c"));
    for (k = 0; k < n; k++) { sprintf(prefix, "case%d.c", k); remove(prefix); }
    hy_close(F);
}

/* A norm that makes much of the last bits of a long sum: in another order other bits come, which are as right. */
static void source_cancels(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_array *x = hy_uniform(F, HY_SHAPE(2, 3000), 1, 1.001);
    hy_append(F, net, hy_nn_dense(F, 8, NULL), hy_nn_batch_norm(F, NULL));
    hy_initialize(F, net, NULL);
    hy_call(F, net, x);
    hy_set_param(F, hy_param(F, net, "0.weight"), hy_uniform(F, HY_SHAPE(8, 3000), 0.999, 1.001));
    hy_set_param(F, hy_param(F, net, "1.running_mean"), hy_full(F, HY_SHAPE(8), 3001.5));
    hy_set_param(F, hy_param(F, net, "1.running_var"), hy_full(F, HY_SHAPE(8), 1e-3));
    hy_hybridize(F, net, NULL);
    CHECK(!hy_export_c(F, net, x, "cancels.c", NULL));
    if (!CHECK(!hy_error(F))) printf("    %s\n", hy_error(F));
    if (source_compiler()) CHECK(source_runs("-DCANCELS_TEST cancels.c"));
    remove("cancels.c");
    hy_close(F);
}

/* --- networks, and what is asked for wrongly --- */
static hy_block *source_net(hy_frame *F)
{
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_nn_conv_opt relu = { 0 };
    relu.activation = "relu";
    hy_append(F, net, hy_nn_conv2d(F, 6, HY_INTS(3, 3), &relu), hy_nn_batch_norm(F, NULL),
              hy_nn_max_pool2d(F, HY_INTS(2, 2), NULL), hy_nn_dense(F, 5, NULL));
    return net;
}

static hy_array *source_encoder(hy_frame *F, hy_block *self, hy_array *x)       /* a head of attention, then a feed-forward */
{
    hy_array *q = hy_call(F, hy_child(F, self, 0), x), *k = hy_call(F, hy_child(F, self, 1), x);
    hy_array *v = hy_call(F, hy_child(F, self, 2), x), *a;
    hy_batch_dot_opt turned = { 0 };
    turned.transpose_b = 1;
    a = hy_softmax(F, hy_div_scalar(F, hy_batch_dot(F, q, k, &turned), 4), -1, NULL);
    x = hy_call(F, hy_child(F, self, 3), hy_add(F, x, hy_batch_dot(F, a, v, NULL)));
    a = hy_leaky_relu(F, hy_call(F, hy_child(F, self, 4), x), HY_LEAKY_GELU, NULL);
    return hy_add(F, x, a);
}

/* A bound network has room for one set of outputs: its source is written all the same, and its next call is right. */
static void source_bound(hy_frame *F, hy_block *net)
{
    hy_array *x = hy_ones(F, HY_SHAPE(2, 4)), *y;
    size_t bytes;
    char *room;
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    y = hy_copy(F, hy_call(F, net, x));
    bytes = (size_t)hy_plan(F, net, x).total;
    room = (char *)malloc(bytes + 64);
    CHECK(!hy_bind(F, net, x, room + (64 - (uintptr_t)room % 64), bytes));
    CHECK(!hy_export_c(F, net, x, "bound.c", NULL));
    CHECK_STR(hy_error(F), NULL);
    CHECK(F->bindings == 1);
    hy_begin(F);
    CHECK(tb_same(F, hy_call(F, net, x), y));
    hy_end(F);
    remove("bound.c");
    hy_block_free(F, net);
    free(room);
}

/* Behind a batch norm the exact run that the source is measured with takes more memory than the bound one. */
static void test_source_bound(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_hybrid_sequential(F);
    source_bound(F, hy_nn_dense(F, 3, NULL));
    hy_append(F, net, hy_nn_dense(F, 16, NULL), hy_nn_batch_norm(F, NULL), hy_nn_dense(F, 3, NULL));
    source_bound(F, net);
    CHECK(hy_close(F) == 0);
}

static void test_source_networks(void)
{
    hy_frame *F = hy_open(NULL);
    hy_nn_dense_opt rows = { 0 };
    hy_rnn_layer_opt both = { 0 };
    hy_block *net = source_net(F), *encoder = hy_block_new(F, sizeof(hy_block), "encoder", source_encoder, 1), *rnn;
    hy_export_c_opt apart = { 0 };
    int i;
    rows.no_flatten = 1;
    for (i = 0; i < 3; i++) hy_append(F, encoder, hy_nn_dense(F, 16, &rows));
    hy_append(F, encoder, hy_nn_layer_norm(F, NULL), hy_nn_dense(F, 16, &rows));
    both.bidirectional = 1;
    both.num_layers = 2;
    rnn = hy_nn_hybrid_sequential(F);
    hy_append(F, rnn, hy_rnn_lstm(F, 9, &both));
    hy_initialize(F, net, NULL);
    hy_initialize(F, encoder, NULL);
    hy_initialize(F, rnn, NULL);
    CHECK(!hy_export_c(F, net, hy_normal(F, HY_SHAPE(2, 3, 9, 10), 0, 1), "source_net.c", NULL));
    CHECK(!hy_export_c(F, encoder, hy_normal(F, HY_SHAPE(2, 7, 16), 0, 1), "source_enc.c", NULL));
    CHECK(!hy_export_c(F, rnn, hy_normal(F, HY_SHAPE(5, 3, 4), 0, 1), "source_rnn.c", NULL));
    apart.weights = "source.weights";
    apart.header = "source_apart.h";
    CHECK(!hy_export_c(F, net, hy_normal(F, HY_SHAPE(1, 3, 9, 10), 0, 1), "source_apart.c", &apart));
    ops_complain(F, "networks");
    if (source_compiler()) {
        CHECK(source_runs("-DSOURCE_NET_TEST source_net.c"));
        CHECK(source_runs("-DSOURCE_ENC_TEST source_enc.c"));
        CHECK(source_runs("-DSOURCE_RNN_TEST source_rnn.c"));
        CHECK(!system("sed 's/argc > 1 ? fopen(argv.1./1 ? fopen(\"source.weights\"/' source_apart.c > source_given.c"));
        CHECK(source_runs("-DSOURCE_APART_TEST source_given.c"));
    }
    hy_close(F);
}

/* One of several results is asked for, perhaps not the first; or nothing comes in. */
static const struct { const char *op, *attributes; int inputs, outputs; hy_shape shape[5]; } source_parts[] = {
    { "rnn", "state_size=3 num_layers=1 mode=lstm state_outputs=1", 4, 3,
      { { 3, { 5, 2, 4 } }, { 1, { 108 } }, { 3, { 1, 2, 3 } }, { 3, { 1, 2, 3 } } } },
    { "rnn", "state_size=3 num_layers=2 mode=gru state_outputs=1", 3, 2,
      { { 3, { 5, 2, 4 } }, { 1, { 153 } }, { 3, { 2, 2, 3 } } } },
    { "topk", "axis=1 k=2 ret_typ=both", 1, 2, { { 2, { 4, 5 } } } },
    { "layer_norm", "output_mean_var=1", 3, 3, { { 2, { 4, 3 } }, { 1, { 3 } }, { 1, { 3 } } } },
    { "group_norm", "output_mean_var=1", 3, 3, { { 3, { 4, 3, 2 } }, { 1, { 1 } }, { 1, { 1 } } } },
    { "batch_norm", "output_mean_var=1", 5, 3,
      { { 3, { 4, 3, 2 } }, { 1, { 3 } }, { 1, { 3 } }, { 1, { 3 } }, { 1, { 3 } } } },
    { "linalg_slogdet", "", 1, 2, { { 3, { 2, 3, 3 } } } },
    { "moments", "axes=(0,)", 1, 2, { { 2, { 4, 3 } } } },
    { "layer_norm", "output_mean_var=1", 3, 3, { { 2, { 4, 0 } }, { 1, { 0 } }, { 1, { 0 } } } },
    { "group_norm", "output_mean_var=1", 3, 3, { { 3, { 4, 3, 0 } }, { 1, { 1 } }, { 1, { 1 } } } },
    { "l2_normalization", "mode=spatial", 1, 1, { { 3, { 1, 2, 0 } } } },
    { "pad", "mode=constant pad_width=(0,0,2,0,1,1,1,1)", 1, 1, { { 4, { 1, 2, 3, 0 } } } },
    { "gather_nd", "", 2, 1, { { 2, { 2, 3 } }, { 2, { 0, 4 } } } },
    { "scatter_nd", "shape=(2,3)", 2, 1, { { 3, { 4, 2, 3 } }, { 2, { 0, 4 } } } },
    { "linalg_slogdet", "", 1, 2, { { 3, { 2, 0, 0 } } } } };
typedef struct source_part { hy_block base; int row, output; hy_array *in[5]; } source_part;

static hy_array *source_part_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    source_part *p = (source_part *)(void *)self;
    p->in[0] = hy_add_scalar(F, x, 0.5);
    x = hy_apply(F, source_parts[p->row].op, source_parts[p->row].inputs, p->in,
                 source_parts[p->row].attributes);
    return hy_mul_scalar(F, hy_get(F, x, p->output), 2);
}

static void test_source_parts(void)
{
    size_t row;
    int k, i;
    for (row = 0; row < sizeof source_parts / sizeof *source_parts; row++)
        for (k = 0; k < source_parts[row].outputs; k++) {
            hy_frame *F = hy_open(NULL);
            source_part *p = (source_part *)(void *)hy_block_new(F, sizeof *p, "part", source_part_forward, 1);
            p->row = (int)row;
            p->output = k;
            for (i = 1; i < source_parts[row].inputs; i++)
                p->in[i] = hy_uniform(F, source_parts[row].shape[i], 0.5, 1);
            p->in[0] = hy_uniform(F, source_parts[row].shape[0], 0, 1);
            CHECK(!hy_export_c(F, &p->base, p->in[0], "source_part.c", NULL));
            ops_complain(F, source_parts[row].op);
            if (source_compiler() && !CHECK(source_runs("-DSOURCE_PART_TEST source_part.c")))
                printf("    %s, output %d\n", source_parts[row].op, k);
            hy_close(F);
        }
    remove("source_part.c");
}

/* A constant that hy_extend made, whose rows have room behind them. */
static hy_array *source_room_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *a = hy_full(F, HY_SHAPE(2, 3), 5);
    (void)self;
    return hy_add(F, x, hy_extend(F, a, hy_full(F, HY_SHAPE(2, 1), 7), 1));
}
static void test_source_room(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_block_new(F, sizeof(hy_block), "net", source_room_forward, 1);
    CHECK(hy_export_c(F, net, hy_ones(F, HY_SHAPE(2, 4)), "source_room.c", NULL) == 0);
    CHECK_STR(hy_error(F), NULL);
    if (source_compiler()) CHECK(source_runs("-DSOURCE_ROOM_TEST source_room.c"));
    remove("source_room.c");
    CHECK(!hy_close(F));
}

/* Compilers that warn of all have nothing to say: an image that is laid out, regions in halves, results of nothing. */
static hy_array *source_plain(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *image = hy_reshape(F, x, HY_INTS(1, 1, 6, 6), NULL), *half = hy_cast(F, image, HY_F16), *in[2], *y[4];
    (void)self;
    in[0] = image;
    in[1] = hy_ones(F, HY_SHAPE(2, 1, 3, 3));
    y[0] = hy_apply(F, "convolution", 2, in, "kernel=(3,3) pad=(1,1) num_filter=2 no_bias=1");
    in[0] = half;
    in[1] = hy_cast(F, hy_slice_axis(F, hy_reshape(F, x, HY_INTS(4, 9), NULL), 1, 0, 5), HY_F16);
    y[1] = hy_apply(F, "roi_align", 2, in, "pooled_size=(2,2) spatial_scale=1");
    in[0] = hy_slice_axis(F, hy_mul_scalar(F, image, 2), 3, 6, 6);
    y[2] = hy_apply(F, "pad", 1, in, "mode=constant pad_width=(0,0,0,0,0,0,1,1)");
    y[3] = hy_sum(F, hy_slice_axis(F, hy_mul_scalar(F, x, 3), 0, 0, 0), HY_AXES(0), NULL);
    return hy_group_of(F, 4, y);
}

static void test_source_warnings(void)
{
    hy_frame *F = hy_open(NULL);
    CHECK(!hy_export_c(F, hy_block_new(F, sizeof(hy_block), "plain", source_plain, 1), hy_ones(F, HY_SHAPE(36)),
                       "source_plain.c", NULL));
    ops_complain(F, "warnings");
    if (!system("command -v gcc > /dev/null 2>&1"))
        CHECK(!system("gcc -std=c99 -O1 -c -o source_plain.o -Wall -Wextra -Wpedantic -Wshadow -Werror -DSOURCE_PLAIN_TEST "
                      "source_plain.c"));
    if (source_compiler()) CHECK(source_runs("-DSOURCE_PLAIN_TEST source_plain.c"));
    hy_close(F);
}

/* A Cortex-M4 under QEMU prints what is right; of a small network there is little code, its test included. */
static void source_firmware(hy_frame *F, hy_block *net, hy_array *x, const char *name, int most)
{
    static const char flags[] = "arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16 -Os -std=c99 -w";
    char file[64], command[900];
    hy_export_c_opt opt = { 0 };
    opt.prefix = "firmware";
    sprintf(file, "%s.c", name);
    hy_initialize(F, net, NULL);
    CHECK(!hy_export_c(F, net, x, file, &opt));
    ops_complain(F, name);
    sprintf(command, "%s -DFIRMWARE_TEST -c %s -o %s.o && test $(arm-none-eabi-size -A %s.o | awk '$1 == \".text\" { print $2 }') -lt %d",
            flags, file, name, name, most);
    CHECK(!system(command));
    sprintf(command, "%s --specs=rdimon.specs -nostartfiles -T tests/firmware/mps2.ld %s.o tests/firmware/start.c"
            " -o %s.elf -lm > source.log 2>&1", flags, name, name);
    CHECK(!system(command));
    sprintf(command, "timeout 60 qemu-system-arm -M mps2-an386 -semihosting -nographic -monitor none -serial none -kernel "
            "%s.elf < /dev/null | grep -q 'firmware: right'", name);
    CHECK(!system(command));
}

static void test_source_firmware(void)
{
    hy_frame *F;
    hy_nn_dense_opt relu = { 0 };
    hy_nn_conv_opt sharp = { 0 };
    hy_block *mlp, *lenet, *keyword;
    if (system("command -v arm-none-eabi-gcc > /dev/null && command -v qemu-system-arm > /dev/null")) return;
    F = hy_open(NULL);
    relu.activation = sharp.activation = "relu";
    mlp = hy_nn_hybrid_sequential(F);
    hy_append(F, mlp, hy_nn_dense(F, 16, &relu), hy_nn_dense(F, 3, NULL));
    source_firmware(F, mlp, hy_normal(F, HY_SHAPE(1, 4), 0, 1), "firmware_mlp", 4096);
    lenet = hy_nn_hybrid_sequential(F);
    hy_append(F, lenet, hy_nn_conv2d(F, 20, HY_INTS(5, 5), &sharp), hy_nn_max_pool2d(F, HY_INTS(2, 2), NULL),
              hy_nn_conv2d(F, 50, HY_INTS(5, 5), &sharp), hy_nn_max_pool2d(F, HY_INTS(2, 2), NULL),
              hy_nn_dense(F, 500, &relu), hy_nn_dense(F, 10, NULL));
    source_firmware(F, lenet, hy_normal(F, HY_SHAPE(1, 1, 28, 28), 0, 1), "firmware_lenet", 16384);
    keyword = hy_nn_hybrid_sequential(F);
    hy_append(F, keyword, hy_nn_conv1d(F, 16, HY_INTS(5), &sharp), hy_nn_max_pool1d(F, HY_INTS(4), NULL),
              hy_nn_conv1d(F, 24, HY_INTS(3), &sharp), hy_nn_global_avg_pool1d(F, NULL), hy_nn_dense(F, 6, NULL));
    source_firmware(F, keyword, hy_normal(F, HY_SHAPE(1, 8, 64), 0, 1), "firmware_keyword", 16384);
    hy_close(F);
}

/* Machine code in place of the built-in program: the same numbers, also when parameters have changed; without a
 * compiler a word to the log. */
static int source_warnings;
static void source_log(void *user, int level, int code, const char *text)
{
    (void)user; (void)code;
    if (level == HY_LOG_WARNING && strstr(text, "jit: ")) source_warnings++;
}

static double source_off(hy_frame *F, hy_array *a, hy_array *b)
{
    hy_array *off = hy_max(F, hy_abs(F, hy_sub(F, a, b)), HY_ALL, NULL);
    return off ? hy_item(F, off) : HUGE_VAL;
}

static void test_source_jit(void)
{
    hy_desc desc = { 0 };
    hy_frame *F;
    hy_hybridize_opt jit = { 0 };
    hy_block *net;
    hy_array *x, *w;
    int turn, missing = system("command -v cc > /dev/null 2>&1");
    const char *given = getenv("HYBRID_CC");
    char *before = given ? strcpy((char *)malloc(strlen(given) + 1), given) : NULL;
    desc.log_fn = source_log;
    F = hy_open(&desc);
    net = source_net(F);
    jit.jit = 1;
    hy_initialize(F, net, NULL);
    for (turn = 0; turn < 2; turn++) {
        hy_array *plain, *fast;
        source_warnings = 0;
        x = hy_normal(F, HY_SHAPE(2 + turn, 3, 9, 10), 0, 1);
        setenv("HYBRID_CC", turn ? "no-such-compiler" : "cc", 1);
        hy_hybridize(F, net, NULL);
        plain = hy_call(F, net, x);
        hy_hybridize(F, net, &jit);
        fast = hy_call(F, net, x);
        ops_complain(F, "jit");
        CHECK_NEAR(source_off(F, plain, fast), 0, 1e-5);
        CHECK(source_warnings == (turn || missing ? 1 : 0));
        if (!turn) {
            w = hy_collect_params(F, net, NULL).at[0];
            hy_add_to(F, w, hy_full(F, hy_shape_of(F, w), 0.25));
            fast = hy_call(F, net, x);
            CHECK(source_off(F, plain, fast) > 1e-3);
            hy_hybridize(F, net, NULL);
            CHECK_NEAR(source_off(F, hy_call(F, net, x), fast), 0, 1e-5);
        }
    }
    if (before) setenv("HYBRID_CC", before, 1); else unsetenv("HYBRID_CC");
    free(before);
    CHECK(!hy_error(F));
    hy_close(F);
}

static hy_array *source_refused(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_mul(F, hy_uniform_like(F, x, 0, 1), hy_take(F, x, x, 0, NULL));
}

static hy_array *source_dynamic(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_boolean_mask(F, x, x, 0);
}

static void source_fails(hy_frame *F, hy_block *net, hy_array *x, const char *file, const hy_export_c_opt *opt, const char *why)
{
    CHECK(hy_export_c(F, net, x, file, opt) == -1);
    if (!CHECK(hy_error(F) && strstr(hy_error(F), why))) printf("    %s, not: %s\n", hy_error(F) ? hy_error(F) : "no error", why);
    hy_clear(F);
}

static void test_source_errors(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = source_net(F);
    hy_array *x = hy_ones(F, HY_SHAPE(1, 3, 8, 8)), *row = hy_ones(F, HY_SHAPE(4));
    hy_export_c_opt opt = { 0 };
    FILE *file;
    source_fails(F, net, x, "bad.c", NULL, "hy_initialize");
    hy_initialize(F, net, NULL);
    source_fails(F, net, x, NULL, NULL, "NULL");
    source_fails(F, net, NULL, "bad.c", NULL, "NULL");
    source_fails(F, NULL, x, "bad.c", NULL, "NULL");
    source_fails(F, net, x, "2bad.c", NULL, "no C identifier");
    source_fails(F, net, x, "nowhere/bad.c", NULL, "cannot be made");
    source_fails(F, net, row, "bad.c", NULL, "hape");
    opt.prefix = "a-b";
    source_fails(F, net, x, "bad.c", &opt, "'a-b' is no C identifier");
    opt.prefix = "";
    source_fails(F, net, x, "bad.c", &opt, "no C identifier");
    opt.prefix = NULL;
    opt.header = "bad.c";
    source_fails(F, net, x, "bad.c", &opt, "files of their own");
#if defined(__unix__) || defined(__APPLE__)
    opt.header = "./bad.c";
    source_fails(F, net, x, "bad.c", &opt, "bad.c and ./bad.c are the same file");
    opt.header = NULL;
    opt.weights = ".//bad.c";
    source_fails(F, net, x, "./bad.c", &opt, "are the same file");
    opt.weights = NULL;
#endif
    source_fails(F, hy_block_new(F, sizeof(hy_block), "refused", source_refused, 1), row, "bad.c", NULL,
                 "no C source is written for: uniform_like");
    source_fails(F, hy_block_new(F, sizeof(hy_block), "dynamic", source_dynamic, 1), row, "bad.c", NULL, "fixed shapes");
    source_fails(F, hy_block_new(F, sizeof(hy_block), "plain", source_refused, 0), row, "bad.c", NULL, "hybrid block");
    CHECK(hy_export_c(NULL, net, x, "bad.c", NULL) == -1);
    file = fopen("bad.c", "rb");
    CHECK(!file);                       /* nothing was left behind */
    if (file) fclose(file);
    hy_close(F);
}

static long source_room, source_held;
static void *source_alloc(void *user, size_t n)
{
    (void)user;
    if (source_room >= 0 && source_room-- == 0) { source_room = 0; return NULL; }
    source_held++;
    return malloc(n);
}
static void source_free(void *user, void *p)
{
    (void)user;
    if (p) source_held--;
    free(p);
}

/* Memory that ends at each place in turn: an error, and all of it comes back. jit: on the way to machine code. */
static void source_walk(int jit, const char *name)
{
    long k;
    int failed = 1;
    hy_hybridize_opt opt = { 0 };
    opt.jit = jit;
    for (k = 0; failed && k < 20000; k += k < 300 && !jit ? 1 : 13) {
        hy_desc desc = { 0 };
        hy_frame *F;
        desc.allocator.alloc_fn = source_alloc;
        desc.allocator.free_fn = source_free;
        desc.threads = 1;
        source_room = k;
        F = hy_open(&desc);
        if (F) {
            hy_block *net = source_net(F);
            hy_initialize(F, net, NULL);
            if (!jit) failed = hy_export_c(F, net, hy_ones(F, HY_SHAPE(1, 3, 8, 8)), name, NULL) != 0;
            else {
                hy_hybridize(F, net, &opt);
                failed = hy_call(F, net, hy_ones(F, HY_SHAPE(1, 3, 8, 8))) == NULL;
            }
            CHECK(failed == (hy_error(F) != NULL));
            hy_close(F);
        }
        source_room = -1;
        if (!CHECK(source_held == 0)) return;
    }
    CHECK(!failed);
}

static void test_source_oom(void)
{
    const char *given = getenv("HYBRID_CC");
    char *before = given ? strcpy((char *)malloc(strlen(given) + 1), given) : NULL;
    source_walk(0, "source_oom.c");
    setenv("HYBRID_CC", "no-such-compiler", 1);
    source_walk(1, NULL);
    if (before) setenv("HYBRID_CC", before, 1); else unsetenv("HYBRID_CC");
    free(before);
}

static void test_source(void)
{
    size_t i;
    char name[64];
    RUN(test_source_networks);
    RUN(test_source_bound);
    RUN(test_source_parts);
    RUN(test_source_room);
    RUN(test_source_warnings);
    RUN(test_source_errors);
    RUN(source_cancels);
    RUN(test_source_firmware);
    if (test_may_load_code()) RUN(test_source_jit);
    RUN(test_source_oom);
    if (!source_compiler()) return;
    for (i = 0; i < sizeof ops_rows / sizeof *ops_rows; i++) {
        sprintf(name, "source %s", ops_rows[i].name);
        if (!test_wanted(name)) continue;
        test_begin();
        source_op(&ops_rows[i]);
        test_end(name);
    }
}
