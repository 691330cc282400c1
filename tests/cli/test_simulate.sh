#!/bin/sh
# `bnre simulate` and `bnre info`: the same bytes always, nothing lost, and a
# message for all that can go wrong.
. "$(dirname "$0")/lib.sh"
simulate="simulate --task gaussian"

# The same bytes for any number of threads.
run $simulate --count 20000 --threads 1 -o one.h5
exits 0
prints 'rows          20,000'
prints 'fingerprint'
says 'next: bnre info one.h5'
run $simulate --count 20000 --threads 2 -o two.h5
exits 0
same_file one.h5 two.h5
fails test -e one.h5.part

# Again: done already, unchanged. Quiet: nothing said.
cp one.h5 before.h5
run $simulate --count 20000 -o one.h5
exits 0
prints 'already'
same_file one.h5 before.h5
run $simulate --count 20000 -o one.h5 --quiet
exits 0
[ -z "$out$err" ] || fail 'quiet should be quiet'

# The default name, and directories made on the way.
run $simulate --count 10
exits 0
prints 'gaussian.h5'
holds test -s gaussian.h5
run $simulate --count 10 --split test
exits 0
holds test -s gaussian-test.h5
run $simulate --count 10 -o some/where/a.h5
exits 0
holds test -s some/where/a.h5

# More rows later: only the new are simulated, and it is as if made at once.
run $simulate --count 5000 -o grown.h5
exits 0
run $simulate --count 20000 -o grown.h5
exits 0
prints '20,000: 15,000 new, 5,000'
same_file grown.h5 one.h5
run $simulate --count 5000 -o short.h5
for part in theta x; do
    for file in one short; do
        h5dump -d $part -s 0,0 -c 5000,2 -y $file.h5 |
            sed '1,/ DATA {/d' >$file.txt
    done
    [ "$(wc -l <one.txt)" -gt 5000 ] || fail 'h5dump should show the rows'
    same_file one.txt short.txt
done

# Other splits and seeds have other rows.
run $simulate --count 1000 -o train.h5
run $simulate --count 1000 --split test -o test.h5
exits 0
fails h5diff -q train.h5 test.h5 /theta
fails h5diff -q train.h5 test.h5 /x
run $simulate --count 1000 --seed 2 -o seed2.h5
exits 0
fails h5diff -q train.h5 seed2.h5 /theta

# What info tells.
run info train.h5
exits 0
prints 'train.h5: dataset (HDF5)'
prints 'rows          1,000'
prints 'theta_0'
prints 'normal(0, 1)'
prints 'seed'
prints 'verified'
prints 'mean'

# Output of another stream is not overwritten without --force.
cp train.h5 before.h5
run $simulate --count 1000 --seed 2 -o train.h5
exits 1
says 'bnre simulate: '
says '--force'
same_file train.h5 before.h5
run $simulate --count 1000 --seed 2 -o train.h5 --force
exits 0
same_file train.h5 seed2.h5

# Places where nothing can be written.
echo text >file
run $simulate --count 10 -o file/a.h5
exits 1
says 'file/a.h5'
run $simulate --count 10 -o file/below/a.h5
exits 1
says 'file/below'
run $simulate --count 10 -o /proc/none/a.h5
exits 1
says '/proc/none'
if [ "$(id -u)" != 0 ]; then # root may write anywhere
    mkdir closed
    chmod 555 closed
    run $simulate --count 10 -o closed/a.h5
    exits 1
    says 'closed/a.h5'
fi
run $simulate --count 10 -o a.txt
exits 2
says 'a.txt'

# A full disk, in the form of a size limit: a message, the earlier file intact,
# and the same command goes on when there is room.
run $simulate --count 1000 -o full.h5
cp full.h5 before.h5
(
    ulimit -f 200
    exec "$bnre" $simulate --count 100000 -o full.h5
) >.out 2>.err
code=$?
last='simulate with a size limit'
err=$(cat .err)
exits 1
says 'full.h5'
same_file full.h5 before.h5
run $simulate --count 100000 -o full.h5
exits 0
run $simulate --count 100000 -o room.h5
same_file full.h5 room.h5

# Damaged and foreign files.
head -c 3000 one.h5 >cut.h5
run info cut.h5
exits 1
says 'bnre info: cut.h5 ... not ... HDF5 file ... cut short'
run info file
exits 1
says 'file ... no file ... bnre knows (HDF5, '
run info absent.h5
exits 1
says 'absent.h5'
run info .
exits 1
cp one.h5 changed.h5
# A byte of the data (they make up the middle of the file), not of the header.
size=$(wc -c <one.h5)
printf '\001' | dd of=changed.h5 bs=1 seek=$((size / 2)) conv=notrunc 2>.dd
if cmp -s one.h5 changed.h5; then
    printf '\002' | dd of=changed.h5 bs=1 seek=$((size / 2)) conv=notrunc 2>.dd
fi
run info changed.h5
exits 1
prints 'DOES NOT MATCH'
says 'damaged'

# Tasks from files; complaints name the line and the position.
cat >task.yaml <<END
task:
  name: gaussian
  parameters:
    theta_0: uniform(-1, 1)
END
run simulate --task task.yaml --count 100 -o own.h5
exits 0
run info own.h5
exits 0
prints 'uniform(-1, 1)'
run info task.yaml
exits 0
prints 'task.yaml: settings with a task'
prints 'uniform(-1, 1)'
sed -i 's/uniform(-1, 1)/uniform(-1; 1)/' task.yaml
run simulate --task task.yaml --count 100 -o own2.h5
exits 2
says 'task.yaml:4: '
says 'at column 11'
sed -i 's/theta_0/thteta_0/' task.yaml
run simulate --task task.yaml --count 100 -o own2.h5
exits 2
says 'task.yaml:4: '
says 'theta_0'
run simulate --task absent.yaml
exits 1
says 'absent.yaml'

# Priors that are no product are told too.
echo 'task: {name: slcp, constraint: theta_0 >= theta_1}' >ordered.yaml
run tasks ordered.yaml
exits 0
prints '  theta_0 >= theta_1'
run simulate --task ordered.yaml --count 10 -o ordered.h5
exits 0
run info ordered.h5
prints 'constraint    theta_0 >= theta_1'
printf 'theta_0,theta_1\n1,2\n2,3\n' >draws.csv
echo 'task: {name: slcp, prior_samples: draws.csv}' >draws.yaml
run simulate --task draws.yaml --count 10 -o draws.h5
exits 0
run info draws.h5
prints 'prior samples file            draws.csv'

finish
