#!/bin/sh
# sh tests/dropin.sh FOLDER: does the header drop in? Popular headers before and after it, a project's macros, its language,
# its compiler's flags, traps, rounding modes, fork. Prints ok or FAILED lines; what is not here is skipped with a word.
out=$1
mkdir -p "$out" || exit 1
cd "$(dirname "$0")/.." || exit 1
have() { command -v "$1" > /dev/null 2>&1; }

# Succeeds and says nothing.
try() { # name, command...
    name=$1
    shift
    if "$@" > "$out/try.log" 2>&1 && [ ! -s "$out/try.log" ]; then echo "ok $name"; else echo "FAILED $name"; head -5 "$out/try.log"; fi
}
skip() { echo "skipped: $1"; }
runs() { "$@" -o "$out/runs" -lm -lpthread && "$out/runs"; }

# --- headers of others, before and after; front and all of it ---
popular="assert ctype errno fcntl fenv float inttypes iso646 limits locale math setjmp signal stdarg stdbool stddef stdint stdio stdlib
    string time wchar wctype pthread sched unistd dirent dlfcn netdb poll pwd semaphore syslog termios ucontext wordexp ftw
    sys/mman sys/param sys/socket sys/stat sys/time sys/types sys/wait sys/queue sys/ioctl sys/resource netinet/in arpa/inet"
for word in $popular; do [ -e "/usr/include/$word.h" ] && echo "#include <$word.h>"; done > "$out/popular.h"
{ cat "$out/popular.h"; echo '#define HYBRID_IMPLEMENTATION'; echo '#include "hybrid.h"'; } > "$out/before.c"
{ echo '#define HYBRID_IMPLEMENTATION'; echo '#include "hybrid.h"'; cat "$out/popular.h"; } > "$out/after.c"
{ cat "$out/popular.h"; echo '#include "hybrid.h"'; cat "$out/popular.h"; } > "$out/front.c"
if have tcc; then
    try "popular headers before" tcc -I. -c "$out/before.c" -o "$out/x.o"
    try "popular headers after" tcc -I. -c "$out/after.c" -o "$out/x.o"
else
    skip "popular headers, there is no tcc"
fi
for header in curses ncurses; do
    [ -e "/usr/include/$header.h" ] && have tcc || { skip "$header.h is not here"; continue; }
    printf '#include <%s.h>\n#define HYBRID_IMPLEMENTATION\n#include "hybrid.h"\n' $header > "$out/curses.c"
    try "$header.h before" tcc -I. -c "$out/curses.c" -o "$out/x.o"
done
printf '#include <complex.h>\n#include <tgmath.h>\n#include "hybrid.h"\ndouble complex i = I;\n' > "$out/complex.c"
printf '#include <complex.h>\n#include <tgmath.h>\n#define HYBRID_IMPLEMENTATION\n#include "hybrid.h"\ndouble complex i = I;\n' > "$out/tgmath.c"
for cc in gcc clang; do
    have $cc || { skip "there is no $cc"; continue; }
    try "headers beside the front, $cc" $cc -I. -std=gnu99 -Wall -Wextra -fsyntax-only "$out/front.c"
    try "complex.h and tgmath.h before the front, $cc" $cc -I. -fsyntax-only "$out/complex.c"
done
have gcc && try "complex.h and tgmath.h before the implementation" gcc -I. -fsyntax-only "$out/tgmath.c"

