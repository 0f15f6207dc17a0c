"""Ways to the solution of a contact problem (isodyn.linear_solvers.complementarity).

Newton's method from the forces that are known; Gauss–Seidel by contacts, with leaps along what its
sweeps repeat, and Newton again; Lemke's pivots where there is no friction. Coulomb's law is not
monotone: of hundreds of contacts with friction none may end at a solution. Gauss–Seidel then stays
in cones and near one, and impulses without friction are added until nothing approaches: p_T stays
in its cone as p_N grows, and ½pᵀ(b + u) ≤ 0, so that no energy is made. Derivation:
docs/derivations/contact.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from isodyn.kernels.compiled import F2, NOT_CONVERGED, OK, F, FloatArray, f8, i8, kernel
from isodyn.linear_solvers.complementarity import ROUNDS, clean, gauss_seidel, misses, newton, shorten
from isodyn.linear_solvers.contact_laws import LAWS, Delassus, Laws, operator, row_times, scaled, scaled_laws, size_of
from isodyn.linear_solvers.lemke import lemke
from isodyn.linear_solvers.shortest import SMALL, copy, norm

SWEEPS = 400  # of Gauss and Seidel at first
WHOLE_SWEEPS, RELAXED_SWEEPS = 100, 50  # before a leap, with whole changes and with …
RELAXED = 0.5  # … this part of them
FIRST_ROUNDS = 8  # of sweeps and leaps in the first turn
TURNS, FEW_TURNS = 7, 6  # of both, with up to …
LARGE = 620  # … components, and with more
LEAPS, NO_MORE = 40, 1.001  # most doublings of a leap; what may be missed after it, beside before
FEW_ROUNDS = 15  # of Newton's method where sweeps go on without it
NEWTON_FIRST = 25  # … and from the guess where there are many contacts: most are solved in fewer
ROUGH = 1e-5  # where Newton's method goes on from sweeps
ENOUGH = 1e-9  # of the largest p: good enough where nothing better is found …
LAST = 1e-8  # … and at the very end
ROUGHLY = 1e-2  # where many contacts come no nearer, but to this
# a status: the laws are obeyed only roughly. Forces are in their cones; those of impacts also let nothing
# approach and make no energy, which is not ensured at starts where contacts slide
ADMISSIBLE = 121


class Work(NamedTuple):
    """Vectors in which leaps are tried."""

    x: FloatArray
    u: FloatArray
    slope: FloatArray
    miss: FloatArray


@kernel(allocates=True)
def push_apart(d: Delassus, b: FloatArray, laws: Laws, p: FloatArray) -> int:
    """Add normal components to p until nothing approaches, as without friction."""
    first = laws.first
    many = first.size - 1
    W, u, x, flat = np.empty((many, many)), np.empty(many), np.zeros(many), np.zeros(many)
    for k in range(many):
        u[k] = b[first[k]] + row_times(d, first[k], p)
        for m in range(many):
            W[k, m] = d.W[first[k], first[m]]
    bears, none = np.zeros(many + 1, np.int64), np.zeros((0, many))
    law = Laws(np.arange(many + 1), flat, flat, np.zeros(many, np.int64), flat, bears, np.zeros(0), none)
    normal = operator(W, law)
    if not newton(normal, u, law, 1e-13, ROUNDS, x) <= LAST:
        x[:] = 0.0
        if lemke(W, u, x) != OK or not newton(normal, u, law, 1e-13, ROUNDS, x) <= LAST:
            return NOT_CONVERGED
    clean(normal, u, law, x)
    for k in range(many):
        p[first[k]] += x[k]
    return OK


@kernel()
def work_of(d: Delassus, b: FloatArray, p: FloatArray) -> float:
    """½pᵀ(b + u), u = W p + b: what impulses add to the energy."""
    found = 0.0
    for i in range(b.size):
        found += p[i] * (b[i] + 0.5 * row_times(d, i, p))
    return found


@kernel(allocates=True)
def solve_roughly(d: Delassus, b: FloatArray, laws: Laws, p: FloatArray) -> int:
    """What is nearest to a solution by Gauss–Seidel from p: ADMISSIBLE where many contacts obey the
    laws to ROUGHLY, and no energy is made; NOT_CONVERGED otherwise."""
    n = b.size
    u, miss, work = np.empty(n), np.empty(n), np.empty(n)
    if n <= SMALL or laws.fixed.size > 0:
        return NOT_CONVERGED
    gauss_seidel(d, b, laws, 0.01 * ENOUGH, SWEEPS, 1.0, p)
    if not misses(d, b, laws, p, u, work, miss) <= ROUGHLY * size_of(d, b, laws):
        return NOT_CONVERGED
    if laws.sliding.sum() > 0:  # forces at a start: only accelerations depend on them
        return ADMISSIBLE
    if push_apart(d, b, laws, p) != OK or not work_of(d, b, p) <= 0.0:
        return NOT_CONVERGED
    return ADMISSIBLE


@kernel()
def leap(d: Delassus, b: FloatArray, laws: Laws, before: FloatArray, p: FloatArray, m: Work) -> None:
    """Go on from p along its last change, twice as far as long as no more is missed.

    Where contacts that stick depend on each other, sweeps add to forces that balance each other,
    the same in each of thousands, until one of them slides or lets go."""
    misses(d, b, laws, p, m.u, m.slope, m.miss)
    least, far, trial = norm(m.miss), 0.0, 2.0
    for _ in range(LEAPS):
        for i in range(b.size):
            m.x[i] = p[i] + trial * (p[i] - before[i])
        misses(d, b, laws, m.x, m.u, m.slope, m.miss)
        size = norm(m.miss)
        if not size <= NO_MORE * least:
            break
        least, far, trial = min(least, size), trial, 2.0 * trial
    for i in range(b.size):
        p[i] += far * (p[i] - before[i])


@kernel(allocates=True)
def sweep_and_leap(
    d: Delassus, b: FloatArray, laws: Laws, rounds: int, sweeps: int, part: float, p: FloatArray
) -> None:
    """Rounds of sweeps of Gauss and Seidel from p, with a leap after each of them."""
    n = b.size
    m, before = Work(np.empty(n), np.empty(n), np.empty(n), np.empty(n)), np.empty(n)
    for _ in range(rounds):
        gauss_seidel(d, b, laws, 0.01 * ENOUGH, sweeps - 1, part, p)
        copy(p, before)
        if not gauss_seidel(d, b, laws, 0.01 * ENOUGH, 1, part, p) > 0.01 * ENOUGH:
            return
        leap(d, b, laws, before, p, m)


@kernel(allocates=True)
def by_pivots(d: Delassus, b: FloatArray, laws: Laws, tolerance: float, p: FloatArray) -> float:
    """Lemke's pivots where there is no friction, and Newton's method from there; what p misses."""
    if b.size == laws.first.size - 1 and lemke(d.W, b, p) == OK:
        return float(newton(d, b, laws, tolerance, ROUNDS, p))
    return np.inf


@kernel(allocates=True)
def begin_anew(d: Delassus, b: FloatArray, laws: Laws, tolerance: float, p: FloatArray) -> float:
    """Sweeps from p = 0 and Newton's method from there; what the best p misses. Of many contacts
    some are solved from whole changes, others, that run into cycles, from parts of them: both
    take turns, each of which is twice as long as the last one."""
    n = b.size
    whole, relaxed, new = np.zeros(n), np.zeros(n), np.empty(n)
    gauss_seidel(d, b, laws, ROUGH, SWEEPS, 1.0, whole)
    copy(whole, p)
    found = newton(d, b, laws, tolerance, ROUNDS, p)
    if not found <= ENOUGH:
        found = by_pivots(d, b, laws, tolerance, p)
    rounds = FIRST_ROUNDS
    for turn in range(2 * (TURNS if n <= LARGE else FEW_TURNS)):
        if found <= ENOUGH:
            break
        if turn % 2 == 0:
            sweep_and_leap(d, b, laws, rounds, RELAXED_SWEEPS, RELAXED, relaxed)
            copy(relaxed, new)
        else:
            sweep_and_leap(d, b, laws, rounds, WHOLE_SWEEPS, 1.0, whole)
            copy(whole, new)
            rounds *= 2
        left = newton(d, b, laws, tolerance, FEW_ROUNDS, new)
        if left < found:
            found = left
            copy(new, p)
    return found


SOLVE_CONTACTS = i8(F2, F, LAWS, f8, F)


@kernel(SOLVE_CONTACTS, apart=True, allocates=True)
def solve_island(W: FloatArray, b: FloatArray, laws: Laws, tolerance: float, p: FloatArray) -> int:
    """Solve the problem of contacts that all act on each other from the guess p, into p;
    ADMISSIBLE where p obeys the laws only roughly; NOT_CONVERGED where no way leads to its
    solution, or there is none."""
    n = b.size
    s, c, x = np.empty(n), np.empty(n), np.empty(n)
    d = operator(scaled(W, laws.first, s), laws)
    law = scaled_laws(laws, s)
    for i in range(n):
        c[i], x[i] = b[i] / s[i], p[i] * s[i]
    left = newton(d, c, law, tolerance, ROUNDS if n <= SMALL else NEWTON_FIRST, x)
    if not left <= ENOUGH:
        left = begin_anew(d, c, law, tolerance, x)
    status = OK
    if not left <= LAST:
        status = solve_roughly(d, c, law, x)
        if status != ADMISSIBLE:
            return status
    else:
        clean(d, c, law, x)
        shorten(d, c, law, s, x)
    for i in range(n):
        p[i] = x[i] / s[i]
    return status
