"""How a step is solved does not change what is solved: a-, v- and d-form, full, modified and quasi
Newton agree to near rounding.

Formulations that correct q_{n+1} or v_{n+1} do so in the range of J⁻¹Gᵀ with the first matrix of
the step, also where matrices are kept over steps (reuse). A matrix without the derivatives of
forces (quasi) gives another range, and a motion that differs by far less than its error.
"""

from __future__ import annotations

import numpy as np
import pytest

import constrained_systems as known
import isodyn as iso

S = iso.Scheme
SYSTEMS = {
    "pendulum": known.pendulum_system,
    "rheonomic, M(q)": known.manufactured_system,
    "mixed": lambda: known.manufactured_system(rolling=True),
    "double pendulum": known.double_pendulum_system,
}
FORMULATIONS = [
    iso.Stabilised(),
    iso.GGL(),
    iso.Overdetermined(),
    iso.Projection(),
    iso.VelocityLevel(),
    iso.AccelerationLevel(),
    iso.Baumgarte(3.0, 4.0),
    iso.PositionLevel(),
]
FORMS = {"a-form": {"form": 1}, "v-form": {"form": 2}, "d-form": {"form": 3}}
FULL = {"full": {"full": True}, "full d-form": {"form": 3, "full": True}}
REUSE = {"reuse": {"reuse": True}}
OTHER_RANGE = {"quasi": {"quasi": True}, "quasi v-form": {"form": 2, "quasi": True}}
# position level: in its first step
CORRECTING = (iso.Stabilised, iso.GGL, iso.Overdetermined, iso.PositionLevel)


def solve(name, formulation, scheme, **way):
    newton = iso.Newton(rtol=1e-13, max_iterations=50, **way)
    return iso.integrate(SYSTEMS[name](), scheme, formulation, dt=0.01, t_end=0.1, newton=newton)


def assert_same(one, other, formulation):
    weak = isinstance(formulation, iso.PositionLevel)  # its a and λ feel rounding of q as eps/Δt²
    for quantity, tolerance in (
        ("q", 1e-12),
        ("v", 1e-11),
        ("a", 1e-8 if weak else 1e-9),
        ("lam", 1e-8 if weak else 1e-9),
    ):
        x, y = getattr(one, quantity), getattr(other, quantity)
        np.testing.assert_allclose(y, x, rtol=0, atol=tolerance * max(1.0, np.abs(x).max()), err_msg=quantity)
    assert other.stats.halvings == 0


def assert_all_same(name, formulation, scheme, ways):
    default = solve(name, formulation, scheme)
    for way, settings in ways.items():
        try:
            assert_same(default, solve(name, formulation, scheme, **settings), formulation)
        except AssertionError as error:
            error.add_note(way)
            raise


@pytest.mark.filterwarnings("ignore:multipliers and accelerations of position level")
@pytest.mark.parametrize("formulation", FORMULATIONS, ids=repr)
@pytest.mark.parametrize("name", SYSTEMS)
def test_forms_and_full_newton(name, formulation):
    """a-, v- and d-form, with one matrix per step, with one per iteration and with one for several
    steps."""
    assert_all_same(name, formulation, S.optimal(0.5), FORMS | FULL | REUSE)


@pytest.mark.parametrize("formulation", [f for f in FORMULATIONS if not isinstance(f, CORRECTING)], ids=repr)
@pytest.mark.parametrize("name", SYSTEMS)
def test_other_matrices(name, formulation):
    """Quasi, where nothing is corrected in its range."""
    assert_all_same(name, formulation, S.optimal(0.5), OTHER_RANGE)


@pytest.mark.parametrize("formulation", [iso.Stabilised(), iso.GGL(), iso.Overdetermined()], ids=repr)
@pytest.mark.parametrize("name", SYSTEMS)
def test_other_ranges_of_the_corrections(name, formulation):
    """Far below the error of the motion, which is about 1e-4 here."""
    default = solve(name, formulation, S.optimal(0.5))
    for settings in OTHER_RANGE.values():
        other = solve(name, formulation, S.optimal(0.5), **settings)
        assert np.abs(other.q - default.q).max() < 1e-6
        assert max(other.drift().largest[:2]) < 1e-12


@pytest.mark.parametrize("formulation", [iso.Stabilised(), iso.GGL(), iso.Overdetermined()], ids=repr)
def test_kept_matrices_keep_the_tolerance(formulation):
    """Steps as long as a tenth of the period: with a range from earlier steps the motion was off by
    3e-4."""
    ways = {"full": iso.Newton(rtol=1e-12, full=True), "reuse": iso.Newton(rtol=1e-10, reuse=True)}
    runs = {
        way: iso.integrate(known.pendulum_system(), S.optimal(0.8), formulation, dt=0.04, t_end=1.2, newton=newton)
        for way, newton in ways.items()
    }
    for name in ("q", "v"):
        x, y = getattr(runs["full"], name), getattr(runs["reuse"], name)
        assert np.abs(x - y).max() < 1e-9 * np.abs(x).max()


def test_full_newton_from_far_keeps_the_order():
    """d-form starts from q_n, a long way from the solution."""
    rates = known.slope(
        known.MIXED, S.optimal(0.5), iso.Stabilised(), (0.01, 0.005), newton=iso.Newton(full=True, form=3)
    )
    assert list(rates.values()) == pytest.approx([2.0] * 4, abs=0.1)


@pytest.mark.parametrize("scheme", [S.V0(1, 1, 0), S.U0(0, 0, 0), S.U0(1, 1, 0)], ids=lambda s: s.name)
def test_other_members(scheme):
    assert_all_same("rheonomic, M(q)", iso.Stabilised(), scheme, FORMS)
    assert_all_same("rheonomic, M(q)", iso.Projection(), scheme, FORMS | FULL | REUSE | OTHER_RANGE)


def test_the_ways_differ_in_cost():
    """Full Newton factorises most; with a matrix kept over steps there are few factorisations and
    many iterations."""
    cost = {
        way: solve("rheonomic, M(q)", iso.VelocityLevel(), S.optimal(0.5), **settings).stats
        for way, settings in (FULL | REUSE | OTHER_RANGE).items()
    }
    default = solve("rheonomic, M(q)", iso.VelocityLevel(), S.optimal(0.5)).stats
    assert cost["full"].factorisations > default.factorisations > cost["reuse"].factorisations
    assert cost["reuse"].iterations > default.iterations
