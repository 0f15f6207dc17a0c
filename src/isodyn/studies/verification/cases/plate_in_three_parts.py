"""A plate in plane stress, three subdomains with a scheme each, against the modes of the whole.

6 m × 4 m, E = 1e8 N/m², ν = 0.3, ρ = 1 kg/m³, held at x = 0, shear 1e6 N/m² on x = 6; 3 × 8 square
elements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import eigh

import isodyn as iso
from isodyn.later import Later
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import compared, timed

if TYPE_CHECKING:
    from isodyn.subdomains.elements import Elements

skfem, skfem_helpers, elasticity = Later("skfem"), Later("skfem.helpers"), Later("skfem.models.elasticity")

E, NU, THICKNESS, SHEAR = 1e8, 0.3, 0.1, 1e6
S = iso.Scheme
SCHEMES = {"left": S.U0(0.5, 0.5, 0.5), "middle": S.U0(1, 1, 0.5), "right": S.V0(0.5, 1, 0.5)}


def plate() -> tuple[Elements, Any]:
    """The elements, and which of the three parts each belongs to."""
    mesh = skfem.MeshQuad.init_tensor(np.linspace(0, 6, 7), np.linspace(0, 4, 5))
    basis = skfem.Basis(mesh, skfem.ElementVector(skfem.ElementQuad1()))
    lame = E * NU / (1 - NU**2), E / (2 * (1 + NU))
    K = elasticity.linear_elasticity(*(THICKNESS * x for x in lame)).coo_data(basis).tolocal()
    M = skfem.BilinearForm(lambda u, v, w: THICKNESS * skfem_helpers.dot(u, v)).coo_data(basis).tolocal()
    edge = skfem.FacetBasis(mesh, basis.elem, facets=mesh.facets_satisfying(lambda x: np.isclose(x[0], 6.0)))
    shear = skfem.LinearForm(lambda v, w: THICKNESS * SHEAR * v[1]).assemble(edge)
    free = basis.complement_dofs(basis.get_dofs(lambda x: np.isclose(x[0], 0.0)))
    number = np.full(basis.N, -1)
    number[free] = np.arange(free.size)
    zero = np.zeros(free.size)
    elements = iso.subdomains.Elements(number[basis.element_dofs.T], M, K, zero, zero, f=shear[free])
    return elements, (mesh.p[0][mesh.t].mean(axis=0) // 2).astype(int)


def prepare() -> Run:
    elements, column = plate()
    sub = iso.partition(elements, {name: np.flatnonzero(column == k) for k, name in enumerate(SCHEMES)})
    whole = elements.assemble()
    values, modes = eigh(whole.K.toarray(), whole.M.toarray())
    w, p = np.sqrt(values), modes.T @ whole.f

    def run(dt: float) -> Measurement:
        sol = iso.integrate(sub, SCHEMES, dt=dt, t_end=0.001)
        phase = np.outer(sol.t, w)
        exact = {"q": p / values * (1 - np.cos(phase)), "v": p / w * np.sin(phase), "a": p * np.cos(phase)}
        errors = {name: compared(sol.gather(name), modal @ modes.T) for name, modal in exact.items()}
        return Measurement(errors=errors, drift=sol.drift().largest[1], **timed(sol))

    return run


CASE = Case(
    name="plate_in_three_parts",
    topic="documents",
    shows="A loaded plate in three subdomains with a scheme each: second order against the modes of the whole.",
    source="Shimada (2014), example 4.5.2",
    citation="Shimada2014",
    reference="sum of modes",
    trust="exact",
    steps=(8e-6, 4e-6, 2e-6),
    prepare=prepare,
    bounds={"q": 5.6e-5, "v": 6.1e-4, "a": 2.1e-3, "drift": 1e-12},
    orders={"q": 2, "v": 2, "a": 2},
)
