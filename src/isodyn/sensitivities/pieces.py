"""The piece of a mechanism that a number stands in: its part, all parts that are built on that one,
and the bodies that these speak of.

The equations of the whole differ from those at another value of the number by the equations of the
piece alone, so that a derivative costs a few evaluations of two or three bodies, however many there
are. What is not made of rigid bodies, joints and loads has no pieces.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.bodies.numbers import RIGID
from isodyn.joints import measures
from isodyn.joints.joint import Joint
from isodyn.joints.part import JointPart, JointRows
from isodyn.joints.words import Word
from isodyn.kernels.compiled import BALANCE, CONSTRAINT, FloatArray, IntArray, ModelFunction
from isodyn.kernels.struct import Struct
from isodyn.kernels.struct_types import number_of
from isodyn.loads.part import LoadForces, LoadPart
from isodyn.mechanism.counted import counted_angles
from isodyn.mechanism.layout import MechanismLayout
from isodyn.mechanism.parts import Parts
from isodyn.mechanism.system import MechanismSystem
from isodyn.mechanism.world import World
from isodyn.parts import Value
from isodyn.sensitivities.memory import Varied
from isodyn.sensitivities.same_shape import alike, proportional, shape, with_numbers_of, words_of
from isodyn.systems.model import Model
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

    def answers(self, system: System) -> list[Questions]:
        """Who answers at each of the points, in the places of the whole; zeros elsewhere."""
        return [Questions(system, Model(self.spread, 0, one, self.scratch)) for one in self.tables]

    def spread(
        self,
        what: int,
        t: float,
        q: FloatArray,
        v: FloatArray,
        a: FloatArray,
        lam: FloatArray,
        c: FloatArray,
        tables: Struct,
        scratch: Struct,
        out: FloatArray,
    ) -> int:
        """A question of `isodyn.kernels.compiled` about the whole, to the equations of the piece;
        balance, rows and G are asked for."""
        places = self.v if what == BALANCE else self.rows
        size = places.size * (self.v.size if what == CONSTRAINT else 1)
        local, lam = np.zeros(size), lam[self.rows]
        status = self.function(what, t, q[self.q], v[self.v], a[self.v], lam, c, tables, scratch, local)
        if what == CONSTRAINT:
            G = out.reshape(-1, v.size)
            G[np.ix_(self.rows, self.v)] = local.reshape(self.rows.size, self.v.size)
        else:
            out[places] = local
        return int(status)


@dataclass(frozen=True, eq=False)
class OwnPiece:
    """A piece as it is: names of its parts, and its places in the whole."""

    names: set[str]
    layout: MechanismLayout
    tables: Struct
    scratch: Struct
    places: tuple[IntArray, IntArray, IntArray]


class Pieces:
    """The pieces of a compiled mechanism."""

    def __init__(self, system: MechanismSystem) -> None:
        assert system.description is not None
        self.system, self.parts = system, system.description.parts
        parts = self.parts
        others = (parts.beams, parts.rods, parts.flexible, parts.states, parts.controllers, parts.contacts)
        self.possible = type(system) is MechanismSystem and not any(others)
        self.possible = self.possible and all(body.kind in RIGID for body in parts.bodies.values())
        self.own: dict[tuple[str, bool], OwnPiece | None] = {}
        self.built: dict[Any, tuple[MechanismLayout, Any, Any]] = {}  # by what they differ in but for numbers
        self.joints: dict[str, JointRows] = {}  # as they are

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

    def is_factor(self, load: str, value: float, other: object, other_value: float) -> bool:
        """Whether a number of a load is a factor of its forces, and nothing else of it: so it seems
        at another value of the number, at which the load is `other`."""
        if not self.possible or value == 0.0 or not isinstance(other, LoadPart):
            return False
        world = World(self.with_parts({load: other}))
        forces = self.forces(world, load)
        return forces is not None and proportional(self.system.loads[load], forces, other_value / value)

    def piece(self, part: str, path: Sequence[str], values: Iterable[Any]) -> Piece | None:
        """The piece of a number in a part; `values` are the part at the points of a difference."""
        if not self.possible:
            return None
        alone = part in self.parts.bodies and path[0] in OWN_NUMBERS
        own = self.own_piece(part, alone)
        if own is None:
            return None
        layouts = [self.layout(own.names, {part: one}, alone) for one in values]
        if any(one is None or not alike(one, own.layout) for one in layouts):
            return None
        tables = [with_numbers_of(one, own.layout, own.tables) for one in layouts if one is not None]
        moves_mass = part in self.parts.bodies
        return Piece(self.system.function, (*tables, own.tables), own.scratch, *own.places, moves_mass=moves_mass)

    def own_piece(self, part: str, alone: bool) -> OwnPiece | None:
        """The equations of a part as they are; `alone` without those of what is built on it."""
        if (part, alone) not in self.own:
            names = {part} if alone else self.built_on(part)
            layout = self.layout(names, {}, alone)
            places = None if layout is None else self.places(layout, names)
            made = None
            if layout is not None and places is not None:
                made = OwnPiece(names, layout, *self.tables(layout), places)
            self.own[part, alone] = made
        return self.own[part, alone]

    def tables(self, layout: MechanismLayout) -> tuple[Any, Any]:
        """Tables and scratch of a piece; of pieces that differ in numbers only, they are written
        once and then copied."""
        key = shape(layout)
        if key not in self.built:
            self.built[key] = layout, *layout.build(sparse=False)
            return self.built[key][1:]
        like, tables, scratch = self.built[key]
        return with_numbers_of(layout, like, tables), scratch

    def layout(self, names: set[str], changed: Mapping[str, Any], alone: bool) -> MechanismLayout | None:
        """The parts of a piece, some of them changed; None where it is no mechanism of rigid bodies
        and ideal joints."""
        parts = self.parts if not changed else self.with_parts(changed)
        world = World(parts)
        self.build_joints(world, names, changed=bool(changed))
        joints, loads_of, bodies_of = (
            self.ordered(group, names) for group in (parts.joints, parts.loads, parts.bodies)
        )
        rows = [replace(row, joint=name) for name in joints for row in world.joints[name].rows]
        rows = [row for row in rows if row.holonomic] + [row for row in rows if not row.holonomic]
        forces = {name: self.forces(world, name) if changed else self.system.loads.get(name) for name in loads_of}
        if any(one is None or one.along_beams or any(law.joint for law in one.laws) for one in forces.values()):
            return None
        laws = [replace(law, load=name) for name, one in forces.items() if one is not None for law in one.laws]
        loads = [load for one in forces.values() if one is not None for load in one.on_bodies]
        angles = counted_angles(rows, laws, [])
        if not alone:
            spoken = {name for word in words_of(rows, laws) for name in (word.first, word.second)}
            bodies_of = self.ordered(parts.bodies, spoken | {load.body for load in loads} | names)
        description = self.system.description
        assert description is not None
        own = [parts.bodies[name] for name in bodies_of]
        return MechanismLayout(own, rows, laws, loads, {}, description.gravity, description.cayley, angles=angles)

    def ordered(self, group: Mapping[str, Any], names: Iterable[str]) -> list[str]:
        """Those names that are in a group of parts, in the order of the mechanism."""
        return sorted((name for name in names if name in group), key=self.order.__getitem__)

    @cached_property
    def order(self) -> dict[str, int]:
        """Places of bodies, joints and loads among their kind."""
        groups = self.parts.bodies, self.parts.joints, self.parts.loads
        return {name: k for group in groups for k, name in enumerate(group)}

    def with_parts(self, changed: Mapping[str, Any]) -> Parts:
        """The parts, with some in the place of those of their names."""
        groups = {name: getattr(self.parts, name) for name in ("bodies", "joints", "loads")}
        made = {
            name: {**group, **{key: part for key, part in changed.items() if key in group}}
            for name, group in groups.items()
            if any(key in group for key in changed)
        }
        return replace(self.parts, **made)

    def forces(self, world: World, name: str) -> LoadForces | None:
        """What a load does; it is built where more than numbers of its law may be others."""
        load, own = world.parts.loads[name], self.parts.loads[name]
        if not isinstance(load, LoadPart):
            return None
        known = None if load is own else load.renumbered(own, self.system.loads[name])
        if known is not None:
            return known
        self.build_joints(world, {name}, changed=False)
        return load.build(world)

    def build_joints(self, world: World, names: set[str], *, changed: bool) -> None:
        """Build joints, after those that they and loads are built on; joints that have not
        `changed` with the part that `names` are built on are built once for all pieces."""
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
        parts = world.parts.joints
        found = [joint for name in self.ordered(parts, wanted) if isinstance(joint := parts[name], JointPart)]
        for joint in sorted(found, key=lambda joint: joint.names_joints()):
            if changed and joint.name in names:
                world.joints[joint.name] = joint.build(world)
                continue
            if joint.name not in world.joints:
                world.joints[joint.name] = self.own_joint(joint.name)

    def own_joint(self, name: str) -> JointRows:
        """A joint as it is, which the system has built."""
        if name not in self.joints:
            one = self.system.joints[name]
            rows = [self.system.layout.rows[k] for k in one.rows]
            self.joints[name] = JointRows(rows, one.action, one.pair, one.coordinates, one.symbol)
        return self.joints[name]

    def moves_coordinates(self, part: str, values: Sequence[Any], named: Mapping[str, str]) -> bool:
        """Whether coordinates of joints, given by the names of these, are measured in another way
        where a part has one of these values."""
        touched = self.built_on(part) & named.keys()
        for one in values if touched else ():
            world = World(self.with_parts({part: one}))
            self.build_joints(world, self.built_on(part), changed=True)
            for name in touched:
                pair = (joints[name].coordinates[named[name]] for joints in (self.system.joints, world.joints))
                if not measure_alike(*pair):
                    return True
        return False

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


def measure_alike(one: Word, other: Word) -> bool:
    """Whether two measures between the same bodies are the same; of angles, whatever their points
    are."""
    if one.kind != other.kind or one.kind not in TURNS:
        return one.key == other.key
    numbers = [word.numbers.copy() for word in (one, other)]
    for each in numbers:
        each.s_i[:], each.s_j[:] = 0.0, 0.0
    return np.array_equal(numbers[0].words, numbers[1].words)


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
