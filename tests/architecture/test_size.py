"""Functions and files stay small enough to be read.

No function is more complex than 20 (cyclomatic, counted by ruff), and those above 12 are listed: the
list may only become shorter, and the numbers smaller. No function takes more than 12 arguments by
position, kernels too; options by name do not count. No file has more than 400 lines, docstrings
included.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys

from architecture_source import PACKAGE, nodes

SIMPLE, MOST = 12, 20
ARGUMENTS = 12
LINES = 400

# above 20: to be divided
TOO_COMPLEX: dict[tuple[str, str], int] = {}
# above 12
COMPLEX = {
    ("systems/joined.py", "_joined"): 13,
}
TOO_MANY_ARGUMENTS: set[tuple[str, str]] = set()


def complexities() -> dict[tuple[str, str], int]:
    """Complexity of every function above SIMPLE, by (file, name)."""
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select", "C901", "--exit-zero"]
    command += ["--config", f"lint.mccabe.max-complexity={SIMPLE}", "--output-format", "json", str(PACKAGE)]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    found: dict[tuple[str, str], int] = {}
    for one in json.loads(run.stdout):
        name, number = re.findall(r"`(.*)` is too complex \((\d+)", one["message"])[0]
        place = one["filename"].split("/isodyn/")[-1]
        found[place, name] = max(int(number), found.get((place, name), 0))
    return found


def test_functions_are_simple() -> None:
    found = complexities()
    above = {key: n for key, n in found.items() if n > MOST and n > TOO_COMPLEX.get(key, MOST)}
    assert not above, f"more complex than {MOST}: {above}"
    known = {**COMPLEX, **TOO_COMPLEX}
    new = {key: n for key, n in found.items() if n > known.get(key, SIMPLE)}
    assert not new, f"more complex than {SIMPLE}, or than they were: {new}"
    simpler = {key: found.get(key, SIMPLE) for key, n in known.items() if found.get(key, SIMPLE) < n}
    assert not simpler, f"simpler now; take them off the list, or lower the number: {simpler}"


def test_functions_take_few_arguments_by_position() -> None:
    found = set()
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in nodes(path):
            if isinstance(node, ast.FunctionDef):
                names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
                if len(names) - (names[:1] in (["self"], ["cls"])) > ARGUMENTS:
                    found.add((path.relative_to(PACKAGE).as_posix(), node.name))
    assert found <= TOO_MANY_ARGUMENTS


def test_files_are_short() -> None:
    lines = {path: path.read_text(encoding="utf-8").count("\n") for path in sorted(PACKAGE.rglob("*.py"))}
    assert {path.relative_to(PACKAGE).as_posix(): n for path, n in lines.items() if n > LINES} == {}
