"""What rows leave in v however long Radau IIA iterates: noise of differences, and rounding.

Rows add velocities of all sizes. A component that is far smaller than others in the same row is
known no better than these, so that errors below are not asked for.
"""

from __future__ import annotations

import numpy as np

from isodyn.kernels.compiled import FloatArray, kernel
from isodyn.kernels.lowering import natural
from isodyn.stepping.memory import EPS
from isodyn.stepping.radau_memory import Collocation

ABOVE_NOISE = 10.0  # errors allowed, beside what rows carry
OF_ROWS = 100.0  # units of the last place of the speed that rounding of rows may leave in v, …
AT_MOST = 0.1  # … of the errors allowed


@kernel()
def noise(own: Collocation, carried: float, by_v: FloatArray) -> float:
    """What rows carry, in errors allowed; these are far larger than that from now on."""
    total, n, nq = 0.0, natural(own.v_0.size), natural(own.q_0.size)
    for j in range(n):
        own.scale[nq + j] = max(own.scale[nq + j], ABOVE_NOISE * carried / by_v[j])
        total += (carried / by_v[j] / own.scale[nq + j]) ** 2
    return np.sqrt(total / n)


@kernel()
def rounding_of_rows(own: Collocation, fast: float, by_v: FloatArray) -> float:
    """What rounding of the rows may leave in v, in errors allowed, which are no less: where
    components are far smaller than others in the same rows, it is more than rounding of
    themselves."""
    total, n, nq = 0.0, natural(own.v_0.size), natural(own.q_0.size)
    for j in range(n):
        left = OF_ROWS * EPS * fast / by_v[j]
        own.scale[nq + j] = max(own.scale[nq + j], left)
        total += (left / own.scale[nq + j]) ** 2
    return min(np.sqrt(total / n), AT_MOST)
