#!/bin/sh
# Networks by name, on the command line and in studies, and the commands of
# docs/networks.md.
. "$(dirname "$0")/lib.sh"

# series.h5 has x of shape (2, 16), times.h5 the same time by time.
cat >sim.sh <<'END'
while read -r seed a; do
    line= i=1
    while [ $i -le 16 ]; do
        line="$line $a $i.$seed"
        i=$((i + 1))
    done
    echo "$line"
done
END
for name in series times; do
    shape='2, 16'
    [ $name = series ] || shape='16, 2'
    cat >$name.yaml <<END
parameters: {a: "uniform(0, 1)"}
observable: [$shape]
simulator: {command: [sh, sim.sh]}
END
    run simulate --task $name.yaml --count 40 -o $name.h5
    exits 0
done
echo 'head: {hidden: [4]}' >net.yaml
printf 'batch_size: 16\nepochs: 1\n' >short.yaml

# The page, as it stands but for the length of training.
sed '/^<!-- not run/,/^```$/d' "$SOURCE/docs/networks.md" |
    sed -n '/^```sh$/,/^```$/{/^```/d;p;}' >commands
holds test "$(wc -l <commands)" -ge 3
while read -r program rest; do
    [ "$program" = bnre ] || fail "no command of ours: $program"
    # shellcheck disable=SC2086
    run $rest --config short.yaml
    exits 0
done <commands
holds test -s series-estimator.h5
holds test -s other-estimator.h5

# The default of ratios is the preset mlp, to the byte.
train='train --config short.yaml --data'
run $train series.h5 --method bnre -o plain.h5
exits 0
run $train series.h5 --method bnre --network mlp -o named.h5
exits 0
same_file plain.h5 named.h5

# Names that are none.
run $train series.h5 --network cnn -o other.h5
exits 2
says 'unknown preset "cnn"'
says 'mlp, cnn1d, dilated_cnn ... resnet18'
run $train series.h5 --network resnet18 -o other.h5
exits 2
says 'preset resnet18 ... x ... shape (channels, rows, columns)'
run $train series.h5 --network ./cnn1d -o other.h5
exits 1
says 'cannot read ./cnn1d'

# Channels last are doubted, before the work.
doubt='takes shape (16, 2) as 16 channels of length 2: if these are 2 series of length 16'
for how in '-o times-estimator.h5' --dry-run; do
    # shellcheck disable=SC2086
    run $train times.h5 --network cnn1d $how
    exits 0
    says "$doubt"
done
for method in nre bnre npe bnpe; do
    run $train times.h5 --network cnn1d --method $method --dry-run
    exits 0
    says "$doubt"
done
run $train series.h5 --network cnn1d --dry-run
exits 0
case $err in *warning*) fail 'there should be no warning' ;; esac
cat >study.yaml <<'END'
task: times.yaml
simulations: 40
network: cnn1d
sweep: {method: [nre, bnre]}
END
run run study.yaml --dry-run
exits 0
says "$doubt"
[ "$(printf '%s\n' "$err" | grep -c "$doubt")" = 1 ] ||
    fail 'cells should share a warning'
printf 'task: times.yaml\nnetwork: ./cnn1d\n' >study.yaml
run run study.yaml --dry-run
exits 2
says 'cnn1d'

finish
