#!/bin/sh
# sh tests/compile.sh FOLDER: the header under every compiler, standard and switch that is here. Prints ok or FAILED lines.
out=$1
cd "$(dirname "$0")/.." || exit 1
warn="-Wall -Wextra -Wpedantic -Wshadow"

try() { # name, command...
    name=$1
    shift
    if "$@" > "$out/try.log" 2>&1 && [ ! -s "$out/try.log" ]; then echo "ok $name"; else echo "FAILED $name"; head -5 "$out/try.log"; fi
}

have() { command -v "$1" > /dev/null 2>&1; }

for cc in gcc clang; do
    have $cc || continue
    for std in c99 c11 c17; do
        try "$cc -std=$std" $cc -std=$std -fsyntax-only $warn -Wstrict-prototypes tests/compile.c
    done
    try "$cc front with -Wconversion" $cc -std=c99 -fsyntax-only $warn -Wconversion -Wstrict-prototypes tests/compile_other.c
done
for cxx in g++ clang++; do
    have $cxx || continue
    for std in c++11 c++17 c++20; do
        try "$cxx -std=$std" $cxx -std=$std -fsyntax-only $warn tests/compile.cpp
    done
done
cc=${CC:-cc}
try "two files link" $cc -O0 tests/compile.c tests/compile_other.c -o "$out/two" -lm -lpthread
try "two files run" "$out/two"
if have g++; then
    try "C++ links" g++ -std=c++11 -O0 tests/compile.cpp -o "$out/cpp" -lm -lpthread
    try "C++ runs" "$out/cpp"
fi
if have tcc; then
    try "tcc links" tcc tests/compile.c tests/compile_other.c -o "$out/tcc" -lm
    try "tcc runs" "$out/tcc"
fi

# Switches: each alone, and together. A small program that prints nothing when all is well.
cat > "$out/switch.c" <<'X'
#define HYBRID_IMPLEMENTATION
#include "hybrid.h"
int main(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_uniform(F, HY_SHAPE(40, 50), -1, 1);
    double a = hy_item(F, hy_sum(F, hy_dot(F, x, hy_transpose(F, x, HY_ALL), NULL), HY_ALL, NULL));
    double b = hy_item(F, hy_sum(F, hy_square(F, hy_sum(F, x, HY_AXES(0), NULL)), HY_ALL, NULL));
    double d = a > b ? a - b : b - a;
    return hy_close(F) || !(d < 1e-3 * (1 + b));
}
X
together="-DHYBRID_NO_THREADS -DHYBRID_NO_SIMD -DHYBRID_NO_RNN -DHYBRID_NO_VISION -DHYBRID_NO_TRAIN -DHYBRID_NO_IO"
for flags in "" -DHYBRID_STATIC -DHYBRID_NO_THREADS -DHYBRID_NO_SIMD -DHYBRID_NO_STDIO -DHYBRID_NO_RNN -DHYBRID_NO_VISION \
    -DHYBRID_NO_TRAIN -DHYBRID_NO_IO "-DHYBRID_STATIC $together" "$together" "$together -DHYBRID_NO_STDIO" \
    "-DHYBRID_ASSERT(x)=((void)(x))" -DHYBRID_API=extern; do
    try "switches: $flags" $cc -std=c99 -O0 $warn -I. $flags "$out/switch.c" -o "$out/switch" -lm -lpthread
    try "switches run: $flags" "$out/switch"
done

# A few operators alone, and what the others say.
for flags in "" -DHYBRID_NO_TRAIN "$together"; do
    try "some operators: $flags" $cc -std=c99 -O0 $warn -I. $flags tests/some_ops.c -o "$out/some" -lm -lpthread
    try "some operators run: $flags" "$out/some"
done
