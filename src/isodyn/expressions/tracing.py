"""A Python function of one number as a formula, or as one for each component of its vector: it is
called with a symbol that writes down what is done to it.

What cannot be written down (a branch on the symbol, a function that needs a number) is told apart,
and the formula is compared with the function at several arguments before it is believed.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import InputError
from isodyn.expressions.parser import parse
from isodyn.expressions.program import evaluate

if TYPE_CHECKING:
    from isodyn.kernels.compiled import FloatArray

# how tightly a text binds
COMPARISON, SUM, PRODUCT, SIGN, POWER, PART = range(6)
AGREEMENT = 1e-9
ARGUMENTS = (0.0, 0.37, 1.0, 1.9, 5.3, 13.7)

_NAMES = {
    **{name: name for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "log10", "sqrt", "sign")},
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "absolute": "abs",
    "fabs": "abs",
    "arctan2": "atan2",
    "asin": "asin",
    "acos": "acos",
    "atan": "atan",
    "atan2": "atan2",
    "hypot": "hypot",
    "minimum": "min",
    "maximum": "max",
    "fmin": "min",
    "fmax": "max",
}
_OPERATORS = {
    "add": ("+", SUM),
    "subtract": ("-", SUM),
    "multiply": ("*", PRODUCT),
    "divide": ("/", PRODUCT),
    "true_divide": ("/", PRODUCT),
    "power": ("^", POWER),
    "float_power": ("^", POWER),
    "less": ("<", COMPARISON),
    "less_equal": ("<=", COMPARISON),
    "greater": (">", COMPARISON),
    "greater_equal": (">=", COMPARISON),
}


class NotAFormulaError(Exception):
    """What is done to the symbol has no formula."""


class Symbol:
    """A formula that grows as it is used like a number."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, text: str, binds: int = PART) -> None:
        self.text, self.binds = text, binds

    def __add__(self, other: Symbol | float) -> Symbol:
        return _joined("add", self, other)

    def __radd__(self, other: Symbol | float) -> Symbol:
        return _joined("add", other, self)

    def __sub__(self, other: Symbol | float) -> Symbol:
        return _joined("subtract", self, other)

    def __rsub__(self, other: Symbol | float) -> Symbol:
        return _joined("subtract", other, self)

    def __mul__(self, other: Symbol | float) -> Symbol:
        return _joined("multiply", self, other)

    def __rmul__(self, other: Symbol | float) -> Symbol:
        return _joined("multiply", other, self)

    def __truediv__(self, other: Symbol | float) -> Symbol:
        return _joined("divide", self, other)

    def __rtruediv__(self, other: Symbol | float) -> Symbol:
        return _joined("divide", other, self)

    def __pow__(self, other: Symbol | float) -> Symbol:
        return _joined("power", self, other)

    def __rpow__(self, other: Symbol | float) -> Symbol:
        return _joined("power", other, self)

    def __neg__(self) -> Symbol:
        return Symbol(f"-{_within(self, SIGN)}", SIGN)

    def __pos__(self) -> Symbol:
        return self

    def __abs__(self) -> Symbol:
        return _called("abs", self)

    def __lt__(self, other: Symbol | float) -> Symbol:
        return _joined("less", self, other)

    def __le__(self, other: Symbol | float) -> Symbol:
        return _joined("less_equal", self, other)

    def __gt__(self, other: Symbol | float) -> Symbol:
        return _joined("greater", self, other)

    def __ge__(self, other: Symbol | float) -> Symbol:
        return _joined("greater_equal", self, other)

    def __eq__(self, other: object) -> bool:
        raise NotAFormulaError("it asks whether two numbers are equal")

    def __bool__(self) -> bool:
        raise NotAFormulaError("it branches on its argument")

    def __float__(self) -> float:
        raise NotAFormulaError("it needs a number where only a formula is known")

    __int__ = __index__ = __float__

    def __array__(self, *_: object, **__: object) -> FloatArray:
        """Itself, as a component of an array."""
        alone = np.empty((), dtype=object)
        alone[()] = self
        return alone

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: object, **options: object) -> Symbol:
        if method != "__call__" or options:
            raise NotAFormulaError(f"numpy.{ufunc.__name__} is used in a way that no formula has")
        return _applied(ufunc.__name__, inputs)

    def __array_function__(
        self, function: Callable[..., Any], types: object, inputs: Sequence[Any], options: Mapping[str, Any]
    ) -> Symbol:
        if function is np.where and len(inputs) == 3 and not options:
            return _called("if", *inputs)
        if function is np.clip and len(inputs) == 3 and not options:
            return _called("min", _called("max", inputs[0], inputs[1]), inputs[2])
        raise NotAFormulaError(f"numpy.{function.__name__} has no formula")


def _applied(name: str, inputs: tuple[Any, ...]) -> Symbol:
    """A function by the name that numpy or math gives it."""
    if name in _OPERATORS:
        return _joined(name, *inputs)
    if name in _NAMES:
        return _called(_NAMES[name], *inputs)
    if name == "negative":
        return -inputs[0]
    if name == "square":
        return _joined("power", inputs[0], 2.0)
    if name in ("deg2rad", "radians"):
        return _joined("multiply", inputs[0], math.pi / 180)
    raise NotAFormulaError(f"{name} has no formula")


