"""Derivatives of runs by their start."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import is_dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.marching.at_rest import AtRest
from isodyn.systems.compiled_system import settled
from isodyn.systems.description import Description

if TYPE_CHECKING:
    from isodyn.systems.base import System


def with_start(system: Any, q0: FloatArray, v0: FloatArray) -> Any:
    """The same system with another start, and its typical sizes as they are."""
    if is_dataclass(system) and not isinstance(system, type):
        return replace(system, q0=q0, v0=v0)
    other = copy(system)
    object.__setattr__(other, "q0", np.array(q0))
    object.__setattr__(other, "v0", np.array(v0))
    return other


def moved(system: System, q: FloatArray, d: FloatArray) -> FloatArray:
    """q ⊕ d."""
    if not q.size:
        return q
    return q + d if system.retract is None else np.asarray(system.retract(q.copy(), np.ascontiguousarray(d)))


def apart(system: System, q: FloatArray, other: FloatArray) -> FloatArray:
    """d with q ⊕ d = other."""
    if not q.size:
        return np.zeros(system.nv)
    return other - q if system.difference is None else np.asarray(system.difference(q.copy(), other.copy()))


class Chart:
    """Coordinates (δq, δv) of changes of a state; of first-order systems δv alone."""

    def __init__(self, system: System, q: FloatArray, v: FloatArray) -> None:
        self.system, self.q, self.v = system, q, v
        self.size = system.nv * (2 if q.size else 1)

    def coordinates(self, dq: FloatArray, dv: FloatArray) -> FloatArray:
        """Of changes of q and v."""
        return np.concatenate([dq, dv]) if self.q.size else np.array(dv)

    def start(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """q and v at these coordinates."""
        n = self.system.nv
        return (moved(self.system, self.q, x[:n]), self.v + x[n:]) if self.q.size else (self.q, self.v + x)


def consistent(system: System, t0: float, span: float) -> System:
    """The system with its start moved onto its constraints. Only there is the derivative of a run
    by its start that of the motion: away from them, moving it there counts as well."""
    if not system.m:
        return system
    rest = AtRest(system, assemble=True, span=span)
    rest.state.t = t0
    rest.look(t0)
    rest.make_consistent(t0, True)
    return with_start(system, rest.state.q.copy(), rest.state.v.copy())


class Starts(Description):
    """A system whose parameters are the coordinates of its start; with constraints all coordinates,
    of which only directions along the constraints count."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.chart = Chart(system, settled(system, np.array(system.q0)), np.array(system.v0))
        self.names = tuple(f"start.{k}" for k in range(self.chart.size))

    def compile(self) -> System:
        """The system itself."""
        return self.system

    def value(self, name: str) -> float:
        """All coordinates are zero here."""
        if name not in self.names:
            raise InputError(f"there is no parameter named {name!r}", hint=f"there are: {', '.join(self.names)}")
        return 0.0

    def at(self, changes: Mapping[str, float]) -> System:
        """The system with another start."""
        x = np.zeros(self.chart.size)
        for name, value in changes.items():
            self.value(name)
            x[self.names.index(name)] = value
        return with_start(self.system, *self.chart.start(x))
