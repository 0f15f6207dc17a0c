"""Positions of rest against closed forms and against minima of energy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import isodyn as iso
import linkages
from isodyn.errors import ConvergenceError, InputError

G = 9.81


def hanging(stiffness: float = 200.0) -> iso.Mechanism:
    """A mass of 2 kg on a spring of free length 0.5 m from the origin, that can slide up and
    down."""
    mech = iso.Mechanism()
    mech.add_body("mass", 2.0, (0.1, 0.1, 0.1), (0, 0, -0.5))
    mech.add_joint(iso.Prismatic("guide", "ground", "mass", point=(0, 0, -0.5), axis=(0, 0, 1)))
    mech.add_load(
        iso.Spring("spring", "ground", "mass", points=((0, 0, 0), (0, 0, -0.5)), stiffness=stiffness, rest=0.5)
    )
    return mech


def pendulum(angle: float) -> iso.Mechanism:
    """A rod of length 1 in a hinge about y, at an angle from the vertical."""
    mech = iso.Mechanism()
    end = np.array([np.sin(angle), 0.0, -np.cos(angle)])
    linkages.add_bar(mech, "rod", (0, 0, 0), end)
    mech.add_joint(iso.Hinge("pin", "ground", "rod", axis=(0, 1, 0)))
    return mech


def test_mass_on_a_spring():
    found = iso.equilibrium(hanging().compile())
    assert found.q[2] == pytest.approx(-0.5 - 2.0 * G / 200.0, abs=1e-12)
    assert found.stability == "stable"
    assert found.stiffness[0] == pytest.approx(100.0, rel=1e-9)
    assert "stable" in str(found)


@pytest.mark.parametrize("angle", [0.3, 1.2, np.pi / 2, 2.0, 3.1, -2.9])
def test_a_pendulum_hangs_down_from_anywhere(angle):
    """Downhill also from the horizontal, where the tangent is zero, and from near the top, where it
    is negative."""
    found = iso.equilibrium(pendulum(angle).compile())
    assert found.q[:3] == pytest.approx([0, 0, -0.5], abs=1e-9)
    assert found.stability == "stable"
    assert found.iterations < 30
    # the hinge carries the weight: force of the joint on the rod is −Gᵀλ
    assert np.linalg.norm(found.lam) == pytest.approx(G, rel=1e-9)


def test_newton_finds_the_unstable_one():
    found = iso.equilibrium(pendulum(2.9).compile(), stable=False)
    assert found.q[:3] == pytest.approx([0, 0, 0.5], abs=1e-9)
    assert found.stability == "unstable"
    assert found.stiffness[0] == pytest.approx(-1.5 * G, rel=1e-8)


@pytest.mark.parametrize("planar", [True, False])
def test_four_bar_with_spring_rests_at_the_minimum_of_energy(planar):
    """The potential energy along the motion of the loop, driven through by its crank, has its
    minimum where forces balance."""

    def make() -> iso.Mechanism:
        mech = linkages.four_bar(planar)
        mech.add_load(
            iso.Spring("spring", "ground", "coupler", points=((0.4, 0.9, 0), (0.4, 0.4, 0)), stiffness=60.0, rest=0.2)
        )
        return mech

    system = make().compile()
    found = iso.equilibrium(system)
    assert found.stability == "stable"

    def energy(angle: float) -> float:
        at = make().assemble(positions={"A": angle})
        return system.energy(at.q, np.zeros(system.nv), 0.0)[1]

    from isodyn.mechanism.poses import coordinate_at

    here = coordinate_at(system, system.joints["A"].coordinates["angle"], found.q)[0]
    least = minimize_scalar(energy, bounds=(here - 0.3, here + 0.3), method="bounded", options={"xatol": 1e-9})
    assert abs(here) > 0.01
    assert least.x == pytest.approx(here, abs=1e-6)
    assert energy(here) <= least.fun + 1e-12


def test_a_users_own_constrained_system():
    """A bead on a parabola y = x² pulled sideways: 2 x m g = F; retraction, sparse mass and
    constraints without derivatives."""
    system = iso.MechanicalSystem(
        M=np.eye(2),
        Q=lambda q, v, t: np.array([3.0, -G]),
        q0=[1.0, 1.0],
        v0=[0.0, 0.0],
        phi=lambda q, t: np.array([q[1] - q[0] ** 2]),
    )
    found = iso.equilibrium(system)
    x = 3.0 / (2 * G)
    assert found.q == pytest.approx([x, x * x], abs=1e-9)
    assert found.stiffness[0] == pytest.approx(2 * G / (1 + 4 * x * x), rel=1e-6)


def test_linear_systems_dense_sparse_and_constrained():
    import scipy.sparse as sp

    K, f = np.array([[3.0, -1.0], [-1.0, 2.0]]), np.array([1.0, 2.0])
    for convert in (np.asarray, sp.csr_array):
        system = iso.LinearSystem(convert(np.eye(2)), None, convert(K), f, [0.0, 0.0], [0.0, 0.0])
        assert iso.equilibrium(system).q == pytest.approx(np.linalg.solve(K, f), abs=1e-12)
    tied = iso.LinearSystem(np.eye(2), None, K, f, [0.0, 0.0], [0.0, 0.0], G=[[1.0, -1.0]])
    assert iso.equilibrium(tied).q == pytest.approx([1.0, 1.0], abs=1e-12)


def test_redundant_rows_and_rolling():
    """A ball on a level plane rests anywhere, held by three rows of which two carry nothing;
    neutral."""
    mech = iso.Mechanism()
    mech.add_body("ball", 2.0, (0.1, 0.1, 0.1), (0.3, 0.1, 0.2))
    mech.add_joint(iso.RollingSphere("floor", "ball", radius=0.2))
    found = iso.equilibrium(mech.compile())
    assert found.stability == "neutral"
    assert np.abs(found.lam) == pytest.approx([2.0 * G, 0, 0], abs=1e-9)


def test_loads_are_taken_at_the_time():
    mech = hanging()
    mech.add_load(iso.Force("push", "mass", (0, 0, 1.0), time=iso.Polynomial(0.0, 10.0)))
    found = iso.equilibrium(mech.compile(), t=2.0)
    assert found.q[2] == pytest.approx(-0.5 - (2.0 * G - 20.0) / 200.0, abs=1e-12)


def test_there_is_none():
    mech = iso.Mechanism()
    mech.add_body("stone", 1.0, (1, 1, 1))
    with pytest.raises(ConvergenceError, match=r"a force of 9\.81 is left over on 'stone\.vz'"):
        iso.equilibrium(mech.compile(), max_iterations=20)
    with pytest.raises(InputError, match="first order"):
        iso.equilibrium(iso.FirstOrderSystem(lambda s, t: -s, s0=[1.0]))
    with pytest.raises(InputError, match="q must have 7 entries, received 2"):
        iso.equilibrium(mech.compile(), q=[1.0, 2.0])
