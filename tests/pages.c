/* Writes pages of hy_fit for tests/pages.sh, into the working folder: of a run with everything, of one epoch, of names
 * that would be markup, of numbers far from 1. Prints a line for tests/pages.py each: the page and what it must show. */
#ifdef HYBRID_LINKED
#include "../hybrid.h"
#else
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#endif
#include <math.h>
#include <stdio.h>
#include <string.h>

#define EVIL "</script><img src=x onerror=ran=1>\"'&lt;\xE2\x80\xAE" "esrever"
/* The same in JSON. */
#define EVIL_LISTED "</script><img src=x onerror=ran=1>\\\"'&lt;\\u202eesrever"

static double scale = 1;

static int sample(void *user, int64_t i, uint64_t random, const void *const *in, void *const *out)
{
    float *x = (float *)out[0], angle = (float)(i % 100) * 0.0314159f;
    int side = i / 100 % 2;
    (void)user; (void)random; (void)in;
    x[0] = side ? 1 - cosf(angle) : cosf(angle);
    x[1] = side ? 0.5f - sinf(angle) : sinf(angle);
    ((float *)out[1])[0] = (float)(side * scale);
    return 0;
}

static void learn(const char *page, const char *name, int epochs, int validated, double wanted)
{
    static const hy_type types[2] = { { HY_F32, { 1, { 2 } } }, { HY_F32, { 1, { 1 } } } };
    hy_desc desc;
    hy_optim_opt o;
    hy_loader_opt l;
    hy_fit_opt fit;
    hy_metric_opt metric;
    hy_nn_dense_opt dense;
    hy_history h;
    hy_frame *F;
    hy_block *net, *part;
    hy_trainer *T;
    hy_dataset *D;
    memset(&desc, 0, sizeof desc);
    memset(&o, 0, sizeof o);
    memset(&l, 0, sizeof l);
    memset(&fit, 0, sizeof fit);
    memset(&metric, 0, sizeof metric);
    memset(&dense, 0, sizeof dense);
    scale = wanted;
    desc.seed = 3;
    F = hy_open(&desc);
    net = hy_nn_hybrid_sequential(F);
    dense.activation = "tanh";
    part = hy_nn_dense(F, 16, &dense);
    if (name) hy_set_prefix(F, part, name);
    hy_append(F, net, part, hy_nn_dense(F, 1, NULL));
    hy_initialize(F, net, NULL);
    if (epochs > 1) hy_hybridize(F, net, NULL);
    o.learning_rate = 0.02;
    T = hy_trainer_new(F, net, hy_optim_adam(&o), NULL);
    D = hy_dataset_of(F, 200, 2, types, sample, NULL);
    l.shuffle = 1;
    metric.name = name;
    fit.metric = hy_metric_mae(F, &metric);
    fit.epochs = epochs;
    fit.progress = -1;
    fit.report = page;
    h = hy_fit(F, net, hy_loss_l2(F, NULL), T, hy_loader_new(F, D, 20, &l),
               validated ? hy_loader_new(F, D, 64, NULL) : NULL, &fit);
    printf("[\"%s\", \"Training\", \"%d of %d epochs\", \"%s\", \"Dense(\"", page, h.n, epochs, name ? EVIL_LISTED : "mae");
    if (h.n && fabs(h.at[0].loss) < 1000 && fabs(h.at[h.n - 1].loss) > 0.001)
        printf(", \"%.4g\", \"%.4g\"", h.at[0].loss, h.at[h.n - 1].loss);
    printf("]\n");
    if (hy_error(F)) fprintf(stderr, "%s: %s\n", page, hy_error(F));
    hy_close(F);
}

