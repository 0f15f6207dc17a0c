"""A mechanism whose numbers were replaced has the tables of one that was compiled with them, to the
last bit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.mechanism.renumbered import Renumbering
from isodyn.models import model_from_text
from isodyn.parts import Value
from model_texts import EVERYTHING

NUMBERS = {Value.NUMBER, Value.POSITIVE, Value.NOT_NEGATIVE, Value.NOT_ZERO}


def everything() -> iso.Mechanism:
    """One load of most kinds, on bodies and joints."""
    return model_from_text(EVERYTHING).mechanism()


def four_bars(many: int = 1) -> iso.Mechanism:
    """A chain of loops, large enough for sparse matrices if there are several, with loads by law,
    formula and time."""
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    for k in range(many):
        mech.add_body(f"crank {k}", 1.0, 0.1, (k + 0.0, 0.5), np.pi / 2, (1.0, 0.0), -2.0, kind="planar")
        mech.add_body(f"rocker {k}", 2.0, 0.2, (k + 0.5, 0.5), np.pi / 2, (1.0, 0.0), -2.0, kind="planar")
        mech.add_body(f"coupler {k}", 0.5, 0.01, (k + 0.25, 1.0), 0.0, (2.0, 0.0), 0.0, kind="planar")
        mech.add_joint(iso.Hinge(f"A {k}", "ground", f"crank {k}", point=(k, 0)))
        mech.add_joint(iso.Hinge(f"B {k}", f"crank {k}", f"coupler {k}", point=(k, 1)))
        mech.add_joint(iso.Hinge(f"C {k}", f"coupler {k}", f"rocker {k}", point=(k + 0.5, 1)))
        mech.add_joint(iso.Hinge(f"D {k}", "ground", f"rocker {k}", point=(k + 0.5, 0)))
    mech.add_load(iso.Spring("spring", "ground", "coupler 0", stiffness=30.0, damping=0.1, points=((2, 2), (0.25, 1))))
    mech.add_load(iso.Motor("motor", "A 0", speed=iso.Sine(1.0, 2.0), gain=0.3))
    mech.add_load(iso.FormulaMotor("law", "D 0", "-0.3*D_0*t", parameters={"D_0": 2.0}))
    mech.add_load(iso.Force("push", "coupler 0", (1.0, 2.0), time=iso.Polynomial(1.0, 2.0)))
    return mech


def equal(one: Any, other: Any) -> None:
    """All that a run reads is the same, bit for bit."""
    assert np.array_equal(one.tables.words, other.tables.words)
    if one.nv + one.m > one.small:
        assert np.array_equal(one.sparse_tables[0].words, other.sparse_tables[0].words)
    for name in ("q0", "v0"):
        assert np.array_equal(getattr(one, name), getattr(other, name))
    for name in ("q", "v", "at", "rows"):
        assert np.array_equal(getattr(one.scales, name), getattr(other.scales, name)), name
    assert [b.mass for b in one.bodies] == [b.mass for b in other.bodies]


def changed_loads(mech: iso.Mechanism) -> list[tuple[str, str, Any]]:
    """Every number of every load, made larger."""
    found = []
    for name, load in mech.loads.items():
        for key, known in getattr(load, "keys", {}).items():
            value = getattr(load, key, None)
            if known.value in NUMBERS and isinstance(value, float | int):
                found.append((name, key, replace(load, **{key: 1.25 * value + 0.5})))
    return found


@pytest.mark.parametrize("make", [everything, four_bars, lambda: four_bars(4)], ids=["everything", "one", "four"])
def test_numbers_of_loads(make: Any) -> None:
    mech = make()
    numbers, taken = Renumbering(mech.compile()), 0
    for name, _, load in changed_loads(mech):
        other = make()
        other.loads[name] = load
        made = numbers.system({}, {name: load})
        if made is not None:
            taken += 1
            equal(made, other.compile())
    assert taken >= 2


@pytest.mark.parametrize("make", [everything, four_bars, lambda: four_bars(4)], ids=["everything", "one", "four"])
def test_numbers_of_bodies(make: Any) -> None:
    mech = make()
    numbers = Renumbering(mech.compile())
    for name, body in mech.bodies.items():
        heavy = replace(body, mass=3.0 * body.mass, inertia=1.5 * body.inertia, velocity=body.velocity + 0.25)
        other = make()
        other.bodies[name] = heavy
        made = numbers.system({name: heavy}, {})
        assert made is not None
        equal(made, other.compile())


def test_a_huge_inertia_changes_the_typical_length() -> None:
    mech, other = four_bars(), four_bars()
    heavy = replace(mech.bodies["crank 0"], inertia=1e6 * mech.bodies["crank 0"].inertia)
    other.bodies["crank 0"] = heavy
    base = mech.compile()
    made = Renumbering(base).system({"crank 0": heavy}, {})
    assert made is not None
    equal(made, other.compile())
    assert made.scales is not base.scales


@pytest.mark.parametrize(
    "load",
    [
        iso.Motor("motor", "A 0", speed=iso.Sine(4.0, 3.0, 0.2), gain=0.3),
        iso.FormulaMotor("law", "D 0", "-0.3*D_0*t", parameters={"D_0": 5.0}),
        iso.Force("push", "coupler 0", (1.5, 2.0), time=iso.Polynomial(3.0, 1.0)),
    ],
)
def test_functions_of_time(load: Any) -> None:
    mech, other = four_bars(), four_bars()
    other.loads[load.name] = load
    made = Renumbering(mech.compile()).system({}, {load.name: load})
    assert made is not None
    equal(made, other.compile())
    runs = [iso.integrate(system, dt=0.01, t_end=0.1) for system in (made, other.compile())]
    assert np.array_equal(runs[0].lam, runs[1].lam)
    assert np.array_equal(runs[0].load(load.name).power, runs[1].load(load.name).power)
    assert runs[0].energy()[1].tolist() == runs[1].energy()[1].tolist()


@pytest.mark.parametrize(
    "load",
    [
        iso.Spring("spring", "ground", "coupler 0", stiffness=30.0, points=((2, 2.5), (0.25, 1))),  # another point
        iso.Motor("motor", "A 0", speed=iso.Polynomial(1.0, 2.0, 3.0), gain=0.3),  # another kind of function
        iso.Force("push", "rocker 0", (1.0, 2.0), time=iso.Polynomial(1.0, 2.0)),  # another body
        iso.Force("push", "coupler 0", (1.0, 2.0)),  # at all times
        iso.FormulaMotor("law", "D 0", "-0.3*t", parameters={}),  # a shorter formula
    ],
)
def test_more_than_numbers_is_told(load: Any) -> None:
    assert Renumbering(four_bars().compile()).system({}, {load.name: load}) is None


def test_a_body_that_stands_elsewhere_is_told() -> None:
    mech = four_bars()
    body = mech.bodies["crank 0"]
    moved = replace(body, position=body.position + np.array([0.1, 0, 0]))
    assert Renumbering(mech.compile()).system({"crank 0": moved}, {}) is None
