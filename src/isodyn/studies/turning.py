"""Structures that turn as a whole: how they deform, and their frequencies over the speed.

    v = Ω × r,   a = Ω × (Ω × r),   ω = RᵀΩ,   ω̇ = 0        of every body that turns with Ω
    r(q, v(q), a(q)) + Gᵀλ = 0,   φ(q) = 0

is solved by Newton's method while the speed grows. Small motions d, seen by one who turns along:

    δv = ḋ + V d,   δa = d̈ + B ḋ + A d        V = (Ω~, (RᵀΩ)~),   B = (2Ω~, (RᵀΩ)~),   A = (Ω~Ω~, 0)

of (positions, rotations), so that with the tangents M, C, K of the balance there

    M d̈ + (C + M B) ḋ + (K + C V + M A) d + Gᵀμ = 0,   G d = 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from isodyn.bodies.body import vector3
from isodyn.bodies.rotations import from_axis_angle, matrix
from isodyn.errors import ConvergenceError, InputError
from isodyn.kernels.compiled import JACOBIAN, FloatArray
from isodyn.later import Later
from isodyn.mechanism.system import MechanismSystem
from isodyn.notebook_views import ShownInNotebooks
from isodyn.open_types import Numbers
from isodyn.studies.linearisation import Linearisation
from isodyn.studies.tangents import Tangents
from isodyn.systems.base import System
from isodyn.systems.compiled_system import settled
from isodyn.systems.description import as_system
from isodyn.systems.manifold import freedoms, moving
from isodyn.systems.multiplier_forces import refuse_nonideal
from isodyn.systems.questions import Questions
from isodyn.systems.scales import largest_or_one, row_sizes

pyplot = Later("matplotlib.pyplot")

STEPS, SMALLEST, ITERATIONS = 4, 1e-3, 20  # speeds on the way, shortest of them, Newton's iterations
TOLERANCE = 1e-12  # last correction, in typical sizes
STEADY = 1e-6  # of speeds and forces: what may be left of rows that resist, and of forces a turn later


@dataclass(frozen=True, eq=False)
class Spin(ShownInNotebooks):
    """A mechanism that turns at constant speed: positions, velocities, accelerations, multipliers.

    Parameters
    ----------
    system
        The system.
    spin
        Angular velocity in the world.
    point
        A point of the axis.
    q, v, a, lam
        The motion at t = 0.
    """

    system: Any
    spin: FloatArray
    point: FloatArray
    q: FloatArray
    v: FloatArray
    a: FloatArray
    lam: FloatArray

    @cached_property
    def linear(self) -> Linearisation:
        """Small motions about it, seen by someone who turns along."""
        ask, system = Questions(self.system), self.system
        _, _, V, B, A = _turning(system, self.q, self.spin, self.point)
        M, C, K = _tangents(ask, self.q, self.v, self.a, self.lam)
        G = ask.G(0.0, self.q, self.v)
        whole = Tangents(M, C + M @ B, K + C @ V + M @ A)
        return Linearisation(system, 0.0, self.q, self.lam, G, freedoms(G, system.scales.v)[0], whole)

    def __repr__(self) -> str:
        return f"<Spin: {np.linalg.norm(self.spin):.6g} rad/s, {self.linear.N.shape[1]} degrees of freedom>"


def _turning(system: MechanismSystem, q: FloatArray, spin: FloatArray, point: FloatArray) -> tuple[Any, ...]:
    """v, a; and V, B, A."""
    n = system.nv
    v, a, V, B, A = np.zeros(n), np.zeros(n), np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    W = np.cross(spin, np.eye(3)).T  # W x = spin × x
    for body in system.bodies:
        if body.is_mode:  # a shape of a flexible body does not change
            continue
        own, coordinates = system.v_of(body.name), q[system.q_of(body.name)]
        many = 2 if body.kind == "planar" else 3
        r = np.zeros(3)
        r[:many] = coordinates[:many]
        place = slice(own.start, own.start + many)
        v[place], a[place] = (W @ (r - point))[:many], (W @ W @ (r - point))[:many]
        V[place, place], A[place, place] = W[:many, :many], (W @ W)[:many, :many]
        B[place, place] = 2 * W[:many, :many]
        if body.kind == "planar":
            v[own.start + 2] = spin[2]
        elif body.kind == "spatial":
            w = matrix(coordinates[3:]).T @ spin
            turn = slice(own.start + 3, own.stop)
            v[turn] = w
            V[turn, turn] = B[turn, turn] = np.cross(w, np.eye(3)).T  # RᵀΩ changes by w × ϑ
    return v, a, V, B, A


def _tangents(
    ask: Questions, q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    n = ask.system.nv
    one, two, three = (
        ask.ask(JACOBIAN, 0.0, q, v, a, n * n, lam, weights).reshape(n, n)
        for weights in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    )
    return one, two, three


def _solve(ask: Questions, q: FloatArray, lam: FloatArray, spin: FloatArray, point: FloatArray) -> Spin | None:
    """Newton's method at one speed."""
    system: Any = ask.system  # of a mechanism
    t, n = 0.0, system.nv
    move, sizes = moving(system), system.scales.v
    for _ in range(ITERATIONS):
        v, a, V, _, A = _turning(system, q, spin, point)
        M, C, K = _tangents(ask, q, v, a, lam)
        K, G = K + C @ V + M @ A, ask.G(t, q, v)
        right = np.concatenate([ask.balance(t, q, v, a, lam), ask.position(t, q, v)])
        m = G.shape[0]
        units = np.concatenate([sizes, largest_or_one(np.abs(np.diag(K)) * sizes**2) / row_sizes(G, sizes)])
        S = np.block([[K, G.T], [G, np.zeros((m, m))]]) * units * units[:, None]
        # the rotation of the whole about its axis is free: least squares
        change = units * np.linalg.lstsq(S, -units * right, rcond=1e-12)[0]
        if not np.isfinite(change).all() or (np.abs(change[:n]) / sizes).max() > 1.0:
            return None
        q, lam = move(q, change[:n]), lam + change[n:]
        if (np.abs(change[:n]) / sizes).max() < TOLERANCE:
            v, a, *_ = _turning(system, q, spin, point)
            return Spin(system, spin, point, q, v, a, lam)
    return None


