#!/bin/sh
# bnre train --classes with more than two classes: the report, probabilities for
# equal and other odds, and what is refused.
. "$(dirname "$0")/lib.sh"

for class in 1 2 3; do
    "$bnre" simulate --task gaussian --theta "$class,0" --count 600 \
        --seed $class -o m$class.h5 --quiet
done
"$bnre" simulate --task gaussian --theta 3,0 --count 5 --seed 9 -o new.csv --quiet
more='--members 1 --epochs 8 --batch-size 64'

run train --classes m1.h5 m2.h5 m3.h5 $more -o models.h5
exits 0
prints 'bnpe, lambda 10'
prints '1,458 to learn from, 162'
prints 'accuracy ... calibration ... taken for'
prints 'm2 ... 60'
case $err in *'different values'*) fail 'classes are no density' ;; esac
run train --classes m1.h5 m2.h5 m3.h5 $more -o models.h5
exits 0
prints 'was there already'
run info models.h5
exits 0
prints 'says          p(class | x) ... accuracy ... m3'

# The same bytes for any number of threads.
for threads in 1 3; do
    run train --classes m1.h5 m2.h5 m3.h5 $more --threads $threads -o t$threads.h5
    exits 0
done
same_file t1.h5 t3.h5
same_file t1.h5 models.h5

# Probabilities add up to 1, and follow the odds.
run posterior models.h5 --observation new.csv
exits 0
prints 'row,m1,m2,m3
0,'
printf '%s\n' "$out" >equal.csv
awk -F, 'NR > 1 {s = $2 + $3 + $4 - 1; if (s * s > 1e-12) exit 1}' equal.csv ||
    fail 'probabilities add up to 1'
run posterior models.h5 --observation new.csv --odds 1,1,1
exits 0
printf '%s\n' "$out" >ones.csv
same_file equal.csv ones.csv
run posterior models.h5 --observation new.csv --odds 2,3,5
exits 0
printf '%s\n' "$out" >other.csv
paste -d, equal.csv other.csv | awk -F, 'NR > 1 {
    s = 2 * $2 + 3 * $3 + 5 * $4; d = 5 * $4 / s - $8
    if (d * d > 1e-12) exit 1}' || fail 'odds multiply'
run posterior models.h5 --observation new.csv --odds 2,3,5 --json
exits 0
prints '"models": [ ... "m1" ... "probability": ['
run posterior models.h5 --observation new.csv --odds 2,3
exits 2
says '3 numbers'
run posterior models.h5 --observation new.csv --odds 2,0,1
exits 2
says 'odds'

# Of two classes, too.
run train --classes m1.h5 m2.h5 --epochs 1 -o two.h5 --quiet
exits 0
run posterior two.h5 --observation new.csv --odds 1,3
exits 0
printf '%s\n' "$out" | awk -F, 'NR > 1 {
    d = 1 / (1 + 3 * exp(-$2)) - $3; if (d * d > 1e-12) exit 1}' ||
    fail 'the probability of the first class at odds 1 : 3'

# Of many classes the table tells what rows are taken for most often.
many=
for class in $(seq 70); do
    awk -v k="$class" 'BEGIN { srand(k); print "x"
        for (i = 0; i < 40; i++) print 8 * k + rand() }' >many$class.csv
    many="$many many$class.csv"
done
run train --classes $many --members 1 --epochs 2 -o many.h5
exits 0
prints 'many70 ... many'
echo 8 >x.txt
run posterior many.h5 --observation x.txt
exits 0
printf '%s\n' "$out" | awk -F, 'NR > 1 { for (i = 2; i <= NF; i++) s += $i
    exit NF != 71 || (s - 1) ^ 2 > 1e-12 }' || fail '70 probabilities'

# What cannot be.
"$bnre" simulate --task slcp --count 200 -o other.h5 --quiet
run train --classes m1.h5 m2.h5 other.h5 -o no.h5
exits 2
says '2 ... other.h5 ... 8'
run train --classes m1.h5 m2.h5 m3.h5 --data m1.h5 -o no.h5
exits 2
says '--data ... --classes'
run train --classes m1.h5 m2.h5 m3.h5 --dry-run -o no.h5
exits 0
prints 'm2: 540 rows ... 60'
fails test -e no.h5
fails test -e no.classes.h5
cp m1.h5 clash.classes.h5
run train --classes m1.h5 m2.h5 m3.h5 $more -o clash.h5
exits 1
says 'clash.classes.h5 ... --force'
same_file m1.h5 clash.classes.h5
run diagnose models.h5 --data m1.h5
[ "$code" -ne 0 ] || fail 'theta of another task'

finish
