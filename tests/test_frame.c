/* Frames: errors, scopes, ownership, memory. */
#include <pthread.h>

/* Frames run at once where the library has threads; else they take turns. */
#ifdef HYBRID_NO_THREADS
#define FRAME_START(thread, fn, arg) ((void)(thread), (void)(fn)(arg), 0)
#define FRAME_JOIN(thread) ((void)(thread), 0)
#else
#define FRAME_START(thread, fn, arg) pthread_create(thread, NULL, fn, arg)
#define FRAME_JOIN(thread) pthread_join(thread, NULL)
#endif

/* An error stands: this code, these words in its text. It is cleared. */
#define FAILS(F, code, words) frame_fails(F, code, words, __FILE__, __LINE__)
/* No error stands. */
#define FINE(F) frame_fine(F, __FILE__, __LINE__)

static void frame_fails(hy_frame *F, hy_error_t code, const char *words, const char *file, int line)
{
    const char *text = hy_error(F);
    if (!text) test_check(0, "an error was due", file, line);
    else if (!strstr(text, words)) test_check_text(text, words, file, line);
    else test_check_text(hy_error_name(hy_error_code(F)), hy_error_name(code), file, line);
    hy_clear(F);
}

static void frame_fine(hy_frame *F, const char *file, int line)
{
    if (hy_error(F)) test_check_text(hy_error(F), NULL, file, line);
}

/* --- errors --- */
static void frame_opens_and_closes(void)
{
    hy_desc desc = { 0 };
    hy_frame *F = hy_open(NULL), *G = hy_open(&desc);
    CHECK(F && G);
    CHECK(!hy_error(F) && hy_error_code(F) == HY_ERROR_OK);
    CHECK_STR(hy_mode(F), "ndarray");
    CHECK(!strncmp(hy_version(), "0.4.0", 5));
    CHECK(hy_threads(F) >= 1 && hy_isa(F) >= HY_ISA_BASE);
    CHECK(hy_wait_all(F) == 0);
    CHECK(hy_close(F) == 0);
    CHECK(hy_close(G) == 0);
}

static void frame_threads_and_isa_obey_the_desc(void)
{
    hy_desc desc = { 0 };
    hy_frame *F;
    desc.threads = 3;
    desc.isa = HY_ISA_BASE;
    F = hy_open(&desc);
#ifdef HYBRID_NO_THREADS
    CHECK(hy_threads(F) == 1);
#else
    CHECK(hy_threads(F) == 3);
#endif
    CHECK(hy_isa(F) == HY_ISA_BASE);
    hy_close(F);
}

static void frame_symbolic_mode_is_symbol(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    CHECK_STR(hy_mode(S), "symbol");
    CHECK_STR(hy_mode(F), "ndarray");
    CHECK(hy_close(S) == 0);
    CHECK(hy_close(F) == 0);
}

static void frame_error_says_operator_shapes_types(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *a = hy_zeros(F, HY_SHAPE(2, 3)), *b = hy_zeros(F, HY_SHAPE(4));
    CHECK(hy_add(F, a, b) == NULL);
    CHECK(hy_error(F) && strstr(hy_error(F), "add"));
    CHECK(hy_error(F) && strstr(hy_error(F), "(2,3)"));
    CHECK(hy_error(F) && strstr(hy_error(F), "float32"));
    FAILS(F, HY_ERROR_SHAPE, "(4,)");
    CHECK(hy_mul(F, a, hy_cast(F, a, HY_I32)) == NULL);
    CHECK(hy_error(F) && strstr(hy_error(F), "mul"));
    CHECK(hy_error(F) && strstr(hy_error(F), "float32"));
    FAILS(F, HY_ERROR_DTYPE, "int32");
    CHECK(hy_dot(F, a, a, NULL) == NULL);
    CHECK(hy_error(F) && strstr(hy_error(F), "(2,3)"));
    FAILS(F, HY_ERROR_SHAPE, "dot");
    CHECK(hy_fully_connected(F, hy_ones(F, HY_SHAPE(32, 100)), hy_ones(F, HY_SHAPE(64, 128)),
                             hy_ones(F, HY_SHAPE(64)), 64, NULL) == NULL);
    CHECK(hy_error(F) && strstr(hy_error(F), "fully_connected"));
    CHECK(hy_error(F) && strstr(hy_error(F), "weight"));
    CHECK(hy_error(F) && strstr(hy_error(F), "(32,100)"));
    FAILS(F, HY_ERROR_SHAPE, "(64,128)");
    CHECK(hy_close(F) == 0);
}

static void frame_first_error_stays(void)
{
    hy_frame *F = hy_open(NULL);
    char first[512];
    hy_raise(F, HY_ERROR_FILE, "the first");
    snprintf(first, sizeof first, "%s", hy_error(F) ? hy_error(F) : "");
    CHECK(strstr(first, "the first") != NULL);
    hy_raise(F, HY_ERROR_USER, "the second");
    hy_add(F, NULL, NULL);
    hy_empty(F, HY_SHAPE(-5), HY_F32);
    hy_end(F);
    CHECK_STR(hy_error(F), first);
    CHECK(hy_error_code(F) == HY_ERROR_FILE);
    CHECK(hy_wait_all(F) == HY_ERROR_FILE);
    CHECK(hy_close(F) == HY_ERROR_FILE);
}

