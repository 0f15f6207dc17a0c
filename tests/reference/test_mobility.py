"""Degrees of freedom of textbook mechanisms, by the rank of their rows and beside it by Grübler's
and Kutzbach's count."""

from __future__ import annotations

import numpy as np
import pytest

import isodyn as iso
import linkages


def spatial(name: str, mech: iso.Mechanism, position=(0, 0, 0)) -> None:
    mech.add_body(name, 1.0, (0.1, 0.1, 0.1), position)


def cardan_shaft() -> iso.Mechanism:
    """Two shafts in bearings, an intermediate shaft between two crosses that can slide apart: one
    freedom."""
    mech = iso.Mechanism()
    spatial("input", mech, (-1, 0, 0))
    spatial("middle", mech, (0.5, 0.1, 0))
    spatial("output", mech, (2, 0.2, 0))
    mech.add_joint(iso.Hinge("bearing 1", "ground", "input", point=(-1, 0, 0), axis=(1, 0, 0)))
    mech.add_joint(iso.Universal("cross 1", "input", "middle", point=(0, 0, 0), axis=(0, 1, 0), second_axis=(0, 0, 1)))
    mech.add_joint(
        iso.Universal("cross 2", "middle", "output", point=(1, 0.2, 0), axis=(0, 0, 1), second_axis=(0, 1, 0))
    )
    mech.add_joint(iso.Cylindrical("bearing 2", "ground", "output", point=(2, 0.2, 0), axis=(1, 0, 0)))
    return mech


def screw() -> iso.Mechanism:
    mech = iso.Mechanism()
    spatial("nut", mech)
    mech.add_joint(iso.Screw("thread", "ground", "nut", axis=(0, 0, 1), pitch=0.01))
    return mech


def gear_pair() -> iso.Mechanism:
    mech = iso.Mechanism()
    for k, name in enumerate(("pinion", "wheel")):
        spatial(name, mech, (k, 0, 0))
        mech.add_joint(iso.Hinge(f"axle {name}", "ground", name, point=(k, 0, 0), axis=(0, 0, 1)))
    mech.add_joint(iso.Gear("mesh", "axle pinion", "axle wheel", ratio=3.0))
    return mech


def ball() -> iso.Mechanism:
    mech = iso.Mechanism()
    spatial("ball", mech, (0, 0, 0.2))
    mech.add_joint(iso.RollingSphere("floor", "ball", radius=0.2))
    return mech


FLAT = ((0, 0, 0), (1, 0, 0), (3, 0, 0), (2, 0, 0))

# name: mechanism, freedoms, of position, by count, redundant rows
TEXTBOOK = {
    "four-bar, planar bodies": (lambda: linkages.four_bar(planar=True), 1, 1, 1, 0),
    "four-bar, spatial joints": (linkages.four_bar, 1, 1, -2, 3),
    "slider-crank, planar": (linkages.slider_crank, 1, 1, 1, 0),
    "slider-crank, spatial joints": (lambda: linkages.slider_crank(planar=False), 1, 1, -2, 3),
    "Bennett": (linkages.bennett, 1, 1, -2, 3),
    "double wishbone": (linkages.double_wishbone, 1, 1, 1, 0),
    "double wishbone, free steering": (lambda: linkages.double_wishbone(False), 2, 2, 2, 0),
    "Cardan shaft": (cardan_shaft, 1, 1, 1, 0),
    "screw": (screw, 1, 1, 1, 0),
    "gear pair": (gear_pair, 1, 1, 1, 0),
    "rolling ball": (ball, 3, 5, 3, 0),
}


@pytest.mark.parametrize("name", TEXTBOOK)
def test_textbook(name):
    make, freedoms, position, count, redundant = TEXTBOOK[name]
    found = make().mobility()
    assert (found.freedoms, found.position_freedoms, found.kutzbach, found.redundant_rows) == (
        freedoms,
        position,
        count,
        redundant,
    )
    assert found.nearby == freedoms
    assert sum(len(rows) for rows in found.redundant.values()) == redundant
    assert found.singular_values.size == min(found.rows, found.nv)


def test_bennett_closes_only_with_its_own_twists():
    """The same loop with the twist of one pair off is a structure: no freedom at all, near 4 ×
    5 − 18 = 2 redundant rows."""
    mech = linkages.bennett()
    assert mech.closing_error < 1e-12
    hinge = mech.joints["C"]
    mech.joints["C"] = iso.Hinge(
        "C", "two", "three", point=hinge.point, axis=hinge.axis + np.array([0.05, -0.03, 0.02])
    )
    found = mech.mobility()
    assert (found.freedoms, found.redundant_rows) == (0, 2)


def test_a_flat_parallelogram_is_singular():
    found = linkages.four_bar(planar=True, points=FLAT).mobility()
    assert (found.freedoms, found.nearby) == (2, 1)
    assert "singular position: 1 in a neighbouring one" in str(found)


def test_a_shaky_structure_has_a_freedom_that_leads_nowhere():
    """Two collinear rods hold a particle in a plane: it can start to move across them, and goes
    nowhere."""
    mech = iso.Mechanism()
    mech.add_body("bead", 1.0, position=(0, 0, 0), kind="particle")
    mech.add_joint(iso.Distance("left", "ground", "bead", points=((-1, 0, 0), (0, 0, 0))))
    mech.add_joint(iso.Distance("right", "ground", "bead", points=((1, 0, 0), (0, 0, 0))))
    mech.add_joint(iso.PointOnPlane("plane", "ground", "bead", point=(0, 0, 0), axis=(0, 0, 1)))
    found = mech.mobility()
    assert (found.freedoms, found.redundant_rows) == (1, 1)


def test_the_text_names_joints_rows_and_counts():
    text = str(linkages.four_bar().mobility())
    assert text.startswith("1 degree of freedom: 18 of 3 bodies less 17 independent of 20 rows")
    assert "18 − 20 = -2" in text
    assert "3 redundant rows" in text
    assert "shared by A, B, C, D" in text
    assert "singular values of the rows: 1.4" in text


def test_the_dependence_names_only_the_loop():
    """An open chain hangs on the loop: its joint has no part in the dependence."""
    mech = linkages.four_bar()
    linkages.add_bar(mech, "tail", (0.9, 0, 0), (1.4, 0, 0))
    mech.add_joint(iso.Hinge("tail pin", "rocker", "tail", point=(0.9, 0, 0), axis=(0, 0, 1)))
    assert mech.mobility().sharing == ("A", "B", "C", "D")


def test_bodies_that_cannot_move_are_named():
    mech = linkages.four_bar()
    mech.add_body("frame", 1.0, (1, 1, 1), (0, 0, 1))
    mech.add_joint(iso.Fixed("bolts", "ground", "frame"))
    found = mech.mobility()
    assert found.at_rest == ("frame",)
    assert "cannot move: frame" in str(found)


def test_rough_positions_are_assembled_first():
    """Joints by points of the bodies, bodies put down roughly: the count is that of the closed
    loop."""
    mech = linkages.four_bar()
    system = mech.compile()
    rough = system.retract(system.q0, np.random.default_rng(3).normal(scale=0.05, size=system.nv))
    object.__setattr__(system, "q0", rough)
    from isodyn.mechanism.mobility import mobility

    assert mobility(system).freedoms == 1
