"""Which elements speak for all: energy-conserving sampling and weighting [Farhat2015].

    Σ_e Tᵀ f_e(q) ≈ Σ_{e ∈ E} w_e Tᵀ f_e(q),    w_e ≥ 0,    at the configurations of a run, projected onto the basis

The weights come from a non-negative least-squares problem, solved from nothing upwards [Lawson1974]
until the residual falls below a tolerance: few elements are then enough. With w ≥ 0 the sampled
force is the gradient of the sampled energy Σ w_e U_e, its tangent is symmetric, and what conserves
energy keeps doing so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.beams.elements import element_forces
from isodyn.beams.system import BeamSystem
from isodyn.beams.tables import ElementScratch
from isodyn.errors import ConvergenceError, InputError
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.reduction.basis import Basis
from isodyn.reduction.snapshots import histories, solutions
from isodyn.systems.base import System

if TYPE_CHECKING:
    from isodyn.beams.system import BeamSystem
    from isodyn.results.solution import Solution

MOST = 60  # configurations that are used


@dataclass(frozen=True, eq=False)
class Sampling:
    """Elements of a beam, with weights, whose forces stand for those of all.

    Parameters
    ----------
    elements
        Numbers of the elements.
    weights
        Their weights.
    residual
        Relative residual of the projected forces.
    total
        Number of elements of the beam.
    basis
        The basis for which they were chosen.

    Examples
    --------
    >>> from isodyn.reduction import Sampling
    >>> import numpy as np
    >>> Sampling(np.array([0, 3]), np.array([2.0, 2.0]), 1e-4, total=4).total
    4
    """

    elements: IntArray
    weights: FloatArray
    residual: float
    total: int
    basis: Basis | None = None

    def __repr__(self) -> str:
        return f"<Sampling: {self.elements.size} of {self.total} elements, residual {self.residual:.1e}>"


def sample_elements(system: Any, basis: Basis, sol: Solution, tolerance: float = 1e-3, most: int = MOST) -> Sampling:
    """Choose elements of a beam, with weights, whose forces stand for those of all.

    Parameters
    ----------
    system
        A beam.
    basis
        Basis onto which forces are projected.
    sol
        A solution, or several, along which the forces are compared.
    tolerance
        Relative residual of the projected forces.
    most
        Number of configurations that are compared.

    Returns
    -------
    sampling
        The elements and their weights.

    Examples
    --------
    >>> import isodyn as iso
    >>> beam = iso.problems.get("flexible_pendulum")
    >>> system = beam.system()
    >>> sol = iso.integrate(system, beam.scheme, dt=0.002, t_end=0.1)
    >>> basis = iso.pod(sol, rank=6, about=system.q0)
    >>> sampling = iso.reduction.sample_elements(system, basis, sol)
    >>> bool(sampling.elements.size <= sampling.total), sampling.total
    (True, 8)
    """
    refuse_unless_beam(system)
    if not isinstance(basis, Basis):
        raise InputError(
            f"basis must be a Basis, received {type(basis).__name__}", hint="iso.pod makes one from a solution"
        )
    if not (isinstance(tolerance, int | float | np.number) and 0.0 < tolerance < 1.0):
        raise InputError(f"tolerance must lie between 0 and 1, received {tolerance!r}")
    if isinstance(most, bool) or not isinstance(most, int | np.integer) or most < 1:
        raise InputError(f"most must be a whole number of at least 1, received {most!r}")
    rows = np.concatenate([histories(one, "q") for one in solutions(sol)])
    if rows.shape[1] != system.nq:
        raise InputError(f"the run must be one of this beam with {system.nq} coordinates, received {rows.shape[1]}")
    rows = rows[np.unique(np.linspace(0, rows.shape[0] - 1, min(most, rows.shape[0])).round().astype(int))]
    at = basis.embedding(system.nq, system.nv)
    A = contributions(system, at.T, at.q(basis.coordinates(rows)))
    b = A.sum(axis=1)
    if not np.isfinite(b).all():
        raise InputError("forces along the run are not finite")
    weights, residual = sparse_weights(A, b, tolerance)
    chosen = np.flatnonzero(weights)
    return Sampling(chosen, weights[chosen], residual, A.shape[1], basis)


def refuse_unless_beam(system: System) -> None:
    """Elements are sampled of beams by themselves only."""
    if not isinstance(system, BeamSystem):
        raise InputError(
            f"elements are sampled of beams by themselves, iso.Beam(...).compile(), received {type(system).__name__}",
            hint="beams inside mechanisms are reduced without sampling: iso.reduce(system, basis)",
        )


def refuse_unless_fitting(system: Any, basis: Basis, sampling: object) -> None:
    """A sampling belongs to the elements of one beam and to one basis."""
    if not isinstance(sampling, Sampling):
        raise InputError(
            f"sampling must be a Sampling, received {type(sampling).__name__}",
            hint="isodyn.reduction.sample_elements(system, basis, sol)",
        )
    refuse_unless_beam(system)
    total, made_for = len(system.layout.elements), sampling.basis
    hint = "isodyn.reduction.sample_elements(system, basis, sol)"
    if sampling.total != total:
        raise InputError(f"this sampling is one of {sampling.total} elements, received a beam of {total}", hint=hint)
    if made_for is not None and not np.array_equal(made_for.V[:, : basis.rank], basis.V):
        raise InputError("this sampling was made for another basis: its weights fit those directions", hint=hint)


def contributions(system: BeamSystem, T: FloatArray, configurations: FloatArray) -> FloatArray:
    """Tᵀ f_e(q), a column for each element, configurations below each other."""
    tables, width = system.tables.beams.copy(), system.layout.width
    tables.damped, scratch = 0, ElementScratch()
    still, force = np.zeros(system.nv), np.zeros(system.nv)
    A = np.zeros((configurations.shape[0], T.shape[1], len(system.layout.elements)))
    for e, element in enumerate(system.layout.elements):
        at = np.concatenate([np.arange(width) + width * node for node in (element.first, element.second)])
        for s, q in enumerate(configurations):
            force[at] = 0.0
            element_forces(e, e + 1, np.ascontiguousarray(q), still, still, tables, scratch, force)
            A[s, :, e] = T[at].T @ force[at]
    return A.reshape(-1, A.shape[2])


def sparse_weights(A: FloatArray, b: FloatArray, tolerance: float) -> tuple[FloatArray, float]:
    """w ≥ 0 with |A w − b| ≤ tolerance |b|, by as few columns as the active-set method needs to get
    there."""
    size = float(np.linalg.norm(b))
    w = np.zeros(A.shape[1])
    if size == 0.0:
        raise InputError("the forces along the run are all zero: there is nothing to sample", hint="let the run deform")
    inside = np.zeros(A.shape[1], dtype=bool)
    for _ in range(3 * A.shape[1]):
        residual = b - A @ w
        if np.linalg.norm(residual) <= tolerance * size:
            break
        gradient = np.where(inside, -np.inf, A.T @ residual)
        best = int(gradient.argmax())
        if gradient[best] <= 0.0:
            break
        inside[best] = True
        while True:
            trial = np.zeros_like(w)
            trial[inside] = np.linalg.lstsq(A[:, inside], b, rcond=None)[0]
            low = inside & (trial <= 0.0)
            if not low.any():
                break
            step = float(np.min(w[low] / np.maximum(w[low] - trial[low], 1e-300)))
            w = w + step * (trial - w)
            inside &= w > 1e-14 * max(1.0, float(w.max()))
            w[~inside] = 0.0
        w = trial
    left = float(np.linalg.norm(b - A @ w)) / size
    if left > tolerance:
        raise ConvergenceError(
            f"no weights bring the sampled forces closer than {left:.2e}, asked for {tolerance:.2e}",
            hint="a larger tolerance",
        )
    return w, left
