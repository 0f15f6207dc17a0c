"""`isodyn report` and `isodyn cite`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from isodyn.api.resuming import resume
from isodyn.cli.models import system_of_python
from isodyn.cli.output import JSON, print_json, say_written
from isodyn.errors import InputError
from isodyn.later import Later
from isodyn.problems import ALL
from isodyn.report.reasons import cited
from isodyn.specs import parse_scheme

if TYPE_CHECKING:
    from isodyn.problems.problem import Problem
    from isodyn.results.solution import Solution

# most runs write no page
netcdf = Later("isodyn.results.netcdf")
report_page, report_animation = Later("isodyn.report.html"), Later("isodyn.report.animation")

ANIMATIONS = (".gif", ".mp4", ".glb")


def check_page(path: Path | None, *endings: str) -> None:
    """What would fail when a page or an animation is written, said before the run."""
    if path is None:
        return
    if path.suffix.lower() not in endings:
        raise InputError(f"{path.name!r} must end in {' or '.join(endings)}", hint=f"{path}{endings[0]}")
    if os.path.isdir(path) or (os.path.exists(path.parent) and not os.path.isdir(path.parent)):
        raise InputError(f"cannot write {path}: a folder and a file have the same name")


def problem_of(sol: Solution) -> Problem | None:
    """The ready problem that a solution belongs to, if there is one."""
    return ALL.get((sol.model or {}).get("name", ""))


def write_pages(sol: Solution, page: Path | None, animation: Path | None, **told: Any) -> list[Path]:
    """The report and the animation that are wanted."""
    if page is None and animation is None:
        return []
    problem, written = problem_of(sol), []
    title = None if problem is not None else (sol.model or {}).get("title") or None
    if page is not None:
        written.append(report_page.write_report(sol, page, problem=problem, title=title, **told))
    if animation is not None:
        written.append(report_animation.write_animation(sol, animation, problem=problem))
    return written


@click.command("report")
@click.argument("saved", metavar="RUN", type=click.Path(path_type=Path))
@click.option(
    "--out", "page", type=click.Path(path_type=Path), help="HTML file to write. Default: RUN with the ending .html."
)
@click.option("--animation", type=click.Path(path_type=Path), help="Also write the motion as GIF, MP4 or glTF (.glb).")
@click.option("--python", "python_file", metavar="FILE.py:NAME", help="The system, if a Python file defines it.")
@JSON
def report_command(
    saved: Path, page: Path | None, animation: Path | None, python_file: str | None, as_json: bool
) -> None:
    """Write the HTML report of RUN: a NetCDF file, or the checkpoint folder of a finished run."""
    page = page or Path(f"{saved.resolve()}.html" if os.path.isdir(saved) else saved.with_suffix(".html"))
    check_page(page, ".html", ".htm")
    check_page(animation, *ANIMATIONS)
    system = None if python_file is None else system_of_python(python_file)
    sol = resume(saved, system) if os.path.isdir(saved) else netcdf.load(saved, system)
    written = write_pages(sol, page, animation, settings={"run": saved.name})
    if as_json:
        print_json({"files": [str(path) for path in written]})
    say_written(written)


@click.command("cite")
@click.argument("names", nargs=-1, metavar="[PROBLEM | SCHEME]...")
@JSON
def cite_command(names: Sequence[str], as_json: bool) -> None:
    """List what to cite for runs of these problems and schemes."""
    found: list[dict[str, str]] = []
    for name in names or ("U0(1,1,1)",):
        problem = ALL.get(name)
        scheme = problem.scheme if problem is not None else parse_scheme(name)
        found += [w for w in cited(scheme, None if problem is None else problem.citation) if w not in found]
    if as_json:
        print_json(found)
        return
    for work in found:
        where = ", ".join(x for x in (work.get("where"), f"doi {work['doi']}" if "doi" in work else None) if x)
        click.echo(f"{work['authors']} ({work['year']}). {work['title']}. {where}")
