"""A package imports from lower layers only.

All imports count, wherever they stand: inside functions, under TYPE_CHECKING and in
`Later("isodyn…")` too. Those that still point upward are listed by name; the list may only become
shorter.
"""

from __future__ import annotations

import re

from architecture_source import PACKAGE, ROOT, imported_parts, part_of

LAYERS: tuple[tuple[str, ...], ...] = (
    ("errors", "described"),
    (
        "version",
        "stored",
        "real_numbers",
        "memory",
        "notebook_views",
        "later",
        "inherited_text",
        "open_types",
        "keywords",
    ),
    ("kernels",),
    ("linear_solvers", "expressions", "schemes"),
    ("systems", "gauss"),
    ("parts",),
    ("bodies",),
    ("joints",),
    ("loads",),
    ("beams", "flexible"),
    ("multibody",),
    ("mechanism",),
    ("results",),
    ("trees",),
    ("formulations",),
    ("stepping",),
    ("marching",),
    ("sensitivities",),
    ("api",),
    ("subdomains", "friction"),
    ("specs",),
    ("problems",),
    ("studies",),
    ("analysis",),
    ("reduction",),
    ("models",),
    ("sweeps",),
    ("design",),
    ("report",),
    ("cli",),
    ("__main__",),
)
LEVEL = {part: level for level, parts in enumerate(LAYERS) for part in parts}

# written as a user would, with the public names of the root
CLIENTS = "studies/verification/cases/"

UPWARD: set[tuple[str, str]] = set()


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


def test_the_drawing_shows_the_packages_in_their_order() -> None:
    """docs/images/layers.svg, from the top down; single files of the package are not drawn."""
    drawn = re.findall(r'<text x="54"[^>]*>([^<]*)</text>', (PACKAGE.parents[1] / "docs/images/layers.svg").read_text())
    rows = [row.split(" · ") for row in drawn]
    assert {part for row in rows for part in row} == {part for part in LEVEL if (PACKAGE / part).is_dir()} | {"errors"}
    lowest, highest = ([choose(LEVEL[part] for part in row) for row in rows] for choose in (min, max))
    assert all(above > below for above, below in zip(lowest[:-1], highest[1:], strict=True))


def test_imports_point_downward() -> None:
    new = upward() - UPWARD
    assert not new, f"these imports point upward: {sorted(new)}"


def test_exceptions_are_still_needed() -> None:
    gone = UPWARD - upward()
    assert not gone, f"these imports point downward now; take them off the list: {sorted(gone)}"


def cycle_in(graph: dict[str, set[str]]) -> list[str]:
    """The parts of one cycle, in order; empty if there is none."""
    done: set[str] = set()

    def visit(part: str, way: list[str]) -> list[str]:
        if part in way:
            return way[way.index(part) :]
        if part in done:
            return []
        for target in sorted(graph.get(part, ())):
            if found := visit(target, [*way, part]):
                return found
        done.add(part)
        return []

    for part in sorted(graph):
        if found := visit(part, []):
            return found
    return []


def test_packages_form_no_cycle() -> None:
    """The graph of parts, without the listed imports."""
    graph: dict[str, set[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        part, place = part_of(path), path.relative_to(PACKAGE).as_posix()
        if part != ROOT and not place.startswith(CLIENTS):
            targets = {target for target, _ in imported_parts(path) if (place, target) not in UPWARD}
            graph.setdefault(part, set()).update(targets - {part, ROOT})
    assert cycle_in(graph) == []


def test_a_cycle_is_found() -> None:
    assert cycle_in({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c"]
    assert cycle_in({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []
