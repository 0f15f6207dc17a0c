"""Named memory of contacts, and their rows.

A second model answers for all contacts what the first one answers for constraints: POSITION is the
gaps g(q, t), VELOCITY the rates ġ and the slips, CONSTRAINT their matrices D and T, ACCELERATION
g̈ and the rates of the slips. Row k < nc is the normal of contact k; its tangents are the rows
tangent[k] … tangent[k + 1] behind all normals.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types

from isodyn.kernels.compiled import MODEL_TYPE, OK, FloatArray, IntArray, ModelFunction, kernel
from isodyn.kernels.lowering import Reference
from isodyn.kernels.struct import Struct, integer, integers, real, reals
from isodyn.kernels.struct_types import StructType, struct_at
from isodyn.linear_solvers.contact_factors import FINE, factor_contact_matrix, solve_contact_matrix
from isodyn.linear_solvers.contact_laws import Laws, is_two_sided
from isodyn.linear_solvers.shortest import SMALL, invert
from isodyn.stepping.corrections import solve
from isodyn.stepping.memory import Memory, Physics

OPEN, STICK, SLIP = range(3)  # what a contact does; one without friction that is closed slips
STUCK = 1.0 - 1e-9  # of the radius of the cone: less friction than this sticks
NO_PUSH = 1e-9  # of the fastest speed of a contact: it opens if it separates faster
AT_REST = 1e-9  # of the same: slower slip is none


class Contacts(Struct):
    """What is known of all contacts at t_n, and memory of a step."""

    mu, mu_static, restitution = reals("contacts"), reals("contacts"), reals("contacts")
    tangent = integers("ends")
    # of two-sided contacts, the constraints whose multipliers are their normal forces, times `levers`
    bears, bearings, levers = integers("ends"), integers("bearings"), reals("bearings")
    size = reals("contacts")  # typical lengths of the gaps
    fastest = reals("contacts")  # the largest speeds so far: of the bodies, and what its force makes in a step
    closed, mode = integers("contacts"), integers("contacts")
    # … and before the last step, with forces
    closed_before, mode_before, force_before = integers("contacts"), integers("contacts"), reals("rows")
    loose = integers("contacts")  # contacts at rest that have just been torn loose
    uncut = real  # the size of steps that are not cut where slip turns round; zero where they are
    slip = reals("rows")  # of closed contacts that slide, at the beginning of a step; zero of others
    force, balance, impulse = reals("rows"), reals("rows"), reals("rows")  # at t_n, at the balance
    gap, gap_before, rate, rate_before = reals("contacts"), reals("contacts"), reals("rows"), reals("rows")
    J, J_1 = reals("values"), reals("values")  # rows at the balance, at t_{n+1}: their entries,
    starts, columns = integers("row_ends"), integers("values")  # where rows begin, and the columns of entries
    # ---- which coordinates of q are places of bodies, where they were when the contacts were chosen that are
    # looked at, and how far they may go until others are chosen
    places, anchor, margin = integers("places"), reals("places"), real
    culprit = integer  # the contact that an event is about
    upto, seen = integer, integer  # the step that a march goes to; whether events were seen in its last one
    tables, scratch = integer, integer  # addresses of those of the model of the contacts
    rough = integer  # impacts and starts whose forces obey Coulomb's law only roughly
    # ---- of an impact: which contacts take part, with which restitution, by which law; energy that each took
    hit, bounce, law, lost = integers("contacts"), reals("contacts"), integer, reals("contacts")


class Touching(NamedTuple):
    """The model of the contacts, and their memory."""

    model: ModelFunction
    contacts: Contacts


CONTACTS = StructType(Contacts)
TOUCHING = types.NamedTuple((MODEL_TYPE, CONTACTS), Touching)
TOUCHING_REF = Reference(TOUCHING)


class Problem(NamedTuple):
    """A contact problem of some contacts: their rows, numbers, laws, responses Y = matrix⁻¹ Jᵀ (a
    row for each), W = J Y, and forces."""

    rows: IntArray
    members: IntArray
    laws: Laws
    Y: FloatArray
    W: FloatArray
    b: FloatArray
    p: FloatArray


@kernel(allocates=True)
def problem_of(contacts: Contacts, flags: IntArray, unknowns: int) -> Problem:
    """The contact problem of the contacts with a flag, without its numbers."""
    many, size, borne = 0, 0, 0
    for k in range(flags.size):
        if flags[k] == 1:
            many += 1
            borne += contacts.bears[k + 1] - contacts.bears[k]
            size += 1 + contacts.tangent[k + 1] - contacts.tangent[k]
    rows, first, members = np.empty(size, np.int64), np.zeros(many + 1, np.int64), np.empty(many, np.int64)
    mu, bears, place, i = np.empty(many), np.zeros(many + 1, np.int64), 0, 0
    for k in range(flags.size):
        if flags[k] == 1:
            members[i], mu[i] = k, contacts.mu[k]
            rows[place] = k
            place += 1
            for j in range(contacts.tangent[k], contacts.tangent[k + 1]):
                rows[place] = j
                place += 1
            i += 1
            first[i], bears[i] = place, bears[i - 1] + contacts.bears[k + 1] - contacts.bears[k]
    Y, W, lever = np.zeros((size, unknowns)), np.zeros((size, size)), np.zeros((borne, size))
    none, flat = np.zeros(many), np.zeros(many, np.int64)
    laws = Laws(first, mu, none, flat, np.zeros(size), bears, np.zeros(borne), lever)
    return Problem(rows, members, laws, Y, W, np.zeros(size), np.zeros(size))


@kernel()
def bear(p: Physics, contacts: Contacts, problem: Problem, n: int, lam: FloatArray, dx: FloatArray) -> None:
    """What constraints carry of two-sided contacts: N = fixed + lever · forces, where λ is `lam`
    and changes by dx without a change of the forces."""
    for k in range(problem.members.size):
        number = problem.members[k]
        for i in range(problem.laws.bears[k], problem.laws.bears[k + 1]):
            m = contacts.bears[number] + i - problem.laws.bears[k]
            row, scale = contacts.bearings[m], contacts.levers[m]
            problem.laws.fixed[i] = scale * lam[row]
            for j in range(p.rows.size):
                if p.rows[j] != row:
                    continue
                problem.laws.fixed[i] += scale * dx[n + j]
                for s in range(problem.p.size):
                    problem.laws.lever[i, s] = scale * problem.Y[s, n + j]
                    problem.laws.fixed[i] -= problem.laws.lever[i, s] * problem.p[s]


@kernel()
def ask(
    g: Touching, what: int, t: float, q: FloatArray, v: FloatArray, a: FloatArray, c: FloatArray, out: FloatArray
) -> int:
    """A question to the model of the contacts."""
    tables, scratch = struct_at(g.contacts.tables), struct_at(g.contacts.scratch)
    return g.model(what, t, q, v, a, g.contacts.balance, c, tables, scratch, out)


@kernel()
def respond(
    p: Physics, t: float, c: FloatArray, memory: Memory, contacts: Contacts, problem: Problem, J: FloatArray
) -> int:
    """Y: what a unit of each force of the contacts does, by the factors in memory."""
    status = OK
    for j in range(problem.rows.size):
        y = problem.Y[j]
        for i in range(y.size):
            y[i] = 0.0
        add_row(contacts, J, problem.rows[j], 1.0, y)
        status = solve(p, t, c, memory, y, memory.r_plus, False)
        if status != OK:
            return status
    return status


@kernel()
def transpose(W: FloatArray) -> None:
    """W ← Wᵀ."""
    for i in range(W.shape[0]):
        for j in range(i):
            W[i, j], W[j, i] = W[j, i], W[i, j]


@kernel()
def delassus(contacts: Contacts, factor: float, problem: Problem, J: FloatArray) -> None:
    """W = factor · J Y; a row of J knows few bodies."""
    if problem.rows.size > SMALL:
        sparse_delassus(contacts, factor, problem, J)
        return
    for i in range(problem.rows.size):
        for j in range(problem.rows.size):
            problem.W[i, j] = factor * along(contacts, J, problem.rows[i], problem.Y[j])


@kernel(allocates=True)
def sparse_delassus(contacts: Contacts, factor: float, problem: Problem, J: FloatArray) -> None:
    """W = factor · J Y of many rows: of each response only the coordinates that it moves, and of
    these only the rows that know them."""
    many, n, W = problem.rows.size, problem.Y.shape[1], problem.W
    begins = np.zeros(n + 1, np.int64)
    for i in range(many):
        for k in range(contacts.starts[problem.rows[i]], contacts.starts[problem.rows[i] + 1]):
            begins[contacts.columns[k] + 1] += 1
    for c in range(n):
        begins[c + 1] += begins[c]
    owner, value, place = np.empty(begins[n], np.int64), np.empty(begins[n]), begins[:n].copy()
    for i in range(many):
        for k in range(contacts.starts[problem.rows[i]], contacts.starts[problem.rows[i] + 1]):
            c = contacts.columns[k]
            owner[place[c]], value[place[c]] = i, factor * J[k]
            place[c] += 1
    for j in range(many):
        for i in range(many):
            W[j, i] = 0.0
        for c in range(n):
            if problem.Y[j, c] != 0.0:
                for k in range(begins[c], begins[c + 1]):
                    W[j, owner[k]] += value[k] * problem.Y[j, c]
    transpose(W)  # so far along rows


@kernel()
def hold_at_rest(contacts: Contacts, problem: Problem) -> None:
    """Contacts that stick have the friction of rest."""
    for k in range(problem.members.size):
        number = problem.members[k]
        if contacts.mode[number] == STICK:
            problem.laws.mu[k] = contacts.mu_static[number]


@kernel()
def along(contacts: Contacts, J: FloatArray, row: int, x: FloatArray) -> float:
    """J x of one row."""
    found = 0.0
    for k in range(contacts.starts[row], contacts.starts[row + 1]):
        found += J[k] * x[contacts.columns[k]]
    return found


@kernel()
def add_row(contacts: Contacts, J: FloatArray, row: int, f: float, out: FloatArray) -> None:
    """out += f times a row of J."""
    for k in range(contacts.starts[row], contacts.starts[row + 1]):
        out[contacts.columns[k]] += f * J[k]


@kernel()
def speeds(contacts: Contacts, J: FloatArray, row: int, v: FloatArray) -> float:
    """Σ|J||v| of one row: how large its rate could be."""
    found = 0.0
    for k in range(contacts.starts[row], contacts.starts[row + 1]):
        found += abs(J[k] * v[contacts.columns[k]])
    return found


@kernel()
def add_response(problem: Problem, j: int, f: float, out: FloatArray) -> None:
    """out += f Y_j, as far as out goes."""
    for i in range(out.size):
        out[i] += f * problem.Y[j, i]


@kernel(allocates=True)
def begins_of(first: IntArray, chosen: IntArray, many: int) -> IntArray:
    """Where the contacts begin among the chosen components, which are in order."""
    begins, count, k, i = np.zeros(first.size, np.int64), 0, 0, 0
    while i < many:
        while first[k + 1] <= chosen[i]:
            k += 1
        while i < many and chosen[i] < first[k + 1]:
            i += 1
        count += 1
        begins[count] = i
    return begins[: count + 1].copy()


@kernel(allocates=True)
def with_unit_diagonal(problem: Problem, chosen: IntArray, many: int, factor: float, size: FloatArray) -> FloatArray:
    """factor · W of the chosen rows, which may be of unlike units, brought to a unit diagonal; √ of
    what that was into `size`."""
    A = np.empty((many, many))
    for i in range(many):
        size[i] = np.sqrt(max(factor * problem.W[chosen[i], chosen[i]], 1e-300))
    for i in range(many):
        for j in range(many):
            A[i, j] = factor * problem.W[chosen[i], chosen[j]] / (size[i] * size[j])
    return A


@kernel(allocates=True)
def inverse_of(problem: Problem, chosen: IntArray, many: int, factor: float) -> FloatArray:
    """The inverse of factor · W of a few chosen rows, the shortest where they depend on each other;
    none of many rows, which have sparse factors."""
    few = many if many <= SMALL else 0
    found, size = np.empty((few, few)), np.empty(few)
    invert(with_unit_diagonal(problem, chosen, few, factor, size), found)
    for i in range(few):
        for j in range(few):
            found[i, j] /= size[i] * size[j]
    return found


@kernel(allocates=True)
def forces_by_factors(problem: Problem, chosen: IntArray, many: int, factor: float, x: FloatArray) -> FloatArray:
    """Forces that move many chosen rows by x."""
    f, size = np.empty(many), np.empty(many)
    A, begins = with_unit_diagonal(problem, chosen, many, factor, size), begins_of(problem.laws.first, chosen, many)
    for i in range(many):
        f[i] = x[i] / size[i]
    solve_contact_matrix(factor_contact_matrix(A, begins), A, begins, FINE, f)
    for i in range(many):
        f[i] /= size[i]
    return f


@kernel(allocates=True)
def forces_for(
    problem: Problem, chosen: IntArray, many: int, factor: float, inverse: FloatArray, x: FloatArray
) -> FloatArray:
    """Forces that move the chosen rows by x, with the inverse of a few rows."""
    if many > SMALL:
        return forces_by_factors(problem, chosen, many, factor, x)
    f = np.zeros(many)
    for i in range(many):
        for j in range(many):
            f[i] += inverse[i, j] * x[j]
    return f


@kernel()
def pushes(problem: Problem, k: int) -> bool:
    """Whether contact k of a problem holds."""
    return bool(problem.p[problem.laws.first[k]] > 0.0)


@kernel()
def sticks(problem: Problem, k: int) -> bool:
    """Whether contact k of a problem, which holds, sticks: p_T and p_T − u_T/W are inside its cone.
    Of small p_N beside others p_T alone tells nothing: their rounding is wider than its rim."""
    i, end = problem.laws.first[k], problem.laws.first[k + 1]
    if end == i + 1 or problem.laws.sliding[k] == 1:
        return False
    heavy, force, tried = 0.0, 0.0, 0.0
    for j in range(i + 1, end):
        heavy = max(heavy, problem.W[j, j])
        force += problem.p[j] ** 2
    for j in range(i + 1, end):
        slip = problem.b[j]
        for m in range(problem.p.size):
            slip += problem.W[j, m] * problem.p[m]
        tried += (problem.p[j] - slip / heavy) ** 2 if heavy > 0.0 else 0.0
    return bool(np.sqrt(max(force, tried)) <= STUCK * problem.laws.mu[k] * problem.p[i])


@kernel()
def choose_pushing(problem: Problem, chosen: IntArray) -> int:
    """The normal rows of one-sided contacts that hold, and how many they are."""
    many = 0
    for k in range(problem.members.size):
        if pushes(problem, k) and not is_two_sided(problem.laws, k):
            chosen[many] = problem.laws.first[k]
            many += 1
    return many


@kernel()
def are_the_same(chosen: IntArray, before: IntArray, many: int) -> bool:
    """Whether the same rows are chosen as before."""
    same = True
    for i in range(many):
        same = same and chosen[i] == before[i]
    return same


@kernel(allocates=True)
def add_responses(
    problem: Problem, chosen: IntArray, many: int, factor: float, inverse: FloatArray, x: FloatArray, out: FloatArray
) -> None:
    """out += responses to the forces that move the chosen rows by x."""
    f = forces_for(problem, chosen, many, factor, inverse, x)
    for i in range(many):
        add_response(problem, chosen[i], f[i], out)
