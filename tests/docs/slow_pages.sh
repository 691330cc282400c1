#!/bin/sh
# What pages say is to be run is run, page by page, and the simulator in R (where
# there is R); and the site is built, with
# every link in it leading somewhere (where there is pandoc). Its search finds
# words, from disk, in a browser (where there is one).
set -eu
build=$1 source=$2
"$source/tools/check-pages" --run "$build/bnre" "$source"
site=$(mktemp -d "$PWD/site.XXXXXX")
trap 'rm -rf "$site"' EXIT
if command -v Rscript >/dev/null; then
    sed -n '/^<!-- file: sim.R/,/^```$/p' "$source/docs/your-simulator.md" | sed '1,2d; $d' >"$site/sim.R"
    printf '%s\n' 'parameters: {mean: "normal(0, 3)", sd: "log_uniform(0.1, 10)"}' 'observable: [5]' \
        'simulator: {command: [Rscript, sim.R], timeout: 60}' >"$site/task.yaml"
    (cd "$site" && "$build/bnre" simulate --task task.yaml --count 20 --workers 1 -o pairs.csv --quiet)
    if [ "$(wc -l <"$site/pairs.csv")" -ne 21 ] || grep -qi nan "$site/pairs.csv"; then
        echo 'the simulator in R should give 20 rows' >&2
        exit 1
    fi
fi
command -v pandoc >/dev/null || exit 0
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
