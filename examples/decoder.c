/* cc -O2 examples/decoder.c -o decoder -lm -lpthread     ./decoder [quick] [TEXT]     (LICENSE, if none is named)
 * A small decoder, of the kind that writes texts: it learns a text letter by letter, then goes on with it, each
 * letter from those before, whose keys and values are kept. They grow in place (hy_extend), line by line and compiled,
 * where a few programs take on all lengths; or they are rows of an array of one size (hy_put_rows): then one program
 * serves every length, and all of it lies in a buffer. `quick` takes 20 steps. Times go to stderr. */
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LETTERS = 128, WIDTH = 64, HEADS = 4, BLOCKS = 3, LONGEST = 160, LENGTH = 64, BATCH = 8, ROUNDS = 1500 };
enum { LINES, COMPILED, BOUND, WAYS };

static const char *const way_name[WAYS] = { "line by line", "compiled", "in a buffer" };
static const char built_in[] =
    "A decoder reads what it has written so far and says which letter comes next. What it has read stays with it as "
    "keys and values, one row for each letter, so that a new letter costs one row and not the whole text again. The "
    "rows grow as the text does, and the text ends where there is no room for another row.\n";

typedef struct { hy_block *norm1, *apart, *joined, *norm2, *inner, *outer; } layer;
typedef struct { hy_block base; hy_block *letters, *places; layer block[BLOCKS]; hy_block *norm, *scores; } decoder;

/* cache: keys and values so far, which leave with the new rows; at: where these stand in a cache of one size. */
static hy_array *attend(hy_frame *F, layer *l, hy_array *x, hy_array **cache, hy_array *at, hy_array *length)
{
    hy_attention_opt opt = { 0 };
    hy_array *parts = hy_split(F, hy_call(F, l->apart, x), 3, 2, NULL), *rows[2];
    int i;
    for (i = 0; i < 2; i++) {
        rows[i] = hy_get(F, parts, i + 1);
        if (cache) rows[i] = cache[i] = at ? hy_put_rows(F, cache[i], rows[i], at, 1) : hy_extend(F, cache[i], rows[i], 1);
    }
    opt.heads = HEADS;
    opt.causal = !cache;
    opt.use_length = at != NULL;
    opt.length = length;
    return hy_call(F, l->joined, hy_attention(F, hy_get(F, parts, 0), rows[0], rows[1], &opt));
}

/* group(letters (N,T), their places) -> scores (N,T,LETTERS), for training.
 * group(letter, place, caches ...) -> group(scores, caches ...): caches of a row for each letter so far; or, with the
 * length behind them, of one size. */
static hy_array *forward(hy_frame *F, hy_block *self, hy_array *x)
{
    decoder *d = (decoder *)(void *)self;
    hy_array *place = hy_get(F, x, 1), *y[1 + 2 * BLOCKS], *cache[2 * BLOCKS], *h;
    int i, n = hy_count(F, x), fixed = n == 3 + 2 * BLOCKS;
    for (i = 0; n > 2 && i < 2 * BLOCKS; i++) cache[i] = hy_get(F, x, 2 + i);
    h = hy_add(F, hy_call(F, d->letters, hy_get(F, x, 0)), hy_call(F, d->places, place));
    for (i = 0; i < BLOCKS; i++) {
        layer *l = &d->block[i];
        hy_array *at = fixed ? hy_reshape(F, place, HY_INTS(1), NULL) : NULL;
        h = hy_add(F, h, attend(F, l, hy_call(F, l->norm1, h), n > 2 ? &cache[2 * i] : NULL, at,
                                fixed ? hy_get(F, x, 2 + 2 * BLOCKS) : NULL));
        h = hy_add(F, h, hy_call(F, l->outer, hy_leaky_relu(F, hy_call(F, l->inner, hy_call(F, l->norm2, h)), HY_LEAKY_GELU, NULL)));
    }
    y[0] = hy_call(F, d->scores, hy_call(F, d->norm, h));
    for (i = 0; i < 2 * BLOCKS; i++) y[1 + i] = cache[i];
    return n > 2 ? hy_group_of(F, 1 + 2 * BLOCKS, y) : y[0];
}

static hy_block *dense(hy_frame *F, int inputs, int units)
{
    hy_nn_dense_opt each = { 0 };
    each.no_flatten = 1;
    each.in_units = inputs;
    return hy_nn_dense(F, units, &each);
}

