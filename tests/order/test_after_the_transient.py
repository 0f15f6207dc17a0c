"""What position level and Baumgarte's gains 1/Δt do to a and λ in the first steps, and what is left
of it later.

Position level, in the constrained direction: roots −ρmin, −ρmax of U0 and −1, −ρs of V0. Slopes of
λ measured after half a second:

    U0(0.4,0.7,0.3), U0(0,0,0), U0(0.8,0.8,0)            2.0      first order in the transient, which fades
    optimal(0.5), U0(0.5,1,0), V0(0.4,0.7,0.3)           1.0      one root −1: the part of first order stays
    U0(1,1,0), U0(1,1,1), V0(1,1,0)                      0        two roots −1, that of λ itself, 1 − 1/W₁, included

Baumgarte with gains 1/Δt: first order in a layer of some ten steps (4 to 15 by scheme and problem),
second order behind it.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import constrained_systems as known
import isodyn as iso
from isodyn.analysis import position_level_roots
from isodyn.errors import AccuracyWarning

S = iso.Scheme
radius = st.floats(0.0, 1.0)


@given(radius, radius, radius)
def test_roots_in_the_constrained_direction(a, b, c):
    """U0: −ρmin, −ρmax; V0: −1, −ρs, whatever ρmin and ρmax are."""
    rho_s, rho_min, rho_max = sorted((a, b, c))
    u = position_level_roots(S.U0(rho_min, rho_max, rho_s))
    v = position_level_roots(S.V0(rho_min, rho_max, rho_s))
    np.testing.assert_allclose(u, [-rho_min, -rho_max], atol=1e-6)
    np.testing.assert_allclose(v, [-rho_s, -1.0], atol=1e-6)


def late_slopes(scheme, formulation, behind, dts, case="pendulum"):
    """Slopes of a and λ over all of time, and behind `behind(dt)` rows."""
    whole, late = [], []
    for dt in dts:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AccuracyWarning)
            system = known.pendulum_system() if case == "pendulum" else known.manufactured_system()
            sol = iso.integrate(system, scheme, formulation, dt=dt, t_end=1.0)
        exact = known.pendulum_motion(sol.t) if case == "pendulum" else known.manufactured_motion(sol.t)
        gaps = [np.abs(getattr(sol, name) - getattr(exact, name)).max(axis=1) for name in ("a", "lam")]
        whole.append([gap.max() for gap in gaps])
        late.append([gap[behind(dt) :].max() for gap in gaps])
    return np.log2(np.divide(*whole)), np.log2(np.divide(*late))


@pytest.mark.parametrize("case", ["pendulum", "rheonomic"])
@pytest.mark.parametrize("scheme", [S.U0(0.4, 0.7, 0.3), S.U0(0, 0, 0), S.U0(0.8, 0.8, 0)], ids=lambda s: s.name)
def test_damped_members_are_second_order_after_the_transient(scheme, case):
    whole, late = late_slopes(scheme, iso.PositionLevel(), lambda dt: round(0.5 / dt), (0.01, 0.005), case)
    np.testing.assert_allclose(whole, 1.0, atol=0.1)
    np.testing.assert_allclose(late, 2.0, atol=0.1)


@pytest.mark.parametrize("scheme", [S.optimal(0.5), S.U0(0.5, 1, 0), S.V0(0.4, 0.7, 0.3)], ids=lambda s: s.name)
def test_one_undamped_root_keeps_first_order(scheme):
    """V0(0.4, 0.7, 0.3) has all its radii below 1, and the root −1 here."""
    whole, late = late_slopes(scheme, iso.PositionLevel(), lambda dt: round(0.5 / dt), (0.01, 0.005), "rheonomic")
    np.testing.assert_allclose(whole, 1.0, atol=0.1)
    np.testing.assert_allclose(late, 1.0, atol=0.1)


@pytest.mark.parametrize("scheme", [S.U0(1, 1, 0), S.U0(1, 1, 1), S.V0(1, 1, 0)], ids=lambda s: s.name)
def test_two_undamped_roots_leave_no_order(scheme):
    _, late = late_slopes(scheme, iso.PositionLevel(), lambda dt: round(0.5 / dt), (0.01, 0.005), "rheonomic")
    assert late[1] == pytest.approx(0.0, abs=0.1)


@pytest.mark.parametrize(
    ("scheme", "message"),
    [
        (
            S.U0(0.4, 0.7, 0.3),
            r"first order in the transient after every start, which U0\(0.4, 0.7, 0.3\) damps by 0.7 a step, and second order after",
        ),
        (S.optimal(0.5), r"first order for all time with optimal\(0.5\): an alternating part has the root -1"),
        (S.V0(0.4, 0.7, 0.3), r"first order for all time with V0\(0.4, 0.7, 0.3\)"),
        (S.V0(1, 1, 0), r"worse than first order with V0\(1, 1, 0\): two roots are -1, and they oscillate without end"),
        (S.U0(1, 1, 0), "two roots are -1"),
    ],
    ids=lambda x: getattr(x, "name", "text"),
)
def test_the_warning_says_what_was_measured(scheme, message):
    with pytest.warns(AccuracyWarning, match=message):
        iso.integrate(known.pendulum_system(), scheme, iso.PositionLevel(), dt=0.01, t_end=0.02)


@pytest.mark.parametrize("scheme", [S.optimal(0.8), S.U0(0, 0, 0), S.U0(0.8, 1, 0)], ids=lambda s: s.name)
def test_gains_of_one_over_dt_cost_an_order_in_a_layer_only(scheme):
    """Sixteen steps are behind it for every member tried."""
    whole, late = late_slopes(scheme, iso.Baumgarte(), lambda dt: 16, (0.005, 0.0025), "rheonomic")
    np.testing.assert_allclose(whole, 1.0, atol=0.1)
    np.testing.assert_allclose(late, 2.0, atol=0.1)
