"""The command line: `isodyn list`, `run`, `order`, `compare`, `scheme`.

Strings become objects in `isodyn.specs`. Data go to standard output, logs and progress to standard error; `--json` prints exactly one
document. Errors are one message with a hint; exit code 2 means bad input, 1 a run that failed, 130 a run that was interrupted.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from isodyn import __version__
from isodyn.errors import InputError, IsodynError, IsodynWarning, SchemeError
from isodyn.specs import parse_formulation, parse_parameters, parse_scheme

INTERRUPTED = 130
ROWS = 16  # more variables than this are left out of tables
REFINEMENTS = 4  # steps of an order study where none are given

# ---- output


def _json(document: Any) -> None:
    from isodyn.report.summary import finite

    click.echo(json.dumps(finite(document), indent=2, ensure_ascii=False, allow_nan=False))


def _console() -> Any:
    from rich.console import Console

    return Console(highlight=False) if sys.stdout.isatty() else Console(highlight=False, width=120)


def _table(title: str, *columns: str) -> Any:
    from rich import box
    from rich.table import Table

    table = Table(title=title or None, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for k, column in enumerate(columns):
        table.add_column(column, justify="left" if k == 0 else "right", overflow="fold")
    return table


def _named(paths: Sequence[Path]) -> None:
    for path in paths:
        click.echo(f"wrote {path}", err=True)


JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON document on standard output.")


@click.group(context_settings={"help_option_names": ["-h", "--help"]}, invoke_without_command=True)
@click.version_option(__version__, prog_name="isodyn")
@click.pass_context
def cli(context: click.Context) -> None:
    """Mechanical dynamics with isochronous time integration."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


# ---- list


@cli.command("list")
@JSON
def list_command(as_json: bool) -> None:
    """Problems that are ready to run."""
    from isodyn.problems import ALL

    if as_json:
        _json(
            [
                {
                    "name": p.name,
                    "title": p.title,
                    "source": p.source,
                    "scheme": str(p.scheme),
                    "dt": p.dt,
                    "t_end": p.t_end,
                    "parameters": dict(p.parameters),
                    "exact": p.motion is not None,
                    "reference": p.reference is not None,
                }
                for p in ALL.values()
            ]
        )
        return
    table = _table("", "problem", "what it is", "scheme", "dt", "t_end", "parameters")
    for column in table.columns[1:3] + table.columns[5:]:
        column.justify = "left"
    for p in ALL.values():
        parameters = " ".join(f"{name}={value:g}" for name, value in p.parameters.items())
        table.add_row(p.name, p.title, str(p.scheme), f"{p.dt:g}", f"{p.t_end:.4g}", parameters)
    _console().print(table)


# ---- run


@cli.command()
@click.argument("problem")
@click.option(
    "--scheme", "scheme_text", metavar="SPEC", help='Such as "U0(0.8,0.8,0.8)"; the problem\'s own by default.'
)
@click.option(
    "--formulation", "formulation_text", metavar="SPEC", help='Such as "stabilised" (default) or "baumgarte(20,30)".'
)
@click.option("--dt", type=float, help="Time step.")
@click.option("--t-end", type=float, help="End of the run.")
@click.option(
    "--set", "settings", multiple=True, metavar="NAME=NUMBER", help="A parameter of the problem; may be repeated."
)
@click.option("--save-every", type=int, default=1, show_default=True, help="Keep every so-manieth step.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Folder for figures.")
@click.option("--progress/--no-progress", default=None, help="Show a bar; by default on a terminal.")
@JSON
def run(
    problem: str,
    scheme_text: str | None,
    formulation_text: str | None,
    dt: float | None,
    t_end: float | None,
    settings: Sequence[str],
    save_every: int,
    out: Path | None,
    progress: bool | None,
    as_json: bool,
) -> None:
    """Integrate PROBLEM and say what happened."""
    from isodyn.integrate import integrate
    from isodyn.problems import get
    from isodyn.report import figures
    from isodyn.report.summary import run_summary

    chosen = get(problem)
    parameters = parse_parameters(settings)
    scheme = chosen.scheme if scheme_text is None else parse_scheme(scheme_text)
    formulation = None if formulation_text is None else parse_formulation(formulation_text)
    system = chosen.system(**parameters)
    step = chosen.dt if dt is None else dt
    if out is not None:  # said before the run, not after it
        figures.require_matplotlib()
        figures.check_folder(out)
    sol = integrate(
        system,
        scheme,
        formulation,
        dt=step,
        t_end=chosen.t_end if t_end is None else t_end,
        save_every=save_every,
        breakpoints=chosen.breaks(chosen.t_end if t_end is None else t_end),
        progress=sys.stderr.isatty() if progress is None else progress,
    )
    summary = run_summary(chosen, parameters, step, sol)
    written = figures.solution_figures(sol, out, chosen, step) if out is not None else []
    if written:
        summary["files"] = [str(path) for path in written]
    if as_json:
        _json(summary)
    else:
        _print_summary(summary)
    _named(written)
    if sol.stats.stopped is not None:
        raise click.exceptions.Exit(INTERRUPTED)


