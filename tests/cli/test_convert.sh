#!/bin/sh
# Datasets in all formats hold the same; malformed ones are refused with the
# place of what is wrong.
. "$(dirname "$0")/lib.sh"

run simulate --task gaussian --count 500 -o a.h5
exits 0
print=$(fingerprint a.h5)
[ ${#print} -eq 32 ] || fail 'info should show a fingerprint'

# Around all formats, with the same contents at every stop.
from=a.h5
for to in a.npz b.h5 theta.npy,x.npy c.npz c.csv d.h5 d.csv e.npz; do
    run convert $from $to
    exits 0
    prints "$print"
    [ "$(fingerprint $to)" = "$print" ] || fail "$to should keep the fingerprint"
    from=$to
done
holds h5diff -q a.h5 b.h5 /theta
holds h5diff -q a.h5 d.h5 /x
run simulate --task gaussian --count 500 -o f.npz
exits 0
[ "$(fingerprint f.npz)" = "$print" ] || fail 'simulate into npz'
run simulate --task gaussian --count 500 -o f.csv
exits 0
[ "$(fingerprint f.csv)" = "$print" ] || fail 'simulate into csv'
run convert a.h5 new/dir/a.npz
exits 0
run convert a.h5 dry.npz --dry-run
exits 0
fails test -e dry.npz
run convert a.h5 quiet.npz --quiet
exits 0
[ -z "$out$err" ] || fail 'quiet should be quiet'

# Nothing is overwritten unless asked for; unknown endings are refused.
cp a.npz before.npz
run convert c.csv a.npz
exits 1
says 'a.npz'
says '--force'
same_file a.npz before.npz
run convert c.csv a.npz --force
exits 0
run convert a.h5 a.xyz
exits 2
says 'a.xyz'
run convert absent.h5 g.npz
exits 1
says 'absent.h5'
fails test -e g.npz

# CSV: a missing cell, a word, NaN, a short row: row and column.
printf 'theta.a,x.0,x.1\n1,2,3\n4,,6\n' >bad.csv
run info bad.csv
exits 1
says 'bad.csv:3: column "x.0" is empty'
printf 'theta.a,x.0,x.1\n1,2,3\n4,oops,6\n' >bad.csv
run convert bad.csv bad.h5
exits 1
says 'bad.csv:3: ... "x.0" ... "oops"'
fails test -e bad.h5
printf 'theta.a,x.0,x.1\n1,2,3\n4,5,nan\n' >bad.csv
run convert bad.csv bad.h5
exits 1
says 'row 1, x[1] is nan'
fails test -e bad.h5
printf 'theta.a,x.0,x.1\n1,2,3\n4,5\n' >bad.csv
run info bad.csv
exits 1
says 'bad.csv:3: 2 values ... 3 columns ... "x.1"'

# npy: headers that promise the impossible.
npy() { # SHAPE TYPE
    header="{'descr': '$2', 'fortran_order': False, 'shape': $1, }"
    while [ $(((10 + ${#header} + 1) % 64)) -ne 0 ]; do
        header="$header "
    done
    printf '\223NUMPY\001\000'
    # shellcheck disable=SC2059
    printf "\\$(printf '%03o' $(((${#header} + 1) % 256)))"
    # shellcheck disable=SC2059
    printf "\\$(printf '%03o' $(((${#header} + 1) / 256)))"
    printf '%s\n' "$header"
}
{
    npy '(1, 1)' '<f8'
    printf '\0\0\0\0\0\0\360\077'
} >good.npy
run info good.npy,good.npy
exits 0
prints 'rows          1'
for case in '(4611686018427387904, 4)|<f8' '(1000000000000, 1)|<f8' \
    '(-1, 1)|<f8' '(1, 1)||O' '(1, 1)|<U7' '(1e9, 1)|<f8' '(99|<f8'; do
    npy "${case%%|*}" "${case#*|}" >evil.npy
    printf '\0\0\0\0\0\0\360\077' >>evil.npy
    run info evil.npy,good.npy
    exits 1
    says 'evil.npy'
    run convert good.npy,evil.npy evil.h5
    exits 1
    says 'evil.npy'
    fails test -e evil.h5
done

# NaN in arrays: which row and column.
{
    npy '(2, 2)' '<f8'
    printf '\0\0\0\0\0\0\360\077\0\0\0\0\0\0\360\077'
    printf '\0\0\0\0\0\0\360\077\0\0\0\0\0\0\370\177'
} >nan.npy
{
    npy '(2, 1)' '<f8'
    printf '\0\0\0\0\0\0\360\077\0\0\0\0\0\0\360\077'
} >two.npy
run info two.npy,nan.npy
exits 1
says 'nan.npy: row 1, x[1] is nan'

# Pairs that do not belong together.
run info two.npy,good.npy
exits 1
says 'theta ... 2 rows, x ... 1'

# Cut and foreign files.
head -c 200 a.npz >cut.npz
run info cut.npz
exits 1
says 'cut.npz ... not ... .npz archive ... not complete'
run convert cut.npz cut.h5
exits 1
fails test -e cut.h5

finish
