"""`isodyn sweep`."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click
import numpy as np

from isodyn.cli.models import is_model_file, need_pydantic, read_model
from isodyn.cli.output import INTERRUPTED, JSON, new_console, new_table, on_terminal, print_json, say_written
from isodyn.errors import InputError, InterruptedWarning
from isodyn.later import Later
from isodyn.report.html import write_report
from isodyn.results.files import check_place
from isodyn.specs import AskedSteps, parse_formulation
from isodyn.sweeps.design import Sampling
from isodyn.sweeps.result import Sweep
from isodyn.sweeps.study import sweep

if TYPE_CHECKING:
    from isodyn.models.build import ModelFile

model_build, model_reader = Later("isodyn.models.build"), Later("isodyn.models.reader")

SHOWN = 8  # points, and errors, in tables


@click.command("sweep")
@click.argument("model", required=False)
@click.option(
    "-p",
    "--parameter",
    "parameters",
    multiple=True,
    metavar="NAME=VALUES",
    help="Values: 0.5:2:16 (a grid), 1,2,5 (a list), 0.5:2 (uniform) or normal(1, 0.1). May be repeated.",
)
@click.option(
    "-o", "--output", "outputs", multiple=True, metavar="EXPRESSION", help='What to keep: "peak = max(|pin.force|)".'
)
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="File for the results (.nc).")
@click.option("--sampling", type=click.Choice(get_args(Sampling)), help="How distributions are sampled.")
@click.option("--count", type=int, help="Number of samples drawn from distributions.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the samples.")
@click.option("--scheduler", metavar="ADDRESS", help="A Dask scheduler, such as tcp://127.0.0.1:8786.")
@click.option("--workers", type=click.IntRange(min=0), help="Processes on this machine. Default: one for each core.")
@click.option("--scheme", "scheme_text", metavar="SPEC", help="Integration scheme, or a method: Radau, DOP853, Auto.")
@click.option("--formulation", "formulation_text", metavar="SPEC", help="How constraints are treated.")
@click.option("--dt", type=float, help="Time step.")
@click.option("--rtol", type=float, help="Relative tolerance of adaptive steps or of a method, instead of --dt.")
@click.option("--t-end", type=float, help="End time in seconds.")
@click.option("--save", type=int, help="Read outputs from this many equally spaced rows.")
@click.option("--save-every", type=int, help="Read outputs from every n-th step.")
@click.option("--solutions", is_flag=True, help="Also keep whole solutions, in a folder next to the file.")
@click.option("--resume", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Continue this sweep.")
@click.option("--retry", is_flag=True, help="Run failed points again.")
@click.option("--table", type=click.Path(path_type=Path), help="Write a table (.csv or .parquet).")
@click.option("--report", type=click.Path(path_type=Path, dir_okay=False), help="Write a report with plots (.html).")
@click.option("--progress/--no-progress", default=None, help="Show a progress bar. Default: only on a terminal.")
@JSON
def sweep_command(*, table: Path | None, report: Path | None, as_json: bool, **asked: Any) -> None:
    """Run MODEL, a model file or a problem, with many values of its parameters."""
    for place in (table, report):
        if place is not None:
            check_place(place)
    progress = asked.pop("progress")
    asked["progress"] = on_terminal() if progress is None else progress
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = _resumed(asked) if asked["resume"] is not None else _begun(asked)
    for one in told:
        warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    written = [] if asked["out"] is None and asked["resume"] is None else [found.path]
    written += [found.save(table)] if table is not None else []
    written += [write_report(found, report)] if report is not None else []
    if as_json:
        print_json(summary(found) | {"files": [str(path) for path in written]})
    else:
        _show(found)
    say_written(written)
    if any(issubclass(one.category, InterruptedWarning) for one in told):
        raise click.exceptions.Exit(INTERRUPTED)
    if found.counts["failed"]:
        raise click.exceptions.Exit(1)


def _begun(asked: dict[str, Any]) -> Sweep:
    if asked["model"] is None:
        raise click.UsageError("Missing argument 'MODEL', or --resume FILE", click.get_current_context())
    texts = {
        key: asked[key] for key in ("scheme_text", "formulation_text", "dt", "rtol", "t_end", "save", "save_every")
    }
    model = read_model(asked["model"], {}) if is_model_file(asked["model"]) else asked["model"]
    call = {
        "target": asked["model"],
        "parameters": list(asked["parameters"]),
        "outputs": list(asked["outputs"]),
        **texts,
        **{key: asked[key] for key in ("sampling", "count", "seed", "solutions")},
    }
    return _called(model, call, asked, resume=False)


def _resumed(asked: dict[str, Any]) -> Sweep:
    """A sweep as its file describes it."""
    given = [key for key in ("model", "out", "sampling", "count") if asked[key] is not None]
    given += [key for key in ("parameters", "outputs") if asked[key]]
    if given:
        raise InputError(f"--resume takes everything from the file; {given[0]} cannot be given")
    about = Sweep(asked["resume"]).about
    call, kept = about.get("call"), about.get("model")
    if not isinstance(call, dict) or not isinstance(kept, dict):
        raise InputError(
            f"{asked['resume']} does not contain its model", hint="repeat the same call of iso.sweep with resume=True"
        )
    if "text" in kept:
        need_pydantic()
        files = model_reader.unpacked(kept.get("files") or {})
        model = model_build.model_from_text(kept["text"], kept["name"], kept["parameters"], files)
    else:
        model = kept["problem"]
    return _called(model, call, asked, resume=True)


def _called(model: ModelFile | str, call: dict[str, Any], asked: dict[str, Any], resume: bool) -> Sweep:
    options: dict[str, Any] = {key: call[key] for key in ("t_end", "save", "save_every") if call[key] is not None}
    if call["dt"] is not None and call["rtol"] is not None:
        raise InputError(f"sweep takes --dt or --rtol, not both; received {call['dt']:g} and {call['rtol']:g}")
    steps = AskedSteps(call["scheme_text"], call["dt"], call["rtol"])
    own = None if isinstance(model, str) else model.model.run
    options |= steps.options() if own is None else steps.options(own.scheme, own.settings)
    if call["formulation_text"] is not None:
        options["formulation"] = parse_formulation(call["formulation_text"])
    return sweep(
        model,
        read_parameters(call["parameters"]),
        call["outputs"],
        out=asked["resume"] if resume else asked["out"],
        sampling=call["sampling"],
        count=call["count"],
        seed=call["seed"],
        solutions=call["solutions"],
        scheduler=asked["scheduler"],
        workers=asked["workers"],
        resume=resume,
        retry=asked["retry"],
        progress=asked["progress"],
        about={"call": call},
        **options,
    )


def read_parameters(texts: Sequence[str]) -> dict[str, str]:
    """Values by name, from NAME=VALUES."""
    found: dict[str, str] = {}
    for text in texts:
        name, equal, values = text.partition("=")
        if not equal or not name.strip() or not values.strip():
            raise InputError(f"-p takes NAME=VALUES, received {text!r}", hint="such as crank.mass=0.5:2:16")
        if name.strip() in found:
            raise InputError(f"{name.strip()} is given twice")
        found[name.strip()] = values.strip()
    return found


def summary(found: Sweep) -> dict[str, Any]:
    """What a sweep found, as plain data."""
    outputs: dict[str, Any] = {}
    for name in found.output_names:
        values = found[name]
        good = values[np.isfinite(values)]
        if values.ndim == 1 and good.size:
            outputs[name] = {"min": good.min(), "mean": good.mean(), "max": good.max()}
    some = dict(list(found.errors.items())[:SHOWN])
    return {
        "title": found.title,
        "points": len(found),
        **found.counts,
        "parameters": {name: [found[name].min(), found[name].max()] for name in found.parameter_names},
        "outputs": outputs,
        "errors": {str(k): text for k, text in some.items()},
    }


def _show(found: Sweep) -> None:
    console, told = new_console(), summary(found)
    counts = ", ".join(f"{n} {word}" for word, n in found.counts.items() if n)
    console.print(f"{found.title}: {len(found)} points, {counts}")
    table = new_table("", "output", "smallest", "mean", "largest")
    for name, numbers in told["outputs"].items():
        table.add_row(name, *(f"{numbers[key]:.6g}" for key in ("min", "mean", "max")))
    console.print(table)
    if told["errors"]:
        failed = new_table("points that failed", "point", "why")
        for number, why in told["errors"].items():
            failed.add_row(number, why)
        console.print(failed)
