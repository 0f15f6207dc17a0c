"""Values between the rows of a solution.

On a step from row k to k+1 with τ = (t − t_k)/Δt, the displacement from q_k is the quintic that has
the q, v and a of both rows,

    d(τ) = h₁(τ) d₁ + Δt (g₀ v_k + g₁ v_{k+1}) + Δt² (s₀ a_k + s₁ a_{k+1}),     q = q_k ⊕ d,   v = ḋ,

with d₁ the difference q_{k+1} ⊖ q_k; a and lam are linear. First-order systems use the cubic
through s and s' instead.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray, IntArray

if TYPE_CHECKING:
    from isodyn.results.solution import Solution

_SLACK = 1e-9  # times outside the run by less than this part of it are taken to be its ends


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
    sol = with_event_rows(sol)
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


def with_event_rows(sol: Solution) -> Solution:
    """The solution with rows, and left-hand limits, at the events that acted between its rows: the
    motion is in pieces there, however few rows were saved."""
    ends = (float(sol.t[0]), float(sol.t[-1])) if sol.t.size else (0.0, 0.0)
    acted = {x.t: x for x in sol.events if x.after is not None and ends[0] < x.t < ends[1]}
    missing = [acted[t] for t in sorted(set(acted) - set(sol.t.tolist()))]
    if not missing:
        return sol
    times = np.array([x.t for x in missing])
    at = np.searchsorted(sol.t, times)
    rows: dict[str, FloatArray] = {}
    aux: dict[str, FloatArray] = {}
    for name in ("q", "v", "a", "lam"):
        own = sol.columns[name]
        before, after = (
            np.array([getattr(x, name)[own] for x in side])
            for side in zip(*((x.before, x.after) for x in missing), strict=True)
        )
        rows[name] = np.insert(getattr(sol, name), at, after, axis=0)
        aux[f"{name}_left"] = np.insert(left_limits(sol, name), at, before, axis=0)
    t = np.insert(sol.t, at, times)
    q, v, a, lam = (rows[name] for name in ("q", "v", "a", "lam"))
    return replace(sol, t=t, q=q, v=v, a=a, lam=lam, aux={"breakpoint_rows": np.arange(t.size), **aux})


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
