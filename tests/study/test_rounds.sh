#!/bin/sh
# Studies whose runs learn in rounds: the key `rounds`.
. "$(dirname "$0")/../cli/lib.sh"

cat >study.yaml <<'END2'
task:
  name: gaussian
  options: {dim: 1, noise: 0.1}
  parameters: {theta: "uniform(0, 10)"}
observation: obs.txt
simulations: 240
rounds: 2
members: 4
folds: 2
epochs: 20
network: {head: {hidden: [16], activation: elu}}
test: 100
samples: 200
END2
echo 4.2 >obs.txt
run run study.yaml -o one --no-report --quiet --threads 1
exits 0
dir=one/runs/single/1
holds grep -q '"cut": true' $dir/rounds/infer.json
holds grep -q '"pairs": 100' $dir/diagnose.json
fails test -e $dir/fresh.h5
fails test -e one/data/gaussian-train.h5
run info $dir/estimator.h5
prints "of the prior ... one observation"

# The same bytes for other threads; what is done is not done again.
run run study.yaml -o two --no-report --quiet --threads 3
exits 0
for file in estimator.h5 history.csv diagnose.json rounds/infer.json \
    posterior/posterior.json; do
    same_file $dir/$file two/runs/single/1/$file
done
touch -t 200001010000 two/runs/single/1/estimator.h5
run run study.yaml -o two --no-report --quiet
exits 0
holds test two/runs/single/1/estimator.h5 -ot study.yaml

# Whether the model fits: pairs near the observation are of the region.
run check $dir/estimator.h5 --observation obs.txt --draws 600 -o check
[ "$code" -eq 0 ] || [ "$code" -eq 3 ] || fail 'there should be a verdict'
prints 'near ... 400 of 4,000 pairs'
run simulate --task study.yaml --count 200 --split test -o whole.h5 --quiet
run check $dir/estimator.h5 --observation obs.txt --draws 600 --data whole.h5 -o no
exits 2
says 'region ... within'
echo 'parameters: {theta_0: "uniform(3, 5)"}' >prior.yaml
run diagnose $dir/estimator.h5 --data whole.h5 --prior prior.yaml
exits 2
says 'region ... another prior'

# Another alpha is another training, in the same place.
run run study.yaml -o two --no-report --quiet --set alpha=0.1
exits 0
fails cmp -s $dir/estimator.h5 two/runs/single/1/estimator.h5

refused() { # FACTS OPTION...
    facts=$1
    shift
    run run study.yaml -o no --no-report "$@"
    exits 2
    says "$facts"
}
refused "rounds" --set rounds=0
refused "calibrate" --set calibrate=100
refused "trust: auto" --set trust=no
sed '/^observation/d' study.yaml >none.yaml
run run none.yaml -o no --no-report
exits 2
says "observation"
finish
