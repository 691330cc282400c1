"""Cross-check of .npz archives with Python's own zipfile, for test_npz.c.

    check_npz.py check ARCHIVE   compare an archive with what the test wrote
    check_npz.py make ARCHIVE    write one for the test to read
"""
import ast
import io
import struct
import sys
import zipfile

THETA = [0.0, 1.5, -2.0, 1e300, 0.1, 5.0]


def parse(data):
    """Header and values of an array file of version 1.0."""
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:8]
    (length,) = struct.unpack("<H", data[8:10])
    assert (10 + length) % 64 == 0 and data[9 + length] == ord("\n")
    return ast.literal_eval(data[10 : 10 + length].decode()), data[10 + length :]


def check(path):
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["theta.npy", "x.npy", "how.npy"]
        for info in archive.infolist():
            assert info.date_time == (1980, 1, 1, 0, 0, 0), info
            assert info.compress_type == zipfile.ZIP_STORED, info
        header, values = parse(archive.read("theta.npy"))
        assert header == {"descr": "<f8", "fortran_order": False, "shape": (2, 3)}
        assert list(struct.unpack("<6d", values)) == THETA
        header, values = parse(archive.read("x.npy"))
        assert header == {"descr": "<f4", "fortran_order": False, "shape": (2, 2, 2)}
        assert struct.unpack("<8f", values) == (1, 2, 3, 4, 5, 6, 7, 8.5)
        header, values = parse(archive.read("how.npy"))
        assert header == {"descr": "|S23", "fortran_order": False, "shape": ()}
        assert values == b"seed: 1\ntask: gaussian\n"


def array(shape, values):
    header = repr({"descr": "<f8", "fortran_order": False, "shape": shape})
    text = header.encode() + b"\n"
    return (
        b"\x93NUMPY\x01\x00"
        + struct.pack("<H", len(text))
        + text
        + struct.pack("<%dd" % len(values), *values)
    )


class Pipe(io.RawIOBase):
    """Output that cannot be sought: sizes then follow the members."""

    def __init__(self, file):
        self.file = file

    def writable(self):
        return True

    def write(self, data):
        return self.file.write(data)


def make(path):
    theta = array((2, 3), THETA)
    with open(path, "wb") as file, zipfile.ZipFile(Pipe(file), "w") as archive:
        archive.writestr("streamed.npy", theta, zipfile.ZIP_DEFLATED)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("stored.npy", theta, zipfile.ZIP_STORED)
        archive.writestr("deflated.npy", theta, zipfile.ZIP_DEFLATED, 9)
        archive.writestr("bare", theta, zipfile.ZIP_DEFLATED)
        with archive.open("wide.npy", "w", force_zip64=True) as member:
            member.write(theta)
        large = array((375000,), [i % 1000 for i in range(375000)])
        archive.writestr("large.npy", large, zipfile.ZIP_DEFLATED)
        archive.writestr("bzip2.npy", theta, zipfile.ZIP_BZIP2)
        archive.comment = b"made by zipfile"


{"check": check, "make": make}[sys.argv[1]](sys.argv[2])
