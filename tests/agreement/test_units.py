"""A model in other units is the same model: its motion, forces, positions of rest and refusals are
the same numbers times their units.

To 1e-9 over the whole range of lengths (1e-9 to 1e9), masses and times (1e-12 to 1e12), and to the
last bit where units differ by powers of two, which multiply without rounding: nothing in a step is
then compared with a number that has a unit of its own.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError
from scaled_models import (
    BITS,
    ENDS,
    ISSUE,
    ROAD,
    SI,
    WORKSHOP,
    Units,
    beam_pendulum,
    chain,
    four_bar,
    pendulum,
    planar_sizes,
    slider_crank,
)


def spatial_four_bar(u: Units = SI):
    return four_bar(u, spatial=True)


MODELS = {
    "four-bar": (four_bar, 0.002, 40),
    "spatial four-bar": (spatial_four_bar, 0.002, 40),
    "slider-crank": (slider_crank, 0.002, 40),
    "chain": (chain, 0.005, 10),
    "beam": (beam_pendulum, 0.005, 20),
}
FORMULATIONS = [
    iso.PositionLevel(),
    iso.VelocityLevel(),
    iso.AccelerationLevel(),
    iso.GGL(),
    iso.Overdetermined(),
    iso.NullSpace("qr", discrete=True),
    iso.UdwadiaKalaba(),
    iso.NullSpace("svd"),
]
OTHERS = [*ENDS, *ISSUE, WORKSHOP, ROAD]
SOME = [*ENDS[6:], WORKSHOP, ROAD]
CASES = [(name, u) for name in MODELS for u in (OTHERS if "four-bar" in name else SOME)]


def motion(name: str, u: Units, scheme=None, formulation=None):
    """q, v, a and λ in metres, kilograms and seconds."""
    build, dt, steps = MODELS[name]
    system = build(u)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of formulations that say what they do not do
        sol = iso.integrate(system, scheme, formulation, dt=dt * u.time, t_end=steps * dt * u.time)
    return [x / size for x, size in zip((sol.q, sol.v, sol.a, sol.lam), planar_sizes(system, u), strict=True)]


def same(found, expected, tolerance: float) -> None:
    for x, y in zip(found, expected, strict=True):
        assert np.abs(x - y).max() <= tolerance * np.abs(y).max()


@pytest.mark.parametrize(("name", "u"), CASES, ids=str)
def test_the_same_motion_in_other_units(name: str, u: Units) -> None:
    same(motion(name, u), motion(name, SI), 1e-9)


@pytest.mark.parametrize("u", BITS, ids=str)
@pytest.mark.parametrize("name", MODELS)
def test_powers_of_two_change_no_bit(name: str, u: Units) -> None:
    for x, y in zip(motion(name, u), motion(name, SI), strict=True):
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=lambda f: f"{type(f).__name__}")
def test_powers_of_two_change_no_bit_in_any_formulation(formulation) -> None:
    scheme = iso.Scheme.U0(0.8, 0.8, 0.8)
    expected = motion("four-bar", SI, scheme, formulation)
    for x, y in zip(motion("four-bar", BITS[3], scheme, formulation), expected, strict=True):
        np.testing.assert_array_equal(x, y)


def test_powers_of_two_change_no_bit_in_a_symmetric_composition() -> None:
    scheme = iso.Composition(iso.Scheme.central_difference(), order=4)
    for x, y in zip(motion("four-bar", BITS[3], scheme), motion("four-bar", SI, scheme), strict=True):
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("u", OTHERS, ids=str)
def test_differences_of_users_functions_have_the_size_of_the_model(u: Units) -> None:
    """Second differences leave 1e-8 of the acceleration open; the motion is the same to 1e-9."""

    def run(u: Units):
        sol = iso.integrate(pendulum(u), dt=0.01 * u.time, t_end=0.3 * u.time)
        return sol.q / u.length, sol.v * u.time / u.length, sol.a * u.time**2 / u.length, sol.lam / u.force

    found, expected = run(u), run(SI)
    same(found[:2], expected[:2], 1e-9)
    same(found[2:], expected[2:], 1e-6)


@pytest.mark.parametrize("u", SOME, ids=str)
def test_adaptive_steps(u: Units) -> None:
    def run(u: Units):
        system = spatial_four_bar(u)
        sol = iso.integrate_adaptive(system, t_end=0.1 * u.time, save=5)
        return [x / size for x, size in zip((sol.q, sol.v, sol.a, sol.lam), planar_sizes(system, u), strict=True)], sol

    (found, sol), (expected, reference) = run(u), run(SI)
    same(found, expected, 1e-9)
    assert abs(sol.stats.steps - reference.stats.steps) <= 1


@pytest.mark.parametrize("u", SOME, ids=str)
def test_rest_and_small_motions(u: Units) -> None:
    def look(u: Units):
        system = slider_crank(u)
        rest = iso.equilibrium(system)
        small = iso.linearise(system, rest.q)
        q, _, _, lam = planar_sizes(system, u)
        return rest.q / q, rest.lam / lam, small.omega * u.time, small.damping_ratios

    same(look(u), look(SI), 1e-9)


@pytest.mark.parametrize("u", SOME, ids=str)
def test_freedoms_are_counted_in_every_size(u: Units) -> None:
    from isodyn.mechanism.mobility import mobility

    found = mobility(spatial_four_bar(u))
    assert (found.freedoms, found.rank, found.nearby, found.at_rest) == (1, 17, 1, ())


@pytest.mark.parametrize("u", OTHERS, ids=str)
def test_a_start_that_is_off_by_a_thousandth_is_refused_in_every_size(u: Units) -> None:
    system = four_bar(u)
    for start in ("q0", "v0"):
        off = four_bar(u)
        size = u.length if start == "q0" else u.length / u.time
        changed = getattr(system, start).copy()
        changed[0] += 1e-3 * size
        object.__setattr__(off, start, changed)
        with pytest.raises(InputError, match="the start violates constraint"):
            iso.integrate(off, dt=0.002 * u.time, t_end=0.01 * u.time)


@pytest.mark.parametrize("u", SOME, ids=str)
def test_drift_is_relative_to_the_model(u: Units) -> None:
    sol = iso.integrate(spatial_four_bar(u), dt=0.002 * u.time, t_end=0.02 * u.time)
    position, velocity, _ = sol.drift().largest
    assert 0.0 < position < 1e-14
    assert 0.0 < velocity < 1e-14
    sol.q[-1, 0] += 1e-6 * u.length
    assert 0.7e-6 < sol.drift().largest[0] < 1.5e-6  # sizes are powers of two


@pytest.mark.parametrize("u", SOME, ids=str)
def test_a_block_stops_in_every_size(u: Units) -> None:
    from isodyn.gauss import Contact

    weight = 10.0 * u.force
    block = iso.MechanicalSystem(
        u.mass,
        lambda q, v, t: np.array([0.0, -weight]),
        [0.0, 0.0],
        [2.0 * u.length / u.time, 0.0],
        phi=lambda q, t: q[1:],
        G=lambda q, t: np.array([[0.0, 1.0]]),
        b=lambda q, v, t: np.zeros(1),
        scales=[u.length, u.length],
    )
    rough = iso.with_friction(block, Contact(rows=0, tangent=[1.0, 0.0], mu=0.5))
    sol = iso.integrate(rough, dt=0.03 * u.time, t_end=u.time)
    np.testing.assert_array_equal(sol.contact(0).mode, np.where(sol.t < 0.4 * u.time, 2, 1))
    assert sol.q[-1, 0] == pytest.approx(0.4 * u.length, rel=1e-9)


def test_members_of_an_ensemble_have_sizes_of_their_own() -> None:
    """Bit for bit what each of them does alone, though one is 1e6 times larger than the other."""
    systems = [four_bar(Units(x)) for x in (1.0, 1e-3, 1e3)]
    together = iso.ensemble(systems, dt=0.002, t_end=0.04)
    assert together.ok.all()
    for i, system in enumerate(systems):
        alone = iso.integrate(system, dt=0.002, t_end=0.04)
        np.testing.assert_array_equal(together.q[i], alone.q)
        np.testing.assert_array_equal(together.lam[i], alone.lam)


@pytest.mark.parametrize("x", [0.1, 1e-2, 1e-3, 1e-5])
def test_a_small_start_is_not_a_small_model(x: float) -> None:
    """Angles near zero: sines bend over one, whatever the start is, and differences stay that
    long."""

    def loop(q, t):
        return np.array([np.sin(q[0]) + np.sin(q[1]) + 0.3 * (q[0] + q[1]) ** 2])

    system = iso.MechanicalSystem(np.eye(2), lambda q, v, t: -q, [x, -x], [0.0, 0.0], phi=loop)
    np.testing.assert_array_equal(system.scales.v, 1.0)


@pytest.mark.parametrize("at", [0.3, 0.1 + 0.2])
def test_points_that_differ_by_rounding_are_one(at: float) -> None:
    """The distance between a particle and the joint on it is no typical length of the model, whatever is left of it."""
    mech = iso.Mechanism()
    mech.add_body("bead", mass=1.0, kind="particle", position=(0.3, 0, 0))
    mech.add_joint(iso.PointOnPlane("wall", "ground", "bead", point=(at, 0, 0), axis=(1, 0, 0)))
    sol = iso.integrate(mech, dt=0.01, t_end=0.1)
    np.testing.assert_allclose(sol.system.scales.v, 0.25)
    assert sol.q[-1, 2] == pytest.approx(-9.81 * 0.005, rel=1e-12)
