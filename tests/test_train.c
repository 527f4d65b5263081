/* The trainer: optimisers against MXNet 1.9.1 and against formulas of their own, schedules, errors, states. */
#include "train_ref.h"

static hy_schedule train_cosine(int64_t updates)
{
    hy_schedule_opt o;
    memset(&o, 0, sizeof o);
    o.base_lr = 0.2;
    o.final_lr = 0.01;
    o.warmup_steps = 10;
    o.warmup_begin_lr = 0.01;
    return hy_schedule_cosine(updates, &o);
}

#define TRAIN_CASE(name, make, ...) \
    static hy_optim train_case_##name(void) \
    { hy_optim_opt o; memset(&o, 0, sizeof o); __VA_ARGS__ return make(&o); }
#define TRAIN_CASES(C) \
    C(sgd, hy_optim_sgd, o.learning_rate = 0.1;) \
    C(sgd_wd, hy_optim_sgd, o.learning_rate = 0.1; o.wd = 0.01;) \
    C(sgd_mom, hy_optim_sgd, o.learning_rate = 0.05; o.momentum = 0.9; o.wd = 0.01;) \
    C(sgd_mom_clip, hy_optim_sgd, o.learning_rate = 0.05; o.momentum = 0.9; o.wd = 0.01; o.clip_gradient = 0.3;) \
    C(nag, hy_optim_nag, o.learning_rate = 0.05; o.momentum = 0.9; o.wd = 0.01;) \
    C(nag_clip, hy_optim_nag, o.learning_rate = 0.05; o.momentum = 0.9; o.wd = 0.01; o.clip_gradient = 0.3;) \
    C(nag0, hy_optim_nag, o.learning_rate = 0.05;) \
    C(adam, hy_optim_adam, o.learning_rate = 0.01;) \
    C(adam_wd, hy_optim_adam, o.learning_rate = 0.01; o.wd = 0.01; o.clip_gradient = 0.3;) \
    C(adam_beta, hy_optim_adam, o.learning_rate = 0.01; o.beta1 = 0.8; o.beta2 = 0.99; o.epsilon = 0.0001;) \
    C(adamax, hy_optim_adamax, o.learning_rate = 0.01; o.wd = 0.01;) \
    C(nadam, hy_optim_nadam, o.learning_rate = 0.01; o.wd = 0.01;) \
    C(adagrad, hy_optim_adagrad, o.learning_rate = 0.1; o.wd = 0.01;) \
    C(groupadagrad, hy_optim_groupadagrad, o.learning_rate = 0.1;) \
    C(adadelta, hy_optim_adadelta, o.wd = 0.001;) \
    C(rmsprop, hy_optim_rmsprop, o.learning_rate = 0.01; o.wd = 0.01;) \
    C(rmsprop_centered, hy_optim_rmsprop, o.learning_rate = 0.01; o.centered = 1;) \
    C(rmsprop_clip, hy_optim_rmsprop, o.learning_rate = 0.05; o.clip_weights = 0.4; o.clip_gradient = 0.3;) \
    C(ftrl, hy_optim_ftrl, o.learning_rate = 0.1; o.wd = 0.01;) \
    C(ftml, hy_optim_ftml, o.learning_rate = 0.02; o.wd = 0.01;) \
    C(lamb, hy_optim_lamb, o.learning_rate = 0.01; o.wd = 0.01;) \
    C(lamb_bounds, hy_optim_lamb, o.learning_rate = 0.01; o.lower_bound = 0.5; o.upper_bound = 1.0; \
        o.no_bias_correction = 1;) \
    C(lars, hy_optim_lars, o.learning_rate = 0.5; o.momentum = 0.9; o.wd = 0.01; o.eta = 0.1;) \
    C(lbsgd, hy_optim_lbsgd, o.learning_rate = 0.05; o.momentum = 0.9; o.batch_scale = 4; \
        o.updates_per_epoch = 4; o.warmup_epochs = 3;) \
    C(lbsgd_lars, hy_optim_lbsgd, o.learning_rate = 0.05; o.batch_scale = 2; o.warmup_strategy = "lars"; \
        o.wd = 0.01;) \
    C(signum, hy_optim_signum, o.learning_rate = 0.01; o.wd = 0.01; o.wd_lh = 0.001;) \
    C(signsgd, hy_optim_signum, o.learning_rate = 0.01; o.momentum = HY_ZERO; o.wd = 0.01;) \
    C(dcasgd, hy_optim_dcasgd, o.learning_rate = 0.05; o.momentum = 0.9; o.wd = 0.01;) \
    C(dcasgd0, hy_optim_dcasgd, o.learning_rate = 0.05; o.wd = 0.01;) \
    C(adamw, hy_optim_adamw, o.learning_rate = 0.01; o.wd = 0.1;) \
    C(sgd_clip, hy_optim_sgd, o.learning_rate = 0.1; o.wd = 0.01; o.clip_gradient = 0.2;) \
    C(nag0_wd, hy_optim_nag, o.learning_rate = 0.05; o.wd = 0.02;) \
    C(adam_clip, hy_optim_adam, o.learning_rate = 0.02; o.clip_gradient = 0.1;) \
    C(adamax_clip, hy_optim_adamax, o.learning_rate = 0.02; o.clip_gradient = 0.2; o.beta1 = 0.8;) \
    C(nadam_clip, hy_optim_nadam, o.learning_rate = 0.02; o.clip_gradient = 0.2; o.schedule_decay = 0.01;) \
    C(adagrad_clip, hy_optim_adagrad, o.learning_rate = 0.1; o.clip_gradient = 0.2; o.epsilon = 1e-4;) \
    C(groupadagrad_clip, hy_optim_groupadagrad, o.learning_rate = 0.1; o.clip_gradient = 0.2;) \
    C(adadelta_clip, hy_optim_adadelta, o.rho = 0.8; o.wd = 0.01; o.clip_gradient = 0.2;) \
    C(rmsprop_all, hy_optim_rmsprop, o.learning_rate = 0.01; o.centered = 1; o.wd = 0.01; o.clip_gradient = 0.3; \
        o.clip_weights = 0.5; o.gamma1 = 0.95; o.gamma2 = 0.8;) \
    C(rmsprop_gamma, hy_optim_rmsprop, o.learning_rate = 0.01; o.gamma1 = 0.8;) \
    C(ftrl_clip, hy_optim_ftrl, o.learning_rate = 0.2; o.lamda1 = 0.05; o.beta = 0.5; o.clip_gradient = 0.3;) \
    C(ftml_clip, hy_optim_ftml, o.learning_rate = 0.02; o.beta1 = 0.5; o.clip_gradient = 0.3;) \
    C(lamb_clip, hy_optim_lamb, o.learning_rate = 0.02; o.wd = 0.1; o.clip_gradient = 0.3;) \
    C(lars_clip, hy_optim_lars, o.learning_rate = 0.5; o.wd = 0.01; o.eta = 0.05; o.clip_gradient = 0.3;) \
    C(signum_clip, hy_optim_signum, o.learning_rate = 0.01; o.momentum = 0.5; o.clip_gradient = 0.3;) \
    C(dcasgd_clip, hy_optim_dcasgd, o.learning_rate = 0.05; o.lamda = 0.1; o.clip_gradient = 0.3;) \
    C(adamw_clip, hy_optim_adamw, o.learning_rate = 0.02; o.wd = 0.05; o.clip_gradient = 0.3;) \
    C(sgd_cosine, hy_optim_sgd, o.momentum = 0.9; o.schedule = train_cosine(50);) \
    C(sgd_cosine_begin, hy_optim_sgd, o.momentum = 0.9; o.schedule = train_cosine(150); o.begin_num_update = 100;) \
    C(lbsgd_cosine, hy_optim_lbsgd, o.momentum = 0.5; o.batch_scale = 2; o.warmup_epochs = 1; \
        o.updates_per_epoch = 10; o.schedule = train_cosine(50);) \
    C(adam_begin, hy_optim_adam, o.learning_rate = 0.01; o.begin_num_update = 100;) \
    C(adamax_begin, hy_optim_adamax, o.learning_rate = 0.01; o.wd = 0.01; o.begin_num_update = 100;) \
    C(nadam_begin, hy_optim_nadam, o.learning_rate = 0.01; o.wd = 0.01; o.begin_num_update = 100;) \
    C(ftml_begin, hy_optim_ftml, o.learning_rate = 0.02; o.wd = 0.01; o.begin_num_update = 100;) \
    C(lamb_begin, hy_optim_lamb, o.learning_rate = 0.05; o.wd = 0.01; o.begin_num_update = 100;) \
    C(lars_begin, hy_optim_lars, o.learning_rate = 0.5; o.momentum = 0.9; o.wd = 0.01; o.eta = 0.1; \
        o.begin_num_update = 100;) \
    C(lbsgd_begin, hy_optim_lbsgd, o.learning_rate = 0.05; o.momentum = 0.9; o.batch_scale = 4; \
        o.warmup_epochs = 2; o.updates_per_epoch = 15; o.begin_num_update = 102;) \
    C(rmsprop_begin, hy_optim_rmsprop, o.learning_rate = 0.01; o.wd = 0.01; o.begin_num_update = 7;)
