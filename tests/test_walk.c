/* What a critical reader of the rooms found: each of these failed once. What took time that grew with the square
 * has sizes here that show it, and no clock: machines that run tests are busy. */

/* Arrays that leave their scope in the order in which they were made, as those of a queue do: 50,000 took eight
 * seconds. Scopes stay what they were. */
static void walk_queues_are_linear(void)
{
    enum { MANY = 50000 };
    hy_frame *F = hy_open(NULL);
    hy_array **x = (hy_array **)malloc(MANY * sizeof *x);
    int i, wrong = 0;
    for (i = 0; i < MANY; i++) x[i] = hy_scalar(F, i);
    for (i = 0; i < MANY; i++) hy_free(F, x[i]);
    for (i = 0; i < MANY; i++) x[i] = hy_scalar(F, i);
    for (i = 0; i < MANY; i += 2) hy_keep(F, x[i]);
    for (i = 0; i < MANY; i++) wrong += hy_item(F, x[i]) != i;
    CHECK(!wrong);
    FINE(F);
    free(x);
    hy_close(F);
}

/* Scopes within scopes, from which arrays are kept, freed and returned in any order: who lives is a matter of
 * scopes alone. */
static void walk_scopes_lose_nothing(void)
{
    enum { DEEP = 6, MANY = 300 };
    hy_frame *F = hy_open(NULL);
    hy_array *x[MANY];
    int scope[MANY], gone[MANY], i, n = 0, depth = 0, turn, wrong = 0;
    uint32_t draw = 1;
    for (turn = 0; turn < 20000; turn++) {
        int what, at;
        draw = draw * 1664525u + 1013904223u;
        what = (int)(draw >> 24 & 7);
        at = n ? (int)(draw >> 8 & 0xffff) % n : 0;
        if (what < 3 && n < MANY) {
            gone[n] = 0;
            scope[n] = depth;
            x[n] = hy_scalar(F, n);
            n++;
        } else if (what == 3 && depth < DEEP) {
            hy_begin(F);
            depth++;
        } else if (what == 4 && depth) {
            hy_end(F);
            for (i = 0; i < n; i++) if (scope[i] == depth) gone[i] = 1;
            depth--;
        } else if (what == 5 && n && !gone[at]) {
            hy_keep(F, x[at]);
            scope[at] = -1;
        } else if (what >= 6 && n && !gone[at]) {
            hy_free(F, x[at]);
            gone[at] = 1;
        }
        for (i = 0; i < n; i++) if (!gone[i]) wrong += hy_item(F, x[i]) != i;
        if (n == MANY) {                /* handles of the dead are used again: begin anew */
            while (depth) { hy_end(F); depth--; }
            for (i = 0; i < n; i++) if (!gone[i] && scope[i] <= 0) hy_free(F, x[i]);
            n = 0;
        }
    }
    CHECK(!wrong);
    FINE(F);
    hy_close(F);
}

/* A group whose member was freed is printed no further: the member's memory is somebody else's. */
static void walk_groups_of_the_dead_have_no_text(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *a = hy_ones(F, HY_SHAPE(2)), *b = hy_zeros(F, HY_SHAPE(2)), *pair = hy_group(F, a, b);
    hy_array *group = hy_group(F, pair, b);
    char text[200];
    hy_free(F, a);
    hy_text(F, pair, text, sizeof text);
    FAILS(F, HY_ERROR_STATE, "hy_text: the array is used after its hy_end");
    hy_text(F, group, text, sizeof text);
    FAILS(F, HY_ERROR_STATE, "hy_text: the array is used after its hy_end");
    hy_free(F, pair);
    hy_text(F, group, text, sizeof text);
    FAILS(F, HY_ERROR_STATE, "hy_text: the array is used after its hy_end");
    hy_close(F);
}

