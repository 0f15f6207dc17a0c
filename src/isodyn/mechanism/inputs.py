"""Inputs of a mechanism: numbers of loads that somebody sets while a run goes on.

The torque, speed or command of a motor is a function of time in the tables of the model; it is held
at a number there. A force or torque on a body is a vector in the tables: three numbers take its
place, one number scales it as it was given. Both need tables that no other model shares.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np

from isodyn.errors import InputError
from isodyn.expressions.time_writer import hold, let_go
from isodyn.kernels.compiled import FloatArray
from isodyn.loads.part import JointLoad, LoadPart
from isodyn.mechanism.compilation import compile_parts
from isodyn.mechanism.system import MechanismSystem
from isodyn.multibody.tables import Tables
from isodyn.real_numbers import real_array
from isodyn.systems.base import System


@dataclass(frozen=True, eq=False)
class InputPlace:
    """Where the number of a load is in the tables of a model: functions of time, and forces on
    bodies with the vectors that a number scales."""

    load: str
    functions: tuple[int, ...]
    forces: tuple[int, ...]
    vectors: FloatArray

    def checked(self, value: object) -> FloatArray:
        """The value as an array, of one number, or of three for forces on bodies."""
        if type(value) is float and not self.forces and isfinite(value):
            return np.array([value])
        given = np.atleast_1d(real_array(f"input {self.load!r}", value, "numbers"))
        if not np.isfinite(given).all():
            raise InputError(f"input {self.load!r} must be finite, received {value!r}")
        if given.shape not in (((1,), (3,)) if self.forces else ((1,),)):
            kinds = "one number, or three" if self.forces else "one number"
            raise InputError(f"input {self.load!r} is {kinds}, received {value!r}")
        if given.size == 1 and len(self.forces) > 1:
            raise InputError(
                f"input {self.load!r}: one number scales the vector of the load, which is a function of time",
                hint="give the load a constant vector, which time= may scale, or set three numbers",
            )
        if self.forces and given.size == 1 and not self.vectors.any():
            raise InputError(
                f"input {self.load!r}: one number scales the vector of the load, which is zero",
                hint="give the load a direction, such as (0, 0, 1), or set three numbers",
            )
        return given

    def force(self, given: FloatArray) -> FloatArray:
        """Vectors of the forces for a checked value."""
        if given.size == 1:
            return np.asarray(given[0] * self.vectors)
        found = np.zeros_like(self.vectors)
        found[0] = given
        return found

    def write(self, tables: Tables, given: FloatArray) -> None:
        """Hold the load at a checked value."""
        for number in self.functions:
            hold(tables.time, number, float(given[0]))
        if self.forces:
            for k, vector in zip(self.forces, self.force(given), strict=True):
                tables.loads[k].vector, tables.loads[k].time = vector, -1

    def let_go(self, tables: Tables, shared: Tables) -> None:
        """Let the load be what the model says."""
        for number in self.functions:
            let_go(tables.time, number, shared.time)
        for k in self.forces:
            tables.loads[k].vector, tables.loads[k].time = shared.loads[k].vector, shared.loads[k].time


def input_places(system: System) -> dict[str, InputPlace]:
    """Loads that can be inputs, by name."""
    if type(system) is not MechanismSystem or system.description is None:
        return {}
    tables, layout, found = system.tables, system.layout, {}
    numbers = {id(load): k for k, load in enumerate(layout.loads)}
    for name, load in system.description.parts.loads.items():
        if not isinstance(load, LoadPart) or not load.held:
            continue
        laws = [k for k, law in enumerate(layout.laws) if law.load == name]
        bodies = system.loads[name].on_bodies
        vectors = np.array([force.vector for force in bodies]).reshape(-1, 3)
        if bodies and np.ndim(getattr(load, load.held[0])) == 0 and not callable(getattr(load, load.held[0])):
            vectors = np.array([[0.0, 0.0, 1.0]])  # a torque about z, given by one number
        found[name] = InputPlace(
            name,
            tuple(int(tables.laws[k].shift) for k in laws),
            tuple(numbers[id(force)] for force in bodies),
            vectors,
        )
    return found


def held_by(load: LoadPart) -> str:
    """The name of the number that an input of this load is."""
    return next((name for name in load.held if getattr(load, name) is not None), load.held[0])


def own_value(system: MechanismSystem, name: str) -> FloatArray | None:
    """What a load has in the model, as an input of one or three numbers; None where that is a
    function."""
    assert system.description is not None
    load: Any = system.description.parts.loads[name]
    if isinstance(load, JointLoad):
        value = getattr(load, held_by(load))
        return np.array([float(value)]) if isinstance(value, int | float | np.number) else None
    forces = system.loads[name].on_bodies
    if not forces or any(force.time is not None for force in forces):
        return None
    return np.array([force.vector for force in forces]).reshape(-1, 3).sum(axis=0)


def as_in_run(system: MechanismSystem, given: dict[str, Any]) -> MechanismSystem:
    """The mechanism with what its loads did in a run, functions of time; both are kept with it."""
    return replace(with_inputs(system, given), held_in_run=(system, given))


def with_inputs(system: MechanismSystem, given: Mapping[str, Any]) -> MechanismSystem:
    """The same mechanism with loads that have other values: numbers or functions of time, three of
    them for forces on bodies."""
    assert system.description is not None
    parts = system.description.parts.copied()
    parts.controllers.clear()
    for name, value in given.items():
        load: Any = parts.loads[name]
        on_joint = isinstance(load, JointLoad)
        changed = {held_by(load): value} if on_joint else {load.held[0]: tuple(value), "time": None}
        parts.loads[name] = replace(load, **changed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = compile_parts(parts, system.description.gravity, system.description.cayley, "rotation")
    assert isinstance(made, MechanismSystem)
    return replace(made, q0=system.q0, v0=system.v0)
