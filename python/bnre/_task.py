"""Tasks: what is inferred, and what makes x from it."""
from __future__ import annotations

import hashlib
import json
import os
import random
import sys
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

from . import _worker
from ._call import call, to_json
from ._errors import UsageError
from ._pack import dump
from ._place import directory, place

Simulator = Union[Callable[..., Any], str, Sequence[str], Mapping[str, Any], None]


class Task:
    """Parameters with their priors, and a simulator.

    ``Task("slcp")`` is a built-in task, ``Task("study.yaml")`` one that a file describes. Otherwise the parameters are a dictionary of
    priors as text (docs/priors.md), and the simulator is a function, a command (a list of words, docs/simulators.md), or a plugin (the
    path of a .so file); without one the task is for data made elsewhere.

    A function gets the parameters by their names if its own are called so, else as one array; an argument ``rng`` gets a generator
    of random numbers, ``seed`` a whole number. It runs in worker processes: what it raises is a failed simulation, which is recorded with
    its text. The shape of x is found by calling it once, unless ``observable`` tells it.

    >>> def wait(rate, rng):
    ...     return rng.exponential(1 / rate, size=3)
    >>> task = Task({"rate": "uniform(0.1, 10)"}, simulator=wait)
    >>> task.names
    ['rate']
    """

    def __init__(self, parameters: Union[str, "os.PathLike[str]", Mapping[str, str]], simulator: Simulator = None, *,
                 observable: Optional[Sequence[int]] = None, constraint: Union[str, Sequence[str], None] = None,
                 nuisance: Optional[Mapping[str, str]] = None, transform: Optional[Mapping[str, str]] = None,
                 options: Optional[Mapping[str, Any]] = None, timeout: Optional[float] = None, name: Optional[str] = None) -> None:
        self.function: Optional[Callable[..., Any]] = None
        self.options = [f"{key}={value}" for key, value in (options or {}).items()]
        if not isinstance(parameters, Mapping):
            if simulator is not None:
                raise UsageError("a simulator goes with a dictionary of parameters; a name or a file describes its own")
            self.path = os.fspath(parameters)
            return
        text: Dict[str, Any] = {"parameters": dict(parameters)}
        if name is not None:
            text["name"] = name
        if nuisance:
            text["nuisance"] = dict(nuisance)
        if constraint:
            text["constraint"] = [constraint] if isinstance(constraint, str) else list(constraint)
        if transform:
            text["transform"] = dict(transform)
        if observable is not None:
            text["observable"] = [int(n) for n in observable]
        inputs = list(parameters) + list(nuisance or {})
        if callable(simulator):
            self.function = simulator
            text["simulator"] = {"command": self._command(simulator, inputs)}
        elif isinstance(simulator, Mapping):
            text["simulator"] = dict(simulator)
        elif isinstance(simulator, str):
            text["simulator"] = {"plugin": os.path.abspath(simulator)}
        elif simulator is not None:
            text["simulator"] = {"command": [str(word) for word in simulator]}
        if timeout is not None:
            text.setdefault("simulator", {})["timeout"] = timeout
        if callable(simulator) and observable is None:
            text["observable"] = self._probe(simulator, text, inputs)
        self.path = _write(text)

    @staticmethod
    def _command(function: Callable[..., Any], names: List[str]) -> List[str]:
        data = dump(function)
        path = os.path.join(directory(), f"simulator-{hashlib.sha256(data).hexdigest()[:16]}.bin")
        with open(path, "wb") as file:
            file.write(data)
        return [sys.executable, "-m", "bnre._worker", path, *names]

    @staticmethod
    def _probe(function: Callable[..., Any], text: Dict[str, Any], names: List[str]) -> List[int]:
        """Call the function on a draw of the prior."""
        guess = dict(text, observable=[1])
        where = place("probe", guess, ".csv")
        call("simulate", task=_write(guess), count=1, theta_only=True, output=where, force=True)
        with open(where, encoding="utf-8") as file:
            head, values = [line.strip().split(",") for line in file][:2]
        drawn = {key.split(".")[-1]: float(value) for key, value in zip(head, values)}
        theta = [drawn[name] for name in names]
        state = random.getstate()
        try:
            x = _worker.caller(function, names)(1, theta)
        except Exception as error:
            raise UsageError(f"the simulator failed when it was called to find the shape of x, with {dict(zip(names, theta))}: "
                             f"{type(error).__name__}: {error}. If that is an outcome of the model, give the shape as "
                             "observable=[...]") from error
        finally:
            random.setstate(state)
        return _worker.shape(x)

    @property
    def info(self) -> Dict[str, Any]:
        """What it is: name, parameters, nuisance, shape, ..."""
        return call("tasks", task=self.path)

    @property
    def names(self) -> List[str]:
        """The parameters."""
        return [one["name"] for one in self.info["parameters"]]

    def __repr__(self) -> str:
        return f"bnre.Task({self.path!r})"


def _write(text: Dict[str, Any]) -> str:
    where = place("task", text, ".yaml")
    with open(where, "w", encoding="utf-8") as file:
        file.write(to_json(text))
    return where


def task_of(value: Any) -> Task:
    return value if isinstance(value, Task) else Task(value)
