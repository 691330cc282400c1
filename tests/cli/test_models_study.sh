#!/bin/sh
# Several models as one task, and studies that compare them: rows, the report,
# the page, odds, external programs; the same bytes however it is run.
. "$(dirname "$0")/lib.sh"

# x is N(theta, 1) with theta fixed or not: p(model | x) is known.
cat >models.yaml <<'END'
models:
  still: {name: gaussian, parameters: {theta_0: fixed(0), theta_1: fixed(0)}}
  right: {name: gaussian, parameters: {theta_0: fixed(2), theta_1: fixed(0)}}
  wide: {name: gaussian, parameters: {theta_0: "normal(0, 3)", theta_1: fixed(0)}}
END

# Rows are of all models in equal parts, or as the weights say, and each has the
# spread of its own (4.5 standard deviations: 1 in 100,000 for each of ten).
run simulate --task models.yaml --count 3000 --threads 1 -o rows.h5
exits 0
run simulate --task models.yaml --count 3000 --threads 3 -o rows3.h5
exits 0
same_file rows.h5 rows3.h5
"$bnre" convert rows.h5 rows.csv --quiet
awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i}
    NR > 1 {k = $at["theta.model"]; x = $at["x.0"]; n[k]++; s[k] += x; q[k] += x * x}
    function off(v, is, sd) {return (v - is) ^ 2 > 20 * sd * sd}
    END {for (k = 0; k < 3; k++) if (off(n[k], 1000, 26)) exit 1
        for (k = 0; k < 3; k++) {m = s[k] / n[k]; v = q[k] / n[k] - m * m
            is = k == 2 ? 10 : 1
            if (off(m, k == 1 ? 2 : 0, sqrt(is / n[k]))) exit 1
            if (off(v, is, is * sqrt(2 / n[k]))) exit 1}}' \
    rows.csv || fail 'rows of each model'
{ cat models.yaml; echo 'parameters: {model: "categorical(8, 1, 1)"}'; } >odd.yaml
run simulate --task odd.yaml --count 2000 -o odd.csv
exits 0
awk -F, 'NR > 1 && $1 == 0 {n++} END {exit (n - 1600) ^ 2 > 20 * 320}' odd.csv ||
    fail 'weights of the models'

# The study.
{
    cat models.yaml
    cat <<'END'
simulations: 1500
test: 900
members: 2
epochs: 12
batch_size: 64
observation: seen.txt
END
} >study.yaml
echo 0.2 0.4 >seen.txt
run run study.yaml -o out
exits 0
prints 'single'
for word in 'Which model' 'wide' 'Confusion' 'Probabilities of the models'; do
    holds grep -q "$word" out/report.html
done
holds grep -q 'accuracy,accuracy_error,calibration' out/results.csv
run run study.yaml -o out
exits 0
prints '1 was done already'
run run study.yaml -o again --threads 1 --quiet
exits 0
holds diff -r out again

# p(model | x) at (0.2, 0.4) is 0.656, 0.132 and 0.211: a small network comes
# within 0.15.
numbers() { # FILE: the probabilities of a posterior
    tr -d ' \n' <"$1" | sed 's/.*"probabilities":\[\([^]]*\)\].*/\1/'
    echo
}
numbers out/runs/single/1/posterior/posterior.json >equal
awk -F, '{if (($1 - 0.656) ^ 2 > 0.0225 || ($2 - 0.132) ^ 2 > 0.0225) exit 1}' equal ||
    fail "$(cat equal) should be near 0.656,0.132,0.211"
run posterior out/runs/single/1/estimator.h5 --observation seen.txt
exits 0
prints 'row,still,right,wide
0,0.'
printf '%s\n' "$out" | tail -1 | cut -d, -f2- | paste -d, - equal |
    awk -F, '{for (k = 1; k <= 3; k++) if (($k - $(k + 3)) ^ 2 > 1e-14) exit 1}' ||
    fail 'the command and the study agree'