static void frame_raise_takes_any_code_and_text(void)
{
    hy_frame *F = hy_open(NULL);
    hy_raise(F, (hy_error_t)99, "odd");
    CHECK(hy_error(F) && hy_error_code(F) != HY_ERROR_OK);
    hy_clear(F);
    hy_raise(F, HY_ERROR_USER, NULL);
    CHECK(hy_error(F) && hy_error_code(F) == HY_ERROR_USER);
    hy_clear(F);
    hy_raise(F, HY_ERROR_USER, "%s%n%d");
    FAILS(F, HY_ERROR_USER, "%s%n%d");
    CHECK(hy_close(F) == 0);
}

static void frame_is_inert_after_an_error(void)
{
    hy_frame *F = hy_open(NULL);
    const float three[3] = { 1, 2, 3 };
    hy_array *x = hy_floats(F, HY_SHAPE(3), three);
    char text[8] = "old";
    hy_raise(F, HY_ERROR_USER, "stop");
    CHECK(!hy_ones(F, HY_SHAPE(3)));
    CHECK(!hy_add(F, x, x));
    CHECK(!hy_sum(F, x, HY_ALL, NULL));
    CHECK(!hy_group(F, x, x));
    CHECK(!hy_view_slice(F, x, 0, 0, 2, 1));
    CHECK(!hy_uniform(F, HY_SHAPE(3), 0, 1));
    CHECK(!hy_data(F, x) && !hy_write(F, x));
    hy_fill(F, x, 9);
    hy_add_to(F, x, x);
    hy_set_value(F, x, 9, 0);
    hy_assign(F, x, x);
    CHECK(hy_text(F, NULL, text, sizeof text) == 0 || text[7] == 0);
    hy_clear(F);
    CHECK(!hy_error(F) && hy_error_code(F) == HY_ERROR_OK);
    CHECK(hy_value(F, x, 0) == 1 && hy_value(F, x, 1) == 2 && hy_value(F, x, 2) == 3);
    CHECK(hy_close(F) == 0);
}

static void frame_null_passes_silently_once_an_error_stands(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_ones(F, HY_SHAPE(2));
    hy_array *bad = hy_add(F, x, hy_ones(F, HY_SHAPE(3)));
    bad = hy_relu(F, hy_mul(F, bad, x));
    hy_print(F, bad);
    hy_free(F, bad);
    hy_keep(F, bad);
    FAILS(F, HY_ERROR_SHAPE, "add");
    CHECK(hy_close(F) == 0);
}

static void frame_cleared_error_is_not_the_close_code(void)
{
    hy_frame *F = hy_open(NULL);
    hy_raise(F, HY_ERROR_USER, "gone");
    hy_clear(F);
    FINE(F);
    CHECK(hy_close(F) == 0);
}

static void frame_null_input_is_named(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_ones(F, HY_SHAPE(2, 2));
    CHECK(!hy_relu(F, NULL));
    FAILS(F, HY_ERROR_ARGUMENT, "relu: input data is NULL");
    CHECK(!hy_add(F, NULL, x));
    FAILS(F, HY_ERROR_ARGUMENT, "add: input lhs is NULL");
    CHECK(!hy_add(F, x, NULL));
    FAILS(F, HY_ERROR_ARGUMENT, "add: input rhs is NULL");
    CHECK(!hy_dot(F, x, NULL, NULL));
    FAILS(F, HY_ERROR_ARGUMENT, "dot: input rhs is NULL");
    CHECK(!hy_sum(F, NULL, HY_ALL, NULL));
    FAILS(F, HY_ERROR_ARGUMENT, "sum: input data is NULL");
    CHECK(!hy_fully_connected(F, x, x, NULL, 2, NULL));
    FAILS(F, HY_ERROR_ARGUMENT, "fully_connected: input bias is NULL");
    CHECK(!hy_concat(F, NULL, 0));
    FAILS(F, HY_ERROR_ARGUMENT, "concat: input args is NULL");
    CHECK(hy_close(F) == 0);
}

static void frame_unknown_things_are_named(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x[2];
    x[0] = x[1] = hy_ones(F, HY_SHAPE(2));
    CHECK(!hy_apply(F, "no_such_operator", 1, x, ""));
    FAILS(F, HY_ERROR_UNKNOWN, "no_such_operator");
    CHECK(!hy_apply(F, "relu", 1, x, "colour=3"));
    FAILS(F, HY_ERROR_ARGUMENT, "colour");
    CHECK(!hy_op_find(F, "no_such_operator") && !hy_error(F));
    CHECK(!hy_emit(F, NULL, 1, x, NULL));
    FAILS(F, HY_ERROR_ARGUMENT, "operator");
    CHECK(hy_close(F) == 0);
}

