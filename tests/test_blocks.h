/* Small blocks of our own, and what tests of blocks share. Only operators are used, no layers. */
#ifndef TEST_BLOCKS_H
#define TEST_BLOCKS_H

/* An error stands: this code, these words in its text. It is cleared. */
#define ERR(F, code, words) tb_err(F, code, words, __FILE__, __LINE__)
/* No error stands. */
#define OK(F) tb_ok(F, __FILE__, __LINE__)

static int tb_err(hy_frame *F, hy_error_t code, const char *words, const char *file, int line)
{
    const char *text = hy_error(F);
    int ok = 0;
    if (!text) test_check(0, "an error was due", file, line);
    else if (!strstr(text, words)) test_check_text(text, words, file, line);
    else ok = test_check_text(hy_error_name(hy_error_code(F)), hy_error_name(code), file, line);
    hy_clear(F);
    return ok;
}

static int tb_ok(hy_frame *F, const char *file, int line)
{
    int ok = !hy_error(F);
    if (!ok) { test_check_text(hy_error(F), NULL, file, line); hy_clear(F); }
    return ok;
}

/* --- the log: warnings counted, the latest kept --- */
typedef struct tb_log { int warnings; char text[512]; } tb_log;

static void tb_log_fn(void *user, int level, int code, const char *text)
{
    tb_log *log = (tb_log *)user;
    (void)code;
    if (level != HY_LOG_WARNING) return;
    log->warnings++;
    snprintf(log->text, sizeof log->text, "%s", text);
}

static hy_frame *tb_open_log(tb_log *log)
{
    hy_desc desc;
    memset(&desc, 0, sizeof desc);
    memset(log, 0, sizeof *log);
    desc.threads = 1;
    desc.log_fn = tb_log_fn;
    desc.log_user = log;
    return hy_open(&desc);
}

static hy_frame *tb_open_with(int threads, uint64_t seed)
{
    hy_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.threads = threads;
    desc.seed = seed;
    return hy_open(&desc);
}
static hy_frame *tb_threads(int threads) { return tb_open_with(threads, 1); }
static hy_frame *tb_open(uint64_t seed) { return tb_open_with(1, seed); }

/* --- comparing --- */
static int tb_same(hy_frame *F, hy_array *a, hy_array *b)              /* type and every bit */
{
    hy_shape s, t;
    size_t bytes;
    if (!a || !b || hy_dtype_of(F, a) != hy_dtype_of(F, b)) return 0;
    s = hy_shape_of(F, a);
    t = hy_shape_of(F, b);
    if (s.ndim != t.ndim || memcmp(s.dim, t.dim, sizeof *s.dim * (size_t)s.ndim)) return 0;
    bytes = (size_t)hy_size(F, a) * hy_dtype_size(hy_dtype_of(F, a));
    return !hy_error(F) && !memcmp(hy_data(F, a), hy_data(F, b), bytes);
}

static int tb_close(hy_frame *F, hy_array *a, hy_array *b)             /* to 1e-5, relative or absolute */
{
    int64_t i, n;
    const float *p, *q;
    if (!a || !b || hy_dtype_of(F, a) != HY_F32 || hy_dtype_of(F, b) != HY_F32) return 0;
    n = hy_size(F, a);
    if (n != hy_size(F, b) || hy_ndim(F, a) != hy_ndim(F, b)) return 0;
    p = (const float *)hy_data(F, a);
    q = (const float *)hy_data(F, b);
    for (i = 0; i < n; i++) if (!(fabs(p[i] - q[i]) <= 1e-5 * (1 + fabs(q[i])))) return 0;
    return !hy_error(F);
}

static const char *tb_shape(hy_frame *F, hy_array *x)                  /* "(2,3)" */
{
    static char text[4][160];
    static int turn;
    char *to = text[turn++ & 3];
    hy_shape s = hy_shape_of(F, x);
    int i, n = snprintf(to, 160, "(");
    if (s.ndim < 0) return "?";
    for (i = 0; i < s.ndim && i < HY_MAX_DIM; i++)
        n += snprintf(to + n, 160 - (size_t)n, s.dim[i] < 0 ? "%s?" : "%s%d", i ? "," : "", (int)s.dim[i]);
    snprintf(to + n, 160 - (size_t)n, ")");
    return to;
}

/* The next of a stream of numbers below n. */
static uint32_t tb_draw(uint32_t *state, uint32_t n)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 12) % n;
}

static hy_array *tb_ramp(hy_frame *F, hy_shape shape)                  /* -1 ... 1 */
{
    hy_ints to;
    int64_t n = 1;
    int i;
    to.n = shape.ndim;
    for (i = 0; i < shape.ndim; i++) n *= to.v[i] = shape.dim[i];
    return hy_reshape(F, hy_linspace(F, -1, 1, n), to, NULL);
}

/* Fills a parameter with one number. */
static void tb_fill(hy_frame *F, const hy_init *init, const char *name, hy_array *x)
{
    (void)name;
    hy_fill(F, x, init->number[0]);
}

static hy_init tb_constant(double value)
{
    hy_init init;
    memset(&init, 0, sizeof init);
    init.fn = tb_fill;
    init.name = "constant";
    init.number[0] = value;
    return init;
}

/* --- blocks --- */
static int tb_runs;                     /* how often a forward of these ran */

/* units, in: -1 is found by the first call; flat: all axes but the first become one */
typedef struct tb_dense_block { hy_block base; hy_array *weight, *bias; int units, flat; } tb_dense_block;

