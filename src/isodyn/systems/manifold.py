"""Positions on φ = 0 from far away, and the freedoms left there.

Steps of least mass norm, d = −M⁻¹Gᵀ(G M⁻¹Gᵀ + μ D)⁻¹φ, D the diagonal of G M⁻¹Gᵀ and μ ~ |φ|² (Levenberg and Marquardt): off the
manifold more rows are independent than on it, and μ keeps those from driving the iteration away; near it the steps become Newton's.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from isodyn.compiled import FloatArray
from isodyn.errors import ConvergenceError
from isodyn.linear_solvers.rows import TOLERANCE
from isodyn.systems.questions import Questions

ROUNDING = 1e-14  # gaps below this, relative to the size of q, are rounding
FLOOR = 1e-12  # smallest μ


class Closed(NamedTuple):
    """A position, the gaps that its holonomic rows still have, and the number of steps taken."""

    q: FloatArray
    gap: FloatArray
    steps: int

    @property
    def largest(self) -> float:
        return float(np.abs(self.gap).max(initial=0.0))


def moving(system: Any) -> Any:
    """(q, d) → q ⊕ d."""
    return system.retract or (lambda q, d: q + d)


def close(
    ask: Questions, t: float, q: FloatArray, *, held: FloatArray | None = None, extra: Any = None, most: int = 200
) -> Closed:
    """The position that the holonomic rows lead to from q; components of v marked in `held` do not move.

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
    steps, mu_by_gap = 0, 1.0
    while steps < most and np.abs(phi).max(initial=0.0) > ROUNDING * max(1.0, float(np.abs(q).max())):
        eased = free[:, None] * np.linalg.solve(ask.mass(t, q, v), (G * free).T)
        A = G @ eased
        scale = 1.0 / np.sqrt(np.maximum(np.diag(A), 1e-12 * np.diag(A).max()))
        values, vectors = np.linalg.eigh(scale[:, None] * A * scale)
        size, square = float(np.linalg.norm(scale * phi)), min(1.0, float(phi @ phi))
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
    return Closed(q, phi, steps)


def freedoms(G: FloatArray) -> tuple[FloatArray, FloatArray, int]:
    """N with orthonormal columns spanning G v = 0, the singular values of G with rows of unit length, and its rank."""
    m, n = G.shape
    if m == 0:
        return np.eye(n), np.zeros(0), 0
    length = np.linalg.norm(G, axis=1)
    _, values, right = np.linalg.svd(G / np.where(length > 0, length, 1.0)[:, None])
    rank = int((values > TOLERANCE * max(values[0], 1e-300)).sum())
    return right[rank:].T, values, rank
