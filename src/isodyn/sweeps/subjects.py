"""What a sweep runs: a model with parameters by name, and how it is run.

A model is compiled once. A point whose parameters are numbers of bodies and loads gets its system
by writing them into a copy of the tables (isodyn.mechanism.renumbered); where more depends on them
(lengths, places of joints), the parts are laid out again. No kernel is compiled again in either
way.
"""

from __future__ import annotations

import difflib
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.bodies.body import Body
from isodyn.bodies.numbers import given_numbers, with_numbers
from isodyn.errors import InputError
from isodyn.mechanism.mechanism import Mechanism
from isodyn.mechanism.renumbered import Renumbering
from isodyn.mechanism.system import MechanismSystem
from isodyn.problems import get
from isodyn.systems import as_system, is_system

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from isodyn.joints.part import JointPart
    from isodyn.joints.unilateral import ContactPart
    from isodyn.joints.user import UserRows
    from isodyn.kernels.compiled import FloatArray
    from isodyn.loads.part import LoadPart
    from isodyn.loads.user import UserLoad

_ADDRESS = re.compile(r"(?P<part>.+)\.(?P<key>[A-Za-z_]\w*)(?P<places>(\[\d+\])*)")
OF_BODIES = ("mass", "inertia", "position", "velocity", "angular_velocity")


@dataclass(frozen=True)
class Address:
    """A number of a part: "spring.stiffness", "wind.force[1]"."""

    name: str
    part: str
    key: str
    places: tuple[int, ...] = ()


def address(name: str) -> Address | None:
    """Part, key and places of a name; None where it has no dot."""
    found = _ADDRESS.fullmatch(name)
    if found is None:
        return None
    return Address(name, found["part"], found["key"], tuple(map(int, re.findall(r"\d+", found["places"]))))


def refuse_twice(names: Iterable[str]) -> None:
    """InputError for two names of one number."""
    known: dict[tuple[Any, ...], str] = {}
    for name in names:
        where = address(name)
        if where is not None:
            other = known.setdefault((where.part, where.key, where.places), name)
            if other != name:
                raise InputError(f"{other} and {name} are the same number")


def put(value: ArrayLike, places: tuple[int, ...], number: float, name: str) -> FloatArray | float:
    """A number in place of another, or of one in an array."""
    if not places:
        if np.ndim(value) > 0:
            raise InputError(f"{name} has several numbers", hint=f"name one of them: {name}[0]")
        return number
    try:
        array = np.array(value, dtype=np.float64)
        array[places] = number
    except (TypeError, ValueError, IndexError):
        raise InputError(f"there is no number {name}: {places[-1]} is no place in it") from None
    if array[places].ndim:
        raise InputError(f"{name} has several numbers", hint=f"name one of them: {name}[0]")
    return array


def unknown(name: str, known: Iterable[str], what: str) -> InputError:
    """The error of a parameter that a model does not have."""
    known = list(known)
    similar = difflib.get_close_matches(name, known, n=3, cutoff=0.4)
    hint = f"did you mean {' or '.join(similar)}?" if similar else f"parameters: {', '.join(known[:12]) or 'none'}"
    return InputError(f"{what} has no parameter {name!r}", hint=hint)


class Subject(ABC):
    """A model of which systems are made, point by point."""

    names: tuple[str, ...]

    @abstractmethod
    def check(self) -> None:
        """InputError for names that the model does not have."""

    @abstractmethod
    def prepared(self, values: Mapping[str, float]) -> tuple[Any, dict[str, Any]]:
        """The system of a point, and what the model says about its run."""

    def kept(self) -> dict[str, Any] | None:
        """What a file needs to make the same subject again; None where a file cannot hold it."""
        return None

    def code(self) -> Callable[..., Any] | None:
        """The user's function that makes systems, where there is one."""
        return None

    @property
    def title(self) -> str:
        """In the words of reports."""
        return "sweep"


# ---- mechanisms


