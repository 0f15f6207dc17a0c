"""Motions to compare with: exact, from a solver of high order, or from a much finer run.

A high-order solver works on y = (q, v), y' = (v, a) with a from the balance of the system itself,

    a = M⁻¹ Q,     −Q = balance(t, q, v, a = 0),     M = ∂balance/∂a.

With constraints a and λ come from M a + Gᵀλ = Q, G a = b, with λ of least norm where rows are
dependent,

    λ = (G M⁻¹ Gᵀ)⁺ (G M⁻¹ Q − b),     a = M⁻¹ (Q − Gᵀλ).

Of systems with a retraction q' is its derivative along v, d/ds q ⊕ s v at s = 0, from differences
of eighth order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from isodyn.api import integrate
from isodyn.errors import ConvergenceError, InputError
from isodyn.formulations import Formulation
from isodyn.kernels.compiled import (
    ACCELERATION,
    BALANCE,
    CONSTRAINT,
    FACTORISE,
    JACOBIAN,
    KNOWS_MASS,
    OK,
    SOLVE,
    SOLVES,
    FloatArray,
)
from isodyn.later import Later
from isodyn.problems.problem import Motion, Problem
from isodyn.real_numbers import real_number
from isodyn.schemes import FirstOrderScheme, Scheme
from isodyn.systems import System
from isodyn.systems.model import Model
from isodyn.systems.multiplier_forces import refuse_nonideal

integrators = Later("scipy.integrate")

RTOL = 1e-13
EIGHTH_ORDER = (4 / 5, -1 / 5, 4 / 105, -1 / 280)  # weights of f(kh) − f(−kh), k = 1 … 4
REACH = 0.02  # largest component of the increments that they take
DEPENDENT = 1e-10  # singular values of G M⁻¹ Gᵀ that are smaller, relatively, count as zero


def end_of(problem: Problem, t_end: float | None) -> float:
    """The end of the runs of a study: that which was asked for, or that of the problem."""
    if t_end is None:
        return float(problem.t_order or problem.t_end)
    end = real_number("t_end", t_end)
    if not end > 0.0:
        raise InputError(f"t_end must lie after the start at t = 0, received {end:g}", argument="t_end")
    return end


@dataclass(frozen=True, eq=False)
class ReferenceMotion:
    """A motion as a function of time, and where it comes from.

    Parameters
    ----------
    at
        Function of times (k,) that returns q, v, a and multipliers with k rows.
    kind
        Where the motion comes from, in words.

    Examples
    --------
    >>> import numpy as np, isodyn as iso
    >>> from isodyn import studies
    >>> motion = studies.exact_motion(iso.problems.get("oscillator"))
    >>> motion.at(np.array([0.0, 0.1])).q.shape
    (2, 1)
    """

    at: Callable[[FloatArray], Motion]
    kind: str


def exact_motion(problem: Problem, **parameters: float) -> ReferenceMotion:
    """Return the exact motion of a problem.

    Parameters
    ----------
    problem
        The problem.
    **parameters
        Values of its parameters.

    Returns
    -------
    motion
        The motion.

    Raises
    ------
    InputError
        If no formula is known.

    Examples
    --------
    >>> import isodyn as iso
    >>> from isodyn import studies
    >>> studies.exact_motion(iso.problems.get("oscillator")).kind
    'exact solution'
    """

    def at(t: FloatArray) -> Motion:
        motion = problem.exact(t, **parameters)
        if motion is None:
            raise InputError(f"{problem.name} has no exact solution", hint="use accurate_motion or fine_motion")
        return motion

    at(np.zeros(1))
    return ReferenceMotion(at, "exact solution")


def accurate_motion(
    system: System, t_end: float, t0: float = 0.0, *, breakpoints: Sequence[float] = ()
) -> ReferenceMotion:
    """Return the motion by DOP853 with rtol = 1e-13.

    The integration starts anew at breakpoints; a and λ at these times are those after the jump.

    Parameters
    ----------
    system
        The system.
    t_end, t0
        End and start of the run.
    breakpoints
        Times at which loads jump.

    Returns
    -------
    motion
        The motion.

    Raises
    ------
    InputError
        If the system has algebraic unknowns.
    ConvergenceError
        If the integration fails.

    Examples
    --------
    >>> import isodyn as iso
    >>> from isodyn import studies
    >>> studies.accurate_motion(iso.problems.get("oscillator").system(), t_end=1.0).kind
    'DOP853, rtol = 1e-13'
    """
    if system.first_order and system.m:
        raise InputError("a high-order reference cannot have algebraic unknowns", hint="pass fine_motion as reference")
    acceleration = Acceleration(system)
    nq = system.nq

    def rate(t: float, y: FloatArray, last: float) -> FloatArray:
        q, v = np.ascontiguousarray(y[:nq]), np.ascontiguousarray(y[nq:])
        return np.concatenate([rate_of_configuration(system, q, v), acceleration(min(t, last), q, v)[0]])

    y = np.concatenate([system.q0, system.v0])
    scale = max(float(np.max(np.abs(y))), 1.0)
    times = [t0, *sorted(breakpoints), t_end]
    stretches = []
    for start, stop in pairwise(times):
        last = float(np.nextafter(stop, start)) if stop < t_end else stop  # loads before their jump
        tolerances = {"rtol": RTOL, "atol": RTOL * scale}
        run = integrators.solve_ivp(
            rate, (start, stop), y, method="DOP853", dense_output=True, args=(last,), **tolerances
        )
        if not run.success:
            raise ConvergenceError(f"the reference by DOP853 failed at t = {run.t[-1]:g}: {run.message}")
        y = run.y[:, -1]
        stretches.append(run.sol)

    def at(t: FloatArray) -> Motion:
        inside = np.clip(t, t0, t_end)
        which = np.searchsorted(times[1:-1], inside, side="right")
        y = np.array([stretches[k](t_k) for k, t_k in zip(which, inside, strict=True)]).reshape(-1, nq + system.nv)
        rows = [acceleration(t_k, y_k[:nq], y_k[nq:]) for t_k, y_k in zip(t, y, strict=True)]
        lam = np.array([row[1] for row in rows]) if system.m else None
        return Motion(y[:, :nq], y[:, nq:], np.array([row[0] for row in rows]), lam)

    return ReferenceMotion(at, f"DOP853, rtol = {RTOL:g}")


def rate_of_configuration(system: System, q: FloatArray, v: FloatArray) -> FloatArray:
    """q' = d/ds q ⊕ s v."""
    if system.retract is None:
        return v[: system.nq]
    h = REACH / max(float(np.max(np.abs(v))), 1e-300)
    steps = ((k + 1, weight) for k, weight in enumerate(EIGHTH_ORDER))
    parts = [weight / h * (system.retract(q, k * h * v) - system.retract(q, -k * h * v)) for k, weight in steps]
    return np.asarray(np.sum(parts, axis=0))


