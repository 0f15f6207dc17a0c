"""Piles of balls with friction: what a contact costs in a step.

A pyramid of balls, a little apart, falls on a floor and together. isodyn takes steps to their ends
(`Impacts(locate=False)`), and for small piles with located impacts too; beside it a Moreau time
stepper with projected Gauss–Seidel (below: first order, no rounding of gaps) and MuJoCo, whose
contacts are soft, where a Python that has it is named.

    python -m benchmarks.contacts [--mujoco /path/to/python]

It fails where a run fails, or where energy grows or gaps are negative beyond 1e-8.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
import warnings
from typing import Any

import numba
import numpy as np
from benchmarks.common import pin, write

import isodyn as iso

DT, T_END, MU, RADIUS = 0.01, 0.3, 0.3, 0.5
SIDES = (3, 4, 6)  # balls along an edge of the base


def pyramid(side: int) -> tuple[np.ndarray, np.ndarray]:
    """Masses and centres."""
    places = [
        (i + 0.5 * k, j + 0.5 * k, 0.51 + k * (np.sqrt(0.5) + 0.01))
        for k in range(side)
        for i in range(side - k)
        for j in range(side - k)
    ]
    return 1.0 + 0.3 * np.sin(7.0 * np.arange(len(places))), np.array(places)


def mechanism(side: int) -> iso.Mechanism:
    """The pyramid with all of its pairs."""
    mech = iso.Mechanism()
    for n, (mass, place) in enumerate(zip(*pyramid(side), strict=True)):
        mech.add_body(f"b{n}", mass, (0.1 * mass,) * 3, place)
        mech.add_contact(iso.SpherePlane(f"f{n}", f"b{n}", "ground", radius=RADIUS, mu=MU))
        for m in range(n):
            mech.add_contact(iso.SphereSphere(f"s{n}_{m}", f"b{n}", f"b{m}", radii=(RADIUS, RADIUS), mu=MU))
    return mech


def run_isodyn(side: int, locate: bool) -> dict[str, Any]:
    """Cost, and what holds afterwards."""
    system = mechanism(side).compile()
    t_end = T_END if not locate else 0.1
    for steps in (DT, t_end):  # the first compiles
        started = time.thread_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sol = iso.integrate(system, dt=DT, t_end=steps, impacts=iso.Impacts(locate=locate))
        used = time.thread_time() - started
    closed = (sol.aux["contact_mode"] > 0).sum(axis=1)
    grid = round(t_end / DT)
    energy = np.sum(sol.energy(), axis=0)
    return {
        "balls": len(system.bodies),
        "pairs": len(system.contacts.names),
        "closed": int(closed.max()),
        "seconds": used,
        "per contact and step": used / (grid * max(float(closed.mean()), 1.0)),
        "energy gained": float(np.diff(energy).max()) / float(energy[0]),
        "smallest gap": float(sol.aux["contact_gap"].min()),
    }


@numba.njit(cache=True)
def moreau(mass, x, steps, dt, mu, radius, sweeps):  # type: ignore[no-untyped-def]
    """Balls by Moreau's time stepping: gaps at mid-step, projected Gauss–Seidel; contacts in all
    steps, and the smallest gap."""
    n = mass.size
    v, w, seen, smallest = np.zeros((n, 3)), np.zeros((n, 3)), 0, 0.0
    inertia = 0.1 * mass
    pairs = np.empty((20 * n, 2), np.int64)
    for _ in range(steps):
        x += 0.5 * dt * v
        many = 0
        for i in range(n):
            for j in range(-1, i):
                gap = x[i, 2] - radius if j < 0 else np.sqrt(((x[i] - x[j]) ** 2).sum()) - 2.0 * radius
                if gap <= 0.0 and many < pairs.shape[0]:
                    pairs[many, 0], pairs[many, 1] = i, j
                    many += 1
                    smallest = min(smallest, gap)
        seen += many
        v[:, 2] -= 9.81 * dt
        p = np.zeros((many, 3))
        for _ in range(sweeps):
            change = 0.0
            for k in range(many):
                i, j = pairs[k]
                normal = np.array([0.0, 0.0, 1.0])
                if j >= 0:
                    normal = (x[i] - x[j]) / np.sqrt(((x[i] - x[j]) ** 2).sum())
                u = v[i] - radius * np.cross(w[i], normal)
                inverse, spin = 1.0 / mass[i], 1.0 / inertia[i]
                if j >= 0:
                    u = u - v[j] - radius * np.cross(w[j], normal)
                    inverse, spin = inverse + 1.0 / mass[j], spin + 1.0 / inertia[j]
                old_n = (p[k] * normal).sum()
                new_n = max(0.0, old_n - (u * normal).sum() / inverse)
                along = p[k] - old_n * normal - (u - (u * normal).sum() * normal) / (inverse + radius * radius * spin)
                size = np.sqrt((along * along).sum())
                if size > mu * new_n:
                    along = along * (mu * new_n / size)
                d = new_n * normal + along - p[k]
                p[k] += d
                change = max(change, np.abs(d).max())
                v[i] += d / mass[i]
                w[i] -= radius * np.cross(normal, d) / inertia[i]
                if j >= 0:
                    v[j] -= d / mass[j]
                    w[j] -= radius * np.cross(normal, d) / inertia[j]
            if change < 1e-8:
                break
        x += 0.5 * dt * v
    return seen, smallest


def run_moreau(side: int) -> dict[str, Any]:
    """The same pile."""
    steps = round(T_END / DT)
    moreau(*pyramid(2), 1, DT, MU, RADIUS, 10)
    mass, x = pyramid(side)
    started = time.thread_time()
    seen, smallest = moreau(mass, x, steps, DT, MU, RADIUS, 5000)
    used = time.thread_time() - started
    return {"seconds": used, "per contact and step": used / max(seen, 1), "smallest gap": smallest}


MUJOCO = """
import json, sys, time, mujoco
mass, x, dt, steps, mu, radius = json.loads(sys.stdin.read())
balls = "".join(
    f'<body pos="{a} {b} {c}"><freejoint/><inertial pos="0 0 0" mass="{m}" diaginertia="{0.1*m} {0.1*m} {0.1*m}"/>'
    f'<geom type="sphere" size="{radius}"/></body>' for m, (a, b, c) in zip(mass, x))
