#!/bin/sh
# bnre posterior: which parameters are drawn, names and numbers for people.
. "$(dirname "$0")/lib.sh"

cat >net.yaml <<'END'
head: {hidden: [8], activation: selu}
END

# gnuplot is not needed to see what would be drawn.
mkdir bin
draws() { # ARGUMENTS of posterior
    last="bnre posterior $*"
    env PATH="$PWD/bin" "$bnre" posterior "$@" >.out 2>.err </dev/null
    code=$?
    out=$(cat .out)
    err=$(cat .err)
}

# Ten parameters: on two pages, and all of them one by one.
run simulate --task gaussian --option dim=10 --count 300 -o ten.h5 --quiet
exits 0
run train --data ten.h5 --network net.yaml --method nre --epochs 1 -o ten-est.h5 \
    --quiet
exits 0
draws ten-est.h5 --observation ten.h5:0 --sampler bank --bank 2000 \
    --samples 10 -o ten
exits 0
prints "corner.svg: theta_0, theta_1, theta_2, theta_3, theta_4;"
prints "corner-2.svg: theta_5, theta_6, theta_7, theta_8, theta_9;"
prints "corner-marginals.svg: ... 10 parameters"
prints "68.3 %"
prints "95.4 %"
for k in 0 1 2 3 4; do
    holds grep -q "set label 'theta.*_$k' at" ten/corner.gp
    holds grep -q "set label 'theta.*_$k' at" ten/corner-marginals.gp
    fails grep -q "set label 'theta.*_$k' at" ten/corner-2.gp
done
for k in 5 6 7 8 9; do
    holds grep -q "set label 'theta.*_$k' at" ten/corner-2.gp
    holds grep -q "set label 'theta.*_$k' at" ten/corner-marginals.gp
done
holds grep -q '"highest_density"' ten/posterior.json
holds grep -q '"central_68"' ten/posterior.json

# A choice, in its order; pages that are no more go.
draws ten-est.h5 --observation ten.h5:0 --sampler bank --bank 2000 \
    --samples 10 -o ten --show theta_9,theta_0 --force
exits 0
prints "corner.svg: theta_9, theta_0; corner-marginals.svg: all 10"
fails test -e ten/corner-2.gp
holds grep -q '"show": "theta_9,theta_0"' ten/posterior.json
run posterior ten-est.h5 --observation ten.h5:0 --show theta_11 -o none
exits 2
says 'no parameter "theta_11"'
fails test -e none

# Long names, and numbers far from 0.
cat >long.csv <<'END'
theta.merger_time_since_epoch_in_seconds_of_gps,theta.b,x.0
END
awk 'BEGIN {srand(1); for (i = 0; i < 400; i++) {
    t = 249000 + 2000 * rand(); print t "," rand() "," (t - 250000) / 300}}' \
    >>long.csv
cat >long.yaml <<'END'
parameters:
  merger_time_since_epoch_in_seconds_of_gps: uniform(249000, 251000)
  b: uniform(0, 1)
observable: [1]
END
run train --data long.csv --task long.yaml --network net.yaml --method nre \
    --epochs 1 -o long-est.h5 --quiet
exits 0
echo 0 >zero.txt
draws long-est.h5 --observation zero.txt -o long
exits 0
holds grep -q "^  merger_time_since_epoch_in_seconds_of_gps  *2[45][0-9],[0-9]" .out
fails grep -q 'e+0' .out
holds grep -q "set label 'merger.*_time.*_since.*_' at" long/corner.gp
holds grep -q "set label 'epoch.*_in.*_seconds.*_of.*_gps' at" long/corner.gp
holds grep -q "'250,[05]00' 250[05]00" long/corner.gp

finish
