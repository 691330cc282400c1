"""Arrays of doubles without NumPy, and with it.

What goes in may be anything that is an array: ``__array_interface__``, ``__array__`` (PyTorch, JAX, pandas), ``__dlpack__`` (with NumPy), a
buffer, nested lists. Doubles that lie in order are used where they are, others are copied. What comes out is a NumPy array where there is NumPy, else an Array."""
from __future__ import annotations

import array
import math
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple

try:
    import numpy
except ImportError:  # nothing here needs it
    numpy = None  # type: ignore[assignment]


class Array:
    """Numbers in a shape, readable by everything that knows ``__array_interface__``.

    >>> a = Array((2, 2)); a.tolist()
    [[0.0, 0.0], [0.0, 0.0]]
    """

    def __init__(self, shape: Sequence[int], code: str = "d") -> None:
        self.shape = tuple(int(n) for n in shape)
        self._data = array.array(code, bytes(array.array(code).itemsize * math.prod(self.shape)))

    @property
    def address(self) -> int:
        return self._data.buffer_info()[0]

    @property
    def __array_interface__(self) -> Dict[str, Any]:
        kind = {"d": "<f8", "B": "|u1"}[self._data.typecode]
        return {"version": 3, "shape": self.shape, "typestr": kind, "data": (self.address, False)}

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, index: Any) -> Any:
        return self.tolist()[index]

    def tolist(self) -> Any:
        out: Any = list(self._data)
        for n in reversed(self.shape[1:]):
            out = [out[i:i + n] for i in range(0, len(out), n)]
        return out if self.shape else out[0]

    def __repr__(self) -> str:
        return f"Array{self.shape}"

    def finish(self) -> Any:
        """The same as others like it."""
        if numpy is None:
            return self if self.shape else self._data[0]
        out = numpy.asarray(self)
        return out if self.shape else out[()]


def add(total: Array, value: Any) -> None:
    """total += value."""
    if numpy is not None:
        sum_ = numpy.asarray(total)
        sum_ += numpy.asarray(value)
        return
    for i in range(len(total._data)):
        total._data[i] += value._data[i] if isinstance(value, Array) else value


class Doubles:
    """An argument as doubles in row-major order: ``address``, ``shape``; it keeps them alive."""

    def __init__(self, value: Any) -> None:
        self.keep: Any = None
        self.address: int
        self.shape: Tuple[int, ...]
        if isinstance(value, Doubles):
            self.keep, self.address, self.shape = value.keep, value.address, value.shape
            return
        try:
            if not self._borrow(value) and not self._convert(value):
                self._flatten(value)
        except (TypeError, ValueError, BufferError) as error:
            from ._errors import UsageError
            raise UsageError(f"this is no array of numbers ({type(value).__name__}): {error}") from error

    def _borrow(self, value: Any) -> bool:
        told = getattr(value, "__array_interface__", None)
        if told is None or told["typestr"] not in ("<f8", "=f8") or told.get("data") is None or told.get("mask") is not None:
            return False
        shape = tuple(told["shape"])
        if told.get("strides") not in (None, _in_order(shape)):
            return False
        self.keep, self.address, self.shape = value, told["data"][0], shape
        return True

    def _convert(self, value: Any) -> bool:
        if numpy is None:
            return False
        if hasattr(value, "detach"):  # a tensor with a gradient has no __array__, nor have short floats
            value = value.detach().cpu().double()
        if not any(hasattr(value, known) for known in ("__array_interface__", "__array__")) and hasattr(value, "__dlpack__"):
            value = numpy.from_dlpack(value)
        return self._borrow(numpy.ascontiguousarray(value, dtype="<f8"))

    def _flatten(self, value: Any) -> None:
        value = _nested(value)
        shape: List[int] = []
        probe = value
        while isinstance(probe, (list, tuple)):
            shape.append(len(probe))
            probe = probe[0] if probe else 0.0
        self.shape = tuple(shape)
        self.keep = array.array("d", _numbers(value))
        if len(self.keep) != math.prod(self.shape):
            raise ValueError("its rows are of different lengths")
        self.address = self.keep.buffer_info()[0]


