"""Named memory of a reduced model (isodyn.kernels.struct), around that of the full one."""

from __future__ import annotations

import numpy as np

from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.kernels.struct import Struct, integers, reals
from isodyn.reduction.embedding import Embedding
from isodyn.systems.model import Model


class ReducedTables(Struct):
    """How reduced coordinates stand in the full ones, and the words of the full model's tables."""

    # of each full coordinate its row in V, or −1 − its number among the others
    place_q, place_v = integers("nq"), integers("nv")
    V, mean = reals("reduced", "r"), reals("reduced")
    rows = integers("rows")  # those of the full model that are left
    J_starts, J_columns = integers("J_rows"), integers("J_values")  # patterns of the full model
    G_starts, G_columns = integers("G_rows"), integers("G_values")
    mass = reals("n", "n")  # M̂, where the full model brings no inertia of its own; empty otherwise
    full = integers("full")


class ReducedScratch(Struct):
    """A lifted state, answers of the full model, a row of J T or G T; the words of the full model's
    scratch."""

    q, v, a, lam = reals("nq"), reals("nv"), reals("nv"), reals("m")
    force, answer, product = reals("nv"), reals("answer"), reals("n")
    full = integers("full")


def lay_out(
    model: Model, embedding: Embedding, m: int, rows: IntArray, mass: FloatArray | None = None
) -> tuple[ReducedTables, ReducedScratch]:
    """Memory around that of a model with m rows; `mass` where the model brings no inertia of its
    own."""
    nq, nv = (embedding.columns.size + others.size for others in (embedding.others_q, embedding.others_v))
    J_starts, J_columns, G_starts, G_columns = _patterns(model, nv, m)
    tables = ReducedTables.filled(
        place_q=_places(nq, embedding.columns, embedding.others_q),
        place_v=_places(nv, embedding.columns, embedding.others_v),
        V=embedding.V,
        mean=embedding.mean,
        rows=rows,
        J_starts=J_starts,
        J_columns=J_columns,
        G_starts=G_starts,
        G_columns=G_columns,
        mass=np.zeros((0, 0)) if mass is None else mass,
        full=model.tables.words,
    )
    longest = max(J_columns.size, G_columns.size, nq, m)
    scratch = ReducedScratch(nq=nq, nv=nv, m=m, answer=longest, n=embedding.nv, full=model.scratch.words.size)
    scratch.full = model.scratch.words
    return tables, scratch


def _places(n: int, columns: IntArray, others: IntArray) -> IntArray:
    """Row of V of every coordinate, −1 − its number for one of the others."""
    places = np.zeros(n, dtype=np.int64)
    places[columns] = np.arange(columns.size)
    places[others] = -1 - np.arange(others.size)
    return places


def _patterns(model: Model, n: int, m: int) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Starts and columns of J and of G; every entry of full matrices."""
    if model.sparsity is not None:
        s = model.sparsity
        return s.J_starts, s.J_columns, s.G_starts, s.G_columns
    line = np.arange(n)
    return np.arange(n + 1) * n, np.tile(line, n), np.arange(m + 1) * n, np.tile(line, m)
