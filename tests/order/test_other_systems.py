"""Formulations that make another system in Python, partitioned coordinates and augmented multipliers:
order two in q, v, a and λ, both constraint levels, changes of the partition on the way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import constrained_systems as known
import isodyn as iso
from isodyn.errors import InputError

S = iso.Scheme


@pytest.mark.slow
@pytest.mark.parametrize("scheme", [S.default(), S.optimal(0.5), S.central_difference()], ids=lambda s: s.name)
@pytest.mark.parametrize("case", [known.PENDULUM, known.RHEONOMIC], ids=lambda c: c.name)
@pytest.mark.parametrize("formulation", [iso.Partitioning(), iso.AugmentedMultipliers(10.0, 1e3)], ids=repr)
def test_second_order(formulation, case, scheme):
    found = known.slope(replace(case, t_end=0.4), scheme, formulation, (0.01, 0.005))
    for name in ("q", "v", "a", "lam"):
        assert found[name] == pytest.approx(2.0, abs=0.12), name


def whirling() -> iso.MechanicalSystem:
    """A pendulum that turns over and over: x and y take turns at being independent."""
    return iso.MechanicalSystem(
        np.eye(2),
        lambda q, v, t: np.array([0.0, -9.81]),
        [0.0, -1.0],
        [8.0, 0.0],
        phi=lambda q, t: np.array([0.5 * (q @ q - 1.0)]),
        G=lambda q, t: q[None, :],
        b=lambda q, v, t: np.array([-(v @ v)]),
        energy=lambda q, v, t: (0.5 * (v @ v), 9.81 * q[1]),
    )


def test_the_partition_changes_and_order_stays():
    right = iso.integrate_adaptive(whirling(), t_end=1.0, save=np.linspace(0.0, 1.0, 6), rtol=1e-11)
    errors = []
    for n in (100, 200):
        sol = iso.integrate(whirling(), formulation=iso.Partitioning(), dt=1.0 / n, t_end=1.0, save_every=n // 5)
        np.testing.assert_allclose(sol.t, right.t, atol=1e-12)
        errors.append([np.abs(getattr(sol, name) - getattr(right, name)).max() for name in ("q", "v", "a", "lam")])
        assert max(sol.drift().largest[:2]) < 1e-13
    whole = iso.integrate(whirling(), formulation=iso.Partitioning(), dt=0.01, t_end=1.0)
    changes = np.abs(np.diff(whole.aux["dependent"].astype(int), axis=0)).any(axis=1).sum()
    assert changes >= 4
    assert (np.log2(np.divide(*errors)) > 1.8).all(), errors


def test_augmented_multipliers_have_the_motion_of_stabilised():
    pendulum = iso.problems.get("pendulum").system()
    one, other = (
        iso.integrate(pendulum, formulation=f, dt=0.01, t_end=0.3)
        for f in (iso.Stabilised(), iso.AugmentedMultipliers(7.0, 500.0))
    )
    for name in ("q", "v", "a"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=0.0, atol=1e-11)
    # the multipliers of the steps are what the penalty leaves, scaled
    assert np.abs(7.0 * other.aux["augmented"] - one.lam).max() < 1e-2 * np.abs(one.lam).max()


def test_what_they_refuse():
    for wrong in (
        lambda: iso.Partitioning(0.5),
        lambda: iso.AugmentedMultipliers(0.0),
        lambda: iso.AugmentedMultipliers(1.0, -1.0),
    ):
        with pytest.raises(InputError, match="must be"):
            wrong()
    with pytest.raises(InputError, match="takes steps of one size, without breakpoints"):
        iso.integrate(whirling(), formulation=iso.Partitioning(), dt=0.01, t_end=1.0, breakpoints=[0.5])
    with pytest.raises(InputError, match="coordinates that are a vector space"):
        iso.integrate(iso.problems.get("spinning_top").system(), formulation=iso.Partitioning(), dt=0.01, t_end=0.1)


def test_an_observer_sees_the_whole_state():
    seen = []
    iso.integrate(
        whirling(),
        formulation=iso.Partitioning(),
        dt=0.01,
        t_end=0.3,
        observe=lambda s: seen.append(s.q) or len(seen) > 20,
    )
    assert 20 <= len(seen) <= 22
    assert all(q.size == 2 and abs(q @ q - 1.0) < 1e-12 for q in seen)
