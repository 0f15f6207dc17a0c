"""Comparisons of formulations: what is measured is right, what cannot run is named."""

from __future__ import annotations

import json
import math
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn import problems
from isodyn.cli import main
from isodyn.errors import ConvergenceError, InputError
from isodyn.formulations.table import TABLE, entry
from isodyn.report.compare_figures import compare_figure
from isodyn.report.work_precision import write_work_precision
from isodyn.studies import Comparison, compare, work_curves
from isodyn.studies.comparison import label

SCHEME = iso.Scheme.optimal(0.5)


@pytest.fixture(scope="module")
def pendulum() -> Comparison:
    """All formulations with an implicit and an explicit scheme."""
    schemes = [SCHEME, iso.Scheme.central_difference()]
    return compare(problems.get("pendulum"), schemes, dts=[0.02, 0.01], t_end=1.0)


@pytest.mark.slow
def test_every_combination_is_there_once(pendulum: Comparison) -> None:
    """As a row, or with the reason why not."""
    found = [(row.formulation, row.scheme) for row in pendulum.rows]
    found += [(row.formulation, row.scheme) for row in pendulum.missing]
    names = [row.name for row in TABLE]
    assert sorted(found) == sorted(
        (name, scheme) for name in names for scheme in ("optimal(0.5)", "central difference")
    )


def test_refusals_are_those_of_the_table(pendulum: Comparison) -> None:
    """Explicit members with what the table closes to them, and nothing else."""
    refused = {one.formulation for one in pendulum.missing if one.refused}
    assert refused == {row.name for row in TABLE if not row.facts.explicit}
    assert all("explicit" in one.reason for one in pendulum.missing if one.refused)


def test_orders_are_those_of_the_table(pendulum: Comparison) -> None:
    """Within 0.15 of what the table claims, where both steps ran; Baumgarte's a is between its two
    orders there, and Partitioning's comes down to 2 from above (2.2 here, 2.01 and 2.006 with half and
    a quarter of these steps)."""
    early = {("Baumgarte", "a"), ("Partitioning", "a")}
    checked = 0
    for row in pendulum.rows:
        formulation = next(r.example() for r in TABLE if r.name == row.formulation)
        for key, expected in zip(("q", "v", "a", "lam"), entry(formulation).facts.orders, strict=True):
            if expected is not None and (row.formulation, key) not in early:
                assert row.order(key) == pytest.approx(expected, abs=0.15), (row.formulation, row.scheme, key)
                checked += 1
    assert checked > 60


def test_numbers_are_those_of_a_run(pendulum: Comparison) -> None:
    """Error, drift, energy and counts of one row against a run by hand."""
    row = pendulum.row("VelocityLevel", "optimal(0.5)")
    problem = problems.get("pendulum")
    sol = iso.integrate(problem.system(), SCHEME, iso.VelocityLevel(), dt=0.01, t_end=1.0)
    exact = problem.exact(sol.t)
    assert exact is not None
    assert exact.lam is not None
    assert row.case.of("lam")[-1] == np.abs(sol.lam - exact.lam).max() / np.abs(exact.lam).max()
    assert row.drift.largest == sol.drift().largest
    assert row.energy == np.abs(sol.energy_balance()).max() / sol.energy()[0].max()
    assert (row.costs[-1].evaluations, row.costs[-1].steps) == (sol.stats.evaluations, 100)
    assert row.costs[-1].seconds > 0.0


def test_drift_tells_formulations_apart(pendulum: Comparison) -> None:
    """Levels that are kept are at rounding, levels that are not are far above."""
    for name, kept in {
        "Stabilised": (True, True, False),
        "PositionLevel": (True, False, False),
        "VelocityLevel": (False, True, False),
        "AccelerationLevel": (False, False, True),
        "Overdetermined": (True, True, True),
    }.items():
        levels = pendulum.row(name).drift.largest
        assert tuple(level < 1e-11 for level in levels) == kept, (name, levels)


