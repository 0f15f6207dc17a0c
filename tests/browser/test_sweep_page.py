"""The report of a sweep in a real browser, at 1200 and 400 px, dark and light: no complaints, nothing
is cropped, every mark lies inside its frame, and no two texts of a picture overlap."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import isodyn as iso
from isodyn.report.html import write_report
from pages_in_browser import CONTRAST, OUT, SIZES, Page, opened_browser

# what is drawn in each picture, in pixels of the page
DRAWN = """() => [...document.querySelectorAll("svg")].map((svg) => {
    const box = (e) => { const b = e.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]; };
    const all = (what) => [...svg.querySelectorAll(what)].map(box);
    return { frame: box(svg), texts: all("text"), marks: all("circle, polyline"), axes: all(".axis"),
        words: [...svg.querySelectorAll("text")].map((e) => e.textContent), label: svg.getAttribute("aria-label"),
        size: Math.min(...[...svg.querySelectorAll("text")].map((e) => e.getBoundingClientRect().height)) };
})"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with opened_browser() as context:
        yield context


@pytest.fixture(scope="module")
def report() -> Path:
    """Eight parameters with long names over sixteen powers of ten, outputs of every size, one that
    is always the same, one that is a number for half of the points only."""
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    mech.add_body("the long rod", 1.0, 0.1, (0.5, 0.0), 0.0, kind="planar")
    mech.add_joint(iso.Hinge("pin", "ground", "the long rod", point=(0, 0)))
    mech.add_load(iso.Spring("spring", "ground", "the long rod", points=((1, 1), (1, 0)), stiffness=2.0, damping=0.1))
    mech.add_load(iso.JointSpring("suspension", "pin", stiffness=1.0, damping=0.1))
    mech.add_load(iso.Force("push", "the long rod", (1.0, 0.0)))
    values = {
        "the long rod.mass": "0.5:1.5",
        "the long rod.inertia": "0.05:0.15",
        "spring.stiffness": "1e-9:2e-9",
        "spring.damping": "1e-7:2e-7",
        "suspension.stiffness": "0.5:2",
        "suspension.damping": "0.05:0.2",
        "push.force[0]": "-123456:-123400",
        "push.force[1]": "-1:1",
    }
    outputs = [
        "largest_reaction_of_the_pin = max(|pin.force|)",
        "tiny = 1e-12 * last(pin.angle)",
        "same = 0 * last(pin.angle)",
        "half = sqrt(last(pin.angle))",
    ]
    OUT.mkdir(parents=True, exist_ok=True)
    (OUT / "sweep.nc").unlink(missing_ok=True)
    found = iso.sweep(mech, values, outputs, count=24, workers=0, out=OUT / "sweep.nc", dt=0.01, t_end=0.1)
    return write_report(found, OUT / "sweep.html", title="A swing with eight numbers")


def overlap(a: Any, b: Any) -> bool:
    """Whether two boxes share more than a hair."""
    return min(a[2], b[2]) - max(a[0], b[0]) > 1.0 and min(a[3], b[3]) - max(a[1], b[1]) > 3.0


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_a_sweep_fits(browser: Any, report: Path, width: int, scheme: str) -> None:
    page = Page(browser, report, scheme, width=width, ready=False)
    page.picture(f"sweep_{width}_{scheme}", full=True)
    assert page.cropped() == []
    worst, where = page.ask(f"({CONTRAST})()")
    assert worst > 3.0, where
    pictures = page.ask(f"({DRAWN})()")
    assert len(pictures) == 4 * (1 + 8)
    for drawn in pictures:
        left, top, right, bottom = drawn["frame"]
        assert drawn["marks"], drawn["label"]
        assert drawn["size"] > 8.0, drawn["label"]  # texts can be read
        for x0, y0, x1, y1 in drawn["texts"] + drawn["marks"]:
            assert left - 1 <= x0 <= x1 <= right + 1, drawn["label"]
            assert top - 1 <= y0 <= y1 <= bottom + 1, drawn["label"]
        for i, one in enumerate(drawn["texts"]):
            for j in range(i):
                assert not overlap(one, drawn["texts"][j]), (drawn["label"], drawn["words"][i], drawn["words"][j])
        axes = drawn["axes"]
        low, high = min(a[0] for a in axes), max(a[2] for a in axes)
        assert all(low - 4 <= m[0] and m[2] <= high + 4 for m in drawn["marks"]), drawn["label"]
    page.close()
