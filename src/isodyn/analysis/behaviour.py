"""Properties of a scheme found by running it, with the start that `integrate` really uses.

Overshoot: x'' + w^2 x = 0 for Omega = w dt -> infinity, from a displacement d and from a velocity d
w of the same energy,

    max_n |q_n| / d ~ Omega^u,      max_n |v_n| / (w d) ~ Omega^v,      class U<u>V<v>, exponents below zero count as 0

    source: U0 members U0V1, V0 members V0U1; with rho_max = 1 U0V0 (family U0) or V0U0 (family V0)

Orbit: Kepler's problem, e = 0.3, energy H and angular momentum J along a run of 40 revolutions T. A
quasi-periodic motion has averages <H> with smooth weights exp(-1/(x(1-x))) that converge faster
than any power of the length, so

    drift per revolution = T (<H>_{second half} - <H>_{first half}) / (half the time |H_0|)

is free of the oscillation of H and shows secular drift down to about 1e-12.

Source: Shimada2014, Sections 2.2.2, 2.4.4, (2.183)-(2.186); overshoot after Hilber and Hughes
(1978); the weights are usual for averages of quasi-periodic motions.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from isodyn.api import Newton, integrate
from isodyn.errors import IsodynError, StabilityWarning, coarse_steps_meant
from isodyn.kernels.compiled import FloatArray
from isodyn.problems import (
    brusselator,
    kepler,
    manufactured,
)
from isodyn.schemes import FirstOrderScheme, Scheme, critical_frequency
from isodyn.studies import order_study
from isodyn.systems import LinearSystem

OVERSHOOT_STEPS = 20
STIFF = (1e5, 1e6)  # values of Omega between which exponents are measured
ECCENTRICITY = 0.3
ORBIT_STEP = 0.05
REVOLUTIONS = 40
KEPT = 1e-12  # relative change of the angular momentum that counts as rounding


# ---- overshoot


def overshoot_exponents(s: Scheme) -> tuple[float, float] | None:
    """Return the exponents of growth with Omega of displacement and velocity.

    Radii within about 1e-3 of one reach their asymptotic behaviour only beyond Omega = 1e6: the
    answer is then between classes.

    Parameters
    ----------
    s
        The scheme.

    Returns
    -------
    u, v
        The exponents; None if the scheme has a stability limit.

    Examples
    --------
    >>> import isodyn as iso
    >>> from isodyn.analysis import overshoot_exponents
    >>> [round(x, 1) for x in overshoot_exponents(iso.Scheme.V0(0.8, 0.8, 0.8))]
    [1.0, 0.0]
    """
    if critical_frequency(s) != math.inf:
        return None
    q, v = zip(*(_overshoot(s, Omega) for Omega in STIFF), strict=True)
    decades = math.log10(STIFF[1] / STIFF[0])
    return max(0.0, math.log10(q[1] / q[0]) / decades), max(0.0, math.log10(v[1] / v[0]) / decades)


def overshoot_class(s: Scheme) -> str | None:
    """Return the class of overshoot, such as U0V0 or V0U1.

    Parameters
    ----------
    s
        The scheme.

    Returns
    -------
    name
        The class; None for members with a stability limit, which have no motion at large Omega.

    Examples
    --------
    >>> import isodyn as iso
    >>> from isodyn.analysis import overshoot_class
    >>> overshoot_class(iso.Scheme.optimal(0.5)), overshoot_class(iso.Scheme.V0(0.5, 0.5, 0.5))
    ('U0V0', 'V0U1')
    """
    exponents = overshoot_exponents(s)
    if exponents is None:
        return None
    u, v = (round(x) for x in exponents)
    velocity_first = v < u or (u == v and s.family == "V0")
    return f"V{v}U{u}" if velocity_first else f"U{u}V{v}"


def _overshoot(s: Scheme, Omega: float) -> tuple[float, float]:
    """max |q_n| / d and max |v_n| / (w d) with dt = 1, over starts of the same energy from q0 alone
    and from v0 alone."""
    q_most = v_most = 0.0
    for q0, v0 in ((1.0, 0.0), (0.0, Omega)):
        system = LinearSystem(1.0, None, Omega**2, None, [q0], [v0])
        with unstable_allowed():
            sol = integrate(system, s, dt=1.0, t_end=float(OVERSHOOT_STEPS))
        q_most = max(q_most, float(np.max(np.abs(sol.q))))
        v_most = max(v_most, float(np.max(np.abs(sol.v))) / Omega)
    return q_most, v_most


# ---- order


class MeasuredOrder(NamedTuple):
    """Slopes of the errors between the two finest steps.

    Parameters
    ----------
    q, v, a
        Slopes; first-order schemes have s and s' in v and a.

    Examples
    --------
    >>> import isodyn as iso
    >>> round(iso.analysis.measured_order(iso.Scheme.optimal(0.5)).a, 1)
    2.0
    """

    q: float
    v: float
    a: float


@lru_cache(maxsize=64)
def measured_order(s: Scheme | FirstOrderScheme) -> MeasuredOrder:
    """Measure the order of accuracy on a nonlinear problem, in the maximum norm over time.

    Second-order systems: two links with M(q), damping, load and jerk at the start, against the
    manufactured solution. First-order systems: the Brusselator against a solver of high order.

    Parameters
    ----------
    s
        The scheme.

    Returns
    -------
    order
        Slopes; NaN if a run fails.

    Examples
    --------
    >>> import isodyn as iso
    >>> from isodyn.analysis import measured_order
    >>> [round(slope, 1) for slope in measured_order(iso.Scheme.U0(0.8, 0.8, 0.8))]
    [2.0, 2.0, 2.0]
    """
    first = isinstance(s, FirstOrderScheme)
    problem = brusselator.STABLE if first else manufactured.PROBLEM
    try:
        with unstable_allowed():
            case = order_study(problem, s, (0.02, 0.01, 0.005), t_end=2.0).cases[0]
    except IsodynError:
        return MeasuredOrder(math.nan, math.nan, math.nan)
    return MeasuredOrder(math.nan if first else case.order("q"), case.order("v"), case.order("a"))


# ---- energy and momentum on an orbit


class OrbitBehaviour(NamedTuple):
    """Relative changes along Kepler's orbit.

    Parameters
    ----------
    momentum_error
        Largest change of angular momentum.
    energy_drift
        Secular drift of energy per revolution.
    energy_oscillation
        Oscillation of energy.

    Examples
    --------
    >>> import isodyn as iso
    >>> iso.analysis.orbit_behaviour(iso.Scheme.midpoint_mpa()).momentum_error < 1e-11
    True
    """

    momentum_error: float
    energy_drift: float
    energy_oscillation: float


@lru_cache(maxsize=64)
def orbit_behaviour(s: Scheme) -> OrbitBehaviour:
    """Measure energy and angular momentum over 40 revolutions with dt = 0.05.

    Parameters
    ----------
    s
        The scheme.

    Returns
    -------
    behaviour
        Relative changes; infinite if the run breaks down.

    Examples
    --------
    >>> import isodyn as iso
    >>> abs(iso.analysis.orbit_behaviour(iso.Scheme.newmark()).energy_drift) < 1e-10
    True
    """
    try:
        with unstable_allowed():
            sol = integrate(
                kepler.build(ECCENTRICITY),
                s,
                dt=ORBIT_STEP,
                t_end=REVOLUTIONS * kepler.PERIOD,
                newton=Newton(rtol=1e-13),
            )
    except IsodynError:
        return OrbitBehaviour(math.inf, math.inf, math.inf)
    kept = kepler.conserved(sol)
    J, E = kept["angular momentum"], kept["energy"] / abs(kept["energy"][0])
    half = E.size // 2
    first, second = smooth_average(E[:half]), smooth_average(E[half : 2 * half])
    return OrbitBehaviour(
        momentum_error=float(np.max(np.abs(J / J[0] - 1.0))),  # [Shimada2014 (2.186)]
        # [Shimada2014 (2.183) adapted]
        energy_drift=kepler.PERIOD * (second - first) / float(sol.t[half]),
        energy_oscillation=float(np.ptp(E[: E.size // REVOLUTIONS])),
    )


def momentum_error(s: Scheme) -> float:
    """Return max |J_n / J_0 − 1| on Kepler's orbit, with the first step.

    Parameters
    ----------
    s
        The scheme.

    Returns
    -------
    error
        The error.

    Examples
    --------
    >>> import isodyn as iso
    >>> from isodyn.analysis import momentum_error
    >>> momentum_error(iso.Scheme.central_difference()) < 1e-13
    True
    """
    return orbit_behaviour(s).momentum_error


def conserves_angular_momentum(s: Scheme) -> bool:
    """Return whether angular momentum stays at rounding on Kepler's orbit.

    Parameters
    ----------
    s
        The scheme.

    Returns
    -------
    conserved
        Whether it does.

    Examples
    --------
    >>> import isodyn as iso
    >>> from isodyn.analysis import conserves_angular_momentum
    >>> conserves_angular_momentum(iso.Scheme.midpoint_mpa()), conserves_angular_momentum(iso.Scheme.newmark())
    (True, False)
    """
    return momentum_error(s) <= KEPT * math.sqrt(REVOLUTIONS)


def energy_drift(s: Scheme) -> float:
    """Return the secular drift of energy per revolution, relative to |H₀|.

    The oscillation is removed.

    Parameters
    ----------
    s
        The scheme.

    Returns
    -------
    drift
        Negative if the scheme dissipates.

    Examples
    --------
    >>> import isodyn as iso
    >>> from isodyn.analysis import energy_drift
    >>> energy_drift(iso.Scheme.U0(0.8, 0.8, 0.8)) < -1e-6, abs(energy_drift(iso.Scheme.newmark())) < 1e-11
    (True, True)
    """
    return orbit_behaviour(s).energy_drift


def smooth_average(values: FloatArray) -> float:
    """Mean with weights exp(−1/(x(1−x))), x from 0 to 1 along the values."""
    x = (np.arange(values.size) + 0.5) / values.size
    weights = np.exp(-1.0 / (x * (1.0 - x)))
    return float(weights @ values / weights.sum())


@contextmanager
def unstable_allowed() -> Iterator[None]:
    """Runs whose purpose is to see what a scheme does give no warning about it."""
    with warnings.catch_warnings(), coarse_steps_meant():
        warnings.simplefilter("ignore", StabilityWarning)
        yield
