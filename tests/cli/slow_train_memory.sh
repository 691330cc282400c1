#!/bin/sh
# Training on 4 GiB with 1.5 GiB of address space: data that do not fit are read
# again in every epoch.
. "$(dirname "$0")/lib.sh"

# Sanitizers reserve terabytes.
if nm "$bnre" 2>/dev/null | grep -q '__asan_init\|__tsan_init'; then
    exit 0
fi
ulimit -v 1572864 || exit 1
run simulate --task lotka_volterra --count 540000 --threads 2 -o large.h5
exits 0
holds test "$(wc -c <large.h5)" -ge 4294967296
printf 'embedding: [flatten]\nhead: {hidden: [4], activation: selu}\n' >net.yaml
for method in bnre npe; do
    run train --data large.h5 --method $method --trust no --members 1 \
        --network net.yaml --batch-size 1024 --epochs 1 --threads 2 -o est.h5 \
        --force
    exits 0
    prints '486,000 ... 54,000'
    says 'memory ... epoch'
    run info est.h5
    exits 0
    prints 'verified'
done

finish
