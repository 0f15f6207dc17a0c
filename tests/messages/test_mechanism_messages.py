"""Mistakes of a modeller, named by part and in the words of mechanisms."""

from __future__ import annotations

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import ConflictError, InputError, IsodynWarning, NonFiniteError


def rod() -> iso.Mechanism:
    mech = iso.Mechanism()
    mech.add_body("rod", 1.0, (0.01, 0.09, 0.09), (0.5, 0, 0))
    return mech


def two() -> iso.Mechanism:
    mech = rod()
    mech.add_body("arm", 1.0, (0.01, 0.09, 0.09), (1.5, 0, 0))
    return mech


def with_particle() -> iso.Mechanism:
    mech = rod()
    mech.add_body("bob", 1.0, kind="particle")
    return mech


def build(mech: iso.Mechanism, *parts) -> iso.Mechanism:
    """Add joints and loads, then compile."""
    for part in parts:
        (mech.add_load if isinstance(part, LOADS) else mech.add_joint)(part)
    return mech.compile()


LOADS = (iso.Force, iso.Torque, iso.Spring, iso.Motor, iso.JointFriction, iso.Drag)


def run(system, **settings):
    return iso.integrate(system, **({"dt": 0.01, "t_end": 0.02} | settings))


PIN = iso.Hinge("pin", "ground", "rod", axis=(0, 1, 0))
BALL = iso.Spherical("ball", "ground", "rod")
SLIDE = iso.Prismatic("slide", "ground", "arm")


# ---- bodies


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"mass": -1.0}, "body 'x': mass must be positive, received -1"),
        ({"mass": 0.0}, "body 'x': mass must be positive, received 0"),
        ({"mass": "heavy"}, "body 'x': mass must be a finite number, received 'heavy'"),
        (
            {"inertia": (1, 1, 3)},
            r"body 'x': no body has the principal moments \[1\.0, 1\.0, 3\.0\]: the largest exceeds",
        ),
        ({"inertia": (1, 1, -1)}, "body 'x': inertia is not positive definite"),
        ({"inertia": [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]}, "body 'x': inertia is not symmetric"),
        ({"inertia": None}, "body 'x': inertia is missing"),
        ({"kind": "flat"}, "body 'x': kind must be 'spatial', 'planar' or 'particle', received 'flat'"),
        ({"orientation": (1, 1, 0, 0)}, r"body 'x': orientation is not a unit quaternion: its length is 1\.41"),
        ({"position": (0, np.nan, 0)}, "body 'x': position has entries that are not finite"),
        ({"kind": "planar", "inertia": (1, 1, 1)}, "body 'x': inertia of a planar body must be a finite number"),
        ({"kind": "planar", "inertia": 1.0, "position": (0, 0, 1)}, "body 'x' is planar, so z of its position"),
        ({"kind": "particle", "orientation": (1, 0, 0, 0)}, "body 'x' is a particle: it has no orientation"),
    ],
)
def test_bodies(arguments, message):
    with pytest.raises(InputError, match=message):
        rod().add_body("x", **({"mass": 1.0, "inertia": (1, 1, 1)} | arguments))


def test_names():
    mech = rod()
    with pytest.raises(InputError, match="there is already a body named 'rod'"):
        mech.add_body("rod", 1.0, (1, 1, 1))
    with pytest.raises(InputError, match="there is already a body named 'rod'"):
        mech.add_joint(iso.Hinge("rod", "ground", "rod"))
    mech.add_joint(PIN)
    with pytest.raises(InputError, match="there is already a joint named 'pin'"):
        mech.add_load(iso.Force("pin", "rod", (0, 0, 1)))
    with pytest.raises(InputError, match="a part needs a name other than 'ground'"):
        mech.add_body("ground", 1.0, (1, 1, 1))
    with pytest.raises(InputError, match=r"gravity, such as \(0, 0, -9\.81\), must be 3 numbers"):
        iso.Mechanism(gravity=9.81)


# ---- joints and loads


