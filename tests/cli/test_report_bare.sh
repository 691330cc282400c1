#!/bin/sh
# The page of a study that has no diagnosis, or not everywhere: whatever it
# varies, there is a page, with the figures that something is known for.
. "$(dirname "$0")/lib.sh"

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

# study NAME: the lines on stdin and what keeps it short.
study() {
    {
        cat
        echo 'epochs: 2
batch_size: 16
network: {head: {hidden: [8], activation: selu}}'
    } >"$1.yaml"
    rm -rf "$1"
    page=$1/report.html
    run run "$1.yaml" -o "$1"
    exits 0
    prints "  report        $1/report.html"
    run report "$1" --format svg
    exits 0
}

study budgets <<'END'
task: gaussian
test: 0
repeats: 2
sweep: {method: [nre, bnre], simulations: [64, 128]}
END
prints_not 'are done'
page_has '8 of 8 runs were not diagnosed' '2 of 2' 'id="figure-training"'
page_has_not 'was not drawn' 'figure-coverage' 'figure-auc' 'figure-balance' \
    'figure-log-posterior' 'figure-bias-variance' 'goes on with'

# Posteriors are drawn all the same, beside panels for what is not known.
cat >one.yaml <<'END'
parameters: {a: "normal(0, 1)"}
observable: 1
simulator: {command: [cat]}
END
echo 'while read -r seed a; do echo "$a"; done' >sim.sh
sed -i 's/\[cat\]/[sh, sim.sh]/' one.yaml
echo 0.5 >x.csv
study lambdas <<'END'
task: one.yaml
simulations: 64
test: 0
observation: x.csv
sweep: {lambda: [1, 10]}
END
page_has 'id="figure-lambda"' 'id="figure-training"'
page_has_not 'was not drawn' 'figure-coverage' 'figure-auc'

# Tasks of which one was diagnosed, as in a study under way.
study tasks <<'END'
simulations: 64
sweep: {task: [gaussian, one.yaml], test: [0, 50], method: [nre, bnre]}
END
rm tasks/runs/*one*/1/diagnose.json
run report tasks --format svg
exits 0
prints '6 of 8 are done'
page_has 'id="figure-coverage-gaussian"' 'are trained and not diagnosed yet' \
    '4 of 8 runs were not diagnosed'
page_has_not 'was not drawn' 'figure-coverage-one'

finish
