"""Animation files, pictures and pages: what is written, and what is said where it cannot be."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn import problems
from isodyn.beams.system import BeamSystem
from isodyn.errors import InputError, IsodynError
from isodyn.mechanism.system import MechanismSystem
from isodyn.report.animation import write_animation, write_gif, write_mp4, write_picture
from isodyn.report.html import report_page, write_report
from isodyn.report.notebook import animation
from isodyn.report.reasons import reasons


@pytest.fixture(scope="module")
def four_bar() -> iso.Solution:
    problem = problems.get("four_bar")
    return iso.integrate(problem.system(), problem.scheme, dt=0.01, t_end=0.5)


def test_a_gif_has_its_frames_and_they_differ(four_bar: iso.Solution, tmp_path: Path) -> None:
    """As many pictures as asked for, at the pace asked for."""
    from PIL import Image

    path = write_gif(four_bar, tmp_path / "a.gif", seconds=0.8, fps=5, size=(2.5, 2.0))
    with Image.open(path) as image:
        assert image.n_frames == 4  # type: ignore[attr-defined]
        assert image.info["duration"] == 200
        frames = []
        for k in range(4):
            image.seek(k)
            frames.append(np.asarray(image.convert("RGB")).astype(int))
    assert all(np.abs(a - b).max() > 100 for a, b in pairwise(frames))


@pytest.mark.parametrize("name", ["slider_crank_3d", "pleiades", "beam_and_bodies"])
def test_pictures(name: str, tmp_path: Path) -> None:
    """Space, points of a plane, and a beam: something is drawn, in colour."""
    from PIL import Image

    problem = problems.get(name)
    sol = iso.integrate(problem.system(), problem.scheme, dt=problem.dt, t_end=0.3)
    path = write_picture(sol, tmp_path / "deep" / f"{name}.png", problem=problem, size=(3.0, 2.0))
    with Image.open(path) as image:
        colours = np.asarray(image.convert("RGB")).astype(int)
    assert (np.ptp(colours, axis=2) > 60).sum() > 50
    assert (
        write_picture(sol, tmp_path / "a.svg", problem=problem, t=0.1).read_text(encoding="utf-8").startswith("<?xml")
    )
    with pytest.raises(InputError, match="outside the run"):
        write_picture(sol, tmp_path / "b.png", problem=problem, t=9.0)


def test_an_mp4_without_ffmpeg_says_what_to_do(
    four_bar: iso.Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A typed error with the way out."""
    from matplotlib.animation import FFMpegWriter

    monkeypatch.setattr(FFMpegWriter, "isAvailable", classmethod(lambda cls: False))
    with pytest.raises(IsodynError, match="needs the program ffmpeg") as error:
        write_mp4(four_bar, tmp_path / "a.mp4")
    assert "a.gif" in str(error.value.hint)
    with pytest.raises(InputError, match=r"must be \.gif, \.mp4 or \.glb"):
        write_animation(four_bar, tmp_path / "a.avi")
    with pytest.raises(InputError, match="at least two pictures"):
        write_animation(four_bar, tmp_path / "a.gif", seconds=0.01)


def test_what_has_no_look_is_refused(tmp_path: Path) -> None:
    """An oscillator in one coordinate cannot be animated, but reported."""
    problem = problems.get("oscillator")
    sol = iso.integrate(problem.system(), problem.scheme, dt=problem.dt, t_end=1.0)
    for act in (lambda: write_gif(sol, tmp_path / "a.gif"), lambda: animation(sol)):
        with pytest.raises(InputError, match="nothing is known about how a CompiledSystem looks"):
            act()
    assert 'id="stage"' not in report_page(sol)


# ---- pages


def test_a_report_needs_nothing_from_outside(four_bar: iso.Solution, tmp_path: Path) -> None:
    """No address is loaded; texts of users are escaped; everything asked for is there."""
    path = write_report(
        four_bar,
        tmp_path / "r.html",
        title="<b>crank & rocker</b>",
        why="it is the usual one",
        formulation=iso.Stabilised(),
        settings={"model file": "a<b.toml"},
    )
    text = path.read_text(encoding="utf-8")
    assert "<b>crank" not in text
    assert "&lt;b&gt;crank &amp; rocker" in text
    assert "a&lt;b.toml" in text
    assert "it is the usual one" in text
    assert "Stabilised" in text
    for part in ("src=", "href=", "@import", "url("):
        places = [text[i : i + 40] for i in range(len(text)) if text.startswith(part, i)]
        assert all(place.startswith('href="data:') for place in places), places
    assert path.stat().st_size < 600_000


def test_pages_refuse_what_is_no_page(four_bar: iso.Solution, tmp_path: Path) -> None:
    """Names without .html and things that are no solutions."""
    with pytest.raises(InputError, match=r"ends in \.html"):
        write_report(four_bar, tmp_path / "r.txt")
    with pytest.raises(InputError, match="needs a Solution"):
        report_page("run")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("scheme", "words"),
    [
        (iso.Scheme.U0(1, 1, 0), ["does not damp", "loses no energy", "2 % longer"]),
        (
            iso.Scheme.U0(0.5, 0.5, 0.5),
            ["keeps 50 % of its amplitude", "loses 2.5 % of its energy", "velocities may in the first steps"],
        ),
        (iso.Scheme.optimal(0.5), ["keeps its amplitude", "Neither displacement nor velocity"]),
        (iso.Scheme.central_difference(), ["explicit", "up to Ω = ωΔt = 2", "1.1 % shorter"]),
        (iso.Scheme.U0(0.5, 0.5, 0.5, explicit=True), ["unstable"]),
        (iso.Scheme.optimal(0.5).first_order(), ["GS4-1", "stable for every step"]),
        (iso.Composition(iso.Scheme.central_difference(), 6), ["order 6"]),
    ],
    ids=str,
)
def test_reasons_say_what_is_known_of_the_scheme(scheme: Any, words: list[str]) -> None:
    """The numbers of docs/choosing_a_scheme.md, in sentences."""
    text = " ".join(reasons(scheme))
    assert [word for word in words if word not in text] == []


@pytest.mark.slow
def test_every_ready_problem_has_a_report_and_shows_itself() -> None:
    """A few steps each: the page, the table of the system, that of the solution."""
    for name, problem in problems.ALL.items():
        system = problem.system()
        scheme = problem.scheme.first_order() if system.first_order else problem.scheme
        sol = iso.integrate(system, scheme, dt=problem.dt, t_end=5 * problem.dt)
        text = report_page(sol, problem=problem)
        assert "{{" not in text, name
        drawn = isinstance(system, MechanismSystem | BeamSystem) or (bool(problem.plane) and not system.first_order)
        assert ('id="stage"' in text) == drawn, name
        assert "<table>" in sol._repr_html_() + system._repr_html_(), name
