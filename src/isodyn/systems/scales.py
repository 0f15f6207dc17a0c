"""Typical sizes: what numbers of different units are compared with.

A length of 1e-9 m says nothing beside an angle of 1 rad, and an error of 1e-9 m is all of a
mechanism of that size. Every comparison of several components is one of x_i / s_i, with s_i the
typical size of the coordinate i: a length of the model for positions, one for angles. A row φ_k is
compared with r_k, what it changes by when coordinates change by their typical sizes. Forces go with
s_i too, as work does: f_i s_i, and multipliers with r_k.

Pivots of the matrix of a step are chosen, and called small, as those of D J D, E G D with
D = diag(s) and E = diag(κ/|G_k D|), κ the largest entry of D M D at the start.

All of these are powers of two. Products with them have no rounding, and a model of another size
gives the same digits where its sizes are so many times larger.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

import numpy as np

from isodyn.kernels.compiled import GENERAL, KNOWS_MASS, FloatArray
from isodyn.later import sparse as sp
from isodyn.systems.base import System

if TYPE_CHECKING:
    from isodyn.open_types import Matrix
    from isodyn.systems.questions import Questions

EPS = float(np.finfo(np.float64).eps)
SMALL, LADDER = 0.125, 8.0  # starts smaller than this make one look for lengths, in such steps
SEEN = 1e-6  # relative error of second differences that are good
NEAR = 1e-6  # of the size of s: increments of differences that only tell how steep rows are
HALF = float(np.sqrt(0.5))
# sizes of a user's q0 that are less than so many times larger or smaller than one are taken as one
ORDINARY = 2.0**13


def power_of_two(x: Any) -> Any:
    """The power of two nearest to x > 0, on a logarithmic scale."""
    if isinstance(x, float):  # a number alone
        mantissa, exponent = math.frexp(x)
        return math.ldexp(1.0, exponent - 1 if mantissa < HALF else exponent)
    mantissa, exponent = np.frexp(x)
    return np.ldexp(1.0, np.where(mantissa < HALF, exponent - 1, exponent))


@dataclass(frozen=True, eq=False)
class Scales:
    """Typical sizes of the components of q (∞ for those that are never compared) and of v's
    increments; of rows, where they are known.

    `at` is the position at which rows without a known size are looked at.
    """

    q: FloatArray
    v: FloatArray
    at: FloatArray
    rows: FloatArray | None = None


def ordinary(q0: FloatArray, nv: int) -> Scales:
    """Ones, for coordinates of which nothing is known."""
    return Scales(np.ones(q0.size), np.ones(nv), q0.copy())


def from_start(q0: FloatArray, nv: int) -> Scales:
    """One size for all coordinates of a user's own equations: one, unless the start is far larger
    than that.

    A start that is far smaller may be rounding of zero: see `beside_rows`.
    """
    size = float(np.abs(q0[np.isfinite(q0)]).max(initial=0.0))
    one = 1.0 if size <= ORDINARY else float(power_of_two(size))
    return Scales(np.full(q0.size, one), np.full(nv, one), q0.copy())


def beside_rows(scales: Scales, phi: Callable[[FloatArray], Any]) -> Scales:
    """Smaller sizes where a user's φ(q) changes over lengths as small as its start.

    Of lengths between the size of q0 and one, the one over which second differences of φ with
    increments h and 2h agree best: where they are too long for φ, or so short that rounding is all
    that is left, they do not. One stays one unless another is ten times better; and what is very
    small stays so where φ bends over that, too.
    """
    q0, size = scales.at, float(np.abs(scales.at).max(initial=0.0))
    if not 0.0 < size < SMALL or not np.isfinite(q0).all():
        return scales
    lengths = [1.0]
    while lengths[-1] > size:
        lengths.append(lengths[-1] / LADDER)
    lengths[-1] = float(power_of_two(size))
    looks = [_disagreement(phi, q0, length) for length in lengths]
    misses = [miss for miss, _ in looks]
    best, (miss, bent) = int(np.argmin(misses)), looks[-1]
    found = 1.0 if misses[0] <= 10.0 * misses[best] else lengths[best]
    if size < 1.0 / ORDINARY and bent > 0.0 and miss <= SEEN * bent:
        found = lengths[-1]
    return Scales(np.full(q0.size, found), np.full(scales.v.size, found), q0)


def _disagreement(phi: Callable[[FloatArray], Any], q: FloatArray, length: float) -> tuple[float, float]:
    """How much second differences of φ over this length differ from those over twice of it, and how
    large they are; per unit of length²."""
    d, h = np.cos(np.arange(q.size)), EPS**0.25 * length

    def second(h: float) -> FloatArray:
        ahead, here, behind = (np.asarray(phi(q + s * h * d), dtype=np.float64) for s in (1.0, 0.0, -1.0))
        return (ahead - 2.0 * here + behind) / (h * h)

    try:
        near, far = second(h), second(2.0 * h)
    except (ArithmeticError, ValueError):  # of functions that are not defined there
        return np.inf, 0.0
    miss, bent = float(np.abs(near - far).max()), float(np.abs(near).max())
    return (miss, bent) if np.isfinite(miss) else (np.inf, 0.0)


class Algebraic(Protocol):
    """A system with algebraic unknowns."""

    z0: FloatArray


class Weights(NamedTuple):
    """What kernels multiply by before they compare: components of q and of v; sizes of rows; sizes
    of unknowns and equations of the matrix of a step, velocities first, then all rows; the smallest
    entry of D M D that is not zero."""

    q: FloatArray
    v: FloatArray
    rows: FloatArray
    matrix: FloatArray
    inertia: float


def weights(ask: Questions, t: float) -> Weights:
    """The weights of a system, whose rows are looked at once where nothing is known of their
    sizes."""
    system = ask.system
    s: Scales = system.scales
    by_q, by_v, rows, shared, inertia = unlooked(system)
    matrix = shared.copy()
    still, known = np.zeros(system.nv), not ask.model.traits & GENERAL
    if ask.model.traits & KNOWS_MASS and known:
        entries = np.abs(ask.mass(t, s.at, still).diagonal()) * s.v**2
        inertia = float(entries[entries > 0.0].min(initial=np.inf))
        inertia = inertia if np.isfinite(inertia) else 0.0
        if system.m:
            found = row_sizes(ask.G(t, s.at, still), s.v)
            rows, matrix[system.nv :] = (found if s.rows is None else s.rows), largest_or_one(entries) / found
    if system.m and not known:
        matrix[system.nv :] = 1.0 / algebraic_row_sizes(ask, t)
    return Weights(by_q, by_v, rows, matrix, inertia)


def unlooked(system: System) -> Weights:
    """Weights of a system before its rows were looked at; all its runs share them."""
    return _unlooked(system.scales, system.m)


@lru_cache(maxsize=64)
def _unlooked(s: Scales, m: int) -> Weights:
    return Weights(1.0 / s.q, 1.0 / s.v, np.ones(m), np.concatenate([s.v, np.ones(m)]), 0.0)


def row_sizes(G: Matrix, v: FloatArray) -> FloatArray:
    """Powers of two near max_j |G_kj| v_j; rows of nothing, and what is not a number, get the
    largest of the others."""
    found = np.zeros(G.shape[0])
    if sp.issparse(G):
        np.maximum.at(found, np.repeat(np.arange(found.size), np.diff(G.indptr)), np.abs(G.data) * v[G.indices])
    else:
        found = np.abs(G * v).max(axis=1, initial=0.0)
    good = np.isfinite(found) & (found > 0.0)
    if good.all():
        return np.asarray(power_of_two(found))
    sizes = np.full(found.size, largest_or_one(found[good]))
    sizes[good] = power_of_two(found[good])
    return sizes


def algebraic_row_sizes(ask: Questions, t: float) -> FloatArray:
    """Slopes of rows c(s, z, t) at the start by s, of those without any by z; powers of two, one
    where they are ordinary."""
    s, z, q = ask.system.v0, cast(Algebraic, ask.system).z0, ask.system.q0
    here = ask.velocity(t, q, s, z)

    def slopes(x: FloatArray, rows: Callable[[FloatArray], FloatArray]) -> FloatArray:
        h = NEAR * (float(np.abs(x).max(initial=0.0)) or 1.0)
        return np.array([rows(x + h * d) - here for d in np.eye(x.size)]).T / h

    found = slopes(s, lambda y: ask.velocity(t, q, y, z))
    empty = ~(np.abs(found).max(axis=1, initial=0.0) > 0.0)
    sizes = row_sizes(found, np.ones(s.size))
    if empty.any():
        sizes[empty] = row_sizes(slopes(z, lambda y: ask.velocity(t, q, s, y)), np.ones(z.size))[empty]
    return np.where((sizes >= 1.0 / ORDINARY) & (sizes <= ORDINARY), 1.0, sizes)


def largest_or_one(x: FloatArray) -> float:
    """The power of two near the largest number; one where there is none."""
    x = x[np.isfinite(x) & (x > 0.0)]
    return float(power_of_two(x.max())) if x.size else 1.0


def reach(system: System, q: FloatArray) -> float:
    """How large q is beside typical sizes; at least one."""
    return max(1.0, float((np.abs(q) / system.scales.q).max(initial=0.0)))


def pace(system: System, v: FloatArray) -> float:
    """How fast typical sizes are passed, 1/s."""
    return float((np.abs(v) / system.scales.v).max(initial=0.0))


def sizes_of_rows(system: System, G: Matrix) -> FloatArray:
    """Typical sizes of rows: those that are known; else, and of rows beside those of the system,
    from G."""
    known: FloatArray | None = system.scales.rows
    if known is not None and G.shape[0] <= known.size:
        return known[: G.shape[0]]
    found = row_sizes(G, system.scales.v)
    if known is not None:
        found[: known.size] = known
    return found


def natural_pace(ask: Questions, t: float, q: FloatArray, v: FloatArray) -> float:
    """How fast a system passes typical sizes, 1/s, by velocities and forces of a state; a power of
    two, one where it rests without any."""
    sizes, still = ask.system.scales.v, np.zeros(v.size)
    mass = np.abs(ask.mass(t, q, v).diagonal())
    force = np.abs(ask.balance(t, q, v, still))
    a = np.divide(force, mass, out=np.zeros(v.size), where=mass > 0.0)
    rate = max(pace(ask.system, v), float(np.sqrt(a / sizes).max(initial=0.0)))
    return float(power_of_two(rate)) if np.isfinite(rate) and rate > 0.0 else 1.0


def sizes_of_start(s: FloatArray, rate: FloatArray, span: float) -> FloatArray:
    """Sizes of the components of a first-order system: one, unless start and rate are far smaller
    than that; of what begins as nothing, that of the largest."""
    found = np.maximum(np.abs(s), np.abs(rate) * span)
    found = np.where(found > 0.0, found, found.max())
    small = (found > 0.0) & (found < 1.0 / ORDINARY)
    return np.where(small, power_of_two(np.where(small, found, 1.0)), 1.0)


def ordinary_or(x: float) -> float:
    """One for sizes that are not far from it, x itself for others."""
    return 1.0 if 1.0 / ORDINARY <= x <= ORDINARY else x
