#!/bin/sh
# bnre train --classes: rows of two files in any format, the report, and what a
# classifier says to rows.
. "$(dirname "$0")/lib.sh"

# x of two tasks: the simulated ones, and the same with more noise.
"$bnre" simulate --task gaussian --count 1500 -o a.h5 --quiet
"$bnre" simulate --task gaussian --count 1000 --seed 2 -o b.csv --quiet
"$bnre" simulate --task slcp --count 500 -o other.npz --quiet
"$bnre" convert a.h5 a.csv >/dev/null 2>&1
"$bnre" convert a.h5 a-theta.npy,a-x.npy >/dev/null 2>&1
echo 'head: {hidden: [8, 8], activation: selu}' >net.yaml
more="--network net.yaml --batch-size 64 --epochs 3"

run train --classes a.h5 b.csv $more -o clf.h5
exits 0
prints 'first class   a.h5: 1,200 ... 150'
prints 'second class  b.csv: 800'
prints 'held out      150 ... 100'
prints 'balance       '
prints 'accuracy      '
prints 'calibration   '
says '1200 rows of a ... 800 of b'

run info clf.h5
exits 0
prints 'two classes'
prints 'classes         a b'
prints 'log p(first class | x) - log p(second | x)'
prints 'held out      150 rows'
prints 'accuracy      '
prints_not 'nats about the parameters'

# The same rows in another format are the same data: the classifier differs by
# the names of its classes alone, which are those of the files.
cp clf.h5 first.h5
mkdir csv npy
mv a.csv csv
mv a-x.npy npy/a.npy
run train --classes csv/a.csv b.csv $more -o csv.h5
exits 0
same_file csv.h5 first.h5
run train --classes npy/a.npy b.csv $more -o npy.h5
exits 0
same_file npy.h5 first.h5
printf 'classes: [a.h5, b.csv]\nnetwork: net.yaml\nbatch_size: 64\nepochs: 3\n' \
    >c.yaml
run train --config c.yaml -o conf.h5
exits 0
same_file conf.h5 first.h5
run train --classes a.h5 b.csv $more -o clf.h5
exits 0
prints 'was there already'

# Applied to rows, with and without theta beside them.
run posterior clf.h5 --observation a.h5
exits 0
prints 'row,log_ratio,probability
0,'
printf '%s\n' "$out" >rows.csv
[ "$(wc -l <rows.csv)" -eq 1501 ] || fail 'a line for each row'
holds awk -F, 'NR > 1 && ($3 - 1 / (1 + exp(-$2))) ^ 2 > 1e-10 { bad = 1 }
    END { exit bad }' rows.csv
run posterior clf.h5 --observation npy/a.npy
exits 0
[ "$out" = "$(cat rows.csv)" ] || fail 'the format should not matter'
printf 'p,q\n1000,0\n0,0\n' >far.csv
run posterior clf.h5 --observation far.csv
exits 0
says '1 ... 2 rows ... values outside'
run posterior clf.h5 --observation other.npz
exits 2
says 'row ... other.npz ... 8 values ... classifier ... trained ... rows ... 2'
run diagnose clf.h5 --data a.h5
exits 2
says 'classifier without parameters'

# What does not fit.
run train --classes a.h5 other.npz $more -o x.h5
exits 2
says 'row ... a.h5 ... 2 values ... row ... other.npz ... 8'
run train --classes a.h5
exits 2
says '--classes A B'
run train --classes a.h5 b.csv --data a.h5 -o x.h5
exits 2
says '--data ... not ... --classes'
run train --classes a.h5 b.csv $more --test-rows 990 -o x.h5
exits 2
says 'nothing ... left ... learn'
printf 'p,q\n1,2\n1,inf\n' >inf.csv
run train --classes a.h5 inf.csv $more -o x.h5
exits 1
says 'inf.csv: row 1, column q ... inf'

run train --classes a.h5 b.csv $more --dry-run -o dry.h5
exits 0
prints 'would ... 1 network ... dry.h5'
prints 'second class  b.csv'
fails test -e dry.h5

finish
