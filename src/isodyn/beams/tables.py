"""From nodes, elements, rows and loads of a beam to the flat tables of isodyn.beams.layout, dense
or sparse."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from isodyn.beams import layout as at
from isodyn.beams.frames import WORK
from isodyn.beams.mesh import Element, element_numbers
from isodyn.kernels.compiled import FloatArray
from isodyn.kernels.struct import FlatNumbers, Nothing, flat_numbers
from isodyn.linear_solvers.blocks import Sparsity
from isodyn.loads.time import as_time_function
from isodyn.parts.layout import F_TIME, I_TIME


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
    time: Any = None


@dataclass(frozen=True, eq=False)
class Torque:
    """f(t) times a torque on the slope of a node."""

    node: int
    vector: FloatArray
    time: Any = None


@dataclass(eq=False)
class BeamTables:
    """Numbers of a beam; `build` lays them out."""

    dim: int
    energy: int
    nodes: int
    elements: list[Element]
    rows: list[Row]
    loads: list[Load]
    torques: list[Torque]
    weight: FloatArray
    neighbours: list[list[int]] = field(init=False)

    def __post_init__(self) -> None:
        near = [{k} for k in range(self.nodes)]
        for element in self.elements:
            near[element.first].add(element.second)
            near[element.second].add(element.first)
        for row in self.rows:
            for i, j, _ in row.products:
                near[i // self.width].add(j // self.width)
                near[j // self.width].add(i // self.width)
        self.neighbours = [sorted(others) for others in near]

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
        b = self.width
        lines = [np.concatenate([np.arange(b * k, b * k + b) for k in near]) for near in self.neighbours]
        J_columns = np.concatenate([np.tile(line, b) for line in lines])
        J_starts = np.concatenate([[0], np.cumsum(np.repeat([line.size for line in lines], b))])
        columns = [self.columns(row) for row in self.rows]
        owners = [row.support for row in self.rows]
        joints = (
            [0] + [r for r in range(1, len(owners)) if owners[r] != owners[r - 1]] + ([len(owners)] if owners else [])
        )
        return Sparsity(
            J_starts.astype(np.int64),
            J_columns.astype(np.int64),
            np.concatenate([[0], np.cumsum([len(c) for c in columns])]).astype(np.int64),
            np.array([i for c in columns for i in c], dtype=np.int64),
            np.arange(0, self.n + 1, b, dtype=np.int64),
            np.array(joints, dtype=np.int64),
        )

    def build(self, sparse: bool) -> tuple[Nothing, FlatNumbers]:
        """Tables and scratch of the model."""
        n, b, pattern = self.n, self.width, self.sparsity
        functions: list[Any] = []

        def function(what: str, value: Any) -> int:
            if value is None:
                return -1
            functions.append(as_time_function(what, value))
            return len(functions) - 1

        def stride(i: int) -> int:
            return b * len(self.neighbours[i]) if sparse else n

        def block(i: int, j: int) -> int:
            """First entry of the block of nodes i, j in J."""
            if not sparse:
                return b * (i * n + j)
            return int(pattern.J_starts[b * i]) + b * self.neighbours[i].index(j)

        def entry(i: int, j: int) -> int:
            """Place of one entry of J."""
            return block(i // b, j // b) + (i % b) * stride(i // b) + j % b

        def place(r: int, i: int) -> int:
            """Place of coordinate i in row r of G."""
            if not sparse:
                return r * n + i
            return int(pattern.G_starts[r]) + self.columns(self.rows[r]).index(i)

        ints: dict[int, list[Any]] = {key: [] for key in range(at.I_ELEMENT, I_TIME + 1)}
        floats: dict[int, list[Any]] = {key: [] for key in range(at.F_ELEMENT, at.F_WEIGHT + 1)}
        for element in self.elements:
            i, j = element.first, element.second
            ints[at.I_ELEMENT] += [
                b * i,
                b * j,
                block(i, i),
                block(i, j),
                block(j, i),
                block(j, j),
                stride(i),
                stride(j),
                self.energy,
                self.dim,
            ]
            floats[at.F_ELEMENT] += element_numbers(element)
        linear = products = 0
        for r, row in enumerate(self.rows):
            ints[at.I_ROW] += [linear, len(row.linear), products, len(row.products), function(row.name, row.target)]
            linear, products = linear + len(row.linear), products + len(row.products)
            for i, weight in row.linear:
                ints[at.I_LINEAR] += [i, place(r, i)]
                floats[at.F_LINEAR].append(weight)
            for i, j, weight in row.products:
                ints[at.I_PRODUCT] += [i, j, place(r, i), place(r, j), entry(i, j), entry(j, i)]
                floats[at.F_PRODUCT].append(weight)
        for load in self.loads:
            time = function("the time function of a load", 1.0 if load.time is None else load.time)
            ints[at.I_LOAD] += [load.first, load.forces.size, len(floats[at.F_LOAD]), time]
            floats[at.F_LOAD] += load.forces.tolist()
        for torque in self.torques:
            time = function("the time function of a torque", 1.0 if torque.time is None else torque.time)
            first = b * torque.node + self.dim
            ints[at.I_TORQUE] += [first, entry(first, first), stride(torque.node), time]
            floats[at.F_TORQUE] += torque.vector.tolist()
        for f in functions:
            ints[I_TIME] += [f.kind, len(floats[F_TIME]), f.numbers.size]
            floats[F_TIME] += f.numbers.tolist()
        floats[at.F_WORK] = [0.0] * WORK
        floats[at.F_FACTOR], floats[at.F_WEIGHT] = [1.0], self.weight.tolist()

        header = np.zeros(at.HEADER, dtype=np.int64)
        header[[at.DIM, at.ELEMENTS, at.ROWS, at.LOADS, at.TORQUES, at.N]] = (
            self.dim,
            len(self.elements),
            len(self.rows),
            len(self.loads),
            len(self.torques),
            n,
        )
        header[at.J_SIZE] = pattern.J_columns.size if sparse else n * n
        header[at.G_SIZE] = pattern.G_columns.size if sparse else len(self.rows) * n
        header[at.DAMPED] = any(any(element.section.times) for element in self.elements)
        end = at.HEADER
        for key, entries in ints.items():
            header[key] = end
            end += len(entries)
        end = 0
        for key, numbers in floats.items():
            header[key] = end
            end += len(numbers)
        pi = np.concatenate([header, *(np.array(x, dtype=np.int64) for x in ints.values())])
        return Nothing(), flat_numbers(np.concatenate([np.array(x, dtype=np.float64) for x in floats.values()]), pi)
