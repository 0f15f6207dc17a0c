"""Which components of v and which entries of J belong to the bodies of a measure."""

from __future__ import annotations

from isodyn.joints.measures import GRADIENT, PARAMETERS, POSE, measure, rest, stiffness
from isodyn.kernels.compiled import FloatArray, IntArray, kernel
from isodyn.mechanism.nodes import add_curvature, add_matrix, add_rate_slopes, is_node, part, rest_of_node
from isodyn.parts.layout import (
    BODIES,
    BODY,
    COLUMNS,
    F_MEASURE,
    F_POSE,
    F_WORK,
    FIRST_V,
    FREEDOM,
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
    """The rest h of measure m, whose gradient is in its place of the scratch memory."""
    n, poses = pi[I_MEASURE] + MEASURE * m, pi[F_POSE]
    h = rest(pi[n], pf, poses + POSE * pi[n + 1], poses + POSE * pi[n + 2], pi[F_MEASURE] + PARAMETERS * m, pi[F_WORK])
    for side in range(2):
        if is_node(pi[n + 1 + side], pi):
            h += rest_of_node(pi[n + 1 + side], pi[F_WORK] + GRADIENT + 6 * side, pf, pi)
    return h


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
    if is_node(body, pi):
        for k in range(pi[b + FREEDOM]):
            out[first + k] += f * part(body, k, g, pf, pi)
        return
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
        if is_node(body, pi):
            for k in range(pi[b + FREEDOM]):
                value += part(body, k, o, pf, pi) * v[first + k]
            continue
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
            if is_node(pi[n + 1 + side], pi) or is_node(pi[n + 1 + other], pi):
                add_matrix(pi[n + 1 + side], pi[n + 1 + other], block, o + 72 * side + 6 * other, f, pf, pi, out)
                continue
            for i in range(6):
                row = pi[b + COLUMNS + i]
                if row < 0:
                    continue
                for j in range(6):
                    column = pi[d + COLUMNS + j]
                    if column >= 0:
                        out[block + row * stride + column] += f * pf[o + (6 * side + i) * 12 + 6 * other + j]


@kernel()
def has_nodes(m: int, pi: IntArray) -> bool:
    """Whether measure m is one of a node of a beam."""
    n = pi[I_MEASURE] + MEASURE * m
    return is_node(pi[n + 1], pi) or is_node(pi[n + 2], pi)


@kernel()
def add_curvatures(m: int, f: float, pf: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """J += f ∂Tᵀ/∂q g of measure m, whose gradient g is in its place of the scratch memory."""
    n, g = pi[I_MEASURE] + MEASURE * m, pi[F_WORK] + GRADIENT
    for side in range(2):
        if is_node(pi[n + 1 + side], pi):
            torque = (pf[g + 6 * side + 3], pf[g + 6 * side + 4], pf[g + 6 * side + 5])
            add_curvature(pi[n + 1 + side], torque, f, pf, pi, out)


@kernel()
def add_slopes_of_rate(m: int, f: float, pf: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """J += f (Tᵀg)(∂(T v)/∂q)ᵀg of measure m, whose gradient g is in its place of the scratch
    memory."""
    n, g = pi[I_MEASURE] + MEASURE * m, pi[F_WORK] + GRADIENT
    for other in range(2):
        if not is_node(pi[n + 1 + other], pi):
            continue
        for side in range(2):
            block = pi[n + 3 + 2 * side + other]
            if pi[n + 1 + side] < pi[BODIES] and block >= 0:
                add_rate_slopes(pi[n + 1 + side], g + 6 * side, pi[n + 1 + other], g + 6 * other, block, f, pf, pi, out)
