#!/bin/sh
# Nothing that a data file names is run, and what only shows runs nothing: a
# program or plugin is for those who name its task (docs/security.md).
. "$(dirname "$0")/lib.sh"

# A plugin that leaves a trace when it is loaded, and one when it simulates.
cat >spy.c <<END
#include <bnre/plugin.h>
#include <stdio.h>
static void leave(const char *name) { FILE *f = fopen(name, "w"); if (f) fclose(f); }
__attribute__((constructor)) static void load(void) { leave("$scratch/LOADED"); }
static bnre_draw draw(void *s, bnre_rng *r, const double *t, const double *n, double *x, char *w)
{ (void)s; (void)n; (void)w; leave("$scratch/RAN"); x[0] = t[0] + bnre_rng_normal(r); return BNRE_DRAW_OK; }
static double log_likelihood(void *s, const double *t, const double *x)
{ (void)s; leave("$scratch/RAN"); return -(x[0] - t[0]) * (x[0] - t[0]) / 2 - 0.9189385332046727; }
BNRE_API const bnre_plugin bnre_plugin_record = { .abi = BNRE_PLUGIN_ABI, .name = "spy", .title = "",
  .parameters = (const bnre_plugin_parameter[]){{"a", "normal(0, 1)", 0}, {0}},
  .observable = "1", .draw = draw, .log_likelihood = log_likelihood };
END
plugin spy
mv spy.yaml plugin.yaml
small='network: {head: {hidden: [4], activation: selu}}'
printf 'head: {hidden: [4], activation: selu}\n' >net.yaml
printf 'task: {simulator: {plugin: ./libspy.so}}\nsimulations: 160\ntest: 40\nepochs: 1\n%s\n' "$small" >study.yaml

# The same as a program.
cat >sim.sh <<END
#!/bin/sh
: >"$scratch/RAN"
while read -r seed a; do echo "\$a"; done
END
chmod +x sim.sh
cat >program.yaml <<'END'
parameters: {a: "normal(0, 1)"}
observable: [1]
simulator: {command: [./sim.sh]}
END
sed 's/^/  /; 1i task:' program.yaml >program-study.yaml
printf 'simulations: 160\ntest: 40\nepochs: 1\n%s\n' "$small" >>program-study.yaml

ran() {
    [ -e LOADED ] || [ -e RAN ] || fail 'it should have been run'
    rm -f LOADED RAN
}
ran_not() {
    [ ! -e LOADED ] || fail 'the plugin was loaded'
    [ ! -e RAN ] || fail 'the simulator was run'
    rm -f LOADED RAN
}

for kind in plugin program; do
    # What shows does not run.
    run info $kind.yaml
    exits 0
    prints 'simulator:'
    ran_not
    run tasks $kind.yaml
    exits 0
    ran_not
    run simulate --task $kind.yaml --count 160 -o $kind.h5 --dry-run
    exits 0
    prints "$kind.h5"
    ran_not
    study=study.yaml
    [ $kind = plugin ] || study=program-study.yaml
    run run $study -o results-$kind --dry-run
    exits 0
    prints 'cells           1'
    ran_not

    # Naming the task does.
    run simulate --task $kind.yaml --count 160 -o $kind.h5
    exits 0
    ran
    run simulate --task $kind.yaml --count 40 --split test -o $kind-test.h5
    exits 0
    ran
    run run $study -o results-$kind --no-report
    exits 0
    ran

    # What a data file names does not.
    run info $kind.h5
    exits 0
    prints 'simulator'
    ran_not
    run train --data $kind.h5 --network net.yaml --epochs 1 --calibrate 50 -o never.h5
    exits 2
    says "$kind.h5 names ... $kind ... simulator"
    says 'name the task ... FILE.yaml'
    ran_not
    run train --data $kind.h5 --network net.yaml --epochs 1 --trust fresh -o never.h5
    exits 2
    says 'name the task ... FILE.yaml'
    ran_not
    run train --data $kind.h5 --network net.yaml --epochs 1 -o $kind-estimator.h5
    exits 0
    ran_not
    run info $kind-estimator.h5
    exits 0
    ran_not
    run diagnose $kind-estimator.h5 --data $kind-test.h5
    ran_not
    run diagnose $kind-estimator.h5 --data $kind-test.h5 --theorems 30
    exits 2
    says 'name the task ... FILE.yaml'
    ran_not
    echo 0.5 >observed.csv
    run posterior $kind-estimator.h5 --observation observed.csv --samples 100 --format svg -o $kind-posterior
    ran_not
    run convert $kind.h5 $kind.csv
    exits 0
    ran_not
    [ $kind = program ] || run report results-$kind --format svg
    exits 0
    ran_not
    run posterior $kind-estimator.h5 --each $kind-test.h5 --samples 20 -o $kind-each
    ran_not
    run check $kind-estimator.h5 --observation observed.csv -o $kind-check
    prints UNCHECKED
    ran_not
    run check $kind-estimator.h5 --observation observed.csv --task $kind.yaml -o $kind-look --dry-run
    exits 0
    ran_not
    run export $kind-estimator.h5 -o $kind.c
    exits 0
    ran_not
    run train --classes $kind.h5 $kind-test.h5 --network net.yaml --epochs 1 --batch-size 16 -o $kind-classes.h5
    exits 0
    ran_not
    run infer --task $kind.yaml --observation observed.csv --simulations 100 -o $kind-infer --dry-run
    [ $kind = plugin ] || exits 0 # it alone tells the shape of x
    ran_not
    run train --data $kind.h5 --network net.yaml --epochs 1 --certify 50 -o never.h5
    exits 2
    ran_not
    run train --data $kind.h5 --task $kind.yaml --network net.yaml --epochs 1 --calibrate 50 -o never.h5 --dry-run
    exits 0
    ran_not

    # Naming it again does.
    run train --data $kind.h5 --task $kind.yaml --network net.yaml --epochs 1 --calibrate 50 -o $kind-calibrated.h5
    exits 0
    ran
done
run diagnose plugin-estimator.h5 --data plugin-test.h5 --theorems 30 --task plugin.yaml --dry-run
exits 0
ran_not
run diagnose plugin-estimator.h5 --data plugin-test.h5 --theorems 30 --task plugin.yaml
prints 'theory, '
ran
run diagnose plugin-estimator.h5 --data plugin-test.h5 --theorems 30 --task gaussian
exits 2
says 'another task'

# Theory in a study that names its plugin.
run run study.yaml --set theorems=30 -o theory --no-report
exits 0
ran

# Built-in tasks named in a file are simulated.
run simulate --task gaussian --count 160 -o gaussian.h5
run train --data gaussian.h5 --network net.yaml --epochs 1 --calibrate 50 -o gaussian-estimator.h5
exits 0

# What a program writes stays in its scratch directory.
refused() { # KEY VALUE
    cat >escape.yaml <<END
parameters: {a: "normal(0, 1)"}
observable: [1]
simulator: {command: [./sim.sh, "{a}"], template: t.in, $1: "$2"}
END
    run simulate --task escape.yaml --count 5 -o escape.h5
    exits 2
    says 'escape.yaml:3'
    says "$1 must be"
    fails test -e escape.h5
}
echo '{a}' >t.in
mkfifo pipe
sed 's/t.in/pipe/' >pipe.yaml <<'END'
parameters: {a: "normal(0, 1)"}
observable: [1]
simulator: {command: [./sim.sh], template: t.in}
END
run info pipe.yaml
exits 2
says 'template pipe ... not a file'
refused output ../../x
refused output ..
refused output a/../../x
refused output a/..
refused output "$scratch/x"
refused input ..
refused input ../x

finish
