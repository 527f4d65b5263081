#!/bin/sh
# Builds the library once and runs the tests against it, as many parts side by side as there are processors.
#     sh tests/run.sh             all but the compile matrix: two minutes on two cores
#     sh tests/run.sh all         that too: every compiler, standard and switch
#     sh tests/run.sh WORD        one part (examples, models, journeys, front, tool, programs, bench, onnx, mpi,
#                                 pages, window, browser, compile), or the tests with WORD in their names
#     sh tests/run.sh quick WORD  the inner loop: those tests, built in half a second if there is tcc
# Library and tests are compiled at -O1: that takes longer than at -O0, running them half as long.
# Needs a C compiler and libc. A line for each part, what FAILED before it; the last one is "N passed, N failed".
cd "$(dirname "$0")/.." || exit 1
[ "${1:-}" != quick ] || CC=${CC:-$(command -v tcc)}
CC=${CC:-cc}
link="$LDFLAGS -lm -lpthread"
shares=6                            # of the tests
have() { command -v "$1" > /dev/null 2>&1; }

note() { # failed? name
    if [ "$1" = 0 ]; then echo "ok $2"; else echo "FAILED $2"; fi
}

# A program linked against the library, or against one that has all, if it wants more than an object from elsewhere may have.
program()
{
    library=$out/hybrid.o
    ! grep -q '^#define HYBRID_SOURCE' "$1" || library=$out/whole.o
    $CC ${CFLAGS:--O0} -DHYBRID_LINKED "$1" "$library" -o "$2" $link
}

# Waits for something that another part builds.
await()
{
    while [ ! -e "$out/$1.built" ] && [ ! -e "$out/$1.broken" ]; do sleep 0.2; done
    [ -e "$out/$1.built" ]
}

built() { # what, failed?
    if [ "$2" = 0 ]; then touch "$out/$1.built"; else touch "$out/$1.broken"; echo "FAILED $1 does not compile"; fi
}

# The library, by the command of the README. Whoever has it as an object already says where: HYBRID_O=...
part_library()
{
    if [ -n "$HYBRID_O" ]; then
        cp "$HYBRID_O" "$out/hybrid.o" && $CC -O0 -c -x c -DHYBRID_IMPLEMENTATION -DHYBRID_SOURCE hybrid.h -o "$out/whole.o"
    else
        $CC ${CFLAGS:--O1} -c -x c -DHYBRID_IMPLEMENTATION -DHYBRID_SOURCE hybrid.h -o "$out/hybrid.o" && ln -s hybrid.o "$out/whole.o"
    fi
    built library $?
    [ -e "$out/library.built" ] && program tools/hybrid.c "$out/hybrid"
    built hybrid $?
}

# The tests proper look inside of the library and set its limits low, so this program has a library of its own.
# TESTS_CFLAGS: what .ci/run has instead.
part_build()
{
    $CC -std=gnu11 ${TESTS_CFLAGS:-${CFLAGS:--O1} -Wall -Wextra} tests/all.c -o "$out/all" $link
    built tests/all.c $?
}

part_tests() # a share as "2/6", or a part of the names
{
    await tests/all.c || return
    in=$out/in.$(echo "$1" | tr -c 'a-zA-Z0-9\n' _)             # tests write into the folder that they run in
    mkdir "$in"
    ln -s "$PWD/tests" "$in/tests"
    [ ! -e ../shared ] || ln -sfn "$PWD/../shared" "$out/shared"
    (cd "$in" && ../all "$1") > "$in.log" 2>&1
    sed '/^[0-9]* passed, [0-9]* failed$/d' "$in.log"
    last=$(grep '^[0-9]* passed, [0-9]* failed$' "$in.log" | tail -1)
    echo "${last:-FAILED tests $1 did not finish}" | sed 's/^\([0-9]*\) passed, .*/ok \1/'
}

# What a text says on any machine: times differ, last digits, how many results meet in one kernel.
same() { sed 's/[0-9.][0-9.]* sec/N sec/; s/^activations: .*/activations: N/; s/\(\.[0-9]\{5\}\)[0-9]*/\1/g; s/ *]/]/g' "$1"; }

