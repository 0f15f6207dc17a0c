"""Where the numbers of a reduced model lie in `pi`, `pf`. The tables of the full model are first in
pf and last in pi."""

from __future__ import annotations

# ---- header of pi: sizes of the full model, directions, rows of the full model and rows left,
# whether M̂ is in the tables …
NQ, NV, R, M_FULL, M_LEFT, HAS_MASS, PF_INNER, PI_INNER = range(8)
# … where things are in pi: for each coordinate of v its row in V or −1 − its number among the
# others; the same for q; rows left; patterns
I_PLACE_V, I_PLACE_Q, I_ROWS, I_J_STARTS, I_J_COLUMNS, I_G_STARTS, I_G_COLUMNS = range(8, 15)
# … and in pf: V, mean, M̂, then memory for q, v, a, force, λ, rows, values of J and G, J T
F_V, F_MEAN, F_MASS, F_Q, F_VEL, F_ACC, F_FORCE, F_LAM, F_VALUES, F_PRODUCT = range(15, 25)
HEADER = 25
