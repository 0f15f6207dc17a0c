"""Forces that depend on multipliers: Q(q, v, t, λ).

    M a + Gᵀλ = Q(q, v, t, λ),        ∂balance/∂λ = Gᵀ − ∂Q/∂λ

Constraints that are not ideal [Fan2005 (17)–(21) adapted]: friction by the normal force, creep of a
wheel on a rail. Derivatives ∂Q/∂λ are given or come from central differences; friction is linear in
λ, so that these are exact to rounding.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import InputError, PainleveError
from isodyn.kernels.compiled import (
    CONSTRAINT,
    MODEL,
    MULTIPLIERS,
    NONIDEAL,
    WRONG_SHAPE,
    FloatArray,
    IntArray,
    Traits,
    closure,
)
from isodyn.systems import checks
from isodyn.systems.base import System
from isodyn.systems.model import Model

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress
    from isodyn.systems.mechanical import MechanicalSystem
    from isodyn.systems.questions import Questions

SUCH_FORCES = "forces that depend on multipliers: Q(q, v, t, lam), or friction by the reaction of a joint"
# of the largest multiplier: increments of central differences
INCREMENT = float(np.finfo(np.float64).eps) ** (1 / 3)


def takes_multipliers(Q: Callable[..., Any], given: bool | None, Q_lam: Callable[..., Any] | None, rows: bool) -> bool:
    """Whether Q is a function of (q, v, t, lam): as said, or by the number of its arguments."""
    found = _arguments(Q) >= 4 if given is None else bool(given)
    if given is None and Q_lam is not None:
        found = True
    if Q_lam is not None and not found:
        raise InputError("Q_lam was given, but Q does not take multipliers", hint="write Q(q, v, t, lam)")
    if found and not rows:
        raise InputError(
            "Q takes multipliers, but the system has no constraints", hint="write Q(q, v, t), or give phi or psi"
        )
    return found


def _arguments(Q: Callable[..., Any]) -> int:
    """How many arguments without a default a function takes by position; 3 where it does not
    say."""
    try:
        parameters = inspect.signature(getattr(Q, "py_func", Q)).parameters.values()
    except (TypeError, ValueError):
        return 3
    by_position = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(p.kind in by_position and p.default is inspect.Parameter.empty for p in parameters)


def refuse_nonideal(
    system: System, what: str, hint: str = "write the forces without multipliers", *, at_rest: bool = False
) -> None:
    """InputError where forces of a system depend on multipliers, and `what` has no use for that;
    studies `at_rest` need not know forces that vanish there."""
    if system.nonideal and not (at_rest and system.ideal_at_rest):
        raise InputError(f"{what} does not know {SUCH_FORCES}", hint=hint)


def slopes(system: MechanicalSystem, q: FloatArray, v: FloatArray, t: float, lam: FloatArray) -> FloatArray:
    """∂Q/∂λ (n, m) of a system of Python functions."""
    n, m = system.nv, system.m
    if system.Q_lam is not None:
        return checks.returned("Q_lam", system.Q_lam(q, v, t, lam.copy()), (n, m), t)
    h = INCREMENT * (float(np.abs(lam).max()) or 1.0)
    found = np.empty((n, m))
    for k in range(m):
        ahead, behind = lam.copy(), lam.copy()
        ahead[k], behind[k] = lam[k] + h, lam[k] - h
        values = [checks.returned("Q", system.Q(q.copy(), v.copy(), t, x), (n,), t) for x in (ahead, behind)]
        found[:, k] = (values[0] - values[1]) / (ahead[k] - behind[k])
    return found


def refuse_jammed(ask: Questions, t: float, q: FloatArray, v: FloatArray, lam: FloatArray, rows: IntArray) -> None:
    """PainleveError where K = (G M⁻¹Gᵀ)⁻¹ G M⁻¹ ∂Q/∂λ has a real eigenvalue of one or more.

    Forces that grow from nothing to what they are then pass a state in which no acceleration, or
    more than one, satisfies the equations. Two such eigenvalues leave the sign of det(1 − K) as it
    is, so a start is looked at more closely than steps are.
    """
    G, M, m = np.asarray(ask.G(t, q, v))[rows], np.asarray(ask.mass(t, q, v)), len(rows)
    by_lam = G.T - ask.columns(t, q, v, lam)[:, rows]
    eased = np.linalg.solve(M, np.hstack([G.T, by_lam]))
    if m == 0 or not np.isfinite(eased).all():
        return
    values = np.linalg.eigvals(np.linalg.lstsq(G @ eased[:, :m], G @ eased[:, m:], rcond=None)[0])
    real = values.real[np.abs(values.imag) <= 1e-9 * (1.0 + np.abs(values))]
    if real.max(initial=-np.inf) >= 1.0 - 1e-9:
        raise PainleveError(
            f"forces that depend on multipliers leave no acceleration, or several, at the start, t = {t:.6g}:"
            f" (G M⁻¹Gᵀ)⁻¹ G M⁻¹ ∂Q/∂λ has the eigenvalue {real.max():.4g}, and must stay below 1",
            hint="friction too large for rigid constraints (Painlevé); Penalty lets them give way",
        )


# ---- compiled


@lru_cache(maxsize=256)
def without_multipliers(function: Callable[..., Any]) -> Callable[..., FloatArray]:
    """(q, v, t, lam) → function(q, v, t), compiled."""

    @closure()
    def adapted(q: FloatArray, v: FloatArray, t: float, lam: FloatArray) -> FloatArray:
        return function(q, v, t)

    return adapted


@lru_cache(maxsize=256)
def differences(Q: Callable[..., Any]) -> Callable[..., FloatArray]:
    """(q, v, t, lam) → ∂Q/∂λ by central differences, compiled."""

    @closure()
    def Q_lam(q: FloatArray, v: FloatArray, t: float, lam: FloatArray) -> FloatArray:
        largest = 0.0
        for k in range(lam.size):
            largest = max(largest, abs(lam[k]))
        h = INCREMENT * (largest if largest > 0.0 else 1.0)
        found, moved = np.empty((v.size, lam.size)), lam.copy()
        for k in range(lam.size):
            ahead, behind = lam[k] + h, lam[k] - h
            moved[k] = ahead
            one = Q(q, v, t, moved)
            moved[k] = behind
            other = Q(q, v, t, moved)
            moved[k] = lam[k]
            for i in range(v.size):
                found[i, k] = (one[i] - other[i]) / (ahead - behind)
        return found

    return Q_lam


def join_slopes(model: Model, Q_lam: Callable[..., Any]) -> Model:
    """The model that knows ∂balance/∂λ too, for a compiled function Q_lam(q, v, t, lam)."""
    return replace(model, function=_with_slopes(model.function, Q_lam), traits=Traits(model.traits | NONIDEAL))


@lru_cache(maxsize=256)
def _with_slopes(base: Callable[..., Any], Q_lam: Callable[..., Any]) -> Callable[..., int]:
    @closure(MODEL)
    def model(
        what: int,
        t: float,
        q: FloatArray,
        v: FloatArray,
        a: FloatArray,
        lam: FloatArray,
        c: FloatArray,
        tables: StructAddress,
        scratch: StructAddress,
        out: FloatArray,
    ) -> int:
        if what != MULTIPLIERS:
            return base(what, t, q, v, a, lam, c, tables, scratch, out)
        status, slope = base(CONSTRAINT, t, q, v, a, lam, c, tables, scratch, out), Q_lam(q, v, t, lam)
        if slope.shape != (v.size, lam.size):
            return WRONG_SHAPE
        for i in range(lam.size):
            for j in range(v.size):
                out[i * v.size + j] -= slope[j, i]
        return status

    return model
