#!/bin/sh
# Corner plots of a study: the same axes in all cells, a choice of parameters.
. "$(dirname "$0")/lib.sh"

cat >study.yaml <<'END'
task: {name: gaussian, options: {dim: 3}}
method: nre
network: {head: {hidden: [4], activation: selu}}
test: 0
epochs: 2
trust: no
batch_size: 32
samples: 10
observation: obs.txt
show: theta_2,theta_0
sweep:
  simulations: [64, 256]
END
echo 0.5 -0.25 1 >obs.txt

run run study.yaml -o out --quiet
exits 0
holds test "$(ls out/figures/corner-*.svg | wc -l)" = 2
page=out/report.html
holds grep -q 'same axis in all cells' $page
holds grep -q 'all parameters' $page
ranges() { # FILES: of the axes of parameters
    cat "$@" | sed -n 's/^set xrange \[\(.*\)\]$/\1/p' | sort -u
}
holds test "$(ranges out/figures/corner-*.gp | wc -l)" = 2
for one in out/runs/*/1/posterior/corner.gp; do
    fails test "$(ranges "$one")" = "$(ranges out/figures/corner-*.gp)"
    holds grep -q "set label 'theta.*_2' at" "$one"
    fails grep -q "set label 'theta.*_1' at" "$one"
    holds grep -q "set label 'theta.*_1' at" "${one%.gp}-marginals.gp"
done

# Tables of others: what is none is not drawn.
first=$(ls -d out/runs/*/1/posterior | head -n 1)
for text in '' '# a: value
1 nan 2 3'; do
    printf '%s\n' "$text" >"$first/corner.dat"
    run report out --format svg
    exits 0
    holds test "$(ls out/figures/corner-*.svg | wc -l)" = 1
done

# Names that are none.
sed 's/theta_2,/theta_7,/' study.yaml >wrong.yaml
run run wrong.yaml -o wrong
exits 2
says 'wrong.yaml:10'
says 'no parameter "theta_7"'
sed '/^observation/d' study.yaml >wrong.yaml
run run wrong.yaml -o wrong
exits 2
says 'posterior ... observation'

finish
