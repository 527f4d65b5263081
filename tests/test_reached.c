/* What no branch or turn that there was has used: it has no gradient, compiled as line by line. */
#ifndef HYBRID_NO_TRAIN
typedef struct reached_net { hy_block base; int which, wrong; hy_array *w[4]; } reached_net;

static hy_array *reached_weigh(hy_frame *F, hy_array *x, const void *user, int i)
{
    return hy_mul(F, x, ((const reached_net *)user)->w[i]);
}
static hy_array *reached_first(hy_frame *F, hy_array *x, void *user) { return reached_weigh(F, x, user, 0); }
static hy_array *reached_second(hy_frame *F, hy_array *x, void *user) { return reached_weigh(F, x, user, 1); }
static hy_array *reached_data(hy_frame *F, hy_array *x, void *user)
{
    (void)user;
    return hy_mul_scalar(F, hy_get(F, x, 0), 2);
}
static hy_array *reached_idle(hy_frame *F, hy_array *x, void *user)
{
    (void)user;
    return hy_ones_like(F, hy_get(F, x, 0));
}
static hy_array *reached_other(hy_frame *F, hy_array *x, void *user)
{
    return reached_weigh(F, hy_get(F, x, 1), user, 1);
}
static hy_array *reached_positive(hy_frame *F, hy_array *x)
{
    return hy_greater_scalar(F, hy_sum(F, x, HY_ALL, NULL), 0);
}
/* A branch in a branch. */
static hy_array *reached_deep(hy_frame *F, hy_array *x, void *user)
{
    hy_array *p = hy_greater_scalar(F, hy_sum(F, x, HY_ALL, NULL), 10);
    return hy_add(F, reached_weigh(F, x, user, 2), hy_cond(F, p, reached_first, reached_second, x, user));
}

/* A branch in a turn, by its row. */
static hy_array *reached_turn(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    s = hy_add(F, s, hy_cond(F, reached_positive(F, x), reached_first, reached_second, x, user));
    return hy_group(F, s, s);
}
/* States change places: the first one is made of the second, whose value before that is lost. */
static hy_array *reached_swap(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    hy_array *a = hy_get(F, s, 0), *b = hy_get(F, s, 1), *c = hy_get(F, s, 2);
    (void)x;
    (void)user;
    return hy_group(F, NULL, hy_group(F, b, c, a));
}
static hy_array *reached_goes_on(hy_frame *F, hy_array *s, void *user)
{
    (void)user;
    return hy_greater_scalar(F, hy_sum(F, hy_get(F, s, 0), HY_ALL, NULL), 0);
}
/* Every turn makes its states anew, of parameters. */
static hy_array *reached_anew(hy_frame *F, hy_array *s, void *user)
{
    hy_array *a = hy_get(F, s, 0), *b = hy_get(F, s, 1);
    return hy_group(F, NULL, hy_group(F, hy_sub_scalar(F, a, 2), reached_weigh(F, hy_ones_like(F, b), user, 1)));
}
static hy_array *reached_step(hy_frame *F, hy_array *s, void *user)
{
    hy_array *a = hy_get(F, s, 0), *b = hy_get(F, s, 1);
    b = hy_cond(F, reached_positive(F, hy_sub_scalar(F, a, 2)), reached_first, reached_second, b, user);
    return hy_group(F, b, hy_group(F, hy_sub_scalar(F, a, 2), b));
}

enum { REACHED_BRANCH, REACHED_DEEP, REACHED_OWN, REACHED_ROOT, REACHED_NONE, REACHED_TURNS, REACHED_LAST,
       REACHED_SWAP, REACHED_ANEW, REACHED_WHILE, REACHED_OUT, REACHED_PAIR, REACHED_CASES };

