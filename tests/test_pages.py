"""The Python of the pages runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).resolve().parent.parent / "docs"


@pytest.mark.parametrize(
    "page",
    [
        "mechanisms.md",
        "beams.md",
        "subdomains.md",
        "reduction.md",
        "model_files.md",
        "reports.md",
        "one_step_by_hand.md",
    ],
)
def test_python_of_the_page(page: str) -> None:
    """All blocks of a page one after the other, asserts included."""
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) > 1
    names: dict[str, Any] = {}
    for block in blocks:
        exec(block, names)
