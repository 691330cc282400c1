"""Functions on their way into worker processes.

A function of a module that can be imported goes by its name. One of a script or notebook goes by its code, with what it uses of its
surroundings: modules by name, functions likewise, values by pickle."""
from __future__ import annotations

import builtins
import importlib
import marshal
import os
import pickle
import sys
import types
from typing import Any, Dict, List, Set


def _names(code: types.CodeType) -> Set[str]:
    found: Set[str] = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= _names(constant)
    return found


def _pack(value: Any, seen: Dict[int, int], parts: List[Any]) -> Any:
    if isinstance(value, types.ModuleType):
        return ("module", value.__name__)
    if isinstance(value, types.FunctionType) and _is_local(value):
        if id(value) not in seen:
            seen[id(value)] = len(parts)
            parts.append(None)
            parts[seen[id(value)]] = {
                "code": marshal.dumps(value.__code__),
                "name": value.__name__,
                "defaults": _pack(value.__defaults__, seen, parts),
                "keywords": _pack(value.__kwdefaults__, seen, parts),
                "closure": [_pack(cell.cell_contents, seen, parts) for cell in value.__closure__ or ()],
                "globals": {name: _pack(value.__globals__[name], seen, parts)
                            for name in sorted(_names(value.__code__)) if name in value.__globals__},
            }
        return ("function", seen[id(value)])
    try:
        return ("pickle", pickle.dumps(value, protocol=4))
    except Exception as error:
        raise TypeError(f"the simulator uses {value!r}, which cannot go to a worker process: {error}") from error


def _is_local(function: types.FunctionType) -> bool:
    """Whether its module, if it can be imported, has something else by that name, or nothing: decorated, made at run time."""
    found: Any = sys.modules.get(function.__module__) if function.__module__ not in ("__main__", None) else None
    for name in function.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is not function


def dump(function: Any) -> bytes:
    """A function, or anything that can be called, as bytes."""
    parts: List[Any] = []
    root = _pack(function, {}, parts)
    return pickle.dumps({"path": [os.path.abspath(p) for p in sys.path if p != ""] + [os.getcwd()], "root": root, "parts": parts,
                         "python": sys.version_info[:2]}, protocol=4)


def load(data: bytes) -> Any:
    """The function again."""
    packed = pickle.loads(data)
    sys.path[:] = [p for p in packed["path"] if p not in sys.path] + sys.path
    made: Dict[int, Any] = {}

    def unpack(value: Any) -> Any:
        kind, content = value
        if kind == "module":
            return importlib.import_module(content)
        if kind == "pickle":
            return pickle.loads(content)
        if content not in made:
            part = packed["parts"][content]
            space: Dict[str, Any] = {"__builtins__": builtins, "__name__": "bnre_simulator"}
            cells = tuple(types.CellType() for _ in part["closure"])
            function = types.FunctionType(marshal.loads(part["code"]), space, part["name"], None, cells)
            made[content] = function
            for cell, inside in zip(cells, part["closure"]):
                cell.cell_contents = unpack(inside)
            function.__defaults__ = unpack(part["defaults"])
            function.__kwdefaults__ = unpack(part["keywords"])
            space.update({name: unpack(inside) for name, inside in part["globals"].items()})
        return made[content]

    return unpack(packed["root"])
