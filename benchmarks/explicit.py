"""Explicit steps of 200,000 unknowns beside the products that they cannot avoid.

    M q'' + C q' + K q = f,    M lumped, central difference

A plane-stress plate clamped at one edge, without damping and with C = βK. Counted as products are
K q, and C v where there is damping, by SciPy's product of a matrix stored by rows, in one thread.
The requirement is

    step ≤ 1.2 × products

by the upper quartile of their ratio. Steps and products take turns within one run (see
benchmarks/plate.py). All times are processor times of the one thread.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import scipy.sparse as sp
from benchmarks.common import seconds, show, summary, write

import isodyn as iso
from benchmarks import plate

LIMIT = 1.2
NX, NY = 448, 224
STRETCH, STRETCHES = 64, 14
SKIPPED = 3  # stretches at the start, in which every local error is looked at


class Watch:
    """Called after every stretch of steps: notes their time, then takes that of products."""

    def __init__(self, system: iso.LinearSystem) -> None:
        self.matrices = [A for A in (system.K, system.C) if A is not None]
        self.x = np.random.default_rng(0).standard_normal(system.nv)
        self.step: list[float] = []
        self.products: list[float] = []
        self.clock = time.thread_time()

    def __call__(self, sample: Any) -> None:
        self.step.append((time.thread_time() - self.clock) / STRETCH)
        self.products.append(seconds(self.multiply, STRETCH // 2))
        self.clock = time.thread_time()

    def multiply(self) -> None:
        for A in self.matrices:
            A @ self.x


def measure(M: Any, C: Any, K: Any, load: Any, dt: float) -> tuple[dict[str, Any], dict[str, float]]:
    """Times of a step and of the products, and their ratio."""
    zero = np.zeros(load.size)
    system = iso.LinearSystem(M, C, K, load, zero, zero, indefinite=True)  # known to be definite: not looked at
    watch = Watch(system)
    rows: dict[str, Any] = {"q": [int(np.argmax(np.abs(load)))], "v": [], "a": []}
    t_end = STRETCH * (STRETCHES + 1) * dt
    scheme = iso.Scheme.central_difference()
    sol = iso.integrate(system, scheme, dt=dt, t_end=t_end, save_every=STRETCH, select=rows, observe=watch)
    assert np.isfinite(sol.q).all()
    step, products = np.array(watch.step[SKIPPED:]), np.array(watch.products[SKIPPED:])
    return {"a step": summary(list(step)), "products": summary(list(products))}, summary(list(step / products))


def main() -> bool:
    plate.NX, plate.NY = NX, NY
    full, K, load = plate.matrices()
    masses = np.asarray(full.sum(axis=1)).ravel()
    M = sp.csr_array(sp.diags_array(masses))
    # Gershgorin: ω² ≤ the largest Σ|K_ij|/m_i
    omega = float(np.sqrt((np.asarray(abs(K).sum(axis=1)).ravel() / masses).max()))
    found: dict[str, Any] = {}
    for name, C in (("undamped", None), ("C = βK", sp.csr_array(1e-3 / omega * K))):
        times, ratio = measure(M, C, K, 1e6 * load, 1.8 / omega)
        show(f"plate, {load.size} unknowns, lumped masses, {name}", times, "ms", 1e3)
        show("step / products", {f"ratio, required ≤ {LIMIT}": ratio}, "", 1.0)
        found[name] = {"seconds": times, "ratio": ratio}
    write("explicit", {"unknowns": int(load.size), "clock": "processor time of the thread", **found, "limit": LIMIT})
    return all(row["ratio"]["q75"] <= LIMIT for row in found.values())


if __name__ == "__main__":
    from benchmarks.common import pin

    pin()
    raise SystemExit(0 if main() else 1)
