#!/bin/sh
# kill_random.sh BUILD [ROUNDS [SEED]] - kill `bnre simulate` at random times.
#
# Each round simulates into a file of its own while SIGKILL comes after a random
# time, again and again until a run gets through. The file must then be the one
# of an undisturbed run, byte for byte. Complements the repeatable test
# data/crash_slow, which kills at every call that changes a file: here several
# threads run, and nobody chooses the moment. Not part of the tests, since what
# it tries depends on timing.
#
#   tests/campaigns/kill_random.sh build 100
set -eu
bnre=$(realpath "${1:?build directory}")/bnre
rounds=${2:-20}
seed=${3:-1}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"

simulate() { # FILE: the same work each time; for a subshell, to be killed
    exec "$bnre" simulate --task gaussian --count 1500000 --seed "$seed" \
        --threads 2 --quiet -o "$1"
}

random() { # a whole number below $1
    od -An -N4 -tu4 /dev/urandom | awk -v n="$1" '{ print $1 % n }'
}

(simulate whole.h5)
kills=0
for round in $(seq "$rounds"); do
    done=no
    while [ $done = no ]; do
        simulate out.h5 &
        pid=$!
        sleep "0.$(printf %03d "$(random 700)")"
        kill -9 $pid 2>/dev/null || true
        if wait $pid 2>/dev/null; then
            done=yes
        else
            kills=$((kills + 1))
        fi
        # Without mercy it might never end: each run has to get further.
        if [ $done = no ] && [ "$(random 10)" = 0 ]; then
            (simulate out.h5)
            done=yes
        fi
    done
    cmp whole.h5 out.h5
    [ ! -e out.h5.part ] || { echo "round $round left a journal" >&2; exit 1; }
    [ -z "$(ls | grep "[.]tmp$")" ] || { echo "round $round left a copy" >&2; exit 1; }
    rm out.h5
done
echo "$rounds rounds, $kills kills: the same bytes each time"
