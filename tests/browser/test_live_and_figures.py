"""The live view and interactive figures in a real browser: pictures come while the run goes on, fit
the window at 1200 and 400 px, and the page says when the run has ended."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.report.live import Live
from pages_in_browser import OUT, Page, opened_browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with opened_browser() as context:
        yield context


def machine(kind: str = "spatial") -> iso.Mechanism:
    flat = kind == "planar"
    up = np.array([0, 1, 0] if flat else [0, 0, 1])
    mech = iso.Mechanism(gravity=-9.81 * up)
    mech.add_body("rod", shape=iso.shapes.Box(3.0, 0.05, 0.05, mass=1.0), position=(1.5, 0, 0), kind=kind)
    mech.add_body("free", 1.0, 0.01 if flat else (0.01,) * 3, (0, 1, 0), velocity=(0.5, 0, 0) + 3.0 * up, kind=kind)
    mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 0, 1) if flat else (0, 1, 0)))
    mech.add_load(iso.Spring("soft", "ground", "free", stiffness=0.1))
    return mech


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme", "kind"), [(1200, "light", "spatial"), (400, "dark", "planar")])
def test_a_run_is_seen_while_it_goes_on(browser: Any, width: int, scheme: str, kind: str) -> None:
    system = machine(kind).compile()
    complaints: list[str] = []
    browser.set_offline(False)
    page = browser.new_page()
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    page.on("console", lambda m: complaints.append(m.text) if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    seen, go_on = threading.Event(), threading.Event()

    def observe(sample: Any) -> None:
        live.observe(sample)
        if sample.t > 1.0:  # until the page has shown the first pictures, however busy the machine
            seen.wait(20)

    def follow(live: Live) -> None:
        with live:
            live.wait()
            iso.integrate(system, dt=0.01, t_end=1.5, observe=observe)
            go_on.wait(20)

    live = Live(system, 1.5, speed=2.0)
    runner = threading.Thread(target=follow, args=(live,))
    runner.start()
    try:
        page.goto(live.url)
        page.wait_for_function("isodynLive.pictures > 3", timeout=15_000)
        early = page.evaluate("isodynLive.now().t")
        seen.set()
        page.wait_for_function("isodynLive.now().t > 1.49", timeout=15_000)
        assert early < 1.4
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        # all bodies lie inside the picture: the free one, which flew up, and the end of the rod, which swung down
        places = page.evaluate(
            """() => { const { view, now, corners } = isodynLive;
                 const seen = (p) => (view.project ? view.project(p) : [view.X(p[0]), view.Y(p[1])]);
                 return [...now().poses, ...corners()].map(seen).map((s) => [s[0] / view.width, s[1] / view.height]); }"""
        )
        assert len(places) == 2 * (1 + 8)
        assert all(0.0 < x < 1.0 and 0.0 < y < 1.0 for x, y in places)
        assert all(0.02 < x < 0.98 and 0.02 < y < 0.98 for x, y in places[:2])
        OUT.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(OUT / f"live_{width}.png"))
        go_on.set()
        page.wait_for_function("isodynLive.ended", timeout=15_000)
        assert page.locator("#state").inner_text() == "the run is done"
    finally:
        seen.set()
        go_on.set()
        runner.join(30)
        page.close()
        browser.set_offline(True)
    assert complaints == []


def test_interactive_figures_fit_and_answer(browser: Any) -> None:
    sol = iso.integrate(machine(), dt=0.01, t_end=1.0)
    path: Path = sol.plot("pin.force", "pin.angle", interactive=True).save(OUT / "figure.html")
    for width, scheme in ((1200, "light"), (400, "dark")):
        page = Page(browser, path, scheme)
        page.page.set_viewport_size({"width": width, "height": 800})
        page.page.wait_for_timeout(60)
        assert page.ask("isodynPlots.length") == 2
        assert page.ask("document.documentElement.scrollWidth") <= width
        box = page.page.locator("#plot-0 canvas").bounding_box()
        page.page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 100)
        assert "pin.force_x" in page.page.locator("#plot-0 .tip").inner_text()
        page.picture(f"figure_{width}")
        page.close()
