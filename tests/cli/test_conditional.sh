#!/bin/sh
# Conditional densities from the command line: --method npe and bnpe.
. "$(dirname "$0")/lib.sh"
shim=$BUILD/tests/crash_shim.so
echo 'head: {hidden: [16, 16], activation: elu}' >net.yaml
run simulate --task slcp --count 512 -o data.h5
exits 0

train() { # OUTPUT OPTIONS...
    output=$1
    shift
    run train --data data.h5 --network net.yaml --epochs 8 --members 2 \
        --threads 1 -o "$output" "$@"
}

train bnpe.h5 --method bnpe --order theta_1
exits 0
prints 'chance is 0.0000'
run info bnpe.h5
exits 0
prints 'density of theta'
prints 'mixture ... members'
prints 'theta_1, then theta_0; 8 logistics each'
prints 'bnpe'
holds grep -q '^member,.*validation_log_loss.theta_1,.*balance.theta_0$' \
    bnpe.history.csv
train again.h5 --method bnpe --order theta_1 --threads 2
same_file bnpe.h5 again.h5

# Killed at any change of a file, it goes on to the same bytes.
for at in 3 6 9 12; do
    for when in before half; do
        rm -f killed*
        ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=$shim \
            CRASH_AT=$at CRASH_WHEN=$when "$bnre" train \
            --data data.h5 --network net.yaml --epochs 8 --members 2 \
            --threads 1 --method bnpe --order theta_1 -o killed.h5 \
            >/dev/null 2>&1
        train killed.h5 --method bnpe --order theta_1
        exits 0
        same_file bnpe.h5 killed.h5
    done
done

# What does not fit.
train wrong.h5 --method bnre --order theta_1
exits 2
says 'npe and bnpe'
train wrong.h5 --method npe --order beta
exits 2
says 'beta'
printf '0\n1\n2\n' >prior.csv
cat >drawn.yaml <<'END'
parameters: {a: samples}
prior_samples: prior.csv
observable: [1]
END
printf 'theta.a,x.0\n' >drawn.csv
i=0
while [ $i -lt 64 ]; do
    echo "$((i % 3)),$i" >>drawn.csv
    i=$((i + 1))
done
run train --data drawn.csv --task drawn.yaml --method npe --batch-size 16 \
    --epochs 2 --members 1 -o drawn.h5
exits 0
says 'a density was fitted'
run posterior drawn.h5 --observation drawn.csv:3 --samples 100 -o drawn
exits 0
run posterior drawn.h5 --observation drawn.csv:3 --samples 100 --sampler draws \
    -o drawn-too
exits 0
prints 'independent draws'

# Missing simulations would change the prior; outcomes do not. Where there is no
# result at all, nothing can be weighed.
awk 'BEGIN {
    srand(2)
    print "theta.a,x.0,status"
    for (i = 0; i < 400; i++) {
        a = rand()
        if (a < 0.2) printf "%.6f,nan,2\n", a
        else printf "%.6f,%.6f,0\n", a, a + rand()
    }
}' >lost.csv
echo 'parameters: {a: "uniform(0, 1)"}' >lost.yaml
run train --data lost.csv --task lost.yaml --method bnpe --epochs 2 -o wrong.h5
exits 2
says '15 % of the prior ... one in 20 ... --failure'
run train --data lost.csv --task lost.yaml --method bnpe --epochs 2 \
    --failure outcome -o outcome.h5
exits 0
run train --data lost.csv --task lost.yaml --method bnre --network net.yaml \
    --epochs 2 -o ratio.h5
exits 0
for seed in 2 3; do
    awk -v seed=$seed 'BEGIN {
        srand(seed)
        print "theta.a,x.0,status"
        for (i = 0; i < 400; i++) {
            a = rand()
            if (a < 0.5 && rand() < 0.6) printf "%.6f,nan,2\n", a
            else printf "%.6f,%.6f,0\n", a, a + rand()
        }
    }' >some-$seed.csv
done
run train --data some-2.csv --task lost.yaml --method bnpe --epochs 2 -o some.h5
exits 0
says '1 / P(result | theta)'
says 'worth'
run info some.h5
prints '1 / P(result | theta)'
run diagnose some.h5 --data some-3.csv --task lost.yaml -o some-pairs.json
exits 0
prints 'missing ... others ... left'
pairs=$(sed -n 's/.*"pairs": \([0-9]*\).*/\1/p' some-pairs.json | head -1)
valid=$(grep -c ',0$' some-3.csv)
[ "$pairs" -lt "$valid" ] || fail "$pairs of $valid pairs are no thinned ones"

