#!/bin/sh
# Builds and runs the tests: sh tests/run.sh [filter]. Needs a C compiler and libc; ends in "N passed, N failed".
cd "$(dirname "$0")/.." || exit 1
CC=${CC:-cc}
out=${TMPDIR:-/tmp}/hybrid-tests.$$
mkdir -p "$out" || exit 1
trap 'rm -rf "$out"' EXIT
passed=0
failed=0

note() { # ok? name
    if [ "$1" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED $2"; fi
}

# The tests proper, in one program.
if $CC ${CFLAGS:--O0 -g} -std=gnu11 -Wall -Wextra tests/all.c -o "$out/all" $LDFLAGS -lm -lpthread; then
    mkdir "$out/in"                             # they write into the folder that they run in
    ln -s "$PWD/tests" "$out/in/tests"
    [ ! -e ../shared ] || ln -s "$PWD/../shared" "$out/shared"
    (cd "$out/in" && ../all ${1:+"$1"}) | tee "$out/log" | grep -v '^[0-9]* passed, [0-9]* failed$'
    last=$(grep '^[0-9]* passed, [0-9]* failed$' "$out/log" | tail -1)
    if [ -n "$last" ]; then
        passed=${last%% *}
        failed=${last#*, }
        failed=${failed%% *}
    else
        failed=1
        echo "FAILED tests/all.c did not finish"
    fi
else
    failed=1
    echo "FAILED tests/all.c does not compile"
fi

# Examples: built by the command in their first line, their output compared with the lines kept beside them.
if [ -z "$1" ] || [ "$1" = examples ]; then
    for source in examples/*.c; do
        name=$(basename "$source" .c)
        $CC -O0 "$source" -o "$out/$name" $LDFLAGS -lm -lpthread && (cd "$out" && "./$name" > "$name.out")
        note $? "$source runs"
        sed 's/[0-9.]* sec/N sec/' "$out/$name.out" | cmp -s - "tests/golden/$name.txt"      # times differ
        note $? "$source prints what tests/golden/$name.txt holds"
    done
fi

# Models in a second process, from C++, and from Python with nothing but its standard library.
if [ -z "$1" ] || [ "$1" = models ]; then
    models=$out/models
    mkdir "$models"
    $CC -O0 tests/load_model.c -o "$out/load_model" $LDFLAGS -lm -lpthread && "$out/load_model" write "$models"
    note $? "models are written"
    "$out/load_model" read "$models"
    note $? "models are read in another process"
    if command -v g++ > /dev/null 2>&1; then
        g++ -std=c++11 -O0 tests/model.cpp -o "$out/model" $LDFLAGS -lm -lpthread
        for net in net0 net1 net2; do
            "$out/model" "$models/$net" > /dev/null
            note $? "$net is read in C++"
        done
    fi
    for net in net0 net1 net2; do
        command -v python3 > /dev/null 2>&1 || { echo "skipped: examples/read_model.py, there is no python3"; break; }
        "$out/load_model" list "$models/$net" > "$out/list.c" &&
            python3 examples/read_model.py "$models/$net" > "$out/list.py" && cmp -s "$out/list.c" "$out/list.py"
        note $? "examples/read_model.py reads $net"
    done
fi

# The cases of ONNX's own suite, where they lie beside the project. Known not to pass: one whose results carry more
# rounding than its bound, and Scan as opset 8 had it.
if [ -z "$1" ] || [ "$1" = onnx ]; then
    pack=../shared/onnx/open.tar.xz
    cc=$CC
    command -v tcc > /dev/null 2>&1 && cc=tcc
    if [ ! -f $pack ]; then echo "skipped: cases of ONNX, there is no $pack"
    elif ! (mkdir "$out/cases" && xz -dc $pack 2> /dev/null | tar xf - -C "$out/cases"); then
        echo "skipped: cases of ONNX, xz or tar fails"
    else
        $cc -O0 tests/onnx.c -o "$out/onnx" $LDFLAGS -lm -lpthread
        for part in node legacy pytorch-converted pytorch-operator simple; do
            "$out/onnx" "$out/cases/onnx_open/$part" > "$out/onnx.log"
            count=$(grep -vcE 'test_dft_inverse_opset19|test_scan_sum' "$out/onnx.log")
            tail -1 "$out/onnx.log"
            [ "$count" = 1 ]
            note $? "cases of ONNX: $part: $(grep -vE 'test_dft_inverse_opset19|test_scan_sum' "$out/onnx.log" | head -3)"
        done
        rm -rf "$out/cases"
    fi
fi

# The command-line tool.
if [ -z "$1" ] || [ "$1" = tool ]; then
    if $CC ${CFLAGS:--O0} tools/hybrid.c -o "$out/hybrid" $LDFLAGS -lm -lpthread; then
        sh tests/tool.sh "$out/hybrid" "$out/tool" > "$out/tool.log"
    else
        echo "FAILED tools/hybrid.c does not compile" > "$out/tool.log"
    fi
    grep '^FAILED' "$out/tool.log"
    passed=$((passed + $(grep -c '^ok' "$out/tool.log")))
    failed=$((failed + $(grep -c '^FAILED' "$out/tool.log")))
fi

# The benchmark: that it builds, that what it times is right, that programs can read what it prints. No times.
if [ -z "$1" ] || [ "$1" = bench ]; then
    if command -v tcc > /dev/null 2>&1; then
        tcc tools/bench.c -o "$out/bench" -lm -lpthread
    else
        $CC -O0 tools/bench.c -o "$out/bench" $LDFLAGS -lm -lpthread
    fi
    note $? "tools/bench.c builds"
    small="mlp_b1 mlp_b16 mlp_start_up lenet_b1 train_mlp fancy_4 chain gemm_64"
    "$out/bench" --quick --threads 1 --lines $small > "$out/bench.lines"
    note $? "the benchmark's results are right"
    [ "$(grep -c "^R	[a-z0-9_]*	hybrid.h-[a-z]*	1	[0-9.]*	[0-9.]*	[0-9.]*$" "$out/bench.lines")" = 16 ]
    note $? "the benchmark prints a line for each workload and mode"
    sed 's/hybrid.h-/other-/' "$out/bench.lines" > "$out/bench.peers"
    "$out/bench" --quick --threads 1 --json --peers "$out/bench.peers" --html "$out/bench.html" mlp_b1 > "$out/bench.json"
    note $? "the benchmark reads the lines of other programs"
    grep -q '</html>' "$out/bench.html" && grep -q 'other-' "$out/bench.html"
    note $? "the benchmark writes a page with them"
    if command -v python3 > /dev/null 2>&1; then
        python3 -c 'import json, sys
results = json.load(sys.stdin)["results"]
assert [r["mode"] for r in results] == ["line by line", "compiled"]
assert all(r["seconds"] > 0 and r["off"] < 1e-4 and r["peer"].startswith("other-") for r in results)' < "$out/bench.json"
        note $? "the benchmark's JSON is JSON"
    fi
    "$out/bench" no_such_workload 2> /dev/null
    [ $? = 2 ]
    note $? "the benchmark knows its workloads"
fi

# Languages, standards, switches: whatever compilers are here.
if [ -z "$1" ] || [ "$1" = compile ]; then
    sh tests/compile.sh "$out" > "$out/compile.log"
    grep '^FAILED' "$out/compile.log"
    passed=$((passed + $(grep -c '^ok' "$out/compile.log")))
    failed=$((failed + $(grep -c '^FAILED' "$out/compile.log")))
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
