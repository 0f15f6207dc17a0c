"""Named memory for the pattern of a block matrix (isodyn.linear_solvers.blocks fills it, block_lu
reads it)."""

from __future__ import annotations

from isodyn.kernels.struct import Struct, integer, integers, many, real


class BlockNode(Struct):
    """Unknowns that are eliminated together."""

    size, width = integer, integer  # how many they are, and how many follow
    D, Y, Z = integer, integer, integer  # places of its blocks in the storage
    first = integer  # position of its first unknown in the order of elimination
    later = integer  # where the list of the positions that follow begins
    first_update, updates = integer, integer
    multipliers = integer  # whether it holds multipliers


class BlockUpdate(Struct):
    """A_ab −= Z_a Y_b: first and number of rows, of columns, place and stride of the target."""

    a, rows, b, columns, target, stride = (integer,) * 6


class Front(Struct):
    """What a node has besides where it is eliminated as a front
    (isodyn.linear_solvers.front_lu)."""

    made, kept = integer, integer  # places where its contribution is made, and where it stays
    first_child, sibling = integer, integer  # −1: none
    inside = integer  # how many of the positions that follow are unknowns of its parent


class BlockPattern(Struct):
    """What kernels have to know about the matrix [J Gᵀ; G −ε] in its blocks."""

    size, velocities = integer, integer  # unknowns; those of J
    storage = integer  # floats of the blocks
    nodes, updates = many(BlockNode, "block_nodes"), many(BlockUpdate, "block_updates")
    later = integers("block_later")
    # places in the storage of the values of J, G, Gᵀ and of the diagonal
    J, G, GT, diagonal = (
        integers("block_J"),
        integers("block_G"),
        integers("block_G"),
        integers("block_unknowns"),
    )
    unknown = integers("block_unknowns")  # in the order of elimination
    J_starts, J_columns = integers("block_J_rows"), integers("block_J")  # patterns (CSR)
    G_starts, G_columns = integers("block_G_rows"), integers("block_G")
    places = integers("block_rows")  # unknown of each row of G; −1: not enforced
    # ---- fronts (isodyn.linear_solvers.fronts); without any, nodes are eliminated one by one
    fronts = many(Front, "block_fronts")
    in_parent = integers("front_later")  # place in the parent of each of the positions that follow
    until = integers("front_unknowns")  # first position behind the body; behind itself, of multipliers
    stack = integer  # floats of contributions
    gathered = integer  # place of memory for two vectors as long as the largest front
    early = integer  # whether joints may go before all of their bodies
    gemm = integer  # address of BLAS's product
    # corrections of an iteration that a factorisation costs; 0: too few to keep one for the next steps
    ratio = real
    # ---- what factorising tells
    pivots = integers(2, "block_unknowns")  # of the factors, and of those that are kept
    fault = integers(1)  # the unknown without a pivot
    weak = integer  # whether a pivot is only a small rest of what it was made of
    refined = integer  # solutions that were refined so far
