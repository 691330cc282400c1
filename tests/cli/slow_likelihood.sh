#!/bin/sh
# The examples of docs/likelihood.md as they are there, against exact answers.
. "$(dirname "$0")/lib.sh"
ln -s "$bnre" .bin/bnre
OPTIONS='head: {hidden: [16, 16], activation: elu}'

# Run the commands of a section, in a directory of its own. Training takes a
# smaller network, so that it is quick.
section() { # HEADING
    last="docs/likelihood.md, $1"
    mkdir -p "$scratch/section"
    rm -rf "$scratch/section"/*
    cd "$scratch/section" || exit 1
    echo "$OPTIONS" >net.yaml
    awk -v heading="## $1" '/^## / { on = $0 == heading } on' \
        "$SOURCE/docs/likelihood.md" |
        awk '/^```sh$/ { on = 1; next } /^```$/ { on = 0 } on' |
        sed 's/^bnre train/& --network net.yaml --members 1 --trust no --epochs 60/' \
            >script.sh
    [ -s script.sh ] || fail "there is no such section"
    sh -e script.sh >.out 2>.err </dev/null
    code=$?
    out=$(cat .out)
    err=$(cat .err)
    exits 0
}

# Moment KEY of parameter I in the file of a posterior.
moment() { # FILE KEY I
    tr -d ' \n' <"$1" | sed 's/"covariance".*//' | tr '{' '\n' |
        grep '"name"' | sed -n "$3"p | sed "s/.*\"$2\":\([-0-9.e]*\).*/\1/"
}
near() { # VALUE EXPECTED TOLERANCE
    awk -v a="$1" -v b="$2" -v t="$3" \
        'BEGIN { d = a - b; exit !(a != "" && d < t && -d < t) }' ||
        fail "$1 should be $2 within $3"
}

section 'Many observations'
[ "$(wc -l <catalogue/summaries.csv)" -eq 101 ] || fail 'a line for each row'
prints '100 rows'

# theta ~ N(0.5, 0.5^2) and N(0, 1), x ~ N(theta, 1).
section 'Another prior'
near "$(moment other/posterior.json mean 1)" 0.54 0.06
near "$(moment other/posterior.json sd 1)" 0.4472 0.05
near "$(moment other/posterior.json mean 2)" -0.2 0.1
near "$(moment other/posterior.json sd 2)" 0.7071 0.08
holds grep -q '"prior": "normal(0.5, 0.5)"' other/posterior.json
holds grep -q '"prior_outside": 0' other/posterior.json
# v is at most 2 exp(...), so a third or so of 4,000 pairs are left.
pairs=$(sed -n 's/.*"pairs": \([0-9]*\).*/\1/p' other.json | head -1)
[ "$pairs" -gt 800 ] && [ "$pairs" -lt 2400 ] || fail "$pairs pairs are left"
holds grep -q '"lost"' other.json
echo 'parameters: {theta_0: "uniform(5, 20)"}' >far.yaml
run posterior gaussian.h5 --observation observation.txt --prior far.yaml -o far
says '1 of the prior ... in a million'
run posterior gaussian.h5 --observation observation.txt --prior prior.yaml \
    --each test.h5 -o wrong
exits 2
# For all rows of a file likewise; and what is outside is refused with how much.
run posterior gaussian.h5 --each test.h5 --prior prior.yaml --samples 20 \
    --threads 1 -o many --dry-run
exits 0
echo 'parameters: {theta_0: "uniform(0, 1)", theta_9: "normal(0, 1)"}' >odd.yaml
run posterior gaussian.h5 --observation observation.txt --prior odd.yaml -o odd
exits 2
says 'odd.yaml ... theta_9'
run simulate --task slcp --count 200 -o slcp.h5
run train --data slcp.h5 --network net.yaml --members 1 --trust no --epochs 3 \
    --method nre -o slcp-e.h5
echo 'parameters: {theta_0: "normal(0, 2)"}' >wide.yaml
run posterior slcp-e.h5 --observation slcp.h5:0 --prior wide.yaml -o wide
exits 2
says '0.134 ... 0.001 ... theta_0 is normal(0, 2) ... uniform(-3, 3)'
# Pairs that were simulated for the new prior are taken as they are.
printf 'name: gaussian\nparameters: {theta_0: "normal(0.5, 0.5)"}\n' >task.yaml
run simulate --task task.yaml --count 300 --split test -o own.h5
exits 0
run diagnose gaussian.h5 --data own.h5 -o refused.json
exits 2
says 'another prior'
run diagnose gaussian.h5 --data own.h5 --prior prior.yaml -o own.json
exits 0
prints 'simulated for it'
holds grep -q '"pairs": 300' own.json

# In a study: the posterior of its observation.
cat >study.yaml <<'END'
task: gaussian
simulations: 300
epochs: 3
members: 1
test: 60
trust: no
network: {head: {hidden: [8, 8], activation: elu}}
observation: observation.txt
prior: prior.yaml
END
run run study.yaml -o study --quiet
exits 0
holds grep -rq '"prior": "normal(0.5, 0.5)"' study/runs
run run study.yaml -o study
exits 0
sed 's/0.5)/0.6)/' prior.yaml >next.yaml
mv next.yaml prior.yaml
run run study.yaml -o study --quiet
exits 0
holds grep -rq '"prior": "normal(0.5, 0.6)"' study/runs
echo 'parameters: {theta_0: "normal(0.5, 0.5)"}' >prior.yaml

# Conformal regions from weighted pairs.
run posterior gaussian.h5 --observation observation.txt --prior prior.yaml \
    --calibrate test.h5 --format svg -o conformal
exits 0
prints 'at least ... conformal region ... new prior'
holds grep -q '"worth"' conformal/posterior.json
fails grep -q '"beta"' conformal/posterior.json # the law of pairs without weights
run posterior gaussian.h5 --observation observation.txt --calibrate test.h5 -o wrong
exits 2
says 'pairs ... another prior'
run posterior gaussian.h5 --observation observation.txt --prior prior.yaml \
    --calibrate train.h5 -o wrong
exits 2
says '2000 ... trained on'

# theta_0 given x_0 alone, whatever x_1 and x_2 are: x_0 / 2, variance 1/2.
section 'Which parameters'
prints 'mass [M_sun]'
prints_not 'distance [Mpc]'
holds grep -q '"label": "distance"' row7/posterior.json
holds grep -q "mass .M" row7/corner.gp
run info two.h5
prints 'theta_2 ... theta_0'
near "$(moment row7/posterior.json sd 2)" 0.7071 0.1
run diagnose two.h5 --data three.h5 -o seen.json
exits 2
says 'trained on'
run train --data three.h5 --parameters theta_9 -o wrong.h5
exits 2
says 'theta_9'
run train --data three.h5 --network net.yaml --parameters theta_0 --epochs 2 \
    --certify 200 --members 2 --folds 2 --trust auto -o certified.h5
exits 0
printf 'name: gaussian\nconstraint: theta_0 > theta_1\n' >ordered.yaml
run simulate --task ordered.yaml --count 50 -o ordered.h5
run train --data ordered.h5 --parameters theta_0 -o wrong.h5
exits 2
says 'theta_1 ... theta_0 > theta_1'

# Precision [6 4; 4 9], mean (20.8, 14.4) / 38.
section 'Several experiments'
near "$(moment both/posterior.json mean 1)" 0.5474 0.08
near "$(moment both/posterior.json sd 1)" 0.4867 0.06
near "$(moment both/posterior.json mean 2)" 0.3789 0.08
near "$(moment both/posterior.json sd 2)" 0.3974 0.06
prints 'experiments   2'
echo 'parameters: {mass: "normal(0, 2)"}' >c.yaml
run train --data a.csv --task c.yaml --network net.yaml --members 1 --trust no \
    --epochs 2 -o c.h5
exits 0
run posterior c.h5 --observation a.txt --also b.h5 b.txt -o differ
exits 2
says 'mass ... normal(0, 2) ... normal(0, 1) ... prior'
echo 'parameters: {mass: "normal(0, 1)"}' >which.yaml
run posterior c.h5 --observation a.txt --also b.h5 b.txt --prior which.yaml \
    -o differ
exits 0
run posterior a.h5 --observation a.txt -o differ --also b.h5
exits 2
says 'also'

# p(model | x) of three normal distributions.
section 'Which model'
near "$(sed -n 2p equal.csv | cut -d, -f2)" 0.2447 0.1
near "$(sed -n 2p equal.csv | cut -d, -f3)" 0.6652 0.1
near "$(sed -n 3p equal.csv | cut -d, -f2)" 0.7870 0.1
near "$(sed -n 3p odds.csv | cut -d, -f2)" 0.9366 0.05
probability() { # I: of the study's last posterior
    tr -d ' \n' <which/runs/single/1/posterior/posterior.json |
        sed 's/.*"probabilities":\[\([^]]*\)\].*/\1/' | cut -d, -f"$1"
}
near "$(probability 1)" 0.884 0.06
near "$(probability 2)" 0.045 0.05
holds grep -q 'prior odds 4,1,1' which/report.html

section 'Does the model fit'
prints 'FITS ... MISFIT ... status 3'

# Probabilities of kinds by the normal law of x given each, and with even ones
# in the prior.
section 'Mixed parameters'
prints 'kind: 0 (0. ... 1 (0. ... 2 (0.'
kinds() { # FILE WEIGHTS
    python3 - "$1" "$2" <<'P' || fail "probabilities in $1"
import json, math, sys
kind = json.load(open(sys.argv[1]))["parameters"][0]
p = []
for c, w in zip((-2, 0, 3), map(float, sys.argv[2].split())):
    a, b = 0.4 - c, 0.3
    p.append(w * math.exp(-0.5 * (1.64 * a * a - 2 * a * b + 2 * b * b) / 2.28))
assert kind["values"] == [0, 1, 2]
for q, e in zip(kind["probabilities"], p):
    assert abs(q - e / sum(p)) < 0.08, (kind["probabilities"], p)
P
}
kinds source/posterior.json '5 3 2'
echo 'parameters: {kind: "categorical(1, 1, 1)"}' >even.yaml
run posterior kinds.h5 --observation source.txt --prior even.yaml -o even
exits 0
kinds even/posterior.json '1 1 1'

# Regions under another prior with more parameters than cells are for: draws of the
# density have weights there, and scores come from points.
run simulate --task gaussian --option dim=4 --count 400 -o four.h5 --quiet
run simulate --task gaussian --option dim=4 --count 400 --split calibrate \
    -o four-pairs.h5 --quiet
run train --data four.h5 --epochs 10 -o four-est.h5 --quiet
exits 0
echo 'parameters: {theta_0: "normal(0.5, 0.5)"}' >four.yaml
echo '0.1 0.2 -0.3 0.4' >four.txt
run posterior four-est.h5 --observation four.txt --prior four.yaml \
    --calibrate four-pairs.h5 --regions both -o four
exits 0
prints 'the new prior'
finish
