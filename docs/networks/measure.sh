#!/bin/sh
# measure.sh BNRE DIRECTORY - which network learns most from which kind of x.
#
# The tables of docs/networks.md: equal simulations for all networks of a task,
# the default method with one member, information about the parameters on 2,000
# fresh pairs, processor time of the training. Prints a row of CSV for each;
# can be stopped, and goes on where it was.
set -eu
bnre=$(realpath "${1:?program}")
here=$(realpath "$(dirname "$0")")
mkdir -p "${2:?directory}"
cd "$2"

measure() { # TASK SIMULATIONS NETWORK SEED
    name=$1-$2-$(basename "$3" .yaml)-$4
    if [ ! -e "$name.csv" ]; then
        env time -f '%U %S' -o time "$bnre" train --data "$1.h5" \
            --simulations "$2" --network "$3" --members 1 --seed "$4" \
            --threads 1 -o "$name.h5" --force --quiet
        "$bnre" diagnose "$name.h5" --data "$1-test.h5" -o "$name.json" \
            --force --quiet
        awk -v name="$1,$2,$(basename "$3" .yaml),$4" '
            FILENAME == "time" { time = $1 + $2 }
            /"information": {/ { within = 1 }
            within && /"mean"/ { mean = $2 }
            within && /"error"/ { error = $2; within = 0 }
            END { printf "%s,%.1f,%.3f,%.3f\n", name, time, mean, error }
        ' time "$name.json" >"$name.tmp"
        mv "$name.tmp" "$name.csv"
    fi
    cat "$name.csv"
}

data() { # TASK SIMULATIONS
    "$bnre" simulate --task "$1" --count "$2" -o "$1.h5" --quiet
    "$bnre" simulate --task "$1" --count 2000 --split test -o "$1-test.h5" \
        --quiet
}

echo task,simulations,network,seed,seconds,information,error
data weinberg 1024
data slcp 1024
data lotka_volterra 2048
data spatial_sir 1024
for seed in 1 2 3; do
    for task in weinberg slcp; do
        for network in mlp "$here/small.yaml" "$here/$task-set.yaml"; do
            measure $task 1024 "$network" $seed
        done
    done
    for network in mlp "$here/small.yaml" cnn1d "$here/cnn1d-series.yaml" \
        "$here/dilated-series.yaml"; do
        measure lotka_volterra 2048 "$network" $seed
    done
    for network in mlp "$here/small.yaml" "$here/picture.yaml" resnet18; do
        measure spatial_sir 1024 "$network" $seed
    done
done
