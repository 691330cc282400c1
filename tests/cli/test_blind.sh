#!/bin/bash
# Nobody gets a verdict that rests on next to no points: ten parameters, twenty
# observations of each, looked perfect with one effective point. The verdict is
# BLIND, and with it go certificate and advice; the check fails.
. "$2/tests/cli/lib.sh"

value() { # FILE KEY
    python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' \
        "$1" "$2"
}

# Forty parameters, each in twenty rows.
run simulate --task gaussian --option dim=10 --count 1000 -o data.h5 --quiet
exits 0
run simulate --task gaussian --option dim=10 --split test --count 40 \
    --theta-only -o theta.csv --quiet
exits 0
awk 'NR == 1 { print; next } { for (i = 0; i < 20; i++) print }' theta.csv \
    >repeated.csv
run simulate --task gaussian --option dim=10 --theta-file repeated.csv \
    --split test -o test.h5 --quiet
exits 0
echo 'head: {hidden: [32, 32], activation: elu}' >net.yaml
run train --data data.h5 --method nre --network net.yaml --epochs 30 \
    -o est.h5 --quiet
exits 0
run diagnose est.h5 --data test.h5 --observations 20 --points 512 \
    --most-points 1024 --check -o blind.json
exits 3
says "check ... BLIND"
prints "BLIND: no verdict"
prints "1024"
prints "--most-points"
prints_not "enough"
prints_not "ensemble"
[ "$(value blind.json verdict)" = BLIND ] || fail "the file says BLIND, too"
run diagnose est.h5 --data test.h5 --observations 20 --points 512 \
    --most-points 1024 --quiet
exits 0

# Chains that begin at the true parameters see what points of the prior do not.
run diagnose est.h5 --data test.h5 --observations 20 --check -o chains.json
exits 3
says "the check failed"
prints "Markov chains ... true parameters"
prints_not "BLIND"
[ "$(value chains.json grid)" = chains ] || fail "the file says chains, too"
head -n 161 repeated.csv >few.csv
run simulate --task gaussian --option dim=10 --theta-file few.csv --split test \
    -o few.h5 --quiet
exits 0
run diagnose est.h5 --data few.h5 --draws 20 --grid chains -o one.json
exits 0
prints "20 per pair"
prints_not "BLIND"
run diagnose est.h5 --data few.h5 --draws 20 --grid chains --threads 3 \
    -o again.json --quiet
exits 0
holds cmp one-pairs.csv again-pairs.csv
run diagnose est.h5 --data few.h5 --steps 1 --check
exits 3
prints "BLIND: no verdict ... After 1 steps each way ... Markov chains"
prints "more steps: --steps N"

# What is chosen automatically is not certified blindly.
run simulate --task gaussian --option dim=4 --count 500 -o four.h5 --quiet
run train --data four.h5 --network net.yaml --epochs 3 --trust fresh --temper auto --method nre \
    --select 100 --certify 100 --calibrate 0 --points 1 --check -o trust.h5
exits 3
says "NOT CERTIFIED (blind)"
run info trust.h5
prints "NOT CERTIFIED (blind)"
run train --data four.h5 --network net.yaml --epochs 3 --trust fresh --temper auto --method nre \
    --select 100 --certify 100 --calibrate 0 --points 1 --check -o trust.h5
exits 3
says "NOT CERTIFIED (blind)"

# Three rows of a prior resolve nothing: no verdict, no conformal regions.
printf 'theta_0,theta_1\n0,1\n1,0\n-1,2\n' >prior.csv
printf 'name: gaussian\nprior_samples: %s/prior.csv\n' "$PWD" >three.yaml
run simulate --task three.yaml --count 400 -o three.h5 --quiet
run simulate --task three.yaml --split test --count 40 -o three-test.h5 --quiet
run train --data three.h5 --network net.yaml --epochs 3 --calibrate 100 \
    --method bnre -o three-est.h5
exits 0
says "no conformal regions"
run diagnose three-est.h5 --data three-test.h5 --check --most-points 1024
exits 3
prints "BLIND: no verdict"
echo "0.5,0.3" >obs.csv
run posterior three-est.h5 --observation obs.csv --regions conformal -o three
exits 2
says "no conformal regions"

# Studies, their table and their page say it.
cat >study.yaml <<'Y'
task: gaussian
simulations: 300
epochs: 2
method: nre
test: 60
points: 4
most_points: 4
Y
run run study.yaml -o study
exits 0
prints BLIND
holds grep -q BLIND study/results.csv
holds grep -q 'class="mark open">BLIND' study/report.html
holds grep -q 'too few to tell' study/report.html
finish
