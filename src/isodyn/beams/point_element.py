"""One element of a beam in absolute nodal coordinates: a cross-section of three points at each end.

A node is the point r of the axis and two points r + b d_y, r + c d_z of the cross-section, so that
r, d_y, d_z are linear in the places x₁ … x₆ of six particles. All are linear along the element:

    X = r',  Y, Z, Y', Z' at the middle:
    ε = (½(X·X − 1), X·Y, X·Z, ½(Y'·Z − Z'·Y), X·Z', −X·Y')       stretch, shear, torsion, bending
    at both ends  ½(Y·Y − 1), ½(Z·Z − 1), Y·Z                      the cross-section itself

Every strain is ½ Σ S_kl x_k·x_l less its unstrained value, with a constant matrix S: rotations of
all points leave it as it is, its slope over x_k is Σ S_kl x_l, and slopes of slopes are constant.

    U = ½ εᵀC ε,    on point k:  Σ_i s_i ∂ε_i/∂x_k,    s = C ε + C_d ε̇
"""

from __future__ import annotations

from isodyn.beams.rod_tables import PointElementData, PointScratch
from isodyn.kernels.compiled import kernel


@kernel()
def strain_points(element: PointElementData, scratch: PointScratch) -> None:
    """Strains, their rates and slopes from x and v."""
    x, v, slope = scratch.x, scratch.v, scratch.slope
    for i in range(12):
        strain = rate = 0.0
        for k in range(6):
            for d in range(3):
                g = 0.0
                for n in range(6):
                    g += element.forms[i, k, n] * x[n, d]
                slope[i, k, d] = g
                strain += g * x[k, d]
                rate += g * v[k, d]
        scratch.strain[i], scratch.rate[i] = 0.5 * strain - element.unstrained[i], rate


@kernel()
def load_points(element: PointElementData, damped: int, scratch: PointScratch) -> None:
    """s from strains and rates."""
    for i in range(12):
        s = 0.0
        for j in range(12):
            s += element.stiffness[i, j] * scratch.strain[j]
            if damped == 1:
                s += element.damping[i, j] * scratch.rate[j]
        scratch.force[i] = s


@kernel()
def slopes_of_rates(element: PointElementData, scratch: PointScratch) -> None:
    """rate_slope = ∂ε̇/∂x."""
    for i in range(12):
        for k in range(6):
            for d in range(3):
                g = 0.0
                for n in range(6):
                    g += element.forms[i, k, n] * scratch.v[n, d]
                scratch.rate_slope[i, k, d] = g


@kernel()
def slopes_of_forces(element: PointElementData, damped: int, c_1: float, c_2: float, scratch: PointScratch) -> None:
    """force_slope = c₁ ∂s/∂v + c₂ ∂s/∂x."""
    slope, rates, out = scratch.slope, scratch.rate_slope, scratch.force_slope
    if damped == 1:
        slopes_of_rates(element, scratch)
    for i in range(12):
        for k in range(6):
            for d in range(3):
                out[i, k, d] = 0.0
        for j in range(12):
            stiff = c_2 * element.stiffness[i, j] + c_1 * element.damping[i, j]
            slow = c_2 * element.damping[i, j]
            if stiff == 0.0 and slow == 0.0:
                continue
            for k in range(6):
                for d in range(3):
                    out[i, k, d] += stiff * slope[j, k, d]
                    if damped == 1:
                        out[i, k, d] += slow * rates[j, k, d]


@kernel()
def point_tangent(element: PointElementData, damped: int, c_1: float, c_2: float, scratch: PointScratch) -> None:
    """K = c₁ ∂/∂v + c₂ ∂/∂x of the forces on all points."""
    strain_points(element, scratch)
    load_points(element, damped, scratch)
    slopes_of_forces(element, damped, c_1, c_2, scratch)
    K = scratch.K
    for k in range(6):
        for n in range(6):
            along = 0.0
            for i in range(12):
                along += scratch.force[i] * element.forms[i, k, n]
            for d in range(3):
                for e in range(3):
                    entry = c_2 * along if d == e else 0.0
                    for i in range(12):
                        entry += scratch.slope[i, k, d] * scratch.force_slope[i, n, e]
                    K[k, d, n, e] = entry


@kernel()
def point_energies(element: PointElementData, scratch: PointScratch) -> tuple[float, float]:
    """Kinetic energy beyond that of the points themselves, and U."""
    strain_points(element, scratch)
    load_points(element, 0, scratch)
    kinetic = potential = 0.0
    for i in range(12):
        potential += 0.5 * scratch.force[i] * scratch.strain[i]
    for k in range(6):
        for n in range(6):
            for d in range(3):
                kinetic += 0.5 * element.mass[k, n] * scratch.v[k, d] * scratch.v[n, d]
    return kinetic, potential
