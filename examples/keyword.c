/* cc -O2 examples/keyword.c -o keyword -lm -lpthread
 * One-dimensional convolutions tell spoken commands apart: here four made of tones (up, down, high-low-high and
 * a click), at any moment, of any loudness, in noise. Trained in seconds; then its program is printed in size. */
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#include <math.h>
#include <stdio.h>

enum { SAMPLES = 256, WORDS = 4 };
static const char *const words[WORDS] = { "up", "down", "wave", "click" };

static float noise(uint64_t random, int k)              /* between -1 and 1 */
{
    random = (random + (uint64_t)k) * 0x9e3779b97f4a7c15u;
    random ^= random >> 29;
    random *= 0xbf58476d1ce4e5b9u;
    return (float)(random >> 40) / (float)(1 << 23) - 1;
}

static int speak(void *user, int64_t i, uint64_t random, const void *const *in, void *const *out)
{
    float *sound = (float *)out[0], phase = noise(random, 0), loud = 0.6f + 0.3f * noise(random, 1);
    float pitch = 0.25f + 0.05f * noise(random, 2);
    int word = (int)(i % WORDS), from = (int)(48 + 40 * noise(random, 3)), t;
    (void)user; (void)in;
    for (t = 0; t < SAMPLES; t++) {
        float at = (float)(t - from) / 128, bend = word == 0 ? at : word == 1 ? 1 - at : fabsf(2 * at - 1);
        float voice = at < 0 || at > 1 ? 0 : sinf(phase);
        if (word == 3) voice = at < 0 || at > 0.15f ? 0 : noise(random, 5000 + t);
        phase += pitch * (0.6f + 1.2f * bend);
        sound[t] = loud * voice + 0.15f * noise(random, 100 + t);
    }
    *(int32_t *)out[1] = word;
    return 0;
}

int main(void)
{
    static const hy_type types[2] = { { HY_F32, { 2, { 1, SAMPLES } } }, { HY_I32, { 0, { 0 } } } };
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_nn_hybrid_sequential(F);
    hy_init xavier = hy_init_xavier(NULL);
    hy_loader_opt order = { 0 }, test_order = { 0 };
    hy_nn_conv_opt conv = { 0 };
    hy_optim_opt adam = { 0 };
    hy_fit_opt fit = { 0 };
    hy_history history;
    hy_plan_info plan;
    hy_array *heard;
    int i;

    order.shuffle = 1;
    order.seed = 1;
    test_order.seed = 2;
    conv.activation = "relu";
    conv.strides = HY_INTS(4);
    hy_append(F, net, hy_nn_conv1d(F, 8, HY_INTS(16), &conv), hy_nn_conv1d(F, 16, HY_INTS(8), &conv),
              hy_nn_global_max_pool1d(F, NULL), hy_nn_dense(F, WORDS, NULL));
    hy_initialize(F, net, &xavier);
    hy_hybridize(F, net, NULL);
    adam.learning_rate = 0.01;
    fit.epochs = 6;
    fit.metric = hy_metric_accuracy(F, NULL);
    fit.progress = -1;
    history = hy_fit(F, net, hy_loss_softmax_ce(F, NULL), hy_trainer_new(F, net, hy_optim_adam(&adam), NULL),
                     hy_loader_new(F, hy_dataset_of(F, 800, 2, types, speak, NULL), 20, &order),
                     hy_loader_new(F, hy_dataset_of(F, 400, 2, types, speak, NULL), 100, &test_order), &fit);
    if (history.n) printf("%s of 400 unheard commands are understood\n",
                          history.at[history.n - 1].validation_metric > 0.97 ? "more than 97 %" : "not even 97 %");

    heard = hy_next(F, hy_loader_new(F, hy_dataset_of(F, WORDS, 2, types, speak, NULL), WORDS, &test_order));
    heard = hy_argmax(F, hy_call(F, net, hy_get(F, heard, 0)), 1, NULL);
    for (i = 0; i < WORDS && !hy_error(F); i++)
        printf("said %s, heard %s\n", words[i], words[(int)hy_value(F, heard, i)]);
    plan = hy_plan(F, net, hy_zeros(F, HY_SHAPE(1, 1, SAMPLES)));
    printf("one command takes %s of memory besides %d bytes of parameters\n",
           plan.total < 32768 ? "less than 32 KB" : "more than 32 KB", (int)plan.parameters);
    if (hy_error(F)) fprintf(stderr, "%s\n", hy_error(F));
    return hy_close(F);
}
