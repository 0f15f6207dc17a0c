"""The memory of a mechanism's model: tables, which isodyn.mechanism.layout writes once and kernels
only read, and scratch memory, of which every thread has its own.

Bodies are numbered; the ground has the number behind the last. Blocks of J and places in G are
given by the tables, so that the same kernels fill a dense matrix and the values of a sparse one.
"""

from __future__ import annotations

from isodyn.beams.rod_tables import PointScratch, RodScratch, RodTables
from isodyn.beams.tables import BeamTables, ElementScratch
from isodyn.expressions.formula_kernels import FormulaScratch
from isodyn.expressions.time_kernels import TimeTables
from isodyn.flexible.tables import FlexibleScratch, FlexibleTables
from isodyn.joints.measures import MeasureWork, Pose, WordNumbers
from isodyn.kernels.struct import Struct, integer, integers, many, one, real, reals
from isodyn.kernels.struct_types import StructType

# ---- kinds of bodies, with states of first order among them; those of nodes of beams last, and at the
# end nodes that no joint and no load asks for their pose, and modes of flexible bodies, which have
# none
SPATIAL, PLANAR, PARTICLE, STATE, NODE, CABLE, UNHELD = range(7)
# ---- what a name in a formula stands for
VALUE_OF, RATE_OF, TIME = range(3)


class BodyData(Struct):
    """A body or node: where its coordinates and velocities begin, how many velocities there are,
    which of them each of (ṙ, ω) is, or −1; its block in J and the length of rows there."""

    kind, first_q, first_v, freedom = integer, integer, integer, integer
    columns = integers(6)
    block, stride = integer, integer
    mass = real
    inertia = reals(3, 3)


class MeasureData(Struct):
    """A word between two bodies by number, the blocks ii, ij, ji, jj of J (−1 where there is none),
    and whether its value is an angle whose whole turns are counted."""

    kind, counted = integer, integer
    bodies = integers(2)
    blocks = integers(2, 2)
    word = one(WordNumbers)


class TermData(Struct):
    """weight × measure in a row, and where its two bodies are in that row of G."""

    measure = integer
    places = integers(2)
    weight = real


class RowData(Struct):
    """φ = Σ weight·measure − target(t): its terms; how many rows from here on let points coincide
    (0 elsewhere)."""

    first_term, terms, target, coincident = integer, integer, integer, integer


class LawData(Struct):
    """A force f(x, ẋ, t) along a measure; numbers by the names of isodyn.loads.laws, rows of the
    reaction that friction uses, the formula and its inputs."""

    kind, measure, shift = integer, integer, integer
    first_row, rows = integer, integer
    formula, first_input, inputs = integer, integer, integer
    stiffness, damping, rest, cubic = real, real, real, real
    low, high = real, real
    is_effort = integer
    mu, mu_static, stribeck, creep, arm, preload = real, real, real, real, real, real


class InputData(Struct):
    """A name in the formula of a law: a measure or its rate, or the time; blocks of J between the
    bodies of the law and those of the measure."""

    meaning, measure = integer, integer
    blocks = integers(2, 2)


class LoadData(Struct):
    """A force or torque on one body, times a function of time (−1: none); of drag `vector` is the
    velocity of the medium."""

    kind, body, time = integer, integer, integer
    vector, point = reals(3), reals(3)
    coefficient = real


class TurnData(Struct):
    """A counted angle: its word, its place in q, whether rows or laws read it, and where the
    rotation vectors of its bodies are in v (−1 of the ground, −2 of what turns otherwise)."""

    kind, place, is_read = integer, integer, integer
    bodies, rotations = integers(2), integers(2)
    word = one(WordNumbers)


class ReaderData(Struct):
    """A measure that reads an angle in q."""

    measure, place = integer, integer


class Tables(Struct):
    """All numbers of a mechanism. `nodal` coordinates of nodes come first in q and in v;
    `load_factor` scales weight, forces and torques: statics applies them step by step."""

    ground, holonomic, nodal, J_size, G_size, cayley = integer, integer, integer, integer, integer, integer
    load_factor = real
    gravity = reals(3)
    bodies = many(BodyData, "bodies")
    measures = many(MeasureData, "measures")
    rows = many(RowData, "rows")
    terms = many(TermData, "terms")
    laws = many(LawData, "laws")
    inputs = many(InputData, "inputs")
    loads = many(LoadData, "loads")
    turns = many(TurnData, "turns")
    readers = many(ReaderData, "readers")
    beams = one(BeamTables)
    rods = one(RodTables)
    flexible = one(FlexibleTables)
    time = one(TimeTables)


class Scratch(Struct):
    """Poses, that of the ground last; counted angles as the measures read them; measures of
    contacts that are far from closing, which nobody looks at; memory of measures, inputs of
    formulas, elements and formulas."""

    poses = many(Pose, "poses")
    counted, far = reals("measures"), integers("measures")
    measure = one(MeasureWork)
    input_slopes = reals(12)
    element = one(ElementScratch)
    rod = one(RodScratch)
    points = one(PointScratch)
    flexible = one(FlexibleScratch)
    formulas = one(FormulaScratch)


TABLES, SCRATCH = StructType(Tables), StructType(Scratch)
