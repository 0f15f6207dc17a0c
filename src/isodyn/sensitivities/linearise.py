"""The matrices of one step, where it converged
(isodyn.sensitivities.memory has the equations).

Differences have four points, f' = (8(f₊ − f₋) − (f₊₊ − f₋₋))/12h + O(h⁴), with h a thousandth of a
typical size: truncation and rounding are both about 1e-12 of what functions vary by. Derivatives in
the state come from the model where its matrices are exact (mechanisms), by columns of differences
elsewhere.
"""

from __future__ import annotations

from isodyn.kernels.compiled import (
    ACCELERATION,
    BALANCE,
    CONSTANT_MASS,
    CONSTRAINT,
    IDEAL,
    JACOBIAN,
    MULTIPLIERS,
    NONIDEAL,
    OK,
    REACTS,
    VELOCITY,
    FloatArray,
    IntArray,
    kernel,
)
from isodyn.kernels.lowering import natural
from isodyn.sensitivities.memory import Linear
from isodyn.sensitivities.retraction import put_tangents
from isodyn.stepping.closure import fill_with, measure, retract
from isodyn.stepping.equations import trial
from isodyn.stepping.memory import Leg, Memory, Physics, State

PART = 1e-3  # of a typical size: distance of the points of a difference
LARGE = 2.0**80  # in units of which corrections of q are asked for, to see them alone
POINTS = (1.0, -1.0, 2.0, -2.0)
WEIGHTS = (8.0 / 12.0, -8.0 / 12.0, -1.0 / 12.0, 1.0 / 12.0)


@kernel()
def times(
    starts: IntArray, columns: IntArray, values: FloatArray, x: FloatArray, factor: float, out: FloatArray
) -> None:
    """out += factor × (a matrix in its pattern) x."""
    for i in range(starts.size - 1):
        total = 0.0
        for k in range(natural(starts[i]), natural(starts[i + 1])):
            total += values[k] * x[natural(columns[k])]
        out[i] += factor * total


@kernel()
def times_transposed(
    starts: IntArray, columns: IntArray, values: FloatArray, x: FloatArray, factor: float, out: FloatArray
) -> None:
    """out += factor × (a matrix in its pattern)ᵀ x."""
    for i in range(starts.size - 1):
        by = factor * x[i]
        if by != 0.0:
            for k in range(natural(starts[i]), natural(starts[i + 1])):
                out[natural(columns[k])] += by * values[k]


@kernel()
def ask(
    p: Physics,
    linear: Linear,
    what: int,
    t: float,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    lam: FloatArray,
    c: FloatArray,
    out: FloatArray,
) -> int:
    """One question to the model."""
    status: int = p.model(what, t, q, v, a, lam, c, p.tables, p.scratch, out)
    return status


@kernel()
def exact_matrix(
    p: Physics,
    linear: Linear,
    k: int,
    t: float,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    lam: FloatArray,
    memory: Memory,
    out: FloatArray,
) -> int:
    """∂balance/∂a, ∂/∂v or ∂/∂q (k = 0, 1, 2) from the model."""
    c = memory.kappa
    c[0], c[1], c[2] = 0.0, 0.0, 0.0
    c[k] = 1.0
    return ask(p, linear, JACOBIAN, t, q, v, a, lam, c, out)


@kernel()
def column_along_q(
    p: Physics,
    linear: Linear,
    what: int,
    j: int,
    t: float,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    lam: FloatArray,
    memory: Memory,
    out: FloatArray,
) -> int:
    """out = ∂(answer to `what`)/∂q along component j, by differences."""
    n, h, answer = linear.work.size, PART * linear.size_v[j], linear.big[: out.size]
    fill_with(out, 0.0)
    fill_with(linear.work, 0.0)
    status = OK
    for k in range(4):
        linear.work[j] = POINTS[k] * h
        status = retract(p, q, linear.work, memory.kappa, linear.q_plus)
        if status == OK:
            status = ask(p, linear, what, t, linear.q_plus, v, a, lam, memory.kappa, answer)
        if status != OK:
            break
        for i in range(out.size):
            out[i] += WEIGHTS[k] / h * answer[i]
    linear.work[j] = 0.0
    return status if n > 0 else OK


@kernel()
def matrix_along_q(
    p: Physics,
    linear: Linear,
    t: float,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    lam: FloatArray,
    memory: Memory,
    sign: float,
    out: FloatArray,
) -> int:
    """out += sign·∂balance/∂q by columns of differences (full matrices)."""
    n = natural(linear.size_v.size)
    column = linear.big[2 * n : 3 * n]
    for j in range(n):
        status = column_along_q(p, linear, BALANCE, j, t, q, v, a, lam, memory, column)
        if status != OK:
            return status
        for i in range(n):
            out[i * n + j] += sign * column[i]
    return OK


