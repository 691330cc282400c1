#!/bin/sh
# What pages say is to be run is run, page by page; and the site is built, with
# every link in it leading somewhere (where there is pandoc). Its search finds
# words, from disk, in a browser (where there is one).
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

for browser in chromium chromium-browser google-chrome; do
    command -v $browser >/dev/null || continue
    for asked in 'cross-checked=Glossary: CROSS-CHECKED' 'pelts=Lynx and hare' 'nowhere+to+be+seen=Nothing found'; do
        $browser --headless --no-sandbox --disable-gpu --dump-dom \
            "file://$site/docs/index.html?q=${asked%%=*}" 2>/dev/null |
            grep 'id="found"' | grep -q "${asked#*=}" || {
            echo "the search for ${asked%%=*} should find ${asked#*=}" >&2
            exit 1
        }
    done
    break
done
