#!/bin/sh
# sh tests/screens.sh window|browser FOLDER OBJECT (the library's): the examples that want more than a C compiler, as a
# user builds them, by the commands that stand in their first lines. Pictures go to $PICTURES, where that is set.
cd "$(dirname "$0")/.." || exit 1
part=$1
out=$2
have() { command -v "$1" > /dev/null 2>&1; }
note() { if [ "$1" = 0 ]; then echo "ok $2"; else echo "FAILED $2"; fi; }
skip() { echo "skipped: examples/$part.c, there is no $1"; exit 0; }

# A game: recorded strokes go through SDL's events. It draws each pixel itself: without -O that takes seconds.
window()
{
    have sdl2-config || skip SDL2
    ${CC:-cc} ${CFLAGS:--O1} -DHYBRID_LINKED examples/window.c "$1" -o "$out/window" $LDFLAGS -lm -lpthread $(sdl2-config --cflags --libs)
    note $? "examples/window.c compiles"
    timeout 100 "$out/window" --frames 200 ${PICTURES:+"$PICTURES/window.bmp"} > "$out/window.log"
    note $? "the window runs"
    grep -q '^200 frames, allocator calls after the first: 0, digits right: \(9\|10\) of 10$' "$out/window.log"
    note $? "the window: $(head -1 "$out/window.log")"
}

# The commands of examples/browser.c, as they stand there.
command_of() { sed -n "s/^ \*     \($1 .*\)/\1/p" examples/browser.c | sed "s|[^ ]*browser.wasm|$out/browser.wasm|; s|digits.html|$out/digits.html|"; }

browser()
{
    for tool in clang wasm-ld base64; do have $tool || skip $tool; done
    for chromium in chromium chromium-browser google-chrome ""; do have "$chromium" && break; done
    [ -n "$chromium" ] || skip chromium
    printf '#include <math.h>\n#include <stdlib.h>\nvoid *_start(void) { return malloc((size_t)sin(2)); }\n' > "$out/wasi.c"
    clang --target=wasm32-wasi -nostartfiles -nodefaultlibs -lc "$out/wasi.c" -o "$out/wasi.wasm" 2> /dev/null || skip wasi-libc

    sh -c "$(command_of clang)"
    note $? "examples/browser.c compiles"
    sh -c "$(command_of base64)"
    note $? "the program is put into a copy of the page"
    bytes=$(wc -c < "$out/browser.wasm")
    zipped=$(gzip -9 < "$out/browser.wasm" | wc -c)
    [ "$bytes" -le 440000 ] && [ "$zipped" -le 180000 ]
    note $? "the program takes $bytes bytes, $zipped of them gzipped"
    [ "$(grep -ao 'wasi_snapshot_preview1.[a-z_]*' "$out/browser.wasm" | cut -c24- | tr '\n' ' ')" = "clock_time_get " ]
    note $? "it asks for nothing but a clock"
    ! grep -v '^[A-Za-z0-9+/=]*$' "$out/digits.html" | grep -qi 'https\?:\|src=\|href=\|url(\|import \|import(\|fetch(\|XMLHttp'
    note $? "the page names no file and no address"
    open="timeout 100 $chromium --headless --no-sandbox --hide-scrollbars"
    $open --dump-dom "file://$out/digits.html#test" > "$out/page.log" 2> "$out/page.errors"
    [ -s "$out/page.log" ] || { tail -3 "$out/page.errors"; skip "chromium that runs"; }
    grep -q '^ *<pre id="report">an empty pad: no answer$' "$out/page.log"
    note $? "the page gives no answer to an empty pad"
    grep -q '^\(9\|10\) of 10 digits are right' "$out/page.log"
    note $? "the page: $(grep -o '^[0-9]* of 10[a-z ]*' "$out/page.log")"
    [ -n "$PICTURES" ] || return
    for width in 390 1280; do
        $open --window-size=$width,1000 --screenshot="$PICTURES/browser.$width.png" "file://$out/digits.html#test" > /dev/null 2>&1
        note $? "pictures of the page, $width wide"
    done
}

"$part" "$3"
