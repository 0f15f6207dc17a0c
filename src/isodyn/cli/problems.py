"""`isodyn list`."""

from __future__ import annotations

import click

from isodyn.cli.output import JSON, new_console, new_table, print_json
from isodyn.problems import ALL


@click.command("list")
@JSON
def list_command(as_json: bool) -> None:
    """List the problems that are ready to run."""
    if as_json:
        print_json(
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
    table = new_table("", "problem", "what it is", "scheme", "dt", "t_end", "parameters")
    for column in table.columns[1:3] + table.columns[5:]:
        column.justify = "left"
    for p in ALL.values():
        parameters = " ".join(f"{name}={value:g}" for name, value in p.parameters.items())
        table.add_row(p.name, p.title, str(p.scheme), f"{p.dt:g}", f"{p.t_end:.4g}", parameters)
    new_console().print(table)
