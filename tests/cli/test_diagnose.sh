#!/bin/sh
# bnre diagnose: what it prints and writes, its exit status, what it refuses.
. "$(dirname "$0")/lib.sh"

cat >net.yaml <<'END'
head: {hidden: [16, 16], activation: selu}
END
run simulate --task gaussian --option dim=1 --count 2048 -o train.h5 --quiet
exits 0
run simulate --task gaussian --option dim=1 --split test --count 400 \
    -o test.h5 --quiet
exits 0
run train --data train.h5 --network net.yaml --method nre --epochs 10 \
    -o est.h5 --quiet
exits 0

# The table, and nothing written.
run diagnose est.h5 --data test.h5
exits 0
prints "est.h5 on test.h5"
prints "pairs             400"
prints "per pair ... cells fitted ... each posterior"
prints "level   coverage   95 % interval"
prints "coverage AUC"
prints "information gain"
prints "twice the points"
prints "not normalised"
prints "balance"
prints "theta_0"
prints "TARP"
prints "0.02 ... average ... prior"
fails test -e est.json

# One truth for all pairs: ranks as far from uniform as can be.
run simulate --task gaussian --option dim=1 --theta 2.5 --count 300 \
    -o biased.h5 --quiet
exits 0
run diagnose est.h5 --data biased.h5
prints "< 0.001"
fails grep -q ' 0$' .out

# Files; the same bytes on any number of threads.
run diagnose est.h5 --data test.h5 -o new/dir/one.json --threads 1 --quiet
exits 0
prints_not "coverage"
run diagnose est.h5 --data test.h5 -o two.json --threads 3 --quiet
exits 0
same_file new/dir/one.json two.json
same_file new/dir/one.csv two.csv
same_file new/dir/one-pairs.csv two-pairs.csv
holds test -s two-coverage.gp
holds test -s two-coverage.dat
holds test -s two-sbc.gp
if command -v gnuplot >/dev/null; then
    holds test -s two-coverage.svg
    holds test -s two-coverage.pdf
    holds test -s two-sbc.svg
fi
holds grep -q '"verdict": "' two.json
holds grep -q '"data": "' two.json
holds grep -q '"eps": "0.02"' two.json
holds test "$(wc -l <two.csv)" = 20
holds test "$(wc -l <two-pairs.csv)" = 401
run diagnose est.h5 --data test.h5 -o two.json --seed 2
exits 1
says "two.json ... already ... way"
run diagnose est.h5 --data test.h5 -o two.json
exits 0
prints "two.json ... already"
run diagnose est.h5 --data test.h5 -o two.json --force --quiet
exits 0

# Without gnuplot: a message, and all but the pictures.
last="bnre diagnose without gnuplot"
PATH=/nowhere "$bnre" diagnose est.h5 --data test.h5 -o three.json >.out 2>.err
code=$?
err=$(cat .err)
exits 0
says "gnuplot ... not found"
holds test -s three-sbc.dat
fails test -e three-sbc.svg

# The check.
run simulate --task gaussian --option dim=1 --split test --count 60 \
    -o sixty.h5 --quiet
run diagnose est.h5 --data sixty.h5 --check --quiet
exits 0
prints "INCONCLUSIVE: 60 pairs ... not decide"
run diagnose est.h5 --data sixty.h5 --strict
exits 3
says "check ... INCONCLUSIVE"
run train --data train.h5 --network net.yaml --method nre --epochs 1 \
    --learning-rate 1e-8 -o flat.h5 --quiet
run diagnose flat.h5 --data test.h5 --check
exits 3
prints "UNINFORMATIVE: ... gain"
says "check ... UNINFORMATIVE"

# Pairs the estimator was trained on.
run diagnose est.h5 --data train.h5
exits 2
says "2,048 ... 2,048 pairs ... estimator ... trained"
says '--split test'
run diagnose est.h5 --data train.h5 --allow-seen
exits 0
says "warning: 2,048 ... 2,048 pairs"

