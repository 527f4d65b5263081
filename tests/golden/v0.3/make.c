/* How the files in this folder came about. They are what hybrid.h 0.3.0 wrote (`git show af9e7d0:hybrid.h`); later
 * versions read them and give the same results, which ../../test_golden.c sees to. Not to be run anew with another
 * version. In a folder that holds that hybrid.h, and where the files shall be:
 *     cc -O1 -std=gnu11 -I . tests/golden/v0.3/make.c -o make -lm -lpthread && ./make
 * NAME.hybrid is a model in one file; NAME-symbol.json and NAME-0000.params are a pair. NAME.npz holds what the file,
 * read again, was called with (in0, in1, ...) and what it gave (out0, ...), in inference, after hy_seed(F, 7). Three have
 * none: 0.3.0 could not read them, or should not have written them. */
#define HYBRID_IMPLEMENTATION
#include "hybrid.h"
#include <stdio.h>

typedef struct { hy_block base; hy_block *a, *b; hy_array *w; } net;
static int bad;

static void say(hy_frame *F, const char *name)
{
    if (hy_error(F)) { bad = 1; printf("%s: %s\n", name, hy_error(F)); hy_clear(F); }
}

/* --- results beside a file --- */
static int flatten(hy_frame *F, hy_array *x, hy_array **to)
{
    int i, n = 0;
    if (!x) return 0;
    if (!x->count) { to[0] = x; return 1; }
    for (i = 0; i < hy_count(F, x); i++) n += flatten(F, hy_get(F, x, i), to + n);
    return n;
}

static void results(hy_frame *F, hy_block *read, hy_array *x, const char *name)
{
    static const char *const key[] = { "in0", "in1", "in2", "in3", "in4", "in5", "out0", "out1", "out2", "out3", "out4",
                                       "out5" };
    hy_array *at[12];
    const char *names[12];
    hy_arrays all = { 0, at, names };
    char file[100];
    int i, in, out;
    in = flatten(F, x, at);
    hy_seed(F, 7);
    out = flatten(F, hy_call(F, read, x), at + in);
    for (i = 0; i < in + out; i++) {
        names[i] = i < in ? key[i] : key[6 + i - in];
        at[i] = hy_copy(F, at[i]);
    }
    all.n = in + out;
    sprintf(file, "%s.npz", name);
    hy_save(F, file, all);
    say(F, name);
}

static void one(hy_frame *F, hy_block *block, hy_array *x, const char *name)
{
    char file[100];
    sprintf(file, "%s.hybrid", name);
    hy_save_model_for(F, block, x, file);
    results(F, hy_load_model(F, file), x, name);
}

static void pair(hy_frame *F, hy_block *block, hy_array *x, const char *name)
{
    hy_export_for(F, block, x, name, 0);
    results(F, hy_import(F, name, 0), x, name);
}

/* --- networks --- */
static hy_array *images(hy_frame *F) { return hy_normal(F, HY_SHAPE(2, 3, 8, 7), 0, 1); }
static hy_array *rows(hy_frame *F) { return hy_normal(F, HY_SHAPE(4, 3), 0, 1); }

static hy_block *mlp(hy_frame *F)
{
    hy_block *n = hy_nn_hybrid_sequential(F);
    hy_nn_dense_opt o = { 0 };
    o.activation = "relu";
    return hy_append(F, n, hy_nn_dense(F, 6, &o), hy_nn_dense(F, 5, &o), hy_nn_dense(F, 2, NULL));
}

static hy_block *dropout(hy_frame *F)
{
    hy_block *n = hy_nn_hybrid_sequential(F);
    hy_nn_dropout_opt o = { 0 };
    o.axes = HY_AXES(0);
    return hy_append(F, n, hy_nn_dense(F, 6, NULL), hy_nn_dropout(F, .5, NULL), hy_nn_prelu(F, NULL),
                     hy_nn_dropout(F, .25, &o), hy_nn_dense(F, 2, NULL));
}

