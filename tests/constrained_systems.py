"""Constrained systems with known motion, for tests: pendulum, a manufactured rheonomic one,
nonholonomic ones, redundant ones, DAEs.

Every `Case` has a system and its exact motion q, v, a, λ (s in the place of v, ṡ of a, z of λ for
first-order systems).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp
from scipy.special import lambertw

import isodyn as iso

GRAVITY = 9.81
STIFF = (
    "elastica",
    "roll_up",
    "flexible_pendulum",
    "flexible_slider_crank",
)  # problems whose beams move too fast for explicit references


class Motion(NamedTuple):
    """Rows in time."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray


@dataclass(frozen=True)
class Case:
    """A system, its exact motion, and how long it is worth following."""

    name: str
    system: Callable[[], iso.MechanicalSystem | iso.FirstOrderSystem]
    exact: Callable[[np.ndarray], Motion]
    t_end: float


def errors(case: Case, sol: iso.Solution) -> dict[str, float]:
    """Maximum errors over all of time and components, relative to the largest value of the
    quantity."""
    exact = case.exact(sol.t)._asdict()
    return {
        name: np.abs(getattr(sol, name) - values).max() / np.abs(values).max()
        for name, values in exact.items()
        if values.size
    }


def slope(case: Case, scheme, formulation, dts, **settings) -> dict[str, float]:
    """Measured orders between the last two step sizes."""
    coarse, fine = (
        errors(case, iso.integrate(case.system(), scheme, formulation, dt=dt, t_end=case.t_end, **settings))
        for dt in dts[-2:]
    )
    return {name: float(np.log(coarse[name] / fine[name]) / np.log(dts[-2] / dts[-1])) for name in coarse}


def first_slope(case: Case, scheme, formulation, dts) -> dict[str, float]:
    """Measured orders of the first step alone, from runs of one step."""
    coarse, fine = (errors(case, iso.integrate(case.system(), scheme, formulation, dt=dt, t_end=dt)) for dt in dts[-2:])
    return {name: float(np.log(coarse[name] / fine[name]) / np.log(dts[-2] / dts[-1])) for name in coarse}


# ---- planar pendulum: m = 1, length 1, in x and y; y points up


def pendulum_system(angle=0.7, speed=2.0, *, derivatives=True, **settings) -> iso.MechanicalSystem:
    given = {"G": lambda q, t: q[None, :], "b": lambda q, v, t: -np.array([v @ v]), "phi_t": lambda q, t: np.zeros(1)}
    return iso.MechanicalSystem(
        M=np.eye(2),
        Q=lambda q, v, t: np.array([0.0, -GRAVITY]),
        q0=[np.sin(angle), -np.cos(angle)],
        v0=[speed * np.cos(angle), speed * np.sin(angle)],
        phi=lambda q, t: np.array([0.5 * (q @ q - 1.0)]),
        energy=lambda q, v, t: (0.5 * v @ v, GRAVITY * q[1]),
        row_names=["rod"],
        **(given if derivatives else {}),
        **settings,
    )


@cache
def _angle(angle: float, speed: float, t_end: float):
    def rate(t, s):
        return [s[1], -GRAVITY * np.sin(s[0])]

    return solve_ivp(
        rate, (0.0, t_end), [angle, speed], method="DOP853", rtol=1e-13, atol=1e-13, max_step=0.02, dense_output=True
    ).sol


def pendulum_motion(t: np.ndarray, angle=0.7, speed=2.0) -> Motion:
    theta, omega = _angle(angle, speed, 12.0)(t)
    along, across = np.array([np.sin(theta), -np.cos(theta)]).T, np.array([np.cos(theta), np.sin(theta)]).T
    a = -GRAVITY * (np.sin(theta) * across.T).T - (omega**2 * along.T).T
    return Motion(along, omega[:, None] * across, a, (GRAVITY * np.cos(theta) + omega**2)[:, None])


# ---- M(q), forces of q, v and t, a constraint that moves and turns; with `rolling` also ψ(q, v, t)
# quadratic in v

_AMPLITUDE, _FREQUENCY, _PHASE = np.array([0.5, 0.4, 0.3]), np.array([1.3, 1.7, 0.9]), np.array([0.3, 0.9, 0.5])
_MEAN = np.array([0.8, -0.5, 0.4])


def _chosen(t):
    """q*, v*, a*: (3,) at one time, (3, k) at many."""
    w = _FREQUENCY if np.ndim(t) == 0 else _FREQUENCY[:, None]
    A, p, m = (x if np.ndim(t) == 0 else x[:, None] for x in (_AMPLITUDE, _PHASE, _MEAN))
    s, c = np.sin(w * t + p), np.cos(w * t + p)
    return m + A * s, A * w * c, -A * w * w * s


