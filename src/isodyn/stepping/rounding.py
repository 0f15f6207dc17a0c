"""Which corrections of an iteration are rounding.

Rounding of q̃ and ṽ alone moves x by about eps·(|q̃|/c₂ + |ṽ|/c₁), and rounding of closures by
eps·(|q|/Δt² + |v|/Δt): corrections below that which no longer shrink are the round-off floor, and
accepted; so are small ones that do not shrink for long, which are noise of the system's functions
(derivatives from differences, for instance).

Where the whole acceleration is below the floor, the system is at rest but for rounding. It moves q
by a few eps then: the equations of the step are linear, and with the exact matrix of the step, or
an earlier one from nearly the same place, one correction is all there is. Further ones would be
rounding, as large as the first.
"""

from __future__ import annotations

from isodyn.kernels.compiled import GENERAL, KNOWS_TANGENT, NONIDEAL, FloatArray, kernel
from isodyn.stepping.closure import measure
from isodyn.stepping.memory import EPS, Leg, Memory, Physics

FLOOR = 8.0  # how many units of rounding the floor allows
STAGNANT = 0.6  # corrections that shrink less than this do not shrink
NOISE = 1e-7  # relative size of corrections that may be noise of the system's functions …
# … and next to a loss of rank, where rounding of φ̇ reaches x divided by the smallest singular value, …
AMPLIFIED = 1e-3
PATIENCE = 6  # … when they do not shrink after so many iterations
NEARBY = 1e-9  # typical sizes: within this distance a matrix stays what it was


@kernel()
def round_off_floor(p: Physics, dt: float, c: FloatArray, memory: Memory) -> float:
    """How far rounding alone may move x: of q̃, ṽ, ã in the balance, of q and v in the closure."""
    floor = measure(memory.a, memory.by_v) / c[0]
    if c[1] != 0.0:
        floor += measure(memory.v, memory.by_v) / abs(c[1])
    if c[2] > 0.0:
        floor += measure(memory.q, memory.by_q) / c[2]
    if p.rows.size > 0 and dt != 0.0:
        floor += measure(memory.v, memory.by_v) / abs(dt) + measure(memory.q, memory.by_q) / (dt * dt)
    return FLOOR * EPS * floor


@kernel()
def at_rest(p: Physics, leg: Leg, dt: float, memory: Memory) -> bool:
    """Whether the whole acceleration is rounding, and one correction was enough for it."""
    iteration = memory.iteration
    exact = (p.traits & KNOWS_TANGENT) != 0 and (p.traits & (GENERAL | NONIDEAL)) == 0 and leg.quasi == 0
    if not exact or memory.age * abs(dt) * measure(memory.v, memory.by_v) > NEARBY:
        return False
    return iteration.scale + iteration.change <= round_off_floor(p, dt, memory.c, memory)


@kernel()
def is_rounding(p: Physics, leg: Leg, dt: float, memory: Memory, k: int) -> bool:
    """Whether the corrections do not shrink because they are rounding, or noise of the system's
    functions."""
    iteration = memory.iteration
    if not iteration.theta > STAGNANT:
        return False
    if k == 0:
        return at_rest(p, leg, dt, memory)
    strict = memory.remedy == 0.0 or p.closure.at_balance == 1
    noisy = k >= PATIENCE and iteration.change <= (NOISE if strict else AMPLIFIED) * iteration.scale
    return noisy or iteration.change <= round_off_floor(p, dt, memory.c, memory)
