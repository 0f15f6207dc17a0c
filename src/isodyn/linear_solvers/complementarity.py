"""Contact problems: which contacts push, stick and slide.

    u = W p + b,   each contact with a normal component and 0, 1 or 2 tangential ones
    0 ≤ p_N ⊥ u_N ≥ 0,      |p_T| ≤ μ (p_N + base),   u_T = 0 inside, p_T = −μ (p_N + base) u_T/|u_T| on the rim

(Coulomb's law, not associated). Contact k has the components first[k] … first[k + 1], the normal
one first. Where sliding[k] = 1 its direction is known: p_T = −μ (p_N + base) direction.

The natural map F(p) = p − proj(p − r u), r = 1/W_ii, is zero at a solution; semismooth Newton with
least-squares steps, so that contacts that depend on each other do no harm, and up to eight
halvings; then Gauss–Seidel by contacts and Newton again; Lemke's pivots where there is no friction.
Derivation: docs/derivations/contact.md.
"""

from __future__ import annotations

import numpy as np

from isodyn.kernels.compiled import F2, NOT_CONVERGED, OK, F, FloatArray, I, IntArray, f8, i8, kernel
from isodyn.linear_solvers.lemke import lemke
from isodyn.linear_solvers.shortest import SMALL, copy, least_squares, norm, solve_shifted

ROUNDS = 60  # most iterations of Newton's method
HALVINGS = 8
SWEEPS = 400  # of Gauss and Seidel
ROUGH = 1e-5  # where Newton's method goes on from them
ZERO = 1e-12  # of the size of b: a rate below this is none
ENOUGH = 1e-9  # of the largest p: good enough where nothing better is found


@kernel()
def radii(W: FloatArray, first: IntArray, r: FloatArray) -> None:
    """r = 1/W_ii; the tangents of a contact share the smallest."""
    for k in range(first.size - 1):
        i = first[k]
        r[i] = 1.0 / max(W[i, i], 1e-300)
        largest = 1e-300
        for j in range(i + 1, first[k + 1]):
            largest = max(largest, W[j, j])
        for j in range(i + 1, first[k + 1]):
            r[j] = 1.0 / largest


@kernel()
def rim(
    k: int, p: FloatArray, u: FloatArray, first: IntArray, mu: FloatArray, base: FloatArray, r: FloatArray
) -> tuple[float, float, float]:
    """Of contact k: the normal component of the projection, the radius of its cone, and |p_T − r
    u_T|."""
    i = first[k]
    push = max(0.0, p[i] - r[i] * u[i])
    size = 0.0
    for j in range(i + 1, first[k + 1]):
        size += (p[j] - r[j] * u[j]) ** 2
    return push, mu[k] * (push + base[k]), np.sqrt(size)


@kernel()
def misses(
    W: FloatArray,
    b: FloatArray,
    first: IntArray,
    mu: FloatArray,
    base: FloatArray,
    sliding: IntArray,
    direction: FloatArray,
    r: FloatArray,
    p: FloatArray,
    u: FloatArray,
    out: FloatArray,
) -> float:
    """u = W p + b, out = F(p); the largest component of F."""
    n = b.size
    for i in range(n):
        u[i] = b[i]
        for j in range(n):
            u[i] += W[i, j] * p[j]
    largest = 0.0
    for k in range(first.size - 1):
        i = first[k]
        push, radius, size = rim(k, p, u, first, mu, base, r)
        out[i] = p[i] - push
        for j in range(i + 1, first[k + 1]):
            if sliding[k] == 1:
                out[j] = p[j] + mu[k] * (p[i] + base[k]) * direction[j]
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
    W: FloatArray,
    first: IntArray,
    mu: FloatArray,
    radius: float,
    size: float,
    pushes: bool,
    r: FloatArray,
    p: FloatArray,
    u: FloatArray,
    J: FloatArray,
) -> None:
    """Rows of ∂F/∂p of the tangents of contact k, whose direction is not known."""
    n, i, end = p.size, first[k], first[k + 1]
    for j in range(i + 1, end):
        for m in range(n):
            if size <= radius:
                J[j, m] = r[j] * W[j, m]
                continue
            along, z = 0.0, p[j] - r[j] * u[j]
            for s in range(i + 1, end):
                slope = (1.0 if s == m else 0.0) - r[s] * W[s, m]
                along += (p[s] - r[s] * u[s]) / size * slope
            own = (1.0 if j == m else 0.0) - r[j] * W[j, m]
            J[j, m] = (1.0 if j == m else 0.0) - radius / size * (own - z / size * along)
            if pushes:
                J[j, m] -= mu[k] * z / size * ((1.0 if i == m else 0.0) - r[i] * W[i, m])


