#!/bin/sh
# Commands whose n-th change of a file fails, for every fifth n (STEP=1: every n):
# once with EIO, once with ENOSPC, and with a disk that is full from then on. Each
# ends well, or with a message that names a file and the cause; and then the same
# command gives the bytes of an undisturbed run. (A lock that could not be removed
# is an empty file in nobody's way.)
. "$(dirname "$0")/lib.sh"

export ASAN_OPTIONS="detect_leaks=0:verify_asan_link_order=0"
shim=$BUILD/tests/fault_shim.so
step=${STEP:-5}
faults=0
sweeps=0

# Programs that hang are an error like any other.
disturbed() { # N HOW COMMAND...
    at=$1
    how=$2
    shift 2
    rm -f fault.log
    last="bnre $* (change $at fails: $how)"
    FAULT_AT=$at FAULT_HOW=$how FAULT_IN=bnre FAULT_LOG=$scratch/fault.log \
        LD_PRELOAD=$shim timeout 60 "$bnre" "$@" >.out 2>.err </dev/null
    code=$?
    out=$(cat .out)
    err=$(cat .err)
}

# The cause stands on stderr, or where stderr points to.
names_cause() {
    case $how in
    eio) cause='Input/output error' ;;
    *) cause='No space left on device' ;;
    esac
    case $err in
    *"$cause"*) ;;
    *"failure.txt tells why"*)
        grep -q "$cause" out/runs/*/*/failure.txt || fail "should tell: $cause"
        ;;
    *) fail "should say: $cause" ;;
    esac
    case $err in
    *out*) ;;
    *) fail "should name a file" ;;
    esac
}

# COMMAND... writes out/, which starts as $before (a directory or nothing). With
# $once it refuses to replace what is complete.
sweep() {
    rm -rf out whole
    start "$before"
    run "$@"
    want=0
    [ $code != 3 ] || want=3 # done, and what was found is doubtful
    exits $want
    holds mv out whole
    for how in eio enospc full; do
        sweeps=$((sweeps + 1))
        n=$((1 + 17 * sweeps % step)) # samples begin here and there
        while :; do
            start "$before"
            disturbed $n $how "$@"
            [ -e fault.log ] || break # there is no n-th
            faults=$((faults + 1))
            [ $code = $want ] || { exits 1 && names_cause; }
            n=$((n + step))
            if [ -n "$once" ] && diff -r -x ".*.lock" whole out >.diff; then
                continue # all is there, which such a file cannot tell itself
            fi
            run "$@"
            last="$last after change $at ($(cat fault.log)) failed: $how"
            exits $want
            diff -r -x ".*.lock" whole out >.diff 2>&1 || {
                cat .diff >>.err
                fail "should be the bytes of an undisturbed run"
            }
            [ "$failures" -lt 10 ] || finish
        done
    done
}

start() { # DIRECTORY: out/ begins as a copy of it, or empty
    rm -rf out
    mkdir out
    [ -z "$1" ] || cp -r "$1/." out
}

run simulate --task gaussian --count 60 --quiet -o data.h5
exits 0
printf 'head: {hidden: [4], activation: selu}\n' >net.yaml
train="train --data data.h5 --network net.yaml --epochs 2 --batch-size 16 --method nre --quiet"

before=
once=
sweep simulate --task gaussian --count 1500 --quiet --threads 1 -o out/x.h5
once=yes
sweep simulate --task gaussian --count 20 --quiet --threads 1 -o out/x.csv
sweep convert data.h5 out/x.npz --quiet
once=
# shellcheck disable=SC2086
sweep $train --members 2 --folds 2 --threads 1 -o out/e.h5
cp whole/e.h5 density.h5
once=yes
sweep export density.h5 --quiet -o out/ratio.c
once=

cat >tiny.yaml <<'EOT'
task: gaussian
test: 40
epochs: 1
batch_size: 16
network: {head: {hidden: [4], activation: selu}}
sweep: {method: [bnre, npe]}
members: 2
simulations: 48
EOT
sweep run tiny.yaml -o out --quiet --threads 1 --no-report

# Rows that are there already are not lost by what goes wrong later.
mkdir rows
run simulate --task gaussian --count 1100 --quiet -o rows/x.h5
before=rows
sweep simulate --task gaussian --count 1500 --quiet --threads 1 -o out/x.h5

# A page that replaces an older one, with figures of other data.
run run tiny.yaml --set method=nre -o old --quiet --no-report
run report old --quiet
exits 0
for file in old/figures/*; do
    case $file in
    *.dat) echo '# older' >>"$file" ;;
    *.svg | *.pdf) printf '<svg>older</svg>\n%%%%EOF\n' >"$file" ;;
    esac
done
before=old
sweep report out --quiet

# A gnuplot that fails, dies, or stops halfway: told with the figure's name.
fails_with() { # SHELL-COMMANDS WORDS
    mkdir -p bad
    printf '#!/bin/sh\n%s\n' "$1" >bad/gnuplot
    chmod +x bad/gnuplot
    start old
    good=$PATH
    PATH=$scratch/bad:$PATH
    run report out --quiet
    PATH=$good
    exits 1
    says 'gnuplot ... not draw out/figures/'
    says "$2"
    run report out --quiet
    exits 0
    holds diff -r -x ".*.lock" whole out
}
fails_with 'echo "line 3: no such thing" >&2; exit 1' 'line 3: no such thing'
fails_with 'echo "<svg>"; kill -9 $$' 'it said nothing'
fails_with 'echo "<svg>"' 'it ended before the picture was whole'
fails_with '' 'it ended before the picture was whole'

# Results of several files, new and in place of others.
run simulate --task gaussian --count 60 --split test --quiet -o test.h5
# shellcheck disable=SC2086
run $train -o est.h5
small="--quiet --threads 1 --format svg"
posterior="posterior est.h5 $small --samples 20 --grid 8"
diagnose="diagnose est.h5 $small --data test.h5 --points 16"
mkdir older
# shellcheck disable=SC2086
run $posterior --observation test.h5:2 -o older/p
exits 0
# shellcheck disable=SC2086
run $diagnose --seed 9 -o older/d.json
exits 0
for before in '' older; do
    # shellcheck disable=SC2086
    sweep $posterior --observation test.h5:1 ${before:+--force} -o out/p
    # shellcheck disable=SC2086
    sweep $diagnose ${before:+--force} -o out/d.json
done

# Work in several steps, and results of several files.
before=
# shellcheck disable=SC2086
sweep $train --trust fresh --select 40 --certify 40 --calibrate 0 --format svg \
    --threads 1 -o out/e.h5
sweep train --classes data.h5 test.h5 --network net.yaml --epochs 1 \
    --batch-size 8 --quiet --threads 1 -o out/c.h5
sweep posterior density.h5 --each test.h5 --samples 20 --quiet --threads 1 \
    -o out/each
sweep check density.h5 --observation test.h5:1 --pairs 0 --draws 600 --quiet \
    --threads 1 -o out/check

# Each run takes half a second: a twentieth of the sample.
step=$((step * 20))
sweep infer --task gaussian --observation test.h5:1 --simulations 64 \
    --samples 50 --format svg --quiet --threads 1 -o out/i
step=${STEP:-5}

echo "$faults faults"
holds test $faults -gt $((200 / step))
finish
