"""Where contacts hold: positions and velocities at the end of a step are moved there.

    g(q₁) = 0, φ(q₁) = 0,   D(q₁) v₁ = 0, G(q₁) v₁ = 0, and T(q₁) v₁ = 0 where they stick

in the range of the step's own matrix; of redundant contacts already in the iteration of the step.
Derivation: docs/derivations/contact.md.
"""

from __future__ import annotations

import numpy as np

from isodyn.kernels.compiled import CONSTRAINT, OK, POSITION, VELOCITY, FloatArray, kernel
from isodyn.linear_solvers.contact_laws import is_two_sided
from isodyn.linear_solvers.shortest import SMALL
from isodyn.stepping.closure import ask_levels, copy_to, measure, retract
from isodyn.stepping.contact_memory import (
    Problem,
    Touching,
    add_responses,
    along,
    are_the_same,
    ask,
    choose_pushing,
    delassus,
    inverse_of,
    pushes,
    sticks,
    with_unit_diagonal,
)
from isodyn.stepping.corrections import solve
from isodyn.stepping.memory import EPS, Memory, Physics
from isodyn.stepping.projection import fill

CORRECTIONS = 8  # of positions and velocities at the end of a step
NEARLY = 1e-4  # of a diagonal of one: normals whose pivots are smaller nearly depend on each other


@kernel(allocates=True)
def correct_position(
    p: Physics, g: Touching, problem: Problem, factor: float, t: float, t_1: float, memory: Memory
) -> int:
    """Move q₁ to φ = 0, and to g = 0 of contacts that hold or have closed further."""
    contacts, c = g.contacts, memory.c
    chosen, x = np.empty(problem.members.size, np.int64), np.empty(problem.members.size)
    before, status = np.empty(problem.members.size, np.int64), OK
    known = choose_pushing(problem, before)
    inverse = inverse_of(problem, before, known, factor)
    for _ in range(CORRECTIONS):
        if p.rows.size > 0 and p.holonomic > 0:
            status = ask_levels(p, t_1, c, memory, True, False)
            if status != OK:
                return status
        fill(p, memory.gap_q, p.holonomic, memory, memory.dp)
        if p.rows.size > 0:
            status = solve(p, t, c, memory, memory.dp, memory.r_plus, False)
        if status == OK:
            status = ask(g, POSITION, t_1, memory.q_1, memory.v_1, memory.a, c, contacts.gap)
        if status != OK:
            return status
        many = 0
        for k in range(problem.members.size):
            number = problem.members[k]
            gap = contacts.gap[number] + along(contacts, contacts.J_1, number, memory.dp)
            if (pushes(problem, k) or gap < 0.0) and not is_two_sided(problem.laws, k):
                chosen[many], x[many] = problem.laws.first[k], -gap
                many += 1
        if many != known or not are_the_same(chosen, before, many):
            inverse, known = inverse_of(problem, chosen, many, factor), many
            before[:many] = chosen[:many]
        add_responses(problem, chosen, many, factor, inverse, x, memory.dp)
        memory.brought_back += measure(memory.dp, memory.by_v)
        copy_to(memory.dp, memory.d)
        copy_to(memory.q_1, memory.q)
        status = retract(p, memory.q, memory.d, c, memory.q_1)
        if status != OK or measure(memory.dp, memory.by_v) <= 2.0 * EPS * measure(memory.q_1, memory.by_q):
            break
    return status


