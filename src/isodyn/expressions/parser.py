"""From tokens to a tree, by recursive descent.

    comparison = sum [("<" | "<=" | ">" | ">=") sum]              1 or 0
    sum        = product {("+" | "-") product}
    product    = sign {("*" | "/") sign}
    sign       = {"-" | "+"} power
    power      = part [("^" | "**") sign]                          2^-3, right to left
    part       = number ["deg"] | name | function "(" comparison {"," comparison} ")" | "(" comparison ")"

A tree is a tuple: ("number", x), ("name", text, column), or (operation, tree, …). `30 deg` is an
angle in degrees.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from isodyn.errors import InputError
from isodyn.expressions.tokens import Token, tokens, wrong

DEEPEST = 60  # brackets within brackets
ARGUMENTS = {
    **dict.fromkeys(("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "log10"), 1),
    **dict.fromkeys(("sqrt", "abs", "sign", "step"), 1),
    **dict.fromkeys(("min", "max", "atan2", "hypot"), 2),
    "if": 3,
}
CONSTANTS = {"pi": math.pi, "deg": math.pi / 180}
Tree = tuple[Any, ...]
_OPERATIONS = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "^": "power", "**": "power"}
_COMPARISONS = {"<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal"}


def parse(text: str, more: Mapping[str, tuple[int, ...]] | None = None) -> Tree:
    """The tree of a formula; `more` functions by name, with how many arguments they may take.

    >>> parse("1 + 2*t")
    ('add', ('number', 1.0), ('multiply', ('number', 2.0), ('name', 't', 7)))
    """
    if not isinstance(text, str):
        raise InputError(f"a formula is a text, received {text!r}")
    return _parsed(text) if more is None else _Parser(text, more).whole()


@lru_cache(maxsize=2048)
def _parsed(text: str) -> Tree:
    """Models are built again and again from the same texts."""
    return _Parser(text, {}).whole()


class _Parser:
    def __init__(self, text: str, more: Mapping[str, tuple[int, ...]]) -> None:
        self.text, self.tokens, self.at, self.depth = text, tokens(text), 0, 0
        self.functions = {**{name: (many,) for name, many in ARGUMENTS.items()}, **more}

    def whole(self) -> Tree:
        if self.here.kind == "end":
            raise wrong(self.text, 1, "it is empty", "such as 2*sin(3*t)")
        tree = self.comparison()
        if self.here.kind != "end":
            raise wrong(self.text, self.here.column, f"{self.here.text!r} is not expected here", self.after())
        return tree

    def after(self) -> str:
        if self.here.text == "(" and self.tokens[self.at - 1].kind == "name":
            return f"functions are {', '.join(self.functions)}"
        if self.here.kind == "name" and self.tokens[self.at - 1].kind == "number":
            return "products are written with *; units are SI and not written"
        return "products are written with *, brackets come in pairs"

    @property
    def here(self) -> Token:
        return self.tokens[self.at]

    def take(self, *texts: str) -> str | None:
        """The operator that stands here, if it is one of these."""
        if self.here.kind != "operator" or self.here.text not in texts:
            return None
        self.at += 1
        return self.tokens[self.at - 1].text

    def inside(self) -> Tree:
        self.depth += 1
        if self.depth > DEEPEST:
            raise wrong(self.text, self.here.column, f"more than {DEEPEST} brackets within each other")
        tree = self.comparison()
        self.depth -= 1
        return tree

    def close(self) -> None:
        if not self.take(")"):
            found = repr(self.here.text) if self.here.text else "the end"
            raise wrong(self.text, self.here.column, f"')' is expected here, not {found}")

    def comparison(self) -> Tree:
        left = self.sum()
        sign = self.take(*_COMPARISONS)
        return left if sign is None else (_COMPARISONS[sign], left, self.sum())

    def sum(self) -> Tree:
        left = self.product()
        while sign := self.take("+", "-"):
            left = (_OPERATIONS[sign], left, self.product())
        return left

    def product(self) -> Tree:
        left = self.sign()
        while sign := self.take("*", "/"):
            left = (_OPERATIONS[sign], left, self.sign())
        return left

    def sign(self) -> Tree:
        negative = False
        while sign := self.take("-", "+"):
            negative ^= sign == "-"
        return ("negate", self.power()) if negative else self.power()

    def power(self) -> Tree:
        base = self.part()
        if not self.take("^", "**"):
            return base
        self.depth += 1
        if self.depth > DEEPEST:
            raise wrong(self.text, self.here.column, f"more than {DEEPEST} powers of powers")
        tree = ("power", base, self.sign())
        self.depth -= 1
        return tree

    def part(self) -> Tree:
        token = self.here
        if token.kind == "number":
            self.at += 1
            value = float(token.text)
            if not math.isfinite(value):
                raise wrong(self.text, token.column, f"{token.text} is too large a number")
            if self.here.kind == "name" and self.here.text == "deg":
                self.at += 1
                value *= CONSTANTS["deg"]
            return ("number", value)
        if token.kind == "name":
            self.at += 1
            return self.call(token) if self.here.text == "(" else self.name(token)
        if self.take("("):
            tree = self.inside()
            self.close()
            return tree
        found = repr(token.text) if token.text else "the end"
        raise wrong(self.text, token.column, f"a number, a name or '(' is expected here, not {found}")

    def name(self, token: Token) -> Tree:
        if token.text in self.functions:
            raise wrong(self.text, token.column, f"{token.text} is a function", f"write {token.text}(…)")
        if token.text in CONSTANTS:
            return ("number", CONSTANTS[token.text])
        return ("name", token.text, token.column)

    def call(self, token: Token) -> Tree:
        name = token.text
        if name not in self.functions:
            similar = difflib.get_close_matches(name, self.functions, n=2)
            hint = f"did you mean {' or '.join(similar)}?" if similar else f"functions are {', '.join(self.functions)}"
            raise wrong(self.text, token.column, f"there is no function {name!r}", hint)
        self.take("(")
        arguments = [self.inside()]
        while self.take(","):
            arguments.append(self.inside())
        self.close()
        if len(arguments) not in (known := self.functions[name]):
            many = f"{name} takes {' or '.join(map(str, known))} argument{'s' if max(known) > 1 else ''}"
            raise wrong(self.text, token.column, f"{many}, received {len(arguments)}")
        return (name, *arguments)
