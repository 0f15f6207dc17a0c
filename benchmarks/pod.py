"""Model reduction: what a step of a reduced system costs, and what it gets right.

    plate   1000 quadrilaterals, 2200 unknowns, rank 3: displacement within 1 %, a step at least 100 times faster
    rod     a falling cantilever of 200 nonlinear elements, rank 8, a dozen sampled elements: within 1 %, at least 5 times faster
    tables  errors of the bar (rank 7) and of the plate (rank 3) by snapshot kind and ρ∞, as in
    figures C.4 to C.10

A step costs what a run of 2N steps takes longer than one of N: starts and factorisations of the
linear plate are not counted, which favours the full system. Full and reduced runs take turns.
Processor time of the one thread.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from benchmarks.common import seconds, show, summary, write

import isodyn as iso
from isodyn.problems import clamped_bar, plate
from isodyn.reduction import reduction_study, sample_elements

REPEATS = 7
PLATE_LIMIT, ROD_LIMIT, ERROR_LIMIT = 100.0, 5.0, 0.01
FINE = iso.Scheme.V0(1, 1, 0)
KINDS: tuple[Any, ...] = ("q", "v", "a")


def step_seconds(system: Any, scheme: iso.Scheme, dt: float, steps: int) -> float:
    """Processor time per step, without what a run costs once."""
    nothing: Any = {"q": [0], "v": [], "a": [], "lam": []}

    def run(n: int) -> float:
        return seconds(lambda: iso.integrate(system, scheme, dt=dt, t_end=n * dt, save_every=n, select=nothing))

    return (run(2 * steps) - run(steps)) / steps


def turns(systems: dict[str, tuple[Any, int]], scheme: iso.Scheme, dt: float) -> dict[str, list[float]]:
    """Seconds per step of several systems, one after the other in every round; a first round does
    not count."""
    found: dict[str, list[float]] = {name: [] for name in systems}
    for k in range(REPEATS + 1):
        for name, (system, steps) in systems.items():
            took = step_seconds(system, scheme, dt, steps)
            if k:
                found[name].append(took)
    return found


def plate_rows() -> tuple[dict[str, Any], float, float]:
    """Errors by snapshot kind and ρ∞, the error of displacement-based snapshots, and the
    speed-up."""
    system = iso.problems.get("plate").system()
    benchmark = iso.integrate(system, FINE, dt=0.01, t_end=1.0)
    tip = plate.unknown(5.0, 0.5) + 1
    table, error, reduced = {}, 0.0, None
    for kind in KINDS:
        for rho in (1.0, 0.5, 0.0):
            study = reduction_study(
                system,
                snapshots=(iso.Scheme.optimal(rho), 0.05),
                reduced=(FINE, 0.01),
                t_end=1.0,
                of=kind,
                rank=3,
                benchmark=benchmark,
            )
            table[f"{kind}, ρ∞ = {rho:g}"] = {
                "tip q": study.error("q", tip),
                "tip v": study.error("v", tip),
                "tip a": study.error("a", tip, first=3),
                "all q": study.error("q"),
                "captured": study.basis.captured,
            }
            if kind == "q":
                error, reduced = max(error, study.error("q")), study.reduced.system
    times = turns({"full plate": (system, 100), "reduced plate": (reduced, 20_000)}, FINE, 0.01)
    show("plate, rank 3, V0(1, 1, 0)", {name: summary(x) for name, x in times.items()}, "µs per step", 1e6)
    ratio = [one / two for one, two in zip(*times.values(), strict=True)]
    return (
        {"errors": table, "seconds per step": {n: summary(x) for n, x in times.items()}, "speed-up": summary(ratio)},
        error,
        float(np.median(ratio)),
    )


def bar_rows() -> dict[str, Any]:
    """Errors at node 5 and of all displacements by snapshot kind and ρ∞."""
    system = iso.problems.get("clamped_bar").system()
    benchmark = iso.integrate(system, FINE, dt=0.001, t_end=1.0)
    table = {}
    for kind in KINDS:
        for rho in (0.9, 0.5, 0.0):
            study = reduction_study(
                system,
                snapshots=(iso.Scheme.optimal(rho), 0.005),
                reduced=(FINE, 0.001),
                t_end=1.0,
                of=kind,
                rank=7,
                benchmark=benchmark,
            )
            small, full = (clamped_bar.energy(sol)["energy"] for sol in (study.lifted, benchmark))
            table[f"{kind}, ρ∞ = {rho:g}"] = {
                **{f"{x}5": study.error(x, clamped_bar.STRUCK) for x in KINDS},
                "all q": study.error("q"),
                "energy": float(small[0] / full[0]),
                "captured": study.basis.captured,
                "energy kept": float(np.ptp(small) / small[0]),
            }
    return table


def falling_rod(gravity: float) -> Any:
    """A cantilever of 200 elements, released from the horizontal."""
    section = iso.Section(EA=1e4, EI=1.0, rhoA=1.0)
    beam = iso.Beam([(0, 0), (1, 0)], elements=200, section=section, gravity=(0, -gravity))
    beam.clamp("start")
    return beam.compile()


def rod_rows() -> tuple[dict[str, Any], float, float]:
    """Full, reduced and sampled rod: seconds per step, error, speed-up."""
    system, scheme, dt = falling_rod(9.81), iso.Scheme.optimal(0.8), 2e-3
    full = iso.integrate(system, scheme, dt=dt, t_end=2.0)
    basis = iso.pod(full, rank=8, about=system.q0)
    sampling = sample_elements(system, basis, full, tolerance=3e-3)
    plain, sampled = iso.reduce(system, basis), iso.reduce(system, basis, sampling)
    moved = float(np.linalg.norm(full.q - system.q0))
    errors = {}
    for name, red in (("reduced rod", plain), ("sampled rod", sampled)):
        back = basis.lift(iso.integrate(red, scheme, dt=dt, t_end=2.0))
        errors[name] = float(np.linalg.norm(back.q - full.q)) / moved
    other = falling_rod(8.0)
    unseen = iso.integrate(other, scheme, dt=dt, t_end=2.0)
    back = basis.lift(iso.integrate(iso.reduce(other, basis, sampling), scheme, dt=dt, t_end=2.0))
    errors["sampled rod, other gravity"] = float(np.linalg.norm(back.q - unseen.q)) / float(
        np.linalg.norm(unseen.q - other.q0)
    )
    times = turns({"full rod": (system, 400), "reduced rod": (plain, 400), "sampled rod": (sampled, 4000)}, scheme, dt)
    show(f"rod of 200 elements, rank 8, {sampling}", {n: summary(x) for n, x in times.items()}, "µs per step", 1e6)
    ratio = [one / two for one, two in zip(times["full rod"], times["sampled rod"], strict=True)]
    content = {
        "elements sampled": int(sampling.elements.size),
        "residual of forces": sampling.residual,
        "errors": errors,
        "seconds per step": {n: summary(x) for n, x in times.items()},
        "speed-up": summary(ratio),
    }
    return content, errors["sampled rod"], float(np.median(ratio))


def table_of(title: str, rows: dict[str, dict[str, float]]) -> None:
    names = list(next(iter(rows.values())))
    print(f"\n{title}\n{'snapshots of':16s}" + "".join(f"{name:>13s}" for name in names))
    for case, row in rows.items():
        print(f"{case:16s}" + "".join(f"{row[name]:13.4g}" for name in names))


def main() -> bool:
    bar = bar_rows()
    table_of("bar, rank 7: relative errors over time (snapshots Δt = 0.005, reduced run Δt = 0.001)", bar)
    plate_content, plate_error, plate_ratio = plate_rows()
    table_of(
        "plate, rank 3: relative errors over time (snapshots Δt = 0.05, reduced run Δt = 0.01)", plate_content["errors"]
    )
    rod, rod_error, rod_ratio = rod_rows()
    print(
        f"\nplate: error {plate_error:.2e}, a step {plate_ratio:.0f} × faster (required {ERROR_LIMIT}, {PLATE_LIMIT:g})"
    )
    print(f"rod under another gravity than its snapshots: error {rod['errors']['sampled rod, other gravity']:.2e}")
    print(f"rod:   error {rod_error:.2e}, a step {rod_ratio:.1f} × faster (required {ERROR_LIMIT}, {ROD_LIMIT:g})")
    write("pod", {"clock": "processor time of the thread", "bar": bar, "plate": plate_content, "rod": rod})
    good = plate_error <= ERROR_LIMIT and rod_error <= ERROR_LIMIT
    return bool(good and plate_ratio >= PLATE_LIMIT and rod_ratio >= ROD_LIMIT)


if __name__ == "__main__":
    from benchmarks.common import pin

    pin()
    raise SystemExit(0 if main() else 1)
