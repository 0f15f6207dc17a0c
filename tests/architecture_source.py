"""The source of the package, parsed and not run: which part imports which, and what stands inside
functions."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "isodyn"
ROOT = "the package root"
LOADERS = {"Later", "LaterSparse", "import_module", "names_from"}


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of the syntax tree of a file, which is read once and kept: the collector of garbage,
    which would look at hundreds of thousands of them again and again, does not see them."""
    gc.disable()
    try:
        found = tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))))
        gc.freeze()
    finally:
        gc.enable()
    return found


def part_of(path: Path, package: Path = PACKAGE) -> str:
    """The part a file belongs to."""
    first = path.relative_to(package).parts[0].removesuffix(".py")
    return ROOT if first == "__init__" else first


def imported_parts(path: Path, package: Path = PACKAGE) -> Iterator[tuple[str, int]]:
    """(part of isodyn, line) for every import of a file, wherever it stands.

    A module that is named for later, `Later("isodyn.x")`, is an import too.
    """
    below = list(path.relative_to(package).parts[:-1])
    parts = {p.name.removesuffix(".py") for p in package.iterdir()}
    for node in nodes(path):
        if isinstance(node, ast.Import):
            modules = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = node.module.split(".") if node.module else []
            if node.level:
                module = ["isodyn", *below[: len(below) + 1 - node.level], *module]
            modules = [module]
            # from isodyn import x: a part, or a name that the root re-exports
            if module == ["isodyn"]:
                modules = [["isodyn", alias.name] if alias.name in parts else ["isodyn"] for alias in node.names]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in LOADERS:
            name = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else ""
            modules = [str(name).split(".")]
        else:
            continue
        for module in modules:
            if module[:1] == ["isodyn"]:
                yield (module[1] if len(module) > 1 else ROOT), node.lineno


def imports_inside_functions(path: Path) -> Iterator[tuple[str, int]]:
    """(module, line) for every import statement that stands in the body of a function."""
    inside = {
        node
        for function in nodes(path)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    for node in sorted(inside, key=lambda node: node.lineno):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        else:
            yield "." * node.level + (node.module or ""), node.lineno
