"""`isodyn verify`."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from isodyn.cli.output import JSON, print_json, say_written
from isodyn.cli.report import check_page
from isodyn.report.html import versions
from isodyn.report.verification import write_verification
from isodyn.studies.verification import select, verify
from isodyn.studies.verification.table import block, closing

FAILED = 1


@click.command("verify")
@click.argument("words", nargs=-1, metavar="[NAME|TOPIC]...")
@click.option("--quick", is_flag=True, help="Coarse steps only: under two minutes once kernels are compiled.")
@click.option("--list", "only_list", is_flag=True, help="List the cases and exit.")
@click.option("--html", type=click.Path(path_type=Path), help="Write a page with work-precision plots.")
@JSON
@click.pass_context
def verify_command(
    context: click.Context, words: Sequence[str], quick: bool, only_list: bool, html: Path | None, as_json: bool
) -> None:
    """Run the standard set of cases with known answers and say which pass.

    All cases, or those named: a name, a pattern such as "andrews_*", or a topic such as "closed
    forms". The exit code is 1 if one fails.
    """
    check_page(html, ".html", ".htm")
    chosen = select(words)
    if only_list:
        list_cases(chosen, as_json)
        return
    begin, outcomes = time.perf_counter(), []
    for number, case in enumerate(chosen, 1):
        outcome = verify(case, quick=quick)
        outcomes.append(outcome)
        say(f"{number}/{len(chosen)} {outcome.verdict} {case.name}, {outcome.seconds:.1f} s", shown=as_json)
        if not as_json:
            click.echo(block(outcome))
            sys.stdout.flush()
    document = document_of(outcomes, quick, time.perf_counter() - begin)
    if as_json:
        print_json(document)
    else:
        click.echo(closing(outcomes))
    if html is not None:
        say_written([write_verification(document, html)])
    if document["failed"]:
        context.exit(FAILED)


def document_of(outcomes: Sequence[Any], quick: bool, seconds: float) -> dict[str, Any]:
    """What --json prints and the page shows."""
    verdicts = [one.verdict for one in outcomes]
    counts = {word: verdicts.count(key) for word, key in (("passed", "pass"), ("failed", "fail"), ("skipped", "skip"))}
    made_with = dict(versions())
    return {
        "quick": quick,
        **counts,
        "seconds": seconds,
        "versions": made_with,
        "cases": [x.to_dict() for x in outcomes],
    }


def list_cases(chosen: Sequence[Any], as_json: bool) -> None:
    """Names by topic."""
    keys = ("name", "topic", "shows", "source", "citation", "link", "reference", "trust")
    if as_json:
        print_json([{key: getattr(case, key) for key in keys} for case in chosen])
        return
    topic = None
    for case in chosen:
        if case.topic != topic:
            topic = case.topic
            click.echo(topic)
        click.echo(f"  {case.name:28} {case.shows}")
    click.echo(f"{len(chosen)} cases")


def say(text: str, *, shown: bool) -> None:
    """Progress on standard error, where standard output is for machines or is not a terminal."""
    if shown or not sys.stdout.isatty():
        click.echo(text, err=True)
