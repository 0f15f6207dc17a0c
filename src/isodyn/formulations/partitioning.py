"""Coordinate partitioning: independent coordinates y are integrated, the others solve u = h(y).

    φ(u, y, t) = 0 for u                      step 2 [Pennestri2008 (50)]
    φ_u u̇ + φ_y ẏ = −φ_t for u̇               [Pennestri2008 (53)]
    q̇ = N ẏ + ν,   q̈ = N ÿ + κ,   N = [1; −φ_u⁻¹ φ_y]
    Nᵀ(M q̈ − Q) = 0                           [Pennestri2008 (55)–(57) adapted]

The last line is the document's M̂ ÿ = Q̂, with N written out. The partition is chosen where the
motion starts, by pivots of G in typical sizes, and again when ∂u/∂y has grown beyond a limit: the
run goes on from the state there with other independent coordinates, by a start of its own, as after
a breakpoint.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from isodyn.errors import ConvergenceError, InputError, SingularError
from isodyn.formulations.protocol import ClosesNoSteps, Facts, formulation
from isodyn.kernels.compiled import BALANCE, JACOBIAN, KNOWS_MASS, NOT_FINITE, OK, FloatArray, IntArray
from isodyn.later import Later
from isodyn.linear_solvers.rows import choose, least_multipliers
from isodyn.results.solution import Sample, Solution
from isodyn.systems.base import System
from isodyn.systems.compiled_system import PythonSystem
from isodyn.systems.model import Question
from isodyn.systems.questions import Questions
from isodyn.systems.scales import Scales, reach

linalg = Later("scipy.linalg")

ITERATIONS = 30  # most of Newton's, onto φ = 0
ROUNDING = 1e-14  # of the size of q: corrections of u below this are none


@formulation("partitioning", "coordinate-partitioning")
@dataclass(frozen=True)
class Partitioning(ClosesNoSteps):
    """Integrate independent coordinates and solve the constraints for the others.

    φ and φ̇ vanish at every t_n. `sol.aux["dependent"]` marks the dependent coordinates of each
    row.

    Parameters
    ----------
    worst
        Largest ∂u/∂y, in typical sizes, before other coordinates become independent.

    Raises
    ------
    InputError
        If `worst` is not above one.

    Examples
    --------
    >>> import isodyn as iso
    >>> pendulum = iso.problems.get("pendulum").system()
    >>> sol = iso.integrate(pendulum, formulation=iso.Partitioning(), dt=0.01, t_end=1.0)
    >>> bool(sol.drift().position.max() < 1e-12)
    True
    """

    refusal: ClassVar[str] = "coordinate partitioning closes no steps; it makes another system, with `transform`"
    facts: ClassVar[Facts] = Facts(
        "φ, φ̇",
        (2, 2, 2, 2),
        nonholonomic=False,
        compiled=False,
        constraints_only=True,
        transforms=True,
        nonideal=False,
        remark="u = h(v) at every evaluation; other coordinates become independent where ∂u/∂v grows",
    )

    worst: float = 1.5

    def __post_init__(self) -> None:
        if not (math.isfinite(self.worst) and self.worst > 1.0):
            raise InputError(f"worst must be above 1, received {self.worst!r}")

    def transform(self, system: System) -> PythonSystem:
        # unconstrained, in the coordinates that are independent at the start
        return Partition(system, 0.0, system.q0).reduced(system.v0)

    def run(self, system: System, integrate: Callable[..., Solution], scheme: object, **options: Any) -> Solution:
        dt, save_every, observe = options.pop("dt"), options.pop("save_every"), options.pop("observe")
        if options.pop("checkpoint") is not None or len(options.pop("breakpoints")) or not isinstance(dt, int | float):
            raise InputError("coordinate partitioning takes steps of one size, without breakpoints and checkpoints")
        t0, t_end = float(options.pop("t0")), float(options.pop("t_end"))
        count = max(1, math.ceil((t_end - t0) / dt - 1e-9))
        grid = np.append(t0 + dt * np.arange(count), t_end)
        legs: list[tuple[Partition, Solution]] = []
        start, q, v = 0, system.q0, system.v0
        while start < count:
            partition = Partition(system, float(grid[start]), q)
            watch = _Watch(partition, self.worst, observe if save_every == 1 else None)
            times = {"t0": float(grid[start]), "t_end": t_end, "dt": dt, "observe": watch}
            sol = integrate(partition.reduced(v), scheme, **times, **options)
            legs.append((partition, sol))
            if sol.t.size < 2 or watch.stopped:
                break
            start += sol.t.size - 1
            q, v = partition.state(float(sol.t[-1]), sol.q[-1], sol.v[-1])
        return _joined(legs, system, save_every)


class Partition:
    """Coordinates of a system, divided into independent and dependent ones at a state."""

    def __init__(self, system: System, t: float, q: FloatArray) -> None:
        if system.nq != system.nv or system.retract is not None:
            raise InputError(
                "coordinate partitioning needs coordinates that are a vector space; this system has retract="
            )
        self.system, self.ask, self.still = system, Questions(system), np.zeros(system.nv)
        scaled = self.ask.G(t, q, self.still) * system.scales.v
        self.rows = choose(scaled).chosen
        _, _, order = linalg.qr(scaled[self.rows], mode="economic", pivoting=True)
        m = self.rows.size
        self.dependent: IntArray = np.sort(order[:m])
        self.independent: IntArray = np.sort(order[m:])
        if not self.independent.size:
            raise SingularError("the constraints leave no coordinate independent: nothing moves")
        # the last configuration that was reached: among several u the nearest is meant
        self.q = np.array(q, dtype=np.float64)
        self.first = self.q.copy()

    def configuration(self, t: float, y: FloatArray) -> FloatArray:
        """q with u = h(y), by Newton's iteration from the last configuration that was reached."""
        q = self.q.copy()
        q[self.independent] = y
        small = ROUNDING * reach(self.system, q)
        before = np.inf
        for _ in range(ITERATIONS):
            phi = self.ask.position(t, q, self.still)[self.rows]
            G_u = self.ask.G(t, q, self.still)[np.ix_(self.rows, self.dependent)]
            change = np.linalg.solve(G_u, phi)
            q[self.dependent] -= change
            size = float(np.abs(change / self.system.scales.v[self.dependent]).max(initial=0.0))
            if size <= small or (size <= 1e3 * small and size > 0.5 * before):
                return q
            before = size
        raise ConvergenceError(
            f"no dependent coordinates u = h(v) at t = {t:.6g}: the last correction was {before:.1e}",
            hint="reduce dt, or let the partition change earlier with a smaller `worst`",
        )

    def basis(self, t: float, q: FloatArray) -> FloatArray:
        """N = [1; −φ_u⁻¹ φ_y]."""
        G, N = self.ask.G(t, q, self.still)[self.rows], np.zeros((self.system.nv, self.independent.size))
        N[self.independent] = np.eye(self.independent.size)
        N[self.dependent] = -np.linalg.solve(G[:, self.dependent], G[:, self.independent])
        return N

    def completed(self, t: float, q: FloatArray, v: FloatArray, level: Callable[..., FloatArray]) -> FloatArray:
        """Dependent rates so that a level of the constraints, linear in them, vanishes."""
        full = np.zeros(self.system.nv)
        full[self.independent] = v
        G_u = self.ask.G(t, q, self.still)[np.ix_(self.rows, self.dependent)]
        full[self.dependent] = -np.linalg.solve(G_u, level(full)[self.rows])
        return full

    def state(self, t: float, y: FloatArray, y_dot: FloatArray) -> tuple[FloatArray, FloatArray]:
        """q and v from the independent ones [Pennestri2008 (50), (53)]."""
        q = self.configuration(t, y)
        return q, self.completed(t, q, y_dot, lambda v: self.ask.velocity(t, q, v))

    def acceleration(self, t: float, q: FloatArray, v: FloatArray, y_ddot: FloatArray) -> FloatArray:
        """a from the independent ones [Pennestri2008 (54)]."""
        return self.completed(t, q, y_ddot, lambda a: self.ask.acceleration(t, q, v, a))

    def steepness(self, t: float, q: FloatArray) -> float:
        """Largest ∂u/∂y, in typical sizes."""
        sizes = self.system.scales.v
        N = self.basis(t, q)[self.dependent] * sizes[self.independent] / sizes[self.dependent][:, None]
        return float(np.abs(N).max(initial=0.0))

    def reduced(self, v: FloatArray) -> PythonSystem:
        """The system in the independent coordinates, at the state that the partition was made
        for."""
        kept, scales = self.independent, self.system.scales
        scales = Scales(scales.q[kept], scales.v[kept], scales.at[kept])
        names = tuple(self.system.names[i] for i in kept)
        return PythonSystem(_Answers(self), KNOWS_MASS, self.q[kept].copy(), v[kept].copy(), names=names, scales=scales)


