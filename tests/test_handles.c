/* A handle that is no array, met in a function that the library calls: the error names that function and says what
 * it gets. Each function here takes another of its arguments for an array, as one of the wrong form does. */

typedef struct { char bytes[sizeof(hy_array)]; hy_array *dead, *array; int what; } calls_user;
enum { CALLS_USER, CALLS_DEAD, CALLS_NULL };
static hy_array *calls_wrong(hy_frame *F, void *user)
{
    calls_user *u = (calls_user *)user;
    return hy_relu(F, u->what == CALLS_USER ? (hy_array *)user : u->what == CALLS_DEAD ? u->dead : NULL);
}
static calls_user *calls_now;           /* for functions without a user */
static hy_array *calls_forward(hy_frame *F, hy_block *self, hy_array *x) { (void)self; (void)x; return calls_wrong(F, calls_now); }
static hy_array *calls_takes_self(hy_frame *F, hy_block *self, hy_array *x) { (void)x; return hy_relu(F, (hy_array *)(void *)self); }
static hy_array *calls_body(hy_frame *F, hy_array *x, hy_array *s, void *user) { (void)x; (void)s; return calls_wrong(F, user); }
static hy_array *calls_step(hy_frame *F, hy_array *x, void *user) { (void)x; return calls_wrong(F, user); }
static hy_array *calls_true(hy_frame *F, hy_array *x, void *user) { (void)x; (void)user; return hy_ones(F, HY_SHAPE(1)); }
static void calls_hook(hy_frame *F, hy_block *b, hy_array *x, hy_array *y, void *user) { (void)b; (void)x; (void)y; calls_wrong(F, user); }
static void calls_visit(hy_frame *F, hy_block *b, void *user) { (void)b; calls_wrong(F, user); }
static void calls_init(hy_frame *F, const hy_init *init, const char *name, hy_array *x) { (void)init; (void)name; (void)x; calls_wrong(F, calls_now); }
static void calls_metric(hy_frame *F, hy_array *l, hy_array *p, double *s, double *c, void *user) { (void)l; (void)p; (void)s; (void)c; calls_wrong(F, user); }
static void calls_reduce(hy_frame *F, int n, hy_array *const *g, void *user) { (void)n; (void)g; calls_wrong(F, user); }
static int calls_each(hy_frame *F, const hy_epoch *e, void *user) { (void)e; calls_wrong(F, user); return 0; }

