"""One version everywhere: in the package, the citation and the changelog; and what is tested with which versions."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from isodyn.version import __version__

ROOT = Path(__file__).resolve().parent.parent
CHANGES = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_citation_has_the_version() -> None:
    found = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None
    assert found[1] == __version__


def test_the_changelog_goes_by_versions() -> None:
    """Unreleased first, then versions from new to old; the newest is that of the package, or the
    one before a version in development."""
    headings = re.findall(r"^## \[(.+?)\]", CHANGES, re.MULTILINE)
    assert headings[0] == "Unreleased"
    numbers = [tuple(map(int, name.split("."))) for name in headings[1:]]
    assert numbers == sorted(numbers, reverse=True)
    if "dev" not in __version__:
        assert headings[1] == __version__
        assert re.search(rf"^## \[{re.escape(__version__)}\] - \d{{4}}-\d{{2}}-\d{{2}}$", CHANGES, re.MULTILINE)


def _said(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / ".ci" / script), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def test_the_lowest_versions_are_those_that_are_declared() -> None:
    assert (ROOT / ".ci" / "lowest.txt").read_text(encoding="utf-8") == _said("lowest.py").stdout


def test_a_python_that_is_not_there_is_told() -> None:
    """`make pythons` leaves it out, and fails where nothing is left."""
    missing = _said("find_python.py", "3.99")
    assert (missing.returncode, missing.stdout) == (1, "")
    assert missing.stderr == "Python 3.99: not found, left out\n"
    own = f"{sys.version_info[0]}.{sys.version_info[1]}"
    found = _said("find_python.py", own)
    if found.returncode == 0:  # this one may be neither on the PATH nor kept by pyenv
        version = subprocess.run([found.stdout.strip(), "--version"], capture_output=True, text=True, check=True)
        assert version.stdout.startswith(f"Python {own}.")
