"""What nodal coordinates say about a beam: its curve, curvature, moments, axial forces, strains,
stresses and energies.

    κ = R' × R''/|R'|³,     M = EI n·R'',     N = EA ε,     stress at the distance y from the axis  E (ε − y κ₀),   κ₀ = n·R''

ε is the strain of the energy in use: of the chord, e·R' − 1, or ½(|R'|² − 1). Coordinates are (…,
nodes · 2 dim), position and slope of node after node; leading axes, such as times, stay.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from isodyn.beams.hermite import mass, shape
from isodyn.beams.mesh import Element
from isodyn.beams.tables import CAUCHY_TANGENT, GREEN_LAGRANGE, GREEN_LAGRANGE_DIRAC, GREEN_LAGRANGE_TANGENT, SIMPLIFIED
from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray

if TYPE_CHECKING:
    from isodyn.open_types import Numbers

_QUADRATIC = (GREEN_LAGRANGE, GREEN_LAGRANGE_TANGENT, GREEN_LAGRANGE_DIRAC)
_X, _W = np.polynomial.legendre.leggauss(5)
GAUSS, WEIGHTS = (_X + 1) / 2, _W / 2  # five points: exact for every energy


@dataclass(frozen=True, eq=False)
class BeamShape:
    """Elements of one beam with its strain energy."""

    dim: int
    energy: int
    nodes: int
    elements: tuple[Element, ...]

    def split(self, q: ArrayLike) -> FloatArray:
        """(…, nodes, 2, dim): position and slope."""
        q = np.asarray(q, dtype=np.float64)
        if q.shape[-1] != self.nodes * 2 * self.dim:
            raise InputError(f"the beam has {self.nodes * 2 * self.dim} nodal coordinates, received {q.shape[-1]}")
        return q.reshape(*q.shape[:-1], self.nodes, 2, self.dim)

    @cached_property
    def lengths(self) -> FloatArray:
        return np.array([e.length for e in self.elements])

    def of_section(self, name: str) -> FloatArray:
        """A number of the sections, one per element."""
        return np.array([getattr(e.section, name) for e in self.elements], dtype=np.float64)

    def of_elements(self, q: ArrayLike) -> FloatArray:
        """(…, elements, 4, dim): P₁, t₁, P₂, t₂."""
        node = self.split(q)
        a, b = ([getattr(e, x) for e in self.elements] for x in ("first", "second"))
        return np.concatenate([node[..., a, :, :], node[..., b, :, :]], axis=-2)

    def curve(self, q: ArrayLike, xi: FloatArray, derivative: int = 0) -> FloatArray:
        """R, R' or R'' at the places ξ of every element: (…, elements, places, dim)."""
        S = np.stack([shape(xi, L, derivative) for L in self.lengths])
        return np.asarray(np.einsum("epk,...ekd->...epd", S, self.of_elements(q)))

    def bend(self, q: ArrayLike, xi: FloatArray) -> FloatArray:
        """n·R'' with n across the line; in space the size of what of R'' lies across it."""
        first, second = self.curve(q, xi, 1), self.curve(q, xi, 2)
        return np.asarray(_cross(first, second) / np.linalg.norm(first, axis=-1))

    def curvature(self, q: ArrayLike, xi: FloatArray) -> FloatArray:
        """Curvature of the line: counter-clockwise positive in the plane, |κ| in space."""
        first, second = self.curve(q, xi, 1), self.curve(q, xi, 2)
        return np.asarray(_cross(first, second) / np.linalg.norm(first, axis=-1) ** 3)

    def strain(self, q: ArrayLike, xi: FloatArray) -> FloatArray:
        """ε of the axis."""
        first, ends = self.curve(q, xi, 1), self.curve(q, np.array([0.0, 1.0]))
        chord = ends[..., 1, :] - ends[..., 0, :]
        size = np.linalg.norm(chord, axis=-1)
        if self.energy == SIMPLIFIED:
            return np.asarray((size[..., None] / self.lengths[:, None] - 1) * np.ones(xi.size))
        if self.energy in _QUADRATIC:
            return np.asarray(0.5 * ((first**2).sum(axis=-1) - 1))
        e = self._axis(q, chord)
        return np.asarray((first * e[..., None, :]).sum(axis=-1) - 1)

    def _axis(self, q: Numbers, chord: FloatArray) -> FloatArray:
        """First axis of the frame of every element."""
        e = self.of_elements(q)[..., 1, :] if self.energy in (CAUCHY_TANGENT, GREEN_LAGRANGE_TANGENT) else chord
        return np.asarray(e / np.linalg.norm(e, axis=-1)[..., None])

    def stress(self, q: ArrayLike, xi: FloatArray, y: float | None) -> FloatArray:
        """E (ε − y κ₀) at the distance y from the axis, on the side of n; at both edges (last axis)
        where y is left out."""
        E, edge = self.of_section("E"), self.of_section("edge")
        if not (np.isfinite(E).all() and (y is not None or np.isfinite(edge).all())):
            raise InputError(
                "stresses need E and the distance of the edge from the axis, which this section does not know",
                hint="Section.rectangle, Section.circle, or Section(…, E=…, edge=…)",
            )
        strain, bend = self.strain(q, xi), self.bend(q, xi)
        if y is not None:
            return np.asarray(E[:, None] * (strain - y * bend))
        edges = np.stack([edge, -edge], axis=-1)[:, None, :]
        return np.asarray(E[:, None, None] * (strain[..., None] - edges * bend[..., None]))

    def kinetic_energy(self, v: FloatArray) -> FloatArray:
        """½ ∫ρA |Ṙ|² dX."""
        M = np.stack([mass(e.section.rhoA * e.length, e.length) for e in self.elements])
        u = self.of_elements(v)
        return np.asarray(0.5 * np.einsum("...eid,eij,...ejd->...", u, M, u))

    def strain_energy(self, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Parts of stretching and of bending."""
        EA, EI, EI4 = (self.of_section(x)[:, None] for x in ("EA", "EI", "EI4"))
        weights = self.lengths[:, None] * WEIGHTS
        first, second = self.curve(q, GAUSS, 1), self.curve(q, GAUSS, 2)
        axial = 0.5 * EA * self.strain(q, GAUSS) ** 2
        if self.energy == SIMPLIFIED:
            bending = 0.5 * EI * (second**2).sum(axis=-1)
        else:
            ends = self.curve(q, np.array([0.0, 1.0]))
            e = self._axis(q, ends[..., 1, :] - ends[..., 0, :])[..., None, :]
            n = np.stack([-e[..., 1], e[..., 0]], axis=-1)
            kappa = (n * second).sum(axis=-1)
            bending = 0.5 * EI * kappa**2
            if self.energy in _QUADRATIC:
                alpha, beta = (first * e).sum(axis=-1), (first * n).sum(axis=-1)
                bending = EI * kappa**2 * (6 * alpha**2 + 2 * beta**2 - 2) / 8 + EI4 * kappa**4 / 8
        return np.asarray((axial * weights).sum(axis=(-2, -1))), np.asarray((bending * weights).sum(axis=(-2, -1)))

    def momentum(self, v: ArrayLike) -> FloatArray:
        """∫ρA Ṙ dX, (…, dim)."""
        weights = self.of_section("rhoA") * self.lengths
        return np.asarray(np.einsum("p,e,...epd->...d", WEIGHTS, weights, self.curve(v, GAUSS)))

    def angular_momentum(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """∫ρA R × Ṙ dX about the origin, (…, 3)."""
        weights = self.of_section("rhoA") * self.lengths
        R, rate = (_in_space(self.curve(x, GAUSS)) for x in (q, v))
        return np.asarray(np.einsum("p,e,...epd->...d", WEIGHTS, weights, np.cross(R, rate)))


def _in_space(x: FloatArray) -> FloatArray:
    return x if x.shape[-1] == 3 else np.concatenate([x, np.zeros((*x.shape[:-1], 1))], axis=-1)


def _cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """a × b in the plane, |a × b| in space."""
    if a.shape[-1] == 2:
        return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])
    return np.asarray(np.linalg.norm(np.cross(a, b), axis=-1))
