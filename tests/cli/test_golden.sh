#!/bin/sh
# Whole sentences, kept on purpose: the ones that people meet first or that matter
# most. All other tests look for facts, so that this is the one to change when a
# sentence is improved.
. "$(dirname "$0")/lib.sh"
kept=$SOURCE/tests/data/0.1.0
cp "$kept/gaussian.h5" "$kept/slcp.h5" "$kept/nre.h5" "$kept/trusted.h5" "$kept/obs.csv" .

# A paragraph of stdout, whatever the width of lines.
tells() { # FACTS
    out=$(tr -s ' \n' ' ' <.out)
    prints "$1"
}

# Wrong words, in a command, an option and a file.
run simluate
says 'bnre: unknown command "simluate": did you mean "simulate"?
see bnre --help'
run simulate --task gaussian --split tset
says 'split must be one of train, validate, schedule, select, certify, calibrate, test, got "tset": did you mean "test"?'
printf 'task: gaussian\n\ncuont: 7\n' >bad.yaml
run simulate --config bad.yaml
says 'bad.yaml:3: unknown setting "cuont": did you mean "count"?'
printf 'parameters: {rate: "uniform(0 10)"}\nobservable: 1\nsimulator: {command: [true]}\n' >mine.yaml
run simulate --task mine.yaml
says 'prior of rate: "uniform(0 10)": at column 11: expected '"','"' after low, found '"'1'"'; write uniform(low, high)'
run simulate --task gaussian --workers 2
says 'workers are for external programs; the task gaussian is simulated by threads'

# Files that do not fit.
run simulate --task gaussian --count 3
says 'gaussian.h5 has 64 rows, only 3 were asked for: use --force to replace it, or another -o'
printf 'a,rate\n1,2\n3,fast\n' >c.csv
run train --data c.csv --task gaussian
says 'c.csv:3: column "rate": "fast" is not a number'
run train --data slcp.h5 --task gaussian
says 'slcp.h5 is of another task than gaussian ("name: slcp" and "name: gaussian")'
echo 1 2 3 >three.txt
run posterior nre.h5 --observation three.txt
says 'three.txt has shape 3, an observation has shape 8 (several: N x 8): was the estimator trained for another task?'
run train --data slcp.h5 --certify slcp.h5 --trust fresh
says 'of the pairs to certify with are ones that the estimator is trained on: simulate fresh ones with --split certify'
run simulate --task gaussian --count 64 -o damaged.h5 --quiet
size=$(wc -c <damaged.h5) # x ends before status (a byte a row) and 32 bytes of checksums
printf '\377\377' | dd of=damaged.h5 bs=1 seek=$((size - 32 - 64 - 256)) conv=notrunc 2>.dd
run info damaged.h5
says 'damaged.h5 was changed or damaged after it was written: rows ... do not match their checksum; take it from a copy, or make it again'

# How far a result may be believed.
run posterior nre.h5 --observation obs.csv --sampler chain --steps 5 --samples 20 -o doubt
exits 3
says 'the Markov chains did not converge: R-hat ... Do not use these samples; try more --steps, or fewer parameters'
tells 'NOT CERTIFIED: nothing was tested, neither out of fold (training with --trust auto) nor on fresh pairs'
echo 1e9 0 0 0 0 0 0 0 >far.txt
run posterior trusted.h5 --observation far.txt --samples 20 -o far
says 'observation 0 is unlike the simulated ones: 1 of its 8 values lie outside their range; value 0 is 1,000,000,000'
says 'The posterior cannot be relied on there'
tells 'the 68.3 % conformal region contains the true parameters in at least 68.3 % of cases, for data from this simulator and prior'
run simulate --task slcp --split test --count 200 -o test.h5 --quiet
run diagnose nre.h5 --data test.h5 --check
exits 3
says 'the check failed: UNINFORMATIVE'
tells "UNINFORMATIVE: the information gain of ... nats is not clearly above 0.05, so this posterior tells hardly more than the prior, whatever its coverage."
tells 'nothing is said about a single observation.'
finish
