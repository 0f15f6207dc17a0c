"""The motion of bodies along rows of a solution in joint coordinates."""

from __future__ import annotations

from numba import types

from isodyn.bodies.rotation_kernels import put, rotate_back, sum_of, triple
from isodyn.kernels.compiled import BALANCE, F2, F, FloatArray, f8, kernel
from isodyn.kernels.lowering import natural
from isodyn.trees.model import ask_tree
from isodyn.trees.tables import TREE, WORK, TreeScratch, TreeTables


@kernel(types.void(F, F2, F2, F2, TREE, WORK, F, F, F2, f8[:, :, :, ::1], F2, F2))
def carry_rows(
    t: FloatArray,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    tables: TreeTables,
    scratch: TreeScratch,
    c: FloatArray,
    force: FloatArray,
    places: FloatArray,
    matrices: FloatArray,
    rates: FloatArray,
    changes: FloatArray,
) -> None:
    """Of every row mass centres (x, y, θ of planar bodies), matrices body → world of the others,
    velocities (ṙ, ω in the body) and their rates, body by body in the order of the mechanism."""
    g = triple(tables.gravity)
    for row in range(q.shape[0]):
        # what the balance needs of all nodes is what is wanted here
        ask_tree(BALANCE, t[row], q[row], v[row], a[row], c, c, tables, scratch, force)
        for k in range(len(tables.nodes)):
            if tables.nodes[k].body < 0:
                continue
            body = natural(tables.nodes[k].body)
            if k < tables.planar:
                flat = scratch.flat[natural(k)]
                put(places[row], 3 * body, (flat.x, flat.y, flat.angle))
                put(rates[row], 6 * body, (flat.v_x, flat.v_y, 0.0))
                put(rates[row], 6 * body + 3, (0.0, 0.0, flat.w))
                put(changes[row], 6 * body, (flat.a_x + g[0], flat.a_y + g[1], 0.0))
                put(changes[row], 6 * body + 3, (0.0, 0.0, flat.dw))
                continue
            deep = scratch.deep[natural(k - tables.planar)]
            put(places[row], 3 * body, triple(deep.r))
            for i in range(3):
                for j in range(3):
                    matrices[row, body, i, j] = deep.R[i, j]
            put(rates[row], 6 * body, triple(deep.v))
            put(rates[row], 6 * body + 3, rotate_back(deep.R, triple(deep.w)))
            put(changes[row], 6 * body, sum_of(triple(deep.a), 1.0, g))
            # d(Rᵀω)/dt = Rᵀω̇, because ω × ω = 0
            put(changes[row], 6 * body + 3, rotate_back(deep.R, triple(deep.dw)))
