"""A plate under a tangential load: Example C.4.2, 1000 quadrilaterals, made for model reduction.

    M q'' + K q = f,    5 m × 1 m, plane stress, E = 1e8 N/m², ν = 0.3, ρ = 1 kg/m³,   10⁶ N/m² across the free end, at rest

E is printed in psi; all else is SI, and so is E here. The thickness cancels. The first period is
0.016 s: steps of 0.01 s do not resolve the motion, and the deflection is as large as the plate is
long. The example shows algorithms, not a plate. Nodes are numbered row by row of the mesh from its
lower left corner; those at x = 0 are clamped and left out. Needs scikit-fem.
"""

from __future__ import annotations

from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np
import scipy.sparse as sp

from isodyn.errors import InputError, IsodynError
from isodyn.kernels.compiled import FloatArray
from isodyn.later import Later, load
from isodyn.problems.problem import Problem
from isodyn.results import Solution
from isodyn.schemes import Scheme
from isodyn.systems import LinearSystem

skfem, skfem_helpers, elasticity = Later("skfem"), Later("skfem.helpers"), Later("skfem.models.elasticity")

LENGTH, HEIGHT, MODULUS, POISSON, DENSITY, TRACTION = 5.0, 1.0, 1e8, 0.3, 1.0, 1e6


def _count(name: str, value: float) -> int:
    if value != round(value) or value < 1:
        raise InputError(f"{name} must be a positive whole number, received {value:g}")
    return round(value)


@lru_cache(maxsize=4)
def matrices(across: int, up: int) -> tuple[Any, Any, FloatArray, FloatArray]:
    """M, K, f without the clamped nodes, and the coordinates (2, nodes) of those that are left; q
    is (u_x, u_y) node after node."""
    try:
        load(skfem)
    except ImportError as error:
        raise IsodynError("the plate needs scikit-fem", hint="pip install 'isodyn[fem]'") from error

    mesh = skfem.MeshQuad.init_tensor(np.linspace(0, LENGTH, across + 1), np.linspace(0, HEIGHT, up + 1))
    basis = skfem.Basis(mesh, skfem.ElementVector(skfem.ElementQuad1()), intorder=2)
    # the first one of plane stress
    lame = MODULUS * POISSON / (1 - POISSON**2), MODULUS / (2 * (1 + POISSON))
    K = elasticity.linear_elasticity(*lame).assemble(basis)
    M = skfem.BilinearForm(lambda u, v, w: DENSITY * skfem_helpers.dot(u, v)).assemble(basis)
    edge = skfem.FacetBasis(mesh, basis.elem, facets=mesh.facets_satisfying(lambda x: np.isclose(x[0], LENGTH)))
    f = TRACTION * skfem.LinearForm(lambda v, w: v[1]).assemble(edge)
    order = np.lexsort((mesh.p[0], mesh.p[1]))
    order = order[mesh.p[0, order] > 0.0]
    dofs = basis.nodal_dofs[:, order].T.ravel()
    return sp.csr_array(M[dofs][:, dofs]), sp.csr_array(K[dofs][:, dofs]), f[dofs], mesh.p[:, order]


def build(across: float, up: float) -> LinearSystem:
    """At rest and undeformed."""
    M, K, f, _ = matrices(_count("across", across), _count("up", up))
    return LinearSystem(M, None, K, f, np.zeros(f.size), np.zeros(f.size))


def unknown(x: float, y: float, across: int = 100, up: int = 10) -> int:
    """Number in q of u_x of the node at (x, y); u_y follows."""
    *_, nodes = matrices(across, up)
    return 2 * int(np.argmin((nodes[0] - x) ** 2 + (nodes[1] - y) ** 2))


def energy(sol: Solution) -> dict[str, FloatArray]:
    """½vᵀMv + ½qᵀKq − qᵀf [Shimada2014 (Remark C.3.1)]."""
    T, V = sol.energy()
    return {"energy": T + V - sol.q @ sol.system.f}


PROBLEM = Problem(
    name="plate",
    title="plate of 1000 quadrilaterals under a tangential load, for model reduction (needs scikit-fem)",
    source="Shimada, Example C.4.2; E in N/m²",
    citation="Shimada2014",
    build=build,
    scheme=Scheme.V0(1.0, 1.0, 0.0),
    dt=0.01,
    t_end=1.0,
    t_order=0.02,
    parameters=MappingProxyType({"across": 100.0, "up": 10.0}),
    conserved=energy,
    units=("s", "m"),
)