def _multipliers(t):
    return np.array([1.0 + 0.5 * np.sin(2.0 * t + 0.3), -0.6 + 0.4 * np.cos(1.5 * t + 0.2)])


def _mass(q):
    x, y, z = q
    return np.array(
        [
            [2.0 + np.cos(z), 0.3 * np.sin(x), 0.2],
            [0.3 * np.sin(x), 1.5, 0.2 * y],
            [0.2, 0.2 * y, 1.0 + 0.5 * x * x],
        ]
    )


def _resistance(q, v):
    x, y, z = q
    return np.array(
        [
            0.3 * v[0] + 0.1 * v[0] ** 3 + 2.0 * np.sin(x) + v[1] * v[2] * z,
            0.2 * v[1] + 3.0 * y * (1.0 + x * x) - v[0] * v[2],
            0.1 * v[2] * abs(v[2]) * v[2] + np.sin(x + z) + 0.5 * v[0] * v[1] * y,
        ]
    )


def _surface(q, t):
    return 0.5 * (q[0] ** 2 + q[1] ** 2) + 0.3 * np.cos(t) * q[0] * q[2] + np.sin(q[2])


def _surface_q(q, t):
    c = 0.3 * np.cos(t)
    return np.array([q[0] + c * q[2], q[1], c * q[0] + np.cos(q[2])])


def _surface_t(q, t):
    return -0.3 * np.sin(t) * q[0] * q[2]


def _surface_rest(q, v, t):
    """The part of the second derivative of `_surface` along the motion without acceleration."""
    c, s = 0.3 * np.cos(t), 0.3 * np.sin(t)
    return (
        v[0] ** 2
        + v[1] ** 2
        + 2.0 * c * v[0] * v[2]
        - np.sin(q[2]) * v[2] ** 2
        - 2.0 * s * (v[0] * q[2] + q[0] * v[2])
        - c * q[0] * q[2]
    )


def _roll(q, v):
    return q[2] * v[0] + 0.5 * v[1] ** 2 + v[2]


def _roll_v(q, v):
    return np.array([q[2], v[1], 1.0])


def _roll_rest(q, v):
    return v[2] * v[0]


def manufactured_system(*, rolling=False, derivatives=True) -> iso.MechanicalSystem:
    def Q(q, v, t):
        qe, ve, ae = _chosen(t)
        lam = _multipliers(t)
        load = _mass(qe) @ ae + _surface_q(qe, t) * lam[0] + _resistance(qe, ve)
        if rolling:
            load = load + _roll_v(qe, ve) * lam[1]
        return load - _resistance(q, v)

    def phi(q, t):
        return np.array([_surface(q, t) - _surface(_chosen(t)[0], t)])

    def phi_t(q, t):
        qe, ve, _ = _chosen(t)
        return np.array([_surface_t(q, t) - _surface_q(qe, t) @ ve - _surface_t(qe, t)])

    def b(q, v, t):
        qe, ve, ae = _chosen(t)
        return np.array([-_surface_rest(q, v, t) + _surface_q(qe, t) @ ae + _surface_rest(qe, ve, t)])

    def psi(q, v, t):
        qe, ve, _ = _chosen(t)
        return np.array([_roll(q, v) - _roll(qe, ve)])

    def psi_rest(q, v, t):
        qe, ve, ae = _chosen(t)
        return np.array([_roll_rest(q, v) - _roll_v(qe, ve) @ ae - _roll_rest(qe, ve)])

    rows = {"phi": phi, **({"psi": psi} if rolling else {})}
    if derivatives:
        rows |= {"G": lambda q, t: _surface_q(q, t)[None, :], "b": b, "phi_t": phi_t}
        if rolling:
            rows |= {"psi_v": lambda q, v, t: _roll_v(q, v)[None, :], "psi_rest": psi_rest}
    q0, v0, _ = _chosen(0.0)
    names = ["surface", "roll"] if rolling else ["surface"]
    return iso.MechanicalSystem(M=_mass, Q=Q, q0=q0, v0=v0, row_names=names, **rows)


def manufactured_motion(t, *, rolling=False) -> Motion:
    q, v, a = _chosen(t)
    lam = _multipliers(t)
    return Motion(q.T, v.T, a.T, lam.T if rolling else lam[:1].T)


# ---- knife edge on a slope, turning steadily; ψ linear in v


def knife_edge_system(*, derivatives=True) -> iso.MechanicalSystem:
    rows = {"psi": lambda q, v, t: np.array([v[0] * np.sin(q[2]) - v[1] * np.cos(q[2])])}
    if derivatives:
        rows["psi_v"] = lambda q, v, t: np.array([[np.sin(q[2]), -np.cos(q[2]), 0.0]])
        rows["psi_rest"] = lambda q, v, t: np.array([v[2] * (v[0] * np.cos(q[2]) + v[1] * np.sin(q[2]))])
    return iso.MechanicalSystem(
        M=np.diag([1.0, 1.0, 0.3]),
        Q=lambda q, v, t: np.array([2.0, 0.0, 0.0]),
        q0=[0.0, 0.0, 0.0],
        v0=[0.5, 0.0, 1.5],
        row_names=["edge"],
        **rows,
    )


