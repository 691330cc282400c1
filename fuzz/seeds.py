"""Write small sound inputs for the fuzzers: seeds.py DIRECTORY."""
import os
import struct
import sys
import zipfile


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
    "classes": (
        7,
        "",
        "{embedding: [scale: {factor: 2}, transpose, linear: {width: 2}, gelu, "
        "set_mean, layernorm], head: {hidden: [3], activation: elu}}",
    ),
}


def archive(path, data, method, wide, extra):
    with zipfile.ZipFile(path, "w") as out:
        if extra:
            out.writestr("theta.npy", ARRAYS["f8"], zipfile.ZIP_STORED)
            out.comment = b"comment"
        info = zipfile.ZipInfo("x.npy")
        info.compress_type = method
        with out.open(info, "w", force_zip64=wide) as member:
            member.write(data)


def main(directory):
    for kind in ("npy", "npz", "csv", "estimator"):
        os.makedirs(os.path.join(directory, kind), exist_ok=True)
    for name, data in ARRAYS.items():
        with open(os.path.join(directory, "npy", name), "wb") as out:
            out.write(data)
        for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            wide = name == "f2"
            path = os.path.join(directory, "npz", "%s_%d" % (name, method))
            archive(path, data, method, wide, name == "text")
    for name, text in TABLES.items():
        with open(os.path.join(directory, "csv", name), "wb") as out:
            out.write(text.encode())
    for name, (shape, task, network) in ESTIMATORS.items():
        with open(os.path.join(directory, "estimator", name), "wb") as out:
            out.write(bytes([shape]) + task.encode() + b"\0" + network.encode())


main(sys.argv[1])
