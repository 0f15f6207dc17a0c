"""How finely φ̇ and ψ tell velocities.

Rows whose derivatives are differences (isodyn.systems.line_differences) carry some 1e-13 of the
velocity, which no iteration takes away. Rows are smooth, so second differences between close
neighbours show what they carry,

    f_k = rows(t + kδτ, q + kδd, v + kδw),        f_{k−1} − 2 f_k + f_{k+1},

with d of the size of q, δτ a multiple of the last place of t, since times have no error here, v and
w of typical sizes, for what is proportional to the speed; and with such v and w that are as good as
rest, and need not be close, for what is left there. v is not along w: differences along lines do
not tell α v from v. An error of one row belongs to a velocity of as many parts of typical sizes as
the row has in all. At a start where terms of rows vanish these carry less than later, so that a
place farther on is asked, too, where rows are defined there.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from isodyn.errors import AccuracyWarning
from isodyn.stepping.memory import EPS

if TYPE_CHECKING:
    from isodyn.kernels.compiled import FloatArray
    from isodyn.marching.method_run import MethodRun

ASKED = 12  # neighbours
FARTHER = 0.6  # of sizes, and of a typical time: another place
APART = 1e-12 * np.pi  # of each other, in parts of their sizes: no multiple of the last place
SLOW = 1e-8  # of typical speeds: rest, where rows are linear in v
EXACT = 8.0 * EPS  # of what they add: rows that carry no more than that are formulas
LARGEST = 10.0  # noise, beside its mean


def close_times(t: float, size: float) -> list[float]:
    """Neighbours of t at equal distances, without rounding."""
    unit = float(np.spacing(2.0 * size))
    first, apart = round(t / unit), max(1, round(APART * size / unit))
    return [(first + k * apart) * unit for k in range(ASKED)]


def grain_of_rows(run: MethodRun) -> tuple[float, float]:
    """What rows carry, as velocities in typical sizes: at rest, and of the speed; zero where it is
    the rounding of formulas."""
    system, state, t = run.system, run.state, float(run.state.t)
    if not system.m or system.first_order:
        return 0.0, 0.0
    d = np.abs(state.q)
    d = np.where(np.isfinite(system.scales.q), np.maximum(system.scales.q, d), d) * np.sin(1.0 + np.arange(d.size))
    found, whole = carried_at(run, t, state.q, d, np.zeros(system.m))
    span = min(1.0 / run.beat, float(run.stretches[-1].t_stop) - t)
    try:
        with np.errstate(all="ignore"):
            there, _ = carried_at(run, t + FARTHER * span, state.q + FARTHER * d, d, whole)
    except Exception:  # whatever functions of users do with such a place
        there = found
    at_rest, moving = np.where(np.isfinite(there), np.maximum(found, there), found)
    return float(at_rest), float(moving) / run.beat


def carried_at(
    run: MethodRun, t: float, q: FloatArray, d: FloatArray, least: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """What rows carry at a place, at rest and with typical speeds; and what they are in all, at
    least so much."""
    system, turns = run.system, 1.0 + 3.0 * np.arange(run.system.nv)
    v, w = (run.beat * system.scales.v * x for x in (np.cos(turns), np.sin(turns)))
    times = close_times(t, abs(t) + 1.0 / run.beat)
    whole, found = np.maximum(np.asarray(abs(run.ask.G(t, q, v)) @ system.scales.v), least), []
    counts = whole > 0.0
    for part, apart in ((SLOW, 1.0 / ASKED), (1.0, APART)):
        near = ((when, q + k * APART * d, part * (v + k * apart * w)) for k, when in enumerate(times))
        rows = np.array([run.ask.velocity(*place) for place in near])
        bends = rows[2:] - 2.0 * rows[1:-1] + rows[:-2]
        added = np.abs(rows).max(axis=0) + part * run.beat * whole
        carried = np.sqrt(np.square(bends).mean(axis=0) / 6.0)
        carried = np.where(carried > EXACT * added, carried, 0.0)[counts] / whole[counts]
        found.append(LARGEST * float(carried.max(initial=0.0)))
    return np.array(found), whole


def warn_if_coarse(carried: float, fastest: float, allowed: float, rtol: float) -> None:
    """Say so where rows carried more of the largest speed than the error that is allowed of it."""
    if carried > allowed * fastest:
        warnings.warn(
            f"derivatives of constraints by differences carry {carried / LARGEST / fastest:.1g} of the velocities: rtol = {rtol:g}"
            " cannot be reached with them\nhint: pass G= and phi_t= beside phi= (psi_v= beside psi=), scales= of the"
            " coordinates, or a larger rtol",
            AccuracyWarning,
            stacklevel=7,
        )
