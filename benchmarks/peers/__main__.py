"""The driver: `python -m benchmarks.peers [parts] [--resume] [--quick] [--repeats 5] [--page PAGE]`.

Every part is a problem. What it finds goes to `OUT/peers/PART.json` as soon as it is measured;
tables, figures and the page are made of all parts that are there. Without names all parts are measured;
`--resume` leaves out those that are there already, `--report` measures none, `--list` tells how long
each took. Chains and beams take long: `--sizes 10,100` measures these, and others stay as they are.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.common import RESULTS, machine, pin
from benchmarks.peers import figures, parts, report
from benchmarks.peers.measure import Bench
from benchmarks.peers.workers import Workers

PROBLEMS = (
    "startup",
    "repeatable",
    "pendulum",
    "andrews",
    "chains",
    "nets",
    "trees",
    "loops",
    "users",
    "beams",
    "top",
    "kepler",
    "stiff",
    "ensemble",
)
IN_SIZES = ("chains", "beams")  # long ones, which may be measured piece by piece
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


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PROBLEMS)}; all if none is named")
    parser.add_argument("--only", default="", help="the same, by commas")
    parser.add_argument("--sizes", default="", help="of chains and beams, by commas; others stay as they are stored")
    parser.add_argument("--resume", action="store_true", help="leave out parts that are stored with these settings")
    parser.add_argument("--report", action="store_true", help="measure nothing: tables and pages of what is stored")
    parser.add_argument("--list", action="store_true", help="the parts, and how long they took")
    parser.add_argument("--quick", action="store_true", help="few repeats and small sizes: does everything work?")
    parser.add_argument("--packages", default=",".join(PACKAGES), help="packages, by commas")
    parser.add_argument("--repeats", type=int, help="rounds of every comparison (5; 2 with --quick)")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of peers.json, its parts and the figures")
    parser.add_argument("--page", type=Path, help="page in Markdown that takes the results between its marks")
    asked = parser.parse_args()
    asked.parts = [name for name in (*asked.parts, *asked.only.split(",")) if name] or list(PROBLEMS)
    unknown = [name for name in asked.parts if name not in PROBLEMS]
    if unknown:
        parser.error(f"there is no part {unknown[0]!r}; there are {', '.join(PROBLEMS)}")
    asked.sizes = [int(size) for size in asked.sizes.split(",") if size]
    if asked.sizes and not set(asked.parts) <= set(IN_SIZES):
        parser.error(f"--sizes is for {' and '.join(IN_SIZES)}")
    asked.repeats = asked.repeats or (2 if asked.quick else 5)
    return asked


def main() -> int:
    pin()
    asked = arguments()
    if asked.list:
        for name in PROBLEMS:
            part = parts.load(asked.out, name)
            print(f"{name:12s} " + (f"{part.seconds:6.0f} s" if part is not None else "   not measured"))
        return 0
    if not asked.report:
        measure(asked)
    found = parts.collect(asked.out, PROBLEMS)
    rows, claims = [row for part in found for row in part.rows], [claim for part in found for claim in part.claims]
    if not found:
        print("nothing is stored", file=sys.stderr)
        return 1
    print(f"\nmust show, quartiles of at least {min(part.repeats for part in found)} interleaved rounds")
    print(report.claims_table(claims))
    content = {
        "machine": found[-1].machine,
        "packages": {name: number for part in found for name, number in part.packages.items()},
        "repeats": min(part.repeats for part in found),
        "quick": any(part.quick for part in found),
    }
    report.write_json(asked.out / "peers.json", content, rows, claims)
    drawn = figures.draw(asked.out, rows, claims, heading(content))
    if asked.page is not None:
        report.write_page(asked.page, heading(content), rows, claims, drawn)
    wrong = [row for row in rows if row.package == "isodyn" and not row.gate]
    for row in wrong:
        print(f"isodyn, {row.problem}, {row.way}: {row.failed or 'not accurate enough'}", file=sys.stderr)
    return 1 if wrong else 0


def measure(asked: argparse.Namespace) -> None:
    """Measure the parts asked for, and store each."""
    names = asked.packages.split(",")
    versions = installed(names)
    for name in names:
        if name not in versions:
            print(f"{name} is not installed and left out", file=sys.stderr)
    with Workers(versions, pinned=not asked.quick) as workers:
        for name in asked.parts:
            before = parts.load(asked.out, name)
            settings = asked.quick, asked.repeats, versions
            if asked.resume and before is not None and settings == (before.quick, before.repeats, before.packages):
                print(f"{name} is stored already", file=sys.stderr)
                continue
            problem = importlib.import_module(f"benchmarks.peers.problems.{name}")
            bench = Bench(workers, asked.repeats, asked.quick, asked.sizes)
            bench.say(problem.TITLE)
            problem.measure(bench)
            print(report.rows_table(bench.rows), flush=True)
            took = time.perf_counter() - bench.started
            part = parts.Part(name, machine(), versions, asked.repeats, asked.quick, took, bench.rows)
            if asked.sizes:
                part = parts.joined(before, part)
            part.claims = problem.claims(part.rows)
            parts.store(asked.out, part)
            bench.say(f"{name} took {took:.0f} s")


def heading(known: dict[str, Any]) -> str:
    """Processor, versions and rounds in a sentence."""
    packages = ", ".join(f"{name} {number}" for name, number in known["packages"].items())
    cpu, python, numpy, numba = (known["machine"][key] for key in ("cpu", "python", "numpy", "numba"))
    quick = " Quick run, not to be read as results." if known["quick"] else ""
    return f"{cpu}, Python {python}, NumPy {numpy}, Numba {numba}; {packages}; {known['repeats']} rounds.{quick}"


if __name__ == "__main__":
    sys.exit(main())