static void frame_wrong_counts_are_errors(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x[3], *pair;
    x[0] = x[1] = x[2] = hy_ones(F, HY_SHAPE(2));
    pair = hy_group(F, x[0], x[1]);
    CHECK(!hy_apply(F, "relu", 2, x, ""));
    FAILS(F, HY_ERROR_ARGUMENT, "relu expects 1");
    CHECK(!hy_emit(F, hy_op_find(F, "add"), 3, x, NULL));
    FAILS(F, HY_ERROR_ARGUMENT, "add");
    CHECK(!hy_emit(F, hy_op_find(F, "add"), 0, NULL, NULL));
    FAILS(F, HY_ERROR_ARGUMENT, "add");
    CHECK(!hy_emit(F, hy_op_find(F, "add"), -1, x, NULL));
    FAILS(F, HY_ERROR_ARGUMENT, "");
    CHECK(!hy_relu(F, pair));
    FAILS(F, HY_ERROR_ARGUMENT, "group");
    CHECK(!hy_data(F, pair));
    FAILS(F, HY_ERROR_ARGUMENT, "hy_data");
    CHECK(!hy_group_of(F, 0, NULL));
    FAILS(F, HY_ERROR_ARGUMENT, "hy_group");
    CHECK(!hy_group_of(F, -1, x));
    FAILS(F, HY_ERROR_ARGUMENT, "hy_group");
    CHECK(hy_close(F) == 0);
}

static void frame_error_names_are_all_there(void)
{
    int code, other;
    for (code = 0; code < HY_ERROR_COUNT; code++) {
        CHECK(hy_error_name((hy_error_t)code) && *hy_error_name((hy_error_t)code));
        for (other = 0; other < code; other++)
            CHECK(strcmp(hy_error_name((hy_error_t)code), hy_error_name((hy_error_t)other)) != 0);
    }
    CHECK(hy_error_name((hy_error_t)-1) && hy_error_name(HY_ERROR_COUNT));
}

static void frame_null_is_out_of_memory_everywhere(void)
{
    const float data[2] = { 1, 2 };
    float room[2];
    char text[16];
    hy_array *none[2] = { NULL, NULL };
    hy_frame *F = NULL;
    CHECK(hy_error(F) && strstr(hy_error(F), "out of memory"));
    CHECK(hy_error_code(F) == HY_ERROR_MEMORY);
    CHECK(hy_wait_all(F) == HY_ERROR_MEMORY);
    hy_begin(F);
    CHECK(!hy_from(F, HY_SHAPE(2), HY_F32, data) && !hy_borrow(F, HY_SHAPE(2), HY_F32, room));
    CHECK(!hy_floats(F, HY_SHAPE(2), data) && !hy_empty(F, HY_SHAPE(2), HY_F32) && !hy_scalar(F, 1));
    CHECK(!hy_zeros(F, HY_SHAPE(2)) && !hy_ones(F, HY_SHAPE(2)) && !hy_full(F, HY_SHAPE(2), 1));
    CHECK(!hy_arange(F, 0, 2, 1) && !hy_linspace(F, 0, 2, 3) && !hy_eye(F, 2, 2, 0));
    CHECK(!hy_uniform(F, HY_SHAPE(2), 0, 1) && !hy_normal(F, HY_SHAPE(2), 0, 1));
    CHECK(!hy_randint(F, HY_SHAPE(2), 0, 2));
    CHECK(!hy_copy(F, NULL) && !hy_relu(F, NULL) && !hy_add(F, NULL, NULL) && !hy_dot(F, NULL, NULL, NULL));
    CHECK(!hy_sum(F, NULL, HY_ALL, NULL) && !hy_concat(F, NULL, 0) && !hy_shuffle(F, NULL));
    CHECK(hy_ndim(F, NULL) == 0 && hy_dim(F, NULL, 0) == 0 && hy_size(F, NULL) == 0);
    CHECK(hy_shape_of(F, NULL).ndim <= 0 && hy_dtype_of(F, NULL) == HY_DTYPE_NONE);
    (void)hy_context_of(F, NULL);
    CHECK(!hy_data(F, NULL) && !hy_write(F, NULL) && hy_item(F, NULL) == 0);
    hy_touch(F, NULL);
    hy_assign(F, NULL, NULL);
    hy_fill(F, NULL, 1);
    hy_add_to(F, NULL, NULL);
    hy_sub_from(F, NULL, NULL);
    hy_mul_by(F, NULL, NULL);
    hy_div_by(F, NULL, NULL);
    CHECK(hy_to(F, NULL, HY_F32, room, sizeof room) == 0);
    CHECK(hy_value(F, NULL, 0) == 0);
    hy_set_value(F, NULL, 1, 0);
    CHECK(!hy_view_slice(F, NULL, 0, 0, 1, 1) && !hy_view_index(F, NULL, 0, 0));
    CHECK(!hy_view_transpose(F, NULL, HY_ALL) && !hy_view_reshape(F, NULL, HY_SHAPE(1)));
    hy_print(F, NULL);
    CHECK(hy_text(F, NULL, text, sizeof text) == 0);
    CHECK(!hy_group_of(F, 2, none) && !hy_get(F, NULL, 0) && hy_count(F, NULL) == 0);
    CHECK(hy_register(F, NULL) != 0 && !hy_emit(F, NULL, 0, NULL, NULL) && !hy_apply(F, "relu", 1, none, ""));
    (void)hy_op_find(F, "relu");
    (void)hy_op_at(F, 0);
    hy_attach_grad(F, NULL, HY_GRAD_WRITE);
    hy_record(F);
    hy_pause(F);
    hy_set_training(F, 1);
    CHECK(!hy_grad_of(F, NULL) && !hy_is_recording(F) && !hy_is_training(F) && !hy_grad(F, NULL, NULL, NULL));
    hy_backward(F, NULL, NULL);
    CHECK(!hy_symbolic(F) && !hy_var(F, "x", NULL) && !hy_compile(F, NULL) && !hy_graph_run(F, NULL, NULL));
    hy_graph_free(F, NULL);
    CHECK(!hy_fork(F) && !hy_keep(F, NULL) && !hy_return(F, NULL));
    hy_free(F, NULL);
    hy_raise(F, HY_ERROR_USER, "x");
    hy_clear(F);
    hy_seed(F, 1);
    hy_trim(F);
    CHECK(hy_memory_use(F).bytes == 0 && hy_threads(F) >= 0 && hy_mode(F));
    (void)hy_isa(F);
    hy_end(F);
    (void)hy_close(F);
}

