#!/usr/bin/env python3
"""Whole jobs, the times that a user feels: seconds, processor time and memory.

  bench/jobs.py BUILD [--only WORD] [--threads N] [--no-torch]

Each job is one or more commands, run as a user runs them in an empty directory;
the memory is the most that one of them had. Millions of simulations are taken
from fewer, which are named, times what is missing: rows are independent.

Beside them the same work of the networks in PyTorch (torch_densities.py, with
the sizes of the default method): so many training steps, draws and densities as
our job needed, from the time of a few; without reading, checking, pictures and
files. It is processor time on both sides, so that others at work here, and
whether PyTorch's threads help, decide nothing. Rows (name, unit, value, baseline,
ratio) are appended to the file that BNRE_BENCH_CSV names.
"""
import argparse
import csv
import os
import shutil
import subprocess
import sys
import tempfile
import time

from compare import HERE, find_torch

BATCH = 64
# What is simulated of each task, and whether it takes an option.
SIMULATIONS = [("gaussian", 1000000), ("slcp", 1000000), ("weinberg", 1000000),
               ("mg1", 200000), ("lotka_volterra", 50000),
               ("spatial_sir", 20000), ("gw", 500)]


class Cost:
    """Of some commands: seconds, processor seconds, most megabytes."""

    def __init__(self):
        self.wall = self.processor = self.memory = 0.0


