"""Posteriors of an observation."""
from __future__ import annotations

import html
import json
import math
import os
from typing import TYPE_CHECKING, Any, Dict, List, Optional

from . import _bnre
from ._array import Array, Doubles, add, content, rows_of, save_npy
from ._call import call, to_json, watched
from ._errors import UsageError
from ._place import place

if TYPE_CHECKING:
    from ._data import Dataset
    from ._estimator import Estimator


class Region:
    """The highest-density region of a level: ``theta in region``, ``region.contains(many)``."""

    def __init__(self, posterior: "Posterior", level: float) -> None:
        self._posterior, self.level = posterior, level
        self.threshold, self.prior_mass = _bnre.observed_region(posterior._handle, level)

    def contains(self, theta: Any) -> Any:
        """Whether parameters lie in it."""
        level = self._posterior.level(theta)
        return level <= self.level if not isinstance(level, Array) else [one <= self.level for one in level.tolist()]

    def __contains__(self, theta: Any) -> bool:
        return bool(self.contains(theta))

    def __repr__(self) -> str:
        return f"bnre.Region({self.level:.1%}, {self.prior_mass:.3g} of the prior)"


class Posterior:
    """What an estimator says of an observation. In a notebook it shows a table and a corner plot.

    >>> post = est.posterior([0.0, 0.3])
    >>> post
    """

    def __init__(self, estimator: "Estimator", x: Any, settings: Dict[str, Any]) -> None:
        self.estimator, self._settings = estimator, settings
        self._x, self._rows, _ = rows_of(x, math.prod(estimator.shape), "x")
        text = to_json(settings)
        self._handle = watched("posterior", lambda job: _bnre.observed_open(estimator._handle, self._rows, self._x.address, text, job))
        self.info: Dict[str, Any] = json.loads(_bnre.observed_json(self._handle))
        self.directory: Optional[str] = None  #: of bnre.infer(), with all of its files
        self.result: Optional[Dict[str, Any]] = None  #: what bnre.infer() tells of itself

    @property
    def names(self) -> List[str]:
        return self.estimator.names

    @property
    def doubt(self) -> str:
        """Why it must not be used as it is; "" if it may be."""
        return self.info.get("doubt") or ""

    @property
    def log_evidence(self) -> float:
        """log p(x) in units of the prior predictive: about 0 for a good estimator and one observation."""
        return float(self.info["evidence"]["log_z"])

    def sample(self, n: int = 1000, seed: Optional[int] = None) -> Any:
        """Draws, (n, parameters); the same seed gives the draws of ``bnre posterior --seed``.

        >>> post.sample(10).shape
        (10, 2)
        """
        out = Array((n, len(self.names)))
        _bnre.observed_sample(self._handle, self._settings.get("seed", 1) if seed is None else seed, n, out.address)
        return out.finish()

    def log_prob(self, theta: Any) -> Any:
        """The normalised log density of parameters, (n, parameters) or one; -inf outside the prior.

        >>> post.log_prob([[0.0, 0.3], [0.1, 0.2]]).shape
        (2,)
        """
        dim = len(self.names)
        t, n, single = rows_of(theta, dim, "theta")
        total, part = Array((n,)), Array((n,))
        model = self.estimator._handle
        _bnre.model_prior(model, n, t.address, total.address, 0, 0)
        size = 8 * math.prod(self.estimator.shape)
        for row in range(self._rows):
            _bnre.model_log_ratio(model, n, t.address, 1, self._x.address + row * size, part.address, 0)
            add(total, part)
        add(total, -self.log_evidence)
        if single:
            return total._data[0]
        return total.finish()

    def level(self, theta: Any) -> Any:
        """The level of the smallest highest-density region that has theta: between 0 (the mode) and 1.

        >>> post.level(post.mode) < post.level([2.0, -2.0])
        True
        """
        t, n, single = rows_of(theta, len(self.names), "theta")
        out = Array(() if single else (n,))
        _bnre.observed_level(self._handle, n, t.address, out.address)
        return out.finish()

    def region(self, level: float = 0.95) -> Region:
        """The highest-density region of a level.

        >>> post.mode in post.region(0.95)
        True
        """
        return Region(self, level)

    @property
    def mode(self) -> List[float]:
        """The densest point."""
        return [one["mode"] for one in self.info["parameters"]]

    map = mode

    def summary(self) -> Dict[str, Dict[str, Any]]:
        """For each parameter mean, sd, median, central_68, central_95 and mode.

        >>> sorted(post.summary()["theta_0"])
        ['central_68', 'central_95', 'mean', 'median', 'mode', 'sd']
        """
        return {one["name"]: {key: value for key, value in one.items() if key != "name"} for one in self.info["parameters"]}

    def predict(self, n: int = 100, *, task: Any = None, seed: int = 1, output: Any = None, **settings: Any) -> "Dataset":
        """Simulations from the first n draws: what the model would observe if it is right, beside what was observed.

        ``task`` has the simulator; the one of the training data, if these were simulated here. ``save(write="nc", predictive=...)``
        writes them beside the draws.

        >>> checks = post.predict(200); checks.x.mean(axis=0)
        """
        from ._data import simulate

        task = task if task is not None else self.estimator.task
        if task is None:
            raise UsageError("what simulates? Give it as task=...")
        every = self.sample(self._settings.get("samples", 10000))
        draws = Doubles(every[:n])
        where = place("draws", [draws.shape, content(draws)], ".npy")
        save_npy(where, draws)
        return simulate(task, min(n, len(every)), seed=seed, output=output, theta_file=where, split="test", **settings)

    def save(self, directory: Any = None, **settings: Any) -> Dict[str, Any]:
        """Its files, as ``bnre posterior`` writes them: posterior.json, samples, a corner plot; ``write="nc,getdist,stan"`` for more,
        with ``predictive=post.predict()`` also what was simulated from them.

        ``["output"]`` is the directory.

        >>> post.save("result", write="nc,getdist", format="svg")["output"]
        'result'
        """
        told = dict(self._settings, **settings)
        where = os.fspath(directory) if directory is not None else place("posterior", [self.estimator.path, told, content(self._x)])
        observation = place("observation", [self._x.shape, content(self._x)], ".npy")
        save_npy(observation, self._x, (self._rows, *self.estimator.shape) if self._rows > 1 else self.estimator.shape)
        return call("posterior", doubt=False, estimator=self.estimator.path, observation=[observation], output=where, **told)

    @property
    def _trust(self) -> str:
        """How far the estimator was tested, where that is about posteriors like this one."""
        certificate = self.estimator.certificate
        same = self._rows == 1 and not any(self._settings.get(key) for key in ("temper", "widen"))
        return str(certificate["words"]) if certificate is not None and same else ""

    def __repr__(self) -> str:
        width = max(len(name) for name in self.names)
        lines = [f"{'':{width}}       mean         sd     2.5 %    97.5 %"]
        for name, one in self.summary().items():
            low, high = one["central_95"]
            lines.append(f"{name:{width}} {one['mean']:10.4g} {one['sd']:10.3g} {low:9.4g} {high:9.4g}")
        lines += [self._trust.split(":")[0]] if self._trust else []
        return "\n".join(lines + ([f"not to be used: {self.doubt}"] if self.doubt else []))

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{html.escape(name)}</th><td>{one['mean']:.4g}</td><td>{one['sd']:.3g}</td><td>{one['median']:.4g}</td>"
            f"<td>{one['central_95'][0]:.4g} .. {one['central_95'][1]:.4g}</td></tr>" for name, one in self.summary().items())
        table = f"<table><tr><th></th><th>mean</th><th>sd</th><th>median</th><th>central 95 %</th></tr>{rows}</table>"
        doubt = f"<p><b>Not to be used: {html.escape(self.doubt)}</b></p>" if self.doubt else ""
        try:
            import base64
            with open(os.path.join(self.save(format="svg")["output"], "corner.svg"), "rb") as file:
                picture = f"<img src='data:image/svg+xml;base64,{base64.b64encode(file.read()).decode()}' style='max-width: 640px'>"
        except (OSError, ValueError):
            picture = ""  # no gnuplot
        trust = f"<p>{html.escape(self._trust)}</p>" if self._trust else ""
        return doubt + table + trust + picture
