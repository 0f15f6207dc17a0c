"""Positions on φ = 0 from far away, and the freedoms left there.

Steps of least mass norm, d = −M⁻¹Gᵀ(G M⁻¹Gᵀ + μ D)⁻¹φ, D the diagonal of G M⁻¹Gᵀ and μ ~ |φ|²
(Levenberg and Marquardt): off the manifold more rows are independent than on it, and μ keeps those
from driving the iteration away; near it the steps become Newton's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from isodyn.errors import ConflictError, ConvergenceError
from isodyn.kernels.compiled import FloatArray
from isodyn.linear_solvers.rows import TOLERANCE
from isodyn.systems.base import System
from isodyn.systems.questions import Questions
from isodyn.systems.scales import reach, sizes_of_rows

ROUNDING = 1e-14  # gaps below this, relative to sizes of rows and q, are rounding
FLOOR = 1e-12  # smallest μ
LIGHTEST = 1e-6  # of the heaviest: lighter components of v take no larger part in steps
CONFLICT = 1e-7  # dependent rows that are off by more than this do not hold


class Closed(NamedTuple):
    """A position, the gaps that its holonomic rows still have, and the number of steps taken."""

    q: FloatArray
    gap: FloatArray
    steps: int
    sizes: FloatArray  # of the rows, with that of q

    @property
    def relative(self) -> FloatArray:
        """Gaps in units of their rows and of the size of q (isodyn.systems.scales)."""
        return np.abs(self.gap) / self.sizes[: self.gap.size]

    @property
    def largest(self) -> float:
        """The largest relative gap."""
        return float(self.relative.max(initial=0.0))


def norm(system: System, M: FloatArray) -> FloatArray:
    """The mass matrix as a norm of steps: what is lighter than LIGHTEST counts as much.

    Links without mass, which a robot may have between two joints, would take all of a step upon
    themselves, and hide everything else in the rounding.
    """
    sizes = system.scales.v
    weights = np.diag(M) * sizes**2
    missing = np.maximum(LIGHTEST * weights.max(initial=0.0) - weights, 0.0)
    return M + np.diag(missing / sizes**2) if missing.any() else M


def moving(system: System) -> Callable[..., FloatArray]:
    """(q, d) → q ⊕ d."""
    return system.retract or (lambda q, d: q + d)


def close(
    ask: Questions,
    t: float,
    q: FloatArray,
    *,
    held: FloatArray | None = None,
    extra: Callable[[FloatArray], tuple[FloatArray, FloatArray]] | None = None,
    most: int = 200,
) -> Closed:
    """The position that the holonomic rows lead to from q; components of v marked in `held` do not
    move.

    `extra(q)` may bring further rows as (gap, matrix).
    """
    move, v = moving(ask.system), np.zeros(ask.system.nv)
    free = np.ones(v.size) if held is None else 1.0 - held

    def rows(q: FloatArray) -> tuple[FloatArray, FloatArray]:
        phi = ask.position(t, q, v)
        G = ask.G(t, q, v)[: phi.size]
        if extra is None:
            return phi, G
        gap, more = extra(q)
        return np.concatenate([phi, gap]), np.vstack([G, more])

    phi, G = rows(q)
    steps, mu_by_gap, sizes = 0, 1.0, sizes_of_rows(ask.system, G)
    while steps < most and (np.abs(phi) / sizes).max(initial=0.0) > ROUNDING * reach(ask.system, q):
        eased = free[:, None] * np.linalg.solve(norm(ask.system, ask.mass(t, q, v)), (G * free).T)
        A = G @ eased
        scale = 1.0 / np.sqrt(np.maximum(np.diag(A), 1e-12 * np.diag(A).max()))
        values, vectors = np.linalg.eigh(scale[:, None] * A * scale)
        size, square = float(np.linalg.norm(scale * phi)), min(1.0, float((phi / sizes) @ (phi / sizes)))
        while True:
            mu = max(FLOOR, mu_by_gap * square)
            d = -eased @ (scale * (vectors @ (vectors.T @ (scale * phi) / (np.maximum(values, 0.0) + mu))))
            try:
                trial = move(q, d)
                new, matrix = rows(trial)
                better = bool(np.linalg.norm(scale * new) < (1 - 1e-4) * size)
            except ConvergenceError:  # an angle turned by more than can be told: a shorter step
                better = False
            if better or mu > 1e6:
                break
            mu_by_gap = 10.0 * mu / square
        if not better:
            break
        q, phi, G, steps, mu_by_gap = trial, new, matrix, steps + 1, max(1e-6, mu_by_gap / 10.0)
    return Closed(q, phi, steps, sizes * reach(ask.system, q))


def freedoms(G: FloatArray, sizes: FloatArray) -> tuple[FloatArray, FloatArray, int]:
    """N spanning G v = 0, the singular values of G D with rows of unit length, and its rank.

    `sizes` are typical ones of v, D = diag(sizes); D⁻¹N has orthonormal columns.
    """
    m, _ = G.shape
    if m == 0:
        return np.diag(sizes), np.zeros(0), 0
    G = G * sizes
    length = np.linalg.norm(G, axis=1)
    _, values, right = np.linalg.svd(G / np.where(length > 0, length, 1.0)[:, None])
    rank = int((values > TOLERANCE * max(values[0], 1e-300)).sum())
    return sizes[:, None] * right[rank:].T, values, rank


def refuse_open(ask: Questions, t: float, closed: Closed) -> None:
    """ConflictError for rows that stay open, naming the worst."""
    off = closed.relative
    if closed.largest > CONFLICT:
        worst = np.argsort(-off)[:3]
        names = ask.system.row_names
        left = ", ".join(f"{names[i]!r} by {closed.gap[i]:.3g}" for i in worst if off[i] > CONFLICT)
        raise ConflictError(
            f"the constraints cannot be closed from this start at t = {t:.6g}: after {closed.steps} steps they are open: {left}",
            hint="check lengths and points of these; or start nearer to the wanted position",
        )