# What is not inferred is no factor.
awk 'BEGIN {
    srand(4)
    print "theta.a,nuisance.n,x.0"
    for (i = 0; i < 200; i++) {
        a = rand(); n = rand()
        printf "%.6f,%.6f,%.6f\n", a, n, a + n
    }
}' >nuisance.csv
printf 'parameters: {a: "uniform(0, 1)"}\nnuisance: {n: "uniform(0, 1)"}\n' \
    >nuisance.yaml
run train --data nuisance.csv --task nuisance.yaml --method bnpe --epochs 2 \
    -o nuisance.h5
exits 0
run info nuisance.h5
prints 'density       a; 8 logistics each'

# Up to three parameters a grid, as for ratios; independent draws if asked for,
# and for more parameters.
run posterior bnpe.h5 --observation data.h5:3 --samples 200 -o grid
exits 0
prints 'grid of'
run posterior bnpe.h5 --observation data.h5:3 --samples 200 --sampler draws \
    -o draws
exits 0
prints '200 independent draws'
run posterior bnpe.h5 --observation data.h5:3 --samples 200 --sampler draws \
    --threads 1 -o one
same_file draws/samples.csv one/samples.csv
# Chains have gradients to go by, as those of ratios.
run posterior bnpe.h5 --observation data.h5:3 --samples 200 --sampler chain \
    -o chains
exits 0
prints 'converged'
run posterior bnpe.h5 --observation data.h5:3 --observation data.h5:4 \
    --samples 200 -o sum
exits 0
prints 'grid of'
fails grep -q conditionals sum/posterior.json
run posterior bnpe.h5 --observation data.h5:3 --observation data.h5:4 \
    --sampler draws -o several
exits 1
says 'cannot ... drawn'
printf 'name: gaussian\noptions: {dim: 5}\n' >five.yaml
run simulate --task five.yaml --count 256 -o five.h5
exits 0
run train --data five.h5 --network net.yaml --method npe --epochs 5 -o five-e.h5
exits 0
run posterior five-e.h5 --observation five.h5:0 --samples 100 -o five
exits 0
prints '100 independent draws'
holds grep -q '"method": "draws"' five/posterior.json
python3 - five/posterior.json <<'P' || fail 'conditionals should be told'
import json, sys
p = json.load(open(sys.argv[1]))
c = p["conditionals"]
assert [k["parameter"] for k in c] == ["theta_%d" % i for i in range(5)]
assert [len(k["given"]) for k in c] == [0, 1, 2, 3, 4]
for k in c:
    v = k["value"]
    assert v == sorted(v) and len(v) == len(k["density"])
    # What lies between equal masses of 1 / 40, by the trapezoid rule.
    area = sum((b - a) * (f + g) / 2 for a, b, f, g in
               zip(v, v[1:], k["density"], k["density"][1:]))
    assert abs(area - 39 / 40) < 0.01, area
    assert k["central_95"][0] < k["central_68"][0] < k["median"]
P

# A constraint: draws that break it are rejected.
cat >ordered.yaml <<'END'
name: gaussian
constraint: theta_0 >= theta_1
END
run simulate --task ordered.yaml --count 256 -o ordered.h5
exits 0
run train --data ordered.h5 --network net.yaml --method bnpe --epochs 5 \
    -o ordered-e.h5
exits 0
run posterior ordered-e.h5 --observation ordered.h5:0 --samples 300 \
    --sampler draws -o ordered
exits 0
holds awk -F, 'NR > 1 && $1 < $2 { bad = 1 } END { exit bad }' \
    ordered/samples.csv

# Studies know the methods, and lambda has no part in npe.
cat >study.yaml <<'END'
task: slcp
simulations: 256
epochs: 3
test: 100
network: {head: {hidden: [8, 8], activation: elu}}
sweep: {method: [nre, bnre, npe, bnpe]}
END
run run study.yaml -o study --quiet
exits 0
for method in nre bnre npe bnpe; do
    holds grep -q "method=$method," study/results.csv
    # Losses of both kinds are in the figure of the training.
    grep -A 1 "^# method=$method: epoch, loss" study/figures/training.dat | grep -q '^1 ' ||
        fail "the figure should have the losses of $method"
done
fails grep -q 'method <code>' study/report.html
run run study.yaml --set 'sweep={members: [2, 4]}' -o default --quiet
exits 0
holds grep -q 'method <code>npe</code>, 2 runs' default/report.html
# Without lambda it is the temper that is chosen.
run train --data data.h5 --network net.yaml --method npe --epochs 5 --trust fresh \
    --select 200 --certify 400 --calibrate 0 -o npe.h5
exits 0
prints 'chosen        lambda 0, temper'
run train --data data.h5 --network net.yaml --method bnpe --epochs 5 \
    --trust fresh --select 200 --certify 400 --calibrate 100 -o trusted.h5
exits 0
run info trusted.h5
prints 'density of theta'
finish