/* --- scopes and ownership --- */
static void frame_use_after_end_is_an_error(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x;
    hy_begin(F);
    x = hy_ones(F, HY_SHAPE(2));
    hy_end(F);
    FINE(F);
    CHECK(!hy_relu(F, x));
    FAILS(F, HY_ERROR_STATE, "hy_keep");
    CHECK(!hy_data(F, x));
    FAILS(F, HY_ERROR_STATE, "hy_end");
    CHECK(!hy_keep(F, x));
    FAILS(F, HY_ERROR_STATE, "hy_end");
    CHECK(hy_size(F, x) == 0);
    FAILS(F, HY_ERROR_STATE, "hy_end");
    hy_print(F, x);
    FAILS(F, HY_ERROR_STATE, "hy_end");
    CHECK(hy_close(F) == 0);
}

static void frame_use_after_free_is_an_error(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_ones(F, HY_SHAPE(2)), *y = hy_ones(F, HY_SHAPE(2));
    hy_free(F, x);
    FINE(F);
    CHECK(!hy_relu(F, x));
    FAILS(F, HY_ERROR_STATE, "relu");
    hy_free(F, x);
    FAILS(F, HY_ERROR_STATE, "hy_free");
    CHECK(hy_value(F, y, 0) == 1);
    hy_free(F, NULL);
    CHECK(hy_close(F) == 0);
}

static void frame_end_without_begin_is_an_error(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_ones(F, HY_SHAPE(2));
    hy_end(F);
    FAILS(F, HY_ERROR_STATE, "hy_end");
    CHECK(hy_value(F, x, 1) == 1);
    CHECK(hy_close(F) == 0);
}

static void frame_open_scopes_end_with_close(void)
{
    hy_frame *F = hy_open(NULL);
    hy_begin(F);
    hy_begin(F);
    hy_ones(F, HY_SHAPE(2));
    CHECK(hy_close(F) == 0);
}

static void frame_return_goes_one_scope_outward(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x, *y;
    hy_begin(F);
    hy_begin(F);
    x = hy_full(F, HY_SHAPE(2), 5);
    y = hy_full(F, HY_SHAPE(2), 6);
    CHECK(hy_return(F, x) == x);
    hy_end(F);
    CHECK(hy_value(F, x, 0) == 5);
    CHECK(!hy_relu(F, y));
    FAILS(F, HY_ERROR_STATE, "hy_end");
    hy_end(F);
    CHECK(!hy_relu(F, x));
    FAILS(F, HY_ERROR_STATE, "hy_end");
    CHECK(hy_close(F) == 0);
}

static void frame_return_step_by_step_reaches_the_top(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x;
    int depth;
    for (depth = 0; depth < 50; depth++) hy_begin(F);
    x = hy_full(F, HY_SHAPE(2), 7);
    for (depth = 0; depth < 50; depth++) {
        hy_return(F, x);
        hy_end(F);
    }
    CHECK(hy_value(F, x, 1) == 7);
    hy_return(F, x);
    FINE(F);
    CHECK(hy_value(F, x, 1) == 7);
    CHECK(hy_close(F) == 0);
}

static void frame_keep_outlives_all_scopes(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x;
    hy_begin(F);
    hy_begin(F);
    x = hy_full(F, HY_SHAPE(2), 8);
    CHECK(hy_keep(F, x) == x);
    hy_end(F);
    hy_keep(F, x);
    hy_end(F);
    CHECK(hy_value(F, x, 0) == 8);
    hy_begin(F);
    hy_free(F, x);
    hy_end(F);
    FINE(F);
    CHECK(hy_close(F) == 0);
}

static void frame_groups_take_their_members_along(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *a, *b, *returned, *kept;
    hy_begin(F);
    hy_begin(F);
    a = hy_full(F, HY_SHAPE(2), 1);
    b = hy_full(F, HY_SHAPE(3), 2);
    returned = hy_return(F, hy_group(F, a, b));
    kept = hy_keep(F, hy_group(F, hy_full(F, HY_SHAPE(1), 3), hy_full(F, HY_SHAPE(1), 4)));
    hy_end(F);
    CHECK(hy_count(F, returned) == 2);
    CHECK(hy_value(F, hy_get(F, returned, 0), 1) == 1);
    CHECK(hy_value(F, hy_get(F, returned, 1), 2) == 2);
    hy_end(F);
    FINE(F);
    CHECK(hy_count(F, kept) == 2);
    CHECK(hy_item(F, hy_get(F, kept, 0)) == 3);
    CHECK(hy_item(F, hy_get(F, kept, 1)) == 4);
    CHECK(!hy_get(F, kept, 2));
    FAILS(F, HY_ERROR_INDEX, "hy_get");
    CHECK(hy_count(F, returned) == 0);
    FAILS(F, HY_ERROR_STATE, "hy_end");
    CHECK(hy_close(F) == 0);
}

