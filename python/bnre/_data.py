"""Datasets: pairs of parameters and x, in files."""
from __future__ import annotations

import json
import math
import os
from typing import Any, Dict, List, Optional, Tuple, Union

from . import _bnre
from ._array import Array, Doubles, save_npy
from ._call import call
from ._errors import UsageError
from ._place import place
from ._task import Task, task_of


class Dataset:
    """A file of pairs of any format: .h5, .npz, .csv, ``theta.npy,x.npy``; ``bnre.Dataset("pairs.h5")`` opens one.

    >>> data = bnre.simulate("gaussian", 100)
    >>> data.theta.shape
    (100, 2)
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"], task: Optional[Task] = None) -> None:
        self.path = os.fspath(path)
        self.task = task  # kept alive, and for data that do not tell theirs
        self._handle = _bnre.dataset_open(self.path)
        self.info: Dict[str, Any] = json.loads(_bnre.dataset_json(self._handle))

    @classmethod
    def from_arrays(cls, theta: Any, x: Any, task: Any = None) -> "Dataset":
        """Pairs that were made elsewhere: theta (n, parameters), x (n, ...).

        >>> data = bnre.Dataset.from_arrays([[0.1], [0.2]], [[1.0, 2.0], [3.0, 4.0]], task={"rate": "uniform(0, 1)"})
        >>> len(data), data.shape
        (2, (2,))
        """
        a, b = Doubles(theta), Doubles(x)
        if not a.shape or not b.shape or a.shape[0] != b.shape[0]:
            raise UsageError(f"theta has shape {a.shape} and x {b.shape}: both need as many rows")
        shape = a.shape if len(a.shape) == 2 else (a.shape[0], 1)
        wide = b.shape if len(b.shape) > 1 else (b.shape[0], 1)
        stem = place("arrays", [id(a), shape, wide, os.urandom(8).hex()])
        save_npy(stem + "-theta.npy", a, shape)
        save_npy(stem + "-x.npy", b, wide)
        return cls(f"{stem}-theta.npy,{stem}-x.npy", task_of(task) if task is not None else None)

    def __len__(self) -> int:
        return int(self.info["rows"])

    @property
    def names(self) -> List[str]:
        """The parameters."""
        return list(self.info["parameters"])

    @property
    def shape(self) -> Tuple[int, ...]:
        """Of one x."""
        return tuple(self.info["shape"])

    def _read(self, first: int, n: int, theta: Optional[Array], x: Optional[Array], status: Optional[Array]) -> None:
        _bnre.dataset_read(self._handle, first, n, theta.address if theta else 0, x.address if x else 0, status.address if status else 0)

    def rows(self, first: int = 0, n: Optional[int] = None) -> Tuple[Any, Any]:
        """theta (n, parameters) and x (n, ...) of some rows; x of failed ones is NaN."""
        n = len(self) - first if n is None else n
        theta, x = Array((n, len(self.names))), Array((n, *self.shape))
        self._read(first, n, theta if math.prod(theta.shape) else None, x, None)
        return theta.finish(), x.finish()

    @property
    def theta(self) -> Any:
        out = Array((len(self), len(self.names)))
        self._read(0, len(self), out, None, None)
        return out.finish()

    @property
    def x(self) -> Any:
        out = Array((len(self), *self.shape))
        self._read(0, len(self), None, out, None)
        return out.finish()

    @property
    def failed(self) -> Any:
        """0 for each row that is well, else why it is not (bnre/plugin.h)."""
        out = Array((len(self),), "B")
        self._read(0, len(self), None, None, out)
        return out.finish()

    def save(self, path: Union[str, "os.PathLike[str]"], force: bool = False) -> "Dataset":
        """A copy in the format that the ending says.

        >>> copy = bnre.simulate("gaussian", 10).save("pairs.npz")
        >>> len(copy)
        10
        """
        call("convert", input=self.path, output=path, force=force)
        return Dataset(path, self.task)

    def __repr__(self) -> str:
        failed = f", {self.info['failed']} failed" if self.info.get("failed") else ""
        return f"bnre.Dataset({len(self)} rows{failed}, {', '.join(self.names)} -> {self.shape}, {self.path!r})"


def simulate(task: Any, count: int, *, seed: int = 1, output: Any = None, **settings: Any) -> Dataset:
    """Draw parameters from the prior and simulate; the same bytes as ``bnre simulate`` with this seed.

    Functions and programs run in worker processes (``workers=``). Ctrl-C stops with everything saved; the same call goes on.

    >>> data = bnre.simulate("gaussian", 1000, seed=2)
    >>> len(data)
    1000
    """
    task = task_of(task)
    settings = dict(settings, task=task.path, option=task.options or None, count=count, seed=seed)
    where = os.fspath(output) if output is not None else place("data", settings, ".h5")
    return Dataset(call("simulate", output=where, **settings)["output"], task)


def dataset_of(value: Any, task: Any = None) -> Dataset:
    if isinstance(value, Dataset):
        return value
    if isinstance(value, tuple) and len(value) == 2:
        return Dataset.from_arrays(value[0], value[1], task)
    return Dataset(value, task_of(task) if task is not None else None)