def joined(parts: Sequence[Doubles]) -> Doubles:
    """Rows of several arrays, one after the other."""
    import ctypes

    rows = [part.shape[1:] for part in parts]
    if any(row != rows[0] for row in rows) or not all(part.shape for part in parts):
        from ._errors import UsageError
        raise UsageError(f"rows of other shapes: {', '.join(map(str, rows))}")
    out = Array((sum(part.shape[0] for part in parts), *rows[0]))
    at = out.address
    for part in parts:
        size = 8 * math.prod(part.shape)
        ctypes.memmove(at, part.address, size)
        at += size
    return Doubles(out)


def _in_order(shape: Sequence[int], size: int = 8) -> Tuple[int, ...]:
    """Strides of an array in row-major order."""
    out: List[int] = []
    for n in reversed(shape):
        out.insert(0, size)
        size *= n
    return tuple(out)


def _nested(value: Any) -> Any:
    """Any array as lists, without NumPy."""
    if hasattr(value, "tolist"):
        return value.tolist()
    told = getattr(value, "__array_interface__", None)
    if told is not None and told.get("data") is not None:
        return _interface(told)
    try:
        return memoryview(value).tolist()
    except TypeError:
        return value


def _interface(told: Dict[str, Any]) -> Any:
    """What ``__array_interface__`` tells, number by number."""
    import ctypes
    import struct

    order, kind, size = told["typestr"][0], told["typestr"][1], int(told["typestr"][2:])
    letter = {"f": {2: "e", 4: "f", 8: "d"}, "i": {1: "b", 2: "h", 4: "i", 8: "q"}, "u": {1: "B", 2: "H", 4: "I", 8: "Q"},
              "b": {1: "?"}}.get(kind, {}).get(size)
    if letter is None:
        raise ValueError(f"its numbers are of the kind {told['typestr']}")
    form = (">" if order == ">" else "<") + letter
    shape = tuple(told["shape"])
    strides = told.get("strides") or _in_order(shape, size)

    def part(at: int, axis: int) -> Any:
        if axis == len(shape):
            return struct.unpack(form, ctypes.string_at(at, size))[0]
        return [part(at + i * strides[axis], axis + 1) for i in range(shape[axis])]

    return part(told["data"][0], 0)


def _numbers(value: Any) -> Iterable[float]:
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from _numbers(part)
    else:
        yield float(value)


def rows_of(value: Any, size: int, what: str) -> Tuple[Doubles, int, bool]:
    """An argument as rows of ``size`` numbers: the doubles, how many rows, and whether it was a single one."""
    doubles = Doubles(value)
    count = math.prod(doubles.shape)
    if size == 0 or count % size != 0 or count == 0:
        from ._errors import UsageError
        raise UsageError(f"{what} has shape {doubles.shape}: expected {size} number{'s' if size != 1 else ''}, or rows of that many")
    single = len(doubles.shape) < 2 and count == size and not (size == 1 and len(doubles.shape) == 1)
    return doubles, count // size, single


def content(values: Doubles) -> str:
    """Its numbers, to tell arrays apart."""
    import ctypes
    import hashlib

    return hashlib.sha256(ctypes.string_at(values.address, 8 * math.prod(values.shape))).hexdigest()


def save_npy(path: str, values: Doubles, shape: Optional[Sequence[int]] = None) -> None:
    """A .npy file of version 1.0."""
    import ctypes

    shape = tuple(values.shape if shape is None else shape)
    text = repr({"descr": "<f8", "fortran_order": False, "shape": tuple(int(n) for n in shape)})
    head = text + " " * (-(len(text) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode())
        file.write(ctypes.string_at(values.address, 8 * math.prod(shape)))
