#!/bin/sh
# Commands whose n-th change of a file fails, for every n (every STEP-th if set):
# once with EIO, once with ENOSPC, and with a disk that is full from then on. Each
# ends well, or with a message that names a file and the cause; and then the same
# command gives the bytes of an undisturbed run. (A lock that could not be removed
# is an empty file in nobody's way.)
. "$(dirname "$0")/lib.sh"

export ASAN_OPTIONS="detect_leaks=0:verify_asan_link_order=0"
shim=$BUILD/tests/fault_shim.so
step=${STEP:-1}
faults=0

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
    exits 0
    holds mv out whole
    for how in eio enospc full; do
        n=1
        while :; do
            start "$before"
            disturbed $n $how "$@"
            [ -e fault.log ] || break # there is no n-th
            faults=$((faults + 1))
            [ $code = 0 ] || { exits 1 && names_cause; }
            n=$((n + step))
            if [ -n "$once" ] && diff -r -x ".*.lock" whole out >.diff; then
                continue # all is there, which such a file cannot tell itself
            fi
            run "$@"
            last="$last after change $at ($(cat fault.log)) failed: $how"
            exits 0
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
train="train --data data.h5 --network net.yaml --epochs 2 --batch-size 16 --quiet"

before=
once=
sweep simulate --task gaussian --count 1500 --quiet --threads 1 -o out/x.h5
once=yes
sweep simulate --task gaussian --count 20 --quiet --threads 1 -o out/x.csv
sweep convert data.h5 out/x.npz --quiet
once=
# shellcheck disable=SC2086
sweep $train --members 2 --threads 1 -o out/e.h5

cat >tiny.yaml <<'EOT'
task: gaussian
test: 40
epochs: 1
batch_size: 16
network: {head: {hidden: [4], activation: selu}}
sweep: {method: [nre, bnre]}
simulations: 48
EOT
sweep run tiny.yaml -o out --quiet --threads 1 --no-report

# Rows that are there already are not lost by what goes wrong later.
mkdir rows
run simulate --task gaussian --count 1100 --quiet -o rows/x.h5
before=rows
sweep simulate --task gaussian --count 1500 --quiet --threads 1 -o out/x.h5

echo "$faults faults"
holds test $faults -gt $((200 / step))
finish