def test_table_and_document(pendulum: Comparison) -> None:
    """Every row has a line; the document is plain and complete."""
    text = str(pendulum)
    for row in TABLE:
        assert text.count(f"\n  {row.name} ") == 2
    assert "note on PositionLevel, NullSpace(discrete=True): multipliers" in text
    document = json.loads(json.dumps(pendulum.to_dict()))
    assert len(document["rows"]) == len(pendulum.rows)
    assert {key for row in document["rows"] for key in row["errors"]} == {"q", "v", "a", "λ"}


def test_a_failed_step_size_is_noted_and_the_others_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """One step size fails: no order, a note; all fail: a line with the message."""
    run = iso.integrate

    def failing(system: Any, scheme: Any, formulation: Any = None, *, dt: float, **settings: Any) -> Any:
        if isinstance(formulation, iso.GGL) and dt > 0.015:
            raise ConvergenceError("Newton stopped on purpose", hint="none")
        if isinstance(formulation, iso.Projection):
            raise ConvergenceError("never runs\nsecond line")
        return run(system, scheme, formulation, dt=dt, **settings)

    monkeypatch.setattr(sys.modules["isodyn.studies.comparison"], "integrate", failing)
    found = compare(
        problems.get("pendulum"), SCHEME, [iso.GGL(), iso.Projection(), iso.Stabilised()], [0.02, 0.01], 1.0
    )
    row = found.row("GGL")
    assert row.case.dts == (0.01,)
    assert math.isnan(row.order("q"))
    assert row.notes == ("dt = 0.02 failed: Newton stopped on purpose",)
    assert [(one.formulation, one.refused) for one in found.missing] == [("Projection", False)]
    assert "Projection  failed: never runs\n" in str(found)
    assert found.row("Stabilised").order("q") == pytest.approx(2.0, abs=0.1)


def test_first_order_and_nonholonomic_systems() -> None:
    """The equations as they stand and Baumgarte for one; the holonomic-only formulations refused
    for the other."""
    found = compare(problems.get("circle_index2"), iso.Scheme.V0(1, 1, 0), dts=[0.02, 0.01], t_end=1.0)
    assert found.quantities == {"v": "s", "a": "s'", "lam": "z"}
    assert found.row("as it stands").order("lam") == pytest.approx(2.0, abs=0.1)
    assert {"Stabilised", "GGL"} <= {one.formulation for one in found.missing if one.refused}
    found = compare(problems.get("rolling_disc"), SCHEME, dts=[0.02, 0.01], t_end=0.5)
    assert {one.formulation for one in found.missing} == {
        "NullSpace(discrete=True)",
        "Penalty",
        "Hamiltonian",
        "Partitioning",
    }


def test_without_constraints_only_schemes_are_compared() -> None:
    """One row per scheme, no drift in the table."""
    found = compare(problems.get("kepler"), [SCHEME, iso.Scheme.newmark()], dts=[0.02, 0.01], t_end=1.0)
    assert [row.formulation for row in found.rows] == ["as it stands"] * 2
    assert "drift" not in str(found)
    assert "lam" not in found.quantities


def test_figure(pendulum: Comparison, tmp_path: Path) -> None:
    """One file, for constrained and free problems."""
    path = compare_figure(pendulum, tmp_path / "a" / "compare.png")
    assert path.stat().st_size > 20000
    free = compare(problems.get("kepler"), SCHEME, dts=[0.02, 0.01], t_end=1.0)
    assert compare_figure(free, tmp_path / "free.png").stat().st_size > 5000


def test_labels() -> None:
    """Settings that differ from the defaults are named."""
    assert label(iso.Penalty(p=1e-6)) == "Penalty(p=1e-06)"
    assert label(iso.Penalty(float("1e-5"), 10, 1)) == "Penalty"
    assert label(iso.Projection(acceleration=True)) == "Projection(acceleration=True)"
    assert label(None) == "as it stands"


def test_bad_input(pendulum: Comparison) -> None:
    """One clear message each."""
    problem = problems.get("pendulum")
    with pytest.raises(InputError, match="at least two positive steps"):
        compare(problem, SCHEME, dts=[0.01, 0.02])
    with pytest.raises(InputError, match="at least one scheme"):
        compare(problem, [])
    with pytest.raises(InputError, match="no row 'Nothing'"):
        pendulum.row("Nothing")
    with pytest.raises(InputError, match="no constraints"):
        compare(problems.get("kepler"), SCHEME, [iso.GGL()])


