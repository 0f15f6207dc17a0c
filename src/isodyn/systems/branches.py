"""Singular positions, where branches of motion meet: which velocities lead onto one of them.

Where rows depend on others, L G = 0, the second derivatives of the constraints, G a + h(q, v) = 0
with h = −b, have a solution a only if

    L h(q, v) = 0                                                                                                                   (1)

Rows that depend on others everywhere (planar loops in space) fulfil (1) for every v with G
v + φ_t = 0. Where G loses rank at one position only, (1) are quadratic forms on the velocities
v = τ w + N y that G allows (G N = 0, G w = −φ_t, τ = 1): a form of rank two with eigenvalues of
both signs is the product of two linear ones, y = N⁺v in one plane or the other. Two branches cross
there. A form with one sign forbids its directions altogether.

Accelerations and multipliers at the crossing are the limits along the branch, since G has its full
rank beside it: from the mean of both sides, x = ½(x(δ) + x(−δ)) + O(δ²), extrapolated from δ, δ/2
and δ/4. See docs/derivations/singular_starts.md.

All of it is done in units of typical sizes (isodyn.systems.scales): velocities v/s, rows G s/r,
h/r.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from isodyn.kernels.compiled import FloatArray
from isodyn.linear_solvers.blocks import full
from isodyn.linear_solvers.rows import Rows, choose, least_multipliers
from isodyn.systems.manifold import close, freedoms, moving
from isodyn.systems.questions import Questions
from isodyn.systems.scales import pace, sizes_of_rows

# of |h|: velocities that fail (1) by more are on no branch; less is rounding of the input
OFF = 1e-6
ROUNDING = 1e-9  # of |h|: what is left of (1) below this is rounding of h
FLAT = 1e-7  # eigenvalues of a form below this part of the largest are zero
MOST = 16  # freedoms, or branches, up to which branches are looked for
# how far beside the crossing the limits are taken, in typical sizes; halved until the branch is
# straight
NEAR = 1e-2
BENT = 0.02  # how far, relatively, the branch may leave its tangent there


@dataclass(frozen=True, eq=False)
class Branch:
    """Velocities `offset` + `basis` y, `basis` (nv, d)."""

    offset: FloatArray
    basis: FloatArray

    def nearest(self, v: FloatArray, M: FloatArray, rows: FloatArray, rates: FloatArray) -> FloatArray:
        """Its velocity nearest to v in the mass norm among those nearest to rows·v = rates."""
        S, v_0 = self.basis, self.offset
        if S.shape[1] == 0:
            return v_0
        R = rows @ S
        # rounding
        R[np.abs(R) < 1e-9 * np.outer(np.linalg.norm(rows, axis=1), np.linalg.norm(S, axis=0))] = 0.0
        y = np.asarray(np.linalg.lstsq(R, rates - rows @ v_0, rcond=1e-9)[0], dtype=np.float64)
        free = freedoms(R, np.ones(R.shape[1]))[0]
        F = S @ free
        if F.shape[1]:
            y = y + free @ np.linalg.solve(F.T @ M @ F, F.T @ M @ (v - v_0 - S @ y))
        return np.asarray(v_0 + S @ y)


def dependences(G: FloatArray, rows: Rows) -> FloatArray:
    """L with L G = 0: each dropped row less what it is made of."""
    L = np.zeros((rows.dropped.size, G.shape[0]))
    weights = np.linalg.lstsq(G[rows.chosen].T, G[rows.dropped].T, rcond=None)[0]
    L[:, rows.chosen] = -weights.T
    L[np.arange(rows.dropped.size), rows.dropped] = 1.0
    return L


class Scaled:
    """Rows, their rates and h at one position, in units of typical sizes: of velocities in, of rows
    out."""

    def __init__(self, ask: Questions, t: float, q: FloatArray, v: FloatArray) -> None:
        G = full(ask.G(t, q, v))
        self.ask, self.t, self.q = ask, t, q
        self.sizes, self.rows = ask.system.scales.v, sizes_of_rows(ask.system, G)
        self.G = G * self.sizes / self.rows[:, None]

    def rate(self, u: FloatArray) -> FloatArray:
        """φ̇ at v = s u."""
        return self.ask.velocity(self.t, self.q, self.sizes * u) / self.rows

    def rest(self, u: FloatArray) -> FloatArray:
        """h of φ̈ = G a + h at v = s u."""
        return self.ask.acceleration(self.t, self.q, self.sizes * u, np.zeros(u.size)) / self.rows


def off_branch(ask: Questions, t: float, q: FloatArray, v: FloatArray, by: FloatArray | None = None) -> float:
    """How far v is from fulfilling (1), relative to h: zero on a branch, and where no rows depend
    on others.

    With `by` what is asked is whether the way on from rest, with this acceleration, begins on a
    branch.
    """
    at = Scaled(ask, t, q, v)
    rows = choose(at.G)
    if rows.dropped.size == 0:
        return 0.0
    way = v / at.sizes
    h = at.rest(way)
    if by is not None:
        way = by / at.sizes
        h = 0.5 * (at.rest(way) + at.rest(-way)) - at.rest(0.0 * way)
    L = dependences(at.G, rows)
    left = float((np.abs(L @ h) / np.abs(L).max(axis=1)).max())
    size = float(np.abs(h).max())
    if left > ROUNDING * size:  # values of h that cancel
        size = max(size, *(float(np.abs(at.rest(x * e)).max()) for x, e in zip(way, np.eye(way.size), strict=True)))
    return left / size if size > 0 else 0.0


def crossing(ask: Questions, t: float, q: FloatArray) -> tuple[Branch, ...] | None:
    """The branches that meet at q, one alone where none cross; None where there are too many, or a
    cone of them."""
    still = np.zeros(ask.system.nv)
    at = Scaled(ask, t, q, still)
    rows = choose(at.G)
    w = np.asarray(-np.linalg.lstsq(at.G, at.rate(still), rcond=1e-9)[0], dtype=np.float64)
    moved = bool(np.abs(w).max(initial=0.0) > 0) or bool(np.abs(at.rest(still)).max(initial=0.0) > 0)
    # y of the size of one
    N = freedoms(at.G, np.ones(still.size))[0] * (float(np.abs(w).max(initial=0.0)) or 1.0)
    f = N.shape[1]
    if f > MOST:
        return None
    forms = _forms(at, N, w, dependences(at.G, rows), moved)
    w, N = at.sizes * w, at.sizes[:, None] * N
    found = _split(forms, np.eye(f + moved))
    if found is None or len(found) > MOST:
        return None
    branches = []
    for S in found:
        if not moved:
            branches.append(Branch(still, N @ S))
        elif np.abs(S[-1]).max(initial=0.0) > 1e-9:  # τ = 1 can be had
            y = S @ (S[-1] / (S[-1] @ S[-1]))
            branches.append(Branch(w + N @ y[:-1], N @ (S @ freedoms(S[-1:], np.ones(S.shape[1]))[0])[:-1]))
    return tuple(branches)


def _forms(at: Scaled, N: FloatArray, w: FloatArray, L: FloatArray, moved: bool) -> list[FloatArray]:
    """The symmetric matrices of (1) over (y, τ), by values of h at sums of two."""
    f = N.shape[1]

    def value(y: FloatArray) -> FloatArray:
        return L @ at.rest(w + N @ y)

    c = value(np.zeros(f)) if moved else np.zeros(L.shape[0])
    up, down = (np.array([value(sign * e) for e in np.eye(f)]).reshape(f, -1) for sign in (1.0, -1.0))
    A = np.zeros((L.shape[0], f + 1, f + 1))
    A[:, f, f] = c
    for i in range(f):
        A[:, i, i] = 0.5 * (up[i] + down[i]) - c
        A[:, i, f] = A[:, f, i] = 0.25 * (up[i] - down[i])
        for j in range(i):
            both = value(np.eye(f)[i] + np.eye(f)[j])
            A[:, i, j] = A[:, j, i] = 0.5 * (both - up[i] - up[j] + c)
    largest = max(float(np.abs(at.rest(N[:, i])).max()) for i in range(f)) if f else 0.0
    largest = max(largest, float(np.abs(at.rest(np.zeros(w.size))).max(initial=0.0)))
    kept = [F for F, row in zip(A, L, strict=True) if np.abs(F).max() > OFF * np.abs(row).max() * max(largest, 1e-300)]
    return kept if moved else [F[:f, :f] for F in kept]


def _split(forms: list[FloatArray], S: FloatArray) -> list[FloatArray] | None:
    """The subspaces on which all forms vanish; None where they are no subspaces."""
    whole = True
    for F in forms:
        values, vectors = np.linalg.eigh(S.T @ F @ S)
        flat = np.abs(values) <= FLAT * np.abs(F).max()
        if flat.all():
            continue
        kernel, signs = S @ vectors[:, flat], values[~flat]
        if (signs > 0).all() or (signs < 0).all():
            return _split(forms, kernel)
        if signs.size == 2:
            n, p = (S @ vectors[:, ~flat]).T
            r = np.sqrt(signs[1] / -signs[0])
            parts = [_split(forms, np.column_stack([kernel, p + s * r * n])) for s in (1.0, -1.0)]
            return None if any(part is None for part in parts) else [x for part in parts for x in part or ()]
        whole = False
    return [np.linalg.qr(S)[0] if S.size else S] if whole else None


# ---- limits at a crossing


class Limit(NamedTuple):
    """What accelerations and multipliers tend to along a branch, and rows that are independent
    beside the crossing.

    `lam` belongs to these rows alone; `least` are the multipliers of least norm over all rows with
    the same force.

    `pole` is the size of the part of the multipliers that grows without bound towards it, at a
    quarter of the distance looked at.
    """

    a: FloatArray
    lam: FloatArray
    least: FloatArray
    rows: Rows
    pole: float


def limit(ask: Questions, t: float, q: FloatArray, v: FloatArray, rank: int) -> Limit | None:
    """Limits along the branch that v leads onto; None where G has this rank on both sides too, or
    where there is no way on."""
    speed = pace(ask.system, v)
    if speed == 0.0:
        return None
    delta, a = NEAR / speed, np.zeros(v.size)
    sides = None
    for _ in range(30):
        sides = [_beside(ask, t, q, v, a, s * delta) for s in (1.0, -1.0)]
        if all(side is not None for side in sides):
            break
        delta *= 0.5
    else:
        return None
    assert sides is not None
    assert sides[0] is not None
    rows = choose(full(ask.G(t + delta, sides[0][0], sides[0][1])) * ask.system.scales.v)
    if rows.rank <= rank:
        return None
    lam, m, pole = np.zeros(ask.system.m), rows.chosen.size, 0.0
    for _ in range(3):  # with a better a the two sides lie more evenly
        means, odds = [], []
        for h in (delta, 0.5 * delta, 0.25 * delta):
            both_sides = []
            for s in (h, -h):
                side = _beside(ask, t, q, v, a, s, np.inf)
                if side is None:
                    return None
                both_sides.append(_solved(ask, t + s, *side, rows))
            plus, minus = both_sides
            means.append(0.5 * (plus + minus))
            odds.append(float(np.abs(plus - minus)[v.size : v.size + m].max(initial=0.0)))
        once = [(4.0 * means[1] - means[0]) / 3.0, (4.0 * means[2] - means[1]) / 3.0]
        both = (16.0 * once[1] - once[0]) / 15.0
        a, lam[rows.chosen], least = np.split(both, [v.size, v.size + m])
        size = max(float(np.abs(means[1][v.size : v.size + m]).max(initial=0.0)), 1e-300)
        pole = odds[2] / size if odds[2] > 1.5 * odds[1] > 0.0 else 0.0
    return Limit(a, lam, least, rows, pole)


def _beside(
    ask: Questions, t: float, q: FloatArray, v: FloatArray, a: FloatArray, s: float, bent: float = BENT
) -> tuple[FloatArray, FloatArray] | None:
    """The state on the branch about a time s away; None where the branch leaves its tangent by more
    than `bent`."""
    guess = moving(ask.system)(q, s * v + 0.5 * s * s * a)
    closed = close(ask, t + s, guess)
    sizes = ask.system.scales.q
    way = float((np.abs(guess - q) / sizes).max())
    if (np.abs(closed.q - guess) / sizes).max() > bent * way or closed.largest > 1e-12:
        return None
    v_s = v + s * a
    G, gap = full(ask.G(t + s, closed.q, v_s)), ask.velocity(t + s, closed.q, v_s)
    root = np.linalg.cholesky(full(ask.mass(t + s, closed.q, v_s)))  # M = L Lᵀ, least |Lᵀ dv|
    rows = np.linalg.solve(root, G.T).T
    length = np.linalg.norm(rows, axis=1)
    length = np.where(length > 0, length, 1.0)
    moved = v_s - np.linalg.solve(root.T, np.linalg.lstsq(rows / length[:, None], gap / length, rcond=1e-8)[0])
    return None if pace(ask.system, moved - v_s) > 10 * bent * pace(ask.system, v) else (closed.q, moved)


def _solved(ask: Questions, t: float, q: FloatArray, v: FloatArray, rows: Rows) -> FloatArray:
    """(a, λ, λ of least norm) of M a + Gᵀλ = Q, G a = b with these rows; forces may depend on λ."""
    n, k = v.size, rows.chosen.size
    every = full(ask.G(t, q, v))
    G, lam = every[rows.chosen], np.zeros(ask.system.m)
    J = np.block([[full(ask.mass(t, q, v)), G.T], [G, np.zeros((k, k))]])
    # D J D with ones on the diagonal of M, and rows of G of unit length
    units = 1.0 / np.sqrt(np.abs(np.diag(J)[:n]))
    units = np.concatenate([units, 1.0 / np.linalg.norm(G * units, axis=1)])
    x = np.zeros(n + k)
    for _ in range(5):
        lam[rows.chosen] = x[n:]
        left = np.concatenate([ask.balance(t, q, v, x[:n], lam), ask.acceleration(t, q, v, x[:n])[rows.chosen]])
        x = x - units * np.linalg.solve(units[:, None] * J * units, units * left)
    lam[rows.chosen] = x[n:]
    return np.concatenate([x, least_multipliers(every, lam, ask.system.scales) if rows.dropped.size else lam])
