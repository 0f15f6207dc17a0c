"""Swinging steel strip of 8, 64, 512 planar elements, hinged at one end: time per step, and Newton's iteration at its default tolerance.

    L = 1 m, ρA = 0.078 kg/m, EA = 2.07e6 N, EI = 0.1725 N m², from the horizontal at rest, g = 9.81; dt = 1 ms to t = 1 s
    generalised-α (0.9), stabilised, rtol = 1e-10

Exudyn's cable elements on the same problem, with generalised-α (0.9), sparse matrices, reused Jacobians and tolerances loosened to 1e-6,
took 72, 826 and 3900 µs per step on a machine of this kind; at its default tolerances its iteration does not converge.

Requirements: no step is halved, and a step takes no more than a third of those times.
"""

from __future__ import annotations

from typing import Any

from benchmarks.common import seconds, show, summary, write

import isodyn as iso
from isodyn import problems

PEER = {8: 72e-6, 64: 826e-6, 512: 3900e-6}
STEPS, REPEATS, DT, TIMES = {8: 1000, 64: 400, 512: 100}, 7, 1e-3, 3.0


def run(system: Any, steps: int) -> iso.Solution:
    return iso.integrate(system, iso.Scheme.generalised_alpha(0.9), dt=DT, t_end=steps * DT, save_every=steps)


def main() -> bool:
    stepping, halvings, iterations = {}, {}, {}
    for n in PEER:
        system = problems.get("flexible_pendulum").system(elements=float(n))
        run(system, 2)
        few, many = STEPS[n] // 2, 3 * STEPS[n] // 2
        samples = [
            (seconds(lambda s=system, k=many: run(s, k)) - seconds(lambda s=system, k=few: run(s, k))) / (many - few)
            for _ in range(REPEATS)
        ]
        stepping[n] = summary(samples)
        stats = run(system, 1000).stats
        halvings[n], iterations[n] = stats.halvings, stats.iterations / stats.steps
    show("swinging strip, per step", {f"{n} elements": stepping[n] for n in PEER}, "µs", 1e6)
    faster = {n: PEER[n] / stepping[n]["median"] for n in PEER}
    print("\niterations per step: " + ", ".join(f"{iterations[n]:.1f} for {n}" for n in PEER))
    print("times faster than Exudyn: " + ", ".join(f"{faster[n]:.1f} for {n}" for n in PEER))
    write(
        "beams",
        {
            "seconds_per_step": {str(n): stepping[n] for n in PEER},
            "iterations_per_step": {str(n): iterations[n] for n in PEER},
            "halvings": {str(n): halvings[n] for n in PEER},
            "times_faster": {str(n): faster[n] for n in PEER},
        },
    )
    return not any(halvings.values()) and min(faster.values()) >= TIMES
