// A pair that C exported, read and run from C++: c++ -std=c++11 tests/model.cpp -lpthread. PREFIX.npz holds what it was given, x, and gave, y.
#define HYBRID_IMPLEMENTATION
#include "../hybrid.h"
#include <cstdio>
#include <cstring>
#include <string>

int main(int argc, char **argv)
{
    const std::string prefix = argc > 1 ? argv[1] : "net0";
    hy_frame *F = hy_open(nullptr);
    hy_block *net = hy_import(F, prefix.c_str(), 0);
    hy_hybridize_opt exact = {};
    exact.exact = 1;
    hy_hybridize(F, net, exact);
    const hy_arrays all = hy_load(F, (prefix + ".npz").c_str());
    hy_array *x = hy_array_named(F, all, "x"), *y = hy_array_named(F, all, "y");
    hy_array *z = hy_call(F, net, x);
    if (z && std::memcmp(hy_data(F, y), hy_data(F, z), sizeof(float) * static_cast<size_t>(hy_size(F, y))) != 0)
        hy_raise(F, HY_ERROR_USER, "other values");
    std::puts(hy_error(F) ? hy_error(F) : "ok");
    const int bad = hy_error(F) != nullptr;
    return hy_close(F) || bad;
}
