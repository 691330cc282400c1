"""Write small sound inputs for the fuzzers: seeds.py [DIRECTORY].

The directory is fuzz/corpus if none is named. What only the program writes
comes from tests/data/0.1.0.
"""
import os
import struct
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
KEPT = os.path.join(HERE, "..", "tests", "data", "0.1.0")


def npy(descr, shape, data, version=1, fortran=False):
    text = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n" % (
        descr,
        fortran,
        shape,
    )
    size = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + size + text.encode() + data


ARRAYS = {
    "f8": npy("<f8", "(2, 3)", struct.pack("<6d", *range(6))),
    "f4_big": npy(">f4", "(3,)", struct.pack(">3f", 1, 2.5, -3), 2),
    "f2": npy("<f2", "(2,)", struct.pack("<2e", 1, 1e-6), 3),
    "i8": npy("<i8", "(1, 2, 1)", struct.pack("<2q", -1, 1 << 62)),
    "u1": npy("|u1", "(0, 4)", b""),
    "b1": npy("|b1", "(4,)", b"\0\1\2\0", 1, True),
    "text": npy("|S5", "()", b"hello"),
}

TABLES = {
    "plain": "a,b\n1,2\n-3.5,4e-7\n",
    "quoted": '"x,1";"say ""hi"""\r\n"1";2\r\n\r\n',
    "tabs": "\ufeffrate\tscale\n1.0D+00\tnan\n-inf\t0.1\n",
    "long": "a\n2.2250738585072011e-308\n9007199254740993\n0.1234567890123456789\n",
}


TASK = "parameters: {a: 'normal(0, 1)', b: 'uniform(1, 2)'}\nobservable: %s\n"
ESTIMATORS = {
    "flat": (0, TASK % "[3]" + "transform: {b: log}\n", "head: {hidden: [4]}"),
    "wave": (
        1,
        TASK % "[2, 8]" + "constraint: [a < b]\n",
        "{embedding: [conv1d: {channels: 3, kernel: 3, padding: 1}, batchnorm, "
        "relu, maxpool1d: {kernel: 2}, flatten], head: {hidden: [4, 4], "
        "activation: tanh}, theta_first: yes}",
    ),
    "picture": (
        2,
        TASK % "[3, 6, 6]",
        "{embedding: [repeat: {times: 2, layers: [residual: {layers: [conv2d: "
        "{channels: 3, kernel: 3, padding: 1, bias: no}, batchnorm]}, selu]}, "
        "maxpool2d: {kernel: 2}, avgpool], head: [linear: {width: 1}]}",
    ),
    "density": (
        8,
        TASK % "[3]" + "constraint: [a < b]\n",
        "head: {hidden: [4]}",
    ),
    "density_folds": (
        8 + 16 + 1 + 2 * 32,
        TASK % "[2, 8]",
        "{embedding: [conv1d: {channels: 2, kernel: 3}, selu, flatten], head: "
        "{hidden: [4], activation: elu}}",
    ),
    "classes": (
        7,
        "",
        "{embedding: [scale: {factor: 2}, transpose, linear: {width: 2}, gelu, "
        "set_mean, layernorm], head: {hidden: [3], activation: elu}}",
    ),
}


ANSWERS = {
    "numbers": (3, "1 2.5 -3e4"),
    "lines": (2, "1\n2\n"),
    "error": (1, "error: the grid is too coarse"),
    "short": (4, "1, 2"),
}

TASKS = {
    "named": "gaussian",
    "options": "name: gaussian\noptions: {dim: 3}\ntransform: {x: log}\n",
    "priors": "name: slcp\nparameters: {theta_0: 'normal(0, 2)', "
    "theta_1: beta(2, 3)}\nnuisance: {u: fixed(0.5)}\n"
    "constraint: [theta_0 >= theta_1, '0 < theta_1 + abs(theta_0) < 4']\n",
    "external": "name: mine\nsimulator: {command: [./sim, '{seed}'], workers: 2}\n"
    "parameters:\n  a: uniform(0, 1)\n  b: \"log_uniform(1e-3, 1/3)\"\n"
    "observable: [2, 3]\n",
    "plugin": "{simulator: {plugin: ./libmine.so}, transform: {rate: logit}}",
    "samples": "prior_samples: draws.csv\nobservable: [1]\n",
    "hostile": "name: [gaussian]\n? {a: b}\n: &x !!str *x\n",
}

