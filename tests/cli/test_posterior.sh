#!/bin/sh
# bnre posterior: what it prints and writes, what it warns of and refuses.
pictures=real
. "$(dirname "$0")/lib.sh"

cat >net.yaml <<'END'
head: {hidden: [16, 16], activation: selu}
END
run simulate --task gaussian --option dim=2 --count 2048 -o train.h5 --quiet
exits 0
run simulate --task gaussian --option dim=2 --split test --count 20 \
    -o test.h5 --quiet
exits 0
run train --data train.h5 --network net.yaml --method nre --epochs 10 \
    -o est.h5 --quiet
exits 0
echo "0.5 -0.25" >obs.txt

# A table and all files.
run posterior est.h5 --observation obs.txt -o one
exits 0
prints "grid of 256 x 256 cells"
prints "parameter"
prints "theta_1"
prints "densest"
prints "0.997"
prints "parts"
prints_not "truth"
says "files ... one"
for file in posterior.json samples.csv samples.npy posterior.h5 corner.gp \
    corner.dat; do
    holds test -s "one/$file"
done
holds test "$(wc -l <one/samples.csv)" -eq 10001
holds grep -q '^theta_0,theta_1$' one/samples.csv
holds grep -q '"method": "grid"' one/posterior.json
tr -d ' \n' <one/posterior.json | grep -q '"observation":\["obs.txt"\]' ||
    fail 'the file should name the observation'
if gnuplot --version >/dev/null 2>&1; then
    holds test -s one/corner.svg
    holds test -s one/corner.pdf
fi
quick_pictures

run info one/posterior.h5
exits 0
prints "posterior (HDF5)"
prints "samples       10,000"
prints "parameters    theta_0, theta_1"
prints "density ... 256 x 256"
prints "obs.txt"

# The same bytes for any number of threads.
run posterior est.h5 --observation obs.txt -o two --threads 3 --quiet
exits 0
holds test -z "$out"
for file in posterior.json samples.csv samples.npy posterior.h5 corner.dat; do
    same_file one/$file two/$file
done

# Nothing is overwritten unasked.
run posterior est.h5 --observation obs.txt -o one --samples 50
exits 1
says "one/posterior.json ... already ... way"
run posterior est.h5 --observation obs.txt -o one
exits 0
prints "one ... already"
run posterior est.h5 --observation obs.txt -o one --force --quiet --samples 50
exits 0
holds test "$(wc -l <one/samples.csv)" -eq 51

# Samples are parameters to simulate with: posterior predictive draws.
run simulate --task gaussian --option dim=2 --theta-file one/samples.csv \
    -o predictive.h5 --quiet
exits 0
run simulate --task gaussian --option dim=2 --theta-file one/posterior.h5 \
    -o predictive2.h5 --quiet
exits 0
holds test "$(fingerprint predictive.h5)" = "$(fingerprint predictive2.h5)"

# A row of a dataset brings its truth; several rows are several observations.
run posterior est.h5 --observation test.h5:3 -o row --quiet
exits 0
holds grep -q '"truth_in_region"' row/posterior.json
run posterior est.h5 --observation test.h5:3 --observation test.h5:4 -o rows
exits 0
prints_not "the truth"
run posterior est.h5 --observation test.h5 -o all
exits 2
says "test.h5:0"
run posterior est.h5 --observation test.h5:20 -o all
exits 2
says "20 rows"
run posterior est.h5 --observation test.h5:-1 -o all
exits 2
says "test.h5:-1 ... no row -1, rows ... counted ... 0"
run posterior est.h5 --observation obs.txt --truth 0.1,0.2 -o truth
exits 0
prints "truth ... border"

# Other methods.
run posterior est.h5 --observation obs.txt --grid 40 -o g40
exits 0
prints "grid of 40 x 40 cells"
run posterior est.h5 --observation obs.txt --sampler bank --bank 5000 -o bank
exits 0
prints "bank of 5,000 draws"
run posterior est.h5 --observation obs.txt --sampler chain --samples 2000 \
    --bank 2000 -o chain
exits 0
prints "Markov chains"
prints "converged: R-hat"
holds grep -q '"converged": true' chain/posterior.json
run posterior est.h5 --observation obs.txt --sampler chain --steps 4 -o short
exits 3
says "did not converge"
holds grep -q '"converged": false' short/posterior.json

# An observation unlike all simulated ones.
echo "0.5 25" >far.txt
run posterior est.h5 --observation far.txt -o far --quiet
exits 0
run posterior est.h5 --observation far.txt -o far --force
exits 0
says "warning: observation 0 ... unlike ... simulated ... 1 ... 2 values"
says "value 1 ... 25.0 ... training"