def knife_edge_motion(t) -> Motion:
    w, g, u0 = 1.5, 2.0, 0.5
    s, c = np.sin(w * t), np.cos(w * t)
    u, du = u0 + g / w * s, g * c
    x, y = 0.5 * g / w**2 * s**2 + u0 / w * s, g / w**2 * (0.5 * w * t - 0.5 * s * c) + u0 / w * (1.0 - c)
    q = np.array([x, y, w * t])
    v = np.array([u * c, u * s, np.full_like(t, w)])
    a = np.array([du * c - u * w * s, du * s + u * w * c, np.zeros_like(t)])
    return Motion(q.T, v.T, a.T, (u * w + g * s)[:, None])


# ---- first-order DAEs


def van_der_pol_system() -> iso.FirstOrderSystem:
    """y' = −η, 0 = y − η³/3 + η, from η(0) = 2: index 1."""
    return iso.FirstOrderSystem(
        lambda s, z, t: -z, s0=[8.0 / 3.0 - 2.0], z0=[2.0], c=lambda s, z, t: s - z**3 / 3.0 + z
    )


def van_der_pol_motion(t) -> Motion:
    z = np.sqrt(-lambertw(-np.exp(-2.0 * (2.0 - np.log(2.0) - t)), -1).real)[:, None]
    return Motion(np.zeros((t.size, 0)), z**3 / 3.0 - z, -z, z)


def index_2_system() -> iso.FirstOrderSystem:
    """s' = F(t) − N(s) + B(s)(z + 0.1z³), 0 = c(s, t), with c_s B > 0."""

    def N(s):
        return np.array([s[1] * s[2], np.sin(s[0]) + 0.5 * s[1], s[0] * s[0] - s[2]])

    def B(s):
        return np.array([s[0], s[1], np.cos(s[2])])

    def h(s, z, t):
        se, rate, _ = _chosen(t)
        ze = _multipliers(t)[0]
        return rate + N(se) - B(se) * (ze + 0.1 * ze**3) - N(s) + B(s) * (z[0] + 0.1 * z[0] ** 3)

    def c(s, z, t):
        se = _chosen(t)[0]
        return np.array([0.5 * (s[0] ** 2 + s[1] ** 2 - se[0] ** 2 - se[1] ** 2) + np.sin(s[2]) - np.sin(se[2])])

    return iso.FirstOrderSystem(h, s0=_chosen(0.0)[0], z0=[1.0], c=c, row_names=["sphere"])


def index_2_motion(t) -> Motion:
    s, rate, _ = _chosen(t)
    return Motion(np.zeros((t.size, 0)), s.T, rate.T, _multipliers(t)[:1].T)


# ---- redundant rows


def double_pendulum_system(copies=1, *, offset=0.0) -> iso.MechanicalSystem:
    """Two rods with centres (x, y) and angles θ; the middle joint entered `copies` times, the
    second time twice as large, and so on.

    `offset` moves the last copy, so that the copies conflict.
    """
    half, inertia = 0.5, 1.0 / 12.0
    factors = [1.0, 2.0, -3.0][:copies]

    def phi(q, t):
        x1, y1, s1, x2, y2, s2 = q
        base = [x1 - half * np.sin(s1), y1 + half * np.cos(s1)]
        joint = np.array(
            [
                x1 + half * np.sin(s1) - x2 + half * np.sin(s2),
                y1 - half * np.cos(s1) - y2 - half * np.cos(s2),
            ]
        )
        rows = [factor * joint for factor in factors]
        rows[-1] = rows[-1] + np.array([offset, 0.0])
        return np.concatenate([base, *rows])

    def G(q, t):
        c1, s1, c2, s2 = half * np.cos(q[2]), half * np.sin(q[2]), half * np.cos(q[5]), half * np.sin(q[5])
        base = np.array([[1.0, 0, -c1, 0, 0, 0], [0, 1.0, -s1, 0, 0, 0]])
        joint = np.array([[1.0, 0, c1, -1.0, 0, c2], [0, 1.0, s1, 0, -1.0, s2]])
        return np.concatenate([base, *(factor * joint for factor in factors)])

    def b(q, v, t):
        c1, s1, c2, s2 = half * np.cos(q[2]), half * np.sin(q[2]), half * np.cos(q[5]), half * np.sin(q[5])
        w1, w2 = v[2] ** 2, v[5] ** 2
        base = np.array([-s1 * w1, c1 * w1])
        joint = np.array([s1 * w1 + s2 * w2, -c1 * w1 - c2 * w2])
        return np.concatenate([base, *(factor * joint for factor in factors)])

    a1, a2, w1, w2 = 0.9, -0.4, 1.0, -2.0
    x1, y1 = half * np.sin(a1), -half * np.cos(a1)
    names = ["ground x", "ground y"]
    names += [f"{joint} {axis}" for joint in ("elbow", "elbow again", "elbow once more")[:copies] for axis in "xy"]
    return iso.MechanicalSystem(
        M=np.array([1.0, 1.0, inertia] * 2),
        Q=lambda q, v, t: np.array([0.0, -GRAVITY, -0.05 * v[2], 0.0, -GRAVITY, 0.0]),
        q0=[x1, y1, a1, 2 * x1 + half * np.sin(a2), 2 * y1 - half * np.cos(a2), a2],
        v0=[-w1 * y1, w1 * x1, w1, -2 * w1 * y1 + half * w2 * np.cos(a2), 2 * w1 * x1 + half * w2 * np.sin(a2), w2],
        phi=phi,
        G=G,
        b=b,
        phi_t=lambda q, t: np.zeros(2 + 2 * copies),
        row_names=names,
    )


