#!/bin/sh
# sh tests/tool.sh TOOL FOLDER: the command-line tool, built from tools/hybrid.c. Prints ok or FAILED lines.
tool=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
out=$2
mkdir -p "$out" && out=$(cd "$out" && pwd) || exit 1
cd "$(dirname "$0")/golden/mxnet" || exit 1

note() { if [ "$1" = 0 ]; then echo "ok tool $2"; else echo "FAILED tool $2"; fi; }

# name, exit code, command line: the code is that, and what should be silent is
try() {
    name=$1 code=$2
    shift 2
    "$tool" "$@" > "$out/stdout" 2> "$out/stderr"
    got=$?
    [ $got = "$code" ] || echo "  exit code $got: $*"
    [ $code = 0 ] || [ "$(grep -c '^hybrid: ' "$out/stderr")" = "$(wc -l < "$out/stderr")" ] || got=999
    note $([ $got = "$code" ]; echo $?) "$name"
}
# the last stdout, or stderr, has a line with this
prints() { grep -q -e "$2" "$out/stdout"; note $? "$1"; }
says() { grep -q -e "$2" "$out/stderr"; note $? "$1"; }
same() { cmp -s "$2" "$3"; note $? "$1"; }

# Numbers and JSON are looked into with python3, where there is one.
python=$(python3 -c 'import sys; print(sys.executable)' 2> /dev/null)    # itself, where python3 is a script that looks for it
if [ -n "$python" ]; then :; else python=; echo "ok tool (no python3: JSON and numbers are not looked into)"; fi
cat > "$out/look.py" <<'Y'
import json, struct, sys
def npy(name):
    data = open(name, 'rb').read()
    n = struct.unpack('<H', data[8:10])[0]
    head = eval(data[10:10 + n])
    assert head['descr'] == '<f4' and not head['fortran_order'], head
    return head['shape'], struct.unpack('<%df' % ((len(data) - 10 - n) // 4), data[10 + n:])
if sys.argv[1] == 'json':
    it = json.load(open(sys.argv[2]))
    assert eval(sys.argv[3]), it
else:
    for want, got in zip(sys.argv[2::2], sys.argv[3::2]):
        (a, x), (b, y) = npy(want), npy(got)
        assert a == b, (want, a, b)
        assert max([abs(u - v) for u, v in zip(x, y)] + [0]) <= 1e-5 * max([abs(u) for u in x] + [1e-9]), want
Y
# name, condition on `it`
json() { [ -z "$python" ] || { "$python" -S "$out/look.py" json "$out/stdout" "$2" 2> "$out/python"; note $? "$1"; }; }
near() { name=$1; shift; [ -z "$python" ] || { "$python" -S "$out/look.py" near "$@" 2> "$out/python"; note $? "$name"; }; }

# --- help and wrong usage
try "help" 0 help
prints "help lists commands" "^  convert "
prints "help tells what wrong usage ends with" "^2 when the command line is wrong or lacks something"
try "no arguments" 2
try "--help" 0 --help
try "--version" 0 --version
for c in ops show graph run bench check compile convert quantize; do
    try "help $c" 0 help $c
    prints "help $c tells its usage" "^usage: hybrid $c"
    cp "$out/stdout" "$out/help"
    try "$c --help" 0 $c --help
    same "$c --help is help $c" "$out/help" "$out/stdout"
done
try "unknown command" 2 shwo
says "unknown command: the nearest" "did you mean show"
try "help of an unknown command" 2 help shwo
try "command nope" 2 nope
says "command nope: nothing is near" "no command nope (hybrid help)$"
header=--header=../../../hybrid.h
try "help nope" 2 help nope $header
says "help nope: nothing is near" "no command and no topic nope (hybrid help, hybrid help topics)$"
try "help of a topic, misspelt" 2 help hybridise $header
says "help of a topic, misspelt: the nearest" "did you mean hybridize"
try "help topics" 0 help topics $header
prints "help topics lists the manual" "^control flow$"
try "help of a topic" 0 help Gradients $header
prints "help of a topic prints it" "hy_check_grad compares a gradient"
prints "help of a topic begins with its title" "^GRADIENTS$"
try "help of a topic stops at the next" 0 help groups $header
[ "$(grep -c '^[A-Z][A-Z]*$' "$out/stdout")" = 1 ]
note $? "help of a topic: one title"
try "help of an operator" 2 help softmax $header
says "help of an operator: where it is told" "hybrid ops softmax"
for name in hy_write nn.Dense gluon.nn.BatchNorm gluon.Trainer gluon.data.DataLoader loss.SoftmaxCrossEntropyLoss L2Loss \
    optimizer.Adam metric.Accuracy rnn.LSTMCell autograd.record hy_dataset_arrays; do
    try "help $name" 0 help $name $header
    prints "help $name: a prototype" "^HY_API .*(hy_frame \*F\|^HY_API hy_optim .*opt"
done
try "help of a layer" 0 help nn.Dense $header
prints "help of a layer: its name here" "hy_nn_dense(hy_frame"
prints "help of a layer: its options" "typedef struct hy_nn_dense_opt"
try "help of a macro" 0 help hy_call $header
prints "help of a macro: as it is called" "^hy_call(F, block, x)$"
prints "help of a macro: what is said of it" "^/\* Runs forward, or its compiled graph"
try "help of a function with results of its own" 0 help hy_step $header
prints "help of a function with results of its own: what is said of it" "^/\* Updates every parameter"
for topic in data c++ words; do try "help $topic" 0 help $topic $header; done
prints "help words: those of users" "^  *trace "
try "help without a header" 2 help gradients
says "help without a header: what to do" "\-\-header FILE says where"
try "help of a header that is not there" 1 help gradients --header=nowhere.h
says "help of a header that is not there: its name" "nowhere.h: "
try "help of a header without a manual" 2 help gradients --header=bn-symbol.json
try "help help" 0 help help
try "unknown option" 2 show bn --shap data=1
says "unknown option: the nearest" "did you mean --shape"
try "option of another command" 2 show bn --imperative
try "value missing" 2 show bn --shape
try "value empty" 2 run bn --input data=bn-in0.npy --profile ""
try "file of an input empty" 2 run bn --input data=
try "value too much" 2 ops --json=1
try "given twice" 2 run bn --threads 1 --threads 2
try "word missing" 2 show
try "word too much" 2 show bn lstm
try "threads below 1" 2 run bn --threads 0
says "threads below 1: why" ": a number from 1 to 1024 is due here$"
try "threads no number" 2 bench bn --threads 1,x
says "threads no number: why" ": numbers from 1 to 1024, with commas between, are due here$"
try "list of threads where one is due" 2 run bn --threads 1,2
try "epoch no number" 2 show bn --epoch x
try "seconds no number" 2 bench bn --seconds 1s
try "count out of range" 2 bench bn --count 0

# --- ops
try "ops" 0 ops
prints "ops lists" "^fully_connected *FullyConnected *linear "
"$tool" ops | awk 'NR > 1 && /^[a-z_]/ { print $1, $3 }' | sort > "$out/families"
awk '/^\/\* MARK: - [0-9][0-9] >>/ { room = substr($5, 3) } /^#define HY__ON_/ { print substr($2, 8), room }' ../../../hybrid.h |
    sed 's/(.*)//' | sort | awk 'NR == FNR { room[$1] = $2; next } $1 in room { seen++; if (room[$1] != $2) { print; bad = 1 } }
                                 END { exit bad || seen < 100 }' - "$out/families" > "$out/stdout"
note $? "ops: families are the rooms of the header"
try "ops FAMILY" 0 ops linalg
prints "ops FAMILY: its operators" "^linalg_potrf "
awk 'NR > 1 && !/;/ && $3 != "linalg" { other = 1 } END { exit other || NR < 8 }' "$out/stdout"
note $? "ops FAMILY: no others"
try "ops NAME" 0 ops Convolution
prints "ops NAME: attributes" "^ *num_group *int *= 1 "
prints "ops NAME: required" "^ *num_filter *int *required "
try "ops by its function" 0 ops hy_softmax
prints "ops by its function: the same" "^hy_softmax:"
try "ops by alias" 0 ops Convolution_v1
prints "ops by alias is the same" "^hy_convolution:"
try "ops NAME" 0 ops softmax
prints "ops NAME: the function" "^hy_array \*hy_softmax(hy_frame \*F, hy_array \*data, "
prints "ops NAME: its options" "^typedef struct hy_softmax_opt { double temperature /\* 1 \*/; "
prints "ops NAME: arguments and options" "^ *axis *int *= -1 *argument "
prints "ops NAME: its gradient" "^gradient: yes$"
{
    echo '#include "hybrid.h"'
    echo 'void calls(hy_frame *F); void calls(hy_frame *F) { hy_array *y = hy_zeros(F, HY_SHAPE(1)), *a = y, *b = y;'
    for op in $("$tool" ops | awk 'NR > 1 && /^[a-z]/ { print $1 }'); do
        "$tool" ops "$op" | awk '
            /^inputs$/ { inside = 1; next }
            /^$/ { inside = 0 }
            inside && $1 != "a" && $1 != "b" { print "{ hy_array *" $1 " = a; (void)" $1 ";"; open++ }
            /^example / { sub(/^example */, ""); call = $0 }
            END { print call; while (open--) print "}" }'
    done
    echo '(void)y; (void)b; }'
} > "$out/calls.c"
[ "$(grep -c 'y = hy_.*(F' "$out/calls.c")" -gt 200 ] && ${CC:-cc} -I../../.. -c "$out/calls.c" -o "$out/calls.o" 2> "$out/stderr" &&
    [ ! -s "$out/stderr" ]
note $? "ops NAME: its example compiles"
try "ops unknown" 1 ops convolutoin
says "ops unknown: the nearest" "did you mean convolution"
try "ops --used" 0 ops --used bn
prints "ops --used: the line" "^#define HYBRID_OPS(X)"
prints "ops --used: its operators" " X(batch_norm)"
echo 'hy_block *net = hy_nn_dense(F, 10, NULL); y = hy_softmax(F, x, -1, NULL);' > "$out/source.c"
try "ops --used-by" 0 ops --used-by "$out/source.c"
prints "ops --used-by: its operators" " X(fully_connected) X(activation) X(softmax)$"
echo 'x = hy_linspace(F, 0, 1, 5); y = hy_randint(F, HY_SHAPE(3), 0, 9);' > "$out/source.c"
try "ops --used-by: what makes arrays" 0 ops --used-by "$out/source.c"
prints "ops --used-by: operators behind them" " X(random_randint) X(_linspace)$"
echo 'net = hy_nn_dense(F, 10, NULL); net = hy_quantize(F, net, x, NULL);' > "$out/source.c"
try "ops --used-by: int8" 0 ops --used-by "$out/source.c"
prints "ops --used-by: int8 of what there is" " X(activation) X(int8_dense)$"
try "ops --used alone" 2 ops --used
try "ops --json" 0 ops --json
json "ops --json" "len(it['operators']) > 200 and all(o['name'] and o['doc'] for o in it['operators'])"
try "ops NAME --json" 0 ops leaky_relu --json
json "ops NAME --json" "it['attributes'][0]['type'].split('|')[1] == 'elu' and it['outputs'][1]['kind'] == 'hidden'"

# --- show
try "show without shapes" 0 show bn
prints "show without shapes: unknown" "^data *(input) *(?,3,?,?)"
prints "show without shapes: what is missing" "--shape data=1,3,64,64 or --input data=FILE; missing: data (?,3,?,?)$"
prints "show without shapes: parameters are known" "^parameters *140: "
try "show" 0 show bn --shape data=2,3,8,8
prints "show: layers" "^conv2_fwd *convolution *(2,4,6,6) *108 *0.01555$"
prints "show: parameters" "^parameters *140: 124 trainable, 16 running statistics; 560 bytes"
prints "show: memory" "^memory .* KiB planned: activations .*, the program [0-9.]* KiB$"
prints "show: FLOPs" "^FLOPs *16.7 k per call$"
try "show --json" 0 show bn-symbol.json --shape data=2,3,8,8 --json
json "show --json" "it['flops'] == 15552 + 4 * 288 and it['flops_known'] and it['planned'] > 0 and it['inputs'][0]['shape'] == [2, 3, 8, 8]"
try "show --json without shapes" 0 show bn --json
json "show --json without shapes" "it['inputs'][0]['shape'] == [None, 3, None, None] and it['parameters_known'] and not it['flops_known'] and it['flops'] is None and it['planned'] is None"
try "show, recurrent" 0 show lstm --shape data0=5,2,3 --json
json "show, recurrent: work, other inputs" "it['layers'][-1]['flops'] == 2 * 5 * 2 * (736 - 2 * 2 * 2 * 16) and it['inputs'][2]['shape'] == [4, 2, 4]"
try "show .params" 0 show kinds.params
prints "show .params" "^f16 *float16 *(2,) *4 *1 *2.5 *1.75$"
try "show .params without names" 0 show list.params --json
json "show .params without names" "[a['name'] for a in it['arrays']] == [None, None] and it['arrays'][1]['shape'] == [1, 1]"
try "show .npz" 0 show z.npz
try "show .npy" 0 show bn-in0.npy
try "show: wrong shape" 1 show bn --shape data=2,5,8,8
says "show: wrong shape" "conv2_fwd"
try "show: unknown input" 2 show bn --shape dta=2,3,8,8
says "show: unknown input, the nearest" "did you mean data"
try "show: shape without name" 2 show bn --shape 2,3,8,8
try "show: shape no number" 2 show bn --shape data=2,x
try "show: too many sizes" 2 show bn --shape data=1,1,1,1,1,1,1,1,1
try "show: a size that stays open" 0 show module --shape data=?,3,8,8
prints "show: a size that stays open: told" "^ *data  (?,3,8,8)  float32$"
prints "show: a size that stays open: what comes of it" "^conv1  *convolution  *(?,4,6,6)"
try "show: a size by its name" 0 show ../onnx/net/model.onnx --size N=6 --formulas
prints "show: every input has it" "x  (6,2,6,6)  float32"
prints "show: formulas name the input" "^size n0, here 6: x\[0\]"
prints "show: memory is a formula" "^activations: 720\*n0 bytes; 4352 are planned here"
try "run: a size by its name" 2 run ../onnx/net/model.onnx --size N=6
says "run: which shape the value is to have" "(6,2,6,6)"
try "size: another name" 2 show ../onnx/net/model.onnx --size M=6
says "size: those that there are" "has no such size; it has N"
try "size: no number" 2 show ../onnx/net/model.onnx --size N=x
try "size: no name" 2 show ../onnx/net/model.onnx --size 6
try "size: twice" 2 show ../onnx/net/model.onnx --size N=6 --size N=7
try "size: too large" 2 show ../onnx/net/model.onnx --size N=99999999999999
try "size: no ONNX" 2 show bn --size N=6
try "formulas: JSON" 0 show bn --shape data=2,3,8,8 --formulas --json
json "formulas: JSON has them" "'n0' in it['formulas']"
try "formulas: shapes are missing" 0 show bn --formulas
try "show: no size for who runs" 2 run module --shape data=?,3,8,8
says "show: no size for who runs: told" "run needs the number: hybrid show leaves sizes open"
try "show: huge sizes" 0 show bn --shape data=9000000000,3,90000000,90000000
says "show: huge sizes, a note" "note: memory is not known: "
printf '\302\2332J' > "$out/c1"
try "show: what steers a terminal" 1 show "$(cat "$out/c1")"
! grep -q "$(cat "$out/c1")" "$out/stderr"
note $? "show: what steers a terminal is not printed"
cp bn-symbol.json "$out/unreadable.json"
chmod 000 "$out/unreadable.json"
if [ -r "$out/unreadable.json" ]; then echo "ok tool (this user may read all files)"
else
    try "run: a file that may not be read" 1 run "$out/unreadable.json"
    says "run: a file that may not be read: why" "unreadable.json cannot be read: "
fi
chmod 600 "$out/unreadable.json"
try "show: size beyond 64 bits" 2 show bn --shape data=99999999999999999999,3,8,8

# sums of variables, as files have them: FILE NAME...
sums() {
    file=$1 n=0 nodes= inputs= numbers=
    shift
    for name in "$@"; do
        nodes="$nodes{\"op\": \"null\", \"name\": \"$name\", \"attrs\": {\"__lr_mult__\": \"1\"}, \"inputs\": []}, "
        inputs="$inputs${inputs:+, }[$n, 0, 0]" numbers="$numbers${numbers:+, }$n" n=$((n + 1))
    done
    echo "{\"nodes\": [$nodes{\"op\": \"add_n\", \"name\": \"sum\", \"attrs\": {\"num_args\": \"$n\"}," \
        "\"inputs\": [$inputs]}], \"arg_nodes\": [$numbers], \"heads\": [[$n, 0, 0]]}" > "$file"
}
sums "$out/names.json" a a=b ""
try "names with =" 0 show "$out/names.json" --shape a=b=2,3 --shape a=2,3 --shape =2,3
prints "names with =: all are inputs" "^sum .*(2,3)"
try "names with =: twice" 2 show "$out/names.json" --shape a=b=2,3 --shape a=b=2,3
sums "$out/order.json" data10 data9 p
try "inputs in the order of a call" 0 show "$out/order.json" --json
json "inputs in the order of a call" "[i['name'] for i in it['inputs']] == ['data9', 'data10']"

# --- graph
for f in svg dot html; do
    try "graph .$f" 0 graph lstm --out "$out/a b.$f"
    try "graph .$f, passes" 0 graph bn --shape data=2,3,8,8 --passes --parameters --out "$out/p.$f"
done
if [ -n "$python" ]; then
    "$python" -c "import sys, xml.dom.minidom as d; [d.parse(f) for f in sys.argv[1:]]" "$out/a b.svg" "$out/p.svg"
    note $? "graph .svg is XML"
fi
grep -q '^digraph' "$out/a b.dot" && grep -q 'lstm0_rnn0' "$out/a b.dot"
note $? "graph .dot"
[ ! -e "$out/a b.svg.part" ]
note $? "graph leaves nothing aside"
echo mine > "$out/mine"
ln -s mine "$out/linked.svg.part"
try "graph where a link waits aside" 0 graph bn --out "$out/linked.svg"
[ "$(cat "$out/mine")" = mine ] && [ ! -e "$out/linked.svg.part" ]
note $? "graph where a link waits aside: it is not followed"
try "graph without --out" 2 graph bn
try "graph, other ending" 2 graph bn --out "$out/g.png"
try "graph, no folder" 1 graph bn --out "$out/no/g.svg"
sums "$out/many.json" data p1 p2 p3 p4 p5 p6 p7
try "graph, many inputs" 0 graph "$out/many.json" --out "$out/many.dot"
grep -q 'add_n, args ?, args ?, args ?, args ?, \.\.\."' "$out/many.dot"
note $? "graph, many inputs: four are told"
try "graph, passes without shapes" 2 graph bn --passes --out "$out/g.svg"

# --- run: what MXNet gave
for m in bn concurrent curves embedding module np_hybridnet np_mlp; do
    try "run $m" 0 run $m --input data=$m-in0.npy --output "$out/$m"
    near "run $m as MXNet" $m-out0.npy "$(ls "$out/$m/"*.npy)"
done
try "run reduce" 0 run reduce --input data=reduce-in0.npy --output "$out/reduce.npz" --json
json "run: outputs in order" "[o['name'] for o in it['outputs']][:3] == ['many2_sum0_output', 'many2_mean0_output', 'many2_max0_output'] and len(it['outputs']) == 13"
try "run lstm" 0 run lstm --input data0=lstm-in0.npy --input=data1=lstm-in1.npy --input data2=lstm-in2.npy --output "$out/l/" --threads 1
near "run lstm as MXNet" lstm-out0.npy "$out/l/lstm0_rnn0_output.npy" lstm-out1.npy "$out/l/lstm0_rnn0_state_output.npy" \
    lstm-out2.npy "$out/l/lstm0_rnn0_statecell_output.npy"
try "run --imperative" 0 run lstm --input data0=lstm-in0.npy --input data1=lstm-in1.npy --input data2=lstm-in2.npy \
    --output "$out/i" --imperative
same "run --imperative is the same" "$out/l/lstm0_rnn0_output.npy" "$out/i/lstm0_rnn0_output.npy"
try "run on random values" 0 run bn --input data=random:2,3,8,8:5 --output "$out/r1.npz"
try "run on the same random values" 0 run bn --input data=random:2,3,8,8:5 --output "$out/r2.npz"
same "run: the same seed" "$out/r1.npz" "$out/r2.npz"
try "run on other random values" 0 run bn --input data=random:2,3,8,8:6 --output "$out/r2.npz"
! cmp -s "$out/r1.npz" "$out/r2.npz"
note $? "run: another seed"
cp curves-symbol.json "$out/other.json"
try "run on an array of several" 0 run "$out/other.json" --input data=kinds.params:f64 --random-params
says "run on an array of several: its type" "float64"
try "run with random parameters" 0 run bn-symbol.json --params bn-0000.params --input data=zeros:1,3,8,8
cp bn-symbol.json "$out/alone.json"
try "run without parameters" 2 run "$out/alone.json" --input data=ones:1,3,8,8
says "run without parameters: what to do" "--random-params"
sums "$out/nothing.json" data
try "run without any parameters" 0 run "$out/nothing.json" --input data=ones:2
prints "run without any parameters: its output" "^sum_output .* 1 *1 *1$"
try "run with random parameters" 0 run "$out/alone.json" --input data=ones:1,3,8,8 --random-params=3 --profile "$out/trace.json"
cp "$out/trace.json" "$out/stdout"
json "run --profile" "any(e.get('name') in ('conv2_fwd', 'pool2_fwd') for e in it['traceEvents'])"      # one job may do both
try "run: inputs missing" 2 run lstm --input data0=lstm-in0.npy
says "run: inputs missing are listed" "data1=FILE of shape (4,2,4), --input data2=FILE"
try "run: all inputs missing" 2 run bn
says "run: how to make them up" "data=FILE of shape (?,3,?,?); or .* --input data=random:1,3,64,64$"
for what in "--profile $out/no/trace.json" "--profile $out" "--output $out/no/where.npz"; do
    try "run: unwritable${what#*$out}" 1 run bn --input data=bn-in0.npy $what
    says "run: unwritable${what#*$out}: why" "the file cannot be made: "
    [ ! -s "$out/stdout" ]
    note $? "run: unwritable${what#*$out}: noticed before the run"
done
try "run: a page of the profile" 0 run bn --input data=bn-in0.npy --profile "$out/profile.html"
grep -q '^</body></html>$' "$out/profile.html" && ! grep -q http "$out/profile.html"
note $? "run: a page of the profile is whole"
try "run: a page that cannot be written" 1 run bn --input data=bn-in0.npy --profile "$out/no/profile.html"
try "run: a trace that could be written" 1 run bn --input data=bn-in1.npy --profile "$out/unused.json"
[ ! -e "$out/unused.json" ]
note $? "run: a trace that could be written is not"
if [ -e /dev/full ]; then
    try "run: trace on a full disk" 1 run bn --input data=bn-in0.npy --profile /dev/full
    prints "run: trace on a full disk, outputs" "^pool2_fwd_output "
    try "bench: trace on a full disk" 1 bench bn --shape data=2,3,8,8 --count 2 --profile /dev/full
    prints "bench: trace on a full disk, timings" "^hybridized "
fi
try "run: file missing" 1 run bn --input data=nowhere.npy
try "run: several arrays" 2 run bn --input data=kinds.params
try "run: unknown array" 1 run bn --input data=kinds.params:nope
try "run: wrong shape" 1 run bn --input data=curves-in0.npy
try "run: the folder is a file" 1 run bn --input data=bn-in0.npy --output "$out/r1.npz/x"
try "run: one .npy for many" 1 run lstm --input data0=lstm-in0.npy --input data1=lstm-in1.npy --input data2=lstm-in2.npy \
    --output "$out/x.npy"
for kind in random zeros; do
    try "run: $kind without sizes" 2 run bn --input data=$kind
    says "run: $kind without sizes: how" "sizes are due behind it, as in $kind:1,3,64,64$"
done
cp bn-in0.npy "$out/ones"
golden=$PWD
(cd "$out" && "$tool" run "$golden/bn" --input data=ones > "$out/stdout" 2>&1)
note $? "run: a file may be called ones"
try "run: bad random" 2 run bn --input data=random:2,3,8,8:x
try "run: input twice" 2 run bn --input data=bn-in0.npy --input data=bn-in0.npy

# --- bench, check
try "bench" 0 bench bn --shape data=2,3,8,8 --count 20 --threads 1,2 --json --profile "$out/trace.json"
json "bench --json" "[(t['mode'], t['calls']) for t in it['timings']] == 2 * [('imperative', 20), ('hybridized', 20)] and it['timings'][0]['threads'] == 1 and all(t['min'] <= t['median'] <= t['p99'] for t in it['timings'])"
json "bench: operators" "abs(sum(o['share'] for o in it['operators']) - 1) < 1e-6 and it['operators'][0]['seconds_per_call'] > 0"
try "bench" 0 bench curves --shape data=2,4 --seconds 0.05
prints "bench: a table" "^hybridized "
try "bench without shapes" 2 bench bn
says "bench without shapes: which" "data (?,3,?,?)"
try "bench: unwritable trace" 1 bench bn --shape data=2,3,8,8 --count 2 --profile "$out/no/trace.json"
[ ! -s "$out/stdout" ]
note $? "bench: unwritable trace: noticed before the run"
try "check without shapes" 2 check bn
try "bench, two calls" 0 bench bn --shape data=2,3,8,8 --count 2 --json
json "bench, two calls: the median is between" "all(abs(2 * t['median'] - t['min'] - t['p99']) < 1e-6 * t['p99'] for t in it['timings'])"
try "check" 0 check bn --shape data=2,3,8,8
sums "$out/none.json" f64
try "check without values" 0 check "$out/alone.json" --shape data=1,3,8,8
says "check without values: a note" "has no values: random ones"
try "check without inputs" 0 check "$out/none.json" --params kinds.params --ignore-extra
try "check --json" 0 check lstm --shape data0=5,2,3 --json
json "check --json" "it['differences'] == 0 and it['lines'] == []"

# --- pictures
{ printf 'P6\n# 8 x 8\n8 8\n255\n'; printf '%0192d' 0; } > "$out/same.ppm"
try "picture" 0 run bn --input data="$out/same.ppm" --output "$out/o1.npy"
says "picture: what was done" "data: .*same.ppm, 8 wide, 8 high, as (1,3,8,8) float32, its values (0 to 255) as they are"
try "picture: scaled" 0 run bn --input data="$out/same.ppm" --divide 48 --mean 0.5,0.25,0.75 --std 0.5,0.75,0.25 --output "$out/o2.npy"
says "picture: scaled: what was done" "(v / 48 - (0.5,0.25,0.75)) / (0.5,0.75,0.25)$"
try "picture: the same as an array" 0 run bn --input data=ones:1,3,8,8 --output "$out/o3.npy"
same "picture: scaled: right" "$out/o2.npy" "$out/o3.npy"
if [ -n "$python" ]; then
    "$python" -S - "$out" <<'Y'
import struct, sys
def save(name, shape, v):
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }" % (shape,)
    head += ' ' * (117 - len(head)) + '\n'
    open(sys.argv[1] + name, 'wb').write(b'\x93NUMPY\x01\x00' + struct.pack('<H', 118) + head.encode() + struct.pack('<%df' % len(v), *v))
b = [(i * 37 + 11) % 256 for i in range(8 * 8 * 3)]
open(sys.argv[1] + '/rgb.ppm', 'wb').write(b'P6 8 8 255\n' + bytes(b))
save('/chw.npy', (1, 3, 8, 8), [b[(y * 8 + x) * 3 + c] / 255 for c in range(3) for y in range(8) for x in range(8)])
g = [i * 100 % 65536 for i in range(64)]
open(sys.argv[1] + '/gray.pgm', 'wb').write(b'P5\n8 8\n65535\n' + struct.pack('>64H', *g) + b'P5')
save('/hwc.npy', (1, 8, 8, 3), b)
save('/own.npy', (8, 8), g)
open(sys.argv[1] + '/copy-symbol.json', 'w').write('{"nodes": [{"op": "null", "name": "x", "inputs": []}, {"op": "_copy", '
    '"name": "y", "inputs": [[0, 0, 0]]}], "arg_nodes": [0], "heads": [[1, 0, 0]]}')
Y
    try "picture: said to be channels last" 0 run "$out/copy" --input x="$out/rgb.ppm" --layout HWC --output "$out/o1.npy"
    same "picture: said to be channels last: right" "$out/o1.npy" "$out/hwc.npy"
    try "picture: the input has channels last" 0 run "$out/copy" --input x="$out/rgb.ppm" --shape x=1,8,8,3 --output "$out/o1.npy"
    same "picture: the input has channels last: right" "$out/o1.npy" "$out/hwc.npy"
    try "picture: gray of 16 bits" 0 run "$out/copy" --input x="$out/gray.pgm" --shape x=8,8 --output "$out/o1.npy"
    same "picture: gray of 16 bits: right" "$out/o1.npy" "$out/own.npy"
    says "picture: gray of 16 bits: what was done" "as (8,8) float32, its values (0 to 65535) as they are"
    says "picture: more than one" "gray.pgm goes on behind its first picture, which is taken"
    try "picture: colours" 0 run bn --input data="$out/rgb.ppm" --divide 255 --output "$out/o1.npy"
    try "picture: colours as an array" 0 run bn --input data="$out/chw.npy" --output "$out/o2.npy"
    near "picture: channels come first" "$out/o2.npy" "$out/o1.npy"
    try "picture: gray where colours are due" 2 run bn --input data="$out/gray.pgm"
    says "picture: gray where colours are due: told" "the picture is 8 wide and 8 high, with 1 channel; data takes (?,3,?,?)"
fi
try "picture: bench" 0 bench bn --input data="$out/same.ppm" --count 1
try "picture: show" 0 show bn --input data="$out/same.ppm"
prints "picture: show: its sizes" "(1,3,8,8)"
try "picture: another size" 2 run bn --input data="$out/same.ppm" --shape data=1,3,9,8
says "picture: another size: told" "8 wide and 8 high, with 3 channels; data takes (1,3,9,8)"
try "picture: channels last where they come first" 2 run bn --input data="$out/same.ppm" --layout HWC
try "picture: another layout" 2 run bn --input data="$out/same.ppm" --layout BGR
try "picture: by 0" 2 run bn --input data="$out/same.ppm" --divide 0
try "picture: two means" 2 run bn --input data="$out/same.ppm" --mean 1,2
says "picture: two means: told" "a number is due, or 3 of them, one for each channel"
try "picture: deviation 0" 2 run bn --input data="$out/same.ppm" --std 1,0,1
try "picture: scaled, and there is none" 2 run bn --input data=bn-in0.npy --divide 255
says "picture: scaled, and there is none: told" "--divide goes with pictures, and no input is one"
{ printf 'P6\n8 8\n255\n'; printf '%0191d' 0; } > "$out/cut.ppm"
try "picture: cut short" 1 run bn --input data="$out/cut.ppm"
printf 'P6\n8 eight\n255\n' > "$out/cut.ppm"
try "picture: damaged" 1 run bn --input data="$out/cut.ppm"
printf 'P6\n99999999999 99999999999 255\n' > "$out/cut.ppm"
try "picture: too large" 1 run bn --input data="$out/cut.ppm"
printf 'P3\n1 1\n255\n1 2 3\n' > "$out/cut.ppm"
try "picture: P3" 1 run bn --input data="$out/cut.ppm"
says "picture: P3: told" "is a P3: P6 and P5 are read"
cp "$out/same.ppm" "$out/same.png"
try "picture: PNG" 2 run bn --input data="$out/same.png"
says "picture: PNG: told" "pictures are read as .ppm and .pgm"

# --- quantize
try "quantize" 0 quantize module --samples module-in0.npy --all --out "$out/q.hybrid"
prints "quantize: a convolution" "^conv1  int8_convolution  *448  *608  *[0-9.]*%$"
prints "quantize: a dense layer" "^fc1  *int8_dense  *740  *616  *[0-9.]*%$"
prints "quantize: layers and samples" "^2 layers in int8, 0 left as they are; 2 samples, largest calibration$"
prints "quantize: results" "^results differ by .* at most, by .* on average; the largest stands in the same place in "
prints "quantize: files" "^$out/q.hybrid: [0-9,]* bytes, where module-0000.params has 1,754$"
try "quantize: what is slower" 0 quantize module --samples module-in0.npy --out "$out/q1.hybrid"
prints "quantize: what is slower: stays" "^conv1  convolution  *448  *448  *0%  its sums have 27 terms, for 4 filters: int8 would be slower$"
prints "quantize: what is slower: counted" "^0 layers in int8, 2 left as they are"
says "quantize: what is slower: told" "in int8 all of the 2 layers would be slower"
try "quantize: what is slower: JSON" 0 quantize module --samples module-in0.npy --out "$out/q1.hybrid" --json
json "quantize: what is slower: JSON: why" "'27 terms' in it['layers'][0]['why'] and it['left'] == 2"
try "quantize: JSON" 0 quantize module --samples module-in0.npy --all --out "$out/q.hybrid" --json
json "quantize: errors are small" "all(0 < x['error'] < 0.05 for x in it['layers']) and it['quantized'] == 2 and it['samples'] == 2"
json "quantize: differences" "0 < it['mean_difference'] <= it['largest_difference'] < 0.05 and 0 <= it['same_answers'] <= 1"
try "quantize: the copy runs" 0 run "$out/q.hybrid" --input data=module-in0.npy
try "quantize: what the copy is made of" 0 show "$out/q.hybrid"
prints "quantize: int8 is in it" "int8_dense"
try "quantize: work" 0 show "$out/q.hybrid" --shape data=2,3,8,8 --json
json "quantize: work: as in floats" "[x['flops'] for x in it['layers'] if 'int8' in str(x['operator'])] == [15552, 720]"
try "quantize: into a pair, by entropy, but for one" 0 quantize module --samples module-in0.npy --all --calibrate entropy \
    --skip conv1 --out "$out/q"
prints "quantize: what is left" "^conv1  convolution  *448  *448"
prints "quantize: by entropy" "^1 layer in int8, 1 left as they are; 2 samples, entropy calibration$"
try "quantize: the pair runs" 0 run "$out/q" --input data=module-in0.npy
try "quantize: of an ONNX file" 0 convert concurrent "$out/q.onnx" --shape data=2,4
try "quantize: an ONNX file" 0 quantize "$out/q.onnx" --samples concurrent-in0.npy --all --out "$out/q.model"
prints "quantize: an ONNX file: layers" "^2 layers in int8, 0 left as they are"
try "quantize: an ONNX file: declared sizes stay" 0 show "$out/q.model"
prints "quantize: an ONNX file: declared sizes stay: told" "^ *data  (2,4)  float32$"
if [ -n "$python" ]; then
    "$python" -S - "$out/three.npy" <<'Y'
import struct, sys
head = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }"
head += ' ' * (117 - len(head)) + '\n'
open(sys.argv[1], 'wb').write(b'\x93NUMPY\x01\x00' + struct.pack('<H', 118) + head.encode() +
                              struct.pack('<12f', *[0.1 * i - 0.7 for i in range(12)]))
