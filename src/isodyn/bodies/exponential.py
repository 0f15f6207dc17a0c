"""Rotation vectors and the tangent of the exponential map.

    R = exp ϖ~,    ω_body = T(ϖ) ϖ̇,    ω_world = T(ϖ)ᵀ ϖ̇
    T   = I − c₂ ϖ~ + c₃ ϖ~²          T⁻¹ = I + ½ ϖ~ + (c₃ − 2c₄)/(2c₂) ϖ~²          singular at |ϖ| = 2π, 4π, …

in Stumpff's functions of x = |ϖ|²,

    c_k = 1/k! − x/(k+2)! + x²/(k+4)! − …,     c_k = 1/k! − x c_{k+2},     dc_k/dx = ½ (k c_{k+2} − c_{k+1}),

which are smooth through ϖ = 0: the series serves up to x = 1, closed forms from there on. All
functions take one vector or a history of them.
"""

from __future__ import annotations

from math import factorial, pi

import numpy as np

from isodyn.errors import SingularError
from isodyn.kernels.compiled import FloatArray

_TERMS = 11  # 1/(2·11 + 2)! is below rounding
SINGULAR = 1e-6  # radians from 2π at which T counts as singular


def stumpff(k: int, x: FloatArray) -> FloatArray:
    """c_k(x) for x ≥ 0, k ≥ 0."""
    x = np.asarray(x, dtype=np.float64)
    small = np.minimum(x, 1.0)
    series = np.zeros_like(x)
    for j in reversed(range(_TERMS)):
        series = 1.0 / factorial(2 * j + k) - small * series
    return np.where(x < 1.0, series, _closed(k, np.maximum(x, 1.0)))


def _closed(k: int, x: FloatArray) -> FloatArray:
    """c_k(x) for x ≥ 1: cos √x, sin √x/√x, and upwards by the recursion."""
    root = np.sqrt(x)
    if k == 0:
        return np.asarray(np.cos(root))
    if k == 1:
        return np.asarray(np.sin(root) / root)
    return np.asarray((1.0 / factorial(k - 2) - _closed(k - 2, x)) / x)


def _stumpff_slope(k: int, x: FloatArray) -> FloatArray:
    """dc_k/dx."""
    return 0.5 * (k * stumpff(k + 2, x) - stumpff(k + 1, x))


def tilde(x: FloatArray) -> FloatArray:
    """x~ with x~ y = x × y; one vector or many."""
    x = np.asarray(x, dtype=np.float64)
    out = np.zeros((*x.shape, 3))
    out[..., 2, 1], out[..., 0, 2], out[..., 1, 0] = x[..., 0], x[..., 1], x[..., 2]
    return out - np.swapaxes(out, -1, -2)


def dexp(turn: FloatArray) -> FloatArray:
    """T(ϖ) with ω_body = T ϖ̇; its transpose gives ω_world."""
    w = tilde(turn)
    x = _square(turn)
    return np.eye(3) - stumpff(2, x) * w + stumpff(3, x) * (w @ w)


def dexp_inverse(turn: FloatArray) -> FloatArray:
    """T(ϖ)⁻¹ with ϖ̇ = T⁻¹ ω_body; SingularError near |ϖ| = 2π, 4π, …."""
    w, x = tilde(turn), _square(turn)
    angle = np.sqrt(x)
    away = np.where(angle > pi, np.abs(angle - 2 * pi * np.round(angle / (2 * pi))), pi)
    if np.any(away < SINGULAR):
        raise SingularError(
            f"the rate of a rotation vector is not determined at a whole turn: {float(away.min()):.2g} rad from it",
            hint="take the vector of the shorter way, |ϖ| ≤ π",
        )
    return np.eye(3) + 0.5 * w + (stumpff(3, x) - 2.0 * stumpff(4, x)) / (2.0 * stumpff(2, x)) * (w @ w)


def dexp_rate(turn: FloatArray, rate: FloatArray) -> FloatArray:
    """Ṫ along ϖ̇ = rate, so that ω̇_body = T ϖ̈ + Ṫ ϖ̇."""
    w, u, x = tilde(turn), tilde(rate), _square(turn)
    x_dot = 2.0 * np.sum(np.asarray(turn) * np.asarray(rate), axis=-1)[..., None, None]
    bent = w @ u + u @ w
    return (
        x_dot * (_stumpff_slope(3, x) * (w @ w) - _stumpff_slope(2, x) * w) + stumpff(3, x) * bent - stumpff(2, x) * u
    )


def quaternion_of_vector(turn: FloatArray) -> FloatArray:
    """exp(ϖ/2), scalar first."""
    turn = np.asarray(turn, dtype=np.float64)
    x = 0.25 * np.sum(turn**2, axis=-1, keepdims=True)
    # [Shimada2014 (5.106)]
    return np.concatenate([stumpff(0, x), 0.5 * stumpff(1, x) * turn], axis=-1)


def _square(turn: FloatArray) -> FloatArray:
    return np.asarray(np.sum(np.asarray(turn, dtype=np.float64) ** 2, axis=-1)[..., None, None])
