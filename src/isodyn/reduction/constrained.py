"""Constraint rows in the coordinates of a basis.

    φ̂(ξ) = φ(q̄ + V ξ),    Ĝ = G T

Three things can happen to a row. It may stay as it is. It may vanish, Ĝ = 0, where every direction
of the basis fulfils it: the basis holds it, and it is left out. Or it may take freedom that the
motion needs: the basis locks the constraints. That is so

- where no freedom is left: directions − rank Ĝ ≤ 0;
- where rows that are independent become dependent, rank Ĝ < rank G: nobody could tell their
  multipliers apart;
- where no configuration of the ansatz near the start fulfils the rows;
- where a velocity of the run that the snapshots are from cannot be followed any more: the nearest η
  with Ĝ η + φ_t = 0 misses it by more than `BLOCKED`, in the norm of kinetic energy, though it lies
  in the span.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from isodyn.errors import LockingError
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.linear_solvers.blocks import full as filled
from isodyn.linear_solvers.rows import TOLERANCE, choose, partners
from isodyn.reduction.basis import Basis
from isodyn.reduction.embedding import Embedding
from isodyn.reduction.nonlinear import ReducedSystem
from isodyn.reduction.snapshots import Witness
from isodyn.systems.base import System
from isodyn.systems.linear import LinearSystem
from isodyn.systems.manifold import close
from isodyn.systems.questions import Questions
from isodyn.systems.scales import reach, sizes_of_rows

if TYPE_CHECKING:
    from isodyn.open_types import Matrix

# rows of G T that are smaller than this part of the row of G are zero, directions weighted by their
# amplitudes
VANISHED = 1e-9
OPEN = 1e-8  # a row that the basis holds may be off by this much, relative to the size of q
ASIDE = 1e-3
BLOCKED, FOLLOWED = 0.5, 0.25
KEEP = "keep the coordinates that the rows speak of: columns= of iso.pod, or isodyn.reduction.craig_bampton"


def rows_left(system: System, basis: Basis, t0: float = 0.0) -> IntArray:
    """Numbers of the constraint rows that a reduced system keeps; a basis that locks them is
    refused."""
    if system.m == 0:
        return np.zeros(0, dtype=np.int64)
    at, ask = basis.embedding(system.nq, system.nv), Questions(system, sparse=True)
    T, states, amplitude = at.T, _states(system, basis, t0), _amplitudes(basis, at)
    seen = np.zeros(system.m, dtype=bool)
    lifted = []
    aside = np.zeros(at.nq)  # rows that vanish at a state by chance do not beside it
    aside[: basis.rank] = ASIDE * np.cos(np.arange(basis.rank)) * amplitude[: basis.rank]
    for t, q, v in states:
        v = v if _fulfils(ask, t, q, v) else np.zeros_like(v)
        x = at.q(basis.coordinates(q))
        G = filled(ask.G(t, x, v))
        size = np.linalg.norm(G, axis=1)
        for near in (G, filled(ask.G(t, at.q(basis.coordinates(q) + aside), v))):
            seen |= np.linalg.norm((near @ T) * amplitude, axis=1) > VANISHED * np.where(size > 0, size, 1.0)
        lifted.append((t, x, v, G))
    rows = np.flatnonzero(seen)
    for t, x, v, G in lifted:
        _refuse_open(system, ask.position(t, x, v), rows, t, sizes_of_rows(system, G) * reach(system, x))
    for t, x, v, G in lifted:
        _refuse_locked(system, at, T, G, rows)
        _refuse_blocked(system, ask, t, x, v, G, T, rows)
    return rows


def _amplitudes(basis: Basis, at: Embedding) -> FloatArray:
    """How much of each direction the snapshots hold, σ/σ₁: weak ones carry the rounding of the run,
    and rows with it."""
    amplitude = np.ones(at.nv)
    if basis.singular_values.size:
        amplitude[: basis.rank] = basis.singular_values[: basis.rank] / basis.singular_values[0]
    return amplitude


def _states(system: System, basis: Basis, t0: float) -> list[Witness]:
    """The start, and what the basis remembers of its run where that was one of this system."""
    own = [w for w in basis.witnesses if (w.q.size, w.v.size) == (system.nq, system.nv)]
    return [Witness(t0, system.q0, system.v0), *own]


def _fulfils(ask: Questions, t: float, q: FloatArray, v: FloatArray) -> bool:
    """Whether a state of the run fulfils the rows at velocity level: its run may have been one
    without them."""
    size = float(np.abs(filled(ask.G(t, q, v))).max(initial=0.0) * np.abs(v).max())
    return bool(np.abs(ask.velocity(t, q, v)).max(initial=0.0) <= 1e-6 * max(size, 1e-300))


def _refuse_open(system: System, phi: FloatArray, rows: IntArray, t: float, sizes: FloatArray) -> None:
    """A row that no direction changes has to hold for the offset."""
    gap = np.abs(phi) / sizes[: phi.size]
    gap[rows[rows < system.m_phi]] = 0.0
    worst = int(gap.argmax()) if gap.size else 0
    if gap.size and gap[worst] > OPEN:
        raise LockingError(
            f"the basis cannot fulfil constraint {system.row_names[worst]!r}: no direction changes it, and it is off by {gap[worst]:.3g} "
            f"at t = {t:.6g}",
            hint="take an offset that fulfils it (about=, centred=), or " + KEEP,
        )


def _refuse_locked(system: System, at: Embedding, T: FloatArray, G: FloatArray, rows: IntArray) -> None:
    """No freedom left, though the full system has some."""
    rank, free = _rank(G[rows] @ T), system.nv - _rank(G)
    if free > 0 and T.shape[1] - rank <= 0:
        what, stay = f"{at.V.shape[1]} directions", at.others_v.size
        what = f"{what} and {stay} coordinates that stay" if stay else what
        raise LockingError(
            f"the basis locks the constraints: {what} under {rank} independent rows leave no freedom; the full system has {free}",
            hint="more directions, or " + KEEP,
        )
    chosen = choose(G[rows] @ T)
    if chosen.rank < _rank(G[rows]):
        lost = int(chosen.dropped[0])
        others = ", ".join(repr(system.row_names[rows[i]]) for i in partners(G[rows] @ T, chosen, lost))
        raise LockingError(
            f"the basis locks the constraints: {system.row_names[rows[lost]]!r} depends on {others} in its directions, though not in the "
            "full system; their multipliers cannot be told apart",
            hint="more directions, or " + KEEP,
        )


def _rank(G: FloatArray) -> int:
    """Rank of rows scaled to unit length."""
    if G.size == 0:
        return 0
    length = np.linalg.norm(G, axis=1)
    values = np.linalg.svd(G / np.where(length > 0, length, 1.0)[:, None], compute_uv=False)
    return int((values > TOLERANCE * max(float(values[0]), 1e-300)).sum())


def _refuse_blocked(
    system: System, ask: Questions, t: float, q: FloatArray, v: FloatArray, G: FloatArray, T: FloatArray, rows: IntArray
) -> None:
    """A velocity of the run that lies in the span, but cannot be followed under the rows."""
    if not v.any() or rows.size == 0:
        return
    M = system.M if isinstance(system, LinearSystem) else ask.mass(t, q, v)
    speed = float(v @ (M @ v))
    M_T = T.T @ (M @ T)
    eta = np.linalg.solve(M_T, T.T @ (M @ v))
    if _missed(M, T @ eta - v, speed) > FOLLOWED:
        return  # not in the span: the truncation, not the rows
    reduced, rate = (G @ T)[rows], ask.velocity(t, q, v) - G @ v
    gap = reduced @ eta + rate[rows]
    solved = np.linalg.lstsq(reduced @ np.linalg.solve(M_T, reduced.T), gap, rcond=1e-10)[0]
    eta = eta - np.linalg.solve(M_T, reduced.T @ solved)
    missed = _missed(M, T @ eta - v, speed)
    if missed > BLOCKED:
        worst = system.row_names[rows[int(np.abs(gap / np.linalg.norm(reduced, axis=1)).argmax())]]
        raise LockingError(
            f"the basis locks the constraints: at t = {t:.6g} the rows leave only {max(0.0, 1 - missed):.0%} of the run's velocity, "
            f"{worst!r} is in the way most",
            hint="more directions, or " + KEEP,
        )


def _missed(M: Matrix, d: FloatArray, speed: float) -> float:
    return float(np.sqrt(max(0.0, float(d @ (M @ d))) / speed))


def close_start(reduced: ReducedSystem, t0: float = 0.0) -> ReducedSystem:
    """The start of a reduced system brought to its constraint rows, nearest in the mass norm."""
    if reduced.m == 0:
        return reduced
    ask = Questions(reduced)
    found = close(ask, t0, reduced.q0) if reduced.m_phi else None
    q = reduced.q0 if found is None else found.q
    if found is not None and found.largest > OPEN:
        worst = reduced.row_names[int(found.relative.argmax())]
        raise LockingError(
            f"no configuration of the basis near the start fulfils the constraints: {worst!r} stays off by {found.largest:.3g}",
            hint="more directions, or " + KEEP,
        )
    G, M = ask.G(t0, q, reduced.v0), ask.mass(t0, q, reduced.v0)
    gap, eased = ask.velocity(t0, q, reduced.v0), np.linalg.solve(M, G.T)
    v = reduced.v0 - eased @ np.linalg.lstsq(G @ eased, gap, rcond=1e-10)[0]
    return replace(reduced, q0=q, v0=v)
