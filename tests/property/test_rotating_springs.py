"""For any mass, radius, speed, stiffness, plane and step: the tension of a spring that turns is m
ω² r, or as adaptive steps have it."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import isodyn as iso
from isodyn.errors import AccuracyWarning, CoarseStepWarning, ConvergenceError
from rotating_springs import FREE_OF_CHORDS, ON_CHORDS, on_a_spring

CHORDS = 5000.0  # (ωΔt)² beside the stretch, from which on vibrations may grow
decades = st.floats(-2.0, 2.0).map(lambda x: 10.0**x)


@settings(max_examples=12, deadline=None)
@given(
    mass=decades,
    radius=decades,
    speed=decades,
    stretch=st.floats(-6.0, -3.0),
    turn=st.floats(0.01, 0.12),
    kind=st.sampled_from(["particle", "planar", "spatial"]),
    seed=st.integers(0, 1000),
    offset=st.floats(0.0, 0.5),
    mass_first=st.booleans(),
    scheme=st.sampled_from([*FREE_OF_CHORDS, *ON_CHORDS]),
)
def test_tension_of_a_spring_that_turns(
    mass: float,
    radius: float,
    speed: float,
    stretch: float,
    turn: float,
    kind: str,
    seed: int,
    offset: float,
    mass_first: bool,
    scheme: iso.Scheme,
) -> None:
    """`turn` is ωΔt; the spring is stretched by 10^stretch of the radius, so that chords are up to
    2000 times as much. Of the longest of them a scheme with little damping makes a vibration that
    grows: such a run is told to have coarse steps, or ends with an error."""
    force = mass * speed**2 * radius
    stiffness = force / (10.0**stretch * radius)
    axes = None if kind == "planar" else Rotation.random(random_state=seed).as_matrix()
    off = 0.0 if kind == "particle" else offset * radius
    mech = on_a_spring(mass, radius, speed, stiffness, kind=kind, axes=axes, offset=off, mass_first=mass_first)
    dt = turn / speed
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", AccuracyWarning)
        try:
            sol = iso.integrate(mech.compile(), scheme, dt=dt, t_end=300 * dt, save_every=3)
        except ConvergenceError:
            assert 10.0**-stretch * turn**2 > CHORDS
            return
    load = sol.load("spring")
    assert abs(load.tension[0] / force - 1.0) < 1e-6
    if 10.0**-stretch * turn**2 > CHORDS and any(issubclass(one.category, CoarseStepWarning) for one in told):
        return
    late = load.tension[70:]
    allowed = 0.02 if scheme in FREE_OF_CHORDS else 0.15
    assert np.abs(late / force - 1.0).max() < allowed
    towards = -np.einsum("ki,ki->k", load.force, sol.body("mass").position) / radius
    assert load.on == "mass"
    assert np.abs(towards[70:] / force - 1.0).max() < allowed


@settings(max_examples=15, deadline=None)
@given(
    mass=decades,
    radius=decades,
    speed=decades,
    stretch=st.floats(-2.0, -0.5),
    start=st.floats(0.85, 1.15),
    turn=st.floats(0.001, 0.004),
    kind=st.sampled_from(["particle", "planar", "spatial"]),
    scheme=st.sampled_from([*FREE_OF_CHORDS, *ON_CHORDS]),
)
def test_tension_of_a_spring_that_turns_and_swings(
    mass: float,
    radius: float,
    speed: float,
    stretch: float,
    start: float,
    turn: float,
    kind: str,
    scheme: iso.Scheme,
) -> None:
    """Started too slow or too fast, the mass swings along the spring while it turns: as adaptive
    steps of order eight have it."""
    stiffness = mass * speed**2 / 10.0**stretch
    system = on_a_spring(mass, radius, speed, stiffness, kind=kind).compile()
    system = replace(system, v0=start * system.v0)
    dt = turn / speed
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AccuracyWarning)
        sol = iso.integrate(system, scheme, dt=dt, t_end=300 * dt, save_every=6)
    exact = iso.integrate_adaptive(system, t_end=300 * dt, rtol=1e-9, atol=1e-9 * radius * min(1.0, speed), save=sol.t)
    found, wanted = (x.load("spring").tension for x in (sol, exact))
    assert np.abs(found - wanted)[2:].max() < 0.01 * np.abs(wanted).max()


def test_no_scheme_is_missing() -> None:
    """Members of both lists are what their names say."""
    for scheme in FREE_OF_CHORDS:
        assert pytest.approx((1.0, 0.5, scheme.l3)) == (scheme.W1, scheme.W2L2, scheme.W3L3)
    for scheme in ON_CHORDS:
        assert abs(scheme.W3L3 - scheme.l3) + abs(scheme.W1 - 1.0) > 1e-3
