#!/usr/bin/env python3
"""How the cost of whole commands grows: parameters, simulations, members, ranks.

  bench/scale.py BUILD [--only WORD] [--simulations N]

Processor time and the most memory of a command, on one thread; beside each its
growth from the row before, divided by that of what was varied: 1.00 is linear.
Ranks of MPI share the cores there are; what they tell each other and do to
files is counted (shim/count.c), for plans with 2 and 8 cells for each rank, and
what a thousand ranks would is computed from that, by what is the same for every
cell, and for every rank. Rows are appended to the file that BNRE_BENCH_CSV
names.
"""
import argparse
import csv
import os
import shutil
import subprocess
import sys
import tempfile

from compare import HERE

COUNTED = ["messages", "bytes", "broadcasts", "meetings", "opens", "moves",
           "writes", "syncs"]


class Scale:
    def __init__(self, build):
        self.build = os.path.abspath(build)
        self.directory = tempfile.mkdtemp(prefix="bnre-growth-")

    def run(self, *args):
        """Processor seconds and megabytes of a command."""
        more = [] if args[0] == "info" else ["--threads", "1", "--quiet",
                                             "--force"]
        child = subprocess.Popen(
            [os.path.join(self.build, "bnre"), *map(str, args), *more],
            cwd=self.directory, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE)
        words = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in (0, 3):
            sys.exit(f"bnre {args[0]}: {words.decode()}")
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024

    def write(self, name, unit, value):
        path = os.environ.get("BNRE_BENCH_CSV")
        if path:
            with open(path, "a", encoding="utf-8", newline="") as file:
                csv.writer(file, lineterminator="\n").writerow(
                    [name, unit, f"{value:.6g}", "", "", ""])

    def table(self, what, rows):
        """rows: (value, {column: (seconds, megabytes)})"""
        last = None
        for value, columns in rows:
            text = f"| {what:12} | {value:>10,} |"
            for name, (seconds, memory) in columns.items():
                growth = (f"{seconds / last[1][name][0] / (value / last[0]):5.2f}"
                          if last else f"{'':5}")
                text += f" {seconds:9.3f} s {growth} {memory:6.0f} MB |"
                self.write(f"{name}, {what} {value}", "s", seconds)
                self.write(f"{name}, {what} {value}, memory", "MB", memory)
            print(text, flush=True)
            last = (value, columns)


def head(*names):
    print("\n| | | " + " | ".join(names) + " |\n|---|---|" + "---|" * len(names))


def parameters(growth, _):
    head("train (1,024 simulations, 1 member, 10 epochs)",
         "posterior (1,000 draws)")

    def rows():
        for dim in (1, 2, 5, 10, 20, 50, 100):
            growth.run("simulate", "--task", "gaussian", "--option",
                       f"dim={dim}", "--count", 1024, "-o", "d.h5")
            train = growth.run("train", "--data", "d.h5", "--trust", "no",
                               "--members", 1, "--epochs", 10, "-o", "e.h5")
            posterior = growth.run("posterior", "e.h5", "--observation",
                                   "d.h5:0", "--sampler", "draws", "--samples",
                                   1000, "--show", "theta_0", "-o", "p")
            yield dim, {"train": train, "posterior": posterior}
    growth.table("parameters", rows())


def simulations(growth, most):
    head("simulate (gaussian)", "train (1 member, 1 epoch)",
         "verify and tell (info)")

    def rows():
        count = 1000
        while count <= most:
            simulate = growth.run("simulate", "--task", "gaussian", "--count",
                                  count, "-o", "d.h5")
            train = growth.run("train", "--data", "d.h5", "--trust", "no",
                               "--members", 1, "--epochs", 1, "-o", "e.h5")
            yield count, {"simulate": simulate, "train": train,
                          "info": growth.run("info", "d.h5")}
            count *= 10
    growth.table("simulations", rows())


def members(growth, _):
    head("train (slcp, 1,024 simulations, 5 epochs)",
         "diagnose (1,000 pairs)", "posterior (1,000 draws)")
    growth.run("simulate", "--task", "slcp", "--count", 1024, "-o", "d.h5")
    growth.run("simulate", "--task", "slcp", "--count", 1000, "--seed", 2, "-o",
               "t.h5")

    def rows():
        for count in (1, 2, 5, 10, 20, 50):
            train = growth.run("train", "--data", "d.h5", "--trust", "no",
                               "--members", count, "--epochs", 5, "-o", "e.h5")
            diagnose = growth.run("diagnose", "e.h5", "--data", "t.h5", "-o",
                                  "x.json")
            posterior = growth.run("posterior", "e.h5", "--observation",
                                   "t.h5:0", "--samples", 1000, "-o", "p")
            yield count, {"train": train, "diagnose": diagnose,
                          "posterior": posterior}
    growth.table("members", rows())


