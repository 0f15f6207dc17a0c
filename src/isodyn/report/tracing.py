"""Symbols that NumPy can calculate with: arithmetic and the usual functions make expressions,
anything that needs a number refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.later import Later

if TYPE_CHECKING:
    from sympy import Expr

    from isodyn.kernels.compiled import FloatArray

sympy = Later("sympy")

FUNCTIONS = {
    **{name: name for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "sqrt")},
    **{f"arc{name}": f"a{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
}


class SymbolError(Exception):
    """A symbol was asked for its number."""


class Traced:
    """An expression of SymPy that behaves like a number."""

    __slots__ = ("e",)

    def __init__(self, e: Expr) -> None:
        self.e = e

    def __add__(self, other: object) -> Traced:
        return _both(self, other, lambda a, b: a + b)

    __radd__ = __add__

    def __mul__(self, other: object) -> Traced:
        return _both(self, other, lambda a, b: a * b)

    __rmul__ = __mul__

    def __sub__(self, other: object) -> Traced:
        return _both(self, other, lambda a, b: a - b)

    def __rsub__(self, other: object) -> Traced:
        return _both(self, other, lambda a, b: b - a)

    def __truediv__(self, other: object) -> Traced:
        return _both(self, other, lambda a, b: a / b)

    def __rtruediv__(self, other: object) -> Traced:
        return _both(self, other, lambda a, b: b / a)

    def __pow__(self, other: object) -> Traced:
        return _both(self, other, lambda a, b: a**b)

    def __rpow__(self, other: object) -> Traced:
        return _both(self, other, lambda a, b: b**a)

    def __neg__(self) -> Traced:
        return Traced(-self.e)

    def __pos__(self) -> Traced:
        return self

    def __abs__(self) -> Traced:
        return Traced(abs(self.e))

    def __float__(self) -> float:
        raise SymbolError(f"it turns {self.e} into a float")

    def __bool__(self) -> bool:
        raise SymbolError(f"it asks whether {self.e} is true")

    def __lt__(self, other: object) -> bool:
        raise SymbolError(f"it compares {self.e} with {other}")

    __le__ = __gt__ = __ge__ = __lt__

    def arctan2(self, other: object) -> Traced:
        """np.arctan2 of objects asks for it."""
        return _both(self, other, lambda a, b: sympy.atan2(a, b))

    def hypot(self, other: object) -> Traced:
        """np.hypot of objects asks for it."""
        return _both(self, other, lambda a, b: sympy.sqrt(a**2 + b**2))

    def conjugate(self) -> Traced:
        """Symbols are real."""
        return self

    def __getattr__(self, name: str) -> Callable[..., Traced]:
        """The functions of one argument by which NumPy calls them."""
        if name not in FUNCTIONS:
            raise AttributeError(f"symbols have no {name}")
        return lambda: Traced(getattr(sympy, FUNCTIONS[name])(self.e))


def _both(one: Traced, other: object, act: Callable[[Any, Any], Any]) -> Traced:
    if isinstance(other, np.ndarray):
        return NotImplemented
    return Traced(act(one.e, number(other)))


def traced(x: object) -> FloatArray | Traced:
    """A symbol, or an array of symbols, to call a function with."""
    if isinstance(x, tuple):
        array = np.empty(len(x), dtype=object)
        array[:] = [Traced(s) for s in x]
        return array
    return Traced(x)


def number(x: object) -> Expr:
    """An expression of SymPy; whole numbers as such."""
    if isinstance(x, Traced):
        return x.e
    if isinstance(x, np.ndarray) and x.size == 1:
        return number(x.item())
    if isinstance(x, bool | int | np.integer):
        return sympy.Integer(int(x))
    if isinstance(x, float | np.floating):
        return sympy.Integer(int(x)) if float(x).is_integer() else sympy.Float(float(x))
    return sympy.sympify(x)
