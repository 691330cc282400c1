#!/bin/sh
# bnre infer in rounds: the prior is cut to where the posterior is.
. "$(dirname "$0")/lib.sh"

# A posterior of 1 in a box of 40.
cat >task.yaml <<'END'
name: gaussian
options: {dim: 2}
parameters: {theta_0: "uniform(-20, 20)", theta_1: "uniform(-20, 20)"}
END
echo "3.5 19.5" >obs.txt # theta_1 is at the border of the prior
infer() { # DIR OPTION...
    to=$1
    shift
    run infer --task task.yaml --observation obs.txt --simulations 240 \
        --rounds 2 --samples 400 --format svg -o "$to" "$@"
}

infer one
exits 0
says "round 1     120 simulated in all" # while it works
says "round 2 ... changed"
prints "round 2     120 simulated in"
prints "cut off ... 0.05"
holds grep -q '"level"' one/infer.json
holds grep -q "restricted to a region" one/report.html
holds grep -q '"cut": true' one/infer.json
holds grep -q '"outside_bound"' one/infer.json
run info one/estimator.h5
exits 0
prints "uniform(-20, 20)" # theta, not places
prints "of the prior ... one observation"

# N(x, 1) cut at 20: means and widths within what 240 simulations allow.
awk -F, 'NR > 1 { n++; a += $1; aa += $1 * $1; b += $2; if ($2 > 20) bad = 1 }
    END { a /= n; b /= n; s = sqrt(aa / n - a * a)
          exit !(!bad && a > 2.5 && a < 4.5 && s > 0.6 && s < 3 &&
                 b > 17.5 && b < 19.8) }' one/posterior/samples.csv ||
    fail "the posterior should be about N(x, 1) within the prior"

# Outside its region the estimator says so.
run simulate --task task.yaml --split test --count 20 -o test.h5 --quiet
run diagnose one/estimator.h5 --data test.h5
exits 2
says "region ... one observation"

# It has a posterior of its own observation, and of no other.
run posterior one/estimator.h5 --observation obs.txt --samples 50 -o again
exits 0
echo "3.5 19.4" >near.txt
run posterior one/estimator.h5 --observation near.txt -o other
exits 2
says "not that observation"
run posterior one/estimator.h5 --each test.h5 -o each
exits 2
run check one/estimator.h5 --task task.yaml --observation near.txt -o other
exits 2
run check one/estimator.h5 --task task.yaml --observation obs.txt --draws 600 \
    --pairs 1000 -o check
holds grep -q '"near"' check/check.json
fails test -e other

# The command on the page makes the same again.
infer half --alpha 0.1 --samples 300
exits 0
command=$(sed -n 's/.*<pre>bnre infer\(.*\) -o DIR.*/\1/p' half/report.html)
eval "run infer $command -o remade"
exits 0
for file in infer.yaml infer.json estimator.h5 posterior/samples.csv; do
    same_file "half/$file" "remade/$file"
done

# Given simulations are the first of round 1, also where they are more than its
# share, and those in the region teach the next.
run simulate --task task.yaml --count 150 -o given.h5 --quiet
infer given --data given.h5
exits 0
prints "150 ... given"
prints "round 1     0 simulated"
holds grep -q '"simulated": 90' given/infer.json
holds test "$(grep -c '"cut": true' given/infer.json)" -eq 1
fails test -e given/round-1/simulations.h5

# Noise a hundred times as wide as the prior: nothing can be cut off.
cat >vague.yaml <<'END'
name: gaussian
options: {dim: 1, noise: 100}
parameters: {theta: "uniform(0, 1)"}
END
echo 20 >vague.txt
run infer --task vague.yaml --observation vague.txt --simulations 128 \
    --rounds 2 --samples 100 --format svg -o vague
prints "too little ... cut"
holds grep -q '"cut": false' vague/infer.json
fails grep -q '"cut": true' vague/infer.json
holds grep -q "too little to cut" vague/report.html
run info vague/estimator.h5
fails grep -q "around one observation" .out

# A region that no longer shrinks has all simulations that are left at once. So
# it is with these seeds 1 to 3: little may be cut off, so that a second region
# would be like the first.
cat >one.yaml <<'END'
name: gaussian
options: {dim: 1, noise: 0.5}
parameters: {theta: "uniform(0, 10)"}
END
echo 4.2 >one.txt
run infer --task one.yaml --observation one.txt --simulations 900 \
    --rounds 6 --alpha 0.01 --samples 100 --format svg -o shrunk
exits 0
prints "no longer shrinks"
holds grep -q '"stopped"' shrunk/infer.json
holds grep -q "fewer rounds than planned" shrunk/report.html
fails test -e shrunk/round-6
awk '/"simulated"/ { sum += $2; last = $2 }
    END { printf "%d in all, %d in the last round\n", sum, last
          exit !(sum == 900 && last > 150) }' shrunk/infer.json ||
    fail "all that are left should be made at once"

# What rounds cannot do.
refused() { # TEXT OPTION...
    text=$1
    shift
    run infer --task task.yaml --observation obs.txt --simulations 240 \
        -o refused "$@"
    exits 2
    says "$text"
    fails test -e refused
}
refused "npe or bnpe" --rounds 2 --method nre
refused "npe or bnpe" --rounds 2 --method bnre
refused "single observation" --rounds 2 --observation obs.txt
refused "rounds" --rounds 0
refused "too few for 10 rounds" --rounds 10 --simulations 100
printf 'theta_0,theta_1\n1,2\n3,4\n5,1\n' >draws.csv
cat >draws.yaml <<'END'
name: gaussian
options: {dim: 2}
prior_samples: draws.csv
END
run infer --task draws.yaml --observation obs.txt --simulations 240 \
    --rounds 2 -o refused
exits 2
says "known by draws"
finish
