"""From frames to velocities: what a part does along the frames (ṙ, ω) of one or two bodies, in the
places of their velocities.

    T v = (ṙ, ω),     forces Tᵀg,     rows g·T,     g·(r̈, ω̇) = g·T a + rest
    ∂(Tᵀg)/∂v = TᵀB_v T,     ∂(Tᵀg)/∂q = Tᵀ(B_q T + B_v ∂(T v)/∂q) + (∂Tᵀ/∂q) g

with B_v and B_q the changes of g along rates and increments of the frames. T is the identity for
bodies; nodes of beams: isodyn.multibody.nodes. Gradients have six numbers for each side, as those
of measures.
"""

from __future__ import annotations

from isodyn.joints.measures import W_I
from isodyn.kernels.compiled import FloatArray, IntArray, kernel
from isodyn.multibody.nodes import add_curvature, component, is_node, part, rate_slope, rest_of_node
from isodyn.multibody.places import add_matrix, add_to_body
from isodyn.multibody.tables import Scratch, Tables


@kernel()
def add_wrench(numbers: IntArray, g: FloatArray, f: float, tables: Tables, scratch: Scratch, out: FloatArray) -> None:
    """out += f Tᵀg of the bodies with these numbers."""
    for side in range(numbers.size):
        add_to_body(numbers[side], g, side, f, tables, scratch, out)


@kernel()
def along_accelerations(numbers: IntArray, g: FloatArray, a: FloatArray, tables: Tables, scratch: Scratch) -> float:
    """g·(r̈, ω̇)."""
    value = 0.0
    for side in range(numbers.size):
        k = numbers[side]
        if k == tables.ground:
            continue
        body = tables.bodies[k]
        for n in range(body.freedom):
            value += part(body, scratch.poses[k], n, g, side) * a[body.first_v + n]
        if is_node(k, tables):
            value += rest_of_node(scratch.poses[k], g, side)
    return value


@kernel()
def add_wrench_slopes(
    numbers: IntArray,
    g: FloatArray,
    by_v: FloatArray,
    by_q: FloatArray,
    weights: tuple[float, float],
    tables: Tables,
    scratch: Scratch,
    n: int,
    out: FloatArray,
) -> None:
    """J += w_v ∂(Tᵀg)/∂v + w_q ∂(Tᵀg)/∂q of these bodies, in a full matrix of n columns."""
    w_v, w_q = weights
    for side in range(numbers.size):
        k = numbers[side]
        if k == tables.ground:
            continue
        for other in range(numbers.size):
            two = numbers[other]
            if two == tables.ground:
                continue
            block = tables.bodies[k].first_v * n + tables.bodies[two].first_v
            add_matrix(k, two, block, by_v, 6 * side, 6 * other, w_v, tables, scratch, out)
            add_matrix(k, two, block, by_q, 6 * side, 6 * other, w_q, tables, scratch, out)
            if is_node(two, tables):
                _add_turning(k, two, by_v, (side, other), w_q, tables, scratch, n, out)
        if is_node(k, tables):
            o = 6 * side + W_I
            add_curvature(tables.bodies[k], scratch.poses[k], (g[o], g[o + 1], g[o + 2]), w_q, out)


@kernel()
def _add_turning(
    k: int,
    node: int,
    by_v: FloatArray,
    sides: tuple[int, int],
    w_q: float,
    tables: Tables,
    scratch: Scratch,
    n: int,
    out: FloatArray,
) -> None:
    """J += w_q Tᵀ B_v ∂(T v)/∂q of a node, in the rows of body k."""
    side, other = sides
    row = 6 * side
    body, turned = tables.bodies[k], tables.bodies[node]
    for i in range(body.freedom):
        one, w, two, u = component(body, scratch.poses[k], i)
        for j in range(turned.freedom):
            slope = w * rate_slope(turned, scratch.poses[node], j, by_v[row + one], other)
            slope += u * rate_slope(turned, scratch.poses[node], j, by_v[row + two], other)
            out[(body.first_v + i) * n + turned.first_v + j] += w_q * slope