def _print_summary(summary: dict[str, Any]) -> None:
    from rich.markup import escape

    console = _console()
    parameters = ", ".join(f"{name} = {value:g}" for name, value in summary["parameters"].items())
    console.print(
        f"[bold]{summary['problem']}[/bold]: {escape(summary['title'])}{f' ({parameters})' if parameters else ''}"
    )
    console.print(f"scheme {summary['scheme']}, dt = {summary['dt']:g}, ", end="")
    console.print(f"{summary['steps']} steps from t = {summary['t_start']:g} to {summary['t_end']:g}")
    if "stopped" in summary:
        console.print(f"[bold]{summary['stopped']}[/bold]")
    _print_motion(console, summary["motion"])
    if summary["invariants"]:
        table = _table("what the exact motion keeps", "quantity", "start", "final", "largest deviation")
        for name, numbers in summary["invariants"].items():
            table.add_row(
                name, f"{numbers['start']:.8g}", f"{numbers['final']:.8g}", f"{numbers['largest_deviation']:.2e}"
            )
        console.print(table)
    if summary["constraints"] is not None:
        _print_constraints(console, summary["constraints"])
    if summary["errors"] is not None:
        errors = {key: value for key, value in summary["errors"].items() if isinstance(value, float)}
        text = ", ".join(f"{key} {value:.2e}" for key, value in errors.items())
        against = escape(summary["errors"]["against"])
        console.print(f"error ({summary['errors']['measure']}): {text}\n  against {against}")
    cost = summary["cost"]
    console.print(
        f"cost: {cost['seconds']:.3g} s, {cost['microseconds_per_step']:.3g} µs per step, {cost['iterations']} iterations, "
        f"{cost['factorisations']} factorisations ({cost['solver']})"
        + (f", {cost['halvings']} halvings" if cost["halvings"] else "")
    )


def _print_motion(console: Any, motion: dict[str, Any]) -> None:
    """One table; two where coordinates and velocities have names of their own."""
    for symbols in dict.fromkeys(tuple(ranges) for ranges in motion.values()):
        chosen = {name: ranges for name, ranges in motion.items() if tuple(ranges) == symbols}
        columns = [head for symbol in symbols for head in (f"{symbol} min", f"{symbol} max")]
        table = _table("range of motion", "variable", *columns, f"{symbols[0]} final")
        for name, ranges in list(chosen.items())[:ROWS]:
            cells = [f"{ranges[symbol][end]:.5g}" for symbol in symbols for end in ("min", "max")]
            table.add_row(name, *cells, f"{ranges[symbols[0]]['final']:.8g}")
        console.print(table)
        if len(chosen) > ROWS:
            console.print(f"… and {len(chosen) - ROWS} more variables (--json has all)\n")


def _print_constraints(console: Any, constraints: dict[str, Any]) -> None:
    """Multipliers, redundant rows and drift."""
    table = _table("multipliers (−Gᵀλ is the force of constraint)", "row", "min", "max", "final")
    for name, numbers in list(constraints["multipliers"].items())[:ROWS]:
        table.add_row(name, f"{numbers['min']:.5g}", f"{numbers['max']:.5g}", f"{numbers['final']:.8g}")
    console.print(table)
    if constraints["redundant"]:
        console.print("rows that follow from others: " + ", ".join(constraints["redundant"]), markup=False)
    levels = ", ".join(f"{level} {value:.1e}" for level, value in constraints["drift"].items())
    console.print(f"constraint drift (largest, relative): {levels}")


# ---- order


@cli.command()
@click.argument("problem")
@click.option("--scheme", "scheme_texts", multiple=True, metavar="SPEC", help="May be repeated.")
@click.option("--formulation", "formulation_text", metavar="SPEC", help="How constraints enter.")
@click.option("--dt", "dts", type=float, multiple=True, help="May be repeated, from coarse to fine.")
@click.option("--t-end", type=float, help="End of the runs.")
@click.option("--plot", type=click.Path(path_type=Path, dir_okay=False), help="File for the log-log figure.")
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
    from isodyn.problems import get
    from isodyn.report import figures
    from isodyn.studies import order_study

    chosen = get(problem)
    schemes = [parse_scheme(text) for text in scheme_texts] or [chosen.scheme]
    if plot is not None:
        figures.check_file(plot)
    steps = sorted(dts, reverse=True) or [chosen.dt / 2**k for k in range(REFINEMENTS)]
    formulation: Any = None if formulation_text is None else parse_formulation(formulation_text)
    study = order_study(chosen, schemes, steps, t_end=t_end, formulation=formulation)
    written = [figures.order_figure(study, plot)] if plot is not None else []
    document = {**study.to_dict(), **({"files": [str(path) for path in written]} if written else {})}
    if as_json:
        _json(document)
    else:
        click.echo(str(study))
    _named(written)


