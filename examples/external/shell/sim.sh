#!/bin/sh
# sim.sh SEED RATE SCALE OFFSET - prints 16 numbers; run once per simulation.
exec awk -v seed="$1" -v rate="$2" -v scale="$3" -v offset="$4" '
function normal() {
    return sqrt(-2 * log(1 - rand())) * cos(6.283185307179586 * rand())
}
BEGIN {
    srand(seed)             # the same seed, the same numbers
    for (i = 0; i < 16; i++)
        printf "%.9g\n", scale * exp(-rate * i / 4) + offset + 0.05 * normal()
}'
