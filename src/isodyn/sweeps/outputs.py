"""Numbers of a solution by expressions of its quantities, such as "max(|pin.force|)" or
"last(crank.angle) - first(crank.angle)".

Names are those of `sol.quantities()`, of swept parameters, `t`, and counters of the run (`steps`,
`iterations`, `seconds` that it took, `drift`). Names with signs that mean something in formulas
stand in braces: "max({q(theta)})"; sizes of vectors stand between bars. Functions of values work at
every saved time; these make one number of a history:

    first last at(x, t)     values                      max min peak span     largest, smallest, largest of |x|, max − min
    mean rms integral       over time, by trapezia      time_of_max time_of_min time_of_peak

What is still a history is kept as one, over the saved times.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from isodyn.errors import InputError
from isodyn.expressions.parser import Tree, parse
from isodyn.kernels.compiled import FloatArray
from isodyn.results.quantities import Catalogue, Place

if TYPE_CHECKING:
    from isodyn.results.solution import Solution

_QUOTED = re.compile(r"\|([^|{}]+)\||\{([^{}]+)\}")
_NAMED = re.compile(r"\s*([A-Za-z_][\w.]*)\s*=(?!=)\s*(.+)", re.DOTALL)

Value: TypeAlias = float | FloatArray  # a number, or a history over the saved times


def _trapezia(x: FloatArray, t: FloatArray) -> float:
    return float(np.sum(0.5 * (x[1:] + x[:-1]) * np.diff(t)))


def _mean(x: FloatArray, t: FloatArray) -> float:
    return _trapezia(x, t) / float(t[-1] - t[0]) if t[-1] > t[0] else float(x[-1])


OVER_TIME: dict[str, Callable[..., float]] = {
    "first": lambda x, t: float(x[0]),
    "last": lambda x, t: float(x[-1]),
    "max": lambda x, t: float(x.max()),
    "min": lambda x, t: float(x.min()),
    "peak": lambda x, t: float(np.abs(x).max()),
    "span": lambda x, t: float(x.max() - x.min()),
    "mean": _mean,
    "rms": lambda x, t: float(np.sqrt(_mean(x * x, t))),
    "integral": _trapezia,
    "time_of_max": lambda x, t: float(t[x.argmax()]),
    "time_of_min": lambda x, t: float(t[x.argmin()]),
    "time_of_peak": lambda x, t: float(t[np.abs(x).argmax()]),
}
_AT = "at"
_MORE: dict[str, tuple[int, ...]] = {**dict.fromkeys(OVER_TIME, (1,)), "max": (1, 2), "min": (1, 2), _AT: (2,)}

_AT_EVERY_TIME: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "power": np.power,
    "negate": np.negative,
    "less": lambda x, y: np.less(x, y).astype(np.float64),
    "less_equal": lambda x, y: np.less_equal(x, y).astype(np.float64),
    "greater": lambda x, y: np.greater(x, y).astype(np.float64),
    "greater_equal": lambda x, y: np.greater_equal(x, y).astype(np.float64),
    "if": lambda x, y, z: np.where(np.asarray(x) != 0.0, y, z),
    "min": np.minimum,
    "max": np.maximum,
    "step": lambda x: np.greater_equal(x, 0.0).astype(np.float64),
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    **{name: getattr(np, name) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "log10")},
    **{name: getattr(np, name) for name in ("sqrt", "abs", "sign", "hypot")},
}

COUNTERS: dict[str, Callable[[Any], float]] = {
    "steps": lambda sol: float(sol.stats.steps),
    "iterations": lambda sol: float(sol.stats.iterations),
    "seconds": lambda sol: float(sol.stats.seconds),
    "drift": lambda sol: float(max(sol.drift().position.max(initial=0.0), sol.drift().velocity.max(initial=0.0))),
}


@dataclass(frozen=True)
class Output:
    """A name, the text of an expression, its tree, and what names in it that are quoted stand
    for."""

    name: str
    text: str
    tree: Tree
    quoted: Mapping[str, str]

    def names(self) -> dict[str, str]:
        """Names that it uses, as they are called in the solution."""
        found: dict[str, str] = {}
        ahead = [self.tree]
        while ahead:
            part = ahead.pop()
            if part[0] == "name":
                found[part[1]] = self.quoted.get(part[1], part[1])
            elif part[0] != "number":
                ahead += part[1:]
        return found


def read_output(text: str) -> Output:
    """An output from its text: an expression, or "name = expression"."""
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"an output is a text such as 'max(|pin.force|)', received {text!r}")
    named = _NAMED.fullmatch(text)
    name, formula = (named[1], named[2]) if named else (text.strip(), text.strip())
    quoted: dict[str, str] = {}

    def quote(found: re.Match[str]) -> str:
        inside = found[0] if found[1] is not None else found[2].strip()
        quoted[f"quoted_{len(quoted)}"] = inside
        return f"quoted_{len(quoted) - 1}"

    plain = _QUOTED.sub(quote, formula)
    try:
        tree = parse(plain, _MORE)
    except InputError as error:
        hint = error.hint or "names with other signs stand in braces: max({q(theta)})"
        raise InputError(f"output {formula!r}: {error.message}", hint=hint) from None
    return Output(name.replace("/", "÷"), formula, tree, quoted)


class Reader:
    """Reads outputs from solutions of one model; places of quantities are looked up once."""

    def __init__(self, outputs: tuple[Output, ...], parameters: tuple[str, ...]) -> None:
        self.outputs, self.parameters = outputs, parameters
        self.places: dict[str, Place] = {}
        self.found = False

    def find(self, sol: Solution) -> None:
        """Look up all names in a first solution; InputError for those that it does not have."""
        catalogue = Catalogue(sol)
        for output in self.outputs:
            for name in output.names().values():
                if name in self.parameters or name == "t" or name in COUNTERS:
                    continue
                try:
                    place = catalogue.find(name)
                except InputError as error:
                    raise InputError(f"output {output.text!r}: {error.message}", hint=error.hint) from None
                curve = catalogue.read(place)
                if curve.values.ndim > 1:
                    parts = ", ".join(f"{name}_{x}" for x in curve.components)
                    raise InputError(f"output {output.text!r}: {name} has components", hint=f"take one: {parts}")
                self.places[name] = place
        self.found = True

    def read(self, sol: Solution, values: Mapping[str, float]) -> list[Value]:
        """All outputs of a solution."""
        catalogue = Catalogue(sol)
        found: dict[str, Value] = {}

        def value(name: str) -> Value:
            if name not in found:
                if name in values:
                    found[name] = values[name]
                elif name == "t":
                    found[name] = sol.t
                elif name in COUNTERS:
                    found[name] = COUNTERS[name](sol)
                else:
                    found[name] = catalogue.read(self.places[name]).values
            return found[name]

        with np.errstate(all="ignore"):
            return [_value(output, output.tree, value, sol.t) for output in self.outputs]


def _value(output: Output, tree: Tree, value: Callable[[str], Value], t: FloatArray) -> Value:
    """The value of a tree: a number, or a history."""
    if tree[0] == "number":
        return tree[1]
    if tree[0] == "name":
        return value(output.quoted.get(tree[1], tree[1]))
    arguments = [_value(output, part, value, t) for part in tree[1:]]
    if tree[0] == _AT:
        return float(np.interp(float(arguments[1]), t, _history(arguments[0], t)))
    if tree[0] in OVER_TIME and len(arguments) == 1:
        return OVER_TIME[tree[0]](_history(arguments[0], t), t)
    return _AT_EVERY_TIME[tree[0]](*arguments)


def _history(x: Value, t: FloatArray) -> FloatArray:
    return np.broadcast_to(np.asarray(x, dtype=np.float64), t.shape)
