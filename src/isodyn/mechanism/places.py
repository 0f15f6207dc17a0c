"""Which components of v and which entries of J belong to the bodies of a measure."""

from __future__ import annotations

from isodyn.compiled import FloatArray, IntArray, kernel
from isodyn.joints.measures import PARAMETERS, POSE, measure, rest, stiffness
from isodyn.mechanism.layout import (
    BODIES,
    BODY,
    COLUMNS,
    F_MEASURE,
    F_POSE,
    F_WORK,
    FIRST_V,
    I_BODY,
    I_MEASURE,
    MEASURE,
    STRIDE,
)


@kernel()
def measure_of(m: int, g: int, pf: FloatArray, pi: IntArray) -> float:
    """Measure m; its gradient at place g of the scratch memory."""
    n, poses = pi[I_MEASURE] + MEASURE * m, pi[F_POSE]
    return measure(
        pi[n], pf, poses + POSE * pi[n + 1], poses + POSE * pi[n + 2], pi[F_MEASURE] + PARAMETERS * m, pi[F_WORK] + g
    )


@kernel()
def rest_of(m: int, pf: FloatArray, pi: IntArray) -> float:
    """The rest h of measure m."""
    n, poses = pi[I_MEASURE] + MEASURE * m, pi[F_POSE]
    return rest(
        pi[n], pf, poses + POSE * pi[n + 1], poses + POSE * pi[n + 2], pi[F_MEASURE] + PARAMETERS * m, pi[F_WORK]
    )


@kernel()
def stiffness_of(m: int, pf: FloatArray, pi: IntArray) -> None:
    """The stiffness of measure m, in its place of the scratch memory."""
    n, poses = pi[I_MEASURE] + MEASURE * m, pi[F_POSE]
    stiffness(pi[n], pf, poses + POSE * pi[n + 1], poses + POSE * pi[n + 2], pi[F_MEASURE] + PARAMETERS * m, pi[F_WORK])


@kernel()
def add_to_body(body: int, g: int, f: float, pf: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """out += f g in the components of a body, g being six numbers of pf."""
    if body == pi[BODIES]:
        return
    b = pi[I_BODY] + BODY * body
    first = pi[b + FIRST_V]
    for k in range(6):
        column = pi[b + COLUMNS + k]
        if column >= 0:
            out[first + column] += f * pf[g + k]


@kernel()
def add_to_bodies(m: int, g: int, f: float, pf: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """out += f g in the components of the bodies of measure m."""
    n = pi[I_MEASURE] + MEASURE * m
    add_to_body(pi[n + 1], pi[F_WORK] + g, f, pf, pi, out)
    add_to_body(pi[n + 2], pi[F_WORK] + g + 6, f, pf, pi, out)


@kernel()
def along(m: int, g: int, v: FloatArray, pf: FloatArray, pi: IntArray) -> float:
    """g·v over the components of the bodies of measure m."""
    n = pi[I_MEASURE] + MEASURE * m
    value = 0.0
    for side in range(2):
        body = pi[n + 1 + side]
        if body == pi[BODIES]:
            continue
        b = pi[I_BODY] + BODY * body
        first, o = pi[b + FIRST_V], pi[F_WORK] + g + 6 * side
        for k in range(6):
            column = pi[b + COLUMNS + k]
            if column >= 0:
                value += pf[o + k] * v[first + column]
    return value


@kernel()
def add_blocks(m: int, K: int, f: float, pf: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """J += f K in the blocks of measure m, K being 12 × 12 in the scratch memory."""
    n, o = pi[I_MEASURE] + MEASURE * m, pi[F_WORK] + K
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
            if block < 0:
                continue
            for i in range(6):
                row = pi[b + COLUMNS + i]
                if row < 0:
                    continue
                for j in range(6):
                    column = pi[d + COLUMNS + j]
                    if column >= 0:
                        out[block + row * stride + column] += f * pf[o + (6 * side + i) * 12 + 6 * other + j]
