#!/bin/bash
# What a task file names is found beside that file, wherever a command is
# started and wherever its results go.
. "$2/tests/cli/lib.sh"

mkdir -p p/data q
awk 'BEGIN { srand(1); print "theta_0,theta_1"
             for (i = 0; i < 500; i++) print rand() "," rand() }' >p/prior.csv
printf 'name: gaussian\nprior_samples: prior.csv\n' >p/task.yaml
cat >p/study.yaml <<'Y'
task: task.yaml
simulations: 200
epochs: 1
method: nre
network: {head: {hidden: [4], activation: selu}}
test: 50
Y
sed 's/task: .*/task: {name: gaussian, prior_samples: prior.csv}/' p/study.yaml \
    >p/inline.yaml
train="--method nre --epochs 1 --quiet"

# A dataset below the task file; another file of that name is no matter.
run simulate --task p/task.yaml --count 200 -o p/data/d.h5 --quiet
exits 0
printf 'theta_0,theta_1\n1,2\n' >p/data/prior.csv
run train --data p/data/d.h5 $train -o e.h5
exits 0

# From elsewhere: with the task file, or words that say so.
cd q || exit 1
run simulate --task ../p/task.yaml --count 200 -o d.h5 --quiet
exits 0
same_file d.h5 ../p/data/d.h5
run train --data d.h5 $train -o e.h5
exits 2
says "draws ... prior, prior.csv ... not"
says "--task FILE.yaml"
run train --task ../p/task.yaml --data d.h5 $train -o e.h5
exits 0
same_file e.h5 ../e.h5
cp ../p/prior.csv .
run train --data d.h5 $train -o again.h5
exits 0
printf 'theta_0,theta_1\n1,2\n' >prior.csv
run train --data d.h5 $train -o changed.h5
exits 2
says "changed"
cd .. || exit 1

# Studies, with results inside, outside, and started elsewhere.
for study in study inline; do
    run run p/$study.yaml -o p/$study --no-report --quiet
    exits 0
    run run p/$study.yaml -o $study --no-report --quiet
    exits 0
    (cd q && "$bnre" run ../p/$study.yaml -o $study --no-report --quiet) ||
        fail "a study is started elsewhere"
    same_file $study/runs/single/1/estimator.h5 \
        p/$study/runs/single/1/estimator.h5
    same_file $study/runs/single/1/estimator.h5 \
        q/$study/runs/single/1/estimator.h5
done
finish