class Jobs:
    def __init__(self, build, threads, torch, only):
        self.program = os.path.abspath(os.path.join(build, "bnre"))
        self.studies = os.path.join(os.path.dirname(HERE), "studies")
        self.threads, self.only = threads, only
        self.directory = tempfile.mkdtemp(prefix="bnre-jobs-")
        self.torch = torch and subprocess.Popen(
            [torch, os.path.join(HERE, "torch_densities.py")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1",
                 "OPENBLAS_NUM_THREADS": "1"})
        if self.torch:
            self.torch.stdout.readline()
        self.seen = {}

    def run(self, cost, command, *args):
        """One command, added to `cost`."""
        start = time.perf_counter()
        child = subprocess.Popen(
            [self.program, command, *args, "--threads", str(self.threads),
             "--quiet"], cwd=self.directory, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE)
        words = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            sys.exit(f"bnre {command}: {words.decode()}")
        cost.wall += time.perf_counter() - start
        cost.processor += usage.ru_utime + usage.ru_stime
        cost.memory = max(cost.memory, usage.ru_maxrss / 1024)

    def steps(self, estimator, rows):
        """The training steps of one member that all of them together took."""
        text = subprocess.run(
            [self.program, "info", estimator], cwd=self.directory,
            stdout=subprocess.PIPE, text=True, check=True).stdout
        lines = [line.split() for line in text.splitlines()]
        start = next(i for i, words in enumerate(lines)
                     if words[:3] == ["member", "seed", "epochs"])
        epochs = 0
        for words in lines[start + 1:]:
            if not words or not words[0].isdigit():
                break
            epochs += int(words[2])
        return epochs * (rows // BATCH)

    def theirs(self, case, times):
        """Processor seconds of `times` repetitions, from some."""
        if not self.torch:
            return 0
        if case not in self.seen:
            best = None
            for _ in range(3):
                self.torch.stdin.write(f"{case} 3\n")
                self.torch.stdin.flush()
                spent = float(self.torch.stdout.readline())
                best = spent if best is None else min(best, spent)
            self.seen[case] = best
        return times * self.seen[case]

    def row(self, name, cost, baseline=0.0, scale=1.0, note=""):
        ratio = baseline / cost.processor if baseline else None
        print(f"| {name:44} | {scale * cost.wall:9.2f} s | "
              f"{scale * cost.processor:9.2f} s | {cost.memory:6.0f} MB | "
              + (f"{baseline:8.1f} s | {ratio:5.1f} |" if ratio
                 else f"{'':10} | {'':5} |") + (f" {note}" if note else ""),
              flush=True)
        path = os.environ.get("BNRE_BENCH_CSV")
        if not path:
            return
        with open(path, "a", encoding="utf-8", newline="") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow([f"{name}, processor", "s",
                           f"{scale * cost.processor:.6g}",
                           f"{baseline:.6g}" if ratio else "",
                           f"{ratio:.6g}" if ratio else "", ""])
            rows.writerow([f"{name}, wall", "s", f"{scale * cost.wall:.6g}",
                           "", "", ""])
            rows.writerow([f"{name}, memory", "MB", f"{cost.memory:.6g}", "",
                           "", ""])

    def end(self):
        if self.torch:
            self.torch.stdin.close()
            self.torch.wait()
        shutil.rmtree(self.directory)


def first_posterior(jobs):
    cost = Cost()
    jobs.run(cost, "simulate", "--task", "slcp", "--count", "4096", "-o",
             "slcp.h5")
    jobs.run(cost, "train", "--data", "slcp.h5", "-o", "slcp-est.h5")
    jobs.run(cost, "simulate", "--task", "slcp", "--count", "1", "--seed", "2",
             "-o", "one.h5")
    jobs.run(cost, "posterior", "slcp-est.h5", "--observation", "one.h5:0",
             "-o", "slcp-posterior")
    # Each of the five folds learns from four fifths of the simulations.
    steps = jobs.steps("slcp-est.h5", 4096 * 4 // 5)
    baseline = jobs.theirs("npe/two", steps) + jobs.theirs("draws10/two", 1)
    jobs.row("first checked posterior (slcp, 4,096)", cost, baseline)


def quickstart(jobs):
    cost = Cost()
    jobs.run(cost, "run", os.path.join(jobs.studies, "quickstart.yaml"), "-o",
             "quickstart")
    jobs.row("quickstart (make run)", cost)


def ten_parameters(jobs):
    cost = Cost()
    jobs.run(Cost(), "simulate", "--task", "gaussian", "--option", "dim=10",
             "--count", "1", "--seed", "2", "-o", "ten.h5")
    jobs.run(cost, "infer", "--task", "gaussian", "--option", "dim=10",
             "--observation", "ten.h5:0", "--simulations", "4096", "-o", "ten")
    steps = jobs.steps("ten/estimator.h5", 4096 * 4 // 5)
    jobs.row("infer, ten parameters (gaussian, 4,096)", cost,
             jobs.theirs("npe/ten", steps) + jobs.theirs("draws10/ten", 1))


def need_estimator(jobs):
    if not os.path.exists(os.path.join(jobs.directory, "slcp-est.h5")):
        first = Cost()
        jobs.run(first, "simulate", "--task", "slcp", "--count", "4096", "-o",
                 "slcp.h5")
        jobs.run(first, "train", "--data", "slcp.h5", "-o", "slcp-est.h5")


def catalogue(jobs):
    cost = Cost()
    need_estimator(jobs)
    jobs.run(Cost(), "simulate", "--task", "slcp", "--count", "1000", "--seed",
             "3", "-o", "many.h5")
    jobs.run(cost, "posterior", "slcp-est.h5", "--each", "many.h5", "-o",
             "many")
    jobs.row("1,000 posteriors (slcp, 1,000 draws each)", cost,
             jobs.theirs("pairs10/two", 100))


def diagnosis(jobs):
    cost = Cost()
    need_estimator(jobs)
    jobs.run(Cost(), "simulate", "--task", "slcp", "--count", "10000",
             "--seed", "4", "-o", "test.h5")
    jobs.run(cost, "diagnose", "slcp-est.h5", "--data", "test.h5", "-o",
             "diagnosis.json")
    jobs.row("10,000 pairs diagnosed (slcp)", cost,
             jobs.theirs("pairs10/two", 100))


def simulations(jobs):
    for task, count in SIMULATIONS:
        cost = Cost()
        jobs.run(cost, "simulate", "--task", task, "--count", str(count), "-o",
                 "bench.h5", "--force")
        jobs.row(f"a million simulations, {task}", cost, scale=1e6 / count,
                 note="" if count == 1000000 else f"from {count:,}")
        os.remove(os.path.join(jobs.directory, "bench.h5"))


JOBS = [("first", first_posterior), ("quickstart", quickstart),
        ("ten", ten_parameters), ("each", catalogue), ("pairs", diagnosis),
        ("simulations", simulations)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("--only", default="", metavar="WORD",
                        help=", ".join(name for name, _ in JOBS))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--no-torch", action="store_true")
    args = parser.parse_args()
    jobs = Jobs(args.build, args.threads,
                None if args.no_torch else find_torch(), args.only)
    print(f"| {'job':44} | {'time':>11} | {'processor':>11} | {'memory':>9} | "
          f"{'PyTorch':>10} | ratio |\n" + "|---" * 6 + "|")
    try:
        for name, job in JOBS:
            if args.only in name:
                job(jobs)
    finally:
        jobs.end()


if __name__ == "__main__":
    main()