# Examples, their output compared with the lines kept beside them.
part_examples()
{
    await library || return
    mkdir "$out/examples"
    ln -s "$PWD/tests" "$out/examples/tests"                    # one of them reads a model there
    for source in examples/*.c; do
        name=$(basename "$source" .c)
        case $name in window | browser) continue ;; esac        # parts of their own
        case $name in later | decoder) quick=quick ;; *) quick= ;; esac     # not minutes of frames, of learning
        program "$source" "$out/examples/$name" && (cd "$out/examples" && "./$name" $quick > "$name.out")
        note $? "$source runs"
        same "$out/examples/$name.out" > "$out/examples/$name.got"
        same "tests/golden/$name.txt" | cmp -s - "$out/examples/$name.got"
        note $? "$source prints what tests/golden/$name.txt holds"
    done
}

# What users do first: journeys, see there.
part_journeys() # a name, as few:1/2 with a share
{
    await library && await hybrid || return
    of=${1#*:}
    sh tests/journeys.sh "$out" "${1%%:*}" "$out/whole.o" "${of#"$1"}" < /dev/null
}

# Models in a second process, from C++, and from Python with nothing but its standard library.
part_models()
{
    await library || return
    models=$out/models
    mkdir "$models"
    program tests/load_model.c "$out/load_model" && "$out/load_model" write "$models"
    note $? "models are written"
    "$out/load_model" read "$models"
    note $? "models are read in another process"
    if have g++; then
        g++ -std=c++11 -O0 -DHYBRID_LINKED tests/model.cpp "$out/hybrid.o" -o "$out/model" $link
        for net in net0 net1 net2; do
            "$out/model" "$models/$net" > /dev/null
            note $? "$net is read in C++"
        done
    fi
    for net in net0 net1 net2; do
        have python3 || { echo "skipped: examples/read_model.py, there is no python3"; break; }
        "$out/load_model" list "$models/$net" > "$out/list.c" &&
            python3 examples/read_model.py "$models/$net" > "$out/list.py" && cmp -s "$out/list.c" "$out/list.py"
        note $? "examples/read_model.py reads $net"
    done
}

# Each function of the front from C++, every way of calling it. The program is made from the prototypes.
part_front()
{
    have g++ || { echo "skipped: the front from C++, there is no g++"; return; }
    await library || return
    awk -f tests/front.awk hybrid.h > "$out/front.cpp"
    note $? "a program that calls each function is made"
    [ -n "$HYBRID_O" ] || source=-DHYBRID_SOURCE
    g++ -std=c++17 -O0 -I. -Itests $source -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror "$out/front.cpp" "$out/hybrid.o" \
        -o "$out/front" $link
    note $? "each function of the front can be called from C++"
    (cd "$out" && ./front > "$out/front.log")
    note $? "all ways of calling give the same: $(tail -1 "$out/front.log")"
}

# The cases of ONNX's own suite, where they lie beside the project. Known not to pass: one whose results carry more
# rounding than its bound.
part_onnx()
{
    pack=../shared/onnx/open.tar.xz
    [ -f $pack ] || { echo "skipped: cases of ONNX, there is no $pack"; return; }
    mkdir "$out/cases"
    xz -dc $pack 2> /dev/null | tar xf - -C "$out/cases" || { echo "skipped: cases of ONNX, xz or tar fails"; return; }
    if have tcc; then
        tcc tests/onnx.c -o "$out/onnx" -lm -lpthread
    else
        await library && program tests/onnx.c "$out/onnx"
    fi
    note $? "tests/onnx.c builds"
    for kind in node legacy pytorch-converted pytorch-operator simple; do
        "$out/onnx" "$out/cases/onnx_open/$kind" | grep -v test_dft_inverse_opset19 > "$out/onnx.log"
        [ "$(wc -l < "$out/onnx.log")" = 1 ]            # the count alone
        note $? "cases of ONNX: $kind: $(head -3 "$out/onnx.log")"
    done
    if have tcc; then
        tcc tests/onnx_sizes.c -o "$out/onnx_sizes" -lm -lpthread
    else
        program tests/onnx_sizes.c "$out/onnx_sizes"
    fi
    "$out/onnx_sizes" "$out/cases/onnx_open/node" > "$out/onnx_sizes.log"
    note $? "cases of ONNX at other sizes: $(tail -1 "$out/onnx_sizes.log")"
    rm -rf "$out/cases"
}

# Two processes learn what one learns, where there is MPI.
part_mpi()
{
    have mpicc && have mpirun || { echo "skipped: examples/mpi/data_parallel.c, there is no mpicc"; return; }
    await library || return
    mpicc ${CFLAGS:--O0} -DHYBRID_LINKED examples/mpi/data_parallel.c "$out/hybrid.o" -o "$out/data_parallel" $link
    note $? "examples/mpi/data_parallel.c compiles"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    timeout 60 mpirun -n 1 "$out/data_parallel" > "$out/mpi.1" 2>&1 || { echo "skipped: MPI itself does not run"; return; }
    timeout 60 mpirun -n 2 "$out/data_parallel" > "$out/mpi.2" 2>&1
    note $? "two processes learn"
    grep -q 'weights' "$out/mpi.1" && cmp "$out/mpi.1" "$out/mpi.2"
    note $? "two processes have the parameters of one"
}

# Pages in a browser, where there is one; PICTURES=folder keeps how they look.
part_pages()
{
    await hybrid || return
    sh tests/pages.sh "$out/pages" "$out/hybrid" "$out/hybrid.o"
}

# What has a screen.
part_window() { await library && sh tests/screens.sh window "$out" "$out/hybrid.o"; }
part_browser() { sh tests/screens.sh browser "$out"; }

# Random programs, each in seven ways that must agree: some hundreds. More, and other ones, run in .ci/run.
part_programs()
{
    if have tcc; then
        tcc tests/programs.c -o "$out/programs" -lm -lpthread
    else
        $CC ${CFLAGS:--O0} tests/programs.c -o "$out/programs" $link
    fi
    note $? "tests/programs.c builds"
    "$out/programs" --mark > "$out/mark.log"
    note $? "numbers mean the programs that they meant (what is new is to be listed as born later): $(cat "$out/mark.log")"
    TMPDIR=$out "$out/programs" --from 1900000 --to 1900300 > "$out/programs.log"
    note $? "random programs agree in all ways: $(tail -1 "$out/programs.log")"
    grep -A 100 '^    program ' "$out/programs.log" | head -200
    TMPDIR=$out "$out/programs" --from 60900000 --to 60900060 > "$out/sizes.log"
    note $? "random programs that ask for sizes agree in all ways, size by size: $(tail -1 "$out/sizes.log")"
    grep -A 100 '^    program ' "$out/sizes.log" | head -200
    TMPDIR=$out "$out/programs" --plant sigmoid --to 80 > "$out/planted.log"
    note $? "a fault that is planted is found and made small: $(tail -1 "$out/planted.log")"
}

# The command-line tool.
part_tool()
{
    await hybrid || return
    note 0 "tools/hybrid.c compiles"
    sh tests/tool.sh "$out/hybrid" "$out/tool"
}

# The benchmark: that it builds, that what it times is right, that programs can read what it prints. No times.
part_bench()
{
    if have tcc; then
        tcc tools/bench.c -o "$out/bench" -lm -lpthread
    else
        await library && program tools/bench.c "$out/bench"
    fi
    note $? "tools/bench.c builds"
    small="mlp_b1 mlp_b16 mlp_start_up lenet_b1 train_mlp decoder fancy_4 chain gemm_64"
    "$out/bench" --quick --threads 1 --lines $small > "$out/bench.lines"
    note $? "the benchmark's results are right"
    [ "$(grep -c "^R	[a-z0-9_]*	hybrid.h-[a-z]*	1	[0-9.]*	[0-9.]*	[0-9.]*$" "$out/bench.lines")" = 18 ]
    note $? "the benchmark prints a line for each workload and mode"
    sed 's/hybrid.h-/other-/' "$out/bench.lines" > "$out/bench.peers"
    "$out/bench" --quick --threads 1 --json --peers "$out/bench.peers" --html "$out/bench.html" mlp_b1 > "$out/bench.json"
    note $? "the benchmark reads the lines of other programs"
    grep -q '</html>' "$out/bench.html" && grep -q 'other-' "$out/bench.html"
    note $? "the benchmark writes a page with them"
    "$out/bench" --quick --threads 1 --svg "$out/bench.svg" mlp_b1 > "$out/bench.text" && grep -q '</svg>' "$out/bench.svg"
    note $? "the benchmark draws a picture"
    if have python3; then
        python3 -c 'import json, sys
results = json.load(sys.stdin)["results"]
assert [r["mode"] for r in results] == ["line by line", "compiled"]
assert all(r["seconds"] > 0 and r["off"] < 1e-4 and r["peer"].startswith("other-") for r in results)' < "$out/bench.json"
        note $? "the benchmark's JSON is JSON"
    fi
    mkdir "$out/bench.files"
    [ "$("$out/bench" --onnx "$out/bench.files" mlp_b1 decoder)" = "$out/bench.files/mlp_b1.onnx
$out/bench.files/decoder_6x288.onnx" ]
    note $? "the benchmark writes its networks as ONNX files"
    if await hybrid; then
        "$out/hybrid" check "$out/bench.files/decoder_6x288.onnx" > "$out/bench.check" 2>&1
        note $? "hybrid check takes one of them"
    fi
    [ "$("$out/bench" --scale 3,16 --barrier 1 --seconds 0.01 mlp_b256 | grep -c "^mlp_b256 *[0-9]* *[0-9.]* [mu]s *[0-9.]* [mu]s *[0-9.]* ")" = 2 ]
    note $? "the benchmark says what more threads would give"
    "$out/bench" no_such_workload 2> /dev/null
    [ $? = 2 ]
    note $? "the benchmark knows its workloads"
    [ -z "$("$out/bench" --quick --threads 1 --html "$out/nowhere/bench.html" mlp_b1 2> /dev/null)" ]
    note $? "the benchmark asks first whether it can write"
}

# Languages, standards, switches: whatever compilers are here, a share of them.
part_compile()
{
    mkdir "$out/compile.${1%/*}"
    sh tests/compile.sh "$out/compile.${1%/*}" "$1"
}

# Seconds of a processor that what this shell started has taken so far: by itself, not in $(), which is a shell of its own.
spent()
{
    times > "$out/times"
    seconds=$(awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, t, "m"); sum += 60 * t[1] + t[2] } printf "%.1f", sum }' "$out/times")
}

# Library and tests as one program, by the fastest compiler there is; the tests whose names match (all without one).
quick()
{
    $CC ${CFLAGS:--O0} -std=gnu11 -w tests/all.c -o "$out/all" $link || return 1
    spent
    echo "$(basename "${CC%% *}"): built in $seconds s of a processor"
    ln -s "$PWD/tests" "$out/in/tests"
    [ ! -e ../shared ] || ln -sfn "$PWD/../shared" "$out/shared"
    (cd "$out/in" && { ../all "$1" 2>&1; echo $? > ../passed; } | tee ../all.log)
    passed=$(cat "$out/passed")
    if grep -qx '0 passed, 0 failed' "$out/all.log"; then
        echo "no test has \"$1\" in its name"
        passed=1
    fi
    spent
    echo "built and run in $seconds s"
    return $passed
}

# "ok" lines count (one with a number for so many), FAILED ones are shown.
if [ "$1" = part ]; then
    out=$2
    part=${3%%:*}
    share=${3#"$part"}
    share=${share#:}
    log=$out/log.$(echo "$3" | tr -c 'a-zA-Z0-9\n' _)
    start=$(date +%s)
    "part_$part" ${share:+"$share"} > "$log" 2>&1
    seconds=$(($(date +%s) - start))
    passed=$(awk '/^ok/ { n += NF == 2 && $2 + 0 > 0 ? $2 : 1 } END { print n + 0 }' "$log")
    failed=$(grep -c '^FAILED' "$log")
    echo "$passed $failed" > "$out/count.${log##*/}"
    { grep -v '^ok' "$log"; echo "$part${share:+ $share}: $passed passed, $failed failed, $seconds s"; } > "$log.shown"
    cat "$log.shown"                # in one piece: others write too
    exit 0
