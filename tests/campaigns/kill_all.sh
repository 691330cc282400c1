#!/bin/sh
# kill_all.sh BUILD [KILLS [NAME...]] - kill every command at random times.
#
# Each round runs one of the commands below in a directory of its own while
# SIGKILL comes after a random time, up to six times; then the same command
# goes on to its end. All files must be those of an undisturbed run, byte for
# byte. Of MPI either mpirun or one of the ranks is killed. What replaces an older
# result (--force) leaves, after each kill, wholly the old one or wholly the new.
# Complements the tests that kill at every change of a file: here several
# threads and processes run, and nobody chooses the moment. Started by hand,
# since what it tries depends on timing; docs/reliability.md has a result.
#
#   tests/campaigns/kill_all.sh build 1000
#   tests/campaigns/kill_all.sh build 50 run_mpi posterior
set -eu
build=$(realpath "${1:?build directory}")
wanted=${2:-100}
[ $# -lt 2 ] || shift
shift
bnre=$build/bnre
kept=$(realpath "$(dirname "$0")/../data/0.1.0")
all='simulate simulate_npz external external_double convert train train_npe
train_bnpe train_folds train_force train_classes train_models trust trust_bnpe
certify run run_report run_rounds run_models run_mpi posterior posterior_force
posterior_draws posterior_each posterior_prior check diagnose diagnose_force
diagnose_draws infer infer_rounds export report'
# shellcheck disable=SC2086
[ $# -gt 0 ] || set -- $all
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1

# ---- what is killed: each writes out/ ----

command_of() { # NAME: becomes the command
    case $1 in
    simulate)
        set -- "$bnre" simulate --task gaussian --count 100000 -o out/x.h5
        ;;
    simulate_npz)
        set -- "$bnre" simulate --task mg1 --count 30000 -o out/x.npz
        ;;
    external)
        set -- "$bnre" simulate --task external.yaml --count 100 -o out/x.h5
        ;;
    external_double)
        set -- "$bnre" simulate --task double.yaml --count 100 -o out/x.h5
        ;;
    convert)
        set -- "$bnre" convert many.h5 out/x.npz
        ;;
    train)
        set -- "$bnre" train --data data.h5 --network net.yaml --epochs 12 \
            --members 5 --method bnre -o out/e.h5
        ;;
    train_npe)
        set -- "$bnre" train --data data.h5 --network net.yaml --epochs 12 \
            --method npe -o out/e.h5 --history out/losses.csv
        ;;
    train_bnpe)
        set -- "$bnre" train --data data.h5 --network net.yaml --epochs 12 \
            -o out/e.h5
        ;;
    train_folds)
        set -- "$bnre" train --data data.h5 --network net.yaml --epochs 8 \
            --folds 3 --widen 1.1 -o out/e.h5
        ;;
    train_force)
        set -- "$bnre" train --data data.h5 --network net.yaml --epochs 8 \
            -o out/e.h5 --force
        ;;
    trust)
        set -- "$bnre" train --data data.h5 --network net.yaml --epochs 2 \
            --method bnre --trust fresh --certify 200 --calibrate 100 \
            -o out/e.h5
        ;;
    trust_bnpe)
        set -- "$bnre" train --data data.h5 --network net.yaml --epochs 2 \
            --trust auto -o out/e.h5
        ;;
    train_classes)
        set -- "$bnre" train --classes data.h5 other.h5 --network net.yaml \
            --epochs 10 -o out/c.h5
        ;;
    train_models)
        set -- "$bnre" train --classes data.h5 other.h5 test.h5 \
            --network net.yaml --epochs 10 -o out/c.h5
        ;;
    certify)
        set -- "$bnre" train --data data.h5 --network net.yaml --epochs 2 \
            --trust auto --certify 200 --calibrate 100 -o out/e.h5
        ;;
    run_rounds) set -- "$bnre" run rounds.yaml -o out --no-report ;;
    run_models) set -- "$bnre" run models.yaml -o out --no-report ;;
    run) set -- "$bnre" run tiny.yaml -o out --no-report ;;
    run_report) set -- "$bnre" run tiny.yaml -o out ;;
    run_mpi)
        exec mpirun -n 2 "$build/bnre-mpi" run tiny.yaml -o out --no-report \
            --quiet
        ;;
    posterior)
        set -- "$bnre" posterior est.h5 --observation test.h5:1 \
            --samples 2000 -o out/p
        ;;
    posterior_force)
        set -- "$bnre" posterior est.h5 --observation test.h5:1 \
            --samples 2000 -o out/p --force
        ;;
    posterior_draws)
        set -- "$bnre" posterior density.h5 --observation test.h5:1 \
            --samples 5000 -o out/p
        ;;
    posterior_each)
        set -- "$bnre" posterior density.h5 --each test.h5 --samples 200 \
            -o out/each
        ;;
    posterior_prior)
        set -- "$bnre" posterior density.h5 --observation test.h5:1 \
            --prior narrow.yaml --samples 2000 -o out/p
        ;;
    check)
        set -- "$bnre" check density.h5 --observation test.h5:1 \
            --draws 600 --pairs 1000 -o out/c
        ;;
    diagnose_draws)
        set -- "$bnre" diagnose density.h5 --data test.h5 -o out/d.json
        ;;
    infer)
        set -- "$bnre" infer --task gaussian --observation test.h5:1 \
            --simulations 200 -o out/i
        ;;
    infer_rounds)
        set -- "$bnre" infer --task gaussian --observation test.h5:1 \
            --simulations 200 --rounds 2 -o out/i
        ;;
    export) set -- "$bnre" export density.h5 -o out/ratio.c ;;
    diagnose) set -- "$bnre" diagnose est.h5 --data test.h5 -o out/d.json ;;
    diagnose_force)
        set -- "$bnre" diagnose est.h5 --data test.h5 -o out/d.json --force
        ;;
    report) set -- "$bnre" report out ;;
    esac
    exec "$@" --quiet
}

