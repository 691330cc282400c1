#!/bin/sh
# Parameters that the stated prior cannot give are refused wherever pairs come
# in: the ratio would be to another prior. Data where the ratio is none are
# warned about.
. "$(dirname "$0")/lib.sh"

# PAIRS SEED [BAD]: pairs of a uniform and a normal parameter; a is too large in
# row BAD.
pairs() {
    awk -v n="$1" -v seed="$2" -v bad="${3:--1}" 'BEGIN {
        srand(seed)
        print "theta.a,theta.b,x.0"
        for (i = 0; i < n; i++) {
            a = i == bad ? 1.5 : 2 * rand() - 1
            b = rand() - 0.5
            print a "," b "," a + b + rand()
        }
    }'
}

cat >task.yaml <<'END'
parameters: {a: "uniform(-1, 1)", b: "normal(0, 1)"}
observable: [1]
END
cat >bound.yaml <<'END'
parameters: {a: "uniform(-1, 1)", b: "normal(0, 1)"}
constraint: b < 0.45
observable: [1]
END
echo 'head: {hidden: [4], activation: selu}' >small.yaml
pairs 600 1 >good.csv
pairs 600 1 321 >bad.csv
pairs 200 2 >select.csv
pairs 200 3 >certify.csv
pairs 200 4 >calibrate.csv
pairs 200 5 150 >bad-fresh.csv
fast='--network small.yaml --epochs 1 --batch-size 64 --quiet --threads 1'
reason='is outside its prior uniform(-1, 1): were these pairs made for another'

run train --data good.csv --task task.yaml $fast -o est.h5
exits 0
run train --data bad.csv --task task.yaml $fast -o no.h5
exits 2
says "bad.csv: row 321: a = 1.5 $reason"
run train --data good.csv --validation bad-fresh.csv --task task.yaml $fast \
    -o no.h5
exits 2
says "bad-fresh.csv: row 150: a = 1.5 $reason"
for option in --select --certify --calibrate; do
    run train --data good.csv --task task.yaml --trust fresh \
        --select select.csv --certify certify.csv --calibrate calibrate.csv \
        $option bad-fresh.csv $fast -o no.h5
    exits 2
    says "bad-fresh.csv: row 150: a = 1.5 $reason"
done
run train --data good.csv --task task.yaml --calibrate bad-fresh.csv $fast \
    -o no.h5
exits 2
says "row 150: a = 1.5 $reason"
run train --data good.csv --task bound.yaml $fast -o no.h5
exits 2
says 'row ... constraint'
fails ls no.h5 no.h5.*
run diagnose est.h5 --data bad-fresh.csv -o no.json
exits 2
says "pair 150: a = 1.5 $reason"

# Data that the estimator does not know: the log evidence is far from 0, which is
# said and kept.
echo 'head: {hidden: [32, 32], activation: selu}' >network.yaml
run simulate --task gaussian --count 2000 -o gaussian.h5
exits 0
run train --data gaussian.h5 --method nre --network network.yaml --epochs 20 \
    --batch-size 64 --quiet -o gaussian-est.h5
exits 0
echo '0.3 0.2' >near.txt
echo '12 -12' >far.txt
run posterior gaussian-est.h5 --observation near.txt --format svg -o near
exits 0
fails grep -q 'log evidence' near/posterior.json
case $err in *'log evidence'*) fail 'nothing is wrong with it' ;; esac
run posterior gaussian-est.h5 --observation far.txt --format svg -o far
exits 0
says 'warning: ... log evidence is -'
says 'far ... 0 ... prior ... ratio'
holds grep -q 'the log evidence is' far/posterior.json

finish
