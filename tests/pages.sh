#!/bin/sh
# sh tests/pages.sh FOLDER TOOL [LIBRARY]: makes pages of every kind in FOLDER, with names that would be markup, and
# opens them in chromium (tests/pages.py). TOOL is tools/hybrid.c, LIBRARY an object to link with where there is no tcc.
# PICTURES=folder takes pictures of them. "ok ..." and "FAILED ..." lines; one that begins with "skipped", if there is
# no chromium.
cd "$(dirname "$0")/.." || exit 1
out=$1
tool=$2
library=$3
have() { command -v "$1" > /dev/null 2>&1; }
note() { if [ "$1" = 0 ]; then echo "ok pages: $2"; else echo "FAILED pages: $2"; fi; }
build() { # source, program
    if have tcc; then tcc -w "$1" -o "$2" -lm -lpthread
    elif [ -n "$library" ]; then ${CC:-cc} -O0 -DHYBRID_LINKED "$1" "$library" -o "$2" -lm -lpthread
    else ${CC:-cc} -O0 -w "$1" -o "$2" -lm -lpthread
    fi
}

have chromium || have chromium-browser || have google-chrome || { echo "skipped: pages, there is no chromium"; exit 0; }
have python3 || { echo "skipped: pages, there is no python3"; exit 0; }
mkdir -p "$out" || exit 1
[ -z "$PICTURES" ] || mkdir -p "$PICTURES"
build tests/pages.c "$out/pages"
note $? "tests/pages.c builds"
(cd "$out" && ./pages > list)
note $? "pages of hy_fit are written"
"$tool" graph "$out/deep.hybrid" --out "$out/deep.html" > "$out/deep.log"
grep -q '184 nodes, 243 edges; 19 drawn' "$out/deep.log"
note $? "of twelve layers that are alike one is drawn"
"$tool" graph "$out/deep.hybrid" --whole --out "$out/whole.svg" > /dev/null &&
    [ "$(grep -c '<g><title>' "$out/whole.svg")" = 184 ] && ! grep -q '× 12' "$out/whole.svg"
note $? "--whole draws all of them"
"$tool" graph "$out/deep.hybrid" --out "$out/deep.svg" > /dev/null && [ "$(grep -c '<g><title>' "$out/deep.svg")" = 19 ] &&
    grep -q '× 12</text>' "$out/deep.svg" && ! grep -q '<script' "$out/deep.svg"
note $? "a .svg says how often a block is there, and runs nothing"
"$tool" graph "$out/near.hybrid" --out "$out/near.svg" > "$out/near.log" && ! grep -q drawn "$out/near.log"
note $? "blocks whose values are used elsewhere are drawn each"
"$tool" graph "$out/names.hybrid" --out "$out/names.html" > /dev/null &&
    "$tool" graph "$out/deep.hybrid" --passes --shape data=2,8 --out "$out/passes.html" > /dev/null
note $? "pages of graphs are written"
"$tool" run "$out/deep.hybrid" --input data=ones:2,8 --profile "$out/profile.html" > /dev/null &&
    "$tool" bench "$out/names.hybrid" --shape data=2,8 --count 3 --profile "$out/profile-names.html" > /dev/null
note $? "pages of profiles are written"
build tools/bench.c "$out/bench"
note $? "tools/bench.c builds"
some="mlp_b1 lenet_b1 fancy_4 gemm_64"
"$out/bench" --quick --threads 1 --lines $some | sed "s/hybrid.h-/<img src=x onerror=ran=1>\"'\&lt;-/" > "$out/peers"
"$out/bench" --quick --threads 1 --json --peers "$out/peers" --html "$out/bench.html" $some > "$out/bench.json"
note $? "the page of the benchmark is written"
cat >> "$out/list" << 'END'
["profile.html", "Profile of deep.hybrid", "fully_connected", "compile", "trace", "softmax\t12\t", "layer_norm\t24\t"]
["profile-names.html", "Profile of names.hybrid", "layer_norm", "\\u003c/script\\u003e\\u003cimg src=x onerror=ran=1\\u003e"]
["deep.html", "deep.hybrid", "\u00d7 12", "layernorm0", "num_hidden 64", "dense73_fwd_output"]
["names.html", "names.hybrid", "\u00d7 2", "</script><img src=x onerror=ran=1>\"'&lt;\u202eesrever"]
["passes.html", "deep.hybrid, after the passes", "\u00d7 12"]
END
# Each time as the page has it: three digits and a unit.
python3 - "$out" >> "$out/list" << 'END'
import json, sys
def short(s):
    unit, scale = next((u, k) for u, k in (("s", 1), ("ms", 1e3), ("us", 1e6), ("ns", 1e9)) if s * k >= 1)
    return "%.*f %s" % (2 if s * scale < 10 else 1 if s * scale < 100 else 0, s * scale, unit)
results = json.load(open(sys.argv[1] + "/bench.json"))["results"]
print(json.dumps(["bench.html", "hybrid.h benchmark", "<img src=x onerror=ran=1>\"'&lt;-"] +
                 [r["workload"] for r in results] + [short(r["seconds"]) for r in results]))
END
python3 tests/pages.py "$out"
note $? "all pages were opened"
