"""A broken coefficient, joint kernel or reaction makes `isodyn verify` red.

Each fault is one line, changed in a copy of the package that is run without compiling; the same
cases are green in the copy as it is.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "isodyn"


@dataclass(frozen=True)
class Fault:
    """Files in which the line may stand, the line, what becomes of it, and which cases see it."""

    files: tuple[str, ...]
    line: str
    broken: str
    seen_by: tuple[str, ...]


FAULTS = {
    "coefficient": Fault(
        ("schemes/member.py",),
        "W2L5=e[1] * m / (2.0 * p * s),",
        "W2L5=1.001 * e[1] * m / (2.0 * p * s),",
        ("textbook_coefficients", "generalised_alpha_by_hand"),
    ),
    "joint kernel": Fault(
        ("joints/measures.py",),
        "put(g, W_J, cross(rotate_back(q.R, u), triple(word.s_j)))",
        "put(g, W_J, cross(triple(word.s_j), rotate_back(q.R, u)))",
        ("reactions_of_a_pendulum",),
    ),
    "reaction": Fault(
        ("results/reactions.py",),
        "side, weight * sol.lam[:, r], both)",
        "side, -weight * sol.lam[:, r], both)",
        ("reactions_of_a_pendulum",),
    ),
}


def verdicts(package: Path, cases: tuple[str, ...]) -> tuple[int, dict[str, str]]:
    """Exit code and verdicts of a quick run of these cases."""
    environment = {**os.environ, "PYTHONPATH": str(package.parent), "NUMBA_DISABLE_JIT": "1"}
    script = (
        "import isodyn, sys; from isodyn.cli import main; assert isodyn.__file__.startswith(sys.argv.pop(1)); main()"
    )
    command = [sys.executable, "-c", script, str(package), "verify", "--quick", "--json", *cases]
    run = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300, check=False)
    assert run.stdout, run.stderr
    return run.returncode, {case["name"]: case["verdict"] for case in json.loads(run.stdout)["cases"]}


def copied(folder: Path) -> Path:
    return Path(shutil.copytree(PACKAGE, folder / "isodyn", ignore=shutil.ignore_patterns("__pycache__")))


@pytest.mark.slow
def test_the_copy_is_green(tmp_path: Path) -> None:
    """Without a fault."""
    cases = tuple(dict.fromkeys(name for fault in FAULTS.values() for name in fault.seen_by))
    assert verdicts(copied(tmp_path), cases) == (0, dict.fromkeys(cases, "pass"))


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_seen(tmp_path: Path, name: str) -> None:
    """One line is enough."""
    fault = FAULTS[name]
    package = copied(tmp_path)
    texts = {path: path.read_text(encoding="utf-8") for x in fault.files if (path := package / x).is_file()}
    assert sum(text.count(fault.line) for text in texts.values()) == 1, (
        "the code has changed: choose another line to break"
    )
    for path, text in texts.items():
        path.write_text(text.replace(fault.line, fault.broken), encoding="utf-8")
    assert verdicts(package, fault.seen_by) == (1, dict.fromkeys(fault.seen_by, "fail"))
