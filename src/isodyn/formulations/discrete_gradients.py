"""The midpoint rule with forces that do the work of the potential: energy and momenta are conserved.

    q₁ − q₀ = d = Δt (v₀ + v₁)/2
    M (v₁ − v₀) = Δt (F̄ − Ḡᵀλ̄),    φ(q₁) = 0
    F̄ = F − [V₁ − V₀ + F·d] w/(w·d),     Ḡ = G + [φ₁ − φ₀ − G d] wᵀ/(w·d)

with F = Q and G at the middle q_m. A member as [Shimada2014 §2.4.3] discusses them, by the discrete
gradients of [Gonzalez1996]: F̄·d = −(V₁ − V₀) and Ḡ d = φ₁ − φ₀ = 0, so that T + V is the same after
every step, whatever the step. w = M d conserves energy alone.

With rows A(q) of translations and rotations that change neither V nor φ, P = 1 − M Aᵀ(A M Aᵀ)⁻¹A at
q_m takes rigid motions out: A P = 0. Then

    w = P M d,     F = Q_m + P (½(Q₀ + Q₁) − Q_m),     G the same,

and A F̄ = 0: the momenta A(q) M v are the same after every step too. For one particle and a centre w
is radial. Where d is rigid, q₀ and q₁ differ by a rotation (Cayley's) and the bracket vanishes with
w; the term of P in F is its slope there, so that bracket/(w·d) is no 0/0 on circles and in other
motions without deformation.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np

from isodyn.errors import ConvergenceError, InputError
from isodyn.kernels.compiled import CONSTANT_MASS, JACOBIAN, KNOWS_TANGENT, FloatArray
from isodyn.linear_solvers.rows import least_multipliers
from isodyn.systems.base import System
from isodyn.systems.questions import Questions

ITERATIONS = 50  # most of Newton's in a step
EPS = float(np.finfo(np.float64).eps)
NOISE = 4.0 * EPS  # of V and φ: work that is missing below this is rounding
SLOPE = 1e-5  # relative steps of differences of V, and what they may miss of Q
INVARIANT = 1e-9  # relative work along a symmetry


class Start(NamedTuple):
    """The configuration before a step, with V, Q, φ and G there."""

    q: FloatArray
    V: float
    Q: FloatArray
    phi: FloatArray
    G: FloatArray


class Forces(NamedTuple):
    """F̄, Ḡ, φ₁, and what rounding of V makes of F̄."""

    F: FloatArray
    G: FloatArray
    phi: FloatArray
    rough: FloatArray


class ConservingSteps:
    """A conservative system, with the steps that conserve its energy."""

    def __init__(self, system: System, points: int | None, times: FloatArray) -> None:
        self.system, self.ask, self.times = system, Questions(system), times
        _refuse(system, self.ask.model.traits)
        n = system.nv
        self.still, self.t0, self.iterations = np.zeros(n), float(times[0]), 0
        M = self.ask.mass(self.t0, system.q0, self.still)
        self.M = M if isinstance(M, np.ndarray) else M.toarray()
        self.refuse_work(system.q0, system.v0)
        self.symmetries = [] if points is None else list(_rigid_motions(n, points))
        self.symmetries = [one for one in self.symmetries if self.allows(*one)]

    def size(self, *ways: FloatArray) -> float:
        """The largest of some coordinates or ways, in typical sizes; 1 where all are zero."""
        return max(float(np.abs(way / self.system.scales.v).max()) for way in ways) or 1.0

    def force(self, q: FloatArray) -> FloatArray:
        """Q."""
        return -self.ask.balance(self.t0, q, self.still, self.still)

    def potential(self, q: FloatArray) -> float:
        """V."""
        return float(self.system.energy(q, self.still, self.t0)[1])

    def refuse_work(self, q: FloatArray, v: FloatArray) -> None:
        """InputError where forces are not −∂V/∂q alone, and where anything depends on time."""
        system, s, Q, V = self.system, self.system.scales.v, self.force(q), self.potential(q)
        small = INVARIANT * np.abs(Q * s).max() + NOISE * abs(V)
        for t in self.times[[0, self.times.size // 3, self.times.size // 2, -1]]:
            here = -self.ask.balance(float(t), q, v, self.still)
            parts = float(system.energy(q, v, float(t))[1]) - V, here - Q
            if abs(parts[0]) > small or np.abs(parts[1] * s).max() > small:
                raise InputError(
                    "EnergyMomentum conserves energy, and forces of this system depend on velocity or time",
                    hint="use a scheme; sol.energy_balance() tells what it adds to the work of forces",
                )
            if system.m and np.abs(self.ask.velocity(float(t), q, self.still)).max() > 1e-8 * self.size(q):
                raise InputError("EnergyMomentum conserves energy, and constraints of this system move with time")
        h = SLOPE * self.size(q)
        for i in range(system.nv):
            e = np.zeros(system.nv)
            e[i] = h * s[i]
            slope = (self.potential(q + e) - self.potential(q - e)) / (2.0 * h)
            if abs(slope + Q[i] * s[i]) > SLOPE * np.abs(Q * s).max() + 1e-9 * abs(V) / self.size(q):
                raise InputError(
                    f"the force on {system.names[i]!r} is {Q[i]:.6g}, and the potential energy of the system gives"
                    f" {-slope / s[i]:.6g}: forces must be −∂V/∂q",
                    hint="check energy=, or use a scheme for systems with other forces",
                )
        kinetic = float(system.energy(q, v, self.t0)[0])
        if not math.isclose(kinetic, 0.5 * v @ self.M @ v, rel_tol=1e-9, abs_tol=1e-9 * abs(V)):
            raise InputError(f"the kinetic energy is {kinetic:.6g}, and ½ vᵀM v gives {0.5 * v @ self.M @ v:.6g}")

    def allows(self, S: FloatArray, c: FloatArray) -> bool:
        """Whether q → q + ε(S q + c) changes neither V, nor φ, nor the kinetic energy."""
        random, size = np.random.default_rng(0), self.size(self.system.q0)
        for shift in (0.0, 0.03, 0.1):
            x = random.standard_normal(self.system.nv)
            q = self.system.q0 + shift * size * self.system.scales.v * x
            Q, along = self.force(q), S @ q + c
            worth = np.abs(Q) @ np.abs(along)
            if abs(Q @ along) > INVARIANT * worth or abs(S @ x @ self.M @ x) > INVARIANT * (x @ self.M @ x):
                return False
            if self.system.m:
                G = self.ask.G(self.t0, q, self.still)
                if (np.abs(G @ along) > INVARIANT * (np.abs(G) @ np.abs(along))).any():
                    return False
        return True

    def start(self, q: FloatArray) -> Start:
        """What is known before a step."""
        m = self.system.m
        phi = self.ask.position(self.t0, q, self.still) if m else np.zeros(0)
        G = self.ask.G(self.t0, q, self.still) if m else np.zeros((0, q.size))
        return Start(q, self.potential(q), self.force(q), phi, G)

    def momenta(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """A(q) M v of the symmetries."""
        return np.array([(S @ q + c) @ self.M @ v for S, c in self.symmetries])

    def deforming(self, q: FloatArray) -> FloatArray:
        """P = 1 − M Aᵀ(A M Aᵀ)⁻¹A: what a force does without the rigid motions at q."""
        A = np.array([S @ q + c for S, c in self.symmetries])
        B = A @ self.M
        return np.eye(q.size) - B.T @ np.linalg.lstsq(B @ A.T, A, rcond=1e-12)[0]

    def forces(self, start: Start, d: FloatArray) -> Forces:
        """F̄, Ḡ and φ₁ of the way d  [Shimada2014 §2.4.3 adapted]."""
        middle, end, m = start.q + 0.5 * d, start.q + d, self.system.m
        F, w = self.force(middle), self.M @ d
        G = self.ask.G(self.t0, middle, self.still) if m else start.G
        if self.symmetries:
            P = self.deforming(middle)
            F, w = F + P @ (0.5 * (start.Q + self.force(end)) - F), P @ w
            if m:
                G = G + (0.5 * (start.G + self.ask.G(self.t0, end, self.still)) - G) @ P.T
        phi = self.ask.position(self.t0, end, self.still) if m else start.phi
        V, work = self.potential(end), float(w @ d)
        missing, noise = V - start.V + F @ d, NOISE * (abs(V) + abs(start.V))
        open_ = phi - start.phi - G @ d
        if not work > EPS**2 * (np.abs(d) @ np.abs(self.M) @ np.abs(d)):
            return Forces(F, G, phi, 0.0 * w)
        if abs(missing) > noise:
            F = F - missing / work * w
        closed = np.abs(open_) <= NOISE * (np.abs(G) @ np.abs(end) + np.abs(phi))
        return Forces(F, G + np.outer(np.where(closed, 0.0, open_), w) / work, phi, noise / work * w)

    def stiffness(self, q: FloatArray, lam: FloatArray) -> FloatArray:
        """∂(Gᵀλ − Q)/∂q, from the model or from differences."""
        n = q.size
        if self.ask.model.traits & KNOWS_TANGENT:
            weights = (0.0, 0.0, 1.0)
            return self.ask.ask(JACOBIAN, self.t0, q, self.still, self.still, n * n, lam, weights).reshape(n, n)
        h, columns = SLOPE * self.size(q) * self.system.scales.v, []
        for i in range(n):
            e = np.zeros(n)
            e[i] = h[i]
            ends = (self.ask.balance(self.t0, q + x, self.still, self.still, lam) for x in (e, -e))
            columns.append((next(ends) - next(ends)) / (2.0 * h[i]))
        return np.array(columns).T

    def step(
        self, t: float, dt: float, q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """q₁, v₁ and λ̄."""
        system, n, before = self.system, q.size, np.inf
        start, d, half = self.start(q), dt * v + 0.5 * dt * dt * a, 0.5 * dt * dt
        J, change, small = np.zeros((n + system.m, n + system.m)), np.inf, 0.0
        for _ in range(ITERATIONS):
            F, G, phi, rough = self.forces(start, d)
            r = np.concatenate([self.M @ (d - dt * v) - half * (F - G.T @ lam), phi])
            J[:n, :n] = self.M + 0.5 * half * self.stiffness(q + 0.5 * d, lam)
            if system.m:
                J[:n, n:], J[n:, :n] = G.T, self.ask.G(self.t0, q + d, self.still)
            x = np.linalg.lstsq(J, r, rcond=1e-13)[0] if system.m else np.linalg.solve(J, r)
            d, lam = d - x[:n], lam - x[n:] / half
            self.iterations += 1
            change = float(np.abs(x[:n] / system.scales.v).max())
            # rounding of V moves the end along w alone, where it does no work
            rough = half * np.linalg.solve(self.M, rough) / system.scales.v
            least = EPS * self.size(q, q + d)
            small = 1e3 * least + 4.0 * float(np.abs(rough).max())
            if not np.isfinite(change) or change <= least or (small >= change > 0.5 * before):
                break
            before = change
        if not change <= small:
            raise ConvergenceError(
                f"the energy–momentum step from t = {t:.6g} with dt = {dt:.3g} does not converge:"
                f" the last correction was {change:.1e}",
                hint="reduce dt",
            )
        return q + d, 2.0 * d / dt - v, lam

    def accelerations(self, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """a and λ of a state: M a + Gᵀλ = Q, G a = b."""
        n, Q = q.size, self.force(q)
        if not self.system.m:
            return np.linalg.solve(self.M, Q), np.zeros(0)
        G, bend = self.ask.G(self.t0, q, self.still), self.ask.acceleration(self.t0, q, v, self.still)
        J = np.block([[self.M, G.T], [G, np.zeros((G.shape[0], G.shape[0]))]])
        x = np.linalg.lstsq(J, np.concatenate([Q, -bend]), rcond=1e-13)[0]
        return x[:n], least_multipliers(G, x[n:], self.system.scales)


def _refuse(system: System, traits: int) -> None:
    """InputError for systems that these steps are not for."""
    if system.energy is None:
        raise InputError(
            "EnergyMomentum needs the energy of the system, and it has none",
            hint="give energy=, a function (q, v, t) → (kinetic, potential)",
        )
    if system.nq != system.nv or system.retract is not None:
        raise InputError("EnergyMomentum needs coordinates that are a vector space; this system has retract=")
    if not traits & CONSTANT_MASS:
        raise InputError("EnergyMomentum needs a constant mass matrix; this system has M(q)")


def _rigid_motions(n: int, points: int) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Rotations about the axes of a space of this dimension, then its translations, as S q + c."""
    if n % points:
        raise InputError(f"{n} coordinates are no points with {points} coordinates each")
    for i, j in combinations(range(points), 2):
        turn = np.zeros((points, points))
        turn[j, i], turn[i, j] = 1.0, -1.0
        yield np.asarray(np.kron(np.eye(n // points), turn), dtype=np.float64), np.zeros(n)
    for i in range(points):
        yield np.zeros((n, n)), np.tile(np.eye(points)[i], n // points)