Y
    try "quantize: samples that are left over" 0 quantize np_hybridnet --samples "$out/three.npy" --batch 2 --all --out "$out/q.model"
    says "quantize: samples that are left over: told" "the last 1 of 3 samples are no whole batch of 2, and are left out"
    "$python" -c 'import os, pty, sys
all = []
def read(fd):
    all.append(os.read(fd, 4096))
    return all[-1]
pty.spawn(sys.argv[1:], read)' "$tool" quantize module --samples module-in0.npy --out "$out/q.hybrid" > "$out/stdout" 2> /dev/null
    prints "quantize: a bar" "calibrating  *\[[#.]*\] *[0-9]*%"
fi
try "quantize: samples that are random" 0 quantize module --samples random:6 --shape data=2,3,8,8 --all --out "$out/q.hybrid"
prints "quantize: samples that are random: counted" "; 6 samples, largest calibration$"
try "quantize: names and sizes stay" 0 show "$out/q.hybrid"
prints "quantize: names and sizes stay: both" "^ *data  (?,3,?,?)  float32$"
try "quantize: samples of open sizes" 2 quantize module --samples random:6 --out "$out/q.hybrid"
says "quantize: samples of open sizes: told" "the sizes of data are open, (?,3,?,?): --shape data=1,3,64,64 says them"
printf 'P6\n8 8\n255\n%0192d' 7 > "$out/q.ppm"
try "quantize: pictures" 0 quantize module --samples "$out/q.ppm" --samples "$out/q.ppm" --divide 255 --all --out "$out/q.hybrid"
prints "quantize: pictures: counted" "; 2 samples, largest calibration$"
try "quantize: how many" 2 quantize module --samples random --out "$out/q.hybrid"
says "quantize: how many: told" "how many, as in random:16"
try "quantize: arrays beside random" 2 quantize module --samples module-in0.npy --samples random:2 --out "$out/q.hybrid"
says "quantize: arrays beside random: told" "only pictures and random:N add up"
try "quantize: no samples" 2 quantize module --out "$out/q.hybrid"
says "quantize: no samples: told" "--samples FILE says what the network will get"
try "quantize: no copy" 2 quantize module --samples module-in0.npy
try "quantize: to ONNX" 0 quantize module --samples module-in0.npy --all --out "$out/q8.onnx"
prints "quantize: to ONNX: told" "^2 layers in int8, 0 left as they are"
try "quantize: to ONNX: what it is made of" 0 show "$out/q8.onnx"
prints "quantize: to ONNX: int8 is in it" "int8_dense"
try "quantize: what is in int8" 0 quantize "$out/q8.onnx" --samples module-in0.npy --all --out "$out/q9.hybrid"
says "quantize: what is in int8: told" "it is in int8 already: 2 layers are"
try "quantize: to arrays" 2 quantize module --samples module-in0.npy --out "$out/x.npz"
says "quantize: to arrays: told" "int8 goes into .hybrid, .model or .onnx, or a pair"
try "quantize: another calibration" 2 quantize module --samples module-in0.npy --out "$out/x.hybrid" --calibrate median
says "quantize: another calibration: told" "--calibrate median: largest or entropy is due"
try "quantize: no such layer" 1 quantize module --samples module-in0.npy --out "$out/x.hybrid" --skip nosuch
says "quantize: no such layer: told" "no layer is called 'nosuch'; there are 'conv1', 'fc1'"
try "quantize: arrays of other names" 2 quantize module --samples module-0000.params --out "$out/x.hybrid"
says "quantize: arrays of other names: told" "no array is called data; there are arg:"
try "quantize: two inputs, one array" 2 quantize lstm --samples lstm-in0.npy --out "$out/x.hybrid"
says "quantize: two inputs, one array: told" "no array is called data1 (each input has an array, named as it)"
try "quantize: a batch of more than there are" 2 quantize module --samples module-in0.npy --batch 3 --out "$out/x.hybrid"
says "quantize: a batch of more than there are: told" "2 samples of data; the network takes 3 at a time"
cp module-symbol.json "$out/alone-symbol.json"
try "quantize: a program alone" 2 quantize "$out/alone" --samples module-in0.npy --out "$out/x.hybrid"
says "quantize: a program alone: told" "alone has no values: give --params FILE or --epoch N"
try "quantize: values only" 1 quantize bn-0000.params --samples module-in0.npy --out "$out/x.hybrid"
[ ! -e "$out/x.hybrid" ]; note $? "quantize: nothing is written that was refused"

