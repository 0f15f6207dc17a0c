"""`Any` stands only where no type is known; their numbers may only become smaller.

What remains of `Any` by itself is of these kinds:

- what a user gives and a class turns into arrays in place (points, directions and shapes of parts),
  and options that are handed on as they came (`**options`);
- objects of libraries without types: Numba, SciPy, SymPy, scikit-fem, distributed, JAX, and what is
  read from JSON, TOML and XML;
- systems whose class only the caller knows (`Solution.system` and what reads parts of it), because
  lower layers must not name it;
- walks over whatever a function or a dataclass holds (checkpoints of Python functions, parameters
  by name, identities of models).

Two names stand for `Any`, and are counted by themselves: `Matrix` and `Numbers` of
isodyn.open_types.
"""

from __future__ import annotations

import ast

from architecture_source import PACKAGE

MOST = 395  # annotations that are `Any` and nothing more
MOST_NAMED = 350  # annotations that are another name of it and nothing more
NAMES = ("Matrix", "Numbers")


def bare(text: str, *names: str) -> int:
    """How many arguments, results and variables are annotated with one of these names alone."""
    found = 0
    for node in ast.walk(ast.parse(text)):
        given = (
            node.returns
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            else node.annotation
            if isinstance(node, ast.arg | ast.AnnAssign)
            else None
        )
        if given is not None:
            said = given.value if isinstance(given, ast.Constant) else ast.unparse(given)
            found += str(said).rpartition(".")[2] in names
    return found


def all_bare(*names: str) -> int:
    return sum(bare(path.read_text(encoding="utf-8"), *names) for path in PACKAGE.rglob("*.py"))


def test_any_is_seen() -> None:
    text = """
def f(x: Any, /, y: float, *z: Any, k: 'Any' = 1, **more: typing.Any) -> Any:
    u: Any = x
    w: list[Any] = y

async def g() -> Any: ...
"""
    assert bare(text, "Any") == 7


def test_any_becomes_rare() -> None:
    assert all_bare("Any") <= MOST


def test_other_names_of_it_become_rare() -> None:
    assert all_bare(*NAMES) <= MOST_NAMED


def test_the_names_of_it_are_these() -> None:
    found = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.AnnAssign | ast.Assign)
                and isinstance(node.value, ast.Name)
                and node.value.id == "Any"
            ):
                target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
                found.add(ast.unparse(target))
    assert found == set(NAMES)