/* Layers of a transformer's shape: twelve that are alike, an output that joins them, names that would be markup. */
typedef struct { hy_block base; hy_block *norm, *query, *key, *value, *out, *wide, *narrow, *last; } layer;
static hy_array *layer_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    layer *l = (layer *)(void *)self;
    hy_array *y = hy_call(F, l->norm, x), *q = hy_call(F, l->query, y), *k = hy_call(F, l->key, y);
    hy_array *v = hy_call(F, l->value, y);
    x = hy_add(F, x, hy_call(F, l->out, hy_mul(F, hy_softmax(F, hy_mul(F, q, k), -1, NULL), v)));
    y = hy_call(F, l->wide, hy_call(F, l->last, x));
    return hy_add(F, x, hy_call(F, l->narrow, hy_mul(F, y, hy_sigmoid(F, y))));
}

static hy_block *layer_new(hy_frame *F)
{
    layer *l = HY_BLOCK_NEW(F, layer, layer_forward);
    l->norm = hy_add_child(F, &l->base, "norm", hy_nn_layer_norm(F, NULL));
    l->query = hy_add_child(F, &l->base, "query", hy_nn_dense(F, 16, NULL));
    l->key = hy_add_child(F, &l->base, "key", hy_nn_dense(F, 16, NULL));
    l->value = hy_add_child(F, &l->base, "value", hy_nn_dense(F, 16, NULL));
    l->out = hy_add_child(F, &l->base, "out", hy_nn_dense(F, 16, NULL));
    l->wide = hy_add_child(F, &l->base, "wide", hy_nn_dense(F, 64, NULL));
    l->narrow = hy_add_child(F, &l->base, "narrow", hy_nn_dense(F, 16, NULL));
    l->last = hy_add_child(F, &l->base, "last", hy_nn_layer_norm(F, NULL));
    return &l->base;
}

/* What all layers hand on, joined: then none is like another to those who draw. */
typedef struct { hy_block base; hy_block *layer[4]; } joined;
static hy_array *joined_forward(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_array *y[4];
    int i;
    for (i = 0; i < 4; i++) x = y[i] = hy_call(F, ((joined *)(void *)self)->layer[i], x);
    return hy_concat(F, hy_group_of(F, 4, y), 1);
}

static void save_deep(const char *file, const char *name, int layers)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_hybrid_sequential(F);
    int i;
    hy_append(F, net, hy_nn_dense(F, 16, NULL));
    for (i = 0; i < layers; i++) {
        hy_block *one = layer_new(F);
        if (name) hy_set_prefix(F, one, name);
        hy_append(F, net, one);
    }
    if (!layers) {
        joined *all = HY_BLOCK_NEW(F, joined, joined_forward);
        for (i = 0; i < 4; i++) all->layer[i] = hy_add_child(F, &all->base, i > 1 ? i > 2 ? "d" : "c" : i ? "b" : "a",
                                                             layer_new(F));
        hy_append(F, net, &all->base);
    }
    hy_append(F, net, hy_nn_dense(F, 4, NULL));
    hy_initialize(F, net, NULL);
    hy_save_model_for(F, net, hy_ones(F, HY_SHAPE(2, 8)), file);
    if (hy_error(F)) fprintf(stderr, "%s: %s\n", file, hy_error(F));
    hy_close(F);
}

int main(void)
{
    save_deep("deep.hybrid", NULL, 12);
    save_deep("near.hybrid", NULL, 0);
    save_deep("names.hybrid", EVIL "_", 2);
    learn("fit.html", NULL, 24, 1, 1);
    learn("fit-long.html", NULL, 150, 1, 1);
    learn("fit-once.html", NULL, 1, 0, 1);
    learn("fit-names.html", EVIL, 3, 1, 1);
    learn("fit-large.html", NULL, 6, 1, 1e6);
    learn("fit-small.html", NULL, 6, 1, 1e-4);
    learn("fit-tiny.html", NULL, 6, 1, 1e-22);
    learn("fit-vast.html", NULL, 6, 1, 1e18);
    learn("fit-lost.html", NULL, 6, 1, 1e30);
    return 0;
}
