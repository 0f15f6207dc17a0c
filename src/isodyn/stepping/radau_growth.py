"""What an accepted step of Radau IIA tells of the next one: polynomials through its stages, and how
much longer that may be.

Steps grow by what the last two errors say [Hairer1996 (IV.8.25)]. The embedded error is filtered,
and does not see how a stiff component moves that follows a load: ends of steps are good there,
however long these are, but not what lies between them. That shows where the polynomial of a step
goes on into the step before: with p of this step, p₀ of the one before, and the place x of the
second node of that,

    d = (p(x) − p₀(x)) max |ω| / |ω(x)|,        ω(s) = s (s − c₁) (s − c₂) (s − 1),  |ω| between 0 and 1,

is about what p misses between stages. d does not reject a step, since it is large too where a fast
part is damped; it bounds the next one.
"""

from __future__ import annotations

import numpy as np

from isodyn.kernels.compiled import FloatArray, kernel
from isodyn.kernels.lowering import natural
from isodyn.stepping.memory import EPS, State
from isodyn.stepping.radau_memory import BENT, NODES, STAGES, TO_POWERS, Collocation
from isodyn.stepping.told_step import LEAST

MOST_ITERATIONS = 8
LEAST_ERROR = 1e-2  # smaller ones of the last step say nothing about the next
RELAXED = 1.05  # how much the bound of steps after one that did not converge grows with every step, at least
CALM = 0.1  # contraction with which it grows no more than that; the faster the iteration, the more
SAFETY = 0.9
SECOND = float(NODES[1])  # of the step before: where polynomials are compared
BETWEEN = np.linspace(0.0, 1.0, 1001)
WIDEST = float(np.abs(BETWEEN * (BETWEEN - NODES[:, None]).prod(axis=0)).max())


@kernel()
def at(powers: FloatArray, j: int, x: float) -> float:
    """Polynomial j at x."""
    found = 0.0
    for k in range(STAGES, -1, -1):
        found = found * x + powers[k, j]
    return found


@kernel()
def bent(x: float) -> float:
    """What the embedded error adds to the polynomials at x, as a part of it."""
    found = 0.0
    for k in range(STAGES + 1, -1, -1):
        found = found * x + BENT[k]
    return found


@kernel()
def remember(own: Collocation, h: float, error: float, lam: FloatArray) -> None:
    """Polynomials through the stages of an accepted step, and its size and error."""
    n, nq, m = natural(own.v_0.size), natural(own.q_0.size), natural(own.L.shape[1])
    for k in range(STAGES + 1):
        for j in range(n):
            own.v_powers[k, j] = TO_POWERS[k, 0] * own.v_0[j]
            for i in range(STAGES):
                own.v_powers[k, j] += TO_POWERS[k, i + 1] * own.V[i, j]
        for j in range(nq):
            own.q_powers[k, j] = TO_POWERS[k, 0] * own.q_0[j]
            for i in range(STAGES):
                own.q_powers[k, j] += TO_POWERS[k, i + 1] * own.Q[i, j]
        for j in range(m):
            own.lam_powers[k, j] = TO_POWERS[k, 0] * lam[j]
            for i in range(STAGES):
                own.lam_powers[k, j] += TO_POWERS[k, i + 1] * own.L[i, j]
    own.end, own.length, own.last_error = own.t_1, h, max(error, LEAST_ERROR)


@kernel()
def along(own: Collocation, j: int, x: float) -> float:
    """Component j of (q, v) at x, by the polynomials of the last step."""
    nq = natural(own.q_0.size)
    return (at(own.q_powers, j, x) if j < nq else at(own.v_powers, j - nq, x)) + bent(x) * own.bend[j]


@kernel()
def missed(own: Collocation, before: float) -> float:
    """What the polynomials of the last step miss between its stages, in errors allowed of the
    motion; `before` is the size of the step before, which stands in own.looked."""
    nq, x = natural(own.q_0.size), (SECOND - 1.0) * before / own.length
    total, most, count = 0.0, 0.0, 0
    omega = x
    for i in range(STAGES):
        omega *= x - NODES[i]
    for j in range(own.looked.size):
        total += ((along(own, j, x) - own.looked[j]) / own.scale[j]) ** 2
        count += 1
        if j == nq - 1 or j == own.looked.size - 1:
            most = max(most, np.sqrt(total / count))
            total, count = 0.0, 0
    return float(own.inside * WIDEST / abs(omega) * most)


@kernel()
def by_errors(own: Collocation, h: float, before: float, error: float) -> float:
    """The most that the next step may grow: by what two errors say, less after many
    iterations [Hairer1996 (IV.8.25)]."""
    slow = (2.0 * MOST_ITERATIONS + 1.0) / (2.0 * MOST_ITERATIONS + own.iterations)
    error = max(error, 1e-10)
    found = SAFETY * slow * error**-0.25
    if before > 0.0:
        found *= min(1.0, h / before * (own.last_error / error) ** 0.25)
    if own.longest > 0.0:
        # the step with which the iteration converges changes slowly, unless all its corrections were quick
        own.longest *= max(RELAXED, CALM / max(own.expected, EPS))
        found = min(found, max(own.longest / h, LEAST))
    return found


@kernel()
def growth(own: Collocation, h: float, error: float, state: State, lam: FloatArray) -> float:
    """The most that the next step may grow; the polynomials of this one are kept. `state` is still
    that at its beginning, with its multipliers `lam`."""
    before = own.length if own.end == state.t else 0.0
    found = by_errors(own, h, before, error)
    remember(own, h, error, lam)
    if before > 0.0:
        missing = missed(own, before)
        if missing > 0.0:
            found = min(found, max(SAFETY * missing**-0.25, LEAST))
    for j in range(own.looked.size):
        own.looked[j] = along(own, j, SECOND)
    return found
