"""`isodyn order` and `isodyn compare`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from isodyn import problems
from isodyn.cli.output import JSON, print_json, say_written
from isodyn.cli.report import check_page
from isodyn.errors import InputError
from isodyn.report import figures
from isodyn.report.compare_figures import compare_figure
from isodyn.report.work_precision import write_work_precision
from isodyn.specs import parse_formulation, parse_scheme
from isodyn.studies import compare, order_study, work_precision

METHODS = "constant steps, Adaptive, Radau, DOP853, Auto"
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
@click.option("--work-precision", is_flag=True, help="Compare methods and tolerances by error and work instead.")
@click.option("--method", "methods", multiple=True, help=f"With --work-precision: {METHODS}. May be repeated.")
@click.option("--rtol", "rtols", type=float, multiple=True, help="With --work-precision: tolerance. May be repeated.")
@click.option("--html", type=click.Path(path_type=Path), help="With --work-precision: write a page with plots.")
@JSON
def compare_command(problem: str, as_json: bool, **given: Any) -> None:
    """Compare formulations on PROBLEM by error, order, drift, energy and cost; or, with
    --work-precision, methods and tolerances."""
    chosen = problems.get(problem)
    if given.pop("work_precision"):
        compare_work(chosen, as_json, **given)
        return
    for name in ("methods", "rtols", "html"):
        if given.pop(name):
            raise InputError(f"--{name.removesuffix('s')} belongs to --work-precision", hint="add --work-precision")
    compare_formulations(chosen, as_json, **given)


def compare_work(
    chosen: problems.Problem,
    as_json: bool,
    scheme_texts: Sequence[str],
    formulation_texts: Sequence[str],
    dts: Sequence[float],
    t_end: float | None,
    plot: Path | None,
    methods: Sequence[str],
    rtols: Sequence[float],
    html: Path | None,
) -> None:
    """Methods and tolerances on a problem."""
    if formulation_texts or dts or plot is not None or len(scheme_texts) > 1:
        raise InputError(
            "--work-precision takes --method, --rtol, --html and one --scheme",
            hint="leave --formulation, --dt and --plot out",
        )
    check_page(html, ".html", ".htm")
    scheme = parse_scheme(scheme_texts[0]) if scheme_texts else None
    found = work_precision(chosen, list(methods) or None, list(rtols) or None, t_end, scheme=scheme)
    document = found.to_dict()
    if as_json:
        print_json(document)
    else:
        click.echo(str(found))
    if html is not None:
        say_written([write_work_precision(document, html)])


def compare_formulations(
    chosen: problems.Problem,
    as_json: bool,
    scheme_texts: Sequence[str],
    formulation_texts: Sequence[str],
    dts: Sequence[float],
    t_end: float | None,
    plot: Path | None,
) -> None:
    """Formulations on a problem."""
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
