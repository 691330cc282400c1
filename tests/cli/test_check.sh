#!/bin/sh
# bnre check: verdict, files and exit status; what is simulated, and what is not.
. "$(dirname "$0")/lib.sh"

"$bnre" simulate --task gaussian --count 3000 -o train.h5 --quiet
"$bnre" simulate --task gaussian --split test --count 1200 -o test.h5 --quiet
"$bnre" train --data train.h5 --method npe --members 1 --epochs 12 --trust no \
    --seed 3 -o est.h5 --quiet
printf '7,-7\n' >far.csv

# It fits: all that was simulated is there, and so is the figure.
run check est.h5 --observation test.h5:3 --summary mean --summary 'sd[0,1]' \
    --pairs 0 -o fit
exits 0
prints 'FITS'
prints 'sd[0,1]'
prints 'near ... not looked at'
for file in check.json check.csv check.svg predictive.h5; do
    [ -s fit/$file ] || fail "fit/$file should be there"
done
[ "$(ls fit | grep -c pairs)" -eq 0 ] || fail 'pairs should be gone'
grep -q '"verdict": "FITS"' fit/check.json || fail 'check.json should say it'
grep -q '"correction": "Holm"' fit/check.json || fail 'and which correction'
[ "$(grep -c . fit/check.csv)" -eq 3 ] || fail 'check.csv has a row a value'
run info fit/predictive.h5
exits 0
prints '1,000'

# Again nothing is done; another seed is another result.
run check est.h5 --observation test.h5:3 --summary mean --summary 'sd[0,1]' \
    --pairs 0 -o fit
exits 0
prints 'was there already ... FITS'
run check est.h5 --observation test.h5:3 --pairs 0 --seed 2 -o fit
exits 1
says 'force'

# The same bytes for any number of threads.
run check est.h5 --observation test.h5:3 --pairs 1000 --threads 1 -o one --quiet
exits 0
run check est.h5 --observation test.h5:3 --pairs 1000 --threads 3 -o three --quiet
exits 0
for file in check.json check.csv check.svg predictive.h5; do
    same_file one/$file three/$file
done

# Pairs that are given are as good, and are not simulated.
run check est.h5 --observation test.h5:3 --data test.h5 -o given
exits 0
prints 'near ... 200 of 1,200 pairs'
run check est.h5 --observation test.h5:3 --data train.h5 -o seen
exits 2
says '3000 ... train.h5'

# What cannot be done is told before the work.
run check est.h5 --observation test.h5:3 --pairs 400 --dry-run
exits 2
says '--pairs 400 ... 1000 are the least'
run check est.h5 --observation test.h5:3 --draws 300 --dry-run
exits 2
says '--draws 300'

# What does not fit has status 3, each time it is asked for.
for time in first again; do
    run check est.h5 --observation far.csv --pairs 0 -o far
    exits 3
    prints 'MISFIT'
    says 'does not fit'
done
run check est.h5 --observation far.csv --pairs 0 -o far --json
exits 3
prints '"verdict": "MISFIT"'

# Simulations for samples of the posterior, made elsewhere.
"$bnre" posterior est.h5 --observation test.h5:3 --samples 800 --sampler draws \
    -o post --quiet
"$bnre" simulate --task gaussian --theta-file post/samples.csv --seed 9 \
    -o elsewhere.h5 --quiet
run check est.h5 --observation test.h5:3 --predictive elsewhere.h5 --pairs 0 \
    -o elsewhere
exits 0
prints 'simulations ... 800'
# More of them than are drawn here, so that the farthest are theirs.
"$bnre" posterior est.h5 --observation test.h5:3 --samples 20000 --sampler draws \
    -o post --quiet --force
"$bnre" simulate --task gaussian --theta-file post/samples.csv --seed 9 \
    -o many.h5 --quiet
run check est.h5 --observation test.h5:3 --predictive many.h5 --pairs 0 -o many
exits 0
prints 'simulations ... 20,000'

# Of an estimator of some parameters alone, the others are drawn.
"$bnre" train --data train.h5 --parameters theta_1 --method npe --members 1 \
    --epochs 3 --trust no -o some.h5 --quiet
run check some.h5 --observation test.h5:3 --pairs 0 -o some
exits 0
prints 'simulations ... 1,000'

# In a study: every run is checked, the page tells, and a misfit is status 3.
cat >study.yaml <<'END'
task: gaussian
method: npe
members: 1
trust: no
simulations: 400
epochs: 2
test: 0
observation: far.csv
check: 1000
summary: [mean, sd]
END
run run study.yaml -o study --quiet
exits 3
says 'does not fit'
[ -s study/runs/single/1/check/check.json ] || fail 'it should be checked'
run run study.yaml -o study --quiet
exits 3
sed 's/check: 1000/check: 900/' study.yaml >few.yaml
run run few.yaml --dry-run
exits 2
says '900 ... 1000'
sed '/^observation/d' study.yaml >none.yaml
run run none.yaml --dry-run
exits 2
says 'none.yaml ... observation'

# What cannot be.
run check est.h5 --observation test.h5:3 --draws 100 -o no
exits 2
says '100 ... 3 tests ... 600'
run check est.h5 --observation test.h5:3 --summary 'mean[2]' -o no
exits 2
says 'mean[2]'
run check est.h5 --observation test.h5:3 --task slcp -o no
exits 2
says '8 values ... 2'
run check est.h5 --observation test.h5:3 --pairs 10 -o no
exits 2
says '10 ... 1000'
[ ! -e no ] || fail 'nothing should be there'

# What a file names is never run: only what simulates nothing is looked at.
cat >sim.sh <<'END'
#!/bin/sh
: >RAN
while read -r seed a; do echo "$a"; done
END
chmod +x sim.sh
cat >program.yaml <<END
parameters: {a: "normal(0, 1)"}
observable: [1]
simulator: {command: [$scratch/sim.sh]}
END
"$bnre" simulate --task program.yaml --count 200 -o program.h5 --quiet
"$bnre" train --data program.h5 --method npe --members 1 --epochs 2 --trust no \
    -o program-est.h5 --quiet
"$bnre" simulate --task program.yaml --split test --count 600 -o pairs.h5 --quiet
rm -f RAN
run check program-est.h5 --observation pairs.h5:0 -o closed
exits 0
prints 'UNCHECKED ... --task'
[ ! -e RAN ] || fail 'the program was run'
run check program-est.h5 --observation pairs.h5:0 --data pairs.h5 -o closed2
prints 'UNCHECKED ... near ... 200 of 600'
[ ! -e RAN ] || fail 'the program was run'
run check program-est.h5 --observation pairs.h5:0 --task program.yaml --dry-run
exits 0
[ ! -e RAN ] || fail 'the program was run'
run check program-est.h5 --observation pairs.h5:0 --task program.yaml -o open
prints 'simulations ... 1,000 ... near ... not looked at'
[ "$code" -eq 0 ] || [ "$code" -eq 3 ] || fail 'a verdict'
[ "$(ls open | grep -c log)" -eq 0 ] || fail 'no logs in the result'

finish
