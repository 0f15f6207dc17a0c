"""`isodyn verify`: what it prints and returns, how cases are found and judged. The cases themselves
are run by the command."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from isodyn.cli import cli, main
from isodyn.errors import InputError, InterruptedWarning, IsodynError
from isodyn.studies import verification
from isodyn.studies.verification import Case, Measurement, collection, verify
from isodyn.studies.verification import cases as folder

ROOT = Path(__file__).resolve().parent.parent
HANDFUL = ["pendulum_elliptic", "kepler_ellipse", "textbook_coefficients", "acceleration_solvers", "circle_index_2"]


def made(**changes: Any) -> Case:
    """A case of second order: the error is c dt²."""
    given = {
        "name": "made",
        "topic": "integration",
        "shows": "Nothing.",
        "source": "own problem",
        "reference": "zero",
        "trust": "exact",
        "steps": (0.2, 0.1, 0.05),
        "prepare": lambda: lambda dt: Measurement(errors={"q": 0.8 * dt**2}, steps=round(1 / dt), seconds=dt),
        "bounds": {"q": 2.5e-3},
        "orders": {"q": 2},
    }
    return Case(**{**given, **changes})


# ---- the command


def test_a_handful_of_cases_as_json_and_as_a_page(tmp_path: Path) -> None:
    """One document on standard output with every promised number, progress on standard error, exit
    code 0, a page that holds its data."""
    page = tmp_path / "page.html"
    run = CliRunner().invoke(cli, ["verify", "--json", "--html", str(page), *HANDFUL])
    assert run.exit_code == 0, run.output
    document = json.loads(run.stdout)
    assert (document["passed"], document["failed"], document["skipped"], document["quick"]) == (5, 0, 0, False)
    assert "5/5 pass" in run.stderr
    named = {case["name"]: case for case in document["cases"]}
    assert sorted(named) == sorted(HANDFUL)
    pendulum = named["pendulum_elliptic"]
    assert pendulum["reference"] == {"kind": "elliptic functions", "trust": "exact"}
    assert [run["dt"] for run in pendulum["runs"]] == [0.02, 0.01, 0.005]
    assert all(abs(pendulum["orders"][x] - 2) < 0.1 for x in ("q", "v", "a", "lam"))
    finest = pendulum["runs"][-1]
    assert finest["steps"] == 400 <= finest["iterations"]
    assert 0 < finest["seconds"] < 5
    assert finest["drift"] < 1e-12
    assert 0 < finest["energy"] < 1e-3
    assert all(check["holds"] for case in named.values() for check in case["checks"])
    assert named["textbook_coefficients"]["runs"][0]["drift"] is None  # NaN is not JSON
    text = page.read_text(encoding="utf-8")
    assert all(f'id="{name}"' in text for name in HANDFUL)
    assert text.count("http") == text.count("https://") <= 2  # no assets from a network


def test_quick_takes_the_coarse_steps_and_text_is_for_readers() -> None:
    """Two lines for a case: what, against what and how far to trust it; errors, orders, drift,
    energy, cost."""
    run = CliRunner().invoke(cli, ["verify", "--quick", "pendulum_elliptic"])
    assert run.exit_code == 0
    first, second, last = run.stdout.splitlines()
    assert first == "pass  pendulum_elliptic  against elliptic functions [exact]"
    assert all(
        word in second for word in ("error q ", "λ ", "order 2.0", "drift ", "energy ", "200 steps", "iterations")
    )
    assert last == "1 of 1 cases passed, 0 failed"


def test_a_failing_case_ends_with_exit_code_1(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """And says what was found and what was asked."""
    monkeypatch.setattr(collection, "every", lambda: (made(bounds={"q": 1e-3}),))
    page = tmp_path / "page.html"
    run = CliRunner().invoke(cli, ["verify", "--html", str(page)])
    assert run.exit_code == 1
    assert "fail  made" in run.stdout
    assert "q with dt = 0.05 = 0.002, asked ≤ 0.001" in run.stdout
    assert "0 of 1 cases passed, 1 failed" in run.stdout
    assert "failed <b>1</b>" in page.read_text(encoding="utf-8")


def test_list_and_unknown_words() -> None:
    """Everything by topic; a wrong word is bad input with the nearest names."""
    listed = json.loads(CliRunner().invoke(cli, ["verify", "--list", "--json"]).stdout)
    assert len(listed) >= 60
    assert {"name", "topic", "shows", "source", "reference", "trust"} <= set(listed[0])
    text = CliRunner().invoke(cli, ["verify", "--list", "friction"]).stdout
    assert text.startswith("friction\n  b")
    command = [sys.executable, "-m", "isodyn", "verify", "pendulum_eliptic"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 2
    assert run.stdout == ""
    assert "error: no case and no topic is named 'pendulum_eliptic'" in run.stderr
    assert "hint: did you mean 'pendulum_elliptic'" in run.stderr
    with pytest.raises(InputError, match="no case and no topic is named 'xyzzy'\nhint: isodyn verify --list"):
        verification.select(["xyzzy"])


# ---- finding and judging


def test_a_new_file_is_a_new_case(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing else changes; a file that declares another name is refused."""
    text = """
from isodyn.studies.verification.case import Case, Measurement
CASE = Case(
    name="brand_new", topic="friction", shows="", source="", reference="", trust="exact", steps=(0.0,),
    prepare=lambda: lambda _: Measurement(errors={"q": 0.0}), bounds={"q": 0.0},
)
"""
    (tmp_path / "brand_new.py").write_text(text, encoding="utf-8")
    monkeypatch.setattr(folder, "__path__", [str(tmp_path)])
    collection.every.cache_clear()
    try:
        assert [case.name for case in verification.every()] == ["brand_new"]
        assert verify(verification.every()[0]).verdict == "pass"
        (tmp_path / "other_name.py").write_text(text, encoding="utf-8")
        collection.every.cache_clear()
        with pytest.raises(InputError, match=r"cases/other_name.py declares a case of another name, 'brand_new'"):
            verification.every()
    finally:
        collection.every.cache_clear()
        for name in ("brand_new", "other_name"):
            sys.modules.pop(f"{folder.__name__}.{name}", None)


