"""What derivatives of a run cost: per parameter with tangents, and all of them with one adjoint,
beside finite differences, which take two runs a parameter.

Chains of ten and a hundred bodies in space on hinges with springs: masses, stiffnesses and points of
joints. Processor time of whole calls, the set-up of systems at other values included, in units of
the run without derivatives; the smallest of some rounds, one thread.

Required: a parameter costs at most 0.6 of a run on ten bodies and 0.25 on a hundred, beyond the
first eight; the gradient by a hundred parameters at most 4 runs.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

from benchmarks.common import write

import isodyn as iso

ROUNDS = 2
LIMITS = {10: 0.6, 100: 0.25}
STEPS = {10: 2000, 100: 300}
ADJOINT = 4.0


def chain(n: int) -> iso.Mechanism:
    """Bodies on hinges with springs."""
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    for k in range(n):
        mech.add_body(f"b{k}", 1.0, (0.01, 0.09, 0.09), (k + 0.5, 0, 0))
        mech.add_joint(iso.Hinge(f"p{k}", f"b{k - 1}" if k else "ground", f"b{k}", point=(k, 0, 0), axis=(0, 1, 0)))
        mech.add_load(iso.JointSpring(f"s{k}", f"p{k}", stiffness=4.0, damping=0.05))
    return mech


def smallest(function: Callable[[], Any]) -> float:
    """Processor time of a call, the smallest of some."""
    found = []
    for _ in range(ROUNDS):
        began = time.thread_time()
        function()
        found.append(time.thread_time() - began)
    return min(found)


def names_of(n: int, count: int) -> list[str]:
    """Masses, stiffnesses and points in turn."""
    kinds = ("b{}.mass", "s{}.stiffness", "p{}.point.x")
    return [kinds[k % 3].format(k // 3 % n) if k // 3 < n else f"b{k - 3 * n}.inertia.y" for k in range(count)]


def measure(n: int) -> dict[str, float]:
    """Costs in units of a run."""
    mech, run = chain(n), {"dt": 0.002, "t_end": 0.002 * STEPS[n]}
    plain = smallest(lambda: iso.integrate(mech, **run))
    few, more = (smallest(lambda k=k: iso.integrate(mech, sensitivities=names_of(n, k), **run)) for k in (8, 16))
    objective, names = "p0.angle", names_of(n, 100 if n == 100 else 30)
    adjoint = smallest(lambda: iso.gradient(mech, objective=objective, parameters=names, **run))
    return {
        "run, s": plain,
        "8 parameters": few / plain,
        "16 parameters": more / plain,
        "each of the last 8": (more - few) / 8 / plain,
        "each of 16, all counted": (more - plain) / 16 / plain,
        "finite differences, each": 2.0,
        "parameters of the adjoint": float(len(names)),
        "adjoint": adjoint / plain,
    }


def main() -> bool:
    """Measure, print and write; whether the limits hold."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {n: measure(n) for n in STEPS}
    for n, row in found.items():
        print(f"\n{n} bodies")
        for name, value in row.items():
            print(f"  {name:28s}{value:10.3f}")
    write("gradients", {"cases": {f"{n} bodies": row for n, row in found.items()}})
    cheap = all(found[n]["each of the last 8"] <= limit for n, limit in LIMITS.items())
    return cheap and found[100]["adjoint"] <= ADJOINT


if __name__ == "__main__":
    main()
