"""Contact of a round body with a surface: where they touch, how far they are apart, how they slip.

Body i carries an ellipsoid about s_i, A = Σ aₖ² eₖeₖᵀ with its half axes aₖ (one of them may be
zero: a disc), rounded by a ball of radius ρ. Body j carries the surface z = f(y), drawn out along
x, in its own frame B with origin s_j: rows (c₁, c × c₁, c) of B are the directions x, y, z; f = 0
is a plane. All of what follows is in that frame, with p the centre of the ellipsoid there and S = B
R_jᵀ R_i.

    ν = (0, −f′, 1)                         normal of the surface at y
    k = −A ν/s − ρ ν/|ν|,  s² = νᵀA ν       from the centre to the point with that normal, A here S A Sᵀ
    X = p + k,   X_y = y                    the point that touches: one equation for y
    CONTACT  X_z − f(y)                     zero where they touch; gradient ν·(velocity of i − velocity of j at X)
    SLIP     w·(velocity of i − velocity of j at X),  w = (1, 0, 0) or (0, 1, f′)/√(1 + f′²)

A change of k is Ω × k − C (δν − Ω × ν), Ω the turn of i against j and

    C = A/s − A ν νᵀA/s³ + ρ (1/|ν| − ννᵀ/|ν|³)

so that δy (1 − f″ C_yy) = (δp + Ω × k + C (Ω × ν))_y. A trough that is narrower than the body has
1 − f″ C_yy ≤ 0: the place where they touch is lost, and the answer is not a number. So it is where
a disc lies flat, unless it is the rim of a contact: one of its points, in the direction a₁, stands
for all of them then.

The derivation is docs/derivations/rolling.md; [Shimada2014 (6.1)–(6.8) adapted] by rows that are
rates of slip.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isodyn.bodies.rotation_kernels import Vector, cross, dot, rotate, rotate_back, sum_of, triple
from isodyn.kernels.compiled import FloatArray, kernel

if TYPE_CHECKING:
    from isodyn.joints.measures import Pose, WordNumbers

    # y, ν, k, A ν, s of the place where two bodies touch
    Touch = tuple[float, Vector, Vector, Vector, float]

TRIES, HALVINGS = 60, 30  # of Newton's method for y
FLAT = 1e-9  # of its radius: where a rim dips less below its centre it lies on the plane


@kernel()
def into_surface(word: WordNumbers, x: Vector) -> Vector:
    """A direction of body j in the frame of the surface."""
    e1, e3 = triple(word.c1), triple(word.c)
    return dot(e1, x), dot(cross(e3, e1), x), dot(e3, x)


@kernel()
def from_surface(word: WordNumbers, w: Vector) -> Vector:
    """A direction of the frame of the surface in body j."""
    e1, e3 = triple(word.c1), triple(word.c)
    e2 = cross(e3, e1)
    return (
        e1[0] * w[0] + e2[0] * w[1] + e3[0] * w[2],
        e1[1] * w[0] + e2[1] * w[1] + e3[1] * w[2],
        e1[2] * w[0] + e2[2] * w[1] + e3[2] * w[2],
    )


@kernel()
def brought(p: Pose, q: Pose, word: WordNumbers, x: Vector) -> Vector:
    """S x: a direction of body i in the frame of the surface."""
    return into_surface(word, rotate_back(q.R, rotate(p.R, x)))


@kernel()
def taken(p: Pose, q: Pose, word: WordNumbers, w: Vector) -> Vector:
    """Sᵀ w: a direction of the frame of the surface in body i."""
    return rotate_back(p.R, rotate(q.R, from_surface(word, w)))


@kernel()
def hub_in_body(p: Pose, q: Pose, word: WordNumbers) -> Vector:
    """The centre of the ellipsoid, from the mass centre of body j, in body j."""
    d = sum_of(sum_of(triple(p.position), 1.0, rotate(p.R, triple(word.s_i))), -1.0, triple(q.position))
    return rotate_back(q.R, d)


@kernel()
def profile_at(y: float, c: FloatArray) -> tuple[float, float, float]:
    """f, f′, f″ of a profile."""
    f, d, dd = 0.0, 0.0, 0.0
    for i in range(c.size - 1, -1, -1):
        dd = dd * y + 2.0 * d
        d = d * y + f
        f = f * y + c[i]
    return f, d, dd


@kernel()
def spread(p: Pose, q: Pose, word: WordNumbers, u: Vector) -> Vector:
    """A u."""
    return brought(p, q, word, rotate(word.shape, taken(p, q, word, u)))


@kernel()
def reached(p: Pose, q: Pose, word: WordNumbers, nu: Vector) -> tuple[Vector, Vector, float]:
    """k, A ν and s of a normal ν."""
    An = spread(p, q, word, nu)
    s = np.sqrt(max(dot(nu, An), 0.0))
    if word.rim > 0.0 and s <= FLAT * word.rim:  # all of the rim touches: a point of it
        d = brought(p, q, word, triple(word.a1))
        return (word.rim * d[0], word.rim * d[1], word.rim * d[2]), An, 0.0
    away = -1.0 / s if s > 0.0 else (0.0 if word.radius > 0.0 else np.nan)
    ball = -word.radius / np.sqrt(dot(nu, nu))
    return sum_of((away * An[0], away * An[1], away * An[2]), ball, nu), An, s


@kernel()
def bent(p: Pose, q: Pose, word: WordNumbers, at: Touch, u: Vector) -> Vector:
    """C u."""
    _, nu, _, An, s = at
    size = np.sqrt(dot(nu, nu))
    round_ = sum_of(u, -dot(nu, u) / (size * size), nu)
    f = word.radius / size
    found = (f * round_[0], f * round_[1], f * round_[2])
    if s > 0.0:
        found = sum_of(found, 1.0 / s, spread(p, q, word, u))
        found = sum_of(found, -dot(An, u) / (s * s * s), An)
    return found


@kernel()
def touch_at(y: float, p: Pose, q: Pose, word: WordNumbers) -> Touch:
    """Of the normal of the surface at y."""
    _, d, _ = profile_at(y, word.profile)
    nu = (0.0, -d, 1.0)
    k, An, s = reached(p, q, word, nu)
    return y, nu, k, An, s


@kernel()
def touch(p: Pose, q: Pose, word: WordNumbers) -> Touch:
    """Where the bodies touch: y with p_y + k_y(y) = y, by Newton's method with halved steps; not a
    number where there is no such place."""
    centre = into_surface(word, sum_of(hub_in_body(p, q, word), -1.0, triple(word.s_j)))[1]
    y, tries = centre, 0
    at = touch_at(y, p, q, word)
    gap = centre + at[2][1] - y
    while tries < TRIES:
        tries += 1
        slope = profile_at(y, word.profile)[2] * bent(p, q, word, at, (0.0, 1.0, 0.0))[1] - 1.0
        step = -gap / slope
        if not slope < 0.0:
            break
        if abs(step) <= 4e-16 * (abs(y) + abs(centre) + abs(at[2][1])):
            return at
        halved, start, before = 0, y, abs(gap)
        while True:
            y = start + step
            at = touch_at(y, p, q, word)
            gap = centre + at[2][1] - y
            if abs(gap) < before or halved == HALVINGS:
                break
            step *= 0.5
            halved += 1
        if halved == HALVINGS:  # rounding
            return touch_at(start, p, q, word)
    return np.nan, at[1], at[2], at[3], np.nan


@kernel()
def way(sliding: bool, at: Touch, word: WordNumbers) -> tuple[Vector, Vector]:
    """w and dw/dy: the normal, or the tangent that u names."""
    _, d, dd = profile_at(at[0], word.profile)
    if not sliding:
        return (0.0, -d, 1.0), (0.0, -dd, 0.0)
    n = np.sqrt(1.0 + d * d)
    along, across = word.u[0], word.u[1]
    f = across * dd / (n * n * n)
    return (along, across / n, across * d / n), (0.0, -f * d, f)


@kernel()
def contact(sliding: bool, p: Pose, q: Pose, word: WordNumbers) -> tuple[float, Vector, Vector, Vector]:
    """The height X_z − f, and the gradient W, x_i × w_i, x_j × w_j of w·(velocity of i − velocity
    of j), W in the world, the others in the bodies; those of j are to be taken with the other
    sign."""
    at = touch(p, q, word)
    y, _, k, _, _ = at
    w, _ = way(sliding, at, word)
    w_j = from_surface(word, w)
    W = rotate(q.R, w_j)
    x_i, x_j = points(p, q, word, at)
    centre = into_surface(word, sum_of(hub_in_body(p, q, word), -1.0, triple(word.s_j)))
    height = centre[2] + k[2] - profile_at(y, word.profile)[0]
    return height, W, cross(x_i, rotate_back(p.R, W)), cross(x_j, w_j)


@kernel()
def points(p: Pose, q: Pose, word: WordNumbers, at: Touch) -> tuple[Vector, Vector]:
    """The point that touches, in both bodies from their mass centres."""
    x_i = sum_of(triple(word.s_i), 1.0, taken(p, q, word, at[2]))
    return x_i, sum_of(hub_in_body(p, q, word), 1.0, from_surface(word, at[2]))


@kernel()
def contact_change(
    sliding: bool,
    p: Pose,
    q: Pose,
    word: WordNumbers,
    at: Touch,
    dr_i: Vector,
    th_i: Vector,
    dr_j: Vector,
    th_j: Vector,
) -> tuple[Vector, Vector, Vector]:
    """Change of the gradient (W, x_i × w_i, x_j × w_j) along an increment of both bodies."""
    y, nu, k, _, _ = at
    w, w_y = way(sliding, at, word)
    dd = profile_at(y, word.profile)[2]
    z = hub_in_body(p, q, word)
    moved = rotate_back(q.R, sum_of(dr_i, -1.0, dr_j))
    moved = sum_of(moved, 1.0, rotate_back(q.R, rotate(p.R, cross(th_i, triple(word.s_i)))))
    moved = into_surface(word, sum_of(moved, -1.0, cross(th_j, z)))  # of the centre
    turn = sum_of(brought(p, q, word, th_i), -1.0, into_surface(word, th_j))
    tipped = bent(p, q, word, at, cross(turn, nu))
    free = sum_of(sum_of(moved, 1.0, cross(turn, k)), 1.0, tipped)
    column = bent(p, q, word, at, (0.0, 1.0, 0.0))
    dy = free[1] / (1.0 - dd * column[1])
    reach = sum_of(tipped, dd * dy, column)  # of k, beyond Ω × k
    dX = sum_of(sum_of(moved, 1.0, cross(turn, k)), 1.0, reach)
    dw = (w_y[0] * dy, w_y[1] * dy, w_y[2] * dy)
    w_j, dw_j = from_surface(word, w), from_surface(word, dw)
    dW = rotate(q.R, sum_of(dw_j, 1.0, cross(th_j, w_j)))
    x_i, x_j = points(p, q, word, at)
    w_i, dw_i = taken(p, q, word, w), taken(p, q, word, sum_of(dw, -1.0, cross(turn, w)))
    of_i = sum_of(cross(taken(p, q, word, reach), w_i), 1.0, cross(x_i, dw_i))
    of_j = sum_of(cross(from_surface(word, dX), w_j), 1.0, cross(x_j, dw_j))
    return dW, of_i, of_j


@kernel()
def contact_rest(sliding: bool, p: Pose, q: Pose, word: WordNumbers) -> float:
    """h: the change of the gradient along the motion, times the velocities."""
    v_i, w_i, v_j, w_j = triple(p.v), triple(p.w), triple(q.v), triple(q.w)
    dW, of_i, of_j = contact_change(sliding, p, q, word, touch(p, q, word), v_i, w_i, v_j, w_j)
    return dot(dW, v_i) + dot(of_i, w_i) - dot(dW, v_j) - dot(of_j, w_j)


@kernel()
def put_block(K: FloatArray, block: int, b: int, f: float, x: Vector) -> None:
    """f x as three rows of column b."""
    for i in range(3):
        K[3 * block + i, b] = f * x[i]


@kernel()
def contact_stiffness(sliding: bool, p: Pose, q: Pose, word: WordNumbers, K: FloatArray) -> None:
    """K, column by column of (r_i, ϖ_i, r_j, ϖ_j)."""
    at, none = touch(p, q, word), (0.0, 0.0, 0.0)
    for b in range(12):
        e = (1.0 if b % 3 == 0 else 0.0, 1.0 if b % 3 == 1 else 0.0, 1.0 if b % 3 == 2 else 0.0)
        dW, of_i, of_j = contact_change(
            sliding,
            p,
            q,
            word,
            at,
            e if b < 3 else none,
            e if 3 <= b < 6 else none,
            e if 6 <= b < 9 else none,
            e if b >= 9 else none,
        )
        put_block(K, 0, b, 1.0, dW)
        put_block(K, 1, b, 1.0, of_i)
        put_block(K, 2, b, -1.0, dW)
        put_block(K, 3, b, -1.0, of_j)
