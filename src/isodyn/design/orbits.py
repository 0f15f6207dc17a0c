"""Periodic motions and their stability, from derivatives of runs by their start.

Φ = ∂(q, v)(T)/∂(q, v)(0)          monodromy matrix
Floquet multipliers                eigenvalues of Φ; stable if none lies outside the unit circle
orbit                              x(T; x₀) = x₀ by Newton's iteration with Φ − 1; an unknown period T adds
                                   the column x'(T), and the row x'(0)·δx₀ = 0

Where a multiplier is 1 within the error of the steps, which half the step tells, Φ − 1 is singular,
and what the iteration ends at is one of a family of orbits, or none (an undamped vibration in
resonance).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.design.starts import Starts, apart, with_start
from isodyn.design.turns import steps_of, turned
from isodyn.errors import AccuracyWarning, ConvergenceError, InputError
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

CLOSED = 1e-6  # a motion whose end is nearer to its start than this, in typical sizes, is periodic
DONE = 1e-9  # … and this is where the search for one ends
ROUNDING = 1e-12  # of what acts: forces that vary by less do not depend on time
REPEATS = 1e-3  # of what forces vary by: forces a period apart that differ by more do not repeat
MOMENT = 1e-3  # of a period, over which forces at its ends are seen to change
JUMP = 0.2  # of what forces vary by: a change within a moment that is larger is a jump, and says nothing of slopes
ONE = 1e-6  # multipliers outside the unit circle by less than this are on it
NEAR = 0.1  # multipliers nearer to 1 than this are looked at with half the step
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
        Whether the period was found, too: a shift in time then gives the multiplier 1.
    basis
        Of systems with constraints: orthonormal changes of the state, in columns, that they allow.
    neutral
        Whether a multiplier is 1 within the error of the steps, a shift in time aside: the orbit is
        one of a family, or there is none.

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
        """Whether no multiplier lies outside the unit circle. With a free period the one nearest to
        1 does not count: it belongs to a shift in time, and the steps move it."""
        return bool((np.abs(self.across) <= 1.0 + ONE).all())

    @property
    def across(self) -> npt.NDArray[Any]:
        """The multipliers, without that of a shift in time where the period is free."""
        found = self.multipliers
        return np.delete(found, np.abs(found - 1.0).argmin()) if self.free_period else found


def _refuse_other_periods(system: System, t0: float, period: float, *, free: bool) -> None:
    """InputError where what acts at the end of a period is not what acts at its beginning, or does
    not change as there; with a free period, where time stands in the equations at all."""
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


def _gap(starts: Starts, sol: Solution) -> tuple[FloatArray, float]:
    """How far the end is from the start, in coordinates and in typical sizes."""
    system = starts.system
    dq, dv = apart(system, sol.q[0], sol.q[-1]), sol.v[-1] - sol.v[0]
    fast = max(1.0, float(np.abs(sol.v / system.scales.v).max(initial=0.0)))
    size = max(
        float(np.abs(dq / system.scales.v).max(initial=0.0)),
        float(np.abs(dv / system.scales.v).max(initial=0.0)) / fast,
    )
    return starts.chart.coordinates(dq, dv), size


def _rests(starts: Starts, sol: Solution) -> bool:
    """Whether a motion leaves its start by no more than rounding and the end of the search."""
    system = starts.system
    away = [np.abs(apart(system, sol.q[0], q) / system.scales.v).max(initial=0.0) for q in sol.q]
    fast = np.abs((sol.v - sol.v[0]) / system.scales.v).max(initial=0.0)
    return bool(max(float(fast), *map(float, away)) <= CLOSED)


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
    steps = steps_of(period, dt)
    _refuse_other_periods(as_system(system), t0, float(period), free=False)
    turn = turned(as_system(system), t0, float(period), steps, options)
    _, size = _gap(turn.starts, turn.solution)
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
        If a multiplier is 1 within the error of the steps (`Orbit.neutral`).

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
    steps, here = steps_of(period, dt), as_system(system)
    T, best = float(period), np.inf
    _refuse_other_periods(here, t0, T, free=free_period)
    for k in range(max_runs):
        turn = turned(here, t0, T, steps, {"assemble": True, **options})
        starts, sol, here = turn.starts, turn.solution, turn.starts.system
        gap, size = _gap(starts, sol)
        if size <= DONE:
            if free_period and _rests(starts, sol):
                raise ConvergenceError(
                    "the search ended at rest, where every period fits", hint="start nearer to the motion"
                )
            return _told(Orbit(sol, T, turn.matrix, size, k + 1, here, free_period, turn.basis), t0, steps, options)
        if not size < 1e3 * best:
            break
        best = min(best, size)
        A, b = turn.matrix - np.eye(gap.size), -gap
        if free_period:
            rate = [starts.chart.coordinates(sol.v[i], sol.a[i]) for i in (-1, 0)]
            A = np.block([[A, rate[0][:, None]], [rate[1][None], np.zeros((1, 1))]])
            b = np.append(b, 0.0)
        x: FloatArray = np.linalg.lstsq(A, b, rcond=1e-12)[0].astype(np.float64)
        if free_period:
            T += float(np.clip(x[-1], -0.3 * T, 0.3 * T))
            x = x[:-1]
        q0, v0 = starts.chart.start(x)
        here = with_start(here, q0, v0)
    raise ConvergenceError(
        f"no periodic motion of period {T:g} was found: the end still misses the start by {size:.2g} typical sizes",
        hint="start nearer to it, or give another period",
    )


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