static hy_array *reached_branch(hy_frame *F, hy_array *p, hy_array *x, hy_array *taken, void *user)
{
    return hy_cond(F, p, reached_data, reached_other, hy_group(F, taken, x), user);
}
static hy_array *reached_loop(hy_frame *F, reached_net *n, hy_array *x, hy_array *p)
{
    hy_array *s = hy_zeros(F, HY_SHAPE(2)), *y, *part[3];
    int i;
    if (n->which == REACHED_TURNS) return hy_get(F, hy_foreach(F, reached_turn, x, s, n), 0);
    if (n->which == REACHED_LAST) {     /* the state after the last turn, which a branch takes or not */
        y = hy_get(F, hy_foreach(F, reached_turn, x, s, n), 1);
        return hy_cond(F, p, reached_data, reached_other, hy_group(F, y, hy_ones_like(F, y)), n);
    }
    if (n->which == REACHED_SWAP) {
        for (i = 0; i < 3; i++) part[i] = hy_identity(F, n->w[i]);
        y = hy_foreach(F, reached_swap, hy_ones(F, HY_SHAPE(13)), hy_group_of(F, 3, part), n);
        return hy_get(F, hy_get(F, y, 1), 1);
    }
    part[0] = hy_sum(F, x, HY_ALL, NULL);
    part[1] = reached_weigh(F, hy_ones(F, HY_SHAPE(2)), n, 2);
    y = hy_while_loop(F, reached_goes_on, n->which == REACHED_ANEW ? reached_anew : reached_step,
                      hy_group_of(F, 2, part), 12, n);
    if (n->which == REACHED_OUT) return hy_add(F, hy_get(F, hy_get(F, y, 0), 0), n->w[3]);
    return hy_get(F, hy_get(F, y, 1), 1);
}
static hy_array *reached_forward(hy_frame *F, hy_block *b, hy_array *x)
{
    reached_net *n = (reached_net *)b;
    hy_array *p = reached_positive(F, x), *y = reached_weigh(F, x, n, 0);
    switch (n->which) {
        case REACHED_BRANCH: return hy_cond(F, p, reached_first, reached_second, x, n);
        case REACHED_DEEP: return hy_cond(F, p, reached_deep, reached_second, x, n);
        case REACHED_PAIR: y = hy_make_loss(F, n->w[0], NULL); break;       /* a result, too */
        case REACHED_OWN: y = hy_softmax_output(F, y, hy_zeros(F, HY_SHAPE(3)), NULL); break;
        case REACHED_ROOT: y = hy_sqrt(F, hy_mul_scalar(F, y, 0)); break;       /* infinity times 0 */
        case REACHED_NONE: y = hy_trigamma(F, hy_exp(F, y)); break;             /* has no gradient */
        default: return reached_loop(F, n, x, p);
    }
    if (n->which == REACHED_PAIR)
        return hy_group(F, hy_add(F, x, hy_cond(F, p, reached_data, reached_idle, hy_group(F, y, y), n)), y);
    return reached_branch(F, p, x, y, n);
}

/* How often each parameter is reached: a bit each, for a positive sum of x and for another; the last: with
 * which x the operator without a gradient is asked for one. */
typedef struct reached_case { int which, reached[2], fails; } reached_case;
static const reached_case reached_cases[] = {
    { REACHED_BRANCH, { 1, 2 }, 0 }, { REACHED_DEEP, { 5, 2 }, 0 }, { REACHED_OWN, { 1, 2 }, 0 },
    { REACHED_ROOT, { 1, 2 }, 0 }, { REACHED_NONE, { 0, 2 }, 1 }, { REACHED_TURNS, { 1, 3 }, 0 },
    { REACHED_LAST, { 1, 2 }, 0 }, { REACHED_SWAP, { 4, 4 }, 0 }, { REACHED_ANEW, { 2, 4 }, 0 },
    { REACHED_WHILE, { 7, 4 }, 0 }, { REACHED_OUT, { 15, 8 }, 0 },
    { REACHED_PAIR, { 1, 0 }, 0 },
};

enum { REACHED_LINE, REACHED_HYBRID, REACHED_EXACT, REACHED_AGAIN, REACHED_WITHIN, REACHED_OFF, REACHED_WAYS };

