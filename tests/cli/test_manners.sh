#!/bin/sh
# What comes from the tables besides help: manual pages, completion, results as
# JSON; and what `doctor` says.
. "$(dirname "$0")/lib.sh"

commands=$("$bnre" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ -n "$commands" ] || fail 'there are commands'

# Every option of every command, in every shell and in the manual.
for shell in bash zsh fish; do
    run completion $shell
    exits 0
    cp .out $shell
done
holds bash -n bash
flags() { grep -o -- '--[a-z-]*[a-z]' | sort -u; }
flags <bash >in-bash
flags <zsh >in-zsh
for command in $commands; do
    run manual "$command"
    exits 0
    sed 's/\\-/-/g' .out | flags >in-page
    sed -n "s/.*from $command' -l \([a-z-]*\) .*/--\1/p" fish | sort -u >in-fish
    run $command --help-all
    sed -n 's/^  \(-o, \)\{0,1\}\(--[a-z-]*\).*/\2/p' .out |
        grep -vx -e --help -e --help-all | sort -u >options
    for place in bash zsh fish page; do
        missing=$(comm -23 options in-$place)
        [ -z "$missing" ] || fail "$place lacks $command $missing"
    done
done
# bash offers commands, options and words.
offers() { # WORD...: the last is being written
    bash -c '. ./bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _bnre
        echo "${COMPREPLY[@]}"' - "$@"
}
[ "$(offers bnre tra)" = train ] || fail 'bash should offer train'
[ "$(offers bnre train --batch)" = --batch-size ] ||
    fail 'bash should offer --batch-size'
case $(offers bnre train --method '') in
*bnpe*) ;;
*) fail 'bash should offer methods' ;;
esac
run manual no-such
exits 2
run completion tcsh
exits 2
says 'bash ... zsh ... fish'

# One object on stdout, and nothing else.
is_json() { # EXPRESSION about `r`
    holds python3 -c "import json; r = json.load(open('.out')); assert $1, r"
}
run tasks --json
is_json "'slcp' in r['tasks']"
run simulate --task gaussian --count 200 -o pairs.h5 --json --quiet
exits 0
is_json "r['rows'] == 200 and r['output'] == 'pairs.h5'"
run info pairs.h5 --json
is_json "r['kind'] == 'dataset'"
run train --data pairs.h5 --epochs 2 --members 1 -o est.h5 --json --quiet
exits 0
is_json "r['epochs'] == 2 and r['status'] == 'ok'"
run posterior est.h5 --observation pairs.h5:1 --samples 100 --format svg --json
exits 0
is_json "len(r['posterior']['parameters']) == 2"
run diagnose est.h5 --data pairs.h5 --allow-seen --points 16 --json --quiet
is_json "'verdict' in r"
run info nowhere.h5 --json
exits 1
says 'nowhere.h5'
run train --data pairs.h5 --epochs 2 --members 1 -o same.h5
same_file est.h5 same.h5

run doctor
exits 0
prints 'supervisor      '
prints 'all that is needed'
out=$(PATH=/nowhere "$bnre" doctor)
prints 'gnuplot         missing: '
run doctor --json
exits 0
is_json "r['complete'] and 'supervisor' in r['found'] and r['version']"
PATH=/nowhere "$bnre" doctor --json >.out
is_json "'pictures' in r['missing']['gnuplot']"
odd=$(printf 'a\377\001\303\251\\"')
mkdir "$odd"
TMPDIR=$odd "$bnre" doctor --json >.out
is_json "[ord(c) for c in r['found']['scratch']] == [97, 255, 1, 233, 92, 34]"

# Every command takes --json, or says why not.
for command in manual completion; do
    run $command train --json
    exits 2
    says 'text ... programs'
done
finish
