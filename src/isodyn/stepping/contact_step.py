"""A step with closed contacts.

    M(q̃) ã + G̃ᵀλ̃ = Q̃ + J̃ᵀp,   G(q₁) v₁ = 0,   0 ≤ p_N ⊥ D(q₁) v₁ ≥ 0,   p_T in the cone μ p_N

for the contacts that are closed at t_n, J = (D, T): Newton's iteration, whose every linear system
is solved together with the contact problem of its velocities
(isodyn.linear_solvers.complementarity). Contacts with p_N > 0 hold: q₁ is then moved to φ = 0, g =
0 and v₁ to φ̇ = 0, ġ = 0 and no slip where they stick, in the range of the step's own matrix.
Opening and the onset of slip need no location of events; the end of slip and contacts that are torn
loose (μ_s > μ) do, because forces jump there. Derivation: docs/derivations/contact.md.
"""

from __future__ import annotations

import numpy as np

from isodyn.kernels.compiled import (
    CONSTRAINT,
    NOT_CONVERGED,
    NOT_FINITE,
    OK,
    VELOCITY,
    FloatArray,
    f8,
    i8,
    kernel,
)
from isodyn.linear_solvers.contact_islands import solve_contacts
from isodyn.stepping.closure import end_state, fill_with, finite, measure, settle
from isodyn.stepping.contact_corrections import (
    are_redundant,
    correct_position,
    correct_velocity,
    rates_at_end,
    rates_without_gaps,
)
from isodyn.stepping.contact_memory import (
    AT_REST,
    NO_PUSH,
    OPEN,
    SLIP,
    STICK,
    TOUCHING_REF,
    Contacts,
    Problem,
    Touching,
    add_response,
    add_row,
    along,
    ask,
    bear,
    hold_at_rest,
    problem_of,
    pushes,
    respond,
    speeds,
    sticks,
)
from isodyn.stepping.corrections import solve
from isodyn.stepping.equations import residual
from isodyn.stepping.matrix import factorise
from isodyn.stepping.memory import COUNTERS, EPS, LEG, MEMORY, PHYSICS_REF, STATE, Counters, Leg, Memory, Physics, State
from isodyn.stepping.rounding import round_off_floor
from isodyn.stepping.step import accept, guess, keep_balance, predict, size_between

NO_SOLUTION = 120  # a status: the contact problem of a step has no solution, or none was found
TIGHT = 1e-12  # estimated error of x at which the iteration ends, relative
PATIENCE = 40  # iterations
ROUNDING = 8.0 * EPS  # of the accelerations that contacts make: smaller corrections of bodies at rest are none
MOTIONLESS = 1e-10  # of the same: bodies that accelerate less do not move
TURNS, SAME = 10, 1e-6  # iterations after which corrections that differ by no more than this take turns


@kernel()
def begin(p: Physics, leg: Leg, t_1: float, state: State, memory: Memory, counters: Counters) -> float:
    """Prediction and guess of a step to t_1; its size."""
    dt, c = size_between(leg, state.t, t_1, state.dt), memory.c
    c[0], c[1], c[2] = leg.W1L6, dt * leg.W2L5, dt * dt * leg.W3L3
    memory.eliminate = 0
    predict(leg, dt, state, memory)
    guess(p, leg, min(state.t + leg.W1 * dt, leg.t_limit), dt, state, memory, counters)
    fill_with(memory.p, 0.0)
    memory.brought_back = 0.0
    return dt


@kernel()
def take_known(contacts: Contacts, problem: Problem) -> None:
    """Forces of the last balance as a guess; friction of rest where it rests."""
    for j in range(problem.rows.size):
        problem.p[j] = contacts.force[problem.rows[j]]
    hold_at_rest(contacts, problem)


@kernel()
def equations(
    p: Physics, g: Touching, leg: Leg, t: float, t_1: float, dt: float, state: State, memory: Memory, counters: Counters,
    renew: bool,
) -> int:  # fmt: skip
    """Balance and closure without contacts into memory.r, with new factors if asked for; the state
    at the end, and rows of the contacts at the balance."""
    c = memory.c
    status = residual(p, leg, t, t_1, dt, state, c, memory, memory.r)
    if status == OK and not finite(memory.r):
        return NOT_FINITE
    if status == OK and renew:
        status = factorise(p, leg, t, t_1, dt, state, c, memory, np.int64(0), counters)
    if status == OK:
        status = end_state(p, leg, dt, state, c, memory)
    if status == OK:
        status = ask(g, CONSTRAINT, t, memory.q, memory.v, memory.a, c, g.contacts.J)
    counters.iterations += 1
    counters.evaluations += 1
    return status


