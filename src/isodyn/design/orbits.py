"""Periodic motions and their stability, from derivatives of runs by their start.

Φ = ∂(q, v)(T)/∂(q, v)(0)          monodromy matrix
Floquet multipliers                eigenvalues of Φ; stable if none lies outside the unit circle
orbit                              x(T; x₀) = x₀, by the search of isodyn.design.closing

Where a multiplier is 1 within the error of the steps, which half the step tells, Φ − 1 is singular,
and what the iteration ends at is one of a family of orbits, or none (an undamped vibration in
resonance).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.design.closing import CLOSED, Closed, Closing, gap_of
from isodyn.design.turns import steps_of, turned
from isodyn.errors import AccuracyWarning, InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.notebook_views import ShownInNotebooks
from isodyn.results.solution import Solution
from isodyn.systems import as_system
from isodyn.systems.compiled_system import settled
from isodyn.systems.questions import Questions

if TYPE_CHECKING:
    import numpy.typing as npt

    from isodyn.systems.base import System
    from isodyn.systems.description import Description

FEWEST = 8  # steps of a period
ROUNDING = 1e-12  # of what acts: forces that vary by less do not depend on time
REPEATS = 1e-3  # of what forces vary by: forces a period apart that differ by more do not repeat
MOMENT = 1e-3  # of a period, over which forces at its ends are seen to change
JUMP = 0.2  # of what forces vary by: a change within a moment that is larger is a jump, and says nothing of slopes
ONE = 1e-6  # multipliers outside the unit circle by less than this are on it
NEAR = 0.1  # multipliers nearer to 1 than this are looked at with half the step
SPLIT = 3.0  # times the root of the error of a matrix: so far may two equal multipliers be apart
BLURRED = 0.5  # of the distance to 1: an error of the steps that is larger hides whether the orbit is alone


@dataclass(frozen=True, eq=False)
class Orbit(ShownInNotebooks):
    """A periodic motion and its stability.

    Parameters
    ----------
    solution
        One period.
    period
        Its length.
    monodromy
        Derivatives of the state after one period by the state at its start: configuration first,
        then velocity.
    gap
        How far the end is from the start, in typical sizes.
    runs
        Number of runs that it took.
    system
        The system with its start on the orbit.
    free_period
        Whether the period was found, too.
    basis
        Of systems with constraints: orthonormal changes of the state, in columns, that they allow.
    neutral
        Whether a multiplier is 1 within the error of the steps, a shift in time aside: the orbit is
        one of a family, or there is none.
    family
        Dimensions of the family that the orbit is one of, where equations keep an energy: so many
        multipliers beside that of a shift in time are 1. Zero for an orbit that is alone.
    autonomous
        Whether time stands nowhere in the equations: a shift in time then gives the multiplier 1.

    Examples
    --------
    >>> import numpy as np, isodyn as iso
    >>> def Q(q, v, t):
    ...     return -4.0 * q - 0.2 * v + np.cos(t)
    >>> system = iso.MechanicalSystem(M=1.0, Q=Q, q0=[0.0], v0=[0.0])
    >>> orbit = iso.periodic_orbit(system, period=2 * np.pi, dt=0.02)
    >>> orbit.stable, np.round(np.abs(orbit.multipliers), 2)
    (True, array([0.53, 0.53]))
    """

    solution: Solution
    period: float
    monodromy: FloatArray
    gap: float
    runs: int
    system: System
    free_period: bool = False
    basis: FloatArray | None = None
    neutral: bool = False
    family: int = 0
    autonomous: bool = False

    def __repr__(self) -> str:
        size = float(np.abs(self.multipliers).max(initial=0.0))
        told = ", not alone" if self.neutral else ""
        return f"<Orbit of period {self.period:.6g}, largest multiplier {size:.6g}{told}>"

    @property
    def multipliers(self) -> npt.NDArray[Any]:
        """Floquet multipliers, the largest first; of systems with constraints as many as there are
        free coordinates of the state."""
        U = self.basis
        found = np.linalg.eigvals(self.monodromy if U is None else U.T @ self.monodromy @ U)
        return found[np.argsort(-np.abs(found), kind="stable")]

    @property
    def exponents(self) -> npt.NDArray[np.complex128]:
        """Floquet exponents, log(multipliers)/period."""
        return np.log(self.multipliers.astype(complex)) / self.period

    @property
    def stable(self) -> bool:
        """Whether no multiplier lies outside the unit circle. The one of a shift in time does not
        count, where time stands nowhere in the equations and the orbit is no rest: the steps move
        it. Those of a family do not count, either."""
        return bool((np.abs(self.across) <= 1.0 + ONE).all())

    @property
    def across(self) -> npt.NDArray[Any]:
        """The multipliers, without that of a shift in time where time stands nowhere in the
        equations, and those of a family."""
        found, aside = self.multipliers, int(self.free_period or self.autonomous) + self.family
        return np.delete(found, np.argsort(np.abs(found - 1.0), kind="stable")[:aside])


def _steps_of(period: float, dt: float) -> int:
    """The number of steps of a period; InputError where they are too few to tell anything."""
    steps = steps_of(period, dt)
    if period < FEWEST * (1.0 - 1e-9) * dt:
        raise InputError(
            f"a period of {period:g} has no {FEWEST} steps of dt = {dt:g}", hint=f"such as dt={period / 100:.2g}"
        )
    return steps


def _look_at_period(system: System, t0: float, period: float, *, free: bool) -> bool:
    """Whether time stands nowhere in the equations. InputError where what acts at the end of a
    period is not what acts at its beginning, or does not change as there; with a free period, where
    time stands in the equations at all, and where states of first order have integrals, which need
    not return."""
    if system.states:
        raise InputError(
            f"a periodic motion is one of positions, not of states of first order; this mechanism has {system.states}",
            hint="let integrate(...) run until the motion repeats",
        )
    ask, still = Questions(system), np.zeros(system.nv)
    q, v = settled(system, np.array(system.q0)), np.array(system.v0)

    def acting(t: float) -> FloatArray:
        rates = ask.velocity(t, q, v) if system.m else np.zeros(0)
        return np.append(ask.balance(t, q, v, still), rates)

    times = t0 + period * np.append(np.random.default_rng(5).random(8), (0.0, 1.0, MOMENT, 1.0 - MOMENT))
    found = np.array([acting(float(t)) for t in times])
    spread = np.ptp(found, axis=0)
    varies = spread > ROUNDING * np.abs(found).max(axis=0)
    if free and varies.any():
        raise InputError(
            "time stands in the equations, so that the period is not free", hint="give the period of what drives it"
        )
    first, last, soon, before = found[-4:]
    apart_by = np.abs(last - first)
    slopes = np.abs((last - before) - (soon - first)) / (2 * np.pi * MOMENT)
    slopes = np.where(np.abs(last - before) + np.abs(soon - first) > JUMP * spread, 0.0, slopes)
    if not free and (varies & ((apart_by > REPEATS * spread) | (slopes > JUMP * spread))).any():
        raise InputError(
            f"the equations do not repeat after {period:g}: what acts then differs from what acts at t = {t0:g}",
            hint="give the period of what drives the system, or a multiple of it",
        )
    return not varies.any()


def floquet(system: System | Description, *, period: float, dt: float, t0: float = 0.0, **options: Any) -> Orbit:
    """Return monodromy matrix and Floquet multipliers of a motion that is periodic.

    Parameters
    ----------
    system
        A system whose start lies on the orbit.
    period
        Length of the period.
    dt
        Size of a step; the nearest that divides the period is taken.
    t0
        Start of the period.
    **options
        For `integrate`: scheme, formulation, newton.

    Returns
    -------
    orbit
        The motion and its multipliers.

    Raises
    ------
    InputError
        If the motion is not periodic, or what acts on it is not.

    Examples
    --------
    >>> import numpy as np, isodyn as iso
    >>> system = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -(1 + 0.1 * np.cos(2 * t)) * q, q0=[0.0], v0=[0.0])
    >>> iso.floquet(system, period=np.pi, dt=0.01).stable
    False
    """
    steps = _steps_of(period, dt)
    _look_at_period(as_system(system), t0, float(period), free=False)
    turn = turned(as_system(system), t0, float(period), steps, options)
    _, size = gap_of(turn)
    if not size <= CLOSED:
        raise InputError(
            f"the motion is not periodic: after {period:g} it misses its start by {size:.2g} typical sizes",
            hint="iso.periodic_orbit finds a start",
        )
    return Orbit(turn.solution, float(period), turn.matrix, size, 1, turn.starts.system, basis=turn.basis)


def periodic_orbit(
    system: System | Description,
    *,
    period: float,
    dt: float,
    t0: float = 0.0,
    free_period: bool = False,
    max_runs: int = 30,
    **options: Any,
) -> Orbit:
    """Find a periodic motion near the start of a system, by shooting.

    Parameters
    ----------
    system
        A system; its start is the first guess.
    period
        Length of the period, or a guess of it.
    dt
        Size of a step; the nearest that divides the period is taken.
    t0
        Start of the period.
    free_period
        Whether the period is unknown, too: for systems that time does not stand in.
    max_runs
        Most runs that are taken.
    **options
        For `integrate`: scheme, formulation, newton.

    Returns
    -------
    orbit
        The motion, its period, and its Floquet multipliers.

    Raises
    ------
    InputError
        If an argument is not admissible, or the equations do not repeat after the period.
    ConvergenceError
        If there is none near the start.

    Warns
    -----
    AccuracyWarning
        If a multiplier is 1 within the error of the steps, a shift in time aside
        (`Orbit.neutral`).

    Examples
    --------
    >>> import numpy as np, isodyn as iso
    >>> system = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: (1 - q**2) * v - q, q0=[2.0], v0=[0.1])
    >>> orbit = iso.periodic_orbit(system, period=6.5, dt=0.05, free_period=True)
    >>> round(orbit.period, 2), orbit.stable
    (6.67, True)
    """
    if isinstance(max_runs, bool) or not isinstance(max_runs, int) or max_runs < 1:
        raise InputError(f"max_runs must be a whole number above zero, received {max_runs!r}", hint="such as 30")
    _steps_of(period, dt)
    here, T = as_system(system), float(period)
    autonomous = _look_at_period(here, t0, T, free=free_period)
    search = Closing(t0, free_period, autonomous, max_runs, options)
    end = search.found(here, T, float(dt))
    turn = end.turn
    orbit = Orbit(
        turn.solution, end.period, turn.matrix, end.gap, search.runs, turn.starts.system, free_period, turn.basis
    )
    orbit = replace(orbit, autonomous=autonomous)
    if end.finer is None:
        return _told(orbit, t0, end.steps, options)
    ones = int((np.abs(orbit.multipliers - 1.0) <= SPLIT * np.sqrt(end.blur)).sum())
    orbit = replace(orbit, neutral=True, family=max(ones - 1, end.unknown))
    warnings.warn(AccuracyWarning(_of_many(orbit, end)), stacklevel=2)
    return orbit


def _of_many(orbit: Orbit, end: Closed) -> str:
    """What is said of an orbit that closes as far as the steps let it."""
    closes = f"it repeats to {end.gap:.2g} of typical sizes (half the step: {end.finer:.2g})"
    if end.unknown:
        text = "the equations keep an energy, so that orbits form a family: this is the one nearest to the start"
        return f"{text}; {closes}" if end.gap > CLOSED else text
    return f"the motion has a period near {orbit.period:g}, within the error of the steps: {closes}"


def _told(found: Orbit, t0: float, steps: int, options: dict[str, Any]) -> Orbit:
    """The orbit, with a warning where it may be one of many, or none."""
    across = found.across
    if not across.size:
        return found
    nearest = across[np.abs(across - 1.0).argmin()]
    off = abs(nearest - 1.0)
    if off > NEAR:
        return found
    if off > ONE:
        turn = turned(found.system, t0, found.period, 2 * steps, {"assemble": True, **options})
        finer = replace(found, monodromy=turn.matrix, basis=turn.basis).multipliers
        error = 4.0 / 3.0 * float(np.abs(finer - nearest).min())  # of second order
        found = replace(found, runs=found.runs + 1)
        if error <= BLURRED * off:
            return found
    warnings.warn(
        AccuracyWarning(
            f"a Floquet multiplier is 1 within the error of the steps ({off:.2g} away): this orbit is one of a family, "
            "or there is none, as for an undamped vibration in resonance. Where it lies depends on steps and start"
        ),
        stacklevel=3,
    )
    return replace(found, neutral=True)
