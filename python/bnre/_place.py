"""Where results go that nobody gave a name: a directory of this process, removed when it ends."""
from __future__ import annotations

import atexit
import hashlib
import json
import os
import shutil
import tempfile
from typing import Any, Optional

from ._errors import FileError

_directory: Optional[str] = None


def _remove(path: str, owner: int) -> None:
    if os.getpid() == owner:  # not a fork of it
        shutil.rmtree(path, ignore_errors=True)


def directory() -> str:
    global _directory
    if _directory is None:
        _directory = tempfile.mkdtemp(prefix="bnre-")
        atexit.register(_remove, _directory, os.getpid())
    return _directory


def keep(source: str, path: str, force: bool) -> None:
    """A copy, whole or not at all. Another file that is there is replaced only with ``force``."""
    with open(source, "rb") as file:
        content = file.read()
    if os.path.lexists(path):
        if os.path.isfile(path):
            with open(path, "rb") as file:
                if file.read() == content:
                    return
        if not force:
            error = FileError(f"{path} is there already: use force=True to replace it, or another name")
            error.code = 6  # EEXIST
            raise error
    new = os.path.join(os.path.dirname(path), f".{os.path.basename(path)}.{os.urandom(8).hex()}.tmp")
    try:
        with open(new, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, path)
    except BaseException:
        if os.path.lexists(new):
            os.remove(new)
        raise


def place(kind: str, what: Any, ending: str = "") -> str:
    """The same name for the same settings: a call that was interrupted goes on."""
    digest = hashlib.sha256(json.dumps(what, sort_keys=True, default=str).encode()).hexdigest()[:16]
    return os.path.join(directory(), f"{kind}-{digest}{ending}")
