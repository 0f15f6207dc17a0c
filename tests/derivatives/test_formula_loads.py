"""Loads by formulas: tangents against differences of the balance, forces against the loads they
stand for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError
from isodyn.kernels.compiled import JACOBIAN
from isodyn.loads import Formula, FormulaForce, FormulaMotor, FormulaTorque, Tension
from isodyn.systems.questions import Questions


def mechanism(*loads: Any, rail: bool = False) -> iso.Mechanism:
    """A rod on a hinge, a free ball, a planar plate is another mechanism; `rail` adds bodies so
    that matrices are sparse."""
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    mech.add_body("rod", mass=1.0, inertia=(0.01, 0.09, 0.09), position=(0.5, 0, 0))
    mech.add_body("ball", mass=2.0, inertia=(0.1, 0.2, 0.15), position=(1.5, 0.2, 0))
    mech.add_joint(iso.Hinge("pin", "ground", "rod", axis=(0, 1, 0)))
    mech.add_load(iso.Spring("tie", "rod", "ball", stiffness=3.0))
    if rail:
        mech.add_body("cart", mass=2.0, inertia=(0.1, 0.2, 0.15), position=(1.5, 0.2, 1.0))
        mech.add_joint(iso.Prismatic("slide", "ground", "cart", axis=(1, 0, 0)))
    for load in loads:
        mech.add_load(load)
    return mech


LOADS = [
    FormulaForce(
        "f", "ball", ("-3*rod.x*ball.vx", "2*sin(t)*pin.angle_rate", "ball.z^2 - rod.wy"), point=(1.7, 0.3, 0.1)
    ),
    FormulaTorque("f", "ball", (0, "rod.z + ball.wx*ball.wz", "1 + t")),
    FormulaMotor("f", "pin", "-5*sin(pin.angle) - k*pin.angle_rate*ball.y", parameters={"k": 2.0}),
    Tension("f", "rod", "ball", "100*(length - 1) + 3*length_rate*rod.x"),
]


@pytest.mark.parametrize("load", LOADS, ids=lambda load: type(load).__name__)
@pytest.mark.parametrize("rail", [False, True])
def test_tangents_against_differences(load: Any, rail: bool) -> None:
    """∂/∂q and ∂/∂v at a state on the joint; full and sparse matrices."""
    system = mechanism(load, rail=rail).compile()
    ask, rng = Questions(system), np.random.default_rng(1)
    move = np.zeros(system.nv)
    move[6:12] = 0.4 * rng.normal(size=6)
    move[4], move[0], move[2] = 0.3, 0.5 * (np.cos(0.3) - 1), -0.5 * np.sin(0.3)
    q, v = system.retract(system.q0, move), rng.normal(size=system.nv)
    v[3], v[5] = 0.0, 0.0
    a, lam, t, h = rng.normal(size=system.nv), np.zeros(system.m), 0.7, 1e-6
    for c, of_q in (((0.0, 1.0, 0.0, 1.0), False), ((0.0, 0.0, 1.0, 1.0), True)):
        model = system.model()
        assert (model.sparsity is not None) == rail
        if model.sparsity is None:
            out = np.zeros(system.nv**2)
            model.function(JACOBIAN, t, q, v, a, lam, np.array(c), model.tables, model.scratch, out)
            J = out.reshape(system.nv, system.nv)
        else:
            out = np.zeros(model.sparsity.J_columns.size)
            model.function(JACOBIAN, t, q, v, a, lam, np.array(c), model.tables, model.scratch, out)
            J = np.zeros((system.nv, system.nv))
            for i in range(system.nv):
                for k in range(model.sparsity.J_starts[i], model.sparsity.J_starts[i + 1]):
                    J[i, model.sparsity.J_columns[k]] = out[k]
        expected = np.zeros_like(J)
        for k in range(system.nv):
            e = np.zeros(system.nv)
            e[k] = h
            ahead, behind = (
                ask.balance(t, system.retract(q, s * e) if of_q else q, v if of_q else v + s * e, a, lam)
                for s in (1, -1)
            )
            expected[:, k] = (ahead - behind) / (2 * h)
        assert pytest.approx(expected, abs=2e-8 * max(1.0, np.abs(expected).max())) == J


@pytest.mark.parametrize(
    ("by_formula", "built_in"),
    [
        (
            Tension(
                "f",
                "ground",
                "ball",
                "40*(length - 0.9) + 2*length_rate + 3*(length - 0.9)^3",
                points=((0, 0, 1), (1.6, 0.2, 0)),
            ),
            iso.Spring("f", "ground", "ball", ((0, 0, 1), (1.6, 0.2, 0)), stiffness=40, damping=2, rest=0.9, cubic=3),
        ),
        (
            FormulaMotor("f", "pin", "-5*(pin.angle - 0.2) - 0.1*pin.angle_rate"),
            iso.JointSpring("f", "pin", 5.0, 0.1, 0.2),
        ),
        (
            FormulaForce("f", "ball", ("sin(3*t)", 0, "2*sin(3*t)"), point=(1.7, 0, 0)),
            iso.Force("f", "ball", (1, 0, 2), (1.7, 0, 0), time=iso.Sine(1, 3)),
        ),
        (FormulaTorque("f", "ball", ("0.3", "0.1*t", 0)), None),
        (iso.Motor("f", "pin", torque=Formula("a*sin(3*t)", a=2.0)), iso.Motor("f", "pin", torque=iso.Sine(2.0, 3.0))),
        (
            FormulaForce("f", "ball", tuple(f"-0.3*hypot(hypot(ball.vx, ball.vy), ball.vz)*ball.v{x}" for x in "xyz")),
            iso.Drag("f", "ball", 0.3),
        ),
    ],
    ids=["tension", "motor", "force", "torque", "formula of time", "drag"],
)
def test_runs_agree_with_built_in_loads(by_formula: Any, built_in: Any) -> None:
    """The same motion and the same reactions to rounding."""
    sols = []
    for load in (by_formula, built_in):
        loads = (
            [load]
            if load is not None
            else [iso.Torque("f", "ball", (0.3, 0, 0)), iso.Torque("g", "ball", (0, 0.1, 0), time=iso.Polynomial(0, 1))]
        )
        sols.append(iso.integrate(mechanism(*loads).compile(), dt=0.01, t_end=0.5))
    one, two = sols
    assert one.stats.iterations <= two.stats.iterations + 2
    for name in ("q", "v", "a", "lam"):
        x, y = getattr(one, name), getattr(two, name)
        assert x == pytest.approx(y, abs=1e-9 * max(1.0, np.abs(y).max())), name


def test_a_drive_by_a_formula_moves_like_its_polynomial() -> None:
    """Drives need two derivatives of their function; the program gives them."""
    sols = []
    for value in (Formula("0.3*t^3 - 0.1*t^2"), iso.Polynomial(0, 0, -0.1, 0.3)):
        mech = mechanism()
        mech.add_joint(iso.Drive("drive", "pin", value))
        sols.append(iso.integrate(mech.compile(), dt=0.01, t_end=0.5))
    for name in ("q", "v", "a", "lam"):
        x, y = getattr(sols[0], name), getattr(sols[1], name)
        assert x == pytest.approx(y, abs=1e-11 * max(1.0, np.abs(y).max())), name


def test_planar_bodies_and_nodes_of_beams() -> None:
    """A plate on a torsional formula turns as on a joint spring; a formula on the end of a beam
    holds it up."""
    sols = []
    for which in range(2):
        mech = iso.Mechanism(gravity=(0, -9.81, 0))
        mech.add_body("plate", 2.0, 0.3, (0.2, 0, 0), kind="planar")
        mech.add_joint(iso.Hinge("pin", "ground", "plate"))
        mech.add_beam("rod", (0, 1), (1, 1), elements=2, section=iso.Section(EA=1e4, EI=10.0, rhoA=1.0))
        mech.add_joint(iso.Fixed("clamp", "ground", "rod.start"))
        if which:
            mech.add_load(FormulaTorque("f", "plate", (0, 0, "-4*plate.angle - 0.2*plate.angle_rate")))
            mech.add_load(FormulaForce("g", "rod.end", (0, "-30*(rod.end.y - 1) - 2*rod.end.vy")))
        else:
            mech.add_load(iso.JointSpring("f", "pin", 4.0, 0.2))
        sols.append(iso.integrate(mech.compile(), dt=0.005, t_end=0.2))
    plate = [sol.body("plate").angle for sol in sols]
    assert plate[0] == pytest.approx(plate[1], abs=1e-9)
    tips = [sol.body("rod.end").position[-1, 1] for sol in sols]
    assert tips[1] > tips[0]  # the formula holds the end up


def test_names_that_are_not_there() -> None:
    """Bodies, joints and coordinates by name, with a hint."""
    for force, message in (
        (("rd.x", 0, 0), "no body or joint named 'rd'"),
        (("rod.w", 0, 0), "'rod' has no coordinate 'w'"),
        (("pin.length", 0, 0), "joint 'pin' has no coordinate 'length'"),
        (("speed", 0, 0), "there is no 'speed' here"),
    ):
        with pytest.raises(InputError, match=message):
            mechanism(FormulaForce("f", "ball", force)).compile()
