"""The ready problems with beams: what they are compared with is right, and runs come as near as
they should."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn import problems
from isodyn.errors import InputError
from isodyn.problems.beams import circle

# problem → largest error of q at the last reference time, with the usual scheme and step
USUAL = {
    "flying_rod": 0.15,
    "elastica": 2e-3,
    "roll_up": 4.5e-2,
    "flexible_pendulum": 2e-3,
    "flexible_slider_crank": 1e-4,
    "beam_and_bodies": 5e-3,
}


def run(name: str, dt: float | None = None, **parameters: float) -> Any:
    problem = problems.get(name)
    system, jumps = problem.system(**parameters), problem.breakpoints
    return iso.integrate(system, problem.scheme, dt=dt or problem.dt, t_end=problem.t_end, breakpoints=jumps)


def error(name: str, sol: iso.Solution) -> float:
    reference = problems.get(name).reference
    assert reference is not None
    k = int(np.argmin(np.abs(sol.t - reference.t[-1])))
    assert abs(sol.t[k] - reference.t[-1]) < 1e-12
    return float(np.abs(sol.q[k] - reference.q[-1]).max())


@pytest.mark.parametrize("name", USUAL)
def test_usual_run_against_the_reference(name: str) -> None:
    """Within the bound, without halved steps, constraints at rounding."""
    sol = run(name)
    assert error(name, sol) < USUAL[name]
    assert sol.stats.halvings == 0
    if sol.system.m:
        assert max(sol.drift().largest[:2]) < 1e-14


def test_errors_shrink_with_the_step() -> None:
    """Of arm, beam and bob, whose modes the step resolves: nearly by four when it is halved."""
    dt = problems.get("beam_and_bodies").dt
    assert error("beam_and_bodies", run("beam_and_bodies", dt / 8)) < 0.3 * error(
        "beam_and_bodies", run("beam_and_bodies", dt / 4)
    )


def test_flying_rod_tips_are_those_of_another_program() -> None:
    """x, y of the right end at 1 … 5 s, 14 elements, exact in time: a symplectic method of sixth
    order."""
    tips = [
        (10.8996965, 4.5482603),
        (12.1206227, 5.0562481),
        (4.6566854, 6.5785990),
        (4.4652074, 6.4728027),
        (3.7990538, -1.0408719),
    ]
    reference = problems.get("flying_rod").reference
    assert reference is not None
    assert np.abs(reference.q[:, -4:-2] - tips).max() < 1e-7
    system = problems.get("flying_rod").system()
    assert isinstance(system, iso.beams.BeamSystem)
    assert np.abs(system.momentum(reference.v) - 5.0).max() < 1e-7


def test_elastica_curve_is_the_one_of_elliptic_integrals() -> None:
    """Tip displacements of the table, unit slopes, no moment at the tip; the static solution is
    where the run comes to rest."""
    reference = problems.get("elastica").reference
    assert reference is not None
    node = reference.q[0].reshape(-1, 2, 2)
    assert np.abs(node[-1, 0] - (1 - 0.387628360724429872, 0.713791523611912728)).max() < 1e-12
    assert np.abs(np.linalg.norm(node[:, 1], axis=-1) - 1).max() < 1e-12
    for name in ("elastica", "roll_up"):
        sol = run(name)
        rest = iso.equilibrium(sol.system, t=sol.t[-1])
        assert np.abs(sol.q[-1] - rest.q).max() < 1e-7
        assert np.abs(sol.v[-1]).max() < 1e-8


def test_roll_up_approaches_the_circle() -> None:
    """Second order in the length of elements, at rest."""
    errors = []
    for n in (32, 64):
        system = problems.get("roll_up").system(elements=float(n))
        errors.append(np.abs(iso.equilibrium(system, t=20.0).q - circle(n)).max())
    assert abs(np.log2(errors[0] / errors[1]) - 2) < 0.1


def test_slider_crank_against_the_test_set() -> None:
    """Problem Crank at t = 0.1: slider and angle of the rod; its bending, there from two sine
    modes, to 3 %."""
    reference = problems.get("flexible_slider_crank").reference
    assert reference is not None
    system: Any = problems.get("flexible_slider_crank").system()
    q = reference.q[-1]
    slider = q[system.q_of("slider")]
    assert abs(slider[0] - 0.1697373328427860) < 1e-6
    ends = q[system.q_of("rod.start")][:2], q[system.q_of("rod.end")][:2]
    along = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
    middle = q[system.q_of("rod[4]")][:2] - ends[0]
    bent = along[0] * middle[1] - along[1] * middle[0]
    assert abs(bent - 0.1893192899613509e-3) < 6e-5  # of ± 1.5e-3
    assert abs(np.arctan2(along[1], along[0]) + 0.3311734988256260) < 1e-4


def test_pendulum_keeps_its_energy() -> None:
    """To a part of the energy in motion; finer steps keep more."""
    problem = problems.get("flexible_pendulum")
    lost = []
    for dt in (1e-3, 5e-4):
        sol = iso.integrate(problem.system(), problem.scheme, dt=dt, t_end=0.5)
        invariants = problem.invariants(sol)
        assert invariants is not None
        lost.append(np.ptp(invariants["energy"]) / np.max(sol.energy()[0]))
    assert lost[0] < 1e-3
    assert lost[1] < 0.6 * lost[0]


@pytest.mark.parametrize("name", USUAL)
def test_elements_must_be_whole(name: str) -> None:
    """Named."""
    with pytest.raises(InputError, match="elements must be a positive whole number"):
        problems.get(name).system(elements=2.5)
