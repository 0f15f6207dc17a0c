"""M, C, K of a system at rest, and the multipliers that carry a force.

    M = ∂r/∂a,   C = ∂r/∂v,   K = ∂r/∂q,        r = M a + Gᵀλ − Q, derivatives along q ⊕ d

K contains the geometric stiffness ∂(Gᵀλ)/∂q. What a model does not know of these is taken from
differences.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import JACOBIAN, KNOWS_MASS, KNOWS_TANGENT, LINEAR, SOLVES, FloatArray
from isodyn.systems import System, as_system, is_system
from isodyn.systems.contacts import refuse_contacts
from isodyn.systems.differences import H1, first
from isodyn.systems.manifold import moving
from isodyn.systems.multiplier_forces import refuse_nonideal
from isodyn.systems.questions import Questions
from isodyn.systems.scales import natural_pace, ordinary_or, sizes_of_rows

if TYPE_CHECKING:
    from isodyn.systems.description import Description

DEPENDENT = 1e-9  # singular values of Gᵀ below this, relative, carry no multiplier


class Tangents(NamedTuple):
    """Matrices of small motions about a state of rest."""

    M: FloatArray
    C: FloatArray
    K: FloatArray


def second_order(what: str, given: System | Description) -> System:
    """The system that was given, or that of a mechanism; InputError where it has no
    accelerations."""
    system = as_system(given)
    if not is_system(system):
        raise InputError(
            f"{what} needs one system, received {type(system).__name__}", hint="a system by itself, not its parts"
        )
    if system.first_order:
        raise InputError(f"{what} is for mechanical systems; {type(system).__name__} is of first order")
    if system.states:
        raise InputError(
            f"{what} knows positions, not states of first order; this mechanism has {system.states}",
            hint="let integrate(...) run until they rest",
        )
    refuse_contacts(system, what)
    refuse_nonideal(system, what, at_rest=True)
    return system


def least_squares(A: FloatArray, b: FloatArray, rows: FloatArray, columns: FloatArray) -> FloatArray:
    """x of least norm with A x − b as small as can be; equations in units of `rows`, unknowns in
    units of `columns`."""
    if A.size == 0:
        return np.zeros(A.shape[1])
    scaled = A * (columns / rows[:, None])
    return columns * np.asarray(np.linalg.lstsq(scaled, b / rows, rcond=DEPENDENT)[0], dtype=np.float64)


def rates(system: System, G: FloatArray, b: FloatArray) -> FloatArray:
    """v of least norm with G v − b as small as can be, in typical sizes."""
    return least_squares(G, b, sizes_of_rows(system, G), system.scales.v)


def multipliers(system: System, G: FloatArray, r: FloatArray) -> FloatArray:
    """λ of least norm with r + Gᵀλ as small as can be, in units of work along typical sizes."""
    known = system.scales.rows
    rows = np.ones(G.shape[0]) if known is None else known
    return least_squares(G.T, -r, 1.0 / system.scales.v, 1.0 / rows)


def tangents(ask: Questions, t: float, q: FloatArray, lam: FloatArray) -> Tangents:
    """At v = a = 0."""
    n, still, move = ask.system.nv, np.zeros(ask.system.nv), moving(ask.system)
    knows, h = 0 if ask.model.traits & SOLVES else ask.model.traits, 1.0 if ask.model.traits & LINEAR else H1
    unit, sizes = np.eye(n), ask.system.scales.v

    def jacobian(weights: tuple[float, float, float], lam: FloatArray) -> FloatArray:
        return ask.ask(JACOBIAN, t, q, still, still, n * n, lam, weights).reshape(n, n)

    def columns(change: Callable[[FloatArray, float], FloatArray], beat: float = 1.0) -> FloatArray:
        steps = h * beat * sizes
        return np.array([first(lambda s, e=e: change(e, s), d) for e, d in zip(unit, steps, strict=True)]).T  # type: ignore[misc]

    if knows & KNOWS_MASS:
        M = jacobian((1.0, 0.0, 0.0), lam)
    else:
        rest = ask.balance(t, q, still, still)
        M = np.array([ask.balance(t, q, still, e) - rest for e in unit]).T
    if not knows & KNOWS_TANGENT:
        beat = 1.0 if ask.model.traits & SOLVES else ordinary_or(natural_pace(ask, t, q, still))
        C = columns(lambda e, s: ask.balance(t, q, s * e, still, lam), beat)
        K = columns(lambda e, s: ask.balance(t, move(q, s * e), still, still, lam))
        return Tangents(M, C, K)
    C, K = jacobian((0.0, 1.0, 0.0), lam), jacobian((0.0, 0.0, 1.0), lam)
    if lam.any() and np.array_equal(
        K, jacobian((0.0, 0.0, 1.0), 0.0 * lam)
    ):  # the model leaves the geometric stiffness out
        K = K + columns(lambda e, s: lam @ ask.G(t, move(q, s * e), still))
    return Tangents(M, C, K)
