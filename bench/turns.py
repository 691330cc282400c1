#!/usr/bin/env python3
"""Two or more builds of bnre against each other, in turns on one core:

    bench/turns.py [--core N] [--turns N] [--only TEXT] BUILD[,KERNELS] ...

A build is a directory with `bnre` and the programs of this directory that it
was built with; KERNELS is what BNRE_KERNELS shall be (avx2, say). What the first
build does not have is left out. Every program, every case of bench_nn and every
command runs once for each build, one after the other, and that so many times.
Times are processor times (shim/processor.c), so that other work on the machine
counts as little as it can; a ratio is between neighbours in one turn, and the
table has the median of the turns: time of a build / time of the first."""
import argparse
import csv
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = ["rng", "sims", "gw", "spatial_sir", "simulate", "external", "train",
            "resnet", "growth", "diag"]
CASES = [f"{kind}/{task}" for kind in ("step", "nre", "grid")
         for task in ("slcp", "lotka_volterra", "gw", "spatial_sir")]
NETWORK = "head: {hidden: [256, 256, 256, 256, 256, 256], activation: selu}\n"
TRAIN = ("train --data t.h5 --network net.yaml --members 1 --trust no --temper 1 --calibrate 0 --epochs 10 "
         "--batch-size 128 --learning-rate 1e-4 --weights last --patience 1000 --threads 1 --force")
PREPARE = ["simulate --task slcp --count 8192 -o t.h5 --force", "simulate --task slcp --count 400 --split test -o e.h5 --force"]
COMMANDS = {
    "simulate slcp, 1,000,000 rows": "simulate --task slcp --count 1000000 -o s.h5 --force --threads 1",
    "train nre, 8,192 slcp, 10 epochs": TRAIN + " --method nre -o nre.h5",
    "train bnre, 8,192 slcp, 10 epochs": TRAIN + " --method bnre --lambda 100 -o bnre.h5",
    "diagnose 400 slcp pairs": "diagnose nre.h5 --data e.h5 -o d.json --threads 1 --force",
    "posterior of slcp, 100,000 samples": "posterior nre.h5 --observation e.h5:0 --samples 100000 -o p --threads 1 --force",
    "convert 1,000,000 rows to npz": "convert s.h5 s.npz --force",
    "info of 1,000,000 rows": "info s.h5",
    "tasks": "tasks",
}


class Build:
    def __init__(self, text, core, shim):
        self.path, _, self.kernels = text.partition(",")
        self.path = os.path.abspath(self.path)
        self.core, self.shim, self.nn = core, shim, None
        self.scratch = tempfile.mkdtemp(prefix="turns.", dir=".")
        self.env = dict(os.environ, PATH="/nowhere")  # without gnuplot
        if self.kernels:
            self.env["BNRE_KERNELS"] = self.kernels

    def pin(self):
        os.sched_setaffinity(0, {self.core})

    def has(self, program):
        return os.access(os.path.join(self.path, "bench_" + program), os.X_OK)

    def rows(self, program):
        """What the program measures: {name: seconds, or what is like them}."""
        table = os.path.join(self.scratch, "rows.csv")
        env = dict(self.env, LD_PRELOAD=self.shim, BNRE_BENCH_CSV=os.path.abspath(table))
        open(table, "w", encoding="utf-8").close()
        subprocess.run([os.path.join(self.path, "bench_" + program)], cwd=self.scratch, env=env, check=True,
                       stdout=subprocess.DEVNULL, preexec_fn=self.pin)
        with open(table, encoding="utf-8", newline="") as file:
            return {row[0]: 1 / float(row[2]) if row[1].endswith("/s") else float(row[2])
                    for row in csv.reader(file) if row[1] != "ratio"}

    def case(self, case, times):
        if self.nn is None:
            self.nn = subprocess.Popen([os.path.join(self.path, "bench_nn"), "1"], env=dict(self.env, LD_PRELOAD=self.shim),
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=self.pin)
            self.nn.stdout.readline()
        self.nn.stdin.write(f"{case} {times}\n")
        self.nn.stdin.flush()
        return float(self.nn.stdout.readline().split()[0])

    def command(self, text):
        """Seconds of user and system time."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([os.path.join(self.path, "bnre")] + text.split(), cwd=self.scratch, env=self.env,
                              capture_output=True, text=True, preexec_fn=self.pin, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode not in (0, 3):
            sys.exit(f"{self.path}: {text}: {done.stderr}")
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(builds, name, turns, found):
    """One turn after the other; found[row] = a list for each build."""
    for _ in range(turns):
        for k, build in enumerate(builds):
            for row, seconds in name(build).items():
                found.setdefault(row, [[] for _ in builds])[k].append(seconds)


def print_table(title, builds, found):
    if not any(all(spent) for spent in found.values()):
        print(f"\n{title}: nothing that every build measures", flush=True)
        return
    print(f"\n{title}\n")
    print("| | " + " | ".join(["seconds of the first"] + [b.kernels or "own kernels" for b in builds[1:]]) + " |")
    print("|---|" + "---|" * len(builds))
    every = [[] for _ in builds]
    for row, spent in found.items():
        turns = min(len(times) for times in spent)
        if turns == 0:
            continue
        ratios = [statistics.median(times[i] / spent[0][i] for i in range(turns)) for times in spent]
        for k, ratio in enumerate(ratios):
            every[k].append(ratio)
        print(f"| {row} | {statistics.median(spent[0]):.3g} | " + " | ".join(f"{r:.2f}" for r in ratios[1:]) + " |")
    print("| **median** | | " + " | ".join(f"**{statistics.median(r):.2f}**" for r in every[1:]) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--only", default="")
    parser.add_argument("build", nargs="+")
    args = parser.parse_args()
    scratch = tempfile.mkdtemp(prefix="turns.", dir=".")
    shim = os.path.abspath(os.path.join(scratch, "processor.so"))
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", os.path.join(HERE, "shim", "processor.c"), "-o", shim, "-ldl"], check=True)
    builds = [Build(text, args.core, shim) for text in args.build]
    for program in PROGRAMS:
        if args.only in program and all(b.has(program) for b in builds):
            found = {}
            measure(builds, lambda b, p=program: b.rows(p), args.turns, found)
            print_table(f"bench_{program}", builds, found)
    if args.only in "nn":
        found = {}
        for case in CASES:
            times = max(1, int(0.25 / builds[0].case(case, 1)))
            measure(builds, lambda b, c=case, n=times: {c: b.case(c, n)}, 2 * args.turns + 1, found)
        print_table("bench_nn", builds, found)
    if args.only in "commands":
        found = {}
        for build in builds:
            with open(os.path.join(build.scratch, "net.yaml"), "w", encoding="utf-8") as file:
                file.write(NETWORK)
            for text in PREPARE:
                build.command(text)
        for name, text in COMMANDS.items():
            measure(builds, lambda b, n=name, t=text: {n: b.command(t)}, 2 * args.turns + 1, found)
        print_table("bnre", builds, found)
    for build in builds:
        shutil.rmtree(build.scratch)
    shutil.rmtree(scratch)


main()
