"""Derivatives of a step by several parameters at a time (isodyn.sensitivities.memory has the
equations): vectors of all parameters stand side by side, so that every entry of a matrix or of its
factors is read once for all of them.
"""

from __future__ import annotations

from isodyn.kernels.compiled import OK, SPARSE, FloatArray, IntArray, kernel
from isodyn.kernels.lowering import natural
from isodyn.linear_solvers.many_solves import solve_many
from isodyn.sensitivities.memory import Linear, Many, Tangents
from isodyn.stepping.closure import fill_with
from isodyn.stepping.corrections import solve, solve_with_first
from isodyn.stepping.memory import Leg, Memory, Physics, State


@kernel(fused=True)
def add_multiple(X: FloatArray, j: int, factor: float, out: FloatArray, i: int) -> None:
    """Row i of out plus a multiple of row j of X."""
    for c in range(out.shape[1]):
        out[i, c] += factor * X[j, c]


@kernel(fused=True)
def products(starts: IntArray, columns: IntArray, values: FloatArray, X: FloatArray, out: FloatArray) -> None:
    """out += (a matrix in its pattern) X."""
    for i in range(starts.size - 1):
        for k in range(natural(starts[i]), natural(starts[i + 1])):
            if values[k] != 0.0:
                add_multiple(X, natural(columns[k]), values[k], out, i)


@kernel(fused=True)
def transposed_products(
    starts: IntArray, columns: IntArray, values: FloatArray, X: FloatArray, out: FloatArray
) -> None:
    """out += (a matrix in its pattern)ᵀ X."""
    for i in range(starts.size - 1):
        for k in range(natural(starts[i]), natural(starts[i + 1])):
            if values[k] != 0.0:
                add_multiple(X, i, values[k], out, natural(columns[k]))


@kernel()
def copy_many(X: FloatArray, out: FloatArray) -> None:
    """out = X."""
    for i in range(X.shape[0]):
        for c in range(X.shape[1]):
            out[i, c] = X[i, c]


@kernel(fused=True)
def add_turned(linear: Linear, A: FloatArray, X: FloatArray, out: FloatArray, work: FloatArray) -> None:
    """out += A X, where A differs from 1 for rotations only."""
    copy_many(X, work)
    for k in range(linear.rotations.size):
        first = natural(linear.rotations[k])
        for r in range(3):
            for c in range(X.shape[1]):
                work[first + r, c] = (
                    A[k, r, 0] * X[first, c] + A[k, r, 1] * X[first + 1, c] + A[k, r, 2] * X[first + 2, c]
                )
    for i in range(X.shape[0]):
        for c in range(X.shape[1]):
            out[i, c] += work[i, c]


@kernel()
def take_parameters(tangents: Tangents, first: int, shift: float, guess: float, many: Many) -> None:
    """Derivatives by parameters from `first` on, side by side; zeros where there are no more."""
    for c in range(many.q.shape[1]):
        j, known = first + c, first + c < tangents.q.shape[0]
        for i in range(many.q.shape[0]):
            if known:
                da, before = tangents.da[j, i], tangents.old_da[j, i]
                many.q[i, c], many.v[i, c] = tangents.q[j, i], tangents.v[j, i]
                many.a[i, c] = tangents.a[j, i] + shift * da
                many.x[i, c] = 2.0 * da - before if guess > 0.0 else da
                many.base[i, c] = tangents.f[j, i]
                many.p[i, c] = tangents.g[j, i]
            else:
                many.q[i, c] = many.v[i, c] = many.a[i, c] = many.x[i, c] = many.base[i, c] = many.p[i, c] = 0.0
        for i in range(many.lam.shape[0]):
            if known:
                lam = tangents.lam[j, i]
                many.lam[i, c] = lam + guess * (lam - tangents.old_lam[j, i])
                many.phi[i, c], many.rate[i, c] = tangents.phi[j, i], tangents.rate[j, i]
            else:
                many.lam[i, c] = many.phi[i, c] = many.rate[i, c] = 0.0


