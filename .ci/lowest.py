"""Print the lowest declared version of every dependency and extra, one to a line, as pip takes them: `numpy==1.26`."""

import re
import sys
import tomllib
from pathlib import Path


def lowest(requirement: str) -> str | None:
    """`name>=1.2` or `name>=1.2,<3` as `name==1.2`; None for extras of the project itself."""
    found = re.fullmatch(r"([A-Za-z0-9_.-]+)\s*>=\s*([0-9.]+)(\s*,\s*<\s*[0-9.]+)?", requirement)
    if found is not None:
        return f"{found[1]}=={found[2]}"
    if re.fullmatch(r"isodyn\[[a-z,]+\]", requirement):
        return None
    sys.exit(f"{requirement!r} has no lowest version: declare it as name>=version")


project = tomllib.loads((Path(__file__).resolve().parent.parent / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]
declared = [*project["dependencies"], *(x for extra in project["optional-dependencies"].values() for x in extra)]
print("\n".join(sorted({pin for pin in map(lowest, declared) if pin is not None})))
