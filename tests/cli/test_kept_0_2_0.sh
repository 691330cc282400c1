#!/bin/sh
# Files that version 0.2.0 wrote are kept in tests/data/0.2.0: every later version
# reads them, and goes on where 0.2.0 was stopped.
. "$(dirname "$0")/lib.sh"
cp -R "$SOURCE/tests/data/0.2.0" kept
chmod -R u+w kept
cd kept || exit 1

# Datasets keep their fingerprints, and are learned from.
while read -r file print; do
    run info "$file"
    exits 0
    prints "$print, verified"
    run train --data "$file" --network small.yaml --epochs 2 -o "from-$file"
    exits 0
done <<'END'
slcp.h5 e17b65dd0abec80d168d0058489a765d
external.h5 d0dbbbae9d4197d0bac8547aaaa298bc
END

# A dataset is extended: the rows that were there stay.
run simulate --task slcp --count 300 -o slcp.h5
exits 0
run simulate --task slcp --count 300 -o fresh.h5
[ "$(fingerprint slcp.h5)" = "$(fingerprint fresh.h5)" ] ||
    fail 'an extended dataset of 0.2.0 should be the same as a new one'

# A journal of simulations goes on.
cp interrupted/journal.h5.part .
run simulate --task external.yaml --count 3000 -o journal.h5
exits 0
run simulate --task external.yaml --count 3000 -o all.h5
[ "$(fingerprint journal.h5)" = "$(fingerprint all.h5)" ] ||
    fail 'a journal of 0.2.0 should lead to the same rows'

# What was found out of fold and on fresh pairs is still told.
run diagnose npe.h5
exits 0
run posterior npe.h5 --observation obs.csv --samples 100 -o of-npe
exits 0
run posterior trusted.h5 --observation obs.csv --samples 100 --regions both -o of-trusted
exits 0
holds grep -q conformal of-trusted/posterior.json

# Checkpoints of a training are recognised, and go on: the second member was cut
# short.
cp "$SOURCE/tests/data/0.2.0/slcp.h5" slcp.h5
cp interrupted/checkpoint.h5.*.part .
go_on() { # EPOCHS
    run train --data slcp.h5 --network mid.yaml --epochs "$1" --batch-size 4 \
        --patience 5000 --stop-at-floor=no --members 2 --trust no \
        --threads 1 -o checkpoint.h5
}
go_on 601
exits 1
says 'epochs: 600'
go_on 600
exits 0
fails test -e checkpoint.h5.1.part
fails test -e checkpoint.h5.2.part

# A half-finished study goes on, and what was done is not done again.
done_run='study/runs/rounds=2,simulations=600/1'
cp -R interrupted/study study
run run study.yaml -o study --no-report
exits 0
holds grep -q 'rounds=1,simulations=600' study/results.csv
holds test -e 'study/runs/rounds=1,simulations=600/1/posterior/posterior.json'
for file in estimator.h5 diagnose.json posterior/posterior.h5; do
    same_file "$done_run/$file" "interrupted/$done_run/$file"
done

# An estimator of rounds knows its region, and its observation, for which 0.2.0 found
# the mean 0.58664 and the standard deviation 0.10950.
run posterior "$done_run/estimator.h5" --observation one.txt --samples 100 -o again
exits 0
holds grep -q '"mean": 0.5866' again/posterior.json
holds grep -q '"sd": 0.1095' again/posterior.json
run simulate --task study.yaml --within "$done_run/estimator.h5" --split test --count 50 -o within.h5
exits 0
run diagnose "$done_run/estimator.h5" --data within.h5
exits 0
run simulate --task study.yaml --split test --count 50 -o everywhere.h5
run diagnose "$done_run/estimator.h5" --data everywhere.h5
fails test "$code" -eq 0

# `infer` that was stopped goes on with its simulations.
cp -R interrupted/infer infer
run infer --task study.yaml --observation one.txt --simulations 1000 \
    --rounds 2 --samples 100 --format svg -o infer
exits 0
same_file infer/round-1/simulations.h5 interrupted/infer/round-1/simulations.h5
finish
