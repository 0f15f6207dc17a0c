"""`isodyn run`: problems, model files and named Python files."""

from __future__ import annotations

import json
import webbrowser
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from isodyn import problems
from isodyn.api import integrate
from isodyn.api.resuming import described, resume
from isodyn.cli.files import Files
from isodyn.cli.models import is_model_file, is_robot_file, read_model, system_of_python, system_of_robot
from isodyn.cli.output import INTERRUPTED, JSON, on_terminal, print_json, say_written
from isodyn.cli.summaries import print_mechanism, print_members, print_summary
from isodyn.errors import InputError, IsodynError
from isodyn.later import Later
from isodyn.report import figures
from isodyn.report.summary import run_summary
from isodyn.results.solution import Solution
from isodyn.specs import AskedSteps, parse_formulation, parse_parameters

if TYPE_CHECKING:
    from isodyn.systems.base import System

live_view = Later("isodyn.report.live")
summaries_of_models = Later("isodyn.models.summary")  # which loads mechanisms


@click.command()
@click.argument("target", required=False, metavar="[PROBLEM | MODEL.toml | ROBOT.urdf]")
@click.option(
    "--python", "python_file", metavar="FILE.py:NAME", help="A system defined in a Python file. The file is executed."
)
@click.option(
    "--scheme",
    "scheme_text",
    metavar="SPEC",
    help='Integration scheme, such as "U0(0.8,0.8,0.8)", or a method: Radau, DOP853, Auto. Default: the problem\'s own.',
)
@click.option(
    "--formulation",
    "formulation_text",
    metavar="SPEC",
    help='How constraints are treated, such as "baumgarte(20,30)". Default: "stabilised".',
)
@click.option("--dt", type=float, help="Time step in seconds.")
@click.option("--rtol", type=float, help="Relative tolerance of adaptive steps or of a method, instead of --dt.")
@click.option("--t-end", type=float, help="End time in seconds.")
@click.option(
    "--set", "settings", multiple=True, metavar="NAME=NUMBER", help="Set a parameter of the problem. May be repeated."
)
@click.option("--save-every", type=int, help="Keep only every n-th step.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for figures and report (problems) or results (model files).",
)
@click.option("--save", "netcdf", type=click.Path(path_type=Path, dir_okay=False), help="Save the solution as NetCDF.")
@click.option("--csv", "csv", type=click.Path(path_type=Path, dir_okay=False), help="Save the solution as CSV.")
@click.option("--parquet", type=click.Path(path_type=Path, dir_okay=False), help="Save the solution as Parquet.")
@click.option("--report", "page", type=click.Path(path_type=Path), help="Write an HTML report with animation.")
@click.option("--animation", type=click.Path(path_type=Path), help="Write the motion as GIF, MP4 or glTF (.glb).")
@click.option(
    "--checkpoint",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for checkpoints; `isodyn resume` continues from there.",
)
@click.option("--live", is_flag=True, help="Watch the run in your browser. Nothing leaves this machine.")
@click.option(
    "--speed",
    type=click.FloatRange(min=0.0),
    default=1.0,
    show_default=True,
    help="Live view: simulated seconds per second; 0 means as fast as possible.",
)
@click.option("--progress/--no-progress", default=None, help="Show a progress bar. Default: only on a terminal.")
@JSON
def run(
    *,
    target: str | None,
    python_file: str | None,
    scheme_text: str | None,
    formulation_text: str | None,
    dt: float | None,
    rtol: float | None,
    t_end: float | None,
    settings: Sequence[str],
    save_every: int | None,
    out: Path | None,
    netcdf: Path | None,
    csv: Path | None,
    parquet: Path | None,
    page: Path | None,
    animation: Path | None,
    checkpoint: Path | None,
    live: bool,
    speed: float,
    progress: bool | None,
    as_json: bool,
) -> None:
    """Integrate a problem, a model file or a system of your own, and print a summary."""
    if target is None and python_file is None:
        raise click.UsageError(
            "Missing argument 'PROBLEM', MODEL.toml or --python FILE.py:NAME", click.get_current_context()
        )
    if target is not None and python_file is not None:
        raise InputError(f"run takes {target!r} or --python, not both")
    given: dict[str, Any] = {"progress": on_terminal() if progress is None else progress}
    if formulation_text is not None:
        given["formulation"] = parse_formulation(formulation_text)
    if dt is not None and rtol is not None:
        raise InputError(f"run takes --dt or --rtol, not both; received {dt:g} and {rtol:g}")
    times = {"t_end": t_end, "save_every": save_every}
    steps = AskedSteps(scheme_text, dt, rtol)
    given |= {key: value for key, value in times.items() if value is not None}
    files = Files(netcdf, csv, checkpoint, page=page, animation=animation, table=parquet, live=speed if live else None)
    parameters = parse_parameters(settings)
    if python_file is not None:
        stopped = _run_python(python_file, parameters, given | steps.options(), files, as_json)
    elif target is not None and is_robot_file(target):
        stopped = _run_robot(target, parameters, given | steps.options(), files, out, as_json)
    elif target is not None and is_model_file(target):
        stopped = _run_model(target, parameters, given, steps, files, out, as_json)
    else:
        assert target is not None
        stopped = _run_problem(target, parameters, given | steps.options(), files, out, as_json)
    if stopped:
        raise click.exceptions.Exit(INTERRUPTED)


