"""The driver:
`python -m benchmarks.peers [--quick] [--only pendulum,chains] [--packages isodyn,exudyn] [--repeats
5] [--out DIR]`."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.common import RESULTS, machine, pin
from benchmarks.peers import figures, report
from benchmarks.peers.claims import Claim
from benchmarks.peers.measure import Bench
from benchmarks.peers.workers import Workers

PROBLEMS = ("startup", "repeatable", "pendulum", "andrews", "chains", "nets", "beams", "top", "kepler", "ensemble")
PACKAGES = {  # the name that is imported, and the name of the distribution
    "isodyn": ("isodyn", "isodyn"),
    "exudyn": ("exudyn", "exudyn"),
    "mujoco": ("mujoco", "mujoco"),
    "pinocchio": ("pinocchio", "pin"),
    "scipy": ("scipy", "scipy"),
    "sundae": ("sksundae", "scikit-sundae"),
    "scipy_dae": ("scipy_dae", "scipy_dae"),
    "casadi": ("casadi", "casadi"),
    "diffrax": ("diffrax", "diffrax"),
}


def installed(names: list[str]) -> dict[str, str]:
    """Versions of those packages that are here."""
    found = {}
    for name in names:
        module, distribution = PACKAGES[name]
        if importlib.util.find_spec(module) is not None:
            try:
                found[name] = version(distribution)
            except PackageNotFoundError:
                found[name] = "?"
    return found


def main() -> int:
    pin()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few repeats and small sizes: does everything work?")
    parser.add_argument("--only", default=",".join(PROBLEMS), help="problems, by commas")
    parser.add_argument("--packages", default=",".join(PACKAGES), help="packages, by commas")
    parser.add_argument("--repeats", type=int, help="rounds of every comparison (5; 2 with --quick)")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of peers.json and the figures")
    parser.add_argument("--page", type=Path, help="page in Markdown that takes the results between its marks")
    asked = parser.parse_args()
    names = asked.packages.split(",")
    versions = installed(names)
    for name in names:
        if name not in versions:
            print(f"{name} is not installed and left out", file=sys.stderr)
    repeats = asked.repeats or (2 if asked.quick else 5)
    claims: list[Claim] = []
    with Workers(versions, pinned=not asked.quick) as workers:
        bench = Bench(workers, repeats, asked.quick)
        for name in asked.only.split(","):
            problem = importlib.import_module(f"benchmarks.peers.problems.{name}")
            bench.say(problem.TITLE)
            known = len(bench.rows)
            problem.measure(bench)
            claims += problem.claims(bench.rows[known:])
            print(report.rows_table(bench.rows[known:]), flush=True)
    print(
        f"\nmust show, medians of {repeats} interleaved rounds"
        + (" (quick: not to be read as results)" if asked.quick else "")
    )
    print(report.claims_table(claims))
    asked.out.mkdir(parents=True, exist_ok=True)
    content = {"machine": machine(), "packages": versions, "repeats": repeats, "quick": asked.quick}
    report.write_json(asked.out / "peers.json", content, bench.rows, claims)
    drawn = figures.draw(asked.out, bench.rows, claims, heading(content))
    if asked.page is not None:
        report.write_page(asked.page, heading(content), bench.rows, claims, drawn)
    wrong = [row for row in bench.rows if row.package == "isodyn" and not row.gate]
    for row in wrong:
        print(f"isodyn, {row.problem}, {row.way}: {row.failed or 'not accurate enough'}", file=sys.stderr)
    return 1 if wrong else 0


def heading(known: dict[str, Any]) -> str:
    """Processor, versions and rounds in a sentence."""
    packages = ", ".join(f"{name} {number}" for name, number in known["packages"].items())
    cpu, python, numpy, numba = (known["machine"][key] for key in ("cpu", "python", "numpy", "numba"))
    quick = " Quick run, not to be read as results." if known["quick"] else ""
    return f"{cpu}, Python {python}, NumPy {numpy}, Numba {numba}; {packages}; {known['repeats']} rounds.{quick}"


if __name__ == "__main__":
    sys.exit(main())
