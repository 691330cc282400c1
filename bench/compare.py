#!/usr/bin/env python3
"""Networks against PyTorch on the same cores, in turns.

  bench/compare.py BUILD [--only WORD] [--seconds S] [--no-torch]

prints a table, and appends rows (name, unit, value, baseline, ratio, fraction
of the measured FMA peak) to the file that BNRE_BENCH_CSV names. PyTorch is
taken from the first of python3 and /usr/bin/python3 that has it; without it the
program is timed alone. Nothing is installed.

A row is measured in rounds of one turn each, since clocks drift; medians count.
Who has no turn is stopped, so that threads that wait by spinning harm nobody.
On two cores PyTorch has the best of several settings.
"""
import argparse
import csv
import ctypes
import os
import shutil
import signal
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

# Name, our case, cores, PyTorch's case, wanted ratio, wanted part of the peak.
ROWS = [
    ("MLP 6x256 (slcp), training step", "step/slcp", 1, "step/slcp", 2.2, 80),
    ("MLP 6x256 (slcp), training step", "step/slcp", 2, "step/slcp", 3, 80),
    ("CNN (lotka_volterra), training step", "step/lotka_volterra", 1,
     "step/lotka_volterra", 10, None),
    ("CNN (lotka_volterra), training step", "step/lotka_volterra", 2,
     "step/lotka_volterra", 12, None),
    ("dilated CNN (gw), training step", "step/gw", 1, "step/gw", 100, None),
    ("dilated CNN (gw), step; PyTorch as a tree", "step/gw", 1,
     "step/gw_tree", 15, None),
    ("dilated CNN (gw), step; PyTorch as a tree", "step/gw", 2,
     "step/gw_tree", None, None),
    ("ResNet-18 (spatial_sir), training step", "step/spatial_sir", 1,
     "step/spatial_sir", 5, None),
    ("ResNet-18 (spatial_sir), training step", "step/spatial_sir", 2,
     "step/spatial_sir", 2.5, None),
    ("MLP 6x256 (slcp), 90x90 posterior", "grid/slcp", 1, "grid/slcp", 2.2,
     85),
    ("MLP 6x256 (slcp), 90x90 posterior", "grid/slcp", 2, "grid/slcp", 3, 85),
    ("   PyTorch's network alone, best batches", "grid/slcp", 1, "pass/slcp",
     None, None),
    ("   PyTorch's network alone, best batches", "grid/slcp", 2, "pass/slcp",
     None, None),
    ("CNN (lotka_volterra), 90x90 posterior", "grid/lotka_volterra", 1,
     "grid/lotka_volterra", 50, None),
    ("dilated CNN (gw), 90x90 posterior", "grid/gw", 1, "grid/gw", 50, None),
    ("ResNet-18 (spatial_sir), 90x90 posterior", "grid/spatial_sir", 1,
     "grid/spatial_sir", 50, None),
]

# Conditional densities on one core, in processor time: name, our case, PyTorch's
# case, how often it does that for one of ours (a text: for each step that ours
# counts, so often), wanted seconds, wanted ratio.
DENSITIES = [
    ("train 5 members of 3x64, slcp, 1,024 simulations", "train/two",
     "step/two", "1", 2, 10),
    ("   PyTorch's members in batched products", "train/two", "all/two",
     "0.2", None, None),
    ("10,000 draws of ten parameters", "draws/ten", "draws/ten", 1, 1, None),
    ("10,000 pairs of two parameters, 100 draws", "pairs/two", "pairs/two",
     100, 15, None),
    ("1,000 pairs of ten parameters, 100 draws", "pairs/ten", "pairs/ten", 10,
     15, None),
    ("10,000 pairs of two, ten members", "pairs10/two", None, 1, 5, None),
    ("1,000 pairs of ten, ten members", "pairs10/ten", None, 1, None, None),
]

# OpenBLAS's threads, OpenMP's way to wait; OpenMP has a thread for each core.
SETTINGS = {1: [(1, "passive")],
            2: [(1, "passive"), (2, "passive"), (1, "active"), (2, "active")]}


