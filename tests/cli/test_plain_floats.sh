#!/bin/sh
# What is made of a ratio besides its posterior, computed again in plain floats
# from the ratio as `export` writes it: another prior, several experiments and
# observations, conformal regions by weights, and the p-values of a check.
. "$(dirname "$0")/lib.sh"

printf 'name: gaussian\noptions: {dim: 1}\n' >task.yaml
echo 'head: {hidden: [16, 16], activation: elu}' >net.yaml
echo 'parameters: {theta_0: "normal(0.5, 0.5)"}' >prior.yaml
"$bnre" simulate --task task.yaml --count 2000 -o train.h5 --quiet
"$bnre" simulate --task task.yaml --count 300 --split test -o pairs.csv --quiet
echo 0.7 >one.txt
echo 1.3 >other.txt
printf '0.7\n-0.2\n1.1\n' >three.txt
for method in npe nre; do
    run train --data train.h5 --method $method --trust no --members 2 \
        --network net.yaml --epochs 20 -o $method.h5 --quiet
    exits 0
    run export $method.h5 -o $method.c
    exits 0
    holds ${CC:-cc} -O1 -std=c99 -shared -fPIC $method.c -o ./$method.so -lm
    posterior="posterior $method.h5 --quiet --format svg"
    run $posterior --observation one.txt --prior prior.yaml --calibrate pairs.csv \
        --levels 0.683,0.9 -o $method-one
    exits 0
    run $posterior --observation three.txt --prior prior.yaml -o $method-three
    exits 0
done
run posterior npe.h5 --observation one.txt --also nre.h5 other.txt --format svg \
    -o both --quiet
exits 0
run check npe.h5 --observation one.txt --pairs 0 --summary mean --draws 800 \
    -o check --quiet
exits 0
"$bnre" convert check/predictive.h5 check.csv --quiet

python3 - <<'P' || fail 'what plain floats say'
import ctypes, json, math
from math import exp, log, pi, sqrt


class Ratio:
    """(1 - floor) r + floor, as it stands for a likelihood"""

    def __init__(self, name, floor):
        lib = ctypes.CDLL("./" + name + ".so")
        self.observe = getattr(lib, name + "_observe")
        self.log_ratio = getattr(lib, name + "_log_ratio")
        self.log_ratio.restype = ctypes.c_double
        self.floor = floor

    def logs(self, x, thetas):
        seen = (ctypes.c_double * 1024)()
        assert self.observe((ctypes.c_double * 1)(x), seen)
        one = ctypes.c_double * 1
        return [self.log_ratio(seen, one(t), None) for t in thetas]

    def at(self, x, thetas):
        return [(1 - self.floor) * exp(l) + self.floor for l in self.logs(x, thetas)]


def normal(m, s):
    return lambda t: exp(-0.5 * ((t - m) / s) ** 2) / (s * sqrt(2 * pi))


def grid(n):
    return [-6 + 12 * (i + 0.5) / n for i in range(n)], 12 / n


def density(prior, parts, n=2400):
    """of all parts (ratio, x), and the logarithm of its integral"""
    places, step = grid(n)
    values = [prior(t) for t in places]
    for ratio, x in parts:
        values = [v * r for v, r in zip(values, ratio.at(x, places))]
    total = sum(values) * step
    return places, [v / total for v in values], step, log(total)


def near(what, a, b, tolerance):
    assert abs(a - b) <= tolerance, (what, a, b)


def compare(directory, prior, parts):
    found = json.load(open(directory + "/posterior.json"))
    places, values, step, log_z = density(prior, parts)
    mean = sum(v * t for v, t in zip(values, places)) * step
    square = sum(v * t * t for v, t in zip(values, places)) * step
    near(directory, found["parameters"][0]["mean"], mean, 3e-4)
    near(directory, found["parameters"][0]["sd"], sqrt(square - mean**2), 3e-4)
    near(directory, found["evidence"]["log_z"], log_z, 1e-3)
    return found


ratio = {"npe": Ratio("npe", 0.01), "nre": Ratio("nre", 0)}
old, new = normal(0, 1), normal(0.5, 0.5)
rows = [tuple(map(float, line.split(",")[:2])) for line in list(open("pairs.csv"))[1:]]
for name, r in ratio.items():
    compare(name + "-three", new, [(r, 0.7), (r, -0.2), (r, 1.1)])
    found = compare(name + "-one", new, [(r, 0.7)])
    # Weights v / M, and of each pair the mass that is denser than its theta.
    v = [new(t) / old(t) for t, _ in rows]
    most = max(new(t) / old(t) for t in grid(2400)[0])
    scored = []
    for (theta, x), w in zip(rows, v):
        places, values, step, log_z = density(new, [(r, x)], 600)
        own = new(theta) * r.at(x, [theta])[0] / exp(log_z)
        scored.append((sum(p for p in values if p > own) * step, w / most))
    scored.sort()
    total = sum(w for _, w in scored)
    for region, level in zip(found["conformal"], (0.683, 0.9)):
        below = 0
        for score, w in scored:
            below += w
            if below >= level * (total + 1):
                break
        near("conformal", region["qhat"], score, 0.02)
        near("worth", region["worth"], total**2 / sum(w * w for _, w in scored), 2)
compare("both", old, [(ratio["npe"], 0.7), (ratio["nre"], 1.3)])

# The check: 800 simulations y_j of draws theta_j, and what was observed.
pairs = [tuple(map(float, line.split(",")[:2])) for line in list(open("check.csv"))[1:]]
n, seen = len(pairs), 0.7
assert n == 800
ys = [y for _, y in pairs]


def two_sided(low, high):
    return min(1, 2 * (1 + min(low, high)) / (n + 1))


def quantile(ordered, u):
    k = int(u * (len(ordered) - 1))
    part = u * (len(ordered) - 1) - k
    return ordered[k] + (part * (ordered[k + 1] - ordered[k]) if part else 0)


own = ratio["npe"].logs(seen, [t for t, _ in pairs])
theirs = [ratio["npe"].logs(y, [t])[0] for t, y in pairs]
ordered = sorted(ys + [seen])
median = quantile(ordered, 0.5)
below, above = median - quantile(ordered, 0.16), quantile(ordered, 0.84) - median
far = lambda y: (median - y) / below if y < median else (y - median) / above
everything = ys + [seen]
# ten nearest: among the neighbours in order
spot = {y: i for i, y in enumerate(ordered)}


def apart(y):
    i = spot[y]
    around = ordered[max(0, i - 10) : i] + ordered[i + 1 : i + 11]
    return sum(sorted(abs(y - z) for z in around)[:10]) / 10


p = {
    "mean": two_sided(sum(y <= seen for y in ys), sum(y >= seen for y in ys)),
    "ratio": two_sided(sum(a <= b for a, b in zip(theirs, own)), sum(a >= b for a, b in zip(theirs, own))),
    "values": (1 + sum(far(y) >= far(seen) for y in ys)) / (n + 1),
    "neighbours": (1 + sum(apart(y) >= apart(seen) for y in ys)) / (n + 1),
}
found = json.load(open("check/check.json"))
least = 0
for i, name in enumerate(sorted(p, key=p.get)):
    (test,) = [t for t in found["tests"] if t["name"] == name]
    near("p of " + name, test["p"], p[name], 1.01 / (n + 1) + 1e-9)
    least = max(least, min(1, (len(p) - i) * p[name]))
    near("Holm of " + name, test["corrected"], least, 5 / (n + 1))
P
finish
