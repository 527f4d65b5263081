/* cc -O2 examples/onnx_model.c -o onnx_model -lm -lpthread     A network from PyTorch in a game's frame loop. */
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#define HYBRID_ONNX_IMPLEMENTATION
#include "../tools/onnx.h"

/* torch.onnx.export of nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)), input "state". */
static const unsigned char exported[] = {
    8, 8, 18, 7, 112, 121, 116, 111, 114, 99, 104, 26, 6, 50, 46, 49, 53, 46, 48, 58, 253, 3, 10, 106,
    10, 5, 115, 116, 97, 116, 101, 10, 8, 48, 46, 119, 101, 105, 103, 104, 116, 10, 6, 48, 46, 98, 105, 97,
    115, 18, 16, 47, 48, 47, 71, 101, 109, 109, 95, 111, 117, 116, 112, 117, 116, 95, 48, 26, 7, 47, 48, 47,
    71, 101, 109, 109, 34, 4, 71, 101, 109, 109, 42, 15, 10, 5, 97, 108, 112, 104, 97, 21, 0, 0, 128, 63,
    160, 1, 1, 42, 14, 10, 4, 98, 101, 116, 97, 21, 0, 0, 128, 63, 160, 1, 1, 42, 13, 10, 6, 116,
    114, 97, 110, 115, 66, 24, 1, 160, 1, 2, 10, 51, 10, 16, 47, 48, 47, 71, 101, 109, 109, 95, 111, 117,
    116, 112, 117, 116, 95, 48, 18, 16, 47, 49, 47, 82, 101, 108, 117, 95, 111, 117, 116, 112, 117, 116, 95, 48,
    26, 7, 47, 49, 47, 82, 101, 108, 117, 34, 4, 82, 101, 108, 117, 10, 107, 10, 16, 47, 49, 47, 82, 101,
    108, 117, 95, 111, 117, 116, 112, 117, 116, 95, 48, 10, 8, 50, 46, 119, 101, 105, 103, 104, 116, 10, 6, 50,
    46, 98, 105, 97, 115, 18, 6, 97, 99, 116, 105, 111, 110, 26, 7, 47, 50, 47, 71, 101, 109, 109, 34, 4,
    71, 101, 109, 109, 42, 15, 10, 5, 97, 108, 112, 104, 97, 21, 0, 0, 128, 63, 160, 1, 1, 42, 14, 10,
    4, 98, 101, 116, 97, 21, 0, 0, 128, 63, 160, 1, 1, 42, 13, 10, 6, 116, 114, 97, 110, 115, 66, 24,
    1, 160, 1, 2, 18, 10, 109, 97, 105, 110, 95, 103, 114, 97, 112, 104, 42, 66, 8, 4, 8, 3, 16, 1,
    66, 8, 48, 46, 119, 101, 105, 103, 104, 116, 74, 48, 150, 138, 18, 191, 165, 48, 233, 190, 3, 57, 125, 190,
    111, 213, 11, 191, 21, 65, 6, 189, 246, 7, 2, 191, 153, 186, 160, 62, 162, 19, 144, 62, 48, 74, 223, 61,
    174, 77, 229, 62, 215, 154, 103, 189, 148, 15, 177, 62, 42, 30, 8, 4, 16, 1, 66, 6, 48, 46, 98, 105,
    97, 115, 74, 16, 51, 4, 207, 190, 89, 2, 233, 189, 107, 201, 3, 191, 199, 255, 63, 189, 42, 50, 8, 2,
    8, 4, 16, 1, 66, 8, 50, 46, 119, 101, 105, 103, 104, 116, 74, 32, 18, 23, 166, 190, 76, 251, 229, 62,
    192, 211, 177, 62, 40, 237, 191, 62, 176, 222, 23, 62, 70, 11, 146, 190, 78, 11, 230, 62, 228, 204, 249, 190,
    42, 22, 8, 2, 16, 1, 66, 6, 50, 46, 98, 105, 97, 115, 74, 8, 16, 100, 163, 190, 204, 227, 159, 190,
    90, 23, 10, 5, 115, 116, 97, 116, 101, 18, 14, 10, 12, 8, 1, 18, 8, 10, 2, 8, 1, 10, 2, 8,
    3, 98, 24, 10, 6, 97, 99, 116, 105, 111, 110, 18, 14, 10, 12, 8, 1, 18, 8, 10, 2, 8, 1, 10,
    2, 8, 2, 66, 2, 16, 17 };

/* At home: from ONNX to one file of program and weights, the same bytes that `hybrid convert` writes. */
static hy_array *converted(hy_frame *F)
{
    hy_arrays weights;
    hy_block *net = hy_onnx_from(F, exported, sizeof exported, NULL);
    hy_graph *graph = hy_onnx_graph(F, net, NULL, &weights);
    return hy_save_model_to(F, hy_import_from(F, graph, &weights, NULL), NULL);
}

/* In the game: the file lies in memory, the network in a buffer of the game's; frames allocate nothing. */
int main(void)
{
    static const float states[3][3] = { { 0.5f, -1, 2 }, { 1, 1, 1 }, { 0, 0, -3 } };
    static double room[4096];
    hy_frame *F = hy_open(NULL);
    hy_array *file = converted(F), *state = hy_zeros(F, HY_SHAPE(1, 3));
    hy_block *net = hy_load_model_from(F, hy_data(F, file), (size_t)hy_size(F, file), 1);
    int frame;

    hy_hybridize(F, net, NULL);
    if (hy_plan(F, net, state).total > sizeof room) puts("the buffer is too small");
    hy_bind(F, net, state, room, sizeof room);
    for (frame = 0; frame < 3 && !hy_error(F); frame++) {
        float *x = (float *)hy_write(F, state);
        hy_begin(F);
        memcpy(x, states[frame], sizeof states[frame]);
        hy_print(F, hy_call(F, net, state));
        hy_end(F);
    }
    if (hy_error(F)) fprintf(stderr, "%s\n", hy_error(F));
    return hy_close(F);
}
