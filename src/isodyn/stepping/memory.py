"""Named memory of a run (isodyn.kernels.struct): what steps are taken by, what survives a step,
what dies with it, what is counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import types

from isodyn.kernels.compiled import MODEL_TYPE, I, IntArray, ModelFunction, i8
from isodyn.kernels.lowering import Reference
from isodyn.kernels.struct import Struct, StructAddress, integer, integers, many, one, real, reals
from isodyn.kernels.struct_types import ADDRESS, StructType
from isodyn.linear_solvers.block_pattern import BlockPattern
from isodyn.linear_solvers.blocks import storage_of

if TYPE_CHECKING:
    from isodyn.systems.scales import Weights

# backward differences of the unknowns that are kept (isodyn.stepping.extrapolation)
DIFFERENCES = 5
SEEN = 4  # how many corrections of a step are kept (isodyn.stepping.newton)
# a status of adaptive steps: not good enough, also with a step as small as rounding of t
UNDERFLOW = 100
STIFF = 110  # of an explicit method that is watched: steps are held short by stability, not by errors
ASK = 111  # of an implicit one that is watched: it is time to look whether an explicit one would do
EPS = float(np.finfo(np.float64).eps)
# gaps of a start that are nothing, relative; the way onto the constraints ends there too
ROUNDING = 4.0 * EPS
LEAST_OF_T = 10.0 * EPS  # steps that choose themselves are no smaller


class ClosureNumbers(Struct):
    """How constraints close a step, as kernels read it (isodyn.formulations.closure)."""

    position, velocity, acceleration = real, real, real  # weights of φ, φ̇, φ̈
    # whether q_{n+1} and v_{n+1} get corrections of their own
    keep_position, keep_velocity = integer, integer
    # whether the correction of q counts at the balance: 0 no, 1 yes, 2 with a matrix of its own
    in_balance = integer
    # whether the correction of q lies in the range of M⁻¹Gᵀ at t_n (isodyn.stepping.mass_range)
    mass_range = integer
    project = integer  # how many of q, v, a are projected after the step …
    project_iterations = integer  # … with at most so many iterations onto φ = 0; 0: as many as it takes
    eliminate = integer  # multipliers by a null-space basis: 0 no, 1 by QR, 2 by SVD
    at_balance = integer  # whether the closure is asked for at the balance instead of t_{n+1} …
    compliance = real  # … and then how much of it each unit of a multiplier may leave open


class Leg(Struct):
    """Steps that are taken in the same way: traits of the model, closure, coefficients of the
    scheme, settings of the iteration."""

    last = integer  # how many steps of the run are done when it ends …
    next_phi = real  # … and then `a` is moved to t − next_phi·Δt, where the next leg wants it
    traits, holonomic = integer, integer
    closure = one(ClosureNumbers)
    t_limit = real  # loads are not asked for later than this
    # a step that is as long as this up to rounding of its ends is so long; how far sums of times are
    # off, or −∞ where each step is as long as the time between its ends
    dt, rounding = real, real
    W1, W2L2, W3L3, W2L5, W1L6, l3, l5, phi = (real,) * 8
    rtol, max_iterations, max_halvings = real, integer, integer
    full, reuse, quasi, form = integer, integer, integer, integer
    keep_balance = integer  # whether the states at the last two balances are kept


class Plan(Struct):
    """The steps of a run from one start to the next breakpoint, or to its end: when, how, and which
    become rows. Kernels only read it.

    Step n of the run leads to times[n − begin]; where there are no times to t₀ + (grid + n − begin)
    Δt; the last one to t_stop. With a policy (isodyn.stepping.policies) steps are as long as
    state.next_dt says, and end at each of the times and at t_stop.
    """

    begin, end = integer, integer  # steps of the run that are done before and after
    t_stop, t0, dt = real, real, real
    grid = integer  # number of the grid time that the first of the steps leads to
    save_every = integer  # grid times between rows, steps with a policy; 0: no rows
    times = reals("times")
    legs = many(Leg, "legs")  # one after the other; with a policy the third one lands on t_stop
    # ---- composed schemes (isodyn.stepping.composed_step)
    stages = reals("stages")  # where the sub-steps of a step end, as parts of it; none: one step
    central = integer  # whether they are steps of the central difference
    t_first = real  # loads are not asked for earlier than this
    # ---- steps that a policy chooses
    by_policy = integer
    accept = integer  # address of the function that judges a step
    smallest_dt, largest_dt = real, real
    settings = reals("settings")  # numbers of the policy
    # whether steps estimate their local errors (isodyn.stepping.step_error), and the error of a
    # step that the controller of isodyn.stepping.controller keeps; 0: a policy of its own judges
    estimates, tolerance = integer, real
    # ---- steps of another method than GS4 (isodyn.stepping.told_step)
    take = integer  # address of the kernel that takes one step and tells its error; 0: GS4
    own = integer  # address of the memory of that method
    exponent = real  # a step that is error^(-exponent) as long has the error 1 …
    safety = real  # … of which so much is taken, …
    most_growth = real  # … and this is the most that the next one grows
    unchanged = real  # growth below this is none, so that matrices for a size serve once more
    between = integer  # whether times are places inside steps to look at, and no ends of steps
    # ---- events (isodyn.stepping.guards)
    guards = integer  # address of their memory; 0: there are none


class State(Struct):
    """All that a run needs to go on: the motion, and what the steps before tell about the next
    one."""

    step = integer  # how many steps of the run are done
    t, dt = real, real  # time, and the size of the step that led here; 0 at a start
    lag = real  # `a` belongs to t − lag·dt
    q, v, a, da, lam = reals("nq"), reals("nv"), reals("nv"), reals("nv"), reals("m")
    mu, nu = reals("m"), reals("m")  # multipliers of the last corrections of q and v
    sizes_z = reals("m")  # of algebraic unknowns at a start, where they are far below one; 0: one
    next_dt = real  # the size that a policy wants for the next step …
    policy = reals(4)  # … and numbers that it keeps from step to step
    # ---- local errors that are kept small (isodyn.stepping.step_error): the divided difference
    # of accelerations and when, what `a` misses of the balance at t_n, sizes of q and v so far and what is added to them, errors of q
    # and v of the last step
    slope, slope_at, missed = reals("nv"), real, reals("nv")
    assumed = integer  # whether sizes at the start, of v in first order, of q else, were typical ones alone
    size_q, size_v, least_q, least_v, errors = reals("nv"), reals("nv"), reals("nv"), reals("nv"), reals(2)
    size_a = real  # the largest of a so far, by its measure
    # sums over all steps (isodyn.marching.loose_components): of the errors of v, and of the error
    # that steps are held to
    summed_v, summed = reals("nv"), real
    # what the controller keeps: the last error in units of the tolerance, and whether the next step
    # follows one that was repeated
    last_error, repeated = real, integer
    # the last close look at errors (isodyn.stepping.close_look): the raw ones of q and v, what
    # part of them was left, and the number of steps from there
    raw_q, raw_v, left_q, left_v, since_look = real, real, real, real, integer
    # the largest error of v with what stiff parts would take back, relative, and when
    roughest, roughest_at = real, real
    # ---- what the steps before tell about the first guess of the next
    # (isodyn.stepping.extrapolation)
    until = real  # the time up to which steps followed each other, …
    smooth_steps = integer  # … and how many of one size
    # steps that the differences know, and their size
    samples, spacing = integer, real
    x_differences = reals(DIFFERENCES, "nv")
    p_differences = reals(DIFFERENCES, "nv")
    lam_differences = reals(DIFFERENCES, "m")
    # ---- … and about its convergence (isodyn.stepping.newton)
    since_seen = integer  # steps since corrections were seen through to the last
    corrections = reals(SEEN)  # those corrections, relative to acceleration and multipliers
    # ---- states at the balances of the last step and of the one before (isodyn.results.at_balance)
    balance_t, balance_q, balance_v = reals(2), reals(2, "nq"), reals(2, "nv")
    # ---- local errors (isodyn.stepping.local_error): the last change of v and how it differed
    # from the one before, the largest change and the largest v, the largest errors of q per Δt and
    # of v, and when
    last_change, last_turn = reals("nv"), reals("nv")
    most_change, most_v = reals("nv"), reals("nv")
    error_q, error_v, error_q_at, error_v_at = reals("nv"), reals("nv"), reals("nv"), reals("nv")
    # ---- how close the enforced rows came to a loss of rank (isodyn.stepping.closeness)
    nearest, nearest_at = real, real


JUDGED = ("most_change", "most_v", "error_q", "error_v", "error_q_at", "error_v_at")
"""Fields of the state that tell about local errors."""


class Iteration(Struct):
    """Numbers of an iteration (isodyn.stepping.newton)."""

    affine = integer  # whether one correction is all
    renew, kept = (
        integer,
        integer,
    )  # whether the next one needs a new matrix; whether the factors of the first one are kept
    # whether the matrix is an old one, and how far corrections of q and v are from the range of the
    # step's own
    old, moved = integer, real
    trusted = integer  # whether it converges as the last step that was seen through
    polished = integer  # whether it has gone on from the tolerance down to rounding
    change, relative, scale = (
        real,
        real,
        real,
    )  # size of the correction; beside acceleration and multipliers; of the acceleration
    before, earlier = real, real  # size of the correction before it; relative
    theta, slow = real, real  # contraction, and the one that calls for a new matrix


class Memory(Struct):
    """Memory of a step, which dies with it; factors may be kept for the next one, with the c that
    they were made for."""

    # predicted: displacement, velocity, acceleration at Δa = 0
    d_p, v_p, a_p = reals("nv"), reals("nv"), reals("nv")
    # trial state at the balance, and its displacement
    q, d, v, a = reals("nq"), reals("nv"), reals("nv"), reals("nv")
    x, p, u = reals("nv"), reals("nv"), reals("nv")  # unknown Δa; corrections of q and v
    q_1, v_1, a_1 = reals("nq"), reals("nv"), reals("nv")  # state at t_{n+1}
    lam, lam_1 = reals("m"), reals("m")  # multipliers at the balance; at t_{n+1}, as they are saved
    # closures: of the step, of φ, φ̇, φ̈ alone
    gap, gap_q, gap_v, gap_a = reals("m"), reals("m"), reals("m"), reals("m")
    mu, nu = reals("m"), reals("m")  # multipliers of the corrections of q and v
    # what a unit of each multiplier counts beside x, where multipliers enter as they like
    effect = reals("m")
    levels = reals("two_m")  # φ and φ̇ of all rows
    # solutions of the linear system: for the unknowns, for corrections
    dx, dp = reals("unknowns"), reals("unknowns")
    r, r_plus = reals("unknowns"), reals("unknowns")  # residual, and another one
    # right-hand sides while their solutions are refined
    b_1, b_2 = reals("unknowns"), reals("unknowns")
    G, G_1 = reals("G_values"), reals("G_values")  # constraint matrix at the balance and at the end
    B = reals("B_values")  # what multipliers do in the balance, where forces depend on them
    N = reals("N_values")  # null-space basis, or inverse of GGL's S
    J_11, J, J_S = (
        reals("block"),
        reals("factors"),
        reals("first_factors"),
    )  # (1,1) block; matrix or factors; the first ones
    pivots = integers("pivots")  # of full matrices
    blocks = one(BlockPattern)  # of sparse ones, with their pivots
    # ---- numbers of the step
    c, kappa = (
        reals(4),
        reals(4),
    )  # coefficients of the trial state, isodyn.stepping.equations; those of other questions
    # whether there are factors, and the c that they were made for
    factors_good, factors_c = integer, reals(4)
    # ---- of factors that are kept over steps (isodyn.stepping.kept_matrix): how many steps they
    # have served since their own, whether they serve the next one too; corrections of their own step, and
    # what all of them cost together; steps until others are kept again, and how many that were last
    age, keep, fresh, spent, pause, delay = integer, integer, integer, real, integer, integer
    # backward differences of mu, and of how many steps
    mu_differences, mu_steps = reals(DIFFERENCES, "m"), integer
    size_a, size_lam = real, real  # sizes that corrections are compared with
    remedy = real  # after a failure: CAREFUL, or the regularisation of the matrix; 0 otherwise
    eliminate = integer  # as in the closure, 0 in a remedy
    # where the unknowns were guessed from, and from how many differences
    guess, order = integer, integer
    # whether r holds the balance of the guess; −1: after the trial state is put back
    balance_known = integer
    seen = reals(SEEN)  # corrections of this step
    respacing = reals(DIFFERENCES, DIFFERENCES)  # of samples before a step of another size
    # what a second solution for the accelerations of a state changed last, relatively
    second_change = real
    # error of the last step, at most 1 for one that is good enough, by methods that tell it
    error = real
    growth = real  # the most that the next step may grow, by methods that know more than that
    aim = real  # where the step leads to, for methods that take it in Python
    # to be told after a failure: the unknown without a pivot, the last correction
    fault, correction = reals(1), real
    # ---- typical sizes (isodyn.systems.scales)
    # what components of q and v are multiplied by before they are compared
    by_q, by_v = reals("nq"), reals("nv")
    row_sizes, unknown_sizes = (
        reals("m"),
        reals("unknowns"),
    )  # of all rows; of the unknowns of the matrix and of its equations
    projected = integer  # iterations of the last projection onto φ = 0
    soft = reals("rows")  # the −ε of the enforced rows in the matrix
    inertia = real  # the smallest entry of D M D
    rows = integers("rows")  # numbers of the enforced rows
    # of large linear systems whose mass matrix is diagonal: its inverse, and whether the balance reads v
    # (isodyn.stepping.explicit_step)
    inverse_mass, damped = reals("masses"), integer
    updates = reals("updates", "unknowns")  # Broyden's (isodyn.stepping.symmetric_step)
    iteration = one(Iteration)
    # ---- local errors of the step (isodyn.stepping.step_error), components of one unit and their
    # largest sizes, whether sizes of q follow the motion, and the part of the largest size of its
    # unit that a component has at least
    error_q, error_v, unit_q, unit_v = reals("nv"), reals("nv"), reals("nv"), reals("nv")
    error_a = real  # of rates of v, by multipliers, as measure(a, by_v)
    brought_back = real  # how far constraints moved q_{n+1}, as measure(q, by_v)
    unit, follows, part = integers("nv"), integer, real
    aside = one(State)  # a state of which acceleration and multipliers are asked
    before = one(State)  # the state before a step that may have to be undone


class Counters(Struct):
    """What a run counts."""

    steps, rows, iterations, evaluations, factorisations = (integer,) * 5
    halvings, round_off_stops, rescues, repivots, fallbacks, rejected, projections = (integer,) * 7


COUNTED = tuple(name for name in Counters._fields if name not in ("rows", "rejected"))
"""Counters that the statistics of a run have."""


class Physics(NamedTuple):
    """The model, how many of its constraint rows are holonomic, how and with which rows they close
    a step, and its numbers."""

    model: ModelFunction
    traits: int
    holonomic: int
    closure: ClosureNumbers
    rows: IntArray
    tables: StructAddress
    scratch: StructAddress


PHYSICS = types.NamedTuple((MODEL_TYPE, i8, i8, StructType(ClosureNumbers), I, ADDRESS, ADDRESS), Physics)

PHYSICS_REF = Reference(PHYSICS)
LEG, STATE, MEMORY, COUNTERS = StructType(Leg), StructType(State), StructType(Memory), StructType(Counters)
PLAN = StructType(Plan)


class Controls(NamedTuple):
    """Settings of the iteration, as numbers; whether the states at the last two balances are
    kept."""

    rtol: float
    max_iterations: int
    max_halvings: int
    full: int
    reuse: int
    quasi: int
    form: int
    keep_balance: int = 0


def new_state(nq: int, nv: int, m: int) -> State:
    """A state at rest at t = 0 with nothing behind it."""
    state = State(nq=nq, nv=nv, m=m)
    state.nearest = 1.0
    return state


def forget(state: State, *, differences: bool = False) -> None:
    """Restart the history of guesses; if other rows are enforced from now on, also the
    differences."""
    state.until, state.smooth_steps, state.samples, state.since_seen, state.corrections = 0.0, 0, 0, 0, 0.0
    if differences:
        for name in ("x_differences", "p_differences", "lam_differences", "last_change", "last_turn"):
            setattr(state, name, 0.0)


def allocate(
    nq: int,
    nv: int,
    m: int,
    chosen: IntArray,
    dense: bool,
    packed: BlockPattern | None = None,
    updates: int = 0,
    nonideal: bool = False,
    masses: int = 0,
) -> Memory:
    """Memory for systems of these sizes with the `chosen` of m constraint rows.

    No matrix for models that bring their own solver; values of the patterns in `packed` for sparse
    ones.
    """
    rows = chosen.size
    unknowns = nv + rows
    block = nv * nv if dense and m else 0
    G, factors, pivots = m * nv, unknowns * unknowns if dense else 0, 2 * unknowns
    contributions = 0  # of fronts: not needed to solve
    if packed is not None:
        block, G, factors, pivots = packed.J.size, packed.G.size, storage_of(packed), 0
        contributions = int(packed.stack)
    memory = Memory(
        nq=nq,
        nv=nv,
        m=m,
        two_m=2 * m,
        rows=rows,
        unknowns=unknowns,
        G_values=G,
        B_values=G if nonideal else 0,
        N_values=block if packed is None else 0,
        block=block,
        factors=factors,
        first_factors=factors - contributions if m else 0,
        pivots=pivots,
        updates=updates,
        masses=masses,
        **(dict.fromkeys(BlockPattern._sizes, 0) if packed is None else packed.sizes),
    )
    memory.rows = chosen
    memory.kappa[3] = 1.0
    for name in ("by_q", "by_v", "row_sizes", "unknown_sizes"):
        setattr(memory, name, 1.0)
    if packed is not None:
        memory.blocks.copy_from(packed)
    return memory


def weigh(memory: Memory, weights: Weights) -> None:
    """Put the weights of a system (isodyn.systems.scales) into the memory of its steps."""
    n, sizes = weights.v.size, memory.unknown_sizes
    memory.by_q[:], memory.by_v[:], memory.row_sizes[:] = weights.q, weights.v, weights.rows
    memory.inertia = weights.inertia
    sizes[:n], sizes[n:] = weights.matrix[:n], weights.matrix[n:][memory.rows]
