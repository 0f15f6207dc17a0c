"""Accelerations with Coulomb friction: the constraints are not ideal, and their force C depends on
their own reaction [Fan2005 (17)].

    M a + Aᵀλ = Q + C,   A a = b,   C = Σ T_kᵀ f_k            k runs over contacts
    sliding      f_k = −μ_k |N_k| d_k                         N_k = −scale_k λ (rows of the contact), d_k the direction of slip
    sticking     T_k a + rest_k = 0,   |f_k| ≤ μ_s |N_k|      rows T_k are added, f_k is minus their multiplier

Everything is linear but |N|. With x = |N| of the sliding contacts, N = N⁰ + W x, where N⁰ is the
reaction without sliding friction and the columns of W the reactions to friction of unit pressure.
For contacts of one row each sign pattern σ of N is a linear system, (σ − W) x = N⁰, which counts if
x ≥ 0. Unilateral contacts are closed (N ≥ 0) or open (N = 0, gap opens). Large friction allows no
solution or several (Painlevé): this is an error, not a choice. A single contact of several rows
leads to a quadratic in |N|.

The result is split as M a = Fᴺ + Fᴸ + Fᶜ: Fᴸ = −Aᵀλ_ideal keeps the constraints without friction
and is workless, Fᶜ is C less the reaction to it, vᵀFᶜ = vᵀC for every v with A v = 0
[Fan2005 (18)–(21), (32), (34)].
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from isodyn.errors import ConflictError, InputError, PainleveError, SeparationError, SingularError
from isodyn.gauss import checks
from isodyn.gauss.acceleration import conflict
from isodyn.gauss.contacts import Contact, ContactPoint, Mode, Sliding, Sticking
from isodyn.gauss.formulas import positive_definite
from isodyn.gauss.pressures import pressures
from isodyn.gauss.reactions import Reactions
from isodyn.gauss.result import Work
from isodyn.linear_solvers.rank import FloatArray

if TYPE_CHECKING:
    from isodyn.open_types import Matrix

# relative size below which a reaction or an opening of the wrong sign counts as zero
ROUNDING = 1e-10


@dataclass(frozen=True, eq=False)
class FrictionResult:
    """Accelerations and forces at one state with friction.

    Parameters
    ----------
    a
        Accelerations (n,).
    lam
        Multipliers (m,) of the given rows, with friction.
    normal
        N of each contact, a number, or a vector for a contact of several rows.
    friction
        f of each contact along its tangent directions.
    slip_rate
        u̇ of each contact.
    slack
        μ_s |N| − |f| of contacts that stick, NaN for others.
    C
        Force of friction.
    newton, lagrange, coulomb
        The three parts Fᴺ, Fᴸ, Fᶜ of M a.
    power
        vᵀFᴺ, vᵀFᴸ, vᵀFᶜ.

    Examples
    --------
    >>> import numpy as np
    >>> from isodyn.gauss import Contact, Sticking, solve_with_friction
    >>> block = Contact(rows=0, tangent=[1.0, 0.0], mu=0.5, unilateral=True)
    >>> result = solve_with_friction(np.eye(2), [3.0, -10.0], [[0.0, 1.0]], [0.0], [block], [Sticking()])
    >>> result.slack.tolist()
    [2.0]
    """

    a: FloatArray
    lam: FloatArray
    normal: tuple[FloatArray, ...]
    friction: tuple[FloatArray, ...]
    slip_rate: tuple[FloatArray, ...]
    slack: FloatArray
    C: FloatArray
    newton: FloatArray
    lagrange: FloatArray
    coulomb: FloatArray
    power: Work


def solve_with_friction(
    M: Matrix,
    Q: ArrayLike,
    A: Matrix,
    b: ArrayLike,
    contacts: Sequence[Contact],
    modes: Sequence[Mode],
    *,
    q: ArrayLike | None = None,
    v: ArrayLike | None = None,
    t: float = 0.0,
) -> FrictionResult:
    """Return accelerations, reactions and friction forces for given modes of the contacts.

    Parameters
    ----------
    M
        Mass matrix.
    Q
        Forces.
    A
        Constraint matrix.
    b
        Right-hand side of A a = b.
    contacts
        The contacts.
    modes
        Mode of each contact. A mode `Sliding` with the sign 0 has the sign of its reaction.
    q
        Coordinates, if data of contacts are functions.
    v
        Velocities, for powers and rates of slip.
    t
        Time.

    Returns
    -------
    result
        Accelerations and forces. `slack` tells whether a sticking contact lies inside its cone.

    Raises
    ------
    PainleveError
        If no acceleration is possible, or several are.

    Examples
    --------
    >>> import numpy as np
    >>> from isodyn.gauss import Contact, Sliding, solve_with_friction
    >>> block = Contact(rows=0, tangent=[1.0, 0.0], mu=0.5, unilateral=True)
    >>> result = solve_with_friction(np.eye(2), [3.0, -10.0], [[0.0, 1.0]], [0.0], [block], [Sliding((1.0,))])
    >>> result.a, result.friction
    (array([-2.,  0.]), (array([-5.]),))
    """
    Q = checks.vector("Q", Q, None, "coordinate")
    n = Q.size
    M = checks.symmetric_mass(checks.matrix("M", M, (n, n), sparse=False))
    positive_definite(M)
    A = checks.matrix("A", A, (None, n), sparse=False)
    b = checks.vector("b", b, A.shape[0], "row of A")
    if len(contacts) != len(modes):
        raise InputError(f"every contact needs a mode, received {len(contacts)} contacts and {len(modes)} modes")
    q = np.zeros(n) if q is None else np.asarray(q, dtype=np.float64)
    v = np.zeros(n) if v is None else checks.vector("v", v, n, "coordinate")
    points = [contact.at(q, v, t, contact.numbers((), A.shape[0])) for contact in contacts]
    result = at_points(M, Q, A, b, points, modes, v)
    _refuse_conflict(A, b, points, modes, result)
    return result


def _refuse_conflict(
    A: FloatArray, b: FloatArray, points: Sequence[ContactPoint], modes: Sequence[Mode], result: FrictionResult
) -> None:
    """ConflictError where rows, those of sticking contacts among them, cannot hold together."""
    held = [p for p, mode in zip(points, modes, strict=True) if isinstance(mode, Sticking)]
    rows = np.concatenate([A, *(p.tangent for p in held)])
    wanted = np.concatenate([b, *(-p.rest for p in held)])
    names = [*(f"row {k}" for k in range(b.size)), *(f"{p.name} sticks" for p in held for _ in p.tangent)]
    found = conflict(rows, result.a, rows @ result.a - wanted, wanted, names)
    if found is not None:
        raise ConflictError(found.message, hint="remove one of these rows, or make them agree")


def at_points(
    M: FloatArray,
    Q: FloatArray,
    A: FloatArray,
    b: FloatArray,
    points: Sequence[ContactPoint],
    modes: Sequence[Mode],
    v: FloatArray,
) -> FrictionResult:
    """The same from contacts at one state."""
    check(points, modes)
    closed = Closed(M, Q, A, b, points, modes)
    closed.refuse_shared()
    signs = closed.solutions()
    others = list(openings(M, Q, A, b, points, modes)) if any(p.unilateral for p in points) else []
    where = ", ".join(repr(p.name) for p, mode in zip(points, modes, strict=True) if isinstance(mode, Sliding))
    if len(signs) + len(others) > 1:
        raise PainleveError(
            f"friction at {where} admits {len(signs) + len(others)} accelerations (Painlevé: several solutions)",
            hint="the rigid model does not decide here: reduce mu, or give the contact compliance",
        )
    if not signs and others:
        raise SeparationError(f"contact {', '.join(repr(points[k].name) for k in others[0])} opens", opening=others[0])
    if not signs:
        raise PainleveError(
            f"friction at {where} admits no acceleration (Painlevé: no solution)",
            hint="the rigid model jams here: reduce mu, or give the contact compliance",
        )
    return closed.result(v, signs[0])


def check(points: Sequence[ContactPoint], modes: Sequence[Mode]) -> None:
    """Directions of slip fit the tangent directions and have unit length."""
    for point, mode in zip(points, modes, strict=True):
        if isinstance(mode, Sliding):
            d = np.array(mode.direction)
            if d.shape != (point.tangent.shape[0],) or abs(np.linalg.norm(d) - 1.0) > 1e-9:
                raise InputError(
                    f"direction of slip at {point.name!r} must be a unit vector of {point.tangent.shape[0]} numbers, "
                    f"received {mode.direction}",
                    hint="Sliding.along(slip) makes one",
                )
        elif not isinstance(mode, Sticking):
            raise InputError(f"the mode of {point.name!r} must be Sliding or Sticking, received {mode!r}")


class Closed:
    """The linear pieces while all contacts are closed: reactions without sliding friction, and
    reactions to it."""

    def __init__(
        self,
        M: FloatArray,
        Q: FloatArray,
        A: FloatArray,
        b: FloatArray,
        points: Sequence[ContactPoint],
        modes: Sequence[Mode],
    ) -> None:
        self.Q, self.A, self.b, self.m = Q, A, b, A.shape[0]
        self.points, self.modes = points, modes
        self.sliding = [k for k, mode in enumerate(modes) if isinstance(mode, Sliding)]
        self.sticking = [k for k, mode in enumerate(modes) if isinstance(mode, Sticking)]
        rows = [A, *(points[k].tangent for k in self.sticking)]
        ends = [b, *(-points[k].rest for k in self.sticking)]
        self.ideal = Reactions(M, A)
        self.held = Reactions(M, np.concatenate(rows)) if self.sticking else self.ideal
        n = Q.size
        self.pull = np.zeros((n, len(self.sliding)))  # friction of unit pressure
        for column, k in enumerate(self.sliding):
            mode = modes[k]
            assert isinstance(mode, Sliding)
            self.pull[:, column] = -points[k].mu * (np.array(mode.direction) @ points[k].tangent)
        self.lam0 = self.held.multipliers(Q, np.concatenate(ends))
        self.lam1 = self.held.to_forces(self.pull)

    def refuse_shared(self) -> None:
        """SingularError where the reaction that friction follows is shared with rows that say the
        same."""
        for point in self.points:
            for row in point.rows:
                others = self.ideal.rank.relatives(row)
                if point.mu_static > 0.0 and others:
                    raise SingularError(
                        f"the reaction of {point.name!r} is not determined: row {row} depends on {others}",
                        hint="leave redundant rows out, so that each reaction with friction has one value",
                    )

    def normal(self, k: int, lam: FloatArray) -> FloatArray:
        """N of contact k; of several right-hand sides in columns."""
        point = self.points[k]
        return np.asarray(-point.scale * lam[list(point.rows)], dtype=np.float64)

    def solutions(self) -> list[list[int]]:
        """Sign patterns of N, one number per contact, whose solution has these signs; equal
        solutions count once."""
        found: list[tuple[FloatArray, list[int]]] = []
        free = [k for k in self.sliding if not self.points[k].unilateral and len(self.points[k].rows) == 1]
        for pattern in itertools.product((1, -1), repeat=len(free)):
            signs = [0] * len(self.points)
            for k in self.sliding:
                signs[k] = 1
            for k, sign in zip(free, pattern, strict=True):
                signs[k] = sign
            for x in self.pressures(signs):
                lam = self.lam0 + self.lam1 @ x
                size = ROUNDING * (1e-300 + np.abs(self.lam0).max(initial=0.0) + np.abs(lam).max(initial=0.0))
                right = all(x[i] >= -size * abs(self.points[k].scale) for i, k in enumerate(self.sliding))
                right &= all(
                    self.normal(k, lam)[0] >= -size * abs(self.points[k].scale)
                    for k in range(len(self.points))
                    if self.points[k].unilateral
                )
                if right and not any(np.allclose(lam, other, rtol=1e-9, atol=10 * size) for other, _ in found):
                    found.append((lam, signs))
        return [signs for _, signs in found]

    def pressures(self, signs: Sequence[int]) -> list[FloatArray]:
        """x = |N| of the sliding contacts for a sign pattern; more than one where a contact has
        several rows."""
        if not self.sliding:
            return [np.zeros(0)]
        blocks = [(self.normal(k, self.lam0), self.normal(k, self.lam1)) for k in self.sliding]
        return pressures(blocks, [signs[k] for k in self.sliding])

    def firmness(self) -> float:
        """Least singular value of σ − W for the signs of the modes, at most 1: zero where friction
        jams."""
        if any(len(self.points[k].rows) > 1 for k in self.sliding):
            return 1.0
        W = np.concatenate([self.normal(k, self.lam1) for k in self.sliding] or [np.zeros((0, 0))])
        sigma = [mode.sign or 1 for mode in self.modes if isinstance(mode, Sliding)]
        return min(1.0, float(np.linalg.svd(np.diag(np.array(sigma, float)) - W, compute_uv=False).min(initial=1.0)))

    def result(self, v: FloatArray, signs: Sequence[int]) -> FrictionResult:
        """Everything for one sign pattern."""
        xs = self.pressures(signs)
        if not xs:
            raise PainleveError(
                "the reaction is not finite: friction jams", hint="the rigid model ends here: reduce mu"
            )
        x = xs[0]
        lam = self.lam0 + self.lam1 @ x
        friction: list[FloatArray] = [np.zeros(p.tangent.shape[0]) for p in self.points]
        for column, k in enumerate(self.sliding):
            mode = self.modes[k]
            assert isinstance(mode, Sliding)
            friction[k] = -self.points[k].mu * x[column] * np.array(mode.direction)
        start = self.m
        for k in self.sticking:
            stop = start + self.points[k].tangent.shape[0]
            friction[k] = -lam[start:stop]
            start = stop
        C = np.zeros(self.Q.size)
        for f, p in zip(friction, self.points, strict=True):
            C = C + f @ p.tangent
        lam_ideal = self.ideal.multipliers(self.Q, self.b) if self.sticking else self.lam0
        a, lam_A = self.ideal.solve(self.Q + C, self.b)  # [Fan2005 (26), (27)]
        lagrange = -self.A.T @ lam_ideal  # [Fan2005 (20)]
        coulomb = C - self.A.T @ (lam_A - lam_ideal)  # [Fan2005 (18), (21)]
        normal = tuple(self.normal(k, lam_A) for k in range(len(self.points)))
        slack = np.full(len(self.points), np.nan)
        for k in self.sticking:
            slack[k] = self.points[k].mu_static * np.linalg.norm(normal[k]) - np.linalg.norm(friction[k])
        rates = tuple(p.tangent @ a + p.rest for p in self.points)
        power = Work(float(v @ self.Q), float(v @ lagrange), float(v @ coulomb))
        return FrictionResult(a, lam_A, normal, tuple(friction), rates, slack, C, self.Q, lagrange, coulomb, power)


def openings(
    M: FloatArray, Q: FloatArray, A: FloatArray, b: FloatArray, points: Sequence[ContactPoint], modes: Sequence[Mode]
) -> list[tuple[int, ...]]:
    """Sets of unilateral contacts that could open together while the others stay closed."""
    found = []
    sided = [k for k, p in enumerate(points) if p.unilateral]
    for count in range(1, len(sided) + 1):
        for opened in itertools.combinations(sided, count):
            gone = sorted(points[k].rows[0] for k in opened)
            kept = [i for i in range(A.shape[0]) if i not in gone]
            number = {old: new for new, old in enumerate(kept)}
            rest = [
                (_renumbered(p, number), modes[k])
                for k, p in enumerate(points)
                if k not in opened and not set(p.rows) & set(gone)
            ]
            pieces = Closed(M, Q, A[kept], b[kept], [p for p, _ in rest], [mode for _, mode in rest])
            for signs in pieces.solutions():
                a = pieces.result(np.zeros(Q.size), signs).a
                opening = A[gone] @ a - b[gone]
                size = ROUNDING * (np.abs(A[gone]) @ np.abs(a) + np.abs(b[gone]) + 1e-300)
                if (opening > size).all():
                    found.append(opened)
    return found


def _renumbered(point: ContactPoint, number: dict[int, int]) -> ContactPoint:
    rows = tuple(number[row] for row in point.rows)
    return replace(point, rows=rows)
