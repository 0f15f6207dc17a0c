"""Contact problems: which contacts push, stick and slide.

    u = W p + b,   each contact with a normal component and 0, 1 or 2 tangential ones
    0 ≤ p_N ⊥ u_N ≥ 0,      |p_T| ≤ μ (p_N + base),   u_T = 0 inside, p_T = −μ (p_N + base) u_T/|u_T| on the rim

(Coulomb's law, not associated). Contact k has the components first[k] … first[k + 1], the normal
one first. Where sliding[k] = 1 its direction is known: p_T = −μ (p_N + base) direction.

Two-sided contacts have p_N = |N| of what constraints carry (isodyn.linear_solvers.contact_laws).

The natural map F(p) = p − proj(p − r u), r = 1/W_ii, is zero at a solution; semismooth Newton with
least-squares steps, so that contacts that depend on each other do no harm (sparse factors where
there are many), and up to eight halvings; Gauss–Seidel by contacts. Which of them is tried when:
isodyn.linear_solvers.contact_ways. Derivation: docs/derivations/contact.md.
"""

from __future__ import annotations

import numpy as np

from isodyn.kernels.compiled import FloatArray, IntArray, kernel
from isodyn.linear_solvers.contact_factors import GOOD, factor_contact_matrix, solve_contact_matrix
from isodyn.linear_solvers.contact_laws import (
    Delassus,
    Laws,
    carried,
    is_two_sided,
    rim,
    row_times,
    size_of,
)
from isodyn.linear_solvers.shortest import SMALL, copy, least_squares, norm

ROUNDS = 60  # most iterations of Newton's method
PATIENCE = 10  # so many of them that come no nearer than …
NEARER = 0.9  # … to this part of what was missed before
MANY = 400  # components of a problem from which on that ends Newton's method: each step costs much
HALVINGS = 8
ZERO = 1e-12  # of the size of b: a rate below this is none


@kernel()
def misses(
    d: Delassus, b: FloatArray, laws: Laws, p: FloatArray, u: FloatArray, work: FloatArray, out: FloatArray
) -> float:
    """u = W p + b, out = F(p); the largest component of F."""
    r, first = d.r, laws.first
    for i in range(b.size):
        u[i] = b[i] + row_times(d, i, p)
    largest = 0.0
    for k in range(first.size - 1):
        i = first[k]
        push, radius, size = rim(k, p, u, laws, r)
        out[i] = p[i] - (carried(laws, k, p, work) if is_two_sided(laws, k) else push)
        for j in range(i + 1, first[k + 1]):
            if laws.sliding[k] == 1:
                out[j] = p[j] + laws.mu[k] * (p[i] + laws.base[k]) * laws.direction[j]
            else:
                z = p[j] - r[j] * u[j]
                out[j] = p[j] - (z if size <= radius else radius * z / size)
        for j in range(i, first[k + 1]):
            if not abs(out[j]) <= largest:
                largest = abs(out[j])
    return largest


@kernel()
def tangent_rows(
    k: int,
    d: Delassus,
    laws: Laws,
    radius: float,
    size: float,
    pushes: bool,
    p: FloatArray,
    u: FloatArray,
    J: FloatArray,
) -> None:
    """Rows of ∂F/∂p of the tangents of contact k, whose direction is not known."""
    i, end, r = laws.first[k], laws.first[k + 1], d.r
    for j in range(i + 1, end):
        for m in d.columns[d.starts[j] : d.starts[j + 1]]:
            if size <= radius:
                J[j, m] = r[j] * d.W[j, m]
                continue
            along, z = 0.0, p[j] - r[j] * u[j]
            for s in range(i + 1, end):
                slope = (1.0 if s == m else 0.0) - r[s] * d.W[s, m]
                along += (p[s] - r[s] * u[s]) / size * slope
            own = (1.0 if j == m else 0.0) - r[j] * d.W[j, m]
            J[j, m] = (1.0 if j == m else 0.0) - radius / size * (own - z / size * along)
            if pushes:
                J[j, m] -= laws.mu[k] * z / size * ((1.0 if i == m else 0.0) - r[i] * d.W[i, m])


