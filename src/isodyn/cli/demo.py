"""`isodyn demo`: one machine from its parts to its report, in half a minute."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from isodyn.api import integrate
from isodyn.cli.output import JSON, new_console, new_table, print_json
from isodyn.problems import get
from isodyn.report.figures import check_folder, order_figure, require_matplotlib
from isodyn.report.html import write_report
from isodyn.report.summary import run_summary
from isodyn.studies import order_study

if TYPE_CHECKING:
    from isodyn.problems.problem import Problem
    from isodyn.results.solution import Solution

MACHINE = "andrews_mechanism"
STEPS = (2e-5, 1e-5, 5e-6)  # of the order check, until t_order of the problem


@click.command("demo")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("out/demo"),
    show_default=True,
    help="Folder for the report and the figure.",
)
@JSON
def demo_command(out: Path, as_json: bool) -> None:
    """Run a machine with closed loops, show its reactions, check its order and write its
    animated report.

    The machine is Andrews' squeezing mechanism from the Test Set for IVP Solvers: seven bodies, ten
    hinges, a spring and a motor, with one degree of freedom.
    """
    require_matplotlib()
    check_folder(out)
    problem = get(MACHINE)
    sol = integrate(problem.system(), problem.scheme, dt=problem.dt, t_end=problem.t_end)
    sol.model = {"title": problem.title, "name": problem.name, "text": f'problem = "{MACHINE}"\n', "parameters": {}}
    summary = run_summary(problem, {}, problem.dt, sol)
    study = order_study(problem, problem.scheme, STEPS)
    document: dict[str, Any] = {
        "machine": problem.title,
        "steps": sol.stats.steps,
        "seconds": sol.stats.seconds,
        "reactions": _reactions(sol),
        "drift": summary["constraints"]["drift"],
        "errors": summary["errors"],
        "orders": {key: study.cases[0].order(key) for key in study.quantities},
    }
    orders = ", ".join(f"{'λ' if key == 'lam' else key} {slope:.2f}" for key, slope in document["orders"].items())
    checks = {"errors at the end": _errors(document["errors"]), "measured orders": orders}
    page = write_report(sol, out / "report.html", problem=problem, dt=problem.dt, settings=checks)
    document["files"] = [str(page), str(order_figure(study, out / "order.png"))]
    if as_json:
        print_json(document)
    else:
        _tell(document, checks, problem, sol)


def _reactions(sol: Solution) -> dict[str, dict[str, float]]:
    """The largest force of every joint, and when."""
    found = {}
    for name in sol.system.joints:
        size = np.linalg.norm(sol.reaction(name).force, axis=1)
        at = int(size.argmax())
        found[name] = {"largest": float(size[at]), "at": float(sol.t[at]), "last": float(size[-1])}
    return found


def _errors(errors: dict[str, Any]) -> str:
    return ", ".join(f"{key} {value:.1e}" for key, value in errors.items() if isinstance(value, float))


def _tell(document: dict[str, Any], checks: dict[str, str], problem: Problem, sol: Solution) -> None:
    console = new_console()
    console.print(document["machine"], style="bold")
    console.print(
        f"{len(sol.system.bodies)} bodies, {len(sol.system.joints)} hinges, a spring, a motor;"
        f" {document['steps']} steps of {problem.dt:g} s in {document['seconds']:.2g} s"
    )
    table = new_table("reactions", "joint", "largest force [N]", "at t [s]", "at the end [N]")
    for name, numbers in document["reactions"].items():
        table.add_row(name, f"{numbers['largest']:.1f}", f"{numbers['at']:.4f}", f"{numbers['last']:.1f}")
    console.print(table)
    drift = document["drift"]
    console.print(f"joints stay closed to {drift['position']:.0e} (their rates to {drift['velocity']:.0e}), relative")
    console.print(
        f"errors at t = {problem.t_end:g} against the published reference, relative: {checks['errors at the end']}"
    )
    console.print(
        f"orders measured with three step sizes, against DOP853 until t = {problem.t_order:g}:"
        f" {checks['measured orders']} (2 is promised)"
    )
    console.print(f"\nopen {document['files'][0]}", style="bold")
