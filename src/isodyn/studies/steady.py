"""Small motions about a steady motion, v ≠ 0, with or without rolling.

About q(t) ⊕ d, v(t) + w, with a = v̇ so that ẇ is the change of a,

    ḋ = w + D d,      M ẇ + C w + K d + Gᵀμ = 0,      G ẇ + Γ_v w + Γ_q d = 0

K, C are ∂r/∂q, ∂r/∂v of the balance r with its a and λ, Γ = [φ̈; ψ̇]. Admissible are the (d, w)
with G_φ d = 0 and G w + c_q d = 0, c = [φ̇; ψ]: rows that are rates only do not hold d. On these, ẋ
= A x. A steady motion is carried along by a symmetry (isodyn.studies.symmetries): x = exp(tX) y
leaves

    ẏ = (A − X) y

with constant coefficients; poles are the eigenvalues of A − X. Zero ones (places along the path,
other speeds, other directions) are split off exactly: the null space is divided out until none is
left. docs/derivations/steady_motion.md has the derivation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from isodyn.errors import InputError, NotSteadyError
from isodyn.kernels.compiled import FloatArray
from isodyn.mechanism.coordinates import ParametrisedSystem
from isodyn.studies.shown_motion import SmallMotions
from isodyn.studies.symmetries import Straight, Symmetry, symmetries
from isodyn.studies.tangents import multipliers, rates
from isodyn.systems.base import System
from isodyn.systems.checks import vector
from isodyn.systems.compiled_system import settled
from isodyn.systems.differences import H1, first
from isodyn.systems.manifold import freedoms, moving
from isodyn.systems.questions import Questions
from isodyn.systems.scales import reach, sizes_of_rows

if TYPE_CHECKING:
    from isodyn.open_types import ComplexArray

STEADY = 1e-6  # relative: what changes by less along a motion is constant
ZERO = 1e-9  # relative: singular values below this are zero
TIMES = (0.31, 0.77)  # in units of the fastest turn: where it is seen whether a motion is steady


@dataclass(frozen=True, eq=False, repr=False)
class SteadyLinearisation(SmallMotions):
    """Small motions about a steady motion; `print` shows their modes.

    Poles belong to motions as seen by someone who turns with `alpha` (world) as the mechanism does,
    but not with the wheels that spin.

    Parameters
    ----------
    system
        The system.
    t
        Time.
    q, v, a
        The motion at that time.
    lam
        Multipliers there.
    alpha
        Angular velocity with which the mechanism turns as a whole, in the world.
    zeros
        How many poles are zero: places along the path, other speeds and directions.
    poles
        The others with Im s ≥ 0, by size.
    modes
        Their shapes in all components of v, a column per pole; complex.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism(gravity=(0, 0, -10.0))
    >>> _ = mech.add_body("coin", 1.0, (0.25, 0.5, 0.25), (0, 0, 1), velocity=(2, 0, 0), angular_velocity=(0, 2, 0))
    >>> _ = mech.add_joint(iso.RollingDisc("floor", "coin", radius=1.0, axis=(0, 1, 0)))
    >>> system = mech.compile()
    >>> lin = iso.linearise(system, system.q0, v=system.v0)
    >>> lin.zeros, float(lin.poles[0].imag.round(9)), lin.stability
    (6, 1.264911064, 'stable')
    """

    system: System
    t: float
    q: FloatArray
    v: FloatArray
    a: FloatArray
    lam: FloatArray
    alpha: FloatArray
    zeros: int
    poles: ComplexArray
    modes: ComplexArray

    @property
    def stability(self) -> str:
        """ "unstable" if a mode grows, else "stable"; zero poles do not count."""
        return "unstable" if (self.poles.real > 1e-7 * self.omega.max(initial=0.0)).any() else "stable"

    def __str__(self) -> str:
        lines = [f"small motions about a steady motion at t = {self.t:g}: {self.stability}, {self.zeros} zero poles"]
        if self.poles.size:
            lines.append("  mode        Re s        Im s   damping   moves most")
        for k, (s, ratio) in enumerate(zip(self.poles, self.damping_ratios, strict=True)):
            most = self.system.v_names[int(np.abs(self.modes[:, k]).argmax())]
            lines.append(f"  {k + 1:4d}  {s.real:10.5g}  {s.imag:10.5g} {ratio:9.3g}   {most}")
        return "\n".join(lines)


class Moment:
    """The equations about one moment of a motion, in units of typical sizes and of one time."""

    def __init__(self, ask: Questions, t: float, q: FloatArray, v: FloatArray, pace: float) -> None:
        system = ask.system
        self.ask, self.t, self.q, self.v, self.pace = ask, t, q, v, pace
        self.sizes = system.scales.v
        self.G = ask.G(t, q, v)
        self.N = freedoms(self.G, self.sizes)[0]
        still = np.zeros(system.nv)
        rest = ask.balance(t, q, v, still)
        self.M = np.array([ask.balance(t, q, v, e) - rest for e in np.eye(system.nv)]).T
        b = -ask.acceleration(t, q, v, still)
        self.a = self.solved(rest, -b)
        self.lam = multipliers(system, self.G, ask.balance(t, q, v, self.a))

    def solved(self, force: FloatArray, change: FloatArray) -> FloatArray:
        """x with M x + Gᵀμ + force = 0 and G x + change = 0."""
        x = rates(self.ask.system, self.G, -change)
        return x - self.N @ np.linalg.solve(self.N.T @ self.M @ self.N, self.N.T @ (self.M @ x + force))

    def slopes(self, f: Callable[[FloatArray, FloatArray], FloatArray]) -> tuple[FloatArray, FloatArray]:
        """∂f/∂q along increments and ∂f/∂v, by differences of sixth order."""
        move, n = moving(self.ask.system), self.v.size
        by_q, by_v = [], []
        for e, size in zip(np.eye(n), self.sizes, strict=True):
            by_q.append(first(lambda s, e=e: f(move(self.q, s * e), self.v), H1 * size))  # type: ignore[misc]
            by_v.append(first(lambda s, e=e: f(self.q, self.v + s * e), H1 * size * self.pace))  # type: ignore[misc]
        return np.array(by_q).T, np.array(by_v).T

    def linear(self, drift: FloatArray) -> tuple[FloatArray, FloatArray]:
        """A over (d, w), and an orthonormal basis of the admissible ones, in their units."""
        ask, t, n = self.ask, self.t, self.v.size
        K, C = self.slopes(lambda q, v: ask.balance(t, q, v, self.a, self.lam))
        of_q, of_v = self.slopes(lambda q, v: ask.acceleration(t, q, v, self.a))
        c_q = self.slopes(lambda q, v: ask.velocity(t, q, v))[0]
        columns = zip(np.hstack([K, C]).T, np.hstack([of_q, of_v]).T, strict=True)
        below = np.array([self.solved(force, change) for force, change in columns]).T
        A = np.block([[drift, np.eye(n)], [below]])
        units = np.concatenate([self.sizes, self.sizes * self.pace])
        m_phi = ask.system.m_phi
        L = np.block([[self.G[:m_phi], np.zeros((m_phi, n))], [c_q, self.G]]) * units
        rows = np.linalg.norm(L, axis=1)
        L = L / np.where(rows > 0, rows, 1.0)[:, None]
        return A * units / units[:, None], _null_space(L, 2 * n)


def steady(system: System, q: ArrayLike, v: ArrayLike, t: float) -> SteadyLinearisation:
    """Small motions about the steady motion through q, v; NotSteadyError where it is none.

    Mechanisms in Euler's parameters or angles are looked at in their default coordinates.
    """
    q, v = vector("q", q), vector("v", v)
    for what, given, size in (("q", q, system.nq), ("v", v, system.nv)):
        if given.size != size:
            raise InputError(f"{what} must have {size} entries, received {given.size}")
    if isinstance(system, ParametrisedSystem):
        q, v, _ = system.state(q, v)
        system = system.mechanism
    ask = Questions(system)
    q = settled(system, q)
    pace = max(float(np.abs(v / system.scales.v).max()), 1e-300)
    _refuse_open(ask, t, q, v, pace)
    start = Moment(ask, t, q, v, pace)
    worst, reason = np.inf, "its accelerations fit no symmetry"
    for symmetry in symmetries(system, q, v, start.a):
        A, B = start.linear(symmetry.drift(v))
        worst = _change(start, symmetry, A, B)
        if worst <= STEADY:
            return _solved(start, symmetry, A, B)
        reason = f"what small motions obey changes by {worst:.2g}, relative, along it"
    raise NotSteadyError(
        f"the motion through q, v at t = {t:g} is not steady: {reason}",
        hint="a steady motion turns as a whole with one angular velocity, and only round bodies spin by themselves",
    )


def _refuse_open(ask: Questions, t: float, q: FloatArray, v: FloatArray, pace: float) -> None:
    """NotSteadyError for a state that constraints do not allow."""
    sizes = sizes_of_rows(ask.system, ask.G(t, q, v))
    for what, gap, unit in (
        ("position", ask.position(t, q, v), reach(ask.system, q)),
        ("velocity", ask.velocity(t, q, v), pace),
    ):
        off = np.abs(gap) / sizes[: gap.size]
        if off.max(initial=0.0) > STEADY * unit:
            row = ask.system.row_names[int(off.argmax())]
            raise NotSteadyError(
                f"q, v are no motion at t = {t:g}: {row!r} is off by {abs(gap[int(off.argmax())]):.3g} at {what} level",
                hint="mech.assemble() finds positions and velocities that fit",
            )


def _change(start: Moment, symmetry: Symmetry | Straight, A: FloatArray, B: FloatArray) -> float:
    """By how much, relative, accelerations and the linear equations differ from what the symmetry
    makes of those at the start."""
    sizes, pace = start.sizes, start.pace
    asked = symmetry.generator @ start.v
    worst = float(np.abs((start.a - asked) / sizes).max()) / pace**2
    if worst > STEADY:
        return worst
    fastest = max(symmetry.rate, pace)
    for s in (x / fastest for x in TIMES):
        P = symmetry.turned(s)
        later = Moment(start.ask, start.t + s, symmetry.moved(start.q, start.v, s), P @ start.v, pace)
        worst = max(worst, float(np.abs((later.a - P @ start.a) / sizes).max()) / pace**2)
        of_later, allowed = later.linear(symmetry.drift(P @ start.v))
        if allowed.shape != B.shape:
            return np.inf
        T = np.kron(np.eye(2), P * sizes / sizes[:, None])
        here, there = T @ B, of_later @ T @ B
        outside = here - allowed @ (allowed.T @ here)
        scale = float(np.abs(A @ B).max())
        worst = max(worst, float(np.abs(outside).max()), float(np.abs(there - T @ (A @ B)).max()) / scale)
    return worst


def _solved(start: Moment, symmetry: Symmetry | Straight, A: FloatArray, B: FloatArray) -> SteadyLinearisation:
    """Poles and modes of A − X on the admissible motions."""
    sizes = start.sizes
    X = np.kron(np.eye(2), symmetry.generator * sizes / sizes[:, None])
    A = B.T @ (A - X) @ B
    largest = max(float(np.linalg.norm(A, 2)), 1e-300)
    ways, zeros = np.eye(A.shape[0]), 0
    while True:  # divide the null space out
        reduced = ways.T @ A @ ways
        if not reduced.size:
            break
        _, values, Vt = np.linalg.svd(reduced)
        none = int((values <= ZERO * largest).sum())
        if none == 0:
            break
        zeros += none
        ways = ways @ Vt[: values.size - none].T
    poles, Y = np.linalg.eig(ways.T @ A @ ways)
    keep = np.flatnonzero(poles.imag >= 0)
    poles, Y = poles[keep], Y[:, keep]
    order = np.argsort(np.abs(poles), kind="stable")
    poles = poles[order]
    modes = _modes(A, poles, B, sizes)
    alpha = symmetry.alpha if isinstance(symmetry, Symmetry) else np.zeros(3)
    return SteadyLinearisation(
        start.ask.system, start.t, start.q, start.v, start.a, start.lam, alpha, zeros, poles, modes
    )


def _modes(A: FloatArray, poles: ComplexArray, B: FloatArray, sizes: FloatArray) -> ComplexArray:
    """d of the eigenvectors that belong to poles, the largest component one."""
    found = []
    for s in poles:
        y = np.linalg.svd(A - s * np.eye(A.shape[0]))[2][-1].conj()
        d = sizes * (B @ y)[: sizes.size]
        found.append(d / d[np.abs(d).argmax()])
    return np.array(found, dtype=complex).reshape(-1, sizes.size).T


def _null_space(L: FloatArray, n: int) -> FloatArray:
    """An orthonormal basis of L x = 0."""
    if L.shape[0] == 0:
        return np.eye(n)
    _, values, Vt = np.linalg.svd(L)
    rank = int((values > ZERO * values.max(initial=0.0)).sum())
    return Vt[rank:].T
