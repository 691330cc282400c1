#!/bin/sh
# A study is the commands in a row: a study of one cell gives, file by file, what
# the commands give with the same settings - also how each file was made, its
# warnings, and the exit status. What a study has no words for is left out of
# the comparison by name: the figures and tables beside a diagnosis, their list
# and their format.
. "$(dirname "$0")/../cli/lib.sh"

cat >net.yaml <<'END'
head: {hidden: [8, 8], activation: elu}
END
cp "$SOURCE/studies/quickstart-observation.csv" obs.csv
# One unlike everything that was simulated, and two of the same parameters.
awk -F, -v OFS=, 'NR > 1 { for (i = 1; i <= NF; i++) $i = $i * 10000 }
                  { print }' obs.csv >far.csv
{ cat obs.csv; tail -n 1 obs.csv; } >two.csv
run_dir=s/runs/single/1

# A diagnosis without `files` and the format of figures.
bare() { # FILE
    sed 's/,$//' "$1" | awk '
        /^  "files": \[/ { skip = !/\]$/; next }
        !skip && !/^      "format": / { print }
        /^  \]/ { skip = 0 }'
}

# Compare what the study made with what the commands make.
# Arguments: the observation, the study's keys, then the same as options of
# train, diagnose and posterior.
compare() { # OBSERVATION STUDY TRAIN DIAGNOSE POSTERIOR
    rm -rf s estimator* diagnose* posterior*
    printf '%s\n' 'task: slcp' 'test: 60' 'simulations: 256' 'epochs: 2' \
        'network: {head: {hidden: [8, 8], activation: elu}}' \
        "observation: $1" "$2" >one.yaml
    run run one.yaml -o s --no-report
    study_code=$code
    grep -h 'warning: \|no conformal' .err | sed 's/^run: //' >study.err
    seed=$(sed -n 's/^seed: //p' $run_dir/run.yaml)
    # shellcheck disable=SC2086
    {
        run train --data train.h5 --network net.yaml --epochs 2 \
            --seed "$seed" -o estimator.h5 $3
        worst=$code
        same_file estimator.h5 $run_dir/estimator.h5
        same_file estimator.history.csv $run_dir/history.csv
        run diagnose estimator.h5 --data test.h5 -o diagnose.json --format svg $4
        [ "$code" -le "$worst" ] || worst=$code
        bare diagnose.json >diagnose.one
        bare $run_dir/diagnose.json >diagnose.two
        holds grep '"made"' diagnose.two
        holds grep '"each_member"' diagnose.two
        same_file diagnose.one diagnose.two
        run posterior estimator.h5 --observation "$1" --format svg $5
        [ "$code" -le "$worst" ] || worst=$code
    }
    # A command names options, a study its keys.
    grep -h 'warning: \|no conformal' .err |
        sed 's/--\([a-z]*\)/`\1`/g' >posterior.err
    same_file posterior.err study.err
    [ "$(ls -A posterior)" = "$(ls -A $run_dir/posterior)" ] ||
        fail "the same files should be in posterior and $run_dir/posterior"
    for file in posterior/*; do
        same_file "$file" "$run_dir/$file"
    done
    [ "$study_code" = "$worst" ] ||
        fail "the study ended with $study_code, the commands with $worst"
}

run simulate --task slcp --count 256 -o train.h5
exits 0
run simulate --task slcp --count 60 --split test -o test.h5
exits 0

compare obs.csv 'truth: 1.5,-0.8' '' '' '--truth 1.5,-0.8'
same_file train.h5 s/data/slcp-train.h5
same_file test.h5 s/data/slcp-test.h5
# Two members do from here on. A temper that is given says how cautious to be:
# nothing is chosen in training then.
compare obs.csv 'members: 2
temper: 0.5' '--members 2 --trust no' '--temper 0.5' '--temper 0.5'
compare far.csv 'members: 2
grid: paper' '--members 2' '--grid paper' ''
holds grep 'unlike the simulated' study.err
compare obs.csv 'members: 2
grid: 1' '--members 2' '--grid 1' ''
compare obs.csv 'members: 2
draws: 50
most_points: 100
eps: 0.1
theorems: 20
learning_curve: yes' '--members 2 --eps 0.1' '--draws 50 --most-points 100 --eps 0.1 --theorems 20 --learning-curve train.h5' ''

# Calibrated on the same pairs: of one observation, of two, and far away.
run simulate --task slcp --count 100 --split calibrate -o pairs.h5
exits 0
pairs='calibrate: 100'
compare test.h5:3 "members: 2
$pairs" '--members 2 --calibrate pairs.h5' '' ''
compare two.csv "members: 2
samples: 500
$pairs" '--members 2 --calibrate pairs.h5' '' '--samples 500'
compare far.csv "members: 2
$pairs" '--members 2 --calibrate pairs.h5' '' ''
holds grep 'unlike the pairs' study.err
same_file pairs.h5 s/data/slcp-calibrate.h5

# What was found out about an estimator, without further simulations and on
# fresh ones: the same certificate, in the same words.
compare obs.csv 'trust: auto' '--trust auto' '' ''
holds grep '"certificate"' diagnose.json
same_file posterior/posterior.json $run_dir/posterior/posterior.json
compare obs.csv 'method: npe
members: 2
trust: no' '--method npe --members 2 --trust no' '' ''
for split in select certify; do
    run simulate --task slcp --count 60 --split $split -o $split.h5
    exits 0
done
compare obs.csv "method: bnre
trust: fresh
select: 60
certify: 60
calibrate: 100" '--method bnre --trust fresh --select select.h5
    --certify certify.h5 --calibrate pairs.h5' '' ''
holds grep 'CERTIFIED' posterior/posterior.json

# A posterior that must not be used: status 3, now and when asked again.
awk 'BEGIN { print "theta_0,theta_1"
             for (i = 0; i < 50; i++) print i / 50 "," i % 7 / 7 }' >prior.csv
printf 'name: gaussian\nprior_samples: %s/prior.csv\n' "$PWD" >task.yaml
echo "0.5,0.3" >near.csv
cat >few.yaml <<'END'
task: task.yaml
method: bnre
test: 0
simulations: 256
epochs: 1
network: {head: {hidden: [8], activation: elu}}
observation: near.csv
END
for _ in once again; do
    run run few.yaml -o few --no-report
    exits 3
    says "1 ... 1 posteriors ... not ... runs/single/1: "
done
few=few/runs/single/1
run posterior $few/estimator.h5 --observation near.csv --format svg -o command
exits 3
same_file command/posterior.json $few/posterior/posterior.json
holds grep '"doubt"' $few/posterior/posterior.json
finish
