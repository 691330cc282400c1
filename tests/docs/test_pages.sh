#!/bin/sh
# Pages name commands, options, targets and headings that exist, and the
# glossary has every word of the program; the checker notices what does not.
set -eu
build=$1 source=$2
"$source/tools/check-pages" "$build/bnre" "$source"

tree=$(mktemp -d "$PWD/pages.XXXXXX")
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/docs" "$tree/cli"
echo 'run:' >"$tree/GNUmakefile"
: >"$tree/README.md"
page=$tree/docs/page.md
refused() { # TEXT WORDS: a page with this text is refused with these words
    printf '# Page\n\n%b\n' "$1" >"$page"
    if "$source/tools/check-pages" "$build/bnre" "$tree" >"$tree/said" 2>&1 ||
        ! grep -q "$2" "$tree/said"; then
        echo "accepted: $1" >&2
        cat "$tree/said" >&2
        exit 1
    fi
}
echo '**CERTIFIED**' >"$tree/docs/glossary.md"
refused '<!-- run -->\n```sh\nbnre train --date x.h5\n```' 'no option --date'
refused '```sh\nbnre tasks\n```' 'nothing says why'
refused '<!-- not run: -->\n```sh\nbnre tasks\n```' 'nothing says why'
refused '<!-- run by: tests/nobody.sh -->\n```sh\nbnre tasks\n```' 'nobody.sh is not'
refused '```sh\nbnre trian --data x.h5\n```' 'no command bnre trian'
refused '    bnre tasks' 'which nobody runs'
refused '```\nbnre tasks\n```' 'which nobody runs'
refused 'Say `bnre train --date x.h5`.' 'no option --date'
refused '```sh\nmake walk\n```' 'no target walk'
refused '[there](nowhere.md)' 'nowhere.md is not there'
refused '[there](page.md#nowhere)' 'no heading #nowhere'
echo 'print("  weight   "); x = "UNCERTIFIED";' >"$tree/cli/x.c"
refused 'Fine.' 'lacks UNCERTIFIED'
refused 'Fine.' 'lacks "weight"'
rm "$tree/cli/x.c"
mkdir -p "$tree/src/study"
cp "$source/src/study/keys.c" "$tree/src/study"
echo '| `repeats` | 2 | runs |' >"$tree/docs/studies.md"
refused 'Fine.' 'repeats is 1 by default, not 2'
rm -r "$tree/docs/studies.md" "$tree/src"
printf '# Page\n\n<!-- run -->\n```sh\nbnre train --data x.h5  # so\nmake run\n```\n[here](#page)\n' >"$page"
"$source/tools/check-pages" "$build/bnre" "$tree"

# What a page says is printed is printed, numbers within a fifth.
mkdir -p "$tree/studies" "$tree/examples" "$tree/tools"
says() { # TEXT
    printf '# Page\n\n<!-- run -->\n```sh\necho "rate  6.1  to  14"; \n```\n\n<!-- printed -->\nSo: `%s`.\n' "$1" >"$page"
    "$source/tools/check-pages" --run "$build/bnre" "$tree" >"$tree/said" 2>&1
}
says 'rate 6.0 to 13.1' || { cat "$tree/said" >&2; exit 1; }
if says 'rate 4.1 to 13.1' || says 'width 6.1' || says ''; then
    echo 'accepted: what is not printed' >&2
    exit 1
fi
