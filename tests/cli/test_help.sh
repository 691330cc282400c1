#!/bin/sh
# The short help has few options, the long one has each of them once.
. "$(dirname "$0")/lib.sh"

# The names of the options that a help text explains, a line for each.
options() {
    sed -n -e 's/^  -o, --\([a-z-]*\).*/\1/p' \
        -e 's/^  --\([a-z-]*\).*/\1/p' .out | grep -vx 'help-all'
}

# All names in tables of the sources, whoever has them.
find "$SOURCE/cli" "$SOURCE/src" -name '*.c' -exec \
    sed -n 's/^ *{"\([a-z_]*\)", BNRE_OPT_[A-Z]*,.*/\1/p' {} + |
    tr _ - | sort -u >declared
holds grep -qx batch-size declared

rm -f values
for command in run simulate train posterior diagnose infer check report tasks \
    info convert export doctor manual completion; do
    run $command --help-all
    exits 0
    options | sort >all
    [ -z "$(uniq -d all)" ] || fail "twice: $(uniq -d all)"
    [ -z "$(comm -23 all declared)" ] || fail 'a name is in no table'
    sed -n -e 's/^  -o, --\([a-z-]* [^ ]*\) .*/\1/p' \
        -e 's/^  --\([a-z-]* [^ ]*\).*/\1/p' .out >>values

    [ "$(wc -l <all)" -le 14 ] || prints_not '
options:
' # each of many options is in a group
    run $command --help
    exits 0
    options | sort >few
    [ "$(wc -l <few)" -le 14 ] || fail 'a short help has 14 options at most'
    [ -z "$(comm -23 few all)" ] || fail "only here: $(comm -23 few all)"
    count=$(wc -l <all)
    if cmp -s few all; then
        prints_not 'help-all'
    else
        prints "\`bnre $command --help-all\` shows all $((count)) options"
    fi
done

# A name means the same in every command, and takes the same. What it makes has
# another form in each; a temper may be a list or chosen; of grids some know
# more; pairs to calibrate with are simulated by `train` alone, and `info` prints
# the history that it writes.
holds grep -qx 'samples N' values
odd=$(sort -u values | cut -d' ' -f1 | uniq -d |
    grep -vxE 'output|temper|grid|calibrate|history')
[ -z "$odd" ] || fail "these take one thing here and another there: $odd"

# What the long help does not have is no option of the command. (A missing
# value, or the second word, ends each of these before anything is done.)
for command in train posterior diagnose simulate; do
    run $command --help-all
    options | sort >all
    for name in $(comm -13 all declared); do
        last="bnre $command --$name --no-such-option"
        case $("$bnre" $command "--$name" --no-such-option 2>&1) in
        *"unknown option --$name"*) ;;
        *"note: --$name is called"*) ;; # an old name
        *) fail "--$name should be in the long help" ;;
        esac
    done
done

# What people need is in the short help, what they hardly do is in the other.
shows() { # COMMAND OPTION...
    run "$1" --help
    shift
    options >few
    for name; do
        holds grep -qx "$name" few
    done
}
shows simulate task count split output seed
shows train data method lambda members trust output
prints_not '--weight-decay'
shows posterior observation samples levels output
prints_not '--steps'
shows diagnose data check temper samples-file output
prints_not '--most-points'

# A command shows no common option that means nothing to it, and takes it still.
for command in tasks info doctor convert export report; do
    run $command --help-all
    prints_not '--seed'
done
run tasks --seed 3
exits 0
run run --help
prints '--seed N'

# Options of a command come in groups; those of all commands come last.
run train --help-all
for group in data network training trust output common; do
    prints "
$group options:
"
done
[ "$(printf '%s\n' "$out" | grep ' options:$' | tail -n 1)" = \
    'common options:' ] || fail 'the common options should come last'
all=$out
run train --data absent.h5 --help --help-all
exits 0
[ "$out" = "$all" ] || fail '--help-all should win, wherever it is'

finish
