"""What goes wrong, with the words of the library."""
from __future__ import annotations

from typing import Any, Dict

from . import _bnre


class Error(Exception):
    """Something failed. The message says what, and what to do; ``code`` is the number in bnre/status.h."""

    code: int = 0


class UsageError(Error, ValueError):
    """A setting or an argument is wrong."""


class FormatError(Error, ValueError):
    """A file is not what it should be."""


class FileError(Error, OSError):
    """A file cannot be read or written, or is there already."""


class NumberError(Error, ArithmeticError):
    """A value is not finite."""


class SimulatorError(Error, RuntimeError):
    """The simulator failed."""


class Doubt(Error):
    """The work is done and its files are there, but the result must not be used as it is; ``result`` has its numbers."""

    result: Dict[str, Any] = {}


class Note(UserWarning):
    """What the library wants people to see: ``warnings.simplefilter("ignore", bnre.Note)`` hides it."""


# By the codes of bnre/status.h.
_KINDS = {1: UsageError, 2: MemoryError, 3: FileError, 4: FormatError, 5: NumberError, 6: FileError,
          7: KeyboardInterrupt, 8: SimulatorError, 9: UsageError, 10: Doubt}
DOUBT = 10


def make(code: int, message: str) -> BaseException:
    """The exception of a status."""
    error = _KINDS.get(code, Error)(message)
    if isinstance(error, Error):
        error.code = code
    return error


_bnre.set_errors(make)
