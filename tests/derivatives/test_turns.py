"""Counted angles: their rates against differences of q ⊕ εv, the pair of retraction and difference,
and the gradient of a twist."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.kernels.compiled import RATE
from isodyn.systems.questions import Questions
from turning_joints import geared, gimbal, nut_on_an_arm, wheel

WEIGHTS = (1 / 280, -4 / 105, 1 / 5, -4 / 5, 0.0, 4 / 5, -1 / 5, 4 / 105, -1 / 280)  # eighth order
H = 2e-3
SPIN = iso.JointSpring("s", "spin", 1.0)
TWIST = iso.Bushing("b", "frame", "rotor", axis=(1, 0.2, 0.3), stiffness=(0, 0, 0, 1, 2, 3), damping=0.1)


def beam() -> Any:
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_beam("rod", (0, 0), (1, 0.3), elements=1, section=iso.Section(EA=20.0, EI=1.0, rhoA=1.0))
    mech.add_body("bob", 1.0, 0.1, (1.2, 0), kind="planar")
    mech.add_joint(iso.Hinge("pin", "rod.end", "bob"))
    mech.add_load(iso.JointSpring("s", "pin", 1.0))
    return mech.compile()


SYSTEMS: dict[str, Any] = {
    "wheel": lambda: wheel(axis=(1, 2, 3), turn=2.0),
    "gears": lambda: geared(np.sqrt(2), 1.0),
    "thread": lambda: nut_on_an_arm(0.1, 0.3, 1.0),
    "gimbal": lambda: gimbal(1.0, 1.0, SPIN),
    "beam": beam,
}


def free_motion(system: Any, q: Any, rng: Any) -> Any:
    """A velocity that keeps the joints: gradients of angles hold on the constraints."""
    G = Questions(system).G(0.0, q, np.zeros(system.nv))
    v = rng.normal(size=system.nv)
    return v - np.linalg.pinv(G) @ (G @ v)


@pytest.mark.parametrize("name", SYSTEMS)
def test_rates(name: str) -> None:
    """RATE is the derivative of q ⊕ εv, in all coordinates."""
    system, rng = SYSTEMS[name](), np.random.default_rng(1)
    model, none = system.model(), np.zeros(0)
    for _ in range(3):
        q, v = system.q0, free_motion(system, system.q0, rng)
        out = np.zeros(system.nq)
        model.function(RATE, 0.0, q, v, v, none, np.zeros(4), model.tables, model.scratch, out)
        expected = sum(w * system.retract(q, (k - 4) * H * v) for k, w in enumerate(WEIGHTS)) / H
        assert out == pytest.approx(expected, abs=1e-9)


def test_rate_of_a_twist() -> None:
    """Exact where the axes of the two bodies do not agree."""
    system, rng = gimbal(1.0, 1.0, TWIST), np.random.default_rng(2)
    model, none = system.model(), np.zeros(0)
    q = system.retract(system.q0, 0.2 * rng.normal(size=system.nv))
    v, out = rng.normal(size=system.nv), np.zeros(system.nq)
    model.function(RATE, 0.0, q, v, v, none, np.zeros(4), model.tables, model.scratch, out)
    expected = sum(w * system.retract(q, (k - 4) * H * v) for k, w in enumerate(WEIGHTS)) / H
    assert system.names[-1] == "b.twist"
    assert out[-1] == pytest.approx(expected[-1], abs=1e-9)


@pytest.mark.parametrize("name", SYSTEMS)
def test_difference_undoes_retraction(name: str) -> None:
    """q ⊕ (p ⊖ q) = p over many turns, counted angles included; along one axis the difference is
    the increment itself."""
    system, rng = SYSTEMS[name](), np.random.default_rng(3)
    for size in (0.3, 30.0):
        d = size * free_motion(system, system.q0, rng)
        if name in ("gimbal", "thread") and size > 1:
            d[6:] = 0.0  # one axis at a time
            d[:5] = 0.0
        if name == "beam" and size > 1:
            d[2:4] = 0.0
        p = system.retract(system.q0, d)
        back = system.difference(system.q0, p)
        again = system.retract(system.q0, back)
        assert again[-system.turns :] == pytest.approx(p[-system.turns :], abs=1e-10)
        assert system.difference(again, p) == pytest.approx(np.zeros(system.nv), abs=1e-10)
        if name in ("wheel", "gears"):
            assert back == pytest.approx(d, abs=1e-10)


def test_energy_of_a_bushing() -> None:
    """−∂V/∂q is the balance of a bushing at rest, tilted and twisted by more than a turn."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    for name in ("one", "two"):
        mech.add_body(name, 1.0, (1, 1, 1))
    mech.add_load(iso.Bushing("b", "one", "two", axis=(1, 0.2, 0.3), stiffness=(7, 8, 9, 4, 5, 6)))
    system = mech.compile()
    rng, ask = np.random.default_rng(4), Questions(system)
    d = 0.2 * rng.normal(size=12)
    d[9:] += 8.0 * np.array([1, 0.2, 0.3]) / np.linalg.norm((1, 0.2, 0.3))
    q = system.retract(system.q0, d)
    still = np.zeros(12)
    force = ask.balance(0.0, q, still, still, np.zeros(0))

    def energy(s: float, e: Any) -> float:
        return float(system.energy(system.retract(q, s * e), still, 0.0)[1])

    slopes = [sum(w * energy((k - 4) * H, e) for k, w in enumerate(WEIGHTS)) / H for e in np.eye(12)]
    assert abs(q[-1]) > 2 * np.pi
    assert force == pytest.approx(np.array(slopes), abs=1e-9)