# Other odds: only the posterior is made again, and they multiply.
run run study.yaml -o out --set odds=1,2,5
exits 0
says '1 of 1 runs ... posterior again'
numbers out/runs/single/1/posterior/posterior.json | paste -d, equal - |
    awk -F, '{s = $1 + 2 * $2 + 5 * $3
        if (($1 / s - $4) ^ 2 + (5 * $3 / s - $6) ^ 2 > 1e-12) exit 1}' ||
    fail 'odds multiply'
holds grep -q 'prior odds 1,2,5' out/report.html

# The report is what probabilities of the rows say.
run posterior out/runs/single/1/estimator.h5 --observation out/data/models-test.h5
exits 0
printf '%s\n' "$out" >says.csv
"$bnre" convert out/data/models-test.h5 test.csv --quiet
paste -d, says.csv test.csv | awk -F, 'NR == 1 {for (i = 5; i <= NF; i++) at[$i] = i}
    NR > 1 {k = $at["theta.model"]; n[k]++; b = 0
        for (j = 1; j < 3; j++) if ($(2 + j) > $(2 + b)) b = j
        hit[k] += b == k}
    END {printf "%.9f", (hit[0] / n[0] + hit[1] / n[1] + hit[2] / n[2]) / 3}' >accuracy
grep '"accuracy":' out/runs/single/1/diagnose.json | tr -dc '0-9.\n' |
    awk -v is="$(cat accuracy)" '{if (($1 - is) ^ 2 > 1e-14) exit 1; n++} END {exit n != 1}' ||
    fail "the accuracy is $(cat accuracy)"

# A file for each class, of rows it has not seen.
for k in 0 1 2; do
    "$bnre" simulate --task models.yaml --theta $k --count 300 --split test \
        -o c$k.h5 --quiet
done
run diagnose out/runs/single/1/estimator.h5 --classes c0.h5 c1.h5 c2.h5 -o classes.json
exits 0
prints 'accuracy ... calibration ... taken for ... wide ... 300'
holds grep -q '"confusion"' classes.json
run diagnose out/runs/single/1/estimator.h5 --classes c0.h5 c1.h5 c2.h5 -o classes.json
exits 0
run diagnose out/runs/single/1/estimator.h5 --classes c0.h5 c1.h5
exits 2
says '3 classes ... 2 are given'
run diagnose out/runs/single/1/estimator.h5 --classes c0.h5 c1.h5 c2.h5 --check
exits 2
says 'check'
run train --classes c0.h5 c1.h5 --epochs 2 -o two.h5 --quiet
exits 0
run diagnose two.h5 --classes c0.h5 c1.h5
exits 0
prints 'accuracy ... c0.h5 ... c1.h5'
run diagnose two.h5 --classes c0.h5 c1.h5 --json
exits 0
prints '"models": { ... "confusion"'

# External programs among them.
cp -r "$SOURCE/examples/external/python" ex
cat >programs.yaml <<'END'
models:
  decay: ex/study.yaml
  other: ex/study.yaml
END
run simulate --task programs.yaml --count 120 --threads 2 -o programs.h5
exits 0
prints_not failed
run simulate --task programs.yaml --count 120 --threads 1 -o programs1.h5
exits 0
same_file programs.h5 programs1.h5

# What cannot be.
wrong() { # FACTS, the file on stdin
    cat >wrong.yaml
    run simulate --task wrong.yaml --count 5 -o wrong.h5
    exits 2
    says "$1"
}
wrong 'b ... shape' <<'END'
models: {a: gaussian, b: slcp}
END
wrong '2 to 1024' <<'END'
models: {a: gaussian}
END
wrong 'categorical(1, 1)' <<'END'
models: {a: gaussian, b: gaussian}
parameters: {model: "categorical(1, 1, 1)"}
END
wrong 'letters' <<'END'
models: {"a,b": gaussian, b: gaussian}
END
run run study.yaml -o no --set odds=1,2
exits 2
says 'odds'
run run study.yaml -o no --set task=gaussian
exits 2
says 'task ... models'

finish