def test_warnings_become_notes() -> None:
    """Of this package; nothing is left for the caller's filters."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = compare(problems.get("pendulum"), iso.Scheme.V0(1, 1, 0), [iso.PositionLevel()], [0.02, 0.01], 0.2)
    assert "oscillate without end" in found.rows[0].notes[0]


def test_work_precision_of_methods(tmp_path: Path) -> None:
    """Errors fall with the tolerance, work grows; the page has a curve for each method that ran."""
    found = iso.studies.work_precision(
        problems.get("pendulum"), ["constant steps", "Adaptive", "Radau"], [1e-3, 1e-4], t_end=0.5
    )
    assert found.quantities == ("q", "v", "a", "lam")
    for curve in found.curves:
        first, last = curve.runs[0], curve.runs[-1]
        assert last.steps > first.steps
        assert all(last.errors[name] < 0.3 * first.errors[name] for name in found.quantities)
    page = write_work_precision(found.to_dict(), tmp_path / "page.html").read_text()
    assert all(f'"{curve.method}"' in page for curve in found.curves)
    assert "Radau" in str(found)


def test_code_is_loaded_before_a_method_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first run of a method loads its code: once that was its time."""
    ran: list[float] = []

    def slow_at_first(*given: Any, **options: Any) -> iso.Solution:
        sol = iso.integrate(*given, **options)
        ran.append(0.001 if ran else 0.7)
        return replace(sol, stats=replace(sol.stats, seconds=ran[-1]))

    monkeypatch.setattr(work_curves, "integrate", slow_at_first)
    found = iso.studies.work_precision(problems.get("pendulum"), ["DOP853"], [1e-4, 1e-5], t_end=0.1)
    assert [run.seconds for run in found.curves[0].runs] == [0.001, 0.001]


def test_work_precision_refuses_what_is_no_method() -> None:
    with pytest.raises(InputError, match="no method named 'Euler'"):
        iso.studies.work_precision(problems.get("pendulum"), ["Euler"])
    with pytest.raises(InputError, match="between 0 and 1"):
        iso.studies.work_precision(problems.get("pendulum"), ["Radau"], [2.0])


def test_a_tolerance_that_one_method_refuses_is_a_note() -> None:
    """It ended the comparison: second order does not go below 1e-9, others do."""
    found = iso.studies.work_precision(problems.get("pendulum"), ["Adaptive", "Radau"], [1e-10, 1e-10], t_end=0.2)
    adaptive, radau = found.curves
    assert adaptive.runs == ()
    assert "must lie between 1e-09 and 0.1" in adaptive.notes[0]
    assert len(radau.runs) == 1


@pytest.mark.parametrize("t_end", [0.0, -1.0, np.nan])
def test_studies_refuse_ends_before_the_start(t_end: float) -> None:
    """Zero was the end of the problem, others became notes in tables without a run."""
    pendulum, words = problems.get("pendulum"), "t_end must"
    with pytest.raises(InputError, match=words):
        iso.studies.work_precision(pendulum, ["Radau"], [1e-4], t_end)
    with pytest.raises(InputError, match=words):
        compare(pendulum, iso.Scheme.optimal(0.5), [iso.Stabilised()], [0.02, 0.01], t_end)
    with pytest.raises(InputError, match=words):
        iso.studies.order_study(pendulum, iso.Scheme.optimal(0.5), [0.02, 0.01], t_end=t_end)


def test_work_precision_from_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Numbers as JSON; options of the other comparison are refused."""

    def call(*arguments: str) -> tuple[str, str]:
        with pytest.raises(SystemExit):
            main(["compare", "pendulum", *arguments])
        return capsys.readouterr()

    out, _ = call("--work-precision", "--method", "DOP853", "--rtol", "1e-6", "--t-end", "0.3", "--json")
    assert json.loads(out)["curves"][0]["runs"][0]["errors"]["q"] < 1e-5
    assert "leave --formulation" in call("--work-precision", "--dt", "0.1")[1]
    assert "belongs to --work-precision" in call("--rtol", "1e-3")[1]
