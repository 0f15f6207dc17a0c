"""Seven stars of mass 1: second order in q, v and a (figure 2.7 of Shimada 2014, and two schemes
more)."""

from __future__ import annotations

import pytest

import isodyn as iso
from isodyn import problems
from isodyn.studies import OrderStudy, order_study

SCHEMES = (
    iso.Scheme.midpoint_epa(),
    iso.Scheme.midpoint_mpa(),
    iso.Scheme.optimal(0.0),
    iso.Scheme.U0(0.8, 0.8, 0.8),
    iso.Scheme.V0(0.5, 0.7, 0.2),
)


@pytest.fixture(scope="module")
def study() -> OrderStudy:
    return order_study(problems.get("pleiades_unit"), SCHEMES, [1.25e-4, 6.25e-5])


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES, ids=str)
def test_order_over_all_of_time(study: OrderStudy, scheme: iso.Scheme) -> None:
    """Maximum over all stars and all of time, up to t = 3, through the close encounter."""
    rate, eps = 2.0, 0.1
    for quantity in ("q", "v", "a"):
        assert study.case(scheme.name).order(quantity) == pytest.approx(rate, abs=eps)


def test_order_before_the_encounter_and_at_the_first_step() -> None:
    """Up to t = 1 with coarse steps; at n = 1 the slopes are 2 or more."""
    study = order_study(problems.get("pleiades_unit"), SCHEMES, [8e-3, 4e-3, 2e-3], t_end=1.0)
    for case in study.cases:
        for quantity in ("q", "v", "a"):
            assert case.order(quantity) == pytest.approx(2.0, abs=0.1), (case.scheme, quantity)
            assert case.order(f"{quantity}_1") >= 1.9, (case.scheme, quantity)