# --- convert
try "convert to .npz" 0 convert kinds.params "$out/k.npz"
try "convert to .safetensors" 0 convert "$out/k.npz" "$out/k.safetensors"
try "convert to .params" 0 convert "$out/k.safetensors" "$out/k.params"
try "convert to .npz again" 0 convert "$out/k.params" "$out/k2.npz"
same "convert round: values" "$out/k.npz" "$out/k2.npz"
try "convert parameters to .npz" 0 convert bn-0000.params "$out/b.npz"
try "convert parameters back" 0 convert "$out/b.npz" "$out/b.params"
same "convert round: parameters" bn-0000.params "$out/b.params"
try "convert .npy" 0 convert bn-in0.npy "$out/in.npz"
try "convert to .npy" 0 convert "$out/in.npz" "$out/in.npy"
near "convert round: .npy" bn-in0.npy "$out/in.npy"
for m in bn lstm; do
    try "convert $m to a pair" 0 convert $m "$out/pair $m"
    try "convert $m to a single file" 0 convert $m "$out/$m.model"
    try "convert $m to a single file, .hybrid" 0 convert $m "$out/$m.hybrid"
    same "convert $m to a single file: the same" "$out/$m.model" "$out/$m.hybrid"
    try "convert $m back to a pair" 0 convert "$out/$m.model" "$out/again $m-symbol.json"
    same "convert round: symbol of $m" "$out/pair $m-symbol.json" "$out/again $m-symbol.json"
    same "convert round: parameters of $m" "$out/pair $m-0000.params" "$out/again $m-0000.params"
