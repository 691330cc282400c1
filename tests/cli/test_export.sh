#!/bin/sh
# An estimator leaves as C or ONNX; a program compiled with it gives what
# `bnre` gives.
. "$(dirname "$0")/lib.sh"

run simulate --task gaussian --count 256 -o pairs.h5
exits 0
run train --data pairs.h5 --members 2 --epochs 4 -o est.h5
exits 0

run export est.h5 -o out/ratio.c
exits 0
prints 'members       2'
holds test -s out/ratio.c
run export est.h5 -o out/ratio.c
exits 1
says 'is there already'
run export est.h5 -o out/ratio.c --force --name other
exits 0
holds grep -q 'double other_log_ratio(' out/ratio.c
run export est.h5 -o out/ratio.c --force
holds grep -q 'double ratio_log_prior(' out/ratio.c
cp est.h5 est.c
run export est.c -o est.c --force
exits 2
says 'is the input'
same_file est.h5 est.c

# Whoever holds the lock is writing it.
exec 9>.busy.c.lock
flock 9
run export est.h5 -o busy.c
exits 1
says 'busy.c ... written ... process'
fails test -e busy.c
exec 9>&-

# What the file says of itself, as a header and as code.
cat >main.c <<'EOF'
#define RATIO_DECLARATIONS_ONLY
#include "out/ratio.c"
#include <stdio.h>
int main(void)
{
    static ratio_observation seen;
    double theta[ratio_parameters] = {0}, x[ratio_x_size] = {0};
    double gradient[ratio_parameters];
    if (!ratio_observe(x, &seen))
        return 1;
    printf("%.4f\n", ratio_log_ratio(&seen, theta, gradient));
    return 0;
}
EOF
last='compiling ratio.c'
holds ${CC:-cc} -std=c99 -Wall -Wextra -Werror main.c out/ratio.c -o main -lm
holds ./main

run export est.h5 -o ratio.onnx --rows 16
exits 0
holds test -s ratio.onnx
run export est.h5 -o ratio.onnx --rows 16 --dry-run
exits 0
prints 'export est.h5 ... ratio.onnx'

run export est.h5
exits 2
says '--output'
run export est.h5 -o ratio.txt
exits 2
says '.c or .onnx'
run export pairs.h5 -o ratio.c
exits 1
finish