static hy_block *decoder_new(hy_frame *F)
{
    decoder *d = HY_BLOCK_NEW(F, decoder, forward);
    int i;
    if (!d) return NULL;
    d->letters = hy_add_child(F, &d->base, "letters", hy_nn_embedding(F, LETTERS, WIDTH, NULL));
    d->places = hy_add_child(F, &d->base, "places", hy_nn_embedding(F, LONGEST, WIDTH, NULL));
    for (i = 0; i < BLOCKS; i++) {
        layer *l = &d->block[i];
        l->norm1 = hy_add_child(F, &d->base, NULL, hy_nn_layer_norm(F, NULL));
        l->apart = hy_add_child(F, &d->base, NULL, dense(F, WIDTH, 3 * WIDTH));
        l->joined = hy_add_child(F, &d->base, NULL, dense(F, WIDTH, WIDTH));
        l->norm2 = hy_add_child(F, &d->base, NULL, hy_nn_layer_norm(F, NULL));
        l->inner = hy_add_child(F, &d->base, NULL, dense(F, WIDTH, 4 * WIDTH));
        l->outer = hy_add_child(F, &d->base, NULL, dense(F, 4 * WIDTH, WIDTH));
    }
    d->norm = hy_add_child(F, &d->base, "norm", hy_nn_layer_norm(F, NULL));
    d->scores = hy_add_child(F, &d->base, "scores", dense(F, WIDTH, LETTERS));
    return &d->base;
}

/* Pieces of the text, one in each row, as they stand or one letter on; or at which places they stand. */
static hy_array *pieces(hy_frame *F, const char *text, const size_t *at, int on)
{
    float letter[BATCH * LENGTH];
    int i, t;
    for (i = 0; i < BATCH; i++)
        for (t = 0; t < LENGTH; t++)
            letter[i * LENGTH + t] = text ? (float)(text[at[i] + (size_t)(t + on)] & (LETTERS - 1)) : (float)(on + t);
    return hy_floats(F, HY_SHAPE(BATCH, LENGTH), letter);
}

/* Bits that a letter took to guess, in the last round. */
static double learn(hy_frame *F, hy_block *net, const char *text, size_t n, int rounds)
{
    hy_block *loss = hy_loss_softmax_ce(F, NULL);
    hy_optim_opt o = { 0 };
    hy_trainer *T;
    hy_trainer_opt limit = { 0 };
    uint32_t s = 1;
    double bits = 0;
    o.learning_rate = 3e-3;
    limit.clip_global_norm = 1;
    T = hy_trainer_new(F, net, hy_optim_adam(&o), &limit);
    for (; rounds > 0 && !hy_error(F); rounds--) {
        size_t at[BATCH];
        hy_array *y;
        int i, from = (int)((s = s * 1664525u + 1013904223u) % (LONGEST - LENGTH));
        for (i = 0; i < BATCH; i++) at[i] = (s = s * 1664525u + 1013904223u) % (n - LENGTH - 1);
        hy_begin(F);
        hy_record(F);
        y = hy_call(F, net, hy_group(F, pieces(F, text, at, 0), pieces(F, NULL, at, from)));
        y = hy_call(F, loss, hy_group(F, y, pieces(F, text, at, 1)));
        hy_pause(F);
        hy_backward(F, y, NULL);
        hy_step(F, T, BATCH);
        bits = hy_item(F, hy_mean(F, y, HY_ALL, NULL)) / 0.6931471805599453;
        hy_end(F);
    }
    return bits;
}

/* What the network is given at each letter: with it its place, the caches, and how many rows of them count. */
typedef struct { hy_array *letter, *place, *length, *caches; } inputs;

static void inputs_make(hy_frame *F, inputs *in, int way)
{
    hy_array *cache[2 * BLOCKS];
    int i;
    in->letter = hy_zeros(F, HY_SHAPE(1, 1));
    in->place = hy_cast(F, hy_zeros(F, HY_SHAPE(1, 1)), HY_I64);
    in->length = way == BOUND ? hy_cast(F, hy_ones(F, HY_SCALAR), HY_I64) : NULL;
    for (i = 0; i < 2 * BLOCKS; i++) {
        cache[i] = hy_zeros(F, HY_SHAPE(1, way == BOUND ? LONGEST : 0, WIDTH));
        if (way != BOUND) cache[i] = hy_with_room(F, cache[i], 1, LONGEST);
    }
    in->caches = hy_group_of(F, 2 * BLOCKS, cache);
}

static hy_array *inputs_of(hy_frame *F, const inputs *in)
{
    hy_array *all[3 + 2 * BLOCKS];
    int i, n = 2 + 2 * BLOCKS;
    all[0] = in->letter;
    all[1] = in->place;
    for (i = 0; i < 2 * BLOCKS; i++) all[2 + i] = hy_get(F, in->caches, i);
    if (in->length) all[n++] = in->length;
    return hy_group_of(F, n, all);
}