text = f'''<mujoco><option timestep="{dt}" cone="elliptic"/><size memory="200M"/><default><geom friction="{mu} 0 0"
condim="3"/></default><worldbody><geom type="plane" size="50 50 1"/>{balls}</worldbody></mujoco>'''
model = mujoco.MjModel.from_xml_string(text)
data, seen, worst = mujoco.MjData(model), 0, 0.0
started = time.process_time()
for _ in range(steps):
    mujoco.mj_step(model, data)
    seen += data.ncon
    worst = min(worst, min((float(c.dist) for c in data.contact), default=0.0))
used = time.process_time() - started
print(json.dumps({"seconds": used, "per contact and step": used / max(seen, 1), "smallest gap": worst}))
"""


def run_mujoco(python: str, side: int) -> dict[str, Any]:
    """The same pile with soft contacts, by another Python."""
    mass, x = pyramid(side)
    given = json.dumps([mass.tolist(), x.tolist(), DT, round(T_END / DT), MU, RADIUS])
    done = subprocess.run([python, "-c", MUJOCO], input=given, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> bool:
    """Measure, print and keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mujoco", help="a Python that has MuJoCo")
    parser.add_argument("--sides", type=int, nargs="*", default=SIDES)
    asked, _ = parser.parse_known_args()
    rows: dict[str, dict[str, Any]] = {}
    for side in asked.sides:
        rows[f"isodyn {side}"] = run_isodyn(side, locate=False)
        rows[f"Moreau {side}"] = run_moreau(side)
        if asked.mujoco:
            rows[f"MuJoCo {side}"] = run_mujoco(asked.mujoco, side)
    rows["isodyn 3, located"] = run_isodyn(3, locate=True)
    for name, row in rows.items():
        numbers = "".join(f"  {key} {value:.3g}" for key, value in row.items())
        print(f"{name:20s}{numbers}")
    write("contacts", rows)
    ours = [row for name, row in rows.items() if name.startswith("isodyn")]
    return all(row["energy gained"] < 1e-9 and row["smallest gap"] > -1e-8 for row in ours)


if __name__ == "__main__":
    pin()
    raise SystemExit(not main())
