"""A mechanism with parts that users wrote in Python: the compiled model does its part, and theirs
are added behind the trampoline.

Rows stand in the order [φ of joints; φ of users; rates of rolling; ψ of users]. Derivatives of a
user's φ along increments of the bodies' frames (those of ψ: isodyn.mechanism.users_rates):

    G      first differences                      φ̇, φ̈    along t + s, q ⊕ s v
    K      ∂(Gᵀλ)/∂q = Hessian of λ·φ in increments + ½ τ~ in the rotations of each body, τ the torque of Gᵀλ

Nodes of beams move by (r, t) instead: derivatives along their frames are transformed by T
(isodyn.multibody.nodes).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from isodyn.bodies.exponential import tilde
from isodyn.bodies.pose import Pose
from isodyn.joints.actions import of_user
from isodyn.joints.user import UserRows
from isodyn.joints.words import Row, RowKind
from isodyn.kernels.compiled import (
    ACCELERATION,
    BALANCE,
    CONSTRAINT,
    JACOBIAN,
    KNOWS_LEVELS,
    OK,
    POSITION,
    RATE,
    REACTS,
    RETRACT,
    SETTLE,
    VELOCITY,
    FloatArray,
    Traits,
)
from isodyn.loads.user import UserLoad
from isodyn.mechanism.beam_part import resolve
from isodyn.mechanism.compiled_users import can_compile, joined_model
from isodyn.mechanism.placed import PlacedBodies, joined
from isodyn.mechanism.system import JointParts, MechanismSystem
from isodyn.mechanism.users_rates import MIXED, changed, curvatures_of_rates, size_of
from isodyn.mechanism.users_twist import refuse_users_twist
from isodyn.systems.differences import H1, H2, first, second
from isodyn.systems.model import Model, Question, from_python
from isodyn.systems.questions import Questions
from isodyn.systems.scales import natural_pace, ordinary_or


@dataclass(frozen=True, eq=False, repr=False)
class UserMechanismSystem(MechanismSystem):
    """The system of a `Mechanism` with users' rows or loads."""

    beat: float = 1.0  # how fast typical sizes are passed, where that is far from one
    user_rows: tuple[tuple[UserRows, int], ...] = ()
    user_loads: tuple[UserLoad, ...] = ()
    all_rows: list[Row] = field(default_factory=list)

    @property
    def rows(self) -> list[Row]:
        return self.all_rows

    def model(self) -> Model:
        """The function that the loop calls: compiled where all of the users' functions are."""
        if self.joined is not None:
            return Model(self.joined, Traits(self.traits & ~(KNOWS_LEVELS | REACTS)), self.tables, self.scratch.copy())
        return from_python(Hybrid(self), Traits(self.traits & ~REACTS))

    @cached_property
    def joined(self) -> Callable[..., int] | None:
        """The compiled function, or None."""
        return joined_model(self) if can_compile(self) else None

    def dense_model(self) -> Model:
        """The same."""
        return self.model()


def with_user_parts(
    base: MechanismSystem, rows: list[UserRows], loads: list[UserLoad], order: list[str]
) -> UserMechanismSystem:
    """The system with users' parts; joints in the given order."""
    length = float(base.scales.v[0])
    rows = [
        replace(
            r,
            bodies=tuple(resolve(name, base.lines) for name in r.bodies),
            scale=length if r.scale is None else r.scale,
        )
        for r in rows
    ]
    loads = [replace(load, body=resolve(load.body, base.lines)) for load in loads]
    state = PlacedBodies(base)
    state.place(base.q0, base.v0)
    refuse_users_twist(rows, loads, state.pose, {body.name for body in base.bodies if body.kind == "cable"})
    counted = [(r, r.value([state.pose(name) for name in r.bodies], 0.0).size) for r in rows]
    more = sum(count for r, count in counted if r.holonomic)
    joints = {
        name: replace(part, rows=tuple(r if r < base.m_phi else r + more for r in part.rows))
        for name, part in base.joints.items()
    }
    new: dict[bool, list[Row]] = {True: [], False: []}
    at = {True: base.m_phi, False: base.m + more}
    for r, count in counted:
        held = r.holonomic
        joints[r.name] = JointParts(r.name, None, tuple(range(at[held], at[held] + count)), {}, of_user(r.bodies))
        labels = [f"row {k + 1}" if count > 1 else "" for k in range(count)]
        new[held] += [Row(r.name, label, RowKind.USER, (), holonomic=held) for label in labels]
        at[held] += count
    all_rows = [*base.rows[: base.m_phi], *new[True], *base.rows[base.m_phi :], *new[False]]
    given = {f.name: getattr(base, f.name) for f in fields(base)}
    return UserMechanismSystem(
        **(
            given
            | {
                "m": len(all_rows),
                "m_phi": base.m_phi + more,
                "row_names": tuple(row.name for row in all_rows),
                "scales": replace(base.scales, rows=None),
                "joints": {name: joints[name] for name in order},
            }
        ),
        beat=ordinary_or(natural_pace(Questions(base), 0.0, base.q0, base.v0)),
        user_rows=tuple(counted),
        user_loads=tuple(loads),
        all_rows=all_rows,
    )


