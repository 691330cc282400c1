#!/bin/sh
# A rank that dies leaves finished work intact: the next run ends with the bytes
# of an undisturbed one. Killed at repeatable points: the n-th change of a file
# that one rank makes.
. "$(dirname "$0")/../cli/lib.sh"

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_btl=self,vader OMPI_MCA_rmaps_base_oversubscribe=1
export ASAN_OPTIONS="detect_leaks=0:verify_asan_link_order=0"
shim=$BUILD/tests/crash_shim.so

cat >tiny.yaml <<'EOF'
task: gaussian
test: 60
epochs: 1
batch_size: 16
network: {head: {hidden: [4], activation: selu}}
sweep: {method: [nre, bnre]}
simulations: 64
EOF

# Rank $1 dies at its n-th change, $2.
cat >rank.sh <<'EOF'
if [ "$OMPI_COMM_WORLD_RANK" = "$1" ]; then
    export CRASH_AT="$2" LD_PRELOAD="$3"
fi
shift 3
exec "$@"
EOF

run run tiny.yaml -o whole --quiet --no-report
exits 0
for rank in 0 1; do
    for n in 1 4 9 16 25 36; do
        last="rank $rank dies at change $n"
        mpirun -n 2 sh rank.sh $rank $n "$shim" \
            "$BUILD/bnre-mpi" run tiny.yaml -o out --quiet --no-report >.out 2>.err </dev/null
        code=$?
        mpirun -n 2 "$BUILD/bnre-mpi" run tiny.yaml -o out --quiet --no-report \
            >.out 2>.err </dev/null
        code=$?
        exits 0
        find out -name '*.log' -exec rm {} +
        holds diff -r whole out
        rm -rf out
    done
done

finish
