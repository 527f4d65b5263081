#!/bin/sh
# sh tools/rooms.sh [-v]: keeps the order of hybrid.h. Each room, and behind them those of tools/source.h, uses only what
# stands above it, and has its tag once in the index and once in its banner. Long lines fail, those of the generator of
# random programs (tests/programs*) too, and long functions; pasted code is counted. -v: the lines of each room.
cd "$(dirname "$0")/.." || exit 1
h=hybrid.h
source=tools/source.h
behind=1000000                      # the lines of $source are counted from here
bad=0
say() { echo "rooms: $*"; bad=1; }
tmp=${TMPDIR:-/tmp}/rooms.$$
mkdir -p "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT

awk 'length($0) > 110 { printf "%s:%d: %d columns\n", FILENAME, FNR, length($0); n++ } END { exit n > 0 }' \
    $h $source tests/programs* > "$tmp/long" ||
    say "lines over 110 columns: $(wc -l < "$tmp/long"), the first is $(head -1 "$tmp/long")"

awk -v behind=$behind '
    /^\/\* MARK: - [0-9][0-9] >>/ { sub(/^>>/, "", $5); print FNR + (NR != FNR) * behind, $5 }
    NR == FNR { last = FNR }
    NR != FNR && FNR == 1 { print last + 1, "bottom" }
    END { print FNR + 1 + behind, "bottom" }' $h $source > "$tmp/rooms"
previous=""
while read -r line tag; do
    if [ -n "$previous" ] && [ "$previous" != bottom ]; then
        size=$((line - from))
        printf '%6d  %s\n' "$size" "$previous" >> "$tmp/sizes"
        [ "$(cat $h $source | grep -c ">>$previous ")" -ge 2 ] || say "tag >>$previous is not in the index"
    fi
    previous=$tag
    from=$line
done < "$tmp/rooms"
[ "$1" = -v ] && cat "$tmp/sizes"

# Words that gave way to those of the field.
grep -nE '\b(aims|sill|encores?|crew(s|man)?|twins?|lone|abreast)\b|(hy__|HY__)[A-Za-z0-9_]*(sill|encore|crew|twin|abreast|ABREAST|aims)|->house\b' \
    $h $source > "$tmp/words" && say "$(head -1 "$tmp/words" | cut -c1-100): a word that went"

# The wall: compiled once with a section for every function and table, no section refers to one whose line lies in a
# room below. What stands in front of the code may: the prototypes are there.
doors=$(sed -n '/enum {/,/};/p' $h | grep -c HY_UNARY_OPS)
[ "$doors" -ge 1 ] || say "the operator numbers are gone"
awk '/^#[ ]*if/ { depth++ } /^#[ ]*endif/ { depth-- }
     /^\/\* MARK: - 10 / { floor = depth } /^\/\* MARK: - [1-9][0-9] / && depth != floor { print $5; n++ }
     END { exit n > 0 }' $h > "$tmp/open" || say "an #if is open across the banner of $(head -1 "$tmp/open")"
printf '#define HYBRID_IMPLEMENTATION\n#include "%s"\n' "$PWD/$h" > "$tmp/all.c"
if gcc -std=gnu11 -O0 -g -w -DHYBRID_SOURCE -DHYBRID_NO_SIMD -Dalways_inline=noinline -fkeep-static-functions -fkeep-inline-functions \
    -fkeep-static-consts -ffunction-sections -fdata-sections -c "$tmp/all.c" -o "$tmp/all.o" 2> "$tmp/errors"; then
    { sed 's/^/room /' "$tmp/rooms"; nm -l "$tmp/all.o"; objdump -t -r "$tmp/all.o"; } > "$tmp/object"
    awk -v behind=$behind '$1 == "room" { from[++rooms] = $2; tag[rooms] = $3; if ($3 == "platform") code = $2; next }
         /^[0-9a-f]+ [a-zA-Z] .*:[0-9]+$/ { later = $NF ~ /\/source\.h:/; sub(/.*:/, "", $NF)
                                            line[$3] = $NF + later * behind; symbols++; next }
         /^[0-9a-f]+ ......[FO] / && $NF in line { line[$(NF - 2)] = line[$NF]; next }     # section, size, symbol
         /^RELOCATION/ { user = substr($4, 2, length($4) - 3); next }                      # for [section]:
         / R_/ { used = $3; sub(/[-+]0x[0-9a-f]+$/, "", used)
                 if (!(user in line) || !(used in line)) next
                 uses++
                 above = room(line[user]); below = room(line[used])
                 if (line[user] < code || above >= below || told[user, used]++) next
                 sub(/^\.[a-z.]*\./, "", used)
                 if (used == "hy__jit_graph") next      # the third door
                 printf "rooms: line %d in >>%s uses %s of >>%s\n", line[user], tag[above], used, tag[below] }
         function room(at,  i) { for (i = rooms; i > 1 && from[i] > at; i--) ; return i }
         END { if (symbols < 3000 || uses < 10000) printf "rooms: only %d symbols, %d uses seen\n", symbols, uses }' \
        "$tmp/object" > "$tmp/walls" || say "the wall could not be looked at"
