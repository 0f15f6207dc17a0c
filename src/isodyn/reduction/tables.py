"""Numbers of a reduced model, laid out as isodyn.reduction.layout says."""

from __future__ import annotations

from typing import Any

import numpy as np

from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.reduction import layout as at
from isodyn.reduction.embedding import Embedding
from isodyn.systems.model import Model


def lay_out(
    model: Model, embedding: Embedding, m: int, rows: IntArray, mass: FloatArray | None = None
) -> at.ReducedNumbers:
    """Scratch around the memory of a model with m rows; `mass` where the model brings no inertia
    of its own."""
    nq, nv = (embedding.columns.size + others.size for others in (embedding.others_q, embedding.others_v))
    J_starts, J_columns, G_starts, G_columns = _patterns(model, nv, m)
    header = np.zeros(at.HEADER, dtype=np.int64)
    header[[at.NQ, at.NV, at.R, at.M_FULL, at.M_LEFT, at.HAS_MASS]] = (
        nq,
        nv,
        embedding.V.shape[1],
        m,
        rows.size,
        mass is not None,
    )
    ints: dict[int, Any] = {
        at.I_PLACE_V: _places(nv, embedding.columns, embedding.others_v),
        at.I_PLACE_Q: _places(nq, embedding.columns, embedding.others_q),
        at.I_ROWS: rows,
        at.I_J_STARTS: J_starts,
        at.I_J_COLUMNS: J_columns,
        at.I_G_STARTS: G_starts,
        at.I_G_COLUMNS: G_columns,
    }
    values = max(J_columns.size, G_columns.size, nq, m)
    floats: dict[int, Any] = {
        at.F_V: embedding.V.ravel(),
        at.F_MEAN: embedding.mean,
        at.F_MASS: np.zeros(0) if mass is None else mass.ravel(),
        at.F_Q: np.zeros(nq),
        at.F_VEL: np.zeros(nv),
        at.F_ACC: np.zeros(nv),
        at.F_FORCE: np.zeros(nv),
        at.F_LAM: np.zeros(m),
        at.F_VALUES: np.zeros(values),
        at.F_PRODUCT: np.zeros(embedding.nv),
    }
    end = at.HEADER
    for key, entries in ints.items():
        header[key] = end
        end += entries.size
    end = 0
    for key, numbers in floats.items():
        header[key] = end
        end += numbers.size
    pi, pf = np.concatenate([header, *ints.values()]), np.concatenate([*floats.values()])
    inner = {"full_tables": model.tables.words, "full_scratch": model.scratch.words}
    found = at.ReducedNumbers(reals=pf.size, integers=pi.size, **{name: words.size for name, words in inner.items()})
    found.pf, found.pi = pf, pi
    for name, words in inner.items():
        setattr(found, name, words)
    return found


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
