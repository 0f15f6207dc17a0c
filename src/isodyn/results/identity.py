"""What tells two systems, and two ways to run them, apart where runs are to be continued.

`fingerprint` samples forces near the start, so that files can be read anywhere. A run that is gone
on with has to be the same run all the way: here all numbers of the compiled tables are looked at,
and the code of users' functions with the numbers that it refers to.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import partial
from types import CellType, CodeType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.kernels.compiled import IntArray
from isodyn.kernels.struct import Struct
from isodyn.results.inputs import fingerprint

if TYPE_CHECKING:
    from isodyn.systems.base import System

DEPTH = 8  # of values inside others that are looked into
_LAST = 20  # bits of a number that are rounded: about ten digits must agree


def identity(system: System, *, memory: bool = True) -> str:
    """A digest of all that a run of a system depends on; without what laws of controllers remember,
    for a checkpoint holds that.

    >>> import isodyn as iso
    >>> one, other = (iso.LinearSystem(1.0, None, k, None, [1.0], [0.0]) for k in (4.0, 4.1))
    >>> identity(one) == identity(one), identity(one) == identity(other)
    (True, False)
    """
    found = hashlib.sha256(fingerprint(system).encode())
    touching = [] if system.contacts is None else [system.contacts.twin]
    for model in [one.model() for one in (system, *touching)]:
        if model.callback is None:  # tables of others hold where their functions are in this process
            found.update(rounded(model.tables.words).tobytes())
    described = getattr(system, "description", None)
    direct = [x for x in vars(system).values() if described is None or _function(x) is not None]
    controllers = (
        [] if described is None else list(described.parts.controllers.values())
    )  # their numbers are in no table
    laws = [told(one) if memory else one.told() for one in controllers]
    for one in (laws, *_functions([described, *direct], DEPTH, {id(one) for one in controllers})):
        found.update(json.dumps(one, sort_keys=True).encode())
    return found.hexdigest()


def rounded(words: IntArray) -> IntArray:
    """Words of a struct with their real numbers rounded; whole numbers stay as they are."""
    real = np.abs(words) >> 52 != 0
    return np.where(real, words + (1 << (_LAST - 1)) >> _LAST, words)


def told(value: object, depth: int = DEPTH) -> object:
    """A value as plain data, functions by their code: what differs is told differently.

    >>> one, same, other = ((lambda x: lambda t: x * t)(x) for x in (1.0, 1.0, 2.0))
    >>> told(one) == told(same), told(one) == told(other)
    (True, False)
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float | complex | bytes):
        return repr(value)
    if isinstance(value, np.ndarray | np.generic):
        array = np.ascontiguousarray(value)
        if array.dtype.hasobject:
            return told(array.tolist(), depth)
        return [str(array.dtype), list(array.shape), hashlib.sha256(array.tobytes()).hexdigest()]
    if depth == 0:
        return type(value).__qualname__
    if isinstance(value, dict):
        return ["dict", [[told(key, depth - 1), told(x, depth - 1)] for key, x in value.items()]]
    if isinstance(value, list | tuple | range):
        return [told(x, depth - 1) for x in value]
    if isinstance(value, set | frozenset):
        return ["set", sorted(json.dumps(told(x, depth - 1), sort_keys=True) for x in value)]
    if isinstance(value, CodeType):
        return _code(value, depth)
    function = _function(value)
    if function is not None:
        return _told_function(function, depth)
    if is_dataclass(value) and not isinstance(value, type):
        given = {one.name: told(getattr(value, one.name), depth - 1) for one in fields(value)}
        return [type(value).__qualname__, given]
    return [getattr(value, "__qualname__", type(value).__qualname__), told(getattr(value, "__dict__", None) or None, 1)]


def _function(value: object) -> FunctionType | MethodType | partial[Any] | None:
    """What is behind a callable: a function, a method, a partial; None for anything else."""
    value = getattr(value, "py_func", value)
    return value if isinstance(value, FunctionType | MethodType | partial) else None


def _told_function(function: FunctionType | MethodType | partial[Any], depth: int) -> object:
    """Its code, its defaults and the numbers and functions that it refers to."""
    if isinstance(function, partial):
        return ["partial", told([function.func, function.args, function.keywords], depth - 1)]
    if isinstance(function, MethodType):
        return ["method", told([function.__func__, function.__self__], depth - 1)]
    code, known = function.__code__, function.__globals__
    cells = [cell.cell_contents for cell in function.__closure__ or () if _is_filled(cell)]
    names = {name: known[name] for name in code.co_names if name in known and _matters(known[name])}
    inside = [function.__defaults__, function.__kwdefaults__, cells, names]
    return ["function", _code(code, depth), told(inside, depth - 1)]


def _is_filled(cell: CellType) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def _matters(value: object) -> bool:
    """Whether something that a function refers to is a user's own: numbers, texts and functions,
    not modules and what belongs to packages."""
    if isinstance(value, int | float | complex | str | tuple | list | dict | np.ndarray | np.generic):
        return True
    function = _function(value)
    return function is not None and _is_users(function)


def _is_users(function: Callable[..., Any]) -> bool:
    """Whether it is neither of this package nor of those that it stands on."""
    home = str(getattr(function, "__module__", "") or "").split(".")[0]
    return home not in ("isodyn", "numpy", "scipy", "numba", "math")


def _code(code: CodeType, depth: int) -> object:
    constants = [told(x, depth - 1) for x in code.co_consts if not isinstance(x, str)]  # docstrings change nothing
    texts = sorted(x for x in code.co_consts[1:] if isinstance(x, str))
    return [code.co_code.hex(), constants, texts, list(code.co_names), code.co_argcount]


def _functions(value: object, depth: int, seen: set[int]) -> Iterator[object]:
    """Users' functions in a system and its parts, told."""
    if depth == 0 or id(value) in seen or isinstance(value, np.ndarray | Struct):
        return
    seen.add(id(value))
    function = _function(value)
    inside: tuple[Any, ...] = ()
    if isinstance(function, partial):
        inside = (function.func, *function.args, *function.keywords.values())
    elif function is not None:
        if _is_users(function):
            yield told(function)
    elif isinstance(value, dict):
        inside = tuple(value.values())
    elif isinstance(value, list | tuple):
        inside = tuple(value)
    elif is_dataclass(value) and not isinstance(value, type):
        inside = tuple(getattr(value, one.name) for one in fields(value))
    for x in inside:
        yield from _functions(x, depth - 1, seen)
