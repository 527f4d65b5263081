/* Faults that a critical reading of the whole found, each with what proved it. */

/* A parameter that finds no memory for its name is none; names that find none are found later. */
static int reading_name_parameters(long n, int settled)
{
    oom_meter meter;
    hy_frame *F = oom_open(&meter, 1000000, 0, 1);
    hy_block *b = hy_block_new(F, sizeof *b, "own", oom_own_forward, 1);
    hy_params all;
    int i, done;
    if (settled) hy_block_prefix(F, b);
    else for (i = 0; i < 3; i++) hy_add_param(F, b, i ? i > 1 ? "c" : "b" : "a", HY_SHAPE(1), NULL);
    meter.left = n;
    if (settled) hy_add_param(F, b, "a", HY_SHAPE(1), NULL);
    else hy_block_prefix(F, b);
    done = !hy_error(F);
    meter.left = 1000000;
    hy_clear(F);
    all = hy_collect_params(F, b, ".*own[0-9]_.$");
    CHECK(all.n == (settled ? done : 3));
    if (settled && !done) CHECK(hy_add_param(F, b, "a", HY_SHAPE(1), NULL) != NULL);
    CHECK(!hy_error(F));
    hy_close(F);
    CHECK(!meter.blocks);
    return done;
}
static void reading_late_names(void)
{
    long n;
    int settled;
    for (settled = 0; settled < 2; settled++) for (n = 0; !reading_name_parameters(n, settled) && n < 100; n++) continue;
}

/* Who shares a child has it still when its owner is freed, and what that child shares; a scope of names goes on. */
static void reading_shared_children(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_hybrid_sequential(F), *inner = hy_nn_hybrid_sequential(F), *half, *other;
    hy_array *x = hy_ones(F, HY_SHAPE(1, 2));
    hy_append(F, net, hy_nn_dense(F, 3, NULL), inner, hy_nn_dense(F, 2, NULL));
    hy_append(F, inner, hy_child(F, net, 0), hy_nn_dense(F, 4, NULL));
    hy_initialize(F, inner, NULL);
    half = hy_children_of(F, net, 1, 2);
    other = hy_children_of(F, net, 0, 1);
    hy_hybridize(F, half, NULL);
    hy_call(F, half, x);
    hy_name_scope(F, net);
    hy_block_free(F, net);
    CHECK(hy_dim(F, hy_call(F, half, x), 1) == 4 && hy_dim(F, hy_call(F, other, x), 1) == 3);
    hy_append(F, half, hy_nn_dense(F, 2, NULL));
    hy_name_scope_end(F);
    hy_block_free(F, hy_child(F, half, 0));
    CHECK(hy_length(F, half) == 1 && hy_length(F, other) == 1);
    CHECK(hy_dim(F, hy_call(F, other, x), 1) == 3);
    hy_block_free(F, hy_child(F, other, 0));
    CHECK(hy_length(F, other) == 0);
    if (!CHECK(!hy_error(F))) printf("    %s\n", hy_error(F));
    hy_close(F);
}

/* hy_check calls in training, too; when it finds no memory, running statistics are what they were. */
static int reading_check_statistics(long n)
{
    oom_meter meter;
    hy_frame *F = oom_open(&meter, 1000000, 0, 1);
    hy_block *net = oom_net(F);
    hy_array *x = hy_reshape(F, hy_arange(F, 0, 4, 1), HY_INTS(2, 2), NULL);
    char text[2000];
    int done;
    hy_call(F, net, x);
    meter.left = n;
    hy_check_text(F, net, x, text, sizeof text);
    done = !hy_error(F);
    meter.left = 1000000;
    hy_clear(F);
    CHECK(hy_value(F, hy_param(F, net, "1.running_mean"), 0) == 0 && hy_value(F, hy_param(F, net, "1.running_var"), 0) == 1);
    CHECK(!hy_error(F));
    hy_close(F);
    return done;
}
static void reading_check_restores(void)
{
    long n;
    for (n = 0; n < 5000 && !reading_check_statistics(n); n++) continue;
    CHECK(n < 5000);
}

#if defined(HYBRID_HAS_SOURCE) && !defined(HYBRID_NO_IO)
/* More summands than a group of pointwise operators has inputs; whole numbers wrap. */
enum { READING_MANY = 40 };
static hy_array *reading_sum(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *a[READING_MANY];
    int i;
    (void)self;
    for (i = 0; i < READING_MANY; i++) a[i] = hy_get(F, x, i % hy_count(F, x));
    return hy_relu(F, hy_add_n(F, hy_group_of(F, READING_MANY, a)));
}

static void reading_many_summands(void)
{
    static const hy_dtype types[] = { HY_F32, HY_F16, HY_I32, HY_I64 };
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_block_new(F, sizeof *net, "own", reading_sum, 1);
    hy_array *a[READING_MANY], *y;
    int i, k;
    for (i = 0; i < 4; i++) {
        hy_begin(F);
        for (k = 0; k < READING_MANY; k++)
            a[k] = hy_cast(F, hy_add_scalar(F, hy_arange(F, 0, 24, 8), i > 1 ? 1 << 26 : k), types[i]);
        y = hy_group_of(F, READING_MANY, a);
        CHECK(hy_value(F, hy_call(F, net, y), 1) == (i > 2 ? 41943040.0 * 64 + 320 : i > 1 ? 0 : 1100));
        CHECK(!hy_export_c(F, net, y, "reading_sum.c", NULL) && !hy_error(F));
        CHECK(source_runs("-DREADING_SUM_TEST reading_sum.c"));
        hy_end(F);
    }
    hy_close(F);
    remove("reading_sum.c");
    remove("source.run");
    remove("source.log");
}

/* The test of a program does not forget a NaN that was due for a smaller difference behind it. */
static void reading_nan_is_wrong(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_activation(F, "relu");
    char command[300];
    hy_export_c(F, net, hy_ones(F, HY_SHAPE(4)), "reading_nan.c", NULL);
    CHECK(source_runs("-DREADING_NAN_TEST reading_nan.c"));
    CHECK(!system("sed '/due0.4/{n;s/.*/NAN, 1.0000001f, 1.0f, 1.0f/;}' reading_nan.c > reading_nan2.c"));
    sprintf(command, "%s -DREADING_NAN_TEST -o source.run reading_nan2.c -lm && ./source.run > source.log 2>&1", source_compiler());
    CHECK(system(command) && !system("grep -q WRONG source.log"));
    hy_close(F);
    remove("reading_nan.c");
    remove("reading_nan2.c");
    remove("source.run");
    remove("source.log");
}
#endif

static void test_reading(void)
{
    RUN(reading_late_names);
    RUN(reading_shared_children);
    RUN(reading_check_restores);
#if defined(HYBRID_HAS_SOURCE) && !defined(HYBRID_NO_IO)
    if (source_compiler()) { RUN(reading_many_summands); RUN(reading_nan_is_wrong); }
#endif
}
