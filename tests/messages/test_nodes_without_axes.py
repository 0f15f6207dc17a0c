"""Nodes of cables have a tangent and no twist, those of rods in absolute nodal coordinates are
points: what would have to turn with them is refused.

Frames of cables are chosen anew about the tangent, and had thrown points aside of it by a quarter
turn; points aside of the other nodes did not turn with the section.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError

CUBE = [(x, y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)]
BELOW: Any = {"plane_point": (0, 0, -1)}
ASIDE = (0.5, 0.1, 0.2)


def mechanism(model: str) -> iso.Mechanism:
    mech = iso.Mechanism()
    stiff = {"EA": 4e4, "GAy": 2e4, "GAz": 2e4, "GJ": 40.0, "EIy": 50.0, "EIz": 50.0}
    section = iso.Section(**stiff, rhoA=1.0, rhoIy=1e-3, rhoIz=1e-3, rhoJ=2e-3)
    section = iso.Section(EA=4e4, EI=50.0, rhoA=1.0) if model == "simplified" else section
    mech.add_beam("rod", (0, 0, 0), (1, 0, 0), elements=2, section=section, model=model)
    mech.add_joint(iso.Spherical("pin", "ground", "rod.start", point=(0, 0, 0)))
    mech.add_body("bob", 0.7, (0.01, 0.01, 0.01), (0.5, 0.3, 0.5))
    return mech


PARTS: dict[str, Any] = {
    "force": iso.Force("x", "rod[1]", (1, 2, 3), point=ASIDE),
    "follower": iso.Force("x", "rod[1]", (1, 2, 3), frame="body"),
    "formula": iso.FormulaForce("x", "rod[1]", ("t", 1, 2), point=ASIDE),
    "drag": iso.Drag("x", "rod[1]", 1.0, point=ASIDE),
    "spring": iso.Spring("x", "ground", "rod[1]", points=((0, 0, 1), ASIDE), stiffness=10.0),
    "ball": iso.Spherical("x", "bob", "rod[1]", point=ASIDE),
    "distance": iso.Distance("x", "ground", "rod[1]", points=((0, 0, 1), ASIDE)),
    "corners": iso.BoxPlane("x", "rod[1]", "ground", size=(0.1, 0.1, 0.1), **BELOW),
    "point": iso.PointPlane("x", "rod[1]", "ground", points=[(0, 0.1, 0.2)], **BELOW),
    "carrier": iso.SpherePlane("x", "bob", "rod[1]", radius=0.05, normal=(0, 1, 0), plane_point=(0.5, 0, 0)),
    "mesh": iso.MeshContact("x", "rod[1]", "ground", CUBE, np.array(CUBE) - (0, 0, 2)),
    "sensor": iso.Sensor("x", "rod[1]", point=ASIDE),
    "to": iso.Sensor("x", "bob", to="rod[1]", to_point=ASIDE),
}


def compile_with(mech: iso.Mechanism, part: Any) -> None:
    if isinstance(part, iso.Sensor):
        mech.add_sensor(part)
    elif hasattr(part, "restitution"):
        mech.add_contact(part)
    elif type(part).__module__.startswith("isodyn.loads"):
        mech.add_load(part)
    else:
        mech.add_joint(part)
    mech.compile()


@pytest.mark.parametrize("model", ["simplified", "absolute-nodal"])
@pytest.mark.parametrize("what", PARTS)
def test_what_would_turn_is_refused(what: str, model: str) -> None:
    with pytest.raises(InputError, match=r"'x'.*(rod\[1\]|node)"):
        compile_with(mechanism(model), PARTS[what])


@pytest.mark.parametrize("model", ["simplified", "absolute-nodal"])
def test_balls_and_readings_at_the_node_are_taken(model: str) -> None:
    mech = mechanism(model)
    mech.add_contact(iso.SpherePlane("floor", "rod[1]", "ground", radius=0.1, plane_point=(0, 0, -1), mu=0.3))
    mech.add_contact(iso.SphereSphere("both", "bob", "rod[1]", radii=(0.05, 0.05)))
    mech.add_sensor(iso.Sensor("there", "rod[1]", to="ground"))
    sol = iso.integrate(mech, dt=1e-3, t_end=2e-3)
    assert abs(sol.sensor("there").distance[0] - 0.5) < 1e-12
    with pytest.raises(InputError, match="nothing aside of 'rod"):
        sol.body("rod[1]").point(ASIDE)
