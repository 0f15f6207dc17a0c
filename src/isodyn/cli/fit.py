"""`isodyn fit`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from isodyn.cli.models import is_model_file, read_model
from isodyn.cli.output import JSON, new_console, new_table, print_json, say_written
from isodyn.design.estimate import AT_BOUND, Fit
from isodyn.design.fitting import fit
from isodyn.errors import InputError
from isodyn.problems import get
from isodyn.report.html import write_report
from isodyn.results.files import check_place
from isodyn.specs import parse_formulation, parse_scheme

_NORMAL = re.compile(r"normal\(([^,()]+),([^,()]+)\)")


@click.command("fit")
@click.argument("model")
@click.argument("data", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "-p",
    "--parameter",
    "parameters",
    multiple=True,
    required=True,
    metavar="NAME[=LOW:HIGH]",
    help="A parameter to fit, with its bounds; either bound may be left out. May be repeated.",
)
@click.option(
    "-c", "--channel", "channels", multiple=True, metavar="COLUMN[=QUANTITY]", help="A column to fit. May be repeated."
)
@click.option("--start", "start", multiple=True, metavar="NAME=VALUE", help="Initial value of a parameter.")
@click.option(
    "--prior", "priors", multiple=True, metavar="NAME=normal(MEAN, SD)", help="What else is known about a parameter."
)
@click.option("--noise", "noises", multiple=True, metavar="CHANNEL=SD", help="Noise of a channel, if it is known.")
@click.option("--hold-out", type=float, default=0.0, show_default=True, help="Share of last samples to compare only.")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Confidence level of intervals.")
@click.option(
    "--stages", default=1, show_default=True, help="Fit the first part of the samples first, in so many searches."
)
@click.option("--starts", default=1, show_default=True, help="Search from so many starts, spread over the bounds.")
@click.option("--seed", default=0, show_default=True, help="Of these starts.")
@click.option("--max-runs", type=int, default=100, show_default=True, help="Largest number of runs.")
@click.option("--scheme", "scheme_text", metavar="SPEC", help="Integration scheme.")
@click.option("--formulation", "formulation_text", metavar="SPEC", help="How constraints are treated.")
@click.option("--dt", type=float, help="Time step.")
@click.option("--report", type=click.Path(path_type=Path, dir_okay=False), help="Write a report with plots (.html).")
@JSON
def fit_command(*, model: str, data: Path, report: Path | None, as_json: bool, **asked: Any) -> None:
    """Fit parameters of MODEL, a model file or a problem, to the measured channels of DATA, a CSV
    file."""
    if report is not None:
        check_place(report)
    names, bounds = read_bounds(asked["parameters"])
    options: dict[str, Any] = {} if asked["dt"] is None else {"dt": asked["dt"]}
    for key, parse in (("scheme", parse_scheme), ("formulation", parse_formulation)):
        if asked[f"{key}_text"] is not None:
            options[key] = parse(asked[f"{key}_text"])
    found = fit(
        read_model(model, {}) if is_model_file(model) else get(model),
        data,
        names,
        channels=read_channels(asked["channels"]),
        start={name: number(text, f"start of {name}") for name, text in pairs(asked["start"], "--start")},
        bounds=bounds,
        priors={name: normal(name, text) for name, text in pairs(asked["priors"], "--prior")},
        noise={name: number(text, f"noise of {name}") for name, text in pairs(asked["noises"], "--noise")},
        hold_out=asked["hold_out"],
        confidence=asked["confidence"],
        max_runs=asked["max_runs"],
        stages=asked["stages"],
        starts=asked["starts"],
        seed=asked["seed"],
        **options,
    )
    written = [] if report is None else [write_report(found, report, settings={"model": model, "data": data.name})]
    if as_json:
        print_json(found.summary() | {"files": [str(path) for path in written]})
    else:
        show(found)
    say_written(written)


def pairs(texts: Sequence[str], option: str) -> list[tuple[str, str]]:
    """NAME=TEXT, one after the other."""
    found = []
    for text in texts:
        name, equal, value = text.partition("=")
        if not equal or not name.strip() or not value.strip():
            raise InputError(f"{option} takes NAME=VALUE, received {text!r}")
        found.append((name.strip(), value.strip()))
    return found


def number(text: str, what: str) -> float:
    """A number."""
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{what} must be a number, received {text!r}") from None


def read_bounds(texts: Sequence[str]) -> tuple[list[str], dict[str, tuple[float | None, float | None]]]:
    """Names, and bounds by name, from NAME or NAME=LOW:HIGH."""
    names: list[str] = []
    bounds: dict[str, tuple[float | None, float | None]] = {}
    for text in texts:
        name, equal, span = (part.strip() for part in text.partition("="))
        names.append(name)
        if equal:
            low, colon, high = (part.strip() for part in span.partition(":"))
            if not colon:
                raise InputError(
                    f"-p takes NAME or NAME=LOW:HIGH, received {text!r}", hint="such as spring.stiffness=0:"
                )
            ends = [number(end, f"bound of {name}") if end else None for end in (low, high)]
            bounds[name] = ends[0], ends[1]
    return names, bounds


def read_channels(texts: Sequence[str]) -> dict[str, str] | None:
    """Quantities by column; None where nothing is chosen."""
    found = {}
    for text in texts:
        column, _, quantity = text.partition("=")
        found[column.strip()] = quantity.strip() or column.strip()
    return found or None


def normal(name: str, text: str) -> tuple[float, float]:
    """Mean and standard deviation from normal(mean, sd)."""
    found = _NORMAL.fullmatch(text.replace(" ", ""))
    if found is None:
        raise InputError(f"the prior of {name} must be normal(mean, sd), received {text!r}")
    return number(found[1], f"mean of {name}"), number(found[2], f"width of {name}")


def show(found: Fit) -> None:
    """Tables of values and channels, and what a reader must know."""
    console = new_console()
    table = new_table("", "parameter", "value", "± standard error", f"{100 * found.confidence:g} % interval", "start")
    for k, name in enumerate(found.parameters):
        low, high = found.interval(name)
        known = f"{found.standard_errors[k]:.3g}", f"{low:.6g} … {high:.6g}"
        if name in found.at_bound:
            known = AT_BOUND, "–"
        table.add_row(name, f"{found.values[k]:.8g}", *known, f"{found.start[k]:.6g}")
    console.print(table)
    table = new_table("", "channel", "samples", "noise", "rms", "rms held out", "unit")
    for one in found.channels:
        held = f"{one.rms(True):.3g}" if one.held.any() else "–"
        noise = f"{one.noise:.3g}" if np.isfinite(one.noise) else "–"
        table.add_row(one.name, str(int((~one.held).sum())), noise, f"{one.rms(False):.3g}", held, one.unit or "–")
    console.print(table)
    console.print(f"{found.runs} runs" + (f"; {found.search_taken}" if found.searches else ""))
    for other in found.minima:
        values = ", ".join(f"{name} = {x:.6g}" for name, x in zip(found.parameters, other.values, strict=True))
        console.print(f"{other.searches} searches ended at {values}: sum of squares + {other.excess:.3g}")
    for remark in found.remarks:
        console.print(f"! {remark}")
