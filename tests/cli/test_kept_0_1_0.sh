#!/bin/sh
# Files that version 0.1.0 wrote are kept in tests/data/0.1.0: every later
# version reads the datasets, extends them, and goes on where 0.1.0 was killed.
. "$(dirname "$0")/lib.sh"
cp -R "$SOURCE/tests/data/0.1.0" kept
chmod -R u+w kept
cd kept || exit 1

# Datasets in every format keep their fingerprints.
for file in gaussian.h5 gaussian.npz gaussian.csv \
    gaussian-theta.npy,gaussian-x.npy; do
    run info "$file"
    exits 0
    prints 102e6583e69b008583557258cdaea14a
    run train --data "$file" --task gaussian --network small.yaml --epochs 2 \
        --batch-size 16 -o "from-$file.h5"
    exits 0
done
for file in external.h5 external.npz external.csv; do
    run info "$file"
    exits 0
    prints 747c40edb5f7130cae1a479e3b729654
done
run info slcp.h5
exits 0
prints 'verified'

# A dataset is extended: the rows that were there stay.
run simulate --task gaussian --count 80 -o gaussian.h5
exits 0
run simulate --task gaussian --count 80 -o fresh.h5
[ "$(fingerprint gaussian.h5)" = "$(fingerprint fresh.h5)" ] ||
    fail 'an extended dataset of 0.1.0 should be the same as a new one'

# A journal of simulations goes on.
cp interrupted/journal.h5.part .
run simulate --task slcp --count 3000 -o journal.h5
exits 0
run simulate --task slcp --count 3000 -o all.h5
[ "$(fingerprint journal.h5)" = "$(fingerprint all.h5)" ] ||
    fail 'a journal of 0.1.0 should lead to the same rows'

# Ratios are trained to the same bits as then, with AVX2 as 0.1.0 had and without sanitizers: as C they are
# the same file, but for the line with the version and the fingerprint, which has the version in it.
as_c() { # ESTIMATOR
    "$bnre" export "$1" -o ratio.c --force --quiet >/dev/null
    grep -v '^   estimator .* of bnre ' ratio.c | cksum
}
if "$bnre" doctor 2>/dev/null | grep -q 'kernels *avx' &&
    ! nm "$bnre" 2>/dev/null | grep -q '__asan_init\|__tsan_init'; then
    for method in nre bnre; do
        members=1
        [ $method = nre ] || members=2
        run train --data slcp.h5 --method $method --members $members \
            --network small.yaml --epochs 3 -o again-$method.h5
        exits 0
        [ "$(as_c again-$method.h5)" = "$(as_c $method.h5)" ] ||
            fail "$method should be trained as by 0.1.0"
    done
    # The recipe `paper`, its own network and a small one, as the program trained
    # them before there were conditional densities.
    while read -r method members network print; do
        run train --data slcp.h5 --method "$method" --recipe paper \
            --members "$members" --network "$network" --epochs 3 \
            -o paper.h5 --force
        exits 0
        [ "$(as_c paper.h5)" = "$print" ] ||
            fail "$method of the recipe paper should be trained as it was"
    done <<'END'
nre 2 small.yaml 1418318200 12430
bnre 2 small.yaml 3977278959 12436
END
    run train --data slcp.h5 --method bnre --recipe paper --epochs 3 \
        -o paper.h5 --force
    [ "$(as_c paper.h5)" = '915338940 5725576' ] ||
        fail 'bnre with the network of the paper should be trained as it was'
fi

# Checkpoints of a training are recognised, and go on: the second member was cut
# short.
cp interrupted/checkpoint.h5.*.part .
go_on() { # EPOCHS
    run train --data slcp.h5 --method bnre --network mid.yaml --epochs "$1" --batch-size 4 \
        --patience 5000 --stop-at-floor=no --members 2 --threads 1 \
        -o checkpoint.h5
}
go_on 601
exits 1
says 'epochs: 600'
go_on 600
exits 0
fails test -e checkpoint.h5.1.part
fails test -e checkpoint.h5.2.part

# A half-finished study goes on, and what was done is not done again.
cp -R interrupted/study study
cp "study/runs/method=nre,simulations=200/1/estimator.h5" before.h5
run run study.yaml -o study --no-report
exits 0
holds grep -q 'method=bnre,simulations=256' study/results.csv
holds test -e 'study/runs/method=bnre,simulations=256/1/posterior/posterior.json'
same_file before.h5 'study/runs/method=nre,simulations=200/1/estimator.h5'

# Certificates and conformal regions of 0.1.0 are still told.
run info trusted.h5
exits 0
holds test -n "$out"
run posterior trusted.h5 --observation obs.csv -o result
exits 0
finish