TRAIN_CASES(TRAIN_CASE)
#define TRAIN_CASE_ROW(name, make, ...) { #name, train_case_##name },
static const struct { const char *name; hy_optim (*make)(void); } train_cases[] = { TRAIN_CASES(TRAIN_CASE_ROW) };

/* y = sum over parameters of sum(w w / 4 + c w): the gradient is w / 2 + c, c made of small fractions. */
typedef struct train_toy { hy_block base; hy_array *w[3]; } train_toy;
static hy_array *train_toy_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    train_toy *t = (train_toy *)(void *)self;
    hy_array *y = NULL;
    int i;
    for (i = 0; i < 3; i++) {
        hy_array *own = hy_mul_scalar(F, hy_square(F, t->w[i]), 0.25), *cross = hy_mul(F, hy_get(F, x, i), t->w[i]);
        hy_array *sum = hy_sum(F, hy_add(F, own, cross), HY_ALL, NULL);
        y = y ? hy_add(F, y, sum) : sum;
    }
    return y;
}

static const int train_sizes[3] = { 24, 6, 24 };
static hy_shape train_shape(int i, int flat)
{
    hy_shape a = HY_SHAPE(6, 4), b = HY_SHAPE(6), c = HY_SHAPE(4, 6), d = HY_SHAPE(6, 1);
    return i == 0 ? a : i == 2 ? c : flat ? b : d;
}

static void train_numbers(double *out, int n, uint32_t s)
{
    int i;
    for (i = 0; i < n; i++) {
        s = (s * 1103515245u + 12345u) & 0x7fffffff;
        out[i] = ((int)((s >> 16) % 129) - 64) / 64.0;
    }
}

static hy_array *train_array(hy_frame *F, int i, int flat, hy_dtype dtype, uint32_t seed)
{
    double v[24];
    train_numbers(v, train_sizes[i], seed);
    return hy_cast(F, hy_from(F, train_shape(i, flat), HY_F64, v), dtype);
}

static train_toy *train_toy_new(hy_frame *F, int flat, hy_dtype dtype)
{
    static const char *const names[] = { "a_weight", "a_bias", "b_weight" };
    train_toy *net = HY_BLOCK_NEW(F, train_toy, train_toy_forward);
    hy_param_opt opt;
    int i;
    memset(&opt, 0, sizeof opt);
    opt.dtype = dtype;
    for (i = 0; net && i < 3; i++) net->w[i] = hy_add_param(F, &net->base, names[i], train_shape(i, flat), &opt);
    if (!net) return NULL;
    hy_initialize(F, &net->base, NULL);
    for (i = 0; i < 3; i++) hy_set_param(F, net->w[i], train_array(F, i, flat, dtype, (uint32_t)(7 + i)));
    return net;
}

static void train_step(hy_frame *F, train_toy *net, hy_trainer *T, int flat, int t)
{
    hy_array *x[3], *y;
    int i;
    hy_begin(F);
    for (i = 0; i < 3; i++)
        x[i] = train_array(F, i, flat, hy_dtype_of(F, net->w[i]), (uint32_t)(1000 * t + i));
    hy_record(F);
    y = hy_call(F, &net->base, hy_group_of(F, 3, x));
    y = hy_scale_loss(F, T, y);
    hy_pause(F);
    hy_backward(F, y, NULL);
    hy_step(F, T, 2);
    hy_end(F);
}

static void train_read(hy_frame *F, train_toy *net, double *out)
{
    int i, n = 0;
    for (i = 0; i < 3; i++) {
        hy_to(F, net->w[i], HY_F64, out + n, sizeof(double) * (size_t)train_sizes[i]);
        n += train_sizes[i];
    }
}

typedef struct train_run { hy_dtype dtype; int hybrid, threads, isa, steps, again; } train_run;

/* The parameters after some steps; again: at half of the way states and parameters move to a new frame. */
static void train_run_case(hy_optim optim, train_run how, double *out)
{
    hy_desc desc;
    hy_frame *F;
    train_toy *net;
    hy_trainer *T;
    int t, flat = strcmp(optim.name, "groupadagrad") != 0;
    memset(&desc, 0, sizeof desc);
    desc.threads = how.threads;
    desc.isa = how.isa;
    F = hy_open(&desc);
    net = train_toy_new(F, flat, how.dtype);
    if (how.hybrid) hy_hybridize(F, &net->base, NULL);
    T = hy_trainer_new(F, &net->base, optim, NULL);
    for (t = 1; t <= how.steps; t++) {
        if (how.again && t == how.steps / 2) {
            hy_array *bytes = hy_save_to(F, HY_FORMAT_PARAMS, hy_trainer_states(F, T));
            hy_trainer_free(F, T);
            T = hy_trainer_new(F, &net->base, optim, NULL);
            hy_set_trainer_states(F, T, hy_load_from(F, hy_data(F, bytes), (size_t)hy_size(F, bytes), 0));
        }
        train_step(F, net, T, flat, t);
    }
    CHECK(hy_num_update(F, T) == optim.opt.begin_num_update + how.steps);
    train_read(F, net, out);
    if (!CHECK(!hy_error(F))) printf("    %s: %s\n", optim.name, hy_error(F));
    hy_close(F);
}

static double train_worst(const double *a, const double *b, int n)
{
    double worst = 0, most = 0;
    int i;
    for (i = 0; i < n; i++) {
        worst = fmax(worst, fabs(a[i] - b[i]));
        most = fmax(most, fabs(b[i]));
    }
    return worst / most;
}

/* One weight after one step more, in doubles: what a case is compared with, beside MXNet's numbers or instead of them.
 * g: the gradient, divided by the batch; s: states, 0 in front of the first step, which is step 1. */
typedef void (*train_plain_fn)(double *w, double g, double *s, int t);
static void plain_sgd(double *w, double g, double *s, int t)
{
    (void)s; (void)t;
    *w -= 0.1 * g;
}
static void plain_adam(double *w, double g, double *s, int t)
{
    s[0] = 0.9 * s[0] + 0.1 * g;
    s[1] = 0.999 * s[1] + 0.001 * g * g;
    *w -= 0.01 * sqrt(1 - pow(0.999, t)) / (1 - pow(0.9, t)) * s[0] / (sqrt(s[1]) + 1e-8);
}
static const struct { const char *name; train_plain_fn step; } train_plain[] = {     /* by the names of cases */
    { "sgd", plain_sgd }, { "adam", plain_adam },
};

static void train_plain_steps(train_plain_fn step, int steps, double *w)
{
    double c[24];
    int i, k, t, at;
    for (i = at = 0; i < 3; at += train_sizes[i++]) {
        static double states[24][4];
        memset(states, 0, sizeof states);
        train_numbers(w + at, train_sizes[i], (uint32_t)(7 + i));
        for (t = 1; t <= steps; t++) {
            train_numbers(c, train_sizes[i], (uint32_t)(1000 * t + i));
            for (k = 0; k < train_sizes[i]; k++) step(&w[at + k], (w[at + k] / 2 + c[k]) / 2, states[k], t);
        }
    }
}

/* Is there a formula for this case, and do these weights agree with it? 0: there is none. */
static int train_by_formula(const char *name, const double *got)
{
    double want[54];
    size_t i;
    for (i = 0; i < sizeof train_plain / sizeof *train_plain; i++) {
        if (strcmp(train_plain[i].name, name)) continue;
        train_plain_steps(train_plain[i].step, 50, want);
        if (!CHECK(train_worst(got, want, 54) < 1e-5))
            printf("    %s: %g from its formula\n", name, train_worst(got, want, 54));
        return 1;
    }
    return 0;
}

