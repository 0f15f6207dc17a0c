"""A start that was looked at before is taken as it was only if all that the look asked about is still
answered in the same way, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError, IsodynError, NonFiniteError
from isodyn.marching import known_start


class Rods:
    """A point on a rod, and a second row that the test changes between two runs."""

    def __init__(self) -> None:
        self.length, self.second = 1.0, lambda q: q[2] - 2.0
        self.gradient = [0.0, 0.0, 1.0]

    def system(self) -> iso.MechanicalSystem:
        return iso.MechanicalSystem(
            np.eye(3),
            lambda q, v, t: np.array([0.0, -9.81, 0.0]),
            [1.0, 0.0, 2.0],
            [0.0, 0.0, 0.0],
            phi=lambda q, t: np.array([q[0] ** 2 + q[1] ** 2 - self.length**2, self.second(q)]),
            G=lambda q, t: np.array([[2.0 * q[0], 2.0 * q[1], 0.0], self.gradient]),
            b=lambda q, v, t: np.array([-2.0 * (v[0] ** 2 + v[1] ** 2), 0.0]),
            phi_t=lambda q, t: np.zeros(2),
        )


def run(system: iso.MechanicalSystem) -> iso.Solution:
    return iso.integrate(system, dt=0.01, t_end=0.05)


@pytest.mark.parametrize("name", ["andrews", "pendulum", "rigid_pendulum"])
@pytest.mark.parametrize("method", [None, iso.DOP853(rtol=1e-8)], ids=["GS4", "DOP853"])
def test_a_run_from_a_known_start_repeats_the_first_bit_for_bit(name, method):
    system = iso.problems.get(name).system()
    steps = {"dt": 1e-3, "t_end": 0.01} if method is None else {"t_end": 0.01}
    first = iso.integrate(system, method, **steps)
    iso.integrate(system, method, **steps)  # of a system that is run once nothing is remembered
    assert system in known_start._known
    second = iso.integrate(system, method, **steps)
    for quantity in ("t", "q", "v", "a", "lam"):
        assert getattr(first, quantity).tobytes() == getattr(second, quantity).tobytes(), quantity
    for counted in ("steps", "iterations", "evaluations", "factorisations"):
        assert getattr(first.stats, counted) == getattr(second.stats, counted), counted


def test_functions_that_answer_otherwise_are_looked_at_again():
    """Positions, values and gradients that have changed since: each is refused as at a first start."""
    rods = Rods()
    system = rods.system()
    assert [run(system).redundant for _ in range(2)] == [(), ()]
    assert system in known_start._known
    rods.length = 1.1
    with pytest.raises(InputError, match="the start violates constraint"):
        run(system)
    rods.length, rods.second = 1.0, lambda q: np.nan
    with pytest.raises(NonFiniteError, match="gives a NaN or an infinity at the start"):
        run(system)
    rods.second, rods.gradient = (lambda q: 2.0 * q[0] - 2.0), [2.0, 0.0, 0.0]  # follows from the first row there
    with pytest.raises(IsodynError):
        run(system)
    rods.second, rods.gradient = (lambda q: q[2] - 2.0), [0.0, 0.0, 1.0]
    assert run(system).redundant == ()


def test_a_start_that_had_to_be_moved_is_not_remembered():
    rods = Rods()
    rods.length = 1.0 + 1e-9
    system = rods.system()
    run(system)
    run(system)
    assert system not in known_start._known