# Grids, draws, tempering.
run diagnose est.h5 --data test.h5 --grid 12
exits 0
prints "12 per pair ... cells"
run diagnose est.h5 --data test.h5 --draws 50
exits 0
prints "50 per pair, drawn ... prior"
run diagnose est.h5 --data test.h5 --points 40
exits 0
prints "per pair ... cells fitted ... each posterior"
# What cannot be looked at is refused before the diagnosis.
for wish in '--observation nope.csv' '--learning-curve nope.h5' '--theorems 3'; do
    # shellcheck disable=SC2086
    run diagnose est.h5 --data test.h5 $wish -o early.json
    fails test "$code" = 0
    prints_not 'coverage'
    fails test -e early.json
done
says '20 pairs'
run diagnose est.h5 --data test.h5 --points 40 --draws 50
exits 2
says '--points ... --grid auto without draws'
run diagnose est.h5 --data test.h5 --grid paper
exits 2
says "theta_0 ... no bounds"
run diagnose est.h5 --data test.h5 --grid coarse
exits 2
says "grid ... auto, chains, paper ... number ... cells"
run diagnose est.h5 --data test.h5 --grid 12 --draws 50
exits 2
says "exclude each other"
run diagnose est.h5 --data test.h5 --grid 16 --temper 1,0.5
exits 0
prints "temper ... AUC ... margin"
prints "   0.5  "
run diagnose est.h5 --data test.h5 --temper 1,2
exits 2
says "temper must"

# Several observations of one theta: rows in turn.
awk 'BEGIN { print "theta_0"; for (i = 0; i < 90; i++) print (int(i / 3) - 15) / 10 }' >theta.csv
run simulate --task gaussian --option dim=1 --theta-file theta.csv \
    --split test -o iid.h5 --quiet
exits 0
run diagnose est.h5 --data iid.h5 --observations 3
exits 0
prints "pairs             30, 3 observations each"
prints "balance           not known"
run diagnose est.h5 --data iid.h5 --observations 2
exits 2
says "have different theta"

# Ensembles.
run train --data train.h5 --network net.yaml --method nre --epochs 1 \
    --members 2 -o two-members.h5 --quiet
run diagnose two-members.h5 --data test.h5 --grid 16 --each-member
exits 0
prints "nats between members"
prints "member 2"

# Samples made elsewhere: the prior of the data, one pair after the other.
run convert test.h5 theta.npy,x.npy --quiet
run diagnose --samples-file x.npy --data test.h5
exits 0
prints "NO VERDICT: ... samples"
prints "400"
run diagnose --samples-file x.npy
exits 2
says "x.npy ... theta"
run diagnose --samples-file x.npy --data test.h5 --check
exits 2
says "no verdict"
run diagnose --samples-file x.npy --data test.h5 --temper 0.5
exits 2
says "not ... samples_file"

# Ctrl-C, sent when the fifth chunk of 8 pairs reports that it is done: the
# program asks for the time then, and this answers.
cat >stopper.c <<'END'
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t id, struct timespec *time)
{
    static int calls;

    if (++calls == 6)
        raise(SIGINT);
    return (int)syscall(SYS_clock_gettime, id, time);
}
END
last="building the stopper"
${CC:-cc} -O1 -fPIC -shared stopper.c -o stopper.so 2>.err || fail "should build"
last="bnre diagnose, interrupted"
ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=./stopper.so \
    "$bnre" diagnose est.h5 --data test.h5 -o part.json --threads 1 >.out 2>.err
code=$?
out=$(cat .out)
err=$(cat .err)
exits 130
says "interrupted after 40 ... 400 pairs ... result"
prints "pairs             40 of 400 (interrupted)"
holds grep -q '"pairs": 40' part.json
holds grep -q '"asked": 400' part.json

# Misuse.
run diagnose --data test.h5
exits 2
says "which estimator?"
run diagnose est.h5
exits 2
says "data is needed"
run diagnose est.h5 --data test.h5 -o result.txt
exits 2
says "a .json file"
run diagnose test.h5 --data test.h5
exits 1
run simulate --task gaussian --option dim=1 --split test --count 19 \
    -o few.h5 --quiet
run diagnose est.h5 --data few.h5
exits 2
says "19 pairs ... nothing ... coverage: 20 ... least"
run simulate --task gaussian --option dim=2 --split test --count 30 \
    -o other.h5 --quiet
run diagnose est.h5 --data other.h5
exits 1
run diagnose est.h5 --data test.h5 --dry-run -o plan.json
exits 0
prints "diagnose est.h5 ... 400 rows ... test.h5"
fails test -e plan.json

finish
