"""The command line: `isodyn demo`, `list`, `run`, `resume`, `report`, `sweep`, `fit`, `order`,
`compare`, `verify`, `scheme`, `schema`, `cite`.

Strings become objects in `isodyn.specs`, files in `isodyn.models`. Data go to standard output, logs
and progress to standard error; `--json` prints exactly one document. Errors are one message with a
hint; exit code 2 means bad input, 1 a run that failed or output that cannot be written, 130 a run
that was interrupted, 70 a fault of isodyn.
"""

from __future__ import annotations

import difflib
import io
import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn, TextIO

import click

from isodyn.cli.output import INTERRUPTED
from isodyn.errors import InputError, IsodynError, IsodynWarning, SchemeError
from isodyn.later import Later
from isodyn.version import __version__

# each command is loaded when it is asked for; its line in `isodyn --help` needs nothing loaded
_PROBLEMS, _RUN, _REPORT = Later("isodyn.cli.problems"), Later("isodyn.cli.run"), Later("isodyn.cli.report")
_STUDIES, _VERIFY = Later("isodyn.cli.studies"), Later("isodyn.cli.verify")
_SWEEP, _FIT = Later("isodyn.cli.sweep"), Later("isodyn.cli.fit")
_SCHEME, _MODELS, _DEMO = Later("isodyn.cli.scheme"), Later("isodyn.cli.models"), Later("isodyn.cli.demo")
COMMANDS = {
    "demo": (_DEMO, "demo_command", "Run a machine with closed loops and write its animated report."),
    "list": (_PROBLEMS, "list_command", "List the problems that are ready to run."),
    "run": (_RUN, "run", "Integrate a problem, a model file or a system of your own."),
    "resume": (_RUN, "resume_command", "Finish a run from its checkpoints."),
    "report": (_REPORT, "report_command", "Write the HTML report of a saved run."),
    "sweep": (_SWEEP, "sweep_command", "Run a model with many values of its parameters."),
    "fit": (_FIT, "fit_command", "Fit parameters of a model to measured data."),
    "order": (_STUDIES, "order", "Measure the order of accuracy on a problem."),
    "compare": (_STUDIES, "compare_command", "Compare every formulation on a problem."),
    "verify": (_VERIFY, "verify_command", "Run the standard test cases against their references."),
    "scheme": (_SCHEME, "scheme", "Show coefficients, damping and period error of schemes."),
    "schema": (_MODELS, "schema_command", "Print the JSON Schema of model files, for editors."),
    "export-fmu": (_MODELS, "export_fmu_command", "Write a model file as a co-simulation unit (FMI 3)."),
    "cite": (_REPORT, "cite_command", "List what to cite for problems and schemes."),
}
BROKEN_PIPE = 1  # the reader of the output has gone: no message
FAULT = 70


class _Commands(click.Group):
    """The commands by their names, in the order of the table."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, name, _ = COMMANDS[cmd_name]
        command: click.Command = getattr(module, name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            near = difflib.get_close_matches(name, COMMANDS, n=2)
            hint = f"did you mean isodyn {' or '.join(near)}?" if near else f"commands are {', '.join(COMMANDS)}"
            raise InputError(
                f"there is no command named {name!r}", hint=f"isodyn run {name}" if name.endswith(".toml") else hint
            )
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, _, line) in COMMANDS.items()])


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]}, invoke_without_command=True)
@click.version_option(__version__, prog_name="isodyn")
@click.pass_context
def cli(context: click.Context) -> None:
    """Mechanical dynamics with isochronous time integration."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


# ---- errors and exit codes


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave with its exit code."""
    if sys.stdout is None:  # closed by the caller
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        # names may hold what the encoding of a terminal does not know
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    with warnings.catch_warnings():
        warnings.simplefilter("always", IsodynWarning)
        warnings.showwarning = _show_warning
        sys.exit(_flushed(_run(arguments)))


def _flushed(code: int) -> int:
    """The exit code, after all output has gone out; where nobody takes it, Python must not try
    again."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError) as error:
        _drop_output()
        if isinstance(error, BrokenPipeError):
            return BROKEN_PIPE
        return code or _fail(f"cannot write the output: {getattr(error, 'strerror', None) or error}", 1)
    return code


def _drop_output() -> None:
    """Discard what is left in the buffer of standard output."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _run(arguments: Sequence[str] | None) -> int:
    if any("\x00" in word for word in arguments or ()):
        return _fail("an argument contains a zero byte, which no name or number has", 2)
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
        return _fail(f"{error.format_message()}\nhint: {_hint(error, arguments)}", 2)
    except BrokenPipeError:
        _drop_output()
        return BROKEN_PIPE
    except OSError as error:
        return _fail(f"cannot write {error.filename or 'the output'}: {error.strerror or error}", 1)
    except MemoryError as error:
        return _fail(f"there is not enough memory: {error or 'for what was asked'}", 1)
    except Exception as error:  # a fault of isodyn: one message, and a way to see where
        if os.environ.get("ISODYN_TRACEBACK"):
            raise
        return _fail(
            f"{type(error).__name__}: {error}\nhint: this should not happen; ISODYN_TRACEBACK=1 shows where, please report it",
            FAULT,
        )
    return result if isinstance(result, int) else 0


def _hint(error: click.ClickException, arguments: Sequence[str] | None) -> str:
    """Where to read on; and how numbers are written, where one was none."""
    context = getattr(error, "ctx", None)
    words = sys.argv[1:] if arguments is None else arguments
    known = ["isodyn", *(word for word in words[:1] if word in COMMANDS)]
    page = f"{' '.join(known) if context is None else context.command_path} --help"
    of_number = isinstance(error, click.BadParameter) and getattr(error.param, "type", None) is click.FLOAT
    return f"write plain numbers in SI units, with a point: 0.01; {page}" if of_number else page


def _fail(message: str, code: int, notes: Sequence[str] = ()) -> int:
    first, *rest = message.split("\n")
    click.echo("\n".join([f"error: {first}", *notes, *rest]), err=True)
    return code


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Warnings of this package as one line each, others as usual."""
    if issubclass(category, IsodynWarning):
        click.echo(f"warning: {message}", err=True)
    else:
        click.echo(warnings.formatwarning(message, category, filename, lineno, line), err=True)
