#!/bin/sh
# `posterior` and `diagnose` killed at their n-th change of a file, for every n
# (every STEP-th if set) and before, within or after the change: the output is
# wholly the old or wholly the new one, and the next run ends with the bytes of
# an undisturbed one.
. "$(dirname "$0")/lib.sh"

export ASAN_OPTIONS="detect_leaks=0:verify_asan_link_order=0"
shim=$BUILD/tests/crash_shim.so
step=${STEP:-1}
kills=0

"$bnre" simulate --task gaussian --count 100 -o data.h5 --quiet
"$bnre" simulate --task gaussian --count 60 --split test -o test.h5 --quiet
echo 'head: {hidden: [4], activation: selu}' >net.yaml
"$bnre" train --data data.h5 --network net.yaml --epochs 1 --batch-size 16 --method nre \
    -o est.h5 --quiet

small="--quiet --threads 1 --format svg"
posterior="posterior est.h5 $small --samples 20 --grid 8 --observation"
diagnose="diagnose est.h5 $small --data test.h5 --points 16"

# What is in a directory, hidden files too.
contents() { # DIRECTORY
    (cd "$1" && find . -type f | sort | xargs md5sum)
}

# Kill COMMAND, which replaces what is in `before` by what is in `after`, in the
# directory `at`, at every change. Looked at right after the kill if SEEN; in any
# case after the same command without --force, which goes on or refuses.
kill_each() { # SEEN COMMAND...
    seen=$1
    shift
    contents before >before.sum
    contents after >after.sum
    for when in $whens; do
        n=1
        code=137
        while [ $code = 137 ]; do
            rm -rf at
            cp -r before at
            last="killed $when change $n: $*"
            CRASH_AT=$n CRASH_WHEN=$when LD_PRELOAD=$shim \
                "$bnre" "$@" --force >.out 2>.err
            code=$?
            [ $code = 137 ] && kills=$((kills + 1))
            killed=$code
            contents at | grep -v '/[.][^/]*[.]\(lock\|new\|commit\)' >now.sum
            if [ $seen = yes ]; then
                cmp -s now.sum before.sum || cmp -s now.sum after.sum ||
                    fail "it is neither the old nor the new one"
            fi
            "$bnre" "$@" >.out 2>.err
            code=$?
            contents at >now.sum
            case $code in
            0) cmp -s now.sum after.sum || fail "it should be the new one" ;;
            1)
                grep -q 'made in another way' .err || fail "it should say why"
                grep -v '/[.][^/]*[.]\(lock\|new\)' now.sum >.now
                cmp -s .now before.sum || fail "it should be the old one"
                ;;
            *) fail "the next run should go on or refuse" ;;
            esac
            "$bnre" "$@" --force >.out 2>.err
            code=$?
            exits 0
            contents at >now.sum
            cmp -s now.sum after.sum || fail "it should end as the new one"
            [ "$failures" -lt 5 ] || finish
            code=$killed
            n=$((n + step))
        done
        exits 0
    done
}

# A directory that is there; one that holds something else as well; and a file
# with others beside it. Old ones have a file more, which has to go.
mkdir before after
run $posterior data.h5:1 -o before/p --format svg,png
exits 0
run $posterior data.h5:2 -o after/p
exits 0
whens=${WHENS:-before half after}
kill_each yes $posterior data.h5:2 -o at/p
whens=${WHENS:-before after}

echo mine >before/p/notes
echo mine >after/p/notes
kill_each no $posterior data.h5:2 -o at/p

rm -rf before after
mkdir before after
run $diagnose -o before/d.json --seed 2 --format svg,png
exits 0
run $diagnose -o after/d.json
exits 0
echo mine >before/d.txt
echo mine >after/d.txt
kill_each no $diagnose -o at/d.json

# From nothing: there is nothing, or all of it.
for when in $whens; do
    n=1
    code=137
    while [ $code = 137 ]; do
        rm -rf at
        mkdir at
        last="killed $when change $n, from nothing"
        CRASH_AT=$n CRASH_WHEN=$when LD_PRELOAD=$shim \
            "$bnre" $diagnose -o at/d.json >.out 2>.err
        code=$?
        killed=$code
        [ ! -e at/d.json ] || [ "$(ls at)" = "$(ls after | grep -v txt)" ] ||
            fail "the main file is last"
        "$bnre" $diagnose -o at/d.json >.out 2>.err
        code=$?
        exits 0
        cp after/d.txt at
        holds diff -r after at
        [ "$failures" -lt 5 ] || finish
        code=$killed
        n=$((n + step))
    done
done

holds test $kills -gt $((80 / step))
finish
