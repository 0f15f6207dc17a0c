"""Three successive rotations about body axes i, j, k: quaternion and rate map, in lines that serve
one state and whole histories.

    R = R_i(α) R_j(β) R_k(γ),     ω_body = E (α̇, β̇, γ̇),     ω̇_body = E (α̈, β̈, γ̈) + Ė (α̇, β̇, γ̇)

Columns of E are the three axes of rotation in the last frame. With e_n the axis besides e_i and
e_j, e_i × e_j = σ e_n, sets of the first kind come back to the first axis (k = i, det E = ∓ sin β),
those of the second kind take the third one (k = n, det E = ∓ cos β).

Compiled code calls the functions with vectors; `angles.py` calls the same lines with arrays of
shape (3, …) by `plain`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from isodyn.kernels.compiled import FloatArray, kernel


def plain(function: Any) -> Callable[..., None]:
    """The Python function behind a kernel, for arithmetic on arrays."""
    return function if numba.config.DISABLE_JIT else function.py_func


@kernel()
def angle_quaternion(i: int, j: int, k: int, x: FloatArray, e: FloatArray) -> None:
    """e = (ε₀, η) of the angles x = (α, β, γ)."""
    n, sign = 3 - i - j, 1.0 if (j - i) % 3 == 1 else -1.0
    ca, cb, cg = np.cos(0.5 * x[0]), np.cos(0.5 * x[1]), np.cos(0.5 * x[2])
    sa, sb, sg = np.sin(0.5 * x[0]), np.sin(0.5 * x[1]), np.sin(0.5 * x[2])
    if k == i:
        e[0] = cb * (ca * cg - sa * sg)
        e[1 + i] = cb * (sa * cg + ca * sg)
        e[1 + j] = sb * (ca * cg + sa * sg)
        e[1 + n] = sign * sb * (sa * cg - ca * sg)
    else:
        e[0] = ca * cb * cg - sign * sa * sb * sg
        e[1 + i] = sa * cb * cg + sign * ca * sb * sg
        e[1 + j] = ca * sb * cg - sign * sa * cb * sg
        e[1 + n] = sign * sa * sb * cg + ca * cb * sg


@kernel()
def angle_map(i: int, j: int, k: int, x: FloatArray, E: FloatArray) -> None:
    """E, row by row."""
    n, sign = 3 - i - j, 1.0 if (j - i) % 3 == 1 else -1.0
    cb, cg, sb, sg = np.cos(x[1]), np.cos(x[2]), np.sin(x[1]), np.sin(x[2])
    for m in range(9):
        E[m] = 0.0
    if k == i:  # the inverse of [Shimada2014 (3.221)] for 3-1-3
        E[3 * i], E[3 * j], E[3 * n] = cb, sb * sg, sign * sb * cg
        E[3 * j + 1], E[3 * n + 1] = cg, -sign * sg
    else:
        E[3 * i], E[3 * j], E[3 * n] = cb * cg, -sign * cb * sg, sign * sb
        E[3 * i + 1], E[3 * j + 1] = sign * sg, cg
    E[3 * k + 2] = 1.0


@kernel()
def angle_map_rate(i: int, j: int, k: int, x: FloatArray, u: FloatArray, E: FloatArray) -> None:
    """Ė along the rates u, row by row."""
    n, sign = 3 - i - j, 1.0 if (j - i) % 3 == 1 else -1.0
    cb, cg, sb, sg = np.cos(x[1]), np.cos(x[2]), np.sin(x[1]), np.sin(x[2])
    b, g = u[1], u[2]
    for m in range(9):
        E[m] = 0.0
    if k == i:
        E[3 * i], E[3 * j], E[3 * n] = -sb * b, cb * sg * b + sb * cg * g, sign * (cb * cg * b - sb * sg * g)
        E[3 * j + 1], E[3 * n + 1] = -sg * g, -sign * cg * g
    else:
        E[3 * i], E[3 * j], E[3 * n] = -sb * cg * b - cb * sg * g, sign * (sb * sg * b - cb * cg * g), sign * cb * b
        E[3 * i + 1], E[3 * j + 1] = sign * cg * g, -sg * g
