"""`Any` stands only where no type is known; their number may only become smaller.

What is open on purpose has a name in `isodyn.open_types`.
"""

from __future__ import annotations

import ast

from architecture_source import PACKAGE

MOST = 1650  # annotations that are `Any` and nothing more; 1,558 when this was written


def bare(text: str) -> int:
    """How many arguments, results and variables are annotated with `Any` alone."""
    found = 0
    for node in ast.walk(ast.parse(text)):
        given = (
            node.returns
            if isinstance(node, ast.FunctionDef)
            else node.annotation
            if isinstance(node, ast.arg | ast.AnnAssign)
            else None
        )
        found += isinstance(given, ast.Name) and given.id == "Any"
    return found


def test_any_is_seen() -> None:
    assert bare("def f(x: Any, y: float, *z: Any) -> Any:\n    u: Any = x\n    w: list[Any] = y\n") == 4


def test_any_becomes_rare() -> None:
    assert sum(bare(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")) <= MOST
