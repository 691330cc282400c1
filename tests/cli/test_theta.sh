#!/bin/sh
# Simulating at given parameters, and writing parameters to simulate elsewhere.
. "$(dirname "$0")/lib.sh"

# One theta for all rows; the nuisance parameters are those of the usual run.
run simulate --task slcp --theta 0.5,-1.25 --count 50 -o one.h5
exits 0
run info one.h5
prints '0.5,-1.25'
prints 'theta_0                   0.5          0.5          0.5'
run simulate --task slcp --count 50 -o usual.h5
holds h5diff one.h5 usual.h5 /nuisance
fails h5diff one.h5 usual.h5 /x

# More of the same are added, others need --force.
run simulate --task slcp --theta 0.5,-1.25 --count 80 -o one.h5
exits 0
prints '30 new'
run simulate --task slcp --theta 0.5,-1.2 --count 80 -o one.h5
exits 1
says 'theta: 0.5,-1.25'
says '--force'

# Parameters written for elsewhere are those that simulate itself would use.
for file in t.csv t.npz t.h5; do
    run simulate --task slcp --theta-only --count 50 -o $file
    exits 0
    run simulate --task slcp --theta-file $file -o from-$file.h5
    exits 0
    prints 'rows          50'
    holds h5diff from-$file.h5 usual.h5 /theta
    holds h5diff from-$file.h5 usual.h5 /nuisance
    holds h5diff from-$file.h5 usual.h5 /x
done
holds grep -q '^theta.theta_0,theta.theta_1,nuisance.u$' t.csv
run simulate --task gaussian --theta-only --count 50 -o t.npy
exits 0
run simulate --task gaussian --theta-file t.npy --count 20 -o few.h5
exits 0
prints 'rows          20'

run simulate --task slcp --theta-only --count 50 -o t.csv --dry-run
exits 0
prints 'write ... parameters ... 50 rows ... t.csv'
prints 'about 1.2 kB'
prints 't.csv: --force'

# They are not replaced by accident.
run simulate --task slcp --theta-only --count 10 -o t.csv
exits 1
says '--force'
run simulate --task slcp --theta-only --count 10 -o t.csv --force
exits 0
holds test "$(wc -l <t.csv)" -eq 11

# Columns may stand in any order, x comes back as further columns.
printf 'theta_1,theta_0\n1,2\n3,-1\n' >turned.csv
run simulate --task slcp --theta-file turned.csv -o turned.h5
exits 0
run convert turned.h5 turned-out.csv
holds grep -q '^2,1,' turned-out.csv
printf 'theta.a,x.0\n1,2\n3,4\n' >back.csv
run info back.csv
exits 0

# Outside of the prior is worth a word; the rest is an error.
run simulate --task slcp --theta 5,1 --count 3 -o outside.h5
exits 0
says 'outside ... prior'
run simulate --task slcp --theta 0.5 --count 3 -o bad.h5
exits 2
says 'theta ... 1 value ... task slcp ... 2 parameters'
run simulate --task slcp --theta 0.5,abc --count 3 -o bad.h5
exits 2
says 'theta_1'
run simulate --task slcp --theta 1,1 --theta-file t.csv -o bad.h5
exits 2
says 'exclude each other'
run simulate --task slcp --theta-file turned.csv --count 3 -o bad.h5
exits 2
says '3 rows ... parameters ... 2'
run simulate --task slcp --theta-file t.npy -o bad.h5
exits 0
run simulate --task mg1 --theta-file t.npy -o bad2.h5
exits 2
says '3 parameters'
run simulate --task slcp --theta-file absent.csv -o bad.h5
exits 1
says absent.csv
printf 'theta_0,theta_1\n1,nan\n2,2\n' >nan.csv
run simulate --task slcp --theta-file nan.csv -o bad3.h5
exits 1
says 'row 0 ... theta_1 ... not finite'
run simulate --task slcp --theta-only -o theta.npy
exits 2
says 'nuisance'
run simulate --task slcp --theta-only -o theta.txt
exits 2
says '.csv, .npz, .npy or .h5'

finish
