#!/bin/sh
# test_licence.sh BUILD SOURCE - libraries under the GPL serve tests and the gw
# plugin; the library and the program are linked with none of them.
set -eu
for file in "$1/bnre" "$1/libbnre.so"; do
    needed=$(readelf -d "$file" | grep NEEDED)
    if echo "$needed" | grep -E 'fftw|gsl'; then
        echo "$file is linked with a library under the GPL"
        exit 1
    fi
    echo "$needed" | grep -q libc.so # the list is there and was read
done
