"""A beam whose forces come from a few weighted elements: the cost of a step no longer grows with
the mesh.

    M̂ ξ̈ + Σ_{e ∈ E} w_e Tᵀ f_e(q̄ + V ξ, V ξ̇) + Ĝᵀλ = Tᵀ loads,    M̂ = TᵀM T

Only the nodes of sampled elements, of torques and of constraint rows are lifted. Inertia is exact.
Dead loads and weight act on those nodes by the forces of least norm that do the same work on every
direction.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import qr

from isodyn.beams.layout import BeamLayout, Load, Row, Torque
from isodyn.beams.model import beam_energy, beam_model
from isodyn.beams.system import BeamSystem
from isodyn.kernels.compiled import FloatArray, IntArray, Traits
from isodyn.reduction.embedding import Embedding
from isodyn.reduction.kernels import around  # compiled, or loaded from the cache, when first needed
from isodyn.reduction.nonlinear import ReducedSystem
from isodyn.reduction.sampling import Sampling
from isodyn.reduction.tables import lay_out
from isodyn.systems.model import Model
from isodyn.systems.questions import Questions


@dataclass(frozen=True, eq=False, repr=False)
class SampledSystem(ReducedSystem):
    """A reduced beam with sampled elements; `sampling` says which, `nodes` which nodes are
    lifted."""

    sampling: Sampling = None  # type: ignore[assignment]
    nodes: IntArray = None  # type: ignore[assignment]
    inner: Model = None  # type: ignore[assignment]
    at_nodes: Embedding = None  # type: ignore[assignment]
    mass: FloatArray = None  # type: ignore[assignment]

    def model(self) -> Model:
        """The function that the loop calls."""
        self.origin.refuse_changed()
        memory = lay_out(self.inner, self.at_nodes, self.m, np.arange(self.m), self.mass)
        return Model(around(beam_model), Traits(self.traits), *memory)


def sampled_system(reduced: ReducedSystem, sampling: Sampling) -> SampledSystem:
    """The same reduced system with sampled forces."""
    full: BeamSystem = reduced.full
    at, tables = reduced.embedding, full.layout
    T = at.T
    ask, still = Questions(full, sparse=True), np.zeros(full.nv)
    mass = np.asarray(T.T @ (ask.mass(0.0, full.q0, still) @ T))
    rows = [tables.rows[i] for i in reduced.rows]
    nodes = _nodes(tables, at, rows, sampling, T)
    coordinates = (tables.width * nodes[:, None] + np.arange(tables.width)).ravel()
    there = T[coordinates]
    small = _small_tables(tables, rows, nodes, sampling, T, there)
    memory, scratch = small.build(sparse=True)
    elements = memory.beams.elements
    for name in ("EA", "EI", "EI4", "EA_per_length", "EI_per_length"):
        elements.column(name)[:] *= sampling.weights
    for name in ("mass", "mass_per_420"):
        elements.column(name)[:] = 0.0
    inner = Model(beam_model, Traits(full.traits), memory, scratch, sparsity=small.sparsity)
    offset = at.offset
    level = float(small.weight @ offset[coordinates] - tables.weight @ offset)
    work, out = scratch.copy(), np.empty(3 + small.n)

    def energy(q: FloatArray, v: FloatArray, t: float) -> tuple[float, float]:
        beam_energy(offset[coordinates] + there @ q, there @ v, memory, work, out)
        return 0.5 * float(v @ mass @ v), float(out[1] + out[2]) + level

    return SampledSystem(
        **{**vars(reduced), "energy": energy},
        sampling=sampling,
        nodes=nodes,
        inner=inner,
        at_nodes=_restricted(at, coordinates),
        mass=mass,
    )


def _nodes(tables: BeamLayout, at: Embedding, rows: list[Row], sampling: Sampling, T: FloatArray) -> IntArray:
    """Nodes that have to be lifted, enough of them to tell all directions apart."""
    found = {k for e in sampling.elements for k in (tables.elements[e].first, tables.elements[e].second)}
    found |= {torque.node for torque in tables.torques}
    found |= {i // tables.width for row in rows for i in tables.columns(row)}
    found |= {int(i) // tables.width for i in at.others_v}
    coordinates = [tables.width * k + i for k in found for i in range(tables.width)]
    if np.linalg.matrix_rank(T[coordinates]) < T.shape[1]:
        pivots = qr(T.T, mode="r", pivoting=True)[1][: T.shape[1]]
        found |= {int(i) // tables.width for i in pivots}
    return np.array(sorted(found))


def _small_tables(
    tables: BeamLayout, rows: list[Row], nodes: IntArray, sampling: Sampling, T: FloatArray, there: FloatArray
) -> BeamLayout:
    """The beam of these nodes and elements alone."""
    number = {int(k): n for n, k in enumerate(nodes)}

    def moved(i: int) -> int:
        return tables.width * number[i // tables.width] + i % tables.width

    def equal_work(force: FloatArray) -> FloatArray:
        return np.asarray(np.linalg.lstsq(there.T, T.T @ force, rcond=1e-12)[0])

    def whole(load: Load) -> FloatArray:
        force = np.zeros(tables.n)
        force[load.first : load.first + load.forces.size] = load.forces
        return force

    return BeamLayout(
        tables.dim,
        tables.energy,
        nodes.size,
        [
            replace(
                tables.elements[e], first=number[tables.elements[e].first], second=number[tables.elements[e].second]
            )
            for e in sampling.elements
        ],
        [
            replace(
                row,
                linear=tuple((moved(i), w) for i, w in row.linear),
                products=tuple((moved(i), moved(j), w) for i, j, w in row.products),
            )
            for row in rows
        ],
        [Load(0, equal_work(whole(load)), load.time) for load in tables.loads],
        [Torque(number[torque.node], torque.vector, torque.time) for torque in tables.torques],
        equal_work(tables.weight),
    )


def _restricted(at: Embedding, coordinates: IntArray) -> Embedding:
    """The embedding of the reduced coordinates in these coordinates alone."""
    place = np.full(at.columns.size + at.others_v.size, -1)
    place[coordinates] = np.arange(coordinates.size)
    kept = place[at.columns] >= 0
    others = place[at.others_v]
    return Embedding(at.V[kept], at.mean[kept], place[at.columns[kept]], others, others)
