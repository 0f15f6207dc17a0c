"""Quantities that stiff parts make of small displacements, brought to t_n from the instants of
balance.

The equations of motion hold at q̃, ṽ, t_n + W₁Δt. Where q̃ ≠ q_{n+1} it lies on a chord of the
motion: a part that turns by ωΔt in a step is shorter there than at t_n by up to r(ωΔt)²/8. That is
second order, but times a large stiffness it is not small. So what depends on strains is taken where
the balance holds and brought to t_n along its own slope, a second-order rule like that of the
acceleration:

    f_n = f̃ + (t_n − t̃) (f̃ − f̃_before)/(t̃ − t̃_before).

Where the balance holds at t_{n+1} itself (W₁ = 1, q̃ = q_{n+1}) nothing is kept, and f_n = f(q_n,
v_n).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from isodyn.errors import ChordStrainWarning
from isodyn.kernels.compiled import FloatArray
from isodyn.schemes import Scheme
from isodyn.schemes.balance import balances_at_end

if TYPE_CHECKING:
    from isodyn.results.solution import Solution

NAMES = ("balance_t", "balance_q", "balance_v")

History = Callable[[FloatArray, FloatArray, FloatArray], FloatArray]
"""A quantity along times t (k,), configurations q (k, nq) and velocities v (k, nv): an array with k
rows."""


def from_balance(sol: Solution, history: History) -> FloatArray:
    """The quantity at the times of a solution, from where the balance holds; warned of where that
    was not kept."""
    if NAMES[0] not in sol.aux:
        if isinstance(sol.scheme, Scheme) and not balances_at_end(sol.scheme):
            warnings.warn(
                f"the balance of {sol.scheme} holds on chords of the motion, and was not kept in this solution: forces of stiff parts that"
                " turn are read at t_n and may be wrong\nhint: Scheme.default() balances at t_n",
                ChordStrainWarning,
                stacklevel=4,
            )
        return history(sol.t, sol.q, sol.v)
    t, q, v = (np.asarray(sol.aux[name]) for name in NAMES)
    nq, nv = sol.q.shape[1], sol.v.shape[1]
    last, before = (
        history(np.ascontiguousarray(t[:, b]), q[:, b * nq : (b + 1) * nq], v[:, b * nv : (b + 1) * nv]) for b in (0, 1)
    )
    apart = t[:, 0] - t[:, 1]
    ahead = np.divide(sol.t - t[:, 0], apart, out=np.zeros(apart.size), where=apart > 0.0)
    return last + ahead.reshape(-1, *(1,) * (last.ndim - 1)) * (last - before)
