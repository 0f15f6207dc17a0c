"""The page about formulations shows the table of the code."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

from isodyn.formulations.table import TABLE

DOCS = Path(__file__).resolve().parents[2] / "docs"


def settings() -> Any:
    specification = importlib.util.spec_from_file_location("docs_conf", DOCS / "conf.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_the_table_is_put_in() -> None:
    """The mark stands on the page once, and every formulation appears in its place."""
    conf = settings()
    page = [(DOCS / "formulations.md").read_text(encoding="utf-8")]
    assert page[0].count(conf.TABLE_MARK) == 1
    conf.insert_tables(None, "formulations", page)
    assert conf.TABLE_MARK not in page[0]
    assert all(f"| `{row.name}` |" in page[0] for row in TABLE)
