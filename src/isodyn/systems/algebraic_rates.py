"""Rates z' of algebraic unknowns, s' = h(s, z, t), 0 = c(s, z, t), from derivatives of the
equations.

Along the motion c vanishes, with all its derivatives. Let N hold the combinations of rows that are
free of z at a state, Nᵀ ∂c/∂z = 0, and R the others. With ζ = z',

    z(τ) = z + ζτ,      s(τ) = s + h τ + ½ (dh/dτ) τ²,
    d/dτ Rᵀc(s(τ), z(τ), t + τ) = 0,      d²/dτ² Nᵀc(s(τ), z(τ), t + τ) = 0      at τ = 0

are as many equations as unknowns ζ. Nothing else enters: the second derivative of z stands beside
Nᵀ ∂c/∂z. They determine ζ of index 1 (N is empty) and 2 [Shimada2014 (3.202) adapted]. Derivatives
are differences of sixth order, so that ζ is as good as s and z are: second order in the step.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from isodyn.kernels.compiled import FloatArray
from isodyn.systems import differences
from isodyn.systems.derivative_chain import RowsFunction, equilibrated

RANK = 1e-8  # singular values below this, relative, are none
REACH = 2e-3  # of the time in which s changes by its own size, for first derivatives …
REACH_TWICE = 8e-3  # … and for second ones
CHANGES = 8  # most steps for ζ; one is enough where N does not turn
NEGLIGIBLE = 1e-9  # of the largest entry of the matrix: residuals that are rounding


def rate_of_z(
    h: RowsFunction, c: RowsFunction, t: float, s: FloatArray, z: FloatArray, longest: float
) -> FloatArray | None:
    """z' at a state of index 1 or 2; None where these equations do not determine it. `longest` is a
    time over which h and c are smooth."""
    s_rate, sizes = h(s, z, t), np.maximum(np.abs(z), 1e-3 * max(1.0, float(np.abs(z).max())))
    along = (partial(_shifted, lambda y: c(s, y, t), z, d) for d in np.diag(sizes))
    weights, scaled = equilibrated(np.array([differences.first(f, 1e-3) for f in along]).T)
    if not np.isfinite(scaled).all():
        return None
    left, values, _ = np.linalg.svd(scaled)
    rank = int((values > RANK * values[0]).sum()) if values[0] > 0.0 else 0
    R, N = (weights[:, None] * part for part in (left[:, :rank], left[:, rank:]))
    speed = float(np.abs(s_rate).max())
    tau = min(longest, max(float(np.abs(s).max()), 1e-12) / speed) if speed > 0.0 else longest

    def residual(x: FloatArray) -> FloatArray:
        rate = sizes * x / tau
        bend = differences.first(lambda k: h(s + k * tau * s_rate, z + k * tau * rate, t + k * tau), REACH)

        def rows(k: float) -> FloatArray:
            e = k * tau
            return c(s + e * s_rate + 0.5 * k * e * bend, z + e * rate, t + e)

        once = R.T @ differences.first(rows, REACH)
        return np.concatenate([once, N.T @ differences.second(rows, REACH_TWICE)]) if rank < z.size else once

    return _root(residual, z.size, sizes / tau)


def _root(residual: Callable[[FloatArray], FloatArray], m: int, unit: FloatArray) -> FloatArray | None:
    """ζ in its units, from zero by steps with one matrix: exact at once where the equations are
    affine in ζ."""
    x, r = np.zeros(m), residual(np.zeros(m))
    matrix = np.array([residual(e) - r for e in np.eye(m)]).T
    if not (np.isfinite(r).all() and np.isfinite(matrix).all()):
        return None
    weights, scaled = equilibrated(matrix)
    values = np.linalg.svd(scaled, compute_uv=False)
    if values[-1] <= RANK * values[0]:
        return None
    for _ in range(CHANGES):
        change = np.linalg.solve(weights[:, None] * matrix, weights * r)
        x = x - change
        r = residual(x)
        if np.abs(weights * r).max() <= NEGLIGIBLE * float(np.abs(weights[:, None] * matrix).max()):
            break
    return np.asarray(x * unit)


def _shifted(f: Callable[[FloatArray], FloatArray], y: FloatArray, d: FloatArray, k: float) -> FloatArray:
    return f(y + k * d)
