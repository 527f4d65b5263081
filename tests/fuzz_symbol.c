/* Any bytes as model-symbol.json; what is accepted must come back the same when written and read: see fuzz.h. */
#include "fuzz.h"
static void fuzz_one(hy_frame *F, const char *data, size_t size)
{
    hy_graph *g = hy_symbol_from(F, data, size), *again;
    hy_array *a, *b;
    hy_block *net;
    if (!g) return;
    a = hy_symbol_to(F, g);
    again = a ? hy_symbol_from(F, (const char *)hy_data(F, a), (size_t)hy_size(F, a)) : NULL;
    b = again ? hy_symbol_to(F, again) : NULL;
    if (b && (hy_size(F, a) != hy_size(F, b) || memcmp(hy_data(F, a), hy_data(F, b), (size_t)hy_size(F, a)))) abort();
    hy_clear(F);
    net = hy_nn_symbol_block(F, g, NULL);
    hy_clear(F);
    hy_block_free(F, net);
    hy_graph_free(F, g);
    hy_graph_free(F, again);
}

static hy_array *fuzz_seed(hy_frame *F, int k)
{
    static const char old[] = "{\"nodes\":[{\"op\":\"null\",\"param\":{},\"name\":\"x\",\"inputs\":[],"
        "\"backward_source_id\":-1,\"attr\":{\"lr_mult\":\"0.2\"}},{\"op\":\"null\",\"name\":\"g\",\"inputs\":[]},"
        "{\"op\":\"null\",\"name\":\"b\",\"inputs\":[]},{\"op\":\"BatchNorm\",\"param\":{\"eps\":\"0.001\"},\"name\":"
        "\"bn\",\"inputs\":[[0,0],[1,0],[2,0]],\"attr\":{\"data_lr_mult\":\"2\"}},{\"op\":\"SliceChannel\",\"name\":"
        "\"s\",\"attr\":{\"num_outputs\":\"2\"},\"inputs\":[[3,0]]},{\"op\":\"Reshape\",\"name\":\"r\",\"param\":"
        "{\"target_shape\":\"(0,2)\"},\"inputs\":[[4,1]]}],\"arg_nodes\":[0,1,2],\"heads\":[[5,0],[4,0]]}";
    hy_array *text = NULL;
    if (k == 0) hy_export_to(F, fuzz_net(F), hy_ones(F, HY_SHAPE(2, 3)), &text, NULL);
    if (k == 1) text = hy_from(F, HY_SHAPE(sizeof old - 1), HY_U8, old);
    return text;
}
