"""Coordinates of a mechanism besides the default.

    "rotation"           unit quaternions moved by the exponential map, v = (ṙ, ω): no singularity, no extra row (the default)
    "euler-parameters"   four numbers per rotation, v' = q̇', one row |e| = 1 per spatial body
    "euler-313", "cardan-321", "bryant-123"     three angles per rotation, v' = q̇', singular at one value of the middle angle

Angles that rows, laws or formulas read are carried behind the coordinates of the bodies, with their
whole turns (isodyn.multibody.turns): they are counted along the straight way from q' to q' + d.
Where nothing reads them, `lift` counts them from row to row.

The last four are systems of their own, made from the compiled mechanism by v = T(q') v'
(isodyn.mechanism.coordinate_kernels); planar bodies and particles keep their coordinates. `lift`
brings a solution back to the default coordinates, with all that a mechanism knows about its parts.
Equations premultiplied by Tᵀ are [Fumagalli2009 (68)]; `newton_euler` gives them as they are in
[Fumagalli2009 (64)].
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from isodyn.bodies.angles import BRYANT_123, CARDAN_321, EULER_313, AngleSet
from isodyn.bodies.body import Body
from isodyn.bodies.rotations import parameter_rates
from isodyn.errors import InputError, SingularError
from isodyn.kernels.compiled import KNOWS_MASS, OK, RETRACT, RETRACTS, FloatArray
from isodyn.mechanism import coordinate_kernels as kernels
from isodyn.mechanism.poses import rows_of_angle
from isodyn.mechanism.system import MechanismSystem
from isodyn.systems.compiled_system import PythonSystem
from isodyn.systems.model import Question
from isodyn.systems.questions import Questions
from isodyn.systems.scales import Scales

Coordinates = Literal["rotation", "euler-parameters", "euler-313", "cardan-321", "bryant-123"]
# parts of the way of an increment, by the sum of its components: so short that no angle turns by
# more than a radian
PIECES = 4.0
ANGLE_SETS = {"euler-313": EULER_313, "cardan-321": CARDAN_321, "bryant-123": BRYANT_123}


class NewtonEuler(NamedTuple):
    """[M X Aᵀ; A X 0] (ẍ*, λ) = (Q, b): moments not premultiplied, so that the mass matrix M X is
    not symmetric."""

    MX: FloatArray
    Q: FloatArray
    A: FloatArray
    AX: FloatArray
    b: FloatArray
    X: FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class ParametrisedSystem(PythonSystem):
    """A mechanism in Euler parameters or angles, with v' = q̇'."""

    mechanism: MechanismSystem = None  # type: ignore[assignment]
    coordinates: str = ""
    charts: kernels.CoordinateTables = None  # type: ignore[assignment]
    m: int = 0
    m_phi: int = 0

    @property
    def nonideal(self) -> bool:  # type: ignore[override]
        return self.mechanism.nonideal

    @property
    def angles(self) -> AngleSet | None:
        """The set of angles, if these are the coordinates."""
        return ANGLE_SETS.get(self.coordinates)

    def q_of(self, name: str) -> slice:
        """Where the coordinates of a body are in q', and its velocities in v'."""
        k = self.mechanism.layout.number[name]
        first = int(self.charts.bodies[k].first)
        return slice(first, first + _size(self.mechanism.bodies[k], self.angles))

    v_of = q_of

    def state(
        self, q: FloatArray, v: FloatArray, a: FloatArray | None = None
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """q, v, a of the mechanism in its default coordinates."""
        base = self.mechanism
        found = np.empty(base.nq), np.empty(base.nv), np.empty(base.nv)
        y = np.zeros(self.nv) if a is None else a
        x, u, y = (np.ascontiguousarray(z, dtype=np.float64) for z in (q, v, y))
        kernels.carried_over(x, u, y, self.charts, *found)
        return found

    def lift(self, sol: Any) -> Any:
        """A solution in these coordinates as one of the mechanism in its default coordinates; norm
        rows are left out."""
        # runs may copy the system
        ours = isinstance(sol.system, ParametrisedSystem) and sol.system.charts is self.charts
        if not ours:
            raise InputError("lift takes a solution of this system")
        if any(sol.columns[name].size != n for name, n in (("q", self.nq), ("v", self.nv), ("a", self.nv))):
            raise InputError("lift needs all columns, but only some were saved")
        rows = list(zip(*(self.state(q, v, a) for q, v, a in zip(sol.q, sol.v, sol.a, strict=True)), strict=True))
        q, v, a = (np.array(x) for x in rows)
        base = self.mechanism
        if not self.charts.carried:
            for angle in base.layout.angles:
                q[:, base.layout.column_of(angle.word)] = rows_of_angle(base, angle.word, sol.t, q, v)
        norms = range(self.mechanism.m_phi, self.m_phi)
        aux = {key: np.delete(x, norms, axis=1) if key in ("mu", "nu", "lam_left") else x for key, x in sol.aux.items()}
        if "a_left" in aux:
            at = aux["breakpoint_rows"]
            aux["a_left"] = np.array(
                [self.state(sol.q[i], sol.v[i], left)[2] for i, left in zip(at, sol.aux["a_left"], strict=True)]
            )
        columns = {"q": np.arange(base.nq), "v": np.arange(base.nv), "a": np.arange(base.nv), "lam": np.arange(base.m)}
        redundant = tuple(name for name in sol.redundant if name in base.row_names)
        lam = np.delete(sol.lam, norms, axis=1)
        return replace(sol, q=q, v=v, a=a, lam=lam, system=base, columns=columns, aux=aux, redundant=redundant)

    def newton_euler(self, t: float, q: FloatArray, v: FloatArray) -> NewtonEuler:
        """The equations in a' before they are premultiplied by Xᵀ = Tᵀ; for angles, where X is
        square."""
        if self.angles is None:
            raise InputError(
                "newton_euler needs as many coordinates as velocities", hint='take coordinates="euler-313"'
            )
        ask = Questions(self.mechanism)
        Q, V, bend = self.state(q, v)
        X = np.column_stack([self.state(q, v, e)[2] - bend for e in np.eye(self.nv)])
        A = ask.G(t, Q, V)
        # [Fumagalli2009 (60) adapted]: with b − A Ẋ ẋ* in place of b
        b = -ask.acceleration(t, Q, V, bend)
        # [Fumagalli2009 (64)]
        return NewtonEuler(ask.mass(t, Q, V) @ X, -ask.balance(t, Q, V, bend), A, A @ X, b, X)


class _Answers:
    """The questions of the loop, answered by the mechanism in other coordinates; singular angles
    are an error with a name."""

    solver = ""

    def __init__(self, base: MechanismSystem, coordinates: str, charts: kernels.CoordinateTables) -> None:
        self.base, self.coordinates, self.charts = base, coordinates, charts
        self.scratch = base.scratch.copy()

    def moved(self, q: FloatArray, d: FloatArray) -> FloatArray:
        """q' + d, and the counted angles along the way."""
        base, n = self.base, int(self.charts.n)
        first = base.nq - len(base.layout.angles)
        pieces = 1 + int(PIECES * np.abs(d).sum())
        at, x, still = np.array(q, dtype=np.float64), np.empty(base.nq), np.zeros(n)
        for k in range(1, pieces + 1):
            at[:n] = q[:n] + (k / pieces) * d
            kernels.carried_over(at, still, still, self.charts, x, np.empty(base.nv), np.empty(base.nv))
            at[n:] = base.retract(x, np.zeros(base.nv))[first:]
        return at

    def answer(self, question: Question, out: FloatArray) -> int:
        q = question.q
        if question.what == RETRACT:
            out[:] = self.moved(q, question.v)
            return OK
        singular = kernels.asked_in_coordinates(*question, self.charts, self.base.tables, self.scratch, out)
        if singular:
            first = self.charts.bodies[singular - 1].first
            raise near_singular(self.base.bodies[singular - 1], self.coordinates, q[first : first + 6], question.t)
        return OK