static hy_block *reached_new(hy_frame *F, int which, int way)
{
    reached_net *n = HY_BLOCK_NEW(F, reached_net, reached_forward);
    hy_block *outer = hy_nn_hybrid_sequential(F);
    hy_hybridize_opt opt;
    hy_init one = hy_init_constant(1.25);
    int i;
    if (!n || !outer) return NULL;
    n->which = which;
    for (i = 0; i < 4; i++) {
        char name[] = "w0";
        name[1] = (char)('0' + i);
        n->w[i] = hy_add_param(F, &n->base, name, HY_SHAPE(2), NULL);
    }
    hy_append(F, outer, &n->base);
    hy_initialize(F, outer, &one);
    memset(&opt, 0, sizeof opt);
    opt.exact = way == REACHED_EXACT;
    opt.off = way == REACHED_OFF ? HY_PASS_AHEAD | HY_PASS_FUSE : 0;
    if (way == REACHED_AGAIN) hy_set_recompute(F, &n->base, 1);
    if (way == REACHED_WITHIN) hy_hybridize(F, &n->base, &opt);
    else if (way) hy_hybridize(F, outer, &opt);
    return outer;
}

/* One recorded call, with such a sum of x; what came of it is the caller's to look at. */
static hy_array *reached_backward(hy_frame *F, hy_block *net, int positive)
{
    static const float rows[2][6] = { { 1, 2, 3, 4, 2, 1 }, { 1, 2, -3, -4, -2, -1 } };
    hy_array *x = hy_from(F, HY_SHAPE(3, 2), HY_F32, rows[!positive]), *y;
    hy_attach_grad(F, x, HY_GRAD_WRITE);
    hy_record(F);
    y = hy_call(F, net, x);
    hy_pause(F);
    hy_backward(F, hy_count(F, y) > 1 ? hy_get(F, y, 0) : y, NULL);     /* of the first */
    return hy_grad_of(F, x);
}

static hy_trainer *reached_trainer(hy_frame *F, hy_block *net, int ignore)
{
    hy_optim_opt own;
    hy_trainer_opt opt;
    memset(&own, 0, sizeof own);
    memset(&opt, 0, sizeof opt);
    own.learning_rate = 0.1;
    own.wd = 0.5;
    opt.ignore_stale_grad = ignore;
    return hy_trainer_new(F, net, hy_optim_sgd(&own), &opt);
}

/* Two steps, with another x each: what parameters and gradients are after each, and which were reached. */
enum { REACHED_NUMBERS = 2 * (4 * 3 + 6) };
static void reached_run(const reached_case *c, int way, int first, double *to)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = reached_new(F, c->which, way);
    hy_trainer *T = reached_trainer(F, net, 1);
    double before[4] = { 1.25, 1.25, 1.25, 1.25 };
    int i, k, step;
    for (step = 0; step < 2; step++) {
        int positive = first ^ step, reached = 0;
        hy_array *g;
        hy_begin(F);
        g = reached_backward(F, net, positive);
        if (c->fails && positive) {
            CHECK(hy_error_code(F) == HY_ERROR_GRADIENT && hy_error(F) && strstr(hy_error(F), "trigamma") &&
                  strstr(hy_error(F), "non-differentiable"));
            hy_clear(F);
            hy_end(F);
            for (i = 0; i < 18; i++) *to++ = 0;
            continue;
        }
        OK(F);
        for (i = 0; i < 6; i++) *to++ = g ? hy_value(F, g, i / 2, i % 2) : -1;
        CHECK(hy_step(F, T, 1) == (c->which == REACHED_ROOT && positive ? HY_STEP_NOT_FINITE : HY_STEP_MADE));
        for (i = 0; i < 4; i++) {
            char name[] = "0.w0";
            hy_array *w;
            double now;
            name[3] = (char)('0' + i);
            w = hy_param(F, net, name);
            g = hy_grad_of(F, w);
            now = hy_value(F, w, 0);
            reached |= (memcmp(&now, &before[i], sizeof now) != 0) << i;
            before[i] = now;
            for (k = 0; k < 2; k++) *to++ = hy_value(F, w, k);
            *to++ = hy_value(F, g, 0);
        }
        CHECK(reached == c->reached[!positive]);
        OK(F);
        hy_end(F);
    }
    CHECK(!hy_close(F));
}
static void test_reached_ways(void)
{
    size_t i;
    int way, first, k;
    for (i = 0; i < sizeof reached_cases / sizeof *reached_cases; i++)
        for (first = 0; first < 2; first++)
            for (way = 0; way < REACHED_WAYS; way++) {
                static double due[REACHED_NUMBERS], got[REACHED_NUMBERS];
                reached_run(&reached_cases[i], way, first, way ? got : due);
                for (k = 0; k < REACHED_NUMBERS && way; k++)
                    CHECK(got[k] == got[k] ? fabs(got[k] - due[k]) <= 1e-6 * fabs(due[k]) : due[k] != due[k]);
            }
}

