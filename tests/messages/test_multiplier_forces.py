"""Forces that depend on multipliers: what has no use for them says so, and friction that jams is
named."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import isodyn as iso
import nonideal_systems as known
from isodyn.errors import InputError, PainleveError, SchemeError, SingularError
from isodyn.formulations.table import TABLE
from isodyn.systems.questions import Questions
from varied_mechanisms import four_bar, slider_crank


@pytest.mark.parametrize(
    "formulation", [iso.PositionLevel(), iso.NullSpace(), iso.Hamiltonian(), iso.UdwadiaKalaba("cholesky")], ids=repr
)
def test_formulations_without_multipliers(formulation):
    with pytest.raises(
        SchemeError, match=r"for forces that depend on multipliers[^\n]*\nhint: such systems take: Stabilised"
    ):
        iso.integrate(known.bead(), None, formulation, dt=0.1, t_end=1.0)


def rubbing() -> iso.Mechanism:
    """A pendulum whose hinge is slowed by its reaction."""
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    mech.add_body("rod", 1.0, 0.3, (0.5, 0.2), 0.1, kind="planar")
    mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0)))
    mech.add_load(iso.JointFriction("friction", "pin", mu=0.2, radius=0.3, creep=0.5))
    return mech


@pytest.mark.parametrize("row", list(TABLE), ids=lambda row: row.name)
def test_friction_by_the_reaction_of_a_joint_is_known_or_refused(row):
    """No formulation leaves it out without a word."""
    formulation = row.example()
    if not row.facts.nonideal:
        with pytest.raises(SchemeError, match="friction by the reaction of a joint"):
            iso.integrate(rubbing(), None, formulation, dt=0.02, t_end=0.1)
        return
    sol = iso.integrate(rubbing(), None, formulation, dt=5e-3, t_end=0.3)
    exact = iso.integrate(rubbing(), iso.Radau(rtol=1e-8), t_end=0.3)
    np.testing.assert_allclose(sol.q[-1], exact.q[-1], atol=1e-4)  # 0.02 without friction


@pytest.mark.parametrize("mu", [0.3, 3.0])
def test_the_start_balances_friction_by_reactions(mu):
    """Near a dead centre the acceleration hardly changes while multipliers still do."""
    mech = slider_crank()
    mech.add_load(iso.JointFriction("friction", "pin", mu=mu, radius=0.1, creep=2.0))
    sol = iso.integrate(mech, dt=0.01, t_end=0.01, assemble=True)
    left = Questions(sol.system).balance(0.0, sol.q[0], sol.v[0], sol.a[0], sol.lam[0])
    assert np.abs(left).max() < 1e-12 * np.abs(sol.lam[0]).max()  # 3e-5 and 3e-2 where only a was looked at


@pytest.mark.parametrize("method", [{"dt": 0.01}, {"scheme": iso.Radau(rtol=1e-4)}], ids=str)
def test_friction_by_a_reaction_that_is_not_unique(method):
    """A four-bar on four hinges in space: weight across the plane is shared as one likes."""
    run = {"t_end": 0.05, **method}
    for across, told in ((0.0, 0), (-3.0, 1)):
        mech = four_bar()
        mech.gravity = (0.0, -9.81, across)
        mech.add_load(iso.JointFriction("friction", "B", mu=0.3, radius=0.1, creep=0.5))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            iso.integrate(mech, **run)
        assert sum("the reaction of 'B', which is not unique" in str(w.message) for w in caught) == told


def test_studies_of_motions_with_friction_by_reactions():
    mech = rubbing()
    with pytest.raises(InputError, match="does not know forces that depend on multipliers"):
        iso.integrate(mech, iso.DOP853(), iso.NullSpace(), t_end=0.1)
    with pytest.raises(SchemeError, match="friction by the reaction of a joint"):
        iso.integrate(mech, None, iso.EnergyMomentum(), dt=0.01, t_end=0.1)
    with pytest.raises(InputError, match="linearise about a motion does not know"):
        iso.linearise(mech, q=mech.compile().q0, v=mech.compile().v0)
    with pytest.raises(SchemeError, match="forces that do not depend on multipliers"):
        iso.integrate(mech, iso.Composition(iso.Scheme.central_difference(), 4), dt=0.01, t_end=0.1)
    with pytest.raises(InputError, match="reduce does not know"):
        iso.reduce(mech, iso.pod(iso.integrate(mech, dt=0.01, t_end=0.1), rank=2))
    # at rest it is the weight that rubs: 2ζω = μ N r/(creep J)
    found, J = iso.linearise(mech), 0.3 + 0.5**2 + 0.2**2
    assert 2 * found.damping_ratios[0] * found.omega[0] == pytest.approx(0.2 * 9.81 * 0.3 / (0.5 * J), rel=1e-6)


def test_other_ways_to_accelerations():
    with pytest.raises(InputError, match="does not know forces that depend on multipliers"):
        iso.integrate_adaptive(known.bead(), iso.UdwadiaKalaba("cholesky"), t_end=1.0)


def test_composed_schemes():
    with pytest.raises(SchemeError, match="forces that do not depend on multipliers"):
        iso.integrate(known.bead(), iso.Composition(iso.Scheme.central_difference(), 4), dt=0.1, t_end=1.0)


@pytest.mark.parametrize("study", [iso.linearise, iso.equilibrium])
def test_studies(study):
    with pytest.raises(InputError, match="does not know forces that depend on multipliers"):
        study(known.bead())


def test_reduction():
    sol = iso.integrate(known.bead(), dt=0.1, t_end=1.0)
    with pytest.raises(InputError, match="reduce does not know"):
        iso.reduce(known.bead(), iso.pod(sol, rank=2))


def test_no_constraints():
    with pytest.raises(InputError, match="Q takes multipliers, but the system has no constraints"):
        iso.MechanicalSystem(1.0, lambda q, v, t, lam: -q, [0.0], [1.0])


def test_slopes_without_multipliers():
    with pytest.raises(InputError, match="Q_lam was given, but Q does not take multipliers"):
        iso.MechanicalSystem(
            1.0,
            lambda q, v, t: -q,
            [0.0],
            [1.0],
            phi=lambda q, t: q,
            Q_lam=lambda q, v, t, lam: np.zeros((1, 1)),
            lam_in_Q=False,
        )


def test_more_arguments_with_defaults_are_no_multipliers():
    system = iso.MechanicalSystem(1.0, lambda q, v, t, k=4.0: -k * q, [1.0], [0.0])
    assert not system.nonideal


def test_redundant_rows():
    system = iso.MechanicalSystem(
        np.eye(2),
        lambda q, v, t, lam: -0.1 * np.abs(lam[:1]).sum() * v,
        [0.0, 0.0],
        [1.0, 0.0],
        phi=lambda q, t: np.array([q[1], 2.0 * q[1]]),
        row_names=["wire", "again"],
    )
    with pytest.raises(SingularError, match=r"not unique: '(wire|again)' follow"):
        iso.integrate(system, dt=0.1, t_end=1.0)


def test_friction_too_large_at_the_start():
    with pytest.raises(PainleveError, match="at the start, t = 0"):
        iso.integrate(known.rod(2.0, 2.0), dt=0.01, t_end=0.1)


@pytest.mark.parametrize("dt", [0.001, 0.01, 0.1])
def test_friction_that_jams_on_the_way(dt):
    """The rod turns into angles without acceleration at cos(2θ − 71.6°) = −5/(3√10), θ = 154.9°; a
    step may be longer than the way through them."""
    with pytest.raises(PainleveError, match=r"leave no acceleration, or several, at t = 0\.039") as caught:
        iso.integrate(known.rod(3.0, 2.9, -5.0), dt=dt, t_end=0.6)
    # whole steps are kept: the first one of the coarse run is none
    assert caught.value.partial.q[-1, 2] - np.deg2rad(154.9) == pytest.approx(0.0, abs=2e-3 if dt < 0.01 else 6.0 * dt)
    assert caught.value.partial.q[-1, 2] > np.deg2rad(154.8)


def test_order_eight_sees_it_too():
    with pytest.raises(PainleveError, match="leave no acceleration, or several"):
        iso.integrate_adaptive(known.rod(3.0, 2.9, -5.0), t_end=0.6)


def test_two_contacts_that_jam_leave_the_sign_as_it_is():
    """det(1 − K) = (1 − 1.5)(1 − 1.5) > 0, but forces that grow to what they are pass a singular
    matrix."""
    with pytest.raises(PainleveError, match=r"eigenvalue 1\.5"):
        iso.integrate(
            iso.MechanicalSystem(
                np.eye(2), lambda q, v, t, lam: 1.5 * lam - 1.0, [0.0, 0.0], [0.0, 0.0], phi=lambda q, t: q
            ),
            dt=0.1,
            t_end=1.0,
        )
