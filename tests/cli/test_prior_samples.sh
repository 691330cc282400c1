#!/bin/bash
# Priors known by samples: a row that is drawn twice tells nothing new. Fifty
# rows cannot be worth hundreds of draws, and a posterior of so few is not to be
# used; more rows are worth what differs among them.
. "$2/tests/cli/lib.sh"

rows() { # COUNT: two normal parameters, from a generator of our own
    awk -v n="$1" 'BEGIN {
        srand(1); print "theta_0,theta_1"
        for (i = 0; i < n; i++) {
            r = sqrt(-2 * log(1 - rand())); a = 6.283185307 * rand()
            printf "%.6f,%.6f\n", r * cos(a), r * sin(a)
        }}'
}

echo 'head: {hidden: [16], activation: selu}' >net.yaml
for n in 50 5000; do
    rows "$n" >"prior$n.csv"
    printf 'name: gaussian\nprior_samples: %s/prior%s.csv\n' "$PWD" \
        "$n" >"task$n.yaml"
    run simulate --task "task$n.yaml" --count 400 -o "data$n.h5" --quiet
    exits 0
    run simulate --task "task$n.yaml" --split test --count 200 -o "test$n.h5" \
        --quiet
    exits 0
    run train --data "data$n.h5" --method nre --network net.yaml --epochs 10 -o "est$n.h5" --quiet
    exits 0
done
echo "0.5,0.3" >obs.csv

# Worth no more than there are rows, and an error that knows it.
run posterior est50.h5 --observation obs.csv -o few
exits 3
says "distinct draws ... prior, fewer ... 100. ... not ... samples"
says "prior more samples"
python3 - few/posterior.json <<'P' || fail "50 rows are worth 50 draws at most"
import json, sys
p = json.load(open(sys.argv[1]))
assert 1 < p["evidence"]["ess"] <= 50, p["evidence"]
assert any("distinct draws" in w for w in p["warnings"]), p["warnings"]
P

# Enough of them, and nothing is said.
run posterior est5000.h5 --observation obs.csv -o many
exits 0
prints_not "nan" # a volume needs a density
prints "volumes ... not known ... prior ... known ... draws"
python3 - many/posterior.json <<'P' || fail "5000 rows are worth less"
import json, sys
p = json.load(open(sys.argv[1]))
assert 100 < p["evidence"]["ess"] <= 5000, p["evidence"]
assert p["warnings"] == [], p["warnings"]
P

# A bank that is too small has another remedy.
run posterior est5000.h5 --observation obs.csv --bank 60 -o small
exits 3
says "try a larger --bank"

# The same in a diagnosis: effective points are distinct rows.
run diagnose est50.h5 --data test50.h5 -o few.json --quiet
exits 0
python3 - few-pairs.csv <<'P' || fail "effective points are distinct rows"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
key = [k for k in rows[0] if "effective" in k or "ess" in k][0]
assert all(float(r[key]) <= 51 for r in rows)
P

# A study says so, and so does its page.
cat >study.yaml <<'Y'
task: task50.yaml
simulations: 200
epochs: 1
method: nre
test: 50
observation: obs.csv
Y
run run study.yaml -o study
exits 3 # as the command: fifty rows
says "distinct draws"
holds grep -q "should not be used" study/report.html
holds grep -q "distinct draws" study/report.html
finish