fi

out=${TMPDIR:-/tmp}/hybrid-tests.$$
mkdir -p "$out/tests" || exit 1
trap 'rm -rf "$out"' EXIT
if [ "${1:-}" = quick ]; then
    mkdir "$out/in"
    quick "${2:-}"
    exit
fi
journeys="journeys:few:1/2 journeys:few:2/2 journeys:readme journeys:leave journeys:onnx"
cores=$(nproc 2> /dev/null || echo 2)
[ "$cores" -le 8 ] || cores=8
share_names() { i=0; while [ $i -lt "$2" ]; do i=$((i + 1)); echo "$1:$i/$2"; done; }

# Who waits stands behind whom he waits for, so a single processor gets through too.
case ${1:-} in
'')       parts="build library examples models front tool $journeys programs bench onnx mpi pages window browser $(share_names tests $shares)" ;;
all)      parts="build library $(share_names compile 4) $journeys examples models front tool programs bench onnx mpi pages window browser $(share_names tests $shares)" ;;
programs | browser) parts=$1 ;;
examples | models | front | tool | bench | onnx | mpi | pages | window) parts="library $1" ;;
journeys) parts="library $journeys" ;;
compile)  parts=$(share_names compile 4) ;;
*)        parts=build ;;
esac
printf '%s\n' $parts | xargs -P "$cores" -n 1 sh tests/run.sh part "$out"
case ${1:-} in
'' | all | examples | journeys | models | front | tool | programs | bench | onnx | mpi | pages | window | browser | compile) ;;
*)        sh tests/run.sh part "$out" "tests:$1" ;;
esac

cat "$out"/count.* | awk '{ passed += $1; failed += $2 } END { print passed " passed, " failed " failed"; exit failed != 0 }'
