"""The verbs of the most used toolkit for simulation-based inference, on this library.

>>> from bnre import sbi
>>> prior = sbi.BoxUniform([-2, -2], [2, 2])
>>> theta, x = sbi.simulate_for_sbi(lambda theta, rng: theta + 0.3 * rng.normal(size=2), prior, 500)
>>> inference = sbi.BNRE(prior)                              # also NRE, NPE, BNPE
>>> est = inference.append_simulations(theta, x).train(max_num_epochs=10)
>>> posterior = inference.build_posterior()
>>> x_o = [0.5, -0.5]
>>> posterior.sample((1000,), x=x_o).shape
(1000, 2)
>>> posterior.log_prob(theta, x=x_o).shape
(500,)
>>> posterior.map(x=x_o)

A prior is a dictionary of texts (docs/priors.md), a BoxUniform, or anything with ``sample((n,))``, of which draws are taken. Arrays may be
anything that is one; what comes back are NumPy arrays. What is about showing alone (``show_progress_bars``, ``show_train_summary``) is taken and
changes nothing: ``bnre.show_progress()`` says what is shown.

The penalty of BNRE is written differently there: with the same number it is twice as strong as ``bnre.train(lambda=)``. BNRE here takes their
number and converts it, so that ``regularization_strength=100`` means what it means there: ``lambda`` 200 here."""
from __future__ import annotations

import math
import warnings
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from ._array import Doubles, joined, rows_of
from ._data import Dataset
from ._estimator import Estimator, train as _train
from ._errors import Note, UsageError
from ._place import place
from ._posterior import Posterior
from ._task import Task


class BoxUniform:
    """Independent uniform priors.

    >>> prior = BoxUniform([0, 0], [1, 2])
    """

    def __init__(self, low: Any, high: Any) -> None:
        a, b = Doubles(low), Doubles(high)
        if math.prod(a.shape) != math.prod(b.shape):
            raise UsageError("low and high have other lengths")
        self.low, self.high = _list(a), _list(b)


def _list(values: Doubles) -> List[float]:
    import array
    import ctypes
    out = array.array("d")
    out.frombytes(ctypes.string_at(values.address, 8 * math.prod(values.shape)))
    return list(out)


def _names(n: int) -> List[str]:
    return [f"theta_{i}" for i in range(n)]


def _bounds(prior: Any) -> Optional[Tuple[List[float], List[float]]]:
    """Low and high ends of a uniform prior of ours or of others (torch.distributions)."""
    base = getattr(prior, "base_dist", prior)
    if "Uniform" in type(prior).__name__ + type(base).__name__ and hasattr(base, "low") and hasattr(base, "high"):
        return _list(Doubles(base.low)), _list(Doubles(base.high))
    return None


def _task(prior: Any, shape: Sequence[int]) -> Task:
    if isinstance(prior, Task):
        return prior
    if isinstance(prior, Mapping):
        return Task(prior, observable=shape)
    bounds = _bounds(prior)
    if bounds is not None:
        return Task({name: f"uniform({low!r}, {high!r})" for name, low, high in zip(_names(len(bounds[0])), *bounds)}, observable=shape)
    if hasattr(prior, "sample"):
        return _sampled(prior, shape)
    raise UsageError("a prior is a dictionary of texts, a BoxUniform, or something with sample((n,))")


def _sampled(prior: Any, shape: Sequence[int]) -> Task:
    """A prior known by 65,536 draws."""
    import os

    from ._task import _write

    draws = Doubles(prior.sample((65536,)))
    dim = math.prod(draws.shape) // 65536
    names, values = _names(dim), _list(draws)
    where = place("prior", os.urandom(8).hex(), ".csv")
    with open(where, "w", encoding="utf-8") as file:
        file.write(",".join(names) + "\n")
        for i in range(0, len(values), dim):
            file.write(",".join(map(repr, values[i:i + dim])) + "\n")
    return Task(_write({"parameters": {name: "samples" for name in names}, "prior_samples": {"file": where},
                        "observable": [int(n) for n in shape]}))


