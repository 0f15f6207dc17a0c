"""A stiff–soft bar: what a run costs at one error, undivided with one scheme, and divided with a
scheme and a step for each part.

    wall – steel rod (20 elements, rings with a period of 78 µs) – flange – rubber strand (2000
    elements, a hump that needs 30 ms)

The error is the largest one of q and v in each part, relative to the largest value there, at 20
times until 30 ms; exact is the sum of modes. One scheme for all: central difference (its limit is
1.9 µs), implicit Newmark, optimal(0.8), with as many steps as the error asks for, through
`integrate` on the undivided system and through the kernels of linear subdomains with one subdomain;
the cheapest counts. Divided: central difference in the strand with a step near its own limit, the
rod with implicit Newmark or the central difference in many sub-steps.

Requirement: divided, implicit and explicit mixed with sub-cycling, at least five times cheaper than
the best of the others at 1 % of error.

Beside it, time per system step of small subdomains.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from benchmarks.common import seconds, show, summary, write

import isodyn as iso
from isodyn.problems.divided import Divided, mass_chain, stiff_soft_bar

S = iso.Scheme
T_END, ROWS, TARGET, TIMES, REPEATS = 0.03, 20, 0.01, 5.0, 5
SINGLE = {"central difference": S.central_difference(), "Newmark": S.implicit_newmark(), "optimal(0.8)": S.optimal(0.8)}
MIXED = {"rod Newmark": S.implicit_newmark(), "rod central difference": S.central_difference()}
# the search begins here
GUESS = {"central difference": 234_500, "Newmark": 338_700, "optimal(0.8)": 341_900}


class Bar:
    """The bar, its exact motion, and runs of it."""

    def __init__(self, problem: Divided) -> None:
        self.whole, self.sub = problem.whole(), problem.subdomains()
        self.one = iso.Subdomains({"all": self.whole}, [])
        self.exact = problem.exact(np.linspace(0.0, T_END, ROWS + 1))

    def error(self, q: Any, v: Any) -> float:
        """Of the part that is worst."""
        found = []
        for at in self.sub.indices.values():
            for values, exact in ((q, self.exact.q), (v, self.exact.v)):
                found.append(abs(values[:, at] - exact[:, at]).max() / abs(exact[:, at]).max())
        return float(max(found))

    def single(self, scheme: Any, steps: int, kernels: bool) -> Any:
        """A run with one scheme and one step."""
        n = ROWS * -(-steps // ROWS)
        system = self.one if kernels else self.whole
        sol: Any = iso.integrate(system, scheme, dt=T_END / n, t_end=T_END, save_every=n // ROWS)
        return sol["all"] if kernels else sol

    def mixed(self, scheme: Any, steps: int, tau: int) -> Any:
        """The strand by central differences, the rod in sub-steps."""
        n = ROWS * -(-steps // ROWS)
        schemes = {"stiff": scheme, "soft": S.central_difference()}
        return iso.integrate(
            self.sub, schemes, substeps={"stiff": tau, "soft": 1}, dt=T_END / n, t_end=T_END, save_every=n // ROWS
        )


def fewest(run: Any, error: Any, n: int, least: int = 1) -> int:
    """How many steps keep the error below the target, and not far below; errors fall with the
    square of the number."""
    for _ in range(12):
        found = error(run(n))
        if 0.94 * TARGET <= found <= TARGET or (found <= TARGET and n == least):
            return n
        n = max(least, int(np.ceil(n * np.sqrt(found / (0.98 * TARGET))))) if found < 0.5 else 2 * n
    raise RuntimeError(f"no number of steps found, the last is {n} with an error of {found:.2g}")


def main() -> bool:
    bar = Bar(stiff_soft_bar())
    limits = {part.name: part.limit for part in iso.subdomains.advise(bar.sub, S.central_difference(), dt=1e-5).parts}

    def whole(sol: Any) -> float:
        return bar.error(sol.q, sol.v)

    def divided(sol: Any) -> float:
        return bar.error(sol.gather("q"), sol.gather("v"))

    steps = {}
    for name, scheme in SINGLE.items():
        least = int(T_END / limits["stiff"]) + 1 if scheme.W3L3 == 0.0 else 1
        steps[name] = fewest(lambda n, s=scheme: bar.single(s, n, True), whole, GUESS[name], least)
    coarse = int(1.02 * T_END / limits["soft"]) + 1
    taus = {
        name: fewest(lambda tau, s=scheme: bar.mixed(s, coarse, tau), divided, 40) for name, scheme in MIXED.items()
    }
    runs: dict[str, Any] = {
        f"{name}, {taus[name]} sub-steps": lambda n=name: bar.mixed(MIXED[n], coarse, taus[n]) for name in MIXED
    }
    samples: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(REPEATS):
        for name, run in runs.items():
            samples[name].append(seconds(run))
    # time per step from shorter runs, times the steps that are needed
    for name, scheme in SINGLE.items():
        for route, system in (("kernels", bar.one), ("`integrate`", bar.whole)):
            for _ in range(REPEATS):
                few, many = (seconds(lambda: few_steps(system, scheme, n, steps[name])) for n in (500, 2500))  # noqa: B023
                samples.setdefault(f"{name}, {steps[name]} steps, {route}", []).append(
                    (many - few) / 2000 * steps[name]
                )
    costs = {name: summary(x) for name, x in samples.items()}
    show(f"stiff–soft bar, {bar.whole.nv} unknowns, 1 % of error at t = 30 ms", costs, "s", 1.0)
    best_single = min(row["median"] for name, row in costs.items() if not name.startswith("rod"))
    mixing = next(row["median"] for name, row in costs.items() if name.startswith("rod Newmark"))
    cheaper = best_single / mixing
    errors = {name: divided(bar.mixed(MIXED[name], coarse, taus[name])) for name in MIXED}
    print(f"\nlimits of the central difference: rod {limits['stiff']:.3g} s, strand {limits['soft']:.3g} s")
    print(f"divided, explicit strand and implicit rod: {cheaper:.1f} times cheaper, required ≥ {TIMES:g}")
    small = system_steps()
    show("per system step", small, "µs", 1e6)
    write(
        "subdomains",
        {
            "error": TARGET,
            "seconds": costs,
            "errors_divided": errors,
            "times_cheaper": cheaper,
            "required": TIMES,
            "seconds_per_system_step": small,
        },
    )
    return cheaper >= TIMES


def few_steps(system: Any, scheme: Any, n: int, steps: int) -> Any:
    """n steps of the undivided system."""
    dt = T_END / steps
    return iso.integrate(system, scheme, dt=dt, t_end=n * dt, save_every=n)


def system_steps() -> dict[str, dict[str, float]]:
    """Small subdomains, where everything but arithmetic counts."""
    sub = mass_chain(30).subdomains()
    found = {}
    for name, tau in (("chain of 30 masses in three parts", 1), ("the same, 10 sub-steps in the middle", 10)):

        def run(n: int, tau: int = tau) -> Any:
            schemes = {"left": S.central_difference(), "middle": S.optimal(0.8), "right": S.central_difference()}
            return iso.integrate(
                sub, schemes, substeps={"left": 1, "middle": tau, "right": 1}, dt=0.05, t_end=0.05 * n, save_every=n
            )

        run(10)
        times = [[seconds(lambda n=n: run(n)) for n in (1000, 5000)] for _ in range(REPEATS)]
        found[name] = summary([(many - few) / 4000 for few, many in times])
    return found


if __name__ == "__main__":
    from benchmarks.common import pin

    pin()
    raise SystemExit(0 if main() else 1)
