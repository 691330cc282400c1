#!/bin/sh
# Trust out of fold on the ways that data come: programs of one's own, which fail
# in both meanings, given files, studies; and every word that it may end with.
. "$(dirname "$0")/lib.sh"

echo 'head: {hidden: [16, 16], activation: elu}' >net.yaml
set -- --network net.yaml --epochs 20 --learning-rate 0.01 --eps 0.05

# x = a + noise; a part of the results is lost where a is large, and some are
# impossible where it is small.
cat >sim.c <<'END'
#include <stdio.h>
#include <stdlib.h>

static double uniform(void)
{
    return (rand() + 0.5) / (RAND_MAX + 1.0);
}

int main(void)
{
    unsigned long seed;
    double a, noise;

    while (scanf("%lu %lf", &seed, &a) == 2) {
        srand((unsigned)seed);
        if (a > 0.6 && uniform() < 0.3)
            return 1;
        noise = uniform() + uniform() + uniform() - 1.5;
        if (a < 0.3 && uniform() < 0.2)
            puts("error no root");
        else
            printf("%.9g\n", a + 0.4 * noise);
        fflush(stdout);
    }
    return 0;
}
END
${CC:-cc} -O1 sim.c -o sim || fail 'the simulator should build'
cat >own.yaml <<'END'
task:
  name: own
  parameters: {a: "uniform(0, 1)"}
  observable: 1
  simulator: {command: [./sim]}
END
run simulate --task own.yaml --count 600 -o own.h5 --quiet
exits 0
run train --data own.h5 "$@" -o own-est.h5
exits 0
says 'missing ... 1 / P(result | theta)'
prints 'CROSS-CHECKED ... others are missing ... 1 / P(result | theta) ... worth'
prints_not 'simulations give a result'
prints ', 0 more'
run train --data own.h5 "$@" --threads 1 -o again.h5 --quiet
exits 0
same_file own-est.h5 again.h5
run diagnose own-est.h5
exits 0
prints 'CONSERVATIVE, out of fold'
# All that failed is part of the model: nothing is weighed.
run train --data own.h5 "$@" --failure outcome -o outcome.h5
exits 0
prints 'CROSS-CHECKED'
prints_not 'are missing'
# A ratio does not know where results are missing, and says so.
run train --data own.h5 "$@" --method nre --trust auto -o ratio.h5
prints 'simulations give a result'
# The same rows from elsewhere.
run convert own.h5 given.csv
exits 0
run train --data given.csv --task own.yaml "$@" -o given.h5
exits 0
prints 'CROSS-CHECKED ... worth'
# Further pairs come from the program, named on the command line.
run train --data own.h5 "$@" --certify 300 --task own.yaml --check \
    -o certified.h5
exits 0
prints 'CERTIFIED conservative'
prints '600 simulations ... 300 ... 900'

# A study, whose page has the budget.
cat >study.yaml <<'END'
task: own.yaml
simulations: 600
eps: 0.05
epochs: 20
learning_rate: 0.01
network: {head: {hidden: [16, 16], activation: elu}}
test: 100
END
run run study.yaml -o study --quiet
exits 0
for text in 'CROSS-CHECKED' '600 simulations to learn from, 0 to select'; do
    grep -qF "$text" study/report.html || fail "the page should hold: $text"
done

# Parameters of a Markov chain are no draws of the prior, and told; those of a Latin hypercube are spread like it.
design() { # chain|hypercube: 512 parameters of slcp
    awk -v kind="$1" 'BEGIN {
        srand(1); n = 512
        print "theta_0,theta_1"
        for (d = 0; d < 2; d++) {
            for (i = 0; i < n; i++) order[d, i] = i
            for (i = n - 1; i > 0; i--) {
                j = int(rand() * (i + 1))
                k = order[d, i]; order[d, i] = order[d, j]; order[d, j] = k
            }
            at = -2
            for (i = 0; i < n; i++) {
                at += (rand() - 0.5) / 2
                if (at < -3) at = -6 - at
                if (at > 3) at = 6 - at
                value[d, i] = kind == "chain" ? at : -3 + 6 * (order[d, i] + rand()) / n
            }
        }
        for (i = 0; i < n; i++) print value[0, i] "," value[1, i]
    }' >design.csv
    run simulate --task slcp --theta-file design.csv -o design.h5 --quiet --force
    run train --data design.h5 --network net.yaml --epochs 1 -o design-est.h5 --force
    exits 0
}
prior_is_right() {
    case $err in *'its prior'*) fail "this was drawn from the prior: $err" ;; esac
}
design chain
says 'warning ... theta_ ... prior uniform(-3, 3)'
design hypercube
prior_is_right
run simulate --task slcp --count 400 -o slcp-all.csv --quiet
awk -F, 'NR == 1 || $1 < 1' slcp-all.csv >some.csv
run train --data some.csv --task slcp --network net.yaml --epochs 1 -o design-est.h5 --force
exits 0
says 'warning ... theta_0 ... prior uniform(-3, 3)'
run train --data slcp-all.csv --task slcp --network net.yaml --epochs 1 -o design-est.h5 --force
prior_is_right

# The words that are none of these: learned by heart, and far too few.
run simulate --task gaussian --count 300 -o data.h5 --quiet
exits 0
echo 'head: {hidden: [64, 64], activation: elu}' >large.yaml
# (Of eight numbers: then it fails by far, with any kernels and any seed.)
run simulate --task slcp --count 300 -o slcp.h5 --quiet
run train --data slcp.h5 --network large.yaml --members 5 --epochs 200 \
    --patience 200 --weights last --learning-rate 0.01 --check -o heart.h5
exits 3
prints 'NOT CROSS-CHECKED: ... most cautious choice'
prints 'widths times 2'
says 'check ... NOT CROSS-CHECKED'
run diagnose heart.h5 --check
exits 3
prints 'OVERCONFIDENT, out of fold'
run train --data data.h5 --simulations 24 --network net.yaml --epochs 5 --check \
    -o few.h5
exits 3
prints 'INCONCLUSIVE'
says 'check ... INCONCLUSIVE'
run train --data data.h5 --network net.yaml --epochs 2 --trust no --check -o no.h5
exits 2
says '--check ... --trust auto ... --trust fresh'
finish
