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
run info gaussian
exits 0
prints 'theta_0: normal(0, 1)'
run info mine.yaml
exits 0
prints 'without a simulator'
prints 'uniform(5, 7)'
printf 'parameters:\n  rate: "uniform(0 10)"\n' >wrong.yaml
run info wrong.yaml
exits 2
says 'wrong.yaml:2 ... rate ... column 11'
run info mine.h5
exits 0
run infer --task mine.yaml --data mine.csv --observation mine.csv:1
exits 2
says 'mine.yaml:1 ... no simulator ... simulator: {command:'
echo 0.28 6.03 >numbers
last='bnre posterior --observation -'
"$bnre" posterior mine.h5 --observation - -o stdin <numbers >.out 2>.err || fail 'standard input should be read'
run posterior mine.h5 --observation numbers -o file
exits 0
same_file stdin/samples.csv file/samples.csv
echo 0.28 nan >numbers
run posterior mine.h5 --observation numbers -o other
exits 1
says 'value 1 of observation 0 ... NaN'

# Without a header a table is read where all its columns are of one kind:
# observations, parameters, rows of a class. A dataset needs one.
printf '0.28,6.03\n' >bare.csv
run posterior mine.h5 --observation bare.csv -o bare
exits 0
same_file bare/samples.csv file/samples.csv
printf '0.5,-1\n1.5,2\n' >theta.csv
printf 'theta_0,theta_1\n0.5,-1\n1.5,2\n' >named.csv
run simulate --task slcp --theta-file theta.csv --count 2 -o bare.h5
exits 0
run simulate --task slcp --theta-file named.csv --count 2 -o named.h5
exits 0
[ "$(fingerprint bare.h5)" = "$(fingerprint named.h5)" ] ||
    fail 'parameters without a header should be read by place'
for name in first second; do
    awk -v shift="$name" 'BEGIN {
        srand(length(shift))
        for (i = 0; i < 80; i++)
            printf "%.4f,%.4f\n", rand() + (shift == "first"), rand()
    }' >$name.csv
done
run train --classes first.csv second.csv --network net.yaml --epochs 2 \
    --batch-size 16 -o classes.h5
exits 0
sed 1d mine.csv >headless.csv
run train --data headless.csv --task mine.yaml --network net.yaml -o wrong.h5
exits 1
says 'column names'
finish
