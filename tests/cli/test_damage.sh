#!/bin/sh
# A dataset that was damaged after it was written is refused by every command
# that reads it; a study simulates it again.
. "$(dirname "$0")/lib.sh"

# Copy FROM to TO with another byte in the middle of x. A file ends with x (8
# bytes a row), status (1), and 32 bytes of checksums for 1024 rows.
damage() { # FROM TO ROWS
    cp "$1" "$2"
    [ "$1" = old.h5 ] && sums=0 || sums=$((($3 + 1023) / 1024 * 32))
    at=$(($(wc -c <"$1") - sums - $3 - 4 * $3))
    for byte in '\001' '\002'; do
        printf "$byte" | dd of="$2" bs=1 seek="$at" conv=notrunc 2>.dd
        cmp -s "$1" "$2" || return
    done
}

refuses() { # WHAT
    exits 1
    says 'changed ... damaged after ... written'
    says "$1"
}

cat >small.yaml <<'END'
head: {hidden: [4], activation: selu}
END
fast='--network small.yaml --epochs 1 --batch-size 16 --threads 1 --quiet'
run simulate --task gaussian --count 3000 -o good.h5
exits 0
run simulate --task gaussian --count 3000 --split test -o other.h5
exits 0
run train --data good.h5 $fast -o good-est.h5
exits 0
damage good.h5 bad.h5 3000
damage other.h5 bad-other.h5 3000
run convert good.h5 good.npz
exits 0

run info bad.h5
refuses 'of x ... match'
prints 'DOES NOT MATCH'
run train --data bad.h5 $fast -o est.h5
refuses 'rows 1024 to 2047 of x'
fails test -e est.h5
run train --data good.h5 --validation bad-other.h5 $fast -o est.h5
refuses bad-other.h5
run train --data good.h5 --recipe paper --task gaussian --validation other.h5 \
    --schedule bad-other.h5 $fast -o est.h5
refuses bad-other.h5
# Data that are not kept in memory.
run simulate --task gaussian --count 60000 -o large.h5
exits 0
damage large.h5 bad-large.h5 60000
run train --data bad-large.h5 --memory 1 $fast -o est.h5
refuses 'rows 29696 to 30719 of x'
run train --classes bad.h5 other.h5 $fast -o est.h5
refuses bad.h5
for option in --select --certify --calibrate; do
    run train --data good.h5 --trust fresh --select other.h5 --certify other.h5 \
        --calibrate other.h5 $option bad-other.h5 $fast -o est.h5
    refuses bad-other.h5
done
fails test -e est.h5
run diagnose good-est.h5 --data bad-other.h5 -o d.json
refuses bad-other.h5
fails test -e d.json
run simulate --task gaussian --count 100 --split test -o few.h5
exits 0
run diagnose good-est.h5 --data few.h5 --learning-curve bad.h5 --points 16 \
    --format svg
refuses bad.h5
run posterior good-est.h5 --observation bad-other.h5:1500 -o post
refuses 'rows 1024 to 2047'
fails test -e post
# What is not damaged in it can be used.
run posterior good-est.h5 --observation bad-other.h5:20 -o post
exits 0

# Nothing gives a damaged file a new fingerprint, in any format.
for to in copy.h5 copy.npz copy.csv theta.npy,x.npy; do
    run convert bad.h5 $to
    refuses bad.h5
done
fails ls copy.* theta.npy x.npy
damage good.npz bad.npz 3000
run convert bad.npz copy.h5
exits 1
says 'damaged'

# Finished or to be extended: not as long as it is damaged.
cp bad.h5 kept.h5
for count in 3000 3500; do
    run simulate --task gaussian --count $count -o bad.h5
    refuses '--force'
    same_file bad.h5 kept.h5
    fails test -e bad.h5.part
done
run simulate --task gaussian --count 3000 -o bad.h5 --force
exits 0
same_file bad.h5 good.h5
cp good.h5 theta.h5
printf 'xyz' | dd of=theta.h5 bs=1 seek=$(($(wc -c <good.h5) - 50000)) \
    conv=notrunc 2>.dd
run simulate --task gaussian --theta-file theta.h5 --count 3000 -o again.h5
refuses 'rows 1024 to 2047 of theta'

# Files of 0.1.0 have a fingerprint of the whole.
cp "$SOURCE/tests/data/0.1.0/gaussian.h5" old.h5
run train --data old.h5 $fast -o old-est.h5
exits 0
damage old.h5 bad-old.h5 64
run train --data bad-old.h5 $fast -o est.h5
refuses 'match its fingerprint'
run convert bad-old.h5 copy.h5
refuses bad-old.h5
run posterior good-est.h5 --observation bad-old.h5:0 -o post-old
refuses bad-old.h5

# A study simulates it again, and says so.
cat >tiny.yaml <<'END'
task: gaussian
test: 100
epochs: 1
batch_size: 32
network: {head: {hidden: [8], activation: selu}}
sweep: {simulations: [128, 256]}
END
run run tiny.yaml
exits 0
cp -R tiny before
for rows in 256 100; do
    [ $rows = 100 ] && file=gaussian-test.h5 || file=gaussian-train.h5
    damage before/data/$file tiny/data/$file $rows
    run run tiny.yaml
    exits 0
    says "$file ... again"
    says 'damaged'
    holds diff -r tiny before
done

# Files with the checksums of before, XXH64, are read, compared and refused alike;
# what is made of them has those of today.
cp "$SOURCE"/tests/data/blocks-1/* .
run simulate --task gaussian --count 40 -o today.h5
exits 0
rest() { # FILE: all but its head, which has the version and the seal of all
    tail -c +2049 "$1" >"rest-$1"
}
rest today.h5
rest data.h5
fails cmp -s rest-data.h5 rest-today.h5
for file in data.h5 data.npz; do
    run info $file
    exits 0
    prints 'verified'
    run convert $file "again-$file.h5"
    exits 0
    rest "again-$file.h5"
    same_file rest-today.h5 "rest-again-$file.h5"
    run info "again-$file.h5"
    exits 0
    prints 'verified'
done
damage data.h5 bad-data.h5 40
run info bad-data.h5
refuses 'of x ... match'
run convert bad-data.h5 worse.h5
refuses 'rows 0 to 39 of x'

finish