/* A parameter that has no values yet is no text, alone or in a group: which one, and what to call, is said. */
static void walk_parameters_without_values_have_no_text(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_dense(F, 2, NULL);
    hy_array *given = hy_add_param(F, net, "given", HY_SHAPE(2, 2), NULL), *open;
    char text[200];
    hy_text(F, given, text, sizeof text);
    FAILS(F, HY_ERROR_STATE, "hy_text: Parameter 'given' has not been initialized");
    hy_text(F, hy_group(F, hy_ones(F, HY_SHAPE(1)), given), text, sizeof text);
    FAILS(F, HY_ERROR_STATE, "hy_text: Parameter 'given' has not been initialized");
    hy_print(F, given);
    FAILS(F, HY_ERROR_STATE, "hy_print: Parameter 'given' has not been initialized");
    hy_initialize(F, net, NULL);
    open = hy_param(F, net, "weight");
    hy_text(F, open, text, sizeof text);
    FAILS(F, HY_ERROR_STATE, "the initialization of parameter 'dense0_weight' was deferred");
    CHECK(hy_text(F, given, text, sizeof text) > 0 && strstr(text, "<NDArray (2,2) float32>"));
    FINE(F);
    hy_close(F);
}

/* A second graph of the same symbols leaves the names of the first as they are, numbers what is new behind
 * them, and finds what the first is known to have. */
static void walk_names_of_a_finished_graph_stay(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *x = hy_var(S, "x", NULL), *a = hy_relu(S, hy_exp(S, x)), *b = hy_relu(S, hy_relu(S, a)), *c;
    hy_graph *first = hy_compile(S, b), *second;
    char before[400], after[400];
    hy_graph_text(first, HY_FORM_LINES, before, sizeof before);
    c = hy_relu(S, x);
    second = hy_compile(S, hy_group(S, c, b));
    hy_graph_text(first, HY_FORM_LINES, after, sizeof after);
    CHECK_STR(after, before);
    CHECK_STR(hy_graph_name(first, HY_NAMES_OUTPUTS, 0), "relu2_output");
    CHECK_STR(hy_name_of(S, b), "relu2");
    CHECK_STR(hy_name_of(S, c), "relu3");
    CHECK_STR(hy_name_of(S, hy_output_named(S, hy_internals(S, b), "relu0_output")), hy_name_of(S, a));
    hy_graph_text(second, HY_FORM_LINES, after, sizeof after);
    CHECK(strstr(after, "relu3 = relu(x)") && strstr(after, "print(relu3, relu2)"));
    CHECK(hy_graph_text(first, HY_FORM_LINES, NULL, 100) == strlen(before));
    FINE(S);
    hy_close(S);
    hy_close(F);
}

/* A node that was given a name does not make the next one look further back: 40,000 took two seconds. */
static void walk_given_names_are_linear(void)
{
    hy_frame *F = hy_open(NULL), *S = hy_symbolic(F);
    hy_array *x = hy_var(S, "x", NULL);
    char name[40];
    int i;
    for (i = 0; i < 100000; i++) {
        sprintf(name, "layer%d", i);
        x = hy_named(S, hy_relu(S, x), name);
    }
    CHECK_STR(hy_name_of(S, x), "layer99999");
    CHECK_STR(hy_name_of(S, hy_relu(S, x)), "relu0");
    FINE(S);
    hy_close(S);
    hy_close(F);
}

/* Programs of many results, each another output of one operator or all the same one. */
static hy_array *walk_split(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_split(F, x, (int)hy_dim(F, x, 0), 0, NULL);
}

static hy_array *walk_same(hy_frame *F, hy_block *self, hy_array *x)
{
    enum { MANY = 20000 };
    hy_array **y = (hy_array **)malloc(MANY * sizeof *y), *all;
    int i;
    (void)self;
    x = hy_relu(F, x);
    for (i = 0; i < MANY; i++) y[i] = i % 2 ? x : hy_mul_scalar(F, x, 1);       /* which is x, too */
    all = hy_group_of(F, MANY, y);
    free(y);
    return all;
}

