/* cc -O2 examples/zoo_sequence.c -o zoo_sequence -lm -lpthread
 *
 * Networks for sequences: language models on a GRU and on an LSTM, one word at a time with states handed on,
 * and the encoder block of a transformer. Each runs line by line and hybridized, compared and timed.
 */
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#include <math.h>
#include <stdio.h>

/* --- a language model: group(words, states...) -> group(scores, states...) --- */
enum { WORDS = 1000, HIDDEN = 128, BATCH = 2, STEPS = 50 };

typedef struct { hy_block base; hy_block *embedding, *recurrent, *output; } language_model;

static hy_array *language_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    language_model *m = (language_model *)self;
    hy_array *y[3];                                     /* (1,N,hidden), then one state, or two of an lstm */
    int i, n = hy_count(F, x);
    y[0] = hy_call(F, m->embedding, hy_get(F, x, 0));
    for (i = 1; i < n; i++) y[i] = hy_get(F, x, i);
    x = hy_call(F, m->recurrent, hy_group_of(F, n, y));
    y[0] = hy_call(F, m->output, hy_get(F, x, 0));
    for (i = 1; i < n; i++) y[i] = hy_get(F, x, i);
    return hy_group_of(F, n, y);
}

static hy_block *language_model_new(hy_frame *F, hy_block *recurrent)
{
    language_model *m = HY_BLOCK_NEW(F, language_model, language_forward);
    hy_nn_dense_opt per_word = {0};
    per_word.no_flatten = 1;
    if (!m) return NULL;
    m->embedding = hy_add_child(F, &m->base, "embedding", hy_nn_embedding(F, WORDS, HIDDEN, NULL));
    m->recurrent = hy_add_child(F, &m->base, "recurrent", recurrent);
    m->output = hy_add_child(F, &m->base, "output", hy_nn_dense(F, WORDS, &per_word));
    return &m->base;
}

/* Says the likeliest word after the last one, STEPS times: the scores of the last. */
static hy_array *speak(hy_frame *F, hy_block *net, hy_array *word)
{
    hy_array *state = hy_rnn_begin_state(F, ((language_model *)net)->recurrent, BATCH), *y[3], *next = NULL;
    int i, step, n = hy_count(F, state);
    for (i = 0; i < n; i++) y[i + 1] = hy_get(F, state, i);
    for (step = 0; step < STEPS; step++) {
        y[0] = next ? hy_argmax(F, y[0], 2, NULL) : word;
        next = hy_call(F, net, hy_group_of(F, n + 1, y));
        for (i = 0; i <= n; i++) y[i] = hy_get(F, next, i);
    }
    return y[0];
}

/* --- a transformer's encoder block: (N,T,C) -> (N,T,C) --- */
enum { HEADS = 4, WIDTH = 64 };

typedef struct {
    hy_block base;
    hy_block *query, *key, *value, *joined, *first, *inner, *outer, *last;
} encoder;

/* (N,T,C) -> (N heads,T,C/heads), and back */
static hy_array *apart(hy_frame *F, hy_array *x)
{
    x = hy_transpose(F, hy_reshape(F, x, HY_INTS(0, 0, HEADS, -1), NULL), HY_AXES(0, 2, 1, 3));
    return hy_reshape(F, x, HY_INTS(-3, 0, 0), NULL);
}
static hy_array *together(hy_frame *F, hy_array *x)
{
    x = hy_transpose(F, hy_reshape(F, x, HY_INTS(-4, -1, HEADS, 0, 0), NULL), HY_AXES(0, 2, 1, 3));
    return hy_reshape(F, x, HY_INTS(0, 0, -3), NULL);
}

static hy_array *encoder_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    encoder *e = (encoder *)self;
    hy_array *q = apart(F, hy_call(F, e->query, x));
    hy_array *k = apart(F, hy_call(F, e->key, x));
    hy_array *v = apart(F, hy_call(F, e->value, x)), *seen, *y;
    hy_batch_dot_opt with_columns = {0};
    with_columns.transpose_b = 1;
    seen = hy_batch_dot(F, q, k, &with_columns);        /* (N heads,T,T): what each place sees of each */
    seen = hy_softmax(F, hy_div_scalar(F, seen, sqrt(WIDTH / HEADS)), -1, NULL);
    y = hy_call(F, e->joined, together(F, hy_batch_dot(F, seen, v, NULL)));
    x = hy_call(F, e->first, hy_add(F, x, y));
    y = hy_call(F, e->outer, hy_call(F, e->inner, x));
    return hy_call(F, e->last, hy_add(F, x, y));
}

static hy_block *encoder_new(hy_frame *F)
{
    encoder *e = HY_BLOCK_NEW(F, encoder, encoder_forward);
    hy_nn_dense_opt linear = {0}, relu = {0};
    if (!e) return NULL;
    linear.no_flatten = relu.no_flatten = 1;
    relu.activation = "relu";
    e->query = hy_add_child(F, &e->base, "query", hy_nn_dense(F, WIDTH, &linear));
    e->key = hy_add_child(F, &e->base, "key", hy_nn_dense(F, WIDTH, &linear));
    e->value = hy_add_child(F, &e->base, "value", hy_nn_dense(F, WIDTH, &linear));
    e->joined = hy_add_child(F, &e->base, "joined", hy_nn_dense(F, WIDTH, &linear));
    e->first = hy_add_child(F, &e->base, "first", hy_nn_layer_norm(F, NULL));
    e->inner = hy_add_child(F, &e->base, "inner", hy_nn_dense(F, 4 * WIDTH, &relu));
    e->outer = hy_add_child(F, &e->base, "outer", hy_nn_dense(F, WIDTH, &linear));
    e->last = hy_add_child(F, &e->base, "last", hy_nn_layer_norm(F, NULL));
    return &e->base;
}

/* --- line by line, then hybridized --- */
typedef hy_array *(*run_fn)(hy_frame *F, hy_block *net, hy_array *x);

static hy_array *once(hy_frame *F, hy_block *net, hy_array *x) { return hy_call(F, net, x); }

static void visit(hy_frame *F, const char *name, hy_block *net, run_fn run, hy_array *x)
{
    hy_init xavier = hy_init_xavier(NULL);
    hy_array *y[2], *error;
    int i;
    hy_begin(F);
    hy_initialize(F, net, &xavier);
    printf("%s\n", name);
    for (i = 0; i < 2; i++) {
        hy_watch watch;
        if (i) hy_hybridize(F, net, NULL);
        run(F, net, x);                                 /* the first call traces */
        watch = hy_watch_start();
        y[i] = run(F, net, x);
        hy_watch_stop(watch, i ? "    hybridized" : "    line by line");
    }
    error = hy_div(F, hy_norm(F, hy_sub(F, y[0], y[1]), HY_ALL, NULL), hy_norm(F, y[0], HY_ALL, NULL));
    printf("    same within 1e-5: %s\n", hy_item(F, error) <= 1e-5 && !hy_error(F) ? "yes" : "no");
    hy_end(F);
    hy_block_free(F, net);
}

int main(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *word = hy_zeros(F, HY_SHAPE(1, BATCH));
    visit(F, "GRU, 50 words", language_model_new(F, hy_rnn_gru(F, HIDDEN, NULL)), speak, word);
    visit(F, "LSTM, 50 words", language_model_new(F, hy_rnn_lstm(F, HIDDEN, NULL)), speak, word);
    visit(F, "transformer encoder block", encoder_new(F), once, hy_normal(F, HY_SHAPE(2, 16, WIDTH), 0, 1));
    if (hy_error(F)) fprintf(stderr, "%s\n", hy_error(F));
    return hy_close(F);
}
