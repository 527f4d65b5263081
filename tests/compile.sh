#!/bin/sh
# sh tests/compile.sh FOLDER [PART/PARTS]: the header under every compiler, standard and switch that is here, or a
# share of it. Prints ok or FAILED lines. -fsyntax-only where only warnings count, -O0 where programs run.
out=$1
part=${2:-1/1}
cd "$(dirname "$0")/.." || exit 1
warn="-Wall -Wextra -Wpedantic -Wshadow"
asked=0

# Whatever is not of this share passes by.
try() { # name, command...
    asked=$((asked + 1))
    [ $((asked % ${part#*/})) = $((${part%/*} % ${part#*/})) ] || return
    name=$1
    shift
    if "$@" > "$out/try.log" 2>&1 && [ ! -s "$out/try.log" ]; then echo "ok $name"; else echo "FAILED $name"; head -5 "$out/try.log"; fi
}

# Compiles and runs: the command without its -o.
runs() { "$@" -o "$out/runs" -lm -lpthread && "$out/runs"; }

have() { command -v "$1" > /dev/null 2>&1; }
# What compiles where the compiler is not what is asked: clang takes a third of what gcc does.
sooner=${CC:-cc}
have clang && sooner=clang

for cc in gcc clang; do
    have $cc || continue
    for std in c99 c11 c17; do
        try "$cc -std=$std" $cc -std=$std -fsyntax-only $warn -Wstrict-prototypes tests/compile.c
    done
    try "$cc front with -Wconversion" $cc -std=c99 -fsyntax-only $warn -Wconversion -Wstrict-prototypes tests/compile_other.c
    for tool in hybrid bench; do
        try "$cc tools/$tool.c" $cc -std=c99 -fsyntax-only -DHYBRID_LINKED $warn -Wstrict-prototypes tools/$tool.c
    done
done
for cxx in g++ clang++; do
    have $cxx || continue
    for std in c++11 c++17 c++20; do
        try "$cxx -std=$std" $cxx -std=$std -fsyntax-only $warn tests/compile.cpp
    done
done
cc=${CC:-cc}
try "two files" runs $cc -O0 tests/compile.c tests/compile_other.c

# The implementation as C++, and programs in C and C++ that link against it.
in_cpp()
{
    g++ -std=c++11 -O0 -c -x c++ -DHYBRID_IMPLEMENTATION hybrid.h -o "$out/cpp.o" &&
        runs g++ -std=c++11 -DHYBRID_LINKED tests/compile.cpp "$out/cpp.o" &&
        $cc -c -DHYBRID_LINKED tests/load_model.c -o "$out/load_model.o" &&
        g++ "$out/load_model.o" "$out/cpp.o" -o "$out/load_model" -lm -lpthread && "$out/load_model" write "$out" &&
        g++ -std=c++11 -DHYBRID_LINKED tests/model.cpp "$out/cpp.o" -o "$out/model" -lm -lpthread &&
        "$out/model" "$out/net0" > /dev/null &&
        g++ -std=c++11 $warn -DHYBRID_LINKED tests/onnx.cpp "$out/cpp.o" -o "$out/onnx_cpp" -lm -lpthread &&
        "$out/onnx_cpp" "$out" > /dev/null
}
have g++ && try "C++" in_cpp

if have tcc; then
    try "tcc" runs tcc tests/compile.c tests/compile_other.c
    for source in examples/*.c; do
        case $source in */window.c | */browser.c) continue ;; esac
        try "$source alone" tcc "$source" -o "$out/alone" -lm -lpthread
    done
fi

# A wrong argument: one error, which names the function, and no macro in what the compiler says.
cat > "$out/wrong.c" <<'X'
#include "hybrid.h"
hy_array *wrong(hy_frame *F, hy_array *x);
hy_array *wrong(hy_frame *F, hy_array *x) { return hy_relu(F, hy_softmax(F, x, -1)); }
X
says_once()
{
    $1 -I. -fsyntax-only "$out/wrong.c" 2> "$out/wrong.log"
    [ "$(grep -c 'error:' "$out/wrong.log")" = 1 ] && [ "$(wc -l < "$out/wrong.log")" -le 12 ] &&
        grep -q "hy_softmax" "$out/wrong.log" && ! grep -q 'expan' "$out/wrong.log"
}
for cc in gcc clang; do
    have $cc && try "a wrong argument, $cc" says_once $cc
done
cc=${CC:-cc}

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
# Each by gcc for its warnings and by clang to be run, which takes a third of what gcc does and says what nobody uses;
# by one compiler alone, where there is only one. What gcc makes without a switch runs above: two files.
switched() # source, flags
{
    if ! have gcc || ! have clang; then runs $cc -std=c99 -O0 $warn -I. $2 "$1"; return; fi
    gcc -std=c99 -fsyntax-only $warn -I. $2 "$1" && runs clang -std=c99 -O0 $warn -I. $2 "$1"
}
together="-DHYBRID_NO_THREADS -DHYBRID_NO_SIMD -DHYBRID_NO_RNN -DHYBRID_NO_VISION -DHYBRID_NO_TRAIN -DHYBRID_NO_IO -DHYBRID_NO_INT8"
for flags in "" -DHYBRID_STATIC -DHYBRID_NO_THREADS -DHYBRID_NO_SIMD -DHYBRID_NO_STDIO -DHYBRID_NO_RNN -DHYBRID_NO_VISION \
    -DHYBRID_NO_TRAIN -DHYBRID_NO_IO -DHYBRID_NO_INT8 -DHYBRID_NO_TEXT -DHYBRID_NO_UNWIND "-DHYBRID_STATIC $together" "$together" "$together -DHYBRID_NO_STDIO" \
    "-DHYBRID_ASSERT(x)=((void)(x))" -DHYBRID_API=extern; do
    try "switches: $flags" switched "$out/switch.c" "$flags"
done

# With the writer of C source beside them, whose tables know operators of every family.
for flags in -DHYBRID_NO_THREADS -DHYBRID_NO_STDIO -DHYBRID_NO_RNN -DHYBRID_NO_VISION -DHYBRID_NO_TRAIN -DHYBRID_NO_IO \
    -DHYBRID_NO_INT8 -DHYBRID_NO_TEXT "$together"; do
    ! have tcc || try "switches: -DHYBRID_SOURCE $flags" runs tcc -w -I. -DHYBRID_SOURCE $flags "$out/switch.c"
done

# HYBRID_NO_UNWIND: an object with all of the library has no tables for unwinding and runs, by a compiler that gives even
# one operator some; no C++.
without_tables()
{
    $1 -O0 -c -DHYBRID_NO_SIMD "-DHYBRID_OPS(X)=X(add)" -x c -DHYBRID_IMPLEMENTATION hybrid.h -o "$out/tables.o" || return 1
    size -A "$out/tables.o" | awk '/eh_frame/ { n += $2 } END { exit n < 30000 }' || return 1
    $1 -std=c99 -O0 $warn -I. -DHYBRID_NO_UNWIND -c "$out/switch.c" -o "$out/bare.o" || return 1
    ! size -A "$out/bare.o" | grep -q eh_frame || return 1
    runs $1 "$out/bare.o" || return 1
    ! have g++ || ! g++ -fsyntax-only -x c++ -DHYBRID_IMPLEMENTATION -DHYBRID_NO_UNWIND hybrid.h 2> "$out/unwind.log" || return 1
    ! have g++ || grep -q 'HYBRID_NO_UNWIND is for C' "$out/unwind.log"
}
for cc in gcc clang; do
    [ "$(uname -sm)" != "Linux x86_64" ] || ! have $cc || ! have size || try "HYBRID_NO_UNWIND, $cc" without_tables $cc
done
cc=${CC:-cc}

# A program that has fewer dims than the library that it is linked against: they do not meet.
differ_in_dims()
{
    $sooner -c -O0 -I. -DHYBRID_NO_SIMD -DHYBRID_MAX_DIM=6 -x c -DHYBRID_IMPLEMENTATION hybrid.h -o "$out/six.o" &&
        sed 1d "$out/switch.c" > "$out/linked.c" &&
        runs $sooner -I. -DHYBRID_MAX_DIM=6 "$out/linked.c" "$out/six.o" && ! $sooner -I. "$out/linked.c" "$out/six.o" \
        -o "$out/linked" -lm -lpthread 2> "$out/linked.log" && grep -q hy_open "$out/linked.log"
}
try "HYBRID_MAX_DIM" differ_in_dims

# Nor does one that was compiled for another version, from before or after; what is asked for by name is found.
cat > "$out/asked.c" <<'X'
#include "hybrid.h"
#include <dlfcn.h>
#include <string.h>
int main(void)
{
    hy_frame *(*open)(const hy_desc *) = NULL;
    void *found = dlsym(dlopen(NULL, RTLD_NOW), HY_OPEN_SYMBOL);
    memcpy(&open, &found, sizeof open);
    return !open || open != hy_open || dlsym(dlopen(NULL, RTLD_NOW), "hy_open") || hy_close(open(NULL));
}
X
differ_in_version()
{
    mkdir -p "$out/other" && sed 1d "$out/switch.c" > "$out/linked.c" &&
        $sooner -c -O0 -I. -DHYBRID_NO_SIMD "-DHYBRID_OPS(X)=X(add)" -x c -DHYBRID_IMPLEMENTATION hybrid.h -o "$out/few.o" || return 1
    runs $sooner -I. -rdynamic "$out/asked.c" "$out/few.o" -ldl || return 1
    for number in MAJOR MINOR PATCH; do
        sed "s/^#define HYBRID_VERSION_$number .*/#define HYBRID_VERSION_$number 77/" hybrid.h > "$out/other/hybrid.h"
        ! $sooner -I"$out/other" "$out/linked.c" "$out/few.o" -o "$out/linked" -lm -lpthread 2> "$out/linked.log" &&
            grep -q 'hy_open_[0-9_]*77' "$out/linked.log" || return 1
    done
}
try "another version" differ_in_version

# No constructor of a block's struct runs: one that has any does not compile, and is told why.
initialised()
{
    printf '#include "hybrid.h"\nstruct net { hy_block base; int layers = 3; };\n%s\n' \
        'net *make(hy_frame *F) { return HY_BLOCK_NEW(F, net, nullptr); }' > "$out/initialised.cpp"
    for cxx in g++ clang++; do
        have $cxx || continue
        ! $cxx -std=c++11 -I. -fsyntax-only "$out/initialised.cpp" 2> "$out/initialised.log" &&
            grep -q 'set members behind HY_BLOCK_NEW' "$out/initialised.log" || return 1
        sed 's/layers = 3/layers/' "$out/initialised.cpp" > "$out/plain.cpp"
        $cxx -std=c++11 -I. -fsyntax-only "$out/plain.cpp" || return 1
    done
}
try "C++: a block with initialisers" initialised

# C source has a file of its own: where it is missing that is said, it may stand elsewhere, and is of the same version.
source_apart()
{
    mkdir -p "$out/apart/tools" && cp hybrid.h "$out/apart/" || return 1
    alone="$sooner -std=c99 -fsyntax-only -x c -DHYBRID_IMPLEMENTATION -DHYBRID_SOURCE"
    ! $alone "$out/apart/hybrid.h" 2> "$out/apart.log" && grep -q tools/source.h "$out/apart.log" || return 1
    $alone "-DHYBRID_SOURCE_FILE=\"$PWD/tools/source.h\"" "$out/apart/hybrid.h" || return 1
    sed 's/^#if HYBRID_VERSION != .*/#if HYBRID_VERSION != 7700/' tools/source.h > "$out/apart/tools/source.h"
    ! $alone "$out/apart/hybrid.h" 2> "$out/apart.log" && grep -q 'from one version' "$out/apart.log"
}
try "tools/source.h" source_apart

# Operators that are not listed cost their names and a jump each: formulas of files that need them are gone, too.
unlisted()
{
    $cc -c -Os -I. -ffunction-sections "-DHYBRID_OPS(X)=X(add)" -DHYBRID_NO_TEXT -DHYBRID_NO_SIMD -x c -DHYBRID_IMPLEMENTATION hybrid.h -o "$out/few.o" || return 1
    for op in im2col deformable_convolution elemwise_maximum rpower_scalar max exp rnn; do
        size=$(nm -S "$out/few.o" | awk -v name="hy_$op" '$4 == name { print $2 }')
        [ -n "$size" ] && [ "$((0x$size))" -le 32 ] || { echo "hy_$op takes 0x$size bytes"; return 1; }
    done
    ! grep -qa 'insert_slice(%0, _full' "$out/few.o"
}
[ "$cc" = tcc ] || try "operators that are not listed" unlisted

# A few operators alone, and what the others say.
for flags in "" -DHYBRID_NO_TRAIN "$together" -DHYBRID_NO_TEXT "$together -DHYBRID_NO_TEXT -DHYBRID_STATIC" \
    -DHYBRID_PASSES=0 "-DHYBRID_TYPES=1<<HY_F32" "$together -DHYBRID_NO_TEXT -DHYBRID_PASSES=HY_PASS_REUSE -DHYBRID_TYPES=1<<HY_F32"; do
    try "some operators: $flags" switched tests/some_ops.c "$flags"
done

# A compiled convolution of 16 bits, where there is no cast that would give it 32.
cat > "$out/half.c" <<'X'
#define HYBRID_OPS(X) X(convolution) X(relu)
#define HYBRID_IMPLEMENTATION
#include "hybrid.h"
#include <string.h>
static hy_array *weight;
static hy_array *half(hy_frame *F, hy_block *self, hy_array *x)
{
    hy_convolution_opt opt;
    (void)self;
    memset(&opt, 0, sizeof opt);
    opt.no_bias = 1;
    return hy_relu(F, hy_convolution(F, x, weight, NULL, HY_INTS(3, 3), 20, &opt));
}
int main(void)
{
    static unsigned short ones[300], quarters[540];
    hy_frame *F = hy_open(NULL);
    hy_block *net = hy_block_new(F, sizeof *net, "net", half, 1);
    hy_array *x;
    int i;
    for (i = 0; i < 300; i++) ones[i] = 0x3c00;
    for (i = 0; i < 540; i++) quarters[i] = 0x3400;
    x = hy_from(F, HY_SHAPE(1, 3, 10, 10), HY_F16, ones);
    weight = hy_from(F, HY_SHAPE(20, 3, 3, 3), HY_F16, quarters);
    hy_hybridize(F, net, NULL);
    i = hy_value(F, hy_call(F, net, x), 0, 19, 7, 7) < 6.75 || hy_error(F);
    return hy_close(F) || i;
}
X
for flags in "" -DHYBRID_NO_TRAIN; do
    try "16 bits and few operators: $flags" switched "$out/half.c" "$flags"
done
