"""Systems s' = h(s, z, t), 0 = c(s, z, t) of index 1, 2 and 3 with their solutions as functions t →
(s, s', z)."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.integrate import solve_ivp

import isodyn as iso

GRAVITY = 9.81


@cache
def _reference(rate, s0):
    """A dense solution of s' = rate(s) to 1e-13."""
    return solve_ivp(
        lambda t, s: rate(s), (0.0, 2.0), s0, method="DOP853", rtol=1e-13, atol=1e-13, max_step=0.02, dense_output=True
    ).sol


def _motion(rate, s0, z):
    def motion(t):
        s = _reference(rate, tuple(s0))(t).T
        return s, np.array([rate(x) for x in s]), np.array([z(x) for x in s])

    return motion


def _tension(s):
    return np.array([(s[2] ** 2 + s[3] ** 2 - GRAVITY * s[1]) / 2.0])


def _swing(s, z=None):
    z = _tension(s) if z is None else z
    return np.array([s[2], s[3], -2.0 * s[0] * z[0], -GRAVITY - 2.0 * s[1] * z[0]])


def pendulum(level, *, z0=0.0, unit=1.0):
    """The planar pendulum, its constraint at position (3), velocity (2) or acceleration level (1);
    z in other units."""
    c = {
        3: lambda s, z: s[0] ** 2 + s[1] ** 2 - 1.0,
        2: lambda s, z: s[0] * s[2] + s[1] * s[3],
        1: lambda s, z: s[2] ** 2 + s[3] ** 2 - GRAVITY * s[1] - 2.0 * unit * z[0] * (s[0] ** 2 + s[1] ** 2),
    }[level]
    s0 = np.array([np.sin(1.0), -np.cos(1.0), 0.7 * np.cos(1.0), 0.7 * np.sin(1.0)])
    system = iso.FirstOrderSystem(
        lambda s, z, t: _swing(s, unit * z), s0, z0=[z0], c=lambda s, z, t: np.array([c(s, z)]), row_names=["rod"]
    )
    return system, _motion(_swing, s0, lambda s: _tension(s) / unit)


def kept_invariants(rate, invariants, gradient, s0):
    """s' = f(s) − c_sᵀz with c an invariant of s' = f(s): z vanishes, and c is constant anyway
    [Shimada2014 (3.64)]."""
    m = invariants(np.array(s0)).size
    system = iso.FirstOrderSystem(
        lambda s, z, t: rate(s) - gradient(s).T @ z, s0, z0=np.zeros(m), c=lambda s, z, t: invariants(s)
    )
    return system, _motion(rate, s0, lambda s: np.zeros(m))


def _kepler(s):
    return np.concatenate([s[2:], -s[:2] / np.hypot(*s[:2]) ** 3])


def kepler():
    """Energy and angular momentum of a body on an ellipse of eccentricity 0.6."""

    def invariants(s):
        return np.array(
            [0.5 * (s[2] ** 2 + s[3] ** 2) - 1.0 / np.hypot(s[0], s[1]) + 0.5, s[0] * s[3] - s[1] * s[2] - 0.8]
        )

    def gradient(s):
        return np.array([[*(s[:2] / np.hypot(*s[:2]) ** 3), s[2], s[3]], [s[3], -s[2], -s[1], s[0]]])

    return kept_invariants(_kepler, invariants, gradient, (0.4, 0.0, 0.0, 2.0))


def _euler(s):
    return np.array([-s[1] * s[2], s[2] * s[0], -s[0] * s[1] / 3.0])


def spinning_body():
    """Energy of Euler's equations with moments 1, 2, 3."""
    J = np.array([1.0, 2.0, 3.0])
    s0 = np.array([1.0, 0.5, 0.2])
    return kept_invariants(
        _euler, lambda s: np.array([0.5 * J @ (s * s - s0 * s0)]), lambda s: (J * s)[None], tuple(s0)
    )


