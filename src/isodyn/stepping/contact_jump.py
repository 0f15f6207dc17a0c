"""Contacts at one instant: impacts, and accelerations with closed contacts.

jump:   M (v⁺ − v) + GᵀΛ = JᵀP,  G v⁺ = 0
        Newton    0 ≤ P_N ⊥ u_N⁺ + e min(0, u_N) ≥ 0
        Poisson   P¹ with e = 0, then P_N² ≥ e P_N¹, 0 ≤ P_N² − e P_N¹ ⊥ u_N⁺ ≥ 0, both with friction in their cones
start:  M a + Gᵀλ = Q + Jᵀp,  G a = b,  0 ≤ p_N ⊥ g̈ ≥ 0;  friction against the slip, or against its rate at rest
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isodyn.kernels.compiled import (
    ACCELERATION,
    CONSTRAINT,
    MODEL_TYPE,
    NOT_FINITE,
    OK,
    POSITION,
    VELOCITY,
    FloatArray,
    ModelFunction,
    f8,
    i8,
    kernel,
)
from isodyn.kernels.lowering import by_reference
from isodyn.kernels.struct_types import ADDRESS
from isodyn.linear_solvers.contact_islands import solve_contacts
from isodyn.linear_solvers.contact_ways import ADMISSIBLE
from isodyn.stepping.closure import copy_to, fill_with, finite
from isodyn.stepping.contact_memory import (
    AT_REST,
    CONTACTS,
    OPEN,
    SLIP,
    STICK,
    Contacts,
    Problem,
    Touching,
    add_response,
    ask,
    bear,
    delassus,
    forces_for,
    inverse_of,
    problem_of,
    pushes,
    respond,
    speeds,
    sticks,
)
from isodyn.stepping.contact_step import NO_SOLUTION
from isodyn.stepping.initial import PATIENCE, acceleration, initial_matrix
from isodyn.stepping.memory import COUNTERS, LEG, MEMORY, STATE, Counters, Leg, Memory, Physics, State

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress

POISSON, NEWTON = range(2)
LEAVES = 1e-12  # of the acceleration of a contact without it: less is none


@kernel()
def solve_problem(contacts: Contacts, problem: Problem) -> int:
    """The forces of a contact problem; those that obey its laws only roughly are counted."""
    status = solve_contacts(problem.W, problem.b, problem.laws, 1e-14, problem.p)
    if status == ADMISSIBLE:
        contacts.rough += 1
        return OK
    return status


@kernel()
def take_energy(contacts: Contacts, problem: Problem, P: FloatArray, before: FloatArray) -> None:
    """Energy that each contact takes by its impulses P, with the rates before them; `before`
    becomes the rates after them."""
    for k in range(problem.members.size):
        for j in range(problem.laws.first[k], problem.laws.first[k + 1]):
            change = 0.0
            for m in range(P.size):
                change += problem.W[j, m] * P[m]
            contacts.lost[problem.members[k]] -= P[j] * (before[j] + 0.5 * change)
            problem.b[j] = before[j] + change
    copy_to(problem.b, before)


@kernel()
def by_poisson(contacts: Contacts, problem: Problem, restitution: FloatArray, before: FloatArray, P: FloatArray) -> int:
    """Impulses of compression and expansion, into P; problem.b and `before` hold the rates
    before."""
    many = problem.rows.size
    status = solve_problem(contacts, problem)
    if status != OK:
        return status
    copy_to(problem.p, P)
    take_energy(contacts, problem, P, before)
    for k in range(problem.members.size):
        problem.laws.base[k] = restitution[k] * problem.p[problem.laws.first[k]]
    for i in range(many):  # rates after compression, with what comes back at least
        for k in range(problem.members.size):
            problem.b[i] += problem.W[i, problem.laws.first[k]] * problem.laws.base[k]
    for i in range(problem.laws.fixed.size):
        for k in range(problem.members.size):
            problem.laws.fixed[i] += problem.laws.lever[i, problem.laws.first[k]] * problem.laws.base[k]
    fill_with(problem.p, 0.0)
    status = solve_problem(contacts, problem)
    for k in range(problem.members.size):
        problem.p[problem.laws.first[k]] += problem.laws.base[k]
    for j in range(many):
        P[j] += problem.p[j]
    take_energy(contacts, problem, problem.p, before)
    return status


@kernel()
def by_newton(contacts: Contacts, problem: Problem, restitution: FloatArray, before: FloatArray, P: FloatArray) -> int:
    """Impulses that turn rates round, into P; problem.b and `before` hold the rates before."""
    for k in range(problem.members.size):
        i = problem.laws.first[k]
        problem.b[i] += restitution[k] * min(0.0, problem.b[i])
    status = solve_problem(contacts, problem)
    copy_to(problem.p, P)
    take_energy(contacts, problem, P, before)
    return status


@kernel()
def mass_at(p: Physics, leg: Leg, t: float, state: State, memory: Memory, counters: Counters) -> int:
    """The mass matrix of a state, with its constraints, as the matrix in memory."""
    c = memory.c
    copy_to(state.q, memory.q)
    copy_to(state.v, memory.v)
    fill_with(memory.a, 0.0)
    fill_with(memory.d_p, 0.0)
    copy_to(state.v, memory.v_p)
    fill_with(memory.a_p, 0.0)
    fill_with(memory.x, 0.0)
    c[0], c[1], c[2], c[3] = 1.0, 0.0, 0.0, 1.0
    memory.factors_good = 0
    return initial_matrix(p, leg, t, state, c, memory, counters)


@kernel()
def prepare(
    p: Physics, g: Touching, problem: Problem, leg: Leg, t: float, state: State, memory: Memory, counters: Counters
) -> int:
    """Responses and W at a state, from its mass matrix."""
    c = memory.c
    status = mass_at(p, leg, t, state, memory, counters)
    if status == OK:
        status = ask(g, CONSTRAINT, t, state.q, state.v, memory.a, c, g.contacts.J)
    if status == OK:
        status = ask(g, VELOCITY, t, state.q, state.v, memory.a, c, g.contacts.rate)
    if status == OK:
        status = respond(p, t, c, memory, g.contacts, problem, g.contacts.J)
        delassus(g.contacts, 1.0, problem, g.contacts.J)
    return status


JUMP = i8(MODEL_TYPE, ADDRESS, ADDRESS, LEG, f8, STATE, MEMORY, COUNTERS, MODEL_TYPE, CONTACTS)


@kernel(JUMP, apart=True, allocates=True)
def jump(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    leg: Leg,
    t: float,
    state: State,
    memory: Memory,
    counters: Counters,
    gap_model: ModelFunction,
    contacts: Contacts,
) -> int:
    """The jump of state.v by an impact of the contacts that are hit; impulses are added to
    contacts.impulse, energy that each contact takes to contacts.lost."""
    p = by_reference(Physics(model, leg.traits, leg.holonomic, leg.closure, memory.rows, tables, scratch))
    g = by_reference(Touching(gap_model, contacts))
    problem = problem_of(contacts, contacts.hit, memory.r.size)
    status = prepare(p, g, problem, leg, t, state, memory, counters)
    if status != OK:
        return status
    many = problem.rows.size
    P, e, before = np.zeros(many), np.empty(problem.members.size), np.empty(many)
    for k in range(problem.members.size):
        e[k] = contacts.bounce[problem.members[k]]
    for j in range(many):
        before[j] = problem.b[j] = contacts.rate[problem.rows[j]]
    fill_with(memory.dx, 0.0)
    fill_with(memory.lam, 0.0)
    bear(p, contacts, problem, memory.x.size, memory.lam, memory.dx)
    poisson = contacts.law == POISSON
    status = by_poisson(contacts, problem, e, before, P) if poisson else by_newton(contacts, problem, e, before, P)
    if status != OK:
        return NO_SOLUTION
    for j in range(many):
        add_response(problem, j, P[j], state.v)
        contacts.impulse[problem.rows[j]] += P[j]
    memory.factors_good = 0
    return OK if finite(state.v) else NOT_FINITE


@kernel(JUMP, apart=True, allocates=True)
def bring_to_rest(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    leg: Leg,
    t: float,
    state: State,
    memory: Memory,
    counters: Counters,
    gap_model: ModelFunction,
    contacts: Contacts,
) -> int:
    """Project state.v onto ġ = 0 of the contacts that are hit: what a sequence of impacts without
    restitution comes to, in which they throw each other off again and again. Energy that it takes
    is added to contacts.lost."""
    p = by_reference(Physics(model, leg.traits, leg.holonomic, leg.closure, memory.rows, tables, scratch))
    g = by_reference(Touching(gap_model, contacts))
    problem = problem_of(contacts, contacts.hit, memory.r.size)
    status = prepare(p, g, problem, leg, t, state, memory, counters)
    if status != OK:
        return status
    many = problem.members.size
    chosen, u = np.empty(many, np.int64), np.empty(many)
    for k in range(many):
        chosen[k], u[k] = problem.laws.first[k], -contacts.rate[problem.members[k]]
    inverse = inverse_of(problem, chosen, many, 1.0)
    impulses = forces_for(problem, chosen, many, 1.0, inverse, u)
    for k in range(many):
        add_response(problem, chosen[k], impulses[k], state.v)
        contacts.lost[problem.members[k]] += 0.5 * impulses[k] * u[k]
    memory.factors_good = 0
    return OK if finite(state.v) else NOT_FINITE


@kernel()
def known_slips(contacts: Contacts, problem: Problem, v: FloatArray) -> None:
    """Directions of contacts that slide."""
    for k in range(problem.members.size):
        i, end, size, number = problem.laws.first[k], problem.laws.first[k + 1], 0.0, problem.members[k]
        for j in range(i + 1, end):
            size += contacts.rate[problem.rows[j]] ** 2
            contacts.fastest[number] = max(contacts.fastest[number], speeds(contacts, contacts.J, problem.rows[j], v))
        size = np.sqrt(size)
        problem.laws.sliding[k] = size > AT_REST * contacts.fastest[number]
        if problem.laws.sliding[k] == 1:
            for j in range(i + 1, end):
                problem.laws.direction[j] = contacts.rate[problem.rows[j]] / size


@kernel()
def solve_at_rest(contacts: Contacts, problem: Problem) -> int:
    """Forces at a start: contacts at rest have the friction of rest, unless it does not hold
    them."""
    for k in range(problem.members.size):
        number = problem.members[k]
        if problem.laws.sliding[k] == 0 and contacts.loose[number] == 0:
            problem.laws.mu[k] = contacts.mu_static[number]
    for _ in range(problem.members.size + 1):
        status, torn = solve_problem(contacts, problem), False
        for k in range(problem.members.size):
            slower = contacts.mu[problem.members[k]]
            if status == OK and problem.laws.mu[k] > slower and pushes(problem, k) and not sticks(problem, k):
                problem.laws.mu[k], torn = slower, True
        if not torn:
            break
    return status


@kernel()
def hold_what_turns(dt: float, slips: FloatArray, jammed: bool, problem: Problem) -> bool:
    """Where friction would turn slips u round within a step that is not cut there, or where there
    are no forces with their directions: friction is that of a step now, which stops them, u + Δt u̇
    = 0, or is against that; whether there were such slips. Slow slip in a wedge may have forces and
    accelerations of a microsecond, of any size."""
    found, laws = False, problem.laws
    for k in range(problem.members.size):
        i, end, size, along = laws.first[k], laws.first[k + 1], 0.0, 0.0
        for j in range(i + 1, end):
            rate = problem.b[j]
            for m in range(problem.rows.size):
                rate += problem.W[j, m] * problem.p[m]
            size += slips[j] ** 2
            along += slips[j] * rate
        if laws.sliding[k] == 1 and (jammed or size + dt * along < 0.0):
            laws.sliding[k], found = 0, True
            for j in range(i + 1, end):
                problem.b[j] += slips[j] / dt
    return found


START = JUMP


@kernel(START, apart=True, allocates=True)
def contact_acceleration(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    leg: Leg,
    t: float,
    state: State,
    memory: Memory,
    counters: Counters,
    gap_model: ModelFunction,
    contacts: Contacts,
) -> int:
    """state.a, state.lam and contacts.force at a state with closed contacts; those that leave are
    opened."""
    p = by_reference(Physics(model, leg.traits, leg.holonomic, leg.closure, memory.rows, tables, scratch))
    g = by_reference(Touching(gap_model, contacts))
    n, c = memory.x.size, memory.c
    status = acceleration(p, leg, t, state, memory, counters, PATIENCE)
    if status != OK:
        return status
    fill_with(contacts.force, 0.0)
    problem = problem_of(contacts, contacts.closed, memory.r.size)
    status = prepare(p, g, problem, leg, t, state, memory, counters)
    slips, sliding = contacts.rate[problem.rows], problem.laws.sliding.copy()
    if status == OK:
        known_slips(contacts, problem, state.v)
        sliding[:] = problem.laws.sliding
        status = ask(g, ACCELERATION, t, state.q, state.v, state.a, c, contacts.rate)
    if status != OK:
        return status
    for j in range(problem.rows.size):
        problem.b[j] = contacts.rate[problem.rows[j]]
    fill_with(memory.dx, 0.0)
    bear(p, contacts, problem, n, state.lam, memory.dx)
    status = solve_at_rest(contacts, problem)
    while contacts.uncut > 0.0 and hold_what_turns(contacts.uncut, slips, status != OK, problem):
        status = solve_at_rest(contacts, problem)
    if status != OK:
        return NO_SOLUTION
    problem.laws.sliding[:] = sliding  # what is held still slides
    for j in range(problem.rows.size):
        add_response(problem, j, problem.p[j], memory.dx)
        contacts.force[problem.rows[j]] = problem.p[j]
    for i in range(n):
        state.a[i] += memory.dx[i]
    for j in range(p.rows.size):
        state.lam[p.rows[j]] += memory.dx[n + j]
    copy_to(contacts.force, contacts.balance)
    open_those_that_leave(problem, contacts)
    memory.factors_good = 0
    return OK if finite(state.a) else NOT_FINITE


@kernel()
def open_those_that_leave(problem: Problem, contacts: Contacts) -> None:
    """After a start: contacts without a force whose gaps grow are open; what the others do."""
    for k in range(problem.members.size):
        number = problem.members[k]
        contacts.mode[number] = STICK if pushes(problem, k) and sticks(problem, k) else SLIP
        i = problem.laws.first[k]
        if pushes(problem, k):
            continue
        grows, size = problem.b[i], abs(problem.b[i])
        for m in range(problem.rows.size):
            grows += problem.W[i, m] * problem.p[m]
            size = max(size, abs(problem.W[i, m] * problem.p[m]))
        if grows > LEAVES * size:
            contacts.closed[number], contacts.mode[number] = 0, OPEN


LOOK = i8(f8, STATE, MEMORY, MODEL_TYPE, CONTACTS)


@kernel(LOOK, apart=True)
def look_at_contacts(t: float, state: State, memory: Memory, gap_model: ModelFunction, contacts: Contacts) -> int:
    """Gaps, rates and rows of all contacts at a state, into contacts.gap, contacts.rate,
    contacts.J."""
    g = by_reference(Touching(gap_model, contacts))
    status = ask(g, POSITION, t, state.q, state.v, state.a, memory.c, contacts.gap)
    if status == OK:
        status = ask(g, VELOCITY, t, state.q, state.v, state.a, memory.c, contacts.rate)
    if status == OK:
        status = ask(g, CONSTRAINT, t, state.q, state.v, state.a, memory.c, contacts.J)
    return status
