"""Which scheme mechanisms and constrained systems take when none is named: candidates on every
second-order problem of the package.

Each problem runs with its own step over a part of its time, with every candidate, from the same
start. The table gives, as ratios against `optimal(0.8)` (geometric means over the problems): errors
in q, v, a and λ in the maximum norm over all of time against a run with steps sixteen times finer
by U0(0.95, 0.95, 0), and Newton iterations per step. Beside them the force of a stiff spring that
turns (its closed form is m ω² r), overshoot of a stiff mode, and what is left of a stiff mode after
100 steps.

No requirement but one is set: the default is among the members whose balance holds at t_{n+1}, and
reads the spring right.
"""

from __future__ import annotations

import math
import sys
import warnings
from typing import Any

import numpy as np
from benchmarks.common import write

import isodyn as iso
from isodyn.errors import IsodynError
from isodyn.studies import errors_of

CANDIDATES = {
    "optimal(0.8)": iso.Scheme.optimal(0.8),
    "generalised-alpha(0.8)": iso.Scheme.generalised_alpha(0.8),
    "U0(0.8, 1, 0)": iso.Scheme.U0(0.8, 1, 0),
    "U0(0.8, 0.8, 0)": iso.Scheme.U0(0.8, 0.8, 0),
    "U0(0.9, 1, 0)": iso.Scheme.U0(0.9, 1, 0),
    "U0(0.9, 0.9, 0)": iso.Scheme.U0(0.9, 0.9, 0),
    "U0(0.6, 1, 0)": iso.Scheme.U0(0.6, 1, 0),
    "newmark()": iso.Scheme.newmark(),
}
FINE = iso.Scheme.U0(0.95, 0.95, 0)
STEPS, REFINEMENT = 400, 16
SPRING, RADIUS, SPEED, SPRING_STEP = 1e7, 10.0, 6.0, 0.01
STIFF = 1e4  # Ω of the stiff mode


def errors(problem: Any) -> dict[str, dict[str, float]] | None:
    """Errors and iterations per step of every candidate on one problem."""
    system = problem.system()
    if system.first_order:
        return None
    t_end = min(problem.t_end, STEPS * problem.dt)
    options = {"t_end": t_end, "breakpoints": problem.breaks(t_end)}
    fine = iso.integrate(system, FINE, dt=problem.dt / REFINEMENT, save_every=REFINEMENT, **options)
    found = {}
    for name, scheme in CANDIDATES.items():
        try:
            sol = iso.integrate(system, scheme, dt=problem.dt, **options)
        except IsodynError:
            continue
        if sol.t.size != fine.t.size or not np.allclose(sol.t, fine.t):
            return None
        e = errors_of(sol, fine.q, fine.v, fine.a, fine.lam if system.m else None)
        drift = max(sol.drift().largest[:2]) if system.m else 0.0
        found[name] = {"q": e.q, "v": e.v, "a": e.a, "lam": e.lam, "iterations": sol.stats.iterations / sol.stats.steps}
        found[name]["drift"] = drift
    return found


def rotating_spring(scheme: iso.Scheme) -> tuple[float, float]:
    """Largest error of the force that q_n gives, relative, over all rows and over the last
    third."""
    force = SPEED**2 * RADIUS
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("mass", mass=1.0, position=(RADIUS, 0, 0), velocity=(0, SPEED * RADIUS, 0), kind="particle")
    rest = RADIUS - force / SPRING
    points = ((0, 0, 0), (RADIUS, 0, 0))
    mech.add_load(iso.Spring("spring", "ground", "mass", points=points, stiffness=SPRING, rest=rest))
    sol = iso.integrate(mech.compile(), scheme, dt=SPRING_STEP, t_end=3.0)
    error = np.abs(SPRING * (np.linalg.norm(sol.q, axis=1) - rest) / force - 1.0)
    return float(error.max()), float(error[error.size * 2 // 3 :].max())


def stiff_mode(scheme: iso.Scheme) -> tuple[float, float, float]:
    """Overshoot of q from q₀ = 1 and of Δt v from v₀ = 1/Δt over 10 steps; |q| after 100 steps, all
    at Ω = 1e4."""
    found = []
    for q0, v0 in ((1.0, 0.0), (0.0, 1.0)):
        system = iso.LinearSystem([[1.0]], None, [[STIFF**2]], None, [q0], [v0])
        sol = iso.integrate(system, scheme, dt=1.0, t_end=100.0)
        found.append(float(np.abs(sol.q[1:11] if q0 else sol.v[1:11]).max()))
        if q0:
            found.append(float(np.abs(sol.q[-5:]).max()))
    return found[0], found[2], found[1]


def main() -> bool:
    """Run the study; write and print it."""
    warnings.simplefilter("ignore")
    rows: dict[str, Any] = {}
    for name in iso.problems.ALL:
        try:
            if (found := errors(iso.problems.get(name))) is not None:
                rows[name] = found
        except IsodynError as error:
            print(f"{name}: left out, {str(error).splitlines()[0]}", file=sys.stderr)
    base = "optimal(0.8)"
    table: dict[str, dict[str, float]] = {}
    for name, scheme in CANDIDATES.items():
        both = [row for row in rows.values() if name in row and base in row]
        table[name] = {"problems": float(len(both))}
        for key in ("q", "v", "a", "lam", "iterations"):
            logs = [
                math.log(row[name][key] / row[base][key]) for row in both if row[name][key] > 1e-11 < row[base][key]
            ]
            table[name][key] = math.exp(sum(logs) / len(logs)) if logs else math.nan
        table[name]["drift"] = max(row[name]["drift"] for row in both)
        table[name]["spring"], table[name]["spring_late"] = rotating_spring(scheme)
        table[name]["overshoot_q"], table[name]["overshoot_v"], table[name]["left"] = stiff_mode(scheme)
    keys = list(table[base])
    print(f"{'scheme':24s}" + "".join(f"{key:>13s}" for key in keys))
    for name, values in table.items():
        print(f"{name:24s}" + "".join(f"{values[key]:13.4g}" for key in keys))
    write("default_scheme", {"table": table, "problems": rows})
    return table[iso.Scheme.default().name]["spring"] < 0.01


if __name__ == "__main__":
    main()
