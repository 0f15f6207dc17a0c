"""Collect the equation tags of the source into one page, and fail on a key that nobody can look up.

A tag stands in a comment or a docstring beside the line that implements the equation:

    [Shimada2014 (2.5a)]            the line is the equation as printed
    [Shimada2014 (3.135) adapted]   the line departs from it; the text beside it says how
    [Shimada2014 Alg. 2.3.1, (2.58)]   several places; algorithms, tables, sections … without parentheses

    python docs/equation_index.py            check, then write docs/_generated/equations.md
    python docs/equation_index.py --check    check only

The keys are those of docs/references.json. A bare `[Hairer2006]` cites a work without an equation.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REFERENCES = ROOT / "docs" / "references.json"
PAGE = ROOT / "docs" / "_generated" / "equations.md"

NAMED = r"(?:§|Alg\.|App\.|Ch\.|Corollary|Ex\.|Fig\.|Remark|Sec\.|Table|Theorem) ?[A-Z\d][\w.]*"
ITEM = rf"(?:\([^)]+\)(?:[–-]\([^)]+\))?|{NAMED})"  # (2.5a), (2.5a)–(2.5g), Table 2.5
TAG = re.compile(rf"\[(\w+?\d{{4}}\w?) ({ITEM}(?:, {ITEM})*)( adapted)?\]")
BRACKET = re.compile(r"\[([A-Z]\w+?\d{4}[a-z]?)(?![\w])([^\[\]]*)\]")


@dataclass(frozen=True)
class Tag:
    """One equation named in the source; `place` is file:line."""

    key: str
    equation: str
    adapted: bool
    place: str


def notes(path: Path) -> Iterator[tuple[int, str]]:
    """(line number, line) of every comment and string of a Python file: tags live nowhere else."""
    with tokenize.open(path) as source:
        for token in tokenize.generate_tokens(source.readline):
            if token.type in (tokenize.COMMENT, tokenize.STRING):
                for offset, line in enumerate(token.string.splitlines()):
                    yield token.start[0] + offset, line


def collect(source: Path, known: set[str]) -> tuple[list[Tag], list[str]]:
    """All tags under `source`, and one message for each bracket that is not a tag anybody can
    follow."""
    tags: list[Tag] = []
    faults: list[str] = []
    for path in sorted(source.rglob("*.py")):
        name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        for number, line in notes(path):
            place = f"{name}:{number}"
            found = [(m[1], item, m[3] is not None) for m in TAG.finditer(line) for item in re.findall(ITEM, m[2])]
            tags += [Tag(key, equation, adapted, place) for key, equation, adapted in found]
            bracketed = [(m[1], m[0]) for m in BRACKET.finditer(line)]
            faults += [
                f"{place}: unknown key {key!r}"
                for key in dict.fromkeys([key for key, _, _ in found] + [key for key, _ in bracketed])
                if key not in known
            ]
            faults += [
                f"{place}: {text} is not a tag; write [{key} (2.5a)], [{key} (2.5a) adapted] or [{key} Table 2.5]"
                for key, text in bracketed
                if key in known and text != f"[{key}]" and not TAG.fullmatch(text)
            ]
    return tags, faults


def natural(text: str) -> list[tuple[int, int, str]]:
    """Sort key that puts 2.9 before 2.10."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.findall(r"\d+|\D+", text)]


def linked(place: str) -> str:
    """The place with a link to the page of its source, whose lines are numbered."""
    file = place.rsplit(":", 1)[0]
    address = "../_modules/" + file.removeprefix("src/").removesuffix(".py") + ".html"
    return f'<a href="{address}"><code class="literal">{place}</code></a>'


def page(tags: list[Tag], references: dict[str, dict[str, str]]) -> str:
    """The index as Markdown: the works, then one row for each tag."""
    lines = [
        "# Equations in the code",
        "",
        "Where each published equation is implemented. *Adapted* means that the code departs from the printed form;",
        "the comment beside it says how. Known misprints: {doc}`/corrections`.",
        "",
        "| work | equation | where | adapted |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {tag.key} | {tag.equation} | {linked(tag.place)} | {'adapted' if tag.adapted else ''} |"
        for tag in sorted(tags, key=lambda t: (t.key, natural(t.equation), natural(t.place)))
    ]
    lines += ["", "## Works", ""]
    for key, work in sorted(references.items()):
        doi = f" [doi:{work['doi']}](https://doi.org/{work['doi']})" if "doi" in work else ""
        lines.append(f"- **{key}**: {work['authors']}, *{work['title']}*, {work['where']}, {work['year']}.{doi}")
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Command line; 0 when every tag can be looked up."""
    parser = argparse.ArgumentParser(description="Index of the equation tags in the source.")
    parser.add_argument("--check", action="store_true", help="only check the tags, write nothing")
    parser.add_argument("--source", type=Path, default=ROOT / "src", help="folder to read (default: src)")
    options = parser.parse_args(arguments)

    references: dict[str, dict[str, str]] = json.loads(REFERENCES.read_text(encoding="utf-8"))
    tags, faults = collect(options.source.resolve(), set(references))
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        print(f"hint: the keys are {', '.join(sorted(references))} (docs/references.json)", file=sys.stderr)
        return 1
    if not options.check:
        PAGE.parent.mkdir(parents=True, exist_ok=True)
        PAGE.write_text(page(tags, references), encoding="utf-8")
    print(f"{len(tags)} equation tags, {len({t.key for t in tags})} works, all known")
    return 0


if __name__ == "__main__":
    sys.exit(main())
