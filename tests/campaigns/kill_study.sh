#!/bin/sh
# kill_study.sh BUILD STUDY.yaml [ROUNDS] - kill studies at random times.
#
# Each round runs the study four times in a directory of its own: with one and
# two threads, and with two and three ranks of bnre-mpi. SIGKILL comes after
# random times, ten of them; then it is run to its end. results.csv and all
# estimators must be those of an undisturbed run, byte for byte. Not part of the
# tests, since what it tries depends on timing; study/crash_slow kills at every
# change of a file.
#
#   tests/campaigns/kill_study.sh build studies/quickstart.yaml 3
set -eu
build=$(realpath "${1:?build directory}")
study=$(realpath "${2:?study}")
rounds=${3:-1}
kills=10
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1

go() { # for a subshell, to be killed
    case $1 in
    threads) exec "$build/bnre" run "$study" -o out --quiet --threads "$2" ;;
    ranks) exec mpirun -n "$2" "$build/bnre-mpi" run "$study" -o out --quiet ;;
    esac
}

random() { # a whole number below $1
    od -An -N4 -tu4 /dev/urandom | awk -v n="$1" '{ print $1 % n }'
}

sums() { # of what must be the same
    (cd "$1" && find . -name results.csv -o -name 'estimator.h5' -o \
        -name '*.json' | sort | xargs sha256sum)
}

begin=$(date +%s)
"$build/bnre" run "$study" -o whole --quiet
length=$(($(date +%s) - begin + 1))
try() { # threads or ranks, how many
    killed=0
    while [ $killed -lt $kills ]; do
        go "$@" >log 2>&1 &
        pid=$!
        ms=$(random $((1000 * length / kills + 200)))
        sleep "$((ms / 1000)).$(printf %03d $((ms % 1000)))"
        # mpirun ends its ranks when it is killed.
        kill -9 $pid 2>/dev/null || true
        wait $pid 2>/dev/null && break # it got through
        killed=$((killed + 1))
        while pgrep -f "bnre-mpi run $study -o out" >/dev/null; do
            sleep 0.1
        done
    done
    (go "$@") >log 2>&1
    sums whole >a
    sums out >b
    cmp a b
    echo "round $round, $2 $1: killed $killed times, the same bytes"
    rm -rf out
}

for round in $(seq "$rounds"); do
    try threads 1
    try threads 2
    try ranks 2
    try ranks 3
done
