"""Which members of GS4-1 are symplectic, by computation: those with ρ = 1, against the printed
theorem."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

import isodyn as iso
from isodyn.analysis.first_order_map import _field, _step, first_order_steps, first_order_symplecticity
from isodyn.schemes import FirstOrderScheme

GS4_1 = FirstOrderScheme.GS4_1


def without_l5(s: FirstOrderScheme) -> FirstOrderScheme:
    """The member that the theorem calls symplectic."""
    with pytest.warns(iso.errors.IsodynWarning, match="first order"):
        return FirstOrderScheme(W1=s.W1, W2L5=s.W2L5, W1L6=s.W1L6, l5=0.0)


@pytest.mark.parametrize("rho_s", [0.0, 0.3, 1.0])
def test_members_with_radius_one_are_the_midpoint_rule(rho_s: float) -> None:
    found = first_order_symplecticity(GS4_1(1.0, rho_s))
    assert found.verdict == "symplectic"
    assert found.defect < 1e-13
    state, dt = np.array([0.7, 0.1, -0.2, 1.1]), 0.1
    for rate in (np.zeros(4), np.array([3.0, -1.0, 2.0, 0.5])):  # it does not matter
        after = _step(GS4_1(1.0, rho_s), dt, state, rate)[0]
        np.testing.assert_allclose(after - state, dt * _field(0.5 * (state + after))[0], atol=1e-14)


@pytest.mark.parametrize("member", [GS4_1(0.99, 0.5), GS4_1(0.5, 0.5), FirstOrderScheme.gear()], ids=str)
def test_members_with_damping_are_not(member: FirstOrderScheme) -> None:
    found = first_order_symplecticity(member)
    assert found.verdict == "not"
    assert found.defect > 1e-7
    assert found.energy_drift < 0.0


def test_crank_nicolson_keeps_energy_bounded() -> None:
    assert first_order_symplecticity(FirstOrderScheme.crank_nicolson()).verdict == "energy bounded"


@pytest.mark.parametrize("explicit", [False, True])
def test_without_l5_no_member_is_symplectic_nor_second_order(explicit: bool) -> None:
    """Against Theorem 2.4.5 and Remark 2.4.4."""
    member = without_l5(GS4_1(0.5, 0.5, explicit=explicit))
    assert first_order_symplecticity(member).defect > 1e-3
    ends = [[x for x, _ in islice(first_order_steps(member, dt), round(1.0 / dt))][-1] for dt in (4e-3, 2e-3, 1e-3)]
    slope = np.log2(np.abs(ends[0] - ends[1]).max() / np.abs(ends[1] - ends[2]).max())
    assert abs(slope - 1.0) < 0.15


def test_tangent_of_a_step_against_differences() -> None:
    y, dt, member = np.array([0.7, 0.1, -0.2, 1.1, -0.2, 1.0, -1.3, -0.4]), 0.1, GS4_1(0.7, 0.2)
    _, _, _, T = _step(member, dt, y[:4], y[4:])
    for j, d in enumerate(1e-5 * np.eye(8)):
        (s1, v1, *_), (s0, v0, *_) = (_step(member, dt, x[:4], x[4:]) for x in (y + d, y - d))
        np.testing.assert_allclose(T[:, j], np.concatenate([s1 - s0, v1 - v0]) / 2e-5, atol=1e-8)


def test_description_tells_it() -> None:
    assert "symplectic; defect" in str(iso.analysis.describe(FirstOrderScheme.midpoint_mpa()))