@dataclass
class MechanismSubject(Subject):
    """A `Mechanism`, by numbers of its parts."""

    mechanism: Mechanism
    names: tuple[str, ...]

    def __getstate__(self) -> dict[str, Any]:
        return {"mechanism": self.mechanism, "names": self.names}

    @property
    def title(self) -> str:
        return repr(self.mechanism).strip("<>")

    def check(self) -> None:
        for name in self.names:
            where = address(name)
            part = None if where is None else self._part(where.part)
            if where is None or part is None:
                raise unknown(name, known_numbers(self.mechanism), "the mechanism")
            if isinstance(part, Body):
                if where.key not in OF_BODIES:
                    raise unknown(name, [f"{where.part}.{key}" for key in OF_BODIES], f"body {where.part!r}")
            elif part is not None and where.key not in _numbers_of(part):
                raise unknown(name, [f"{where.part}.{key}" for key in _numbers_of(part)], f"{where.part!r}")
        self.changed({name: _present(self, name) for name in self.names})

    def _part(self, name: str) -> Body | LoadPart | UserLoad | JointPart | UserRows | ContactPart | None:
        mech = self.mechanism
        return mech.bodies.get(name) or mech.loads.get(name) or mech.joints.get(name) or mech.contacts.get(name)

    @cached_property
    def _numbers(self) -> Renumbering | None:
        system = self.mechanism.compile()
        plain = type(system) is MechanismSystem and system.description is not None
        return Renumbering(system) if plain else None

    def changed(self, values: Mapping[str, float]) -> tuple[dict[str, Body], dict[str, Any], dict[str, Any]]:
        """Bodies, loads, and other parts (joints, contacts) with these numbers."""
        bodies: dict[str, Any] = {}
        loads: dict[str, Any] = {}
        others: dict[str, Any] = {}
        mech = self.mechanism
        for name, number in values.items():
            where = address(name)
            assert where is not None
            if where.part in mech.bodies:
                bodies.setdefault(where.part, {})[where] = float(number)
                continue
            of = loads if where.part in mech.loads else others
            part: Any = of.get(where.part, self._part(where.part))
            value = put(getattr(part, where.key), where.places, float(number), name)
            of[where.part] = replace(part, **{where.key: value})
        return {name: _body(mech.bodies[name], given) for name, given in bodies.items()}, loads, others

    def prepared(self, values: Mapping[str, float]) -> tuple[Any, dict[str, Any]]:
        bodies, loads, others = self.changed(values)
        if not others and self._numbers is not None:
            made = self._numbers.system(bodies, loads)
            if made is not None:
                return made, {}
        other = copy(self.mechanism)
        new = {**bodies, **loads, **others}
        for name, parts in vars(self.mechanism).items():
            if isinstance(parts, dict):  # parts of different kinds may have the same name
                same = {key: new[key] for key in parts if key in new and type(new[key]) is type(parts[key])}
                setattr(other, name, {**parts, **same})
        return other.compile(), {}


def _present(subject: MechanismSubject, name: str) -> float:
    """What a number is in the mechanism as it stands."""
    where = address(name)
    assert where is not None
    part = subject._part(where.part)
    value: Any = given_numbers(part)[where.key] if isinstance(part, Body) else getattr(part, where.key)
    if value is None:
        raise InputError(f"{name} is not given in the model", hint="give it a number there")
    try:
        found = np.asarray(value, dtype=np.float64)[where.places]
    except (TypeError, ValueError, IndexError):
        raise InputError(f"{name} is no number in the model but {value!r}") from None
    if found.ndim:
        raise InputError(f"{name} has several numbers", hint=f"name one of them: {name}[0]")
    return float(found)


def _body(body: Body, numbers: Mapping[Address, float]) -> Body:
    """A body with other numbers."""
    given = given_numbers(body)
    for where, number in numbers.items():
        given[where.key] = put(given[where.key], where.places, number, where.name)
    return with_numbers(body, {where.key: given[where.key] for where in numbers})


def _numbers_of(part: object) -> list[str]:
    """Fields of a part that hold numbers."""
    found = []
    for one in fields(part) if is_dataclass(part) else ():
        value = getattr(part, one.name)
        try:
            is_number = value is not None and np.asarray(value, dtype=np.float64).size > 0
        except (TypeError, ValueError):
            is_number = False
        if is_number and not isinstance(value, bool | str):
            found.append(one.name)
    return found


def known_numbers(mechanism: Mechanism) -> list[str]:
    """Names of the numbers of all parts."""
    bodies = [f"{name}.{key}" for name in mechanism.bodies for key in ("mass", "inertia")]
    parts = {**mechanism.loads, **mechanism.joints, **mechanism.contacts}
    return bodies + [f"{name}.{key}" for name, part in parts.items() for key in _numbers_of(part)]


# ---- problems and functions


@dataclass
class ProblemSubject(Subject):
    """A ready problem, by its parameters."""

    problem: str
    names: tuple[str, ...]

    @property
    def title(self) -> str:
        return get(self.problem).title

    def check(self) -> None:
        known = get(self.problem).parameters
        for name in self.names:
            if name not in known:
                raise unknown(name, known, f"problem {self.problem!r}")

    def prepared(self, values: Mapping[str, float]) -> tuple[Any, dict[str, Any]]:
        problem = get(self.problem)
        options = {"scheme": problem.scheme, "dt": problem.dt, "t_end": problem.t_end}
        return problem.system(**values), options

    def kept(self) -> dict[str, Any]:
        return {"problem": self.problem}


@dataclass
class FunctionSubject(Subject):
    """A function that makes a system, or a mechanism, from values by name."""

    function: Callable[..., Any]
    names: tuple[str, ...]

    @property
    def title(self) -> str:
        return getattr(self.function, "__name__", "sweep")

    def code(self) -> Callable[..., Any]:
        return self.function

    def check(self) -> None:
        for name in self.names:
            if not name.isidentifier():
                raise InputError(f"{name!r} cannot be an argument of {self.title}", hint="letters, digits and _")

    def prepared(self, values: Mapping[str, float]) -> tuple[Any, dict[str, Any]]:
        system = as_system(self.function(**values))
        if not is_system(system):
            raise InputError(f"{self.title} returned a {type(system).__name__}, not a system or a mechanism")
        return system, {}