static void frame_dead_member_of_a_group_is_an_error(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *a = hy_ones(F, HY_SHAPE(2)), *b = hy_ones(F, HY_SHAPE(2)), *pair = hy_group(F, a, b);
    hy_free(F, a);
    CHECK(!hy_concat(F, pair, 0));
    FAILS(F, HY_ERROR_STATE, "concat");
    CHECK(!hy_relu(F, hy_get(F, pair, 0)));
    FAILS(F, HY_ERROR_STATE, "");
    CHECK(hy_value(F, hy_get(F, pair, 1), 0) == 1);
    CHECK(hy_close(F) == 0);
}

static void frame_view_keeps_the_memory_it_looks_into(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *view;
    hy_begin(F);
    view = hy_return(F, hy_view_slice(F, hy_arange(F, 0, 100, 1), 0, 50, 60, 2));
    hy_end(F);
    hy_begin(F);
    hy_zeros(F, HY_SHAPE(100));
    hy_end(F);
    CHECK(hy_value(F, view, 0) == 50 && hy_value(F, view, 4) == 58);
    CHECK(hy_close(F) == 0);
}

static void frame_end_restores_the_mark_after_an_error(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *outer = hy_full(F, HY_SHAPE(1), 1), *middle, *inner;
    hy_begin(F);
    middle = hy_full(F, HY_SHAPE(1), 2);
    hy_begin(F);
    inner = hy_full(F, HY_SHAPE(1), 3);
    hy_raise(F, HY_ERROR_USER, "in the middle");
    hy_begin(F);
    hy_end(F);
    hy_end(F);
    hy_clear(F);
    CHECK(hy_item(F, middle) == 2);
    CHECK(!hy_relu(F, inner));
    FAILS(F, HY_ERROR_STATE, "hy_end");
    hy_end(F);
    FINE(F);
    CHECK(hy_item(F, outer) == 1);
    hy_end(F);
    FAILS(F, HY_ERROR_STATE, "hy_end");
    CHECK(hy_close(F) == 0);
}

static void frame_roots_never_interact(void)
{
    hy_frame *F = hy_open(NULL), *G = hy_open(NULL);
    hy_array *x = hy_ones(F, HY_SHAPE(2)), *y = hy_ones(G, HY_SHAPE(2));
    CHECK(!hy_add(F, x, y));
    FAILS(F, HY_ERROR_ARGUMENT, "another");
    CHECK(!hy_data(F, y));
    FAILS(F, HY_ERROR_ARGUMENT, "another");
    hy_assign(F, x, y);
    FAILS(F, HY_ERROR_ARGUMENT, "another");
    hy_free(F, y);
    FAILS(F, HY_ERROR_ARGUMENT, "another");
    CHECK(!hy_keep(F, y));
    FAILS(F, HY_ERROR_ARGUMENT, "another");
    CHECK(!hy_return(F, y));
    FAILS(F, HY_ERROR_ARGUMENT, "another");
    CHECK(!hy_group(F, x, y));
    FAILS(F, HY_ERROR_ARGUMENT, "another");
    hy_raise(F, HY_ERROR_USER, "only in F");
    FINE(G);
    CHECK(hy_value(G, y, 0) == 1);
    CHECK(hy_close(F) == HY_ERROR_USER);
    CHECK(hy_value(G, hy_relu(G, y), 1) == 1);
    CHECK(hy_close(G) == 0);
}

static void frame_fork_reads_the_root_and_errs_alone(void)
{
    hy_frame *F = hy_open(NULL), *G = hy_fork(F);
    hy_array *x = hy_full(F, HY_SHAPE(2), 3), *y;
    hy_begin(G);
    y = hy_add(G, x, x);
    CHECK(hy_value(G, y, 0) == 6);
    hy_end(G);
    hy_raise(G, HY_ERROR_USER, "only in the fork");
    FINE(F);
    CHECK(hy_close(G) == HY_ERROR_USER);
    CHECK(hy_value(F, x, 1) == 3);
    CHECK(hy_close(F) == 0);
}

static void *frame_thread(void *fork)
{
    hy_frame *F = (hy_frame *)fork;
    hy_array *x = hy_arange(F, 0, 1000, 1), *sum = NULL;
    double error;
    int step;
    for (step = 0; step < 20; step++) {
        hy_begin(F);
        sum = hy_return(F, hy_sum(F, hy_mul(F, x, x), HY_ALL, NULL));
        hy_end(F);
    }
    error = hy_item(F, sum) - 332833500.0;
    if (error < -100 || error > 100) hy_raise(F, HY_ERROR_USER, "a wrong sum");
    return fork;
}

static void frame_forks_work_in_threads(void)
{
    hy_frame *F = hy_open(NULL), *G[3];
    pthread_t thread[3];
    int i;
    for (i = 0; i < 3; i++) {
        G[i] = hy_fork(F);
        CHECK(G[i] && !FRAME_START(&thread[i], frame_thread, G[i]));
    }
    frame_thread(F);
    for (i = 0; i < 3; i++) {
        CHECK(!FRAME_JOIN(thread[i]));
        FINE(G[i]);
        CHECK(hy_close(G[i]) == 0);
    }
    FINE(F);
    CHECK(hy_close(F) == 0);
}

/* --- hooks --- */
typedef struct frame_log { int count, level, code; char text[512]; } frame_log;