class _Answers:
    """Nᵀ(M q̈ − Q) of the independent coordinates."""

    solver = ""

    def __init__(self, partition: Partition) -> None:
        self.partition = partition

    def answer(self, question: Question, out: FloatArray) -> int:
        try:
            self.fill(question, out)
        except (ConvergenceError, np.linalg.LinAlgError):
            return NOT_FINITE  # beyond the reach of this partition: shorter steps come to its end before
        return OK

    def fill(self, question: Question, out: FloatArray) -> None:
        """One answer, into out."""
        own, (what, t, q, v, a, _, c) = self.partition, question
        if what == BALANCE:
            whole, rate = own.state(t, q.copy(), v.copy())
            bend = own.acceleration(t, whole, rate, a.copy())
            out[:] = own.basis(t, whole).T @ own.ask.balance(t, whole, rate, bend)
        elif what == JACOBIAN:
            whole = own.configuration(t, q.copy())
            N = own.basis(t, whole)
            out[:] = (c[0] * N.T @ own.ask.mass(t, whole, own.still) @ N).ravel()


class _Watch:
    """Looks at every step whether the partition still serves, and shows the state to an
    observer."""

    def __init__(self, partition: Partition, worst: float, observe: Callable[..., Any] | None) -> None:
        self.partition, self.worst, self.observe, self.stopped = partition, worst, observe, False

    def __call__(self, sample: Sample) -> bool:
        own, t = self.partition, float(sample.t)
        q, v = own.state(t, sample.q, sample.v)
        own.q = q
        if self.observe is not None:
            a = own.acceleration(t, q, v, sample.a)
            seen = sample._replace(q=q, v=v, a=a, lam=_multipliers(own, t, q, v, a))
            self.stopped = bool(self.observe(seen))
        return self.stopped or own.steepness(t, q) > self.worst


