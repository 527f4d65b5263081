#!/bin/sh
# Does the generator of random programs (tests/programs.c) see faults? Makes mutants of hybrid.h, each with one
# line changed, and runs the generator on each until it finds one.
#     sh tests/mutants.sh                         40 mutants, 20,000 programs each: minutes to hours
#     sh tests/mutants.sh --seed 7 --count 100    others, more
#     sh tests/mutants.sh --jobs 16               so many at a time
#     sh tests/mutants.sh --from 10 --to 19       these of them, by their numbers (1 to count)
#     sh tests/mutants.sh --list                  only draws them
#     sh tests/mutants.sh --programs 1500 --keep FOLDER      fewer programs; the mutants' programs and logs stay there
#     sh tests/mutants.sh --keep FOLDER --again   those that lie there, not drawn anew; without a compiler
#     sh tests/mutants.sh --begin 0               programs from this number on; 5,000,000, where all there is is drawn
#     sh tests/mutants.sh --seconds 240           no longer for one: it survives if it was not found until then
# A seed means the same mutants for the same hybrid.h and compiler. They lie in the rooms from >>passes to
# >>loops, outside of tables, and are of three kinds, drawn alike: a condition turned (< and <=, == and !=,
# && and ||, an if negated), off by one (+ 1, - 1, 0 and 1), a statement taken out. What does not compile, or is
# the same program, is drawn again. CC is the compiler; tcc, if there is one, which builds at once, but has neither
# threads nor vectors. Programs that fail without any change are looked for first, and passed over.
# A mutant is found where the generator ends otherwise than well: with a program that differs, that crashes, or
# that takes a minute. Prints a line for each, and how many were found.
cd "$(dirname "$0")/.." || exit 1
seed=1 count=40 programs=20000 jobs=1 from=1 to= list= keep= again= seconds=100000 begin=5000000 first=passes last=loops
while [ $# -gt 0 ]; do
    case $1 in
    --seed) seed=$2; shift ;;
    --count) count=$2; shift ;;
    --programs) programs=$2; shift ;;
    --jobs) jobs=$2; shift ;;
    --begin) begin=$2; shift ;;
    --from) from=$2; shift ;;
    --to) to=$2; shift ;;
    --keep) keep=$2; shift ;;
    --list) list=1 ;;
    --again) again=1 ;;
    --seconds) seconds=$2; shift ;;
    *) echo "mutants.sh: no option $1" >&2; exit 2 ;;
    esac
    shift
done
to=${to:-$count}
if [ -z "$CC" ]; then if command -v tcc > /dev/null; then CC="tcc -w"; else CC="cc -O1 -w"; fi; fi
if [ -n "$keep" ]; then
    out=$keep
    mkdir -p "$out" || exit 1
else
    out=$(mktemp -d)
    trap 'rm -rf "$out"' EXIT
fi
out=$(cd "$out" && pwd)