/* As MXNet 1.9.1 has them after 50 steps, whatever the mode, the threads and the instruction set. */
static void test_train_optimizers_reference(void)
{
    size_t i, k;
    int formula;
    for (i = 0; i < sizeof train_cases / sizeof train_cases[0]; i++) {
        double first[54], other[54], want[54];
        train_run how = { HY_F32, 0, 1, HY_ISA_BASE, 50, 0 };
        train_run_case(train_cases[i].make(), how, first);
        how.hybrid = 1;
        how.threads = 3;
        how.isa = HY_ISA_AUTO;
        train_run_case(train_cases[i].make(), how, other);
        if (!CHECK(!memcmp(first, other, sizeof first))) printf("    %s compiled\n", train_cases[i].name);
        how.again = 1;
        train_run_case(train_cases[i].make(), how, other);
        if (!CHECK(!memcmp(first, other, sizeof first))) printf("    %s saved and loaded\n", train_cases[i].name);
        formula = train_by_formula(train_cases[i].name, first);
        for (k = 0; k < sizeof train_ref / sizeof train_ref[0]; k++) {
            int n;
            if (strcmp(train_ref[k].name, train_cases[i].name)) continue;
            for (n = 0; n < 54; n++) want[n] = train_ref[k].weight[n];
            if (!CHECK(train_worst(first, want, 54) < 1e-6))
                printf("    %s: %g from MXNet's\n", train_cases[i].name, train_worst(first, want, 54));
            break;
        }
        if (formula || !strcmp(train_cases[i].name, "dcasgd")) continue;   /* where MXNet's raises an error */
        if (!CHECK(k < sizeof train_ref / sizeof train_ref[0]))
            printf("    the case %s has no reference. Add to train_plain in tests/test_train.c, with its step in doubles,\n"
                   "        { \"%s\", plain_%s },\n", train_cases[i].name, train_cases[i].name, train_cases[i].name);
    }
}

/* In f64, f16 and bf16 the same way, as near as the type allows. signsgd's steps may go either way. */
static void test_train_optimizers_types(void)
{
    static const hy_dtype types[] = { HY_F64, HY_F16, HY_BF16 };
    static const double near[] = { 2e-4, 2e-2, 0.15 };
    size_t i, k;
    for (i = 0; i < sizeof train_cases / sizeof train_cases[0]; i++)
        for (k = 0; k < 3; k++) {
            double single[54], other[54];
            train_run how = { HY_F32, 1, 2, HY_ISA_AUTO, 12, 0 };
            if (strstr(train_cases[i].name, "sign")) continue;
            train_run_case(train_cases[i].make(), how, single);
            how.dtype = types[k];
            train_run_case(train_cases[i].make(), how, other);
            if (!CHECK(train_worst(other, single, 54) < near[k]))
                printf("    %s, type %d: %g\n", train_cases[i].name, (int)types[k], train_worst(other, single, 54));
        }
}

/* dcasgd with momentum by its formula, in doubles. */
static void test_train_dcasgd(void)
{
    double got[54], w[54], before[54], mom[54], c[24];
    train_run how = { HY_F64, 0, 1, HY_ISA_AUTO, 20, 0 };
    int i, k, n, t;
    train_run_case(train_case_dcasgd(), how, got);
    memset(mom, 0, sizeof mom);
    for (i = 0, n = 0; i < 3; n += train_sizes[i++]) train_numbers(w + n, train_sizes[i], (uint32_t)(7 + i));
    memcpy(before, w, sizeof w);
    for (t = 1; t <= 20; t++)
        for (i = 0, n = 0; i < 3; n += train_sizes[i++]) {
            train_numbers(c, train_sizes[i], (uint32_t)(1000 * t + i));
            for (k = n; k < n + train_sizes[i]; k++) {
                double g = (0.5 * w[k] + c[k - n]) / 2;
                mom[k] = 0.9 * mom[k] - 0.05 * (g + 0.01 * w[k] + 0.04 * g * g * (w[k] - before[k]));
                before[k] = w[k];
                w[k] += mom[k];
            }
        }
    CHECK(train_worst(got, w, 54) < 1e-12);
}

/* sgld: the noise has the deviation sqrt(lr), is the same in any number of threads, another in each step. */
static void test_train_sgld(void)
{
    hy_optim_opt o;
    double one[54], two[54], sum = 0;
    train_run how = { HY_F32, 0, 1, HY_ISA_AUTO, 1, 0 };
    double w[54], c[24];
    int i, k, n;
    memset(&o, 0, sizeof o);
    o.learning_rate = 0.01;
    train_run_case(hy_optim_sgld(&o), how, one);
    how.threads = 4;
    train_run_case(hy_optim_sgld(&o), how, two);
    CHECK(!memcmp(one, two, sizeof one));
    for (i = 0, n = 0; i < 3; n += train_sizes[i++]) {
        train_numbers(w, train_sizes[i], (uint32_t)(7 + i));
        train_numbers(c, train_sizes[i], (uint32_t)(1000 + i));
        for (k = 0; k < train_sizes[i]; k++) {
            double noise = one[n + k] - (w[k] - 0.005 * (0.5 * w[k] + c[k]) / 2);
            sum += noise * noise;
        }
    }
    CHECK(sum / 54 > 0.005 && sum / 54 < 0.02);
}

/* What is drawn behind a step, as if there had been none: of all optimisers sgld alone takes numbers, one for each
 * parameter; one of the user's may. */
static double train_next_draw(hy_optim optim, int steps, int streams)
{
    hy_frame *F = hy_open(NULL);
    train_toy *net = train_toy_new(F, 0, HY_F32);
    hy_trainer *T = hy_trainer_new(F, &net->base, optim, NULL);
    double v;
    hy_seed(F, 3);
    if (steps) train_step(F, net, T, 0, 1);
    for (; streams > 0; streams--) hy_uniform(F, HY_SHAPE(1), 0, 1);
    v = hy_item(F, hy_uniform(F, HY_SHAPE(1), 0, 1));
    CHECK(!hy_error(F));
    hy_close(F);
    return v;
}
static void train_idle_update(const hy_update *u, int64_t from, int64_t n, void *weight, const void *grad, void *const *state)
{
    (void)u; (void)from; (void)n; (void)weight; (void)grad; (void)state;
}
static void test_train_draws(void)
{
    double first = train_next_draw(hy_optim_sgd(NULL), 0, 0), fourth = train_next_draw(hy_optim_sgd(NULL), 0, 3);
    hy_optim own = hy_optim_sgd(NULL);
    size_t i;
    for (i = 0; i < sizeof train_cases / sizeof train_cases[0]; i++)
        if (strcmp(train_cases[i].make().name, "groupadagrad")) CHECK(train_next_draw(train_cases[i].make(), 1, 0) == first);
    CHECK(train_next_draw(hy_optim_sgld(NULL), 1, 0) == fourth);
    own.update = train_idle_update;
    CHECK(train_next_draw(own, 1, 0) == fourth);
}

/* Rates of MXNet's schedulers, asked in order. */
static void test_train_schedules(void)
{
    static const int64_t at[] = { 0, 1, 3, 5, 6, 10, 11, 20, 21, 50, 60, 99, 100, 101, 200 };
    static const double factor[] = {
        0.1, 0.28, 0.64, 1.0, 1.0, 1.0, 0.5, 0.5, 0.25, 0.0625, 0.03125, 0.01, 0.01, 0.01, 0.01 };
    static const double multi[] = {
        0.1, 0.28, 0.64, 1.0, 1.0, 1.0, 0.5, 0.5, 0.25, 0.25, 0.25, 0.25, 0.25, 0.125, 0.125 };
    static const double poly[] = {
        0.1, 0.28, 0.64, 1.0, 0.9801052631578947, 0.9026315789473686, 0.8837894736842106,
        0.7236842105263157, 0.7069473684210527, 0.31315789473684214, 0.2184210526315789,
        0.05010526315789474, 0.05, 0.05, 0.05 };
    static const double cosine[] = {
        0.1, 0.1, 0.1, 1.0, 0.9997402972369399, 0.9935216191162931, 0.9906804837905344, 0.9427500318230823,
        0.9350468284548475, 0.5642251890993579, 0.4083943936081204, 0.05025970276306013, 0.05, 0.05, 0.05 };
    hy_schedule_opt o;
    hy_schedule s;
    size_t i;
    memset(&o, 0, sizeof o);
    o.base_lr = 1;
    o.factor = 0.5;
    o.stop_factor_lr = 0.01;
    o.warmup_steps = 5;
    o.warmup_begin_lr = 0.1;
    s = hy_schedule_factor(10, &o);
    for (i = 0; i < 15; i++) CHECK_NEAR(hy_schedule_at(&s, at[i]), factor[i], 1e-15);
    s = hy_schedule_multi_factor(HY_INTS(10, 20, 100), &o);
    for (i = 0; i < 15; i++) CHECK_NEAR(hy_schedule_at(&s, at[i]), multi[i], 1e-15);
    o.final_lr = 0.05;
    s = hy_schedule_poly(100, &o);
    for (i = 0; i < 15; i++) CHECK_NEAR(hy_schedule_at(&s, at[i]), poly[i], 1e-15);
    o.warmup_mode = HY_WARMUP_CONSTANT;
    s = hy_schedule_cosine(100, &o);
    for (i = 0; i < 15; i++) CHECK_NEAR(hy_schedule_at(&s, at[i]), cosine[i], 1e-15);
    CHECK_NEAR(hy_schedule_at(NULL, 3), 0, 0);
    CHECK(hy_schedule_factor(0, &o).wrong && hy_schedule_multi_factor(HY_EMPTY, &o).wrong);
    CHECK(hy_schedule_multi_factor(HY_INTS(3, 3), &o).wrong);
    o.factor = 1.5;
    CHECK(hy_schedule_poly(3, &o).wrong);
}

