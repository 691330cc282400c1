#!/bin/sh
# From data to a certified estimator with conformal regions, and advice.
. "$(dirname "$0")/lib.sh"

cat >net.yaml <<'END'
head: {hidden: [16], activation: selu}
END
run simulate --task gaussian --count 400 --quiet -o data.h5
exits 0
run simulate --task gaussian --count 300 --split test --quiet -o test.h5
exits 0

run train --data data.h5 --network net.yaml --trust auto --dry-run
exits 0
prints 'lambda (0, 1, 3, ..., 1000) and temper (1 ... 0.3)'
prints 'select        2000 fresh pairs, simulated'
prints 'certify       10000 fresh pairs, simulated'
prints 'calibrate     1000 fresh pairs, simulated'

set -- --data data.h5 --network net.yaml --epochs 60 --learning-rate 0.01 --members 2 \
    --trust auto --select 200 --certify 1000 --calibrate 100 --format svg
run train "$@" -o est.h5
exits 0
prints 'CERTIFIED conservative: on 1000 fresh pairs'
prints 'to select, 1,000 to certify, 100 to calibrate with'
for file in est.h5 est.history.csv est.select.h5 est.certify.h5 \
    est.calibrate.h5 est-trust.gp est-trust.dat; do
    [ -s "$file" ] || fail "$file should be there"
done
for file in est.h5.*; do
    [ -e "$file" ] && fail "$file should be gone"
done
run train "$@" -o est.h5
exits 0
prints 'was there already'
run info est.h5
exits 0
prints 'CERTIFIED conservative'
prints 'calibrated    with 100 pairs'

run train "$@" --temper 0.5 -o other.h5
exits 2
says 'chooses temper itself'
run train --data data.h5 --network net.yaml --lambda some
exits 2
says 'is not a number or auto'

run posterior est.h5 --observation test.h5:3 --levels 0.5,0.9 --local \
    --regions both --format svg -o post
exits 0
prints 'contains the true parameters in at least 90 % of cases, for data from'
prints 'APPROXIMATE'
prints 'CERTIFIED conservative'
grep -q '"conformal"' post/posterior.json || fail 'JSON without conformal'
run posterior est.h5 --observation test.h5:3 --temper 0.9 --regions conformal \
    -o post2
exits 2
says 'not calibrated, or for another --temper'

run diagnose est.h5 --data test.h5 --observation test.h5:3 --theorems 20 \
    --learning-curve data.h5 --format svg -o diag.json
exits 0
prints 'what to do'
prints 'exact balance'
prints 'learning curve'
prints 'the observation looks like the simulated data'
prints 'CERTIFIED conservative'
for key in advice certificate theorem learning_curve; do
    grep -q "\"$key\"" diag.json || fail "JSON without $key"
done
run diagnose est.h5 --data test.h5 --learning-curve test.h5
exits 2
prints 'coverage AUC'
says 'are not the data that the estimator was trained on'

cat >study.yaml <<'END'
task: gaussian
simulations: 400
epochs: 30
learning_rate: 0.01
network: {head: {hidden: [16], activation: selu}}
test: 200
select: 100
certify: 400
calibrate: 50
sweep:
  together:
    - {lambda: 1, temper: 1}
    - {lambda: auto, temper: auto}
END
run run study.yaml -o study --quiet
exits 0
grep -q '"certificate"' study/runs/*auto*/1/diagnose.json ||
    fail 'a study should keep the certificate'
run run study.yaml --set lambda=auto --set method=nre -o bad
exits 2
finish
