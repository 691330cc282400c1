#!/bin/sh
# `posterior` and `diagnose` called again: done already, made again, or refused;
# nothing of anybody else's is lost, and one process at a time writes.
. "$(dirname "$0")/lib.sh"

"$bnre" simulate --task gaussian --count 200 -o data.h5 --quiet
"$bnre" simulate --task gaussian --count 60 --split test -o pairs.h5 --quiet
echo 'head: {hidden: [4], activation: selu}' >net.yaml
"$bnre" train --data data.h5 --network net.yaml --epochs 1 --batch-size 16 --method nre \
    -o est.h5 --quiet
posterior="posterior est.h5 --format svg --samples 20 --grid 8"
diagnose="diagnose est.h5 --format svg --data pairs.h5 --points 16"
kept() { [ "$(cat "$1")" = mine ] || fail "$1 should be kept"; }
hidden() { # Nothing is left of locks and private directories.
    fails sh -c "ls -A $1 | grep '^[.].*[.]\(lock\|new\|commit\)$'"
}

# ---- posterior ----

run $posterior --observation data.h5:1 -o p --quiet
exits 0
cp -r p p-keep
run $posterior --observation data.h5:1 -o p
exits 0
prints "p (was there already)"
holds diff -r p p-keep
# Another observation, settings or seed, or the same file with other contents.
for other in "--observation data.h5:2" "--observation data.h5:1 --seed 2" \
    "--observation data.h5:1 --levels 0.5" "--observation data.h5:1 --temper 0.5"; do
    run $posterior $other -o p
    exits 1
    says "p/posterior.json ... already ... way"
    holds diff -r p p-keep
done
cp data.h5 copy.h5
run $posterior --observation copy.h5:1 -o c --quiet
exits 0
cp pairs.h5 copy.h5
run $posterior --observation copy.h5:1 -o c
exits 1
says "c/posterior.json ... already ... way"
# A file that is gone is made again; one that was changed is not replaced.
rm p/samples.csv
run $posterior --observation data.h5:1 -o p --quiet
exits 0
holds diff -r p p-keep
rm p/samples.csv
echo mine >p/corner.gp
run $posterior --observation data.h5:1 -o p --quiet
exits 1
says "p/corner.gp ... changed since"
kept p/corner.gp
run $posterior --observation data.h5:1 -o p --quiet --force
exits 0
holds diff -r p p-keep
# A directory may hold other things; a file of the same name is refused early.
echo mine >p/notes
run $posterior --observation data.h5:2 -o p --quiet --force
exits 0
kept p/notes
fails diff p/samples.csv p-keep/samples.csv
mkdir q
echo mine >q/samples.npy
run $posterior --observation data.h5:1 -o q
exits 1
says "q/samples.npy ... already"
kept q/samples.npy
[ "$(ls -A q)" = samples.npy ] || fail "nothing else is there"
# The current directory, one behind a link, a name with a slash.
(cd q && rm samples.npy && "$bnre" posterior ../est.h5 --format svg --samples 20 \
    --grid 8 --observation ../data.h5:1 -o . --quiet) || fail "-o . should do"
same_file q/samples.csv p-keep/samples.csv
mkdir real
ln -s real link
run $posterior --observation data.h5:1 -o link/ --quiet
exits 0
same_file real/samples.csv p-keep/samples.csv
run $posterior --observation data.h5:1 -o deep/er/p/ --quiet
exits 0
holds diff -r deep/er/p p-keep
echo mine >file
run $posterior --observation data.h5:1 -o file
exits 1
says "no directory"
# Links in the place of files are replaced, not followed.
echo mine >victim
rm p/corner.svg p/samples.csv
ln -s ../victim p/corner.svg
ln -s ../victim p/samples.csv
run $posterior --observation data.h5:1 -o p --quiet --force
exits 0
kept victim
fails test -L p/corner.svg
# An input is never an output.
mkdir r
cp data.h5 r/posterior.h5
run $posterior --observation r/posterior.h5:1 -o r --force
exits 2
says "is the input"
same_file r/posterior.h5 data.h5

# ---- diagnose ----

echo mine >test.csv
run $diagnose -o test.json
exits 1
says "test.csv ... already"
kept test.csv
mv test.csv test-sbc.svg
run $diagnose -o test.json
exits 1
says "test-sbc.svg ... already"
kept test-sbc.svg
mv test-sbc.svg test.txt
run $diagnose -o test.json --quiet --check
checked=$code
holds test -s test.csv
mkdir d-keep
cp test* d-keep
run $diagnose -o test.json --check
exits "$checked"
prints "test.json ... already"
prints "verdict"
for file in d-keep/*; do
    same_file "$file" "$(basename "$file")"
done
run $diagnose -o test.json --delta 0.1
exits 1
says "test.json ... already ... way"
run $diagnose -o test.json --observation data.h5:1
exits 1
says "test.json ... already ... way"
kept test.txt
run diagnose est.h5 --data pairs.h5 --points 16 --format svg,png -o test.json \
    --quiet --force
exits 0
holds test -s test-sbc.png
run $diagnose -o test.json --quiet --force
exits 0
fails test -e test-sbc.png
for file in d-keep/*; do
    same_file "$file" "$(basename "$file")"
done
cp pairs.h5 set.csv
run diagnose est.h5 --data set.csv --points 16 -o set.json --force
exits 2
says "input set.csv"
same_file pairs.h5 set.csv
# Without gnuplot it is not finished: the next call draws.
mkdir none
last="diagnose without gnuplot"
PATH=/nowhere "$bnre" $diagnose -o none/d.json --quiet >.out 2>.err
code=$?
exits 0
holds grep -q '"unfinished": "gnuplot ' none/d.json
run $diagnose -o none/d.json --quiet
exits 0
holds test -s none/d-sbc.svg
same_file none/d.json test.json

# ---- one at a time, and writable before the work ----

exec 9>.busy.lock 8>.busy.json.lock
flock 9
flock 8
run $posterior --observation data.h5:1 -o busy
exits 1
says "busy ... written ... process"
run $diagnose -o busy.json
exits 1
says "busy.json ... written ... process"
exec 9>&- 8>&-
rm -f .busy.lock .busy.json.lock
# A process that is at work, held where it draws, and a second one.
mkfifo gate
mkdir slow
cat >slow/gnuplot <<'SH'
#!/bin/sh
echo here >"$GATE"
cat "$GATE" >/dev/null
exec "$QUICK" "$@"
SH
chmod +x slow/gnuplot
GATE=$PWD/gate
QUICK=$BUILD/tests/quick_gnuplot
export GATE QUICK
last="two at once"
PATH=$PWD/slow:$PATH "$bnre" $posterior --observation data.h5:1 -o two --quiet &
first=$!
read -r word <gate
holds test "$word" = here
run $posterior --observation data.h5:2 -o two --force
exits 1
says "two ... written ... process"
echo go >gate
wait $first || fail "the first should succeed"
holds diff -r two p-keep
run $posterior --observation data.h5:1 -o file/p
exits 1
says "file"
hidden .
hidden p
hidden q
hidden real

finish