def _multipliers(own: Partition, t: float, q: FloatArray, v: FloatArray, a: FloatArray) -> FloatArray:
    """λ with Gᵀλ = Q − M a, of least norm."""
    G = own.ask.G(t, q, v)
    lam = np.zeros(own.system.m)
    s = own.system.scales.v
    lam[own.rows] = np.linalg.lstsq((G[own.rows] * s).T, -own.ask.balance(t, q, v, a) * s, rcond=None)[0]
    return lam if own.rows.size == own.system.m else np.asarray(least_multipliers(G, lam, own.system.scales))


def _joined(legs: list[tuple[Partition, Solution]], system: System, save_every: int) -> Solution:
    """One solution of the constrained system from those of all partitions."""
    rows: list[tuple[Any, ...]] = []
    for number, (own, sol) in enumerate(legs):
        own.q = own.first.copy()
        for t, y, y_dot, y_ddot in list(zip(sol.t, sol.q, sol.v, sol.a, strict=True))[number > 0 :]:
            q, v = own.state(float(t), y, y_dot)
            own.q, a = q, own.acceleration(float(t), q, v, y_ddot)
            rows.append(
                (t, q, v, a, _multipliers(own, float(t), q, v, a), np.isin(np.arange(system.nv), own.dependent))
            )
    kept = sorted({*range(0, len(rows), save_every), len(rows) - 1})
    sol = replace(legs[0][1], system=system)
    sol.t, sol.q, sol.v, sol.a, sol.lam, marks = (np.array([rows[i][k] for i in kept]) for k in range(6))
    sol.aux["dependent"] = marks
    sizes = {"q": system.nq, "v": system.nv, "a": system.nv, "lam": system.m}
    sol.columns = {name: np.arange(size) for name, size in sizes.items()}
    for _, other in legs[1:]:
        for name in ("steps", "iterations", "evaluations", "factorisations"):
            setattr(sol.stats, name, getattr(sol.stats, name) + getattr(other.stats, name))
    return sol
