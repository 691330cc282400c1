#!/bin/sh
# What pages say is to be run is run, page by page; and the site is built, with
# every link in it leading somewhere (where there is pandoc).
set -eu
build=$1 source=$2
"$source/tools/check-pages" --run "$build/bnre" "$source"
command -v pandoc >/dev/null || exit 0
site=$(mktemp -d "$PWD/site.XXXXXX")
trap 'rm -rf "$site"' EXIT
"$source/tools/make-docs" "$build/bnre" "$source" "$site/docs"
for page in index first-posterior glossary questions bnre-train bnre-infer; do
    grep -q '<h1' "$site/docs/$page.html" || {
        echo "$page.html has no heading" >&2
        exit 1
    }
done
grep -q '"CROSS-CHECKED\|CROSS-CHECKED:' "$site/docs/search-index.js"
