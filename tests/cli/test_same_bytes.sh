#!/bin/sh
# Every built-in task gives the same file on one, two and three threads, whole or
# in parts.
. "$(dirname "$0")/lib.sh"

run tasks
exits 0
names=$(printf '%s\n' "$out" | awk 'NR > 1 && NF { print $1 }')
[ "$(echo "$names" | wc -w)" -ge 7 ] || fail 'tasks should list them all'
for name in $names; do
    count=3000
    case $name in
    spatial_sir | lotka_volterra) count=150 ;;
    gw) count=7 ;;
    esac
    if [ "$name" = gw ] && [ ! -e "$BUILD/plugins/gw.so" ]; then
        continue # needs FFTW
    fi
    run simulate --task "$name" --count $count --threads 1 -o one.h5
    exits 0
    run simulate --task "$name" --count $count --threads 2 -o two.h5
    exits 0
    same_file one.h5 two.h5
    run simulate --task "$name" --count $((count / 2)) --threads 3 -o three.h5
    exits 0
    run simulate --task "$name" --count $count --threads 2 -o three.h5
    exits 0
    same_file one.h5 three.h5
    run simulate --task "$name" --count $count --seed 2 -o other.h5
    exits 0
    fails h5diff -q one.h5 other.h5 /x
    rm -f ./*.h5
done

finish
