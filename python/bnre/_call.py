"""Commands of the library: settings in, results out, a progress bar, Ctrl-C.

The work runs in a thread of its own, without the interpreter's lock; the caller's thread looks at it ten times a second. Ctrl-C asks it to
save and stop, and the same call goes on from there."""
from __future__ import annotations

import importlib
import json
import logging
import os
import sys
import threading
import time
import warnings
from typing import Any, Callable, Dict, List, Optional

from . import _bnre
from ._errors import DOUBT, Note, make

#: Whether long calls show a progress bar: True, False, or None where somebody is looking (a terminal, a notebook).
progress: Optional[bool] = None


class _Bar:
    """One line that says how far the work is."""

    def __init__(self, what: str) -> None:
        self.what, self.began, self.shown = what, time.monotonic(), 0
        self.in_notebook = progress is not False and _in_notebook()
        self.notebook: Optional[Callable[[str], None]] = None
        self.visible = progress if progress is not None else self.in_notebook or sys.stderr.isatty()
        self.patience = 0.0 if progress else 0.3  # short calls show nothing, unless asked to

    def show(self, done: int, total: int, state: str) -> None:
        if not self.visible or total == 0 or time.monotonic() - self.began < self.patience:
            return
        share = min(done / total, 1.0)
        spent = time.monotonic() - self.began
        left = f", {spent / share - spent:.0f} s left" if share > 0 else ""
        if self.in_notebook:
            self.notebook = self.notebook or _display()
            self.notebook(f"<progress value='{share:.4f}' max='1'></progress> {self.what} {share:.0%}{left} {_escape(state)}")
        else:
            line = f"{self.what} [{'#' * round(30 * share):30}] {share:4.0%}{left} {state}"[:100]
            sys.stderr.write("\r" + line.ljust(self.shown))
            sys.stderr.flush()
            self.shown = len(line)

    def end(self) -> None:
        if self.notebook is not None:
            self.notebook("")
        elif self.shown:
            sys.stderr.write("\r" + " " * self.shown + "\r")
            sys.stderr.flush()


def _escape(text: str) -> str:
    import html
    return html.escape(text)


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    return shell is not None and getattr(shell.get_ipython(), "kernel", None) is not None


def _display() -> Callable[[str], None]:
    """How to show a line in a notebook."""
    shown = importlib.import_module("IPython.display")
    handle = shown.display(shown.HTML(""), display_id=True)

    def show(text: str) -> None:
        handle.update(shown.HTML(text))

    return show


def watched(what: str, work: Callable[[Any], Any]) -> Any:
    """Do ``work(job)`` in a thread and watch it."""
    job = _bnre.job_new()
    outcome: Dict[str, Any] = {}

    def body() -> None:
        try:
            outcome["value"] = work(job)
        except BaseException as error:  # handed over to the caller's thread
            outcome["error"] = error

    thread = threading.Thread(target=body, name="bnre")
    bar = _Bar(what)
    stopped = False
    wait = 0.002
    try:
        thread.start()
        while thread.is_alive():
            try:
                thread.join(wait)
                wait = min(0.1, 2 * wait)
                done, total, state, notes = _bnre.job_look(job)
                _tell(notes)
                bar.show(done, total, "stopping ..." if stopped else state)
            except KeyboardInterrupt:
                stopped = True
                _bnre.job_stop(job)
    finally:  # a second Ctrl-C, a warning that is an error: nothing goes on behind the caller's back
        if thread.is_alive():
            _bnre.job_stop(job)
            thread.join()
    bar.end()
    _tell(_bnre.job_look(job)[3])
    if "error" in outcome:
        raise outcome["error"]
    if stopped:
        raise KeyboardInterrupt
    return outcome["value"]


def _tell(notes: Any) -> None:
    """Warnings are warnings; what else is told goes to the logger "bnre"."""
    for note in notes:
        if note.startswith("warning: "):
            warnings.warn(note[len("warning: "):], Note, stacklevel=6)
        else:
            logging.getLogger("bnre").info(note)


def plain(value: Any) -> Any:
    """A setting as YAML understands it: paths are texts, truth is yes or no, None is left out."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items() if part is not None}
    if isinstance(value, (int, float, str)):
        return value
    if hasattr(value, "path"):
        return os.fspath(value.path)
    return os.fspath(value) if hasattr(value, "__fspath__") else str(value)


def to_json(settings: Dict[str, Any]) -> str:
    return json.dumps(plain(settings))


def call(verb: str, doubt: bool = True, **settings: Any) -> Dict[str, Any]:
    """Do what ``bnre VERB`` does, with its options as settings; what came of it as a dictionary.

    Settings have the names of the options of the command line, with ``_``: ``bnre.options("train")`` lists them.

    >>> bnre.call("tasks")["tasks"][0]
    'gaussian'
    """
    status, message, text = watched(verb, lambda job: _bnre.call(verb, to_json(settings), job))
    result: Dict[str, Any] = json.loads(text)
    if status == DOUBT and doubt:
        error: Any = make(status, message)
        error.result = result
        raise error
    return result


def options(verb: str) -> List[Dict[str, Any]]:
    """The settings of a command: a list of dictionaries with name, type, preset, rule and help.

    >>> [one["help"] for one in bnre.options("train") if one["name"] == "members"]
    """
    told: List[Dict[str, Any]] = json.loads(_bnre.options(verb))
    return told