static void frame_log_fn(void *user, int level, int code, const char *text)
{
    frame_log *log = (frame_log *)user;
    if (log->count++) return;
    log->level = level;
    log->code = code;
    snprintf(log->text, sizeof log->text, "%s", text);
}

static void frame_log_hook_gets_the_first_error(void)
{
    frame_log log = { 0, 0, 0, "" };
    hy_desc desc = { 0 };
    hy_frame *F;
    desc.log_fn = frame_log_fn;
    desc.log_user = &log;
    log.level = -1;
    F = hy_open(&desc);
    hy_ones(F, HY_SHAPE(2));
    CHECK(log.count == 0);
    hy_add(F, hy_ones(F, HY_SHAPE(2)), hy_ones(F, HY_SHAPE(3)));
    hy_raise(F, HY_ERROR_USER, "later");
    CHECK(log.count == 1 && log.level == HY_LOG_ERROR && log.code == HY_ERROR_SHAPE);
    CHECK_STR(log.text, hy_error(F));
    CHECK(hy_close(F) == HY_ERROR_SHAPE);
}

typedef struct frame_heap { int64_t calls, live, fail_at, fail_from; } frame_heap;

static void *frame_alloc(void *user, size_t bytes)
{
    frame_heap *heap = (frame_heap *)user;
    void *block;
    heap->calls++;
    if (heap->calls == heap->fail_at || (heap->fail_from && heap->calls >= heap->fail_from)) return NULL;
    block = malloc(bytes);
    if (block) heap->live++;
    return block;
}

static void frame_give_back(void *user, void *block)
{
    if (block) ((frame_heap *)user)->live--;
    free(block);
}

static hy_frame *frame_open_on(frame_heap *heap)
{
    hy_desc desc = { 0 };
    desc.threads = 1;
    desc.allocator.alloc_fn = frame_alloc;
    desc.allocator.free_fn = frame_give_back;
    desc.allocator.user_data = heap;
    return hy_open(&desc);
}

/* A bit of everything that takes memory. */
static void frame_program(hy_frame *F)
{
    hy_array *w = hy_normal(F, HY_SHAPE(3), 0, 1), *x = hy_uniform(F, HY_SHAPE(50, 3), 0, 1), *y, *loss;
    char text[64];
    hy_frame *G;
    int step;
    hy_attach_grad(F, w, HY_GRAD_WRITE);
    for (step = 0; step < 3; step++) {
        hy_begin(F);
        hy_record(F);
        y = hy_dot(F, x, w, NULL);
        loss = hy_mean(F, hy_square(F, y), HY_ALL, NULL);
        hy_pause(F);
        hy_backward(F, loss, NULL);
        hy_sub_from(F, w, hy_mul_scalar(F, hy_grad_of(F, w), 0.1));
        hy_return(F, hy_group(F, y, hy_view_slice(F, y, 0, 0, 9, 3)));
        if (step == 1) hy_keep(F, loss);
        hy_text(F, hy_view_transpose(F, x, HY_ALL), text, sizeof text);
        hy_end(F);
    }
    G = hy_fork(F);
    hy_concat(G, hy_group(G, x, x), 0);
    hy_close(G);
    hy_begin(F);
    hy_apply(F, "sum", 1, &x, "axis=(0,)");
}

static void frame_allocations_balance(void)
{
    frame_heap heap = { 0, 0, 0, 0 };
    hy_frame *F = frame_open_on(&heap);
    frame_program(F);
    FINE(F);
    CHECK(heap.calls > 0 && heap.live > 0);
    hy_raise(F, HY_ERROR_USER, "even then");
    hy_close(F);
    CHECK(heap.live == 0);
}

static void frame_survives_every_failed_allocation(void)
{
    int64_t n, calls = 1;
    int from;
    for (from = 0; from < 2; from++)
        for (n = 1; n <= calls; n++) {
            frame_heap heap = { 0, 0, 0, 0 };
            hy_frame *F;
            int code;
            if (from) heap.fail_from = n;
            else heap.fail_at = n;
            F = frame_open_on(&heap);
            frame_program(F);
            code = hy_close(F);
            if (!CHECK(code == 0 || code == HY_ERROR_MEMORY) || !CHECK(heap.live == 0)) return;
            if (!from && n == calls && heap.calls > calls) calls = heap.calls;
        }
}

static void frame_huge_array_is_out_of_memory(void)
{
    frame_heap heap = { 0, 0, 0, 0 };
    hy_frame *F = frame_open_on(&heap);
    heap.fail_from = heap.calls + 1;
    CHECK(!hy_zeros(F, HY_SHAPE(1 << 20, 1 << 20)));
    FAILS(F, HY_ERROR_MEMORY, "memory");
    heap.fail_from = 0;
    CHECK(hy_value(F, hy_ones(F, HY_SHAPE(2)), 0) == 1);
    CHECK(hy_close(F) == 0);
    CHECK(heap.live == 0);
}

