"""Results of each problem in a file of its own, so that a long benchmark is measured part by part:
a part that is measured again takes the place of the old one, and the page is made of all of them."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from benchmarks.peers.claims import Claim
from benchmarks.peers.measure import Row
from benchmarks.peers.report import rounded

FOLDER = "peers"


@dataclass
class Part:
    """What one problem found, when it was measured with what, and how long that took."""

    name: str
    machine: dict[str, str]
    packages: dict[str, str]
    repeats: int
    quick: bool
    seconds: float
    rows: list[Row] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)


def place(out: Path, name: str) -> Path:
    return out / FOLDER / f"{name}.json"


def store(out: Path, part: Part) -> None:
    """One file; whole or not at all."""
    path = place(out, part.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    known = {**vars(part), "rows": [row.as_dict() for row in part.rows], "claims": [asdict(x) for x in part.claims]}
    beside = path.with_suffix(".new")
    beside.write_text(json.dumps(rounded(known), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    beside.replace(path)


def load(out: Path, name: str) -> Part | None:
    """What was stored; None where there is nothing."""
    path = place(out, name)
    if not path.exists():
        return None
    known = json.loads(path.read_text(encoding="utf-8"))
    known["rows"] = [_row(row) for row in known["rows"]]
    known["claims"] = [_claim(claim) for claim in known["claims"]]
    return Part(**known)


def joined(before: Part | None, now: Part) -> Part:
    """A part of which some sizes were measured, with the other sizes of the same part before; its claims
    are to be made anew. Nothing is joined that other versions or settings gave."""
    if before is None:
        return now
    if (before.packages, before.repeats, before.quick) != (now.packages, now.repeats, now.quick):
        raise ValueError(f"{now.name} is stored with other packages or settings: measure all of its sizes")
    measured = {row.size for row in now.rows}
    rows = [row for row in before.rows if row.size not in measured] + now.rows
    rows.sort(key=lambda row: row.size or 0)
    return replace(now, rows=rows, seconds=before.seconds + now.seconds)


def collect(out: Path, names: Sequence[str]) -> list[Part]:
    """All parts that are there, in this order."""
    return [part for name in names if (part := load(out, name)) is not None]


def _row(known: dict[str, Any]) -> Row:
    own = {name.name: known[name.name] for name in fields(Row)}
    own["curve"] = [tuple(_number(x) for x in point) for point in own["curve"]]
    for key in ("errors", "counts"):
        own[key] = {name: _number(value) for name, value in own[key].items()}
    return Row(**own)


def _claim(known: dict[str, Any]) -> Claim:
    return Claim(**{**known, **{key: _number(known[key]) for key in ("value", "low", "high")}})


def _number(value: float | None) -> float:
    """JSON has no NaN: it stands there as null."""
    return math.nan if value is None else float(value)
