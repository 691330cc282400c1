#!/bin/sh
# A study killed at its n-th change of a file, for every n (every STEP-th if set)
# and before, within or after the change: the next run ends with the bytes of an
# undisturbed one.
. "$(dirname "$0")/../cli/lib.sh"

export ASAN_OPTIONS="detect_leaks=0:verify_asan_link_order=0"
shim=$BUILD/tests/crash_shim.so
step=${STEP:-1}
# Every change of every figure would take hours: they are part of the sample.
report=--no-report
[ "$step" = 1 ] || report=

cat >tiny.yaml <<'EOF'
task: gaussian
test: 40
epochs: 1
batch_size: 16
network: {head: {hidden: [4], activation: selu}}
sweep: {method: [nre, bnre]}
simulations: 48
EOF

run run tiny.yaml -o whole --quiet --threads 1 $report
exits 0
kills=0
for when in before half after; do
    n=1
    code=137
    while [ $code = 137 ]; do
        last="killed $when change $n"
        CRASH_AT=$n CRASH_WHEN=$when LD_PRELOAD=$shim \
            "$bnre" run tiny.yaml -o out --quiet --threads 1 $report >.out 2>.err
        code=$?
        [ $code = 137 ] && kills=$((kills + 1))
        killed=$code
        "$bnre" run tiny.yaml -o out --quiet --threads 2 $report >.out 2>.err
        code=$?
        exits 0
        holds diff -r whole out
        [ "$failures" -lt 10 ] || finish
        rm -rf out
        code=$killed
        n=$((n + step))
    done
    exits 0
done
# It was killed at all: at every change of some thirty and more.
holds test $kills -gt $((60 / step))

# Killed again and again, at the same change of each run.
for n in 20 45; do
    [ "$step" = 1 ] || break
    code=137
    tries=0
    while [ $code = 137 ] && [ $tries -lt 12 ]; do
        CRASH_AT=$n LD_PRELOAD=$shim \
            "$bnre" run tiny.yaml -o out --quiet --threads 1 $report >.out 2>.err
        code=$?
        tries=$((tries + 1))
    done
    run run tiny.yaml -o out --quiet $report
    exits 0
    holds diff -r whole out
    rm -rf out
done

finish