@kernel(fused=True)
def put_bases(leg: Leg, dt: float, memory: Memory, linear: Linear, many: Many) -> None:
    """Residuals without the unknowns: of the balance, of q_{n+1} and of v_{n+1}."""
    n, width = natural(many.q.shape[0]), natural(many.q.shape[1])
    W1, W2 = leg.W1 * dt, leg.W2L2 * dt * dt
    for i in range(n):
        for c in range(width):
            many.d[i, c] = W1 * many.v[i, c] + W2 * many.a[i, c]
            many.base_q[i, c] = 0.0
            many.r[i, c] = 0.0
    add_turned(linear, linear.A_b, many.q, many.r, many.turned)
    add_turned(linear, linear.T_b, many.d, many.r, many.turned)
    products(linear.J_starts, linear.J_columns, linear.K, many.r, many.base)
    products(linear.J_starts, linear.J_columns, linear.M, many.a, many.base)
    for i in range(n):
        for c in range(width):
            many.d[i, c] = many.v[i, c] + W1 * many.a[i, c]
            many.base_v[i, c] = many.v[i, c] + dt * many.a[i, c]
    products(linear.J_starts, linear.J_columns, linear.C, many.d, many.base)
    for i in range(n):
        for c in range(width):
            many.d[i, c] = dt * many.v[i, c] + 0.5 * dt * dt * many.a[i, c]
    add_turned(linear, linear.A_e, many.q, many.base_q, many.turned)
    add_turned(linear, linear.T_e, many.d, many.base_q, many.turned)


@kernel(fused=True)
def put_ends(leg: Leg, dt: float, linear: Linear, many: Many) -> None:
    """δq and δv at the end of the step, for the present unknowns."""
    for i in range(many.x.shape[0]):
        for c in range(many.x.shape[1]):
            x = many.x[i, c]
            many.d[i, c] = dt * dt * (leg.l3 * x - many.p[i, c])
            many.v_1[i, c] = many.base_v[i, c] + leg.l5 * dt * x
            many.q_1[i, c] = many.base_q[i, c]
    add_turned(linear, linear.T_e, many.d, many.q_1, many.turned)


@kernel(fused=True)
def put_residuals(leg: Leg, dt: float, after: State, memory: Memory, linear: Linear, many: Many) -> None:
    """Residuals of balance, φ and φ̇, for the present unknowns."""
    put_ends(leg, dt, linear, many)
    for i in range(many.x.shape[0]):
        for c in range(many.x.shape[1]):
            many.d[i, c] = memory.c[2] * many.x[i, c]
            many.r[i, c] = 0.0
    add_turned(linear, linear.T_b, many.d, many.r, many.turned)
    copy_many(many.r, many.d)
    copy_many(many.base, many.r)
    products(linear.J_starts, linear.J_columns, linear.K, many.d, many.r)
    products(linear.J_starts, linear.J_columns, linear.S, many.x, many.r)
    if many.lam.shape[0] == 0:
        return
    transposed_products(linear.G_starts, linear.G_columns, linear.D, many.lam, many.r)
    copy_many(many.rate, many.gap_v)
    products(linear.G_starts, linear.G_columns, linear.G_1, many.v_1, many.gap_v)
    if after.q.size > 0:
        products(linear.G_starts, linear.G_columns, linear.gamma, many.q_1, many.gap_v)
        copy_many(many.phi, many.gap_q)
        products(linear.G_starts, linear.G_columns, linear.G_1, many.q_1, many.gap_q)


@kernel()
def put_right_hand_sides(p: Physics, leg: Leg, dt: float, many: Many) -> None:
    """(−r, −closure) into many.B, and the gap of φ that its solution leaves into many.P."""
    k, n = p.closure, natural(many.x.shape[0])
    along_x = k.position * leg.l3 * dt * dt + k.velocity * leg.l5 * dt
    for i in range(n):
        for c in range(many.x.shape[1]):
            many.B[i, c] = -many.r[i, c]
            many.P[i, c] = 0.0
    for e in range(p.rows.size):
        i = natural(p.rows[e])
        for c in range(many.x.shape[1]):
            if i < p.holonomic:
                gap = (k.position * many.gap_q[i, c] + k.velocity * many.gap_v[i, c]) / along_x
                many.P[n + e, c] = many.gap_q[i, c] / (dt * dt) - leg.l3 * gap
            else:
                gap = many.gap_v[i, c] / (leg.l5 * dt)
                many.P[n + e, c] = 0.0
            many.B[n + e, c] = -gap


