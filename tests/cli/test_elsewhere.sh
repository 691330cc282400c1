#!/bin/sh
# Data made elsewhere: the example of docs/datasets.md, and what may be left out.
. "$(dirname "$0")/lib.sh"

awk '/^## Data made elsewhere/ { on = 1 } /^## Digits/ { on = 0 }
     on && /^```yaml/ { take = 1; next } on && /^```/ { take = 0 }
     on && take' "$SOURCE/docs/datasets.md" >mine.yaml
holds grep -q '^name: mine' mine.yaml
fails grep -q observable mine.yaml
awk 'BEGIN {
    srand(3)
    print "theta.a,theta.b,x.0,x.1"
    for (i = 0; i < 600; i++) {
        a = rand(); b = 5 + 2 * rand()
        printf "%.6f,%.6f,%.6f,%.6f\n", a, b, a + (rand() - 0.5) / 10,
               b + (rand() - 0.5) / 5
    }
}' >mine.csv
echo 'head: {hidden: [8, 8], activation: selu}' >net.yaml
run train --data mine.csv --task mine.yaml --network net.yaml --epochs 2 \
    --batch-size 64 -o mine.h5
exits 0
run info mine.yaml
exits 0
prints 'parameters and priors, without a simulator'
prints 'uniform(5, 7)'
run info mine.h5
exits 0
echo 0.28 6.03 >numbers
last='bnre posterior --observation -'
"$bnre" posterior mine.h5 --observation - -o stdin <numbers >.out 2>.err || fail 'standard input should be read'
run posterior mine.h5 --observation numbers -o file
exits 0
same_file stdin/samples.csv file/samples.csv
echo 0.28 nan >numbers
run posterior mine.h5 --observation numbers -o other
exits 1
says 'value 1 of observation 0 is NaN'
finish
