"""URDF: every feature in a small file, against recursion by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.cli import main
from isodyn.errors import InputError, MendedWarning
from isodyn.models.xml_source import DEEPEST
from rigid_trees import Part, balance, of_mechanism, rpy, solved


def link(name: str, mass: float = 0.0, centre: str = "0 0 0", six: str = "", turn: str = "0 0 0") -> str:
    """A link; six moments as ixx iyy izz ixy ixz iyz."""
    if not mass and not six:
        return f'<link name="{name}"/>'
    values = zip(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), six.split(), strict=False)
    inertia = " ".join(f'{key}="{x}"' for key, x in values)
    return (
        f'<link name="{name}"><inertial><origin xyz="{centre}" rpy="{turn}"/><mass value="{mass}"/>'
        f"<inertia {inertia}/></inertial></link>"
    )


def joint(
    name: str, kind: str, parent: str, child: str, xyz: str = "0 0 0", turn: str = "0 0 0", more: str = ""
) -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}" rpy="{turn}"/>{more}</joint>'
    )


def robot(*parts: str) -> str:
    return f'<robot name="r">{"".join(parts)}</robot>'


SIX_A, SIX_B, SIX_C = "0.05 0.04 0.03 0.004 -0.006 0.002", "0.02 0.03 0.025 -0.003 0.001 0.005", "2e-3 3e-3 4e-3"


def matrix(six: str) -> Any:
    xx, yy, zz, xy, xz, yz = (float(x) for x in [*six.split(), "0", "0", "0"][:6])
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def test_rotated_frames_negative_and_long_axes_and_fixed_chains() -> None:
    """Hinge, slide and continuous joints through rotated frames; a chain of fixed links carries mass
    on both sides of a joint; one axis is negative, one of length 3, one left out."""
    text = robot(
        link("base", 9.0, "1 2 3", SIX_A),
        link("mount"),
        link("arm", 2.0, "0.1 -0.2 0.05", SIX_A, "0.3 -0.5 0.9"),
        link("plate", 0.7, "0 0.03 0", SIX_C),
        link("lug", 0.2, "0.02 0 0", SIX_C),
        link("slider", 1.1, "0 0 0.1", SIX_B),
        link("tip", 0.4, "0.2 0 0", SIX_C),
        joint("j0", "fixed", "base", "mount", "0 0.2 0.5", "0.2 0.1 -0.4"),
        joint("j1", "revolute", "mount", "arm", "0.1 0 0.2", "-1.1 0.4 0.6", '<axis xyz="0 0 -3"/>'),
        joint("j2", "fixed", "arm", "plate", "0.3 0.1 0", "0 0.7 0"),
        joint("j3", "fixed", "plate", "lug", "0 0 0.1", "0.5 0 0.2"),
        joint("j4", "prismatic", "lug", "slider", "0.1 0 0", "0.3 0.3 0.3", '<axis xyz="0.6 0 -0.8"/>'),
        joint("j5", "continuous", "slider", "tip", "0 0.1 0.1", "1.5 0 0"),
    )
    mech = iso.load_urdf(text)
    assert set(mech.bodies) == {"arm", "slider", "tip"}
    assert mech.bodies["arm"].mass == pytest.approx(2.9)
    M1 = (np.array([0, 0.2, 0.5]), rpy(0.2, 0.1, -0.4))
    first = (M1[0] + M1[1] @ [0.1, 0, 0.2], M1[1] @ rpy(-1.1, 0.4, 0.6))
    plate = (np.array([0.3, 0.1, 0]), rpy(0, 0.7, 0))
    lug = (plate[0] + plate[1] @ [0, 0, 0.1], plate[1] @ rpy(0.5, 0, 0.2))
    turn = rpy(0.3, -0.5, 0.9)
    lumps = [
        (2.0, np.array([0.1, -0.2, 0.05]), turn @ matrix(SIX_A) @ turn.T),
        (0.7, plate[0] + plate[1] @ [0, 0.03, 0], plate[1] @ matrix(SIX_C) @ plate[1].T),
        (0.2, lug[0] + lug[1] @ [0.02, 0, 0], lug[1] @ matrix(SIX_C) @ lug[1].T),
    ]
    c = sum(m * r for m, r, _ in lumps) / 2.9
    J = sum(own + m * ((r - c) @ (r - c) * np.eye(3) - np.outer(r - c, r - c)) for m, r, own in lumps)
    parts = [
        Part(-1, (0, 0, -1), 2.9, c, J, *first),
        Part(
            0,
            (0.6, 0, -0.8),
            1.1,
            (0, 0, 0.1),
            matrix(SIX_B),
            lug[0] + lug[1] @ [0.1, 0, 0],
            lug[1] @ rpy(0.3, 0.3, 0.3),
            True,
        ),
        Part(1, (1, 0, 0), 0.4, (0.2, 0, 0), matrix(SIX_C), (0, 0.1, 0.1), rpy(1.5, 0, 0)),
    ]
    q, v = [0.7, -0.15, 2.0], [1.3, 0.4, -2.1]
    a, M = of_mechanism(mech, ["j1", "j4", "j5"], q, v)
    M_hand, h, _ = balance(parts, q, v)
    assert M_hand == pytest.approx(M, rel=1e-11, abs=1e-12)
    assert a == pytest.approx(solved(M_hand, h, 0.0), rel=1e-10)
    place = mech.import_summary.links["lug"]
    assert place.body == "arm"
    assert place.position == pytest.approx(lug[0], abs=1e-14)
    assert place.orientation == pytest.approx(lug[1], abs=1e-14)
    assert mech.import_summary.links["mount"].body == "ground"
    moved = iso.load_urdf(text, start={"j1": 0.7, "j4": -0.15, "j5": 2.0})  # forward kinematics: the same place
    b, _ = of_mechanism(moved, ["j1", "j4", "j5"], q, v)
    assert b == pytest.approx(a, rel=1e-10)


def test_gimbals_of_massless_links_and_point_masses() -> None:
    """Three hinges in one point through links without inertia, a point mass at the end of a rod:
    mended with a warning that names them, and to ten digits the motion without them."""
    text = robot(
        link("base"),
        link("yaw"),
        link("pitch"),
        link("ball", 2.0, "0.1 0.2 0.3", SIX_A),
        link("bob", 0.5, "0 0 -0.4", "0 0 0"),
        joint("z", "revolute", "base", "yaw", more='<axis xyz="0 0 1"/>'),
        joint("y", "revolute", "yaw", "pitch", more='<axis xyz="0 1 0"/>'),
        joint("x", "revolute", "pitch", "ball"),
        joint("swing", "revolute", "ball", "bob", "0.3 0 0", more='<axis xyz="0 1 0"/>'),
    )
    with pytest.warns(MendedWarning, match=r"link 'yaw' has no mass.*link 'bob' has the principal moments \(0, 0, 0\)"):
        mech = iso.load_urdf(text)
    none = np.zeros((3, 3))
    parts = [
        Part(-1, (0, 0, 1), 0.0, (0, 0, 0), none),
        Part(0, (0, 1, 0), 0.0, (0, 0, 0), none),
        Part(1, (1, 0, 0), 2.0, (0.1, 0.2, 0.3), matrix(SIX_A)),
        Part(2, (0, 1, 0), 0.5, (0, 0, -0.4), none, (0.3, 0, 0)),
    ]
    q, v = [0.3, -0.4, 0.5, 0.8], [1.0, -2.0, 0.5, 3.0]
    a, M = of_mechanism(mech, ["z", "y", "x", "swing"], q, v)
    M_hand, h, _ = balance(parts, q, v)
    assert M_hand == pytest.approx(M, rel=1e-9, abs=1e-11)
    assert a == pytest.approx(solved(M_hand, h, 0.0), rel=1e-9)


def test_what_cannot_be_a_body_is_mended() -> None:
    """A negative moment becomes that of a flat body; moments beside the triangle inequality stay;
    nothing at the end of a chain gets a millionth of the robot."""
    parts = [
        link("base"),
        link("a", 2.0, "0 0 0", "-0.01 0.04 0.05"),
        link("b", 1.0, "0 0 0", "0.01 0.02 0.05"),
        link("c"),
    ]
    joints = [joint(str(k), "continuous", x, y) for k, (x, y) in enumerate((("base", "a"), ("a", "b"), ("b", "c")))]
    with pytest.warns(MendedWarning, match=r"'a' has the principal moments .*'b': no body has.*used as written"):
        mech = iso.load_urdf(robot(*parts, *joints))
    assert np.linalg.eigvalsh(mech.bodies["a"].inertia) == pytest.approx([0.01, 0.04, 0.05])
    assert mech.bodies["b"].inertia == pytest.approx(np.diag([0.01, 0.02, 0.05]))
    assert mech.bodies["c"].mass == pytest.approx(3e-6)
    assert iso.integrate(mech.compile(), dt=0.01, t_end=0.02).t.size == 3


FINGERS = robot(
    link("base"),
    link("one", 1.0, "0.2 0 0", SIX_C),
    link("two", 0.5, "0.1 0 0", SIX_C),
    link("rail", 0.3, "0 0 0", SIX_C),
    joint("drive", "continuous", "base", "one", more='<axis xyz="0 1 0"/>'),
    joint(
        "turn",
        "continuous",
        "one",
        "two",
        "0.4 0 0",
        more='<axis xyz="0 -1 0"/><mimic joint="drive" multiplier="-2" offset="0.3"/>',
    ),
    joint("slide", "prismatic", "base", "rail", more='<axis xyz="1 0 0"/><mimic joint="turn" multiplier="0.1"/>'),
)


def test_mimics_follow_from_the_start_on_with_their_offset() -> None:
    """A joint that follows one that follows one; coordinates are those of the file."""
    mech = iso.load_urdf(FINGERS)
    system = mech.assemble(positions={"drive": 0.25}, rates={"drive": 1.0}).system
    sol = iso.integrate(system, dt=0.002, t_end=0.2)
    drive, turn = sol.joint("drive").angle, sol.joint("turn").angle
    assert drive[0] == pytest.approx(0.25, abs=1e-12)
    assert turn == pytest.approx(-2 * drive + 0.3, abs=1e-9)
    assert sol.joint("slide").displacement == pytest.approx(0.1 * turn, abs=1e-9)
    parts = [
        Part(-1, (0, 1, 0), 1.0, (0.2, 0, 0), matrix(SIX_C)),
        Part(0, (0, -1, 0), 0.5, (0.1, 0, 0), matrix(SIX_C), (0.4, 0, 0)),
        Part(-1, (1, 0, 0), 0.3, (0, 0, 0), matrix(SIX_C), slides=True),
    ]
    ways = np.array([1.0, -2.0, -0.2])
    M, h, _ = balance(parts, [0.25, -0.2, -0.02], ways)
    first = float(ways @ -h / (ways @ M @ ways))
    assert (sol.joint("drive").angle_rate[1] - 1.0) / 0.002 == pytest.approx(first, rel=1e-2)
    held = iso.load_urdf(FINGERS, start={"drive": 0.1})
    assert held.joints["turn"].start == pytest.approx(0.1)
    with pytest.raises(InputError, match=r"it must start at 0\.1, received 0"):
        iso.load_urdf(FINGERS, start={"drive": 0.1, "turn": 0.0})
    with pytest.raises(InputError, match="mimic each other in a circle: drive, turn, drive"):
        iso.load_urdf(FINGERS.replace('<axis xyz="0 1 0"/>', '<axis xyz="0 1 0"/><mimic joint="turn"/>', 1))
    with pytest.raises(InputError, match="it mimics 'nothing', which is no joint"):
        iso.load_urdf(FINGERS.replace('<mimic joint="turn"', '<mimic joint="nothing"'))


def test_damping_friction_and_limits_act() -> None:
    """Loads of a hinge against their law; limits only where a stiffness is given."""
    more = '<axis xyz="0 0 1"/><dynamics damping="0.5" friction="0.2"/><limit lower="-0.1" upper="0.4" effort="3"/>'
    text = robot(
        link("base"), link("wheel", 1.0, "0 0 0", "1 1 2"), joint("axle", "revolute", "base", "wheel", more=more)
    )
    mech = iso.load_urdf(text)
    (a,), _ = of_mechanism(mech, ["axle"], [0.5], [3.0])
    assert a == pytest.approx(-(0.5 * 3.0 + 0.2) / 2, rel=1e-12)
    assert mech.import_summary.limits["axle"].upper == 0.4
    assert mech.import_summary.limits["axle"].effort == 3.0
    assert any("limits" in what for what in mech.import_summary.ignored)
    (a,), _ = of_mechanism(iso.load_urdf(text, limit_stiffness=1e3), ["axle"], [0.5], [3.0])
    assert a == pytest.approx(-(0.5 * 3.0 + 0.2 + 1e3 * 0.1) / 2, rel=1e-12)


def test_bases_free_or_fixed_and_free_or_planar_joints() -> None:
    """A free base falls; a floating joint frees its link; a planar joint keeps its plane."""
    text = robot(
        link("base", 3.0, "0.1 0 0", SIX_A),
        link("puck", 1.0, "0 0 0", SIX_B),
        link("drone", 0.5, "0 0 0", SIX_C),
        joint("table", "planar", "base", "puck", "0 0 0.5", "0 0.3 0", '<axis xyz="0 0 1"/>'),
        joint("air", "floating", "base", "drone", "0 1 0"),
    )
    fixed = iso.load_urdf(text, position=(0, 0, 1.0))
    assert set(fixed.bodies) == {"puck", "drone"}
    assert set(fixed.joints) == {"table"}
    assert fixed.bodies["drone"].position == pytest.approx([0, 1, 1])
    with pytest.warns(iso.errors.IsodynWarning, match="drone"):
        sol = iso.integrate(fixed.compile(), dt=0.01, t_end=0.5)
    normal = np.array([np.sin(0.3), 0, np.cos(0.3)])
    assert (sol.body("puck").position - sol.body("puck").position[0]) @ normal == pytest.approx(0, abs=1e-10)
    assert sol.body("puck").acceleration[0] == pytest.approx(-9.81 * (np.array([0, 0, 1.0]) - normal[2] * normal))
    free = iso.load_urdf(text, floating=True, orientation=(0.0, 1.0, 0.0, 0.0))
    assert pytest.approx(np.diag([1.0, -1, -1])) == free.bodies["base"].R
    with pytest.warns(iso.errors.IsodynWarning, match="drone"):
        assert free.mobility().freedoms == 15


def test_names_with_spaces_and_names_twice(tmp_path: Path) -> None:
    text = robot(
        link("base link"),
        link("arm, left", 1.0, "0 0 0", SIX_C),
        joint("arm, left", "continuous", "base link", "arm, left"),
    )
    path = tmp_path / "a robot.urdf"
    path.write_text(text)
    mech = iso.load_urdf(path)
    assert mech.import_summary.joints == {"arm, left": "arm, left_joint"}
    assert "joint 'arm, left' is called 'arm, left_joint'" in str(mech.import_summary)
    path.write_text(text.replace("arm, left", "base link"))
    with pytest.raises(InputError, match=r"a robot\.urdf, line 1: link 'base link': every <link> needs a name"):
        iso.load_urdf(path)


def test_every_element_that_is_not_used_is_listed(tmp_path: Path) -> None:
    (tmp_path / "arm" / "meshes").mkdir(parents=True)
    (tmp_path / "arm" / "meshes" / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    looks = (
        '<visual><geometry><mesh filename="package://arm/meshes/a.obj" scale="2 1 1"/></geometry></visual>'
        '<visual><geometry><mesh filename="package://arm/meshes/b.obj"/></geometry></visual>'
        '<visual><origin xyz="0 0 1"/><geometry><cylinder radius="0.1" length="2"/></geometry></visual><collision/>'
    )
    text = robot(
        link("base"),
        link("a", 1.0, "0 0 0", SIX_C).replace("</link>", f"{looks}</link>"),
        joint("j", "revolute", "base", "a", more='<safety_controller/><limit effort="1" velocity="2"/>'),
        '<transmission name="t"/><gazebo reference="a"/><gazebo reference="a"/>',
    )
    path = tmp_path / "arm" / "robot.urdf"
    path.write_text(text)
    mech = iso.load_urdf(path)
    listed = "\n".join(mech.import_summary.ignored)
    for word in ("b.obj", "<collision>", "<safety_controller>", "<transmission> t", "<gazebo> a, 2 times", "effort"):
        assert word in listed
    assert "a.obj" not in listed
    points, faces = mech.bodies["a"].shape.triangles()
    assert points[:3] == pytest.approx(np.array([[0, 0, 0], [2, 0, 0], [0, 1, 0]]))
    assert points[:, 2].max() == pytest.approx(2.0)
    assert faces.max() == len(points) - 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<robot/>", r"line 1: this robot has no links\nhint: a file for xacro has to be expanded first"),
        ("<!DOCTYPE r [<!ENTITY a 'a'>]><robot name='&a;'/>", "a robot has no <!DOCTYPE>"),
        ("<sdf/>", "a URDF file begins with <robot>"),
        ("<robot>" * (DEEPEST + 1) + "</robot>" * (DEEPEST + 1), "deep in each other"),
        (robot(link("a")), "nothing in it moves"),
        (robot(link("a"), link("b", 1e200, "0 0 0", SIX_C), joint("j", "revolute", "a", "b")), "moments above 1e[+]60"),
        (robot(link("a"), link("b"), joint("j", "revolute", "a", "b")), "nothing that moves has a mass"),
        (
            robot(link("a"), link("b", -1.0, "0 0 0", SIX_C), joint("j", "revolute", "a", "b")),
            "mass must not be negative",
        ),
        (robot(link("a"), link("b", 1.0, "0 0", SIX_C), joint("j", "revolute", "a", "b")), "xyz: three numbers"),
        (
            robot(
                link("a"),
                link("b", 1.0, "0 0 0", SIX_C),
                joint("j", "revolute", "a", "b", more='<dynamics damping="-1"/>'),
            ),
            "damping must not be negative",
        ),
        (robot(link("a"), link("b", 1.0, "0 0 inf", SIX_C), joint("j", "revolute", "a", "b")), "a finite number"),
    ],
)
def test_wrong_files_are_told(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        iso.load_urdf(text)


def test_a_joint_counts_from_its_start() -> None:
    """`start` of hinges and slides shifts the coordinate, not the place."""
    mech = iso.Mechanism()
    mech.add_body("rod", 1.0, (0.1, 0.2, 0.3), (1, 0, 0))
    mech.add_body("box", 1.0, (0.1, 0.2, 0.3), (2, 0, 0))
    mech.add_joint(iso.Hinge("pin", "ground", "rod", axis=(0, 1, 0), start=-0.7))
    mech.add_joint(iso.Prismatic("slide", "rod", "box", point=(1, 0, 0), axis=(1, 0, 0), start=0.25))
    mech.add_load(iso.FormulaMotor("m", "pin", "-3*coordinate - 2*coordinate_rate"))
    sol = iso.integrate(mech.compile(), dt=0.01, t_end=0.01)
    assert sol.joint("pin").angle[0] == pytest.approx(-0.7, abs=1e-15)
    assert sol.joint("slide").displacement[0] == pytest.approx(0.25, abs=1e-15)
    plain = iso.Mechanism()
    plain.add_body("rod", 1.0, (0.1, 0.2, 0.3), (1, 0, 0))
    plain.add_joint(iso.Hinge("pin", "ground", "rod", axis=(0, 1, 0), start=4.0))
    with pytest.raises(InputError, match="start must lie within half a turn, received 4"):
        plain.compile()


def test_robots_run_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A URDF file by its name, joints at given coordinates, the import in the summary; an MJCF and
    an SDF file."""
    rod = link("rod", 1.0, "0.5 0 0", "0.01 0.09 0.09")
    text = robot(
        link("base"), rod, joint("pin", "revolute", "base", "rod", more='<axis xyz="0 1 0"/><limit upper="1"/>')
    )
    (tmp_path / "arm.urdf").write_text(text)
    (tmp_path / "arm.xml").write_text(
        '<mujoco><worldbody><body><joint name="pin" axis="0 1 0"/><geom type="sphere" size="0.1" pos="1 0 0"/></body></worldbody></mujoco>'
    )
    (tmp_path / "arm.sdf").write_text(
        '<sdf version="1.9"><model name="m"><link name="rod"/><joint name="pin" type="revolute"><parent>world</parent>'
        "<child>rod</child></joint></model></sdf>"
    )
    for name in ("arm.urdf", "arm.xml", "arm.sdf"):
        command = ["run", str(tmp_path / name), "--dt", "0.01", "--t-end", "0.05", "--set", "pin=0.4", "--json"]
        with pytest.raises(SystemExit) as ended:
            main(command)
        assert ended.value.code == 0
        summary = json.loads(capsys.readouterr().out)
        assert summary["import"]["read"]["joint"] == 1
        assert summary["steps"] == 5
    with pytest.raises(SystemExit):
        main(["run", str(tmp_path / "arm.urdf"), "--dt", "0.01"])
    assert "a robot needs --t-end" in capsys.readouterr().err