# ---- compare


@cli.command("compare")
@click.argument("problem")
@click.option("--scheme", "scheme_texts", multiple=True, metavar="SPEC", help="May be repeated.")
@click.option(
    "--formulation",
    "formulation_texts",
    multiple=True,
    metavar="SPEC",
    help='Such as "stabilised" or "penalty(1e-7,10,1)"; may be repeated. All by default.',
)
@click.option("--dt", "dts", type=float, multiple=True, help="May be repeated, from coarse to fine.")
@click.option("--t-end", type=float, help="End of the runs.")
@click.option("--plot", type=click.Path(path_type=Path, dir_okay=False), help="File for the figure.")
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
    """Every formulation with the chosen schemes on PROBLEM: error, order, drift, energy and cost."""
    from isodyn.problems import get
    from isodyn.report import figures
    from isodyn.studies import compare

    chosen = get(problem)
    schemes = [parse_scheme(text) for text in scheme_texts] or [chosen.scheme]
    formulations = [parse_formulation(text) for text in formulation_texts] or None
    if plot is not None:
        figures.require_matplotlib()
    found = compare(chosen, schemes, formulations, sorted(dts, reverse=True) or None, t_end)
    written = []
    if plot is not None:
        from isodyn.report.compare_figures import compare_figure

        written.append(compare_figure(found, plot))
    document = {**found.to_dict(), **({"files": [str(path) for path in written]} if written else {})}
    if as_json:
        _json(document)
    else:
        click.echo(str(found))
    _named(written)


# ---- scheme


@cli.command()
@click.argument("specs", nargs=-1, required=True, metavar="SPEC...")
@click.option(
    "--xi", type=float, help="Physical damping ratio: 0.1 in the table and 0 in the figure where none is given."
)
@click.option("--plot", type=click.Path(path_type=Path, dir_okay=False), help="File for the spectral figure.")
@JSON
def scheme(specs: Sequence[str], xi: float | None, plot: Path | None, as_json: bool) -> None:
    """Coefficients, roots, damping and period error of each SPEC."""
    schemes: list[Any] = [parse_scheme(text) for text in specs]
    from isodyn.analysis import describe
    from isodyn.report import figures, scheme_figures

    if plot is not None:
        figures.check_file(plot)
    found = [describe(member) if xi is None else describe(member, xi) for member in schemes]
    written = []
    if plot is not None:
        written.append(scheme_figures.plot_scheme(schemes, plot, xi=xi or 0.0))
    if as_json:
        documents = [one.to_dict() for one in found]
        _json(documents[0] if len(documents) == 1 else documents)
    else:
        click.echo("\n\n".join(str(one) for one in found))
    _named(written)


# ---- errors and exit codes


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave with its exit code."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", IsodynWarning)
        warnings.showwarning = _show_warning
        sys.exit(_run(arguments))


def _run(arguments: Sequence[str] | None) -> int:
    try:
        result = cli.main(
            args=None if arguments is None else list(arguments), prog_name="isodyn", standalone_mode=False
        )
    except IsodynError as error:
        return _fail(
            str(error), 2 if isinstance(error, InputError | SchemeError) else 1, getattr(error, "__notes__", [])
        )
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except (click.exceptions.Abort, KeyboardInterrupt):
        return _fail("interrupted", INTERRUPTED)
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        command = context.command_path if context is not None else "isodyn"
        return _fail(f"{error.format_message()}\nhint: {command} --help", 2)
    except OSError as error:
        return _fail(f"cannot write {error.filename or 'the output'}: {error.strerror or error}", 1)
    return result if isinstance(result, int) else 0


def _fail(message: str, code: int, notes: Sequence[str] = ()) -> int:
    first, *rest = message.split("\n")
    click.echo("\n".join([f"error: {first}", *notes, *rest]), err=True)
    return code


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: Any = None,
    line: str | None = None,
) -> None:
    """Warnings of this package as one line each, others as usual."""
    if issubclass(category, IsodynWarning):
        click.echo(f"warning: {message}", err=True)
    else:
        click.echo(warnings.formatwarning(message, category, filename, lineno, line), err=True)
