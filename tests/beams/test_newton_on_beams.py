"""Newton's iteration on stiff beams: default tolerance on fine meshes, and the guess that it starts
from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn import problems


@pytest.mark.parametrize("elements", [8, 64, 512])
@pytest.mark.parametrize("scheme", [iso.Scheme.generalised_alpha(0.9), iso.Scheme.midpoint_mpa()], ids=lambda s: s.name)
def test_default_tolerance_converges_on_fine_meshes(elements: int, scheme: iso.Scheme) -> None:
    """The swinging strip with steps of 1 ms: no step is halved, few iterations, and a tolerance 100
    times wider changes nothing to see."""
    system = problems.get("flexible_pendulum").system(elements=float(elements))
    t_end = 0.2 if elements < 512 else 0.05
    sol = iso.integrate(system, scheme, dt=1e-3, t_end=t_end)
    assert sol.stats.halvings == 0
    assert sol.stats.iterations < (5 if scheme.name != "midpoint MPA" else 9) * sol.stats.steps
    assert sol.stats.solver == "block LU"
    loose = iso.integrate(system, scheme, dt=1e-3, t_end=t_end, newton=iso.Newton(rtol=1e-8))
    assert np.abs(sol.q - loose.q).max() < 1e-6
    ends = sol.q[:, [0, 1]]
    assert np.abs(ends).max() < 1e-14


def rod(elements: int) -> Any:
    return problems.get("flying_rod").system(elements=float(elements))


def energies(sol: iso.Solution) -> np.ndarray:
    kinetic, potential = sol.energy()
    return (kinetic + potential)[100:]


@pytest.mark.parametrize("scheme", [iso.Scheme.midpoint_epa(), iso.Scheme.midpoint_mpa()], ids=lambda s: s.name)
def test_guess_without_acceleration_finds_the_right_root(scheme: iso.Scheme) -> None:
    """28 elements, dt = 0.01: from ã = 0 the energy is that of another program; from Δa = 0 a false
    root is found.

    The acceleration that an undamped scheme carries is a sawtooth; q̃ from it is far off, and tears
    the beam.
    """
    run: dict[str, Any] = {"scheme": scheme, "dt": 0.01, "t_end": 2.0, "breakpoints": [1.0]}
    right = iso.integrate(rod(28), **run)
    assert right.stats.halvings == 0
    assert energies(right)[0] == pytest.approx(168.204, abs=1e-3)
    assert energies(right).min() > 168.18
    assert energies(right).max() < 169.06
    wrong = iso.integrate(rod(28), **run, newton=iso.Newton(form=1))
    assert wrong.stats.halvings > 0
    assert energies(wrong).max() > 1e5


def test_guess_of_a_steady_acceleration_saves_iterations() -> None:
    """Eight elements that a step of 1 ms resolves as far as they bend: little more than three
    iterations over a second, not five."""
    system = problems.get("flexible_pendulum").system()
    sol = iso.integrate(system, iso.Scheme.generalised_alpha(0.9), dt=1e-3, t_end=1.0)
    assert sol.stats.iterations < 3.4 * sol.stats.steps
    assert sol.stats.evaluations < 4.4 * sol.stats.steps  # one more, to judge the guess


def test_forms_agree_where_guesses_differ() -> None:
    """The unknown of a step changes nothing: a, v and d-form, whatever they start from."""
    system = problems.get("flexible_pendulum").system()
    runs = [
        iso.integrate(system, iso.Scheme.generalised_alpha(0.9), dt=1e-3, t_end=0.1, newton=iso.Newton(form=form))
        for form in (0, 1, 2, 3)
    ]
    for other in runs[1:]:
        assert np.abs(other.q - runs[0].q).max() < 1e-9
