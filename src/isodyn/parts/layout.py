"""Where the numbers of a mechanism lie in the flat tables `pi`, `pf` of its model.

`pi` opens with a header: sizes, then the beginnings of the tables in `pi` and in `pf`. Every table
has entries of constant length.
"""

from __future__ import annotations

# ---- header of pi: sizes …
BODIES, MEASURES, ROWS, HOLONOMIC, LAWS, LOADS, NQ, NV, J_SIZE, G_SIZE = range(10)
# … tables in pi …
I_BODY, I_MEASURE, I_ROW, I_TERM, I_LAW, I_LOAD, I_TIME = range(10, 17)
# … tables in pf
F_BODY, F_MEASURE, F_TURN, F_TERM, F_LAW, F_LOAD, F_TIME, F_POSE, F_WORK, F_GRAVITY = range(17, 27)
CAYLEY = 27  # whether rotations are moved by the Cayley map
# beams: numbers of elements, of coordinates of nodes (they come first in q and in v), of loads
# along beams; whether damped; tables
ELEMENTS, NODAL, SPREADS, DAMPED, I_ELEMENT, I_SPREAD, F_ELEMENT, F_SPREAD, F_WEIGHT, F_FACTOR = range(28, 38)
I_INPUT = 38  # inputs of formulas, in pi
# angles whose whole turns are counted: how many, how many measures read them; tables
TURNS, READERS, I_TURN, I_READER = range(39, 43)
HEADER = 43

# ---- a body: kind, first q, first v, how many v; which of them each of (ṙ, ω) is, or −1; its block
# in J and the length of its rows there
KIND, FIRST_Q, FIRST_V, FREEDOM, COLUMNS, BLOCK, STRIDE = 0, 1, 2, 3, 4, 10, 11
BODY = 12
SPATIAL, PLANAR, PARTICLE, NODE, CABLE, UNHELD = range(
    6
)  # the last: a node that no joint and no load asks for its pose
# mass, inertia row by row
BODY_NUMBERS = 10

# ---- a measure: kind, bodies, the blocks ii, ij, ji, jj of J
MEASURE = 7
# ---- a row: first term, number of terms, time function, how many rows from here on let points
# coincide (0 elsewhere)
ROW = 4
TOGETHER = 3
# ---- a counted angle: kind, bodies, its place in q, whether rows or laws read it, where the
# rotation vectors of the bodies are in v (−1 of the ground, −2 of what turns otherwise);  numbers:
# those of its measure
TURN_SIZE, IS_READ, TURN_I, TURN_J = 7, 4, 5, 6
# ---- who reads it: measure, counted angle
READER = 2
# ---- a term: measure, places of body i and j in G;   number: weight
TERM, TERM_NUMBERS = 3, 1

# ---- a law: kind, measure, time function, first row of the reaction, number of those rows
LAW, LAW_NUMBERS = 5, 8
SPRING, LIMIT, SPEED, FRICTION, BY_FORMULA = range(5)
# … by a formula: kind, measure along which it acts, its program among the functions of time, first
# input, number of inputs
# ---- an input: measure, whether its rate is meant (2: the time), blocks of J between the bodies of
# the law and of the input
INPUT = 6
# ---- a load on one body: kind, body, time function;  numbers: vector, point, coefficient
LOAD, LOAD_NUMBERS = 3, 7
FORCE, FOLLOWER, TORQUE, BODY_TORQUE, DRAG = range(5)
# ---- a load along beams, as in isodyn.beams.layout: first coordinate, how many, first of its
# numbers, function of time
SPREAD = 4
# ---- a function of time: kind, first number, how many
TIME = 3
POLYNOMIAL, HARMONIC, RAMP, SPLINE, PULSE, FORMULA = range(6)
