/* cc -O2 examples/digits.c -o digits -lm -lpthread     ./digits [train-images train-labels test-images test-labels]
 * A small convolutional network learns to read digits: those of MNIST's four files, unpacked, or else digits that
 * the program draws: seven segments, moved, thickened and covered with noise, no two alike. Then a copy of it
 * computes in int8. */
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#include <stdio.h>

enum { SIDE = 16 };

static float noise(uint64_t random, int k)              /* between 0 and 1 */
{
    random = (random + (uint64_t)k) * 0x9e3779b97f4a7c15u;
    random ^= random >> 29;
    random *= 0xbf58476d1ce4e5b9u;
    return (float)(random >> 40) / (float)(1 << 24);
}

/* Sample i shows digit i % 10. A digit is the segments whose bit is set: top, upper left, upper right, middle,
 * lower left, lower right, bottom. */
static int draw(void *user, int64_t i, uint64_t random, const void *const *in, void *const *out)
{
    static const unsigned char lit[10] = { 0x77, 0x24, 0x5d, 0x6d, 0x2e, 0x6b, 0x7b, 0x25, 0x7f, 0x6f };
    static const float line[7][4] = { { 0, 0, 1, 0 }, { 0, 0, 0, 1 }, { 1, 0, 1, 1 }, { 0, 1, 1, 1 },
                                      { 0, 1, 0, 2 }, { 1, 1, 1, 2 }, { 0, 2, 1, 2 } };
    float *image = (float *)out[0], size = 4 + 1.5f * noise(random, 0), thick = 0.8f + 0.8f * noise(random, 1);
    float left = 3 + 5 * noise(random, 2), top = 1 + 3 * noise(random, 3), lean = 0.6f * noise(random, 4) - 0.3f;
    int digit = (int)(i % 10), x, y, s;
    (void)user; (void)in;
    for (y = 0; y < SIDE; y++)
        for (x = 0; x < SIDE; x++) {
            float ink = 0.6f * noise(random, 100 + y * SIDE + x) - 0.3f;
            float v = ((float)y - top) / size, u = ((float)x - left - lean * (2 - v)) / size;
            for (s = 0; s < 7; s++) {
                float du = u < line[s][0] ? line[s][0] - u : u > line[s][2] ? u - line[s][2] : 0;
                float dv = v < line[s][1] ? line[s][1] - v : v > line[s][3] ? v - line[s][3] : 0;
                if (lit[digit] >> s & 1 && (du * du + dv * dv) * size * size < thick * thick) ink += 1;
            }
            image[y * SIDE + x] = ink;
        }
    *(int32_t *)out[1] = digit;
    return 0;
}

/* Bytes of MNIST become numbers from 0 to 1. */
static int scale(void *user, int64_t i, uint64_t random, const void *const *in, void *const *out)
{
    const unsigned char *byte = (const unsigned char *)in[0];
    float *image = (float *)out[0];
    int k;
    (void)user; (void)i; (void)random;
    for (k = 0; k < 28 * 28; k++) image[k] = (float)byte[k] / 255;
    *(int32_t *)out[1] = *(const unsigned char *)in[1];
    return 0;
}

static hy_dataset *mnist(hy_frame *F, const char *images, const char *labels)
{
    static const hy_type types[2] = { { HY_F32, { 3, { 1, 28, 28 } } }, { HY_I32, { 0, { 0 } } } };
    hy_dataset *raw = hy_dataset_arrays(F, hy_group(F, hy_read_idx(F, images), hy_read_idx(F, labels)));
    return raw ? hy_dataset_map(F, raw, 2, types, scale, NULL) : NULL;
}

static hy_dataset *drawn(hy_frame *F, int64_t n)
{
    static const hy_type types[2] = { { HY_F32, { 3, { 1, SIDE, SIDE } } }, { HY_I32, { 0, { 0 } } } };
    return hy_dataset_of(F, n, 2, types, draw, NULL);
}

/* How many of the digits it reads. */
static int correct(hy_frame *F, hy_block *net, hy_dataset *digits)
{
    hy_loader *all = hy_loader_new(F, digits, 100, NULL);
    hy_array *batch;
    int n = 0;
    hy_hybridize(F, net, NULL);
    while ((batch = hy_next(F, all)) != NULL) {
        hy_begin(F);
        batch = hy_equal(F, hy_argmax(F, hy_call(F, net, hy_get(F, batch, 0)), 1, NULL),
                         hy_cast(F, hy_get(F, batch, 1), HY_F32));
        n += (int)hy_item(F, hy_sum(F, batch, HY_ALL, NULL));
        hy_end(F);
    }
    return n;
}

/* The same network in int8; a batch of what it learnt from shows which numbers to expect. */
static hy_block *in_int8(hy_frame *F, hy_block *net, hy_dataset *train)
{
    hy_array *batch = hy_next(F, hy_loader_new(F, train, 200, NULL));
    hy_quantize_opt opt = { 0 };
    opt.entropy = 1;
    return hy_quantize(F, net, hy_get(F, batch, 0), &opt);
}

int main(int argc, char **argv)
{
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_init xavier = hy_init_xavier(NULL);
    hy_loader_opt order = { 0 }, test_order = { 0 };
    hy_nn_conv_opt conv = { 0 };
    hy_nn_dense_opt dense = { 0 };
    hy_optim_opt adam = { 0 };
    hy_fit_opt fit = { 0 };
    hy_history history;
    hy_dataset *train = argc == 5 ? mnist(F, argv[1], argv[2]) : drawn(F, 1200);
    hy_dataset *test = argc == 5 ? mnist(F, argv[3], argv[4]) : drawn(F, 400);

    order.shuffle = 1;
    order.seed = 7;
    test_order.seed = 8;
    conv.activation = dense.activation = "relu";
    hy_append(F, net, hy_nn_conv2d(F, 8, HY_INTS(5), &conv), hy_nn_max_pool2d(F, HY_INTS(2), NULL),
              hy_nn_conv2d(F, 16, HY_INTS(3), &conv), hy_nn_max_pool2d(F, HY_INTS(2), NULL),
              hy_nn_dense(F, 48, &dense), hy_nn_dense(F, 10, NULL));
    hy_initialize(F, net, &xavier);
    hy_hybridize(F, net, NULL);
    adam.learning_rate = 0.004;
    fit.epochs = 8;
    fit.metric = hy_metric_accuracy(F, NULL);
    fit.progress = -1;
    history = hy_fit(F, net, hy_loss_softmax_ce(F, NULL), hy_trainer_new(F, net, hy_optim_adam(&adam), NULL),
                     hy_loader_new(F, train, 25, &order), hy_loader_new(F, test, 100, &test_order), &fit);
    if (history.n)
        printf("%s of %d digits that it has not seen are read\n",
               history.at[history.n - 1].validation_metric > 0.95 ? "more than 95 %" : "not even 95 %",
               (int)hy_dataset_length(F, test));
    if (history.n) {
        int whole = correct(F, net, test), small = correct(F, in_int8(F, net, train), test);
        printf("in int8 %s\n", (whole - small) * 200 <= hy_dataset_length(F, test) ? "at most 0.5 % fewer"
                                                                                 : "more than 0.5 % fewer");
    }
    if (hy_error(F)) fprintf(stderr, "%s\n", hy_error(F));
    return hy_close(F);
}
