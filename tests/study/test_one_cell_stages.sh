#!/bin/sh
# The other stages of a study are the commands, too: a check of the model, a
# posterior for each row, another prior, conformal regions, rounds. File by file
# the same bytes, the same warnings, the same exit status.
. "$(dirname "$0")/../cli/lib.sh"

echo 0.5,0.3 >near.csv
echo 0.5,0.3,7 >long.csv
printf 'parameters: {theta_0: "normal(0.5, 0.5)"}\n' >prior.yaml
"$bnre" simulate --task gaussian --count 5 --split test -o rows.h5 --quiet
"$bnre" simulate --task gaussian --count 100 --split calibrate -o pairs.h5 \
    --quiet

# All files of a directory, and no other ones.
same_directory() { # ONE TWO
    [ "$(ls -A "$1")" = "$(ls -A "$2")" ] ||
        fail "the same files should be in $1 and $2"
    for file in "$1"/*; do
        same_file "$file" "$2/${file##*/}"
    done
}

# What warns: a study names its keys, a command its options.
warnings() {
    grep -h 'warning: \|no conformal' .err | sed -e 's/^[a-z]*: //' \
        -e 's/`\([a-z_]*\): \([^`]*\)`/--\1 \2/g' -e 's/`\([a-z_]*\)`/--\1/g'
}

study() { # LINE...: runs a study of one cell
    printf '%s\n' 'task: gaussian' 'simulations: 256' 'test: 0' 'epochs: 2' \
        'members: 1' 'network: {head: {hidden: [8], activation: elu}}' \
        "$@" >study.yaml
    rm -rf s check each posterior
    run run study.yaml -o s --no-report
    worst=$code
    warnings >study.err
    : >command.err
    code_of_commands=0
}
dir=s/runs/single/1

command() { # COMMAND OPTION...: on the estimator of the study
    verb=$1
    shift
    run "$verb" $dir/estimator.h5 "$@"
    [ "$code" -le "$code_of_commands" ] || code_of_commands=$code
    warnings >>command.err
}

same_end() {
    same_file command.err study.err
    [ "$worst" = "$code_of_commands" ] ||
        fail "the study ended with $worst, the commands with $code_of_commands"
}

# Checked, for each row, and under another prior. The posterior of a network of
# two epochs is wrong where it is, and a check finds that: status 3.
study 'method: npe' 'trust: no' 'observation: near.csv' 'check: 1000' \
    'summary: [mean, sd]' 'each: rows.h5' 'prior: prior.yaml' 'samples: 300'
command posterior --observation near.csv --samples 300 --prior prior.yaml \
    --format svg
command check --observation near.csv --draws 1000 --summary mean --summary sd \
    --format svg
command posterior --each rows.h5 --samples 300 --prior prior.yaml -o each
for name in posterior check each; do
    same_directory $name $dir/$name
done
same_end
holds [ "$worst" = 3 ]

# Regions with a guarantee, near the observation too, and what is in the picture.
study 'method: nre' 'calibrate: 100' 'observation: near.csv' \
    'regions: conformal' 'local: yes' 'show: theta_1'
command posterior --observation near.csv --regions conformal --local \
    --show theta_1 --format svg
same_directory posterior $dir/posterior
same_end
holds grep '"assured"' posterior/posterior.json

# Those of another temper were not calibrated. Who asks for them is refused; a
# study, whose cells may differ, says that there are none.
study 'method: nre' 'calibrate: 100' 'observation: near.csv' \
    'regions: conformal' 'temper: 0.9'
[ "$worst" = 0 ] || fail "the study ended with $worst"
says 'no conformal regions ... `calibrate: N`'
command posterior --observation near.csv --temper 0.9 --format svg
sed '/"regions":/d' posterior/posterior.json >one
sed '/"regions":/d' $dir/posterior/posterior.json >two
same_file one two
run posterior $dir/estimator.h5 --observation near.csv --regions conformal \
    --temper 0.9 -o no
exits 2
says 'no conformal regions ... --calibrate N'

# Rounds are those of `infer`, and the posterior is that of its estimator.
printf 'parameters: {theta_0: "uniform(-4, 4)"}\nname: gaussian\n' >task.yaml
printf 'options: {dim: 1, noise: 0.1}\n' >>task.yaml
echo 1.2 >seen.csv
sed "s/^/  /" task.yaml >indented
{
    echo task:
    cat indented
    printf '%s\n' 'simulations: 240' 'rounds: 2' 'method: npe' 'trust: auto' \
        'observation: seen.csv' 'test: 0' 'samples: 200'
} >study.yaml
rm -rf s posterior
run run study.yaml -o s --no-report
exits 0
run infer --task task.yaml --observation seen.csv --simulations 240 --rounds 2 \
    --seed "$(sed -n 's/^seed: //p' $dir/run.yaml)" --format svg -o whole
exits 0
same_file whole/estimator.h5 $dir/estimator.h5
same_file whole/infer.json $dir/rounds/infer.json
for round in round-1 round-2; do
    same_directory whole/$round $dir/rounds/$round
done
command posterior --observation seen.csv --samples 200 --sampler draws \
    --format svg
same_directory posterior $dir/posterior

# An observation that does not fit stops both with the same status and reason.
study 'method: npe' 'trust: no' 'observation: long.csv'
[ "$worst" = 2 ] || fail "the study ended with $worst"
says 'long.csv ... 3 ... 2'
run posterior whole/estimator.h5 --observation long.csv -o no
exits 2
says 'long.csv ... 3 ... 1'
finish
