"""Where the numbers of a reduced model lie in `pi`, `pf`; memory of the full model stands beside them."""

from __future__ import annotations

from isodyn.kernels.struct import FlatNumbers, integers


class ReducedNumbers(FlatNumbers):
    """Numbers of a reduced model, and the words of tables and scratch of the full one."""

    full_tables, full_scratch = integers("full_tables"), integers("full_scratch")


# ---- header of pi: sizes of the full model, directions, rows of the full model and rows left,
# whether M̂ is in the tables …
NQ, NV, R, M_FULL, M_LEFT, HAS_MASS = range(6)
# … where things are in pi: for each coordinate of v its row in V or −1 − its number among the
# others; the same for q; rows left; patterns
I_PLACE_V, I_PLACE_Q, I_ROWS, I_J_STARTS, I_J_COLUMNS, I_G_STARTS, I_G_COLUMNS = range(6, 13)
# … and in pf: V, mean, M̂, then memory for q, v, a, force, λ, rows, values of J and G, J T
F_V, F_MEAN, F_MASS, F_Q, F_VEL, F_ACC, F_FORCE, F_LAM, F_VALUES, F_PRODUCT = range(13, 23)
HEADER = 23
