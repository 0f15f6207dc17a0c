"""The five algorithms of Example 2.3.2 on the Brusselator are second order in s and s', from the
first step on."""

from __future__ import annotations

import pytest

import isodyn as iso
from isodyn import problems
from isodyn.studies import OrderStudy, order_study

ALGORITHMS = (
    iso.Scheme.V0(1, 1, 1),
    iso.Scheme.V0(1, 1, 0.5),
    iso.Scheme.V0(1, 1, 0),
    iso.Scheme.V0(0.5, 1, 0.5),
    iso.Scheme.V0(0, 1, 0),
)


@pytest.fixture(scope="module", params=["brusselator_stable", "brusselator_unstable"])
def study(request: pytest.FixtureRequest) -> OrderStudy:
    return order_study(problems.get(request.param), ALGORITHMS, [0.0125, 0.00625, 0.003125])


@pytest.mark.parametrize("scheme", ALGORITHMS, ids=str)
def test_order_over_all_of_time(study: OrderStudy, scheme: iso.Scheme) -> None:
    """Maximum over all of time, s and s' at t_n."""
    rate, eps = 2.0, 0.1
    for quantity in ("v", "a"):
        assert study.case(scheme.name).order(quantity) == pytest.approx(rate, abs=eps)


@pytest.mark.parametrize("scheme", ALGORITHMS, ids=str)
def test_order_at_the_first_step(study: OrderStudy, scheme: iso.Scheme) -> None:
    """At n = 1 alone."""
    for quantity in ("v_1", "a_1"):
        assert study.case(scheme.name).order(quantity) >= 1.9


def test_members_of_gs4_1_are_the_same() -> None:
    """The scheme for first-order systems gives the bits of the adapted one."""
    system = problems.get("brusselator_unstable").system()
    one = iso.integrate(system, iso.Scheme.V0(0, 1, 0), dt=0.05, t_end=5.0)
    two = iso.integrate(system, iso.FirstOrderScheme.gear(), dt=0.05, t_end=5.0)
    assert (one.s == two.s).all()