@kernel()
def slopes(d: Delassus, laws: Laws, p: FloatArray, u: FloatArray, work: FloatArray, J: FloatArray) -> None:
    """J = ∂F/∂p."""
    n = p.size
    J[:, :] = 0.0
    for k in range(laws.first.size - 1):
        i = laws.first[k]
        push, radius, size = rim(k, p, u, laws, d.r)
        pushes = push > 0.0
        for m in d.columns[d.starts[i] : d.starts[i + 1]]:
            J[i, m] = d.r[i] * d.W[i, m] if pushes else (1.0 if i == m else 0.0)
        if is_two_sided(laws, k):
            carried(laws, k, p, work)
            for m in range(n):
                J[i, m] = (1.0 if i == m else 0.0) - work[m]
        if laws.sliding[k] == 1:
            for j in range(i + 1, laws.first[k + 1]):
                J[j, j] = 1.0
                J[j, i] = laws.mu[k] * laws.direction[j]
        else:
            tangent_rows(k, d, laws, radius, size, pushes, p, u, J)


@kernel(allocates=True)
def solve_pushing(d: Delassus, laws: Laws, p: FloatArray, u: FloatArray, J: FloatArray, step: FloatArray) -> None:
    """step ← J⁻¹ step, of many contacts: those that do not push have steps of their own, the others
    sparse factors."""
    n, many, count = step.size, 0, 0
    chosen, first = np.empty(n, np.int64), np.zeros(laws.first.size, np.int64)
    for k in range(laws.first.size - 1):
        push, radius, _ = rim(k, p, u, laws, d.r)
        if push > 0.0 or radius > 0.0 or is_two_sided(laws, k) or laws.sliding[k] == 1:
            for i in range(laws.first[k], laws.first[k + 1]):
                chosen[many] = i
                many += 1
            count += 1
            first[count] = many
    A, x, alone = np.empty((many, many)), np.empty(many), step.copy()
    for i in range(many):
        alone[chosen[i]] = 0.0
    for i in range(many):
        x[i] = step[chosen[i]]
        for j in range(n):
            x[i] -= J[chosen[i], j] * alone[j]
        for j in range(many):
            A[i, j] = J[chosen[i], chosen[j]]
    if 0 < many <= SMALL:
        least_squares(A, x)
    elif many > SMALL:
        own = first[: count + 1].copy()
        solve_contact_matrix(factor_contact_matrix(A, own), A, own, GOOD, x)
    for i in range(many):
        step[chosen[i]] = x[i]


@kernel(allocates=True)
def newton(d: Delassus, b: FloatArray, laws: Laws, tolerance: float, rounds: int, p: FloatArray) -> float:
    """Semismooth Newton from p; the best p, and what it misses beside the largest of r b."""
    n = b.size
    u, miss, new, step, work = np.empty(n), np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    J, scale = np.empty((n, n)), size_of(d, b, laws)
    best, found, least, idle = p.copy(), np.inf, np.inf, 0
    for k in range(rounds):
        size = misses(d, b, laws, p, u, work, miss)
        if not np.isfinite(size):
            break
        if size < found:
            found = size
            copy(p, best)
        before, part = norm(miss), 1.0
        idle = 0 if before < NEARER * least else idle + 1
        least = before if idle == 0 else least
        if size <= tolerance * scale or (n > MANY and idle == PATIENCE):
            break
        slopes(d, laws, p, u, work, J)
        copy(miss, step)
        if n <= SMALL:
            least_squares(J, step)
        else:
            solve_pushing(d, laws, p, u, J, step)
        if not 0.0 < norm(step) < np.inf:
            break
        for h in range(HALVINGS + 1):
            for i in range(n):
                new[i] = p[i] - part * step[i]
            misses(d, b, laws, new, u, work, miss)
            if norm(miss) <= (1.0 - 1e-4 * part) * before:
                break
            part *= 0.5
            if h == HALVINGS:
                part = 0.3 if k % 3 == 0 else 1.0
                for i in range(n):
                    new[i] = p[i] - part * step[i]
        copy(new, p)
    copy(best, p)
    return found / scale