# --- macros of the project: put away, and given back ---
words="A B C D F G I J L M N P Q R S T U V W WORD abs array begin byte check clamp count data emit end error exact far flag global huge
    index limit local loop max min move near offset packed print real slots small square step swap target trace unused"
{
    echo '#include <math.h>'; echo '#include <stdlib.h>'; echo '#include <string.h>'; echo '#include <stdio.h>'
    echo '#include <time.h>'; echo '#include <sched.h>'; echo '#include <sys/mman.h>'
    n=1
    for word in $words; do echo "#define $word $n"; n=$((n + 1)); done
    echo '#define round(x) ((int)((x) + .5))'
    echo '#include "hybrid.h"'; echo '#define HYBRID_IMPLEMENTATION'; echo '#include "hybrid.h"'
    n=1
    for word in $words; do echo "#if $word != $n"; echo "#error $word"; echo '#endif'; n=$((n + 1)); done
    echo 'int rounded(double x); int rounded(double x) { return round(x); }'
} > "$out/macros.c"
have tcc && try "macros of the project" tcc -I. -c "$out/macros.c" -o "$out/x.o"
for define in near= far= small=char loop=1 real=double flag=1 byte=unsigned local=static global=extern 'packed=__attribute__((packed))'; do
    printf '#include <stdlib.h>\n#define %s %s\n#include "hybrid.h"\n' "${define%%=*}" "${define#*=}" > "$out/macro.c"
    have tcc && try "a macro $define" tcc -I. -c -DHYBRID_IMPLEMENTATION "$out/macro.c" -o "$out/x.o"
done

# --- languages: one error where there is nothing else to say ---
one_error_of() { n=$("$@" -fsyntax-only hybrid.h 2>&1 | grep -c 'error:'); [ "$n" = 1 ] || echo "$n errors"; }
for flags in -std=c89 "-std=c89 -pedantic-errors" "-std=gnu89 -DHYBRID_IMPLEMENTATION"; do
    have gcc && try "one error, gcc $flags" one_error_of gcc -w -x c $flags
    have clang && try "one error, clang $flags" one_error_of clang -w -x c $flags
done
for cxx in g++ clang++; do
    have $cxx || { skip "there is no $cxx"; continue; }
    try "one error, $cxx -std=c++98" one_error_of $cxx -w -x c++ -std=c++98
    try "one error, $cxx -std=c++98, implementation" one_error_of $cxx -w -x c++ -std=c++98 -DHYBRID_IMPLEMENTATION
done
cat > "$out/extern_c.cpp" <<'X'
extern "C" {
#include "hybrid.h"
}
#include <vector>
hy_array *sized(hy_frame *F, const std::vector<float> &v, int n);
hy_array *sized(hy_frame *F, const std::vector<float> &v, int n)
{
    return hy_sum(F, hy_zeros(F, HY_SHAPE(v.size(), 3)), HY_AXES(0, n), nullptr);
}
constexpr hy_shape two = HY_SHAPE(2, 3);
static_assert(two.ndim == 2, "HY_SHAPE is a constant");
int main() { hy_frame *F = hy_open(nullptr); hy_value(F, hy_ones(F, two), 0, 0); return hy_close(F); }
X
cat > "$out/namespace.cpp" <<'X'
#include <cstdint>
#include <cstddef>
namespace my {
#include "hybrid.h"
}
using namespace my;
int main() { hy_frame *F = hy_open(nullptr); hy_array *x = hy_ones(F, HY_SHAPE(2)); return hy_count(F, hy_group(F, x, x)) != 2 || hy_close(F); }
X
for cxx in g++ clang++; do
    have $cxx || continue
    try "extern \"C\" around the include, $cxx" $cxx -I. -std=c++11 -Wall -Wextra -Wold-style-cast -fsyntax-only "$out/extern_c.cpp"
    try "a namespace around the include, $cxx" $cxx -I. -std=c++11 -fsyntax-only "$out/namespace.cpp"
done

