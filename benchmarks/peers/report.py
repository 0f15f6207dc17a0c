"""What a run found, as tables on standard output, as JSON, and as a page of the documentation."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.peers.claims import Claim
from benchmarks.peers.measure import Row

WORDS = {True: "met", False: "NOT MET", None: "reported"}


def claims_table(claims: Sequence[Claim]) -> str:
    """One line per claim, its note below."""
    width = max((len(claim.text) for claim in claims), default=0)
    lines = [f"{'':{width}s}  {'found':>9s}  {'quartiles':>19s}  {'limit':>8s}"]
    for claim in claims:
        spread = f"{_short(claim.low)} … {_short(claim.high)}"
        lines.append(
            f"{claim.text:{width}s}  {_short(claim.value):>9s}  {spread:>19s}  {claim.limit:>8s}  {WORDS[claim.met]}"
        )
        if claim.note:
            lines.append(f"{'':4s}{claim.note}")
    return "\n".join(lines)


def rows_table(rows: Sequence[Row]) -> str:
    """Everything that was measured, problem by problem."""
    lines = []
    for problem, size in dict.fromkeys((row.problem, row.size) for row in rows):
        lines.append(f"\n{problem}" + ("" if size is None else f", N = {size}"))
        mine = [row for row in rows if (row.problem, row.size) == (problem, size)]
        mine.sort(key=lambda row: (row.failed is not None, row.median))
        lines += [f"  {row.package:10s} {row.way:52s} {describe(row)}" for row in mine]
    return "\n".join(lines)


def describe(row: Row) -> str:
    """Time, errors and counts of a row in one line."""
    if row.failed is not None:
        return f"failed: {row.failed.splitlines()[0][:90]}"
    time = "     –    " if not row.samples else f"{_seconds(row.median):>10s}"
    known = {**row.errors, **row.counts}
    numbers = ", ".join(f"{key} {_short(value)}" for key, value in known.items() if not math.isnan(value))
    return f"{time} ({len(row.samples)}×) {'' if row.gate else 'NOT ACCURATE ENOUGH '}{numbers}"


def _seconds(value: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if abs(value) * scale >= 1.0:
            return f"{value * scale:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"


def _short(value: float) -> str:
    return f"{value:.3g}"


BEGIN, END = "<!-- begin results -->", "<!-- end results -->"


def write_page(page: Path, heading: str, rows: Sequence[Row], claims: Sequence[Claim], figures: Sequence[Path]) -> None:
    """Put the results between the marks of a page in Markdown."""
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    lines = [heading, "", "| to be shown | found | quartiles | limit | |", "|---|---|---|---|---|"]
    for claim in claims:
        spread = f"{_short(claim.low)} … {_short(claim.high)}"
        verdict = WORDS[claim.met] if claim.met is not False else "**not met**"
        lines.append(f"| {claim.text} | {_short(claim.value)} | {spread} | {claim.limit} | {verdict} |")
    notes = [f"{claim.text}\n: {claim.note}\n" for claim in claims if claim.note]
    lines += [
        "",
        *(f"![{file.stem}](../benchmarks/results/{file.name})" for file in figures if file.suffix == ".png"),
        "",
    ]
    lines += ["### What the numbers are made of", "", *notes]
    lines += ["### Everything that was measured", "", "```text", rows_table(rows).strip(), "```"]
    text = "\n".join(line.rstrip() for line in "\n".join(lines).splitlines())
    page.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


def write_json(path: Path, content: dict[str, Any], rows: Sequence[Row], claims: Sequence[Claim]) -> None:
    """benchmarks/results/peers.json."""
    known = {**content, "claims": [asdict(claim) for claim in claims], "rows": [row.as_dict() for row in rows]}
    path.write_text(json.dumps(rounded(known), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(item) for item in value]
    if isinstance(value, float):  # to what a repeat would reproduce
        return float(f"{value:.4g}") if math.isfinite(value) else None
    return value
