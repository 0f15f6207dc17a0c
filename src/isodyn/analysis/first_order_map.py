"""Is a member of GS4-1 symplectic on a Hamiltonian system? Decided as for GS4-2
(isodyn.analysis.one_step_map), by the derivative of its map on Kepler's problem.

    s = (q, p),   s' = h(s) = (p, g(q)),      the step is a map of (s, v) with v ~ s'(t_n − phi dt)

Theorem 2.4.5 of the source says that no member is symplectic, and that all are with l5 = 0
[Shimada2014 (2.182)]. Neither holds. For rho = 1, v_n drops out of the map and every member is the
midpoint rule, which is symplectic. With l5 = 0 the step is s_1 = s_n + dt v_n, of first order, and
no member is symplectic. docs/corrections.md has the numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from isodyn.analysis.behaviour import ECCENTRICITY, ORBIT_STEP, REVOLUTIONS, smooth_average, unstable_allowed
from isodyn.analysis.one_step_map import DEFECT, DRIFT, Symplecticity, Verdict, attraction, defect_along
from isodyn.api import Newton, integrate
from isodyn.errors import IsodynError
from isodyn.kernels.compiled import FloatArray
from isodyn.problems import kepler
from isodyn.schemes import FirstOrderScheme
from isodyn.systems import FirstOrderSystem

ITERATIONS = 30


@lru_cache(maxsize=64)
def first_order_symplecticity(s: FirstOrderScheme) -> Symplecticity:
    """Whether a scheme for first-order systems is symplectic, by computation.

    Parameters
    ----------
    s
        The scheme.

    Returns
    -------
    Symplecticity
        The verdict, the defect of the form, and drift and oscillation of energy.

    Examples
    --------
    >>> from isodyn.analysis import first_order_symplecticity
    >>> from isodyn.schemes import FirstOrderScheme
    >>> [first_order_symplecticity(s).verdict for s in (FirstOrderScheme.midpoint_mpa(), FirstOrderScheme.gear())]
    ['symplectic', 'not']
    """
    defect, volume = defect_along((T for _, T in first_order_steps(s)), 1.0 - 1.0 / s.W1L6)
    drift, oscillation = _energy(s)
    verdict: Verdict = "not"
    if defect <= DEFECT:
        verdict = "symplectic"
    elif abs(drift) <= DRIFT * oscillation < math.inf:
        verdict = "energy bounded"
    return Symplecticity(verdict, defect, volume, drift, oscillation)


def first_order_steps(s: FirstOrderScheme, dt: float = ORBIT_STEP) -> Iterator[tuple[FloatArray, FloatArray]]:
    """States (q, p) along Kepler's orbit with the tangents of the steps, started as `integrate`
    does: one trapezoidal step, then v moved to t_n − phi dt."""
    state = _start()
    state, rate, change, T = _step(FirstOrderScheme.crank_nicolson(), dt, state, _field(state)[0])
    rate = rate - s.phi * change
    while True:
        yield state, T
        state, rate, change, T = _step(s, dt, state, rate)


def _start() -> FloatArray:
    e = ECCENTRICITY
    return np.array([1.0 - e, 0.0, 0.0, math.sqrt((1.0 + e) / (1.0 - e))])  # [Shimada2014 (2.185)]


def _field(state: FloatArray) -> tuple[FloatArray, FloatArray]:
    """h(s) and its derivative."""
    g, g_q = attraction(state[:2])
    zero = np.zeros((2, 2))
    return np.concatenate([state[2:], g]), np.block([[zero, np.eye(2)], [g_q, zero]])


def _step(
    s: FirstOrderScheme, dt: float, state: FloatArray, rate: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """State and rate after a step, the change of the rate, and the tangent (8, 8)."""
    identity, change = np.eye(4), np.zeros(4)
    with np.errstate(all="ignore"):
        for _ in range(ITERATIONS):
            h, h_s = _field(state + dt * (s.W1 * rate + s.W2L5 * change))  # [Shimada2014 (2.107)]
            matrix = s.W1L6 * identity - dt * s.W2L5 * h_s
            correction = np.linalg.solve(matrix, h - rate - s.W1L6 * change)
            change = change + correction
            if s.explicit or not np.max(np.abs(correction)) > 1e-15 * np.max(np.abs(rate)):
                break
        _, h_s = _field(state + dt * (s.W1 * rate + s.W2L5 * change))
        by_y = np.linalg.solve(s.W1L6 * identity - dt * s.W2L5 * h_s, np.hstack([h_s, dt * s.W1 * h_s - identity]))
    T: FloatArray = np.kron(np.array([[1.0, dt], [0.0, 1.0]]), identity) + np.vstack([s.l5 * dt * by_y, by_y])
    return state + dt * (rate + s.l5 * change), rate + change, change, T


def _energy(s: FirstOrderScheme) -> tuple[float, float]:
    """Secular drift of energy per revolution and its oscillation, relative; infinite where the run
    breaks down."""
    orbit = FirstOrderSystem(lambda x, t: _field(x)[0], _start(), h_s=lambda x, t: _field(x)[1])
    try:
        with unstable_allowed():
            t_end = REVOLUTIONS * kepler.PERIOD
            x = integrate(orbit, s, dt=ORBIT_STEP, t_end=t_end, newton=Newton(rtol=1e-13)).s
    except IsodynError:
        return math.inf, math.inf
    E = 0.5 * (x[:, 2:] ** 2).sum(axis=1) - 1.0 / np.hypot(x[:, 0], x[:, 1])  # [Shimada2014 (2.183)]
    E, half = E / abs(E[0]), E.size // 2
    drift = smooth_average(E[half : 2 * half]) - smooth_average(E[:half])
    return drift * kepler.PERIOD / (half * ORBIT_STEP), float(np.ptp(E[: E.size // REVOLUTIONS]))
