"""Contacts of convex bodies beside the others of a mechanism (isodyn.multibody.meshed)."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from isodyn.joints.unilateral import Gap
from isodyn.kernels.compiled import KNOWS_LEVELS, FloatArray, IntArray
from isodyn.mechanism.hull_writer import HullRows
from isodyn.mechanism.system import MechanismSystem
from isodyn.multibody.meshed import meet, meshed_model
from isodyn.systems.model import Met, Model

if TYPE_CHECKING:
    from isodyn.multibody.meshed import MeshedScratch, MeshedTables


@dataclass(frozen=True, eq=False, repr=False)
class MeshTwin(MechanismSystem):
    """Rows of contacts, those of convex bodies among them."""

    def model(self) -> Model:
        """It can choose where bodies touch."""
        return that_meets(super().model(), self.hulls)

    def dense_model(self) -> Model:
        """The same with full matrices."""
        return that_meets(super().dense_model(), self.hulls)

    @property
    def hulls(self) -> HullRows:
        """Pairs of convex bodies, and their rows."""
        found = self.layout.hulls
        assert found is not None
        return found


def that_meets(model: Model, rows: HullRows) -> Model:
    """The model of contacts that chooses in its own memory where bodies touch."""
    tables, scratch = cast("MeshedTables", model.tables), cast("MeshedScratch", model.scratch)
    gaps = gap_of_touches(rows)

    def choose(q: FloatArray, v: FloatArray, first: bool = False) -> Met:
        moved = np.zeros(rows.touches, dtype=np.int64)
        missed = meet(q, v, int(first), tables, scratch, moved)
        return Met(gaps[moved == 1], bool(missed))

    return replace(model, meet=choose)


def gap_of_touches(rows: HullRows) -> IntArray:
    """The rows that are gaps, touch by touch."""
    return np.flatnonzero((rows.touch_of >= 0) & (rows.way_of == 0))


def with_meshes(base: MechanismSystem, gaps: list[Gap]) -> MechanismSystem:
    """The same contacts, whose gaps are known now to be of convex bodies."""
    rows = rows_of_pairs(gaps)
    if not rows.pairs:
        return base
    layout = replace(base.layout, hulls=rows)
    tables, scratch = layout.build(sparse=False)
    given: dict[str, Any] = {f.name: getattr(base, f.name) for f in fields(base)}
    given |= {"function": meshed_model, "traits": base.traits & ~KNOWS_LEVELS}
    return MeshTwin(**given | {"layout": layout, "tables": tables, "scratch": scratch})


def rows_of_pairs(gaps: list[Gap]) -> HullRows:
    """Which rows of all gaps and then of all slips belong to which pairs of convex bodies."""
    pairs = list({id(gap.pair): gap.pair for gap in gaps if gap.pair is not None}.values())
    number = {id(pair): k for k, pair in enumerate(pairs)}
    touch, of_gaps = 0, []
    for gap in gaps:
        of_gaps.append((-1, -1) if gap.pair is None else (number[id(gap.pair)], touch))
        touch += gap.pair is not None
    found = [(*own, 0) for own in of_gaps]
    found += [(*own, k + 1) for own, gap in zip(of_gaps, gaps, strict=True) for k in range(len(gap.slips))]
    return HullRows(tuple(pairs), *np.array(found, dtype=np.int64).reshape(-1, 3).T.copy())
