#!/bin/sh
# What a command writes: nobody's file is lost, no input is an output, one
# writer at a time, and no link that somebody planted leads elsewhere.
. "$(dirname "$0")/lib.sh"

run simulate --task gaussian --count 64 -o data.h5 --quiet
exits 0
cat >net.yaml <<'NET'
head: {hidden: [4], activation: selu}
NET
train="train --network net.yaml --epochs 1 --batch-size 16 --quiet"
same() { # FILE: it is as it was
    same_file "$1" "keep/$(basename "$1")"
}
mkdir keep
cp data.h5 net.yaml keep

# ---- inputs ----

for name in data.h5 ./data.h5 soft.h5 hard.h5; do
    ln -sf data.h5 soft.h5
    ln -f data.h5 hard.h5
    run $train --data data.h5 -o $name --force
    exits 2
    says "is the input data.h5"
    run convert data.h5 $name --force
    exits 2
    says "is the input data.h5"
    run $train --data data.h5 --temper auto -o $name --force
    exits 2
    says "is the input data.h5"
    same data.h5
done
run $train --data data.h5 -o est.h5 --history data.h5 --force
exits 2
says "is the input"
run $train --data data.h5 -o est.h5 --history net.yaml --force
exits 2
says "is the input"
run $train --data data.h5 -o est.h5 --history est.h5
exits 2
run convert data.h5 theta.npy,x.npy --quiet
exits 0
cp theta.npy x.npy keep
run convert theta.npy,x.npy theta.npy,y.npy --force
exits 2
says "is the input"
run $train --data theta.npy,x.npy --task gaussian -o x.npy --force
same theta.npy
same x.npy
same data.h5
same net.yaml
rm -f soft.h5 hard.h5
holds test ! -e est.h5

# ---- files beside the output ----

echo mine >est.history.csv
run $train --data data.h5 -o est.h5
exits 1
says "est.history.csv is there already"
run $train --data data.h5 --temper auto --select 60 --certify 60 -o est.h5
exits 1
says "est.history.csv is there already"
[ "$(cat est.history.csv)" = mine ] || fail "the file is kept"
echo mine >own.csv
run $train --data data.h5 -o est.h5 --history own.csv
exits 1
says "own.csv is there already"
[ "$(cat own.csv)" = mine ] || fail "the file is kept"
rm est.history.csv
echo mine >est-trust.dat
run $train --data data.h5 --trust auto --select 60 --certify 60 -o est.h5
exits 1
says "est-trust.dat is there already"
rm est-trust.dat
run $train --data data.h5 -o est.h5
exits 0
run $train --data data.h5 -o est.h5 --seed 2 --force
exits 0

# ---- before the work ----

run $train --data data.h5 -o other.h5 --history missing/own.csv
exits 1
says "the directory missing does not exist"
mkdir isdir.csv
run $train --data data.h5 -o other.h5 --history isdir.csv --force
exits 1
says "it is a directory"
holds test ! -e other.h5.1.part

# ---- one writer ----

# Whoever holds the lock of a file is writing it.
exec 9>.busy.h5.lock
flock 9
run convert data.h5 busy.h5
exits 1
says "busy.h5 is being written by another process"
run $train --data data.h5 -o busy.h5
exits 1
says "busy.h5 is being written by another process"
run $train --data data.h5 --temper auto -o busy.h5
exits 1
says "busy.h5 is being written by another process"
holds test ! -e busy.h5
exec 9>&-
run convert data.h5 busy.h5
exits 0

# Nothing is left of locks and temporaries.
fails sh -c 'ls -A | grep -e "[.]lock$" -e "[.]tmp$"'

finish
