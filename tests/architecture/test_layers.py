"""A package imports from lower layers only.

All imports count, wherever they stand: inside functions, under TYPE_CHECKING and in
`Later("isodyn…")` too. Those that still point upward are listed by name; the list may only become
shorter.
"""

from __future__ import annotations

from architecture_source import PACKAGE, ROOT, imported_parts, part_of

LAYERS: tuple[tuple[str, ...], ...] = (
    ("errors",),
    (
        "version",
        "stored",
        "real_numbers",
        "memory",
        "notebook_views",
        "later",
    ),
    ("kernels",),
    ("linear_solvers", "expressions", "schemes"),
    ("systems", "gauss"),
    ("parts",),
    ("bodies",),
    ("joints",),
    ("loads",),
    ("beams",),
    ("mechanism",),
    ("results",),
    ("formulations",),
    ("integrate",),
    ("subdomains", "friction"),
    ("specs",),
    ("problems",),
    ("studies",),
    ("analysis",),
    ("reduction",),
    ("models",),
    ("report",),
    ("cli",),
    ("__main__",),
)
LEVEL = {part: level for level, parts in enumerate(LAYERS) for part in parts}

# written as a user would, with the public names of the root
CLIENTS = "studies/verification/cases/"

UPWARD = {
    ("integrate/driver.py", "subdomains"),
}


def upward() -> set[tuple[str, str]]:
    """(file, part) for every import that does not point downward."""
    found = set()
    for path in sorted(PACKAGE.rglob("*.py")):
        part, place = part_of(path), path.relative_to(PACKAGE).as_posix()
        if part == ROOT or place.startswith(CLIENTS):
            continue
        for target, _ in imported_parts(path):
            if target != part and (target == ROOT or LEVEL[target] >= LEVEL[part]):
                found.add((place, target))
    return found


def test_every_part_has_its_layer() -> None:
    parts = {part_of(path) for path in PACKAGE.rglob("*.py")} - {ROOT}
    assert parts == set(LEVEL)


def test_imports_point_downward() -> None:
    new = upward() - UPWARD
    assert not new, f"these imports point upward: {sorted(new)}"


def test_exceptions_are_still_needed() -> None:
    gone = UPWARD - upward()
    assert not gone, f"these imports point downward now; take them off the list: {sorted(gone)}"
