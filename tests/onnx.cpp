// A network to an ONNX file and back, from C++: c++ -std=c++11 tests/onnx.cpp -lpthread. FOLDER is where the file goes.
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#define HYBRID_ONNX_IMPLEMENTATION
#include "../tools/onnx.h"
#include <cmath>
#include <cstdio>
#include <string>

int main(int argc, char **argv)
{
    const std::string file = std::string(argc > 1 ? argv[1] : ".") + "/cpp.onnx";
    hy_frame *F = hy_open(nullptr);
    hy_block *net = hy_nn_dense(F, 3, nullptr);
    hy_array *x = hy_normal(F, HY_SHAPE(2, 4), 0, 1);
    hy_initialize(F, net, nullptr);
    hy_hybridize(F, net, nullptr);
    hy_array *y = hy_call(F, net, x);
    if (hy_onnx_save(F, net, x, file.c_str(), 0) == 0) {
        hy_block *again = hy_onnx_load(F, file.c_str());
        hy_array *z = hy_call(F, again, x);
        if (!z || !(hy_item(F, hy_max(F, hy_abs(F, hy_sub(F, y, z)), HY_ALL, nullptr)) < 1e-6))
            hy_raise(F, HY_ERROR_USER, "other values");
    }
    std::puts(hy_error(F) ? hy_error(F) : "ok");
    std::remove(file.c_str());
    const int bad = hy_error(F) != nullptr;
    return hy_close(F) || bad;
}
