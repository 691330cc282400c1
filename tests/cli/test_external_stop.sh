#!/bin/sh
# Stopping `bnre simulate` while external programs work for it: none is left,
# and what was done is used.
. "$(dirname "$0")/lib.sh"

# Ctrl-C: stops between simulations, goes on later; the bytes are the same.
cat >slow.sh <<'END'
[ -z "${PIDS-}" ] || echo $$ >>"$PIDS"
while read -r seed a; do
    sleep 0.01
    echo "$a"
done
END
cat >slow.yaml <<'END'
parameters: {a: "uniform(0, 1)"}
observable: 1
simulator: {command: [sh, slow.sh]}
END
run simulate --task slow.yaml --count 150 --threads 2 -o slow.h5
exits 0
[ -z "$(ls slow.h5.log 2>/dev/null)" ] || fail 'there should be no log'

# start COMMAND...: run it with the numbers of its programs in pids, until two
# work after the trial.
start() {
    rm -f pids
    last="$*"
    PIDS=$PWD/pids "$@" >.out 2>.err </dev/null &
    pid=$!
    for _ in $(seq 500); do
        [ -e pids ] && [ "$(wc -l <pids)" -ge 3 ] && return
        sleep 0.02
    done
    fail 'programs should have started'
}
all_gone() {
    for _ in $(seq 500); do
        alive=0
        for p in $(cat pids); do
            kill -0 "$p" 2>/dev/null && alive=1
        done
        [ $alive = 0 ] && return
        sleep 0.02
    done
    fail 'no program should be left'
}
start "$bnre" simulate --task slow.yaml --count 150 --threads 2 -o stop.h5
kill -INT $pid
wait $pid
code=$?
exits 130
all_gone
run simulate --task slow.yaml --count 150 -o stop.h5
exits 0
same_file slow.h5 stop.h5

# kill -9: no program survives, and the rows that were safe are used.
start "$bnre" simulate --task slow.yaml --count 150 --threads 2 -o kill.h5
kill -9 $pid
wait $pid 2>/dev/null
all_gone
run simulate --task slow.yaml --count 150 -o kill.h5
exits 0
same_file slow.h5 kill.h5

# One run per simulation, and kill -9 when the program has just done its work:
# no scratch directory stays behind.
cat >killer.sh <<'END'
read -r _ _ _ bnre _ </proc/$PPID/stat
# Another may have done it before, and the parent be somebody else by now.
[ "$(cat "/proc/$bnre/comm")" != bnre ] || kill -9 "$bnre"
echo "$1"
END
cat >killer.yaml <<'END'
parameters: {a: "uniform(0, 1)"}
observable: 1
simulator: {command: [sh, killer.sh, "{a}"]}
END
mkdir tmp
for i in 1 2 3 4 5 6 7 8; do
    TMPDIR=$PWD/tmp run simulate --task killer.yaml --count 20 \
        --threads 2 -o killer.h5
    exits 137
done
for _ in $(seq 500); do
    rmdir tmp 2>/dev/null && break
    sleep 0.02
done
[ ! -e tmp ] || fail "scratch directories are left: $(ls tmp)"

finish