else
    echo "rooms: $h does not compile: $(grep -m1 error "$tmp/errors")" > "$tmp/walls"
fi
cat "$tmp/walls"
[ ! -s "$tmp/walls" ] || bad=1

# Long functions: 60 lines, 120 among loops over numbers.
awk 'BEGIN { limit = 60 } /^HY__LOOPS_BEGIN/ { limit = 120 } /^HY__(COLD|MILD)_ROOMS|^HY__LOOPS_END|^\/\* MARK: - [0-9]/ { limit = 60 }
     /^[a-zA-Z].*\)$|^[a-zA-Z].*,$/ { if (!open) { name = $0; start = FNR } }
     /^\{$/ { open = 1; start = FNR }
     /^\}/ { if (open && FNR - start > limit) printf "rooms: %d lines at %s:%d: %s\n", FNR - start, FILENAME, start, name; open = 0 }' $h $source > "$tmp/functions"
cat "$tmp/functions"
[ ! -s "$tmp/functions" ] || bad=1

# Pasted code, which no debugger steps through and no grep finds: lines that end in a backslash, outside of the catalogue
# and of lists that grow with each operator or optimiser, and macros that define a function of more than 15 lines. Both
# bounds only ever go down.
pasted_lines=568
pasted_functions=0
awk '/^\/\* MARK: - [0-9][0-9] >>/ { tag = $5 }
     tag == ">>catalogue" { next }
     /^#[ ]*define / { list = $2 ~ /^HY__(UPDATES|OPTIMS|REF_[A-Z]+|NEEDS_[A-Z]+)\(/ }
     /\\$/ && !list { lines++ }
     !/\\$/ { list = 0 }
     !open && /^#[ ]*define .*\\$/ { open = 1; depth = inside = found = 0; name = $2; sub(/\(.*/, "", name); start = FNR; before = ")" }
     open { text = $0; sub(/[ ]*\\$/, "", text)
            if (!depth && text ~ /^[ ]*\{$/ && before ~ /[)A-Z]$/) { inside = 1; from = FNR }
            depth += gsub(/\{/, "{", text) - gsub(/\}/, "}", text)
            if (!depth && inside) { if (FNR - from - 1 > 15) found = FNR - from - 1; inside = 0 }
            if (text != "") before = text
            if (!/\\$/) { open = 0; if (found) printf "%d lines in a function of %s, line %d\n", found, name, start } }
     END { print lines + 0 }' $h > "$tmp/pasted"
lines=$(tail -1 "$tmp/pasted")
functions=$(($(wc -l < "$tmp/pasted") - 1))
[ "$lines" -le $pasted_lines ] || say "$lines lines outside of the catalogue end in a backslash, $pasted_lines may"
[ "$functions" -le $pasted_functions ] ||
    { sed '$d' "$tmp/pasted"; say "$functions macros define functions of more than 15 lines, $pasted_functions may"; }
[ "$1" = -v ] && { sed '$d' "$tmp/pasted"; echo "pasted: $lines lines, $functions macros with long functions"; }

# What passes ask of an operator stands in its row: the rooms from >>graph to >>loops name operators seldom. Counted are
# HY_OP_x, names of operators in quotes, and calls of short functions that test for one, outside of the table of patterns.
named=29                           # may only go down
awk 'NR == FNR && /^    (U|B|S|R|OP|OPT|OWN|OWN_OPT)\([a-z_]/ { split($0, word, /[(,]/); name["\"" word[2] "\""] = 1; next }
     NR == FNR { if (/^static .*hy__[a-z0-9_]*\(/) { match($0, /hy__[a-z0-9_]*\(/); f = substr($0, RSTART, RLENGTH - 1); from = FNR; tests = 0 }
                 if (/[!=]= *[^ ]*HY_OP_[a-z_]/) tests++
                 if (/^}/ && tests == 1 && FNR - from <= 10) helper[f] = 1
                 next }
     /^\/\* MARK: - / { tag = $5; if (tag == ">>graph") on = 1; if (tag == ">>einsum") on = 0 }
     /^static const hy__pattern hy__patterns/ { table = 1 } /^};/ { table = 0 }
     on && !table && !/^#define/ { n = gsub(/HY_OP_[a-z_]/, "&"); text = $0
         while (match(text, /"[a-z_0-9]+"/)) { n += substr(text, RSTART, RLENGTH) in name; text = substr(text, RSTART + RLENGTH) }
         text = $0; while (match(text, /hy__[a-z0-9_]*\(/)) { n += !/^static/ && substr(text, RSTART, RLENGTH - 1) in helper; text = substr(text, RSTART + RLENGTH) }
         count[tag] += n; all += n }
     END { for (tag in count) if (count[tag]) printf "%6d operators named in %s\n", count[tag], tag; print all }' $h $h > "$tmp/named"
[ "$1" = -v ] && sed '$d' "$tmp/named" | sort -rn
[ "$(tail -1 "$tmp/named")" -le $named ] || say "$(tail -1 "$tmp/named") operators are named in the rooms graph to loops; at most $named may be"
exit $bad