def near_singular(body: Body, coordinates: str, q: FloatArray, t: float | None = None) -> SingularError:
    """The error for a body (q: its six coordinates) whose middle angle is at its singular value, or
    has gone beyond."""
    kind = ANGLE_SETS[coordinates]
    when = "at the start" if t is None else f"near t = {t:.6g}"
    away = float(kind.distance(q[3:]))
    outer = f"{kind.symbols[0]} and {kind.symbols[2]}"
    return SingularError(
        f"body {body.name!r}: {kind.symbols[1]} = {q[4]:.6g} of its {kind.name} angles is at, or beyond, a singular value {when}"
        f" ({away:.2g} rad from it), where {outer} turn about the same axis",
        hint='coordinates="rotation" and "euler-parameters" have no such place; or take another set of angles',
    )


def in_coordinates(base: MechanismSystem, coordinates: Coordinates) -> MechanismSystem | ParametrisedSystem:
    """The mechanism in other coordinates; itself for "rotation", or when it has no spatial body."""
    if coordinates not in get_args(Coordinates):
        raise InputError(f"coordinates must be one of {', '.join(get_args(Coordinates))}, received {coordinates!r}")
    spatial = [body for body in base.bodies if body.kind == "spatial"]
    if coordinates == "rotation" or not spatial:
        return base
    if base.layout.beams or base.layout.rods:
        raise InputError(
            f"a mechanism with beams needs the coordinates 'rotation', received {coordinates!r}",
            hint="leave coordinates= out",
        )
    kind = ANGLE_SETS.get(coordinates)
    norms = 0 if kind else len(spatial)
    starts = [_start(body, coordinates) for body in base.bodies]
    first = np.concatenate([[0], np.cumsum([q.size for q, _ in starts])])
    turns = len(base.layout.angles)
    carried = turns if any(angle.read for angle in base.layout.angles) else 0
    charts = kernels.CoordinateTables(bodies=len(base.bodies))
    charts.nq, charts.nv, charts.n, charts.m, charts.m_phi = base.nq, base.nv, int(first[-1]), base.m, base.m_phi
    charts.norms, charts.turns, charts.carried = norms, turns, carried
    charts.axes = kind.axes if kind else 0
    row = 0
    for k, body in enumerate(base.bodies):
        own = charts.bodies[k]
        own.kind = kernels.STRAIGHT if body.kind != "spatial" else (kernels.ANGLES if kind else kernels.PARAMETERS)
        own.first_q, own.first_v, own.first = base.q_of(body.name).start, base.v_of(body.name).start, int(first[k])
        own.norm = row
        row += own.kind == kernels.PARAMETERS
        own.side = float(np.sign(kind.determinant(starts[k][0][3:]))) if own.kind == kernels.ANGLES and kind else 1.0
        own.mu = 4.0 / 3.0 * np.trace(body.inertia)  # the mean of the other eigenvalues of TᵀMT
    row_names = list(base.row_names)
    row_names[base.m_phi : base.m_phi] = [f"{body.name}: |e| = 1" for body in spatial[:norms]]

    def energy(q: FloatArray, v: FloatArray, t: float) -> tuple[float, float]:
        Q, V, _ = system.state(q, v)
        return base.energy(Q, V, t)

    def difference(q1: FloatArray, q2: FloatArray) -> FloatArray:
        return np.asarray((q2 - q1)[: first[-1]])

    answers = _Answers(base, coordinates, charts)
    names = [name for body in base.bodies for name in _names(body, kind)]
    system = ParametrisedSystem(
        answers,
        KNOWS_MASS | (RETRACTS if carried else 0),
        np.concatenate([*(q for q, _ in starts), base.q0[base.nq - carried :]]),
        np.concatenate([v for _, v in starts]),
        energy=energy,
        retract=answers.moved if carried else None,
        difference=difference if carried else None,
        names=(*names, *(angle.name for angle in base.layout.angles[:carried])),
        given_v_names=tuple(names),
        turns=carried,
        row_names=tuple(row_names),
        scales=_sizes(base, [q for q, _ in starts], base.q0[base.nq - carried :]),
        mechanism=base,
        coordinates=coordinates,
        charts=charts,
        m=base.m + norms,
        m_phi=base.m_phi + norms,
    )
    return system


