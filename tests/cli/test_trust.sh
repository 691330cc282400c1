#!/bin/sh
# From data to a certified estimator with conformal regions, and advice.
. "$(dirname "$0")/lib.sh"

cat >net.yaml <<'END'
head: {hidden: [16], activation: selu}
END
run simulate --task gaussian --count 400 --quiet -o data.h5
exits 0
run simulate --task gaussian --count 300 --split test --quiet -o test.h5
exits 0

run train --data data.h5 --network net.yaml --trust fresh --dry-run
exits 0
prints 'lambda (0, 1, 3, ..., 1000) and temper (1 ... 0.3)'
prints 'select        2000 fresh pairs, simulated'
prints 'certify       10000 fresh pairs, simulated'
prints 'calibrate     1000 fresh pairs, simulated'
prints 'effort ... 2.5'

set -- --data data.h5 --network net.yaml --epochs 60 --learning-rate 0.01 --members 2 \
    --trust fresh --select 200 --certify 1000 --calibrate 100 --effort 100 --format svg
run train "$@" -o est.h5
exits 0
prints 'CERTIFIED ... 1000 fresh pairs'
prints 'select, 1,000 ... certify, 100 ... calibrate'
for file in est.h5 est.history.csv est.select.h5 est.certify.h5 \
    est.calibrate.h5 est-trust.gp est-trust.dat; do
    [ -s "$file" ] || fail "$file should be there"
done
for file in est.h5.*; do
    [ -e "$file" ] && fail "$file should be gone"
