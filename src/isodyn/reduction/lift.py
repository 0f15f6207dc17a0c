"""From a solution of a reduced system to one of the full system."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.later import Later
from isodyn.linear_solvers.blocks import full as filled
from isodyn.results.solution import Solution
from isodyn.systems.questions import Questions

galerkin = Later("isodyn.reduction.galerkin")  # which needs bases, and these lift

if TYPE_CHECKING:
    from isodyn.reduction.basis import Basis


def lift(basis: Basis, sol: Solution) -> Solution:
    """q = mean + V ξ, v = V ξ̇, a = V ξ̈ and all multipliers, as a solution of the full system."""
    if not isinstance(sol, Solution):
        raise InputError(f"lift takes a solution of the reduced system, received {type(sol).__name__}")
    reduced = sol.system
    if not isinstance(reduced, galerkin.Reduced) or reduced.basis is not basis:
        raise InputError(
            "this solution does not belong to a system that was reduced with this basis",
            hint="red = iso.reduce(system, basis)",
        )
    reduced.origin.refuse_changed()
    full = reduced.full
    for name, n in (("q", reduced.nq), ("v", reduced.nv), ("a", reduced.nv), ("lam", reduced.m)):
        if sol.columns[name].size != n:
            raise InputError(f"lift needs all of {name}, but only {sol.columns[name].size} of {n} columns were saved")
    at = reduced.embedding
    if full.first_order:
        q, v = sol.q, at.q(sol.v)
    else:
        q, v = at.q(sol.q), at.v(sol.v)
    a = at.v(sol.a)
    lam = _multipliers(full, reduced, sol, q, v, a) if full.m else sol.lam
    columns = {"q": np.arange(full.nq), "v": np.arange(full.nv), "a": np.arange(full.nv), "lam": np.arange(full.m)}
    return Solution(sol.t, q, v, a, lam, full, sol.scheme, sol.stats, columns, redundant=sol.redundant)


def _multipliers(full: Any, reduced: Any, sol: Solution, q: FloatArray, v: FloatArray, a: FloatArray) -> FloatArray:
    """Multipliers of all rows; those that the basis holds carry what the balance of the full system
    leaves over."""
    lam = np.zeros((sol.t.size, full.m))
    if full.first_order:
        return sol.lam
    lam[:, reduced.rows] = sol.lam
    held = np.setdiff1d(np.arange(full.m), reduced.rows)
    if held.size:
        ask = Questions(full, sparse=True)
        for k, t in enumerate(sol.t):
            G = filled(ask.G(t, q[k], v[k]))[held]
            lam[k, held] = np.linalg.lstsq(G.T, -ask.balance(t, q[k], v[k], a[k], lam[k]), rcond=1e-10)[0]
    return lam
