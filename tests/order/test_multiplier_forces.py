"""Forces that depend on multipliers, Q(q, v, t, λ): second order in q, v, a and λ at every t_n, with
every formulation that the table allows; energy balance; order eight."""

from __future__ import annotations

import numpy as np
import pytest

import isodyn as iso
import nonideal_systems as known
from isodyn.formulations.table import TABLE

S = iso.Scheme
ALLOWED = [row.example() for row in TABLE if row.facts.nonideal and None not in row.facts.orders]
ALLOWED = [iso.Baumgarte(20.0, 20.0) if isinstance(f, iso.Baumgarte) else f for f in ALLOWED]
QUANTITIES = ("q", "v", "a", "lam")


def slopes(system, exact, scheme, formulation, dts, t_end):
    errors = []
    for dt in dts:
        sol = iso.integrate(system, scheme, formulation, dt=dt, t_end=t_end)
        right = exact(sol.t)
        errors.append([np.abs(getattr(sol, name) - right[name]).max() for name in QUANTITIES])
    return np.log2(np.array(errors[-2]) / errors[-1]), np.array(errors[-1])


def test_the_table_has_those_that_solve_for_multipliers():
    names = {type(f).__name__ for f in ALLOWED}
    assert {"Stabilised", "VelocityLevel", "AccelerationLevel", "GGL", "Overdetermined", "Projection"} <= names
    assert not {"PositionLevel", "NullSpace", "Hamiltonian"} & names


@pytest.mark.parametrize("scheme", [S.default(), S.optimal(0.5), S.central_difference()], ids=lambda s: s.name)
@pytest.mark.parametrize("formulation", ALLOWED, ids=repr)
def test_a_bead_on_a_rough_ring(formulation, scheme):
    """Multipliers that come from the state are ten times as exact, and terms of third order fade
    later."""
    fine = 0.25 if isinstance(formulation, iso.UdwadiaKalaba) else 1.0
    dts = (0.00625 * fine, 0.003125 * fine)
    found, errors = slopes(known.bead(), known.bead_exact, scheme, formulation, dts, 1.0)
    assert np.abs(found - 2.0).max() < 0.1, (found, errors)
    assert (errors < 5e-3).all(), errors


def test_energy_balance_counts_the_work_of_friction():
    found = [
        np.abs(iso.integrate(known.bead(), dt=dt, t_end=1.0).energy_balance()).max() for dt in (0.01, 0.005, 0.0025)
    ]
    assert abs(np.log2(found[-2] / found[-1]) - 2.0) < 0.1
    assert found[-1] < 2e-4 < 0.1 < np.ptp(np.sum(iso.integrate(known.bead(), dt=0.01, t_end=1.0).energy(), axis=0))


@pytest.mark.parametrize("given", [False, True], ids=["differences", "Q_lam"])
def test_a_wheelset_that_creeps(given):
    """Creep forces by N^(2/3), against SciPy in the two free coordinates."""
    wheelset = known.Wheelset()
    found, errors = slopes(wheelset.system(given), wheelset.exact, None, None, (0.005, 0.0025), 0.5)
    assert np.abs(found - 2.0).max() < 0.1, (found, errors)


def test_creep_forces_depend_on_the_normal_force():
    """Otherwise the test above would prove nothing: λ moves by a tenth, and so do the forces."""
    wheelset = known.Wheelset()
    lam = iso.integrate(wheelset.system(), dt=0.005, t_end=0.5).lam
    assert np.ptp(lam, axis=0).min() > 0.02 * np.abs(lam).max()


def test_order_eight():
    t = np.linspace(0.0, 2.0, 9)
    sol = iso.integrate_adaptive(known.bead(), t_end=2.0, save=t, rtol=1e-10)
    for name, right in known.bead_exact(t).items():
        assert np.abs(getattr(sol, name) - right).max() < 1e-9, name


@pytest.mark.parametrize("method", [iso.Radau(1e-6), iso.DOP853(1e-6)], ids=str)
def test_multipliers_that_begin_as_zero(method):
    """A pendulum that is let go horizontally, with a force along its own multiplier: what differences of
    φ leave of λ is small beside forces, not beside λ."""

    def phi(q, t):
        return np.array([q @ q - 1.0])

    def force(q, v, t, lam):
        return np.array([0.0, -9.81]) - 0.01 * abs(lam[0]) * v

    def run(**given):
        return iso.integrate(iso.MechanicalSystem(np.eye(2), force, [1.0, 0.0], [0.0, 0.0], **given), method, t_end=0.3)

    known, found = run(phi=phi, G=lambda q, t: 2.0 * q[None]), run(phi=phi)
    assert np.abs(found.q[-1] - known.q[-1]).max() < 1e-7
