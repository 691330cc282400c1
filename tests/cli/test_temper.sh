#!/bin/sh
# Tempering is applied once: p exp(T l), whether T is stored in the estimator
# or given, in posteriors and in diagnoses.
. "$(dirname "$0")/lib.sh"

cat >net.yaml <<'END'
head: {hidden: [16, 16], activation: selu}
END
run simulate --task gaussian --option dim=1 --count 2048 -o train.h5 --quiet
exits 0
run simulate --task gaussian --option dim=1 --split test --count 40 \
    -o test.h5 --quiet
exits 0
for t in 1 0.5; do
    run train --data train.h5 --network net.yaml --method nre --epochs 30 \
        --temper $t -o est-$t.h5 --quiet
    exits 0
done

# The first table of corner.dat: theta, density, regions, prior.
table() { # DIRECTORY
    awk 'NF == 0 {exit} !/^#/ {print $1, $2, $4}' "$1/corner.dat"
}

# log q_T / p - T log q_1 / p has the same value wherever the prior is not so
# small that cells of equal prior mass are wide.
tempered() { # T DIRECTORY
    table plain >.plain
    table "$2" >.tempered
    awk -v t="$1" '
        FILENAME == ".plain" {at[n] = $1; l[n++] = log($2 / $3); next}
        $3 > 0.02 {
            while (k + 2 < n && at[k + 1] < $1)
                k++
            if ($1 < at[0] || $1 > at[n - 1])
                next
            s = ($1 - at[k]) / (at[k + 1] - at[k])
            d = log($2 / $3) - t * ((1 - s) * l[k] + s * l[k + 1])
            if (!rows++ || d < low) low = d
            if (rows == 1 || d > high) high = d
        }
        END {exit !(rows > 100 && high - low < 0.001)}' .plain .tempered
}

# The gain of pair 8 in a diagnosis is that of the posterior at the truth.
gains() { # DIAGNOSIS DIRECTORY
    table "$2" >.table
    awk -v gain="$(awk -F, '$1 == 8 {print $5}' "$1-pairs.csv")" \
        -v truth="$(sed -n 's/.*"truth": *//p' "$2/posterior.json")" '
        $1 <= truth {at = $1; below = log($2 / $3); next}
        !rows++ {
            s = (truth - at) / ($1 - at)
            d = gain - (1 - s) * below - s * log($2 / $3)
        }
        END {exit !(below != 0 && rows > 0 && d * d < 0.01 ^ 2)}' .table
}

run posterior est-1.h5 --observation test.h5:8 -o plain --quiet --format svg
exits 0
while read -r est t options; do
    # shellcheck disable=SC2086
    run posterior est-$est.h5 --observation test.h5:8 $options \
        -o post-$est-$t --quiet --format svg
    exits 0
    holds tempered "$t" post-$est-$t
    fails tempered "$(awk "BEGIN {print $t * $t}")" post-$est-$t

    # The gain of this pair is log q_T / p at its theta.
    # shellcheck disable=SC2086
    run diagnose est-$est.h5 --data test.h5 --points 4000 $options \
        -o diag-$est-$t.json --quiet
    exits 0
    holds gains diag-$est-$t post-$est-$t
    fails gains diag-$est-$t plain
done <<'END'
1 0.5 --temper 0.5
1 0.8 --temper 0.8
0.5 0.5
0.5 0.8 --temper 0.8
END
finish
