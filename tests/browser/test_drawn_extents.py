"""Nothing that is drawn lies outside its picture: every pixel of the animation that differs from the
empty background is inside a margin, over the whole run, at 1200 and 400 px, light and dark.

The machines are those that are easily cropped: rods that are hinged at one end, sliders, far from
the origin, a millionth of a metre and a thousand kilometres in size, one that does not move.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.report.html import write_report
from pages_in_browser import OUT, Page, opened_browser

MARGIN = 3  # pixels that stay empty


def hinged_rod(size: float = 1.0, at: tuple[float, ...] = (0.0, 0.0, 0.0), kind: str = "spatial") -> iso.Solution:
    """A uniform rod, mass centre in its middle: its far end is drawn beyond its mass centre."""
    place = np.array(at)
    mech = iso.Mechanism(gravity=(0, -9.81 * size, 0) if kind == "planar" else (0, 0, -9.81 * size))
    J = size**2 / 12
    inertia: Any = J if kind == "planar" else (1e-3 * J, J, J)
    mech.add_body("the rod", 1.0, inertia, place + np.array([0.5 * size, 0, 0]), kind=kind)
    axis = (0, 0, 1) if kind == "planar" else (0, 1, 0)
    mech.add_joint(iso.Hinge("pin", "ground", "the rod", point=place, axis=axis))
    return iso.integrate(mech, dt=0.02, t_end=1.2)


def sliding(kind: str) -> iso.Solution:
    """A slider with a spring and a pendulum on it, with a force."""
    flat = kind == "planar"
    g, down = ((0, -9.81, 0), (0.3, -0.4, 0)) if flat else ((0, 0, -9.81), (0.3, 0, -0.4))
    mech = iso.Mechanism(gravity=g)
    mech.add_body("slider", 1.0, 0.01 if flat else (0.01, 0.01, 0.01), kind=kind)
    mech.add_body("bob", 0.5, 0.02 if flat else (0.02, 0.02, 0.001), down, kind=kind)
    mech.add_joint(iso.Prismatic("rail", "ground", "slider", axis=(1, 0, 0)))
    mech.add_joint(iso.Hinge("pin", "slider", "bob", point=(0, 0, 0), axis=(0, 0, 1) if flat else (0, 1, 0)))
    mech.add_load(iso.Spring("spring", "ground", "slider", points=((-1, 0, 0), (0, 0, 0)), stiffness=30.0))
    mech.add_load(iso.Force("push", "bob", (3.0, 0, 0), time=iso.Sine(1, 3.0)))
    return iso.integrate(mech, dt=0.02, t_end=1.5)


def all_joints() -> iso.Solution:
    """Joints of every symbol in space."""
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    for k, kind in enumerate((iso.Fixed, iso.Universal, iso.Cylindrical, iso.Spherical, iso.Planar, iso.Hinge)):
        name = kind.__name__
        mech.add_body(name, 1.0, (0.02, 0.03, 0.04), (k, 0, -0.6))
        axis: Any = {} if kind is iso.Spherical else {"axis": (0, 1, 0)}
        axis |= {"second_axis": (1, 0, 0)} if kind is iso.Universal else {}
        mech.add_joint(kind(f"j {name}", "ground", name, point=(k, 0, 0), **axis))
    return iso.integrate(mech, dt=0.02, t_end=0.2)


CASES = {
    "rod in space": lambda: hinged_rod(),
    "rod in the plane": lambda: hinged_rod(kind="planar"),
    "far away": lambda: hinged_rod(at=(3e6, -2e6, 1e6)),
    "far away in the plane": lambda: hinged_rod(at=(3e5, -2e6, 0.0), kind="planar"),
    "a micrometre": lambda: hinged_rod(1e-6),
    "a thousand kilometres in the plane": lambda: hinged_rod(1e6, kind="planar"),
    "slider in space": lambda: sliding("spatial"),
    "slider in the plane": lambda: sliding("planar"),
    "joints": all_joints,
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with opened_browser() as context:
        yield context


@pytest.fixture(scope="module")
def pages() -> dict[str, Path]:
    return {
        name: write_report(make(), OUT / f"extents {name}.html", autoplay=False, title=name)
        for name, make in CASES.items()
    }


EXTENTS = """(times) => {
  // what is drawn on a transparent sky, without grid, floor, axes and shadows
  const p = isodynPlayer, v = p.view;
  for (const name of ["grid", "drawFloor", "drawShadows", "axes"]) if (v[name]) v[name] = () => {};
  let low = [1e9, 1e9], high = [-1e9, -1e9], seen = 0;
  for (const t of times) {
    p.seek(t * p.duration);
    const c = document.createElement("canvas");
    [c.width, c.height] = [p.canvas.width, p.canvas.height];
    const x = c.getContext("2d", { willReadFrequently: true });
    x.drawImage(p.canvas, 0, 0);
    const sky = x.getImageData(0, 0, 1, 1).data;
    const d = x.getImageData(0, 0, c.width, c.height).data;
    for (let i = 0; i < d.length; i += 4)
      if (Math.abs(d[i] - sky[0]) + Math.abs(d[i + 1] - sky[1]) + Math.abs(d[i + 2] - sky[2]) > 24) {
        const px = (i / 4) % c.width, py = Math.floor(i / 4 / c.width);
        low = [Math.min(low[0], px), Math.min(low[1], py)]; high = [Math.max(high[0], px), Math.max(high[1], py)]; seen++;
      }
  }
  return { low, high, seen, width: p.canvas.width, height: p.canvas.height };
}"""


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_everything_that_is_drawn_is_in_the_picture(browser: Any, pages: dict[str, Path], name: str) -> None:
    for width, scheme in ((1200, "light"), (400, "dark")):
        page = Page(browser, pages[name], scheme)
        page.page.set_viewport_size({"width": width, "height": 800})
        page.page.wait_for_timeout(60)
        assert page.ask("document.documentElement.scrollWidth") <= width
        page.ask("isodynPlayer.seek(0.4 * isodynPlayer.duration)")
        page.picture(f"extents_{name.replace(' ', '_')}_{width}")
        for arrows in (False, True):
            if arrows:
                page.page.get_by_text("reactions", exact=True).click()
                page.ask("isodynPlayer.seek(0.4 * isodynPlayer.duration)")
                page.picture(f"extents_{name.replace(' ', '_')}_{width}_arrows")
            found = page.page.evaluate(EXTENTS, [0, 0.13, 0.3, 0.5, 0.62, 0.8, 0.93, 1])
            assert found["seen"] > 200
            assert min(found["low"]) >= MARGIN, found
            assert found["high"][0] < found["width"] - MARGIN, found
            assert found["high"][1] < found["height"] - MARGIN, found
            # and not lost in it either
            spans = np.subtract(found["high"], found["low"]) / [found["width"], found["height"]]
            assert spans.max() > 0.3, found
        page.close()
