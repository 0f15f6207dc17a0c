"""The piece of a mechanism that a number stands in: its part, all parts that are built on that one,
and the bodies that these speak of.

The equations of the whole differ from those at another value of the number by the equations of the
piece alone, so that a derivative costs a few evaluations of two or three bodies, however many there
are. What is not made of rigid bodies, joints and loads has no pieces.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.bodies.numbers import RIGID
from isodyn.joints import measures
from isodyn.joints.joint import Joint
from isodyn.joints.part import JointPart
from isodyn.joints.words import Row, Word
from isodyn.kernels.compiled import BALANCE, CONSTRAINT, FloatArray, IntArray, ModelFunction
from isodyn.kernels.struct import Struct
from isodyn.kernels.struct_types import number_of
from isodyn.loads.laws import FormulaLaw
from isodyn.loads.part import LoadForces, LoadPart
from isodyn.mechanism.counted import counted_angles
from isodyn.mechanism.layout import MechanismLayout
from isodyn.mechanism.parts import Parts
from isodyn.mechanism.system import MechanismSystem
from isodyn.mechanism.world import World
from isodyn.parts import Value
from isodyn.sensitivities.memory import Varied
from isodyn.systems.questions import Questions

if TYPE_CHECKING:
    from isodyn.systems.base import System

OWN_NUMBERS = ("mass", "inertia", "velocity", "angular_velocity")  # of a body, that no other part looks at
TURNS = {measures.AXES, measures.ANGLE, measures.PLANAR_ANGLE, measures.TWIST}  # of which no point is part
AFFINE = {measures.POINT, measures.OFFSET, *TURNS}
NAMES_JOINTS = (Value.JOINT, Value.JOINTS, Value.WEIGHTS)


@dataclass(frozen=True, eq=False)
class Piece:
    """Equations that a number stands in: tables at the points of a difference, those at its own
    value last; which coordinates, velocities and rows of the whole they speak of."""

    function: ModelFunction
    tables: tuple[Struct, ...]
    scratch: Struct
    q: IntArray
    v: IntArray
    rows: IntArray
    moves_mass: bool

    def answers(self, system: System) -> list[PieceQuestions]:
        """Who answers at each of the points."""
        return [PieceQuestions(system, self, one) for one in self.tables]


class PieceQuestions(Questions):
    """Questions about the whole, answered by the equations of a piece: zero in all other places."""

    def __init__(self, system: System, piece: Piece, tables: Struct) -> None:
        self.system, self.piece, self.tables = system, piece, tables

    def ask(
        self,
        what: int,
        t: float,
        q: FloatArray,
        v: FloatArray,
        a: FloatArray,
        n: int,
        lam: FloatArray | None = None,
        weights: tuple[float, float, float] = (1.0, 0.0, 0.0),
    ) -> FloatArray:
        """What the piece answers, in the places of the whole."""
        piece, c = self.piece, np.array([*weights, 1.0])
        places = piece.v if what == BALANCE else piece.rows
        found, local = np.zeros(n), np.zeros(places.size)
        lam = np.zeros(piece.rows.size) if lam is None else lam[piece.rows]
        piece.function(what, t, q[piece.q], v[piece.v], a[piece.v], lam, c, self.tables, piece.scratch, local)
        found[places] = local
        return found

    def G(self, t: float, q: FloatArray, v: FloatArray) -> FloatArray:
        """Rows of the piece, in a full matrix."""
        piece, found = self.piece, np.zeros((self.system.m, self.system.nv))
        local, none, c = np.zeros(piece.rows.size * piece.v.size), np.zeros(piece.rows.size), np.ones(4)
        here = v[piece.v]
        piece.function(CONSTRAINT, t, q[piece.q], here, here, none, c, self.tables, piece.scratch, local)
        found[np.ix_(piece.rows, piece.v)] = local.reshape(piece.rows.size, piece.v.size)
        return found


class Pieces:
    """The pieces of a compiled mechanism."""

    def __init__(self, system: MechanismSystem) -> None:
        assert system.description is not None
        self.system, self.parts = system, system.description.parts
        parts = self.parts
        others = (parts.beams, parts.rods, parts.flexible, parts.states, parts.controllers, parts.contacts)
        self.possible = type(system) is MechanismSystem and not any(others)
        self.possible = self.possible and all(body.kind in RIGID for body in parts.bodies.values())

    @cached_property
    def users(self) -> dict[str, list[str]]:
        """Joints and loads that are built on a part, by the name of that part."""
        found: dict[str, list[str]] = {}
        for name, part in (*self.parts.joints.items(), *self.parts.loads.items()):
            named = {use.name for use in part.uses()}
            if name in self.system.loads:
                words = [word for law in self.system.loads[name].laws for word in law.all_words()]
                named |= {x for word in words for x in (word.owner, word.first, word.second)}
                named |= {one.body for one in self.system.loads[name].on_bodies}
            for other in named - {name}:
                found.setdefault(other, []).append(name)
        return found

    def built_on(self, part: str) -> set[str]:
        """A part, and all joints and loads that are built on it."""
        found, waiting = {part}, [part]
        while waiting:
            for name in self.users.get(waiting.pop(), ()):
                if name not in found:
                    found.add(name)
                    waiting.append(name)
        return found

    def is_affine(self, joint: str) -> bool:
        """Whether all equations are affine in the point of a joint: its points in the bodies stand
        in distances along fixed directions alone, and no force looks at these distances."""
        if not self.possible:
            return False
        for name in self.built_on(joint):
            if name in self.system.joints:
                rows = [self.system.layout.rows[k] for k in self.system.joints[name].rows]
                kinds = {word.kind for row in rows for _, word in row.terms}
                known = isinstance(self.parts.joints[name], Joint) and name == joint and kinds <= AFFINE
            else:
                forces = self.system.loads[name]
                known = not forces.on_bodies and not forces.along_beams
                known = known and all(word.kind in TURNS for law in forces.laws for word in law.all_words())
            if not known:
                return False
        return True

    def piece(self, part: str, path: Sequence[str], values: Iterable[Any]) -> Piece | None:
        """The piece of a number in a part; `values` are the part at the points of a difference."""
        if not self.possible:
            return None
        body = self.parts.bodies.get(part)
        alone = body is not None and path[0] in OWN_NUMBERS
        names = {part} if alone else self.built_on(part)
        known = [name for name in self.parts.bodies if name == part] if alone else None
        layouts = [self.layout(names, {part: one}, known) for one in values]
        own = self.layout(names, {}, known)
        if own is None or any(one is None or not alike(one, own) for one in layouts):
            return None
        places = self.places(own, names)
        if places is None:
            return None
        made, scratch = own.build(sparse=False)
        tables = [with_numbers_of(one, own, made) for one in layouts if one is not None]
        return Piece(self.system.function, (*tables, made), scratch, *places, moves_mass=body is not None)

    def layout(self, names: set[str], changed: Mapping[str, Any], bodies: list[str] | None) -> MechanismLayout | None:
        """The parts of a piece, some of them changed; None where it is no mechanism of rigid bodies
        and ideal joints."""
        parts = self.parts if not changed else self.with_parts(changed)
        world = World(parts)
        self.build_joints(world, names)
        rows = [replace(row, joint=name) for name in parts.joints if name in names for row in world.joints[name].rows]
        rows = [row for row in rows if row.holonomic] + [row for row in rows if not row.holonomic]
        forces = {name: self.forces(world, name) for name in parts.loads if name in names}
        if any(one is None or one.along_beams or any(law.joint for law in one.laws) for one in forces.values()):
            return None
        laws = [replace(law, load=name) for name, one in forces.items() if one is not None for law in one.laws]
        loads = [load for one in forces.values() if one is not None for load in one.on_bodies]
        angles = counted_angles(rows, laws, [])
        if bodies is None:
            spoken = {name for word in words_of(rows, laws) for name in (word.first, word.second)}
            spoken |= {load.body for load in loads}
            bodies = [name for name in parts.bodies if name in spoken or name in names]
        description = self.system.description
        assert description is not None
        own = [parts.bodies[name] for name in bodies]
        return MechanismLayout(own, rows, laws, loads, {}, description.gravity, description.cayley, angles=angles)

    def with_parts(self, changed: Mapping[str, Any]) -> Parts:
        """The parts, with some in the place of those of their names."""
        parts = self.parts.copied()
        for name, part in changed.items():
            for group in (parts.bodies, parts.joints, parts.loads):
                if name in group:
                    group[name] = part
        return parts

    def forces(self, world: World, name: str) -> LoadForces | None:
        """What a load does."""
        load = world.parts.loads[name]
        return load.build(world) if isinstance(load, LoadPart) else None

    def build_joints(self, world: World, names: set[str]) -> None:
        """Build joints, after those that they and loads are built on."""
        wanted = {name for name in names if name in world.parts.joints}
        for load in (world.parts.loads[name] for name in names if name in world.parts.loads):
            wanted |= {use.name for use in load.uses() if use.value in NAMES_JOINTS}
            wanted |= {word.owner for law in self.system.loads[load.name].laws for word in law.all_words()}
        waiting = list(wanted)
        while waiting:
            joint = world.parts.joints.get(waiting.pop())
            for use in joint.uses() if joint is not None else ():
                if use.value in NAMES_JOINTS and use.name not in wanted:
                    wanted.add(use.name)
                    waiting.append(use.name)
        found = [joint for name, joint in world.parts.joints.items() if name in wanted and isinstance(joint, JointPart)]
        for joint in sorted(found, key=lambda joint: joint.names_joints()):
            world.joints[joint.name] = joint.build(world)

    def places(self, piece: MechanismLayout, names: set[str]) -> tuple[IntArray, IntArray, IntArray] | None:
        """Where the whole has the coordinates, velocities and rows of a piece."""
        whole = self.system.layout
        numbers = [whole.number[body.name] for body in piece.bodies]
        q = [np.arange(whole.first_q[k], whole.first_q[k + 1]) for k in numbers]
        v = [np.arange(whole.first_v[k], whole.first_v[k + 1]) for k in numbers]
        columns = [whole.column_of(angle.word) for angle in piece.angles]
        if any(column is None for column in columns):
            return None
        of_joints = {name: iter(self.system.joints[name].rows) for name in names if name in self.system.joints}
        rows = [next(of_joints[row.joint]) for row in piece.rows]
        empty = np.zeros(0, dtype=np.int64)
        q_places = np.concatenate([empty, *q, np.array(columns, dtype=np.int64)])
        return q_places, np.concatenate([empty, *v]), np.array(rows, dtype=np.int64)


def words_of(rows: Sequence[Row], laws: Sequence[Any]) -> list[Word]:
    """All measures of rows and laws."""
    return [word for row in rows for _, word in row.terms] + [word for law in laws for word in law.all_words()]


def alike(one: MechanismLayout, other: MechanismLayout) -> bool:
    """Whether two pieces differ in numbers only."""

    def shape(layout: MechanismLayout) -> tuple[object, ...]:
        words = [(word.kind, word.first, word.second) for word in layout.words]
        rows = [(row.joint, row.label, row.holonomic, len(row.terms)) for row in layout.rows]
        laws = [(law.kind, len(law.inputs)) for law in layout.laws]
        angles = [(angle.word.kind, angle.word.first, angle.word.second) for angle in layout.angles]
        bodies = [(body.name, body.kind) for body in layout.bodies]
        return words, rows, laws, [(x.kind, x.body) for x in layout.loads], angles, bodies

    return bool(shape(one) == shape(other))


def with_numbers_of(layout: MechanismLayout, own: MechanismLayout, tables: Any) -> Any:
    """The tables of a piece like `own`, whose tables are known: a copy with other numbers, unless
    there are others among functions of time and formulas."""
    timed = [(x.target, y.target) for x, y in zip(layout.rows, own.rows, strict=True)]
    timed += [(x.shift, y.shift) for x, y in zip(layout.laws, own.laws, strict=True)]
    timed += [(x.time, y.time) for x, y in zip(layout.loads, own.loads, strict=True)]
    constant = all(x is y or (type(x) is float and x == y) for x, y in timed)
    if not constant or any(isinstance(law.force, FormulaLaw) for law in layout.laws):
        return layout.build(sparse=False)[0]
    made = tables.copy()
    for k, body in enumerate(layout.bodies):
        if body is not own.bodies[k]:
            made.bodies[k].mass, made.bodies[k].inertia = body.mass, body.inertia
    for k, word in enumerate(layout.words):
        made.measures[k].word.words[:] = word.numbers.words
    weights = [weight for row in layout.rows for weight, _ in row.terms]
    for k, weight in enumerate(weights):
        made.terms[k].weight = weight
    coincident = layout.coincidences()
    for k, count in enumerate(coincident):
        made.rows[k].coincident = count
    for k, law in enumerate(layout.laws):
        for one in fields(law.force):
            setattr(made.laws[k], one.name, getattr(law.force, one.name))
    for k, load in enumerate(layout.loads):
        made.loads[k].vector, made.loads[k].point, made.loads[k].coefficient = load.vector, load.point, load.coefficient
    for k, angle in enumerate(layout.angles):
        made.turns[k].word.words[:] = angle.word.numbers.words
    return made


def with_other_gravity(system: MechanismSystem, values: Sequence[FloatArray]) -> Piece | None:
    """The whole of a mechanism of rigid bodies with other weights."""
    if not Pieces(system).possible:
        return None
    model = system.dense_model()
    tables = []
    for gravity in values:
        one: Any = model.tables.copy()
        one.gravity = gravity
        tables.append(one)
    every = np.arange(system.nq), np.arange(system.nv), np.arange(system.m)
    return Piece(model.function, (*tables, model.tables), model.scratch, *every, moves_mass=False)


def new_varied(pieces: Sequence[Piece], weights: Sequence[Sequence[float]]) -> Varied:
    """The pieces of all parameters, as kernels read them, and the weights of their points."""
    places = {name: [getattr(piece, name) for piece in pieces] for name in ("q", "v", "rows")}
    sizes = {name: [one.size for one in arrays] for name, arrays in places.items()}
    varied = Varied(
        parameters=len(pieces),
        parameters_and_one=len(pieces) + 1,
        of_q=sum(sizes["q"]),
        of_v=sum(sizes["v"]),
        of_rows=sum(sizes["rows"]),
        most_q=max(sizes["q"]),
        most_v=max(sizes["v"]),
        most_rows=max(sizes["rows"]),
    )
    varied.first_q, varied.first_v, varied.first_row = (np.cumsum([0, *one]) for one in sizes.values())
    varied.q_of, varied.v_of, varied.row_of = (np.concatenate(arrays) for arrays in places.values())
    varied.scratch = [number_of(piece.scratch) for piece in pieces]
    for j, (piece, by) in enumerate(zip(pieces, weights, strict=True)):
        *others, own = piece.tables
        varied.tables[j] = [number_of(one) for one in (*others, *[own] * (5 - len(others)))]
        varied.weights[j, : len(others)], varied.weights[j, 4] = by[:-1], by[-1]
        varied.in_balance[j] = any(_differ(one, own) for one in others)
        varied.in_rows[j] = piece.rows.size > 0
        varied.in_range[j] = piece.rows.size > 0 or piece.moves_mass
    return varied


def _differ(one: Struct, other: Struct) -> bool:
    """Whether two structs hold other numbers."""
    words = one.__dict__["_integers"], other.__dict__["_integers"]
    return not np.array_equal(*words)
