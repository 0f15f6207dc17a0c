"""A plane-stress plate with 20,000 degrees of freedom: what a step costs beyond the work that it
cannot avoid.

    M q'' + C q' + K q = f(t),    C = αM + βK,    one edge clamped, a pulse of shear on the opposite one

Unavoidable in a step: one solve with the factors of c₀M + c₁C + c₂K, and the products M a, C v, K
q. The requirement is

    step ≤ 1.2 × (solve + products)

Steps and that work take turns within one run: the observer that the loop calls after every stretch
of steps measures the work there, so that both see the same state of the machine. A solve and the
products follow each other as in a step: factors and matrices together are larger than the share of
the cache that one core gets on a busy machine, and twenty solves in a row would find the factors
there, which no step does. All times are processor times of the one thread.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import scipy.sparse as sp
from benchmarks.common import seconds, show, summary, write
from skfem import Basis, BilinearForm, ElementQuad1, ElementVector, FacetBasis, LinearForm, MeshQuad
from skfem.helpers import dot
from skfem.models.elasticity import linear_elasticity

import isodyn as iso
from isodyn.linear_solvers.sparse import factorise
from isodyn.systems.damping import rayleigh_from_ratios

LIMIT = 1.2
E, NU, RHO = 210e9, 0.3, 7850.0  # steel
LENGTH, HEIGHT, NX, NY = 2.0, 1.0, 142, 71
DT, STRETCH, STRETCHES = 1e-5, 40, 12
PULSE = 1e-3


def matrices() -> tuple[Any, Any, Any]:
    """M, K and the load of a unit of shear traction on the right edge, without the clamped
    unknowns."""
    mesh = MeshQuad.init_tensor(np.linspace(0, LENGTH, NX), np.linspace(0, HEIGHT, NY))
    basis = Basis(mesh, ElementVector(ElementQuad1()))
    lame = E * NU / (1 - NU**2), E / (2 * (1 + NU))  # the first one of plane stress
    K = linear_elasticity(*lame).assemble(basis)
    M = BilinearForm(lambda u, v, w: RHO * dot(u, v)).assemble(basis)
    edge = FacetBasis(mesh, basis.elem, facets=mesh.facets_satisfying(lambda x: np.isclose(x[0], LENGTH)))
    load = LinearForm(lambda v, w: v[1]).assemble(edge)
    free = basis.complement_dofs(basis.get_dofs(lambda x: np.isclose(x[0], 0.0)))
    return sp.csr_array(M[free][:, free]), sp.csr_array(K[free][:, free]), load[free]


def plate() -> tuple[iso.LinearSystem, Any]:
    """The system, and the index of its largest load."""
    M, K, load = matrices()
    C = rayleigh_from_ratios(M, K, (1e3, 0.02), (2e4, 0.02))
    pulse = 1e6 * load

    def f(t: float) -> Any:
        return np.sin(np.pi * min(t / PULSE, 1.0)) * pulse

    zero = np.zeros(load.size)
    return iso.LinearSystem(M, C, K, f, zero, zero), [int(np.argmax(np.abs(load)))]


class Watch:
    """Called by the loop after every stretch of steps: notes their time, then takes that of solves
    and products."""

    def __init__(self, system: iso.LinearSystem, matrix: Any) -> None:
        rng = np.random.default_rng(0)
        self.system, self.factors = system, factorise(matrix)
        self.b, self.x = rng.standard_normal(system.nv), rng.standard_normal((3, system.nv))
        # as far as in the run: past the solves after which the factors are brought into blocks
        for _ in range(40):
            self.factors.solve(self.b)
        self.step: list[float] = []
        self.solve: list[float] = []
        self.products: list[float] = []
        self.clock = time.thread_time()

    def __call__(self, sample: Any) -> None:
        self.step.append((time.thread_time() - self.clock) / STRETCH)
        solve = products = 0.0
        for _ in range(STRETCH // 2):
            solve += seconds(lambda: self.factors.solve(self.b))
            products += seconds(self.multiply)
        self.solve.append(solve / (STRETCH // 2))
        self.products.append(products / (STRETCH // 2))
        self.clock = time.thread_time()

    def multiply(self) -> None:
        system, (a, v, q) = self.system, self.x
        _ = system.M @ a, system.C @ v, system.K @ q


def main() -> bool:
    system, tip = plate()
    scheme = iso.Scheme.optimal(0.8)
    c = scheme.W1L6, DT * scheme.W2L5, DT**2 * scheme.W3L3
    matrix = c[0] * system.M + c[1] * system.C + c[2] * system.K
    factor = [seconds(lambda: factorise(matrix)) for _ in range(5)]
    watch = Watch(system, matrix)
    n = STRETCH * (STRETCHES + 2)
    sol = iso.integrate(
        system, scheme, dt=DT, t_end=n * DT, save_every=STRETCH, select={"q": tip, "v": [], "a": []}, observe=watch
    )
    kept = slice(
        3, None
    )  # the start, the stretch with the factorisations and the one with the change to blocks are left out
    step, solve, products = (np.array(x[kept]) for x in (watch.step, watch.solve, watch.products))
    rows = {
        "one step of integrate": summary(list(step)),
        "one solve": summary(list(solve)),
        "products M a, C v, K q": summary(list(products)),
    }
    ratio = summary(list(step / (solve + products)))
    show(f"plane-stress plate, {system.nv} unknowns, optimal(0.8), {sol.stats.solver}", rows, "ms", 1e3)
    show("step / (solve + products)", {f"ratio, required ≤ {LIMIT}": ratio}, "", 1.0)
    show("one factorisation", {"factorise": summary(factor)}, "ms", 1e3)
    equivalent = float(np.median(factor) / np.median(step))
    print(f"one factorisation costs as much as {equivalent:.0f} steps; a run has {sol.stats.factorisations}")
    print(f"tip displacement at t = {sol.t[-1]:g} s: {sol.q[-1, 0]:.4e} m")
    write(
        "plate",
        {
            "unknowns": system.nv,
            "scheme": "optimal(0.8)",
            "clock": "processor time of the thread",
            "factorisation": sol.stats.solver,
            "seconds": {**rows, "one factorisation": summary(factor)},
            "ratio": ratio,
            "limit": LIMIT,
            "factorisation in steps": equivalent,
            "factorisations in a run": sol.stats.factorisations,
        },
    )
    return ratio["median"] <= LIMIT


if __name__ == "__main__":
    from benchmarks.common import pin

    pin()
    raise SystemExit(0 if main() else 1)
