"""The pages that `make docs` built: every link, anchor and figure is there, and the landing pages and
some with tables and figures fit at 1200 and 400 px, dark and light, without messages in the
console. `make docs` runs this."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from pages_in_browser import SIZES, Page, opened_browser

BUILT = Path(__file__).resolve().parents[2] / "docs" / "_build" / "html"
LANDING = ("index", "start", "tutorials", "_generated/gallery", "tasks", "reference/index", "mechanisms")
PAGES = (
    *("contacts", "sensitivities", "adaptive_steps", "benchmarks", "fitting", "reference/commands"),
    *("_generated/tutorials/four_bar_to_report", "_generated/gallery/designs"),
)
pytestmark = pytest.mark.skipif(not (BUILT / "index.html").is_file(), reason="the docs are not built: make docs")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with opened_browser() as context:
        yield context


@cache
def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


@cache
def anchors(page: Path) -> frozenset[str]:
    return frozenset(re.findall(r'\bid="([^"]+)"', text_of(page)))


def test_links_anchors_and_figures() -> None:
    """Of every page but listings of source files: what it refers to inside the site exists."""
    pages = [page for page in BUILT.rglob("*.html") if "_modules" not in page.relative_to(BUILT).parts]
    assert len(pages) > 50
    missing = []
    for page in pages:
        for target in set(re.findall(r'\b(?:href|src)="([^"]+)"', text_of(page))):
            parts = urlsplit(target)
            if parts.scheme or parts.netloc or target == "#":
                continue
            there = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            if not there.exists():
                missing.append(f"{page.relative_to(BUILT)}: {target}")
            elif parts.fragment and there.suffix == ".html" and unquote(parts.fragment) not in anchors(there):
                missing.append(f"{page.relative_to(BUILT)}: no anchor {target}")
    assert missing == []


@pytest.mark.slow
@pytest.mark.parametrize("name", LANDING + PAGES)
def test_a_page_fits(browser: Any, name: str) -> None:
    """Opened once; then the window and the colours change, as they do for a reader."""
    page = Page(browser, BUILT / f"{name}.html", ready=False)
    for width, scheme in SIZES:
        page.show(scheme, width)
        page.picture(f"docs_{name.replace('/', '_')}_{width}_{scheme}")
        assert (width, scheme, page.cropped()) == (width, scheme, [])
        light = sum(map(int, re.findall(r"\d+", page.ask("getComputedStyle(document.body).backgroundColor"))[:3]))
        assert (light < 384) == (scheme == "dark")
    page.close()
