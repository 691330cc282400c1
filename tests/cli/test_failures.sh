#!/bin/sh
# Simulations that fail are recorded with their reason, and told; a simulator
# that cannot go on ends the run with its words.
. "$(dirname "$0")/lib.sh"

cat >flaky.c <<'END'
#include <stdio.h>
#include <stdlib.h>

#include "bnre/plugin.h"

static bnre_draw draw(void *state, bnre_rng *rng, const double *theta,
                      const double *nuisance, double *x, char *reason)
{
    (void)state;
    if (getenv("GIVE_UP") != NULL && rng->row == 700) {
        snprintf(reason, BNRE_REASON_SIZE, "the licence has expired");
        return BNRE_DRAW_STOP;
    }
    if (rng->row % 10 == 3) {
        snprintf(reason, BNRE_REASON_SIZE, "no event was seen");
        return BNRE_DRAW_INVALID;
    }
    if (rng->row % 100 == 50) {
        snprintf(reason, BNRE_REASON_SIZE, "the scratch disk is full");
        return BNRE_DRAW_LOST;
    }
    x[0] = theta[0] + nuisance[0];
    x[1] = bnre_rng_normal(rng);
    return BNRE_DRAW_OK;
}

static const bnre_plugin_parameter parameters[] = {
    {"rate", "uniform(1, 2)", NULL}, {0}};
static const bnre_plugin_parameter nuisance[] = {
    {"drift", "normal(0, 0.1)", NULL}, {0}};

BNRE_API extern const bnre_plugin bnre_plugin_record;
const bnre_plugin bnre_plugin_record = {
    .abi = BNRE_PLUGIN_ABI,
    .name = "flaky",
    .title = "fails now and then",
    .parameters = parameters,
    .nuisance = nuisance,
    .observable = "2",
    .draw = draw,
};
END
plugin flaky

run simulate --task flaky.yaml --count 1000 -o flaky.h5
exits 0
prints 'failed        110 (11 %'
prints '100 x invalid: no event'
prints '10 x lost: the scratch disk'
run info flaky.h5
exits 0
prints '100 x invalid: no event'
prints '10 x lost: the scratch disk'
prints 'nuisance      drift'
prints 'normal(0, 0.1)'
prints 'verified'
print=$(fingerprint flaky.h5)

# They survive the way through other formats.
for to in flaky.npz flaky.csv again.h5; do
    run convert flaky.h5 $to
    exits 0
    [ "$(fingerprint $to)" = "$print" ] || fail "$to should hold the same"
    run info $to
    prints 'failed        110'
done

export GIVE_UP=1
run simulate --task flaky.yaml --count 1000 -o stopped.h5
exits 1
says 'the licence has expired'
unset GIVE_UP
fails test -e stopped.h5
run simulate --task flaky.yaml --count 1000 -o stopped.h5
exits 0
same_file stopped.h5 flaky.h5

# Guarantees from valid pairs do not speak of parameters whose results are lost.
cat >net.yaml <<'END'
head: {hidden: [8], activation: selu}
END
run simulate --task flaky.yaml --count 300 --split test --quiet -o test.h5
exits 0
for failure in missing auto outcome; do
    run train --data flaky.h5 --task flaky.yaml --network net.yaml --epochs 3 --temper 0.3 --calibrate 200 \
        --method bnre --failure $failure -o $failure.h5 --quiet
    exits 0
    run posterior $failure.h5 --observation test.h5:1 --levels 0.5 --format svg -o $failure
    exits 0
    run diagnose $failure.h5 --data test.h5
    exits 0
    case $failure in
    missing) prints '11 % of the pairs' ;;
    auto) prints ' 1 % of the pairs' ;;
    outcome) prints_not 'are missing' ;;
    esac
done
for file in missing auto; do
    grep -q 'simulations are not missing' $file/posterior.json ||
        fail "$file: the guarantee is of valid pairs"
done
fails grep -q 'not missing' outcome/posterior.json
run info auto.h5
prints 'failures      auto: invalid ... lost ... missing'
run info outcome.h5
prints 'failures      outcome: '
run train --data flaky.h5 --task flaky.yaml --network net.yaml --epochs 3 --method nre --trust fresh --temper auto --failure missing \
    --select 100 --certify 400 --calibrate 0 --eps 0.3 --format svg -o certified.h5
exits 0
run diagnose certified.h5 --data test.h5 --format svg -o certified.json
exits 0
grep -q 'where simulations .*(11 % are missing)' certified.json ||
    fail 'the certificate is of valid pairs'

# The page of a study says how many, where, and what was assumed.
cat >study.yaml <<'END'
task: flaky.yaml
method: bnre
simulations: 400
epochs: 3
network: {head: {hidden: [8], activation: selu}}
test: 100
END
page_has() { # TEXT...
    for text in "$@"; do
        grep -qF -- "$text" study/report.html || fail "the page should hold: $text"
    done
}
run run study.yaml -o study --quiet
exits 0
page_has '-train.h5: 44 simulations failed (11 %): 40 x invalid: no event' '; 4 x lost' \
    'the scratch disk is full; no sign' '(failure: auto)'
run run study.yaml -o study --quiet --set failure=missing
exits 0
page_has '(failure: missing)'
cat >>study.yaml <<'END'
sweep: {failure: [missing, outcome]}
END
run run study.yaml -o study --quiet --force
exits 0
page_has 'What they mean differs from cell to cell'

# Where all fail there is nothing to learn from, and the reason is told.
printf 'while read -r line; do echo error no root; done\n' >none.sh
cat >none.yaml <<'END'
parameters: {a: "normal(0, 1)"}
observable: [1]
simulator: {command: [sh, none.sh]}
END
run simulate --task none.yaml --count 30 -o none.h5 --quiet
exits 0
run train --data none.h5 --task none.yaml -o never.h5
exits 1
says '30 simulations ... none.h5 failed ... no root'
echo 0.5 >observed.txt
run infer --task none.yaml --observation observed.txt --simulations 40 -o never
exits 1
says 'all 40 simulations ... no root'

finish
