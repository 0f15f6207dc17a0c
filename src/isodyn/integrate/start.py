"""A consistent start: positions and velocities on the constraints, then accelerations and multipliers.

A start that misses the constraints by little is moved to the nearest consistent one (mass norm); one that misses them by much is
refused with the rows and the amounts, unless assembly is asked for.
"""

from __future__ import annotations

import numpy as np

from isodyn.compiled import FloatArray
from isodyn.errors import ConflictError, InputError, NonFiniteError, SingularError
from isodyn.linear_solvers.blocks import full, largest
from isodyn.linear_solvers.rows import Rows, partners
from isodyn.systems.manifold import Closed, close, moving
from isodyn.systems.questions import Questions

SMALL = 1e-6  # violations below this, relative to the size of the state, are rounding of the input
ASIDE = 1e-3  # how far aside gradients are compared, against the size of q
STATIONARY = 1e-7  # a gradient smaller than this part of one a little aside is rounding
TURNED = 1e-2  # of the size of v: more than rounding of the input can ask for in a position that is not singular
CONFLICT = 1e-7  # dependent rows that are off by more than this do not hold


def algebraic_start(ask: Questions, t: float, s: FloatArray, z: FloatArray) -> tuple[FloatArray, FloatArray, int]:
    """s', z and the index of a first-order system with algebraic unknowns: c(s, z) = 0 for z, or its derivative where c is free of z."""
    none, n, m = np.zeros(0), s.size, z.size
    scale = max(1.0, float(np.abs(z).max()))

    def rate(z: FloatArray) -> FloatArray:
        return -ask.balance(t, none, s, np.zeros(n), z)

    def level_1(z: FloatArray) -> FloatArray:
        return ask.velocity(t, none, s, z)

    def level_2(z: FloatArray) -> FloatArray:
        return ask.acceleration(t, none, s, rate(z), z)

    h = 1e-6 * scale
    depends = max(float(np.abs(level_1(z + h * e) - level_1(z - h * e)).max()) / (2 * h) for e in np.eye(m)) > 1e-9
    equations = level_1 if depends else level_2
    if not depends and np.abs(level_1(z)).max() > SMALL * max(1.0, float(np.abs(s).max())):
        worst = int(np.abs(level_1(z)).argmax())
        raise InputError(
            f"the start violates constraint {ask.system.row_names[worst]!r} by {level_1(z)[worst]:.3g}",
            hint="the constraints do not contain the algebraic unknowns (index 2): s0 itself must satisfy them",
        )
    from scipy.optimize import root

    found = root(equations, z, method="hybr", options={"xtol": 1e-14})
    size = max(scale, float(np.abs(found.x).max()), float(np.abs(rate(found.x)).max()))
    if not np.abs(found.fun).max() <= SMALL * size:
        raise SingularError(
            f"no consistent algebraic unknowns near z0 at t = {t:g}: residual {np.abs(found.fun).max():.2e}",
            hint="start from another z0; systems of index above 2 are not covered",
        )
    return rate(found.x), found.x, 1 if depends else 2


def near_manifold(ask: Questions, t: float, q: FloatArray) -> FloatArray:
    """Positions on φ = 0 by steps over all rows; refused when the rows cannot be closed.

    Off the manifold more rows are independent than on it; enforced, they make the matrix singular on the way. Rows can then be chosen
    where they will be used.
    """
    closed = close(Questions(ask.system), t, q)  # full matrices
    refuse_open(ask, t, closed)
    return closed.q


def still_open(ask: Questions, rows: Rows, t: float, q: FloatArray) -> bool:
    """Whether enforced rows are off after a projection that should have closed them: it got lost."""
    phi = ask.position(t, q, np.zeros(ask.system.nv))
    off = np.abs(phi[rows.chosen[rows.chosen < phi.size]]).max(initial=0.0)
    return bool(off > CONFLICT * max(1.0, float(np.abs(q).max(initial=0.0))))


def refuse_open(ask: Questions, t: float, closed: Closed) -> None:
    """ConflictError for rows that stay open, naming the worst."""
    if closed.largest > CONFLICT * max(1.0, float(np.abs(closed.q).max(initial=0.0))):
        worst = np.argsort(-np.abs(closed.gap))[:3]
        names = ask.system.row_names
        left = ", ".join(f"{names[i]!r} by {closed.gap[i]:.3g}" for i in worst if abs(closed.gap[i]) > CONFLICT)
        raise ConflictError(
            f"the constraints cannot be closed from this start at t = {t:.6g}: after {closed.steps} steps they are open: {left}",
            hint="check lengths and points of these; or start nearer to the wanted position",
        )


def near_velocity(ask: Questions, t: float, q: FloatArray, v: FloatArray) -> FloatArray:
    """Velocities on φ̇ = 0, ψ = 0 by two Newton steps of least norm over all rows, in the same way."""
    for _ in range(2):
        G = full(ask.G(t, q, v))
        eased = np.linalg.solve(full(ask.mass(t, q, v)), G.T)
        v = v - eased @ np.linalg.lstsq(G @ eased, ask.velocity(t, q, v), rcond=1e-8)[0]
    return v


