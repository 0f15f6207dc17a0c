"""Values between the rows of a solution.

On a step from row k to k+1 with τ = (t − t_k)/Δt, the displacement from q_k is the quintic that has
the q, v and a of both rows,

    d(τ) = h₁(τ) d₁ + Δt (g₀ v_k + g₁ v_{k+1}) + Δt² (s₀ a_k + s₁ a_{k+1}),     q = q_k ⊕ d,   v = ḋ,

with d₁ the difference q_{k+1} ⊖ q_k; a and lam are linear. First-order systems use the cubic
through s and s' instead.

Where q or v jump between two rows, at impacts and where events act, the motion is in pieces, which
a run keeps beside its rows.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from isodyn.errors import AccuracyWarning, InputError
from isodyn.kernels.compiled import FloatArray, IntArray

if TYPE_CHECKING:
    from isodyn.results.solution import Solution

STATES = ("q", "v", "a", "lam")
_SLACK = 1e-9  # times outside the run by less than this part of it are taken to be its ends
# Rows fit together if they miss each other by less than these parts of typical changes. A sine of which they miss
# more is interpolated with an error of a thousandth of its amplitude, or more.
FIT_OF_Q, FIT_OF_V, FIT_OF_S = 0.015, 0.5, 0.05
NOTHING = 1e-6  # of the largest velocity: components that are slower do not count
SAME = 16  # distances of neighbouring times: so far may sums of times be apart that mean the same; steps are longer


def same_time(sol: Solution) -> float:
    """How far two times are apart that are the same: those of grids and of users are sums of
    others."""
    return SAME * float(np.spacing(np.abs(sol.t[[0, -1]]).max()))


def interpolate(sol: Solution, t: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
    """t, q, v, a, lam at the times t (scalar or array)."""
    span = sol.t[-1] - sol.t[0]
    outside = ~((t >= sol.t[0] - _SLACK * span) & (t <= sol.t[-1] + _SLACK * span))
    if outside.any():
        raise InputError(
            f"t = {t[outside].flat[0]:g} lies outside the solution, which covers {sol.t[0]:g} to {sol.t[-1]:g}"
        )
    same = [np.array_equal(sol.columns["v"], sol.columns[name]) for name in ("q", "a")]
    # all of both
    same[0] |= sol.columns["q"].size == sol.system.nq and sol.columns["v"].size == sol.system.nv
    if not same[1] or not (same[0] or sol.system.first_order):
        raise InputError("at() needs the same columns of q, v and a", hint="select one set of columns for all of them")
    if sol.t.size < 2:
        raise InputError("at() needs at least two rows")
    sol = with_rows_at_jumps(sol)
    k = np.clip(np.searchsorted(sol.t, t, side="right") - 1, 0, sol.t.size - 2)
    dt = (sol.t[k + 1] - sol.t[k])[..., None]
    x = ((t - sol.t[k])[..., None] / dt).clip(0.0, 1.0)
    q_end, v_end, a_end, lam_end = (left_limits(sol, name) for name in ("q", "v", "a", "lam"))
    a = (1 - x) * sol.a[k] + x * a_end[k + 1]
    lam = (1 - x) * sol.lam[k] + x * lam_end[k + 1]
    if sol.system.first_order:
        return t, np.zeros((*t.shape, 0)), cubic(x, dt, sol.v[k], v_end[k + 1], sol.a[k], a_end[k + 1]), a, lam
    d, v = quintic(x, dt, _differences(sol, k, q_end), sol.v[k], v_end[k + 1], sol.a[k], a_end[k + 1])
    return t, _moved(sol, k, d), v, a, lam


def left_limits(sol: Solution, name: str) -> FloatArray:
    """Rows of a or lam as the end of a step sees them: left-hand limits at breakpoints."""
    rows: FloatArray = getattr(sol, name)
    if f"{name}_left" not in sol.aux or "breakpoint_rows" not in sol.aux:
        return rows
    rows = rows.copy()
    rows[sol.aux["breakpoint_rows"].astype(int)] = sol.aux[f"{name}_left"]
    return rows


def interpolate_or_warn(
    sol: Solution, t: FloatArray, stacklevel: int
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
    """`interpolate`, with a warning where rows are too far apart for it."""
    found = interpolate(sol, t)
    warn_if_far_apart(sol, t, stacklevel + 1)
    return found


def warn_if_far_apart(sol: Solution, t: FloatArray, stacklevel: int) -> None:
    """Warn if rows on both sides of one of these times are too far apart to tell what is between
    them."""
    sol = with_rows_at_jumps(sol)
    k = np.clip(np.searchsorted(sol.t, t, side="right") - 1, 0, sol.t.size - 2)
    k = np.unique(k[(sol.t[k] < t) & (t < sol.t[k + 1])])
    if not k.size or not sol.v.size:
        return
    misfit = _misfits(sol, k)
    if not misfit.max() > 1.0:
        return
    i, j = np.unravel_index(misfit.argmax(), misfit.shape)
    names = sol.system.v_names or [str(number) for number in range(sol.system.nv)]
    first, last = sol.t[k[i]], sol.t[k[i] + 1]
    warnings.warn(
        f"the rows at t = {first:.6g} and {last:.6g} are too far apart to tell what is between them: v of"
        f" {names[sol.columns['v'][j]]!r} does not fit its acceleration or its motion"
        "\nhint: save more rows (save=, save_every=), or name the times that matter in save=",
        AccuracyWarning,
        stacklevel=stacklevel + 1,
    )


def _misfits(sol: Solution, k: IntArray) -> FloatArray:
    """By how much the rows k and k + 1 miss each other, in parts of what is allowed: beside the
    rules

        v_{k+1} − v_k = Δt (a_k + a_{k+1})/2,     d₁ = Δt (v_k + v_{k+1})/2 + Δt² (a_k − a_{k+1})/12,

    which a motion obeys that changes little from row to row. The second one holds for vectors, not
    for rotations, whose d is no integral of v."""
    dt = (sol.t[k + 1] - sol.t[k])[:, None]
    q_end, v_end, a_end = (left_limits(sol, name) for name in ("q", "v", "a"))
    v_0, v_1, a_0, a_1 = sol.v[k], v_end[k + 1], sol.a[k], a_end[k + 1]
    largest = np.abs(sol.v).max(axis=0)
    size = np.maximum(largest, max(NOTHING * float(largest.max()), np.finfo(np.float64).tiny))
    of_v = np.abs(v_1 - v_0 - 0.5 * dt * (a_0 + a_1)) / size
    if sol.system.first_order:
        return np.asarray(of_v / FIT_OF_S)
    if sol.system.difference is not None:
        return np.asarray(of_v / FIT_OF_V)
    d = _differences(sol, k, q_end)
    of_q = np.abs(d - 0.5 * dt * (v_0 + v_1) - dt**2 / 12.0 * (a_0 - a_1)) / (dt * size)
    return np.asarray(np.maximum(of_v / FIT_OF_V, of_q / FIT_OF_Q))


def rows_of_jumps(sol: Solution) -> IntArray:
    """Rows in which q or v have other left-hand limits: impacts, and events that change them."""
    rows = np.asarray(sol.aux.get("breakpoint_rows", ()), dtype=np.int64)
    jumped = np.zeros(rows.size, dtype=bool)
    for name in ("q", "v"):
        if f"{name}_left" in sol.aux:
            jumped |= (sol.aux[f"{name}_left"] != getattr(sol, name)[rows]).any(axis=1)
    return rows[jumped]


def jumps_beside(sol: Solution, rows: IntArray) -> dict[str, FloatArray]:
    """States before and after the jumps in these rows, for a solution that leaves the rows out."""
    pairs = {name: (left_limits(sol, name)[rows], getattr(sol, name)[rows]) for name in STATES}
    return {"jump_t": sol.t[rows], **{f"jump_{name}": np.stack(pair, axis=1) for name, pair in pairs.items()}}


def with_rows_at_jumps(sol: Solution) -> Solution:
    """The solution with rows, and left-hand limits, at the jumps and the acting events between its
    rows: the motion is in pieces there, however few rows were saved."""
    ends = (float(sol.t[0]), float(sol.t[-1])) if sol.t.size else (0.0, 0.0)
    sides = {x.t: (x.before._asdict(), x.after._asdict()) for x in sol.events if x.after is not None}
    for i, t in enumerate(sol.aux.get("jump_t", ())):
        left, right = ({name: sol.aux[f"jump_{name}"][i, side] for name in STATES} for side in (0, 1))
        sides[float(t)] = left, right
    missing = sorted(t for t in set(sides) - set(sol.t.tolist()) if ends[0] < t < ends[1])
    if not missing:
        return sol
    at = np.searchsorted(sol.t, missing)
    rows: dict[str, FloatArray] = {}
    aux: dict[str, FloatArray] = {}
    for name in STATES:
        own = sol.columns[name]
        before, after = (np.array([sides[t][side][name][own] for t in missing]) for side in (0, 1))
        rows[name] = np.insert(getattr(sol, name), at, after, axis=0)
        aux[f"{name}_left"] = np.insert(left_limits(sol, name), at, before, axis=0)
    times = np.insert(sol.t, at, missing)
    q, v, a, lam = (rows[name] for name in STATES)
    return replace(sol, t=times, q=q, v=v, a=a, lam=lam, aux={"breakpoint_rows": np.arange(times.size), **aux})


def _differences(sol: Solution, k: IntArray, q_end: FloatArray) -> FloatArray:
    if sol.system.difference is None:
        moved: FloatArray = q_end[k + 1] - sol.q[k]
        return moved
    flat = np.array([sol.system.difference(sol.q[i], q_end[i + 1]) for i in np.atleast_1d(k)])
    return flat.reshape(*np.shape(k), -1)


def _moved(sol: Solution, k: IntArray, d: FloatArray) -> FloatArray:
    if sol.system.retract is None:
        return sol.q[k] + d
    flat = [
        sol.system.retract(sol.q[i], d_i) for i, d_i in zip(np.atleast_1d(k), d.reshape(-1, d.shape[-1]), strict=True)
    ]
    return np.array(flat).reshape(*np.shape(k), -1)


def cubic(x: FloatArray, dt: FloatArray, s0: FloatArray, s1: FloatArray, r0: FloatArray, r1: FloatArray) -> FloatArray:
    h = x * x * (3 - 2 * x)
    return s0 + h * (s1 - s0) + dt * x * (1 - x) * ((1 - x) * r0 - x * r1)


def quintic(
    x: FloatArray, dt: FloatArray, d1: FloatArray, v0: FloatArray, v1: FloatArray, a0: FloatArray, a1: FloatArray
) -> tuple[FloatArray, FloatArray]:
    x2, x3, x4, x5 = x**2, x**3, x**4, x**5
    d = (10 * x3 - 15 * x4 + 6 * x5) * d1
    d = d + dt * ((x - 6 * x3 + 8 * x4 - 3 * x5) * v0 + (-4 * x3 + 7 * x4 - 3 * x5) * v1)
    d = d + dt**2 * ((0.5 * x2 - 1.5 * x3 + 1.5 * x4 - 0.5 * x5) * a0 + (0.5 * x3 - x4 + 0.5 * x5) * a1)
    v = (30 * x2 - 60 * x3 + 30 * x4) * d1 / dt
    v = v + (1 - 18 * x2 + 32 * x3 - 15 * x4) * v0 + (-12 * x2 + 28 * x3 - 15 * x4) * v1
    v = v + dt * ((x - 4.5 * x2 + 6 * x3 - 2.5 * x4) * a0 + (1.5 * x2 - 4 * x3 + 2.5 * x4) * a1)
    return d, v