static void train_expect(hy_frame *F, const char *part)
{
    const char *error = hy_error(F);
    if (!CHECK(error && strstr(error, part))) printf("    want \"%s\", got \"%s\"\n", part, error ? error : "(none)");
    hy_clear(F);
}

static void test_train_errors(void)
{
    hy_frame *F = hy_open(NULL);
    train_toy *net = train_toy_new(F, 1, HY_F32);
    hy_block *empty = hy_nn_flatten(F);
    hy_optim_opt o;
    hy_schedule_opt so;
    hy_trainer_opt to;
    hy_optim own;
    hy_trainer *T;
    memset(&o, 0, sizeof o);
    memset(&so, 0, sizeof so);
    memset(&to, 0, sizeof to);
    CHECK(!hy_trainer_new(F, NULL, hy_optim_sgd(NULL), NULL));
    train_expect(F, "the block is NULL");
    CHECK(!hy_trainer_new(F, empty, hy_optim_sgd(NULL), NULL));
    train_expect(F, "has no parameter");
    o.learning_rate = 0.0 / (F ? 0.0 : 1.0);
    CHECK(!hy_trainer_new(F, &net->base, hy_optim_adam(&o), NULL));
    train_expect(F, "optimiser adam: a number in its options is negative, infinite or NaN");
    o.learning_rate = 0.1;
    o.wd = 0.1;
    CHECK(!hy_trainer_new(F, &net->base, hy_optim_groupadagrad(&o), NULL));
    train_expect(F, "wd must be 0");
    CHECK(!hy_trainer_new(F, &net->base, hy_optim_named("sdg", NULL), NULL));
    train_expect(F, "optimiser sdg: there is no optimiser of this name");
    o.warmup_strategy = "cubic";
    CHECK(!hy_trainer_new(F, &net->base, hy_optim_lbsgd(&o), NULL));
    train_expect(F, "warmup_strategy");
    o.warmup_strategy = NULL;
    so.warmup_begin_lr = 3;
    o.schedule = hy_schedule_poly(10, &so);
    CHECK(!hy_trainer_new(F, &net->base, hy_optim_sgd(&o), NULL));
    train_expect(F, "warmup_begin_lr is above base_lr");
    to.clip_global_norm = -1;
    CHECK(!hy_trainer_new(F, &net->base, hy_optim_sgd(NULL), &to));
    train_expect(F, "clip_global_norm");
    memset(&own, 0, sizeof own);
    own.name = "mine";
    CHECK(!hy_trainer_new(F, &net->base, own, NULL));
    train_expect(F, "optimiser mine: it needs update");

    T = hy_trainer_new(F, &net->base, hy_optim_sgd(NULL), NULL);
    hy_step(F, T, 1);
    train_expect(F, "the gradient of Parameter 'traintoy0_a_weight' has not been updated by backward");
    train_step(F, net, T, 1, 1);
    CHECK(!hy_error(F));
    hy_step(F, T, 1);
    train_expect(F, "ignore_stale_grad");
    hy_step(F, T, 0);
    train_expect(F, "batch_size is 0");
    hy_step(F, NULL, 1);
    train_expect(F, "hy_step: the trainer is NULL");
    hy_call(F, (hy_block *)(void *)T, hy_ones(F, HY_SHAPE(1)));
    train_expect(F, "use hy_step");
    hy_set_learning_rate(F, T, -1);
    train_expect(F, "no learning rate");
    hy_set_learning_rate(F, T, 0.25);
    CHECK_NEAR(hy_learning_rate(F, T), 0.25, 0);
    hy_block_free(F, &net->base);
    hy_step(F, T, 1);
    train_expect(F, "belonged to a block that was freed");
    hy_trainer_free(F, T);
    CHECK(hy_close(F) == 0);
}

/* Weight decay and momentum that are set count from the next step on, and come again with the states. */
static void test_train_set_numbers(void)
{
    static hy_optim (*const kinds[])(const hy_optim_opt *) = {
        hy_optim_sgd, hy_optim_nag, hy_optim_lars, hy_optim_signum, hy_optim_dcasgd, hy_optim_adam };
    size_t kind;
    int t;
    for (kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        hy_frame *F = hy_open(NULL);
        train_toy *net[3];
        hy_trainer *T[3];
        hy_optim_opt o[3];
        hy_arrays states;
        double w[3][54];
        int k, momentum = kinds[kind] != hy_optim_adam;
        memset(o, 0, sizeof o);
        for (k = 0; k < 3; k++) {                       /* 0: made so; 1: set later; 2: goes on from the states of 1 */
            net[k] = train_toy_new(F, 1, HY_F64);
            o[k].learning_rate = 0.05;
            o[k].wd = k ? 0.3 : 0.1;
            o[k].momentum = momentum ? k ? 0.5 : 0.9 : 0;
            T[k] = hy_trainer_new(F, &net[k]->base, kinds[kind](&o[k]), NULL);
        }
        states = hy_trainer_states(F, T[1]);
        for (k = 0; k < states.n; k++) CHECK(strcmp(states.name[k], "wd") && strcmp(states.name[k], "momentum"));
        hy_set_wd(F, T[1], 0.1);
        if (momentum) hy_set_momentum(F, T[1], 0.9);
        for (t = 1; t <= 3; t++) for (k = 0; k < 2; k++) train_step(F, net[k], T[k], 1, t);
        for (k = 0; k < 2; k++) train_read(F, net[k], w[k]);
        CHECK(!memcmp(w[0], w[1], sizeof w[0]));
        hy_set_wd(F, T[1], 0.2);
        if (momentum) hy_set_momentum(F, T[1], 0);
        CHECK(hy_set_trainer_states(F, T[2], hy_trainer_states(F, T[1])) == 0);
        for (k = 0; k < 3; k++) hy_set_param(F, net[2]->w[k], hy_copy(F, net[1]->w[k]));
        for (t = 4; t <= 6; t++) for (k = 0; k < 3; k++) train_step(F, net[k], T[k], 1, t);
        for (k = 0; k < 3; k++) train_read(F, net[k], w[k]);
        CHECK(memcmp(w[0], w[1], sizeof w[0]) != 0);
        CHECK(!memcmp(w[1], w[2], sizeof w[0]));
        CHECK(!hy_error(F));
        CHECK(hy_close(F) == 0);
    }
}

/* What no optimiser takes is refused by name, set or loaded, and changes nothing. */
static void test_train_set_refuses(void)
{
    hy_frame *F = hy_open(NULL);
    train_toy *net = train_toy_new(F, 1, HY_F64);
    hy_optim_opt o = { 0 };
    hy_trainer *T = hy_trainer_new(F, &net->base, hy_optim_sgd(NULL), NULL);
    hy_trainer *A = hy_trainer_new(F, &net->base, hy_optim_adam(NULL), NULL);
    hy_trainer *G = hy_trainer_new(F, &net->base, hy_optim_groupadagrad(NULL), NULL), *M;
    hy_arrays states;
    int i;
    hy_set_wd(F, T, -1);
    train_expect(F, "hy_set_wd: wd is -1");
    hy_set_momentum(F, T, HUGE_VAL);
    train_expect(F, "hy_set_momentum: momentum is inf");
    hy_set_momentum(F, T, 0.9);
    train_expect(F, "made without momentum");
    hy_set_momentum(F, A, 0.9);
    train_expect(F, "hy_set_momentum: adam has no momentum");
    hy_set_wd(F, G, 0.1);
    train_expect(F, "hy_set_wd: groupadagrad has no weight decay");
    hy_set_wd(F, NULL, 0.1);
    train_expect(F, "the trainer is NULL");
    o.momentum = 0.5;
    M = hy_trainer_new(F, &net->base, hy_optim_sgd(&o), NULL);
    hy_set_momentum(F, M, 0.25);
    hy_set_wd(F, M, 0.125);
    states = hy_trainer_states(F, M);
    for (i = 0; i < states.n && strcmp(states.name[i], "wd"); i++) continue;
    if (CHECK(i < states.n)) {
        CHECK(hy_item(F, states.at[i]) == 0.125);
        hy_set_value(F, states.at[i], -3, 0);
        CHECK(hy_set_trainer_states(F, M, states) != 0);
        train_expect(F, "hy_set_trainer_states: wd is -3");
        hy_set_value(F, states.at[i], 0.125, 0);
    }
    CHECK(hy_set_trainer_states(F, T, states) != 0);
    train_expect(F, "made without momentum");
    CHECK(hy_set_trainer_states(F, M, states) == 0);
    CHECK(!hy_error(F));
    CHECK(hy_close(F) == 0);
}