@kernel()
def matrix_along_v(
    p: Physics,
    linear: Linear,
    t: float,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    lam: FloatArray,
    memory: Memory,
    out: FloatArray,
) -> int:
    """out = ∂balance/∂v by columns of differences (full matrices)."""
    n = natural(linear.size_v.size)
    answer, moved = linear.big[:n], linear.big[n : 2 * n]
    fast = 0.0
    for i in range(n):
        fast = max(fast, abs(v[i]) / linear.size_v[i])
        moved[i] = v[i]
    fill_with(out, 0.0)
    for j in range(n):
        h = PART * linear.size_v[j] * max(fast, 1e-2)
        for k in range(4):
            moved[j] = v[j] + POINTS[k] * h
            status = ask(p, linear, BALANCE, t, q, moved, a, lam, memory.kappa, answer)
            if status != OK:
                return status
            for i in range(n):
                out[i * n + j] += WEIGHTS[k] / h * answer[i]
        moved[j] = v[j]
    return OK


@kernel()
def linearise_balance(p: Physics, linear: Linear, t: float, memory: Memory) -> int:
    """K, C, M and D at the trial state in memory."""
    q, v, a, lam = memory.q, memory.v, memory.a, memory.lam
    status = OK
    if not p.traits & CONSTANT_MASS:
        status = exact_matrix(p, linear, 0, t, q, v, a, lam, memory, linear.M)
    if status == OK and linear.exact == 1:
        status = exact_matrix(p, linear, 1, t, q, v, a, lam, memory, linear.C)
        if status == OK:
            status = exact_matrix(p, linear, 2, t, q, v, a, lam, memory, linear.K)
    elif status == OK:
        status = matrix_along_v(p, linear, t, q, v, a, lam, memory, linear.C)
        fill_with(linear.K, 0.0)
        if status == OK and q.size > 0:
            status = matrix_along_q(p, linear, t, q, v, a, lam, memory, 1.0, linear.K)
    if status == OK and lam.size > 0:
        what = MULTIPLIERS if p.traits & (NONIDEAL | REACTS) else CONSTRAINT
        status = ask(p, linear, what, t, q, v, a, lam, memory.kappa, linear.D)
    return status


@kernel()
def linearise_range(p: Physics, linear: Linear, state: State, memory: Memory) -> int:
    """H = ∂(G_nᵀμ − M_n p)/∂q, all else fixed."""
    t, q, v, status = state.t, state.q, state.v, OK
    memory.kappa[3] = IDEAL
    if linear.exact == 1:  # the balance is linear in a and λ: what does not depend on them is lost beside them
        mu = linear.levels
        for i in range(linear.work.size):
            linear.minus_p[i] = -LARGE * memory.p[i]
        for i in range(mu.size):
            mu[i] = LARGE * memory.mu[i]
        status = exact_matrix(p, linear, 2, t, q, v, linear.minus_p, mu, memory, linear.H)
        for k in range(linear.H.size):
            linear.H[k] /= LARGE
    for i in range(linear.work.size):
        linear.minus_p[i] = -memory.p[i]
    if linear.exact == 0:
        fill_with(linear.H, 0.0)
        status = matrix_along_q(p, linear, t, q, v, linear.minus_p, memory.mu, memory, 1.0, linear.H)
        if status == OK:
            status = matrix_along_q(p, linear, t, q, v, linear.no_a, linear.no_lam, memory, -1.0, linear.H)
    memory.kappa[3] = 1.0
    return status


@kernel()
def rates_along(
    p: Physics, linear: Linear, t_1: float, after: State, memory: Memory, d: FloatArray, out: FloatArray
) -> int:
    """out = Γ d at the end of the step.

    Of constraints on q alone φ̈ is quadratic in v, and its mixed part at v and d is exact:
    Γ d = ¼(φ̈(v + d) − φ̈(v − d)) + ½ G (d × v), the product for rotations in the body's frame.
    Elsewhere φ̇ is differenced along d.
    """
    fill_with(out, 0.0)
    n, c = natural(d.size), memory.kappa
    if linear.polar == 0:
        return differenced_rows(p, linear, VELOCITY, t_1, after, memory, d, out)
    moved, answer = linear.big[:n], linear.work_m
    for sign in (1.0, -1.0):
        for i in range(n):
            moved[i] = after.v[i] + sign * d[i]
        status = ask(p, linear, ACCELERATION, t_1, after.q, moved, linear.no_a, after.lam, c, answer)
        if status != OK:
            return status
        for i in range(out.size):
            out[i] += 0.25 * sign * answer[i]
    fill_with(moved, 0.0)
    for k in range(linear.rotations.size):
        first = natural(linear.rotations[k])
        for r in range(3):
            i, j = first + (r + 1) % 3, first + (r + 2) % 3
            moved[first + r] = d[i] * after.v[j] - d[j] * after.v[i]
    times(linear.G_starts, linear.G_columns, linear.G_1, moved, 0.5, out)
    return OK


