/* cc -O2 examples/char_rnn.c -o char_rnn -lm -lpthread     ./char_rnn [TEXT]     (LICENSE, say)
 * An LSTM reads a text letter by letter and learns which letter comes next; with a file it then writes some. */
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"

enum { LETTERS = 128, HIDDEN = 48, LENGTH = 16, BATCH = 8, ROUNDS = 250 };

static const char built_in[] =
    "Permission is granted to read this text letter by letter, to guess the letter that comes next, and to guess "
    "again. The text is provided as it is. It has no meaning beyond its letters. Whoever reads it may copy it, "
    "learn it by heart, and write it down again, in whole or in part, provided that the letters stay in their "
    "order. In no event shall the letters be liable for what is read between the lines.\n";

typedef struct { hy_block base; hy_block *embedding, *lstm, *output; } reader;

static hy_array *forward(hy_frame *F, hy_block *self, hy_array *x)      /* group(letters (T,N), states...) */
{
    reader *r = (reader *)(void *)self;
    hy_array *y = hy_call(F, r->embedding, hy_get(F, x, 0));
    y = hy_call(F, r->lstm, hy_group(F, y, hy_get(F, x, 1), hy_get(F, x, 2)));
    return hy_group(F, hy_call(F, r->output, hy_get(F, y, 0)), hy_get(F, y, 1), hy_get(F, y, 2));
}

static hy_block *reader_new(hy_frame *F)
{
    hy_nn_dense_opt every_step = { 0 };
    hy_rnn_layer_opt lstm = { 0 };
    reader *r = HY_BLOCK_NEW(F, reader, forward);
    if (!r) return NULL;
    every_step.no_flatten = 1;
    lstm.input_size = 32;
    r->embedding = hy_add_child(F, &r->base, "embedding", hy_nn_embedding(F, LETTERS, 32, NULL));
    r->lstm = hy_add_child(F, &r->base, "lstm", hy_rnn_lstm(F, HIDDEN, &lstm));
    r->output = hy_add_child(F, &r->base, "output", hy_nn_dense(F, LETTERS, &every_step));
    return &r->base;
}

static hy_array *states(hy_frame *F, hy_block *net, int n)
{
    return hy_rnn_begin_state(F, ((reader *)(void *)net)->lstm, n);
}

/* Pieces of the text, one in each column, and the same one letter on. */
static hy_array *pieces(hy_frame *F, const char *text, size_t n, uint32_t *seed, int on)
{
    float letter[LENGTH * BATCH];
    uint32_t s = *seed;
    int i, t;
    for (i = 0; i < BATCH; i++) {
        size_t at = (s = s * 1664525u + 1013904223u) % (n - LENGTH - 1);
        for (t = 0; t < LENGTH; t++) letter[t * BATCH + i] = (float)(text[at + (size_t)(t + on)] & (LETTERS - 1));
    }
    if (on) *seed = s;
    return hy_floats(F, HY_SHAPE(LENGTH, BATCH), letter);
}

static double step(hy_frame *F, hy_block *net, hy_block *loss, hy_trainer *T, const char *text, size_t n,
                   uint32_t *seed)
{
    hy_array *x, *next, *begin, *y;
    double bits;
    hy_begin(F);
    x = pieces(F, text, n, seed, 0);
    next = pieces(F, text, n, seed, 1);
    begin = states(F, net, BATCH);
    hy_record(F);
    y = hy_call(F, net, hy_group(F, x, hy_get(F, begin, 0), hy_get(F, begin, 1)));
    y = hy_call(F, loss, hy_group(F, hy_get(F, y, 0), next));
    hy_pause(F);
    hy_backward(F, y, NULL);
    hy_step(F, T, LENGTH);
    bits = hy_item(F, hy_mean(F, y, HY_ALL, NULL)) / 0.6931471805599453;
    hy_end(F);
    return bits;
}

static void write_some(hy_frame *F, hy_block *net, int letters)
{
    float letter = 'T';
    uint32_t seed = 1;
    hy_array *state = hy_keep(F, states(F, net, 1));
    for (; letters > 0 && !hy_error(F); letters--) {
        hy_array *y, *old = state;
        const float *p;
        double left = (seed = seed * 1664525u + 1013904223u) / 4294967296.0;
        int next = 0;
        putchar((int)letter);
        hy_begin(F);
        y = hy_call(F, net, hy_group(F, hy_floats(F, HY_SHAPE(1, 1), &letter), hy_get(F, state, 0),
                                     hy_get(F, state, 1)));
        p = (const float *)hy_data(F, hy_softmax(F, hy_mul_scalar(F, hy_get(F, y, 0), 1.5), -1, NULL));
        while (p && next < LETTERS - 1 && left >= p[next]) left -= p[next++];
        letter = (float)next;
        state = hy_keep(F, hy_group(F, hy_get(F, y, 1), hy_get(F, y, 2)));
        hy_end(F);
        hy_free(F, old);
    }
    puts("");
}

int main(int argc, char **argv)
{
    static char file[100000];
    const char *text = built_in;
    size_t n = sizeof built_in - 1;
    FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
    hy_frame *F = hy_open(NULL);
    hy_block *net = reader_new(F), *loss = hy_loss_softmax_ce(F, NULL);
    hy_init xavier = hy_init_xavier(NULL);
    hy_trainer_opt limit = { 0 };
    hy_optim_opt adam = { 0 };
    hy_trainer *T;
    uint32_t seed = 1;
    double bits = 0, first = 0;
    int i, rounds = f ? 8 * ROUNDS : ROUNDS;

    if (f) { n = fread(file, 1, sizeof file, f); text = file; fclose(f); }
    if (n <= LENGTH + 1) { fputs("the text is too short, or cannot be read\n", stderr); return 1; }
    hy_initialize(F, net, &xavier);
    hy_hybridize(F, net, NULL);
    hy_hybridize(F, loss, NULL);
    adam.learning_rate = 0.015;
    limit.clip_global_norm = 5;
    T = hy_trainer_new(F, net, hy_optim_adam(&adam), &limit);
    for (i = 0; i < rounds && !hy_error(F); i++) {
        bits = step(F, net, loss, T, text, n, &seed);
        if (!i) first = bits;
    }
    printf("at first a letter took %d bits to guess, after %d rounds %s\n", (int)(first + 0.5), rounds,
           bits < 2 ? "less than 2" : "still more than 2");
    if (f) write_some(F, net, 400);
    if (hy_error(F)) fprintf(stderr, "%s\n", hy_error(F));
    return hy_close(F);
}
