#!/bin/sh
# bnre info tells what is in an estimator, and refuses one that was damaged.
. "$(dirname "$0")/lib.sh"

kept=$SOURCE/tests/data/estimator-v1.h5

run info "$kept"
exits 0
prints "estimator (log ratio ... x ... theta)"
prints "task          queue"
prints "rate            log_uniform(0.01, 100)"
prints "constraint    rate < 90"
prints "transform     rate            log"
prints "head          2 x (linear 16, tanh), linear 1"
prints "weights       385 ... 3 members"
prints "scaling       theta ... 2 columns, 1 "
prints "lambda          100"
prints "training      270 simulations, 3 ... 0123456789abcdef"
prints "failures      outcome"
prints "ensemble      mean"
prints "fingerprint   169c55f72555b32cf00cc1dbf14ee925, verified"
prints "1       18446744073709551615       4       1       1.3000       1.0000"
prints "chance is 1.3863"

run info "$kept" --history
exits 0
prints "member,epoch,validation_cross_entropy,validation_balance
1,1,1.3,1
1,2,1.2,1
1,3,1.1,
"
prints "3,4,0.8,1.02"

run simulate --task gaussian --count 4 -o data.h5
run info data.h5 --history
exits 2
says "estimators ... history"

# One byte of the weights.
cp "$kept" bad.h5
size=$(wc -c <bad.h5)
printf '\377' | dd of=bad.h5 bs=1 seek=$((size - 100)) conv=notrunc 2>/dev/null
run info bad.h5
exits 1
says "bad.h5 ... changed ... damaged after ... written"
prints_not "task"

# What describes the arrays.
cp "$kept" bad.h5
printf '\377' | dd of=bad.h5 bs=1 seek=900 conv=notrunc 2>/dev/null
run info bad.h5
exits 1
says "bad.h5"
case $err in
*"infinite loop"*) fail "HDF5 should be silent" ;;
esac

head -c 20000 "$kept" >cut.h5
run info cut.h5
exits 1
says "not ... HDF5 file ... cut short"

finish
