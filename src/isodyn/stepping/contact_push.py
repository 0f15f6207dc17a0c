"""Out of obstacles: the least change of positions that leaves no gap below zero.

    ½ Δqᵀ M Δq → min,  φ = 0,  g ≥ 0:   M Δq = Gᵀμ + Dᵀν,  0 ≤ ν ⊥ g ≥ 0

for steps that are taken to their ends although gaps closed in them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isodyn.kernels.compiled import OK, POSITION, FloatArray, IntArray, ModelFunction, kernel
from isodyn.kernels.lowering import by_reference
from isodyn.linear_solvers.contact_islands import solve_contacts
from isodyn.linear_solvers.contact_laws import Laws
from isodyn.stepping.closure import ask_levels, copy_to, measure, retract
from isodyn.stepping.contact_jump import START, mass_at, prepare
from isodyn.stepping.contact_memory import Contacts, Problem, Touching, add_response, along, ask, problem_of
from isodyn.stepping.contact_step import NO_SOLUTION
from isodyn.stepping.corrections import solve
from isodyn.stepping.memory import EPS, Counters, Leg, Memory, Physics, State
from isodyn.stepping.projection import fill, project_velocity

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress

PUSHES = 12  # most iterations onto g ≥ 0


@kernel(allocates=True)
def contacts_within_reach(t: float, state: State, memory: Memory, g: Touching) -> IntArray:
    """Flags of the contacts that are closed, or could become so when others are opened."""
    contacts, deepest = g.contacts, 0.0
    ask(g, POSITION, t, state.q, state.v, state.a, memory.c, contacts.gap)
    for k in range(contacts.gap.size):
        deepest = max(deepest, -contacts.gap[k])
    flags = np.zeros(contacts.gap.size, np.int64)
    for k in range(flags.size):
        one_sided = contacts.bears[k + 1] == contacts.bears[k]
        flags[k] = 1 if one_sided and contacts.gap[k] <= 10.0 * deepest + 1e-3 * contacts.size[k] else 0
    return flags


@kernel()
def gaps_without_pushes(
    contacts: Contacts, problem: Problem, W: FloatArray, total: FloatArray, dp: FloatArray, b: FloatArray
) -> None:
    """b = the gaps after dp without all that has pushed so far, which may become less."""
    for k in range(b.size):
        b[k] = contacts.gap[problem.members[k]] + along(contacts, contacts.J, problem.members[k], dp)
        for j in range(b.size):
            b[k] -= W[k, j] * total[j]


@kernel(START, apart=True, allocates=True)
def push_out(
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
    """Move state.q to g ≥ 0 and φ = 0 by the least change in the mass norm, over all contacts that
    are closed or could become so on the way; the way is memory.x."""
    p = by_reference(Physics(model, leg.traits, leg.holonomic, leg.closure, memory.rows, tables, scratch))
    g = by_reference(Touching(gap_model, contacts))
    c = memory.c
    flags = contacts_within_reach(t, state, memory, g)
    problem = problem_of(contacts, flags, memory.r.size)
    status = prepare(p, g, problem, leg, t, state, memory, counters)
    many = problem.members.size
    W, none, flat = np.empty((many, many)), np.zeros(many), np.zeros(many, np.int64)
    laws = Laws(
        np.arange(many + 1), none, none, flat, none, problem.laws.bears, problem.laws.fixed, np.zeros((0, many))
    )
    for k in range(many):
        for j in range(many):
            W[k, j] = problem.W[problem.laws.first[k], problem.laws.first[j]]
    b, x, total = np.empty(many), np.empty(many), np.zeros(many)
    for _ in range(PUSHES):
        copy_to(state.q, memory.q_1)
        copy_to(state.v, memory.v_1)
        if status == OK and p.rows.size > 0 and p.holonomic > 0:
            status = ask_levels(p, t, c, memory, True, False)
        fill(p, memory.gap_q, p.holonomic, memory, memory.dp)
        if status == OK and p.rows.size > 0:
            status = solve(p, t, c, memory, memory.dp, memory.r_plus, False)
        if status == OK:
            status = ask(g, POSITION, t, state.q, state.v, memory.a, c, contacts.gap)
        if status != OK:
            return status
        gaps_without_pushes(contacts, problem, W, total, memory.dp, b)
        copy_to(total, x)
        if solve_contacts(W, b, laws, 1e-14, x) != OK:
            return NO_SOLUTION
        for k in range(many):
            add_response(problem, problem.laws.first[k], x[k] - total[k], memory.dp)
        copy_to(x, total)
        copy_to(memory.dp, memory.d)
        for i in range(memory.x.size):
            memory.x[i] += memory.dp[i]
        status = retract(p, memory.q_1, memory.d, c, state.q)
        if measure(memory.dp, memory.by_v) <= 2.0 * EPS * measure(state.q, memory.by_q):
            break
    memory.factors_good = 0
    return status


@kernel(START, apart=True, allocates=True)
def into_joints(
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
    """Move state.v to φ̇ = 0 and ψ = 0 where state.q is now, by the least change in the mass norm,
    which takes energy."""
    p = by_reference(Physics(model, leg.traits, leg.holonomic, leg.closure, memory.rows, tables, scratch))
    status = OK
    if p.rows.size > 0:
        status = mass_at(p, leg, t, state, memory, counters)
        copy_to(state.q, memory.q_1)
        copy_to(state.v, memory.v_1)
        if status == OK:
            status = project_velocity(p, t, memory.c, memory)
        copy_to(memory.v_1, state.v)
    memory.factors_good = 0
    return status
