"""Forces that depend on multipliers: what has no use for them says so, and friction that jams is
named."""

from __future__ import annotations

import numpy as np
import pytest

import isodyn as iso
import nonideal_systems as known
from isodyn.errors import InputError, PainleveError, SchemeError, SingularError


@pytest.mark.parametrize(
    "formulation", [iso.PositionLevel(), iso.NullSpace(), iso.Hamiltonian(), iso.UdwadiaKalaba("cholesky")], ids=repr
)
def test_formulations_without_multipliers(formulation):
    with pytest.raises(SchemeError, match=r"for forces that depend on them[^\n]*\nhint: such systems take: Stabilised"):
        iso.integrate(known.bead(), None, formulation, dt=0.1, t_end=1.0)


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