/* Frozen parameters stay, multipliers count, gradients may add up over batches. */
static void test_train_multipliers(void)
{
    hy_frame *F = hy_open(NULL);
    train_toy *net = train_toy_new(F, 1, HY_F64);
    hy_optim_opt o;
    hy_trainer *T;
    double w[54], v[54], c[24], d[24];
    int k;
    memset(&o, 0, sizeof o);
    o.learning_rate = 0.1;
    o.wd = 0.01;
    train_read(F, net, w);
    hy_set_mult(F, net->w[1], 0.5, 0);
    hy_attach_grad(F, net->w[2], HY_GRAD_NULL);
    T = hy_trainer_new(F, &net->base, hy_optim_sgd(&o), NULL);
    train_step(F, net, T, 1, 1);
    train_read(F, net, v);
    train_numbers(c, 24, 1000);
    train_numbers(d, 6, 1001);
    for (k = 0; k < 24; k++) CHECK_NEAR(v[k], w[k] - 0.1 * ((0.5 * w[k] + c[k]) / 2 + 0.01 * w[k]), 1e-15);
    for (k = 0; k < 6; k++) CHECK_NEAR(v[24 + k], w[24 + k] - 0.05 * (0.5 * w[24 + k] + d[k]) / 2, 1e-15);
    CHECK(!memcmp(v + 30, w + 30, 24 * sizeof *v));
    CHECK(hy_close(F) == 0);
}

/* The norm of all gradients together; NaN; a step left out when loss scaling overflows. */
static void test_train_norms(void)
{
    hy_frame *F = hy_open(NULL);
    train_toy *net = train_toy_new(F, 1, HY_F32);
    hy_trainer_opt to;
    hy_trainer *T;
    hy_optim_opt o;
    double w[54], v[54], sum = 0;
    int k;
    memset(&to, 0, sizeof to);
    memset(&o, 0, sizeof o);
    o.learning_rate = 1;
    to.clip_global_norm = 0.125;
    T = hy_trainer_new(F, &net->base, hy_optim_sgd(&o), &to);
    train_read(F, net, w);
    train_step(F, net, T, 1, 1);
    train_read(F, net, v);
    for (k = 0; k < 54; k++) sum += (w[k] - v[k]) * (w[k] - v[k]);
    CHECK_NEAR(sqrt(sum), 0.125, 1e-6);
    hy_trainer_free(F, T);

    memset(&to, 0, sizeof to);
    to.check_finite = 1;
    T = hy_trainer_new(F, &net->base, hy_optim_sgd(&o), &to);
    hy_set_value(F, net->w[1], HUGE_VAL, 2);
    train_read(F, net, w);
    train_step(F, net, T, 1, 2);
    train_expect(F, "the gradient of Parameter 'traintoy0_a_bias' holds NaN or infinity");
    train_read(F, net, v);
    CHECK(!memcmp(v, w, sizeof v));
    hy_trainer_free(F, T);

    memset(&to, 0, sizeof to);
    to.loss_scale = 1024;
    T = hy_trainer_new(F, &net->base, hy_optim_sgd(&o), &to);
    train_step(F, net, T, 1, 3);
    CHECK_NEAR(hy_loss_scale(F, T), 512, 0);
    train_read(F, net, v);
    CHECK(!memcmp(v, w, sizeof v));
    hy_set_value(F, net->w[1], 0, 2);
    train_step(F, net, T, 1, 4);
    CHECK_NEAR(hy_loss_scale(F, T), 512, 0);
    train_read(F, net, v);
    CHECK(memcmp(v, w, sizeof v) != 0);
    CHECK(hy_num_update(F, T) == 1);
    to.loss_scale = 0.25;
    T = hy_trainer_new(F, &net->base, hy_optim_sgd(&o), &to);
    hy_set_value(F, net->w[1], HUGE_VAL, 2);
    train_step(F, net, T, 1, 5);
    CHECK_NEAR(hy_loss_scale(F, T), 0.25, 0);           /* it does not grow */
    CHECK(hy_close(F) == 0);
}

/* The hook sees every gradient; here two machines have the same. An optimiser of the user's own. */
static void train_double(hy_frame *F, int n, hy_array *const *grads, void *user)
{
    int i;
    for (i = 0; i < n; i++) hy_add_to(F, grads[i], grads[i]);
    *(int *)user += n;
}
static void train_own_update(const hy_update *u, int64_t from, int64_t n, void *weight, const void *grad,
                             void *const *state)
{
    float *w = (float *)weight + from, *count = (float *)state[0] + from;
    const float *g = (const float *)grad + from;
    int64_t i;
    for (i = 0; i < n; i++) { w[i] -= (float)(u->lr * u->rescale) * g[i]; count[i] += 1; }
}
static void test_train_own(void)
{
    hy_frame *F = hy_open(NULL);
    train_toy *net = train_toy_new(F, 1, HY_F32);
    hy_trainer_opt to;
    hy_optim own;
    hy_trainer *T;
    hy_arrays states;
    double w[54], v[54], c[24];
    int seen = 0;
    memset(&to, 0, sizeof to);
    memset(&own, 0, sizeof own);
    own.name = "own";
    own.opt.learning_rate = 0.5;
    own.opt.rescale_grad = 1;
    own.states = 1;
    own.update = train_own_update;
    to.reduce = train_double;
    to.reduce_user = &seen;
    T = hy_trainer_new(F, &net->base, own, &to);
    train_read(F, net, w);
    train_step(F, net, T, 1, 1);
    train_read(F, net, v);
    train_numbers(c, 24, 1000);
    CHECK(seen == 3);
    CHECK_NEAR(v[3], w[3] - 0.5 * (0.5 * w[3] + c[3]), 1e-6);
    states = hy_trainer_states(F, T);
    CHECK_NEAR(hy_value(F, hy_array_named(F, states, "a_weight.state0"), 1, 2), 1, 0);
    CHECK(hy_close(F) == 0);
}

/* Saved states: files, what does not fit, what is no file of ours. */
static void test_train_states(void)
{
    static const unsigned char pickle[] = { 0x80, 0x03, '}', 'q', 0, '.' };
    hy_frame *F = hy_open(NULL);
    train_toy *net = train_toy_new(F, 1, HY_F32);
    hy_trainer *T = hy_trainer_new(F, &net->base, hy_optim_adam(NULL), NULL), *other;
    hy_arrays states;
    FILE *file;
    train_step(F, net, T, 1, 1);
    CHECK(hy_save_states(F, T, "train_states.npz") == 0 && hy_load_states(F, T, "train_states.npz") == 0);
    other = hy_trainer_new(F, &net->base, hy_optim_ftrl(NULL), NULL);
    CHECK(hy_load_states(F, other, "train_states.npz") != 0);
    train_expect(F, "the states are those of optimiser 'adam', the trainer's is 'ftrl'");
    other = hy_trainer_new(F, &net->base, hy_optim_sgd(NULL), NULL);
    CHECK(hy_load_states(F, other, "train_states.npz") != 0);
    train_expect(F, "the states are those of optimiser 'adam', the trainer's is 'sgd'");
    states = hy_trainer_states(F, T);
    ((double *)hy_write(F, states.at[1]))[5] = strtod("nan", NULL);
    CHECK(hy_set_trainer_states(F, T, states) != 0);
    train_expect(F, "'trainer' holds numbers that no trainer has");
    states.n = 0;
    CHECK(hy_set_trainer_states(F, T, states) != 0);
    train_expect(F, "there is no array 'optimizer'");
    states = hy_trainer_states(F, T);
    states.n--;
    CHECK(hy_set_trainer_states(F, T, states) != 0);
    train_expect(F, "there is no array 'b_weight.state1'");
    other = hy_trainer_new(F, &net->base, hy_optim_adam(NULL), NULL);
    CHECK(hy_set_trainer_states(F, other, states) != 0);
    train_expect(F, "there is no array 'b_weight.state1'");
    CHECK(hy_trainer_states(F, other).n == 3);      /* it is as it was: without states */
    file = fopen("train_states.bin", "wb");
    fwrite(pickle, 1, sizeof pickle, file);
    fclose(file);
    CHECK(hy_load_states(F, T, "train_states.bin") != 0);
    train_expect(F, "only Python can read that");
    CHECK(hy_load_states(F, T, "train_nowhere.npz") != 0);
    train_expect(F, "cannot be opened");
    remove("train_states.npz");
    remove("train_states.bin");
    CHECK(hy_close(F) == 0);
}

