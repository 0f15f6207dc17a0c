"""Where the numbers of a beam lie in the flat tables `pi`, `pf` of its model.

A node has `dim` coordinates of its position and `dim` of its slope. `pi` opens with a header:
sizes, then the beginnings of the tables in `pi` and in `pf`. Functions of time lie where
isodyn.parts.time_functions looks for them.
"""

from __future__ import annotations

from isodyn.parts.layout import F_TIME, I_TIME

# ---- header of pi: sizes …
DIM, ELEMENTS, ROWS, LOADS, TORQUES, N, J_SIZE, G_SIZE = range(8)
# … tables in pi …
I_ELEMENT, I_ROW, I_LINEAR, I_PRODUCT, I_LOAD, I_TORQUE = range(10, 16)
# … tables in pf
F_ELEMENT, F_LINEAR, F_PRODUCT, F_LOAD, F_TORQUE, F_WORK = range(17, 23)
F_FACTOR, F_WEIGHT, DAMPED = range(24, 27)
HEADER = 27
assert (I_TIME, F_TIME) == (16, 23)

# ---- an element: first coordinates of its nodes, blocks aa, ab, ba, bb of J, lengths of the rows
# of a and b there, energy, dimension
ELEMENT = 10
KIND_, DIM_ = 8, 9
Place = tuple[int, int, int, int, int, int, int, int]  # of an element: its first eight entries
# numbers: length, EA, EI, EI4, mass, damping times of stretching and bending; 1/length, EA/length,
# EI/length, mass/420
L_, EA_, EI_, EI4_, MASS_, TAU_A, TAU_B, PER_L, EA_PER_L, EI_PER_L, M_420 = range(11)
ELEMENT_NUMBERS = 11
# ---- a row Σ w q_i + Σ w q_i q_j − f(t): first linear term, how many, first product, how many,
# function of time
ROW = 5
# ---- a linear term: i, its place in G;   a product: i, j, their places in G, the places ij and ji in J;   number: weight
LINEAR, PRODUCT = 2, 6
# ---- a load: first coordinate, how many, first of its numbers, function of time
LOAD = 4
# ---- a torque: first coordinate of the slope, its block in J, length of rows there, function of
# time;  numbers: the vector
TORQUE, TORQUE_NUMBERS = 4, 3

# ---- strain energies
SIMPLIFIED, CAUCHY, CAUCHY_TANGENT, GREEN_LAGRANGE, GREEN_LAGRANGE_TANGENT, CAUCHY_DIRAC, GREEN_LAGRANGE_DIRAC = range(
    7
)
ENERGIES = {
    "simplified": SIMPLIFIED,
    "cauchy": CAUCHY,
    "cauchy-tangent": CAUCHY_TANGENT,
    "green-lagrange": GREEN_LAGRANGE,
    "green-lagrange-tangent": GREEN_LAGRANGE_TANGENT,
    "cauchy-dirac": CAUCHY_DIRAC,
    "green-lagrange-dirac": GREEN_LAGRANGE_DIRAC,
}
