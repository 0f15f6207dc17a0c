"""From nodes, elements, rows and loads of a beam to the tables of its model, dense or sparse.

`BeamWriter` writes elements and what acts along them: of a beam by itself, and of the beams of a
mechanism.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from isodyn.beams.mesh import Element
from isodyn.beams.model import Scratch, Tables
from isodyn.beams.tables import BeamTables
from isodyn.expressions.time_writer import TimeWriter
from isodyn.kernels.compiled import FloatArray
from isodyn.linear_solvers.blocks import Sparsity
from isodyn.parts.block_pattern import BlockPattern


@dataclass(frozen=True)
class Row:
    """Σ w q_i + Σ w q_i q_j = f(t), a row of the named support; coordinates by number."""

    support: str
    label: str
    linear: tuple[tuple[int, float], ...]
    products: tuple[tuple[int, int, float], ...] = ()
    target: Any = None

    @property
    def name(self) -> str:
        """As messages and results call it."""
        return f"{self.support}: {self.label}"


@dataclass(frozen=True, eq=False)
class Load:
    """f(t) times these forces on the coordinates from `first` on."""

    first: int
    forces: FloatArray
    time: object | None = None


@dataclass(frozen=True, eq=False)
class Torque:
    """f(t) times a torque on the slope of a node."""

    node: int
    vector: FloatArray
    time: object | None = None


class PlacedElement(NamedTuple):
    """An element between two nodes by their number in the model, with its strain energy and
    dimension."""

    first: int
    second: int
    element: Element
    energy: int
    dim: int


class BeamWriter:
    """Writes elements, weights and loads along beams into the tables of a model."""

    def __init__(
        self, elements: Sequence[PlacedElement], weight: FloatArray, loads: Sequence[Load], time: TimeWriter
    ) -> None:
        self.elements, self.weight, self.loads = elements, weight, loads
        self.times = [
            time.function("the time function of a load", 1.0 if load.time is None else load.time) for load in loads
        ]

    def sizes(self) -> dict[str, int]:
        """Sizes of the tables."""
        return {
            "elements": len(self.elements),
            "nodal": self.weight.size,
            "spreads": len(self.loads),
            "forces": sum(load.forces.size for load in self.loads),
        }

    def write(self, tables: BeamTables, pattern: BlockPattern, sparse: bool) -> None:
        """All of it into tables of these sizes."""
        tables.damped = int(any(any(x.element.section.times) for x in self.elements))
        ends = [(x.first, x.second) for x in self.elements]
        tables.elements.fill(
            a=[pattern.first[i] for i, _ in ends],
            b=[pattern.first[j] for _, j in ends],
            aa=[pattern.block(i, i, sparse) for i, _ in ends],
            ab=[pattern.block(i, j, sparse) for i, j in ends],
            ba=[pattern.block(j, i, sparse) for i, j in ends],
            bb=[pattern.block(j, j, sparse) for _, j in ends],
            stride_a=[pattern.stride(i, sparse) for i, _ in ends],
            stride_b=[pattern.stride(j, sparse) for _, j in ends],
            energy=[x.energy for x in self.elements],
            dim=[x.dim for x in self.elements],
        )
        write_numbers(tables, (x.element for x in self.elements))
        tables.weight = self.weight
        counts = [load.forces.size for load in self.loads]
        tables.spreads.fill(
            first=[load.first for load in self.loads], start=np.cumsum([0, *counts])[:-1], count=counts, time=self.times
        )
        if self.loads:
            tables.forces = np.concatenate([load.forces for load in self.loads])


def write_numbers(tables: BeamTables, elements: Iterable[Element]) -> None:
    """Lengths, stiffness, mass and damping of elements."""
    numbers = [(x.section, x.length) for x in elements]
    tables.elements.fill(
        length=[L for _, L in numbers],
        EA=[s.EA for s, _ in numbers],
        EI=[s.EI for s, _ in numbers],
        EI4=[s.EI4 for s, _ in numbers],
        mass=[s.rhoA * L for s, L in numbers],
        stretching_time=[s.times[0] for s, _ in numbers],
        bending_time=[s.times[1] for s, _ in numbers],
        per_length=[1 / L for _, L in numbers],
        EA_per_length=[s.EA / L for s, L in numbers],
        EI_per_length=[s.EI / L for s, L in numbers],
        mass_per_420=[s.rhoA * L / 420 for s, L in numbers],
    )


def tables_of_elements(elements: Sequence[Element], energy: int, dim: int) -> BeamTables:
    """Elements of one beam alone, without loads and without places in a matrix."""
    tables = BeamTables(elements=len(elements), nodal=0, spreads=0, forces=0)
    tables.elements.fill(
        a=[2 * dim * e.first for e in elements],
        b=[2 * dim * e.second for e in elements],
        energy=[energy] * len(elements),
        dim=[dim] * len(elements),
    )
    write_numbers(tables, elements)
    return tables


@dataclass(eq=False)
class BeamLayout:
    """Numbers of a beam by itself; `build` lays them out."""

    dim: int
    energy: int
    nodes: int
    elements: list[Element]
    rows: list[Row]
    loads: list[Load]
    torques: list[Torque]
    weight: FloatArray
    pattern: BlockPattern = field(init=False)

    def __post_init__(self) -> None:
        near = [{k} for k in range(self.nodes)]
        for element in self.elements:
            near[element.first].add(element.second)
            near[element.second].add(element.first)
        for row in self.rows:
            for i, j, _ in row.products:
                near[i // self.width].add(j // self.width)
                near[j // self.width].add(i // self.width)
        self.pattern = BlockPattern(np.arange(0, self.n + 1, self.width, dtype=np.int64), near)

    @property
    def width(self) -> int:
        """Coordinates of a node."""
        return 2 * self.dim

    @property
    def n(self) -> int:
        return self.width * self.nodes

    def columns(self, row: Row) -> list[int]:
        """Coordinates that a row speaks of, in order."""
        return sorted({i for i, _ in row.linear} | {k for i, j, _ in row.products for k in (i, j)})

    @cached_property
    def sparsity(self) -> Sparsity:
        """Patterns of J and G; a node of the beam is a node of the matrix, and so are the rows of
        one support."""
        columns = [self.columns(row) for row in self.rows]
        owners = [row.support for row in self.rows]
        joints = (
            [0] + [r for r in range(1, len(owners)) if owners[r] != owners[r - 1]] + ([len(owners)] if owners else [])
        )
        return Sparsity(
            self.pattern.starts(),
            self.pattern.columns(),
            np.concatenate([[0], np.cumsum([len(c) for c in columns])]).astype(np.int64),
            np.array([i for c in columns for i in c], dtype=np.int64),
            self.pattern.first,
            np.array(joints, dtype=np.int64),
        )

    def build(self, sparse: bool) -> tuple[Tables, Scratch]:
        """Tables and scratch of the model."""
        time = TimeWriter()
        placed = [PlacedElement(e.first, e.second, e, self.energy, self.dim) for e in self.elements]
        beams = BeamWriter(placed, self.weight, self.loads, time)
        targets = [time.function(row.name, row.target) for row in self.rows]
        what = "the time function of a torque"
        times = [time.function(what, 1.0 if torque.time is None else torque.time) for torque in self.torques]
        counts = {
            "rows": len(self.rows),
            "linear": sum(len(row.linear) for row in self.rows),
            "products": sum(len(row.products) for row in self.rows),
            "torques": len(self.torques),
        }
        tables = Tables(**counts, **beams.sizes(), **time.sizes())
        tables.dim, tables.load_factor = self.dim, 1.0
        tables.J_size = self.pattern.size(sparse)
        tables.G_size = self.sparsity.G_columns.size if sparse else len(self.rows) * self.n
        beams.write(tables.beams, self.pattern, sparse)
        time.write(tables.time)
        self._write_rows(tables, targets, sparse)
        first = [self.width * torque.node + self.dim for torque in self.torques]
        tables.torques.fill(
            slope=first,
            block=[self._entry(i, i, sparse) for i in first],
            stride=[self.pattern.stride(torque.node, sparse) for torque in self.torques],
            time=times,
            vector=[torque.vector for torque in self.torques],
        )
        return tables, Scratch(**time.scratch_sizes())

    def _write_rows(self, tables: Tables, targets: list[int], sparse: bool) -> None:
        linear = products = 0
        for r, (row, target) in enumerate(zip(self.rows, targets, strict=True)):
            places = {i: self._place(r, i, k, sparse) for k, i in enumerate(self.columns(row))}
            support = tables.rows[r]
            support.first_linear, support.linear = linear, len(row.linear)
            support.first_product, support.products, support.target = products, len(row.products), target
            for i, weight in row.linear:
                term = tables.linear[linear]
                term.coordinate, term.place, term.weight = i, places[i], weight
                linear += 1
            for i, j, weight in row.products:
                product = tables.products[products]
                product.i, product.j, product.weight = i, j, weight
                product.place_i, product.place_j = places[i], places[j]
                product.place_ij, product.place_ji = self._entry(i, j, sparse), self._entry(j, i, sparse)
                products += 1

    def _place(self, r: int, i: int, k: int, sparse: bool) -> int:
        """Place in G of coordinate i, the k-th of row r."""
        return int(self.sparsity.G_starts[r]) + k if sparse else r * self.n + i

    def _entry(self, i: int, j: int, sparse: bool) -> int:
        """Place of one entry of J."""
        one, other = i // self.width, j // self.width
        block, stride = self.pattern.block(one, other, sparse), self.pattern.stride(one, sparse)
        return block + (i % self.width) * stride + j % self.width
