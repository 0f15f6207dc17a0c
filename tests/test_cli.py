"""The command line does what it says: one JSON document, figures that exist, exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import isodyn as iso
from isodyn import problems
from isodyn.cli import main
from isodyn.specs import parse_formulation, parse_scheme


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as leave:
            main(list(arguments))
        captured = capsys.readouterr()
        return int(leave.value.code or 0), captured.out, captured.err

    return run


def test_list_names_every_problem(call: Any) -> None:
    """As a table and as JSON."""
    code, out, _ = call("list")
    assert code == 0
    assert all(name in out for name in problems.ALL)
    code, out, err = call("list", "--json")
    assert (code, err) == (0, "")
    assert [entry["name"] for entry in json.loads(out)] == list(problems.ALL)


@pytest.mark.parametrize("name", list(problems.ALL))
def test_run_gives_one_json_document_for_every_problem(call: Any, name: str) -> None:
    """A short run of each; standard output holds JSON and nothing else."""
    problem = problems.get(name)
    code, out, _ = call("run", name, "--t-end", str(20 * problem.dt), "--json", "--no-progress")
    summary = json.loads(out)
    assert code == 0
    assert summary["problem"] == name
    assert summary["steps"] == 20
    assert (summary["errors"] is not None) == (problem.motion is not None)


def test_run_prints_a_summary_and_writes_figures(call: Any, tmp_path: Path) -> None:
    """Problem, scheme, step, ranges, drift, error and cost; every file that is named exists."""
    code, out, err = call(
        "run", "kepler", "--scheme", "V0(1,1,0.5)", "--dt", "0.02", "--t-end", "7", "--out", str(tmp_path)
    )
    assert code == 0
    for text in (
        "kepler",
        "V0(1, 1, 0.5)",
        "dt = 0.02",
        "350 steps",
        "angular momentum",
        "error (maximum over time",
        "µs per step",
    ):
        assert text in out
    files = [Path(line.removeprefix("wrote ")) for line in err.splitlines() if line.startswith("wrote ")]
    assert {path.name for path in files} == {
        "motion.png",
        "velocity.png",
        "acceleration.png",
        "plane.png",
        "invariants.png",
        "report.html",
    }
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in files if path.suffix == ".png")


def test_run_compares_with_reference_numbers(call: Any) -> None:
    """Pleiades with masses i: small error at t = 3; none for a shorter run."""
    code, out, _ = call("run", "pleiades", "--dt", "1e-4", "--save-every", "100", "--json")
    summary = json.loads(out)
    assert code == 0
    assert summary["rows"] == 301
    assert 1e-5 < summary["errors"]["q"] < 3e-3


def test_parameters_are_set(call: Any) -> None:
    """--set reaches the system and the exact solution."""
    code, out, _ = call("run", "kepler", "--set", "e=0.2", "--t-end", "1", "--json")
    summary = json.loads(out)
    assert code == 0
    assert summary["parameters"] == {"e": 0.2}
    assert summary["motion"]["x"]["q"]["max"] == 0.8
    assert summary["errors"]["q"] < 1e-4


def test_order_measures_two(call: Any, tmp_path: Path) -> None:
    """Table, JSON and figure of a convergence study."""
    figure = tmp_path / "order.png"
    arguments = (
        "order",
        "manufactured",
        "--scheme",
        "U0(0.8,0.8,0.8)",
        "--scheme",
        "central_difference",
        "--dt",
        "0.02",
        "--dt",
        "0.01",
    )
    code, out, _ = call(*arguments, "--json", "--plot", str(figure))
    study = json.loads(out)
    assert code == 0
    assert [case["scheme"] for case in study["cases"]] == ["U0(0.8, 0.8, 0.8)", "central difference"]
    for case in study["cases"]:
        assert case["slopes"]["a"] == [pytest.approx(2.0, abs=0.1)]
    assert figure.read_bytes().startswith(b"\x89PNG")
    code, out, _ = call(*arguments)
    assert code == 0
    assert "errors against: exact solution" in out


def test_run_takes_a_formulation(call: Any) -> None:
    """Position level has weaker multipliers than the default; the warning about it goes to standard
    error."""
    errors = {}
    for text in ("stabilised", "position"):
        code, out, err = call("run", "pendulum", "--formulation", text, "--t-end", "1", "--json")
        assert code == 0
        assert ("warning: multipliers" in err) == (text == "position")
        errors[text] = json.loads(out)["errors"]["lam"]
    assert errors["position"] > 10 * errors["stabilised"]


def test_order_takes_a_formulation(call: Any) -> None:
    """First order in λ at position level, as measured."""
    code, out, _ = call(
        "order",
        "pendulum",
        "--scheme",
        "optimal(0.5)",
        "--formulation",
        "position",
        *["--dt", "0.01", "--dt", "0.005"],
        "--json",
    )
    assert code == 0
    assert json.loads(out)["cases"][0]["slopes"]["lam"] == [pytest.approx(1.0, abs=0.15)]


def test_compare_gives_rows_reasons_and_a_figure(call: Any, tmp_path: Path) -> None:
    """Table, JSON and figure for chosen formulations, one of them refused."""
    figure = tmp_path / "compare.png"
    arguments = ["compare", "pendulum", "--t-end", "0.5", "--dt", "0.01", "--dt", "0.02"]
    arguments += ["--scheme", "U0(1,1,0,explicit)", "--plot", str(figure)]
    for text in ("stabilised", "position", "baumgarte(20,30)"):
        arguments += ["--formulation", text]
    code, out, err = call(*arguments, "--json")
    found = json.loads(out)
    assert code == 0
    assert found["dt"] == [0.02, 0.01]
    assert [row["formulation"] for row in found["rows"]] == ["Stabilised", "Baumgarte(alpha=20, beta=30)"]
    assert [row["formulation"] for row in found["refused"]] == ["PositionLevel"]
    assert found["rows"][0]["order"]["λ"] == pytest.approx(2.0, abs=0.1)
    assert found["files"] == [str(figure)]
    assert f"wrote {figure}" in err
    assert figure.read_bytes().startswith(b"\x89PNG")
    code, out, _ = call(*arguments)
    assert code == 0
    assert "not allowed: PositionLevel cannot run with the explicit scheme" in out


@pytest.mark.parametrize(
    ("text", "formulation"),
    [
        ("stabilised", iso.Stabilised()),
        ("Stabilised", iso.Stabilised()),
        ("stabilized", iso.Stabilised()),
        ("position", iso.PositionLevel()),
        ("position-level", iso.PositionLevel()),
        ("velocity", iso.VelocityLevel()),
        ("acceleration_level", iso.AccelerationLevel()),
        (" baumgarte( 20, 30 ) ", iso.Baumgarte(20.0, 30.0)),
        ("baumgarte", iso.Baumgarte()),
        ("baumgarte(beta=1/4)", iso.Baumgarte(beta=0.25)),
        ("projection", iso.Projection()),
        ("projection(acceleration)", iso.Projection(acceleration=True)),
        ("projection(iterations=1)", iso.Projection(iterations=1)),
        ("overdetermined", iso.Overdetermined()),
        ("ggl", iso.GGL()),
        ("null-space", iso.NullSpace()),
        ("NullSpace", iso.NullSpace()),
        ("null-space(discrete)", iso.NullSpace(discrete=True)),
        ("null-space(zero-eigenvalue)", iso.NullSpace("zero-eigenvalue")),
        ("udwadia-kalaba", iso.UdwadiaKalaba()),
        ("UdwadiaKalaba( square-root/denman-beavers, alpha=5 )", iso.UdwadiaKalaba("square-root/denman-beavers", 5.0)),
        ("udwadia-kalaba(form=cholesky)", iso.UdwadiaKalaba("cholesky")),
        ("penalty(1e-7,10,1)", iso.Penalty(1e-7, 10.0, 1.0)),
        ("hamiltonian", iso.Hamiltonian()),
    ],
)
def test_formulation_texts(text: str, formulation: Any) -> None:
    """What can be written on the command line means what it says."""
    assert parse_formulation(text) == formulation


def test_every_formulation_of_the_table_has_a_text() -> None:
    """Nothing that `integrate` takes is out of reach."""
    from isodyn.formulations.protocol import REGISTRY
    from isodyn.formulations.table import TABLE

    assert set(REGISTRY.values()) == {row.formulation for row in TABLE}


def test_scheme_describes_members(call: Any, tmp_path: Path) -> None:
    """Text, JSON and figure."""
    code, out, _ = call("scheme", "U0(0.8,0.8,0.8)")
    assert code == 0
    assert "0.8" in out
    figure = tmp_path / "scheme.png"
    code, out, _ = call("scheme", "optimal(0.5)", "--json", "--plot", str(figure))
    assert code == 0
    assert isinstance(json.loads(out), dict)
    assert figure.read_bytes().startswith(b"\x89PNG")


def test_scheme_table_uses_the_damping_ratio(call: Any) -> None:
    """Ω_crit of central difference with damping in the figure's ratio; usual parameters of a V0
    counterpart."""
    code, out, _ = call("scheme", "central_difference", "--xi", "0.05")
    assert code == 0
    assert "Omega_crit = 2 without damping, 1.80998 with xi = 0.05" in out
    code, out, _ = call("scheme", "hht(0.8,v0)", "--json")
    assert code == 0
    assert json.loads(out)["parameters"]["kappa"] == pytest.approx(-0.04 / (2 * 1.8**2))


def test_no_command_shows_the_help(call: Any) -> None:
    code, out, err = call()
    assert (code, err) == (0, "")
    assert out.startswith("Usage: isodyn")


def test_a_reader_that_stops_early_gets_no_traceback() -> None:
    """`isodyn list --json | head -c 10`: silence, not a story about a broken pipe."""
    line = f"{sys.executable} -m isodyn list --json"
    with subprocess.Popen(line.split(), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        run.stdout.close()
        assert run.stderr.read() == b""


def test_module_runs_as_a_command() -> None:
    """`python -m isodyn list --json` in a process of its own."""
    run = subprocess.run(
        [sys.executable, "-m", "isodyn", "list", "--json"], capture_output=True, text=True, timeout=300, check=True
    )
    assert len(json.loads(run.stdout)) == len(problems.ALL)


@pytest.mark.parametrize(
    ("text", "scheme"),
    [
        ("U0(0.8,0.8,0.8)", iso.Scheme.U0(0.8, 0.8, 0.8)),
        (" v0( 1, 1 , 0 ) ", iso.Scheme.V0(1, 1, 0)),
        ("optimal(0.5)", iso.Scheme.optimal(0.5)),
        ("hht(0.7)", iso.Scheme.hht(0.7)),
        ("hht(alpha_f=1/10)", iso.Scheme.hht(alpha_f=0.1)),
        ("hht(0.7, v0)", iso.Scheme.hht(0.7, v0=True)),
        ("newmark(0.25,0.5)", iso.Scheme.newmark(0.25, 0.5)),
        ("newmark", iso.Scheme.newmark()),
        ("generalised-alpha(0.8)", iso.Scheme.generalised_alpha(0.8)),
        ("generalized_alpha(0.8)", iso.Scheme.generalised_alpha(0.8)),
        ("central_difference", iso.Scheme.central_difference()),
        ("U0(1,1,0,explicit)", iso.Scheme.U0(1, 1, 0, explicit=True)),
        ("U0(1,1,0,eta=(0,1,0))", iso.Scheme.U0(1, 1, 0, eta=(0, 1, 0))),
        ("gear", iso.FirstOrderScheme.gear()),
        ("GS4-1(0.5,0.5)", iso.FirstOrderScheme.GS4_1(0.5, 0.5)),
    ],
)
def test_scheme_texts(text: str, scheme: iso.Scheme | iso.FirstOrderScheme) -> None:
    """What can be written on the command line means what it says."""
    assert parse_scheme(text) == scheme


def test_run_of_a_constrained_problem_tells_multipliers_and_drift(call: Any) -> None:
    """What a mechanic asks of constraints: reactions, what is redundant, and whether the
    constraints hold."""
    code, out, _ = call("run", "double_pendulum_doubled", "--t-end", "0.2", "--json")
    constraints = json.loads(out)["constraints"]
    assert code == 0
    assert constraints["redundant"] == ["upper rod, entered again (1)"]
    assert set(constraints["multipliers"]) == {"upper rod", "upper rod, entered again (1)", "lower rod"}
    assert max(constraints["drift"]["position"], constraints["drift"]["velocity"]) < 1e-12
    code, out, _ = call("run", "double_pendulum_doubled", "--t-end", "0.2")
    assert code == 0
    assert "constraint drift (largest, relative): position" in out
