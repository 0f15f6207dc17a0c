"""The equilibrium downhill from a start, for systems that can move without deforming.

    ∂U/∂q − Q + Gᵀλ + σ M (q ⊖ q_n) = 0,   φ(q) = 0,      σ towards 0

These are backward Euler steps of a motion in which inertia is friction, M q' = forces, to its end
(isodyn.studies.load_path). A bar that swings turns by radians while it may stretch by millionths:
an explicit step downhill could turn it by no more than √(2 weight/EA), a step of this kind turns it
as far as it likes, because the iteration ends at a bar that is not stretched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.sparse.linalg import splu

from isodyn.studies.load_path import flexible_parts
from isodyn.studies.rest_equations import Equations, Found, at_start
from isodyn.systems.base import System
from isodyn.systems.scales import pace, reach

if TYPE_CHECKING:
    from isodyn.kernels.compiled import FloatArray

FIRST = 0.05  # how far the first step goes, in units of the size of the system
# σ, relative to the first, from which on a step that does not move anything has arrived
SMALL = 1e-2
RELAXATIONS = 400  # most steps
ROUNDING = 1e-11  # least σ, in units of K/M: what K resists beyond rounding
PUSH = 0.1  # how far a push goes, in units of the first step


def swings(system: System, q: FloatArray, t: float) -> bool:
    """Whether a mechanism with bodies from finite elements can move without deforming them."""
    if not flexible_parts(system):
        return False
    return not Equations(system, t).holds(at_start(system, q))


def relax(system: System, q: ArrayLike, t: float, tolerance: float, max_iterations: int = 25) -> Found | None:
    """The stable equilibrium downhill from q under full loads; None where there is none within
    reach. An unstable equilibrium is left along its softest motion."""
    equations = Equations(system, t)
    at, lam, total = at_start(system, q), np.zeros(system.m), 0
    r, _ = equations.residual(1.0, at, lam)
    extent = FIRST * max(1e-3, float(np.ptp(at / system.scales.q)))
    M, K = equations.M, equations.jacobian(at, lam, (0.0, 0.0, 1.0))
    least = ROUNDING * float(np.abs(K.data).max() / np.abs(M.data).max())
    sigma = max(least, pace(system, splu(sp.csc_array(M)).solve(r)) / extent)
    small = max(least, SMALL * sigma)
    for _ in range(RELAXATIONS):
        found = equations.solve(1.0, at, lam, tolerance, max_iterations, sigma, at)
        total += max_iterations if found is None else found.iterations
        moved = np.inf if found is None else pace(system, equations.way(at, found.q))
        still = moved <= 10 * tolerance * reach(system, at)
        if found is None or not equations.stable(found, sigma):
            sigma *= 4.0
            if found is not None and still:
                push = PUSH * extent * system.scales.v * equations.softest(found, sigma)[0]
                at = equations.move(found.q, push)
            continue
        at, lam = found.q, found.lam
        if sigma <= small and still:
            return Found(at, lam, total)
        sigma = max(least, sigma / 4.0)
    return None
