"""Where things lie in the packed pattern of a block matrix (isodyn.linear_solvers.blocks packs,
block_lu reads)."""

from __future__ import annotations

# ---- header of the packed pattern
(
    SIZE,
    NODES,
    STORAGE,
    N_J,
    N_G,
    UNKNOWN_V,
    I_NODE,
    I_UPDATE,
    I_J,
    I_G,
    I_GT,
    I_DIAGONAL,
    I_ROWS,
    I_COLUMNS,
    I_PIVOT,
    I_UNKNOWN,
    I_G_ROWS,
    I_G_COLUMNS,
    I_G_PLACES,
    FAULT,
    WORN,
    REFINED,
) = range(22)
HEADER = 22
# ---- a node: size, width of what follows, places of D, Y, Z in the storage, position of its first
# unknown, list of the positions that follow, first update, number of updates, whether it holds
# multipliers
NODE = 10
# ---- an update A_ab −= Z_a Y_b: first and number of rows, of columns, place and stride of the
# target
UPDATE = 6
