"""A compiled mechanism with other numbers: masses, inertias, velocities at the start, and the
numbers of loads go straight into a copy of its tables.

Nothing is laid out again, which takes most of the time of `Mechanism.compile`. What changes more
than numbers (where bodies stand, what loads act along, joints) gives None: then the mechanism
has to be compiled as usual. Both ways give the same tables, bit for bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.bodies.body import Body
from isodyn.expressions.time_writer import TimeWriter
from isodyn.joints.words import Word
from isodyn.loads.laws import FormulaLaw
from isodyn.loads.part import Law, LoadForces, LoadPart, OnBody
from isodyn.mechanism.joint_rows import rows_of
from isodyn.mechanism.scales import extent, typical_length, typical_sizes
from isodyn.mechanism.system import MechanismSystem, functions_of
from isodyn.mechanism.table_writer import FunctionsOfTime
from isodyn.mechanism.world import World
from isodyn.multibody.tables import Tables

if TYPE_CHECKING:
    from isodyn.mechanism.layout import MechanismLayout
    from isodyn.systems.scales import Scales

_NUMBERS = {"mass", "inertia", "velocity", "angular_velocity", "shape"}  # of a body that no layout depends on


class Renumbering:
    """Systems like a compiled one, with other numbers of bodies and loads."""

    def __init__(self, system: MechanismSystem) -> None:
        assert system.description is not None
        self.base, self.parts = system, system.description.parts
        self.extent = extent(system.layout)

    @cached_property
    def world(self) -> World:
        """The joints of the mechanism, built once."""
        world = World(self.parts)
        rows_of(world)
        return world

    def system(self, bodies: Mapping[str, Body], loads: Mapping[str, Any]) -> MechanismSystem | None:
        """The system with these parts in place of those of their names; None where more than
        numbers would change."""
        layout = copy(self.base.layout)
        if layout.flexible or layout.states:
            return None
        layout.bodies, layout.laws, layout.loads = list(layout.bodies), list(layout.laws), list(layout.loads)
        for name, body in bodies.items():
            if not self._alike(self.parts.bodies[name], body):
                return None
            layout.bodies[layout.number[name]] = body
        parts = self.parts.copied()
        parts.bodies.update(bodies)
        parts.loads.update(loads)
        built = dict(self.base.loads)
        for name, load in loads.items():
            forces = self._forces(name, load)
            if forces is None:
                return None
            first_law, first_load = self._places[name]
            layout.laws[first_law : first_law + len(forces.laws)] = [
                replace(law, load=load.name, line=load.line) for law in forces.laws
            ]
            layout.loads[first_load : first_load + len(forces.on_bodies)] = forces.on_bodies
            built[name] = forces
        time: TimeWriter | None = None
        if any(_of_time(built[name]) for name in loads):
            time = self._time(layout)
            if time is None:
                return None
        tables = self._written(self.base.tables, layout, time)
        assert self.base.description is not None
        description = replace(self.base.description, parts=parts)
        functions = functions_of(layout, tables, self.base.scratch)
        made = replace(
            self.base,
            v0=np.concatenate([body.v0 for body in layout.bodies]) if bodies else self.base.v0,
            tables=tables,
            scratch=self.base.scratch.copy(),
            energy=functions.energy,
            retract=functions.retract,
            whole_turns=functions.whole_turns,
            fastest=functions.fastest,
            scales=self._scales(layout) if bodies else self.base.scales,
            layout=layout,
            loads=built,
            description=description,
        )
        if made.nv + made.m > made.small:
            sparse, scratch = self.base.sparse_tables
            made.__dict__["sparse_tables"] = (self._written(sparse, layout, time), scratch.copy())
        return made

    @cached_property
    def _places(self) -> dict[str, tuple[int, int]]:
        """Of every load: where its laws and its forces on bodies begin."""
        found, law, load = {}, 0, 0
        for name, forces in self.base.loads.items():
            found[name] = law, load
            law, load = law + len(forces.laws), load + len(forces.on_bodies)
        return found

    def _forces(self, name: str, load: LoadPart) -> LoadForces | None:
        """What a load does, if it differs from what it did in numbers only."""
        old = self.base.loads.get(name)
        if old is None or not isinstance(load, LoadPart) or old.along_beams:
            return None
        new = load.renumbered(self.parts.loads[name], old) or load.build(self.world)
        same = len(new.laws) == len(old.laws) and len(new.on_bodies) == len(old.on_bodies) and not new.along_beams
        same = same and all(_same_law(x, y) for x, y in zip(old.laws, new.laws, strict=True))
        same = same and all(_same_load(x, y) for x, y in zip(old.on_bodies, new.on_bodies, strict=True))
        return new if same else None

    def _alike(self, old: Body, new: Body) -> bool:
        """Whether a body stands where it stood and is of the same kind."""
        return all(
            np.array_equal(getattr(old, field.name), getattr(new, field.name))
            for field in fields(Body)
            if field.name not in _NUMBERS
        )

    def _scales(self, layout: MechanismLayout) -> Scales:
        """Typical sizes; they follow from the length of the model."""
        now = typical_length(layout.bodies, *self.extent)
        return self.base.scales if now == self._length else typical_sizes(layout, self.base.q0)

    @cached_property
    def _length(self) -> float:
        return typical_length(self.base.layout.bodies, *self.extent)

    def _time(self, layout: MechanismLayout) -> TimeWriter | None:
        """Functions of time and formulas, if they take the places of those that were there."""
        old, new = FunctionsOfTime(self.base.layout).time, FunctionsOfTime(layout).time
        alike = old.sizes() == new.sizes() and old.scratch_sizes() == new.scratch_sizes() and not layout.beams
        return new if alike else None

    def _written(self, old: Any, layout: MechanismLayout, time: TimeWriter | None) -> Tables:
        """A copy of the tables with the numbers of a layout."""
        tables = old.copy()
        base = self.base.layout
        for k, body in enumerate(layout.bodies):
            if body is not base.bodies[k]:
                tables.bodies[k].mass, tables.bodies[k].inertia = body.mass, body.inertia
        for k, law in enumerate(layout.laws):
            if law is not base.laws[k] and not isinstance(law.force, FormulaLaw):
                for one in fields(law.force):
                    setattr(tables.laws[k], one.name, getattr(law.force, one.name))
        for k, load in enumerate(layout.loads):
            if load is not base.loads[k]:
                data = tables.loads[k]
                data.vector, data.point, data.coefficient = load.vector, load.point, load.coefficient
        if time is not None:
            time.write(tables.time)
        return tables


def _same_law(old: Law, new: Law) -> bool:
    """Whether two laws differ in numbers, and in functions of time, only."""
    alike = old.kind == new.kind and old.joint == new.joint and (old.shift is None) == (new.shift is None)
    alike = alike and _same_word(old.word, new.word) and len(old.inputs) == len(new.inputs)
    return alike and all(
        x.rate == y.rate and _same_word(x.word, y.word) for x, y in zip(old.inputs, new.inputs, strict=True)
    )


def _same_load(old: OnBody, new: OnBody) -> bool:
    """Whether two forces on bodies differ in numbers, and in functions of time, only."""
    return old.kind == new.kind and old.body == new.body and (old.time is None) == (new.time is None)


def _same_word(old: Word | None, new: Word | None) -> bool:
    return old is new or (old is not None and new is not None and old.key == new.key)


def _of_time(forces: LoadForces) -> bool:
    """Whether a load has functions of time or formulas."""
    laws = any(law.shift is not None or isinstance(law.force, FormulaLaw) for law in forces.laws)
    return laws or any(load.time is not None for load in forces.on_bodies)
