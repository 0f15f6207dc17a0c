"""Second order in q, v, a and λ, over all of time and at n = 1 alone, on every problem with
constraints.

At n = 1 the errors of q and v are of third order; those of Andrews' q are rounding, and those of q
from rest are of fourth order (the jerk vanishes). Of problems with dependent rows λ is left out.
"""

from __future__ import annotations

import pytest

import isodyn as iso
from constrained_systems import STIFF
from isodyn import problems
from isodyn.errors import AccuracyWarning
from isodyn.studies import order_study
from ready_systems import reference_of, with_constraints

rate, eps = 2.0, 0.1
# stiff beams: tests/beams has softer ones
SECOND = [name for name, one in with_constraints().items() if not one.first_order and name not in STIFF]
REDUNDANT = ("double_pendulum_doubled", "planar_loop_in_space", "bennett", "bricard")
HIGHER = {("rolling_disc", "v")}  # heading and rolling are linear in time; v is of third order
FROM_REST = ("rigid_pendulum", "planar_chain", "spatial_chain", "bennett", "bricard", "beam_and_bodies")
STEPS = {
    "andrews": 400,
    "andrews21": 400,
    "four_bar": 800,
    "moving_guide": 800,
    "pendulum": 400,
    "slider_crank": 400,
    "spinning_top": 400,
    "suspension": 800,
}


@pytest.mark.slow
@pytest.mark.parametrize("scheme", [iso.Scheme.U0(0.5, 0.5, 0.5), iso.Scheme.V0(0.3, 0.7, 0.1)], ids=str)
@pytest.mark.parametrize("name", SECOND)
def test_second_order_in_all_variables(name: str, scheme: iso.Scheme) -> None:
    """The default formulation, given through the keyword of the study."""
    problem = problems.get(name)
    coarse = (problem.t_order or problem.t_end) / STEPS.get(name, 200)
    study = order_study(problem, scheme, [coarse, coarse / 2], reference_of(name), formulation=iso.Stabilised())
    case = study.cases[0]
    for x in ("q", "v", "a") if name in REDUNDANT else ("q", "v", "a", "lam"):
        assert x in study.quantities
        if (name, x) in HIGHER:
            assert case.order(x) > rate - eps
        else:
            assert case.order(x) == pytest.approx(rate, abs=eps), x
        # from a straight line at rest: its first derivatives vanish
        if name == "beam_and_bodies" and x == "a":
            assert case.order(f"{x}_1") > rate + 1 - eps, x
        elif x in ("a", "lam"):
            assert case.order(f"{x}_1") == pytest.approx(rate, abs=eps), x
        elif name in FROM_REST:
            assert case.order(f"{x}_1") > rate + 1 - eps, x
        elif not name.startswith("andrews") and (name, x) not in HIGHER:
            assert case.order(f"{x}_1") == pytest.approx(rate + 1, abs=eps), x


@pytest.mark.parametrize("scheme", [iso.Scheme.V0(1, 1, 0), iso.Scheme.optimal(0), iso.Scheme.optimal(0.5)], ids=str)
@pytest.mark.parametrize("name", ["vdpol_dae", "circle_index2"])
def test_second_order_of_first_order_daes(name: str, scheme: iso.Scheme) -> None:
    """Index 1 and index 2, in s, s' and z."""
    problem = problems.get(name)
    coarse = (problem.t_order or problem.t_end) / 100
    study = order_study(problem, scheme, [coarse, coarse / 2])
    assert list(study.quantities.values()) == ["s", "s'", "z"]
    for x in ("v", "a", "lam"):
        assert study.cases[0].order(x) == pytest.approx(rate, abs=eps), x


def test_the_formulation_of_a_study_reaches_the_runs() -> None:
    """Position level has first-order multipliers near the start, the default has not; the table has
    a column for them."""
    problem = problems.get("pendulum")
    dts = [0.01, 0.005]
    with_default = order_study(problem, iso.Scheme.optimal(0.5), dts)
    with pytest.warns(AccuracyWarning, match="position level"):
        position = order_study(problem, iso.Scheme.optimal(0.5), dts, formulation=iso.PositionLevel())
    assert position.cases[0].order("lam") < 1.5
    assert with_default.cases[0].order("lam") == pytest.approx(2.0, abs=eps)
    assert "lam at n=1" in str(with_default)
    assert set(with_default.to_dict()["cases"][0]["errors"]) == {"q", "v", "a", "lam"}
    assert "lam" not in order_study(problems.get("oscillator"), iso.Scheme.optimal(0.5), dts).quantities
