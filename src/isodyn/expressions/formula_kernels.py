"""Runs the programs of formulas (isodyn.expressions.program) with first and second derivatives
along one direction.

    f(u)      f' u̇                              f'' u̇² + f' ü
    f(u, w)   f_u u̇ + f_w ẇ                     f_uu u̇² + 2 f_uw u̇ẇ + f_ww ẇ² + f_u ü + f_w ẅ

The direction is given by the slopes of the names: with slope 1 of t alone f, ḟ, f̈. A derivative of
a part that does not change is not asked for, so that √ and | | stand where their slope is infinite.
Programs are tables, so that a new formula compiles nothing.
"""

from __future__ import annotations

import numpy as np
from numba import types

from isodyn.expressions import program as op
from isodyn.kernels.compiled import f8, i8, kernel
from isodyn.kernels.struct import Struct, integer, many, real, reals
from isodyn.kernels.struct_types import StructType


class Instruction(Struct):
    """An operation on the stack; a number or the number of a name where it puts one there."""

    operation, name = integer, integer
    number = real


class FormulaData(Struct):
    """Where the instructions and the names of a formula are, and how many there are."""

    first, count, first_name, names = integer, integer, integer, integer


class FormulaTables(Struct):
    """All formulas of a model."""

    formulas = many(FormulaData, "formulas")
    instructions = many(Instruction, "instructions")


class Dual(Struct):
    """A value with its first and second derivative."""

    value, slope, curve = real, real, real


class FormulaScratch(Struct):
    """Values and slopes of all names, and the stack of the formula that runs."""

    given, slopes = reals("names"), reals("names")
    stack = many(Dual, "depth")


@kernel()
def chained(top: Dual, f: float, d: float, dd: float) -> None:
    """The top of the stack becomes f of it, from f, f', f''."""
    top.value = f
    top.curve = d * top.curve if top.curve != 0.0 else 0.0
    if top.slope != 0.0:
        top.curve += dd * top.slope * top.slope
        top.slope = d * top.slope


@kernel()
def joined(left: Dual, right: Dual, f: float, f_u: float, f_w: float, f_uu: float, f_uw: float, f_ww: float) -> None:
    """The left one becomes f of both; derivatives along entries that do not change are left out."""
    u, w = left.slope, right.slope
    first, second = 0.0, 0.0
    if u != 0.0 or left.curve != 0.0:
        first += f_u * u
        second += f_uu * u * u + f_u * left.curve
    if w != 0.0 or right.curve != 0.0:
        first += f_w * w
        second += f_ww * w * w + f_w * right.curve
    if u != 0.0 and w != 0.0:
        second += 2.0 * f_uw * u * w
    left.value, left.slope, left.curve = f, first, second


@kernel()
def power(left: Dual, right: Dual) -> None:
    """u^w; where the exponent is constant without logarithms, so that u may be negative or zero."""
    u, w = left.value, right.value
    f = u**w
    if right.slope == 0.0 and right.curve == 0.0:
        slope = 0.0 if w == 0.0 else w * u ** (w - 1.0)
        curve = 0.0 if w in (0.0, 1.0) else w * (w - 1.0) * u ** (w - 2.0)
        chained(left, f, slope, curve)
        return
    log = np.log(u)
    under = w * u ** (w - 1.0)
    joined(left, right, f, under, f * log, under * (w - 1.0) / u, u ** (w - 1.0) * (1.0 + w * log), f * log * log)


