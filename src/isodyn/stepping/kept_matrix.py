"""Steps with the matrix of an earlier one: when they pay, and what they need besides.

An iteration with an old matrix takes more corrections, each of one evaluation and one solution, and
saves a factorisation, which costs as much as memory.blocks.ratio of them. A matrix is kept while a
step with it takes fewer corrections than the steps since it was made on average, the factorisation
counted: later is dearer from there on. Where a factorisation costs little, an old matrix is tried
only where a new one needs a single correction, which tells that the motion is slow. Steps with an
old one that cost more than one with a new matrix, or whose corrections shrink too slowly, put off
the next attempt. Corrections are counted, nothing is timed, so that a run repeats bit for bit.

Corrections p of q_{n+1} (and u of v_{n+1}) lie in the range of J⁻¹Gᵀ of the step's own matrix. With
K₀ in the place of K they are found from what is left of

    K (p, −μ) = (0, r),        K = [J Gᵀ; G 0],        δ(p, −μ) = K₀⁻¹ [(0, r) − (J p − Gᵀμ, G p)],

so that they end where the step's own factors would have led to. J and G are those of the first
trial state, as there.
"""

from __future__ import annotations

from isodyn.kernels.compiled import GENERAL, NONIDEAL, OK, SOLVES, SPARSE, FloatArray, kernel
from isodyn.kernels.lowering import natural
from isodyn.linear_solvers.block_lu import add_upper, subtract_product
from isodyn.linear_solvers.choice import DEAR
from isodyn.stepping.closure import measure, measure_forces
from isodyn.stepping.extrapolation import extrapolated
from isodyn.stepping.matrix import ask_rows, first_block
from isodyn.stepping.memory import Counters, Leg, Memory, Physics, State

NEVER, WHERE_IT_PAYS = 0, 2  # leg.reuse; 1: always
SERVED = 2  # steps that an old matrix should be good for
LEAST_PAUSE, MOST_PAUSE = 4, 64  # steps with new matrices after one that an old one made dearer


@kernel()
def is_corrected(p: Physics) -> bool:
    """Whether q_{n+1} or v_{n+1} has corrections of its own."""
    return p.closure.keep_position + p.closure.keep_velocity > 0


@kernel()
def knows_range(p: Physics, leg: Leg, memory: Memory) -> bool:
    """Whether corrections find the range of a matrix without factors: they are small beside x, all
    rows tell how far they are off, and J and G are known."""
    if p.closure.in_balance > 0 or memory.gap.size > p.holonomic or p.traits & (GENERAL | SOLVES | NONIDEAL):
        return False
    return leg.form == 0 and leg.full == 0 and p.closure.mass_range == 0


@kernel()
def may_keep(p: Physics, leg: Leg, memory: Memory) -> bool:
    """Whether the next step may take the factors there are."""
    if leg.reuse == NEVER:
        return False
    if is_corrected(p) and not knows_range(p, leg, memory):
        return False
    if leg.reuse == WHERE_IT_PAYS:
        return memory.keep == 1 and memory.blocks.weak == 0 and memory.remedy == 0.0
    return True


@kernel()
def ask_range(
    p: Physics, leg: Leg, t: float, t_1: float, dt: float, state: State, memory: Memory, counters: Counters
) -> int:
    """J and G at the first trial state, and a first μ, where there is a first p."""
    status = first_block(p, leg, t, t_1, dt, state, memory.c, memory, leg.quasi, counters)
    if status == OK:
        status = ask_rows(p, t, memory.q, memory.v, memory.a, memory.lam, memory.c, memory, False)
    order = min(memory.order, memory.mu_steps)
    if order > 0 and measure(memory.p, memory.by_v) > 0.0:
        for k in range(memory.mu.size):
            memory.mu[k] = extrapolated(memory.mu_differences, order, k)
    return status


@kernel()
def subtract_range(p: Physics, memory: Memory, moved: FloatArray, mu: FloatArray, out: FloatArray) -> float:
    """out −= (J moved − Gᵀμ, 0): how far a correction lies off the range of the step's own matrix;
    beside the correction itself."""
    n, sparse = natural(memory.x.size), (p.traits & SPARSE) != 0
    if sparse:
        subtract_product(memory.J_11, memory.blocks, moved, out)
    else:
        for i in range(n):
            for j in range(n):
                out[i] -= memory.J_11[i * n + j] * moved[j]
    whole = measure_forces(out, memory.by_v)
    if sparse:
        add_upper(memory.G, memory.blocks, mu, out)
    else:
        for k in range(p.rows.size):
            for j in range(n):
                out[j] += memory.G[p.rows[k] * n + j] * mu[p.rows[k]]
    return measure_forces(out, memory.by_v) / whole if whole > 0.0 else 0.0


@kernel()
def put_off(memory: Memory) -> None:
    """Take no old matrix in the next steps, and in more of them the next time; one that has served
    for a while is just too old."""
    if memory.age > SERVED:
        memory.keep = 0
        return
    memory.delay = max(LEAST_PAUSE, min(2 * memory.delay, MOST_PAUSE))
    memory.pause, memory.keep = memory.delay, 0


@kernel()
def count_corrections(memory: Memory, corrections: int) -> None:
    """After a step: memory.keep, whether the next one takes the same matrix."""
    ratio = memory.blocks.ratio
    if memory.age == 0:
        memory.fresh, memory.spent = corrections, ratio + corrections
        memory.pause = max(0, memory.pause - 1)
        memory.keep = memory.pause == 0 and (ratio > DEAR or (ratio > 0.0 and corrections == 1))
    elif corrections >= ratio + memory.fresh:
        put_off(memory)
    else:
        memory.spent += corrections
        memory.keep = corrections * (memory.age + 1) < memory.spent
        if memory.age > SERVED:
            memory.delay = 0
