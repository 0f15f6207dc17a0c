"""Kernels read their memory by name: no flat arrays of a model's numbers, no places with numbers or
with constants for names (`pf[n + 9]`, `table[FIRST]`). Components of vectors in space are free."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from architecture_source import PACKAGE, nodes

FLAT = {"pf", "pi"}
PLACE = re.compile(r"[A-Z][A-Z0-9]*_?[A-Z0-9_]+")  # a constant: M and K are matrices
LARGEST = 5  # the last component of a twist

# uses that are left, by file: these numbers only ever become smaller
LEFT = {
    "stepping/dop853.py": 3,
    "joints/measures.py": 4,
    "joints/second_order.py": 5,
    "multibody/formula_laws.py": 5,
    "multibody/nodes.py": 6,
    "multibody/places.py": 3,
    "multibody/rows.py": 1,
    "multibody/turns.py": 5,
    "problems/andrews.py": 51,  # the seven angles of a test set, in its formulas
    "problems/andrews21.py": 8,
    "results/load_view.py": 4,
    "subdomains/linear_kernels.py": 3,
}


def is_kernel(function: ast.FunctionDef) -> bool:
    made = [ast.unparse(one) for one in function.decorator_list]
    return any(re.match(r"(kernel|closure|_compiled)\b", one) for one in made)


def numbered_places(all_nodes: Iterable[ast.AST]) -> list[str]:
    """Subscripts in kernels that are numbered, as they stand there."""
    functions = [node for node in all_nodes if isinstance(node, ast.FunctionDef) and is_kernel(node)]
    return [
        ast.unparse(node)
        for function in functions
        for node in ast.walk(function)
        if isinstance(node, ast.Subscript) and (in_flat(node) or any(map(is_place, ast.walk(node.slice))))
    ]


def in_flat(node: ast.Subscript) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id in FLAT


def is_place(index: ast.AST) -> bool:
    if isinstance(index, ast.Name):
        return PLACE.fullmatch(index.id) is not None
    return isinstance(index, ast.Constant) and isinstance(index.value, int) and index.value > LARGEST


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("x = pf[n + 1]", ["pf[n + 1]"]),
        ("x = table[FIRST + k]", ["table[FIRST + k]"]),
        ("out[17] = body.mass", ["out[17]"]),
        ("out[first + 2] = body.inertia[2, 2] * tables.gravity[2]", []),
        ("x = tables.bodies[k].mass + M[i, j]", []),
    ],
)
def test_numbered_places_are_seen(line: str, found: list[str]) -> None:
    function = f"def f(x):\n    {line}\n"
    assert numbered_places(ast.walk(ast.parse(f"@kernel()\n{function}"))) == found
    assert numbered_places(ast.walk(ast.parse(function))) == []


def test_kernels_read_their_memory_by_name() -> None:
    found: Counter[str] = Counter()
    for path in sorted(Path(PACKAGE).rglob("*.py")):
        found[path.relative_to(PACKAGE).as_posix()] = len(numbered_places(nodes(path)))
    more = {name: count for name, count in found.items() if count > LEFT.get(name, 0)}
    assert not more, "declare a Struct (isodyn.kernels.struct) and read its fields"
    fewer = {name: found[name] for name, count in LEFT.items() if found[name] < count}
    assert not fewer, f"fewer now; lower the numbers of the list: {fewer}"