class Contestant:
    """A process that waits, stopped, for its turn."""

    def __init__(self, command, cores, env=None):
        def prepare():
            os.sched_setaffinity(0, cores)
            # A stopped process would outlive this one, whatever ends it.
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG

        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, **(env or {})}, preexec_fn=prepare)
        self.title = self.answer()
        self.process.send_signal(signal.SIGSTOP)

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{self.process.args[0]} ended early")
        return line.strip()

    def ask(self, case, times):
        """Seconds of one repetition, and operations if it knows them."""
        self.process.send_signal(signal.SIGCONT)
        self.process.stdin.write(f"{case} {times}\n")
        self.process.stdin.flush()
        numbers = [float(word) for word in self.answer().split()]
        self.process.send_signal(signal.SIGSTOP)
        return numbers

    def seconds(self, case, times):
        return self.ask(case, times)[0]

    def end(self):
        self.process.send_signal(signal.SIGCONT)
        self.process.stdin.close()
        self.process.wait()


def find_torch():
    for name in ("python3", "/usr/bin/python3"):
        path = shutil.which(name)
        if path is not None and subprocess.run(
                [path, "-c", "import torch"], check=False,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL).returncode == 0:
            return path
    return None


class Bench:
    def __init__(self, build, seconds, torch):
        cores = sorted(os.sched_getaffinity(0))
        self.cores = {n: set(cores[:n]) for n in (1, 2) if len(cores) >= n}
        self.program = os.path.join(build, "bench_nn")
        self.budget, self.torch, self.running = seconds, torch, {}
        self.file = None
        path = os.environ.get("BNRE_BENCH_CSV")
        if path:
            self.file = open(path, "a", encoding="utf-8", newline="")
            self.csv = csv.writer(self.file, lineterminator="\n")

    def ours(self, threads):
        key = ("ours", threads)
        if key not in self.running:
            self.running[key] = Contestant([self.program, str(threads)],
                                           self.cores[min(threads, 2)])
        return self.running[key]

    def other(self, program, *args):
        """A program of ours beside bench_nn, on one core."""
        if program not in self.running:
            self.running[program] = Contestant(
                [os.path.join(os.path.dirname(self.program), program), *args],
                self.cores[1])
        return self.running[program]

    def theirs(self, cores, setting, script="torch_steps.py"):
        key = (script, cores, setting)
        if key not in self.running:
            blas, wait = setting
            env = {"OPENBLAS_NUM_THREADS": str(blas),
                   "OMP_NUM_THREADS": str(cores), "OMP_WAIT_POLICY": wait}
            self.running[key] = Contestant(
                [self.torch, os.path.join(HERE, script)],
                self.cores[cores], env)
        return self.running[key]

    def best_setting(self, cores, case):
        """The contestant, and its settings in words."""
        settings = SETTINGS[cores]
        if len(settings) > 1:
            spent = {s: min(self.theirs(cores, s).seconds(case, 1)
                            for _ in range(2)) for s in settings}
            settings = sorted(settings, key=spent.get)
        blas, wait = settings[0]
        return (self.theirs(cores, settings[0]),
                f"OpenBLAS {blas}, OpenMP {cores} {wait}")

    def turns(self, *askers):
        """Times of a turn (a quarter of a second) and rounds for a row."""
        once = [ask(1) for ask in askers]
        times = [max(1, int(0.25 / s)) for s in once]
        total = sum(n * s for n, s in zip(times, once))
        return times, max(3, min(21, int(self.budget / total)))

    def write(self, name, unit, value, baseline=None, ratio=None,
              fraction=None):
        def text(number):
            return "" if number is None else f"{number:.6g}"
        if self.file is not None:
            self.csv.writerow([name, unit, text(value), text(baseline),
                               text(ratio), text(fraction)])
            self.file.flush()

    def row(self, name, case, cores, torch_case, want, want_peak):
        ours, theirs, setting = self.ours(cores), None, ""
        askers = [lambda n: ours.seconds(case, n)]
        if self.torch:
            theirs, setting = self.best_setting(cores, torch_case)
            askers.append(lambda n: theirs.seconds(torch_case, n))
        times, rounds = self.turns(*askers)
        mine, other, part = [], [], []
        for _ in range(rounds):
            seconds, operations = ours.ask(case, times[0])
            limit_seconds, limit = ours.ask("peak", 5)
            mine.append(seconds)
            part.append(operations / seconds / (limit / limit_seconds))
            if theirs is not None:
                other.append(theirs.seconds(torch_case, times[1]))
        value, fraction = statistics.median(mine), statistics.median(part)
        baseline = statistics.median(other) if other else None
        ratio = baseline / value if other else None
        print(f"| {name:44} | {cores:5} | {1e3 * value:9.2f} ms | "
              + (f"{1e3 * baseline:8.1f} ms | {ratio:6.2f} | " if other
                 else f"{'':11} | {'':6} | ")
              + f"{want or '':>6} | {100 * fraction:5.0f} % | "
              + f"{100 * max(part):4.0f} % | "
              + f"{str(want_peak) + ' %' if want_peak else '':>6} |"
              + (f" {setting}" if cores > 1 else ""), flush=True)
        plural = "s" if cores > 1 else ""
        self.write(f"{name.strip()}, {cores} core{plural}", "ms",
                   1e3 * value, baseline and 1e3 * baseline, ratio, fraction)

    def pair(self, name, first, second, factor, want):
        """factor x second / first, each a (threads, case), in turns."""
        one, other = (lambda n: self.ours(first[0]).seconds(first[1], n),
                      lambda n: self.ours(second[0]).seconds(second[1], n))
        times, rounds = self.turns(one, other)
        spent = [(one(times[0]), other(times[1]))
                 for _ in range(max(rounds, 9))]
        value = statistics.median(a for a, _ in spent)
        baseline = statistics.median(b for _, b in spent)
        ratio = statistics.median(factor * b / a for a, b in spent)
        print(f"| {name:48} | {1e3 * value:7.2f} ms | {1e3 * baseline:7.2f} "
              f"ms | {ratio:6.3f} | {want:12} |", flush=True)
        self.write(name, "ms", 1e3 * value, 1e3 * baseline, ratio)

    def diagnosis(self, name, case, want):
        """A pair of the diagnosis of slcp, on one core."""
        ours = self.other("bench_diag", "serve")
        theirs = self.theirs(1, SETTINGS[1][0])
        spent = [(ours.seconds(case, 1), theirs.seconds("reference/slcp", 2))
                 for _ in range(7)]
        value = statistics.median(a for a, _ in spent)
        baseline = statistics.median(b for _, b in spent)
        ratio = statistics.median(b / a for a, b in spent)
        print(f"| {name:48} | {1e3 * value:7.2f} ms | {1e3 * baseline:7.1f} "
              f"ms | {ratio:6.2f} | {want:12} |", flush=True)
        self.write(name, "ms", 1e3 * value, 1e3 * baseline, ratio)

    def density(self, name, case, torch_case, factor, want, want_ratio):
        """A row of DENSITIES: the best of three turns, as others disturb."""
        ours = self.other("bench_densities", "serve")
        mine, other, part = [], [], []
        for _ in range(3):
            seconds, operations, count = ours.ask(case, 1)
            limit_seconds, limit, _ = ours.ask("peak", 10)
            mine.append(seconds)
            part.append(operations / seconds * limit_seconds / limit)
            if self.torch and torch_case:
                theirs = self.theirs(1, SETTINGS[1][0], "torch_densities.py")
                once = theirs.seconds(torch_case, 1)
                times = max(1, int(0.5 / once))
                scale = (count * float(factor) if isinstance(factor, str)
                         else factor)
                other.append(scale * theirs.seconds(torch_case, times))
        value, baseline = min(mine), min(other) if other else None
        ratio = baseline / value if other else None
        print(f"| {name:48} | {value:7.3f} s | "
              + (f"{baseline:7.2f} s | {ratio:6.2f} | " if other
                 else f"{'':9} | {'':6} | ")
              + f"{want or '':>4} | {want_ratio or '':>4} | "
              + f"{100 * max(part):4.0f} % |", flush=True)
        self.write(name.strip(), "s", value, baseline, ratio, max(part))

    def joint(self):
        """Ten parameters: factors beside one network for the joint ratio."""
        ours = self.other("bench_densities", "serve")
        spent = [(ours.ask("train/ten", 1), ours.ask("joint/ten", 1))
                 for _ in range(3)]
        value = min(a[0] for a, _ in spent)
        baseline = min(b[0] for _, b in spent)
        nats, joint_nats = spent[0][0][2], spent[0][1][2]
        print(f"\nten parameters, 1,024 simulations: five members with ten "
              f"factors {value:.2f} s, {nats:.2f} nats; one network of 6x256 "
              f"for the joint ratio {baseline:.2f} s, {joint_nats:.2f} nats: "
              f"{value / baseline:.2f} times the time (at most 2.5)")
        self.write("train ten factors, 5 members, beside 6x256", "s", value,
                   baseline, baseline / value)

    def end(self):
        for contestant in self.running.values():
            contestant.end()
        if self.file is not None:
            self.file.close()