def _joined(name: str, first: Any, second: Any) -> Any:
    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        return np.vectorize(lambda one, other: _joined(name, one, other), otypes=[object])(first, second)
    sign, binds = _OPERATORS[name]
    # a power binds from right to left, everything else from left to right
    left, right = (binds + 1, binds) if binds == POWER else (binds, binds + 1)
    return Symbol(f"{_within(first, left)}{sign}{_within(second, right)}", binds)


def _called(name: str, *inputs: object) -> Symbol:
    return Symbol(f"{name}({', '.join(_within(x, COMPARISON) for x in inputs)})")


def _within(value: object, binds: int) -> str:
    """The text of a symbol or a number, in brackets where it binds less tightly than what is around
    it."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, Symbol):
        return value.text if value.binds >= binds else f"({value.text})"
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.number):
        raise NotAFormulaError(f"{type(value).__name__} in it is no number")
    number = float(value)
    if not math.isfinite(number):
        raise NotAFormulaError(f"{number} in it is not finite")
    return repr(number) if number >= 0 and math.copysign(1.0, number) > 0 else f"({number!r})"


def _of_math(name: str) -> Callable[..., Any]:
    """A function of the module math that also takes symbols."""
    plain = getattr(math, name)

    def function(*inputs: Any) -> Any:
        return _applied(name, inputs) if any(isinstance(x, Symbol) for x in inputs) else plain(*inputs)

    return function


_MATH = {name: _of_math(name) if callable(getattr(math, name)) else getattr(math, name) for name in dir(math)}


def _with_symbols(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, with functions of `math` that take symbols in the place of those that do
    not."""
    function = getattr(function, "py_func", function)  # of Numba
    if not isinstance(function, FunctionType):
        return function
    names = dict(function.__globals__)
    for name in function.__code__.co_names:
        known = names.get(name)
        if known is math:
            names[name] = SimpleNamespace(**_MATH)
        elif known is not None and getattr(known, "__module__", None) == "math":
            names[name] = _MATH[known.__name__]
    other = FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
    other.__kwdefaults__ = function.__kwdefaults__
    return other


def formula_of(function: Callable[[Any], Any], name: str = "t") -> str:
    """The text of a function of one number; InputError where it has none.

    >>> formula_of(lambda t: 2 * np.sin(3 * t) if True else 0)
    '2.0*sin(3.0*t)'
    """
    texts = formulas_of(function, name)
    if not isinstance(texts, str):
        raise _refused(f"it returns {len(texts)} values, not one number")
    return texts


def formulas_of(function: Callable[[Any], Any], name: str = "t") -> str | list[str]:
    """The text of a function of one number, or a text for each component of what it returns;
    InputError where there is none.

    >>> formulas_of(lambda t: (0, 2 * np.sin(3 * t)))
    ['0.0', '2.0*sin(3.0*t)']
    """
    _refuse_more_arguments(function, name)
    try:
        found = _with_symbols(function)(Symbol(name))
        several = isinstance(found, tuple | list) or (isinstance(found, np.ndarray) and found.ndim > 0)
        texts = [_within(x, COMPARISON) for x in (found if several else [found])]
        trees = [parse(text) for text in texts]
    except NotAFormulaError as error:
        raise _refused(str(error)) from None
    except InputError as error:
        raise _refused(error.message) from None
    except Exception as error:
        raise _refused(f"{type(error).__name__}: {error}") from error
    for x in ARGUMENTS:
        for text, tree, expected in zip(texts, trees, _numbers(function, x, len(texts)), strict=True):
            value = evaluate(tree, lambda *_, x=x: x)
            if math.isfinite(expected) and not abs(value - expected) <= AGREEMENT * max(1.0, abs(expected)):
                raise _refused(f"at {name} = {x:g} it gives {expected:.6g}, its formula {text} gives {value:.6g}")
    return texts if several else texts[0]


def _refuse_more_arguments(function: Callable[..., Any], name: str) -> None:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # of functions in C
        return
    try:
        signature.bind(0.0)
    except TypeError:
        raise InputError(
            f"a function of {name} alone is needed, received one of {len(signature.parameters)} arguments",
            hint='formulas read joints and bodies by name: FormulaMotor(…, torque="-5*pin.angle")',
        ) from None


def _numbers(function: Callable[[Any], Any], x: float, many: int) -> FloatArray:
    """What a function returns at a number, as floats; NaN outside its domain."""
    try:
        with np.errstate(all="ignore"):
            found = np.asarray(function(x), dtype=np.float64).reshape(-1)
    except (ArithmeticError, ValueError):
        return np.full(many, np.nan)
    if found.size != many:
        raise _refused(f"at t = {x:g} it returns {found.size} values, elsewhere {many}")
    return found


def _refused(why: str) -> InputError:
    return InputError(
        f"the function cannot be compiled: {why}",
        hint="NumPy's functions and np.where(t < 1, a, b) can; for data take a Table, for anything else a UserLoad",
    )