/* Running statistics that are no zeros and ones. */
static hy_block *convolutions(hy_frame *F)
{
    hy_block *n = hy_nn_hybrid_sequential(F);
    hy_nn_conv_opt o = { 0 }, grouped = { 0 };
    hy_nn_batch_norm_opt norm = { 0 };
    o.activation = "relu";
    o.pad = HY_INTS(1, 1);
    grouped.groups = 3;
    grouped.stride = HY_INTS(2, 1);
    grouped.no_bias = 1;
    norm.mean_init = norm.beta_init = hy_init_uniform(.5);
    norm.var_init = hy_init_constant(.75);
    norm.gamma_init = hy_init_normal(1);
    norm.epsilon = 1e-3;
    return hy_append(F, n, hy_nn_conv2d(F, 6, HY_INTS(3, 3), &o), hy_nn_batch_norm(F, &norm),
                     hy_nn_max_pool2d(F, HY_INTS(2, 2), NULL), hy_nn_conv2d(F, 6, HY_INTS(2, 2), &grouped),
                     hy_nn_activation(F, "softrelu"), hy_nn_dense(F, 3, NULL));
}

/* --- loops and branches --- */
static hy_array *turn(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    net *n = (net *)user;
    s = hy_tanh(F, hy_add(F, hy_call(F, n->a, hy_expand_dims(F, x, 0)), hy_mul(F, s, n->w)));
    return hy_group(F, hy_reshape(F, s, HY_INTS(-1), NULL), s);
}

static hy_array *each(hy_frame *F, hy_block *self, hy_array *x)
{
    return hy_foreach(F, turn, x, hy_zeros(F, HY_SHAPE(1, 4)), self);
}

static hy_array *below(hy_frame *F, hy_array *v, void *user)
{
    (void)user;
    return hy_lesser_scalar(F, hy_get(F, v, 0), 6);
}

static hy_array *grow(hy_frame *F, hy_array *v, void *user)
{
    net *n = (net *)user;
    hy_array *i = hy_get(F, v, 0), *x = hy_get(F, v, 1);
    return hy_group(F, hy_mean(F, x, HY_AXES(0), NULL),
                    hy_group(F, hy_add_scalar(F, i, 1.5), hy_sigmoid(F, hy_call(F, n->a, x))));
}

static hy_array *whiles(hy_frame *F, hy_block *self, hy_array *x)
{
    return hy_while_loop(F, below, grow, hy_group(F, hy_zeros(F, HY_SHAPE(1)), x), 7, self);
}

static hy_array *then(hy_frame *F, hy_array *x, void *user) { return hy_call(F, ((net *)user)->a, x); }
static hy_array *other(hy_frame *F, hy_array *x, void *user) { return hy_sub(F, hy_call(F, ((net *)user)->b, x), x); }

static hy_array *branch(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *y = hy_cond(F, hy_greater_scalar(F, hy_mean(F, x, HY_ALL, NULL), 0), then, other, x, self);
    return hy_cond(F, hy_lesser_scalar(F, hy_mean(F, x, HY_ALL, NULL), 0), then, other, y, self);
}

static hy_array *inner(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    (void)user;
    s = hy_add(F, hy_mul_scalar(F, s, .5), x);
    return hy_group(F, s, s);
}

/* An inner loop over a row, a branch on what it gives. */
static hy_array *outer(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    hy_array *y = hy_foreach(F, inner, x, hy_zeros_like(F, s), NULL);
    hy_array *z = hy_cond(F, hy_greater_scalar(F, hy_get(F, y, 1), 0), then, other,
                          hy_reshape(F, hy_get(F, y, 0), HY_INTS(1, -1), NULL), user);
    return hy_group(F, hy_reshape(F, z, HY_INTS(-1), NULL), hy_add(F, s, hy_get(F, y, 1)));
}

static hy_array *nested(hy_frame *F, hy_block *self, hy_array *x)
{
    return hy_foreach(F, outer, x, hy_zeros(F, HY_SHAPE(1)), self);
}

static hy_block *control(hy_frame *F, hy_forward_fn forward, int units)
{
    net *n = HY_BLOCK_NEW(F, net, forward);
    hy_param_opt o = { 0 };
    o.init = hy_init_constant(.75);
    n->a = hy_add_child(F, &n->base, "a", hy_nn_dense(F, units, NULL));
    if (forward != each && forward != whiles) n->b = hy_add_child(F, &n->base, "b", hy_nn_dense(F, units, NULL));
    if (forward == each) n->w = hy_add_param(F, &n->base, "w", HY_SHAPE(4), &o);
    return &n->base;
}

