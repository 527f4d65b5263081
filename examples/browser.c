/* A network that learns to read digits in a web page, and then reads what one draws. Make the program, put it into
 * a copy of the page, and open digits.html, which needs nothing else:
 *
 *     clang --target=wasm32-wasi -Os -msimd128 -mexec-model=reactor -s -nodefaultlibs -lc examples/browser.c -o browser.wasm
 *     base64 < browser.wasm | sed '/id="program"/r /dev/stdin' examples/browser.html > digits.html
 *
 * Needs clang, lld and wasi-libc, as Debian and Ubuntu call them. The lines from HYBRID_OPS to HYBRID_STATIC
 * make the program small, 400 KB; without HYBRID_NO_TEXT the error names an operator that HYBRID_OPS does not list.
 */
#define HYBRID_OPS(X) X(fully_connected) X(activation) X(softmax) X(log_softmax) X(pick) X(random_uniform) X(mean)
#define HYBRID_NO_TEXT
#define HYBRID_NO_STDIO
#define HYBRID_NO_IO
#define HYBRID_NO_INT8
#define HYBRID_NO_RNN
#define HYBRID_NO_VISION
#define HYBRID_TYPES (1 << HY_F32)
#define HYBRID_PASSES 0
#define HYBRID_STATIC
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#include "strokes.h"

/* A function that the page calls by its name. */
#define EXPORT(name) __attribute__((export_name(#name))) name

enum { BATCH = 40, PIXELS = SIDE * SIDE };

/* What the page looks at: the digits of the last batch and what the network took them for; the answer. */
static struct {
    float images[BATCH][PIXELS], read_as[BATCH];
    float answer[10];
} shown;

static hy_frame *F;
static hy_block *net, *loss;
static hy_trainer *trainer;
static drawing pad;

/* Makes the network. Returns where the page finds what is shown. */
void *EXPORT(start)(void)
{
    hy_nn_dense_opt relu = { 0 };
    hy_optim_opt adam = { 0 };
    F = hy_open(NULL);
    relu.activation = "relu";
    net = hy_append(F, hy_nn_hybrid_sequential(F), hy_nn_dense(F, 128, &relu), hy_nn_dense(F, 10, NULL));
    hy_initialize(F, net, NULL);
    hy_hybridize(F, net, NULL);
    loss = hy_loss_softmax_ce(F, NULL);
    adam.learning_rate = 0.003;
    trainer = hy_trainer_new(F, net, hy_optim_adam(&adam), NULL);
    return &shown;
}

/* The digit that a row of ten scores speaks for. */
static int largest(const float *score)
{
    int i, at = 0;
    for (i = 1; i < 10; i++) if (score[i] > score[at]) at = i;
    return at;
}

/* One step: draws a batch of digits that were never seen before, learns from them, and returns the mean loss. */
float EXPORT(learn)(int step)
{
    float labels[BATCH];
    hy_array *x, *y, *L;
    double mean;
    int i;
    for (i = 0; i < BATCH; i++) {
        static drawing by_somebody;
        labels[i] = (float)(i % 10);
        strokes_sample((uint32_t)(step * BATCH + i), i % 10, &by_somebody, shown.images[i]);
    }
    hy_begin(F);
    hy_record(F);
    x = hy_floats(F, HY_SHAPE(BATCH, PIXELS), shown.images[0]);
    y = hy_call(F, net, x);
    L = hy_call(F, loss, hy_group(F, y, hy_floats(F, HY_SHAPE(BATCH), labels)));
    hy_pause(F);
    hy_backward(F, L, NULL);
    hy_step(F, trainer, BATCH);
    mean = hy_item(F, hy_mean(F, L, HY_ALL, NULL));
    if (hy_data(F, y))
        for (i = 0; i < BATCH; i++) shown.read_as[i] = (float)largest((const float *)hy_data(F, y) + 10 * i);
    hy_end(F);
    return (float)mean;
}

/* The page's pad: a point of a drawing, to which a line leads if the pen is down. */
void EXPORT(wipe)(void) { pad.n = 0; }
void EXPORT(pen)(float x, float y, int down) { strokes_add(&pad, x, y, down); }

/* Reads the drawing: shown.answer holds how likely each digit is. Returns the likeliest, -1 if nothing is drawn. */
int EXPORT(read_pad)(void)
{
    float image[PIXELS];
    hy_array *y;
    if (!pad.n) return -1;
    strokes_image(&pad, 2, image);                        /* lines of a middling pen */
    hy_begin(F);
    y = hy_softmax(F, hy_call(F, net, hy_floats(F, HY_SHAPE(1, PIXELS), image)), -1, NULL);
    if (hy_data(F, y)) memcpy(shown.answer, hy_data(F, y), sizeof shown.answer);
    hy_end(F);
    return hy_error(F) ? -1 : largest(shown.answer);
}

/* What went wrong, or NULL. */
const char *EXPORT(error)(void) { return hy_error(F); }