/* Without ignore_stale_grad a step names the parameter that was not reached. */
static void test_reached_refused(void)
{
    int way, positive;
    for (positive = 0; positive < 2; positive++)
        for (way = 0; way < REACHED_WAYS; way++) {
            hy_frame *F = hy_open(NULL);
            hy_block *net = reached_new(F, REACHED_BRANCH, way);
            hy_trainer *T = reached_trainer(F, net, 0);
            reached_backward(F, net, positive);
            OK(F);
            CHECK(hy_step(F, T, 1) != HY_STEP_MADE);
            CHECK(hy_error(F) && strstr(hy_error(F), positive ? "w1" : "w0") != NULL);
            hy_clear(F);
            CHECK(hy_value(F, hy_param(F, net, "0.w0"), 0) == 1.25);
            CHECK(!hy_close(F));
        }
}

/* A gradient of a gradient through it: of what was not reached it is 0. */
static void test_reached_twice(void)
{
    int which, way, positive, i;
    for (which = 0; which < REACHED_CASES; which++)
        for (positive = 0; positive < 2; positive++)
            for (way = 0; way < REACHED_WAYS; way++) {
                static double due[14], got[14];
                double *to = way ? got : due;
                hy_frame *F = hy_open(NULL);
                hy_block *net = reached_new(F, which, way);
                hy_array *x = hy_full(F, HY_SHAPE(3, 2), positive ? 1 : -1), *v[5], *y, *g;
                hy_grad_opt opt;
                if (which == REACHED_NONE || which == REACHED_ROOT) { hy_close(F); continue; }
                memset(&opt, 0, sizeof opt);
                opt.create_graph = 1;
                hy_attach_grad(F, x, HY_GRAD_WRITE);
                v[0] = x;
                for (i = 0; i < 4; i++) {
                    char name[] = "0.w0";
                    name[3] = (char)('0' + i);
                    v[1 + i] = hy_param(F, net, name);
                }
                hy_record(F);
                y = hy_call(F, net, x);
                if (hy_count(F, y) > 1) y = hy_get(F, y, 0);
                g = hy_grad(F, hy_mul(F, y, y), hy_group_of(F, 5, v), &opt);
                y = hy_zeros(F, HY_SHAPE(1));
                for (i = 0; i < 5 && g; i++) {
                    hy_array *part = hy_get(F, g, i);
                    y = hy_add(F, y, hy_sum(F, hy_mul(F, part, part), HY_ALL, NULL));
                }
                hy_pause(F);
                hy_backward(F, y, NULL);
                OK(F);
                for (i = 0; i < 6; i++) to[i] = hy_value(F, hy_grad_of(F, x), i / 2, i % 2);
                for (i = 0; i < 8; i++) to[6 + i] = hy_value(F, hy_grad_of(F, v[1 + i / 2]), i % 2);
                for (i = 0; i < 14 && way; i++) CHECK_NEAR(got[i], due[i], 1e-5 * fabs(due[i]));
                CHECK(!hy_close(F));
            }
}

/* The determinant of a matrix that has no inverse has a gradient of 0, also where the branch that is taken has no
 * use for it. loop: it is a state that a turn makes. */
