"""With adaptive steps of GS4 the ratio of error and rtol stays within a factor of 3 over 1e-2 … 1e-5,
in q, v, a and λ over all of time, on the problems that `isodyn verify` runs. Left out are motions
through singular positions. Beams that vibrate without damping follow rtol where the phase of their
vibration is kept; with looser tolerances the error is the vibration itself, and no larger
(docs/adaptive_steps.md)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso

RTOLS = np.array([1e-2, 1e-3, 1e-4, 1e-5])
QUICK = [
    "kepler",
    "kepler_eccentric",
    "oscillator",
    "oscillator_damped",
    "oscillator_forced",
    "manufactured",
    "spherical_pendulum",
    "moving_guide",
    "knife_edge",
    "rolling_disc",
    "constant_speed",
    "chaplygin_sleigh",
    "slider_crank",
    "rigid_pendulum",
    "free_body",
    "brusselator_stable",
    "brusselator_unstable",
    "vdpol_dae",
    "circle_index2",
    "robertson",
    "pendulum",
    "rheonomic_crank",
    "oscillator_stiff",
]
SLOWER = [
    "andrews",
    "andrews21",
    "andrews_mechanism",
    "slider_crank_3d",
    "four_bar",
    "planar_chain",
    "bennett",
    "bricard",
    "suspension",
    "robot_arm",
    "double_pendulum_doubled",
    "planar_loop_in_space",
    "spinning_top",
    "gyroscope",
    "chain",
    "clamped_bar",
    "thermoelastic_bar",
    "pleiades",
    "pleiades_unit",
    "spatial_chain",
    "n_four_bar",
    "transistor_amplifier",
    "elastica",
    "roll_up",
]
# of which an explicit method would take years
STIFF = ("elastica", "roll_up")
# twenty radians of a vibration of 1e6 rad/s; up to the first position in which four bars lie on a
# line; five periods of the input
SPANS = {"oscillator_stiff": 2e-5, "n_four_bar": 0.6, "transistor_amplifier": 0.05}


def error_of(sol: iso.Solution, exact: Any) -> list[float]:
    """Largest errors of q, v, a, λ over all rows, relative to the largest values."""
    pairs = [(getattr(sol, x), getattr(exact, x)) for x in ("q", "v", "a", "lam")]
    return [float(np.abs(one - two).max() / np.abs(two).max()) for one, two in pairs if two.any()]


@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(name, marks=pytest.mark.long) for name in SLOWER)])
def test_error_is_proportional_to_rtol(name: str) -> None:
    """Sixty-one rows. The largest ratio is 2.5 (n_four_bar)."""
    problem = iso.problems.get(name)
    t_end = SPANS.get(name, min(problem.t_end, 3.0))
    exact_by = iso.Radau(1e-10) if problem.system().first_order or name in STIFF else iso.DOP853(1e-12)
    exact = iso.integrate(problem.system(), exact_by, t_end=t_end, save=61)
    runs = [iso.integrate(problem.system(), dt=iso.Adaptive(rtol), t_end=t_end, save=61) for rtol in RTOLS]
    ratios = np.array([error_of(sol, exact) for sol in runs]) / RTOLS[:, None]
    assert (ratios.max(axis=0) / ratios.min(axis=0) <= 3.0).all(), ratios


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "t_end", "kept"),
    [
        ("flying_rod", 0.9, 1e-3),
        ("flexible_pendulum", 0.2, 1e-4),
        ("beam_and_bodies", 1.0, 1e-4),
        ("flexible_slider_crank", 0.002, 1e-4),
    ],
)
def test_vibrations_without_damping(name: str, t_end: float, kept: float) -> None:
    """From the tolerance on with which phases are kept, error/rtol is the same within a quarter
    (1.02, 1.1, 1.2 and 1.1 are measured); with looser ones it is smaller, since the error is bounded
    by the vibration, or up to 2.4 times as large where that of the slow motion shows (q of
    beam_and_bodies). Velocities of the flying rod go astray by 590 times rtol: 0.6 of the largest
    with 1e-3, and 1.5 with 1e-2."""
    system = iso.problems.get(name).system()
    exact = iso.integrate(system, iso.DOP853(1e-11), t_end=t_end, save=61)
    rtols = np.array([1e-2, 1e-3, 1e-4, 1e-5])
    runs = [iso.integrate(system, dt=iso.Adaptive(rtol), t_end=t_end, save=61) for rtol in rtols]
    ratios = np.array([error_of(sol, exact) for sol in runs]) / rtols[:, None]
    last = ratios[-1]
    assert (np.abs(ratios[rtols <= kept] / last - 1.0) < 0.25).all(), ratios
    assert (ratios < 3.0 * last).all(), ratios


def test_rates_and_algebraic_unknowns_at_all_ends_of_steps() -> None:
    """A DAE of index 2 closes s alone, and a step off its circle is an error of s' and z at once,
    which the error of s along the circle does not show: where that passed zero, single steps
    doubled, and s' and z varied by 4.9. Steps look at both; 1.5 is measured."""
    problem = iso.problems.get("circle_index2")
    found = []
    for rtol in RTOLS:
        sol = iso.integrate(problem.system(), dt=iso.Adaptive(rtol), t_end=2.0)
        found.append(error_of(sol, problem.exact(sol.t)))
    ratios = np.array(found) / RTOLS[:, None]
    assert (ratios.max(axis=0) / ratios.min(axis=0) <= 2.0).all(), ratios
    assert (ratios < 0.2).all()


def test_rest_of_a_dae_is_not_resolved() -> None:
    """A point that creeps along its circle to rest: rates that die out, down to rounding, must not
    hold the steps."""

    def h(s: Any, z: Any, t: float) -> Any:
        return np.array([1.0 - s[0] + z[0] * s[0], -s[1] + z[0] * s[1]])

    def c(s: Any, z: Any, t: float) -> Any:
        return np.array([0.5 * (s @ s - 1.0)])

    for angle in (1.0, 0.0):
        start = [np.cos(angle), np.sin(angle)]
        system = iso.FirstOrderSystem(h, start, z0=[1.0 - np.cos(angle)], c=c)
        sol = iso.integrate(system, dt=iso.Adaptive(1e-3), t_end=1000.0)
        assert sol.stats.steps < 500
        assert np.diff(sol.t).max() > 100.0
        assert np.abs(sol.v[-1] - [1.0, 0.0]).max() < 1e-6