done
try "run a single file" 0 run "$out/bn.model" --input data=bn-in0.npy --output "$out/s"
same "run a single file: the same" "$out/s/pool2_fwd_output.npy" "$out/bn/pool2_fwd_output.npy"
try "show a single file" 0 show "$out/bn.model"
prints "show a single file" "^conv2_fwd"
try "values of a single file" 0 convert "$out/bn.model" "$out/bm.params"
same "values of a single file: the same" bn-0000.params "$out/bm.params"
try "convert with an epoch" 0 convert "$out/bn.model" "$out/e" --epoch 12
[ -f "$out/e-0012.params" ]
note $? "convert with an epoch: its name"
try "show with an epoch" 0 show "$out/e" --epoch 12
try "show with an epoch that is not there" 1 show "$out/e" --epoch 13
try "convert a program alone" 0 convert "$out/pair bn-symbol.json" "$out/once.json"
same "convert round: program" "$out/pair bn-symbol.json" "$out/once.json"
rm -f "$out"/x.*
for b in onix c safetensor NPZ zip; do
    try "convert to .$b" 2 convert bn "$out/x.$b"
    says "convert to .$b: what there is" "nothing is written as .$b.*; known are .params .npy .npz .safetensors, "
    [ ! -e "$out/x.$b" ]
    note $? "convert to .$b: nothing is written"
