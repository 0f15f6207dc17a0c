"""Writes the tables of a mechanism's model (isodyn.multibody.tables), by the names of their
fields."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from isodyn.beams.layout import BeamWriter
from isodyn.beams.mesh import spread
from isodyn.expressions.time_writer import TimeWriter
from isodyn.flexible.writer import FlexibleWriter
from isodyn.joints.words import Word
from isodyn.loads.laws import FormulaLaw
from isodyn.loads.part import Law
from isodyn.mechanism.rod_writer import write_rods
from isodyn.multibody.meshed import MeshedScratch, MeshedTables
from isodyn.multibody.tables import (
    CABLE,
    NODE,
    PARTICLE,
    PLANAR,
    RATE_OF,
    SPATIAL,
    STATE,
    TIME,
    UNHELD,
    VALUE_OF,
    InputData,
    LawData,
    Scratch,
    Tables,
)

if TYPE_CHECKING:
    from isodyn.mechanism.layout import MechanismLayout

_COLUMNS = {"spatial": [0, 1, 2, 3, 4, 5], "planar": [0, 1, -1, -1, -1, 2], "particle": [0, 1, 2, -1, -1, -1]}
# slopes: isodyn.multibody.nodes
_COLUMNS |= {"node": [0, 1, -1, -1, -1, -1], "cable": _COLUMNS["particle"], "mode": [-1] * 6}
_COLUMNS |= {"state": [0, -1, -1, -1, -1, -1]}
_KINDS = {"spatial": SPATIAL, "planar": PLANAR, "particle": PARTICLE, "node": NODE, "cable": CABLE, "mode": UNHELD}
_KINDS |= {"state": STATE}


class FunctionsOfTime:
    """Functions of time and formulas of the rows, laws and loads of a mechanism, by number."""

    def __init__(self, layout: MechanismLayout) -> None:
        self.time = TimeWriter()
        self.targets = [self.time.function(row.name, row.target) for row in layout.rows]
        self.shifts = [self.time.function(f"load {law.load!r}", law.shift) for law in layout.laws]
        self.formulas = [
            self.time.formula(law.force.program) if isinstance(law.force, FormulaLaw) else -1 for law in layout.laws
        ]
        self.times = [self.time.function("the time function of a load", load.time) for load in layout.loads]


class TableWriter(FunctionsOfTime):
    """Tables and scratch memory of a mechanism, for full or sparse matrices."""

    def __init__(self, layout: MechanismLayout, sparse: bool) -> None:
        super().__init__(layout)
        self.layout, self.sparse = layout, sparse
        weights = [
            spread(beam.mesh.elements, len(beam.nodes), layout.gravity[: beam.mesh.dim], per_mass=True)
            for beam in layout.beams
        ]
        self.beams = BeamWriter(layout.elements, np.concatenate([np.zeros(0), *weights]), layout.spreads, self.time)
        self.flexible = FlexibleWriter([part.reduced for part in layout.flexible], layout.members)
        self.tables = self._tables()
        sizes = self.time.scratch_sizes() | self.flexible.scratch_sizes()
        sizes |= {"poses": layout.ground + 1, "measures": len(layout.words)}
        self.scratch = (
            Scratch(**sizes) if layout.hulls is None else MeshedScratch(**sizes, **layout.hulls.scratch_sizes())
        )
        self.scratch.poses.fill(R=[np.eye(3)] * (layout.ground + 1))

    def _tables(self) -> Tables:
        layout, sparse = self.layout, self.sparse
        readers = [m for m, word in enumerate(layout.words) if word.key in layout.counted]
        sizes = {
            "bodies": layout.ground,
            "measures": len(layout.words),
            "rows": len(layout.rows),
            "terms": sum(len(row.terms) for row in layout.rows),
            "laws": len(layout.laws),
            "inputs": sum(len(law.inputs) for law in layout.laws),
            "loads": len(layout.loads),
            "turns": len(layout.angles),
            "readers": len(readers),
            "rod_elements": len(layout.rod_ends),
            "point_elements": len(layout.rod_points),
            **self.beams.sizes(),
            **self.flexible.sizes(),
            **self.time.sizes(),
        }
        tables = Tables(**sizes) if layout.hulls is None else MeshedTables(**sizes, **layout.hulls.table_sizes())
        tables.ground, tables.nodal, tables.cayley = layout.ground, layout.nodal, int(layout.cayley)
        tables.holonomic = sum(row.holonomic for row in layout.rows)
        tables.J_size = layout.pattern.size(sparse)
        tables.G_size = layout.sparsity.G_columns.size if sparse else len(layout.rows) * layout.nv
        tables.load_factor, tables.gravity = 1.0, layout.gravity
        self._write_bodies(tables)
        self._write_measures(tables)
        self._write_rows(tables)
        if layout.hulls is not None and isinstance(tables, MeshedTables):
            layout.hulls.write(tables, layout.number)
        self._write_laws(tables)
        self._write_turns(tables, readers)
        tables.loads.fill(
            kind=[load.kind for load in layout.loads],
            body=[layout.number[load.body] for load in layout.loads],
            time=self.times,
            vector=[load.vector for load in layout.loads],
            point=[load.point for load in layout.loads],
            coefficient=[load.coefficient for load in layout.loads],
        )
        self.beams.write(tables.beams, layout.pattern, sparse)
        write_rods(self, tables)
        self.flexible.write(tables.flexible, layout.first_q, layout.pattern, sparse)
        self.time.write(tables.time)
        return tables

    def _block(self, i: int, j: int) -> int:
        return self.layout.pattern.block(i, j, self.sparse)

    def blocks(self, rows: tuple[int, ...], columns: tuple[int, ...]) -> list[list[int]]:
        """First entries of the blocks between two groups of bodies."""
        return [[self._block(i, j) for j in columns] for i in rows]

    def _write_bodies(self, tables: Tables) -> None:
        layout, held = self.layout, self.layout.held_nodes()
        tables.bodies.fill(
            kind=[
                UNHELD if body.of_beam and k not in held else _KINDS[body.kind] for k, body in enumerate(layout.bodies)
            ],
            first_q=layout.first_q[:-1],
            first_v=layout.first_v[:-1],
            freedom=np.diff(layout.first_v),
            columns=[_COLUMNS[body.kind] for body in layout.bodies],
            block=[self._block(k, k) for k in range(layout.ground)],
            stride=[layout.pattern.stride(k, self.sparse) for k in range(layout.ground)],
            mass=[body.mass for body in layout.bodies],
            inertia=[body.inertia for body in layout.bodies],
        )

    def _write_measures(self, tables: Tables) -> None:
        layout = self.layout
        pairs = [layout.bodies_of(word) for word in layout.words]
        tables.measures.fill(
            kind=[word.kind for word in layout.words],
            counted=[int(word.key in layout.counted) for word in layout.words],
            bodies=pairs,
            blocks=[self.blocks(pair, pair) for pair in pairs],
            word=[word.numbers for word in layout.words],
        )

    def _write_rows(self, tables: Tables) -> None:
        layout = self.layout
        counts = [len(row.terms) for row in layout.rows]
        tables.rows.fill(
            first_term=np.cumsum([0, *counts])[:-1], terms=counts, target=self.targets, coincident=layout.coincidences()
        )
        terms = [(r, weight, word) for r, row in enumerate(layout.rows) for weight, word in row.terms]
        tables.terms.fill(
            measure=range(len(terms)),
            places=[self._places(r, word) for r, _, word in terms],
            weight=[weight for _, weight, _ in terms],
        )

    def _places(self, r: int, word: Word) -> list[int]:
        """First entries of the bodies of a word in row r of G."""
        layout, found = self.layout, []
        for k in layout.bodies_of(word):
            if k == layout.ground:
                found.append(-1)
            elif not self.sparse:
                found.append(r * layout.nv + int(layout.first_v[k]))
            else:
                before = sum(int(layout.pattern.widths[j]) for j in layout.row_bodies(layout.rows[r]) if j < k)
                found.append(int(layout.sparsity.G_starts[r]) + before)
        return found

    def _write_laws(self, tables: Tables) -> None:
        first = sum(len(row.terms) for row in self.layout.rows)  # their measures come behind those of rows
        named, item = first + len(self.layout.laws), 0  # those of inputs come last
        for k, law in enumerate(self.layout.laws):
            data = tables.laws[k]
            data.measure, data.shift, data.formula = first + k, self.shifts[k], self.formulas[k]
            data.first_input, data.inputs = item, len(law.inputs)
            self._write_law(law, data)
            for given in law.inputs:
                data_of_input: InputData = tables.inputs[item]
                item += 1
                if given.word is None:
                    data_of_input.meaning = TIME
                    continue
                data_of_input.meaning, data_of_input.measure = RATE_OF if given.rate else VALUE_OF, named
                bodies, others = self.layout.bodies_of(law.word), self.layout.bodies_of(given.word)
                data_of_input.blocks = self.blocks(bodies, others)
                named += 1

    def _write_law(self, law: Law, data: LawData) -> None:
        """Kind and numbers of a law, and the rows whose reaction it uses."""
        data.kind = law.kind
        if law.joint is not None:
            data.first_row, data.rows = self.layout.reactions[law.joint]
        if not isinstance(law.force, FormulaLaw):
            for name, value in asdict(law.force).items():
                setattr(data, name, value)

    def _write_turns(self, tables: Tables, readers: list[int]) -> None:
        layout = self.layout
        words, first = [angle.word for angle in layout.angles], int(layout.first_q[-1])
        pairs = [layout.bodies_of(word) for word in words]
        tables.turns.fill(
            kind=[word.kind for word in words],
            place=range(first, first + len(words)),
            is_read=[int(angle.read) for angle in layout.angles],
            bodies=pairs,
            rotations=[[self._rotation_in_v(k) for k in pair] for pair in pairs],
            word=[word.numbers for word in words],
        )
        tables.readers.fill(measure=readers, place=[first + layout.counted[layout.words[m].key] for m in readers])

    def _rotation_in_v(self, k: int) -> int:
        """Where the rotation vector of body k is in an increment; −1 for the ground, −2 where there
        is none."""
        layout = self.layout
        if k == layout.ground:
            return -1
        return int(layout.first_v[k]) + 3 if layout.bodies[k].kind == "spatial" and not layout.cayley else -2
