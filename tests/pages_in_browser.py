"""Pages opened in a real browser: headless Chromium, from a file, with the network blocked.

Tests are skipped, with the reason, where there is no Chromium or no Playwright to drive it.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

OUT = Path(__file__).resolve().parent.parent / "out" / "browser"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-color-profile=srgb",
]
SIZES = [(width, scheme) for width in (1200, 400) for scheme in ("light", "dark")]

CROPPED = """() => {
    const scrolls = (e) => ["auto", "scroll"].includes(getComputedStyle(e).overflowX);
    const found = [], width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth > width) found.push(`the page is ${document.documentElement.scrollWidth} wide`);
    for (const e of document.body.querySelectorAll("*")) {
        const box = e.getBoundingClientRect(), style = getComputedStyle(e);
        if (!box.width || !box.height || style.visibility === "hidden" || style.opacity === "0") continue;
        if (e.tagName === "IMG" && !(e.complete && e.naturalWidth > 0)) found.push(`picture ${e.src} is missing`);
        let held = false, away = false;
        for (let p = e.parentElement; p && p !== document.body; p = p.parentElement) {
            held ||= scrolls(p);
            away ||= getComputedStyle(p).position === "fixed" || getComputedStyle(p).visibility === "hidden";
        }
        if (held || away || style.position === "fixed" || e.closest("svg")) continue;
        const name = `${e.tagName.toLowerCase()}.${e.className} "${(e.innerText || "").slice(0, 40)}"`;
        if (box.right > width + 1 || box.left < -1) found.push(`${name} reaches from ${box.left} to ${box.right} of ${width}`);
        const text = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
        if (text && style.overflowX === "hidden" && box.width > 2 && e.scrollWidth > e.clientWidth + 1) found.push(`${name} is cut`);
    }
    return found;
}"""
# the least contrast of a text and its background
CONTRAST = """() => {
    const parse = (c) => c.match(/[\\d.]+/g).map(Number);
    const behind = (e) => { for (; e; e = e.parentElement) {
        const c = parse(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0.5) return c; } return [255, 255, 255]; };
    const light = (c) => { const [r, g, b] = c.slice(0, 3).map((x) => (x /= 255) <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    let worst = 21, where = "";
    for (const e of document.body.querySelectorAll("h1, h2, h3, p, td, th, li, summary, div")) {
        if (![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()) || !e.getBoundingClientRect().height) continue;
        const [a, b] = [light(parse(getComputedStyle(e).color)), light(behind(e))];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < worst) [worst, where] = [ratio, e.innerText.slice(0, 60)];
    }
    return [worst, where];
}"""


def chromium() -> str | None:
    """Where Chromium is, if anywhere."""
    return next(
        (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
    )


@contextmanager
def opened_browser() -> Iterator[Any]:
    """A context of a browser without network; tests are skipped with the reason where there is
    none."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    path = chromium()
    if path is None:
        pytest.skip("no Chromium on this machine")
    with tempfile.TemporaryDirectory() as profile, sync_api.sync_playwright() as play:
        context = play.chromium.launch_persistent_context(
            profile,
            executable_path=path,
            headless=True,
            args=FLAGS,
            offline=True,
            viewport={"width": 1200, "height": 800},
            reduced_motion="no-preference",
        )
        try:
            yield context
        finally:
            context.close()


class Page:
    """One page from a file: what it complained about and what it asked the network for are
    remembered."""

    def __init__(
        self, context: Any, path: Path, scheme: str = "light", *, width: int = 1200, ready: bool = True
    ) -> None:
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page = context.new_page()
        self.page.set_viewport_size({"width": width, "height": 800})
        self.page.emulate_media(color_scheme=scheme)
        self.page.on("console", lambda m: self.complaints.append(m.text) if m.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on(
            "request", lambda r: None if r.url.startswith(("file:", "data:", "blob:")) else self.requests.append(r.url)
        )
        self.page.goto(path.resolve().as_uri())
        if ready:
            self.page.wait_for_selector("html[data-ready=yes]", timeout=15_000)

    def show(self, scheme: str, width: int) -> None:
        """Change the colours and the width of the window, until it is drawn anew."""
        self.page.set_viewport_size({"width": width, "height": 800})
        self.page.emulate_media(color_scheme=scheme)
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def ask(self, script: str) -> Any:
        """The value of an expression of the page."""
        return self.page.evaluate(script)

    def look(self, selector: str) -> int:
        """Remember what a canvas shows; the number of the memory."""
        found: int = self.page.evaluate(
            """(selector) => {
                const shown = document.querySelector(selector), c = document.createElement("canvas");
                [c.width, c.height] = [shown.width, shown.height];
                const context = c.getContext("2d", { willReadFrequently: true });
                context.drawImage(shown, 0, 0);
                const seen = (window.seen = window.seen || []);
                return seen.push(context.getImageData(0, 0, c.width, c.height).data) - 1;
            }""",
            selector,
        )
        return found

    def changed(self, one: int, other: int) -> int:
        """How many pixels two memories differ in, by more than the eye would forgive."""
        found: int = self.page.evaluate(
            """([i, k]) => {
                const a = window.seen[i], b = window.seen[k];
                if (a.length !== b.length) return -1;
                let n = 0;
                for (let p = 0; p < a.length; p += 4)
                    if (Math.max(...[0, 1, 2].map((c) => Math.abs(a[p + c] - b[p + c]))) > 8) n++;
                return n;
            }""",
            [one, other],
        )
        return found

    def cropped(self) -> list[str]:
        """Elements that reach beyond the window or are cut off by what holds them, unless they can
        be scrolled, and pictures that did not load."""
        found: list[str] = self.page.evaluate(CROPPED)
        return found

    def picture(self, name: str, full: bool = False) -> Path:
        """A screenshot, kept under out/browser."""
        OUT.mkdir(parents=True, exist_ok=True)
        path = OUT / f"{name}.png"
        self.page.screenshot(path=str(path), full_page=full)
        return path

    def close(self) -> None:
        """Close it; complaints and requests are errors."""
        self.page.close()
        assert self.complaints == []
        assert self.requests == []
