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
python3 tests/pages.py "$out"
note $? "all pages were opened"
