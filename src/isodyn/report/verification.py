"""The page of `isodyn verify`: verdicts by topic, and for every case its numbers and a plot of
error over work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from isodyn.report import pages
from isodyn.report.packing import for_script
from isodyn.report.pages import Html
from isodyn.report.reasons import works
from isodyn.version import __version__

SCRIPTS = ("core.js", "plot.js", "verification.js")
LABELS = {"lam": "λ"}
SHOWN = 3  # reasons of a failure at the top of the page
WORDS = {"pass": "passed", "fail": "failed", "skip": "skipped"}


def write_verification(document: dict[str, Any], path: Path | str) -> Path:
    """Write the page of a document of `isodyn verify --json` and return its path."""
    return pages.write(verification_page(document), path)


def verification_page(document: dict[str, Any]) -> str:
    """The text of the page."""
    cases = document["cases"]
    topics = list(dict.fromkeys(case["topic"] for case in cases))
    return pages.filled(
        "verification.html",
        SCRIPTS,
        version=__version__,
        title="The standard set" + (", quick" if document["quick"] else ""),
        chips=_chips(document),
        notes=_failures(cases),
        topics=_overview(cases, topics),
        cases=Html("".join(_topic(topic, [case for case in cases if case["topic"] == topic]) for topic in topics)),
        versions=pages.table(list(document["versions"].items())),
        data=Html(for_script({"cases": [_plot(case) for case in cases if _has_plot(case)]})),
    )


def _chips(document: dict[str, Any]) -> Html:
    found = [(word, document[word]) for word in ("passed", "failed", "skipped")]
    found.append(("seconds", f"{document['seconds']:.0f}"))
    return Html("".join(f'<span class="chip">{key} <b>{value}</b></span>' for key, value in found))


def _failures(cases: list[dict[str, Any]]) -> Html:
    """A note for each case that failed, with the first reasons."""
    notes = []
    for case in cases:
        if case["verdict"] != "fail":
            continue
        link = f'<a href="#{case["name"]}"><b>{pages.escaped(case["name"])}</b></a>'
        reasons, more = case["failures"][:SHOWN], len(case["failures"]) - SHOWN
        text = "; ".join(why.split("\n")[0] for why in reasons) + (f"; {more} more" if more > 0 else "")
        notes.append(f'<div class="note">{link}: {pages.escaped(text)}</div>')
    return Html("".join(notes))


def _overview(cases: list[dict[str, Any]], topics: list[str]) -> Html:
    rows = []
    for topic in topics:
        verdicts = [case["verdict"] for case in cases if case["topic"] == topic]
        link = Html(f'<a href="#{_id(topic)}">{pages.escaped(topic)}</a>')
        rows.append((link, len(verdicts), *(verdicts.count(key) or "–" for key in WORDS)))
    return pages.table(rows, ("topic", "cases", *WORDS.values()))


def _id(topic: str) -> str:
    return "topic-" + topic.replace(" ", "-")


def _topic(topic: str, cases: list[dict[str, Any]]) -> Html:
    title = pages.escaped(topic[:1].upper() + topic[1:])
    return Html(f'<h2 id="{_id(topic)}">{title}</h2><div class="two">{"".join(_case(case) for case in cases)}</div>')


def _case(case: dict[str, Any]) -> str:
    """Name and verdict, what is shown against what, numbers, plot, what others reach, remarks."""
    verdict = f'<span class="{case["verdict"]}">{WORDS[case["verdict"]]}</span>'
    head = f'<div class="head"><h3>{pages.escaped(case["name"])}</h3>{verdict}</div>'
    source = pages.escaped(case["source"])
    if link := _link(case):
        source = f'<a href="{pages.escaped(link)}">{source}</a>'
    known = f"{pages.escaped(case['reference']['kind'])} ({pages.escaped(case['reference']['trust'])})"
    parts = [
        head,
        pages.paragraph(case["shows"]),
        pages.paragraph(Html(f"{source}. Reference: {known}."), "soft small"),
        _numbers(case) if case["runs"] else "",
        f'<div id="plot-{case["name"]}"></div>' if _has_plot(case) else "",
    ]
    parts += [pages.paragraph(f"Others: {peer}.", "soft small") for peer in case["peers"]]
    parts += [pages.paragraph(note, "soft small") for note in [case["skipped"], *case["notes"]] if note]
    return f'<div class="card case" id="{case["name"]}">{"".join(parts)}</div>'


def _link(case: dict[str, Any]) -> str | None:
    """Where the source can be found."""
    work = works().get(case["citation"] or "", {})
    return case["link"] or (f"https://doi.org/{work['doi']}" if "doi" in work else work.get("link"))


def _numbers(case: dict[str, Any]) -> Html:
    """Errors, observed orders and bounds of the finest run; its drift, energy balance and cost."""
    run = case["runs"][-1]
    asked = {check["what"].split(" with dt")[0]: check["asked"] for check in case["checks"]}
    rows = [
        (LABELS.get(name, name), _number(error, ".1e"), asked.get(name, "–"), _number(case["orders"].get(name), ".2f"))
        for name, error in run["errors"].items()
    ]
    rows += [
        (name, _number(run[name], ".1e"), asked.get(name, "–"), "–") for name in ("drift", "energy") if _is(run[name])
    ]
    table = pages.table(rows, ("", "error", "asked", "order"))
    cost = [f"{run['steps']} steps, {run['iterations']} iterations"] if run["steps"] else []
    cost += [f"{run['seconds']:.2g} s"] if _is(run["seconds"]) else []
    return Html(table + (pages.paragraph(", ".join(cost), "soft small") if cost else ""))


def _has_plot(case: dict[str, Any]) -> bool:
    return len(case["runs"]) > 1 and all(run["steps"] > 0 for run in case["runs"])


def _plot(case: dict[str, Any]) -> dict[str, Any]:
    orders = {check["what"].removeprefix("order of "): check["asked"] for check in case["checks"]}
    quantities = [
        {
            "name": name,
            "label": LABELS.get(name, name),
            "order": float(orders[name].split(" ")[0]) if name in orders else None,
        }
        for name in case["runs"][-1]["errors"]
    ]
    keys = ("steps", "seconds", "errors")
    return {"name": case["name"], "quantities": quantities, "runs": [{k: run[k] for k in keys} for run in case["runs"]]}


def _is(x: float | None) -> bool:
    return x is not None and x == x


def _number(x: float | None, form: str) -> str:
    return format(x, form) if x is not None and x == x else "–"
