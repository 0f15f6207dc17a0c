"""Reactions stand in every output as `sol.reaction` tells them: table, xarray, NetCDF, CSV, JSON
summary, report, command line."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.cli.summaries import print_mechanism
from isodyn.models.summary import mechanism_summary
from isodyn.report.histories import groups_of

JOINTS = ("shaft", "axle", "motor", "mesh", "floor", "rope", "leash", "edge")


@pytest.fixture(scope="module")
def sol() -> iso.Solution:
    """A driven pair of gears, a ball and a disc that roll, a rope over two pulleys, a user's
    rod."""
    mech = iso.Mechanism(gravity=(0, 0, -10.0))
    for name, x in (("pinion", 0.0), ("wheel", 1.0)):
        mech.add_body(name, 1.5, (0.2, 0.3, 0.4), (x, 0.1, 0.2))
    mech.add_joint(iso.Hinge("shaft", "ground", "pinion", point=(0, 0, 0.2), axis=(0, 0, 1)))
    mech.add_joint(iso.Hinge("axle", "wheel", "ground", point=(1, 0, 0.2), axis=(0, 0, 1)))
    mech.add_joint(iso.Drive("motor", "shaft", iso.Polynomial(0.0, 0.0, 3.0)))
    mech.add_joint(iso.Gear("mesh", "shaft", "axle", ratio=2.0))
    spin = {"velocity": (1.0, 0, 0), "angular_velocity": (0, 2.0, 0)}
    mech.add_body("ball", 2.0, (0.1, 0.1, 0.1), (0, 3, 0.5), **spin)
    mech.add_joint(iso.RollingSphere("floor", "ball", radius=0.5))
    mech.add_body("coin", 1.0, (0.05, 0.1, 0.05), (0, 5, 0.5), **spin)
    mech.add_joint(iso.RollingDisc("edge", "coin", radius=0.5, axis=(0, 1, 0)))
    for name, x, mass in (("left", 3.0, 1.0), ("right", 4.0, 2.0), ("bob", 3.0, 0.5)):
        mech.add_body(name, mass, position=(x, 0, 1.0 if name != "bob" else 0.4), kind="particle")
    mech.add_joint(iso.Pulley("rope", "left", "right", points=((3, 0, 1), (4, 0, 1)), over=((3, 0, 2), (4, 0, 2))))
    mech.add_joint(iso.UserRows("leash", ("left", "bob"), lambda p, q, t: p.position[2] - q.position[2] - 0.6))
    return iso.integrate(mech.compile(), dt=0.01, t_end=0.03)


def test_known_forces(sol: iso.Solution) -> None:
    """Weights on the floor; the rope by Atwood's formula, pulling up at both ends and down at the
    pulleys."""
    assert set(sol.system.joints) == set(JOINTS)
    assert sol.reaction("floor").on == "ball"
    assert sol.reaction("floor").force[0] == pytest.approx([0, 0, 20.0], abs=1e-9)
    assert sol.reaction("floor", on="ground").force[0] == pytest.approx([0, 0, -20.0], abs=1e-9)
    assert sol.reaction("floor").point[-1] == pytest.approx([0.03, 3, 0], abs=1e-9)
    assert sol.reaction("edge", frame="joint").force[0] == pytest.approx([0, 0, 10.0], abs=1e-9)
    tension = 2 * 1.5 * 2.0 / 3.5 * 10.0
    assert sol.reaction("rope").on == "right"
    for body, times in (("left", 1), ("right", 1), ("ground", -2)):
        assert sol.reaction("rope", on=body).force[0] == pytest.approx([0, 0, times * tension], abs=1e-8)
    assert sol.reaction("leash").on == "bob"
    assert sol.reaction("leash").force[0, 2] == pytest.approx(0.5 * tension / 1.5, abs=1e-6)


def test_table_dataset_and_files(sol: iso.Solution, tmp_path: Path) -> None:
    datasets = [sol.to_xarray()]
    again = iso.load(sol.save(tmp_path / "run.nc"), system=sol.system)
    with open(sol.save(tmp_path / "run.csv"), newline="", encoding="utf-8") as file:
        header, *lines = list(csv.reader(file))
    numbers = np.array(lines, dtype=float)
    datasets.append(again.to_xarray())
    for name in JOINTS:
        for what, unit in (("force", "N"), ("torque", "N m")):
            expected = getattr(sol.reaction(name), what)
            for data in datasets:
                assert np.array_equal(data[f"{name}.{what}"].values, expected)
                assert f"on {sol.reaction(name).on}" in data[f"{name}.{what}"].attrs["long_name"]
            columns = [header.index(f"{name}.{what}_{axis} [{unit}]") for axis in "xyz"]
            assert np.array_equal(numbers[:, columns], expected)
            assert np.array_equal(getattr(again.reaction(name), what), expected)


def test_summary_and_command_line(sol: iso.Solution, capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    summary = mechanism_summary(sol, "all", 0.01)
    print_mechanism(summary)
    printed = capsys.readouterr()
    text = printed.out + printed.err
    for name in JOINTS:
        reaction, told = sol.reaction(name), summary["joints"][name]
        assert told["on"] == reaction.on
        for what in ("force", "torque"):
            size = np.linalg.norm(getattr(reaction, what), axis=1)
            assert told[what]["largest"] == size.max()
        line = next(
            line for line in text.splitlines() if line.split("│")[0].split()[:1] == [name] or f" {name} " in line
        )
        assert f"{told['force']['largest']:.4g}" in line


def test_report(sol: iso.Solution) -> None:
    _, groups = groups_of(sol)
    found = {group.id: group for group in groups}
    curves = dict(zip(found["reactions"].names, found["reactions"].values, strict=True))
    for name in JOINTS:
        expected = np.linalg.norm(sol.reaction(name).force, axis=1)
        assert np.abs(expected).max() > 0.1 or name in ("motor", "mesh")
        assert curves[name] == pytest.approx(expected, rel=1e-12)
