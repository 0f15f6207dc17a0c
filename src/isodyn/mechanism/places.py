"""Which components of v and which entries of J belong to the bodies of a measure."""

from __future__ import annotations

from isodyn.compiled import FloatArray, IntArray, kernel
from isodyn.joints.measures import PARAMETERS, POSE
from isodyn.mechanism.layout import (
    BODIES,
    BODY,
    COLUMNS,
    F_MEASURE,
    F_POSE,
    FIRST_V,
    I_BODY,
    I_MEASURE,
    MEASURE,
    STRIDE,
)


@kernel()
def pose_of(body: int, pf: FloatArray, pi: IntArray) -> FloatArray:
    """The pose of a body; the ground has the number behind the last one."""
    o = pi[F_POSE] + POSE * body
    return pf[o : o + POSE]


@kernel()
def numbers_of(k: int, pf: FloatArray, pi: IntArray) -> FloatArray:
    """Points and axes of measure k."""
    o = pi[F_MEASURE] + PARAMETERS * k
    return pf[o : o + PARAMETERS]


@kernel()
def add_to_bodies(i: int, j: int, g: FloatArray, f: float, pi: IntArray, out: FloatArray) -> None:
    """out += f g in the components of bodies i and j."""
    for side in range(2):
        body = i if side == 0 else j
        if body == pi[BODIES]:
            continue
        b = pi[I_BODY] + BODY * body
        first = pi[b + FIRST_V]
        for k in range(6):
            column = pi[b + COLUMNS + k]
            if column >= 0:
                out[first + column] += f * g[6 * side + k]


@kernel()
def along(i: int, j: int, g: FloatArray, v: FloatArray, pi: IntArray) -> float:
    """g·v over the components of bodies i and j."""
    value = 0.0
    for side in range(2):
        body = i if side == 0 else j
        if body == pi[BODIES]:
            continue
        b = pi[I_BODY] + BODY * body
        first = pi[b + FIRST_V]
        for k in range(6):
            column = pi[b + COLUMNS + k]
            if column >= 0:
                value += g[6 * side + k] * v[first + column]
    return value


@kernel()
def add_blocks(m: int, K: FloatArray, f: float, pi: IntArray, out: FloatArray) -> None:
    """J += f K in the blocks of measure m, K being 12 × 12."""
    n = pi[I_MEASURE] + MEASURE * m
    for side in range(2):
        if pi[n + 1 + side] == pi[BODIES]:
            continue
        b = pi[I_BODY] + BODY * pi[n + 1 + side]
        stride = pi[b + STRIDE]
        for other in range(2):
            if pi[n + 1 + other] == pi[BODIES]:
                continue
            d = pi[I_BODY] + BODY * pi[n + 1 + other]
            block = pi[n + 3 + 2 * side + other]
            for i in range(6):
                row = pi[b + COLUMNS + i]
                if row < 0:
                    continue
                for j in range(6):
                    column = pi[d + COLUMNS + j]
                    if column >= 0:
                        out[block + row * stride + column] += f * K[(6 * side + i) * 12 + 6 * other + j]
