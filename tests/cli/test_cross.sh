#!/bin/sh
# Trust within the simulations one has, from the command line.
. "$(dirname "$0")/lib.sh"

echo 'head: {hidden: [16, 16], activation: elu}' >net.yaml
run simulate --task gaussian --count 300 -o data.h5 --quiet
exits 0
set -- --data data.h5 --network net.yaml --epochs 30 --learning-rate 0.01

# It is the default, and costs no simulation.
run train "$@" -o est.h5
exits 0
prints 'CROSS-CHECKED: ... every level ... 300'
prints '300 simulations ... , 0 more'
holds test "$(ls ./*.h5 | wc -l)" = 2
fails ls est.h5.steps
fails ls est-trust.gp
run train "$@" --trust auto --check -o again.h5
exits 0
same_file est.h5 again.h5
run train "$@" -o est.h5
exits 0
prints 'was there already'
# What a call left that was stopped between its result and the clean-up.
mkdir est.h5.steps
cp est.h5 est.h5.steps/plain.h5
run train "$@" -o est.h5
exits 0
prints 'was there already'
fails test -e est.h5.steps
# Nothing is left of what cannot begin.
run train --data missing.h5 -o none.h5
exits 1
fails test -e none.h5.steps
run train "$@" --batch-size 16 -o est.h5
exits 1
says 'batch_size'

# What is known without further pairs, labelled as such.
run diagnose est.h5 --check
exits 0
prints 'out of fold'
prints '2 of 10 networks'
prints 'verdict       CONSERVATIVE, out of fold'
prints 'information gain'
prints 'balance'
prints 'coverage  lower bound'
run posterior est.h5 --observation data.h5:3 --levels 0.9 -o post --format svg
exits 0
# Conformal regions out of fold, with what is guaranteed: 2 * 0.9 - 1 - sqrt(2 / 300).
prints 'at least'
prints '71.8 %'
holds grep -q '"out_of_fold": true' post/posterior.json
fails grep -q '"beta"' post/posterior.json
run posterior est.h5 --observation data.h5:3 --local -o local --format svg
exits 2
says 'calibrate'
run info est.h5
prints 'CROSS-CHECKED'
prints '(npe,'
run posterior est.h5 --observation data.h5:3 --widen 1 -o other --format svg
prints 'NOT CROSS-CHECKED: ... widths'

# What is given by hand is taken.
for by_hand in '--lambda 10' '--temper 0.9' '--widen 1.3' '--trust no' '--members 1' '--recipe paper'; do
    # shellcheck disable=SC2086
    run train "$@" $by_hand --epochs 1 -o hand.h5 --force
    exits 0
    run info hand.h5
    fails grep -q 'CROSS-CHECKED' .out
    run diagnose hand.h5
    exits 2
    says 'data is needed'
done
run train "$@" --trust auto --members 1 -o hand.h5 --force
exits 2
says '1 ... folds'

# A ratio is tempered in place of widened.
run train "$@" --method nre --trust auto --check -o ratio.h5
prints '8 choices ... 5 folds'
prints 'nre, temper'

# Fresh pairs certify the whole ensemble.
run train "$@" --certify 2000 --calibrate 200 --check -o certified.h5
exits 0
prints 'CERTIFIED ... 2000 fresh pairs'
prints '2,200 more ... 2,500 in all'
prints '(npe,'
run simulate --task gaussian --count 2000 --seed 7 -o fresh.h5 --quiet
run train "$@" --certify fresh.h5 --check -o file.h5
exits 0
prints 'CERTIFIED ... 2000 fresh pairs'
prints '2,000 more ... 2,300 in all'
run train "$@" --certify data.h5 -o seen.h5
exits 2
says '300 of the pairs ... trained on'
fails test -e seen.h5
run train "$@" --certify 30 --check -o doubt.h5
exits 3
prints 'NOT CERTIFIED'
says 'check ... NOT CERTIFIED'

# Too few to tell: the most cautious, and the number that would decide.
for n in 32 64; do
    run train "$@" --simulations $n --check -o few.h5 --force
    exits 3
    prints 'INCONCLUSIVE'
    prints 'widths times 2'
    prints 'about'
done

# Fresh pairs decide what these could not, down to narrower widths.
run train "$@" --simulations 64 --certify 2000 -o few.h5 --force
exits 0
prints 'CERTIFIED ... 2000 fresh pairs'
prints_not 'widths times 2,'

# Rows of given data, without a task that could be simulated, some of them failed.
cat >given.yaml <<'END'
parameters: {a: "normal(0, 1)", b: "normal(0, 1)"}
END
run convert data.h5 given.csv
sed -i '1s/theta_0/a/; 1s/theta_1/b/' given.csv
run train --data given.csv --task given.yaml --network net.yaml --epochs 30 \
    --learning-rate 0.01 -o given.h5
exits 0
prints 'CROSS-CHECKED'

# Studies, and their page with the budget of every run.
cat >study.yaml <<'END'
task: gaussian
simulations: 300
epochs: 30
learning_rate: 0.01
network: {head: {hidden: [16, 16], activation: elu}}
test: 500
sweep:
  together:
    - {trust: auto}
    - {trust: no}
END
run run study.yaml -o study --quiet
exits 0
page_has() { # PAGE TEXT...
    page=$1
    shift
    for text in "$@"; do
        grep -qF "$text" "$page" || fail "$page should hold: $text"
    done
}
page_has study/report.html 'CROSS-CHECKED</span>' 'out of fold, on 300 simulations' \
    '300 simulations to learn from, 0 to select' ', 300 in all'
cat >budget.yaml <<'END'
task: gaussian
simulations: 256
epochs: 2
network: {head: {hidden: [8], activation: elu}}
method: npe
trust: fresh
validation: 64
select: 40
certify: 60
calibrate: 30
test: 0
END
run run budget.yaml -o budget --quiet
page_has budget/report.html '256 simulations to learn from, 64 for validation' ', 130 to select' \
    ', 450 in all'
head -1 study/results.csv | grep -q 'checked.*chosen_widen' || fail 'results.csv should tell checked'
finish
