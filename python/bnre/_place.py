"""Where results go that nobody gave a name: a directory of this process, removed when it ends."""
from __future__ import annotations

import atexit
import hashlib
import json
import os
import shutil
import tempfile
from typing import Any, Optional

_directory: Optional[str] = None


def directory() -> str:
    global _directory
    if _directory is None:
        _directory = tempfile.mkdtemp(prefix="bnre-")
        atexit.register(shutil.rmtree, _directory, ignore_errors=True)
    return _directory


def place(kind: str, what: Any, ending: str = "") -> str:
    """The same name for the same settings: a call that was interrupted goes on."""
    digest = hashlib.sha256(json.dumps(what, sort_keys=True, default=str).encode()).hexdigest()[:16]
    return os.path.join(directory(), f"{kind}-{digest}{ending}")
