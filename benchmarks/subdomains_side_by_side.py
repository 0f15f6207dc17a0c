"""Two subdomains one after the other, in two threads, and as Dask actors in two processes: when the
company pays.

    linear      two strands of 5000 masses, compiled sub-steps that let other threads run
    nonlinear   two chains of 40 masses with springs k d + d³ as a Python function, which holds the interpreter's lock

for several numbers of sub-steps, that is of work per system step. Wall times, the shortest of
several; where other programs keep the cores busy they show no gain. So also processor times along
the longest path, which do not see other programs: of this process alone, and with Dask of this
process plus that of the busiest worker. No requirement: the numbers are for the documentation.
"""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np
from benchmarks.common import write

import isodyn as iso
from isodyn.problems.divided import mass_chain

S = iso.Scheme
REPEATS = 5
CASES = {"linear": ((1, 20, 200, 1000), 20), "nonlinear": ((1, 20, 200), 20)}


def linear() -> iso.Subdomains:
    """One chain in two halves."""
    problem = mass_chain(10_000, stiff=1.0)
    return iso.partition(problem.elements, {"left": np.arange(5000), "right": np.arange(5000, 10_000)})


def hardening(n: int, held: bool) -> iso.MechanicalSystem:
    """Masses between springs k d + d³, in Python."""

    def Q(q: Any, v: Any, t: float) -> Any:
        d = np.diff(q, prepend=0.0 if held else q[0])
        tension = d + d**3
        force = -tension
        force[:-1] += tension[1:]
        return force

    q0 = 0.1 * np.arange(1, n + 1) if held else 0.1 * (n + np.arange(n))
    return iso.MechanicalSystem(M=np.eye(n), Q=Q, q0=q0, v0=np.zeros(n))


def nonlinear() -> iso.Subdomains:
    """Two chains of 40, the last mass of one tied to the first of the other."""
    return iso.Subdomains({"left": hardening(40, True), "right": hardening(40, False)}, [("left", 39, "right", 0)])


def cost(sub: iso.Subdomains, tau: int, steps: int, busy: Any, **options: Any) -> tuple[float, float]:
    """Seconds per system step, the starts taken off: by the clock, and of processors along the
    longest path."""

    def once(n: int) -> tuple[float, float]:
        began, before = time.perf_counter(), busy()
        iso.integrate(sub, S.central_difference(), substeps=tau, dt=0.1, t_end=0.1 * n, save_every=n, **options)
        clock, after = time.perf_counter() - began, busy()
        return clock, after[0] - before[0] + max(
            (y - x for x, y in zip(before[1:], after[1:], strict=True)), default=0.0
        )

    once(2)
    few, many = (np.min([once(n) for _ in range(REPEATS)], axis=0) for n in (2, steps + 2))
    clock, processor = (many - few) / steps
    return float(clock), float(processor)


def main() -> bool:
    from distributed import Client, LocalCluster

    found: dict[str, dict[str, float]] = {}
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):

        def here() -> list[float]:
            return [time.process_time()]

        def everywhere() -> list[float]:
            return [time.process_time(), *client.run(time.process_time).values()]

        columns = ("alone", "threads", "Dask", "alone", "Dask")
        print(f"\nsubdomains side by side, {os.cpu_count()} cores, ms per system step; the last two of processors")
        print(f"{'':28s}" + "".join(f"{column:>10s}" for column in columns))
        for name, make in (("linear", linear), ("nonlinear", nonlinear)):
            taus, steps = CASES[name]
            sub = make()
            for tau in taus:
                alone = cost(sub, tau, steps, here)
                threads = cost(sub, tau, steps, here, threads=2)
                dask = cost(sub, tau, steps, everywhere, executor=client)
                row = {"alone": alone[0], "threads": threads[0], "Dask": dask[0]}
                row |= {"alone, processor": alone[1], "Dask, processor": dask[1]}
                found[f"{name}, {tau} sub-steps"] = row
                print(
                    f"{name + f', {tau} sub-steps':28s}" + "".join(f"{1e3 * x:10.2f}" for x in row.values()), flush=True
                )
    write("subdomains_side_by_side", {"cores": os.cpu_count(), "seconds_per_system_step": found})
    return True


if __name__ == "__main__":
    raise SystemExit(0 if main() else 1)
