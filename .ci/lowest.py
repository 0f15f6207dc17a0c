"""Print the lowest declared version of every dependency, and of the extras that `all` names, one to a line, as pip takes
them: `numpy==1.26`. The others (contact, jax) need newer packages beside them than the lowest ones."""

import re
import sys
import tomllib
from pathlib import Path


def lowest(requirement: str) -> str:
    """`name>=1.2` or `name>=1.2,<3` as `name==1.2`."""
    found = re.fullmatch(r"([A-Za-z0-9_.-]+)\s*>=\s*([0-9.]+)(\s*,\s*<\s*[0-9.]+)?", requirement)
    if found is not None:
        return f"{found[1]}=={found[2]}"
    sys.exit(f"{requirement!r} has no lowest version: declare it as name>=version")


project = tomllib.loads((Path(__file__).resolve().parent.parent / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]
extras = project["optional-dependencies"]
named = re.fullmatch(r"isodyn\[([a-z,]+)\]", extras["all"][0])
if named is None or len(extras["all"]) > 1:
    sys.exit(f"all = {extras['all']} does not name extras of the project alone")
declared = [*project["dependencies"], *(x for extra in named[1].split(",") for x in extras[extra])]
print("\n".join(sorted(set(map(lowest, declared)))))
