"""Names are the user's: no name of a part decides about blocks of matrices, units, tables or
drawings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError
from isodyn.report.scenes import scene_of
from isodyn.results.tables import save_csv
from isodyn.results.units import units

ODD: list[Callable[[int], str]] = [
    lambda k: f"pin:{k}",
    lambda k: f"pin: {k}",
    lambda k: f"arm/pin{k}",
    lambda k: f"φ.{k}",
    lambda k: ("point", "axis", "ground:", "type", "start", "velocity")[k],
]


def chain(name: Callable[[int], str], count: int = 6) -> iso.Mechanism:
    """Rods in a row on hinges with these names."""
    mech = iso.Mechanism()
    for k in range(count):
        mech.add_body(f"rod {k}", 1.0, (0.01, 0.1, 0.1), (k + 0.5, 0, 0))
        first = "ground" if k == 0 else f"rod {k - 1}"
        mech.add_joint(iso.Hinge(name(k), first, f"rod {k}", point=(k, 0, 0), axis=(0, 1, 0)))
    return mech


@pytest.mark.parametrize("name", ODD, ids=lambda name: name(0))
def test_blocks_follow_joints(name: Callable[[int], str]) -> None:
    """One block for the rows of each joint, whatever the joints are called."""
    plain, odd = chain(lambda k: f"pin{k}").compile().layout.sparsity, chain(name).compile().layout.sparsity
    for field in vars(plain):
        assert np.array_equal(getattr(plain, field), getattr(odd, field)), field
    assert odd.joints.tolist() == [5 * k for k in range(7)]


@pytest.mark.parametrize("label", ["clamp", "a:b", ": ", "x:", "/"])
def test_blocks_of_beams_follow_supports(label: str) -> None:
    """The same for supports of a beam."""
    beam = iso.Beam([(0, 0), (2, 0)], elements=4, section=iso.Section(EA=1e6, EI=800.0, rhoA=78.0))
    beam.hinge("start", name=f"{label}1")
    beam.hinge(2, name=f"{label}2")
    beam.hinge("end", name=f"{label}3")
    assert beam.compile().layout.sparsity.joints.tolist() == [0, 2, 4, 6]


@pytest.mark.parametrize("name", ["point", "pointer", "joint 7"])
def test_drawings_follow_joints(name: str) -> None:
    """A planar joint is drawn as a plane, a ball as a ball, also where their names speak of
    points."""
    for joint, kind in ((iso.Planar, "plane"), (iso.PointOnPlane, "plane"), (iso.Spherical, "ball")):
        mech = iso.Mechanism()
        mech.add_body("block", 1.0, (0.1, 0.1, 0.1))
        mech.add_joint(joint(name, "ground", "block"))
        scene = scene_of(iso.integrate(mech.compile(), dt=0.01, t_end=0.02))
        assert scene is not None
        assert [mark.kind.value for mark in scene.marks] == [kind]


def test_units_and_tables_follow_what_coordinates_are(tmp_path: Path) -> None:
    """A body called "θ" has lengths, a joint called "velocity" keeps its columns."""
    mech = iso.Mechanism()
    mech.add_body("a.θ", 1.0, (0.1, 0.1, 0.1), (0.5, 0, 0))
    mech.add_joint(iso.Hinge("b.velocity", "ground", "a.θ", axis=(0, 1, 0)))
    sol = iso.integrate(mech.compile(), dt=0.01, t_end=0.02)
    assert units(sol.system)["q"] == ["m"] * 3 + ["1"] * 4 + ["rad"]
    assert units(sol.system)["v"] == ["m/s"] * 3 + ["rad/s"] * 3
    own = [x for x in sol.quantities() if x.startswith("b.velocity.")]
    names = ("angle", "angle_rate", "angle_acceleration", "force", "torque")
    assert own == [f"b.velocity.{name}" for name in names]
    header = save_csv(sol, tmp_path / "x.csv").read_text(encoding="utf-8").split("\n")[0]
    assert "b.velocity.angle [rad]" in header
    assert "a.θ.position" not in header


def test_ties_name_one_body() -> None:
    """A tie to "rod" does not take the coordinates of "rod.2" along."""
    mech = iso.Mechanism()
    for k, name in enumerate(("rod", "rod.2")):
        mech.add_body(name, 1.0, kind="particle", position=(k, 0, 0))
    mech.add_joint(iso.Distance("bar", "rod", "rod.2"))
    from isodyn.subdomains.ties import named_coordinates

    assert named_coordinates("part", "rod", mech.compile().v_names) == [0, 1, 2]
    assert named_coordinates("part", "rod.2", mech.compile().v_names) == [3, 4, 5]
    assert named_coordinates("part", "arm", ["arm.left.x", "arm.right.x"]) == [0, 1]


def test_nodes_and_corners_of_beams_keep_their_names() -> None:
    """A body called like a node, or a joint called like a corner, is refused in either order."""
    section = iso.Section(EA=1e6, EI=800.0, rhoA=78.0)
    for name in ("rod[1]", "rod corner 1", "rod.start", "rod@1.5"):
        mech = iso.Mechanism()
        mech.add_beam("rod", line=[(0, 0), (1, 0), (1, 1)], elements=4, section=section)
        with pytest.raises(InputError, match="is a place or a corner of a beam"):
            mech.add_body(name, 1.0, kind="particle")
        mech = iso.Mechanism()
        mech.add_body(name, 1.0, kind="particle")
        with pytest.raises(InputError, match=r"there is already a body|would be a place on it"):
            mech.add_beam("rod", line=[(0, 0), (1, 0), (1, 1)], elements=4, section=section)
        assert not mech.beams
