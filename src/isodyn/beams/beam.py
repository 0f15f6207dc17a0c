"""Beams and cables from a line or polyline: named places, supports and loads; `compile` makes the system.

Every straight piece of the line is divided into elements of equal length. Where pieces meet, two nodes lie in the same place, hinged or
welded. A beam in the plane resists bending; a line in space is a cable, which resists bending too, but not twisting.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from isodyn.beams.hermite import nodal
from isodyn.beams.layout import ENERGIES
from isodyn.beams.section import Section
from isodyn.beams.system import BeamSystem, make_system
from isodyn.beams.tables import BeamTables, Element, Load, Row, Torque
from isodyn.compiled import FloatArray
from isodyn.errors import InputError

Energy = Literal[
    "simplified",
    "cauchy",
    "cauchy-tangent",
    "green-lagrange",
    "green-lagrange-tangent",
    "cauchy-dirac",
    "green-lagrange-dirac",
]
Place = str | int | float


@dataclass(eq=False)
class Beam:
    """A beam along the points of a line (k, 2), or a cable along (k, 3).

    elements : how many, in all or for each piece
    section : stiffness and mass
    model : the strain energy; "simplified" converges to the beam, the others have limits of their own
    gravity : acceleration, (2,) or (3,)
    corners : whether pieces are welded or hinged where they meet

    Places are "start", "end", the number of a node, or the length from the start as a float (of a node).

    >>> beam = Beam([(0, 0), (2, 0)], elements=8, section=Section(EA=1e6, EI=800.0, rhoA=78.0), gravity=(0, -9.81))
    >>> beam.clamp("start")
    >>> beam.compile().nq
    36
    """

    line: Any
    elements: Any
    section: Section
    model: Energy = "simplified"
    gravity: Any = None
    corners: Literal["weld", "hinge"] = "weld"
    rows: list[Row] = field(default_factory=list, init=False)
    loads: list[Load] = field(default_factory=list, init=False)
    torques: list[Torque] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        points = np.asarray(self.line, dtype=np.float64)
        if points.ndim != 2 or points.shape[0] < 2 or points.shape[1] not in (2, 3) or not np.isfinite(points).all():
            raise InputError(f"line must be two or more points in the plane or in space, received {self.line!r}")
        if self.model not in ENERGIES:
            raise InputError(f"there is no strain energy {self.model!r}", hint=f"known: {', '.join(ENERGIES)}")
        if points.shape[1] == 3 and self.model != "simplified":
            raise InputError(f"{self.model!r} is a planar strain energy; a cable in space needs model='simplified'")
        if points.shape[1] == 3 and self.section.times[1] > 0:
            raise InputError(
                "a cable in space has no frame against which bending could be damped: damping of bending must be 0",
                hint="damping=(time of stretching, 0.0)",
            )
        if self.corners not in ("weld", "hinge"):
            raise InputError(f"corners must be 'weld' or 'hinge', received {self.corners!r}")
        self._dim = points.shape[1]
        self._lay(points)

    def _lay(self, points: FloatArray) -> None:
        """Nodes and elements along the pieces."""
        sides = np.diff(points, axis=0)
        lengths = np.linalg.norm(sides, axis=1)
        short = np.flatnonzero(lengths <= 1e-12 * max(1.0, float(np.abs(points).max())))
        if short.size:
            raise InputError(f"piece {short[0]} of the line has no length: both ends at {points[short[0]]}")
        counts = self._counts(lengths)
        self.mesh: list[Element] = []
        self._ends: list[tuple[int, int]] = []
        positions: list[FloatArray] = []
        slopes: list[FloatArray] = []
        arc: list[float] = []
        before = 0.0
        for k, count in enumerate(counts):
            first, step = len(positions), lengths[k] / count
            for i in range(count + 1):
                positions.append(points[k] + sides[k] * (i / count))
                slopes.append(sides[k] / lengths[k])
                arc.append(before + i * step)
            self.mesh += [Element(first + i, first + i + 1, step, self.section) for i in range(count)]
            self._ends.append((first, len(positions) - 1))
            before += lengths[k]
        self.length, self.arc = float(before), np.array(arc)
        self.q0 = np.stack([np.array(positions), np.array(slopes)], axis=1).ravel()
        for k in range(len(counts) - 1):
            self._join(f"corner {k + 1}", self._ends[k][1], self._ends[k + 1][0])

    def _counts(self, lengths: FloatArray) -> list[int]:
        try:
            numbers = np.asarray(self.elements, dtype=np.float64)
        except (TypeError, ValueError):
            numbers = np.array([np.nan])
        if not (np.isfinite(numbers).all() and (numbers == np.round(numbers)).all() and (numbers >= 1).all()):
            raise InputError(f"elements must be a number ≥ 1, or one for each piece; received {self.elements!r}")
        if numbers.ndim == 0 and numbers >= lengths.size:
            shares = np.maximum(1, np.round(float(numbers) * lengths / lengths.sum())).astype(int)
            while shares.sum() != int(numbers):  # the piece with the longest elements gets more, with the shortest less
                more = shares.sum() < int(numbers)
                size = lengths / shares
                k = int(size.argmax()) if more else int(np.where(shares > 1, size, np.inf).argmin())
                shares[k] += 1 if more else -1
            return [int(x) for x in shares]
        if numbers.shape == lengths.shape:
            return [int(x) for x in numbers]
        raise InputError(
            f"elements must be at least {lengths.size}, one for each piece of the line, received {self.elements!r}"
        )

    def _join(self, name: str, one: int, other: int) -> None:
        b, d = 2 * self._dim, self._dim
        for i in range(d):
            self.rows.append(Row(f"{name}: {'xyz'[i]}", ((b * one + i, 1.0), (b * other + i, -1.0))))
        if self.corners == "hinge":
            return
        if d == 3:
            raise InputError(
                "a cable does not resist twisting, so pieces in space cannot be welded at an angle",
                hint="corners='hinge'",
            )
        s, t = b * one + d, b * other + d
        u, w = self.q0[s : s + 2], self.q0[t : t + 2]
        c, x = float(u @ w), float(u[0] * w[1] - u[1] * w[0])
        # (turned first slope) × (second slope) = 0 with the angle of the undeformed corner
        products = ((s, t + 1, c), (s + 1, t + 1, -x), (s, t, -x), (s + 1, t, -c))
        self.rows.append(Row(f"{name}: angle", (), tuple(p for p in products if p[2] != 0.0)))

    def node(self, place: Place) -> int:
        """Number of the node at a place."""
        count = self.arc.size
        if isinstance(place, str):
            if place not in ("start", "end"):
                raise InputError(
                    f"there is no place named {place!r} on the beam", hint="'start', 'end', a node, a length"
                )
            return 0 if place == "start" else count - 1
        if isinstance(place, (int, np.integer)):
            if not -count <= place < count:
                raise InputError(f"there is no node {place}; the beam has {count}")
            return int(place) % count
        near = int(np.abs(self.arc - place).argmin())
        if abs(self.arc[near] - place) > 1e-9 * self.length:
            raise InputError(
                f"there is no node {place:g} from the start; the nearest is at {self.arc[near]:g}",
                hint="choose the number of elements so that one lies there",
            )
        return near

    def hinge(self, place: Place, *, position: Any = None, name: str | None = None) -> None:
        """Hold the position of a node; `position` gives numbers or functions of time in its place."""
        k = self.node(place)
        first = 2 * self._dim * k
        targets = self.q0[first : first + self._dim] if position is None else list(position)
        if len(targets) != self._dim:
            raise InputError(f"position must have {self._dim} entries, received {position!r}")
        label = name or f"hinge {place}"
        for i, x in enumerate(targets):
            self.rows.append(Row(f"{label}: {'xyz'[i]}", ((first + i, 1.0),), (), x))

    def clamp(self, place: Place, *, stretch: bool = False, name: str | None = None) -> None:
        """Hold position and direction of a node. Its slope may still change its length, unless `stretch` holds that too."""
        label = name or f"clamp {place}"
        self.hinge(place, name=label)
        first = 2 * self._dim * self.node(place) + self._dim
        slope = self.q0[first : first + self._dim]
        for k, across in enumerate(_across(slope)):
            terms = tuple((first + i, float(x)) for i, x in enumerate(across) if x != 0.0)
            self.rows.append(Row(f"{label}: turn {k + 1}", terms))
        if stretch:
            terms = tuple((first + i, float(x)) for i, x in enumerate(slope) if x != 0.0)
            self.rows.append(Row(f"{label}: stretch", terms, (), 1.0))

    def guide(self, place: Place, normal: Any, *, name: str | None = None) -> None:
        """Hold the position of a node along `normal`: it slides across it."""
        first = 2 * self._dim * self.node(place)
        n = self._vector("normal", normal)
        size = float(np.linalg.norm(n))
        if size == 0.0:
            raise InputError("normal must not be zero")
        n = n / size
        terms = tuple((first + i, float(x)) for i, x in enumerate(n) if x != 0.0)
        target = float(n @ self.q0[first : first + self._dim])
        self.rows.append(Row(f"{name or f'guide {place}'}: normal", terms, (), target))

    def force(self, place: Place, force: Any, *, time: Any = None) -> None:
        """A dead force at a node; `time` scales it."""
        self.loads.append(Load(2 * self._dim * self.node(place), self._vector("force", force), time))

    def torque(self, place: Place, torque: Any, *, time: Any = None) -> None:
        """A torque at a node, counter-clockwise; a vector in space. `time` scales it."""
        vector = np.zeros(3)
        try:
            if self._dim == 2:
                vector[2] = float(torque)
            else:
                vector[:] = self._vector("torque", torque)
        except TypeError:
            raise InputError(f"torque must be a number in the plane, received {torque!r}") from None
        self.torques.append(Torque(self.node(place), vector, time))

    def distributed(self, force: Any, *, time: Any = None) -> None:
        """A dead force per length of undeformed beam, all along it; `time` scales it."""
        self.loads.append(Load(0, self._spread(self._vector("force", force), 1.0), time))

    def _spread(self, force: FloatArray, mass: float | None) -> FloatArray:
        """Nodal loads of a force per length, or per mass where mass is None."""
        out = np.zeros((self.arc.size, 2, self._dim))
        for e in self.mesh:
            loads = nodal(force, e.length) * (e.section.rhoA if mass is None else mass)
            out[e.first] += loads[:2]
            out[e.second] += loads[2:]
        return out.ravel()

    def compile(self, *, q0: Any = None, v0: Any = None) -> BeamSystem:
        """The system: at rest and undeformed, or with these nodal coordinates and velocities."""
        n = self.q0.size
        q = self.q0 if q0 is None else self._nodal("q0", q0, n)
        v = np.zeros(n) if v0 is None else self._nodal("v0", v0, n)
        weight = np.zeros(n) if self.gravity is None else self._spread(self._vector("gravity", self.gravity), None)
        tables = BeamTables(
            self._dim,
            ENERGIES[self.model],
            self.arc.size,
            list(self.mesh),
            list(self.rows),
            list(self.loads),
            list(self.torques),
            weight,
        )
        return make_system(tables, q.copy(), v.copy(), self.arc)

    def _nodal(self, what: str, value: Any, n: int) -> FloatArray:
        array = np.asarray(value, dtype=np.float64).ravel()
        if array.size != n or not np.isfinite(array).all():
            raise InputError(
                f"{what} must be {n} finite numbers, position and slope of every node; received {array.size}"
            )
        return array

    def _vector(self, what: str, value: Any) -> FloatArray:
        array = np.asarray(value, dtype=np.float64)
        if array.shape != (self._dim,) or not np.isfinite(array).all():
            raise InputError(f"{what} must be {self._dim} finite numbers, received {value!r}")
        return array


def _across(t: FloatArray) -> FloatArray:
    """Unit vectors across t: one in the plane, two in space."""
    t = t / np.linalg.norm(t)
    if t.size == 2:
        return np.array([[-t[1], t[0]]])
    helper = np.eye(3)[int(np.abs(t).argmin())]
    one = np.cross(t, helper)
    one /= np.linalg.norm(one)
    return np.array([one, np.cross(t, one)])
