#!/bin/sh
# docs/architecture.md names every folder of the library, and no folder or file
# that is not there.
set -eu
source=$2
cd "$source"
map=docs/architecture.md
bad=0
complain() {
    echo "$map: $1" >&2
    bad=1
}

named=$(grep -o '`[^`]*`' $map | tr -d '`')
# A part of a folder may stand in its folder's row: `external/`.
for folder in $(find src -name '*.c' | sed 's|/[^/]*$||' | sort -u); do
    printf '%s\n' "$named" | grep -qxF -e "$folder" -e "${folder##*/}/" ||
        complain "does not name $folder"
done
rows=$(grep '^| `' $map)
printf '%s\n' "$rows" | while IFS='|' read -r _ folders _ begin _; do
    first=
    for folder in $(printf '%s\n' "$folders" | grep -o '`[^`]*`' | tr -d '`'); do
        [ -d "$folder" ] || complain "names $folder, which is not there"
        first=${first:-$folder}
    done
    for file in $(printf '%s\n' "$begin" | grep -o '`[^`]*`' | tr -d '`'); do
        [ -e "$file" ] || [ -e "$first/$file" ] || [ -e "include/bnre/$file" ] ||
            complain "says to begin with $file, which is not in $first"
    done
    [ $bad = 0 ]
done || bad=1
exit $bad