def finite_rows(ask: Questions, t: float, q: FloatArray, v: FloatArray) -> None:
    """NonFiniteError for constraints that are not numbers at the start, naming the row."""
    values = [
        ask.position(t, q, v)[:, None],
        ask.velocity(t, q, v)[:, None],
        (ask.G(t, q, v) @ np.ones(v.size))[:, None],
    ]
    for rows in values:
        bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
        if bad.size:
            raise NonFiniteError(
                f"constraint {ask.system.row_names[bad[0]]!r} gives a NaN or an infinity at the start, t = {t:.6g}",
                hint="check what the constraint functions return for q0 and v0",
            )


def refuse_stationary(ask: Questions, rows: Rows, t: float, q: FloatArray, v: FloatArray) -> None:
    """SingularError for an enforced row whose gradient is rounding at the start: where it leads, rounding would decide."""
    aside = np.random.default_rng(1).uniform(-ASIDE, ASIDE, v.size) * (float(np.abs(q).max(initial=0.0)) or 1.0)
    there = moving(ask.system)(q, aside)
    here, beside = (np.sqrt(np.asarray((G * G).sum(axis=1)).ravel()) for G in (ask.G(t, q, v), ask.G(t, there, v)))
    lost = [int(r) for r in rows.chosen if here[r] < STATIONARY * beside[r]]
    if lost:
        raise SingularError(
            f"constraint {ask.system.row_names[lost[0]]!r} is stationary at the start, t = {t:.6g}:"
            f" its gradient is {here[lost[0]]:.1e} there and {beside[lost[0]]:.1e} a little aside",
            hint="start elsewhere; where branches of motion cross, a G that is exact there lets them be found",
        )


def refuse_turned(ask: Questions, t: float, q: FloatArray, given: FloatArray, v: FloatArray) -> None:
    """SingularError for velocities that were off by rounding only, but far from those that constraints allow."""
    size = float(np.abs(given).max(initial=0.0))
    far = float(np.abs(v - given).max(initial=0.0))
    if far > TURNED * size > 0.0 and np.abs(ask.velocity(t, q, given)).max() < SMALL * size * largest(
        ask.G(t, q, given)
    ):
        raise SingularError(
            f"the start at t = {t:.6g} lies beside a singular position: its velocities keep the constraints to rounding, but the nearest"
            f" that do so exactly differ by {far / size:.2g} of their size",
            hint="start in the singular position itself or farther from it; integrate(..., assemble=True) takes the nearest velocities",
        )


def gaps(ask: Questions, t: float, q: FloatArray, v: FloatArray) -> list[tuple[str, FloatArray]]:
    """Violations of the constraints by level, relative to the size of the state."""
    G = max(1.0, largest(ask.G(t, q, v)))
    return [
        ("position", ask.position(t, q, v) / max(1.0, float(np.abs(q).max(initial=0.0)))),
        ("velocity", ask.velocity(t, q, v) / max(1.0, float(np.abs(v).max(initial=0.0)) * G)),
    ]


def refuse_if_far(ask: Questions, t: float, q: FloatArray, v: FloatArray) -> None:
    """InputError for a start off the constraints by more than rounding of the input, naming the worst row."""
    for level, gap in gaps(ask, t, q, v):
        if gap.size and np.abs(gap).max() > SMALL:
            worst = int(np.abs(gap).argmax())
            others = int((np.abs(gap) > SMALL).sum()) - 1
            also = f" (and {others} more rows)" if others else ""
            raise InputError(
                f"the start violates constraint {ask.system.row_names[worst]!r} at {level} level by {gap[worst]:.3g}{also}",
                hint="correct q0 and v0, or let integrate(..., assemble=True) find the nearest consistent start",
            )


def refuse_conflicts(ask: Questions, rows: Rows, t: float, q: FloatArray, v: FloatArray) -> None:
    """ConflictError when rows that depend on others do not hold where the others do, naming both."""
    names = ask.system.row_names
    if not rows.dropped.size:
        return
    for level, gap in gaps(ask, t, q, v):
        dropped = rows.dropped[rows.dropped < gap.size]
        let_go = float(np.abs(gap[rows.chosen[rows.chosen < gap.size]]).max(initial=0.0))  # by the formulation
        if dropped.size and np.abs(gap[dropped]).max() > CONFLICT + 10.0 * let_go:
            row = int(dropped[np.abs(gap[dropped]).argmax()])
            found = partners(ask.G(t, q, v), rows, row)
            if not found:
                raise ConflictError(
                    f"constraint {names[row]!r} is off by {gap[row]:.3g} at {level} level at t = {t:.6g}, and no motion changes it there",
                    hint="a stationary value; start elsewhere",
                )
            others, hold = ", ".join(repr(names[i]) for i in found), "holds" if len(found) == 1 else "hold"
            raise ConflictError(
                f"constraints conflict at t = {t:.6g}: {names[row]!r} is off by {gap[row]:.3g} at {level} level where {others} {hold}",
                hint=f"{names[row]!r} depends on {others}; remove one of them, or make them agree",
            )
