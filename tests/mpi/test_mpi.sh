#!/bin/sh
# Studies on ranks of MPI: the same bytes as with threads, whatever happens to a
# rank. Ranks share the cores there are (--oversubscribe), as root where CI is.
. "$(dirname "$0")/../cli/lib.sh"

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# No network is needed, and none may be there.
export OMPI_MCA_btl=self,vader OMPI_MCA_rmaps_base_oversubscribe=1
# MPI keeps memory until the end; leaks of ours show in the other tests.
export ASAN_OPTIONS="detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"

ranks() { # N ARGUMENTS: as run() does
    count=$1
    shift
    last="mpirun -n $count bnre-mpi $*"
    mpirun -n "$count" "$BUILD/bnre-mpi" "$@" >.out 2>.err </dev/null
    code=$?
    out=$(cat .out)
    err=$(cat .err)
}

cat >tiny.yaml <<'EOF'
task: gaussian
test: 100
epochs: 2
batch_size: 32
network: {head: {hidden: [8], activation: selu}}
sweep:
  method: [nre, npe]  # npe out of fold: ten members, checked, with scores
  simulations: [128, 256]
EOF

run run tiny.yaml -o threads --quiet
exits 0
ranks 2 run tiny.yaml -o two
exits 0
prints 'runs          4'
holds diff -r threads two
ranks 3 run tiny.yaml -o three --threads 2 --quiet
exits 0
holds diff -r threads three

# More data: blocks are added to the rows that are there.
run run tiny.yaml --no-report -o threads --set test=300 --quiet
exits 0
ranks 3 run tiny.yaml --no-report -o three --set test=300 --quiet
exits 0
holds diff -r threads three

# What ranks have begun threads go on with, and the other way round.
ranks 2 run tiny.yaml --no-report -o half --set 'sweep.simulations=[256]' --quiet
exits 0
run run tiny.yaml --no-report -o half
exits 0
prints '2 were done already'
same_file half/results.csv two/results.csv
ranks 2 run tiny.yaml --no-report -o half
exits 0
prints '4 were done already'

# Mistakes are told once.
ranks 3 run tiny.yaml --no-report -o bad --set epoch=1
exits 2
holds test "$(grep -c 'did you mean "epochs"' .err)" = 1
ranks 2 run tiny.yaml --no-report -o two --set title=another --set epochs=1
exits 1
says 'two ... results ... study'
ranks 2 simulate --task gaussian
exits 2
says 'bnre-mpi ... studies'

# A run that fails does not stop the others.
ranks 2 run tiny.yaml --no-report -o some --set 'sweep.simulations=[32, 128]'
exits 1
says '2 of 4 runs failed'
holds test -s 'some/runs/method=nre,simulations=32/1/failure.txt'

# Runs that learn in rounds.
cat >rounds.yaml <<'EOF'
task:
  name: gaussian
  options: {dim: 1, noise: 0.1}
  parameters: {theta: "uniform(0, 10)"}
observation: obs.txt
simulations: 240
members: 4
folds: 2
epochs: 20
network: {head: {hidden: [16], activation: elu}}
test: 50
samples: 100
sweep: {rounds: [1, 2]}
EOF
echo 4.2 >obs.txt
run run rounds.yaml --no-report -o rounds-threads --quiet
exits 0
ranks 2 run rounds.yaml --no-report -o rounds-ranks --quiet
exits 0
holds grep -q '"cut": true' rounds-ranks/runs/rounds=2/1/rounds/infer.json
holds diff -r rounds-threads rounds-ranks

# A simulator of one's own, in a process of its own, under MPI; some of what it is
# asked for is missing, so that npe and bnpe weigh the others.
cat >sim.sh <<'EOF'
while read -r seed a; do
    case $a in *3) echo nan ;; *) echo "$a" ;; esac
done
EOF
cat >own.yaml <<'EOF'
task:
  name: own
  parameters:
    a: uniform(0, 1)
  observable: [1]
  simulator: {command: [sh, sim.sh]}
test: 40
failure: missing
trust: no
simulations: 64
epochs: 2
batch_size: 16
network:
  embedding: [linear: {width: 4}, elu]
  head: {hidden: [8], activation: elu}
sweep: {method: [nre, npe, bnpe]}
EOF
ranks 3 run own.yaml --no-report -o own --quiet
exits 0
run run own.yaml --no-report -o alone --quiet
exits 0
holds diff -r own alone
run info 'own/runs/method=bnpe/1/estimator.h5'
prints '1 / P(result | theta)'

# Models that are compared.
cat >models.yaml <<'EOF'
models:
  near: {name: gaussian, parameters: {theta_0: fixed(0)}}
  far: {name: gaussian, parameters: {theta_0: fixed(2)}}
test: 100
simulations: 128
epochs: 2
batch_size: 32
network: {head: {hidden: [8], activation: selu}}
observation: seen.txt
each: rows.csv
EOF
echo 1 1 >seen.txt
printf 'x.0,x.1\n1,2\n0,-1\n2,0.5\n' >rows.csv
run run models.yaml -o models --quiet
exits 0
ranks 3 run models.yaml -o ranks --quiet
exits 0
holds diff -r models ranks

# What a study does with its observation: some parameters, another prior, further
# experiments, a check, a posterior for each row.
cat >other.yaml <<'EOF'
name: gaussian
options: {dim: 3}
EOF
run simulate --task other.yaml --count 200 -o other.h5 --quiet
exits 0
run train --data other.h5 --members 1 --trust no --epochs 1 -o other-e.h5 --quiet
exits 0
echo 'parameters: {theta_1: "normal(0.5, 0.5)"}' >prior.yaml
echo 1 2 3 >other.txt
cat >observed.yaml <<'EOF'
task: gaussian
test: 100
simulations: 128
members: 1
trust: no
epochs: 1
batch_size: 32
network: {head: {hidden: [8], activation: selu}}
observation: seen.txt
parameters: theta_1
truth: 1.5,0.5,1
also: {other-e.h5: other.txt}
prior: prior.yaml
show: theta_2,theta_1
check: 600
samples: 100
each: rows.csv
repeats: 2
EOF
run run observed.yaml -o observed --quiet
[ "$code" -eq 0 ] || [ "$code" -eq 3 ] || fail 'it should be made'
alone=$code # as the check says of so little training
ranks 3 run observed.yaml -o observed-ranks --quiet
exits "$alone"
holds diff -r observed observed-ranks
holds grep -q '"other_prior": true' observed/runs/single/2/posterior/posterior.json

finish
