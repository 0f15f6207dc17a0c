"""Measures of the tables: their values, and which components of v and entries of J belong to their
bodies."""

from __future__ import annotations

from isodyn.joints.measures import ANGLE, TWIST, W_I, measure, turn_gradient
from isodyn.joints.second_order import rest, stiffness
from isodyn.kernels.compiled import FloatArray, kernel
from isodyn.multibody.nodes import add_curvature, component, is_node, part, rate_slope, rest_of_node
from isodyn.multibody.tables import NODE, MeasureData, Scratch, Tables


@kernel()
def measure_of(m: int, g: FloatArray, tables: Tables, scratch: Scratch) -> float:
    """Measure m, an angle that is counted with its whole turns; its gradient into g."""
    own = tables.measures[m]
    p, q = scratch.poses[own.bodies[0]], scratch.poses[own.bodies[1]]
    if own.counted == 1:
        turn_gradient(own.kind, p, q, own.word, g)
        return scratch.counted[m]
    return measure(own.kind, p, q, own.word, g)


@kernel()
def slope_of(m: int, g: FloatArray, h: FloatArray, tables: Tables, scratch: Scratch) -> None:
    """The derivative of measure m, whose gradient is g, into h. Forces of a turn act along the axis
    of the joint; that is its derivative only where the axes of the two bodies agree."""
    own = tables.measures[m]
    if own.kind == ANGLE:
        turn_gradient(TWIST, scratch.poses[own.bodies[0]], scratch.poses[own.bodies[1]], own.word, h)
        return
    for i in range(12):
        h[i] = g[i]


@kernel()
def rest_of(m: int, tables: Tables, scratch: Scratch) -> float:
    """The rest h of measure m, whose gradient is in its place of the scratch memory."""
    own = tables.measures[m]
    h = rest(own.kind, scratch.poses[own.bodies[0]], scratch.poses[own.bodies[1]], own.word, scratch.measure)
    for side in range(2):
        if is_node(own.bodies[side], tables):
            h += rest_of_node(scratch.poses[own.bodies[side]], scratch.measure.gradient, side)
    return h


@kernel()
def stiffness_of(m: int, tables: Tables, scratch: Scratch) -> None:
    """The stiffness of measure m, in its place of the scratch memory."""
    own = tables.measures[m]
    stiffness(own.kind, scratch.poses[own.bodies[0]], scratch.poses[own.bodies[1]], own.word, scratch.measure)


@kernel()
def add_to_body(k: int, g: FloatArray, side: int, f: float, tables: Tables, scratch: Scratch, out: FloatArray) -> None:
    """out += f g in the components of body k, g being the six numbers of a side of a gradient."""
    if k != tables.ground:
        add_from(tables.bodies[k].first_v, k, g, side, f, tables, scratch, out)


@kernel()
def add_from(
    first: int, k: int, g: FloatArray, side: int, f: float, tables: Tables, scratch: Scratch, out: FloatArray
) -> None:
    """The same where the components of body k begin at `first`."""
    body = tables.bodies[k]
    if body.kind >= NODE:
        for n in range(body.freedom):
            out[first + n] += f * part(body, scratch.poses[k], n, g, side)
        return
    for n in range(6):
        column = body.columns[n]
        if column >= 0:
            out[first + column] += f * g[6 * side + n]


@kernel()
def add_to_bodies(m: int, g: FloatArray, f: float, tables: Tables, scratch: Scratch, out: FloatArray) -> None:
    """out += f g in the components of the bodies of measure m."""
    own = tables.measures[m]
    add_to_body(own.bodies[0], g, 0, f, tables, scratch, out)
    add_to_body(own.bodies[1], g, 1, f, tables, scratch, out)


@kernel()
def add_to_row(r: int, m: int, g: FloatArray, f: float, tables: Tables, scratch: Scratch, out: FloatArray) -> None:
    """out += f g in row r of G, whose terms act between the bodies of measure m."""
    own, row = tables.measures[m], tables.rows[r]
    for side in range(2):
        k = own.bodies[side]
        if k == tables.ground:
            continue
        place = -1
        for j in range(row.first_term, row.first_term + row.terms):
            term = tables.terms[j]
            for other in range(2):
                if tables.measures[term.measure].bodies[other] == k:
                    place = term.places[other]
        if place >= 0:
            add_from(place, k, g, side, f, tables, scratch, out)


