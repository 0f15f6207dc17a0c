"""Numbers of a body by name, as its user gave them: one meaning of "crank.mass" and
"crank.position" for sweeps, derivatives and fits.

Position and velocity are those of the frame of the body. An inertia that comes from a shape scales
with the mass; one that was given stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from isodyn.bodies.body import Body, make_body

RIGID = ("spatial", "planar", "particle")


def given_numbers(body: Body) -> dict[str, Any]:
    """Mass, inertia, place and velocities as they were given.

    >>> body = make_body("bar", "planar", 2.0, 0.1, (1, 0, 0), 0.0, (0, 0, 0), 0.0, (0.5, 0, 0), None)
    >>> given_numbers(body)["position"]
    array([1., 0., 0.])
    """
    offset = body.R @ body.centre
    planar = body.kind == "planar"
    principal = np.diag(body.inertia) if not np.any(body.inertia - np.diag(np.diag(body.inertia))) else body.inertia
    return {
        "mass": body.mass,
        "inertia": body.inertia[2, 2] if planar else principal,
        "position": body.position - offset,
        "velocity": body.velocity - np.cross(body.R @ body.angular_velocity, offset),
        "angular_velocity": body.angular_velocity[2] if planar else body.angular_velocity,
        "angle": body.angle,
    }


def with_numbers(body: Body, changed: Mapping[str, Any]) -> Body:
    """A body with other numbers, checked as a new one."""
    mass = changed.get("mass")
    if len(changed) == 1 and isinstance(mass, float) and 0.0 < mass < np.inf and not from_shape(body):
        return replace(body, mass=float(mass))
    given = {**given_numbers(body), **changed}
    if "mass" in changed and "inertia" not in changed and from_shape(body):
        given["inertia"] = given["inertia"] * (given["mass"] / body.mass)
    turned: Any = given["angle"] if body.kind == "planar" else body.orientation
    if body.kind == "particle":
        given["inertia"], given["angular_velocity"], turned = None, None, None
    made = make_body(
        body.name,
        body.kind,
        given["mass"],
        given["inertia"],
        given["position"],
        turned,
        given["velocity"],
        given["angular_velocity"],
        body.centre,
        body.shape,
    )
    if changed.keys() <= {"mass", "inertia"}:  # nothing else moves, not by a rounding either
        return replace(body, mass=made.mass, inertia=made.inertia)
    if changed.keys() & {"position", "angle"}:
        return made
    return replace(made, position=body.position, orientation=body.orientation, angle=body.angle)


def from_shape(body: Body) -> bool:
    """Whether the inertia of a body is that of its shape, scaled to its mass."""
    if body.shape is None:
        return False
    wanted = body.shape.inertia * (body.mass / body.shape.mass)
    if body.kind == "planar":
        return bool(np.isclose(body.inertia[2, 2], wanted[2, 2], rtol=1e-12))
    return bool(np.allclose(body.inertia, wanted, rtol=1e-12, atol=0.0))