static hy_array *reached_det_turn(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    hy_array *d = hy_linalg_det(F, *(hy_array **)user);
    (void)s;
    return hy_group(F, x, hy_broadcast_to(F, hy_mul(F, d, x), HY_INTS(3)));
}
static hy_array *reached_give_first(hy_frame *F, hy_array *x, void *user) { (void)F; (void)user; return hy_get(F, x, 0); }
static hy_array *reached_give_last(hy_frame *F, hy_array *x, void *user) { (void)F; (void)user; return hy_get(F, x, 1); }
static hy_array *reached_det_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *m = hy_get(F, x, 0), *y;
    if (!strncmp(hy_block_name(F, self), "loop", 4))
        y = hy_get(F, hy_foreach(F, reached_det_turn, hy_get(F, x, 2), hy_get(F, x, 1), &m), 1);
    else y = hy_broadcast_to(F, hy_get(F, hy_linalg_slogdet(F, m), 1), HY_INTS(3));
    y = hy_group(F, y, hy_sin(F, hy_get(F, x, 1)));
    return hy_cond(F, hy_get(F, x, 3), reached_give_first, reached_give_last, y, NULL);
}
/* What the gradients of that order are, or NULL; the frame's error says why. */
static hy_array *reached_det_gradient(hy_frame *F, hy_block *net, int order, int asked)
{
    hy_array *x = hy_group(F, hy_ones(F, HY_SHAPE(2, 2)), hy_full(F, HY_SHAPE(3), 0.5), hy_ones(F, HY_SHAPE(2)),
                           hy_full(F, HY_SHAPE(1), asked)), *y;
    hy_grad_opt opt;
    int i;
    memset(&opt, 0, sizeof opt);
    opt.create_graph = 1;
    for (i = 0; i < 3; i++) hy_attach_grad(F, hy_get(F, x, i), HY_GRAD_WRITE);
    hy_record(F);
    y = hy_call(F, net, x);
    if (order == 2) {
        y = hy_grad(F, hy_square(F, y), hy_group(F, hy_get(F, x, 0), hy_get(F, x, 1)), &opt);
        y = hy_group(F, hy_square(F, hy_get(F, y, 0)), hy_square(F, hy_get(F, y, 1)));
    }
    hy_pause(F);
    hy_backward(F, y, NULL);
    return hy_error(F) ? NULL : hy_grad_of(F, hy_get(F, x, 1));
}
static void test_reached_singular(void)
{
    int loop, order, way, i;
    for (loop = 0; loop < 2; loop++)
        for (order = 1; order < 3; order++)
            for (way = 0; way < 3; way++) {
                static double due[2][3];
                hy_frame *F = hy_open(NULL);
                hy_block *net = hy_block_new(F, sizeof *net, loop ? "loop" : "branch", reached_det_forward, 1);
                hy_hybridize_opt opt;
                int asked;
                memset(&opt, 0, sizeof opt);
                opt.exact = way > 1;
                if (way) hy_hybridize(F, net, &opt);
                for (asked = 0; asked < 2; asked++) {
                    hy_array *g = reached_det_gradient(F, net, order, asked);
                    OK(F);
                    for (i = 0; g && i < 3; i++) {
                        if (!way) due[asked][i] = hy_value(F, g, i);
                        CHECK_NEAR(hy_value(F, g, i), due[asked][i], 0);
                        CHECK(asked == (hy_value(F, g, i) == 0));
                    }
                }
                CHECK(!hy_close(F));
            }
}

/* An operator with a gradient of its own, that is not asked for it: what a loop begins with and each turn makes
 * anew, be that an output, too; the logarithm of a determinant of which only the sign is used; and a result
 * beside which another one is used, which is not made of all that it is. */
