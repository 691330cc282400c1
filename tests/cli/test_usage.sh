#!/bin/sh
# Help, versions, and everything that can be said wrongly.
. "$(dirname "$0")/lib.sh"

# Without a command, and with --help, the commands are listed.
for how in '' --help -h help; do
    # shellcheck disable=SC2086
    run $how
    exits 0
    for command in simulate tasks info convert; do
        prints "  $command"
    done
    prints 'start here'
    # Every exit status is named, that of a doubtful result too.
    for status in 0 1 2 3 130; do
        printf '%s\n' "$out" | grep -Eq "^  $status  +[a-z]" ||
            fail "exit status $status should be explained"
    done
done
run --version
exits 0
prints 'bnre 0.'

# A command's help comes from its table, wherever it is asked for.
run simulate --help
exits 0
prints 'usage: bnre simulate --task'
prints 'examples:'
prints '--count N'
prints '(default 1024, or'
prints 'calibrate or test; default ... train)'
prints 'common options:'
prints '--dry-run'
help=$out
run help simulate
[ "$out" = "$help" ] || fail 'help simulate should be simulate --help'
run simulate --count 5 -h
exits 0
for command in run train posterior diagnose report tasks info convert; do
    run $command --help
    exits 0
    prints "usage: bnre $command"
done
run help simluate
exits 2

# No line of a help text is wider than a terminal.
for command in run simulate train posterior diagnose report tasks info \
    convert; do
    wide=$("$bnre" $command --help-all | awk 'length > 80' | wc -l)
    [ "$wide" -eq 0 ] || fail "help of $command has lines beyond 80 columns"
done

# Unknown words: exit status 2, the nearest name, where to look.
run simluate
exits 2
says '"simluate": ... "simulate"? ... bnre --help'
run --count 5
exits 2
says 'unknown option --count (options follow ... command)'
run simulate --task gaussian --cuont 5
exits 2
says 'bnre simulate: unknown option --cuont ... you ... --count'
says 'see bnre simulate --help'
run simulate --task gaussian --dry_run --wavelength=5
exits 2
says 'unknown option --wavelength'
run simulate -count 5
exits 2
says '--count?'
run simulate --task gausian
exits 2
says '"gaussian"?'
run tasks gausian
exits 2
says 'gaussian'
run simulate --task gaussian --option dmi=3
exits 2
says '"dim"?'

# Wrong values.
run simulate --task gaussian --count 0
exits 2
says 'bnre simulate: count ... 1 ... 0'
run simulate --task gaussian --count=-5
exits 2
says 'count ... 1 ... -5'
run simulate --task gaussian --count -5
exits 2
says 'count ... 1 ... -5'
run simulate --task gaussian --count 1e30
exits 2
says 'too large'
run simulate --task gaussian --count 1e15 -o huge.h5
exits 2
says '1000000000000000 rows ... 25 bytes ... many'
fails test -e huge.h5.part
run simulate --task gaussian --count ten
exits 2
says 'count: "ten" ... number'
run simulate --task gaussian --seed 1.5
exits 2
says 'seed: "1.5" ... number'
run simulate --task gaussian --split tset
exits 2
says 'split ... train, validate, schedule, select, certify, calibrate, test ... "tset" ... "test"?'
run simulate --task gaussian --option dim=0
exits 2
says 'dim must be'
run simulate --task gaussian --force=maybe
exits 2
says 'force ... yes ... no ... "maybe"'

# Missing and surplus words.
run simulate
exits 2
says '--task NAME|FILE.yaml'
run simulate --task
exits 2
says '--task needs a value'
run simulate --task --count 5
exits 2
says '--task needs a value'
run simulate --task=
exits 2
says 'task ... empty'
run simulate gaussian
exits 2
says 'unexpected argument "gaussian"'
run info
exits 2
says 'usage: bnre info FILE'
run convert one
exits 2
says 'usage: bnre convert IN OUT'
run info -- --count
exits 1
says '--count'

# Settings from a file; flags win; complaints name file and line.
cat >run.yaml <<END
task: gaussian
count: 7   # rows
split: test
option: {dim: 3}
END
run simulate --config run.yaml --dry-run
exits 0
prints 'simulate 7 rows ... gaussian-test.h5'
prints 'dim: 3'
run simulate --config run.yaml --dry-run --count 9 --option dim=4 --seed=5
exits 0
prints 'would simulate 9 rows'
prints 'dim: 4'
prints 'seed 5'
printf 'task: gaussian\n\ncuont: 7\n' >bad.yaml
run simulate --config bad.yaml
exits 2
says 'bad.yaml:3: ... "cuont": ... "count"?'
printf 'task: gaussian\ncount: 0\n' >bad.yaml
run simulate --config bad.yaml
exits 2
says 'bad.yaml:2: count ... 1 ... 0'
printf 'task: gaussian\nconfig: run.yaml\n' >bad.yaml
run simulate --config bad.yaml
exits 2
says 'bad.yaml:2: config cannot ... set ... file'
printf 'task: [gaussian\n' >bad.yaml
run simulate --config bad.yaml
exits 2
says 'bad.yaml:2:1:'
run simulate --config absent.yaml
exits 1
says 'absent.yaml'

# A dry run writes nothing and makes no directory.
run simulate --task gaussian --count 1e6 --dry-run -o new/dir/a.h5
exits 0
prints 'simulate 1,000,000 rows ... new/dir/a.h5'
prints 'name: gaussian'
fails test -e new

# Tasks and their descriptions.
run tasks
exits 0
prints 'gaussian'
run tasks gaussian
exits 0
prints 'theta_0'
prints 'normal(0, 1)'
prints 'dim'
prints 'bnre simulate --task gaussian'

# Results that cannot be written are failures; a closed pipe is no crash.
last='bnre tasks >/dev/full'
"$bnre" tasks >/dev/full 2>.err
code=$?
err=$(cat .err)
exits 1
says 'cannot write ... result: No space left ... device'

# A directory of results is no file, and has one that may be meant.
mkdir results
run info results
exits 1
says 'results ... directory'
touch results/estimator.h5
run posterior results/ --observation x
exits 1
says 'results/estimator.h5?'

finish
