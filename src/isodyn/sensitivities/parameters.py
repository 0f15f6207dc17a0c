"""What a parameter is: a name, a value, and the system that another value makes.

`Parametrised` is a function that builds a system from named numbers. Mechanisms have such a
function already: their parts are named, and so are the numbers in them, "crank.mass",
"pin.point.x", "spring.stiffness", "gravity.z".
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from isodyn.bodies.body import Body
from isodyn.bodies.numbers import RIGID, with_numbers
from isodyn.errors import InputError, IsodynError
from isodyn.kernels.compiled import FloatArray
from isodyn.mechanism.compilation import compile_parts
from isodyn.mechanism.parts import Parts, nearest
from isodyn.mechanism.renumbered import Renumbering
from isodyn.mechanism.system import MechanismSystem
from isodyn.notebook_views import ShownInNotebooks
from isodyn.sensitivities.paths import holds_numbers, read, vector_of, written
from isodyn.sensitivities.pieces import Piece, Pieces, with_other_gravity
from isodyn.systems.description import Description, as_system

if TYPE_CHECKING:
    from isodyn.mechanism.coordinates import ParametrisedSystem
    from isodyn.systems.base import System

STARTS = ("position", "velocity", "angular_velocity", "angle")  # of a body: where and how it starts
BODY_NUMBERS = ("mass", "inertia", "position", "velocity", "angular_velocity", "angle")


@runtime_checkable
class Family(Protocol):
    """A system that depends on named numbers."""

    def value(self, name: str) -> float: ...

    def at(self, changes: Mapping[str, float]) -> System:
        """The system with other values of these parameters."""


class Parametrised(ShownInNotebooks, Description):
    """A system that a function builds from named numbers.

    It stands wherever a system is asked for, and its numbers are parameters for sensitivities,
    gradients and fits. What several parts depend on, such as the length of a link in its mass, its
    inertia and its joints, becomes one parameter in this way.

    Parameters
    ----------
    build
        Function that takes the numbers by name and returns a system or a mechanism.
    **values
        The numbers.

    Raises
    ------
    InputError
        If a value is not a finite number.

    Examples
    --------
    >>> import isodyn as iso
    >>> def oscillator(k):
    ...     return iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -k * q, q0=[1.0], v0=[0.0])
    >>> family = iso.Parametrised(oscillator, k=4.0)
    >>> sol = iso.integrate(family, dt=0.01, t_end=1.0, sensitivities=["k"])
    >>> sol.sensitivity("k").q.shape
    (101, 1)
    """

    def __init__(self, build: Callable[..., Any], **values: float) -> None:
        if not callable(build):
            raise InputError(f"build must be a function of named numbers, received {build!r}")
        for name, value in values.items():
            if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not np.isfinite(value):
                raise InputError(f"parameter {name!r} must be a finite number, received {value!r}")
        self.build, self.values = build, {name: float(value) for name, value in values.items()}

    def __repr__(self) -> str:
        numbers = ", ".join(f"{name} = {value:.6g}" for name, value in self.values.items())
        return f"<Parametrised: {numbers}>"

    def compile(self) -> System:
        """Return the system with the present values.

        Returns
        -------
        system
            The system.
        """
        return self.at({})

    def value(self, name: str) -> float:
        """Return the value of a parameter.

        Parameters
        ----------
        name
            Its name.

        Returns
        -------
        value
            Its value.

        Raises
        ------
        InputError
            If there is no such parameter.
        """
        if name not in self.values:
            raise InputError(f"there is no parameter named {name!r}", hint=nearest(name, self.values))
        return self.values[name]

    def at(self, changes: Mapping[str, float]) -> System:
        """Return the system with other values of some parameters.

        Parameters
        ----------
        changes
            Values by name.

        Returns
        -------
        system
            The system.
        """
        for name in changes:
            self.value(name)
        return as_system(self.build(**{**self.values, **changes}))

    def with_values(self, **changes: float) -> Parametrised:
        """Return the same family at other values.

        Parameters
        ----------
        **changes
            Values by name.

        Returns
        -------
        family
            The family.

        Examples
        --------
        >>> import isodyn as iso
        >>> iso.Parametrised(lambda k: None, k=4.0).with_values(k=5.0)
        <Parametrised: k = 5>
        """
        for name in changes:
            self.value(name)
        return Parametrised(self.build, **{**self.values, **changes})


class NamedParts:
    """A mechanism, whose numbers are named by its parts."""

    def __init__(self, system: MechanismSystem) -> None:
        assert system.description is not None
        self.system, self.description = system, system.description
        self.parts = parts = system.description.parts
        self.known = {**parts.bodies, **parts.joints, **parts.loads, **parts.contacts, **parts.states}
        self.places: dict[str, tuple[str, list[str]]] = {}  # of names that were asked for

    @cached_property
    def numbers(self) -> Renumbering | None:
        """Systems with other numbers of bodies and loads, which need no new layout."""
        return Renumbering(self.system) if type(self.system) is MechanismSystem and not self.assembled() else None

    def value(self, name: str) -> float:
        """The value of a number."""
        part, path = self.split(name)
        found = self.read(part, path, name)
        if isinstance(found, bool) or not isinstance(found, int | float | np.number) or not np.isfinite(found):
            raise InputError(f"{name!r} is not a number, but {found!r}", hint=self.hint(part, path))
        return float(found)

    def split(self, name: str) -> tuple[str, list[str]]:
        """The part that a name begins with, and what of it is meant."""
        if not isinstance(name, str):
            raise InputError(f"the name of a parameter is a text such as 'crank.mass', received {name!r}")
        if name not in self.places:
            self.places[name] = self.found(name)
        return self.places[name]

    def found(self, name: str) -> tuple[str, list[str]]:
        """`split`, by looking at all parts."""
        name = re.sub(r"\[(\d+)\]", r".\1", name)  # as sweeps write it
        if name.split(".")[0] == "gravity" and "gravity" not in self.known:
            return "", name.split(".")[1:]
        found = [name[:k] for k, letter in enumerate(name) if letter == "." and name[:k] in self.known]
        if not found:
            first = name.split(".")[0]
            raise InputError(
                f"there is no part for the parameter {name!r}", hint=nearest(first, [*self.known, "gravity"])
            )
        part = max(found, key=len)
        return part, name[len(part) + 1 :].split(".")

    def hint(self, part: str, path: list[str]) -> str:
        """What can be named instead."""
        if not part:
            return "gravity.x, gravity.y or gravity.z"
        return f"numbers of {part!r}: {', '.join(self.numbers_of(self.known[part]))}"

    @staticmethod
    def numbers_of(part: Any) -> list[str]:
        """Names of what may hold numbers."""
        if isinstance(part, Body):
            return list(BODY_NUMBERS)
        return [field.name for field in fields(part) if holds_numbers(getattr(part, field.name))]

    def read(self, part: str, path: list[str], name: str) -> Any:
        """What a path leads to."""
        if not part:
            return read(self.description.gravity, path, name, self.hint(part, path))
        owner = self.known[part]
        if not isinstance(owner, Body) or owner.kind not in RIGID:
            return read(owner, path, name, self.hint(part, path))
        if path[0] not in BODY_NUMBERS:
            raise InputError(f"there is no number {name!r}", hint=self.hint(part, path))
        return read(vector_of(owner, path[0], path), path[1:], name, self.hint(part, path))

    def is_linear(self, name: str, other: float) -> bool:
        """Whether the equations of motion are linear in a number, and nothing else depends on it;
        `other` is another value that it may have."""
        part, path = self.split(name)
        if part in self.parts.joints:
            return path[0] == "point" and self.pieces.is_affine(part)
        if part in self.parts.loads:
            try:
                moved = self.changed(self.known[part], path, other)
                return self.pieces.is_factor(part, self.value(name), moved, other)
            except IsodynError:  # at the other value
                return False
        return not part or (isinstance(self.known[part], Body) and path[0] == "mass")

    @cached_property
    def pieces(self) -> Pieces:
        """What a number stands in."""
        return Pieces(self.system)

    def check(self, name: str, values: Sequence[float]) -> None:
        """InputError for values that a part does not take."""
        part, path = self.split(name)
        for value in values if part else ():
            self.changed(self.known[part], path, value)

    def piece(self, name: str, values: Sequence[float]) -> Piece | None:
        """The equations that a number stands in, at these values and at its own."""
        part, path = self.split(name)
        if not part:
            return with_other_gravity(self.system, [written(self.description.gravity, path, x) for x in values])
        return self.pieces.piece(part, path, [self.changed(self.known[part], path, x) for x in values])

    def moves_coordinates(self, name: str, values: Sequence[float], named: Mapping[str, str]) -> bool:
        """Whether coordinates of joints, given by the names of these, are measured in another way
        where a number has one of these values."""
        part, path = self.split(name)
        if not part or not self.pieces.possible:
            return bool(part)
        return self.pieces.moves_coordinates(part, [self.changed(self.known[part], path, x) for x in values], named)

    def start(self, name: str, value: float) -> tuple[FloatArray, FloatArray]:
        """Coordinates and velocities at the start, with another value of a number."""
        part, path = self.split(name)
        q0, v0, system = self.system.q0.copy(), self.system.v0.copy(), self.system
        body = self.parts.bodies.get(part)
        if body is not None and path[0] in STARTS:
            made = self.changed(body, path, value)
            q0[system.q_of(part)], v0[system.v_of(part)] = made.q0, made.v0
        return q0, v0

    def at(self, changes: Mapping[str, float]) -> System:
        """The system with other values of these numbers."""
        if not changes:
            return self.system
        parts, gravity = self.description.parts.copied(), self.description.gravity.copy()
        changed: set[str] = set()
        for name, value in changes.items():
            part, path = self.split(name)
            self.value(name)
            changed.add(part)
            if not part:
                gravity = written(gravity, path, value)
                continue
            for group in (parts.bodies, parts.joints, parts.loads, parts.contacts, parts.states):
                if part in group:
                    group[part] = self.changed(group[part], path, value)
        if self.numbers is not None and not changed & {"", *parts.joints, *parts.contacts, *parts.states}:
            bodies = {name: body for name, body in parts.bodies.items() if name in changed}
            loads = {name: load for name, load in parts.loads.items() if name in changed}
            made = self.numbers.system(bodies, loads)
            if made is not None:
                return made
        return self.compiled(parts, gravity)

    @staticmethod
    def changed(part: Any, path: list[str], value: float) -> Any:
        """A part with another number in it."""
        if not isinstance(part, Body) or part.kind not in RIGID:
            return written(part, path, value)
        key = path[0]
        number: Any = written(vector_of(part, key, path), path[1:], value) if path[1:] else value
        if part.kind == "planar" and path[1:]:  # which has one moment and one angular velocity
            number = number[2, 2] if key == "inertia" else number[2] if key == "angular_velocity" else number
        return with_numbers(part, {key: number})

    def compiled(self, parts: Parts, gravity: FloatArray) -> MechanismSystem | ParametrisedSystem:
        """The system of changed parts."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the mechanism itself has told
            return compile_parts(parts, gravity, self.description.cayley, "rotation")

    def assembled(self) -> bool:
        """Whether the start of the system is another than that of its parts."""
        system, layout = self.system, self.system.layout
        q0, v0 = (np.concatenate([getattr(body, name) for body in layout.bodies]) for name in ("q0", "v0"))
        return not (np.array_equal(q0, system.q0[: q0.size]) and np.array_equal(v0, system.v0))


def family_of(given: object) -> Family:
    """The family that a system belongs to."""
    if isinstance(given, Family):
        return given
    system = as_system(given)
    if isinstance(system, MechanismSystem) and system.description is not None:
        return NamedParts(system)
    raise InputError(
        f"a {type(system).__name__} has no named parameters",
        hint="take a Mechanism, or iso.Parametrised(build, name=value)",
    )
