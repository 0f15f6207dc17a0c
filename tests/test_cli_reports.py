"""Reports, animations, the explorer and citations by the command line."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from isodyn.cli import main
from isodyn.report import animation

MODEL = Path(__file__).resolve().parent.parent / "examples" / "models" / "four_bar.toml"


def call(*arguments: object) -> int:
    with pytest.raises(SystemExit) as leave:
        main([str(x) for x in arguments])
    return int(leave.value.code or 0)


def test_a_problem_with_its_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert call("run", "pendulum", "--t-end", 0.2, "--out", out) == 0
    text = (out / "report.html").read_text(encoding="utf-8")
    assert "<title>" in text
    assert "pendulum" in text.lower()
    assert "report.html" in capsys.readouterr().err


def test_a_model_file_with_report_and_animation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(animation, "write_animation", partial(animation.write_animation, seconds=0.5))
    page, gif = tmp_path / "p.html", tmp_path / "p.gif"
    saved = tmp_path / "p.nc"
    assert call("run", MODEL, "--t-end", 0.05, "--report", page, "--animation", gif, "--save", saved) == 0
    assert MODEL.name in page.read_text(encoding="utf-8")
    assert gif.read_bytes()[:6] == b"GIF89a"
    assert call("report", saved) == 0
    assert saved.with_suffix(".html").stat().st_size > 20_000


def test_an_output_of_a_model_file(tmp_path: Path) -> None:
    model = tmp_path / "own.toml"
    model.write_text(MODEL.read_text(encoding="utf-8") + '\n[output]\nreport = "own.html"\n', encoding="utf-8")
    assert call("run", model, "--t-end", 0.1) == 0
    assert (tmp_path / "own.html").is_file()


def test_the_explorer(tmp_path: Path) -> None:
    page = tmp_path / "explorer.html"
    assert call("scheme", "V0(0.5,0.5,0.5)", "--html", page) == 0
    assert "0.5" in page.read_text(encoding="utf-8")


def test_citations(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("cite", "pendulum", "hht(0.8)", "--json") == 0
    works = json.loads(capsys.readouterr().out)
    assert [work["year"] for work in works].count("2014") == 1
    assert any("Hilber" in work["authors"] for work in works)
    assert call("cite") == 0
    assert "Shimada" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("run", "pendulum", "--report", "page.txt"), "'page.txt' must end in .html"),
        (("run", "pendulum", "--animation", "film.avi"), "must end in .gif or .mp4 or .glb"),
        (("scheme", "U0(1,1,1)", "--html", "page.png"), "must end in .html"),
        (("report", "missing.nc"), "there is no file missing.nc"),
        (("cite", "nonsense"), "there is no scheme named 'nonsense'"),
    ],
)
def test_what_cannot_be_written_is_said_before_the_run(
    arguments: tuple[str, ...],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert call(*arguments) == 2
    assert says in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_the_demo_ends_with_reactions_orders_and_a_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert call("demo", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert all(1.95 < order < 2.05 for order in told["orders"].values())
    assert set(told["orders"]) == {"q", "v", "a", "lam"}
    assert told["errors"]["q"] < 1e-6
    assert told["drift"]["position"] < 1e-13
    assert told["reactions"]["crank bearing"]["largest"] == pytest.approx(334.2, abs=0.1)
    page, figure = (Path(file) for file in told["files"])
    assert "measured orders" in page.read_text(encoding="utf-8")
    assert figure.stat().st_size > 5000
    assert call("demo") == 0
    assert capsys.readouterr().out.rstrip().splitlines()[-1] == "open out/demo/report.html"
