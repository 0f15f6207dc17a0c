"""Pages from templates: text escaped, styles and scripts put inside, one file that needs nothing
else."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from isodyn.errors import InputError
from isodyn.report.figures import check_folder
from isodyn.results.files import write_file


class Html(str):
    """Text that is markup already."""


def asset(name: str) -> str:
    """The text of a file of isodyn.report.assets."""
    return (files("isodyn.report") / "assets" / name).read_text(encoding="utf-8")


def escaped(text: int | str) -> str:
    """Markup as it is, everything else escaped.

    >>> escaped("a < b"), escaped(Html("<b>a</b>"))
    ('a &lt; b', '<b>a</b>')
    """
    return text if isinstance(text, Html) else html.escape(str(text))


def filled(template: str, scripts: Sequence[str], **values: str | int) -> str:
    """A page from a template: {{name}} is replaced by the value of that name, {{css}} and {{js}} by
    the assets."""
    values |= {"css": Html(asset("page.css")), "js": Html("\n".join(asset(name) for name in scripts))}
    return re.sub(r"\{\{(\w+)\}\}", lambda found: escaped(values[found[1]]), asset(template))


def table(rows: Iterable[Sequence[Any]], head: Sequence[str] = (), words: int = 1) -> Html:
    """A table; below a head all columns but the first `words` are numbers and stand to the
    right."""
    lines = ["<table>"]
    if head:
        cells = "".join(f"<th{_aside(k, words)}>{escaped(x)}</th>" for k, x in enumerate(head))
        lines.append(f"<thead><tr>{cells}</tr></thead>")
    lines.append("<tbody>")
    for row in rows:
        cells = f"<th>{escaped(row[0])}</th>" + "".join(
            f"<td{_aside(k, words) if head else ''}>{escaped(x)}</td>" for k, x in enumerate(row[1:], 1)
        )
        lines.append(f"<tr>{cells}</tr>")
    return Html("".join([*lines, "</tbody></table>"]))


def _aside(column: int, words: int) -> str:
    return "" if column < words else ' class="n"'


def card(title: str, *content: str | int) -> Html:
    """A box with a heading."""
    inside = "".join(escaped(x) for x in content)
    return Html(f'<div class="card"><div class="head"><h3>{escaped(title)}</h3></div>{inside}</div>')


def paragraph(text: Html | str, kind: str = "") -> Html:
    """A paragraph."""
    shown = f' class="{kind}"' if kind else ""
    return Html(f"<p{shown}>{escaped(text)}</p>")


def items(texts: Iterable[Any]) -> Html:
    """A list."""
    return Html("<ul>" + "".join(f"<li>{escaped(text)}</li>" for text in texts) + "</ul>")


def write(page: str, path: Path | str) -> Path:
    """Write a page; its name must end in .html, missing folders are made."""
    path = Path(path)
    if path.suffix.lower() not in (".html", ".htm"):
        raise InputError(
            f"a page needs a name that ends in .html, received {path.name!r}",
            hint=f"for example {path.stem}.html",
        )
    check_folder(path.parent)
    return write_file(path, page.encode("utf-8", "backslashreplace"))
