#!/bin/sh
# Diagnoses of posteriors that can be drawn from: ranks among their draws.
. "$(dirname "$0")/lib.sh"
echo 'head: {hidden: [8], activation: elu}' >net.yaml
run simulate --task gaussian --option dim=6 --count 512 -o data.h5
exits 0
run simulate --task gaussian --option dim=6 --count 60 --split test -o test.h5
exits 0
run simulate --task gaussian --option dim=6 --count 40 --split calibrate \
    -o calibrate.h5
exits 0
run train --data data.h5 --network net.yaml --epochs 8 --members 2 \
    --method bnpe --calibrate calibrate.h5 -o bnpe.h5
exits 0
run train --data data.h5 --network net.yaml --epochs 2 --method nre -o nre.h5
exits 0

run diagnose bnpe.h5 --data test.h5 --threads 1 -o one.json
exits 0
prints '100 per pair, drawn ... each posterior'
holds grep -q '"grid": *"draws"' one.json
run diagnose bnpe.h5 --data test.h5 --threads 2 -o two.json
exits 0
same_file one-pairs.csv two-pairs.csv
run diagnose bnpe.h5 --data test.h5 --draws 20
exits 0
prints '20 per pair, drawn ... each posterior'
run diagnose bnpe.h5 --data test.h5 --draws 9
exits 2
says '10 are the least'

# Other questions, and other estimators, have points as ever.
run diagnose bnpe.h5 --data test.h5 --points 64 --most-points 64
exits 0
prints 'cells fitted ... each posterior'
run diagnose bnpe.h5 --data test.h5 --each-member
exits 0
prints 'Markov chains'
run diagnose bnpe.h5 --data test.h5 --temper 0.8
exits 0
prints 'Markov chains'
run diagnose nre.h5 --data test.h5 --draws 20 --most-points 20
exits 0
prints '20 per pair, drawn ... prior'

# Scores by draws are kept, and there are regions of six parameters.
run info bnpe.h5
prints 'with 40 pairs'
echo '0.1,0.2,-0.4,1,0.3,-1' >x.csv
run posterior bnpe.h5 --observation x.csv --levels 0.9 --regions conformal \
    -o posterior
exits 0
prints "the 90 % conformal region"
finish
