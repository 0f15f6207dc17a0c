"""Expressions in names of a mechanism as compiled functions of its state, for events.

An expression becomes the law of a formula (isodyn.loads.formula) in a copy of the mechanism that
nobody integrates; a kernel reads its value there. So it may name what formulas of loads may:
"pin.angle - 0.5", "foot.z", "crank.wz".
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from isodyn.errors import InputError
from isodyn.kernels.compiled import F, FloatArray, f8, i8, kernel
from isodyn.kernels.struct_types import ADDRESS, opened
from isodyn.loads.formula import FormulaForce
from isodyn.mechanism.compilation import compile_parts
from isodyn.mechanism.system import MechanismSystem
from isodyn.multibody.bodies import place_bodies
from isodyn.multibody.formula_laws import formula_force
from isodyn.multibody.tables import Scratch, Tables
from isodyn.multibody.turns import read_turns
from isodyn.systems.base import System

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress

NAME = "expression of an event"


@kernel(f8(i8, f8, F, F, F, F, ADDRESS, ADDRESS), inner=True, apart=True)
def value_of_law(
    k: int,
    t: float,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    lam: FloatArray,
    data: StructAddress,
    memory: StructAddress,
) -> float:
    """The value of the formula of law k."""
    tables, scratch = opened(Tables, data), opened(Scratch, memory)
    place_bodies(q, v, tables, scratch)
    read_turns(q, tables, scratch)
    return -formula_force(k, t, v, tables, scratch)


def compiled_expression(system: System, text: str) -> tuple[int, Tables, Scratch] | None:
    """Number of a law whose formula is the expression, and the numbers of the mechanism that has
    it; None where the expression names something else."""
    if type(system) is not MechanismSystem or system.description is None:
        return None
    parts = system.description.parts.copied()
    body = next(iter(parts.all_bodies()))
    try:
        parts.loads[NAME] = FormulaForce(NAME, body, force=(text, 0.0, 0.0))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = compile_parts(parts, system.description.gravity, system.description.cayley, "rotation")
    except InputError:
        return None
    if type(made) is not MechanismSystem or made.nq != system.nq:
        return None
    found = [k for k, law in enumerate(made.layout.laws) if law.load == NAME]
    return (found[0], made.tables, made.scratch) if len(found) == 1 else None
