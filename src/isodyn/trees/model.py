"""The equations of a forest as one compiled model (isodyn.kernels.compiled).

    balance     recursive Newton–Euler, once outward and once inward          isodyn.trees.spatial, isodyn.trees.planar
    jacobian    sums over all nodes outward, then a product for every pair of coordinates on one path to the ground

Coordinates are those of the joints. A ball has the unit quaternion of its node in the parent, and
the relative angular velocity in axes of the node.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from isodyn.bodies.rotation_kernels import rate_of, turn, turn_by_cayley, vector
from isodyn.kernels.compiled import BALANCE, JACOBIAN, MODEL, OK, RATE, RETRACT, FloatArray, kernel
from isodyn.kernels.lowering import by_address, natural
from isodyn.kernels.struct_types import opened
from isodyn.trees.actions import add_body_forces, add_effort_tangents, add_efforts, add_load_slopes
from isodyn.trees.planar import (
    accelerate_flat,
    collect_flat,
    gather_flat,
    mass_flat,
    matrix_flat,
    move_flat,
    place_flat,
    take_flat,
)
from isodyn.trees.spatial import (
    accelerate_deep,
    collect_deep,
    gather_deep,
    mass_deep,
    matrix_deep,
    move_deep,
    place_deep,
    take_deep,
)
from isodyn.trees.tables import BALL, TreeScratch, TreeTables

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress


@kernel()
def recurse(q: FloatArray, v: FloatArray, a: FloatArray, tables: TreeTables, scratch: TreeScratch) -> None:
    """Motion of all nodes, and the forces that it takes."""
    if tables.planar > 0:
        place_flat(q, tables, scratch)
        move_flat(v, tables, scratch)
        accelerate_flat(v, a, tables, scratch)
        take_flat(tables, scratch)
    if tables.planar < len(tables.nodes):
        place_deep(q, tables, scratch)
        move_deep(v, tables, scratch)
        accelerate_deep(v, a, tables, scratch)
        take_deep(tables, scratch)


@kernel()
def balance(
    t: float, q: FloatArray, v: FloatArray, a: FloatArray, tables: TreeTables, scratch: TreeScratch, out: FloatArray
) -> None:
    """out = M a − Q."""
    recurse(q, v, a, tables, scratch)
    if tables.acts == 1:
        add_body_forces(t, tables, scratch)
    if tables.planar > 0:
        collect_flat(tables, scratch, out)
    if tables.planar < len(tables.nodes):
        collect_deep(tables, scratch, out)
    if len(tables.actuators) > 0:
        add_efforts(t, q, v, tables, scratch, out)


@kernel()
def jacobian(
    t: float,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    c: FloatArray,
    tables: TreeTables,
    scratch: TreeScratch,
    out: FloatArray,
) -> None:
    """out = c₀ ∂/∂a + c₁ ∂/∂v + c₂ ∂/∂q of the balance."""
    n = natural(v.size)
    for i in range(n * n):
        out[i] = 0.0
    if c[1] == 0.0 and c[2] == 0.0:
        if tables.planar > 0:
            place_flat(q, tables, scratch)
            gather_flat(tables, scratch, False)
            mass_flat(c[0], tables, scratch, n, out)
        if tables.planar < len(tables.nodes):
            place_deep(q, tables, scratch)
            gather_deep(tables, scratch, False)
            mass_deep(c[0], tables, scratch, n, out)
        return
    recurse(q, v, a, tables, scratch)
    if tables.planar > 0:
        gather_flat(tables, scratch, True)
        matrix_flat(c, tables, scratch, n, out)
    if tables.planar < len(tables.nodes):
        gather_deep(tables, scratch, True)
        matrix_deep(c, tables, scratch, n, out)
    if len(tables.actuators) > 0:
        add_effort_tangents(t, q, v, c, tables, scratch, out)
    if tables.acts == 1:
        add_load_slopes(t, q, v, c, tables, scratch, out)


@kernel()
def move(what: int, q: FloatArray, v: FloatArray, tables: TreeTables, out: FloatArray) -> None:
    """RETRACT or RATE."""
    for k in range(len(tables.nodes)):
        node = tables.nodes[k]
        e, i = natural(node.first_q), natural(node.first_v)
        if node.kind == BALL and what == RETRACT:
            if tables.cayley == 1:
                turn_by_cayley(q, e, v, i, out)
            else:
                turn(q, e, v, i, out)
        elif node.kind == BALL:
            rate_of(q, e, vector(v, i), out)
        elif node.freedom == 1:
            out[e] = v[i] if what == RATE else q[e] + v[i]


@kernel(MODEL)
def tree_model(
    what: int,
    t: float,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    lam: FloatArray,
    c: FloatArray,
    data: StructAddress,
    memory: StructAddress,
    out: FloatArray,
) -> int:
    """The questions of the loop, answered by a forest."""
    tables, scratch = opened(TreeTables, data), opened(TreeScratch, memory)
    if what == BALANCE:
        balance(t, q, v, a, tables, scratch, out)
    elif what == JACOBIAN:
        jacobian(t, q, v, a, c, tables, scratch, out)
    elif what in (RETRACT, RATE):
        move(what, q, v, tables, out)
    return OK


ask_tree = by_address(tree_model, MODEL)
"""The same as other kernels call it."""
