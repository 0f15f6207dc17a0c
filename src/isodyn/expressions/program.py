"""From a tree to a program in postfix order, which one compiled kernel runs
(isodyn.expressions.formula_kernels)."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from isodyn.errors import InputError
from isodyn.expressions.parser import ARGUMENTS, CONSTANTS, Tree, parse
from isodyn.expressions.tokens import wrong
from isodyn.real_numbers import real_number

# ---- operations; functions of one argument come last
NUMBER, NAME, ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER, MINIMUM, MAXIMUM, ATAN2, HYPOT = range(11)
LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, SELECT, NEGATE = range(11, 17)
SIN, COS, TAN, ASIN, ACOS, ATAN, SINH, COSH, TANH, EXP, LOG, LOG10, SQRT, ABS, SIGN, STEP = range(17, 33)
OPERATIONS = {
    "add": ADD,
    "subtract": SUBTRACT,
    "multiply": MULTIPLY,
    "divide": DIVIDE,
    "power": POWER,
    "min": MINIMUM,
    "max": MAXIMUM,
    "atan2": ATAN2,
    "hypot": HYPOT,
    "less": LESS,
    "less_equal": LESS_EQUAL,
    "greater": GREATER,
    "greater_equal": GREATER_EQUAL,
    "if": SELECT,
    "negate": NEGATE,
    "sin": SIN,
    "cos": COS,
    "tan": TAN,
    "asin": ASIN,
    "acos": ACOS,
    "atan": ATAN,
    "sinh": SINH,
    "cosh": COSH,
    "tanh": TANH,
    "exp": EXP,
    "log": LOG,
    "log10": LOG10,
    "sqrt": SQRT,
    "abs": ABS,
    "sign": SIGN,
    "step": STEP,
}


Meaning = Callable[[str, int], float | None]


@dataclass(frozen=True, eq=False)
class Program:
    """A compiled formula: `names` that it uses, its operations with their arguments (a number, or
    the number of a name), and how deep its stack gets."""

    text: str
    names: tuple[str, ...]
    code: tuple[tuple[int, float], ...]
    depth: int


def compile_formula(
    text: str,
    names: Iterable[str] = ("t",),
    parameters: Mapping[str, float] | None = None,
    *,
    refused: str = "",
    negative: bool = False,
) -> Program:
    """The program of a formula of these names; parameters are put in as numbers. `refused` explains
    why other names are not there; `negative` changes the sign of the whole.

    >>> compile_formula("a*t^2", parameters={"a": 3.0}).names
    ('t',)
    """
    known, values = tuple(names), _numbers(parameters or {})
    tree = parse(text)
    return _program(text, ("negate", tree) if negative else tree, _meaning(text, known, values, refused))


def compile_tree(text: str, tree: Tree, names: Iterable[str]) -> Program:
    """The program of a tree of these names, which may be longer than formulas may be; `text` says
    what it is.

    >>> compile_tree("2 t", ("multiply", ("number", 2.0), ("name", "t", 1)), ("t",)).names
    ('t',)
    """
    return _program(text, tree, _meaning(text, tuple(names), {}, ""))


def _program(text: str, tree: Tree, meaning: Meaning) -> Program:
    used: dict[str, int] = {}
    code: list[tuple[int, float]] = []
    deepest = _postfix(tree, code, used, meaning)
    return Program(text, tuple(used), tuple(code), deepest)


def constant(text: str, parameters: Mapping[str, float] | None = None) -> float:
    """The value of a formula without names other than parameters, such as `2*pi/3`, `30 deg` or
    `l/2`.

    >>> constant("l/2 + 1", {"l": 4.0})
    3.0
    """
    value = evaluate(parse(text), _meaning(text, (), dict(parameters or {}), "this is a number, not a function"))
    if not math.isfinite(value):
        raise wrong(text, 1, "it is not a finite number", "division by zero, or a function outside its domain")
    return value


def _numbers(parameters: Mapping[str, float]) -> dict[str, float]:
    """Parameters, as far as they are names of numbers."""
    for name in parameters:
        if not isinstance(name, str):
            raise InputError(f"a parameter of a formula needs a name, received {name!r}", hint='such as {"k": 2.0}')
        if name in CONSTANTS:
            raise InputError(f"parameter {name!r} has a meaning in formulas already", hint="choose another name")
    return {name: real_number(f"parameter {name!r}", value) for name, value in parameters.items()}


def _meaning(text: str, known: tuple[str, ...], parameters: Mapping[str, float], refused: str) -> Meaning:
    """What a name stands for: a number, None for a name whose value comes later; others are
    refused."""

    def of(name: str, column: int) -> float | None:
        if name in known:
            if name in parameters:
                raise wrong(
                    text, column, f"{name!r} is a parameter, and means something else here", "choose another name"
                )
            return None
        if name in parameters:
            return float(parameters[name])
        every = [*known, *parameters, *ARGUMENTS, *CONSTANTS]
        near = difflib.get_close_matches(name, every, n=2)
        names = ", ".join([*known, *parameters][:12]) or "none"
        hint = f"did you mean {' or '.join(near)}?" if near else f"{f'{refused}; ' if refused else ''}names: {names}"
        raise wrong(text, column, f"there is no {name!r} here", hint)

    return of


def _in_order(tree: Tree) -> Iterator[Tree]:
    """All parts of a tree, each behind those that it is made of; without recursion, since sums may
    have hundreds of terms."""
    ahead: list[tuple[Tree, bool]] = [(tree, False)]
    while ahead:
        part, opened = ahead.pop()
        if opened or part[0] in ("number", "name"):
            yield part
        else:
            ahead.append((part, True))
            ahead += [(inner, False) for inner in reversed(part[1:])]


def names_of(tree: Tree) -> set[str]:
    """The names in a tree.

    >>> from isodyn.expressions.parser import parse
    >>> names_of(parse("2*spring.force - sin(t)")) == {"spring.force", "t"}
    True
    """
    return {part[1] for part in _in_order(tree) if part[0] == "name"}


def _postfix(tree: Tree, code: list[tuple[int, float]], used: dict[str, int], meaning: Meaning) -> int:
    """Append a tree to the code; how deep its stack gets."""
    depth = deepest = 0
    for part in _in_order(tree):
        if part[0] == "number":
            code.append((NUMBER, part[1]))
            depth += 1
        elif part[0] == "name":
            value = meaning(part[1], part[2])
            if value is None:
                code.append((NAME, used.setdefault(part[1], len(used))))
            else:
                code.append((NUMBER, value))
            depth += 1
        else:
            code.append((OPERATIONS[part[0]], 0.0))
            depth -= len(part) - 2
        deepest = max(deepest, depth)
    return deepest


def evaluate(tree: Tree, meaning: Callable[[str, int], float | None]) -> float:
    """The value of a tree by Python's own arithmetic; NaN outside the domain of a function."""
    stack: list[float] = []
    for part in _in_order(tree):
        if part[0] == "number":
            stack.append(float(part[1]))
        elif part[0] == "name":
            found = meaning(part[1], part[2])
            stack.append(math.nan if found is None else found)
        else:
            many = len(part) - 1
            arguments = stack[-many:]
            del stack[-many:]
            try:
                value = _PLAIN[part[0]](*arguments)
            except (ValueError, ZeroDivisionError, OverflowError):
                value = math.nan
            stack.append(math.nan if isinstance(value, complex) else float(value))
    return stack[0]


_PLAIN: dict[str, Callable[..., float]] = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / y,
    "power": lambda x, y: x**y,
    "negate": lambda x: -x,
    "less": lambda x, y: float(x < y),
    "less_equal": lambda x, y: float(x <= y),
    "greater": lambda x, y: float(x > y),
    "greater_equal": lambda x, y: float(x >= y),
    "if": lambda x, y, z: y if x != 0.0 else z,
    "min": min,
    "max": max,
    "sign": lambda x: float((x > 0) - (x < 0)),
    "step": lambda x: float(x >= 0),
    "abs": abs,
    **{
        name: getattr(math, name)
        for name in ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "log10", "sqrt")
    },
    "atan2": math.atan2,
    "hypot": math.hypot,
}
