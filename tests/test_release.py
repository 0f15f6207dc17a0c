"""One version everywhere: in the package, the citation and the changelog."""

from __future__ import annotations

import re
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