def test_bounds_grow_with_the_power_of_the_order() -> None:
    """2.5e-3 at 0.05 is 1e-2 at 0.1 for second order; an energy balance counts as second order, a
    drift does not grow."""
    case = made(bounds={"q": 2.5e-3, "energy": 1e-6, "drift": 1e-12})
    assert case.bound("q", 0.1) == pytest.approx(1e-2)
    assert case.bound("energy", 0.2) == pytest.approx(1.6e-5)
    assert case.bound("drift", 0.2) == 1e-12
    assert verify(made()).verdict == "pass"
    assert verify(made(), quick=True).dts == (0.2, 0.1)


@pytest.mark.parametrize(
    ("errors", "why"),
    [
        (lambda dt: {"q": 0.02 * dt}, "order of q = 1"),
        (lambda dt: {"q": 0.03 * dt**3}, "order of q = 3"),
        (lambda dt: {"q": 1.1 * dt**2}, "asked ≤ 0.0025"),
        (lambda dt: {"q": math.nan}, "q with dt = 0.2 = nan"),
        (lambda dt: {"v": 0.0}, "q with dt = 0.2 = nan"),
    ],
    ids=["first order", "third order", "too large", "not a number", "not measured"],
)
def test_what_makes_a_case_fail(errors: Any, why: str) -> None:
    """A slope, a size, a NaN, a quantity that was not measured."""
    outcome = verify(made(prepare=lambda: lambda dt: Measurement(errors=errors(dt))))
    assert outcome.verdict == "fail"
    assert any(why in text for text in outcome.failures), outcome.failures