STUDIES = {
    "sweep": "task: gaussian\nsimulations: [64, 2^7]\nrepeats: 2\n"
    "sweep: {method: [nre, bnre], lambda: [1, 1e2]}\n",
    "together": "title: both\ntask: {name: slcp, options: {}}\nseed: 7\n"
    "sweep: {together: [{method: nre, simulations: 32}, {method: bnre, "
    "simulations: 64}], network: [{preset: mlp}, {head: {hidden: [4]}}]}\n"
    "test: 100\npool: 500\nepochs: 2\n",
    "trust": "task: weinberg\ntrust: auto\ncertify: 200\ncalibrate: 100\n"
    "observation: data.csv\ntruth: 1\nmembers: 2\nsimulations: 128\n",
    "axes": "task: {name: gaussian}\nsimulations: 32\n"
    "sweep: {task.options.dim: [1, 2, 3], batch_size: [8, 16]}\n",
}

CONFIGS = {
    "run": (0, "threads: 2\nset: [epochs=1, seed=3]\n"),
    "simulate": (1, "task: gaussian\ncount: 2^10\nseed: 0x10\noption: {dim: 3}\n"),
    "train": (2, "data: a.h5\nmethod: nre\nlambda: auto\nlearning_rate: 1e-3\n"),
    "posterior": (3, "observation: [a.csv, 'b.h5:3']\ngrid: 90x90\nsamples: 1e4\n"),
    "diagnose": (4, "data: t.h5\nlevels: 0.95\ncheck: yes\n"),
    "report": (5, "format: svg,pdf\nquiet: off\n"),
    "convert": (6, "force: true\n"),
}

OBSERVATIONS = {
    "blanks": (0, "1 2 3\n"),
    "lines": (2, "# two of them\n1, 2, 3, 4\n5; 6\t7 8\r\n"),
    "names": (0, "x.0,x.1,x.2\n1,2,3\n"),
    "column": (3, "\n".join(str(i) for i in range(16))),
    "dataset": (0, "theta.a,x.0,x.1,x.2\n1,2,3,4\n1,2,3,5\n"),
    "odd": (1, "nan\n"),
}

VALUES = {
    "all": '{"a": [1, -2.5e-3, null, true], "b": {"mean": 0.5, "error": "\\u00e9"}}',
    "list": "[[], [[1]], {}]",
    "number": "1e308",
}

PRIORS = [
    ("uniform(0, 10)", "a >= b"),
    ("log_uniform(1e-3, 1/3)", "0 < a + b <= 1"),
    ("normal(-1e-3, 2)", "abs(a) < exp(b) * sqrt(2)"),
    ("log_normal(0, 1)", "log(a) / (b - 1) > 0"),
    ("half_normal(2)", "a"),
    ("truncated_normal(0, 1, -1, 5)", "((a)) < 1 < b"),
    ("exponential(3)", "a < < b"),
    ("gamma(0.5, 2)", "1 >= -a"),
    ("beta(0.1, 3)", ""),
    ("student_t(2, 0, 1)", "a<b"),
    ("fixed(1e300)", "a*b/0 < 1"),
]


def archive(path, data, method, wide, extra):
    with zipfile.ZipFile(path, "w") as out:
        if extra:
            out.writestr(zipfile.ZipInfo("theta.npy"), ARRAYS["f8"])
            out.comment = b"comment"
        info = zipfile.ZipInfo("x.npy")
        info.compress_type = method
        with out.open(info, "w", force_zip64=wide) as member:
            member.write(data)


