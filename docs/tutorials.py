"""Run the tutorials and write their pages with what they print and draw, and the same as notebooks.

    python docs/tutorials.py            tutorials that changed since the last time
    python docs/tutorials.py --all      all of them

A tutorial is a page docs/tutorials/NAME.md; its Python blocks are the cells of the notebook. With
output it becomes docs/_generated/tutorials/NAME.md and NAME.ipynb.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import json
import os
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
os.environ.setdefault("NUMBA_CACHE_DIR", str(ROOT / ".cache" / "numba"))
SOURCES = ROOT / "docs" / "tutorials"
PAGES = ROOT / "docs" / "_generated" / "tutorials"
CELL = re.compile(r"```python\n(.*?)```\n?", re.DOTALL)


def cells(text: str) -> list[tuple[str, str]]:
    """("markdown" or "code", text) one after the other."""
    found = []
    at = 0
    for match in CELL.finditer(text):
        found += [("markdown", text[at : match.start()].strip()), ("code", match[1].rstrip())]
        at = match.end()
    found.append(("markdown", text[at:].strip()))
    return [(kind, cell) for kind, cell in found if cell]


def execute(cell: str, file: str, names: dict[str, Any]) -> Any:
    """Run a cell; the value of its last line, if that is an expression."""
    lines = ast.parse(cell, file)
    last = lines.body.pop() if isinstance(lines.body[-1], ast.Expr) else None
    exec(compile(lines, file, "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), file, "eval"), names)


def run(name: str, parts: list[tuple[str, str]], folder: Path) -> list[tuple[str, list[Path]]]:
    """What each cell prints, and the figures that it draws."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot
    from matplotlib.figure import Figure

    names: dict[str, Any] = {"__name__": "__main__"}
    outputs: list[tuple[str, list[Path]]] = []
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place, contextlib.chdir(place):
        for kind, cell in parts:
            text, figures = io.StringIO(), []
            if kind == "code":
                with contextlib.redirect_stdout(text):
                    last = execute(cell, f"{name}.md", names)
                drawn = [pyplot.figure(number) for number in pyplot.get_fignums()]
                drawn += [last] if isinstance(last, Figure) and last not in drawn else []
                for number, figure in enumerate(drawn, 1):
                    path = folder / f"{name}-{len(outputs)}-{number}.png"
                    figure.savefig(path, dpi=110, bbox_inches="tight")
                    figures.append(path)
                pyplot.close("all")
            outputs.append((text.getvalue().rstrip(), figures))
    return outputs


def page(name: str, parts: list[tuple[str, str]], outputs: list[tuple[str, list[Path]]]) -> str:
    """The page with outputs, and a link to the notebook behind its title."""
    blocks = []
    for (kind, cell), (text, figures) in zip(parts, outputs, strict=True):
        blocks.append(cell if kind == "markdown" else f"```python\n{cell}\n```")
        if text:
            blocks.append(f"```{{code-block}} none\n:class: output\n\n{text}\n```")
        blocks += [f"![A figure of this step]({figure.name})" for figure in figures]
    title, _, rest = blocks[0].partition("\n")
    blocks[0] = f"{title}\n\n{{download}}`As a notebook <{name}.ipynb>`\n{rest}"
    return "\n\n".join(blocks) + "\n"


def notebook(parts: list[tuple[str, str]]) -> dict[str, Any]:
    """A Jupyter notebook without outputs."""

    def cell(number: int, kind: str, text: str) -> dict[str, Any]:
        plain = re.sub(r"\{doc\}`(?:([^`<]*) <)?/?([^`>]+)>?`", lambda m: m[1] or m[2], text)
        source = (plain if kind == "markdown" else text).splitlines(keepends=True)
        more = {} if kind == "markdown" else {"execution_count": None, "outputs": []}
        return {"cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": source, **more}

    python = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {
        "cells": [cell(k, kind, text) for k, (kind, text) in enumerate(parts)],
        "metadata": {"kernelspec": python, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def main() -> int:
    """Write what is stale; the number of tutorials that failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    PAGES.mkdir(parents=True, exist_ok=True)
    failed = 0
    for source in sorted(SOURCES.glob("*.md")):
        target = PAGES / source.name
        if not options.all and target.is_file() and target.stat().st_mtime > source.stat().st_mtime:
            continue
        began = time.perf_counter()
        parts = cells(source.read_text(encoding="utf-8"))
        try:
            outputs = run(source.stem, parts, PAGES)
        except Exception as error:
            failed += 1
            print(f"{source.stem}: {type(error).__name__}: {error}", file=sys.stderr)
            continue
        (PAGES / f"{source.stem}.ipynb").write_text(json.dumps(notebook(parts), indent=1), encoding="utf-8")
        target.write_text(page(source.stem, parts, outputs), encoding="utf-8")
        print(f"{source.stem}: {time.perf_counter() - began:.1f} s", file=sys.stderr)
    return failed


if __name__ == "__main__":
    sys.exit(main())