# --- nothing stays switched behind the include ---
cat > "$out/behind.c" <<'X'
#define HYBRID_NO_TRAIN
#define HYBRID_NO_RNN
#define HYBRID_NO_VISION
#define HYBRID_NO_INT8
#define HYBRID_NO_IO
#define HYBRID_NO_SIMD
#define HYBRID_OPS(X) X(relu)
#define HYBRID_IMPLEMENTATION
#include "hybrid.h"
float host_mad(float a, float b, float c);
float host_mad(float a, float b, float c) { return a * b + c; }
static int nobody(void) { return 0; }
X
behind() # compiler, flag, how many products are fused
{
    $1 -I. -Wall -Wextra -O1 -mfma $2 -S "$out/behind.c" -o "$out/behind.s" 2> "$out/behind.log" || return 1
    [ "$(sed -n '/^host_mad:/,/ret/p' "$out/behind.s" | grep -c vfmadd)" = "$3" ]
}
warns_once() { [ "$(grep -c 'warning: .*nobody' "$1")" = 1 ]; }
asked_alone() { $1 -I. -Wall -Wextra -S "$out/behind.c" -o "$out/behind.s" 2> "$out/behind.log"; }
for cc in gcc clang; do
    have $cc || continue
    if [ "$(uname -m)" = x86_64 ]; then try "contraction behind the include, $cc" behind $cc -ffp-contract=off 0; else asked_alone $cc; fi
    try "warnings behind the include, $cc" warns_once "$out/behind.log"
done

# --- flags: numbers are those without them ---
for flags in "gcc -Os -ffast-math" "gcc -O2 -ffast-math -DHYBRID_NO_SIMD" "gcc -Ofast" "gcc -O0 -fshort-enums" "gcc -O1" \
    "clang -O1 -ffast-math" "clang -Os -Ofast -DHYBRID_NO_SIMD" "tcc"; do
    have "${flags%% *}" || { skip "there is no ${flags%% *}"; continue; }
    try "a host built with $flags" runs $flags -w tests/dropin.c
done
short_enums()
{
    mkdir -p "$out/in" && ln -sfn "$PWD/tests" "$out/in/tests" &&
        gcc -std=gnu11 -O0 -w -fshort-enums -DHYBRID_NO_SIMD tests/machine.c -o "$out/in/short" -lm -lpthread &&
        (cd "$out/in" && ./short "ops ") > "$out/short.log" 2>&1 &&
        tail -1 "$out/short.log" | grep -q '^[1-9][0-9]* passed, 0 failed'
}
have gcc && try "-fshort-enums: every operator" short_enums
# An object and a host may differ in it: all enums of the front are as wide as an int.
wide_enums()
{
    { echo '#include "hybrid.h"'
      sed -n 's/^typedef enum \(hy_[a-z][a-z_]*\) .*/typedef char wide_\1[sizeof(\1) == sizeof(int) ? 1 : -1];/p' hybrid.h; } > "$out/enums.c"
    [ "$(grep -c wide_ "$out/enums.c")" -ge 13 ] && gcc -I. -fshort-enums -fsyntax-only "$out/enums.c"
}
have gcc && try "-fshort-enums: the front's are wide" wide_enums

