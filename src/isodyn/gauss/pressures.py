"""How hard sliding contacts press: x = |N|, N = N⁰ + W x, one block of rows of N for each contact.

one row each          σ x = N⁰ + W x with the signs σ of N: a linear system
one, several rows     |N⁰ + w x|² = x²: a quadratic
several, of rows many x = |N⁰ + W x| by iteration, where that contracts
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isodyn.errors import PainleveError
from isodyn.linear_solvers.rank import FloatArray

Blocks = list[tuple[FloatArray, FloatArray]]


def pressures(blocks: Blocks, signs: Sequence[int]) -> list[FloatArray]:
    """Every x for the signs of N; several, or none, where the equations say so."""
    if all(N0.size == 1 for N0, _ in blocks):
        N0 = np.concatenate([N0 for N0, _ in blocks])
        W = np.concatenate([W for _, W in blocks])
        try:
            return [np.linalg.solve(np.diag(np.array(signs, dtype=np.float64)) - W, N0)]
        except np.linalg.LinAlgError:
            return []
    if len(blocks) == 1:
        N0, w = blocks[0][0], blocks[0][1][:, 0]
        return [np.array([x]) for x in positive_roots(float(w @ w) - 1.0, 2.0 * float(N0 @ w), float(N0 @ N0))]
    return [contraction(blocks)]


def positive_roots(a: float, b: float, c: float) -> list[float]:
    """Roots x ≥ 0 of a x² + b x + c = 0, without cancellation."""
    if abs(a) <= 1e-14:
        return [-c / b] if b != 0.0 and -c / b >= 0.0 else ([0.0] if c == 0.0 else [])
    discriminant = b * b - 4.0 * a * c
    if discriminant < 0.0:
        return []
    root = -0.5 * (b + (np.sqrt(discriminant) if b >= 0.0 else -np.sqrt(discriminant)))
    roots = {float(root / a), float(c / root) if root != 0.0 else 0.0}
    return sorted(x for x in roots if x >= 0.0)


def contraction(blocks: Blocks) -> FloatArray:
    """x = |N⁰ + W x|, block by block, where the right-hand side contracts: then there is one
    solution, and iteration finds it."""
    bound = np.array([[np.linalg.norm(W[:, j]) for j in range(len(blocks))] for _, W in blocks])
    if np.linalg.norm(bound, 2) >= 1.0:
        raise PainleveError(
            "friction at several contacts, one of them of several rows, is too strong to tell its solutions apart",
            hint="reduce mu, or give every contact one row",
        )
    x = np.array([np.linalg.norm(N0) for N0, _ in blocks])
    for _ in range(10_000):
        new = np.array([np.linalg.norm(N0 + W @ x) for N0, W in blocks])
        if np.abs(new - x).max() <= 4e-16 * np.abs(new).max(initial=1e-300):
            return new
        x = new
    return x