@kernel()
def differenced_rows(
    p: Physics, linear: Linear, what: int, t_1: float, after: State, memory: Memory, d: FloatArray, out: FloatArray
) -> int:
    """out += ∂φ̇/∂q d, or ∂φ̈/∂q d at linear.a_hat, by differences."""
    n, size = natural(d.size), measure(d, memory.by_v)
    if size == 0.0:
        return OK
    h, c, moved = PART / size, memory.kappa, linear.big[:n]
    for k in range(4):
        for i in range(n):
            moved[i] = POINTS[k] * h * d[i]
        status = retract(p, after.q, moved, c, linear.q_plus)
        if status == OK:
            status = ask(p, linear, what, t_1, linear.q_plus, after.v, linear.a_hat, after.lam, c, linear.work_m)
        if status != OK:
            return status
        for i in range(out.size):
            out[i] += WEIGHTS[k] / h * linear.work_m[i]
    return OK


@kernel()
def second_along_v(
    p: Physics, linear: Linear, t_1: float, after: State, memory: Memory, d: FloatArray, out: FloatArray
) -> int:
    """out = ∂φ̈/∂v d; φ̈ is quadratic in v."""
    n = natural(d.size)
    moved, answer = linear.big[:n], linear.work_m
    fill_with(out, 0.0)
    for sign in (1.0, -1.0):
        for i in range(n):
            moved[i] = after.v[i] + sign * d[i]
        status = ask(p, linear, ACCELERATION, t_1, after.q, moved, linear.a_hat, after.lam, memory.kappa, answer)
        if status != OK:
            return status
        for i in range(out.size):
            out[i] += 0.5 * sign * answer[i]
    return OK


@kernel()
def put_columns(linear: Linear, k: int, d: FloatArray, found: FloatArray, out: FloatArray) -> None:
    """Columns of group k of a matrix in the pattern of G, whose product with d is `found`."""
    for e in range(linear.entries_of[k], linear.entries_of[k + 1]):
        entry = natural(linear.entries[e])
        out[entry] = found[natural(linear.rows_of[e])] / d[natural(linear.G_columns[entry])]


@kernel()
def linearise_rates(p: Physics, linear: Linear, t_1: float, after: State, memory: Memory) -> int:
    """Γ in the pattern of G, by groups of columns that share no row; ∂φ̈/∂v and ∂φ̈/∂q where φ̈
    closes."""
    n, m, fast = natural(linear.size_v.size), natural(linear.no_lam.size), 1e-2
    d, found = linear.big[n : 2 * n], linear.levels[:m]
    for i in range(n):
        fast = max(fast, abs(after.v[i]) / linear.size_v[i])
    for k in range(linear.groups.size - 1):
        fill_with(d, 0.0)
        for e in range(linear.groups[k], linear.groups[k + 1]):
            j = natural(linear.columns[e])
            d[j] = fast * linear.size_v[j]
        status = rates_along(p, linear, t_1, after, memory, d, found)
        if status != OK:
            return status
        put_columns(linear, k, d, found, linear.gamma)
        if p.closure.acceleration == 0.0:
            continue
        status = second_along_v(p, linear, t_1, after, memory, d, found)
        if status != OK:
            return status
        put_columns(linear, k, d, found, linear.second_v)
        fill_with(found, 0.0)
        status = differenced_rows(p, linear, ACCELERATION, t_1, after, memory, d, found)
        if status != OK:
            return status
        put_columns(linear, k, d, found, linear.second_q)
    return OK


@kernel()
def linearise_end(p: Physics, leg: Leg, linear: Linear, t_1: float, after: State, memory: Memory) -> int:
    """G, Γ and, where φ̈ closes, its derivatives at the end of the step."""
    for i in range(memory.x.size):
        linear.a_hat[i] = memory.a_p[i] + (1.0 + leg.phi) * memory.x[i]
    status = ask(p, linear, CONSTRAINT, t_1, after.q, after.v, after.a, after.lam, memory.kappa, linear.G_1)
    return linearise_rates(p, linear, t_1, after, memory) if status == OK and after.q.size > 0 else status


@kernel()
def linearise(
    p: Physics,
    leg: Leg,
    t: float,
    t_1: float,
    dt: float,
    before: State,
    after: State,
    memory: Memory,
    linear: Linear,
) -> int:
    """All matrices of a step from `before` to `after`, whose unknowns are in memory."""
    status = OK
    if p.closure.keep_position == 1 and p.rows.size > 0:
        status = linearise_range(p, linear, before, memory)
    if status == OK:
        status = trial(p, leg, dt, before, memory.c, memory)
    if status != OK:
        return status
    put_tangents(linear, memory.d, linear.A_b, linear.T_b)
    status = linearise_balance(p, linear, t, memory)
    if status != OK:
        return status
    for k in range(linear.S.size):
        linear.S[k] = memory.c[0] * linear.M[k] + memory.c[1] * linear.C[k]
    for i in range(memory.x.size):
        memory.d[i] = dt * before.v[i] + dt * dt * (0.5 * memory.a_p[i] + leg.l3 * memory.x[i] - memory.p[i])
    put_tangents(linear, memory.d, linear.A_e, linear.T_e)
    return linearise_end(p, leg, linear, t_1, after, memory) if after.lam.size > 0 else OK