def fine_motion(
    system: System,
    scheme: Scheme | FirstOrderScheme,
    dt: float,
    t_end: float,
    refinement: int = 16,
    formulation: Formulation | None = None,
    breakpoints: Sequence[float] = (),
) -> ReferenceMotion:
    """Return the motion of a run with finer steps, at multiples of dt.

    Parameters
    ----------
    system
        The system.
    scheme
        The scheme.
    dt
        Step of the runs that are compared with it.
    t_end
        End of the run.
    refinement
        How many times finer its steps are.
    formulation
        How constraints enter, as in `integrate`.
    breakpoints
        Times at which loads jump.

    Returns
    -------
    motion
        The motion.

    Examples
    --------
    >>> import numpy as np, isodyn as iso
    >>> from isodyn import studies
    >>> pendulum, scheme = iso.problems.get("pendulum").system(), iso.Scheme.optimal(0.8)
    >>> motion = studies.fine_motion(pendulum, scheme, dt=0.01, t_end=0.1)
    >>> motion.at(np.array([0.0, 0.1])).q.shape
    (2, 2)
    """
    sol = integrate(
        system, scheme, formulation, dt=dt / refinement, t_end=t_end, save_every=refinement, breakpoints=breakpoints
    )

    def at(t: FloatArray) -> Motion:
        k = np.searchsorted(sol.t, t - 0.25 * dt)
        if not np.allclose(sol.t[np.minimum(k, sol.t.size - 1)], t, rtol=0.0, atol=1e-9 * abs(t_end)):
            raise InputError(f"a fine reference is known at multiples of dt = {dt:g} only")
        return Motion(sol.q[k], sol.v[k], sol.a[k], sol.lam[k] if system.m else None)

    return ReferenceMotion(at, f"the same scheme with steps {refinement} times finer than {dt:g}")


class Acceleration:
    """a and λ at a state, from the model function of a system."""

    def __init__(self, system: System) -> None:
        refuse_nonideal(system, "an accurate reference", "integrate_adaptive takes such forces")
        model = system.model()
        self.model: Model = model if model.dense is None else model.dense()
        self.n, self.m = system.nv, system.m
        self.unit = np.array([1.0, 0.0, 0.0, 1.0])

    def __call__(self, t: float, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        zero = np.zeros(self.n)
        r = self.ask(BALANCE, t, q, v, zero, zero.copy())
        if self.model.traits & SOLVES:
            self.ask(FACTORISE, t, q, v, zero, np.zeros(2))
            return self.ask(SOLVE, t, q, v, zero, -r), np.zeros(0)
        if self.model.traits & KNOWS_MASS:
            M = self.ask(JACOBIAN, t, q, v, zero, np.zeros(self.n**2)).reshape(self.n, self.n)
        else:
            M = np.column_stack([self.ask(BALANCE, t, q, v, e, zero.copy()) - r for e in np.eye(self.n)])
        free = np.asarray(np.linalg.solve(M, -r), dtype=np.float64)
        if self.m == 0:
            return free, np.zeros(0)
        G = self.ask(CONSTRAINT, t, q, v, zero, np.zeros(self.m * self.n)).reshape(self.m, self.n)
        gap = self.ask(ACCELERATION, t, q, v, free, np.zeros(self.m))  # G M⁻¹ Q − b
        H = np.linalg.solve(M, G.T)
        lam = np.linalg.pinv(G @ H, rcond=DEPENDENT, hermitian=True) @ gap
        return free - H @ lam, lam

    def ask(self, what: int, t: float, q: FloatArray, v: FloatArray, a: FloatArray, out: FloatArray) -> FloatArray:
        """One question to the model."""
        arguments: tuple[Any, ...] = (
            what,
            float(t),
            q,
            v,
            a,
            np.zeros(self.m),
            self.unit,
            self.model.tables,
            self.model.scratch,
            out,
        )
        if self.model.function(*arguments) != OK:
            if self.model.raised is not None:
                raise self.model.raised
            raise InputError(f"the model gave no answer at t = {t:g}")
        return out