def test_errors_of_any_kind_end_one_case_and_missing_packages_skip_it() -> None:
    """With the type and the message."""

    def stop() -> Any:
        raise ZeroDivisionError("no mass")

    def missing() -> Any:
        import no_such_package  # type: ignore[import-not-found]

        return no_such_package

    def told() -> Any:
        try:
            return missing()
        except ImportError as error:
            raise IsodynError("the plate needs another package") from error

    def broken() -> Any:
        import isodyn.no_such_module  # type: ignore[import-not-found]

        return isodyn

    failed = verify(made(prepare=stop))
    assert (failed.verdict, failed.failures) == ("fail", ["ZeroDivisionError: no mass"])
    assert verify(made(prepare=broken)).verdict == "fail"
    for prepare in (missing, told):
        skipped = verify(made(prepare=prepare))
        assert (skipped.verdict, skipped.failures) == ("skip", [])
        assert skipped.skipped == "the package no_such_package is missing"


def test_an_interrupted_run_ends_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """integrate returns what it has after Ctrl-C, with a warning; that is no result of a case."""

    def run(dt: float) -> Measurement:
        warnings.warn(
            "interrupted at t = 1 after 3 of 9 steps; the solution holds what was done",
            InterruptedWarning,
            stacklevel=1,
        )
        return Measurement(errors={"q": 0.0})

    monkeypatch.setattr(collection, "every", lambda: (made(prepare=lambda: run),))
    with pytest.raises(KeyboardInterrupt):
        verify(made(prepare=lambda: run))
    with pytest.raises(SystemExit) as left:
        main(["verify"])
    assert left.value.code == 130


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"topic": "magic"}, "topic 'magic' is none of"),
        ({"trust": "hope"}, "trust 'hope' is none of"),
        ({"steps": (0.1, 0.2)}, "steps must go from coarse to fine"),
        ({"bounds": {}, "orders": {}}, "a case needs bounds; without them it cannot fail"),
        ({"orders": {"v": 2}}, "an order needs a bound too: v"),
        ({"steps": (0.1,)}, "an order needs two step sizes"),
    ],
)
def test_declarations_are_checked(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=f"case 'made': {message}"):
        made(**changes)


# ---- what the set promises


def test_every_case_has_a_source_that_the_documentation_knows() -> None:
    """Citations are keys of docs/references.json; the table of the page has a row for every case
    and a link where there is one."""
    works = json.loads((ROOT / "docs" / "references.json").read_text(encoding="utf-8"))
    every = verification.every()
    assert {case.citation for case in every} - {None} <= set(works)
    table = verification.to_markdown(every, works)
    assert all(f"`{case.name}`" in table for case in every)
    assert "https://archimede.uniba.it/~testset/" in table
    assert "https://doi.org/" in table
    assert "others: SUNDIALS IDA" in table
    assert "<!-- table of verification -->" in (ROOT / "docs" / "verification.md").read_text(encoding="utf-8")


def test_the_table_shows_stored_numbers() -> None:
    """Of a run, where there is one."""
    case = made()
    results = {"cases": [{**verify(case).to_dict(), "name": "made"}]}
    assert "q 2.0e-03" in verification.to_markdown([case], {}, results)
    assert "q ≤ 2.5e-03" in verification.to_markdown([case], {})


def test_cases_name_their_scheme_and_are_small() -> None:
    """A case must not change with a default: every call of integrate has a scheme; a case of its own
    stays below 150 lines, in a table it takes fewer than 16."""
    for path in sorted(Path(folder.__path__[0]).glob("*.py")):
        text = path.read_text(encoding="utf-8")
        cases = max(1, text.count("    prepare=on_problem("))
        assert len(text.splitlines()) < (150 if cases == 1 else 16 * cases), path.name
        for call in text.split("iso.integrate(")[1:]:
            arguments = call.split("dt=")[0]
            assert "cheme" in arguments or "SCHEME" in arguments or "fine[0]" in arguments, path.name