def _sizes(base: MechanismSystem, starts: list[FloatArray], turns: FloatArray) -> Scales:
    """Typical sizes: positions as in the mechanism, parameters and angles one; counted angles are
    not compared."""
    length = float(base.scales.v[0])
    sizes = np.ones(sum(q.size for q in starts))
    first = 0
    for body, q in zip(base.bodies, starts, strict=True):
        sizes[first : first + (2 if body.kind == "planar" else 3)] = length
        first += q.size
    return Scales(np.append(sizes, np.full(turns.size, np.inf)), sizes, np.concatenate([*starts, turns]))


def _size(body: Body, kind: AngleSet | None) -> int:
    return 3 if body.kind != "spatial" else (6 if kind else 7)


def _start(body: Body, coordinates: str) -> tuple[FloatArray, FloatArray]:
    """q' and v' of a body at the start."""
    if body.kind != "spatial":
        return body.q0, body.v0
    kind = ANGLE_SETS.get(coordinates)
    if kind is None:
        return body.q0, np.concatenate([body.velocity, parameter_rates(body.orientation, body.angular_velocity)])
    x = kind.read_off(body.orientation)
    q = np.concatenate([body.position, x])
    if abs(kind.determinant(x)) < kernels.NEAREST:
        raise near_singular(body, coordinates, q)
    return q, np.concatenate([body.velocity, kind.rates(x, body.angular_velocity)])


def _names(body: Body, kind: AngleSet | None) -> list[str]:
    names, _ = body.coordinate_names()
    return (
        names if kind is None or body.kind != "spatial" else [*names[:3], *(f"{body.name}.{s}" for s in kind.symbols)]
    )
