"""SDF: frames relative to each other, axes expressed elsewhere, loops, nested and included models;
against recursion by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError, MendedWarning
from rigid_trees import Part, acceleration, balance, of_mechanism, rpy, solved

G = np.array([0.0, 0.0, -9.8])


def link(
    name: str, pose: str = "", mass: float = 1.0, centre: str = "0 0 0 0 0 0", six: str = "0.02 0.03 0.04 0 0 0"
) -> str:
    """A link; `pose` may be a whole element."""
    keys = zip(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), six.split(), strict=True)
    inertia = "".join(f"<{key}>{x}</{key}>" for key, x in keys)
    where = pose if pose.startswith("<") else f"<pose>{pose}</pose>" if pose else ""
    return f'<link name="{name}">{where}<inertial><pose>{centre}</pose><mass>{mass}</mass><inertia>{inertia}</inertia></inertial></link>'


def joint(
    name: str, kind: str, parent: str, child: str, axis: str = "0 0 1", pose: str = "", more: str = "", inside: str = ""
) -> str:
    where = pose if pose.startswith("<") else f"<pose>{pose}</pose>" if pose else ""
    xyz = axis if axis.startswith("<") else f"<xyz>{axis}</xyz>"
    return (
        f'<joint name="{name}" type="{kind}">{where}<parent>{parent}</parent><child>{child}</child>'
        f"<axis>{xyz}{inside}</axis>{more}</joint>"
    )


def model(*parts: str, name: str = "m", more: str = "") -> str:
    return f'<model name="{name}"{more}>{"".join(parts)}</model>'


def sdf(*parts: str) -> str:
    return f'<sdf version="1.9">{"".join(parts)}</sdf>'


def matrix(six: str) -> Any:
    xx, yy, zz, xy, xz, yz = (float(x) for x in six.split())
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


SIX = "0.02 0.03 0.025 -0.003 0.001 0.005"


def test_frames_relative_to_others_and_axes_expressed_elsewhere() -> None:
    """Links and joints placed by model, link, frame and joint; axes in the joint, the model, another
    frame; degrees and quaternions; inertial poses; a fixed link on either side."""
    text = sdf(
        model(
            "<pose>0.1 0.2 0.3 0 0 0.5</pose>",
            '<frame name="f" attached_to="base"><pose>0 0 0.4 0.2 0 0</pose></frame>',
            link("base", mass=4.0),
            link("a", '<pose relative_to="f">0.3 0 0 0 0.4 0</pose>', 2.0, "0.1 0 0.05 0.3 -0.2 0.1", SIX),
            link("b", '<pose relative_to="a" degrees="true">0 0.5 0 0 0 30</pose>', 1.5, "0 0.1 0 0 0 0", SIX),
            link("c", '<pose relative_to="b" rotation_format="quat_xyzw">0.2 0 0 0 0 0.6 0.8</pose>', 0.5),
            joint("weld", "fixed", "world", "base"),
            joint("j1", "revolute", "base", "a", '<xyz expressed_in="__model__">0 -1 0.5</xyz>', "-0.1 0 0 0.1 0 0"),
            joint("j2", "prismatic", "f", "b", "0 2 0", '<pose relative_to="a">0 0.3 0 0 0 0.7</pose>').replace(
                "<parent>f", "<parent>a"
            ),
            joint("glue", "fixed", "b", "c"),
        )
    )
    mech = iso.load_sdf(text)
    assert set(mech.bodies) == {"a", "b"}
    model_R = rpy(0, 0, 0.5)
    f = (np.array([0.1, 0.2, 0.3]) + model_R @ [0, 0, 0.4], model_R @ rpy(0.2, 0, 0))
    a = (f[0] + f[1] @ [0.3, 0, 0], f[1] @ rpy(0, 0.4, 0))
    j1 = (a[0] + a[1] @ [-0.1, 0, 0], a[1])
    axis = a[1].T @ model_R @ [0, -1, 0.5]
    turn = rpy(0.3, -0.2, 0.1)
    shift = np.array([0.1, 0, 0])
    c = (np.array([0.2, 0, 0]), rpy(0, 0, 2 * np.arctan2(0.6, 0.8)))
    lumps = [(1.5, np.array([0, 0.1, 0]), matrix(SIX)), (0.5, c[0], c[1] @ np.diag([0.02, 0.03, 0.04]) @ c[1].T)]
    centre = sum(m * r for m, r, _ in lumps) / 2.0
    J = sum(
        own + m * ((r - centre) @ (r - centre) * np.eye(3) - np.outer(r - centre, r - centre)) for m, r, own in lumps
    )
    slide = rpy(0, 0, np.radians(30)).T @ rpy(0, 0, 0.7) @ [0, 1, 0]
    parts = [
        Part(-1, axis, 2.0, shift + np.array([0.1, 0, 0.05]), turn @ matrix(SIX) @ turn.T, *j1),
        Part(0, slide, 2.0, centre, J, shift + np.array([0, 0.5, 0]), rpy(0, 0, np.radians(30)), True),
    ]
    q, v = [0.6, 0.2], [1.5, -0.7]
    found, M = of_mechanism(mech, ["j1", "j2"], q, v)
    M_hand, h, _ = balance(parts, q, v, G)
    assert M_hand == pytest.approx(M, rel=1e-10)
    assert found == pytest.approx(solved(M_hand, h, 0.0), rel=1e-9)


ROD = "0.001 0.01 0.01 0 0 0"


def bars(close: str) -> str:
    """Three rods along their own x axes in the plane y = 0, hinged in the ground and to each
    other."""
    return sdf(
        model(
            link("a", "0 0 0 0 -0.3 0", 1.0, "0.25 0 0 0 0 0", ROD),
            link("b", '<pose relative_to="a">0.5 0 0 0 -0.9 0</pose>', 2.0, "0.4 0 0 0 0 0", ROD),
            link("c", "0.7 0 0 0 -1.0 0", 1.5, "0.3 0 0 0 0 0", ROD),
            joint("A", "revolute", "world", "a", "0 -1 0", inside="<dynamics><damping>0.1</damping></dynamics>"),
            joint("B", "revolute", "a", "b", "0 -1 0"),
            joint("C", "revolute", "world", "c", "0 -1 0"),
            close,
        )
    )


def tree() -> list[Part]:
    down, J = (0, -1, 0), matrix(ROD)
    return [
        Part(-1, down, 1.0, (0.25, 0, 0), J, R=rpy(0, -0.3, 0)),
        Part(0, down, 2.0, (0.4, 0, 0), J, (0.5, 0, 0), rpy(0, -0.9, 0)),
        Part(-1, down, 1.5, (0.3, 0, 0), J, (0.7, 0, 0), rpy(0, -1.0, 0)),
    ]


@pytest.mark.parametrize("kind", ["revolute", "ball", "universal"])
def test_loops_closed_by_joints(kind: str) -> None:
    """Three loops: the last joint of a four-bar closes it as a hinge, a ball or a cross; its rows
    repeat what the plane holds already, or leave the plane free."""
    second = "<axis2><xyz>1 0 0</xyz></axis2>" if kind == "universal" else ""
    mech = iso.load_sdf(
        bars(joint("D", kind, "b", "c", "0 -1 0", '<pose relative_to="b">0.8 0 0 0 0 0</pose>', second))
    )
    assert mech.mobility().freedoms == 1
    system = mech.assemble(positions={"A": 0.15}, rates={"A": 0.8}).system
    sol = iso.integrate(system, dt=1e-7, t_end=1e-7)
    q, v = (np.array([getattr(sol.joint(x), y)[0] for x in "ABC"]) for y in ("angle", "angle_rate"))
    M, h, bodies = balance(tree(), q, v, G)
    start = balance(tree(), np.zeros(3), v)[2]
    held = start[2].R.T @ (start[1].point((0.8, 0, 0))[0] - start[2].p)
    one, two = bodies[1].point((0.8, 0, 0)), bodies[2].point(held)
    assert one[0] == pytest.approx(two[0], abs=1e-9)
    a = solved(M, h, [-0.1 * v[0], 0, 0], one[1] - two[1], one[3] - two[3])
    assert [acceleration(sol, mech, x) for x in "ABC"] == pytest.approx(a, rel=1e-7)


def test_revolute2_screws_springs_limits_and_mimics() -> None:
    """A joint of two axes is two hinges; a screw advances; springs and limits by their laws."""
    two = joint("h", "revolute2", "world", "a", "0 0 1", more="<axis2><xyz>1 0 0</xyz></axis2>")
    mech = iso.load_sdf(sdf(model(link("a", "0 0 0 0 0 0", 1.0, "0.1 0.2 0.3 0 0 0", SIX), two)))
    none = (0.0, (0, 0, 0), np.zeros((3, 3)))
    parts = [Part(-1, (0, 0, 1), *none), Part(0, (1, 0, 0), 1.0, (0.1, 0.2, 0.3), matrix(SIX))]
    a, _ = of_mechanism(mech, ["h", "h_2"], [0.3, 0.4], [1.0, -2.0])
    M, h, _ = balance(parts, [0.3, 0.4], [1.0, -2.0], G)
    assert a == pytest.approx(solved(M, h, 0.0), rel=1e-8)
    nut = joint("s", "screw", "world", "n", more="<screw_thread_pitch>0.5</screw_thread_pitch>")
    mech = iso.load_sdf(sdf(model(link("n", mass=2.0), nut)))
    sol = iso.integrate(mech.compile(), dt=0.01, t_end=0.01)
    p = 0.5 / (2 * np.pi)
    assert sol.body("n").acceleration[0, 2] == pytest.approx(-9.8 * 2 * p * p / (2 * p * p + 0.04))
    inside = (
        "<limit><lower>-1</lower><upper>0.2</upper><effort>5</effort></limit>"
        "<dynamics><spring_stiffness>3</spring_stiffness><spring_reference>0.1</spring_reference></dynamics>"
    )
    follow = '<mimic joint="w"><multiplier>2</multiplier></mimic>'
    text = sdf(
        model(
            link("w"),
            link("u", "1 0 0 0 0 0"),
            joint("w", "revolute", "world", "w", inside=inside).replace('name="w"', 'name="w"', 1),
            joint("u", "continuous", "world", "u", inside=follow),
        )
        .replace('<joint name="w"', '<joint name="wj"')
        .replace('joint="w"', 'joint="wj"')
    )
    mech = iso.load_sdf(text, limit_stiffness=100.0)
    assert mech.import_summary.limits["wj"].upper == 0.2
    (a,), _ = of_mechanism(mech, ["wj"], [0.5], [0.0])
    assert a == pytest.approx(-(3 * 0.4 + 100 * 0.3) / (0.04 + 4 * 0.04), rel=1e-9)


def test_nested_and_included_models(tmp_path: Path) -> None:
    """Names in nested models; a model of another file, placed by one of its frames; static ones; a
    file that is not there."""
    (tmp_path / "hand").mkdir()
    hand = model(link("palm", "0 0 0.1 0 0 0"), '<frame name="grip"><pose>0 0 1 0 0 0</pose></frame>', name="hand")
    (tmp_path / "hand" / "model.sdf").write_text(sdf(hand))
    arm = model(
        link("upper", "0 0 0 0 0 0"),
        model("<pose>0 0 2 0 0 0</pose>", link("pad"), name="tool"),
        "<include><uri>model://hand</uri><name>left</name><pose>1 0 0 0 0 0</pose><placement_frame>grip</placement_frame></include>",
        "<include><uri>model://nobody</uri></include>",
        joint("wrist", "ball", "upper", "left::palm"),
        joint("glue", "fixed", "upper", "tool::pad"),
        name="arm",
    )
    rock = model(link("stone"), "<static>true</static>", name="rock")
    path = tmp_path / "world.sdf"
    path.write_text(sdf(f'<world name="w"><gravity>0 0 -1.6</gravity><light name="sun"/>{arm}{rock}</world>'))
    with pytest.warns(MendedWarning, match="<include> of 'model://nobody' is left out"):
        mech = iso.load_sdf(path)
    assert set(mech.bodies) == {"arm::upper", "arm::left::palm"}
    assert mech.bodies["arm::left::palm"].position == pytest.approx([1, 0, -0.9])
    assert mech.joints["arm::wrist"].point == pytest.approx([1, 0, -0.9])
    assert mech.bodies["arm::upper"].mass == 2.0
    assert mech.gravity == pytest.approx([0, 0, -1.6])
    assert mech.import_summary.links["rock::stone"].body == "ground"
    assert "<light> sun" in mech.import_summary.ignored


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<robot/>", "an SDF file begins with <sdf>"),
        ("<!DOCTYPE m SYSTEM 'file:///x'><sdf/>", "no <!DOCTYPE>"),
        (sdf(model(link("a"), link("a"))), "every <link> needs a name of its own"),
        (sdf(model(link("a"), joint("j", "hinge", "world", "a"))), "there is no type 'hinge'"),
        (sdf(model(link("a"), joint("j", "revolute", "world", "b"))), "there is no (link|frame) 'b'"),
        (sdf(model(link("a"), joint("j", "revolute", "world", "a", "0 0 0"))), "its axis has no direction"),
        (sdf(model(link("a", "0 0 0"))), "pose: six numbers are needed"),
        (sdf(model(link("a", '<pose relative_to="b"/>'), link("b", '<pose relative_to="a"/>'))), "in a circle"),
        (sdf(model(link("a", mass=-1.0))), "mass must not be negative"),
        (sdf(model(link("a"), '<joint name="j" type="revolute"><child>a</child></joint>')), "<parent> is missing"),
        (sdf(model(link("a"), "<static>1</static>")), "nothing in it moves"),
    ],
)
def test_wrong_files_are_told(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        iso.load_sdf(text)