done
try "convert to a typing error" 2 convert bn "$out/x.safetensor"
says "convert to a typing error: the nearest" "did you mean .safetensors?"
try "convert values to another ending" 2 convert bn "$out/x.bin" --to values
try "convert to another ending all the same" 0 convert bn "$out/x.zip" --to single
try "convert to a pair with a number behind a dot" 0 convert bn "$out/net0.25"
[ -f "$out/net0.25-symbol.json" ]
note $? "convert to a pair with a number behind a dot: its name"
try "convert several to .npy" 1 convert kinds.params "$out/z.npy"
try "convert values to a model" 2 convert kinds.params "$out/z.model"
try "convert without values" 2 convert "$out/alone.json" "$out/a.npz"
try "convert without values to a single file" 2 convert "$out/alone.json" "$out/a.model"
try "convert without values to a pair" 2 convert "$out/alone.json" "$out/a"
says "convert without values to a pair: what to do" "give --params FILE or --epoch N; --to symbol"
[ ! -e "$out/a-symbol.json" ]
note $? "convert without values to a pair: nothing is written"
try "convert without values to a program" 0 convert "$out/alone.json" "$out/a.json"
for b in "" . .. "$out/" "$out/.."; do try "convert to '${b#$out}'" 2 convert bn "$b"; done
sums "$out/rule.json" data1 f64
try "inputs by the rule of the library" 0 show "$out/rule.json" --params kinds.params --ignore-extra
! grep -q '(input)' "$out/stdout"
note $? "inputs by the rule of the library: none"
try "convert where inputs do not look so" 1 convert "$out/rule.json" "$out/rule" --params kinds.params --ignore-extra
says "convert where inputs do not look so: what to do" "(here: --inputs names them)"
try "convert with --inputs" 0 convert "$out/rule.json" "$out/rule" --params kinds.params --ignore-extra --inputs data1
try "inputs as the file lists them" 0 show "$out/rule"
prints "inputs as the file lists them: one" "^data1 *(input)"
try "convert to what" 2 convert bn "$out/x" --to nothing
try "convert to a folder that is not there" 1 convert bn "$out/no/x"
says "convert to a folder that is not there: why" "no such file or folder"
rm -f "$out/swept.npz"                  # of an earlier run, which left it read-only
echo half > "$out/swept.npz.hy.part"
try "convert where something was left aside" 0 convert z.npz "$out/swept.npz"
try "convert once more" 0 convert z.npz "$out/swept.npz"
chmod 444 "$out/swept.npz"
try "convert to what is read-only" 1 convert z.npz "$out/swept.npz"
says "convert to what is read-only: why" "the file may not be written: permission denied"
ls "$out" | grep -q '\.part$'
note $([ $? != 0 ]; echo $?) "nothing is left aside"

