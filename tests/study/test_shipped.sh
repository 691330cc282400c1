#!/bin/sh
# The studies that come with the project can be planned, and the scripts for
# clusters do what they say, here without Slurm.
. "$(dirname "$0")/../cli/lib.sh"

for study in "$SOURCE"/studies/*.yaml "$SOURCE"/studies/*/*.yaml; do
    # Without FFTW there is no gw.
    [ "$(basename "$study")" = gw.yaml ] && [ ! -e "$BUILD/plugins/gw.so" ] && continue
    run run "$study" -o none --dry-run
    exits 0
    prints 'time            about'
done
run run "$SOURCE/studies/paper/lotka_volterra.yaml" -o none --dry-run
prints 'cells           16, of method, weights, simulations; 5 runs of each'
prints 'lotka_volterra-schedule.h5          131,072 rows'
run run "$SOURCE/studies/paper/lambda.yaml" -o none --dry-run
prints 'cells           29,'
prints 'method=nre,simulations=131072'

printf 'task: gaussian\ntest: 40\nmethod: nre\nsimulations: 64\nepochs: 1\nbatch_size: 16\n' >a.yaml
cp a.yaml b.yaml
last='array.sh'
SLURM_ARRAY_TASK_ID=1 SLURM_CPUS_PER_TASK=2 BNRE=$bnre \
    "$SOURCE/examples/slurm/array.sh" results a.yaml b.yaml >.out 2>.err
code=$?
exits 0
holds test -s results/b/results.csv
fails test -e results/a
if [ -x "$BUILD/bnre-mpi" ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export OMPI_MCA_btl=self,vader OMPI_MCA_rmaps_base_oversubscribe=1
    export ASAN_OPTIONS="detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
    last='mpi.sh'
    SLURM_NTASKS=2 BNRE_MPI=$BUILD/bnre-mpi \
        "$SOURCE/examples/slurm/mpi.sh" a.yaml results/a >.out 2>.err
    code=$?
    exits 0
    holds test -s results/a/results.csv
fi

finish