def _integrated(system: System, options: dict[str, Any], files: Files, model: dict[str, Any] | None) -> Solution:
    """The run; what exists when it fails is written too."""
    kept = files.checkpoint_of(model)
    try:
        if files.live is None:
            sol = integrate(system, **options, checkpoint=kept)
        else:
            sol = _followed(system, options | {"checkpoint": kept}, files.live, model)
    except IsodynError as error:
        if isinstance(error.partial, Solution) and error.partial.t.size:
            error.partial.model = model
            try:
                say_written(files.write(error.partial))
            except IsodynError as other:
                error.add_note(f"the run so far is lost too: {other.args[0]}")
        raise
    sol.model = model
    return sol


def _followed(system: System, options: dict[str, Any], speed: float, model: dict[str, Any] | None) -> Solution:
    """The run with a live view of it."""
    problem = problems.ALL.get((model or {}).get("name", ""))
    plane = () if problem is None else problem.plane
    with live_view.Live(system, options["t_end"], plane=plane, speed=speed) as live:
        click.echo(f"live view: {live.url}", err=True)
        if on_terminal():
            webbrowser.open(live.url)
        if not live.wait():
            click.echo("nobody is watching yet; the run begins", err=True)
        return integrate(system, **options, observe=live.observe)


def _interrupted(sol: Solution) -> bool:
    """Whether somebody stopped the run; an event that ends it is its end."""
    ended = bool(sol.events) and sol.events[-1].t == sol.t[-1]
    return sol.stats.stopped is not None and not ended


def _run_problem(
    name: str,
    parameters: dict[str, float],
    given: dict[str, Any],
    files: Files,
    out: Path | None,
    as_json: bool,
) -> bool:
    chosen = problems.get(name)
    options = {"scheme": chosen.scheme, "dt": chosen.dt, "t_end": chosen.t_end, **given}
    options["breakpoints"] = chosen.breaks(options["t_end"])
    system = chosen.system(**parameters)
    if out is not None:  # said before the run, not after it
        figures.require_matplotlib()
        figures.check_folder(out)
        files = replace(files, page=files.page or out / "report.html")
    text = f"problem = {json.dumps(name)}\n[parameters]\n" + "".join(
        f"{key} = {x!r}\n" for key, x in parameters.items()
    )
    described = {"title": chosen.title, "name": name, "text": text, "parameters": {}}
    sol = _integrated(system, options, files, described)
    summary = run_summary(chosen, parameters, _size(options), sol)
    written = figures.solution_figures(sol, out, chosen, _size(options)) if out is not None else []
    settings = {name: f"{value:g}" for name, value in parameters.items()}
    written += files.write(sol, formulation=given.get("formulation"), dt=_size(options), settings=settings)
    return _told(summary, written, as_json, print_summary, sol)


def _run_python(target: str, parameters: dict[str, float], given: dict[str, Any], files: Files, as_json: bool) -> bool:
    if parameters:
        raise InputError("--set is for problems and model files", hint="set the numbers in the Python file")
    _need_times("a system from a Python file", given)
    return _run_system(system_of_python(target), target, given, files, as_json, {})


def _run_robot(
    target: str, parameters: dict[str, float], given: dict[str, Any], files: Files, out: Path | None, as_json: bool
) -> bool:
    """A file of another program; --set gives coordinates of its joints at the start."""
    _need_times("a robot", given)
    system, found = system_of_robot(target, parameters)
    if out is not None:
        figures.check_folder(out)
        files = replace(files, page=files.page or out / "report.html")
    if not as_json:
        click.echo(str(found), err=True)
    told = {"read": dict(found.read), "changed": found.changed, "ignored": found.ignored}
    return _run_system(system, target, given, files, as_json, {"import": told})