# A signal that comes while a file is being written: the file is whole, or not there, and nothing else stays.
mkdir -p "$out/signal"
rm -f "$out/signal"/*
{ printf '\223NUMPY\001\000\166\000'; printf '%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (16777216,), }"
  head -c 67108864 /dev/zero; } > "$out/large.npy"
try "convert what is large" 0 convert "$out/large.npy" "$out/large.npz"
for k in 1 2 3; do
    "$tool" convert "$out/large.npy" "$out/signal/x.npz" > /dev/null 2> "$out/stderr" &
    while kill -0 $! 2> /dev/null; do
        set -- "$out/signal"/*.part
        [ -e "$1" ] && break
    done
    kill -TERM $! 2> /dev/null
    wait $! 2> /dev/null
    got=$?
    [ $got = 143 ]
    note $? "a signal while writing ends the tool ($k)"
    says "a signal while writing is told ($k)" "interrupted"
    [ "$(ls "$out/signal")" = x.npz ] && cmp -s "$out/signal/x.npz" "$out/large.npz"
    note $? "a signal while writing leaves the file whole ($k)"
    rm -f "$out/signal"/*
done
rm -f "$out/large.npy" "$out/large.npz"

# --- ONNX files
onnx=../onnx
try "onnx: show" 0 show "$onnx/net/model.onnx"
try "onnx: show a shape" 0 show "$onnx/net/model.onnx" --shape x=2,2,6,6
prints "onnx: a shape goes through" "^y .*(2,3)"
try "onnx: check" 0 check "$onnx/net/model.onnx" --shape x=2,2,6,6
try "onnx: graph" 0 graph "$onnx/net/model.onnx" --out "$out/onnx.svg"
try "onnx: bench" 0 bench "$onnx/net/model.onnx" --shape x=2,2,6,6 --count 2 --threads 1
try "onnx: run" 0 run "$onnx/net/model.onnx" --input "x=$onnx/net/input_0.npy" --output "$out/onnx"
prints "onnx: an output under its own name" "^y .*(2,3)"
near "onnx: run, its numbers" "$onnx/net/output_1.npy" "$out/onnx/y.npy"
try "onnx: run, a shape beside it" 0 run "$onnx/net/model.onnx" --shape x=2,2,6,6 --input "x=$onnx/net/input_0.npy"
try "onnx: run, another shape beside it" 2 run "$onnx/net/model.onnx" --shape x=1,2,6,6 --input "x=$onnx/net/input_0.npy"
says "onnx: run, another shape beside it: what it is" "what --input gives is (2,2,6,6)"
try "onnx: convert" 0 convert "$onnx/net/model.onnx" "$out/onnx.hybrid" --shape x=2,2,6,6
try "onnx: what was converted runs" 0 run "$out/onnx.hybrid" --input "x=$onnx/net/input_0.npy" --output "$out/onnx2"
near "onnx: and gives the same" "$out/onnx/y.npy" "$out/onnx2/y_output.npy"
try "onnx: convert back" 0 convert "$out/onnx.hybrid" "$out/back.onnx"
try "onnx: what was converted back runs" 0 run "$out/back.onnx" --input "x=$onnx/net/input_0.npy" --output "$out/onnx2.npz"
try "onnx: a network of MXNet" 0 convert bn "$out/bn.onnx" --shape data=1,3,8,8 --opset 15
try "onnx: and it is right" 0 check "$out/bn.onnx"
try "onnx: without shapes" 2 convert bn "$out/bn2.onnx"
try "onnx: a shape of no input" 2 convert "$onnx/net/model.onnx" "$out/onnx3.hybrid" --shape z=2,2,6,6
says "onnx: a shape of no input: which" "has no input z.*; it has "
head -c 300 "$onnx/net/model.onnx" > "$out/cut.onnx"
try "onnx: cut short" 1 show "$out/cut.onnx"
says "onnx: cut short: which, and why" "cut.onnx: .*broken"
try "onnx: no value" 2 show "$onnx/values/model.onnx" --value to=
says "onnx: no value: what is due" "a number is due"
try "onnx: no number between commas" 1 show "$onnx/values/model.onnx" --value to=1,,-1
try "onnx: values twice" 2 show "$onnx/values/model.onnx" --value to=1,-1 --input to=1,-1

# --- ONNX files with open sizes, at two sizes each; one whose shapes hang on values in the end
for set in 0 1; do
    for m in places detector added; do
        case $m in
        places) given="--input x=$onnx/$m/input_${set}_0.npy" outputs="y" ;;
        detector) given="--input image=$onnx/$m/input_${set}_0.npy" outputs="boxes onnx__Gather_399" ;;
        added) given="--input x=$onnx/$m/input_${set}_0.npy --input at=$onnx/$m/input_${set}_1.npy"
            given="$given --input more=$onnx/$m/input_${set}_2.npy" outputs="y" ;;
        esac
        for how in "" --imperative; do
            try "onnx: run $m $set $how" 0 run "$onnx/$m/model.onnx" $given $how --output "$out/$m$set"
            [ ! -s "$out/stderr" ]
            note $? "onnx: run $m $set $how says nothing else"
            i=0
            for y in $outputs; do
                near "onnx: run $m $set $how: $y" "$onnx/$m/output_${set}_$i.npy" "$out/$m$set/$y.npy"
                i=$((i + 1))
            done
        done
        try "onnx: check $m $set" 0 check "$onnx/$m/model.onnx" $given
        prints "onnx: check $m $set: nothing differs" ": 0 differences$"
        try "onnx: bench $m $set" 0 bench "$onnx/$m/model.onnx" $given --count 2 --json
        json "onnx: bench $m $set: operators" "it['operators'] and all(t['calls'] == 2 for t in it['timings'])"
        try "onnx: show $m $set" 0 show "$onnx/$m/model.onnx" $given
        grep -q '?' "$out/stdout"
        note $([ $? = 1 ]; echo $?) "onnx: show $m $set: all is known"
        try "onnx: graph $m $set" 0 graph "$onnx/$m/model.onnx" $given --passes --out "$out/$m.svg"
        part=
        if [ $m = detector ]; then
            for c in "convert $onnx/$m/model.onnx $out/no.hybrid" "compile $onnx/$m/model.onnx --out $out/no.c"; do
                try "onnx: ${c%% *} $m $set" 1 $c $given
                says "onnx: ${c%% *} $m $set: what stands in the way" "from NonMaxSuppression 'nms' on .* --part takes"
            done
            part=--part
        fi
        try "onnx: compile $m $set" 0 compile "$onnx/$m/model.onnx" $given $part --prefix m --out "$out/m.c"
        if command -v cc > /dev/null; then
            cc -w -DM_TEST "$out/m.c" -o "$out/m.run" -lm && "$out/m.run" | grep -q "m: right"
            note $? "onnx: compile $m $set: the same"
        fi
        try "onnx: convert $m $set" 0 convert "$onnx/$m/model.onnx" "$out/$m.hybrid" $given $part
        [ "$(grep -c warning "$out/stderr")" = 0 ]
        note $? "onnx: convert $m $set: no warnings of other formats"
        [ $m = detector ] && continue
        try "onnx: run the converted $m $set" 0 run "$out/$m.hybrid" $given --output "$out/again"
        near "onnx: run the converted $m $set: the same" "$onnx/$m/output_${set}_0.npy" "$out/again/y_output.npy"
    done
done
try "onnx: run, names of a file" 0 run "$onnx/detector/model.onnx" --input "image=$onnx/detector/input_0_0.npy" --output "$out/det.npz" --json
json "onnx: run, names of a file: its own" "[o['name'] for o in it['outputs']] == ['boxes', 'onnx::Gather_399']"
try "onnx: run, what was converted, at another size" 1 run "$out/places.hybrid" --input "x=$onnx/places/input_0_0.npy"
for c in "check" "bench --count 2" "compile --out $out/no.c" "convert $out/no.hybrid" "convert $out/no.onnx" "convert $out/no"; do
    rm -f "$out"/no.* "$out"/no-*
    set -- $c
    command=$1
    shift
    case $command in convert) try "onnx: no size is taken: $c" 2 convert "$onnx/places/model.onnx" "$@" ;;
    *) try "onnx: no size is taken: $c" 2 "$command" "$onnx/places/model.onnx" "$@" ;; esac
    says "onnx: no size is taken: ${c#*$out}: what is due" " x (?,?,8): give their shapes, --shape x=1,64,8 or --input NAME=FILE$"
    [ -z "$(ls "$out"/no.* "$out"/no-* 2> /dev/null)" ]
    note $? "onnx: no size is taken: ${c#*$out}: nothing is written"
done
try "onnx: show a size that is open" 0 show "$onnx/places/model.onnx"
says "onnx: show a size that is open: a note" "hangs on sizes that are open: x (?,?,8): 1 is taken; --shape"
try "onnx: show what is too small for 1" 2 show "$onnx/detector/model.onnx"
says "onnx: show what is too small for 1: what is due" "give their shapes, --shape image=1,3,64,64"
try "onnx: convert, sizes stay open" 0 convert "$onnx/net/model.onnx" "$out/open.hybrid"
try "onnx: convert, sizes stay open: another" 0 run "$out/open.hybrid" --input x=random:5,2,6,6
prints "onnx: convert, sizes stay open: it runs" "^y_output .*(5,3)"
try "onnx: compile where sizes stay open" 2 compile "$onnx/net/model.onnx" --out "$out/no.c"
says "onnx: compile where sizes stay open: both ways are told" "--shape x=1,2,6,6 or --input x=FILE; missing: x (?,2,6,6)"
try "onnx: values from --input" 0 run "$onnx/values/model.onnx" $(sed -n 's/^input 0 [0-9]* \([a-z]*\) .* \([^ ]*\)$/--input \1=..\/onnx\/values\/\2/p' "$onnx/values/case.txt")
try "onnx: values missing" 2 show "$onnx/values/model.onnx"
says "onnx: values missing: which" "which have to be said: --input "
try "onnx: inputs missing" 2 run "$onnx/places/model.onnx"
says "onnx: inputs missing: which" "inputs are missing: --input x=FILE of shape (?,?,8)"
try "onnx: another shape than the file's" 2 run "$onnx/places/model.onnx" --input x=random:1,12,7
says "onnx: another shape than the file's: both" "its shape is (1,12,7), of the file's input (?,?,8)"
try "numbers that fill inputs of several dims" 0 run "$onnx/added/model.onnx" --input x=1,2,3,4,5,6,7,8,9,10 --input at=0 \
    --input more=1
try "onnx: another rank than the file's" 2 run "$onnx/places/model.onnx" --input x=1,2,3
set -- --input x=random:2,12 --input at=zeros:2,3 --input more=random:2,3
try "onnx: another shape that is not meant" 2 run "$onnx/added/model.onnx" "$@"
try "onnx: another shape that is meant" 0 run "$onnx/added/model.onnx" "$@" --shape x=2,12
try "onnx: ops of a network that ends with values" 1 ops --used "$onnx/detector/model.onnx"

# --- the values that --input gives, for files of MXNet
for c in show check "bench --count 2" "graph --passes --out $out/p.svg"; do
    set -- $c
    command=$1
    shift
    try "$command takes shapes from --input" 0 "$command" bn "$@" --input data=bn-in0.npy
done
try "show takes shapes from --input" 0 show bn --input data=bn-in0.npy
prints "show takes shapes from --input: they go through" "^conv2_fwd .*(2,4,6,6)"
try "compile takes shapes from --input" 0 compile bn --input data=bn-in0.npy --out "$out/bn.c"
try "convert takes none of a program" 2 convert bn "$out/no.hybrid" --shape data=1,3,8,8

# --- files that are none
: > "$out/empty.params"
: > "$out/empty-symbol.json"
head -c 300 bn-symbol.json > "$out/cut-symbol.json"
head -c 100 bn-0000.params > "$out/cut.params"
printf '\033[2Jhello\n' > "$out/text"
for f in "$out/nowhere" "$out" "$out/empty.params" "$out/empty-symbol.json" "$out/cut-symbol.json" "$out/cut.params" "$out/text" ""; do
    for c in "show" "check --shape data=1,3,8,8" "graph --out $out/no.svg" "run --input data=bn-in0.npy"; do
        set -- $c
        name="$1 of ${f##*/}"
        command=$1
        shift
        try "$name" 1 "$command" "$f" "$@"
        says "$name: why" "."
    done