/* Turns of a loop body, after five to settle: how many calls of the allocator did they take? */
static int64_t frame_calls_of_loop(void (*body)(hy_frame *F, hy_array *x, hy_array *w))
{
    frame_heap heap = { 0, 0, 0, 0 };
    hy_frame *F = frame_open_on(&heap);
    hy_array *x = hy_uniform(F, HY_SHAPE(50, 3), 0, 1), *w = hy_zeros(F, HY_SHAPE(3));
    int64_t calls = 0, counted = 0;
    int step;
    hy_attach_grad(F, w, HY_GRAD_WRITE);
    for (step = 0; step < 55; step++) {
        if (step == 5) {
            calls = heap.calls;
            counted = hy_memory_use(F).calls;
        }
        hy_begin(F);
        body(F, x, w);
        hy_end(F);
    }
    FINE(F);
    calls = heap.calls - calls;
    CHECK(calls || hy_memory_use(F).calls == counted);
    CHECK(hy_close(F) == 0);
    CHECK(heap.live == 0);
    return calls;
}

static void frame_forward(hy_frame *F, hy_array *x, hy_array *w)
{
    hy_array *y = hy_add(F, hy_dot(F, x, w, NULL), hy_uniform(F, HY_SHAPE(50), 0, 1));
    char text[256];
    hy_begin(F);
    y = hy_return(F, hy_concat(F, hy_group(F, y, hy_view_slice(F, y, 0, 10, 0, -1)), 0));
    hy_end(F);
    hy_free(F, hy_keep(F, hy_relu(F, y)));
    hy_text(F, y, text, sizeof text);
    hy_assign(F, w, hy_mean(F, y, HY_ALL, NULL));
}

static void frame_train(hy_frame *F, hy_array *x, hy_array *w)
{
    hy_array *loss;
    hy_record(F);
    loss = hy_mean(F, hy_square(F, hy_dot(F, x, w, NULL)), HY_ALL, NULL);
    hy_pause(F);
    hy_backward(F, loss, NULL);
    hy_sub_from(F, w, hy_mul_scalar(F, hy_grad_of(F, w), 0.01));
}

static void frame_steady_loop_makes_no_allocator_calls(void)
{
    CHECK_NEAR((double)frame_calls_of_loop(frame_forward), 0, 0);
}

static void frame_steady_training_makes_no_allocator_calls(void)
{
    CHECK_NEAR((double)frame_calls_of_loop(frame_train), 0, 0);
}

static void frame_memory_use_tells_and_trim_gives_back(void)
{
    hy_frame *F = hy_open(NULL);
    hy_memory before = hy_memory_use(F), during, after;
    hy_begin(F);
    hy_zeros(F, HY_SHAPE(100000));
    during = hy_memory_use(F);
    CHECK(during.bytes >= before.bytes + 400000 && during.peak >= during.bytes);
    CHECK(during.calls > before.calls);
    hy_end(F);
    CHECK(hy_memory_use(F).cached >= 400000);
    hy_trim(F);
    after = hy_memory_use(F);
    CHECK(after.cached == 0 && after.bytes < during.bytes && after.peak >= during.bytes);
    CHECK(hy_close(F) == 0);
}

/* --- everything from one block --- */
static void frame_lives_in_one_block(void)
{
    enum { SIZE = 1 << 20, EDGE = 64 };
    unsigned char *block = (unsigned char *)malloc(SIZE + 2 * EDGE);
    frame_heap heap = { 0, 0, 0, 0 };
    hy_desc desc = { 0 };
    hy_memory use;
    hy_frame *F;
    int odd, i;
    for (odd = 0; block && odd < 3; odd++) {        /* no alignment is asked of the block */
        memset(block, 0xa5, SIZE + 2 * EDGE);
        desc.memory = block + EDGE - odd;
        desc.memory_bytes = SIZE;
        desc.threads = 1;
        desc.allocator.alloc_fn = frame_alloc;
        desc.allocator.free_fn = frame_give_back;
        desc.allocator.user_data = &heap;
        F = hy_open(&desc);
        if (!CHECK(F != NULL)) break;
        frame_program(F);
        FINE(F);
        use = hy_memory_use(F);
        CHECK(use.peak > 0 && use.peak <= SIZE && use.bytes <= use.peak);
        CHECK(hy_close(F) == 0);
        CHECK(heap.calls == 0);
        for (i = 0; i < EDGE - odd; i++) CHECK(block[i] == 0xa5);
        for (i = SIZE + EDGE - odd; i < SIZE + 2 * EDGE; i++) CHECK(block[i] == 0xa5);
    }
    free(block);
}

static void frame_block_too_small_is_null_or_an_error(void)
{
    hy_desc desc = { 0 };
    size_t bytes;
    int opened = 0, enough = 0;
    desc.threads = 1;
    for (bytes = 0; bytes < 300000 && !enough; bytes = bytes < 256 ? bytes + 1 : bytes * 5 / 4) {
        hy_frame *F;
        int code;
        desc.memory = malloc(bytes ? bytes : 1);
        desc.memory_bytes = bytes;
        F = hy_open(&desc);
        if (F && bytes) {
            opened++;
            frame_program(F);
            CHECK(hy_memory_use(F).peak <= bytes);
            if (hy_error(F)) CHECK(strstr(hy_error(F), "memory") != NULL);
            code = hy_close(F);
            CHECK(code == 0 || code == HY_ERROR_MEMORY);
            enough = code == 0;
        } else hy_close(F);
        free(desc.memory);
    }
    CHECK(opened > 0 && enough);
}

