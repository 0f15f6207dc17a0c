"""Elements of rods that are bent or twisted so far that they see another strain.

An element knows the rotation from one end to the other by its shortest form, |φ| < π
(isodyn.bodies.rigid_motions): wound beyond half a turn it pulls the other way, and a torque that it
cannot bear winds it round and round. Finer elements turn less.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from isodyn.errors import AccuracyWarning
from isodyn.kernels.compiled import FloatArray
from isodyn.mechanism.point_rod_part import PointRodPart
from isodyn.mechanism.rod_part import RodPart
from isodyn.mechanism.system import MechanismSystem

if TYPE_CHECKING:
    from isodyn.results.solution import Solution

FAR = 135.0  # degrees; from 180 on an element pulls the other way


def warn_of_wound_rods(sol: Solution, stacklevel: int) -> None:
    """Say so where an element of a rod is wound by almost half a turn, or more."""
    system = sol.system
    if not isinstance(system, MechanismSystem) or sol.q.shape[1] != system.nq:
        return
    for name, rod in system.rods.items():
        if isinstance(rod, PointRodPart):  # its strains are those of points
            continue
        cosines = _cosines(sol.q, system, rod)
        row, element = np.unravel_index(int(cosines.argmin()), cosines.shape)
        angle = float(np.degrees(np.arccos(np.clip(cosines[row, element], -1.0, 1.0))))
        if angle > FAR:
            warnings.warn(
                f"element {element + 1} of rod {name!r} is wound by {angle:.0f}° at t = {sol.t[row]:.6g}: beyond 180° it pulls the"
                " other way, and the run is not that of a rod\nhint: use more elements",
                AccuracyWarning,
                stacklevel=stacklevel,
            )


def _cosines(q: FloatArray, system: MechanismSystem, rod: RodPart) -> FloatArray:
    """Of the angle between the ends of every element, (rows, elements)."""
    parts = [q[:, system.q_of(node.name)] for node in rod.nodes]
    nodes = np.stack(parts, axis=1)
    if nodes.shape[2] == 3:  # in the plane: x, y, angle
        return np.asarray(np.cos(np.diff(nodes[:, :, 2], axis=1)))
    half = np.abs((nodes[:, 1:, 3:] * nodes[:, :-1, 3:]).sum(axis=2))
    return np.asarray(2.0 * half * half - 1.0)
