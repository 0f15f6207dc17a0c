"""Forces of joints, contacts and loads as arrows of a scene: where they act and what they are,
frame by frame.

All arrows of a scene have one scale, metres of picture per newton, so that they can be compared:
the largest is a part of the scene. Single peaks far above the rest are cut at that length.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isodyn.kernels.compiled import FloatArray
from isodyn.mechanism.system import MechanismSystem
from isodyn.report.arrow_kinds import Force
from isodyn.results import Solution
from isodyn.results.contact_forces import forces_of_contacts
from isodyn.results.load_view import LoadView
from isodyn.results.load_views import load_of, names_of_drives, names_of_loads
from isodyn.results.reactions import Reaction

LONGEST = 0.25  # of the scene
USUAL = 98.0  # per cent of all forces that are drawn to scale
MOST = 80  # arrows of a kind
ROUNDING = 1e-9  # of the largest force: nothing to draw


@dataclass(frozen=True, eq=False)
class Arrow:
    """A force: points where it acts and vectors of the picture, both (frames, 2 or 3)."""

    name: str
    kind: Force
    points: FloatArray
    vectors: FloatArray


def arrows_of(sol: Solution, size: float, dim: int) -> tuple[tuple[Arrow, ...], float]:
    """The arrows of a mechanism, and the newtons that one unit of length stands for."""
    system: MechanismSystem = sol.system
    found: list[tuple[str, Force, FloatArray, FloatArray]] = []
    drives = names_of_drives(system)
    joints = [name for name, parts in system.joints.items() if parts.rows and name not in drives]
    for name in joints[:MOST]:
        reaction = Reaction(sol, name)
        found.append((name, Force.REACTION, reaction.point, reaction.force))
    pushing = sorted(forces_of_contacts(sol), key=lambda one: -float(np.abs(one[2]).max()))
    found += [(name, Force.REACTION, point, force) for name, point, force in pushing[:MOST]]
    for name in [name for name in names_of_loads(system) if name not in drives][:MOST]:
        view = load_of(sol, name)
        if isinstance(view, LoadView) and not view.force.any():
            continue
        found.append((name, Force.LOAD, view.point, view.force))
    sizes = [np.linalg.norm(force[:, :dim], axis=1) for *_, force in found]
    largest = max((float(x.max(initial=0.0)) for x in sizes), default=0.0)
    if largest == 0.0:
        return (), 0.0
    usual = max(float(np.percentile(x, USUAL)) for x in sizes) or largest
    unit = LONGEST * size / usual
    arrows = []
    for (name, kind, points, force), x in zip(found, sizes, strict=True):
        if x.max() > ROUNDING * largest:
            cut = np.minimum(1.0, usual / np.maximum(x, 1e-300))[:, None]
            arrows.append(Arrow(name, kind, points[:, :dim], unit * cut * force[:, :dim]))
    return tuple(arrows), 1.0 / unit
