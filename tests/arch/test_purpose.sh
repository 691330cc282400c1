#!/bin/sh
# Every C file says first what it is for, and the checker notices when one does
# not.
set -eu
source=$2
"$source/tools/check-purpose" "$source"

tree=$(mktemp -d purpose.XXXXXX)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/src/io"
file=$tree/src/io/x.c
for text in '#include <stdio.h>' '/* x.c - */' '/* x.c - files. */' ''; do
    printf '%s\nint main(void);\n' "$text" >"$file"
    if "$source/tools/check-purpose" "$tree" >/dev/null; then
        echo "accepted: $text" >&2
        exit 1
    fi
done
printf '/* x.c - tables as files. */\nint main(void);\n' >"$file"
"$source/tools/check-purpose" "$tree"