static hy_array *tb_dense_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    tb_dense_block *b = (tb_dense_block *)(void *)self;
    hy_fully_connected_opt opt;
    memset(&opt, 0, sizeof opt);
    opt.no_flatten = !b->flat;
    HY__ADD(&tb_runs, 1);
    return hy_fully_connected(F, x, b->weight, b->bias, b->units, &opt);
}

static hy_block *tb_dense_of(hy_frame *F, int units, int in, int flat)
{
    tb_dense_block *b = (tb_dense_block *)(void *)hy_block_new(F, sizeof *b, "dense", tb_dense_forward, 1);
    hy_param_opt zeros;
    if (!b) return NULL;
    memset(&zeros, 0, sizeof zeros);
    zeros.init = tb_constant(0);
    b->units = units;
    b->flat = flat;
    b->weight = hy_add_param(F, &b->base, "weight", HY_SHAPE(units, in), NULL);
    b->bias = hy_add_param(F, &b->base, "bias", HY_SHAPE(units), &zeros);
    return &b->base;
}

static hy_block *tb_dense(hy_frame *F, int units, int in) { return tb_dense_of(F, units, in, 1); }

typedef struct tb_conv_block { hy_block base; hy_array *weight, *bias; int channels; } tb_conv_block;

static hy_array *tb_conv_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    tb_conv_block *b = (tb_conv_block *)(void *)self;
    hy_convolution_opt opt;
    memset(&opt, 0, sizeof opt);
    opt.pad = HY_INTS(1, 1);
    HY__ADD(&tb_runs, 1);
    return hy_convolution(F, x, b->weight, b->bias, HY_INTS(2, 2), b->channels, &opt);
}

static hy_block *tb_conv(hy_frame *F, int channels, int in)            /* kernel 2, pad 1 */
{
    tb_conv_block *b = (tb_conv_block *)(void *)hy_block_new(F, sizeof *b, "conv", tb_conv_forward, 1);
    if (!b) return NULL;
    b->channels = channels;
    b->weight = hy_add_param(F, &b->base, "weight", HY_SHAPE(channels, in, 2, 2), NULL);
    b->bias = hy_add_param(F, &b->base, "bias", HY_SHAPE(channels), NULL);
    return &b->base;
}

typedef struct tb_norm_block { hy_block base; hy_array *gamma, *beta, *mean, *var; } tb_norm_block;

static hy_array *tb_norm_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    tb_norm_block *b = (tb_norm_block *)(void *)self;
    hy_batch_norm_opt opt;
    memset(&opt, 0, sizeof opt);
    opt.learn_gamma = 1;
    HY__ADD(&tb_runs, 1);
    return hy_batch_norm(F, x, b->gamma, b->beta, b->mean, b->var, &opt);
}

static hy_block *tb_norm(hy_frame *F)
{
    tb_norm_block *b = (tb_norm_block *)(void *)hy_block_new(F, sizeof *b, "batchnorm", tb_norm_forward, 1);
    hy_param_opt ones, zeros;
    if (!b) return NULL;
    memset(&ones, 0, sizeof ones);
    zeros = ones;
    ones.init = tb_constant(1);
    zeros.init = tb_constant(0);
    b->gamma = hy_add_param(F, &b->base, "gamma", HY_SHAPE(-1), &ones);
    b->beta = hy_add_param(F, &b->base, "beta", HY_SHAPE(-1), &zeros);
    ones.aux = zeros.aux = 1;
    b->mean = hy_add_param(F, &b->base, "running_mean", HY_SHAPE(-1), &zeros);
    b->var = hy_add_param(F, &b->base, "running_var", HY_SHAPE(-1), &ones);
    return &b->base;
}

/* A block without state: just a function. */
static hy_block *tb_block(hy_frame *F, const char *kind, hy_forward_fn forward)
{
    return hy_block_new(F, sizeof(hy_block), kind, forward, 1);
}

static hy_array *tb_relu_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    HY__ADD(&tb_runs, 1);
    return hy_relu(F, x);
}

static hy_array *tb_flatten_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    HY__ADD(&tb_runs, 1);
    return hy_flatten(F, x);
}

/* Children one after the other. */
static hy_array *tb_chain_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    int i, n = hy_length(F, self);
    HY__ADD(&tb_runs, 1);
    for (i = 0; i < n; i++) x = hy_call(F, hy_child(F, self, i), x);
    return x;
}

static hy_block *tb_chain(hy_frame *F) { return tb_block(F, "chain", tb_chain_forward); }

/* dense(8) relu dense(4), names "first", "act", "last", all in the name scope of the chain */
static hy_block *tb_mlp(hy_frame *F)
{
    hy_block *net = tb_chain(F);
    hy_name_scope(F, net);
    hy_add_child(F, net, "first", tb_dense(F, 8, -1));
    hy_add_child(F, net, "act", tb_block(F, "relu", tb_relu_forward));
    hy_add_child(F, net, "last", tb_dense(F, 4, -1));
    hy_name_scope_end(F);
    return net;
}

/* What comes back from one file, or from a pair: text and parameters. x: what it is called with, if it must be traced. */
static hy_block *tb_reloaded(hy_frame *F, hy_block *net, hy_array *x, int single)
{
    hy_array *text = NULL;
    hy_arrays params;
    if (single) {
        text = hy_save_model_to(F, net, x);
        return text ? hy_load_model_from(F, hy_data(F, text), (size_t)hy_size(F, text), 0) : NULL;
    }
    if (hy_export_to(F, net, x, &text, &params)) return NULL;
    return hy_import_from(F, hy_symbol_from(F, (const char *)hy_data(F, text), (size_t)hy_size(F, text)), &params,
                          NULL);
}
#endif
