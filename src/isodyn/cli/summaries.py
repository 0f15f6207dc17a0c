"""Summaries of runs in words and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isodyn.cli.output import ROWS, new_console, new_table
from isodyn.later import Later

if TYPE_CHECKING:
    from rich.console import Console

rich_markup = Later("rich.markup")


def print_summary(summary: dict[str, Any]) -> None:
    console = new_console()
    parameters = ", ".join(f"{name} = {value:g}" for name, value in summary["parameters"].items())
    console.print(summary["problem"], style="bold", end="")
    console.print(f": {summary['title']}{f' ({parameters})' if parameters else ''}")
    console.print(f"scheme {summary['scheme']}, {_steps(summary)}, ", end="")
    console.print(f"{summary['steps']} steps from t = {summary['t_start']:g} to {summary['t_end']:g}")
    if "stopped" in summary:
        console.print(summary["stopped"], style="bold")
    _print_motion(console, summary["motion"])
    if summary["invariants"]:
        table = new_table("constants of the exact motion", "quantity", "start", "final", "largest deviation")
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
        against = summary["errors"]["against"]
        console.print(f"error ({summary['errors']['measure']}): {text}\n  against {against}")
    cost = summary["cost"]
    _print_local_error(console, cost)
    console.print(
        f"cost: {cost['seconds']:.3g} s, {cost['microseconds_per_step']:.3g} µs per step, {cost['iterations']} iterations, "
        f"{cost['factorisations']} factorisations ({cost['solver']})"
        + (f", {cost['halvings']} halvings" if cost["halvings"] else "")
    )


def _steps(summary: dict[str, Any]) -> str:
    """Sizes of steps, in words."""
    if summary["dt"] is not None:
        return f"dt = {summary['dt']:g}"
    if summary["step_sizes"] is None:
        return "steps of several sizes"
    least, most = summary["step_sizes"]
    return f"adaptive steps of {least:.3g} to {most:.3g} ({summary['cost']['rejected']} rejected)"


def _print_local_error(console: Console, cost: dict[str, Any]) -> None:
    if cost["local_error"] is not None:
        place = f"in {cost['local_error_in']} at t = {cost['local_error_at']:.6g}"
        text = f"local error: at most {100.0 * cost['local_error']:.2g} % of the largest change in a step, {place}"
        console.print(rich_markup.escape(text))


def _print_motion(console: Console, motion: dict[str, Any]) -> None:
    """One table; two where coordinates and velocities have names of their own."""
    for symbols in dict.fromkeys(tuple(ranges) for ranges in motion.values()):
        chosen = {name: ranges for name, ranges in motion.items() if tuple(ranges) == symbols}
        columns = [head for symbol in symbols for head in (f"{symbol} min", f"{symbol} max")]
        table = new_table("range of motion", "variable", *columns, f"{symbols[0]} final")
        for name, ranges in list(chosen.items())[:ROWS]:
            cells = [f"{ranges[symbol][end]:.5g}" for symbol in symbols for end in ("min", "max")]
            table.add_row(name, *cells, f"{ranges[symbols[0]]['final']:.8g}")
        console.print(table)
        if len(chosen) > ROWS:
            console.print(f"… and {len(chosen) - ROWS} more variables (--json has all)\n")


def _print_constraints(console: Console, constraints: dict[str, Any]) -> None:
    """Multipliers, redundant rows and drift."""
    table = new_table("multipliers (−Gᵀλ is the force of constraint)", "row", "min", "max", "final")
    for name, numbers in list(constraints["multipliers"].items())[:ROWS]:
        table.add_row(name, f"{numbers['min']:.5g}", f"{numbers['max']:.5g}", f"{numbers['final']:.8g}")
    console.print(table)
    if constraints["redundant"]:
        console.print("rows that follow from others: " + ", ".join(constraints["redundant"]))
    levels = ", ".join(f"{level} {value:.1e}" for level, value in constraints["drift"].items())
    console.print(f"constraint drift (largest, relative): {levels}")


def print_mechanism(summary: dict[str, Any]) -> None:
    """The summary of a model: motion, joints, energy, drift, cost."""
    console = new_console()
    console.print(summary["title"], style="bold")
    console.print(f"scheme {summary['scheme']}, {_steps(summary)}, ", end="")
    console.print(f"{summary['steps']} steps from t = {summary['t_start']:g} to {summary['t_end']:g}")
    if "stopped" in summary:
        console.print(summary["stopped"], style="bold")
    if summary.get("bodies"):
        _print_bodies(console, summary["bodies"])
        _print_joints(console, summary["joints"])
    elif "motion" in summary:
        table = new_table("range of motion", "variable", "min", "max", "final")
        for name, x in list(summary["motion"].items())[:ROWS]:
            table.add_row(name, f"{x['min']:.5g}", f"{x['max']:.5g}", f"{x['final']:.8g}")
        console.print(table)
    _print_energy(console, summary["energy"])
    if summary["constraints"] is not None:
        levels = ", ".join(f"{level} {value:.1e}" for level, value in summary["constraints"]["drift"].items())
        console.print(f"constraint drift (largest, relative): {levels}")
        if summary["constraints"]["redundant"]:
            rows = ", ".join(summary["constraints"]["redundant"])
            console.print(f"rows that follow from others: {rows}")
    cost = summary["cost"]
    _print_local_error(console, cost)
    console.print(
        f"cost: {cost['seconds']:.3g} s, {cost['microseconds_per_step']:.3g} µs per step, {cost['iterations']} iterations, "
        f"{cost['factorisations']} factorisations ({cost['solver']})"
    )


def _print_bodies(console: Console, bodies: dict[str, Any]) -> None:
    axes = "xyz" if any("z" in body for body in bodies.values()) else "xy"
    columns = [head for axis in axes for head in (f"{axis} min", f"{axis} max")]
    table = new_table("how mass centres moved (m, m/s, rad/s)", "body", *columns, "speed", "turning")
    for name, body in list(bodies.items())[:ROWS]:
        cells = [f"{body[axis][end]:.4g}" if axis in body else "" for axis in axes for end in ("min", "max")]
        turning = f"{body['angular_speed']['largest']:.4g}" if "angular_speed" in body else ""
        table.add_row(name, *cells, f"{body['speed']['largest']:.4g}", turning)
    console.print(table)
    if len(bodies) > ROWS:
        console.print(f"… and {len(bodies) - ROWS} more bodies (--json has all)\n")


def _print_joints(console: Console, joints: dict[str, Any]) -> None:
    if not joints:
        return
    table = new_table(
        "joints: largest reactions (N, N m)", "joint", "force", "at t", "torque", "coordinate", "from", "to"
    )
    for name, joint in list(joints.items())[:ROWS]:
        force = (f"{joint['force']['largest']:.4g}", f"{joint['force']['at']:.4g}") if "force" in joint else ("", "")
        torque = f"{joint['torque']['largest']:.4g}" if "torque" in joint else ""
        if joint.get("indeterminate"):
            torque += " (one of many)"
        kinds = [kind for kind, found in joint.items() if isinstance(found, dict) and "final" in found]
        moved = (kinds[0], f"{joint[kinds[0]]['min']:.4g}", f"{joint[kinds[0]]['max']:.4g}") if kinds else ("", "", "")
        table.add_row(name, *force, torque, *moved)
    console.print(table)
    if len(joints) > ROWS:
        console.print(f"… and {len(joints) - ROWS} more joints (--json has all)\n")


def _print_energy(console: Console, energy: dict[str, float] | None) -> None:
    if energy is not None:
        console.print(
            f"energy (J): {energy['start']:.5g} at the start, {energy['final']:.5g} at the end; "
            f"differs from the work of all forces by at most {energy['largest_imbalance']:.2g}"
        )


def print_members(summaries: list[dict[str, Any]]) -> None:
    """One line for each run of a sweep."""
    names = list(summaries[0]["swept"])
    table = new_table(summaries[0]["title"], *names, "energy", "largest force (N)", "in joint", "drift", "s")
    for one in summaries:
        loaded = {name: joint["force"]["largest"] for name, joint in one.get("joints", {}).items() if "force" in joint}
        joint = max(loaded, key=lambda name: loaded[name]) if loaded else ""
        table.add_row(
            *(f"{one['swept'][name]:g}" for name in names),
            f"{one['energy']['final']:.5g}" if one["energy"] else "",
            f"{loaded[joint]:.5g}" if joint else "",
            joint,
            f"{one['constraints']['drift']['position']:.1e}" if one["constraints"] else "",
            f"{one['cost']['seconds']:.2g}",
        )
    new_console().print(table)
