#!/bin/sh
# Columns are found by their names wherever files have them: in another order
# they mean the same, and names that do not match are refused with both lists.
. "$(dirname "$0")/lib.sh"

cat >task.yaml <<'END'
parameters:
  a: uniform(0, 1)
  b: uniform(5, 7)
observable: 2
END
echo 'head: {hidden: [8, 8], activation: selu}' >net.yaml
awk 'BEGIN {
    srand(3)
    print "theta.a,theta.b,x.0,x.1"
    for (i = 0; i < 600; i++) {
        a = rand(); b = 5 + 2 * rand()
        printf "%.6f,%.6f,%.6f,%.6f\n", a, b, a + (rand() - 0.5) / 10,
               b + (rand() - 0.5) / 5
    }
}' >data.csv
awk -F, '{ print $2 "," $4 "," $1 "," $3 }' data.csv >turned.csv
sed '1s/.*/theta.a,theta.b,x.flux,x.mass/' data.csv >named.csv
sed '1s/.*/theta.b,x.mass,theta.a,x.flux/' turned.csv >named-turned.csv
sed '1s/theta.a/theta.c/' data.csv >other.csv
sed '1s/x.mass/x.size/' named.csv >other-x.csv
for file in turned named other; do
    run convert $file.csv $file.h5
    exits 0
    run convert $file.csv $file.npz
    exits 0
done

train() { # DATA OUTPUT [OPTIONS]
    data=$1
    output=$2
    shift 2
    run train --data "$data" --task task.yaml --network net.yaml --epochs 4 \
        --batch-size 64 --method nre --threads 1 -o "$output" "$@"
}
draws() { # ESTIMATOR OBSERVATION: the posterior's draws, into draws.csv
    run posterior "$1" --observation "$2" --samples 50 --threads 1 -o post \
        --force
    exits 0
    cp post/samples.csv draws.csv
}

# Training: whatever the order and the format, the same is learned.
train data.csv plain.h5
exits 0
echo 0.3 5.5 >observed.txt
draws plain.h5 observed.txt
mv draws.csv expected.csv
for file in turned.csv turned.h5 turned.npz named.h5; do
    train $file estimator.h5 --force
    exits 0
    draws estimator.h5 observed.txt
    same_file draws.csv expected.csv
done
train data.csv estimator.h5 --force --validation turned.h5
exits 0
train data.csv estimator.h5 --force --validation other.csv
exits 2
says 'other.csv ... c, b ... a, b'
for file in other.csv other.h5 other.npz; do
    train $file estimator.h5 --force
    exits 2
    says "$file ... c, b ... a, b"
done

# Observations: by index, or by the names that x had in training.
draws plain.h5 data.csv:7
grep -q '"truth"' post/posterior.json && sed -n '/"truth"/p' post/posterior.json >truth
mv draws.csv row.csv
for row in turned.csv:7 turned.h5:7 turned.npz:7; do
    draws plain.h5 $row
    same_file draws.csv row.csv
    sed -n '/"truth"/p' post/posterior.json >truth.turned
    same_file truth truth.turned
done
printf 'x.1,x.0\n5.5,0.3\n' >indexed.csv
draws plain.h5 indexed.csv
same_file draws.csv expected.csv
printf 'x.1,x.2\n5.5,0.3\n' >gap.csv
run posterior plain.h5 --observation gap.csv -o post --force
exits 1
says 'some are missing'
printf 'x.0,x.00\n5.5,0.3\n' >twice.csv
run posterior plain.h5 --observation twice.csv -o post --force
exits 1
says 'twice'
train named.csv named-estimator.h5
exits 0
for names in 'mass,flux' 'x.mass,x.flux'; do
    printf '%s\n5.5,0.3\n' "$names" >observed.csv
    draws named-estimator.h5 observed.csv
    same_file draws.csv expected.csv
done
draws named-estimator.h5 observed.txt
same_file draws.csv expected.csv
draws named-estimator.h5 named-turned.csv:7
same_file draws.csv row.csv
printf 'mass,size\n5.5,0.3\n' >observed.csv
run posterior named-estimator.h5 --observation observed.csv -o post --force
exits 2
says 'columns ... x ... observed.csv ... called mass, size ... training data ... called flux, mass'

# Test pairs, and pairs to calibrate with.
diagnose() { # ESTIMATOR DATA OUTPUT
    run diagnose "$1" --data "$2" --grid 8 --threads 1 -o "$3" --force \
        --allow-seen
}
awk -F, 'NR == 1 || NR > 400' data.csv >few.csv
awk -F, 'NR == 1 || NR > 400' turned.csv >few-turned.csv
awk -F, 'NR == 1 || NR > 400' named-turned.csv >few-named.csv
diagnose named-estimator.h5 few.csv straight.json
grep -v '"data"\|csv' straight.json >straight
for file in few-turned.csv few-named.csv; do
    diagnose named-estimator.h5 $file pairs.json
    exits 0
    grep -v '"data"\|csv' pairs.json >pairs
    same_file straight pairs
done
run diagnose plain.h5 --data few-turned.csv -o refused.json
exits 2
says '201 pairs ... estimator ... trained'
diagnose plain.h5 other.csv refused.json
exits 2
says 'are called c, b'
diagnose named-estimator.h5 other-x.csv refused.json
exits 2
says 'called flux, size ... training data ... called flux, mass'
train data.csv estimator.h5 --force --calibrate other.csv
exits 2
says 'are called c, b'

# Parameters given in files, and draws of a prior.
printf 'parameters: {a: samples, b: samples}\nprior_samples: %s\nobservable: 2\n' \
    other.csv >sampled.yaml
run train --data data.csv --task sampled.yaml -o estimator.h5 --force
exits 2
says 'c, b ... a, b'

# Classes.
awk 'BEGIN { srand(5); print "u,v"; for (i = 0; i < 400; i++) print rand() "," 9 + rand() }' >one.csv
awk 'BEGIN { srand(6); print "v,u"; for (i = 0; i < 400; i++) print 9 + rand() "," rand() }' >two.csv
sed '1s/v/w/' two.csv >three.csv
run train --classes one.csv two.csv --network net.yaml --epochs 2 \
    --batch-size 32 -o classes.h5
exits 0
# What was one column with values around 0.5 and 9.5 would be told apart.
run train --classes one.csv three.csv --network net.yaml --epochs 2 \
    --batch-size 32 -o classes.h5 --force
exits 2
says 'called w, u ... training data ... called u, v'
sed -n 1,5p one.csv | awk -F, '{ print $2 "," $1 }' >swapped.csv
sed -n 1,5p one.csv >kept.csv
run posterior classes.h5 --observation kept.csv
exits 0
cp .out kept.out
run posterior classes.h5 --observation swapped.csv
same_file .out kept.out
finish
