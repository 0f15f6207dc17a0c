"""`isodyn order` and `isodyn compare`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from isodyn import problems
from isodyn.cli.output import JSON, print_json, say_written
from isodyn.report import figures
from isodyn.report.compare_figures import compare_figure
from isodyn.specs import parse_formulation, parse_scheme
from isodyn.studies import compare, order_study

REFINEMENTS = 4  # steps of an order study where none are given


@click.command()
@click.argument("problem")
@click.option("--scheme", "scheme_texts", multiple=True, metavar="SPEC", help="Integration scheme. May be repeated.")
@click.option("--formulation", "formulation_text", metavar="SPEC", help="How constraints are treated.")
@click.option("--dt", "dts", type=float, multiple=True, help="Time step. May be repeated, from coarse to fine.")
@click.option("--t-end", type=float, help="End time in seconds.")
@click.option(
    "--plot", type=click.Path(path_type=Path, dir_okay=False), help="Draw error against time step into this file."
)
@JSON
def order(
    problem: str,
    scheme_texts: Sequence[str],
    formulation_text: str | None,
    dts: Sequence[float],
    t_end: float | None,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Measure the order of accuracy on PROBLEM."""
    chosen = problems.get(problem)
    schemes = [parse_scheme(text) for text in scheme_texts] or [chosen.scheme]
    if plot is not None:
        figures.check_file(plot)
    steps = sorted(dts, reverse=True) or [chosen.dt / 2**k for k in range(REFINEMENTS)]
    formulation: Any = None if formulation_text is None else parse_formulation(formulation_text)
    study = order_study(chosen, schemes, steps, t_end=t_end, formulation=formulation)
    written = [figures.order_figure(study, plot)] if plot is not None else []
    document = {**study.to_dict(), **({"files": [str(path) for path in written]} if written else {})}
    if as_json:
        print_json(document)
    else:
        click.echo(str(study))
    say_written(written)


@click.command("compare")
@click.argument("problem")
@click.option("--scheme", "scheme_texts", multiple=True, metavar="SPEC", help="Integration scheme. May be repeated.")
@click.option(
    "--formulation",
    "formulation_texts",
    multiple=True,
    metavar="SPEC",
    help='Such as "stabilised" or "penalty(1e-7,10,1)". May be repeated. Default: all.',
)
@click.option("--dt", "dts", type=float, multiple=True, help="Time step. May be repeated, from coarse to fine.")
@click.option("--t-end", type=float, help="End time in seconds.")
@click.option("--plot", type=click.Path(path_type=Path, dir_okay=False), help="Draw the figure into this file.")
@JSON
def compare_command(
    problem: str,
    scheme_texts: Sequence[str],
    formulation_texts: Sequence[str],
    dts: Sequence[float],
    t_end: float | None,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Compare formulations on PROBLEM by error, order, drift, energy and cost."""
    chosen = problems.get(problem)
    schemes = [parse_scheme(text) for text in scheme_texts] or [chosen.scheme]
    formulations = [parse_formulation(text) for text in formulation_texts] or None
    if plot is not None:
        figures.check_file(plot)
    found = compare(chosen, schemes, formulations, sorted(dts, reverse=True) or None, t_end)
    written = []
    if plot is not None:
        written.append(compare_figure(found, plot))
    document = {**found.to_dict(), **({"files": [str(path) for path in written]} if written else {})}
    if as_json:
        print_json(document)
    else:
        click.echo(str(found))
    say_written(written)