# All mutants there are, in an order that the seed gives: line, kind, and the line as it is then.
candidates()
{
    awk -v seed="$seed" -v want=$((count * 8 + 100)) -v first="$first" -v last="$last" '
    # The line with comments and strings blank, so that places in it are those in the line.
    function code(line,    i, c, d, to, quote) {
        to = ""
        for (i = 1; i <= length(line); i++) {
            c = substr(line, i, 1); d = substr(line, i, 2)
            if (remark) { if (d == "*/") { remark = 0; to = to " "; i++ } to = to " "; continue }
            if (quote != "") {
                if (c == "\\") { to = to " "; i++ } else if (c == quote) quote = ""
                to = to " "; continue
            }
            if (d == "/*") { remark = 1; to = to "  "; i++; continue }
            if (d == "//") break
            if (c == "\"" || c == "\047") { quote = c; to = to " "; continue }
            to = to c
        }
        return to
    }
    function add(kind, text) {
        if (text == $0) return
        number[kind, ++n[kind]] = NR
        becomes[kind, n[kind]] = text
    }
    # Every place of a pattern of fixed length in the code, with what stands there then.
    function each(kind, from, to,    at, k) {
        for (k = 1; (at = index(substr(plain, k), from)) > 0; k = at + 1) {
            at += k - 1
            add(kind, substr($0, 1, at - 1) to substr($0, at + length(from)))
        }
    }
    function negated(    at, i, c, deep) {
        if (!match(plain, /(^| )if \(/)) return
        at = RSTART + RLENGTH
        for (i = at; i <= length(plain); i++) {
            c = substr(plain, i, 1)
            if (c == "(") deep++
            if (c == ")" && deep-- == 0) {
                add("condition", substr($0, 1, at - 1) "!(" substr($0, at, i - at) ")" substr($0, i))
                return
            }
        }
    }
    # A number that stands alone.
    function literals(from, to,    i, before, after) {
        for (i = 2; i <= length(plain); i++)
            if (substr(plain, i, 1) == from) {
                before = substr(plain, i - 1, 1); after = substr(plain, i + 1, 1)
                if (before ~ /[A-Za-z0-9_.]/ || after ~ /[A-Za-z0-9_.]/) continue
                add("one", substr($0, 1, i - 1) to substr($0, i + 1))
            }
    }
    function random() { state = (state * 16807) % 2147483647; return state / 2147483647 }
    $0 ~ "^/\\* MARK: - [0-9]+ >>" {
        split($0, word, ">>")
        split(word[2], name, " ")
        room = name[1]
        if (room == first) inside = 1
    }
    !inside { next }
    ended && room != last { exit }
    {
        if (room == last) ended = 1
        plain = code($0)
        whole = before ~ /([;{}:)]|else|do)$/ || before == ""
        was = macro
        macro = (plain ~ /^ *#/ || macro) && plain ~ /\\$/
        tidy = plain
        sub(/ +$/, "", tidy)
        if (was || plain ~ /^ *#/ || plain !~ /^ /) { if (tidy != "" && plain !~ /^ *#/) before = tidy; next }
        if (plain ~ /^ *[{]/) { before = tidy; next }    # a row of a table
        each("condition", " < ", " <= "); each("condition", " <= ", " < ")
        each("condition", " > ", " >= "); each("condition", " >= ", " > ")
        each("condition", " == ", " != "); each("condition", " != ", " == ")
        each("condition", " && ", " || "); each("condition", " || ", " && ")
        negated()
        each("one", " + 1", " + 2"); each("one", " - 1", " - 2")
        each("one", " + 1", " + 0"); each("one", " - 1", " - 0")
        literals("0", "1"); literals("1", "0")
        if (whole && tidy ~ /;$/ && tidy !~ /[{}]/ &&
            tidy !~ /^ *(return|break|continue|goto|case|default|if|for|while|else|do|switch)/ &&
            tidy !~ /^ *[A-Za-z_][A-Za-z_0-9]* +\**[A-Za-z_]/ && tidy !~ /^ *\(void\)/) {
            match($0, /^ */)
            add("removed", substr($0, 1, RLENGTH) ";")
        }
        if (tidy != "") before = tidy
    }
    END {
        split("condition one removed", kinds, " ")
        state = seed * 7919 + 17
        for (k = 0; k < 20; k++) random()
        for (k = 0; k < want; k++) {
            kind = kinds[1 + int(random() * 3)]
            at = 1 + int(random() * n[kind])
            if ((kind, at) in taken) continue
            taken[kind, at] = 1
            print number[kind, at] "\t" kind "\t" becomes[kind, at]
        }
    }' hybrid.h
}

# Those that compile and are other programs, numbered.
draw()
{
    k=0
    mkdir -p "$out/src" && cp -r tests tools "$out/src/" || exit 1
    cp hybrid.h "$out/src/"
    (cd "$out/src" && $CC tests/programs.c -o "$out/whole" -lm -lpthread) || exit 1
    while [ $k -lt "$count" ] && IFS= read -r line; do
        printf '%s\n' "$line" | awk '
            NR == FNR {
                at = index($0, "\t")
                number = substr($0, 1, at - 1)
                $0 = substr($0, at + 1)
                text = substr($0, index($0, "\t") + 1)
                next
            }
            FNR == number { print text; next }
            { print }' - hybrid.h > "$out/src/hybrid.h"
        (cd "$out/src" && $CC tests/programs.c -o "$out/new" -lm -lpthread) > /dev/null 2>&1 || continue
        cmp -s "$out/new" "$out/whole" && continue
        k=$((k + 1))
        mv "$out/new" "$out/mutant$k"
        printf '%s\t%s\n' "$k" "$line" >> "$out/list"
    done
    rm -rf "$out/src"
}

# Programs that fail as it is count for no mutant.
unchanged()
{
    step=$(((programs + jobs - 1) / jobs)) j=0
    while [ $j -lt "$jobs" ]; do
        (cd "$out" && ./whole --whole --from $((begin + j * step)) --to $((begin + (j + 1) * step)) > "whole$j" 2>&1) &
        j=$((j + 1))
    done
    wait
    sed -n 's/^    program \([0-9]*\), way .*/\1/p' "$out"/whole[0-9]* | sort -un > "$out/known"
    [ -s "$out/known" ] && echo "fail unchanged, and are passed over: $(tr '\n' ' ' < "$out/known")"
}

# One mutant: a line of what came of it.
try() # number
{
    (
        cd "$out" && ulimit -v 8000000
        at=$begin code=1 end=$(($(date +%s) + seconds)) past=$((begin + programs))
        : > "log$1"
        while [ $code = 1 ] && [ $at -lt $past ]; do
            timeout $((end - $(date +%s) + 1)) \
                "./mutant$1" --hunt --from $at --to $past > "part$1" 2>&1
            code=$?
            at=$(sed -n '/^[0-9][0-9]*$/h; ${g; p;}' "part$1")
            at=${at:-$begin}
            if [ $code != 1 ] || ! grep -qx "$at" known; then
                cat "part$1" >> "log$1"
                break
            fi
            grep '^[0-9]*$' "part$1" >> "log$1"
            at=$((at + 1)) code=1
            if [ $at -ge $past ] || [ "$(date +%s)" -ge "$end" ]; then code=0; break; fi
        done
        echo $code > "code$1"
    )
    awk -F '\t' -v k="$1" -v code="$(cat "$out/code$1")" -v begin="$begin" '
        FILENAME ~ /list$/ {
            if ($1 != k) next
            line = $2
            kind = $3
            text = $0
            for (i = 0; i < 3; i++) sub(/^[^\t]*\t/, "", text)
            sub(/^ +/, "", text)
            next
        }
        FILENAME ~ /hybrid.h$/ { if (FNR == line) { was = $0; sub(/^ +/, "", was) } next }
        /^[0-9]+$/ { number = $0 - begin }
        /^    program [0-9]+, way / { if (way == "") way = $0; sub(/.*way /, "", way) }
        END {
            if (code == 0 || code == 124) printf "%2d  SURVIVES %d programs", k, number + 1
            else {
                if (code > 1) way = (code == 142 || code == 155 ? "hangs" : "ends with " code) ": " way
                printf "%2d  found after %d programs (%s)", k, number + 1, way
            }
            printf "  line %d, %s\n      %s\n   -> %s\n", line, kind, was, text
        }' "$out/list" hybrid.h "$out/log$1" > "$out/says$1"
    cat "$out/says$1"
}

if [ -z "$again" ]; then
    rm -f "$out/list" "$out/known"
    candidates > "$out/all" || exit 1
    draw < "$out/all"
fi
if [ -n "$list" ]; then cat "$out/list"; exit; fi
[ -e "$out/known" ] || unchanged
j=0
while [ $j -lt "$jobs" ]; do
    (k=$((from + j)); while [ $k -le "$to" ]; do try $k; k=$((k + jobs)); done) &
    j=$((j + 1))
done
wait
tried=0 found=0 k=$from
while [ $k -le "$to" ]; do
    [ -e "$out/says$k" ] && tried=$((tried + 1))
    grep -q '^ *[0-9]* *found' "$out/says$k" 2> /dev/null && found=$((found + 1))
    k=$((k + 1))
done
echo "$found of $tried mutants found within $programs programs (seed $seed)"
