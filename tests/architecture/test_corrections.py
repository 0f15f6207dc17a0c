"""The page of corrections: every row says equation, printed, right, how it was found, and a test that
exists."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "corrections.md"


def rows() -> list[list[str]]:
    """Cells of all rows of the tables of corrections."""
    found, inside = [], False
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("| equation |"):
            inside = True
        elif not line.startswith("|"):
            inside = False
        elif inside and not line.startswith("|---"):
            found.append([cell.strip() for cell in line.strip("|").split(" | ")])
    return found


def test_every_row_is_whole_and_its_test_exists() -> None:
    assert len(rows()) > 70
    for cells in rows():
        assert len(cells) == 5, cells[0]
        assert all(cells), cells[0]
        (path,) = re.findall(r"`([\w/]+\.py)`", cells[4])
        assert (ROOT / "tests" / path).is_file(), (cells[0], path)


def test_what_must_be_there() -> None:
    first = {cells[0] for cells in rows()}
    for name in ("(4.32)", "Theorem 2.4.5", "Remark 2.4.4", "Remark 3.3.1, position level"):
        assert name in first
