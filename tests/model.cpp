// The exported pair, written, read and run from C++: c++ tests/model.cpp -lpthread. With a prefix as argument it reads that.
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#include <cstdio>
#include <string>

int main(int argc, char **argv)
{
    hy_frame *F = hy_open(nullptr);
    std::string prefix = argc > 1 ? argv[1] : "cpp_model";
    hy_array *x = hy_arange(F, 0, 8, 1), *y = nullptr;
    x = hy_reshape(F, x, HY_INTS(2, 4), nullptr);
    if (argc == 1) {
        hy_block *net = hy_nn_hybrid_sequential(F);
        hy_append(F, net, hy_nn_dense(F, 3, nullptr), hy_nn_activation(F, "tanh"), hy_nn_dense(F, 2, nullptr));
        hy_initialize(F, net, nullptr);
        y = hy_call(F, net, x);
        hy_export_for(F, net, x, prefix.c_str(), 0);
    }
    hy_block *again = hy_import(F, prefix.c_str(), 0);
    hy_hybridize(F, again, nullptr);
    hy_array *z = hy_call(F, again, x);
    if (z && y && hy_item(F, hy_sum(F, hy_abs(F, hy_sub(F, z, y)), HY_ALL, nullptr)) != 0) hy_raise(F, HY_ERROR_USER, "differs");
    if (z && !y) hy_print(F, z);
    std::puts(hy_error(F) ? hy_error(F) : "ok");
    if (argc == 1) {
        std::remove((prefix + "-symbol.json").c_str());
        std::remove((prefix + "-0000.params").c_str());
    }
    return hy_close(F);
}