/* --- groups, random numbers, types, recurrent layers --- */
static hy_array *pairs(hy_frame *F, hy_block *self, hy_array *x)
{
    net *n = (net *)self;
    hy_array *in = hy_get(F, x, 0), *rest = hy_get(F, x, 1), *y = hy_call(F, n->a, in);
    return hy_group(F, hy_concat(F, hy_group(F, y, hy_get(F, rest, 0)), 1),
                    hy_group(F, hy_split(F, hy_get(F, rest, 1), 2, 0, NULL), hy_add(F, y, hy_call(F, n->b, in))));
}

static hy_array *noise(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_group(F, hy_add(F, x, hy_normal(F, HY_SHAPE(3), 0, 1)), hy_uniform(F, HY_SHAPE(2, 2), -1, 1));
}

static hy_array *sizes(hy_frame *F, hy_block *self, hy_array *x)        /* for inputs of any size */
{
    hy_array *y = hy_transpose(F, x, HY_AXES(1, 0, 2));
    y = hy_call(F, ((net *)self)->a, hy_reshape(F, y, HY_INTS(-1, 3), NULL));
    return hy_group(F, hy_softmax(F, hy_reshape_like(F, y, hy_slice_axis(F, x, 2, 0, 2), NULL), -1, NULL),
                    hy_topk(F, y, -1, 1, NULL));
}

static hy_block *lstm(hy_frame *F)
{
    hy_block *n = hy_nn_hybrid_sequential(F);
    hy_rnn_layer_opt o = { 0 };
    o.num_layers = 2;
    o.dropout = .25;
    o.layout = HY_LAYOUT_NTC;
    return hy_append(F, n, hy_rnn_lstm(F, 3, &o), hy_nn_layer_norm(F, NULL), hy_nn_dense(F, 2, NULL));
}

static hy_block *gru(hy_frame *F)
{
    hy_rnn_layer_opt o = { 0 };
    o.bidirectional = 1;
    return hy_rnn_gru(F, 2, &o);
}

static hy_block *embedding(hy_frame *F)
{
    hy_block *n = hy_nn_hybrid_sequential(F);
    return hy_append(F, n, hy_nn_embedding(F, 9, 4, NULL), hy_nn_gelu(F), hy_nn_group_norm(F, 2, NULL),
                     hy_nn_dense(F, 2, NULL));
}

static hy_block *ready(hy_frame *F, hy_block *b, hy_array *x)
{
    hy_init init = hy_init_uniform(.6);
    hy_initialize(F, b, &init);
    hy_call(F, b, x);
    return b;
}

/* --- values alone: parameters by path, and what a trainer has --- */
static void training(hy_frame *F)
{
    hy_block *n = mlp(F);
    hy_array *x = rows(F), *y, *at[2];
    const char *name[] = { "in0", "out0" };
    hy_arrays all = { 2, at, name };
    hy_trainer *T;
    ready(F, n, x);
    T = hy_trainer_new(F, n, hy_optim_adam(NULL), NULL);
    hy_save_parameters(F, n, "adam.params", NULL);
    hy_record(F);
    y = hy_sum(F, hy_square(F, hy_call(F, n, x)), HY_ALL, NULL);
    hy_pause(F);
    hy_backward(F, y, NULL);
    hy_step(F, T, 4);
    hy_save_states(F, T, "adam.states");
    hy_save_parameters(F, n, "adam1.params", NULL);
    at[0] = x;
    at[1] = hy_call(F, n, x);
    hy_save(F, "adam.npz", all);
    say(F, "adam");
}

/* --- what 0.3.0 could not read, or should not have written: without results --- */
/* The inner body has a state of its own and takes the outer one, under one name. */
static hy_array *twice(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    s = hy_add(F, hy_mul(F, s, x), (hy_array *)user);
    return hy_group(F, s, s);
}

static hy_array *around(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    (void)user;
    s = hy_get(F, hy_foreach(F, twice, x, hy_zeros_like(F, s), s), 1);
    return hy_group(F, s, s);
}

static hy_array *outside(hy_frame *F, hy_block *self, hy_array *x)
{
    (void)self;
    return hy_get(F, hy_foreach(F, around, x, hy_ones(F, HY_SHAPE(1)), NULL), 0);
}

