"""Sphinx settings. Docstrings of isodyn are plain text with equations; `to_rest` turns them into
reStructuredText."""

from __future__ import annotations

import importlib.util
import json
import os
import pkgutil
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from isodyn.version import __version__

if TYPE_CHECKING:
    from sphinx.application import Sphinx

HERE = Path(__file__).resolve().parent
os.environ.setdefault("NUMBA_CACHE_DIR", str(HERE.parent / ".cache" / "numba"))

TABLE_MARK = "<!-- table of formulations -->"
VERIFICATION_MARK = "<!-- table of verification -->"
COMMANDS_MARK = "<!-- commands -->"
NAMES_MARK = "<!-- public names -->"
sys.path.insert(0, str(HERE))  # for commands.py and public_names.py

project = "isodyn"
author = "The isodyn developers"
copyright = "2026, The isodyn developers"
release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.doctest",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",  # formulas are set without a network
    "sphinx.ext.viewcode",
    "sphinx_design",
]
viewcode_line_numbers = True
highlight_language = "none"  # laid-out equations are not code
exclude_patterns = ["_build", "tutorials/*"]  # tutorials appear with what they print
myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_default_options = {"members": True, "member-order": "bysource", "ignore-module-all": True}
toc_object_entries = False  # members stay out of the navigation, which every page carries: half of the time
autodoc_typehints = "signature"
# by these names, not by what they stand for
autodoc_type_aliases = {
    name: name
    for name in (
        "ArrayLike",
        "FloatArray",
        "IntArray",
        "BoolArray",
        "Matrix",
        "Numbers",
        "Selection",
        "AnyScheme",
        "StepSizes",
    )
}
# examples of docstrings run with the tests, in the namespace of their module
doctest_test_doctest_blocks = ""
# a type of a signature may have the name of another module's class; its link then leads to one of them
suppress_warnings = ["ref.python"]

html_theme = "furo"
html_title = f"isodyn {release}"


def expand_modules(app: Sphinx, docname: str, source: list[str]) -> None:
    """An automodule line of a reference page stands for the module and all below it; a missing
    module is left out."""

    def below(match: re.Match[str]) -> str:
        spec = importlib.util.find_spec(match[1])
        if spec is None:
            return ""
        folders = spec.submodule_search_locations if match[1] != "isodyn" else None
        names = sorted(module.name for module in pkgutil.walk_packages(folders, f"{match[1]}.")) if folders else []
        # those are in the table of verification
        names = [name for name in names if ".verification.cases." not in name]
        title = ".. rubric:: {name}\n\n" if names else ""
        return "".join(f"{title}.. automodule:: {{name}}\n\n".format(name=name) for name in [match[1], *names])

    if docname.startswith("reference/"):
        source[0] = re.sub(r"^\.\. automodule:: (\S+)\n\n?", below, source[0], flags=re.MULTILINE)


def insert_tables(app: object, docname: str, source: list[str]) -> None:
    """Tables that stand in the code; the pages have marks in their places."""
    if TABLE_MARK in source[0]:
        from isodyn.formulations.table import to_markdown

        source[0] = source[0].replace(TABLE_MARK, to_markdown())
    if VERIFICATION_MARK in source[0]:
        source[0] = source[0].replace(VERIFICATION_MARK, verification_table())
    if COMMANDS_MARK in source[0]:
        import commands

        source[0] = source[0].replace(COMMANDS_MARK, commands.to_markdown())
    if NAMES_MARK in source[0]:
        import public_names

        source[0] = source[0].replace(NAMES_MARK, public_names.to_markdown())


def verification_table() -> str:
    """The cases of `isodyn verify`, with the numbers of the last `make verify` where there are
    some."""
    from isodyn.studies import verification

    works = json.loads((HERE / "references.json").read_text(encoding="utf-8"))
    stored = HERE.parent / "benchmarks" / "results" / "verification.json"
    results = json.loads(stored.read_text(encoding="utf-8")) if stored.is_file() else None
    return verification.to_markdown(verification.every(), works, results)


SECTIONS = ("Parameters", "Attributes", "Returns", "Yields", "Raises", "Notes", "Examples")


def to_rest(app: object, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Sections become titles with lists of names; blocks that are laid out (indented, tables,
    examples) stay as they are; paragraphs keep only their code spans."""
    text: list[str] = []
    for block in re.split(r"\n\s*\n", "\n".join(lines)):
        rows = [row for row in block.split("\n") if row.strip()]
        if not rows:
            continue
        if rows[0] in SECTIONS and re.fullmatch("-{3,}", (rows[1:] or [""])[0]):
            text += [f".. rubric:: {rows[0]}", ""]
            rows = rows[2:]
            if rows and not rows[0].startswith(">>>"):
                text += [*names_and_texts(rows), ""]
                continue
            if not rows:
                continue
        bullets = rows[0].startswith(("- ", "* "))
        laid_out = rows[0].startswith((" ", "|", "```")) or any(re.fullmatch(r"[-=~ ]{4,}", row) for row in rows)
        if rows[0].startswith(">>>"):
            text += [*rows, ""]
        elif laid_out or (not bullets and any(row.startswith(" ") for row in rows)):
            text += ["::", "", *("   " + row for row in rows), ""]
        elif bullets:
            items = [row if row.startswith(("- ", "* ")) else "  " + row.strip() for row in rows]
            text += [*(row[:2] + escape(row[2:]) for row in items), ""]
        else:
            text += [*(escape(row) for row in rows), ""]
    lines[:] = text


def names_and_texts(rows: list[str]) -> list[str]:
    """The items of a section as a definition list: a name, then its indented text."""
    return ["    " + escape(row.strip()) if row.startswith(" ") else f"``{row.strip()}``" for row in rows]


def escape(row: str) -> str:
    """`code` becomes literal text, everything else loses its meaning as markup."""
    pieces = re.split(r"`+([^`]+)`+", row)
    plain = [re.sub(r"([\\*|_`])", r"\\\1", piece) for piece in pieces[::2]]
    plain[0] = re.sub(r"^(\(?\w+[.)] |[-+*•] |\.\. |:)", r"\\\1", plain[0])
    code = [f"``{piece.strip()}``\\ " for piece in pieces[1::2]]
    return "".join(part for pair in zip(plain, [*code, ""], strict=True) for part in pair)


def unlink_missing_sources(app: Sphinx, exception: Exception | None) -> None:
    """In the index of equations: a source without a page of its own, such as a kernel module, keeps its
    name and loses its link."""
    page = Path(app.outdir) / "_generated" / "equations.html"
    if exception is not None or not page.is_file():
        return

    def kept(match: re.Match[str]) -> str:
        return match[0] if (page.parent / match[1]).is_file() else match[2]

    text = page.read_text(encoding="utf-8")
    page.write_text(re.sub(r'<a href="(\.\./_modules/[^"#]+)">(.*?)</a>', kept, text), encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Register the filters."""
    app.connect("build-finished", unlink_missing_sources)
    app.connect("source-read", expand_modules)
    app.connect("source-read", insert_tables)
    app.connect("autodoc-process-docstring", to_rest)
