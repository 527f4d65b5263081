/* What forward may and may not do while it is traced; constants, symbols, forks, threads, memory that runs
 * out. The plain cases are in test_hybridize.c. */
#include <time.h>

/* A block whose forward is chosen by a number, so that one function holds many small bodies. */
typedef struct trace_block { hy_block base; int what; hy_array *array; hy_frame *frame; } trace_block;

static hy_array *trace_values(hy_frame *F, int what, hy_array *x)      /* what a value being traced has not */
{
    float room[4];
    hy_array *y = hy_mul_scalar(F, x, 2);
    switch (what) {
    case 0: hy_data(F, y); break;
    case 1: hy_write(F, y); break;
    case 2: hy_item(F, hy_sum(F, y, HY_ALL, NULL)); break;
    case 3: hy_value(F, y, 0); break;
    case 4: hy_set_value(F, y, 1, 0); break;
    case 5: hy_to(F, y, HY_F32, room, sizeof room); break;
    case 6: hy_assign(F, y, x); break;
    case 7: hy_fill(F, y, 1); break;
    case 8: hy_add_to(F, y, x); break;
    case 9: hy_mul_by(F, y, x); break;
    case 10: hy_view_index(F, y, 0, 0); break;
    case 11: hy_view_slice(F, y, 0, 0, 1, 1); break;
    default: hy_touch(F, y);
    }
    return y;
}

static hy_array *trace_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    trace_block *b = (trace_block *)(void *)self;
    tb_runs++;
    if (b->what < 20) return trace_values(F, b->what, x);
    switch (b->what) {
    case 20: return hy_add(F, x, b->array);             /* an array from outside */
    case 21: hy_add_to(F, x, b->array); return x;
    case 22: return hy_relu(b->frame, x);               /* not the frame it was given */
    case 23: b->array = hy_keep(F, hy_relu(F, x)); return b->array;
    case 24: hy_begin(F); hy_begin(F); return hy_relu(F, x);
    case 25: x = hy_relu(F, x); hy_end(F); hy_end(F); return x;
    case 26: hy_print(F, x); return hy_relu(F, x);
    case 27: hy_add(F, x, hy_ones(F, HY_SHAPE(7))); return hy_relu(F, x);      /* an error nobody looks at */
    case 28: return hy_normal(F, hy_shape_of(F, x), 0, 1);                     /* needs no value of x */
    case 29: return hy_add(F, x, hy_mul(F, hy_add(F, b->array, b->array), hy_full(F, HY_SHAPE(2), 10)));
    case 30: return b->array;
    case 31: hy_set_param(F, b->array, hy_ones(F, HY_SHAPE(2))); return x;
    case 32: b->frame = F; return hy_relu(F, x);
    default: return x;
    }
}

static trace_block *trace_new(hy_frame *F, int what, hy_array *array, int hybrid)
{
    trace_block *b = (trace_block *)(void *)hy_block_new(F, sizeof *b, "trace", trace_forward, 1);
    b->what = what;
    b->array = array;
    if (hybrid) hy_hybridize(F, &b->base, NULL);
    return b;
}

/* Section 6: each names the function, says why, and where. The frame and the block stay usable. */
static void trace_values_are_not_there(void)
{
    static const char *const name[] = { "hy_data", "hy_write", "hy_item", "hy_value", "hy_set_value",
            "hy_to", "hy_assign",
        "hy_fill", "hy_add_to", "hy_mul_by", "hy_view_index", "hy_view_slice", "hy_touch" };
    hy_frame *F = tb_open(2);
    hy_array *x = hy_ones(F, HY_SHAPE(2));
    int i;
    for (i = 0; i <= 12; i++) {
        trace_block *b = trace_new(F, i, NULL, 0);
        hy_block *net = tb_chain(F);
        hy_add_child(F, net, "inner", &b->base);
        CHECK(hy_call(F, net, x) != NULL);              /* line by line it is fine */
        OK(F);
        hy_hybridize(F, net, NULL);
        CHECK(!hy_call(F, net, x));
        if (!CHECK(hy_error(F) && strstr(hy_error(F), name[i]) && strstr(hy_error(F), ".inner")))
            printf("    %s: %s\n", name[i], hy_error(F) ? hy_error(F) : "no error");
        ERR(F, HY_ERROR_TRACE, "ymbol");
        b->what = 99;
        CHECK(tb_same(F, hy_call(F, net, x), x));       /* nothing of the failed trace is left */
        OK(F);
    }
    CHECK(hy_close(F) == 0);
}

