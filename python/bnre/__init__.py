"""Simulation-based inference one can trust.

>>> import bnre
>>> def wait(rate, rng):                                     # a simulator: from parameters to x
...     return rng.exponential(1 / rate, size=3)
>>> task = bnre.Task({"rate": "uniform(0.1, 10)"}, simulator=wait)
>>> data = bnre.simulate(task, 1024, seed=1)
>>> est = bnre.train(data)
>>> post = est.posterior([0.2, 0.1, 0.4])
>>> post.sample(1000); post.region(0.95); post              # a table; in a notebook also a corner plot

Everything is what the program ``bnre`` does, with the same names of settings and, for the same seed, the same bytes."""
from __future__ import annotations

import os
from typing import Any, Dict, Optional

from . import _bnre, _call
from ._array import Array
from ._call import call, options
from ._data import Dataset, simulate
from ._errors import Doubt, Error, FileError, FormatError, Note, NumberError, SimulatorError, UsageError
from ._estimator import Estimator, train
from ._posterior import Posterior, Region
from ._task import Task

__version__ = _bnre.version()
__all__ = ["Array", "Dataset", "Doubt", "Error", "Estimator", "FileError", "FormatError", "Note", "NumberError", "Posterior", "Region",
           "SimulatorError", "Task", "UsageError", "call", "diagnose", "infer", "info", "options", "run", "show_progress", "simulate", "train"]


def show_progress(how: Optional[bool] = None) -> None:
    """Whether long calls show a progress bar: True, False, or None for where somebody is looking (a terminal, a notebook).

    >>> bnre.show_progress(False)
    """
    _call.progress = how


def infer(task: Any, x: Any, simulations: int, *, seed: int = 1, output: Any = None, **settings: Any) -> Posterior:
    """From a simulator and an observation to a posterior, in rounds, as ``bnre infer``.

    The estimator of the last round is ``.estimator``, all files are in ``.directory``.

    >>> post = bnre.infer("gaussian", [0.2, 0.4], simulations=1000)
    >>> post.estimator.names
    ['theta_0', 'theta_1']
    """
    from ._array import Doubles, content, save_npy
    from ._place import place
    from ._task import task_of

    task = task_of(task)
    values = Doubles(x)
    told = dict(settings, task=task.path, option=task.options or None, simulations=simulations, seed=seed)
    where = os.fspath(output) if output is not None else place("infer", [told, values.shape, content(values)])
    observation = place("observation", [values.shape, content(values)], ".npy")
    save_npy(observation, values)
    result = call("infer", observation=[observation], output=where, doubt=False, **told)
    estimator = Estimator(os.path.join(where, "estimator.h5"))
    estimator.task = task
    post = estimator.posterior(x, seed=seed)
    post.directory, post.result = where, result
    return post


def diagnose(estimator: Any, data: Any, **settings: Any) -> Dict[str, Any]:
    """Whether posteriors hold what they promise, on pairs that the estimator has not seen; see Estimator.diagnose().

    >>> bnre.diagnose(est, bnre.simulate("gaussian", 512, seed=9))["verdict"] in ("CALIBRATED", "CONSERVATIVE", "OVERCONFIDENT")
    True
    """
    return (estimator if isinstance(estimator, Estimator) else Estimator(estimator)).diagnose(data, **settings)


def run(study: Any, **settings: Any) -> Dict[str, Any]:
    """A study: every cell of it, and the page; ``output`` is its directory, ``set=["key=value"]`` replaces keys.

    >>> with open("study.yaml", "w") as file:
    ...     _ = file.write("task: gaussian\\nsimulations: 512")
    >>> bnre.run("study.yaml", output="study", set=["epochs=3"])["output"]
    'study'
    """
    return call("run", study=study, **settings)


def info(file: Any) -> Dict[str, Any]:
    """What a file is: a dataset, an estimator, a posterior, a task, a study.

    >>> bnre.info(data.path)["dataset"]["rows"]
    100
    """
    return call("info", file=file)