def text_seeds():
    """Inputs that are written here: {(target, name): bytes}."""
    out = {}
    for name, data in ARRAYS.items():
        out["npy", name] = data
    for name, text in TABLES.items():
        out["csv", name] = text.encode()
    for name, (shape, task, network) in ESTIMATORS.items():
        out["estimator", name] = (
            bytes([shape]) + task.encode() + b"\0" + network.encode()
        )
    for name, (count, text) in ANSWERS.items():
        out["answer", name] = bytes([count]) + text.encode()
    for name, text in TASKS.items():
        out["task", name] = text.encode()
    for name, text in STUDIES.items():
        out["study", name] = text.encode()
    for name, (command, text) in CONFIGS.items():
        out["config", name] = bytes([command]) + text.encode()
    for name, (shape, text) in OBSERVATIONS.items():
        out["observation", name] = bytes([shape]) + text.encode()
    for name, text in VALUES.items():
        out["json", name] = text.encode()
    for i, (prior, condition) in enumerate(PRIORS):
        out["prior", "%02d" % i] = (prior + "\0" + condition).encode()
    row = struct.pack("<d", 0.5) + struct.pack("<f", 1.5)
    out["journal", "rows"] = b"\1" + b"".join(
        bytes([first, 6, 6 * 13])
        + b"".join(struct.pack("<d", 0.1 * i) for i in range(6))
        + b"".join(struct.pack("<f", 0.1 * i) for i in range(6))
        + bytes(6)
        for first in (0, 6)
    )
    out["journal", "failed"] = (
        b"\1" + bytes([0, 1, 13 + 6]) + row + b"\1" + b"crash\0"
    )
    out["dataset", "csv"] = b"theta.a,x.0,x.1,nuisance.n\n1,2,3,4\n5,6,7,8\n"
    return out


def archives(out):
    for name, data in ARRAYS.items():
        for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            path = os.path.join(out, "npz", "%s_%d" % (name, method))
            archive(path, data, method, name == "f2", name == "text")
    with zipfile.ZipFile(os.path.join(out, "dataset", "npz"), "w") as pair:
        rows = struct.pack("<2d", 1, 2)
        pair.writestr(zipfile.ZipInfo("theta.npy"), npy("<f8", "(2, 1)", rows))
        x = npy("<f4", "(2, 2)", struct.pack("<4f", *range(4)))
        pair.writestr(zipfile.ZipInfo("x.npy"), x)


def kept_seeds():
    """What version 0.1.0 wrote: {(target, name): bytes}. (The corpus has files
    of later versions, too, which are not made here.)"""
    out = {}

    def load(name):
        with open(os.path.join(KEPT, name), "rb") as file:
            return file.read()

    for name in ("gaussian", "external"):
        out["dataset", name] = load(name + ".h5")
    for name in ("nre", "classes"):
        out["estimator_file", name] = load(name + ".h5")
    # The head, a record, and a torn one.
    out["journal", "file"] = b"\0" + load("interrupted/journal.h5.part")[:12000]
    whole = load("interrupted/checkpoint.h5.2.part")
    out["checkpoint", "file"] = b"\0" + whole
    out["checkpoint", "sound"] = b"\1" + checkpoint(whole)
    run = "method=nre,simulations=200"
    study = "interrupted/study/"
    out["json", "diagnosis"] = load(study + "runs/%s/1/diagnose.json" % run)
    out["results", "study"] = b"\0".join(
        [
            load(study + "study.yaml"),
            load(study + "results.csv").replace(b'"%s"' % run.encode(), b"c"),
            load(study + "runs/%s/1/diagnose.json" % run),
            load(study + "runs/%s/1/history.csv" % run),
            load(study + "runs/%s/1/run.yaml" % run),
        ]
    )
    return out


def checkpoint(whole):
    """One that fuzz_checkpoint.c takes, by the head of a real one."""
    magic, version, state = struct.unpack_from("<8sII", whole)
    head = struct.pack("<8sII4Q", magic, version, state, 8, 3, 2, 1)
    rest = bytes(state - 8 + 4 * (4 * 3 + 2 * 2) + 8 * 12)
    return head + b"identity" + struct.pack("<Q", 1) + rest  # epoch 1


def main(directory):
    seeds = text_seeds()
    seeds.update(kept_seeds())
    for target in {target for target, _ in seeds} | {"npz"}:
        os.makedirs(os.path.join(directory, target), exist_ok=True)
    for (target, name), data in seeds.items():
        with open(os.path.join(directory, target, name), "wb") as out:
            out.write(data)
    archives(directory)


main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "corpus"))