class Hybrid:
    """The questions of the loop, answered by the compiled part and by users' functions."""

    solver = ""

    def __init__(self, system: UserMechanismSystem) -> None:
        self.system, self.state, self.n = system, PlacedBodies(system), system.nv
        self.mine = np.array([r for part, _ in system.user_rows for r in system.joints[part.name].rows], dtype=np.int64)
        self.base = np.setdiff1d(np.arange(system.m), self.mine)
        self.parts = []
        at = 0
        for r, count in system.user_rows:
            kept, where = zip(*(self.state.places(name) for name in r.bodies), strict=True)
            self.parts.append((r, slice(at, at + count), count, kept, np.concatenate(where)))
            at += count

    def answer(self, question: Question, out: FloatArray) -> int:
        what, t, q, v, a, lam, c = question
        mb = self.base.size
        lam_base = np.ascontiguousarray(lam[self.base]) if lam.size else np.zeros(mb)
        if what in (RETRACT, SETTLE, RATE, BALANCE, JACOBIAN):
            status = self.state.ask(what, t, q, v, a, lam_base, c, out)
            if what == BALANCE:
                self.add_forces(t, lam, out)
            elif what == JACOBIAN and (c[1] != 0.0 or c[2] != 0.0):
                self.add_tangents(t, lam, c, out.reshape(self.n, self.n))
            return status
        own = np.zeros(mb * self.n if what == CONSTRAINT else mb)
        status = self.state.ask(what, t, q, v, a, lam_base, c, own)
        if what == CONSTRAINT:
            G = np.zeros((self.system.m, self.n))
            G[self.base], G[self.mine] = own.reshape(mb, self.n), self.matrix(t)
            out[:] = G.ravel()
        elif what in (POSITION, VELOCITY, ACCELERATION):
            out[self.base[: own.size]] = own
            out[self.mine] = self.values(what, t, v, a)
        return status if status != OK else OK

    # ---- rows

    def poses(self, rows: UserRows) -> list[Pose]:
        return [self.state.pose(name) for name in rows.bodies]

    def values(self, what: int, t: float, v: FloatArray, a: FloatArray) -> FloatArray:
        """φ, φ̇ or φ̈ of users' rows."""
        found = np.zeros(self.mine.size)
        for rows, places, m, _, where in self.parts:
            poses = self.poses(rows)
            if what == POSITION:
                found[places] = rows.value(poses, t, m) if rows.holonomic else 0.0
                continue
            if what == VELOCITY and not rows.holonomic:
                found[places] = rows.value(poses, t, m)
                continue
            ways = [np.concatenate([p.velocity, p.angular_velocity]) for p in poses]
            speed = max(self.system.beat, *(float(np.abs(w / size_of(rows)).max()) for w in ways))

            def along(s: float, rows: UserRows = rows, poses: Any = poses, ways: Any = ways, m: int = m) -> FloatArray:
                return rows.value([p.moved(s * w) for p, w in zip(poses, ways, strict=True)], t + s, m)

            if what == VELOCITY:
                found[places] = first(along, H1 / speed)
            else:
                T, rest = self.ways(rows)
                change = self.gradient(rows, t, poses, m) @ (T @ a[where] + rest)
                moved = second(along, H2 / speed) if rows.holonomic else first(along, H1 / speed)
                found[places] = moved + change
        return found

    def ways(self, rows: UserRows) -> tuple[FloatArray, FloatArray]:
        """T and the rest of the accelerations of the bodies of these rows."""
        T = joined([self.state.map(name) for name in rows.bodies])
        return T, np.concatenate([self.state.rest(name) for name in rows.bodies])

    def gradient(self, rows: UserRows, t: float, poses: list[Pose], m: int) -> FloatArray:
        """∂φ along the frames of the bodies of these rows, or ∂ψ along their rates."""
        columns = []
        for k, name in enumerate(rows.bodies):
            for i in self.state.places(name)[0]:
                e = np.zeros(6)
                e[i] = 1.0
                h = H1 * size_of(rows)[i] * (1.0 if rows.holonomic else self.system.beat)

                def moved(s: float, k: int = k, e: FloatArray = e) -> FloatArray:
                    return rows.value([changed(rows, p, s * e) if j == k else p for j, p in enumerate(poses)], t, m)

                columns.append(first(moved, h))
        return np.reshape(columns, (-1, m)).T

    def matrix(self, t: float) -> FloatArray:
        """G of users' rows."""
        G = np.zeros((self.mine.size, self.n))
        for rows, places, m, _, where in self.parts:
            G[places, where] = self.gradient(rows, t, self.poses(rows), m) @ self.ways(rows)[0]
        return G

    def hessian(self, rows: UserRows, t: float, m: int, lam: FloatArray, kept: tuple[Any, ...]) -> FloatArray:
        """∂(Gᵀλ)/∂q over the velocities of the bodies of these rows."""
        poses = self.poses(rows)
        index = [(k, int(i)) for k, some in enumerate(kept) for i in some]
        steps = [MIXED * size_of(rows)[i] for _, i in index]
        K = np.zeros((len(index), len(index)))

        def value(*increments: tuple[int, float]) -> float:
            d = np.zeros((len(poses), 6))
            for x, s in increments:
                d[index[x]] += s
            return float(lam @ rows.value([p.moved(w) for p, w in zip(poses, d, strict=True)], t, m))

        for x in range(len(index)):
            for y in range(x + 1):
                hx, hy = steps[x], steps[y]
                four = (
                    value((x, hx), (y, hy))
                    + value((x, -hx), (y, -hy))
                    - value((x, hx), (y, -hy))
                    - value((x, -hx), (y, hy))
                )
                K[x, y] = K[y, x] = four / (4.0 * hx * hy)
        torque = lam @ self.gradient(rows, t, poses, m)
        for k in range(len(poses)):
            turns = [x for x, (body, i) in enumerate(index) if body == k and i >= 3]
            if len(turns) == 3:
                K[np.ix_(turns, turns)] += 0.5 * tilde(torque[turns])
        T, _ = self.ways(rows)
        return T.T @ K @ T + self.bent(rows, torque, kept)

    def bent(self, rows: UserRows, g: FloatArray, kept: tuple[Any, ...]) -> FloatArray:
        """∂Tᵀ/∂q of the forces g along the frames of the bodies of these rows."""
        own = np.split(g, np.cumsum([some.size for some in kept])[:-1])
        return joined([self.state.curvature(name, part) for name, part in zip(rows.bodies, own, strict=True)])

    # ---- forces

    def add_forces(self, t: float, lam: FloatArray, out: FloatArray) -> None:
        """out += Gᵀλ of users' rows − users' loads."""
        if lam.size and lam[self.mine].any():
            out += lam[self.mine] @ self.matrix(t)
        for load in self.system.user_loads:
            kept, where = self.state.places(load.body)
            out[where] -= self.state.pulled(load.body, load.value(t, self.state.pose(load.body))[kept])

    def add_tangents(self, t: float, lam: FloatArray, c: FloatArray, J: FloatArray) -> None:
        """J += c₁ ∂/∂v + c₂ ∂/∂q of users' rows and loads."""
        for rows, places, m, kept, where in self.parts:
            own = lam[self.mine][places]
            if not rows.holonomic and own.any():
                poses = self.poses(rows)
                by_v, by_q = curvatures_of_rates(rows, t, poses, own, kept, self.system.beat)
                T, turning = self.ways(rows)[0], joined([self.state.turning(name) for name in rows.bodies])
                bent = self.bent(rows, own @ self.gradient(rows, t, poses, m), kept)
                J[np.ix_(where, where)] += c[1] * T.T @ by_v @ T + c[2] * (T.T @ (by_q @ T + by_v @ turning) + bent)
            elif c[2] != 0.0 and own.any():
                J[np.ix_(where, where)] += c[2] * self.hessian(rows, t, m, own, kept)
        for load in self.system.user_loads:
            some, where = self.state.places(load.body)
            pose, T = self.state.pose(load.body), self.state.map(load.body)
            by_v, by_q = (x[np.ix_(some, some)] for x in load_slopes(load, t, pose, c, self.system))
            slope = c[1] * by_v @ T + c[2] * (by_q @ T + by_v @ self.state.turning(load.body))
            bent = self.state.curvature(load.body, load.value(t, pose)[some])
            J[np.ix_(where, where)] -= T.T @ slope + c[2] * bent


def load_slopes(
    load: UserLoad, t: float, pose: Pose, c: FloatArray, system: UserMechanismSystem
) -> tuple[FloatArray, FloatArray]:
    """∂/∂(ṙ, ω) and ∂/∂(r, ϖ) of a user's load, as far as c asks for them."""
    by_v, by_q = np.zeros((6, 6)), np.zeros((6, 6))
    sizes = np.array([float(system.scales.v[0])] * 3 + [1.0] * 3)
    for i, e in enumerate(np.eye(6)):

        def moved(s: float, e: FloatArray = e) -> FloatArray:
            return load.value(t, pose.moved(s * e))

        def sped(s: float, e: FloatArray = e) -> FloatArray:
            return load.value(t, pose.sped(s * e))

        by_v[:, i] = first(sped, H1 * sizes[i] * system.beat)
        if c[2] != 0.0:
            by_q[:, i] = first(moved, H1 * sizes[i])
    return by_v, by_q
