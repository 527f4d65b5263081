/* cc -O2 examples/texture.c -o texture -lm -lpthread     ./texture [FOLDER]
 * A small network learns an image by heart: place in, color out. The image and what the network makes of it are
 * written to texture-before.ppm, texture-untrained.ppm and texture-after.ppm. */
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#include <math.h>
#include <stdio.h>

enum { SIDE = 48, WAVES = 6 };

/* A few rings and stripes. */
static void color(float x, float y, float *rgb)
{
    float ring = sinf(9 * sqrtf((x - 0.3f) * (x - 0.3f) + (y - 0.4f) * (y - 0.4f)) * 3);
    float stripe = sinf(12 * x + 5 * y);
    rgb[0] = 0.5f + 0.4f * ring;
    rgb[1] = 0.5f + 0.3f * stripe + 0.1f * ring;
    rgb[2] = 0.6f - 0.3f * stripe * ring;
}

/* Sample i is pixel i: waves of its place, and its color. */
static int pixel(void *user, int64_t i, uint64_t random, const void *const *in, void *const *out)
{
    float x = (float)(i % SIDE) / SIDE, y = (float)(i / SIDE) / SIDE, *to = (float *)out[0];
    int k;
    (void)user; (void)random; (void)in;
    for (k = 0; k < WAVES; k++) {
        to[4 * k] = sinf((float)(2 * k + 2) * x);
        to[4 * k + 1] = cosf((float)(2 * k + 2) * x);
        to[4 * k + 2] = sinf((float)(2 * k + 2) * y);
        to[4 * k + 3] = cosf((float)(2 * k + 2) * y);
    }
    color(x, y, (float *)out[1]);
    return 0;
}

static void write_ppm(hy_frame *F, const char *folder, const char *name, hy_array *rgb)
{
    char path[500];
    const float *v = (const float *)hy_data(F, rgb);
    FILE *file;
    int i;
    if (!v) return;
    snprintf(path, sizeof path, "%s/texture-%s.ppm", folder, name);
    file = fopen(path, "wb");
    if (!file) { hy_raise(F, HY_ERROR_FILE, "the image cannot be written"); return; }
    fprintf(file, "P6 %d %d 255\n", SIDE, SIDE);
    for (i = 0; i < SIDE * SIDE * 3; i++) fputc(v[i] < 0 ? 0 : v[i] > 1 ? 255 : (int)(255 * v[i] + 0.5f), file);
    fclose(file);
}

int main(int argc, char **argv)
{
    static const hy_type types[2] = { { HY_F32, { 1, { 4 * WAVES } } }, { HY_F32, { 1, { 3 } } } };
    const char *folder = argc > 1 ? argv[1] : ".";
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_init xavier = hy_init_xavier(NULL);
    hy_dataset *pixels = hy_dataset_of(F, SIDE * SIDE, 2, types, pixel, NULL);
    hy_array *all = hy_next(F, hy_loader_new(F, pixels, SIDE * SIDE, NULL));
    hy_loader_opt order = { 0 };
    hy_schedule_opt rate = { 0 };
    hy_nn_dense_opt dense = { 0 };
    hy_optim_opt adam = { 0 };
    hy_fit_opt fit = { 0 };
    hy_history history;
    double error;

    order.shuffle = 1;
    order.seed = 1;
    dense.activation = "relu";
    hy_append(F, net, hy_nn_dense(F, 64, &dense), hy_nn_dense(F, 64, &dense), hy_nn_dense(F, 3, NULL));
    hy_initialize(F, net, &xavier);
    hy_hybridize(F, net, NULL);
    write_ppm(F, folder, "before", hy_get(F, all, 1));
    write_ppm(F, folder, "untrained", hy_call(F, net, hy_get(F, all, 0)));

    rate.base_lr = 0.005;
    adam.schedule = hy_schedule_cosine(40 * 36, &rate);
    fit.epochs = 40;
    fit.progress = -1;
    history = hy_fit(F, net, hy_loss_l2(F, NULL), hy_trainer_new(F, net, hy_optim_adam(&adam), NULL),
                     hy_loader_new(F, pixels, 64, &order), NULL, &fit);
    write_ppm(F, folder, "after", hy_call(F, net, hy_get(F, all, 0)));
    error = history.n ? sqrt(2 * history.at[history.n - 1].loss) : 1;
    printf("colors of %d pixels, off by %s\n", SIDE * SIDE, error < 0.03 ? "less than 3 % each" : "more than 3 %");
    if (hy_error(F)) fprintf(stderr, "%s\n", hy_error(F));
    return hy_close(F);
}