static void walk_many_results_are_linear(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_uniform(F, HY_SHAPE(20000, 1), -1, 1), *y;
    size_t bytes;
    void *room;
    int turn, i, wrong = 0;
    for (turn = 0; turn < 2; turn++) {
        hy_block *net = hy_block_new(F, sizeof(hy_block), "walk", turn ? walk_same : walk_split, 1);
        if (turn) x = hy_ones(F, HY_SHAPE(1));
        hy_hybridize(F, net, NULL);
        y = hy_call(F, net, x);
        hy_graph_text(hy_graph_of(F, net), HY_FORM_LINES, NULL, 0);
        bytes = hy_plan(F, net, x).total;
        room = malloc(bytes + 64);
        hy_bind(F, net, x, (void *)(((uintptr_t)room + 63) & ~(uintptr_t)63), bytes);
        hy_begin(F);
        y = hy_call(F, net, x);
        FINE(F);
        for (i = 0; i < hy_count(F, y); i++)
            wrong += hy_item(F, hy_get(F, y, i)) != (turn ? 1 : ((const float *)hy_data(F, x))[i]);
        CHECK(!turn || (hy_get(F, y, 0) != hy_get(F, y, 1) && hy_get(F, y, 0) != hy_get(F, y, 2)));
        hy_end(F);
        hy_block_free(F, net);
        free(room);
    }
    CHECK(!wrong);
    FINE(F);
    hy_close(F);
}

/* A loop whose body takes more from outside than the file's list of places holds is refused: once it was
 * written, and could not be read. */
static hy_array *walk_greedy_body(hy_frame *F, hy_array *x, hy_array *sum, void *user)
{
    hy_array **outside = (hy_array **)user;
    int i;
    for (i = 0; outside[i]; i++) sum = hy_add(F, sum, outside[i]);
    return hy_group(F, x, sum);
}

static hy_array *walk_greedy(hy_frame *F, hy_block *self, hy_array *x)
{
    static const int many[] = { 900, 2000 };
    int n = many[hy_dim(F, x, 0) - 1], i;
    hy_array **outside = (hy_array **)calloc((size_t)n + 1, sizeof *outside), *y;
    (void)self;
    for (i = 0; i < n; i++) outside[i] = hy_mul_scalar(F, x, i + 1);
    y = hy_foreach(F, walk_greedy_body, x, hy_zeros_like(F, x), outside);
    free(outside);
    return hy_get(F, y, 1);
}

static void walk_greedy_loops_are_not_written(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_block_new(F, sizeof(hy_block), "greedy", walk_greedy, 1), *back;
    hy_array *x, *file;
    hy_hybridize(F, net, NULL);
    x = hy_ones(F, HY_SHAPE(1));
    hy_call(F, net, x);
    file = hy_save_model_to(F, net, NULL);
    back = hy_load_model_from(F, hy_data(F, file), (size_t)hy_size(F, file), 0);
    CHECK(hy_item(F, hy_call(F, back, x)) == hy_item(F, hy_call(F, net, x)));
    FINE(F);
    hy_call(F, net, hy_ones(F, HY_SHAPE(2)));
    FINE(F);
    hy_save_model_to(F, net, NULL);
    FAILS(F, HY_ERROR_UNSUPPORTED, "takes 2002 values, more than a file can tell");
    hy_close(F);
}

static void test_walk(void)
{
    RUN(walk_many_results_are_linear);
    RUN(walk_greedy_loops_are_not_written);
    RUN(walk_names_of_a_finished_graph_stay);
    RUN(walk_given_names_are_linear);
    RUN(walk_queues_are_linear);
    RUN(walk_scopes_lose_nothing);
    RUN(walk_groups_of_the_dead_have_no_text);
    RUN(walk_parameters_without_values_have_no_text);
}
