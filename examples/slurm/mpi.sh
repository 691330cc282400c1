#!/bin/bash
#SBATCH --job-name=bnre
#SBATCH --ntasks=16
#SBATCH --cpus-per-task=1
#SBATCH --mem-per-cpu=2G
#SBATCH --time=12:00:00
#SBATCH --signal=TERM@120
#SBATCH --requeue
# One study on many ranks: sbatch [--ntasks=N] mpi.sh STUDY.yaml DIRECTORY
#
# Two minutes before the time limit all ranks are asked to save and stop. Submit
# the same command again and it goes on.
set -eu
study=${1:?study}
results=${2:?directory of results}

exec mpirun -n "${SLURM_NTASKS:-1}" \
    "${BNRE_MPI:-bnre-mpi}" run "$study" -o "$results"
