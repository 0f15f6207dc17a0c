"""E(t) − E(t₀) less the work of damping, loads and moving constraints closes to second order,
whatever the formulation.

The system is a pendulum on a rod of changing length, r(t) = 1 + 0.2 sin 2t, with air drag, a load
that is not in the potential and, in the second test, a mass that depends on position.
"""

from __future__ import annotations

import numpy as np
import pytest

import constrained_systems as known
import isodyn as iso

S = iso.Scheme
DTS = (0.01, 0.005)


def length(t):
    """r, ṙ, r̈."""
    return 1.0 + 0.2 * np.sin(2 * t), 0.4 * np.cos(2 * t), -0.8 * np.sin(2 * t)


def pulled_pendulum(*, drag=0.0, load=0.0, pull=1.0, varying_mass=False):
    """Polar kinematics in x, y; `pull` switches the change of length on."""

    def r(t):
        return length(pull * t) if pull else (1.0, 0.0, 0.0)

    def mass(q):
        return np.eye(2) * (1.0 + 0.3 * q[0] ** 2)

    def Q(q, v, t):
        # with M(q) = μ(x) I, Lagrange's equations add ½|v|²∇μ − μ̇ v
        force = np.array([load * np.cos(3 * t), -known.GRAVITY + load * q[0] * v[1]])
        force -= drag * np.linalg.norm(v) * v
        if varying_mass:
            force += np.array([0.3 * q[0] * (v @ v), 0.0]) - 0.6 * q[0] * v[0] * v
        return force

    angle, speed = 0.7, 2.0
    along, across = np.array([np.sin(angle), -np.cos(angle)]), np.array([np.cos(angle), np.sin(angle)])
    r0, r1, _ = r(0.0)
    return iso.MechanicalSystem(
        M=mass if varying_mass else np.eye(2),
        Q=Q,
        q0=r0 * along,
        v0=r1 * along + r0 * speed * across,
        phi=lambda q, t: np.array([0.5 * (q @ q - r(t)[0] ** 2)]),
        G=lambda q, t: q[None, :],
        phi_t=lambda q, t: np.array([-r(t)[0] * r(t)[1]]),
        b=lambda q, v, t: np.array([-(v @ v) + r(t)[1] ** 2 + r(t)[0] * r(t)[2]]),
        energy=lambda q, v, t: (
            0.5 * (1.0 + (0.3 * q[0] ** 2 if varying_mass else 0.0)) * (v @ v),
            known.GRAVITY * q[1],
        ),
    )


def balance_order(scheme, formulation, **settings):
    sizes = []
    for dt in DTS:
        sol = iso.integrate(pulled_pendulum(**settings), scheme, formulation, dt=dt, t_end=1.0)
        kinetic, potential = sol.energy()
        change = np.abs(np.diff(kinetic + potential)).sum()
        sizes.append(np.abs(sol.energy_balance()).max())
    assert sizes[-1] < 1e-3 * max(change, 1.0)
    return float(np.log2(sizes[0] / sizes[1]))


@pytest.mark.parametrize("scheme", [S.optimal(0.5), S.U0(1, 1, 1), S.central_difference()], ids=lambda s: s.name)
@pytest.mark.parametrize(
    "formulation",
    [iso.Stabilised(), iso.GGL(), iso.Projection(), iso.Overdetermined(), iso.VelocityLevel(), iso.AccelerationLevel()],
    ids=repr,
)
def test_everything_at_once(formulation, scheme):
    assert balance_order(scheme, formulation, drag=0.3, load=2.0) == pytest.approx(2.0, abs=0.25)


@pytest.mark.parametrize(
    "settings",
    [{"drag": 0.5, "pull": 0.0}, {"load": 2.0, "pull": 0.0}, {}, {"varying_mass": True, "drag": 0.3}],
    ids=["damping", "load", "moving constraint", "M(q)"],
)
def test_one_source_at_a_time(settings):
    assert balance_order(S.optimal(0.5), iso.Stabilised(), **settings) == pytest.approx(2.0, abs=0.25)


@pytest.mark.parametrize("source", [{"drag": 0.5, "pull": 0.0}, {"load": 2.0, "pull": 0.0}, {}])
def test_the_work_is_not_small(source):
    """Without the work the energy is off by far more than the balance."""
    sol = iso.integrate(pulled_pendulum(**source), S.optimal(0.5), dt=0.005, t_end=1.0)
    energy = sum(sol.energy())
    assert np.abs(energy - energy[0]).max() > 300 * np.abs(sol.energy_balance()).max()


def test_plain_pendulum_keeps_its_energy():
    """No work at all: the balance is the change of energy, to rounding."""
    sol = iso.integrate(known.pendulum_system(), S.U0(1, 1, 1), dt=0.01, t_end=1.0)
    energy = sum(sol.energy())
    np.testing.assert_allclose(sol.energy_balance(), energy - energy[0], rtol=0, atol=1e-7)
