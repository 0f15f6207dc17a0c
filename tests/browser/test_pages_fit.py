"""Reports and notebook views at 1200 and 400 px, dark and light: no messages in the console, nothing
is cropped, pictures load, and text can be told from its background. Pictures are kept in
out/browser."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

import isodyn as iso
from isodyn.report.html import write_report
from pages_in_browser import CONTRAST, OUT, SIZES, Page, opened_browser

# what a notebook puts around outputs, in its two themes
NOTEBOOK = """<!doctype html><html lang="en" data-ready="yes"><head><meta charset="utf-8"><title>notebook</title>
<meta name="viewport" content="width=device-width"><style>
:root {{ color-scheme: light dark }}
body {{ margin: 8px 12px; font: 14px/1.3 system-ui, sans-serif; background: #fff; color: #111 }}
@media (prefers-color-scheme: dark) {{ body {{ background: #111; color: #eee }} }}
.output {{ overflow-x: auto; margin: 12px 0 }}
</style></head><body>{outputs}</body></html>"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with opened_browser() as context:
        yield context


@cache
def solution() -> Any:
    """A machine with every kind of part in its report: joints, a spring, a motor, a sensor."""
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    mech.add_body("crank", mass=0.4, inertia=4e-4, position=(0, 0.05), kind="planar")
    mech.add_body("coupler", mass=0.8, inertia=6e-3, position=(0.15, 0.175), kind="planar")
    mech.add_body("rocker with a long name", mass=0.7, inertia=4e-3, position=(0.3, 0.125), kind="planar")
    mech.add_joint(iso.Hinge("A", "ground", "crank", point=(0, 0)))
    mech.add_joint(iso.Hinge("B", "crank", "coupler", point=(0, 0.1)))
    mech.add_joint(iso.Hinge("C", "coupler", "rocker with a long name", point=(0.3, 0.25)))
    mech.add_joint(iso.Hinge("D", "ground", "rocker with a long name", point=(0.3, 0)))
    mech.add_load(iso.FormulaMotor("motor", "A", torque="0.2*(12 - A.angle_rate)"))
    mech.add_load(iso.JointSpring("spring", "D", stiffness=0.1))
    mech.add_sensor(iso.Sensor("tip", "coupler", point=(0.3, 0.25)))
    return iso.integrate(mech, dt=2e-3, t_end=1.0)


def looked_at(browser: Any, path: Any, width: int, scheme: str, name: str) -> None:
    page = Page(browser, path, scheme, width=width)
    page.page.wait_for_timeout(100)
    page.picture(f"{name}_{width}_{scheme}", full=True)
    assert page.cropped() == []
    worst, where = page.ask(f"({CONTRAST})()")
    assert worst > 3.0, where
    page.close()


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_a_report_fits(browser: Any, width: int, scheme: str) -> None:
    path = write_report(solution(), OUT / "fits.html", title="A four-bar with a motor", autoplay=False)
    looked_at(browser, path, width, scheme, "fits_report")


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_outputs_of_a_notebook_fit(browser: Any, width: int, scheme: str) -> None:
    """What cells that end with a solution, a mechanism, a system, views and a figure show."""
    sol = solution()
    shown = [
        sol,
        sol.system.description and sol.system,
        sol.body("crank"),
        sol.joint("A"),
        sol.reaction("D"),
        sol.load("motor"),
        sol.sensor("tip"),
        sol.plot("D.force", "A.angle", interactive=True),
        iso.Scheme.default(),
    ]
    outputs = "".join(f"<div class=output>{x._repr_html_()}</div>" for x in shown)
    OUT.mkdir(parents=True, exist_ok=True)
    path = OUT / "notebook.html"
    path.write_text(NOTEBOOK.format(outputs=outputs), encoding="utf-8")
    looked_at(browser, path, width, scheme, "fits_notebook")
    page = Page(browser, path, scheme, width=width)
    frame = page.page.frames[1]  # the animation
    frame.wait_for_selector("html[data-ready=yes]", timeout=15_000)
    assert frame.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert frame.evaluate("document.documentElement.scrollHeight <= innerHeight + 1")
    page.close()
