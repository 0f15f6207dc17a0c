"""MJCF: joints in a row, geoms, loops by equalities, rotors, tendons, actuators; against recursion
by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import isodyn as iso
from isodyn.errors import InputError, MendedWarning
from rigid_trees import Part, acceleration, balance, of_mechanism, solved


def mjcf(world: str, more: str = "", compiler: str = 'angle="radian"') -> str:
    return f'<mujoco model="m"><compiler {compiler}/><worldbody>{world}</worldbody>{more}</mujoco>'


ROD = '<geom type="capsule" size="0.04" fromto="0 0 0 {} 0 0" density="500"/>'


def rod(length: float) -> tuple[float, Any, Any]:
    """Mass, mass centre and inertia of the capsule above, written out: a cylinder and two half
    balls."""
    r, h = 0.04, length
    m_c, m_b = 500 * np.pi * r**2 * h, 500 * 4 / 3 * np.pi * r**3
    along = m_c * r**2 / 2 + 0.4 * m_b * r**2
    half = 83 / 320 * m_b / 2 * r**2 + m_b / 2 * (h / 2 + 3 / 8 * r) ** 2
    across = m_c * (r**2 / 4 + h**2 / 12) + 2 * half
    return m_c + m_b, np.array([h / 2, 0, 0]), np.diag([along, across, across])


FOUR_BAR = mjcf(
    f'<body name="a"><joint name="A" axis="0 -1 0" armature="0.3"/>{ROD.format(0.5)}'
    f'<body name="b" pos="0.5 0 0" euler="0 -1.2 0"><joint name="B" axis="0 -1 0" damping="0.2"/>{ROD.format(0.9)}</body></body>'
    f'<body name="c" pos="0.4 0 0.1" euler="0 -0.9 0"><joint name="C" axis="0 -1 0"/>{ROD.format(0.6)}'
    '<site name="end" pos="0.6 0 0"/></body>',
    '<equality><connect name="D" body1="b" body2="c" anchor="0.9 0 0"/></equality>',
)


def bars() -> list[Part]:
    down = (0, -1, 0)

    def turned(x: float) -> Any:
        return Rotation.from_euler("y", x).as_matrix()

    return [
        Part(-1, down, *rod(0.5), armature=0.3),
        Part(0, down, *rod(0.9), (0.5, 0, 0), turned(-1.2)),
        Part(-1, down, *rod(0.6), (0.4, 0, 0.1), turned(-0.9)),
    ]


def test_a_loop_closed_by_connect_with_a_rotor_and_damping() -> None:
    """Loop 1: ends of two rods held together where they are at the start; the rotor is exact in the
    mass matrix."""
    mech = iso.load_mjcf(FOUR_BAR)
    assert mech.mobility().freedoms == 1
    system = mech.assemble(positions={"A": 0.1}, rates={"A": 0.7}).system
    sol = iso.integrate(system, dt=1e-7, t_end=1e-7)
    q = np.array([sol.joint(x).angle[0] for x in "ABC"])
    v = np.array([sol.joint(x).angle_rate[0] for x in "ABC"])
    M, h, bodies = balance(bars(), q, v)
    one = bodies[1].point((0.9, 0, 0))
    start = balance(bars(), np.zeros(3), v)[2]
    there = start[2].R.T @ (start[1].point((0.9, 0, 0))[0] - start[2].p)
    two = bodies[2].point(there)
    assert one[0] == pytest.approx(two[0], abs=1e-9)
    a = solved(M, h, [0, -0.2 * v[1], 0], one[1] - two[1], one[3] - two[3])
    found = [acceleration(sol, mech, x) for x in "ABC"]
    assert found == pytest.approx(a, rel=1e-7)


TREE = mjcf(
    '<body name="torso" pos="0 0 1" quat="0.9 0.1 0.3 -0.2"><inertial pos="0.1 0 0" mass="3" fullinertia="0.3 0.4 0.5 0.02 0.03 -0.04"/>'
    '<joint name="x" axis="1 0 0" pos="0 0.1 0"/><joint name="y" axis="0 2 0"/><joint name="z" type="slide" axis="0 0 1"/>'
    '<frame pos="0.2 0 0" euler="30 0 45"><body name="arm" pos="0.1 0 0"><joint name="e" axis="0 1 1" ref="20" range="-40 90"/>'
    '<geom type="box" size="0.1 0.2 0.05" pos="0.1 0 0" zaxis="1 1 0"/><geom type="sphere" size="0.1" mass="0.5" pos="0 0.2 0"/>'
    '<body name="cap" pos="0 0 0.1"><geom type="cylinder" size="0.05 0.1" density="2000"/></body></body></frame></body>',
    compiler="",
)


def test_joints_in_a_row_frames_geoms_and_welded_bodies() -> None:
    """Three joints of one body, a frame, orientations in four ways, degrees, `ref`, inertia of geoms
    and of a body without joint."""
    mech = iso.load_mjcf(TREE)
    assert set(mech.bodies) == {"torso", "torso/1", "torso/2", "arm"}
    assert mech.import_summary.limits["e"].upper == pytest.approx(np.pi / 2)
    J = np.array([[0.3, 0.02, 0.03], [0.02, 0.4, -0.04], [0.03, -0.04, 0.5]])
    quat = np.array([0.9, 0.1, 0.3, -0.2])
    R0 = Rotation.from_quat([*quat[1:], quat[0]]).as_matrix()
    x, z = (
        Rotation.from_rotvec([np.radians(30), 0, 0]).as_matrix(),
        Rotation.from_rotvec([0, 0, np.radians(45)]).as_matrix(),
    )
    R1 = x @ z
    axis = np.cross([0, 0, 1], [1, 1, 0]) / np.sqrt(2)
    tilt = Rotation.from_rotvec(np.pi / 2 * axis).as_matrix()
    sizes = 2 * np.array([0.1, 0.2, 0.05])
    m = 1000 * sizes.prod()
    box = (
        m / 12 * np.diag([sizes[1] ** 2 + sizes[2] ** 2, sizes[0] ** 2 + sizes[2] ** 2, sizes[0] ** 2 + sizes[1] ** 2])
    )
    m_c = 2000 * np.pi * 0.05**2 * 0.2
    cylinder = m_c * np.diag([0.05**2 / 4 + 0.2**2 / 12] * 2 + [0.05**2 / 2])
    lumps = [
        (m, np.array([0.1, 0, 0]), tilt @ box @ tilt.T),
        (0.5, np.array([0, 0.2, 0]), 0.4 * 0.5 * 0.01 * np.eye(3)),
        (m_c, np.array([0, 0, 0.1]), cylinder),
    ]
    mass = sum(k for k, _, _ in lumps)
    c = sum(k * r for k, r, _ in lumps) / mass
    inertia = sum(own + k * ((r - c) @ (r - c) * np.eye(3) - np.outer(r - c, r - c)) for k, r, own in lumps)
    none = (0.0, (0, 0, 0), np.zeros((3, 3)))
    parts = [
        Part(-1, (1, 0, 0), *none, np.array([0, 0, 1]) + R0 @ [0, 0.1, 0], R0),
        Part(0, (0, 1, 0), *none, (0, -0.1, 0)),
        Part(1, (0, 0, 1), 3.0, (0.1, 0, 0), J, slides=True),
        Part(2, (0, 1, 1), mass, c, inertia, np.array([0.2, 0, 0]) + R1 @ [0.1, 0, 0], R1),
    ]
    q, v = np.array([0.3, -0.2, 0.15, np.radians(20) + 0.4]), np.array([1.0, -0.5, 0.3, 2.0])
    a, M = of_mechanism(mech, ["x", "y", "z", "e"], q, v)
    by_hand = q - [0, 0, 0, np.radians(20)]
    M_hand, h, _ = balance(parts, by_hand, v)
    assert M_hand == pytest.approx(M, rel=1e-9, abs=1e-10)
    assert a == pytest.approx(solved(M_hand, h, 0.0), rel=1e-8)


def test_a_loop_closed_by_sites_and_a_ball_joint() -> None:
    """Loop 2: a rod on a ball joint whose end is held at a site of a hinged one."""
    ball = FOUR_BAR.replace('<joint name="C" axis="0 -1 0"/>', '<joint name="C" type="ball"/>')
    ball = ball.replace(
        '<connect name="D" body1="b" body2="c" anchor="0.9 0 0"/>', '<connect name="D" site1="tip" site2="end"/>'
    )
    ball = ball.replace('<joint name="B"', '<site name="tip" pos="0.9 0 0"/><joint name="B"')
    mech = iso.load_mjcf(ball)
    assembled = mech.assemble(rates={"A": 0.3}, hold=())
    sol = iso.integrate(assembled.system, dt=0.002, t_end=0.1)
    gap = (
        sol.body("b").point((0.9, 0, 0), frame="body").position
        - sol.body("c").point((0.6, 0, 0), frame="body").position
    )
    assert np.abs(gap).max() < 1e-9
    assert sol.drift().largest[0] < 1e-10
    assert np.ptp(sol.energy()[0] + sol.energy()[1]) < 1e-2  # damped a little


def test_a_loop_closed_by_weld_and_joints_that_follow() -> None:
    """Loop 3: a parallel gripper, closed by a weld to a slide; joint equality with a ratio."""
    world = (
        f'<body name="a"><joint name="A" axis="0 -1 0"/>{ROD.format(0.5)}</body>'
        f'<body name="b" pos="0 0.2 0"><joint name="B" axis="0 -1 0"/>{ROD.format(0.4)}</body>'
        '<body name="s" pos="0 1 0"><joint name="S" type="slide" axis="1 0 0"/><geom size="0.1"/></body>'
        '<body name="t" pos="0 1 1"><joint name="T" type="slide" axis="1 0 0"/><geom size="0.1"/></body>'
    )
    more = (
        '<equality><joint joint1="B" joint2="A" polycoef="0 -3 0 0 0"/><weld body1="s" body2="t" solref="0.1 1"/>'
        '<joint joint1="S" joint2="A" polycoef="0 1 2 0 0"/></equality>'
    )
    with pytest.warns(MendedWarning, match="polycoef"):  # what is left out would move it otherwise
        mech = iso.load_mjcf(mjcf(world, more))
    assert "polycoef" in "".join(mech.import_summary.ignored)
    assert "solref" in "".join(mech.import_summary.changed)
    system = mech.assemble(positions={"A": 0.2, "S": 0.3}, rates={"A": 1.0, "S": 2.0}).system
    sol = iso.integrate(system, dt=0.002, t_end=0.1)
    assert sol.joint("B").angle == pytest.approx(-3 * sol.joint("A").angle, abs=1e-9)
    assert sol.joint("T").displacement == pytest.approx(sol.joint("S").displacement, abs=1e-9)
    parts = [Part(-1, (0, -1, 0), *rod(0.5)), Part(-1, (0, -1, 0), *rod(0.4), (0, 0.2, 0))]
    M, h, _ = balance(parts, [0.2, -0.6], [1.0, -3.0])
    w = np.array([1.0, -3.0])
    a = sol.body("a").angular_acceleration[0] @ [0, -1, 0]
    assert a == pytest.approx(w @ -h / (w @ M @ w), rel=1e-9)


def test_actuators_tendons_springs_and_keyframes() -> None:
    """Forces of every kind of actuator and tendon on a wheel without weight, by their laws."""
    wheel = '<body name="{0}" pos="{1} 0 0"><joint name="{0}j" axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 2"/>{2}</body>'
    world = (
        wheel.format("p", 0, '<site name="ps" pos="0.1 0 0"/>') + wheel.format("r", 1, "") + wheel.format("s", 2, "")
    )
    more = (
        '<option><flag gravity="disable"/></option><default><position kp="7"/></default>'
        '<actuator><motor name="m" joint="pj" gear="3"/><position joint="rj" kv="2" gear="2"/><velocity name="v" joint="sj" kv="4"/>'
        '<general name="g" joint="sj" gainprm="5" biastype="affine" biasprm="1 2 3"/><muscle name="u" joint="sj"/></actuator>'
        '<tendon><fixed stiffness="10" damping="1" springlength="0.5"><joint joint="rj" coef="2"/><joint joint="sj" coef="-1"/></fixed>'
        '<spatial name="rope" stiffness="50" springlength="0.3"><site site="ps"/><site site="ws"/></spatial></tendon>'
        '<keyframe><key name="home" qpos="0.1 0.2 0.3"/></keyframe>'
    )
    mech = iso.load_mjcf(
        mjcf(world + '<site name="ws" pos="0.1 0.5 0"/>', more), controls={"m": "2*t + 1", "v": 0.5, "g": 2.0}
    )
    assert mech.import_summary.positions == {"home": {"pj": 0.1, "rj": 0.2, "sj": 0.3}}
    assert "muscle 'u'" in "".join(mech.import_summary.ignored)
    q, v = np.array([0.0, 0.2, 0.3]), np.array([0.5, -1.0, 2.0])
    a, _ = of_mechanism(mech, ["pj", "rj", "sj"], q, v)
    pull = 10 * (2 * 0.2 - 0.3 - 0.5) + 1 * (2 * -1.0 - 2.0)
    rope = 50 * (0.5 - 0.3) * 0.1
    torques = [
        3 * 1.0 + rope,
        2 * (7 * (0 - 2 * 0.2) - 2 * 2 * -1.0) - 2 * pull,
        4 * (0.5 - 2.0) + (5 * 2.0 + 1 + 2 * 0.3 + 3 * 2.0) + pull,
    ]
    assert a == pytest.approx(np.array(torques) / 2, rel=1e-12)
    with pytest.raises(InputError, match="no actuator that is read named nobody"):
        iso.load_mjcf(mjcf(world), controls={"nobody": 1.0})


def test_defaults_includes_and_compiler_settings(tmp_path: Path) -> None:
    (tmp_path / "parts.xml").write_text(
        '<mujocoinclude><body name="b" childclass="heavy"><joint name="j" axis="0 1 0" springref="0.5" stiffness="2"/>'
        '<geom size="0.1 0.1 0.1" type="box"/><geom class="ghost" size="0.3"/></body></mujocoinclude>'
    )
    head = (
        '<default><geom density="100"/><default class="heavy"><geom density="3000"/><default class="ghost"><geom group="3"/>'
        "</default></default></default>"
    )
    text = mjcf('<include file="parts.xml"/>', head, 'angle="radian" inertiagrouprange="0 2"')
    (tmp_path / "model.xml").write_text(text)
    mech = iso.load_mjcf(tmp_path / "model.xml")
    assert mech.bodies["b"].mass == pytest.approx(24.0)
    (load,) = mech.loads.values()
    assert (load.stiffness, load.rest) == (2.0, 0.5)  # type: ignore[union-attr]
    (tmp_path / "model.xml").write_text(
        text.replace('inertiagrouprange="0 2"', 'inertiagrouprange="0 2" settotalmass="6"')
    )
    assert iso.load_mjcf(tmp_path / "model.xml").bodies["b"].inertia == pytest.approx(6 / 12 * 0.08 * np.eye(3))
    odd = '<body name="b"><joint name="j"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 4"/></body>'
    assert iso.load_mjcf(mjcf(odd, compiler='balanceinertia="true"')).bodies["b"].inertia == pytest.approx(
        2 * np.eye(3)
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<robot/>", "an MJCF file begins with <mujoco>"),
        ("<!DOCTYPE m SYSTEM 'file:///x'><mujoco/>", "no <!DOCTYPE>"),
        (mjcf('<include file="x.xml"/>'), "cannot be found"),
        (mjcf('<body><joint type="ring"/></body>'), "line 1: <joint>: there is no type 'ring'"),
        (mjcf('<body><joint axis="0 0 0"/></body>'), "its axis has no direction"),
        (mjcf('<body><joint class="none"/></body>'), "no default class 'none'"),
        (mjcf('<body><replicate count="3"/></body>'), "this element is not read"),
        (mjcf('<body><joint/><geom type="mesh" mesh="m"/></body>'), "there is no mesh 'm'"),
        (
            mjcf('<body><joint/><geom type="mesh" mesh="m"/></body>', '<asset><mesh name="m" file="m.stl"/></asset>'),
            "weighs what its mesh does",
        ),
        (mjcf('<body><joint/><geom type="box" size="1 1"/></body>'), "a box needs 3 sizes"),
        (mjcf('<body quat="1 0 0 0" euler="0 0 1"><joint/></body>'), "orientation is given twice"),
        (mjcf("<body><body><freejoint/></body></body>"), "bodies of the world only"),
        (mjcf('<geom size="1"/>'), "nothing in it moves"),
        (
            mjcf('<body name="a"><joint name="j"/><geom size="1"/></body>', '<equality><joint joint1="k"/></equality>'),
            "no joint 'k'",
        ),
        (
            mjcf('<body name="a"><joint name="j"/><geom size="1"/></body>', '<keyframe><key qpos="1 2"/></keyframe>'),
            "qpos needs 1 numbers",
        ),
    ],
)
def test_wrong_files_are_told(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        iso.load_mjcf(text)


def test_frames_between_joints_of_a_body_whose_joints_lie_together() -> None:
    """The size of a robot is not only how far its joints are apart: frames became so light that
    steps lost their rank."""
    inertia = '<inertial pos="-0.15 -0.05 0.17" mass="3.8" fullinertia="7.3 7.8 2.6 0.66 -1.35 1.7"/>'
    joints = (
        '<joint name="s" type="slide" axis="1 0.3 -0.05"/><joint name="h" axis="1.2 -0.4 0.6" pos="-0.05 0.06 0.03"/>'
    )
    mech = iso.load_mjcf(mjcf(f'<body name="b">{inertia}{joints}</body>'))
    J = np.array([[7.3, 0.66, -1.35], [0.66, 7.8, 1.7], [-1.35, 1.7, 2.6]])
    at = np.array([-0.05, 0.06, 0.03])
    none = (0.0, (0, 0, 0), np.zeros((3, 3)))
    parts = [
        Part(-1, (1, 0.3, -0.05), *none, slides=True),
        Part(0, (1.2, -0.4, 0.6), 3.8, np.array([-0.15, -0.05, 0.17]) - at, J, at),
    ]
    a, M = of_mechanism(mech, ["s", "h"], [0.1, 0.7], [0.5, -2.0])
    M_hand, h, _ = balance(parts, [0.1, 0.7], [0.5, -2.0])
    assert M_hand == pytest.approx(M, rel=1e-9, abs=1e-10)
    assert a == pytest.approx(solved(M_hand, h, 0.0), rel=1e-9)
