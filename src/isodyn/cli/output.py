"""What commands share: one JSON document, tables, names of written files."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from isodyn.later import Later

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

summary = Later("isodyn.report.summary")
rich_box, rich_console, rich_table = Later("rich.box"), Later("rich.console"), Later("rich.table")

ROWS = 16  # more variables than this are left out of tables
INTERRUPTED = 130
JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON document on standard output.")


def print_json(document: object) -> None:
    click.echo(json.dumps(summary.finite(document), indent=2, ensure_ascii=False, allow_nan=False))


def new_console() -> Console:
    width = None if sys.stdout.isatty() else 120
    # names of parts are no markup
    return rich_console.Console(highlight=False, markup=False, emoji=False, width=width)


def new_table(title: str, *columns: str) -> Table:
    table = rich_table.Table(
        title=title or None, title_justify="left", title_style="bold", box=rich_box.SIMPLE_HEAD, pad_edge=False
    )
    for k, column in enumerate(columns):
        table.add_column(column, justify="left" if k == 0 else "right", overflow="fold")
    return table


def on_terminal() -> bool:
    """Whether somebody watches standard error."""
    return sys.stderr is not None and sys.stderr.isatty()


def say_written(paths: Sequence[Path]) -> None:
    for path in paths:
        click.echo(f"wrote {path}", err=True)
