"""The constraints along all rows of a solution in one compiled pass (isodyn.results.balance has the
formulas)."""

from __future__ import annotations

import math

import numpy as np

from isodyn.kernels.compiled import (
    ACCELERATION,
    CONSTRAINT,
    F2,
    MODEL_TYPE,
    OK,
    POSITION,
    VELOCITY,
    F,
    FloatArray,
    ModelFunction,
    i8,
    kernel,
)
from isodyn.kernels.struct import Struct, StructAddress, integer, integers, real, reals
from isodyn.kernels.struct_types import ADDRESS, StructType
from isodyn.systems.scales import HALF


class Measures(Struct):
    """What drift is measured in, and memory for one row."""

    holonomic, known = integer, integer  # how many rows are; whether sizes of rows are known
    fast, hard = real, real  # the largest v and a, in typical sizes
    size_q, size_v = reals("nq"), reals("nv")
    rows = reals("m")  # sizes of rows: the known ones, or those of the present G
    G, gap, c = reals("entries"), reals("m"), reals(4)
    starts, columns = integers("starts"), integers("columns")  # of a sparse G


MEASURES = StructType(Measures)


@kernel()
def largest(x: FloatArray, sizes: FloatArray, n: int) -> float:
    """Largest |x_i|/s_i of the first n; NaN where one is."""
    found = 0.0
    for i in range(n):
        value = abs(x[i]) / sizes[i]
        if not value <= found:
            found = value
            if np.isnan(found):
                return found
    return found


@kernel()
def near_power_of_two(x: float) -> float:
    """The power of two nearest to x > 0, on a logarithmic scale."""
    mantissa, exponent = math.frexp(x)
    return math.ldexp(1.0, exponent - 1 if mantissa < HALF else exponent)


@kernel()
def size_rows(work: Measures) -> None:
    """Sizes of rows from G (isodyn.systems.scales.row_sizes): full, or in a sparse pattern."""
    m, n, most = work.rows.size, work.size_v.size, 0.0
    for k in range(m):
        size = 0.0
        if work.starts.size > 0:
            for e in range(work.starts[k], work.starts[k + 1]):
                size = max(size, abs(work.G[e]) * work.size_v[work.columns[e]])
        else:
            for j in range(n):
                size = max(size, abs(work.G[k * n + j]) * work.size_v[j])
        work.rows[k] = size if np.isfinite(size) else 0.0
        most = max(most, work.rows[k])
    other = near_power_of_two(most) if most > 0.0 else 1.0
    for k in range(m):
        work.rows[k] = near_power_of_two(work.rows[k]) if work.rows[k] > 0.0 else other


@kernel(i8(MODEL_TYPE, ADDRESS, ADDRESS, F, F2, F2, F2, F2, MEASURES, F2))
def drift_of_rows(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    t: FloatArray,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    lam: FloatArray,
    work: Measures,
    levels: FloatArray,
) -> int:
    """The three levels of every row into `levels`."""
    m, holonomic = work.rows.size, work.holonomic
    for i in range(t.size):
        if work.known == 0:
            status = model(CONSTRAINT, t[i], q[i], v[i], a[i], lam[i], work.c, tables, scratch, work.G)
            if status != OK:
                return status
            size_rows(work)
        for level in range(0 if holonomic > 0 else 1, 3):
            what = POSITION if level == 0 else VELOCITY if level == 1 else ACCELERATION
            status = model(what, t[i], q[i], v[i], a[i], lam[i], work.c, tables, scratch, work.gap)
            if status != OK:
                return status
            unit = work.fast if level == 1 else work.hard
            if level == 0:
                unit = max(1.0, largest(q[i], work.size_q, q.shape[1]))
            levels[level, i] = largest(work.gap, work.rows, holonomic if level == 0 else m) / unit
    return OK


@kernel(i8(MODEL_TYPE, ADDRESS, ADDRESS, F, F2, F2, F2, F2, F, F, F))
def gaps_of_rows(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    t: FloatArray,
    q: FloatArray,
    s: FloatArray,
    rate: FloatArray,
    z: FloatArray,
    c: FloatArray,
    gap: FloatArray,
    out: FloatArray,
) -> int:
    """|c(s, z, t)| / max(1, |s|) of first-order systems, row by row."""
    for i in range(t.size):
        status = model(VELOCITY, t[i], q[i], s[i], rate[i], z[i], c, tables, scratch, gap)
        if status != OK:
            return status
        found, size = 0.0, 1.0
        for k in range(gap.size):
            if not abs(gap[k]) <= found:
                found = abs(gap[k])
        for k in range(s.shape[1]):
            size = max(size, abs(s[i, k]))
        out[i] = found / size
    return OK