@pytest.mark.parametrize(
    ("mech", "parts", "message", "hint"),
    [
        (rod, [iso.Hinge("pin", "ground", "rodd")], "joint 'pin': there is no body named 'rodd'", "did you mean 'rod'"),
        (rod, [iso.Hinge("pin", "rod", "rod")], "joint 'pin' joins 'rod' to itself", None),
        (rod, [iso.Hinge("pin", "ground", "rod", axis=(0, 0, 0))], "joint 'pin': axis has no direction", None),
        (rod, [iso.Hinge("pin", "ground", "rod", axis=(0, np.inf, 0))], "joint 'pin': axis has entries that are not finite", None),
        (rod, [iso.Hinge("pin", "ground", "rod", point=(1, 2, 3, 4))], "joint 'pin': point must be 3 numbers", None),
        (rod, [iso.Hinge("pin", "ground", "rod", points=(1, 2, 3))], "joint 'pin': points must be two vectors, one in the frame", None),
        (rod, [iso.Screw("nut", "ground", "rod")], "joint 'nut': the pitch of a screw must not be zero", "a Hinge does not advance"),
        (rod, [iso.Distance("d", "ground", "rod", points=((0, 0, 0),) * 2)], "joint 'd': the distance must be positive", None),
        (rod, [iso.Distance("d", "ground", "rod", points=(0, 0, 0))], "'d': points must be two points", None),
        (rod, [iso.Universal("cross", "ground", "rod", axis=(1, 0, 0))], "joint 'cross': a universal joint needs second_axis", None),
        (
            rod,
            [iso.Universal("cross", "ground", "rod", axis=(1, 0, 0), second_axis=(1, 0, 0))],
            "joint 'cross': axis and second_axis of a universal joint must be perpendicular, received 0°",
            None,
        ),
        (with_particle, [iso.Hinge("pin", "rod", "bob")], "joint 'pin': a hinge needs orientations, but 'bob' is a particle", None),
        (with_particle, [iso.RollingSphere("r", "bob", radius=0.1)], "'r': rolling needs a spatial body, 'bob' is particle", None),
        (rod, [iso.RollingSphere("r", "rod", radius=-0.1)], r"'r': the radius must be positive, received -0\.1", None),
        (rod, [BALL, iso.Drive("d", "ball")], "drive 'd': joint 'ball' has no coordinate to act on", "universal and planar pairs"),
        (rod, [PIN, iso.Drive("d", "pin", coordinate="length")], "drive 'd': joint 'pin' has no coordinate 'length'", "it has angle"),
        (rod, [PIN, iso.Drive("d", "pin", iso.Pulse(0.3, 0.4, 0.6))], r"drive 'd' has positions that jump, Pulse\(0\.3", "a Ramp or"),
        (rod, [PIN, iso.Drive("d", "pin", iso.Staircase([0.0, 0.5], [0.0, 0.2]))], "drive 'd' has positions that jump", "Motor with"),
        (rod, [PIN, iso.Drive("d", "pni")], "drive 'd': there is no joint named 'pni'", "did you mean 'pin'"),
        (rod, [PIN, iso.Drive("d", "pin", "sin")], "formula 'sin', column 1: sin is a function", "write sin(…)"),
        (two, [PIN, SLIDE, iso.Gear("g", "pin", "slide", 2.0)], "joint 'slide' has no coordinate 'angle'", "it has displacement"),
        (rod, [PIN, iso.Gear("g", "pin", "pin", 2.0)], "gear 'g' joins hinge 'pin' to itself", None),
        (two, [PIN, SLIDE, iso.Gear("g", "pin", "slide", 0)], "gear 'g': the ratio must be finite and not zero", None),
        (rod, [PIN, iso.Coupling("c", {})], "coupling 'c': it names no joints", None),
        (rod, [PIN, iso.Coupling("c", {"pin": 0.0})], "coupling 'c': the weight of 'pin' must be finite and not zero", None),
        (two, [iso.Pulley("p", "rod", "arm", ((0, 0, 0),), ((0, 0, 1), (1, 0, 1)))], "pulley 'p': points must be two points", None),
        (rod, [iso.Force("f", "rod", (0, 0, 1), frame="local")], "load 'f': frame must be 'world' or 'body', received 'local'", None),
        (with_particle, [iso.Torque("t", "bob", (0, 0, 1))], "torque 't': 'bob' is a particle and cannot turn", None),
        (rod, [iso.Spring("s", "ground", "rod", ((0, 0, 0),) * 2, 1.0)], "spring 's': its two points coincide", None),
        (rod, [iso.Spring("s", "ground", "rod", stiffness=-1)], "load 's': stiffness must not be negative, received -1", None),
        (rod, [iso.JointFriction("f", "pin", mu=0.3)], "load 'f': there is no joint named 'pin'", None),
        (rod, [PIN, iso.Motor("m", "pin")], "motor 'm' takes either torque= or speed=", None),
        (rod, [PIN, iso.Motor("m", "pin", speed=1.0)], "motor 'm': a speed needs gain > 0", None),
    ],
)  # fmt: skip
def test_parts(mech, parts, message, hint):
    with pytest.raises(InputError, match=message) as caught:
        build(mech(), *parts)
    if hint is not None:
        assert hint in caught.value.hint


