"""Prose of docstrings is at most 100 columns wide; equations, tables and examples may be wider."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from architecture_source import PACKAGE, nodes

WIDE = 100
EXAMPLE = (">>>", "...")
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)


def is_prose(line: str) -> bool:
    """Whether a line consists of words: no columns, no example, four words at least."""
    text = line.strip()
    if text.startswith(EXAMPLE) or re.search(r"\S {2,}\S", text):
        return False
    return len(re.findall(r"[A-Za-z][a-z]{2,}", text)) >= 4


def wide_prose(path: Path) -> list[str]:
    """Lines of prose in docstrings that are too wide."""
    lines, found = path.read_text(encoding="utf-8").splitlines(), []
    for node in nodes(path):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node) is not None:
            string = node.body[0]
            inside = lines[string.lineno - 1 : string.end_lineno]
            found += [line for line in inside if len(line) > WIDE and is_prose(line)]
    return found


def test_prose_is_narrow() -> None:
    wide = {path: wide_prose(path) for path in sorted(PACKAGE.rglob("*.py"))}
    told = {path.relative_to(PACKAGE).as_posix(): lines for path, lines in wide.items() if lines}
    assert not told, told


def test_the_check_sees_wide_prose(tmp_path: Path) -> None:
    wide, example = tmp_path / "wide.py", tmp_path / "example.py"
    wide.write_text('"""One.\n\n' + "many words in a row " * 6 + '\n"""\n', encoding="utf-8")
    example.write_text('"""One.\n\n    >>> ' + "many_words(in, a, row) " * 6 + '\n"""\n', encoding="utf-8")
    assert len(wide_prose(wide)) == 1
    assert wide_prose(example) == []
