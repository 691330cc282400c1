#!/bin/sh
# x with more digits than floats have: what it tells is learned all the same.
. "$(dirname "$0")/lib.sh"

echo 'head: {hidden: [16, 16], activation: selu}' >net.yaml
printf 'parameters: {t: "uniform(0, 1)"}\nobservable: 1\n' >task.yaml
awk 'BEGIN {
    srand(9)
    print "theta.t,x.0"
    for (i = 0; i < 1500; i++) {
        t = rand()
        printf "%.9f,%.9f\n", t, t / 10 + (rand() - 0.5) / 100
    }
}' >hours.csv
awk -F, 'NR == 1 { print; next }
         { printf "%s,%.9f\n", $1, $2 + 2459000 }' hours.csv >days.csv

learn() { # DATA
    run train --data "$1.csv" --task task.yaml --network net.yaml --method nre \
        --epochs 15 --batch-size 100 --threads 1 -o "$1.h5"
    exits 0
    information=$(sed -n 's/^  information *\(-*[0-9.]*\).*/\1/p' .out)
}
learn hours
expected=$information
learn days
holds awk "BEGIN { exit !($expected > 0.8 && ($expected - $information)^2 < 0.02^2) }"

# An observation goes the same way, from text and from a dataset.
echo 0.0296 >observed.txt
run posterior hours.h5 --observation observed.txt --samples 10 -o hours
exits 0
hours=$(sed -n 's/^  t  *\([0-9.]*\) .*/\1/p' .out)
echo 2459000.0296 >observed.txt
run posterior days.h5 --observation observed.txt --samples 10 -o days
exits 0
case $err in *unlike*) fail 'the observation is within the range' ;; esac
days=$(sed -n 's/^  t  *\([0-9.]*\) .*/\1/p' .out)
holds awk "BEGIN { exit !(($hours - $days)^2 < 0.01^2 && ($days - 0.296)^2 < 0.05^2) }"
run posterior days.h5 --observation days.csv:3 --samples 10 -o row
exits 0
case $err in *unlike*) fail 'the row is within the range' ;; esac
run diagnose days.h5 --data days.csv --allow-seen --grid 64 -o pairs.json
exits 0
holds awk "BEGIN { exit !(\"$(sed -n 's/^  information gain *\([0-9.]*\).*/\1/p' .out)\" > 0.8) }"

# Digits that were lost before are missed: of an observation it is said, data are
# refused. Whole numbers are often floats without any loss.
echo 2459000 >observed.txt
run posterior days.h5 --observation observed.txt --samples 10 -o rounded
exits 0
says 'value 0 ... observation 0 ... only ... digits ... single precision'
holds grep -q 'digits of single' rounded/posterior.json
awk -F, 'NR == 1 { print; next } { printf "%s,%d\n", $1, 20000000 + $2 * 3000 }' \
    hours.csv >counts.csv
learn counts
echo 20000100 >observed.txt
run posterior counts.h5 --observation observed.txt --samples 10 -o counts
exits 0
case $err in *digits*) fail 'whole numbers need no digits behind them' ;; esac

# Files of ours keep what floats would lose, and only that.
run convert days.csv days.npz
exits 0
run convert days.npz back.csv
exits 0
run convert back.csv back.npz
exits 0
same_file back.npz days.npz
run info days.npz
prints 'double precision'
run convert hours.csv hours.npz
exits 0
run info hours.npz
case $out in *'double precision'*) fail 'hours need no more than floats' ;; esac
for file in csv npz; do
    run info days.$file
    printf '%s\n' "$out" | grep -o '[0-9a-f]\{32\}' >$file.print
done
same_file csv.print npz.print

# Simulating, too: days are refused at once, or kept with all their digits.
cat >days.py <<'END'
import sys, random
for line in sys.stdin:
    seed, t = line.split()
    random.seed(int(seed))
    noise = (random.random() - 0.5) / 100
    print(2459000 + (float(t) / 10 + noise), float(t), 0.1, flush=True)
END
cat >days.yaml <<'END'
parameters: {t: "uniform(0, 1)"}
observable: [3]
simulator: {command: [python3, days.py]}
END
run simulate --task days.yaml --count 1500 -o simulated.h5
exits 2
says 'value 0 of x ... 2459000'
says 'precision: double'
[ ! -e simulated.h5 ] && [ ! -e simulated.h5.part ] || fail 'nothing is kept'
run simulate --task days.yaml --count 20 -o few.h5
exits 0
says 'precision: double'
echo 'precision: double' >>days.yaml
sed 's/2459000 + //; s/, float(t), 0.1/, float(t) * 0, 0.1/' days.py >hours.py
sed 's/, float(t), 0.1/, float(t) * 0, 0.1/' days.py >d.py && mv d.py days.py
sed '/precision/d; s/days.py/hours.py/' days.yaml >hours.yaml
for task in days hours; do
    run simulate --task $task.yaml --count 1500 -o $task-sim.h5
    exits 0
    case $err in *digits*) fail "nothing is lost of $task" ;; esac
    run train --data $task-sim.h5 --network net.yaml --method nre --epochs 15 \
        --batch-size 100 --threads 1 -o $task-est.h5
    exits 0
    sed -n 's/^  information *\(-*[0-9.]*\).*/\1/p' .out >$task.learned
done
holds awk "BEGIN { exit !($(cat hours.learned) > 0.5 &&
    ($(cat hours.learned) - $(cat days.learned))^2 < 0.02^2) }"

# The same bytes with one worker or two, at once or extended; and formats.
run simulate --task days.yaml --count 700 --workers 1 -o grown.h5
exits 0
run simulate --task days.yaml --count 1500 --workers 2 -o grown.h5
exits 0
same_file grown.h5 days-sim.h5
run convert days-sim.h5 days-sim.npz
exits 0
run convert days-sim.npz again.h5
exits 0
same_file again.h5 days-sim.h5
run posterior days-est.h5 --observation days-sim.h5:3 --samples 10 -o kept
exits 0
case $err in *unlike*) fail 'the row is within the range' ;; esac

# Data that were rounded serve neither to judge nor to validate such an estimator.
sed 's/precision: double/precision: single/' days.yaml >single.yaml
run simulate --task single.yaml --count 200 --split test -o single.h5
exits 0
run diagnose days-est.h5 --data single.h5 -o single.json
exits 1
says 'single.h5 ... x ... single'
run train --data days-sim.h5 --validation single.h5 --epochs 1 -o never.h5
exits 2
says 'precision: single'

# And training on what was rounded is told of.
cat >coarse.py <<'END'
import sys
for line in sys.stdin:
    seed, t = line.split()
    print(10000 + float(t), flush=True)
END
sed '/precision/d; s/days.py/coarse.py/; s/\[3\]/[1]/' days.yaml >coarse.yaml
run simulate --task coarse.yaml --count 200 -o coarse.h5
exits 0
says 'value 0 of x ... 1000'
run train --data coarse.h5 --epochs 1 --batch-size 32 -o coarse-est.h5
exits 0
says 'coarser ... thousandth ... spread'
finish
