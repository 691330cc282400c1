"""Build the extension: the library by CMake, then one file of C against it.

BNRE_BUILD names the directory in which CMake builds the library; without it,
build/ beside the sources of bnre. The file is the same for Python 3.9 and all
later ones (the stable ABI)."""
import os
import re
import shutil
import subprocess
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from wheel.bdist_wheel import bdist_wheel

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent
BUILD = Path(os.environ.get("BNRE_BUILD") or SOURCE / "build")
VERSION = re.search(r"VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text().split("project(")[1])[1]


def pkg_config(*arguments):
    return subprocess.run(["pkg-config", *arguments], check=True, capture_output=True, text=True).stdout.split()


def hdf5():
    """HDF5 as the distribution calls it."""
    known = subprocess.run(["pkg-config", "--exists", "hdf5-serial"]).returncode == 0
    return "hdf5-serial" if known else "hdf5"


class Build(build_ext):
    """The library first; its supervisor of external programs comes along."""

    def run(self):
        if not (BUILD / "CMakeCache.txt").exists():
            subprocess.run(["cmake", "-S", str(SOURCE), "-B", str(BUILD), "-DCMAKE_BUILD_TYPE=RelWithDebInfo"], check=True)
        subprocess.run(["cmake", "--build", str(BUILD), "--target", "bnre_static", "bnre-supervise"], check=True)
        for extension in self.extensions:
            extension.extra_link_args += [str(BUILD / "libbnre.a"), *pkg_config("--libs", hdf5(), "yaml-0.1", "zlib", "jansson"),
                                          "-lpthread", "-lm", "-ldl"]
        super().run()
        place = Path(self.get_ext_fullpath("bnre._bnre")).parent
        place.mkdir(parents=True, exist_ok=True)
        shutil.copy2(BUILD / "bnre-supervise", place)


class Wheel(bdist_wheel):
    """One wheel for all versions of Python."""

    def finalize_options(self):
        super().finalize_options()
        self.py_limited_api = "cp39"


setup(
    version=VERSION,
    ext_modules=[
        Extension(
            "bnre._bnre",
            ["src/_bnre.c"],
            include_dirs=[str(SOURCE / "include")],
            define_macros=[("Py_LIMITED_API", "0x03090000")],
            extra_compile_args=["-std=c11"],
            extra_link_args=["-Wl,--gc-sections", "-s"],
            py_limited_api=True,
        )
    ],
    cmdclass={"build_ext": Build, "bdist_wheel": Wheel},
)
