"""Mistakes of a first hour: a name in the place of a system, empty files, folders, tables out of
order, options that do not exist."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import isodyn as iso
from isodyn.errors import InputError, IsodynWarning


def swing() -> iso.Mechanism:
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    mech.add_body("rod", 1.0, 0.1, (0.5, 0.0), kind="planar")
    mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0)))
    return mech


def test_a_name_is_no_system() -> None:
    with pytest.raises(InputError, match=r"received str\nhint: a ready problem is iso.problems.get\('pendulum'\)"):
        iso.integrate("pendulum", dt=0.1, t_end=1.0)  # type: ignore[call-overload]
    with pytest.raises(InputError, match=r"received list\nhint: such as iso.Mechanism"):
        iso.integrate([1.0], iso.DOP853(rtol=1e-6), t_end=1.0)  # type: ignore[call-overload]


@pytest.mark.parametrize("load", [iso.load_urdf, iso.load_mjcf, iso.load_sdf])
def test_empty_files_and_folders(load: object, tmp_path: Path) -> None:
    empty = tmp_path / "robot.xml"
    empty.write_text(" \n")
    with pytest.raises(InputError, match=r"robot.xml is empty\nhint: was it saved"):
        load(empty)  # type: ignore[operator]
    with pytest.raises(InputError, match="is a folder, not a file"):
        load(tmp_path)  # type: ignore[operator]


def test_a_folder_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder, not a file"):
        iso.load(tmp_path)


@pytest.mark.parametrize("table", [iso.Table, iso.Staircase])
def test_tables_out_of_order(table: type) -> None:
    with pytest.raises(InputError, match=r"must ascend, but 1 follows 2 \(row 3\)\nhint: sort the rows"):
        table([0, 2, 1], [0, 1, 2])
    with pytest.raises(InputError, match=r"as many values as times, at least .; received 3 values and 2 times"):
        table([0, 2], [0, 1, 2])


def test_options_that_a_sweep_does_not_have() -> None:
    with pytest.raises(InputError, match=r"sweep has no option 'tend'\nhint: did you mean t_end\?"):
        iso.sweep(swing(), {"rod.mass": [1.0, 2.0]}, ["max(pin.angle)"], workers=0, dt=0.01, tend=0.1)
    with pytest.raises(InputError, match=r"sweep has no option 'overwrite'(.|\n)*hint: options of integrate: scheme"):
        iso.sweep(swing(), {"rod.mass": [1.0]}, ["max(pin.angle)"], workers=0, dt=0.01, t_end=0.1, overwrite=True)


def test_models_of_beams_are_listed_with_those_of_rods() -> None:
    section = iso.Section(EA=1.0, EI=1.0, rhoA=1.0)
    with pytest.raises(
        InputError, match=r"no strain energy 'exactly'(.|\n)*rods of a mechanism: exact, absolute-nodal"
    ):
        swing().add_beam("b", (0, 0), (1, 0), elements=2, section=section, model="exactly")  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [iso.Radau(), iso.DOP853(), iso.Auto(), iso.Adaptive(rtol=1e-5)], ids=repr)
def test_steppers_take_steps_of_one_size(given: Any) -> None:
    mech = iso.Mechanism()
    mech.add_body("ball", 1.0, kind="particle")
    name = type(given).__name__
    for args, options, what in (((given,), {}, "scheme"), ((given,), {"dt": 0.1}, "scheme"), ((), {"dt": given}, "dt")):
        with pytest.raises(
            InputError, match=rf"steps of one size, received {what} = {name}\nhint: Stepper\(system, dt"
        ):
            iso.Stepper(mech, *args, **options)
    with pytest.raises(InputError, match=r"a stepper needs the size of its steps"):
        iso.Stepper(mech)


@pytest.mark.parametrize(
    ("kind", "args"),
    [(iso.Spring, ("ground", "rod")), (iso.JointSpring, ("pin",)), (iso.Bushing, ("ground", "rod"))],
)
def test_a_spring_without_numbers_warns(kind: Any, args: tuple[str, ...]) -> None:
    def compiled(**given: Any) -> None:
        mech = iso.Mechanism()
        mech.add_body("rod", 1.0, (0.1, 0.1, 0.1), (0.5, 0, 0))
        mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 1, 0)))
        places = {"points": [(1, 0, 1), (1, 0, 0)]} if kind is iso.Spring else {}
        mech.add_load(kind("own", *args, **places, **given))
        mech.compile()

    with pytest.warns(IsodynWarning, match=r"load 'own' does nothing: none of stiffness=, damping="):
        compiled()
    compiled(stiffness=(0.0,) * 6 if kind is iso.Bushing else 0.0)  # a zero that is given is meant


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: iso.Hinge("pin", "ground", "rod", pont=(0, 0)), r"Hinge takes no 'pont'\nhint: did you mean 'point'"),
        (lambda: iso.Spring("s", "ground", "rod", k=2.0), r"Spring takes no 'k'\nhint: it takes name, first, second"),
        (lambda: iso.PointPlane("foot", "rod", restitutoin=0.5), r"PointPlane takes no .*did you mean 'restitution'"),
        (lambda: iso.Mechanism().add_body("rod", mas=1.0), r"add_body takes no 'mas'\nhint: did you mean 'mass'"),
        (lambda: iso.integrate(swing(), dt=0.1, tend=1.0), r"integrate takes no 'tend'\nhint: did you mean 't_end'"),
    ],
)
def test_keywords_that_do_not_exist(call: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"(?s){message}"):
        call()


@pytest.mark.parametrize("method", [iso.Radau(), iso.DOP853(), iso.Auto()])
def test_methods_that_choose_steps_do_not_go_with_subdomains(method: Any) -> None:
    """Once subdomains were "none of isodyn's systems" there."""
    halves = {name: iso.LinearSystem(1.0, None, 4.0, None, [1.0], [0.0]) for name in "ab"}
    divided = iso.Subdomains(halves, ties=[("a", [0], "b", [0])])
    with pytest.raises(
        InputError, match=rf"subdomains take system steps of one size, received {method.name}"
    ) as raised:
        iso.integrate(divided, method, t_end=1.0)
    assert raised.value.argument == ("scheme",)