/* Running statistics that are computed: a result, and a row of the data. */
static hy_array *statistic(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *one = hy_ones(F, HY_SHAPE(3)), *mean = hy_mul_scalar(F, hy_mean(F, x, HY_AXES(0), NULL), 1.5);
    (void)self;
    return hy_batch_norm(F, x, one, one, mean, hy_ones(F, HY_SHAPE(3)), NULL);
}

static hy_array *row(hy_frame *F, hy_array *x, hy_array *s, void *user)
{
    hy_array *one = hy_ones(F, HY_SHAPE(3)), *line = hy_reshape(F, x, HY_INTS(1, -1), NULL);
    return hy_group(F, hy_batch_norm(F, line, one, one, x, ((net *)user)->w, NULL), s);
}

static hy_array *statistic_row(hy_frame *F, hy_block *self, hy_array *x)
{
    return hy_get(F, hy_foreach(F, row, x, hy_zeros(F, HY_SHAPE(1)), self), 0);
}

static void unread(hy_frame *F)
{
    net *n = HY_BLOCK_NEW(F, net, statistic_row);
    hy_param_opt o = { 0 };
    o.aux = 1;
    o.init = hy_init_ones();
    n->w = hy_add_param(F, &n->base, "w", HY_SHAPE(3), &o);
    hy_initialize(F, &n->base, NULL);
    hy_save_model_for(F, &n->base, hy_ones(F, HY_SHAPE(2, 3)), "statistic_row.hybrid");
    hy_save_model_for(F, &HY_BLOCK_NEW(F, net, statistic)->base, hy_ones(F, HY_SHAPE(2, 3)), "statistic.hybrid");
    hy_save_model_for(F, &HY_BLOCK_NEW(F, net, outside)->base, hy_ones(F, HY_SHAPE(3, 2)), "outside.hybrid");
    say(F, "unread");
}

int main(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = rows(F), *image = images(F), *y;
    hy_block *b, *small;
    one(F, ready(F, mlp(F), x), x, "mlp");
    pair(F, ready(F, mlp(F), x), x, "mlp_pair");
    one(F, ready(F, dropout(F), x), x, "dropout");
    pair(F, ready(F, dropout(F), x), x, "dropout_pair");
    one(F, b = ready(F, convolutions(F), image), image, "conv");
    pair(F, b, image, "conv_pair");
    small = hy_quantize(F, b, image, NULL);
    one(F, small, image, "int8");
    pair(F, small, image, "int8_pair");
    one(F, b = ready(F, control(F, each, 4), x), x, "foreach");
    pair(F, b, x, "foreach_pair");
    one(F, b = ready(F, control(F, whiles, 3), x), x, "while");
    pair(F, b, x, "while_pair");
    one(F, b = ready(F, control(F, branch, 3), x), x, "cond");
    pair(F, b, x, "cond_pair");
    one(F, b = ready(F, control(F, nested, 3), x), x, "nested");
    pair(F, b, x, "nested_pair");
    y = hy_group(F, x, hy_group(F, hy_normal(F, HY_SHAPE(4, 2), 0, 1), hy_arange(F, 0, 6, 1)));
    one(F, b = ready(F, control(F, pairs, 3), y), y, "groups");
    pair(F, b, y, "groups_pair");
    one(F, control(F, noise, 3), x, "noise");
    y = hy_normal(F, HY_SHAPE(2, 5, 3), 0, 1);
    one(F, b = ready(F, control(F, sizes, 2), hy_ones(F, HY_SHAPE(1, 1, 3))), y, "sizes");
    one(F, ready(F, lstm(F), y), y, "lstm");
    pair(F, ready(F, gru(F), y), y, "gru_pair");
    y = hy_floats(F, HY_SHAPE(2, 4), (const float[]){ 0, 3, 8, 1, 7, 7, 2, 5 });
    one(F, ready(F, embedding(F), y), y, "embedding");
    b = ready(F, mlp(F), x);
    hy_cast_block(F, b, HY_BF16);
    one(F, b, hy_cast(F, x, HY_BF16), "bf16");
    b = ready(F, mlp(F), x);
    hy_cast_block(F, b, HY_F16);
    pair(F, b, hy_cast(F, x, HY_F16), "f16_pair");
    training(F);
    unread(F);
    say(F, "make");
    return hy_close(F) || bad;
}