done
try "cut values" 1 run bn --params "$out/cut.params" --input data=bn-in0.npy
says "cut values: where" "byte"
try "values of another model" 1 run bn --params lstm-0000.params --input data=bn-in0.npy

# --- files of 0.3.0: read, run as then, converted and run again
old=../v0.3
for m in mlp.hybrid conv_pair int8.hybrid foreach.hybrid while_pair nested_pair lstm.hybrid; do
    values=$old/${m%.hybrid}.npz
    try "0.3.0: show $m" 0 show $old/$m --input data=$values:in0
    try "0.3.0: run $m" 0 run $old/$m --input data=$values:in0 --output "$out/$m.out"
    try "0.3.0: convert $m" 0 convert $old/$m "$out/old.hybrid"
    try "0.3.0: run $m again" 0 run "$out/old.hybrid" --input data=$values:in0 --output "$out/$m.again"
    if [ -n "$python" ]; then
        "$python" - "$values" "$out/$m.out" "$out/$m.again" <<'Y' 2> "$out/python"
import os, struct, sys, zipfile
def npy(data):
    n = struct.unpack('<H', data[8:10])[0]
    head = eval(data[10:10 + n])
    return head['shape'], struct.unpack('<%df' % ((len(data) - 10 - n) // 4), data[10 + n:])
z = zipfile.ZipFile(sys.argv[1])
want = [npy(z.read(n)) for n in sorted(z.namelist()) if n.startswith('out')]
for folder in sys.argv[2:]:
    files = sorted(os.listdir(folder), key=lambda n: os.path.getmtime(os.path.join(folder, n)))
    got = [npy(open(os.path.join(folder, n), 'rb').read()) for n in files]
    assert sorted(g[0] for g in got) == sorted(w[0] for w in want), (got, want)
    for shape, w in want:
        assert any(g[0] == shape and max([abs(a - b) for a, b in zip(g[1], w)] + [0]) < 1e-5 for g in got), (shape, w)
Y
        note $? "0.3.0: results of $m"
    fi
done
for m in statistic.hybrid statistic_row.hybrid; do
    try "0.3.0: $m is refused" 1 show $old/$m
    says "0.3.0: $m: why" "Mutation target can only be Variable"
done
try "0.3.0: outside.hybrid" 0 run $old/outside.hybrid --input data=ones:3,2 --json
json "0.3.0: outside.hybrid: values" "it['outputs'][0]['max'] == 8"

# --- C source
try "compile" 0 compile bn --shape data=2,3,8,8 --out "$out/bn.c" --header "$out/bn.h"
prints "compile tells what was written" "bn.c: .* bytes"
if command -v cc > /dev/null; then
    cc -w -DBN_TEST "$out/bn.c" -o "$out/bn.run" -lm && "$out/bn.run" | grep -q "bn: right"
    note $? "what compile wrote computes the same"
fi
try "compile without --out" 2 compile bn --shape data=2,3,8,8
try "compile to a name that is no identifier" 1 compile bn --shape data=2,3,8,8 --out "$out/1-2.c"
says "compile to a name that is no identifier: what to do" "prefix"

# --- pipes
"$tool" ops 2> "$out/stderr" | head -1 > /dev/null
[ ! -s "$out/stderr" ]
note $? "a reader that goes away"
if [ -e /dev/full ]; then
    "$tool" ops > /dev/full 2> "$out/stderr"
    note $([ $? = 1 ] && grep -q stdout "$out/stderr"; echo $?) "stdout is full"
fi