/* A step in steady state takes nothing from the allocator, compiled and line by line. */
static void test_train_no_allocation(void)
{
    int hybrid;
    for (hybrid = 0; hybrid < 2; hybrid++) {
        hy_frame *F = hy_open(NULL);
        train_toy *net = train_toy_new(F, 1, HY_F32);
        hy_trainer *T;
        int64_t calls = 0;
        int t;
        if (hybrid) hy_hybridize(F, &net->base, NULL);
        T = hy_trainer_new(F, &net->base, hy_optim_lamb(NULL), NULL);
        for (t = 1; t <= 12; t++) {
            if (t == 8) calls = hy_memory_use(F).calls;
            train_step(F, net, T, 1, t);
        }
        CHECK(hy_memory_use(F).calls == calls);
        CHECK(hy_close(F) == 0);
    }
}

/* Nor does one that has nothing to train: no backward came, or all parameters are fixed. What is trained later is
 * as if there had been no such steps. */
static void test_train_nothing(void)
{
    int fixed, i, t;
    for (fixed = 0; fixed < 2; fixed++) {
        hy_frame *F = hy_open(NULL);
        train_toy *net = train_toy_new(F, 1, HY_F32), *other = train_toy_new(F, 1, HY_F32);
        hy_trainer_opt opt;
        hy_trainer *T[2];
        double got[64], due[64];
        int64_t calls = 0;
        memset(&opt, 0, sizeof opt);
        opt.ignore_stale_grad = 1;
        T[0] = hy_trainer_new(F, &net->base, hy_optim_adam(NULL), &opt);
        T[1] = hy_trainer_new(F, &other->base, hy_optim_adam(NULL), &opt);
        if (fixed) hy_set_grad_req(F, &net->base, NULL, HY_GRAD_NULL);
        for (t = 0; t < 6; t++) {
            if (t == 3) calls = hy_memory_use(F).calls;
            CHECK(hy_step(F, T[0], 2) == HY_STEP_MADE);
        }
        CHECK(hy_memory_use(F).calls == calls);
        hy_set_grad_req(F, &net->base, NULL, HY_GRAD_WRITE);
        for (t = 1; t <= 3; t++) {
            train_step(F, net, T[0], 1, t);
            train_step(F, other, T[1], 1, t);
        }
        train_read(F, net, got);
        train_read(F, other, due);
        for (i = 0; i < train_sizes[0] + train_sizes[1] + train_sizes[2]; i++) CHECK(got[i] == due[i]);
        CHECK(hy_error(F) == NULL);
        CHECK(hy_close(F) == 0);
    }
}

/* Calls that share a place in the table of calls seen: in the third turn of a loop nothing is taken. */
static void test_train_seen_together(void)
{
    enum { CALLS = 4 };
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_ones(F, HY_SHAPE(5));
    const hy_tensor *in = &x->t;
    const hy_op *op = hy_op_find(F, "mul_scalar");
    double number[CALLS];
    uint64_t place = 0, hash;
    int64_t calls = 0;
    int i, n = 0, turn;
    union { double align[16]; char bytes[HY__RECORD_MAX]; } record;
    for (i = 1; n < CALLS && i < 100000; i++) {
        memset(&record, 0, sizeof record);
        hy_defaults(op, &record);
        *(double *)(void *)(record.bytes + op->attr[0].offset) = i;
        hash = hy__bound_hash(F, op, 1, &in, &record) >> 32 & (HY__SEEN - 1);
        if (n && hash != place) continue;
        place = hash;
        number[n++] = i;
    }
    CHECK(n == CALLS);
    for (turn = 0; turn < 6; turn++) {
        if (turn == 2) calls = hy_memory_use(F).calls;
        hy_begin(F);
        for (i = 0; i < CALLS; i++) {
            hy_mul_scalar(F, x, number[i]);
            if (i) hy_mul_scalar(F, x, number[i]);
        }
        hy_end(F);
    }
    CHECK(hy_memory_use(F).calls == calls);
    CHECK(!hy_error(F));
    CHECK(hy_close(F) == 0);
}

/* Frozen batch norm: running statistics stay and are what counts, compiled and line by line. */
static void test_train_frozen(void)
{
    int hybrid;
    for (hybrid = 0; hybrid < 2; hybrid++) {
        hy_frame *F = hy_open(NULL);
        hy_block *net = hy_nn_hybrid_sequential(F), *norm = hy_nn_batch_norm(F, NULL);
        hy_array *x = hy_normal(F, HY_SHAPE(8, 3), 2, 3), *mean;
        int turn;
        hy_append(F, net, norm, hy_nn_dense(F, 2, NULL));
        hy_initialize(F, net, NULL);
        if (hybrid) hy_hybridize(F, net, NULL);
        for (turn = 0; turn < 3; turn++) {              /* frozen, not, frozen again */
            double before, after;
            hy_freeze_batch_norm(F, net, turn != 1);
            mean = hy_param(F, net, "0.running_mean");
            before = turn ? hy_value(F, mean, 1) : 0;
            hy_record(F);
            hy_backward(F, hy_call(F, net, x), NULL);
            hy_pause(F);
            after = hy_value(F, mean, 1);
            CHECK((before == after) == (turn != 1));
        }
        CHECK(hy_close(F) == 0);
    }
}

/* Weights of 16 bits in other memory are the master's too, however often that was written. */
static void test_train_moved(void)
{
    hy_frame *F = hy_open(NULL);
    hy_nn_dense_opt opt;
    hy_init ones = hy_init_ones();
    hy_block *net;
    hy_trainer *T;
    hy_array *w, *x;
    hy__buffer *old = NULL;
    uint64_t seen;
    int i;
    memset(&opt, 0, sizeof opt);
    opt.in_units = 4;
    opt.no_bias = 1;
    net = hy_nn_dense(F, 3, &opt);
    hy_cast_block(F, net, HY_F16);
    hy_initialize(F, net, NULL);
    x = hy_cast(F, hy_zeros(F, HY_SHAPE(2, 4)), HY_F16);
    T = hy_trainer_new(F, net, hy_optim_sgd(NULL), NULL);
    w = hy_param(F, net, "weight");
    for (i = 0; i < 9; i++) {
        if (i == 8) {
            seen = w->buffer->version;
            old = hy__buffer_hold(w->buffer);
            for (i = 0; i < 20; i++) hy_empty(F, HY_SHAPE(3, 4), HY_F16);       /* no used memory is at hand */
            hy_reinitialize(F, net, &ones);
            while (w->buffer->version < seen) hy_set_value(F, w, 1, 0, 0);
            CHECK(w->buffer->version == seen);
        }
        hy_record(F);
        hy_backward(F, hy_call(F, net, x), NULL);
        hy_pause(F);
        hy_step(F, T, 1);
    }
    CHECK_NEAR(hy_value(F, w, 1, 1), 1, 0);
    hy__buffer_drop(&F->cache, old);
    CHECK(hy_close(F) == 0);
}

static int train_oom_program(hy_frame *F)
{
    train_toy *net = train_toy_new(F, 1, HY_F16);
    hy_trainer *T = net ? hy_trainer_new(F, &net->base, hy_optim_adam(NULL), NULL) : NULL;
    hy_array *bytes;
    int right;
    if (!T) return 0;
    train_step(F, net, T, 1, 1);
    bytes = hy_save_to(F, HY_FORMAT_PARAMS, hy_trainer_states(F, T));
    right = bytes && !hy_set_trainer_states(F, T, hy_load_from(F, hy_data(F, bytes), (size_t)hy_size(F, bytes), 0));
    train_step(F, net, T, 1, 2);
    right = right && hy_num_update(F, T) == 2;
    hy_trainer_free(F, T);
    hy_block_free(F, &net->base);
    return right && !hy_error(F);
}
static void test_train_oom(void) { oom_walk(train_oom_program, 1); }

/* Setting states takes all or nothing, out of memory too. */
static double train_remembered(hy_frame *F, hy_trainer *T)
{
    hy_arrays all;
    double sum = 0;
    int64_t k;
    int i;
    hy_begin(F);
    all = hy_trainer_states(F, T);
    for (i = 0; i < all.n; i++) {
        const double *v = (const double *)hy_data(F, hy_cast(F, all.at[i], HY_F64));
        for (k = 0; k < hy_size(F, all.at[i]); k++) sum += v[k] * (double)(k + 1) * (i + 1);
    }
    hy_end(F);
    return sum;
}
static void test_train_states_whole(void)
{
    long n;
    int failed = 1;
    for (n = 0; failed && n < 1000; n++) {
        oom_meter meter;
        hy_frame *F = oom_open(&meter, 1000000, 0, 1);
        train_toy *net = train_toy_new(F, 1, HY_F32);
        hy_trainer *T = hy_trainer_new(F, &net->base, hy_optim_adam(NULL), NULL);
        hy_arrays states;
        double first, then;
        train_step(F, net, T, 1, 1);
        states = hy_trainer_states(F, T);
        first = train_remembered(F, T);
        train_step(F, net, T, 1, 2);
        then = train_remembered(F, T);
        CHECK(!hy_error(F) && first != then);
        meter.left = n;
        failed = hy_set_trainer_states(F, T, states);
        meter.left = 1000000;
        if (failed) train_expect(F, "out of memory");
        CHECK_NEAR(train_remembered(F, T), failed ? then : first, 0);
        CHECK(hy_close(F) == 0);
    }
    CHECK(!failed && n > 1);
}

