"""What goes wrong in a first hour is told with what to write instead."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError, MendedWarning


def mechanism() -> iso.Mechanism:
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    mech.add_body("rod", mass=1.0, inertia=1 / 12, position=(0.5, 0), kind="planar")
    mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0)))
    return mech


@cache
def solution() -> Any:
    return iso.integrate(mechanism(), dt=0.01, t_end=0.05)


def system(**functions: Any) -> iso.MechanicalSystem:
    given = {"M": np.eye(1), "Q": lambda q, v, t: -q, "q0": [0.0], "v0": [0.0], **functions}
    return iso.MechanicalSystem(**given)


WRONG: dict[str, tuple[Callable[[], Any], str, str]] = {
    "one moment in space": (
        lambda: mechanism().add_body("a", mass=1.0, inertia=0.1),
        "received 0.1",
        "kind='planar'",
    ),
    "a number for a place": (
        lambda: mechanism().add_body("a", mass=1.0, inertia=0.1, kind="planar", position=3),
        "must be 3 numbers, received 3",
        "",
    ),
    "a contact among joints": (
        lambda: mechanism().add_joint(iso.JointStop("s", "pin", high=1.0)),  # type: ignore[arg-type]
        "received JointStop",
        "mech.add_contact takes it",
    ),
    "a joint among loads": (
        lambda: mechanism().add_load(iso.Hinge("p", "ground", "rod")),  # type: ignore[arg-type]
        "received Hinge",
        "mech.add_joint takes it",
    ),
    "a joint for a body": (
        lambda: mechanism().add_load(iso.Force("f", "pin", (0, 1))),
        "'pin' is a joint",
        "bodies: rod, ground",
    ),
    "a misspelt joint in a formula": (
        lambda: (m := mechanism(), m.add_load(iso.FormulaMotor("m", "pin", "2*pinn.angle")), m.compile()),
        "there is no body or joint named 'pinn'",
        "did you mean 'pin'",
    ),
    "words for a rate": (lambda: mechanism().assemble(rates={"pin": "fast"}), "rate of 'pin'", ""),
    "words for a position": (lambda: mechanism().assemble(positions={"pin": "up"}), "position of 'pin'", ""),
    "two arguments of Q": (
        lambda: system(Q=lambda q, t: -q),
        "Q is called as Q(q, v, t), received a function of (q, t)",
        "def Q(q, v, t)",
    ),
    "one argument of phi": (lambda: system(phi=lambda q: q), "phi is called as phi(q, t)", "def phi(q, t)"),
    "one argument of h": (lambda: iso.FirstOrderSystem(lambda s: -s, [1.0]), "h is called as h(s, t)", "def h(s, t)"),
    "two arguments of F": (
        lambda: iso.ImplicitSystem(lambda t, x: x, [1.0]),
        "F is called as F(t, x, rate)",
        "def F(t, x, rate)",
    ),
    "a name for a system": (lambda: iso.integrate("pendulum", dt=1.0, t_end=1.0), "received str", ".system()"),  # type: ignore[call-overload]
    "an unknown ending": (lambda: solution().save("run.xlsx"), "cannot save as 'run.xlsx'", "run.csv"),
    "a GIF of another name": (
        lambda: iso.report.write_gif(solution(), "run.avi"),
        "cannot write a GIF into 'run.avi'",
        "run.gif",
    ),
    "an empty robot": (lambda: iso.load_urdf(" "), "the text is empty", ""),
}


@pytest.mark.parametrize("case", WRONG)
def test_message_and_hint(case: str) -> None:
    act, message, hint = WRONG[case]
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        act()
    assert hint in (caught.value.hint or "")


def test_a_table_is_not_a_run(tmp_path: Path) -> None:
    """In capital letters too."""
    path = solution().save(tmp_path / "run.CSV")
    assert path.read_text(encoding="utf-8").startswith(("t", "#"))
    with pytest.raises(InputError, match=r"is a table, and iso\.load reads NetCDF"):
        iso.load(path)


@pytest.mark.parametrize(
    ("name", "meant"), [("Mechanims", "Mechanism"), ("Revolute", "Hinge"), ("simulate", "integrate")]
)
def test_names_of_the_package(name: str, meant: str) -> None:
    with pytest.raises(AttributeError, match=rf"did you mean isodyn\.{meant}"):
        getattr(iso, name)


GEOM = '<geom type="capsule" size="0.02" fromto="0 0 0 0.5 0 0"/>'
CHAIN = (
    f'<body name="a"><joint name="j" axis="0 1 0"/>{GEOM}<body name="b" pos="0.5 0 0"><joint name="k" axis="0 1 0"/>'
    f"{GEOM}</body></body>"
)


@pytest.mark.parametrize(
    ("extra", "named"),
    [
        ('<equality><joint joint1="k" joint2="j" polycoef="0 2 1 0 0"/></equality>', "polycoef"),
        ('<tendon><spatial name="rope" stiffness="3"><site site="s"/></spatial></tendon>', "tendon spatial 'rope'"),
    ],
)
def test_constraints_that_are_left_out_are_warned_of(extra: str, named: str) -> None:
    """A mechanism without them moves otherwise than the file says."""
    with pytest.warns(MendedWarning, match=f"{re.escape(named)}.*left out"):
        mech = iso.load_mjcf(f"<mujoco><worldbody>{CHAIN}</worldbody>{extra}</mujoco>")
    assert any(named in what for what in mech.import_summary.ignored)


def test_a_missing_mesh_says_what_would_help() -> None:
    mesh = '<visual><geometry><mesh filename="package://arm/a.stl"/></geometry></visual>'
    body = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
    joint = "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>"
    text = f"<robot name='r'><link name='a'/><link name='b'>{body}{mesh}</link>{joint}</robot>"
    assert 'packages={"arm": folder}' in iso.load_urdf(text).import_summary.ignored[0]
    assert "there is no such file" in iso.load_urdf(text, packages={"arm": "."}).import_summary.ignored[0]


def test_nothing_moves_has_no_hint_that_does_not_help() -> None:
    with pytest.raises(InputError, match="nothing in it moves") as caught:
        iso.load_mjcf("<mujoco><worldbody/></mujoco>")
    assert caught.value.hint is None
