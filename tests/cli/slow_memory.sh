#!/bin/sh
# Data larger than memory: 300 MB simulated, extended, described and converted
# with 150 MB of address space.
. "$(dirname "$0")/lib.sh"

ulimit -v 150000 || exit 1
run simulate --task gaussian --count 6e6 --threads 2 -o large.h5
exits 0
run simulate --task gaussian --count 12e6 --threads 2 -o large.h5
exits 0
prints '6,000,000 new'
holds test "$(wc -c <large.h5)" -ge 300000000
run info large.h5
exits 0
prints verified
print=$(fingerprint large.h5)
run convert large.h5 large.npz
exits 0
run convert large.npz back.h5
exits 0
[ "$(fingerprint back.h5)" = "$print" ] || fail 'the fingerprint should stay'
same_file large.h5 back.h5

finish