def test_things_in_the_wrong_place():
    with pytest.raises(InputError, match=r"add_joint takes a joint such as iso\.Hinge, received Force"):
        rod().add_joint(iso.Force("f", "rod", (0, 0, 1)))
    with pytest.raises(InputError, match=r"add_load takes a load such as iso\.Spring, received Hinge"):
        rod().add_load(PIN)
    with pytest.raises(InputError, match="the mechanism has no bodies"):
        iso.Mechanism().compile()


# ---- the whole


def test_parts_that_are_not_connected():
    with pytest.warns(IsodynWarning, match="no joint and no spring holds 'arm'"):
        build(two(), PIN)
    mech = two()
    mech.add_body("hand", 1.0, (1, 1, 1), (2.5, 0, 0))
    with pytest.warns(IsodynWarning, match="no joint and no spring holds 'arm', 'hand'"):
        build(mech, PIN, iso.Hinge("wrist", "arm", "hand", point=(2, 0, 0)))


def test_connected_by_springs_gears_and_free_flight_is_no_mistake():
    build(two(), PIN, iso.Spring("s", "rod", "arm", stiffness=1.0))
    build(two(), iso.Hinge("knee", "rod", "arm", point=(1, 0, 0)))
    rod().compile()


def test_rods_of_different_lengths_between_the_same_points():
    ends = ((0, 0, 0), (1, 0, 0))
    system = build(
        rod(),
        iso.Distance("a", "ground", "rod", points=ends),
        iso.Distance("b", "ground", "rod", points=ends, length=1.2),
    )
    for settings in ({}, {"assemble": True}):
        with pytest.raises(
            ConflictError, match=r"'b: distance' is off by -0\.2 at position level where 'a: distance' holds"
        ) as caught:
            run(system, **settings)
        assert "remove one of them, or make them agree" in caught.value.hint


def test_a_loop_that_cannot_close():
    """A triangle of sides 1, 1 and 3."""
    y = (0, 1, 0)
    joints = [
        iso.Hinge("A", "ground", "rod", points=((0, 0, 0), (-0.5, 0, 0)), axes=(y, y)),
        iso.Hinge("B", "rod", "arm", points=((0.5, 0, 0), (-0.5, 0, 0)), axes=(y, y)),
        iso.Hinge("C", "arm", "ground", points=((0.5, 0, 0), (3, 0, 0)), axes=(y, y)),
    ]
    mech = two()
    system = build(mech, *joints)
    with pytest.raises(ConflictError, match=r"'[ABC]: point x'"):
        run(system, assemble=True)
    with pytest.raises(ConflictError, match=r"cannot be closed .* '[ABC]: point x' by"):
        mech.assemble()


def test_drives_that_disagree():
    system = build(
        rod(), PIN, iso.Drive("d1", "pin", iso.Polynomial(0, 1)), iso.Drive("d2", "pin", iso.Polynomial(0, 2))
    )
    with pytest.raises(ConflictError, match=r"'d2: drive' is off by -1 at velocity level where 'd1: drive' holds"):
        run(system, assemble=True)


def test_a_start_off_the_joints():
    mech = iso.Mechanism()
    mech.add_body("rod", 1.0, (0.01, 0.09, 0.09), (0.5, 0, 0), velocity=(1, 0, 0))
    mech.add_joint(PIN)
    with pytest.raises(InputError, match="violates constraint 'pin: point x' at velocity level by -1"):
        run(mech.compile())


def test_failures_name_components_of_velocity():
    """Angular velocities are three where quaternions are four: names are those of v."""
    mech = rod()

    def bad(t, pose):
        return np.zeros(3), np.array([0.0, np.nan if t > 0.01 else 0.0, 0.0])

    mech.add_load(iso.UserLoad("gust", "rod", bad))
    with pytest.raises(NonFiniteError, match=r"balance of 'rod\.ωx', 'rod\.ωy'"):
        run(mech.compile(), t_end=0.1)


def test_views():
    sol = run(build(rod(), PIN))
    with pytest.raises(InputError, match="there is no body named 'rodd'"):
        sol.body("rodd")
    with pytest.raises(InputError, match="joint 'pin' has no coordinate 'displacement'"):
        _ = sol.joint("pin").displacement
    with pytest.raises(InputError, match="joint 'pin' does not act on 'arm'"):
        sol.reaction("pin", on="arm")
    with pytest.raises(InputError, match="frame must be 'world' or 'joint', received 'body'"):
        sol.reaction("pin", frame="body")
