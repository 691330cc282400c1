#!/bin/sh
# bnre infer: from a simulator and an observation to a page, in one round.
pictures=real
. "$(dirname "$0")/lib.sh"

echo "0.5 -0.25" >obs.txt
infer() { # DIR OPTION...
    to=$1
    shift
    run infer --task gaussian --option dim=2 --observation obs.txt \
        --simulations 100 --rounds 1 --samples 500 --format svg -o "$to" "$@"
}

# A dry run tells the plan, and makes nothing.
infer one --dry-run
exits 0
prints "infer 2 parameters ... gaussian"
prints "100 in all"
prints "theta_1: normal(0, 1)"
fails test -e one

# A file is no directory to write in.
infer obs.txt --force
exits 1
says "obs.txt ... directory"
infer obs.txt/in
exits 1
says "obs.txt ... directory"

# All of it.
infer one
exits 0
prints "simulations   100"
prints "theta_1"
says "next: ... one/report.html"
for file in report.html infer.json infer.yaml estimator.h5 \
    posterior/samples.csv posterior/posterior.json; do
    holds test -s "one/$file"
done
holds test "$(wc -l <one/posterior/samples.csv)" -eq 501
holds grep -q "How far to believe" one/report.html
holds grep -q "bnre infer --task gaussian" one/report.html
fails grep -q "src=\"http\|href=\"http" one/report.html
if gnuplot --version >/dev/null 2>&1; then
    holds grep -q "<svg" one/report.html
fi
run info one/estimator.h5
exits 0

# It is there already, and other settings do not replace it unasked.
infer one
exits 0
prints "was there already"
infer one --seed 2
exits 1
says "other settings"
says "--force"

# Equal bytes for any number of threads, and after being killed at any moment.
all_same() { # A B
    for file in report.html infer.json infer.yaml estimator.h5 \
        posterior/samples.csv posterior/posterior.json; do
        same_file "$1/$file" "$2/$file"
    done
}
for wait in 0.4; do
    timeout -s KILL $wait "$bnre" infer --task gaussian --option dim=2 \
        --observation obs.txt --simulations 100 --rounds 1 --samples 500 \
        --format svg -o three --quiet
done 2>/dev/null
# The one that was killed may hold its lock until the system has removed it.
tries=0
while infer three --threads 3 --quiet; [ $tries -lt 100 ]; do
    case $err in
    *'being written by another process'*) sleep 0.2 ;;
    *) break ;;
    esac
    tries=$((tries + 1))
done
exits 0
holds test -z "$out"
all_same one three
rm three/report.html # as if it had been killed before the page
infer three --quiet
exits 0
all_same one three

# Simulations that are there count; others than those of the prior do not.
run simulate --task gaussian --option dim=2 --count 60 -o given.h5 --quiet
infer three --data given.h5 --force # which replaces
exits 0
prints "100 ... 60"
holds grep -q '"simulated": 40' three/infer.json
run info three/round-1/simulations.h5
prints "rows          40"
run convert given.h5 given.csv --quiet
infer csv --data given.csv --dry-run
exits 0
prints "60 ... given.csv"
run simulate --task gaussian --option dim=2 --count 250 -o many.h5 --quiet
infer many --data many.h5
exits 2
says "250 ... more"
infer many --data many.h5 --simulations 250 # all of them are there
exits 0
holds grep -q '"simulated": 0' many/infer.json
run simulate --task gaussian --option dim=2 --theta 0,0 --count 50 \
    -o theta.h5 --quiet
infer theta --data theta.h5
exits 2
says "given parameters"
run convert many.h5 many.csv --quiet
awk -F, 'NR == 1 || $1 > 0' many.csv >cut.csv
infer cut --data cut.csv --simulations 300 --dry-run
exits 2
says "cut.csv ... theta_0 ... prior"
# Of whole numbers many are equal, and are draws all the same.
echo 'task: {name: gaussian, parameters: {theta_0: "integer(-1, 1)"}}' >whole.yaml
run simulate --task whole.yaml --count 600 -o whole.csv --quiet
exits 0
run infer --task whole.yaml --observation obs.txt --data whole.csv --simulations 600 --rounds 1 \
    -o whole --dry-run
exits 0
awk -F, 'NR == 1 || $1 < 1' whole.csv >few.csv
run infer --task whole.yaml --observation obs.txt --data few.csv --simulations 600 --rounds 1 \
    -o whole --dry-run
exits 2
says "few.csv ... theta_0 ... prior"
run simulate --task gaussian --option dim=3 --count 50 -o three.h5 --quiet
infer wrong --data three.h5
exits 2
fails test -e wrong/round-1

# What cannot be.
run infer --task gaussian --observation obs.txt --option dim=3 -o wrong
exits 2
run infer --task nothing --observation obs.txt -o wrong
exits 2
run infer --observation obs.txt -o wrong
exits 2
says "task"
run infer --task gaussian --observation obs.txt --simulations 5 -o wrong
exits 2
# Nobody's file is lost without --force.
mkdir others
echo mine >others/report.html
infer others
exits 1
says "others/report.html ... already"
holds grep -qx mine others/report.html
fails test -e others/infer.yaml

# Killed while it replaces a result of other settings: what was there before does
# not pass for the new one, and the new one comes to its end.
cp -r one again
cat >cut.sh <<'END'
"$1" infer --task gaussian --option dim=2 --observation obs.txt --seed 2 \
    --simulations 100 --rounds 1 --samples 500 --format svg -o again --force \
    --quiet &
pid=$!
while kill -0 $pid && ! grep -q 'seed: 2' again/infer.yaml; do
    sleep 0.01
done
kill -9 $pid
wait
END
sh cut.sh "$bnre" 2>/dev/null
infer again --seed 2
exits 0
infer fresh --seed 2
exits 0
same_file again/posterior/samples.csv fresh/posterior/samples.csv
same_file again/infer.json fresh/infer.json
# A directory called like the task is no input.
infer gaussian
exits 0
infer gaussian
exits 0
same_file gaussian/infer.json fresh/infer.json
finish
