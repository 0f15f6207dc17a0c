"""Rods under unusual use: numbered from the other end, very thin and thick, held at both ends, closed to loops,
turned many times, saved, and gone on with."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import isodyn as iso
from isodyn.errors import AccuracyWarning, coarse_steps_meant

NONE = (0.0, 0.0, 0.0)
UPS = np.array([0.3, -0.2, 1.0])


def section(**given: Any) -> iso.Section:
    usual = {"EA": 1e4, "GAy": 4e3, "GAz": 5e3, "GJ": 3.0, "EIy": 5.0, "EIz": 4.0, "rhoA": 0.7}
    return iso.Section(**{**usual, "rhoIy": 0.002, "rhoIz": 0.003, **given})


def turned_round(C: np.ndarray) -> np.ndarray:
    """Stiffness seen from the other end: x and y of the section change their sign, which changes that of stretch
    twice (the length is measured the other way, too) and of all other strains as their axes say."""
    # h of the reversed element in axes turned by half a turn about z: signs of (d, φ) are −(−, −, +) = (+, +, −)
    S = np.diag([1.0, 1.0, -1.0, 1.0, 1.0, -1.0])
    return S @ C @ S


def bow(s: float) -> tuple[float, float, float]:
    return np.sin(s), 1 - np.cos(s), 0.3 * s


def poses(reverse: bool, elements: int) -> np.ndarray:
    """Nodes of a curved, pre-twisted rod, from one end or from the other with axes turned by half a turn about z."""
    mech = iso.Mechanism(gravity=NONE)
    mech.add_beam("rod", curve=bow, elements=elements, section=section(), model="exact", twist=0.9)
    rows = mech.compile().q0.reshape(elements + 1, 7)
    if not reverse:
        return rows
    half = Rotation.from_euler("z", np.pi)
    turned = (Rotation.from_quat(rows[::-1][:, [4, 5, 6, 3]]) * half).as_quat()[:, [3, 0, 1, 2]]
    return np.hstack([rows[::-1, :3], turned])


def swinging(reverse: bool) -> tuple[iso.Solution, list[str]]:
    """The rod on a ball joint at its first or last node, with a force at the other end."""
    n = 4
    root = np.random.default_rng(1).normal(size=(6, 6))
    coupling = 0.05 * root @ root.T
    of = section(coupling=turned_round(coupling) if reverse else coupling, damping=(1e-3, 2e-3))
    mech = iso.Mechanism()
    mech.add_beam("rod", curve=poses(reverse, n), elements=n, section=of, model="exact")
    first, last = ("rod.end", "rod.start") if reverse else ("rod.start", "rod.end")
    mech.add_joint(iso.Spherical("ball", "ground", first))
    mech.add_load(iso.Force("f", last, force=(3.0, -5.0, 2.0)))
    names = [f"rod[{n - k if reverse else k}]" for k in range(n + 1)]
    return iso.integrate(mech.compile(), dt=2e-3, t_end=0.2), names


@coarse_steps_meant()
def test_numbering_from_the_other_end_is_the_same_rod() -> None:
    """A curved, twisted, damped rod whose section couples everything."""
    (one, names), (other, back) = swinging(False), swinging(True)
    for name, again in zip(names, back, strict=True):
        assert np.abs(one.body(name).position - other.body(again).position).max() < 1e-9
        assert np.abs(one.body(name).velocity - other.body(again).velocity).max() < 1e-7
    for mine, theirs in zip(one.energy(), other.energy(), strict=True):
        assert np.abs(mine - theirs).max() < 1e-8 * np.abs(one.energy()[0]).max()
    assert np.abs(one.reaction("ball").force - other.reaction("ball").force).max() < 1e-6


@pytest.mark.parametrize("slender", [3.0, 1e2, 1e4])
def test_thick_and_thin_cantilevers_do_not_lock(slender: float) -> None:
    """PL³/3EI + PL/GA with L/h from 3 to 10,000, four elements: 1.6 % below it by second order, whatever the
    slenderness."""
    h = 1.0 / slender
    of = iso.Section.rectangle(E=1e9, G=4e8, rho=1e3, width=h, height=h)
    load = 1e-4 * of.EIz
    mech = iso.Mechanism(gravity=NONE)
    mech.add_beam("rod", (0, 0, 0), (1, 0, 0), elements=4, section=of, model="exact")
    mech.add_joint(iso.Fixed("clamp", "ground", "rod.start"))
    mech.add_load(iso.Force("f", "rod.end", force=(0.0, load, 0.0)))
    tip = iso.follow_loads(mech, steps=1).as_solution().beam("rod").nodes[-1, -1, 1]
    exact = load / (3 * of.EIz) + load / of.GAy
    assert tip / exact == pytest.approx(1.0, abs=0.02)


def test_a_ring_of_two_rods_turns_like_a_rigid_one() -> None:
    """A loop that is closed by welds, many turns: the radius grows by ρAΩ²R³/EA, its momentum stays."""
    of, speed = section(EA=1e5, GAy=1e5, GAz=1e5, EIy=50.0, EIz=50.0, GJ=50.0), 20.0
    mech = iso.Mechanism(gravity=NONE)
    for name, a in (("one", 0.0), ("two", np.pi)):

        def arc(s: float, a: float = a) -> tuple[float, float, float]:
            return np.cos(a + np.pi * s), np.sin(a + np.pi * s), 0.0

        spin = {"velocity": np.cross((0, 0, speed), arc(0.0)), "angular_velocity": (0, 0, speed)}
        mech.add_beam(name, curve=arc, elements=8, section=of, model="exact", **spin)
    mech.add_joint(iso.Fixed("left", "one.end", "two.start"))
    mech.add_joint(iso.Fixed("right", "two.end", "one.start"))
    system = mech.compile()
    sol = iso.integrate(system, iso.Scheme.U0(0.5, 0.5, 0.5), dt=2e-3, t_end=4.0, save_every=100)
    radius = np.linalg.norm(sol.beam("one").nodes[-1], axis=-1)
    grown = 0.7 * speed**2 / 1e5
    assert np.ptp(radius) < 0.05 * grown
    assert radius.mean() - 1 == pytest.approx(grown, rel=0.1)
    momentum = sol.momentum()[1]
    assert np.abs(momentum - momentum[0]).max() < 1e-3 * np.abs(momentum[0]).max()
    assert np.max(sol.drift().position) < 1e-9


def test_held_at_both_ends() -> None:
    """A clamped–clamped beam under its weight: sag ρgAL⁴/384EI + ρgAL²/8GA, in the limit of fine meshes."""
    sags = []
    for n in (8, 16):
        mech = iso.Mechanism()
        of = section(EIy=500.0, EIz=500.0, EA=1e6, GAy=1e6, GAz=1e6)
        mech.add_beam("rod", (0, 0, 0), (1, 0, 0), elements=n, section=of, model="exact")
        mech.add_joint(iso.Fixed("left", "ground", "rod.start"))
        mech.add_joint(iso.Fixed("right", "ground", "rod.end"))
        system = mech.compile()
        sags.append(-iso.equilibrium(system).q[system.q_of(f"rod[{n // 2}]")][2])
    exact = 0.7 * 9.81 * (1 / (384 * 500.0) + 1 / (8 * 1e6))
    assert sags[1] + (sags[1] - sags[0]) / 3 == pytest.approx(exact, rel=1e-3)


@coarse_steps_meant()
def test_saved_and_gone_on_with(tmp_path: Path) -> None:
    """A run that is resumed from its middle is the one that was not stopped, bit for bit; loaded from a file it has
    the same sectional forces."""
    mech = iso.Mechanism()
    mech.add_beam("rod", curve=poses(False, 4), elements=4, section=section(), model="exact")
    mech.add_joint(iso.Spherical("ball", "ground", "rod.start"))
    system = mech.compile()
    whole = iso.integrate(system, dt=2e-3, t_end=0.2)
    iso.integrate(system, dt=2e-3, t_end=0.2, checkpoint=tmp_path / "half", observe=lambda row: bool(row.t > 0.1))
    np.testing.assert_array_equal(iso.resume(tmp_path / "half", system).q, whole.q)
    again = iso.load(whole.save(tmp_path / "run.nc"))
    for name in ("force", "moment", "strain"):
        one, other = (getattr(sol.beam("rod"), name) for sol in (whole, again))
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-11 * np.abs(one).max())
    one, other = (sol.beam("rod").at_ends()[1] for sol in (whole, again))
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-11 * np.abs(one).max())


@pytest.mark.parametrize("model", ["exact", "absolute-nodal"])
def test_the_same_run_in_another_frame(model: Any) -> None:
    """Everything turned, also gravity: the same motion in turned axes, after large rotations."""
    turn = Rotation.from_rotvec([1.0, -2.0, 0.7])
    ends = []
    for R in (Rotation.identity(), turn):
        mech = iso.Mechanism(gravity=R.apply([0, 0, -9.81]))
        mech.add_beam(
            "rod", NONE, R.apply([1, 0, 0]), elements=3, section=section(), model=model, up=R.apply(UPS),
        )  # fmt: skip
        mech.add_joint(iso.Spherical("ball", "ground", "rod.start"))
        sol = iso.integrate(mech.compile(), iso.Scheme.midpoint_mpa(), dt=2e-3, t_end=1.0)
        ends.append(R.inv().apply(sol.beam("rod").nodes[-1]))
    assert np.abs(ends[0][-1] - [1, 0, 0]).max() > 0.5
    assert np.abs(ends[1] - ends[0]).max() < 1e-9


@pytest.mark.parametrize("planar", [False, True])
@pytest.mark.parametrize(("elements", "wound"), [(1, True), (4, False)])
def test_an_element_that_is_wound_beyond_half_a_turn_says_so(elements: int, wound: bool, planar: bool) -> None:
    """A moment of 4 on EI = GJ = 1 and a length of 1 turns the end by 4 rad; one element springs back at π and goes
    round and round, with damping in the place of strain."""
    numbers = dict.fromkeys(("EA", "GAy", "GAz"), 1e4) | dict.fromkeys(("GJ", "EIy", "EIz"), 1.0)
    of = section(**numbers, rhoA=1.0, rhoIy=1e-2, rhoIz=1e-2, damping=0.5)
    if planar:
        of = iso.Section(EA=1e4, GA=1e4, EI=1.0, rhoA=1.0, rhoI=1e-2, damping=0.5)
    mech = iso.Mechanism(gravity=(0, 0, 0))
    ends = ((0, 0), (1, 0)) if planar else ((0, 0, 0), (1, 0, 0))
    mech.add_beam("rod", *ends, elements=elements, section=of, model="exact")
    mech.add_joint(iso.Fixed("clamp", "ground", "rod.start"))
    mech.add_load(iso.Torque("turn", "rod.end", torque=(0, 0, 4.0) if planar else (4.0, 0, 0), frame="body"))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        iso.integrate(mech, dt=1e-2, t_end=8.0)
    said = [str(one.message) for one in told if one.category is AccuracyWarning]
    assert bool(said) == wound
    if wound:
        assert re.match(r"element 1 of rod 'rod' is wound by 1[3-8]\d° at t = .*\nhint: use more elements", said[0])
