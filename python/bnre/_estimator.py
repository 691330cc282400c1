"""Estimators: what training leaves, and what they say."""
from __future__ import annotations

import json
import math
import os
from typing import Any, Dict, List, Optional, Tuple, Union

from . import _bnre
from ._array import Array, rows_of
from ._call import call
from ._data import Dataset, dataset_of
from ._place import keep, place
from ._posterior import Posterior
from ._task import Task, task_of


class Estimator:
    """A trained estimator: ``bnre.train()`` makes one, ``bnre.Estimator("est.h5")`` opens one.

    >>> est = bnre.train(bnre.simulate("gaussian", 2048))
    >>> est.log_ratio([0.1, 0.2], [0.0, 0.3])          # log p(x|theta) - log p(x)
    >>> est.posterior([0.0, 0.3]).sample(1000)
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"], threads: int = 0) -> None:
        self.path = os.fspath(path)
        self._handle = _bnre.model_open(self.path, threads)
        self.info: Dict[str, Any] = json.loads(_bnre.model_json(self._handle, "text"))
        self.task: Optional[Task] = None  #: what simulated its data, if that is known here

    @property
    def names(self) -> List[str]:
        """The parameters."""
        return [one["name"] for one in self.info["parameters"]]

    @property
    def shape(self) -> Tuple[int, ...]:
        """Of x."""
        return tuple(self.info["shape"])

    @property
    def certificate(self) -> Optional[Dict[str, Any]]:
        """What was certified, on which pairs; None if nothing was (``bnre.train(data, trust="auto")``)."""
        told: Optional[Dict[str, Any]] = json.loads(_bnre.model_json(self._handle, "certificate"))
        return told

    @property
    def history(self) -> List[Dict[str, Any]]:
        """The training of each member: seed, best, last, and columns with a number for each epoch."""
        told: List[Dict[str, Any]] = json.loads(_bnre.model_json(self._handle, "history"))
        return told

    def log_ratio(self, theta: Any, x: Any, gradient: bool = False) -> Any:
        """log p(x|theta) - log p(x) of pairs, or of one x and many theta; with ``gradient`` also its gradient by theta.

        theta is (parameters) or (n, parameters), x is one x or (n, ...). Outside the prior it is -inf.
        """
        dim = len(self.names)
        t, n, single = rows_of(theta, dim, "theta")
        xs, rows, _ = rows_of(x, math.prod(self.shape), "x")
        if rows != 1 and n == 1:
            raise ValueError("one theta and many x: repeat theta")
        out = Array(() if single and rows == 1 else (n,))
        slope = Array((dim,) if single and rows == 1 else (n, dim)) if gradient else None
        _bnre.model_log_ratio(self._handle, n, t.address, rows, xs.address, out.address, slope.address if slope else 0)
        if slope is not None:
            return out.finish(), slope.finish()
        return out.finish()

    def log_prior(self, theta: Any) -> Any:
        """log p(theta); NaN where the prior is known by draws only.

        >>> est.log_prior([[0.1, 0.2], [0.0, 0.0]]).shape
        (2,)
        """
        t, n, single = rows_of(theta, len(self.names), "theta")
        out = Array(() if single else (n,))
        _bnre.model_prior(self._handle, n, t.address, out.address, 0, 0)
        return out.finish()

    def sample_prior(self, n: int, seed: int = 1) -> Any:
        """Draws of the prior, (n, parameters).

        >>> est.sample_prior(5).shape
        (5, 2)
        """
        out = Array((n, len(self.names)))
        _bnre.model_prior(self._handle, n, out.address, 0, seed, 0)
        return out.finish()

    def posterior(self, x: Any, *, seed: int = 1, **settings: Any) -> Posterior:
        """The posterior of an observation; several rows are independent observations of the same parameters.

        Settings are those of ``bnre posterior`` that say how it is computed: sampler, grid, samples, bank, steps.

        >>> post = est.posterior([0.0, 0.3], seed=2)
        """
        return Posterior(self, x, dict(settings, seed=seed))

    def diagnose(self, data: Any, **settings: Any) -> Dict[str, Any]:
        """Whether its posteriors hold what they promise, on pairs that it has not seen: ``["verdict"]``, ``["diagnosis"]``.

        Settings are those of ``bnre diagnose``; ``check=True`` raises bnre.Doubt where the verdict is bad.

        >>> est.diagnose(bnre.simulate("gaussian", 512, seed=9))["verdict"]
        """
        return call("diagnose", estimator=self.path, data=dataset_of(data).path, **settings)

    def export(self, path: Union[str, "os.PathLike[str]"], **settings: Any) -> str:
        """The log ratio as C (.c) or ONNX (.onnx), for other programs.

        >>> est.export("ratio.onnx")
        'ratio.onnx'
        """
        return str(call("export", estimator=self.path, output=path, **settings)["output"])

    def save(self, path: Union[str, "os.PathLike[str]"], force: bool = False) -> "Estimator":
        """A copy of its file. What is there already is replaced only with ``force``.

        >>> copy = est.save("est.h5")
        """
        keep(self.path, os.fspath(path), force)
        copy = Estimator(path)
        copy.task = self.task
        return copy

    def __repr__(self) -> str:
        certificate = self.certificate
        trust = "no certificate" if certificate is None else certificate["words"].split(":")[0]
        return f"bnre.Estimator({self.info['method']}, {self.info['members']} members, {', '.join(self.names)}, {trust}, {self.path!r})"


def _needs_task(data: Dataset, settings: Dict[str, Any]) -> bool:
    """Data that do not tell their task, and settings that simulate more of it: nothing that a file names is run unless it is given."""
    return data.info.get("task") in (None, "") or any(settings.get(key) for key in ("trust", "calibrate", "certify"))


def train(data: Any, *, task: Any = None, seed: int = 1, output: Any = None, **settings: Any) -> Estimator:
    """Train an estimator: the same bytes as ``bnre train`` with this seed and these settings.

    ``data`` is a Dataset, a file, or (theta, x) with a ``task`` that has the priors. Settings are the options of ``bnre train``: method,
    members, trust="auto", ... Ctrl-C stops with everything saved; the same call goes on.

    >>> est = bnre.train(bnre.simulate("gaussian", 2048), method="bnre", members=1)
    """
    data = dataset_of(data, task)
    told = task_of(task) if task is not None else data.task if _needs_task(data, settings) else None
    settings = dict(settings, data=data.path, seed=seed, task=told.path if told is not None else None)
    where = os.fspath(output) if output is not None else place("estimator", settings, ".h5")
    call("train", output=where, **settings)
    estimator = Estimator(where)
    estimator.task = told if told is not None else data.task
    return estimator