# --- HYBRID_OPS beside each two switches; an operator of a family that is not here ---
pairs()
{
    switches="NO_INT8 NO_IO NO_RNN NO_SIMD NO_STDIO NO_TEXT NO_TRAIN NO_VISION SOURCE"
    rest=$switches
    for a in $switches; do
        for b in $rest; do
            ops="X(fully_connected) X(activation) X(random_uniform) X(softmax) X(layer_norm) X(topk)"
            case $a$b in *VISION*) ;; *) ops="$ops X(convolution) X(pooling) X(depth_to_space)" ;; esac
            case $a$b in *RNN*) ;; *) ops="$ops X(rnn)" ;; esac
            case $a$b in *INT8*) ;; *) ops="$ops X(int8_dense)" ;; esac
            {
                echo "#define HYBRID_OPS(X) $ops"
                echo '#define HYBRID_IMPLEMENTATION'
                echo '#include "hybrid.h"'
                echo 'int main(void) { return hy_close(hy_open(NULL)); }'
            } > "$out/pair.c"
            define="-DHYBRID_$a"
            [ "$a" = "$b" ] || define="$define -DHYBRID_$b"
            tcc -I. $define "$out/pair.c" -o "$out/pair" -lm -lpthread && "$out/pair" || echo "$define"
        done
        rest=${rest#"$a"}
        rest=${rest# }
    done
}
have tcc && try "HYBRID_OPS beside each two switches" pairs
names_switch() # compiler and options
{
    for pair in "NO_VISION convolution" "NO_RNN rnn" "NO_INT8 int8_dense" "NO_VISION depth_to_space"; do
        switch=${pair% *}
        op=${pair#* }
        {
            echo "#define HYBRID_$switch"
            echo "#define HYBRID_OPS(X) X(softmax) X($op)"
            echo '#define HYBRID_IMPLEMENTATION'
            echo '#include "hybrid.h"'
        } > "$out/gone.c"
        "$@" -I. -c "$out/gone.c" -o "$out/x.o" > "$out/gone.log" 2>&1 && return 1
        grep 'error:' "$out/gone.log" > "$out/gone.errors"
        [ "$(wc -l < "$out/gone.errors")" = 1 ] && grep -q "HYBRID_$switch" "$out/gone.errors" && grep -q "$op" "$out/gone.errors" ||
            { cat "$out/gone.errors"; return 1; }
    done
}
have tcc && try "an operator of a family that is not here, tcc" names_switch tcc
have gcc && try "an operator of a family that is not here, gcc" names_switch gcc -O0

# --- the file includes itself: wherever it lies and whatever it is called ---
place="$out/place"
rm -rf "$place"
mkdir -p "$place/inc/deep" "$place/link" "$place/name" "$place/other" "$place/old"
cp hybrid.h "$place/inc/deep/hybrid.h"
ln -s ../inc/deep/hybrid.h "$place/link/hybrid.h"
cp hybrid.h "$place/name/nets.h"
sed 's/^#define HYBRID_VERSION_PATCH .*/#define HYBRID_VERSION_PATCH 77/; s/^#if HYBRID_VERSION == .*/#if HYBRID_VERSION == 477/' hybrid.h > "$place/other/hybrid.h"
echo '/* empty */' > "$place/old/hybrid.h"
use='int main(void) { hy_frame *F = hy_open(NULL); hy_array *x = hy_arange(F, 0, 40, 1);
    int wrong = hy_value(F, hy_sum(F, hy_softmax(F, x, -1, NULL), HY_ALL, NULL), 0) < .999;
    return hy_close(F) || wrong; }'
for word in '<hybrid.h>' '"deep/hybrid.h"' '"nets.h"'; do
    { echo '#define HYBRID_IMPLEMENTATION'; echo "#include $word"; echo "$use"; } > "$place/$(echo "$word" | tr -dc a-z).c"
done
{ echo '#define HYBRID_IMPLEMENTATION'; cat hybrid.h; echo "$use"; } > "$place/pasted.c"
echo "$use" > "$place/bare.c"
refuses() # text, command...
{
    wanted=$1
    shift
    "$@" -c -o "$out/x.o" > "$out/refused.log" 2>&1 && return 1
    grep -q "$wanted" "$out/refused.log" || { head -5 "$out/refused.log"; return 1; }
}
for cc in tcc gcc "g++ -x c++" clang; do
    have "${cc%% *}" || { skip "there is no $cc"; continue; }
    reads="$cc -fsyntax-only -w"
    [ "$cc" = tcc ] && reads="runs tcc"
    try "includes itself as <hybrid.h>, $cc" $reads -I"$place/inc/deep" "$place/hybridh.c"
    try "includes itself from a folder of a folder, $cc" $reads -I"$place/inc" "$place/deephybridh.c"
    try "includes itself through a link, $cc" $reads -I"$place/link" "$place/hybridh.c"
    try "includes itself under another name, $cc" $reads -I"$place/name" '-DHYBRID_FILE="nets.h"' "$place/netsh.c"
    try "pasted, beside a copy, $cc" $reads -I"$place/name" '-DHYBRID_FILE="nets.h"' "$place/pasted.c"
    try "another version is refused, $cc" refuses "another version" $cc -I"$place/name" '-DHYBRID_FILE="../other/hybrid.h"' "$place/netsh.c"
    [ "$cc" = tcc ] && continue
    try "includes itself by -include, $cc" $reads -I. -DHYBRID_IMPLEMENTATION -include "$place/inc/deep/hybrid.h" "$place/bare.c"
    try "knows its new name, $cc" $reads -I"$place/name" "$place/netsh.c"
done
try "another file is refused" refuses "has to be a copy" cc -I"$place/name" '-DHYBRID_FILE="../old/hybrid.h"' "$place/netsh.c"
try "where it is not is said" refuses "HYBRID_FILE says where" cc -I"$place/name" "$place/pasted.c"

# --- a kernel is found by its name, and a debugger steps through its lines ---
kernel() # ctags' line of a kernel of the file
{
    ctags -x --c-kinds=f --language-force=C hybrid.h 2> /dev/null | awk -v name="$1" '$1 == name { print $3 }'
}
stepped()
{
    line=$(kernel hy__scale)
    [ -n "$line" ] && sed -n "${line}p" hybrid.h | grep -q 'hy__scale(' || { echo "ctags has no hy__scale"; return 1; }
    gcc -g -O0 -I. -DHYBRID_IMPLEMENTATION -x c - -o "$out/norm" -lm -lpthread <<'X' || return 1
#include "hybrid.h"
int main(void)
{
    hy_frame *F = hy_open(NULL);
    hy_array *x = hy_arange(F, 0, 32, 1);
    x = hy_reshape(F, x, HY_INTS(2, 16), NULL);
    hy_layer_norm(F, x, hy_ones(F, HY_SHAPE(16)), hy_zeros(F, HY_SHAPE(16)), NULL);
    return hy_close(F);
}
X
    HYBRID_ISA=base gdb -q -batch -ex 'set confirm off' -ex 'break hy__scale_base' -ex run -ex next -ex next -ex next -ex 'info source' \
        -ex 'print n' "$out/norm" > "$out/gdb.log" 2>&1
    grep -q 'Breakpoint 1, hy__scale_base (' "$out/gdb.log" && grep -q '^\$1 = [1-9]' "$out/gdb.log" ||
        { tail -5 "$out/gdb.log"; return 1; }
    grep -o '^[0-9]\{4,\}' "$out/gdb.log" | awk -v from="$line" '$1 > from && $1 < from + 30 { lines[$1] } END { for (l in lines) n++; exit n < 3 }' ||
        { echo "no step in hy__scale"; cat "$out/gdb.log"; return 1; }
}
if have ctags && have gdb && have gcc; then
    try "a kernel's name and its lines: ctags and gdb" stepped
else
    skip "a kernel's name and its lines: no ctags or no gdb"
fi

# --- a microcontroller, whose enums are short ---
firmware()
{
    arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16 -Os -ffunction-sections -fdata-sections \
        -Wl,--gc-sections -std=gnu11 -w -I. --specs=rdimon.specs -nostartfiles -T tests/firmware/mps2.ld \
        tests/firmware/start.c tests/firmware/ops.c -o "$out/ops.elf" -lm &&
        timeout 100 qemu-system-arm -M mps2-an386 -semihosting -nographic -monitor none -serial none -kernel "$out/ops.elf" \
            < /dev/null > "$out/ops.log" 2>&1
    grep -q 'firmware: right' "$out/ops.log"
}
if have arm-none-eabi-gcc && have qemu-system-arm; then
    try "operators on a Cortex-M4" firmware
else
    skip "operators on a Cortex-M4: no compiler or no emulator"
fi
