#!/bin/sh
# bnre infer in rounds on posteriors that are known: Gaussians with two and with
# ten parameters whose posterior is narrow, and the four modes of slcp.
. "$(dirname "$0")/lib.sh"

# The posterior is N(x, 0.01^2) in each parameter. Means within a third of the
# deviation of what an estimator of so few simulations is off by, and widths that
# are neither too narrow nor those of the first round.
narrow() { # DIM SIMULATIONS ROUNDS OFF WIDE
    cat >task.yaml <<END2
name: gaussian
options: {dim: $1, noise: 0.01}
parameters: {theta: "uniform(0, 1)"}
END2
    awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print 0.15 + 0.07 * i }' \
        >obs.txt
    run infer --task task.yaml --observation obs.txt --simulations "$2" \
        --rounds "$3" --samples 2000 --format svg -o "narrow$1" --quiet
    exits 0
    holds grep -q '"cut": true' "narrow$1/infer.json"
    awk -F, -v off="$4" -v wide="$5" '
        NR > 1 { n++; for (k = 1; k <= NF; k++) { a[k] += $k; b[k] += $k * $k } }
        END { for (k = 1; k <= NF; k++) {
                  m = a[k] / n; s = sqrt(b[k] / n - m * m)
                  printf "theta_%d: mean %g, deviation %g\n", k - 1, m, s
                  d = m - (0.15 + 0.07 * (k - 1))
                  if (d > off || d < -off || s < 0.006 || s > wide) bad = 1 }
              exit bad || n != 2000 }' "narrow$1/posterior/samples.csv" ||
        fail "the posterior should be about N(x, 0.01) in $1 parameters"
}
narrow 2 900 3 0.01 0.03
# Ten parameters: a region of 1e-6 of the prior, whose places are as easy to
# learn as the parameters were.
narrow 10 600 2 0.015 0.03

# slcp: only squares enter, so that every posterior has four equal modes. This
# one has about 0.25 of its mass in each quadrant.
run simulate --task slcp --theta 0.9,-1.1 --split test --count 1 -o obs.h5 \
    --quiet
run infer --task slcp --observation obs.h5:0 --simulations 1200 --rounds 3 \
    --samples 4000 --format svg -o slcp --quiet
exits 0
holds grep -q '"cut": true' slcp/infer.json
awk -F, 'NR > 1 { n++; q[($1 > 0) + 2 * ($2 > 0)]++ }
    END { for (k = 0; k < 4; k++) {
              printf "%g ", q[k] / n
              if (q[k] < 0.1 * n || q[k] > 0.4 * n) bad = 1 }
          exit bad || n != 4000 }' slcp/posterior/samples.csv ||
    fail "all four modes should survive"

finish
