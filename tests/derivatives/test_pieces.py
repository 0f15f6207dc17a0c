"""What a number changes in the equations of a mechanism, it changes in its piece of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.kernels.compiled import BALANCE
from isodyn.sensitivities.parameters import family_of
from isodyn.sensitivities.variations import vary
from isodyn.systems.compiled_system import settled
from isodyn.systems.questions import Questions
from varied_mechanisms import four_bar, slider_crank, top

pytestmark = pytest.mark.filterwarnings("ignore")


def geared() -> iso.Mechanism:
    """Joints and loads that are built on other joints, formulas that look at them, a drive."""
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    for k in range(4):
        mech.add_body(f"b{k}", 1.0 + k, (0.1, 0.2, 0.15), (k + 0.5, 0.1 * k, 0))
    mech.add_joint(iso.Hinge("p0", "ground", "b0", point=(0, 0, 0), axis=(0, 1, 0)))
    mech.add_joint(iso.Hinge("p1", "b0", "b1", point=(1, 0, 0), axis=(0, 1, 0.2)))
    mech.add_joint(iso.Hinge("p2", "ground", "b2", point=(2, 0, 0), axis=(1, 0, 0)))
    mech.add_joint(iso.Prismatic("slide", "ground", "b3", axis=(0, 0, 1)))
    mech.add_joint(iso.Gear("gear", "p1", "p2", ratio=2.0))
    mech.add_load(iso.JointSpring("s", "p1", stiffness=4.0, damping=0.05))
    mech.add_load(iso.JointSpring("on_slide", "slide", stiffness=40.0, rest=0.1))
    mech.add_load(iso.Spring("rope", "b0", "b3", points=[(0.5, 0, 0), (3, 0, 1)], stiffness=9.0, damping=0.3))
    mech.add_load(iso.Force("push", "b2", (1.0, 0, 2.0), point=(2.5, 0.2, 0.1)))
    formula = "-k*p0.angle - 0.1*p2.angle_rate"
    mech.add_load(iso.FormulaMotor("told", "p2", torque=formula, parameters={"k": 3.0}))
    return mech


def planar() -> iso.Mechanism:
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    mech.add_body("a", 1.0, 0.1, (0.5, 0), kind="planar")
    mech.add_body("b", 2.0, 0.3, (1.5, 0.2), 0.3, kind="planar")
    mech.add_joint(iso.Hinge("p", "ground", "a", point=(0, 0, 0), axis=(0, 0, 1)))
    mech.add_joint(iso.Hinge("r", "a", "b", point=(1, 0, 0), axis=(0, 0, 1)))
    mech.add_load(iso.JointSpring("s", "r", stiffness=4.0, damping=0.05))
    return mech


NAMES: dict[Any, list[str]] = {
    top: ["top.mass", "top.inertia.xy", "tip.point.y", "spring.stiffness", "top.position.x", "gravity.y"],
    slider_crank: ["rod.mass", "pin.point.x", "slide.axis.y", "spring.points.0.x", "slider.position.z"],
    four_bar: ["coupler.mass", "B.point.x", "k.damping", "D.axis.x", "drive.torque.z", "crank.position.y"],
    geared: [
        "p1.point.x",
        "p1.axis.z",
        "p0.axis.x",
        "slide.axis.x",
        "gear.ratio",
        "s.stiffness",
        "on_slide.rest",
        "rope.points.0.y",
        "push.point.z",
        "b2.position.y",
        "b0.inertia.yy",
    ],
    planar: ["a.mass", "r.point.y", "s.stiffness", "b.position.x", "b.angle"],
}


@pytest.mark.parametrize("make", NAMES)
def test_a_piece_changes_as_the_whole(make: Any) -> None:
    mech, rng = make(), np.random.default_rng(2)
    family = family_of(mech)
    system = family.at({})
    n, m, t = system.nv, system.m, 0.3
    q, sizes = settled(system, system.q0), system.scales.v
    d = 0.1 * rng.standard_normal(n) * sizes
    q = q + d[: q.size] if system.retract is None else np.asarray(system.retract(q.copy(), d))
    v, a, lam = rng.standard_normal(n), rng.standard_normal(n), rng.standard_normal(m)
    for name in NAMES[make]:
        one = vary(family, name)
        assert one.piece is not None, name
        whole = [Questions(x) for x in (*one.made(one.of_equations[0]), system)]
        asked = {
            "balance": lambda ask: ask.ask(BALANCE, t, q, v, a, n, lam),
            "position": lambda ask: ask.position(t, q, v),
            "velocity": lambda ask: ask.velocity(t, q, v),
            "acceleration": lambda ask: ask.acceleration(t, q, v, a),
            "G": lambda ask: np.asarray(ask.G(t, q, v)),
        }
        for what, function in asked.items():
            exact, mine = (
                sum(w * function(ask) for w, ask in zip(one.of_equations[1], who, strict=True))
                for who in (whole, one.piece.answers(system))
            )
            size = max(1.0, float(np.abs(function(whole[-1])).max(initial=0.0)))
            assert np.abs(mine - exact).max(initial=0.0) <= 1e-10 * size, (name, what)
            assert one.piece.rows.size < m or m < 4 or make is four_bar, name


def test_pieces_are_small() -> None:
    """However long the chain, a number stands in a few equations."""
    family = family_of(geared())
    assert vary(family, "b1.mass").piece.v.size == 6  # type: ignore[union-attr]
    assert vary(family, "s.stiffness").piece.v.size == 12  # type: ignore[union-attr]
    assert vary(family, "p1.point.x").piece.v.size == 18  # type: ignore[union-attr]


def test_a_number_of_the_start_moves_the_start_alone() -> None:
    one = vary(family_of(top()), "top.angular_velocity.z")
    dq, dv = one.given_start(family_of(top()).at({}))
    assert not dq.any()
    assert np.flatnonzero(dv).tolist() == [5]
    assert abs(dv[5] - 1.0) < 1e-12


def test_factors_of_forces_need_one_other_value() -> None:
    """What equations are linear in is known from two values; a rest length, a point or a number of
    a formula is no factor."""
    family = family_of(geared())
    for name in ("s.stiffness", "s.damping", "on_slide.stiffness", "rope.damping", "push.force.x", "b1.mass"):
        assert len(vary(family, name).of_equations[0]) == 1, name
    for name in ("on_slide.rest", "rope.points.0.x", "push.point.x", "gear.ratio", "b1.inertia.xx", "push.force.y"):
        assert len(vary(family, name).of_equations[0]) == 4, name  # a force of zero has no ratio to another


def test_pieces_of_one_shape_share_their_layout_and_no_numbers() -> None:
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    for k in range(3):
        mech.add_body(f"b{k}", 1.0 + k, (0.1 + k, 0.2 + k, 0.3 + k), (k + 0.5, 0, 0.1 * k))
        mech.add_joint(
            iso.Hinge(f"p{k}", f"b{k - 1}" if k else "ground", f"b{k}", point=(k, 0, 0), axis=(0.1 * k, 1, 0))
        )
        mech.add_load(iso.JointSpring(f"s{k}", f"p{k}", stiffness=4.0 + k, damping=0.05 * k))
    together = family_of(mech)
    for name in ("s1.stiffness", "s2.stiffness", "p1.point.x", "p2.point.x", "b0.mass", "b2.mass"):
        shared, alone = (vary(family, name).piece for family in (together, family_of(mech)))
        assert shared is not None
        assert alone is not None
        for one, other in zip(shared.tables, alone.tables, strict=True):
            assert one.words.tobytes() == other.words.tobytes(), name
