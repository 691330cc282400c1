#!/bin/sh
# The tables of docs/reproduction.md are those that tools/reproduction makes of the rows that are kept; and rows of
# several files come together, with those that are not done left out.
set -eu
source=$2
command -v python3 >/dev/null || exit 0
files=$(ls "$source"/docs/reproduction/*.csv | grep -v '/published\|/cross-checked')
# shellcheck disable=SC2086
"$source/tools/reproduction" $files | grep '^| ' | while read -r line; do
    grep -qF -- "$line" "$source/docs/reproduction.md" || {
        echo "docs/reproduction.md lacks: $line" >&2
        exit 1
    }
done

rows=$(mktemp -d "$PWD/rows.XXXXXX")
trap 'rm -rf "$rows"' EXIT
head -4 "$source/docs/reproduction/weinberg.csv" >"$rows/three.csv"
awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "auc") auc = i } NR == 3 { $auc = "" } { print }' \
    "$rows/three.csv" >"$rows/two.csv"
"$source/tools/reproduction" --keep "$rows/three.csv" "$rows/two.csv" >"$rows/all.csv"
[ "$(cut -d, -f1 "$rows/all.csv" | tr '\n' ' ')" = 'repeat 1 2 3 4 5 ' ] || {
    echo 'runs of two files should be numbered through' >&2
    exit 1
}
