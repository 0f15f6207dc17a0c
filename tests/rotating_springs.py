"""Masses that circle on springs: the tension is m ω² r, in closed form."""

from __future__ import annotations

import numpy as np

import isodyn as iso

FREE_OF_CHORDS = [
    iso.Scheme.default(),
    iso.Scheme.U0(0.8, 1, 0),
    iso.Scheme.U0(0, 1, 0),
    iso.Scheme.U0(0.8, 0.8, 0),
    iso.Scheme.wbz(0.5),
    iso.Scheme.newmark(),
]
ON_CHORDS = [
    iso.Scheme.optimal(0.5),
    iso.Scheme.generalised_alpha(0.5),
    iso.Scheme.hht(0.7),
    iso.Scheme.V0(0.5, 0.5, 0.5),
    iso.Scheme.V0(0, 0, 0),
    iso.Scheme.V0(0.3, 0.6, 0.2),
]


def on_a_spring(
    mass: float = 1.0,
    radius: float = 10.0,
    speed: float = 6.0,
    stiffness: float = 1e7,
    *,
    kind: str = "particle",
    axes: np.ndarray | None = None,
    offset: float = 0.0,
    mass_first: bool = False,
) -> iso.Mechanism:
    """One mass on a spring to the ground, in steady motion from the start; `axes` orients the
    plane, `offset` the spring's point."""
    R = np.eye(3) if axes is None else axes
    mech = iso.Mechanism(gravity=(0, 0, 0))
    motion = {"position": R @ [radius, 0, 0], "velocity": R @ [0, speed * radius, 0]}
    if kind == "particle":
        mech.add_body("mass", mass, kind=kind, **motion)
    elif kind == "planar":
        mech.add_body("mass", mass, 0.1 * mass, kind=kind, angular_velocity=speed, **motion)
    else:
        inertia = mass * np.array([0.1, 0.2, 0.25])
        mech.add_body("mass", mass, inertia, orientation=R, angular_velocity=(0, 0, speed), **motion)
    length = radius - offset
    ends, points = ("ground", "mass"), (np.zeros(3), R @ [length, 0, 0])
    if mass_first:
        ends, points = ends[::-1], points[::-1]
    rest = length - mass * speed**2 * radius / stiffness
    mech.add_load(iso.Spring("spring", *ends, points=points, stiffness=stiffness, rest=rest))
    return mech
