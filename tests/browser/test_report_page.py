"""Reports in a real browser, from a file and without network: the animation moves, scrubbing and
the camera work, plots follow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn import problems
from isodyn.report.html import write_report
from pages_in_browser import OUT, Page, opened_browser

STAGE = "#stage canvas"
NAMES = ("four_bar", "slider_crank_3d", "beam_and_bodies", "pleiades", "oscillator_forced", "brusselator_stable")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with opened_browser() as context:
        yield context


@pytest.fixture(scope="module")
def reports() -> dict[str, tuple[iso.Solution, Path]]:
    """Reports of a planar and a spatial mechanism, one with a beam, points of a plane, and systems
    without a picture."""
    found = {}
    for name in NAMES:
        problem = problems.get(name)
        first = problem.system().first_order
        scheme = problem.scheme.first_order() if first else problem.scheme
        sol = iso.integrate(problem.system(), scheme, dt=problem.dt, t_end=min(problem.t_end, 2.0))
        path = write_report(sol, OUT / f"{name}.html", problem=problem, dt=problem.dt, autoplay=False)
        found[name] = (sol, path)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", ["four_bar", "slider_crank_3d", "beam_and_bodies", "pleiades"])
def test_the_animation_moves_while_it_plays(browser: Any, reports: Any, name: str) -> None:
    """Pixels change in time while playing, and stay when it is paused."""
    page = Page(browser, reports[name][1])
    still = page.look(STAGE)
    page.page.wait_for_timeout(100)
    assert page.changed(still, page.look(STAGE)) == 0
    page.page.click(".play")
    page.page.wait_for_function("isodynPlayer.time > 0.05 * isodynPlayer.duration")
    first = page.look(STAGE)
    page.page.wait_for_function("isodynPlayer.time > 0.12 * isodynPlayer.duration")
    second = page.look(STAGE)
    page.page.click(".play")
    assert min(page.changed(still, first), page.changed(first, second)) > 150
    assert 0 < page.ask("isodynPlayer.time") < page.ask("isodynPlayer.duration")
    page.picture(f"report_{name}", full=name == "slider_crank_3d")
    page.close()


def test_scrubbing_shows_the_pose_of_that_time(browser: Any, reports: Any) -> None:
    """The slider at half of the run: the page has the pose that the solution has, and the plots
    mark the time."""
    sol, path = reports["four_bar"]
    page = Page(browser, path)
    before = page.look(STAGE)
    page.page.locator(".scrub").fill("500")
    t = page.ask("isodynPlayer.time")
    assert t == pytest.approx(0.5 * sol.t[-1], rel=1e-6)
    shown = page.ask("isodynPlayer.state().poses[isodynPlayer.scene.bodies.findIndex(b => b.name === 'coupler')]")
    there = sol.at(t).q[sol.system.q_of("coupler")]
    assert np.abs(np.array(shown) - there).max() < 1e-4
    assert page.changed(before, page.look(STAGE)) > 150
    assert page.ask("isodynPlots[0].time") == pytest.approx(t)
    page.close()


def test_camera_turns_and_zooms(browser: Any, reports: Any) -> None:
    """Dragging turns a spatial scene, the wheel comes nearer, the button goes back."""
    page = Page(browser, reports["slider_crank_3d"][1])
    start = page.look(STAGE)
    box = page.page.locator(STAGE).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.page.mouse.move(x, y)
    page.page.mouse.down()
    page.page.mouse.move(x + 120, y, steps=4)
    sideways = page.ask("[isodynPlayer.view.yaw, isodynPlayer.view.pitch]")
    page.page.mouse.move(x + 120, y + 40, steps=2)
    page.page.mouse.up()
    assert sideways == pytest.approx([-0.9 - 0.008 * 120, 0.42])
    assert page.ask("isodynPlayer.view.pitch") == pytest.approx(0.42 + 0.008 * 40)
    turned = page.look(STAGE)
    page.page.mouse.wheel(0, -400)
    page.page.wait_for_timeout(100)
    near = page.look(STAGE)
    page.page.get_by_text("Reset view").click()
    assert min(page.changed(start, turned), page.changed(turned, near)) > 500
    assert page.changed(start, page.look(STAGE)) == 0
    page.close()


def test_spatial_pose_is_where_the_solution_says(browser: Any, reports: Any) -> None:
    """A point of the rod in the world by the page's quaternions, against the solution."""
    sol, path = reports["slider_crank_3d"]
    page = Page(browser, path)
    k, local = 700, [0.1, -0.02, 0.03]
    page.ask(f"isodynPlayer.seek({float(sol.t[k])!r})")
    there = page.ask(
        f"""(() => {{ const p = isodynPlayer, i = p.scene.bodies.findIndex(b => b.name === 'rod'), s = p.state();
            s.matrices = s.poses.map(x => iso.matrix(x.slice(3))); return p.view.place(s, i, {local}); }})()"""
    )
    assert np.abs(np.array(there) - sol.body("rod").point(local, frame="body").position[k]).max() < 1e-5
    page.close()


def test_plots_zoom_and_hide(browser: Any, reports: Any) -> None:
    """Dragging zooms, double click goes back, the legend hides a curve, hovering tells values."""
    page = Page(browser, reports["four_bar"][1])
    plot = page.page.locator("#plot-reactions canvas")
    plot.scroll_into_view_if_needed()
    start = page.look("#plot-reactions canvas")
    box = plot.bounding_box()
    page.page.mouse.move(box["x"] + 150, box["y"] + 100)
    page.page.mouse.down()
    page.page.mouse.move(box["x"] + 300, box["y"] + 100, steps=3)
    page.page.mouse.up()
    zoomed = page.look("#plot-reactions canvas")
    plot.dblclick()
    page.page.mouse.move(box["x"] + 200, box["y"] + 80)
    tip = page.page.locator("#plot-reactions .tip").inner_text()
    page.page.mouse.move(2, 2)
    again = page.look("#plot-reactions canvas")
    page.page.locator("#plot-reactions .legend button").first.click()
    hidden = page.look("#plot-reactions canvas")
    assert page.changed(start, zoomed) > 300
    assert page.changed(start, again) == 0
    assert page.changed(again, hidden) > 100
    assert "t = " in tip
    assert "A: " in tip
    page.close()


@pytest.mark.parametrize("name", ["oscillator_forced", "brusselator_stable"])
def test_systems_without_a_picture_have_their_plots(browser: Any, reports: Any, name: str) -> None:
    """No animation, but curves, the scheme and its reasons."""
    page = Page(browser, reports[name][1])
    assert page.page.locator("#stage").count() == 0
    assert page.ask("isodynPlots.length") >= 2
    assert page.page.locator("text=Please cite").count() == 1
    page.picture(f"report_{name}")
    page.close()


def test_dark_theme(browser: Any, reports: Any) -> None:
    """The page follows the system's theme and the button."""
    page = Page(browser, reports["slider_crank_3d"][1], "dark")
    assert page.ask("document.documentElement.dataset.theme") == "dark"
    page.ask("isodynPlayer.seek(0.6)")
    page.picture("report_dark")
    page.page.click("#theme")
    assert page.ask("document.documentElement.dataset.theme") == "light"
    page.close()
