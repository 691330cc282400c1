#!/bin/sh
# What a study does with its observation besides: some parameters, another prior,
# further experiments, a check; the same as the commands alone.
. "$(dirname "$0")/lib.sh"

small='--members 1 --trust no --epochs 3 --quiet'
mkdir other
printf 'name: gaussian\noptions: {dim: 3}\n' >other/task.yaml
"$bnre" simulate --task other/task.yaml --count 400 -o other/data.h5 --quiet
"$bnre" train --data other/data.h5 --parameters theta_0,theta_2 $small -o other/e.h5
echo 0.5 0.1 -1 >other/seen.txt
echo 'parameters: {theta_0: "normal(0.5, 0.5)"}' >prior.yaml
printf 'x_0,x_1\n1,1\n' >seen.csv
printf 'x.0,x.1\n1,2\n0,-1\n' >rows.csv
cat >study.yaml <<'END'
task: gaussian
simulations: 400
test: 0
members: 1
trust: no
epochs: 3
network: {head: {hidden: [8], activation: selu}}
observation: seen.csv
END
study() { # the study with further lines
    cat study.yaml - >more.yaml
}
same_draws() { # of the command with ARGUMENTS and of the study
    run posterior out/runs/single/1/estimator.h5 --observation seen.csv "$@" \
        --format svg -o alone --force --quiet
    exits 0
    same_file alone/samples.npy out/runs/single/1/posterior/samples.npy
}

# Further experiments, as a map or one after the other; paths are beside the
# file of the study.
study <<'END'
also: {other/e.h5: other/seen.txt}
show: theta_2,theta_0
truth: 1,1,-0.5
each: rows.csv
END
run run more.yaml -o out
exits 0
same_draws --also other/e.h5 other/seen.txt --truth 1,1,-0.5
holds grep -q 'Of 2 experiments together. NOT CERTIFIED' out/report.html
holds grep -q '"truth": -0.5' out/runs/single/1/posterior/posterior.json
run posterior out/runs/single/1/estimator.h5 --each rows.csv -o alone-each --quiet
exits 0
same_file alone-each/samples.npy out/runs/single/1/each/samples.npy
mkdir elsewhere
cd elsewhere || exit 1
sed -i 's/^also.*/also: [other\/e.h5, other\/seen.txt]/' ../more.yaml
run run ../more.yaml -o ../out
cd ..
exits 0
prints '1 was done already'
# What was observed there decides, too.
echo 0.5 0.1 2 >other/seen.txt
run run more.yaml -o out
exits 0
says '1 of 1 runs ... posterior again'
same_draws --also other/e.h5 other/seen.txt --truth 1,1,-0.5

# With another prior, and without one where it has to be said which is meant.
study <<'END'
also: {other/e.h5: other/seen.txt}
prior: prior.yaml
END
run run more.yaml -o out --quiet
exits 0
same_draws --also other/e.h5 other/seen.txt --prior prior.yaml
holds grep -q 'Of 2 experiments together, .*prior' out/report.html
study <<'END'
also: {other/e.h5: other/seen.txt}
END
run run more.yaml -o no \
    --set 'task={name: gaussian, parameters: {theta_0: "normal(0, 2)"}}'
exits 2
says 'theta_0 ... normal(0, 2) ... normal(0, 1) ... prior'
run run more.yaml -o no --set also=other/none.h5
exits 2
says 'also: other/none.h5'
fails test -e no

# Coverage and regions under the other prior, from the test pairs.
study <<'END'
prior: prior.yaml
regions: both
END
run run more.yaml -o under --quiet --set test=400
exits 0
dir=under/runs/single/1
run diagnose $dir/estimator.h5 --data under/data/gaussian-test.h5 \
    --prior prior.yaml -o under.json
exits 0
for key in verdict words pairs auc information most; do
    grep "\"$key\":" under.json >one
    grep "\"$key\":" $dir/diagnose-prior.json >two
    holds test -s one
    same_file one two
done
run posterior $dir/estimator.h5 --observation seen.csv --prior prior.yaml \
    --calibrate under/data/gaussian-test.h5 --format svg -o regions --quiet
exits 0
grep '"qhat"' regions/posterior.json >one
grep '"qhat"' $dir/posterior/posterior.json >two
holds test -s one
same_file one two
holds grep -q 'under the other prior</dt><dd>[A-Z]*: ' under/report.html
# Too few that are left are told, and no failure.
echo 'parameters: {theta_0: "normal(3, 0.01)"}' >prior.yaml
run run more.yaml -o under --quiet --set test=400
exits 0
holds grep -q ' of the 400 pairs are left' $dir/diagnose-prior.json
# Nor that there are none that could stand for those of the other prior.
echo 'parameters: {theta_0: fixed(0.5)}' >prior.yaml
run run more.yaml -o under --set test=400
exits 0
says 'warning: ... no conformal regions: ... fixes a parameter'
holds grep -q 'no conformal regions' $dir/posterior/posterior.json
fails grep -q '"qhat"' $dir/posterior/posterior.json
run run more.yaml -o under --quiet --set test=400 --set local=true
exits 0
echo 'parameters: {theta_0: "normal(0.5, 0.5)"}' >prior.yaml

# Some parameters: the truth is that of all, or of these.
study <<'END'
parameters: theta_1
truth: 1.5,-0.8
show: theta_1
check: 600
END
run run more.yaml -o some --quiet
exits 0
holds grep -q '"truth": -0.8' some/runs/single/1/posterior/posterior.json
holds grep -q '"verdict"' some/runs/single/1/check/check.json
run run more.yaml -o some --quiet --set truth=0.25
exits 0
holds grep -q '"truth": 0.25' some/runs/single/1/posterior/posterior.json
run run more.yaml -o no --set show=theta_0
exits 2
says 'theta_0 ... theta_1'

# Of these a study has one: as an axis they would have been left aside.
for key in prior also; do
    run run study.yaml -o no --set "sweep={$key: [prior.yaml]}"
    exits 2
    says "$key ... axis"
done

# Experiments that share parameters, of which one has a condition on them.
printf 'name: gaussian\nconstraint: theta_0 > theta_1\n' >ordered.yaml
"$bnre" simulate --task ordered.yaml --count 200 -o ordered.h5 --quiet
"$bnre" train --data ordered.h5 $small -o ordered-e.h5
"$bnre" simulate --task gaussian --count 200 -o free.h5 --quiet
"$bnre" train --data free.h5 $small -o free-e.h5
for pair in 'free-e.h5 ordered-e.h5' 'ordered-e.h5 free-e.h5'; do
    set -- $pair
    run posterior "$1" --observation seen.csv --also "$2" seen.csv -o no
    exits 2
    says 'theta_0 ... theta_0 > theta_1 ... prior'
done
run posterior free-e.h5 --observation seen.csv --also ordered-e.h5 seen.csv \
    --prior prior.yaml -o both
exits 0
run posterior ordered-e.h5 --observation seen.csv --also ordered-e.h5 seen.csv \
    -o twice
exits 0

finish