# Wrong input.
echo "0.5 1 2" >three.txt
run posterior est.h5 --observation three.txt -o bad
exits 2
says "three.txt ... shape 3 ... observation ... shape 2"
says "estimator trained ... task"
echo "0.5 nan" >nan.txt
run posterior est.h5 --observation nan.txt -o bad
exits 1
says "nan.txt: value 1 ... observation 0 ... NaN"
run posterior est.h5 --observation nowhere.npy -o bad
exits 1
says "nowhere.npy"
run posterior est.h5 -o bad
exits 2
says "observation ... each"
run posterior --observation obs.txt
exits 2
says "usage: bnre posterior EST.h5"
run posterior train.h5 --observation obs.txt -o bad
exits 1
run posterior est.h5 --observation obs.txt --truth 1 -o bad
exits 2
says "truth ... 1 value ... estimator ... 2 parameters"
run posterior est.h5 --observation obs.txt --truth 1,2,3 -o bad
exits 2
says "truth: ... 2 values"
run posterior est.h5 --observation obs.txt --levels 0.5,2 -o bad
exits 2
says "levels"
run posterior est.h5 --observation obs.txt --temper 1.5 -o bad
exits 2
says "temper"
run posterior est.h5 --observation obs.txt --grid paper -o bad
exits 2
says "theta_0 ... no bounds"
run posterior est.h5 --observation obs.txt --grid 100000 -o bad
exits 2
says "2896"
run posterior est.h5 --observation obs.txt --grid 30 --sampler chain -o bad
exits 2
says "exclude each other"
run posterior est.h5 --observation obs.txt --format gif -o bad
exits 2
says "gif"
fails test -e bad

# Nothing is done in a dry run; help teaches.
run posterior est.h5 --observation obs.txt -o dry --dry-run
exits 0
prints "posterior ... 1 observation ... shape 2"
fails test -e dry
run posterior --help
exits 0
prints "DATASET:ROW"
prints "--levels C,C,..."

# A prior with bounds: the truth must be inside, the reference's nodes work.
cat >task.yaml <<'END'
name: gaussian
options: {dim: 2}
parameters: {theta_0: "uniform(-3, 3)", theta_1: "uniform(-3, 3)"}
END
run simulate --task task.yaml --count 512 -o box.h5 --quiet
exits 0
run train --data box.h5 --network net.yaml --method nre --epochs 2 \
    -o box-est.h5 --quiet
exits 0
run posterior box-est.h5 --observation obs.txt --grid paper -o paper
exits 0
prints "grid of 90 x 90 nodes"
run posterior box-est.h5 --observation obs.txt --truth 1,7 -o bad
exits 2
says "truth ... theta_1 = 7, outside ... support ... prior ... -3 ... 3"

# More parameters than a grid takes.
run simulate --task gaussian --option dim=5 --count 512 -o five.h5 --quiet
exits 0
run train --data five.h5 --network net.yaml --method nre --epochs 2 \
    -o five-est.h5 --quiet
exits 0
echo "0 0 0 0 0" >five.txt
run posterior five-est.h5 --observation five.txt --grid 20 -o bad
exits 2
says "grid ... 3 parameters ... prior ... 5 ... samples"
run posterior five-est.h5 --observation five.txt --samples 2000 --bank 4000 \
    -o five --threads 1
exits 0
prints "Markov chains"
run posterior five-est.h5 --observation five.txt --samples 2000 --bank 4000 \
    -o five2 --threads 2 --quiet
exits 0
same_file five/samples.csv five2/samples.csv

# The old name of an option works, with a note; the record keeps its key, so
# that the same result is found.
run posterior est.h5 --observation obs.txt --method bank --bank 5000 -o bank
exits 0
says "note: --method ... --sampler"
prints "was there already"
holds grep '"method": "bank"' bank/posterior.json
echo 'method: bank' >old.yaml
run posterior est.h5 --observation obs.txt --config old.yaml --bank 5000 -o bank
exits 0
says "note: --method ... --sampler"

# Without gnuplot: data and script, and a message.
mkdir bin
last="bnre without gnuplot"
env PATH="$PWD/bin" "$bnre" posterior est.h5 --observation obs.txt -o plain \
    >.out 2>.err
code=$?
err=$(cat .err)
exits 0
says "gnuplot ... not found"
holds test -s plain/corner.gp
fails test -e plain/corner.svg

finish
