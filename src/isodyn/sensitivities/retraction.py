"""The tangent of q ⊕ d: for rotations q ⊕ d = q exp(d) in the body's own frame, sums elsewhere.

(q ⊕ εδq) ⊕ (d + εδd) = (q ⊕ d) ⊕ ε(A δq + T δd) + O(ε²)
exponential     A = exp(−d~),   T = 1 − (1 − cos θ)/θ² d~ + (θ − sin θ)/θ³ d~²,   θ = |d|
Cayley          A = cay(−d~),   T = (1 − d~/2)/(1 + θ²/4)
"""

from __future__ import annotations

import numpy as np

from isodyn.kernels.compiled import FloatArray, kernel
from isodyn.kernels.lowering import natural
from isodyn.sensitivities.memory import Linear

SMALL = 1e-2  # of an angle: series below it


@kernel()
def factors(angle: float) -> tuple[float, float, float]:
    """sin θ/θ, (1 − cos θ)/θ², (θ − sin θ)/θ³."""
    s = angle * angle
    if angle < SMALL:
        return (
            1.0 - s / 6.0 * (1.0 - s / 20.0 * (1.0 - s / 42.0)),
            0.5 * (1.0 - s / 12.0 * (1.0 - s / 30.0 * (1.0 - s / 56.0))),
            (1.0 - s / 20.0 * (1.0 - s / 42.0 * (1.0 - s / 72.0))) / 6.0,
        )
    half = np.sin(0.5 * angle) / (0.5 * angle)
    return np.sin(angle) / angle, 0.5 * half * half, (angle - np.sin(angle)) / (s * angle)


@kernel()
def put_tangent(d: FloatArray, i: int, cayley: bool, A: FloatArray, T: FloatArray) -> None:
    """A and T for the rotation vector d[i:i+3]."""
    x, y, z = d[i], d[i + 1], d[i + 2]
    s = x * x + y * y + z * z
    if cayley:
        w = 1.0 / (1.0 + 0.25 * s)
        a_1, a_2, t_0, t_1, t_2 = w, 0.5 * w, w, 0.5 * w, 0.0
    else:
        a_1, a_2, t_2 = factors(np.sqrt(s))
        t_0, t_1 = 1.0, a_2
    v = (x, y, z)
    for r in range(3):
        for c in range(3):
            square = v[r] * v[c] - (s if r == c else 0.0)  # of d~
            A[r, c] = (1.0 if r == c else 0.0) + a_2 * square
            T[r, c] = (t_0 if r == c else 0.0) + t_2 * square
    for r in range(3):
        c, k = (r + 1) % 3, (r + 2) % 3
        # d~[r, c] = −v[k]
        A[r, c] += a_1 * v[k]
        A[c, r] -= a_1 * v[k]
        T[r, c] += t_1 * v[k]
        T[c, r] -= t_1 * v[k]


@kernel()
def put_tangents(linear: Linear, d: FloatArray, A: FloatArray, T: FloatArray) -> None:
    """A and T of all rotations for the increment d."""
    for k in range(linear.rotations.size):
        put_tangent(d, natural(linear.rotations[k]), linear.cayley == 1, A[k], T[k])


@kernel()
def move_tangent(linear: Linear, A: FloatArray, T: FloatArray, dq: FloatArray, dd: FloatArray, out: FloatArray) -> None:
    """out = A δq + T δd."""
    for i in range(out.size):
        out[i] = dq[i] + dd[i]
    for k in range(linear.rotations.size):
        first = natural(linear.rotations[k])
        for r in range(3):
            total = 0.0
            for c in range(3):
                total += A[k, r, c] * dq[first + c] + T[k, r, c] * dd[first + c]
            out[first + r] = total


@kernel()
def move_back(linear: Linear, A: FloatArray, w: FloatArray, out: FloatArray) -> None:
    """out = Aᵀw, or Tᵀw with T in the place of A."""
    for i in range(out.size):
        out[i] = w[i]
    for k in range(linear.rotations.size):
        first = natural(linear.rotations[k])
        for c in range(3):
            total = 0.0
            for r in range(3):
                total += A[k, r, c] * w[first + r]
            out[first + c] = total
