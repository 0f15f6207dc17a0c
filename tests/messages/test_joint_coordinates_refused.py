"""What has no place in joint coordinates is refused by name."""

from __future__ import annotations

from typing import Any

import pytest

import isodyn as iso
from isodyn.errors import ConflictError, InputError


def rod(**more: Any) -> iso.Mechanism:
    mech = iso.Mechanism()
    mech.add_body("rod", 1.0, (0.1, 0.1, 0.1), (0.5, 0.0, 0.0), **more)
    mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0.0, 0.0, 0.0), axis=(0, 1, 0)))
    return mech


def test_loops() -> None:
    mech = rod()
    mech.add_body("other", 1.0, (0.1, 0.1, 0.1), (0.5, 0.0, 0.0))
    mech.add_joint(iso.Hinge("far", "rod", "other", point=(1.0, 0.0, 0.0), axis=(0, 1, 0)))
    mech.add_joint(iso.Spherical("back", "other", "ground", point=(0.0, 0.0, 0.0)))
    with pytest.raises(InputError, match=r"joint '\w+' between .* closes a loop(.|\n)*hint: mech.compile"):
        iso.joint_coordinates(mech)


@pytest.mark.parametrize(
    ("add", "message"),
    [
        (lambda m: m.add_joint(iso.Drive("crank", "pin", 1.0)), "know no Drive such as 'crank'"),
        (lambda m: m.add_load(iso.JointFriction("rub", "pin", mu=0.3)), "load 'rub': friction by the reactions"),
        (lambda m: m.add_contact(iso.SpherePlane("foot", "rod", "ground", radius=0.1)), "no contacts, .* 'foot'"),
        (lambda m: m.add_state("heat", rate="1.0", initial=0.0), "no states, but there is 'heat'"),
        (lambda m: m.add_load(iso.UserLoad("wind", "rod", lambda *_: None)), "users' functions such as load 'wind'"),
        (
            lambda m: m.add_load(iso.Bushing("rubber", "ground", "rod", stiffness=(1.0,) * 6)),
            "load 'rubber' reads an angle of 'rubber' with its whole turns",
        ),
    ],
)
def test_parts(add: Any, message: str) -> None:
    mech = rod()
    add(mech)
    with pytest.raises(InputError, match=message):
        iso.joint_coordinates(mech)


def test_screws() -> None:
    mech = rod()
    mech.add_body("nut", 1.0, (0.1, 0.1, 0.1), (0.5, 0.0, 0.0))
    mech.add_joint(iso.Screw("thread", "rod", "nut", pitch=0.1, axis=(1, 0, 0)))
    with pytest.raises(InputError, match="no Screw such as 'thread': its angle and displacement are coupled"):
        iso.joint_coordinates(mech)


def test_kinds_of_bodies() -> None:
    mech = rod()
    mech.add_body("plate", 1.0, 0.1, (0.5, 0.0, 0.0), kind="planar")
    mech.add_joint(iso.Spherical("ball", "rod", "plate", point=(0.5, 0.0, 0.0)))
    with pytest.raises(InputError, match="joint 'ball' joins bodies of the kinds planar and spatial"):
        iso.joint_coordinates(mech)


def test_open_joints() -> None:
    mech = iso.Mechanism()
    mech.add_body("rod", 1.0, (0.1, 0.1, 0.1), (0.5, 0.0, 0.0))
    mech.add_joint(iso.Hinge("pin", "ground", "rod", points=((0, 0, 0.1), (-0.5, 0, 0)), axes=((0, 1, 0), (0, 1, 0))))
    with pytest.raises(
        ConflictError, match=r"joints are open at the start: rod.z is off by 0.1(.|\n)*hint: mech.assemble"
    ):
        iso.joint_coordinates(mech)


def test_velocities_that_do_not_fit() -> None:
    with pytest.raises(ConflictError, match=r"velocities at the start do not fit the joints: rod\.vx"):
        iso.joint_coordinates(rod(velocity=(1.0, 0.0, 0.0)))


def test_other_things() -> None:
    with pytest.raises(InputError, match="takes a Mechanism, received LinearSystem"):
        iso.joint_coordinates(iso.LinearSystem(M=[[1.0]], K=[[1.0]], q0=[1.0], v0=[0.0]))  # type: ignore[arg-type]


def test_lift_of_another_solution() -> None:
    one, other = iso.joint_coordinates(rod()), iso.joint_coordinates(rod())
    with pytest.raises(InputError, match="lift takes a solution of this system"):
        one.lift(iso.integrate(other, dt=0.1, t_end=0.1))
