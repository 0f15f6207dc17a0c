"""What the steps before tell about the next one: first unknowns by extrapolation.

Over steps of equal size the unknowns of a smooth motion (Δa, the multipliers at the balance, the correction of q) are samples of smooth
functions. From their backward differences,

    x_{n+1} ≈ x_n + ∇x_n + ∇²x_n + …,        ∇ʲx_n = ∇ʲ⁻¹x_n − ∇ʲ⁻¹x_{n−1},

an iteration starts closer by a factor of Δt per difference. With j of them the last step would have been missed by ∇ʲx_n: as many are
taken as make that least. After a pause, a jump or a step of another size it begins anew. The equations of a step stay what they are; their
solution depends on the guess only as far as the range of the corrections of q is that of the first matrix.

The correction of q is guessed so only where that would have met the last one better than zero. Where it is rounding it alternates from step
to step, and its differences would grow without end, unseen by the iteration, which looks at Δa and λ.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isodyn.compiled import GENERAL, SOLVES, FloatArray, kernel
from isodyn.integrate.closure import size_v
from isodyn.integrate.work import DIFFERENCES, FOLLOWED, LAM, LAM_0, ORDER, P_0, UNTIL, X_0, P, X

SHRINKS = 0.3  # where the last difference that is kept is smaller than this part of the one before, it is taken too


@kernel()
def recall(dt: float, state: Any, w: Any) -> None:
    """w.past[FOLLOWED], how many steps of this size led here without a break, and w.past[ORDER], how many differences are good."""
    if not (w.past[UNTIL] == state.clock[0] and state.clock[1] == dt and w.scale[2] == 0.0):
        w.past[FOLLOWED] = 0.0
    steps = min(w.past[FOLLOWED], DIFFERENCES)
    order, least, last = min(1.0, steps), np.inf, np.inf
    for j in range(1, int(steps)):
        miss = size_v(w, X_0 + j)  # of j differences in the last step
        if miss < least:
            order, least = float(j), miss
            if j == DIFFERENCES - 1 and miss <= SHRINKS * last:
                order = float(DIFFERENCES)
        last = miss
    w.past[ORDER] = order


@kernel()
def extrapolated(rows: FloatArray, first: int, order: float, i: int) -> float:
    """Component i of x_{n+1}, from so many of the differences that begin with the given row."""
    value = 0.0
    for j in range(int(order)):
        value += rows[first + j, i]
    return value


@kernel()
def extrapolate(p: Any, w: Any) -> None:
    """First multipliers and, where q_{n+1} has a correction that does not count at the balance, a first one."""
    k, order = p.closure, w.past[ORDER]
    if order == 0.0:
        return
    for i in range(w.m[LAM].size):
        w.m[LAM, i] = extrapolated(w.m, LAM_0, order, i)
    wanted = k.correct_q == 1 and k.in_balance == 0 and k.null_space == 0 and not p.traits & (GENERAL | SOLVES)
    if wanted and size_v(w, P_0 + int(min(order, DIFFERENCES - 1.0))) < size_v(w, P_0):
        for i in range(w.n[P].size):
            w.n[P, i] = extrapolated(w.n, P_0, order, i)


@kernel()
def take_in(rows: FloatArray, first: int, new: int) -> None:
    """Renew the differences that begin with the given row, for a new x in another row."""
    for i in range(rows.shape[1]):
        value = rows[new, i]
        for j in range(DIFFERENCES):
            value, rows[first + j, i] = value - rows[first + j, i], value


@kernel()
def remember(t_1: float, w: Any) -> None:
    """Take the unknowns of a step that succeeded into the differences."""
    take_in(w.n, X_0, X)
    take_in(w.n, P_0, P)
    take_in(w.m, LAM_0, LAM)
    w.past[UNTIL] = t_1
    w.past[FOLLOWED] += 1.0
