#!/bin/sh
# The page and figures of a study: whole, half, damaged, hostile, and without
# gnuplot.
pictures=real
. "$(dirname "$0")/lib.sh"

cat >tiny.yaml <<'EOF'
title: A <b>bold</b> "claim" & more
task:
  name: own
  parameters:
    a_1: uniform(0, 1)
    b: normal(0, 1)
  observable: [2]
  simulator: {command: [sh, sim.sh]}
test: 60
epochs: 2
batch_size: 16
network: {head: {hidden: [8], activation: selu}}
repeats: 2
sweep:
  method: [nre, bnre]
  simulations: [2^6, 2^7]
EOF
echo 'while read -r seed a b; do echo "$a $b"; done' >sim.sh

page_has() { # TEXT...
    for text in "$@"; do
        grep -qF -- "$text" "$page" || fail "$page should hold: $text"
    done
}

page_has_not() {
    for text in "$@"; do
        ! grep -qF -- "$text" "$page" || fail "$page should not hold: $text"
    done
}

# `run` ends with it and says where it is.
run run tiny.yaml -o out
exits 0
prints '  report        out/report.html'
page=out/report.html
page_has 'A &lt;b&gt;bold&lt;/b&gt; &quot;claim&quot; &amp; more' \
    'UNINFORMATIVE' 'runs/method=bnre,simulations=128/2' 'own-test.h5' \
    "bnre run study.yaml" 'over the prior' '</html>' \
    'Medians over up to 2 runs' 'Means over up to 2 runs'
page_has_not '<b>' '<script' 'http-equiv="refresh"' 'not done yet' "$PWD"
for name in coverage auc log-posterior bias-variance balance training; do
    for ending in gp dat svg pdf; do
        holds test -s "out/figures/$name.$ending"
    done
    page_has "id=\"figure-$name\""
done
holds test "$(grep -c '<svg role="img"' "$page")" = 6
page_has_not 'was not drawn'
# The curves are in the data, the axis is that of budgets.
holds test "$(grep -c '^# method=' out/figures/coverage.dat)" = 4
holds grep -q "'2^{6}' 64" out/figures/auc.gp

# Nothing that is fetched: no address but the names of XML.
holds test -z "$(grep -o 'https\?://[^"]*' "$page" | grep -v '^http://www.w3.org/')"

# The same again, wherever and whenever it is drawn.
run report out
exits 0
cp -r out copy
rm -r copy/figures copy/report.html
run report copy
exits 0
holds diff -r out copy

# Other formats; png beside them.
run report copy --format png --quiet
exits 0
holds test -s copy/figures/auc.png
holds test -z "$out"
run report copy --format gif
exits 2
says "no ... format 'gif'"
run report copy --dry-run
exits 0
prints 'would ... copy/report.html'

# A figure that was stopped in the middle is drawn again; what is left of an
# earlier time goes; what is others' stays.
head -c 100 out/figures/auc.svg >copy/figures/auc.svg
echo >copy/figures/lambda.svg
echo >copy/figures/mine.svg
run report copy
exits 0
same_file copy/figures/auc.svg out/figures/auc.svg
fails test -e copy/figures/lambda.svg
holds test -e copy/figures/mine.svg

# A study that is not done says what is missing.
rm -r 'copy/runs/method=nre,simulations=64'
rm 'copy/runs/method=bnre,simulations=64/1/run.yaml'
echo 'no <luck>' >'copy/runs/method=bnre,simulations=64/2/failure.txt'
run report copy
exits 0
prints '4 of 8 are done'
page=copy/report.html
page_has '3 of 8 runs are not done yet' 'runs/method=nre,simulations=64/1' \
    '1 of 8 runs failed' 'no &lt;luck&gt;'
# One that has only begun, too.
mkdir begun
cp out/study.yaml begun
run report begun
exits 0
page=begun/report.html
page_has 'No run has begun' 'A &lt;b&gt;bold'

# A damaged run is named, others are shown; `run` repairs it.
cp -r out hurt
echo '{"verdict": ' >'hurt/runs/method=nre,simulations=128/1/diagnose.json'
run report hurt
exits 0
page=hurt/report.html
page_has '1 of 8 runs have damaged files' 'runs/method=nre,simulations=128/1'
run run tiny.yaml -o hurt
exits 0
says 'files ... runs/method=nre,simulations=128/1 ... missing ... damaged'
holds diff -r out hurt
# Results of other settings are not shown as those of the study.
sed -i 's/^seed: .*/seed: 5/' 'hurt/runs/method=nre,simulations=128/1/run.yaml'
run report hurt
exits 0
page_has '1 of 8 runs were made with other settings'
echo 'nonsense' >hurt/results.csv
run report hurt
exits 1
says 'no columns cell ... repeat'
echo '"nonsense' >hurt/results.csv
run report hurt
exits 1
says 'results.csv: line 1 ... quote ... not'

# Without gnuplot: data, scripts, a page that says so, and a message.
cp -r out bare
rm -r bare/figures bare/report.html
mkdir nothing
last='bnre report bare, without gnuplot'
PATH=$PWD/nothing "$bnre" report bare >.out 2>.err
code=$?
err=$(cat .err)
exits 0
says 'gnuplot ... not found'
says 'bnre report bare'
page=bare/report.html
page_has 'There are no pictures: gnuplot was not found' 'was not drawn'
holds test -s bare/figures/coverage.gp
holds test -s bare/figures/coverage.dat
fails test -e bare/figures/coverage.svg

# What is no study.
run report nothing
exits 2
says 'nothing ... no study'
run report
exits 2
says 'usage: bnre report DIR'

finish
