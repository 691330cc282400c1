#!/bin/sh
# threads: Ctrl-C in the middle of a run: exit status 130, rows safe, and the
# resumed file the same as an uninterrupted one. The simulator itself sends the
# signal when a certain row is simulated, so that nothing depends on timing.
. "$(dirname "$0")/lib.sh"

cat >stopper.c <<'END'
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "bnre/plugin.h"

static bnre_draw draw(void *state, bnre_rng *rng, const double *theta,
                      const double *nuisance, double *x, char *reason)
{
    const char *row = getenv("STOP_AT_ROW");

    (void)state, (void)nuisance, (void)reason;
    if (row != NULL && rng->row == strtoull(row, NULL, 10)) {
        const char *by = getenv("STOP_BY");
        int number = by == NULL ? SIGINT : by[0] == 'T' ? SIGTERM : SIGHUP;
        const char *again = getenv("AGAIN_AFTER_MS");

        raise(number);
        if (again != NULL) {
            nanosleep(&(struct timespec){.tv_nsec = atol(again) * 1000000},
                      NULL);
            raise(number);
        }
    }
    x[0] = theta[0] + bnre_rng_normal(rng);
    return BNRE_DRAW_OK;
}

static const bnre_plugin_parameter parameters[] = {
    {"theta", "normal(0, 1)", NULL}, {0}};

BNRE_API extern const bnre_plugin bnre_plugin_record;
const bnre_plugin bnre_plugin_record = {
    .abi = BNRE_PLUGIN_ABI,
    .name = "stopper",
    .title = "interrupts its own run",
    .parameters = parameters,
    .observable = "1",
    .draw = draw,
};
END
plugin stopper
count=200000
simulate="simulate --task stopper.yaml --count $count"

run $simulate -o whole.h5
exits 0

for threads in 1 2; do
    export STOP_AT_ROW=20000
    run $simulate --threads $threads -o cut.h5
    unset STOP_AT_ROW
    exits 130
    says 'bnre simulate: interrupted'
    says 'cut.h5.part; run ... same command again'
    holds test -s cut.h5.part
    fails test -e cut.h5

    # Meanwhile info knows, and another stream is refused.
    run info cut.h5
    exits 1
    says 'cut.h5 is unfinished'
    run info cut.h5.part
    exits 1
    says 'unfinished'
    run $simulate --seed 9 -o cut.h5
    exits 1
    says '--force'

    run $simulate --threads $threads -o cut.h5
    exits 0
    prints 'were there already'
    same_file cut.h5 whole.h5
    fails test -e cut.h5.part
    rm -f cut.h5
done

export STOP_AT_ROW=100 STOP_BY=TERM
run $simulate -o term.h5
exits 130
says 'run ... same command again'

# So does a terminal that goes away, however often it says so; under nohup it
# stops nothing.
export STOP_BY=HUP AGAIN_AFTER_MS=600
run $simulate -o hup.h5
exits 130
says 'run ... same command again'
trap '' HUP
run $simulate -o hup.h5
trap - HUP
exits 0
same_file hup.h5 whole.h5
unset STOP_BY

# A signal that arrives twice at once counts as one (timeout(1) does that); a
# second one later does not wait, and even then what was saved is used.
export AGAIN_AFTER_MS=0
run $simulate -o twice.h5
exits 130
says 'run ... same command again'
export STOP_AT_ROW=199000 AGAIN_AFTER_MS=600
run $simulate --threads 1 -o twice.h5
exits 130
case $err in
*'to go on'*) fail 'the second signal should end it at once' ;;
esac
unset STOP_AT_ROW AGAIN_AFTER_MS
run $simulate -o twice.h5
exits 0
prints 'were there already'
same_file twice.h5 whole.h5

# On a terminal there is a bar, which is gone at the end. Some containers cannot
# make one.
if ! script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    echo 'no terminal can be had here: the bar was not looked at'
else
    last='simulate on a terminal'
    script -qec "$bnre $simulate -o bar.h5" /dev/null </dev/null >.out 2>.err
    code=$?
    out=$(cat .out)
    exits 0
    prints 'simulate  ['
    prints "/200,000"
fi

finish