@kernel()
def shift_slip(g: Touching, problem: Problem, t: float, memory: Memory) -> int:
    """In space the direction of sliding friction is that of the slip at the balance: b is moved
    there for contacts that clearly slide."""
    contacts, c = g.contacts, memory.c
    status, asked = OK, False
    for k in range(problem.members.size):
        i, end = problem.laws.first[k], problem.laws.first[k + 1]
        if end - i < 3:
            continue
        if not asked:
            status = ask(g, VELOCITY, t, memory.q, memory.v, memory.a, c, contacts.rate_before)
            asked = True
        if status != OK:
            return status
        moved, slips = 0.0, 0.0
        for j in range(i + 1, end):
            row = problem.rows[j]
            moved += (contacts.rate_before[row] - contacts.rate[row]) ** 2
            slips += contacts.rate[row] ** 2
        if slips >= moved:
            for j in range(i + 1, end):
                problem.b[j] += contacts.rate_before[problem.rows[j]] - contacts.rate[problem.rows[j]]
    return status


@kernel()
def linearise(p: Physics, g: Touching, problem: Problem, along_x: float, t: float, memory: Memory) -> int:
    """The correction without a change of the contacts' forces into memory.dx; the rates of the
    contacts without any forces into problem.b."""
    many = problem.rows.size
    for i in range(memory.r.size):
        memory.dx[i] = -memory.r[i]
    for j in range(many):
        add_row(g.contacts, g.contacts.J, problem.rows[j], problem.p[j], memory.dx)
    status = solve(p, t, memory.c, memory, memory.dx, memory.r_plus, False)
    for j in range(many):
        row = problem.rows[j]
        problem.b[j] = g.contacts.rate[row] + along_x * along(g.contacts, g.contacts.J_1, row, memory.dx)
        for m in range(many):
            problem.b[j] -= problem.W[j, m] * problem.p[m]
    bear(p, g.contacts, problem, memory.x.size, memory.lam, memory.dx)
    return shift_slip(g, problem, t, memory) if status == OK else status


@kernel(allocates=True)
def add_corrections(p: Physics, problem: Problem, memory: Memory) -> int:
    """Solve the contact problem, and move x, λ̃ and the forces of the contacts."""
    n, many = memory.x.size, problem.rows.size
    old = problem.p.copy()
    if solve_contacts(problem.W, problem.b, problem.laws, 1e-13, problem.p) != OK:
        return NO_SOLUTION
    for j in range(many):
        add_response(problem, j, problem.p[j] - old[j], memory.dx)
    for i in range(n):
        memory.x[i] += memory.dx[i]
    for j in range(p.rows.size):
        memory.lam[p.rows[j]] += memory.dx[n + j]
    return OK


@kernel()
def is_last(p: Physics, dt: float, memory: Memory, k: int, change: float, before: float) -> bool:
    """Whether a correction of x was the last: its estimated error is small, or it is rounding."""
    scale = max(memory.size_a, measure(memory.a, memory.by_v))
    theta = change / before if k > 0 else 1.0
    if change <= 1e-3 * TIGHT * scale or (theta < 1.0 and theta * change <= (1.0 - theta) * TIGHT * scale):
        return True
    if k == 0 or theta <= 0.5:
        return False
    noise = 1e-8 if k > 8 else 1e-14
    return bool(change <= max(round_off_floor(p, dt, memory.c, memory), noise * scale))


@kernel()
def is_rounding_at_rest(problem: Problem, memory: Memory, change: float) -> bool:
    """Whether bodies rest and a correction is the rounding of the largest acceleration that one
    contact makes: where forces cancel each other, nothing else is left."""
    push = 0.0
    for j in range(problem.rows.size):
        for i in range(memory.x.size):
            push = max(push, abs(problem.Y[j, i] * problem.p[j]) * memory.by_v[i])
    return bool(change <= ROUNDING * push and measure(memory.a, memory.by_v) <= MOTIONLESS * push)


