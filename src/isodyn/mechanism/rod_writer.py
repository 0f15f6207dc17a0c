"""Writes the tables of rods (isodyn.beams.rod_tables)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isodyn.kernels.compiled import FloatArray
from isodyn.mechanism.point_rod_part import PointRodPart
from isodyn.multibody.tables import Tables

if TYPE_CHECKING:
    from isodyn.mechanism.table_writer import TableWriter


def write_rods(writer: TableWriter, tables: Tables) -> None:
    """Elements of all rods."""
    layout = writer.layout
    tables.rods.damped = int(any(max(rod.section.times) > 0 for rod in layout.rods))
    exact = [rod for rod in layout.rods if not isinstance(rod, PointRodPart)]
    rods = [(rod, L, h) for rod in exact for L, h in zip(rod.lengths, rod.unstrained, strict=True)]
    tables.rods.elements.fill(
        bodies=layout.rod_ends,
        blocks=[writer.blocks(pair, pair) for pair in layout.rod_ends],
        length=[L for _, L, _ in rods],
        sixth=[rod.section.rhoA * L / 6 if rod.mass == "consistent" else 0.0 for rod, L, _ in rods],
        unstrained=[h for _, _, h in rods],
        stiffness=[rod.section.stiffness / L for rod, L, _ in rods],
        damping=[damping_of(rod.section.stiffness, np.repeat(rod.section.times, (3, 3))) / L for rod, L, _ in rods],
    )
    points = [rod for rod in layout.rods if isinstance(rod, PointRodPart)]
    pieces = [(rod, float(L), e) for rod in points for L, e in zip(rod.lengths, rod.unstrained, strict=True)]
    tables.rods.between_points.fill(
        bodies=layout.rod_points,
        blocks=[writer.blocks(six, six) for six in layout.rod_points],
        forms=[rod.forms(L) for rod, L, _ in pieces],
        unstrained=[e for _, _, e in pieces],
        stiffness=[rod.stiffness(L) for rod, L, _ in pieces],
        damping=[damping_of(rod.stiffness(L), rod.times()) for rod, L, _ in pieces],
        mass=[rod.coupled_mass(L) for rod, L, _ in pieces],
    )


def damping_of(C: FloatArray, times: FloatArray) -> FloatArray:
    """Kelvin and Voigt's damping of a section: C times the times, symmetric and not negative."""
    root = np.sqrt(times)
    return np.asarray(root[:, None] * C * root)