done
# Killed before it drew, it is drawn by the same command.
mkdir drawn
mv est-trust.* drawn
run train "$@" --check -o est.h5
exits 0
prints 'was there already'
for file in drawn/*; do
    same_file "$file" "${file#drawn/}"
done

# So short a training is not worth many pairs.
run train "$@" --effort 2.5 --calibrate 500 -o short.h5
exits 0
prints 'select, 1,000 ... certify, 400 ... calibrate'
prints 'left out      100 pairs ... --effort'

# What is not certified is kept, and told by the status.
run train --data data.h5 --network net.yaml --epochs 2 --trust fresh --check \
    --select 100 --certify 40 --calibrate 0 -o doubt.h5
exits 3
prints 'NOT CERTIFIED'
says 'check ... NOT CERTIFIED'
holds test -s doubt.h5
run train --data data.h5 --network net.yaml --trust no --check -o idle.h5
exits 2
says '--check ... effect only ... --trust auto'
run info est.h5
exits 0
prints 'CERTIFIED conservative'
prints 'calibrated    with 100 pairs'

# Pairs that would void the certificate are refused before any training.
cat >narrow.yaml <<'END'
name: gaussian
parameters: {theta_0: "uniform(-1, 1)"}
END
run simulate --task narrow.yaml --count 100 --split test --quiet -o narrow.h5
exits 0
try() { # TEXT ARGUMENT...
    text=$1
    shift
    run train --data data.h5 --network net.yaml --trust fresh "$@" -o void.h5
    exits 2
    says "$text"
    fails test -e void.h5.steps
}
try '(to select with) and test.h5 (to certify with) have 300 pairs in common' \
    --select test.h5 --certify test.h5 --calibrate test.h5
try 'theta_0 is uniform(-1, 1) there, and normal(0, 1) for data.h5' \
    --certify narrow.h5
try 'data.h5: 400 of the pairs to calibrate with' --calibrate data.h5
fails test -e void.select.h5
run diagnose est.h5 --data narrow.h5
exits 2
says 'narrow.h5 ... drawn ... prior'

for option in '--select 100' '--certify test.h5' '--delta 0.1' '--eps 0.1' '--effort 5' \
    '--points 9'; do
    # shellcheck disable=SC2086
    run train --data data.h5 --network net.yaml --trust no --calibrate 50 $option -o idle.h5
    exits 2
    key=${option#--}
    says "${key% *} ... effect only ... --trust "
    fails test -e idle.h5
done
run train --data data.h5 --network net.yaml --lambda some
exits 2
says 'lambda: "some" ... number or auto'

run posterior est.h5 --observation test.h5:3 --levels 0.5,0.9 --local \
    --regions both --format svg -o post
exits 0
prints '50 % conformal region contains ... true parameters ... least 50 %'
prints '90 % conformal region contains ... true parameters ... least 90 %'
prints 'APPROXIMATE ... 50 % conformal region ... 100 pairs'
prints 'APPROXIMATE ... 90 % conformal region ... 100 pairs'
prints 'Beta(51, 50) at 0.5, Beta(91, 10) at 0.9'
prints 'CERTIFIED conservative'
for label in '50 % nominal' '90 % nominal' '50 % conformal' '90 % conformal'; do
    holds grep -q "set label '$label'" post/corner.gp
done
holds test "$(grep -c "^set label '[0-9.]* %" post/corner.gp)" = 4
grep -q '"conformal"' post/posterior.json || fail 'JSON without conformal'
tr -d ' \n' <post/posterior.json | grep -q '"beta":\[91,10\]' || fail 'JSON without the law'
holds test "$(grep -c '"assured": null' post/posterior.json)" = 2 # the local ones
grep -q '"outside_p"' post/posterior.json || fail 'JSON without outside_p'
grep -q 'CERTIFIED conservative' post/posterior.json || fail 'JSON without words'
tr -d ' \n' <post/posterior.json | grep -q '"warnings":\[\]' || fail 'warnings'
run posterior est.h5 --observation test.h5:3 --levels 0.5,0.999 --format svg -o post3
exits 0
prints '100 calibration'
prints 'few ... level ... 999'

# No guarantee is told of what is unlike the simulated data, anywhere.
printf 'x.0,x.1\n1e9,0\n' >far.csv
run posterior est.h5 --observation far.csv --levels 0.5,0.9 --local \
    --regions both --format svg -o unlike
exits 0
says 'no guarantee'
prints 'no guarantee ... regions ... observation ... unlike'
prints 'no guarantee ... observation ... unlike'
prints '(p = 0.0099)'
prints_not 'contains the true parameters'
prints_not 'CERTIFIED'
fails grep -q 'contains the true parameters\|CERTIFIED' unlike/posterior.json
for text in '"outside_p": 0.00990' '"assured": null' \
    'no guarantee .* 90 % conformal region: ' \
    '"observation 0 is unlike .*(p = 0.0099)' \
    '"words": "no guarantee .*unlike'; do
    holds grep -q "$text" unlike/posterior.json
done
holds grep -q 'no guarantee: unlike the' unlike/corner.gp

# Too few calibration pairs for a p-value: the range of training must do.
run train --data data.h5 --method bnre --network net.yaml --epochs 5 --calibrate 50 --quiet \
    -o few.h5
exits 0
run posterior few.h5 --observation far.csv --levels 0.5,0.9 --regions both \
    --format svg -o unlike2
exits 0
prints 'no guarantee ... regions: 1 ... values observed ... outside'
prints_not 'contains the true parameters'
fails grep -q 'contains the true parameters\|"outside_p"' unlike2/posterior.json

run posterior est.h5 --observation test.h5:3 --temper 0.12 --format svg -o post4
exits 0
prints "NOT CERTIFIED ... certificate ... estimator ... temper"
prints 'and not for 0.12'
run posterior est.h5 --observation test.h5:3 --temper 0.9 --regions conformal \
    -o post2
exits 2
says 'not calibrated ... another temper'
run posterior est.h5 --observation test.h5:3 --observation test.h5:4 --format svg -o post5
exits 0
prints 'observations ... not ... 2 ... together'
says 'no conformal regions: calibration ... single observations'
fails grep -q 'CERTIFIED conservative' post5/posterior.json
run diagnose est.h5 --data test.h5 --temper 0.12 --format svg -o other.json
exits 0
prints 'and not for 0.12'
fails grep -q '"certificate"' other.json
grep -q "\"estimator\": \"$(fingerprint est.h5)\"" other.json || \
    fail 'a diagnosis should name the estimator by the fingerprint of its file'

run diagnose est.h5 --data test.h5 --observation test.h5:3 --theorems 20 \
    --learning-curve data.h5 --format svg -o diag.json
exits 0
prints 'what to do'
prints 'exact balance'
prints 'learning curve'
prints 'observation looks like ... simulated data'
prints 'CERTIFIED conservative'
for key in advice certificate theorem learning_curve; do
    grep -q "\"$key\"" diag.json || fail "JSON without $key"
done

# The curve ends with the posterior that is diagnosed, tempered as it is.
run train --data data.h5 --network net.yaml --epochs 30 --learning-rate 0.01 --method nre --temper 0.6 --quiet \
    -o tempered.h5
exits 0
run diagnose tempered.h5 --data test.h5 --learning-curve data.h5 --format svg -o curve.json
exits 0
prints 'times as large ('
information() { # FILE: all of the JSON's values, to three digits
    tr -d ' \n' <"$1" | grep -o '"information":{"mean":[^,]*' | cut -d: -f3 | cut -c1-5
}
[ "$(information curve.json | sort -u | wc -l)" = 3 ] || fail 'a curve of another temper'

run diagnose est.h5 --data test.h5 --learning-curve test.h5
exits 2
prints 'coverage AUC'
says 'not ... data ... estimator ... trained'

cat >study.yaml <<'END'
task: gaussian
method: bnre
simulations: 400
epochs: 30
learning_rate: 0.01
network: {head: {hidden: [16], activation: selu}}
test: 200
select: 100
certify: 400
calibrate: 120
observation: test.h5:3
sweep:
  together:
    - {lambda: 1, trust: no}
    - {lambda: auto, trust: fresh}
END
run run study.yaml -o study --quiet
exits 0
grep -q '"certificate"' study/runs/*auto*/1/diagnose.json ||
    fail 'a study should keep the certificate'