/* The caches with the newest rows in them are the next inputs; those of a binding stay where they are. */
static void inputs_next(hy_frame *F, inputs *in, hy_array *y, int way)
{
    hy_array *cache[2 * BLOCKS], *before = in->caches;
    int i;
    for (i = 0; i < 2 * BLOCKS; i++) {
        cache[i] = hy_get(F, y, 1 + i);
        if (way == BOUND) hy_assign(F, hy_get(F, in->caches, i), cache[i]);
    }
    if (way == BOUND) return;
    in->caches = hy_keep(F, hy_group_of(F, 2 * BLOCKS, cache));
    hy_free(F, before);
}

/* Goes on with the first letters of the text until there is no room left; NULL, or what is held for a binding. */
static void *write_on(hy_frame *F, hy_block *net, int way, const char *text, int given, char *written)
{
    hy_hybridize_opt opt = { 0 };
    inputs in;
    void *buffer = NULL;
    double seconds = 0;
    int64_t calls = 0;
    int i, t;
    opt.inactive = way == LINES;
    hy_hybridize(F, net, &opt);
    inputs_make(F, &in, way);
    if (way == BOUND) {
        size_t bytes = hy_plan(F, net, inputs_of(F, &in)).total;
        buffer = malloc(bytes);
        if (!buffer || hy_bind(F, net, inputs_of(F, &in), buffer, bytes)) return buffer;
        fprintf(stderr, "the buffer has %.0f KB\n", (double)bytes / 1024);
    }
    for (t = 0; t < LONGEST && !hy_error(F); t++) {
        hy_array *y;
        const float *score;
        int best = 0;
        if (t == given) { seconds = -hy_seconds(); calls = hy_memory_use(F).calls; }
        written[t] = t < given ? text[t] : written[t];
        hy_begin(F);
        hy_fill(F, in.letter, written[t] & (LETTERS - 1));
        hy_fill(F, in.place, t);
        if (in.length) hy_fill(F, in.length, t + 1);
        y = hy_call(F, net, inputs_of(F, &in));
        score = (const float *)hy_data(F, hy_get(F, y, 0));
        for (i = 1; score && i < LETTERS; i++) if (score[i] > score[best]) best = i;
        if (t + 1 < LONGEST) written[t + 1] = (char)best;
        inputs_next(F, &in, y, way);
        hy_end(F);
    }
    seconds += hy_seconds();
    calls = hy_memory_use(F).calls - calls;
    fprintf(stderr, "%s: %.0f letters a second\n", way_name[way], (LONGEST - given) / seconds);
    printf("%s: %s", way_name[way], hy_error(F) ? hy_error(F) : "done");
    if (way == COMPILED) printf(", at most four programs for all lengths: %s", hy_cache_info(F, net).programs <= 4 ? "yes" : "no");
    if (way == BOUND) printf(", one program: %s, %d calls of the allocator after the first letters",
                             hy_cache_info(F, net).programs == 1 ? "yes" : "no", (int)calls);
    puts("");
    return buffer;
}

int main(int argc, char **argv)
{
    static char file[100000], written[WAYS][LONGEST + 1];
    int quick = argc > 1 && !strcmp(argv[1], "quick"), given = 20, way, same = 1;
    const char *name = argc > 1 + quick ? argv[1 + quick] : "LICENSE", *text = built_in;
    size_t n = sizeof built_in - 1;
    FILE *f = quick && argc == 2 ? NULL : fopen(name, "rb");
    hy_frame *F = hy_open(NULL);
    hy_block *net = decoder_new(F);
    hy_init xavier = hy_init_xavier(NULL);
    void *buffer[WAYS];
    double seconds, bits;

    if (f) { n = fread(file, 1, sizeof file, f); text = file; fclose(f); }
    else if (argc > 1 + quick) { fprintf(stderr, "%s cannot be read\n", name); return 1; }
    if (n < LONGEST + 2) { fputs("the text is too short\n", stderr); return 1; }
    hy_initialize(F, net, &xavier);
    hy_hybridize(F, net, NULL);
    seconds = -hy_seconds();
    bits = learn(F, net, text, n, quick ? 20 : ROUNDS);
    seconds += hy_seconds();
    printf("%d parameters; after %d rounds a letter takes less than %d bits\n",
           hy_collect_params(F, net, NULL).n, quick ? 20 : ROUNDS, bits < 1 ? 1 : bits < 5 ? 5 : 7);
    fprintf(stderr, "learnt in %.1f s, %.2f bits a letter\n", seconds, bits);
    for (way = 0; way < WAYS; way++) {
        buffer[way] = write_on(F, net, way, text, given, written[way]);
        same &= !strcmp(written[way], written[0]);
    }
    puts(same ? "all three write the same letters" : "they write other letters");
    if (!quick) printf("%s\n", written[0]);
    if (hy_error(F)) fprintf(stderr, "%s\n", hy_error(F));
    same &= !hy_error(F);
    hy_close(F);
    for (way = 0; way < WAYS; way++) free(buffer[way]);
    return !same;
}
