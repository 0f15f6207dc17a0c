"""Writes the tables of convex bodies that touch (isodyn.joints.hull_tables)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from isodyn.joints.hull_pairs import HullPair
from isodyn.joints.hulls import Hull
from isodyn.kernels.compiled import IntArray
from isodyn.multibody.meshed import MeshedTables


@dataclass(frozen=True, eq=False)
class HullRows:
    """Pairs of convex bodies, and of each row of contacts its pair (−1: none), its touch, and the
    way along which it measures: 0 the normal, 1 and 2 tangents."""

    pairs: tuple[HullPair, ...]
    pair_of: IntArray
    touch_of: IntArray
    way_of: IntArray

    @property
    def hulls(self) -> list[Hull]:
        """Two of each pair."""
        return [hull for pair in self.pairs for hull in (pair.first, pair.second)]

    @property
    def touches(self) -> int:
        """Of all pairs."""
        return sum(pair.touches for pair in self.pairs)

    def table_sizes(self) -> dict[str, int]:
        """Sizes of the tables."""
        hulls = self.hulls
        return {
            "hulls": len(hulls),
            "hull_pairs": len(self.pairs),
            "hull_corners": sum(len(hull.corners) for hull in hulls),
            "hull_faces": sum(len(hull.loops) for hull in hulls),
            "hull_loops": sum(loop.size for hull in hulls for loop in hull.loops),
            "hull_edges": sum(len(hull.sides[0]) for hull in hulls),
        }

    def scratch_sizes(self) -> dict[str, int]:
        """Sizes of the memory."""
        sizes = self.table_sizes()
        found = {name: sizes[name] for name in ("hull_pairs", "hull_corners", "hull_faces")}
        return found | {"touches": self.touches, "hull_widest": max(hull.widest for hull in self.hulls)}

    def write(self, tables: MeshedTables, number: Mapping[str, int]) -> None:
        """Into the tables of a mechanism, whose bodies have these numbers and whose rows are
        written."""
        tables.pair_of, tables.touch_of, tables.way_of = self.pair_of, self.touch_of, self.way_of
        own, hulls = tables.hulls, self.hulls
        corners = np.cumsum([0, *(len(hull.corners) for hull in hulls)])
        faces = np.cumsum([0, *(len(hull.loops) for hull in hulls)])
        edges = np.cumsum([0, *(len(hull.sides[0]) for hull in hulls)])
        own.hulls.fill(
            first_corner=corners[:-1],
            corners=np.diff(corners),
            first_face=faces[:-1],
            faces=np.diff(faces),
            first_edge=edges[:-1],
            edges=np.diff(edges),
            size=[hull.size for hull in hulls],
        )
        own.corners = np.concatenate([hull.corners for hull in hulls])
        own.normals = np.concatenate([hull.normals for hull in hulls])
        own.offsets = np.concatenate([hull.offsets for hull in hulls])
        own.tangents = np.concatenate([hull.tangents for hull in hulls])
        loops = [first + loop for first, hull in zip(corners, hulls, strict=False) for loop in hull.loops]
        own.loops = np.concatenate(loops)
        many = np.array([loop.size for loop in loops])
        own.around = np.column_stack([np.cumsum(many) - many, many])
        sides = zip(corners, faces, (hull.sides for hull in hulls), strict=False)
        own.edges = np.concatenate([np.column_stack([a + ends, f + beside]) for a, f, (ends, beside) in sides])
        self._write_pairs(tables, number)

    def _write_pairs(self, tables: MeshedTables, number: Mapping[str, int]) -> None:
        first_rows = [int(np.flatnonzero(self.pair_of == k)[0]) for k in range(len(self.pairs))]
        many = np.array([pair.touches for pair in self.pairs])
        tables.hulls.pairs.fill(
            bodies=[[number[name] for name in pair.bodies] for pair in self.pairs],
            hulls=np.arange(2 * len(self.pairs)).reshape(-1, 2),
            first_touch=np.cumsum(many) - many,
            touches=many,
            measure=[int(tables.terms[int(tables.rows[row].first_term)].measure) for row in first_rows],
            radius=[pair.radius for pair in self.pairs],
            size=[pair.size for pair in self.pairs],
        )