# What out/ is before: the same place with another result, or nothing.
before_of() { # NAME
    case $1 in
    report) echo study ;;
    posterior_force) echo old_posterior ;;
    diagnose_force) echo old_diagnose ;;
    train_force) echo old_train ;;
    esac
}

prepare() {
    cp "$kept/external.yaml" "$kept/sim.py" .
    sed '$a precision: double' external.yaml >double.yaml
    printf 'head: {hidden: [16], activation: selu}\n' >net.yaml
    cat >tiny.yaml <<'EOT'
task: gaussian
test: 100
epochs: 2
members: 2
network: {head: {hidden: [8], activation: selu}}
sweep: {method: [bnre, npe, bnpe], simulations: [200, 300]}
EOT
    cat >rounds.yaml <<'EOT'
task: {name: gaussian, options: {dim: 1, noise: 0.1}}
observation: obs.txt
simulations: 200
rounds: 2
members: 2
folds: 2
epochs: 4
network: {head: {hidden: [8], activation: selu}}
test: 60
samples: 200
EOT
    echo 0.4 >obs.txt
    cat >models.yaml <<'EOT'
models: {near: gaussian, far: {name: gaussian, options: {noise: 2}}}
simulations: 200
test: 60
epochs: 3
network: {head: {hidden: [8], activation: selu}}
EOT
    printf 'parameters: {theta_0: "normal(0, 0.5)"}\n' >narrow.yaml
    "$bnre" simulate --task gaussian --option noise=2 --count 500 -o other.h5 \
        --quiet
    "$bnre" simulate --task gaussian --count 1000 -o data.h5 --quiet
    "$bnre" simulate --task gaussian --count 100000 -o many.h5 --quiet
    "$bnre" simulate --task gaussian --count 300 --split test -o test.h5 --quiet
    "$bnre" train --data data.h5 --network net.yaml --epochs 3 --method bnre \
        -o est.h5 --quiet
    "$bnre" train --data data.h5 --network net.yaml --epochs 3 -o density.h5 \
        --quiet
    "$bnre" run tiny.yaml -o study --no-report --quiet
    mkdir old_posterior old_diagnose old_train
    "$bnre" train --data data.h5 --network net.yaml --epochs 2 --seed 9 \
        -o old_train/e.h5 --quiet
    "$bnre" posterior est.h5 --observation test.h5:2 --samples 1000 \
        -o old_posterior/p --quiet
    "$bnre" diagnose est.h5 --data test.h5 --seed 9 -o old_diagnose/d.json \
        --quiet
}

# ---- killing ----

random() { # a whole number below $1
    od -An -N4 -tu4 /dev/urandom | awk -v n="$1" '{ print $1 % n }'
}

now() { # milliseconds
    date +%s%3N
}

# Locks that a killed process left are empty files in nobody's way.
same() { # DIRECTORY DIRECTORY [OPTIONS OF diff]
    diff -r -x '.*.lock' -x .lock "$@"
}

fresh() { # NAME: out/ as it is before the command
    rm -rf out
    mkdir out
    [ -z "$(before_of "$1")" ] || cp -r "$(before_of "$1")/." out
}

