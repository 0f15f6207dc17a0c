"""Forces of stiff parts that turn, against closed forms: m ω² r of a mass on a spring, ρA ω² L²/2
at the root of a rod."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import ChordStrainWarning
from rotating_springs import FREE_OF_CHORDS, ON_CHORDS, on_a_spring

FORCE = 360.0
DT = 0.01


@pytest.mark.parametrize("scheme", FREE_OF_CHORDS, ids=str)
def test_every_row_is_right_where_the_balance_holds_at_the_end_of_a_step(scheme: iso.Scheme) -> None:
    """Also what users compute from q_n themselves, and from the first row on."""
    sol = iso.integrate(on_a_spring().compile(), scheme, dt=DT, t_end=2.0)
    own = 1e7 * (np.linalg.norm(sol.q, axis=1) - (10.0 - FORCE / 1e7))
    for force in (own, sol.load("spring").tension, np.linalg.norm(sol.load("spring").force, axis=1)):
        assert np.abs(force / FORCE - 1.0).max() < 2e-3
    assert np.abs(np.linalg.norm(sol.a, axis=1) / FORCE - 1.0).max() < 2e-3
    assert sol.quality().chord_strain is None


@pytest.mark.parametrize("scheme", ON_CHORDS, ids=str)
def test_forces_come_from_the_balance_where_it_holds_on_a_chord(scheme: iso.Scheme) -> None:
    with pytest.warns(
        ChordStrainWarning, match=r"positions at t_n strain load 'spring', t = .* by chords, .* by forces: "
    ):
        sol = iso.integrate(on_a_spring().compile(), scheme, dt=DT, t_end=3.0)
    tension = sol.load("spring").tension
    late = sol.t > 2.0
    assert abs(tension[0] - FORCE) < 1e-6
    assert abs(tension[1] / FORCE - 1.0) < 0.01
    assert np.abs(tension[late] / FORCE - 1.0).max() < 0.05
    of_acceleration = np.linalg.norm(sol.a, axis=1)
    assert np.abs(tension[late] - of_acceleration[late]).max() < 0.03 * FORCE
    by_positions = np.linalg.norm(sol.q, axis=1) - (10.0 - FORCE / 1e7)
    assert np.abs(1e7 * by_positions[late] / FORCE - 1.0).min() > 20.0  # what they would be without
    assert not sol.quality().good
    assert sol.quality().chord_strain.value > 20.0


def test_rows_that_are_saved_sparsely_are_the_same() -> None:
    runs = []
    for every in (1, 7):
        with pytest.warns(ChordStrainWarning):
            runs.append(
                iso.integrate(on_a_spring().compile(), iso.Scheme.optimal(0.5), dt=DT, t_end=1.4, save_every=every)
            )
    whole, sparse = (sol.load("spring").tension for sol in runs)
    np.testing.assert_array_equal(whole[::7], sparse)


def test_members_of_an_ensemble_read_the_same_forces() -> None:
    system, scheme = on_a_spring().compile(), iso.Scheme.optimal(0.5)
    with pytest.warns(ChordStrainWarning):
        alone = iso.integrate(system, scheme, dt=DT, t_end=0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ChordStrainWarning)
        member = iso.ensemble(system, scheme, dt=DT, t_end=0.5, v0=np.tile(system.v0, (3, 1)), threads=1)[1]
    np.testing.assert_array_equal(member.load("spring").tension, alone.load("spring").tension)
    assert member.stats.local_error == alone.stats.local_error


RHO_A, SPEED, LENGTH, EA = 7850.0 * np.pi * 0.01**2, 100.0 * np.pi, 1.0, 2.1e11 * np.pi * 0.01**2


def spinning_rod() -> iso.Mechanism:
    """A steel rod of 20 mm at 3000 rpm, hinged at its root, with internal damping."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    section = iso.Section(EA=EA, EI=EA * 0.005**2, rhoA=RHO_A, damping=(3e-4, 0.0))
    mech.add_beam("rod", (0, 0), (LENGTH, 0), elements=8, section=section, angular_velocity=SPEED)
    mech.add_joint(iso.Hinge("root", "ground", "rod.start", point=(0, 0, 0), axis=(0, 0, 1)))
    return mech


@pytest.mark.parametrize("scheme", [iso.Scheme.default(), iso.Scheme.generalised_alpha(0.5)], ids=str)
def test_the_root_of_a_spinning_rod_carries_the_rod(scheme: iso.Scheme) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ChordStrainWarning)
        sol = iso.integrate(spinning_rod().compile(), scheme, dt=0.02 / 50, t_end=0.2)
    rod, late = sol.beam("rod"), sol.t > 0.15
    tip = rod.nodes[late, -1]
    speed = np.linalg.norm(rod.shape.split(rod.v)[late, -1, 0], axis=1) / np.linalg.norm(tip, axis=1)
    # damping takes some of the speed: 1.22e5 N at the start
    force = RHO_A * speed**2 * LENGTH**2 / 2.0
    assert np.abs(rod.axial_force(points=9)[late, 0, 0] / force - 1.0).max() < 0.02
    pull = np.linalg.norm(sol.reaction("root").force, axis=1)[late]
    assert np.abs(pull / force - 1.0).max() < 0.02