@kernel(allocates=True)
def gauss_seidel(
    d: Delassus, b: FloatArray, laws: Laws, tolerance: float, sweeps: int, part: float, p: FloatArray
) -> float:
    """Projected Gauss–Seidel by contacts from p, with a part of each change; the last change beside
    the largest of r b."""
    first, r, change, scale = laws.first, d.r, np.inf, size_of(d, b, laws)
    z, work = np.empty(b.size), np.empty(b.size)
    for _ in range(sweeps):
        change = 0.0
        for k in range(first.size - 1):
            i = first[k]
            new = max(0.0, p[i] - r[i] * (row_times(d, i, p) + b[i]))
            new = carried(laws, k, p, work) if is_two_sided(laws, k) else new
            new = p[i] + part * (new - p[i])
            change = max(change, abs(new - p[i]))
            p[i] = new
            size = 0.0
            for j in range(i + 1, first[k + 1]):
                z[j] = p[j] - r[j] * (row_times(d, j, p) + b[j])
                size += z[j] * z[j]
            size, radius = np.sqrt(size), laws.mu[k] * (p[i] + laws.base[k])
            for j in range(i + 1, first[k + 1]):
                new = z[j] if size <= radius else radius * z[j] / size
                new = -radius * laws.direction[j] if laws.sliding[k] == 1 else new
                new = p[j] + part * (new - p[j])
                change = max(change, abs(new - p[j]))
                p[j] = new
        if not change > tolerance * scale:
            break
    return change / scale


@kernel()
def sticking(d: Delassus, b: FloatArray, laws: Laws, p: FloatArray, chosen: IntArray) -> int:
    """Components of the contacts that push, or could without a change of u, into `chosen`, and how
    many; none where one of them is on the rim of its cone, or two-sided."""
    many, first = 0, laws.first
    for k in range(first.size - 1):
        i, size = first[k], 0.0
        if is_two_sided(laws, k):
            return 0
        if p[i] <= 0.0 and row_times(d, i, p) + b[i] > ZERO * norm(b):
            continue
        for j in range(i + 1, first[k + 1]):
            size += p[j] * p[j]
        if first[k + 1] > i + 1 and np.sqrt(size) >= (1.0 - 1e-9) * laws.mu[k] * (p[i] + laws.base[k]):
            return 0
        for j in range(i, first[k + 1]):
            chosen[many] = j
            many += 1
    return many


@kernel(allocates=True)
def shorten(d: Delassus, b: FloatArray, laws: Laws, s: FloatArray, p: FloatArray) -> None:
    """Where all that push stick, or slide without friction, and forces are not unique: those of
    least norm before they were scaled by s, if they are admissible."""
    chosen, first = np.empty(b.size, dtype=np.int64), laws.first
    many = sticking(d, b, laws, p, chosen)
    if many == 0 or many > SMALL:
        return
    A, x = np.empty((many, many)), np.empty(many)
    for i in range(many):
        x[i] = -b[chosen[i]]
        for j in range(many):
            A[i, j] = d.W[chosen[i], chosen[j]] * s[chosen[j]]
    if least_squares(A, x) == many:
        return
    new = p.copy()
    for i in range(many):
        new[chosen[i]] = x[i] * s[chosen[i]]
    for k in range(first.size - 1):
        i, size = first[k], 0.0
        for j in range(i + 1, first[k + 1]):
            size += new[j] * new[j]
        if new[i] < 0.0 or (p[i] > 0.0 and new[i] == 0.0) or np.sqrt(size) > laws.mu[k] * (new[i] + laws.base[k]):
            return
    copy(new, p)


@kernel(allocates=True)
def clean(d: Delassus, b: FloatArray, laws: Laws, p: FloatArray) -> None:
    """Contacts that do not push have the force zero, to the last bit."""
    u, first = np.empty(b.size), laws.first
    for i in range(b.size):
        u[i] = b[i] + row_times(d, i, p)
    for k in range(first.size - 1):
        i = first[k]
        if p[i] - d.r[i] * u[i] <= 0.0 or p[i] <= 0.0:
            for j in range(i, first[k + 1] if laws.base[k] == 0.0 else i + 1):
                p[j] = 0.0