/* The ways to have one called. */
static void calls_a_lambda(hy_frame *F, calls_user *u)
{
    calls_now = u;
    hy_call(F, hy_nn_lambda(F, calls_forward, NULL), u->array);
}
static void calls_a_hybrid_lambda(hy_frame *F, calls_user *u)
{
    hy_block *net = hy_nn_hybrid_sequential(F);
    calls_now = u;
    hy_append(F, net, hy_nn_identity(F), hy_nn_hybrid_lambda(F, calls_forward, NULL));
    hy_hybridize(F, net, NULL);
    hy_call(F, net, u->array);
}
static void calls_a_block(hy_frame *F, calls_user *u)
{
    calls_now = u;
    hy_call(F, hy_block_new(F, sizeof(hy_block), "mine", calls_forward, 1), u->array);
}
static void calls_a_compiled_block(hy_frame *F, calls_user *u)
{
    hy_block *b = hy_block_new(F, sizeof(hy_block), "mine", calls_forward, 1);
    calls_now = u;
    hy_hybridize(F, b, NULL);
    hy_call(F, b, u->array);
}
static void calls_foreach(hy_frame *F, calls_user *u) { hy_foreach(F, calls_body, u->array, NULL, u); }
static void calls_while_cond(hy_frame *F, calls_user *u) { hy_while_loop(F, calls_step, calls_step, u->array, 3, u); }
static void calls_while_body(hy_frame *F, calls_user *u) { hy_while_loop(F, calls_true, calls_step, u->array, 3, u); }
static void calls_cond_then(hy_frame *F, calls_user *u) { hy_cond(F, hy_ones(F, HY_SHAPE(1)), calls_step, calls_true, u->array, u); }
static void calls_cond_else(hy_frame *F, calls_user *u) { hy_cond(F, hy_zeros(F, HY_SHAPE(1)), calls_true, calls_step, u->array, u); }
static void calls_check_grad(hy_frame *F, calls_user *u) { hy_check_grad(F, calls_step, u, u->array, 1e-3); }
static void calls_a_hook(hy_frame *F, calls_user *u)
{
    hy_block *b = hy_nn_identity(F);
    hy_add_hook(F, b, HY_HOOK_BEFORE, calls_hook, u);
    hy_call(F, b, u->array);
}
static void calls_hy_visit(hy_frame *F, calls_user *u) { hy_visit(F, hy_nn_identity(F), calls_visit, u); }
static void calls_an_init(hy_frame *F, calls_user *u)
{
    hy_block *net = hy_nn_dense(F, 1, NULL);
    hy_init init;
    memset(&init, 0, sizeof init);
    init.fn = calls_init;
    calls_now = u;
    hy_initialize(F, net, &init);
    hy_call(F, net, u->array);
}
static void calls_a_metric(hy_frame *F, calls_user *u)
{
    hy_metric_update(F, hy_metric_custom(F, calls_metric, u, NULL), u->array, u->array);
}
static hy_trainer *calls_trainer(hy_frame *F, calls_user *u, hy_block *net, hy_trainer_opt *o)
{
    (void)u;
    hy_initialize(F, net, NULL);
    return hy_trainer_new(F, net, hy_optim_sgd(NULL), o);
}
static void calls_a_reduce(hy_frame *F, calls_user *u)
{
    hy_trainer_opt o;
    hy_block *net = hy_nn_dense(F, 1, NULL);
    hy_trainer *T;
    hy_array *y;
    memset(&o, 0, sizeof o);
    o.reduce = calls_reduce;
    o.reduce_user = u;
    T = calls_trainer(F, u, net, &o);
    hy_record(F);
    y = hy_call(F, net, u->array);
    hy_pause(F);
    hy_backward(F, y, NULL);
    hy_step(F, T, 1);
}
static void calls_an_each(hy_frame *F, calls_user *u)
{
    hy_fit_opt o;
    hy_block *net = hy_nn_dense(F, 1, NULL);
    hy_array *label = hy_ones(F, HY_SHAPE(2, 1));
    hy_trainer *T = calls_trainer(F, u, net, NULL);
    memset(&o, 0, sizeof o);
    o.progress = -1;
    o.each = calls_each;
    o.user = u;
    hy_fit(F, net, hy_loss_l2(F, NULL), T, hy_loader_new(F, hy_dataset_arrays(F, hy_group(F, u->array, label)), 1, NULL), NULL, &o);
}
static int calls_grad(hy_frame *F, hy_diff *D) { (void)D; return calls_wrong(F, calls_now) == NULL; }
static int calls_op_infer(hy_infer *I) { return hy_infer_pointwise(I); }
static void calls_op_run(const hy_job *job, hy_run *now, int stage, int64_t item, void *scratch, void *shared)
{
    (void)job; (void)now; (void)stage; (void)item; (void)scratch; (void)shared;
}
static int calls_op_bind(hy_job *job) { job->run = calls_op_run; job->stages = 1; job->items[0] = 1; return 0; }
static void calls_an_operator(hy_frame *F, calls_user *u)
{
    static const hy_arg in[] = { { "data", HY_ARG_ONE }, { NULL, HY_ARG_ONE } }, out[] = { { "output", HY_ARG_ONE }, { NULL, HY_ARG_ONE } };
    static const hy_attr attr[1];
    hy_op op;
    hy_array *x = u->array, *y;
    memset(&op, 0, sizeof op);
    op.name = "calls_mine";
    op.in = in;
    op.out = out;
    op.attr = attr;
    op.infer = calls_op_infer;
    op.bind = calls_op_bind;
    op.grad = calls_grad;
    calls_now = u;
    hy_register(F, &op);
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_record(F);
    y = hy_emit(F, hy_op_find(F, "calls_mine"), 1, &x, NULL);
    hy_pause(F);
    hy_backward(F, y, NULL);
}

static const struct { void (*call)(hy_frame *F, calls_user *u); const char *says, *also; } calls_case[] = {
    { calls_a_lambda, "in the function of a lambda, which gets (F, block, x)", "[in lambda0, called at " },
    { calls_a_hybrid_lambda, "in the function of a lambda, which gets (F, block, x)", "[in hybridsequential0.1" },
    { calls_a_block, "in forward of mine, which gets (F, block, x)", "[in mine0" },
    { calls_a_compiled_block, "in forward of mine, which gets (F, block, x)", "[in mine0" },
    { calls_foreach, "in the body of hy_foreach, which gets (F, item, states, user)", "" },
    { calls_while_cond, "in the condition of hy_while_loop, which gets (F, loop_vars, user)", "" },
    { calls_while_body, "in the body of hy_while_loop, which gets (F, loop_vars, user)", "" },
    { calls_cond_then, "in the first branch of hy_cond, which gets (F, inputs, user)", "" },
    { calls_cond_else, "in the second branch of hy_cond, which gets (F, inputs, user)", "" },
    { calls_check_grad, "in the function of hy_check_grad, which gets (F, inputs, user)", "" },
    { calls_a_hook, "in a hook, which gets (F, block, x, y, user)", "[in identity0" },
    { calls_hy_visit, "in the function of hy_visit, which gets (F, block, user)", "" },
    { calls_an_init, "in an initialiser, which gets (F, init, name, x)", "" },
    { calls_a_metric, "in the function of a metric, which gets (F, label, prediction, sum, count, user)", "" },
    { calls_a_reduce, "in `reduce` of the trainer, which gets (F, n, grads, user)", "" },
    { calls_an_each, "in `each` of hy_fit, which gets (F, epoch, user)", "" },
    { calls_an_operator, "in the gradient of operator calls_mine, which gets (F, diff)", "" } };