# Its page says what was chosen, how, and what to do next.
page_has() { # TEXT...
    for text in "$@"; do
        grep -qF -- "$text" study/report.html || fail "the page should hold: $text"
    done
}
column() { # NAME ROW
    sed 's/^"[^"]*"/cell/' study/results.csv | awk -F, -v name="$1" -v row="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i }
        NR == row + 1 { print $column }'
}
words=$(sed -n 's/.*"words": "\(.*CERTIFIED.*\)",/\1/p' study/runs/*auto*/1/diagnose.json)
holds test -n "$words"
page_has "$words" 'candidates compared on 100 pairs' 'tested on 400 others' \
    '<th scope="col">certificate</th>' 'CERTIFIED</span>' 'with 120 pairs: conformal' \
    'Regions of the observation' 'in at least 95.4 %' \
    '<h2>What to do next</h2>' 'lower bound when trained' \
    'id="figure-candidates-lambda_auto_trust_fresh-1"' '<td>auto</td>'
advice=$(sed -n '/"advice"/,/]/s/.*"text": "\(.*\)"/\1/p' study/runs/*auto*/1/diagnose.json |
    head -1)
holds test -n "$advice"
page_has "$advice"
holds test "$(grep -c 'id="figure-candidates-' study/report.html)" = 1
for ending in gp dat svg pdf; do
    holds test -s study/figures/candidates-lambda_auto_trust_fresh-1.$ending
done
holds test "$(column lambda 1)" = 1
holds test -z "$(column certified 1)$(column chosen_lambda 1)"
holds test "$(column lambda 2)" = auto
column certified 2 | grep -qE '^(yes|no)$' || fail 'results.csv should tell certified'
page_has "lambda $(column chosen_lambda 2) and temper $(column chosen_temper 2), of"
page_has '<dd>looks like the simulated data (p = '
fails grep -q 'is unlike' study/report.html
printf 'x.0,x.1\n30,-40\n' >strange.csv
run run study.yaml --set observation=strange.csv -o study --quiet
exits 0
page_has 'The observation is unlike the simulated data</strong> (in 2 of 2 runs'
# What is left of a study that chose goes with it.
sed -i '/lambda: auto/d' study.yaml
run run study.yaml -o study --quiet
exits 0
fails test -e study/figures/candidates-lambda_auto_trust_fresh-1.svg
fails grep -q 'CERTIFIED' study/report.html
run run study.yaml --set lambda=auto --set method=nre -o bad
exits 2

# All of it in a study: theory, the learning curve, local regions, both in the picture.
cat >all.yaml <<'END'
task: gaussian
simulations: 400
epochs: 30
learning_rate: 0.01
network: {head: {hidden: [16], activation: selu}}
trust: fresh
test: 200
select: 100
certify: 400
calibrate: 120
theorems: 60
learning_curve: yes
observation: test.h5:3
regions: both
local: yes
END
run run all.yaml -o all --quiet
exits 0
one=all/runs/single/1
for key in '"theorem"' '"learning_curve"' '"doubling_volume"'; do
    grep -q "$key" $one/diagnose.json || fail "diagnose.json should hold $key"
done
grep -q '"text": ".*twice as many' $one/diagnose.json || fail 'advice should speak of more simulations'
grep -q '"local": true' $one/posterior/posterior.json || fail 'there should be local regions'
grep -q 'conformal' $one/posterior/corner.gp || fail 'the picture should show both'
for file in $one/learning*; do
    [ -e "$file" ] && fail "$file should be gone"
done
for text in '<dt>theory</dt>' '(60 pairs' \
    '<dt>learning curve</dt>' 'nats with 100, ' 'local (approximate)'; do
    grep -qF -- "$text" all/report.html || fail "the page should hold: $text"
done
run run all.yaml -o all --quiet --set theorems=0 --set learning_curve=no --set observations=2
exits 0
grep -q 'nothing of the 2 taken' all/report.html ||
    fail 'a certificate is for single observations'
fails grep -q '"theorem"' $one/diagnose.json
run diagnose $one/estimator.h5 --data all/data/gaussian-test.h5 --theorems 60 \
    --learning-curve all/data/gaussian-train.h5 -o alone.json --format svg
exits 0
run run all.yaml -o all --quiet
exits 0
for file in alone.json $one/diagnose.json; do
    # Up to the list of the files that lie beside it.
    sed -n '/"theorem"/,$p' "$file" |
        sed '/^  "files"/,$d; s/^  \([]}]\),$/  \1/; /^}$/d' >"$(basename "$file").findings"
done
holds test -s alone.json.findings
holds cmp alone.json.findings diagnose.json.findings

finish
