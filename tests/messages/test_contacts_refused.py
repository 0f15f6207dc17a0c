"""What knows nothing of contacts says so, instead of passing them over; meshes that are none are
refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError


def ball() -> iso.CompiledSystem:
    mech = iso.Mechanism()
    mech.add_body("ball", mass=1.0, kind="particle", position=(0, 0, 1.1))
    mech.add_contact(iso.SpherePlane("floor", "ball", "ground", radius=0.1, restitution=0.5))
    return mech.compile()


@pytest.mark.parametrize(
    "use",
    [
        lambda system: iso.equilibrium(system),
        lambda system: iso.linearise(system),
        lambda system: iso.inverse_dynamics(system, 0.0, system.q0, system.v0, system.v0),
        lambda system: iso.Subdomains({"one": system, "two": system}, ties=[("one", [0], "two", [0])]),
        lambda system: iso.integrate(system, iso.DOP853(rtol=1e-6), t_end=0.1),
        lambda system: iso.integrate(system, iso.Radau(rtol=1e-6), t_end=0.1),
    ],
    ids=["equilibrium", "linearise", "inverse", "subdomains", "order 8", "radau"],
)
def test_contacts_are_not_passed_over(use: Callable[[Any], Any]) -> None:
    with pytest.raises(InputError, match="contact"):
        use(ball())


@pytest.mark.parametrize(
    "corners", ["box", [], [(0, 0, 0), (1, 0)], [(0, 0), (1, 0), (0, 1), (1, 1)], [(0, 0, float("nan"))]]
)
def test_corners_that_are_no_points(corners: Any) -> None:
    mech = iso.Mechanism()
    mech.add_body("die", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0, 0, 3))
    slab = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 0)]
    mech.add_contact(iso.MeshContact("floor", "die", "ground", corners, slab))
    with pytest.raises(InputError, match="contact 'floor': corners must be points of three numbers"):
        mech.compile()


@pytest.mark.parametrize("given", ["wide", None, [], (1.0, 2.0), [[1, 2], [3]], np.nan, -1.0, 0.0])
def test_lengths_that_are_none(given):
    """Words, several numbers, and numbers that no contact has, by the name of the argument."""
    slab = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 0)]
    for contact, argument in (
        (iso.SpherePlane("touch", "body", "ground", radius=given), "radius"),
        (iso.DiscPlane("touch", "body", "ground", radius=given), "radius"),
        (iso.CapsulePlane("touch", "body", "ground", radius=0.1, length=given), "length"),
        (iso.CylinderPlane("touch", "body", "ground", radius=0.1, length=given), "length"),
        (iso.CapsuleMesh("touch", "body", "ground", given, 1.0, slab), "radius"),
        (iso.Journal("touch", "ground", "body", clearance=given), "clearance"),
    ):
        mech = iso.Mechanism()
        mech.add_body("body", 1.0, (0.1, 0.1, 0.1), (0, 0, 2))
        mech.add_contact(contact)
        with pytest.raises(InputError, match=f"{argument} must be (a number|positive), received"):
            mech.compile()


@pytest.mark.parametrize("given", ["high", 3.0, [], np.nan, (0.0, np.nan), [[1, 2], [3]]])
def test_arrays_that_are_none(given):
    for contact, match in (
        (iso.WheelProfile("touch", "body", "ground", radius=0.1, profile=given), "profile (must be|has)"),
        (iso.BoxPlane("touch", "body", "ground", size=given), "size must be"),
        (iso.PointPlane("touch", "body", "ground", points=given), "points"),
        (iso.PolygonPlane("touch", "body", "ground", corners=given), "corners must be points"),
    ):
        mech = iso.Mechanism()
        mech.add_body("body", 1.0, (0.1, 0.1, 0.1), (0, 0, 2))
        mech.add_contact(contact)
        with pytest.raises(InputError, match=match):
            mech.compile()
