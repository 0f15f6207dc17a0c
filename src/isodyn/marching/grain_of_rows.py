"""How finely φ̇ and ψ tell velocities.

Rows whose derivatives are differences (isodyn.systems.line_differences) carry some 1e-13 of the
velocity, which no iteration takes away. Rows are smooth, so second differences between close
neighbours show what they carry,

    f_k = rows(t, q + kδd, v + kδw),        f_{k−1} − 2 f_k + f_{k+1},

with d of the size of q, v and w of typical sizes, for what is proportional to the speed; and with
such v and w that are as good as rest, and need not be close, for what is left there. v is not along
w: differences along lines do not tell α v from v. An error of one row belongs to a velocity of as
many parts of typical sizes as the row has in all.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from isodyn.errors import AccuracyWarning
from isodyn.stepping.memory import EPS

if TYPE_CHECKING:
    from isodyn.marching.method_run import MethodRun

ASKED = 12  # neighbours
APART = 1e-12 * np.pi  # of each other, in parts of their sizes: no multiple of the last place
SLOW = 1e-8  # of typical speeds: rest, where rows are linear in v
EXACT = 32.0 * EPS  # of what they add: rows that carry no more than that are formulas
LARGEST = 10.0  # noise, beside its mean


def grain_of_rows(run: MethodRun) -> tuple[float, float]:
    """What rows carry, as velocities in typical sizes: at rest, and of the speed; zero where it is
    the rounding of formulas."""
    system, state, t = run.system, run.state, float(run.state.t)
    if not system.m or system.first_order:
        return 0.0, 0.0
    turns = 1.0 + 3.0 * np.arange(system.nv)
    v, w = (run.beat * system.scales.v * x for x in (np.cos(turns), np.sin(turns)))
    d = np.abs(state.q)
    d = np.where(np.isfinite(system.scales.q), np.maximum(system.scales.q, d), d) * np.sin(1.0 + np.arange(d.size))
    whole, found = np.asarray(abs(run.ask.G(t, state.q, state.v)) @ system.scales.v), []
    counts = whole > 0.0
    for part, apart in ((SLOW, 1.0 / ASKED), (1.0, APART)):
        near = ((state.q + k * APART * d, part * (v + k * apart * w)) for k in range(ASKED))
        rows = np.array([run.ask.velocity(t, *place) for place in near])
        bends = rows[2:] - 2.0 * rows[1:-1] + rows[:-2]
        added = np.abs(rows).max(axis=0) + part * run.beat * whole
        carried = np.sqrt(np.square(bends).mean(axis=0) / 6.0)
        carried = np.where(carried > EXACT * added, carried, 0.0)[counts] / whole[counts]
        found.append(LARGEST * float(carried.max(initial=0.0)))
    return found[0], found[1] / run.beat


def warn_if_coarse(grain: float, rtol: float) -> None:
    """Say so where rows carry more than the error that was asked for."""
    if grain > rtol:
        warnings.warn(
            f"derivatives of constraints by differences carry {grain / LARGEST:.1g} of the velocities: rtol = {rtol:g} cannot be"
            " reached with them\nhint: pass G= and phi_t= beside phi= (psi_v= beside psi=), scales= of the coordinates, or a larger rtol",
            AccuracyWarning,
            stacklevel=2,
        )