static void trace_prints_symbols(void)
{
    char text[64];
    hy_frame *F = tb_open(2), *S = hy_symbolic(F);
    CHECK(hy_text(S, hy_call(S, hy_set_prefix(F, tb_block(F, "relu", tb_relu_forward), "net_"), hy_var(S,
            "x", NULL)), text,
                  sizeof text) > 0);
    CHECK_STR(text, "<Symbol net_relu0>\n");
    OK(S);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void trace_error_inside_is_the_callers(void)
{
    hy_frame *F = tb_open(2);
    trace_block *b = trace_new(F, 27, NULL, 1);
    CHECK(!hy_call(F, &b->base, hy_ones(F, HY_SHAPE(2))));
    CHECK(hy_error(F) && strstr(hy_error(F), "trace0") && strstr(hy_error(F), "_plus0"));
    CHECK(hy_error(F) && strstr(hy_error(F), "test_trace.c:"));
    ERR(F, HY_ERROR_SHAPE, "(7,)");
    CHECK(hy_cache_info(F, &b->base).programs == 0);
    CHECK(hy_close(F) == 0);
}

/* --- arrays from outside are constants --- */
static void trace_captures_by_reference(void)
{
    hy_frame *F = tb_open(2);
    hy_array *c = hy_full(F, HY_SHAPE(2), 5), *x = hy_ones(F, HY_SHAPE(2)), *v;
    trace_block *b = trace_new(F, 20, c, 1), *folds = trace_new(F, 29, c, 1), *view;
    CHECK(hy_value(F, hy_call(F, &b->base, x), 0) == 6);
    CHECK(hy_value(F, hy_call(F, &folds->base, x), 0) == 101);
    CHECK(hy_cache_info(F, &b->base).constants == 1);
    hy_fill(F, c, 7);                   /* its values may change */
    CHECK(hy_value(F, hy_call(F, &b->base, x), 0) == 8);
    CHECK(hy_value(F, hy_call(F, &folds->base, x), 0) == 141);
    ((float *)hy_write(F, c))[1] = 9;
    CHECK(hy_value(F, hy_call(F, &b->base, x), 1) == 10);
    CHECK(hy_value(F, hy_call(F, &folds->base, x), 1) == 181);
    CHECK(hy_cache_info(F, &b->base).traces == 1);
    hy_free(F, c);                      /* the graph holds what it needs */
    CHECK(hy_value(F, hy_call(F, &b->base, x), 1) == 10);
    v = hy_view_slice(F, hy_arange(F, 0, 8, 1), 0, 1, 8, 4);           /* 1, 5 */
    view = trace_new(F, 20, v, 1);
    CHECK(hy_value(F, hy_call(F, &view->base, x), 1) == 6);
    hy_fill(F, v, 3);
    CHECK(hy_value(F, hy_call(F, &view->base, x), 1) == 4);
    OK(F);
    CHECK(hy_close(F) == 0);
}

static void trace_borrowed_memory_is_touched(void)
{
    hy_frame *F = tb_open(2);
    float mine[2] = { 1, 2 };
    hy_array *c = hy_borrow(F, HY_SHAPE(2), HY_F32, mine), *x = hy_ones(F, HY_SHAPE(2));
    trace_block *b = trace_new(F, 29, c, 1);
    CHECK(hy_value(F, hy_call(F, &b->base, x), 1) == 41);
    mine[1] = 3;
    hy_touch(F, c);
    CHECK(hy_value(F, hy_call(F, &b->base, x), 1) == 61);
    OK(F);
    CHECK(hy_close(F) == 0);
}

static void trace_of_constants_only(void)
{
    hy_frame *F = tb_open(2);
    hy_array *c = hy_full(F, HY_SHAPE(2), 5), *x = hy_ones(F, HY_SHAPE(2));
    trace_block *b = trace_new(F, 30, c, 1);            /* gives back what it did not make */
    CHECK(tb_same(F, hy_call(F, &b->base, x), c));
    hy_fill(F, c, 6);
    CHECK(hy_value(F, hy_call(F, &b->base, x), 1) == 6);
    OK(F);
    CHECK(hy_close(F) == 0);
}

static void trace_foreign_arrays_are_errors(void)
{
    hy_frame *F = tb_open(2), *G = tb_open(2), *one = hy_fork(F), *two = hy_fork(F);
    hy_array *x = hy_ones(F, HY_SHAPE(2)), *far = hy_ones(G, HY_SHAPE(2)), *sibling = hy_ones(two,
            HY_SHAPE(2)), *kept;
    trace_block *b = trace_new(F, 20, far, 1);
    hy_array *y;
    CHECK(!hy_call(F, &b->base, x));
    CHECK(hy_error(F) && strstr(hy_error(F), "trace0"));
    ERR(F, HY_ERROR_ARGUMENT, "another hy_open");
    b->array = sibling;
    y = hy_ones(one, HY_SHAPE(2));
    CHECK(!hy_call(one, &b->base, y));
    ERR(one, HY_ERROR_ARGUMENT, "another frame");
    kept = hy_keep(F, hy_full(F, HY_SHAPE(2), 4));
    b->array = kept;                    /* the root's, kept: any fork may use it */
    CHECK(hy_value(one, hy_call(one, &b->base, y), 0) == 5);
    CHECK(!hy_call(F, &b->base, far));
    ERR(F, HY_ERROR_ARGUMENT, "another hy_open");
    OK(F);
    hy_close(one);
    hy_close(two);
    hy_close(G);
    CHECK(hy_close(F) == 0);
}

/* --- what forward leaves behind --- */
static void trace_scopes_and_handles(void)
{
    hy_frame *F = tb_open(2);
    hy_array *x = hy_ones(F, HY_SHAPE(2));
    trace_block *kept = trace_new(F, 23, NULL, 1), *open = trace_new(F, 24, NULL, 1), *ends = trace_new(F,
            25, NULL, 1);
    trace_block *frame = trace_new(F, 32, NULL, 1);
    CHECK(hy_value(F, hy_call(F, &kept->base, x), 0) == 1);
    CHECK(!hy_relu(F, kept->array));    /* the trace is over */
    ERR(F, HY_ERROR_STATE, "used after");
    CHECK(hy_value(F, hy_call(F, &open->base, x), 0) == 1);
    OK(F);
    CHECK(!hy_call(F, &ends->base, x));
    ERR(F, HY_ERROR_STATE, "hy_end");
    hy_end(F);
    ERR(F, HY_ERROR_STATE, "hy_end");   /* none was left open */
    CHECK(hy_call(F, &frame->base, x) && frame->frame != F);
    OK(F);
    CHECK(hy_close(F) == 0);
}

static void trace_with_the_wrong_frame_is_an_error(void)
{
    hy_frame *F = tb_open(2);
    trace_block *b = trace_new(F, 22, NULL, 1);
    hy_array *x = hy_ones(F, HY_SHAPE(2));
    b->frame = F;
    CHECK(!hy_call(F, &b->base, x));
    CHECK(hy_error_code(F) != HY_ERROR_OK);
    ERR(F, hy_error_code(F), "relu");
    b->what = 99;
    CHECK(tb_same(F, hy_call(F, &b->base, x), x));
    OK(F);
    CHECK(hy_close(F) == 0);
}

static void trace_input_changed_in_place(void)                         /* [82] */
{
    hy_frame *F = tb_open(2);
    hy_array *x = hy_ones(F, HY_SHAPE(2));
    trace_block *b = trace_new(F, 21, hy_full(F, HY_SHAPE(2), 2), 0);
    CHECK(hy_value(F, hy_call(F, &b->base, x), 0) == 3 && hy_value(F, x, 0) == 3);
    hy_hybridize(F, &b->base, NULL);
    CHECK(!hy_call(F, &b->base, x));
    ERR(F, HY_ERROR_TRACE, "hy_add_to");
    CHECK(hy_value(F, x, 0) == 3);
    CHECK(hy_close(F) == 0);
}

static void trace_needs_no_value_of_its_input(void)
{
    hy_frame *F = tb_open(2);
    trace_block *b = trace_new(F, 28, NULL, 1);
    hy_array *y = hy_call(F, &b->base, hy_ones(F, HY_SHAPE(3, 2)));
    CHECK_STR(y ? tb_shape(F, y) : NULL, "(3,2)");
    CHECK(!tb_same(F, y, hy_call(F, &b->base, hy_ones(F, HY_SHAPE(3, 2)))));
    /* it asked: traced anew */
    CHECK_STR(tb_shape(F, hy_call(F, &b->base, hy_ones(F, HY_SHAPE(5)))), "(5)");
    OK(F);
    CHECK(hy_close(F) == 0);
}

static void trace_foreign_blocks_parameter(void)
{
    hy_frame *F = tb_open(2);
    hy_block *other = tb_dense(F, 2, 3);
    hy_array *w = hy_param(F, other, "bias"), *x = hy_ones(F, HY_SHAPE(2)), *y;
    trace_block *b = trace_new(F, 20, w, 1);            /* MXNet: Unknown input to HybridBlock */
    CHECK(!hy_call(F, &b->base, x));
    ERR(F, HY_ERROR_STATE, "dense0_bias");
    hy_initialize(F, other, NULL);
    hy_fill(F, w, 4);
    y = hy_call(F, &b->base, x);
    CHECK(y && hy_value(F, y, 0) == 5);
    hy_fill(F, w, 5);
    CHECK(hy_value(F, hy_call(F, &b->base, x), 0) == 6);
    OK(F);
    hy_block_free(F, other);            /* the graph that reads it must not run on */
    b->array = x;
    y = hy_call(F, &b->base, x);
    hy_clear(F);
    CHECK(hy_close(F) == 0);
}

/* --- blocks on symbols --- */
static void trace_block_called_with_a_symbol(void)                     /* [7] [8] in part */
{
    hy_frame *F = tb_open(2), *S;
    hy_block *net = tb_mlp(F);
    hy_array *x = tb_ramp(F, HY_SHAPE(2, 6)), *y;
    hy_graph *g;
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    y = hy_call(F, net, x);
    S = hy_symbolic(F);
    g = hy_compile(S, hy_mul_scalar(S, hy_call(S, net, hy_var(S, "x", NULL)), 2));
    CHECK_STR(graph_names(g, HY_NAMES_INPUTS),
              "x,chain0_dense0_weight,chain0_dense0_bias,chain0_dense1_weight,chain0_dense1_bias");
    CHECK_STR(graph_names(g, HY_NAMES_VARIABLES), "x");
    CHECK(tb_close(F, hy_graph_run(F, g, x), hy_mul_scalar(F, y, 2)));
    graph_infer(F, g, "(7,?)", "");
    CHECK_STR(graph_shapes(g), "(7,?) (8,6) (8) (4,8) (4) -> (7,4)");
    OK(S);
    g = hy_compile(S, hy_call(S, net, x));              /* an array among symbols is a constant */
    CHECK(hy_graph_count(g) > 4 && !hy_graph_name(g, HY_NAMES_VARIABLES, 1));
    OK(S);
    y = hy_var(S, "y", NULL);
    CHECK(!hy_call(F, net, y));
    ERR(F, HY_ERROR_TRACE, "mixed NDArrays and Symbols");
    /* [20] array and symbol */
    CHECK(!hy_call(F, tb_block(F, "sum", hybridize_add_two), hy_group(F, x, y)));
    CHECK(hy_error_code(F) != HY_ERROR_OK);
    hy_clear(F);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void trace_shared_child_has_one_name(void)                      /* 1.1 */
{
    hy_frame *F = tb_open(2);
    hy_block *net = tb_chain(F), *one = tb_dense(F, 4, 4);
    hy_add_child(F, net, "a", one);
    hy_add_child(F, net, "b", one);
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    CHECK(hy_call(F, net, hy_ones(F, HY_SHAPE(1, 4))) != NULL);
    CHECK_STR(graph_names(hy_graph_of(F, net), HY_NAMES_INTERNALS), "data,dense0_weight,dense0_bias,"
              "dense0_fullyconnected0_output,dense0_fullyconnected0_output");
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* --- changes after the trace --- */
static void trace_sees_sharing_and_new_parameters(void)
{
    hy_frame *F = tb_open(2);
    hy_block *a = tb_mlp(F), *b = tb_mlp(F);
    hy_array *x = tb_ramp(F, HY_SHAPE(2, 6)), *y, *z;
    hy_initialize(F, a, NULL);
    hy_hybridize(F, a, NULL);
    hy_hybridize(F, b, NULL);
    y = hy_call(F, a, x);
    hy_initialize(F, b, NULL);
    hy_fill(F, hy_param(F, a, "first.bias"), 0.5);
    z = hy_call(F, b, x);
    y = hy_call(F, a, x);
    CHECK(y && z && !tb_same(F, y, z));
    hy_share_params(F, b, a);
    CHECK(tb_close(F, hy_call(F, b, x), y));
    hy_fill(F, hy_param(F, b, "last.bias"), 2);
    CHECK(!tb_close(F, hy_call(F, a, x), y) && tb_same(F, hy_call(F, a, x), hy_call(F, b, x)));
    hy_cast_block(F, a, HY_F64);        /* both follow */
    x = hy_cast(F, x, HY_F64);
    CHECK(tb_same(F, hy_call(F, a, x), hy_call(F, b, x)));
    OK(F);
    hy_block_free(F, a);                /* b keeps what it shares */
    CHECK(hy_dtype_of(F, hy_call(F, b, x)) == HY_F64);
    OK(F);
    CHECK(hy_close(F) == 0);
}

static void trace_children_come_and_go(void)
{
    hy_frame *F = tb_open(2);
    hy_block *net = tb_chain(F);
    hy_array *x = tb_ramp(F, HY_SHAPE(2, 3));
    int i;
    hy_hybridize(F, net, NULL);
    for (i = 0; i < 20; i++) {          /* an old graph would read a dead block's parameters */
        hy_init init = tb_constant(i);
        hy_block *fc = hy_add_child(F, net, "only", tb_dense(F, 2, 3));
        hy_array *y;
        hy_initialize(F, fc, &init);
        hy_fill(F, hy_param(F, fc, "bias"), i);
        hy_fill(F, hy_param(F, fc, "weight"), 0);
        y = hy_call(F, net, x);
        CHECK(y && hy_value(F, y, 1, 1) == i);
        if (i % 3) hy_block_free(F, fc);
        if (i % 3 == 1) CHECK(tb_same(F, hy_call(F, net, x), x));
        OK(F);
    }
    CHECK(hy_close(F) == 0);
}

static void trace_copy_without_a_forward(void)                         /* [15] without files */
{
    hy_frame *F = tb_open(2);
    hy_block *a = hybridize_conv_net(F), *b = hybridize_conv_net(F);
    hy_array *x = tb_ramp(F, HY_SHAPE(2, 3, 5, 7));
    hy_params all;
    int i;
    hy_initialize(F, a, NULL);
    CHECK(hy_call(F, a, x) != NULL);
    all = hy_collect_params(F, a, NULL);
    CHECK(all.n == 8);
    tb_runs = 0;
    for (i = 0; i < all.n; i++) hy_set_param(F, hy_param(F, b, hy_param_path(F, a, all.at[i])), all.at[i]);
    CHECK(tb_runs == 0 && hy_param_shape(F, hy_param(F, b, "0.weight")).dim[1] == 3);
    hy_hybridize(F, b, NULL);
    CHECK(tb_close(F, hy_call(F, b, x), hy_call(F, a, x)));
    OK(F);
    CHECK(hy_close(F) == 0);
}

static hy_array *trace_slices(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *a, *b;
    (void)self;
    a = hy_named(F, hy_slice(F, x, HY_INTS(1, 0), HY_INTS(3, 2), NULL), "part");        /* names do no harm */
    b = hy_reshape(F, hy_slice_axis(F, x, 0, -1, HY_NONE), HY_INTS(-1), NULL);
    return hy_group(F, a, b, hy_get(F, x, 0));
}

static void trace_slices_as_line_by_line(void)                         /* [82] */
{
    hy_frame *F = tb_open(2);
    hy_block *b = tb_block(F, "slices", trace_slices);
    hy_array *x = tb_ramp(F, HY_SHAPE(4, 3)), *y = hy_call(F, b, x), *z;
    int k;
    hy_hybridize(F, b, NULL);
    z = hy_call(F, b, x);
    for (k = 0; k < 3; k++) CHECK(tb_same(F, hy_get(F, y, k), hy_get(F, z, k)));
    CHECK_STR(hy_graph_name(hy_graph_of(F, b), HY_NAMES_OUTPUTS, 0), "part_output");
    OK(F);
    CHECK(hy_close(F) == 0);
}

#ifndef HYBRID_NO_TRAIN
static void trace_mode_belongs_to_the_frame(void)                      /* [80] */
{
    hy_frame *F = tb_open(2), *fork = hy_fork(F);
    hy_block *b = hybridize_one(F, "relu", tb_relu_forward);
    hy_array *x = hy_keep(F, hy_ones(F, HY_SHAPE(2)));
    hy_set_training(F, 1);
    hy_record(F);
    CHECK(hy_is_training(F) && !hy_is_training(fork) && !hy_is_recording(fork));
    CHECK(tb_same(fork, hy_call(fork, b, x), x) && tb_same(F, hy_call(F, b, x), x));
    hy_pause(F);
    CHECK(!hy_is_recording(F));
    OK(F);
    OK(fork);
    hy_close(fork);
    CHECK(hy_close(F) == 0);
}
#endif

/* --- size --- */
static hy_array *trace_long_chain(hy_frame *F, hy_block *self, hy_array *x)
{
    int i, n = 200000;
    (void)self;
    for (i = 0; i < n; i++) x = i & 1 ? hy_sub_scalar(F, x, 0.5) : hy_add_scalar(F, x, 1);
    return x;
}

static void trace_chain_of_200000_nodes(void)
{
    hy_frame *F = tb_open(2);
    hy_block *b = hybridize_one(F, "long", trace_long_chain);
    hy_array *y = hy_call(F, b, hy_zeros(F, HY_SHAPE(2)));
    CHECK(y && hy_value(F, y, 1) == 50000);
    CHECK(hy_value(F, hy_call(F, b, hy_zeros(F, HY_SHAPE(3))), 2) == 50000);
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* An operator that counts how often it is asked for its shape and its kernel, and how often it runs. */
static struct { long infer, bind, run; int nodes; } trace_work;
static void trace_counted_run(const hy_job *job, hy_run *now, int stage, int64_t item, void *scratch, void *shared)
{
    (void)stage; (void)item; (void)scratch; (void)shared;
    trace_work.run++;
    ((float *)now->data[job->nin])[0] = ((const float *)now->data[0])[0] + 1;
}
static int trace_counted_bind(hy_job *job)
{
    trace_work.bind++;
    job->run = trace_counted_run;
    job->stages = 1;
    job->items[0] = 1;
    return 0;
}
static int trace_counted_infer(hy_infer *I) { trace_work.infer++; return hy_infer_pointwise(I); }
static const hy_arg trace_counted_one[] = { { "data", HY_ARG_ONE }, { NULL, HY_ARG_ONE } };
static const hy_op trace_counted = {
    "counted", NULL, NULL, "x + 1, counted", trace_counted_one, trace_counted_one, NULL, 0, 0, 0, NULL,
    trace_counted_infer, trace_counted_bind, NULL, NULL
};
static hy_array *trace_counted_chain(hy_frame *F, hy_block *self, hy_array *x)
{
    int i;
    (void)self;
    for (i = 0; i < trace_work.nodes; i++) x = hy_emit(F, &trace_counted, 1, &x, NULL);
    return x;
}

/* Twice the nodes are twice the work: questions about shapes and kernels, runs, calls and bytes of the allocator. */
static void trace_work_grows_with_the_nodes(void)
{
    double work[2][5];
    int i, k, n = 3000;
    for (i = 0; i < 2; i++) {
        hy_frame *F = tb_open(1);
        hy_block *b = hybridize_one(F, "counted", trace_counted_chain);
        hy_array *y;
        memset(&trace_work, 0, sizeof trace_work);
        trace_work.nodes = n << i;
        y = hy_call(F, b, hy_zeros(F, HY_SHAPE(1)));
        CHECK(y && hy_value(F, y, 0) == n << i);
        work[i][0] = (double)trace_work.infer;
        work[i][1] = (double)trace_work.bind;
        work[i][2] = (double)trace_work.run;
        work[i][3] = (double)hy_memory_use(F).calls;
        work[i][4] = (double)hy_memory_use(F).peak;
        OK(F);
        CHECK(hy_close(F) == 0);
    }
    for (k = 0; k < 5; k++)
        if (!CHECK(work[0][k] > 0 && work[1][k] < 2.2 * work[0][k])) printf("    %d: %g, %g\n", k, work[0][k], work[1][k]);
    CHECK(work[0][2] == n && work[1][2] == 2 * n);
}

static hy_array *trace_many_inputs(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_add_n(F, x);
}

static void trace_group_of_300_inputs(void)
{
    hy_frame *F = tb_open(2);
    hy_block *b = hybridize_one(F, "many", trace_many_inputs);
    hy_array *x[300], *y;
    int i;
    for (i = 0; i < 300; i++) x[i] = hy_full(F, HY_SHAPE(2), i);
    for (i = 0; i < 2; i++) {
        y = hy_call(F, b, hy_group_of(F, 300, x));
        CHECK(y && hy_value(F, y, 1) == 44850);
    }
    CHECK(hy_cache_info(F, b).traces == 1);
    CHECK_STR(hy_graph_name(hy_graph_of(F, b), HY_NAMES_VARIABLES, 299), "data299");
    OK(F);
    CHECK(hy_close(F) == 0);
}

/* --- memory that runs out --- */
static int trace_oom_net(hy_frame *F)
{
    hy_block *net = hybridize_conv_net(F);
    hy_array *y = NULL;
    int i, right = 0;
    if (!net) return 0;
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    for (i = 1; i <= 3; i++) {
        y = hy_call(F, net, hy_ones(F, HY_SHAPE(i, 2, 3, 3)));
        right = y && hy_dim(F, y, 0) == i && hy_dim(F, y, 1) == 5;
    }
    right = right && hy_collect_params(F, net, ".*weight|.*bias").n == 4 && hy_cache_info(F, net).traces == 1;
    if (!hy_error(F)) hy_block_free(F, net);
    return right;
}

static int trace_oom_line_by_line(hy_frame *F)
{
    hy_block *net = tb_mlp(F), *twin = tb_mlp(F);
    hy_array *x = hy_ones(F, HY_SHAPE(2, 3));
    int right;
    if (!net || !twin) return 0;
    hy_share_params(F, twin, net);
    hy_initialize(F, net, NULL);
    right = tb_same(F, hy_call(F, net, x), hy_call(F, twin, x));
    hy_cast_block(F, net, HY_F64);
    hy_reinitialize(F, net, NULL);
    hy_block_free(F, net);
    return right && hy_call(F, twin, hy_cast(F, x, HY_F64)) != NULL;
}

static int trace_oom_constants_and_groups(hy_frame *F)
{
    hy_block *b = tb_block(F, "nested", hybridize_nested);
    hy_array *one = hy_full(F, HY_SHAPE(2), 1), *y;
    trace_block *c;
    char text[64];
    if (!b) return 0;
    hy_hybridize(F, b, NULL);
    y = hy_call(F, b, hy_group(F, one, hy_group(F, one, one)));
    if (!y || hy_value(F, hy_get(F, hy_get(F, y, 0), 0), 1) != 2) return 0;
    c = (trace_block *)(void *)hy_block_new(F, sizeof *c, "trace", trace_forward, 1);
    if (!c) return 0;
    c->what = 29;
    c->array = one;
    hy_hybridize(F, &c->base, NULL);
    y = hy_call(F, &c->base, one);
    if (!y || hy_value(F, y, 0) != 21) return 0;
    hy_fill(F, one, 2);
    y = hy_call(F, &c->base, one);
    hy_graph_text(hy_graph_of(F, b), HY_FORM_INLINE, text, sizeof text);       /* has no frame for an error */
    return y && hy_value(F, y, 0) == 42;
}

/* forward opens scopes where the list of marks must grow */
static int trace_oom_deep_scopes(hy_frame *F)
{
    trace_block *b = (trace_block *)(void *)hy_block_new(F, sizeof *b, "trace", trace_forward, 1);
    hy_array *x = hy_ones(F, HY_SHAPE(2)), *y = NULL;
    int depth, right = b != NULL;
    if (b) b->what = 24;
    for (depth = 0; depth < 70; depth++) {
        hy_begin(F);
        if (b) y = hy_call(F, &b->base, x);
        right = right && y && hy_value(F, y, 0) == 1;
    }
    for (depth = 0; depth < 70; depth++) hy_end(F);
    CHECK(F->marks == 0);               /* in step, whatever failed */
    return right;
}

static void trace_walk_net(void) { oom_walk(trace_oom_net, 1); }
static void trace_walk_line_by_line(void) { oom_walk(trace_oom_line_by_line, 1); }
static void trace_walk_constants_and_groups(void) { oom_walk(trace_oom_constants_and_groups, 1); }
static void trace_walk_deep_scopes(void) { oom_walk(trace_oom_deep_scopes, 1); }

static void trace_close_with_an_error_standing(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = tb_mlp(F);
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    CHECK(hy_call(F, net, hy_ones(F, HY_SHAPE(2, 3))) != NULL);
    hy_call(F, net, hy_ones(F, HY_SHAPE(2, 4)));
    CHECK(hy_error(F) && strstr(hy_error(F), "(2,4)"));
    CHECK(!hy_call(F, net, hy_ones(F, HY_SHAPE(2, 3))) && !hy_graph_of(F, net));
    hy_hybridize(F, net, NULL);
    CHECK(hy_close(F) == HY_ERROR_SHAPE);
}

static void trace_only_symbolic_frames_have_a_tracer(void)
{
    hy_frame *F = hy_open(NULL), *S, *fork;
    size_t live = 0;
    int i;
    for (i = 0; i < 3; i++) {           /* the first leaves its record, for the next frame */
        S = hy_symbolic(F);
        CHECK(!F->tracer && S->tracer && !strcmp(hy_mode(S), "symbol"));
        hy_relu(S, hy_var(S, "x", NULL));
        CHECK(hy_close(S) == HY_ERROR_OK);
        CHECK(i == 0 || hy_memory_use(F).bytes == live);
        live = hy_memory_use(F).bytes;
    }
    fork = hy_fork(F);                  /* in the same record, and plain again */
    CHECK(fork == S && !fork->tracer && !strcmp(hy_mode(fork), "ndarray"));
    hy_close(fork);
    hy_close(F);
}

static void test_trace(void)
{
    RUN(trace_values_are_not_there);
    RUN(trace_prints_symbols);
    RUN(trace_error_inside_is_the_callers);
    RUN(trace_captures_by_reference);
    RUN(trace_borrowed_memory_is_touched);
    RUN(trace_of_constants_only);
    RUN(trace_foreign_arrays_are_errors);
    RUN(trace_scopes_and_handles);
    RUN(trace_with_the_wrong_frame_is_an_error);
    RUN(trace_input_changed_in_place);
    RUN(trace_needs_no_value_of_its_input);
    RUN(trace_foreign_blocks_parameter);
    RUN(trace_block_called_with_a_symbol);
    RUN(trace_shared_child_has_one_name);
    RUN(trace_sees_sharing_and_new_parameters);
    RUN(trace_children_come_and_go);
    RUN(trace_copy_without_a_forward);
    RUN(trace_slices_as_line_by_line);
#ifndef HYBRID_NO_TRAIN
    RUN(trace_mode_belongs_to_the_frame);
#endif
    RUN(trace_chain_of_200000_nodes);
    RUN(trace_work_grows_with_the_nodes);
    RUN(trace_group_of_300_inputs);
    RUN(trace_walk_net);
    RUN(trace_walk_line_by_line);
    RUN(trace_walk_constants_and_groups);
    RUN(trace_walk_deep_scopes);
    RUN(trace_close_with_an_error_standing);
    RUN(trace_only_symbolic_frames_have_a_tracer);
}
