"""Ten tasks of a first week: each example is short, runs as it stands and is right."""

from __future__ import annotations

import ast
import csv
import json
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

TASKS = Path(__file__).resolve().parent.parent / "examples" / "tasks"
LONGEST = 25  # lines
FILES = sorted([*TASKS.glob("*.py"), *TASKS.glob("*.ipynb")])


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], dict[str, Any]]:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    monkeypatch.chdir(tmp_path)
    return lambda name: runpy.run_path(str(TASKS / f"{name}.py"))


def cells(path: Path) -> list[str]:
    document = json.loads(path.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in document["cells"] if cell["cell_type"] == "code"]


def test_there_are_ten_and_each_is_short() -> None:
    assert len(FILES) == 10
    for path in FILES:
        text = path.read_text(encoding="utf-8") if path.suffix == ".py" else "\n".join(cells(path))
        assert len(text.splitlines()) <= LONGEST, path.name


def test_double_pendulum(run: Any) -> None:
    names = run("double_pendulum")
    assert names["change"] < 1e-3
    a, b = 2.0, 2.5  # accelerations at rest by hand: M(q) a = −∂V/∂q
    coupled = 0.5 * 0.7 * np.cos(a - b)
    M = np.array([[1.5, coupled], [coupled, 0.5 * 0.49]])
    expected = np.linalg.solve(M, -9.81 * np.array([1.5 * np.sin(a), 0.35 * np.sin(b)]))
    assert names["sol"].a[0] == pytest.approx(expected, rel=1e-9)


def test_four_bar(run: Any) -> None:
    sol = run("four_bar")["sol"]
    assert Path("reactions.png").stat().st_size > 5000
    assert sol.joint("A").angle[-1] == pytest.approx(32.64, abs=0.05)
    weight, rows = 9.81 * (0.4 + 0.8 + 0.7), slice(0, None, 50)
    lifted = sum(
        m * sol.body(name).acceleration[rows, 1] for name, m in (("crank", 0.4), ("coupler", 0.8), ("rocker", 0.7))
    )
    held = sum(sol.reaction(pin).force[rows, 1] for pin in "AD")
    assert np.abs(held - weight - lifted).max() < 1e-6  # Newton's law of the whole machine


def test_slider_crank_friction(run: Any) -> None:
    names = run("slider_crank_friction")
    sliding = np.abs(names["slip"]) > 0.1
    assert np.abs(names["friction"][sliding]) == pytest.approx(0.2 * names["normal"][sliding], rel=1e-3)
    assert (names["friction"] * names["slip"] <= 0).all()


def test_quarter_car(run: Any) -> None:
    from scipy.integrate import solve_ivp

    names = run("quarter_car")

    def rate(t: float, y: Any) -> list[float]:
        road = 0.05 * np.exp(-((15.0 * t - 20.0) ** 2))
        between = 18e3 * (y[1] - y[0]) + 1500.0 * (y[3] - y[2])
        return [y[2], y[3], (180e3 * (road - y[0]) + between) / 40.0, -between / 300.0]

    times = names["sol"].t[::40]
    found = solve_ivp(rate, (0, 4), [0.0] * 4, method="DOP853", t_eval=times, rtol=1e-10, atol=1e-12, max_step=0.02).y[
        1
    ]
    assert names["lift"][::40] == pytest.approx(found, abs=2e-5)


def test_robot_arm(run: Any) -> None:
    sol = run("robot_arm")["sol"]
    shoulder, elbow = (sol.joint(name).angle[-1] for name in ("shoulder", "elbow"))
    # the control balances the weight
    lower = 9.81 * 1.2 * 0.2 * np.cos(shoulder + elbow)
    upper = 9.81 * (2.0 * 0.25 + 1.2 * 0.5) * np.cos(shoulder) + lower
    assert 60 * (shoulder - 0.8) == pytest.approx(upper, rel=1e-4)
    assert 60 * (elbow + 1.2) == pytest.approx(lower, rel=1e-4)
    assert Path("arm.html").is_file()


def test_random_four_bars(run: Any) -> None:
    run("random_four_bars")
    with Path("four_bars.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 200
    assert all(row["ok"] == "True" for row in rows)
    assert all(10.0 < float(row["largest force at D"]) < 200.0 for row in rows)
    assert len({row["crank"] for row in rows}) == 200


def test_bouncing_ball(run: Any) -> None:
    names = run("bouncing_ball")
    hits, tops = names["hits"], np.array(names["tops"])
    assert hits[0] == pytest.approx(np.sqrt(2 * 0.9 / 9.81), abs=1e-13)
    np.testing.assert_allclose(tops, 0.9 * 0.81 ** np.arange(1, len(tops) + 1), atol=2e-4)  # between rows of a solution
    np.testing.assert_allclose(np.diff(hits), 2 * 0.9 ** np.arange(1, len(hits)) * np.sqrt(2 * 0.9 / 9.81), atol=1e-12)


def test_stop_at_event(run: Any) -> None:
    sol = run("stop_at_event")["sol"]
    assert sol.v[-1, 2] == pytest.approx(-np.sqrt(3 * 9.81), rel=1e-8)
    assert sol.t[-1] < 1.0


@pytest.mark.slow
def test_exports(run: Any) -> None:
    names = run("exports")
    assert Path("rod.gif").read_bytes()[:6] == b"GIF89a"
    assert Path("rod.csv").read_text(encoding="utf-8").count("\n") == 402
    assert np.array_equal(names["again"].q, names["sol"].q)
    assert Path("rod.html").is_file()
    content = Path("rod.glb").read_bytes()
    assert content[:4] == b"glTF"
    scene = json.loads(content[20 : 20 + int.from_bytes(content[12:16], "little")])
    assert {node["name"] for node in scene["nodes"] if "name" in node} >= {"rod"}
    assert scene["animations"][0]["channels"]


def test_notebook() -> None:
    """The last expression of a cell is what a notebook shows."""
    names: dict[str, Any] = {}
    shown = []
    for cell in cells(TASKS / "notebook.ipynb"):
        tree = ast.parse(cell)
        last = tree.body.pop()
        assert isinstance(last, ast.Expr)
        exec(compile(tree, "notebook", "exec"), names)
        shown.append(eval(compile(ast.Expression(last.value), "notebook", "eval"), names)._repr_html_())
    assert "canvas" in shown[0]
    assert "rod" in shown[1]
