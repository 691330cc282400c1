#!/bin/sh
# Wider conditional densities from the command line: the factor is kept with the
# estimator, or given where it is used, and is the same thing.
. "$(dirname "$0")/lib.sh"
echo 'head: {hidden: [16, 16], activation: elu}' >net.yaml
run simulate --task slcp --count 512 -o data.h5 --quiet
run simulate --task slcp --split test --count 60 -o test.h5 --quiet
train() { # OUTPUT OPTIONS...
    output=$1
    shift
    run train --data data.h5 --network net.yaml --epochs 8 -o "$output" \
        --quiet "$@"
}
train plain.h5 --method npe --trust no
exits 0
train wide.h5 --method npe --widen 1.5
exits 0
run info wide.h5
prints 'widen         1.5'
train wide.h5 --method npe --widen 1.5
exits 0
train wide.h5 --method npe --widen 2
exits 1
says 'force'
train wrong.h5 --method nre --widen 1.5
exits 2
says 'npe and bnpe'
train wrong.h5 --method npe --widen 0.5
exits 2

# The gain of every pair, by the factor kept and by the factor given.
run diagnose wide.h5 --data test.h5 -o kept.json --quiet
exits 0
run diagnose plain.h5 --data test.h5 --widen 1.5 -o given.json --quiet
exits 0
same_file kept-pairs.csv given-pairs.csv
run diagnose plain.h5 --data test.h5 -o plain.json --quiet
fails cmp -s kept-pairs.csv plain-pairs.csv
run diagnose --samples-file none.npz --data test.h5 --widen 2 -o samples.json
exits 2
says 'widen ... samples'

run posterior wide.h5 --observation test.h5:3 -o kept --quiet --format svg
exits 0
run posterior plain.h5 --observation test.h5:3 --widen 1.5 -o given --quiet \
    --format svg
exits 0
same_file kept/samples.csv given/samples.csv
finish