static void calls_says(hy_frame *F, const char *what, const char *which, const char *also)
{
    const char *text = hy_error(F) ? hy_error(F) : "no error";
    int right = strstr(text, what) && strstr(text, which) && strstr(text, also);
    if (!right) printf("    got \"%s\"\n    due \"%s\", \"%s\", \"%s\"\n", text, what, which, also);
    CHECK(right);
}

/* What a frame says of x now. */
static const char *calls_names(hy_frame *F, int i, int what)
{
    static const char *const due[] = { "relu: what it is given is no array; this is ",
        "relu: the array is used after its hy_end: hy_keep or hy_return it before; this is ", "relu: input data is NULL; this is " };
    calls_user u;
    memset(&u, 0, sizeof u);
    u.what = what;
    u.array = hy_full(F, HY_SHAPE(2, 3), 0.5);
    hy_begin(F);
    u.dead = hy_ones(F, HY_SHAPE(2));
    hy_end(F);
    calls_case[i].call(F, &u);
    return due[what];
}

static void calls_wrong_handles_name_the_function(void)
{
    int i, what;
    for (i = 0; i < (int)(sizeof calls_case / sizeof *calls_case); i++)
        for (what = 0; what < 3; what++) {
            hy_frame *F = hy_open(NULL);
            const char *due = calls_names(F, i, what);
            calls_says(F, due, calls_case[i].says, calls_case[i].also);
            hy_clear(F);
            hy_relu(F, NULL);           /* outside nothing is named */
            CHECK(hy_error(F) && !strcmp(hy_error(F), "relu: input data is NULL"));
            hy_close(F);
        }
}

/* The functions of loops in a forward that is traced: there the frame is another. */
static int calls_traced;
static hy_array *calls_loop_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    calls_user *u = calls_now;
    (void)self;
    switch (calls_traced) {
    case 4: return hy_foreach(F, calls_body, x, NULL, u);
    case 5: return hy_while_loop(F, calls_step, calls_step, x, 3, u);
    case 6: return hy_while_loop(F, calls_true, calls_step, x, 3, u);
    case 7: return hy_cond(F, hy_ones(F, HY_SHAPE(1)), calls_step, calls_true, x, u);
    default: return hy_cond(F, hy_ones(F, HY_SHAPE(1)), calls_true, calls_step, x, u);
    }
}
static void calls_traced_loops_name_the_function(void)
{
    int hybrid;
    for (hybrid = 0; hybrid < 2; hybrid++)
        for (calls_traced = 4; calls_traced < 9; calls_traced++) {
            hy_frame *F = hy_open(NULL), *S = hybrid ? F : hy_symbolic(F);
            calls_user u;
            memset(&u, 0, sizeof u);
            calls_now = &u;
            if (hybrid) {
                hy_block *b = hy_block_new(F, sizeof(hy_block), "loops", calls_loop_forward, 1);
                hy_hybridize(F, b, NULL);
                hy_call(F, b, hy_ones(F, HY_SHAPE(2, 1)));
            } else calls_loop_forward(S, NULL, hy_var(S, "x", NULL));
            calls_says(S, "relu: what it is given is no array; this is ", calls_case[calls_traced].says, hybrid ? "[in loops0" : "");
            if (!hybrid) hy_close(S);
            hy_close(F);
        }
}

/* Innermost first: a lambda in the body of a loop in forward; the body again when the lambda has returned. */
static hy_block *calls_inner;
static hy_array *calls_nested_body(hy_frame *F, hy_array *x, hy_array *states, void *user)
{
    (void)states;
    x = hy_call(F, calls_inner, x);
    return hy_error(F) ? NULL : hy_relu(F, (hy_array *)user);
}
static hy_array *calls_fine(hy_frame *F, hy_block *self, hy_array *x) { (void)self; return hy_relu(F, x); }
static void calls_name_the_innermost(void)
{
    hy_frame *F = hy_open(NULL);
    calls_user u;
    memset(&u, 0, sizeof u);
    calls_inner = hy_nn_lambda(F, calls_takes_self, NULL);
    hy_foreach(F, calls_nested_body, hy_ones(F, HY_SHAPE(2, 1)), NULL, &u);
    calls_says(F, "what it is given is no array", "in the function of a lambda", "[in lambda0");
    hy_clear(F);
    calls_inner = hy_nn_lambda(F, calls_fine, NULL);
    hy_foreach(F, calls_nested_body, hy_ones(F, HY_SHAPE(2, 1)), NULL, &u);
    calls_says(F, "what it is given is no array", "in the body of hy_foreach", "");
    hy_close(F);
}

static void test_handles(void)
{
    RUN(calls_wrong_handles_name_the_function);
    RUN(calls_traced_loops_name_the_function);
    RUN(calls_name_the_innermost);
}
