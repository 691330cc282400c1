#!/bin/bash
# Whole numbers beside a number, from the command line: probabilities against
# their closed form, tables, pictures, and what is refused.
. "$2/tests/cli/lib.sh"

# kind ~ categorical(5, 3, 2), shift ~ normal(0, 1); x_0 = c_kind + shift + e_0
# with c = -2, 0, 3 and x_1 = shift + 0.8 e_1.
rows() { # COUNT SEED
    awk -v n="$1" -v seed="$2" '
        function e() {
            return sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand())
        }
        BEGIN {
            srand(seed); c[0] = -2; c[1] = 0; c[2] = 3
            print "theta.kind,theta.shift,x.0,x.1"
            for (i = 0; i < n; i++) {
                u = rand(); k = u < 0.5 ? 0 : u < 0.8 ? 1 : 2; s = e()
                printf "%d,%.9g,%.9g,%.9g\n", k, s, c[k] + s + e(), s + 0.8 * e()
            }
        }'
}
printf 'parameters:\n  kind: categorical(5, 3, 2)\n  shift: normal(0, 1)\n' \
    >task.yaml
rows 2000 1 >train.csv
rows 300 2 >test.csv
echo '0.4 0.3' >obs.txt
echo 'head: {hidden: [32, 32], activation: elu}' >net.yaml

for method in npe nre; do
    run train --data train.csv --task task.yaml --method $method --trust no \
        --network net.yaml --members 1 --epochs 40 -o $method.h5 --quiet
    exits 0
    [ -z "$err" ] || fail "nothing is to be said"
    run posterior $method.h5 --observation obs.txt -o $method
    exits 0
    prints "kind: 0 (0. ... 1 (0. ... 2 (0."
    prints "grid of 3 x"
    # p(kind | x) from the normal law of x given the kind, covariance 2, 1, 1,
    # 1.64.
    python3 - $method/posterior.json <<'P' || fail "probabilities of $method"
import json, math, sys
kind, shift = json.load(open(sys.argv[1]))["parameters"]
assert kind["values"] == [0, 1, 2], kind
assert "values" not in shift
assert abs(sum(kind["probabilities"]) - 1) < 1e-6
p = []
for c, w in ((-2, 5), (0, 3), (3, 2)):
    a, b = 0.4 - c, 0.3
    p.append(w * math.exp(-0.5 * (1.64 * a * a - 2 * a * b + 2 * b * b) / 2.28))
for q, e in zip(kind["probabilities"], p):
    assert abs(q - e / sum(p)) < 0.08, (kind["probabilities"], p)
P
    run diagnose $method.h5 --data test.csv -o $method.json
    exits 0
    prints "kind"
done

# Draws are whole numbers, and so are they in a bank and in other formats.
run posterior npe.h5 --observation obs.txt --sampler draws --samples 500 \
    --write csv,getdist -o draws
exits 0
awk -F, 'NR > 1 && $1 != 0 && $1 != 1 && $1 != 2 { exit 1 }' draws/samples.csv ||
    fail "kinds are 0, 1 and 2"
# Bars: nothing between whole numbers.
awk '$1 > 0.42 && $1 < 0.58 && $2 > 0 { bad = 1 } /^$/ && seen { exit }
    { seen = 1 } END { exit bad }' npe/corner.dat || fail "bars have gaps"

run info npe.h5
exits 0
prints "categorical(5, 3, 2)"

# Refusals say what to do.
run posterior nre.h5 --observation obs.txt --sampler chain -o chain
exits 2
says "integer, categorical ... npe"
run export npe.h5 -o npe.c
exits 0
holds ${CC:-cc} -std=c99 -c npe.c
run export npe.h5 -o npe.onnx
exits 2
says "categorical ... ONNX ... C"
printf 'parameters: {kind: "integer(0, 1e6)", shift: "normal(0, 1)"}\n' \
    >many.yaml
run train --data train.csv --task many.yaml -o many.h5
exits 2
says "many.yaml ... kind ... 1024 ... uniform"
sed "2s/^[0-9]*,/0.5,/" train.csv >half.csv
run train --data half.csv --task task.yaml -o half.h5
exits 2
says "kind = 0.5 ... categorical(5, 3, 2)"

# Counts, of which pairs are the same by chance: not taken for copies, and each
# is judged by networks that have not seen it.
awk 'BEGIN { srand(3); print "theta.n,x.0"
    for (i = 0; i < 1000; i++) {
        n = 0; y = 0; t = -log(1 - rand())
        while (t < 4) { n++; y += rand() < 0.5; t -= log(1 - rand()) }
        print n "," y } }' >counts.csv
printf 'parameters: {n: poisson(4)}\n' >counts.yaml
run train --data counts.csv --task counts.yaml --method npe --network net.yaml \
    --epochs 10 -o counts.h5
exits 0
prints "CROSS-CHECKED ... 1,000 simulations ... 2 of 10"
run diagnose counts.h5
exits 0
prints "1,000 ... 2 of 10"
run train --data counts.csv --task counts.yaml --method npe --trust no \
    --network net.yaml --epochs 10 --members 1 -o plain.h5 --quiet
exits 0
run diagnose plain.h5 --data counts.csv -o ranks.json
exits 0
prints "n "
# Fresh pairs that are the same by chance are fresh all the same.
{ head -1 counts.csv; sed -n '502,$p' counts.csv; } >fresh.csv
head -501 counts.csv >few.csv
run train --data few.csv --task counts.yaml --method npe --network net.yaml \
    --epochs 10 --certify fresh.csv -o certified.h5
exits 0
prints "certificate   CERTIFIED"
run train --data counts.csv --task counts.yaml --method npe --network net.yaml \
    --epochs 10 --certify fresh.csv -o no.h5
exits 2
says "500 of the pairs"

finish
