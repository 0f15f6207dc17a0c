"""Chains of N spatial links on hinges with alternating axes: time to compile the mechanism, and
time per step, against N.

    U0(0.8, 0.8, 0.8), stabilised, dt = 2 ms, falling from rest

Requirements: a chain of 1000 links is ready for integration in 5 s once kernels are compiled, and a
step costs no more than in proportion to N (exponent of growth between the two longest chains at
most 1.15).
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
from benchmarks.common import seconds, show, summary, write

import isodyn as iso

SIZES, DT, REPEATS = (1, 10, 100, 1000), 0.002, 5
STEPS = {1: 2000, 10: 400, 100: 100, 1000: 60}
COMPILE_LIMIT, GROWTH_LIMIT = 5.0, 1.15


def chain(links: int) -> iso.Mechanism:
    """Links of unit length, slightly askew, from the origin."""
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    before, point = "ground", np.zeros(3)
    for k in range(links):
        along = np.array([1.0, 0.2 * math.sin(k), 0.1 * math.cos(k)])
        along /= np.linalg.norm(along)
        mech.add_body(f"link {k}", mass=1.0, inertia=(0.02, 0.08, 0.09), position=point + 0.5 * along)
        mech.add_joint(iso.Hinge(f"pin {k}", before, f"link {k}", point=point, axis=(0, 1, 0.3 * (-1) ** k)))
        before, point = f"link {k}", point + along
    return mech


def run(system: Any, steps: int) -> iso.Solution:
    return iso.integrate(system, iso.Scheme.U0(0.8, 0.8, 0.8), dt=DT, t_end=steps * DT, save_every=steps)


def main() -> bool:
    run(chain(2).compile(), 2)
    run(chain(10).compile(), 2)
    compiling, stepping, iterations = {}, {}, {}
    for n in SIZES:
        started = time.thread_time()
        system = chain(n).compile()
        system.model()
        compiling[n] = time.thread_time() - started
        few, many = STEPS[n], 3 * STEPS[n]
        samples = [
            (seconds(lambda s=system, k=many: run(s, k)) - seconds(lambda s=system, k=few: run(s, k))) / (many - few)
            for _ in range(REPEATS)
        ]
        stepping[n] = summary(samples)
        stats = run(system, many).stats
        iterations[n] = stats.iterations / stats.steps
    show("chain of spatial links, per step", {f"{n} links": stepping[n] for n in SIZES}, "µs", 1e6)
    growth = math.log(stepping[1000]["median"] / stepping[100]["median"]) / math.log(10)
    print(f"\ncompiling 1000 links: {compiling[1000]:.2f} s; growth from 100 to 1000 links: N^{growth:.2f}")
    print("iterations per step: " + ", ".join(f"{iterations[n]:.1f} for {n}" for n in SIZES))
    write(
        "chains",
        {
            "seconds_to_compile": {str(n): compiling[n] for n in SIZES},
            "seconds_per_step": {str(n): stepping[n] for n in SIZES},
            "iterations_per_step": {str(n): iterations[n] for n in SIZES},
            "growth": growth,
        },
    )
    return compiling[1000] < COMPILE_LIMIT and growth <= GROWTH_LIMIT