def _known(h, c, s, z0, **names):
    """A system from its solution s(t) = (s, s', z)."""
    start = [x[0] for x in s(np.zeros(1))]
    return iso.FirstOrderSystem(h, start[0], z0=z0, c=c, **names), s


def mixed_1_and_2():
    """One row determines z₀, the other one contains no unknown."""
    return _known(
        lambda s, z, t: np.array([z[0] - s[0] + np.cos(t) + np.sin(t) - np.exp(-t), z[1] + z[0] ** 2 - np.exp(-2 * t)]),
        lambda s, z, t: np.array([z[0] - np.exp(-t) + (s[0] - np.sin(t)) * z[1], s[1] - np.cos(t)]),
        lambda t: (np.c_[np.sin(t), np.cos(t)], np.c_[np.cos(t), -np.sin(t)], np.c_[np.exp(-t), -np.sin(t)]),
        [0.0, 0.0],
    )


def combined_1_and_2():
    """Both rows contain z, but only z₀ + z₁; a combination of them is of index 2."""

    def c(s, z, t):
        one, other = z[0] + z[1] - np.exp(-t) - np.sin(2 * t), s[0] - np.sin(t)
        return np.array([one + other, 2.0 * one - other])

    return _known(
        lambda s, z, t: np.array([z[0] - z[1] + np.cos(t) - np.exp(-t) + np.sin(2 * t)]),
        c,
        lambda t: (np.sin(t)[:, None], np.cos(t)[:, None], np.c_[np.exp(-t), np.sin(2 * t)]),
        [0.0, 0.0],
    )


def mixed_2_and_3():
    """A drive by acceleration, and one by rate."""
    return _known(
        lambda s, z, t: np.array([s[1], z[0], z[1] - s[0] * s[2]]),
        lambda s, z, t: np.array([s[0] - np.sin(t), s[2] - np.exp(t)]),
        lambda t: (
            np.c_[np.sin(t), np.cos(t), np.exp(t)],
            np.c_[np.cos(t), -np.sin(t), np.exp(t)],
            np.c_[-np.sin(t), np.exp(t) * (1 + np.sin(t))],
        ),
        [5.0, 0.9],
    )


def mixed_1_and_3():
    """A row of index 1 whose unknown enters the derivative of the other row."""
    return _known(
        lambda s, z, t: np.array([s[1] * z[1], z[0]]),
        lambda s, z, t: np.array([s[0] - np.sin(t), z[1] ** 3 - 1.0]),
        lambda t: (np.c_[np.sin(t), np.cos(t)], np.c_[np.cos(t), -np.sin(t)], np.c_[-np.sin(t), np.ones_like(t)]),
        [5.0, 0.9],
    )


def twisted_3():
    """Index 3 in coordinates in which c is curved: c_ss takes part in the chain."""
    return _known(
        lambda y, z, t: np.array([y[1] + 2.0 * y[1] * z[0], z[0]]),
        lambda y, z, t: np.array([y[0] - y[1] ** 2 - np.sin(t)]),
        lambda t: (
            np.c_[np.sin(t) + np.cos(t) ** 2, np.cos(t)],
            np.c_[np.cos(t) - np.sin(2 * t), -np.sin(t)],
            -np.sin(t)[:, None],
        ),
        [0.3],
    )


def driven_3(omega=1.0):
    """s₀ = sin ωt by a force: nothing but time in the motion."""
    return _known(
        lambda s, z, t: np.array([s[1], z[0]]),
        lambda s, z, t: np.array([s[0] - np.sin(omega * t)]),
        lambda t: (
            np.c_[np.sin(omega * t), omega * np.cos(omega * t)],
            np.c_[omega * np.cos(omega * t), -(omega**2) * np.sin(omega * t)],
            -(omega**2) * np.sin(omega * t)[:, None],
        ),
        [5.0],
        row_names=["drive"],
    )