@kernel()
def along(m: int, g: FloatArray, v: FloatArray, tables: Tables, scratch: Scratch) -> float:
    """g·v over the components of the bodies of measure m."""
    own = tables.measures[m]
    value = 0.0
    for side in range(2):
        k = own.bodies[side]
        if k == tables.ground:
            continue
        body = tables.bodies[k]
        first = body.first_v
        if body.kind >= NODE:
            for n in range(body.freedom):
                value += part(body, scratch.poses[k], n, g, side) * v[first + n]
            continue
        for n in range(6):
            column = body.columns[n]
            if column >= 0:
                value += g[6 * side + n] * v[first + column]
    return value


@kernel()
def add_blocks(m: int, K: FloatArray, f: float, tables: Tables, scratch: Scratch, out: FloatArray) -> None:
    """J += f K in the blocks of measure m, K being 12 × 12."""
    own = tables.measures[m]
    for side in range(2):
        for other in range(2):
            if own.blocks[side, other] >= 0:
                add_block(own, K, f, side, other, tables, scratch, out)


@kernel()
def add_block(
    own: MeasureData, K: FloatArray, f: float, side: int, other: int, tables: Tables, scratch: Scratch, out: FloatArray
) -> None:
    """J += f K in one block of a measure; with nodes f Tᵀ K T."""
    one, two = own.bodies[side], own.bodies[other]
    body, partner, block = tables.bodies[one], tables.bodies[two], own.blocks[side, other]
    if body.kind >= NODE or partner.kind >= NODE:
        add_matrix(one, two, block, K, 6 * side, 6 * other, f, tables, scratch, out)
        return
    stride = body.stride
    for i in range(6):
        row = body.columns[i]
        if row < 0:
            continue
        for j in range(6):
            column = partner.columns[j]
            if column >= 0:
                out[block + row * stride + column] += f * K[6 * side + i, 6 * other + j]


@kernel()
def add_matrix(
    one: int,
    two: int,
    block: int,
    K: FloatArray,
    row: int,
    column: int,
    f: float,
    tables: Tables,
    scratch: Scratch,
    out: FloatArray,
) -> None:
    """J += f Tᵀ B T in the block of two bodies, B being the six rows and columns of K from (row,
    column) on."""
    body, other = tables.bodies[one], tables.bodies[two]
    stride = body.stride
    for i in range(body.freedom):
        k, w, m, u = component(body, scratch.poses[one], i)
        for j in range(other.freedom):
            r, x, s, y = component(other, scratch.poses[two], j)
            value = w * (x * K[row + k, column + r] + y * K[row + k, column + s])
            value += u * (x * K[row + m, column + r] + y * K[row + m, column + s])
            out[block + i * stride + j] += f * value


@kernel()
def has_nodes(m: int, tables: Tables) -> bool:
    """Whether measure m is one of a node of a beam."""
    own = tables.measures[m]
    return is_node(own.bodies[0], tables) or is_node(own.bodies[1], tables)


@kernel()
def add_curvatures(m: int, f: float, tables: Tables, scratch: Scratch, out: FloatArray) -> None:
    """J += f ∂Tᵀ/∂q g of measure m, whose gradient g is in its place of the scratch memory."""
    own, g = tables.measures[m], scratch.measure.gradient
    for side in range(2):
        k = own.bodies[side]
        if is_node(k, tables):
            o = 6 * side + W_I
            add_curvature(tables.bodies[k], scratch.poses[k], (g[o], g[o + 1], g[o + 2]), f, out)


@kernel()
def add_slopes_of_rate(m: int, f: float, tables: Tables, scratch: Scratch, out: FloatArray) -> None:
    """J += f (Tᵀg)(∂(T v)/∂q)ᵀg of measure m, whose gradient g is in its place of the scratch
    memory."""
    own, g = tables.measures[m], scratch.measure.gradient
    for other in range(2):
        node = own.bodies[other]
        if not is_node(node, tables):
            continue
        for side in range(2):
            k, block = own.bodies[side], own.blocks[side, other]
            if k == tables.ground or block < 0:
                continue
            body, stride = tables.bodies[k], tables.bodies[k].stride
            for r in range(body.freedom):
                x = f * part(body, scratch.poses[k], r, g, side)
                for s in range(tables.bodies[node].freedom):
                    slope = rate_slope(tables.bodies[node], scratch.poses[node], s, g, other)
                    out[block + r * stride + s] += x * slope
