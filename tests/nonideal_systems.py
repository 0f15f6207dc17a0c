"""Systems whose forces depend on multipliers, with known motion, for tests: a bead on a rough ring, a
wheelset that creeps on two rails, a rod that slides on a rough floor."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from scipy.integrate import solve_ivp

import isodyn as iso

FRICTION, RADIUS, MASS, SPEED = 0.3, 0.8, 2.0, 1.5


@njit
def ring_friction(q, v, t, lam):
    return -FRICTION * np.abs(lam[0]) * np.array([-q[1], q[0]])  # N = |λ| R, against (−y, x)/R


@njit
def ring(q, t):
    return np.array([0.5 * (q[0] ** 2 + q[1] ** 2 - RADIUS**2)])


@njit
def ring_matrix(q, t):
    return np.array([[q[0], q[1]]])


@njit
def ring_right(q, v, t):
    return np.array([-(v[0] ** 2 + v[1] ** 2)])


def bead(compiled: bool = True, **more: Any) -> iso.MechanicalSystem:
    """A bead on a rough horizontal ring; it slides one way for ever."""
    Q, phi, G, b = (f if compiled else f.py_func for f in (ring_friction, ring, ring_matrix, ring_right))
    return iso.MechanicalSystem(
        MASS * np.eye(2),
        Q,
        [RADIUS, 0.0],
        [0.0, SPEED],
        phi=phi,
        G=G,
        b=b,
        energy=lambda q, v, t: (0.5 * MASS * (v @ v), 0.0),
        **more,
    )


def bead_exact(t: np.ndarray) -> dict[str, np.ndarray]:
    """v' = −μ v²/R: θ = ln(1 + μ v₀ t/R)/μ."""
    slower = 1.0 + FRICTION * SPEED * t / RADIUS
    angle, rate = np.log(slower) / FRICTION, SPEED / RADIUS / slower
    out, along = np.array([np.cos(angle), np.sin(angle)]).T, np.array([-np.sin(angle), np.cos(angle)]).T
    return {
        "q": RADIUS * out,
        "v": RADIUS * rate[:, None] * along,
        "a": -RADIUS * rate[:, None] ** 2 * (FRICTION * along + out),
        "lam": MASS * rate[:, None] ** 2,
    }


class Wheelset:
    """A conical wheelset (y, z, roll, yaw) that rolls along two rails at a constant speed.

    Rows keep both wheels on the rails: z ± b ρ ∓ γ y = 0. Creep forces grow with N^(2/3), N = −λ;
    a side wind leans on it.
    """

    mass, roll, yaw = 1200.0, 600.0, 700.0
    half_gauge, conicity, radius, speed, gravity = 0.75, 0.08, 0.46, 12.0, 9.81
    creep, spring, wind = 3.0e3, 3.0e5, 2.0e3
    q0, v0 = np.array([5e-3, 0.0, 0.08 * 5e-3 / 0.75, 0.01]), np.array([0.02, 0.0, 0.08 * 0.02 / 0.75, 0.0])

    def forces(self, q: Any, v: Any, t: float, lam: Any) -> Any:
        y, _z, _roll, yaw = q
        b, total, turn = self.half_gauge, self.wind, -self.spring * yaw
        for side, normal in ((1.0, -lam[0]), (-1.0, -lam[1])):
            grip = self.creep * np.cbrt(normal) ** 2
            total -= grip * (v[0] / self.speed - yaw)
            turn -= grip * b * (b * v[3] / self.speed + side * 0.0 + self.conicity * y / self.radius)
        return np.array([total - self.spring * y, -self.mass * self.gravity, 0.3 * self.wind, turn])

    def slopes(self, q: Any, v: Any, t: float, lam: Any) -> Any:
        found = np.zeros((4, 2))
        for k in range(2):
            grip = -self.creep * 2.0 / 3.0 / np.cbrt(-lam[k])
            found[0, k] = -grip * (v[0] / self.speed - q[3])
            found[3, k] = (
                -grip * self.half_gauge * (self.half_gauge * v[3] / self.speed + self.conicity * q[0] / self.radius)
            )
        return found

    @property
    def G(self) -> np.ndarray:
        b, c = self.half_gauge, self.conicity
        return np.array([[-c, 1.0, b, 0.0], [c, 1.0, -b, 0.0]])

    @property
    def M(self) -> np.ndarray:
        return np.diag([self.mass, self.mass, self.roll, self.yaw])

    def system(self, given: bool = False) -> iso.MechanicalSystem:
        G = self.G
        return iso.MechanicalSystem(
            self.M,
            self.forces,
            self.q0,
            self.v0,
            phi=lambda q, t: G @ q,
            G=lambda q, t: G,
            b=lambda q, v, t: np.zeros(2),
            Q_lam=self.slopes if given else None,
            scales=[1e-2, 1e-2, 1e-2, 1e-2],
        )

    def state(self, t: float, q: Any, v: Any) -> tuple[np.ndarray, np.ndarray]:
        """a and λ by Newton's iteration on the whole of the equations, with λ in units of weight."""
        G, M, lam, unit = self.G, self.M, np.full(2, -0.5 * self.mass * self.gravity), 1.0
        for _ in range(30):
            S = G @ np.linalg.solve(M, G.T - self.slopes(q, v, t, lam))
            left = G @ np.linalg.solve(M, self.forces(q, v, t, lam) - G.T @ lam)
            change = unit * np.linalg.solve(S, left)
            lam = lam + change
            if np.abs(change).max() < 1e-13 * np.abs(lam).max():
                break
        return np.linalg.solve(M, self.forces(q, v, t, lam) - G.T @ lam), lam

    def exact(self, t: np.ndarray) -> dict[str, np.ndarray]:
        """SciPy's motion of y and yaw alone; z and roll follow."""

        def whole(x: Any) -> tuple[np.ndarray, np.ndarray]:
            lean = self.conicity / self.half_gauge
            return np.array([x[0], 0.0, lean * x[0], x[1]]), np.array([x[2], 0.0, lean * x[2], x[3]])

        def rate(t: float, x: Any) -> np.ndarray:
            return np.r_[x[2:], self.state(t, *whole(x))[0][[0, 3]]]

        start = np.r_[self.q0[[0, 3]], self.v0[[0, 3]]]
        found = solve_ivp(rate, (0.0, t[-1]), start, method="DOP853", t_eval=t, rtol=1e-12, atol=1e-15).y.T
        q, v = (np.array(x) for x in zip(*map(whole, found), strict=True))
        a, lam = (np.array(x) for x in zip(*(self.state(0.0, *x) for x in zip(q, v, strict=True)), strict=True))
        return {"q": q, "v": v, "a": a, "lam": lam}


def rod(friction: float, angle: float, rate: float = 0.0, **more: Any) -> iso.MechanicalSystem:
    """Painlevé's rod: its lower end slides to the right over a rough floor. No acceleration exists
    where 1 + 3cos²θ + 3μ sinθ cosθ < 0."""

    def Q(q: Any, v: Any, t: float, lam: Any) -> Any:
        drag = friction * lam[0]  # −μN
        return np.array([drag, -9.81, drag * np.sin(q[2])])

    start = [0.0, np.sin(angle), angle], [1.0, np.cos(angle) * rate, rate]
    return iso.MechanicalSystem(
        np.diag([1.0, 1.0, 1.0 / 3.0]),
        Q,
        *start,
        phi=lambda q, t: np.array([q[1] - np.sin(q[2])]),
        row_names=["floor"],
        **more,
    )
