#!/bin/sh
# Draws for other programs: which files there are, and that all hold the same
# draws. tests/python/check_exchange.py reads them with xarray and netCDF4.
. "$(dirname "$0")/lib.sh"

run simulate --task gaussian --count 256 -o pairs.h5
run train --data pairs.h5 --members 1 --epochs 4 -o est.h5
exits 0
all=nc,getdist,stan,csv,npy
post() { # DIRECTORY OPTION...
    directory=$1
    shift
    run posterior est.h5 --observation pairs.h5:3 --format svg --samples 500 \
        -o "$directory" "$@"
}

post plain
exits 0
holds test -s plain/samples.csv
fails test -e plain/posterior.nc
post all --write $all
exits 0
same_file plain/samples.csv all/samples.csv
same_file plain/samples.npy all/samples.npy
for file in posterior.nc getdist.txt getdist.paramnames getdist.ranges \
    draws.csv; do
    holds test -s all/$file
done
tail -n +2 all/samples.csv >values
cut -d, -f5- all/draws.csv | tail -n +2 >theirs
same_file values theirs
cut -d' ' -f3- all/getdist.txt | tr ' ' , >theirs
same_file values theirs
# Minus the log posterior of one is that of the other.
cut -d' ' -f2 all/getdist.txt | sed 's/^-//; t; s/^/-/' >lp
cut -d, -f4 all/draws.csv | tail -n +2 >theirs
same_file lp theirs

# Equal calls, equal bytes; the result is found again.
post again --write $all
same_file all/posterior.nc again/posterior.nc
post again --write $all
prints 'was there already'
post again --write nc
exits 1
says 'another way'
post few --write nc
exits 0
fails test -e few/samples.csv

# Chains stay chains: 500 draws are 3 turns of 128, the rest is left out.
post chains --write stan,nc --sampler chain
holds grep -q '^128,3,384,' chains/draws.csv
[ "$(wc -l <chains/draws.csv)" -eq 385 ] || fail 'there are 384 draws'

# Simulations from the draws are kept with them, if they are from them.
run simulate --task gaussian --theta-file all/samples.npy --count 20 -o new.h5
post all --write nc --predictive new.h5 --force
exits 0
post all --write nc --predictive new.h5
prints 'was there already'
post wrong --write nc --predictive pairs.h5
exits 2
says 'row 0 ... draw 0 ... samples.npy'
fails test -e wrong
post wrong --predictive new.h5
exits 2
says 'nc'
run simulate --task slcp --count 20 -o slcp.h5
post wrong --write nc --predictive slcp.h5
exits 2
says 'slcp.h5 ... another task'

post wrong --write nc,excel
exits 2
says '"excel" ... nc, getdist, stan, csv ... npy'
fails test -e wrong
finish