@kernel()
def distance_or_angle(operation: int, left: Dual, right: Dual) -> None:
    """hypot(u, w) or atan2(u, w)."""
    u, w = left.value, right.value
    square = u * u + w * w
    if operation == op.ATAN2:
        turn, cross = 2.0 * u * w / (square * square), (u * u - w * w) / (square * square)
        joined(left, right, np.arctan2(u, w), w / square, -u / square, -turn, cross, turn)
        return
    r = np.sqrt(square)
    if r == 0.0:  # no slope there; none is the one in the middle of all
        joined(left, right, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        return
    joined(left, right, r, u / r, w / r, w * w / (r * square), -u * w / (r * square), u * u / (r * square))


@kernel()
def holds(operation: int, u: float, w: float) -> bool:
    """A comparison."""
    if operation == op.LESS:
        return u < w
    if operation == op.LESS_EQUAL:
        return u <= w
    return u > w if operation == op.GREATER else u >= w


@kernel()
def two(operation: int, left: Dual, right: Dual) -> None:
    """An operation on two entries; the left one becomes the result."""
    u, w = left.value, right.value
    if operation == op.ADD or operation == op.SUBTRACT:
        sign = 1.0 if operation == op.ADD else -1.0
        left.value += sign * w
        left.slope += sign * right.slope
        left.curve += sign * right.curve
    elif operation == op.MULTIPLY:
        left.curve = left.curve * w + 2.0 * left.slope * right.slope + u * right.curve
        left.slope = left.slope * w + u * right.slope
        left.value = u * w
    elif operation == op.DIVIDE:
        f = u / w
        first = (left.slope - f * right.slope) / w
        left.curve = (left.curve - 2.0 * first * right.slope - f * right.curve) / w
        left.value, left.slope = f, first
    elif operation == op.POWER:
        power(left, right)
    elif operation == op.MINIMUM or operation == op.MAXIMUM:
        if (w < u) == (operation == op.MINIMUM) and u != w:
            left.value, left.slope, left.curve = right.value, right.slope, right.curve
    elif operation == op.ATAN2 or operation == op.HYPOT:
        distance_or_angle(operation, left, right)
    else:
        left.value, left.slope, left.curve = (1.0 if holds(operation, u, w) else 0.0), 0.0, 0.0


@kernel()
def trigonometric(operation: int, top: Dual) -> None:
    """sin, cos, tan and their inverses."""
    u = top.value
    if operation == op.SIN:
        chained(top, np.sin(u), np.cos(u), -np.sin(u))
    elif operation == op.COS:
        chained(top, np.cos(u), -np.sin(u), -np.cos(u))
    elif operation == op.TAN:
        f = np.tan(u)
        chained(top, f, 1.0 + f * f, 2.0 * f * (1.0 + f * f))
    elif operation == op.ATAN:
        rest = 1.0 + u * u
        chained(top, np.arctan(u), 1.0 / rest, -2.0 * u / (rest * rest))
    else:
        sign, rest = (1.0 if operation == op.ASIN else -1.0), 1.0 - u * u
        slope = sign / np.sqrt(rest)
        chained(top, np.arcsin(u) if operation == op.ASIN else np.arccos(u), slope, slope * u / rest)


@kernel()
def exponential(operation: int, top: Dual) -> None:
    """sinh, cosh, tanh, exp and logarithms."""
    u = top.value
    if operation == op.SINH:
        chained(top, np.sinh(u), np.cosh(u), np.sinh(u))
    elif operation == op.COSH:
        chained(top, np.cosh(u), np.sinh(u), np.cosh(u))
    elif operation == op.TANH:
        f = np.tanh(u)
        chained(top, f, 1.0 - f * f, -2.0 * f * (1.0 - f * f))
    elif operation == op.EXP:
        f = np.exp(u)
        chained(top, f, f, f)
    elif operation == op.LOG:
        chained(top, np.log(u), 1.0 / u, -1.0 / (u * u))
    else:
        chained(top, np.log10(u), 1.0 / (u * np.log(10.0)), -1.0 / (u * u * np.log(10.0)))


@kernel()
def one(operation: int, top: Dual) -> None:
    """A function of the top of the stack."""
    u = top.value
    if operation == op.NEGATE:
        top.value, top.slope, top.curve = -u, -top.slope, -top.curve
    elif operation <= op.ATAN:
        trigonometric(operation, top)
    elif operation <= op.LOG10:
        exponential(operation, top)
    elif operation == op.SQRT:
        f = np.sqrt(u)
        chained(top, f, 0.5 / f, -0.25 / (f * u))
    elif operation == op.ABS:
        chained(top, np.abs(u), np.sign(u), 0.0)
    elif operation == op.SIGN:
        top.value, top.slope, top.curve = np.sign(u), 0.0, 0.0
    else:
        top.value, top.slope, top.curve = (1.0 if u >= 0.0 else 0.0), 0.0, 0.0


@kernel(types.UniTuple(f8, 3)(i8, StructType(FormulaTables), StructType(FormulaScratch)), apart=True)
def run_formula(k: int, tables: FormulaTables, scratch: FormulaScratch) -> tuple[float, float, float]:
    """f, f', f'' of formula k, for the values and slopes of its names that stand in the scratch
    memory."""
    formula, stack = tables.formulas[k], scratch.stack
    s = -1  # the top
    for i in range(formula.first, formula.first + formula.count):
        instruction = tables.instructions[i]
        operation = instruction.operation
        if operation == op.NUMBER or operation == op.NAME:
            s += 1
            top = stack[s]
            if operation == op.NUMBER:
                top.value, top.slope = instruction.number, 0.0
            else:
                at = formula.first_name + instruction.name
                top.value, top.slope = scratch.given[at], scratch.slopes[at]
            top.curve = 0.0
        elif operation == op.SELECT:
            s -= 2
            top, chosen = stack[s], stack[s + 1 if stack[s].value != 0.0 else s + 2]
            top.value, top.slope, top.curve = chosen.value, chosen.slope, chosen.curve
        elif operation < op.SELECT:
            s -= 1
            two(operation, stack[s], stack[s + 1])
        else:
            one(operation, stack[s])
    return stack[0].value, stack[0].slope, stack[0].curve
