#!/bin/sh
# bnre train: what it prints, what it refuses, and Ctrl-C.
. "$(dirname "$0")/lib.sh"

"$bnre" simulate --task gaussian --count 1000 -o data.h5 --quiet
"$bnre" simulate --task gaussian --count 200 --split validate -o val.h5 --quiet
"$bnre" simulate --task slcp --count 300 -o slcp.h5 --quiet
echo 'head: {hidden: [8, 8], activation: selu}' >net.yaml
train="train --data data.h5 --network net.yaml --batch-size 32 --members 1"

run $train --epochs 3 -o est.h5
exits 0
prints '900 ... 100'
prints 'epochs        3 of 3'
prints 'method        bnpe, lambda 100'
prints 'chance is 0.0000'
prints '(1 is balanced)'
prints 'nats'
says 'train: 900 simulations ... learn ... 100 ... validation; 1 network'
says 'next: bnre info est.h5'
holds test -s est.history.csv
head -1 est.history.csv >.head
holds grep -q '^member,epoch,learning_rate,lambda,train_loss,' .head
[ "$(wc -l <est.history.csv)" -eq 4 ] || fail 'the history has a line per epoch'

# Done already; and other settings need --force.
cp est.h5 first.h5
run $train --epochs 3 -o est.h5
exits 0
prints 'was there already'
same_file est.h5 first.h5
run $train --epochs 3 --lambda 10 -o est.h5
exits 1
says '"lambda: 100" there, "lambda: 10" asked for'
says '--force'
same_file est.h5 first.h5
run $train --epochs 3 --lambda 10 -o est.h5 --force --quiet
exits 0
[ -z "$out$err" ] || fail 'nothing should be said'

# The same from a file, and for any threads.
printf 'data: data.h5\nnetwork: net.yaml\nbatch_size: 32\nepochs: 3\nmembers: 1\n' >c.yaml
run train --config c.yaml --threads 1 -o one.h5 --history one.csv
exits 0
same_file one.h5 first.h5
holds test -s one.csv

run $train --dry-run -o dry.h5
exits 0
prints 'would ... 1 network ... dry.h5'
prints 'pairing: derangement'
fails test -e dry.h5

run $train --recipe paper --members 2 --epochs 2 --validation val.h5 -o p.h5
exits 0
prints '900 ... learn ... 200 ... validation, 100 ... learning rate'
says 'held ... validation, 100 ... learning rate'

# What does not fit.
run train -o x.h5
exits 2
says '--data FILE'
run $train --validation slcp.h5 -o x.h5
exits 2
says 'slcp.h5 ... task ... data.h5'
run $train --task slcp -o x.h5
exits 2
says 'another task'
run $train --lambda -1 -o x.h5
exits 2
says 'lambda'
run $train --batch-size 2000 -o x.h5
exits 2
says 'fewer ... batch of 2000'
# A batch is no reason to refuse few simulations, unless its size was asked for.
"$bnre" simulate --task gaussian --count 100 -o few.h5 --quiet
run train --data few.h5 --network net.yaml --method nre --members 1 --epochs 1 \
    -o few_est.h5 --quiet
exits 0
run info few_est.h5
prints 'batch_size ... 64'
run train --data few.h5 --network net.yaml --method nre --members 1 --epochs 1 \
    --batch-size 128 -o x.h5
exits 2
says '90 ... fewer ... batch of 128'
run $train --weighs best -o x.h5
exits 2
says 'did you mean --weights?'
echo 'head: {hiden: [8]}' >bad.yaml
run train --data data.h5 --network bad.yaml -o x.h5
exits 2
says 'bad.yaml:1'
run $train -o x.npz
exits 2
says 'ends in .h5'
run $train --epochs 1 -o no/such/place.h5
exits 0
says ', 1 epoch at most'
run $train --epochs 1 -o val.h5
exits 1
says 'use --force'

# Data from elsewhere, with the priors in a file.
"$bnre" convert data.h5 theta.npy,x.npy >/dev/null 2>&1
run train --data theta.npy,x.npy --network net.yaml --epochs 1 -o x.h5
exits 2
says 'theta.npy,x.npy ... --task'
cat >task.yaml <<'END'
task:
  parameters: {a: "normal(0, 1)", b: "normal(0, 1)"}
  observable: [2]
END
run train --data theta.npy,x.npy --task task.yaml --network net.yaml \
    --epochs 1 -o away.h5
exits 0

# Ctrl-C, sent once training has begun; it would take minutes to its end. That
# resumed trainings end in the same bytes is tests/infer's to show.
long="$train --epochs 1e6 --patience 1e6 --stop-at-floor=no -o cut.h5"
last='an interrupted training'
rm -f .err
"$bnre" $long >.out 2>.err &
pid=$!
while ! grep -qs 'to learn from' .err; do
    kill -0 $pid || break
done
kill -INT $pid
wait $pid
code=$?
out=$(cat .out)
err=$(cat .err)
exits 130
says 'training ... far ... kept ... cut.h5.*.part ... same command'
holds test -s cut.h5.1.part
fails test -e cut.h5
run $long --seed 2
exits 1
says '"seed: 1" there, "seed: 2" asked for'
run $long --max-time 0.001
exits 0
prints 'time ... over'
fails test -e cut.h5.1.part

# A terminal gets a bar; how much it shows of so short a training depends on the
# machine.
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    last='train on a terminal'
    script -qec "$bnre $train --epochs 100 --members 2 -o bar.h5" /dev/null \
        </dev/null >.out 2>.err
    code=$?
    out=$(cat .out)
    exits 0
    prints 'train  ['
fi

finish
