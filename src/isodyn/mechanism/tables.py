"""From named parts to the flat tables of isodyn.parts.layout, dense or sparse."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from isodyn.beams.mesh import element_numbers, spread
from isodyn.bodies.body import Body
from isodyn.joints.measures import (
    A_I,
    IS_COUNTED,
    PARAMETERS,
    PLANAR_ANGLE,
    POINT,
    POSE,
    R_,
    S_I,
    S_J,
    TANGENT_ANGLE,
    WORK,
)
from isodyn.joints.words import Row, Word
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.kernels.struct import FlatNumbers, Nothing, flat_numbers
from isodyn.linear_solvers.blocks import Sparsity
from isodyn.loads.part import Law
from isodyn.loads.time import as_time_function
from isodyn.mechanism.beam_part import BeamPart
from isodyn.mechanism.counted import CountedAngle
from isodyn.parts import layout as at

_COLUMNS = {"spatial": [0, 1, 2, 3, 4, 5], "planar": [0, 1, -1, -1, -1, 2], "particle": [0, 1, 2, -1, -1, -1]}
# slopes: isodyn.mechanism.nodes
_COLUMNS |= {"node": [0, 1, -1, -1, -1, -1], "cable": _COLUMNS["particle"]}
# words whose stiffness does not couple the two bodies
_UNCOUPLED = {POINT, PLANAR_ANGLE, TANGENT_ANGLE}
_KINDS = {"spatial": at.SPATIAL, "planar": at.PLANAR, "particle": at.PARTICLE, "node": at.NODE, "cable": at.CABLE}


@dataclass(frozen=True, eq=False)
class Pattern:
    """Where the entries of a sparse matrix stand: rows of CSR."""

    starts: IntArray
    columns: IntArray


@dataclass(eq=False)
class Tables:
    """Numbers of a mechanism; `build` lays them out."""

    bodies: list[Body]
    rows: list[Row]
    laws: list[Law]
    loads: list[tuple[int, int, list[float], Any]]
    reactions: dict[str, tuple[int, int]]
    gravity: FloatArray
    cayley: bool = False
    words: list[Word] = field(default_factory=list)
    beams: tuple[BeamPart, ...] = ()
    spreads: list[tuple[int, FloatArray, Any]] = field(default_factory=list)
    held: tuple[str, ...] = ()  # bodies that users' parts speak of
    angles: tuple[CountedAngle, ...] = ()  # whose whole turns are counted; they come last in q

    def __post_init__(self) -> None:
        self.number = {body.name: k for k, body in enumerate(self.bodies)}
        self.number["ground"] = len(self.bodies)
        self.freedom = [body.v0.size for body in self.bodies]
        self.first_v = np.concatenate([[0], np.cumsum(self.freedom)]).astype(np.int64)
        self.first_q = np.concatenate([[0], np.cumsum([body.q0.size for body in self.bodies])]).astype(np.int64)
        self.words = [word for row in self.rows for _, word in row.terms] + [law.word for law in self.laws]
        own = len(self.words)
        self.words += [item.word for law in self.laws for item in law.inputs if item.word is not None]
        self.neighbours = [{k} for k in range(len(self.bodies))]
        for k, word in enumerate(self.words):
            i, j = self.number[word.first], self.number[word.second]
            coupled = k >= own - len(self.laws) or word.kind not in _UNCOUPLED
            if coupled and i < len(self.bodies) and j < len(self.bodies):
                self.neighbours[i].add(j)
                self.neighbours[j].add(i)
        for law in self.laws:
            if law.inputs:
                near = {self.number[name] for word in law.all_words() for name in (word.first, word.second)}
                near.discard(len(self.bodies))
                for i in near:
                    self.neighbours[i] |= near
        self.elements = [
            (self.number[beam.nodes[e.first].name], self.number[beam.nodes[e.second].name], e, beam.mesh)
            for beam in self.beams
            for e in beam.mesh.elements
        ]
        for i, j, _, _ in self.elements:
            self.neighbours[i].add(j)
            self.neighbours[j].add(i)
        self.counted = {angle.word.key: k for k, angle in enumerate(self.angles)}
        self.nodal = sum(self.freedom[k] for k, body in enumerate(self.bodies) if body.of_beam)

    @property
    def nv(self) -> int:
        return int(self.first_v[-1])

    @property
    def nq(self) -> int:
        return int(self.first_q[-1]) + len(self.angles)

    def rotation_in_v(self, k: int) -> int:
        """Where the rotation vector of body k is in an increment; −1 for the ground, −2 where there
        is none."""
        if k == len(self.bodies):
            return -1
        return int(self.first_v[k]) + 3 if self.bodies[k].kind == "spatial" and not self.cayley else -2

    def column_of(self, word: Word) -> int | None:
        """Where q holds the value of a word, if it is a counted angle."""
        k = self.counted.get(word.key)
        return None if k is None else int(self.first_q[-1]) + k

    def row_bodies(self, row: Row) -> list[int]:
        """Moving bodies that a row speaks of, in order."""
        numbers = {self.number[name] for _, word in row.terms for name in (word.first, word.second)}
        return sorted(numbers - {len(self.bodies)})

    def pattern_of_J(self) -> Pattern:
        """All blocks between bodies that share a word."""
        widths = [sum(self.freedom[j] for j in near) for near in self.neighbours]
        starts = [0]
        columns: list[IntArray] = []
        for k, near in enumerate(self.neighbours):
            line = np.concatenate([np.arange(self.first_v[j], self.first_v[j + 1]) for j in sorted(near)])
            for _ in range(self.freedom[k]):
                columns.append(line)
                starts.append(starts[-1] + widths[k])
        return Pattern(np.array(starts, dtype=np.int64), np.concatenate(columns).astype(np.int64))

    def pattern_of_G(self) -> Pattern:
        """Columns of the bodies of every row."""
        starts, columns = [0], [np.zeros(0, dtype=np.int64)]
        for row in self.rows:
            line = [np.arange(self.first_v[k], self.first_v[k + 1]) for k in self.row_bodies(row)]
            columns.extend(line)
            starts.append(starts[-1] + sum(c.size for c in line))
        return Pattern(np.array(starts, dtype=np.int64), np.concatenate(columns).astype(np.int64))

    def has_arm(self, word: Word) -> bool:
        """Whether a point of this word lies aside of a node of a beam."""
        return any(
            self.number[name] < len(self.bodies)
            and self.bodies[self.number[name]].of_beam
            and word.numbers[s : s + 3].any()
            for name, s in ((word.first, S_I), (word.second, S_J))
        )

    def held_nodes(self) -> set[int]:
        """Nodes of beams that words, loads or users' parts speak of."""
        numbers = {self.number[name] for name in self.held} | {
            self.number[name] for word in self.words for name in (word.first, word.second)
        }
        numbers |= {body for _, body, _, _ in self.loads}
        return {k for k in numbers if k < len(self.bodies) and self.bodies[k].of_beam}

    def coincidences(self) -> list[int]:
        """For the first of the rows that let points coincide in x, y (and z): how many there are; 0
        for all others."""
        found = [0] * len(self.rows)
        for r, row in enumerate(self.rows):
            count = 0
            for other in self.rows[r : r + 3]:
                if len(other.terms) != 1 or other.terms[0][0] != 1.0:
                    break
                first, word = row.terms[0][1], other.terms[0][1]
                direction = np.zeros(3)
                direction[count] = 1.0
                same = (word.first, word.second) == (first.first, first.second) and np.array_equal(
                    word.numbers[:A_I], first.numbers[:A_I]
                )
                if word.kind != POINT or not same or not np.array_equal(word.numbers[A_I : A_I + 3], direction):
                    break
                if self.has_arm(word):
                    break
                count += 1
            if count > 1 and all(
                as_time_function("", x.target).numbers.tolist() == [0.0] for x in self.rows[r : r + count]
            ):
                found[r] = count
        return found

    @cached_property
    def sparsity(self) -> Sparsity:
        """Patterns of J and G; a body is a node, and so are the rows of one joint."""
        J, G = self.pattern_of_J(), self.pattern_of_G()
        owners = [(row.joint, row.holonomic) for row in self.rows]
        joints = [0] + [r for r in range(1, len(owners)) if owners[r] != owners[r - 1]] + [len(owners)]
        if not owners:
            joints = [0]
        return Sparsity(J.starts, J.columns, G.starts, G.columns, self.first_v, np.array(joints, dtype=np.int64))

    def build(self, sparse: bool) -> tuple[Nothing, FlatNumbers]:
        """Tables and scratch of the model."""
        n, nb = self.nv, len(self.bodies)
        J, G = self.pattern_of_J(), self.pattern_of_G()
        header = np.zeros(at.HEADER, dtype=np.int64)
        header[: at.G_SIZE + 1] = [
            nb,
            len(self.words),
            len(self.rows),
            sum(row.holonomic for row in self.rows),
            len(self.laws),
            len(self.loads),
            self.nq,
            n,
            J.columns.size if sparse else n * n,
            G.columns.size if sparse else len(self.rows) * n,
        ]
        header[at.CAYLEY] = int(self.cayley)
        header[[at.ELEMENTS, at.NODAL, at.SPREADS]] = len(self.elements), self.nodal, len(self.spreads)
        header[at.DAMPED] = any(any(e.section.times) for _, _, e, _ in self.elements)
        functions: list[Any] = []

        def function(what: str, value: Any) -> int:
            if value is None:
                return -1
            functions.append(as_time_function(what, value))
            return len(functions) - 1

        def block(i: int, j: int) -> int:
            """First entry of the block of bodies i, j in J."""
            if i == nb or j == nb or j not in self.neighbours[i]:
                return -1
            if not sparse:
                return int(self.first_v[i] * n + self.first_v[j])
            before = sum(self.freedom[k] for k in sorted(self.neighbours[i]) if k < j)
            return int(J.starts[self.first_v[i]] + before)

        def place(r: int, k: int) -> int:
            """First entry of body k in row r of G."""
            if k == nb:
                return -1
            if not sparse:
                return int(r * n + self.first_v[k])
            return int(G.starts[r] + sum(self.freedom[j] for j in self.row_bodies(self.rows[r]) if j < k))

        def stride(k: int) -> int:
            return sum(self.freedom[j] for j in self.neighbours[k]) if sparse else n

        tables = [*range(at.I_BODY, at.I_TIME + 1), at.I_ELEMENT, at.I_SPREAD, at.I_INPUT, at.I_TURN, at.I_READER]
        numbers_of = [*range(at.F_BODY, at.F_GRAVITY + 1), at.F_ELEMENT, at.F_SPREAD, at.F_WEIGHT, at.F_FACTOR]
        ints: dict[int, list[list[int]]] = {key: [] for key in tables}
        floats: dict[int, list[Any]] = {key: [] for key in numbers_of}
        held = self.held_nodes()
        for k, body in enumerate(self.bodies):
            ints[at.I_BODY].append(
                [
                    at.UNHELD if body.of_beam and k not in held else _KINDS[body.kind],
                    self.first_q[k],
                    self.first_v[k],
                    self.freedom[k],
                    *_COLUMNS[body.kind],
                    block(k, k),
                    stride(k),
                ]
            )
            floats[at.F_BODY].append([body.mass, *body.inertia.ravel()])
        for i, j, e, mesh in self.elements:
            blocks = [block(i, i), block(i, j), block(j, i), block(j, j), stride(i), stride(j)]
            ints[at.I_ELEMENT].append([self.first_v[i], self.first_v[j], *blocks, mesh.energy, mesh.dim])
            floats[at.F_ELEMENT].append(element_numbers(e))
        for beam in self.beams:
            g = self.gravity[: beam.mesh.dim]
            floats[at.F_WEIGHT].append(spread(beam.mesh.elements, len(beam.nodes), g, per_mass=True))
        floats[at.F_FACTOR] = [[1.0]]
        end = 0
        for first, forces, time in self.spreads:
            ints[at.I_SPREAD].append(
                [first, forces.size, end, function("a load along a beam", 1.0 if time is None else time)]
            )
            floats[at.F_SPREAD].append(forces)
            end += forces.size
        for word in self.words:
            i, j = self.number[word.first], self.number[word.second]
            ints[at.I_MEASURE].append([word.kind, i, j, block(i, i), block(i, j), block(j, i), block(j, j)])
            numbers = word.numbers.copy()
            if word.key in self.counted:
                numbers[IS_COUNTED] = 1.0
                ints[at.I_READER].append([len(floats[at.F_MEASURE]), self.counted[word.key]])
            floats[at.F_MEASURE].append(numbers)
        for k, angle in enumerate(self.angles):
            i, j = self.number[angle.word.first], self.number[angle.word.second]
            turns = (self.rotation_in_v(i), self.rotation_in_v(j))
            ints[at.I_TURN].append([angle.word.kind, i, j, int(self.first_q[-1]) + k, int(angle.read), *turns])
            floats[at.F_TURN].append(angle.word.numbers)
        header[[at.TURNS, at.READERS]] = len(self.angles), len(ints[at.I_READER])
        term, together = 0, self.coincidences()
        for r, row in enumerate(self.rows):
            ints[at.I_ROW].append([term, len(row.terms), function(row.name, row.target), together[r]])
            for weight, word in row.terms:
                i, j = self.number[word.first], self.number[word.second]
                ints[at.I_TERM].append([term, place(r, i), place(r, j)])
                floats[at.F_TERM].append([weight])
                term += 1
        named = term + len(self.laws)  # measures of the inputs of formulas come last
        for k, law in enumerate(self.laws):
            first, count = self.reactions[law.joint] if law.joint is not None else (0, 0)
            if law.kind == at.BY_FORMULA:
                first, count = len(ints[at.I_INPUT]), len(law.inputs)
            bodies = self.number[law.word.first], self.number[law.word.second]
            for item in law.inputs:
                if item.word is None:
                    ints[at.I_INPUT].append([0, 2, -1, -1, -1, -1])
                    continue
                others = self.number[item.word.first], self.number[item.word.second]
                ints[at.I_INPUT].append([named, int(item.rate), *(block(i, j) for i in bodies for j in others)])
                named += 1
            ints[at.I_LAW].append([law.kind, term + k, function("a force law", law.shift), first, count])
            floats[at.F_LAW].append([*law.numbers, *([0.0] * (at.LAW_NUMBERS - len(law.numbers)))])
        for kind, body_number, values, time in self.loads:
            ints[at.I_LOAD].append([kind, body_number, function("the time function of a load", time)])
            floats[at.F_LOAD].append(values)
        used = 0
        for f in functions:
            ints[at.I_TIME].append([f.kind, used, f.numbers.size])
            floats[at.F_TIME].append(f.numbers)
            used += f.numbers.size
        poses = np.zeros((nb + 1, POSE))
        poses[:, [R_, R_ + 4, R_ + 8]] = 1.0
        floats[at.F_POSE], floats[at.F_WORK], floats[at.F_GRAVITY] = [poses.ravel()], [np.zeros(WORK)], [self.gravity]
        pi, pf = [header], []
        offset = at.HEADER
        for key, table in ints.items():
            entries = np.array(table, dtype=np.int64).ravel()
            header[key] = offset
            offset += entries.size
            pi.append(entries)
        offset = 0
        for key in [
            *(key for key in numbers_of if key != at.F_WORK),
            at.F_WORK,
        ]:  # scratch last: kernels take it to the end
            flat = (
                np.concatenate([np.asarray(x, dtype=np.float64).ravel() for x in floats[key]])
                if floats[key]
                else np.zeros(0)
            )
            header[key] = offset
            offset += flat.size
            pf.append(flat)
        assert floats[at.F_MEASURE] == [] or len(floats[at.F_MEASURE][0]) == PARAMETERS
        return Nothing(), flat_numbers(np.concatenate(pf), np.concatenate(pi))