STUDY = """task: gaussian
method: nre
test: 60
epochs: 1
batch_size: 16
network: {{head: {{hidden: [4], activation: selu}}}}
repeats: {}
simulations: 64
"""


def count_ranks(growth, shim, ranks, cells):
    """Sums over ranks of what is counted."""
    with open(os.path.join(growth.directory, "study.yaml"), "w",
              encoding="utf-8") as file:
        file.write(STUDY.format(cells))
    counted = os.path.join(growth.directory, "counted")
    for path in (counted, os.path.join(growth.directory, "out")):
        if os.path.isdir(path):
            shutil.rmtree(path)
        elif os.path.exists(path):
            os.remove(path)
    env = {**os.environ, "BNRE_COUNT": counted,
           "BNRE_COUNT_BELOW": growth.directory,
           "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
           "OMPI_MCA_btl": "self,vader",
           "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    before = os.times()
    subprocess.run(
        ["mpirun", "-n", str(ranks), "-x", f"LD_PRELOAD={shim}",
         os.path.join(growth.build, "bnre-mpi"), "run", "study.yaml", "-o",
         "out", "--quiet", "--no-report"], cwd=growth.directory, env=env,
        check=True, stdin=subprocess.DEVNULL)
    after = os.times()
    with open(counted, encoding="utf-8") as file:
        each = [[int(word) for word in line.split()] for line in file]
    assert len(each) == ranks, f"{len(each)} of {ranks} ranks were counted"
    spent = (after.children_user - before.children_user
             + after.children_system - before.children_system)
    return [sum(column) for column in zip(*each)], spent


def ranks(growth, _):
    if (not shutil.which("mpirun") or not shutil.which("mpicc")
            or not os.path.exists(os.path.join(growth.build, "bnre-mpi"))):
        print("\nno MPI here: ranks are not measured")
        return
    shim = os.path.join(growth.directory, "count.so")
    subprocess.run(["mpicc", "-O1", "-shared", "-fPIC", "-w",
                    os.path.join(HERE, "shim", "count.c"), "-o", shim, "-ldl"],
                   check=True)
    print("\n| ranks | cells | " + " | ".join(COUNTED)
          + " | processor |\n" + "|---" * (len(COUNTED) + 3) + "|")
    seen = {}
    for cells, count in ((16, 1), (16, 2), (16, 4), (16, 8), (64, 8)):
        found, spent = count_ranks(growth, shim, count, cells)
        seen[cells, count] = found
        print(f"| {count} | {cells} | " + " | ".join(f"{n:,}" for n in found)
              + f" | {spent:.2f} s |", flush=True)
        for name, n in zip(COUNTED, found):
            growth.write(f"{name}, {count} ranks, {cells} cells", "number", n)
    # Linear in cells and in ranks: what 48 more cells and 4 more ranks add.
    text = "| 1,000, computed | 2,000 | "
    for i, name in enumerate(COUNTED):
        cell = (seen[64, 8][i] - seen[16, 8][i]) / 48
        rank = (seen[16, 8][i] - seen[16, 4][i]) / 4
        all_of_them = seen[16, 8][i] + (1000 - 8) * rank + (2000 - 16) * cell
        text += f"{all_of_them:,.0f} | "
        growth.write(f"{name}, 1000 ranks, 2000 cells, computed", "number",
                     all_of_them)
    print(text + "|")


KINDS = [("parameters", parameters), ("simulations", simulations),
         ("members", members), ("ranks", ranks)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("--only", default="", metavar="WORD",
                        help=", ".join(name for name, _ in KINDS))
    parser.add_argument("--simulations", type=int, default=10000000,
                        help="at most")
    args = parser.parse_args()
    growth = Scale(args.build)
    try:
        for name, kind in KINDS:
            if args.only in name:
                kind(growth, args.simulations)
    finally:
        shutil.rmtree(growth.directory)


if __name__ == "__main__":
    main()