@kernel(allocates=True)
def correct_velocity(
    p: Physics, g: Touching, problem: Problem, factor: float, t: float, t_1: float, memory: Memory
) -> int:
    """Move v₁ to φ̇ = 0, ψ = 0, to ġ = 0 of contacts that hold, and to no slip where they stick."""
    contacts, c, n = g.contacts, memory.c, memory.x.size
    chosen, x, many = np.empty(problem.rows.size, np.int64), np.empty(problem.rows.size), 0
    for k in range(problem.members.size):
        if pushes(problem, k):
            last = problem.laws.first[k + 1] if sticks(problem, k) else problem.laws.first[k] + 1
            for j in range(problem.laws.first[k] + (1 if is_two_sided(problem.laws, k) else 0), last):
                chosen[many] = j
                many += 1
    inverse = inverse_of(problem, chosen, many, factor)
    status = ask(g, CONSTRAINT, t_1, memory.q_1, memory.v_1, memory.a, c, contacts.J_1)
    for _ in range(CORRECTIONS):
        if status == OK and p.rows.size > 0:
            status = ask_levels(p, t_1, c, memory, False, True)
        if status != OK:
            return status
        fill(p, memory.gap_v, memory.gap_v.size, memory, memory.dx)
        if p.rows.size > 0:
            status = solve(p, t, c, memory, memory.dx, memory.r_plus, False)
        if status == OK:
            status = ask(g, VELOCITY, t_1, memory.q_1, memory.v_1, memory.a, c, contacts.rate)
        for i in range(many):
            row = problem.rows[chosen[i]]
            x[i] = -contacts.rate[row] - along(contacts, contacts.J_1, row, memory.dx)
        add_responses(problem, chosen, many, factor, inverse, x, memory.dx)
        for i in range(n):
            memory.v_1[i] += memory.dx[i]
        if measure(memory.dx, memory.by_v) <= EPS * measure(memory.v_1, memory.by_v):
            break
    return status


@kernel()
def rates_at_end(g: Touching, problem: Problem, along_x: float, t_1: float, memory: Memory) -> int:
    """Rows and rates of the contacts at the end, and W. They have the same rows: where contacts are
    redundant they must fit together."""
    c = memory.c
    status = ask(g, CONSTRAINT, t_1, memory.q_1, memory.v_1, memory.a, c, g.contacts.J_1)
    if status == OK:
        status = ask(g, VELOCITY, t_1, memory.q_1, memory.v_1, memory.a, c, g.contacts.rate)
    if status == OK:
        delassus(g.contacts, along_x, problem, g.contacts.J_1)
    return status


@kernel()
def loses_rank(A: FloatArray, many: int) -> bool:
    """Whether a matrix with a diagonal of one nearly loses rank, by Gauss with full pivots; it is
    overwritten."""
    for done in range(many):
        row, column, largest = done, done, 0.0
        for i in range(done, many):
            for j in range(done, many):
                if abs(A[i, j]) > largest:
                    row, column, largest = i, j, abs(A[i, j])
        if largest < NEARLY:
            return True
        for j in range(done, many):
            A[done, j], A[row, j] = A[row, j], A[done, j]
        for i in range(done, many):
            A[i, done], A[i, column] = A[i, column], A[i, done]
        for i in range(done + 1, many):
            part = A[i, done] / A[done, done]
            for j in range(done, many):
                A[i, j] -= part * A[done, j]
    return False


@kernel(allocates=True)
def are_redundant(problem: Problem) -> bool:
    """Whether normals of a few contacts nearly depend on each other."""
    one_sided, many = np.empty(problem.members.size, np.int64), 0
    for k in range(problem.members.size):
        if not is_two_sided(problem.laws, k):
            one_sided[many] = problem.laws.first[k]
            many += 1
    if many < 2 or many > SMALL:
        return False
    return loses_rank(with_unit_diagonal(problem, one_sided, many, 1.0, np.empty(many)), many)


@kernel(allocates=True)
def rates_without_gaps(
    p: Physics, g: Touching, problem: Problem, along_x: float, t: float, t_1: float, memory: Memory
) -> int:
    """Rows and rates at the end where it is moved to no gaps. There the normals of faces that lie
    on each other are one; before, they differ by the error of the step, and that would choose which
    three of their points push."""
    at_balance = memory.q.copy()
    status = correct_position(p, g, problem, 1.0 / along_x, t, t_1, memory)
    copy_to(at_balance, memory.q)
    return rates_at_end(g, problem, along_x, t_1, memory) if status == OK else status