static void frame_block_is_used_again(void)
{
    hy_desc desc = { 0 };
    hy_frame *F;
    size_t settled;
    int step;
    desc.threads = 1;
    desc.memory_bytes = 1 << 18;
    desc.memory = malloc(desc.memory_bytes);
    F = hy_open(&desc);
    for (step = 0; step < 100; step++) {            /* ever other sizes: 100 of them would not fit */
        hy_begin(F);
        hy_relu(F, hy_zeros(F, HY_SHAPE(4000 + 16 * step)));
        hy_end(F);
    }
    FINE(F);
    settled = hy_memory_use(F).peak;
    CHECK(settled <= desc.memory_bytes);
    CHECK(!hy_zeros(F, HY_SHAPE(1 << 20)));
    FAILS(F, HY_ERROR_MEMORY, "memory");
    CHECK(hy_value(F, hy_ones(F, HY_SHAPE(3)), 2) == 1);
    CHECK(hy_close(F) == 0);
    free(desc.memory);
}

/* --- a host's job system --- */
static void frame_jobs(void *user, int64_t n, void (*fn)(void *arg, int64_t i, int worker), void *arg)
{
    ++*(int *)user;
    while (n-- > 0) fn(arg, n, 0);
}

static void frame_job_system_of_the_host_gives_the_same_bits(void)
{
    hy_desc desc = { 0 };
    hy_frame *F, *G;
    hy_array *x, *y;
    int used = 0;
    desc.threads = 4;
    G = hy_open(&desc);
    desc.parallel_for = frame_jobs;
    desc.parallel_user = &used;
    F = hy_open(&desc);
    x = hy_sum(F, hy_normal(F, HY_SHAPE(100, 100), 0, 1), HY_AXES(1), NULL);
    y = hy_sum(G, hy_normal(G, HY_SHAPE(100, 100), 0, 1), HY_AXES(1), NULL);
    CHECK(hy_data(F, x) && hy_data(G, y) && !memcmp(hy_data(F, x), hy_data(G, y), 100 * sizeof(float)));
    CHECK(used > 0);
    CHECK(hy_close(F) == 0);
    CHECK(hy_close(G) == 0);
}

/* A compiled graph, once it has run, runs without the allocator. */
static void frame_replay_makes_no_allocator_calls(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *x = hy_ones(F, HY_SHAPE(8, 16)), *w = hy_ones(F, HY_SHAPE(4, 16)), *b = hy_zeros(F, HY_SHAPE(4));
    hy_array *xs, *ws, *s;
    hy_graph *graph;
    int64_t before = 0;
    int i;
    xs = hy_var(S, "x", NULL);          /* one statement each: C leaves the order of arguments open */
    ws = hy_var(S, "w", NULL);
    s = hy_fully_connected(S, xs, ws, hy_var(S, "b", NULL), 4, NULL);
    graph = hy_compile(S, hy_sum(S, hy_tanh(S, s), HY_AXES(1), NULL));
    for (i = 0; i < 20; i++) {
        hy_begin(F);
        CHECK(hy_graph_run(F, graph, hy_group(F, x, w, b)) != NULL);
        hy_end(F);
        if (i == 4) before = hy_memory_use(F).calls;
    }
    CHECK(hy_memory_use(F).calls == before);
    hy_close(S);
    CHECK(hy_close(F) == 0);
}

static void test_frame(void)
{
    RUN(frame_replay_makes_no_allocator_calls);
    RUN(frame_opens_and_closes);
    RUN(frame_threads_and_isa_obey_the_desc);
    RUN(frame_symbolic_mode_is_symbol);
    RUN(frame_error_says_operator_shapes_types);
    RUN(frame_first_error_stays);
    RUN(frame_raise_takes_any_code_and_text);
    RUN(frame_is_inert_after_an_error);
    RUN(frame_null_passes_silently_once_an_error_stands);
    RUN(frame_cleared_error_is_not_the_close_code);
    RUN(frame_null_input_is_named);
    RUN(frame_unknown_things_are_named);
    RUN(frame_wrong_counts_are_errors);
    RUN(frame_error_names_are_all_there);
    RUN(frame_null_is_out_of_memory_everywhere);
    RUN(frame_use_after_end_is_an_error);
    RUN(frame_use_after_free_is_an_error);
    RUN(frame_end_without_begin_is_an_error);
    RUN(frame_open_scopes_end_with_close);
    RUN(frame_return_goes_one_scope_outward);
    RUN(frame_return_step_by_step_reaches_the_top);
    RUN(frame_keep_outlives_all_scopes);
    RUN(frame_groups_take_their_members_along);
    RUN(frame_dead_member_of_a_group_is_an_error);
    RUN(frame_view_keeps_the_memory_it_looks_into);
    RUN(frame_end_restores_the_mark_after_an_error);
    RUN(frame_roots_never_interact);
    RUN(frame_fork_reads_the_root_and_errs_alone);
    RUN(frame_forks_work_in_threads);
    RUN(frame_log_hook_gets_the_first_error);
    RUN(frame_allocations_balance);
    RUN(frame_survives_every_failed_allocation);
    RUN(frame_huge_array_is_out_of_memory);
    RUN(frame_steady_loop_makes_no_allocator_calls);
    RUN(frame_steady_training_makes_no_allocator_calls);
    RUN(frame_memory_use_tells_and_trim_gives_back);
    RUN(frame_lives_in_one_block);
    RUN(frame_block_too_small_is_null_or_an_error);
    RUN(frame_block_is_used_again);
    RUN(frame_job_system_of_the_host_gives_the_same_bits);
}
