"""What a compiled mechanism consists of, by name and number: bodies, rows, laws, loads, beams and
counted angles, and the patterns of its matrices; `build` writes the tables of the model
(isodyn.multibody.tables)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np

from isodyn.beams.layout import Load, PlacedElement
from isodyn.bodies.body import Body
from isodyn.expressions.time import Polynomial, as_time_function
from isodyn.joints.measures import PLANAR_ANGLE, POINT, TANGENT_ANGLE
from isodyn.joints.words import Row, Word
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.linear_solvers.blocks import Sparsity
from isodyn.loads.part import Law, OnBody
from isodyn.mechanism.beam_part import BeamPart
from isodyn.mechanism.counted import CountedAngle
from isodyn.mechanism.flexible_part import FlexiblePart
from isodyn.mechanism.hull_writer import HullRows
from isodyn.mechanism.point_rod_part import PointRodPart
from isodyn.mechanism.rod_part import RodPart
from isodyn.mechanism.states import ContinuousState
from isodyn.mechanism.table_writer import TableWriter
from isodyn.multibody.tables import Scratch, Tables
from isodyn.parts.block_pattern import BlockPattern

# words whose stiffness does not couple the two bodies
_UNCOUPLED = {POINT, PLANAR_ANGLE, TANGENT_ANGLE}


@dataclass(eq=False)
class MechanismLayout:
    """Parts of a mechanism in the order of its equations."""

    bodies: list[Body]
    rows: list[Row]
    laws: list[Law]
    loads: list[OnBody]
    reactions: dict[str, tuple[int, int]]  # first row of every joint, and how many of them are forces
    gravity: FloatArray
    cayley: bool = False
    words: list[Word] = field(default_factory=list)
    beams: tuple[BeamPart, ...] = ()
    rods: tuple[RodPart, ...] = ()
    flexible: tuple[FlexiblePart, ...] = ()
    states: tuple[ContinuousState, ...] = ()  # which come last among the bodies
    spreads: list[Load] = field(default_factory=list)
    held: tuple[str, ...] = ()  # bodies that users' parts speak of
    angles: tuple[CountedAngle, ...] = ()  # whose whole turns are counted; they come last in q
    hulls: HullRows | None = None  # of contacts of convex bodies

    def __post_init__(self) -> None:
        self.number = {body.name: k for k, body in enumerate(self.bodies)}
        self.number["ground"] = self.ground = len(self.bodies)
        self.first_v = np.concatenate([[0], np.cumsum([body.v0.size for body in self.bodies])]).astype(np.int64)
        self.first_q = np.concatenate([[0], np.cumsum([body.q0.size for body in self.bodies])]).astype(np.int64)
        # in this order: words of rows, of laws, of the inputs of formulas
        self.words = [word for row in self.rows for _, word in row.terms] + [law.word for law in self.laws]
        self.words += [item.word for law in self.laws for item in law.inputs if item.word is not None]
        self.elements = [
            PlacedElement(
                self.number[beam.nodes[e.first].name],
                self.number[beam.nodes[e.second].name],
                e,
                beam.mesh.energy,
                beam.mesh.dim,
            )
            for beam in self.beams
            for e in beam.mesh.elements
        ]
        exact = [rod for rod in self.rods if not isinstance(rod, PointRodPart)]
        self.rod_ends = [(self.number[a.name], self.number[b.name]) for rod in exact for a, b in pairwise(rod.nodes)]
        self.rod_points = [
            tuple(self.number[point.name] for point in rod.points[3 * k : 3 * k + 6])
            for rod in self.rods
            if isinstance(rod, PointRodPart)
            for k in range(rod.lengths.size)
        ]
        self.members = [[self.number[one.name] for one in part.members] for part in self.flexible]
        self.counted = {angle.word.key: k for k, angle in enumerate(self.angles)}
        self.nodal = sum(body.v0.size for body in self.bodies if body.of_beam)

    @property
    def nv(self) -> int:
        return int(self.first_v[-1])

    @property
    def nq(self) -> int:
        return int(self.first_q[-1]) + len(self.angles)

    def column_of(self, word: Word) -> int | None:
        """Where q holds the value of a word, if it is a counted angle."""
        k = self.counted.get(word.key)
        return None if k is None else int(self.first_q[-1]) + k

    def bodies_of(self, word: Word) -> tuple[int, int]:
        """Numbers of the two bodies of a word."""
        return self.number[word.first], self.number[word.second]

    def row_bodies(self, row: Row) -> list[int]:
        """Moving bodies that a row speaks of, in order."""
        numbers = {k for _, word in row.terms for k in self.bodies_of(word)}
        return sorted(numbers - {self.ground})

    @cached_property
    def pattern(self) -> BlockPattern:
        """Blocks of J: between bodies that share an element or a word whose stiffness couples
        them, and among all that a formula speaks of."""
        groups: list[tuple[int, ...]] = [(x.first, x.second) for x in self.elements]
        groups += [*self.rod_ends, *self.rod_points]
        groups += [tuple(members) for members in self.members]
        groups += [self.bodies_of(w) for row in self.rows for _, w in row.terms if w.kind not in _UNCOUPLED]
        groups += [self.bodies_of(law.word) for law in self.laws]
        groups += [self.bodies_of(item.word) for law in self.laws for item in law.inputs if item.word is not None]
        groups += [tuple(k for w in law.all_words() for k in self.bodies_of(w)) for law in self.laws if law.inputs]
        neighbours = [{k} for k in range(self.ground)]
        for group in groups:
            moving = set(group) - {self.ground}
            for k in moving:
                neighbours[k] |= moving
        return BlockPattern(self.first_v, neighbours)

    def has_arm(self, word: Word) -> bool:
        """Whether a point of this word lies aside of a node of a beam."""
        arms = zip(self.bodies_of(word), (word.numbers.s_i, word.numbers.s_j), strict=True)
        return any(k < self.ground and self.bodies[k].of_beam and s.any() for k, s in arms)

    def held_nodes(self) -> set[int]:
        """Nodes of beams that words, loads or users' parts speak of."""
        numbers = {self.number[name] for name in self.held} | {k for word in self.words for k in self.bodies_of(word)}
        numbers |= {self.number[load.body] for load in self.loads}
        return {k for k in numbers if k < self.ground and self.bodies[k].of_beam}

    def coincidences(self) -> list[int]:
        """For the first of the rows that let points coincide in x, y (and z): how many there are; 0
        for all others."""
        found = [0] * len(self.rows)
        for r, row in enumerate(self.rows):
            count = 0
            for other in self.rows[r : r + 3]:
                if not self._coincides(row, other, count):
                    break
                count += 1
            if count > 1 and all(_is_zero(x.target) for x in self.rows[r : r + count]):
                found[r] = count
        return found

    def _coincides(self, first: Row, other: Row, direction: int) -> bool:
        """Whether a row holds the component `direction` of the points of the first."""
        if len(other.terms) != 1 or other.terms[0][0] != 1.0 or other.terms[0][1].kind != POINT:
            return False
        one, word = first.terms[0][1], other.terms[0][1]
        same = (
            (word.first, word.second) == (one.first, one.second)
            and np.array_equal(word.numbers.s_i, one.numbers.s_i)
            and np.array_equal(word.numbers.s_j, one.numbers.s_j)
        )
        return same and np.array_equal(word.numbers.u, np.eye(3)[direction]) and not self.has_arm(word)

    @cached_property
    def sparsity(self) -> Sparsity:
        """Patterns of J and G; a body is a node, and so are the rows of one joint."""
        owners = [(row.joint, row.holonomic) for row in self.rows]
        joints = [0] + [r for r in range(1, len(owners)) if owners[r] != owners[r - 1]] + [len(owners)]
        if not owners:
            joints = [0]
        starts, columns = self._pattern_of_G()
        return Sparsity(
            self.pattern.starts(),
            self.pattern.columns(),
            starts,
            columns,
            self.first_v,
            np.array(joints, dtype=np.int64),
        )

    def _pattern_of_G(self) -> tuple[IntArray, IntArray]:
        """Columns of the bodies of every row."""
        starts, columns = [0], [np.zeros(0, dtype=np.int64)]
        for row in self.rows:
            line = [np.arange(self.first_v[k], self.first_v[k + 1]) for k in self.row_bodies(row)]
            columns.extend(line)
            starts.append(starts[-1] + sum(c.size for c in line))
        return np.array(starts, dtype=np.int64), np.concatenate(columns).astype(np.int64)

    def build(self, sparse: bool) -> tuple[Tables, Scratch]:
        """Tables and scratch of the model."""
        writer = TableWriter(self, sparse)
        return writer.tables, writer.scratch


def _is_zero(target: object) -> bool:
    """Whether a row holds zero at all times."""
    function = as_time_function("", target)
    return isinstance(function, Polynomial) and function.numbers.tolist() == [0.0]