class DirectPosterior:
    """A posterior for any observation."""

    def __init__(self, estimator: Estimator) -> None:
        self.estimator = estimator
        self._x: Any = None
        self._of: Dict[bytes, Posterior] = {}

    def set_default_x(self, x: Any) -> "DirectPosterior":
        self._x = x
        return self

    def at(self, x: Any = None) -> Posterior:
        """The posterior of an observation, as bnre has it: regions, levels, summaries."""
        import ctypes

        x = self._x if x is None else x
        if x is None:
            raise UsageError("give an observation: x=..., or set_default_x()")
        values, _, _ = rows_of(x, math.prod(self.estimator.shape), "x")
        key = ctypes.string_at(values.address, 8 * math.prod(values.shape))
        if key not in self._of:
            self._of[key] = self.estimator.posterior(x)
        return self._of[key]

    def sample(self, sample_shape: Sequence[int] = (1,), x: Any = None, seed: Optional[int] = None,
               show_progress_bars: Optional[bool] = None) -> Any:
        """Draws, (*sample_shape, parameters)."""
        draws = self.at(x).sample(math.prod(sample_shape), seed)
        return draws.reshape(*sample_shape, -1) if len(sample_shape) != 1 and hasattr(draws, "reshape") else draws

    def log_prob(self, theta: Any, x: Any = None) -> Any:
        return self.at(x).log_prob(theta)

    def map(self, x: Any = None) -> Any:
        return self.at(x).mode

    def potential(self, theta: Any, x: Any = None) -> Any:
        return self.at(x).log_prob(theta)


class _Inference:
    method = "bnre"

    def __init__(self, prior: Any, *, device: str = "cpu", show_progress_bars: Optional[bool] = None) -> None:
        if str(device) != "cpu":
            raise UsageError(f"device is {device}: there is none but cpu")
        self.prior = prior
        self._theta: List[Any] = []
        self._x: List[Any] = []
        self.estimator: Optional[Estimator] = None

    def append_simulations(self, theta: Any, x: Any) -> "_Inference":
        """Pairs: theta (n, parameters), x (n, ...). Several calls add up."""
        self._theta.append(Doubles(theta))
        self._x.append(Doubles(x))
        return self

    def _data(self) -> Dataset:
        if not self._x:
            raise UsageError("there are no simulations: append_simulations(theta, x)")
        shape = list(self._x[0].shape[1:]) or [1]
        task = _task(self.prior, shape)
        return Dataset.from_arrays(joined(self._theta), joined(self._x), task)

    def train(self, *, training_batch_size: Optional[int] = None, learning_rate: Optional[float] = None,
              validation_fraction: Optional[float] = None, max_num_epochs: Optional[int] = None, stop_after_epochs: Optional[int] = None,
              seed: int = 1, show_train_summary: Optional[bool] = None, **settings: Any) -> Estimator:
        """Train; their names of settings, or those of ``bnre train``."""
        settings.setdefault("method", self.method)
        settings.update({key: value for key, value in {
            "batch_size": training_batch_size, "learning_rate": learning_rate, "epochs": max_num_epochs, "patience": stop_after_epochs,
            "validation": validation_fraction}.items() if value is not None})
        data = self._data()
        self.estimator = _train(data, task=data.task, seed=seed, **settings)
        return self.estimator

    def build_posterior(self, estimator: Optional[Estimator] = None) -> DirectPosterior:
        estimator = estimator or self.estimator
        if estimator is None:
            raise UsageError("train() comes first")
        return DirectPosterior(estimator)


class NRE(_Inference):
    """Ratio estimation."""

    method = "nre"


class BNRE(_Inference):
    """Balanced ratio estimation; ``regularization_strength`` as there, which is ``lambda`` / 2 here."""

    def train(self, *, regularization_strength: float = 100.0, **settings: Any) -> Estimator:
        if "lambda" not in settings:
            settings["lambda"] = 2 * regularization_strength
            warnings.warn(f"regularization_strength {regularization_strength:g} of the toolkit is lambda {settings['lambda']:g} here", Note, stacklevel=2)
        return super().train(**settings)


class NPE(_Inference):
    """Posterior estimation: a product of densities of one parameter each."""

    method = "npe"


class BNPE(_Inference):
    """The same, balanced."""

    method = "bnpe"


def run_sbc(theta: Any, x: Any, posterior: DirectPosterior, **settings: Any) -> Dict[str, Any]:
    """Ranks, coverage and a verdict on pairs that were not trained on: ``["verdict"]``, ``["diagnosis"]``."""
    return posterior.estimator.diagnose((theta, x), **settings)


def simulate_for_sbi(simulator: Any, proposal: Any, num_simulations: int, seed: int = 1) -> Tuple[Any, Any]:
    """Pairs of a function of one array and a prior, in worker processes."""
    from ._data import simulate

    if not isinstance(proposal, Mapping):
        bounds = _bounds(proposal)
        if bounds is None:
            raise UsageError("a proposal is a dictionary of texts or a BoxUniform")
        proposal = {name: f"uniform({low!r}, {high!r})" for name, low, high in zip(_names(len(bounds[0])), *bounds)}
    return simulate(Task(proposal, simulator=simulator), num_simulations, seed=seed).rows()
