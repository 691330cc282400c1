#!/bin/sh
# A posterior for each row of a dataset: bnre posterior --each.
. "$(dirname "$0")/lib.sh"
shim=$BUILD/tests/crash_shim.so
echo 'head: {hidden: [16, 16], activation: elu}' >net.yaml
run simulate --task gaussian --count 512 -o data.h5
exits 0
run simulate --task gaussian --count 40 --split test -o many.h5
exits 0
run train --data data.h5 --network net.yaml --method npe --epochs 30 \
    --members 1 --trust no -o est.h5
exits 0
run train --data data.h5 --network net.yaml --method nre --epochs 10 \
    --members 1 -o ratio.h5
exits 0

run posterior est.h5 --each many.h5 --dry-run -o dry
exits 0
prints '40 rows'
fails test -e dry

run posterior est.h5 --each many.h5 --samples 200 --threads 2 -o all
exits 0
prints '40 rows'
[ "$(wc -l <all/summaries.csv)" -eq 41 ] || fail 'a line for each row'
holds grep -q '^row,theta_0.mean,theta_0.sd,.*,theta_1.mode,log_evidence,' \
    all/summaries.csv
holds grep -q '"posteriors"' all/each.json
# (40, 200, 2) doubles behind a header of 128 bytes.
[ "$(wc -c <all/samples.npy)" -eq $((128 + 40 * 200 * 2 * 8)) ] ||
    fail 'samples.npy should be (40, 200, 2)'
run posterior est.h5 --each many.h5 --samples 200 -o all
exits 0
prints 'was there already'

# The same bytes for any number of threads, and after any kill.
run posterior est.h5 --each many.h5 --samples 200 --threads 1 -o one
exits 0
for at in 2 5 9 20 44; do
    rm -rf killed killed.part
    ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=$shim CRASH_AT=$at \
        CRASH_WHEN=half "$bnre" posterior est.h5 --each many.h5 --samples 200 \
        --threads 1 -o killed >/dev/null 2>&1
    run posterior est.h5 --each many.h5 --samples 200 -o killed
    exits 0
    for file in each.json summaries.csv samples.npy; do
        same_file all/$file one/$file
        same_file all/$file killed/$file
    done
    fails test -e killed.part
done
# Another result is not replaced, but by --force; a killed --force goes on.
run posterior est.h5 --each many.h5 --samples 100 -o all
exits 1
says 'all/each.json ... force'
ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=$shim CRASH_AT=20 \
    CRASH_WHEN=half "$bnre" posterior est.h5 --each many.h5 --samples 100 \
    --threads 1 --force -o one >/dev/null 2>&1
holds test -e one.part
run posterior est.h5 --each many.h5 --samples 100 -o one
exits 0
prints 'interruption'

# The summary of a row is that of its draws: the mean of the first column, to
# what rounding leaves.
od -An -v -t f8 -w16 -j 128 -N $((200 * 16)) all/samples.npy >first
holds awk -F '[ ,]+' 'FNR == NR { sum += $2; next }
    FNR == 2 { d = $2 - sum / 200; exit !(d < 1e-9 && d > -1e-9) }' \
    first all/summaries.csv
# Ranks of the truth are known, and those of 40 pairs are on both sides of 1/2
# (20 or fewer on one side only: below 1e-11 for an exact posterior).
holds awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "truth_in_region") c = i }
    NR > 1 { low += $c < 0.5; high += $c >= 0.5 } END { exit !(low && high) }' \
    all/summaries.csv

# Ratios, and tables without parameters.
awk 'BEGIN { print "x.0,x.1"; for (i = 0; i < 5; i++) printf "%g,%g\n", i / 5, -i / 5 }' \
    >table.csv
run posterior ratio.h5 --each table.csv --samples 50 -o ratio
exits 0
holds grep -q ',nan' ratio/summaries.csv
run posterior est.h5 --each table.csv --observation many.h5:1 -o wrong
exits 2
says 'observation ... each'
run posterior est.h5 -o wrong
exits 2
says 'observation ... each'
awk 'BEGIN { print "x.0,x.1,x.2"; print "1,2,3" }' >three.csv
run posterior est.h5 --each three.csv -o wrong
exits 2
says '3 values ... 2'
# Rows beyond what was simulated are counted.
awk 'BEGIN { print "x.0,x.1"; print "0,0"; print "1000,0" }' >far.csv
run posterior est.h5 --each far.csv --samples 50 -o far
exits 0
says '1 of 2 rows'
# In a study: each run makes them as the command does, and what changes them
# alone is made again.
cat >study.yaml <<'END'
task: gaussian
simulations: 300
test: 0
members: 1
trust: no
epochs: 2
network: {head: {hidden: [8], activation: selu}}
each: rows.h5
sweep: {lambda: [0, 10]}
END
"$bnre" simulate --task gaussian --count 30 --split test -o rows.h5 --quiet
run run study.yaml -o study --threads 2
exits 0
holds grep -q 'Every row of rows.h5' study/report.html
holds grep -q '<td class="n">30</td>' study/report.html
run posterior study/runs/lambda=10/1/estimator.h5 --each rows.h5 -o alone --quiet
exits 0
for file in summaries.csv samples.npy; do
    same_file "alone/$file" "study/runs/lambda=10/1/each/$file"
done
run run study.yaml -o study2 --threads 1 --quiet
exits 0
holds diff -r study study2
run run study.yaml -o study --set samples=40
exits 0
says '2 of 2 runs ... again'
run run study.yaml -o study --set samples=40
exits 0
prints '2 were done already'
run run study.yaml -o study --set each=none.h5
exits 2
says 'none.h5'

finish
