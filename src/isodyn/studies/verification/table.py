"""The standard set as text: a block per case for terminals, a table per topic for the
documentation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from isodyn.studies.verification.case import TOPICS, TRUST, Case
from isodyn.studies.verification.outcome import STANDARD, Outcome

LABELS = {"lam": "λ"}


def block(outcome: Outcome) -> str:
    """Two lines: what and against what; errors, orders, drift, energy, cost. Then why it failed, if
    it did."""
    case, finest = outcome.case, outcome.finest
    lines = [f"{outcome.verdict}  {case.name}  against {case.reference} [{case.trust}]"]
    if outcome.skipped is not None:
        lines.append(f"      {outcome.skipped}")
    elif finest is not None:
        names = outcome.quantities()
        errors = "  ".join(f"{LABELS.get(x, x)} {finest.errors[x]:.1e}" for x in names)
        orders = "  ".join(f"{outcome.order(x):.2f}" for x in names if not math.isnan(outcome.order(x)))
        parts = [f"error {errors}"] if names else []
        parts += [f"order {orders}"] if orders else []
        parts += [f"{what} {x:.1e}" for what, x in (("drift", finest.drift), ("energy", finest.energy)) if x == x]
        lines.append("      " + "; ".join([*parts, cost(finest.steps, finest.iterations, finest.seconds)]))
    lines += [f"      {why}" for text in outcome.failures for why in text.split("\n")]
    return "\n".join(lines)


def cost(steps: int, iterations: int, seconds: float) -> str:
    """Steps, iterations and seconds in words."""
    time = "" if math.isnan(seconds) else f"{seconds:.2g} s"
    counts = f"{steps} steps, {iterations} iterations" if steps else ""
    return ", ".join(x for x in (counts, time) if x) or "no steps"


def closing(outcomes: Sequence[Outcome]) -> str:
    """How many passed."""
    count = {verdict: sum(one.verdict == verdict for one in outcomes) for verdict in ("pass", "fail", "skip")}
    text = f"{count['pass']} of {len(outcomes)} cases passed, {count['fail']} failed"
    return text + (f", {count['skip']} skipped" if count["skip"] else "")


def to_markdown(
    cases: Sequence[Case], works: Mapping[str, Mapping[str, str]], results: Mapping[str, Any] | None = None
) -> str:
    """A table per topic: what is shown, source with its link, reference and trust, bounds or
    measured numbers, peers.

    works : the references of the documentation by their keys
    results : the document of `isodyn verify --json`; cases without a result show what is asked of
        them
    """
    known = {one["name"]: one for one in (results or {}).get("cases", [])}
    lines = [f"{len(cases)} cases. What the words of trust mean: " + "; ".join(f"*{k}*: {v}" for k, v in TRUST.items())]
    lines[0] += "."
    for topic, meaning in TOPICS.items():
        chosen = [case for case in cases if case.topic == topic]
        if not chosen:
            continue
        lines += ["", f"### {topic[:1].upper()}{topic[1:]}", "", f"{meaning[:1].upper()}{meaning[1:]}.", ""]
        lines += ["| case | source | reference | error | order | cost |", "|---|---|---|---|---|---|"]
        lines += [_row(case, works, known.get(case.name)) for case in chosen]
        for case in chosen:
            lines += [f"\n`{case.name}`, others: {'; '.join(plain(peer) for peer in case.peers)}."] * bool(case.peers)
    return "\n".join(lines) + "\n"


def _row(case: Case, works: Mapping[str, Mapping[str, str]], result: Mapping[str, Any] | None) -> str:
    run = result["runs"][-1] if result and result["runs"] else None
    if run is not None:
        errors = [f"{LABELS.get(x, plain(x))} {run['errors'][x]:.1e}" for x in _sorted(run["errors"])]
        orders = [f"{x:.2f}" for x in (result or {}).get("orders", {}).values() if x is not None]
        spent = cost(run["steps"], run["iterations"], math.nan if run["seconds"] is None else run["seconds"])
    else:
        errors = [f"{LABELS.get(x, plain(x))} ≤ {bound:.1e}" for x, bound in case.bounds.items()]
        orders, spent = [f"{x:g}" for x in case.orders.values()], "–"
    name = f"`{case.name}`<br>{plain(case.shows)}"
    cells = [name, source_of(case, works), f"{plain(case.reference)} (*{case.trust}*)", "<br>".join(errors)]
    return f"| {' | '.join([*cells, ', '.join(orders) or '–', spent])} |"


def _sorted(errors: Mapping[str, float]) -> list[str]:
    return sorted(errors, key=lambda x: STANDARD.index(x) if x in STANDARD else len(STANDARD))


def source_of(case: Case, works: Mapping[str, Mapping[str, str]]) -> str:
    """The source in words, with a link where there is one."""
    work = works.get(case.citation or "", {})
    link = case.link or (f"https://doi.org/{work['doi']}" if "doi" in work else work.get("link"))
    return f"[{plain(case.source)}]({link})" if link else plain(case.source)


def plain(text: str) -> str:
    """Text that means nothing to Markdown."""
    return "".join(f"\\{c}" if c in "\\*_[]<>$|`#" else c for c in text)
