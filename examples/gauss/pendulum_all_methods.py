"""A rigid pendulum for ten seconds, its accelerations by every method: the example of section 8 of
Pennestrì and Valentini (2008).

Square roots of the mass, Cholesky, range space and six null-space bases give the same
accelerations, so the motions are the same; adaptive steps keep them near the exact one, and
projection keeps the pin where it is. What differs is the time that an acceleration takes.
`python -m benchmarks` measures that with more care.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import get_args

import numpy as np

import isodyn as iso
from isodyn import problems
from isodyn.formulations.gauss import Basis, Form
from isodyn.report import figures
from isodyn.systems.questions import Questions

TIMES = np.linspace(0.0, 10.0, 201)


def cost(method: iso.gauss.Method, state: tuple[np.ndarray, ...], repeats: int = 300) -> tuple[np.ndarray, float]:
    """The acceleration at one state, and the microseconds it takes."""
    accelerate = iso.gauss.accelerations(method)
    best = np.inf
    for _ in range(3):
        start = time.perf_counter()
        for _ in range(repeats):
            a, _ = accelerate(*state)
        best = min(best, time.perf_counter() - start)
    return a, best / repeats * 1e6


def main(out: Path | None = None) -> dict[str, float]:
    """Print a table of all methods; draw the errors of the runs into `out`."""
    problem = problems.get("rigid_pendulum")
    system = problem.system()
    exact = problem.exact(TIMES)
    assert exact is not None
    ask = Questions(system)
    t, q, v = 0.7, *(x[14] for x in (exact.q, exact.v))
    still = np.zeros(3)
    state = (ask.mass(t, q, v), -ask.balance(t, q, v, still), ask.G(t, q, v), -ask.acceleration(t, q, v, still))
    reference = np.linalg.solve(
        np.block([[state[0], state[2].T], [state[2], np.zeros((2, 2))]]), np.concatenate([state[1], state[3]])
    )[:3]
    runs = {**{form: iso.UdwadiaKalaba(form) for form in get_args(Form)}}
    runs |= {f"null-space/{basis}": iso.NullSpace(basis) for basis in get_args(Basis)}
    errors, costs, apart = {}, {}, {}
    for method in iso.gauss.METHODS:
        a, costs[method] = cost(method, state)
        apart[method] = float(np.abs(a - reference).max())
        if method in runs:
            sol = iso.integrate_adaptive(system, runs[method], t_end=10.0, rtol=1e-9, save=TIMES)
            errors[method] = np.abs(sol.q - exact.q).max(axis=1)
            drift = max(sol.drift().largest[:2])
    print(f"{'method':32s} {'error in q':>12s} {'µs':>8s}")
    for method, microseconds in costs.items():
        error = f"{errors[method].max():12.1e}" if method in errors else f"{'–':>12s}"
        print(f"{method:32s} {error} {microseconds:8.0f}")
    if out is not None:
        with figures.canvas(2, 1, size=(7.5, 5.6), sharex=True) as (figure, (above, below)):
            above.plot(TIMES, exact.q[:, 2])
            above.set(ylabel="angle")
            for error in errors.values():
                below.semilogy(TIMES[1:], np.maximum(error[1:], 1e-16), linewidth=0.9)
            below.set(xlabel="t", ylabel=f"error in q, {len(errors)} methods")
            figures.save(figure, out / "pendulum_all_methods.png")
    worst = np.array([error.max() for error in errors.values()])
    return {
        "largest error in q of a run": float(worst.max()),
        "smallest error in q of a run": float(worst.min()),
        "largest difference of an acceleration": max(apart.values()),
        "constraints, position and velocity": drift,
        "runs": float(len(errors)),
    }


if __name__ == "__main__":
    for name, value in main(Path("out/pendulum_all_methods")).items():
        print(f"{name:45s} {value:.3g}")
