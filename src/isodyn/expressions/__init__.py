"""A small language of formulas: numbers, names, + - * / ^, comparisons and the usual functions;
nothing of Python is evaluated."""

from isodyn.expressions.parser import parse
from isodyn.expressions.program import Program, compile_formula, constant

__all__ = ["Program", "compile_formula", "constant", "parse"]
