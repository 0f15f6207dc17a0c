"""Who may import whom, and who may touch files and streams.

The source is parsed, not run, so that a forbidden import inside a function or under TYPE_CHECKING
is seen too. A part is the first name below `isodyn`: a package (`schemes`) or a module (`cli`).
Rules for parts that do not exist yet hold from the day they appear.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from architecture_source import PACKAGE, ROOT, imported_parts, nodes, part_of

# part -> parts of isodyn it must not import; the root re-exports everything, so importing from it
# hides the part.
FORBIDDEN = {
    "formulations": {"schemes", ROOT},
    "systems": {"schemes", "stepping", "marching", "api", ROOT},
    "bodies": {"schemes", "formulations", ROOT},
    "joints": {"schemes", "formulations", ROOT},
    "loads": {"schemes", "formulations", ROOT},
    "beams": {"schemes", "formulations", ROOT},
}
# part -> the only parts of isodyn it may import
ALLOWED = {
    "schemes": {"schemes", "errors", "later", "described"},
    "errors": set(),
    "gauss": {"gauss", "errors", "linear_solvers", "described", "open_types"},
}

SEE_SCHEMES_AND_SYSTEMS = {
    "stepping",
    "marching",
    "api",
    "studies",
    "analysis",
    "problems",
    "report",
    "cli",
    "results",
    "subdomains",
    ROOT,
}

DO_INPUT_AND_OUTPUT = {"results", "report", "cli"}
MAY_WRITE_TO_STDERR = {"marching/progress.py", "kernels/progress.py", "kernels/cache.py"}
# in a folder of the user, for a wheel
KEEPS_MACHINE_CODE = {"kernels/cache.py", "kernels/build.py"}
MAKES_UNITS = {"models/fmu.py"}  # a unit for co-simulation is an archive of files
WRITING_NAMES = {"open", "print", "input"}
WRITING_METHODS = {"open", "print", "write_text", "write_bytes", "savefig", "savetxt", "savez", "tofile", "mkdir"}

NOT_AT_IMPORT = (
    "pydantic",
    "h5netcdf",
    "meshio",
    "matplotlib",
    "xarray",
    "skfem",
    "rich",
    "click",
    "sympy",
    "plotly",
    "trimesh",
    "distributed",
)


def writes(path: Path) -> Iterator[tuple[str, int]]:
    """(what, line) for every call that reads from or writes to a file or a stream."""
    for node in nodes(path):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name | ast.Attribute):
            continue
        last = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
        if last not in {*WRITING_NAMES, *WRITING_METHODS, "save", "write"}:  # `unparse` takes long
            continue
        name = ast.unparse(node.func)
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if name in WRITING_NAMES or method in WRITING_METHODS or name in {"np.save", "numpy.save"}:
            to_stderr = any(k.arg == "file" and ast.unparse(k.value) == "sys.stderr" for k in node.keywords)
            yield (f"{name}(file=sys.stderr)" if to_stderr else f"{name}()"), node.lineno
        elif name in {"sys.stderr.write", "sys.stdout.write"}:
            yield f"{name}()", node.lineno


def violations(package: Path = PACKAGE) -> list[str]:
    """One sentence for each broken rule, with its place."""
    found: list[str] = []
    seen: dict[str, set[str]] = {}
    for path in sorted(package.rglob("*.py")):
        part, place = part_of(path, package), path.relative_to(package).as_posix()
        for target, line in imported_parts(path, package):
            seen.setdefault(part, set()).add(target)
            if target in FORBIDDEN.get(part, set()) or target not in ALLOWED.get(part, {target}):
                found.append(f"{place}:{line}: {part} must not import {target}")
        if part not in DO_INPUT_AND_OUTPUT:
            found += [
                f"{place}:{line}: {what} outside {', '.join(sorted(DO_INPUT_AND_OUTPUT))}"
                for what, line in writes(path)
                if place not in KEEPS_MACHINE_CODE | MAKES_UNITS
                and not ("sys.stderr" in what and place in MAY_WRITE_TO_STDERR)
            ]
    found += [
        f"{part}: must not see both schemes and systems"
        for part, targets in seen.items()
        if {"schemes", "systems"} <= targets and part not in SEE_SCHEMES_AND_SYSTEMS
    ]
    return found


@pytest.mark.slow
def test_source_keeps_the_import_and_output_rules() -> None:
    """Physics, coefficients and formulations stay apart, and only results, report and cli do
    I/O."""
    assert violations() == []


@pytest.mark.parametrize(
    ("place", "code", "message"),
    [
        ("schemes/gs4_2.py", "from isodyn.kernels.compiled import njit", "schemes must not import kernels"),
        ("schemes/gs4_2.py", "def f():\n    from ..systems import linear", "schemes must not import systems"),
        ("systems/linear.py", "from isodyn import api", "systems must not import api"),
        ("systems/linear.py", "from .. import Scheme", "systems must not import the package root"),
        ("formulations/ggl.py", "import isodyn.schemes.gs4_2", "formulations must not import schemes"),
        ("joints/hinge.py", "from isodyn.formulations import GGL", "joints must not import formulations"),
        ("mechanism.py", "from isodyn import schemes, systems", "must not see both schemes and systems"),
        ("systems/linear.py", "x = Later('isodyn.marching.run')", "systems must not import marching"),
        ("systems/linear.py", "x = import_module('isodyn.api')", "systems must not import api"),
        ("systems/linear.py", "x = names_from('isodyn.api', {})", "systems must not import api"),
        ("studies/order.py", "print(1)", "print() outside"),
        ("marching/march.py", "import sys\nsys.stderr.write('x')", "sys.stderr.write() outside"),
        ("marching/progress.py", "print(1)", "print() outside"),
        ("problems/kepler.py", "from pathlib import Path\nPath('x').write_text('y')", "write_text() outside"),
    ],
)
def test_each_rule_is_seen_when_broken(tmp_path: Path, place: str, code: str, message: str) -> None:
    """The checker itself: one broken rule in an otherwise empty package gives exactly its
    message."""
    for part in ("schemes", "systems", "marching", "api", "formulations"):
        (tmp_path / part).mkdir()
    path = tmp_path / place
    path.parent.mkdir(exist_ok=True)
    path.write_text(code, encoding="utf-8")
    (found,) = violations(tmp_path)
    assert message in found


@pytest.mark.parametrize(
    ("place", "code"),
    [
        ("schemes/gs4_2.py", "from isodyn.errors import SchemeError\nfrom . import named"),
        ("problems/kepler.py", "from isodyn.schemes import Scheme\nfrom isodyn.systems import MechanicalSystem"),
        ("marching/progress.py", "import sys\nsys.stderr.write('x')\nprint('y', file=sys.stderr)"),
        ("cli.py", "print(1)"),
    ],
)
def test_what_the_rules_allow_passes(tmp_path: Path, place: str, code: str) -> None:
    """The checker raises no false alarm."""
    path = tmp_path / place
    path.parent.mkdir(exist_ok=True)
    path.write_text(code, encoding="utf-8")
    assert violations(tmp_path) == []


def test_a_problem_of_points_loads_no_mechanisms() -> None:
    """What the command line loads to run a pendulum: kernels of mechanisms and beams stay where
    they are."""
    script = (
        "import json, sys; from isodyn.cli import main\n"
        "try: main(['run', 'pendulum', '--t-end', '0.1', '--json'])\n"
        "except SystemExit: pass\n"
        "print('\\n' + json.dumps(sorted(name for name in sys.modules if name.startswith('isodyn.'))))"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=300)
    loaded = json.loads(run.stdout.splitlines()[-1])
    assert [name for name in loaded if name.split(".")[1] in ("mechanism", "beams", "joints", "loads", "bodies")] == []


def loaded_by(script: str) -> set[str]:
    """Names of the packages that a script loads."""
    script += "\nimport json, sys; print('\\n' + json.dumps(sorted({name.split('.')[0] for name in sys.modules})))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120)
    return set(json.loads(run.stdout.splitlines()[-1]))


def test_import_is_light() -> None:
    """What a plain run needs loads no plotting, table, finite-element, terminal or symbolic package."""
    assert not set(NOT_AT_IMPORT) & loaded_by("import isodyn; isodyn.integrate, isodyn.MechanicalSystem")


@pytest.mark.parametrize("words", [["--help"], ["--version"], []])
def test_the_list_of_commands_loads_no_numbers(words: list[str]) -> None:
    """`isodyn --help` answers at once: neither NumPy nor Numba is loaded for it."""
    script = f"from isodyn.cli import main\ntry: main({words})\nexcept SystemExit: pass"
    assert not {"numpy", "numba", "scipy", "rich"} & loaded_by(script)