@kernel()
def solve_all(p: Physics, t: float, memory: Memory, many: Many, B: FloatArray, second: bool) -> int:
    """B ← (the matrix of the step, or with `second` that of the range)⁻¹ B."""
    status = OK
    if p.traits & SPARSE:
        if second:
            solve_many(memory.J_S, memory.blocks, 1, B, many.X)
        else:
            solve_many(memory.J, memory.blocks, 0, B, many.X)
        return status
    one = memory.dp if second else memory.dx
    for c in range(B.shape[1]):
        for i in range(B.shape[0]):
            one[i] = B[i, c]
        if second:
            solve_with_first(p, memory.c, memory)
        else:
            status = solve(p, t, memory.c, memory, one, memory.r_plus, False)
        if status != OK:
            return status
        for i in range(B.shape[0]):
            B[i, c] = one[i]
    return status


@kernel()
def start_ranges(p: Physics, t: float, memory: Memory, linear: Linear, many: Many) -> int:
    """A first δp with M_n δp + G_nᵀ y = H δq + ∂/∂θ, on which corrections in the range are
    added."""
    n = natural(many.x.shape[0])
    products(linear.J_starts, linear.J_columns, linear.H, many.q, many.p)
    for i in range(many.P.shape[0]):
        for c in range(many.P.shape[1]):
            many.P[i, c] = many.p[i, c] if i < n else 0.0
    status = solve_all(p, t, memory, many, many.P, True)
    for i in range(n):
        for c in range(many.P.shape[1]):
            many.p[i, c] = many.P[i, c]
    return status


@kernel()
def correct_many(
    p: Physics, leg: Leg, t: float, dt: float, after: State, memory: Memory, linear: Linear, many: Many
) -> int:
    """One correction of δx, δλ̃ and δp of all parameters; its sizes into many.change."""
    n, width = natural(many.x.shape[0]), natural(many.x.shape[1])
    put_residuals(leg, dt, after, memory, linear, many)
    put_right_hand_sides(p, leg, dt, many)
    status = solve_all(p, t, memory, many, many.B, False)
    keep = p.closure.keep_position == 1 and p.rows.size > 0
    if status == OK and keep:
        status = solve_all(p, t, memory, many, many.P, True)
    if status != OK:
        return status
    fill_with(many.change, 0.0)
    for i in range(n):
        by = memory.by_v[i]
        for c in range(width):
            many.x[i, c] += many.B[i, c]
            change = by * abs(many.B[i, c])
            if keep:
                many.p[i, c] += many.P[i, c]
                change = max(change, by * abs(many.P[i, c]))
            if not change <= many.change[c]:
                many.change[c] = change
    for e in range(p.rows.size):
        for c in range(width):
            many.lam[natural(p.rows[e]), c] += many.B[n + e, c]
    return status


@kernel()
def give_parameters(leg: Leg, shift: float, tangents: Tangents, first: int, many: Many) -> None:
    """The derivatives at the end of the step in the place of those at its beginning."""
    for c in range(min(many.q.shape[1], tangents.q.shape[0] - first)):
        j = first + c
        for i in range(many.q.shape[0]):
            tangents.q[j, i], tangents.v[j, i] = many.q_1[i, c], many.v_1[i, c]
            tangents.a[j, i] = many.a[i, c] + many.x[i, c]
            tangents.old_da[j, i] = tangents.da[j, i]
            tangents.da[j, i] = many.x[i, c]
        for i in range(many.lam.shape[0]):
            before = tangents.lam[j, i]
            tangents.old_lam[j, i] = before
            tangents.lam[j, i] = before + (many.lam[i, c] - before) / leg.W1