enum { REACHED_TOO, REACHED_ENDS, REACHED_SIGN, REACHED_BESIDE, REACHED_MADE };
typedef struct reached_made { hy_array *x, *sign; int which; } reached_made;
static hy_array *reached_once(hy_frame *F, hy_array *s, void *user)
{
    (void)user;
    return hy_lesser_scalar(F, hy_get(F, s, 0), 1);
}
static hy_array *reached_makes(hy_frame *F, hy_array *s, void *user)
{
    reached_made *m = (reached_made *)user;
    hy_array *y = m->which == REACHED_SIGN ? m->sign : hy_tanh(F, m->x);
    return hy_group(F, m->which == REACHED_SIGN ? NULL : y, hy_group(F, hy_add_scalar(F, hy_get(F, s, 0), 1), y));
}
static hy_array *reached_made_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    static const char *const names[] = { "too", "ends", "sign", "beside" };
    hy_array *y, *begin = hy_get(F, x, 2), *log;
    reached_made m;
    for (m.which = 0; strncmp(hy_block_name(F, self), names[m.which], strlen(names[m.which])); m.which++) continue;
    m.x = m.sign = hy_get(F, x, 0);
    y = hy_softmax_output(F, m.x, hy_get(F, x, 1), NULL);
    if (m.which == REACHED_SIGN) {
        log = hy_linalg_slogdet(F, hy_reshape(F, y, HY_INTS(1, 2, 2), NULL));
        m.sign = hy_get(F, log, 0);
        y = hy_get(F, log, 1);
    }
    if (m.which == REACHED_BESIDE) {
        y = hy_reshape(F, hy_slice_axis(F, y, 0, 0, 1), HY_INTS(2), NULL);
        log = hy_apply(F, "_batch_norm_grad", 5, (hy_array *[]){ m.x, m.x, y, y, y }, "learn_gamma=1");
        m.x = hy_broadcast_to(F, hy_reshape(F, hy_get(F, log, 2), HY_INTS(1, 2), NULL), HY_INTS(2, 2));
        y = hy_get(F, log, 0);
    }
    y = hy_while_loop(F, reached_once, reached_makes, hy_group(F, begin, y), 3, &m);
    return m.which == REACHED_TOO ? hy_get(F, y, 0) : hy_get(F, hy_get(F, y, 1), 1);
}
static void test_reached_made(void)
{
    static const char *const names[] = { "too", "ends", "sign", "beside" };
    int which, way, none, i;
    for (which = 0; which < REACHED_MADE; which++)
        for (none = 0; none < 2; none++)                /* is there a turn? */
            for (way = 0; way < 3; way++) {
                static double due[4];
                hy_frame *F = hy_open(NULL);
                hy_block *net = hy_block_new(F, sizeof *net, names[which], reached_made_forward, 1);
                hy_array *x = hy_floats(F, HY_SHAPE(2, 2), (const float[]){ 0.5f, -1, 2, 0.25f }), *y;
                hy_hybridize_opt opt;
                memset(&opt, 0, sizeof opt);
                opt.exact = way > 1;
                hy_attach_grad(F, x, HY_GRAD_WRITE);
                if (way) hy_hybridize(F, net, &opt);
                hy_record(F);
                y = hy_call(F, net, hy_group(F, x, hy_ones(F, HY_SHAPE(2)), hy_full(F, HY_SHAPE(1), none)));
                hy_pause(F);
                if (which == REACHED_TOO && none && !way) { hy_clear(F); hy_close(F); break; }  /* no gradient */
                hy_backward(F, y, NULL);
                OK(F);
                for (i = 0; i < 4; i++) {
                    double got = hy_value(F, hy_grad_of(F, x), i / 2, i % 2);
                    if (!way) due[i] = got;
                    CHECK_NEAR(got, due[i], 1e-6);
                }
                CHECK(!hy_close(F));
            }
}

/* Memory ends at every allocation of a gradient with flags: of branches, of a loop, of one that goes back by
 * single turns, of one whose turns are not known. */
static int reached_case_runs(hy_frame *F, int which)
{
    hy_block *net = reached_new(F, which, REACHED_EXACT);
    hy_array *g = net ? reached_backward(F, net, 1) : NULL;
    hy_array *w = g ? hy_grad_of(F, hy_param(F, net, "0.w3")) : NULL;
    return g && hy_size(F, g) == 6 && w && hy_value(F, w, 0) == (which == REACHED_OUT ? 12 : 0);
}
static int reached_deep_runs(hy_frame *F) { return reached_case_runs(F, REACHED_DEEP); }
static int reached_last_runs(hy_frame *F) { return reached_case_runs(F, REACHED_LAST); }
static int reached_swap_runs(hy_frame *F) { return reached_case_runs(F, REACHED_SWAP); }
static int reached_out_runs(hy_frame *F) { return reached_case_runs(F, REACHED_OUT); }
static int reached_pair_runs(hy_frame *F) { return reached_case_runs(F, REACHED_PAIR); }
static void test_reached_starved(void)
{
    oom_stride = 7;
    oom_walk(reached_deep_runs, 1);
    oom_walk(reached_last_runs, 1);
    oom_walk(reached_swap_runs, 1);
    oom_walk(reached_out_runs, 1);
    oom_walk(reached_pair_runs, 1);
    oom_stride = 1;
}
#endif

static void test_reached(void)
{
#ifndef HYBRID_NO_TRAIN
    RUN(test_reached_ways);
    RUN(test_reached_refused);
    RUN(test_reached_twice);
    RUN(test_reached_singular);
    RUN(test_reached_made);
    RUN(test_reached_starved);
#endif
}
