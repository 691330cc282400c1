#!/bin/sh
# Studies from file to results: what is made, kept, made again and refused.
. "$(dirname "$0")/lib.sh"

cat >tiny.yaml <<'EOF'
task: gaussian
test: 100
epochs: 2
batch_size: 32
network: {head: {hidden: [8], activation: selu}}
sweep:
  method: [nre, bnre]
  simulations: [128, 2^8]
EOF
one='runs/method=bnre,simulations=128/1'

# The plan, and nothing done.
run run tiny.yaml --dry-run
exits 0
prints 'cells           4, of method, simulations; 1 run of each'
prints '  method=bnre,simulations=256'
prints 'gaussian-train.h5'
prints 'time            about'
prints 'disk            about'
fails test -e tiny

# All of it; the same bytes with another number of threads.
run run tiny.yaml --threads 1
exits 0
prints 'runs          4'
prints 'UNINFORMATIVE'
prints '       -  ' # no spread of a single run
prints_not ' 0.000  '
for file in study.yaml results.csv data/gaussian-train.h5 data/gaussian-test.h5 \
    "$one/estimator.h5" "$one/history.csv" "$one/diagnose.json" "$one/run.yaml"; do
    holds test -s "tiny/$file"
done
holds test "$(wc -l <tiny/results.csv)" = 5
run run tiny.yaml --threads 2 -o two --quiet
exits 0
prints_not 'runs'
holds diff -r tiny two
# The study that was written is a study, of the same name and results.
run run two/study.yaml -o three --quiet
exits 0
holds diff -r tiny three

# Again: nothing to do.
run run tiny.yaml
exits 0
prints '4 were done already'
holds diff -r tiny two

# Damage is found and repaired, and nothing else is touched.
other='tiny/runs/method=nre,simulations=256/1/estimator.h5'
touch -d '2001-01-01' "$other"
echo >>"tiny/$one/estimator.h5"
rm 'tiny/runs/method=nre,simulations=128/1/diagnose.json'
run run tiny.yaml
exits 0
prints '2 were done already'
says "files ... $one ... missing ... damaged ... trained again"
says 'files ... runs/method=nre,simulations=128/1 ... missing ... damaged ... diagnosed again'
holds diff -r tiny two
holds test "$(date -r "$other" +%Y)" = 2001
: >tiny/data/gaussian-test.h5
run run tiny.yaml
exits 0
says 'gaussian-test.h5 ... simulated'
holds diff -r tiny two

# A changed setting: what it affects, and no more.
run run tiny.yaml --no-report --set test=120
exits 0
says 'changed since ... last run: test (100, now 120)'
says '4 of 4 runs ... diagnosed'
same_file "tiny/$one/estimator.h5" "two/$one/estimator.h5"
holds test "$(date -r "$other" +%Y)" = 2001
run run tiny.yaml --no-report
exits 0
same_file tiny/results.csv two/results.csv
run run tiny.yaml --no-report --set 'sweep.simulations=[64, 128, 256]'
exits 0
prints '4 were done already'
run run tiny.yaml --no-report --set epochs=3
exits 0
says '4 of 4 runs ... trained'
fails cmp -s "tiny/$one/estimator.h5" "two/$one/estimator.h5"

# A larger axis leaves the others as they are, if the pool stays.
run run tiny.yaml --no-report --set pool=512 -o pool --quiet
exits 0
run run tiny.yaml --no-report --set pool=512 --set 'sweep.simulations=[128, 256, 512]' -o pool
exits 0
prints '4 were done already'

# Directories of others.
sed 's/epochs: 2/epochs: 1/' tiny.yaml >different.yaml
run run different.yaml --no-report -o two
exits 1
says 'two ... another study, "tiny" ... -o'
run run different.yaml --no-report -o two --force --quiet
exits 0
run run tiny.yaml --no-report -o .
exits 1
says 'no study: ... -o'
run run tiny.yaml --no-report -o tiny.yaml
exits 1
says 'tiny.yaml ... file'

# Mistakes, with the place.
printf 'task: gaussian\nsweep:\n  metod: [nre]\n' >bad.yaml
run run bad.yaml --no-report
exits 2
says 'bad.yaml:3: ... "metod": ... "method"?'
run run tiny.yaml --no-report --set epochs=none
exits 2
says 'epochs: "none" ... number'
run run tiny.yaml --no-report --seed x
exits 2
says 'seed: "x" ... number'
run run none.yaml --no-report
exits 1
says 'none.yaml'
run run
exits 2
says 'usage: bnre run STUDY.yaml'

# A run that cannot be does not stop the others, and says why.
run run tiny.yaml --no-report --set 'sweep.simulations=[32, 128]' -o some
exits 1
says '2 of 4 runs failed'
holds test -s 'some/runs/method=nre,simulations=32/1/failure.txt'
holds grep -q '^"method=bnre,simulations=128",1,.*UNINFORMATIVE' some/results.csv
holds grep -q '^"method=bnre,simulations=32",1,.*,,,,' some/results.csv

# Interrupted: it stops in good order and goes on to the same bytes.
last='bnre run, interrupted'
"$bnre" run tiny.yaml --no-report -o stopped --set epochs=300 >.out 2>.err &
pid=$!
while [ ! -e stopped/data/gaussian-test.h5 ] && kill -0 $pid 2>/dev/null; do
    sleep 0.02
done
kill -INT $pid 2>/dev/null
wait $pid
code=$?
err=$(cat .err)
if [ $code != 0 ]; then # unless it was done before
    exits 130
    says 'interrupted ... far ... safe ... stopped; run ... same'
    holds test -s stopped/results.csv
fi
run run tiny.yaml --no-report -o stopped --set epochs=300 --quiet
exits 0
run run tiny.yaml --no-report -o undisturbed --set epochs=300 --quiet
exits 0
holds diff -r stopped undisturbed

# A full disk (a limit of the size of files stands for it) keeps what is there.
sed -i 's/simulations: .*/simulations: [128]/' tiny.yaml
run run tiny.yaml --no-report -o whole --quiet
exits 0
for blocks in 4 10 16; do
    (
        ulimit -f $blocks
        "$bnre" run tiny.yaml --no-report -o full --quiet >.out 2>.err
    )
    code=$?
    last="bnre run, files of $blocks blocks at most"
    err=$(cat .err)
    exits 1
    says 'no space left ... disk'
done
run run tiny.yaml --no-report -o full --quiet
exits 0
holds diff -r whole full

# Several observations of the same parameters, in cells of their own.
run run tiny.yaml --no-report -o several --quiet \
    --set 'sweep.observations=[1, 3]' --set test=30
exits 0
three='several/runs/method=bnre,simulations=128,observations=3/1'
holds grep -q '"pairs": 30,' "$three/diagnose.json"
holds grep -q '"observations": 3,' "$three/diagnose.json"
run info several/data/gaussian-test-by-3.h5
prints '90'
run convert several/data/gaussian-test-by-3.h5 several.csv
holds test "$(tail -n +2 several.csv | cut -d, -f1 | sort -u | wc -l)" = 30
holds test "$(tail -n +2 several.csv | sort -u | wc -l)" = 90
run diagnose "$three/estimator.h5" --data several/data/gaussian-test-by-3.h5 \
    --observations 3 --seed 1 -o three.json
exits 0
holds test "$(grep '"auc"' -A2 three.json)" = "$(grep '"auc"' -A2 "$three/diagnose.json")"
run run tiny.yaml --no-report -o several \
    --set 'sweep.observations=[1, 3]' --set test=30
exits 0
prints '4 were done already'

finish
