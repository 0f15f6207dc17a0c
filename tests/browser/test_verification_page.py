"""The page of `isodyn verify` in a browser: plots are drawn, steps become seconds, nothing is asked
of a network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from isodyn.report.verification import write_verification
from isodyn.studies.verification import Case, Measurement, verify
from pages_in_browser import Page, opened_browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with opened_browser() as context:
        yield context


def document() -> dict[str, Any]:
    """One case of second order that passes, one without steps that fails."""
    common = {"topic": "friction", "shows": "A < B.", "source": "own problem", "reference": "zero", "trust": "exact"}
    plotted = Case(
        name="plotted",
        steps=(0.4, 0.2, 0.1),
        prepare=lambda: (
            lambda dt: Measurement(errors={"q": dt**2, "lam": 3 * dt**2}, steps=round(4 / dt), seconds=0.1 / dt)
        ),
        bounds={"q": 0.02, "lam": 0.05},
        orders={"q": 2, "lam": 2},
        link="https://example.org/a?b&c",
        peers=("another package: 1e-3",),
        **common,
    )
    failing = Case(
        name="failing",
        steps=(0.0,),
        prepare=lambda: lambda _: Measurement(errors={"q": 1.0}),
        bounds={"q": 0.5},
        **common,
    )
    outcomes = [verify(case) for case in (plotted, failing)]
    cases = [outcome.to_dict() for outcome in outcomes]
    return {
        "quick": False,
        "passed": 1,
        "failed": 1,
        "skipped": 0,
        "seconds": 1.0,
        "versions": {"isodyn": "0"},
        "cases": cases,
    }


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_plots_and_their_abscissa(browser: Any, tmp_path: Path, scheme: str) -> None:
    page = Page(browser, write_verification(document(), tmp_path / "page.html"), scheme)
    assert page.ask("isodynPlots.length") == 1
    assert page.ask("isodynPlots[0].series.map((s) => s.name)") == ["q", "λ", "order 2"]
    assert page.ask("isodynPlots[0].o.x") == [10, 20, 40]
    before = page.look("#plot-plotted canvas")
    page.page.click("#work button[data-work=seconds]")
    assert page.ask("isodynPlots[0].o.x") == pytest.approx([0.25, 0.5, 1.0])
    assert page.ask("isodynPlots[0].o.xLabel") == "seconds"
    assert page.changed(before, page.look("#plot-plotted canvas")) > 50
    assert page.ask("document.querySelector('#failing .fail').textContent") == "failed"
    assert page.ask("document.querySelector('#plotted p').textContent") == "A < B."
    assert "q = 1, asked ≤ 0.5" in page.ask("document.querySelector('.note').textContent")
    page.picture(f"verification_{scheme}", full=True)
    page.close()
