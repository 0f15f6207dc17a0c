"""The reference of the command line, from the commands themselves."""

from __future__ import annotations

import re

import click


def _plain(text: str) -> str:
    return re.sub(r"([*_|<>\[\]])", r"\\\1", " ".join(text.split()))


def to_markdown() -> str:
    """A section for each command: what it does, its arguments and its options."""
    from isodyn.cli import cli

    lines: list[str] = []
    group = click.Context(cli)
    for name in cli.list_commands(group):
        command = cli.get_command(group, name)
        assert command is not None
        with click.Context(command, info_name=f"isodyn {name}") as context:
            usage = " ".join(command.collect_usage_pieces(context))
            paragraphs = [_plain(part) for part in re.split(r"\n\s*\n", command.help or "") if part.strip("\b \n")]
            lines += [f"## isodyn {name}", "", f"```\nisodyn {name} {usage}\n```", "", "\n\n".join(paragraphs), ""]
            rows = [
                record for option in command.params if (record := option.get_help_record(context)) is not None
            ]  # arguments have none
            lines += ["| option | |", "|---|---|"]
            lines += [f"| `{flags.replace('|', chr(92) + '|')}` | {_plain(text)} |" for flags, text in rows]
            lines.append("")
    return "\n".join(lines)