@kernel()
def iterate_contacts(
    p: Physics, g: Touching, problem: Problem, leg: Leg, t: float, t_1: float, dt: float, state: State, memory: Memory,
    counters: Counters,
) -> int:  # fmt: skip
    """Find memory.x, memory.lam and the forces of the contacts. Where redundant contacts slide, two
    sets of them that push may still take turns: such an iteration does not end, and a shorter step
    is needed."""
    c, along_x, before, renew, redundant = memory.c, leg.l5 * dt, np.inf, True, False
    for k in range(PATIENCE):
        status = equations(p, g, leg, t, t_1, dt, state, memory, counters, renew)
        if status == OK and renew:
            status = respond(p, t, c, memory, g.contacts, problem, g.contacts.J)
        if status == OK and not redundant:
            status = rates_at_end(g, problem, along_x, t_1, memory)
            redundant = k == 0 and are_redundant(problem)
        if status == OK and redundant:
            status = rates_without_gaps(p, g, problem, along_x, t, t_1, memory)
        if status == OK:
            status = linearise(p, g, problem, along_x, t, memory)
        if status == OK:
            status = add_corrections(p, problem, memory)
        if status != OK:
            return status
        change = measure(memory.dx, memory.by_v)
        if not np.isfinite(change):
            return NOT_FINITE
        if is_last(p, dt, memory, k, change, before) or is_rounding_at_rest(problem, memory, change):
            return OK
        if k >= TURNS and abs(change - before) <= SAME * before:
            return NOT_CONVERGED
        renew = k > 0 and change > 0.3 * before
        before = change
    return NOT_CONVERGED


@kernel()
def keep_forces(leg: Leg, problem: Problem, contacts: Contacts, v: FloatArray) -> None:
    """Forces at the balance and, brought there like λ, at the end; which contacts stay closed, and
    what they do."""
    for k in range(problem.members.size):
        number = problem.members[k]
        held = pushes(problem, k)
        for j in range(problem.laws.first[k], problem.laws.first[k + 1]):
            row = problem.rows[j]
            contacts.balance[row] = problem.p[j]
            force = contacts.force[row]
            contacts.force[row] = force + (problem.p[j] - force) / leg.W1 if held else 0.0
        contacts.mode[number] = (STICK if sticks(problem, k) else SLIP) if held else SLIP
        i = problem.laws.first[k]
        fastest = max(contacts.fastest[number], problem.W[i, i] * problem.p[i])
        for j in range(i, problem.laws.first[k + 1]):
            fastest = max(fastest, speeds(contacts, contacts.J_1, problem.rows[j], v))
        contacts.fastest[number] = fastest
        if not held and contacts.rate[number] > NO_PUSH * fastest:
            contacts.closed[number], contacts.mode[number] = 0, OPEN


@kernel()
def note_slip(g: Touching, t: float, state: State, memory: Memory) -> int:
    """The slip of closed contacts before a step; zero where they rest."""
    contacts = g.contacts
    status = ask(g, VELOCITY, t, state.q, state.v, state.a, memory.c, contacts.rate)
    if status == OK:
        status = ask(g, CONSTRAINT, t, state.q, state.v, state.a, memory.c, contacts.J_1)
    fill_with(contacts.slip, 0.0)
    for k in range(contacts.closed.size):
        begin, end, size = contacts.tangent[k], contacts.tangent[k + 1], 0.0
        if contacts.closed[k] == 0 or contacts.mode[k] == STICK:
            continue
        for row in range(begin, end):
            contacts.fastest[k] = max(contacts.fastest[k], speeds(contacts, contacts.J_1, row, state.v))
            size = max(size, abs(contacts.rate[row]))
        if size > AT_REST * contacts.fastest[k]:
            for row in range(begin, end):
                contacts.slip[row] = contacts.rate[row]
    return status


@kernel(i8(PHYSICS_REF, TOUCHING_REF, LEG, f8, STATE, MEMORY, COUNTERS), inner=True, apart=True, allocates=True)
def closed_step(p: Physics, g: Touching, leg: Leg, t_1: float, state: State, memory: Memory, counters: Counters) -> int:
    """From state.t to t_1 with closed contacts. On failure the motion in `state` is unchanged."""
    contacts = g.contacts
    problem = problem_of(contacts, contacts.closed, memory.r.size)
    take_known(contacts, problem)
    dt = begin(p, leg, t_1, state, memory, counters)
    t, t_end, c = min(state.t + leg.W1 * dt, leg.t_limit), min(t_1, leg.t_limit), memory.c
    status = iterate_contacts(p, g, problem, leg, t, t_end, dt, state, memory, counters)
    if status == OK and leg.keep_balance == 1:
        status = keep_balance(p, leg, t, dt, state, c, memory)
    if status == OK:
        status = end_state(p, leg, dt, state, c, memory)
    if status == OK:
        status = correct_position(p, g, problem, 1.0 / (leg.l5 * dt), t, t_end, memory)
    if status == OK:
        status = correct_velocity(p, g, problem, 1.0 / (leg.l5 * dt), t, t_end, memory)
    if status == OK and not (finite(memory.q_1) and finite(memory.v_1)):
        return NOT_FINITE
    if status == OK:
        status = settle(p, c, memory.q_1)
    if status == OK:
        accept(p, leg, t_1, dt, state, memory)
        keep_forces(leg, problem, contacts, state.v)
    memory.factors_good = 0
    return status