/* --- between backward and update --- */
/* A dense layer of one output, its gradients x for the weight and 1 for the bias, some steps. */
typedef struct train_line { hy_frame *F; hy_block *net; hy_trainer *T; hy_array *x; } train_line;
static train_line train_line_open(hy_dtype dtype, hy_optim optim, const hy_trainer_opt *opt, double x)
{
    train_line l;
    hy_init zero = hy_init_zeros();
    l.F = hy_open(NULL);
    l.net = hy_nn_dense(l.F, 1, NULL);
    hy_initialize(l.F, l.net, &zero);
    hy_cast_block(l.F, l.net, dtype);
    l.T = hy_trainer_new(l.F, l.net, optim, opt);
    l.x = hy_mul_scalar(l.F, hy_cast(l.F, hy_ones(l.F, HY_SHAPE(1, 3)), dtype), x);
    return l;
}
static hy_step_result train_line_step(train_line *l)
{
    hy_array *y;
    hy_record(l->F);
    y = hy_call(l->F, l->net, l->x);
    hy_pause(l->F);
    hy_backward(l->F, y, NULL);
    return hy_step(l->F, l->T, 1);
}
static double train_line_at(train_line *l, const char *param)
{
    double v[3] = { 0, 0, 0 };
    hy_to(l->F, hy_param(l->F, l->net, param), HY_F64, v, sizeof v);
    return v[0];
}

/* What was written by the caller and is gone: the names of an optimiser and of its warm-up, a kind of block. */
static void train_mine(const hy_update *u, int64_t from, int64_t n, void *w, const void *g, void *const *s)
{
    int64_t i;
    (void)u; (void)s;
    for (i = from; i < from + n; i++) ((float *)w)[i] -= ((const float *)g)[i];
}

static double train_own_rate(const hy_schedule *s, int64_t n) { return s->base_lr / (double)(1 + n); }

/* The name of the i-th optimiser: of the cases above, then sgld, which draws and so has none; NULL behind it. */
static const char *train_optimizer(int i)
{
    const int cases = (int)(sizeof train_cases / sizeof *train_cases);
    const char *name, *before = "";
    int at;
    for (at = 0; at < cases; at++) {
        name = train_cases[at].make().name;
        if (strcmp(name, before) && !i--) return name;
        before = name;
    }
    return i ? NULL : "sgld";
}

/* A step holds what it goes by only where functions of the user's run in it: none do in an optimiser of ours. */
static void test_train_calls(void)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_dense(F, 2, NULL);
    hy_schedule_opt rate;
    hy_optim_opt o;
    hy_optim own;
    const char *name;
    int i, k;
    memset(&rate, 0, sizeof rate);
    for (i = 0; (name = train_optimizer(i)) != NULL; i++)
        for (k = 0; k < 4; k++) {
            memset(&o, 0, sizeof o);
            if (k & 1) o.momentum = 0.9;
            if (k & 1) o.centered = 1;
            if (k & 2) o.schedule = hy_schedule_cosine(10, &rate);
            if (!CHECK(!hy_trainer_new(F, net, hy_optim_named(name, &o), NULL)->calls)) printf("    %s, %d\n", name, k);
        }
    memset(&o, 0, sizeof o);
    own = hy_optim_sgd(&o);
    own.update = train_mine;
    CHECK(hy_trainer_new(F, net, own, NULL)->calls);
    o.schedule.fn = train_own_rate;
    o.schedule.base_lr = 1;
    CHECK(hy_trainer_new(F, net, hy_optim_sgd(&o), NULL)->calls);
    CHECK(!hy_error(F) && hy_close(F) == 0);
}
static void test_train_strings_may_go(void)
{
    double bias[2];
    int k;
    for (k = 0; k < 2; k++) {
        char word[] = "power2", name[] = "mine", kind[] = "kind_of_mine", said[100];
        hy_optim_opt o;
        hy_optim own;
        train_line l;
        hy_block *block;
        hy_arrays states;
        int t;
        memset(&o, 0, sizeof o);
        memset(&own, 0, sizeof own);
        o.batch_scale = 4;
        o.warmup_strategy = word;
        l = train_line_open(HY_F32, hy_optim_lbsgd(&o), NULL, 1);
        if (k) memset(word, 'x', 6);
        for (t = 0; t < 8; t++) CHECK(train_line_step(&l) == HY_STEP_MADE);
        bias[k] = train_line_at(&l, "bias");
        own.name = name;
        own.update = train_mine;
        l.T = hy_trainer_new(l.F, l.net, own, NULL);
        block = hy_block_new(l.F, sizeof(hy_block), kind, train_toy_forward, 1);
        memset(name, 'x', 4);
        memset(kind, 'x', 12);
        CHECK(train_line_step(&l) == HY_STEP_MADE);
        states = hy_trainer_states(l.F, l.T);
        CHECK(states.n && !memcmp(hy_data(l.F, states.at[0]), "mine", 4));
        hy_block_text(l.F, block, said, sizeof said);
        CHECK(strstr(said, "kind_of_mine") == said);
        CHECK_STR(hy_error(l.F), NULL);
        CHECK(hy_close(l.F) == 0);
    }
    CHECK(bias[0] == bias[1] && bias[0] < 0);
}

/* The first of the parameters joins in the step in which the rate falls: momentum follows it for all. */
static void test_train_lars_joined(void)
{
    int k, t;
    for (k = 0; k < 2; k++) {
        hy_frame *F = hy_open(NULL);
        train_toy *net = train_toy_new(F, 1, HY_F64);
        hy_array *zeros = hy_zeros(F, HY_SHAPE(6)), *ones;
        hy_optim_opt o;
        hy_trainer_opt opt;
        hy_trainer *T;
        double w = 0, m = 0, rate, last = 0;
        memset(&o, 0, sizeof o);
        memset(&opt, 0, sizeof opt);
        o.momentum = 0.9;
        o.learning_rate = 1;
        opt.ignore_stale_grad = 1;
        ones = hy_cast(F, hy_ones(F, HY_SHAPE(6)), HY_F64);
        hy_set_param(F, net->w[1], hy_cast(F, zeros, HY_F64));
        T = hy_trainer_new(F, &net->base, hy_optim_lars(&o), &opt);
        for (t = 0; t < 3; t++) {
            hy_array *y;
            rate = t == 2 ? 0.1 : 1;
            hy_set_learning_rate(F, T, rate);
            hy_record(F);
            y = hy_sum(F, hy_mul(F, net->w[1], ones), HY_ALL, NULL);
            if (k && t == 2) y = hy_add(F, y, hy_sum(F, net->w[0], HY_ALL, NULL));
            hy_pause(F);
            hy_backward(F, y, NULL);
            CHECK(hy_step(F, T, 1) == HY_STEP_MADE);
            m = 0.9 * (t ? rate / last : 1) * m - rate;
            w += m;
            last = rate;
        }
        CHECK_NEAR(w, -3.171, 1e-12);
        CHECK_NEAR(hy_value(F, net->w[1], 0), w, 1e-12);
        CHECK(hy_close(F) == 0);
    }
}

/* Masters of 32 bits are there again, whether states or parameters are loaded first; what was written since
 * counts. */
static void test_train_load_order(void)
{
    static const hy_dtype types[2] = { HY_F16, HY_BF16 };
    int how, k;
    for (k = 0; k < 2; k++) {
        double w[4][54], one;
        hy_frame *F = hy_open(NULL);
        train_toy *net = train_toy_new(F, 1, types[k]);
        hy_optim_opt o;
        hy_trainer *T;
        hy_array *weights, *states;
        int t;
        memset(&o, 0, sizeof o);
        o.momentum = 0.9;
        o.learning_rate = 1e-3;
        T = hy_trainer_new(F, &net->base, hy_optim_sgd(&o), NULL);
        for (t = 1; t <= 10; t++) train_step(F, net, T, 1, t);
        weights = hy_save_to(F, HY_FORMAT_PARAMS, hy_parameters(F, &net->base, NULL));
        states = hy_save_to(F, HY_FORMAT_PARAMS, hy_trainer_states(F, T));
        for (how = 0; how < 4; how++) {
            hy_arrays from, values;
            if (how) {
                net = train_toy_new(F, 1, types[k]);
                T = hy_trainer_new(F, &net->base, hy_optim_sgd(&o), NULL);
                from = hy_load_from(F, hy_data(F, states), (size_t)hy_size(F, states), 0);
                values = hy_load_from(F, hy_data(F, weights), (size_t)hy_size(F, weights), 0);
                if (how != 1) CHECK(hy_set_trainer_states(F, T, from) == 0);
                CHECK(hy_set_parameters(F, &net->base, values, NULL) == 0);
                if (how == 1) CHECK(hy_set_trainer_states(F, T, from) == 0);
                if (how == 3) hy_set_value(F, net->w[0], 3, 1, 1);
            }
            for (t = 11; t <= 30; t++) train_step(F, net, T, 1, t);
            hy_to(F, hy_array_named(F, hy_trainer_states(F, T), "a_weight.master"), HY_F64, w[how], sizeof w[how]);
        }
        CHECK(!memcmp(w[0], w[1], 24 * sizeof **w) && !memcmp(w[0], w[2], 24 * sizeof **w));
        one = w[3][5];
        CHECK(one > 2.9 && one < 3.1 && w[3][6] == w[0][6]);
        CHECK_STR(hy_error(F), NULL);
        CHECK(hy_close(F) == 0);
    }
}