@kernel()
def slopes(
    W: FloatArray,
    first: IntArray,
    mu: FloatArray,
    base: FloatArray,
    sliding: IntArray,
    direction: FloatArray,
    r: FloatArray,
    p: FloatArray,
    u: FloatArray,
    J: FloatArray,
) -> None:
    """J = ∂F/∂p."""
    n = p.size
    for k in range(first.size - 1):
        i = first[k]
        push, radius, size = rim(k, p, u, first, mu, base, r)
        pushes = push > 0.0
        for m in range(n):
            J[i, m] = r[i] * W[i, m] if pushes else (1.0 if i == m else 0.0)
        if sliding[k] == 1:
            for j in range(i + 1, first[k + 1]):
                for m in range(n):
                    J[j, m] = 1.0 if j == m else 0.0
                J[j, i] = mu[k] * direction[j]
        else:
            tangent_rows(k, W, first, mu, radius, size, pushes, r, p, u, J)


@kernel(allocates=True)
def newton(
    W: FloatArray,
    b: FloatArray,
    first: IntArray,
    mu: FloatArray,
    base: FloatArray,
    sliding: IntArray,
    direction: FloatArray,
    tolerance: float,
    p: FloatArray,
) -> float:
    """Semismooth Newton from p; the best p, and what it misses beside the largest of r b."""
    n = b.size
    r, u, miss, new, step, J = np.empty(n), np.empty(n), np.empty(n), np.empty(n), np.empty(n), np.empty((n, n))
    radii(W, first, r)
    scale = 1e-300
    for i in range(n):
        scale = max(scale, abs(r[i] * b[i]))
    best, found = p.copy(), np.inf
    for k in range(ROUNDS):
        size = misses(W, b, first, mu, base, sliding, direction, r, p, u, miss)
        if not np.isfinite(size):
            break
        if size < found:
            found = size
            copy(p, best)
        if size <= tolerance * scale:
            break
        slopes(W, first, mu, base, sliding, direction, r, p, u, J)
        before, part = norm(miss), 1.0
        copy(miss, step)
        if n <= SMALL:
            least_squares(J, step)
        else:
            solve_shifted(J, step)
        for h in range(HALVINGS + 1):
            for i in range(n):
                new[i] = p[i] - part * step[i]
            misses(W, b, first, mu, base, sliding, direction, r, new, u, miss)
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


@kernel()
def row_times(W: FloatArray, i: int, p: FloatArray) -> float:
    """Row i of W p."""
    found = 0.0
    for j in range(p.size):
        found += W[i, j] * p[j]
    return found


@kernel(allocates=True)
def gauss_seidel(
    W: FloatArray,
    b: FloatArray,
    first: IntArray,
    mu: FloatArray,
    base: FloatArray,
    sliding: IntArray,
    direction: FloatArray,
    tolerance: float,
    p: FloatArray,
) -> float:
    """Projected Gauss–Seidel by contacts from p; the last change beside the largest of r b."""
    n = b.size
    r, change, scale = np.empty(n), np.inf, 1e-300
    radii(W, first, r)
    for i in range(n):
        scale = max(scale, abs(r[i] * b[i]))
    z = np.empty(n)
    for _ in range(SWEEPS):
        change = 0.0
        for k in range(first.size - 1):
            i = first[k]
            new = max(0.0, p[i] - r[i] * (row_times(W, i, p) + b[i]))
            change = max(change, abs(new - p[i]))
            p[i] = new
            size = 0.0
            for j in range(i + 1, first[k + 1]):
                z[j] = p[j] - r[j] * (row_times(W, j, p) + b[j])
                size += z[j] * z[j]
            size, radius = np.sqrt(size), mu[k] * (p[i] + base[k])
            for j in range(i + 1, first[k + 1]):
                new = z[j] if size <= radius else radius * z[j] / size
                new = -radius * direction[j] if sliding[k] == 1 else new
                change = max(change, abs(new - p[j]))
                p[j] = new
        if not change > tolerance * scale:
            break
    return change / scale


@kernel(allocates=True)
def scaled(W: FloatArray, first: IntArray, s: FloatArray) -> FloatArray:
    """W with rows and columns divided by the s of each contact, √ of its largest W_ii."""
    n, out = W.shape[0], np.empty(W.shape)
    for k in range(first.size - 1):
        largest = 0.0
        for i in range(first[k], first[k + 1]):
            largest = max(largest, W[i, i])
        for i in range(first[k], first[k + 1]):
            s[i] = np.sqrt(largest) if largest > 0.0 else 1.0
    for i in range(n):
        for j in range(n):
            out[i, j] = W[i, j] / (s[i] * s[j])
    return out


