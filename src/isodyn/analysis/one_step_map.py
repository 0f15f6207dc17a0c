"""Is the map (q_n, p_n) → (q_{n+1}, p_{n+1}) symplectic? Decided by its derivative on a nonlinear
problem.

    Dh^T J Dh = J,      J = [[0, I], [-I, 0]]                                              [Shimada2014 (2.138)]

GS4 carries a third value a_n, so its step is a map of (q, v, a) with tangent T (3n, 3n). Where the
spurious root at Omega = 0, zeta = 1 − 1/W1L6, lies inside the unit circle, all solutions approach
a = alpha(q, v): on that surface the scheme is a one-step method h. Its tangent plane is
E = [I; alpha_q alpha_v] (3n, 2n); steps carry it along and contract what is not in it:

    T_n E_n = [Dh_n; *],      E_{n+1} = T_n E_n Dh_n^{-1},      E_n → the tangent plane like zeta^n, from any E_0

Where a_n does not enter q_{n+1}, v_{n+1} at all (V0(1, 1, rho): the midpoint rule), E does not
matter. Verdicts:

    symplectic          the defect max |Dh^T J Dh − J| is at rounding along a whole revolution
    energy bounded      it is not, but the scheme damps no linear oscillation and energy has no secular drift, as in methods that are
                        conjugate to a symplectic one (implicit U0(1, 1, rho): conjugate to the
                        midpoint rule) or symmetric
    not                 neither

Problem: Kepler's, e = 0.3, one degree of freedom more than area preservation could decide. Tangents
are exact, not differences.

Source: the printed condition is [Shimada2014 (2.144)], derived with a_n held fixed; the tangent
plane is our own way around that, after the underlying one-step method of a multistep method
[Hairer2006].
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

from isodyn.analysis.behaviour import ECCENTRICITY, ORBIT_STEP, orbit_behaviour
from isodyn.kernels.compiled import FloatArray
from isodyn.schemes import Scheme, critical_frequency, spectral_radius
from isodyn.stepping.coefficients import starting_scheme

Verdict = Literal["symplectic", "energy bounded", "not"]

DEFECT = 1e-11  # above rounding, below every defect of a member that is not symplectic
DAMPING = 1e-12  # what rounding leaves of |zeta| − 1 for members without damping
DRIFT = 1e-6  # drift of energy per revolution in units of its oscillation
ITERATIONS = 30


class Symplecticity(NamedTuple):
    """Whether a scheme is symplectic, and the numbers behind it.

    Parameters
    ----------
    verdict
        The verdict.
    defect
        Defect of the symplectic form.
    volume_change
        Largest |log det Dh| of a step.
    energy_drift
        Drift of energy.
    energy_oscillation
        Oscillation of energy.

    Examples
    --------
    >>> import isodyn as iso
    >>> iso.analysis.symplecticity(iso.Scheme.midpoint_epa()).verdict
    'symplectic'
    """

    verdict: Verdict
    defect: float
    volume_change: float
    energy_drift: float
    energy_oscillation: float


class Step(NamedTuple):
    """State after a step, increment of a, and the tangent of the step (6, 6)."""

    q: FloatArray
    v: FloatArray
    a: FloatArray
    da: FloatArray
    T: FloatArray


@lru_cache(maxsize=64)
def symplecticity(s: Scheme) -> Symplecticity:
    """Compute whether a scheme is symplectic.

    If the spurious root is within 0.05 of the unit circle and a_n matters, E has not settled and
    the defect is an estimate.

    Parameters
    ----------
    s
        The scheme.

    Returns
    -------
    found
        The verdict and its numbers.

    Examples
    --------
    >>> import isodyn as iso
    >>> from isodyn.analysis import symplecticity
    >>> symplecticity(iso.Scheme.central_difference()).verdict, symplecticity(iso.Scheme.newmark()).verdict
    ('symplectic', 'energy bounded')
    """
    defect, volume = _defect(s)
    orbit = orbit_behaviour(s)
    steady = abs(orbit.energy_drift) <= DRIFT * orbit.energy_oscillation < math.inf
    verdict: Verdict = "not"
    if defect <= DEFECT:
        verdict = "symplectic"
    elif steady and _undamped(s):
        verdict = "energy bounded"
    return Symplecticity(verdict, defect, volume, orbit.energy_drift, orbit.energy_oscillation)


def is_symplectic(s: Scheme) -> bool:
    """Return whether the one-step map is symplectic to rounding.

    Parameters
    ----------
    s
        The scheme.

    Returns
    -------
    symplectic
        Whether it is.

    Examples
    --------
    >>> import isodyn as iso
    >>> from isodyn.analysis import is_symplectic
    >>> is_symplectic(iso.Scheme.midpoint_epa()), is_symplectic(iso.Scheme.U0(0.8, 0.8, 0.8))
    (True, False)
    """
    return symplecticity(s).verdict == "symplectic"


def steps(s: Scheme, dt: float = ORBIT_STEP, e: float = ECCENTRICITY) -> Iterator[Step]:
    """Kepler's orbit step by step with tangents, started as `integrate` does: a trapezoidal step,
    then a moved to t_n − phi dt."""
    # [Shimada2014 (2.185)]
    q, v = np.array([1.0 - e, 0.0]), np.array([0.0, math.sqrt((1.0 + e) / (1.0 - e))])
    first = starting_scheme(s)
    assert isinstance(first, Scheme)
    now = _step(first, dt, q, v, attraction(q)[0])
    now = now._replace(a=now.a - s.phi * now.da)
    while True:
        yield now
        now = _step(s, dt, now.q, now.v, now.a)


def _step(s: Scheme, dt: float, q: FloatArray, v: FloatArray, a: FloatArray) -> Step:
    """One step and its tangent."""
    identity = np.eye(2)
    q_p = q + s.W1 * dt * v + s.W2L2 * dt**2 * a  # [Shimada2014 (2.5b)]
    da = -a / s.W1L6
    for _ in range(ITERATIONS):
        g, g_q = attraction(q_p + s.W3L3 * dt**2 * da)
        correction = np.linalg.solve(s.W1L6 * identity - s.W3L3 * dt**2 * g_q, g - a - s.W1L6 * da)
        da = da + correction
        if s.W3L3 == 0.0 or np.max(np.abs(correction)) <= 1e-15 * np.max(np.abs(a)):
            break
    _, g_q = attraction(q_p + s.W3L3 * dt**2 * da)
    lever = np.hstack([g_q, s.W1 * dt * g_q, s.W2L2 * dt**2 * g_q - identity])
    da_y = np.linalg.solve(s.W1L6 * identity - s.W3L3 * dt**2 * g_q, lever)
    taylor = np.array([[1.0, dt, 0.5 * dt**2], [0.0, 1.0, dt], [0.0, 0.0, 1.0]])
    T = np.kron(taylor, identity) + np.vstack([s.l3 * dt**2 * da_y, s.l5 * dt * da_y, da_y])
    q_1 = q + dt * v + dt**2 * (0.5 * a + s.l3 * da)  # [Shimada2014 (2.5e)]
    v_1 = v + dt * (a + s.l5 * da)  # [Shimada2014 (2.5f)]
    return Step(q_1, v_1, a + da, da, T)  # [Shimada2014 (2.5g)]


def attraction(q: FloatArray) -> tuple[FloatArray, FloatArray]:
    """g(q) = −q/|q|³ and its derivative."""
    square = float(q @ q)
    strength = square**-1.5
    # [Shimada2014 (2.184)]
    return -strength * q, strength * (3.0 * np.outer(q, q) / square - np.eye(2))


def _defect(s: Scheme) -> tuple[float, float]:
    """Of a scheme for second-order systems."""
    return defect_along((step.T for step in steps(s)), 1.0 - 1.0 / s.W1L6)


def defect_along(tangents: Iterator[FloatArray], spurious: float) -> tuple[float, float]:
    """max |DhᵀJDh − J| and max |log det Dh| over the steps of a revolution, once E has settled.

    `tangents` are those of a step in (q, p) and what else the scheme carries, whose root at Δt = 0
    is `spurious`.
    """
    root = abs(spurious)
    settle = 10 if root < 1e-3 else min(300, 10 + int(math.log(1e-16) / math.log(min(root, 0.999))))
    revolution = round(2.0 * math.pi / ORBIT_STEP)
    J = np.kron([[0.0, 1.0], [-1.0, 0.0]], np.eye(2))
    E = np.zeros((0, 4))
    defect = volume = 0.0
    with np.errstate(all="ignore"):
        for n, T in zip(range(settle + revolution), tangents, strict=False):
            if not np.all(np.isfinite(T)):
                return math.inf, math.inf
            if n == 0:  # the tangent of the first step, which another member takes
                E = np.vstack([np.eye(4), np.zeros((T.shape[0] - 4, 4))])
                continue
            TE = T @ E
            Dh = TE[:4]
            try:
                E = TE @ np.linalg.inv(Dh)
            except np.linalg.LinAlgError:
                return math.inf, math.inf
            if n > settle:
                # [Shimada2014 (2.138)]
                defect = max(defect, float(np.max(np.abs(Dh.T @ J @ Dh - J))))
                volume = max(volume, abs(float(np.linalg.slogdet(Dh)[1])))
    return (defect, volume) if math.isfinite(defect) else (math.inf, math.inf)


def _undamped(s: Scheme) -> bool:
    """Whether the principal roots stay on the unit circle for small steps."""
    limit = min(1.0, 0.5 * critical_frequency(s))
    if limit == 0.0:
        return False
    return float(np.max(np.abs(spectral_radius(s, np.linspace(0.1, 1.0, 10) * limit) - 1.0))) <= DAMPING
