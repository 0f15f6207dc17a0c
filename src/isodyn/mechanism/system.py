"""A mechanism that is compiled: a system like any other, that still knows its parts by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from isodyn.bodies.body import QUANTITIES, Body
from isodyn.joints.actions import Action
from isodyn.joints.part import Symbol
from isodyn.joints.words import Pair, Row, Word, ground_body
from isodyn.kernels.compiled import (
    CONSTANT_MASS,
    COUNTS_TURNS,
    KNOWS_LEVELS,
    KNOWS_MASS,
    KNOWS_RATE,
    KNOWS_TANGENT,
    POSITION,
    REACTS,
    RETRACT,
    RETRACTS,
    SETTLE,
    UNTOLD,
    FloatArray,
)
from isodyn.loads.laws import BY_FORMULA, FRICTION, LIMIT, SPRING, FrictionLaw
from isodyn.loads.part import LoadForces
from isodyn.mechanism.beam_part import BeamPart, resolve
from isodyn.mechanism.layout import MechanismLayout
from isodyn.mechanism.parts import Parts
from isodyn.mechanism.rod_part import RodPart
from isodyn.mechanism.scales import typical_sizes
from isodyn.mechanism.winding import winding_of
from isodyn.multibody import energy_passes
from isodyn.multibody.histories import value_at_start
from isodyn.multibody.model import mechanism_energy, mechanism_model
from isodyn.multibody.tables import Scratch, Tables
from isodyn.multibody.turns import told_turn
from isodyn.systems.checks import untold
from isodyn.systems.contacts import ContactSet
from isodyn.systems.energies import EnergyOfRows
from isodyn.systems.tabled import TabledSystem

ELASTIC = (SPRING, LIMIT, BY_FORMULA)  # laws whose forces follow from a measure


@dataclass(frozen=True, eq=False)
class JointParts:
    """What is left of a joint after compilation: its geometry, its rows, its coordinates, and where
    it acts and how it is drawn."""

    name: str
    pair: Pair | None
    rows: tuple[int, ...]
    coordinates: dict[str, Word]
    action: Action
    symbol: Symbol = Symbol.NONE


@dataclass(frozen=True, eq=False)
class Description:
    """The parts that a system was compiled from, as they were then."""

    parts: Parts
    gravity: FloatArray
    cayley: bool


@dataclass(frozen=True, eq=False, repr=False)
class MechanismSystem(TabledSystem):
    """The compiled system of a `Mechanism`."""

    tables: Tables = None  # type: ignore[assignment]
    scratch: Scratch = None  # type: ignore[assignment]
    layout: MechanismLayout = None  # type: ignore[assignment]
    joints: dict[str, JointParts] = field(default_factory=dict)
    loads: dict[str, LoadForces] = field(default_factory=dict)
    description: Description | None = None
    contacts: ContactSet | None = None
    # the system that a run began with, and what its loads did in it: functions of time by load, or three
    held_in_run: tuple[MechanismSystem, dict[str, Any]] | None = None

    small: ClassVar[int] = 24
    ideal_at_rest: ClassVar[bool] = True  # type: ignore[misc]

    @property
    def bodies(self) -> list[Body]:
        return self.layout.bodies[: len(self.layout.bodies) - len(self.layout.states)]

    @property
    def states(self) -> int:  # type: ignore[override]
        return len(self.layout.states)

    @property
    def nonideal(self) -> bool:  # type: ignore[override]
        """Whether the reaction of a joint makes friction."""
        return any(isinstance(law.force, FrictionLaw) and law.force.by_reaction for law in self.layout.laws)

    @property
    def rows(self) -> list[Row]:
        return self.layout.rows

    @cached_property
    def beams(self) -> dict[str, BeamPart]:
        return {beam.name: beam for beam in self.layout.beams}

    @cached_property
    def rods(self) -> dict[str, RodPart]:
        return {rod.name: rod for rod in self.layout.rods}

    @cached_property
    def lines(self) -> dict[str, BeamPart | RodPart]:
        """Beams and rods: what has nodes by name."""
        return {**self.beams, **self.rods}

    def number_of(self, name: str) -> int:
        """Number of a body, or of a node of a beam by any of its names."""
        return self.layout.number[resolve(name, self.lines)]

    def q_of(self, name: str) -> slice:
        """Where the coordinates of a body are in q."""
        k = self.number_of(name)
        return slice(int(self.layout.first_q[k]), int(self.layout.first_q[k + 1]))

    def v_of(self, name: str) -> slice:
        """Where the velocities of a body are in v and a."""
        k = self.number_of(name)
        return slice(int(self.layout.first_v[k]), int(self.layout.first_v[k + 1]))


class Functions(NamedTuple):
    """What a mechanism answers to Python, from its tables."""

    energy: EnergyOfRows
    retract: Callable[[FloatArray, FloatArray], FloatArray] | None
    whole_turns: Callable[[FloatArray, float], FloatArray] | None
    fastest: Callable[[FloatArray, FloatArray], tuple[str, float, float]] | None


def make_system(layout: MechanismLayout, joints: dict[str, JointParts]) -> MechanismSystem:
    """The system of these parts."""
    start = start_of(layout)
    tables, scratch = layout.build(sparse=False)
    turning = _turns(layout)
    first = int(layout.first_q[-1])  # where counted angles begin in q
    names = [body.coordinate_names() for body in layout.bodies]
    traits = KNOWS_MASS | KNOWS_TANGENT | KNOWS_LEVELS
    traits |= 0 if layout.flexible else CONSTANT_MASS
    traits |= RETRACTS | KNOWS_RATE if turning else 0
    traits |= REACTS if any(law.kind == FRICTION for law in layout.laws) else 0
    counted = _moved(tables, scratch.copy(), start, np.zeros(layout.nv))[0][first:]
    q0 = np.append(start[:first], counted)
    functions = functions_of(layout, tables, scratch)
    return MechanismSystem(
        mechanism_model,
        traits | (COUNTS_TURNS if layout.angles else 0),
        q0,
        np.concatenate([body.v0 for body in layout.bodies]),
        tables,
        scratch,
        functions.energy,
        functions.retract,
        winding_of(layout).difference if turning else None,
        names=(*(x for q, _ in names for x in q), *(angle.name for angle in layout.angles)),
        v_names=tuple(x for _, v in names for x in v),
        m=len(layout.rows),
        m_phi=sum(row.holonomic for row in layout.rows),
        row_names=tuple(row.name for row in layout.rows),
        alike=alike_of(layout),
        elastic=bool(layout.beams or layout.rods or layout.flexible) or any(law.kind in ELASTIC for law in layout.laws),
        scales=typical_sizes(layout, q0),
        turns=len(layout.angles),
        whole_turns=functions.whole_turns,
        fastest=functions.fastest,
        layout=layout,
        joints=joints,
    )


def _turns(layout: MechanismLayout) -> bool:
    """Whether q is no vector space."""
    return any(body.kind == "spatial" for body in layout.bodies) or bool(layout.angles)


def _moved(tables: Tables, scratch: Scratch, q: FloatArray, d: FloatArray) -> tuple[FloatArray, int]:
    """q ⊕ d, and whether d told the turns of all counted angles."""
    c, none = np.array([1.0, 0.0, 0.0, 1.0]), np.zeros(0)
    q, d, out = np.ascontiguousarray(q), np.ascontiguousarray(d), np.empty(q.size)
    status = mechanism_model(RETRACT, 0.0, q, d, none, none, c, tables, scratch, out)
    mechanism_model(
        SETTLE, 0.0, q, d, none, none, c, tables, scratch, out
    )  # off the constraints, too, where angles mean little
    return out, int(status)


def functions_of(layout: MechanismLayout, tables: Tables, first_scratch: Scratch) -> Functions:
    """The functions of a system with these tables; they work in scratch memory of their own."""
    scratch, first = first_scratch.copy(), int(layout.first_q[-1])

    def retract(q: FloatArray, d: FloatArray) -> FloatArray:
        out, status = _moved(tables, scratch, q, d)
        if status == UNTOLD and np.any(d):
            name, told, seen = fastest(q, d)
            raise untold(name, told, seen, "in one increment")
        return out

    def fastest(q: FloatArray, d: FloatArray) -> tuple[str, float, float]:
        """The counted angle that its increment describes worst: its name, how far the increment
        turns it, and what the poses say."""
        said = _moved(tables, scratch, q, d)[0][first:] - q[first:]
        told = [told_turn(k, np.ascontiguousarray(q), np.ascontiguousarray(d), tables) for k in range(said.size)]
        worst = int(np.abs(told - said).argmax())
        return layout.angles[worst].name, float(told[worst]), float(said[worst])

    def whole_turns(q: FloatArray, t: float) -> FloatArray:
        """q as a run may start from it at t: screws and drives in the turns that are nearest."""
        q = q.copy()
        for column, turns in free_turns(layout, tables, scratch, q, t).items():
            q[column] += turns
        return q

    def energy(q: FloatArray, v: FloatArray, t: float) -> tuple[float, float]:
        out = np.empty(2 + layout.nodal)
        mechanism_energy(t, np.ascontiguousarray(q), np.ascontiguousarray(v), tables, scratch, out)
        return float(out[0]), float(out[1])

    def energies(q: FloatArray, v: FloatArray, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        work, out = np.empty(2 + layout.nodal), np.empty((2, t.size))
        times, places, rates = (np.ascontiguousarray(x) for x in (t, q, v))
        energy_passes.energy_of_rows(times, places, rates, tables, scratch, work, out)
        return out[0], out[1]

    return Functions(
        EnergyOfRows(energy, energies),
        retract if _turns(layout) else None,
        whole_turns if any(row.any_turn for row in layout.rows) else None,
        fastest if layout.angles else None,
    )


def alike_of(layout: MechanismLayout) -> tuple[int, ...]:
    """Which velocities have one unit, by numbers; each state has its own."""
    found = [int(k) for body in layout.bodies for k in QUANTITIES[body.kind][1]]
    for k in range(len(layout.states)):
        found[-1 - k] += k
    return tuple(found)


def start_of(layout: MechanismLayout) -> FloatArray:
    """q at the start: angles within half a turn, except where a row tells their whole turns there
    (screws, drives).

    Rows that hold what their sum is at the start then hold it with these turns.
    """
    ground = ground_body()
    bodies = {body.name: body for body in layout.bodies} | {ground.name: ground}
    start = [value_at_start(angle.word, bodies[angle.word.first], bodies[angle.word.second]) for angle in layout.angles]
    q0 = np.concatenate([*(body.q0 for body in layout.bodies), start])
    if not any(row.any_turn for row in layout.rows):
        return q0
    more = free_turns(layout, *layout.build(sparse=False), q0, 0.0)
    for column, turns in more.items():
        q0[column] += turns
    for r, row in enumerate(layout.rows):
        if row.as_at_start:
            places = [(weight, layout.column_of(word)) for weight, word in row.terms]
            added = sum(weight * more.get(place, 0.0) for weight, place in places if place is not None)
            layout.rows[r] = replace(row, target=row.target + added)
    return q0


def free_turns(layout: MechanismLayout, tables: Tables, scratch: Scratch, q: FloatArray, t: float) -> dict[int, float]:
    """Whole turns, by place in q, that bring the rows of screws and drives nearest to zero at t."""
    phi, v = np.zeros(len(layout.rows)), np.zeros(layout.nv)
    c = np.array([1.0, 0.0, 0.0, 1.0])
    mechanism_model(POSITION, t, np.ascontiguousarray(q), v, v, v, c, tables, scratch, phi)
    more: dict[int, float] = {}
    for r, row in enumerate(layout.rows):
        for weight, word in row.terms if row.any_turn else ():
            column = layout.column_of(word)
            if column is not None and column not in more:
                more[column] = -2 * np.pi * float(np.round(phi[r] / (2 * np.pi * weight)))
    return more
