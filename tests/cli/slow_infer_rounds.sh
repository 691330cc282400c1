#!/bin/sh
# bnre infer in rounds: equal bytes, nearly exact posteriors, and observations
# that are like nothing.
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

infer one --quiet
exits 0

# The same bytes for other threads, and after being killed.
all_same() { # A B
    for file in report.html infer.json estimator.h5 posterior/samples.csv \
        posterior/posterior.json; do
        same_file "$1/$file" "$2/$file"
    done
}
# Killed as soon as a file of each stage is there, one after the other.
cat >until.sh <<'END2'
"$1" infer --task task.yaml --observation obs.txt --simulations 240 \
    --rounds 2 --samples 400 --format svg -o two --quiet &
pid=$!
while kill -0 $pid && [ ! -e two/$2 ]; do
    sleep 0.01
done
kill -9 $pid
wait
END2
for file in round-1/simulations.h5 round-1/estimator.h5 round-2/data.h5 \
    round-2/places.h5 round-2/estimator.h5 estimator.h5 \
    posterior/posterior.json; do
    sh until.sh "$bnre" $file 2>/dev/null
    holds test -e two/$file
done
infer two --threads 3 --quiet
exits 0
all_same one two

# N(x, 1) cut at 20, from 600 simulations.
run infer --task task.yaml --observation obs.txt --simulations 600 \
    --rounds 2 --samples 2000 --format svg -o exact --quiet
exits 0
awk -F, 'NR > 1 { n++; a += $1; aa += $1 * $1; b += $2; if ($2 > 20) bad = 1 }
    END { a /= n; b /= n; s = sqrt(aa / n - a * a)
          printf "means %g and %g, deviation %g\n", a, b, s
          exit !(!bad && a > 2.9 && a < 4.1 && s > 0.6 && s < 1.9 &&
                 b > 18.5 && b < 19.6) }' exact/posterior/samples.csv ||
    fail "the posterior should be about N(x, 1) within the prior"

# An observation unlike all simulations is not cut to.
echo "900 3" >far.txt
run infer --task task.yaml --observation far.txt --simulations 100 \
    --rounds 2 --samples 100 --format svg -o far
says "far ... simulations"
holds grep -q "far from all simulations" far/report.html
fails grep -q '"cut": true' far/infer.json

finish