def _need_times(what: str, given: dict[str, Any]) -> None:
    for key, option in (("dt", "--dt or --rtol"), ("t_end", "--t-end")):
        if key not in given:
            raise InputError(f"{what} needs {option}")


def _run_system(
    system: System, target: str, given: dict[str, Any], files: Files, as_json: bool, more: dict[str, Any]
) -> bool:
    sol = _integrated(system, given, files, None)
    summary = {**summaries_of_models.mechanism_summary(sol, target, _size(given)), **more}
    written = files.write(sol, formulation=given.get("formulation"), dt=_size(given), settings={"system": target})
    return _told(summary, written, as_json, print_mechanism, sol)


def _told(
    summary: dict[str, Any], written: list[Path], as_json: bool, show: Callable[..., None], sol: Solution
) -> bool:
    """Print a summary; whether the run was stopped."""
    if written:
        summary["files"] = [str(path) for path in written]
    if as_json:
        print_json(summary)
    else:
        show(summary)
    say_written(written)
    return _interrupted(sol)


def _run_model(
    target: str,
    parameters: dict[str, float],
    given: dict[str, Any],
    steps: AskedSteps,
    files: Files,
    out: Path | None,
    as_json: bool,
) -> bool:
    """One run, or one for each combination of swept parameters."""
    model = read_model(target, parameters)
    files = files.of_model(model.model.output, out or Path(target).parent)
    combinations = [tuple((name, x) for name, x in one.items() if name not in parameters) for one in model.members()]
    members = [dict(one) for one in dict.fromkeys(combinations)]
    given = given | steps.options(model.model.run.scheme, model.model.run.settings)
    summaries: list[dict[str, Any]] = []
    written: list[Path] = []
    stopped = False
    for number, swept in enumerate(members):
        one = model.with_parameters({**parameters, **swept}) if swept else model
        options = {**one.options(), **given}
        mine = files.numbered(number + 1) if len(members) > 1 else files
        if len(members) > 1:
            click.echo(f"run {number + 1} of {len(members)}: {_values(swept)}", err=True)
        described = one.described({**parameters, **swept})
        sol = _integrated(one.system(), options, mine, described)
        summary = {
            "parameters": one.parameters,
            **summaries_of_models.mechanism_summary(sol, one.title, _size(options)),
        }
        summaries.append({"swept": swept, **summary} if swept else summary)
        settings = {"model": Path(target).name, **{name: f"{x:g}" for name, x in one.parameters.items()}}
        written += mine.write(sol, formulation=options.get("formulation"), dt=_size(options), settings=settings)
        stopped = _interrupted(sol)
        if stopped:
            break
    if len(members) == 1:
        return _told(summaries[0], written, as_json, print_mechanism, sol)
    if as_json:
        print_json(summaries)
    else:
        print_members(summaries)
    say_written(written)
    return stopped


def _size(options: dict[str, Any]) -> float | None:
    """The size of steps; None where they were chosen on the way."""
    dt = options.get("dt")
    return float(dt) if isinstance(dt, int | float) else None


def _values(swept: dict[str, float]) -> str:
    return ", ".join(f"{name} = {value:g}" for name, value in swept.items())


@click.command("resume")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--python", "python_file", metavar="FILE.py:NAME", help="The system, if the run came from a Python file.")
@click.option("--save", "netcdf", type=click.Path(path_type=Path, dir_okay=False), help="Save the solution as NetCDF.")
@click.option("--csv", "csv", type=click.Path(path_type=Path, dir_okay=False), help="Save the solution as CSV.")
@click.option("--progress/--no-progress", default=None, help="Show a progress bar. Default: only on a terminal.")
@JSON
def resume_command(
    folder: Path, python_file: str | None, netcdf: Path | None, csv: Path | None, progress: bool | None, as_json: bool
) -> None:
    """Finish the run whose checkpoints are in FOLDER."""
    system = None if python_file is None else system_of_python(python_file)
    found = described(folder)
    sol = resume(folder, system, progress=on_terminal() if progress is None else progress)
    title = (sol.model or {}).get("title") or str(folder)
    summary = summaries_of_models.mechanism_summary(sol, title, _size(found["options"]))
    if _told(summary, Files(netcdf, csv, None).write(sol), as_json, print_mechanism, sol):
        raise click.exceptions.Exit(INTERRUPTED)
