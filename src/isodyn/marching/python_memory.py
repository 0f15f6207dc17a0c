"""What Python functions remember between two calls: as plain data for a checkpoint, and back.

Laws of controllers and actions of events are called from time to time, and may keep something: an
integral, a filter, a switch that forces read. A walk over all that a function reaches finds it:

    an object        its attributes and slots, or what its own `save()` returns, for its `restore(saved)`
    a function       variables of the functions around it, global ones, attributes, defaults that can change
    a random number  generator of NumPy: its state

Numbers, texts, arrays, and lists, tuples, sets and dicts of them are written; on the way back they
are put into the same places. Functions of libraries, compiled functions, modules and classes are
taken to remember nothing. What the walk cannot write is an InputError.
"""

from __future__ import annotations

import copy
import dis
import functools
import logging
import random
import sys
import sysconfig
import types
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isodyn.errors import InputError

if TYPE_CHECKING:
    import numpy.typing as npt

PLAIN = (type(None), bool, int, float, str)
SERIES = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset, "deque": deque}
STILL = (types.ModuleType, type, types.BuiltinFunctionType, np.ufunc, types.MethodDescriptorType, logging.Logger)
DESCRIPTORS = (property, staticmethod, classmethod, types.MemberDescriptorType, types.GetSetDescriptorType)
PLACES = tuple(sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib"))
OWN = str(Path(__file__).parents[1])
# generators of random numbers that the whole program shares, and their functions
SHARED = (np.random.mtrand._rand, random._inst)
CHANCE = {n for at in (random, np.random) for n in dir(at) if getattr(getattr(at, n), "__self__", None) in SHARED}
GENERATORS = (np.random.Generator, np.random.RandomState)
HINT = "make it an object whose save() returns numbers, texts, arrays, lists or dicts, and that has restore(saved)"


class Place(NamedTuple):
    """A name that refers to something: what it is, and how it becomes something else."""

    name: str
    value: object
    put: Callable[[Any], None]


def remembered(function: object, what: str, *, copies: bool = False) -> object:
    """All that a function remembers, as plain data; InputError for what cannot be written, or, with
    copies that stay in this process, cannot be copied.

    >>> def counting():
    ...     calls = 0
    ...     def law(t):
    ...         nonlocal calls
    ...         calls += 1
    ...         return calls
    ...     return law
    >>> law = counting()
    >>> _ = law(0.0)
    >>> saved = remembered(law, "the law")
    >>> law(0.0), law(0.0), recall(law, saved, "the law"), law(0.0)
    (2, 3, None, 2)
    """
    return _Writer(what, copies).written(function, "")


def recall(function: object, saved: object, what: str) -> None:
    """Let a function remember what `remembered` found."""
    _Reader(what).read(function, saved)


@dataclass
class _Writer:
    """Writes what is found on the way, each thing once."""

    what: str
    copies: bool
    seen: dict[int, int] = field(default_factory=dict)
    kept: list[object] = field(default_factory=list)  # so that no address is given away twice

    def written(self, value: object, path: str) -> object:
        """A value as plain data."""
        if isinstance(value, PLAIN) and type(value) in PLAIN:
            return value
        if isinstance(value, complex) and type(value) is complex:
            return {"complex": [value.real, value.imag]}
        if isinstance(value, np.generic):
            return {"scalar": self.numbers(np.asarray(value), path)}
        if getattr(value, "__self__", None) in SHARED:
            raise self.shared_chance()
        if remembers_nothing(value):
            return {"same": 1}
        if id(value) in self.seen:
            return {"again": self.seen[id(value)]}
        self.seen[id(value)] = len(self.seen)
        self.kept.append(value)
        return self.inside(value, path)

    def inside(self, value: Any, path: str) -> dict[str, object]:
        """What is in a thing that can be changed."""
        if type(value) is np.ndarray:
            return {"array": self.numbers(value, path)}
        for name, kind in SERIES.items():
            if type(value) is kind:
                return {name: [self.written(one, f"{path}[{k}]") for k, one in enumerate(value)]}
        if type(value) is dict:
            pairs = [[self.written(k, f"{path} keys"), self.written(x, f"{path}[{k!r}]")] for k, x in value.items()]
            return {"dict": pairs}
        if isinstance(value, GENERATORS):
            return {"generator": self.written(state_of(value), path)}
        if has_own(value):
            return {"own": self.written(value.save(), f"{path}.save()")}
        if isinstance(value, types.FunctionType) and draws(value.__code__):
            raise self.shared_chance()
        found = places(value)
        if found is None:
            return self.copied(value, path)
        return {"parts": {one.name: self.written(one.value, f"{path}.{one.name}") for one in found}}

    def copied(self, value: object, path: str) -> dict[str, object]:
        """A thing into which nobody can look."""
        if self.copies:
            try:
                return {"copy": copy.deepcopy(value)}
            except TypeError:
                pass
        raise self.refused(path, f"a {type(value).__name__}")

    def numbers(self, value: npt.NDArray[Any], path: str) -> list[Any]:
        """An array: type, shape, values."""
        if value.dtype.kind not in "biufcU" or value.dtype in (np.longdouble, np.clongdouble):
            raise self.refused(path, f"an array of {value.dtype}")
        flat = value.ravel()
        values = flat.view(flat.real.dtype).tolist() if value.dtype.kind == "c" else flat.tolist()
        return [value.dtype.str, list(value.shape), values]

    def shared_chance(self) -> InputError:
        """The error for random numbers that the whole program shares."""
        return InputError(
            f"{self.what} takes random numbers that the whole program shares, which cannot be kept",
            hint="rng = np.random.default_rng(seed), and rng.normal() in the function",
        )

    def refused(self, path: str, kind: str) -> InputError:
        """The error for what cannot be written."""
        where = f" in {path.lstrip('.')!r}" if path else ""
        return InputError(f"{self.what} remembers {kind}{where}, which cannot be kept", hint=HINT)


@dataclass
class _Reader:
    """Puts back what was written."""

    what: str
    made: list[object] = field(default_factory=list)

    def read(self, now: object, node: object) -> object:
        """What stood where `now` stands: the same thing wherever that can be changed."""
        if not isinstance(node, dict):
            return node
        ((kind, given),) = node.items()
        if kind == "complex":
            return complex(*given)
        if kind == "scalar":
            return array_of(given)[()]
        if kind == "same":
            return now
        if kind == "again":
            return self.made[given]
        place = len(self.made)
        self.made.append(now)
        self.made[place] = found = self.changeable(kind, now, given, place)
        return found

    def changeable(self, kind: str, now: Any, given: Any, place: int) -> object:
        """A thing that can be changed, as it was."""
        if kind == "array":
            return in_place(now, array_of(given))
        if kind == "copy":
            return copy.deepcopy(given)
        if kind in SERIES:
            return self.series(SERIES[kind], now, given, place)
        if kind == "dict":
            self.made[place] = target = now if type(now) is dict else {}
            old = dict(target)
            pairs = [(self.read(None, key), value) for key, value in given]
            filled = {key: self.read(old.get(key), value) for key, value in pairs}
            target.clear()
            target.update(filled)
            return target
        if kind == "generator":
            put_state(now, self.read(None, given))
            return now
        if kind == "own":
            now.restore(self.read(None, given))
            return now
        found = places(now)
        here = {one.name: one for one in found or []}
        for name, value in given.items():
            if name not in here:
                here[name] = self.added(now, name)
            before, new = here[name].value, self.read(here[name].value, value)
            if not (new is before or (type(new) is type(before) and isinstance(new, PLAIN) and new == before)):
                here[name].put(new)
        for name in here.keys() - given.keys():
            self.taken_away(now, name)
        return now

    def series(self, kind: Any, now: Any, given: list[Any], place: int) -> object:
        """Lists and deques are filled anew; tuples stay where their items do."""
        old = list(now) if type(now) is kind else []
        target = now if type(now) is kind else kind()
        self.made[place] = target
        new = [self.read(old[k] if k < len(old) else None, one) for k, one in enumerate(given)]
        if kind in (tuple, frozenset):
            same = len(new) == len(old) and all(a is b for a, b in zip(new, old, strict=True))
            return now if same else kind(new)
        target.clear()
        if kind is set:
            target.update(new)
        else:
            target.extend(new)
        return target

    def added(self, now: object, name: str) -> Place:
        """An attribute that came into being on the way."""
        if not name.startswith("."):
            raise InputError(
                f"{self.what} has no {name!r} that it had when the run began", hint="give the same system again"
            )
        return Place(name, None, lambda x: object.__setattr__(now, name[1:], x))

    def taken_away(self, now: object, name: str) -> None:
        """An attribute that came into being after the state was saved."""
        if name.startswith("."):
            object.__delattr__(now, name[1:])


# ---- where something is remembered


def places(value: object) -> list[Place] | None:
    """The places of a function, a method, a partial function or an object; None where nobody can
    say."""
    if isinstance(value, types.FunctionType):
        return list(places_of_function(value))
    if isinstance(value, types.MethodType):
        return [Place("self", value.__self__, nothing), Place("function", value.__func__, nothing)]
    if isinstance(value, functools.partial):
        return [Place(name, getattr(value, name), nothing) for name in ("func", "args", "keywords")]
    kind = type(value)
    known = {name for base in kind.__mro__ for name in slots_of(base)}
    if not known and "__dict__" not in dir(value):
        return None
    names = [*getattr(value, "__dict__", {}), *(name for name in sorted(known) if name in dir(value))]
    found = [Place(f".{n}", getattr(value, n), functools.partial(object.__setattr__, value, n)) for n in names]
    return found + list(places_of_class(kind))


def places_of_function(function: types.FunctionType) -> Iterator[Place]:
    """Variables of the functions around it, global ones, attributes and defaults."""
    code = function.__code__
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        if not is_empty(cell):
            yield Place(f"around {name}", cell.cell_contents, functools.partial(setattr, cell, "cell_contents"))
    shared = function.__globals__
    for name in names_in(code):
        if name in shared:
            yield Place(f"global {name}", shared[name], functools.partial(shared.__setitem__, name))
    for name, value in function.__dict__.items():
        yield Place(f".{name}", value, functools.partial(setattr, function, name))
    for name in ("__defaults__", "__kwdefaults__"):
        if getattr(function, name):
            yield Place(name, getattr(function, name), functools.partial(setattr, function, name))


def places_of_class(kind: type) -> Iterator[Place]:
    """Values that all objects of a class share, and its functions; nothing of libraries."""
    for base in kind.__mro__:
        for name, value in vars(base).items():
            plain = isinstance(value, types.FunctionType)
            if in_library(base) or (name.startswith("__") and not plain) or isinstance(value, DESCRIPTORS):
                continue
            yield Place(f"{base.__name__}.{name}", value, functools.partial(setattr, base, name))


def nothing(value: object) -> None:
    """Do nothing: what stands there stays, and was changed inside."""


def slots_of(base: type) -> tuple[str, ...]:
    """Names of the slots of a class."""
    found = vars(base).get("__slots__", ())
    names = (found,) if isinstance(found, str) else tuple(found)
    return tuple(name for name in names if name not in ("__dict__", "__weakref__"))


def is_empty(cell: types.CellType) -> bool:
    """Whether a variable has no value yet."""
    try:
        _ = cell.cell_contents
    except ValueError:
        return True
    return False


def names_in(code: types.CodeType) -> list[str]:
    """Global names in a function, and in those inside it."""
    known = ("LOAD_GLOBAL", "STORE_GLOBAL", "LOAD_NAME", "STORE_NAME")
    return list({str(one.argval): None for one in loads_in(code) if one.opname in known})


def draws(code: types.CodeType) -> bool:
    """Whether a function takes random numbers of a module: `random.…`, `np.random.…`."""
    return any(one.argval == "random" and two.argval in CHANCE for one, two in pairwise(loads_in(code)))


def loads_in(code: types.CodeType) -> Iterator[dis.Instruction]:
    """All that is done in a function, and in those inside it."""
    yield from dis.get_instructions(code)
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from loads_in(inner)


def remembers_nothing(value: object) -> bool:
    """Modules, classes, and functions of libraries or compiled ones."""
    if isinstance(value, STILL) or type(value).__module__.split(".")[0] == "numba":
        return True
    return isinstance(value, types.FunctionType) and is_library_file(value.__code__.co_filename)


def in_library(kind: type) -> bool:
    """Whether a class is one of Python's or of a library's."""
    module = sys.modules.get(kind.__module__)
    file = getattr(module, "__file__", None)
    return kind.__module__ == "builtins" or (file is not None and is_library_file(file))


def is_library_file(file: str) -> bool:
    """Whether a file belongs to Python, to an installed package, or to isodyn."""
    return file.startswith(("<frozen", OWN, *PLACES))


def has_own(value: object) -> bool:
    """Whether an object says itself what it remembers."""
    return all(callable(getattr(type(value), name, None)) for name in ("save", "restore"))


# ---- arrays and random numbers


def array_of(given: list[Any]) -> npt.NDArray[Any]:
    """An array from its type, shape and values."""
    dtype, shape, values = np.dtype(given[0]), given[1], given[2]
    if dtype.kind == "c":
        return np.array(values, dtype=np.empty(0, dtype).real.dtype).view(dtype).reshape(shape)
    return np.array(values, dtype=dtype).reshape(shape)


def in_place(now: object, new: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array that stands there, with new values, where it can take them."""
    if type(now) is np.ndarray and now.shape == new.shape and now.dtype == new.dtype and now.flags.writeable:
        now[...] = new
        return now
    return new


def state_of(generator: np.random.Generator | np.random.RandomState) -> object:
    """Where a generator of random numbers stands."""
    return generator.bit_generator.state if isinstance(generator, np.random.Generator) else generator.get_state()


def put_state(generator: np.random.Generator | np.random.RandomState, state: Any) -> None:
    """Let a generator of random numbers stand there."""
    if isinstance(generator, np.random.Generator):
        generator.bit_generator.state = state
    else:
        generator.set_state(state)
