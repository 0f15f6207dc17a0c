"""Runs of mechanisms that were built in Python know their mechanism after `iso.load`: everything that
can be read, and the animation, are those of the live run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError
from isodyn.report.scenes import scene_of


def machine() -> iso.Mechanism:
    """Bodies with offsets and orientations, a beam, joints, loads, a drive and sensors; names with
    blanks, "/" and Unicode."""
    mech = iso.Mechanism(gravity=(0.3, -0.2, -9.81))
    turn = (np.cos(0.2), np.sin(0.2), 0, 0)
    mech.add_body("rod/é", 1.0, (0.01, 0.09, 0.08), (0.5, 0, 0), turn, centre_of_mass=(0.01, 0.02, 0))
    mech.add_body("the ball", 0.5, kind="particle", position=(1.0, 0, -1))
    mech.add_body("wheel", shape=iso.shapes.Cylinder(0.3, 0.1, density=50.0), position=(0, 3, 0))
    mech.add_joint(iso.Hinge("pin", "ground", "rod/é", axis=(0, 1, 0)))
    mech.add_joint(iso.Hinge("axle", "ground", "wheel", point=(0, 3, 0), axis=(0, 0, 1)))
    mech.add_joint(iso.Drive("turn", "axle", iso.Polynomial(0, 0, 1.0)))
    points = ((1, 0, 0), (1, 0, -1))
    mech.add_load(iso.Spring("spring", "rod/é", "the ball", points=points, stiffness=50.0, damping=0.1))
    mech.add_load(iso.Force("push", "the ball", (1, 2, 3), time=iso.Sine(1, 3.0)))
    mech.add_load(iso.Motor("motor", "pin", torque=iso.Table([0, 0.1, 0.2], [0.0, 1.0, 0.5])))
    mech.add_load(iso.JointFriction("rub", "pin", mu=0.2, radius=0.02))
    mech.add_beam("beam", (0, 0, 2), (1, 0, 2), elements=2, section=iso.Section(EA=1e3, EI=1.0, rhoA=1.0))
    mech.add_joint(iso.Spherical("hang", "ground", "beam.start", point=(0, 0, 2)))
    mech.add_sensor(iso.Sensor("tip of 1", "rod/é", point=(1, 0, 0), to="the ball"))
    mech.add_sensor(iso.Sensor("turned", "wheel", to="ground", axis=(0, 0, 1)))
    return mech


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"save_every": 3}, {"t_end": 0.005}], ids=["all", "sparse", "one step"])
def test_a_loaded_run_reads_like_the_live_one(tmp_path: Path, options: dict[str, Any]) -> None:
    sol = iso.integrate(machine(), iso.Scheme.optimal(0.8), **({"dt": 0.005, "t_end": 0.1} | options))
    again = iso.load(sol.save(tmp_path / "run.nc"))
    assert again.quantities() == sol.quantities()
    for name in sol.quantities():
        live, kept = sol.quantity(name), again.quantity(name)
        size = max(float(np.abs(live.values).max()), 1e-3)
        np.testing.assert_allclose(kept.values, live.values, rtol=1e-9, atol=1e-9 * size, err_msg=name)
        assert (kept.unit, kept.components) == (live.unit, live.components)
    scenes = [scene_of(x, arrows=True) for x in (sol, again)]
    assert scenes[0] is not None
    assert scenes[1] is not None
    np.testing.assert_allclose(scenes[1].low, scenes[0].low, atol=1e-9)
    assert [x.name for x in scenes[1].arrows] == [x.name for x in scenes[0].arrows]
    np.testing.assert_allclose(again.system.q0, sol.q[0])


def test_other_coordinates_come_back(tmp_path: Path) -> None:
    mech = iso.Mechanism()
    mech.add_body("rod", 1.0, (0.01, 0.09, 0.08), (0.5, 0, 0))
    mech.add_joint(iso.Hinge("pin", "ground", "rod", axis=(0, 1, 0)))
    sol = iso.integrate(mech.compile("euler-parameters"), dt=0.01, t_end=0.1)
    again = iso.load(sol.save(tmp_path / "run.nc"))
    live, kept = (x.system.lift(x).reaction("pin").force for x in (sol, again))
    np.testing.assert_allclose(kept, live, rtol=1e-12)


@pytest.mark.slow
def test_contacts_come_back(tmp_path: Path) -> None:
    mech = iso.Mechanism()
    mech.add_body("ball", 0.5, (2e-4,) * 3, position=(0, 0, 0.12), velocity=(0.5, 0, 0))
    mech.add_contact(iso.SpherePlane("floor", "ball", "ground", radius=0.1, restitution=0.5, mu=0.3))
    sol = iso.integrate(mech, dt=0.01, t_end=0.2)
    again = iso.load(sol.save(tmp_path / "run.nc"))
    assert [hit.t for hit in again.contact("floor").impacts] == [hit.t for hit in sol.contact("floor").impacts] != []
    assert again.quantities() == sol.quantities()
    for name in sol.quantities():
        np.testing.assert_array_equal(again.quantity(name).values, sol.quantity(name).values, err_msg=name)


def test_every_kind_of_part_is_kept() -> None:
    from dataclasses import fields
    from types import SimpleNamespace

    from isodyn.mechanism.parts import Parts
    from isodyn.models.stored import mechanism_of

    parts: Any = Parts(**{kind.name: {f"one of {kind.name}": object()} for kind in fields(Parts)})
    system: Any = SimpleNamespace(description=SimpleNamespace(parts=parts, gravity=(0, 0, -1.0), cayley=False))
    kept = mechanism_of(system)._parts
    assert all(getattr(kept, kind.name) == getattr(parts, kind.name) for kind in fields(Parts))


def test_what_cannot_be_kept_is_told(tmp_path: Path) -> None:
    mech = iso.Mechanism()
    mech.add_body("ball", 1.0, kind="particle")
    mech.add_load(iso.UserLoad("own", "ball", lambda t, pose: -pose.position))
    again = iso.load(iso.integrate(mech, dt=0.01, t_end=0.1).save(tmp_path / "run.nc"))
    with pytest.raises(
        InputError, match=r"does not hold: load 'own' are a Python function.*\nhint: iso.load\(path, sys"
    ):
        again.body("ball")


def test_sensors_stand_in_model_files() -> None:
    from isodyn.models.build import model_from_text
    from isodyn.models.writer import to_toml

    text = to_toml(machine(), dt=0.01, t_end=0.1)
    assert '[sensors."tip of 1"]' in text
    again = model_from_text(text).mechanism()
    assert list(again.sensors) == ["tip of 1", "turned"]
    assert again.sensors["turned"].axis == (0.0, 0.0, 1.0)
    with pytest.raises(InputError, match=r"there is no body named 'arm'"):
        model_from_text(text.replace('to = "the ball"', 'to = "arm"')).system()
