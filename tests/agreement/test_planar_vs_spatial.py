"""A planar loop of spatial bodies and hinges moves as the loop of planar bodies; what is
indeterminate is said to be.

The rows across the plane follow from each other on the constraints only, three in each loop.
"""

from __future__ import annotations

import numpy as np
import pytest

import isodyn as iso
from isodyn import problems
from isodyn.systems.questions import Questions

SCHEME = iso.Scheme.U0(0.8, 0.8, 0.8)


@pytest.fixture(scope="module")
def pair() -> tuple[iso.Solution, iso.Solution]:
    problem = problems.get("four_bar")
    run = {"dt": 0.002, "t_end": 1.0, "newton": iso.Newton(rtol=1e-13)}
    planar, spatial = (iso.integrate(problem.system(spatial=x), SCHEME, **run) for x in (0.0, 1.0))
    return planar, spatial


def test_the_same_motion(pair: tuple[iso.Solution, iso.Solution]) -> None:
    """q, v and a of all bodies, and nothing across the plane."""
    planar, spatial = pair
    for name in ("crank", "coupler", "rocker"):
        one, two = planar.body(name), spatial.body(name)
        assert two.position == pytest.approx(one.position, abs=1e-9)
        assert pytest.approx(one.R, abs=1e-9) == two.R
        assert two.velocity == pytest.approx(one.velocity, abs=1e-8)
        assert two.angular_velocity == pytest.approx(one.angular_velocity, abs=1e-8)
        assert two.acceleration == pytest.approx(one.acceleration, abs=1e-7 * np.abs(one.acceleration).max())


def test_reactions_in_the_plane_are_those_of_the_planar_model(pair: tuple[iso.Solution, iso.Solution]) -> None:
    """They are determined; those across the plane are the ones of least norm, here zero, and
    marked."""
    planar, spatial = pair
    assert len(spatial.redundant) == 3
    assert not planar.redundant
    for name in ("O", "A", "B", "C"):
        one, two = planar.reaction(name), spatial.reaction(name)
        assert not one.indeterminate
        assert two.indeterminate
        assert two.force == pytest.approx(one.force, abs=1e-7 * np.abs(one.force).max())
        assert two.torque == pytest.approx(np.zeros_like(two.torque), abs=1e-7)


def test_multipliers_have_the_least_norm(pair: tuple[iso.Solution, iso.Solution]) -> None:
    """λ = (Gᵀ)⁺ Gᵀλ at every row."""
    spatial = pair[1]
    ask = Questions(spatial.system)
    for k in range(0, spatial.t.size, 50):
        G = ask.G(spatial.t[k], spatial.q[k], spatial.v[k])
        least = np.linalg.pinv(G.T, rcond=1e-9) @ (G.T @ spatial.lam[k])
        assert spatial.lam[k] == pytest.approx(least, abs=1e-9 * np.abs(least).max())


def test_rows_depend_on_the_constraints_only() -> None:
    """Rank 17 of 20 at the start, more next to it."""
    system = problems.get("four_bar").system(spatial=1.0)
    ask = Questions(system)
    assert np.linalg.matrix_rank(ask.G(0.0, system.q0, system.v0), tol=1e-9) == 17
    off = system.retract(system.q0, 0.01 * np.random.default_rng(1).normal(size=18))
    assert np.linalg.matrix_rank(ask.G(0.0, off, system.v0), tol=1e-6) > 17


def test_two_windows_in_space() -> None:
    """Two loops: six rows too many, and the motion of the planar model up to the first singular
    configuration."""
    problem = problems.get("n_four_bar")
    planar, spatial = (
        iso.integrate(problem.system(spatial=x), SCHEME, dt=0.005, t_end=0.6, newton=iso.Newton(rtol=1e-13))
        for x in (0.0, 1.0)
    )
    assert len(spatial.redundant) == 6
    for name in ("rocker 0", "rocker 2", "coupler 1"):
        assert spatial.body(name).position == pytest.approx(planar.body(name).position, abs=1e-9)
