"""From text to tokens: numbers, names with dots, operators, brackets, commas; anything else is
refused with its column."""

from __future__ import annotations

import re
from dataclasses import dataclass

from isodyn.errors import InputError

LONGEST = 2000  # characters of a formula
MOST_TOKENS = 1000

_TOKEN = re.compile(
    r"(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)"
    r"|(?P<operator>\*\*|<=|>=|[-+*/^(),<>])",
    re.ASCII,
)


@dataclass(frozen=True)
class Token:
    """A piece of a formula: its kind (number, name, operator, end) and the column where it starts,
    counted from 1."""

    kind: str
    text: str
    column: int


def wrong(text: str, column: int, what: str, hint: str | None = None) -> InputError:
    """The error of a formula at a column."""
    shown = text if len(text) <= 60 else f"{text[:57]}..."
    return InputError(f"formula {shown!r}, column {column}: {what}", hint=hint)


def tokens(text: str) -> list[Token]:
    """All tokens of a formula and an end.

    >>> [token.text for token in tokens("2*sin(t)")]
    ['2', '*', 'sin', '(', 't', ')', '']
    """
    if len(text) > LONGEST:
        raise wrong(text, LONGEST, f"it has {len(text)} characters, at most {LONGEST} are read")
    found: list[Token] = []
    at = 0
    while at < len(text):
        if text[at] in " \t\n":
            at += 1
            continue
        match = _TOKEN.match(text, at)
        if match is None:
            raise wrong(text, at + 1, f"{text[at]!r} means nothing here", _hint(text[at]))
        kind = match.lastgroup
        assert kind is not None
        found.append(Token(kind, match[0], at + 1))
        at = match.end()
        if kind == "number" and at < len(text) and (text[at].isalnum() or text[at] in "_."):
            hint = "products are written with *; units are SI and not written"
            raise wrong(text, at + 1, f"{text[at]!r} after the number {match[0]}", hint)
        if len(found) > MOST_TOKENS:
            raise wrong(text, at, f"more than {MOST_TOKENS} parts", "use a table of values, or a Python file")
    found.append(Token("end", "", len(text) + 1))
    return found


def _hint(sign: str) -> str:
    if sign == "=":
        return "comparisons are <, <=, >, >=; there is no ="
    if sign in "\"'[]{}":
        return "formulas know numbers, names, + - * / ^ and round brackets"
    return "formulas are written in ASCII: + - * / ^ ( ) , < >"
