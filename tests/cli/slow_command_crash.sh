#!/bin/sh
# Commands that work in several steps, killed at their n-th change of a file:
# every STEP-th and all of the last LAST, when results are published and what was
# needed on the way is removed. The next run ends with the bytes of an
# undisturbed one, and with no file more. (posterior and diagnose:
# slow_output_crash.sh; studies: study/slow_crash.sh.)
. "$(dirname "$0")/lib.sh"

export ASAN_OPTIONS="detect_leaks=0:verify_asan_link_order=0"
shim=$BUILD/tests/crash_shim.so
step=${STEP:-25}
last_ones=${LAST:-20}
kills=0

echo 'head: {hidden: [4], activation: selu}' >net.yaml
run simulate --task gaussian --count 150 -o data.h5 --quiet
exits 0
run simulate --task gaussian --count 60 --split test -o test.h5 --quiet
exits 0
echo 'parameters: {theta_0: "normal(1, 1)"}' >shifted.yaml
sed -i '1i name: gaussian' shifted.yaml
run simulate --task shifted.yaml --count 150 -o other.h5 --quiet
exits 0
train="train --data data.h5 --network net.yaml --epochs 1 --batch-size 16"
run $train --method npe --trust no -o density.h5 --quiet
exits 0

# What is in out/, hidden files too, but for empty locks that are in nobody's way.
contents() {
    (cd out && find . -name '.*.lock' -prune -o -print | sort |
        while read -r file; do
            [ -d "$file" ] && echo "$file/" || md5sum "$file"
        done)
}

kill_each() { # COMMAND...
    rm -rf out
    mkdir out
    CRASH_COUNT=count LD_PRELOAD=$shim "$bnre" "$@" --quiet --threads 1 \
        >.out 2>.err
    code=$?
    last="$*"
    case $code in
    0 | 3) ;;
    *) fail "it should get through" ;;
    esac
    want=$code
    changes=$(cat count)
    contents >whole.sum
    n=1
    while [ $n -le "$changes" ]; do
        for when in ${WHENS:-after}; do
            rm -rf out
            mkdir out
            last="killed $when change $n of $changes: $*"
            CRASH_AT=$n CRASH_WHEN=$when LD_PRELOAD=$shim \
                "$bnre" "$@" --quiet --threads 1 >.out 2>.err
            code=$?
            [ $code = 137 ] && kills=$((kills + 1))
            exits 137
            "$bnre" "$@" --quiet --threads 1 >.out 2>.err
            code=$?
            exits $want
            contents >now.sum
            cmp -s whole.sum now.sum ||
                fail "other files: $(diff whole.sum now.sum | tr '\n' ' ')"
            [ "$failures" -lt 5 ] || finish
        done
        [ $n -ge $((changes - last_ones)) ] && n=$((n + 1)) && continue
        n=$((n + step))
        [ $n -le $((changes - last_ones)) ] || n=$((changes - last_ones))
        [ $n -ge 1 ] || n=1
    done
}

kill_each $train --method bnre --trust fresh --select 60 --certify 60 \
    --calibrate 40 --format svg -o out/e.h5
kill_each train --classes data.h5 other.h5 --network net.yaml --epochs 1 \
    --batch-size 16 -o out/c.h5
kill_each posterior density.h5 --each test.h5 --samples 20 -o out/each
[ -z "${SHORT:-}" ] || finish
kill_each $train --members 2 --folds 2 --trust auto -o out/e.h5
kill_each $train --members 2 --folds 2 --trust auto --certify 60 -o out/e.h5
kill_each check density.h5 --observation test.h5:1 -o out/check
kill_each infer --task gaussian --observation test.h5:1 --simulations 120 \
    --rounds 2 -o out/i
holds test $kills -gt 100
finish