def three_bars_system(*, redundant=True, angle=1.2, speed=1.5, derivatives=True) -> iso.MechanicalSystem:
    """A coupler of two point masses in space, carried by parallel cranks of length 1 from A = 0 and
    D = (2, 0, 0).

    Five rows leave one freedom: both cranks, the coupler, the plane z = 0 for both masses.
    Redundant are a third crank in the middle and the distance from D to the first mass less that
    from A to the second, 8 on the manifold only, and the plane for the coupler's middle.
    """
    D = np.array([2.0, 0.0, 0.0])
    plane = np.zeros((3, 6))
    plane[0, 2] = plane[1, 5] = plane[2, 2] = plane[2, 5] = 1.0
    few = [0, 1, 2, 3, 4]
    keep = slice(None) if redundant else few

    def phi(q, t):
        p, r = q[:3], q[3:]
        middle = 0.5 * (p + r - D)
        rows = [
            p @ p - 1.0,
            (r - D) @ (r - D) - 1.0,
            (r - p) @ (r - p) - 4.0,
            2 * p[2],
            2 * r[2],
            middle @ middle - 1.0,
        ]
        rows += [(p - D) @ (p - D) + r @ r - 10.0, 2 * (p[2] + r[2])]
        return 0.5 * np.array(rows)[keep]

    def G(q, t):
        p, r = q[:3], q[3:]
        o, middle = np.zeros(3), 0.25 * (p + r - D)
        bars = np.array([[*p, *o], [*o, *(r - D)], [*(p - r), *(r - p)]])
        extra = np.array([[*middle, *middle], [*(p - D), *r]])
        return np.concatenate([bars, plane[:2], extra, plane[2:]])[keep]

    def b(q, v, t):
        u, w = v[:3], v[3:]
        s = 0.5 * (u + w)
        return -np.array([u @ u, w @ w, (u - w) @ (u - w), 0.0, 0.0, s @ s, u @ u + w @ w, 0.0])[keep]

    p = np.array([np.cos(angle), np.sin(angle), 0.0])
    u = speed * np.array([-np.sin(angle), np.cos(angle), 0.0])
    names = ["crank A", "crank D", "coupler", "plane 1", "plane 2", "crank middle", "diagonals", "plane middle"]
    given = {"G": G, "b": b, "phi_t": lambda q, t: np.zeros(8 if redundant else 5)} if derivatives else {}
    return iso.MechanicalSystem(
        M=np.array([1.0, 1.0, 1.0, 2.0, 2.0, 2.0]),
        Q=lambda q, v, t: np.array([0.3, -GRAVITY, 0.5, 0.0, -2 * GRAVITY - 0.1 * v[4], -0.2]),
        q0=[*p, *(p + D)],
        v0=[*u, *u],
        phi=phi,
        row_names=[names[i] for i in few] if not redundant else names,
        **given,
    )


PENDULUM = Case("pendulum", pendulum_system, pendulum_motion, 1.0)
RHEONOMIC = Case("rheonomic", manufactured_system, manufactured_motion, 1.0)
MIXED = Case("mixed", lambda: manufactured_system(rolling=True), lambda t: manufactured_motion(t, rolling=True), 1.0)
KNIFE_EDGE = Case("knife edge", knife_edge_system, knife_edge_motion, 1.0)
VAN_DER_POL = Case("Van der Pol", van_der_pol_system, van_der_pol_motion, 0.5)
INDEX_2 = Case("index 2", index_2_system, index_2_motion, 1.0)
