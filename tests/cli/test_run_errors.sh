#!/bin/sh
# Studies that meet trouble half-way: what was done stays, the rest is named,
# and the same command ends with the bytes of a study without trouble.
. "$(dirname "$0")/lib.sh"

cat >two.yaml <<'END'
task: gaussian
test: 60
epochs: 2
batch_size: 16
simulations: 64
sweep:
  network:
    - {head: {hidden: [8], activation: selu}}
    - {head: {hidden: [192, 192], activation: selu}}
END
small='runs/network=8-selu/1'
large='runs/network=192x192-selu/1'
run run two.yaml -o whole --quiet
exits 0

age() { # DIR: files of the small cell, and the data, become old
    find "$1/$small" "$1/data" -type f -exec touch -d '2001-01-01' {} +
}
is_old() { # DIR
    holds test -z "$(find "$1/$small" "$1/data" -type f -newermt '2002-01-01')"
}

# A disk that becomes full in the middle: a limit of the size of files, which
# the estimator of one cell exceeds, stands for it.
run run two.yaml -o full --no-report --quiet \
    --set 'sweep.network=[{head: {hidden: [8], activation: selu}}]'
exits 0
age full
last='bnre run, files of 100 kB at most'
(
    ulimit -f 200
    "$bnre" run two.yaml -o full --no-report >.out 2>.err </dev/null
)
code=$?
err=$(cat .err)
exits 1
says 'no space left ... disk'
is_old full
fails test -e "full/$large/estimator.h5"
run run two.yaml -o full
exits 0
prints '1 was done already'
is_old full
holds diff -r full whole

# A cell whose files were damaged, in each of them: it alone is made again.
damage() { # FILE COMMAND...
    file=$1
    shift
    rm -rf hurt
    cp -r whole hurt
    age hurt
    "$@" "hurt/$large/$file"
    run run two.yaml -o hurt
    exits 0
    says "files ... $large ... missing ... damaged"
    prints '1 was done already'
    is_old hurt
    holds diff -r hurt whole
}
change() { # FILE: one byte in the middle
    size=$(wc -c <"$1")
    printf '~' | dd of="$1" bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null
}
cut_short() {
    head -c 100 "$1" >part
    cat part >"$1"
}
damage estimator.h5 change
damage estimator.h5 cut_short
damage history.csv rm
damage diagnose.json change
# Without its stamp a run has not been made, whatever else is there.
for text in '' '{' 'train: nonsense'; do
    rm -rf hurt
    cp -r whole hurt
    age hurt
    echo "$text" >"hurt/$large/run.yaml"
    run run two.yaml -o hurt
    exits 0
    prints '1 was done already'
    is_old hurt
    holds diff -r hurt whole
done

# No gnuplot: the study is done, with data and scripts; `report` adds the rest.
mkdir nothing
last='bnre run, without gnuplot'
PATH=$PWD/nothing "$bnre" run two.yaml -o bare >.out 2>.err </dev/null
code=$?
out=$(cat .out) err=$(cat .err)
exits 0
prints 'bare/report.html'
says 'gnuplot ... not found'
for file in whole/figures/*.gp whole/figures/*.dat; do
    same_file "$file" "bare/figures/${file##*/}"
done
for file in bare/figures/*.svg bare/figures/*.pdf; do
    fails test -e "$file"
done
run report bare
exits 0
holds diff -r bare whole

# Settings that contradict each other, before anything is simulated.
for set in 'method=nre lambda=5 lambda ... method nre' \
    'trust=auto temper=0.5 trust: auto ... temper' \
    'grid=20 draws=100 draws ... grid is 20' \
    'pool=32 repeats=1 pool is 32 ... 64 simulations'; do
    facts=${set#* * }
    first=${set%% *}
    second=${set#* }
    run run two.yaml -o never --set "$first" --set "${second%% *}"
    exits 2
    says "$facts"
    fails test -e never
done

# A simulator that breaks after the training data: they stay, nothing is
# simulated twice.
cat >sim.sh <<'END'
while read -r seed a; do
    echo >>calls
    if [ -e broken ] && [ "$(wc -l <calls)" -gt 80 ]; then
        echo 'error it broke'
    else
        echo "$a"
    fi
done
END
cat >own.yaml <<'END'
task:
  name: own
  parameters:
    a: uniform(0, 1)
  observable: [1]
  simulator: {command: [sh, sim.sh], on_failure: abort, workers: 1}
test: 40
simulations: 64
epochs: 1
batch_size: 16
END
run run own.yaml --no-report -o good --quiet
exits 0
needed=$(wc -l <calls)
rm calls
touch broken
run run own.yaml --no-report -o own
exits 1
says 'it broke'
holds test -s own/data/own-train.h5
fails test -e own/data/own-test.h5
touch -d '2001-01-01' own/data/own-train.h5
rm broken
run run own.yaml --no-report -o own --quiet
exits 0
holds test "$(date -r own/data/own-train.h5 +%Y)" = 2001
# Once more the trial calls and what failed, but not the rest.
holds test "$(wc -l <calls)" -le $((needed + 10))
holds diff -r own good

finish