lost() { # WHAT: keep the files, and stop
    echo "LOST: $1" >&2
    cat log >&2
    echo "the files are in $place" >&2
    trap - EXIT
    exit 1
}

# The process to be killed: of MPI mpirun or, as often, one of the ranks.
victim() { # NAME PID
    ranks=
    if [ "$1" = run_mpi ] && [ "$(random 2)" = 0 ]; then
        ranks=$(pgrep -P "$2" -x bnre-mpi || true)
    fi
    if [ -n "$ranks" ]; then
        echo "$ranks" | sed -n "$(($(random 2) + 1))p"
    else
        echo "$2"
    fi
}

# Start it, kill it: 0 if it was killed, 1 if it got through before.
strike() { # NAME MILLISECONDS
    (command_of "$1") >log 2>&1 &
    pid=$!
    sleep "$(($2 / 1000)).$(printf %03d $(($2 % 1000)))"
    others=
    [ "$1" != run_mpi ] || others=$(pgrep -P $pid || true)
    # shellcheck disable=SC2046
    kill -9 $(victim "$1" $pid) 2>/dev/null || true
    code=0
    wait $pid 2>/dev/null || code=$?
    for other in $others; do # ranks end when their mpirun is gone
        while kill -0 "$other" 2>/dev/null; do
            sleep 0.02
        done
    done
    [ $code != 0 ]
}

# Kills come within this time of the start: less of it after a run that got
# through, more after one that did not, whatever else the machine does. So five
# of six starts or so are killed, at any moment up to the end.
stretch() { # NAME HUNDREDTHS
    echo $(($(cat "time.$1") * $2 / 100 + 1)) >"time.$1"
}

# After a kill of what replaces: the old or the new, beside temporaries that go
# away with the next run. Files in a directory of others are moved one after the
# other; what is left of that (.NAME.commit) is done by the next run.
check_whole() { # NAME
    case $1 in
    *_force) ;;
    *) return 0 ;;
    esac
    [ -z "$(find out -name '.*.commit')" ] || return 0
    # A training writes its history just before the estimator: each file is an
    # old or a new one.
    if [ "$1" = train_force ]; then
        for file in e.h5 e.history.csv; do
            cmp -s "old_train/$file" "out/$file" ||
                cmp -s "whole/$1/$file" "out/$file" ||
                lost "$1: $file is neither the old nor the new"
        done
        return 0
    fi
    # What work leaves to go on from is none of either.
    for kind in "$(before_of "$1")" "whole/$1"; do
        ! same "$kind" out -x '*.tmp' -x '.*.new' -x '*.part' \
            -x '*.steps' >>log 2>&1 || return 0
    done
    lost "$1: neither the old result nor the new"
}

# To the end, with the same command.
go_on() { # NAME
    code=0
    (command_of "$1") >log 2>&1 || code=$?
    case $code in
    0 | 3) return 0 ;; # 3: done, and what was found is doubtful
    esac
    # It refuses what is there, as it would without a kill.
    case $1 in
    convert | export) ! grep -q 'is there already' log || return 0 ;;
    esac
    lost "$1 does not go on"
}

# Also when it is stopped before.
summarise() {
    echo "$kills kills in $rounds rounds, $compared files compared: all the" \
        "same ($((($(now) - begin) / 1000)) s)"
    for name in $names; do
        printf '  %-16s %4d kills\n' "$name" "$(cat "kills.$name")"
    done
}

prepare
mkdir whole
for name in "$@"; do
    fresh "$name"
    begin=$(now)
    (command_of "$name") >log 2>&1 || [ $? = 3 ] ||
        lost "$name fails when left alone"
    echo $(($(now) - begin)) >"time.$name"
    echo 0 >"kills.$name"
    mv out "whole/$name"
done

kills=0
rounds=0
compared=0
begin=$(now)
names=$*
trap 'summarise; exit 130' INT TERM HUP
while [ $kills -lt "$wanted" ]; do
    for name in "$@"; do
        [ $kills -lt "$wanted" ] || break
        fresh "$name"
        for attempt in 1 2 3 4 5 6; do
            strike "$name" "$(random "$(cat "time.$name")")" || {
                stretch "$name" 85
                break
            }
            stretch "$name" 103
            kills=$((kills + 1))
            echo $(($(cat "kills.$name") + 1)) >"kills.$name"
            check_whole "$name"
        done
        go_on "$name"
        same "whole/$name" out >>log 2>&1 || lost "$name: other bytes"
        compared=$((compared + $(find "whole/$name" -type f | wc -l)))
        rounds=$((rounds + 1))
    done
done
summarise
