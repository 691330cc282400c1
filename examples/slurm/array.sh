#!/bin/bash
#SBATCH --job-name=bnre
#SBATCH --array=0-6
#SBATCH --cpus-per-task=8
#SBATCH --mem=16G
#SBATCH --time=24:00:00
#SBATCH --signal=B:TERM@120
#SBATCH --requeue
# Several studies, one in each job of an array:
#   sbatch --array=0-K array.sh DIRECTORY STUDY.yaml...
#
# Job i runs the i-th study in DIRECTORY/NAME with the cores it was given.
set -eu
results=${1:?directory of results}
shift
studies=("$@")
study=${studies[${SLURM_ARRAY_TASK_ID:-0}]:?no such study}

exec "${BNRE:-bnre}" run "$study" --threads "${SLURM_CPUS_PER_TASK:-1}" \
    -o "$results/$(basename "$study" .yaml)"