/* Gradients that are not finite, or whose squares no double holds: applied, left out, or scaled, and said. */
static int train_warned;
static void train_log(void *user, int level, int code, const char *text)
{
    (void)user; (void)code;
    train_warned += level == HY_LOG_WARNING && strstr(text, "Parameter 'dense0_weight' holds NaN or infinity") != NULL;
}
static void test_train_not_finite(void)
{
    static const double x[] = { 1, 1e200, 1e-200, HUGE_VAL, 1e308 };
    int k, how, t;
    for (how = 0; how < 4; how++)               /* nothing, clip_global_norm, loss_scale, check_finite */
        for (k = 0; k < 6; k++) {
            hy_trainer_opt opt;
            hy_optim_opt o;
            train_line l;
            int finite = k < 3 || k == 4, left_out = !finite && (how == 1 || how == 2);
            double clipped, v = k < 5 ? x[k] : strtod("nan", NULL), norm;
            memset(&opt, 0, sizeof opt);
            memset(&o, 0, sizeof o);
            o.learning_rate = 1;
            if (how == 1) opt.clip_global_norm = 1;
            if (how == 2) opt.loss_scale = 4;
            opt.check_finite = how == 3;
            l = train_line_open(HY_F64, hy_optim_sgd(&o), &opt, v);
            for (t = 1; t <= 3; t++) {
                hy_step_result made = train_line_step(&l);
                if (how == 3 && !finite) {
                    CHECK(made == HY_STEP_FAILED);
                    train_expect(l.F, "'dense0_weight' holds NaN or infinity");
                    continue;
                }
                CHECK(made == (finite ? HY_STEP_MADE : left_out ? HY_STEP_LEFT_OUT : HY_STEP_NOT_FINITE));
                CHECK(hy_num_update(l.F, l.T) == (left_out ? 0 : t));
            }
            norm = v > 1e154 ? v * sqrt(3) : sqrt(3 * v * v + 1);
            clipped = how == 2 ? -3.0 / 4 : how == 1 && norm > 1 ? -3 / norm : -3;
            if (finite && k < 4) CHECK_NEAR(train_line_at(&l, "bias") / clipped, 1, 1e-9);
            if (finite && how == 1) CHECK_NEAR(train_line_at(&l, "weight"), k == 2 ? -3e-200 : v * clipped, 1e-9);
            if (left_out) CHECK(train_line_at(&l, "bias") == 0 && train_line_at(&l, "weight") == 0);
            if (!finite && !how) CHECK(train_line_at(&l, "weight") - train_line_at(&l, "weight") != 0);
            CHECK(hy_close(l.F) == 0);
        }
}
/* In every type, in any part of a parameter, by every optimiser's loop. */
static void test_train_not_finite_anywhere(void)
{
    static const hy_dtype types[] = { HY_F32, HY_F64, HY_F16, HY_BF16 };
    static const int at[] = { 0, 15, 16, 63, 4095, 4096, 8191, 9999, 10000 };
    size_t i, k, m;
    for (i = 0; i < 4; i++)
        for (k = 0; k < sizeof at / sizeof *at; k++)
            for (m = 0; m < 3; m++) {
                hy_optim_opt o;
                hy_desc desc;
                hy_frame *F;
                hy_block *net;
                hy_trainer *T;
                hy_array *x, *y;
                memset(&o, 0, sizeof o);
                memset(&desc, 0, sizeof desc);
                desc.threads = 1 + (int)k % 3;
                desc.log_fn = train_log;
                F = hy_open(&desc);
                net = hy_nn_dense(F, 1, NULL);
                hy_initialize(F, net, NULL);
                hy_cast_block(F, net, types[i]);
                T = hy_trainer_new(F, net, m == 0 ? hy_optim_sgd(&o) : m == 1 ? hy_optim_lamb(&o) : hy_optim_adam(&o),
                                   NULL);
                x = hy_cast(F, hy_ones(F, HY_SHAPE(1, 10001)), types[i]);
                if (k) hy_set_value(F, x, k % 2 ? HUGE_VAL : strtod("nan", NULL), 0, at[k]);
                hy_record(F);
                y = hy_call(F, net, x);
                hy_pause(F);
                hy_backward(F, y, NULL);
                CHECK(hy_step(F, T, 1) == (k ? HY_STEP_NOT_FINITE : HY_STEP_MADE));
                hy_trainer_free(F, T);
                if (i == 0 && m == 0 && k) {
                    hy_trainer_opt opt;
                    memset(&opt, 0, sizeof opt);
                    opt.clip_global_norm = 1;
                    T = hy_trainer_new(F, net, hy_optim_sgd(&o), &opt);
                    hy_record(F);
                    y = hy_call(F, net, x);
                    hy_pause(F);
                    hy_backward(F, y, NULL);
                    train_warned = 0;
                    CHECK(hy_step(F, T, 1) == HY_STEP_LEFT_OUT && train_warned == 1);
                }
                CHECK(hy_close(F) == 0);
            }
}

/* A rate of 0, of all or of some: no optimiser moves a weight, none makes NaN of it, and later all goes on. */
static void test_train_rate_of_zero(void)
{
    const char *name;
    int k, by, dtype;
    for (k = 0; (name = train_optimizer(k)) != NULL; k++)
        for (by = 0; by < 2 && strcmp(name, "adadelta") && strcmp(name, "groupadagrad"); by++)      /* one has no rate, one wants matrices */
            for (dtype = 0; dtype < 2; dtype++) {
                hy_frame *F = hy_open(NULL);
                train_toy *net = train_toy_new(F, 1, dtype ? HY_F64 : HY_F32);
                hy_optim_opt o;
                hy_trainer *T;
                double before[54], after[54];
                int i, t;
                memset(&o, 0, sizeof o);
                o.momentum = 0.5;
                o.learning_rate = by ? 0.1 : HY_ZERO;
                for (i = 0; by && i < 3; i++) hy_set_mult(F, net->w[i], 0, 1);
                T = hy_trainer_new(F, &net->base, hy_optim_named(name, &o), NULL);
                train_read(F, net, before);
                for (t = 1; t <= 3; t++) train_step(F, net, T, 1, t);
                train_read(F, net, after);
                if (!CHECK(!memcmp(before, after, sizeof before))) printf("    %s\n", name);
                for (i = 0; by && i < 3; i++) hy_set_mult(F, net->w[i], 1, 1);
                if (!by) hy_set_learning_rate(F, T, 0.01);
                for (t = 4; t <= 8; t++) train_step(F, net, T, 1, t);
                train_read(F, net, after);
                for (i = 0; i < 54; i++) CHECK(fabs(after[i]) < 100);
                CHECK(memcmp(before, after, sizeof before));
                CHECK(hy_close(F) == 0);
            }
}

static void test_train(void)
{
    RUN(test_train_strings_may_go);
    RUN(test_train_lars_joined);
    RUN(test_train_load_order);
    RUN(test_train_not_finite);
    RUN(test_train_not_finite_anywhere);
    RUN(test_train_rate_of_zero);
    RUN(test_train_optimizers_reference);
    RUN(test_train_optimizers_types);
    RUN(test_train_dcasgd);
    RUN(test_train_sgld);
    RUN(test_train_draws);
    RUN(test_train_schedules);
    RUN(test_train_errors);
    RUN(test_train_set_numbers);
    RUN(test_train_set_refuses);
    RUN(test_train_multipliers);
    RUN(test_train_norms);
    RUN(test_train_own);
    RUN(test_train_states);
    RUN(test_train_no_allocation);
    RUN(test_train_nothing);
    RUN(test_train_seen_together);
    RUN(test_train_frozen);
    RUN(test_train_moved);
    RUN(test_train_oom);
    RUN(test_train_calls);
    RUN(test_train_states_whole);
}
