"""A ball on a floor: times of impacts, heights, rest and energy, against numbers with eighteen digits."""

import numpy as np
import pytest

import isodyn as iso

G = 9.81


def ball(e):
    energy = lambda q, v, t: (0.5 * v[0] ** 2, G * q[0])  # noqa: E731
    return iso.MechanicalSystem(
        1.0, lambda q, v, t: [-G], [1.0], [0.0], gap=lambda q, t: q, restitution=e, energy=energy
    )


def ball_of_a_mechanism(e):
    mech = iso.Mechanism(gravity=(0, 0, -G))
    mech.add_body("ball", 1.0, (0.1, 0.1, 0.1), (0, 0, 1.5))
    mech.add_contact(iso.SpherePlane("floor", "ball", "ground", radius=0.5, restitution=e))
    return mech


def height(sol):
    return sol.q[:, 0] if sol.q.shape[1] == 1 else sol.q[:, 2] - 0.5


@pytest.mark.parametrize(("make", "law"), [(ball, "poisson"), (ball_of_a_mechanism, "newton")])
def test_flight_and_rest(make, law):
    """h₀ = 1, e = 0.9, Δt = 0.02: infinitely many bounces until 8.58 s, and weight afterwards."""
    sol = iso.integrate(make(0.9), dt=0.02, t_end=10.0, impacts=iso.Impacts(law=law))
    floor = sol.contact(0)
    assert abs(floor.impacts[0].t - 0.451523640985730904) < 1e-14
    assert abs(height(sol)[np.argmin(np.abs(sol.t - 5.0))] - 0.121548654839124408) < 1e-12
    rests = sol.t[np.flatnonzero(floor.mode == 0)[-1] + 1]
    assert abs(rests - 8.578949178728887) < 2.0 * 0.02
    late = sol.t > 8.578949178728887 + 0.04
    assert late.sum() > 60
    assert np.abs(floor.normal[late] - G).max() < 1e-9
    assert np.abs(height(sol)[late]).max() < 1e-15
    assert floor.gap.min() > -1e-13


@pytest.mark.parametrize("make", [ball, ball_of_a_mechanism])
def test_energy_of_a_ball_that_loses_nothing(make):
    """e = 1, 22 impacts in 20 s."""
    sol = iso.integrate(make(1.0), dt=0.02, t_end=20.0)
    energy = np.sum(sol.energy(), axis=0)
    assert len(sol.contact(0).impacts) == int((20.0 / 0.451523640985730904 + 1.0) / 2.0)
    assert np.abs(energy - energy[0]).max() < 1e-12 * energy[0]
