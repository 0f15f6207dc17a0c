"""The Python of the pages runs as it stands, and their links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md",
    *(
        DOCS / name
        for name in (
            "mechanisms.md",
            "beams.md",
            "subdomains.md",
            "reduction.md",
            "model_files.md",
            "reading_results.md",
            "reports.md",
            "one_step_by_hand.md",
        )
    ),
]
BUILT = re.compile(r"(^|/)_(generated|build)/")  # written by make docs


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_python_of_the_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All blocks of a page one after the other, asserts included; files go to a folder of their
    own."""
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) > 1
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, str(page), "exec"), names)


@pytest.mark.parametrize("page", [*ROOT.glob("*.md"), *sorted(DOCS.rglob("*.md"))], ids=named)
def test_links_and_figures_of_the_page(page: Path) -> None:
    """Every relative link names a file of the repository."""
    if BUILT.search(page.as_posix()):
        pytest.skip("written by make docs, which checks it")
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", text)
    targets += [f"{name}.md" for name in re.findall(r"\{doc\}`(?:[^`<]*<)?([^`>]+)>?`", text)]
    for target in targets:
        if re.match(r"[a-z]+:", target) or BUILT.search(target) or target.startswith("_generated"):
            continue
        place = DOCS / target.removeprefix("/") if target.startswith("/") else page.parent / target
        assert place.exists(), f"{named(page)} names {target}"


def test_the_moving_picture_is_small() -> None:
    picture = (DOCS / "images" / "squeezer.gif").read_bytes()
    assert picture[:6] == b"GIF89a"
    assert len(picture) <= 1_000_000
