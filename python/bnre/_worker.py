"""A worker: reads ``seed value ...``, calls the function, answers a line of numbers. Usage: python -m bnre._worker FILE NAME ...

What a function prints goes to stderr, an exception is a failed simulation with its text, and all usual random numbers are seeded."""
from __future__ import annotations

import inspect
import random
import sys
from typing import Any, Callable, Dict, List, Mapping, Sequence


def caller(function: Callable[..., Any], names: Sequence[str]) -> Callable[[int, List[float]], Any]:
    """How a function wants its parameters: by their names, or as one array; ``rng`` and ``seed`` where it asks for them."""
    wanted: Mapping[str, inspect.Parameter] = {}
    try:
        wanted = inspect.signature(function).parameters
    except (TypeError, ValueError):
        pass  # a function that does not tell
    every = any(p.kind == p.VAR_KEYWORD for p in wanted.values())
    by_name = every or (bool(names) and all(name in wanted for name in names))

    def run(seed: int, values: List[float]) -> Any:
        extra: Dict[str, Any] = {}
        if "seed" in wanted and "seed" not in names:
            extra["seed"] = seed
        if "rng" in wanted and "rng" not in names:
            extra["rng"] = _generator(seed)
        if by_name:
            return function(**dict(zip(names, values)), **extra)
        return function(_array(values), **extra)

    return run


def _generator(seed: int) -> Any:
    try:
        import numpy
        return numpy.random.default_rng(seed)
    except ImportError:
        return random.Random(seed)


def _array(values: List[float]) -> Any:
    try:
        import numpy
        return numpy.array(values)
    except ImportError:
        return values


def _seed(seed: int) -> None:
    random.seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed)
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.manual_seed(seed)


def numbers(value: Any) -> List[float]:
    """x as a flat list."""
    if hasattr(value, "detach"):
        value = value.detach()
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [number for part in value for number in numbers(part)]
    return [float(value)]


def shape(value: Any) -> List[int]:
    """The shape of x; a number is [1]."""
    if hasattr(value, "shape"):
        return [int(n) for n in value.shape] or [1]
    out = []
    while isinstance(value, (list, tuple)):
        out.append(len(value))
        value = value[0] if value else 0.0
    return out or [1]


def main() -> None:
    from ._pack import load

    answers, sys.stdout = sys.stdout, sys.stderr
    with open(sys.argv[1], "rb") as file:
        run = caller(load(file.read()), sys.argv[2:])
    for line in sys.stdin:
        seed, *values = line.split()
        _seed(int(seed))
        try:
            text = " ".join(repr(v) for v in numbers(run(int(seed), [float(v) for v in values])))
        except Exception as error:
            text = "error " + " ".join(f"{type(error).__name__}: {error}".split())[:300]
        answers.write(text + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