def compare(bench, only):
    rows = [row for row in ROWS if row[2] in bench.cores and only in row[1]]
    if rows:
        print(f"\n| {'':44} | cores | {'bnre':>12} | {'PyTorch':>11} |  ratio "
              "| wanted | of peak |   best | wanted |\n" + "|---" * 9 + "|")
    for row in rows:
        bench.row(*row)
    if only and only in "density/":
        print(f"\n| {'conditional densities, 1 core':48} | {'bnre':>9} | "
              f"{'PyTorch':>9} |  ratio | most | want | of peak |\n"
              + "|---" * 7 + "|")
        for row in DENSITIES:
            bench.density(*row)
        bench.joint()
    if bench.torch and only in "reference/slcp":
        print(f"\n| {'diagnosis of a pair (slcp), 1 core':48} | {'bnre':>10} | "
              f"{'PyTorch':>10} |  ratio | {'wanted':12} |\n|---|---|---|---|---|")
        bench.diagnosis("90 x 90 nodes and 19 levels", "paper", "2.2 or more")
        bench.diagnosis("exact ranks, default points", "default", "20 or more")
    if 2 not in bench.cores or only not in "step/slcp":
        return
    print(f"\n| {'MLP 6x256, training step':48} | {'this':>10} | "
          f"{'beside':>10} |  ratio | {'wanted':12} |\n|---|---|---|---|---|")
    bench.pair("plain loss beside the balanced one, 1 thread", (1, "nre/slcp"),
               (1, "step/slcp"), 1, "at most 1.02")
    bench.pair("one model on 2 threads beside 1 thread", (2, "step/slcp"),
               (1, "step/slcp"), 1, "1.8 or more")
    bench.pair("two models on 2 threads beside one on 1 thread",
               (2, "models/slcp"), (1, "step/slcp"), 2, "1.9 or more")
    bench.pair("2 threads beside 8 threads on two cores", (2, "step/slcp"),
               (8, "step/slcp"), 1, "at most 1.3")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("--only", default="", metavar="WORD",
                        help="cases with this word, such as slcp or grid/; "
                        "conditional densities: density/")
    parser.add_argument("--seconds", type=float, default=12,
                        help="for each row, where three rounds allow it")
    parser.add_argument("--no-torch", action="store_true")
    args = parser.parse_args()
    torch = None if args.no_torch else find_torch()
    if os.getloadavg()[0] > 0.5:
        print(f"others are at work here (load {os.getloadavg()[0]:.1f}): "
              "these numbers are worth little")
    bench = Bench(args.build, args.seconds, torch)
    print(bench.ours(1).title)
    if torch:
        title = bench.theirs(1, SETTINGS[1][0]).title
        print(title)
        if "libblas" in title:
            print("  whose matrix products are the slow reference's; for a "
                  "fair comparison:\n  apt-get install libopenblas0-pthread")
    elif not args.no_torch:
        print("no PyTorch here to compare with; for that:\n"
              "  apt-get install python3-torch libopenblas0-pthread")
    try:
        compare(bench, args.only)
    finally:
        bench.end()


if __name__ == "__main__":
    main()
