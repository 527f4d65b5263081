#!/bin/sh
# sh tools/rooms.sh: keeps the house in order. Each room of hybrid.h names only what stands above it, stays under its
# ceiling, and has its tag once in the index and once in its banner, in order. Long lines fail; long functions are listed.
cd "$(dirname "$0")/.." || exit 1
h=hybrid.h
bad=0
say() { echo "rooms: $*"; bad=1; }
tmp=${TMPDIR:-/tmp}/rooms.$$
mkdir -p "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT

ceilings="door 110 manual 400 config 120 types 350 catalogue 1100 api 660 cpp 120 platform 900 memory 560 frame 900 threads 500
shape 450 array 1100 kernels 5500 ops 9200 invoke 1270 graph 990 passes 1800 plan 960 execute 1600 trace 1330 block 2010
gradient 790 autograd 710 layers 1300 recurrent 700 check 500 train 800 files 2190 symbol 1600 save 1440 profile 400 end 120"

awk 'length($0) > 110 { printf "%d: %d columns\n", NR, length($0); n++ } END { exit n > 0 }' $h > "$tmp/long" ||
    say "lines over 110 columns: $(wc -l < "$tmp/long"), the first at line $(head -1 "$tmp/long")"

grep -n '^/\* MARK: - [0-9][0-9] >>' $h | sed 's/^\([0-9]*\):.*>>\([a-z]*\).*/\1 \2/' > "$tmp/rooms"
echo "$(($(wc -l < $h) + 1)) bottom" >> "$tmp/rooms"
previous=""
while read -r line tag; do
    if [ -n "$previous" ]; then
        size=$((line - from))
        ceiling=$(echo $ceilings | tr ' ' '\n' | grep -A1 -x "$previous" | tail -1)
        printf '%6d  of %5s  %s\n' "$size" "${ceiling:-?}" "$previous" >> "$tmp/sizes"
        [ -n "$ceiling" ] || say "room $previous has no ceiling here"
        [ -z "$ceiling" ] || [ "$size" -le "$ceiling" ] || say "room $previous has $size lines, its ceiling is $ceiling"
        [ "$(grep -c ">>$previous " $h)" -ge 2 ] || say "tag >>$previous is not in the index"
    fi
    previous=$tag
    from=$line
done < "$tmp/rooms"
[ "$1" = -v ] && cat "$tmp/sizes"

# The wall: the file up to each banner of the implementation compiles and needs no hy_ symbol from below.
first=$(grep -n 'defined(HYBRID_IMPLEMENTATION)' $h | head -1 | cut -d: -f1)
doors=$(sed -n '/enum {/,/};/p' $h | grep -c HY_UNARY_OPS)
[ "$doors" -ge 1 ] || say "the operator numbers are gone"
gcc -E -DHYBRID_IMPLEMENTATION -P $h > /dev/null 2> "$tmp/cpp" || say "the header does not preprocess: $(head -1 "$tmp/cpp")"
wall() { # line, tag: what is wrong, if anything
    head=$tmp/$2
    mkdir "$head"
    { head -n $(($1 - 1)) $h; echo '#endif'; } > "$head/head.h"
    printf '#define HYBRID_IMPLEMENTATION\n#include "head.h"\n' > "$head/head.c"
    if ! gcc -std=gnu11 -O0 -w -DHYBRID_NO_SIMD -fkeep-static-functions -fkeep-inline-functions -I"$head" -c "$head/head.c" \
        -o "$head/head.o" 2> "$head/errors"; then
        echo "rooms: the file up to >>$2 does not compile: $(grep -m1 error "$head/errors")"
        return
    fi
    debts=$(nm -u "$head/head.o" | grep -o 'hy_[a-z0-9_]*' | tr '\n' ' ')
    [ -z "$debts" ] || echo "rooms: above >>$2, names from below are used: $debts"
}
running=0
while read -r line tag; do
    [ "$line" -gt "$first" ] && [ "$tag" != platform ] && [ "$tag" != bottom ] || continue
    wall "$line" "$tag" > "$tmp/$tag.wall" &
    running=$((running + 1))
    [ $((running % 4)) != 0 ] || wait
done < "$tmp/rooms"
wait
cat "$tmp"/*.wall > "$tmp/walls"
cat "$tmp/walls"
[ ! -s "$tmp/walls" ] || bad=1

# Long functions: 60 lines, 120 in >>kernels.
awk '/^\/\* MARK: - [0-9][0-9] >>/ { limit = /kernels/ ? 120 : 60 }
     /^[a-zA-Z].*\)$|^[a-zA-Z].*,$/ { if (!open) { name = $0; start = NR } }
     /^\{$/ { open = 1; start = NR }
     /^\}/ { if (open && NR - start > limit) printf "rooms: %d lines at line %d: %s\n", NR - start, start, name; open = 0 }' $h > "$tmp/functions"
cat "$tmp/functions"
[ ! -s "$tmp/functions" ] || bad=1
exit $bad