def _turned(motion: Spin, angle: float) -> Spin:
    """The same motion, later by this angle; without multipliers."""
    system, point, q = motion.system, motion.point, motion.q
    axis = motion.spin / np.linalg.norm(motion.spin)
    R, d = matrix(from_axis_angle(axis, angle)), np.zeros(system.nv)
    for body in system.bodies:
        if body.is_mode:
            continue
        own, coordinates = system.v_of(body.name), q[system.q_of(body.name)]
        many = 2 if body.kind == "planar" else 3
        r = np.zeros(3)
        r[:many] = coordinates[:many]
        d[own.start : own.start + many] = (R @ (r - point) + point - r)[:many]
        if body.kind == "planar":
            d[own.start + 2] = angle * axis[2]
        elif body.kind == "spatial":
            turn = 2 * np.tan(angle / 2) if system.layout.cayley else angle
            d[own.start + 3 : own.stop] = turn * matrix(coordinates[3:]).T @ axis
    there = moving(system)(q.copy(), d)
    v, a, *_ = _turning(system, there, motion.spin, point)
    return replace(motion, q=there, v=v, a=a, lam=np.zeros(system.m))


def _refuse_unsteady(ask: Questions, motion: Spin) -> None:
    """InputError where a joint resists the rotation, or forces change on the way around."""
    system, sizes = motion.system, motion.system.scales.v
    if not np.any(motion.spin):
        return
    rates, G = ask.velocity(0.0, motion.q, motion.v), ask.G(0.0, motion.q, motion.v)
    speed = largest_or_one(np.abs(motion.v) / sizes)
    resists = np.abs(rates) / (row_sizes(G, sizes) * speed)
    if resists.max(initial=0.0) > STEADY:
        raise InputError(
            f"the mechanism cannot turn with {motion.spin} rad/s: {system.row_names[int(resists.argmax())]} resists",
            hint="choose axis= and point= along the hinge that it turns on; a drive must keep the same speed",
            argument="axis",
        )
    later = _turned(motion, 1.0)
    forces = ask.balance(0.0, later.q, later.v, later.a, later.lam)
    N = freedoms(ask.G(0.0, later.q, later.v), sizes)[0]
    pull = ask.balance(0.0, later.q, later.v, 0.0 * later.a, later.lam)  # without inertia, which may balance it
    largest = max(np.abs(x * sizes).max(initial=0.0) for x in (pull, forces - pull))
    typical = np.abs(N / sizes[:, None]).max(axis=0, initial=0.0) * largest
    if np.any(np.abs(N.T @ forces) > STEADY * typical):
        raise InputError(
            "forces change while the mechanism turns, so that it does not keep its shape",
            hint="gravity must be along the axis, or zero; springs to the ground must be on the axis",
        )


def spin(
    system: System, speed: float, *, axis: ArrayLike = (0, 0, 1), point: ArrayLike = (0, 0, 0), q: Numbers = None
) -> Spin:
    """Find the shape of a mechanism that turns as a whole with a constant speed.

    Parameters
    ----------
    system
        A mechanism that can turn about the axis.
    speed
        Angular velocity [rad/s].
    axis, point
        The axis, in the world.
    q
        Position at rest, or at a speed nearby; the start if left out.

    Returns
    -------
    motion
        q, v, a and multipliers; `linear` are the small motions about it.

    Raises
    ------
    ConvergenceError
        If there is no such motion nearby.
    InputError
        If the system is no mechanism of bodies and rods, cannot turn about the axis, or is pulled
        by forces that do not turn along.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism(gravity=(0, 0, 0))
    >>> _ = mech.add_body("bob", mass=1.0, kind="particle", position=(1, 0, 0))
    >>> _ = mech.add_load(iso.Spring("spring", "ground", "bob", stiffness=100.0, rest=1.0))
    >>> found = iso.spin(mech, 5.0)
    >>> round(float((found.q[:2] ** 2).sum() ** 0.5), 9)
    1.333333333
    """
    system = as_system(system)
    if not isinstance(system, MechanismSystem) or any(body.of_beam for body in system.bodies):
        raise InputError("spin is for mechanisms of bodies and rods", hint="beams by model='exact'")
    refuse_nonideal(system, "spin")
    way, at = vector3("axis", axis, "axis"), vector3("point", point, "point")
    if not np.linalg.norm(way) > 0:
        raise InputError("axis has no direction", argument="axis")
    full = speed * way / np.linalg.norm(way)
    ask = Questions(system)
    start = settled(system, system.q0 if q is None else np.asarray(q, dtype=np.float64))
    state, share, step = (start, np.zeros(system.m)), 0.0, 1.0 / STEPS if q is None else 1.0
    while True:
        trial = min(1.0, share + step)
        found = _solve(ask, *state, np.sqrt(trial) * full if q is None else trial * full, at)
        if found is not None:
            if trial == 1.0:
                _refuse_unsteady(ask, found)
                return found
            state, share = (found.q, found.lam), trial
            continue
        step = (trial - share) / 2
        if step < SMALLEST:
            raise ConvergenceError(
                f"no steady rotation found at a speed of {speed:g} rad/s",
                hint="nothing may hold it against turning; centrifugal forces may be too large for the structure",
            )