@kernel()
def sticking(
    W: FloatArray, b: FloatArray, first: IntArray, mu: FloatArray, base: FloatArray, p: FloatArray, chosen: IntArray
) -> int:
    """Components of the contacts that push, or could without a change of u, into `chosen`, and how
    many; none where one of them is on the rim of its cone."""
    many = 0
    for k in range(first.size - 1):
        i, size = first[k], 0.0
        if p[i] <= 0.0 and row_times(W, i, p) + b[i] > ZERO * norm(b):
            continue
        for j in range(i + 1, first[k + 1]):
            size += p[j] * p[j]
        if first[k + 1] > i + 1 and np.sqrt(size) >= (1.0 - 1e-9) * mu[k] * (p[i] + base[k]):
            return 0
        for j in range(i, first[k + 1]):
            chosen[many] = j
            many += 1
    return many


@kernel(allocates=True)
def shorten(
    W: FloatArray,
    b: FloatArray,
    first: IntArray,
    mu: FloatArray,
    base: FloatArray,
    s: FloatArray,
    p: FloatArray,
) -> None:
    """Where all that push stick, or slide without friction, and forces are not unique: those of
    least norm before they were scaled by s, if they are admissible."""
    chosen = np.empty(b.size, dtype=np.int64)
    many = sticking(W, b, first, mu, base, p, chosen)
    if many == 0 or many > SMALL:
        return
    A, x = np.empty((many, many)), np.empty(many)
    for i in range(many):
        x[i] = -b[chosen[i]]
        for j in range(many):
            A[i, j] = W[chosen[i], chosen[j]] * s[chosen[j]]
    if least_squares(A, x) == many:
        return
    new = p.copy()
    for i in range(many):
        new[chosen[i]] = x[i] * s[chosen[i]]
    for k in range(first.size - 1):
        i, size = first[k], 0.0
        for j in range(i + 1, first[k + 1]):
            size += new[j] * new[j]
        if new[i] < 0.0 or (p[i] > 0.0 and new[i] == 0.0) or np.sqrt(size) > mu[k] * (new[i] + base[k]):
            return
    copy(new, p)


@kernel(allocates=True)
def clean(
    W: FloatArray,
    b: FloatArray,
    first: IntArray,
    mu: FloatArray,
    base: FloatArray,
    sliding: IntArray,
    direction: FloatArray,
    p: FloatArray,
) -> None:
    """Contacts that do not push have the force zero, to the last bit."""
    n = b.size
    r, u, miss = np.empty(n), np.empty(n), np.empty(n)
    radii(W, first, r)
    misses(W, b, first, mu, base, sliding, direction, r, p, u, miss)
    for k in range(first.size - 1):
        i = first[k]
        if p[i] - r[i] * u[i] <= 0.0 or p[i] <= 0.0:
            for j in range(i, first[k + 1] if base[k] == 0.0 else i + 1):
                p[j] = 0.0


SOLVE_CONTACTS = i8(F2, F, I, F, F, I, F, f8, F)


@kernel(SOLVE_CONTACTS, apart=True, allocates=True)
def solve_island(
    W: FloatArray,
    b: FloatArray,
    first: IntArray,
    mu: FloatArray,
    base: FloatArray,
    sliding: IntArray,
    direction: FloatArray,
    tolerance: float,
    p: FloatArray,
) -> int:
    """Solve the problem of contacts that all act on each other from the guess p, into p;
    NOT_CONVERGED where no way leads to its solution, or there is none."""
    n = b.size
    s, c, x, start = np.empty(n), np.empty(n), np.empty(n), np.empty(first.size - 1)
    A = scaled(W, first, s)
    for k in range(first.size - 1):
        start[k] = base[k] * s[first[k]]
    for i in range(n):
        c[i], x[i] = b[i] / s[i], p[i] * s[i]
    left = newton(A, c, first, mu, start, sliding, direction, tolerance, x)
    if not left <= ENOUGH:
        for i in range(n):
            x[i] = 0.0
        gauss_seidel(A, c, first, mu, start, sliding, direction, ROUGH, x)
        left = newton(A, c, first, mu, start, sliding, direction, tolerance, x)
    if not left <= ENOUGH and n == first.size - 1 and lemke(A, c, x) == OK:
        left = newton(A, c, first, mu, start, sliding, direction, tolerance, x)
    for _ in range(20):
        if left <= ENOUGH:
            break
        gauss_seidel(A, c, first, mu, start, sliding, direction, 0.01 * ENOUGH, x)
        left = newton(A, c, first, mu, start, sliding, direction, tolerance, x)
    if not left <= ENOUGH:
        return NOT_CONVERGED
    clean(A, c, first, mu, start, sliding, direction, x)
    shorten(A, c, first, mu, start, s, x)
    for i in range(n):
        p[i] = x[i] / s[i]
    return OK
