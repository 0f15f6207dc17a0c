"""`isodyn scheme`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from isodyn.analysis import describe
from isodyn.cli.output import JSON, print_json, say_written
from isodyn.cli.report import check_page
from isodyn.report import figures, scheme_figures
from isodyn.report.explorer import write_explorer
from isodyn.specs import parse_scheme


@click.command()
@click.argument("specs", nargs=-1, required=True, metavar="SPEC...")
@click.option("--xi", type=float, help="Physical damping ratio. Default: 0.1 in the table, 0 in the figure.")
@click.option(
    "--plot", type=click.Path(path_type=Path, dir_okay=False), help="Draw the spectral figure into this file."
)
@click.option(
    "--html", type=click.Path(path_type=Path), help="Write the interactive explorer, starting at the first SPEC."
)
@JSON
def scheme(specs: Sequence[str], xi: float | None, plot: Path | None, html: Path | None, as_json: bool) -> None:
    """Show coefficients, roots, damping and period error of each SPEC."""
    schemes: list[Any] = [parse_scheme(text) for text in specs]
    check_page(html, ".html", ".htm")
    if plot is not None:
        figures.check_file(plot)
    found = [describe(member) if xi is None else describe(member, xi) for member in schemes]
    written = []
    if plot is not None:
        written.append(scheme_figures.plot_scheme(schemes, plot, xi=xi or 0.0))
    if html is not None:
        written.append(write_explorer(html, schemes[0]))
    if as_json:
        documents = [one.to_dict() for one in found]
        print_json(documents[0] if len(documents) == 1 else documents)
    else:
        click.echo("\n\n".join(str(one) for one in found))
    say_written(written)
